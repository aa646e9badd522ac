/*
 * scribe.h: what the files of ElevenLabs' speech-to-text API share.
 *
 *   scribe_socket.c   the WebSocket /v1/speech-to-text/realtime: the parameters of its URL, the parser of
 *                     its clients' messages
 *   scribe_dialect.c  the messages that it sends
 *   scribe_body.c     POST /v1/speech-to-text: the form and the answer
 *   scribe_words.c    words and spaces with their times
 *   scribe_model.c    names of models and languages
 *
 * On the WebSocket, the client sends
 *
 *	{"message_type":"input_audio_chunk","audio_base_64":"…","commit":false,"sample_rate":16000}
 *
 * and receives session_started, partial_transcript, committed_transcript and, with include_timestamps
 * or include_language_detection, committed_transcript_with_timestamps.
 */
#ifndef DOORS_ELEVENLABS_SCRIBE_H
#define DOORS_ELEVENLABS_SCRIBE_H

#include "session/listen_api.h"
#include "session/transcript_form.h"
#include "wire/dialect.h"
#include "wire/json_write.h"

/* Limits of the parameters, as in ElevenLabs' clients. */
#define SCRIBE_SILENCE_MIN_S 0.3
#define SCRIBE_SILENCE_MAX_S 3.0
#define SCRIBE_THRESHOLD_MIN 0.1
#define SCRIBE_THRESHOLD_MAX 0.9
#define SCRIBE_DURATION_MIN_MS 50
#define SCRIBE_DURATION_MAX_MS 2000

extern const struct listen_api scribe_socket;

/* scribe_socket.c, for tests. */
void scribe_socket_init(struct listen_settings *settings);
extern const struct listen_field scribe_socket_fields[];
listen_parse_h scribe_socket_parse;

/* scribe_dialect.c */
extern const struct listen_dialect scribe_dialect;
extern const struct dialect scribe_dialect_errors; /* has only `error` */

/* scribe_body.c */
transcript_read_h scribe_body_read;

/* scribe_words.c: writes the list of a segment's words, and of the spaces between them. */
void scribe_words_write(struct json_write *json, const struct heard_segment *segment);

/* scribe_model.c */
/* Copies the name of a model in our catalogue; "" if it is one of ElevenLabs' names, for which the server
 * chooses. */
void scribe_model_name(char name[LISTEN_MODEL_SIZE], const char *asked);
/* Copies a code of two letters for one of three (ISO 639-3), and any other code as it is. */
void scribe_model_language(char language[LISTEN_LANGUAGE_SIZE], const char *code);
/* The reverse: "eng" for "en". */
void scribe_model_code(char code[LISTEN_LANGUAGE_SIZE], const char *language);

#endif
