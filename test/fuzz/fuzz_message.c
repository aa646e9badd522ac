/*
 * fuzz_message.c: worker messages from any bytes.
 *
 * A message that can be decoded can be encoded, and decoding and encoding that again gives the same
 * bytes: there is one encoding per message, whatever was skipped when it was decoded first.  A
 * SPEAK can always be replayed, with the same payload.  All words of a WORDS can be read, and each is
 * a part of its text.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "workers/message.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static void encode(struct buf *out, const struct message *message)
{
	buf_init(out, MESSAGE_PAYLOAD_MAX + MESSAGE_HEADER_LEN);
	if (message_encode(out, message))
		abort();
}

static void check_round_trip(const struct message *message)
{
	struct message again;
	struct buf first;
	struct buf second;
	size_t used = 0;

	encode(&first, message);
	if (message_decode(&again, &used, first.bytes, first.len) || used != first.len)
		abort();
	encode(&second, &again);
	if (first.len != second.len || memcmp(first.bytes, second.bytes, first.len) != 0)
		abort();
	buf_reset(&first);
	buf_reset(&second);
}

static void check_replay(struct message speak)
{
	struct buf spoken;
	struct buf replayed;

	encode(&spoken, &speak);
	speak.type = MESSAGE_REPLAY;
	encode(&replayed, &speak);
	if (spoken.len != replayed.len ||
	    memcmp(spoken.bytes + MESSAGE_HEADER_LEN, replayed.bytes + MESSAGE_HEADER_LEN,
		   spoken.len - MESSAGE_HEADER_LEN) != 0)
		abort();
	buf_reset(&spoken);
	buf_reset(&replayed);
}

static void check_words(struct message_words words)
{
	struct message_heard heard;
	uint16_t count = words.words.count;
	uint16_t taken = 0;

	for (; message_heard_take(&heard, &words.words); ++taken) {
		if (heard.word.byte_start >= heard.word.byte_end ||
		    heard.word.byte_end > words.text.len ||
		    heard.word.sample_end > MESSAGE_SAMPLE_MAX)
			abort();
	}
	if (taken != count || words.words.len != 0)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	struct message message;
	size_t used;

	while (message_decode(&message, &used, bytes, len) == 0) {
		if (used < MESSAGE_HEADER_LEN || used > len)
			abort();
		check_round_trip(&message);
		if (message.type == MESSAGE_SPEAK)
			check_replay(message);
		if (message.type == MESSAGE_WORDS)
			check_words(message.words);
		bytes += used;
		len -= used;
	}
	return 0;
}
