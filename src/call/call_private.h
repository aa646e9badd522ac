/*
 * call_private.h: what the files of a call share.
 *
 *   call.c          its states, its client's messages, its timers and its end
 *   call_listen.c   what the caller says: when a turn is over, and whether it interrupts the agent
 *   call_answer.c   what the agent says: questions, answers, and how much of them was heard
 */
#ifndef CALL_CALL_PRIVATE_H
#define CALL_CALL_PRIVATE_H

#include "audio/intonation.h"
#include "call/barge_in.h"
#include "call/call.h"
#include "call/call_history.h"
#include "call/ear.h"
#include "call/mouth.h"

/* The tag of audio messages, so that those that wait can be dropped. */
#define CALL_AUDIO_TAG 1u

/* More marks than are on their way: each is sent after a sound of 20 ms or more, and at most
 * MOUTH_LEAD_MS of sound and the delay of the network are not played yet. */
#define CALL_MARKS 64u

struct call {
	enum call_state state;
	struct call_options options;
	struct call_settings settings; /* including what the client overrides */
	struct caller *caller;
	char id[CALL_ID_SIZE];
	char request_id[SESSION_REQUEST_ID_SIZE];
	char stream[CALL_STREAM_SIZE];
	bool is_closed; /* the peer was closed */
	const char
		*away_reason; /* it ends when nobody speaks; NULL: it goes on.  A static string */

	struct timer gap_timer; /* fires when more may be sent after the first reply */
	struct timer decide_timer; /* fires when the caller has been silent long enough */
	struct timer silence_timer; /* ends the call */
	struct timer
		duration_timer; /* the same; before the beginning, if the client does not begin */
	struct timer ping_timer;
	int64_t ping_number;
	uint64_t pinged_us;
	int64_t round_trip_ms; /* -1: not known */

	struct ear *ear; /* NULL: the call is in writing, or has not begun */
	struct mouth *mouth; /* the same */
	struct answerer *answerer; /* NULL before it begins, and when nobody can answer any more */
	struct barge_in barge_in;
	char ignored_terms[CALL_SETTINGS_TERMS_SIZE + 1024];
	struct call_history history;

	/* The caller's turn. */
	uint64_t paused_us; /* when the caller stopped speaking */
	unsigned wait_ms; /* how long the silence after it must be */
	bool has_intonation; /* of what was said before the pause */
	struct intonation intonation;
	struct buf typed; /* what the user has typed, while that is handled */
	struct buf asked; /* what the agent was asked last */
	bool is_asked; /* it was, and what it was asked is not in the history yet */
	bool was_typed; /* the question was */
	int64_t shown_id; /* the event_id of the last question that was sent to the client */

	/* The agent's turn. */
	int64_t event_id; /* of the newest question */
	struct buf written; /* the agent's words so far */
	size_t shown_len; /* how much of them was sent to the client in parts */
	bool is_awaited; /* more of them may come */
	bool is_written; /* all of them */
	bool has_failed; /* there will not be any more */
	bool is_unspeakable; /* they cannot be spoken; `fault` says why */
	struct stream_fault fault;
	bool is_announced; /* they were sent to the client as a whole */
	bool has_parts; /* the client has been sent the first of them, and not the end */
	/* The question is final: it is the agent's turn.  A greeting, which has no question, stays so if
	 * the caller speaks before it is heard. */
	bool is_decided;

	/* Marks that the client returns when it has played what was sent before them; mark n is at
	 * n % CALL_MARKS. */
	int64_t mark_number;
	struct call_mark {
		int64_t number, event_id;
		uint64_t samples; /* of the utterance that were sent before it */
	} marks[CALL_MARKS];

	struct call_figures figures;
};

/* call.c */
void call_handle(struct call *call, enum call_event event);
struct call_info call_info(const struct call *call);
/* Sends a message that one function of the dialect writes: peer_begin and peer_send. */
struct buf *call_begin_message(const struct call *call, struct buf *message);
void call_send(const struct call *call, struct buf *message, int err, uint64_t tag,
	       uint32_t samples);
void call_fail(struct call *call, const struct stream_fault *fault);
void call_send_fault(struct call *call, const struct stream_fault *fault);
bool call_wants(const struct call *call, enum call_wants message);
uint64_t call_now_us(const struct call *call);

/* call_listen.c */
int call_listen_open(struct call *call, struct stream_fault *fault);
void call_listen_audio(struct call *call, const char *base64, size_t len);
/* Actions of the table. */
void call_listen_pause(struct call *call);
void call_listen_words(struct call *call);
void call_listen_forget(struct call *call);
/* Continues with what the caller has begun to say in a state in which that has no meaning. */
void call_listen_catch_up(struct call *call);

/* call_answer.c */
extern const struct answerer_listener call_answer_listener;
int call_answer_open(struct call *call);
/* Whether the agent was asked, or wants to greet, and has not been heard. */
bool call_answer_is_waiting(const struct call *call);
void call_answer_played(struct call *call, int64_t mark); /* the client has played up to it */
/* Actions of the table. */
void call_answer_greet(struct call *call);
void call_answer_typed(struct call *call);
void call_answer_typed_over(struct call *call); /* the same while the agent speaks */
void call_answer_speculate(struct call *call);
void call_answer_reopen(struct call *call);
void call_answer_resume(struct call *call);
void call_answer_commit(struct call *call);
void call_answer_continue(struct call *call);
void call_answer_speak(struct call *call);
void call_answer_finish(struct call *call);
void call_answer_give_up(struct call *call);
void call_answer_interrupt(struct call *call);
void call_answer_interrupt_paused(struct call *call);
#endif
