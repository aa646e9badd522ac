/*
 * http_request.c: reads the properties of a request (see http.h).  Runs on the loop's thread.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

#include "net/http_conn.h"
#include "net/ws_handshake.h"

const char *http_header(const struct http_request *request, const char *name)
{
	return http_parse_header(&http_exchange_of(request)->parse, name, 0);
}

bool http_has_header_from(const struct http_request *request, const char *prefix)
{
	return http_parse_has_header_from(&http_exchange_of(request)->parse, prefix);
}

static const char *http_request_find(const char *p, const char *name, size_t *len)
{
	size_t name_len = strlen(name);

	while (*p) {
		size_t item = strcspn(p, "&");

		if (item >= name_len && strncmp(p, name, name_len) == 0 &&
		    (item == name_len || p[name_len] == '=')) {
			size_t skip = item == name_len ? name_len : name_len + 1;

			*len = item - skip;
			return p + skip;
		}
		p += item;
		if (*p == '&')
			++p;
	}
	return NULL;
}

const char *http_query_raw(const struct http_request *request, const char *name, size_t *len)
{
	return http_request_find(request->query, name, len);
}

int http_query_next(const struct http_request *request, const char *name, const char **at,
		    char *out, size_t size)
{
	const char *from = *at ? *at : request->query;
	size_t len;
	const char *raw = http_request_find(from, name, &len);

	if (!raw)
		return ENOENT;
	*at = raw + len; /* at the next '&', or the end */
	return http_parse_decode(&len, out, size, raw, len, true);
}

int http_query(const struct http_request *request, const char *name, char *out, size_t size)
{
	size_t len;
	const char *raw = http_query_raw(request, name, &len);

	if (!raw)
		return ENOENT;
	return http_parse_decode(&len, out, size, raw, len, true);
}

void http_peer(const struct http_request *request, char out[HTTP_PEER_SIZE])
{
	const struct http_conn *conn = http_exchange_of(request)->conn;
	struct sockaddr_storage address = {0};
	socklen_t len = sizeof(address);
	const void *ip = NULL;
	int family = AF_INET;

	out[0] = '\0';
	if (!conn || getpeername(stream_fd(conn->stream), (struct sockaddr *)&address, &len) != 0)
		return;
	if (address.ss_family == AF_INET) {
		ip = &((struct sockaddr_in *)&address)->sin_addr;
	} else if (address.ss_family == AF_INET6) {
		const struct in6_addr *ip6 = &((struct sockaddr_in6 *)&address)->sin6_addr;
		bool is_mapped = IN6_IS_ADDR_V4MAPPED(ip6); /* an IPv4 client of an IPv6 socket */

		family = is_mapped ? AF_INET : AF_INET6;
		ip = is_mapped ? (const void *)(ip6->s6_addr + 12) : (const void *)ip6;
	}
	if (ip)
		inet_ntop(family, ip, out, HTTP_PEER_SIZE);
}

void http_on_gone(struct http_request *request, http_gone_h *handler, void *arg)
{
	struct http_exchange *own = http_exchange_of(request);

	own->gone = handler;
	own->gone_arg = arg;
}

void http_on_full(struct http_request *request, http_full_h *handler, void *arg)
{
	struct http_exchange *own = http_exchange_of(request);

	own->full = handler;
	own->full_arg = arg;
}

bool http_is_full(const struct http_request *request)
{
	const struct http_conn *conn = http_exchange_of(request)->conn;

	return conn && stream_is_full(conn->stream);
}

uint64_t http_drop(struct http_request *request, uint64_t tag)
{
	struct http_exchange *own = http_exchange_of(request);
	struct stream *stream = own->conn ? own->conn->stream : own->ended;

	return stream ? stream_drop(stream, tag) : 0;
}

bool http_notify_when_sent(struct http_request *request, uint64_t tag)
{
	const struct http_conn *conn = http_exchange_of(request)->conn;

	return conn && stream_notify_when_sent(conn->stream, tag);
}

void http_on_sent(struct http_request *request, void (*sent)(void *arg, uint64_t tag), void *arg)
{
	struct http_exchange *own = http_exchange_of(request);

	own->sent = sent;
	own->sent_arg = arg;
}

/* Returns whether a header that may occur several times contains a token. */
static bool http_request_has_token(const struct http_request *request, const char *name,
				   const char *token)
{
	const struct http_parse *parse = &http_exchange_of(request)->parse;
	const char *value;

	for (unsigned i = 0; (value = http_parse_header(parse, name, i)); ++i) {
		if (ws_handshake_has_token(value, token))
			return true;
	}
	return false;
}

bool http_wants_upgrade(const struct http_request *request)
{
	return http_request_has_token(request, "upgrade", "websocket") &&
	       http_request_has_token(request, "connection", "upgrade");
}
