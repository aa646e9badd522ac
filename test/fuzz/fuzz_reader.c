/*
 * fuzz_reader.c: any text with any tags, with and without dictionaries.
 *
 * The first byte chooses the language, the second what the reader does; the rest is text
 * (spoken_check.h).  Checked in addition to spoken_check.h: the length of the output is bounded by
 * that of the input, the same text is always read in the same way, and a reader that has nothing to
 * do does not change the text.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/mem.h"
#include "spoken_check.h"
#include "text/markup.h"
#include "text/reader.h"

#define HEAD 2
#define INPUT_MAX 4096

/* The longest text that one character is replaced by: the word for a sign or a digit, or a whole
 * replacement of a dictionary. */
#define GROWTH_FACTOR 64
#define GROWTH_EXTRA 4096

enum { NORMALIZES = 1, READS_PHONEMES = 2, HAS_LEXICON = 4, HAS_RATE = 8, HAS_MARKUP = 16 };

static const char *const languages[] = {"en", "de", "fr", "es", "it", "nl",
					"pl", "pt", "ru", "zh", "tr"};

static const struct lexicon *get_lexicon(void)
{
	static const struct dictionary_entry entries[] = {
		{"a", "b", NULL, false},
		{"Dr.", "doctor", "\u02c8d\u0252kt\u0259", true},
		{"5", "five <b> & 3", NULL, false},
		{"New York", "N Y", "nju", false},
		{"&", "and", NULL, false},
		{"x", "", NULL, false},
		{"\u00e9", "e", "e", false},
	};
	static struct lexicon *lexicon;
	struct dictionary *dictionary;

	if (!lexicon) {
		assert(dictionary_alloc(&dictionary, entries, COUNT(entries)) == 0);
		assert(lexicon_alloc(&lexicon, &dictionary, 1) == 0);
		mem_deref(dictionary);
	}
	return lexicon;
}

static void check_same(const struct spoken *a, const struct spoken *b)
{
	assert(a->parts_len == b->parts_len);
	for (size_t i = 0; i < a->parts_len; ++i) {
		assert(strcmp(a->parts[i].text, b->parts[i].text) == 0);
		assert(a->parts[i].pause_ms == b->parts[i].pause_ms);
		assert(a->parts[i].pieces_len == b->parts[i].pieces_len);
	}
}

/* No tags, no dictionary, no normalization, no pronunciation: nothing to do. */
static void check_untouched(const struct spoken *spoken, const struct reader *reader,
			    const char *text, size_t len)
{
	if (reader->normalizes || reader->lexicon || spoken->parts_len == 0)
		return;
	for (size_t i = 0; i < len; ++i) {
		unsigned char b = (unsigned char)text[i];

		if (b < 0x20 || b == 0x7f || b == 0xc2 || strchr("<>/[]", text[i]))
			return;
	}
	assert(spoken->parts_len == 1 && spoken->parts[0].len == len);
	assert(memcmp(spoken->parts[0].text, text, len) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	struct reader reader = {0};
	struct reader again;
	struct spoken *spoken = NULL;
	struct spoken *other = NULL;
	char *text;
	size_t text_len;

	if (len < HEAD || len > INPUT_MAX)
		return 0;
	reader.language = language_find(languages[bytes[0] % COUNT(languages)]);
	reader.normalizes = bytes[1] & NORMALIZES;
	reader.reads_phonemes = bytes[1] & READS_PHONEMES;
	reader.lexicon = bytes[1] & HAS_LEXICON ? get_lexicon() : NULL;
	reader.rate = bytes[1] & HAS_RATE ? 0.8 : 0;
	reader.markup = bytes[1] & HAS_MARKUP ? MARKUP_LONG_BREAKS | MARKUP_AUDIO_TAGS : 0;
	again = reader;
	text = malloc((len - HEAD) * SPOKEN_CHECK_FRAGMENT_MAX + 32);
	assert(text);
	text_len = spoken_check_text(text, bytes + HEAD, len - HEAD);
	text = realloc(text, text_len ? text_len : 1); /* so that a read past the end is detected */
	assert(reader_read(&spoken, &reader, text, text_len) == 0);
	assert(spoken_check(spoken, text, text_len) <= GROWTH_FACTOR * text_len + GROWTH_EXTRA);
	check_untouched(spoken, &reader, text, text_len);
	assert(reader_read(&other, &again, text, text_len) == 0);
	check_same(spoken, other);
	mem_deref(spoken);
	mem_deref(other);
	free(text);
	return 0;
}
