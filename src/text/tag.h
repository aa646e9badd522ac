/*
 * tag.h: distinguishes an inline tag from a less-than sign, one code point at a time.
 *
 * A tag is <name>, </name> or <name key="value" .../>: a name of ASCII letters, digits and
 * hyphens that begins with a letter, attributes that all have a value, no '<' and no line
 * end inside, at most TAG_MAX bytes. Anything else ("3 < 4", "<3", "a <b and c> d",
 * "<me@example.com>") is text. A '<' always ends an attempt, so a text of nothing but '<'
 * costs no more than any other.
 */
#ifndef TEXT_TAG_H
#define TEXT_TAG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TAG_MAX 200

enum tag_verdict {
	TAG_MORE, /* may become a tag */
	TAG_WHOLE, /* the current code point ends the tag */
	TAG_TEXT, /* not a tag; the current code point is not part of it */
};

struct tag {
	uint8_t step;
	bool closes; /* </name> */
	bool is_void; /* <name/>: has no content */
	char quote;
	char name[12]; /* lower case, truncated; NUL-terminated */
	uint8_t name_len;
	size_t len; /* bytes read so far */
};

/* Begins a tag after its '<'. */
void tag_begin(struct tag *tag);

/* Processes the next code point, n bytes long. */
enum tag_verdict tag_step(struct tag *tag, uint32_t c, size_t n);

/* The length of the complete tag at the beginning of text, which is a '<'; 0 when it is not a
 * tag. */
size_t tag_read(struct tag *tag, const char *text, size_t len);

bool tag_is(const struct tag *tag, const char *name);

/* Iterates over the attributes of a complete tag: *at is 0 before the first. False when there
 * are no more. The strings are not NUL-terminated. */
struct tag_attribute {
	const char *name, *value;
	size_t name_len, value_len;
};
bool tag_attribute_next(struct tag_attribute *attribute, const char *tag, size_t len, size_t *at);

/* Finds an attribute by name, ignoring case; false when there is none. */
bool tag_attribute_find(struct tag_attribute *attribute, const char *tag, size_t len,
			const char *name);

/* True when the tag is a pause rather than a pair around words. */
bool tag_is_pause(const struct tag *tag);

#endif
