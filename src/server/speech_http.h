/*
 * speech_http.h: speech as the answer to an HTTP request.
 *
 * What vendors' APIs differ in is data; a route names it (see door.h).
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
	door_voice_h *find_voice; /* by a name; NULL: by number or handle */
	const char *voice_key; /* as its clients call it; NULL: voice_id */
	const struct speech_form *form; /* NULL: audio as it is */
	const char *type; /* of audio as it is; NULL: the format's */
	const char *format; /* a token; NULL: PCM at the body's sample_rate */
	const char *format_query; /* the parameter that names another; NULL: none */
	const char *cost_header; /* has the number of characters; NULL: none */
	bool minds_accept; /* Accept: audio/wav asks for a file */
};

/* For routes with a speech_api. */
route_h speech_http_speak;

#endif
