/*
 * confine_mounts.c: a root directory that holds only what a worker may read.
 *
 * In a mount namespace of its own the process gets an empty file system as its
 * root, into which the listed files and directories are mounted read-only.  The
 * mounts show the directories themselves, so voices that are installed later
 * appear in them.  Where the kernel has no Landlock, this is what limits a worker
 * to its files.  And it lets the workers of root, which run as another user,
 * reach a program in a home directory that only its owner may enter.
 *
 * That other user still could not read files that only their owner may read, so
 * private paths are mounted with root and that user exchanged (an idmapped
 * mount), where the kernel and the file system support that.
 *
 * Root creates the namespace directly; other users create it inside a user
 * namespace, in which the process keeps its ids.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/mount.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/count.h"
#include "workers/confine_private.h"

/* sys/mount.h and linux/mount.h cannot both be included. */
int mount(const char *source, const char *target, const char *type, unsigned long flags,
	  const void *data);
int umount2(const char *target, int flags);
#define CONFINE_DETACH 2 /* MNT_DETACH */

/* Directories that contain nothing that a worker needs: the new root is mounted on one of them until
 * it takes the place of the old one. */
static const char *const confine_bases[] = {"/tmp", "/run", "/mnt"};

#define CONFINE_OLD "/.old" /* in the new root, while it is being filled */

static int confine_mounts_write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : write(fd, text, strlen(text));
	int err = n < 0 ? errno : 0;

	if (fd >= 0)
		close(fd);
	return err;
}

/* Enters a user namespace in which the process keeps its IDs. */
static int confine_mounts_unshare_as_user(void)
{
	const long uid = (long)getuid();
	const long gid = (long)getgid();
	char map[64];
	int err;

	if (unshare(CLONE_NEWUSER | CLONE_NEWNS))
		return errno;
	err = confine_mounts_write_file("/proc/self/setgroups", "deny");
	snprintf(map, sizeof(map), "%ld %ld 1", gid, gid);
	if (!err)
		err = confine_mounts_write_file("/proc/self/gid_map", map);
	snprintf(map, sizeof(map), "%ld %ld 1", uid, uid);
	if (!err)
		err = confine_mounts_write_file("/proc/self/uid_map", map);
	return err;
}

/* Writes the map of IDs that exchanges root and another ID and keeps all others. */
static int confine_mounts_exchange_map(char *map, size_t size, unsigned long id)
{
	const unsigned long last = 4294967294ul;
	int n = snprintf(map, size, "0 %lu 1\n%lu 0 1\n", id, id);

	if (id > 1)
		n += snprintf(map + n, size - (size_t)n, "1 1 %lu\n", id - 1);
	n += snprintf(map + n, size - (size_t)n, "%lu %lu %lu\n", id + 1, id + 1, last - id);
	return n < (int)size ? 0 : ENAMETOOLONG;
}

/* Opens a user namespace that exchanges root and another user.  A namespace needs a process, so it is
 * created by a child that does nothing else and ends when the namespace is open. */
static int confine_mounts_exchange_open(int *fdp, uid_t uid, gid_t gid)
{
	char path[64];
	char map[128];
	int gate[2];
	char byte;
	int err;
	pid_t pid;

	if (pipe2(gate, O_CLOEXEC))
		return errno;
	pid = (pid_t)syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, NULL, NULL, NULL, 0UL);
	if (pid == 0) {
		close(gate[1]);
		_exit(read(gate[0], &byte, 1) < 0);
	}
	err = pid < 0 ? errno : confine_mounts_exchange_map(map, sizeof(map), uid);
	snprintf(path, sizeof(path), "/proc/%ld/uid_map", (long)pid);
	if (!err)
		err = confine_mounts_write_file(path, map);
	if (!err)
		err = confine_mounts_exchange_map(map, sizeof(map), gid);
	snprintf(path, sizeof(path), "/proc/%ld/gid_map", (long)pid);
	if (!err)
		err = confine_mounts_write_file(path, map);
	snprintf(path, sizeof(path), "/proc/%ld/ns/user", (long)pid);
	*fdp = err ? -1 : open(path, O_RDONLY | O_CLOEXEC);
	if (!err && *fdp < 0)
		err = errno;
	close(gate[0]);
	close(gate[1]);
	if (pid > 0)
		waitpid(pid, NULL, 0);
	return err;
}

/* Mounts a copy of the source at the target, read-only and with the IDs exchanged. */
static int confine_mounts_mount_exchanged(const char *source, const char *target, int exchange)
{
	struct mount_attr attributes = {
		.attr_set =
			MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_IDMAP,
		.userns_fd = (unsigned)exchange,
	};
	int fd = (int)syscall(SYS_open_tree, AT_FDCWD, source,
			      OPEN_TREE_CLONE | (unsigned)O_CLOEXEC);
	int err = 0;

	if (fd < 0)
		return errno;
	if (syscall(SYS_mount_setattr, fd, "", AT_EMPTY_PATH, &attributes, sizeof(attributes)) ||
	    syscall(SYS_move_mount, fd, "", AT_FDCWD, target, MOVE_MOUNT_F_EMPTY_PATH))
		err = errno;
	close(fd);
	return err;
}

/* Includes everything below a mount where the kernel supports that; otherwise only the mount
 * itself.  Read-only mounts are an addition to the system call filter, so it is acceptable if
 * the flags of a mount cannot be changed.  Device files need their mount's permission to be
 * devices. */
static int confine_mounts_mount_plain(const char *source, const char *target, bool is_directory)
{
	const struct mount_attr attributes = {
		.attr_set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID |
			    (is_directory ? MOUNT_ATTR_NODEV : 0u),
	};

	if (mount(source, target, NULL, MS_BIND | MS_REC, NULL))
		return errno;
	if (syscall(SYS_mount_setattr, AT_FDCWD, target, AT_RECURSIVE, &attributes,
		    sizeof(attributes)))
		(void)mount(NULL, target, NULL,
			    MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID |
				    (is_directory ? MS_NODEV : 0u),
			    NULL);
	return 0;
}

/* The new root, while it is being filled. */
struct confine_root {
	char base[32]; /* where it is: "" once it is the root */
	int exchange; /* a user namespace for private paths, or -1 */
};

/* Opens the directory that will hold `path`, and creates it if it is missing.  Never follows
 * a symbolic link, which would lead to the old root while that is still there.  -1: a part of
 * the path is a link or a file. */
static int confine_mounts_open_parent(const struct confine_root *root, const char *path,
				      const char **lastp)
{
	char part[NAME_MAX + 1];
	int fd = open(root->base[0] ? root->base : "/", O_PATH | O_DIRECTORY | O_CLOEXEC);

	for (;;) {
		size_t len;
		int next;

		path += strspn(path, "/");
		len = strcspn(path, "/");
		if (fd < 0 || len == 0 || len > NAME_MAX)
			return -1;
		if (path[len] == '\0') {
			*lastp = path;
			return fd;
		}
		memcpy(part, path, len);
		part[len] = '\0';
		(void)mkdirat(fd, part, 0755);
		next = openat(fd, part, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		close(fd);
		fd = next;
		path += len;
	}
}

/* Creates a mount point, or a link to what was mounted elsewhere. */
static int confine_mounts_make_target(const struct confine_root *root, const char *path,
				      bool is_directory, const char *link)
{
	const char *last;
	int parent = confine_mounts_open_parent(root, path, &last);
	int made;

	if (parent < 0)
		return ENOTDIR;
	if (link)
		made = symlinkat(link, parent, last);
	else if (is_directory)
		made = mkdirat(parent, last, 0755);
	else
		made = mknodat(parent, last, S_IFREG | 0644, 0);
	made = made && errno != EEXIST ? errno : 0;
	close(parent);
	return made;
}

/* Whether one of the first n paths already contains it. */
static bool confine_mounts_is_shown(const struct confine_paths *paths, size_t n, const char *path)
{
	for (size_t i = 0; i < n; ++i) {
		if (confine_is_beneath(path, &paths->list[i]))
			return true;
	}
	return false;
}

static int confine_mounts_mount_path(const struct confine_root *root,
				     const struct confine_path *path)
{
	char source[PATH_MAX + 64];
	char target[PATH_MAX + 64];
	int err = confine_mounts_make_target(root, path->real, path->is_directory, NULL);

	if (err)
		return err;
	snprintf(source, sizeof(source), "%s" CONFINE_OLD "%s", root->base, path->real);
	snprintf(target, sizeof(target), "%s%s", root->base, path->real);
	if (path->is_private && root->exchange >= 0 &&
	    confine_mounts_mount_exchanged(source, target, root->exchange) == 0)
		return 0;
	return confine_mounts_mount_plain(source, target, path->is_directory);
}

/* Real paths are mounted first, because the names are links to them.  A path that cannot be mounted
 * is missing for the engine, which says so if it needs it.  A name cannot be created if a part of it
 * is a link that was created for another name, but then that link leads to the file. */
static void confine_mounts_fill(const struct confine_root *root, const struct confine_paths *paths)
{
	char self[32];

	for (size_t i = 0; i < paths->count; ++i) {
		if (!confine_mounts_is_shown(paths, i, paths->list[i].real))
			(void)confine_mounts_mount_path(root, &paths->list[i]);
	}
	for (size_t i = 0; i < paths->count; ++i) {
		const struct confine_path *path = &paths->list[i];

		if (!confine_mounts_is_shown(paths, paths->count, path->name))
			(void)confine_mounts_make_target(root, path->name, false, path->real);
	}
	snprintf(self, sizeof(self), "%ld", (long)getpid());
	(void)confine_mounts_make_target(root, "/proc/self", false, self);
}

/* Mounts the new root: an empty file system. */
static int confine_mounts_mount_base(struct confine_root *root)
{
	int err = ENOENT;

	for (size_t i = 0; i < COUNT(confine_bases); ++i) {
		if (mount("none", confine_bases[i], "tmpfs", MS_NOSUID | MS_NODEV,
			  "size=1m,mode=755") == 0) {
			snprintf(root->base, sizeof(root->base), "%s", confine_bases[i]);
			return 0;
		}
		err = errno;
	}
	return err;
}

/* Makes the old root a directory of the new one.  Where pivot_root cannot do that (an initial RAM disk
 * cannot be moved), the old root is mounted there a second time, and the new root, which is mounted
 * in the old one, is removed from that copy. */
static int confine_mounts_turn(struct confine_root *root)
{
	char old[64];
	char covered[96];

	snprintf(old, sizeof(old), "%s" CONFINE_OLD, root->base);
	snprintf(covered, sizeof(covered), "%s%s", old, root->base);
	if (mkdir(old, 0700))
		return errno;
	if (syscall(SYS_pivot_root, root->base, old) == 0) {
		root->base[0] = '\0';
		return chdir("/") ? errno : 0;
	}
	if (mount("/", old, NULL, MS_BIND | MS_REC, NULL) || umount2(covered, CONFINE_DETACH))
		return errno;
	return 0;
}

/* Unmounts the old root, and makes the new one read-only. */
static int confine_mounts_leave_old(const struct confine_root *root)
{
	const char *base = root->base[0] ? root->base : "/";
	char old[64];

	snprintf(old, sizeof(old), "%s" CONFINE_OLD, root->base);
	if (umount2(old, CONFINE_DETACH) || rmdir(old))
		return errno;
	if (mount(NULL, base, NULL, MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV, NULL))
		return errno;
	if (root->base[0] && (chroot(root->base) || chdir("/")))
		return errno;
	return 0;
}

/* Changes only a private copy of the mounts.  A root directory that is not a mount, as in a
 * chroot, cannot be made private: then nothing is mounted. */
static int confine_mounts_begin(struct confine_root *root)
{
	int err;

	if (unshare(CLONE_NEWNS) != 0) {
		err = geteuid() == 0 ? errno : confine_mounts_unshare_as_user();
		if (err)
			return err;
	}
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
		return errno;
	err = confine_mounts_mount_base(root);
	if (err)
		return err;
	err = confine_mounts_turn(root);
	if (err)
		(void)umount2(root->base, CONFINE_DETACH);
	return err;
}

int confine_mounts(const struct confine_paths *paths, const struct confine_request *request,
		   int *unavailable)
{
	struct confine_root root = {.exchange = -1};
	int err = 0;

	if (request->switch_user && geteuid() == 0)
		(void)confine_mounts_exchange_open(&root.exchange, request->uid, request->gid);
	*unavailable = confine_mounts_begin(&root);
	if (!*unavailable) {
		confine_mounts_fill(&root, paths);
		err = confine_mounts_leave_old(&root);
	}
	if (root.exchange >= 0)
		close(root.exchange);
	return err;
}
