/*
 * local_key.c: the only key that is stored in plain text (see local_key.h).
 */
#include "cli/local_key.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"

#define FILE_NAME "local.key"
#define KEY_NAME "local"

/* The key has the scope admin, because anyone who can read the file can also read the database. */
#define SCOPES (STORE_SCOPES_USUAL | STORE_SCOPE_ADMIN)
#define PATH_SIZE 2048u

static int local_key_path_of(char path[PATH_SIZE], const char *data_dir, const char *suffix)
{
	int n = snprintf(path, PATH_SIZE, "%s/" FILE_NAME "%s", data_dir, suffix);

	return n > 0 && (size_t)n < PATH_SIZE ? 0 : ENAMETOOLONG;
}

static bool local_key_is_key(const char *text)
{
	return strlen(text) == API_KEY_LEN && strncmp(text, "ka_", 3) == 0 &&
	       strspn(text + 3, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789") ==
		       API_KEY_LEN - 3;
}

int local_key_read(char text[API_KEY_LEN + 1], const char *data_dir)
{
	char path[PATH_SIZE];
	char line[API_KEY_LEN + 3] = "";
	FILE *file;
	int err = local_key_path_of(path, data_dir, "");

	if (err)
		return err;
	file = fopen(path, "re");
	if (!file)
		return errno;
	if (!fgets(line, sizeof(line), file))
		line[0] = '\0';
	fclose(file);
	line[strcspn(line, "\n")] = '\0';
	if (!local_key_is_key(line))
		return EINVAL;
	memcpy(text, line, API_KEY_LEN + 1);
	return 0;
}

static int local_key_write_all(int fd, const char *text)
{
	if (write(fd, text, API_KEY_LEN) != API_KEY_LEN || write(fd, "\n", 1) != 1)
		return EIO;
	return fsync(fd) == 0 ? 0 : errno;
}

/* Writes a second file and renames it, so that no reader sees half a key, and an existing file
 * that is open to others is not written to. */
static int local_key_write_file(const char *text, const char *data_dir)
{
	char path[PATH_SIZE];
	char fresh[PATH_SIZE];
	int err;
	int fd;

	if (local_key_path_of(path, data_dir, "") || local_key_path_of(fresh, data_dir, ".new"))
		return ENAMETOOLONG;
	unlink(fresh);
	fd = open(fresh, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return errno;
	err = local_key_write_all(fd, text);
	close(fd);
	if (!err && rename(fresh, path) != 0)
		err = errno;
	if (err)
		unlink(fresh);
	return err;
}

/* Makes the row of a key from its text. */
static int local_key_row_of(struct store_key *key, const char *text)
{
	*key = (struct store_key){.project_id = STORE_PROJECT_DEFAULT,
				  .scopes = SCOPES,
				  .name = KEY_NAME,
				  .credit_cents = -1,
				  .limits = STORE_LIMITS_PLAN,
				  .created_ms = clock_wall_ms()};
	memcpy(key->prefix, text, STORE_KEY_PREFIX_LEN);
	if (EVP_Digest(text, strlen(text), key->hash, NULL, EVP_sha256(), NULL) != 1)
		return ENOMEM;
	return 0;
}

/* A file that was copied may have become readable to others. */
static void local_key_close_to_others(const char *data_dir)
{
	char path[PATH_SIZE];
	struct stat st;

	if (local_key_path_of(path, data_dir, "") || stat(path, &st) != 0 ||
	    (st.st_mode & 077) == 0)
		return;
	log_warn("key", "%s was readable by other users; its mode was corrected", path);
	if (chmod(path, 0600) != 0)
		log_warn("key", "chmod %s: %s", path, strerror(errno));
}

/* The server's own key is exempt from the limit on keys. */
static int local_key_add_row(struct store *store, struct store_key *key)
{
	bool was_unlimited = store->is_unlimited;
	int err;

	store->is_unlimited = true;
	err = store->ops->key_add(store, key);
	store->is_unlimited = was_unlimited;
	return err;
}

/* Returns 0 if the key is now valid in the store, ENOENT if it cannot be (it was revoked, or
 * another key has the same prefix). */
static int local_key_ensure_row(struct store *store, const char *text)
{
	struct store_key want;
	struct store_key have;
	int err = local_key_row_of(&want, text);

	if (err)
		return err;
	err = store->ops->key_find(store, &have, want.prefix);
	if (err == ENOENT)
		return local_key_add_row(store, &want);
	if (err)
		return err;
	if (have.revoked_ms || memcmp(have.hash, want.hash, sizeof(want.hash)) != 0)
		return ENOENT;
	if (have.scopes != want.scopes) /* it was created before there were scopes */
		return store->ops->key_change(store, want.prefix, STORE_KEY_SCOPES, &want);
	return 0;
}

/* The file is written first: if the store fails afterwards, the next start adds the row. */
static int local_key_make(char text[API_KEY_LEN + 1], struct store *store, const char *data_dir)
{
	struct store_key key = {0};
	int err = api_key_make(text, &key, KEY_NAME);

	key.scopes = SCOPES;
	if (!err)
		err = local_key_write_file(text, data_dir);
	if (!err)
		err = local_key_add_row(store, &key);
	return err;
}

/* Anyone who could once write to the directory may have left a file with a key known to them,
 * which would become a master key. */
static bool local_key_is_planted(const char *data_dir)
{
	char path[PATH_SIZE];
	struct stat file;
	struct stat dir;

	if (local_key_path_of(path, data_dir, "") || lstat(path, &file) != 0 ||
	    stat(data_dir, &dir) != 0 || file.st_uid == geteuid() || file.st_uid == 0 ||
	    (geteuid() == 0 && file.st_uid == dir.st_uid))
		return false;
	log_warn("key",
		 "%s was created by user %u, so it is not trusted and is replaced by "
		 "a new one",
		 path, (unsigned)file.st_uid);
	return true;
}

int local_key_prepare(char text[API_KEY_LEN + 1], const char *data_dir)
{
	struct store_key key = {0};
	int err = local_key_is_planted(data_dir) ? ENOENT : local_key_read(text, data_dir);

	if (!err)
		local_key_close_to_others(data_dir);
	if (err != ENOENT && err != EINVAL)
		return err;
	err = api_key_make(text, &key, KEY_NAME);
	return err ? err : local_key_write_file(text, data_dir);
}

int local_key_ensure(char text[API_KEY_LEN + 1], struct store *store, const char *data_dir)
{
	int err = local_key_is_planted(data_dir) ? ENOENT : local_key_read(text, data_dir);

	if (!err) {
		local_key_close_to_others(data_dir);
		err = local_key_ensure_row(store, text);
	}
	if (err == ENOENT || err == EINVAL)
		err = local_key_make(text, store, data_dir);
	return err;
}
