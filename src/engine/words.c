/*
 * words.c: the words of a text (see words.h).
 */
#include "engine/words.h"

#include "base/count.h"
#include "base/utf8.h"

enum {
	BLANK = 1,
	PUNCTUATION = 2, /* not part of a word at its ends */
	ALONE = 4, /* ends a word in any position */
	SIGN = 8, /* part of a word, but not a letter */
	DENSE = 16, /* of a script without blanks */
	MARK = 32, /* belongs to the letter before it */
};

/* Sorted; a character without a row is a letter or a digit. */
static const struct words_class {
	uint32_t first, last;
	unsigned what;
} words_classes[] = {
	{0x00, 0x20, BLANK},
	{0x21, 0x22, PUNCTUATION},
	{0x23, 0x26, SIGN},
	{0x27, 0x29, PUNCTUATION},
	{0x2a, 0x2b, SIGN},
	{0x2c, 0x2e, PUNCTUATION},
	{0x2f, 0x2f, SIGN},
	{0x3a, 0x3b, PUNCTUATION},
	{0x3c, 0x3e, SIGN},
	{0x3f, 0x3f, PUNCTUATION},
	{0x40, 0x40, SIGN},
	{0x5b, 0x5b, PUNCTUATION},
	{0x5c, 0x5c, SIGN},
	{0x5d, 0x5d, PUNCTUATION},
	{0x5e, 0x5e, SIGN},
	{0x5f, 0x60, PUNCTUATION},
	{0x7b, 0x7b, PUNCTUATION},
	{0x7c, 0x7c, SIGN},
	{0x7d, 0x7d, PUNCTUATION},
	{0x7e, 0x7e, SIGN},
	{0x7f, 0xa0, BLANK},
	{0xa1, 0xa1, PUNCTUATION},
	{0xa2, 0xa9, SIGN},
	{0xab, 0xab, PUNCTUATION},
	{0xac, 0xb1, SIGN},
	{0xb4, 0xb4, SIGN},
	{0xb6, 0xb8, SIGN},
	{0xbb, 0xbb, PUNCTUATION},
	{0xbf, 0xbf, PUNCTUATION},
	{0xd7, 0xd7, SIGN},
	{0xf7, 0xf7, SIGN},
	{0x300, 0x36f, MARK},
	{0x55a, 0x55f, PUNCTUATION},
	{0x589, 0x58a, PUNCTUATION},
	{0x591, 0x5bd, MARK},
	{0x5be, 0x5be, PUNCTUATION},
	{0x5c0, 0x5c0, PUNCTUATION},
	{0x5c3, 0x5c3, PUNCTUATION},
	{0x5f3, 0x5f4, PUNCTUATION},
	{0x60c, 0x60d, PUNCTUATION},
	{0x61b, 0x61f, PUNCTUATION},
	{0x64b, 0x65f, MARK},
	{0x66a, 0x66d, SIGN},
	{0x6d4, 0x6d4, PUNCTUATION},
	{0x964, 0x965, PUNCTUATION | ALONE},
	{0xe00, 0xe30, DENSE},
	{0xe31, 0xe31, DENSE | MARK},
	{0xe32, 0xe33, DENSE},
	{0xe34, 0xe3a, DENSE | MARK},
	{0xe3f, 0xe46, DENSE},
	{0xe47, 0xe4e, DENSE | MARK},
	{0xe4f, 0xe4f, PUNCTUATION},
	{0xe50, 0xe59, DENSE},
	{0xe5a, 0xe5b, PUNCTUATION},
	{0xe80, 0xeb0, DENSE},
	{0xeb1, 0xeb1, DENSE | MARK},
	{0xeb2, 0xeb3, DENSE},
	{0xeb4, 0xebc, DENSE | MARK},
	{0xebd, 0xec7, DENSE},
	{0xec8, 0xece, DENSE | MARK},
	{0xed0, 0xeff, DENSE},
	{0xf08, 0xf14, PUNCTUATION},
	{0xf15, 0xf70, DENSE},
	{0xf71, 0xf84, DENSE | MARK},
	{0xf85, 0xf8c, DENSE},
	{0xf8d, 0xfbc, DENSE | MARK},
	{0x1000, 0x102a, DENSE},
	{0x102b, 0x103e, DENSE | MARK},
	{0x103f, 0x1049, DENSE},
	{0x104a, 0x104b, PUNCTUATION | ALONE},
	{0x104c, 0x1055, DENSE},
	{0x1056, 0x1059, DENSE | MARK},
	{0x105a, 0x105d, DENSE},
	{0x105e, 0x1060, DENSE | MARK},
	{0x1061, 0x1061, DENSE},
	{0x1062, 0x106d, DENSE | MARK},
	{0x106e, 0x1070, DENSE},
	{0x1071, 0x1074, DENSE | MARK},
	{0x1075, 0x1081, DENSE},
	{0x1082, 0x108f, DENSE | MARK},
	{0x1090, 0x1099, DENSE},
	{0x109a, 0x109d, DENSE | MARK},
	{0x1680, 0x1680, BLANK},
	{0x1780, 0x17b3, DENSE},
	{0x17b4, 0x17d3, DENSE | MARK},
	{0x17d4, 0x17da, PUNCTUATION},
	{0x2000, 0x200a, BLANK},
	{0x200b, 0x200f, MARK},
	{0x2010, 0x2013, PUNCTUATION},
	{0x2014, 0x2015, PUNCTUATION | ALONE},
	{0x2016, 0x2025, PUNCTUATION},
	{0x2026, 0x2026, PUNCTUATION | ALONE},
	{0x2027, 0x2027, PUNCTUATION},
	{0x2028, 0x2029, BLANK},
	{0x202a, 0x202e, MARK},
	{0x202f, 0x202f, BLANK},
	{0x2030, 0x2038, SIGN},
	{0x2039, 0x203a, PUNCTUATION},
	{0x203b, 0x203b, SIGN},
	{0x203c, 0x203d, PUNCTUATION},
	{0x203e, 0x2046, SIGN},
	{0x2047, 0x2049, PUNCTUATION},
	{0x204a, 0x205e, SIGN},
	{0x205f, 0x205f, BLANK},
	{0x2060, 0x206f, MARK},
	{0x20a0, 0x20cf, SIGN},
	{0x20d0, 0x20ff, MARK},
	{0x2190, 0x245f, SIGN},
	{0x2500, 0x2bff, SIGN},
	{0x2e00, 0x2e7f, PUNCTUATION},
	{0x2e80, 0x2fdf, DENSE},
	{0x3000, 0x3000, BLANK},
	{0x3001, 0x3003, PUNCTUATION | ALONE},
	{0x3004, 0x3004, SIGN},
	{0x3005, 0x3007, DENSE},
	{0x3008, 0x3011, PUNCTUATION | ALONE},
	{0x3012, 0x3013, SIGN},
	{0x3014, 0x301f, PUNCTUATION | ALONE},
	{0x3020, 0x3020, SIGN},
	{0x3021, 0x3029, DENSE},
	{0x302a, 0x302f, MARK},
	{0x3030, 0x3030, PUNCTUATION},
	{0x3031, 0x3098, DENSE},
	{0x3099, 0x309a, DENSE | MARK},
	{0x309b, 0x30fa, DENSE},
	{0x30fb, 0x30fb, PUNCTUATION},
	{0x30fc, 0x312f, DENSE},
	{0x31f0, 0x31ff, DENSE},
	{0x3400, 0x9fff, DENSE},
	{0xf900, 0xfaff, DENSE},
	{0xfe00, 0xfe0f, MARK},
	{0xfe10, 0xfe1f, PUNCTUATION | ALONE},
	{0xfe20, 0xfe2f, MARK},
	{0xfe30, 0xfe61, PUNCTUATION},
	{0xfe62, 0xfe6f, SIGN},
	{0xfeff, 0xfeff, MARK},
	{0xff01, 0xff02, PUNCTUATION | ALONE},
	{0xff03, 0xff06, SIGN},
	{0xff07, 0xff09, PUNCTUATION | ALONE},
	{0xff0a, 0xff0b, SIGN},
	{0xff0c, 0xff0c, PUNCTUATION | ALONE},
	{0xff0d, 0xff0d, PUNCTUATION},
	{0xff0e, 0xff0e, PUNCTUATION | ALONE},
	{0xff0f, 0xff0f, SIGN},
	{0xff1a, 0xff1b, PUNCTUATION | ALONE},
	{0xff1c, 0xff1e, SIGN},
	{0xff1f, 0xff1f, PUNCTUATION | ALONE},
	{0xff20, 0xff20, SIGN},
	{0xff3b, 0xff3d, PUNCTUATION},
	{0xff5b, 0xff65, PUNCTUATION},
	{0xffe0, 0xffef, SIGN},
	{0xfff0, 0xffff, SIGN},
	{0x1f000, 0x1faff, SIGN},
	{0x20000, 0x3ffff, DENSE},
	{0xe0000, 0xe0fff, MARK},
};

static unsigned words_class_of(uint32_t c)
{
	size_t low = 0;
	size_t high = COUNT(words_classes);

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (c > words_classes[middle].last)
			low = middle + 1;
		else if (c < words_classes[middle].first)
			high = middle;
		else
			return words_classes[middle].what;
	}
	return 0;
}

bool words_is_blank(uint32_t c)
{
	return words_class_of(c) & BLANK;
}

bool words_is_punctuation(uint32_t c)
{
	return words_class_of(c) & PUNCTUATION;
}

bool words_is_letter(uint32_t c)
{
	return !(words_class_of(c) & (BLANK | PUNCTUATION | SIGN | MARK));
}

bool words_is_mark(uint32_t c)
{
	return words_class_of(c) & MARK;
}

bool words_may_begin_inside(uint32_t c)
{
	return (words_class_of(c) & (DENSE | MARK)) == DENSE;
}

void words_init(struct words *words, const struct engine_text *text)
{
	*words = (struct words){.text = text};
}

/* The class of a character, its length in bytes and its number of letters. */
struct words_step {
	unsigned what;
	size_t len;
	size_t letters;
};

/* The bytes of given phonemes count as letters. */
static struct words_step words_look(struct words *words)
{
	const struct engine_text *text = words->text;
	const struct engine_phonemes *span = text->phonemes;
	struct words_step step = {.letters = 1};
	uint32_t c;

	while (words->span < text->phonemes_count && span[words->span].byte_end <= words->at)
		++words->span;
	if (words->span < text->phonemes_count && span[words->span].byte_start <= words->at) {
		step.len = span[words->span].byte_end - words->at;
		step.letters = utf8_count(text->text + words->at, step.len);
		return step;
	}
	step.len = utf8_decode(&c, text->text + words->at, text->text_len - words->at);
	step.what = words_class_of(c);
	if (step.what & (BLANK | PUNCTUATION | SIGN | MARK))
		step.letters = 0;
	return step;
}

/* Reads a run between blanks; the word extends from its first to its last sign that is not
 * punctuation. */
static bool words_read_run(struct words *words, struct words_word *word)
{
	bool any = false;

	*word = (struct words_word){.start = words->at, .end = words->at};
	while (words->at < words->text->text_len) {
		struct words_step step = words_look(words);
		bool is_outside = step.what & (PUNCTUATION | ALONE);

		if (step.what & BLANK || (step.what & ALONE && any))
			break;
		if (!is_outside && !any)
			word->start = words->at;
		words->at += step.len;
		any = any || !is_outside;
		if (!is_outside)
			word->end = words->at;
		word->letters += step.letters;
	}
	word->run_end = words->at;
	return any;
}

bool words_next(struct words *words, struct words_word *word)
{
	while (words->at < words->text->text_len) {
		struct words_step step = words_look(words);

		if (step.what & BLANK)
			words->at += step.len;
		else if (words_read_run(words, word))
			return true;
	}
	return false;
}
