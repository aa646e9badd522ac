/*
 * onnx_weight.c: the numbers of a model's weights (see onnx_weight.h).
 */
#include "engine/neural/onnx_weight.h"

#include <errno.h>
#include <string.h>

#include "engine/neural/onnx_private.h"

/* Fields of a tensor with its numbers: in one of these ways. */
enum { TENSOR_FLOATS = 4, TENSOR_INTEGERS = 5, TENSOR_RAW = 9 };

/* A dimension above this is a mistake; the product of four of them does not overflow. */
#define DIM_MAX (UINT64_C(1) << 31)

static int onnx_weight_add_dim(struct onnx_weight *weight, uint64_t dim)
{
	if (weight->rank == ONNX_WEIGHT_RANK_MAX || dim > DIM_MAX)
		return EINVAL;
	weight->dims[weight->rank++] = (size_t)dim;
	return 0;
}

/* One after the other in as many bytes as each needs. */
static int onnx_weight_next_packed(uint64_t *number, struct onnx_str *packed)
{
	unsigned shift = 0;

	*number = 0;
	while (packed->len > 0 && shift < 64) {
		unsigned char byte = (unsigned char)*packed->bytes;

		++packed->bytes;
		--packed->len;
		*number |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
		if (!(byte & 0x80))
			return 0;
	}
	return EINVAL;
}

/* Numbers may be fields of their own or packed into one. */
static int onnx_weight_add_dims(struct onnx_weight *weight, const struct protobuf_field *field)
{
	struct onnx_str packed = field->bytes;
	int err = 0;

	if (field->kind == PROTOBUF_NUMBER)
		return onnx_weight_add_dim(weight, field->value);
	if (field->kind != PROTOBUF_BYTES)
		return EINVAL;
	while (!err && packed.len > 0) {
		uint64_t dim;

		err = onnx_weight_next_packed(&dim, &packed);
		if (!err)
			err = onnx_weight_add_dim(weight, dim);
	}
	return err;
}

/* The message of a weight, its type and shape, and its bytes if it has any. */
static int onnx_weight_read(struct onnx_weight *weight, struct onnx_str *message,
			    const struct onnx *onnx, struct onnx_str name)
{
	struct protobuf_reader reader;
	struct protobuf_field field;
	uint32_t at;
	int err = 0;

	if (!onnx_look_up(onnx, name, ONNX_WEIGHT, &at))
		return ENOENT;
	*weight = (struct onnx_weight){0};
	*message = onnx->weights[at].message;
	reader = protobuf_reader(*message);
	while (!err && protobuf_next(&reader, &field) == 0) {
		if (field.number == TENSOR_DIM)
			err = onnx_weight_add_dims(weight, &field);
		else if (field.number == TENSOR_ELEM_TYPE && field.kind == PROTOBUF_NUMBER)
			weight->elem_type = (int)field.value;
		else if (field.number == TENSOR_RAW && field.kind == PROTOBUF_BYTES)
			weight->raw = field.bytes;
	}
	return err;
}

static size_t onnx_weight_size(int elem_type)
{
	if (elem_type == ONNX_FLOAT)
		return sizeof(float);
	return elem_type == ONNX_UINT8 || elem_type == ONNX_INT8;
}

/* The number of bytes that the shape needs, or SIZE_MAX if that is not a size. */
static size_t onnx_weight_len(const struct onnx_weight *weight)
{
	size_t len = onnx_weight_size(weight->elem_type);

	for (unsigned i = 0; i < weight->rank; ++i)
		if (__builtin_mul_overflow(len, weight->dims[i], &len))
			return SIZE_MAX;
	return len;
}

int onnx_weight_find(struct onnx_weight *weight, const struct onnx *onnx, struct onnx_str name)
{
	struct onnx_str message;
	int err = onnx_weight_read(weight, &message, onnx, name);

	if (!err && (onnx_weight_size(weight->elem_type) == 0 ||
		     weight->raw.len != onnx_weight_len(weight)))
		err = EINVAL;
	return err;
}

/* The bytes of one number, as a float. */
static int onnx_weight_number_of(float *number, int elem_type, struct onnx_str raw)
{
	if (raw.len == 0 || raw.len != onnx_weight_size(elem_type))
		return EINVAL;
	if (elem_type == ONNX_FLOAT)
		memcpy(number, raw.bytes, sizeof(*number));
	else if (elem_type == ONNX_UINT8)
		*number = (float)(unsigned char)raw.bytes[0];
	else
		*number = (float)(signed char)raw.bytes[0];
	return 0;
}

int onnx_weight_find_number(float *number, const struct onnx *onnx, struct onnx_str name)
{
	struct onnx_weight weight;
	struct onnx_str message;
	struct protobuf_field field;
	uint64_t value;
	int err = onnx_weight_read(&weight, &message, onnx, name);

	if (err)
		return err;
	if (weight.raw.len > 0)
		return onnx_weight_number_of(number, weight.elem_type, weight.raw);
	if (weight.elem_type == ONNX_FLOAT)
		return onnx_find(&field, message, TENSOR_FLOATS, PROTOBUF_BYTES)
			       ? EINVAL
			       : onnx_weight_number_of(number, ONNX_FLOAT, field.bytes);
	if (onnx_weight_size(weight.elem_type) == 0 ||
	    onnx_find(&field, message, TENSOR_INTEGERS, PROTOBUF_BYTES) != 0 ||
	    onnx_weight_next_packed(&value, &field.bytes) != 0 || field.bytes.len > 0)
		return EINVAL;
	*number = (float)(int64_t)value;
	return 0;
}
