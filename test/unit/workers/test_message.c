/* Worker messages: what was written is read back, and nothing else is taken
 * for a message. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "wire.h"

/* Phonemes for "ü" and for ".". */
static const unsigned char spans[] = {2,    0, 0, 0, 4, 0, 0, 0, 3, 0, 0, 0, 'y', 0xcb,
				      0x90, 7, 0, 0, 0, 8, 0, 0, 0, 1, 0, 0, 0,   'x'};

static struct message full_speak(void)
{
	return (struct message){
		.type = MESSAGE_SPEAK,
		.job = 0xfedcba98,
		.speak =
			{
				.voice = STR("slt"),
				.language = STR("en"),
				.text = STR("Gr\xc3\xbc\xc3\x9f"
					    "e."),
				.text_before = STR("Before."),
				.turn = UINT64_C(0x0102030405060708),
				.skip_samples = UINT64_C(1) << 40,
				.credit_samples = 4800,
				.deadline_ms = 125,
				.speed = 1.25f,
				.temperature = 0.5f,
				.want_words = true,
				.phonemes = {spans, sizeof(spans), 2},
				.pitch = -2.5f,
				.variant = STR("f3"),
				.seed = UINT64_C(0x1112131415161718),
			},
	};
}

/* Pitch, variant and seed, which follow the phonemes. */
#define SEED_LEN 8u
#define LAST_LEN (4u + 4u + 2u + SEED_LEN)

static void assert_phonemes(struct message_spans *list, uint32_t from, uint32_t to, const char *ipa)
{
	struct message_phonemes phonemes;

	assert_true(message_phonemes_take(&phonemes, list));
	assert_int_equal(phonemes.byte_start, from);
	assert_int_equal(phonemes.byte_end, to);
	assert_str(phonemes.ipa, ipa);
}

static void test_speak_survives_the_wire(void **state)
{
	struct message message = full_speak();
	struct message read;
	struct buf buf;

	(void)state;
	read = round_trip(&buf, &message);
	assert_str(read.speak.voice, "slt");
	assert_str(read.speak.language, "en");
	assert_str(read.speak.text, "Gr\xc3\xbc\xc3\x9f"
				    "e.");
	assert_str(read.speak.text_before, "Before.");
	assert_true(read.speak.turn == message.speak.turn);
	assert_true(read.speak.skip_samples == message.speak.skip_samples);
	assert_int_equal(read.speak.credit_samples, 4800);
	assert_int_equal(read.speak.deadline_ms, 125);
	assert_float_equal(read.speak.speed, 1.25f, 0);
	assert_float_equal(read.speak.temperature, 0.5f, 0);
	assert_true(read.speak.want_words);
	assert_phonemes(&read.speak.phonemes, 2, 4, "yː");
	assert_phonemes(&read.speak.phonemes, 7, 8, "x");
	assert_false(message_phonemes_take(&(struct message_phonemes){0}, &read.speak.phonemes));
	assert_float_equal(read.speak.pitch, -2.5f, 0);
	assert_str(read.speak.variant, "f3");
	assert_true(read.speak.seed == message.speak.seed);
	buf_reset(&buf);
}

static void test_the_handshake_survives_the_wire(void **state)
{
	struct message message = {.type = MESSAGE_HELLO, .hello = {1, 3}};
	struct message read;
	struct buf buf;

	(void)state;
	read = round_trip(&buf, &message);
	assert_int_equal(read.hello.version_min, 1);
	assert_int_equal(read.hello.version_max, 3);
	buf_reset(&buf);

	message = (struct message){.type = MESSAGE_VOICE,
				   .voice = {STR("de+f2"), STR("de"), STR("German"), 22050, 1, 2,
					     STR("GPL-3.0-or-later")}};
	read = round_trip(&buf, &message);
	assert_str(read.voice.name, "de+f2");
	assert_str(read.voice.language, "de");
	assert_str(read.voice.title, "German");
	assert_int_equal(read.voice.sample_rate, 22050);
	assert_int_equal(read.voice.sex, 1);
	assert_int_equal(read.voice.quality, 2);
	assert_str(read.voice.licence, "GPL-3.0-or-later");
	buf_reset(&buf);

	message =
		(struct message){.type = MESSAGE_NOTE, .note = {STR("x.onnx"), STR("no weights")}};
	read = round_trip(&buf, &message);
	assert_str(read.note.about, "x.onnx");
	assert_str(read.note.text, "no weights");
	buf_reset(&buf);

	message = (struct message){.type = MESSAGE_READY,
				   .ready = {1, 4, MESSAGE_OWN_SPEED, STR("espeak"), 64, 48}};
	read = round_trip(&buf, &message);
	assert_int_equal(read.ready.version, 1);
	assert_int_equal(read.ready.jobs_max, 4);
	assert_int_equal(read.ready.capabilities, MESSAGE_OWN_SPEED);
	assert_str(read.ready.engine, "espeak");
	assert_int_equal(read.ready.batch, 64);
	assert_int_equal(read.ready.turns, 48);
	buf_reset(&buf);
}

static void test_answers_of_a_job_survive_the_wire(void **state)
{
	static const unsigned char samples[] = {1, 2, 3, 4, 5, 6};
	struct message message = {.type = MESSAGE_AUDIO,
				  .job = 7,
				  .audio = {77, 16000, samples, sizeof(samples) / 2}};
	struct message read;
	struct buf buf;

	(void)state;
	read = round_trip(&buf, &message);
	assert_int_equal(read.audio.busy_us, 77);
	assert_int_equal(read.audio.sample_rate, 16000);
	assert_int_equal(read.audio.count, 3);
	assert_memory_equal(read.audio.samples, samples, sizeof(samples));
	buf_reset(&buf);

	message = (struct message){.type = MESSAGE_WORD, .job = 7, .word = {5, 9, 100, 2000}};
	read = round_trip(&buf, &message);
	assert_int_equal(read.word.byte_start, 5);
	assert_int_equal(read.word.byte_end, 9);
	assert_int_equal(read.word.sample_start, 100);
	assert_int_equal(read.word.sample_end, 2000);
	buf_reset(&buf);

	message = (struct message){.type = MESSAGE_DONE,
				   .job = 7,
				   .done = {MESSAGE_DONE_FAILED, 1234, 99999, STR("why")}};
	read = round_trip(&buf, &message);
	assert_int_equal(read.done.status, MESSAGE_DONE_FAILED);
	assert_int_equal(read.done.busy_us, 1234);
	assert_int_equal(read.done.samples, 99999);
	assert_str(read.done.detail, "why");
	buf_reset(&buf);
}

static void test_the_audio_head_is_what_encode_writes(void **state)
{
	static const unsigned char samples[4] = {0};
	unsigned char head[MESSAGE_AUDIO_HEAD_LEN];
	struct message message = {
		.type = MESSAGE_AUDIO, .job = 3, .audio = {0x01020304, 24000, samples, 2}};
	struct buf buf;

	(void)state;
	buf_init(&buf, 1000);
	assert_int_equal(message_encode(&buf, &message), 0);
	message_encode_audio_head(head, 3, &message.audio);
	assert_memory_equal(buf.bytes, head, sizeof(head));
	assert_int_equal(buf.len, sizeof(head) + sizeof(samples));
	buf_reset(&buf);
}

/* The example of docs/worker-protocol.md: the bytes are the contract. */
static void test_bytes_are_as_documented(void **state)
{
	static const unsigned char credit[] = {4, 0, 0, 0, 3,    0,    0, 0,
					       7, 0, 0, 0, 0xc0, 0x12, 0, 0};
	struct message message = {.type = MESSAGE_CREDIT, .job = 7, .credit_samples = 4800};
	struct buf buf;

	(void)state;
	buf_init(&buf, 100);
	assert_int_equal(message_encode(&buf, &message), 0);
	assert_int_equal(buf.len, sizeof(credit));
	assert_memory_equal(buf.bytes, credit, sizeof(credit));
	buf_reset(&buf);
}

static void test_a_part_of_a_message_asks_for_more(void **state)
{
	struct message message = full_speak();
	struct message read;
	struct buf buf;
	size_t used = 0;

	(void)state;
	round_trip(&buf, &message);
	for (size_t n = 0; n < buf.len; ++n)
		assert_int_equal(message_decode(&read, &used, buf.bytes, n), EAGAIN);
	assert_int_equal(used, 0);
	buf_reset(&buf);
}

/* A payload that is cut at every length, with that length in its header.  It is valid only where an
 * older server, which did not have phonemes, pitch, variant or seed, would have ended it. */
static void test_a_payload_that_lacks_a_field_is_refused(void **state)
{
	struct message message = full_speak();
	struct message read;
	struct buf buf;
	size_t used = 0;

	(void)state;
	round_trip(&buf, &message);
	for (size_t n = MESSAGE_HEADER_LEN; n < buf.len; ++n) {
		bool is_older = n == buf.len - LAST_LEN - sizeof(spans) - 2;
		bool has_variant = n == buf.len - SEED_LEN;
		bool is_whole = is_older || n == buf.len - LAST_LEN ||
				n == buf.len - LAST_LEN + 4 || has_variant;
		int want = is_whole ? 0 : EPROTO;

		buf.bytes[0] = (char)(n - MESSAGE_HEADER_LEN);
		assert_int_equal(message_decode(&read, &used, buf.bytes, n), want);
		if (!want) {
			assert_int_equal(read.speak.phonemes.count, is_older ? 0 : 2);
			assert_int_equal(read.speak.variant.len, has_variant ? 2 : 0);
			assert_true(read.speak.seed == 0);
		}
	}
	buf_reset(&buf);
}

/* Spans that are written one by one are those that are read. */
static void test_spans_are_put_as_they_are_taken(void **state)
{
	const struct message_phonemes two[] = {{2, 4, STR("yː")}, {7, 8, STR("x")}};
	struct buf buf;

	(void)state;
	buf_init(&buf, sizeof(spans));
	assert_int_equal(message_phonemes_put(&buf, &two[0]), 0);
	assert_int_equal(message_phonemes_put(&buf, &two[1]), 0);
	assert_int_equal(buf.len, sizeof(spans));
	assert_memory_equal(buf.bytes, spans, sizeof(spans));
	assert_int_equal(message_phonemes_put(&buf, &two[1]), ENOBUFS);
	assert_int_equal(buf.len, sizeof(spans));
	buf_reset(&buf);
}

static bool fits(uint32_t from, uint32_t to, const char *ipa, size_t ipa_len, uint32_t after)
{
	const struct message_str text = STR("Grüße.");
	const struct message_phonemes phonemes = {from, to, {ipa, (uint32_t)ipa_len}};

	return message_phonemes_fit(&phonemes, &text, after);
}

static void test_spans_are_whole_characters_of_the_text_in_its_order(void **state)
{
	char ipa[MESSAGE_IPA_MAX + 1];

	(void)state;
	memset(ipa, 'a', sizeof(ipa));
	assert_true(fits(0, 8, "a", 1, 0));
	assert_true(fits(2, 4, "a", 1, 2));
	assert_false(fits(2, 4, "a", 1, 3)); /* overlaps the previous one */
	assert_false(fits(2, 2, "a", 1, 0));
	assert_false(fits(4, 2, "a", 1, 0));
	assert_false(fits(0, 9, "a", 1, 0));
	assert_false(fits(3, 4, "a", 1, 0)); /* in the middle of ü */
	assert_false(fits(2, 3, "a", 1, 0));
	assert_false(fits(0, 8, "", 0, 0));
	assert_true(fits(0, 8, ipa, MESSAGE_IPA_MAX, 0));
	assert_false(fits(0, 8, ipa, MESSAGE_IPA_MAX + 1, 0));
	assert_false(fits(0, 8, "\xcb", 1, 0));
}

static void test_fields_added_later_are_skipped(void **state)
{
	struct message message = {.type = MESSAGE_DONE, .job = 9, .done = {.detail = STR("ok")}};
	struct message read;
	struct buf buf;
	size_t used = 0;

	(void)state;
	round_trip(&buf, &message);
	assert_int_equal(buf_append(&buf, "later", 5), 0);
	buf.bytes[0] = (char)(buf.bytes[0] + 5);
	assert_int_equal(message_decode(&read, &used, buf.bytes, buf.len), 0);
	assert_int_equal(used, buf.len);
	assert_str(read.done.detail, "ok");
	buf_reset(&buf);
}

/* Engines that were written before VOICE had a licence. */
static void test_a_voice_without_a_licence_is_still_a_voice(void **state)
{
	struct message message = {
		.type = MESSAGE_VOICE,
		.voice = {STR("slt"), STR("en"), STR("Sally"), 16000, 1, 1, STR("MIT")}};
	struct message read;
	struct buf buf;
	size_t used = 0;

	(void)state;
	round_trip(&buf, &message);
	buf.len -= 3;
	buf.bytes[0] = (char)(buf.bytes[0] - 3); /* its length without its bytes */
	assert_int_equal(message_decode(&read, &used, buf.bytes, buf.len), EPROTO);
	buf.len -= 4;
	buf.bytes[0] = (char)(buf.bytes[0] - 4);
	assert_int_equal(message_decode(&read, &used, buf.bytes, buf.len), 0);
	assert_str(read.voice.title, "Sally");
	assert_str(read.voice.licence, "");
	buf_reset(&buf);
}

/* Engines that were written before READY had a batch, or a number of turns. */
static void test_a_ready_without_a_batch_is_still_ready(void **state)
{
	struct message message = {.type = MESSAGE_READY, .ready = {1, 4, 0, STR("espeak"), 64, 48}};
	struct message read;
	struct buf buf;
	size_t used = 0;

	(void)state;
	round_trip(&buf, &message);
	for (unsigned missing = 1; missing <= 4; ++missing) {
		bool is_whole = missing % 2 == 0;

		buf.len -= 1;
		buf.bytes[0] = (char)(buf.bytes[0] - 1);
		assert_int_equal(message_decode(&read, &used, buf.bytes, buf.len),
				 is_whole ? 0 : EPROTO);
		if (!is_whole)
			continue;
		assert_str(read.ready.engine, "espeak");
		assert_int_equal(read.ready.batch, missing == 2 ? 64 : 0);
		assert_int_equal(read.ready.turns, 0);
	}
	buf_reset(&buf);
}

static void test_the_end_of_a_turn_survives_the_wire(void **state)
{
	static const unsigned char bytes[] = {8, 0, 0, 0, 5, 0, 0, 0, 0, 0,
					      0, 0, 8, 7, 6, 5, 4, 3, 2, 1};
	struct message message = {.type = MESSAGE_END_TURN, .turn = UINT64_C(0x0102030405060708)};
	struct message read;
	struct buf buf;

	(void)state;
	read = round_trip(&buf, &message);
	assert_true(read.turn == message.turn);
	assert_int_equal(buf.len, sizeof(bytes));
	assert_memory_equal(buf.bytes, bytes, sizeof(bytes));
	buf_reset(&buf);
}

/* REPLAY has the payload of the SPEAK that it repeats. */
static void test_a_replay_has_the_fields_of_a_speak(void **state)
{
	struct message speak = full_speak();
	struct message replay = full_speak();
	struct message read;
	struct buf one, other;

	(void)state;
	replay.type = MESSAGE_REPLAY;
	read = round_trip(&one, &replay);
	assert_str(read.speak.text, "Gr\xc3\xbc\xc3\x9f"
				    "e.");
	assert_true(read.speak.turn == replay.speak.turn);
	round_trip(&other, &speak);
	assert_int_equal(one.len, other.len);
	assert_memory_equal(one.bytes + MESSAGE_HEADER_LEN, other.bytes + MESSAGE_HEADER_LEN,
			    one.len - MESSAGE_HEADER_LEN);
	buf_reset(&one);
	buf_reset(&other);
}

static void test_the_payload_of_an_unknown_type_survives_the_wire(void **state)
{
	struct message message = {
		.type = 999, .job = 3, .other = {(const unsigned char *)"\0any\xff", 5}};
	struct message read;
	struct buf buf;

	(void)state;
	read = round_trip(&buf, &message);
	assert_int_equal(read.type, 999);
	assert_int_equal(read.other.len, 5);
	assert_memory_equal(read.other.bytes, "\0any\xff", 5);
	buf_reset(&buf);
}

static void test_what_is_missing_of_a_message_is_known_from_its_header(void **state)
{
	static const unsigned char bytes[] = {3, 0, 0, 0, 99, 0, 0, 0, 5, 0, 0, 0, 'a', 'b', 'c'};
	static const unsigned char bad[MESSAGE_HEADER_LEN] = {3, 0, 0, 0, 99, 0, 1};
	static const unsigned char long_one[MESSAGE_HEADER_LEN] = {1, 0, 0x10};

	(void)state;
	assert_int_equal(message_missing(bytes, 0), MESSAGE_HEADER_LEN);
	assert_int_equal(message_missing(bytes, 5), MESSAGE_HEADER_LEN - 5);
	assert_int_equal(message_missing(bytes, MESSAGE_HEADER_LEN), 3);
	assert_int_equal(message_missing(bytes, MESSAGE_HEADER_LEN + 2), 1);
	assert_int_equal(message_missing(bytes, sizeof(bytes)), 0);
	assert_int_equal(message_missing(bad, sizeof(bad)), 0);
	assert_int_equal(message_missing(long_one, sizeof(long_one)), 0);
}

static void test_unknown_types_are_stepped_over(void **state)
{
	static const unsigned char bytes[] = {3, 0, 0, 0, 99, 0, 0, 0, 5, 0, 0, 0, 'a', 'b', 'c'};
	struct message read;
	size_t used = 0;

	(void)state;
	assert_int_equal(message_decode(&read, &used, bytes, sizeof(bytes)), 0);
	assert_int_equal(read.type, 99);
	assert_int_equal(read.job, 5);
	assert_int_equal(used, sizeof(bytes));
}

static void test_bytes_that_are_no_message_are_refused_at_once(void **state)
{
	static const unsigned char too_long[MESSAGE_HEADER_LEN] = {1, 0, 0x10, 0, 2};
	static const unsigned char not_zero[MESSAGE_HEADER_LEN] = {8, 0, 0, 0, 3, 0, 1};
	struct message read;
	size_t used = 0;

	(void)state;
	assert_int_equal(message_decode(&read, &used, "GET / HTTP/1.1\r\n", 16), EPROTO);
	assert_int_equal(message_decode(&read, &used, too_long, sizeof(too_long)), EPROTO);
	assert_int_equal(message_decode(&read, &used, not_zero, sizeof(not_zero)), EPROTO);
}

static void assert_refused(const struct message *message)
{
	struct message read;
	struct buf buf;
	size_t used = 0;

	buf_init(&buf, 1000);
	assert_int_equal(message_encode(&buf, message), 0);
	assert_int_equal(message_decode(&read, &used, buf.bytes, buf.len), EPROTO);
	buf_reset(&buf);
}

static void test_values_no_engine_could_use_are_refused(void **state)
{
	struct message message = full_speak();

	(void)state;
	message.speak.text = STR("cut \xc3");
	assert_refused(&message);
	message = full_speak();
	message.speak.voice = STR("\xed\xa0\x80");
	assert_refused(&message);
	message = full_speak();
	message.speak.speed = NAN;
	assert_refused(&message);
	message.speak.speed = INFINITY;
	assert_refused(&message);
	message = full_speak();
	message.speak.text = STR("short");
	assert_refused(&message);
	message = (struct message){.type = MESSAGE_WORD, .word = {5, 4, 0, 1}};
	assert_refused(&message);
	message = (struct message){.type = MESSAGE_WORD, .word = {4, 5, 1, 0}};
	assert_refused(&message);
}

/* A thousand letters with a sound each, and one more. */
static void test_there_is_a_bound_to_the_number_of_spans(void **state)
{
	static char text[MESSAGE_PHONEMES_MAX + 1];
	struct message message = full_speak();
	struct message read;
	struct buf list, buf;
	size_t used = 0;

	(void)state;
	buf_init(&list, MESSAGE_PAYLOAD_MAX);
	buf_init(&buf, MESSAGE_PAYLOAD_MAX);
	memset(text, 'x', sizeof(text));
	message.speak.text = (struct message_str){text, sizeof(text)};
	for (uint32_t i = 0; i <= MESSAGE_PHONEMES_MAX; ++i) {
		const struct message_phonemes span = {i, i + 1, STR("a")};

		assert_int_equal(message_phonemes_put(&list, &span), 0);
		message.speak.phonemes = (struct message_spans){
			(unsigned char *)list.bytes, (uint32_t)list.len, (uint16_t)(i + 1)};
		buf.len = 0;
		assert_int_equal(message_encode(&buf, &message), 0);
		assert_int_equal(message_decode(&read, &used, buf.bytes, buf.len),
				 i < MESSAGE_PHONEMES_MAX ? 0 : EPROTO);
	}
	buf_reset(&list);
	buf_reset(&buf);
}

static void test_odd_audio_is_refused(void **state)
{
	static const unsigned char bytes[MESSAGE_AUDIO_HEAD_LEN + 1] = {9, 0, 0, 0, 18};
	struct message read;
	size_t used = 0;

	(void)state;
	assert_int_equal(message_decode(&read, &used, bytes, sizeof(bytes)), EPROTO);
}

static void test_what_does_not_fit_changes_nothing(void **state)
{
	struct message message = full_speak();
	struct message read;
	struct buf buf;
	char *text = calloc(1, MESSAGE_PAYLOAD_MAX);
	size_t used = 0;

	(void)state;
	assert_non_null(text);
	buf_init(&buf, 60);
	assert_int_equal(message_encode(&buf, &message), ENOBUFS);
	assert_int_equal(buf.len, 0);
	message = (struct message){.type = MESSAGE_CANCEL, .job = 1};
	assert_int_equal(message_encode(&buf, &message), 0);
	assert_int_equal(message_decode(&read, &used, buf.bytes, buf.len), 0);
	assert_int_equal(read.type, MESSAGE_CANCEL);
	buf_reset(&buf);

	buf_init(&buf, 4 * MESSAGE_PAYLOAD_MAX); /* more than the maximum of the protocol */
	message = full_speak();
	message.speak.text = (struct message_str){text, MESSAGE_PAYLOAD_MAX};
	assert_int_equal(message_encode(&buf, &message), ENOBUFS);
	assert_int_equal(buf.len, 0);
	buf_reset(&buf);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_speak_survives_the_wire),
		cmocka_unit_test(test_the_handshake_survives_the_wire),
		cmocka_unit_test(test_answers_of_a_job_survive_the_wire),
		cmocka_unit_test(test_the_audio_head_is_what_encode_writes),
		cmocka_unit_test(test_bytes_are_as_documented),
		cmocka_unit_test(test_a_part_of_a_message_asks_for_more),
		cmocka_unit_test(test_a_payload_that_lacks_a_field_is_refused),
		cmocka_unit_test(test_spans_are_put_as_they_are_taken),
		cmocka_unit_test(test_spans_are_whole_characters_of_the_text_in_its_order),
		cmocka_unit_test(test_there_is_a_bound_to_the_number_of_spans),
		cmocka_unit_test(test_fields_added_later_are_skipped),
		cmocka_unit_test(test_a_voice_without_a_licence_is_still_a_voice),
		cmocka_unit_test(test_a_ready_without_a_batch_is_still_ready),
		cmocka_unit_test(test_the_end_of_a_turn_survives_the_wire),
		cmocka_unit_test(test_a_replay_has_the_fields_of_a_speak),
		cmocka_unit_test(test_the_payload_of_an_unknown_type_survives_the_wire),
		cmocka_unit_test(test_what_is_missing_of_a_message_is_known_from_its_header),
		cmocka_unit_test(test_unknown_types_are_stepped_over),
		cmocka_unit_test(test_bytes_that_are_no_message_are_refused_at_once),
		cmocka_unit_test(test_values_no_engine_could_use_are_refused),
		cmocka_unit_test(test_odd_audio_is_refused),
		cmocka_unit_test(test_what_does_not_fit_changes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
