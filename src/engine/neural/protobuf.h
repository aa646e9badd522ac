/*
 * protobuf.h: the wire format of protocol buffers, read field by field and written in two
 * passes of the same code.
 *
 * Nothing is copied: a field points into the message. The caller knows the meaning of field
 * numbers (see onnx_private.h).
 */
#ifndef ENGINE_NEURAL_PROTOBUF_H
#define ENGINE_NEURAL_PROTOBUF_H

#include <stddef.h>
#include <stdint.h>

#include "engine/neural/onnx.h"

struct protobuf_reader {
	const char *at, *end;
};

enum protobuf_kind {
	PROTOBUF_NUMBER = 0,
	PROTOBUF_FIXED_64 = 1,
	PROTOBUF_BYTES = 2, /* a string, a message or packed numbers */
	PROTOBUF_FIXED_32 = 5,
};

struct protobuf_field {
	uint32_t number; /* number of the field in the message */
	enum protobuf_kind kind;
	uint64_t value; /* for all kinds except bytes */
	struct onnx_str bytes; /* only for kind bytes */
	struct onnx_str whole; /* including number, kind and length */
};

struct protobuf_reader protobuf_reader(struct onnx_str message);

/* Reads the next field: 0, ENODATA at the end of the message, EINVAL when it is damaged. */
int protobuf_next(struct protobuf_reader *reader, struct protobuf_field *field);

/* With NULL bytes the writer only counts: a message is computed once to know its size and a
 * second time to write it. */
struct protobuf_writer {
	char *bytes;
	size_t len;
};

void protobuf_write_raw(struct protobuf_writer *writer, struct onnx_str bytes);
void protobuf_write_number(struct protobuf_writer *writer, uint32_t number, uint64_t value);
void protobuf_write_bytes(struct protobuf_writer *writer, uint32_t number, struct onnx_str bytes);

/* Writes a nested message, whose fields `write` writes. */
typedef void(protobuf_write_h)(struct protobuf_writer *writer, const void *arg);
void protobuf_write_message(struct protobuf_writer *writer, uint32_t number,
			    protobuf_write_h *write, const void *arg);

#endif
