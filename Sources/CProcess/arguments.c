// Keeps what glibc and macOS hand to constructors before main.
#include "process.h"

#include <stdlib.h>

static int count;
static char **arguments;

#if defined(__GLIBC__) || defined(__APPLE__)
__attribute__((constructor)) static void keep(int argc, char **argv) {
  count = argc;
  arguments = argv;
}
#endif

int dbseal_argument_count(void) { return count; }

const char *dbseal_argument(int index) {
  return index >= 0 && index < count ? arguments[index] : NULL;
}
