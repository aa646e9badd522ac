/*
 * ear.c: listens to a caller (see ear.h).
 */
#include "call/ear.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audio/intonation.h"
#include "base/buf.h"
#include "base/log.h"
#include "base/mem.h"
#include "hearing/segmenter.h"
#include "session/audio_intake.h"
#include "session/heard_queue.h"
#include "session/model_choice.h"
#include "session/transcription.h"

/* What the last frames sounded like, for when their probabilities are known: eight seconds, which is longer
 * than a worker that died needs to be replaced. */
#define EAR_FRAMES 256u

/* Audio that is remembered for its intonation: the tail, and what was received while it was scored.  It
 * has whole frames. */
#define EAR_TAPE (96u * HEARING_FRAME)

/* In samples. */
#define EAR_PAUSE (EAR_PAUSE_MS * HEARING_RATE / 1000u)
#define EAR_SETTLE_PAUSE (EAR_SETTLE_PAUSE_MS * HEARING_RATE / 1000u)

struct ear {
	const struct session_services *services;
	const struct ear_ops *ops;
	void *arg;
	struct audio_intake *intake;
	struct transcription *transcription; /* NULL: it has failed, or was closed */
	size_t message_max; /* bytes of audio in one message */
	struct buf held; /* samples that the transcription has not taken */
	bool is_paused; /* the client was asked to pause */

	uint64_t received; /* samples that were given to the transcription */
	int16_t tape[EAR_TAPE]; /* the last of them; sample n is at n % EAR_TAPE */
	int16_t tail[EAR_TAIL_SAMPLES]; /* the audio before the last pause */
	size_t tail_count;
	struct intonation_frame frames[EAR_FRAMES]; /* frame n at n % EAR_FRAMES */
	uint64_t scored; /* the end of the last frame whose probability is known */

	/* The turn. */
	bool is_turn; /* the caller has begun to speak in this turn */
	bool is_speech;
	bool has_words; /* those of the last pause */
	uint64_t turn_from; /* where the part of the turn begins that is not settled */
	uint64_t speech_from; /* where the caller last began to speak */
	uint64_t speech_end; /* where the caller last stopped */
	uint64_t settle_after; /* a turn with more samples is settled at its next pause */
	struct heard_queue settled; /* pieces before turn_from, whose words may not be known yet */
	struct hearing_piece piece; /* from turn_from to the last pause; its number is 0: none */
	bool is_known; /* its words are: `last`, in this language */
	char language[HEARING_LANGUAGE_MAX];
	struct buf last;
	struct buf text; /* the words that were reported last */
};

static void ear_flow(struct ear *ear, bool is_paused)
{
	if (ear->is_paused == is_paused)
		return;
	ear->is_paused = is_paused;
	ear->ops->flow(ear->arg, is_paused);
}

/* Only what the words of this turn may be made of is kept. */
static void ear_keep(struct ear *ear)
{
	if (ear->transcription)
		transcription_keep_from(ear->transcription,
					ear->is_turn ? ear->turn_from : UINT64_MAX);
}

/* Sets the text to the words that are settled, followed by these.  Those that do not fit are left out. */
static void ear_compose(struct ear *ear, const char *text, size_t len, const char *language)
{
	const struct hearing_result result = {.text = text, .text_len = len, .language = language};

	ear->text.len = 0;
	(void)heard_queue_preview(&ear->settled, &ear->text, &result);
}

/* Forgets the piece up to the last pause. */
static void ear_forget_piece(struct ear *ear)
{
	ear->piece.number = 0;
	ear->is_known = ear->has_words = false;
	ear->last.len = 0;
}

static void ear_forget_settled(struct ear *ear)
{
	heard_queue_reset(&ear->settled);
	heard_queue_init(&ear->settled);
}

/* The words of a piece will not change, whether they are known yet or not: what follows it is recognized
 * by itself.  A piece that was refused is lost, so that the turn does not become longer than a piece may
 * be. */
static void ear_settle(struct ear *ear, const struct hearing_piece *piece)
{
	ear->turn_from = piece->to_sample;
	if (piece->number == 0 || heard_queue_add(&ear->settled, piece) != 0)
		log_warn("call", "a part of what a caller has said is lost");
	else
		heard_queue_asked(&ear->settled, piece->number);
}

/* Moves words that have become known to the settled text.  Commits, after which heard_queue_next would
 * return something, are not used. */
static void ear_take_settled(struct ear *ear, const struct hearing_result *result)
{
	struct heard_segment segment;

	(void)heard_queue_result(&ear->settled, result);
	(void)heard_queue_next(&ear->settled, &segment);
}

/* Settles the piece up to the last pause. */
static void ear_settle_piece(struct ear *ear)
{
	const struct hearing_result result = {.piece = ear->piece,
					      .text = ear->last.bytes,
					      .text_len = ear->last.len,
					      .language = ear->language};

	ear_settle(ear, &ear->piece);
	if (ear->is_known)
		ear_take_settled(ear, &result);
}

/* Reports the words of the turn, once those of all its pieces are known. */
static void ear_report_words(struct ear *ear)
{
	if (!ear->is_known || ear->has_words || !heard_queue_is_empty(&ear->settled))
		return;
	ear_compose(ear, ear->last.bytes, ear->last.len, ear->language);
	ear->has_words = true;
	ear->ops->words(ear->arg, ear->text.len ? ear->text.bytes : "", ear->text.len);
}

/* What the transcription says */

static void ear_on_activity(void *arg, uint64_t first_sample, const uint8_t *probabilities,
			    size_t count)
{
	struct ear *ear = arg;

	mem_ref(ear);
	for (size_t i = 0; i < count && ear->transcription; ++i) {
		uint64_t number = first_sample / HEARING_FRAME + i;
		const struct intonation_frame *sound = &ear->frames[number % EAR_FRAMES];
		const struct ear_frame frame = {.probability = probabilities[i],
						.level_db = sound->level_db,
						.brightness_db = sound->brightness_db,
						.voicing = sound->voicing};

		ear->scored = (number + 1) * HEARING_FRAME;
		ear->ops->frame(ear->arg, &frame);
	}
	mem_deref(ear);
}

static void ear_began(struct ear *ear, uint64_t from_sample)
{
	if (!ear->is_turn) {
		ear->is_turn = true;
		ear->turn_from = from_sample;
		ear_forget_settled(ear);
	} else if (from_sample >= ear->piece.to_sample + EAR_SETTLE_PAUSE ||
		   ear->piece.to_sample - ear->turn_from > ear->settle_after) {
		ear_settle_piece(ear);
	}
	ear_forget_piece(ear);
	ear->speech_from = from_sample;
	ear->is_speech = true;
	ear_keep(ear);
	ear->ops->speech(ear->arg);
}

/* Keeps the audio before a pause, as long as it is on the tape. */
static void ear_keep_tail(struct ear *ear)
{
	uint64_t to = ear->piece.to_sample;
	uint64_t oldest = ear->received > EAR_TAPE ? ear->received - EAR_TAPE : 0;
	uint64_t from = to > EAR_TAIL_SAMPLES ? to - EAR_TAIL_SAMPLES : 0;

	if (from < ear->speech_from)
		from = ear->speech_from;
	if (from < oldest)
		from = oldest;
	ear->tail_count = 0;
	while (from + ear->tail_count < to) {
		ear->tail[ear->tail_count] = ear->tape[(from + ear->tail_count) % EAR_TAPE];
		++ear->tail_count;
	}
}

static void ear_ended(struct ear *ear, const struct segmenter_event *event)
{
	const struct hearing_piece piece = {
		.number = transcription_recognize(ear->transcription, ear->turn_from,
						  event->to_sample, true),
		.from_sample = ear->turn_from,
		.to_sample = event->to_sample,
		.is_final = true,
	};

	if (event->is_cut) {
		ear_settle(ear, &piece);
		ear_keep(ear);
		return;
	}
	ear_forget_piece(ear);
	ear->piece = piece;
	ear->is_known = piece.number == 0; /* it was refused: only what is settled is known */
	ear->is_speech = false;
	/* A piece includes its pause. */
	ear->speech_end = piece.to_sample - EAR_PAUSE;
	ear_keep_tail(ear);
	mem_ref(ear);
	ear->ops->pause(ear->arg);
	if (ear->transcription)
		ear_report_words(ear);
	mem_deref(ear);
}

static void ear_on_event(void *arg, const struct segmenter_event *event)
{
	struct ear *ear = arg;

	if (!ear->transcription)
		return;
	if (event->type == SEGMENTER_START)
		ear_began(ear, event->from_sample);
	else if (event->type == SEGMENTER_END && ear->is_turn)
		ear_ended(ear, event);
	else if (event->type == SEGMENTER_PARTIAL && ear->is_turn)
		(void)transcription_recognize(ear->transcription, ear->turn_from, event->to_sample,
					      false);
}

/* Results of pieces that a later pause or the next turn has made obsolete are ignored. */
static void ear_on_result(void *arg, const struct hearing_result *result)
{
	struct ear *ear = arg;
	const struct hearing_piece *piece = &result->piece;

	if (!ear->transcription || !ear->is_turn)
		return;
	if (!piece->is_final) {
		if (!ear->is_speech || piece->from_sample != ear->turn_from ||
		    !heard_queue_is_empty(&ear->settled))
			return;
		ear_compose(ear, result->text, result->text_len, result->language);
		if (ear->text.len > 0)
			ear->ops->partial(ear->arg, ear->text.bytes, ear->text.len);
		return;
	}
	if (piece->number == ear->piece.number) {
		snprintf(ear->language, sizeof(ear->language), "%s", result->language);
		(void)buf_append(&ear->last, result->text, result->text_len);
		ear->is_known = true;
	} else {
		ear_take_settled(ear, result);
	}
	ear_report_words(ear);
}

/* Levels, and what was said last, are noted as audio is given to the transcription. */
static void ear_note(struct ear *ear, const int16_t *samples, size_t count)
{
	for (size_t i = 0; i < count; ++i) {
		ear->tape[ear->received % EAR_TAPE] = samples[i];
		if (++ear->received % HEARING_FRAME != 0)
			continue;
		ear->frames[(ear->received / HEARING_FRAME - 1) % EAR_FRAMES] = intonation_of_frame(
			&ear->tape[(ear->received - HEARING_FRAME) % EAR_TAPE], HEARING_FRAME);
	}
}

static void ear_pump(struct ear *ear)
{
	mem_ref(ear);
	while (ear->transcription && ear->held.len > 0) {
		const int16_t *samples = (const int16_t *)(const void *)ear->held.bytes;
		size_t room = transcription_room(ear->transcription);
		size_t count = ear->held.len / sizeof(*samples);

		count = count < room ? count : room;
		if (count == 0)
			break;
		ear_note(ear, samples, count);
		transcription_send(ear->transcription, samples, count);
		buf_consume(&ear->held, count * sizeof(*samples));
	}
	if (ear->transcription)
		ear_flow(ear, ear->held.len > EAR_HELD_S / 2 * HEARING_RATE * sizeof(int16_t));
	mem_deref(ear);
}

static void ear_on_room(void *arg)
{
	ear_pump(arg);
}

static void ear_on_failed(void *arg, const struct stream_fault *fault)
{
	struct ear *ear = arg;

	ear->ops->failed(ear->arg, fault);
}

/* A stream is never finished, only closed, so this is not called. */
static void ear_on_done(void *arg, const struct transcription_usage *usage)
{
	(void)arg;
	(void)usage;
}

static const struct transcription_ops ear_transcription_ops = {
	.activity = ear_on_activity,
	.event = ear_on_event,
	.result = ear_on_result,
	.room = ear_on_room,
	.failed = ear_on_failed,
	.done = ear_on_done,
};

int ear_audio(struct ear *ear, const uint8_t *bytes, size_t len)
{
	size_t room = audio_intake_room(ear->intake, len);
	size_t count;
	int err;

	if (!ear->transcription)
		return 0;
	if (len > ear->message_max)
		return EMSGSIZE;
	err = buf_reserve(&ear->held, room * sizeof(int16_t));
	if (err)
		return err == ENOBUFS ? EMSGSIZE : err;
	err = audio_intake_write(ear->intake, (int16_t *)(void *)(ear->held.bytes + ear->held.len),
				 &count, bytes, len);
	if (err)
		return err;
	ear->held.len += count * sizeof(int16_t);
	ear_pump(ear);
	return 0;
}

void ear_next_turn(struct ear *ear)
{
	ear->is_turn = ear->is_speech;
	if (ear->turn_from < ear->speech_from) /* otherwise the speech was cut meanwhile */
		ear->turn_from = ear->speech_from;
	ear_forget_piece(ear);
	ear_forget_settled(ear);
	ear->text.len = 0;
	ear_keep(ear);
}

bool ear_is_speech(const struct ear *ear)
{
	return ear->is_speech;
}

bool ear_has_words(const struct ear *ear)
{
	return ear->has_words;
}

bool ear_awaits_words(const struct ear *ear)
{
	return ear->is_turn && !ear->is_speech && !ear->has_words;
}

const char *ear_text(const struct ear *ear, size_t *len)
{
	*len = ear->text.len;
	return ear->text.len ? ear->text.bytes : "";
}

unsigned ear_silence_ms(const struct ear *ear)
{
	if (ear->is_speech || ear->scored < ear->speech_end)
		return 0;
	return (unsigned)((ear->scored - ear->speech_end) * 1000 / HEARING_RATE);
}

const int16_t *ear_tail(const struct ear *ear, size_t *count)
{
	*count = ear->tail_count;
	return ear->tail;
}

static void ear_destroy(void *object)
{
	struct ear *ear = object;

	mem_deref(ear->intake);
	buf_reset(&ear->held);
	heard_queue_reset(&ear->settled);
	buf_reset(&ear->last);
	buf_reset(&ear->text);
}

struct ear *ear_close(struct ear *ear)
{
	if (ear)
		ear->transcription = transcription_close(ear->transcription);
	return mem_deref(ear);
}

static int ear_listen(struct ear *ear, const struct ear_request *request,
		      struct stream_fault *fault)
{
	struct transcription_request wanted = {
		.services = request->services,
		.caller = request->caller,
		.language = request->language,
		.want_partials = request->want_partials,
		.is_live = true,
		.commits = TRANSCRIPTION_BY_OWNER,
		.seconds_max = EAR_AUDIO_S,
	};
	int err = model_choice_find(&wanted.model, request->services, request->model,
				    request->language, fault);

	if (err)
		return err;
	ear->settle_after = EAR_SETTLE_S * HEARING_RATE;
	if (ear->settle_after > wanted.model->piece_max / 3)
		ear->settle_after = wanted.model->piece_max / 3;
	/* What is not settled, a pause and the longest segment must be one piece. */
	wanted.segments = segmenter_defaults(wanted.model->piece_max - (uint32_t)ear->settle_after -
					     EAR_SETTLE_PAUSE);
	wanted.segments.end_ms = EAR_PAUSE_MS;
	if (!request->want_partials || !wanted.model->has_partials)
		wanted.segments.partial_ms = 0;
	return transcription_alloc(&ear->transcription, &wanted, &ear_transcription_ops, ear);
}

int ear_alloc(struct ear **earp, const struct ear_request *request, const struct ear_ops *ops,
	      void *arg, struct stream_fault *fault)
{
	size_t sample_size = request->format.encoding == LISTEN_PCM16 ? sizeof(int16_t) : 1;
	struct ear *ear = mem_zalloc(sizeof(*ear), NULL);
	int err;

	fault_set(fault, WIRE_ERROR_INTERNAL, "%s", "");
	if (!ear)
		return ENOMEM;
	ear->services = request->services;
	ear->ops = ops;
	ear->arg = arg;
	ear->message_max = (size_t)EAR_MESSAGE_S * request->format.sample_rate * sample_size;
	buf_init(&ear->held, EAR_HELD_S * HEARING_RATE * sizeof(int16_t));
	heard_queue_init(&ear->settled);
	buf_init(&ear->last, EAR_TEXT_MAX);
	buf_init(&ear->text, EAR_TEXT_MAX);
	mem_set_destructor(ear, ear_destroy);
	err = audio_intake_alloc(&ear->intake, &request->format);
	if (!err)
		err = ear_listen(ear, request, fault);
	if (err) {
		mem_deref(ear);
		return err;
	}
	ear_keep(ear);
	*earp = ear;
	return 0;
}

void ear_begin(struct ear *ear, const char *prompt)
{
	transcription_begin(ear->transcription, prompt);
}
