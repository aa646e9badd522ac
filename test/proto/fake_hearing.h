/*
 * fake_hearing.h: a struct hearing whose audio contains its words.
 *
 * A word of the audio is a run of equal samples, and the value of the samples says which word it is
 * (fake_hearing_say).  Frames with a word are speech.  Nothing is delivered before fake_hearing_give.
 * Like the pool, it refuses pieces whose audio was released or never sent.
 */
#ifndef PROTO_FAKE_HEARING_H
#define PROTO_FAKE_HEARING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/list.h"
#include "hearing/hearing.h"

/* The length of a word and of the gap after it, in samples, and the engine's time for a piece. */
#define FAKE_HEARING_WORD 4096u
#define FAKE_HEARING_GAP 512u
#define FAKE_HEARING_BUSY_US 7000u

enum fake_hearing_mood {
	FAKE_HEARING_WELL,
	FAKE_HEARING_FULL, /* no stream can be started */
	FAKE_HEARING_BREAKS, /* a stream fails when its first piece is recognized */
	FAKE_HEARING_AWAY, /* a stream ends with HEARING_UNAVAILABLE before it is heard */
};

struct fake_hearing {
	struct hearing hearing;
	struct hearing_models *models;
	enum fake_hearing_mood mood;
	enum hearing_state state;
	struct list streams;
	size_t room; /* how much audio a stream may keep; 0: HEARING_KEPT_MAX */
	size_t pieces_max; /* how many pieces may wait; 0: HEARING_PIECES_MAX */
	bool is_deaf; /* no results are delivered, only activity */
	bool is_backwards; /* results are delivered in reverse order */
	/* What was asked. */
	size_t started, cancelled, finals, partials;
	char language[HEARING_LANGUAGE_MAX];
	char prompt[64];
	bool want_times;
};

int fake_hearing_open(struct fake_hearing *fake);
void fake_hearing_close(struct fake_hearing *fake);

/* Adds the models "tiny" (English, with partial results and times) and "big" (any language, which it
 * detects as German, without partial results), or removes them. */
int fake_hearing_install(struct fake_hearing *fake, bool is_installed);

/* Delivers what is due; returns whether anything was. */
bool fake_hearing_give(struct fake_hearing *fake);

/* Writes the audio of words, separated by blanks: "one" to "nine".  A dot is 100 ms of silence.  Returns
 * the number of samples, which must be at most `max`. */
size_t fake_hearing_say(int16_t *samples, size_t max, const char *text);

#endif
