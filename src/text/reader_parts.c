/*
 * reader_parts.c: the parts of a chunk under construction (see reader_parts.h).
 */
#include "text/reader_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "text/unicode.h"

/* The maximum size of the phonemes of one chunk: every word of a long chunk may have some. */
#define IPA_MAX (256u * 1024u)

/* A finished part, with offsets instead of pointers. */
struct reader_row {
	size_t text, len;
	size_t pieces, pieces_len;
	size_t phonemes, phonemes_len;
	unsigned pause_ms;
	double rate;
};

void reader_parts_init(struct reader_parts *parts, size_t text_max, double rate)
{
	*parts = (struct reader_parts){.rate = rate};
	mapped_init(&parts->part, text_max);
	buf_init(&parts->text, text_max);
	buf_init(&parts->pieces, text_max * sizeof(struct spoken_piece));
	buf_init(&parts->phonemes, text_max * sizeof(struct spoken_phonemes));
	buf_init(&parts->ipa, IPA_MAX);
	buf_init(&parts->rows, text_max * sizeof(struct reader_row));
}

void reader_parts_reset(struct reader_parts *parts)
{
	mapped_reset(&parts->part);
	buf_reset(&parts->text);
	buf_reset(&parts->pieces);
	buf_reset(&parts->phonemes);
	buf_reset(&parts->ipa);
	buf_reset(&parts->rows);
}

static void reader_parts_note(struct reader_parts *parts, int err)
{
	if (!parts->err)
		parts->err = err;
}

static bool reader_parts_is_heard(const struct buf *text)
{
	size_t at = 0;

	while (at < text->len) {
		uint32_t c;

		at += utf8_decode(&c, text->bytes + at, text->len - at);
		if (unicode_is_spoken(unicode_kind(c)))
			return true;
	}
	return false;
}

static size_t reader_parts_phonemes_count(const struct reader_parts *parts)
{
	return parts->phonemes.len / sizeof(struct spoken_phonemes);
}

/* Appends the current part to the finished ones; a silent part is dropped, and its pause is
 * added to the next. */
static void reader_parts_finish_part(struct reader_parts *parts)
{
	struct mapped *part = &parts->part;
	struct reader_row row = {
		.text = parts->text.len,
		.len = part->text.len,
		.pieces = parts->pieces.len / sizeof(struct spoken_piece),
		.pieces_len = part->pieces.len / sizeof(struct spoken_piece),
		.phonemes = parts->phonemes_done,
		.phonemes_len = reader_parts_phonemes_count(parts) - parts->phonemes_done,
		.pause_ms = parts->pause_ms,
		.rate = parts->rate,
	};

	reader_parts_note(parts, part->err);
	if (reader_parts_is_heard(&part->text)) {
		reader_parts_note(parts,
				  buf_append(&parts->text, part->text.bytes, part->text.len));
		reader_parts_note(parts, buf_append(&parts->text, "", 1));
		reader_parts_note(parts,
				  buf_append(&parts->pieces, part->pieces.bytes, part->pieces.len));
		reader_parts_note(parts, buf_append(&parts->rows, &row, sizeof(row)));
		parts->phonemes_done = reader_parts_phonemes_count(parts);
		parts->ipa_done = parts->ipa.len;
		parts->pause_ms = 0;
	}
	parts->phonemes.len = parts->phonemes_done * sizeof(struct spoken_phonemes);
	parts->ipa.len = parts->ipa_done;
	mapped_clear(part);
}

void reader_parts_pause(struct reader_parts *parts, unsigned ms)
{
	if (ms == 0)
		return;
	reader_parts_finish_part(parts);
	parts->pause_ms += ms;
}

void reader_parts_rate(struct reader_parts *parts, double rate)
{
	reader_parts_finish_part(parts);
	parts->rate = rate;
}

void reader_parts_pronounce(struct reader_parts *parts, size_t begin, size_t end, const char *ipa,
			    size_t ipa_len)
{
	struct spoken_phonemes phonemes = {.begin = (uint32_t)begin, .end = (uint32_t)end};

	if (parts->part.err || buf_reserve(&parts->ipa, ipa_len + 1) != 0)
		return; /* the text is spoken instead */
	buf_append(&parts->ipa, ipa, ipa_len);
	buf_append(&parts->ipa, "", 1);
	reader_parts_note(parts, buf_append(&parts->phonemes, &phonemes, sizeof(phonemes)));
}

enum { MEMORY_TEXT, MEMORY_PIECES, MEMORY_PHONEMES, MEMORY_IPA };

static void reader_parts_destroy(void *object)
{
	struct spoken *spoken = object;

	for (size_t i = 0; i < sizeof(spoken->memory) / sizeof(spoken->memory[0]); ++i)
		free(spoken->memory[i]);
	free(spoken->parts);
}

static void *reader_parts_take_memory(struct buf *buf)
{
	void *memory = buf->bytes;

	buf->bytes = NULL;
	buf->len = buf->size = 0;
	return memory;
}

static void reader_parts_point(struct spoken_part *part, const struct reader_row *row,
			       const struct spoken *spoken)
{
	const struct spoken_piece *pieces = spoken->memory[MEMORY_PIECES];
	const struct spoken_phonemes *phonemes = spoken->memory[MEMORY_PHONEMES];

	*part = (struct spoken_part){
		.text = row->len ? (const char *)spoken->memory[MEMORY_TEXT] + row->text : "",
		.len = row->len,
		.pause_ms = row->pause_ms,
		.rate = row->rate,
		.pieces = row->len ? pieces + row->pieces : NULL,
		.pieces_len = row->pieces_len,
		.phonemes = row->phonemes_len ? phonemes + row->phonemes : NULL,
		.phonemes_len = row->phonemes_len,
	};
}

/* The strings are in the same order as the spans. */
static void reader_parts_point_phonemes(struct spoken *spoken, size_t count)
{
	struct spoken_phonemes *phonemes = spoken->memory[MEMORY_PHONEMES];
	const char *ipa = spoken->memory[MEMORY_IPA];

	for (size_t i = 0; i < count; ++i) {
		phonemes[i].ipa = ipa;
		ipa += strlen(ipa) + 1;
	}
}

/* The silence at the end of a chunk is a part without text. */
static void reader_parts_finish_all(struct reader_parts *parts)
{
	reader_parts_finish_part(parts);
	if (parts->pause_ms > 0) {
		struct reader_row row = {.pause_ms = parts->pause_ms, .rate = parts->rate};

		reader_parts_note(parts, buf_append(&parts->rows, &row, sizeof(row)));
	}
}

int reader_parts_take(struct spoken **spokenp, struct reader_parts *parts)
{
	const struct reader_row *rows;
	struct spoken *spoken;
	size_t count;

	reader_parts_finish_all(parts);
	if (parts->err)
		return parts->err;
	spoken = mem_zalloc(sizeof(*spoken), reader_parts_destroy);
	if (!spoken)
		return ENOMEM;
	count = parts->rows.len / sizeof(*rows);
	spoken->parts = calloc(count ? count : 1, sizeof(*spoken->parts));
	if (!spoken->parts) {
		mem_deref(spoken);
		return ENOMEM;
	}
	spoken->memory[MEMORY_TEXT] = reader_parts_take_memory(&parts->text);
	spoken->memory[MEMORY_PIECES] = reader_parts_take_memory(&parts->pieces);
	spoken->memory[MEMORY_PHONEMES] = reader_parts_take_memory(&parts->phonemes);
	spoken->memory[MEMORY_IPA] = reader_parts_take_memory(&parts->ipa);
	reader_parts_point_phonemes(spoken, parts->phonemes_done);
	rows = (const struct reader_row *)(const void *)parts->rows.bytes;
	for (size_t i = 0; i < count; ++i)
		reader_parts_point(&spoken->parts[i], &rows[i], spoken);
	spoken->parts_len = count;
	*spokenp = spoken;
	return 0;
}
