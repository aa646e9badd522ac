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

#define NPM_CONFIG_VALUE_SIZE 1024

struct npm_config {
	char registry[NPM_CONFIG_VALUE_SIZE]; /* ends with a slash */
	char proxy[NPM_CONFIG_VALUE_SIZE]; /* of this registry; empty: none */
	char ca_file[NPM_CONFIG_VALUE_SIZE]; /* instead of the system's authorities; or empty */
	char extra_ca_file[NPM_CONFIG_VALUE_SIZE]; /* besides them; or empty */
	char authorization[NPM_CONFIG_VALUE_SIZE]; /* the header's value; or empty */
};

void npm_config_read(struct npm_config *config);

/* Whether a list such as NO_PROXY ("localhost, .example.com, *") names the host. */
bool npm_config_is_listed(const char *list, const char *host);

#endif
