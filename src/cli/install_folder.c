/*
 * install_folder.c: a folder in which voices or models are installed (see install_folder.h).
 */
#include "cli/install_folder.h"

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

#include "cli/install_file.h"
#include "cli/interrupt.h"

#define LOCK_FILE ".lock"
#define MEGABYTE 1000000u

int install_folder_failed(const struct install_folder *folder, const char *name, int err,
			  char why[INSTALL_WHY_SIZE])
{
	if (err == EINTR)
		snprintf(why, INSTALL_WHY_SIZE, "interrupted; no incomplete files are left");
	else if (err == ENOSPC)
		snprintf(why, INSTALL_WHY_SIZE, "the disk that holds %s is full", folder->path);
	else if (!name && (err == EROFS || err == EACCES || err == EPERM))
		snprintf(why, INSTALL_WHY_SIZE, "%s: %s; name a writable folder with %s",
			 folder->path, strerror(err), folder->choice);
	else
		snprintf(why, INSTALL_WHY_SIZE, "%s%s%s: %s", folder->path, name ? "/" : "",
			 name ? name : "", strerror(err));
	return err;
}

/* Gives the file `fd`, which root has just created, to the owner of the directory `dir_fd`, such as
 * the service's user, who can then replace or remove it. */
static int install_folder_give(int dir_fd, int fd)
{
	struct stat owner;

	if (geteuid() != 0)
		return 0;
	if (fstat(dir_fd, &owner) != 0 ||
	    fchownat(fd, "", owner.st_uid, owner.st_gid, AT_EMPTY_PATH) != 0)
		return errno;
	return 0;
}

/* Opens the directory `name` in `*dirp`, creating it if necessary, and replaces `*dirp` with it. */
static int install_folder_enter(int *dirp, const char *name)
{
	bool is_made = mkdirat(*dirp, name, 0755) == 0;
	int fd;
	int err = 0;

	if (!is_made && errno != EEXIST)
		return errno;
	/* If root just created the directory and something else has replaced it, that must not be
	 * given to the folder's owner. */
	fd = openat(*dirp, name, O_PATH | O_DIRECTORY | O_CLOEXEC | (is_made ? O_NOFOLLOW : 0));
	if (fd < 0)
		return errno;
	if (is_made)
		err = install_folder_give(*dirp, fd);
	close(*dirp);
	*dirp = fd;
	return err;
}

/* Opens the directory, creating missing parts of its path. */
static int install_folder_open_made(int *fdp, const char *path)
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
		err = install_folder_enter(&dir, part);
	}
	if (!err) {
		*fdp = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		err = *fdp < 0 ? errno : 0;
	}
	if (dir >= 0)
		close(dir);
	return err;
}

/* Only a newly created file is given to the folder's owner: an existing one could be a link to
 * any file, which root would give away. */
static int install_folder_open_lock(struct install_folder *folder)
{
	folder->lock_fd =
		openat(folder->dir_fd, LOCK_FILE, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	if (folder->lock_fd >= 0)
		return install_folder_give(folder->dir_fd, folder->lock_fd);
	if (errno != EEXIST)
		return errno;
	folder->lock_fd = openat(folder->dir_fd, LOCK_FILE, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
	return folder->lock_fd < 0 ? errno : 0;
}

static int install_folder_lock(struct install_folder *folder, void (*waiting)(void))
{
	int err = install_folder_open_lock(folder);

	if (err)
		return err;
	if (flock(folder->lock_fd, LOCK_EX | LOCK_NB) == 0)
		return 0;
	if (errno != EWOULDBLOCK)
		return errno;
	waiting();
	while (flock(folder->lock_fd, LOCK_EX) != 0)
		if (errno != EINTR || interrupt_is_pending())
			return errno;
	return 0;
}

/* Whether this is the directory that was just created. The folder's owner can rename what is in
 * the folder, and could replace our directory with one that has links in it. */
static bool install_folder_is_own_stage(int fd)
{
	struct stat status;

	return fstat(fd, &status) == 0 && status.st_uid == geteuid() &&
	       (status.st_mode & (S_IRWXG | S_IRWXO)) == 0;
}

static int install_folder_open_stage(struct install_folder *folder, char why[INSTALL_WHY_SIZE])
{
	install_file_remove(folder->dir_fd, INSTALL_FOLDER_STAGE);
	if (mkdirat(folder->dir_fd, INSTALL_FOLDER_STAGE, 0700) != 0)
		return install_folder_failed(folder, NULL, errno, why);
	folder->stage_fd = openat(folder->dir_fd, INSTALL_FOLDER_STAGE,
				  O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (folder->stage_fd >= 0 && install_folder_is_own_stage(folder->stage_fd))
		return 0;
	snprintf(why, INSTALL_WHY_SIZE,
		 "%s/" INSTALL_FOLDER_STAGE " was replaced while it was being used; make sure that "
		 "only trusted users can write to the folder",
		 folder->path);
	return EPERM;
}

int install_folder_open(struct install_folder *folder, const char *path, const char *choice,
			void (*waiting)(void), char why[INSTALL_WHY_SIZE])
{
	int err;

	*folder = (struct install_folder)INSTALL_FOLDER_CLOSED;
	folder->path = path;
	folder->choice = choice;
	err = install_folder_open_made(&folder->dir_fd, path);
	if (!err)
		err = install_folder_lock(folder, waiting);
	return err ? install_folder_failed(folder, NULL, err, why)
		   : install_folder_open_stage(folder, why);
}

void install_folder_close(struct install_folder *folder)
{
	if (folder->stage_fd >= 0) {
		close(folder->stage_fd);
		install_file_remove(folder->dir_fd, INSTALL_FOLDER_STAGE);
	}
	if (folder->lock_fd >= 0)
		/* The file is kept, because another process may be waiting for its lock. */
		close(folder->lock_fd);
	if (folder->dir_fd >= 0)
		close(folder->dir_fd);
}

/* Moves a staged file or directory into place. A directory cannot replace another one that has
 * files in it, so the two change places, and the old one is removed with the staging directory. A
 * file system that cannot do that has no directory of this name for a moment. */
static int install_folder_swap(struct install_folder *folder, const char *name)
{
	static const char old[] = "replaced";
	int dir = folder->dir_fd, stage = folder->stage_fd;

	if (renameat(stage, name, dir, name) == 0)
		return 0;
	if (errno != ENOTEMPTY && errno != EEXIST && errno != EISDIR && errno != ENOTDIR)
		return errno;
	if (renameat2(stage, name, dir, name, RENAME_EXCHANGE) == 0)
		return 0;
	install_file_remove(stage, old);
	if (renameat(dir, name, stage, old) != 0 || renameat(stage, name, dir, name) != 0)
		return errno;
	return 0;
}

int install_folder_place(struct install_folder *folder, const char *name,
			 char why[INSTALL_WHY_SIZE])
{
	int err = interrupt_is_pending() ? EINTR : 0;
	struct stat owner;

	if (!err && geteuid() == 0) {
		/* Nobody else can change files in the staging directory. */
		err = fstat(folder->dir_fd, &owner) != 0
			      ? errno
			      : install_file_give(folder->stage_fd, name, owner.st_uid,
						  owner.st_gid);
	}
	if (!err)
		err = install_folder_swap(folder, name);
	return err ? install_folder_failed(folder, name, err, why) : 0;
}

int install_folder_remove(struct install_folder *folder, const char *name,
			  char why[INSTALL_WHY_SIZE])
{
	static const char removed[] = "removed";
	struct stat status;

	if (fstatat(folder->dir_fd, name, &status, AT_SYMLINK_NOFOLLOW) != 0)
		return errno == ENOENT ? ENOENT : install_folder_failed(folder, name, errno, why);
	if (renameat(folder->dir_fd, name, folder->stage_fd, removed) != 0)
		return install_folder_failed(folder, name, errno, why);
	install_file_remove(folder->stage_fd, removed);
	return 0;
}

int install_folder_check_space(const struct install_folder *folder, uint64_t bytes,
			       char why[INSTALL_WHY_SIZE])
{
	struct statvfs disk;
	uint64_t room;

	if (fstatvfs(folder->dir_fd, &disk) != 0)
		return 0; /* if the space is not known, writing will fail */
	room = (uint64_t)disk.f_bavail * disk.f_frsize;
	if (room >= bytes)
		return 0;
	snprintf(why, INSTALL_WHY_SIZE,
		 "the disk that holds %s has %llu MB free; the installation needs %llu MB",
		 folder->path, (unsigned long long)(room / MEGABYTE),
		 (unsigned long long)(bytes / MEGABYTE));
	return ENOSPC;
}
