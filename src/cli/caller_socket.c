/*
 * caller_socket.c: the caller of a scripted call (see caller_socket.h).
 */
#include "cli/caller_socket.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "audio/format.h"
#include "audio/g711.h"
#include "base/base64.h"
#include "base/clock.h"
#include "base/mem.h"
#include "cli/caller_event.h"
#include "cli/caller_figures.h"
#include "cli/caller_pace.h"
#include "cli/caller_recording.h"
#include "cli/caller_timeline.h"
#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/refusal.h"
#include "net/ws_client.h"
#include "wire/json_write.h"

/* A server that has accepted the connection begins the conversation at once. */
#define CALLER_SOCKET_METADATA_US (10 * UINT64_C(1000000))
#define CALLER_SOCKET_CLOSE_MS 2000u

/* Without a microphone there is nothing to send at a certain time. */
#define CALLER_SOCKET_TEXT_POLL_MS 20

/* A message that is sent: an argument of a command line, at most, with every byte escaped. */
#define CALLER_SOCKET_MESSAGE_MAX (1024u * 1024u)

/* A message that is received. A minute of audio at 24 kHz is 4 MB; servers send far less at once. */
#define CALLER_SOCKET_EVENT_MAX (4u * 1024u * 1024u)

/* The format that clients assume if the server names none. */
#define CALLER_SOCKET_FORMAT_DEFAULT "pcm_16000"

struct caller_socket {
	const struct caller_socket_options *options;
	struct caller_turns *turns;
	struct caller_sound *sounds;
	struct ws_client *client;
	uint64_t start_us; /* the call's beginning on the monotonic clock */
	bool is_begun; /* the formats are known */
	struct audio_format input, output;
	struct caller_pace pace;
	size_t played; /* samples of the turn's sound that were sent */
	struct caller_timeline mouth, ear; /* what the caller says and hears */
	bool is_sounding; /* the agent is being heard */
	bool has_stopped; /* the end of the turn's speech was reported */
	bool has_audio_id; /* the agent was heard, and this was the id of its audio: */
	int64_t audio_id;
	bool has_error; /* the server has reported an error, or has ended the call with one */
	bool is_closed;
	int recording_fd;
	struct buf out; /* a message to the server */
	struct buf line; /* a line to print */
	struct buf raw; /* a copy of the message that is being parsed */
	struct buf audio; /* the bytes of a frame of the agent's audio */
	struct buf samples; /* its samples, int16_t */
};

static uint64_t caller_socket_now(const struct caller_socket *caller)
{
	return clock_monotonic_us() - caller->start_us;
}

/* What is printed */

static void caller_socket_print_line(struct caller_socket *caller, FILE *file)
{
	fwrite(caller->line.bytes, 1, caller->line.len, file);
	fflush(file);
	caller->line.len = 0;
}

static int caller_socket_note(struct caller_socket *caller, uint64_t at_us, const char *note,
			      const char *name)
{
	struct json_write json;
	char what[64];
	int err;

	if (!caller->options->is_json) {
		snprintf(what, sizeof(what), "%s%s", note, name ? ": " : "");
		err = caller_event_print_note(&caller->line, at_us, what, name ? name : "",
					      name ? strlen(name) : 0);
	} else {
		json_write_open(&json, &caller->line);
		json_write_unsigned(&json, "at_ms", at_us / 1000);
		json_write_text(&json, "note", note);
		if (name)
			json_write_text(&json, "name", name);
		err = json_write_close(&json);
		if (!err)
			err = buf_append_str(&caller->line, "\n");
	}
	caller_socket_print_line(caller, stdout);
	return err;
}

/* Errors are also printed where other commands print theirs. */
static void caller_socket_print_error(struct caller_socket *caller,
				      const struct caller_event *event)
{
	if (caller_event_print_error(&caller->line, event) == 0)
		caller_socket_print_line(caller, stderr);
}

static void caller_socket_print_figures(struct caller_socket *caller)
{
	bool is_json = caller->options->is_json;
	int err = is_json ? caller_figures_print_json(&caller->line, caller->turns,
						      caller_socket_now(caller))
			  : caller_figures_print(&caller->line, caller->turns);

	if (!err)
		caller_socket_print_line(caller, is_json ? stdout : stderr);
}

/* Messages to the server */

static int caller_socket_send(struct caller_socket *caller, struct json_write *json)
{
	int err = json_write_close(json);

	if (!err)
		err = ws_client_send(caller->client, caller->out.bytes, caller->out.len);
	caller->out.len = 0;
	return err;
}

static int caller_socket_send_start(struct caller_socket *caller)
{
	const char *first_message = caller->options->first_message;
	struct json_write json;

	json_write_open(&json, &caller->out);
	json_write_text(&json, "type", "conversation_initiation_client_data");
	json_write_object(&json, "conversation_config_override");
	if (first_message) {
		json_write_object(&json, "agent");
		json_write_text(&json, "first_message", first_message);
		json_write_object_end(&json);
	}
	if (caller->turns->is_text) {
		json_write_object(&json, "conversation");
		json_write_bool(&json, "text_only", true);
		json_write_object_end(&json);
	}
	json_write_object_end(&json);
	json_write_object(&json, "source_info");
	json_write_text(&json, "source", "syrinx");
	json_write_text(&json, "version", SYRINX_VERSION);
	json_write_object_end(&json);
	return caller_socket_send(caller, &json);
}

static int caller_socket_send_text(struct caller_socket *caller, const char *text)
{
	struct json_write json;

	json_write_open(&json, &caller->out);
	json_write_text(&json, "type", "user_message");
	json_write_text(&json, "text", text);
	return caller_socket_send(caller, &json);
}

static int caller_socket_send_pong(struct caller_socket *caller, const struct caller_event *event)
{
	struct json_write json;

	json_write_open(&json, &caller->out);
	json_write_text(&json, "type", "pong");
	if (event->has_id)
		json_write_signed(&json, "event_id", event->id);
	return caller_socket_send(caller, &json);
}

/* There are no functions here, and an agent that gets no result would wait for it. */
static int caller_socket_refuse_tool(struct caller_socket *caller, const struct caller_event *event)
{
	struct json_write json;

	json_write_open(&json, &caller->out);
	json_write_text(&json, "type", "client_tool_result");
	json_write_string(&json, "tool_call_id", event->call.bytes, event->call.len);
	json_write_text(&json, "result", "This caller has no functions.");
	json_write_bool(&json, "is_error", true);
	return caller_socket_send(caller, &json);
}

/* Sends one piece of what the microphone records: of the turn's sound, or silence. */
static int caller_socket_send_piece(struct caller_socket *caller)
{
	int16_t samples[CALLER_PACE_PIECE_MAX] = {0};
	uint8_t bytes[2 * CALLER_PACE_PIECE_MAX];
	char text[2 * 2 * CALLER_PACE_PIECE_MAX];
	const struct caller_sound *sound = &caller->sounds[caller->turns->now];
	uint64_t at_us = caller_pace_time_of(&caller->pace, caller->pace.sent - caller->pace.piece);
	size_t count = caller->pace.piece;
	size_t len = count;
	struct json_write json;
	int err;

	if (caller->turns->state == CALLER_TURNS_SPEAKING) {
		size_t left = sound->count - caller->played;

		memcpy(samples, sound->samples + caller->played,
		       (left < count ? left : count) * sizeof(*samples));
		caller->played += left < count ? left : count;
	}
	err = caller_timeline_add(&at_us, &caller->mouth, at_us, samples, count);
	if (err)
		return err;
	if (caller->input.encoding == AUDIO_MULAW) {
		g711_encode_mulaw(bytes, samples, count);
	} else {
		len = 2 * count;
		for (size_t i = 0; i < count; ++i) {
			bytes[2 * i] = (uint8_t)samples[i];
			bytes[2 * i + 1] = (uint8_t)((uint16_t)samples[i] >> 8);
		}
	}
	len = base64_encode(text, bytes, len);
	json_write_open(&json, &caller->out);
	json_write_string(&json, "user_audio_chunk", text, len);
	return caller_socket_send(caller, &json);
}

/* Turns */

/* The first sample of the sound becomes the next one that is sent. */
static int caller_socket_begin_turn(struct caller_socket *caller)
{
	struct caller_turns *turns = caller->turns;
	const char *name = turns->turns[turns->now].name;
	const struct caller_sound *sound;
	uint64_t now_us = caller_socket_now(caller);
	uint64_t sent = caller->pace.sent;
	int err;

	if (turns->is_text) {
		err = caller_socket_note(caller, now_us, "you type", name);
		caller_turns_speak(turns, now_us);
		if (!err)
			err = caller_socket_send_text(caller, name);
		caller_turns_listen(turns, now_us);
		return err;
	}
	sound = &caller->sounds[turns->now];
	caller->played = 0;
	caller->has_stopped = false;
	caller_turns_speak(
		turns, caller_pace_time_of(&caller->pace, sent + caller_sound_speech_len(sound)));
	return caller_socket_note(caller, caller_pace_time_of(&caller->pace, sent), "you speak",
				  name);
}

/* Reports what has ended by now: the caller's speech, and the agent's. */
static int caller_socket_note_ends(struct caller_socket *caller)
{
	const struct caller_turns *turns = caller->turns;
	uint64_t now_us = caller_socket_now(caller);
	uint64_t stop_us = turns->turns[turns->now].speech_end_us;
	uint64_t sound_us = caller_timeline_end_us(&caller->ear);
	int err = 0;

	if (!caller->has_stopped && now_us >= stop_us) {
		caller->has_stopped = true;
		err = caller_socket_note(caller, stop_us, "you stop", NULL);
	}
	if (!err && caller->is_sounding && now_us >= sound_us) {
		caller->is_sounding = false;
		err = caller_socket_note(caller, sound_us, "sound ends", NULL);
	}
	return err;
}

/* Sends the pieces that are due, and moves on to the next turn when it is time. */
static int caller_socket_move(struct caller_socket *caller)
{
	struct caller_turns *turns = caller->turns;
	int err = turns->is_text ? 0 : caller_socket_note_ends(caller);

	while (!err && !turns->is_text &&
	       caller_pace_take(&caller->pace, caller_socket_now(caller))) {
		err = caller_socket_send_piece(caller);
		if (!err && turns->state == CALLER_TURNS_SPEAKING &&
		    caller->played == caller->sounds[turns->now].count)
			caller_turns_listen(turns, caller_socket_now(caller));
	}
	if (!err && caller_turns_tick(turns, caller_socket_now(caller)))
		err = caller_socket_begin_turn(caller);
	return err;
}

/* Events */

static int caller_socket_find_format(struct audio_format *format,
				     const struct caller_event_text *name)
{
	const char *token = name->len > 0 ? name->bytes : CALLER_SOCKET_FORMAT_DEFAULT;
	size_t len = name->len > 0 ? name->len : strlen(CALLER_SOCKET_FORMAT_DEFAULT);
	int err = audio_format_parse(format, token, len);

	if (!err && (format->encoding == AUDIO_PCM16 || format->encoding == AUDIO_MULAW))
		return 0;
	fprintf(stderr, "syrinx call: the server's audio format is not supported: %.*s\n",
		(int)(len < 100 ? len : 100), token);
	return EPROTO;
}

/* The conversation begins: the microphone is switched on. The recording is created here and not
 * earlier, so that a call that is refused does not overwrite the last one. */
static int caller_socket_begin(struct caller_socket *caller, const struct caller_event *event)
{
	const char *recording = caller->options->recording;
	bool is_kept = recording != NULL;
	uint64_t now_us = caller_socket_now(caller);
	int err = 0;

	if (caller->is_begun)
		return 0;
	err = caller_socket_find_format(&caller->input, &event->input);
	if (!err)
		err = caller_socket_find_format(&caller->output, &event->output);
	if (err)
		return err;
	for (size_t i = 0; !caller->turns->is_text && !err && i < caller->turns->count; ++i)
		err = caller_sound_convert(&caller->sounds[i], caller->input.sample_rate);
	if (!err && recording) {
		caller->recording_fd =
			open(recording, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
		err = caller->recording_fd < 0 ? errno : 0;
		if (err)
			fprintf(stderr, "syrinx call: %s: %s\n", recording, strerror(err));
	}
	caller_timeline_init(&caller->ear, caller->output.sample_rate, is_kept);
	caller_timeline_init(&caller->mouth, caller->input.sample_rate,
			     is_kept && caller->options->is_stereo);
	caller_pace_begin(&caller->pace, now_us, caller->input.sample_rate);
	caller_turns_begin(caller->turns, now_us);
	caller->is_begun = true;
	return err;
}

/* Decodes a frame of audio into caller->samples. */
static int caller_socket_decode(struct caller_socket *caller, const struct caller_event *event)
{
	bool is_mulaw = caller->output.encoding == AUDIO_MULAW;
	const uint8_t *bytes;
	int16_t *samples;
	size_t len, count;
	int err;

	caller->audio.len = 0;
	caller->samples.len = 0;
	err = buf_reserve(&caller->audio, event->audio.len);
	if (!err)
		err = buf_reserve(&caller->samples, 2 * event->audio.len);
	if (err || event->audio.len == 0)
		return err;
	if (base64_decode(caller->audio.bytes, &len, event->audio.bytes, event->audio.len) != 0 ||
	    (!is_mulaw && len % 2 != 0)) {
		fprintf(stderr, "syrinx call: a frame of the agent's audio is damaged\n");
		return EPROTO;
	}
	bytes = (const uint8_t *)caller->audio.bytes;
	samples = (int16_t *)(void *)caller->samples.bytes;
	count = is_mulaw ? len : len / 2;
	if (is_mulaw)
		g711_decode_mulaw(samples, bytes, count);
	for (size_t i = 0; !is_mulaw && i < count; ++i)
		samples[i] = (int16_t)(bytes[2 * i] | bytes[2 * i + 1] << 8);
	caller->samples.len = count * sizeof(*samples);
	return 0;
}

/* An agent that is slow leaves gaps in its answer; the answer begins only once. Its frames have one
 * id, which tells a gap from the beginning of the next answer. */
static int caller_socket_hear(struct caller_socket *caller, const struct caller_event *event,
			      uint64_t now_us)
{
	bool is_idle = !caller->is_sounding;
	bool is_new_id = !event->has_id || !caller->has_audio_id || caller->audio_id != event->id;
	uint64_t start_us = now_us, sound_us = CALLER_TURNS_NEVER;
	const int16_t *samples;
	size_t count, loud;
	int err = caller_socket_decode(caller, event);

	samples = (const int16_t *)(const void *)caller->samples.bytes;
	count = caller->samples.len / sizeof(*samples);
	if (err || count == 0)
		return err;
	err = caller_timeline_add(&start_us, &caller->ear, now_us, samples, count);
	if (err)
		return err;
	if (caller_sound_find_loud(&loud, samples, count))
		sound_us = start_us + loud * UINT64_C(1000000) / caller->output.sample_rate;
	caller->is_sounding = true;
	caller->has_audio_id = event->has_id;
	caller->audio_id = event->id;
	caller_turns_hear(caller->turns, start_us, caller_timeline_end_us(&caller->ear), sound_us,
			  is_idle && is_new_id);
	return is_idle ? caller_socket_note(caller, start_us, "sound begins", NULL) : 0;
}

static void caller_socket_interrupt(struct caller_socket *caller, uint64_t now_us)
{
	caller_timeline_drop(&caller->ear, now_us);
	caller->is_sounding = false;
	caller->has_audio_id = false;
	caller_turns_interrupt(caller->turns);
}

static int caller_socket_act(struct caller_socket *caller, const struct caller_event *event,
			     uint64_t now_us)
{
	switch (event->kind) {
	case CALLER_EVENT_METADATA:
		return caller_socket_begin(caller, event);
	case CALLER_EVENT_PING:
		return caller_socket_send_pong(caller, event);
	case CALLER_EVENT_TOOL:
		return caller_socket_refuse_tool(caller, event);
	case CALLER_EVENT_AUDIO:
		return caller->is_begun ? caller_socket_hear(caller, event, now_us) : 0;
	case CALLER_EVENT_ANSWER:
		if (caller->is_begun)
			caller_turns_read(caller->turns, now_us);
		return 0;
	case CALLER_EVENT_INTERRUPTION:
		if (caller->is_begun)
			caller_socket_interrupt(caller, now_us);
		return 0;
	case CALLER_EVENT_ERROR:
		caller->has_error = true; /* the line about it was printed */
		if (caller->is_begun)
			caller_turns_fail(caller->turns, now_us);
		return 0;
	case CALLER_EVENT_HEARD:
	case CALLER_EVENT_HEARD_SO_FAR:
	case CALLER_EVENT_CORRECTION:
	case CALLER_EVENT_OTHER:
		break;
	}
	return 0;
}

/* Messages that are not JSON are ignored, as other clients do. */
static int caller_socket_take(struct caller_socket *caller, char *message, size_t len)
{
	uint64_t now_us = caller_socket_now(caller);
	struct caller_event event;
	int err = 0;

	caller->raw.len = 0;
	if (caller->is_begun && !caller->turns->is_text)
		err = caller_socket_note_ends(caller); /* before what comes after them */
	if (!err && caller->options->is_json)
		err = buf_append(&caller->raw, message, len);
	if (err || caller_event_parse(&event, message, len) != 0)
		return err;
	if (caller->options->is_json)
		err = caller_event_print_json(&caller->line, &event, now_us, caller->raw.bytes,
					      caller->raw.len);
	else
		err = caller_event_print(&caller->line, &event, now_us);
	caller_socket_print_line(caller, stdout);
	if (!err && event.kind == CALLER_EVENT_ERROR)
		caller_socket_print_error(caller, &event);
	return err ? err : caller_socket_act(caller, &event, now_us);
}

/* Takes what has arrived. The end of the connection is no error of ours. */
static int caller_socket_receive(struct caller_socket *caller)
{
	char *bytes;
	size_t len;
	bool is_binary;
	int err;

	while (!(err = ws_client_recv(caller->client, &bytes, &len, &is_binary, 0))) {
		err = is_binary ? 0 : caller_socket_take(caller, bytes, len);
		if (err)
			return err;
	}
	if (err == ETIMEDOUT)
		return 0;
	caller->is_closed = true;
	if (ws_client_code(caller->client) == 1000)
		return caller_socket_note(caller, caller_socket_now(caller), "the agent hangs up",
					  NULL);
	caller->has_error = true;
	fprintf(stderr, "syrinx call: the server ended the call (%u)\n",
		ws_client_code(caller->client));
	return 0;
}

/* The call */

static int caller_socket_wait(struct caller_socket *caller)
{
	struct pollfd fd = {.fd = ws_client_fd(caller->client), .events = POLLIN};
	uint64_t now_us = caller_socket_now(caller);
	int timeout_ms = CALLER_SOCKET_TEXT_POLL_MS;

	if (caller->is_begun && !caller->turns->is_text) {
		uint64_t due_us = caller_pace_due_us(&caller->pace);

		timeout_ms = due_us > now_us ? (int)((due_us - now_us + 999) / 1000) : 0;
	}
	return poll(&fd, 1, timeout_ms) < 0 && errno != EINTR ? errno : 0;
}

static int caller_socket_talk(struct caller_socket *caller)
{
	int err = caller_socket_send_start(caller);

	while (!err && !caller->is_closed && caller->turns->state != CALLER_TURNS_OVER &&
	       !interrupt_is_pending()) {
		err = caller_socket_wait(caller);
		if (!err && caller->is_begun)
			err = caller_socket_move(caller);
		/* If nothing can be sent any more, the reason is among what has arrived. */
		if (!err || err == EPIPE || err == ECONNRESET || err == ENOTCONN)
			err = caller_socket_receive(caller);
		if (!err && !caller->is_begun &&
		    caller_socket_now(caller) > CALLER_SOCKET_METADATA_US) {
			fprintf(stderr, "syrinx call: the server does not begin the call\n");
			return EPROTO;
		}
	}
	if (err && err != EPROTO)
		fprintf(stderr, "syrinx call: %s\n", strerror(err));
	return err;
}

static int caller_socket_open(struct caller_socket *caller)
{
	const struct caller_socket_options *options = caller->options;
	char header[1100];
	char why[256];
	const char *const headers[] = {header, NULL};
	const struct ws_client_options client = {
		.url = options->url,
		.headers = headers,
		.ca_file = options->ca_file,
		.message_max = CALLER_SOCKET_EVENT_MAX,
	};
	int err;

	snprintf(header, sizeof(header), "Authorization: Bearer %s", options->key);
	err = ws_client_open(&caller->client, &client, why, sizeof(why));
	explicit_bzero(header, sizeof(header));
	caller->start_us = clock_monotonic_us();
	if (err) {
		refusal_shorten(why);
		fprintf(stderr, "syrinx call: %s: %s\n", options->url, why);
	}
	return err;
}

/* The recording of a call that was broken off is complete up to there. */
static int caller_socket_finish(struct caller_socket *caller)
{
	uint64_t now_us = caller_socket_now(caller);
	int err;

	if (!caller->is_begun)
		return 0;
	caller_socket_print_figures(caller);
	if (caller->recording_fd < 0)
		return 0;
	err = caller_timeline_extend(&caller->ear, now_us);
	if (err)
		close(caller->recording_fd);
	else
		err = caller_recording_write(caller->recording_fd, &caller->ear,
					     caller->options->is_stereo ? &caller->mouth : NULL);
	if (err)
		fprintf(stderr, "syrinx call: %s: %s\n", caller->options->recording, strerror(err));
	else if (caller->ear.is_cut || caller->mouth.is_cut)
		fprintf(stderr, "syrinx call: %s: only the first part of the call was recorded\n",
			caller->options->recording);
	return err;
}

static void caller_socket_destroy(void *object)
{
	struct caller_socket *caller = object;

	mem_deref(caller->client);
	caller_timeline_reset(&caller->mouth);
	caller_timeline_reset(&caller->ear);
	buf_reset(&caller->out);
	buf_reset(&caller->line);
	buf_reset(&caller->raw);
	buf_reset(&caller->audio);
	buf_reset(&caller->samples);
}

int caller_socket_run(const struct caller_socket_options *options, struct caller_turns *turns,
		      struct caller_sound *sounds)
{
	struct caller_socket *caller = mem_zalloc(sizeof(*caller), caller_socket_destroy);
	int status = COMMAND_OK;
	int err;

	if (!caller)
		return COMMAND_FAILED;
	*caller = (struct caller_socket){
		.options = options, .turns = turns, .sounds = sounds, .recording_fd = -1};
	buf_init(&caller->out, CALLER_SOCKET_MESSAGE_MAX);
	buf_init(&caller->line, 2 * CALLER_SOCKET_EVENT_MAX);
	buf_init(&caller->raw, CALLER_SOCKET_EVENT_MAX);
	buf_init(&caller->audio, CALLER_SOCKET_EVENT_MAX);
	buf_init(&caller->samples, 2 * CALLER_SOCKET_EVENT_MAX);
	caller->has_stopped = true; /* nothing was said yet */
	interrupt_watch();
	if (caller_socket_open(caller) != 0) {
		mem_deref(caller);
		return CALLER_SOCKET_REFUSED;
	}
	err = caller_socket_talk(caller);
	if (err)
		status = err == EPROTO ? CALLER_SOCKET_SERVER_ERROR : COMMAND_FAILED;
	if (!caller->is_closed)
		ws_client_close(caller->client, 1000, CALLER_SOCKET_CLOSE_MS);
	if (caller_socket_finish(caller) != 0 && status == COMMAND_OK)
		status = COMMAND_FAILED;
	if (status == COMMAND_OK && caller->has_error)
		status = CALLER_SOCKET_SERVER_ERROR;
	if (status == COMMAND_OK && caller_turns_answered(turns) == 0) {
		fprintf(stderr, "syrinx call: the agent did not answer\n");
		status = CALLER_SOCKET_NO_ANSWER;
	}
	mem_deref(caller);
	interrupt_raise_again();
	return status;
}
