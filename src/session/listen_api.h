/*
 * listen_api.h: a WebSocket endpoint that listens, as data: its settings, the messages of its clients
 * and its replies.
 *
 * The differences between vendors are a parser, a table of parameters and a dialect (src/doors); the
 * session is the same for all (listen_stream.h).
 */
#ifndef SESSION_LISTEN_API_H
#define SESSION_LISTEN_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "hearing/segmenter.h"
#include "session/heard_queue.h"
#include "wire/fault.h"

#define LISTEN_MODEL_SIZE 64
#define LISTEN_LANGUAGE_SIZE 16
#define LISTEN_PROMPT_SIZE 2048 /* longer prompts and lists of names are cut off */

/* The audio of a client. */
enum listen_encoding { LISTEN_PCM16, LISTEN_MULAW };
struct listen_format {
	enum listen_encoding encoding;
	unsigned sample_rate;
};

/* What a client sets in the URL. */
struct listen_settings {
	char model[LISTEN_MODEL_SIZE]; /* in the catalogue; "": one that knows the language */
	char asked_model[LISTEN_MODEL_SIZE]; /* as the client has named it */
	char language[LISTEN_LANGUAGE_SIZE]; /* "": the model's own, or detected */
	char prompt[LISTEN_PROMPT_SIZE]; /* names to expect */
	struct listen_format format;
	bool has_format; /* the URL says which it is */
	bool is_manual; /* segments end when the client commits them */
	bool want_times, want_language, want_activity;
	/* The segmenter's options, except for piece_max, and the same as the client has set them. */
	struct segmenter_options segments;
	double silence_s, threshold;
	unsigned speech_ms, pause_ms;
};

/* A parameter of the URL.  One that occurs several times is applied several times. */
struct listen_field {
	const char *name;
	int (*set)(struct listen_settings *settings, struct stream_fault *fault, const char *value);
};

/* A client's message, in the buffer that was parsed. */
struct listen_message {
	const char *audio; /* base64 */
	size_t audio_len;
	bool commit;
	unsigned sample_rate; /* 0: not given */
	const char *prompt; /* what was said before; NULL: none */
	size_t prompt_len;
};
typedef int(listen_parse_h)(struct listen_message *message, struct stream_fault *fault, char *json,
			    size_t len);

/* Each function appends one complete message. */
struct listen_dialect {
	int (*started)(struct buf *out, const char *session_id,
		       const struct listen_settings *settings);
	int (*partial)(struct buf *out, const char *text, size_t len);
	int (*segment)(struct buf *out, const struct heard_segment *segment,
		       const struct listen_settings *settings);
	/* The same with times and the language, in addition to `segment`. */
	int (*segment_times)(struct buf *out, const struct heard_segment *segment,
			     const struct listen_settings *settings);
	int (*activity)(struct buf *out, bool is_speech, double at_s);
};

struct listen_api {
	void (*init)(struct listen_settings *settings); /* what applies without parameters */
	const struct listen_field *fields; /* terminated by a field without a name */
	listen_parse_h *parse;
	const struct listen_dialect *dialect;
};

#endif
