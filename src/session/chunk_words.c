/*
 * chunk_words.c: when the client's words are heard in a chunk (see chunk_words.h).
 */
#include "session/chunk_words.h"

#include <string.h>

#include "base/utf8.h"
#include "text/mapped.h"
#include "text/tag.h"
#include "text/unicode.h"

/* Words of one chunk that are kept: more than a chunk's buffer can hold. */
#define WORDS_MAX 8192

void chunk_words_init(struct chunk_words *words)
{
	buf_init(&words->heard, WORDS_MAX * sizeof(struct speech_word));
	buf_init(&words->told, WORDS_MAX * sizeof(struct reply_word));
}

void chunk_words_reset(struct chunk_words *words)
{
	buf_reset(&words->heard);
	buf_reset(&words->told);
}

void chunk_words_clear(struct chunk_words *words)
{
	words->heard.len = 0;
	words->told.len = 0;
}

void chunk_words_hear(struct chunk_words *words, const struct speech_word *word)
{
	(void)buf_append(&words->heard, word, sizeof(*word)); /* full: enough */
}

/* A place in the chunk's text, moved from word to word. */
struct place {
	const char *text;
	size_t len;
	size_t byte;
	unsigned code_point;
};

static void chunk_words_place_move(struct place *place, unsigned to)
{
	if (to < place->code_point)
		place->byte = place->code_point = 0;
	while (place->code_point < to && place->byte < place->len) {
		++place->byte;
		while (place->byte < place->len &&
		       ((uint8_t)place->text[place->byte] & 0xc0) == 0x80)
			++place->byte;
		++place->code_point;
	}
}

static unsigned chunk_words_heard_ms(const struct chunk_words_part *part, uint64_t engine_sample)
{
	uint64_t place = pipeline_place(part->pipeline, engine_sample, part->engine_rate);

	return (unsigned)((place - part->chunk_start) * 1000 / part->sample_rate);
}

static struct reply_word *chunk_words_last_word(struct chunk_words *words)
{
	struct reply_word *told = (struct reply_word *)(void *)words->told.bytes;
	size_t count = words->told.len / sizeof(*told);

	return count > 0 ? &told[count - 1] : NULL;
}

/* No word begins before the one before it, whatever the engine says. */
static void chunk_words_keep_order(struct reply_word *word, const struct reply_word *before)
{
	if (before && word->start_ms < before->start_ms)
		word->start_ms = before->start_ms;
	if (word->end_ms < word->start_ms)
		word->end_ms = word->start_ms;
}

static bool chunk_words_is_of_same(const struct reply_word *a, const struct reply_word *b)
{
	return a->char_start < b->char_end && b->char_start < a->char_end;
}

static void chunk_words_merge(struct reply_word *into, const struct reply_word *word)
{
	if (word->char_start < into->char_start)
		into->char_start = word->char_start;
	if (word->char_end > into->char_end)
		into->char_end = word->char_end;
	if (word->end_ms > into->end_ms)
		into->end_ms = word->end_ms;
}

/* True when nothing of it is heard. */
static bool chunk_words_is_quiet(const char *text, size_t len)
{
	uint32_t c;

	for (size_t at = 0; at < len;) {
		at += utf8_decode(&c, text + at, len - at);
		if (unicode_is_spoken(unicode_kind(c)))
			return false;
	}
	return true;
}

/* Bytes of a word without the tags at its end: in "<b>word</b>." the engine's
 * word has the stop, and the client's ends before the tag. */
static size_t chunk_words_without_tags(const char *word, size_t len)
{
	const char *at;

	while ((at = memrchr(word, '<', len)) && at > word) {
		size_t before = (size_t)(at - word);
		struct tag tag;
		size_t n = tag_read(&tag, at, len - before);

		if (n == 0 || !chunk_words_is_quiet(at + n, len - before - n))
			break;
		len = before;
	}
	return len;
}

static void chunk_words_fill_text(struct reply_word *word, struct place *at)
{
	struct place end;
	size_t len;

	chunk_words_place_move(at, word->char_start);
	end = *at;
	chunk_words_place_move(&end, word->char_end);
	word->word = at->text + at->byte;
	len = end.byte - at->byte;
	word->word_len = chunk_words_without_tags(word->word, len);
	if (word->word_len < len)
		word->char_end =
			word->char_start + (unsigned)utf8_count(word->word, word->word_len);
}

static void chunk_words_add_word(struct chunk_words *words, struct reply_word *word,
				 struct place *at)
{
	struct reply_word *last = chunk_words_last_word(words);

	if (word->char_start >= word->char_end)
		return; /* it stands for nothing that was written */
	chunk_words_keep_order(word, last);
	if (last && chunk_words_is_of_same(last, word)) {
		chunk_words_merge(last, word);
		chunk_words_fill_text(last, at);
		return;
	}
	chunk_words_fill_text(word, at);
	(void)buf_append(&words->told, word, sizeof(*word)); /* full: enough */
}

void chunk_words_end_part(struct chunk_words *words, const struct chunk_words_part *part,
			  const char *text, size_t len)
{
	const struct speech_word *heard =
		(const struct speech_word *)(const void *)words->heard.bytes;
	size_t count = part->engine_rate ? words->heard.len / sizeof(*heard) : 0;
	struct place at = {.text = text, .len = len};
	struct mapped_cursor cursor;

	mapped_read_part(&cursor, part->spoken);
	for (size_t i = 0; i < count; ++i) {
		struct reply_word word = {
			.start_ms = chunk_words_heard_ms(part, heard[i].sample_start),
			.end_ms = chunk_words_heard_ms(part, heard[i].sample_end),
		};

		mapped_origin(&cursor, heard[i].byte_start, heard[i].byte_end, &word.char_start,
			      &word.char_end);
		chunk_words_add_word(words, &word, &at);
	}
	words->heard.len = 0;
}

const struct reply_word *chunk_words_get(const struct chunk_words *words, size_t *count)
{
	*count = words->told.len / sizeof(struct reply_word);
	return (const struct reply_word *)(const void *)words->told.bytes;
}
