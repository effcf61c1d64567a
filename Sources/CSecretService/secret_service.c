// libsecret by dlopen, and a thread that calls it. The thread works on a copy of the request that both
// sides hold: where it does not come back in time, it is left to itself, and the last one that lets go
// wipes what is secret. Nothing is cancelled: libsecret would tell the service to dismiss a dialog, at
// which GNOME Keyring 42 ends (gkd-secret-unlock.c: an assertion), with all that is unlocked in it.
#include "secret_service.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "secret_work.h"

typedef struct {
  pthread_mutex_t lock;
  pthread_cond_t change;
  int holders, done;
  // Something is being changed, and nobody waits for it, of which only one can come to be.
  int changes, is_given_up;
  dbseal_secret_status status;
  dbseal_secret_work work;
} job;

static void wipe(void *bytes, size_t size) {
  volatile unsigned char *each = bytes;
  while (size-- > 0) *each++ = 0;
}

static void let_go(job *job) {
  pthread_mutex_lock(&job->lock);
  int left = --job->holders;
  pthread_mutex_unlock(&job->lock);
  if (left > 0) return;
  dbseal_secret_request *request = &job->work.request;
  if (request->secret != NULL) wipe((void *)request->secret, request->secret_size);
  free((void *)request->secret);
  free((void *)request->account);
  dbseal_secret_release(request);
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

static int may_change(void *context) {
  job *job = context;
  pthread_mutex_lock(&job->lock);
  int may = job->changes = !job->is_given_up;
  pthread_mutex_unlock(&job->lock);
  return may;
}

// What the thread does.
static void *run(void *argument) {
  job *job = argument;
  // Signals are for the thread that handles them, and not for those that the library starts.
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, NULL);
  dbseal_secret_status status = dbseal_secret_work_run(&job->work);
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

// Waits for the end of the job, or of the caller's patience. A change that was begun gets longer, because
// half of one helps nobody.
static dbseal_secret_status wait_for(job *job, dbseal_secret_request *request) {
  const int slice = 100;
  dbseal_secret_status status = DBSEAL_SECRET_DONE;
  pthread_mutex_lock(&job->lock);
  int waited = 0;
  for (; !job->done; waited += slice) {
    await(job, slice);
    if (job->done) break;
    if (request->stop != NULL && request->stop(request->stop_context) != 0) {
      status = DBSEAL_SECRET_STOPPED;
    } else if (waited >= request->milliseconds) {
      status = DBSEAL_SECRET_TIMED_OUT;
    }
    if (status == DBSEAL_SECRET_DONE) continue;
    job->is_given_up = !job->changes;
    if (job->changes) {
      await(job, 5000);
      status = job->done ? DBSEAL_SECRET_DONE : DBSEAL_SECRET_UNANSWERED;
    }
    break;
  }
  if (status == DBSEAL_SECRET_DONE) {
    status = job->status;
    // The service gave up before the caller did.
    if (status == DBSEAL_SECRET_TIMED_OUT) request->milliseconds = waited;
    request->answer = job->work.request.answer;
    request->answer_size = job->work.request.answer_size;
    job->work.request.answer = NULL;
    memcpy(request->message, job->work.request.message, sizeof request->message);
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
  made->work.lib = lib;
  made->work.request = *request;
  dbseal_secret_request *own = &made->work.request;
  own->secret = request->secret ? dbseal_secret_copy(request->secret, request->secret_size) : NULL;
  own->account =
      request->account ? dbseal_secret_copy(request->account, strlen(request->account)) : NULL;
  made->work.may_change = may_change;
  made->work.context = made;
  return made;
}

dbseal_secret_status dbseal_secret_run(dbseal_secret_request *request) {
  request->answer = NULL;
  request->answer_size = 0;
  request->message[0] = 0;
  const dbseal_libsecret *lib = dbseal_libsecret_load();
  if (lib == NULL) {
    const char *flaw = dbseal_libsecret_flaw();
    if (flaw == NULL) return DBSEAL_SECRET_NO_LIBRARY;
    strncpy(request->message, flaw, sizeof request->message - 1);
    return DBSEAL_SECRET_FAILED;
  }
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
