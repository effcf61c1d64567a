// The rounds of PBKDF2-HMAC-SHA512 over LANES derivations side by side, in vectors of WIDTH bytes
// by the instructions of TARGET: the compression function of FIPS 180-4 over vectors, which the
// compiler has rotations and three-way logic for. Two vectors take turns, so that the one's
// instructions fill the waits of the other's. Included once for each TARGET, with KERNEL its suffix.

typedef uint64_t LANED(vector) __attribute__((vector_size(WIDTH)));
#define VECTOR LANED(vector)
#define INLINE static inline __attribute__((always_inline, target(TARGET)))
enum { LANED(PER) = WIDTH / 8, LANED(GROUPS) = LANES / (WIDTH / 8) };

INLINE VECTOR LANED(rotate)(VECTOR x, int count) { return (x >> count) | (x << (64 - count)); }

// One block for each lane: `state` is in and out, `words` is the block and is used up.
INLINE void LANED(compress)(VECTOR state[][8], VECTOR words[][16]) {
  VECTOR v[LANED(GROUPS)][8];
  memcpy(v, state, sizeof v);
  for (int first = 0; first < 80; first += 16) {
#pragma clang loop unroll(full)
    for (int i = 0; i < 16; i++) {
      for (int g = 0; g < LANED(GROUPS); g++) {
        const VECTOR a = v[g][-i & 7], b = v[g][(1 - i) & 7], c = v[g][(2 - i) & 7];
        const VECTOR e = v[g][(4 - i) & 7], f = v[g][(5 - i) & 7], h = v[g][(6 - i) & 7];
        const VECTOR sum = v[g][(7 - i) & 7]
          + (LANED(rotate)(e, 14) ^ LANED(rotate)(e, 18) ^ LANED(rotate)(e, 41))
          + ((e & f) ^ (~e & h)) + words[g][i] + sha512_constants[first + i];
        v[g][(3 - i) & 7] += sum;
        v[g][(7 - i) & 7] = sum
          + (LANED(rotate)(a, 28) ^ LANED(rotate)(a, 34) ^ LANED(rotate)(a, 39))
          + ((a & b) ^ (a & c) ^ (b & c));
      }
      for (int g = 0; first < 64 && g < LANED(GROUPS); g++) {
        const VECTOR next = words[g][(i + 1) & 15], late = words[g][(i + 14) & 15];
        words[g][i] += (LANED(rotate)(next, 1) ^ LANED(rotate)(next, 8) ^ (next >> 7))
          + words[g][(i + 9) & 15]
          + (LANED(rotate)(late, 19) ^ LANED(rotate)(late, 61) ^ (late >> 6));
      }
    }
  }
  for (int g = 0; g < LANED(GROUPS); g++)
    for (int i = 0; i < 8; i++) state[g][i] += v[g][i];
}

// The block that follows the key's: a digest and its padding.
INLINE void LANED(pad)(VECTOR words[][16], VECTOR state[][8], const VECTOR start[][8]) {
  const VECTOR zero = {0};
  for (int g = 0; g < LANED(GROUPS); g++) {
    for (int i = 0; i < 8; i++) {
      words[g][i] = state[g][i];
      state[g][i] = start[g][i];
    }
    words[g][8] = zero + (1ULL << 63);
    for (int i = 9; i < 15; i++) words[g][i] = zero;
    words[g][15] = zero + (128 + 64) * 8;
  }
}

// `count` is at most LANES; lanes without a derivation hash zeros.
__attribute__((noinline, target(TARGET))) static void LANED(rounds)(
    sha512_lane *lanes, uint32_t count, uint32_t rounds) {
  VECTOR inner[LANED(GROUPS)][8] = {0}, outer[LANED(GROUPS)][8] = {0};
  VECTOR last[LANED(GROUPS)][8] = {0}, sum[LANED(GROUPS)][8], words[LANED(GROUPS)][16];
  for (uint32_t n = 0; n < count; n++) {
    for (int i = 0; i < 8; i++) {
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
      for (int i = 0; i < 8; i++) sum[g][i] ^= last[g][i];
  }
  for (uint32_t n = 0; n < count; n++)
    for (int i = 0; i < 8; i++) lanes[n].sum[i] = sum[n / LANED(PER)][i][n % LANED(PER)];
}
#undef VECTOR
#undef INLINE
#undef KERNEL
#undef TARGET
#undef WIDTH
#undef LANES
