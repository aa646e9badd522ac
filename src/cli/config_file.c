/*
 * config_file.c: finds the configuration file that a command reads (see config_file.h).
 */
#include "cli/config_file.h"

#include <errno.h>
#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/program_path.h"

/* CONFIG_FILE_BINDIR, from meson.build, is where the program is installed. Wherever that is, its
 * files are in the standard places for system services. */
#define CONFIG_FILE_CONFIG "/etc/syrinx/syrinx.conf"
#define CONFIG_FILE_DATA "/var/lib/syrinx"
#define CONFIG_FILE_ENVIRONMENT "/etc/default/syrinx"

struct config_file_installed {
	char path[PATH_MAX];
	char environment[PATH_MAX];
	struct config_places places;
};

static int config_file_join(char *path, size_t size, const char *root, size_t root_len,
			    const char *rest)
{
	int n = snprintf(path, size, "%.*s%s", (int)root_len, root, rest);

	return n > 0 && (size_t)n < size ? 0 : ENAMETOOLONG;
}

/* Finds the files of the installation that this program, syrinx or syrinx-bench, belongs to;
 * ENOENT if it is not installed. An image or a package tree may have another root:
 * /srv/root/usr/bin/syrinx reads /srv/root/etc/syrinx/syrinx.conf. */
static int config_file_find_installed(struct config_file_installed *installed)
{
	static const char program[] = CONFIG_FILE_BINDIR "/syrinx";
	char self[PATH_MAX];
	size_t root;
	int err = program_path_find(self, sizeof(self), "syrinx");

	if (err || strlen(self) < strlen(program))
		return ENOENT;
	root = strlen(self) - strlen(program);
	if (strcmp(self + root, program) != 0)
		return ENOENT;
	err = config_file_join(installed->path, sizeof(installed->path), self, root,
			       CONFIG_FILE_CONFIG);
	if (!err)
		err = config_file_join(installed->environment, sizeof(installed->environment), self,
				       root, CONFIG_FILE_ENVIRONMENT);
	if (!err)
		err = config_file_join(installed->places.data_dir, PARAM_STRING_SIZE, self, root,
				       CONFIG_FILE_DATA);
	if (!err)
		err = config_file_join(installed->places.voices_dir, PARAM_STRING_SIZE, self, root,
				       CONFIG_FILE_DATA "/voices");
	if (!err)
		err = config_file_join(installed->places.models_dir, PARAM_STRING_SIZE, self, root,
				       CONFIG_FILE_DATA "/models");
	return err;
}

static bool config_file_is_same(const char *a, const char *b)
{
	struct stat of_a;
	struct stat of_b;

	return stat(a, &of_a) == 0 && stat(b, &of_b) == 0 && of_a.st_dev == of_b.st_dev &&
	       of_a.st_ino == of_b.st_ino;
}

struct config_file config_file_find(const struct command_call *call)
{
	static struct config_file_installed installed;
	const char *option = command_value_if_known(call, "config");
	const char *variable = getenv("SYRINX_CONFIG");
	bool is_installed = config_file_find_installed(&installed) == 0;
	struct config_file file = {.path = NULL};

	if (option) {
		file = (struct config_file){.path = option, .source = "--config"};
	} else if (variable) {
		file.path = variable[0] ? variable : NULL;
		file.source = "SYRINX_CONFIG";
	} else if (is_installed && !command_value_if_known(call, "data") &&
		   !command_value_if_known(call, "store") &&
		   (access(installed.path, R_OK) == 0 || errno == EACCES)) {
		file = (struct config_file){.path = installed.path,
					    .source = "the installed server's",
					    .is_default = true,
					    .is_denied = access(installed.path, R_OK) != 0};
	}
	if (is_installed && file.path && config_file_is_same(file.path, installed.path)) {
		file.places = &installed.places;
		file.environment = installed.environment;
	}
	return file;
}

/* The configuration has mode 0640 and belongs to root:syrinx, and the data directory belongs to
 * syrinx. */
static const char *config_file_user_of(const char *path)
{
	struct stat status;
	const struct group *group;
	const struct passwd *user;

	if (stat(path, &status) != 0)
		return NULL;
	user = status.st_uid ? getpwuid(status.st_uid) : NULL;
	if (user)
		return user->pw_name;
	group = status.st_gid ? getgrgid(status.st_gid) : NULL;
	user = group ? getpwnam(group->gr_name) : NULL;
	return user ? user->pw_name : NULL;
}

static bool config_file_has_sudo(void)
{
	const char *path = getenv("PATH");
	char program[PATH_MAX];

	for (; path && *path; path += strspn(path, ":")) {
		int len = (int)strcspn(path, ":");

		snprintf(program, sizeof(program), "%.*s/sudo", len, path);
		if (access(program, X_OK) == 0)
			return true;
		path += len;
	}
	return false;
}

void config_file_suggest(char *text, size_t size, const char *path, const struct command *command)
{
	const char *user = config_file_user_of(path);
	bool is_root = geteuid() == 0;

	if (config_file_has_sudo())
		snprintf(text, size, "sudo%s%s syrinx %s ...", user ? " -u " : "", user ? user : "",
			 command->name);
	else
		snprintf(text, size, "%s%s%s%ssyrinx %s ...%s", is_root ? "" : "su -c '",
			 user ? "runuser -u " : "", user ? user : "", user ? " -- " : "",
			 command->name, is_root ? "" : "'");
}
