/*
 * voices_folder.c: the folder where voices are installed (see voices_folder.h).
 */
#include "cli/voices_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "cli/interrupt.h"
#include "cli/voices_file.h"

#define LOCK_FILE ".lock"
#define MEGABYTE 1000000u

int voices_folder_failed(const struct voices_folder *folder, const char *name, int err,
			 char why[VOICES_WHY_SIZE])
{
	if (err == EINTR)
		snprintf(why, VOICES_WHY_SIZE, "interrupted; nothing half done is left");
	else if (err == ENOSPC)
		snprintf(why, VOICES_WHY_SIZE, "the disk of %s is full", folder->path);
	else if (!name && (err == EROFS || err == EACCES || err == EPERM))
		snprintf(why, VOICES_WHY_SIZE,
			 "%s: %s; name a folder that can be written to: --voices DIR or "
			 "SYRINX_VOICES",
			 folder->path, strerror(err));
	else
		snprintf(why, VOICES_WHY_SIZE, "%s%s%s: %s", folder->path, name ? "/" : "",
			 name ? name : "", strerror(err));
	return err;
}

/* What root puts into the folder of another user, the service's say, belongs to that user, who
 * can then replace or remove it.  `fd` is what has just been made in `dir_fd`; with a name, that
 * file below it. */
static int voices_folder_give(int dir_fd, int fd, const char *name)
{
	struct stat owner;

	if (geteuid() != 0)
		return 0;
	if (fstat(dir_fd, &owner) != 0 || fchownat(fd, name, owner.st_uid, owner.st_gid,
						   AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW) != 0)
		return errno;
	return 0;
}

/* Opens `name` in `*dirp`, made where it is missing, and puts it in the place of `*dirp`. */
static int voices_folder_enter(int *dirp, const char *name)
{
	bool is_made = mkdirat(*dirp, name, 0755) == 0;
	int fd;
	int err = 0;

	if (!is_made && errno != EEXIST)
		return errno;
	/* What replaced a directory that root has just made must not become its owner's. */
	fd = openat(*dirp, name, O_PATH | O_DIRECTORY | O_CLOEXEC | (is_made ? O_NOFOLLOW : 0));
	if (fd < 0)
		return errno;
	if (is_made)
		err = voices_folder_give(*dirp, fd, "");
	close(*dirp);
	*dirp = fd;
	return err;
}

/* Opens the directory; missing parts of its path are made. */
static int voices_folder_open_made(int *fdp, const char *path)
{
	char part[NAME_MAX + 1];
	int dir = open(path[0] == '/' ? "/" : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	int err = dir < 0 ? errno : 0;

	for (path += strspn(path, "/"); *path && !err; path += strspn(path, "/")) {
		size_t len = strcspn(path, "/");

		if (len >= sizeof(part)) {
			err = ENAMETOOLONG;
			break;
		}
		memcpy(part, path, len);
		part[len] = '\0';
		path += len;
		err = voices_folder_enter(&dir, part);
	}
	if (!err) {
		*fdp = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		err = *fdp < 0 ? errno : 0;
	}
	if (dir >= 0)
		close(dir);
	return err;
}

/* Only a file that was made here is given to the folder's owner: one that is there already could
 * be a link to any file, and root would give that away. */
static int voices_folder_open_lock(struct voices_folder *folder)
{
	folder->lock_fd =
		openat(folder->dir_fd, LOCK_FILE, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	if (folder->lock_fd >= 0)
		return voices_folder_give(folder->dir_fd, folder->lock_fd, "");
	if (errno != EEXIST)
		return errno;
	folder->lock_fd = openat(folder->dir_fd, LOCK_FILE, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
	return folder->lock_fd < 0 ? errno : 0;
}

static int voices_folder_lock(struct voices_folder *folder, void (*waiting)(void))
{
	int err = voices_folder_open_lock(folder);

	if (err)
		return err;
	if (flock(folder->lock_fd, LOCK_EX | LOCK_NB) == 0)
		return 0;
	if (errno != EWOULDBLOCK)
		return errno;
	waiting();
	while (flock(folder->lock_fd, LOCK_EX) != 0)
		if (errno != EINTR || interrupt_came())
			return errno;
	return 0;
}

/* Whether this is the directory that was just made.  The folder's owner can rename what is in the
 * folder, and could put a directory of their own, with links in it, in the place of ours. */
static bool voices_folder_is_own_stage(int fd)
{
	struct stat status;

	return fstat(fd, &status) == 0 && status.st_uid == geteuid() &&
	       (status.st_mode & (S_IRWXG | S_IRWXO)) == 0;
}

static int voices_folder_open_stage(struct voices_folder *folder, char why[VOICES_WHY_SIZE])
{
	voices_file_remove(folder->dir_fd, VOICES_FOLDER_STAGE);
	if (mkdirat(folder->dir_fd, VOICES_FOLDER_STAGE, 0700) != 0)
		return voices_folder_failed(folder, NULL, errno, why);
	folder->stage_fd = openat(folder->dir_fd, VOICES_FOLDER_STAGE,
				  O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (folder->stage_fd >= 0 && voices_folder_is_own_stage(folder->stage_fd))
		return 0;
	snprintf(why, VOICES_WHY_SIZE,
		 "%s/" VOICES_FOLDER_STAGE " was replaced while it was being used; make sure that "
		 "only trusted users can write to the folder",
		 folder->path);
	return EPERM;
}

int voices_folder_open(struct voices_folder *folder, const char *path, void (*waiting)(void),
		       char why[VOICES_WHY_SIZE])
{
	int err;

	*folder = (struct voices_folder){path, -1, -1, -1};
	err = voices_folder_open_made(&folder->dir_fd, path);
	if (!err)
		err = voices_folder_lock(folder, waiting);
	return err ? voices_folder_failed(folder, NULL, err, why)
		   : voices_folder_open_stage(folder, why);
}

void voices_folder_close(struct voices_folder *folder)
{
	if (folder->stage_fd >= 0) {
		close(folder->stage_fd);
		voices_file_remove(folder->dir_fd, VOICES_FOLDER_STAGE);
	}
	if (folder->lock_fd >= 0)
		close(folder->lock_fd); /* the file stays: another may wait for its lock */
	if (folder->dir_fd >= 0)
		close(folder->dir_fd);
}

int voices_folder_place(struct voices_folder *folder, const char *name, char why[VOICES_WHY_SIZE])
{
	int err = interrupt_came() ? EINTR : 0;

	if (!err) /* nobody else can change what is in the stage */
		err = voices_folder_give(folder->dir_fd, folder->stage_fd, name);
	if (!err && renameat(folder->stage_fd, name, folder->dir_fd, name) != 0)
		err = errno;
	return err ? voices_folder_failed(folder, name, err, why) : 0;
}

int voices_folder_check_space(const struct voices_folder *folder, uint64_t bytes,
			      char why[VOICES_WHY_SIZE])
{
	struct statvfs disk;
	uint64_t room;

	if (fstatvfs(folder->dir_fd, &disk) != 0)
		return 0; /* then the writes will fail */
	room = (uint64_t)disk.f_bavail * disk.f_frsize;
	if (room >= bytes)
		return 0;
	snprintf(why, VOICES_WHY_SIZE,
		 "the disk of %s has %llu MB free; %llu MB are needed during installation",
		 folder->path, (unsigned long long)(room / MEGABYTE),
		 (unsigned long long)(bytes / MEGABYTE));
	return ENOSPC;
}
