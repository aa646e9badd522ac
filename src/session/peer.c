/*
 * peer.c: what is common to all peers (see peer.h).
 */
#include "session/peer.h"

#include <errno.h>

#include "base/log.h"
#include "session/session.h"

void peer_send(const struct peer *peer, struct buf *message, int err, uint64_t tag,
	       uint32_t samples)
{
	if (!err && message->len > 0) {
		peer->ops->send(peer->peer, message, tag, samples);
		return;
	}
	buf_reset(message);
	if (err != ENOMEM)
		return;
	log_error("session", "a message is lost: out of memory");
	if (peer->ops->close)
		peer->ops->close(peer->peer, SESSION_CLOSE_INTERNAL, NULL);
}
