/*
 * decoding.h: a file becomes samples.
 *
 * This is what the rest of the server sees of the program that decodes files.  The bytes of a file are
 * sent as they arrive from a client, and its samples, 16 kHz and mono, are delivered no faster than
 * they are wanted:
 *
 *   room ──▶ send … finish ──▶ a worker ──▶ samples, as many as were granted … end
 *
 * The whole file is in the worker, and decoding begins with `finish`.  So a file is always taken,
 * whether its samples are wanted yet or not.
 *
 * The server implements it with worker processes (hearing/decoding_pool.h), tests with a fake.
 * Everything runs on the loop's thread.
 */
#ifndef HEARING_DECODING_H
#define HEARING_DECODING_H

#include <stddef.h>
#include <stdint.h>

#define DECODING_RATE 16000u /* samples per second; one channel */
#define DECODING_FILE_MAX 26214400u /* bytes: 25 MiB */

/* How a job ended. */
enum decoding_end {
	DECODING_DONE, /* all samples have been delivered; a detail says that the file ends early */
	DECODING_REFUSED, /* the file cannot be decoded, and the detail says why, for its owner */
	DECODING_FAILED, /* the worker died, and the file is not kept here to be decoded again */
	DECODING_UNAVAILABLE, /* no worker was available in time */
};

/* None of these is called from inside a function of struct decoding_ops.  `room` and `samples` may
 * cancel the job; when `end` returns, the job does not exist any more. */
struct decoding_listener {
	/* There is room, after there was none. */
	void (*room)(void *arg);
	void (*samples)(void *arg, const int16_t *samples, size_t count);
	/* The last call.  `detail` is an English sentence without a full stop, or "". */
	void (*end)(void *arg, enum decoding_end how, const char *detail);
};

/* Whether files can be decoded. */
enum decoding_state {
	DECODING_READY, /* as far as is known: workers are started when there is work */
	DECODING_NO_ENGINE, /* the program is not installed */
	DECODING_BROKEN, /* the program does not start */
};

struct decoding_job;
struct decoding;

struct decoding_ops {
	/* Begins a job.  `format` is "" if the file says itself what it is, or pcm_RATE (16 bits,
	 * little-endian), ulaw_RATE or alaw_RATE for samples without a header.  ENOENT: the program is
	 * not installed.  ENOBUFS: there are as many jobs as the server may have.  ENOMEM. */
	int (*start)(struct decoding_job **jobp, struct decoding *decoding, const char *format,
		     const struct decoding_listener *listener, void *arg);
	/* How many bytes can be sent now. */
	size_t (*room)(const struct decoding_job *job);
	/* The next bytes of the file.  ENOBUFS: there is no room for all of them.  EFBIG: the file is
	 * longer than DECODING_FILE_MAX.  Nothing was taken. */
	int (*send)(struct decoding_job *job, const void *bytes, size_t len);
	/* The file is complete.  A format that is not empty replaces that of `start`: in a form it can
	 * come after the file. */
	void (*finish)(struct decoding_job *job, const char *format);
	/* This many samples more are wanted. */
	void (*grant)(struct decoding_job *job, uint32_t samples);
	/* Ends the job without calling a handler.  It does not exist any more. */
	void (*cancel)(struct decoding_job *job);
	enum decoding_state (*state)(const struct decoding *decoding);
};

struct decoding {
	const struct decoding_ops *ops;
};

#endif
