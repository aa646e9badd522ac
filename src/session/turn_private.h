/*
 * turn_private.h: what the files of a turn share.
 *
 *   turn.c        its states, and what its owner can do with it
 *   turn_speak.c  decides whether it may speak now
 *   turn_view.c   functions that only read it
 *
 * Its parts have their own state and headers: text_source.h, speech_stream.h, charge.h and
 * turn_reply.h.
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
	const struct session_services *services; /* a turn may outlive its session */
	struct settings settings;
	const struct voice *voice; /* NULL: there is none, and the turn has failed */
	struct text_source *text; /* NULL: the turn has failed */
	struct speech_stream *speech; /* NULL: there is no voice */
	struct charge charge;
	struct turn_reply reply;
	enum turn_state state;
	enum turn_wait wait; /* what it waited for when turn_speak last ran */
	unsigned depth; /* how many calls of turn_enter have no turn_leave yet */
	bool in_front;
	bool awaits_sent; /* all of it was spoken; turn_sent is awaited */
	bool notifies_owner; /* the last turn_leave will call the owner's `over` */
	uint64_t begun_us; /* when it was made */
	uint64_t blanks; /* blank characters before its first text, which are charged with it */
	struct denied cut_short_by; /* why it was curtailed; DENIAL_NONE: it was not */
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
/* Continues to speak as far as possible. */
void turn_speak(struct turn *turn);
/* Ends a turn that may not continue: it fails, or is curtailed. */
void turn_refuse(struct turn *turn, const struct denied *denied);

/* turn_view.c */
uint64_t turn_samples(const struct turn *turn); /* how many samples were sent */

#endif
