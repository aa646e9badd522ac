/*
 * speech_stream.c: makes sound from the chunks of one turn (see speech_stream.h).
 */
#include "session/speech_stream.h"

#include <assert.h>
#include <errno.h>

#include "audio/stretch.h"
#include "base/log.h"
#include "base/mem.h"
#include "metrics/metrics.h"
#include "session/chunk_words.h"
#include "session/encoding.h"

/* Silence is produced in pieces, so that it is held like other audio if the client does not
 * read. */
#define SILENCE_PIECE_MS AUDIO_FRAME_MAX_MS

/* The range of the stretcher.  An API may offer less: messages are checked against its own
 * limits. */
#define SPEED_MIN ((double)STRETCH_MIN / STRETCH_UNIT)
#define SPEED_MAX ((double)STRETCH_MAX / STRETCH_UNIT)

/* The speeds that are requested from engines with a speed control, not counting the rate of a
 * derived voice.  In this range engines are accurate to a few percent; at 1.5 neural voices are
 * 12 % too fast, and so is eSpeak at 2. */
#define ENGINE_SPEED_MIN 0.8
#define ENGINE_SPEED_MAX 1.2

/* The longest time that a byte of text takes to speak: speech has 10 to 20 letters a second, and
 * scripts whose characters take longer need more bytes for them. */
#define BYTE_MS 100

/* The chunk that is being spoken or waits to be.  Its parts are spoken in order: the silence of a
 * part, then a job for its text. */
struct utterance {
	struct text_chunk chunk;
	struct spoken *before; /* how the previous chunk was read; NULL: there was none */
	bool has_begun; /* `began` was called */
	bool has_left_pipeline; /* its last frame was given to the peer or the encoder */
	size_t part; /* index of the part that is being spoken */
	uint64_t silence_left; /* samples of silence to produce before the part's text */
	struct speech_job *job; /* NULL: none is running */
	bool is_held; /* the job is held */
	unsigned engine_rate; /* 0: no audio of the part has been received */
	uint64_t begun_us; /* when it was ready to be spoken */
	uint64_t samples_before; /* the pipeline's output before this chunk */
	uint64_t sent_before; /* how many samples were sent before this chunk */
	uint64_t busy_us;
	struct chunk_words words;
};

struct speech_stream {
	struct speech_stream_options options;
	const struct speech_stream_ops *ops;
	void *arg;
	struct utterance utterance;
	struct pipeline *pipeline; /* NULL: nothing was spoken yet, or the last chunk was cut */
	struct encoding *encoding; /* NULL: the pipeline's frames are sent without encoding */
	struct transcript transcript;
	struct playback_clock playback;
	struct timer lead_timer; /* fires when playback has caught up */
	unsigned holds; /* enum speech_hold */
	bool yields; /* its jobs are never urgent */
	unsigned jobs; /* how many were started */
	bool has_ended; /* no job follows; if there was one, end_turn was called */
	uint64_t busy_us; /* how long engines have worked on all chunks */
	uint64_t quiet_since_us; /* when the last chunk ended; 0: none has */
};

static uint64_t speech_stream_now_us(const struct speech_stream *stream)
{
	return stream->options.services->timers->now_us;
}

/* Releases the chunk, but keeps how it was read: the next job needs the text before it. */
static void speech_stream_drop_chunk(struct speech_stream *stream)
{
	struct utterance *utterance = &stream->utterance;

	if (utterance->chunk.spoken) {
		mem_deref(utterance->before);
		utterance->before = utterance->chunk.spoken;
		utterance->chunk.spoken = NULL;
	}
	text_chunk_reset(&utterance->chunk);
	utterance->has_begun = utterance->has_left_pipeline = false;
	chunk_words_clear(&utterance->words);
}

static void speech_stream_cancel_job(struct speech_stream *stream)
{
	struct speech *speech = stream->options.services->speech;

	if (stream->utterance.job)
		speech->ops->cancel(stream->utterance.job);
	stream->utterance.job = NULL;
	stream->holds &= ~(unsigned)SPEECH_HOLD_LEAD;
	timer_clear(stream->options.services->timers, &stream->lead_timer);
}

static void speech_stream_close_encoding(struct speech_stream *stream)
{
	stream->encoding = encoding_close(stream->encoding);
	stream->holds &= ~(unsigned)SPEECH_HOLD_ENCODER;
}

/* Tells the engines that no job of the turn follows, because they may keep state for it. */
static void speech_stream_end_turn(struct speech_stream *stream)
{
	struct speech *speech = stream->options.services->speech;

	if (stream->jobs > 0 && !stream->has_ended)
		speech->ops->end_turn(speech, stream->options.tag);
	stream->has_ended = true;
}

void speech_stream_stop(struct speech_stream *stream)
{
	speech_stream_cancel_job(stream);
	speech_stream_end_turn(stream);
	speech_stream_close_encoding(stream);
}

static void speech_stream_destroy(void *object)
{
	struct speech_stream *stream = object;

	speech_stream_stop(stream);
	speech_stream_drop_chunk(stream);
	mem_deref(stream->utterance.before);
	chunk_words_reset(&stream->utterance.words);
	transcript_reset(&stream->transcript);
	mem_deref(stream->pipeline);
}

int speech_stream_alloc(struct speech_stream **streamp, const struct speech_stream_options *options,
			const struct speech_stream_ops *ops, void *arg)
{
	struct speech_stream *stream = mem_zalloc(sizeof(*stream), speech_stream_destroy);

	if (!stream)
		return ENOMEM;
	stream->options = *options;
	stream->ops = ops;
	stream->arg = arg;
	stream->playback.sample_rate = options->format.sample_rate;
	transcript_init(&stream->transcript, options->format.sample_rate);
	chunk_words_init(&stream->utterance.words);
	*streamp = stream;
	return 0;
}

/* Holding */

/* Whether audio may be produced. */
static bool speech_stream_has_room(const struct speech_stream *stream)
{
	return stream->holds == 0 ||
	       (stream->options.shares_peer && stream->playback.samples == 0 &&
		!(stream->holds & SPEECH_HOLD_ENCODER));
}

/* Holds or resumes the running job if that has changed. */
static void speech_stream_update_job(struct speech_stream *stream)
{
	struct speech *speech = stream->options.services->speech;
	struct utterance *utterance = &stream->utterance;
	bool is_held = !speech_stream_has_room(stream);

	if (!utterance->job || utterance->is_held == is_held)
		return;
	utterance->is_held = is_held;
	speech->ops->hold(utterance->job, is_held);
}

bool speech_stream_holds(const struct speech_stream *stream)
{
	return stream->holds != 0;
}

void speech_stream_hold(struct speech_stream *stream, enum speech_hold why, bool is_held)
{
	unsigned before = stream->holds;

	stream->holds = is_held ? before | (unsigned)why : before & ~(unsigned)why;
	if (stream->holds == before)
		return;
	speech_stream_update_job(stream);
	log_debug("turn", "%s is held by: %s%s%s%s", stream->options.turn_id,
		  stream->holds & SPEECH_HOLD_PEER ? "PEER " : "",
		  stream->holds & SPEECH_HOLD_LEAD ? "LEAD " : "",
		  stream->holds & SPEECH_HOLD_ENCODER ? "ENCODER " : "",
		  stream->holds ? "" : "nothing");
}

static void speech_stream_on_lead(void *arg)
{
	struct speech_stream *stream = arg;

	speech_stream_hold(stream, SPEECH_HOLD_LEAD, false);
	stream->ops->stepped(stream->arg, 0);
}

/* Holds if audio is max_lead_ms ahead of playback, until playback has caught up. */
static void speech_stream_check_lead(struct speech_stream *stream)
{
	const struct session_services *services = stream->options.services;
	uint64_t max_us = services->max_lead_ms * UINT64_C(1000);
	uint64_t now_us = speech_stream_now_us(stream);
	uint64_t end_us = speech_stream_playback_end_us(stream);

	if (max_us == 0 || end_us <= now_us + max_us)
		return;
	speech_stream_hold(stream, SPEECH_HOLD_LEAD, true);
	timer_set(services->timers, &stream->lead_timer, end_us - now_us - max_us,
		  speech_stream_on_lead, stream);
}

static void speech_stream_on_encoder_full(void *arg, bool is_full)
{
	struct speech_stream *stream = arg;

	speech_stream_hold(stream, SPEECH_HOLD_ENCODER, is_full);
	if (!is_full)
		stream->ops->stepped(stream->arg, 0);
}

/* Frames */

static int speech_stream_send_frame(struct speech_stream *stream, const struct audio_frame *frame)
{
	uint64_t now_us = speech_stream_now_us(stream);
	uint64_t end_us = speech_stream_playback_end_us(stream);
	int err = stream->ops->frame(stream->arg, frame);

	if (err)
		return err;
	/* No deadline was missed if the text itself arrived too late. */
	if (playback_send(&stream->playback, frame->samples, now_us) &&
	    stream->utterance.begun_us < end_us)
		metrics_add(METRIC_DEADLINE_MISSES, 1);
	if (stream->playback.samples == frame->samples)
		speech_stream_update_job(stream); /* shares_peer applies only to the first frame */
	return 0;
}

/* Handles a frame that could not be sent.  ECANCELED: the account cannot pay for it, so the chunk
 * ends before it.  Returns the error. */
static int speech_stream_drop_frame(struct speech_stream *stream, int err)
{
	if (err == ECANCELED) {
		speech_stream_close_encoding(stream);
		speech_stream_cut(stream);
	}
	return err;
}

static int speech_stream_send_frames(struct speech_stream *stream)
{
	struct audio_frame frame;

	while (pipeline_next(stream->pipeline, &frame)) {
		int err = stream->encoding
				  ? encoding_write(stream->encoding,
						   (const int16_t *)(const void *)frame.bytes,
						   frame.samples)
				  : speech_stream_send_frame(stream, &frame);

		if (err)
			return speech_stream_drop_frame(stream, err);
		transcript_audio(&stream->transcript, frame.samples);
	}
	speech_stream_check_lead(stream);
	return 0;
}

static void speech_stream_on_encoded(void *arg, int err, const struct audio_frame *frame)
{
	struct speech_stream *stream = arg;

	if (!err && frame->len > 0) {
		err = speech_stream_send_frame(stream, frame);
		if (err)
			err = speech_stream_drop_frame(stream, err);
	} else if (err) {
		err = ENOTSUP; /* not EIO or ENOENT, which stand for errors of engines */
	}
	if (!err)
		speech_stream_check_lead(stream);
	stream->ops->stepped(stream->arg, err);
}

/* Created only when the turn begins to speak, because many turns may wait, and stretchers and
 * encoders are large. */
static int speech_stream_open_pipeline(struct speech_stream *stream)
{
	const struct session_services *services = stream->options.services;
	const struct audio_format *format = &stream->options.format;
	int err = 0;

	if (!stream->pipeline)
		err = pipeline_alloc(&stream->pipeline, format, 1.0);
	if (err || stream->encoding || !audio_format_needs_encoder(format->encoding))
		return err;
	err = encoding_alloc(&stream->encoding, services->encode_threads, services->timers, format,
			     speech_stream_on_encoded, stream);
	if (!err)
		encoding_on_full(stream->encoding, speech_stream_on_encoder_full);
	return err;
}

/* Parts */

static const struct spoken_part *speech_stream_part(const struct speech_stream *stream)
{
	return &stream->utterance.chunk.spoken->parts[stream->utterance.part];
}

static bool speech_stream_has_part(const struct speech_stream *stream)
{
	return stream->utterance.part < stream->utterance.chunk.spoken->parts_len;
}

static void speech_stream_begin_part(struct speech_stream *stream, size_t part)
{
	struct utterance *utterance = &stream->utterance;

	utterance->part = part;
	utterance->engine_rate = 0;
	if (speech_stream_has_part(stream))
		utterance->silence_left = (uint64_t)speech_stream_part(stream)->pause_ms *
					  stream->options.format.sample_rate / 1000;
}

static double speech_stream_limit(double value, double min, double max)
{
	return value < min ? min : (value > max ? max : value);
}

static double speech_stream_asked_speed(const struct speech_stream *stream,
					const struct spoken_part *part)
{
	return part->rate > 0 ? part->rate : stream->options.settings->speed;
}

/* A derived voice has a rate of its own, which is multiplied with the requested speed. */
static double speech_stream_speed(const struct speech_stream *stream,
				  const struct spoken_part *part)
{
	return speech_stream_limit(speech_stream_asked_speed(stream, part) *
					   voice_rate(stream->options.voice),
				   SPEED_MIN, SPEED_MAX);
}

/* The part of the speed that an engine with a speed control applies; the stretcher does the
 * rest. */
static double speech_stream_engine_speed(const struct speech_stream *stream,
					 const struct spoken_part *part)
{
	double speed = speech_stream_limit(speech_stream_asked_speed(stream, part),
					   ENGINE_SPEED_MIN, ENGINE_SPEED_MAX);

	return speech_stream_limit(speed * voice_rate(stream->options.voice), VOICE_RATE_MIN,
				   VOICE_RATE_MAX);
}

/* Set when the first samples arrive, because an engine says only when it has loaded whether it can
 * change the speed itself. */
static int speech_stream_set_speed(struct speech_stream *stream)
{
	struct speech *speech = stream->options.services->speech;
	const struct spoken_part *part = speech_stream_part(stream);
	double speed = speech_stream_speed(stream, part);

	if (speech->ops->has_own_speed(speech, stream->options.voice))
		speed /= speech_stream_engine_speed(stream, part);
	return pipeline_set_speed(stream->pipeline, speed);
}

static void speech_stream_on_audio(void *arg, const int16_t *samples, size_t count,
				   unsigned sample_rate)
{
	struct speech_stream *stream = arg;
	int err = stream->utterance.engine_rate ? 0 : speech_stream_set_speed(stream);

	stream->utterance.engine_rate = sample_rate;
	if (err || pipeline_write(stream->pipeline, samples, count, sample_rate) != 0)
		err = EIO;
	else
		err = speech_stream_send_frames(stream);
	if (err)
		stream->ops->stepped(stream->arg, err);
}

static void speech_stream_on_word(void *arg, const struct speech_word *word)
{
	struct speech_stream *stream = arg;

	if (stream->options.settings->word_timestamps)
		chunk_words_hear(&stream->utterance.words, word);
}

/* The engine has spoken a part's text. */
static int speech_stream_end_part(struct speech_stream *stream, uint32_t busy_us)
{
	struct utterance *utterance = &stream->utterance;
	const struct chunk_words_part words = {
		.spoken = speech_stream_part(stream),
		.pipeline = stream->pipeline,
		.engine_rate = utterance->engine_rate,
		.sample_rate = stream->options.format.sample_rate,
		.chunk_start = utterance->samples_before,
	};

	utterance->busy_us += busy_us;
	stream->busy_us += busy_us;
	if (pipeline_end_part(stream->pipeline) != 0)
		return EIO;
	if (stream->options.settings->word_timestamps)
		chunk_words_end_part(&utterance->words, &words, utterance->chunk.text,
				     utterance->chunk.len);
	speech_stream_begin_part(stream, utterance->part + 1);
	return speech_stream_has_part(stream) ? speech_stream_send_frames(stream) : 0;
}

static void speech_stream_on_end(void *arg, enum speech_end how, uint32_t busy_us)
{
	struct speech_stream *stream = arg;
	int err = how == SPEECH_UNAVAILABLE ? ENOENT : EIO;

	stream->utterance.job = NULL; /* freed when we return */
	if (how == SPEECH_DONE)
		err = speech_stream_end_part(stream, busy_us);
	stream->ops->stepped(stream->arg, err);
}

/* What was spoken last: a part of this chunk, or the end of the previous one. */
static const struct spoken_part *speech_stream_part_before(const struct speech_stream *stream)
{
	static const struct spoken_part none = {.text = ""};
	const struct utterance *utterance = &stream->utterance;
	const struct spoken *spoken =
		utterance->part > 0 ? utterance->chunk.spoken : utterance->before;
	size_t i = utterance->part > 0 ? utterance->part : spoken ? spoken->parts_len : 0;

	while (i > 0 && spoken->parts[i - 1].len == 0)
		--i;
	return i > 0 ? &spoken->parts[i - 1] : &none;
}

/* The seed that selects among the readings of the next job's text.  It is different in every turn,
 * because it is computed from the tag, which is random, and in every job of a turn; if the client
 * has set a seed, that replaces the tag.  0 always selects the same reading. */
static uint64_t speech_stream_seed(const struct speech_stream *stream)
{
	const struct settings *settings = stream->options.settings;
	bool has_seed = settings->set & SETTING_SEED;
	uint64_t h = has_seed ? settings->seed : stream->options.tag;

	if (settings->temperature <= 0 || (stream->options.services->repeatable && !has_seed))
		return 0;
	h += (stream->jobs + 1) * UINT64_C(0x9e3779b97f4a7c15); /* SplitMix64 */
	h = (h ^ (h >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	h = (h ^ (h >> 27)) * UINT64_C(0x94d049bb133111eb);
	h ^= h >> 31;
	return h ? h : 1;
}

static int speech_stream_start_job(struct speech_stream *stream)
{
	static const struct speech_listener listener = {
		.audio = speech_stream_on_audio,
		.word = speech_stream_on_word,
		.end = speech_stream_on_end,
	};
	const struct speech_stream_options *options = &stream->options;
	struct speech *speech = options->services->speech;
	const struct spoken_part *part = speech_stream_part(stream);
	const struct spoken_part *before = speech_stream_part_before(stream);
	struct speech_request request = {
		.voice = options->voice,
		.language = options->settings->language,
		.text = part->text,
		.text_len = part->len,
		.text_before = before->text,
		.text_before_len = before->len,
		.phonemes = part->phonemes,
		.phonemes_len = part->phonemes_len,
		.turn = options->tag,
		.due_us = speech_stream_playback_end_us(stream),
		.speed = (float)speech_stream_engine_speed(stream, part),
		.temperature = (float)options->settings->temperature,
		.seed = speech_stream_seed(stream),
		.first = stream->jobs == 0,
		.yields = stream->yields,
	};
	int err;

	++stream->jobs;
	stream->utterance.is_held = false;
	err = speech->ops->start(&stream->utterance.job, speech, &request, &listener, stream);
	return err && err != ENOENT ? ENOMEM : err;
}

static int speech_stream_make_silence(struct speech_stream *stream)
{
	struct utterance *utterance = &stream->utterance;
	uint64_t piece = (uint64_t)SILENCE_PIECE_MS * stream->options.format.sample_rate / 1000;

	if (piece > utterance->silence_left)
		piece = utterance->silence_left;
	if (pipeline_silence(stream->pipeline, (size_t)piece) != 0)
		return ENOMEM;
	utterance->silence_left -= piece;
	return speech_stream_send_frames(stream);
}

/* Chunks */

void speech_stream_take(struct speech_stream *stream, struct text_chunk *chunk)
{
	assert(!stream->utterance.chunk.text);
	stream->utterance.chunk = *chunk;
	*chunk = (struct text_chunk){0};
}

const struct text_chunk *speech_stream_chunk(const struct speech_stream *stream)
{
	return stream->utterance.chunk.text ? &stream->utterance.chunk : NULL;
}

bool speech_stream_has_begun(const struct speech_stream *stream)
{
	return stream->utterance.has_begun;
}

double speech_stream_estimate_ms(const struct speech_stream *stream)
{
	const struct spoken *spoken = stream->utterance.chunk.spoken;
	double ms = 0;

	for (size_t i = 0; i < spoken->parts_len; ++i) {
		const struct spoken_part *part = &spoken->parts[i];

		ms += part->pause_ms +
		      (double)part->len * BYTE_MS / speech_stream_speed(stream, part);
	}
	return ms;
}

bool speech_stream_awaits_engine(const struct speech_stream *stream)
{
	return stream->utterance.job != NULL;
}

bool speech_stream_awaits_encoder(const struct speech_stream *stream)
{
	return stream->utterance.has_left_pipeline && stream->encoding &&
	       !encoding_is_idle(stream->encoding);
}

unsigned speech_stream_held_by(const struct speech_stream *stream)
{
	const struct utterance *utterance = &stream->utterance;
	bool makes_sound = !utterance->has_begun || utterance->job ||
			   (speech_stream_has_part(stream) &&
			    (utterance->silence_left > 0 || speech_stream_part(stream)->len > 0));

	return makes_sound && !speech_stream_has_room(stream) ? stream->holds : 0;
}

static int speech_stream_begin_chunk(struct speech_stream *stream)
{
	struct utterance *utterance = &stream->utterance;
	int err = speech_stream_open_pipeline(stream);

	utterance->begun_us = speech_stream_now_us(stream);
	if (!err)
		err = transcript_add(&stream->transcript, utterance->chunk.text,
				     utterance->chunk.len);
	if (err)
		return ENOMEM;
	utterance->has_begun = true;
	utterance->samples_before = pipeline_samples_out(stream->pipeline);
	utterance->sent_before = stream->playback.samples;
	utterance->busy_us = 0;
	speech_stream_begin_part(stream, 0);
	return stream->ops->began(stream->arg, &utterance->chunk);
}

static int speech_stream_end_chunk(struct speech_stream *stream)
{
	struct utterance *utterance = &stream->utterance;
	struct speech_chunk_end end = {
		.chunk = &utterance->chunk,
		.busy_us = utterance->busy_us,
	};

	if (!utterance->has_left_pipeline) {
		int err = pipeline_end_chunk(stream->pipeline) ? EIO
							       : speech_stream_send_frames(stream);

		if (err)
			return err;
		utterance->has_left_pipeline = true;
	}
	if (speech_stream_awaits_encoder(stream))
		return 0;
	transcript_end(&stream->transcript);
	end.samples = pipeline_samples_out(stream->pipeline) - utterance->samples_before;
	end.words = chunk_words_get(&utterance->words, &end.words_count);
	stream->ops->ended(stream->arg, &end);
	speech_stream_drop_chunk(stream);
	stream->quiet_since_us = speech_stream_now_us(stream);
	return 0;
}

int speech_stream_step(struct speech_stream *stream)
{
	struct utterance *utterance = &stream->utterance;

	if (!utterance->has_begun)
		return speech_stream_begin_chunk(stream);
	if (!speech_stream_has_part(stream))
		return speech_stream_end_chunk(stream);
	if (utterance->silence_left > 0)
		return speech_stream_make_silence(stream);
	if (speech_stream_part(stream)->len > 0)
		return speech_stream_start_job(stream);
	speech_stream_begin_part(stream, utterance->part + 1);
	return 0;
}

void speech_stream_cut(struct speech_stream *stream)
{
	struct utterance *utterance = &stream->utterance;
	const struct speech_chunk_end end = {
		.chunk = &utterance->chunk,
		.samples = stream->playback.samples - utterance->sent_before,
		.busy_us = utterance->busy_us,
		.is_cut = true,
	};

	speech_stream_cancel_job(stream);
	stream->pipeline = mem_deref(stream->pipeline);
	if (utterance->has_begun)
		stream->ops->ended(stream->arg, &end);
	speech_stream_drop_chunk(stream);
}

int speech_stream_finish(struct speech_stream *stream)
{
	speech_stream_end_turn(stream);
	if (!stream->encoding || encoding_is_empty(stream->encoding))
		return 0;
	if (encoding_has_ended(stream->encoding))
		return encoding_is_idle(stream->encoding) ? 0 : EINPROGRESS;
	return encoding_end(stream->encoding) ? ENOMEM : EINPROGRESS;
}

void speech_stream_yield(struct speech_stream *stream)
{
	struct speech *speech = stream->options.services->speech;

	stream->yields = true;
	if (stream->utterance.job)
		speech->ops->yield(stream->utterance.job);
}

void speech_stream_take_back(struct speech_stream *stream, uint64_t samples)
{
	stream->playback.samples -= samples;
}

const struct playback_clock *speech_stream_playback(const struct speech_stream *stream)
{
	return &stream->playback;
}

uint64_t speech_stream_playback_end_us(const struct speech_stream *stream)
{
	return playback_end_us(&stream->playback, speech_stream_now_us(stream));
}

uint64_t speech_stream_busy_us(const struct speech_stream *stream)
{
	return stream->busy_us;
}

uint64_t speech_stream_quiet_since_us(const struct speech_stream *stream)
{
	return stream->quiet_since_us;
}

struct transcript *speech_stream_transcript(struct speech_stream *stream)
{
	return &stream->transcript;
}
