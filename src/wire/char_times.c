/*
 * char_times.c: when each character of a chunk is heard (see char_times.h).
 */
#include "wire/char_times.h"

#include "base/utf8.h"

/* Characters that share a time. */
struct span {
	unsigned from, to; /* of them; to is the first behind it */
	double start_ms, end_ms;
};

void char_times_begin(struct char_times *times, const struct dialect_words *said)
{
	*times = (struct char_times){.said = said};
}

static unsigned char_count(const struct dialect_words *said)
{
	return (unsigned)utf8_count(said->text, said->text_len);
}

static void find_span(struct span *span, const struct char_times *times)
{
	const struct dialect_words *said = times->said;
	const struct reply_word *before = times->word > 0 ? &said->words[times->word - 1] : NULL;
	const struct reply_word *word =
		times->word < said->count ? &said->words[times->word] : NULL;

	if (word && times->index >= word->char_start) {
		*span = (struct span){word->char_start, word->char_end, word->start_ms,
				      word->end_ms};
		return;
	}
	/* Between words; behind the last one nothing more is known to be heard. */
	span->from = before ? before->char_end : 0;
	span->start_ms = before ? before->end_ms : 0;
	span->to = word ? word->char_start : char_count(said);
	span->end_ms = word ? word->start_ms : span->start_ms;
	if (span->end_ms < span->start_ms)
		span->end_ms = span->start_ms;
}

bool char_times_next(struct char_times *times, struct char_time *next)
{
	const struct dialect_words *said = times->said;
	struct span span;
	uint32_t code_point;
	double step;

	if (times->at >= said->text_len)
		return false;
	while (times->word < said->count && times->index >= said->words[times->word].char_end)
		++times->word;
	find_span(&span, times);
	step = (span.end_ms - span.start_ms) / (span.to > span.from ? span.to - span.from : 1);
	next->text = said->text + times->at;
	next->len = utf8_decode(&code_point, next->text, said->text_len - times->at);
	next->start_ms = span.start_ms + step * (times->index - span.from);
	next->end_ms = next->start_ms + step;
	times->at += next->len;
	++times->index;
	return true;
}
