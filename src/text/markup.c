/*
 * markup.c: parts of a text that are not read aloud (see markup.h).
 */
#include "text/markup.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/utf8.h"
#include "text/tag.h"
#include "text/unicode.h"

/* Letters and marks of IPA, as in "[həˈləʊ]", which is a pronunciation (ipa.h). */
static bool markup_is_phonetic(uint32_t c)
{
	return c >= 0x250 && c < 0x300;
}

/* Between the words of an audio tag. */
static bool markup_joins(uint32_t c)
{
	return c == ' ' || c == '-' || c == '\'' || c == 0x2019 || c == ',';
}

size_t markup_audio_tag(const char *text, size_t len)
{
	unsigned letters = 0;
	size_t at = 1;

	for (unsigned n = 1; n < MARKUP_AUDIO_TAG_MAX && at < len; ++n) {
		uint32_t c;
		size_t size = utf8_decode(&c, text + at, len - at);

		if (c == ']') {
			bool is_link = at + 1 < len && text[at + 1] == '(';

			return letters > 1 && !is_link ? at + 1 : 0;
		}
		if (markup_is_phonetic(c))
			return 0;
		if (unicode_is_letter(unicode_kind(c)))
			++letters;
		else if (unicode_kind(c) != UNICODE_MARK && !markup_joins(c))
			return 0;
		at += size;
	}
	return 0;
}

size_t markup_read(const char *text, size_t len, unsigned markup)
{
	struct tag tag;

	if (len == 0)
		return 0;
	if (text[0] == '<')
		return tag_read(&tag, text, len);
	return text[0] == '[' && (markup & MARKUP_AUDIO_TAGS) ? markup_audio_tag(text, len) : 0;
}
