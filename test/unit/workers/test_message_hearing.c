/* Messages about listening and decoding: what was written is read back, and what no engine could
 * mean is refused. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "wire.h"

#define BYTES(literal) ((const unsigned char *)(literal))

static int decode(const struct message *message)
{
	struct message read;
	struct buf buf;
	size_t used = 0;
	int err;

	buf_init(&buf, 1u << 21);
	assert_int_equal(message_encode(&buf, message), 0);
	err = message_decode(&read, &used, buf.bytes, buf.len);
	buf_reset(&buf);
	return err;
}

static struct message full_listen(void)
{
	return (struct message){
		.type = MESSAGE_LISTEN,
		.job = 7,
		.listen = {STR("moonshine-tiny"), STR("en"), UINT64_C(1) << 40, MESSAGE_WANT_TIMES,
			   STR("Grüße an Zoë.")},
	};
}

static struct message full_recognize(void)
{
	return (struct message){.type = MESSAGE_RECOGNIZE,
				.job = 7,
				.recognize = {0xfedcba98, 1600, 49600, true, 250}};
}

static struct message full_model(void)
{
	return (struct message){
		.type = MESSAGE_MODEL,
		.model = {STR("whisper-tiny"), STR("Whisper tiny"), STR("en de fr"), STR("MIT"),
			  MESSAGE_MODEL_TIMES | MESSAGE_MODEL_DETECTS_LANGUAGE, 480000},
	};
}

/* "Grüße Zoë": two words, with the times and probabilities that are given. */
static struct message words_of(struct buf *list, const struct message_heard *heard, size_t count)
{
	buf_init(list, 1u << 20);
	for (size_t i = 0; i < count; ++i)
		assert_int_equal(message_heard_put(list, &heard[i]), 0);
	return (struct message){
		.type = MESSAGE_WORDS,
		.job = 7,
		.words = {.number = 9,
			  .busy_us = 45000,
			  .language = STR("de"),
			  .language_probability = 0.75f,
			  .flags = MESSAGE_WORDS_APPROXIMATE,
			  .text = STR("Grüße Zoë"),
			  .words = {BYTES(list->bytes), (uint32_t)list->len, (uint16_t)count}},
	};
}

static const struct message_heard two[] = {
	{{0, 7, 1600, 9600}, 0.5f},
	{{8, 12, 9600, 16000}, 1},
};

static void test_what_the_server_sends_to_a_listener_survives_the_wire(void **state)
{
	struct message message = full_listen();
	struct message read;
	struct buf buf;

	(void)state;
	read = round_trip(&buf, &message);
	assert_str(read.listen.model, "moonshine-tiny");
	assert_str(read.listen.language, "en");
	assert_true(read.listen.first_sample == UINT64_C(1) << 40);
	assert_int_equal(read.listen.wants, MESSAGE_WANT_TIMES);
	assert_str(read.listen.prompt, "Grüße an Zoë.");
	buf_reset(&buf);

	message = (struct message){
		.type = MESSAGE_SAMPLES, .job = 7, .samples = {BYTES("\1\2\3\4\5\6"), 3}};
	read = round_trip(&buf, &message);
	assert_int_equal(read.samples.count, 3);
	assert_memory_equal(read.samples.samples, "\1\2\3\4\5\6", 6);
	buf_reset(&buf);

	message = full_recognize();
	read = round_trip(&buf, &message);
	assert_true(read.recognize.number == 0xfedcba98);
	assert_int_equal(read.recognize.from_sample, 1600);
	assert_int_equal(read.recognize.to_sample, 49600);
	assert_true(read.recognize.is_final);
	assert_int_equal(read.recognize.deadline_ms, 250);
	buf_reset(&buf);

	message = (struct message){.type = MESSAGE_RELEASE, .job = 7, .release_sample = 49600};
	read = round_trip(&buf, &message);
	assert_int_equal(read.release_sample, 49600);
	buf_reset(&buf);

	message = (struct message){.type = MESSAGE_FINISH, .job = 7};
	read = round_trip(&buf, &message);
	assert_int_equal(buf.len, MESSAGE_HEADER_LEN);
	assert_str(read.finish_format, "");
	buf_reset(&buf);

	message.finish_format = message_str_of("pcm_8000");
	read = round_trip(&buf, &message);
	assert_str(read.finish_format, "pcm_8000");
	buf_reset(&buf);
}

static void test_what_a_listener_sends_survives_the_wire(void **state)
{
	struct message message = full_model();
	struct message read;
	struct buf buf;

	(void)state;
	read = round_trip(&buf, &message);
	assert_str(read.model.name, "whisper-tiny");
	assert_str(read.model.title, "Whisper tiny");
	assert_str(read.model.languages, "en de fr");
	assert_str(read.model.licence, "MIT");
	assert_int_equal(read.model.capabilities,
			 MESSAGE_MODEL_TIMES | MESSAGE_MODEL_DETECTS_LANGUAGE);
	assert_int_equal(read.model.piece_max, 480000);
	buf_reset(&buf);

	message = (struct message){.type = MESSAGE_ROOM, .job = 7, .room = 32000};
	read = round_trip(&buf, &message);
	assert_int_equal(read.room, 32000);
	buf_reset(&buf);

	message = (struct message){
		.type = MESSAGE_ACTIVITY, .job = 7, .activity = {5120, BYTES("\0\x80\xff"), 3}};
	read = round_trip(&buf, &message);
	assert_int_equal(read.activity.first_sample, 5120);
	assert_int_equal(read.activity.count, 3);
	assert_memory_equal(read.activity.probabilities, "\0\x80\xff", 3);
	buf_reset(&buf);
}

static void test_words_survive_the_wire(void **state)
{
	struct buf list, buf;
	struct message message = words_of(&list, two, 2);
	struct message read = round_trip(&buf, &message);
	struct message_heard heard;

	(void)state;
	assert_int_equal(read.words.number, 9);
	assert_int_equal(read.words.busy_us, 45000);
	assert_str(read.words.language, "de");
	assert_float_equal(read.words.language_probability, 0.75f, 0);
	assert_int_equal(read.words.flags, MESSAGE_WORDS_APPROXIMATE);
	assert_str(read.words.text, "Grüße Zoë");
	for (size_t i = 0; i < 2; ++i) {
		assert_true(message_heard_take(&heard, &read.words.words));
		assert_int_equal(heard.word.byte_start, two[i].word.byte_start);
		assert_int_equal(heard.word.byte_end, two[i].word.byte_end);
		assert_int_equal(heard.word.sample_start, two[i].word.sample_start);
		assert_int_equal(heard.word.sample_end, two[i].word.sample_end);
		assert_float_equal(heard.probability, two[i].probability, 0);
	}
	assert_false(message_heard_take(&heard, &read.words.words));
	buf_reset(&buf);
	buf_reset(&list);
}

static void test_a_decoder_is_told_the_format_and_sent_bytes(void **state)
{
	struct message message = {
		.type = MESSAGE_DECODE, .job = 3, .decode = {STR("ulaw_8000"), 16000}};
	struct message read;
	struct buf buf;

	(void)state;
	read = round_trip(&buf, &message);
	assert_str(read.decode.format, "ulaw_8000");
	assert_int_equal(read.decode.credit_samples, 16000);
	buf_reset(&buf);

	message = (struct message){.type = MESSAGE_BYTES, .job = 3, .bytes = {BYTES("RIFF"), 4}};
	read = round_trip(&buf, &message);
	assert_int_equal(read.bytes.len, 4);
	assert_memory_equal(read.bytes.bytes, "RIFF", 4);
	buf_reset(&buf);
}

/* The example of docs/worker-protocol.md: the bytes are the contract. */
static void test_bytes_are_as_documented(void **state)
{
	static const unsigned char recognize[] = {
		25, 0, 0, 0, 9, 0,    0,    0, 7, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0,
		0,  0, 0, 0, 0, 0x80, 0xbb, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0,
	};
	struct message message = {
		.type = MESSAGE_RECOGNIZE, .job = 7, .recognize = {1, 0, 48000, true, 0}};
	struct buf buf;

	(void)state;
	buf_init(&buf, 100);
	assert_int_equal(message_encode(&buf, &message), 0);
	assert_int_equal(buf.len, sizeof(recognize));
	assert_memory_equal(buf.bytes, recognize, sizeof(recognize));
	buf_reset(&buf);
}

/* Every payload that is cut, with its new length in the header, lacks a field. */
static void test_a_payload_that_lacks_a_field_is_refused(void **state)
{
	struct buf list, buf;
	const struct message messages[] = {
		full_listen(),
		full_recognize(),
		{.type = MESSAGE_RELEASE, .release_sample = 5},
		{.type = MESSAGE_DECODE, .decode = {STR("pcm_8000"), 1}},
		full_model(),
		{.type = MESSAGE_ROOM, .room = 1},
		words_of(&list, two, 2),
	};

	(void)state;
	for (size_t i = 0; i < sizeof(messages) / sizeof(*messages); ++i) {
		struct message read;
		size_t used = 0;

		round_trip(&buf, &messages[i]);
		for (size_t n = MESSAGE_HEADER_LEN; n < buf.len; ++n) {
			buf.bytes[0] = (char)(n - MESSAGE_HEADER_LEN);
			assert_int_equal(message_decode(&read, &used, buf.bytes, n), EPROTO);
		}
		assert_int_equal(used, 0);
		buf_reset(&buf);
	}
	buf_reset(&list);
}

static void test_half_a_sample_is_refused(void **state)
{
	static const unsigned char bytes[MESSAGE_HEADER_LEN + 3] = {3, 0, 0, 0, MESSAGE_SAMPLES};
	struct message read;
	size_t used = 0;

	(void)state;
	assert_int_equal(message_decode(&read, &used, bytes, sizeof(bytes)), EPROTO);
}

static void test_pieces_and_positions_that_cannot_exist_are_refused(void **state)
{
	struct message message = full_recognize();

	(void)state;
	message.recognize.to_sample = message.recognize.from_sample;
	assert_int_equal(decode(&message), EPROTO);
	message.recognize.from_sample = message.recognize.to_sample + 1;
	assert_int_equal(decode(&message), EPROTO);
	message = full_recognize();
	message.recognize.to_sample = MESSAGE_SAMPLE_MAX + 1;
	assert_int_equal(decode(&message), EPROTO);
	message = full_listen();
	message.listen.first_sample = MESSAGE_SAMPLE_MAX;
	assert_int_equal(decode(&message), 0);
	message.listen.first_sample = UINT64_MAX;
	assert_int_equal(decode(&message), EPROTO);
	message = (struct message){.type = MESSAGE_RELEASE, .release_sample = UINT64_MAX};
	assert_int_equal(decode(&message), EPROTO);
	message = (struct message){.type = MESSAGE_ACTIVITY, .activity = {UINT64_MAX, NULL, 0}};
	assert_int_equal(decode(&message), EPROTO);
}

static void test_a_model_has_a_name_and_recognizes_something(void **state)
{
	struct message message = full_model();

	(void)state;
	message.model.name.len = 0;
	assert_int_equal(decode(&message), EPROTO);
	message = full_model();
	message.model.piece_max = 0;
	assert_int_equal(decode(&message), EPROTO);
}

static int decode_words(const struct message_heard *heard, size_t count)
{
	struct buf list;
	struct message message = words_of(&list, heard, count);
	int err = decode(&message);

	buf_reset(&list);
	return err;
}

static void test_words_are_whole_characters_of_the_text_in_its_order(void **state)
{
	const struct message_heard refused[][2] = {
		{{{0, 7, 0, 1}, 1}, {{6, 12, 1, 2}, 1}}, /* overlaps the word before it */
		{{{0, 7, 0, 1}, 1}, {{8, 13, 1, 2}, 1}}, /* ends after the text */
		{{{0, 3, 0, 1}, 1}, {{8, 12, 1, 2}, 1}}, /* ends within ü */
		{{{3, 7, 0, 1}, 1}, {{8, 12, 1, 2}, 1}}, /* begins within ü */
		{{{0, 0, 0, 1}, 1}, {{8, 12, 1, 2}, 1}}, /* is empty */
		{{{7, 0, 0, 1}, 1}, {{8, 12, 1, 2}, 1}},
		{{{0, 7, 5, 6}, 1}, {{8, 12, 4, 9}, 1}}, /* is said before the word before it */
		{{{0, 7, 5, 4}, 1}, {{8, 12, 5, 9}, 1}},
		{{{0, 7, 0, 1}, 1}, {{8, 12, 1, MESSAGE_SAMPLE_MAX + 1}, 1}},
		{{{0, 7, 0, 1}, 1.5f}, {{8, 12, 1, 2}, 1}},
		{{{0, 7, 0, 1}, -0.5f}, {{8, 12, 1, 2}, 1}},
		{{{0, 7, 0, 1}, NAN}, {{8, 12, 1, 2}, 1}},
	};

	(void)state;
	assert_int_equal(decode_words(two, 2), 0);
	assert_int_equal(decode_words(two, 0), 0);
	for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); ++i)
		assert_int_equal(decode_words(refused[i], 2), EPROTO);
}

static void test_probabilities_of_a_language_are_probabilities(void **state)
{
	struct buf list;
	struct message message = words_of(&list, two, 2);

	(void)state;
	message.words.language_probability = 1.01f;
	assert_int_equal(decode(&message), EPROTO);
	message.words.language_probability = INFINITY;
	assert_int_equal(decode(&message), EPROTO);
	buf_reset(&list);
}

/* One letter each, and one more. */
static void test_there_is_a_bound_to_the_number_of_words(void **state)
{
	static char text[MESSAGE_WORDS_MAX + 1];
	struct message message = {.type = MESSAGE_WORDS};
	struct buf list;

	(void)state;
	buf_init(&list, MESSAGE_PAYLOAD_MAX);
	memset(text, 'x', sizeof(text));
	message.words.text = (struct message_str){text, sizeof(text)};
	message.words.language.bytes = "";
	for (uint32_t i = 0; i <= MESSAGE_WORDS_MAX; ++i) {
		const struct message_heard heard = {{i, i + 1, i, i}, 1};

		assert_int_equal(message_heard_put(&list, &heard), 0);
		message.words.words = (struct message_spans){BYTES(list.bytes), (uint32_t)list.len,
							     (uint16_t)(i + 1)};
		if (i + 1 >= MESSAGE_WORDS_MAX)
			assert_int_equal(decode(&message), i < MESSAGE_WORDS_MAX ? 0 : EPROTO);
	}
	buf_reset(&list);
}

static void test_a_word_that_does_not_fit_changes_nothing(void **state)
{
	struct buf list;

	(void)state;
	buf_init(&list, 40);
	assert_int_equal(message_heard_put(&list, &two[0]), 0);
	assert_int_equal(list.len, 28);
	assert_int_equal(message_heard_put(&list, &two[1]), ENOBUFS);
	assert_int_equal(list.len, 28);
	buf_reset(&list);
}

static void test_more_samples_than_a_payload_holds_are_not_sent(void **state)
{
	struct message message = {.type = MESSAGE_SAMPLES,
				  .samples = {BYTES(""), MESSAGE_PAYLOAD_MAX / 2 + 1}};
	struct buf buf;

	(void)state;
	buf_init(&buf, 4 * MESSAGE_PAYLOAD_MAX);
	assert_int_equal(message_encode(&buf, &message), ENOBUFS);
	assert_int_equal(buf.len, 0);
	buf_reset(&buf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_the_server_sends_to_a_listener_survives_the_wire),
		cmocka_unit_test(test_what_a_listener_sends_survives_the_wire),
		cmocka_unit_test(test_words_survive_the_wire),
		cmocka_unit_test(test_a_decoder_is_told_the_format_and_sent_bytes),
		cmocka_unit_test(test_bytes_are_as_documented),
		cmocka_unit_test(test_a_payload_that_lacks_a_field_is_refused),
		cmocka_unit_test(test_half_a_sample_is_refused),
		cmocka_unit_test(test_pieces_and_positions_that_cannot_exist_are_refused),
		cmocka_unit_test(test_a_model_has_a_name_and_recognizes_something),
		cmocka_unit_test(test_words_are_whole_characters_of_the_text_in_its_order),
		cmocka_unit_test(test_probabilities_of_a_language_are_probabilities),
		cmocka_unit_test(test_there_is_a_bound_to_the_number_of_words),
		cmocka_unit_test(test_a_word_that_does_not_fit_changes_nothing),
		cmocka_unit_test(test_more_samples_than_a_payload_holds_are_not_sent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
