/*
 * local_file.c: a file of a fixed size that one process uses at a time (see local_file.h).
 */
#include "account/local_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"

/* Logs the error, unless another process uses the file, and closes it; returns `err`. */
static int local_file_fail(int fd, const char *path, int err)
{
	if (err != EBUSY)
		log_error("account", "%s: %s", path, strerror(err));
	if (fd >= 0)
		close(fd);
	return err;
}

static int local_file_lock(int fd)
{
	if (flock(fd, LOCK_EX | LOCK_NB) == 0)
		return 0;
	return errno == EWOULDBLOCK ? EBUSY : errno;
}

/* Between open and lock, recovery in another process may have treated the file as abandoned and
 * removed it. */
static int local_file_check_linked(int fd)
{
	struct stat status;

	if (fstat(fd, &status) != 0)
		return errno;
	return status.st_nlink == 0 ? EBUSY : 0;
}

int local_file_make(int *fdp, const char *path, size_t size)
{
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	int err;

	if (fd < 0)
		return local_file_fail(fd, path, errno);
	err = local_file_lock(fd);
	if (!err)
		err = local_file_check_linked(fd);
	if (!err)
		err = posix_fallocate(fd, 0, (off_t)size);
	if (err) {
		unlink(path);
		return local_file_fail(fd, path, err);
	}
	*fdp = fd;
	return 0;
}

int local_file_open(int *fdp, size_t *size, const char *path)
{
	int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat status;
	int err;

	if (fd < 0)
		return errno == ENOENT ? ENOENT : local_file_fail(fd, path, errno);
	err = local_file_lock(fd);
	if (!err && fstat(fd, &status) != 0)
		err = errno;
	if (!err && !S_ISREG(status.st_mode))
		err = EBADMSG;
	if (err)
		return local_file_fail(fd, path, err);
	*size = (size_t)status.st_size;
	*fdp = fd;
	return 0;
}

int local_file_read(int fd, uint8_t *bytes, size_t len, size_t at)
{
	while (len > 0) {
		ssize_t n = pread(fd, bytes, len, (off_t)at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? errno : EBADMSG;
		bytes += n;
		len -= (size_t)n;
		at += (size_t)n;
	}
	return 0;
}

int local_file_write(int fd, const uint8_t *bytes, size_t len, size_t at)
{
	while (len > 0) {
		ssize_t n = pwrite(fd, bytes, len, (off_t)at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? errno : EIO;
		bytes += n;
		len -= (size_t)n;
		at += (size_t)n;
	}
	return 0;
}

int local_file_sync(int fd)
{
	return fdatasync(fd) == 0 ? 0 : errno;
}

int local_file_sync_dir(const char *dir)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int err;

	if (fd < 0)
		return errno;
	err = fsync(fd) == 0 ? 0 : errno;
	close(fd);
	return err;
}
