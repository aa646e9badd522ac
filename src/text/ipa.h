/*
 * ipa.h: pronunciations written into the text, /təˈmɑːtəʊ/ or [təˈmɑːtəʊ].
 *
 * A pronunciation must contain a letter or mark that only IPA uses: "and/or" and "[sic]" are
 * text.
 */
#ifndef TEXT_IPA_H
#define TEXT_IPA_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/* The maximum length of a pronunciation in bytes: a long name, not a sentence. */
#define IPA_SPAN_MAX 200

struct ipa_span {
	size_t begin, end; /* including its slashes or brackets */
	size_t ipa, ipa_len; /* without them */
};

/* The first pronunciation that begins at or after `from`; false when there is none. */
bool ipa_find(struct ipa_span *span, const char *text, size_t len, size_t from);

/* Appends ASCII letters that sound similar in most languages, for engines that cannot read
 * IPA. Returns an error of buf.h. */
int ipa_respell(struct buf *out, const char *ipa, size_t len);

#endif
