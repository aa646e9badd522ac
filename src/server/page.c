/*
 * page.c: GET / and GET /web/…: the playground.
 *
 * It loads nothing from elsewhere and may not be embedded in other pages, which its
 * Content-Security-Policy enforces.  Runs on the loop's thread.
 */
#include "server/pages.h"

#include <string.h>

#include "base/count.h"
#include "server/server_private.h"

/* Scripts and styles are our own files; 'self' also covers a WebSocket to this server. */
#define POLICY                                                                                     \
	"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "                \
	"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

static const struct {
	const char *name;
	const char *value;
} headers[] = {
	{"Content-Security-Policy", POLICY},
	{"X-Content-Type-Options", "nosniff"},
	{"Referrer-Policy", "no-referrer"},
	{"Cross-Origin-Opener-Policy", "same-origin"},
	{"Cross-Origin-Resource-Policy", "same-origin"},
	/* The files change with the binary, and are small. */
	{"Cache-Control", "no-cache"},
};

static const struct page *page_find(const char *path)
{
	for (size_t i = 0; i < pages_count; ++i) {
		if (strcmp(pages[i].path, path) == 0)
			return &pages[i];
	}
	return NULL;
}

void page_get(const struct route_call *call)
{
	const struct page *page = page_find(call->request->path);

	if (!page) {
		answer_error(call, WIRE_ERROR_NO_ROUTE, NULL);
		return;
	}
	for (size_t i = 0; i < COUNT(headers); ++i)
		http_reply_header(call->request, headers[i].name, headers[i].value);
	answer_head(call);
	http_reply(call->request, 200, page->type, page->bytes, page->len);
}
