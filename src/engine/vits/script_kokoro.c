/*
 * script_kokoro.c: converts phonemes to the alphabet of Kokoro's models.
 *
 * Their alphabet has single signs for diphthongs and affricates, and a few peculiarities for
 * English. The rows define the conversion from eSpeak NG's signs.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/utf8.h"
#include "engine/vits/script_private.h"

/* The dialects that a row applies to. */
enum {
	AMERICAN = 1,
	BRITISH = 2,
	ENGLISH = AMERICAN | BRITISH,
	OTHERS = 4,
	ALL = ENGLISH | OTHERS,
	LAST = 8, /* only at the end of a word */
};

struct script_kokoro_row {
	const char *from;
	const char *to;
	unsigned who;
};

/* Longer sequences precede their prefixes: the first that matches is used. */
static const struct script_kokoro_row script_kokoro_rows[] = {
	{"ʔˌn̩", "tn", ENGLISH},
	{"ʔn̩", "tn", ENGLISH},
	{"ʔn", "tn", ENGLISH},
	{"ʔ", "t", ENGLISH},
	{"aɪ", "I", ALL},
	{"aʊ", "W", ALL},
	{"eɪ", "A", ALL},
	{"ɔɪ", "Y", ALL},
	{"oʊ", "O", AMERICAN | OTHERS},
	{"əʊ", "Q", BRITISH | OTHERS},
	{"dʒ", "ʤ", ALL},
	{"tʃ", "ʧ", ALL},
	{"dz", "ʣ", OTHERS},
	{"ts", "ʦ", OTHERS},
	{"tɕ", "ʨ", OTHERS},
	{"dʑ", "ʥ", OTHERS},
	{"eə", "ɛː", BRITISH},
	{"iə", "ɪə", BRITISH},
	{"əl", "ᵊl", ENGLISH | LAST},
	{"ɜːɹ", "ɜɹ", AMERICAN},
	{"ɜː", "ɜɹ", AMERICAN},
	{"ɪə", "iə", AMERICAN},
	{"n̩", "ᵊn", ENGLISH},
	{"m̩", "ᵊm", ENGLISH},
	{"l̩", "ᵊl", ENGLISH},
	{"ʲo", "jo", ENGLISH},
	{"ʲə", "jə", ENGLISH},
	{"ʲ", "", ENGLISH},
	{"e", "A", ENGLISH},
	{"o", "ɔ", ENGLISH}, /* before an r, where it is not a diphthong */
	{"ɾ", "T", AMERICAN},
	{"ɚ", "əɹ", ENGLISH},
	{"ɝ", "ɜɹ", ENGLISH},
	{"r", "ɹ", ENGLISH},
	{"x", "k", ENGLISH},
	{"ç", "k", ENGLISH},
	{"ɐ", "ə", ENGLISH},
	{"ɬ", "l", ENGLISH},
	{"g", "ɡ", ALL},
	{"ː", "", AMERICAN},
	{"\xcc\x83", "", ENGLISH}, /* nasal, in French words */
	{"\xcc\xa9", "", ALL}, /* syllabic */
};

/* eSpeak NG's "en" is British. */
static unsigned script_kokoro_dialect(const char *espeak_voice)
{
	const char *region = strrchr(espeak_voice, '/');

	region = region ? region + 1 : espeak_voice;
	if (strncasecmp(region, "en", 2) != 0 || (region[2] != '\0' && region[2] != '-'))
		return OTHERS;
	return strncasecmp(region, "en-us", 5) == 0 ? AMERICAN : BRITISH;
}

/* The number of phonemes at a position that match a row; 0 when they do not. */
static size_t script_kokoro_match(const struct script_phonemes *list, size_t at, const char *from)
{
	size_t left = strlen(from);
	size_t count = 0;

	while (left > 0) {
		uint32_t c;
		size_t len = utf8_decode(&c, from, left);

		if (at + count >= list->count || list->items[at + count].code_point != c)
			return 0;
		from += len;
		left -= len;
		++count;
	}
	return count;
}

static bool script_kokoro_is_word_end(const struct script_phonemes *list, size_t at)
{
	return at >= list->count || list->items[at].code_point == ' ';
}

static const struct script_kokoro_row *
script_kokoro_find_row(const struct script_phonemes *list, size_t at, unsigned who, size_t *count)
{
	for (size_t i = 0; i < COUNT(script_kokoro_rows); ++i) {
		if (!(script_kokoro_rows[i].who & who))
			continue;
		*count = script_kokoro_match(list, at, script_kokoro_rows[i].from);
		if (*count > 0 && (!(script_kokoro_rows[i].who & LAST) ||
				   script_kokoro_is_word_end(list, at + *count)))
			return &script_kokoro_rows[i];
	}
	return NULL;
}

static int script_kokoro_add_string(struct script_phonemes *list, const char *string, uint32_t word)
{
	size_t left = strlen(string);
	int err = 0;

	while (!err && left > 0) {
		uint32_t c;
		size_t len = utf8_decode(&c, string, left);

		string += len;
		left -= len;
		err = script_phonemes_add(list, c, word);
	}
	return err;
}

int script_kokoro_rewrite(struct script_phonemes *list, const char *espeak_voice)
{
	unsigned who = script_kokoro_dialect(espeak_voice);
	struct script_phonemes rewritten = {0};
	size_t at = 0;
	int err = 0;

	while (at < list->count && !err) {
		uint32_t word = list->items[at].word;
		size_t count = 1;
		const struct script_kokoro_row *row = script_kokoro_find_row(list, at, who, &count);

		if (row)
			err = script_kokoro_add_string(&rewritten, row->to, word);
		else
			err = script_phonemes_add(&rewritten, list->items[at].code_point, word);
		at += row ? count : 1;
	}
	if (err) {
		free(rewritten.items);
		return err;
	}
	free(list->items);
	*list = rewritten;
	return 0;
}
