/* Base64: as RFC 4648 has it, the same on every machine, and strict to read. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/base64.h"
#include "base/count.h"

#define LEN_MAX 1000

static void fill(uint8_t *bytes, size_t n, uint32_t seed)
{
	for (size_t i = 0; i < n; ++i) {
		seed = seed * 1664525u + 1013904223u;
		bytes[i] = (uint8_t)(seed >> 24);
	}
}

static void test_the_vectors_of_rfc_4648_hold_both_ways(void **state)
{
	static const struct {
		const char *plain, *coded;
	} rows[] = {
		{"", ""},
		{"f", "Zg=="},
		{"fo", "Zm8="},
		{"foo", "Zm9v"},
		{"foob", "Zm9vYg=="},
		{"fooba", "Zm9vYmE="},
		{"foobar", "Zm9vYmFy"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); ++i) {
		size_t plain_len = strlen(rows[i].plain);
		size_t coded_len = strlen(rows[i].coded);
		char coded[16];
		char plain[16];
		size_t len;

		assert_int_equal(base64_encode(coded, rows[i].plain, plain_len), coded_len);
		assert_int_equal(base64_encoded_len(plain_len), coded_len);
		assert_memory_equal(coded, rows[i].coded, coded_len);
		assert_int_equal(base64_decode(plain, &len, rows[i].coded, coded_len), 0);
		assert_int_equal(len, plain_len);
		assert_memory_equal(plain, rows[i].plain, plain_len);
	}
}

/* Buffers of exactly the size asked for: the sanitizer sees a byte too many. */
static void test_every_length_encodes_alike_on_both_paths_and_decodes_back(void **state)
{
	(void)state;
	for (size_t n = 0; n <= LEN_MAX; ++n) {
		size_t coded_len = base64_encoded_len(n);
		uint8_t *bytes = malloc(n + 1);
		uint8_t *back = malloc(base64_decoded_max(coded_len) + 1);
		char *fast = malloc(coded_len + 1);
		char *portable = malloc(coded_len + 1);
		size_t len;

		fill(bytes, n, (uint32_t)n);
		fast[coded_len] = '#';
		assert_int_equal(base64_encode(fast, bytes, n), coded_len);
		assert_int_equal(base64_encode_portable(portable, bytes, n), coded_len);
		assert_memory_equal(fast, portable, coded_len);
		assert_int_equal(fast[coded_len], '#');
		assert_int_equal(base64_decode(back, &len, fast, coded_len), 0);
		assert_int_equal(len, n);
		assert_memory_equal(back, bytes, n);
		free(bytes);
		free(back);
		free(fast);
		free(portable);
	}
}

static void test_every_character_of_the_alphabet_stands_in_its_place(void **state)
{
	static const char alphabet[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	uint8_t bytes[48];
	char coded[64];

	(void)state;
	for (unsigned i = 0; i < 64; i += 4) { /* the values 0 to 63 in a row */
		unsigned bits = i << 18 | (i + 1) << 12 | (i + 2) << 6 | (i + 3);

		bytes[i / 4 * 3] = (uint8_t)(bits >> 16);
		bytes[i / 4 * 3 + 1] = (uint8_t)(bits >> 8);
		bytes[i / 4 * 3 + 2] = (uint8_t)bits;
	}
	base64_encode(coded, bytes, sizeof(bytes));
	assert_memory_equal(coded, alphabet, 64);
	base64_encode_portable(coded, bytes, sizeof(bytes));
	assert_memory_equal(coded, alphabet, 64);
}

static void test_anything_but_strict_base64_is_refused(void **state)
{
	static const char *const bad[] = {
		"A",        "AA",   "AAA",     "AAAAA",     "Zg=",      "Zg==Zg==", "=AAA",
		"A===",     "====", "Zg=A",    "Zh==",      "Zm9=",     "Zm9v\n",   "Zm 9",
		"Zm9v\nZm", "Zm-_", "Zm9\x80", "Zm9vZg=\n", "AAA=AAAA", "AA=A",     "Zm9,",
	};
	uint8_t out[16];
	size_t len;

	(void)state;
	for (size_t i = 0; i < COUNT(bad); ++i)
		assert_int_equal(base64_decode(out, &len, bad[i], strlen(bad[i])), EINVAL);
	assert_int_equal(base64_decode(out, &len, "Zm\0v", 4), EINVAL);
}

static void test_every_byte_outside_the_alphabet_is_refused_in_every_place(void **state)
{
	static const char alphabet[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	(void)state;
	for (int c = 0; c < 256; ++c) {
		int is_ours = c != 0 && strchr(alphabet, c) != NULL;

		for (size_t place = 0; place < 4; ++place) {
			char chars[8] = {'A', 'A', 'A', 'A', 'A', 'A', 'A', 'A'};
			uint8_t out[6];
			size_t len;

			chars[place] = (char)c; /* in the first group, where no padding may be */
			assert_int_equal(base64_decode(out, &len, chars, 8), is_ours ? 0 : EINVAL);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_vectors_of_rfc_4648_hold_both_ways),
		cmocka_unit_test(test_every_length_encodes_alike_on_both_paths_and_decodes_back),
		cmocka_unit_test(test_every_character_of_the_alphabet_stands_in_its_place),
		cmocka_unit_test(test_anything_but_strict_base64_is_refused),
		cmocka_unit_test(test_every_byte_outside_the_alphabet_is_refused_in_every_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
