/*
 * normalize.c: POST /v1/normalize: what would be said, for people to look at.
 *
 * On the loop: the longest text takes a millisecond or two.
 */
#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "server/server_private.h"
#include "text/prosody.h"
#include "text/reader.h"
#include "wire/json_write.h"
#include "wire/normalize_message.h"

#define MS_DECIMALS 3

/* A hundred bytes for each character, and all of them escaped. */
#define SAID_MAX (100u * NORMALIZE_MESSAGE_TEXT_MAX)
#define ANSWER_MAX (6u * SAID_MAX + 1024)

static int join(struct buf *said, const struct spoken *spoken)
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

static int read_aloud(struct buf *said, const struct normalize_message *message)
{
	struct reader reader = {.language = language_find(message->language), .normalizes = true};
	struct spoken *spoken;
	int err = reader_read(&spoken, &reader, message->text, strlen(message->text));

	if (err)
		return err;
	err = join(said, spoken);
	mem_deref(spoken);
	return err;
}

static int write_answer(struct buf *out, const struct buf *said, const char *language, uint64_t us)
{
	struct json_write json;

	json_write_open(&json, out);
	json_write_string(&json, "text", said->len > 0 ? said->bytes : "", said->len);
	json_write_string(&json, "language", language, strlen(language));
	json_write_double(&json, "time_ms", (double)us / 1000, MS_DECIMALS);
	return json_write_close(&json);
}

void normalize_text(const struct route_call *call)
{
	struct normalize_message message;
	struct stream_fault fault;
	const char *markup_fault;
	uint64_t start = clock_monotonic_us();
	struct buf said;
	struct buf answer;
	int err;

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
	buf_init(&said, SAID_MAX);
	buf_init(&answer, ANSWER_MAX);
	err = read_aloud(&said, &message);
	if (!err)
		err = write_answer(&answer, &said, message.language, clock_monotonic_us() - start);
	if (err)
		answer_error(call, WIRE_ERROR_INTERNAL, NULL);
	else
		answer_json(call, 200, answer.bytes, answer.len);
	buf_reset(&answer);
	buf_reset(&said);
}
