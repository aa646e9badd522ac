/*
 * world.h: a session and all that it touches, in memory and on a fake clock.
 *
 * Nothing happens by itself: after each step world_settle runs the engine, the
 * peer and the ledger until nobody has anything left to do, in no time.
 */
#ifndef PROTO_WORLD_H
#define PROTO_WORLD_H

#include "fake_dictionaries.h"
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

/* Voices that exist: 1 and 2 are tones, this one is German. */
#define WORLD_GERMAN_VOICE 2001

struct world {
	struct timers timers;
	struct voices *voices;
	struct fake_peer peer;
	struct fake_speech speech;
	struct fake_ledger ledger;
	struct fake_dictionaries dictionaries;
	struct prices prices;
	struct session_services services;
	struct member *member;
	struct session *session; /* NULL: not there, or gone */
};

/* The rest of the world without the session, and the session. */
int world_open(struct world *world);
int world_connect(struct world *world); /* /ws/tts/stream */
int world_connect_multi(struct world *world);
int world_connect_once(struct world *world); /* /ws/tts */
/* ElevenLabs' stream-input and multi-stream-input, with voice 1 and pcm_24000. */
int world_connect_elevenlabs(struct world *world);
int world_connect_elevenlabs_multi(struct world *world);
void world_disconnect(struct world *world);

/* The member that connects next, without any limits but those that are set in these:
 * start with the rows of world_rows. */
void world_rows(struct store_account *account, struct store_key *key);
int world_become(struct world *world, const struct store_account *account,
		 const struct store_key *key);
void world_close(struct world *world);

/* A message of the client, copied to a buffer of exactly its size. */
void world_say(struct world *world, const char *json, size_t len);

void world_settle(struct world *world);
void world_pass(struct world *world, uint64_t us);

#endif
