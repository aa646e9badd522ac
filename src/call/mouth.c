/*
 * mouth.c: speaks the agent's side of a call (see mouth.h).
 *
 * The mouth is the peer of its turns: what they send are frames of raw audio, which wait in a list until
 * they may be sent to the caller.
 */
#include "call/mouth.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "audio/g711.h"
#include "audio/intonation.h"
#include "base/list.h"
#include "base/mem.h"
#include "session/finished_turn.h"
#include "session/playback.h"
#include "session/turn_queue.h"

/* Levels of the last sounds, at the time when they were sent.  Sounds have 20 ms or more. */
#define MOUTH_LEVELS 64u

/* How long a sound may still be heard as an echo after it was sent. */
#define MOUTH_ECHO_US ((MOUTH_LEAD_MS + 500u) * UINT64_C(1000))

/* Turns of one utterance that may wait: some agents say that an answer is complete, and continue. */
#define MOUTH_TURNS_MAX 32u

/* What was spoken lately: a few sentences are enough to recognize an echo. */
#define MOUTH_RECENT_MAX 2048u

struct mouth_frame {
	struct link link;
	uint64_t tag;
	uint32_t samples;
	struct buf bytes;
};

struct mouth_level {
	uint64_t at_us;
	float db;
};

struct mouth {
	struct session session; /* of its turns; nothing is received on it */
	struct peer peer; /* of its turns */
	struct turn_queue queue;
	const struct mouth_ops *ops;
	void *arg;
	unsigned depth; /* functions of the mouth that are running: nothing is reported meanwhile */

	struct list frames; /* struct mouth_frame, which wait to be sent */
	uint64_t waiting; /* their samples */
	uint64_t
		awaited_tag; /* whose last frame is reported to the turns when it is sent; 0: none */
	struct timer
		pace_timer; /* fires when the next frame may be sent, or something is to be reported */
	struct timer end_timer; /* fires when the caller has heard everything */

	bool is_paused; /* the client does not read; also between utterances */
	bool is_open, is_ended, is_held, is_ready_due, has_sound, is_ducked, has_failed;
	struct stream_fault fault;
	struct playback_clock sent; /* of the utterance */
	uint64_t made; /* samples of the utterance so far, sent or waiting */

	/* Turns of the utterance: usually one.  `earlier` is the text of those before `last`. */
	struct buf earlier;
	struct finished_turn *last; /* NULL: none has ended */
	uint64_t last_from; /* the first sample of `last`, and of the turn that is being spoken */
	uint64_t turn_from;

	struct mouth_level levels[MOUTH_LEVELS];
	size_t level_at;
	struct buf recent;
};

static uint64_t mouth_now_us(const struct mouth *mouth)
{
	return mouth->session.services->timers->now_us;
}

static unsigned mouth_rate(const struct mouth *mouth)
{
	return mouth->session.settings.format.sample_rate;
}

/* The dialect of its turns: audio is raw, and everything else is known from the ops of the queue. */
static int mouth_write_audio(struct buf *out, const char *context, const struct audio_frame *frame,
			     const struct audio_format *format, unsigned idx, unsigned chunk_id)
{
	(void)context;
	(void)format;
	(void)idx;
	(void)chunk_id;
	return buf_append(out, frame->bytes, frame->len);
}

static int mouth_write_error(struct buf *out, const char *context, const struct wire_notice *notice)
{
	(void)out;
	(void)context;
	(void)notice;
	return 0;
}

static const struct dialect mouth_dialect = {
	.audio = mouth_write_audio,
	.error = mouth_write_error,
};

/* Frames */

static void mouth_remove_frame(struct mouth *mouth, struct mouth_frame *frame)
{
	list_remove(&mouth->frames, &frame->link);
	mouth->waiting -= frame->samples;
}

static void mouth_free_frame(struct mouth_frame *frame)
{
	buf_reset(&frame->bytes);
	mem_deref(frame);
}

static struct mouth_frame *mouth_first(const struct mouth *mouth)
{
	struct link *link = list_first(&mouth->frames);

	return link ? LIST_OBJECT(link, struct mouth_frame, link) : NULL;
}

static bool mouth_has_tag(const struct mouth *mouth, uint64_t tag)
{
	for (struct link *link = list_first(&mouth->frames); link;
	     link = list_next(&mouth->frames, link)) {
		if (LIST_OBJECT(link, struct mouth_frame, link)->tag == tag)
			return true;
	}
	return false;
}

/* Notes how loud a frame is, and makes it quieter if the caller may be interrupting. */
static void mouth_shape(struct mouth *mouth, struct mouth_frame *frame)
{
	bool is_mulaw = mouth->session.settings.format.encoding == AUDIO_MULAW;
	int16_t *samples = (int16_t *)(void *)frame->bytes.bytes;
	int16_t *decoded = NULL;
	struct mouth_level *level = &mouth->levels[mouth->level_at++ % MOUTH_LEVELS];

	if (is_mulaw) {
		samples = decoded = malloc(frame->samples * sizeof(*decoded));
		if (!decoded)
			return;
		g711_decode_mulaw(decoded, (const uint8_t *)frame->bytes.bytes, frame->samples);
	}
	if (mouth->is_ducked) {
		for (size_t i = 0; i < frame->samples; ++i)
			samples[i] /= MOUTH_DUCKED_DIVISOR;
		if (is_mulaw)
			g711_encode_mulaw((uint8_t *)frame->bytes.bytes, samples, frame->samples);
	}
	*level = (struct mouth_level){
		.at_us = mouth_now_us(mouth),
		.db = intonation_of_frame(samples, frame->samples).level_db,
	};
	free(decoded);
}

static void mouth_send_frame(struct mouth *mouth, struct mouth_frame *frame)
{
	uint64_t tag = frame->tag;

	mouth_shape(mouth, frame);
	(void)playback_send(&mouth->sent, frame->samples, mouth_now_us(mouth));
	mouth_remove_frame(mouth, frame);
	mouth->ops->audio(mouth->arg, (const uint8_t *)frame->bytes.bytes, frame->bytes.len,
			  frame->samples);
	mouth_free_frame(frame);
	if (tag == mouth->awaited_tag && !mouth_has_tag(mouth, tag)) {
		mouth->awaited_tag = 0;
		turn_queue_sent(&mouth->queue, tag);
	}
}

/* Reporting */

static bool mouth_is_spoken(const struct mouth *mouth)
{
	return mouth->is_open && mouth->is_ended && (!mouth->is_held || mouth->made == 0) &&
	       !turn_queue_front(&mouth->queue) && mouth->frames.count == 0;
}

static void mouth_on_end(void *arg);

/* The time of the end may change until then (mouth_note_played). */
static void mouth_await_end(struct mouth *mouth, uint64_t end_us)
{
	uint64_t now_us = mouth_now_us(mouth);

	timer_set(mouth->session.services->timers, &mouth->end_timer,
		  end_us > now_us ? end_us - now_us : 0, mouth_on_end, mouth);
}

static void mouth_on_end(void *arg)
{
	struct mouth *mouth = arg;
	uint64_t now_us = mouth_now_us(mouth);
	uint64_t end_us = playback_end_us(&mouth->sent, now_us);

	if (end_us > now_us) {
		mouth_await_end(mouth, end_us);
		return;
	}
	mouth->is_open = false;
	mouth->ops->finished(mouth->arg);
}

static void mouth_pump(struct mouth *mouth);

static void mouth_on_pace(void *arg)
{
	mouth_pump(arg);
}

static void mouth_pump_later(struct mouth *mouth, uint64_t delay_us)
{
	timer_set(mouth->session.services->timers, &mouth->pace_timer, delay_us, mouth_on_pace,
		  mouth);
}

/* Sends what may be sent now.  Returns how long the next frame has to wait; 0: there is none. */
static uint64_t mouth_send_due(struct mouth *mouth)
{
	struct mouth_frame *frame;

	while (!mouth->is_held && !mouth->is_paused && (frame = mouth_first(mouth))) {
		uint64_t now_us = mouth_now_us(mouth);
		uint64_t end_us = playback_end_us(&mouth->sent, now_us);

		if (end_us > now_us + MOUTH_LEAD_MS * 1000u)
			return end_us - now_us - MOUTH_LEAD_MS * 1000u;
		mouth_send_frame(mouth, frame);
	}
	return 0;
}

/* Does and reports what is due.  Any of the ops may close the mouth. */
static void mouth_pump(struct mouth *mouth)
{
	uint64_t wait_us;

	if (mouth->depth > 0) {
		mouth_pump_later(mouth, 0);
		return;
	}
	mem_ref(mouth);
	if (mouth->is_ready_due) { /* before any of it is sent */
		mouth->is_ready_due = false;
		mouth->ops->ready(mouth->arg);
	}
	++mouth->depth;
	wait_us = mouth_send_due(mouth);
	if (mouth->peer.is_full &&
	    mouth->waiting < (uint64_t)MOUTH_HELD_MS * mouth_rate(mouth) / 2000) {
		mouth->peer.is_full = false;
		turn_queue_drained(&mouth->queue);
	}
	if (wait_us > 0)
		mouth_pump_later(mouth, wait_us);
	--mouth->depth;
	if (mouth->has_failed && mouth->is_open && mouth->frames.count == 0) {
		mouth->is_open = false;
		mouth->ops->failed(mouth->arg, &mouth->fault);
	} else if (mouth_is_spoken(mouth) && !timer_is_set(&mouth->end_timer)) {
		mouth_await_end(mouth, playback_end_us(&mouth->sent, mouth_now_us(mouth)));
	}
	mem_deref(mouth);
}

/* The peer of its turns */

static void mouth_on_send(void *peer, struct buf *message, uint64_t tag, uint32_t samples)
{
	struct mouth *mouth = peer;
	struct mouth_frame *frame;

	if (samples == 0 || !(frame = mem_zalloc(sizeof(*frame), NULL))) {
		buf_reset(message);
		return;
	}
	frame->tag = tag;
	frame->samples = samples;
	frame->bytes = *message;
	list_append(&mouth->frames, &frame->link);
	mouth->waiting += samples;
	mouth->made += samples;
	if (!mouth->has_sound)
		mouth->is_ready_due = true;
	mouth->has_sound = true;
	if (!mouth->peer.is_full &&
	    mouth->waiting > (uint64_t)MOUTH_HELD_MS * mouth_rate(mouth) / 1000) {
		mouth->peer.is_full = true;
		turn_queue_filled(&mouth->queue);
	}
	mouth_pump_later(mouth, 0);
}

static uint64_t mouth_on_drop(void *peer, uint64_t tag)
{
	struct mouth *mouth = peer;
	struct link *next = list_first(&mouth->frames);
	uint64_t samples = 0;

	while (next) {
		struct mouth_frame *frame = LIST_OBJECT(next, struct mouth_frame, link);

		next = list_next(&mouth->frames, next);
		if (frame->tag != tag)
			continue;
		samples += frame->samples;
		mouth_remove_frame(mouth, frame);
		mouth_free_frame(frame);
	}
	mouth->made -= samples;
	return samples;
}

static bool mouth_on_notify(void *peer, uint64_t tag)
{
	struct mouth *mouth = peer;

	if (!mouth_has_tag(mouth, tag))
		return false;
	mouth->awaited_tag = tag;
	return true;
}

static void mouth_on_close(void *peer, uint16_t code, const char *reason)
{
	(void)peer;
	(void)code;
	(void)reason;
}

static const struct peer_ops mouth_peer_ops = {
	.send = mouth_on_send,
	.drop = mouth_on_drop,
	.notify_when_sent = mouth_on_notify,
	.close = mouth_on_close,
};

/* Its turns */

static void mouth_append_heard(struct buf *out, const struct turn_heard *heard)
{
	if (heard->text_spoken_len == 0)
		return;
	if (out->len > 0)
		(void)buf_append(out, " ", 1);
	(void)buf_append(out, heard->text_spoken, heard->text_spoken_len);
}

static int64_t mouth_ms(const struct mouth *mouth, uint64_t samples)
{
	return (int64_t)(samples * 1000 / mouth_rate(mouth));
}

static void mouth_on_spoken(void *arg, struct turn *turn, unsigned flushes)
{
	struct mouth *mouth = arg;
	struct turn_heard heard;

	(void)flushes;
	if (mouth->last) {
		finished_turn_heard(mouth->last, &heard, mouth_now_us(mouth),
				    mouth_ms(mouth, mouth->made));
		mouth_append_heard(&mouth->earlier, &heard);
		mouth->last = mem_deref(mouth->last);
	}
	if (!turn_has_failed(turn))
		(void)finished_turn_alloc(&mouth->last, turn);
	mouth->last_from = mouth->turn_from;
	mouth->turn_from = mouth->made;
	if (turn_was_curtailed(turn, &mouth->fault))
		mouth->has_failed = true;
	mouth_pump_later(mouth, 0);
}

static void mouth_on_empty(void *arg)
{
	(void)arg;
}

static void mouth_on_failed(void *arg, const struct wire_notice *notice)
{
	struct mouth *mouth = arg;

	mouth->has_failed = true;
	fault_set(&mouth->fault, notice->id, "%s", notice->detail ? notice->detail : "");
	mouth->fault.retry_s = notice->retry_s;
	mouth_pump_later(mouth, 0);
}

static const struct turn_queue_ops mouth_queue_ops = {
	.spoken = mouth_on_spoken,
	.empty = mouth_on_empty,
	.failed = mouth_on_failed,
};

/* Utterances */

static void mouth_forget(struct mouth *mouth)
{
	struct mouth_frame *frame;

	while ((frame = mouth_first(mouth))) {
		mouth_remove_frame(mouth, frame);
		mouth_free_frame(frame);
	}
	timer_clear(mouth->session.services->timers, &mouth->pace_timer);
	timer_clear(mouth->session.services->timers, &mouth->end_timer);
	mouth->last = mem_deref(mouth->last);
	mouth->earlier.len = 0;
	mouth->awaited_tag = 0;
	mouth->made = mouth->turn_from = mouth->last_from = 0;
	mouth->is_open = mouth->is_ended = mouth->is_held = mouth->is_ready_due = false;
	mouth->has_sound = mouth->is_ducked = mouth->has_failed = false;
	mouth->peer.is_full = false;
}

void mouth_begin(struct mouth *mouth, bool is_held)
{
	mouth_forget(mouth);
	mouth->sent = (struct playback_clock){.sample_rate = mouth_rate(mouth)};
	mouth->is_open = true;
	mouth->is_held = is_held;
}

bool mouth_is_open(const struct mouth *mouth)
{
	return mouth->is_open;
}

bool mouth_has_sound(const struct mouth *mouth)
{
	return mouth->has_sound;
}

/* An echo is compared word by word, so it does not matter if the first one is incomplete. */
static void mouth_note_text(struct mouth *mouth, const char *text, size_t len)
{
	if (len > MOUTH_RECENT_MAX) {
		text += len - MOUTH_RECENT_MAX;
		len = MOUTH_RECENT_MAX;
	}
	if (mouth->recent.len + len > MOUTH_RECENT_MAX)
		buf_consume(&mouth->recent, mouth->recent.len + len - MOUTH_RECENT_MAX);
	(void)buf_append(&mouth->recent, text, len);
}

int mouth_say(struct mouth *mouth, const char *text, size_t len)
{
	size_t unspoken = turn_queue_unspoken(&mouth->queue);
	int err;

	if (!mouth->is_open || mouth->has_failed)
		return 0;
	if (unspoken + len > MOUTH_TEXT_MAX)
		return EMSGSIZE;
	mouth->is_ended = false;
	timer_clear(mouth->session.services->timers, &mouth->end_timer);
	++mouth->depth;
	mouth_note_text(mouth, text, len);
	err = turn_queue_text(&mouth->queue, &mouth->session.settings, text, len,
			      MOUTH_TEXT_MAX - unspoken);
	--mouth->depth;
	return err;
}

void mouth_end(struct mouth *mouth)
{
	if (!mouth->is_open || mouth->is_ended)
		return;
	++mouth->depth;
	mouth->is_ended = true;
	turn_queue_end(&mouth->queue);
	--mouth->depth;
	mouth_pump_later(mouth, 0);
}

void mouth_release(struct mouth *mouth)
{
	mouth->is_held = false;
	mouth_pump_later(mouth, 0);
}

void mouth_duck(struct mouth *mouth, bool is_ducked)
{
	mouth->is_ducked = is_ducked;
}

void mouth_pause(struct mouth *mouth, bool is_paused)
{
	mouth->is_paused = is_paused;
	if (!is_paused && mouth->is_open)
		mouth_pump_later(mouth, 0);
}

/* How many samples of the utterance were played this long ago. */
static uint64_t mouth_played(const struct mouth *mouth, unsigned delay_ms)
{
	uint64_t now_us = mouth_now_us(mouth);
	uint64_t start_us = mouth->sent.start_us + delay_ms * UINT64_C(1000);
	uint64_t played;

	if (mouth->sent.start_us == 0 || now_us <= start_us)
		return 0;
	played = (now_us - start_us) * mouth_rate(mouth) / 1000000u;
	return played < mouth->sent.samples ? played : mouth->sent.samples;
}

void mouth_cut(struct mouth *mouth, unsigned delay_ms, struct buf *heard)
{
	uint64_t played = mouth_played(mouth, delay_ms);
	struct turn *turn = turn_queue_front(&mouth->queue);
	struct turn_heard part;

	++mouth->depth;
	if (heard) {
		heard->len = 0;
		(void)buf_append(heard, mouth->earlier.bytes, mouth->earlier.len);
	}
	if (heard && mouth->last && played > mouth->last_from) {
		finished_turn_heard(mouth->last, &part, mouth_now_us(mouth),
				    mouth_ms(mouth, played - mouth->last_from));
		mouth_append_heard(heard, &part);
	}
	if (turn && turn_cancel(turn) == 0 && heard && played > mouth->turn_from) {
		turn_heard(turn, &part, mouth_ms(mouth, played - mouth->turn_from));
		mouth_append_heard(heard, &part);
	}
	turn_queue_cancel(&mouth->queue);
	mouth_forget(mouth);
	--mouth->depth;
}

uint64_t mouth_sent(const struct mouth *mouth)
{
	return mouth->sent.samples;
}

void mouth_take_back(struct mouth *mouth, uint64_t samples)
{
	mouth->sent.samples -= samples < mouth->sent.samples ? samples : mouth->sent.samples;
}

void mouth_note_played(struct mouth *mouth, uint64_t samples)
{
	uint64_t now_us = mouth_now_us(mouth);
	uint64_t played_us = samples * 1000000u / mouth_rate(mouth);

	if (mouth->is_open && samples <= mouth->sent.samples && played_us < now_us)
		mouth->sent.start_us = now_us - played_us;
}

float mouth_level_db(const struct mouth *mouth)
{
	uint64_t now_us = mouth_now_us(mouth);
	float loudest = INTONATION_SILENCE_DB;

	for (size_t i = 0; i < MOUTH_LEVELS; ++i) {
		const struct mouth_level *level = &mouth->levels[i];

		if (level->at_us > 0 && level->at_us + MOUTH_ECHO_US > now_us &&
		    level->db > loudest)
			loudest = level->db;
	}
	return loudest;
}

const char *mouth_recent_text(const struct mouth *mouth, size_t *len)
{
	*len = mouth->recent.len;
	return mouth->recent.len ? mouth->recent.bytes : "";
}

static void mouth_destroy(void *object)
{
	struct mouth *mouth = object;

	mouth_forget(mouth);
	turn_queue_reset(&mouth->queue);
	buf_reset(&mouth->earlier);
	buf_reset(&mouth->recent);
	session_reset(&mouth->session);
}

struct mouth *mouth_close(struct mouth *mouth)
{
	if (mouth)
		mouth_cut(mouth, 0, NULL);
	return mem_deref(mouth);
}

int mouth_alloc(struct mouth **mouthp, const struct mouth_request *request,
		const struct mouth_ops *ops, void *arg)
{
	enum audio_encoding encoding = request->settings->format.encoding;
	struct mouth *mouth = NULL;
	struct turn_owner owner = {.context = ""};

	if (encoding != AUDIO_PCM16 && encoding != AUDIO_MULAW)
		return EINVAL; /* its frames could not be made quieter */
	mouth = mem_zalloc(sizeof(*mouth), NULL);
	if (!mouth)
		return ENOMEM;
	owner.session = &mouth->session;
	mouth->ops = ops;
	mouth->arg = arg;
	mouth->peer = (struct peer){.ops = &mouth_peer_ops, .peer = mouth};
	list_init(&mouth->frames);
	buf_init(&mouth->earlier, MOUTH_TEXT_MAX);
	buf_init(&mouth->recent, MOUTH_RECENT_MAX);
	session_init(&mouth->session, &mouth_dialect, request->services, &mouth->peer,
		     request->request_id, request->caller);
	turn_queue_init(&mouth->queue, &owner, MOUTH_TURNS_MAX, &mouth_queue_ops, mouth);
	mem_set_destructor(mouth, mouth_destroy);
	settings_copy(&mouth->session.settings, request->settings);
	mouth->session.settings.auto_mode =
		true; /* words are heard as soon as a sentence is complete */
	mouth->session.settings.word_timestamps = true; /* to know which words were heard */
	*mouthp = mouth;
	return 0;
}
