/*
 * phones.h: callers in conversations with an agent, over /v1/convai/conversation, as clients of ElevenLabs
 * are.
 *
 * A phone sends 20 ms of sound every 20 ms, each when its last sample would have been recorded; when its
 * caller says nothing, that is silence.  It plays what it receives from the first frame on, and notes when
 * it has nothing to play.  All phones are in one thread.
 */
#ifndef BENCH_PHONES_H
#define BENCH_PHONES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/answering.h"
#include "bench/speeches.h"
#include "bench/target.h"

/* A frame is late if there was nothing to play for longer than this. */
#define PHONE_GAP_US 40000u
#define PHONE_TEXT_SIZE 1024

/* What a phone has received.  It is written by phone_take alone, which needs no connection. */
struct phone_heard {
	bool is_started; /* the first reply is there */
	int64_t ping_id; /* of a ping that is to be answered; -1: none */
	unsigned errors;

	unsigned answers; /* of which something was heard */
	int64_t event_id; /* of the newest one; -1: none */
	uint64_t answer_us; /* when its first frame came */
	uint64_t dry_us; /* when everything that was received will have been played */

	unsigned cuts; /* interruptions */
	int64_t cut_id; /* the newest; -1: none */
	uint64_t cut_us;
	unsigned stale; /* frames of an answer that had been interrupted */

	unsigned late; /* frames that came after a gap */
	uint64_t gap_us; /* the longest */

	unsigned transcripts;
	uint64_t words_us; /* when the newest came */
	char words[PHONE_TEXT_SIZE];
};

void phone_init_heard(struct phone_heard *heard);

/* Takes a message of the server that came at this time; the message is overwritten. */
void phone_take(struct phone_heard *heard, char *json, size_t len, uint64_t now_us);

struct phone {
	struct ws_client *client; /* NULL: hung up */
	size_t index;
	bool has_failed; /* the connection has ended */
	struct phone_heard heard;

	const struct speech *speech; /* NULL: silence */
	size_t chunk; /* the next one of the speech */
	uint64_t due_us; /* when the next chunk is due */
	uint64_t onset_us, end_us; /* of the last speech; the end is 0 until it has come */
};

struct phones {
	struct phone *all;
	size_t count;
	int epoll_fd;
	struct answering *answering; /* whom the agents ask; it is run with the phones */
	char *silence; /* a message */
	uint64_t spoken; /* samples that were sent and are not silence between speeches */
	uint64_t late_us; /* how late a chunk was sent at worst */
};

int phones_open(struct phones *phones, size_t count, struct answering *answering);
void phones_close(struct phones *phones);

/* Calls an agent and waits until it may be spoken to. */
int phones_dial(struct phones *phones, size_t index, const struct target *target,
		const char *agent);
/* The connection breaks without a farewell. */
void phones_drop(struct phones *phones, size_t index);

/* Begins to say something with the next chunk. */
void phone_say(struct phone *phone, const struct speech *speech);
/* Asks the agent in writing. */
int phone_type(struct phone *phone, const char *text);

/* Sends and receives until this time, or until is_over, which may be NULL, returns true. */
typedef bool(phones_over_h)(void *arg);
void phones_run(struct phones *phones, uint64_t until_us, phones_over_h *is_over, void *arg);

#endif
