/*
 * elevenlabs_body.h: the body of POST /v1/text-to-speech/{voice_id} and of the routes below it.
 *
 * Keys that have no effect here (for example previous_text and stability) and unknown keys are
 * ignored.
 */
#ifndef DOORS_ELEVENLABS_ELEVENLABS_BODY_H
#define DOORS_ELEVENLABS_ELEVENLABS_BODY_H

#include "wire/speech_body.h"

#define ELEVENLABS_BODY_TEXT_MAX 10000 /* code points */

/* The range of speeds in ElevenLabs' documentation. */
#define ELEVENLABS_BODY_SPEED_MIN 0.7
#define ELEVENLABS_BODY_SPEED_MAX 1.2

extern const struct speech_keys elevenlabs_body_keys;
speech_body_h elevenlabs_body_read;

/* Whether one of ElevenLabs' models performs audio tags (text/markup.h). */
bool elevenlabs_body_has_audio_tags(const char *model, size_t len);

#endif
