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
	const char *target; /* path and query, a pointer into the text; may be empty or lack the
			     * leading slash */
};

/* Accepts http, https, ws and wss; EINVAL for anything else.  The text must outlive the url. */
int url_parse(struct url *url, const char *text);

/* Writes a hint for a user who may have given the wrong scheme, "; try https://HOST:PORT", or "" if
 * the error has another reason.  is_open: the connection was established, including TLS if the
 * scheme requires it; has_answer: something was received over it. */
void url_suggest_scheme(char *text, size_t size, const struct url *url, int err, bool is_open,
			bool has_answer);

/* Writes which server, what is wrong, and the hint: "HOST:PORT: WORDS; try https://HOST:PORT". */
void url_explain(char *text, size_t size, const struct url *url, int err, bool is_open,
		 bool has_answer);

#endif
