/*
 * script_kokoro.c: phonemes as Kokoro's models write them.
 *
 * They were trained on an alphabet that has one sign for a diphthong and for an
 * affricate, and in English a few spellings of its own.  The rows say what
 * becomes of what eSpeak NG writes.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/utf8.h"
#include "engine/vits/script_private.h"

/* Whose pronunciation a row is for. */
enum {
	AMERICAN = 1,
	BRITISH = 2,
	ENGLISH = AMERICAN | BRITISH,
	OTHERS = 4,
	ALL = ENGLISH | OTHERS,
	LAST = 8, /* only at a word's end */
};

struct row {
	const char *from;
	const char *to;
	unsigned who;
};

/* Longer ones before their beginnings: the first that fits is taken. */
static const struct row rows[] = {
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
	{"o", "ɔ", ENGLISH}, /* before an r, where it is no diphthong */
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
	{"\xcc\x83", "", ENGLISH}, /* nasal, of French words */
	{"\xcc\xa9", "", ALL}, /* syllabic */
};

/* eSpeak NG's "en" is the British one. */
static unsigned who_speaks(const char *espeak_voice)
{
	const char *region = strrchr(espeak_voice, '/');

	region = region ? region + 1 : espeak_voice;
	if (strncasecmp(region, "en", 2) != 0 || (region[2] != '\0' && region[2] != '-'))
		return OTHERS;
	return strncasecmp(region, "en-us", 5) == 0 ? AMERICAN : BRITISH;
}

/* How many phonemes from a place on are a row's; 0: other ones. */
static size_t match(const struct script_phonemes *list, size_t at, const char *from)
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

static bool is_word_end(const struct script_phonemes *list, size_t at)
{
	return at >= list->count || list->items[at].code_point == ' ';
}

static const struct row *find_row(const struct script_phonemes *list, size_t at, unsigned who,
				  size_t *count)
{
	for (size_t i = 0; i < COUNT(rows); ++i) {
		if (!(rows[i].who & who))
			continue;
		*count = match(list, at, rows[i].from);
		if (*count > 0 && (!(rows[i].who & LAST) || is_word_end(list, at + *count)))
			return &rows[i];
	}
	return NULL;
}

static int add_string(struct script_phonemes *list, const char *string, uint32_t word)
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
	unsigned who = who_speaks(espeak_voice);
	struct script_phonemes rewritten = {0};
	size_t at = 0;
	int err = 0;

	while (at < list->count && !err) {
		uint32_t word = list->items[at].word;
		size_t count = 1;
		const struct row *row = find_row(list, at, who, &count);

		if (row)
			err = add_string(&rewritten, row->to, word);
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
