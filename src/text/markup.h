/*
 * markup.h: parts of a text that are not read aloud.
 *
 * Tags (tag.h) are markup everywhere.  Square brackets are text, except for clients whose
 * model performs them: there "[whispers]" and "[laughs harder]" are audio tags.  No engine here
 * can perform them, so they are left out.  Numbers and references ("[1]", "[a]",
 * "[x](https://…)") are text there as well.
 */
#ifndef TEXT_MARKUP_H
#define TEXT_MARKUP_H

#include <stddef.h>

/* What a client's markup means, as flags. */
enum {
	MARKUP_LONG_BREAKS = 1 << 0, /* <break> is as long as it says, up to PAUSE_MAX_MS */
	MARKUP_AUDIO_TAGS = 1 << 1, /* audio tags are not read */
};

#define MARKUP_AUDIO_TAG_MAX 64 /* code points with the brackets; the longest known has 30 */

/* The length in bytes of the audio tag at the beginning of text, which is a '['; 0 when it is
 * not an audio tag. */
size_t markup_audio_tag(const char *text, size_t len);

/* The length in bytes of the tag or audio tag at the beginning of text; 0 when there is none. */
size_t markup_read(const char *text, size_t len, unsigned markup);

#endif
