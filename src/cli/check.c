/*
 * check.c: `syrinx check`: checks whether a server would start with this configuration, and
 * prints which files it would use.
 *
 * It also prints the two files in the tree that are generated from the configuration's table:
 * conf/syrinx.conf and man/syrinx.conf.5.
 */
#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "cli/command.h"
#include "cli/config_file.h"
#include "cli/preflight.h"
#include "cli/settings.h"
#include "doors/doors.h"
#include "server/config_prices.h"

#define TEXT_MAX (1u << 20)

static int check_print(int (*print_config)(struct buf *out))
{
	struct buf out;
	int err;

	buf_init(&out, TEXT_MAX);
	err = print_config(&out);
	if (!err)
		fwrite(out.bytes, 1, out.len, stdout);
	buf_reset(&out);
	return err ? COMMAND_FAILED : COMMAND_OK;
}

/* Prints a relative path with the current directory, because that may be the mistake. */
static void check_print_path(const char *name, const char *scheme, const char *path,
			     const char *remark)
{
	char here[PARAM_STRING_SIZE];
	bool is_relative = path[0] != '/' && getcwd(here, sizeof(here));

	printf("%-14s %s%s%s%s%s\n", name, scheme, is_relative ? here : "", is_relative ? "/" : "",
	       path, remark);
}

static void check_print_store(const struct config *config, bool is_new)
{
	const char *path = store_sqlite_path(config->store_address);
	const char *remark = is_new ? " (will be created)" : "";
	char shown[STORE_ADDRESS_SHOWN];

	if (path) {
		check_print_path("store", "sqlite:", path, remark);
		return;
	}
	store_show_address(shown, config->store_address);
	printf("%-14s %s%s\n", "store", shown, remark);
}

/* Prints the files that this and all other commands use when they are called with the same
 * options. */
static void check_print_places(const struct config *config, const struct command_call *call,
			       bool is_new)
{
	const struct config_file file = config_file_find(call);
	const struct passwd *user = getpwuid(geteuid());

	if (file.path)
		printf("%-14s %s (%s)\n", "configuration", file.path, file.source);
	else
		printf("%-14s none: defaults, the environment and options\n", "configuration");
	check_print_path("data", "", config->data_dir, "");
	check_print_store(config, is_new);
	if (config->voices_dir[0])
		check_print_path("voices", "", config->voices_dir,
				 access(config->voices_dir, F_OK) == 0 ? "" : " (missing)");
	if (config->models_dir[0])
		check_print_path("models", "", config->models_dir,
				 access(config->models_dir, F_OK) == 0 ? "" : " (missing)");
	check_print_path("engines", "", config->engines_dir, "");
	if (user)
		printf("%-14s %s\n", "user", user->pw_name);
	printf("%-14s http%s://%s\n", "address", config->tls_certificate[0] ? "s" : "",
	       config->listen);
}

/* Root may read and write everything, but the server often runs as another user, the owner of its
 * data. The check must find what that user may not do. */
static int check_become_server(const struct config *config)
{
	struct stat status;
	const struct passwd *user;
	gid_t gid;

	if (geteuid() != 0 || stat(config->data_dir, &status) != 0 || status.st_uid == 0)
		return 0;
	user = getpwuid(status.st_uid);
	gid = user ? user->pw_gid : status.st_gid;
	if ((user ? initgroups(user->pw_name, gid) : setgroups(0, NULL)) != 0 ||
	    setresgid(gid, gid, gid) != 0 ||
	    setresuid(status.st_uid, status.st_uid, status.st_uid) != 0) {
		fprintf(stderr, "syrinx check: cannot switch to user %u, who owns %s: %s\n",
			(unsigned)status.st_uid, config->data_dir, strerror(errno));
		return EPERM;
	}
	return 0;
}

static int check_all(const struct command_call *call)
{
	static struct config config;
	struct buf errors;
	struct buf warnings;
	bool is_new = false;
	int status = settings_load_of_server(&config, call);
	int err, err_store;

	if (status != COMMAND_OK)
		return status;
	settings_warn_of_others(&config, config_file_find(call).path);
	if (check_become_server(&config) != 0)
		return COMMAND_FAILED;
	buf_init(&errors, TEXT_MAX);
	buf_init(&warnings, TEXT_MAX);
	err = preflight_check(&config, &errors, &warnings);
	if (config_prices_check_names(&config, &errors) != 0)
		err = EINVAL;
	if (door_check_config(doors_all, &config, &errors) != 0)
		err = EINVAL;
	err_store = preflight_check_store(&config, &is_new, &errors, &warnings);
	settings_print_findings(&errors, &warnings);
	buf_reset(&errors);
	buf_reset(&warnings);
	check_print_places(&config, call, is_new);
	if (err || err_store)
		return COMMAND_FAILED;
	printf("the configuration is valid\n");
	return COMMAND_OK;
}

static int check_run(const struct command_call *call)
{
	if (command_value(call, "sample"))
		return check_print(config_print_sample);
	if (command_value(call, "manual"))
		return check_print(config_print_manual);
	return check_all(call);
}

static const struct command_option options[] = {
	{"config", 0, "FILE", "check this file, together with the environment"},
	{"listen", 0, "HOST:PORT", "as for serve"},
	{"data", 0, "DIR", "as for serve"},
	{"workers", 0, "N", "as for serve"},
	{"voices", 0, "DIR", "as for serve"},
	{"models", 0, "DIR", "as for serve"},
	{"sample", 0, NULL, "print a configuration file with every key at its default"},
	{"manual", 0, NULL, "print the manual page of the configuration file"},
	{0},
};

const struct command command_check = {
	.name = "check",
	.summary = "Report what would keep a server from starting, and which files it "
		   "would use.",
	.options = options,
	.uses_agents = true,
	.run = check_run,
	.examples = "  syrinx check --config /etc/syrinx/syrinx.conf\n"
		    "  syrinx check --sample > syrinx.conf\n",
};
