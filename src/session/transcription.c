/*
 * transcription.c: turns a stream of audio into text (see transcription.h).
 */
#include "session/transcription.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/log.h"
#include "base/mem.h"
#include "session/charge.h"
#include "session/denial.h"
#include "session/model_choice.h"

/* Nobody waits for one piece of a file, so pieces of live streams that end within this time come
 * first. */
#define FILE_PATIENCE_US UINT64_C(2000000)

#define PREVIEW_MAX (2u * HEARD_QUEUE_TEXT_MAX)

/* In this order; a state may be left out. */
enum transcription_state {
	TRANSCRIPTION_NEW,
	TRANSCRIPTION_ASKING, /* permission has been requested */
	TRANSCRIPTION_HEARING, /* audio is taken */
	TRANSCRIPTION_ENDING, /* no more audio is taken, and words are awaited */
	TRANSCRIPTION_BOOKING, /* everything was passed on, and the row is being written */
	TRANSCRIPTION_OVER, /* the owner has been told, or does not want to know */
};

struct transcription {
	enum transcription_state state;
	const struct session_services *services;
	struct caller *caller;
	const struct transcription_ops *ops;
	void *arg;
	struct hearing_model model;
	char language[HEARING_LANGUAGE_MAX];
	bool want_times, want_partials, is_live;
	enum transcription_commits commits;
	uint64_t samples_max;

	struct charge charge;
	char *prompt; /* until it is started */
	bool is_finished; /* transcription_finish was called */
	struct hearing_stream *stream; /* NULL: it has not been started, or has ended */
	bool is_flushed; /* the end of the audio was given to the segmenter */
	bool is_stream_finished;
	uint64_t sent; /* samples that the engine was given */
	uint64_t scored; /* the end of the last frame that it has scored */
	uint64_t credited; /* samples for which there is credit */

	struct segmenter segmenter;
	struct heard_queue queue;
	uint32_t numbers; /* the number of the last piece */
	uint32_t last_final; /* that of the last one that is final */
	uint64_t committed; /* the end of the last segment that was ended */
	uint64_t kept_from; /* what the owner needs; only with TRANSCRIPTION_BY_OWNER */
	/* Positions of commits whose audio has not been scored yet. */
	uint64_t awaited_commits[TRANSCRIPTION_COMMITS_MAX];
	size_t awaited_count;
	struct buf preview; /* a partial text, and the one that was passed on last */
	struct buf shown;
	uint64_t busy_us;
	struct stream_fault fault; /* reported at the end; WIRE_ERROR_NONE: none */
};

static void transcription_progress(struct transcription *t);

/* The end */

static void transcription_cancel_stream(struct transcription *t)
{
	if (t->stream)
		t->services->hearing->ops->cancel(t->stream);
	t->stream = NULL;
}

static void transcription_report(struct transcription *t)
{
	const struct transcription_usage usage = {
		.id = t->sent > 0 ? t->charge.entry.id : "",
		.model = t->model.name,
		.samples = t->sent,
		.busy_us = t->busy_us,
		.is_cost_known = t->charge.is_cost_known,
		.microcents = t->charge.entry.amount_microcents,
	};

	if (t->state == TRANSCRIPTION_OVER)
		return;
	t->state = TRANSCRIPTION_OVER;
	if (t->fault.id != WIRE_ERROR_NONE)
		t->ops->failed(t->arg, &t->fault);
	else
		t->ops->done(t->arg, &usage);
}

static void transcription_on_booked(void *arg)
{
	transcription_report(arg);
}

/* Books what was heard.  Nothing is booked for a stream without audio. */
static void transcription_book(struct transcription *t, enum usage_status status, bool is_awaited)
{
	if (t->sent == 0)
		charge_waive(&t->charge);
	charge_book(&t->charge, status, t->sent, is_awaited);
}

/* Ends it at once with the fault that is set, unless it has ended. */
static void transcription_fail(struct transcription *t, enum usage_status status)
{
	if (t->state >= TRANSCRIPTION_BOOKING)
		return;
	transcription_cancel_stream(t);
	transcription_book(t, status, false);
	transcription_report(t);
}

static void transcription_fail_because(struct transcription *t, enum wire_error_id id,
				       const char *detail)
{
	fault_set(&t->fault, id, "%s", detail);
	transcription_fail(t, USAGE_FAILED);
}

static void transcription_settle(struct transcription *t)
{
	t->state = TRANSCRIPTION_BOOKING;
	transcription_book(t, USAGE_FINISHED, true);
	if (charge_is_booking(&t->charge))
		charge_await(&t->charge);
	else
		transcription_report(t);
}

/* No more audio is taken.  What was sent is scored and recognized, then the stream ends. */
static void transcription_end(struct transcription *t)
{
	t->state = TRANSCRIPTION_ENDING;
	transcription_progress(t);
}

/* The caller may not have more transcribed.  A live stream ends with the words that were said; a file
 * ends at once, because its words would be incomplete.  In both cases what was heard is charged. */
static void transcription_curtail(struct transcription *t, const struct denied *denied)
{
	denial_describe(&t->fault, denied);
	if (t->is_live)
		transcription_end(t);
	else
		transcription_fail(t, USAGE_CANCELLED);
}

/* Pieces */

static uint64_t transcription_due_us(const struct transcription *t)
{
	return t->services->timers->now_us + (t->is_live ? 0 : FILE_PATIENCE_US);
}

static struct hearing_piece transcription_piece(struct transcription *t,
						const struct segmenter_event *event, bool is_final)
{
	return (struct hearing_piece){
		.number = ++t->numbers,
		.from_sample = event->from_sample,
		.to_sample = event->to_sample,
		.is_final = is_final,
		.due_us = transcription_due_us(t),
	};
}

/* A partial text is shown only while no earlier words are missing.  Whether the engine takes the piece
 * does not matter: the next one is due soon. */
static void transcription_want_partial(struct transcription *t, const struct segmenter_event *event)
{
	struct hearing_piece piece;

	if (!t->want_partials || !t->model.has_partials || !heard_queue_is_empty(&t->queue))
		return;
	piece = transcription_piece(t, event, false);
	(void)t->services->hearing->ops->recognize(t->stream, &piece);
}

static int transcription_want_final(struct transcription *t, const struct segmenter_event *event)
{
	struct hearing_piece piece = transcription_piece(t, event, true);

	t->last_final = piece.number;
	return heard_queue_add(&t->queue, &piece);
}

static int transcription_end_segment(struct transcription *t, uint64_t to_sample, bool is_asked)
{
	t->committed = to_sample;
	return heard_queue_commit(&t->queue, is_asked);
}

static void transcription_tell_speech(struct transcription *t, bool begins, uint64_t sample)
{
	if (t->ops->speech && t->state != TRANSCRIPTION_OVER)
		t->ops->speech(t->arg, begins, sample);
}

static int transcription_take_event(struct transcription *t, const struct segmenter_event *event)
{
	bool is_long =
		event->to_sample - t->committed > (uint64_t)TRANSCRIPTION_SEGMENT_S * HEARING_RATE;
	int err = 0;

	if (t->commits == TRANSCRIPTION_BY_OWNER) {
		t->ops->event(t->arg, event);
		return 0;
	}
	switch (event->type) {
	case SEGMENTER_START:
		transcription_tell_speech(t, true, event->from_sample);
		break;
	case SEGMENTER_PARTIAL:
		transcription_want_partial(t, event);
		break;
	case SEGMENTER_END:
		err = transcription_want_final(t, event);
		if (!err && (t->commits == TRANSCRIPTION_AT_PAUSES || is_long))
			err = transcription_end_segment(t, event->to_sample, false);
		if (!event->is_cut)
			transcription_tell_speech(t, false, event->to_sample);
		break;
	}
	return err;
}

/* Whether all audio before this sample has been scored, except for an incomplete frame. */
static bool transcription_has_scored(const struct transcription *t, uint64_t sample)
{
	return t->scored + HEARING_FRAME > sample;
}

static int transcription_flush(struct transcription *t, uint64_t to_sample, bool is_asked)
{
	struct segmenter_event event;
	int err = 0;

	if (t->commits == TRANSCRIPTION_BY_OWNER) {
		if (segmenter_flush(&t->segmenter, to_sample, &event))
			t->ops->event(t->arg, &event);
		return 0;
	}
	if (segmenter_flush(&t->segmenter, to_sample, &event)) {
		err = transcription_want_final(t, &event);
		transcription_tell_speech(t, false, to_sample);
	}
	return err ? err : transcription_end_segment(t, to_sample, is_asked);
}

/* Ends segments at the positions of commits and at the end, when their audio has been scored. */
static int transcription_flush_due(struct transcription *t)
{
	int err = 0;

	while (!err && t->awaited_count > 0 && transcription_has_scored(t, t->awaited_commits[0])) {
		err = transcription_flush(t, t->awaited_commits[0], true);
		memmove(t->awaited_commits, t->awaited_commits + 1,
			--t->awaited_count * sizeof(t->awaited_commits[0]));
	}
	if (!err && t->state == TRANSCRIPTION_ENDING && !t->is_flushed &&
	    transcription_has_scored(t, t->sent)) {
		t->is_flushed = true;
		err = transcription_flush(t, t->sent, false);
	}
	return err;
}

/* Asks the engine for pieces, as many as it takes now, and releases audio that is not needed. */
static int transcription_ask_pieces(struct transcription *t)
{
	const struct hearing_ops *hearing = t->services->hearing->ops;
	uint64_t needed = segmenter_needs_from(&t->segmenter);
	const struct hearing_piece *piece;
	int err = 0;

	while (!err && (piece = heard_queue_wanted(&t->queue))) {
		err = hearing->recognize(t->stream, piece);
		if (!err)
			heard_queue_asked(&t->queue, piece->number);
	}
	if (piece && piece->from_sample < needed)
		needed = piece->from_sample;
	if (t->commits == TRANSCRIPTION_BY_OWNER && t->kept_from < needed)
		needed = t->kept_from;
	hearing->release(t->stream, needed);
	return err == ENOBUFS ? 0 : err;
}

static void transcription_deliver(struct transcription *t)
{
	struct heard_segment segment;

	while (t->state != TRANSCRIPTION_OVER && heard_queue_next(&t->queue, &segment)) {
		t->shown.len = 0;
		if (!segment.language[0] && segment.text_len > 0) {
			segment.language = t->language;
			segment.language_probability = t->language[0] ? 1 : 0;
		}
		t->ops->segment(t->arg, &segment);
	}
}

/* Does what can be done now.  The ops that it calls may close the transcription. */
static void transcription_progress(struct transcription *t)
{
	int err = 0;

	mem_ref(t);
	if (t->stream && !t->is_stream_finished) {
		err = transcription_flush_due(t);
		if (!err && t->stream)
			err = transcription_ask_pieces(t);
		if (!err && t->stream && t->is_flushed && !heard_queue_wanted(&t->queue)) {
			t->is_stream_finished = true;
			t->services->hearing->ops->finish(t->stream);
		}
	}
	if (err) {
		log_error("session", "a transcription cannot continue: %s", strerror(err));
		transcription_fail_because(t, WIRE_ERROR_INTERNAL, "");
	}
	transcription_deliver(t);
	mem_deref(t);
}

/* What the engine says */

static void transcription_on_activity(void *arg, uint64_t first_sample,
				      const uint8_t *probabilities, size_t count)
{
	struct transcription *t = arg;
	struct segmenter_event event;
	int err = 0;

	mem_ref(t);
	if (t->commits == TRANSCRIPTION_BY_OWNER)
		t->ops->activity(t->arg, first_sample, probabilities, count);
	for (size_t i = 0; i < count && !err && t->stream; ++i) {
		t->scored = first_sample + (i + 1) * HEARING_FRAME;
		if (segmenter_take(&t->segmenter, probabilities[i], &event))
			err = transcription_take_event(t, &event);
		if (!err)
			err = transcription_flush_due(t);
	}
	if (err)
		transcription_fail_because(t, WIRE_ERROR_INTERNAL, "");
	else if (t->stream)
		transcription_progress(t);
	mem_deref(t);
}

static void transcription_show_partial(struct transcription *t, const struct hearing_result *result)
{
	/* It is out of date if the segment has ended meanwhile. */
	if (!t->ops->partial || result->piece.number < t->last_final ||
	    !heard_queue_is_empty(&t->queue))
		return;
	t->preview.len = 0;
	if (heard_queue_preview(&t->queue, &t->preview, result) != 0 || t->preview.len == 0 ||
	    (t->preview.len == t->shown.len &&
	     memcmp(t->preview.bytes, t->shown.bytes, t->shown.len) == 0))
		return;
	t->shown.len = 0;
	(void)buf_append(&t->shown, t->preview.bytes, t->preview.len);
	t->ops->partial(t->arg, t->preview.bytes, t->preview.len);
}

static void transcription_on_result(void *arg, const struct hearing_result *result)
{
	struct transcription *t = arg;
	int err;

	t->busy_us += result->busy_us;
	if (t->commits == TRANSCRIPTION_BY_OWNER) {
		t->ops->result(t->arg, result);
		return;
	}
	if (!result->piece.is_final) {
		transcription_show_partial(t, result);
		return;
	}
	err = heard_queue_result(&t->queue, result);
	if (err == ENOMEM)
		transcription_fail_because(t, WIRE_ERROR_INTERNAL, "");
	else
		transcription_progress(t);
}

static void transcription_on_room(void *arg)
{
	struct transcription *t = arg;

	if (t->state == TRANSCRIPTION_HEARING && transcription_room(t) > 0)
		t->ops->room(t->arg);
}

static void transcription_on_end(void *arg, enum hearing_end how, const char *detail)
{
	struct transcription *t = arg;

	t->stream = NULL;
	if (how == HEARING_DONE) {
		mem_ref(t);
		transcription_deliver(t);
		if (t->state != TRANSCRIPTION_OVER)
			transcription_settle(t);
		mem_deref(t);
		return;
	}
	log_warn("session", "a transcription with %s has ended: %s", t->model.name, detail);
	transcription_fail_because(
		t, how == HEARING_FAILED ? WIRE_ERROR_HEARING_FAILED : WIRE_ERROR_UNAVAILABLE, "");
}

static const struct hearing_listener transcription_listener = {
	.activity = transcription_on_activity,
	.result = transcription_on_result,
	.room = transcription_on_room,
	.end = transcription_on_end,
};

/* Permission and credit */

/* Requests credit for more audio.  If it is refused, the transcription ends. */
static void transcription_get_credit(struct transcription *t)
{
	struct denied denied;
	enum charge_answer answer =
		charge_chunk(&t->charge, t->sent, TRANSCRIPTION_CREDIT_S * 1000.0, &denied);

	if (answer == CHARGE_YES)
		t->credited = t->sent + (uint64_t)TRANSCRIPTION_CREDIT_S * HEARING_RATE;
	else if (answer == CHARGE_NO)
		transcription_curtail(t, &denied);
}

/* Permission was refused, so nothing is booked. */
static void transcription_refuse(struct transcription *t, const struct denied *denied)
{
	charge_waive(&t->charge);
	denial_describe(&t->fault, denied);
	transcription_fail(t, USAGE_FAILED);
}

static void transcription_listen(struct transcription *t)
{
	const struct hearing_request request = {
		.model = &t->model,
		.language = t->language,
		.prompt = t->prompt ? t->prompt : "",
		.want_times = t->want_times,
	};
	struct hearing *hearing = t->services->hearing;
	struct denied denied;
	int err;

	/* Credit for the first audio: without any, nothing begins. */
	switch (charge_chunk(&t->charge, 0, TRANSCRIPTION_CREDIT_S * 1000.0, &denied)) {
	case CHARGE_NO:
		transcription_refuse(t, &denied);
		return;
	case CHARGE_LATER:
		return; /* transcription_on_answered is called */
	case CHARGE_YES:
		t->credited = (uint64_t)TRANSCRIPTION_CREDIT_S * HEARING_RATE;
		break;
	}
	err = hearing->ops->start(&t->stream, hearing, &request, &transcription_listener, t);
	free(t->prompt);
	t->prompt = NULL;
	if (err) {
		t->stream = NULL;
		transcription_fail_because(
			t, err == ENOMEM ? WIRE_ERROR_INTERNAL : WIRE_ERROR_UNAVAILABLE, "");
		return;
	}
	t->state = TRANSCRIPTION_HEARING;
	if (t->is_finished)
		transcription_end(t);
	else
		transcription_on_room(t);
}

static void transcription_on_answered(void *arg, const struct denied *denied)
{
	struct transcription *t = arg;

	mem_ref(t);
	if (t->state == TRANSCRIPTION_ASKING) {
		if (denied)
			transcription_refuse(t, denied);
		else
			transcription_listen(t);
	} else if (t->state == TRANSCRIPTION_HEARING) {
		if (denied)
			transcription_curtail(t, denied);
		else
			transcription_get_credit(t);
		transcription_on_room(t);
	}
	mem_deref(t);
}

static const struct charge_ops transcription_charge_ops = {.answered = transcription_on_answered,
							   .booked = transcription_on_booked};

void transcription_begin(struct transcription *t, const char *prompt)
{
	struct denied denied;

	assert(t->state == TRANSCRIPTION_NEW);
	t->state = TRANSCRIPTION_ASKING;
	mem_ref(t);
	if (prompt[0])
		t->prompt = strdup(prompt); /* without memory it is transcribed without it */
	switch (charge_ask(&t->charge, &denied)) {
	case CHARGE_YES:
		transcription_listen(t);
		break;
	case CHARGE_NO:
		transcription_refuse(t, &denied);
		break;
	case CHARGE_LATER:
		break;
	}
	mem_deref(t);
}

/* Audio */

size_t transcription_room(const struct transcription *t)
{
	uint64_t room;

	if (t->state != TRANSCRIPTION_HEARING)
		return 0;
	room = t->services->hearing->ops->room(t->stream);
	return (size_t)(room < t->credited - t->sent ? room : t->credited - t->sent);
}

void transcription_send(struct transcription *t, const int16_t *samples, size_t count)
{
	struct denied denied;
	int err;

	assert(count <= transcription_room(t));
	if (count == 0)
		return;
	if (t->sent + count > t->samples_max) {
		fault_set(&t->fault, WIRE_ERROR_AUDIO_TOO_LONG, "at most %llu s",
			  (unsigned long long)(t->samples_max / HEARING_RATE));
		if (t->is_live)
			transcription_end(t);
		else
			transcription_fail(t, USAGE_FAILED);
		return;
	}
	mem_ref(t);
	err = t->services->hearing->ops->send(t->stream, samples, count);
	t->sent += err ? 0 : count;
	if (err)
		transcription_fail_because(t, WIRE_ERROR_INTERNAL, "");
	else if (!charge_heard(&t->charge, t->sent, &denied) &&
		 (t->is_live || denied.why != DENIAL_HEARD))
		transcription_curtail(t, &denied);
	else if (t->credited - t->sent < HEARING_RATE && !charge_is_waiting(&t->charge))
		transcription_get_credit(t);
	mem_deref(t);
}

int transcription_commit(struct transcription *t)
{
	if (t->state < TRANSCRIPTION_HEARING)
		return EAGAIN;
	if (t->state > TRANSCRIPTION_HEARING)
		return 0;
	if (t->awaited_count == TRANSCRIPTION_COMMITS_MAX)
		return ENOBUFS;
	t->awaited_commits[t->awaited_count++] = t->sent;
	transcription_progress(t);
	return 0;
}

uint32_t transcription_recognize(struct transcription *t, uint64_t from_sample, uint64_t to_sample,
				 bool is_final)
{
	const struct segmenter_event range = {.from_sample = from_sample, .to_sample = to_sample};
	struct hearing_piece piece = transcription_piece(t, &range, is_final);

	assert(t->commits == TRANSCRIPTION_BY_OWNER);
	if (!t->stream || t->is_stream_finished ||
	    t->services->hearing->ops->recognize(t->stream, &piece) != 0)
		return 0;
	return piece.number;
}

void transcription_keep_from(struct transcription *t, uint64_t sample)
{
	t->kept_from = sample;
}

void transcription_finish(struct transcription *t)
{
	t->is_finished = true;
	if (t->state == TRANSCRIPTION_HEARING)
		transcription_end(t);
}

uint64_t transcription_samples(const struct transcription *t)
{
	return t->sent;
}

/* The beginning */

static void transcription_destroy(void *object)
{
	struct transcription *t = object;

	transcription_cancel_stream(t);
	charge_reset(&t->charge);
	heard_queue_reset(&t->queue);
	buf_reset(&t->preview);
	buf_reset(&t->shown);
	free(t->prompt);
	mem_deref(t->caller);
}

struct transcription *transcription_close(struct transcription *t)
{
	if (!t)
		return NULL;
	if (t->state == TRANSCRIPTION_HEARING || t->state == TRANSCRIPTION_ENDING) {
		transcription_cancel_stream(t);
		transcription_book(t, t->is_live ? USAGE_FINISHED : USAGE_CANCELLED, false);
	}
	t->state = TRANSCRIPTION_OVER;
	return mem_deref(t);
}

static int transcription_make_id(char id[USAGE_ID_MAX + 1])
{
	uint8_t bytes[16];

	if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
		return EIO;
	for (size_t i = 0; i < sizeof(bytes); ++i)
		snprintf(id + 2 * i, 3, "%02x", bytes[i]);
	return 0;
}

int transcription_alloc(struct transcription **transcriptionp,
			const struct transcription_request *request,
			const struct transcription_ops *ops, void *arg)
{
	struct transcription *t = mem_zalloc(sizeof(*t), NULL);
	char id[USAGE_ID_MAX + 1];
	int err;

	if (!t)
		return ENOMEM;
	err = transcription_make_id(id);
	if (err) {
		mem_deref(t);
		return err;
	}
	t->services = request->services;
	t->caller = mem_ref(request->caller);
	t->ops = ops;
	t->arg = arg;
	t->model = *request->model;
	model_choice_copy_language(t->language, request->language, &t->model);
	t->want_times = request->want_times;
	t->want_partials = request->want_partials;
	t->is_live = request->is_live;
	t->commits = request->commits;
	t->samples_max = request->seconds_max * HEARING_RATE;
	charge_init_hearing(&t->charge, t->services, t->caller, id, t->model.name,
			    &transcription_charge_ops, t);
	segmenter_init(&t->segmenter, &request->segments, 0);
	heard_queue_init(&t->queue);
	buf_init(&t->preview, PREVIEW_MAX);
	buf_init(&t->shown, PREVIEW_MAX);
	mem_set_destructor(t, transcription_destroy);
	*transcriptionp = t;
	return 0;
}
