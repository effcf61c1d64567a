// One hash's part of PBKDF2 by libcrypto's own compression function: the first HMAC of a block of
// the key, and the rounds that follow it. Included once for each hash, with
//   NAME  CONTEXT  WORD  WORDS  BLOCK  HASH_INIT  HASH_UPDATE  HASH_FINAL  HASH_TRANSFORM
// defined; a context begins with the words of the state.

static void NAMED(put)(uint8_t *out, const WORD *words) {
  for (int i = 0; i < WORDS; i++)
    for (unsigned byte = 0; byte < sizeof(WORD); byte++)
      *out++ = (uint8_t)(words[i] >> 8 * (sizeof(WORD) - 1 - byte));
}

static void NAMED(get)(WORD *words, const uint8_t *in) {
  for (int i = 0; i < WORDS; i++) {
    words[i] = 0;
    for (unsigned byte = 0; byte < sizeof(WORD); byte++) words[i] = words[i] << 8 | *in++;
  }
}

// The first HMAC, over the salt and the block's number in the key.
static void NAMED(start)(const dbseal_derivation *wanted, uint32_t number, NAMED(lane) * lane) {
  enum { LENGTH = WORDS * sizeof(WORD) };
  uint8_t padded[BLOCK] = {0}, digest[64];
  const uint8_t ending[4] = {number >> 24, number >> 16 & 255, number >> 8 & 255, number & 255};
  CONTEXT context;
  if (wanted->password_length > BLOCK) {
    HASH_INIT(&context);
    HASH_UPDATE(&context, wanted->password, wanted->password_length);
    HASH_FINAL(padded, &context);
  } else if (wanted->password_length > 0) {
    memcpy(padded, wanted->password, wanted->password_length);
  }
  for (int side = 0; side < 2; side++) {
    for (int i = 0; i < BLOCK; i++) padded[i] ^= side ? 0x36 ^ 0x5c : 0x36;
    HASH_INIT(&context);
    HASH_TRANSFORM(&context, padded);
    memcpy(side ? lane->outer : lane->inner, &context, LENGTH);
    HASH_INIT(&context);
    HASH_UPDATE(&context, padded, BLOCK);
    if (side) {
      HASH_UPDATE(&context, digest, LENGTH);
    } else {
      if (wanted->salt_length > 0) HASH_UPDATE(&context, wanted->salt, wanted->salt_length);
      HASH_UPDATE(&context, ending, sizeof ending);
    }
    HASH_FINAL(digest, &context);
  }
  NAMED(get)(lane->last, digest);
  memcpy(lane->sum, lane->last, sizeof lane->sum);
  OPENSSL_cleanse(padded, sizeof padded);
  OPENSSL_cleanse(digest, sizeof digest);
  OPENSSL_cleanse(&context, sizeof context);
}

// So many rounds more, one lane alone.
static void NAMED(rounds)(NAMED(lane) * lane, uint32_t rounds) {
  enum { LENGTH = WORDS * sizeof(WORD), BITS = (BLOCK + LENGTH) * 8 };
  uint8_t block[BLOCK] = {0};
  // The padding of a hash over the key's block and one digest.
  block[LENGTH] = 0x80, block[BLOCK - 2] = BITS >> 8, block[BLOCK - 1] = BITS & 255;
  CONTEXT context;
  HASH_INIT(&context);
  WORD words[8];
  memcpy(words, lane->last, LENGTH);
  for (uint32_t round = 0; round < rounds; round++) {
    NAMED(put)(block, words);
    memcpy(&context, lane->inner, LENGTH);
    HASH_TRANSFORM(&context, block);
    memcpy(words, &context, LENGTH);
    NAMED(put)(block, words);
    memcpy(&context, lane->outer, LENGTH);
    HASH_TRANSFORM(&context, block);
    memcpy(words, &context, LENGTH);
    for (int i = 0; i < WORDS; i++) lane->sum[i] ^= words[i];
  }
  memcpy(lane->last, words, LENGTH);
  OPENSSL_cleanse(words, sizeof words);
  OPENSSL_cleanse(block, sizeof block);
  OPENSSL_cleanse(&context, sizeof context);
}

// All blocks of all keys, as many lanes at once as there is room for, and some of the rounds at a time.
static void NAMED(derive)(const dbseal_derivation *wanted, uint32_t count, uint32_t rounds,
                          enum dbseal_derivation_code code, const dbseal_derivation_stop *stop) {
  enum { LENGTH = WORDS * sizeof(WORD) };
  NAMED(lane) lanes[MAX_LANES];
  uint8_t *target[MAX_LANES];
  uint32_t room[MAX_LANES], used = 0;
  int stopped = 0;
  for (uint32_t index = 0; index < count && !stopped; index++) {
    for (uint32_t done = 0; done < wanted[index].key_length && !stopped; done += LENGTH) {
      const uint32_t left = wanted[index].key_length - done;
      NAMED(start)(&wanted[index], done / LENGTH + 1, &lanes[used]);
      target[used] = wanted[index].key + done;
      room[used++] = left < LENGTH ? left : LENGTH;
      if (used < MAX_LANES && (left > LENGTH || index + 1 < count)) continue;
      for (uint32_t part, left = rounds - 1; left > 0 && !stopped; left -= part) {
        part = left < PART ? left : PART;
        NAMED(run)(lanes, used, part, code);
        stopped = stop && stop->asked(stop->context);
      }
      for (uint32_t lane = 0; lane < used; lane++) {
        uint8_t digest[LENGTH];
        NAMED(put)(digest, lanes[lane].sum);
        memcpy(target[lane], digest, room[lane]);
        OPENSSL_cleanse(digest, sizeof digest);
      }
      used = 0;
    }
  }
  OPENSSL_cleanse(lanes, sizeof lanes);
}
#undef NAME
#undef CONTEXT
#undef WORD
#undef WORDS
#undef BLOCK
#undef HASH_INIT
#undef HASH_UPDATE
#undef HASH_FINAL
#undef HASH_TRANSFORM
