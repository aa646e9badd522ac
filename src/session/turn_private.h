/*
 * turn_private.h: the turn among its own files.
 *
 *   turn.c        its states, and what its owner can do with it
 *   turn_speak.c  whether it may speak now
 *   turn_view.c   what others may know of it
 *
 * The parts it conducts have their own state, behind their own headers.
 */
#ifndef SESSION_TURN_PRIVATE_H
#define SESSION_TURN_PRIVATE_H

#include "session/charge.h"
#include "session/speech_stream.h"
#include "session/text_source.h"
#include "session/turn.h"
#include "session/turn_reply.h"

struct turn {
	struct turn_owner owner;
	const struct session_services *services; /* the session may be gone before the turn */
	struct settings settings;
	const struct voice *voice; /* NULL: there is none, and the turn has failed */
	struct text_source *text; /* NULL: without a voice, or the turn has failed */
	struct speech_stream *speech; /* NULL: without a voice */
	struct charge charge;
	struct turn_reply reply;
	enum turn_state state;
	enum turn_wait wait; /* why nothing was begun the last time it was asked */
	unsigned depth; /* of calls from outside */
	bool in_front;
	bool asked_when_sent;
	bool is_news; /* the owner is to be told that it is over, or booked */
	uint64_t begun_us; /* when it was made */
	uint64_t blanks; /* came before its first text, and are counted with it */
	struct denied cut_short_by; /* DENIAL_NONE: it was not */
	enum wire_error_id fault;
	struct timer idle_timer;
};

/* turn.c */
void turn_enter(struct turn *turn);
void turn_leave(struct turn *turn);
void turn_handle(struct turn *turn, enum turn_event event);
void turn_fail_with(struct turn *turn, const struct wire_notice *notice);

/* turn_speak.c */
extern const struct charge_ops turn_charge_ops;
extern const struct speech_stream_ops turn_speech_ops;
text_source_ready_h turn_on_ready;
/* Goes on as far as it can. */
void turn_speak(struct turn *turn);
/* It may not go on: it fails, or is curtailed. */
void turn_refuse(struct turn *turn, const struct denied *denied);

/* turn_view.c */
uint64_t turn_samples(const struct turn *turn); /* that were sent */

#endif
