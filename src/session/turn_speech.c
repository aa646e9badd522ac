/*
 * turn_speech.c: the voice of a turn (see turn.h, turn_private.h).
 *
 * One chunk is spoken at a time, and of it one part: its silence, then its job.
 * Samples go through the turn's pipeline and leave as frames as soon as they
 * are whole; when the peer is full, or far enough ahead of playback, the job is
 * held, and neither a silence nor a further part is begun.
 *
 * Frames of a format that has an encoder leave when they come back from it
 * (encoding.h); a chunk ends, and the turn's last words leave, when all have.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "audio/stretch.h"
#include "base/log.h"
#include "base/mem.h"
#include "metrics/metrics.h"
#include "session/turn_private.h"

/* Silence is made in pieces, so that a client that does not read stops it as it
 * stops other audio. */
#define SILENCE_PIECE_MS AUDIO_FRAME_MAX_MS

/* Sentences that only wait for the schedule are spoken when so little is left to
 * hear: neural voices have their first sound after 0.06 s, after 0.2 s on a
 * machine that is full, and the rest is for the way to the listener.  More would
 * make chunks shorter than they were asked to be. */
#define RELEASE_AHEAD_MS 250

/* What the stretcher can do.  An API may offer all of it or less: messages are checked against
 * its own limits when they are read. */
#define SPEED_MIN ((double)STRETCH_MIN / STRETCH_UNIT)
#define SPEED_MAX ((double)STRETCH_MAX / STRETCH_UNIT)

/* What engines with speeds of their own are asked for, apart from a derived voice's pace.  They
 * keep to these within some percent; asked for 1.5, neural voices are 12 % too fast, and eSpeak
 * at 2 as well. */
#define ENGINE_SPEED_MIN 0.8
#define ENGINE_SPEED_MAX 1.2

static void on_audio(void *arg, const int16_t *samples, size_t count, unsigned sample_rate);
static void on_word(void *arg, const struct speech_word *word);
static void on_end(void *arg, enum speech_end how, uint32_t busy_us);
static encoding_h on_encoded;

static const struct speech_listener listener = {
	.audio = on_audio,
	.word = on_word,
	.end = on_end,
};

static const struct dialect *dialect_of(const struct turn *turn)
{
	return turn->owner.session->dialect;
}

static const struct peer *peer_of(const struct turn *turn)
{
	return turn->owner.session->peer;
}

static uint64_t now_us(const struct turn *turn)
{
	return turn->services->timers->now_us;
}

static const char *language_of(const struct turn *turn)
{
	return turn->settings.language[0] ? turn->settings.language : turn->voice->language;
}

static int open_chunker(struct turn *turn)
{
	struct chunker_options options = {
		.schedule_len = turn->settings.schedule_len,
		.auto_mode = turn->settings.auto_mode,
		.buffer_max = turn->settings.max_buffer_length,
	};
	const char *language = language_of(turn);

	for (size_t i = 0; i < turn->settings.schedule_len; ++i)
		options.schedule[i] = turn->settings.schedule[i];
	if (strlen(language) < sizeof(options.language)) /* else it is none that we know */
		memcpy(options.language, language, strlen(language) + 1);
	return chunker_alloc(&turn->chunker, &options);
}

int turn_speech_open(struct turn *turn)
{
	struct speech *speech = turn->services->speech;

	turn->reader = (struct reader){
		.language = language_find(language_of(turn)),
		.normalizes = turn->settings.normalize,
		.reads_phonemes = speech->ops->reads_phonemes(speech, turn->voice),
		.markup = turn->settings.markup,
	};
	transcript_init(&turn->transcript, turn->format.sample_rate);
	chunk_words_init(&turn->utterance.words);
	return open_chunker(turn);
}

/* Only when it begins to speak: many turns may wait, and stretchers and encoders
 * are large. */
static int open_pipeline(struct turn *turn)
{
	const struct session_services *services = turn->services;
	int err = 0;

	if (!turn->pipeline)
		err = pipeline_alloc(&turn->pipeline, &turn->format, 1.0);
	if (err || turn->encoding || !audio_format_needs_encoder(turn->format.encoding))
		return err;
	return encoding_alloc(&turn->encoding, services->encode_threads, services->timers,
			      &turn->format, on_encoded, turn);
}

/* The next chunk knows this one's words. */
static void utterance_reset(struct utterance *utterance)
{
	if (utterance->spoken) {
		mem_deref(utterance->before);
		utterance->before = utterance->spoken;
	}
	utterance->spoken = NULL;
	free(utterance->text);
	utterance->text = NULL;
	utterance->has_begun = false;
	chunk_words_clear(&utterance->words);
}

static void turn_speech_cancel_job(struct turn *turn)
{
	struct speech *speech = turn->services->speech;

	if (turn->utterance.job)
		speech->ops->cancel(turn->utterance.job);
	turn->utterance.job = NULL;
	timer_clear(turn->services->timers, &turn->lead_timer);
}

void turn_hush(struct turn *turn)
{
	turn_speech_cancel_job(turn);
	turn->encoding = encoding_close(turn->encoding);
}

void turn_speech_close(struct turn *turn)
{
	turn_hush(turn);
	utterance_reset(&turn->utterance);
	turn->utterance.before = mem_deref(turn->utterance.before);
	chunk_words_reset(&turn->utterance.words);
	transcript_reset(&turn->transcript);
	turn->chunker = mem_deref(turn->chunker);
	turn->pipeline = mem_deref(turn->pipeline);
}

void turn_yield(struct turn *turn)
{
	struct speech *speech = turn->services->speech;

	turn->yields = true;
	if (turn->utterance.job)
		speech->ops->yield(turn->utterance.job);
}

bool turn_awaits_room(const struct turn *turn)
{
	return turn->utterance.text && !turn->utterance.has_begun;
}

/* Of the chunk that is being spoken. */
static unsigned chunk_id(const struct turn *turn)
{
	return turn->counters->chunks - 1;
}

static int send_frame(struct turn *turn, const struct audio_frame *frame)
{
	struct buf message;
	int err;

	if (!turn_may_send(turn, frame->samples))
		return ECANCELED;
	turn_mind_gap(turn);
	err = dialect_of(turn)->audio(turn_begin_message(turn, &message), turn->owner.context,
				      frame, &turn->format, turn->counters->frames, chunk_id(turn));
	if (err) {
		buf_reset(&message);
		return err;
	}
	if (!turn->first_audio_us) {
		turn->first_audio_us = now_us(turn);
		metrics_observe(METRIC_FIRST_AUDIO, turn->first_audio_us - turn->begun_us);
	}
	metrics_add(METRIC_FRAMES, 1);
	++turn->audio_chunks;
	++turn->counters->frames;
	turn->samples_sent += frame->samples;
	turn_note_progress(turn);
	turn_send(turn, &message, 0, turn->tag, (uint32_t)frame->samples);
	return 0;
}

static int encode_frame(struct turn *turn, const struct audio_frame *frame)
{
	return encoding_write(turn->encoding, (const int16_t *)(const void *)frame->bytes,
			      frame->samples);
}

static void say_complete(struct turn *turn, uint64_t samples)
{
	const struct dialect *dialect = dialect_of(turn);
	double seconds = (double)samples / turn->format.sample_rate;
	struct buf message;

	if (dialect->chunk_complete)
		turn_send(turn, &message,
			  dialect->chunk_complete(turn_begin_message(turn, &message),
						  turn->owner.context, chunk_id(turn), seconds,
						  (double)turn->utterance.busy_us / 1000.0),
			  turn->tag, 0);
}

void turn_cut_chunk(struct turn *turn)
{
	turn_speech_cancel_job(turn);
	turn->pipeline = mem_deref(turn->pipeline);
	if (turn->utterance.has_begun)
		say_complete(turn, turn->samples_sent - turn->utterance.sent_before);
	utterance_reset(&turn->utterance);
}

/* A frame was not sent; the turn may be gone with that. */
static void give_up_frame(struct turn *turn, int err)
{
	if (err == ECANCELED) { /* the account cannot pay for it: the turn ends */
		turn->encoding = encoding_close(turn->encoding);
		turn_cut_chunk(turn);
		turn_curtail(turn);
	} else {
		turn_fail(turn, WIRE_ERROR_INTERNAL, NULL);
	}
}

/* False when the turn has failed or was cut off: then it may be gone. */
static bool send_frames(struct turn *turn)
{
	struct audio_frame frame;

	while (pipeline_next(turn->pipeline, &frame)) {
		int err = (turn->encoding ? encode_frame : send_frame)(turn, &frame);

		if (err) {
			give_up_frame(turn, err);
			return false;
		}
		transcript_audio(&turn->transcript, frame.samples);
	}
	turn_mind_lead(turn);
	turn_update_hold(turn);
	return true;
}

static void on_encoded(void *arg, int err, const struct audio_frame *frame)
{
	struct turn *turn = arg;

	if (!err && frame->len > 0)
		err = send_frame(turn, frame);
	if (err) {
		give_up_frame(turn, err);
		return;
	}
	turn_mind_lead(turn);
	turn_update_hold(turn);
	turn_speak(turn);
}

static const struct spoken_part *current_part(const struct turn *turn)
{
	return &turn->utterance.spoken->parts[turn->utterance.part];
}

static double turn_limit(double value, double min, double max)
{
	return value < min ? min : (value > max ? max : value);
}

static double turn_asked_speed(const struct turn *turn, const struct spoken_part *part)
{
	return part->rate > 0 ? part->rate : turn->settings.speed;
}

/* A derived voice has a pace of its own, which multiplies with what was asked for. */
double turn_speed(const struct turn *turn, const struct spoken_part *part)
{
	return turn_limit(turn_asked_speed(turn, part) * voice_rate(turn->voice), SPEED_MIN,
			  SPEED_MAX);
}

/* The part of it that an engine does which has speeds of its own; the stretcher does the rest. */
static double turn_engine_speed(const struct turn *turn, const struct spoken_part *part)
{
	double speed = turn_limit(turn_asked_speed(turn, part), ENGINE_SPEED_MIN, ENGINE_SPEED_MAX);

	return turn_limit(speed * voice_rate(turn->voice), VOICE_RATE_MIN, VOICE_RATE_MAX);
}

/* When the first samples are there, and not before: only an engine that has loaded has said
 * whether it changes the speed itself. */
static int set_part_speed(struct turn *turn)
{
	struct speech *speech = turn->services->speech;
	double speed = turn_speed(turn, current_part(turn));

	if (speech->ops->has_own_speed(speech, turn->voice))
		speed /= turn_engine_speed(turn, current_part(turn));
	return pipeline_set_speed(turn->pipeline, speed);
}

static void on_audio(void *arg, const int16_t *samples, size_t count, unsigned sample_rate)
{
	struct turn *turn = arg;
	int err = turn->utterance.engine_rate ? 0 : set_part_speed(turn);

	turn->utterance.engine_rate = sample_rate;
	if (err || pipeline_write(turn->pipeline, samples, count, sample_rate) != 0)
		turn_fail(turn, WIRE_ERROR_GENERATION_FAILED, NULL);
	else
		(void)send_frames(turn);
}

static void on_word(void *arg, const struct speech_word *word)
{
	struct turn *turn = arg;

	if (turn->settings.word_timestamps)
		chunk_words_hear(&turn->utterance.words, word);
}

static void note_words(struct turn *turn)
{
	struct utterance *utterance = &turn->utterance;
	const struct chunk_words_part part = {
		.spoken = current_part(turn),
		.pipeline = turn->pipeline,
		.engine_rate = utterance->engine_rate,
		.sample_rate = turn->format.sample_rate,
		.chunk_start = utterance->samples_before,
	};

	if (turn->settings.word_timestamps)
		chunk_words_end_part(&utterance->words, &part, utterance->text,
				     utterance->text_len);
}

/* Of the chunk that is being spoken, as they have left the pipeline. */
static uint64_t chunk_samples(const struct turn *turn)
{
	return pipeline_samples_out(turn->pipeline) - turn->utterance.samples_before;
}

static void send_words(struct turn *turn)
{
	const struct dialect *dialect = dialect_of(turn);
	struct dialect_words said = {
		.text = turn->utterance.text,
		.text_len = turn->utterance.text_len,
		.audio_ms = (unsigned)(chunk_samples(turn) * 1000 / turn->format.sample_rate),
		.markup = turn->settings.markup,
	};

	struct buf message;

	if (turn->settings.context_times)
		said.before_ms = (unsigned)(turn->counters->audio_us / 1000);
	said.words = chunk_words_get(&turn->utterance.words, &said.count);
	if (said.count > 0 && dialect->words)
		turn_send(turn, &message,
			  dialect->words(turn_begin_message(turn, &message), turn->owner.context,
					 chunk_id(turn), &said),
			  turn->tag, 0);
}

static void begin_part(struct turn *turn, size_t part)
{
	struct utterance *utterance = &turn->utterance;

	utterance->part = part;
	utterance->engine_rate = 0;
	if (part < utterance->spoken->parts_len)
		utterance->silence_left = (uint64_t)utterance->spoken->parts[part].pause_ms *
					  turn->format.sample_rate / 1000;
}

/* Its last part was spoken.  Called again, by turn_speak, while frames of it are
 * in the encoder. */
static void finish_chunk(struct turn *turn)
{
	if (pipeline_end_chunk(turn->pipeline) != 0) {
		turn_fail(turn, WIRE_ERROR_GENERATION_FAILED, NULL);
		return;
	}
	if (!send_frames(turn))
		return;
	if (turn->encoding && !encoding_is_idle(turn->encoding))
		return;
	transcript_end(&turn->transcript);
	send_words(turn);
	say_complete(turn, chunk_samples(turn));
	turn->counters->audio_us += chunk_samples(turn) * 1000000u / turn->format.sample_rate;
	utterance_reset(&turn->utterance);
	turn->quiet_since_us = now_us(turn);
	turn_speak(turn);
}

/* The engine has spoken a part's text. */
static void finish_part(struct turn *turn, uint32_t busy_us)
{
	struct utterance *utterance = &turn->utterance;

	utterance->busy_us += busy_us;
	turn->busy_us += busy_us;
	if (pipeline_end_part(turn->pipeline) != 0) {
		turn_fail(turn, WIRE_ERROR_GENERATION_FAILED, NULL);
		return;
	}
	note_words(turn);
	begin_part(turn, utterance->part + 1);
	if (utterance->part < utterance->spoken->parts_len && !send_frames(turn))
		return;
	turn_speak(turn);
}

static void on_end(void *arg, enum speech_end how, uint32_t busy_us)
{
	struct turn *turn = arg;

	turn->utterance.job = NULL; /* gone when we return */
	switch (how) {
	case SPEECH_DONE:
		finish_part(turn, busy_us);
		break;
	case SPEECH_FAILED:
		turn_fail(turn, WIRE_ERROR_GENERATION_FAILED, NULL);
		break;
	case SPEECH_UNAVAILABLE:
		turn_fail(turn, WIRE_ERROR_UNAVAILABLE, NULL);
		break;
	}
}

/* What was said last: a part of this chunk, or the end of the chunk before. */
static const struct spoken_part *part_before(const struct turn *turn)
{
	static const struct spoken_part none = {.text = ""};
	const struct utterance *utterance = &turn->utterance;
	const struct spoken *spoken = utterance->part > 0 ? utterance->spoken : utterance->before;
	size_t i = utterance->part > 0 ? utterance->part : spoken ? spoken->parts_len : 0;

	while (i > 0 && spoken->parts[i - 1].len == 0)
		--i;
	return i > 0 ? &spoken->parts[i - 1] : &none;
}

/* What chooses among the readings of the next job's text.  Every turn has its own,
 * from the random number that is its tag, and so has every job in it; a client's
 * seed takes the place of the turn's.  0 is the reading that is always the same. */
static uint64_t turn_speech_seed(const struct turn *turn)
{
	const struct settings *settings = &turn->settings;
	bool has_seed = settings->set & SETTING_SEED;
	uint64_t h = has_seed ? settings->seed : turn->tag;

	if (settings->temperature <= 0 || (turn->services->repeatable && !has_seed))
		return 0;
	h += (turn->jobs + 1) * UINT64_C(0x9e3779b97f4a7c15); /* SplitMix64 */
	h = (h ^ (h >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	h = (h ^ (h >> 27)) * UINT64_C(0x94d049bb133111eb);
	h ^= h >> 31;
	return h ? h : 1;
}

static int start_job(struct turn *turn)
{
	struct speech *speech = turn->services->speech;
	const struct spoken_part *part = current_part(turn);
	const struct spoken_part *before = part_before(turn);
	struct speech_request request = {
		.voice = turn->voice,
		.language = turn->settings.language,
		.text = part->text,
		.text_len = part->len,
		.text_before = before->text,
		.text_before_len = before->len,
		.phonemes = part->phonemes,
		.phonemes_len = part->phonemes_len,
		.turn = turn->tag,
		.due_us = turn_runs_dry_us(turn),
		.speed = (float)turn_engine_speed(turn, part),
		.temperature = (float)turn->settings.temperature,
		.seed = turn_speech_seed(turn),
		.first = turn->jobs == 0,
		.yields = turn->yields,
	};

	++turn->jobs;
	return speech->ops->start(&turn->utterance.job, speech, &request, &listener, turn);
}

static void begin_job(struct turn *turn)
{
	int err = start_job(turn);

	if (err) /* ENOENT: its voice is there, and nobody who speaks it */
		turn_fail(turn, err == ENOENT ? WIRE_ERROR_UNAVAILABLE : WIRE_ERROR_INTERNAL, NULL);
}

/* As much of it as there is room for.  False when the turn has failed. */
static bool send_silence(struct turn *turn)
{
	struct utterance *utterance = &turn->utterance;
	uint64_t piece_max = (uint64_t)SILENCE_PIECE_MS * turn->format.sample_rate / 1000;

	while (utterance->silence_left > 0 && turn_has_room(turn)) {
		uint64_t piece =
			utterance->silence_left < piece_max ? utterance->silence_left : piece_max;

		if (pipeline_silence(turn->pipeline, (size_t)piece) != 0) {
			turn_fail(turn, WIRE_ERROR_INTERNAL, NULL);
			return false;
		}
		utterance->silence_left -= piece;
		if (!send_frames(turn))
			return false;
	}
	return true;
}

/* The chunk that has begun: on to its next job, or to its end. */
static void go_on_with_chunk(struct turn *turn)
{
	struct utterance *utterance = &turn->utterance;

	while (utterance->part < utterance->spoken->parts_len) {
		if (!send_silence(turn) || utterance->silence_left > 0)
			return;
		if (current_part(turn)->len > 0) {
			if (turn_has_room(turn))
				begin_job(turn);
			return;
		}
		begin_part(turn, utterance->part + 1);
	}
	finish_chunk(turn);
}

static int copy_text(struct utterance *utterance, const struct chunk *chunk)
{
	utterance->text = malloc(chunk->len);
	if (!utterance->text)
		return ENOMEM;
	memcpy(utterance->text, chunk->text, chunk->len);
	utterance->text_len = chunk->len;
	return 0;
}

/* Takes the next chunk out of which something is heard; ENOENT when there is
 * none, or none that is to be spoken any more. */
static int take_chunk(struct turn *turn)
{
	struct utterance *utterance = &turn->utterance;
	struct chunk chunk;

	while (!utterance->text && chunker_next(turn->chunker, &chunk)) {
		struct spoken *spoken;
		int err;

		utterance->end = turn->bytes - chunker_buffered(turn->chunker);
		if (turn->drops_rest && utterance->end > turn->bytes_flushed)
			return ENOENT;
		err = reader_read(&spoken, &turn->reader, chunk.text, chunk.len);
		if (err)
			return err;
		if (spoken->parts_len == 0) {
			mem_deref(spoken);
			continue;
		}
		utterance->spoken = spoken;
		err = copy_text(utterance, &chunk);
		if (err)
			return err;
	}
	return utterance->text ? 0 : ENOENT;
}

static int announce_chunk(struct turn *turn)
{
	const struct dialect *dialect = dialect_of(turn);
	struct utterance *utterance = &turn->utterance;
	struct buf message;
	int err = transcript_add(&turn->transcript, utterance->text, utterance->text_len);

	if (err)
		return err;
	if (turn->services->log_texts)
		log_info("turn", "%s chunk %u: %.*s", turn->id, turn->text_chunks,
			 (int)utterance->text_len, utterance->text);
	++turn->text_chunks;
	++turn->counters->chunks;
	metrics_add(METRIC_CHUNKS, 1);
	if (!dialect->generation_started)
		return 0;
	err = dialect->generation_started(turn_begin_message(turn, &message), turn->owner.context,
					  chunk_id(turn), utterance->text, utterance->text_len);
	turn_send(turn, &message, err, turn->tag, 0);
	return err;
}

static int begin_chunk(struct turn *turn)
{
	struct utterance *utterance = &turn->utterance;
	int err = open_pipeline(turn);

	utterance->begun_us = now_us(turn);
	if (err)
		return err;
	timer_clear(turn->services->timers, &turn->dry_timer);
	utterance->has_begun = true;
	utterance->samples_before = pipeline_samples_out(turn->pipeline);
	utterance->sent_before = turn->samples_sent;
	utterance->busy_us = 0;
	begin_part(turn, 0);
	return announce_chunk(turn);
}

/* True when the encoder has given back the stream's end.  One that was given no sample is not
 * ended: a header alone is no audio.  False when the turn has failed: then it may be gone. */
static bool finish_encoding(struct turn *turn)
{
	if (!turn->encoding || encoding_is_empty(turn->encoding))
		return true;
	if (encoding_has_ended(turn->encoding))
		return encoding_is_idle(turn->encoding);
	if (encoding_end(turn->encoding) != 0)
		turn_fail(turn, WIRE_ERROR_INTERNAL, NULL);
	return false;
}

static void ask_when_sent(struct turn *turn)
{
	if (turn->state != TURN_DRAINING || turn->asked_when_sent || !finish_encoding(turn))
		return;
	turn->asked_when_sent = true;
	if (!peer_of(turn)->ops->tell_when_sent(peer_of(turn)->peer, turn->tag))
		turn_sent(turn, turn->tag);
}

static void on_nearly_dry(void *arg)
{
	turn_speak(arg);
}

/* A client's own schedule is kept; ours may be broken for a listener who would
 * hear nothing. */
static bool may_release(const struct turn *turn)
{
	return turn->state == TURN_OPEN && !(turn->settings.set & SETTING_SCHEDULE) &&
	       turn->samples_sent > 0 && !turn_must_wait(turn) &&
	       chunker_has_sentence(turn->chunker);
}

/* Nothing is ready to be spoken.  True when something is now, because what was
 * sent will soon have been heard: sentences that wait for others to come. */
static bool release_sentences(struct turn *turn)
{
	struct timers *timers = turn->services->timers;
	uint64_t now = now_us(turn);
	uint64_t dry = turn_runs_dry_us(turn);

	timer_clear(timers, &turn->dry_timer);
	if (!may_release(turn))
		return false;
	if (dry > now + RELEASE_AHEAD_MS * UINT64_C(1000)) {
		timer_set(timers, &turn->dry_timer, dry - now - RELEASE_AHEAD_MS * UINT64_C(1000),
			  on_nearly_dry, turn);
		return false;
	}
	chunker_release(turn->chunker);
	return true;
}

static int find_chunk(struct turn *turn)
{
	int err = turn->curtailed_by.why == DENIAL_NONE ? take_chunk(turn) : ENOENT;

	return err == ENOENT && release_sentences(turn) ? take_chunk(turn) : err;
}

/* Only a chunk waits for room and playback: when there is none the turn is
 * over, and its last words follow its last audio. */
void turn_speak(struct turn *turn)
{
	int err;

	if (!turn->in_front || turn->awaits_leave || turn->awaits_credit || turn->utterance.job)
		return;
	if (turn->state != TURN_OPEN && turn->state != TURN_DRAINING)
		return;
	if (turn->utterance.has_begun) {
		go_on_with_chunk(turn);
		return;
	}
	err = find_chunk(turn);
	if (err == ENOENT) {
		ask_when_sent(turn);
		return;
	}
	if (!err && (!turn_has_room(turn) || !turn_may_go_on(turn)))
		return;
	if (!err)
		err = begin_chunk(turn);
	if (err)
		turn_fail(turn, WIRE_ERROR_INTERNAL, NULL);
	else
		go_on_with_chunk(turn);
}

void turn_drained(struct turn *turn)
{
	turn_update_hold(turn);
	turn_speak(turn);
}
