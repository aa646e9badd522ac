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
#include "cli/local_voice.h"
#include "doors/doors_local.h"
#include "session/session.h"

/* How often it is looked whether the user wants it to end. */
#define SAY_LOCAL_LOOK_US 100000u

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

static uint64_t say_local_peer_drop(void *arg, uint64_t tag)
{
	(void)arg;
	(void)tag;
	return 0;
}

/* What is sent is there at once. */
static bool say_local_peer_tell_when_sent(void *arg, uint64_t tag)
{
	(void)arg;
	(void)tag;
	return false;
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
	.drop = say_local_peer_drop,
	.tell_when_sent = say_local_peer_tell_when_sent,
	.close = say_local_peer_close,
};

/* Nothing is charged for what was made at home. */
struct no_ledger {
	struct usage_ledger ledger;
	struct loop *loop;
	struct deferred done;
	usage_booked_h *booked;
	void *arg;
};

static void say_local_on_no_booking(void *arg)
{
	struct no_ledger *ledger = arg;

	ledger->booked(0, ledger->arg);
}

static int say_local_book_nothing(struct account_booking **bookingp, struct usage_ledger *usage,
				  const struct usage_entry *entry, size_t mark,
				  usage_booked_h *booked, void *arg)
{
	struct no_ledger *ledger = (struct no_ledger *)(void *)usage;

	(void)entry;
	(void)mark;
	*bookingp = (struct account_booking *)(void *)ledger;
	if (!booked)
		return 0;
	ledger->booked = booked;
	ledger->arg = arg;
	loop_defer(ledger->loop, &ledger->done, say_local_on_no_booking, ledger);
	return 0;
}

static void say_local_unlisten_nothing(struct account_booking *booking)
{
	struct no_ledger *ledger = (struct no_ledger *)(void *)booking;

	loop_undefer(ledger->loop, &ledger->done);
}

static const struct usage_ledger_ops no_ledger_ops = {
	.book = say_local_book_nothing,
	.unlisten = say_local_unlisten_nothing,
};
static const struct prices no_prices = {.microcents_per_minute = PRICE_UNKNOWN};

static void say_local_look(void *arg)
{
	struct local_peer *peer = arg;

	if (interrupt_came())
		loop_stop(peer->loop);
	else
		timer_set(&peer->loop->timers, &peer->look, SAY_LOCAL_LOOK_US, say_local_look,
			  peer);
}

static int say_local_speak(struct local_speech *speech, const struct config *config,
			   const struct buf *request, struct playback *playback)
{
	struct member *nobody = NULL;
	struct no_ledger ledger = {.ledger = {&no_ledger_ops}, .loop = speech->loop};
	struct session_services services = {
		.timers = &speech->loop->timers,
		.speech = pool_speech(speech->pool),
		.voices = pool_voices(speech->pool),
		.ledger = &ledger.ledger,
		.prices = &no_prices,
		.repeatable = config->repeatable,
	};
	struct local_peer local = {.loop = speech->loop, .playback = playback};
	struct peer peer = {.ops = &local_peer_ops, .peer = &local};
	int err;

	err = member_alloc_alone(&nobody, services.timers, NULL, NULL);
	if (!err)
		err = session_alloc(&local.session, doors_local_stream, &services, &peer, "say",
				    nobody);
	if (!err) {
		local.session->ops->message(local.session, request->bytes, request->len);
		say_local_look(&local);
		if (!playback_is_over(playback) && !interrupt_came())
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
