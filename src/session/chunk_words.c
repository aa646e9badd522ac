/*
 * chunk_words.c: the times of the client's words in a chunk (see chunk_words.h).
 */
#include "session/chunk_words.h"

#include <string.h>

#include "base/utf8.h"
#include "text/mapped.h"
#include "text/tag.h"
#include "text/unicode.h"

/* The most words of one chunk that are kept: more than its buffer can hold. */
#define WORDS_MAX 8192

void chunk_words_init(struct chunk_words *words)
{
	buf_init(&words->engine_words, WORDS_MAX * sizeof(struct speech_word));
	buf_init(&words->client_words, WORDS_MAX * sizeof(struct reply_word));
}

void chunk_words_reset(struct chunk_words *words)
{
	buf_reset(&words->engine_words);
	buf_reset(&words->client_words);
}

void chunk_words_clear(struct chunk_words *words)
{
	words->engine_words.len = 0;
	words->client_words.len = 0;
}

void chunk_words_hear(struct chunk_words *words, const struct speech_word *word)
{
	/* If the buffer is full, the rest of the words have no times. */
	(void)buf_append(&words->engine_words, word, sizeof(*word));
}

/* A position in the chunk's text that moves from word to word. */
struct chunk_words_place {
	const char *text;
	size_t len;
	size_t byte;
	unsigned code_point;
};

static void chunk_words_place_move(struct chunk_words_place *place, unsigned to)
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

/* Whether the text contains nothing to speak. */
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

/* The length of a word in bytes, without the tags at its end: in "<b>word</b>." the engine's word
 * includes the full stop, but the client's word ends before the tag. */
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

static void chunk_words_fill_text(struct reply_word *word, struct chunk_words_place *at)
{
	struct chunk_words_place end;
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

/* Adds a word, or merges it with the last one if both stand for some of the same characters. */
static void chunk_words_add_word(struct chunk_words *words, struct reply_word *word,
				 struct chunk_words_place *at)
{
	struct reply_word *all = (struct reply_word *)(void *)words->client_words.bytes;
	size_t count = words->client_words.len / sizeof(*all);
	struct reply_word *last = count > 0 ? &all[count - 1] : NULL;

	if (word->char_start >= word->char_end)
		return; /* it corresponds to no word of the client */
	/* Words are kept in order, even if the engine's times are not. */
	if (last && word->start_ms < last->start_ms)
		word->start_ms = last->start_ms;
	if (word->end_ms < word->start_ms)
		word->end_ms = word->start_ms;
	if (last && last->char_start < word->char_end && word->char_start < last->char_end) {
		if (word->char_start < last->char_start)
			last->char_start = word->char_start;
		if (word->char_end > last->char_end)
			last->char_end = word->char_end;
		if (word->end_ms > last->end_ms)
			last->end_ms = word->end_ms;
		chunk_words_fill_text(last, at);
		return;
	}
	chunk_words_fill_text(word, at);
	/* If the buffer is full, the rest of the words have no times. */
	(void)buf_append(&words->client_words, word, sizeof(*word));
}

void chunk_words_end_part(struct chunk_words *words, const struct chunk_words_part *part,
			  const char *text, size_t len)
{
	const struct speech_word *heard =
		(const struct speech_word *)(const void *)words->engine_words.bytes;
	size_t count = part->engine_rate ? words->engine_words.len / sizeof(*heard) : 0;
	struct chunk_words_place at = {.text = text, .len = len};
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
	words->engine_words.len = 0;
}

const struct reply_word *chunk_words_get(const struct chunk_words *words, size_t *count)
{
	*count = words->client_words.len / sizeof(struct reply_word);
	return (const struct reply_word *)(const void *)words->client_words.bytes;
}
