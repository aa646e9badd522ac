/*
 * say_local.c: speaks without a server (see say_local.h).
 *
 * The same messages are exchanged as on /ws/tts/stream, with a session in this process.
 */
#include "cli/say_local.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cli/interrupt.h"
#include "cli/local_ledger.h"
#include "cli/local_voice.h"
#include "doors/doors_local.h"
#include "session/immediate_peer.h"
#include "session/session.h"

/* How often to check whether the user wants to stop. */
#define SAY_LOCAL_POLL_US 100000u

struct local_peer {
	struct loop *loop;
	struct playback *playback;
	struct session *session;
	struct timer look;
};

static void say_local_peer_send(void *arg, struct buf *message, uint64_t tag, uint32_t samples)
{
	struct local_peer *peer = arg;

	(void)tag;
	(void)samples;
	playback_message(peer->playback, message->bytes, message->len);
	buf_reset(message);
	if (playback_is_over(peer->playback))
		loop_stop(peer->loop);
}

static void say_local_peer_close(void *arg, uint16_t code, const char *reason)
{
	struct local_peer *peer = arg;

	(void)code;
	(void)reason;
	loop_stop(peer->loop);
}

static const struct peer_ops local_peer_ops = {
	.send = say_local_peer_send,
	.drop = immediate_peer_drop,
	.notify_when_sent = immediate_peer_notify_when_sent,
	.close = say_local_peer_close,
};

static void say_local_check_interrupt(void *arg)
{
	struct local_peer *peer = arg;

	if (interrupt_is_pending())
		loop_stop(peer->loop);
	else
		timer_set(&peer->loop->timers, &peer->look, SAY_LOCAL_POLL_US,
			  say_local_check_interrupt, peer);
}

static int say_local_speak(struct local_speech *speech, const struct config *config,
			   const struct buf *request, struct playback *playback)
{
	struct caller *nobody = NULL;
	struct local_ledger ledger;
	struct session_services services = {
		.timers = &speech->loop->timers,
		.speech = pool_speech(speech->pool),
		.voices = pool_voices(speech->pool),
		.ledger = &ledger.ledger,
		.prices = &local_ledger_prices,
		.repeatable = config->repeatable,
	};
	struct local_peer local = {.loop = speech->loop, .playback = playback};
	struct peer peer = {.ops = &local_peer_ops, .peer = &local};
	int err;

	local_ledger_init(&ledger, speech->loop);
	err = caller_alloc_standalone(&nobody, services.timers, NULL, NULL);
	if (!err)
		err = session_alloc(&local.session, doors_local_stream, &services, &peer, "say",
				    nobody);
	if (!err) {
		local.session->ops->message(local.session, request->bytes, request->len);
		say_local_check_interrupt(&local);
		if (!playback_is_over(playback) && !interrupt_is_pending())
			loop_run(speech->loop);
		timer_clear(&speech->loop->timers, &local.look);
		mem_deref(local.session);
	}
	mem_deref(nobody);
	return err;
}

int say_local(const struct config *config, const char *voice, say_local_request_h *write, void *arg,
	      struct playback *playback)
{
	struct local_speech speech = {0};
	struct buf request;
	int64_t id;
	int err = local_voice_open(&speech, &id, config, voice);

	if (err)
		return err;
	buf_init(&request, SAY_REQUEST_MAX);
	err = write(&request, id, arg);
	if (!err) {
		interrupt_watch();
		err = say_local_speak(&speech, config, &request, playback);
	}
	buf_reset(&request);
	local_speech_close(&speech);
	return err;
}
