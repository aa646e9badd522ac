/*
 * word_times.c: a time for every word of a text (see word_times.h).
 */
#include "engine/word_times.h"

#include "base/utf8.h"

void word_times_init(struct word_times *times, const struct engine_text *text, struct sink *sink)
{
	*times = (struct word_times){.sink = sink};
	words_init(&times->untold, text);
	times->has_first = words_next(&times->untold, &times->first);
	times->words = times->untold;
	times->current = times->first;
}

/* A word of signs alone is reported only if the engine read it. */
static bool word_times_is_reported(const struct word_times *times, const struct words_word *word)
{
	return word->letters > 0 || (times->is_heard && word->start == times->current.start);
}

static size_t word_times_weight(const struct words_word *word)
{
	return word->letters > 0 ? word->letters : 1;
}

/* The total weight of the words that begin before a byte; at least 1. */
static size_t word_times_weigh(const struct word_times *times, size_t before)
{
	struct words words = times->untold;
	struct words_word word = times->first;
	bool more = times->has_first;
	size_t sum = 0;

	while (more && word.start < before) {
		if (word_times_is_reported(times, &word))
			sum += word_times_weight(&word);
		more = words_next(&words, &word);
	}
	return sum > 0 ? sum : 1;
}

/* Reports all words that begin before a byte; they share the samples up to `until`. A word
 * that contains the byte is reported whole, or cut there. */
static int word_times_report(struct word_times *times, size_t before, bool cuts, uint64_t until)
{
	uint64_t total = word_times_weigh(times, before);
	uint64_t len = until > times->from ? until - times->from : 0;
	uint64_t done = 0;
	int stop = 0;

	while (times->has_first && times->first.start < before && !stop) {
		const struct words_word *word = &times->first;

		if (word_times_is_reported(times, word)) {
			uint64_t start = times->from + len * done / total;
			size_t end = cuts && word->end > before ? before : word->end;

			done += word_times_weight(word);
			stop = sink_word(times->sink, word->start, end, start,
					 times->from + len * done / total);
		}
		times->told_end = word->run_end;
		if (cuts && word->end > before)
			/* the rest is another word */
			times->told_end = times->first.start = before;
		else
			times->has_first = words_next(&times->untold, &times->first);
	}
	return stop;
}

/* Where the sound before a sample ended. */
static uint64_t word_times_sound_end(const struct word_times *times, uint64_t sample)
{
	bool is_quiet = times->quiet_from > times->from && times->quiet_from < sample;

	return is_quiet ? times->quiet_from : sample;
}

/* The first unreported word is the current one. */
static void word_times_advance(struct word_times *times, bool is_heard, uint64_t sample)
{
	times->current = times->first;
	times->words = times->untold;
	times->is_heard = is_heard;
	times->from = sample;
}

/* A word of a script without blanks begins inside the run that is being spoken: the part
 * already spoken is a separate word. */
static int word_times_divide(struct word_times *times, size_t byte, uint64_t sample)
{
	const struct engine_text *text = times->words.text;
	uint32_t c;
	int stop;

	utf8_decode(&c, text->text + byte, text->text_len - byte);
	if (byte <= times->current.start || byte >= times->current.end || sample <= times->from ||
	    !words_may_begin_inside(c))
		return 0;
	stop = word_times_report(times, byte, true, word_times_sound_end(times, sample));
	word_times_advance(times, true, sample);
	return stop;
}

/* The word that contains a byte; false when there is none from here on. */
static bool word_times_find(struct word_times *times, struct words_word *word, size_t byte)
{
	struct words words = times->words;

	*word = times->current;
	while (word->run_end <= byte) {
		if (!words_next(&words, word))
			return false;
	}
	times->words = words;
	return true;
}

static bool word_times_is_at_blank(const struct word_times *times, size_t byte)
{
	const struct engine_text *text = times->words.text;
	uint32_t c;

	if (byte >= text->text_len)
		return true;
	utf8_decode(&c, text->text + byte, text->text_len - byte);
	return words_is_blank(c);
}

int word_times_begin(struct word_times *times, size_t byte, uint64_t sample)
{
	bool has_sound = times->is_heard || times->quiet_from > times->from;
	struct words_word word;
	int stop = 0;

	if (!times->has_first || byte < times->told_end || word_times_is_at_blank(times, byte))
		return 0;
	if (times->is_heard && byte < times->current.run_end)
		return word_times_divide(times, byte, sample);
	if (!word_times_find(times, &word, byte))
		return 0;
	if (has_sound && sample > times->from && times->first.start < word.start)
		stop = word_times_report(times, word.start, false,
					 word_times_sound_end(times, sample));
	times->current = word;
	times->is_heard = true;
	if (sample > times->from)
		times->from = sample;
	return stop;
}

void word_times_hear(struct word_times *times, uint64_t sample)
{
	if (sample > times->quiet_from)
		times->quiet_from = sample;
}

int word_times_end(struct word_times *times, size_t byte, uint64_t sample)
{
	bool has_sound = times->is_heard || times->quiet_from > times->from;
	int stop = 0;

	if (has_sound || byte >= times->words.text->text_len)
		stop = word_times_report(times, byte, false, word_times_sound_end(times, sample));
	word_times_advance(times, false, sample > times->from ? sample : times->from);
	return stop;
}
