/*
 * npm_config.c: reads the parts of npm's configuration that a download needs (see npm_config.h).
 */
#include "cli/npm_config.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/count.h"

#define DEFAULT_REGISTRY "https://registry.npmjs.org/"

/* Room for a key, which contains the registry's address, and a value. */
#define LINE_SIZE (3 * NPM_CONFIG_VALUE_SIZE)

/* Where values are looked for. */
struct npmrc_files {
	const char *user; /* "" if it is not read */
	const char *system; /* "" for all standard places */
	char home[NPM_CONFIG_VALUE_SIZE]; /* storage for the path in `user` */
	bool is_cut; /* a value was too long */
	char *why; /* which value that was, and where it is set */
};

/* A truncated value must not be used, and must not be shown, because it may be a secret. */
static void npm_config_refuse(struct npmrc_files *files, const char *what, const char *where)
{
	files->is_cut = true;
	snprintf(files->why, NPM_CONFIG_WHY_SIZE, "%.100s in %.300s is too long: at most %d bytes",
		 what, where, NPM_CONFIG_VALUE_SIZE - 16);
}

/* Leaves room for what is added before or after a value: "Bearer ", a slash. */
static void npm_config_copy(char *value, struct npmrc_files *files, const char *text,
			    const char *what, const char *where)
{
	if (strlen(text) < NPM_CONFIG_VALUE_SIZE - 15)
		memcpy(value, text, strlen(text) + 1);
	else
		npm_config_refuse(files, what, where);
}

/* The name of a setting for messages: the key of a credential contains the registry's address. */
static const char *npm_config_name(const char *key)
{
	return strncmp(key, "//", 2) == 0 ? "the token" : key;
}

/* npm ignores the case of these variables and treats "_" like "-". */
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

/* Removes spaces at both ends, and quotation marks around the rest. */
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

/* Replaces each ${NAME} with that environment variable, as npm does; variables that are not set
 * are left as they are. Returns the full length of the result, even if it was truncated. */
static size_t npm_config_expand(char value[NPM_CONFIG_VALUE_SIZE], const char *text)
{
	size_t len = 0;

	while (*text && len < NPM_CONFIG_VALUE_SIZE) {
		const char *end = strncmp(text, "${", 2) == 0 ? strchr(text, '}') : NULL;
		char name[128];
		const char *set;

		if (end)
			snprintf(name, sizeof(name), "%.*s", (int)(end - text - 2), text + 2);
		set = end ? getenv(name) : NULL;
		if (set) {
			len += (size_t)snprintf(value + len, NPM_CONFIG_VALUE_SIZE - len, "%s",
						set);
			text = end + 1;
		} else {
			value[len++] = *text++;
		}
	}
	if (len < NPM_CONFIG_VALUE_SIZE)
		value[len] = '\0';
	return len;
}

/* Reads a line. If it is too long, only its beginning is stored, and *is_cut is true. */
static bool npm_config_read_line(char line[LINE_SIZE], bool *is_cut, FILE *file)
{
	int c;

	if (!fgets(line, LINE_SIZE, file))
		return false;
	*is_cut = !strchr(line, '\n') && !feof(file);
	while (*is_cut && (c = fgetc(file)) != EOF && c != '\n')
		;
	return true;
}

static bool npm_config_find_in(char *value, struct npmrc_files *files, const char *path,
			       const char *key)
{
	FILE *file = path[0] ? fopen(path, "re") : NULL;
	static char line[LINE_SIZE];
	static char expanded[NPM_CONFIG_VALUE_SIZE];
	bool found = false;
	bool is_cut;

	while (file && npm_config_read_line(line, &is_cut, file)) {
		char *text = npm_config_trim(line);
		/* The first "=", because a value may contain others, such as the padding of
		 * base64; a key has none. */
		char *equals = strchr(text, '=');

		if (!equals || text[0] == '#' || text[0] == ';')
			continue;
		*equals = '\0';
		if (strcmp(npm_config_trim(text), key) != 0)
			continue;
		if (is_cut ||
		    npm_config_expand(expanded, npm_config_trim(equals + 1)) >= sizeof(expanded)) {
			npm_config_refuse(files, npm_config_name(key), path);
			found = true;
			continue;
		}
		npm_config_copy(value, files, expanded, npm_config_name(key), path);
		found = expanded[0] != '\0' && strcmp(expanded, "null") != 0;
	}
	if (file)
		fclose(file);
	return found;
}

/* Uses the first place that has a value; if there is none, the value is "". */
static bool npm_config_find(char *value, struct npmrc_files *files, const char *key)
{
	/* Used by Debian's npm, and by npm installed with the prefix /usr and /usr/local. */
	static const char *const places[] = {"/etc/npmrc", "/usr/etc/npmrc",
					     "/usr/local/etc/npmrc"};
	const char *set = npm_config_environment(key);

	if (set) {
		npm_config_copy(value, files, set, npm_config_name(key), "the environment");
		return true;
	}
	if (npm_config_find_in(value, files, files->user, key))
		return true;
	if (files->system[0] && npm_config_find_in(value, files, files->system, key))
		return true;
	for (size_t i = 0; !files->system[0] && i < COUNT(places); ++i)
		if (npm_config_find_in(value, files, places[i], key))
			return true;
	value[0] = '\0';
	return false;
}

static void npm_config_locate(struct npmrc_files *files, char *why)
{
	const char *user = npm_config_environment("userconfig");
	const char *system = npm_config_environment("globalconfig");
	const char *home = getenv("HOME");
	int n = snprintf(files->home, sizeof(files->home), "%s/.npmrc", home ? home : "");

	files->user = "";
	if (user)
		files->user = user;
	else if (home && (size_t)n < sizeof(files->home))
		files->user = files->home;
	files->system = system ? system : "";
	files->is_cut = false;
	files->why = why;
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

const char *npm_config_proxy(const struct npm_config *config, bool is_tls, const char *host)
{
	if (npm_config_is_listed(config->no_proxy, host))
		return "";
	return is_tls ? config->https_proxy : config->proxy;
}

/* Copies the first of the variables that is set. */
static void npm_config_take_variable(char *value, struct npmrc_files *files,
				     const char *const *names, size_t count)
{
	value[0] = '\0';
	for (size_t i = 0; i < count; ++i) {
		const char *set = getenv(names[i]);

		if (!set || !*set)
			continue;
		npm_config_copy(value, files, set, names[i], "the environment");
		return;
	}
}

static void npm_config_find_proxies(struct npm_config *config, struct npmrc_files *files)
{
	static const char *const none[] = {"NO_PROXY", "no_proxy"};
	static const char *const secure[] = {"HTTPS_PROXY", "https_proxy", "HTTP_PROXY",
					     "http_proxy"};

	if (!npm_config_find(config->proxy, files, "proxy"))
		npm_config_take_variable(config->proxy, files, secure + 2, 2);
	if (!npm_config_find(config->https_proxy, files, "https-proxy") &&
	    !npm_config_find(config->https_proxy, files, "proxy"))
		npm_config_take_variable(config->https_proxy, files, secure, COUNT(secure));
	if (!npm_config_find(config->no_proxy, files, "noproxy"))
		npm_config_take_variable(config->no_proxy, files, none, COUNT(none));
}

/* Credentials are stored under the registry's address without its scheme, or under that of a
 * parent folder: "//host/folder/:_authToken". */
static void npm_config_find_authorization(struct npm_config *config, struct npmrc_files *files)
{
	const char *address = strstr(config->registry, "//");
	size_t len = address ? strlen(address) : 0;
	char key[NPM_CONFIG_VALUE_SIZE + 16];
	char value[NPM_CONFIG_VALUE_SIZE] = "";

	while (len > 2) {
		snprintf(key, sizeof(key), "%.*s:_authToken", (int)len, address);
		if (npm_config_find(value, files, key)) {
			snprintf(config->authorization, sizeof(config->authorization), "Bearer %s",
				 value);
			return;
		}
		snprintf(key, sizeof(key), "%.*s:_auth", (int)len, address);
		if (npm_config_find(value, files, key)) {
			snprintf(config->authorization, sizeof(config->authorization), "Basic %s",
				 value);
			return;
		}
		for (--len; len > 2 && address[len - 1] != '/';) /* the parent folder */
			--len;
	}
}

int npm_config_read(struct npm_config *config, char why[NPM_CONFIG_WHY_SIZE])
{
	static struct npmrc_files files;
	const char *extra = getenv("NODE_EXTRA_CA_CERTS");
	size_t len;

	memset(config, 0, sizeof(*config));
	why[0] = '\0';
	npm_config_locate(&files, why);
	if (!npm_config_find(config->registry, &files, "registry"))
		snprintf(config->registry, sizeof(config->registry), "%s", DEFAULT_REGISTRY);
	len = strlen(config->registry);
	if (len > 0 && config->registry[len - 1] != '/')
		memcpy(config->registry + len, "/", 2);
	npm_config_find_proxies(config, &files);
	npm_config_find(config->ca_file, &files, "cafile");
	if (extra)
		npm_config_copy(config->extra_ca_file, &files, extra, "NODE_EXTRA_CA_CERTS",
				"the environment");
	npm_config_find_authorization(config, &files);
	return files.is_cut ? EMSGSIZE : 0;
}
