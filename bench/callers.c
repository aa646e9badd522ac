/*
 * callers.c: simulated callers who speak to the server (see callers.h).
 */
#include "bench/callers.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/mem.h"

#define CHUNK_US (UINT64_C(1000000) * UTTERANCE_CHUNK / UTTERANCE_RATE)
#define WAIT_MAX_MS 100

int callers_open(struct callers *callers, const struct target *target, size_t count,
		 const char *query, const struct callers_handlers *handlers, void *arg)
{
	char path[256];
	int err = 0;

	*callers = (struct callers){.all = calloc(count, sizeof(*callers->all)),
				    .epoll_fd = epoll_create1(EPOLL_CLOEXEC),
				    .handlers = handlers,
				    .arg = arg};
	if (!callers->all)
		return ENOMEM;
	snprintf(path, sizeof(path), "/v1/speech-to-text/realtime?%s", query);
	while (!err && callers->count < count) {
		struct caller *caller = &callers->all[callers->count];
		struct epoll_event event = {.events = EPOLLIN, .data.ptr = caller};

		caller->callers = callers;
		caller->index = callers->count;
		err = target_connect_to(&caller->client, target, path);
		if (err)
			break;
		++callers->count;
		epoll_ctl(callers->epoll_fd, EPOLL_CTL_ADD, ws_client_fd(caller->client), &event);
	}
	return err;
}

void callers_close(struct callers *callers)
{
	for (size_t i = 0; i < callers->count; ++i)
		mem_deref(callers->all[i].client);
	free(callers->all);
	if (callers->epoll_fd >= 0)
		close(callers->epoll_fd);
	*callers = (struct callers){.epoll_fd = -1};
}

void caller_say(struct caller *caller, const struct utterance *utterance, uint64_t start_us,
		bool commits)
{
	caller->utterance = utterance;
	caller->chunk = 0;
	caller->chunks = commits ? UTTERANCE_END_CHUNKS : UTTERANCE_CHUNKS;
	caller->commits = commits;
	caller->due_us = start_us + CHUNK_US;
}

uint64_t caller_sent_us(const struct caller *caller, uint64_t sample)
{
	uint64_t chunk = (sample - 1) / UTTERANCE_CHUNK;

	return sample > 0 && sample <= caller->sent ? caller->sent_us[chunk % CALLER_KEPT] : 0;
}

static void callers_fail(struct caller *caller, const char *why, size_t len)
{
	fprintf(stderr, "syrinx bench: a caller: %.*s\n", (int)len, why);
	if (!caller->has_failed)
		epoll_ctl(caller->callers->epoll_fd, EPOLL_CTL_DEL, ws_client_fd(caller->client),
			  NULL);
	caller->has_failed = true;
	++caller->callers->failures;
}

static void callers_send(struct caller *caller, uint64_t now_us)
{
	const struct utterance *utterance = caller->utterance;
	bool is_last = caller->chunk + 1 == caller->chunks;
	const char *message = is_last && caller->commits ? utterance->last_message
							 : utterance->messages[caller->chunk];

	if (now_us - caller->due_us > caller->callers->late_us)
		caller->callers->late_us = now_us - caller->due_us;
	caller->sent_us[caller->sent / UTTERANCE_CHUNK % CALLER_KEPT] = now_us;
	caller->sent += UTTERANCE_CHUNK;
	caller->due_us += CHUNK_US;
	++caller->chunk;
	if (ws_client_send(caller->client, message, strlen(message)) != 0) {
		callers_fail(caller, "cannot send", strlen("cannot send"));
		return;
	}
	if (is_last) {
		caller->utterance = NULL;
		if (caller->callers->handlers->finished)
			caller->callers->handlers->finished(caller, caller->callers->arg);
	}
}

/* Reads a message of the server; false if it is none that a caller waits for. */
static bool callers_parse(struct caller_message *message, char *json, size_t len)
{
	struct json reader;
	struct json_value key, value;
	double at_s = 0;
	bool is_known = false, is_activity = false, is_speech = false;

	json_open(&reader, json, len);
	json_value(&reader, &value);
	while (json_member(&reader, &key)) {
		json_value(&reader, &value);
		if (json_is(&key, "message_type")) {
			is_activity = json_is(&value, "voice_activity");
			message->event = json_is(&value, "partial_transcript") ? CALLER_PARTIAL
									       : CALLER_WORDS;
			is_known = is_activity || message->event == CALLER_PARTIAL ||
				   json_is(&value, "committed_transcript");
		} else if (json_is(&key, "text") && value.kind == JSON_KIND_STRING) {
			value.text[value.len] = '\0';
			message->text = value.text;
		} else if (json_is(&key, "speech")) {
			is_speech = value.truth;
		} else if (json_is(&key, "at")) {
			json_to_double(&at_s, &value);
		} else {
			json_skip(&reader, &value);
		}
	}
	if (is_activity) {
		message->event = is_speech ? CALLER_SPEECH : CALLER_SILENCE;
		message->sample = (uint64_t)(at_s * UTTERANCE_RATE + 0.5);
	}
	return json_close(&reader) == 0 && is_known;
}

static void callers_read(struct caller *caller)
{
	struct callers *callers = caller->callers;
	char *bytes;
	size_t len;
	bool is_binary;
	int err = 0;

	while (!caller->has_failed &&
	       (err = ws_client_recv(caller->client, &bytes, &len, &is_binary, 0)) == 0) {
		struct caller_message message = {.at_us = clock_monotonic_us(), .text = ""};

		if (memmem(bytes, len, "\"error\":", strlen("\"error\":")))
			callers_fail(caller, bytes, len);
		else if (callers_parse(&message, bytes, len))
			callers->handlers->message(caller, &message, callers->arg);
	}
	if (err && err != ETIMEDOUT)
		callers_fail(caller, strerror(err), strlen(strerror(err)));
}

/* Sends what is due and returns when something will be. */
static uint64_t callers_send_due(struct callers *callers, uint64_t until_us)
{
	uint64_t next_us = until_us;

	for (size_t i = 0; i < callers->count; ++i) {
		struct caller *caller = &callers->all[i];
		uint64_t now_us = clock_monotonic_us();

		if (caller->utterance && !caller->has_failed && caller->due_us <= now_us)
			callers_send(caller, now_us);
		if (caller->utterance && !caller->has_failed && caller->due_us < next_us)
			next_us = caller->due_us;
	}
	return next_us;
}

void callers_run(struct callers *callers, uint64_t until_us, const bool *is_over)
{
	struct epoll_event events[64];

	while (!*is_over && clock_monotonic_us() < until_us) {
		uint64_t next_us = callers_send_due(callers, until_us);
		uint64_t now_us = clock_monotonic_us();
		uint64_t wait_ms = next_us > now_us ? (next_us - now_us + 999) / 1000 : 0;
		int n = epoll_wait(callers->epoll_fd, events, 64,
				   wait_ms < WAIT_MAX_MS ? (int)wait_ms : WAIT_MAX_MS);

		for (int i = 0; i < n; ++i)
			callers_read(events[i].data.ptr);
	}
}
