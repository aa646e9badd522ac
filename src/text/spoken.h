/*
 * spoken.h: the text that engines get for a chunk, and where each piece of it came from.
 *
 * Engines never see markup (eSpeak NG crashes on some). A chunk becomes parts, spoken one
 * after the other: a part is plain text at one speed, with a silence before it. Pieces map
 * its bytes to the client's words for word times: in "€5" both words of "five euros" come
 * from the same two characters.
 */
#ifndef TEXT_SPOKEN_H
#define TEXT_SPOKEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of a part's text from the end of the previous piece to `end`. */
struct spoken_piece {
	uint32_t end;
	uint32_t from, to; /* code points of the chunk's text: [from, to) */
	/* the same characters one by one; otherwise the whole piece replaces the whole range */
	bool is_verbatim;
};

/* Bytes [begin, end) of a part's text are pronounced like this; engines that do not accept IPA
 * speak the text. */
struct spoken_phonemes {
	uint32_t begin, end;
	const char *ipa; /* without slashes or brackets */
};

struct spoken_part {
	const char *text; /* NUL-terminated UTF-8; "" when only the pause matters */
	size_t len;
	unsigned pause_ms; /* silence before the text */
	double rate; /* of <prosody>; 0: the turn's own speed */
	const struct spoken_piece *pieces;
	size_t pieces_len;
	const struct spoken_phonemes *phonemes;
	size_t phonemes_len;
};

/* Refcounted (mem_deref); made by reader_read. mapped.h maps a part's bytes to the client's
 * characters (mapped_read_part, mapped_origin). */
struct spoken {
	struct spoken_part *parts;
	size_t parts_len; /* 0: the chunk is silent */
	void *memory[4]; /* memory that the parts point into */
};

#endif
