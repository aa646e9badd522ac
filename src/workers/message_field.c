/*
 * message_field.c: the fields that messages are made of (see message_private.h).
 */
#include "workers/message_private.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/utf8.h"

_Static_assert(sizeof(float) == sizeof(uint32_t), "floats travel as their IEEE 754 bits");

void message_put_le(unsigned char *bytes, uint64_t value, size_t n)
{
	for (size_t i = 0; i < n; ++i)
		bytes[i] = (unsigned char)(value >> 8 * i);
}

uint64_t message_get_le(const unsigned char *bytes, size_t n)
{
	uint64_t value = 0;

	for (size_t i = 0; i < n; ++i)
		value |= (uint64_t)bytes[i] << 8 * i;
	return value;
}

void message_write_bytes(struct buf *out, int *err, const void *bytes, size_t n)
{
	if (!*err && n > 0)
		*err = buf_append(out, bytes, n);
}

void message_write_int(struct buf *out, int *err, uint64_t value, size_t n)
{
	unsigned char bytes[8];

	message_put_le(bytes, value, n);
	message_write_bytes(out, err, bytes, n);
}

void message_write_float(struct buf *out, int *err, float value)
{
	uint32_t bits;

	memcpy(&bits, &value, sizeof(bits));
	message_write_int(out, err, bits, 4);
}

void message_write_str(struct buf *out, int *err, const struct message_str *str)
{
	message_write_int(out, err, str->len, 4);
	message_write_bytes(out, err, str->bytes, str->len);
}

void message_write_samples(struct buf *out, int *err, const unsigned char *samples, size_t count)
{
	if (!*err && count > MESSAGE_PAYLOAD_MAX / 2)
		*err = ENOBUFS;
	message_write_bytes(out, err, samples, *err ? 0 : count * 2);
}

uint64_t message_read_int(struct message_cursor *in, size_t n)
{
	uint64_t value;

	if (in->left < n) {
		in->bad = true;
		in->left = 0;
		return 0;
	}
	value = message_get_le(in->at, n);
	in->at += n;
	in->left -= n;
	return value;
}

/* All floats are settings or probabilities, where infinity and NaN make no sense. */
float message_read_float(struct message_cursor *in)
{
	uint32_t bits = (uint32_t)message_read_int(in, 4);
	float value;

	memcpy(&value, &bits, sizeof(value));
	if (!isfinite(value))
		in->bad = true;
	return value;
}

bool message_is_utf8(const struct message_str *str)
{
	struct utf8_state utf8 = {0};

	return utf8_check(&utf8, str->bytes, str->len) && utf8_is_complete(&utf8);
}

struct message_str message_read_str(struct message_cursor *in)
{
	struct message_str str = {.bytes = "", .len = (uint32_t)message_read_int(in, 4)};

	if (str.len > in->left) {
		in->bad = true;
		in->left = 0;
		str.len = 0;
		return str;
	}
	str.bytes = (const char *)in->at;
	if (!message_is_utf8(&str))
		in->bad = true;
	in->at += str.len;
	in->left -= str.len;
	return str;
}

size_t message_read_samples(struct message_cursor *in, const unsigned char **samples)
{
	size_t count = in->left / 2;

	*samples = in->at;
	if (in->left % 2)
		in->bad = true;
	return count;
}

void message_str_copy(char *to, size_t size, const struct message_str *from)
{
	size_t len = from->len < size ? from->len : size - 1;

	while (len > 0 && message_is_inside_character(from, (uint32_t)len))
		--len;
	memset(to, 0, size);
	memcpy(to, from->bytes, len);
}

bool message_is_inside_character(const struct message_str *text, uint32_t at)
{
	return at < text->len && ((unsigned char)text->bytes[at] & 0xc0) == 0x80;
}
