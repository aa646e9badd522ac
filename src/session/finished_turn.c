/*
 * finished_turn.c: what is remembered of a turn when it is over (see
 * finished_turn.h).
 */
#include "session/finished_turn.h"

#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "session/turn_private.h"

/* Every idle connection that has spoken has one of these, so it is one piece. */
struct finished_turn {
	struct turn_playback playback;
	uint64_t characters;
	int64_t cost_microcents;
	const char *model_id;
	bool cost_known;
	char turn_id[USAGE_ID_MAX + 1];
	_Alignas(uint64_t) char transcript[]; /* packed */
};

void finished_turn_reckon(struct turn_heard *heard, const struct transcript *transcript,
			  const struct turn_playback *playback, uint64_t now_us,
			  int64_t playback_ms)
{
	const char *text = transcript->text.len > 0 ? transcript->text.bytes : "";
	uint64_t played;
	size_t at;

	if (playback_ms < 0)
		playback_ms =
			playback->start_us ? (int64_t)((now_us - playback->start_us) / 1000) : 0;
	played = (uint64_t)playback_ms * playback->sample_rate / 1000;
	if (played > playback->samples)
		played = playback->samples;
	at = transcript_heard(transcript, played);
	*heard = (struct turn_heard){
		.text_spoken = text,
		.text_spoken_len = at,
		.text_remaining = text + at,
		.text_remaining_len = transcript->text.len - at,
		.audio_seconds = (double)played / playback->sample_rate,
	};
}

int finished_turn_alloc(struct finished_turn **recordp, const struct turn *turn)
{
	struct finished_turn *record =
		mem_zalloc(sizeof(*record) + transcript_packed_size(&turn->transcript), NULL);

	if (!record)
		return ENOMEM;
	transcript_pack(record->transcript, &turn->transcript);
	record->playback = (struct turn_playback){
		.start_us = turn->playback_start_us,
		.samples = turn->samples_sent,
		.sample_rate = turn->format.sample_rate,
	};
	record->characters = turn->characters;
	record->cost_microcents = turn->row.amount_microcents;
	record->cost_known = turn->cost_known;
	memcpy(record->turn_id, turn->id, sizeof(record->turn_id));
	record->model_id = turn->settings.model_id;
	*recordp = record;
	return 0;
}

void finished_turn_heard(struct finished_turn *record, struct turn_heard *heard, uint64_t now_us,
			 int64_t playback_ms)
{
	struct transcript transcript;

	transcript_unpack(&transcript, record->transcript);
	finished_turn_reckon(heard, &transcript, &record->playback, now_us, playback_ms);
}

void finished_turn_usage(const struct finished_turn *record, struct reply_usage *usage)
{
	*usage = (struct reply_usage){
		.turn_id = record->turn_id,
		.model_id = record->model_id,
		.audio_seconds = (double)record->playback.samples / record->playback.sample_rate,
		.characters = record->characters,
		.cost_known = record->cost_known,
		.cost_microcents = record->cost_microcents,
	};
}
