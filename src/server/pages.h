/*
 * pages.h: the files of the playground (web/), embedded in the binary during the build.
 */
#ifndef SERVER_PAGES_H
#define SERVER_PAGES_H

#include <stddef.h>

struct page {
	const char *path; /* "/", "/web/app.js" */
	const char *type;
	const char *bytes;
	size_t len;
};

extern const struct page pages[];
extern const size_t pages_count;

#endif
