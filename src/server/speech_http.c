/*
 * speech_http.c: speech as the answer to an HTTP request.
 *
 * This connects net to session for APIs with one text per request (speech_http.h).  The status is
 * sent with the first audio, so that errors before it have a status of their own.  A later error is
 * reported in the body if the answer's form can do that, and otherwise cuts the answer off.  Runs on
 * the loop's thread.
 */
#include "server/speech_http.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "server/server_private.h"
#include "session/denial.h"
#include "session/tts_call.h"
#include "wire/raw_dialect.h"

/* Longer than any id, handle or format name. */
#define NAME_SIZE 128

/* The length of the silence that is the answer to a text with nothing to speak.  Two frames of
 * every codec fit into it (MP3 and AAC need up to 48 ms for one, and players skip the first), so
 * that every player finds something to play; and it is too short to be noticed between two
 * sentences. */
#define SILENCE_MS 100

/* Enough for ten thousand characters with the times of each, which some forms send twice, and the
 * audio of one frame. */
#define PIECE_MAX (2u * 1024u * 1024u)

struct speech_http {
	struct link link;
	struct route_call call; /* with references to its request and its caller */
	int64_t project_id;
	const struct speech_api *api;
	const struct speech_form *form; /* NULL: the bare audio */
	void *form_state;
	struct speech_body body; /* its strings point into the request */
	struct audio_format format;
	struct peer peer;
	struct tts_call *tts; /* NULL: it has not begun, or has ended */
	bool has_begun; /* the status was sent */
	bool is_gone; /* the client has disconnected */
};

static void speech_http_speech_destroy(void *object)
{
	struct speech_http *speech = object;
	struct server *server = speech->call.server;

	/* Removes its queued output, which must happen before the request is released. */
	mem_deref(speech->tts);
	http_on_gone(speech->call.request, NULL, NULL);
	http_on_sent(speech->call.request, NULL, NULL);
	http_on_full(speech->call.request, NULL, NULL);
	mem_deref(speech->call.request);
	settings_reset(&speech->body.settings);
	mem_deref(speech->form_state);
	mem_deref(speech->call.caller);
	list_remove(&server->speeches, &speech->link);
	drain_check(server);
}

/* Sends the status and the headers that describe the audio. */
static int speech_http_begin_answer(struct speech_http *speech)
{
	struct http_request *request = speech->call.request;
	enum audio_encoding encoding = speech->format.encoding;
	const char *type = speech->form ? speech->form->type : speech->api->type;
	char rate[16];
	char characters[16];

	snprintf(rate, sizeof(rate), "%u", speech->format.sample_rate);
	snprintf(characters, sizeof(characters), "%zu",
		 utf8_count(speech->body.text, speech->body.text_len));
	http_reply_header(request, "X-Sample-Rate", rate);
	http_reply_header(request, "X-Audio-Format", audio_format_encoding(encoding));
	answer_mark_speech(&speech->call);
	if (speech->api->cost_header)
		http_reply_header(request, speech->api->cost_header, characters);
	answer_head(&speech->call);
	answer_rate(request, speech->call.caller);
	if (speech->form && speech->form->is_live)
		http_reply_header(request, "Cache-Control", "no-cache");
	if (http_reply_begin(request, 200, type ? type : audio_format_content_type(encoding)) != 0)
		return ECONNRESET;
	speech->has_begun = true;
	return 0;
}

/* Sends the contents of a buffer that peer_begin has prepared. */
static void speech_http_send_piece(struct speech_http *speech, struct buf *bytes, uint64_t tag,
				   uint32_t samples)
{
	struct outgoing *piece;

	if (bytes->len == 0 || (!speech->has_begun && speech_http_begin_answer(speech) != 0)) {
		buf_reset(bytes);
		return;
	}
	piece = outgoing_take(bytes);
	piece->tag = tag;
	piece->weight = samples;
	http_reply_piece(speech->call.request, piece);
}

static void speech_http_peer_begin(void *arg, struct buf *message)
{
	(void)arg;
	outgoing_init_buf(message, PIECE_MAX);
}

static void speech_http_peer_send(void *arg, struct buf *message, uint64_t tag, uint32_t samples)
{
	struct speech_http *speech = arg;
	struct buf piece;
	int err;

	if (!speech->form) {
		speech_http_send_piece(speech, message, tag, samples);
		return;
	}
	speech_http_peer_begin(speech, &piece);
	err = speech->form->take(speech->form_state, &piece, message->bytes, message->len, samples);
	buf_reset(message);
	if (!err) {
		speech_http_send_piece(speech, &piece, tag, samples);
		return;
	}
	buf_reset(&piece);
	if (speech->has_begun)
		http_abort(speech->call.request); /* an incomplete answer must not look complete */
}

static uint64_t speech_http_peer_drop(void *arg, uint64_t tag)
{
	struct speech_http *speech = arg;

	return http_drop(speech->call.request, tag);
}

static bool speech_http_peer_notify_when_sent(void *arg, uint64_t tag)
{
	struct speech_http *speech = arg;

	return http_notify_when_sent(speech->call.request, tag);
}

static const struct peer_ops speech_http_peer_ops = {
	.begin = speech_http_peer_begin,
	.send = speech_http_peer_send,
	.drop = speech_http_peer_drop,
	.notify_when_sent = speech_http_peer_notify_when_sent,
};

/* After the status has been sent, only some forms can report an error. */
static void speech_http_break_off(struct speech_http *speech, const struct stream_fault *fault)
{
	const struct wire_notice notice = {
		.id = fault->id, .detail = fault->detail, .request_id = speech->call.request_id};
	struct buf piece;

	session_note_error(&notice);
	speech_http_peer_begin(speech, &piece);
	if (speech->form && speech->form->error && speech->form->error(&piece, &notice) == 0) {
		speech_http_send_piece(speech, &piece, 0, 0);
		http_reply_end(speech->call.request);
	} else {
		buf_reset(&piece);
		http_abort(speech->call.request);
	}
}

static void speech_http_fail(struct speech_http *speech, const struct stream_fault *fault)
{
	if (speech->has_begun) {
		speech_http_break_off(speech, fault);
	} else {
		answer_rate(speech->call.request, speech->call.caller);
		answer_fault(&speech->call, fault);
	}
	mem_deref(speech);
}

static void speech_http_on_failed(void *arg, const struct stream_fault *fault, bool has_begun)
{
	/* speech->has_begun counts instead: an encoder may still hold all of the audio. */
	(void)has_begun;
	speech_http_fail(arg, fault);
}

static void speech_http_on_done(void *arg, const struct reply_usage *usage)
{
	struct speech_http *speech = arg;
	struct buf piece;
	int err = 0;

	speech_http_peer_begin(speech, &piece);
	if (speech->form)
		err = speech->form->end(speech->form_state, &piece, usage->characters,
					usage->audio_seconds);
	if (!err)
		speech_http_send_piece(speech, &piece, 0, 0);
	else
		buf_reset(&piece);
	if (!err && !speech->has_begun) /* the text contained nothing to speak */
		err = speech_http_begin_answer(speech);
	if (speech->has_begun && err)
		http_abort(speech->call.request);
	else if (speech->has_begun)
		http_reply_end(speech->call.request);
	mem_deref(speech);
}

static const struct tts_call_ops speech_http_call_ops = {.failed = speech_http_on_failed,
							 .done = speech_http_on_done};

static void speech_http_on_sent(void *arg, uint64_t tag)
{
	struct speech_http *speech = arg;

	tts_call_sent(speech->tts, tag);
}

static void speech_http_on_full(void *arg, bool is_full)
{
	struct speech_http *speech = arg;

	speech->peer.is_full = is_full;
	if (is_full)
		tts_call_filled(speech->tts);
	else
		tts_call_drained(speech->tts);
}

static void speech_http_on_gone(void *arg)
{
	struct speech_http *speech = arg;

	speech->is_gone = true;
	if (speech->tts) /* otherwise speech_http_on_dictionaries will release it */
		mem_deref(speech);
}

static void speech_http_begin_speech(struct speech_http *speech)
{
	struct tts_call_request request = {
		.services = &speech->call.server->services,
		.peer = &speech->peer,
		.dialect = speech->form ? speech->form->dialect : &dialect_raw,
		.request_id = speech->call.request_id,
		.caller = speech->call.caller,
		.settings = &speech->body.settings,
		.text = speech->body.text,
		.text_len = speech->body.text_len,
		.silence_ms = SILENCE_MS,
	};

	if (tts_call_alloc(&speech->tts, &request, &speech_http_call_ops, speech) != 0) {
		answer_error(&speech->call, WIRE_ERROR_INTERNAL, NULL);
		mem_deref(speech);
		return;
	}
	http_on_sent(speech->call.request, speech_http_on_sent, speech);
	speech->peer.is_full = http_is_full(speech->call.request);
	http_on_full(speech->call.request, speech_http_on_full, speech);
	tts_call_begin(speech->tts);
}

static void speech_http_on_dictionaries(int err, void *arg)
{
	struct speech_http *speech = arg;

	if (!err && !speech->is_gone) {
		speech_http_begin_speech(speech);
		return;
	}
	if (!speech->is_gone)
		answer_error(&speech->call, WIRE_ERROR_NO_DICTIONARIES, NULL);
	mem_deref(speech);
}

/* As with sockets, only the first request of a project waits for its dictionaries. */
static void speech_http_begin_when_ready(struct speech_http *speech)
{
	struct dictionary_cache *dictionaries = speech->call.server->dictionaries;

	http_on_gone(speech->call.request, speech_http_on_gone, speech);
	if (dictionary_cache_has(dictionaries, speech->project_id)) {
		speech_http_begin_speech(speech);
	} else if (dictionary_cache_refresh(dictionaries, speech->project_id,
					    speech_http_on_dictionaries, speech) != 0) {
		answer_error(&speech->call, WIRE_ERROR_INTERNAL, NULL);
		mem_deref(speech);
	}
}

static bool speech_http_accepts_wav(const struct http_request *request)
{
	const char *accept = http_header(request, "accept");

	return accept && (strcasestr(accept, "audio/wav") || strcasestr(accept, "audio/x-wav"));
}

static int speech_http_read_format_query(struct speech_http *speech, struct stream_fault *fault)
{
	struct settings *settings = &speech->body.settings;
	char token[NAME_SIZE];
	int err = http_query(speech->call.request, speech->api->format_query, token, NAME_SIZE);

	if (err == ENOENT)
		return 0;
	if (err || audio_format_parse(&settings->format, token, strlen(token)) != 0)
		return fault_set(fault, WIRE_ERROR_INVALID_REQUEST,
				 "output_format must be a known one, mp3_44100_128 for example");
	settings->set |= SETTING_OUTPUT_FORMAT;
	return 0;
}

/* Determines the format from the body, the URL, the headers and the API. */
static int speech_http_choose_format(struct speech_http *speech, struct stream_fault *fault)
{
	struct settings *settings = &speech->body.settings;
	const char *default_name = speech->api->format;
	bool wants_wav = speech->body.wants_wav;

	if (speech->api->format_query && speech_http_read_format_query(speech, fault) != 0)
		return EINVAL;
	if (speech->api->reads_accept && !(settings->set & SETTING_OUTPUT_FORMAT))
		wants_wav = wants_wav || speech_http_accepts_wav(speech->call.request);
	if (default_name && !(settings->set & SETTING_OUTPUT_FORMAT))
		(void)audio_format_parse(&speech->format, default_name, strlen(default_name));
	else
		/* There is no conflict, because the body has been checked. */
		(void)settings_format(&speech->format, settings);
	if (wants_wav && speech->format.encoding == AUDIO_PCM16)
		speech->format.encoding = AUDIO_WAV;
	settings->format = speech->format;
	settings->set &= ~(unsigned)SETTING_SAMPLE_RATE;
	settings->set |= SETTING_OUTPUT_FORMAT;
	return 0;
}

/* Finds the name of the voice, wherever the API has it; `name` is the storage for one from the
 * query. */
static void speech_http_find_name(struct speech_http *speech, char name[NAME_SIZE])
{
	const struct http_request *request = speech->call.request;
	const char *text = NULL;

	if (speech->api->voice_place == SPEECH_VOICE_IN_PATH) {
		speech->body.voice = speech->call.id_texts[0];
		speech->body.voice_len = strcspn(speech->body.voice, "/");
	} else if (speech->api->voice_place == SPEECH_VOICE_IN_QUERY) {
		text = http_header(request, "x-voice-id");
		if (http_query(request, "voice_id", name, NAME_SIZE) == 0)
			text = name;
	}
	if (text) {
		speech->body.voice = text;
		speech->body.voice_len = strlen(text);
	}
}

static const struct voice *speech_http_find_voice(const struct speech_http *speech)
{
	const struct voices *voices = speech->call.server->services.voices;
	const struct speech_body *body = &speech->body;
	const struct voice *voice = NULL;

	for (const int64_t *id = body->voice_choices; id && *id && !voice; ++id)
		voice = voices_find_for(voices, speech->project_id, *id);
	if (!voice && body->voice && speech->api->find_voice)
		voice = speech->api->find_voice(speech->call.server->config, voices,
						speech->project_id, body->voice, body->voice_len);
	else if (!voice && body->voice)
		voice = voices_find_named(voices, speech->project_id, body->voice, body->voice_len);
	else if (!voice && (body->settings.set & SETTING_VOICE_ID))
		voice = voices_find_for(voices, speech->project_id, body->settings.voice_id);
	return voice;
}

static int speech_http_refuse_voice(const struct speech_http *speech, struct stream_fault *fault)
{
	const struct speech_body *body = &speech->body;
	const char *key = speech->api->voice_key;
	bool is_missing = !body->voice && !(body->settings.set & SETTING_VOICE_ID);

	if (is_missing)
		fault_set(fault, WIRE_ERROR_MISSING_VOICE, "%s", "");
	else if (body->voice)
		fault_set(fault, services_unknown_voice(&speech->call.server->services), "%s %.*s",
			  key ? key : "voice_id", body->voice_len < 64 ? (int)body->voice_len : 64,
			  body->voice);
	else
		fault_set(fault, services_unknown_voice(&speech->call.server->services),
			  "voice_id %lld", (long long)body->settings.voice_id);
	return fault_of(fault, key ? key : "voice_id");
}

static int speech_http_choose_voice(struct speech_http *speech, struct stream_fault *fault)
{
	char name[NAME_SIZE];
	const struct voice *voice;

	speech_http_find_name(speech, name);
	voice = speech_http_find_voice(speech);
	if (!voice)
		return speech_http_refuse_voice(speech, fault);
	speech->body.settings.voice_id = voice->id;
	speech->body.settings.set |= SETTING_VOICE_ID;
	speech->body.voice = NULL;
	return 0;
}

static int speech_http_read_request(struct speech_http *speech, struct stream_fault *fault)
{
	struct http_request *request = speech->call.request;
	int err = speech->api->read(&speech->body, fault, request->body, request->body_len);

	if (!err)
		err = speech_http_choose_voice(speech, fault);
	if (!err)
		err = speech_http_choose_format(speech, fault);
	if (err)
		return err;
	speech->form = speech->body.form ? speech->body.form : speech->api->form;
	if (speech->form && speech->form->has_times) {
		speech->body.settings.word_timestamps = true;
		speech->body.settings.set |= SETTING_WORD_TIMESTAMPS;
	}
	if (speech->form && speech->form->alloc &&
	    speech->form->alloc(&speech->form_state, &speech->format) != 0)
		return fault_set(fault, WIRE_ERROR_INTERNAL, "%s", "");
	return 0;
}

static int speech_http_speech_alloc(struct speech_http **speechp, const struct route_call *call)
{
	struct speech_http *speech = mem_zalloc(sizeof(*speech), NULL);

	if (!speech)
		return ENOMEM;
	speech->call = *call;
	mem_ref(call->caller);
	speech->project_id = call->key->project_id;
	speech->api = call->route->speech;
	speech->peer = (struct peer){.ops = &speech_http_peer_ops, .peer = speech};
	mem_ref(call->request);
	list_append(&call->server->speeches, &speech->link);
	mem_set_destructor(speech, speech_http_speech_destroy);
	*speechp = speech;
	return 0;
}

void speech_http_speak(const struct route_call *call)
{
	struct speech_http *speech;
	struct stream_fault fault;

	if (speech_http_speech_alloc(&speech, call) != 0) {
		answer_error(call, WIRE_ERROR_INTERNAL, NULL);
	} else if (speech_http_read_request(speech, &fault) != 0) {
		answer_fault(call, &fault);
		mem_deref(speech);
	} else {
		speech_http_begin_when_ready(speech);
	}
}

/* The audio that has been sent is booked.  Answers that have begun stay incomplete. */
void speech_http_abort_invalid(struct server *server)
{
	static const struct denied ended = {.why = DENIAL_KEY, .limit = -1};
	struct link *next = list_first(&server->speeches);
	struct stream_fault fault;

	denial_describe(&fault, &ended);
	while (next) {
		struct speech_http *speech = LIST_OBJECT(next, struct speech_http, link);

		next = list_next(&server->speeches, next);
		if (!speech->tts || caller_may_speak(speech->call.caller))
			continue;
		speech->tts =
			mem_deref(speech->tts); /* removes queued output, and books the rest */
		speech_http_fail(speech, &fault);
	}
}
