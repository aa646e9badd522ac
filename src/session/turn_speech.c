/*
 * turn_speech.c: the voice of a turn (see turn.h, turn_private.h).
 *
 * One chunk is spoken at a time.  Its samples go through the turn's pipeline
 * and leave as frames as soon as they are whole; when the peer is full, or far
 * enough ahead of playback, the job is held.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "session/turn_private.h"
#include "text/mapped.h"
#include "text/reader.h"

/* Words of one chunk that are kept: more than a chunk's buffer can hold. */
#define WORDS_MAX 8192

static void on_audio(void *arg, const int16_t *samples, size_t count, unsigned sample_rate);
static void on_word(void *arg, const struct speech_word *word);
static void on_end(void *arg, enum speech_end how, uint32_t busy_us);

static const struct speech_listener listener = {
	.audio = on_audio,
	.word = on_word,
	.end = on_end,
};

static const struct peer *peer_of(const struct turn *turn)
{
	return turn->owner.peer;
}

static uint64_t now_us(const struct turn *turn)
{
	return turn->owner.services->timers->now_us;
}

int turn_speech_open(struct turn *turn)
{
	struct chunker_options options = {
		.schedule_len = turn->settings.schedule_len,
		.auto_mode = turn->settings.auto_mode,
		.buffer_max = turn->settings.max_buffer_length,
	};
	const char *language =
		turn->settings.language[0] ? turn->settings.language : turn->voice->language;

	memcpy(options.schedule, turn->settings.schedule, sizeof(options.schedule));
	if (strlen(language) < sizeof(options.language)) /* else it is none that we know */
		memcpy(options.language, language, strlen(language) + 1);
	transcript_init(&turn->transcript, turn->format.sample_rate);
	buf_init(&turn->utterance.words, WORDS_MAX * sizeof(struct speech_word));
	return chunker_alloc(&turn->chunker, &options);
}

/* Only when it begins to speak: many turns may wait, and a stretcher is large. */
static int open_pipeline(struct turn *turn)
{
	struct speech *speech = turn->owner.services->speech;
	bool own_speed = speech->ops->has_own_speed(speech, turn->voice);

	if (turn->pipeline)
		return 0;
	return pipeline_alloc(&turn->pipeline, &turn->format,
			      own_speed ? 1.0 : turn->settings.speed);
}

static void utterance_reset(struct utterance *utterance)
{
	utterance->spoken = mem_deref(utterance->spoken);
	free(utterance->text);
	utterance->text = NULL;
	utterance->words.len = 0;
	utterance->job = NULL;
	utterance->engine_rate = 0;
}

void turn_hush(struct turn *turn)
{
	struct speech *speech = turn->owner.services->speech;

	if (turn->utterance.job)
		speech->ops->cancel(turn->utterance.job);
	turn->utterance.job = NULL;
	timer_clear(turn->owner.services->timers, &turn->lead_timer);
}

void turn_speech_close(struct turn *turn)
{
	turn_hush(turn);
	utterance_reset(&turn->utterance);
	buf_reset(&turn->utterance.words);
	transcript_reset(&turn->transcript);
	turn->chunker = mem_deref(turn->chunker);
	turn->pipeline = mem_deref(turn->pipeline);
}

bool turn_awaits_room(const struct turn *turn)
{
	return turn->utterance.text && !turn->utterance.spoken;
}

static uint64_t sent_us(const struct turn *turn)
{
	return turn->samples_sent * 1000000u / turn->format.sample_rate;
}

/* When the listener has heard all that was sent. */
static uint64_t runs_dry_us(const struct turn *turn)
{
	return turn->playback_start_us ? turn->playback_start_us + sent_us(turn) : now_us(turn);
}

static bool must_wait(const struct turn *turn)
{
	return turn->held_back || peer_of(turn)->ops->is_full(peer_of(turn)->peer);
}

/* In a context it may be others who have filled the peer, and they fill it again
 * and again: the first chunk is begun all the same, and held after its first
 * frames. */
static bool may_begin_anyway(const struct turn *turn)
{
	return turn->owner.context && turn->text_chunks == 0;
}

static void update_hold(struct turn *turn)
{
	struct speech *speech = turn->owner.services->speech;

	if (turn->utterance.job)
		speech->ops->hold(turn->utterance.job, must_wait(turn));
}

static void on_lead_shrunk(void *arg)
{
	struct turn *turn = arg;

	turn->held_back = false;
	update_hold(turn);
	turn_speak(turn);
}

/* max_lead_ms: far enough ahead of playback, wait until it has caught up. */
static void mind_lead(struct turn *turn)
{
	uint64_t max_us = turn->owner.services->max_lead_ms * UINT64_C(1000);
	uint64_t dry = runs_dry_us(turn);

	if (max_us == 0 || dry <= now_us(turn) + max_us)
		return;
	turn->held_back = true;
	timer_set(turn->owner.services->timers, &turn->lead_timer, dry - now_us(turn) - max_us,
		  on_lead_shrunk, turn);
}

/* A frame is about to leave.  When its listener has heard all that came before
 * it, playback begins anew: as if it had begun just so much earlier. */
static void mind_gap(struct turn *turn)
{
	if (!turn->playback_start_us || runs_dry_us(turn) < now_us(turn))
		turn->playback_start_us = now_us(turn) - sent_us(turn);
}

/* Of the chunk that is being spoken. */
static unsigned chunk_id(const struct turn *turn)
{
	return turn->counters->chunks - 1;
}

/* False when the turn has failed: then it may be gone. */
static bool send_frames(struct turn *turn)
{
	struct audio_frame frame;

	while (pipeline_next(turn->pipeline, &frame)) {
		mind_gap(turn);
		if (reply_audio(turn_scratch(turn), turn->owner.context, &frame, &turn->format,
				turn->counters->frames, chunk_id(turn)) != 0) {
			turn_fail(turn, WIRE_ERROR_INTERNAL, NULL);
			return false;
		}
		++turn->audio_chunks;
		++turn->counters->frames;
		turn->samples_sent += frame.samples;
		transcript_audio(&turn->transcript, frame.samples);
		turn_send(turn, turn->tag, (uint32_t)frame.samples);
	}
	mind_lead(turn);
	update_hold(turn);
	return true;
}

static void on_audio(void *arg, const int16_t *samples, size_t count, unsigned sample_rate)
{
	struct turn *turn = arg;

	turn->utterance.engine_rate = sample_rate;
	if (pipeline_write(turn->pipeline, samples, count, sample_rate) != 0)
		turn_fail(turn, WIRE_ERROR_GENERATION_FAILED, NULL);
	else
		(void)send_frames(turn);
}

static void on_word(void *arg, const struct speech_word *word)
{
	struct turn *turn = arg;

	if (turn->settings.word_timestamps)
		(void)buf_append(&turn->utterance.words, word, sizeof(*word)); /* full: enough */
}

/* Where code point n of the text begins, in bytes. */
static size_t byte_of(const char *text, size_t len, size_t from, unsigned n)
{
	while (n > 0 && from < len) {
		++from;
		while (from < len && ((uint8_t)text[from] & 0xc0) == 0x80)
			++from;
		--n;
	}
	return from;
}

/* The engine's word, in the words of the client.  `at` goes forward from word
 * to word: {code point, byte} reached so far. */
struct place {
	unsigned code_point;
	size_t byte;
};

static void place_move(struct place *place, const struct utterance *utterance, unsigned to)
{
	if (to < place->code_point)
		*place = (struct place){0, 0};
	place->byte =
		byte_of(utterance->text, utterance->text_len, place->byte, to - place->code_point);
	place->code_point = to;
}

static void map_word(struct reply_word *out, struct place *at, const struct turn *turn,
		     const struct speech_word *word)
{
	const struct utterance *utterance = &turn->utterance;
	const struct spoken *spoken = utterance->spoken;
	struct place end;

	struct mapped_cursor cursor;

	mapped_read_part(&cursor, &spoken->parts[0]);
	mapped_origin(&cursor, word->byte_start, word->byte_end, &out->char_start, &out->char_end);
	place_move(at, utterance, out->char_start);
	end = *at;
	place_move(&end, utterance, out->char_end);
	out->word = utterance->text + at->byte;
	out->word_len = end.byte - at->byte;
	out->start_ms =
		pipeline_chunk_ms(turn->pipeline, word->sample_start, utterance->engine_rate);
	out->end_ms = pipeline_chunk_ms(turn->pipeline, word->sample_end, utterance->engine_rate);
}

static void send_words(struct turn *turn)
{
	const struct speech_word *words =
		(const struct speech_word *)(const void *)turn->utterance.words.bytes;
	size_t count = turn->utterance.words.len / sizeof(*words);
	struct reply_word *out;
	struct place at = {0, 0};

	if (!turn->settings.word_timestamps || count == 0 || turn->utterance.engine_rate == 0)
		return;
	out = calloc(count, sizeof(*out));
	if (!out)
		return;
	for (size_t i = 0; i < count; ++i)
		map_word(&out[i], &at, turn, &words[i]);
	if (reply_word_timestamps(turn_scratch(turn), turn->owner.context, chunk_id(turn), out,
				  count) == 0)
		turn_send(turn, turn->tag, 0);
	free(out);
}

static void finish_chunk(struct turn *turn, uint32_t busy_us)
{
	double seconds;

	if (pipeline_end_chunk(turn->pipeline) != 0) {
		turn_fail(turn, WIRE_ERROR_GENERATION_FAILED, NULL);
		return;
	}
	if (!send_frames(turn))
		return;
	transcript_end(&turn->transcript);
	send_words(turn);
	seconds = (double)(turn->samples_sent - turn->utterance.samples_before) /
		  turn->format.sample_rate;
	if (reply_chunk_complete(turn_scratch(turn), turn->owner.context, chunk_id(turn), seconds,
				 busy_us / 1000.0) == 0)
		turn_send(turn, turn->tag, 0);
	utterance_reset(&turn->utterance);
	turn->quiet_since_us = now_us(turn);
	turn_speak(turn);
}

static void on_end(void *arg, enum speech_end how, uint32_t busy_us)
{
	struct turn *turn = arg;

	turn->utterance.job = NULL; /* gone when we return */
	switch (how) {
	case SPEECH_DONE:
		finish_chunk(turn, busy_us);
		break;
	case SPEECH_FAILED:
		turn_fail(turn, WIRE_ERROR_GENERATION_FAILED, NULL);
		break;
	case SPEECH_UNAVAILABLE:
		turn_fail(turn, WIRE_ERROR_UNAVAILABLE, NULL);
		break;
	}
}

static int start_job(struct turn *turn, const char *before, size_t before_len)
{
	struct speech *speech = turn->owner.services->speech;
	struct utterance *utterance = &turn->utterance;
	struct speech_request request = {
		.voice = turn->voice,
		.language = turn->settings.language,
		.text = utterance->spoken->parts_len ? utterance->spoken->parts[0].text : "",
		.text_len = utterance->spoken->parts_len ? utterance->spoken->parts[0].len : 0,
		.text_before = before,
		.text_before_len = before_len,
		.turn = turn->tag,
		.due_us = runs_dry_us(turn),
		.speed = (float)turn->settings.speed,
		.temperature = (float)turn->settings.temperature,
		.first = turn->text_chunks == 0,
	};

	return speech->ops->start(&utterance->job, speech, &request, &listener, turn);
}

/* Takes the next chunk out; ENOENT when there is none. */
static int take_chunk(struct turn *turn)
{
	struct utterance *utterance = &turn->utterance;
	struct chunk chunk;

	if (turn_awaits_room(turn))
		return 0;
	if (!chunker_next(turn->chunker, &chunk))
		return ENOENT;
	utterance->text = malloc(chunk.len);
	if (!utterance->text)
		return ENOMEM;
	memcpy(utterance->text, chunk.text, chunk.len);
	utterance->text_len = chunk.len;
	return 0;
}

static int start_chunk(struct turn *turn)
{
	struct utterance *utterance = &turn->utterance;
	const char *before;
	size_t before_len;
	int err;

	err = open_pipeline(turn);
	if (!err)
		err = reader_read(&utterance->spoken, &(struct reader){.language = language_find("")},
				  utterance->text, utterance->text_len);
	if (err)
		return err;
	utterance->samples_before = turn->samples_sent;
	before = transcript_last(&turn->transcript, &before_len);
	err = start_job(turn, before, before_len);
	if (err)
		return err;
	err = transcript_add(&turn->transcript, utterance->text, utterance->text_len);
	if (err)
		return err;
	if (turn->owner.services->log_texts)
		log_info("turn", "%s chunk %u: %.*s", turn->id, turn->text_chunks,
			 (int)utterance->text_len, utterance->text);
	++turn->text_chunks;
	err = reply_generation_started(turn_scratch(turn), turn->owner.context,
				       turn->counters->chunks++, utterance->text,
				       utterance->text_len);
	if (!err)
		turn_send(turn, turn->tag, 0);
	return err;
}

static void ask_when_sent(struct turn *turn)
{
	if (turn->state != TURN_DRAINING || turn->asked_when_sent)
		return;
	turn->asked_when_sent = true;
	if (!peer_of(turn)->ops->tell_when_sent(peer_of(turn)->peer, turn->tag))
		turn_sent(turn, turn->tag);
}

/* Only a chunk waits for room and playback: when there is none the turn is
 * over, and its last words follow its last audio. */
void turn_speak(struct turn *turn)
{
	int err;

	if (!turn->in_front || turn->utterance.job)
		return;
	if (turn->state != TURN_OPEN && turn->state != TURN_DRAINING)
		return;
	err = take_chunk(turn);
	if (err == ENOENT) {
		ask_when_sent(turn);
		return;
	}
	if (!err && must_wait(turn) && !may_begin_anyway(turn))
		return;
	if (!err)
		err = start_chunk(turn);
	if (err)
		turn_fail(turn, WIRE_ERROR_INTERNAL, NULL);
}

void turn_drained(struct turn *turn)
{
	update_hold(turn);
	turn_speak(turn);
}
