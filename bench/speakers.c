/*
 * speakers.c: many simulated speakers in real time (see speakers.h).
 */
#include "bench/speakers.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"

/* About six seconds of speech, after which a speaker sends the next request. */
#define QUESTION                                                                                   \
	"The train to the coast leaves at noon from platform nine. It stops in five small towns, " \
	"and the view from the left side is the better one."
#define SPREAD_US 6000000u

#define TICK_US 1000u /* how often to look for speakers that are due */
#define INTERRUPT_US 40000u /* rare enough that the speakers still make up the load */
#define FINISH_US 10000000u

static bool speakers_is_multi(const struct speakers *speakers)
{
	return speakers->per_line > 1;
}

static void speakers_fail(struct speakers *speakers, const char *why)
{
	fprintf(stderr, "syrinx bench: %s\n", why);
	speakers->has_failed = true;
}

static int speakers_open_line(struct speakers *speakers, const struct target *target,
			      struct line *line)
{
	struct epoll_event event = {.events = EPOLLIN, .data.ptr = line};
	int err = target_connect(&line->client, target);

	if (err)
		return err;
	return epoll_ctl(speakers->epoll_fd, EPOLL_CTL_ADD, ws_client_fd(line->client), &event) == 0
		       ? 0
		       : errno;
}

int speakers_open(struct speakers *speakers, const struct target *target, size_t line_count,
		  size_t per_line)
{
	struct target there = *target;
	char *path = strstr(there.url, "/ws/tts/");
	int err = 0;

	*speakers = (struct speakers){
		.lines = calloc(line_count, sizeof(*speakers->lines)),
		.all = calloc(line_count * per_line, sizeof(*speakers->all)),
		.per_line = per_line,
		.epoll_fd = epoll_create1(EPOLL_CLOEXEC),
	};
	if (!speakers->lines || !speakers->all || speakers->epoll_fd < 0 || !path)
		return ENOMEM;
	if (speakers_is_multi(speakers))
		memcpy(path, "/ws/tts/multi", sizeof("/ws/tts/multi"));
	for (; !err && speakers->line_count < line_count; ++speakers->line_count) {
		struct line *line = &speakers->lines[speakers->line_count];

		line->owner = speakers;
		line->speakers = &speakers->all[speakers->line_count * per_line];
		for (unsigned i = 0; i < per_line; ++i)
			line->speakers[i] = (struct speaker){.line = line, .name = i};
		err = speakers_open_line(speakers, &there, line);
	}
	return err;
}

void speakers_close(struct speakers *speakers)
{
	for (size_t i = 0; i < speakers->line_count; ++i)
		mem_deref(speakers->lines[i].client);
	free(speakers->lines);
	free(speakers->all);
	if (speakers->epoll_fd > 0)
		close(speakers->epoll_fd);
	speakers_reset_results(speakers);
}

void speakers_reset_results(struct speakers *speakers)
{
	stats_reset(&speakers->first_us);
	stats_reset(&speakers->acknowledged_us);
	stats_reset(&speakers->echo_us);
	speakers->refused = speakers->stale = 0;
}

static void speakers_say(struct speaker *speaker, const char *what)
{
	struct speakers *speakers = speaker->line->owner;
	char json[512];
	int len;

	if (speakers_is_multi(speakers))
		len = snprintf(json, sizeof(json), "{%s,\"context_id\":\"s%u\"}", what,
			       speaker->name);
	else
		len = snprintf(json, sizeof(json), "{%s}", what);
	if (ws_client_send(speaker->line->client, json, (size_t)len) != 0)
		speakers_fail(speakers, "a connection failed");
}

static void speakers_ask(struct speaker *speaker)
{
	speaker->is_busy = true;
	speaker->is_heard = false;
	speaker->asked_us = clock_monotonic_us();
	speaker->due_us = UINT64_MAX;
	if (speakers_is_multi(speaker->line->owner))
		speakers_say(speaker, "\"text\":\"" QUESTION "\",\"flush\":true,"
				      "\"voice_settings\":{\"voice_id\":2003}");
	else
		speakers_say(speaker, "\"text\":\"" QUESTION "\",\"flush\":true,\"voice_id\":2003");
}

static bool speakers_begins(const char *json, const char *prefix)
{
	return strncmp(json, prefix, strlen(prefix)) == 0;
}

/* Finds the speaker of a message: the id is after the audio, or near the front. */
static struct speaker *speakers_find(struct line *line, const char *json, size_t len)
{
	static const char key[] = "\"context_id\":\"s";
	size_t from = speakers_begins(json, "{\"audio\"") && len > 160 ? len - 160 : 0;
	const char *at;
	unsigned long name;

	if (!speakers_is_multi(line->owner))
		return line->speakers;
	at = memmem(json + from, len - from, key, sizeof(key) - 1);
	name = at ? strtoul(at + sizeof(key) - 1, NULL, 10) : line->owner->per_line;
	return name < line->owner->per_line ? &line->speakers[name] : NULL;
}

/* The next request is due when the audio has been played. */
static void speakers_take_end(struct speaker *speaker, uint64_t now)
{
	uint64_t played_us = speaker->asked_us + SPREAD_US;

	speaker->is_busy = false;
	speaker->due_us = played_us > now ? played_us : now;
}

static void speakers_take(struct line *line, const char *json, size_t len)
{
	struct speakers *speakers = line->owner;
	struct speaker *speaker = speakers_find(line, json, len);
	uint64_t now = clock_monotonic_us();

	if (!speaker)
		return;
	if (speakers_begins(json, "{\"audio\"")) {
		if (!speaker->is_busy)
			++speakers->stale;
		if (!speaker->is_heard)
			stats_add(&speakers->first_us, (double)(now - speaker->asked_us));
		speaker->is_heard = true;
	} else if (speakers_begins(json, speakers_is_multi(speakers) ? "{\"final\""
								     : "{\"session_closed\"")) {
		speakers_take_end(speaker, now);
	} else if (speakers_begins(json, speakers_is_multi(speakers) ? "{\"context_closed\""
								     : "{\"interrupted\"")) {
		if (!speaker->interrupted_us)
			return;
		stats_add(&speakers->acknowledged_us, (double)(now - speaker->interrupted_us));
		speaker->interrupted_us = 0;
		speaker->is_busy = false;
		speaker->due_us = now;
	} else if (speakers_begins(json, "{\"error\"")) {
		++speakers->refused;
		speakers_take_end(speaker, now);
	}
}

static void speakers_drain(struct line *line)
{
	char *bytes;
	size_t len;
	bool is_binary;
	int err;

	while ((err = ws_client_recv(line->client, &bytes, &len, &is_binary, 0)) == 0)
		speakers_take(line, bytes, len);
	if (err != ETIMEDOUT)
		speakers_fail(line->owner, "a connection was closed");
}

static void speakers_read_lines(struct speakers *speakers)
{
	struct epoll_event events[64];
	int n = epoll_wait(speakers->epoll_fd, events, 64, 1);

	for (int i = 0; i < n && !speakers->has_failed; ++i)
		speakers_drain(events[i].data.ptr);
}

static size_t speakers_count_of(const struct speakers *speakers)
{
	return speakers->line_count * speakers->per_line;
}

static void speakers_ask_who_is_due(struct speakers *speakers, uint64_t now)
{
	for (size_t i = 0; i < speakers_count_of(speakers); ++i) {
		struct speaker *speaker = &speakers->all[i];

		if (!speaker->is_busy && speaker->due_us <= now)
			speakers_ask(speaker);
	}
}

/* Interrupts the next speaker that is speaking, and measures a raw echo for comparison. */
static void speakers_interrupt_one(struct speakers *speakers, struct echo *echo)
{
	for (size_t tries = 0; tries < speakers_count_of(speakers); ++tries) {
		struct speaker *speaker =
			&speakers->all[speakers->next++ % speakers_count_of(speakers)];

		if (speaker->is_busy && !speaker->interrupted_us) {
			speaker->interrupted_us = clock_monotonic_us();
			speakers_say(speaker, speakers_is_multi(speakers)
						      ? "\"close_context\":true,\"immediate\":true"
						      : "\"cancel\":true");
			break;
		}
	}
	stats_add(&speakers->echo_us, echo_round_trip_us(echo));
}

static int speakers_finish(struct speakers *speakers)
{
	uint64_t end = clock_monotonic_us() + FINISH_US;
	size_t busy;

	do {
		speakers_read_lines(speakers);
		busy = 0;
		for (size_t i = 0; i < speakers_count_of(speakers); ++i)
			busy += speakers->all[i].is_busy;
		if (clock_monotonic_us() > end)
			return ETIMEDOUT;
	} while (busy > 0 && !speakers->has_failed);
	return speakers->has_failed ? EIO : 0;
}

int speakers_talk(struct speakers *speakers, struct echo *echo, uint64_t duration_us)
{
	uint64_t start = clock_monotonic_us();
	uint64_t tick = start;
	uint64_t interruption = start + SPREAD_US / 2;
	uint64_t now = start;

	for (size_t i = 0; i < speakers_count_of(speakers); ++i)
		speakers->all[i].due_us = start + i * SPREAD_US / speakers_count_of(speakers);
	for (; now < start + duration_us && !speakers->has_failed; now = clock_monotonic_us()) {
		if (now >= tick) {
			speakers_ask_who_is_due(speakers, now);
			tick = now + TICK_US;
		}
		if (now >= interruption) {
			speakers_interrupt_one(speakers, echo);
			interruption = now + INTERRUPT_US;
		}
		speakers_read_lines(speakers);
	}
	return speakers_finish(speakers);
}
