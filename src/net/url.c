/*
 * url.c: splits a URL (see url.h).
 */
#include "net/url.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/count.h"
#include "net/tls.h"

static int url_split_scheme(struct url *url, const char **rest, const char *text)
{
	static const struct {
		const char *prefix;
		bool is_tls;
	} schemes[] = {{"ws://", false}, {"http://", false}, {"wss://", true}, {"https://", true}};

	for (size_t i = 0; i < COUNT(schemes); ++i) {
		size_t len = strlen(schemes[i].prefix);

		if (strncasecmp(text, schemes[i].prefix, len) == 0) {
			url->is_tls = schemes[i].is_tls;
			*rest = text + len;
			return 0;
		}
	}
	return EINVAL;
}

/* Spaces and control characters would end the request line early. */
static bool url_is_clean(const char *text)
{
	for (; *text; ++text)
		if ((unsigned char)*text <= ' ' || *text == 0x7f)
			return false;
	return true;
}

static int url_set_port(struct url *url, const char *port)
{
	if (!port) {
		snprintf(url->port, sizeof(url->port), "%s", url->is_tls ? "443" : "80");
		return 0;
	}
	if (strlen(port) > 5 || port[0] == '\0' || strspn(port, "0123456789") != strlen(port) ||
	    atoi(port) > 65535 || atoi(port) == 0)
		return EINVAL;
	snprintf(url->port, sizeof(url->port), "%.5s", port);
	return 0;
}

static int url_set_host(struct url *url, const char *host, size_t len)
{
	if (host[0] == '[' && len > 2 && host[len - 1] == ']') {
		++host;
		len -= 2;
	}
	if (len == 0 || len >= sizeof(url->host) || memchr(host, '[', len) ||
	    memchr(host, ']', len))
		return EINVAL;
	snprintf(url->host, sizeof(url->host), "%.*s", (int)len, host);
	return 0;
}

int url_parse(struct url *url, const char *text)
{
	const char *rest;
	const char *port;
	size_t len;
	int err = url_split_scheme(url, &rest, text);

	if (err)
		return err;
	len = strcspn(rest, "/?#");
	if (len == 0 || len >= sizeof(url->authority) || memchr(rest, '@', len) ||
	    !url_is_clean(rest))
		return EINVAL;
	snprintf(url->authority, sizeof(url->authority), "%.*s", (int)len, rest);
	url->target = rest + len;
	port = memrchr(url->authority, ':', len);
	if (port && strchr(port, ']'))
		port = NULL; /* the colon of an IPv6 address */
	err = url_set_host(url, url->authority, port ? (size_t)(port - url->authority) : len);
	return err ? err : url_set_port(url, port ? port + 1 : NULL);
}

/* A server with TLS closes the connection when it receives plain text; one without TLS answers a
 * handshake with plain text, or closes the connection as well. */
void url_suggest_scheme(char *text, size_t size, const struct url *url, int err, bool is_open,
			bool has_answer)
{
	bool is_hung_up = err == ECONNRESET || err == EPIPE;

	text[0] = '\0';
	if (url->is_tls && err == EPROTONOSUPPORT)
		snprintf(text, size, "; try http://%s", url->authority);
	else if (url->is_tls && is_hung_up && !is_open)
		snprintf(text, size, "; does it use TLS? try http://%s", url->authority);
	else if (!url->is_tls && is_hung_up && is_open && !has_answer)
		snprintf(text, size, "; does it use TLS? try https://%s", url->authority);
}

void url_explain(char *text, size_t size, const struct url *url, int err, bool is_open,
		 bool has_answer)
{
	const char *words = url->is_tls ? tls_words(err) : NULL;
	int len = snprintf(text, size, "%s: %s", url->authority, words ? words : strerror(err));

	if (len > 0 && (size_t)len < size)
		url_suggest_scheme(text + len, size - (size_t)len, url, err, is_open, has_answer);
}
