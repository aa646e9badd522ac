/*
 * world.h: a session and everything that it uses, in memory and with a fake clock.
 *
 * Nothing happens by itself: after each step, world_settle runs the engine, the peer and the ledger
 * until nothing is left to do.  The clock does not advance meanwhile.
 */
#ifndef PROTO_WORLD_H
#define PROTO_WORLD_H

#include "fake_dictionary_cache.h"
#include "fake_hearing.h"
#include "fake_ledger.h"
#include "fake_peer.h"
#include "fake_speech.h"
#include "loop/timers.h"
#include "session/tts_multi.h"
#include "session/tts_once.h"
#include "session/tts_stream.h"

#define WORLD_ACCOUNT_ID 5
#define WORLD_KEY_ID 7
#define WORLD_PROJECT_ID 3
#define WORLD_REQUEST_ID "req-1"

/* A German voice.  Voices 1 and 2, which speak with tones, exist as well. */
#define WORLD_GERMAN_VOICE 2001

struct world {
	struct timers timers;
	struct voices *voices;
	struct fake_peer peer;
	struct fake_speech speech;
	struct fake_hearing hearing;
	struct fake_ledger ledger;
	struct fake_dictionary_cache dictionaries;
	struct prices prices;
	struct session_services services;
	struct caller *caller;
	struct session *session; /* NULL: there is no connection */
	const char *listen_query; /* NULL: none */
};

/* Makes the world without a session; the functions below make one. */
int world_open(struct world *world);
int world_connect(struct world *world); /* /ws/tts/stream */
int world_connect_multi(struct world *world);
int world_connect_once(struct world *world); /* /ws/tts */
/* ElevenLabs' stream-input and multi-stream-input, with voice 1 and pcm_24000. */
int world_connect_elevenlabs(struct world *world);
int world_connect_elevenlabs_multi(struct world *world);
/* ElevenLabs' WebSocket that listens, with the query of world.listen_query, whose parameters are not
 * percent-encoded. */
int world_connect_scribe(struct world *world);
void world_disconnect(struct world *world);

/* Sets the caller of the next connection.  It has only the limits that are set in the rows, which
 * should be made with world_rows. */
void world_rows(struct store_account *account, struct store_key *key);
int world_become(struct world *world, const struct store_account *account,
		 const struct store_key *key);
void world_close(struct world *world);

/* Passes a message of the client to the session, in a buffer of exactly its size, so that the
 * address sanitizer finds accesses beyond its end. */
void world_say(struct world *world, const char *json, size_t len);

void world_settle(struct world *world);
void world_pass(struct world *world, uint64_t us);

#endif
