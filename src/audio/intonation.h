/*
 * intonation.h: how the last words sounded: where the pitch and the loudness went, and how long the last
 * syllable was.
 *
 * People lower their voice at the end of what they say, and keep or raise it and lengthen the last
 * syllable when they are going to continue; call/turn_end.h makes use of that.  The pitch is found by
 * normalized autocorrelation at 8 kHz, which needs no model and works on a telephone line, where the
 * fundamental itself is missing.  1.5 s of speech take a few tenths of a millisecond.
 *
 * (The module text/prosody.h is about a tag of that name in text that is to be spoken.)
 *
 * Pure: no clock, no allocation.
 */
#ifndef AUDIO_INTONATION_H
#define AUDIO_INTONATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define INTONATION_RATE 16000u

/* Audio before the last 1.5 s is not looked at: it has no influence on how an utterance ends. */
#define INTONATION_SAMPLES_MAX (INTONATION_RATE * 3u / 2u)

/* The level of silence. */
#define INTONATION_SILENCE_DB (-120.0F)

struct intonation {
	/* The last voiced stretch is what was spoken with a voice, without a gap of more than 30 ms, at
	 * most the last half second of it.  Its middle and end are compared. */
	float pitch_change; /* in semitones; below 0: the pitch falls */
	float energy_change; /* in decibels; below 0: it becomes quieter */
	float pitch_hz; /* at the end */
	/* The length of the last syllable: the stretch without syllables before a dip in loudness. */
	float syllable_ms;
};

/* Measures the end of speech at INTONATION_RATE.  Silence and noise after it do no harm, as long as the
 * speech is within INTONATION_SAMPLES_MAX of the end.  False: there is no voice in it. */
bool intonation_measure(struct intonation *intonation, const int16_t *samples, size_t count);

/* What a frame sounds like, which is cheap enough for all frames of all calls. */
struct intonation_frame {
	float level_db; /* root mean square, in decibels below full scale */
	/* The level above about 570 Hz relative to the whole: -20 and less for a hum with closed lips
	 * ("mm-hm"), more for most vowels, about 0 for hisses. */
	float brightness_db;
	/* How much the frame resembles itself one period later: 0 for noise, 1 for a steady vowel. */
	float voicing;
};

/* Of 20 to 50 ms; only the beginning of a longer frame is searched for a voice. */
struct intonation_frame intonation_of_frame(const int16_t *samples, size_t count);

#endif
