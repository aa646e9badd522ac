/*
 * playback.h: plays or saves the audio that a command receives.
 *
 * Reads the server's messages one by one and writes their audio as WAV to a file, to standard
 * output or to an audio player found on this machine.
 */
#ifndef CLI_PLAYBACK_H
#define CLI_PLAYBACK_H

#include <stdbool.h>
#include <stddef.h>

struct playback;

/* `file` is NULL to play the audio, or "-" for standard output; it is not copied. A file is created
 * when the first audio arrives; until then, an existing file is left alone. Errors are printed. */
int playback_alloc(struct playback **playbackp, const char *file, bool show_progress);

/* For playing without printing anything: errors, including a missing player, are returned by
 * playback_end. */
int playback_alloc_silent(struct playback **playbackp);

/* Processes a message of the server, which is overwritten. */
void playback_message(struct playback *playback, char *json, size_t len);

/* Whether session_closed or an error has arrived. */
bool playback_is_over(const struct playback *playback);

/* Records that the user stopped the speech: no more messages follow. */
void playback_interrupt(struct playback *playback);

/* Completes the file or waits for the player. Nonzero (and printed) after an error, from the
 * server or in writing, and if there was no audio. */
int playback_finish(struct playback *playback);

/* Like playback_finish, but returns the error, a string that belongs to the playback, instead of
 * printing it; "" if there was none. It is not an error here if there was no audio. */
const char *playback_end(struct playback *playback);

#endif
