/*
 * ws_handshake.c: the opening handshake as text (see ws_handshake.h).
 */
#include "net/ws_handshake.h"

#include <openssl/evp.h>
#include <openssl/sha.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* RFC 6455, section 1.3. */
#define GUID "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

static bool is_base64(char c)
{
	return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
	       c == '+' || c == '/';
}

bool ws_handshake_key_is_valid(const char *key)
{
	if (strlen(key) != WS_KEY_SIZE - 1 || strcmp(key + 22, "==") != 0)
		return false;
	for (size_t i = 0; i < 22; ++i) {
		if (!is_base64(key[i]))
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
