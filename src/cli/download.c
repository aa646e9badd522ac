/*
 * download.c: downloads a file from an HTTP server (see download.h).
 */
#include "cli/download.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "net/http_client_parse.h"

#define REDIRECTS_MAX 5
#define READ_SIZE (64u * 1024u)

struct transfer {
	const struct download *download;
	char url[DOWNLOAD_URL_SIZE]; /* the current URL, after redirects */
	struct url parts; /* points into `url` */
	bool has_moved; /* redirected to another server, which gets no authorization */
	char location[DOWNLOAD_URL_SIZE]; /* the target of a redirect, or "" */
	int status;
	uint64_t received;
	int err; /* the error from writing, or because the file is too long */
	char *why;
};

/* The message omits the query string, because a redirect may have a signature in it. */
static int download_fail(struct transfer *transfer, int err, const char *words)
{
	int len = (int)strcspn(transfer->url, "?#");

	snprintf(transfer->why, DOWNLOAD_WHY_SIZE, "%.*s: %.300s", len, transfer->url, words);
	return err;
}

static bool download_is_redirect(int status)
{
	return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

static void download_on_head(const struct http_client_parse *head, void *arg)
{
	struct transfer *transfer = arg;
	const char *location = http_client_parse_header(head, "location");

	transfer->status = head->status;
	if (download_is_redirect(head->status) && location &&
	    strlen(location) < sizeof(transfer->location))
		snprintf(transfer->location, sizeof(transfer->location), "%s", location);
}

static void download_on_body(const char *bytes, size_t n, void *arg)
{
	struct transfer *transfer = arg;

	if (transfer->status != 200)
		return;
	transfer->received += n;
	if (transfer->received > transfer->download->size_max && !transfer->err)
		transfer->err = EFBIG;
	while (n > 0 && !transfer->err) {
		ssize_t written = write(transfer->download->fd, bytes, n);

		if (written < 0) {
			transfer->err = errno;
			break;
		}
		bytes += written;
		n -= (size_t)written;
	}
}

static int download_ask(struct transfer *transfer, struct dial *dial)
{
	const struct download *download = transfer->download;
	const struct url *url = &transfer->parts;
	bool has_key =
		!transfer->has_moved && download->authorization && download->authorization[0];
	const char *target = url->target[0] ? url->target : "/";
	char request[2 * DOWNLOAD_URL_SIZE + 2048 + DOWNLOAD_AUTHORIZATION_MAX];
	int n = snprintf(request, sizeof(request),
			 "GET %s%s%s%.*s HTTP/1.1\r\nHost: %s\r\nUser-Agent: syrinx\r\n"
			 "Accept: */*\r\nConnection: close\r\n%s%s%s%s\r\n",
			 dial->asks_proxy ? "http://" : "", dial->asks_proxy ? url->authority : "",
			 target[0] == '/' ? "" : "/", (int)strcspn(target, "#"), target,
			 url->authority, dial->asks_proxy ? dial->proxy_authorization : "",
			 has_key ? "Authorization: " : "", has_key ? download->authorization : "",
			 has_key ? "\r\n" : "");

	if (n < 0 || (size_t)n >= sizeof(request))
		return EMSGSIZE;
	return dial_write(dial, request, (size_t)n);
}

/* Reads until the answer is complete, or is known to be a redirect. */
static int download_read(struct transfer *transfer, struct dial *dial)
{
	static const struct http_client_parse_handlers handlers = {download_on_head,
								   download_on_body};
	static char bytes[READ_SIZE];
	struct http_client_parse parse;
	size_t count = 1;
	int err = 0;

	http_client_parse_init(&parse, &handlers, transfer);
	while (!err && parse.state < HTTP_CLIENT_PARSE_DONE && !transfer->location[0]) {
		err = dial_read(dial, &count, bytes, sizeof(bytes));
		if (!err && count > 0)
			http_client_parse_feed(&parse, bytes, count);
		else if (!err)
			http_client_parse_end(&parse);
		if (!err)
			err = transfer->err;
	}
	if (err)
		download_fail(transfer, err,
			      err == EFBIG ? "the file is longer than expected" : strerror(err));
	else if (parse.state == HTTP_CLIENT_PARSE_FAILED)
		err = download_fail(transfer, EPROTO, parse.reason);
	http_client_parse_reset(&parse);
	return err;
}

/* Follows a redirect to a full URL, or to a path on the same server. */
static int download_move(struct transfer *transfer)
{
	const struct url from = transfer->parts;
	char url[2 * DOWNLOAD_URL_SIZE];

	if (transfer->location[0] == '/' && transfer->location[1] != '/')
		snprintf(url, sizeof(url), "http%s://%s%s", from.is_tls ? "s" : "", from.authority,
			 transfer->location);
	else
		snprintf(url, sizeof(url), "%s", transfer->location);
	if (strlen(url) >= sizeof(transfer->url) || url_parse(&transfer->parts, url) != 0 ||
	    (from.is_tls && !transfer->parts.is_tls))
		return download_fail(transfer, EPROTO,
				     "it redirects to an address that cannot be used");
	snprintf(transfer->url, sizeof(transfer->url), "%s", url);
	transfer->has_moved |= strcmp(from.authority, transfer->parts.authority) != 0 ||
			       from.is_tls != transfer->parts.is_tls;
	transfer->location[0] = '\0';
	/* Because the parts point into the text. */
	return url_parse(&transfer->parts, transfer->url);
}

static int download_once(struct transfer *transfer)
{
	const struct download *download = transfer->download;
	struct dial_options options = {.tls = download->tls};
	struct dial dial;
	char why[DIAL_WHY_SIZE];
	int err;

	if (download->proxy)
		options.proxy = download->proxy(&transfer->parts, download->arg);
	err = dial_open(&dial, &transfer->parts, &options, why);
	if (err) {
		snprintf(transfer->why, DOWNLOAD_WHY_SIZE, "%s", why);
		return err;
	}
	err = download_ask(transfer, &dial);
	if (err)
		download_fail(transfer, err, strerror(err));
	else
		err = download_read(transfer, &dial);
	dial_close(&dial);
	return err;
}

int download_run(const struct download *download, char why[DOWNLOAD_WHY_SIZE])
{
	struct transfer transfer = {.download = download, .why = why};
	char status[32];
	int err;

	snprintf(transfer.url, sizeof(transfer.url), "%s", download->url);
	if (strlen(download->url) >= sizeof(transfer.url) ||
	    url_parse(&transfer.parts, transfer.url) != 0) {
		snprintf(why, DOWNLOAD_WHY_SIZE, "cannot use this address: %.500s",
			 strchr(download->url, '@') ? "it contains a user name" : download->url);
		return EINVAL;
	}
	for (int i = 0; i <= REDIRECTS_MAX; ++i) {
		err = download_once(&transfer);
		if (err)
			return err;
		if (!transfer.location[0])
			break;
		err = download_move(&transfer);
		if (err)
			return err;
	}
	if (transfer.status == 200)
		return 0;
	snprintf(status, sizeof(status), "HTTP %d", transfer.status);
	return download_fail(&transfer, EIO, status);
}
