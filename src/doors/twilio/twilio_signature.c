/*
 * twilio_signature.c: whether a request comes from Twilio (see twilio.h).
 *
 * The signature is the base64 of an HMAC-SHA1 with the account's token over the URL and the parameters of
 * the form, sorted by their names.  Equal parameters count once, and those of one name are sorted by their
 * values, as in Twilio's own library.  Twilio signs some URLs with a port and some without, so both are
 * compared.
 */
#include <assert.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/base64.h"
#include "doors/twilio/twilio.h"

#define DIGEST_LEN 20u
#define SIGNATURE_LEN 28u
#define PORT_MAX 6 /* ":65535" */

/* The bytes that are signed besides the URL; a form of Twilio has a few kilobytes. */
#define SIGNED_MAX (64u * 1024u)

static int twilio_signature_compare(const void *a, const void *b)
{
	const struct twilio_param *const *left = a;
	const struct twilio_param *const *right = b;
	int order = strcmp((*left)->name, (*right)->name);

	return order ? order : strcmp((*left)->value, (*right)->value);
}

/* Appends the parameters in the order in which they are signed. */
static int twilio_signature_append(struct buf *out, const struct twilio_param *params, size_t count)
{
	const struct twilio_param *sorted[TWILIO_SIGNATURE_PARAMS_MAX];
	int err = 0;

	for (size_t i = 0; i < count; ++i)
		sorted[i] = &params[i];
	if (count > 1)
		qsort(sorted, count, sizeof(sorted[0]), twilio_signature_compare);
	for (size_t i = 0; i < count && !err; ++i) {
		if (i > 0 && twilio_signature_compare(&sorted[i - 1], &sorted[i]) == 0)
			continue;
		err = buf_append_str(out, sorted[i]->name);
		if (!err)
			err = buf_append_str(out, sorted[i]->value);
	}
	return err;
}

/* Finds the end of the URL's host, and of the port behind it. */
static bool twilio_signature_split(const char *url, size_t *host_end, size_t *port_end)
{
	const char *authority = strstr(url, "://");
	const char *end, *host, *colon;

	if (!authority)
		return false;
	authority += 3;
	end = authority + strcspn(authority, "/?#");
	host = memrchr(authority, '@', (size_t)(end - authority));
	host = host ? host + 1 : authority;
	/* The colons of an address by IPv6 are in brackets. */
	colon = memrchr(host, ']', (size_t)(end - host));
	colon = memchr(colon ? colon : host, ':', (size_t)(end - (colon ? colon : host)));
	*host_end = (size_t)((colon ? colon : end) - url);
	*port_end = (size_t)(end - url);
	return true;
}

static bool twilio_signature_matches(const char *signature, const char *auth_token,
				     const struct buf *text)
{
	uint8_t digest[DIGEST_LEN];
	char expected[SIGNATURE_LEN];
	unsigned len;

	if (!HMAC(EVP_sha1(), auth_token, (int)strlen(auth_token),
		  (const unsigned char *)text->bytes, text->len, digest, &len))
		return false;
	assert(len == DIGEST_LEN);
	base64_encode(expected, digest, len);
	return CRYPTO_memcmp(expected, signature, SIGNATURE_LEN) == 0;
}

bool twilio_signature_is_valid(const char *signature, const char *auth_token, const char *url,
			       const struct twilio_param *params, size_t count)
{
	bool is_secure = strncasecmp(url, "https:", 6) == 0 || strncasecmp(url, "wss:", 4) == 0;
	size_t host_end;
	size_t port_end;
	bool is_valid = false;

	/* An empty token would be one that anybody knows. */
	if (strlen(signature) != SIGNATURE_LEN || !auth_token[0] ||
	    strlen(url) > TWILIO_SIGNATURE_URL_MAX || count > TWILIO_SIGNATURE_PARAMS_MAX ||
	    !twilio_signature_split(url, &host_end, &port_end))
		return false;
	for (unsigned with_port = 0; with_port < 2; ++with_port) {
		const char *added = is_secure ? ":443" : ":80";
		struct buf text;
		int err;

		buf_init(&text, TWILIO_SIGNATURE_URL_MAX + PORT_MAX + SIGNED_MAX);
		err = buf_append(&text, url, host_end);
		if (!err && with_port)
			err = port_end > host_end
				      ? buf_append(&text, url + host_end, port_end - host_end)
				      : buf_append_str(&text, added);
		if (!err)
			err = buf_append_str(&text, url + port_end);
		if (!err)
			err = twilio_signature_append(&text, params, count);
		if (!err)
			is_valid |= twilio_signature_matches(signature, auth_token, &text);
		buf_reset(&text);
	}
	return is_valid;
}
