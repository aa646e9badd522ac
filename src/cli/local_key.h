/*
 * local_key.h: the one key that is kept readable.
 *
 * A fresh server must be usable at once by the person who started it, so it
 * makes a key for them and leaves its text in DATA/local.key, readable by
 * its owner alone.  Every other key is known only by its hash.
 */
#ifndef CLI_LOCAL_KEY_H
#define CLI_LOCAL_KEY_H

#include "account/account.h"
#include "store/store.h"

/* Gives the text of a key that is in both places, the file and the store:
 * a file without a row is added to the store again (the database was deleted);
 * no file, a file that holds no key, or a revoked key makes a new one. */
int local_key_ensure(char text[ACCOUNT_KEY_LEN + 1], struct store *store, const char *data_dir);

/* The same while the store cannot be reached: reads the key from the file or creates a new
 * one there; local_key_ensure adds its row later. */
int local_key_prepare(char text[ACCOUNT_KEY_LEN + 1], const char *data_dir);

/* Only reads the file, for commands that talk to a local server.  ENOENT, or
 * EINVAL when it holds no key. */
int local_key_read(char text[ACCOUNT_KEY_LEN + 1], const char *data_dir);

#endif
