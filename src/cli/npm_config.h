/*
 * npm_config.h: the address of the npm registry and how to reach it.
 *
 * We download packages without npm, but from the registry and through the proxy that npm would
 * use, because machines without direct internet access are already configured for npm. Only the
 * settings that a download needs are read, in npm's order: the environment (npm_config_…), the
 * user's .npmrc, the system's npmrc.
 */
#ifndef CLI_NPM_CONFIG_H
#define CLI_NPM_CONFIG_H

#include <stdbool.h>

/* Tokens of some registries are signed and have several kilobytes. */
#define NPM_CONFIG_VALUE_SIZE 8192
#define NPM_CONFIG_WHY_SIZE 512

struct npm_config {
	char registry[NPM_CONFIG_VALUE_SIZE]; /* ends with a slash */
	char proxy[NPM_CONFIG_VALUE_SIZE]; /* for http; "" for none */
	char https_proxy[NPM_CONFIG_VALUE_SIZE]; /* for https; "" for none */
	char no_proxy[NPM_CONFIG_VALUE_SIZE]; /* a list of hosts that are reached without a proxy */
	/* Replaces the system's certificate authorities; or "". */
	char ca_file[NPM_CONFIG_VALUE_SIZE];
	char extra_ca_file[NPM_CONFIG_VALUE_SIZE]; /* in addition to them; or "" */
	/* The value of the Authorization header; or "". */
	char authorization[NPM_CONFIG_VALUE_SIZE];
};

/* Reads the settings. EMSGSIZE if a value is too long; `why` says which one and where it is set. */
int npm_config_read(struct npm_config *config, char why[NPM_CONFIG_WHY_SIZE]);

/* The proxy for a server; "" for none. */
const char *npm_config_proxy(const struct npm_config *config, bool is_tls, const char *host);

/* Whether a list such as NO_PROXY ("localhost, .example.com, *") contains the host. */
bool npm_config_is_listed(const char *list, const char *host);

#endif
