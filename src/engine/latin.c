/*
 * latin.c: text for an engine that reads ASCII only (see latin.h).
 */
#include "engine/latin.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/mem.h"
#include "base/utf8.h"

/* U+00C0 to U+017F, one letter each; '*' stands for a row of pairs[]. */
static const char letters[] = "AAAAAA*CEEEEIIII"
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
} pairs[] = {
	{0x00a0, " "},  {0x00ab, "\""}, {0x00bb, "\""}, {0x00c6, "Ae"}, {0x00de, "Th"},
	{0x00df, "ss"}, {0x00e6, "ae"}, {0x00fe, "th"}, {0x0132, "IJ"}, {0x0133, "ij"},
	{0x0152, "Oe"}, {0x0153, "oe"}, {0x1e9e, "SS"}, {0x2010, "-"},  {0x2011, "-"},
	{0x2012, "-"},  {0x2013, "-"},  {0x2014, ","},  {0x2018, "'"},  {0x2019, "'"},
	{0x201a, "'"},  {0x201c, "\""}, {0x201d, "\""}, {0x201e, "\""}, {0x2026, "."},
	{0x2032, "'"},  {0x2212, "-"},  {0xfb01, "fi"}, {0xfb02, "fl"},
};

/* At most two characters, and never more bytes than the code point had. */
static const char *ascii_of(char one[2], uint32_t code_point)
{
	one[0] = ' ';
	one[1] = '\0';
	for (size_t i = 0; i < COUNT(pairs); ++i)
		if (pairs[i].code_point == code_point)
			return pairs[i].ascii;
	if (code_point < 0x80)
		one[0] = (char)code_point;
	else if (code_point >= 0xc0 && code_point < 0xc0 + sizeof(letters) - 1)
		one[0] = letters[code_point - 0xc0];
	return one;
}

/* Marks that stand behind their letter must not cut the word in two. */
static int is_mark(uint32_t code_point)
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

static void append(struct latin *latin, const char *ascii, size_t origin)
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

		if (!is_mark(code_point))
			append(latin, ascii_of(one, code_point), i);
		i += n;
	}
	latin->text[latin->len] = '\0';
	latin->origin[latin->len] = (uint32_t)len;
	*latinp = latin;
	return 0;
}
