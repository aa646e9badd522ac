/*
 * url.h: splits a URL such as https://host:port/path.
 *
 * Pure.  For URLs that an operator or a user wrote: user names and passwords in them ("user@host")
 * are refused, because they would end up in logs.
 */
#ifndef NET_URL_H
#define NET_URL_H

#include <stdbool.h>
#include <stddef.h>

struct url {
	bool is_tls;
	char host[256]; /* without the brackets of an IPv6 address */
	char port[6];
	char authority[272]; /* as the Host header has it */
	const char *target; /* in the text: path and query, without a leading slash if there is
			     * none; may be empty */
};

/* http, https, ws or wss; EINVAL for anything else. */
int url_parse(struct url *url, const char *text);

/* For somebody who may have given the wrong scheme: "; try https://HOST:PORT", or "" where the
 * error has another reason.  is_open: the connection was there, with TLS if it should have
 * it; has_answer: something was received over it. */
void url_suggest_scheme(char *text, size_t size, const struct url *url, int err, bool is_open,
			bool has_answer);

#endif
