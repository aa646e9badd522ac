/*
 * ear.h: listens to a caller, and knows what they have said in their turn so far.
 *
 *   audio --> audio_intake (to 16 kHz) --> transcription --> frames, pauses, words
 *
 * A turn of the caller is everything from the beginning of speech to ear_next_turn, with pauses in it.
 * At each pause of EAR_PAUSE_MS the whole turn so far is recognized, because it may be over: a later
 * pause makes the words of an earlier one obsolete.  The turn is recognized from its beginning each time,
 * since a model understands a sentence better than its parts; only after a long pause, or when a turn
 * becomes long, is what was said so far settled, and only what follows is recognized.
 *
 * Runs on the loop's thread.
 */
#ifndef CALL_EAR_H
#define CALL_EAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "session/listen_api.h"
#include "session/services.h"
#include "wire/fault.h"

/* A pause after which a turn may be over: three frames.  Shorter ones are within words. */
#define EAR_PAUSE_MS 96u

/* Speech that begins again after a pause of this length is recognized by itself. */
#define EAR_SETTLE_PAUSE_MS 500u

/* A turn of this length is recognized in parts, so that the time for its words stays bounded. */
#define EAR_SETTLE_S 12u

/* The longest audio in one message, and the most that waits for permission to listen. */
#define EAR_MESSAGE_S 10u
#define EAR_HELD_S 20u

/* The longest text of one turn. */
#define EAR_TEXT_MAX (64u * 1024u)

/* The longest call. */
#define EAR_AUDIO_S (3u * 3600u)

/* The audio before a pause from which its intonation is measured. */
#define EAR_TAIL_SAMPLES (3u * HEARING_RATE / 2u)

struct ear;

struct ear_request {
	const struct session_services *services;
	struct caller *caller; /* a reference is taken */
	const char *model; /* a name in the catalogue; "": one that knows the language */
	const char *language; /* a code; "": any */
	struct listen_format format;
	bool want_partials;
};

struct ear_frame {
	uint8_t probability; /* of speech, times 255 */
	float level_db, brightness_db, voicing; /* see audio/intonation.h */
};

/* `failed`, `flow` and, when the caller may not be listened to any longer, `pause` may be called from
 * inside ear_begin and ear_audio, the others from neither.  Each may close the ear. */
struct ear_ops {
	/* One for each 32 ms of audio. */
	void (*frame)(void *arg, const struct ear_frame *frame);
	/* The caller speaks: a turn begins, or continues after a pause. */
	void (*speech)(void *arg);
	/* The caller has been silent for EAR_PAUSE_MS. */
	void (*pause)(void *arg);
	/* Words of the turn so far, while the caller speaks; they may change. */
	void (*partial)(void *arg, const char *text, size_t len);
	/* All words of the turn up to the last pause; "": nothing was said. */
	void (*words)(void *arg, const char *text, size_t len);
	/* Nothing is heard any more. */
	void (*failed)(void *arg, const struct stream_fault *fault);
	/* Whether the client should pause sending, or may continue. */
	void (*flow)(void *arg, bool pause);
};

/* EINVAL with the fault when nothing can listen here. */
int ear_alloc(struct ear **earp, const struct ear_request *request, const struct ear_ops *ops,
	      void *arg, struct stream_fault *fault);
/* Requests permission to listen.  Audio that arrives before it was given is held. */
void ear_begin(struct ear *ear, const char *prompt);

/* Books what was heard and releases the ear; may be NULL.  Returns NULL. */
struct ear *ear_close(struct ear *ear);

/* Takes audio in the client's format.  EMSGSIZE: it is too long, ENOMEM. */
int ear_audio(struct ear *ear, const uint8_t *bytes, size_t len);

/* Ends the turn: what was said so far does not belong to what follows.  Words that are not known yet
 * are not reported.  Speech that goes on belongs to the new turn from its last beginning. */
void ear_next_turn(struct ear *ear);

bool ear_is_speech(const struct ear *ear); /* the caller speaks */
bool ear_has_words(const struct ear *ear); /* those of the last pause are known */
bool ear_awaits_words(const struct ear *ear); /* they are being recognized */
const char *ear_text(const struct ear *ear,
		     size_t *len); /* the last words; valid until the next event */
unsigned ear_silence_ms(const struct ear *ear); /* since the last speech, as far as it was scored */

/* The last audio of the turn before its pause, at HEARING_RATE. */
const int16_t *ear_tail(const struct ear *ear, size_t *count);

#endif
