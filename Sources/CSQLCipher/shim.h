// SQLCipher as Swift sees it. The key functions are declared by SQLCipher's sqlite3.h only where
// SQLITE_HAS_CODEC is defined, and its pkg-config file does not define it, so it is done here.
#ifndef DBSEAL_CSQLCIPHER_SHIM_H
#define DBSEAL_CSQLCIPHER_SHIM_H
#ifndef SQLITE_HAS_CODEC
#define SQLITE_HAS_CODEC 1
#endif
#include <sqlcipher/sqlite3.h>

// sqlite3_db_config and sqlite3_config are variadic, which Swift cannot call.
static inline int dbseal_db_config_int(sqlite3 *db, int option, int value) {
  int answer = 0;
  return sqlite3_db_config(db, option, value, &answer);
}
#endif
