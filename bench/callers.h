/*
 * callers.h: simulated callers who speak to the server, in real time, and are told what was understood.
 *
 * Each has a WebSocket to /v1/speech-to-text/realtime and sends an utterance in chunks of 20 ms, each
 * when its last sample would have been recorded.  All callers are in one thread.
 */
#ifndef BENCH_CALLERS_H
#define BENCH_CALLERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/target.h"
#include "bench/utterances.h"

/* The chunks of which it is known when they were sent: twenty seconds. */
#define CALLER_KEPT 1024u

enum caller_event {
	CALLER_SPEECH, /* somebody has begun to speak */
	CALLER_SILENCE, /* nobody speaks any more */
	CALLER_PARTIAL,
	CALLER_WORDS, /* the words of a segment, which are final */
};

struct caller_message {
	enum caller_event event;
	uint64_t at_us; /* when it arrived */
	uint64_t sample; /* of CALLER_SPEECH and CALLER_SILENCE: the segment begins or ends there */
	const char *text; /* of the others */
};

struct callers;

struct caller {
	struct callers *callers;
	struct ws_client *client;
	size_t index;
	const struct utterance *utterance; /* NULL: it says nothing now */
	size_t chunk, chunks; /* the next one of this utterance, and how many it has */
	bool commits; /* with the last one */
	uint64_t due_us; /* when the next chunk is due */
	uint64_t sent; /* samples, from the beginning of the stream */
	uint64_t sent_us[CALLER_KEPT];
	bool has_failed;
};

/* Nobody is called from inside another function than callers_run. */
struct callers_handlers {
	void (*message)(struct caller *caller, const struct caller_message *message, void *arg);
	/* It has said everything, and may say something else. */
	void (*finished)(struct caller *caller, void *arg);
};

struct callers {
	struct caller *all;
	size_t count;
	int epoll_fd;
	const struct callers_handlers *handlers;
	void *arg;
	unsigned failures; /* errors that the server sent, and connections that it closed */
	uint64_t late_us; /* how late a chunk was sent at worst */
};

/* Opens connections with these parameters in their URL. */
int callers_open(struct callers *callers, const struct target *target, size_t count,
		 const char *query, const struct callers_handlers *handlers, void *arg);
void callers_close(struct callers *callers);

/* Begins an utterance at this time.  With `commits` it ends with its speech, and the client says so;
 * otherwise silence follows. */
void caller_say(struct caller *caller, const struct utterance *utterance, uint64_t start_us,
		bool commits);

/* Sends and receives until *is_over, or until this time. */
void callers_run(struct callers *callers, uint64_t until_us, const bool *is_over);

/* When the chunk was sent that holds the sample before this one; 0 if it was not. */
uint64_t caller_sent_us(const struct caller *caller, uint64_t sample);

#endif
