/*
 * job.h: a text on its way from SPEAK to DONE, and the messages that come of
 * it.
 *
 * A job knows no socket and takes no lock: messages are appended to a buffer,
 * and whoever has the job sees to it that one thread at a time changes it.
 */
#ifndef ENGINE_JOB_H
#define ENGINE_JOB_H

#include "base/buf.h"
#include "base/list.h"
#include "engine/engine.h"
#include "workers/message.h"

/* Samples in one AUDIO: at 16 kHz and more under a quarter of a second, so
 * that a cancel never waits behind much that is already in the socket. */
#define JOB_AUDIO_MAX 4096u

struct job {
	struct link link;
	uint32_t id;
	uint32_t sample_rate; /* of its voice; known when the job begins */
	char *strings[5]; /* what text points to … */
	struct engine_phonemes *phonemes; /* … and so do these … */
	char *ipa; /* … to this: one after the other */
	struct engine_text text;
	uint64_t due_us; /* when its listener has nothing more to hear */
	uint64_t credit; /* samples that may be sent now */
	uint64_t skip; /* samples still to be dropped */
	uint64_t samples; /* dropped or sent so far */
	uint64_t busy_us; /* time of the engine, without waiting */
	bool begun; /* else it waits to be spoken */
	bool cancelled;
};

/* A job that waits; it copies what the message lends. */
int job_alloc(struct job **jobp, uint32_t id, const struct message_speak *speak,
	      const struct engine *engine);

/* Of n samples, how many at their start were heard before: they count, and are
 * not to be sent. */
size_t job_skip(struct job *job, size_t n);

/* Appends an AUDIO with the first samples of n, as many as credit and
 * JOB_AUDIO_MAX allow; *sent is how many, 0 without credit. */
int job_put_audio(struct job *job, struct buf *out, size_t *sent, const int16_t *samples, size_t n);

/* Of n samples that are to be sent, those beyond the credit: tells the server
 * that they cost no more work. */
int job_put_made(const struct job *job, struct buf *out, size_t n);

int job_put_word(const struct job *job, struct buf *out, const struct message_word *word);
int job_put_done(const struct job *job, struct buf *out, enum message_done status,
		 const char *detail);

/* The DONE of a job that the engine has returned from with this errno. */
int job_put_end(const struct job *job, struct buf *out, int failure);

#endif
