/*
 * reader_parts.h: the parts of a chunk while they are made (see reader.h).
 *
 * Text, pieces and phonemes of all parts lie in one buffer each, because they
 * move while they grow; only at the end do the parts get their pointers.
 */
#ifndef TEXT_READER_PARTS_H
#define TEXT_READER_PARTS_H

#include "text/mapped.h"

struct reader_parts {
	struct mapped part; /* the one that is being made */
	struct buf text, pieces; /* of all that are finished */
	struct buf phonemes; /* struct spoken_phonemes, ipa not yet known */
	struct buf ipa; /* their strings, in the same order */
	struct buf rows; /* struct reader_row */
	unsigned pause_ms; /* before the part that is being made */
	double rate;
	size_t phonemes_done, ipa_done; /* those of finished parts */
	int err;
};

void reader_parts_init(struct reader_parts *parts, size_t text_max, double rate);
void reader_parts_reset(struct reader_parts *parts);

/* The part ends here; the next has a silence before it, or another speed. */
void reader_parts_pause(struct reader_parts *parts, unsigned ms);
void reader_parts_rate(struct reader_parts *parts, double rate);

/* Bytes [begin, end) of the part are pronounced so. */
void reader_parts_pronounce(struct reader_parts *parts, size_t begin, size_t end, const char *ipa,
			    size_t ipa_len);

/* All of it: the memory goes over. */
int reader_parts_take(struct spoken **spokenp, struct reader_parts *parts);

#endif
