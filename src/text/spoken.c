/*
 * spoken.c: the client's words without markup (see spoken.h).
 */
#include "text/spoken.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "text/tag.h"
#include "text/unicode.h"

static void destroy(void *object)
{
	struct spoken *spoken = object;

	free(spoken->text);
	free(spoken->origin);
}

/* The length of the tag at text (a '<'), 0 when it is none. */
static size_t tag_length(struct tag *tag, const char *text, size_t len)
{
	size_t at = 1;

	tag_begin(tag);
	while (at < len) {
		uint32_t c;
		size_t n = utf8_decode(&c, text + at, len - at);
		enum tag_verdict verdict = tag_step(tag, c, n);

		at += n;
		if (verdict == TAG_WHOLE)
			return at;
		if (verdict == TAG_TEXT)
			return 0;
	}
	return 0;
}

static bool is_blank_at(const char *text, size_t len)
{
	uint32_t c;

	if (len == 0)
		return true;
	utf8_decode(&c, text, len);
	return unicode_is_blank(unicode_kind(c));
}

/* A pause must not glue the words around it together. */
static bool needs_blank(const struct spoken *spoken, const struct tag *tag, const char *rest,
			size_t rest_len)
{
	if (!tag_is_pause(tag) || spoken->len == 0)
		return false;
	return spoken->text[spoken->len - 1] != ' ' && !is_blank_at(rest, rest_len);
}

static void put(struct spoken *spoken, const char *bytes, size_t n, uint32_t origin)
{
	for (size_t i = 0; i < n; ++i) {
		spoken->origin[spoken->len] = origin;
		spoken->text[spoken->len++] = bytes[i];
	}
}

static void put_code_point(struct spoken *spoken, const char *bytes, size_t n, uint32_t c,
			   uint32_t origin)
{
	if (c < 0x20 || (c >= 0x7f && c < 0xa0))
		put(spoken, " ", 1, origin); /* eSpeak NG reads some controls as commands */
	else
		put(spoken, bytes, n, origin);
}

static void fill(struct spoken *spoken, const char *text, size_t len)
{
	uint32_t index = 0;
	size_t at = 0;

	while (at < len) {
		struct tag tag;
		uint32_t c;
		size_t n = utf8_decode(&c, text + at, len - at);
		size_t tag_len = c == '<' ? tag_length(&tag, text + at, len - at) : 0;

		if (tag_len > 0) {
			if (needs_blank(spoken, &tag, text + at + tag_len, len - at - tag_len))
				put(spoken, " ", 1, index);
			index += (uint32_t)utf8_count(text + at, tag_len);
			at += tag_len;
			continue;
		}
		put_code_point(spoken, text + at, n, c, index);
		at += n;
		++index;
	}
	spoken->text[spoken->len] = '\0';
	spoken->origin[spoken->len] = index;
}

int spoken_alloc(struct spoken **spokenp, const char *text, size_t len)
{
	struct spoken *spoken = mem_zalloc(sizeof(*spoken), destroy);

	if (!spoken)
		return ENOMEM;
	/* Nothing grows: a tag is longer than the blank it may leave. */
	spoken->text = malloc(len + 1);
	spoken->origin = malloc((len + 1) * sizeof(*spoken->origin));
	if (!spoken->text || !spoken->origin) {
		mem_deref(spoken);
		return ENOMEM;
	}
	fill(spoken, text, len);
	*spokenp = spoken;
	return 0;
}
