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
#endif
