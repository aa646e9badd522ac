/*
 * fuzz_word_times.c: word times from any text, any phonemes and any events.
 *
 * Whatever an engine reports, words are in order, consist of whole characters and are inside the
 * samples, and no letter of the text is left out.
 *
 * The first byte is the number of spans.  Six bytes for each of them follow, then four for each
 * event; the text follows the last NUL.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "engine/given_ipa.h"
#include "engine/word_times.h"

#define SPANS_MAX 8
#define TEXT_MAX 4000

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

struct record {
	struct sink sink;
	const struct engine_text *text;
	size_t byte_end;
	uint64_t sample_end;
	size_t letters; /* in the words so far */
};

static void check(bool is_right)
{
	if (!is_right)
		abort();
}

static bool is_border(const struct engine_text *text, size_t at)
{
	return at == text->text_len || ((unsigned char)text->text[at] & 0xc0) != 0x80;
}

static size_t count_letters(const struct engine_text *text, size_t from, size_t to)
{
	size_t count = 0;

	while (from < to) {
		uint32_t c;

		from += utf8_decode(&c, text->text + from, to - from);
		count += words_is_letter(c);
	}
	return count;
}

static int record_word(struct sink *sink, size_t byte_start, size_t byte_end, uint64_t sample_start,
		       uint64_t sample_end)
{
	struct record *record = (struct record *)(void *)sink;

	check(byte_start >= record->byte_end && byte_start < byte_end);
	check(byte_end <= record->text->text_len);
	check(is_border(record->text, byte_start) && is_border(record->text, byte_end));
	check(sample_start >= record->sample_end && sample_start <= sample_end);
	record->byte_end = byte_end;
	record->sample_end = sample_end;
	record->letters += count_letters(record->text, byte_start, byte_end);
	return 0;
}

/* Reads spans as the protocol requires them: in order, of whole characters. */
static size_t read_spans(struct engine_phonemes *spans, const struct engine_text *text,
			 const uint8_t *bytes, size_t count)
{
	size_t used = 0;
	size_t at = 0;

	for (size_t i = 0; i < count; ++i) {
		size_t start = at + (bytes[6 * i] | (unsigned)bytes[6 * i + 1] << 8) % 64u;
		size_t end = start + 1 + bytes[6 * i + 2] % 32u;

		while (start < text->text_len && !is_border(text, start))
			++start;
		while (end < text->text_len && !is_border(text, end))
			++end;
		if (end > text->text_len || start >= end)
			break;
		spans[used++] = (struct engine_phonemes){(uint32_t)start, (uint32_t)end,
							 text->text + start};
		at = end;
	}
	return used;
}

static void run_events(const struct engine_text *text, const uint8_t *bytes, size_t count)
{
	struct record record = {.sink = {.word = record_word}, .text = text};
	struct word_times times;
	uint64_t sample = 0;

	word_times_init(&times, text, &record.sink);
	for (size_t i = 0; i < count; ++i) {
		const uint8_t *event = bytes + 4 * i;
		size_t byte = event[0] | (size_t)event[1] << 8;

		while (byte < text->text_len && !is_border(text, byte))
			++byte;
		sample += event[2];
		if (event[3] % 4 == 0)
			word_times_hear(&times, sample);
		else if (event[3] % 4 == 1)
			check(word_times_end(&times, byte, sample) == 0);
		else
			check(word_times_begin(&times, byte, sample) == 0);
	}
	check(word_times_end(&times, text->text_len, sample) == 0);
	check(record.sample_end <= sample);
	check(record.letters == count_letters(text, 0, text->text_len));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	struct engine_phonemes spans[SPANS_MAX];
	struct utf8_state utf8 = {0};
	size_t span_count = len > 0 ? bytes[0] % SPANS_MAX : 0;
	size_t head = 1 + 6 * span_count;
	const uint8_t *nul = len > head ? memchr(bytes + head, 0, len - head) : NULL;
	struct engine_text text = {0};
	char copy[TEXT_MAX + 1];

	for (const uint8_t *next = nul; next;
	     next = memchr(next + 1, 0, len - (size_t)(next + 1 - bytes)))
		nul = next;
	if (!nul)
		return 0;
	text.text_len = len - (size_t)(nul + 1 - bytes);
	if (text.text_len > TEXT_MAX || !utf8_check(&utf8, (const char *)nul + 1, text.text_len) ||
	    !utf8_is_complete(&utf8))
		return 0;
	memcpy(copy, nul + 1, text.text_len);
	copy[text.text_len] = '\0';
	text.text = copy;
	text.phonemes_count = read_spans(spans, &text, bytes + 1, span_count);
	text.phonemes = spans;
	for (size_t i = 0; i < text.phonemes_count; ++i) {
		struct given_ipa ipa;

		given_ipa_read(&ipa, &text, i, i % 2 == 0);
		check(ipa.byte_end <= text.text_len && strlen(ipa.signs) < sizeof(ipa.signs));
	}
	run_events(&text, bytes + head, ((size_t)(nul - bytes) - head) / 4);
	return 0;
}
