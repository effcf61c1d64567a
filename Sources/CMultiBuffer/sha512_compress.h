// SHA-512's compression function (FIPS 180-4) over LANES blocks in vectors, for derivation_lanes.h. The
// compiler has rotations and three-way logic for them. Two vectors take turns, so that the one's
// instructions fill the waits of the other's.

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
