/*
 * local_key.h: the local key, the only key that is stored in plain text.
 *
 * The person who starts a new server must be able to use it at once, so the server creates a key
 * for them and stores it in DATA/local.key, which only its owner can read. Of all other keys
 * only the hash is stored.
 */
#ifndef CLI_LOCAL_KEY_H
#define CLI_LOCAL_KEY_H

#include "account/async_store.h"
#include "store/store.h"

/* Returns the local key after making sure that it is both in the file and in the store. A key
 * that is only in the file is added to the store (the database was deleted). If there is no file,
 * or it contains no key or a revoked one, or another user has created it, a new key is created. */
int local_key_ensure(char text[API_KEY_LEN + 1], struct store *store, const char *data_dir);

/* Like local_key_ensure while the store cannot be reached: reads the key from the file, or
 * creates a new one there. local_key_ensure adds it to the store later. */
int local_key_prepare(char text[API_KEY_LEN + 1], const char *data_dir);

/* Only reads the file, for commands that talk to a local server. ENOENT if there is none, EINVAL
 * if it contains no key. */
int local_key_read(char text[API_KEY_LEN + 1], const char *data_dir);

#endif
