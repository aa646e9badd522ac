/*
 * fake_decoding.h: a struct decoding whose files are text: the words that fake_hearing_say makes audio
 * of.
 *
 * A file that is "bad", "cut", "die" or "away" ends as that says.  Nothing is delivered before
 * fake_decoding_give.
 */
#ifndef PROTO_FAKE_DECODING_H
#define PROTO_FAKE_DECODING_H

#include <stdbool.h>
#include <stddef.h>

#include "base/list.h"
#include "hearing/decoding.h"

struct fake_decoding {
	struct decoding decoding;
	struct list jobs;
	bool is_missing; /* the program is not installed */
	bool is_full; /* no job can be started */
	size_t room; /* how many bytes are taken at a time; 0: all */
	size_t started, cancelled;
	char format[16]; /* of the last file */
};

void fake_decoding_open(struct fake_decoding *fake);
void fake_decoding_close(struct fake_decoding *fake);

/* Delivers what is due; returns whether anything was. */
bool fake_decoding_give(struct fake_decoding *fake);

#endif
