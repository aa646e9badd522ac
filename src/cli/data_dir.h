/*
 * data_dir.h: the data directory, and that nobody else gets at what is in it.
 *
 * It holds a master key, hashes of all others, the ledger and samples.  Whatever the umask was and
 * whoever made the directory, its files are for the server's user alone.
 */
#ifndef CLI_DATA_DIR_H
#define CLI_DATA_DIR_H

#include "server/config.h"

/* Makes the directory where it is missing, 0700, and those above it.  One that has nothing but
 * Syrinx's files in it is closed to others (0700), and that is logged; one that is shared with other
 * things keeps its mode, with a warning.  EPERM when every user may write to it and that cannot be
 * changed: whoever puts files there would own the server.  Errors are printed. */
int data_dir_make(const struct config *config);

/* Closes to others what is in it: files 0600, folders 0700.  Earlier versions, copies and restored
 * backups have left them open.  The voices are not touched: they are no secret, and engines may run
 * as another user. */
void data_dir_close_files(const struct config *config);

#endif
