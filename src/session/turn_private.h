/*
 * turn_private.h: the object behind turn.h, shared by its three files.
 *
 *   turn.c         its life: the table of states, timers, last words
 *   turn_leave.c   its leave to speak, its price, its row in the ledger
 *   turn_speech.c  its voice: chunks to jobs, samples to frames
 */
#ifndef SESSION_TURN_PRIVATE_H
#define SESSION_TURN_PRIVATE_H

#include "account/member.h"
#include "audio/pipeline.h"
#include "session/chunk_words.h"
#include "session/encoding.h"
#include "session/transcript.h"
#include "session/turn.h"
#include "text/chunker.h"
#include "text/reader.h"

/* The chunk that is being spoken, or that will be when there is room.  Its parts
 * are spoken one after the other, each a silence and then a job. */
struct utterance {
	char *text; /* as the client wrote it; NULL: there is none */
	size_t text_len;
	uint64_t end; /* bytes of the turn's text up to its end */
	struct spoken *spoken;
	struct spoken *before; /* the chunk before, or NULL */
	bool has_begun; /* it was announced */
	size_t part; /* that is being spoken */
	uint64_t silence_left; /* before its text, in samples */
	struct speech_job *job; /* NULL: none */
	unsigned engine_rate; /* 0: nothing of the part was heard yet */
	uint64_t begun_us; /* when it could be spoken */
	uint64_t samples_before; /* of the turn, at the client's rate */
	uint64_t sent_before; /* the same, of those that were sent */
	uint64_t busy_us;
	struct chunk_words words;
};

struct turn {
	struct turn_owner owner;
	const struct session_services *services; /* its session may be gone when it goes */
	struct settings settings;
	const struct voice *voice;
	struct audio_format format;
	char id[USAGE_ID_MAX + 1];
	uint64_t tag; /* of its messages in the peer's queue */
	enum turn_state state;
	bool in_front;
	bool awaits_leave; /* the permit's answer is under way */
	bool awaits_credit; /* for its next chunk: the store is being asked */
	bool was_refused; /* it had no leave: it is in no ledger */
	bool is_booked; /* for all that is known */
	bool asked_when_sent;
	bool yields; /* others are spoken first */
	bool is_stale; /* flush_timeout_ms was over before it was in front */
	bool drops_rest; /* its end speaks only what was flushed */
	struct buf pending; /* what it has to say before it is in front */

	struct chunker *chunker;
	struct reader reader;
	struct lexicon *lexicon; /* the reader's; NULL: no dictionary applies */
	struct pipeline *pipeline;
	struct encoding *encoding; /* NULL: the pipeline's frames are what is sent */
	struct utterance utterance;
	struct transcript transcript;
	bool held_back; /* by max_lead_ms */
	unsigned jobs; /* that it has asked for */

	struct turn_counters own_counters;
	struct turn_counters *counters; /* the owner's, or its own */
	uint64_t bytes; /* length of its text */
	uint64_t bytes_flushed; /* length of its text at the last flush */
	uint64_t characters;
	uint64_t blanks; /* came before its first text, and are counted with it */
	unsigned text_chunks;
	unsigned audio_chunks;
	uint64_t samples_sent;
	uint64_t begun_us; /* when it was made */
	uint64_t first_audio_us; /* 0: none has left */
	uint64_t busy_us; /* of its engines */
	uint64_t quiet_since_us;
	uint64_t playback_start_us; /* had it never run dry; 0: nothing was sent */

	struct permit *permit; /* NULL: not asked for, refused, or given back */
	struct denied curtailed_by; /* DENIAL_NONE: it was not */
	int64_t microcents_per_minute; /* or PRICE_UNKNOWN */
	size_t mark;
	uint64_t mark_due; /* samples sent at which it is marked next */

	enum wire_error_id fault;
	struct usage_entry row; /* filled in when it is booked */
	struct account_booking *booking;
	bool cost_known;

	struct timer idle_timer;
	struct timer confirm_timer; /* a sentence end without a word after it */
	struct timer stale_timer; /* flush_timeout_ms */
	struct timer booking_timer;
	struct timer lead_timer;
	struct timer dry_timer; /* what was sent will have been heard soon */
};

/* turn.c */
struct buf *turn_begin_message(const struct turn *turn, struct buf *message);
void turn_send(struct turn *turn, struct buf *message, int err, uint64_t tag, uint32_t samples);
void turn_say(struct turn *turn, struct buf *message, int err); /* the same without a tag */
void turn_fail_with(struct turn *turn, const struct wire_notice *notice);
void turn_curtail(struct turn *turn);

/* turn_leave.c */
int64_t turn_price(const struct turn *turn); /* of a minute, or PRICE_UNKNOWN */
void turn_ask_leave(struct turn *turn); /* it may be refused, and gone with that */
/* More text.  False: it was too much, and the turn may be gone. */
bool turn_tell_text(struct turn *turn, uint64_t characters);
/* Asked before each chunk; false: it is curtailed, or has failed and may be gone. */
bool turn_may_go_on(struct turn *turn);
/* Asked before each frame; false: it is curtailed where it is. */
bool turn_may_send(struct turn *turn, size_t samples);
void turn_note_progress(struct turn *turn); /* audio has left */
void turn_book(struct turn *turn, enum usage_status status, usage_booked_h *booked);

/* turn_pace.c */
/* When the listener has heard all that was sent. */
uint64_t turn_runs_dry_us(const struct turn *turn);
bool turn_must_wait(const struct turn *turn); /* with what it speaks */
bool turn_has_room(const struct turn *turn); /* for the next chunk */
void turn_update_hold(struct turn *turn);
/* max_lead_ms: far enough ahead of playback, wait until it has caught up. */
void turn_mind_lead(struct turn *turn);
/* A frame is about to leave.  When its listener has heard all that came before
 * it, playback begins anew: as if it had begun just so much earlier. */
void turn_mind_gap(struct turn *turn);

/* turn_speech.c */
int turn_speech_open(struct turn *turn);
double turn_speed(const struct turn *turn, const struct spoken_part *part);
void turn_speech_close(struct turn *turn);
/* Starts the next chunk if it can; when all is spoken, asks for SENT. */
void turn_speak(struct turn *turn);
/* The chunk that is being spoken is called off. */
void turn_hush(struct turn *turn);
/* Calls off the chunk that is being spoken or waits for room, and ends its audio with what was
 * given to the peer or the encoder.  The encoding stays open: it may still hold the last samples
 * of the chunk before, and its stream needs an end. */
void turn_cut_chunk(struct turn *turn);
/* The next chunk is at hand and has not begun. */
bool turn_awaits_room(const struct turn *turn);

#endif
