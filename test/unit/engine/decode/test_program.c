/* syrinx-decode, driven as by the server: bytes within its room, samples within their credit, and an
 * end for every file. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "base/count.h"
#include "client.h"
#include "recording.h"
#include "workers/confine.h"

#define MP3 (SF_FORMAT_MPEG | SF_FORMAT_MPEG_LAYER_III)
#define FLAC (SF_FORMAT_FLAC | SF_FORMAT_PCM_16)
#define WAV (SF_FORMAT_WAV | SF_FORMAT_PCM_16)
#define ROOM_MAX (256u << 10)

static char *program;
static struct client client;

/* What came of the job. */
static size_t room; /* that was granted and not used */
static int16_t samples[200000];
static size_t count;
static struct message_done_report done;
static char detail[256];
static bool is_done;

static int set_up(void **state)
{
	char *const argv[] = {program, NULL};

	(void)state;
	client_start(&client, argv);
	client_greet(&client);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	assert_int_equal(client_end(&client), 0);
	return 0;
}

static void begin_job(uint32_t job, const char *format, uint32_t credit)
{
	const struct message message = {
		.type = MESSAGE_DECODE,
		.job = job,
		.decode = {.format = message_str_of(format), .credit_samples = credit},
	};

	room = count = 0;
	is_done = false;
	detail[0] = '\0';
	client_send(&client, &message);
}

static void read_message(uint32_t job)
{
	struct message message;

	assert_true(client_next(&client, &message));
	assert_int_equal(message.job, job);
	assert_false(is_done);
	if (message.type == MESSAGE_ROOM) {
		assert_true(message.room > 0);
		room += message.room;
		assert_true(room <= ROOM_MAX);
	} else if (message.type == MESSAGE_AUDIO) {
		assert_int_equal(message.audio.sample_rate, 16000);
		assert_true(message.audio.count > 0 && message.audio.count <= 4096);
		assert_true(count + message.audio.count <= COUNT(samples));
		memcpy(samples + count, message.audio.samples, message.audio.count * 2);
		count += message.audio.count;
	} else {
		assert_int_equal(message.type, MESSAGE_DONE);
		done = message.done;
		message_str_copy(detail, sizeof(detail), &message.done.detail);
		is_done = true;
	}
}

static void read_until_done(uint32_t job)
{
	while (!is_done)
		read_message(job);
}

/* Sends as the room allows. */
static void send_file(uint32_t job, const unsigned char *bytes, size_t len)
{
	struct message message = {.type = MESSAGE_BYTES, .job = job};

	while (len > 0) {
		size_t n;

		while (room == 0)
			read_message(job);
		n = len < room ? len : room;
		if (n > 100000)
			n = 100000;
		message.bytes = (struct message_bytes){bytes, n};
		client_send(&client, &message);
		bytes += n;
		len -= n;
		room -= n;
	}
}

static void send_plain(uint32_t job, uint16_t type)
{
	client_send(&client, &(struct message){.type = type, .job = job});
}

static void finish_as(uint32_t job, const char *format)
{
	client_send(&client, &(struct message){.type = MESSAGE_FINISH,
					       .job = job,
					       .finish_format = message_str_of(format)});
}

static void grant(uint32_t job, uint32_t credit)
{
	client_send(&client, &(struct message){
				     .type = MESSAGE_CREDIT, .job = job, .credit_samples = credit});
}

static void test_it_says_that_it_decodes(void **state)
{
	(void)state;
	assert_int_equal(client.capabilities, MESSAGE_DECODES);
	assert_int_equal(client.jobs_max, 1);
	assert_string_equal(client.engine, "decode");
	assert_int_equal(client.voice_count, 0);
}

/* The program has confined itself: every decoder has the system calls that it needs. */
static void test_files_of_all_formats_are_decoded_one_after_another(void **state)
{
	static const int formats[] = {WAV, FLAC, SF_FORMAT_OGG | SF_FORMAT_OPUS,
				      SF_FORMAT_OGG | SF_FORMAT_VORBIS, MP3};

	(void)state;
	for (uint32_t i = 0; i < 2 * COUNT(formats); ++i) {
		struct recording recording;

		recording_make(&recording, formats[i % COUNT(formats)], 48000, 2, 2);
		begin_job(i + 1, "", UINT32_MAX);
		send_file(i + 1, recording.bytes, recording.len);
		send_plain(i + 1, MESSAGE_FINISH);
		read_until_done(i + 1);
		assert_int_equal(done.status, MESSAGE_DONE_OK);
		assert_string_equal(detail, "");
		assert_int_equal(done.samples, count);
		assert_in_range(count, 31990, 34000);
		assert_true(fabs(recording_tone(samples, 31990) - RECORDING_LEVEL) < 0.02);
		recording_reset(&recording);
	}
}

static void test_samples_never_exceed_their_credit(void **state)
{
	struct recording recording;

	(void)state;
	recording_make(&recording, WAV, 16000, 1, 2);
	begin_job(7, "", 0);
	send_file(7, recording.bytes, recording.len); /* is taken without any credit */
	send_plain(7, MESSAGE_FINISH);
	for (uint32_t credit = 1; count < 32000; credit = credit * 3 + 1) {
		size_t before = count;
		size_t wanted = before + credit < 32000 ? before + credit : 32000;

		grant(7, credit);
		while (count < wanted)
			read_message(7);
		assert_int_equal(count, wanted);
	}
	read_until_done(7);
	assert_int_equal(done.samples, 32000);
	assert_int_equal(done.status, MESSAGE_DONE_OK);
	recording_reset(&recording);
}

static void test_the_longest_file_has_room_and_no_byte_more(void **state)
{
	unsigned char *bytes = calloc(1, MESSAGE_FILE_MAX);
	size_t total = 0;

	(void)state;
	assert_non_null(bytes);
	begin_job(1, "pcm_768000", 0);
	while (total < MESSAGE_FILE_MAX) {
		size_t n;

		while (room == 0)
			read_message(1);
		n = room;
		total += n;
		send_file(1, bytes, n);
	}
	assert_int_equal(total, MESSAGE_FILE_MAX);
	send_plain(1, MESSAGE_FINISH);
	grant(1, 1000);
	while (count < 1000)
		read_message(1);
	assert_int_equal(room, 0);
	send_plain(1, MESSAGE_CANCEL);
	read_until_done(1);
	assert_int_equal(done.status, MESSAGE_DONE_CANCELLED);
	free(bytes);
}

static void test_a_job_can_be_cancelled_at_any_time(void **state)
{
	struct recording recording;

	(void)state;
	recording_make(&recording, FLAC, 16000, 1, 2);
	for (uint32_t step = 0; step < 4; ++step) {
		uint32_t job = step + 1;

		begin_job(job, "", 10);
		if (step > 0)
			send_file(job, recording.bytes, recording.len / 2);
		if (step > 1)
			send_file(job, recording.bytes + recording.len / 2,
				  recording.len - recording.len / 2);
		if (step > 2)
			send_plain(job, MESSAGE_FINISH);
		send_plain(job, MESSAGE_CANCEL);
		/* These cross the DONE. */
		grant(job, 100);
		if (step <= 2)
			client_send(&client, &(struct message){.type = MESSAGE_BYTES, .job = job});
		send_plain(job, MESSAGE_CANCEL);
		read_until_done(job);
		assert_int_equal(done.status, MESSAGE_DONE_CANCELLED);
		assert_true(count <= 110);
	}
	recording_reset(&recording);
}

static void test_the_format_may_be_told_at_the_end(void **state)
{
	struct recording recording;

	(void)state;
	recording_make(&recording, SF_FORMAT_RAW | SF_FORMAT_ULAW, 8000, 1, 1);
	begin_job(1, "", UINT32_MAX);
	send_file(1, recording.bytes, recording.len);
	finish_as(1, "ulaw_8000");
	read_until_done(1);
	assert_int_equal(done.status, MESSAGE_DONE_OK);
	assert_int_equal(count, 16000);
	begin_job(2, "ulaw_8000", UINT32_MAX);
	send_file(2, recording.bytes, recording.len);
	send_plain(2, MESSAGE_FINISH);
	read_until_done(2);
	assert_int_equal(count, 16000);
	recording_reset(&recording);
}

static void test_what_cannot_be_decoded_ends_with_a_sentence(void **state)
{
	static const struct {
		const char *format;
		const char *bytes;
		enum message_done status;
		const char *detail;
	} rows[] = {
		{"", "", MESSAGE_DONE_FAILED, "empty"},
		{"", "What is this?", MESSAGE_DONE_FAILED, "unknown format"},
		{"", "RIFF\x40...WAVEfmt ", MESSAGE_DONE_FAILED, "damaged or cut off"},
		{"", "fLaC....", MESSAGE_DONE_FAILED, "damaged or cut off"},
		{"", "OggS....", MESSAGE_DONE_FAILED, "damaged or cut off"},
		{"", "\xff\xfb\x90\x64", MESSAGE_DONE_FAILED, "damaged or cut off"},
		{"midi", "abc", MESSAGE_DONE_UNKNOWN_VOICE, "no format midi"},
		{"pcm_0000000000000000000000000000000000016000", "abc", MESSAGE_DONE_UNKNOWN_VOICE,
		 "no format pcm_"},
	};

	(void)state;
	for (uint32_t i = 0; i < COUNT(rows); ++i) {
		begin_job(i + 1, rows[i].format, 1000);
		send_file(i + 1, (const unsigned char *)rows[i].bytes, strlen(rows[i].bytes));
		send_plain(i + 1, MESSAGE_FINISH);
		read_until_done(i + 1);
		assert_int_equal(done.status, rows[i].status);
		assert_int_equal(count, 0);
		if (!strstr(detail, rows[i].detail))
			fail_msg("row %u: %s", i, detail);
	}
}

static void test_a_bomb_ends_at_once(void **state)
{
	struct recording recording;

	(void)state;
	recording_make_silence(&recording, FLAC, 1000, 5 * 3600);
	begin_job(1, "", UINT32_MAX);
	send_file(1, recording.bytes, recording.len);
	send_plain(1, MESSAGE_FINISH);
	read_until_done(1);
	assert_int_equal(done.status, MESSAGE_DONE_FAILED);
	assert_string_equal(detail, "the recording is longer than 4 hours");
	assert_int_equal(count, 0);
	recording_reset(&recording);
}

/* Its decoder crashes when there is no more memory, or takes too long: the process ends, and still says
 * why. A sanitizer reports the crash instead. */
static void test_a_file_with_gigabytes_of_tables_ends_at_the_limits(void **state)
{
	char *const argv[] = {program, (char[]){"--cpu-seconds"}, (char[]){"2"}, NULL};
	struct recording recording;
	struct message message;
	bool has_done = false;

	(void)state;
	recording_make_huge_tables(&recording);
	assert_true(recording.len < 5000);
	client_start(&client, argv);
	client_greet(&client);
	begin_job(1, "", UINT32_MAX);
	send_file(1, recording.bytes, recording.len);
	send_plain(1, MESSAGE_FINISH);
	while (client_next(&client, &message)) {
		if (message.type != MESSAGE_DONE)
			continue;
		has_done = true;
		assert_int_equal(message.done.status, MESSAGE_DONE_FAILED);
		message_str_copy(detail, sizeof(detail), &message.done.detail);
		assert_non_null(strstr(detail, "too much"));
		break;
	}
	assert_true(has_done || !confine_has_engine_filter());
	assert_true(client_end(&client) != 0);
	recording_reset(&recording);
}

/* The server may go away at any time, and does not read what is left. */
static void test_it_ends_with_its_server(void **state)
{
	struct recording recording;

	(void)state;
	recording_make(&recording, WAV, 16000, 1, 5);
	begin_job(1, "", UINT32_MAX);
	send_file(1, recording.bytes, recording.len);
	send_plain(1, MESSAGE_FINISH);
	recording_reset(&recording);
}

static int greet_and_send(const struct message *messages, size_t n)
{
	char *const argv[] = {program, NULL};
	struct message message;
	int status;

	client_start(&client, argv);
	client_greet(&client);
	for (size_t i = 0; i < n; ++i)
		client_send(&client, &messages[i]);
	while (client_next(&client, &message))
		;
	status = client_wait(&client);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void test_a_server_that_breaks_the_protocol_is_left(void **state)
{
	static unsigned char bytes[ROOM_MAX + 1];
	const struct message decode = {.type = MESSAGE_DECODE, .job = 1, .decode = {{"", 0}, 0}};
	const struct message nobody = {.type = MESSAGE_DECODE, .decode = {{"", 0}, 0}};
	const struct message too_much = {
		.type = MESSAGE_BYTES, .job = 1, .bytes = {bytes, sizeof(bytes)}};
	const struct message some = {.type = MESSAGE_BYTES, .job = 1, .bytes = {bytes, 10}};
	const struct message finish = {
		.type = MESSAGE_FINISH, .job = 1, .finish_format = {"pcm_8000", 8}};
	const struct message hello = {.type = MESSAGE_HELLO, .hello = {1, 1}};

	(void)state;
	assert_int_equal(greet_and_send((struct message[]){decode, decode}, 2), 1);
	assert_int_equal(greet_and_send((struct message[]){nobody}, 1), 1);
	assert_int_equal(greet_and_send((struct message[]){decode, too_much}, 2), 1);
	assert_int_equal(greet_and_send((struct message[]){decode, some, finish, some}, 4), 1);
	assert_int_equal(greet_and_send((struct message[]){hello}, 1), 1);
}

static void test_wrong_arguments_are_refused(void **state)
{
	char *const argv[] = {program, (char[]){"--cpu-seconds"}, (char[]){"x"}, NULL};
	int status;

	(void)state;
	client_start(&client, argv);
	status = client_wait(&client);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 2);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		TEST(test_it_says_that_it_decodes),
		TEST(test_files_of_all_formats_are_decoded_one_after_another),
		TEST(test_samples_never_exceed_their_credit),
		TEST(test_the_longest_file_has_room_and_no_byte_more),
		TEST(test_a_job_can_be_cancelled_at_any_time),
		TEST(test_the_format_may_be_told_at_the_end),
		TEST(test_what_cannot_be_decoded_ends_with_a_sentence),
		TEST(test_a_bomb_ends_at_once),
		TEST(test_it_ends_with_its_server),
		cmocka_unit_test(test_a_file_with_gigabytes_of_tables_ends_at_the_limits),
		cmocka_unit_test(test_a_server_that_breaks_the_protocol_is_left),
		cmocka_unit_test(test_wrong_arguments_are_refused),
	};
	int failed;

	if (argc < 2)
		return 2;
	program = argv[1];
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	client_confine(); /* as programs in any language are */
	return failed + cmocka_run_group_tests(tests, NULL, NULL);
}
