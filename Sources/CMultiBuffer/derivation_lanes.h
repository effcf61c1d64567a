// The rounds of PBKDF2-HMAC over LANES blocks of keys side by side, in vectors of WIDTH bytes by the
// instructions of TARGET. Included once for each TARGET, with KERNEL its suffix and
//   NAME  WORD  WORDS  COMPRESS
// the hash: its lanes, the words of its state, and the header of its compression function.

typedef WORD LANED(vector) __attribute__((vector_size(WIDTH)));
#define VECTOR LANED(vector)
#define INLINE static inline __attribute__((always_inline, target(TARGET)))
enum { LANED(PER) = WIDTH / sizeof(WORD), LANED(GROUPS) = LANES / LANED(PER), LANED(COUNT) = LANES };

#include COMPRESS

// The block that follows the key's: a digest and its padding.
INLINE void LANED(pad)(VECTOR words[][16], VECTOR state[][WORDS], const VECTOR start[][WORDS]) {
  const VECTOR zero = {0};
  for (int g = 0; g < LANED(GROUPS); g++) {
    for (int i = 0; i < WORDS; i++) {
      words[g][i] = state[g][i];
      state[g][i] = start[g][i];
    }
    words[g][WORDS] = zero + ((WORD)1 << (sizeof(WORD) * 8 - 1));
    for (int i = WORDS + 1; i < 15; i++) words[g][i] = zero;
    words[g][15] = zero + (16 + WORDS) * sizeof(WORD) * 8;
  }
}

// `count` is at most LANES; lanes without a derivation hash zeros. So many rounds more.
__attribute__((noinline, target(TARGET))) static void LANED(rounds)(
    NAMED(lane) * lanes, uint32_t count, uint32_t rounds) {
  VECTOR inner[LANED(GROUPS)][WORDS] = {0}, outer[LANED(GROUPS)][WORDS] = {0};
  VECTOR last[LANED(GROUPS)][WORDS] = {0}, sum[LANED(GROUPS)][WORDS] = {0}, words[LANED(GROUPS)][16];
  for (uint32_t n = 0; n < count; n++) {
    for (int i = 0; i < WORDS; i++) {
      inner[n / LANED(PER)][i][n % LANED(PER)] = lanes[n].inner[i];
      outer[n / LANED(PER)][i][n % LANED(PER)] = lanes[n].outer[i];
      last[n / LANED(PER)][i][n % LANED(PER)] = lanes[n].last[i];
      sum[n / LANED(PER)][i][n % LANED(PER)] = lanes[n].sum[i];
    }
  }
  for (uint32_t round = 0; round < rounds; round++) {
    LANED(pad)(words, last, inner);
    LANED(compress)(last, words);
    LANED(pad)(words, last, outer);
    LANED(compress)(last, words);
    for (int g = 0; g < LANED(GROUPS); g++)
      for (int i = 0; i < WORDS; i++) sum[g][i] ^= last[g][i];
  }
  for (uint32_t n = 0; n < count; n++)
    for (int i = 0; i < WORDS; i++) {
      lanes[n].last[i] = last[n / LANED(PER)][i][n % LANED(PER)];
      lanes[n].sum[i] = sum[n / LANED(PER)][i][n % LANED(PER)];
    }
}
#undef VECTOR
#undef INLINE
#undef KERNEL
#undef TARGET
#undef WIDTH
#undef LANES
