/*
 * ws_peer.c: a WebSocket as the peer of a session or a conversation (see ws_peer.h).
 */
#include "server/ws_peer.h"

#include "net/ws.h"

/* Messages with samples are paced: the turn that produces them is held while the stream is full.
 * Everything else counts as a reply, including messages that accompany a turn's audio and have its
 * tag (generation_started, word_timestamps, chunk_complete), and all words of a conversation. */
static enum outgoing_kind ws_peer_kind(uint32_t samples)
{
	return samples > 0 ? OUTGOING_PACED : OUTGOING_REPLY;
}

static void ws_peer_begin(void *arg, struct buf *payload)
{
	(void)arg;
	outgoing_init_buf(payload, PEER_MESSAGE_MAX);
}

static void ws_peer_send(void *arg, struct buf *payload, uint64_t tag, uint32_t samples)
{
	struct ws *ws = ((struct ws_peer *)arg)->ws;
	struct outgoing *message;

	if (!ws) {
		buf_reset(payload);
		return;
	}
	message = outgoing_take(payload);
	message->tag = tag;
	message->weight = samples;
	message->kind = (uint8_t)ws_peer_kind(samples);
	ws_send_text(ws, message);
}

static uint64_t ws_peer_drop(void *arg, uint64_t tag)
{
	struct ws *ws = ((struct ws_peer *)arg)->ws;

	return ws ? ws_drop(ws, tag) : 0;
}

static bool ws_peer_notify_when_sent(void *arg, uint64_t tag)
{
	struct ws *ws = ((struct ws_peer *)arg)->ws;

	return ws && ws_notify_when_sent(ws, tag);
}

static void ws_peer_close(void *arg, uint16_t code, const char *reason)
{
	struct ws *ws = ((struct ws_peer *)arg)->ws;

	if (ws)
		ws_close(ws, code, reason);
}

static void ws_peer_pause(void *arg, bool pause)
{
	struct ws *ws = ((struct ws_peer *)arg)->ws;

	if (ws)
		ws_pause(ws, pause);
}

static const struct peer_ops peer_ops = {
	.begin = ws_peer_begin,
	.send = ws_peer_send,
	.drop = ws_peer_drop,
	.notify_when_sent = ws_peer_notify_when_sent,
	.pause = ws_peer_pause,
	.close = ws_peer_close,
};

void ws_peer_init(struct ws_peer *peer)
{
	*peer = (struct ws_peer){.peer = {.ops = &peer_ops, .peer = peer}};
}
