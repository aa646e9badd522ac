/*
 * server_world.h: a whole server in the test's own process.
 *
 * It is the server that `syrinx serve` runs, opened by server_open, with a store in memory, every
 * door, the tone engine as its only engine that speaks, and a port of the loopback interface.  The engines
 * that listen and decode are fakes.  Its loop runs only
 * inside world_turn, so that it can share a thread with its clients.
 *
 * The clocks of src/base/clock.h are the system's plus what world_pass has added (the program is
 * linked with --wrap), so that no test has to wait for a timeout.
 */
#ifndef TEST_SERVER_WORLD_H
#define TEST_SERVER_WORLD_H

#include "fake_decoding.h"
#include "fake_hearing.h"
#include "server/server_private.h"

#define WORLD_KEYS_MAX 24
#define WORLD_CONFIG_MAX 16384
#define WORLD_KEY_SIZE 64

/* How long tests wait for something that must happen, even on a busy machine. */
#define WORLD_WAIT_MS 20000

/* A key that is added to the store before the first client connects. */
struct world_key {
	char name[32];
	/* The name of its account, which is created if it does not exist; "": the default one. */
	char account[32];
	bool is_prepaid; /* a new account is prepaid, and has no credit */
	struct store_key row;
	char text[WORLD_KEY_SIZE];
};

struct world {
	struct server server;
	struct config *config;
	struct fake_hearing hearing;
	struct fake_decoding decoding;
	char dir[64];
	/* Lines that are added to the configuration that every world has. */
	char settings[WORLD_CONFIG_MAX];
	struct world_key keys[WORLD_KEYS_MAX];
	size_t keys_count;
	char address[64]; /* HOST:PORT that the server listens on */
	char url_port[8];
	bool is_open;
	bool has_ended; /* the server has called loop_stop */
	size_t objects_before;
};

/* Creates the world's files.  `engine` is the path of syrinx-tone.  Starts nothing. */
int world_init(struct world *world, const char *engine);

/* Starts the server, and runs its loop until its engine has loaded. */
int world_open(struct world *world);

/* Closes the server as its process would, and removes the files.  Returns the number of objects that
 * were not released; it should be 0. */
size_t world_close(struct world *world);

/* Runs the loop once.  Waits up to wait_ms until the server has something to do, or the descriptor
 * (-1: none) is ready for these events of poll(2). */
void world_turn(struct world *world, int fd, short events, int wait_ms);

/* Advances both clocks, and runs the timers that are then due. */
void world_pass(struct world *world, uint64_t us);

/* Whether no client is connected and nothing is being spoken. */
bool world_is_quiet(const struct world *world);

#endif
