/*
 * script_ipa.c: phonemes that were given, as far as a model knows them.
 *
 * Models have symbols for the sounds of their language and a few more.  Of others
 * the nearest is taken, in up to three steps: ʀ → ʁ → r → ɹ.
 */
#include <errno.h>
#include <string.h>

#include "base/count.h"
#include "base/utf8.h"
#include "engine/vits/script_private.h"

#define STEPS_MAX 3

static const struct {
	uint16_t from, to;
} nearest[] = {
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

static uint32_t nearest_of(uint32_t c)
{
	for (size_t i = 0; i < COUNT(nearest); ++i) {
		if (nearest[i].from == c)
			return nearest[i].to;
	}
	return 0;
}

/* Marks that say how another sign sounds. */
static bool is_mark(uint32_t c)
{
	return (c >= 0x2b0 && c <= 0x36f) || (c >= 0x1d2c && c <= 0x1d6a);
}

/* What the model knows of a sign, 0: nothing.  Kokoro's alphabet is another one,
 * into which all of this is rewritten later. */
static uint32_t known_of(const struct model_file *file, uint32_t c)
{
	for (unsigned i = 0; i <= STEPS_MAX && c != 0; ++i) {
		if (file->family == MODEL_KOKORO || model_file_id(file, c) >= 0)
			return c;
		if (c == 0xe7 && model_file_id(file, 'c') >= 0 && model_file_id(file, 0x327) >= 0)
			return c; /* written in two by script.c */
		c = nearest_of(c);
	}
	return 0;
}

int script_ipa_add(struct script_phonemes *list, const struct model_file *file, const char *signs,
		   uint32_t word)
{
	size_t before = list->count;
	size_t left = strlen(signs);
	unsigned known = 0;
	unsigned lost = 0;
	int err = 0;

	while (left > 0 && !err) {
		uint32_t c;
		size_t n = utf8_decode(&c, signs, left);
		uint32_t known_c = c == ' ' ? c : known_of(file, c);

		signs += n;
		left -= n;
		if (known_c)
			err = script_phonemes_add(list, known_c, word);
		if (c == ' ' || is_mark(c))
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
