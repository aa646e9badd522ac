/*
 * transcript.c: which of a turn's words have been heard (see transcript.h).
 */
#include "session/transcript.h"

struct mark {
	size_t start, end; /* in text */
	uint64_t samples;
};

#define MARKS_MAX 4096

void transcript_init(struct transcript *transcript)
{
	buf_init(&transcript->text, TRANSCRIPT_MAX);
	buf_init(&transcript->marks, MARKS_MAX * sizeof(struct mark));
}

void transcript_reset(struct transcript *transcript)
{
	buf_reset(&transcript->text);
	buf_reset(&transcript->marks);
}

static struct mark *marks_of(const struct transcript *transcript, size_t *count)
{
	*count = transcript->marks.len / sizeof(struct mark);
	return (struct mark *)(void *)transcript->marks.bytes;
}

/* Forgets the oldest half.  Their samples stay counted in the first mark that
 * is left, so that positions still mean the same. */
static void forget(struct transcript *transcript)
{
	size_t count;
	struct mark *marks = marks_of(transcript, &count);
	size_t gone = (count + 1) / 2;
	size_t cut;
	uint64_t samples = 0;

	if (count == 0)
		return;
	cut = gone < count ? marks[gone].start : transcript->text.len;
	for (size_t i = 0; i < gone; ++i)
		samples += marks[i].samples;
	buf_consume(&transcript->marks, gone * sizeof(*marks));
	buf_consume(&transcript->text, cut);
	marks = marks_of(transcript, &count);
	for (size_t i = 0; i < count; ++i) {
		marks[i].start -= cut;
		marks[i].end -= cut;
	}
	if (count > 0)
		marks[0].samples += samples;
}

int transcript_add(struct transcript *transcript, const char *text, size_t len)
{
	struct mark mark = {0};
	int err;

	if (len + 1 > TRANSCRIPT_MAX / 2)
		return 0; /* no chunk is that long */
	while (transcript->text.len + len + 1 > TRANSCRIPT_MAX ||
	       transcript->marks.len + sizeof(mark) > transcript->marks.max)
		forget(transcript);
	if (transcript->text.len > 0) {
		err = buf_append(&transcript->text, " ", 1);
		if (err)
			return err;
	}
	mark.start = transcript->text.len;
	err = buf_append(&transcript->text, text, len);
	mark.end = transcript->text.len;
	return err ? err : buf_append(&transcript->marks, &mark, sizeof(mark));
}

void transcript_audio(struct transcript *transcript, uint64_t samples)
{
	size_t count;
	struct mark *marks = marks_of(transcript, &count);

	if (count > 0)
		marks[count - 1].samples += samples;
}

static size_t back_to_word_end(const char *text, size_t start, size_t at, size_t end)
{
	if (at >= end || text[at] == ' ')
		return at;
	while (at > start && text[at - 1] != ' ')
		--at;
	while (at > start && text[at - 1] == ' ')
		--at;
	return at;
}

size_t transcript_heard(const struct transcript *transcript, uint64_t samples)
{
	size_t count;
	const struct mark *marks = marks_of(transcript, &count);
	size_t heard = 0;

	for (size_t i = 0; i < count; ++i) {
		const struct mark *mark = &marks[i];
		size_t len = mark->end - mark->start;

		if (samples < mark->samples) {
			size_t at = mark->start + (size_t)(len * samples / mark->samples);

			return samples == 0 ? heard
					    : back_to_word_end(transcript->text.bytes, mark->start,
							       at, mark->end);
		}
		samples -= mark->samples;
		heard = mark->end;
	}
	return heard;
}

const char *transcript_last(const struct transcript *transcript, size_t *len)
{
	size_t count;
	const struct mark *marks = marks_of(transcript, &count);

	*len = count > 0 ? marks[count - 1].end - marks[count - 1].start : 0;
	return count > 0 ? transcript->text.bytes + marks[count - 1].start : "";
}
