/*
 * engine_token.c: the token with which a speech engine authenticates (see engine_token.h).
 *
 * The signature is checked first, in constant time and for every key, so that the JSON of a forged
 * token is never parsed.
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

struct engine_token_slice {
	const char *text;
	size_t len;
};

/* Keys */

/* The length of a key without the region at its end. */
static size_t engine_token_key_len(const char *key, size_t len)
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
		if (EVP_Digest(text, engine_token_key_len(text, len), found.digests[found.count++],
			       NULL, EVP_sha256(), NULL) != 1)
			return ENOMEM;
		text += len;
	}
	if (found.count == 0)
		return EINVAL;
	*keys = found;
	return 0;
}

_Static_assert(STORE_KEY_HASH_LEN == ENGINE_TOKEN_DIGEST_LEN, "both are SHA-256 of a key");

int engine_token_key_of(struct engine_token_keys *keys, const struct engine_token_rules *rules,
			const struct store_key *row, int64_t now_ms)
{
	if (row->revoked_ms || (row->expires_ms && now_ms >= row->expires_ms))
		return EACCES;
	*keys = (struct engine_token_keys){
		.rules = rules, .life_max_s = ENGINE_TOKEN_LIFE_MAX_S, .count = 1};
	memcpy(keys->digests[0], row->hash, ENGINE_TOKEN_DIGEST_LEN);
	return 0;
}

/* base64url */

static void engine_token_to_url_alphabet(char *text, size_t len)
{
	for (size_t i = 0; i < len; ++i) {
		if (text[i] == '+')
			text[i] = '-';
		else if (text[i] == '/')
			text[i] = '_';
	}
}

/* Writes neither padding nor a NUL; returns the length. */
static size_t engine_token_encode(char *out, const void *bytes, size_t n)
{
	size_t len = base64_encode(out, bytes, n);

	while (len > 0 && out[len - 1] == '=')
		--len;
	engine_token_to_url_alphabet(out, len);
	return len;
}

/* Accepts both alphabets, as the vendor's library does.  `out` has ENGINE_TOKEN_MAX bytes, more
 * than any part of a token decodes to. */
static int engine_token_decode(char *out, size_t *lenp, struct engine_token_slice part)
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

static int engine_token_sign(uint8_t mac[ENGINE_TOKEN_DIGEST_LEN], const uint8_t *digest,
			     struct engine_token_slice signed_part)
{
	unsigned len;

	if (!HMAC(EVP_sha256(), digest, ENGINE_TOKEN_DIGEST_LEN,
		  (const unsigned char *)signed_part.text, signed_part.len, mac, &len))
		return ENOMEM;
	assert(len == ENGINE_TOKEN_DIGEST_LEN);
	return 0;
}

/* Tries every key even after a match, so that the duration reveals nothing. */
static bool engine_token_is_signed(const struct engine_token_keys *keys,
				   struct engine_token_slice signed_part, const char *signature)
{
	uint8_t mac[ENGINE_TOKEN_DIGEST_LEN];
	unsigned fits = 0;

	for (size_t i = 0; i < keys->count; ++i) {
		if (engine_token_sign(mac, keys->digests[i], signed_part) == 0)
			fits |= CRYPTO_memcmp(mac, signature, sizeof(mac)) == 0;
	}
	return fits != 0;
}

/* Claims */

struct claims {
	const struct engine_token_rules *rules;
	bool is_hs256, is_critical; /* claims of the header */
	bool is_issuer, is_subject; /* the claim has the required value */
	bool has_expiry, has_issue; /* the claim is a number */
	double expires_s, issued_s;
};

static void engine_token_read_text(bool *matches, const struct json_value *value,
				   const char *wanted)
{
	*matches = value->kind == JSON_KIND_STRING && value->len == strlen(wanted) &&
		   memcmp(value->text, wanted, value->len) == 0;
}

static void engine_token_read_alg(struct claims *claims, const struct json_value *value)
{
	engine_token_read_text(&claims->is_hs256, value, "HS256");
}

/* RFC 7515, 4.1.11: a token with extensions that are not understood must be refused. */
static void engine_token_read_crit(struct claims *claims, const struct json_value *value)
{
	(void)value;
	claims->is_critical = true;
}

static void engine_token_read_iss(struct claims *claims, const struct json_value *value)
{
	engine_token_read_text(&claims->is_issuer, value, claims->rules->issuer);
}

static void engine_token_read_sub(struct claims *claims, const struct json_value *value)
{
	engine_token_read_text(&claims->is_subject, value, claims->rules->subject);
}

static void engine_token_read_exp(struct claims *claims, const struct json_value *value)
{
	claims->has_expiry = json_to_double(&claims->expires_s, value) == 0;
}

static void engine_token_read_iat(struct claims *claims, const struct json_value *value)
{
	claims->has_issue = json_to_double(&claims->issued_s, value) == 0;
}

struct claim_row {
	const char *name;
	void (*read)(struct claims *claims, const struct json_value *value);
};

static const struct claim_row engine_token_header_rows[] = {{"alg", engine_token_read_alg},
							    {"crit", engine_token_read_crit}};
static const struct claim_row engine_token_payload_rows[] = {{"iss", engine_token_read_iss},
							     {"sub", engine_token_read_sub},
							     {"exp", engine_token_read_exp},
							     {"iat", engine_token_read_iat}};

static void engine_token_read_claim(struct claims *claims, const struct claim_row *rows,
				    size_t count, const struct json_value *key,
				    const struct json_value *value)
{
	for (size_t i = 0; i < count; ++i) {
		if (key->len == strlen(rows[i].name) &&
		    memcmp(key->text, rows[i].name, key->len) == 0)
			rows[i].read(claims, value);
	}
}

static int engine_token_read_object(struct claims *claims, struct engine_token_slice part,
				    const struct claim_row *rows, size_t count)
{
	char text[ENGINE_TOKEN_MAX];
	struct json json;
	struct json_value key;
	struct json_value value;
	size_t len;

	if (engine_token_decode(text, &len, part) != 0)
		return EINVAL;
	json_open(&json, text, len);
	if (json_value(&json, &value) != 0 || value.kind != JSON_KIND_OBJECT)
		return EINVAL;
	while (json_member(&json, &key)) {
		if (json_value(&json, &value) != 0)
			return EINVAL;
		engine_token_read_claim(claims, rows, count, &key, &value);
		json_skip(&json, &value);
	}
	return json_close(&json);
}

/* NULL: the claims are valid. */
static const char *engine_token_find_fault(const struct claims *claims, int64_t now_s,
					   int64_t life_max_s)
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
	/* Because the time of issue is not in the future, this also limits how far in the future
	 * the token may expire. */
	if (claims->expires_s - claims->issued_s > (double)life_max_s)
		return "valid for longer than token_seconds of the agent";
	return NULL;
}

/* Tokens */

static struct engine_token_slice engine_token_trim(const char *value)
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
	return (struct engine_token_slice){value, len};
}

/* Splits a token into header, payload and signature, none of which may be empty. */
static int engine_token_split(struct engine_token_slice parts[3], struct engine_token_slice token)
{
	const char *end = token.text + token.len;
	const char *first = memchr(token.text, '.', token.len);
	const char *second = first ? memchr(first + 1, '.', (size_t)(end - first - 1)) : NULL;

	if (!second)
		return EINVAL;
	parts[0] = (struct engine_token_slice){token.text, (size_t)(first - token.text)};
	parts[1] = (struct engine_token_slice){first + 1, (size_t)(second - first - 1)};
	parts[2] = (struct engine_token_slice){second + 1, (size_t)(end - second - 1)};
	return parts[0].len && parts[1].len && parts[2].len == SIGNATURE_LEN ? 0 : EINVAL;
}

static const char *engine_token_verify(const struct engine_token_keys *keys,
				       struct engine_token_slice token, int64_t now_s)
{
	char signature[ENGINE_TOKEN_MAX];
	struct engine_token_slice parts[3];
	struct claims claims = {.rules = keys->rules};
	size_t len;

	if (token.len == 0)
		return "no token";
	if (token.len > ENGINE_TOKEN_MAX)
		return "too long";
	if (engine_token_split(parts, token) != 0 ||
	    engine_token_decode(signature, &len, parts[2]) != 0)
		return "not a signed token";
	token.len -= parts[2].len + 1;
	if (!engine_token_is_signed(keys, token, signature))
		return "signed with another key";
	if (engine_token_read_object(&claims, parts[0], engine_token_header_rows,
				     COUNT(engine_token_header_rows)) != 0 ||
	    engine_token_read_object(&claims, parts[1], engine_token_payload_rows,
				     COUNT(engine_token_payload_rows)) != 0)
		return "not made of JSON objects";
	return engine_token_find_fault(&claims, now_s, keys->life_max_s);
}

int engine_token_check(const struct engine_token_keys *keys, const char *value, int64_t now_s,
		       const char **why)
{
	*why = value ? engine_token_verify(keys, engine_token_trim(value), now_s) : "no token";
	return *why ? EACCES : 0;
}

int engine_token_make(char token[ENGINE_TOKEN_SIZE], const struct engine_token_keys *keys,
		      int64_t issued_s, int64_t expires_s)
{
	static const char header[] = "{\"alg\":\"HS256\",\"typ\":\"JWT\"}";
	char payload[192];
	uint8_t mac[ENGINE_TOKEN_DIGEST_LEN];
	size_t len = engine_token_encode(token, header, strlen(header));
	int n = snprintf(payload, sizeof(payload),
			 "{\"iss\":\"%s\",\"sub\":\"%s\",\"iat\":%" PRId64 ",\"exp\":%" PRId64 "}",
			 keys->rules->issuer, keys->rules->subject, issued_s, expires_s);

	assert(n > 0 && (size_t)n < sizeof(payload));
	token[len++] = '.';
	len += engine_token_encode(token + len, payload, (size_t)n);
	if (engine_token_sign(mac, keys->digests[0], (struct engine_token_slice){token, len}) != 0)
		return ENOMEM;
	token[len++] = '.';
	len += engine_token_encode(token + len, mac, sizeof(mac));
	assert(len < ENGINE_TOKEN_SIZE);
	token[len] = '\0';
	return 0;
}

int engine_token_header(char header[ENGINE_TOKEN_HEADER_SIZE], const struct engine_token_keys *keys,
			int64_t issued_s, int64_t expires_s)
{
	char token[ENGINE_TOKEN_SIZE];
	int err = engine_token_make(token, keys, issued_s, expires_s);
	int n;

	if (err)
		return err;
	n = snprintf(header, ENGINE_TOKEN_HEADER_SIZE, "%s: %s", keys->rules->header, token);
	assert(n > 0 && (size_t)n < ENGINE_TOKEN_HEADER_SIZE); /* a vendor's name of a header */
	return 0;
}
