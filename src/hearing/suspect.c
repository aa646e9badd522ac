/*
 * suspect.c: which stream ends workers.
 *
 * When a worker dies, all its streams continue on another one.  What it was recognizing or listening
 * to may have killed it; or neither, because an operator or a lack of memory ends workers, too.  So
 * every stream that it owed an answer is a suspect:
 *
 *   first death    it continues like the others.  If a piece of it was being recognized, that is done
 *                  again while its worker recognizes nothing else.
 *   second death   it gets a worker without any other stream (fleet_claim), which was started after
 *                  that death
 *   third death    it was alone, so it is the cause: it fails, and the others are left in peace
 *
 * A stream is cleared when its worker has answered everything that was owed at the last death, which
 * takes most streams some milliseconds.  If it was alone, its worker then takes other streams, too.
 *
 * Runs on the loop's thread.
 */
#include "hearing/hearing_private.h"
#include "metrics/metrics.h"

void suspect_leave(struct hearing_stream *stream)
{
	uint64_t serial = stream->claimed;

	stream->claimed = 0;
	if (serial)
		fleet_release(stream->recognizer->fleet, serial);
}

void suspect_check_progress(struct hearing_stream *stream)
{
	if (stream->deaths == 0 || stream->acked < stream->cleared_at || piece_has_suspect(stream))
		return;
	stream->deaths = 0;
	suspect_leave(stream);
}

void suspect_worker_died(struct hearing_stream *stream)
{
	bool is_suspect = stream->pieces_sent > 0 || stream->owes_room ||
			  stream->sent >= stream->acked + HEARING_FRAME;
	bool was_alone = stream->claimed != 0;
	uint64_t sent = stream->sent;

	++stream->pool->retries;
	metrics_add(METRIC_HEARING_RETRIES, 1);
	if (is_suspect)
		piece_suspect_sent(stream);
	feed_end(stream);
	suspect_leave(stream);
	if (hearing_stream_is_complete(stream)) {
		hearing_stream_end(stream, HEARING_DONE, "");
		return;
	}
	if (is_suspect && was_alone) {
		hearing_stream_end(stream, HEARING_FAILED, "it ends one worker after another");
		return;
	}
	if (is_suspect) {
		++stream->deaths;
		stream->cleared_at = sent / HEARING_FRAME * HEARING_FRAME;
		stream->newer_than = fleet_last_serial(stream->recognizer->fleet);
	}
	hearing_stream_requeue(stream);
}

void suspect_claim(struct recognizer *recognizer)
{
	const struct list *alone = &recognizer->alone;

	for (struct link *l = list_first(alone); l; l = list_next(alone, l)) {
		struct hearing_stream *stream = LIST_OBJECT(l, struct hearing_stream, link);

		if (!fleet_find(recognizer->fleet, stream->claimed))
			stream->claimed = fleet_claim(recognizer->fleet, stream->newer_than);
	}
}

size_t suspect_waiting(const struct recognizer *recognizer, uint64_t *newer_than)
{
	const struct list *alone = &recognizer->alone;
	size_t waiting = 0;

	*newer_than = 0;
	for (struct link *l = list_first(alone); l; l = list_next(alone, l)) {
		const struct hearing_stream *stream = LIST_OBJECT(l, struct hearing_stream, link);

		if (stream->claimed)
			continue;
		if (waiting++ == 0)
			*newer_than = stream->newer_than;
	}
	return waiting;
}
