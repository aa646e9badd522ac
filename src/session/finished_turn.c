/*
 * finished_turn.c: what is remembered of a turn when it is over (see finished_turn.h).
 */
#include "session/finished_turn.h"

#include <errno.h>
#include <stdio.h>

#include "base/mem.h"

/* Every idle connection that has spoken keeps one, so it is a single allocation. */
struct finished_turn {
	struct playback_clock playback;
	uint64_t characters;
	int64_t cost_microcents;
	const char *model_id;
	bool cost_known;
	char turn_id[USAGE_ID_MAX + 1];
	_Alignas(uint64_t) char transcript[]; /* see transcript_pack */
};

void finished_turn_compute(struct turn_heard *heard, const struct transcript *transcript,
			   const struct playback_clock *playback, uint64_t now_us,
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
	const struct transcript *transcript = turn_transcript(turn);
	struct finished_turn *record =
		mem_zalloc(sizeof(*record) + transcript_packed_size(transcript), NULL);
	struct reply_usage usage;

	if (!record)
		return ENOMEM;
	turn_usage(turn, &usage);
	transcript_pack(record->transcript, transcript);
	record->playback = *turn_playback(turn);
	record->characters = usage.characters;
	record->cost_microcents = usage.cost_microcents;
	record->cost_known = usage.cost_known;
	record->model_id = usage.model_id;
	snprintf(record->turn_id, sizeof(record->turn_id), "%s", usage.turn_id);
	*recordp = record;
	return 0;
}

void finished_turn_heard(struct finished_turn *record, struct turn_heard *heard, uint64_t now_us,
			 int64_t playback_ms)
{
	struct transcript transcript;

	transcript_unpack(&transcript, record->transcript);
	finished_turn_compute(heard, &transcript, &record->playback, now_us, playback_ms);
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
