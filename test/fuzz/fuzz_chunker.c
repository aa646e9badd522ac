/*
 * fuzz_chunker.c: any text, any options, any split, any pauses.
 *
 * The first eight bytes choose the options and seed the splits; the rest is text.  Checked: chunks
 * are never empty, never begin or end with white space, and are never longer than the buffer's
 * maximum; the result does not depend on how the text is split into calls, nor on how it is split
 * into messages that end in letters or digits; and everything that is spoken is in the output once
 * and in order, wherever messages end and whenever pauses and timeouts happen.
 */
#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "text/chunker.h"
#include "text/cost.h"
#include "text/tag.h"
#include "text/unicode.h"

#define HEAD 8
#define TEXT_MAX 16384

static const char *const languages[] = {"en", "de", "fr", "es", "el", "zh", "pl", ""};

struct input {
	struct chunker_options options;
	unsigned seed;
	char text[TEXT_MAX + 4];
	size_t len;
};

/* All chunks, each terminated with a NUL. */
struct output {
	char text[2 * TEXT_MAX + 64];
	size_t len;
};

static void read_input(struct input *input, const uint8_t *bytes, size_t len)
{
	input->options = (struct chunker_options){
		.schedule = {bytes[0] % 32u, bytes[1], bytes[2]},
		.schedule_len = 1 + bytes[3] % 3u,
		.auto_mode = bytes[4] & 1,
		.buffer_max = bytes[4] & 2 ? 1u + bytes[5] : TAG_MAX + 4u * bytes[5],
	};
	snprintf(input->options.language, sizeof(input->options.language), "%s",
		 languages[bytes[6] % 8]);
	input->seed = bytes[7];
	input->len = 0;
	for (size_t at = HEAD; at < len && input->len < TEXT_MAX;) {
		uint32_t c;

		at += utf8_decode(&c, (const char *)bytes + at, len - at);
		/* A tag longer than the buffer is text, so only the chunker can know what is
		 * spoken. */
		if (c == '<' && input->options.buffer_max < TAG_MAX)
			c = '{';
		input->len += utf8_encode(input->text + input->len, c);
	}
}

static void take(const struct input *input, struct chunker *chunker, struct output *output)
{
	struct chunk chunk;

	while (chunker_next(chunker, &chunk)) {
		assert(chunk.len > 0);
		assert(utf8_count(chunk.text, chunk.len) <= input->options.buffer_max);
		assert(output->len + chunk.len + 1 <= sizeof(output->text));
		memcpy(output->text + output->len, chunk.text, chunk.len);
		output->len += chunk.len;
		output->text[output->len++] = '\0';
	}
}

static size_t piece_len(struct input *input, size_t at, unsigned *seed, unsigned most)
{
	unsigned count = 1 + (unsigned)rand_r(seed) % most;
	size_t n = 0;

	while (count-- > 0 && at + n < input->len) {
		uint32_t c;

		n += utf8_decode(&c, input->text + at + n, input->len - at - n);
	}
	return n;
}

/* Whether the code point before a position is a letter or a digit. */
static bool ends_in_word(const struct input *input, size_t at)
{
	enum unicode_kind kind;
	uint32_t c;
	size_t n = 1;

	while (n < at && ((uint8_t)input->text[at - n] & 0xc0) == 0x80)
		++n;
	utf8_decode(&c, input->text + at - n, n);
	kind = unicode_kind(c);
	return unicode_is_letter(kind) || kind == UNICODE_DIGIT;
}

/* What may happen to a chunker after a piece. */
static void pass_time(struct chunker *chunker, unsigned dice)
{
	if (dice % 2 == 0)
		chunker_end_message(chunker);
	if (dice == 0)
		(void)chunker_timeout(chunker);
	if (dice < 3)
		chunker_pause(chunker);
	if (dice == 3)
		chunker_emit(chunker);
}

/* Runs the text through a chunker in pieces of at most `most` code points. */
static void run(struct input *input, struct output *output, unsigned most, bool with_time)
{
	struct chunker *chunker = NULL;
	unsigned seed = input->seed;
	size_t at = 0;

	output->len = 0;
	cost_steps = 0;
	assert(chunker_alloc(&chunker, &input->options) == 0);
	while (at < input->len) {
		size_t n = piece_len(input, at, &seed, most);
		unsigned dice = (unsigned)rand_r(&seed) % 8;

		assert(chunker_feed(chunker, input->text + at, n) == 0);
		at += n;
		if (with_time)
			pass_time(chunker, dice);
		else if (ends_in_word(input, at))
			chunker_end_message(chunker);
		if (!with_time || dice != 7)
			take(input, chunker, output);
	}
	chunker_flush(chunker);
	take(input, chunker, output);
	assert(chunker_buffered(chunker) == 0);
	/* The cost is linear: every code point and mark is looked at about twice, and a timeout may
	 * look once more at what it leaves. */
	assert(with_time || cost_steps <= 8 * input->len + 4096);
	mem_deref(chunker);
}

/* Copies only what is read aloud; returns the new length. */
static size_t keep_spoken(char *to, const char *text, size_t len)
{
	size_t kept = 0;

	for (size_t at = 0; at < len;) {
		struct tag tag;
		uint32_t c;
		size_t n = utf8_decode(&c, text + at, len - at);
		size_t tag_len = c == '<' ? tag_read(&tag, text + at, len - at) : 0;

		if (tag_len == 0 && unicode_is_spoken(unicode_kind(c))) {
			memcpy(to + kept, text + at, n);
			kept += n;
		}
		at += tag_len ? tag_len : n;
	}
	return kept;
}

static void check_nothing_is_lost(const struct input *input, const struct output *output)
{
	static char wanted[TEXT_MAX + 4];
	static char found[2 * TEXT_MAX];
	size_t wanted_len = keep_spoken(wanted, input->text, input->len);
	size_t found_len = 0;

	for (size_t at = 0; at < output->len;) {
		size_t len = strlen(output->text + at);

		found_len += keep_spoken(found + found_len, output->text + at, len);
		at += len + 1;
	}
	assert(found_len == wanted_len);
	assert(memcmp(found, wanted, wanted_len) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	static struct input input;
	static struct output whole, split, timed;

	if (len < HEAD)
		return 0;
	read_input(&input, bytes, len);
	if (memchr(input.text, '\0', input.len))
		return 0; /* src/wire replaces U+0000, and here it separates chunks */
	run(&input, &whole, TEXT_MAX, false);
	check_nothing_is_lost(&input, &whole);
	run(&input, &split, 1 + input.seed % 7, false);
	assert(split.len == whole.len && memcmp(split.text, whole.text, whole.len) == 0);
	run(&input, &timed, 1 + input.seed % 11, true);
	check_nothing_is_lost(&input, &timed);
	return 0;
}
