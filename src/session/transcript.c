/*
 * transcript.c: which of a turn's words have been heard (see transcript.h).
 */
#include "session/transcript.h"

#include <stdbool.h>

#include "text/tag.h"

struct mark {
	size_t start, end; /* in text */
	uint64_t samples;
	bool is_whole; /* no more will come */
};

#define MARKS_MAX 4096

/* How fast people talk, near enough to guess a length: 15 letters a second in
 * Latin script, five signs of three bytes each in Chinese. */
#define BYTES_PER_SECOND 15

void transcript_init(struct transcript *transcript, unsigned sample_rate)
{
	transcript->sample_rate = sample_rate;
	buf_init(&transcript->text, TRANSCRIPT_MAX);
	buf_init(&transcript->marks, MARKS_MAX * sizeof(struct mark));
}

void transcript_reset(struct transcript *transcript)
{
	buf_reset(&transcript->text);
	buf_reset(&transcript->marks);
}

void transcript_move(struct transcript *to, struct transcript *from)
{
	*to = *from;
	transcript_init(from, from->sample_rate);
	buf_trim(&to->text);
	buf_trim(&to->marks);
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

void transcript_end(struct transcript *transcript)
{
	size_t count;
	struct mark *marks = marks_of(transcript, &count);

	if (count > 0)
		marks[count - 1].is_whole = true;
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

/* Half a tag would be read aloud when the rest is said again. */
static size_t back_out_of_tag(const char *text, size_t start, size_t at, size_t end)
{
	size_t i = start;

	while (i < at) {
		struct tag tag;
		size_t n = text[i] == '<' ? tag_read(&tag, text + i, end - i) : 0;

		if (i + n > at)
			break;
		i += n > 0 ? n : 1;
	}
	at = i;
	while (at > start && text[at - 1] == ' ')
		--at;
	return at;
}

/* How long the chunk will have been when it has ended. */
static uint64_t length_of(const struct transcript *transcript, const struct mark *mark)
{
	uint64_t guess =
		(mark->end - mark->start) * (uint64_t)transcript->sample_rate / BYTES_PER_SECOND;

	return mark->is_whole || guess < mark->samples ? mark->samples : guess;
}

/* Where the listener is in a chunk that he has not heard to its end. */
static size_t heard_of(const struct transcript *transcript, const struct mark *mark,
		       uint64_t samples)
{
	uint64_t length = length_of(transcript, mark);
	size_t len = mark->end - mark->start;
	size_t at;

	if (samples == 0 || len == 0)
		return mark->start;
	at = samples < length ? (size_t)(len * samples / length) : len - 1;
	at = back_to_word_end(transcript->text.bytes, mark->start, mark->start + at, mark->end);
	return back_out_of_tag(transcript->text.bytes, mark->start, at, mark->end);
}

size_t transcript_heard(const struct transcript *transcript, uint64_t samples)
{
	size_t count;
	const struct mark *marks = marks_of(transcript, &count);
	size_t heard = 0;

	for (size_t i = 0; i < count; ++i) {
		if (!marks[i].is_whole || samples < marks[i].samples) {
			size_t at = heard_of(transcript, &marks[i], samples);

			return at > marks[i].start ? at : heard;
		}
		samples -= marks[i].samples;
		heard = marks[i].end;
	}
	return heard;
}
