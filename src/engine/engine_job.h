/*
 * engine_job.h: one text in an engine's process, from SPEAK to DONE, and the messages about it.
 *
 * A job has no socket and takes no lock. Messages are appended to a buffer, and the owner of the
 * job (runner.h) ensures that only one thread at a time changes it.
 */
#ifndef ENGINE_ENGINE_JOB_H
#define ENGINE_ENGINE_JOB_H

#include "base/buf.h"
#include "base/list.h"
#include "engine/engine.h"
#include "engine/turn.h"
#include "workers/message.h"

/* The maximum number of samples in one AUDIO: about a quarter of a second at 16 kHz, less at
 * higher rates, so that a cancel never waits for much audio that is already in the socket. */
#define ENGINE_JOB_AUDIO_MAX 4096u

struct engine_job {
	struct link link; /* in a list of its owner */
	uint32_t id; /* the server's id of the job */
	uint32_t sample_rate; /* of the voice; set when the job begins */
	char *strings[5]; /* owned; the strings that text points to */
	struct engine_phonemes *phonemes; /* owned; text.phonemes */
	char *ipa; /* owned; the strings of all phonemes, one after the other */
	struct engine_text text;
	struct turn *turn; /* the turn whose state the engine uses; NULL: none */
	/* Jobs with the turn's earlier texts, which are spoken first, into a null sink; owned. */
	struct list replay;
	/* When the listener will have played everything sent so far (clock_monotonic_us). */
	uint64_t due_us;
	uint64_t credit; /* samples that may be sent now */
	uint64_t skip; /* samples still to be dropped, because they were heard before */
	uint64_t samples; /* dropped or sent so far */
	uint64_t busy_us; /* time that the engine has worked on the job, not counting waits */
	bool begun; /* false while it waits to be spoken */
	bool cancelled;
};

/* Makes a job that has not begun, an object of base/mem.h. It copies the strings of the message,
 * and replaces control characters in them with spaces. ENOMEM. */
int engine_job_alloc(struct engine_job **jobp, uint32_t id, const struct message_speak *speak,
		     const struct engine *engine);

/* Returns how many of the next n samples were heard before. They are counted, and the caller
 * must not send them. */
size_t engine_job_skip(struct engine_job *job, size_t n);

/* The following functions append a message to `out` and return 0 or the error of the buffer
 * (ENOMEM, ENOBUFS). */

/* Appends an AUDIO with the first of the n samples, as many as the credit and
 * ENGINE_JOB_AUDIO_MAX allow; *sent is their number, 0 without credit. */
int engine_job_put_audio(struct engine_job *job, struct buf *out, size_t *sent,
			 const int16_t *samples, size_t n);

/* When n samples are ready to be sent and the credit does not cover them all, appends a MADE
 * with the number of the others, so that the server knows that they cost no more work. */
int engine_job_put_made(const struct engine_job *job, struct buf *out, size_t n);

int engine_job_put_word(const struct engine_job *job, struct buf *out,
			const struct message_word *word);
int engine_job_put_done(const struct engine_job *job, struct buf *out, enum message_done status,
			const char *detail);

/* Appends the DONE after the engine has returned; failure is the errno that it returned. */
int engine_job_put_end(const struct engine_job *job, struct buf *out, int failure);

#endif
