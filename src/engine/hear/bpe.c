/*
 * bpe.c: the tokens of a model (see bpe.h).
 *
 * Of tokenizer.json these members are read, and all others skipped:
 *
 *     "added_tokens": [{"id": 50257, "content": "<|endoftext|>", "special": true}, …]
 *     "model": {"vocab": {"Ġthe": 264, …}}
 */
#include "engine/hear/bpe.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/utf8.h"

/* The token that begins at offsets[id] ends at offsets[id + 1]. */
struct bpe {
	size_t count;
	uint32_t *offsets;
	bool *is_mark;
	char *bytes;
};

/* A token as it is in the file, whose text it points into. */
struct bpe_draft {
	const char *text;
	size_t len;
	bool is_known, is_mark;
};

struct bpe_reader {
	struct json json;
	struct bpe_draft *drafts;
	size_t count, size;
	size_t vocab_count;
	enum bpe_spelling spelling;
	char *why;
	size_t why_size;
};

static int bpe_refuse(const struct bpe_reader *reader, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static int bpe_refuse(const struct bpe_reader *reader, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(reader->why, reader->why_size, format, args);
	va_end(args);
	return EINVAL;
}

/* Makes room for an id. */
static int bpe_reserve(struct bpe_reader *reader, size_t id)
{
	size_t size = reader->size ? reader->size : 1024;
	struct bpe_draft *drafts;

	while (size <= id)
		size *= 2;
	if (size > reader->size) {
		drafts = realloc(reader->drafts, size * sizeof(*drafts));
		if (!drafts)
			return ENOMEM;
		memset(drafts + reader->size, 0, (size - reader->size) * sizeof(*drafts));
		reader->drafts = drafts;
		reader->size = size;
	}
	if (id >= reader->count)
		reader->count = id + 1;
	return 0;
}

/* Marks are also in the vocabularies of some models, before or after the list of marks. */
static int bpe_add(struct bpe_reader *reader, const char *text, size_t len, int64_t id,
		   bool is_mark)
{
	int err;

	if (id < 0 || id >= BPE_IDS_MAX)
		return bpe_refuse(reader, "a token has the number %lld", (long long)id);
	err = bpe_reserve(reader, (size_t)id);
	if (err || (reader->drafts[id].is_mark && !is_mark))
		return err;
	reader->drafts[id] = (struct bpe_draft){text, len, true, is_mark};
	return 0;
}

/* An object of the list of marks, which has been opened. */
static int bpe_read_mark(struct bpe_reader *reader)
{
	struct json_value key;
	struct json_value value;
	struct json_value content = {.kind = JSON_KIND_NULL};
	int64_t id = -1;

	while (json_member(&reader->json, &key)) {
		if (json_value(&reader->json, &value))
			return 0; /* reported at the end */
		if (json_is(&key, "id") && json_to_integer(&id, &value))
			id = -1;
		if (json_is(&key, "content"))
			content = value;
		json_skip(&reader->json, &value);
	}
	if (reader->json.reason)
		return 0;
	if (content.kind != JSON_KIND_STRING)
		return bpe_refuse(reader, "an added token has no content");
	return bpe_add(reader, content.text, content.len, id, true);
}

static int bpe_read_marks(struct bpe_reader *reader)
{
	struct json_value value;
	int err = 0;

	while (!err && json_element(&reader->json)) {
		if (json_value(&reader->json, &value))
			return 0;
		if (value.kind != JSON_KIND_OBJECT)
			return bpe_refuse(reader, "an added token is no object");
		err = bpe_read_mark(reader);
	}
	return err;
}

static int bpe_read_vocab(struct bpe_reader *reader)
{
	struct json_value key;
	struct json_value value;
	int64_t id;
	int err = 0;

	while (!err && json_member(&reader->json, &key)) {
		if (json_value(&reader->json, &value))
			return 0;
		if (json_to_integer(&id, &value))
			return bpe_refuse(reader, "a token of the vocabulary has no number");
		++reader->vocab_count;
		err = bpe_add(reader, key.text, key.len, id, false);
	}
	return err;
}

static int bpe_read_model(struct bpe_reader *reader)
{
	struct json_value key;
	struct json_value value;
	int err = 0;

	while (!err && json_member(&reader->json, &key)) {
		if (json_value(&reader->json, &value))
			return 0;
		if (json_is(&key, "vocab") && value.kind == JSON_KIND_OBJECT)
			err = bpe_read_vocab(reader);
		else
			json_skip(&reader->json, &value);
	}
	return err;
}

static int bpe_read_top(struct bpe_reader *reader)
{
	struct json_value key;
	struct json_value value;
	int err = 0;

	if (json_value(&reader->json, &value))
		return 0;
	if (value.kind != JSON_KIND_OBJECT)
		return bpe_refuse(reader, "it is no object");
	while (!err && json_member(&reader->json, &key)) {
		if (json_value(&reader->json, &value))
			return 0;
		if (json_is(&key, "model") && value.kind == JSON_KIND_OBJECT)
			err = bpe_read_model(reader);
		else if (json_is(&key, "added_tokens") && value.kind == JSON_KIND_ARRAY)
			err = bpe_read_marks(reader);
		else
			json_skip(&reader->json, &value);
	}
	return err;
}

/* Whether a byte is written as itself. */
static bool bpe_is_plain(unsigned byte)
{
	return (byte >= '!' && byte <= '~') || (byte >= 0xa1 && byte <= 0xff && byte != 0xad);
}

/* The byte that each character up to BPE_CHARACTERS stands for, or -1. */
#define BPE_CHARACTERS (256 + 68)

static void bpe_make_map(int16_t map[BPE_CHARACTERS])
{
	int next = 256;

	for (int i = 0; i < BPE_CHARACTERS; ++i)
		map[i] = -1;
	for (int byte = 0; byte < 256; ++byte)
		map[bpe_is_plain((unsigned)byte) ? byte : next++] = (int16_t)byte;
}

#define BLANK "\xe2\x96\x81" /* U+2581 */
#define BLANK_LEN 3

/* The value of a hexadecimal digit in upper case, or -1. */
static int bpe_digit(char digit)
{
	if (digit >= '0' && digit <= '9')
		return digit - '0';
	return digit >= 'A' && digit <= 'F' ? digit - 'A' + 10 : -1;
}

/* Whether a token is one byte: "<0x0A>". */
static bool bpe_is_byte(const struct bpe_draft *draft, char *byte)
{
	int high;
	int low;

	if (draft->len != 6 || memcmp(draft->text, "<0x", 3) != 0 || draft->text[5] != '>')
		return false;
	high = bpe_digit(draft->text[3]);
	low = bpe_digit(draft->text[4]);
	if (high < 0 || low < 0)
		return false;
	*byte = (char)(high * 16 + low);
	return true;
}

static size_t bpe_write_blanks(char *out, const struct bpe_draft *draft)
{
	size_t len = 0;
	size_t at = 0;

	if (bpe_is_byte(draft, out))
		return 1;
	while (at < draft->len) {
		if (draft->len - at >= BLANK_LEN &&
		    memcmp(draft->text + at, BLANK, BLANK_LEN) == 0) {
			out[len++] = ' ';
			at += BLANK_LEN;
		} else {
			out[len++] = draft->text[at++];
		}
	}
	return len;
}

/* Writes the bytes of a token and returns how many there are; SIZE_MAX for a character that stands
 * for no byte. */
static size_t bpe_write_bytes(char *out, const struct bpe_draft *draft,
			      const int16_t map[BPE_CHARACTERS])
{
	size_t len = 0;
	size_t at = 0;

	while (at < draft->len) {
		uint32_t character;

		at += utf8_decode(&character, draft->text + at, draft->len - at);
		if (character >= BPE_CHARACTERS || map[character] < 0)
			return SIZE_MAX;
		out[len++] = (char)map[character];
	}
	return len;
}

static void bpe_destroy(void *object)
{
	struct bpe *bpe = object;

	mem_deref(bpe->offsets);
	mem_deref(bpe->is_mark);
	mem_deref(bpe->bytes);
}

static struct bpe *bpe_alloc(size_t count, size_t bytes)
{
	struct bpe *bpe = mem_zalloc(sizeof(*bpe), bpe_destroy);

	if (!bpe)
		return NULL;
	bpe->count = count;
	bpe->offsets = mem_zalloc((count + 1) * sizeof(*bpe->offsets), NULL);
	bpe->is_mark = mem_zalloc(count * sizeof(*bpe->is_mark), NULL);
	bpe->bytes = mem_zalloc(bytes, NULL);
	if (!bpe->offsets || !bpe->is_mark || !bpe->bytes)
		return mem_deref(bpe);
	return bpe;
}

/* Copies the tokens out of the file's text. */
static int bpe_collect(struct bpe **bpep, const struct bpe_reader *reader)
{
	int16_t map[BPE_CHARACTERS];
	struct bpe *bpe;
	size_t len = 0; /* no token has more bytes than its text */

	bpe_make_map(map);
	for (size_t i = 0; i < reader->count; ++i)
		len += reader->drafts[i].len;
	bpe = bpe_alloc(reader->count, len);
	if (!bpe)
		return ENOMEM;
	len = 0;
	for (size_t i = 0; i < reader->count; ++i) {
		const struct bpe_draft *draft = &reader->drafts[i];
		size_t written = draft->len;

		if (draft->is_mark)
			memcpy(bpe->bytes + len, draft->text, draft->len);
		else if (draft->is_known)
			written = reader->spelling == BPE_BLANKS
					  ? bpe_write_blanks(bpe->bytes + len, draft)
					  : bpe_write_bytes(bpe->bytes + len, draft, map);
		if (written == SIZE_MAX) {
			mem_deref(bpe);
			return bpe_refuse(reader, "token %zu is not written in bytes", i);
		}
		bpe->is_mark[i] = draft->is_mark;
		len += written;
		bpe->offsets[i + 1] = (uint32_t)len;
	}
	*bpep = bpe;
	return 0;
}

int bpe_parse(struct bpe **bpep, enum bpe_spelling spelling, char *json, size_t len, char *why,
	      size_t why_size)
{
	struct bpe_reader reader = {.spelling = spelling, .why = why, .why_size = why_size};
	int err;

	if (len > BPE_FILE_MAX)
		return bpe_refuse(&reader, "it has more than %u MiB", BPE_FILE_MAX >> 20);
	json_open(&reader.json, json, len);
	err = bpe_read_top(&reader);
	if (!err && json_close(&reader.json))
		err = bpe_refuse(&reader, "it is damaged at byte %zu: %s", reader.json.fault_at,
				 reader.json.reason);
	if (!err && reader.vocab_count == 0)
		err = bpe_refuse(&reader, "it has no vocabulary");
	if (!err)
		err = bpe_collect(bpep, &reader);
	free(reader.drafts);
	return err;
}

static bool bpe_is_mark_line(const char *line, size_t len)
{
	static const char *const marks[] = {"<unk>", "<s>", "</s>", "<pad>"};

	for (size_t i = 0; i < COUNT(marks); ++i)
		if (len == strlen(marks[i]) && memcmp(line, marks[i], len) == 0)
			return true;
	return false;
}

int bpe_parse_lines(struct bpe **bpep, const char *text, size_t len, char *why, size_t why_size)
{
	struct bpe_reader reader = {.spelling = BPE_BLANKS, .why = why, .why_size = why_size};
	size_t at = 0;
	int err = 0;

	if (len > BPE_FILE_MAX)
		return bpe_refuse(&reader, "it has more than %u MiB", BPE_FILE_MAX >> 20);
	while (!err && at < len) {
		const char *line = text + at;
		const char *end = memchr(line, '\n', len - at);
		size_t line_len = end ? (size_t)(end - line) : len - at;

		err = bpe_add(&reader, line, line_len, (int64_t)reader.count,
			      bpe_is_mark_line(line, line_len));
		at += line_len + 1;
	}
	if (!err && reader.count == 0)
		err = bpe_refuse(&reader, "it is empty");
	if (!err)
		err = bpe_collect(bpep, &reader);
	free(reader.drafts);
	return err;
}

size_t bpe_count(const struct bpe *bpe)
{
	return bpe->count;
}

struct bpe_token bpe_token(const struct bpe *bpe, size_t id)
{
	if (id >= bpe->count)
		return (struct bpe_token){.bytes = ""};
	return (struct bpe_token){
		.bytes = bpe->bytes + bpe->offsets[id],
		.len = bpe->offsets[id + 1] - bpe->offsets[id],
		.is_mark = bpe->is_mark[id],
	};
}

bool bpe_find_mark(const struct bpe *bpe, const char *name, uint32_t *id)
{
	for (size_t i = 0; i < bpe->count; ++i) {
		struct bpe_token token = bpe_token(bpe, i);

		if (token.is_mark && token.len == strlen(name) &&
		    memcmp(token.bytes, name, token.len) == 0) {
			*id = (uint32_t)i;
			return true;
		}
	}
	return false;
}
