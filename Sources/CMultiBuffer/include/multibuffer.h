// Many pages at once: AES-256-CBC and HMAC over 8 or 16 independent pages side by side, by Intel's
// multi-buffer library (libipsec-mb), where it was there when this was built and the processor has
// what it needs. Where it was not, everything here says "no", and libcrypto does the work. Many keys
// at once are another matter, which needs no library: derivation.h.
//
// A run is `count` consecutive pages of `page_size` bytes. On disk a page is
//   [plain start][ciphertext to `usable`][IV 16][tag]
// and the tag covers ciphertext, IV and four bytes of page number. The plain start of the first
// page of a run is `first_start` bytes, that of all others is empty.
#ifndef DBSEAL_MULTIBUFFER_H
#define DBSEAL_MULTIBUFFER_H
#include <stdint.h>

// Hash of the tags.
enum dbseal_mb_hash {
  DBSEAL_MB_NONE = 0,
  DBSEAL_MB_SHA1 = 1,
  DBSEAL_MB_SHA256 = 256,
  DBSEAL_MB_SHA512 = 512
};

// Name and version of the library and its code path, such as "ipsec-mb 1.3.0 (AVX512)"; NULL where
// it is not built in or this processor lacks what it needs.
const char *dbseal_mb_name(void);

// The keys of one database, ready to use. For one thread at a time.
typedef struct dbseal_mb dbseal_mb;

// `key` is 32 bytes; `mac_key` is at most one block of the hash, and not read without one. NULL
// where the library is not there or refuses. Freed keys are wiped.
dbseal_mb *dbseal_mb_new(const void *key, const void *mac_key, int mac_key_length,
                         enum dbseal_mb_hash hash);
void dbseal_mb_free(dbseal_mb *self);

typedef struct dbseal_mb_run {
  uint8_t *pages;
  uint32_t page_size;
  uint32_t usable;
  uint32_t count;
  uint32_t first_start;
  // The page number of each page, as the four bytes in memory that the tag covers.
  const uint32_t *numbers;
} dbseal_mb_run;

// Encrypts and tags all pages in place. IVs stand in the pages already. 1 on success.
int dbseal_mb_seal(dbseal_mb *self, const dbseal_mb_run *run);

// Writes the tags that the pages should have to `tags`, 64 bytes apart. The pages are used as room
// meanwhile and are as before afterwards. 1 on success.
int dbseal_mb_tags(dbseal_mb *self, const dbseal_mb_run *run, uint8_t *tags);

// Decrypts in place those pages whose byte in `wanted` is not 0. 1 on success.
int dbseal_mb_decrypt(dbseal_mb *self, const dbseal_mb_run *run, const uint8_t *wanted);
#endif
