/*
 * timestamp_dialect.h: audio and the times of its characters, for
 * timestamp_body.c to write as JSON.
 *
 * A dialect has no memory, and times count from the answer's start, which needs
 * one: so what is said here are records, each of them one message.
 */
#ifndef DOORS_ELEVENLABS_TIMESTAMP_DIALECT_H
#define DOORS_ELEVENLABS_TIMESTAMP_DIALECT_H

#include "wire/dialect.h"

enum timestamp_kind { TIMESTAMP_AUDIO, TIMESTAMP_CHARACTER };

/* Begins a record: behind it come the bytes of the audio, or those of the first
 * character; a character's record is followed by that of the next. */
struct timestamp_record {
	enum timestamp_kind kind;
	unsigned chunk_id;
	uint32_t len; /* of what comes behind it */
	double start_s, end_s; /* of a character, from the chunk's start */
};

extern const struct dialect dialect_timestamps;

#endif
