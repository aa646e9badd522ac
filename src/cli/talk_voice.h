/*
 * talk_voice.h: speaks an answer while it is still being written.
 *
 * There is a child process for each answer: it streams the text to the server's /ws/tts/stream
 * and plays the audio, and is stopped when the user speaks again. A player that blocks therefore
 * does not block the conversation.
 */
#ifndef CLI_TALK_VOICE_H
#define CLI_TALK_VOICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct talk_voice;

struct talk_voice_options {
	const char *url; /* the URL of /ws/tts/stream */
	const char *key; /* for the Syrinx server, not the speech engine's */
	const char *ca_file; /* NULL: the system's certificate authorities */
	const char *language; /* NULL: the voice's own language */
	int64_t voice_id;
};

/* The strings of the options are not copied. Release it with mem_deref, which stops speaking. */
int talk_voice_alloc(struct talk_voice **voicep, const struct talk_voice_options *options);

/* Speaks the next part of the answer; the first part starts the child. */
void talk_voice_say(struct talk_voice *voice, const char *text, size_t len);

/* Ends the answer: the remaining text is spoken. */
void talk_voice_end(struct talk_voice *voice);

/* Stops speaking immediately. True if something was being spoken. */
bool talk_voice_stop(struct talk_voice *voice);

/* Waits until everything was played. */
void talk_voice_wait(struct talk_voice *voice);

/* A descriptor to poll for reading before calling talk_voice_trouble; -1 if there is no child that
 * could report a problem. */
int talk_voice_fd(const struct talk_voice *voice);

/* Why nothing can be spoken, in words that belong to `voice`; NULL if there is no problem or it is
 * not known yet. Reported once: nothing more is spoken after that, because the next answer would
 * fail, too. */
const char *talk_voice_trouble(struct talk_voice *voice);

#endif
