/*
 * conformance_several.c: what every engine must do with several jobs (see
 * conformance.h).
 */
#include "conformance.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/count.h"

#define AT_ONCE_MAX 8

/* Of a job to begin with: a fraction of any sentence. */
#define CREDIT 700u

/* How many jobs a test has at once, of those that the engine can do. */
static size_t conformance_several_at_once(const struct client *client)
{
	return client->jobs_max < AT_ONCE_MAX ? client->jobs_max : AT_ONCE_MAX;
}

/* One at a time they come in their order; of several at once none is
 * forgotten. */
void conformance_jobs_sent_early_are_all_answered(void **state)
{
	struct client client;
	struct client_job jobs[AT_ONCE_MAX + 8] = {0};
	size_t n;

	(void)state;
	conformance_start(&client);
	n = conformance_several_at_once(&client) + 3;
	for (uint32_t i = 0; i < n; ++i)
		conformance_send(&client, 11 + i, "Hello.", UINT32_MAX);
	for (size_t i = 0; i < n && client.jobs_max == 1; ++i)
		client_read_job(&client, &jobs[i], 11 + (uint32_t)i, SIZE_MAX);
	client_read_all(&client, jobs, 11, n);
	for (size_t i = 0; i < n; ++i) {
		assert_int_equal(jobs[i].done.status, MESSAGE_DONE_OK);
		assert_true(jobs[i].count > 0);
		client_job_reset(&jobs[i]);
	}
	conformance_end(&client);
}

static void conformance_several_start_several(struct client *client)
{
	conformance_start(client);
	if (client->jobs_max > 1)
		return;
	conformance_end(client);
	client_skip("this engine speaks one text at a time");
}

static void conformance_several_send_credit(struct client *client, uint32_t job, uint32_t samples)
{
	const struct message credit = {
		.type = MESSAGE_CREDIT, .job = job, .credit_samples = samples};

	client_send(client, &credit);
}

/* Reads until n jobs have used up their credits: first, first + 1, … samples. */
static void conformance_several_read_credits(struct client *client, struct client_job *jobs,
					     size_t n, size_t first)
{
	for (size_t used = 0; used < n;) {
		client_read_any(client, jobs, 1, n);
		used = 0;
		for (size_t i = 0; i < n; ++i) {
			assert_false(jobs[i].is_done);
			assert_true(jobs[i].count <= first + i);
			used += jobs[i].count == first + i;
		}
	}
}

/* As many as a test has at once, with the credits of conformance_several_read_credits. */
static size_t conformance_several_send_sentences(struct client *client)
{
	size_t n = conformance_several_at_once(client);

	for (uint32_t i = 0; i < n; ++i)
		conformance_send(client, 1 + i, SENTENCE, CREDIT + i);
	return n;
}

void conformance_jobs_at_once_keep_each_to_its_credit(void **state)
{
	struct client client;
	struct client_job jobs[AT_ONCE_MAX] = {0};
	size_t n;

	(void)state;
	conformance_several_start_several(&client);
	n = conformance_several_send_sentences(&client);
	for (size_t round = 1; round <= 3; ++round) {
		conformance_several_read_credits(&client, jobs, n, CREDIT * round);
		assert_true(client_is_silent(&client, 20));
		for (uint32_t i = 0; i < n; ++i)
			conformance_several_send_credit(&client, 1 + i,
							round < 3 ? CREDIT : UINT32_MAX);
	}
	client_read_all(&client, jobs, 1, n);
	for (size_t i = 0; i < n; ++i) {
		assert_int_equal(jobs[i].done.status, MESSAGE_DONE_OK);
		assert_int_equal(jobs[i].done.samples, jobs[i].count);
		client_job_reset(&jobs[i]);
	}
	conformance_end(&client);
}

static const char *const several_texts[] = {
	"One text of many.",        "Another one that is somewhat longer.", "Short.",
	"What is spoken together,", "is spoken as if each were alone.",     "Six!",
};

/* Half of them with a start that was heard before. */
static void conformance_several_send_several(struct client *client, size_t n,
					     const struct client_job *alone)
{
	for (uint32_t i = 0; i < n; ++i) {
		const char *text = several_texts[i % COUNT(several_texts)];
		struct message message = client_speak(1 + i, conformance_voice(client), text);

		if (i % 2)
			message.speak.skip_samples = alone[i % COUNT(several_texts)].count / 3;
		client_send(client, &message);
	}
}

static void conformance_several_assert_is_tail(const struct client_job *job,
					       const struct client_job *whole)
{
	size_t skipped = (size_t)job->done.samples - job->count;

	assert_int_equal(job->done.status, MESSAGE_DONE_OK);
	assert_int_equal(job->done.samples, whole->count);
	assert_memory_equal(job->samples, whole->samples + skipped, job->count * 2);
	assert_int_equal(job->word_count, whole->word_count);
	if (job->word_count > 0)
		assert_memory_equal(job->words, whole->words,
				    whole->word_count * sizeof(whole->words[0]));
}

void conformance_jobs_at_once_have_the_samples_that_they_have_alone(void **state)
{
	struct client client;
	struct client_job alone[COUNT(several_texts)];
	struct client_job jobs[AT_ONCE_MAX] = {0};
	size_t n;

	(void)state;
	conformance_several_start_several(&client);
	if (!(client.capabilities & MESSAGE_DETERMINISTIC)) {
		conformance_end(&client);
		client_skip("this engine promises no equal samples");
	}
	n = conformance_several_at_once(&client);
	for (size_t i = 0; i < COUNT(several_texts); ++i)
		conformance_speak(&client, &alone[i], several_texts[i]);
	conformance_several_send_several(&client, n, alone);
	client_read_all(&client, jobs, 1, n);
	for (size_t i = 0; i < n; ++i) {
		const struct client_job *whole = &alone[i % COUNT(several_texts)];

		assert_int_equal(jobs[i].count, whole->count - (i % 2 ? whole->count / 3 : 0));
		conformance_several_assert_is_tail(&jobs[i], whole);
		client_job_reset(&jobs[i]);
	}
	for (size_t i = 0; i < COUNT(several_texts); ++i)
		client_job_reset(&alone[i]);
	conformance_end(&client);
}

void conformance_a_cancel_of_one_job_leaves_the_others_alone(void **state)
{
	const struct message cancel = {.type = MESSAGE_CANCEL, .job = 2};
	struct client client;
	struct client_job jobs[AT_ONCE_MAX] = {0};
	size_t n;

	(void)state;
	conformance_several_start_several(&client);
	n = conformance_several_send_sentences(&client);
	conformance_several_read_credits(&client, jobs, n, CREDIT);
	client_send(&client, &cancel);
	assert_ptr_equal(client_read_any(&client, jobs, 1, n), &jobs[1]);
	assert_int_equal(jobs[1].done.status, MESSAGE_DONE_CANCELLED);
	assert_int_equal(jobs[1].done.samples, CREDIT + 1);
	for (uint32_t i = 0; i < n; ++i)
		conformance_several_send_credit(&client, 1 + i, UINT32_MAX);
	client_read_all(&client, jobs, 1, n);
	for (size_t i = 0; i < n; ++i) {
		assert_int_equal(jobs[i].done.status,
				 i == 1 ? MESSAGE_DONE_CANCELLED : MESSAGE_DONE_OK);
		client_job_reset(&jobs[i]);
	}
	conformance_end(&client);
}
