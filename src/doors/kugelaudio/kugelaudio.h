/*
 * kugelaudio.h: what the files of KugelAudio's door share.
 */
#ifndef DOORS_KUGELAUDIO_KUGELAUDIO_H
#define DOORS_KUGELAUDIO_KUGELAUDIO_H

#include "server/door.h"
#include "session/socket_api.h"
#include "wire/speech_body.h"

extern const struct door kugelaudio_door;

/* /ws/tts, /ws/tts/stream and /ws/tts/multi as sessions. */
extern const struct socket_api kugelaudio_sockets_once;
extern const struct socket_api kugelaudio_sockets_stream;
extern const struct socket_api kugelaudio_sockets_multi;

/* The body of POST /v1/tts/generate: the settings of the sockets but for those that only streams
 * have, and any token of audio/format.h as output_format.  Unknown keys are refused. */
#define GENERATE_BODY_TEXT_MAX 10000 /* code points */
extern const struct speech_keys generate_body_keys;
speech_body_h generate_body_read;

#endif
