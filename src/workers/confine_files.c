/*
 * confine_files.c: the files that a worker may read, and Landlock, which enforces the list.
 *
 * The list holds what packages install for all users (programs, libraries and
 * interpreters), and the engine's program, its data, voices and models.  It has nothing
 * else of /home, /var, /run, /root and /opt, and only a few files of /etc.
 * Symbolic links are resolved before anything is restricted, including those in
 * the folders of voices and models, whose files may be on another disk.
 *
 * Landlock does not cover whether a file exists, how large it is and when it
 * was changed: a worker can see that of every file that its user can.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/count.h"
#include "base/log.h"
#include "workers/confine_private.h"

/* The interface of linux/landlock.h up to version 7, because Debian 12 has the header of version 2.
 * A number in a comment is the version that introduced the right. */
#define CONFINE_FS_EXECUTE (UINT64_C(1) << 0)
#define CONFINE_FS_READ_FILE (UINT64_C(1) << 2)
#define CONFINE_FS_READ_DIR (UINT64_C(1) << 3)
#define CONFINE_FS_V1 ((UINT64_C(1) << 13) - 1) /* write, make, remove, and those above */
#define CONFINE_FS_REFER (UINT64_C(1) << 13) /* 2: rename and link across directories */
#define CONFINE_FS_TRUNCATE (UINT64_C(1) << 14) /* 3 */
#define CONFINE_NET_TCP UINT64_C(3) /* 4: bind and connect */
#define CONFINE_FS_IOCTL_DEV (UINT64_C(1) << 15) /* 5 */
#define CONFINE_SCOPES UINT64_C(3) /* 6: abstract UNIX sockets and signals */
#define CONFINE_VERSION_FLAG 1u
#define CONFINE_PATH_BENEATH 1

struct confine_files_ruleset {
	uint64_t fs, net, scopes;
};

struct confine_beneath {
	uint64_t allowed;
	int32_t fd;
} __attribute__((packed));

struct confine_place {
	const char *pattern;
	bool executes;
};

static const struct confine_place confine_system_places[] = {
	/* programs and libraries */
	{"/bin", true},
	{"/lib", true},
	{"/lib32", true},
	{"/lib64", true},
	{"/libx32", true},
	{"/usr/bin", true},
	{"/usr/lib", true},
	{"/usr/lib32", true},
	{"/usr/lib64", true},
	{"/usr/libx32", true},
	{"/usr/libexec", true},
	{"/usr/share", false},
	{"/usr/local/bin", true},
	{"/usr/local/lib", true},
	{"/usr/local/lib64", true},
	{"/usr/local/share", false},
	{"/nix/store", true},
	{"/gnu/store", true},
	/* how the loader and the interpreters of a distribution find their parts */
	{"/etc/ld.so.cache", false},
	{"/etc/ld.so.preload", false},
	{"/etc/alternatives", false},
	{"/etc/localtime", false},
	{"/etc/python3*", false},
	/* what a runtime asks about the machine */
	{"/dev/null", false},
	{"/dev/zero", false},
	{"/dev/random", false},
	{"/dev/urandom", false},
	{"/proc/cpuinfo", false},
	{"/proc/meminfo", false},
	{"/proc/sys/vm/overcommit_memory", false},
	{"/sys/devices/system/cpu", false},
	{"/sys/devices/system/node", false},
};

void confine_paths_reset(struct confine_paths *paths)
{
	for (size_t i = 0; i < paths->count; ++i) {
		free(paths->list[i].name);
		free(paths->list[i].real);
	}
	free(paths->list);
	*paths = (struct confine_paths){0};
}

/* Takes ownership of both strings. */
static int confine_files_paths_append(struct confine_paths *paths, struct confine_path path)
{
	struct confine_path *list = realloc(paths->list, (paths->count + 1) * sizeof(*list));

	if (!list || !path.name || !path.real) {
		paths->list = list ? list : paths->list;
		free(path.name);
		free(path.real);
		return ENOMEM;
	}
	paths->list = list;
	list[paths->count++] = path;
	return 0;
}

static char *confine_files_make_absolute(const char *name)
{
	char here[PATH_MAX];
	char *absolute = NULL;

	if (name[0] == '/')
		return strdup(name);
	if (!getcwd(here, sizeof(here)) || asprintf(&absolute, "%s/%s", here, name) < 0)
		return NULL;
	return absolute;
}

/* Where a symbolic link leads, relative to the real name of its directory.  EINVAL: it is not
 * a link. */
static int confine_files_follow(char next[PATH_MAX], const char *name)
{
	char target[PATH_MAX];
	char joined[2 * PATH_MAX];
	const char *slash = strrchr(name, '/');
	ssize_t n = readlink(name, target, sizeof(target) - 1);
	char *last;
	char *directory;
	int len;

	if (n <= 0 || !slash)
		return EINVAL;
	target[n] = '\0';
	if (target[0] == '/')
		snprintf(joined, sizeof(joined), "%s", target);
	else
		snprintf(joined, sizeof(joined), "%.*s/%s", (int)(slash - name), name, target);
	last = strrchr(joined, '/');
	*last++ = '\0';
	directory = realpath(joined[0] ? joined : "/", NULL);
	if (!directory)
		return EINVAL;
	len = snprintf(next, PATH_MAX, "%s/%s", directory, last);
	free(directory);
	return len < PATH_MAX ? 0 : EINVAL;
}

/* Adds the name of every link on the way to a file: in a root directory of the worker's own all of
 * them must exist. */
static int confine_files_add_links(struct confine_paths *paths, const struct confine_path *path)
{
	const unsigned links_max = 40; /* as the kernel */
	char name[PATH_MAX];
	char next[PATH_MAX];
	int err = 0;

	if (snprintf(name, sizeof(name), "%s", path->name) >= (int)sizeof(name))
		return 0;
	for (unsigned i = 0; i < links_max && !err; ++i) {
		struct confine_path link = *path;

		if (confine_files_follow(next, name) != 0 || strcmp(next, path->real) == 0)
			break;
		link.name = strdup(next);
		link.real = strdup(path->real);
		err = confine_files_paths_append(paths, link);
		memcpy(name, next, sizeof(name));
	}
	return err;
}

/* Missing paths are skipped: if voices are installed later, workers are restarted then. */
static int confine_files_paths_add(struct confine_paths *paths, const char *name, bool executes,
				   bool is_private)
{
	struct confine_path path = {.executes = executes, .is_private = is_private};
	struct stat file;
	int err;

	path.real = realpath(name, NULL);
	if (!path.real || stat(path.real, &file) != 0) {
		free(path.real);
		return 0;
	}
	path.is_directory = S_ISDIR(file.st_mode);
	path.name = confine_files_make_absolute(name);
	err = confine_files_paths_append(paths, path);
	if (!err && strcmp(path.name, path.real) != 0)
		err = confine_files_add_links(paths, &path);
	return err;
}

static int confine_files_add_system(struct confine_paths *paths)
{
	int err = 0;

	for (size_t i = 0; i < COUNT(confine_system_places) && !err; ++i) {
		const struct confine_place *place = &confine_system_places[i];
		glob_t found = {0};

		if (!strchr(place->pattern, '*')) {
			err = confine_files_paths_add(paths, place->pattern, place->executes,
						      false);
			continue;
		}
		if (glob(place->pattern, GLOB_NOSORT, NULL, &found) == 0) {
			for (size_t n = 0; n < found.gl_pathc && !err; ++n)
				err = confine_files_paths_add(paths, found.gl_pathv[n],
							      place->executes, false);
		}
		globfree(&found);
	}
	return err;
}

/* Allows only the process's own entry in /proc: the C library looks there for the main
 * thread's stack, and libffi for its own code.  The entry is named by number, because "self"
 * would be the process that sets up the rules. */
static int confine_files_add_proc(struct confine_paths *paths)
{
	char entry[32];

	snprintf(entry, sizeof(entry), "/proc/%ld", (long)getpid());
	return confine_files_paths_add(paths, entry, false, false);
}

static int confine_files_add_list(struct confine_paths *paths, const char *names, bool executes)
{
	char *copy = names ? strdup(names) : NULL;
	char *rest = copy;
	char *name;
	int err = names && !copy ? ENOMEM : 0;

	while (!err && (name = strsep(&rest, ":"))) {
		if (name[0] != '\0')
			err = confine_files_paths_add(paths, name, executes, true);
	}
	free(copy);
	return err;
}

/* Adds the variables SYRINX_ENGINE_* that hold a path: where an engine's data or runtime is. */
static int confine_files_add_variables(struct confine_paths *paths)
{
	static const char prefix[] = "SYRINX_ENGINE_";
	int err = 0;

	for (char **variable = environ; variable && *variable && !err; ++variable) {
		const char *value = strchr(*variable, '=');

		if (strncmp(*variable, prefix, strlen(prefix)) == 0 && value && value[1] == '/')
			err = confine_files_paths_add(paths, value + 1, false, true);
	}
	return err;
}

/* Adds the targets of links in a folder and in `levels` of folders below it. */
static int confine_files_add_targets(struct confine_paths *paths, const char *folder,
				     unsigned levels)
{
	DIR *dir = opendir(folder);
	const struct dirent *entry;
	int err = 0;

	while (dir && !err && (entry = readdir(dir))) {
		char path[PATH_MAX];

		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		if (snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name) >=
		    (int)sizeof(path))
			continue;
		if (entry->d_type == DT_LNK || entry->d_type == DT_UNKNOWN)
			err = confine_files_paths_add(paths, path, false, true);
		if (!err && levels > 0 && entry->d_type != DT_REG)
			err = confine_files_add_targets(paths, path, levels - 1);
	}
	if (dir)
		closedir(dir);
	return err;
}

/* Adds the folder of voices or of models and, because models may be on another disk, the targets of
 * its links. */
static int confine_files_add_folder(struct confine_paths *paths, const char *variable,
				    unsigned levels)
{
	const char *folder = getenv(variable);
	int err;

	if (!folder || folder[0] == '\0')
		return 0;
	err = confine_files_paths_add(paths, folder, false, true);
	return err ? err : confine_files_add_targets(paths, folder, levels);
}

int confine_paths_find(struct confine_paths *paths, const struct confine_request *request)
{
	int err = confine_files_add_system(paths);

	if (!err)
		err = confine_files_add_proc(paths);
	if (!err && request->program)
		err = confine_files_paths_add(paths, request->program, true, true);
	if (!err)
		err = confine_files_add_list(paths, getenv("LD_LIBRARY_PATH"), false);
	if (!err)
		err = confine_files_add_list(paths, getenv("ESPEAK_DATA_PATH"), false);
	if (!err)
		err = confine_files_add_variables(paths);
	if (!err)
		err = confine_files_add_list(paths, request->paths, true);
	if (!err)
		err = confine_files_add_folder(paths, CONFINE_VOICES_VARIABLE, 0);
	if (!err) /* each model is a folder, some with another folder in it */
		err = confine_files_add_folder(paths, CONFINE_MODELS_VARIABLE, 2);
	if (err)
		confine_paths_reset(paths);
	return err;
}

bool confine_is_beneath(const char *path, const struct confine_path *directory)
{
	size_t len = strlen(directory->real);

	if (strcmp(directory->real, "/") == 0)
		return true;
	return directory->is_directory && strncmp(path, directory->real, len) == 0 &&
	       (path[len] == '/' || path[len] == '\0');
}

bool confine_shows(char *where, size_t size, const struct confine_request *request,
		   const char *path)
{
	struct confine_paths paths = {0};
	char *real = realpath(path, NULL);
	bool shows = false;

	if (real && confine_paths_find(&paths, request) == 0) {
		for (size_t i = 0; i < paths.count && !shows; ++i) {
			shows = confine_is_beneath(real, &paths.list[i]);
			if (shows)
				snprintf(where, size, "%s", paths.list[i].real);
		}
	}
	confine_paths_reset(&paths);
	free(real);
	return shows;
}

/* The version can be lowered, to test what an older kernel would do, but not raised. */
static unsigned confine_files_landlock_cap(unsigned version)
{
	const char *most = getenv(CONFINE_LANDLOCK_VARIABLE);
	unsigned long cap;

	if (!most || most[0] < '0' || most[0] > '9')
		return version;
	cap = strtoul(most, NULL, 10);
	return cap < version ? (unsigned)cap : version;
}

unsigned confine_landlock_version(int *err)
{
	long version = syscall(SYS_landlock_create_ruleset, NULL, (size_t)0, CONFINE_VERSION_FLAG);
	unsigned used;

	if (version < 0) {
		*err = errno;
		return 0;
	}
	used = confine_files_landlock_cap((unsigned)version);
	*err = used ? 0 : ENOSYS;
	return used;
}

static struct confine_files_ruleset confine_files_handled(unsigned version)
{
	struct confine_files_ruleset handled = {.fs = CONFINE_FS_V1};

	if (version >= 2)
		handled.fs |= CONFINE_FS_REFER;
	if (version >= 3)
		handled.fs |= CONFINE_FS_TRUNCATE;
	if (version >= 4)
		handled.net = CONFINE_NET_TCP;
	if (version >= 5)
		handled.fs |= CONFINE_FS_IOCTL_DEV;
	if (version >= 6)
		handled.scopes = CONFINE_SCOPES;
	return handled;
}

/* Older kernels refuse a longer struct unless the rest of it is zero, which it is. */
static int confine_files_landlock_open(int *fdp, unsigned version)
{
	const struct confine_files_ruleset handled = confine_files_handled(version);
	long fd = syscall(SYS_landlock_create_ruleset, &handled, sizeof(handled), 0u);

	if (fd < 0)
		return errno;
	*fdp = (int)fd;
	return 0;
}

static int confine_files_landlock_add(int ruleset, const struct confine_path *path)
{
	struct confine_beneath rule = {.allowed = CONFINE_FS_READ_FILE};
	int err = 0;

	rule.fd = open(path->real, O_PATH | O_CLOEXEC);
	if (rule.fd < 0)
		return 0; /* it cannot be read anyway */
	if (path->is_directory)
		rule.allowed |= CONFINE_FS_READ_DIR;
	if (path->executes)
		rule.allowed |= CONFINE_FS_EXECUTE;
	if (syscall(SYS_landlock_add_rule, ruleset, CONFINE_PATH_BENEATH, &rule, 0u))
		err = errno;
	close(rule.fd);
	return err;
}

int confine_landlock(const struct confine_paths *paths, unsigned version)
{
	int ruleset = -1;
	int err = confine_files_landlock_open(&ruleset, version);

	if (err)
		return err;
	for (size_t i = 0; i < paths->count && !err; ++i)
		err = confine_files_landlock_add(ruleset, &paths->list[i]);
	if (!err && syscall(SYS_landlock_restrict_self, ruleset, 0u))
		err = errno;
	close(ruleset);
	return err;
}
