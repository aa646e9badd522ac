/*
 * settings.c: the configuration as the options of a command ask for it (see
 * settings.h).
 */
#include "cli/settings.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/count.h"
#include "base/log.h"

/* Mistakes are lines; a file of nothing but mistakes is cut here. */
#define ERRORS_MAX 65536u

static const struct {
	const char *name;
	const char *option;
	const char *key;
} overriding[] = {
	{"listen", "--listen", "server.listen"},    {"data", "--data", "server.data"},
	{"workers", "--workers", "speech.workers"}, {"voices", "--voices", "speech.voices_dir"},
	{"store", "--store", "store.address"},
};

#define OVERRIDING COUNT(overriding)

static const char *value_if_known(const struct command_call *call, const char *name)
{
	for (const struct command_option *o = call->command->options; o->name; ++o)
		if (strcmp(o->name, name) == 0)
			return command_value(call, name);
	return NULL;
}

int settings_load_quietly(struct config *config, const struct command_call *call,
			  struct buf *errors)
{
	struct config_override overrides[OVERRIDING];
	size_t count = 0;

	for (size_t i = 0; i < OVERRIDING; ++i) {
		const char *value = value_if_known(call, overriding[i].name);

		if (value)
			overrides[count++] = (struct config_override){overriding[i].key, value,
								      overriding[i].option};
	}
	return config_load(config, value_if_known(call, "config"), overrides, count, errors);
}

int settings_load(struct config *config, const struct command_call *call)
{
	struct buf errors;
	int err;

	buf_init(&errors, ERRORS_MAX);
	err = settings_load_quietly(config, call, &errors);
	if (errors.len > 0)
		fwrite(errors.bytes, 1, errors.len, stderr);
	buf_reset(&errors);
	return err ? COMMAND_FAILED : COMMAND_OK;
}

static bool settings_is_readable_by_all(const char *path)
{
	struct stat status;

	return path && path[0] && stat(path, &status) == 0 && S_ISREG(status.st_mode) &&
	       (status.st_mode & S_IRWXO) != 0;
}

static bool settings_is_writable_by_all(const char *path)
{
	struct stat status;

	return path[0] && stat(path, &status) == 0 && S_ISDIR(status.st_mode) &&
	       (status.st_mode & S_IWOTH) != 0 && (status.st_mode & S_ISVTX) == 0;
}

/* Only a warning: these files are not Syrinx's, and there may be a reason for their modes. */
void settings_warn_of_others(const struct config *config, const char *file)
{
	if (config->file_has_secrets && settings_is_readable_by_all(file))
		log_warn(
			"config",
			"%s has keys or a password in it, and every user of this machine can read it: "
			"chmod o= it, or put them into the environment",
			file);
	if (settings_is_readable_by_all(config->tls_key))
		log_warn("config", "every user of this machine can read the private key %s",
			 config->tls_key);
	if (settings_is_writable_by_all(config->voices_dir))
		log_warn(
			"config",
			"every user of this machine may write to %s, and engines load models and a "
			"library from there",
			config->voices_dir);
	if (settings_is_writable_by_all(config->engines_dir))
		log_warn(
			"config",
			"every user of this machine may write to %s, and the server runs the programs "
			"that are there",
			config->engines_dir);
}

int settings_make_dir(const char *path, unsigned mode)
{
	char part[PARAM_STRING_SIZE];
	size_t len = strlen(path);

	if (len >= sizeof(part))
		return ENAMETOOLONG;
	for (size_t i = 1; i <= len; ++i) {
		if (path[i] != '/' && path[i] != '\0')
			continue;
		memcpy(part, path, i);
		part[i] = '\0';
		if (mkdir(part, (mode_t)mode) != 0 && errno != EEXIST)
			return errno;
	}
	return 0;
}

/* PostgreSQL's reasons are sentences, which the store has logged: an errno of ours would
 * hide them behind "Input/output error". */
static const char *store_trouble(const char *address, int err)
{
	if (err == EPROTONOSUPPORT)
		return "there is no such store; one is " STORE_ADDRESSES;
	if (strncmp(address, "postgres", strlen("postgres")) != 0)
		return strerror(err);
	return err == EIO ? "the database could not be reached; the line above says why"
			  : "the line above says why";
}

int settings_open_store(struct store **storep, const char *address, const struct command *command)
{
	char shown[STORE_ADDRESS_SHOWN];
	int err = store_open(storep, address);

	if (err) {
		store_show_address(shown, address);
		fprintf(stderr, "syrinx %s: cannot open %s: %s\n", command->name, shown,
			store_trouble(address, err));
	} else {
		/* Anyone who can open the store can do more than any key allows. */
		(*storep)->is_unlimited = true;
	}
	return err;
}
