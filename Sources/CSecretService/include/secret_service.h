// The Secret Service of a desktop session (GNOME Keyring, KWallet, KeePassXC) through libsecret, which
// is looked for at run time: a binary that nobody links to it runs where it is not. Every call ends:
// after its time, or when the caller asks for the end, whatever the service does.
#ifndef DBSEAL_SECRET_SERVICE_H
#define DBSEAL_SECRET_SERVICE_H
#include <stddef.h>

typedef enum {
  DBSEAL_SECRET_DONE = 0,
  // Nothing of that name.
  DBSEAL_SECRET_ABSENT,
  // More than one item of that name: which one is meant, nobody knows.
  DBSEAL_SECRET_SEVERAL,
  // The collection is locked, and was not unlocked: whether it has such an item may be unknown.
  DBSEAL_SECRET_LOCKED,
  // ADD: there is an item of that name.
  DBSEAL_SECRET_EXISTS,
  // There is no collection to store in.
  DBSEAL_SECRET_NO_COLLECTION,
  DBSEAL_SECRET_NO_LIBRARY,
  // Nothing on the session's bus offers the service.
  DBSEAL_SECRET_NO_SERVICE,
  // Nobody listens where the session's bus should be.
  DBSEAL_SECRET_NO_BUS,
  // Somebody does, and cannot be talked to.
  DBSEAL_SECRET_BAD_BUS,
  // The service did not answer in time.
  DBSEAL_SECRET_TIMED_OUT,
  // ADD, STORE, DELETE: the change was begun, and whether it was made is not known.
  DBSEAL_SECRET_UNANSWERED,
  // The caller asked for the end, and nothing was changed.
  DBSEAL_SECRET_STOPPED,
  DBSEAL_SECRET_FAILED,
} dbseal_secret_status;

typedef enum {
  // Whether the service answers.
  DBSEAL_SECRET_PROBE,
  DBSEAL_SECRET_READ,
  // Makes an item where there is none of that name, once the collection is unlocked.
  DBSEAL_SECRET_ADD,
  // The same, or gives the one of that name another secret.
  DBSEAL_SECRET_STORE,
  // Removes all items of that name, unless they differ: then it is SEVERAL.
  DBSEAL_SECRET_DELETE,
  DBSEAL_SECRET_LIST,
  // LOCKED where new items could not be stored before somebody unlocks the collection for them; ABSENT
  // where there is none.
  DBSEAL_SECRET_STATE,
} dbseal_secret_action;

// What is asked and what is answered. Items have the attributes `service` (always "dbseal") and
// `account`.
typedef struct {
  dbseal_secret_action action;
  const char *account;
  // ADD, STORE: the bytes, a text.
  const void *secret;
  size_t secret_size;
  // How long it may take. Where the service itself TIMED_OUT: how long it took.
  int milliseconds;
  // Nobody is asked to unlock anything.
  int is_quiet;
  // Asked now and then; not 0 ends the call, unless a change was begun: the end of that is waited for.
  int (*stop)(const void *context);
  const void *stop_context;

  // READ: the bytes. LIST: names, each with a NUL behind it. NULL where there are none.
  void *answer;
  size_t answer_size;
  // Why it FAILED, in the service's words; never a part of a secret.
  char message[200];
} dbseal_secret_request;

dbseal_secret_status dbseal_secret_run(dbseal_secret_request *request);

// Wipes and frees the answer.
void dbseal_secret_release(dbseal_secret_request *request);
#endif
