/*
 * char_times.c: computes when each character of a chunk is heard (see char_times.h).
 */
#include "wire/char_times.h"

#include <limits.h>
#include <math.h>

#include "base/utf8.h"
#include "text/markup.h"

void char_times_begin(struct char_times *times, const struct dialect_words *said)
{
	*times = (struct char_times){.said = said};
}

static size_t char_times_markup(const struct dialect_words *said, size_t at)
{
	return markup_read(said->text + at, said->text_len - at, said->markup);
}

static void char_times_pass_markup(struct char_times *times)
{
	const struct dialect_words *said = times->said;
	size_t n;

	while ((n = char_times_markup(said, times->at)) > 0) {
		times->index += (unsigned)utf8_count(said->text + times->at, n);
		times->at += n;
	}
}

/* Counts the characters from the next one to the one before index `to`, without markup.  Returns at
 * least 1. */
static unsigned char_times_count(const struct char_times *times, unsigned to)
{
	const struct dialect_words *said = times->said;
	struct char_times ahead = *times;
	unsigned count = 0;
	uint32_t code_point;

	while (ahead.index < to && ahead.at < said->text_len) {
		ahead.at +=
			utf8_decode(&code_point, said->text + ahead.at, said->text_len - ahead.at);
		++ahead.index;
		++count;
		char_times_pass_markup(&ahead);
	}
	return count > 0 ? count : 1;
}

/* Begins the span of the next character: a word, or the text between two words. */
static void char_times_begin_span(struct char_times *times)
{
	const struct dialect_words *said = times->said;
	const struct reply_word *words = said->words;
	double end_ms;

	while (times->word < said->count && times->index >= words[times->word].char_end)
		++times->word;
	if (times->word < said->count && times->index >= words[times->word].char_start) {
		times->span_to = words[times->word].char_end;
		times->start_ms = words[times->word].start_ms;
		end_ms = words[times->word].end_ms;
	} else {
		times->start_ms = times->word > 0 ? words[times->word - 1].end_ms : 0;
		/* After the last word, all characters have the time at which it ends. */
		times->span_to = UINT_MAX;
		end_ms = times->start_ms;
		if (times->word < said->count) {
			times->span_to = words[times->word].char_start;
			end_ms = fmax(end_ms, words[times->word].start_ms);
		}
	}
	times->step_ms = (end_ms - times->start_ms) / char_times_count(times, times->span_to);
}

bool char_times_next(struct char_times *times, struct char_time *next)
{
	const struct dialect_words *said = times->said;
	uint32_t code_point;

	char_times_pass_markup(times);
	if (times->at >= said->text_len)
		return false;
	if (times->index >= times->span_to)
		char_times_begin_span(times);
	next->text = said->text + times->at;
	next->len = utf8_decode(&code_point, next->text, said->text_len - times->at);
	next->start_ms = times->start_ms;
	next->end_ms = times->start_ms + times->step_ms;
	times->start_ms = next->end_ms;
	times->at += next->len;
	++times->index;
	return true;
}
