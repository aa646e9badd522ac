/*
 * scribe_body.c: the form of POST /v1/speech-to-text, and its answer (see scribe.h).
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/count.h"
#include "doors/elevenlabs/scribe.h"

/* transcript_wish.parts */
#define PART_WORDS 1u

static int scribe_body_write(struct buf *out, const struct transcript_facts *facts)
{
	const struct heard_transcript *transcript = facts->transcript;
	struct heard_segment all = {.text = transcript->text.bytes ? transcript->text.bytes : "",
				    .text_len = transcript->text.len};
	char code[LISTEN_LANGUAGE_SIZE];
	struct json_write json;

	all.words = heard_transcript_words(transcript, &all.word_count);
	scribe_model_code(code, transcript->language);
	json_write_open(&json, out);
	json_write_text(&json, "language_code", code);
	json_write_double(&json, "language_probability", (double)transcript->language_probability,
			  4);
	json_write_string(&json, "text", all.text, all.text_len);
	if (!(facts->parts & PART_WORDS))
		all.word_count = 0;
	scribe_words_write(&json, &all);
	if (facts->id[0])
		json_write_text(&json, "transcription_id", facts->id);
	json_write_double(&json, "audio_duration_secs", facts->duration_s, 3);
	return json_write_close(&json);
}

static const struct transcript_form scribe_body_form = {
	.type = "application/json",
	.write = scribe_body_write,
};

/* What ElevenLabs can do and this server cannot.  An answer without it would look complete. */
static int scribe_body_refuse_others(struct stream_fault *fault, const struct upload_form *fields)
{
	static const char *const others[] = {"webhook", "use_multi_channel"};
	static const char *const urls[] = {"cloud_storage_url", "source_url"};

	for (size_t i = 0; i < COUNT(others); ++i) {
		const char *value = upload_form_field(fields, others[i], 0);

		if (value && strcasecmp(value, "true") == 0)
			return fault_set(fault, WIRE_ERROR_INVALID_REQUEST,
					 "%s is not supported by this server", others[i]);
	}
	for (size_t i = 0; i < COUNT(urls); ++i) {
		if (upload_form_field(fields, urls[i], 0))
			return fault_set(fault, WIRE_ERROR_INVALID_REQUEST,
					 "%s: this server downloads nothing; send the file",
					 urls[i]);
	}
	return 0;
}

static void scribe_body_read_terms(struct transcript_wish *wish, const struct upload_form *fields)
{
	const char *term;

	for (unsigned i = 0; (term = upload_form_field(fields, "keyterms", i)); ++i) {
		size_t len = strlen(wish->prompt);

		if (len + strlen(term) + 3 <= sizeof(wish->prompt))
			snprintf(wish->prompt + len, sizeof(wish->prompt) - len, "%s%s",
				 len ? ", " : "", term);
	}
}

int scribe_body_read(struct transcript_wish *wish, struct stream_fault *fault,
		     const struct upload_form *fields)
{
	const char *model = upload_form_field(fields, "model_id", 0);
	const char *language = upload_form_field(fields, "language_code", 0);
	const char *times = upload_form_field(fields, "timestamps_granularity", 0);
	const char *format = upload_form_field(fields, "file_format", 0);

	*wish = (struct transcript_wish){.format = "", .form = &scribe_body_form};
	if (model && strlen(model) >= sizeof(wish->model))
		return fault_set(fault, WIRE_ERROR_MODEL_NOT_FOUND, "%.60s", model);
	if (language && strlen(language) >= sizeof(wish->language))
		return fault_set(fault, WIRE_ERROR_INVALID_REQUEST,
				 "language_code must be the code of a language (got \"%.40s\")",
				 language);
	if (times && strcmp(times, "none") != 0 && strcmp(times, "word") != 0 &&
	    strcmp(times, "character") != 0)
		return fault_set(fault, WIRE_ERROR_INVALID_REQUEST,
				 "timestamps_granularity must be none, word or character (got "
				 "\"%.20s\")",
				 times);
	if (format && strcmp(format, "other") != 0 && strcmp(format, "pcm_s16le_16") != 0)
		return fault_set(fault, WIRE_ERROR_INVALID_REQUEST,
				 "file_format must be pcm_s16le_16 or other (got \"%.20s\")",
				 format);
	scribe_model_name(wish->model, model ? model : "");
	scribe_model_language(wish->language, language ? language : "");
	scribe_body_read_terms(wish, fields);
	wish->want_times = !times || strcmp(times, "none") != 0;
	wish->parts = wish->want_times ? PART_WORDS : 0;
	if (format && strcmp(format, "pcm_s16le_16") == 0)
		wish->format = "pcm_16000";
	return scribe_body_refuse_others(fault, fields);
}
