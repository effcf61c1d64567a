// What of the system Swift's own C module hides: open-file-description locks, extended attributes,
// hints to the file system, settings of the process, sockets without a file, and the kernel's keyrings.
// Declarations only, so there is nothing to build.
#ifndef DBSEAL_CSYSTEM_SHIM_H
#define DBSEAL_CSYSTEM_SHIM_H
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>
#include <sys/xattr.h>
#include <unistd.h>
#if defined(__linux__)
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#endif
#if defined(__GLIBC__)
#include <malloc.h>
#endif

// Where the next data from `offset` on stands; -1 and ENXIO where only a hole follows.
static inline long long dbseal_seek_data(int fd, long long offset) {
#if defined(__linux__)
  return (long long)lseek(fd, (off_t)offset, 3 /* SEEK_DATA, which needs _GNU_SOURCE */);
#elif defined(SEEK_DATA)
  return (long long)lseek(fd, (off_t)offset, SEEK_DATA);
#else
  errno = EINVAL;
  return -1;
#endif
}

// Locks that belong to the open file and not to the process, so that closing another descriptor of
// the same file does not drop them (fcntl(2), "Open file description locks").
#if defined(__linux__)
#define DBSEAL_OFD_GETLK 36
#define DBSEAL_OFD_SETLK 37
#elif defined(__APPLE__)
#define DBSEAL_OFD_GETLK 92
#define DBSEAL_OFD_SETLK 90
#else
#define DBSEAL_OFD_GETLK F_GETLK
#define DBSEAL_OFD_SETLK F_SETLK
#endif

static inline int dbseal_lock(int fd, short type, long long start, long long length) {
  struct flock lock = {0};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = (off_t)start;
  lock.l_len = (off_t)length;
  int result = fcntl(fd, DBSEAL_OFD_SETLK, &lock);
  if (result != 0 && errno == EINVAL) result = fcntl(fd, F_SETLK, &lock);
  return result;
}

// 1: somebody else's lock is in the way of `type`; 0: none; -1: errno.
static inline int dbseal_lock_conflict(int fd, short type, long long start, long long length) {
  struct flock lock = {0};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = (off_t)start;
  lock.l_len = (off_t)length;
  int result = fcntl(fd, DBSEAL_OFD_GETLK, &lock);
  if (result != 0 && errno == EINVAL) {
    lock.l_type = type;
    result = fcntl(fd, F_GETLK, &lock);
  }
  if (result != 0) return -1;
  return lock.l_type == F_UNLCK ? 0 : 1;
}

// Linux has these two, and declares them for _GNU_SOURCE only.
#if defined(__linux__)
int fallocate(int fd, int mode, off_t offset, off_t length);
int sync_file_range(int fd, off_t offset, off_t length, unsigned int flags);
#endif

// Has room kept for `length` bytes of a file from `start` on and leaves its size as it is; a wish.
static inline void dbseal_reserve(int fd, long long start, long long length) {
#if defined(__linux__)
  int mode = 1;  // FALLOC_FL_KEEP_SIZE
  if (fallocate(fd, mode, (off_t)start, (off_t)length) != 0) errno = 0;
#endif
}

// Has what was written so far go to the device, without waiting for it; a wish.
static inline void dbseal_start_writeback(int fd) {
#if defined(__linux__)
  if (sync_file_range(fd, 0, 0, 2 /* SYNC_FILE_RANGE_WRITE */) != 0) errno = 0;
#endif
}

// No core file of this process, and no other process of the user may look into it.
static inline void dbseal_forbid_dumps(void) {
#if defined(__linux__)
  (void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
#endif
}

// Every descriptor from `first` on is closed in what this process executes; -1 where the kernel cannot.
static inline int dbseal_close_on_exec(unsigned first) {
#if defined(__linux__)
  return (int)syscall(436 /* close_range */, first, ~0U, 4 /* CLOSE_RANGE_CLOEXEC */);
#else
  (void)first;
  errno = ENOSYS;
  return -1;
#endif
}

// What children leave behind becomes a child of this process, and not of the first one.
static inline void dbseal_adopt_orphans(void) {
#if defined(__linux__)
  (void)prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
#endif
}

// All threads share one heap, where each would have address space of its own.
static inline void dbseal_share_heap(void) {
#if defined(__GLIBC__)
  (void)mallopt(M_ARENA_MAX, 1);
#endif
}

// Renames unless `new` exists (EEXIST); EINVAL or ENOSYS where the file system cannot.
static inline int dbseal_rename_exclusive(const char *old, const char *new_name) {
#if defined(__linux__) && defined(SYS_renameat2)
  return (int)syscall(SYS_renameat2, AT_FDCWD, old, AT_FDCWD, new_name, 1 /* RENAME_NOREPLACE */);
#elif defined(__APPLE__)
  return renamex_np(old, new_name, RENAME_EXCL);
#else
  errno = ENOSYS;
  return -1;
#endif
}

// A listening socket that has `name` to itself while it is open, or with `peer` one that is connected to
// whoever has it (unix(7), abstract sockets: no file, and gone with its process). -1 and errno; a name
// that is taken is EADDRINUSE. `uid`: whose the other end is.
static inline int dbseal_named_socket(const char *name, int peer, unsigned *uid) {
#if defined(__linux__)
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  size_t length = strlen(name);
  if (length >= sizeof address.sun_path) length = sizeof address.sun_path - 1;
  memcpy(address.sun_path + 1, name, length);
  socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + length);
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return -1;
  unsigned owner[3] = {0};  // struct ucred, which needs _GNU_SOURCE: pid, uid, gid
  socklen_t owner_size = sizeof owner;
  int result = peer ? connect(fd, (struct sockaddr *)&address, size)
                    : bind(fd, (struct sockaddr *)&address, size);
  if (result == 0)
    result = peer ? getsockopt(fd, SOL_SOCKET, SO_PEERCRED, owner, &owner_size) : listen(fd, 4096);
  if (result == 0) {
    *uid = owner[1];
    return fd;
  }
  int failure = errno;
  close(fd);
  errno = failure;
  return -1;
#else
  (void)name, (void)peer, (void)uid;
  errno = ENOSYS;
  return -1;
#endif
}

// The kernel's keyrings (add_key(2), keyctl(2)), without libkeyutils. -1 and errno where it fails;
// ENOSYS where there are none.
#define DBSEAL_KEYRING_PROCESS (-2)
#define DBSEAL_KEYRING_USER (-4)

static inline long dbseal_keyctl(int operation, long a, long b, long c, long d) {
#if defined(__linux__) && defined(SYS_keyctl)
  return syscall(SYS_keyctl, operation, a, b, c, d);
#else
  (void)operation, (void)a, (void)b, (void)c, (void)d;
  errno = ENOSYS;
  return -1;
#endif
}

// Links the keyring of the user into the one of the process, which makes its keys readable where the
// session's keyring is another (a service, cron). The process's own goes with the thread's children.
static inline long dbseal_keyring_possess(void) {
  return dbseal_keyctl(8 /* KEYCTL_LINK */, DBSEAL_KEYRING_USER, DBSEAL_KEYRING_PROCESS, 0, 0);
}

// The number of the key of type `user`.
static inline long dbseal_key_find(const char *description) {
  return dbseal_keyctl(
      10 /* KEYCTL_SEARCH */, DBSEAL_KEYRING_USER, (long)"user", (long)description, 0);
}

// Adds it, or gives it another payload; its number.
static inline long dbseal_key_add(const char *description, const void *payload, size_t size) {
#if defined(__linux__) && defined(SYS_add_key)
  return syscall(SYS_add_key, "user", description, payload, size, DBSEAL_KEYRING_USER);
#else
  (void)description, (void)payload, (void)size;
  errno = ENOSYS;
  return -1;
#endif
}

// The whole length of the payload, of which as much as fits is copied. Of a keyring: key numbers.
static inline long dbseal_key_read(long key, void *buffer, size_t size) {
  return dbseal_keyctl(11 /* KEYCTL_READ */, key, (long)buffer, (long)size, 0);
}

// `type;uid;gid;permissions;description`, as read.
static inline long dbseal_key_describe(long key, char *buffer, size_t size) {
  return dbseal_keyctl(6 /* KEYCTL_DESCRIBE */, key, (long)buffer, (long)size, 0);
}

static inline long dbseal_key_unlink(long key) {
  return dbseal_keyctl(9 /* KEYCTL_UNLINK */, key, DBSEAL_KEYRING_USER, 0, 0);
}

#if defined(__APPLE__)
static inline ssize_t dbseal_listxattr(int fd, char *names, size_t size) {
  return flistxattr(fd, names, size, 0);
}
static inline ssize_t dbseal_getxattr(int fd, const char *name, void *value, size_t size) {
  return fgetxattr(fd, name, value, size, 0, 0);
}
static inline int dbseal_setxattr(int fd, const char *name, const void *value, size_t size) {
  return fsetxattr(fd, name, value, size, 0, 0);
}
#else
static inline ssize_t dbseal_listxattr(int fd, char *names, size_t size) {
  return flistxattr(fd, names, size);
}
static inline ssize_t dbseal_getxattr(int fd, const char *name, void *value, size_t size) {
  return fgetxattr(fd, name, value, size);
}
static inline int dbseal_setxattr(int fd, const char *name, const void *value, size_t size) {
  return fsetxattr(fd, name, value, size, 0);
}
#endif
#endif
