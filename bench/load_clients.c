/*
 * load_clients.c: clients of the server under measurement (see load_clients.h).
 */
#include "bench/load_clients.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"

static int epoll_fd = -1;

int load_clients_open(struct load_clients *callers, const struct target *target, size_t count)
{
	*callers = (struct load_clients){.all = calloc(count, sizeof(*callers->all))};
	if (!callers->all)
		return ENOMEM;
	epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	for (; callers->count < count; ++callers->count) {
		struct load_client *caller = &callers->all[callers->count];
		struct epoll_event event = {.events = EPOLLIN, .data.ptr = caller};
		int err = target_connect(&caller->client, target);

		if (err)
			return err;
		epoll_ctl(epoll_fd, EPOLL_CTL_ADD, ws_client_fd(caller->client), &event);
	}
	return 0;
}

void load_clients_close(struct load_clients *callers)
{
	for (size_t i = 0; i < callers->count; ++i)
		mem_deref(callers->all[i].client);
	free(callers->all);
	if (epoll_fd >= 0)
		close(epoll_fd);
	epoll_fd = -1;
}

int load_clients_send(struct load_client *caller, const char *json)
{
	return ws_client_send(caller->client, json, strlen(json));
}

int load_clients_ask(struct load_client *caller, const char *json)
{
	caller->busy = true;
	caller->first_audio_us = caller->interrupted_us = 0;
	caller->samples = 0;
	caller->asked_us = clock_monotonic_us();
	return load_clients_send(caller, json);
}

static bool load_clients_begins(const char *json, size_t len, const char *prefix)
{
	return len >= strlen(prefix) && memcmp(json, prefix, strlen(prefix)) == 0;
}

/* Reads the number after a key near the end of an audio message. */
static unsigned load_clients_number_at(const char *json, size_t len, const char *key)
{
	const char *from = json + (len > 120 ? len - 120 : 0);
	const char *at = memmem(from, (size_t)(json + len - from), key, strlen(key));

	return at ? (unsigned)strtoul(at + strlen(key), NULL, 10) : 0;
}

/* Playback that has stalled continues from here, so that a gap counts once. */
static void load_clients_play(struct load_client *caller, unsigned samples)
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

static void load_clients_take_error(struct load_clients *callers, struct load_client *caller,
				    const char *json, size_t len)
{
	++caller->errors;
	caller->busy = false;
	if (callers->allows_errors)
		return;
	fprintf(stderr, "syrinx bench: %.*s\n", (int)len, json);
	callers->failed = true;
}

static void load_clients_take(struct load_clients *callers, struct load_client *caller,
			      const char *json, size_t len)
{
	if (load_clients_begins(json, len, "{\"audio\"")) {
		unsigned samples = load_clients_number_at(json, len, "\"samples\":");

		caller->stale += caller->expects_start;
		caller->sample_rate = load_clients_number_at(json, len, "\"sr\":");
		load_clients_play(caller, samples);
		caller->samples += samples;
		callers->samples += samples;
	} else if (load_clients_begins(json, len, "{\"generation_started\"")) {
		caller->expects_start = false;
	} else if (load_clients_begins(json, len, "{\"session_closed\"")) {
		caller->busy = false;
	} else if (load_clients_begins(json, len, "{\"interrupted\"")) {
		caller->interrupted_us = clock_monotonic_us();
		caller->expects_start = true;
	} else if (load_clients_begins(json, len, "{\"error\"")) {
		load_clients_take_error(callers, caller, json, len);
	}
}

static void load_clients_drain(struct load_clients *callers, struct load_client *caller)
{
	char *bytes;
	size_t len;
	bool is_binary;
	int err;

	while ((err = ws_client_recv(caller->client, &bytes, &len, &is_binary, 0)) == 0)
		load_clients_take(callers, caller, bytes, len);
	if (err != ETIMEDOUT) {
		fprintf(stderr, "syrinx bench: a connection was closed (%u)\n",
			ws_client_code(caller->client));
		epoll_ctl(epoll_fd, EPOLL_CTL_DEL, ws_client_fd(caller->client), NULL);
		callers->failed = true;
		caller->busy = false;
	}
}

void load_clients_read(struct load_clients *callers, unsigned timeout_ms)
{
	struct epoll_event events[64];
	int n = epoll_wait(epoll_fd, events, 64, (int)timeout_ms);

	for (int i = 0; i < n; ++i)
		load_clients_drain(callers, events[i].data.ptr);
}

int load_clients_finish(struct load_clients *callers)
{
	uint64_t deadline = clock_monotonic_us() + 10000000;
	uint64_t seen = callers->samples;

	for (;;) {
		size_t busy = 0;

		for (size_t i = 0; i < callers->count; ++i)
			busy += callers->all[i].busy;
		if (busy == 0)
			return callers->failed ? EIO : 0;
		load_clients_read(callers, 100);
		if (callers->samples != seen)
			deadline = clock_monotonic_us() + 10000000;
		seen = callers->samples;
		if (clock_monotonic_us() > deadline)
			return ETIMEDOUT;
	}
}
