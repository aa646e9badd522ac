/*
 * utf8.c: UTF-8 according to RFC 3629 (see utf8.h).
 */
#include "base/utf8.h"

#include <string.h>

#define ASCII_MASK UINT64_C(0x8080808080808080)

/* What a leading byte requires of the bytes after it; left is 0xff for a byte that cannot lead.
 * The bounds of the first continuation byte exclude overlong forms, surrogates and values beyond
 * U+10FFFF (RFC 3629, section 4). */
static struct utf8_state utf8_after_lead(uint8_t lead)
{
	if (lead >= 0xc2 && lead <= 0xdf)
		return (struct utf8_state){1, 0x80, 0xbf};
	if (lead == 0xe0)
		return (struct utf8_state){2, 0xa0, 0xbf};
	if (lead == 0xed)
		return (struct utf8_state){2, 0x80, 0x9f};
	if (lead >= 0xe1 && lead <= 0xef)
		return (struct utf8_state){2, 0x80, 0xbf};
	if (lead == 0xf0)
		return (struct utf8_state){3, 0x90, 0xbf};
	if (lead >= 0xf1 && lead <= 0xf3)
		return (struct utf8_state){3, 0x80, 0xbf};
	if (lead == 0xf4)
		return (struct utf8_state){3, 0x80, 0x8f};
	return (struct utf8_state){0xff, 0, 0};
}

bool utf8_check(struct utf8_state *state, const char *bytes, size_t n)
{
	const uint8_t *p = (const uint8_t *)bytes;
	const uint8_t *end = p + n;

	while (p < end) {
		if (state->left > 0) {
			if (*p < state->low || *p > state->high)
				return false;
			state->low = 0x80;
			state->high = 0xbf;
			--state->left;
			++p;
			continue;
		}
		while (end - p >= 8) { /* most text is ASCII, so eight bytes are tested at once */
			uint64_t eight;

			memcpy(&eight, p, 8);
			if (eight & ASCII_MASK)
				break;
			p += 8;
		}
		if (p == end)
			break;
		if (*p >= 0x80) {
			*state = utf8_after_lead(*p);
			if (state->left == 0xff)
				return false;
		}
		++p;
	}
	return true;
}

size_t utf8_decode(uint32_t *code_point, const char *bytes, size_t n)
{
	const uint8_t *p = (const uint8_t *)bytes;
	struct utf8_state want;
	uint32_t value;

	*code_point = 0xfffd;
	if (p[0] < 0x80) {
		*code_point = p[0];
		return 1;
	}
	want = utf8_after_lead(p[0]);
	if (want.left == 0xff || n <= want.left)
		return 1;
	if (p[1] < want.low || p[1] > want.high)
		return 1;
	value = p[0] & (0x3fu >> want.left);
	for (size_t i = 1; i <= want.left; ++i) {
		if ((p[i] & 0xc0) != 0x80)
			return 1;
		value = value << 6 | (p[i] & 0x3fu);
	}
	*code_point = value;
	return want.left + 1u;
}

size_t utf8_encode(char *bytes, uint32_t c)
{
	uint8_t *p = (uint8_t *)bytes;

	if (c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		c = 0xfffd;
	if (c < 0x80) {
		p[0] = (uint8_t)c;
		return 1;
	}
	if (c < 0x800) {
		p[0] = (uint8_t)(0xc0 | c >> 6);
		p[1] = (uint8_t)(0x80 | (c & 0x3f));
		return 2;
	}
	if (c < 0x10000) {
		p[0] = (uint8_t)(0xe0 | c >> 12);
		p[1] = (uint8_t)(0x80 | (c >> 6 & 0x3f));
		p[2] = (uint8_t)(0x80 | (c & 0x3f));
		return 3;
	}
	p[0] = (uint8_t)(0xf0 | c >> 18);
	p[1] = (uint8_t)(0x80 | (c >> 12 & 0x3f));
	p[2] = (uint8_t)(0x80 | (c >> 6 & 0x3f));
	p[3] = (uint8_t)(0x80 | (c & 0x3f));
	return 4;
}

size_t utf8_count(const char *bytes, size_t n)
{
	size_t count = 0;

	for (size_t i = 0; i < n; ++i)
		count += ((uint8_t)bytes[i] & 0xc0) != 0x80;
	return count;
}

size_t utf8_cut(const char *text, size_t len, size_t max)
{
	if (len <= max)
		return len;
	while (max > 0 && ((unsigned char)text[max] & 0xc0) == 0x80)
		--max;
	return max;
}
