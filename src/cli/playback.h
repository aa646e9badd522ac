/*
 * playback.h: what becomes of the audio that a command received.
 *
 * Reads the server's messages one by one and writes their audio as WAV to a
 * file, to standard output or to a player found on this machine.
 */
#ifndef CLI_PLAYBACK_H
#define CLI_PLAYBACK_H

#include <stdbool.h>
#include <stddef.h>

struct playback;

/* `file` NULL: play it; "-": standard output.  A file is begun when the first
 * sound is there; before that, one that exists is left alone.  What went wrong
 * was printed. */
int playback_alloc(struct playback **playbackp, const char *file, bool show_progress);

/* For one that plays and prints nothing: what went wrong, also that there is no
 * player, is what playback_end says. */
int playback_alloc_silent(struct playback **playbackp);

/* A message of the server; it is overwritten. */
void playback_message(struct playback *playback, char *json, size_t len);

/* session_closed or an error has come. */
bool playback_is_over(const struct playback *playback);

/* The user ended it: nothing more is coming. */
void playback_interrupt(struct playback *playback);

/* The last word: completes the file, waits for the player.  Non-zero (printed)
 * when there was an error, from the server or from writing, or no sound at all. */
int playback_finish(struct playback *playback);

/* The same, unprinted: what went wrong, "" when nothing did; no sound is fine. */
const char *playback_end(struct playback *playback);

#endif
