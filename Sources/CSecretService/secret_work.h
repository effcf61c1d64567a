// One request as the thread sees that works on it.
#ifndef DBSEAL_SECRET_WORK_H
#define DBSEAL_SECRET_WORK_H
#include <stdlib.h>
#include <string.h>

#include "libsecret.h"
#include "secret_service.h"

typedef struct {
  dbseal_secret_request request;
  const dbseal_libsecret *lib;
  // Asked before the service is told to change something; 0: nobody waits for it any more.
  int (*may_change)(void *context);
  void *context;
} dbseal_secret_work;

// Does what is asked, with the answer in the request; it may wait for ever.
dbseal_secret_status dbseal_secret_work_run(dbseal_secret_work *work);

// The bytes with a NUL behind them, to be freed; NULL without memory.
static inline char *dbseal_secret_copy(const void *bytes, size_t size) {
  char *made = malloc(size + 1);
  if (made == NULL) return NULL;
  memcpy(made, bytes, size);
  made[size] = 0;
  return made;
}
#endif
