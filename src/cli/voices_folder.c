/*
 * voices_folder.c: the folder where voices are installed (see voices_folder.h).
 */
#include "cli/voices_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "cli/interrupt.h"
#include "cli/settings.h"
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
	else
		snprintf(why, VOICES_WHY_SIZE, "%s%s%s: %s", folder->path, name ? "/" : "",
			 name ? name : "", strerror(err));
	return err;
}

static int lock(struct voices_folder *folder, void (*waiting)(void))
{
	folder->lock_fd = openat(folder->dir_fd, LOCK_FILE, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	if (folder->lock_fd < 0)
		return errno;
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

static int open_stage(struct voices_folder *folder)
{
	voices_file_remove(folder->dir_fd, VOICES_FOLDER_STAGE);
	if (mkdirat(folder->dir_fd, VOICES_FOLDER_STAGE, 0700) != 0)
		return errno;
	folder->stage_fd =
		openat(folder->dir_fd, VOICES_FOLDER_STAGE, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return folder->stage_fd < 0 ? errno : 0;
}

int voices_folder_open(struct voices_folder *folder, const char *path, void (*waiting)(void),
		       char why[VOICES_WHY_SIZE])
{
	int err;

	*folder = (struct voices_folder){path, -1, -1, -1};
	err = settings_make_dir(path, 0755);
	if (!err) {
		folder->dir_fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		err = folder->dir_fd < 0 ? errno : 0;
	}
	if (!err)
		err = lock(folder, waiting);
	if (!err)
		err = open_stage(folder);
	return err ? voices_folder_failed(folder, NULL, err, why) : 0;
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
	if (interrupt_came())
		return voices_folder_failed(folder, name, EINTR, why);
	if (renameat(folder->stage_fd, name, folder->dir_fd, name) == 0)
		return 0;
	return voices_folder_failed(folder, name, errno, why);
}

int voices_folder_check_space(const struct voices_folder *folder, uint64_t bytes,
			      char why[VOICES_WHY_SIZE])
{
	struct statvfs disk;
	uint64_t room;

	if (fstatvfs(folder->dir_fd, &disk) != 0)
		return 0; /* then the writes will tell */
	room = (uint64_t)disk.f_bavail * disk.f_frsize;
	if (room >= bytes)
		return 0;
	snprintf(why, VOICES_WHY_SIZE,
		 "the disk of %s has %llu MB free; %llu MB are needed meanwhile", folder->path,
		 (unsigned long long)(room / MEGABYTE), (unsigned long long)(bytes / MEGABYTE));
	return ENOSPC;
}
