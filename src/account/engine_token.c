/*
 * engine_token.c: the token by which a speech engine shows who sent it (see
 * engine_token.h).
 *
 * The signature is looked at first, in constant time and for every key, so that
 * nothing of a stranger's token is parsed.
 */
#include "account/engine_token.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/base64.h"
#include "base/count.h"
#include "base/json.h"

#define BLANKS " \t\r\n"
#define REGION "_residency_"

/* base64url of 32 bytes, without padding. */
#define SIGNATURE_LEN 43u

struct slice {
	const char *text;
	size_t len;
};

/* Keys */

static size_t without_region(const char *key, size_t len)
{
	size_t tail = len;

	while (tail > 0 &&
	       (islower((unsigned char)key[tail - 1]) || isdigit((unsigned char)key[tail - 1])))
		--tail;
	if (tail == len || tail <= strlen(REGION))
		return len;
	tail -= strlen(REGION);
	return memcmp(key + tail, REGION, strlen(REGION)) == 0 ? tail : len;
}

int engine_token_keys(struct engine_token_keys *keys, const struct engine_token_rules *rules,
		      const char *text)
{
	struct engine_token_keys found = {.rules = rules, .life_max_s = ENGINE_TOKEN_LIFE_MAX_S};

	for (text += strspn(text, BLANKS); *text; text += strspn(text, BLANKS)) {
		size_t len = strcspn(text, BLANKS);

		if (found.count == ENGINE_TOKEN_KEYS_MAX)
			return E2BIG;
		if (EVP_Digest(text, without_region(text, len), found.digests[found.count++], NULL,
			       EVP_sha256(), NULL) != 1)
			return ENOMEM;
		text += len;
	}
	if (found.count == 0)
		return EINVAL;
	*keys = found;
	return 0;
}

/* base64url */

static void to_url_alphabet(char *text, size_t len)
{
	for (size_t i = 0; i < len; ++i) {
		if (text[i] == '+')
			text[i] = '-';
		else if (text[i] == '/')
			text[i] = '_';
	}
}

/* Gives the length; no padding and no NUL. */
static size_t encode(char *out, const void *bytes, size_t n)
{
	size_t len = base64_encode(out, bytes, n);

	while (len > 0 && out[len - 1] == '=')
		--len;
	to_url_alphabet(out, len);
	return len;
}

/* Of either alphabet, as the vendor's library takes it.  `out` has ENGINE_TOKEN_MAX
 * bytes, more than any part of a token decodes to. */
static int decode(char *out, size_t *lenp, struct slice part)
{
	char text[ENGINE_TOKEN_MAX + 4];
	size_t len = part.len;

	if (memchr(part.text, '=', len))
		return EINVAL;
	memcpy(text, part.text, len);
	for (size_t i = 0; i < len; ++i) {
		if (text[i] == '-')
			text[i] = '+';
		else if (text[i] == '_')
			text[i] = '/';
	}
	while (len % 4 != 0)
		text[len++] = '=';
	return base64_decode(out, lenp, text, len);
}

/* The signature */

static int sign(uint8_t mac[ENGINE_TOKEN_DIGEST_LEN], const uint8_t *digest,
		struct slice signed_part)
{
	unsigned len;

	if (!HMAC(EVP_sha256(), digest, ENGINE_TOKEN_DIGEST_LEN,
		  (const unsigned char *)signed_part.text, signed_part.len, mac, &len))
		return ENOMEM;
	assert(len == ENGINE_TOKEN_DIGEST_LEN);
	return 0;
}

/* Every key is tried, whichever fits: the time tells nothing. */
static bool is_signed(const struct engine_token_keys *keys, struct slice signed_part,
		      const char *signature)
{
	uint8_t mac[ENGINE_TOKEN_DIGEST_LEN];
	unsigned fits = 0;

	for (size_t i = 0; i < keys->count; ++i) {
		if (sign(mac, keys->digests[i], signed_part) == 0)
			fits |= CRYPTO_memcmp(mac, signature, sizeof(mac)) == 0;
	}
	return fits != 0;
}

/* Claims */

struct claims {
	const struct engine_token_rules *rules;
	bool is_hs256, is_critical; /* of the header */
	bool is_issuer, is_subject;
	bool has_expiry, has_issue; /* as numbers */
	double expires_s, issued_s;
};

static void read_text(bool *is_it, const struct json_value *value, const char *wanted)
{
	*is_it = value->kind == JSON_KIND_STRING && value->len == strlen(wanted) &&
		 memcmp(value->text, wanted, value->len) == 0;
}

static void read_alg(struct claims *claims, const struct json_value *value)
{
	read_text(&claims->is_hs256, value, "HS256");
}

/* RFC 7515, 4.1.11: who does not know what it names must refuse. */
static void read_crit(struct claims *claims, const struct json_value *value)
{
	(void)value;
	claims->is_critical = true;
}

static void read_iss(struct claims *claims, const struct json_value *value)
{
	read_text(&claims->is_issuer, value, claims->rules->issuer);
}

static void read_sub(struct claims *claims, const struct json_value *value)
{
	read_text(&claims->is_subject, value, claims->rules->subject);
}

static void read_exp(struct claims *claims, const struct json_value *value)
{
	claims->has_expiry = json_to_double(&claims->expires_s, value) == 0;
}

static void read_iat(struct claims *claims, const struct json_value *value)
{
	claims->has_issue = json_to_double(&claims->issued_s, value) == 0;
}

struct claim_row {
	const char *name;
	void (*read)(struct claims *claims, const struct json_value *value);
};

static const struct claim_row header_rows[] = {{"alg", read_alg}, {"crit", read_crit}};
static const struct claim_row payload_rows[] = {
	{"iss", read_iss}, {"sub", read_sub}, {"exp", read_exp}, {"iat", read_iat}};

static void read_claim(struct claims *claims, const struct claim_row *rows, size_t count,
		       const struct json_value *key, const struct json_value *value)
{
	for (size_t i = 0; i < count; ++i) {
		if (key->len == strlen(rows[i].name) &&
		    memcmp(key->text, rows[i].name, key->len) == 0)
			rows[i].read(claims, value);
	}
}

static int read_object(struct claims *claims, struct slice part, const struct claim_row *rows,
		       size_t count)
{
	char text[ENGINE_TOKEN_MAX];
	struct json json;
	struct json_value key;
	struct json_value value;
	size_t len;

	if (decode(text, &len, part) != 0)
		return EINVAL;
	json_open(&json, text, len);
	if (json_value(&json, &value) != 0 || value.kind != JSON_KIND_OBJECT)
		return EINVAL;
	while (json_member(&json, &key)) {
		if (json_value(&json, &value) != 0)
			return EINVAL;
		read_claim(claims, rows, count, &key, &value);
		json_skip(&json, &value);
	}
	return json_close(&json);
}

/* NULL: all is well. */
static const char *fault_of(const struct claims *claims, int64_t now_s, int64_t life_max_s)
{
	double now = (double)now_s;

	if (!claims->is_hs256 || claims->is_critical)
		return "its algorithm is not HS256";
	if (!claims->is_issuer)
		return "another issuer";
	if (!claims->is_subject)
		return "another subject";
	if (!claims->has_expiry)
		return "no expiry";
	if (claims->expires_s + ENGINE_TOKEN_LEEWAY_S < now)
		return "expired";
	if (!claims->has_issue)
		return "no time of issue";
	if (claims->issued_s - ENGINE_TOKEN_LEEWAY_S > now)
		return "issued in the future";
	/* Together with the check above, this also bounds how far in the future it may
	 * expire. */
	if (claims->expires_s - claims->issued_s > (double)life_max_s)
		return "valid for longer than token_seconds of the agent";
	return NULL;
}

/* The whole */

static struct slice take_token(const char *value)
{
	static const char bearer[] = "bearer";
	size_t len;

	value += strspn(value, BLANKS);
	if (strncasecmp(value, bearer, strlen(bearer)) == 0 &&
	    strchr(" \t", value[strlen(bearer)]) && value[strlen(bearer)]) {
		value += strlen(bearer);
		value += strspn(value, BLANKS);
	}
	len = strnlen(value, ENGINE_TOKEN_MAX + 1);
	while (len > 0 && strchr(BLANKS, value[len - 1]))
		--len;
	return (struct slice){value, len};
}

/* Header, payload and signature, none of them empty. */
static int split(struct slice parts[3], struct slice token)
{
	const char *end = token.text + token.len;
	const char *first = memchr(token.text, '.', token.len);
	const char *second = first ? memchr(first + 1, '.', (size_t)(end - first - 1)) : NULL;

	if (!second)
		return EINVAL;
	parts[0] = (struct slice){token.text, (size_t)(first - token.text)};
	parts[1] = (struct slice){first + 1, (size_t)(second - first - 1)};
	parts[2] = (struct slice){second + 1, (size_t)(end - second - 1)};
	return parts[0].len && parts[1].len && parts[2].len == SIGNATURE_LEN ? 0 : EINVAL;
}

static const char *check(const struct engine_token_keys *keys, struct slice token, int64_t now_s)
{
	char signature[ENGINE_TOKEN_MAX];
	struct slice parts[3];
	struct claims claims = {.rules = keys->rules};
	size_t len;

	if (token.len == 0)
		return "no token";
	if (token.len > ENGINE_TOKEN_MAX)
		return "too long";
	if (split(parts, token) != 0 || decode(signature, &len, parts[2]) != 0)
		return "not a signed token";
	token.len -= parts[2].len + 1;
	if (!is_signed(keys, token, signature))
		return "signed with another key";
	if (read_object(&claims, parts[0], header_rows, COUNT(header_rows)) != 0 ||
	    read_object(&claims, parts[1], payload_rows, COUNT(payload_rows)) != 0)
		return "not made of JSON objects";
	return fault_of(&claims, now_s, keys->life_max_s);
}

int engine_token_check(const struct engine_token_keys *keys, const char *value, int64_t now_s,
		       const char **why)
{
	*why = value ? check(keys, take_token(value), now_s) : "no token";
	return *why ? EACCES : 0;
}

int engine_token_make(char token[ENGINE_TOKEN_SIZE], const struct engine_token_keys *keys,
		      int64_t issued_s, int64_t expires_s)
{
	static const char header[] = "{\"alg\":\"HS256\",\"typ\":\"JWT\"}";
	char payload[192];
	uint8_t mac[ENGINE_TOKEN_DIGEST_LEN];
	size_t len = encode(token, header, strlen(header));
	int n = snprintf(payload, sizeof(payload),
			 "{\"iss\":\"%s\",\"sub\":\"%s\",\"iat\":%" PRId64 ",\"exp\":%" PRId64 "}",
			 keys->rules->issuer, keys->rules->subject, issued_s, expires_s);

	assert(n > 0 && (size_t)n < sizeof(payload));
	token[len++] = '.';
	len += encode(token + len, payload, (size_t)n);
	if (sign(mac, keys->digests[0], (struct slice){token, len}) != 0)
		return ENOMEM;
	token[len++] = '.';
	len += encode(token + len, mac, sizeof(mac));
	assert(len < ENGINE_TOKEN_SIZE);
	token[len] = '\0';
	return 0;
}
