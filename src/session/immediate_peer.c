/*
 * immediate_peer.c: functions for a peer that accepts every message at once (see
 * immediate_peer.h).
 */
#include "session/immediate_peer.h"

uint64_t immediate_peer_drop(void *peer, uint64_t tag)
{
	(void)peer;
	(void)tag;
	return 0;
}

bool immediate_peer_notify_when_sent(void *peer, uint64_t tag)
{
	(void)peer;
	(void)tag;
	return false;
}
