/*
 * What the eSpeak NG engine promises beyond the protocol.  Run with the path of
 * syrinx-espeak.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/count.h"
#include "client.h"

/* The library makes whole periods of the voice, at a pitch that wavers with the
 * time since the process has begun, so the length of the same text varies: by up
 * to 2 ms for these words, 7 ms where the variant of a voice has an echo (a trilled
 * r, which is not among them, varies by 13).  Left-over silences have 12 ms and
 * more, most of them 39 or 48. */
#define JITTER_MS 8

static char *espeak;

static void test_espeak_start(struct client *client)
{
	char *argv[] = {espeak, NULL};

	client_start(client, argv);
	client_greet(client);
}

/* How many samples a text has. */
static long test_espeak_length_of(struct client *client, const char *voice, const char *text)
{
	struct message message = client_speak(1, voice, text);
	struct client_job job = {0};
	long count;

	client_send(client, &message);
	client_read_job(client, &job, 1, SIZE_MAX);
	assert_int_equal(job.done.status, MESSAGE_DONE_OK);
	count = (long)job.count;
	client_job_reset(&job);
	return count;
}

/* A text that is cancelled when its first samples have arrived. */
static void test_espeak_break_off(struct client *client, const char *voice, const char *text)
{
	const struct message cancel = {.type = MESSAGE_CANCEL, .job = 1};
	struct message message = client_speak(1, voice, text);
	struct client_job job = {0};

	message.speak.credit_samples = 2000;
	client_send(client, &message);
	client_read_job(client, &job, 1, 2000);
	client_send(client, &cancel);
	client_read_job(client, &job, 1, SIZE_MAX);
	assert_int_equal(job.done.status, MESSAGE_DONE_CANCELLED);
	client_job_reset(&job);
}

static void test_espeak_assert_same_length(const char *voice, const char *text, long fresh,
					   long later)
{
	if (labs(fresh - later) > 22050 * JITTER_MS / 1000)
		fail_msg("%s, \"%s\": %ld samples in a fresh worker, later %ld", voice, text, fresh,
			 later);
}

static void test_espeak_earlier_texts_add_no_silence(void **state)
{
	static const char *const voices[] = {"en-us", "en-us+f2", "de", "fr-fr", "ru"};
	static const char *const words[] = {"zork", "Yes", "Hello.", "No, never."};
	static const char *const texts[] = {
		"The market was closed",
		"Pick up the packet, take it back, and park the truck at the dock.",
		"Can't stop? Kick it, quick!",
		"A man, a plan, a canal: Panama… and 42 cats.",
	};

	(void)state;
	for (size_t v = 0; v < COUNT(voices); ++v) {
		struct client client;
		long fresh[COUNT(words)];

		for (size_t i = 0; i < COUNT(words); ++i) {
			test_espeak_start(&client);
			fresh[i] = test_espeak_length_of(&client, voices[v], words[i]);
			client_end(&client);
		}
		test_espeak_start(&client);
		for (size_t t = 0; t < COUNT(texts); ++t) {
			test_espeak_length_of(&client, voices[v], texts[t]);
			test_espeak_length_of(&client, voices[(v + 1) % COUNT(voices)], texts[t]);
			test_espeak_break_off(&client, voices[v], texts[t]);
			for (size_t i = 0; i < COUNT(words); ++i)
				test_espeak_assert_same_length(
					voices[v], words[i], fresh[i],
					test_espeak_length_of(&client, voices[v], words[i]));
		}
		client_end(&client);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_espeak_earlier_texts_add_no_silence),
	};

	if (argc != 2) {
		fprintf(stderr, "usage: %s SYRINX-ESPEAK\n", argv[0]);
		return 2;
	}
	espeak = argv[1];
	return cmocka_run_group_tests(tests, NULL, NULL);
}
