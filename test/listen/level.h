/*
 * level.h: how loud a recording of speech is, and how much silence is around it.
 */
#ifndef LISTEN_LEVEL_H
#define LISTEN_LEVEL_H

#include <stddef.h>
#include <stdint.h>

struct level {
	double seconds;
	double lead_ms, tail_ms; /* silence before the first sound and after the last */
	double active_db; /* RMS of the speech without its pauses; 0 is full scale */
	double peak_db; /* the largest sample */
};

/* Of nothing but silence active_db and peak_db are LEVEL_SILENT_DB, and all of
 * it is lead. */
#define LEVEL_SILENT_DB (-99.0)

void level_measure(struct level *level, const int16_t *samples, size_t count, unsigned rate);

#endif
