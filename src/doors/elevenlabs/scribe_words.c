/*
 * scribe_words.c: words and the spaces between them, with their times (see scribe.h).
 */
#include <math.h>

#include "doors/elevenlabs/scribe.h"
#include "hearing/hearing.h"

#define TIME_DECIMALS 3
#define PROBABILITY_DECIMALS 4
#define LOGPROB_MIN (-20.0) /* JSON has no infinity */

static void scribe_words_write_one(struct json_write *json, const char *text, size_t len,
				   uint64_t from, uint64_t to, const char *type, double logprob)
{
	json_write_object(json, NULL);
	json_write_string(json, "text", text, len);
	json_write_double(json, "start", (double)from / HEARING_RATE, TIME_DECIMALS);
	json_write_double(json, "end", (double)to / HEARING_RATE, TIME_DECIMALS);
	json_write_text(json, "type", type);
	json_write_double(json, "logprob", logprob, PROBABILITY_DECIMALS);
	json_write_object_end(json);
}

static double scribe_words_logprob(float probability)
{
	return probability > 0 ? fmax(log((double)probability), LOGPROB_MIN) : LOGPROB_MIN;
}

/* What is between two words lasts from the end of the first to the beginning of the second. */
void scribe_words_write(struct json_write *json, const struct heard_segment *segment)
{
	json_write_list(json, "words");
	for (size_t i = 0; i < segment->word_count; ++i) {
		const struct hearing_word *word = &segment->words[i];
		const struct hearing_word *before = i > 0 ? word - 1 : NULL;

		if (before && word->byte_start > before->byte_end)
			scribe_words_write_one(json, segment->text + before->byte_end,
					       word->byte_start - before->byte_end,
					       before->sample_end, word->sample_start, "spacing",
					       0);
		scribe_words_write_one(json, segment->text + word->byte_start,
				       word->byte_end - word->byte_start, word->sample_start,
				       word->sample_end, "word",
				       scribe_words_logprob(word->probability));
	}
	json_write_list_end(json);
}
