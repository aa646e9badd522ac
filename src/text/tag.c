/*
 * tag.c: inline tags (see tag.h).
 */
#include "text/tag.h"

#include <string.h>
#include <strings.h>

#include "base/utf8.h"

enum tag_step {
	STEP_OPEN, /* after '<' */
	STEP_NAME_FIRST,
	STEP_NAME,
	STEP_GAP, /* blanks between attributes */
	STEP_KEY,
	STEP_VALUE_FIRST,
	STEP_VALUE, /* without quotes */
	STEP_QUOTED,
	STEP_AFTER_QUOTED,
	STEP_END_SLASH,
};

void tag_begin(struct tag *tag)
{
	*tag = (struct tag){.step = STEP_OPEN, .len = 1};
}

static bool tag_is_letter(uint32_t c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool tag_is_name(uint32_t c)
{
	return tag_is_letter(c) || (c >= '0' && c <= '9') || c == '-';
}

static enum tag_verdict tag_next(struct tag *tag, enum tag_step step)
{
	tag->step = (uint8_t)step;
	return TAG_MORE;
}

static enum tag_verdict tag_name_first(struct tag *tag, uint32_t c)
{
	if (!tag_is_letter(c))
		return TAG_TEXT;
	tag->name[tag->name_len++] = (char)(c | 0x20);
	return tag_next(tag, STEP_NAME);
}

static enum tag_verdict tag_gap(struct tag *tag, uint32_t c)
{
	if (c == '>')
		return TAG_WHOLE;
	if (c == ' ' || c == '\t')
		return tag_next(tag, STEP_GAP);
	if (c == '/' && !tag->closes)
		return tag_next(tag, STEP_END_SLASH);
	if (tag_is_letter(c) && !tag->closes && tag->step == STEP_GAP)
		return tag_next(tag, STEP_KEY);
	return TAG_TEXT;
}

static enum tag_verdict tag_name(struct tag *tag, uint32_t c)
{
	if (!tag_is_name(c))
		return tag_gap(tag, c);
	if (tag->name_len < sizeof(tag->name) - 1)
		tag->name[tag->name_len++] = (char)(tag_is_letter(c) ? c | 0x20 : c);
	return TAG_MORE;
}

static enum tag_verdict tag_value_first(struct tag *tag, uint32_t c)
{
	if (c == '"' || c == '\'') {
		tag->quote = (char)c;
		return tag_next(tag, STEP_QUOTED);
	}
	if (c == ' ' || c == '\t' || c == '>' || c == '=')
		return TAG_TEXT;
	return tag_next(tag, STEP_VALUE);
}

enum tag_verdict tag_step(struct tag *tag, uint32_t c, size_t n)
{
	tag->len += n;
	if (tag->len > TAG_MAX || c == '<' || c == '\n' || c == '\r')
		return TAG_TEXT;
	switch ((enum tag_step)tag->step) {
	case STEP_OPEN:
		if (c != '/')
			return tag_name_first(tag, c);
		tag->closes = true;
		return tag_next(tag, STEP_NAME_FIRST);
	case STEP_NAME_FIRST:
		return tag_name_first(tag, c);
	case STEP_NAME:
		return tag_name(tag, c);
	case STEP_GAP:
	case STEP_AFTER_QUOTED:
		return tag_gap(tag, c);
	case STEP_KEY:
		if (c == '=')
			return tag_next(tag, STEP_VALUE_FIRST);
		return tag_is_name(c) || c == ':' || c == '_' ? TAG_MORE : TAG_TEXT;
	case STEP_VALUE_FIRST:
		return tag_value_first(tag, c);
	case STEP_VALUE:
		return c == ' ' || c == '\t' || c == '>' || c == '/' ? tag_gap(tag, c) : TAG_MORE;
	case STEP_QUOTED:
		return c == (uint32_t)tag->quote ? tag_next(tag, STEP_AFTER_QUOTED) : TAG_MORE;
	case STEP_END_SLASH:
		tag->is_void = true;
		return c == '>' ? TAG_WHOLE : TAG_TEXT;
	}
	return TAG_TEXT;
}

size_t tag_read(struct tag *tag, const char *text, size_t len)
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

static size_t tag_skip_until(const char *tag, size_t len, size_t at, const char *stops)
{
	while (at < len && !strchr(stops, tag[at]))
		++at;
	return at;
}

static size_t tag_skip_blanks(const char *tag, size_t len, size_t at)
{
	while (at < len && (tag[at] == ' ' || tag[at] == '\t'))
		++at;
	return at;
}

/* tag_step has verified that each attribute is name=value, and that quotes are closed. */
bool tag_attribute_next(struct tag_attribute *attribute, const char *tag, size_t len, size_t *at)
{
	size_t begin = *at ? *at : tag_skip_until(tag, len, 0, " \t/>");
	size_t equals, end;
	char quote;

	begin = tag_skip_blanks(tag, len, begin);
	equals = tag_skip_until(tag, len, begin, "=>");
	if (equals + 1 >= len || tag[equals] == '>')
		return false;
	attribute->name = tag + begin;
	attribute->name_len = equals - begin;
	quote = tag[equals + 1];
	begin = equals + 1;
	if (quote == '"' || quote == '\'') {
		++begin;
		end = tag_skip_until(tag, len, begin, (char[]){quote, '\0'});
		*at = end + 1;
	} else {
		end = *at = tag_skip_until(tag, len, begin, " \t/>");
	}
	attribute->value = tag + begin;
	attribute->value_len = end - begin;
	return true;
}

bool tag_attribute_find(struct tag_attribute *attribute, const char *tag, size_t len,
			const char *wanted)
{
	size_t at = 0;

	while (tag_attribute_next(attribute, tag, len, &at)) {
		if (attribute->name_len == strlen(wanted) &&
		    strncasecmp(attribute->name, wanted, attribute->name_len) == 0)
			return true;
	}
	return false;
}

bool tag_is(const struct tag *tag, const char *wanted)
{
	return strcmp(tag->name, wanted) == 0;
}

bool tag_is_pause(const struct tag *tag)
{
	return tag->is_void || tag_is(tag, "break") || tag_is(tag, "br") || tag_is(tag, "p");
}
