/*
 * transcript_form.h: transcripts of recordings over HTTP, as data: what a request asks for, and how its
 * answer is written.
 *
 * The differences between vendors' APIs are functions of src/doors; server/transcription_http.c does the
 * rest.
 */
#ifndef SESSION_TRANSCRIPT_FORM_H
#define SESSION_TRANSCRIPT_FORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "session/heard_transcript.h"
#include "session/listen_api.h"
#include "wire/error.h"
#include "wire/upload_form.h"

/* What is known at the end. */
struct transcript_facts {
	const struct heard_transcript *transcript;
	const char *id; /* of the row in the ledger; "": there is none */
	const char *model; /* the one that listened */
	double duration_s; /* of the recording */
	double processing_ms;
	unsigned parts; /* of the wish */
};

/* How an answer is written. */
struct transcript_form {
	const char *type; /* its Content-Type */
	bool is_live; /* segments are sent when they are known */
	/* Only for live forms: appends a segment, and an error after the status was sent. */
	int (*segment)(struct buf *out, const struct heard_segment *segment, bool is_first);
	int (*error)(struct buf *out, const struct wire_notice *notice);
	/* Appends the whole answer; of a live form, its end. */
	int (*write)(struct buf *out, const struct transcript_facts *facts);
};

/* What a request asks for. */
struct transcript_wish {
	char model[LISTEN_MODEL_SIZE]; /* in the catalogue; "": one that knows the language */
	char language[LISTEN_LANGUAGE_SIZE]; /* "": the model's own, or detected */
	char prompt[LISTEN_PROMPT_SIZE];
	const char *format; /* the encoding of raw audio; "": recognized from the bytes */
	bool want_times; /* of words */
	const struct transcript_form *form;
	unsigned parts; /* which parts the answer has; the form knows what they mean */
};

/* Reads the fields of a form that have arrived.  EINVAL with the fault. */
typedef int(transcript_read_h)(struct transcript_wish *wish, struct stream_fault *fault,
			       const struct upload_form *fields);

struct transcription_api {
	const char *file_name; /* the name of the field that contains the recording */
	transcript_read_h *read;
};

#endif
