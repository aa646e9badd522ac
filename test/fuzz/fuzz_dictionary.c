/*
 * fuzz_dictionary.c: any entries, any text.
 *
 * If the first byte is below 0x80, the rest is mapped to the alphabet of the simplest possible
 * search (dictionary_model.h), which must find the same hits.  Otherwise the bytes are used as they
 * are, valid or not: hits are in order and inside the text, the cost is linear, and each word is
 * found in itself.
 *
 * The second byte is the number of entries in each of two dictionaries.  An entry is a byte with
 * its length and whether case matters, and then its word.  The rest of the input is the text.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/text/dictionary_model.h"
#include "../unit/text/lexicon_find.h"
#include "base/mem.h"
#include "text/cost.h"

#define ENTRIES_MAX 8
#define WORD_MAX 16
#define TEXT_MAX 200

struct input {
	struct dictionary_entry entries[2][ENTRIES_MAX];
	char words[2][ENTRIES_MAX][WORD_MAX * 8 + 1];
	size_t counts[2];
	char text[TEXT_MAX * 8 + 1];
	size_t text_len;
};

static size_t copy_raw(char *out, const uint8_t *bytes, size_t n)
{
	for (size_t i = 0; i < n; ++i)
		out[i] = bytes[i] ? (char)bytes[i] : ' ';
	out[n] = '\0';
	return n;
}

static void read_input(struct input *input, const uint8_t *bytes, size_t len)
{
	size_t (*spell)(char *, const uint8_t *, size_t) =
		bytes[0] < 0x80 ? dictionary_model_spell : copy_raw;
	size_t at = 2;

	for (size_t d = 0; d < 2; ++d) {
		input->counts[d] = (d ? bytes[1] >> 4 : bytes[1]) % (ENTRIES_MAX + 1);
		for (size_t i = 0; i < input->counts[d]; ++i) {
			uint8_t head = at < len ? bytes[at++] : 0;
			size_t n = head % (WORD_MAX + 1);

			n = n < len - at ? n : len - at;
			spell(input->words[d][i], bytes + at, n);
			at += n;
			input->entries[d][i] = (struct dictionary_entry){
				input->words[d][i], input->words[d][i], NULL, head & 0x80};
		}
	}
	len = len - at < TEXT_MAX ? len : at + TEXT_MAX;
	input->text_len = spell(input->text, bytes + at, len - at);
}

static struct lexicon *make_lexicon(const struct input *input)
{
	struct dictionary *dictionaries[2];
	struct lexicon *lexicon = NULL;

	for (size_t d = 0; d < 2; ++d)
		assert(dictionary_alloc(&dictionaries[d], input->entries[d], input->counts[d]) ==
		       0);
	assert(lexicon_alloc(&lexicon, dictionaries, 2) == 0);
	mem_deref(dictionaries[0]);
	mem_deref(dictionaries[1]);
	return lexicon;
}

static void compare_with_model(const struct input *input, struct lexicon_search *search)
{
	struct dictionary_model models[2] = {{input->entries[0], input->counts[0]},
					     {input->entries[1], input->counts[1]}};
	size_t from = 0;
	bool is_found = true;

	while (is_found) {
		struct lexicon_hit wanted, found;

		is_found = lexicon_next(search, &found, from);
		assert(dictionary_model_find(&wanted, models, 2, input->text, from) == is_found);
		if (!is_found)
			break;
		assert(found.begin == wanted.begin && found.end == wanted.end);
		assert(strcmp(found.replacement, wanted.replacement) == 0);
		/* after it, or in the middle of it */
		from = found.end % 2 ? found.end : found.begin + 1;
	}
}

static void check_hits(const struct input *input, struct lexicon_search *search)
{
	struct lexicon_hit hit;
	size_t at = 0;

	/* For each character: the character, and what it is and a few steps in each of four
	 * dictionaries. */
	assert(cost_steps <= 64 * input->text_len + 64);
	while (lexicon_next(search, &hit, at)) {
		assert(hit.begin >= at && hit.end > hit.begin && hit.end <= input->text_len);
		at = hit.end;
	}
}

static bool is_visible(char c)
{
	return c > ' ' && c < 0x7f;
}

/* Checks a word whose first and last characters are visible ASCII. */
static void check_word_finds_itself(const struct lexicon *lexicon, const char *word)
{
	size_t len = strlen(word);
	struct lexicon_hit hit;

	if (len == 0 || !is_visible(word[0]) || !is_visible(word[len - 1]))
		return;
	assert(lexicon_find(lexicon, &hit, word, len, 0));
	assert(hit.begin == 0 && hit.end == len);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	static struct input input;
	struct lexicon_search *search = NULL;
	struct lexicon *lexicon;
	char *text;

	if (len < 2)
		return 0;
	read_input(&input, bytes, len);
	lexicon = make_lexicon(&input);
	text = malloc(input.text_len + 1);
	assert(text);
	memcpy(text, input.text, input.text_len);
	/* The exact size, so that a read past the end is detected. */
	text = realloc(text, input.text_len ? input.text_len : 1);
	cost_steps = 0;
	assert(lexicon_search(&search, lexicon, text, input.text_len) == 0);
	if (bytes[0] < 0x80)
		compare_with_model(&input, search);
	else
		check_hits(&input, search);
	for (size_t d = 0; d < 2; ++d)
		for (size_t i = 0; i < input.counts[d]; ++i)
			check_word_finds_itself(lexicon, input.words[d][i]);
	mem_deref(search);
	mem_deref(lexicon);
	free(text);
	return 0;
}
