// The arguments that the process was started with. Swift reads them from /proc on Linux, and a
// program in a root without /proc would see none.
#ifndef DBSEAL_PROCESS_H
#define DBSEAL_PROCESS_H

/// How many there are, the program's name among them; 0 where the system did not say.
int dbseal_argument_count(void);

/// One of them, which lives as long as the process.
const char *dbseal_argument(int index);

#endif
