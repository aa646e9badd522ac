/*
 * normalize_rest.c: POST /v1/normalize: shows how a text would be spoken.
 *
 * Runs on the loop's thread: the longest text takes a millisecond or two.
 */
#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "server/resource.h"
#include "text/prosody.h"
#include "text/reader.h"
#include "wire/normalize_message.h"

#define MS_DECIMALS 3

/* Space for a hundred bytes per character. */
#define SAID_MAX (100u * NORMALIZE_MESSAGE_TEXT_MAX)

static int normalize_rest_join(struct buf *said, const struct spoken *spoken)
{
	int err = 0;

	for (size_t i = 0; !err && i < spoken->parts_len; ++i) {
		const struct spoken_part *part = &spoken->parts[i];

		if (part->len == 0)
			continue;
		if (said->len > 0)
			err = buf_append(said, " ", 1);
		if (!err)
			err = buf_append(said, part->text, part->len);
	}
	return err;
}

static int normalize_rest_read_aloud(struct buf *said, const struct normalize_message *message)
{
	struct reader reader = {.language = language_find(message->language), .normalizes = true};
	struct spoken *spoken;
	int err = reader_read(&spoken, &reader, message->text, strlen(message->text));

	if (err)
		return err;
	err = normalize_rest_join(said, spoken);
	mem_deref(spoken);
	return err;
}

struct normalized {
	struct buf text;
	const char *language;
	uint64_t start_us;
};

static void normalize_rest_write(struct json_write *json, const struct route_call *call,
				 const void *arg)
{
	const struct normalized *said = arg;

	(void)call;
	json_write_string(json, "text", said->text.len > 0 ? said->text.bytes : "", said->text.len);
	json_write_text(json, "language", said->language);
	json_write_double(json, "time_ms", (double)(clock_monotonic_us() - said->start_us) / 1000,
			  MS_DECIMALS);
}

void normalize_rest_text(const struct route_call *call)
{
	struct normalize_message message;
	struct normalized said = {.language = message.language, .start_us = clock_monotonic_us()};
	struct stream_fault fault;
	const char *markup_fault;

	if (normalize_message_parse(&message, &fault, call->request->body,
				    call->request->body_len) != 0) {
		answer_error(call, fault.id, fault.detail);
		return;
	}
	markup_fault = prosody_check(message.text, strlen(message.text));
	if (markup_fault) {
		answer_error(call, WIRE_ERROR_INVALID_REQUEST, markup_fault);
		return;
	}
	buf_init(&said.text, SAID_MAX);
	if (normalize_rest_read_aloud(&said.text, &message) == 0)
		resource_answer(call, 200, normalize_rest_write, &said);
	else
		answer_error(call, WIRE_ERROR_INTERNAL, NULL);
	buf_reset(&said.text);
}
