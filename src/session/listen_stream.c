/*
 * listen_stream.c: the kind of session that listens (see listen_stream.h).
 */
#include "session/listen_stream.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/mem.h"
#include "session/audio_intake.h"
#include "session/model_choice.h"
#include "session/transcription.h"

struct listen_stream {
	struct session session;
	struct listen_settings settings;
	struct audio_intake *intake; /* NULL before the first audio */
	struct transcription *transcription; /* NULL before the first audio, and at the end */
	struct buf held; /* samples that the transcription has not taken */
	uint64_t received; /* samples, including those that are held */
	uint64_t commits[LISTEN_STREAM_COMMITS_MAX]; /* positions in what was received */
	size_t commit_count;
	struct timer idle_timer;
	bool is_open; /* the URL is valid, and the client was told so */
	bool is_paused;
};

static struct listen_stream *listen_stream_of(struct session *session)
{
	return SESSION_OBJECT(session, struct listen_stream, &listen_stream_ops);
}

static const struct listen_dialect *listen_stream_dialect(const struct listen_stream *stream)
{
	return stream->session.api->listen->dialect;
}

/* The end */

static void listen_stream_close(struct listen_stream *stream, uint16_t code)
{
	struct session *session = &stream->session;

	if (session->closed)
		return;
	session->closed = true;
	timer_clear(session->services->timers, &stream->idle_timer);
	stream->transcription = transcription_close(stream->transcription);
	/* The client's answer to the close must be read. */
	if (stream->is_paused && session->peer->ops->pause)
		session->peer->ops->pause(session->peer->peer, false);
	session_close(session, code);
}

static void listen_stream_fail(struct listen_stream *stream, const struct stream_fault *fault)
{
	if (stream->session.closed)
		return;
	session_send_fault(&stream->session, NULL, fault);
	listen_stream_close(stream, stream->session.api->error_code);
}

static void listen_stream_fail_because(struct listen_stream *stream, enum wire_error_id id,
				       const char *detail)
{
	struct stream_fault fault;

	fault_set(&fault, id, "%s", detail);
	listen_stream_fail(stream, &fault);
}

static void listen_stream_on_idle(void *arg)
{
	listen_stream_fail_because(arg, WIRE_ERROR_INPUT_TIMEOUT, "");
}

static void listen_stream_stay(struct listen_stream *stream)
{
	timer_set(stream->session.services->timers, &stream->idle_timer,
		  LISTEN_STREAM_IDLE_S * UINT64_C(1000000), listen_stream_on_idle, stream);
}

/* Audio */

static void listen_stream_pause(struct listen_stream *stream, bool is_paused)
{
	const struct peer *peer = stream->session.peer;

	if (stream->is_paused == is_paused || stream->session.closed)
		return;
	stream->is_paused = is_paused;
	if (peer->ops->pause)
		peer->ops->pause(peer->peer, is_paused);
}

/* Commits if the next commit is where the transcription is.  ENOENT if it is not; EAGAIN if it has to
 * wait for permission.  A commit that cannot be taken is reported to the client, and has no effect. */
static int listen_stream_commit_next(struct listen_stream *stream, uint64_t sent)
{
	int err;

	if (stream->commit_count == 0 || stream->commits[0] != sent)
		return ENOENT;
	err = transcription_commit(stream->transcription);
	if (err == EAGAIN)
		return err;
	if (err)
		session_send_error(&stream->session, NULL, WIRE_ERROR_TOO_MANY_COMMITS, NULL);
	memmove(stream->commits, stream->commits + 1,
		--stream->commit_count * sizeof(stream->commits[0]));
	return 0;
}

/* Gives held audio to the transcription, as much as it takes.  It may end in the middle of this. */
static void listen_stream_pump(struct listen_stream *stream)
{
	const struct session *session = &stream->session;

	mem_ref(stream);
	while (stream->transcription && !session->peer->is_full) {
		uint64_t sent = transcription_samples(stream->transcription);
		size_t room = transcription_room(stream->transcription);
		size_t count = stream->held.len / sizeof(int16_t);
		int err = listen_stream_commit_next(stream, sent);

		if (err == EAGAIN)
			break;
		if (!err)
			continue;
		if (stream->commit_count > 0 && stream->commits[0] - sent < count)
			count = (size_t)(stream->commits[0] - sent);
		count = count < room ? count : room;
		if (count == 0)
			break;
		transcription_send(stream->transcription,
				   (const int16_t *)(const void *)stream->held.bytes, count);
		buf_consume(&stream->held, count * sizeof(int16_t));
	}
	if (stream->transcription && session->close_code && stream->held.len == 0)
		transcription_finish(stream->transcription);
	listen_stream_pause(stream, stream->held.len > 0 || session->peer->is_full);
	mem_deref(stream);
}

/* What was said */

static void listen_stream_on_partial(void *arg, const char *text, size_t len)
{
	struct listen_stream *stream = arg;
	struct buf message;

	session_send(&stream->session, &message,
		     listen_stream_dialect(stream)->partial(
			     session_begin(&stream->session, &message), text, len));
}

static void listen_stream_on_segment(void *arg, const struct heard_segment *segment)
{
	struct listen_stream *stream = arg;
	const struct listen_dialect *dialect = listen_stream_dialect(stream);
	struct session *session = &stream->session;
	struct buf message;

	session_send(
		session, &message,
		dialect->segment(session_begin(session, &message), segment, &stream->settings));
	if (stream->settings.want_times || stream->settings.want_language)
		session_send(session, &message,
			     dialect->segment_times(session_begin(session, &message), segment,
						    &stream->settings));
}

static void listen_stream_on_speech(void *arg, bool begins, uint64_t sample)
{
	struct listen_stream *stream = arg;
	struct buf message;

	if (stream->settings.want_activity)
		session_send(&stream->session, &message,
			     listen_stream_dialect(stream)->activity(
				     session_begin(&stream->session, &message), begins,
				     (double)sample / HEARING_RATE));
}

static void listen_stream_on_room(void *arg)
{
	listen_stream_pump(arg);
}

static void listen_stream_on_failed(void *arg, const struct stream_fault *fault)
{
	listen_stream_fail(arg, fault);
}

/* It was finished because the connection is to be closed. */
static void listen_stream_on_done(void *arg, const struct transcription_usage *usage)
{
	struct listen_stream *stream = arg;

	(void)usage;
	listen_stream_close(stream, stream->session.close_code);
}

static const struct transcription_ops listen_stream_transcription_ops = {
	.partial = listen_stream_on_partial,
	.segment = listen_stream_on_segment,
	.speech = listen_stream_on_speech,
	.room = listen_stream_on_room,
	.failed = listen_stream_on_failed,
	.done = listen_stream_on_done,
};

/* The beginning */

static void listen_stream_on_open(struct session *session, const struct session_opening *opening)
{
	struct listen_stream *stream = listen_stream_of(session);
	const struct hearing_model *model;
	struct stream_fault fault;
	struct buf message;

	stream->settings = *opening->listening;
	if (opening->fault) {
		listen_stream_fail(stream, opening->fault);
		return;
	}
	if (model_choice_find(&model, session->services, stream->settings.model,
			      stream->settings.language, &fault) != 0) {
		listen_stream_fail(stream, &fault);
		return;
	}
	stream->is_open = true;
	listen_stream_stay(stream);
	session_send(session, &message,
		     listen_stream_dialect(stream)->started(session_begin(session, &message),
							    session->request_id,
							    &stream->settings));
}

/* Starts to listen.  `prompt` is what was said before the first audio. */
static int listen_stream_begin(struct listen_stream *stream, const char *prompt, size_t prompt_len,
			       struct stream_fault *fault)
{
	const struct listen_settings *settings = &stream->settings;
	struct transcription_request request = {
		.services = stream->session.services,
		.caller = stream->session.caller,
		.language = settings->language,
		.want_times = settings->want_times,
		.want_partials = true,
		.is_live = true,
		.commits = settings->is_manual ? TRANSCRIPTION_MANUAL : TRANSCRIPTION_AT_PAUSES,
		.segments = settings->segments,
		.seconds_max = LISTEN_STREAM_AUDIO_S,
	};
	char all[2 * LISTEN_PROMPT_SIZE];
	int err = model_choice_find(&request.model, request.services, settings->model,
				    settings->language, fault);

	if (err)
		return err;
	request.segments.piece_max = request.model->piece_max;
	err = transcription_alloc(&stream->transcription, &request,
				  &listen_stream_transcription_ops, stream);
	if (err)
		return fault_set(fault, WIRE_ERROR_INTERNAL, "%s", "");
	if (prompt_len >= LISTEN_PROMPT_SIZE)
		prompt_len = LISTEN_PROMPT_SIZE - 1;
	snprintf(all, sizeof(all), "%s%s%.*s", settings->prompt,
		 settings->prompt[0] && prompt_len ? " " : "", (int)prompt_len,
		 prompt ? prompt : "");
	transcription_begin(stream->transcription, all);
	return 0;
}

/* Messages */

/* The rate may be in the URL, in each message, or in both; it never changes. */
static int listen_stream_check_format(struct listen_stream *stream,
				      const struct listen_message *message,
				      struct stream_fault *fault)
{
	struct listen_format *format = &stream->settings.format;

	if (message->sample_rate == 0 || message->sample_rate == format->sample_rate)
		return 0;
	if (stream->settings.has_format || stream->intake || format->encoding != LISTEN_PCM16)
		return fault_set(fault, WIRE_ERROR_BAD_MESSAGE,
				 "sample_rate must be %u as in the beginning (got %u)",
				 format->sample_rate, message->sample_rate);
	if (message->sample_rate < 8000 || message->sample_rate > 48000)
		return fault_set(fault, WIRE_ERROR_BAD_MESSAGE,
				 "sample_rate must be between 8000 and 48000 (got %u)",
				 message->sample_rate);
	format->sample_rate = message->sample_rate;
	return 0;
}

static int listen_stream_hold(struct listen_stream *stream, const uint8_t *bytes, size_t len,
			      struct stream_fault *fault)
{
	const struct listen_format *format = &stream->settings.format;
	size_t bytes_per_s = format->sample_rate * (format->encoding == LISTEN_PCM16 ? 2u : 1u);
	size_t count;
	int err = 0;

	if (len > LISTEN_STREAM_MESSAGE_S * bytes_per_s)
		return fault_set(fault, WIRE_ERROR_MESSAGE_TOO_LONG, "at most %u s of audio",
				 LISTEN_STREAM_MESSAGE_S);
	if (!stream->intake)
		err = audio_intake_alloc(&stream->intake, format);
	if (!err)
		err = buf_reserve(&stream->held,
				  audio_intake_room(stream->intake, len) * sizeof(int16_t));
	if (!err)
		err = audio_intake_write(stream->intake,
					 (int16_t *)(void *)(stream->held.bytes + stream->held.len),
					 &count, bytes, len);
	if (err)
		return fault_set(fault, WIRE_ERROR_INTERNAL, "%s", "");
	stream->held.len += count * sizeof(int16_t);
	stream->received += count;
	return 0;
}

static int listen_stream_take_audio(struct listen_stream *stream,
				    const struct listen_message *message,
				    struct stream_fault *fault)
{
	uint8_t *bytes;
	size_t len;
	int err;

	if (message->audio_len == 0)
		return 0;
	bytes = malloc(base64_decoded_max(message->audio_len) + 1);
	if (!bytes)
		return fault_set(fault, WIRE_ERROR_INTERNAL, "%s", "");
	err = base64_decode(bytes, &len, message->audio, message->audio_len);
	if (err)
		fault_set(fault, WIRE_ERROR_BAD_MESSAGE, "the audio is not base64");
	else
		err = listen_stream_hold(stream, bytes, len, fault);
	free(bytes);
	return err;
}

static void listen_stream_take_commit(struct listen_stream *stream)
{
	if (stream->commit_count == LISTEN_STREAM_COMMITS_MAX)
		session_send_error(&stream->session, NULL, WIRE_ERROR_TOO_MANY_COMMITS, NULL);
	else
		stream->commits[stream->commit_count++] = stream->received;
}

static int listen_stream_take(struct listen_stream *stream, const struct listen_message *message,
			      struct stream_fault *fault)
{
	int err = listen_stream_check_format(stream, message, fault);

	if (!err && message->prompt && stream->transcription)
		err = fault_set(fault, WIRE_ERROR_BAD_MESSAGE,
				"previous text is only allowed with the first audio");
	if (!err)
		err = listen_stream_take_audio(stream, message, fault);
	if (!err && message->commit)
		listen_stream_take_commit(stream);
	if (!err && !stream->transcription)
		err = listen_stream_begin(stream, message->prompt, message->prompt_len, fault);
	return err;
}

static void listen_stream_on_message(struct session *session, char *json, size_t len)
{
	struct listen_stream *stream = listen_stream_of(session);
	struct listen_message message;
	struct stream_fault fault;

	if (!session->ops->listens(session))
		return;
	mem_ref(stream);
	listen_stream_stay(stream);
	if (session->api->listen->parse(&message, &fault, json, len) != 0 ||
	    listen_stream_take(stream, &message, &fault) != 0)
		listen_stream_fail(stream, &fault);
	else
		listen_stream_pump(stream);
	mem_deref(stream);
}

/* Other events of the connection */

static void listen_stream_on_filled(struct session *session)
{
	(void)session; /* listen_stream_pump looks at the peer */
}

static void listen_stream_on_drained(struct session *session)
{
	listen_stream_pump(listen_stream_of(session));
}

static void listen_stream_on_sent(struct session *session, uint64_t tag)
{
	(void)session;
	(void)tag;
}

/* The words of what was received are sent, then the connection closes. */
static void listen_stream_on_go_away(struct session *session)
{
	struct listen_stream *stream = listen_stream_of(session);

	if (session->closed || session->close_code)
		return;
	session->close_code = SESSION_CLOSE_RESTART;
	if (!stream->transcription)
		listen_stream_close(stream, SESSION_CLOSE_RESTART);
	else
		listen_stream_pump(stream);
}

static void listen_stream_on_shut(struct session *session, const struct stream_fault *fault)
{
	listen_stream_fail(listen_stream_of(session), fault);
}

static bool listen_stream_is_idle(const struct session *session)
{
	return SESSION_OBJECT(session, const struct listen_stream, &listen_stream_ops)
		       ->transcription == NULL;
}

static bool listen_stream_listens(const struct session *session)
{
	const struct listen_stream *stream =
		SESSION_OBJECT(session, const struct listen_stream, &listen_stream_ops);

	return stream->is_open && !session->closed && !session->close_code;
}

static void listen_stream_refuse(struct session *session, enum wire_error_id id, const char *detail)
{
	listen_stream_fail_because(listen_stream_of(session), id, detail ? detail : "");
}

static void listen_stream_init(struct session *session)
{
	buf_init(&listen_stream_of(session)->held,
		 (LISTEN_STREAM_HELD_S + 1) * HEARING_RATE * sizeof(int16_t));
}

static void listen_stream_end(struct session *session)
{
	struct listen_stream *stream = listen_stream_of(session);

	session->closed = true;
	timer_clear(session->services->timers, &stream->idle_timer);
	stream->transcription = transcription_close(stream->transcription);
	stream->intake = mem_deref(stream->intake);
	buf_reset(&stream->held);
}

const struct session_ops listen_stream_ops = {
	.size = sizeof(struct listen_stream),
	.init = listen_stream_init,
	.end = listen_stream_end,
	.open = listen_stream_on_open,
	.message = listen_stream_on_message,
	.binary = session_refuse_binary,
	.filled = listen_stream_on_filled,
	.drained = listen_stream_on_drained,
	.sent = listen_stream_on_sent,
	.go_away = listen_stream_on_go_away,
	.shut = listen_stream_on_shut,
	.is_idle = listen_stream_is_idle,
	.refuse = listen_stream_refuse,
	.listens = listen_stream_listens,
};
