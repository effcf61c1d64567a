// The calls into libipsec-mb. In C because the library is driven by jobs, structures of a few
// hundred bytes that are filled for each page.
#include "multibuffer.h"
#include <stddef.h>

#ifdef DBSEAL_MULTIBUFFER
#include <intel-ipsec-mb.h>
#include <stdlib.h>
#include <string.h>

enum { IV_LENGTH = 16, NUMBER_LENGTH = 4, TAG_ROOM = 64, HASH_ROOM = 64, BLOCK_ROOM = 128 };

struct dbseal_mb {
  DECLARE_ALIGNED(uint8_t encrypt[15 * 16], 64);
  DECLARE_ALIGNED(uint8_t decrypt[15 * 16], 64);
  DECLARE_ALIGNED(uint8_t inner[HASH_ROOM], 64);
  DECLARE_ALIGNED(uint8_t outer[HASH_ROOM], 64);
  IMB_MGR *manager;
  IMB_HASH_ALG hash;
  unsigned tag_length;
};

// A manager for this processor, or NULL where it would be slower than libcrypto.
static IMB_MGR *new_manager(IMB_ARCH *arch) {
  IMB_MGR *manager = alloc_mb_mgr(0);
  if (!manager) return NULL;
  init_mb_mgr_auto(manager, arch);
  if (imb_get_errno(manager) != 0 || *arch < IMB_ARCH_AVX2) {
    free_mb_mgr(manager);
    return NULL;
  }
  return manager;
}

const char *dbseal_mb_name(void) {
  IMB_ARCH arch = IMB_ARCH_NONE;
  IMB_MGR *manager = new_manager(&arch);
  if (!manager) return NULL;
  free_mb_mgr(manager);
  return arch == IMB_ARCH_AVX512 ? "ipsec-mb " IMB_VERSION_STR " (AVX512)"
                                 : "ipsec-mb " IMB_VERSION_STR " (AVX2)";
}

// The states of the hash after the key's first block, which HMAC starts from (RFC 2104).
static int set_mac_key(dbseal_mb *self, const uint8_t *key, int length,
                       enum dbseal_mb_hash hash) {
  const size_t block = hash == DBSEAL_MB_SHA512 ? 128 : 64;
  if (length < 0 || (size_t)length > block) return 0;
  uint8_t padded[BLOCK_ROOM];
  for (int side = 0; side < 2; side++) {
    memset(padded, side ? 0x5c : 0x36, sizeof padded);
    for (int i = 0; i < length; i++) padded[i] ^= key[i];
    uint8_t *out = side ? self->outer : self->inner;
    switch (hash) {
    case DBSEAL_MB_SHA1: IMB_SHA1_ONE_BLOCK(self->manager, padded, out); break;
    case DBSEAL_MB_SHA256: IMB_SHA256_ONE_BLOCK(self->manager, padded, out); break;
    case DBSEAL_MB_SHA512: IMB_SHA512_ONE_BLOCK(self->manager, padded, out); break;
    case DBSEAL_MB_NONE: break;
    }
  }
  imb_clear_mem(padded, sizeof padded);
  return 1;
}

dbseal_mb *dbseal_mb_new(const void *key, const void *mac_key, int mac_key_length,
                         enum dbseal_mb_hash hash) {
  dbseal_mb *self = NULL;
  if (posix_memalign((void **)&self, 64, sizeof *self) != 0) return NULL;
  memset(self, 0, sizeof *self);
  IMB_ARCH arch = IMB_ARCH_NONE;
  self->manager = new_manager(&arch);
  if (!self->manager) {
    free(self);
    return NULL;
  }
  IMB_AES_KEYEXP_256(self->manager, key, self->encrypt, self->decrypt);
  switch (hash) {
  case DBSEAL_MB_SHA1: self->hash = IMB_AUTH_HMAC_SHA_1, self->tag_length = 20; break;
  case DBSEAL_MB_SHA256: self->hash = IMB_AUTH_HMAC_SHA_256, self->tag_length = 32; break;
  case DBSEAL_MB_SHA512: self->hash = IMB_AUTH_HMAC_SHA_512, self->tag_length = 64; break;
  case DBSEAL_MB_NONE: self->hash = IMB_AUTH_NULL; break;
  }
  if (hash != DBSEAL_MB_NONE && !set_mac_key(self, mac_key, mac_key_length, hash)) {
    dbseal_mb_free(self);
    return NULL;
  }
  return self;
}

void dbseal_mb_free(dbseal_mb *self) {
  if (!self) return;
  // Expanded keys pass through the manager's own memory.
  imb_clear_mem(self->manager, imb_get_mb_mgr_size());
  free_mb_mgr(self->manager);
  imb_clear_mem(self, sizeof *self);
  free(self);
}

// What stands in the reserve behind the IV while a page is hashed.
static void put_number(uint8_t *page, const dbseal_mb_run *run, uint32_t index) {
  memcpy(page + run->usable + IV_LENGTH, &run->numbers[index], NUMBER_LENGTH);
}

static uint32_t start_of(const dbseal_mb_run *run, uint32_t index) {
  return index == 0 ? run->first_start : 0;
}

// Submits what the caller filled in; counts finished jobs in `done`, 0 for one that failed.
static int submit(dbseal_mb *self, uint32_t *done) {
  IMB_JOB *job = IMB_SUBMIT_JOB(self->manager);
  while (job) {
    if (job->status != IMB_STATUS_COMPLETED) return 0;
    ++*done;
    job = IMB_GET_COMPLETED_JOB(self->manager);
  }
  return imb_get_errno(self->manager) == 0;
}

// Waits for the rest; whether all of `submitted` were done.
static int finish(dbseal_mb *self, uint32_t submitted, uint32_t done, int ok) {
  IMB_JOB *job;
  // Also after a failure: what is under way points into the caller's memory.
  while ((job = IMB_FLUSH_JOB(self->manager)) != NULL) {
    if (job->status != IMB_STATUS_COMPLETED) ok = 0;
    done++;
  }
  return ok && done == submitted;
}

static void fill_cipher(dbseal_mb *self, IMB_JOB *job, uint8_t *page, uint32_t start,
                        const dbseal_mb_run *run, IMB_CIPHER_DIRECTION direction) {
  job->cipher_mode = IMB_CIPHER_CBC;
  job->cipher_direction = direction;
  job->key_len_in_bytes = 32;
  job->enc_keys = self->encrypt;
  job->dec_keys = self->decrypt;
  job->src = page;
  job->dst = page + start;
  job->cipher_start_src_offset_in_bytes = start;
  job->msg_len_to_cipher_in_bytes = run->usable - start;
  job->iv = page + run->usable;
  job->iv_len_in_bytes = IV_LENGTH;
}

static void fill_hash(dbseal_mb *self, IMB_JOB *job, uint8_t *page, uint32_t start,
                      const dbseal_mb_run *run, uint8_t *tag) {
  job->hash_alg = self->hash;
  job->src = page;
  job->hash_start_src_offset_in_bytes = start;
  job->msg_len_to_hash_in_bytes = run->usable - start + IV_LENGTH + NUMBER_LENGTH;
  job->auth_tag_output = tag;
  job->auth_tag_output_len_in_bytes = self->tag_length;
  job->u.HMAC._hashed_auth_key_xor_ipad = self->inner;
  job->u.HMAC._hashed_auth_key_xor_opad = self->outer;
}

int dbseal_mb_seal(dbseal_mb *self, const dbseal_mb_run *run) {
  uint32_t done = 0, index = 0;
  int ok = 1;
  for (; ok && index < run->count; index++) {
    uint8_t *page = run->pages + (size_t)index * run->page_size;
    const uint32_t start = start_of(run, index);
    IMB_JOB *job = IMB_GET_NEXT_JOB(self->manager);
    fill_cipher(self, job, page, start, run, IMB_DIR_ENCRYPT);
    job->chain_order = IMB_ORDER_CIPHER_HASH;
    job->hash_alg = IMB_AUTH_NULL;
    if (self->tag_length) {
      put_number(page, run, index);
      fill_hash(self, job, page, start, run, page + run->usable + IV_LENGTH);
    }
    ok = submit(self, &done);
  }
  return finish(self, index, done, ok);
}

int dbseal_mb_tags(dbseal_mb *self, const dbseal_mb_run *run, uint8_t *tags) {
  // While a page is hashed its number stands where its tag begins.
  uint8_t saved[IMB_MAX_BURST_SIZE][NUMBER_LENGTH];
  int ok = self->tag_length > 0;
  for (uint32_t first = 0; ok && first < run->count; first += IMB_MAX_BURST_SIZE) {
    const uint32_t left = run->count - first;
    const uint32_t count = left < IMB_MAX_BURST_SIZE ? left : IMB_MAX_BURST_SIZE;
    uint32_t done = 0, index = 0;
    for (; ok && index < count; index++) {
      uint8_t *page = run->pages + (size_t)(first + index) * run->page_size;
      memcpy(saved[index], page + run->usable + IV_LENGTH, NUMBER_LENGTH);
      put_number(page, run, first + index);
      IMB_JOB *job = IMB_GET_NEXT_JOB(self->manager);
      job->cipher_mode = IMB_CIPHER_NULL;
      job->cipher_direction = IMB_DIR_ENCRYPT;
      job->chain_order = IMB_ORDER_HASH_CIPHER;
      fill_hash(self, job, page, start_of(run, first + index), run,
                tags + (size_t)(first + index) * TAG_ROOM);
      ok = submit(self, &done);
    }
    ok = finish(self, index, done, ok);
    while (index-- > 0) {
      uint8_t *page = run->pages + (size_t)(first + index) * run->page_size;
      memcpy(page + run->usable + IV_LENGTH, saved[index], NUMBER_LENGTH);
    }
  }
  return ok;
}

int dbseal_mb_decrypt(dbseal_mb *self, const dbseal_mb_run *run, const uint8_t *wanted) {
  uint32_t done = 0, submitted = 0;
  int ok = 1;
  for (uint32_t index = 0; ok && index < run->count; index++) {
    if (!wanted[index]) continue;
    uint8_t *page = run->pages + (size_t)index * run->page_size;
    IMB_JOB *job = IMB_GET_NEXT_JOB(self->manager);
    fill_cipher(self, job, page, start_of(run, index), run, IMB_DIR_DECRYPT);
    job->chain_order = IMB_ORDER_CIPHER_HASH;
    job->hash_alg = IMB_AUTH_NULL;
    ok = submit(self, &done);
    submitted++;
  }
  return finish(self, submitted, done, ok);
}

#else

const char *dbseal_mb_name(void) { return NULL; }
dbseal_mb *dbseal_mb_new(const void *key, const void *mac_key, int mac_key_length,
                         enum dbseal_mb_hash hash) {
  (void)key, (void)mac_key, (void)mac_key_length, (void)hash;
  return NULL;
}
void dbseal_mb_free(dbseal_mb *self) { (void)self; }
int dbseal_mb_seal(dbseal_mb *self, const dbseal_mb_run *run) {
  (void)self, (void)run;
  return 0;
}
int dbseal_mb_tags(dbseal_mb *self, const dbseal_mb_run *run, uint8_t *tags) {
  (void)self, (void)run, (void)tags;
  return 0;
}
int dbseal_mb_decrypt(dbseal_mb *self, const dbseal_mb_run *run, const uint8_t *wanted) {
  (void)self, (void)run, (void)wanted;
  return 0;
}

#endif
