/*
 * talk_voice.h: an answer spoken while it is still being written.
 *
 * A child process for each answer: it streams the words to the server's
 * /ws/tts/stream and plays what comes back, and is ended when the user speaks
 * again.  So a player that blocks does not keep the conversation from going on.
 */
#ifndef CLI_TALK_VOICE_H
#define CLI_TALK_VOICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct talk_voice;

struct talk_voice_options {
	const char *url; /* of /ws/tts/stream */
	const char *key; /* for the Syrinx server, not the speech engine's */
	const char *ca_file; /* NULL: the system's */
	const char *language; /* NULL: the voice's own */
	int64_t voice_id;
};

/* The options are not copied. */
int talk_voice_alloc(struct talk_voice **voicep, const struct talk_voice_options *options);

/* More of the answer; the first begins to speak. */
void talk_voice_say(struct talk_voice *voice, const char *text, size_t len);

/* It is whole: what is left is spoken to its end. */
void talk_voice_end(struct talk_voice *voice);

/* Silence, now.  True when something was being said. */
bool talk_voice_stop(struct talk_voice *voice);

/* Waits until all was heard. */
void talk_voice_wait(struct talk_voice *voice);

/* To poll for reading, then ask for trouble; -1 when nothing is said. */
int talk_voice_fd(const struct talk_voice *voice);

/* What kept it from speaking, in words; NULL when nothing did, or it does not know yet.
 * Told once: it is mute from then on, because the next answer would fare alike. */
const char *talk_voice_trouble(struct talk_voice *voice);

#endif
