/*
 * What every engine must do, run over any program that speaks the worker
 * protocol, whether it speaks or listens:
 *
 *   test_engine_conformance [--confined] PROGRAM [ARGUMENT…]
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "base/count.h"
#include "conformance.h"

static char **program;

void conformance_start(struct client *client)
{
	client_start(client, program);
	client_greet(client);
}

void conformance_end(struct client *client)
{
	int status = client_end(client);

	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

const char *conformance_voice(const struct client *client)
{
	return client_voice_of(client, "en")->name;
}

/* One job from SPEAK to DONE. */
void conformance_speak_message(struct client *client, struct client_job *job,
			       const struct message *message)
{
	memset(job, 0, sizeof(*job));
	client_send(client, message);
	client_read_job(client, job, message->job, SIZE_MAX);
}

void conformance_speak(struct client *client, struct client_job *job, const char *text)
{
	struct message message = client_speak(1, conformance_voice(client), text);

	conformance_speak_message(client, job, &message);
	assert_int_equal(job->done.status, MESSAGE_DONE_OK);
	assert_int_equal(job->done.samples, job->count);
}

void conformance_send(struct client *client, uint32_t id, const char *text, uint32_t credit)
{
	struct message message = client_speak(id, conformance_voice(client), text);

	message.speak.credit_samples = credit;
	client_send(client, &message);
}

static void test_engine_conformance_assert_still_speaks(struct client *client)
{
	struct client_job job;

	conformance_speak(client, &job, "Still here.");
	assert_true(job.count > 0);
	client_job_reset(&job);
}

void conformance_assert_words_fit(const struct client_job *job, const char *text)
{
	for (size_t i = 0; i < job->word_count; ++i) {
		const struct message_word *word = &job->words[i];

		assert_true(word->byte_start < word->byte_end);
		assert_true(word->byte_end <= strlen(text));
		assert_true(word->sample_start <= word->sample_end);
		assert_true(word->sample_end <= job->count);
		assert_true(i == 0 || word->byte_start >= word[-1].byte_end);
		assert_true(i == 0 || word->sample_start >= word[-1].sample_end);
	}
}

static void test_engine_conformance_the_handshake_lists_usable_voices(void **state)
{
	struct client client;

	(void)state;
	conformance_start(&client);
	assert_true(client.engine[0] != '\0');
	assert_true(client.jobs_max >= 1);
	assert_true(client.voice_count > 0);
	for (size_t i = 0; i < client.voice_count; ++i) {
		const struct client_voice *v = &client.voices[i];
		size_t letters = strspn(v->language, "abcdefghijklmnopqrstuvwxyz");

		assert_true(letters == strlen(v->language) && (letters == 2 || letters == 3));
		assert_true(v->title[0] != '\0');
		assert_in_range(v->sample_rate, 8000, 48000);
		for (size_t k = 0; k < i; ++k)
			assert_string_not_equal(v->name, client.voices[k].name);
	}
	conformance_end(&client);
}

/* Signs are read by their names in some languages and passed over in others. */
static void test_engine_conformance_every_voice_speaks_at_its_own_rate(void **state)
{
	static const char text[] = "1 <x> 3.14 & 2";
	struct client client;

	(void)state;
	conformance_start(&client);
	for (size_t i = 0; i < client.voice_count; ++i) {
		struct message message = client_speak(7, client.voices[i].name, text);
		struct client_job job;

		conformance_speak_message(&client, &job, &message);
		assert_int_equal(job.done.status, MESSAGE_DONE_OK);
		assert_true(job.count > 0);
		assert_int_equal(job.sample_rate, client.voices[i].sample_rate);
		conformance_assert_words_fit(&job, text);
		client_job_reset(&job);
	}
	conformance_end(&client);
}

static void test_engine_conformance_done_counts_the_samples_that_were_sent(void **state)
{
	struct client client;
	struct client_job job;
	int loudest = 0;

	(void)state;
	conformance_start(&client);
	conformance_speak(&client, &job, SENTENCE);
	assert_true(job.count > job.sample_rate / 2);
	for (size_t i = 0; i < job.count; ++i)
		if (abs(job.samples[i]) > loudest)
			loudest = abs(job.samples[i]);
	assert_true(loudest > 1000);
	client_job_reset(&job);
	conformance_end(&client);
}

static void test_engine_conformance_words_lie_in_order_inside_text_and_audio(void **state)
{
	struct client client;
	struct client_job job;

	(void)state;
	conformance_start(&client);
	if (!(client.capabilities & MESSAGE_WORD_TIMES)) {
		conformance_end(&client);
		client_skip("this engine tells no word times");
	}
	conformance_speak(&client, &job, SENTENCE);
	assert_int_equal(job.word_count, 9);
	conformance_assert_words_fit(&job, SENTENCE);
	for (size_t i = 0; i < job.word_count; ++i) {
		const struct message_word *word = &job.words[i];

		assert_true(word->sample_start < word->sample_end);
		assert_true(SENTENCE[word->byte_start] != ' ');
		assert_true(word->byte_start == 0 || SENTENCE[word->byte_start - 1] == ' ');
	}
	client_job_reset(&job);
	conformance_end(&client);
}

static void test_engine_conformance_words_come_only_when_wanted(void **state)
{
	struct client client;
	struct client_job job;
	struct message message;

	(void)state;
	conformance_start(&client);
	message = client_speak(1, conformance_voice(&client), SENTENCE);
	message.speak.want_words = false;
	conformance_speak_message(&client, &job, &message);
	assert_int_equal(job.word_count, 0);
	assert_true(job.count > 0);
	client_job_reset(&job);
	conformance_end(&client);
}

static void test_engine_conformance_without_credit_there_is_no_audio(void **state)
{
	const struct message cancel = {.type = MESSAGE_CANCEL, .job = 5};
	struct client client;
	struct client_job job = {0};
	struct message message;

	(void)state;
	conformance_start(&client);
	message = client_speak(5, conformance_voice(&client), SENTENCE);
	message.speak.credit_samples = 0;
	message.speak.want_words = false;
	client_send(&client, &message);
	assert_true(client_is_silent(&client, 100));
	client_send(&client, &cancel);
	client_read_job(&client, &job, 5, SIZE_MAX);
	assert_int_equal(job.done.status, MESSAGE_DONE_CANCELLED);
	assert_int_equal(job.count, 0);
	test_engine_conformance_assert_still_speaks(&client);
	conformance_end(&client);
}

static void test_engine_conformance_credit_is_used_up_and_never_exceeded(void **state)
{
	const struct message credit = {.type = MESSAGE_CREDIT, .job = 5, .credit_samples = 777};
	struct client client;
	struct client_job whole;
	struct client_job job = {0};
	struct message message;
	size_t given = 777;

	(void)state;
	conformance_start(&client);
	conformance_speak(&client, &whole, "Two words.");
	message = client_speak(5, conformance_voice(&client), "Two words.");
	message.speak.credit_samples = 777;
	client_send(&client, &message);
	for (int i = 0; i < 4; ++i) {
		client_read_job(&client, &job, 5, given);
		assert_int_equal(job.count, given);
		assert_true(client_is_silent(&client, 20));
		client_send(&client, &credit);
		given += 777;
	}
	message = credit;
	message.credit_samples = UINT32_MAX;
	client_send(&client, &message);
	client_read_job(&client, &job, 5, SIZE_MAX);
	assert_int_equal(job.done.status, MESSAGE_DONE_OK);
	assert_int_equal(job.done.samples, job.count);
	if (client.capabilities & MESSAGE_DETERMINISTIC) {
		assert_int_equal(job.count, whole.count);
		assert_memory_equal(job.samples, whole.samples, whole.count * 2);
	}
	client_job_reset(&whole);
	client_job_reset(&job);
	conformance_end(&client);
}

static void test_engine_conformance_a_cancel_ends_a_job_that_waits_for_credit(void **state)
{
	const struct message cancel = {.type = MESSAGE_CANCEL, .job = 5};
	struct client client;
	struct client_job job = {0};
	struct message message;

	(void)state;
	conformance_start(&client);
	message = client_speak(5, conformance_voice(&client), SENTENCE);
	message.speak.credit_samples = 2000;
	client_send(&client, &message);
	client_read_job(&client, &job, 5, 2000);
	client_send(&client, &cancel);
	client_read_job(&client, &job, 5, SIZE_MAX);
	assert_int_equal(job.done.status, MESSAGE_DONE_CANCELLED);
	assert_int_equal(job.count, 2000);
	assert_int_equal(job.done.samples, 2000);
	client_job_reset(&job);
	test_engine_conformance_assert_still_speaks(&client);
	conformance_end(&client);
}

static char *test_engine_conformance_long_text(size_t len)
{
	char *text = malloc(len + 1);

	assert_non_null(text);
	for (size_t i = 0; i < len; ++i)
		text[i] = i % 6 == 5 ? ' ' : (char)('a' + (i * 7 + i / 6) % 26);
	text[len] = '\0';
	return text;
}

/* More than a chunk ever is: an hour or so of speech. */
static void test_engine_conformance_a_cancel_ends_a_long_text_while_it_is_made(void **state)
{
	const struct message cancel = {.type = MESSAGE_CANCEL, .job = 5};
	struct client client;
	struct client_job job = {0};
	char *text = test_engine_conformance_long_text(100000);
	struct message message;

	(void)state;
	conformance_start(&client);
	message = client_speak(5, conformance_voice(&client), text);
	message.speak.want_words = false;
	client_send(&client, &message);
	client_read_job(&client, &job, 5, 1);
	client_send(&client, &cancel);
	client_read_job(&client, &job, 5, SIZE_MAX);
	assert_int_equal(job.done.status, MESSAGE_DONE_CANCELLED);
	assert_int_equal(job.done.samples, job.count);
	assert_true(job.count < (size_t)job.sample_rate * 1000);
	client_job_reset(&job);
	test_engine_conformance_assert_still_speaks(&client);
	conformance_end(&client);
	free(text);
}

static void test_engine_conformance_a_text_of_20_kilobytes_is_spoken(void **state)
{
	const struct message cancel = {.type = MESSAGE_CANCEL, .job = 5};
	struct client client;
	struct client_job job = {0};
	char *text = test_engine_conformance_long_text(20000);
	struct message message;
	size_t minute;

	(void)state;
	conformance_start(&client);
	minute = 60 * (size_t)client_voice_of(&client, "en")->sample_rate;
	message = client_speak(5, conformance_voice(&client), text);
	message.speak.credit_samples = (uint32_t)minute;
	client_send(&client, &message);
	client_read_job(&client, &job, 5, minute); /* enough to believe in the rest */
	assert_int_equal(job.count, minute);
	client_send(&client, &cancel);
	client_read_job(&client, &job, 5, SIZE_MAX);
	assert_int_equal(job.done.status, MESSAGE_DONE_CANCELLED);
	client_job_reset(&job);
	conformance_end(&client);
	free(text);
}

static void test_engine_conformance_skipped_samples_are_made_and_not_sent(void **state)
{
	struct client client;
	struct client_job whole;
	struct client_job tail;
	struct message message;
	size_t skipped;

	(void)state;
	conformance_start(&client);
	conformance_speak(&client, &whole, SENTENCE);
	skipped = whole.count / 3;
	message = client_speak(2, conformance_voice(&client), SENTENCE);
	message.speak.skip_samples = skipped;
	conformance_speak_message(&client, &tail, &message);
	assert_int_equal(tail.done.status, MESSAGE_DONE_OK);
	assert_int_equal(tail.done.samples, tail.count + skipped);
	if (client.capabilities & MESSAGE_DETERMINISTIC) {
		assert_int_equal(tail.count, whole.count - skipped);
		assert_memory_equal(tail.samples, whole.samples + skipped, tail.count * 2);
		assert_int_equal(tail.word_count, whole.word_count);
		assert_memory_equal(tail.words, whole.words,
				    whole.word_count * sizeof(whole.words[0]));
	}
	client_job_reset(&whole);
	client_job_reset(&tail);
	conformance_end(&client);
}

/* Another text in between, and another process: neither may be heard. */
static void test_engine_conformance_a_deterministic_engine_repeats_itself(void **state)
{
	struct client client;
	struct client other;
	struct client_job first;
	struct client_job second;

	(void)state;
	conformance_start(&client);
	if (!(client.capabilities & MESSAGE_DETERMINISTIC)) {
		conformance_end(&client);
		client_skip("this engine promises no equal samples");
	}
	conformance_start(&other);
	for (size_t i = 0; i < client.voice_count; ++i) {
		struct message message = client_speak(1, client.voices[i].name, SENTENCE);

		conformance_speak_message(&client, &first, &message);
		test_engine_conformance_assert_still_speaks(&client);
		conformance_speak_message(&client, &second, &message);
		assert_int_equal(first.count, second.count);
		assert_memory_equal(first.samples, second.samples, first.count * 2);
		client_job_reset(&second);
		conformance_speak_message(&other, &second, &message);
		assert_int_equal(first.count, second.count);
		assert_memory_equal(first.samples, second.samples, first.count * 2);
		client_job_reset(&first);
		client_job_reset(&second);
	}
	conformance_end(&other);
	conformance_end(&client);
}

static size_t test_engine_conformance_count_at_speed(struct client *client, float speed)
{
	struct message message = client_speak(1, conformance_voice(client), SENTENCE);
	struct client_job job;
	size_t count;

	message.speak.speed = speed;
	conformance_speak_message(client, &job, &message);
	assert_int_equal(job.done.status, MESSAGE_DONE_OK);
	count = job.count;
	client_job_reset(&job);
	return count;
}

static void test_engine_conformance_speed_changes_the_length_where_the_engine_does_it(void **state)
{
	struct client client;
	size_t slow;
	size_t normal;
	size_t fast;

	(void)state;
	conformance_start(&client);
	slow = test_engine_conformance_count_at_speed(&client, 0.8f);
	normal = test_engine_conformance_count_at_speed(&client, 1);
	fast = test_engine_conformance_count_at_speed(&client, 1.2f);
	if (client.capabilities & MESSAGE_OWN_SPEED) {
		assert_in_range(slow, normal * 110 / 100, normal * 140 / 100);
		assert_in_range(fast, normal * 70 / 100, normal * 95 / 100);
	} else {
		assert_int_equal(slow, normal);
		assert_int_equal(fast, normal);
	}
	conformance_end(&client);
}

static void test_engine_conformance_odd_texts_do_no_harm(void **state)
{
	static const char *const texts[] = {
		"",
		" ",
		"\t\n\r ",
		".",
		"...!?",
		"\x01\x02\x1b[0m bell\x07",
		"\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x9a\x80 \xf0\x9f\x98\x80",
		"e\xcc\x81\xcc\x81\xcc\x81\xcc\x81 \xcc\x81",
		"\xe2\x80\xae\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d\xe2\x80\xac",
		"\xef\xbb\xbf\xef\xbf\xbd\xef\xbf\xbf\xf4\x8f\xbf\xbf",
		"\xe4\xbd\xa0\xe5\xa5\xbd\xe4\xb8\x96\xe7\x95\x8c\xe3\x80\x82",
		"<speak><say-as interpret-as=\"characters\">\xf0\x9f\x98\x80</say-as>",
		"[[t@m'A:toU]] ]] [[ <break time=\"5s\"/> &amp; &#0;",
		"3.14159265358979323846264338327950288419716939937510582097494459230781640628",
		"a.b.c.d.e.f@g.h://i?j=k&l%6d#n",
		"$1,000,000,000,000,000,000.00 -5\xc2\xb0 1/2 5'10\" II XIV 12:30:45.678",
		"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
	};
	struct client client;

	(void)state;
	conformance_start(&client);
	for (size_t i = 0; i < COUNT(texts); ++i) {
		struct client_job job;

		conformance_speak(&client, &job, texts[i]);
		conformance_assert_words_fit(&job, texts[i]);
		client_job_reset(&job);
	}
	test_engine_conformance_assert_still_speaks(&client);
	conformance_end(&client);
}

static void test_engine_conformance_a_blank_text_is_done_at_once(void **state)
{
	struct client client;
	struct client_job job;

	(void)state;
	conformance_start(&client);
	conformance_speak(&client, &job, "");
	assert_int_equal(job.count, 0);
	conformance_speak(&client, &job, "   ");
	assert_int_equal(job.count, 0);
	conformance_end(&client);
}

static void test_engine_conformance_an_unknown_voice_is_said_to_be_unknown(void **state)
{
	struct client client;
	struct client_job job;
	struct message message = client_speak(9, "no such voice", "Hello.");

	(void)state;
	conformance_start(&client);
	conformance_speak_message(&client, &job, &message);
	assert_int_equal(job.done.status, MESSAGE_DONE_UNKNOWN_VOICE);
	assert_int_equal(job.count, 0);
	test_engine_conformance_assert_still_speaks(&client);
	conformance_end(&client);
}

static void test_engine_conformance_messages_of_a_later_version_are_ignored(void **state)
{
	static const unsigned char later[] = {3, 0, 0, 0, 99, 0, 0, 0, 5, 0, 0, 0, 1, 2, 3};
	const struct message late_cancel = {.type = MESSAGE_CANCEL, .job = 4711};
	const struct message late_credit = {
		.type = MESSAGE_CREDIT, .job = 4711, .credit_samples = 1};
	struct client client;

	(void)state;
	conformance_start(&client);
	client_send_bytes(&client, later, sizeof(later));
	client_send(&client, &late_cancel);
	client_send(&client, &late_credit);
	test_engine_conformance_assert_still_speaks(&client);
	conformance_end(&client);
}

void conformance_no_message_ends_the_worker_with_an_error(void **state)
{
	unsigned char bytes[64];
	struct client client;
	int status;

	(void)state;
	memset(bytes, 0xff, sizeof(bytes));
	conformance_start(&client);
	client_send_bytes(&client, bytes, sizeof(bytes));
	status = client_wait(&client);
	assert_true(WIFEXITED(status));
	assert_int_not_equal(WEXITSTATUS(status), 0);
}

void conformance_another_version_ends_the_worker_with_an_error(void **state)
{
	const struct message hello = {.type = MESSAGE_HELLO, .hello = {200, 300}};
	struct client client;
	int status;

	(void)state;
	client_start(&client, program);
	client_send(&client, &hello);
	status = client_wait(&client);
	assert_true(WIFEXITED(status));
	assert_int_not_equal(WEXITSTATUS(status), 0);
}

static void
test_engine_conformance_a_worker_ends_with_its_socket_in_the_middle_of_a_job(void **state)
{
	struct client client;
	struct client_job job = {0};
	struct message message;
	int status;

	(void)state;
	conformance_start(&client);
	message = client_speak(5, conformance_voice(&client), SENTENCE);
	message.speak.credit_samples = 2000;
	client_send(&client, &message);
	client_read_job(&client, &job, 5, 2000);
	client_job_reset(&job);
	status = client_end(&client);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

/* What there is to try.  An engine may be there before its voices, or its models, are. */
static bool test_engine_conformance_look(bool *listens)
{
	struct client client;
	bool has;

	client_start(&client, program);
	client_greet(&client);
	*listens = client.capabilities & MESSAGE_LISTENS;
	has = (*listens ? client.model_count : client.voice_count) > 0;
	if (!has)
		print_message("skipped: no %s to try: %s\n", *listens ? "models" : "voices",
			      client.note);
	client_end(&client);
	return has;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_engine_conformance_the_handshake_lists_usable_voices),
		cmocka_unit_test(test_engine_conformance_every_voice_speaks_at_its_own_rate),
		cmocka_unit_test(test_engine_conformance_done_counts_the_samples_that_were_sent),
		cmocka_unit_test(test_engine_conformance_words_lie_in_order_inside_text_and_audio),
		cmocka_unit_test(test_engine_conformance_words_come_only_when_wanted),
		cmocka_unit_test(conformance_every_word_has_one_time_in_every_language),
		cmocka_unit_test(conformance_phonemes_are_one_word),
		cmocka_unit_test(conformance_phonemes_are_spoken),
		cmocka_unit_test(test_engine_conformance_without_credit_there_is_no_audio),
		cmocka_unit_test(test_engine_conformance_credit_is_used_up_and_never_exceeded),
		cmocka_unit_test(test_engine_conformance_a_cancel_ends_a_job_that_waits_for_credit),
		cmocka_unit_test(
			test_engine_conformance_a_cancel_ends_a_long_text_while_it_is_made),
		cmocka_unit_test(test_engine_conformance_a_text_of_20_kilobytes_is_spoken),
		cmocka_unit_test(test_engine_conformance_skipped_samples_are_made_and_not_sent),
		cmocka_unit_test(test_engine_conformance_a_deterministic_engine_repeats_itself),
		cmocka_unit_test(conformance_every_seed_is_another_reading),
		cmocka_unit_test(conformance_a_seed_goes_on_at_the_sample_in_another_process),
		cmocka_unit_test(conformance_a_seed_changes_nothing_without_temperature),
		cmocka_unit_test(
			test_engine_conformance_speed_changes_the_length_where_the_engine_does_it),
		cmocka_unit_test(test_engine_conformance_odd_texts_do_no_harm),
		cmocka_unit_test(test_engine_conformance_a_blank_text_is_done_at_once),
		cmocka_unit_test(test_engine_conformance_an_unknown_voice_is_said_to_be_unknown),
		cmocka_unit_test(test_engine_conformance_messages_of_a_later_version_are_ignored),
		cmocka_unit_test(conformance_jobs_sent_early_are_all_answered),
		cmocka_unit_test(conformance_jobs_at_once_keep_each_to_its_credit),
		cmocka_unit_test(conformance_jobs_at_once_have_the_samples_that_they_have_alone),
		cmocka_unit_test(conformance_a_cancel_of_one_job_leaves_the_others_alone),
		cmocka_unit_test(conformance_interleaved_turns_sound_as_they_do_apart),
		cmocka_unit_test(conformance_an_ended_turn_leaves_nothing_behind),
		cmocka_unit_test(conformance_a_replay_is_as_good_as_having_spoken),
		cmocka_unit_test(conformance_turns_that_end_do_no_harm),
		cmocka_unit_test(conformance_no_message_ends_the_worker_with_an_error),
		cmocka_unit_test(conformance_another_version_ends_the_worker_with_an_error),
		cmocka_unit_test(
			test_engine_conformance_a_worker_ends_with_its_socket_in_the_middle_of_a_job),
	};
	bool listens;

	program = argv + 1;
	if (argc > 1 && strcmp(*program, "--confined") == 0) {
		client_confine();
		++program;
	}
	if (!*program)
		return 2;
	if (!test_engine_conformance_look(&listens))
		return 77;
	return listens ? conformance_listening_run() : cmocka_run_group_tests(tests, NULL, NULL);
}
