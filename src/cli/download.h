/*
 * download.h: downloads a file from an HTTP server to the disk.
 *
 * Blocking, and it does not react to interrupts: run it in a separate process (see cli/subprocess.h).
 * A few redirects are followed, but never from https to http. The proxy is chosen for each
 * server, and the authorization is only sent to the first server. The content is not trusted:
 * the caller must verify it before using it.
 */
#ifndef CLI_DOWNLOAD_H
#define CLI_DOWNLOAD_H

#include <stdint.h>

#include "cli/dial.h"

#define DOWNLOAD_URL_SIZE 2048
#define DOWNLOAD_WHY_SIZE 1024
#define DOWNLOAD_AUTHORIZATION_MAX 8192

struct download {
	const char *url;
	const char *authorization; /* the value of the Authorization header; NULL or "" for none */
	struct tls *tls; /* for https */
	/* Returns the proxy for a server (see struct dial_options). NULL: no proxy is used. */
	const char *(*proxy)(const struct url *url, void *arg);
	void *arg;
	int fd; /* the file to write to */
	uint64_t size_max; /* a longer file is an error */
};

/* Returns 0, or an errno with the reason in `why`; the file may then be incomplete. */
int download_run(const struct download *download, char why[DOWNLOAD_WHY_SIZE]);

#endif
