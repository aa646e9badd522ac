/*
 * reader_parts.h: the parts of a chunk under construction (see reader.h).
 *
 * Text, pieces and phonemes of all parts are stored in one buffer each. The buffers move
 * while they grow, so the parts get their pointers only at the end.
 */
#ifndef TEXT_READER_PARTS_H
#define TEXT_READER_PARTS_H

#include "text/mapped.h"

struct reader_parts {
	struct mapped part; /* the current part */
	struct buf text, pieces; /* of all finished parts */
	struct buf phonemes; /* struct spoken_phonemes whose ipa is not set yet */
	struct buf ipa; /* their strings, in the same order */
	struct buf rows; /* struct reader_row */
	unsigned pause_ms; /* before the current part */
	double rate;
	size_t phonemes_done, ipa_done; /* those that belong to finished parts */
	int err;
};

void reader_parts_init(struct reader_parts *parts, size_t text_max, double rate);
void reader_parts_reset(struct reader_parts *parts);

/* Ends the current part; the next has a silence before it, or another speed. */
void reader_parts_pause(struct reader_parts *parts, unsigned ms);
void reader_parts_rate(struct reader_parts *parts, double rate);

/* Gives bytes [begin, end) of the current part a pronunciation. */
void reader_parts_pronounce(struct reader_parts *parts, size_t begin, size_t end, const char *ipa,
			    size_t ipa_len);

/* Finishes all parts and moves their memory to *spokenp. */
int reader_parts_take(struct spoken **spokenp, struct reader_parts *parts);

#endif
