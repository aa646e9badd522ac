/*
 * calls.c: calls with an agent, with real recordings, a real recognizer and a real voice.
 *
 *   phones ─> server ─> a developer's server that answers at once ─> server ─> phones
 *
 * The benchmark is both the callers and the developer's server, so that what remains between the end of
 * a caller's speech and the first sound of the answer is the silence, the recognizer, the voice and the
 * server itself, whose metrics say how much each of them took.
 */
#include "bench/calls.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/count.h"
#include "base/mem.h"
#include "bench/neural.h"

#define ESPEAK_VOICE_ID "2003"
#define QUIET_US 700000u /* after an answer, before the caller says something else */
#define ANSWER_MAX_US 30000000u

const char *const calls_agent_names[CALLS_AGENTS] = {
	[CALLS_EAGER] = "eager",
	[CALLS_NORMAL] = "normal",
	[CALLS_PATIENT] = "patient",
	[CALLS_CAREFUL] = "normal, asked when decided",
};

void calls_print(const struct calls_bench *bench, const char *part, const char *name,
		 const struct calls_figure *figures, size_t count)
{
	bool is_json = bench->options->is_json;

	if (is_json)
		printf("{\"measurement\":\"calls\",\"part\":\"%s\",\"name\":\"%s\"", part, name);
	else
		printf("  %-12s %-28s", part, name);
	for (size_t i = 0; i < count; ++i)
		printf(is_json ? ",\"%s\":%.3f" : "  %s %.1f", figures[i].name, figures[i].value);
	printf(is_json ? "}\n" : "\n");
	fflush(stdout);
}

struct calls_patience {
	const struct phone *phone;
	unsigned answers;
};

static bool calls_is_heard_out(void *arg)
{
	const struct calls_patience *patience = arg;
	const struct phone *phone = patience->phone;

	if (phone->has_failed)
		return true;
	return !phone->speech && phone->heard.answers > patience->answers &&
	       clock_monotonic_us() > phone->heard.dry_us + QUIET_US &&
	       clock_monotonic_us() > phone->end_us + QUIET_US;
}

int calls_hear_out(struct phones *phones, struct phone *phone, unsigned answers)
{
	struct calls_patience patience = {phone, answers};

	phones_run(phones, clock_monotonic_us() + ANSWER_MAX_US, calls_is_heard_out, &patience);
	if (phone->has_failed)
		return ENOTCONN;
	return calls_is_heard_out(&patience) ? 0 : ETIMEDOUT;
}

/* The server */

static bool calls_has(const char *folder, const char *name)
{
	char path[4200];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return access(path, R_OK) == 0;
}

/* Creates the speech engine that an agent's calls use. */
static int calls_make_agent(struct calls_bench *bench, enum calls_agent agent, const char *voice_id)
{
	static const char *const eagerness[CALLS_AGENTS] = {"eager", "normal", "patient", "normal"};
	static const char key[] = "\"speech_engine_id\":\"";
	char body[512], answer[16384];
	const char *id;
	int err;

	snprintf(body, sizeof(body),
		 "{\"name\":\"bench\",\"speech_engine\":{\"ws_url\":\"ws://127.0.0.1:%u/\"},"
		 "\"tts\":{\"voice_id\":\"%s\"},\"turn\":{\"turn_eagerness\":\"%s\","
		 "\"speculative_turn\":%s},\"conversation\":{\"max_duration_seconds\":10800}}",
		 (unsigned)answering_port(bench->answering), voice_id, eagerness[agent],
		 agent == CALLS_CAREFUL ? "false" : "true");
	err = target_post(&bench->target, "/v1/speech-engine", body, answer, sizeof(answer));
	id = err ? NULL : strstr(answer, key);
	if (!id) {
		fprintf(stderr, "syrinx bench: no speech engine: %.300s\n", err ? "" : answer);
		return err ? err : EPROTO;
	}
	id += strlen(key);
	snprintf(bench->agents[agent], CALLS_ID_SIZE, "%.*s", (int)strcspn(id, "\""), id);
	return 0;
}

static int calls_begin(struct calls_bench *bench)
{
	const struct bench_options *options = bench->options;
	bool is_neural = calls_has(options->voices_dir, "libritts.onnx");
	const struct target_options server = {
		.voices_dir = options->voices_dir, /* ONNX Runtime may be there */
		.models_dir = options->models_dir,
		.config = "[hearing]\nmodel = moonshine-tiny\n[calls]\nmax = 10000\n"};
	int err = echo_start(&bench->echo); /* first: its process keeps what is open now */

	bench->voice = is_neural ? "the neural voice " NEURAL_VOICE : "eSpeak NG";
	if (!err)
		err = answering_alloc(&bench->answering);
	if (!err) {
		answering_say(bench->answering, CALLS_SHORT);
		err = target_start(&bench->target, &server);
	}
	for (enum calls_agent i = 0; i < CALLS_AGENTS && !err; ++i)
		err = calls_make_agent(bench, i, is_neural ? NEURAL_VOICE_ID : ESPEAK_VOICE_ID);
	return err;
}

static void calls_end(struct calls_bench *bench)
{
	target_stop(&bench->target);
	echo_stop(&bench->echo);
	mem_deref(bench->answering);
	prompts_reset(&bench->prompts);
}

static unsigned calls_count_cores(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) == 0 ? (unsigned)CPU_COUNT(&set) : 1;
}

static bool calls_is_installed(struct calls_bench *bench)
{
	if (!calls_has(bench->options->models_dir, "moonshine-tiny")) {
		printf("calls: skipped, because there is no moonshine-tiny in %s (to install it: "
		       "make models)\n",
		       bench->options->models_dir);
		return false;
	}
	if (prompts_read(&bench->prompts) != 0) {
		printf("calls: skipped, because there are no recordings of callers (to install "
		       "them: apt install " SPEECHES_PACKAGE ")\n");
		return false;
	}
	return true;
}

static int calls_measure(struct calls_bench *bench)
{
	int err;

	if (bench->options->faults)
		return calls_faults(bench);
	if (bench->options->calls)
		return calls_load(bench);
	err = calls_turns(bench);
	if (!err)
		err = calls_barge_ins(bench);
	return err ? err : calls_load(bench);
}

int bench_calls(const struct bench_options *options)
{
	struct calls_bench bench = {.options = options, .cores = calls_count_cores()};
	int err;

	if (!calls_is_installed(&bench))
		return 0;
	err = calls_begin(&bench);
	if (!options->is_json)
		printf("calls over /v1/convai/conversation: Moonshine tiny, %s, %zu recordings of "
		       "a person, %u cores\n",
		       bench.voice, bench.prompts.count, bench.cores);
	if (!err)
		err = calls_measure(&bench);
	calls_end(&bench);
	return err;
}
