/*
 * caller_socket.h: the caller of a scripted call: speaks to an agent over a WebSocket, and hears it.
 *
 * One thread, which blocks until the call has ended. A call is a conversation of JSON messages in
 * which both sides' audio is base64; the server's first message has the formats of the audio.
 */
#ifndef CLI_CALLER_SOCKET_H
#define CLI_CALLER_SOCKET_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/caller_sound.h"
#include "cli/caller_turns.h"

/* Exit statuses beside COMMAND_OK, COMMAND_FAILED and COMMAND_USAGE, so that a script can tell a
 * server that is not there from an agent that says nothing. */
enum { CALLER_SOCKET_REFUSED = 3, CALLER_SOCKET_SERVER_ERROR = 4, CALLER_SOCKET_NO_ANSWER = 5 };

struct caller_socket_options {
	const char *url;
	const char *key;
	const char *ca_file; /* NULL: the system's certificate authorities */
	const char *first_message; /* what the agent says first; NULL: what it always says */
	const char *recording; /* the file for what is heard, or NULL */
	bool is_stereo; /* the recording has the caller as well */
	bool is_json;
};

/* Calls, speaks each turn (turns->turns[i] says sounds[i] or, in a call of texts, its own name) and
 * prints what happens to standard output. turns->wait_us, patience_us and is_text were set by the
 * caller. The sounds are converted to the rate of the call. Returns an exit status after
 * printing the reason of a failure. */
int caller_socket_run(const struct caller_socket_options *options, struct caller_turns *turns,
		      struct caller_sound *sounds);

#endif
