/*
 * base64.c: base64 with padding (see base64.h).
 *
 * The portable encoder looks up twelve bits at a time, which are two characters, in a constant
 * table of 8 KiB; the usual loop needs twice as many look-ups.  If the processor has AVX2, which is
 * checked at run time, 24 bytes are converted to 32 characters in registers.
 */
#include "base/base64.h"

#include <errno.h>
#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define BAD 0xff

/* Applies M to each character of the alphabet, in order. */
/* clang-format off */
#define EACH(M, a) \
	M(a, 'A') M(a, 'B') M(a, 'C') M(a, 'D') M(a, 'E') M(a, 'F') M(a, 'G') M(a, 'H') \
	M(a, 'I') M(a, 'J') M(a, 'K') M(a, 'L') M(a, 'M') M(a, 'N') M(a, 'O') M(a, 'P') \
	M(a, 'Q') M(a, 'R') M(a, 'S') M(a, 'T') M(a, 'U') M(a, 'V') M(a, 'W') M(a, 'X') \
	M(a, 'Y') M(a, 'Z') M(a, 'a') M(a, 'b') M(a, 'c') M(a, 'd') M(a, 'e') M(a, 'f') \
	M(a, 'g') M(a, 'h') M(a, 'i') M(a, 'j') M(a, 'k') M(a, 'l') M(a, 'm') M(a, 'n') \
	M(a, 'o') M(a, 'p') M(a, 'q') M(a, 'r') M(a, 's') M(a, 't') M(a, 'u') M(a, 'v') \
	M(a, 'w') M(a, 'x') M(a, 'y') M(a, 'z') M(a, '0') M(a, '1') M(a, '2') M(a, '3') \
	M(a, '4') M(a, '5') M(a, '6') M(a, '7') M(a, '8') M(a, '9') M(a, '+') M(a, '/')
#define PAIR(a, b) {a, b},
#define ROWS(a) EACH(PAIR, a)

static const char pairs[4096][2] = {
	ROWS('A') ROWS('B') ROWS('C') ROWS('D') ROWS('E') ROWS('F') ROWS('G') ROWS('H')
	ROWS('I') ROWS('J') ROWS('K') ROWS('L') ROWS('M') ROWS('N') ROWS('O') ROWS('P')
	ROWS('Q') ROWS('R') ROWS('S') ROWS('T') ROWS('U') ROWS('V') ROWS('W') ROWS('X')
	ROWS('Y') ROWS('Z') ROWS('a') ROWS('b') ROWS('c') ROWS('d') ROWS('e') ROWS('f')
	ROWS('g') ROWS('h') ROWS('i') ROWS('j') ROWS('k') ROWS('l') ROWS('m') ROWS('n')
	ROWS('o') ROWS('p') ROWS('q') ROWS('r') ROWS('s') ROWS('t') ROWS('u') ROWS('v')
	ROWS('w') ROWS('x') ROWS('y') ROWS('z') ROWS('0') ROWS('1') ROWS('2') ROWS('3')
	ROWS('4') ROWS('5') ROWS('6') ROWS('7') ROWS('8') ROWS('9') ROWS('+') ROWS('/')
};
/* clang-format on */

/* Encodes the one or two bytes after the last complete group of three. */
static void base64_encode_rest(char *out, const uint8_t *p, size_t n)
{
	unsigned bits = (unsigned)p[0] << 16;

	if (n == 2)
		bits |= (unsigned)p[1] << 8;
	memcpy(out, pairs[bits >> 12], 2);
	out[2] = n == 2 ? pairs[bits & 0xfff][0] : '=';
	out[3] = '=';
}

size_t base64_encode_portable(char *out, const void *bytes, size_t n)
{
	const uint8_t *p = bytes;
	char *start = out;

	for (; n >= 3; n -= 3, p += 3, out += 4) {
		unsigned bits = (unsigned)p[0] << 16 | (unsigned)p[1] << 8 | p[2];

		memcpy(out, pairs[bits >> 12], 2);
		memcpy(out + 2, pairs[bits & 0xfff], 2);
	}
	if (n > 0) {
		base64_encode_rest(out, p, n);
		out += 4;
	}
	return (size_t)(out - start);
}

#if defined(__x86_64__)

/* Splits every three bytes into four groups of six bits, each in a byte of its own: the bytes are
 * first spread as 1 0 2 1 within every 32-bit lane, then the two multiplications shift left and
 * right by a different amount per 16 bits. */
__attribute__((target("avx2"))) static __m256i base64_split_sixes(__m256i in)
{
	const __m256i spread = _mm256_setr_epi8(1, 0, 2, 1, 4, 3, 5, 4, 7, 6, 8, 7, 10, 9, 11, 10,
						1, 0, 2, 1, 4, 3, 5, 4, 7, 6, 8, 7, 10, 9, 11, 10);
	__m256i high, low;

	in = _mm256_shuffle_epi8(in, spread);
	high = _mm256_and_si256(in, _mm256_set1_epi32(0x0fc0fc00));
	low = _mm256_and_si256(in, _mm256_set1_epi32(0x003f03f0));
	high = _mm256_mulhi_epu16(high, _mm256_set1_epi32(0x04000040));
	low = _mm256_mullo_epi16(low, _mm256_set1_epi32(0x01000010));
	return _mm256_or_si256(high, low);
}

/* Converts six bits to their character by adding an offset that depends on the range: 0 for 26..51,
 * 1..10 for the digits, 11 and 12 for + and /, 13 for 0..25. */
__attribute__((target("avx2"))) static __m256i base64_to_chars(__m256i sixes)
{
	const __m256i offsets = _mm256_broadcastsi128_si256(_mm_setr_epi8(
		'a' - 26, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '0' - 52,
		'0' - 52, '0' - 52, '0' - 52, '+' - 62, '/' - 63, 'A', 0, 0));
	__m256i range = _mm256_subs_epu8(sixes, _mm256_set1_epi8(51));
	__m256i is_upper = _mm256_cmpgt_epi8(_mm256_set1_epi8(26), sixes);

	range = _mm256_or_si256(range, _mm256_and_si256(is_upper, _mm256_set1_epi8(13)));
	return _mm256_add_epi8(sixes, _mm256_shuffle_epi8(offsets, range));
}

/* Encodes 24 bytes at a time as long as 28 may be read; returns the number of bytes encoded. */
__attribute__((target("avx2"))) static size_t base64_encode_avx2(char *out, const uint8_t *p,
								 size_t n)
{
	size_t done = 0;

	for (; n - done >= 28; done += 24, out += 32) {
		__m128i first = _mm_loadu_si128((const __m128i *)(const void *)(p + done));
		__m128i second = _mm_loadu_si128((const __m128i *)(const void *)(p + done + 12));
		__m256i in = _mm256_inserti128_si256(_mm256_castsi128_si256(first), second, 1);

		_mm256_storeu_si256((__m256i *)(void *)out,
				    base64_to_chars(base64_split_sixes(in)));
	}
	return done;
}

#endif

size_t base64_encode(char *out, const void *bytes, size_t n)
{
	const uint8_t *p = bytes;
	size_t done = 0;

#if defined(__x86_64__)
	if (n >= 28 && __builtin_cpu_supports("avx2"))
		done = base64_encode_avx2(out, p, n);
#endif
	return done / 3 * 4 + base64_encode_portable(out + done / 3 * 4, p + done, n - done);
}

static uint8_t base64_value_of(char c)
{
	if (c >= 'A' && c <= 'Z')
		return (uint8_t)(c - 'A');
	if (c >= 'a' && c <= 'z')
		return (uint8_t)(c - 'a' + 26);
	if (c >= '0' && c <= '9')
		return (uint8_t)(c - '0' + 52);
	if (c == '+')
		return 62;
	return c == '/' ? 63 : BAD;
}

/* Reads the first `count` characters of a group as 24 bits, left-aligned; EINVAL for a character
 * outside the alphabet. */
static int base64_read_group(uint32_t *bits, const char *chars, size_t count)
{
	*bits = 0;
	for (size_t i = 0; i < count; ++i) {
		uint8_t value = base64_value_of(chars[i]);

		if (value == BAD)
			return EINVAL;
		*bits |= (uint32_t)value << (18 - 6 * i);
	}
	return 0;
}

int base64_decode(void *out, size_t *lenp, const char *chars, size_t n)
{
	uint8_t *p = out;

	if (n % 4 != 0)
		return EINVAL;
	for (size_t i = 0; i < n; i += 4) {
		size_t count = 4;
		uint32_t bits;

		if (i + 4 == n && chars[i + 3] == '=')
			count = chars[i + 2] == '=' ? 2 : 3;
		if (base64_read_group(&bits, chars + i, count))
			return EINVAL;
		if (bits & 0xffffffu >> (8 * (count - 1))) /* the unused bits must be zero */
			return EINVAL;
		for (size_t k = 0; k + 1 < count; ++k)
			*p++ = (uint8_t)(bits >> (16 - 8 * k));
	}
	*lenp = (size_t)(p - (uint8_t *)out);
	return 0;
}
