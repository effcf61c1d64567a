// SHA-1's compression function (FIPS 180-4) over LANES blocks in vectors, for derivation_lanes.h.

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
