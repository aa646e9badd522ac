/*
 * protobuf.c: the wire format of protocol buffers (see protobuf.h).
 */
#include "engine/neural/protobuf.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

/* The maximum length of a varint: 64 bits in groups of seven. */
#define NUMBER_LEN_MAX 10
/* The key of a field contains its number and three bits for the kind. */
#define FIELD_NUMBER_MAX ((UINT32_C(1) << 29) - 1)

struct protobuf_reader protobuf_reader(struct onnx_str message)
{
	return (struct protobuf_reader){
		.at = message.bytes,
		.end = message.len ? message.bytes + message.len : message.bytes,
	};
}

static size_t protobuf_left(const struct protobuf_reader *reader)
{
	return reader->at == reader->end ? 0 : (size_t)(reader->end - reader->at);
}

static bool protobuf_read_number(struct protobuf_reader *reader, uint64_t *value)
{
	size_t max =
		protobuf_left(reader) < NUMBER_LEN_MAX ? protobuf_left(reader) : NUMBER_LEN_MAX;
	uint64_t sum = 0;

	for (size_t i = 0; i < max; ++i) {
		uint8_t byte = (uint8_t)reader->at[i];

		sum |= (uint64_t)(byte & 0x7f) << (7 * i);
		if (byte & 0x80)
			continue;
		reader->at += i + 1;
		*value = sum;
		return true;
	}
	return false;
}

static bool protobuf_read_fixed(struct protobuf_reader *reader, size_t len, uint64_t *value)
{
	*value = 0;
	if (protobuf_left(reader) < len)
		return false;
	for (size_t i = 0; i < len; ++i)
		*value |= (uint64_t)(uint8_t)reader->at[i] << (8 * i);
	reader->at += len;
	return true;
}

static bool protobuf_read_bytes(struct protobuf_reader *reader, struct onnx_str *bytes)
{
	uint64_t len;

	if (!protobuf_read_number(reader, &len) || len > protobuf_left(reader))
		return false;
	*bytes = (struct onnx_str){.bytes = reader->at, .len = (size_t)len};
	reader->at += bytes->len;
	return true;
}

static bool protobuf_read_content(struct protobuf_reader *reader, struct protobuf_field *field,
				  unsigned kind)
{
	switch (kind) {
	case PROTOBUF_NUMBER:
		return protobuf_read_number(reader, &field->value);
	case PROTOBUF_FIXED_64:
		return protobuf_read_fixed(reader, 8, &field->value);
	case PROTOBUF_BYTES:
		return protobuf_read_bytes(reader, &field->bytes);
	case PROTOBUF_FIXED_32:
		return protobuf_read_fixed(reader, 4, &field->value);
	default: /* groups, which are obsolete, and damaged data */
		return false;
	}
}

int protobuf_next(struct protobuf_reader *reader, struct protobuf_field *field)
{
	const char *start = reader->at;
	uint64_t key;

	if (protobuf_left(reader) == 0)
		return ENODATA;
	*field = (struct protobuf_field){0};
	if (!protobuf_read_number(reader, &key) || key >> 3 == 0 || key >> 3 > FIELD_NUMBER_MAX)
		return EINVAL;
	if (!protobuf_read_content(reader, field, key & 7))
		return EINVAL;
	field->number = (uint32_t)(key >> 3);
	field->kind = (enum protobuf_kind)(key & 7);
	field->whole = (struct onnx_str){.bytes = start, .len = (size_t)(reader->at - start)};
	return 0;
}

void protobuf_write_raw(struct protobuf_writer *writer, struct onnx_str bytes)
{
	if (writer->bytes && bytes.len > 0)
		memcpy(writer->bytes + writer->len, bytes.bytes, bytes.len);
	writer->len += bytes.len;
}

static void protobuf_write_value(struct protobuf_writer *writer, uint64_t value)
{
	char bytes[NUMBER_LEN_MAX];
	size_t len = 0;

	while (value >= 0x80) {
		bytes[len++] = (char)(0x80 | (value & 0x7f));
		value >>= 7;
	}
	bytes[len++] = (char)value;
	protobuf_write_raw(writer, (struct onnx_str){.bytes = bytes, .len = len});
}

static void protobuf_write_key(struct protobuf_writer *writer, uint32_t number,
			       enum protobuf_kind kind)
{
	protobuf_write_value(writer, (uint64_t)number << 3 | (uint64_t)kind);
}

void protobuf_write_number(struct protobuf_writer *writer, uint32_t number, uint64_t value)
{
	protobuf_write_key(writer, number, PROTOBUF_NUMBER);
	protobuf_write_value(writer, value);
}

void protobuf_write_bytes(struct protobuf_writer *writer, uint32_t number, struct onnx_str bytes)
{
	protobuf_write_key(writer, number, PROTOBUF_BYTES);
	protobuf_write_value(writer, bytes.len);
	protobuf_write_raw(writer, bytes);
}

void protobuf_write_message(struct protobuf_writer *writer, uint32_t number,
			    protobuf_write_h *write, const void *arg)
{
	struct protobuf_writer count = {0};

	write(&count, arg);
	protobuf_write_key(writer, number, PROTOBUF_BYTES);
	protobuf_write_value(writer, count.len);
	if (writer->bytes)
		write(writer, arg);
	else
		writer->len += count.len;
}
