/*
 * ws_peer.h: a WebSocket as the peer of a session or a conversation.
 */
#ifndef SERVER_WS_PEER_H
#define SERVER_WS_PEER_H

#include "session/services.h"

struct ws;

struct ws_peer {
	struct peer peer;
	struct ws *ws; /* NULL before it is open, and once it is gone */
};

void ws_peer_init(struct ws_peer *peer);

#endif
