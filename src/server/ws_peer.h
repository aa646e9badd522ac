/*
 * ws_peer.h: a WebSocket as the peer of a session or a conversation.
 *
 * Its owner sets `ws` when the WebSocket is open, and NULL when it is closed; while it is NULL,
 * messages are dropped.  The owner also keeps peer.is_full up to date (see session/peer.h).  Runs
 * on the loop's thread.
 */
#ifndef SERVER_WS_PEER_H
#define SERVER_WS_PEER_H

#include "session/services.h"

struct ws;

struct ws_peer {
	struct peer peer;
	struct ws *ws; /* NULL before the WebSocket is open, and after it is closed */
};

/* The struct must not be moved afterwards. */
void ws_peer_init(struct ws_peer *peer);

#endif
