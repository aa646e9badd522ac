/*
 * fuzz_multipart.c: forms with files, any split.
 *
 * The first byte chooses the split and the room that the caller has for the bytes of a part.  Checked:
 * the same parts are read with every split and any room, and by the reader of forms in memory; the
 * fields and the file of an upload are those parts.
 */
#include <assert.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "wire/upload_form.h"

#define TYPE "multipart/form-data; boundary=\"ab\""

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

struct digest {
	uint64_t sum; /* of names, bytes and the ends of parts */
	size_t parts;
	int err; /* what the last call returned */
};

static void add(struct digest *digest, const char *bytes, size_t n)
{
	for (size_t i = 0; i < n; ++i)
		digest->sum = (digest->sum ^ (uint8_t)bytes[i]) * UINT64_C(0x100000001b3);
}

static void add_piece(struct digest *digest, const struct multipart_piece *piece, size_t max)
{
	if (piece->kind == MULTIPART_HEAD) {
		add(digest, piece->name, piece->name_len);
		add(digest, "\1", 1);
	} else if (piece->kind == MULTIPART_BYTES) {
		assert(piece->len > 0 && piece->len <= max);
		add(digest, piece->bytes, piece->len);
	} else {
		add(digest, "\2", 1);
		++digest->parts;
	}
}

/* A copy that ends where the memory ends. */
static char *copy_of(const uint8_t *bytes, size_t n)
{
	char *copy = malloc(n + (n == 0));

	if (!copy)
		abort();
	memcpy(copy, bytes, n);
	return copy;
}

static struct digest read_pieces(const uint8_t *bytes, size_t len, size_t step, size_t max)
{
	struct digest digest = {.err = EAGAIN};
	struct multipart form;

	assert(multipart_open(&form, TYPE) == 0);
	for (size_t at = 0; at < len && digest.err != EINVAL; at += step) {
		size_t left = len - at < step ? len - at : step;
		char *copy = copy_of(bytes + at, left);
		const char *piece_at = copy;
		struct multipart_piece piece;

		while ((digest.err = multipart_read(&form, &piece_at, &left, max, &piece)) == 0)
			add_piece(&digest, &piece, max);
		assert(digest.err == EINVAL || left == 0);
		free(copy);
	}
	assert(digest.parts <= MULTIPART_PARTS_MAX);
	return digest;
}

static void check_in_memory(const uint8_t *bytes, size_t len, const struct digest *whole)
{
	struct digest digest = {0};
	struct multipart form;
	struct multipart_part part;
	char *body = copy_of(bytes, len);
	char *at = body;
	size_t left = len;

	assert(multipart_open(&form, TYPE) == 0);
	while ((digest.err = multipart_next_part(&form, &at, &left, &part)) == 0) {
		add(&digest, part.name, part.name_len);
		add(&digest, "\1", 1);
		add(&digest, part.bytes, part.len);
		add(&digest, "\2", 1);
		part.bytes[part.len] = '\0';
		++digest.parts;
	}
	assert(digest.parts == whole->parts);
	assert(digest.err == (whole->err == ENOENT ? ENOENT : EINVAL));
	if (digest.err == ENOENT)
		assert(digest.sum == whole->sum);
	free(body);
}

static void check_upload(const uint8_t *bytes, size_t len, size_t step, size_t max)
{
	struct upload_form form;
	size_t file_len = 0;
	int err = EAGAIN;

	assert(upload_form_open(&form, TYPE, "f") == 0);
	for (size_t at = 0; at < len && err == EAGAIN; at += step) {
		size_t left = len - at < step ? len - at : step;
		char *copy = copy_of(bytes + at, left);
		const char *piece_at = copy;
		const char *file;
		size_t n;

		while ((err = upload_form_read(&form, &piece_at, &left, max, &file, &n)) == 0) {
			assert(n > 0 && n <= max);
			file_len += n;
		}
		free(copy);
	}
	assert(err == EAGAIN || err == ENOENT || err == EINVAL || err == E2BIG);
	assert(file_len <= len && (form.has_file || file_len == 0));
	for (unsigned nth = 0; nth < 3; ++nth) {
		const char *value = upload_form_field(&form, "a", nth);

		assert(!value || strlen(value) < len);
	}
	upload_form_reset(&form);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	struct digest whole;
	struct digest split;
	size_t step, max;

	if (len < 1)
		return 0;
	step = 1 + bytes[0] % 16u;
	max = 1 + bytes[0] / 16u;
	++bytes;
	--len;
	whole = read_pieces(bytes, len, len + 1, SIZE_MAX);
	split = read_pieces(bytes, len, step, max);
	assert(whole.err == split.err && whole.parts == split.parts && whole.sum == split.sum);
	check_in_memory(bytes, len, &whole);
	check_upload(bytes, len, step, max);
	return 0;
}
