/*
 * running_server.c: finds the server that is running on a data directory of this machine (see
 * running_server.h).
 */
#include "cli/running_server.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/greeting.h"
#include "cli/local_address.h"
#include "net/url.h"

#define RUNNING_PATH_SIZE (PARAM_STRING_SIZE + 16)

/* Whether the process holds a shared lock, as every server does on its data directory. Trying to
 * lock the file would show this too, but would make a server fail that starts at that moment. */
static bool running_server_holds_lock(long pid)
{
	FILE *locks = fopen("/proc/locks", "re");
	char line[256];
	bool found = false;

	while (locks && !found && fgets(line, sizeof(line), locks)) {
		char kind[16], mode[16];
		long owner;

		found = sscanf(line, "%*d: %15s %*s %15s %ld", kind, mode, &owner) == 3 &&
			strcmp(kind, "FLOCK") == 0 && strcmp(mode, "READ") == 0 && owner == pid;
	}
	if (locks)
		fclose(locks);
	return found;
}

/* Whether --data or a configuration names the directory. */
static bool running_server_is_named(const struct command_call *call, const struct config *config)
{
	return command_value_if_known(call, "data") ||
	       strcmp(config->data_dir, CONFIG_DATA_DEFAULT) != 0;
}

/* Whether the file was written by the process that it names, and by a user to whom a key may be
 * sent. */
static bool running_server_is_trusted(long pid, FILE *file, bool is_named)
{
	char path[32];
	struct stat process;
	struct stat note;

	snprintf(path, sizeof(path), "/proc/%ld", pid);
	if (fstat(fileno(file), &note) != 0 || stat(path, &process) != 0)
		return false;
	return process.st_uid == note.st_uid &&
	       (note.st_uid == geteuid() || note.st_uid == 0 || (geteuid() == 0 && is_named));
}

/* Servers of earlier versions store only the configured address. */
static int running_server_address(char *base, size_t size, const char *listen, const char *url,
				  const struct config *config)
{
	const char *host = strstr(url, "://");
	bool is_tls = host ? strncmp(url, "https", 5) == 0 : config->tls_certificate[0] != '\0';
	char address[PARAM_STRING_SIZE];
	size_t len;
	int n;

	if (greeting_address(address, sizeof(address), host ? host + 3 : listen) != 0)
		return ENOENT;
	len = strlen(address);
	if (len < 2 || strcmp(address + len - 2, ":0") == 0)
		return ENOENT;
	n = snprintf(base, size, "http%s://%s", is_tls ? "s" : "", address);
	return n > 0 && (size_t)n < size ? 0 : ENOENT;
}

/* The file could contain any host. */
static int running_server_require_local(char *base, size_t size)
{
	char host[LOCAL_ADDRESS_SIZE];
	struct url url;
	int n;

	if (url_parse(&url, base) != 0 || local_address_find(host, url.host) != 0)
		return ENOENT;
	n = snprintf(base, size, "http%s://%s:%s", url.is_tls ? "s" : "", host, url.port);
	return n > 0 && (size_t)n < size ? 0 : ENOENT;
}

int running_server_find(char *base, size_t size, const struct command_call *call,
			const struct config *config)
{
	char path[RUNNING_PATH_SIZE];
	char listen[PARAM_STRING_SIZE];
	char url[PARAM_STRING_SIZE] = "";
	long pid = 0;
	FILE *file;
	bool is_trusted;
	int n;
	int err;

	snprintf(path, sizeof(path), "%s/syrinx.pid", config->data_dir);
	file = fopen(path, "re");
	if (!file)
		return ENOENT;
	_Static_assert(PARAM_STRING_SIZE >= 512, "the words of the file fit");
	n = fscanf(file, "%ld %511s %*d %511s", &pid, listen, url);
	is_trusted = n >= 2 &&
		     running_server_is_trusted(pid, file, running_server_is_named(call, config));
	fclose(file);
	if (!is_trusted || !running_server_holds_lock(pid))
		return ENOENT;
	err = running_server_address(base, size, listen, url, config);
	return err ? err : running_server_require_local(base, size);
}
