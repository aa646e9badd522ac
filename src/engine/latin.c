/*
 * latin.c: text for an engine that reads only ASCII (see latin.h).
 */
#include "engine/latin.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/mem.h"
#include "base/utf8.h"

/* One letter each for U+00C0 to U+017F; '*' refers to a row of latin_pairs[]. */
static const char latin_letters[] = "AAAAAA*CEEEEIIII"
				    "DNOOOOO OUUUUY**"
				    "aaaaaa*ceeeeiiii"
				    "dnooooo ouuuuy*y"
				    "AaAaAaCcCcCcCcDd"
				    "DdEeEeEeEeEeGgGg"
				    "GgGgHhHhIiIiIiIi"
				    "Ii**JjKkkLlLlLlL"
				    "lLlNnNnNnnNnOoOo"
				    "Oo**RrRrRrSsSsSs"
				    "SsTtTtTtUuUuUuUu"
				    "UuUuWwYyYZzZzZzs";

static const struct {
	uint32_t code_point;
	const char *ascii;
} latin_pairs[] = {
	{0x00a0, " "},  {0x00ab, "\""}, {0x00bb, "\""}, {0x00c6, "Ae"}, {0x00de, "Th"},
	{0x00df, "ss"}, {0x00e6, "ae"}, {0x00fe, "th"}, {0x0132, "IJ"}, {0x0133, "ij"},
	{0x0152, "Oe"}, {0x0153, "oe"}, {0x1e9e, "SS"}, {0x2010, "-"},  {0x2011, "-"},
	{0x2012, "-"},  {0x2013, "-"},  {0x2014, ","},  {0x2018, "'"},  {0x2019, "'"},
	{0x201a, "'"},  {0x201c, "\""}, {0x201d, "\""}, {0x201e, "\""}, {0x2026, "."},
	{0x2032, "'"},  {0x2212, "-"},  {0xfb01, "fi"}, {0xfb02, "fl"},
};

/* At most two characters, and never more bytes than the code point had. */
static const char *latin_ascii_of(char one[2], uint32_t code_point)
{
	one[0] = ' ';
	one[1] = '\0';
	for (size_t i = 0; i < COUNT(latin_pairs); ++i)
		if (latin_pairs[i].code_point == code_point)
			return latin_pairs[i].ascii;
	if (code_point < 0x80)
		one[0] = (char)code_point;
	else if (code_point >= 0xc0 && code_point < 0xc0 + sizeof(latin_letters) - 1)
		one[0] = latin_letters[code_point - 0xc0];
	return one;
}

/* Marks after a letter must not divide the word. */
static int latin_is_mark(uint32_t code_point)
{
	return (code_point >= 0x300 && code_point < 0x370) || code_point == 0xad ||
	       (code_point >= 0x200b && code_point <= 0x200d) || code_point == 0xfe0f;
}

static void latin_destroy(void *object)
{
	struct latin *latin = object;

	free(latin->text);
	free(latin->origin);
}

static void latin_append(struct latin *latin, const char *ascii, size_t origin)
{
	for (; *ascii; ++ascii) {
		latin->text[latin->len] = *ascii;
		latin->origin[latin->len] = (uint32_t)origin;
		++latin->len;
	}
}

int latin_alloc(struct latin **latinp, const char *text, size_t len)
{
	struct latin *latin = mem_zalloc(sizeof(*latin), latin_destroy);

	if (!latin)
		return ENOMEM;
	latin->text = malloc(len + 1);
	latin->origin = malloc((len + 1) * sizeof(latin->origin[0]));
	if (!latin->text || !latin->origin) {
		mem_deref(latin);
		return ENOMEM;
	}
	for (size_t i = 0; i < len;) {
		uint32_t code_point;
		char one[2];
		size_t n = utf8_decode(&code_point, text + i, len - i);

		if (!latin_is_mark(code_point))
			latin_append(latin, latin_ascii_of(one, code_point), i);
		i += n;
	}
	latin->text[latin->len] = '\0';
	latin->origin[latin->len] = (uint32_t)len;
	*latinp = latin;
	return 0;
}
