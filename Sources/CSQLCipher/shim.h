// SQLCipher as Swift sees it. The key functions are declared by SQLCipher's sqlite3.h only where
// SQLITE_HAS_CODEC is defined, and its pkg-config file does not define it, so it is done here. The
// rest wraps what Swift cannot call: variadic functions and macros that are pointer casts.
#ifndef DBSEAL_CSQLCIPHER_SHIM_H
#define DBSEAL_CSQLCIPHER_SHIM_H
#ifndef SQLITE_HAS_CODEC
#define SQLITE_HAS_CODEC 1
#endif
#include <sqlcipher/sqlite3.h>

// Options newer than the oldest engine that is supported (3.15); an older one answers an error.
#ifndef SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION
#define SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION 1005
#endif
#ifndef SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE
#define SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE 1006
#endif
#ifndef SQLITE_DBCONFIG_DEFENSIVE
#define SQLITE_DBCONFIG_DEFENSIVE 1010
#endif
#ifndef SQLITE_DBCONFIG_TRUSTED_SCHEMA
#define SQLITE_DBCONFIG_TRUSTED_SCHEMA 1017
#endif

// sqlite3_db_config is variadic. For options that take a truth value.
static inline int dbseal_db_config_int(sqlite3 *db, int option, int value) {
  int answer = 0;
  return sqlite3_db_config(db, option, value, &answer);
}

// Bind a copy of the bytes: SQLITE_TRANSIENT is a cast that Swift does not import.
static inline int dbseal_bind_text(sqlite3_stmt *s, int index, const void *bytes, sqlite3_uint64 n) {
  return sqlite3_bind_text64(s, index, n ? bytes : "", n, SQLITE_TRANSIENT, SQLITE_UTF8);
}
static inline int dbseal_bind_blob(sqlite3_stmt *s, int index, const void *bytes, sqlite3_uint64 n) {
  return sqlite3_bind_blob64(s, index, n ? bytes : "", n, SQLITE_TRANSIENT);
}
#endif
