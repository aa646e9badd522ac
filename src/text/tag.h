/*
 * tag.h: tells an inline tag from a less-than sign, one code point at a time.
 *
 * A tag is <name>, </name> or <name key="value" .../>: a name of ASCII
 * letters, digits and hyphens that begins with a letter, attributes that all
 * have a value, no '<' and no line end inside, at most TAG_MAX bytes.
 * Anything else ("3 < 4", "<3", "a <b and c> d", "<me@example.com>") is text.
 * A '<' always ends an attempt, so that a text of nothing but '<' costs no
 * more than any other.
 */
#ifndef TEXT_TAG_H
#define TEXT_TAG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TAG_MAX 200

enum tag_verdict {
	TAG_MORE, /* may become a tag */
	TAG_WHOLE, /* the code point just taken ends it */
	TAG_TEXT, /* it is none; the code point just taken is not part of it */
};

struct tag {
	uint8_t step;
	bool closes; /* </name> */
	bool is_void; /* <name/>: nothing inside */
	char quote;
	char name[12]; /* lower case, cut when longer; NUL-terminated */
	uint8_t name_len;
	size_t len; /* bytes taken */
};

/* The '<' was seen. */
void tag_begin(struct tag *tag);

/* The next code point, n bytes long. */
enum tag_verdict tag_step(struct tag *tag, uint32_t c, size_t n);

/* The whole tag at the beginning of text, which is a '<': its length, 0 when it
 * is none. */
size_t tag_read(struct tag *tag, const char *text, size_t len);

bool tag_is(const struct tag *tag, const char *name);

/* The attributes of a whole tag, one after the other: *at is 0 before the first.
 * False when there is no more.  Neither string ends in a NUL. */
struct tag_attribute {
	const char *name, *value;
	size_t name_len, value_len;
};
bool tag_attribute_next(struct tag_attribute *attribute, const char *tag, size_t len, size_t *at);

/* The attribute of that name (in any case); false when it has none. */
bool tag_attribute_find(struct tag_attribute *attribute, const char *tag, size_t len,
			const char *name);

/* True when the tag stands for a pause rather than around words. */
bool tag_is_pause(const struct tag *tag);

#endif
