/*
 * elevenlabs.h: what the files of ElevenLabs' API share.
 *
 *   elevenlabs_door.c       the routes
 *   elevenlabs_sockets.c    the WebSockets.  Of the two that speak, elevenlabs_message.c parses,
 *                           elevenlabs_dialect.c answers, elevenlabs_address.c reads the URL; the one
 *                           that listens is described in scribe.h, the one that converses in convai.h
 *   elevenlabs_body.c       the body of HTTP requests for speech, timestamp_body.c their answers
 *   elevenlabs_errors.c     errors of HTTP answers
 *   elevenlabs_voice_ids.c  finds voices by the ids that clients use
 *   elevenlabs_voice.c, voice_search.c, voice_settings.c, elevenlabs_models.c, user_rest.c,
 *   pronunciation_rest.c, single_use_token_rest.c  the other routes
 *   elevenlabs_engine.c     tokens of speech engines
 *   engine_rest.c, engine_list.c  speech engines as resources; engine_json.c writes them,
 *                           engine_settings.c reads their configuration, engine_lookup.c finds one
 *   conversation_rest.c     how a browser may begin a conversation; conversation_url.c signs URLs
 */
#ifndef DOORS_ELEVENLABS_ELEVENLABS_H
#define DOORS_ELEVENLABS_ELEVENLABS_H

#include "account/engine_token.h"
#include "server/door.h"
#include "session/socket_api.h"
#include "wire/address_settings.h"
#include "wire/rest_body.h"
#include "wire/speech_form.h"
#include "wire/voice_json.h"

/* The code with which a connection closes after an error; error messages contain it as well. */
#define ELEVENLABS_CLOSE_ERROR 1008

extern const struct door elevenlabs_door;

/* Errors of HTTP answers:
 * {"detail":{"status":"voice_not_found","message":"…","request_id":"…"}} */
extern const struct error_shape elevenlabs_errors;

/* The rules for the tokens with which speech engines authenticate. */
extern const struct engine_token_rules elevenlabs_engine_tokens;

/* The WebSockets stream-input and multi-stream-input.  The limit applies to contexts that take
 * text; contexts that are closing are not counted. */
#define ELEVENLABS_SOCKETS_CONTEXTS_MAX 5
extern const struct socket_api elevenlabs_sockets_stream;
extern const struct socket_api elevenlabs_sockets_multi;
/* The WebSocket that transcribes speech. */
extern const struct socket_api elevenlabs_sockets_scribe;

/* The messages that these WebSockets send.  Audio is sent at once; the times of a chunk's
 * characters follow the chunk's last audio in a separate message, whose audio is empty.  Times are
 * relative to the start of the chunk, or to the start of the context if sync_alignment is set
 * (docs/decisions/alignment.md).  With contexts, isFinal marks the end of a context. */
extern const struct dialect elevenlabs_dialect;
extern const struct dialect elevenlabs_dialect_multi;

/* The settings in the URL of these WebSockets.  The last element of the table has no name. */
#define ELEVENLABS_ADDRESS_IDLE_MS 20000 /* the default of inactivity_timeout */
#define ELEVENLABS_ADDRESS_IDLE_MIN_S 1
#define ELEVENLABS_ADDRESS_IDLE_MAX_S 180
void elevenlabs_address_init(struct address_settings *address);
extern const struct address_field elevenlabs_address_fields[];

/* HTTP answers with the times of characters: one object, or one object per line. */
extern const struct speech_form timestamp_body_object;
extern const struct speech_form timestamp_body_lines;

/* Write the members of a voice, and of its settings: except for the speed, these are ElevenLabs'
 * defaults.  The category is "premade" or "generated". */
void elevenlabs_voice_write(struct json_write *json, const struct voice_json *voice);
void elevenlabs_voice_write_settings(struct json_write *json, double speed);
const char *elevenlabs_voice_category(const struct voice_json *voice);

/* The body of a request that changes the settings of a voice, for voice_change_as: `speed` sets
 * the rate, other keys are ignored. */
extern const struct rest_form voice_settings_table;

/* The handlers of the routes, by file. */
route_h elevenlabs_models_list;
route_h elevenlabs_voice_list, elevenlabs_voice_get;
route_h pronunciation_rest_list, pronunciation_rest_get, pronunciation_rest_download,
	pronunciation_rest_add, pronunciation_rest_add_file, pronunciation_rest_change,
	pronunciation_rest_add_rules, pronunciation_rest_set_rules, pronunciation_rest_remove_rules;
route_h engine_list_get, engine_rest_get, engine_rest_add, engine_rest_change, engine_rest_remove,
	engine_rest_duplicate;
route_h conversation_rest_sign, conversation_rest_token;
route_h single_use_token_rest_add;
route_h user_rest_get, user_rest_subscription, user_rest_history, user_rest_usage;
route_h voice_search_list;
route_h voice_settings_default, voice_settings_get, voice_settings_change;

#endif
