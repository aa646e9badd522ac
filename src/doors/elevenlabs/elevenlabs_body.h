/*
 * elevenlabs_body.h: what a client may say to ElevenLabs' POST
 * /v1/text-to-speech/{voice_id} and its siblings.
 *
 * Keys that change nothing here (previous_text, stability …) are passed
 * over, as are those that nobody knows yet.
 */
#ifndef DOORS_ELEVENLABS_ELEVENLABS_BODY_H
#define DOORS_ELEVENLABS_ELEVENLABS_BODY_H

#include "wire/speech_body.h"

#define ELEVENLABS_BODY_TEXT_MAX 10000 /* code points */

/* The speeds that their documentation allows. */
#define ELEVENLABS_BODY_SPEED_MIN 0.7
#define ELEVENLABS_BODY_SPEED_MAX 1.2

extern const struct speech_keys elevenlabs_body_keys;
speech_body_h elevenlabs_body_read;

/* Whether a model of theirs performs audio tags (text/markup.h). */
bool elevenlabs_body_has_audio_tags(const char *model, size_t len);

#endif
