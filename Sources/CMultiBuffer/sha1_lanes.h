// The rounds of PBKDF2-HMAC-SHA1 over LANES blocks of keys side by side, in vectors of WIDTH bytes
// by the instructions of TARGET: the compression function of FIPS 180-4 over vectors. A key of 32
// bytes is two blocks. Included once for each TARGET, with KERNEL its suffix.

typedef uint32_t LANED(vector) __attribute__((vector_size(WIDTH)));
#define VECTOR LANED(vector)
#define INLINE static inline __attribute__((always_inline, target(TARGET)))
enum { LANED(PER) = WIDTH / 4, LANED(GROUPS) = LANES / (WIDTH / 4) };

INLINE VECTOR LANED(rotate)(VECTOR x, int count) { return (x << count) | (x >> (32 - count)); }

// One round of all groups: 20 of each kind.
INLINE void LANED(step)(VECTOR v[][5], VECTOR words[][16], int round, int kind) {
  static const uint32_t constants[4] = {0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6};
  // What the words are called turns, so that none has to move.
  const int a = (80 - round) % 5, b = (81 - round) % 5, c = (82 - round) % 5;
  const int d = (83 - round) % 5, e = (84 - round) % 5, w = round & 15;
  for (int g = 0; g < LANED(GROUPS); g++) {
    if (round >= 16)
      words[g][w] = LANED(rotate)(
          words[g][w] ^ words[g][(w + 2) & 15] ^ words[g][(w + 8) & 15] ^ words[g][(w + 13) & 15], 1);
    const VECTOR x = v[g][b], y = v[g][c], z = v[g][d];
    const VECTOR mixed = kind == 0 ? (x & y) ^ (~x & z)
      : kind == 2                  ? (x & y) ^ (x & z) ^ (y & z)
                                   : x ^ y ^ z;
    v[g][e] += LANED(rotate)(v[g][a], 5) + mixed + words[g][w] + constants[kind];
    v[g][b] = LANED(rotate)(x, 30);
  }
}

// One block for each lane: `state` is in and out, `words` is the block and is used up.
INLINE void LANED(compress)(VECTOR state[][5], VECTOR words[][16]) {
  VECTOR v[LANED(GROUPS)][5];
  memcpy(v, state, sizeof v);
#pragma clang loop unroll(full)
  for (int round = 0; round < 80; round++) LANED(step)(v, words, round, round / 20);
  for (int g = 0; g < LANED(GROUPS); g++)
    for (int i = 0; i < 5; i++) state[g][i] += v[g][i];
}

// The block that follows the key's: a digest and its padding.
INLINE void LANED(pad)(VECTOR words[][16], VECTOR state[][5], const VECTOR start[][5]) {
  const VECTOR zero = {0};
  for (int g = 0; g < LANED(GROUPS); g++) {
    for (int i = 0; i < 5; i++) {
      words[g][i] = state[g][i];
      state[g][i] = start[g][i];
    }
    words[g][5] = zero + (1U << 31);
    for (int i = 6; i < 15; i++) words[g][i] = zero;
    words[g][15] = zero + (64 + 20) * 8;
  }
}

// `count` is at most LANES; lanes without a derivation hash zeros.
__attribute__((noinline, target(TARGET))) static void LANED(rounds)(
    sha1_lane *lanes, uint32_t count, uint32_t rounds) {
  VECTOR inner[LANED(GROUPS)][5] = {0}, outer[LANED(GROUPS)][5] = {0};
  VECTOR last[LANED(GROUPS)][5] = {0}, sum[LANED(GROUPS)][5], words[LANED(GROUPS)][16];
  for (uint32_t n = 0; n < count; n++) {
    for (int i = 0; i < 5; i++) {
      inner[n / LANED(PER)][i][n % LANED(PER)] = lanes[n].inner[i];
      outer[n / LANED(PER)][i][n % LANED(PER)] = lanes[n].outer[i];
      last[n / LANED(PER)][i][n % LANED(PER)] = lanes[n].last[i];
    }
  }
  memcpy(sum, last, sizeof sum);
  for (uint32_t round = 1; round < rounds; round++) {
    LANED(pad)(words, last, inner);
    LANED(compress)(last, words);
    LANED(pad)(words, last, outer);
    LANED(compress)(last, words);
    for (int g = 0; g < LANED(GROUPS); g++)
      for (int i = 0; i < 5; i++) sum[g][i] ^= last[g][i];
  }
  for (uint32_t n = 0; n < count; n++)
    for (int i = 0; i < 5; i++) lanes[n].sum[i] = sum[n / LANED(PER)][i][n % LANED(PER)];
}
#undef VECTOR
#undef INLINE
#undef KERNEL
#undef TARGET
#undef WIDTH
#undef LANES
