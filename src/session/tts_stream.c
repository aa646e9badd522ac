/*
 * tts_stream.c: what a client can do on /ws/tts/stream (see tts_stream.h).
 */
#include "session/tts_stream.h"

#include <errno.h>
#include <stdio.h>

#include "base/list.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "session/turn.h"
#include "session/turn_record.h"
#include "text/unicode.h"

/* Close codes of RFC 6455 and the IANA registry. */
enum { CLOSE_NORMAL = 1000, CLOSE_RESTART = 1012 };

struct place_in_queue {
	struct link link;
	struct turn *turn;
};

struct tts_stream {
	const struct session_services *services;
	const struct peer *peer;
	int64_t key_id;
	char request_id[24];
	struct settings settings;
	struct list turns; /* struct place_in_queue */
	uint16_t surrogate; /* high half that the last text ended in */
	uint16_t close_code; /* to close with when the turns are done; 0: stay */
	bool closed; /* the peer was told */
	unsigned owes_interrupted; /* after the session_closed that is under way */
	bool owes_report; /* with the last of them … */
	int64_t owed_playback_ms; /* … reckoned from here */
	struct turn_record *last; /* of the turn that ended last, until the next begins */
	bool advancing;
};

static void on_turn_closed(void *arg);

static struct turn *turn_at(struct link *link)
{
	return link ? LIST_OBJECT(link, struct place_in_queue, link)->turn : NULL;
}

static struct turn *front_turn(const struct tts_stream *stream)
{
	return turn_at(list_first(&stream->turns));
}

static struct turn *last_turn(const struct tts_stream *stream)
{
	return turn_at(list_last(&stream->turns));
}

static void remove_place(struct tts_stream *stream, struct link *link)
{
	struct place_in_queue *place = LIST_OBJECT(link, struct place_in_queue, link);

	list_remove(&stream->turns, link);
	mem_deref(place->turn);
	mem_deref(place);
}

static struct buf *scratch_of(struct tts_stream *stream)
{
	stream->services->scratch->len = 0;
	return stream->services->scratch;
}

/* Sends what stands in the scratch buffer. */
static void send_scratch(struct tts_stream *stream)
{
	const struct buf *message = stream->services->scratch;

	stream->peer->ops->send(stream->peer->peer, message->bytes, message->len, 0, 0);
}

static void send_error(struct tts_stream *stream, enum wire_error_id id, const char *detail)
{
	if (reply_error(scratch_of(stream), id, detail, stream->request_id) == 0)
		send_scratch(stream);
}

static void send_interrupted(struct tts_stream *stream, const struct reply_interruption *report)
{
	if (reply_interrupted(scratch_of(stream), report) == 0)
		send_scratch(stream);
}

static void send_report(struct tts_stream *stream, const struct turn_heard *heard,
			const struct reply_usage *usage)
{
	const struct reply_interruption report = {
		.usage = usage,
		.text_spoken = heard->text_spoken,
		.text_spoken_len = heard->text_spoken_len,
		.text_remaining = heard->text_remaining,
		.text_remaining_len = heard->text_remaining_len,
		.audio_seconds = heard->audio_seconds,
	};

	send_interrupted(stream, &report);
}

static void report_turn(struct tts_stream *stream, struct turn *turn, int64_t playback_ms)
{
	struct turn_heard heard;
	struct reply_usage usage;

	turn_cancel(turn);
	turn_heard(turn, &heard, playback_ms);
	turn_usage(turn, &usage);
	send_report(stream, &heard, &usage);
}

static void report_last(struct tts_stream *stream, int64_t playback_ms)
{
	struct turn_heard heard;
	struct reply_usage usage;

	if (!stream->last) {
		send_interrupted(stream, NULL);
		return;
	}
	turn_record_heard(stream->last, &heard, stream->services->timers->now_us, playback_ms);
	turn_record_usage(stream->last, &usage);
	send_report(stream, &heard, &usage);
}

/* Nothing was said and nothing is owed: the answer to a flush or a close that
 * finds no turn. */
static void send_nothing_said(struct tts_stream *stream, bool with_final)
{
	struct reply_totals totals = {0};
	struct reply_usage usage = {.model_id = stream->settings.model_id, .cost_known = true};

	if (with_final && reply_final(scratch_of(stream), &totals) == 0)
		send_scratch(stream);
	if (reply_session_closed(scratch_of(stream), &totals, &usage) == 0)
		send_scratch(stream);
}

static void close_if_done(struct tts_stream *stream)
{
	const char *reason = stream->close_code == CLOSE_RESTART ? "server restarting" : NULL;

	if (!stream->close_code || stream->closed || stream->turns.count > 0)
		return;
	stream->closed = true;
	stream->peer->ops->close(stream->peer->peer, stream->close_code, reason);
}

static void drop_turns(struct tts_stream *stream, struct link *from)
{
	while (from) {
		struct link *next = list_next(&stream->turns, from);

		turn_cancel(turn_at(from));
		remove_place(stream, from);
		from = next;
	}
}

/* A turn that was spoken to its end; memory that is not there is not missed. */
static void remember(struct tts_stream *stream, struct turn *turn)
{
	stream->last = mem_deref(stream->last);
	if (turn_is_finished(turn) && turn_record_alloc(&stream->last, turn) != 0)
		stream->last = NULL;
}

static void send_owed(struct tts_stream *stream)
{
	for (; stream->owes_interrupted > 0; --stream->owes_interrupted) {
		if (stream->owes_interrupted == 1 && stream->owes_report)
			report_last(stream, stream->owed_playback_ms);
		else
			send_interrupted(stream, NULL);
	}
	stream->owes_report = false;
}

/* The front turn is over: the next one speaks.  A turn may be over the moment
 * it comes to the front, hence the loop instead of a recursion. */
static void advance(struct tts_stream *stream)
{
	struct link *front;

	if (stream->advancing)
		return;
	stream->advancing = true;
	while ((front = list_first(&stream->turns)) && turn_state(turn_at(front)) == TURN_CLOSED) {
		remember(stream, turn_at(front));
		remove_place(stream, front);
		send_owed(stream);
		if (stream->close_code == CLOSE_RESTART)
			drop_turns(stream, list_first(&stream->turns));
		if (stream->turns.count > 0)
			turn_come_to_front(front_turn(stream));
	}
	stream->advancing = false;
	close_if_done(stream);
}

static void on_turn_closed(void *arg)
{
	advance(arg);
}

static int add_turn(struct tts_stream *stream)
{
	struct turn_owner owner = {
		.services = stream->services,
		.peer = stream->peer,
		.request_id = stream->request_id,
		.key_id = stream->key_id,
		.closed = on_turn_closed,
		.arg = stream,
	};
	struct place_in_queue *place = mem_zalloc(sizeof(*place), NULL);
	const struct voice *voice = NULL;
	int err;

	if (!place)
		return ENOMEM;
	if (stream->settings.set & SETTING_VOICE_ID)
		voice = voices_find(stream->services->voices, stream->settings.voice_id);
	err = turn_alloc(&place->turn, &owner, &stream->settings, voice);
	if (err) {
		mem_deref(place);
		return err;
	}
	list_append(&stream->turns, &place->link);
	stream->last = mem_deref(stream->last);
	if (stream->turns.count == 1)
		turn_come_to_front(place->turn);
	return 0;
}

static size_t unspoken(const struct tts_stream *stream)
{
	size_t bytes = 0;

	for (struct link *l = list_first(&stream->turns); l; l = list_next(&stream->turns, l))
		bytes += turn_unspoken(turn_at(l));
	return bytes;
}

static bool is_blank(const char *text, size_t len)
{
	uint32_t c;

	for (size_t i = 0; i < len; i += utf8_decode(&c, text + i, len - i)) {
		utf8_decode(&c, text + i, len - i);
		if (!unicode_is_blank(unicode_kind(c)))
			return false;
	}
	return true;
}

/* The turn that takes this text: the last one while it is open, else a new
 * one, which only text with something in it can start. */
static struct turn *turn_for_text(struct tts_stream *stream, const char *text, size_t len)
{
	struct turn *turn = last_turn(stream);

	if (turn && turn_takes_text(turn))
		return turn;
	if (is_blank(text, len))
		return NULL;
	if (stream->turns.count > TTS_STREAM_TURNS_MAX) {
		send_error(stream, WIRE_ERROR_TOO_MANY_TURNS, NULL);
		return NULL;
	}
	if (add_turn(stream) != 0) {
		send_error(stream, WIRE_ERROR_INTERNAL, NULL);
		return NULL;
	}
	return last_turn(stream);
}

static void take_text(struct tts_stream *stream, const char *text, size_t len)
{
	struct turn *turn;

	if (len == 0)
		return;
	turn = turn_for_text(stream, text, len);
	if (!turn)
		return;
	if (unspoken(stream) + len > TTS_STREAM_UNSPOKEN_MAX)
		turn_fail(turn, WIRE_ERROR_TEXT_TOO_LONG, NULL);
	else
		turn_text(turn, text, len);
}

static void end_turn(struct tts_stream *stream, bool is_flush)
{
	struct turn *turn = last_turn(stream);

	if (!turn)
		send_nothing_said(stream, is_flush);
	else if (turn_takes_text(turn))
		turn_end(turn);
	/* else it drains already: its own last words answer this, too */
}

/* Barge-in: all turns go, one reply.  A turn whose `final` has left gets its
 * session_closed first. */
static void cancel(struct tts_stream *stream, const struct stream_message *message)
{
	struct link *first = list_first(&stream->turns);
	struct turn *turn = turn_at(first);

	stream->surrogate = 0;
	if (turn && turn_state(turn) == TURN_BOOKING) {
		drop_turns(stream, list_next(&stream->turns, first));
		++stream->owes_interrupted;
		stream->owes_report = message->report;
		stream->owed_playback_ms = message->playback_offset_ms;
		return;
	}
	if (turn)
		stream->last = mem_deref(stream->last); /* it is not what was heard last */
	if (turn && message->report) {
		report_turn(stream, turn, message->playback_offset_ms);
		drop_turns(stream, first);
	} else if (message->report) {
		report_last(stream, message->playback_offset_ms);
	} else {
		drop_turns(stream, first);
		send_interrupted(stream, NULL);
	}
	close_if_done(stream);
}

/* What the parser cannot know: whether the voice exists. */
static bool is_acceptable(struct tts_stream *stream, const struct stream_message *message)
{
	char detail[64];

	if (!(message->settings.set & SETTING_VOICE_ID) ||
	    voices_find(stream->services->voices, message->settings.voice_id))
		return true;
	snprintf(detail, sizeof(detail), "voice_id %lld", (long long)message->settings.voice_id);
	send_error(stream, WIRE_ERROR_VOICE_NOT_FOUND, detail);
	return false;
}

static void update_settings(struct tts_stream *stream, const struct settings *update)
{
	settings_merge(&stream->settings, update);
	if (reply_settings_updated(scratch_of(stream), &stream->settings) == 0)
		send_scratch(stream);
}

/* Half a character that nothing completed any more is still a character. */
static void finish_surrogate(struct tts_stream *stream)
{
	if (stream->surrogate)
		take_text(stream, "\xef\xbf\xbd", 3);
	stream->surrogate = 0;
}

/* Roles combine in one message; they count in this order. */
static void obey(struct tts_stream *stream, const struct stream_message *message)
{
	settings_merge(&stream->settings, &message->settings);
	if (message->has_update)
		update_settings(stream, &message->update);
	if (message->cancel)
		cancel(stream, message);
	if (message->has_text) {
		take_text(stream, message->text, message->text_len);
		stream->surrogate = message->text_surrogate;
	}
	if (message->flush || message->close || message->close_socket) {
		finish_surrogate(stream);
		end_turn(stream, message->flush);
	}
	if (message->close_socket) {
		stream->close_code = CLOSE_NORMAL;
		close_if_done(stream);
	}
}

/* It said that it was done, or was told that we are. */
static bool is_deaf(const struct tts_stream *stream)
{
	return stream->closed || stream->close_code == CLOSE_NORMAL;
}

void tts_stream_message(struct tts_stream *stream, char *json, size_t len)
{
	struct stream_message message;
	struct stream_fault fault;

	if (is_deaf(stream))
		return;
	if (stream_message_parse(&message, &fault, json, len, stream->surrogate) != 0)
		send_error(stream, fault.id, fault.detail);
	else if (is_acceptable(stream, &message))
		obey(stream, &message);
}

void tts_stream_binary(struct tts_stream *stream)
{
	if (!is_deaf(stream))
		send_error(stream, WIRE_ERROR_INVALID_REQUEST, "messages must be text frames");
}

void tts_stream_drained(struct tts_stream *stream)
{
	if (stream->turns.count > 0)
		turn_drained(front_turn(stream));
}

void tts_stream_sent(struct tts_stream *stream, uint64_t tag)
{
	if (stream->turns.count > 0)
		turn_sent(front_turn(stream), tag);
}

void tts_stream_go_away(struct tts_stream *stream)
{
	struct link *first = list_first(&stream->turns);

	if (stream->close_code)
		return;
	stream->close_code = CLOSE_RESTART;
	if (first)
		drop_turns(stream, list_next(&stream->turns, first));
	close_if_done(stream);
}

bool tts_stream_is_idle(const struct tts_stream *stream)
{
	return stream->turns.count == 0;
}

static void tts_stream_destroy(void *object)
{
	struct tts_stream *stream = object;

	drop_turns(stream, list_first(&stream->turns));
	mem_deref(stream->last);
}

int tts_stream_alloc(struct tts_stream **streamp, const struct session_services *services,
		     const struct peer *peer, const char *request_id, int64_t key_id)
{
	struct tts_stream *stream = mem_zalloc(sizeof(*stream), NULL);

	if (!stream)
		return ENOMEM;
	stream->services = services;
	stream->peer = peer;
	stream->key_id = key_id;
	snprintf(stream->request_id, sizeof(stream->request_id), "%s", request_id);
	stream->settings = settings_default;
	list_init(&stream->turns);
	mem_set_destructor(stream, tts_stream_destroy);
	*streamp = stream;
	return 0;
}
