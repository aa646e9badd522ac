/*
 * subtitles.c: a transcript as subtitles, SubRip and WebVTT (see transcripts.h).
 *
 * Segments are up to half a minute long, and subtitles are not: they are cut between words, if possible
 * at the end of a sentence.
 */
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "doors/openai/transcripts.h"

/* The longest subtitle: two lines of 42 characters, which viewers can read in this time. */
#define CHARACTERS_MAX 84u
#define SAMPLES_MAX (7u * HEARING_RATE)
/* A sentence that ends after this many characters ends the subtitle. */
#define SENTENCE_MIN 20u

struct cue {
	size_t byte_start, byte_end;
	uint64_t from, to; /* samples */
};

/* In what SubRip and WebVTT differ. */
struct subtitle_syntax {
	char point; /* of seconds */
	bool has_numbers;
	bool has_markup; /* `&` begins an entity, and `<` a tag */
};

static bool subtitles_ends_sentence(const char *text, size_t len)
{
	static const char *const wide[] = {"。", "！", "？"};

	if (len > 0 && strchr(".!?", text[len - 1]))
		return true;
	for (size_t i = 0; i < sizeof(wide) / sizeof(wide[0]); ++i) {
		size_t n = strlen(wide[i]);

		if (len >= n && memcmp(text + len - n, wide[i], n) == 0)
			return true;
	}
	return false;
}

/* Takes as many words of a segment as make one subtitle, from *at on. */
static struct cue subtitles_cut(const struct heard_transcript *transcript,
				const struct heard_part *part, size_t *at)
{
	const char *text = transcript->text.bytes;
	size_t count;
	const struct hearing_word *words = heard_transcript_words(transcript, &count);
	struct cue cue = {words[*at].byte_start, words[*at].byte_end, words[*at].sample_start,
			  words[*at].sample_end};

	while (++*at < part->word_end) {
		const struct hearing_word *next = &words[*at];
		size_t shown = utf8_count(text + cue.byte_start, cue.byte_end - cue.byte_start);
		size_t more = utf8_count(text + cue.byte_start, next->byte_end - cue.byte_start);

		if (more > CHARACTERS_MAX || next->sample_end > cue.from + SAMPLES_MAX ||
		    (shown >= SENTENCE_MIN && subtitles_ends_sentence(text, cue.byte_end)))
			break;
		cue.byte_end = next->byte_end;
		cue.to = next->sample_end;
	}
	/* What follows the last word, such as a full stop, belongs to it. */
	if (*at == part->word_end)
		cue.byte_end = part->byte_end;
	return cue;
}

static int subtitles_write_time(struct buf *out, uint64_t sample, char point)
{
	uint64_t ms = sample * 1000 / HEARING_RATE;

	return buf_printf(out, "%02u:%02u:%02u%c%03u", (unsigned)(ms / 3600000),
			  (unsigned)(ms / 60000 % 60), (unsigned)(ms / 1000 % 60), point,
			  (unsigned)(ms % 1000));
}

static int subtitles_write_text(struct buf *out, const char *text, size_t len, bool has_markup)
{
	int err = 0;

	if (!has_markup)
		return buf_append(out, text, len);
	for (size_t i = 0; !err && i < len; ++i) {
		if (text[i] == '&')
			err = buf_append_str(out, "&amp;");
		else if (text[i] == '<')
			err = buf_append_str(out, "&lt;");
		else if (text[i] == '>') /* so that no text contains the arrow between times */
			err = buf_append_str(out, "&gt;");
		else
			err = buf_append(out, &text[i], 1);
	}
	return err;
}

static int subtitles_write_cue(struct buf *out, const struct heard_transcript *transcript,
			       const struct cue *cue, size_t number,
			       const struct subtitle_syntax *syntax)
{
	int err = syntax->has_numbers ? buf_printf(out, "%zu\n", number) : 0;

	if (!err)
		err = subtitles_write_time(out, cue->from, syntax->point);
	if (!err)
		err = buf_append_str(out, " --> ");
	if (!err)
		err = subtitles_write_time(out, cue->to, syntax->point);
	if (!err)
		err = buf_append_str(out, "\n");
	if (!err)
		err = subtitles_write_text(out, transcript->text.bytes + cue->byte_start,
					   cue->byte_end - cue->byte_start, syntax->has_markup);
	return err ? err : buf_append_str(out, "\n\n");
}

static int subtitles_write(struct buf *out, const struct heard_transcript *transcript,
			   const struct subtitle_syntax *syntax)
{
	size_t count;
	const struct heard_part *parts = heard_transcript_parts(transcript, &count);
	size_t number = 0;
	int err = 0;

	for (size_t i = 0; !err && i < count; ++i) {
		const struct heard_part *part = &parts[i];
		size_t word = part->word_start;
		struct cue cue = {part->byte_start, part->byte_end, part->from_sample,
				  part->to_sample};

		/* A model without times has only those of the segment. */
		if (part->word_start == part->word_end)
			err = subtitles_write_cue(out, transcript, &cue, ++number, syntax);
		while (!err && word < part->word_end) {
			cue = subtitles_cut(transcript, part, &word);
			err = subtitles_write_cue(out, transcript, &cue, ++number, syntax);
		}
	}
	return err;
}

static int subtitles_write_srt(struct buf *out, const struct transcript_facts *facts)
{
	static const struct subtitle_syntax srt = {.point = ',', .has_numbers = true};

	return subtitles_write(out, facts->transcript, &srt);
}

static int subtitles_write_vtt(struct buf *out, const struct transcript_facts *facts)
{
	static const struct subtitle_syntax vtt = {.point = '.', .has_markup = true};
	int err = buf_append_str(out, "WEBVTT\n\n");

	return err ? err : subtitles_write(out, facts->transcript, &vtt);
}

const struct transcript_form subtitles_srt = {
	.type = "text/plain; charset=utf-8",
	.write = subtitles_write_srt,
};
const struct transcript_form subtitles_vtt = {
	.type = "text/vtt; charset=utf-8",
	.write = subtitles_write_vtt,
};
