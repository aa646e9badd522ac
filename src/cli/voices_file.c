/*
 * voices_file.c: files of the voices folder (see voices_file.h).
 */
#include "cli/voices_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/interrupt.h"

/* Large enough for the disk, small enough to hear of an interrupt at once. */
#define BLOCK_LEN (1u << 18)

static int voices_file_read_some(ssize_t *count, int fd, void *bytes, size_t len)
{
	*count = read(fd, bytes, len);
	if (interrupt_came())
		return EINTR;
	return *count < 0 ? errno : 0;
}

static int voices_file_write_all(int fd, const char *bytes, size_t len)
{
	while (len > 0) {
		ssize_t n = write(fd, bytes, len);

		if (interrupt_came())
			return EINTR;
		if (n < 0)
			return errno;
		bytes += n;
		len -= (size_t)n;
	}
	return 0;
}

static int voices_file_finish_hash(char hash[VOICES_FILE_HASH_LEN + 1], EVP_MD_CTX *md)
{
	unsigned char digest[VOICES_FILE_HASH_LEN / 2];

	if (EVP_DigestFinal_ex(md, digest, NULL) != 1)
		return ENOMEM;
	for (size_t i = 0; i < sizeof(digest); ++i)
		snprintf(hash + 2 * i, 3, "%02x", digest[i]);
	return 0;
}

/* Reads `len` bytes from the position of `from`, or all when `len` is 0, into the
 * hash and, when `to` is a file, there. */
static int voices_file_pass_through(EVP_MD_CTX *md, int from, int to, uint64_t len)
{
	static char block[BLOCK_LEN];
	bool to_end = len == 0;

	while (to_end || len > 0) {
		size_t want = to_end || len > BLOCK_LEN ? BLOCK_LEN : (size_t)len;
		ssize_t n;
		int err = voices_file_read_some(&n, from, block, want);

		if (err)
			return err;
		if (n == 0)
			return to_end ? 0 : EPIPE;
		if (EVP_DigestUpdate(md, block, (size_t)n) != 1)
			return ENOMEM;
		if (to >= 0 && (err = voices_file_write_all(to, block, (size_t)n)) != 0)
			return err;
		len -= to_end ? 0 : (uint64_t)n;
	}
	return 0;
}

static int voices_file_hash_through(char hash[VOICES_FILE_HASH_LEN + 1], int from, int to,
				    uint64_t len)
{
	EVP_MD_CTX *md = EVP_MD_CTX_new();
	int err = ENOMEM;

	if (md && EVP_DigestInit_ex(md, EVP_sha256(), NULL) == 1)
		err = voices_file_pass_through(md, from, to, len);
	if (!err)
		err = voices_file_finish_hash(hash, md);
	EVP_MD_CTX_free(md);
	return err;
}

int voices_file_hash(char hash[VOICES_FILE_HASH_LEN + 1], int dir_fd, const char *name)
{
	int fd = openat(dir_fd, name, O_RDONLY | O_CLOEXEC);
	int err;

	if (fd < 0)
		return errno;
	err = voices_file_hash_through(hash, fd, -1, 0);
	close(fd);
	return err;
}

bool voices_file_is(int dir_fd, const char *name, const char *hash)
{
	char found[VOICES_FILE_HASH_LEN + 1];

	return voices_file_hash(found, dir_fd, name) == 0 && strcasecmp(found, hash) == 0;
}

int voices_file_create(int dir_fd, const char *name)
{
	unlinkat(dir_fd, name, 0);
	return openat(dir_fd, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
}

/* Closes a file that was written; what the disk refused so late counts. */
static int voices_file_close_written(int fd, int err)
{
	if (!err && fsync(fd) != 0)
		err = errno;
	if (close(fd) != 0 && !err)
		err = errno;
	return err;
}

int voices_file_copy(char hash[VOICES_FILE_HASH_LEN + 1], int dir_fd, const char *name,
		     const struct voices_piece *piece)
{
	int from = openat(piece->dir_fd, piece->name, O_RDONLY | O_CLOEXEC);
	int to;
	int err = 0;

	if (from < 0)
		return errno;
	to = voices_file_create(dir_fd, name);
	if (to < 0 || lseek(from, (off_t)piece->offset, SEEK_SET) < 0)
		err = errno;
	if (!err)
		err = voices_file_hash_through(hash, from, to, piece->len);
	if (to >= 0)
		err = voices_file_close_written(to, err);
	close(from);
	return err;
}

int voices_file_write(int dir_fd, const char *name, const void *bytes, size_t len)
{
	int fd = voices_file_create(dir_fd, name);

	return fd < 0 ? errno
		      : voices_file_close_written(fd, voices_file_write_all(fd, bytes, len));
}

int voices_file_read(struct buf *out, int dir_fd, const char *name)
{
	int fd = openat(dir_fd, name, O_RDONLY | O_CLOEXEC);
	char block[4096];
	ssize_t n = 1;
	int err = 0;

	if (fd < 0)
		return errno;
	while (!err && n > 0) {
		err = voices_file_read_some(&n, fd, block, sizeof(block));
		if (!err && n > 0)
			err = buf_append(out, block, (size_t)n);
	}
	close(fd);
	return err;
}

static bool voices_file_is_dots(const char *name)
{
	return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/* Calls `each` for everything in a directory; the listing may be changed by it. */
static void voices_file_walk(int dir_fd, const char *name,
			     void (*each)(int dir_fd, const char *, void *), void *arg)
{
	int fd = openat(dir_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
	struct dirent *entry;

	if (!dir) {
		if (fd >= 0)
			close(fd);
		return;
	}
	while ((entry = readdir(dir)))
		if (!voices_file_is_dots(entry->d_name))
			each(fd, entry->d_name, arg);
	closedir(dir);
}

static void voices_file_add_size(int dir_fd, const char *name, void *arg)
{
	*(uint64_t *)arg += voices_file_size(dir_fd, name);
}

uint64_t voices_file_size(int dir_fd, const char *name)
{
	struct stat status;
	uint64_t size = 0;

	if (fstatat(dir_fd, name, &status, AT_SYMLINK_NOFOLLOW) != 0)
		return 0;
	if (!S_ISDIR(status.st_mode))
		return (uint64_t)status.st_size;
	voices_file_walk(dir_fd, name, voices_file_add_size, &size);
	return size;
}

static void voices_file_remove_entry(int dir_fd, const char *name, void *arg)
{
	(void)arg;
	voices_file_remove(dir_fd, name);
}

void voices_file_remove(int dir_fd, const char *name)
{
	if (unlinkat(dir_fd, name, 0) == 0 || (errno != EISDIR && errno != EPERM))
		return;
	voices_file_walk(dir_fd, name, voices_file_remove_entry, NULL);
	unlinkat(dir_fd, name, AT_REMOVEDIR);
}
