/*
 * ws_handshake.c: the opening handshake as text (see ws_handshake.h).
 */
#include "net/ws_handshake.h"

#include <errno.h>
#include <openssl/evp.h>
#include <openssl/sha.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* RFC 6455, section 1.3. */
#define GUID "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

/* Room for the values that are read here, which are lists of a few tokens. */
#define VALUE_SIZE 256

static bool ws_handshake_is_base64(char c)
{
	return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
	       c == '+' || c == '/';
}

bool ws_handshake_key_is_valid(const char *key)
{
	if (strlen(key) != WS_KEY_SIZE - 1 || strcmp(key + 22, "==") != 0)
		return false;
	for (size_t i = 0; i < 22; ++i) {
		if (!ws_handshake_is_base64(key[i]))
			return false;
	}
	return true;
}

void ws_handshake_make_key(char key[WS_KEY_SIZE], const uint8_t random[16])
{
	EVP_EncodeBlock((unsigned char *)key, random, 16);
}

void ws_handshake_accept(char accept[WS_ACCEPT_SIZE], const char *key)
{
	char text[WS_KEY_SIZE + sizeof(GUID)];
	unsigned char digest[SHA_DIGEST_LENGTH];
	int n = snprintf(text, sizeof(text), "%.24s%s", key, GUID);

	SHA1((const unsigned char *)text, (size_t)n, digest);
	EVP_EncodeBlock((unsigned char *)accept, digest, sizeof(digest));
}

bool ws_handshake_has_token(const char *list, const char *token)
{
	size_t len = strlen(token);

	while (*list) {
		size_t item;

		list += strspn(list, ", \t");
		item = strcspn(list, ", \t");
		if (item == len && strncasecmp(list, token, len) == 0)
			return true;
		list += item;
	}
	return false;
}

/* Finds the next header of this name after `line`, and copies its value without surrounding blanks.
 * A value that does not fit is invalid, and becomes "".  Returns its line, or NULL if there is
 * none. */
static const char *ws_handshake_header(char *value, size_t size, const char *line, const char *name)
{
	size_t name_len = strlen(name);

	while ((line = strstr(line, "\r\n"))) {
		const char *text = line + 2;
		size_t len;

		line = text;
		if (strncasecmp(text, name, name_len) != 0 || text[name_len] != ':')
			continue;
		text += name_len + 1;
		text += strspn(text, " \t");
		len = strcspn(text, "\r");
		while (len > 0 && (text[len - 1] == ' ' || text[len - 1] == '\t'))
			--len;
		snprintf(value, size, "%.*s", len < size ? (int)len : 0, text);
		return line;
	}
	return NULL;
}

static bool ws_handshake_is_upgrade(const char *head)
{
	char value[VALUE_SIZE];

	for (const char *at = head;
	     (at = ws_handshake_header(value, sizeof(value), at, "Connection"));) {
		if (ws_handshake_has_token(value, "Upgrade"))
			return true;
	}
	return false;
}

/* Whether the head has this header with a value. */
static bool ws_handshake_names(const char *head, const char *header)
{
	const char *at = head;
	char value[VALUE_SIZE];

	while ((at = ws_handshake_header(value, sizeof(value), at, header))) {
		if (strcspn(at + strlen(header) + 1, "\r") > strspn(at + strlen(header) + 1, " \t"))
			return true;
	}
	return false;
}

const char *ws_handshake_fault(const char *head, const char *key)
{
	char value[VALUE_SIZE];
	char accept[WS_ACCEPT_SIZE];

	if (!ws_handshake_header(value, sizeof(value), head, "Upgrade"))
		return "its answer has no Upgrade header";
	if (strcasecmp(value, "websocket") != 0)
		return "its answer upgrades to something else";
	if (!ws_handshake_is_upgrade(head))
		return "its answer has no \"Connection: Upgrade\"";
	ws_handshake_accept(accept, key);
	if (!ws_handshake_header(value, sizeof(value), head, "Sec-WebSocket-Accept") ||
	    strcmp(value, accept) != 0)
		return "its Sec-WebSocket-Accept does not fit the key";
	if (ws_handshake_names(head, "Sec-WebSocket-Extensions"))
		return "it uses an extension that was not offered";
	if (ws_handshake_names(head, "Sec-WebSocket-Protocol"))
		return "it chose a subprotocol that was not offered";
	return NULL;
}

int ws_handshake_request(struct buf *out, const struct url *url, const char *key,
			 const char *const *headers)
{
	int err = buf_printf(out,
			     "GET %s%.*s HTTP/1.1\r\nHost: %s\r\nUpgrade: websocket\r\n"
			     "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
			     "Sec-WebSocket-Key: %s\r\n",
			     url->target[0] == '/' ? "" : "/", (int)strcspn(url->target, "#"),
			     url->target, url->authority, key);

	for (; !err && headers && *headers; ++headers)
		err = strpbrk(*headers, "\r\n") ? EINVAL : buf_printf(out, "%s\r\n", *headers);
	return err ? err : buf_append_str(out, "\r\n");
}

int ws_handshake_check(const char *head, const char *key, const char *rest, size_t rest_len,
		       char *why, size_t why_size)
{
	const char *fault;
	unsigned status = 0;
	int len = 0;

	if (sscanf(head, "HTTP/1.%*1[01] %3u", &status) != 1 || status != 101) {
		/* One line of a body is enough, and the log must not contain more. */
		while ((size_t)len < rest_len && len < VALUE_SIZE &&
		       (unsigned char)rest[len] >= ' ')
			++len;
		snprintf(why, why_size, "HTTP %u: %.*s", status, len, rest);
		return EPROTO;
	}
	fault = ws_handshake_fault(head, key);
	if (!fault)
		return 0;
	snprintf(why, why_size, "the server did not open a WebSocket: %s", fault);
	return EPROTO;
}
