// Key derivation: see derivation.h. Here are the three hashes, the vectors, and the choice.
#include "derivation.h"

// Deprecated since OpenSSL 3.0 in favour of contexts, which cost more than the hash itself here.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/opensslconf.h>

#ifndef OPENSSL_NO_DEPRECATED_3_0
#include <openssl/crypto.h>
#include <openssl/sha.h>
#include <string.h>

#define JOINED_(a, b) a##_##b
#define JOINED(a, b) JOINED_(a, b)
#define NAMED(part) JOINED(NAME, part)
#define LANED(part) JOINED(KERNEL, part)

// Rounds between two looks whether they are wanted still: some hundredths of a second.
enum { MAX_LANES = 32, PART = 16384 };

// One block of one key on its way: the states that HMAC starts from, the last HMAC, and the XOR of
// all of them.
#define DEFINE_LANE(name, word) \
  typedef struct { \
    word inner[8], outer[8], last[8], sum[8]; \
  } name##_lane; \
  static void name##_run(name##_lane *, uint32_t count, uint32_t rounds, \
                         enum dbseal_derivation_code)
DEFINE_LANE(sha1, uint32_t);
DEFINE_LANE(sha256, uint32_t);
DEFINE_LANE(sha512, uint64_t);

#define NAME sha1
#define CONTEXT SHA_CTX
#define WORD uint32_t
#define WORDS 5
#define BLOCK 64
#define HASH_INIT SHA1_Init
#define HASH_UPDATE SHA1_Update
#define HASH_FINAL SHA1_Final
#define HASH_TRANSFORM SHA1_Transform
#include "derivation_hash.h"

#define NAME sha256
#define CONTEXT SHA256_CTX
#define WORD uint32_t
#define WORDS 8
#define BLOCK 64
#define HASH_INIT SHA256_Init
#define HASH_UPDATE SHA256_Update
#define HASH_FINAL SHA256_Final
#define HASH_TRANSFORM SHA256_Transform
#include "derivation_hash.h"

#define NAME sha512
#define CONTEXT SHA512_CTX
#define WORD uint64_t
#define WORDS 8
#define BLOCK 128
#define HASH_INIT SHA512_Init
#define HASH_UPDATE SHA512_Update
#define HASH_FINAL SHA512_Final
#define HASH_TRANSFORM SHA512_Transform
#include "derivation_hash.h"

#define DEFINE_RUN_ONE_BY_ONE(name) \
  static void name##_run(name##_lane *lanes, uint32_t count, uint32_t rounds, \
                         enum dbseal_derivation_code code) { \
    (void)code; \
    for (uint32_t lane = 0; lane < count; lane++) name##_rounds(&lanes[lane], rounds); \
  }
DEFINE_RUN_ONE_BY_ONE(sha256)

#if defined(__x86_64__) && defined(__clang__)
#define HAS_VECTORS 1

// The first 64 bits of the fractional parts of the cube roots of the first 80 primes (FIPS 180-4).
static const uint64_t sha512_constants[80] = {
  0x428a2f98d728ae22ULL, 0x7137449123ef65cdULL, 0xb5c0fbcfec4d3b2fULL, 0xe9b5dba58189dbbcULL,
  0x3956c25bf348b538ULL, 0x59f111f1b605d019ULL, 0x923f82a4af194f9bULL, 0xab1c5ed5da6d8118ULL,
  0xd807aa98a3030242ULL, 0x12835b0145706fbeULL, 0x243185be4ee4b28cULL, 0x550c7dc3d5ffb4e2ULL,
  0x72be5d74f27b896fULL, 0x80deb1fe3b1696b1ULL, 0x9bdc06a725c71235ULL, 0xc19bf174cf692694ULL,
  0xe49b69c19ef14ad2ULL, 0xefbe4786384f25e3ULL, 0x0fc19dc68b8cd5b5ULL, 0x240ca1cc77ac9c65ULL,
  0x2de92c6f592b0275ULL, 0x4a7484aa6ea6e483ULL, 0x5cb0a9dcbd41fbd4ULL, 0x76f988da831153b5ULL,
  0x983e5152ee66dfabULL, 0xa831c66d2db43210ULL, 0xb00327c898fb213fULL, 0xbf597fc7beef0ee4ULL,
  0xc6e00bf33da88fc2ULL, 0xd5a79147930aa725ULL, 0x06ca6351e003826fULL, 0x142929670a0e6e70ULL,
  0x27b70a8546d22ffcULL, 0x2e1b21385c26c926ULL, 0x4d2c6dfc5ac42aedULL, 0x53380d139d95b3dfULL,
  0x650a73548baf63deULL, 0x766a0abb3c77b2a8ULL, 0x81c2c92e47edaee6ULL, 0x92722c851482353bULL,
  0xa2bfe8a14cf10364ULL, 0xa81a664bbc423001ULL, 0xc24b8b70d0f89791ULL, 0xc76c51a30654be30ULL,
  0xd192e819d6ef5218ULL, 0xd69906245565a910ULL, 0xf40e35855771202aULL, 0x106aa07032bbd1b8ULL,
  0x19a4c116b8d2d0c8ULL, 0x1e376c085141ab53ULL, 0x2748774cdf8eeb99ULL, 0x34b0bcb5e19b48a8ULL,
  0x391c0cb3c5c95a63ULL, 0x4ed8aa4ae3418acbULL, 0x5b9cca4f7763e373ULL, 0x682e6ff3d6b2b8a3ULL,
  0x748f82ee5defb2fcULL, 0x78a5636f43172f60ULL, 0x84c87814a1f0ab72ULL, 0x8cc702081a6439ecULL,
  0x90befffa23631e28ULL, 0xa4506cebde82bde9ULL, 0xbef9a3f7b2c67915ULL, 0xc67178f2e372532bULL,
  0xca273eceea26619cULL, 0xd186b8c721c0c207ULL, 0xeada7dd6cde0eb1eULL, 0xf57d4f7fee6ed178ULL,
  0x06f067aa72176fbaULL, 0x0a637dc5a2c898a6ULL, 0x113f9804bef90daeULL, 0x1b710b35131c471bULL,
  0x28db77f523047d84ULL, 0x32caab7b40c72493ULL, 0x3c9ebe0a15c9bebcULL, 0x431d67c49c100d4cULL,
  0x4cc5d4becb3e42b6ULL, 0x597f299cfc657e2aULL, 0x5fcb6fab3ad6faecULL, 0x6c44198c4a475817ULL};

#define NAME sha512
#define WORD uint64_t
#define WORDS 8
#define COMPRESS "sha512_compress.h"
#define KERNEL sha512_avx2
#define TARGET "avx2"
#define WIDTH 32
#define LANES 8
#include "derivation_lanes.h"

#define KERNEL sha512_narrow
#define TARGET "avx512f"
#define WIDTH 64
#define LANES 8
#include "derivation_lanes.h"

#define KERNEL sha512_wide
#define TARGET "avx512f"
#define WIDTH 64
#define LANES 16
#include "derivation_lanes.h"
#undef NAME
#undef WORD
#undef WORDS
#undef COMPRESS

#define NAME sha1
#define WORD uint32_t
#define WORDS 5
#define COMPRESS "sha1_compress.h"
#define KERNEL sha1_avx2
#define TARGET "avx2"
#define WIDTH 32
#define LANES 8
#include "derivation_lanes.h"

#define KERNEL sha1_narrow
#define TARGET "avx512f"
#define WIDTH 64
#define LANES 16
#include "derivation_lanes.h"

#define KERNEL sha1_wide
#define TARGET "avx512f"
#define WIDTH 64
#define LANES 32
#include "derivation_lanes.h"
#undef NAME
#undef WORD
#undef WORDS
#undef COMPRESS

// Keys on their way were in the vectors' places on the stack: the next call goes over them.
__attribute__((noinline)) static void clean_stack(void) {
  uint8_t room[16384];
  OPENSSL_cleanse(room, sizeof room);
}
#endif

// Lanes go through the vectors, and the few that are left one by one, because a vector costs the
// same for one lane as for all. How many are few, with AVX2 and with AVX-512, was measured.
#ifdef HAS_VECTORS
#define DEFINE_RUN(name, few_avx2, few_avx512) \
  static void name##_run(name##_lane *lanes, uint32_t count, uint32_t rounds, \
                         enum dbseal_derivation_code code) { \
    const uint32_t few = code == DBSEAL_DERIVE_AVX512 ? few_avx512 : few_avx2; \
    uint32_t done = 0; \
    while (code != DBSEAL_DERIVE_ONE_BY_ONE && count - done > few) { \
      const uint32_t most = code == DBSEAL_DERIVE_AVX512 ? name##_wide_COUNT : name##_avx2_COUNT; \
      const uint32_t taken = count - done < most ? count - done : most; \
      if (code == DBSEAL_DERIVE_AVX2) \
        name##_avx2_rounds(lanes + done, taken, rounds); \
      else if (taken <= name##_narrow_COUNT) \
        name##_narrow_rounds(lanes + done, taken, rounds); \
      else \
        name##_wide_rounds(lanes + done, taken, rounds); \
      clean_stack(); \
      done += taken; \
    } \
    for (; done < count; done++) name##_rounds(&lanes[done], rounds); \
  }
DEFINE_RUN(sha1, 3, 2)
DEFINE_RUN(sha512, 5, 2)
#else
DEFINE_RUN_ONE_BY_ONE(sha1)
DEFINE_RUN_ONE_BY_ONE(sha512)
#endif

enum dbseal_derivation_code dbseal_derivation_best(void) {
#ifdef HAS_VECTORS
  if (__builtin_cpu_supports("avx512f")) return DBSEAL_DERIVE_AVX512;
  if (__builtin_cpu_supports("avx2")) return DBSEAL_DERIVE_AVX2;
#endif
  return DBSEAL_DERIVE_ONE_BY_ONE;
}

uint32_t dbseal_derivation_width(enum dbseal_mb_hash hash, enum dbseal_derivation_code code) {
  // A key of 32 bytes is two blocks of SHA-1.
  if (hash == DBSEAL_MB_SHA1 && code == DBSEAL_DERIVE_AVX2) return 4;
  if (code == DBSEAL_DERIVE_ONE_BY_ONE || (hash != DBSEAL_MB_SHA512 && hash != DBSEAL_MB_SHA1))
    return 1;
  return code == DBSEAL_DERIVE_AVX512 ? 16 : 8;
}

int dbseal_derive(enum dbseal_mb_hash hash, uint32_t rounds, enum dbseal_derivation_code code,
                  const dbseal_derivation *wanted, uint32_t count,
                  const dbseal_derivation_stop *stop) {
  const enum dbseal_derivation_code best = dbseal_derivation_best();
  if (code > best) code = best;
  switch (hash) {
  case DBSEAL_MB_SHA1: sha1_derive(wanted, count, rounds, code, stop); return 1;
  case DBSEAL_MB_SHA256: sha256_derive(wanted, count, rounds, code, stop); return 1;
  case DBSEAL_MB_SHA512: sha512_derive(wanted, count, rounds, code, stop); return 1;
  case DBSEAL_MB_NONE: return 0;
  }
  return 0;
}

#else

enum dbseal_derivation_code dbseal_derivation_best(void) { return DBSEAL_DERIVE_ONE_BY_ONE; }

uint32_t dbseal_derivation_width(enum dbseal_mb_hash hash, enum dbseal_derivation_code code) {
  (void)hash, (void)code;
  return 1;
}

int dbseal_derive(enum dbseal_mb_hash hash, uint32_t rounds, enum dbseal_derivation_code code,
                  const dbseal_derivation *wanted, uint32_t count,
                  const dbseal_derivation_stop *stop) {
  (void)hash, (void)rounds, (void)code, (void)wanted, (void)count, (void)stop;
  return 0;
}

#endif
