/*
 * fuzz_normalize.c: any text in any language, numbers and signs into words.
 *
 * The first byte chooses the language, the rest is text (spoken_check.h) without tags, so that
 * every fault is one of the normalizer.  Checked in addition to spoken_check.h: the length of the
 * output is bounded by that of the input, no digit is left in it, words of letters only are not
 * changed, and nothing after the end of the text is read.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/mem.h"
#include "spoken_check.h"
#include "text/reader.h"

#define INPUT_MAX 4096
#define GROWTH_FACTOR 64
#define GROWTH_EXTRA 256

static const char *const languages[] = {"en", "de", "fr", "es", "it", "nl", "pl", "pt"};

static void check_no_figures(const struct spoken *spoken)
{
	for (size_t i = 0; i < spoken->parts_len; ++i)
		assert(!strpbrk(spoken->parts[i].text, "0123456789"));
}

static struct spoken *read_text(const char *text, size_t len, const char *language)
{
	struct reader reader = {.language = language_find(language), .normalizes = true};
	struct spoken *spoken = NULL;
	size_t total;

	assert(reader_read(&spoken, &reader, text, len) == 0);
	total = spoken_check(spoken, text, len);
	assert(total <= GROWTH_FACTOR * len + GROWTH_EXTRA);
	check_no_figures(spoken);
	return spoken;
}

/* A line that needs no normalization is not changed, whatever the other lines contain. */
static void check_words_stay(const char *text, size_t len, const char *language)
{
	static const char words[] = "\n\nplain words here\n\n";
	char *more = malloc(len + sizeof(words));
	struct spoken *spoken;
	bool is_there = false;

	assert(more);
	memcpy(more, text, len);
	memcpy(more + len, words, sizeof(words));
	spoken = read_text(more, len + sizeof(words) - 1, language);
	for (size_t i = 0; i < spoken->parts_len; ++i)
		is_there |= strstr(spoken->parts[i].text, "plain words here") != NULL;
	assert(is_there);
	mem_deref(spoken);
	free(more);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	const char *language;
	char *text;
	size_t text_len;

	if (len < 1 || len > INPUT_MAX)
		return 0;
	language = languages[bytes[0] % COUNT(languages)];
	text = malloc(len * SPOKEN_CHECK_FRAGMENT_MAX + 32);
	assert(text);
	text_len = spoken_check_text(text, bytes + 1, len - 1);
	for (size_t i = 0; i < text_len; ++i) {
		if (text[i] == '<')
			text[i] = '{';
	}
	text = realloc(text, text_len ? text_len : 1);
	mem_deref(read_text(text, text_len, language));
	check_words_stay(text, text_len, language);
	free(text);
	return 0;
}
