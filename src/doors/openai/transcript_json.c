/*
 * transcript_json.c: transcripts as JSON and as plain text (see transcripts.h).
 */
#include <math.h>
#include <string.h>

#include "doors/openai/transcripts.h"
#include "wire/json_write.h"

#define TIME_DECIMALS 3
#define PROBABILITY_DECIMALS 4
#define LOGPROB_MIN (-20.0) /* JSON has no infinity */

static double transcript_json_seconds(uint64_t sample)
{
	return (double)sample / HEARING_RATE;
}

static void transcript_json_write_text(struct json_write *json, const char *key,
				       const struct heard_transcript *transcript)
{
	json_write_string(json, key, transcript->text.bytes, transcript->text.len);
}

static void transcript_json_write_usage(struct json_write *json, double duration_s)
{
	json_write_object(json, "usage");
	json_write_text(json, "type", "duration");
	json_write_double(json, "seconds", duration_s, TIME_DECIMALS);
	json_write_object_end(json);
}

/* The members of KugelAudio's answer, except for `language`. */
static void transcript_json_write_native(struct json_write *json,
					 const struct transcript_facts *facts)
{
	const struct heard_transcript *transcript = facts->transcript;
	size_t count;
	const struct hearing_word *words = heard_transcript_words(transcript, &count);

	transcript_json_write_text(json, "transcript", transcript);
	json_write_double(json, "duration_s", facts->duration_s, TIME_DECIMALS);
	json_write_list(json, "word_timestamps");
	for (size_t i = 0; i < count; ++i) {
		json_write_object(json, NULL);
		json_write_string(json, "word", transcript->text.bytes + words[i].byte_start,
				  words[i].byte_end - words[i].byte_start);
		json_write_double(json, "start_s", transcript_json_seconds(words[i].sample_start),
				  TIME_DECIMALS);
		json_write_double(json, "end_s", transcript_json_seconds(words[i].sample_end),
				  TIME_DECIMALS);
		json_write_double(json, "confidence", (double)words[i].probability,
				  PROBABILITY_DECIMALS);
		json_write_object_end(json);
	}
	json_write_list_end(json);
	json_write_text(json, "model", facts->model);
	json_write_double(json, "processing_ms", facts->processing_ms, 1);
}

static int transcript_json_write(struct buf *out, const struct transcript_facts *facts)
{
	struct json_write json;

	json_write_open(&json, out);
	transcript_json_write_text(&json, "text", facts->transcript);
	json_write_text(&json, "language",
			facts->transcript->language[0] ? facts->transcript->language : NULL);
	transcript_json_write_native(&json, facts);
	transcript_json_write_usage(&json, facts->duration_s);
	return json_write_close(&json);
}

static void transcript_json_write_words(struct json_write *json,
					const struct heard_transcript *transcript)
{
	size_t count;
	const struct hearing_word *words = heard_transcript_words(transcript, &count);

	json_write_list(json, "words");
	for (size_t i = 0; i < count; ++i) {
		json_write_object(json, NULL);
		json_write_string(json, "word", transcript->text.bytes + words[i].byte_start,
				  words[i].byte_end - words[i].byte_start);
		json_write_double(json, "start", transcript_json_seconds(words[i].sample_start),
				  TIME_DECIMALS);
		json_write_double(json, "end", transcript_json_seconds(words[i].sample_end),
				  TIME_DECIMALS);
		json_write_object_end(json);
	}
	json_write_list_end(json);
}

/* The mean of the words' logarithms; 0 if the words are not known. */
static double transcript_json_logprob(const struct heard_transcript *transcript,
				      const struct heard_part *part)
{
	size_t count;
	const struct hearing_word *words = heard_transcript_words(transcript, &count);
	double sum = 0;

	for (size_t i = part->word_start; i < part->word_end; ++i)
		sum += words[i].probability > 0
			       ? fmax(log((double)words[i].probability), LOGPROB_MIN)
			       : LOGPROB_MIN;
	return part->word_end > part->word_start ? sum / (double)(part->word_end - part->word_start)
						 : 0;
}

/* Clients require all of these members.  Tokens, temperatures and compression ratios are Whisper's own
 * affair, and are not measured here. */
static void transcript_json_write_segments(struct json_write *json,
					   const struct heard_transcript *transcript)
{
	size_t count;
	const struct heard_part *parts = heard_transcript_parts(transcript, &count);

	json_write_list(json, "segments");
	for (size_t i = 0; i < count; ++i) {
		double start = heard_transcript_start_s(transcript, &parts[i]);

		json_write_object(json, NULL);
		json_write_unsigned(json, "id", i);
		json_write_unsigned(json, "seek", (uint64_t)(start * 100));
		json_write_double(json, "start", start, TIME_DECIMALS);
		json_write_double(json, "end", heard_transcript_end_s(transcript, &parts[i]),
				  TIME_DECIMALS);
		json_write_string(json, "text", transcript->text.bytes + parts[i].byte_start,
				  parts[i].byte_end - parts[i].byte_start);
		json_write_list(json, "tokens");
		json_write_list_end(json);
		json_write_unsigned(json, "temperature", 0);
		json_write_double(json, "avg_logprob",
				  transcript_json_logprob(transcript, &parts[i]),
				  PROBABILITY_DECIMALS);
		json_write_unsigned(json, "compression_ratio", 1);
		json_write_unsigned(json, "no_speech_prob", 0);
		json_write_object_end(json);
	}
	json_write_list_end(json);
}

static int transcript_json_write_verbose(struct buf *out, const struct transcript_facts *facts)
{
	const struct heard_transcript *transcript = facts->transcript;
	struct json_write json;

	json_write_open(&json, out);
	json_write_text(&json, "task", "transcribe");
	json_write_text(&json, "language", language_names_find(transcript->language));
	json_write_double(&json, "duration", facts->duration_s, TIME_DECIMALS);
	transcript_json_write_text(&json, "text", transcript);
	if (facts->parts & TRANSCRIPTS_WORDS)
		transcript_json_write_words(&json, transcript);
	if (facts->parts & TRANSCRIPTS_SEGMENTS)
		transcript_json_write_segments(&json, transcript);
	transcript_json_write_native(&json, facts);
	transcript_json_write_usage(&json, facts->duration_s);
	return json_write_close(&json);
}

static int transcript_json_write_plain(struct buf *out, const struct transcript_facts *facts)
{
	int err = buf_append(out, facts->transcript->text.bytes, facts->transcript->text.len);

	return err ? err : buf_append_str(out, "\n");
}

const struct transcript_form transcript_json = {
	.type = "application/json",
	.write = transcript_json_write,
};
const struct transcript_form transcript_json_verbose = {
	.type = "application/json",
	.write = transcript_json_write_verbose,
};
const struct transcript_form transcript_json_text = {
	.type = "text/plain; charset=utf-8",
	.write = transcript_json_write_plain,
};
