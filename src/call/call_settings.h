/*
 * call_settings.h: how an agent behaves in a call: its voice, its patience, its limits.
 *
 * A vendor's API reads them from a resource (src/doors), and a client may override some of them.
 */
#ifndef CALL_CALL_SETTINGS_H
#define CALL_CALL_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "audio/format.h"
#include "call/call_variables.h"
#include "call/turn_end.h"
#include "session/listen_api.h"

#define CALL_SETTINGS_URL_SIZE 2049
#define CALL_SETTINGS_HEADERS_SIZE 8192
#define CALL_SETTINGS_FIRST_SIZE 4096 /* of a first message */
#define CALL_SETTINGS_TERMS_SIZE 4096
#define CALL_SETTINGS_KEYWORDS_SIZE 2048
#define CALL_SETTINGS_AGENT_SIZE 64
#define CALL_SETTINGS_VOICE_SIZE 64

/* Limits of values, which parsers enforce. */
#define CALL_DURATION_MAX_S (3 * 3600)
#define CALL_CASCADE_MIN_MS 2000
#define CALL_CASCADE_MAX_MS 15000

/* The messages that a client wants, by default all that clients know. */
enum call_wants {
	CALL_WANTS_AUDIO = 1 << 0,
	CALL_WANTS_TRANSCRIPT = 1 << 1, /* what the user has said */
	CALL_WANTS_TENTATIVE = 1 << 2, /* the same before it is certain */
	CALL_WANTS_RESPONSE = 1 << 3, /* what the agent says */
	CALL_WANTS_CORRECTION = 1 << 4, /* what the user has heard of it */
	CALL_WANTS_INTERRUPTION = 1 << 5,
	CALL_WANTS_PARTS = 1 << 6, /* the agent's words as they are written */
	CALL_WANTS_ACTIVITY = 1 << 7, /* the probability of speech, many times a second */
	CALL_WANTS_PING = 1 << 8,
};

struct call_settings {
	/* Who answers: a developer's server, or an agent of the configuration. */
	char url[CALL_SETTINGS_URL_SIZE]; /* "": the agent */
	char headers[CALL_SETTINGS_HEADERS_SIZE]; /* "Name: value", each with its CR LF */
	char agent[CALL_SETTINGS_AGENT_SIZE];
	uint32_t cascade_timeout_ms; /* how long its first words may take */

	int64_t voice_id;
	/* The voice that the client has named; "": none.  A parser does not know which voices exist,
	 * and a name can be a number, a handle or a vendor's id: whoever starts the call finds the
	 * voice among those of the client's project and sets voice_id, or refuses the call with
	 * VOICE_NOT_FOUND. */
	char voice_name[CALL_SETTINGS_VOICE_SIZE];
	double speed;
	char language[LISTEN_LANGUAGE_SIZE]; /* a code; "": any */
	struct listen_format input;
	struct audio_format output;
	/* Names that callers may say, separated by ", ". */
	char keywords[CALL_SETTINGS_KEYWORDS_SIZE];

	struct turn_end_settings turn_end;
	bool is_speculative; /* the agent is asked before it is certain that the user has finished */
	/* Terms that do not interrupt the agent, in the format of barge_in_words. */
	char ignored_terms[CALL_SETTINGS_TERMS_SIZE];
	bool adds_default_terms;
	bool is_interruptible;

	/* What the client has named; parsers insert them in the first message, and whoever answers in
	 * the headers above. */
	struct call_variables variables;
	char first_message[CALL_SETTINGS_FIRST_SIZE]; /* "": the user speaks first */
	bool allows_first_message; /* clients may set their own */
	bool is_text_only;
	unsigned wants; /* of enum call_wants */
	unsigned duration_max_s;
	int32_t silence_end_s; /* the call ends after this much silence; -1: it does not */
};

/* What applies unless it is set: a server must still give it a voice and somebody who answers. */
extern const struct call_settings call_settings_default;

#endif
