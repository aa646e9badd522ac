/*
 * transcript_body.c: the form of POST /v1/audio/transcriptions (see transcripts.h).
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/count.h"
#include "doors/openai/transcripts.h"

/* Names of the vendors' own models: the server chooses one that knows the language.  A name that ends
 * with '*' stands for all that begin with it. */
static const char *const theirs[] = {"whisper-1", "gpt-*", "luchs-*"};

static bool transcript_body_is_theirs(const char *model)
{
	for (size_t i = 0; i < COUNT(theirs); ++i) {
		size_t len = strcspn(theirs[i], "*");

		if (strncmp(theirs[i], model, len) == 0 &&
		    (theirs[i][len] == '*' || model[len] == '\0'))
			return true;
	}
	return false;
}

static int transcript_body_read_text(char *text, size_t size, struct stream_fault *fault,
				     const struct upload_form *fields, const char *name)
{
	const char *value = upload_form_field(fields, name, 0);

	if (value && strlen(value) >= size) {
		fault_set(fault, WIRE_ERROR_INVALID_REQUEST, "%s must have at most %zu bytes", name,
			  size - 1);
		return fault_of(fault, name);
	}
	snprintf(text, size, "%s", value ? value : "");
	return 0;
}

static int transcript_body_read_format(struct transcript_wish *wish, struct stream_fault *fault,
				       const struct upload_form *fields)
{
	static const struct {
		const char *name;
		const struct transcript_form *form;
	} forms[] = {
		{"json", &transcript_json},      {"verbose_json", &transcript_json_verbose},
		{"text", &transcript_json_text}, {"srt", &subtitles_srt},
		{"vtt", &subtitles_vtt},
	};
	const char *name = upload_form_field(fields, "response_format", 0);

	wish->form = &transcript_json;
	if (!name || !name[0])
		return 0;
	for (size_t i = 0; i < COUNT(forms); ++i) {
		if (strcmp(forms[i].name, name) == 0) {
			wish->form = forms[i].form;
			return 0;
		}
	}
	fault_set(fault, WIRE_ERROR_INVALID_REQUEST,
		  "response_format must be json, text, srt, vtt or verbose_json (got \"%.20s\")",
		  name);
	return fault_of(fault, "response_format");
}

/* OpenAI's libraries write the name of a list with brackets. */
static const char *transcript_body_granularity(const struct upload_form *fields, unsigned nth)
{
	const char *value = upload_form_field(fields, "timestamp_granularities[]", nth);

	return value ? value : upload_form_field(fields, "timestamp_granularities", nth);
}

static int transcript_body_read_parts(struct transcript_wish *wish, struct stream_fault *fault,
				      const struct upload_form *fields)
{
	const char *value;

	for (unsigned i = 0; (value = transcript_body_granularity(fields, i)); ++i) {
		if (strcmp(value, "word") == 0) {
			wish->parts |= TRANSCRIPTS_WORDS;
		} else if (strcmp(value, "segment") == 0) {
			wish->parts |= TRANSCRIPTS_SEGMENTS;
		} else {
			fault_set(fault, WIRE_ERROR_INVALID_REQUEST,
				  "timestamp_granularities must be word or segment (got \"%.20s\")",
				  value);
			return fault_of(fault, "timestamp_granularities");
		}
	}
	if (!wish->parts)
		wish->parts = TRANSCRIPTS_SEGMENTS;
	return 0;
}

static int transcript_body_read_stream(struct transcript_wish *wish, struct stream_fault *fault,
				       const struct upload_form *fields)
{
	const char *value = upload_form_field(fields, "stream", 0);

	if (!value || !value[0] || strcasecmp(value, "false") == 0 || strcmp(value, "0") == 0)
		return 0;
	if (strcasecmp(value, "true") != 0 && strcmp(value, "1") != 0) {
		fault_set(fault, WIRE_ERROR_INVALID_REQUEST, "stream must be true or false");
		return fault_of(fault, "stream");
	}
	wish->form = &transcript_events;
	return 0;
}

int transcript_body_read(struct transcript_wish *wish, struct stream_fault *fault,
			 const struct upload_form *fields)
{
	int err;

	*wish = (struct transcript_wish){.format = ""};
	err = transcript_body_read_text(wish->model, sizeof(wish->model), fault, fields, "model");
	if (!err)
		err = transcript_body_read_text(wish->language, sizeof(wish->language), fault,
						fields, "language");
	if (!err)
		err = transcript_body_read_text(wish->prompt, sizeof(wish->prompt), fault, fields,
						"prompt");
	if (!err)
		err = transcript_body_read_format(wish, fault, fields);
	if (!err)
		err = transcript_body_read_parts(wish, fault, fields);
	if (!err)
		err = transcript_body_read_stream(wish, fault, fields);
	if (err)
		return err;
	if (transcript_body_is_theirs(wish->model))
		wish->model[0] = '\0';
	/* Subtitles are cut between words. */
	wish->want_times =
		wish->form == &subtitles_srt || wish->form == &subtitles_vtt ||
		(wish->form == &transcript_json_verbose && wish->parts & TRANSCRIPTS_WORDS);
	return 0;
}

int transcript_body_read_timed(struct transcript_wish *wish, struct stream_fault *fault,
			       const struct upload_form *fields)
{
	int err = transcript_body_read(wish, fault, fields);

	if (!err)
		wish->want_times = true;
	return err;
}
