// OpenSSL's libcrypto as Swift sees it: ciphers, MACs, key derivation, random bytes.
#ifndef DBSEAL_CLIBCRYPTO_SHIM_H
#define DBSEAL_CLIBCRYPTO_SHIM_H
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/params.h>
#include <openssl/rand.h>
#include <openssl/opensslv.h>

// The parameter that names an HMAC's digest. OpenSSL keeps the pointer to the parameter's own name,
// which from Swift would be one to a copy that is gone after the call.
static inline OSSL_PARAM dbseal_mac_digest(char *digest) {
  return OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0);
}
#endif
