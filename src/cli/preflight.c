/*
 * preflight.c: finds what would keep a server from starting (see preflight.h).
 */
#include "cli/preflight.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/calendar.h"
#include "base/clock.h"
#include "base/count.h"
#include "base/mem.h"
#include "cli/data_dir.h"
#include "doors/doors.h"
#include "net/listener.h"
#include "net/tls.h"
#include "server/agents.h"
#include "server/engines.h"

/* A 90-day certificate is usually renewed a month before it expires. */
#define PREFLIGHT_EXPIRY_WARNING_S (INT64_C(14) * 24 * 60 * 60)

/* An address that is in use is not a configuration error: it is probably this server's. */
static int preflight_check_listen(const struct config *config, struct buf *errors,
				  struct buf *warnings)
{
	int err = listener_try(config->listen);

	(void)warnings;
	if (!err || err == EADDRINUSE)
		return 0;
	(void)buf_printf(errors, "server.listen: cannot listen on %s: %s\n", config->listen,
			 err == EADDRNOTAVAIL ? "this machine has no such address" : strerror(err));
	return EINVAL;
}

static void preflight_warn_of_expiry(const struct config *config, const struct tls *tls,
				     struct buf *warnings)
{
	int64_t expires_s = tls_expires(tls);
	int64_t now_s = clock_wall_ms() / 1000;
	char moment[CALENDAR_SIZE];

	if (expires_s == 0 || expires_s > now_s + PREFLIGHT_EXPIRY_WARNING_S)
		return;
	calendar_print_minute(moment, expires_s * 1000);
	(void)buf_printf(warnings, "server.tls_certificate: %s %s on %s\n", config->tls_certificate,
			 expires_s <= now_s ? "expired" : "expires", moment);
}

static int preflight_check_tls(const struct config *config, struct buf *errors,
			       struct buf *warnings)
{
	struct tls *tls = NULL;
	char why[512];

	if (config->tls_certificate[0] == '\0')
		return 0;
	if (tls_server_alloc(&tls, config->tls_certificate, config->tls_key, why, sizeof(why))) {
		(void)buf_printf(errors, "TLS: %s\n", why);
		return EINVAL;
	}
	preflight_warn_of_expiry(config, tls, warnings);
	mem_deref(tls);
	return 0;
}

/* A missing directory will be created, so its nearest existing parent must be writable. */
static int preflight_check_parents(const struct config *config, struct buf *errors)
{
	char path[PARAM_STRING_SIZE];
	char *parent = path;

	memcpy(path, config->data_dir, sizeof(path));
	do
		parent = dirname(parent);
	while (access(parent, F_OK) != 0 && errno == ENOENT && strcmp(parent, ".") != 0);
	if (access(parent, W_OK | X_OK) == 0)
		return 0;
	(void)buf_printf(errors, "server.data: cannot create %s: %s: %s\n", config->data_dir,
			 parent, strerror(errno));
	return EINVAL;
}

static int preflight_check_data_dir(const char *path)
{
	struct stat status;

	if (stat(path, &status) != 0)
		return errno;
	if (!S_ISDIR(status.st_mode))
		return ENOTDIR;
	return access(path, R_OK | W_OK | X_OK) == 0 ? 0 : errno;
}

static int preflight_check_data(const struct config *config, struct buf *errors,
				struct buf *warnings)
{
	char key[PARAM_STRING_SIZE + 16];
	int err = preflight_check_data_dir(config->data_dir);

	(void)warnings;
	if (err == ENOENT)
		return preflight_check_parents(config, errors);
	if (err) {
		(void)buf_printf(errors, "server.data: %s: %s\n", config->data_dir, strerror(err));
		return EINVAL;
	}
	if (!data_dir_can_be_used(config)) {
		(void)buf_printf(errors, "server.data: " DATA_DIR_REFUSAL, config->data_dir);
		return EINVAL;
	}
	snprintf(key, sizeof(key), "%s/local.key", config->data_dir);
	if (access(key, F_OK) != 0 || access(key, R_OK) == 0)
		return 0;
	(void)buf_printf(errors, "%s: %s\n", key, strerror(errno));
	return EINVAL;
}

static int preflight_check_engines(const struct config *config, struct buf *errors,
				   struct buf *warnings)
{
	(void)warnings;
	return engines_check(config, errors) ? EINVAL : 0;
}

static int preflight_check_agents(const struct config *config, struct buf *errors,
				  struct buf *warnings)
{
	struct agents *agents = NULL;
	int err = agents_alloc(&agents, config, doors_all, errors);

	(void)warnings;
	mem_deref(agents);
	return err ? EINVAL : 0;
}

/* The server starts without these paths, but its engines may need them. */
static int preflight_check_paths(const struct config *config, struct buf *errors,
				 struct buf *warnings)
{
	char paths[PARAM_STRING_SIZE];
	char *rest = paths;
	const char *path;

	(void)errors;
	memcpy(paths, config->engine_paths, sizeof(paths));
	while ((path = strsep(&rest, ":"))) {
		if (path[0] && access(path, R_OK) != 0)
			(void)buf_printf(warnings, "speech.engine_paths: %s: %s\n", path,
					 strerror(errno));
	}
	if (config->voices_dir[0] && access(config->voices_dir, R_OK | X_OK) != 0 &&
	    errno != ENOENT)
		(void)buf_printf(warnings, "speech.voices_dir: %s: %s\n", config->voices_dir,
				 strerror(errno));
	if (config->models_dir[0] && access(config->models_dir, R_OK | X_OK) != 0 &&
	    errno != ENOENT)
		(void)buf_printf(warnings, "hearing.models_dir: %s: %s\n", config->models_dir,
				 strerror(errno));
	return 0;
}

int preflight_check(const struct config *config, struct buf *errors, struct buf *warnings)
{
	static int (*const checks[])(const struct config *config, struct buf *errors,
				     struct buf *warnings) = {
		preflight_check_listen,  preflight_check_tls,    preflight_check_data,
		preflight_check_engines, preflight_check_agents, preflight_check_paths,
	};
	int err = 0;

	for (size_t i = 0; i < COUNT(checks); ++i) {
		if (checks[i](config, errors, warnings) != 0)
			err = EINVAL;
	}
	return err;
}

/* SQLite creates the file but no directory; a server creates its data directory itself. */
static int preflight_check_new_file(const struct config *config, struct buf *errors)
{
	const char *file = store_sqlite_path(config->store_address);
	char path[PARAM_STRING_SIZE];
	size_t data_len = strlen(config->data_dir);
	const char *dir;

	if (!file)
		return 0;
	snprintf(path, sizeof(path), "%s", file);
	if (strncmp(path, config->data_dir, data_len) == 0 && path[data_len] == '/' &&
	    !strchr(path + data_len + strspn(path + data_len, "/"), '/'))
		return 0;
	dir = dirname(path);
	if (access(dir, W_OK | X_OK) == 0)
		return 0;
	(void)buf_printf(errors, "store.address: cannot create %s: %s: %s\n", file, dir,
			 strerror(errno));
	return EINVAL;
}

int preflight_check_store(const struct config *config, bool *is_new, struct buf *errors,
			  struct buf *warnings)
{
	char shown[STORE_ADDRESS_SHOWN];
	int err = store_look(config->store_address);

	*is_new = err == ENOENT;
	if (!err || err == ENOENT)
		return err ? preflight_check_new_file(config, errors) : 0;
	store_show_address(shown, config->store_address);
	if (err == EIO && strncmp(config->store_address, "postgres", strlen("postgres")) == 0) {
		(void)buf_printf(
			warnings,
			"store.address: %s cannot be reached at the moment; a server would "
			"wait for it\n",
			shown);
		return 0;
	}
	(void)buf_printf(errors, "store.address: cannot open %s: %s\n", shown, strerror(err));
	return EINVAL;
}
