/*
 * audio_intake.h: converts the audio that a client sends to the samples that engines hear.
 *
 * The bytes are raw audio of one channel and may be divided anywhere.  Runs on the loop's thread: this
 * is arithmetic on a fraction of a second at a time, not a decoder of files.
 */
#ifndef SESSION_AUDIO_INTAKE_H
#define SESSION_AUDIO_INTAKE_H

#include <stddef.h>
#include <stdint.h>

#include "session/listen_api.h"

struct audio_intake;

/* Rates are 8000 to 48000.  EINVAL for another, ENOMEM.  Released by mem_deref. */
int audio_intake_alloc(struct audio_intake **intakep, const struct listen_format *format);

/* The largest number of samples that this many bytes become. */
size_t audio_intake_room(const struct audio_intake *intake, size_t bytes);

/* Returns how many samples at HEARING_RATE were written to `out`.  ENOMEM. */
int audio_intake_write(struct audio_intake *intake, int16_t *out, size_t *count,
		       const uint8_t *bytes, size_t len);

#endif
