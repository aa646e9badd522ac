/*
 * settings.c: loads the configuration for a command (see settings.h).
 */
#include "cli/settings.h"

#include <errno.h>
#include <libgen.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/count.h"
#include "base/log.h"
#include "cli/config_file.h"
#include "cli/environment_file.h"

/* Each error is a line; a file with nothing but errors is cut off here. */
#define ERRORS_MAX 65536u

static const struct {
	const char *name;
	const char *option;
	const char *key;
} overriding[] = {
	{"listen", "--listen", "server.listen"},      {"data", "--data", "server.data"},
	{"workers", "--workers", "speech.workers"},   {"voices", "--voices", "speech.voices_dir"},
	{"models", "--models", "hearing.models_dir"}, {"store", "--store", "store.address"},
};

#define OVERRIDING COUNT(overriding)

/* Only once: a server that reloads its configuration has threads, and setenv is not thread-safe. */
static void settings_load_environment(const struct config_file *file)
{
	static bool is_loaded;

	if (!is_loaded && file->environment)
		environment_file_load(file->environment);
	is_loaded = true;
}

static int settings_load_file(struct config *config, const struct command_call *call,
			      const struct config_file *file, struct buf *errors)
{
	struct config_override overrides[OVERRIDING];
	size_t count = 0;

	settings_load_environment(file);
	for (size_t i = 0; i < OVERRIDING; ++i) {
		const char *value = command_value_if_known(call, overriding[i].name);

		if (value)
			overrides[count++] = (struct config_override){overriding[i].key, value,
								      overriding[i].option};
	}
	return config_load_for(config, file->path,
			       &(struct config_purpose){.places = file->places,
							.uses_agents = call->command->uses_agents},
			       overrides, count, errors);
}

static int settings_deny(const struct command_call *call, const char *file, struct buf *errors)
{
	const char *name = call->command->name;
	const char *other = "server with --data DIR";
	char suggestion[128];

	if (strcmp(name, "voices") == 0)
		other = "folder with --voices DIR";
	else if (strcmp(name, "models") == 0)
		other = "folder with --models DIR";
	config_file_suggest(suggestion, sizeof(suggestion), file, call->command);
	(void)buf_printf(errors,
			 "syrinx %s: this user may not read %s, the configuration of the "
			 "server installed here: try %s, or name another %s\n",
			 name, file, suggestion, other);
	return EACCES;
}

int settings_load_quietly(struct config *config, const struct command_call *call,
			  struct buf *errors)
{
	struct config_file file = config_file_find(call);

	return file.is_denied ? settings_deny(call, file.path, errors)
			      : settings_load_file(config, call, &file, errors);
}

static int settings_print(struct buf *errors, int err)
{
	if (errors->len > 0)
		fwrite(errors->bytes, 1, errors->len, stderr);
	buf_reset(errors);
	return err ? COMMAND_FAILED : COMMAND_OK;
}

int settings_load(struct config *config, const struct command_call *call)
{
	struct config_file file = config_file_find(call);
	struct buf errors;

	if (file.is_denied)
		file = (struct config_file){.path = NULL};
	buf_init(&errors, ERRORS_MAX);
	return settings_print(&errors, settings_load_file(config, call, &file, &errors));
}

int settings_load_of_server(struct config *config, const struct command_call *call)
{
	struct buf errors;

	buf_init(&errors, ERRORS_MAX);
	return settings_print(&errors, settings_load_quietly(config, call, &errors));
}

typedef void(settings_line_h)(const char *line, int len);

static void settings_each_line(const struct buf *lines, settings_line_h *each)
{
	const char *line = lines->bytes;
	const char *end = line + lines->len;

	while (line < end) {
		const char *next = memchr(line, '\n', (size_t)(end - line));
		int len = (int)((next ? next : end) - line);

		each(line, len);
		line += len + 1;
	}
}

static void settings_print_error(const char *line, int len)
{
	fprintf(stderr, "%.*s\n", len, line);
}

static void settings_print_warning(const char *line, int len)
{
	fprintf(stderr, "warning: %.*s\n", len, line);
}

static void settings_log_error(const char *line, int len)
{
	log_error("config", "%.*s", len, line);
}

static void settings_log_warning(const char *line, int len)
{
	log_warn("config", "%.*s", len, line);
}

void settings_print_findings(const struct buf *errors, const struct buf *warnings)
{
	settings_each_line(warnings, settings_print_warning);
	settings_each_line(errors, settings_print_error);
}

void settings_log_findings(const struct buf *errors, const struct buf *warnings)
{
	settings_each_line(warnings, settings_log_warning);
	settings_each_line(errors, settings_log_error);
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

/* Only warns: these files are not Syrinx's, and there may be a reason for their modes. */
void settings_warn_of_others(const struct config *config, const char *file)
{
	if (config->file_has_secrets && settings_is_readable_by_all(file))
		log_warn("config",
			 "%s contains keys or a password, and every user of this machine can "
			 "read it: chmod o= it, or move them to environment variables",
			 file);
	if (settings_is_readable_by_all(config->tls_key))
		log_warn("config", "every user of this machine can read the private key %s",
			 config->tls_key);
	if (settings_is_writable_by_all(config->voices_dir))
		log_warn("config",
			 "every user of this machine can write to %s, from which engines load "
			 "models and a library",
			 config->voices_dir);
	if (settings_is_writable_by_all(config->models_dir))
		log_warn("config",
			 "every user of this machine can write to %s, from which engines load "
			 "models and a library",
			 config->models_dir);
	if (settings_is_writable_by_all(config->engines_dir))
		log_warn("config",
			 "every user of this machine can write to %s, from which the server "
			 "runs programs",
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

/* The store has logged PostgreSQL's reasons as sentences; an errno would only say "Input/output
 * error". */
static const char *settings_store_trouble(const char *address, int err)
{
	if (err == EPROTONOSUPPORT)
		return "there is no such store; the address must be " STORE_ADDRESSES;
	if (strncmp(address, "postgres", strlen("postgres")) != 0)
		return strerror(err);
	return err == EIO ? "the database could not be reached; see the line above"
			  : "see the line above";
}

void settings_explain_store(const char *address, int err, const struct command *command)
{
	const char *path = store_sqlite_path(address);
	char shown[STORE_ADDRESS_SHOWN];

	store_show_address(shown, address);
	fprintf(stderr, "syrinx %s: cannot open %s: %s\n", command->name, shown,
		settings_store_trouble(address, err));
	if (err == EACCES && path) {
		char dir[PARAM_STRING_SIZE];
		char suggestion[128];

		snprintf(dir, sizeof(dir), "%s", path);
		config_file_suggest(suggestion, sizeof(suggestion), dirname(dir), command);
		fprintf(stderr, "(it belongs to another user: try %s)\n", suggestion);
	}
}

int settings_open_store(struct store **storep, const char *address, const struct command *command)
{
	int err = store_open(storep, address);

	if (err)
		settings_explain_store(address, err, command);
	else
		/* Anyone who can open the store can do more than any key allows. */
		(*storep)->is_unlimited = true;
	return err;
}
