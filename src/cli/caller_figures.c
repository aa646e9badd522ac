/*
 * caller_figures.c: how long an agent took to answer (see caller_figures.h).
 */
#include "cli/caller_figures.h"

#include <inttypes.h>
#include <stdbool.h>

#include "wire/json_write.h"

static bool caller_figures_is_begun(const struct caller_turn *turn)
{
	return turn->speech_end_us != CALLER_TURNS_NEVER;
}

static uint64_t caller_figures_ms(const struct caller_turn *turn, uint64_t at_us)
{
	return (at_us - turn->speech_end_us) / 1000;
}

int caller_figures_print(struct buf *out, const struct caller_turns *turns)
{
	int err = 0;

	for (size_t i = 0; !err && i < turns->count; ++i) {
		const struct caller_turn *turn = &turns->turns[i];

		if (!caller_figures_is_begun(turn))
			continue;
		err = buf_printf(out, "%.200s: ", turn->name);
		if (err)
			break;
		if (!turn->is_answered)
			err = buf_append_str(out, "no answer\n");
		else if (turns->is_text && turn->first_audio_us != CALLER_TURNS_NEVER)
			err = buf_printf(out, "answered after %" PRIu64 " ms\n",
					 caller_figures_ms(turn, turn->first_audio_us));
		else if (turn->first_sound_us != CALLER_TURNS_NEVER)
			err = buf_printf(
				out, "%" PRIu64 " ms from the end of the speech to the answer\n",
				caller_figures_ms(turn, turn->first_sound_us));
		else
			err = buf_append_str(out, turn->first_audio_us != CALLER_TURNS_NEVER
							  ? "the answer was silent\n"
							  : "no answer began after the end of "
							    "the speech\n");
	}
	return err;
}

static void caller_figures_write_ms(struct json_write *json, const char *key,
				    const struct caller_turn *turn, uint64_t at_us)
{
	if (at_us == CALLER_TURNS_NEVER)
		json_write_null(json, key);
	else
		json_write_unsigned(json, key, caller_figures_ms(turn, at_us));
}

int caller_figures_print_json(struct buf *out, const struct caller_turns *turns, uint64_t at_us)
{
	struct json_write json;
	int err;

	json_write_open(&json, out);
	json_write_unsigned(&json, "at_ms", at_us / 1000);
	json_write_list(&json, "turns");
	for (size_t i = 0; i < turns->count; ++i) {
		const struct caller_turn *turn = &turns->turns[i];

		if (!caller_figures_is_begun(turn))
			continue;
		json_write_object(&json, NULL);
		json_write_text(&json, turns->is_text ? "text" : "file", turn->name);
		json_write_bool(&json, "answered", turn->is_answered);
		json_write_unsigned(&json, "speech_end_ms", turn->speech_end_us / 1000);
		caller_figures_write_ms(&json, "audio_after_ms", turn,
					turns->is_text ? CALLER_TURNS_NEVER : turn->first_audio_us);
		caller_figures_write_ms(&json, "answer_after_ms", turn,
					turns->is_text ? turn->first_audio_us
						       : turn->first_sound_us);
		json_write_unsigned(&json, "interruptions", turn->interruptions);
		json_write_object_end(&json);
	}
	json_write_list_end(&json);
	err = json_write_close(&json);
	return err ? err : buf_append_str(out, "\n");
}
