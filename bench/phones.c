/*
 * phones.c: callers in conversations with an agent (see phones.h).
 */
#include "bench/phones.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/mem.h"

#define CHUNK_US (UINT64_C(1000000) * SPEECH_CHUNK / SPEECH_RATE)
#define WAIT_MAX_MS 100
#define START_MAX_US 10000000u
#define AUDIO_HEAD "{\"type\":\"audio\",\"audio_event\":{\"audio_base_64\":\""
#define EVENT_ID "\"event_id\":"
#define SAMPLE_BYTES 2u /* agents speak PCM at SPEECH_RATE unless they are told otherwise */

/* What is received */

void phone_init_heard(struct phone_heard *heard)
{
	*heard = (struct phone_heard){.ping_id = -1, .event_id = -1, .cut_id = -1};
}

/* The samples of a base64 text. */
static uint64_t phones_count_samples(const char *base64, size_t len)
{
	size_t bytes = len / 4 * 3;

	for (size_t i = len; i > 0 && base64[i - 1] == '='; --i)
		--bytes;
	return bytes / SAMPLE_BYTES;
}

static void phones_play(struct phone_heard *heard, int64_t event_id, uint64_t samples,
			uint64_t now_us)
{
	if (event_id <= heard->cut_id) {
		++heard->stale;
		return;
	}
	if (event_id != heard->event_id) {
		heard->event_id = event_id;
		heard->answer_us = heard->dry_us = now_us;
		++heard->answers;
	} else if (now_us > heard->dry_us) {
		uint64_t gap_us = now_us - heard->dry_us;

		heard->late += gap_us > PHONE_GAP_US;
		heard->gap_us = gap_us > heard->gap_us ? gap_us : heard->gap_us;
		heard->dry_us = now_us;
	}
	heard->dry_us += samples * 1000000u / SPEECH_RATE;
}

/* Audio is most of what is received, and only its length and its event_id matter. */
static bool phones_take_audio(struct phone_heard *heard, const char *json, size_t len,
			      uint64_t now_us)
{
	const char *base64 = json + strlen(AUDIO_HEAD);
	const char *end, *id;

	if (len < strlen(AUDIO_HEAD) || memcmp(json, AUDIO_HEAD, strlen(AUDIO_HEAD)) != 0)
		return false;
	end = memchr(base64, '"', len - strlen(AUDIO_HEAD));
	id = end ? memmem(end, (size_t)(json + len - end), EVENT_ID, strlen(EVENT_ID)) : NULL;
	if (id)
		phones_play(heard, strtoll(id + strlen(EVENT_ID), NULL, 10),
			    phones_count_samples(base64, (size_t)(end - base64)), now_us);
	return true;
}

/* What matters of other messages: each has one object of details, and their keys are unambiguous. */
struct phones_message {
	struct json_value type;
	int64_t event_id;
	struct json_value transcript;
};

static void phones_read_details(struct phones_message *message, struct json *reader)
{
	struct json_value key, value;

	while (json_member(reader, &key)) {
		json_value(reader, &value);
		if (json_is(&key, "event_id") && value.kind == JSON_KIND_NUMBER)
			message->event_id = strtoll(value.text, NULL, 10);
		else if (json_is(&key, "user_transcript") && value.kind == JSON_KIND_STRING)
			message->transcript = value;
		else
			json_skip(reader, &value);
	}
}

static int phones_read(struct phones_message *message, char *json, size_t len)
{
	struct json reader;
	struct json_value key, value;

	*message = (struct phones_message){.event_id = -1};
	json_open(&reader, json, len);
	json_value(&reader, &value);
	while (json_member(&reader, &key)) {
		json_value(&reader, &value);
		if (json_is(&key, "type"))
			message->type = value;
		else if (value.kind == JSON_KIND_OBJECT)
			phones_read_details(message, &reader);
		else
			json_skip(&reader, &value);
	}
	return json_close(&reader);
}

void phone_take(struct phone_heard *heard, char *json, size_t len, uint64_t now_us)
{
	struct phones_message message;

	if (phones_take_audio(heard, json, len, now_us))
		return;
	if (memmem(json, len, "\"error_event\":", strlen("\"error_event\":")))
		fprintf(stderr, "syrinx bench: a phone: %.*s\n", (int)len, json);
	if (phones_read(&message, json, len) != 0)
		return;
	if (json_is(&message.type, "conversation_initiation_metadata")) {
		heard->is_started = true;
	} else if (json_is(&message.type, "ping")) {
		heard->ping_id = message.event_id;
	} else if (json_is(&message.type, "interruption")) {
		++heard->cuts;
		heard->cut_id = message.event_id;
		heard->cut_us = now_us;
		heard->dry_us = now_us;
	} else if (json_is(&message.type, "user_transcript")) {
		++heard->transcripts;
		heard->words_us = now_us;
		snprintf(heard->words, sizeof(heard->words), "%.*s", (int)message.transcript.len,
			 message.transcript.text ? message.transcript.text : "");
	} else if (json_is(&message.type, "error")) {
		++heard->errors;
	}
}

/* What is sent */

void phone_say(struct phone *phone, const struct speech *speech)
{
	phone->speech = speech;
	phone->chunk = 0;
	phone->onset_us = phone->due_us - CHUNK_US;
	phone->end_us = 0;
}

int phone_type(struct phone *phone, const char *text)
{
	char message[512];
	int n = snprintf(message, sizeof(message), "{\"type\":\"user_message\",\"text\":\"%s\"}",
			 text);

	return ws_client_send(phone->client, message, (size_t)n);
}

static void phones_fail(struct phones *phones, struct phone *phone)
{
	if (!phone->has_failed)
		epoll_ctl(phones->epoll_fd, EPOLL_CTL_DEL, ws_client_fd(phone->client), NULL);
	phone->has_failed = true;
}

/* The last sample of a chunk is recorded when it is due, so a speech that ends inside of its last chunk
 * ended earlier by the rest of it. */
static void phones_send(struct phones *phones, struct phone *phone, uint64_t now_us)
{
	const struct speech *speech = phone->speech;
	const char *message = speech ? speech->messages[phone->chunk] : phones->silence;

	if (now_us - phone->due_us > phones->late_us)
		phones->late_us = now_us - phone->due_us;
	phones->spoken += speech ? SPEECH_CHUNK : 0;
	if (speech && ++phone->chunk == speech->chunks) {
		phone->end_us = phone->due_us -
				(speech->count - speech->end) * UINT64_C(1000000) / SPEECH_RATE;
		phone->speech = NULL;
	}
	phone->due_us += CHUNK_US;
	if (ws_client_send(phone->client, message, strlen(message)) != 0)
		phones_fail(phones, phone);
}

static void phones_receive(struct phones *phones, struct phone *phone)
{
	char *bytes;
	size_t len;
	bool is_binary;
	int err = 0;

	while (!phone->has_failed &&
	       (err = ws_client_recv(phone->client, &bytes, &len, &is_binary, 0)) == 0) {
		char pong[64];
		int n;

		phone_take(&phone->heard, bytes, len, clock_monotonic_us());
		if (phone->heard.ping_id < 0)
			continue;
		n = snprintf(pong, sizeof(pong), "{\"type\":\"pong\",\"event_id\":%lld}",
			     (long long)phone->heard.ping_id);
		phone->heard.ping_id = -1;
		if (ws_client_send(phone->client, pong, (size_t)n) != 0)
			phones_fail(phones, phone);
	}
	if (err && err != ETIMEDOUT)
		phones_fail(phones, phone);
}

static bool phones_sends(const struct phone *phone)
{
	return phone->client && !phone->has_failed && phone->heard.is_started;
}

/* Sends what is due and returns when something will be. */
static uint64_t phones_send_due(struct phones *phones, uint64_t until_us)
{
	uint64_t next_us = until_us;

	for (size_t i = 0; i < phones->count; ++i) {
		struct phone *phone = &phones->all[i];
		uint64_t now_us = clock_monotonic_us();

		if (phones_sends(phone) && phone->due_us <= now_us)
			phones_send(phones, phone, now_us);
		if (phones_sends(phone) && phone->due_us < next_us)
			next_us = phone->due_us;
	}
	return next_us;
}

void phones_run(struct phones *phones, uint64_t until_us, phones_over_h *is_over, void *arg)
{
	struct epoll_event events[64];

	while (clock_monotonic_us() < until_us && !(is_over && is_over(arg))) {
		uint64_t next_us = phones_send_due(phones, until_us);
		uint64_t now_us = clock_monotonic_us();
		uint64_t wait_ms = next_us > now_us ? (next_us - now_us + 999) / 1000 : 0;
		int n = epoll_wait(phones->epoll_fd, events, 64,
				   wait_ms < WAIT_MAX_MS ? (int)wait_ms : WAIT_MAX_MS);

		for (int i = 0; i < n; ++i) {
			if (events[i].data.ptr)
				phones_receive(phones, events[i].data.ptr);
			else
				answering_run(phones->answering);
		}
	}
}

/* Connections */

int phones_open(struct phones *phones, size_t count, struct answering *answering)
{
	static const int16_t silence[SPEECH_CHUNK];
	struct epoll_event event = {.events = EPOLLIN, .data.ptr = NULL};

	*phones = (struct phones){.all = calloc(count, sizeof(*phones->all)),
				  .count = count,
				  .epoll_fd = epoll_create1(EPOLL_CLOEXEC),
				  .answering = answering,
				  .silence = speeches_write_message(silence, SPEECH_CHUNK)};
	if (!phones->all || !phones->silence || phones->epoll_fd < 0)
		return ENOMEM;
	for (size_t i = 0; i < count; ++i)
		phones->all[i].index = i;
	return epoll_ctl(phones->epoll_fd, EPOLL_CTL_ADD, answering_fd(answering), &event) == 0
		       ? 0
		       : errno;
}

void phones_drop(struct phones *phones, size_t index)
{
	struct phone *phone = &phones->all[index];

	phone->client = mem_deref(phone->client);
	phone->speech = NULL;
}

void phones_close(struct phones *phones)
{
	for (size_t i = 0; phones->all && i < phones->count; ++i)
		phones_drop(phones, i);
	free(phones->all);
	free(phones->silence);
	if (phones->epoll_fd >= 0)
		close(phones->epoll_fd);
	*phones = (struct phones){.epoll_fd = -1};
}

static bool phones_is_started(void *arg)
{
	const struct phone *phone = arg;

	return phone->heard.is_started || phone->has_failed;
}

int phones_dial(struct phones *phones, size_t index, const struct target *target, const char *agent)
{
	static const char hello[] = "{\"type\":\"conversation_initiation_client_data\"}";
	struct phone *phone = &phones->all[index];
	struct epoll_event event = {.events = EPOLLIN, .data.ptr = phone};
	char path[256];
	int err;

	phones_drop(phones, index);
	*phone = (struct phone){.index = index};
	phone_init_heard(&phone->heard);
	snprintf(path, sizeof(path), "/v1/convai/conversation?agent_id=%s", agent);
	err = target_connect_to(&phone->client, target, path);
	if (!err)
		err = ws_client_send(phone->client, hello, strlen(hello));
	if (err)
		return err;
	epoll_ctl(phones->epoll_fd, EPOLL_CTL_ADD, ws_client_fd(phone->client), &event);
	phones_run(phones, clock_monotonic_us() + START_MAX_US, phones_is_started, phone);
	/* Chunks of different phones are not all due at the same time. */
	phone->due_us = clock_monotonic_us() + CHUNK_US;
	return phone->has_failed ? ENOTCONN : phone->heard.is_started ? 0 : ETIMEDOUT;
}
