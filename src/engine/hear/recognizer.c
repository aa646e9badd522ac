/*
 * recognizer.c: what all families of speech models need around `recognize` (see recognizer.h).
 */
#include "engine/hear/recognizer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine/hear/loudness.h"

/* A piece that is too long is divided within this part of its possible length: at the quietest
 * place there, which is a pause if there is any. */
#define DIVIDE_FROM_PERCENT 60

void recognizer_result_init(struct recognizer_result *result)
{
	*result = (struct recognizer_result){0};
	buf_init(&result->text, RECOGNIZER_TEXT_MAX);
}

void recognizer_result_reset(struct recognizer_result *result)
{
	buf_reset(&result->text);
	free(result->words);
	result->words = NULL;
	result->word_count = 0;
}

int recognizer_result_add(struct recognizer_result *result, const struct recognizer_word *word)
{
	if (result->word_count == result->words_size) {
		size_t size = result->words_size ? 2 * result->words_size : 16;
		struct recognizer_word *words =
			realloc(result->words, size * sizeof(*result->words));

		if (!words)
			return ENOMEM;
		result->words = words;
		result->words_size = size;
	}
	result->words[result->word_count++] = *word;
	return 0;
}

/* Appends a part of a longer piece, whose samples begin at `offset`. */
static int recognizer_append(struct recognizer_result *result, const struct recognizer_result *part,
			     size_t offset)
{
	size_t byte_offset;
	int err = 0;

	if (part->text.len == 0)
		return 0;
	if (result->text.len > 0)
		err = buf_append(&result->text, " ", 1);
	byte_offset = result->text.len;
	if (!err)
		err = buf_append(&result->text, part->text.bytes, part->text.len);
	for (size_t i = 0; i < part->word_count && !err; ++i) {
		struct recognizer_word word = part->words[i];

		word.byte_start += byte_offset;
		word.byte_end += byte_offset;
		word.sample_start += offset;
		word.sample_end += offset;
		err = recognizer_result_add(result, &word);
	}
	return err;
}

/* Silence before and after a word is not part of it, whatever a model attends to meanwhile. */
static int recognizer_trim(struct recognizer_result *result, const struct recognizer_piece *piece)
{
	struct loudness loudness;
	int err = loudness_measure(&loudness, piece->samples, piece->count);

	for (size_t i = 0; i < result->word_count && !err; ++i)
		loudness_trim(&loudness, &result->words[i].sample_start,
			      &result->words[i].sample_end);
	loudness_reset(&loudness);
	return err;
}

static float recognizer_limit(float probability)
{
	if (!(probability > 0)) /* or it is not a number */
		return 0;
	return probability < 1 ? probability : 1;
}

/* Whatever numbers a model gives: the server ends a worker whose words are not in order. */
static void recognizer_tidy(struct recognizer_result *result, size_t count)
{
	size_t start = 0;

	result->language_probability = recognizer_limit(result->language_probability);
	for (size_t i = 0; i < result->word_count; ++i) {
		struct recognizer_word *word = &result->words[i];

		if (word->sample_start < start)
			word->sample_start = start;
		if (word->sample_start > count)
			word->sample_start = count;
		if (word->sample_end > count)
			word->sample_end = count;
		if (word->sample_end < word->sample_start)
			word->sample_end = word->sample_start;
		start = word->sample_start;
		word->probability = recognizer_limit(word->probability);
	}
}

/* A piece that the model can take at once. */
static int recognizer_run_part(const struct recognizer *recognizer,
			       struct recognizer_result *result,
			       const struct recognizer_piece *whole, size_t from, size_t to,
			       char why[RUNTIME_WHY_SIZE])
{
	struct recognizer_piece piece = *whole;
	struct recognizer_result part;
	int err;

	recognizer_result_init(&part);
	piece.samples += from;
	piece.count = to - from;
	err = recognizer->family->recognize(recognizer, &part, &piece, why);
	if (!err && piece.want_times && !part.times_are_approximate)
		err = recognizer_trim(&part, &piece);
	if (!err) {
		recognizer_tidy(&part, piece.count);
		memcpy(result->language, part.language, sizeof(result->language));
		result->language_probability = part.language_probability;
		result->times_are_approximate |= part.times_are_approximate;
		err = recognizer_append(result, &part, from);
	}
	recognizer_result_reset(&part);
	return err;
}

int recognizer_run(const struct recognizer *recognizer, struct recognizer_result *result,
		   const struct recognizer_piece *piece, char why[RUNTIME_WHY_SIZE])
{
	size_t longest = recognizer->longest;
	size_t from = 0;
	int err = 0;

	why[0] = '\0';
	while (!err && from < piece->count) {
		size_t to = piece->count;

		if (to - from > longest)
			to = from + loudness_quietest(piece->samples + from,
						      longest * DIVIDE_FROM_PERCENT / 100, longest);
		err = recognizer_run_part(recognizer, result, piece, from, to, why);
		from = to;
	}
	return err == ENOBUFS ? 0 : err; /* more text than anybody says: the rest is left out */
}
