/*
 * data_dir.h: the data directory, and keeping it private.
 *
 * It holds a master key, hashes of all other keys, the ledger and samples.  Only the
 * server's user can access its files, whatever the umask was and no matter who created the
 * directory.
 */
#ifndef CLI_DATA_DIR_H
#define CLI_DATA_DIR_H

#include <stdbool.h>

#include "server/config.h"

/* Creates the directory, with mode 0700, and missing parent directories.  An existing one
 * that contains only Syrinx's files is made private (0700), which is logged; one that also
 * contains other files keeps its mode, with a warning.  EPERM when every user can write to
 * it and that cannot be changed: anyone could put files there and take over the server.
 * Errors are printed. */
int data_dir_make(const struct config *config);

/* The error for a directory that data_dir_make refuses; takes its path. */
#define DATA_DIR_REFUSAL                                                                           \
	"every user of this machine can write to %s, and that cannot be changed here: anyone "     \
	"could put files there and take over the server. Use a separate directory (--data), or "   \
	"have its owner chmod it to 0700\n"

/* Whether data_dir_make would accept the directory, if it exists, without changing anything. */
bool data_dir_can_be_used(const struct config *config);

/* Makes Syrinx's files in it private: files 0600, directories 0700.  Earlier versions, copies
 * and restored backups may have left them open.  The voices are not touched: they are not
 * secret, and engines may run as another user. */
void data_dir_close_files(const struct config *config);

#endif
