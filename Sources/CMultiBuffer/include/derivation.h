// PBKDF2-HMAC (RFC 8018) of one passphrase or several. Each of the rounds is two compressions of a
// hash whose input is one block, so libcrypto's compression functions are called directly, which
// takes 44 to 63 % of the time of PKCS5_PBKDF2_HMAC with its context to copy for each hash. Several
// derivations with SHA-512 or SHA-1 run side by side in the lanes of vectors where the processor has
// AVX2 or AVX-512: sixteen with SHA-512 then take about as long as three one after the other. SHA-256
// is nobody's default, and processors have instructions for it: one by one.
#ifndef DBSEAL_DERIVATION_H
#define DBSEAL_DERIVATION_H
#include "multibuffer.h"
#include <stdint.h>

typedef struct dbseal_derivation {
  const uint8_t *password;
  uint32_t password_length;
  const uint8_t *salt;
  uint32_t salt_length;
  // Where the key goes.
  uint8_t *key;
  uint32_t key_length;
} dbseal_derivation;

// Which code runs; every one gives the same bytes.
enum dbseal_derivation_code {
  DBSEAL_DERIVE_ONE_BY_ONE = 0,
  DBSEAL_DERIVE_AVX2 = 1,
  DBSEAL_DERIVE_AVX512 = 2
};

// The fastest that this processor can run.
enum dbseal_derivation_code dbseal_derivation_best(void);

// How many derivations with that hash are best given together; 1 where one costs as much alone.
uint32_t dbseal_derivation_width(enum dbseal_mb_hash hash, enum dbseal_derivation_code code);

// Asked now and then, a few times in a tenth of a second. Where it answers other than 0 the work ends
// at once, and what was written is no key.
typedef struct dbseal_derivation_stop {
  int (*asked)(const void *context);
  const void *context;
} dbseal_derivation_stop;

// Derives `count` keys with `rounds` rounds each, in at most that code, until `stop` (which may be
// NULL) says otherwise. 1 on success; 0 where libcrypto has no such functions, and then no key is
// written.
int dbseal_derive(enum dbseal_mb_hash hash, uint32_t rounds, enum dbseal_derivation_code code,
                  const dbseal_derivation *wanted, uint32_t count,
                  const dbseal_derivation_stop *stop);
#endif
