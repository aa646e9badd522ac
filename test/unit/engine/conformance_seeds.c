/*
 * conformance_seeds.c: what a seed changes, and what it does not.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/count.h"
#include "conformance.h"

static void conformance_seeds_speak_seed(struct client *client, struct client_job *job,
					 uint64_t seed, uint64_t skip)
{
	struct message message = client_speak(1, conformance_voice(client), SENTENCE);

	message.speak.seed = seed;
	message.speak.skip_samples = skip;
	message.speak.turn = seed + skip; /* counts for nothing here */
	conformance_speak_message(client, job, &message);
	assert_int_equal(job->done.status, MESSAGE_DONE_OK);
}

static bool conformance_seeds_is_same(const struct client_job *a, const struct client_job *b)
{
	return a->count == b->count && memcmp(a->samples, b->samples, a->count * 2) == 0;
}

/* Engines that lack the capabilities skip the test. */
static void conformance_seeds_start_or_skip(struct client *client, uint32_t mask, uint32_t wanted,
					    const char *reason)
{
	conformance_start(client);
	if ((client->capabilities & mask) != wanted) {
		conformance_end(client);
		client_skip(reason);
	}
}

void conformance_every_seed_is_another_reading(void **state)
{
	static const uint64_t seeds[] = {0, 1, 2, UINT64_MAX};
	struct client_job jobs[COUNT(seeds)];
	struct client client;

	(void)state;
	conformance_seeds_start_or_skip(&client, MESSAGE_TEMPERATURE, MESSAGE_TEMPERATURE,
					"this engine uses no temperature");
	for (size_t i = 0; i < COUNT(seeds); ++i) {
		conformance_seeds_speak_seed(&client, &jobs[i], seeds[i], 0);
		for (size_t k = 0; k < i; ++k)
			assert_false(conformance_seeds_is_same(&jobs[k], &jobs[i]));
	}
	for (size_t i = 0; i < COUNT(seeds); ++i)
		client_job_reset(&jobs[i]);
	conformance_end(&client);
}

/* As the server does it when the first worker has died. */
void conformance_a_seed_goes_on_at_the_sample_in_another_process(void **state)
{
	const uint64_t seed = UINT64_C(0xfedcba9876543210);
	struct client client;
	struct client other;
	struct client_job whole;
	struct client_job tail;
	size_t skip;

	(void)state;
	conformance_seeds_start_or_skip(&client, MESSAGE_DETERMINISTIC, MESSAGE_DETERMINISTIC,
					"this engine promises no equal samples");
	conformance_start(&other);
	conformance_seeds_speak_seed(&client, &whole, seed, 0);
	skip = whole.count / 2;
	conformance_seeds_speak_seed(&other, &tail, seed, skip);
	assert_int_equal(tail.count, whole.count - skip);
	assert_memory_equal(tail.samples, whole.samples + skip, tail.count * 2);
	client_job_reset(&whole);
	client_job_reset(&tail);
	conformance_end(&other);
	conformance_end(&client);
}

void conformance_a_seed_changes_nothing_without_temperature(void **state)
{
	struct client client;
	struct client_job first;
	struct client_job second;

	(void)state;
	conformance_seeds_start_or_skip(
		&client, MESSAGE_DETERMINISTIC | MESSAGE_TEMPERATURE, MESSAGE_DETERMINISTIC,
		"this engine uses the temperature or promises no equal samples");
	conformance_seeds_speak_seed(&client, &first, 0, 0);
	conformance_seeds_speak_seed(&client, &second, 1, 0);
	assert_true(conformance_seeds_is_same(&first, &second));
	client_job_reset(&first);
	client_job_reset(&second);
	conformance_end(&client);
}
