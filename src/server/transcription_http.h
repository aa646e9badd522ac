/*
 * transcription_http.h: transcripts of recordings that are sent in a form.
 *
 * The differences between vendors' APIs are data, which a route refers to (see door.h and
 * session/transcript_form.h).
 */
#ifndef SERVER_TRANSCRIPTION_HTTP_H
#define SERVER_TRANSCRIPTION_HTTP_H

#include "server/door.h"
#include "session/transcript_form.h"

/* The longest body: a file of DECODING_FILE_MAX bytes, its fields, and what a form adds to them. */
#define TRANSCRIPTION_HTTP_BODY_MAX ((26u << 20) + UPLOAD_FORM_FIELDS_MAX)

/* The longest recording, which 25 MB of the lowest bit rates exceed: so long that nobody waits for the
 * answer, and short enough that one request does not occupy an engine for hours. */
#define TRANSCRIPTION_HTTP_AUDIO_S (4u * 3600u)

/* The handler of routes with a transcription_api, which have the flag AUTH_STREAMED. */
route_h transcription_http_hear;

#endif
