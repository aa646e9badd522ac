/*
 * speech_http.h: speech as the answer to an HTTP request.
 *
 * The differences between vendors' APIs are data, which a route refers to (see door.h).
 */
#ifndef SERVER_SPEECH_HTTP_H
#define SERVER_SPEECH_HTTP_H

#include "server/config.h"
#include "server/door.h"
#include "speech/voice.h"
#include "wire/speech_body.h"

enum speech_voice_place { SPEECH_VOICE_IN_BODY, SPEECH_VOICE_IN_PATH, SPEECH_VOICE_IN_QUERY };

struct speech_api {
	speech_body_h *read;
	enum speech_voice_place voice_place;
	/* Finds a voice by the API's own name; NULL: by number or handle. */
	door_voice_h *find_voice;
	const char *voice_key; /* the parameter's name in this API; NULL: voice_id */
	const struct speech_form *form; /* NULL: the bare audio */
	const char *type; /* the Content-Type of bare audio; NULL: that of the format */
	/* The name of the default format; NULL: PCM at the body's sample_rate. */
	const char *format;
	const char *format_query; /* the parameter that selects another format; NULL: none */
	const char *cost_header; /* the header with the number of characters; NULL: none */
	bool reads_accept; /* "Accept: audio/wav" selects a WAV file */
};

/* The handler of routes with a speech_api. */
route_h speech_http_speak;

#endif
