/*
 * script_given.c: phonemes that came with the text, as far as a model has symbols for them.
 *
 * Models have symbols for the sounds of their language and a few more. Other sounds are
 * replaced by the most similar one, in up to three steps: ʀ → ʁ → r → ɹ.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/utf8.h"
#include "engine/given_ipa.h"
#include "engine/vits/script_private.h"

#define STEPS_MAX 3

static const struct {
	uint16_t from, to;
} script_given_nearest[] = {
	{'c', 'k'},     {'e', 0x25b},   {'o', 0x254},    {'q', 'k'},     {'r', 0x279},
	{'x', 'h'},     {'y', 'i'},     {0xe6, 0x25b},   {0xe7, 0x283},  {0xf0, 'z'},
	{0xf8, 0x153},  {0x127, 'h'},   {0x14b, 'n'},    {0x153, 0x25b}, {0x250, 0x259},
	{0x251, 'a'},   {0x252, 0x254}, {0x253, 'b'},    {0x254, 'o'},   {0x255, 0x283},
	{0x256, 'd'},   {0x257, 'd'},   {0x258, 0x259},  {0x259, 0x250}, {0x25a, 0x259},
	{0x25b, 'e'},   {0x25c, 0x259}, {0x25d, 0x25c},  {0x25e, 0x25c}, {0x25f, 'd'},
	{0x260, 0x261}, {0x261, 'g'},   {0x262, 0x261},  {0x263, 0x261}, {0x264, 0x259},
	{0x265, 'j'},   {0x266, 'h'},   {0x268, 0x26a},  {0x26a, 'i'},   {0x26b, 'l'},
	{0x26c, 'l'},   {0x26d, 'l'},   {0x26e, 'l'},    {0x26f, 'u'},   {0x270, 'w'},
	{0x271, 'm'},   {0x272, 'n'},   {0x273, 'n'},    {0x274, 0x14b}, {0x275, 0x259},
	{0x276, 0x153}, {0x278, 'f'},   {0x279, 'r'},    {0x27a, 0x27e}, {0x27b, 0x279},
	{0x27d, 0x27e}, {0x27e, 'r'},   {0x280, 0x281},  {0x281, 'r'},   {0x282, 0x283},
	{0x283, 's'},   {0x288, 't'},   {0x289, 'u'},    {0x28a, 'u'},   {0x28b, 'v'},
	{0x28c, 0x250}, {0x28d, 'w'},   {0x28e, 'l'},    {0x28f, 'y'},   {0x290, 0x292},
	{0x291, 0x292}, {0x292, 'z'},   {0x29d, 'j'},    {0x29f, 'l'},   {0x3b2, 'v'},
	{0x3b8, 's'},   {0x3c7, 'x'},   {0x1d7b, 0x26a},
};

static uint32_t script_given_nearest_of(uint32_t c)
{
	for (size_t i = 0; i < COUNT(script_given_nearest); ++i) {
		if (script_given_nearest[i].from == c)
			return script_given_nearest[i].to;
	}
	return 0;
}

/* Marks that modify the sound of another sign. */
static bool script_given_is_mark(uint32_t c)
{
	return (c >= 0x2b0 && c <= 0x36f) || (c >= 0x1d2c && c <= 0x1d6a);
}

/* The model's sign for a sound, 0 when there is none. Kokoro's alphabet is different;
 * everything is converted to it later. */
static uint32_t script_given_known_of(const struct model_file *file, uint32_t c)
{
	for (unsigned i = 0; i <= STEPS_MAX && c != 0; ++i) {
		if (file->family == MODEL_KOKORO || model_file_id(file, c) >= 0)
			return c;
		if (c == 0xe7 && model_file_id(file, 'c') >= 0 && model_file_id(file, 0x327) >= 0)
			return c; /* script.c writes it as two */
		c = script_given_nearest_of(c);
	}
	return 0;
}

/* Appends the phonemes of an IPA that the model has, all with one word. ENOENT, with nothing
 * appended, when there are too few. */
static int script_given_add_signs(struct script_phonemes *list, const struct model_file *file,
				  const char *signs, uint32_t word)
{
	size_t before = list->count;
	size_t left = strlen(signs);
	unsigned known = 0;
	unsigned lost = 0;
	int err = 0;

	while (left > 0 && !err) {
		uint32_t c;
		size_t n = utf8_decode(&c, signs, left);
		uint32_t known_c = c == ' ' ? c : script_given_known_of(file, c);

		signs += n;
		left -= n;
		if (known_c)
			err = script_phonemes_add(list, known_c, word);
		if (c == ' ' || script_given_is_mark(c))
			continue;
		known += known_c != 0;
		lost += known_c == 0;
	}
	if (!err && (known == 0 || 4 * lost > known))
		err = ENOENT;
	if (err)
		list->count = before;
	return err;
}

void script_given_init(struct script_given *given, const struct engine_text *text,
		       const struct model_file *file, const char *espeak_voice)
{
	*given = (struct script_given){
		.text = text,
		.file = file,
		.is_english = strncmp(espeak_voice, "en", 2) == 0,
	};
}

bool script_given_at(const struct script_given *given, size_t i, size_t *start, size_t *end)
{
	struct given_ipa ipa;

	if (!given || i >= given->text->phonemes_count)
		return false;
	given_ipa_read(&ipa, given->text, i, given->is_english);
	*start = ipa.byte_start;
	*end = ipa.byte_end;
	return true;
}

/* The first range that does not end before a byte. */
static size_t script_given_first_from(const struct script_given *given, size_t byte)
{
	size_t low = 0;
	size_t high = given->text->phonemes_count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (given->text->phonemes[middle].byte_start < byte)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool script_given_has(const struct script_given *given, const struct script_piece *piece)
{
	size_t i = script_given_first_from(given, piece->start);

	return i < given->text->phonemes_count && given->text->phonemes[i].byte_start < piece->end;
}

int script_given_set_apart(struct buf *out, const struct script_given *given,
			   const struct script_piece *piece)
{
	const char *text = given->text->text;
	size_t at = piece->start;
	size_t start;
	size_t end;
	int err = 0;

	for (size_t i = script_given_first_from(given, at); script_given_at(given, i, &start, &end);
	     ++i) {
		if (start >= piece->end || err)
			break;
		err = buf_printf(out, "%.*s %.*s ", (int)(start - at), text + at,
				 (int)(end - start), text + start);
		at = end;
	}
	return err ? err : buf_append(out, text + at, piece->end - at);
}

/* Whether there are only hyphens and apostrophes. */
static bool script_given_is_joined(const char *text, size_t from, size_t to)
{
	while (from < to) {
		uint32_t c;

		from += utf8_decode(&c, text + from, to - from);
		if (c != '-' && c != '\'' && c != 0x2019 && c != 0x2010 && c != 0x2011)
			return false;
	}
	return true;
}

/* Appends a blank unless the words are joined in the text. */
static int script_given_begin_word(const struct script_given *given, struct script_phonemes *list,
				   const struct script_word *words, uint32_t word)
{
	const struct script_phoneme *last;

	if (list->count == 0)
		return 0;
	last = &list->items[list->count - 1];
	if (last->code_point == ' ' || last->word == word ||
	    script_given_is_joined(given->text->text, words[last->word].byte_end,
				   words[word].byte_start))
		return 0;
	return script_phonemes_add(list, ' ', last->word);
}

/* The word that begins at a byte. */
static uint32_t script_given_word_at(const struct script_word *words,
				     const struct script_piece *piece, size_t byte)
{
	size_t i = piece->first_word;

	while (i + 1 < piece->end_word && words[i].byte_end <= byte)
		++i;
	return (uint32_t)i;
}

/* Copies from one list to another in the order of words. */
struct copier {
	const struct script_given *given;
	const struct script_word *words;
	const struct script_phonemes *from;
	struct script_phonemes *to;
	size_t at; /* index in `from` */
};

/* Copies the phonemes of all words before `before`. */
static int script_given_copy_words(struct copier *copier, uint32_t before)
{
	int err = 0;

	while (copier->at < copier->from->count && !err) {
		const struct script_phoneme *item = &copier->from->items[copier->at];

		if (item->word >= before)
			break;
		if (item->code_point != ' ')
			err = script_given_begin_word(copier->given, copier->to, copier->words,
						      item->word);
		if (!err)
			err = script_phonemes_add(copier->to, item->code_point, item->word);
		++copier->at;
	}
	return err;
}

static int script_given_copy(struct copier *copier, size_t i, uint32_t word)
{
	size_t before = copier->to->count;
	struct given_ipa ipa;
	int err;

	given_ipa_read(&ipa, copier->given->text, i, copier->given->is_english);
	err = script_given_begin_word(copier->given, copier->to, copier->words, word);
	if (!err)
		err = script_given_add_signs(copier->to, copier->given->file, ipa.signs, word);
	if (err == ENOENT) {
		copier->to->count = before;
		return script_given_copy_words(copier, word + 1);
	}
	while (copier->at < copier->from->count && copier->from->items[copier->at].word == word)
		++copier->at;
	return err;
}

int script_given_replace(const struct script_given *given, struct script_phonemes *list,
			 const struct script_word *words, const struct script_piece *piece)
{
	struct script_phonemes replaced = {0};
	struct copier copier = {.given = given, .words = words, .from = list, .to = &replaced};
	size_t start;
	size_t end;
	int err = 0;

	for (size_t i = script_given_first_from(given, piece->start);
	     !err && script_given_at(given, i, &start, &end) && start < piece->end; ++i) {
		uint32_t word = script_given_word_at(words, piece, start);

		err = script_given_copy_words(&copier, word);
		if (!err)
			err = script_given_copy(&copier, i, word);
	}
	if (!err)
		err = script_given_copy_words(&copier, UINT32_MAX);
	if (err) {
		free(replaced.items);
		return err;
	}
	free(list->items);
	*list = replaced;
	return 0;
}
