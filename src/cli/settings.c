/*
 * settings.c: the configuration as the options of a command ask for it (see
 * settings.h).
 */
#include "cli/settings.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/count.h"

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

int settings_make_data_dir(const struct config *config)
{
	int err = settings_make_dir(config->data_dir, 0700);

	if (err)
		fprintf(stderr, "syrinx: cannot make %s: %s\n", config->data_dir, strerror(err));
	return err;
}

int settings_open_store(struct store **storep, const struct config *config)
{
	char shown[STORE_ADDRESS_SHOWN];
	int err = settings_make_data_dir(config);

	if (err)
		return err;
	err = store_open(storep, config->store_address);
	if (err) {
		store_show_address(shown, config->store_address);
		fprintf(stderr, "syrinx: cannot open %s: %s\n", shown, strerror(err));
	}
	return err;
}
