/*
 * data_dir.c: creates the data directory and keeps it private (see data_dir.h).
 */
#include "cli/data_dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/count.h"
#include "base/log.h"
#include "cli/settings.h"

#define DATA_DIR_OTHERS (S_IRWXG | S_IRWXO)

/* Syrinx's own directories are two levels deep; symbolic links are not followed anyway. */
#define DATA_DIR_DEPTH_MAX 8

/* Whether this is the name of a file that Syrinx creates, or starts like one. */
static bool data_dir_is_ours(const char *name)
{
	static const char *const beginnings[] = {"syrinx.", "local.key"};
	static const char *const names[] = {"spool", "samples", "engines"};

	for (size_t i = 0; i < COUNT(beginnings); ++i) {
		if (strncmp(name, beginnings[i], strlen(beginnings[i])) == 0)
			return true;
	}
	for (size_t i = 0; i < COUNT(names); ++i) {
		if (strcmp(name, names[i]) == 0)
			return true;
	}
	return false;
}

/* The folders of voices and models may be inside the data directory, as in the Debian package. */
static bool data_dir_is_engines(int dir_fd, const char *name, const struct config *config)
{
	const char *const folders[] = {config->voices_dir, config->models_dir};
	struct stat folder;
	struct stat entry;

	for (size_t i = 0; i < COUNT(folders); ++i) {
		if (folders[i][0] && stat(folders[i], &folder) == 0 &&
		    fstatat(dir_fd, name, &entry, 0) == 0 && entry.st_dev == folder.st_dev &&
		    entry.st_ino == folder.st_ino)
			return true;
	}
	return false;
}

/* Opens the directory for reading, with a descriptor of its own: closedir does not close dir_fd. */
static DIR *data_dir_list(int dir_fd)
{
	int fd = openat(dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);

	if (!dir && fd >= 0)
		close(fd);
	return dir;
}

/* Whether the directory contains anything that is not Syrinx's: then its mode must not be
 * changed. Hidden files do not count, nor do the files that a file system has at its root. */
static bool data_dir_is_shared(int dir_fd, const struct config *config)
{
	DIR *dir = data_dir_list(dir_fd);
	const struct dirent *entry;
	bool is_shared = false;

	if (!dir)
		return false;
	while (!is_shared && (entry = readdir(dir)))
		is_shared = entry->d_name[0] != '.' && !data_dir_is_ours(entry->d_name) &&
			    strcmp(entry->d_name, "lost+found") != 0 &&
			    !data_dir_is_engines(dir_fd, entry->d_name, config);
	closedir(dir);
	return is_shared;
}

/* Checks the result, because some file systems accept a mode and ignore it. */
static void data_dir_report_closed(int fd, const char *path, unsigned mode)
{
	struct stat status;

	if (fstat(fd, &status) == 0 && (status.st_mode & DATA_DIR_OTHERS) == 0)
		log_warn("data", "%s was open to other users (mode %04o); it is 0700 now", path,
			 mode);
	else
		log_warn("data",
			 "%s is open to other users (mode %04o), and its file system does not "
			 "store permissions: every user of this machine can read it",
			 path, mode);
}

/* Directories that other programs expect to be open to everybody, even while they are empty. */
static bool data_dir_is_everybodys(const char *path)
{
	static const char *const everybodys[] = {"/tmp", "/var/tmp", "/dev/shm"};
	char real[PATH_MAX];

	if (!realpath(path, real))
		return false;
	for (size_t i = 0; i < COUNT(everybodys); ++i) {
		if (strcmp(real, everybodys[i]) == 0)
			return true;
	}
	return false;
}

bool data_dir_can_be_used(const struct config *config)
{
	int fd = open(config->data_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct stat status;
	bool can_close;

	if (fd < 0 || fstat(fd, &status) != 0 || (status.st_mode & S_IWOTH) == 0) {
		if (fd >= 0)
			close(fd);
		return true;
	}
	can_close = (geteuid() == 0 || geteuid() == status.st_uid) &&
		    !data_dir_is_everybodys(config->data_dir) && !data_dir_is_shared(fd, config);
	close(fd);
	return can_close;
}

/* Checks and corrects the mode of an existing directory. */
static int data_dir_close(int fd, const struct stat *status, const struct config *config)
{
	const char *path = config->data_dir;
	unsigned mode = status->st_mode & 07777;
	bool is_shared;

	if ((mode & DATA_DIR_OTHERS) == 0)
		return 0;
	is_shared = data_dir_is_everybodys(path) || data_dir_is_shared(fd, config);
	if (!is_shared && fchmod(fd, S_IRWXU) == 0) {
		data_dir_report_closed(fd, path, mode);
		return 0;
	}
	if (mode & S_IWOTH) {
		fprintf(stderr, "syrinx: " DATA_DIR_REFUSAL, path);
		return EPERM;
	}
	if (is_shared)
		log_warn("data",
			 "%s is open to other users (mode %04o) and also contains other "
			 "files, so its mode is left as it is; only Syrinx's files in it are "
			 "made private. Use a separate directory for Syrinx",
			 path, mode);
	else
		log_warn("data", "%s is open to other users (mode %04o) and belongs to user %u: %s",
			 path, mode, (unsigned)status->st_uid, strerror(errno));
	return 0;
}

/* Creates a missing directory with access only for its owner, whatever the umask is. */
static int data_dir_ensure(const char *path)
{
	mode_t before = umask(DATA_DIR_OTHERS);
	int err = settings_make_dir(path, S_IRWXU);

	umask(before);
	return err;
}

int data_dir_make(const struct config *config)
{
	struct stat status = {0};
	int err = data_dir_ensure(config->data_dir);
	int fd = -1;

	if (!err) {
		fd = open(config->data_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (fd < 0 || fstat(fd, &status) != 0)
			err = errno;
	}
	if (err)
		fprintf(stderr, "syrinx: cannot create %s: %s\n", config->data_dir, strerror(err));
	else
		err = data_dir_close(fd, &status, config);
	if (fd >= 0)
		close(fd);
	return err;
}

/* The results of a walk through the directory. */
struct data_dir_walk {
	const struct config *config;
	uid_t owner; /* the owner of the directory */
	unsigned closed; /* the number of files that were open to others */
	char first[256]; /* the name of the first of them */
	unsigned foreign; /* the number of files that belong to another user, who can change them */
	char first_foreign[256];
};

/* Uses a descriptor, so that nobody can replace the file in between. fchmod does not accept an
 * O_PATH descriptor. */
static int data_dir_change_mode(int fd, unsigned mode)
{
	char link[32];

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	return chmod(link, mode) == 0 ? 0 : errno;
}

static void data_dir_close_entry(struct data_dir_walk *walk, int fd, const char *name,
				 const struct stat *status)
{
	int err;

	if (status->st_uid != geteuid() && status->st_uid != walk->owner && walk->foreign++ == 0)
		snprintf(walk->first_foreign, sizeof(walk->first_foreign), "%.200s", name);
	if ((status->st_mode & DATA_DIR_OTHERS) == 0)
		return;
	err = data_dir_change_mode(fd, status->st_mode & 07700);
	if (err)
		log_warn("data", "%s in %s is open to other users: %s", name,
			 walk->config->data_dir, strerror(err));
	else if (walk->closed++ == 0)
		snprintf(walk->first, sizeof(walk->first), "%.200s", name);
}

static void data_dir_walk(struct data_dir_walk *walk, int dir_fd, unsigned depth);

/* Symbolic links are ignored: their targets may belong to someone else. */
static void data_dir_visit(struct data_dir_walk *walk, int dir_fd, const char *name, unsigned depth)
{
	int fd = openat(dir_fd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	struct stat status;

	if (fd < 0)
		return; /* it was removed in the meantime */
	if (fstat(fd, &status) == 0 && !S_ISLNK(status.st_mode)) {
		data_dir_close_entry(walk, fd, name, &status);
		if (S_ISDIR(status.st_mode) && depth < DATA_DIR_DEPTH_MAX)
			data_dir_walk(walk, fd, depth + 1);
	}
	close(fd);
}

static void data_dir_walk(struct data_dir_walk *walk, int dir_fd, unsigned depth)
{
	DIR *dir = data_dir_list(dir_fd);
	const struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		const char *name = entry->d_name;

		if (strcmp(name, ".") != 0 && strcmp(name, "..") != 0 &&
		    (depth > 0 || data_dir_is_ours(name)) &&
		    !data_dir_is_engines(dir_fd, name, walk->config))
			data_dir_visit(walk, dir_fd, name, depth);
	}
	if (dir)
		closedir(dir);
}

void data_dir_close_files(const struct config *config)
{
	struct data_dir_walk walk = {.config = config};
	int fd = open(config->data_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct stat status;

	if (fd < 0 || fstat(fd, &status) != 0) {
		log_warn("data", "cannot read the directory %s: %s", config->data_dir,
			 strerror(errno));
		if (fd >= 0)
			close(fd);
		return;
	}
	walk.owner = status.st_uid;
	if (status.st_uid != geteuid() && status.st_uid != 0)
		log_warn("data", "%s belongs to user %u, who can read and replace what is in it",
			 config->data_dir, (unsigned)status.st_uid);
	data_dir_walk(&walk, fd, 0);
	close(fd);
	if (walk.closed > 0)
		log_warn("data",
			 "%u files in %s were open to other users, the first is %s; they are "
			 "private now",
			 walk.closed, config->data_dir, walk.first);
	if (walk.foreign > 0)
		log_warn("data",
			 "%u files in %s belong to another user, who can read and change "
			 "them, the first is %s",
			 walk.foreign, config->data_dir, walk.first_foreign);
}
