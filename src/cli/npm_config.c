/*
 * npm_config.c: the parts of npm's configuration that a download needs (see
 * npm_config.h).
 */
#include "cli/npm_config.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/count.h"

#define DEFAULT_REGISTRY "https://registry.npmjs.org/"
#define LINE_SIZE 4096

/* The files of one user; empty names are not read. */
struct npmrc_files {
	char user[NPM_CONFIG_VALUE_SIZE];
	char system[NPM_CONFIG_VALUE_SIZE];
};

static void npm_config_copy(char *value, const char *text)
{
	snprintf(value, NPM_CONFIG_VALUE_SIZE, "%s", text);
}

/* npm ignores the case of these names and takes "_" for "-". */
static const char *npm_config_environment(const char *key)
{
	char name[64];
	size_t len = (size_t)snprintf(name, sizeof(name), "npm_config_%s=", key);

	for (char *c = name; *c; ++c)
		if (*c == '-')
			*c = '_';
	for (char **variable = environ; *variable; ++variable)
		if (strncasecmp(*variable, name, len) == 0 && (*variable)[len])
			return *variable + len;
	return NULL;
}

/* Takes blanks off both ends, and quotation marks around what is left. */
static char *npm_config_trim(char *text)
{
	size_t len;

	text += strspn(text, " \t\r\n");
	len = strlen(text);
	while (len > 0 && isspace((unsigned char)text[len - 1]))
		text[--len] = '\0';
	if (len >= 2 && (text[0] == '"' || text[0] == '\'') && text[len - 1] == text[0]) {
		text[len - 1] = '\0';
		++text;
	}
	return text;
}

/* Replaces each ${NAME} by that variable of the environment, as npm does; what is not set
 * stays as it is written. */
static void npm_config_expand(char *value, const char *text)
{
	size_t len = 0;

	while (*text && len < NPM_CONFIG_VALUE_SIZE - 1) {
		const char *end = strncmp(text, "${", 2) == 0 ? strchr(text, '}') : NULL;
		char name[128];
		const char *set;

		if (end)
			snprintf(name, sizeof(name), "%.*s", (int)(end - text - 2), text + 2);
		set = end ? getenv(name) : NULL;
		if (set) {
			snprintf(value + len, NPM_CONFIG_VALUE_SIZE - len, "%s", set);
			len += strlen(value + len);
			text = end + 1;
		} else {
			value[len++] = *text++;
		}
	}
	value[len] = '\0';
}

static bool npm_config_find_in(char *value, const char *path, const char *key)
{
	FILE *file = path[0] ? fopen(path, "re") : NULL;
	char line[LINE_SIZE];
	bool found = false;

	while (file && fgets(line, sizeof(line), file)) {
		char *text = npm_config_trim(line);
		/* Before the "=" of a value, such as the padding of base64; a key has none. */
		char *equals = strchr(text, '=');

		if (!equals || text[0] == '#' || text[0] == ';')
			continue;
		*equals = '\0';
		if (strcmp(npm_config_trim(text), key) != 0)
			continue;
		npm_config_expand(value, npm_config_trim(equals + 1));
		found = value[0] != '\0' && strcmp(value, "null") != 0;
	}
	if (file)
		fclose(file);
	return found;
}

/* The first place that has a value counts; without one it is empty. */
static bool npm_config_find(char *value, const struct npmrc_files *files, const char *key)
{
	/* Debian's npm, one that was installed with the prefix /usr, and one with /usr/local. */
	static const char *const places[] = {"/etc/npmrc", "/usr/etc/npmrc",
					     "/usr/local/etc/npmrc"};
	const char *set = npm_config_environment(key);

	if (set) {
		npm_config_copy(value, set);
		return true;
	}
	if (npm_config_find_in(value, files->user, key))
		return true;
	if (files->system[0] && npm_config_find_in(value, files->system, key))
		return true;
	for (size_t i = 0; !files->system[0] && i < COUNT(places); ++i)
		if (npm_config_find_in(value, places[i], key))
			return true;
	value[0] = '\0';
	return false;
}

static void npm_config_locate(struct npmrc_files *files)
{
	const char *user = npm_config_environment("userconfig");
	const char *system = npm_config_environment("globalconfig");
	const char *home = getenv("HOME");

	*files = (struct npmrc_files){0};
	if (user)
		npm_config_copy(files->user, user);
	else if (home)
		snprintf(files->user, sizeof(files->user), "%s/.npmrc", home);
	if (system)
		npm_config_copy(files->system, system);
}

bool npm_config_is_listed(const char *list, const char *host)
{
	size_t host_len = strlen(host);

	for (; *list; list += strcspn(list, ", \t"), list += strspn(list, ", \t")) {
		const char *name = list + (*list == '.');
		size_t len = strcspn(name, ":, \t");

		if (len == 1 && *name == '*')
			return true;
		if (len == 0 || len > host_len ||
		    strncasecmp(host + host_len - len, name, len) != 0)
			continue;
		if (len == host_len || host[host_len - len - 1] == '.')
			return true;
	}
	return false;
}

static const char *npm_config_first_set(const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; ++i) {
		const char *value = getenv(names[i]);

		if (value && *value)
			return value;
	}
	return NULL;
}

static void npm_config_find_proxy(struct npm_config *config, const struct npmrc_files *files)
{
	static const char *const none[] = {"NO_PROXY", "no_proxy"};
	static const char *const secure[] = {"HTTPS_PROXY", "https_proxy", "HTTP_PROXY",
					     "http_proxy"};
	bool is_tls = strncasecmp(config->registry, "https:", 6) == 0;
	const char *authority = strstr(config->registry, "//");
	const char *set;
	char list[NPM_CONFIG_VALUE_SIZE];
	char host[NPM_CONFIG_VALUE_SIZE];

	if (!(is_tls && npm_config_find(config->proxy, files, "https-proxy")) &&
	    !npm_config_find(config->proxy, files, "proxy")) {
		set = npm_config_first_set(is_tls ? secure : secure + 2, is_tls ? 4 : 2);
		npm_config_copy(config->proxy, set ? set : "");
	}
	if (!npm_config_find(list, files, "noproxy")) {
		set = npm_config_first_set(none, COUNT(none));
		npm_config_copy(list, set ? set : "");
	}
	if (!authority)
		return;
	snprintf(host, sizeof(host), "%.*s", (int)strcspn(authority + 2, ":/"), authority + 2);
	if (npm_config_is_listed(list, host))
		config->proxy[0] = '\0';
}

/* Credentials stand under the registry's address without its scheme, or that of a folder
 * above it: "//host/folder/:_authToken". */
static void npm_config_find_authorization(struct npm_config *config,
					  const struct npmrc_files *files)
{
	const char *address = strstr(config->registry, "//");
	size_t len = address ? strlen(address) : 0;
	char key[NPM_CONFIG_VALUE_SIZE + 16];
	char value[NPM_CONFIG_VALUE_SIZE];

	while (len > 2) {
		snprintf(key, sizeof(key), "%.*s:_authToken", (int)len, address);
		if (npm_config_find(value, files, key)) {
			snprintf(config->authorization, sizeof(config->authorization),
				 "Bearer %.1000s", value);
			return;
		}
		snprintf(key, sizeof(key), "%.*s:_auth", (int)len, address);
		if (npm_config_find(value, files, key)) {
			snprintf(config->authorization, sizeof(config->authorization),
				 "Basic %.1000s", value);
			return;
		}
		for (--len; len > 2 && address[len - 1] != '/';) /* the folder above */
			--len;
	}
}

void npm_config_read(struct npm_config *config)
{
	const char *extra = getenv("NODE_EXTRA_CA_CERTS");
	struct npmrc_files files;
	size_t len;

	*config = (struct npm_config){0};
	npm_config_locate(&files);
	if (!npm_config_find(config->registry, &files, "registry"))
		npm_config_copy(config->registry, DEFAULT_REGISTRY);
	len = strlen(config->registry);
	if (config->registry[len - 1] != '/' && len < sizeof(config->registry) - 1)
		memcpy(config->registry + len, "/", 2);
	npm_config_find_proxy(config, &files);
	npm_config_find(config->ca_file, &files, "cafile");
	if (extra)
		npm_config_copy(config->extra_ca_file, extra);
	npm_config_find_authorization(config, &files);
}
