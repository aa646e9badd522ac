/*
 * callers.c: clients of the server under measurement (see callers.h).
 */
#include "bench/callers.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"

static int epoll_fd = -1;

int callers_open(struct callers *callers, const struct target *target, size_t count)
{
	*callers = (struct callers){.all = calloc(count, sizeof(*callers->all))};
	if (!callers->all)
		return ENOMEM;
	epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	for (; callers->count < count; ++callers->count) {
		struct caller *caller = &callers->all[callers->count];
		struct epoll_event event = {.events = EPOLLIN, .data.ptr = caller};
		int err = target_connect(&caller->client, target);

		if (err)
			return err;
		epoll_ctl(epoll_fd, EPOLL_CTL_ADD, ws_client_fd(caller->client), &event);
	}
	return 0;
}

void callers_close(struct callers *callers)
{
	for (size_t i = 0; i < callers->count; ++i)
		mem_deref(callers->all[i].client);
	free(callers->all);
	if (epoll_fd >= 0)
		close(epoll_fd);
	epoll_fd = -1;
}

int callers_send(struct caller *caller, const char *json)
{
	return ws_client_send(caller->client, json, strlen(json));
}

int callers_ask(struct caller *caller, const char *json)
{
	caller->busy = true;
	caller->first_audio_us = caller->interrupted_us = 0;
	caller->samples = 0;
	caller->asked_us = clock_monotonic_us();
	return callers_send(caller, json);
}

static bool callers_begins(const char *json, size_t len, const char *prefix)
{
	return len >= strlen(prefix) && memcmp(json, prefix, strlen(prefix)) == 0;
}

/* The number after a key near the end of an audio message. */
static unsigned callers_number_at(const char *json, size_t len, const char *key)
{
	const char *from = json + (len > 120 ? len - 120 : 0);
	const char *at = memmem(from, (size_t)(json + len - from), key, strlen(key));

	return at ? (unsigned)strtoul(at + strlen(key), NULL, 10) : 0;
}

/* Playback that stood still goes on from here, so a gap counts once. */
static void callers_play(struct caller *caller, unsigned samples)
{
	uint64_t now = clock_monotonic_us();

	if (!caller->first_audio_us) {
		caller->first_audio_us = caller->dry_us = now;
	} else if (now > caller->dry_us) {
		++caller->underruns;
		caller->waited_us += now - caller->dry_us;
		caller->dry_us = now;
	}
	if (caller->sample_rate > 0)
		caller->dry_us += samples * UINT64_C(1000000) / caller->sample_rate;
}

static void callers_take_error(struct callers *callers, struct caller *caller, const char *json,
			       size_t len)
{
	++caller->errors;
	caller->busy = false;
	if (callers->allows_errors)
		return;
	fprintf(stderr, "syrinx bench: %.*s\n", (int)len, json);
	callers->failed = true;
}

static void callers_take(struct callers *callers, struct caller *caller, const char *json,
			 size_t len)
{
	if (callers_begins(json, len, "{\"audio\"")) {
		unsigned samples = callers_number_at(json, len, "\"samples\":");

		caller->stale += caller->expects_start;
		caller->sample_rate = callers_number_at(json, len, "\"sr\":");
		callers_play(caller, samples);
		caller->samples += samples;
		callers->samples += samples;
	} else if (callers_begins(json, len, "{\"generation_started\"")) {
		caller->expects_start = false;
	} else if (callers_begins(json, len, "{\"session_closed\"")) {
		caller->busy = false;
	} else if (callers_begins(json, len, "{\"interrupted\"")) {
		caller->interrupted_us = clock_monotonic_us();
		caller->expects_start = true;
	} else if (callers_begins(json, len, "{\"error\"")) {
		callers_take_error(callers, caller, json, len);
	}
}

static void callers_drain(struct callers *callers, struct caller *caller)
{
	char *bytes;
	size_t len;
	bool is_binary;
	int err;

	while ((err = ws_client_recv(caller->client, &bytes, &len, &is_binary, 0)) == 0)
		callers_take(callers, caller, bytes, len);
	if (err != ETIMEDOUT) {
		fprintf(stderr, "syrinx bench: a connection ended (%u)\n",
			ws_client_code(caller->client));
		epoll_ctl(epoll_fd, EPOLL_CTL_DEL, ws_client_fd(caller->client), NULL);
		callers->failed = true;
		caller->busy = false;
	}
}

void callers_read(struct callers *callers, unsigned timeout_ms)
{
	struct epoll_event events[64];
	int n = epoll_wait(epoll_fd, events, 64, (int)timeout_ms);

	for (int i = 0; i < n; ++i)
		callers_drain(callers, events[i].data.ptr);
}

int callers_finish(struct callers *callers)
{
	uint64_t deadline = clock_monotonic_us() + 10000000;
	uint64_t seen = callers->samples;

	for (;;) {
		size_t busy = 0;

		for (size_t i = 0; i < callers->count; ++i)
			busy += callers->all[i].busy;
		if (busy == 0)
			return callers->failed ? EIO : 0;
		callers_read(callers, 100);
		if (callers->samples != seen)
			deadline = clock_monotonic_us() + 10000000;
		seen = callers->samples;
		if (clock_monotonic_us() > deadline)
			return ETIMEDOUT;
	}
}
