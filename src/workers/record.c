/*
 * record.c: what a worker said about itself when the server last ran (see record.h).
 *
 * There is one file per fleet, with the messages that a worker sent up to READY, in the encoding of
 * the worker protocol.  From it a server that starts knows what its workers can do before any of
 * them is ready, which may take seconds while they load models.  A record that cannot be read is
 * treated as missing, and is replaced when the next worker is ready.
 *
 * The files have a few kilobytes and are rarely written: only when a worker says something else
 * than in the last run.  So the event loop writes them itself, without fsync.
 */
#include "workers/record.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "workers/fleet.h"

#define RECORD_PATH_SIZE 4096

static int record_path(char path[RECORD_PATH_SIZE], const char *dir, const char *name,
		       const char *suffix)
{
	int n = snprintf(path, RECORD_PATH_SIZE, "%s/%s%s", dir, name, suffix);

	return n < RECORD_PATH_SIZE ? 0 : ENAMETOOLONG;
}

static int record_read_file(struct buf *bytes, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat status;
	ssize_t n = -1;
	int err;

	if (fd < 0)
		return errno;
	if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size > FLEET_SAID_MAX)
		err = EINVAL;
	else
		err = buf_reserve(bytes, (size_t)status.st_size);
	if (!err) {
		n = read(fd, bytes->bytes, (size_t)status.st_size);
		err = n < 0 ? errno : 0;
	}
	close(fd);
	bytes->len = n > 0 ? (size_t)n : 0;
	return err;
}

int record_load(struct buf *said, const char *dir, const char *name)
{
	char path[RECORD_PATH_SIZE];
	int err = record_path(path, dir, name, "");

	return err ? err : record_read_file(said, path);
}

static bool record_is_current(const char *path, const struct buf *said)
{
	struct buf bytes;
	bool is_current;

	buf_init(&bytes, FLEET_SAID_MAX);
	is_current = record_read_file(&bytes, path) == 0 && bytes.len == said->len &&
		     memcmp(bytes.bytes, said->bytes, said->len) == 0;
	buf_reset(&bytes);
	return is_current;
}

static int record_write_file(const char *path, const struct buf *said)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	ssize_t n;

	if (fd < 0)
		return errno;
	n = write(fd, said->bytes, said->len);
	close(fd);
	return n == (ssize_t)said->len ? 0 : EIO;
}

int record_save(const char *dir, const char *name, const struct buf *said)
{
	char path[RECORD_PATH_SIZE];
	char draft[RECORD_PATH_SIZE];
	int err = record_path(path, dir, name, "");

	if (!err)
		err = record_path(draft, dir, name, ".new");
	if (err || record_is_current(path, said))
		return err;
	if (mkdir(dir, 0700) != 0 && errno != EEXIST)
		return errno;
	err = record_write_file(draft, said);
	if (!err && rename(draft, path) != 0)
		err = errno;
	if (err)
		unlink(draft);
	return err;
}

void record_remove(const char *dir, const char *name)
{
	char path[RECORD_PATH_SIZE];

	if (record_path(path, dir, name, "") == 0)
		unlink(path);
}
