/*
 * protobuf.h: the wire format of protocol buffers, read field by field and
 * written in two passes of the same code.
 *
 * Nothing is copied: a field points into the message.  Numbers of fields and
 * what they mean are the business of whoever reads (see onnx_private.h).
 */
#ifndef ENGINE_VITS_PROTOBUF_H
#define ENGINE_VITS_PROTOBUF_H

#include <stddef.h>
#include <stdint.h>

#include "engine/vits/onnx.h"

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
	uint32_t number; /* which field of the message */
	enum protobuf_kind kind;
	uint64_t value; /* of all kinds but bytes */
	struct onnx_str bytes; /* of bytes alone */
	struct onnx_str whole; /* with number, kind and length in front */
};

struct protobuf_reader protobuf_reader(struct onnx_str message);

/* The next field: 0, ENODATA at the end of the message, EINVAL when it is
 * damaged. */
int protobuf_next(struct protobuf_reader *reader, struct protobuf_field *field);

/* Writes, or with NULL bytes only counts: what is written is computed once to
 * know its size and once more to put it there. */
struct protobuf_writer {
	char *bytes;
	size_t len;
};

void protobuf_write_raw(struct protobuf_writer *writer, struct onnx_str bytes);
void protobuf_write_number(struct protobuf_writer *writer, uint32_t number, uint64_t value);
void protobuf_write_bytes(struct protobuf_writer *writer, uint32_t number, struct onnx_str bytes);

/* A message inside the message, whose fields `write` writes. */
typedef void(protobuf_write_h)(struct protobuf_writer *writer, const void *arg);
void protobuf_write_message(struct protobuf_writer *writer, uint32_t number,
			    protobuf_write_h *write, const void *arg);

#endif
