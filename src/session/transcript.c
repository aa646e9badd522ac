/*
 * transcript.c: which of a turn's words have been heard (see transcript.h).
 */
#include "session/transcript.h"

#include <stdbool.h>
#include <string.h>

#include "text/tag.h"

/* Where a chunk is in the text and in the audio. */
struct transcript_mark {
	uint64_t samples; /* the length of its audio so far */
	uint32_t start; /* its position in the text, in bytes */
	uint16_t len; /* in bytes */
	bool is_whole; /* it has ended */
};

struct transcript_packed {
	uint32_t sample_rate;
	uint32_t text_len;
	uint32_t marks_len; /* bytes */
	_Alignas(struct transcript_mark) char marks[]; /* followed by the text */
};

#define MARKS_MAX 4096
#define CHUNK_MAX (TRANSCRIPT_MAX / 2)
_Static_assert(CHUNK_MAX <= UINT16_MAX, "a mark counts its bytes in 16 bits");

/* A rough speed of speech, to estimate the length of a chunk: 15 letters a second in Latin script,
 * five characters of three bytes each in Chinese. */
#define BYTES_PER_SECOND 15

void transcript_init(struct transcript *transcript, unsigned sample_rate)
{
	transcript->sample_rate = sample_rate;
	buf_init(&transcript->text, TRANSCRIPT_MAX);
	buf_init(&transcript->marks, MARKS_MAX * sizeof(struct transcript_mark));
}

void transcript_reset(struct transcript *transcript)
{
	buf_reset(&transcript->text);
	buf_reset(&transcript->marks);
}

size_t transcript_packed_size(const struct transcript *transcript)
{
	return sizeof(struct transcript_packed) + transcript->marks.len + transcript->text.len;
}

void transcript_pack(void *packed, const struct transcript *transcript)
{
	struct transcript_packed *block = packed;

	block->sample_rate = transcript->sample_rate;
	block->text_len = (uint32_t)transcript->text.len;
	block->marks_len = (uint32_t)transcript->marks.len;
	if (block->marks_len > 0)
		memcpy(block->marks, transcript->marks.bytes, block->marks_len);
	if (block->text_len > 0)
		memcpy(block->marks + block->marks_len, transcript->text.bytes, block->text_len);
}

void transcript_unpack(struct transcript *transcript, void *packed)
{
	struct transcript_packed *block = packed;

	*transcript = (struct transcript){
		.text = {.bytes = block->marks + block->marks_len, .len = block->text_len},
		.marks = {.bytes = block->marks, .len = block->marks_len},
		.sample_rate = block->sample_rate,
	};
}

static struct transcript_mark *transcript_marks_of(const struct transcript *transcript,
						   size_t *count)
{
	*count = transcript->marks.len / sizeof(struct transcript_mark);
	return (struct transcript_mark *)(void *)transcript->marks.bytes;
}

/* Drops the oldest half of the chunks.  Their samples are added to the first chunk that is left, so
 * that positions in the audio keep their meaning. */
static void transcript_drop_oldest(struct transcript *transcript)
{
	size_t count;
	struct transcript_mark *marks = transcript_marks_of(transcript, &count);
	size_t dropped = (count + 1) / 2;
	size_t cut;
	uint64_t samples = 0;

	if (count == 0)
		return;
	cut = dropped < count ? marks[dropped].start : transcript->text.len;
	for (size_t i = 0; i < dropped; ++i)
		samples += marks[i].samples;
	buf_consume(&transcript->marks, dropped * sizeof(*marks));
	buf_consume(&transcript->text, cut);
	marks = transcript_marks_of(transcript, &count);
	for (size_t i = 0; i < count; ++i)
		marks[i].start -= (uint32_t)cut;
	if (count > 0)
		marks[0].samples += samples;
}

int transcript_add(struct transcript *transcript, const char *text, size_t len)
{
	struct transcript_mark mark = {0};
	int err;

	if (len + 1 > CHUNK_MAX)
		return 0; /* chunks are never longer */
	while (transcript->text.len + len + 1 > TRANSCRIPT_MAX ||
	       transcript->marks.len + sizeof(mark) > transcript->marks.max)
		transcript_drop_oldest(transcript);
	if (transcript->text.len > 0) {
		err = buf_append(&transcript->text, " ", 1);
		if (err)
			return err;
	}
	mark.start = (uint32_t)transcript->text.len;
	err = buf_append(&transcript->text, text, len);
	mark.len = (uint16_t)len;
	return err ? err : buf_append(&transcript->marks, &mark, sizeof(mark));
}

void transcript_audio(struct transcript *transcript, uint64_t samples)
{
	size_t count;
	struct transcript_mark *marks = transcript_marks_of(transcript, &count);

	if (count > 0)
		marks[count - 1].samples += samples;
}

void transcript_end(struct transcript *transcript)
{
	size_t count;
	struct transcript_mark *marks = transcript_marks_of(transcript, &count);

	if (count > 0)
		marks[count - 1].is_whole = true;
}

static size_t transcript_end_of(const struct transcript_mark *mark)
{
	return (size_t)mark->start + mark->len;
}

static size_t transcript_back_to_word_end(const char *text, size_t start, size_t at, size_t end)
{
	if (at >= end || text[at] == ' ')
		return at;
	while (at > start && text[at - 1] != ' ')
		--at;
	while (at > start && text[at - 1] == ' ')
		--at;
	return at;
}

/* If a position inside a tag were returned, the rest of the tag would be read aloud when the client
 * sends the remaining text again. */
static size_t transcript_back_out_of_tag(const char *text, size_t start, size_t at, size_t end)
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

/* The position in the text up to which a partly heard chunk was heard. */
static size_t transcript_heard_of(const struct transcript *transcript,
				  const struct transcript_mark *mark, uint64_t samples)
{
	uint64_t estimate = mark->len * (uint64_t)transcript->sample_rate / BYTES_PER_SECOND;
	uint64_t length = mark->is_whole || estimate < mark->samples ? mark->samples : estimate;
	size_t end = transcript_end_of(mark);
	size_t at;

	if (samples == 0 || mark->len == 0)
		return mark->start;
	at = samples < length ? (size_t)(mark->len * samples / length) : mark->len - 1u;
	at = transcript_back_to_word_end(transcript->text.bytes, mark->start, mark->start + at,
					 end);
	return transcript_back_out_of_tag(transcript->text.bytes, mark->start, at, end);
}

size_t transcript_heard(const struct transcript *transcript, uint64_t samples)
{
	size_t count;
	const struct transcript_mark *marks = transcript_marks_of(transcript, &count);
	size_t heard = 0;

	for (size_t i = 0; i < count; ++i) {
		if (!marks[i].is_whole || samples < marks[i].samples) {
			size_t at = transcript_heard_of(transcript, &marks[i], samples);

			return at > marks[i].start ? at : heard;
		}
		samples -= marks[i].samples;
		heard = transcript_end_of(&marks[i]);
	}
	return heard;
}
