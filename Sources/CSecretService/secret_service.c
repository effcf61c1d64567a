// libsecret by dlopen, and a thread that calls it. The thread works on a copy of the request that both
// sides hold: where it does not come back in time, it is left to itself, and the last one that lets go
// wipes what is secret.
#include "secret_service.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "libsecret.h"

typedef struct {
  pthread_mutex_t lock;
  pthread_cond_t change;
  int holders, done;
  dbseal_secret_status status;
  dbseal_secret_request request;
  void *cancellable;
  const dbseal_libsecret *lib;
} job;

static void wipe(void *bytes, size_t size) {
  volatile unsigned char *each = bytes;
  while (size-- > 0) *each++ = 0;
}

static char *copy(const void *bytes, size_t size) {
  char *made = malloc(size + 1);
  if (made == NULL) return NULL;
  memcpy(made, bytes, size);
  made[size] = 0;
  return made;
}

static void let_go(job *job) {
  pthread_mutex_lock(&job->lock);
  int left = --job->holders;
  pthread_mutex_unlock(&job->lock);
  if (left > 0) return;
  if (job->request.secret != NULL) wipe((void *)job->request.secret, job->request.secret_size);
  free((void *)job->request.secret);
  free((void *)job->request.account);
  dbseal_secret_release(&job->request);
  if (job->cancellable != NULL) job->lib->object_unref(job->cancellable);
  pthread_cond_destroy(&job->change);
  pthread_mutex_destroy(&job->lock);
  free(job);
}

void dbseal_secret_release(dbseal_secret_request *request) {
  if (request->answer != NULL) wipe(request->answer, request->answer_size);
  free(request->answer);
  request->answer = NULL;
  request->answer_size = 0;
}

// ---- what the thread does ----------------------------------------------------------------------

// Takes the words out of an error and says what kind of failure it is.
static dbseal_secret_status failed(job *job, dbseal_gerror *error) {
  if (error == NULL) return DBSEAL_SECRET_FAILED;
  const char *words = error->message != NULL ? error->message : "";
  strncpy(job->request.message, words, sizeof job->request.message - 1);
  int code = error->domain == job->lib->error_quark() ? error->code : 0;
  int bus_code = error->domain == job->lib->bus_error_quark() ? error->code : 0;
  job->lib->error_free(error);
  int is_absent = code == 3 /* NO_SUCH_OBJECT */ || bus_code == 41 /* UNKNOWN_OBJECT */ ||
                  bus_code == 19 /* UNKNOWN_METHOD, of an object that is not there */;
  if (is_absent && job->request.action == DBSEAL_SECRET_STORE) return DBSEAL_SECRET_NO_COLLECTION;
  return code == 2 /* IS_LOCKED */ ? DBSEAL_SECRET_LOCKED : DBSEAL_SECRET_FAILED;
}

static void *attributes(job *job) {
  const dbseal_libsecret *lib = job->lib;
  void *table = lib->hash_table_new(lib->str_hash, lib->str_equal);
  lib->hash_table_insert(table, "service", "dbseal");
  if (job->request.account != NULL) {
    lib->hash_table_insert(table, "account", (void *)job->request.account);
  }
  return table;
}

static dbseal_secret_status answer(job *job, void *item) {
  const dbseal_libsecret *lib = job->lib;
  dbseal_gerror *error = NULL;
  if (!lib->item_load_secret_sync(item, job->cancellable, &error)) return failed(job, error);
  void *value = lib->item_get_secret(item);
  if (value == NULL) return DBSEAL_SECRET_LOCKED;
  size_t size = 0;
  const char *bytes = lib->value_get(value, &size);
  job->request.answer = copy(bytes != NULL ? bytes : "", bytes != NULL ? size : 0);
  job->request.answer_size = bytes != NULL ? size : 0;
  lib->value_unref(value);
  return job->request.answer == NULL ? DBSEAL_SECRET_FAILED : DBSEAL_SECRET_DONE;
}

static dbseal_secret_status change(job *job, void *item, void *value) {
  const dbseal_libsecret *lib = job->lib;
  dbseal_gerror *error = NULL;
  if (item != NULL) {
    return lib->item_set_secret_sync(item, value, job->cancellable, &error)
               ? DBSEAL_SECRET_DONE : failed(job, error);
  }
  char label[300] = "dbseal: ";
  strncat(label, job->request.account, sizeof label - strlen(label) - 1);
  void *types = lib->hash_table_new(lib->str_hash, lib->str_equal);
  lib->hash_table_insert(types, "service", NULL);
  lib->hash_table_insert(types, "account", NULL);
  // The schema that secret-tool gives its items, so that each finds the other's.
  void *schema = lib->schema_newv("org.freedesktop.Secret.Generic", 2, types);
  void *table = attributes(job);
  int stored = lib->service_store_sync(
      NULL, schema, table, NULL, label, value, job->cancellable, &error);
  lib->hash_table_unref(table);
  lib->hash_table_unref(types);
  lib->schema_unref(schema);
  return stored ? DBSEAL_SECRET_DONE : failed(job, error);
}

static dbseal_secret_status store(job *job, void *item) {
  const dbseal_libsecret *lib = job->lib;
  void *value = lib->value_new(
      job->request.secret, (long)job->request.secret_size, "text/plain");
  if (value == NULL) return DBSEAL_SECRET_FAILED;
  dbseal_secret_status status = change(job, item, value);
  lib->value_unref(value);
  return status;
}

static dbseal_secret_status names(job *job, dbseal_glist *items) {
  const dbseal_libsecret *lib = job->lib;
  for (dbseal_glist *each = items; each != NULL; each = each->next) {
    void *table = lib->item_get_attributes(each->data);
    const char *name = table != NULL ? lib->hash_table_lookup(table, "account") : NULL;
    if (name != NULL) {
      size_t size = strlen(name) + 1;
      char *longer = realloc(job->request.answer, job->request.answer_size + size);
      if (longer != NULL) {
        memcpy(longer + job->request.answer_size, name, size);
        job->request.answer = longer;
        job->request.answer_size += size;
      }
    }
    if (table != NULL) lib->hash_table_unref(table);
  }
  return DBSEAL_SECRET_DONE;
}

// The secret of an item, loaded; NULL where it cannot be.
static void *secret_of(job *job, void *item) {
  dbseal_gerror *error = NULL;
  if (!job->lib->item_load_secret_sync(item, job->cancellable, &error)) {
    failed(job, error);
    return NULL;
  }
  return job->lib->item_get_secret(item);
}

// Whether all items hold one secret; not where one of them cannot be read.
static int are_alike(job *job, dbseal_glist *items) {
  const dbseal_libsecret *lib = job->lib;
  if (items == NULL || items->next == NULL) return 1;
  void *first = secret_of(job, items->data);
  int alike = first != NULL;
  for (dbseal_glist *each = items->next; alike && each != NULL; each = each->next) {
    void *value = secret_of(job, each->data);
    size_t size = 0, first_size = 0;
    const char *bytes = value != NULL ? lib->value_get(value, &size) : NULL;
    const char *first_bytes = lib->value_get(first, &first_size);
    alike = bytes != NULL && first_bytes != NULL && size == first_size &&
            memcmp(bytes, first_bytes, size) == 0;
    if (value != NULL) lib->value_unref(value);
  }
  if (first != NULL) lib->value_unref(first);
  return alike;
}

static dbseal_secret_status delete_all(job *job, dbseal_glist *items) {
  // One of them may be the only copy of a key.
  if (!are_alike(job, items)) return DBSEAL_SECRET_SEVERAL;
  for (dbseal_glist *each = items; each != NULL; each = each->next) {
    dbseal_gerror *error = NULL;
    if (!job->lib->item_delete_sync(each->data, job->cancellable, &error)) {
      return failed(job, error);
    }
  }
  return items == NULL ? DBSEAL_SECRET_ABSENT : DBSEAL_SECRET_DONE;
}

static dbseal_secret_status act(job *job, dbseal_glist *items) {
  const dbseal_libsecret *lib = job->lib;
  if (job->request.action == DBSEAL_SECRET_LIST) return names(job, items);
  for (dbseal_glist *each = items; each != NULL; each = each->next) {
    if (lib->item_get_locked(each->data)) return DBSEAL_SECRET_LOCKED;
  }
  if (job->request.action == DBSEAL_SECRET_DELETE) return delete_all(job, items);
  if (items != NULL && items->next != NULL) return DBSEAL_SECRET_SEVERAL;
  if (job->request.action == DBSEAL_SECRET_STORE) return store(job, items ? items->data : NULL);
  return items == NULL ? DBSEAL_SECRET_ABSENT : answer(job, items->data);
}

// Whether new items could be stored now. Asks nobody for a password.
static dbseal_secret_status state(job *job, void *service) {
  const dbseal_libsecret *lib = job->lib;
  dbseal_gerror *error = NULL;
  void *collection =
      lib->collection_for_alias_sync(service, "default", 0, job->cancellable, &error);
  if (error != NULL) return failed(job, error);
  if (collection == NULL) return DBSEAL_SECRET_ABSENT;
  int is_locked = lib->collection_get_locked(collection);
  lib->object_unref(collection);
  return is_locked ? DBSEAL_SECRET_LOCKED : DBSEAL_SECRET_DONE;
}

static dbseal_secret_status work(job *job) {
  const dbseal_libsecret *lib = job->lib;
  dbseal_gerror *error = NULL;
  void *service = lib->service_get_sync(2 /* OPEN_SESSION */, job->cancellable, &error);
  if (service == NULL) {
    // What the bus itself says came over it.
    int has_bus = error != NULL && error->domain == lib->bus_error_quark();
    failed(job, error);
    return has_bus ? DBSEAL_SECRET_NO_SERVICE : DBSEAL_SECRET_NO_BUS;
  }
  dbseal_secret_status status = DBSEAL_SECRET_DONE;
  if (job->request.action == DBSEAL_SECRET_STATE) {
    status = state(job, service);
  } else if (job->request.action != DBSEAL_SECRET_PROBE) {
    int flags = 2 /* ALL */ | (job->request.action == DBSEAL_SECRET_LIST ? 0 : 4 /* UNLOCK */);
    void *table = attributes(job);
    dbseal_glist *items =
        lib->service_search_sync(service, NULL, table, flags, job->cancellable, &error);
    lib->hash_table_unref(table);
    status = error != NULL ? failed(job, error) : act(job, items);
    lib->list_free_full(items, lib->object_unref);
  }
  lib->object_unref(service);
  return status;
}

static void *run(void *argument) {
  job *job = argument;
  // Signals are for the thread that handles them, and not for those that the library starts.
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, NULL);
  dbseal_secret_status status = work(job);
  pthread_mutex_lock(&job->lock);
  job->status = status;
  job->done = 1;
  pthread_cond_signal(&job->change);
  pthread_mutex_unlock(&job->lock);
  let_go(job);
  return NULL;
}

// ---- what the caller does ------------------------------------------------------------------------

// Waits, under the lock, up to `milliseconds` for the end of the job.
static void await(job *job, int milliseconds) {
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_nsec += milliseconds * 1000000L;
  until.tv_sec += until.tv_nsec / 1000000000L;
  until.tv_nsec %= 1000000000L;
  while (!job->done && pthread_cond_timedwait(&job->change, &job->lock, &until) == 0) {
  }
}

// Waits for the end of the job, or of the caller's patience. A job that does not obey is left alone.
static dbseal_secret_status wait_for(job *job, dbseal_secret_request *request) {
  const int slice = 100;
  dbseal_secret_status status = DBSEAL_SECRET_DONE;
  pthread_mutex_lock(&job->lock);
  for (int waited = 0; !job->done; waited += slice) {
    await(job, slice);
    if (request->stop != NULL && request->stop(request->stop_context) != 0) {
      status = DBSEAL_SECRET_STOPPED;
    } else if (waited >= request->milliseconds) {
      status = DBSEAL_SECRET_TIMED_OUT;
    }
    if (status == DBSEAL_SECRET_DONE || job->done) continue;
    pthread_mutex_unlock(&job->lock);
    job->lib->cancellable_cancel(job->cancellable);
    pthread_mutex_lock(&job->lock);
    // So that a prompt on the screen goes away.
    await(job, 1000);
    break;
  }
  if (status == DBSEAL_SECRET_DONE) {
    status = job->status;
    request->answer = job->request.answer;
    request->answer_size = job->request.answer_size;
    job->request.answer = NULL;
    memcpy(request->message, job->request.message, sizeof request->message);
  }
  pthread_mutex_unlock(&job->lock);
  return status;
}

static job *prepare(const dbseal_secret_request *request, const dbseal_libsecret *lib) {
  job *made = calloc(1, sizeof *made);
  if (made == NULL) return NULL;
  pthread_mutex_init(&made->lock, NULL);
  pthread_cond_init(&made->change, NULL);
  made->holders = 2;
  made->lib = lib;
  made->request = *request;
  made->request.secret = request->secret ? copy(request->secret, request->secret_size) : NULL;
  made->request.account = request->account ? copy(request->account, strlen(request->account)) : NULL;
  made->cancellable = lib->cancellable_new();
  return made;
}

dbseal_secret_status dbseal_secret_run(dbseal_secret_request *request) {
  request->answer = NULL;
  request->answer_size = 0;
  request->message[0] = 0;
  const dbseal_libsecret *lib = dbseal_libsecret_load();
  if (lib == NULL) return DBSEAL_SECRET_NO_LIBRARY;
  job *job = prepare(request, lib);
  if (job == NULL) return DBSEAL_SECRET_FAILED;
  pthread_t thread;
  if (pthread_create(&thread, NULL, run, job) != 0) {
    let_go(job);
    let_go(job);
    return DBSEAL_SECRET_FAILED;
  }
  pthread_detach(thread);
  dbseal_secret_status status = wait_for(job, request);
  let_go(job);
  return status;
}
