/* Which tokens of a speech engine are accepted; those that we make are among them. */
#include <errno.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "account/api_key.h"
#include "account/engine_token.h"
#include "base/base64.h"
#include "base/count.h"

#define NOW 1700000000
#define KEY "sk_test_0123456789abcdef"
#define HEAD "{\"alg\":\"HS256\",\"typ\":\"JWT\"}"
#define ISS "\"iss\":\"https://api.elevenlabs.io/convai/speech-engine\""
#define SUB "\"sub\":\"convai_speech_engine_upstream\""

static const char golden[] =
	"eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9."
	"eyJpc3MiOiJodHRwczovL2FwaS5lbGV2ZW5sYWJzLmlvL2NvbnZhaS9zcGVlY2gtZW5naW5lIiwic3ViIjoiY29udmFp"
	"X3NwZWVjaF9lbmdpbmVfdXBzdHJlYW0iLCJpYXQiOjE3MDAwMDAwMDAsImV4cCI6MTcwMDAwMDA2MH0."
	"qUv7CzHgQYnqlbMmWxI8lXMeYdDlzHx7bb0q4UmEIlk";

static const struct engine_token_rules rules = {
	.header = "X-Token",
	.issuer = "https://api.elevenlabs.io/convai/speech-engine",
	.subject = "convai_speech_engine_upstream",
};

static struct engine_token_keys keys_of(const char *text)
{
	struct engine_token_keys keys;

	assert_int_equal(engine_token_keys(&keys, &rules, text), 0);
	return keys;
}

static size_t put(char *out, const void *bytes, size_t n)
{
	size_t len = base64_encode(out, bytes, n);

	for (size_t i = 0; i < len; ++i)
		out[i] = out[i] == '+' ? '-' : out[i] == '/' ? '_' : out[i];
	while (len > 0 && out[len - 1] == '=')
		--len;
	return len;
}

/* Makes a token with any header and payload, signed with any bytes. */
static void forge(char *token, const char *head, const char *payload, const void *secret,
		  size_t secret_len)
{
	unsigned char mac[32];
	unsigned mac_len;
	size_t len = put(token, head, strlen(head));

	token[len++] = '.';
	len += put(token + len, payload, strlen(payload));
	assert_non_null(HMAC(EVP_sha256(), secret, (int)secret_len, (const unsigned char *)token,
			     len, mac, &mac_len));
	token[len++] = '.';
	len += put(token + len, mac, mac_len);
	token[len] = '\0';
}

static void forge_with_key(char *token, const char *head, const char *payload)
{
	struct engine_token_keys keys = keys_of(KEY);

	forge(token, head, payload, keys.digests[0], sizeof(keys.digests[0]));
}

static int check(const char *token, int64_t now_s)
{
	struct engine_token_keys keys = keys_of(KEY);
	const char *why;
	int err = engine_token_check(&keys, token, now_s, &why);

	assert_int_equal(err != 0, why != NULL);
	return err;
}

static void test_the_same_token_as_the_vendors_is_made_and_accepted(void **state)
{
	static const uint8_t digest[] = {0x6f, 0x75, 0x2b, 0x72, 0x37, 0xc6, 0xe8, 0x1c,
					 0x9f, 0x1f, 0xdf, 0x06, 0xe5, 0x8f, 0xb8, 0xed,
					 0x22, 0xcb, 0xe0, 0xf5, 0x1e, 0xf7, 0xee, 0xb5,
					 0xa4, 0xb8, 0xdd, 0x00, 0x03, 0xd0, 0x89, 0xaf};
	struct engine_token_keys keys = keys_of(KEY);
	char token[ENGINE_TOKEN_SIZE];
	char header[ENGINE_TOKEN_HEADER_SIZE];
	char expected[ENGINE_TOKEN_HEADER_SIZE];

	(void)state;
	assert_memory_equal(keys.digests[0], digest, sizeof(digest));
	assert_int_equal(engine_token_make(token, &keys, NOW, NOW + 60), 0);
	assert_string_equal(token, golden);
	assert_int_equal(check(golden, NOW), 0);
	assert_int_equal(engine_token_header(header, &keys, NOW, NOW + 60), 0);
	snprintf(expected, sizeof(expected), "%s: %s", keys.rules->header, golden);
	assert_string_equal(header, expected);
}

static void test_a_token_with_extreme_times_fits_its_buffer_and_is_refused(void **state)
{
	struct engine_token_keys keys = keys_of(KEY);
	char token[ENGINE_TOKEN_SIZE];

	(void)state;
	assert_int_equal(engine_token_make(token, &keys, INT64_MIN, INT64_MAX), 0);
	assert_int_equal(check(token, NOW), EACCES);
}

/* Times relative to NOW; the limit is an hour, and clocks may differ by a minute. */
static void test_a_token_with_too_long_a_lifetime_is_refused(void **state)
{
	static const struct {
		int64_t issued, expires;
		bool is_good;
	} cases[] = {
		{0, 60, true},
		{0, 3600, true},
		{0, 3601, false},
		{0, 86400, false},
		{0, INT64_C(253402300799) - NOW, false}, /* the end of the year 9999 */
		/* Most of its lifetime has passed. */
		{-3590, 10, true},
		{-3600, 1, false},
		{-3660, -60, true},
		{-3661, -61, false},
		{-100000000, 60, false},
		{-NOW, 60, false}, /* issued in 1970 */
		/* A clock that is ahead extends the lifetime by no more than the minute. */
		{60, 3660, true},
		{60, 3661, false},
		{61, 3661, false},
		/* It expires before it was issued, which is useless but harmless. */
		{60, 0, true},
		{0, -60, true},
	};
	struct engine_token_keys keys = keys_of(KEY);
	char token[ENGINE_TOKEN_SIZE];

	(void)state;
	for (size_t i = 0; i < COUNT(cases); ++i) {
		assert_int_equal(engine_token_make(token, &keys, NOW + cases[i].issued,
						   NOW + cases[i].expires),
				 0);
		if ((check(token, NOW) == 0) != cases[i].is_good)
			fail_msg("%lld to %lld", (long long)cases[i].issued,
				 (long long)cases[i].expires);
	}
}

static void test_the_longest_lifetime_can_be_set_for_an_agent(void **state)
{
	struct engine_token_keys keys = keys_of(KEY);
	char token[ENGINE_TOKEN_SIZE];
	const char *why;

	(void)state;
	assert_int_equal(engine_token_make(token, &keys, NOW, NOW + 86400), 0);
	assert_int_equal(engine_token_check(&keys, token, NOW, &why), EACCES);
	assert_string_equal(why, "valid for longer than token_seconds of the agent");
	keys.life_max_s = 86400;
	assert_int_equal(engine_token_check(&keys, token, NOW, &why), 0);
	assert_int_equal(engine_token_check(&keys, token, NOW, &why),
			 0); /* a token may be used again */
	keys.life_max_s = 86399;
	assert_int_equal(engine_token_check(&keys, token, NOW, &why), EACCES);
}

static void test_blanks_and_bearer_are_not_part_of_a_token(void **state)
{
	static const char *const forms[] = {"Bearer %s", "bearer %s", "BEARER   %s", "  %s  ",
					    "\t Bearer \t%s \t"};
	char value[1024];

	(void)state;
	for (size_t i = 0; i < COUNT(forms); ++i) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		snprintf(value, sizeof(value), forms[i], golden);
#pragma GCC diagnostic pop
		assert_int_equal(check(value, NOW), 0);
	}
	snprintf(value, sizeof(value), "Bearer%s", golden);
	assert_int_equal(check(value, NOW), EACCES);
	snprintf(value, sizeof(value), "Basic %s", golden);
	assert_int_equal(check(value, NOW), EACCES);
}

/* The cases in which the vendor's library was observed to accept or refuse a token.  We are
 * stricter only if another algorithm is named. */
static void test_claims_are_checked_against_the_rules(void **state)
{
	static const struct {
		int err;
		const char *head;
		const char *payload;
	} cases[] = {
		{0, HEAD, "{" ISS "," SUB ",\"iat\":1700000000,\"exp\":1700000060}"},
		{EACCES, HEAD, "{" SUB ",\"iat\":1700000000,\"exp\":1700000060}"},
		{EACCES, HEAD,
		 "{\"iss\":\"https://api.elevenlabs.io\"," SUB
		 ",\"iat\":1700000000,\"exp\":1700000060}"},
		{EACCES, HEAD, "{" ISS ",\"iat\":1700000000,\"exp\":1700000060}"},
		{EACCES, HEAD, "{" ISS ",\"sub\":\"other\",\"iat\":1700000000,\"exp\":1700000060}"},
		/* Expired by 30, 59, 60 and 61 seconds. */
		{0, HEAD, "{" ISS "," SUB ",\"iat\":1699999000,\"exp\":1699999970}"},
		{0, HEAD, "{" ISS "," SUB ",\"iat\":1699999000,\"exp\":1699999941}"},
		{0, HEAD, "{" ISS "," SUB ",\"iat\":1699999000,\"exp\":1699999940}"},
		{EACCES, HEAD, "{" ISS "," SUB ",\"iat\":1699999000,\"exp\":1699999939}"},
		{EACCES, HEAD, "{" ISS "," SUB ",\"iat\":1699999000,\"exp\":1699999938}"},
		{EACCES, HEAD, "{" ISS "," SUB ",\"iat\":1700000000}"},
		{EACCES, HEAD, "{" ISS "," SUB ",\"iat\":1700000000,\"exp\":\"1700000060\"}"},
		{EACCES, HEAD, "{" ISS "," SUB ",\"iat\":1700000000,\"exp\":null}"},
		{EACCES, HEAD, "{" ISS "," SUB ",\"iat\":1700000000,\"exp\":1e999}"},
		{EACCES, HEAD, "{" ISS "," SUB ",\"exp\":1700000060}"},
		{EACCES, HEAD, "{" ISS "," SUB ",\"iat\":\"1700000000\",\"exp\":1700000060}"},
		/* Issued 59, 60, 61 and 63 seconds from now. */
		{0, HEAD, "{" ISS "," SUB ",\"iat\":1700000059,\"exp\":1700000999}"},
		{0, HEAD, "{" ISS "," SUB ",\"iat\":1700000060,\"exp\":1700000999}"},
		{EACCES, HEAD, "{" ISS "," SUB ",\"iat\":1700000061,\"exp\":1700000999}"},
		{EACCES, HEAD, "{" ISS "," SUB ",\"iat\":1700000063,\"exp\":1700000999}"},
		{0, HEAD, "{" ISS "," SUB ",\"iat\":1700000000.25,\"exp\":1.70000006e9}"},
		{0, HEAD,
		 "{" ISS "," SUB ",\"iat\":1700000000,\"exp\":1700003600,"
		 "\"nbf\":1999999999,\"aud\":[\"x\",{}]}"},
		{EACCES, "{\"alg\":\"none\"}",
		 "{" ISS "," SUB ",\"iat\":1700000000,\"exp\":1700000060}"},
		{EACCES, "{\"alg\":\"HS512\"}",
		 "{" ISS "," SUB ",\"iat\":1700000000,\"exp\":1700000060}"},
		{EACCES, "{\"alg\":\"hs256\"}",
		 "{" ISS "," SUB ",\"iat\":1700000000,\"exp\":1700000060}"},
		{EACCES, "{\"typ\":\"JWT\"}",
		 "{" ISS "," SUB ",\"iat\":1700000000,\"exp\":1700000060}"},
		{EACCES, "{\"alg\":\"HS256\",\"crit\":[\"b64\"]}",
		 "{" ISS "," SUB ",\"iat\":1700000000,\"exp\":1700000060}"},
		{EACCES, "[\"HS256\"]", "{" ISS "," SUB ",\"iat\":1700000000,\"exp\":1700000060}"},
		{EACCES, HEAD, "[]"},
		{EACCES, HEAD, "{" ISS "," SUB ",\"iat\":1700000000,\"exp\":1700000060"},
	};
	char token[2048];

	(void)state;
	for (size_t i = 0; i < COUNT(cases); ++i) {
		forge_with_key(token, cases[i].head, cases[i].payload);
		if (check(token, NOW) != cases[i].err)
			fail_msg("%s %s", cases[i].head, cases[i].payload);
	}
}

static void test_only_the_raw_digest_of_the_key_is_the_secret(void **state)
{
	static const char payload[] = "{" ISS "," SUB ",\"iat\":1700000000,\"exp\":1700000060}";
	struct engine_token_keys keys = keys_of(KEY);
	struct engine_token_keys other = keys_of("sk_other");
	char hex[2 * ENGINE_TOKEN_DIGEST_LEN + 1];
	char base64[64];
	char token[2048];
	size_t len;

	(void)state;
	for (size_t i = 0; i < ENGINE_TOKEN_DIGEST_LEN; ++i)
		snprintf(hex + 2 * i, 3, "%02x", keys.digests[0][i]);
	forge(token, HEAD, payload, hex, strlen(hex));
	assert_int_equal(check(token, NOW), EACCES);
	len = base64_encode(base64, keys.digests[0], ENGINE_TOKEN_DIGEST_LEN);
	forge(token, HEAD, payload, base64, len);
	assert_int_equal(check(token, NOW), EACCES);
	forge(token, HEAD, payload, KEY, strlen(KEY));
	assert_int_equal(check(token, NOW), EACCES);
	forge(token, HEAD, payload, other.digests[0], ENGINE_TOKEN_DIGEST_LEN);
	assert_int_equal(check(token, NOW), EACCES);
	forge(token, HEAD, payload, "", 0);
	assert_int_equal(check(token, NOW), EACCES);
}

static void test_a_change_of_any_character_is_detected(void **state)
{
	char token[sizeof(golden)];

	(void)state;
	for (size_t i = 0; i < strlen(golden); ++i) {
		memcpy(token, golden, sizeof(golden));
		token[i] = token[i] == 'A' ? 'B' : 'A';
		assert_int_equal(check(token, NOW), EACCES);
	}
	for (size_t len = 0; len < strlen(golden); ++len) {
		memcpy(token, golden, len);
		token[len] = '\0';
		assert_int_equal(check(token, NOW), EACCES);
	}
}

/* A signature with a character in which the alphabets differ, written in the other alphabet. */
static void test_both_base64_alphabets_are_accepted(void **state)
{
	char payload[256];
	char token[1024];
	char *signature;
	char *other;
	int n = 0;

	(void)state;
	do {
		snprintf(payload, sizeof(payload),
			 "{" ISS "," SUB ",\"iat\":1700000000,\"exp\":1700000060,\"n\":%d}", n++);
		forge_with_key(token, HEAD, payload);
		signature = strrchr(token, '.') + 1;
		other = strpbrk(signature, "-_");
	} while (!other);
	assert_int_equal(check(token, NOW), 0);
	for (; other; other = strpbrk(other, "-_"))
		*other = *other == '-' ? '+' : '/';
	assert_int_equal(check(token, NOW), 0);
}

static void test_malformed_tokens_are_refused(void **state)
{
	static const char *const values[] = {"",      " ",      ".",       "..",       "...", "a.b",
					     "a.b.c", "Bearer", "Bearer ", "\xff\xfe", "a..b"};
	char *large = malloc(ENGINE_TOKEN_MAX + 3);
	char more[sizeof(golden) + 4];

	(void)state;
	assert_non_null(large);
	assert_int_equal(check(NULL, NOW), EACCES);
	for (size_t i = 0; i < COUNT(values); ++i)
		assert_int_equal(check(values[i], NOW), EACCES);
	snprintf(more, sizeof(more), "%s.x", golden);
	assert_int_equal(check(more, NOW), EACCES);
	snprintf(more, sizeof(more), "%s=", golden);
	assert_int_equal(check(more, NOW), EACCES);
	memset(large, 'A', ENGINE_TOKEN_MAX + 2);
	large[ENGINE_TOKEN_MAX + 2] = '\0';
	assert_int_equal(check(large, NOW), EACCES);
	free(large);
}

/* A token of exactly the maximum length, and one that is a byte longer. */
static void test_a_token_of_the_maximum_length_is_accepted_and_a_longer_one_refused(void **state)
{
	char *payload = calloc(1, ENGINE_TOKEN_MAX);
	char *token = calloc(2, ENGINE_TOKEN_MAX);
	size_t longest = 0;
	size_t shortest_refused = 0;

	(void)state;
	assert_true(payload && token);
	for (size_t fill = 5900; fill < 6080; ++fill) {
		int n = snprintf(payload, ENGINE_TOKEN_MAX,
				 "{" ISS "," SUB ",\"iat\":1700000000,\"exp\":1700000060,\"x\":\"");

		memset(payload + n, 'x', fill);
		memcpy(payload + n + fill, "\"}", 3);
		forge_with_key(token, HEAD, payload);
		if (check(token, NOW) == 0)
			longest = strlen(token);
		else if (!shortest_refused)
			shortest_refused = strlen(token);
	}
	assert_in_range(longest, ENGINE_TOKEN_MAX - 1, ENGINE_TOKEN_MAX);
	assert_in_range(shortest_refused, ENGINE_TOKEN_MAX + 1, ENGINE_TOKEN_MAX + 2);
	free(payload);
	free(token);
}

static void test_several_keys_are_accepted_at_the_same_time(void **state)
{
	struct engine_token_keys keys = keys_of("  sk_new \t" KEY "\n");
	struct engine_token_keys fresh = keys_of("sk_new");
	char token[ENGINE_TOKEN_SIZE];
	const char *why;

	(void)state;
	assert_int_equal(keys.count, 2);
	assert_int_equal(engine_token_check(&keys, golden, NOW, &why), 0);
	assert_int_equal(engine_token_make(token, &keys, NOW, NOW + 60), 0);
	assert_int_equal(engine_token_check(&fresh, token, NOW, &why), 0);
	assert_int_equal(engine_token_check(&fresh, golden, NOW, &why), EACCES);
}

static void test_a_region_is_not_part_of_the_key(void **state)
{
	static const struct {
		const char *key;
		bool is_the_same;
	} cases[] = {{KEY "_residency_eu", true},
		     {KEY "_residency_us2", true},
		     {KEY "_residency_", false},
		     {KEY "_residency_EU", false},
		     {KEY "_residency_eu_", false}};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); ++i) {
		struct engine_token_keys keys = keys_of(cases[i].key);
		const char *why;

		assert_int_equal(engine_token_check(&keys, golden, NOW, &why) == 0,
				 cases[i].is_the_same);
	}
	keys_of("_residency_eu"); /* the whole key: without a region it would be empty */
}

static void test_the_number_of_keys_is_limited(void **state)
{
	struct engine_token_keys keys = {.count = 77};

	(void)state;
	assert_int_equal(engine_token_keys(&keys, &rules, ""), EINVAL);
	assert_int_equal(engine_token_keys(&keys, &rules, " \t"), EINVAL);
	assert_int_equal(engine_token_keys(&keys, &rules, "1 2 3 4 5 6 7 8 9"), E2BIG);
	assert_int_equal(keys.count, 77);
	assert_int_equal(engine_token_keys(&keys, &rules, "1 2 3 4 5 6 7 8"), 0);
	assert_int_equal(keys.count, 8);
}

static void test_the_row_of_a_key_is_enough_to_sign(void **state)
{
	char text[API_KEY_LEN + 1];
	char token[ENGINE_TOKEN_SIZE];
	struct engine_token_keys keys;
	struct engine_token_keys checked;
	struct store_key row;
	const char *why;

	(void)state;
	assert_int_equal(api_key_make(text, &row, "test"), 0);
	assert_int_equal(engine_token_key_of(&keys, &rules, &row, NOW * INT64_C(1000)), 0);
	assert_int_equal(engine_token_make(token, &keys, NOW, NOW + 60), 0);
	checked = keys_of(text);
	assert_int_equal(engine_token_check(&checked, token, NOW, &why), 0);
	row.expires_ms = NOW * INT64_C(1000);
	assert_int_equal(engine_token_key_of(&keys, &rules, &row, row.expires_ms - 1), 0);
	assert_int_equal(engine_token_key_of(&keys, &rules, &row, row.expires_ms), EACCES);
	row.expires_ms = 0;
	row.revoked_ms = 1;
	assert_int_equal(engine_token_key_of(&keys, &rules, &row, NOW), EACCES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_same_token_as_the_vendors_is_made_and_accepted),
		cmocka_unit_test(test_a_token_with_extreme_times_fits_its_buffer_and_is_refused),
		cmocka_unit_test(test_a_token_with_too_long_a_lifetime_is_refused),
		cmocka_unit_test(test_the_longest_lifetime_can_be_set_for_an_agent),
		cmocka_unit_test(test_blanks_and_bearer_are_not_part_of_a_token),
		cmocka_unit_test(test_claims_are_checked_against_the_rules),
		cmocka_unit_test(test_only_the_raw_digest_of_the_key_is_the_secret),
		cmocka_unit_test(test_a_change_of_any_character_is_detected),
		cmocka_unit_test(test_both_base64_alphabets_are_accepted),
		cmocka_unit_test(test_malformed_tokens_are_refused),
		cmocka_unit_test(
			test_a_token_of_the_maximum_length_is_accepted_and_a_longer_one_refused),
		cmocka_unit_test(test_several_keys_are_accepted_at_the_same_time),
		cmocka_unit_test(test_a_region_is_not_part_of_the_key),
		cmocka_unit_test(test_the_number_of_keys_is_limited),
		cmocka_unit_test(test_the_row_of_a_key_is_enough_to_sign),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
