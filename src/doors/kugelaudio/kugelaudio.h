/*
 * kugelaudio.h: what the files of KugelAudio's API share.
 *
 *   kugelaudio_door.c     the routes
 *   kugelaudio_sockets.c  the three WebSockets
 *   generate_body.c       the body of POST /v1/tts/generate
 *   kugelaudio_models.c   the models that clients may name; model_rest.c lists some of them
 *   voice_rest.c          the list of voices
 */
#ifndef DOORS_KUGELAUDIO_KUGELAUDIO_H
#define DOORS_KUGELAUDIO_KUGELAUDIO_H

#include "server/door.h"
#include "session/socket_api.h"
#include "wire/speech_body.h"

extern const struct door kugelaudio_door;

/* The WebSockets /ws/tts, /ws/tts/stream and /ws/tts/multi. */
extern const struct socket_api kugelaudio_sockets_once;
extern const struct socket_api kugelaudio_sockets_stream;
extern const struct socket_api kugelaudio_sockets_multi;

/* The body of POST /v1/tts/generate: the settings of the sockets except those that only streams
 * have, with any token of audio/format.h as output_format.  Unknown keys are refused. */
#define GENERATE_BODY_TEXT_MAX 10000 /* code points */
extern const struct speech_keys generate_body_keys;
speech_body_h generate_body_read;

/* The models that lists show; the last element has no id. */
struct kugelaudio_model {
	const char *id, *name, *description;
};
extern const struct kugelaudio_model kugelaudio_model_table[];

/* The handlers of GET /v1/models, /v1/voices and /v1/voices/{id}. */
route_h model_rest_list;
route_h voice_rest_list, voice_rest_get;

#endif
