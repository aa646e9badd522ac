/*
 * mouth.h: speaks the agent's side of a call, and knows how much of it the caller has heard.
 *
 *   words of an answer --> a turn of speech --> held or paced --> the caller
 *
 * One utterance is spoken at a time: the answer to one question, or a greeting.  While it is held,
 * because it is not certain yet that the caller has finished, its sound is made but not sent.  Sound is
 * sent at most MOUTH_LEAD_MS ahead of playback, so that little is left to be played when the caller
 * interrupts.
 *
 * Runs on the loop's thread.
 */
#ifndef CALL_MOUTH_H
#define CALL_MOUTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "session/session.h"

/* How far sound is sent ahead of playback.  It must cover the jitter of a network, and it is how long the
 * agent is still heard after it was interrupted: clients fade out what they have. */
#define MOUTH_LEAD_MS 250u

/* Sound that is made ahead of what may be sent, so that a pause of the engine is not heard. */
#define MOUTH_HELD_MS 1500u

/* How much quieter the agent is while the caller may be interrupting: a quarter of the amplitude is
 * clearly quieter, and still understood if it was only a cough. */
#define MOUTH_DUCKED_DIVISOR 4

/* The longest text of one utterance, which is also the limit of text that waits to be spoken. */
#define MOUTH_TEXT_MAX (256u * 1024u)

struct mouth;

struct mouth_request {
	const struct session_services *services;
	struct caller *caller; /* a reference is taken */
	const char *request_id; /* copied */
	const struct settings *settings; /* the voice, its speed and the format; copied */
};

/* None of these is called from inside mouth_* functions.  Each may close the mouth. */
struct mouth_ops {
	/* Sound to be sent now, in the format of the settings. */
	void (*audio)(void *arg, const uint8_t *bytes, size_t len, uint32_t samples);
	/* The first sound of the utterance is made, even if it is held. */
	void (*ready)(void *arg);
	/* The utterance was ended (mouth_end), and the caller has heard all of it. */
	void (*finished)(void *arg);
	/* Nothing more of the utterance will be spoken. */
	void (*failed)(void *arg, const struct stream_fault *fault);
};

/* EINVAL: the format is neither PCM nor µ-law. */
int mouth_alloc(struct mouth **mouthp, const struct mouth_request *request,
		const struct mouth_ops *ops, void *arg);
/* Cuts the utterance off and releases the mouth; may be NULL.  Returns NULL. */
struct mouth *mouth_close(struct mouth *mouth);

/* Begins an utterance, held or not.  There must be none. */
void mouth_begin(struct mouth *mouth, bool is_held);
bool mouth_is_open(const struct mouth *mouth); /* an utterance was begun, and is not over */
bool mouth_has_sound(const struct mouth *mouth); /* its first sound is made */

/* Adds words of the utterance; EMSGSIZE when it is too long. */
int mouth_say(struct mouth *mouth, const char *text, size_t len);
/* No more words follow. */
void mouth_end(struct mouth *mouth);
/* What is held may be sent. */
void mouth_release(struct mouth *mouth);

void mouth_duck(struct mouth *mouth, bool is_ducked);

/* Ends the utterance at once.  `heard` becomes what the caller has heard of its text, if that is wanted:
 * as much as was played `delay_ms` ago, which is how long it takes sound to arrive. */
void mouth_cut(struct mouth *mouth, unsigned delay_ms, struct buf *heard);

/* Stops sending sound, because the client does not read what was sent, or continues. */
void mouth_pause(struct mouth *mouth, bool is_paused);

/* The number of samples of the utterance that were sent so far; of the last ones, so many were not sent
 * after all; and the client says that it has played as many of them, which corrects the estimate. */
uint64_t mouth_sent(const struct mouth *mouth);
void mouth_take_back(struct mouth *mouth, uint64_t samples);
void mouth_note_played(struct mouth *mouth, uint64_t samples);

/* The loudest sound that was sent lately, which the caller's microphone may hear, in decibels below full
 * scale; -120: none. */
float mouth_level_db(const struct mouth *mouth);

/* What the agent has spoken lately, which an echo could be of.  It belongs to the mouth. */
const char *mouth_recent_text(const struct mouth *mouth, size_t *len);

#endif
