/*
 * heard_transcript.c: all that was said in a recording (see heard_transcript.h).
 */
#include "session/heard_transcript.h"

#include <errno.h>
#include <stdio.h>

void heard_transcript_init(struct heard_transcript *transcript)
{
	*transcript = (struct heard_transcript){.language_probability = 0};
	buf_init(&transcript->text, HEARD_TRANSCRIPT_TEXT_MAX);
	buf_init(&transcript->words, HEARD_TRANSCRIPT_WORDS_MAX * sizeof(struct hearing_word));
	buf_init(&transcript->parts, HEARD_TRANSCRIPT_SEGMENTS_MAX * sizeof(struct heard_part));
}

void heard_transcript_reset(struct heard_transcript *transcript)
{
	buf_reset(&transcript->text);
	buf_reset(&transcript->words);
	buf_reset(&transcript->parts);
}

static int heard_transcript_add_words(struct heard_transcript *transcript, size_t at,
				      const struct heard_segment *segment)
{
	int err = buf_reserve(&transcript->words, segment->word_count * sizeof(*segment->words));

	for (size_t i = 0; !err && i < segment->word_count; ++i) {
		struct hearing_word word = segment->words[i];

		word.byte_start += (uint32_t)at;
		word.byte_end += (uint32_t)at;
		err = buf_append(&transcript->words, &word, sizeof(word));
	}
	return err;
}

int heard_transcript_add(struct heard_transcript *transcript, const struct heard_segment *segment)
{
	struct heard_part part = {
		.word_start = transcript->words.len / sizeof(struct hearing_word),
		.from_sample = segment->from_sample,
		.to_sample = segment->to_sample,
	};
	int err;

	if (segment->text_len == 0)
		return 0;
	err = heard_queue_append_text(&transcript->text, segment->text, segment->text_len,
				      segment->language);
	if (err)
		return err;
	part.byte_end = transcript->text.len;
	part.byte_start = part.byte_end - segment->text_len;
	err = heard_transcript_add_words(transcript, part.byte_start, segment);
	part.word_end = transcript->words.len / sizeof(struct hearing_word);
	if (!err)
		err = buf_append(&transcript->parts, &part, sizeof(part));
	if (!transcript->language[0] && segment->language[0]) {
		snprintf(transcript->language, sizeof(transcript->language), "%s",
			 segment->language);
		transcript->language_probability = segment->language_probability;
	}
	transcript->times_are_approximate |= segment->times_are_approximate;
	return err;
}

const struct hearing_word *heard_transcript_words(const struct heard_transcript *transcript,
						  size_t *count)
{
	*count = transcript->words.len / sizeof(struct hearing_word);
	return (const struct hearing_word *)(const void *)transcript->words.bytes;
}

const struct heard_part *heard_transcript_parts(const struct heard_transcript *transcript,
						size_t *count)
{
	*count = transcript->parts.len / sizeof(struct heard_part);
	return (const struct heard_part *)(const void *)transcript->parts.bytes;
}

double heard_transcript_start_s(const struct heard_transcript *transcript,
				const struct heard_part *part)
{
	size_t count;
	const struct hearing_word *words = heard_transcript_words(transcript, &count);
	uint64_t sample = part->word_start < part->word_end ? words[part->word_start].sample_start
							    : part->from_sample;

	return (double)sample / HEARING_RATE;
}

double heard_transcript_end_s(const struct heard_transcript *transcript,
			      const struct heard_part *part)
{
	size_t count;
	const struct hearing_word *words = heard_transcript_words(transcript, &count);
	uint64_t sample = part->word_start < part->word_end ? words[part->word_end - 1].sample_end
							    : part->to_sample;

	return (double)sample / HEARING_RATE;
}
