/*
 * install_file.c: hashes, copies, moves and writes files (see install_file.h).
 */
#include "cli/install_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/interrupt.h"

/* Large enough for the disk, small enough to notice an interrupt at once. */
#define BLOCK_LEN (1u << 18)

static int install_file_read_some(ssize_t *count, int fd, void *bytes, size_t len)
{
	*count = read(fd, bytes, len);
	if (interrupt_is_pending())
		return EINTR;
	return *count < 0 ? errno : 0;
}

static int install_file_write_all(int fd, const char *bytes, size_t len)
{
	while (len > 0) {
		ssize_t n = write(fd, bytes, len);

		if (interrupt_is_pending())
			return EINTR;
		if (n < 0)
			return errno;
		bytes += n;
		len -= (size_t)n;
	}
	return 0;
}

static int install_file_finish_hash(char hash[INSTALL_FILE_HASH_LEN + 1], EVP_MD_CTX *md)
{
	unsigned char digest[INSTALL_FILE_HASH_LEN / 2];

	if (EVP_DigestFinal_ex(md, digest, NULL) != 1)
		return ENOMEM;
	for (size_t i = 0; i < sizeof(digest); ++i)
		snprintf(hash + 2 * i, 3, "%02x", digest[i]);
	return 0;
}

/* Reads `len` bytes from the position of `from`, or up to the end if `len` is 0, adds them to the
 * hash and writes them to `to` if that is a file. */
static int install_file_pass_through(EVP_MD_CTX *md, int from, int to, uint64_t len)
{
	static char block[BLOCK_LEN];
	bool to_end = len == 0;

	while (to_end || len > 0) {
		size_t want = to_end || len > BLOCK_LEN ? BLOCK_LEN : (size_t)len;
		ssize_t n;
		int err = install_file_read_some(&n, from, block, want);

		if (err)
			return err;
		if (n == 0)
			return to_end ? 0 : EPIPE;
		if (EVP_DigestUpdate(md, block, (size_t)n) != 1)
			return ENOMEM;
		if (to >= 0 && (err = install_file_write_all(to, block, (size_t)n)) != 0)
			return err;
		len -= to_end ? 0 : (uint64_t)n;
	}
	return 0;
}

static int install_file_hash_through(char hash[INSTALL_FILE_HASH_LEN + 1], int from, int to,
				     uint64_t len)
{
	EVP_MD_CTX *md = EVP_MD_CTX_new();
	int err = ENOMEM;

	if (md && EVP_DigestInit_ex(md, EVP_sha256(), NULL) == 1)
		err = install_file_pass_through(md, from, to, len);
	if (!err)
		err = install_file_finish_hash(hash, md);
	EVP_MD_CTX_free(md);
	return err;
}

int install_file_hash(char hash[INSTALL_FILE_HASH_LEN + 1], int dir_fd, const char *name)
{
	int fd = openat(dir_fd, name, O_RDONLY | O_CLOEXEC);
	int err;

	if (fd < 0)
		return errno;
	err = install_file_hash_through(hash, fd, -1, 0);
	close(fd);
	return err;
}

bool install_file_is(int dir_fd, const char *name, const char *hash)
{
	char found[INSTALL_FILE_HASH_LEN + 1];

	return install_file_hash(found, dir_fd, name) == 0 && strcasecmp(found, hash) == 0;
}

int install_file_create(int dir_fd, const char *name)
{
	unlinkat(dir_fd, name, 0);
	return openat(dir_fd, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
}

/* Closes a file that was written, and reports write errors that only show up now. */
static int install_file_close_written(int fd, int err)
{
	if (!err && fsync(fd) != 0)
		err = errno;
	if (close(fd) != 0 && !err)
		err = errno;
	return err;
}

int install_file_copy(char hash[INSTALL_FILE_HASH_LEN + 1], int dir_fd, const char *name,
		      const struct install_piece *piece)
{
	int from = openat(piece->dir_fd, piece->name, O_RDONLY | O_CLOEXEC);
	int to;
	int err = 0;

	if (from < 0)
		return errno;
	to = install_file_create(dir_fd, name);
	if (to < 0 || lseek(from, (off_t)piece->offset, SEEK_SET) < 0)
		err = errno;
	if (!err)
		err = install_file_hash_through(hash, from, to, piece->len);
	if (to >= 0)
		err = install_file_close_written(to, err);
	close(from);
	return err;
}

int install_file_move(char hash[INSTALL_FILE_HASH_LEN + 1], int dir_fd, const char *name,
		      int from_fd, const char *from)
{
	int fd = openat(from_fd, from, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	int err;

	if (fd < 0)
		return errno;
	err = install_file_hash_through(hash, fd, -1, 0);
	if (!err && fchmod(fd, 0644) != 0)
		err = errno;
	err = install_file_close_written(fd, err);
	if (!err && renameat(from_fd, from, dir_fd, name) != 0)
		err = errno;
	return err;
}

int install_file_make_parents(int dir_fd, const char *name)
{
	char part[PATH_MAX];

	if (strlen(name) >= sizeof(part))
		return ENAMETOOLONG;
	for (const char *slash = strchr(name, '/'); slash; slash = strchr(slash + 1, '/')) {
		memcpy(part, name, (size_t)(slash - name));
		part[slash - name] = '\0';
		if (mkdirat(dir_fd, part, 0755) != 0 && errno != EEXIST)
			return errno;
	}
	return 0;
}

int install_file_write(int dir_fd, const char *name, const void *bytes, size_t len)
{
	int fd = install_file_create(dir_fd, name);

	return fd < 0 ? errno
		      : install_file_close_written(fd, install_file_write_all(fd, bytes, len));
}

int install_file_read(struct buf *out, int dir_fd, const char *name)
{
	int fd = openat(dir_fd, name, O_RDONLY | O_CLOEXEC);
	char block[4096];
	ssize_t n = 1;
	int err = 0;

	if (fd < 0)
		return errno;
	while (!err && n > 0) {
		err = install_file_read_some(&n, fd, block, sizeof(block));
		if (!err && n > 0)
			err = buf_append(out, block, (size_t)n);
	}
	close(fd);
	return err;
}

bool install_file_is_folder(int dir_fd, const char *name)
{
	struct stat status;

	return fstatat(dir_fd, name, &status, 0) == 0 && S_ISDIR(status.st_mode);
}

static bool install_file_is_dots(const char *name)
{
	return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/* Calls `each`, which may remove entries, for everything in a directory. */
static void install_file_walk(int dir_fd, const char *name,
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
		if (!install_file_is_dots(entry->d_name))
			each(fd, entry->d_name, arg);
	closedir(dir);
}

static void install_file_add_size(int dir_fd, const char *name, void *arg)
{
	*(uint64_t *)arg += install_file_size(dir_fd, name);
}

uint64_t install_file_size(int dir_fd, const char *name)
{
	struct stat status;
	uint64_t size = 0;

	if (fstatat(dir_fd, name, &status, AT_SYMLINK_NOFOLLOW) != 0)
		return 0;
	if (!S_ISDIR(status.st_mode))
		return (uint64_t)status.st_size;
	install_file_walk(dir_fd, name, install_file_add_size, &size);
	return size;
}

struct install_file_owner {
	uid_t uid;
	gid_t gid;
	int err;
};

static void install_file_give_entry(int dir_fd, const char *name, void *arg)
{
	struct install_file_owner *owner = arg;
	int err = install_file_give(dir_fd, name, owner->uid, owner->gid);

	owner->err = owner->err ? owner->err : err;
}

int install_file_give(int dir_fd, const char *name, uid_t uid, gid_t gid)
{
	struct install_file_owner owner = {uid, gid, 0};
	struct stat status;

	if (fchownat(dir_fd, name, uid, gid, AT_SYMLINK_NOFOLLOW) != 0 ||
	    fstatat(dir_fd, name, &status, AT_SYMLINK_NOFOLLOW) != 0)
		return errno;
	if (S_ISDIR(status.st_mode))
		install_file_walk(dir_fd, name, install_file_give_entry, &owner);
	return owner.err;
}

static void install_file_remove_entry(int dir_fd, const char *name, void *arg)
{
	(void)arg;
	install_file_remove(dir_fd, name);
}

void install_file_remove(int dir_fd, const char *name)
{
	if (unlinkat(dir_fd, name, 0) == 0 || (errno != EISDIR && errno != EPERM))
		return;
	install_file_walk(dir_fd, name, install_file_remove_entry, NULL);
	unlinkat(dir_fd, name, AT_REMOVEDIR);
}
