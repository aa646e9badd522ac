/*
 * download.h: a file from an HTTP server, written to the disk as it comes.
 *
 * Blocking, and without regard to interrupts: it runs in a process of its own
 * (see cli/tool.h).  A redirect is followed a few times, never from https to
 * http; the proxy is chosen for each server, and the authorization goes to
 * the first alone.  What was
 * downloaded is not trusted: the caller checks it before it is used.
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
	const char *authorization; /* the header's value; NULL or empty: none */
	struct tls *tls; /* for https */
	/* The proxy for a server, as of struct dial_options; NULL: none for any. */
	const char *(*proxy)(const struct url *url, void *arg);
	void *arg;
	int fd; /* where it is written to */
	uint64_t size_max; /* more than that is refused */
};

int download_run(const struct download *download, char why[DOWNLOAD_WHY_SIZE]);

#endif
