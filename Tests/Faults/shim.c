// One seam over the system calls that a program makes on files, dbseal's own and SQLite's alike:
// preloaded into the real binary, it counts the calls that concern files below one folder, and has
// the n-th call of a name fail, come short, or kill the process, has it stop there to be looked at, or
// has somebody else come in between. With a record it also writes down what was done, with the bytes,
// so that a power cut can be played later.
//
//   SHIM_ROOT    the folder, absolute; other files are left alone
//   SHIM_CALL    name of the call, or `any`; `create` is an open that may make a file, `exit` the end
//   SHIM_AT      which of them, from 1
//   SHIM_DO      an errno as a number, `short`, `kill`, `stop`, or `!` and a line for the shell, which
//                is run just before the call with $SHIM_PATH the name that the call is about
//   SHIM_ROOMY   set: the file system says that it has plenty of room, as before others filled it
//   SHIM_RECORD  file that gets a line for each call, and the bytes behind each line of a write
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#define FILES 4096
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *names[FILES];  // of an open descriptor below the root
static const char *root, *wanted, *action;
static long at, count;
static int record = -1;

#define REAL(name) ((typeof(&name))real(#name))
static void *real(const char *name) {
  void *found = dlsym(RTLD_NEXT, name);
  if (!found) abort();
  return found;
}

__attribute__((constructor)) static void start(void) {
  root = getenv("SHIM_ROOT");
  wanted = getenv("SHIM_CALL");
  action = getenv("SHIM_DO");
  const char *number = getenv("SHIM_AT");
  at = number ? atol(number) : 0;
  const char *path = getenv("SHIM_RECORD");
  if (path) record = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_APPEND | O_CREAT, 0600);
  unsetenv("LD_PRELOAD");  // a key command is another program
}

static int meet(const char *call, const char *path);
__attribute__((destructor)) static void end(void) { meet("exit", root); }

// The name below the root, or NULL.
static const char *below(const char *path) {
  static __thread char whole[8192];
  if (!root || !path) return NULL;
  if (path[0] != '/') {
    if (!getcwd(whole, 4096)) return NULL;
    strcat(whole, "/");
    strncat(whole, path, 4090);
    path = whole;
  }
  size_t length = strlen(root);
  if (strncmp(path, root, length) != 0) return NULL;
  return path[length] == '/' || path[length] == 0 ? path : NULL;
}

static const char *name_of(int fd) { return fd >= 0 && fd < FILES ? names[fd] : NULL; }

static void note(const char *call, const char *path, const char *other, long long offset,
                 const void *bytes, size_t size) {
  if (record < 0) return;
  char line[9000];
  int length = snprintf(line, sizeof line, "%s\t%s\t%s\t%lld\t%zu\n", call, path,
                        other ? other : "", offset, bytes ? size : 0);
  syscall(SYS_write, record, line, (size_t)length);
  if (bytes) syscall(SYS_write, record, bytes, size);
}

// What becomes of this call: 0 as usual, -1 failed with errno, 1 short. `path` NULL: not ours.
static int meet(const char *call, const char *path) {
  if (!path) return 0;
  if (!wanted || (strcmp(wanted, call) != 0 && strcmp(wanted, "any") != 0)) return 0;
  if (strcmp(wanted, "any") == 0 && strcmp(call, "exit") == 0) return 0;
  pthread_mutex_lock(&lock);
  long number = ++count;
  pthread_mutex_unlock(&lock);
  if (number != at || !action) return 0;
  note("FAULT", path, call, 0, NULL, 0);
  if (strcmp(action, "kill") == 0) {
    syscall(SYS_kill, getpid(), SIGKILL);
    pause();
  }
  if (strcmp(action, "stop") == 0) {
    syscall(SYS_kill, getpid(), SIGSTOP);
    return 0;
  }
  if (action[0] == '!') {
    setenv("SHIM_PATH", path, 1);
    if (system(action + 1) != 0) abort();
    return 0;
  }
  if (strcmp(action, "short") == 0) return 1;
  errno = atoi(action);
  return -1;
}

static int opened(int fd, const char *path, int flags) {
  if (fd >= 0 && fd < FILES && path) {
    names[fd] = strdup(path);
    struct stat status;
    long long mode = REAL(fstat)(fd, &status) == 0 ? (long long)(status.st_mode & 07777) : -1;
    note(flags & O_CREAT ? "create" : "open", path, NULL, mode, NULL, 0);
  }
  return fd;
}

// The name of an open: for who asks for those that may make a file, these alone have it.
static const char *creating(int flags) {
  return flags & O_CREAT && wanted && strcmp(wanted, "create") == 0 ? "create" : "open";
}

#define OPEN(name, ...)                                             \
  mode_t mode = 0;                                                  \
  if (flags & (O_CREAT | O_TMPFILE)) {                              \
    va_list list;                                                   \
    va_start(list, flags);                                          \
    mode = va_arg(list, mode_t);                                    \
    va_end(list);                                                   \
  }                                                                 \
  const char *ours = below(path);                                   \
  if (meet(creating(flags), ours) < 0) return -1;                   \
  return opened(REAL(name)(__VA_ARGS__, flags, mode), ours, flags);

int open(const char *path, int flags, ...) { OPEN(open, path) }
int open64(const char *path, int flags, ...) { OPEN(open64, path) }
int openat(int at_fd, const char *path, int flags, ...) { OPEN(openat, at_fd, path) }
int openat64(int at_fd, const char *path, int flags, ...) { OPEN(openat64, at_fd, path) }

int close(int fd) {
  if (fd >= 0 && fd < FILES && names[fd]) {
    free(names[fd]);
    names[fd] = NULL;
  }
  return REAL(close)(fd);
}

// Half of what was asked for, at least a byte.
static size_t part(int fate, size_t size) { return fate == 1 && size > 1 ? size / 2 : size; }

ssize_t read(int fd, void *bytes, size_t size) {
  int fate = meet("read", name_of(fd));
  return fate < 0 ? -1 : REAL(read)(fd, bytes, part(fate, size));
}
ssize_t pread(int fd, void *bytes, size_t size, off_t offset) {
  int fate = meet("read", name_of(fd));
  return fate < 0 ? -1 : REAL(pread)(fd, bytes, part(fate, size), offset);
}
ssize_t pread64(int fd, void *bytes, size_t size, off64_t offset) {
  int fate = meet("read", name_of(fd));
  return fate < 0 ? -1 : REAL(pread64)(fd, bytes, part(fate, size), offset);
}

static ssize_t written(int fd, const void *bytes, ssize_t size, long long offset) {
  if (size > 0 && name_of(fd)) note("write", name_of(fd), NULL, offset, bytes, (size_t)size);
  return size;
}
ssize_t write(int fd, const void *bytes, size_t size) {
  int fate = meet("write", name_of(fd));
  if (fate < 0) return -1;
  long long offset = name_of(fd) ? (long long)lseek(fd, 0, SEEK_CUR) : 0;
  return written(fd, bytes, REAL(write)(fd, bytes, part(fate, size)), offset);
}
ssize_t pwrite(int fd, const void *bytes, size_t size, off_t offset) {
  int fate = meet("write", name_of(fd));
  if (fate < 0) return -1;
  return written(fd, bytes, REAL(pwrite)(fd, bytes, part(fate, size), offset), offset);
}
ssize_t pwrite64(int fd, const void *bytes, size_t size, off64_t offset) {
  int fate = meet("write", name_of(fd));
  if (fate < 0) return -1;
  return written(fd, bytes, REAL(pwrite64)(fd, bytes, part(fate, size), offset), offset);
}

// Calls on a descriptor that answer 0.
#define ON_FILE(name, call, proto, args)          \
  int name proto {                                \
    if (meet(call, name_of(fd)) < 0) return -1;   \
    int done = REAL(name) args;                   \
    if (done == 0 && name_of(fd)) note(call, name_of(fd), NULL, 0, NULL, 0); \
    return done;                                  \
  }
ON_FILE(fsync, "sync", (int fd), (fd))
ON_FILE(fdatasync, "sync", (int fd), (fd))
int fchmod(int fd, mode_t mode) {
  if (meet("chmod", name_of(fd)) < 0) return -1;
  int done = REAL(fchmod)(fd, mode);
  if (done == 0 && name_of(fd)) note("chmod", name_of(fd), NULL, mode, NULL, 0);
  return done;
}
ON_FILE(fchown, "chown", (int fd, uid_t user, gid_t group), (fd, user, group))
ON_FILE(fallocate, "reserve", (int fd, int mode, off_t from, off_t size), (fd, mode, from, size))
ON_FILE(sync_file_range, "writeback", (int fd, off64_t from, off64_t size, unsigned flags),
        (fd, from, size, flags))

static int cut(int fd, int done, long long size) {
  if (done == 0 && name_of(fd)) note("truncate", name_of(fd), NULL, size, NULL, 0);
  return done;
}
int ftruncate(int fd, off_t size) {
  return meet("truncate", name_of(fd)) < 0 ? -1 : cut(fd, REAL(ftruncate)(fd, size), size);
}
int ftruncate64(int fd, off64_t size) {
  return meet("truncate", name_of(fd)) < 0 ? -1 : cut(fd, REAL(ftruncate64)(fd, size), size);
}

// Status of a descriptor or a name.
#define STATUS_OF_FILE(name, type)                 \
  int name(int fd, struct type *status) {          \
    if (meet("stat", name_of(fd)) < 0) return -1;  \
    return REAL(name)(fd, status);                 \
  }
#define STATUS_OF_NAME(name, type)                           \
  int name(const char *path, struct type *status) {          \
    if (meet("stat", below(path)) < 0) return -1;            \
    return REAL(name)(path, status);                         \
  }
STATUS_OF_FILE(fstat, stat)
STATUS_OF_FILE(fstat64, stat64)
STATUS_OF_NAME(stat, stat)
STATUS_OF_NAME(stat64, stat64)
STATUS_OF_NAME(lstat, stat)
STATUS_OF_NAME(lstat64, stat64)
int fstatat(int at_fd, const char *path, struct stat *status, int flags) {
  return meet("stat", below(path)) < 0 ? -1 : REAL(fstatat)(at_fd, path, status, flags);
}
int statvfs(const char *path, struct statvfs *status) {
  const char *ours = below(path);
  if (meet("stat", ours) < 0) return -1;
  int done = REAL(statvfs)(path, status);
  if (ours && getenv("SHIM_ROOMY")) status->f_bavail = (fsblkcnt_t)1 << 30;
  return done;
}
int access(const char *path, int mode) {
  return meet("stat", below(path)) < 0 ? -1 : REAL(access)(path, mode);
}

// Changes of names.
#define NAMES(call, path, other, done)                              \
  const char *mine = below(path);                                   \
  char *kept = mine ? strdup(mine) : NULL;                          \
  if (meet(call, kept) < 0) return -1;                              \
  int result = (done);                                              \
  if (result == 0 && kept) note(call, kept, other, 0, NULL, 0);     \
  free(kept);                                                       \
  return result;

int rename(const char *from, const char *to) { NAMES("rename", from, to, REAL(rename)(from, to)) }
int renameat(int from_fd, const char *from, int to_fd, const char *to) {
  NAMES("rename", from, to, REAL(renameat)(from_fd, from, to_fd, to))
}
int link(const char *from, const char *to) { NAMES("link", from, to, REAL(link)(from, to)) }
int symlink(const char *from, const char *to) { NAMES("link", to, from, REAL(symlink)(from, to)) }
int unlink(const char *path) { NAMES("unlink", path, NULL, REAL(unlink)(path)) }
int linkat(int from_fd, const char *from, int to_fd, const char *to, int flags) {
  NAMES("link", from, to, REAL(linkat)(from_fd, from, to_fd, to, flags))
}
int unlinkat(int at_fd, const char *path, int flags) {
  NAMES("unlink", path, NULL, REAL(unlinkat)(at_fd, path, flags))
}
int mkdir(const char *path, mode_t mode) { NAMES("mkdir", path, NULL, REAL(mkdir)(path, mode)) }

long syscall(long number, ...) {
  va_list list;
  va_start(list, number);
  long a[6];
  for (int i = 0; i < 6; i++) a[i] = va_arg(list, long);
  va_end(list);
  long (*call)(long, ...) = (long (*)(long, ...))real("syscall");
  if (number == SYS_renameat2) {
    const char *from = (const char *)a[1], *to = (const char *)a[3];
    const char *mine = below(from);
    char *kept = mine ? strdup(mine) : NULL;
    if (meet("rename", kept) < 0) return -1;
    long done = call(number, a[0], a[1], a[2], a[3], a[4], a[5]);
    if (done == 0 && kept) note("rename", kept, to, 0, NULL, 0);
    free(kept);
    return done;
  }
  return call(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

ssize_t readlink(const char *path, char *bytes, size_t size) {
  return meet("stat", below(path)) < 0 ? -1 : REAL(readlink)(path, bytes, size);
}
ssize_t flistxattr(int fd, char *list, size_t size) {
  return meet("xattr", name_of(fd)) < 0 ? -1 : REAL(flistxattr)(fd, list, size);
}
ssize_t fgetxattr(int fd, const char *name, void *value, size_t size) {
  return meet("xattr", name_of(fd)) < 0 ? -1 : REAL(fgetxattr)(fd, name, value, size);
}
int fsetxattr(int fd, const char *name, const void *value, size_t size, int flags) {
  return meet("xattr", name_of(fd)) < 0 ? -1 : REAL(fsetxattr)(fd, name, value, size, flags);
}

DIR *opendir(const char *path) { return meet("list", below(path)) < 0 ? NULL : REAL(opendir)(path); }

void *mmap(void *place, size_t size, int access, int flags, int fd, off_t offset) {
  if (fd >= 0 && meet("map", name_of(fd)) < 0) return MAP_FAILED;
  return (void *)(intptr_t)((long (*)(long, ...))real("syscall"))(
      SYS_mmap, place, size, (long)access, (long)flags, (long)fd, offset);
}
void *mmap64(void *place, size_t size, int access, int flags, int fd, off64_t offset) {
  return mmap(place, size, access, flags, fd, offset);
}
