/* The words of a chunk have the client's characters, and times relative to the chunk. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "audio/resample.h"
#include "base/count.h"
#include "base/mem.h"
#include "session/chunk_words.h"

#define RATE 24000u
#define MS (RATE / 1000)

static const struct audio_format format = {AUDIO_PCM16, RATE, 0};

struct said {
	struct chunk_words words;
	struct pipeline *pipeline;
	const char *text;
};

static void open_chunk(struct said *chunk, const char *text)
{
	*chunk = (struct said){.text = text};
	chunk_words_init(&chunk->words);
	assert_int_equal(pipeline_alloc(&chunk->pipeline, &format, 1.0), 0);
}

static void close_chunk(struct said *chunk)
{
	chunk_words_reset(&chunk->words);
	mem_deref(chunk->pipeline);
	resample_forget();
	assert_int_equal(mem_live(), 0);
}

/* Adds a part of this many milliseconds, with the engine's words in it. */
static void speak(struct said *chunk, const struct spoken_part *part, unsigned ms,
		  const struct speech_word *heard, size_t count)
{
	const struct chunk_words_part place = {
		.spoken = part,
		.pipeline = chunk->pipeline,
		.engine_rate = RATE,
		.sample_rate = RATE,
	};
	int16_t *samples = calloc((size_t)ms * MS, sizeof(*samples));

	assert_int_equal(pipeline_write(chunk->pipeline, samples, (size_t)ms * MS, RATE), 0);
	assert_int_equal(pipeline_end_part(chunk->pipeline), 0);
	for (size_t i = 0; i < count; ++i)
		chunk_words_hear(&chunk->words, &heard[i]);
	chunk_words_end_part(&chunk->words, &place, chunk->text, strlen(chunk->text));
	free(samples);
}

static void assert_word(const struct said *chunk, size_t i, const char *text, unsigned from,
			unsigned start_ms, unsigned end_ms)
{
	size_t count;
	const struct reply_word *words = chunk_words_get(&chunk->words, &count);

	assert_true(i < count);
	assert_int_equal(words[i].word_len, strlen(text));
	assert_memory_equal(words[i].word, text, strlen(text));
	assert_int_equal(words[i].char_start, from);
	assert_int_equal(words[i].start_ms, start_ms);
	assert_int_equal(words[i].end_ms, end_ms);
}

static void assert_count(const struct said *chunk, size_t wanted)
{
	size_t count;

	chunk_words_get(&chunk->words, &count);
	assert_int_equal(count, wanted);
}

static void test_words_that_stand_for_the_same_characters_are_one(void **state)
{
	static const struct spoken_piece pieces[] = {
		{.end = 4, .from = 0, .to = 4, .is_verbatim = true},
		{.end = 14, .from = 4, .to = 6},
		{.end = 19, .from = 6, .to = 11, .is_verbatim = true},
	};
	static const struct spoken_part part = {
		.text = "Pay five euros now.",
		.len = 19,
		.pieces = pieces,
		.pieces_len = COUNT(pieces),
	};
	static const struct speech_word heard[] = {
		{.sample_start = 0, .sample_end = 100 * MS, .byte_start = 0, .byte_end = 3},
		{.sample_start = 100 * MS, .sample_end = 200 * MS, .byte_start = 4, .byte_end = 8},
		{.sample_start = 250 * MS, .sample_end = 400 * MS, .byte_start = 9, .byte_end = 14},
		{.sample_start = 400 * MS,
		 .sample_end = 500 * MS,
		 .byte_start = 15,
		 .byte_end = 19},
	};
	struct said chunk;

	(void)state;
	open_chunk(&chunk, "Pay €5 now.");
	speak(&chunk, &part, 500, heard, COUNT(heard));
	assert_count(&chunk, 3);
	assert_word(&chunk, 0, "Pay", 0, 0, 100);
	assert_word(&chunk, 1, "€5", 4, 100, 400);
	assert_word(&chunk, 2, "now.", 7, 400, 500);
	close_chunk(&chunk);
}

static void test_an_engine_word_without_characters_is_dropped(void **state)
{
	static const struct spoken_piece pieces[] = {
		{.end = 3, .from = 0, .to = 3, .is_verbatim = true},
		{.end = 8, .from = 3, .to = 3},
	};
	static const struct spoken_part part = {
		.text = "one more", .len = 8, .pieces = pieces, .pieces_len = COUNT(pieces)};
	static const struct speech_word heard[] = {
		{.sample_start = 0, .sample_end = 100 * MS, .byte_start = 0, .byte_end = 3},
		{.sample_start = 100 * MS, .sample_end = 200 * MS, .byte_start = 4, .byte_end = 8},
	};
	struct said chunk;

	(void)state;
	open_chunk(&chunk, "one");
	speak(&chunk, &part, 200, heard, COUNT(heard));
	assert_count(&chunk, 1);
	close_chunk(&chunk);
}

static const struct spoken_piece two_pieces[] = {
	{.end = 7, .from = 0, .to = 7, .is_verbatim = true},
};
static const struct spoken_part two_words = {
	.text = "one two", .len = 7, .pieces = two_pieces, .pieces_len = 1};

static void test_times_are_in_order_and_inside_the_part_whatever_the_engine_says(void **state)
{
	static const struct speech_word heard[] = {
		{.sample_start = 90 * MS, .sample_end = 50 * MS, .byte_start = 0, .byte_end = 3},
		{.sample_start = 20 * MS, .sample_end = UINT32_MAX, .byte_start = 4, .byte_end = 7},
	};
	struct said chunk;

	(void)state;
	open_chunk(&chunk, "one two");
	speak(&chunk, &two_words, 100, heard, COUNT(heard));
	assert_word(&chunk, 0, "one", 0, 90, 90);
	assert_word(&chunk, 1, "two", 4, 90, 100);
	close_chunk(&chunk);
}

static void test_parts_follow_each_other_with_the_silence_between_them(void **state)
{
	static const struct spoken_piece later[] = {
		{.end = 7, .from = 8, .to = 15, .is_verbatim = true},
	};
	static const struct spoken_part part = {
		.text = "one two", .len = 7, .pieces = later, .pieces_len = 1};
	static const struct speech_word heard[] = {
		{.sample_start = 0, .sample_end = 50 * MS, .byte_start = 0, .byte_end = 3},
		{.sample_start = 50 * MS, .sample_end = 100 * MS, .byte_start = 4, .byte_end = 7},
	};
	struct said chunk;

	(void)state;
	open_chunk(&chunk, "one two öne twö");
	speak(&chunk, &two_words, 100, heard, COUNT(heard));
	assert_int_equal(pipeline_silence(chunk.pipeline, 200 * MS), 0);
	assert_int_equal(pipeline_set_speed(chunk.pipeline, 0.8), 0);
	speak(&chunk, &part, 100, heard, COUNT(heard));
	assert_count(&chunk, 4);
	assert_word(&chunk, 2, "öne", 8, 300, 366);
	assert_word(&chunk, 3, "twö", 12, 366, 425);
	chunk_words_clear(&chunk.words);
	assert_count(&chunk, 0);
	close_chunk(&chunk);
}

static void test_a_word_ends_before_the_tag_after_it(void **state)
{
	static const struct spoken_piece pieces[] = {
		{.end = 2, .from = 3, .to = 5, .is_verbatim = true},
		{.end = 4, .from = 8, .to = 9, .is_verbatim = true},
		{.end = 6, .from = 17, .to = 19, .is_verbatim = true},
	};
	static const struct spoken_part part = {
		.text = "oné.\"", .len = 6, .pieces = pieces, .pieces_len = COUNT(pieces)};
	static const struct speech_word heard[] = {
		{.sample_start = 0, .sample_end = 50 * MS, .byte_start = 0, .byte_end = 6},
	};
	struct said chunk;

	(void)state;
	open_chunk(&chunk, "<b>on<i>é</i></b>.\"");
	speak(&chunk, &part, 100, heard, 1);
	assert_count(&chunk, 1);
	assert_word(&chunk, 0, "on<i>é", 3, 0, 50);
	close_chunk(&chunk);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words_that_stand_for_the_same_characters_are_one),
		cmocka_unit_test(test_an_engine_word_without_characters_is_dropped),
		cmocka_unit_test(
			test_times_are_in_order_and_inside_the_part_whatever_the_engine_says),
		cmocka_unit_test(test_parts_follow_each_other_with_the_silence_between_them),
		cmocka_unit_test(test_a_word_ends_before_the_tag_after_it),
	};

	return cmocka_run_group_tests_name("chunk words", tests, NULL, NULL);
}
