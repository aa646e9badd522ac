/*
 * npm_config.h: where the npm registry is and how to reach it.
 *
 * We fetch packages ourselves, without npm, but from the registry and through
 * the proxy that npm would use: machines that may not reach the internet
 * directly are configured for npm already.  Only what a download needs is read,
 * in npm's order: the environment (npm_config_…), the user's .npmrc, the
 * system's npmrc.
 */
#ifndef CLI_NPM_CONFIG_H
#define CLI_NPM_CONFIG_H

#include <stdbool.h>

/* Tokens of some registries are signed statements of several kilobytes. */
#define NPM_CONFIG_VALUE_SIZE 8192
#define NPM_CONFIG_WHY_SIZE 512

struct npm_config {
	char registry[NPM_CONFIG_VALUE_SIZE]; /* ends with a slash */
	char proxy[NPM_CONFIG_VALUE_SIZE]; /* for http; empty: none */
	char https_proxy[NPM_CONFIG_VALUE_SIZE]; /* for https; empty: none */
	char no_proxy[NPM_CONFIG_VALUE_SIZE]; /* a list of the hosts that need none */
	char ca_file[NPM_CONFIG_VALUE_SIZE]; /* instead of the system's authorities; or empty */
	char extra_ca_file[NPM_CONFIG_VALUE_SIZE]; /* besides them; or empty */
	char authorization[NPM_CONFIG_VALUE_SIZE]; /* the header's value; or empty */
};

/* EMSGSIZE: a value is too long to be used; `why` says which, and where it is set. */
int npm_config_read(struct npm_config *config, char why[NPM_CONFIG_WHY_SIZE]);

/* The proxy for a server; empty: none. */
const char *npm_config_proxy(const struct npm_config *config, bool is_tls, const char *host);

/* Whether a list such as NO_PROXY ("localhost, .example.com, *") names the host. */
bool npm_config_is_listed(const char *list, const char *host);

#endif
