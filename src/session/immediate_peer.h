/*
 * immediate_peer.h: functions for a peer that accepts every message at once, for sessions whose
 * output is collected or played in this process.
 */
#ifndef SESSION_IMMEDIATE_PEER_H
#define SESSION_IMMEDIATE_PEER_H

#include "session/services.h"

/* Members of a struct peer_ops; the peer has its own `send`. */
uint64_t immediate_peer_drop(void *peer, uint64_t tag); /* returns 0: nothing can be dropped */
bool immediate_peer_notify_when_sent(void *peer, uint64_t tag); /* returns false: it was sent */

#endif
