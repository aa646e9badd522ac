/*
 * hearing.h: listening to a stream of audio.
 *
 * This is what a session sees of the engines that listen.  It sends the samples of a stream and is
 * told how probable speech is in each frame of 32 ms.  From that it decides which pieces are to be
 * recognized and when (segmenter.h), asks for them, and gets their words.
 *
 *   samples ──send──▶ kept until released ──▶ a worker ──▶ activity, one value for each frame
 *                             ▲                  │
 *   pieces ──recognize────────┴──────────────────┴───────▶ one result for each final
 *
 * A position is a number of samples from the beginning of the stream, at 16 kHz.  If a worker dies,
 * another one is given the audio that is kept and the pieces that have not been recognized; the session
 * notices only that their results are late.
 *
 * The server implements it with a pool of worker processes (hearing/pool.h), tests with a fake.
 * Everything runs on the loop's thread.
 */
#ifndef HEARING_HEARING_H
#define HEARING_HEARING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hearing/hearing_models.h"

#define HEARING_RATE 16000u /* samples per second; all audio is mono */
#define HEARING_FRAME 512u /* samples for which there is one probability of speech */

/* The most audio of a stream that is kept, and so the longest piece that can be recognized.  Two
 * minutes take 3.8 MB. */
#define HEARING_KEPT_MAX (120u * HEARING_RATE)

/* The most pieces of one stream that wait for their words. */
#define HEARING_PIECES_MAX 64u

/* Only valid during the call of `start`. */
struct hearing_request {
	const struct hearing_model *model; /* from the catalogue */
	const char *language; /* a code; "": the model's own, or detected */
	const char *prompt; /* what was said before, or names to expect; "": nothing */
	bool want_times; /* when each word is said, which takes some models more work */
};

/* A piece of a stream that is to be recognized. */
struct hearing_piece {
	uint32_t number; /* chosen by the session, for the result */
	uint64_t from_sample, to_sample; /* [from, to) */
	/* Nobody speaks any more, and somebody waits for the words: a final is recognized before all
	 * pieces that are not final, and is never left out. */
	bool is_final;
	uint64_t
		due_us; /* monotonic: of two finals, or of two others, the earlier one comes first */
};

/* A word of a result: its place in bytes of the text, and when it was said. */
struct hearing_word {
	uint32_t byte_start, byte_end;
	uint64_t sample_start, sample_end; /* positions in the stream, within the piece */
	float probability; /* 0 to 1; means nothing if the model has no probabilities */
};

/* The words of a piece.  Only valid during the call. */
struct hearing_result {
	struct hearing_piece piece;
	const char *text; /* UTF-8, without a NUL at the end */
	size_t text_len; /* 0: nothing was said */
	const struct hearing_word *words; /* in the order of the text, without overlaps */
	size_t word_count; /* 0 if no times were wanted, or the model has none */
	bool times_are_approximate;
	const char *language; /* the code of what was spoken; "": not known */
	float language_probability; /* 0 to 1 */
	uint32_t busy_us; /* the engine's time for the piece */
};

/* How a stream ended. */
enum hearing_end {
	HEARING_DONE, /* it was finished, and all results have been delivered */
	HEARING_FAILED, /* the engine refuses it, or its audio ends one worker after another */
	HEARING_UNAVAILABLE, /* no worker was available in time */
};

/* None of these is called from inside a function of struct hearing_ops.  Each may cancel the stream,
 * but `end`: then the stream does not exist any more when it returns. */
struct hearing_listener {
	/* Probabilities of speech, times 255, of frames that follow each other; the first one begins
	 * at this sample.  Every frame is reported once, in order. */
	void (*activity)(void *arg, uint64_t first_sample, const uint8_t *probabilities,
			 size_t count);
	/* The words of a piece.  Results may arrive in another order than pieces were asked for. */
	void (*result)(void *arg, const struct hearing_result *result);
	/* There is room for at least a second of audio again, after `send` was refused or `room` was
	 * less than that. */
	void (*room)(void *arg);
	/* The last call.  `detail` is for the log, in English; it may be empty. */
	void (*end)(void *arg, enum hearing_end how, const char *detail);
};

/* Whether a stream can be started now. */
enum hearing_state {
	HEARING_READY,
	HEARING_LOADING, /* an engine is starting, and it is not known yet which models there are */
	HEARING_NO_ENGINE, /* no program that listens is installed */
	HEARING_NO_MODELS, /* the engines have started and have no models */
	HEARING_BROKEN, /* the engines do not start */
};

struct hearing_stream;
struct hearing;

struct hearing_ops {
	/* ENOENT: no engine has this model any more.  ENOBUFS: there are as many streams as the
	 * server may have.  ENOMEM. */
	int (*start)(struct hearing_stream **streamp, struct hearing *hearing,
		     const struct hearing_request *request, const struct hearing_listener *listener,
		     void *arg);
	/* Audio that continues where the last samples ended.  ENOBUFS: there is no room for all of
	 * it, and nothing was taken.  ENOMEM: the same. */
	int (*send)(struct hearing_stream *stream, const int16_t *samples, size_t count);
	/* How many samples can be sent now. */
	size_t (*room)(const struct hearing_stream *stream);
	/* Asks for the words of a piece.  A final has exactly one result.  A piece that is not final
	 * has one or none: it is left out if a later piece of the stream has been asked for before
	 * it was given to a worker.  EINVAL: the piece is empty, longer than the model's longest
	 * piece, or not within the audio that has been sent and not been released.  ENOBUFS:
	 * HEARING_PIECES_MAX pieces wait.  ENOMEM. */
	int (*recognize)(struct hearing_stream *stream, const struct hearing_piece *piece);
	/* Audio before this sample will not be asked for again.  It is kept until the pieces that
	 * have been asked for have their results.  Without this call a stream runs out of room. */
	void (*release)(struct hearing_stream *stream, uint64_t sample);
	/* No samples and no pieces follow.  `end` is called when all results have been delivered. */
	void (*finish)(struct hearing_stream *stream);
	/* Ends the stream without calling a handler.  It does not exist any more. */
	void (*cancel)(struct hearing_stream *stream);
	enum hearing_state (*state)(const struct hearing *hearing);
};

struct hearing {
	const struct hearing_ops *ops;
	const struct hearing_models *models;
};

#endif
