/*
 * listeners.c: simulated listeners who talk to the server (see listeners.h).
 */
#include "bench/listeners.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "base/count.h"
#include "bench/load_clients.h"
#include "bench/neural.h"

/* Listeners start one by one within this time, as if each had begun some time ago. */
#define ARRIVALS_US 5000000u

/* The pause between the end of the playback and the next request. */
#define PAUSE_MIN_US 200000u
#define PAUSE_MAX_US 1000000u

#define CHUNKS_MAX 3

/* The default sample rate. */
#define RATE 24000

/* Answers, divided as the server divides them: a chunk ends with a sentence; the second has at
 * least 80 characters, the third 150. */
struct answer {
	const char *chunks[CHUNKS_MAX + 1];
};

static const struct answer chat[] = {
	{{"That is a good question, and the short answer is yes.",
	  "You can move the files first and change the settings later, because the old ones keep "
	  "working until the end of the month.",
	  "If anything goes wrong in between, the backup from last night has everything that you "
	  "need, and getting it back takes about ten minutes on a normal connection."}},
	{{"Sure, let me look that up for you.",
	  "There are two trains in the morning, one at a quarter past seven and another one just "
	  "before nine.",
	  "The later one is a little cheaper, but you would have to change in the middle of the "
	  "way and wait for half an hour, so I would rather take the first if you can get up."}},
	{{"I found three restaurants near the station that are still open.",
	  "The closest one serves soup and fresh bread, and people like it for its quiet garden "
	  "behind the house."}},
	{{"Let us go through it step by step.",
	  "First you cut the onions and fry them gently with a spoon of butter until they are "
	  "soft and golden.",
	  "Then you add the rice, stir it for a minute, pour in a glass of wine, and keep adding "
	  "hot broth, a little at a time, while you talk with your guests about something else."}},
};

static const struct answer brief[] = {
	{{"The meeting starts in an hour."}},
	{{"Yes, I can do that right away."}},
	{{"It will be sunny all afternoon."}},
	{{"Your parcel comes on Thursday."}},
};

static const struct answer lengthy[] = {
	{{"When the first settlers reached the valley after a long winter in the mountains they "
	  "found a wide river, meadows full of flowers, and so many birds that nobody could sleep "
	  "after sunrise, and since they were tired of walking and had eaten almost all of their "
	  "bread they decided to stay there for a while, to build a few huts from the wood that "
	  "the water had left, and to wait and see what summer would bring them."}},
};

static const struct {
	const struct answer *answers;
	size_t count;
} kinds[LISTENER_KINDS] = {
	[LISTENER_CHAT] = {chat, COUNT(chat)},
	[LISTENER_SHORT] = {brief, COUNT(brief)},
	[LISTENER_LONG] = {lengthy, COUNT(lengthy)},
};

struct listener {
	enum listener_kind kind;
	size_t answer; /* the index of the next answer */
	uint64_t due_us; /* when the next request is due; 0 while listening */
	bool noted; /* the first audio of the turn was recorded, or there is no turn */
};

struct crowd {
	struct load_clients callers;
	struct listener *all;
	uint32_t chance;
	struct listeners_result *result;
};

/* A pseudo-random number, the same in every run. */
static uint32_t listeners_chance(struct crowd *crowd, uint32_t below)
{
	crowd->chance = crowd->chance * 1664525u + 1013904223u;
	return (uint32_t)((uint64_t)crowd->chance * below >> 32);
}

static void listeners_write_question(char *out, size_t size, const struct answer *answer)
{
	size_t len = (size_t)snprintf(out, size, "{\"voice_id\":" NEURAL_VOICE_ID ",\"text\":\"");

	for (const char *const *chunk = answer->chunks; *chunk; ++chunk)
		len += (size_t)snprintf(out + len, size - len, "%s%s",
					chunk == answer->chunks ? "" : " ", *chunk);
	snprintf(out + len, size - len, "\",\"flush\":true}");
}

static int listeners_ask(struct crowd *crowd, size_t i)
{
	struct listener *listener = &crowd->all[i];
	const struct answer *answers = kinds[listener->kind].answers;
	char question[2048];

	listeners_write_question(question, sizeof(question), &answers[listener->answer]);
	listener->answer = (listener->answer + 1) % kinds[listener->kind].count;
	listener->due_us = 0;
	listener->noted = false;
	++crowd->result->turns;
	return load_clients_ask(&crowd->callers.all[i], question);
}

static void listeners_note_first(struct crowd *crowd, size_t i)
{
	struct listener *listener = &crowd->all[i];
	const struct load_client *caller = &crowd->callers.all[i];

	if (listener->noted || !caller->first_audio_us)
		return;
	listener->noted = true;
	stats_add(&crowd->result->first_ms[listener->kind],
		  (double)(caller->first_audio_us - caller->asked_us) / 1000);
}

/* Whether all audio was received and played, or nothing more will arrive. */
static bool listeners_has_heard_all(const struct load_client *caller, uint64_t now_us)
{
	return !caller->busy && (!caller->first_audio_us || now_us >= caller->dry_us);
}

static int listeners_let_talk(struct crowd *crowd, uint64_t now_us)
{
	int err = 0;

	for (size_t i = 0; i < crowd->callers.count && !err; ++i) {
		struct listener *listener = &crowd->all[i];

		listeners_note_first(crowd, i);
		if (listener->due_us == 0 &&
		    listeners_has_heard_all(&crowd->callers.all[i], now_us))
			listener->due_us = now_us + PAUSE_MIN_US +
					   listeners_chance(crowd, PAUSE_MAX_US - PAUSE_MIN_US);
		if (listener->due_us && listener->due_us <= now_us)
			err = listeners_ask(crowd, i);
	}
	return err;
}

static int listeners_open_crowd(struct crowd *crowd, const struct target *target,
				const struct listeners_load *load)
{
	uint64_t now = clock_monotonic_us();
	size_t count = 0;
	size_t at = 0;
	int err;

	for (size_t k = 0; k < LISTENER_KINDS; ++k)
		count += load->counts[k];
	err = load_clients_open(&crowd->callers, target, count);
	crowd->callers.allows_errors = true;
	crowd->all = calloc(count + 1, sizeof(*crowd->all));
	if (!err && !crowd->all)
		err = ENOMEM;
	for (enum listener_kind k = 0; k < LISTENER_KINDS && !err; ++k) {
		for (size_t i = 0; i < load->counts[k]; ++i)
			crowd->all[at++] = (struct listener){
				.kind = k,
				.answer = listeners_chance(crowd, (uint32_t)kinds[k].count),
				.due_us = now + 1 + listeners_chance(crowd, ARRIVALS_US),
			};
	}
	return err;
}

static double listeners_own_cpu_s(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
	       (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

/* A turn that is waiting for audio when the time is up counts as an underrun, too. */
static void listeners_add_up(struct crowd *crowd)
{
	struct listeners_result *result = crowd->result;
	uint64_t now = clock_monotonic_us();

	for (size_t i = 0; i < crowd->callers.count; ++i) {
		const struct load_client *caller = &crowd->callers.all[i];
		bool is_dry = caller->busy && caller->first_audio_us && now > caller->dry_us;

		result->underruns += caller->underruns + is_dry;
		result->waited_s += (double)caller->waited_us / 1e6;
		result->refused += caller->errors;
	}
}

static int listeners_talk(struct crowd *crowd, unsigned seconds)
{
	uint64_t start = clock_monotonic_us();
	uint64_t end = start + seconds * UINT64_C(1000000);
	uint64_t now;
	int err = 0;

	while (!err && (now = clock_monotonic_us()) < end) {
		err = listeners_let_talk(crowd, now);
		load_clients_read(&crowd->callers, 2);
		if (crowd->callers.failed)
			err = EIO;
	}
	crowd->result->seconds = (double)(clock_monotonic_us() - start) / 1e6;
	return err;
}

int listeners_run(struct listeners_result *result, const struct target *target,
		  const struct listeners_load *load)
{
	struct crowd crowd = {.chance = 1, .result = result};
	double server_s, workers_s, own_s;
	int err;

	*result = (struct listeners_result){0};
	err = listeners_open_crowd(&crowd, target, load);
	target_cpu(target, &server_s, &workers_s);
	own_s = listeners_own_cpu_s();
	if (!err)
		err = listeners_talk(&crowd, load->seconds);
	result->clients_cpu_s = listeners_own_cpu_s() - own_s;
	target_cpu(target, &result->server_cpu_s, &result->workers_cpu_s);
	result->server_cpu_s -= server_s;
	result->workers_cpu_s -= workers_s;
	result->audio_s = (double)crowd.callers.samples / RATE;
	listeners_add_up(&crowd);
	load_clients_close(&crowd.callers);
	free(crowd.all);
	return err;
}

void listeners_reset(struct listeners_result *result)
{
	for (size_t k = 0; k < LISTENER_KINDS; ++k)
		stats_reset(&result->first_ms[k]);
}

void listeners_print_chunks(char *out, size_t size)
{
	size_t len = 0;

	for (size_t i = 0; i < COUNT(chat); ++i)
		for (const char *const *chunk = chat[i].chunks; *chunk && len < size; ++chunk)
			len += (size_t)snprintf(out + len, size - len, " '%s'", *chunk);
}
