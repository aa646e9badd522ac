/*
 * server_client.h: a client of a server_world: one connection, HTTP and then perhaps WebSocket.
 *
 * It is written from the RFCs and uses nothing of src/net, where a mistake could otherwise cancel
 * itself out.  Every function that waits runs the server's loop meanwhile.
 */
#ifndef TEST_SERVER_CLIENT_H
#define TEST_SERVER_CLIENT_H

#include "server_world.h"

#define CLIENT_HEADERS_MAX 32

struct client_header {
	char name[64];
	char value[512];
};

struct client {
	struct world *world;
	int fd; /* -1: closed */
	bool is_head; /* the answer to the request has no body */
	bool has_more; /* more will be sent before the server may run */
	bool has_ended; /* the server has closed the connection */
	char *in; /* received bytes that have not been parsed yet; NUL-terminated */
	size_t in_len, in_size;

	/* The answer */
	int status;
	struct client_header headers[CLIENT_HEADERS_MAX];
	size_t headers_count;
	char *body;
	size_t body_len;
	bool is_cut; /* the connection ended before the body did */

	/* The last WebSocket message */
	unsigned opcode;
	char *message; /* NUL-terminated */
	size_t message_len;
	uint16_t close_code; /* 0: not closed by a frame */
};

/* Connects.  A narrow connection has a small receive buffer, so that the server cannot send more than
 * a few KiB that the client has not read. */
int client_open(struct client *client, struct world *world, bool is_narrow);
void client_close(struct client *client);
/* Resets the connection with a TCP RST, as a process that is killed with unread data does. */
void client_abort(struct client *client);

/* Sends while the loop runs.  EPIPE: the server has closed the connection. */
int client_send(struct client *client, const char *bytes, size_t len);

/* Waits until there are received bytes that have not been parsed. */
int client_wait(struct client *client);

/* Waits for a complete answer, or for an incomplete one if the connection ends (is_cut).  ETIMEDOUT,
 * ECONNRESET if it ends before the head is complete, EPROTO if the answer is not HTTP. */
int client_read_answer(struct client *client);
/* Returns the value of a header of the answer, or NULL. */
const char *client_header(const struct client *client, const char *name);

/* Opcodes of RFC 6455 */
enum { CLIENT_TEXT = 1, CLIENT_BINARY = 2, CLIENT_CLOSE = 8, CLIENT_PING = 9, CLIENT_PONG = 10 };
int client_send_frame(struct client *client, unsigned opcode, const char *bytes, size_t len);
/* Waits for the next frame; pings are answered and skipped.  ECONNRESET: the connection ended. */
int client_read_frame(struct client *client);

#endif
