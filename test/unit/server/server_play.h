/*
 * server_play.h: a case of a script while it runs, and the verbs of its lines.
 *
 * test_server_cases.c explains each verb.  The function of a verb returns false if the case has
 * failed; the reason is in play.why.
 */
#ifndef TEST_SERVER_PLAY_H
#define TEST_SERVER_PLAY_H

#include "server_checks.h"

#define PLAY_CLIENTS_MAX 32

struct named_client {
	char name[16];
	struct client client;
};

struct play {
	struct world world;
	struct variables variables;
	struct named_client clients[PLAY_CLIENTS_MAX];
	size_t clients_count;
	bool is_narrow; /* the next connection has a small window */
	char *metrics; /* the page /metrics at the last `mark`; NULL: there was none */
	char why[CHECKS_WHY_SIZE]; /* why the case has failed; "": it has not */
};

/* Sets play.why.  Always returns false. */
__attribute__((format(printf, 2, 3))) bool play_fail(struct play *play, const char *format, ...);

/* server_setup.c: verbs that need no server */
bool setup_config(struct play *play, char *rest);
bool setup_agent(struct play *play, char *rest);
bool setup_key(struct play *play, char *rest);
bool setup_token(struct play *play, char *rest);
bool setup_long(struct play *play, char *rest);
bool setup_form(struct play *play, char *rest);
bool setup_audio(struct play *play, char *rest);
bool setup_listen(struct play *play, char *rest);

/* server_exchange.c: requests, messages and the answers to them */
struct client *exchange_find(struct play *play, const char *name);
bool exchange_answer(struct play *play, struct client *client, char *rest);
struct client *exchange_ask(struct play *play, const char *name, const char *method, char **rest,
			    bool is_socket);
bool exchange_run(struct play *play, const char *method, char *rest);
bool exchange_soon(struct play *play, char *rest);
bool exchange_start(struct play *play, char *rest);
bool exchange_raw(struct play *play, char *rest);
bool exchange_ws(struct play *play, char *rest);
bool exchange_say(struct play *play, struct client *client, char *rest, unsigned opcode);
bool exchange_hear(struct play *play, struct client *client, const char *rest, bool may_skip);
bool exchange_flood(struct client *client, char *rest);
bool exchange_alive(struct play *play, struct client *client);
bool exchange_over(struct play *play, struct client *client);
bool exchange_closed(struct play *play, struct client *client, char *rest);

#endif
