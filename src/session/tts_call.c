/*
 * tts_call.c: speaks one complete text (see tts_call.h).
 */
#include "session/tts_call.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "audio/pipeline.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "session/encoding.h"
#include "session/turn_queue.h"

struct tts_call {
	struct session session; /* for its turn; nothing is received on it */
	struct turn_queue queue;
	const struct tts_call_ops *ops;
	void *arg;
	char *text;
	size_t text_len;
	unsigned silence_ms; /* 0: text with nothing to speak is an error */
	struct encoding *silence; /* NULL: no silence is being encoded */
	struct stream_fault fault; /* WIRE_ERROR_NONE: it has not failed */
	bool is_over; /* one of the ops was called */
};

static void tts_call_report_failed(struct tts_call *call, bool has_begun)
{
	if (call->is_over)
		return;
	call->is_over = true;
	call->ops->failed(call->arg, &call->fault, has_begun);
}

static void tts_call_fail_internal(struct tts_call *call)
{
	fault_set(&call->fault, WIRE_ERROR_INTERNAL, "%s", "");
	tts_call_report_failed(call, false);
}

static void tts_call_end_silence(struct tts_call *call)
{
	const struct reply_usage usage = {.characters = utf8_count(call->text, call->text_len)};

	if (call->is_over)
		return;
	call->is_over = true;
	call->ops->done(call->arg, &usage);
}

/* The silence does not belong to a turn, so it is not charged. */
static int tts_call_send_silence(struct tts_call *call, const struct audio_frame *frame)
{
	struct session *session = &call->session;
	struct buf message;
	int err = session->dialect->audio(session_begin(session, &message), NULL, frame,
					  &session->settings.format, 0, 0);

	session_send(session, &message, err);
	return err;
}

static void tts_call_on_silence(void *arg, int err, const struct audio_frame *frame)
{
	struct tts_call *call = arg;
	bool is_last = encoding_has_ended(call->silence) && encoding_is_idle(call->silence);

	if (!err && frame->len > 0)
		err = tts_call_send_silence(call, frame);
	if (err || is_last)
		call->silence = encoding_close(call->silence);
	if (err)
		tts_call_fail_internal(call);
	else if (is_last)
		tts_call_end_silence(call);
}

/* Produces the silence as a turn would: in frames, which are encoded if the format has an
 * encoder. */
static int tts_call_make_silence(struct tts_call *call, struct pipeline *pipeline)
{
	const struct audio_format *format = &call->session.settings.format;
	const struct session_services *services = call->session.services;
	struct audio_frame frame;
	int err = pipeline_silence(pipeline, (size_t)format->sample_rate * call->silence_ms / 1000);

	if (!err)
		err = pipeline_end_chunk(pipeline);
	if (!err && audio_format_needs_encoder(format->encoding))
		err = encoding_alloc(&call->silence, services->encode_threads, services->timers,
				     format, tts_call_on_silence, call);
	while (!err && pipeline_next(pipeline, &frame))
		err = call->silence ? encoding_write(call->silence,
						     (const int16_t *)(const void *)frame.bytes,
						     frame.samples)
				    : tts_call_send_silence(call, &frame);
	if (!err && call->silence)
		err = encoding_end(call->silence);
	return err;
}

/* Answers text with nothing to speak, such as dots, an emoji or a dash.  Chat programs that split a
 * text send such pieces too, and would treat an error as the failure of the whole text.  An answer
 * without samples would not be an audio file, so a silence is sent. */
static void tts_call_nothing_to_say(struct tts_call *call)
{
	struct pipeline *pipeline = NULL;
	int err;

	if (call->silence_ms == 0) {
		fault_set(&call->fault, WIRE_ERROR_INVALID_REQUEST, "text has nothing to say");
		tts_call_report_failed(call, false);
		return;
	}
	err = pipeline_alloc(&pipeline, &call->session.settings.format, 1.0);
	if (!err)
		err = tts_call_make_silence(call, pipeline);
	mem_deref(pipeline);
	if (err) {
		call->silence = encoding_close(call->silence);
		tts_call_fail_internal(call);
	} else if (!call->silence) {
		tts_call_end_silence(call);
	}
}

static void tts_call_on_failed(void *arg, const struct wire_notice *notice)
{
	struct tts_call *call = arg;

	fault_set(&call->fault, notice->id, "%s", notice->detail ? notice->detail : "");
	call->fault.retry_s = notice->retry_s;
}

static void tts_call_on_spoken(void *arg, struct turn *turn, unsigned flushes)
{
	struct tts_call *call = arg;
	struct turn_figures figures;
	struct reply_usage usage;

	(void)flushes;
	if (call->is_over)
		return;
	turn_figures(turn, &figures);
	if (turn_has_failed(turn) || turn_was_curtailed(turn, &call->fault)) {
		tts_call_report_failed(call, figures.samples > 0);
		return;
	}
	if (figures.samples == 0) {
		tts_call_nothing_to_say(call);
		return;
	}
	call->is_over = true;
	turn_usage(turn, &usage);
	call->ops->done(call->arg, &usage);
}

static void tts_call_on_empty(void *arg)
{
	(void)arg;
}

static const struct turn_queue_ops tts_call_queue_ops = {
	.spoken = tts_call_on_spoken,
	.empty = tts_call_on_empty,
	.failed = tts_call_on_failed,
};

void tts_call_begin(struct tts_call *call)
{
	int err;

	mem_ref(call); /* the owner may release it from inside the ops */
	err = turn_queue_text(&call->queue, &call->session.settings, call->text, call->text_len,
			      call->text_len);
	if (err)
		tts_call_fail_internal(call);
	else if (!turn_queue_end(&call->queue) && !call->is_over)
		tts_call_nothing_to_say(call);
	mem_deref(call);
}

void tts_call_filled(struct tts_call *call)
{
	turn_queue_filled(&call->queue);
}

void tts_call_drained(struct tts_call *call)
{
	turn_queue_drained(&call->queue);
}

void tts_call_sent(struct tts_call *call, uint64_t tag)
{
	turn_queue_sent(&call->queue, tag);
}

static void tts_call_destroy(void *object)
{
	struct tts_call *call = object;

	call->is_over = true;
	call->silence = encoding_close(call->silence);
	turn_queue_reset(&call->queue);
	session_reset(&call->session);
	free(call->text);
}

int tts_call_alloc(struct tts_call **callp, const struct tts_call_request *request,
		   const struct tts_call_ops *ops, void *arg)
{
	struct tts_call *call = mem_zalloc(sizeof(*call), NULL);
	struct turn_owner owner = {0};

	if (!call)
		return ENOMEM;
	call->text = malloc(request->text_len ? request->text_len : 1);
	if (!call->text) {
		mem_deref(call);
		return ENOMEM;
	}
	memcpy(call->text, request->text, request->text_len);
	call->text_len = request->text_len;
	call->silence_ms = request->silence_ms;
	call->ops = ops;
	call->arg = arg;
	session_init(&call->session, request->dialect, request->services, request->peer,
		     request->request_id, request->caller);
	call->session.queue = &call->queue;
	owner.session = &call->session;
	settings_copy(&call->session.settings, request->settings);
	call->session.settings.auto_mode = true;
	/* This cannot fail: the parser has checked for conflicts. */
	(void)settings_format(&call->session.settings.format, request->settings);
	call->session.settings.set &= ~(unsigned)SETTING_SAMPLE_RATE;
	call->session.settings.set |= SETTING_OUTPUT_FORMAT;
	turn_queue_init(&call->queue, &owner, 1, &tts_call_queue_ops, call);
	mem_set_destructor(call, tts_call_destroy);
	*callp = call;
	return 0;
}
