/*
 * test_encoding.c: samples are encoded on another thread than the loop's, and a turn waits for
 * them.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "audio/encoder.h"
#include "base/base64.h"
#include "base/count.h"
#include "base/mem.h"
#include "session/encoding.h"
#include "session/turn.h"
#include "world.h"

#define FRAME 480 /* samples in a piece: 20 ms at 24 kHz */
#define PIECES 100
#define HEARD_MAX (1u << 20)

static const struct audio_format wav = {AUDIO_WAV, 24000, 0};
static const struct audio_format flac = {AUDIO_FLAC, 24000, 0};
static const struct audio_format mp3 = {AUDIO_MP3, 44100, 128};

struct ear {
	struct buf bytes;
	uint64_t samples;
	unsigned times;
	unsigned expected; /* the loop stops after this many results */
	int err;
	struct loop *loop;
	bool is_full;
	unsigned edges; /* how often on_full was called */
};

static void hear_full(void *arg, bool is_full)
{
	struct ear *ear = arg;

	assert_int_not_equal(is_full, ear->is_full);
	ear->is_full = is_full;
	++ear->edges;
}

static void hear(void *arg, int err, const struct audio_frame *frame)
{
	struct ear *ear = arg;

	ear->err = err ? err : ear->err;
	assert_int_equal(buf_append(&ear->bytes, frame->bytes, frame->len), 0);
	if (frame->len == 0)
		assert_int_equal(frame->samples, 0);
	ear->samples += frame->samples;
	if (++ear->times == ear->expected && ear->loop)
		loop_stop(ear->loop);
}

static void make_samples(int16_t *samples, size_t count)
{
	uint32_t seed = 1;

	for (size_t i = 0; i < count; ++i) {
		seed = seed * 1664525u + 1013904223u;
		samples[i] = (int16_t)(seed >> 16);
	}
}

static void write_pieces(struct encoding *encoding, const int16_t *samples)
{
	for (size_t i = 0; i < PIECES; ++i)
		assert_int_equal(encoding_write(encoding, samples + i * FRAME, FRAME), 0);
	assert_int_equal(encoding_end(encoding), 0);
}

/* The bytes that an encoder produces without a thread. */
static void assert_encoded(const struct buf *bytes, const struct audio_format *format,
			   const int16_t *samples)
{
	struct encoder *encoder;
	struct buf want;

	buf_init(&want, HEARD_MAX);
	assert_int_equal(encoder_alloc(&encoder, format), 0);
	assert_int_equal(encoder_write(encoder, samples, (size_t)PIECES * FRAME, &want), 0);
	assert_int_equal(encoder_end(encoder, &want), 0);
	assert_int_equal(bytes->len, want.len);
	assert_memory_equal(bytes->bytes, want.bytes, want.len);
	mem_deref(encoder);
	buf_reset(&want);
}

static void check_thread(const struct audio_format *format)
{
	static int16_t samples[PIECES * FRAME];
	struct ear ear = {.expected = PIECES + 1};
	struct encoding *encoding;
	struct encoding_threads *threads;

	make_samples(samples, COUNT(samples));
	buf_init(&ear.bytes, HEARD_MAX);
	assert_int_equal(loop_alloc(&ear.loop), 0);
	assert_int_equal(encoding_threads_alloc(&threads, ear.loop, 1), 0);
	assert_int_equal(encoding_alloc(&encoding, threads, &ear.loop->timers, format, hear, &ear),
			 0);
	write_pieces(encoding, samples);
	assert_int_equal(ear.times, 0);
	loop_run(ear.loop);
	assert_int_equal(ear.err, 0);
	assert_int_equal(ear.samples, COUNT(samples));
	assert_true(encoding_is_idle(encoding));
	assert_encoded(&ear.bytes, format, samples);
	encoding_close(encoding);
	mem_deref(threads);
	mem_deref(ear.loop);
	buf_reset(&ear.bytes);
	assert_int_equal(mem_live(), 0);
}

static void test_encoded_pieces_are_delivered_in_order(void **state)
{
	(void)state;
	check_thread(&wav);
	check_thread(&flac);
	check_thread(&mp3);
}

static void test_two_streams_on_one_thread_stay_apart(void **state)
{
	static int16_t samples[PIECES * FRAME];
	struct ear ears[2] = {{.expected = PIECES + 1}, {.expected = PIECES + 1}};
	struct encoding *encodings[2];
	struct encoding_threads *threads;
	struct loop *loop;

	(void)state;
	make_samples(samples, COUNT(samples));
	assert_int_equal(loop_alloc(&loop), 0);
	assert_int_equal(encoding_threads_alloc(&threads, loop, 1), 0);
	for (size_t i = 0; i < 2; ++i) {
		buf_init(&ears[i].bytes, HEARD_MAX);
		assert_int_equal(encoding_alloc(&encodings[i], threads, &loop->timers,
						i == 0 ? &flac : &mp3, hear, &ears[i]),
				 0);
	}
	for (size_t k = 0; k < PIECES; ++k) {
		for (size_t i = 0; i < 2; ++i)
			assert_int_equal(encoding_write(encodings[i], samples + k * FRAME, FRAME),
					 0);
	}
	assert_int_equal(encoding_end(encodings[0]), 0);
	assert_int_equal(encoding_end(encodings[1]), 0);
	encoding_threads_finish(threads); /* delivers all results */
	assert_encoded(&ears[0].bytes, &flac, samples);
	assert_encoded(&ears[1].bytes, &mp3, samples);
	for (size_t i = 0; i < 2; ++i) {
		encoding_close(encodings[i]);
		buf_reset(&ears[i].bytes);
	}
	mem_deref(threads);
	mem_deref(loop);
	assert_int_equal(mem_live(), 0);
}

/* A third encoding uses the thread with fewer of them, and a slot that was freed is used again. */
static void test_streams_are_spread_over_the_threads(void **state)
{
	static int16_t samples[PIECES * FRAME];
	struct ear ears[4] = {0};
	struct encoding *encodings[4];
	struct encoding_threads *threads;
	struct loop *loop;

	(void)state;
	make_samples(samples, COUNT(samples));
	assert_int_equal(loop_alloc(&loop), 0);
	assert_int_equal(encoding_threads_alloc(&threads, loop, 2), 0);
	for (unsigned i = 0; i < 4; ++i) {
		buf_init(&ears[i].bytes, HEARD_MAX);
		assert_int_equal(encoding_alloc(&encodings[i], threads, &loop->timers, &flac, hear,
						&ears[i]),
				 0);
		assert_int_equal(encoding_threads_most(threads), i / 2 + 1);
	}
	encoding_close(encodings[0]);
	assert_int_equal(
		encoding_alloc(&encodings[0], threads, &loop->timers, &mp3, hear, &ears[0]), 0);
	assert_int_equal(encoding_threads_most(threads), 2);
	for (size_t i = 0; i < 4; ++i)
		write_pieces(encodings[i], samples);
	encoding_threads_finish(threads);
	for (size_t i = 0; i < 4; ++i) {
		assert_encoded(&ears[i].bytes, i == 0 ? &mp3 : &flac, samples);
		encoding_close(encodings[i]);
		buf_reset(&ears[i].bytes);
	}
	assert_int_equal(encoding_threads_most(threads), 0);
	mem_deref(threads);
	mem_deref(loop);
	assert_int_equal(mem_live(), 0);
}

static void test_a_closed_encoding_delivers_nothing_more(void **state)
{
	static int16_t samples[PIECES * FRAME];
	struct ear ear = {0};
	struct encoding *encoding;
	struct encoding_threads *threads;
	struct loop *loop;

	(void)state;
	buf_init(&ear.bytes, HEARD_MAX);
	assert_int_equal(loop_alloc(&loop), 0);
	assert_int_equal(encoding_threads_alloc(&threads, loop, 1), 0);
	assert_int_equal(encoding_alloc(&encoding, threads, &loop->timers, &mp3, hear, &ear), 0);
	write_pieces(encoding, samples);
	assert_null(encoding_close(encoding));
	encoding_threads_finish(threads);
	assert_int_equal(ear.times, 0);
	mem_deref(threads);
	mem_deref(loop);
	assert_int_equal(mem_live(), 0);
}

static void test_without_a_thread_pieces_are_encoded_by_a_timer(void **state)
{
	static int16_t samples[PIECES * FRAME];
	struct ear ear = {0};
	struct encoding *encoding;
	struct timers timers;

	(void)state;
	make_samples(samples, COUNT(samples));
	buf_init(&ear.bytes, HEARD_MAX);
	timers_init(&timers, 1000);
	assert_int_equal(encoding_alloc(&encoding, NULL, &timers, &flac, hear, &ear), 0);
	write_pieces(encoding, samples);
	assert_int_equal(ear.times, 0);
	timers_advance(&timers, timers.now_us);
	assert_int_equal(ear.times, PIECES + 1);
	assert_encoded(&ear.bytes, &flac, samples);
	encoding_close(encoding);
	/* The same for an encoding that is closed before. */
	assert_int_equal(encoding_alloc(&encoding, NULL, &timers, &flac, hear, &ear), 0);
	write_pieces(encoding, samples);
	encoding_close(encoding);
	assert_int_equal(timers_next_us(&timers), UINT64_MAX);
	timers_reset(&timers);
	buf_reset(&ear.bytes);
	assert_int_equal(mem_live(), 0);
}

static void test_a_second_of_pending_audio_is_reported_as_full_once(void **state)
{
	static const int16_t silence[FRAME];
	struct ear ear = {0};
	struct encoding *encoding;
	struct timers timers;

	(void)state;
	buf_init(&ear.bytes, HEARD_MAX);
	timers_init(&timers, 1000);
	assert_int_equal(encoding_alloc(&encoding, NULL, &timers, &wav, hear, &ear), 0);
	encoding_on_full(encoding, hear_full);
	for (unsigned i = 0; i < 50; ++i) {
		assert_int_equal(encoding_is_empty(encoding), i == 0);
		assert_false(ear.is_full);
		assert_int_equal(encoding_write(encoding, silence, FRAME), 0);
	}
	assert_true(ear.is_full);
	assert_int_equal(encoding_write(encoding, silence, FRAME), 0);
	assert_false(encoding_is_idle(encoding));
	timers_advance(&timers, timers.now_us);
	assert_false(ear.is_full);
	assert_int_equal(ear.edges, 2);
	assert_true(encoding_is_idle(encoding));
	encoding_close(encoding);
	timers_reset(&timers);
	buf_reset(&ear.bytes);
	assert_int_equal(mem_live(), 0);
}

static void test_an_error_of_the_encoder_is_reported(void **state)
{
	static const struct audio_format none = {AUDIO_OPUS, 24000, 64};
	static const int16_t silence[FRAME];
	struct ear ear = {0};
	struct encoding *encoding;
	struct timers timers;

	(void)state;
	buf_init(&ear.bytes, HEARD_MAX);
	timers_init(&timers, 1000);
	assert_int_equal(encoding_alloc(&encoding, NULL, &timers, &none, hear, &ear), 0);
	assert_int_equal(encoding_write(encoding, silence, FRAME), 0);
	assert_int_equal(encoding_write(encoding, silence, FRAME), 0);
	timers_advance(&timers, timers.now_us);
	assert_int_equal(ear.err, EINVAL);
	assert_int_equal(ear.times, 2);
	encoding_close(encoding);
	buf_reset(&ear.bytes);
	timers_reset(&timers);
	assert_int_equal(mem_live(), 0);
}

/* A single turn in the world of the protocol tests. */
struct stage {
	struct world world;
	struct session session;
	struct turn_owner owner;
	struct turn *turn;
	unsigned over;
};

static void on_over(void *arg)
{
	++((struct stage *)arg)->over;
}

static const struct turn_owner_ops owner_ops = {.over = on_over};

static void on_filled(void *arg)
{
	turn_filled(((struct stage *)arg)->turn);
}

static void stage_open(struct stage *stage, const struct audio_format *format)
{
	struct settings settings = settings_default;

	memset(stage, 0, sizeof(*stage));
	assert_int_equal(world_open(&stage->world), 0);
	settings.set = SETTING_OUTPUT_FORMAT | SETTING_VOICE_ID;
	settings.voice_id = 1;
	settings.format = *format;
	session_init(&stage->session, &dialect_native, &stage->world.services,
		     &stage->world.peer.peer, WORLD_REQUEST_ID, stage->world.caller);
	stage->owner = (struct turn_owner){
		.session = &stage->session,
		.ops = &owner_ops,
		.arg = stage,
	};
	assert_int_equal(turn_alloc(&stage->turn, &stage->owner, &settings,
				    voices_find(stage->world.voices, 1)),
			 0);
	stage->world.peer.filled = on_filled;
	stage->world.peer.filled_arg = stage;
	turn_come_to_front(stage->turn);
}

static void stage_close(struct stage *stage)
{
	mem_deref(stage->turn);
	session_reset(&stage->session);
	world_close(&stage->world);
	assert_int_equal(mem_live(), 0);
}

/* Runs everything that can happen except the encoder. */
static void speak(struct stage *stage)
{
	while (fake_speech_give(&stage->world.speech, UINT64_MAX, NULL))
		;
}

static void tell_sent(struct stage *stage)
{
	uint64_t tag;

	while (fake_peer_take_sent(&stage->world.peer, &tag))
		turn_sent(stage->turn, tag);
	(void)fake_ledger_answer(&stage->world.ledger);
}

static void encode(struct stage *stage)
{
	struct timers *timers = &stage->world.timers;

	while (timers_next_us(timers) <= timers->now_us)
		timers_advance(timers, timers->now_us);
}

static void settle(struct stage *stage)
{
	for (unsigned i = 0; i < 20; ++i) {
		speak(stage);
		encode(stage);
		tell_sent(stage);
	}
}

static void say(struct stage *stage, const char *text)
{
	turn_text(stage->turn, text, strlen(text));
}

/* Collects the audio of all messages up to the one that contains `until`, which is read too.
 * Returns how many samples the frames report. */
static uint64_t collect(struct stage *stage, struct buf *bytes, const char *until)
{
	struct fake_message *message;
	uint64_t samples = 0;
	bool found = false;

	while (!found && (message = fake_peer_read(&stage->world.peer, NULL))) {
		const char *audio = strstr(message->json, "{\"audio\":\"");

		found = strstr(message->json, until) != NULL;
		samples += message->samples;
		if (audio) {
			const char *text = audio + strlen("{\"audio\":\"");
			size_t len = (size_t)(strchr(text, '"') - text);
			size_t made;

			assert_int_equal(buf_reserve(bytes, len), 0);
			assert_int_equal(base64_decode((uint8_t *)bytes->bytes + bytes->len, &made,
						       text, len),
					 0);
			bytes->len += made;
		}
		fake_message_free(message);
	}
	assert_true(found);
	return samples;
}

static void test_a_chunk_is_complete_when_its_frames_are_encoded(void **state)
{
	static struct stage stage;
	struct buf bytes;

	(void)state;
	stage_open(&stage, &wav);
	buf_init(&bytes, HEARD_MAX);
	say(&stage, "One two.");
	turn_end(stage.turn);
	speak(&stage);
	assert_null(fake_peer_peek(&stage.world.peer, "\"audio\":"));
	assert_null(fake_peer_peek(&stage.world.peer, "chunk_complete"));
	assert_int_equal(turn_state(stage.turn), TURN_DRAINING);
	settle(&stage);
	/* "One two." takes 540 ms, 12960 samples. */
	assert_int_equal(collect(&stage, &bytes, "\"chunk_complete\":true"), 12960);
	assert_int_equal(bytes.len, 44 + 12960 * 2);
	assert_memory_equal(bytes.bytes, "RIFF", 4);
	collect(&stage, &bytes, "\"final\":true");
	assert_int_equal(bytes.len, 44 + 12960 * 2);
	collect(&stage, &bytes, "\"session_closed\":true");
	assert_int_equal(stage.world.ledger.bookings[0].row.samples, 12960);
	buf_reset(&bytes);
	stage_close(&stage);
}

static void test_the_end_of_the_stream_is_sent_before_final(void **state)
{
	static struct stage stage;
	struct buf bytes;
	uint64_t samples;
	size_t at_chunk_end;

	(void)state;
	stage_open(&stage, &mp3);
	buf_init(&bytes, HEARD_MAX);
	say(&stage, "One two. Three four.");
	turn_end(stage.turn);
	settle(&stage);
	samples = collect(&stage, &bytes, "\"chunk_complete\":true");
	at_chunk_end = bytes.len;
	samples += collect(&stage, &bytes, "\"final\":true");
	assert_true(bytes.len > at_chunk_end); /* the bytes that the encoder had kept */
	assert_int_equal(stage.world.ledger.bookings[0].row.samples, samples);
	/* 128 kbit/s, and at most three frames more than the audio. */
	assert_in_range(bytes.len, samples * 16000 / 44100, (samples + 3 * 1152) * 16000 / 44100);
	assert_int_equal(turn_state(stage.turn), TURN_CLOSED);
	buf_reset(&bytes);
	stage_close(&stage);
}

/* The encoder keeps a part of a block beyond the end of a chunk. */
static void test_the_seconds_of_a_chunk_are_those_of_its_text(void **state)
{
	static struct stage stage;
	struct buf bytes;

	(void)state;
	stage_open(&stage, &flac);
	buf_init(&bytes, HEARD_MAX);
	say(&stage, "One two. ");
	say(&stage, "One two three four.");
	turn_end(stage.turn);
	settle(&stage);
	assert_non_null(fake_peer_peek(&stage.world.peer, "\"audio_seconds\":0.54,"));
	collect(&stage, &bytes, "\"chunk_complete\":true");
	assert_null(fake_peer_peek(&stage.world.peer, "\"audio_seconds\":0.54,"));
	buf_reset(&bytes);
	stage_close(&stage);
}

static void test_a_cancel_drops_what_is_in_the_encoder(void **state)
{
	static struct stage stage;

	(void)state;
	stage_open(&stage, &mp3);
	say(&stage, "One two three four five six.");
	turn_end(stage.turn);
	speak(&stage);
	assert_int_equal(turn_cancel(stage.turn), 0);
	settle(&stage);
	assert_null(fake_peer_peek(&stage.world.peer, "\"audio\":"));
	assert_null(fake_peer_peek(&stage.world.peer, "\"final\":"));
	assert_int_equal(stage.world.ledger.count, 1);
	assert_int_equal(stage.world.ledger.bookings[0].row.samples, 0);
	stage_close(&stage);
}

/* Speaks the sentence "One two." with a flush; then `stop` ends the turn, with or without the start
 * of a next sentence.  Collects the audio up to the final. */
static void collect_stopped(struct buf *bytes, const struct audio_format *format,
			    void (*stop)(struct stage *stage))
{
	static struct stage stage;

	stage_open(&stage, format);
	say(&stage, "One two. ");
	turn_flush(stage.turn);
	settle(&stage);
	stop(&stage);
	settle(&stage);
	collect(&stage, bytes, "\"final\":true");
	assert_int_equal(turn_state(stage.turn), TURN_CLOSED);
	stage_close(&stage);
}

static void end_without_more(struct stage *stage)
{
	turn_end(stage->turn);
}

static void stop_a_sentence_that_begins(struct stage *stage)
{
	say(stage, "Three four five. And");
	turn_release(stage->turn);
	assert_int_equal(stage->world.speech.running.count, 1);
	turn_stop(stage->turn);
	assert_int_equal(stage->world.speech.running.count, 0);
}

static void stop_a_sentence_that_waits_for_room(struct stage *stage)
{
	static const char much[FAKE_PEER_FULL];
	struct fake_peer *peer = &stage->world.peer;
	struct buf message;

	peer->is_blocked = true;
	peer_send(&peer->peer, &message,
		  buf_append(peer_begin(&peer->peer, &message), much, sizeof(much)), 0, 0);
	say(stage, "Three four five. And");
	turn_release(stage->turn);
	assert_true(turn_is_busy(stage->turn));
	assert_int_equal(stage->world.speech.running.count, 0);
	turn_stop(stage->turn);
	encode(stage);
	peer->is_blocked = false;
	fake_peer_hand_over(peer, SIZE_MAX);
}

/* The audio that the encoder has kept is sent, and the stream is complete.  Streams of Opus have a
 * random number in each page, so only their lengths are compared. */
static void test_a_stop_keeps_the_flushed_sentence_complete(void **state)
{
	static const struct audio_format formats[] = {
		{AUDIO_MP3, 44100, 128},
		{AUDIO_AAC, 24000, 64},
		{AUDIO_FLAC, 24000, 0},
		{AUDIO_OPUS, 48000, 64},
	};
	struct buf whole, begun, waiting;

	(void)state;
	for (size_t i = 0; i < COUNT(formats); ++i) {
		buf_init(&whole, HEARD_MAX);
		buf_init(&begun, HEARD_MAX);
		buf_init(&waiting, HEARD_MAX);
		collect_stopped(&whole, &formats[i], end_without_more);
		collect_stopped(&begun, &formats[i], stop_a_sentence_that_begins);
		collect_stopped(&waiting, &formats[i], stop_a_sentence_that_waits_for_room);
		assert_int_equal(begun.len, whole.len);
		assert_int_equal(waiting.len, whole.len);
		if (formats[i].encoding != AUDIO_OPUS) {
			assert_memory_equal(begun.bytes, whole.bytes, whole.len);
			assert_memory_equal(waiting.bytes, whole.bytes, whole.len);
		}
		buf_reset(&whole);
		buf_reset(&begun);
		buf_reset(&waiting);
	}
}

static void test_a_full_encoder_holds_the_job(void **state)
{
	static struct stage stage;
	struct fake_speech *speech = &stage.world.speech;

	(void)state;
	stage_open(&stage, &mp3);
	say(&stage, "This sentence is hummed for a good while longer than one second.");
	turn_end(stage.turn);
	for (unsigned i = 0; i < 100 && fake_speech_held(speech) == 0; ++i)
		fake_speech_give(speech, 1600, NULL);
	assert_int_equal(fake_speech_held(speech), 1);
	encode(&stage);
	assert_int_equal(fake_speech_held(speech), 0);
	settle(&stage);
	assert_int_equal(turn_state(stage.turn), TURN_CLOSED);
	stage_close(&stage);
}

static void test_a_long_silence_waits_for_the_encoder(void **state)
{
	static struct stage stage;
	struct buf bytes;

	(void)state;
	stage_open(&stage, &wav);
	buf_init(&bytes, HEARD_MAX);
	for (unsigned i = 0; i < 8; ++i)
		say(&stage, "<break time=\"450ms\"/>"); /* 500 ms each */
	turn_end(stage.turn);
	assert_null(fake_peer_peek(&stage.world.peer, "\"audio\":"));
	settle(&stage);
	assert_int_equal(collect(&stage, &bytes, "\"final\":true"), 4 * 24000);
	assert_int_equal(bytes.len, 44 + 4 * 24000 * 2);
	assert_int_equal(turn_state(stage.turn), TURN_CLOSED);
	buf_reset(&bytes);
	stage_close(&stage);
}

static void test_an_encoder_that_fails_fails_the_turn(void **state)
{
	static const struct audio_format none = {AUDIO_OPUS, 24000, 64};
	static struct stage stage;
	struct buf bytes;

	(void)state;
	stage_open(&stage, &none);
	buf_init(&bytes, HEARD_MAX);
	say(&stage, "One two.");
	turn_end(stage.turn);
	settle(&stage);
	collect(&stage, &bytes, "INTERNAL_ERROR");
	assert_int_equal(bytes.len, 0);
	assert_int_equal(turn_state(stage.turn), TURN_CLOSED);
	stage_close(&stage);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_encoded_pieces_are_delivered_in_order),
		cmocka_unit_test(test_two_streams_on_one_thread_stay_apart),
		cmocka_unit_test(test_streams_are_spread_over_the_threads),
		cmocka_unit_test(test_a_closed_encoding_delivers_nothing_more),
		cmocka_unit_test(test_without_a_thread_pieces_are_encoded_by_a_timer),
		cmocka_unit_test(test_a_second_of_pending_audio_is_reported_as_full_once),
		cmocka_unit_test(test_an_error_of_the_encoder_is_reported),
		cmocka_unit_test(test_a_chunk_is_complete_when_its_frames_are_encoded),
		cmocka_unit_test(test_the_end_of_the_stream_is_sent_before_final),
		cmocka_unit_test(test_the_seconds_of_a_chunk_are_those_of_its_text),
		cmocka_unit_test(test_a_cancel_drops_what_is_in_the_encoder),
		cmocka_unit_test(test_a_stop_keeps_the_flushed_sentence_complete),
		cmocka_unit_test(test_a_full_encoder_holds_the_job),
		cmocka_unit_test(test_a_long_silence_waits_for_the_encoder),
		cmocka_unit_test(test_an_encoder_that_fails_fails_the_turn),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
