/*
 * postgres_voices.c: derived voices in the PostgreSQL store.
 */
#include <errno.h>

#include "store/postgres_private.h"

static int postgres_voices_read_voice(struct store_voice *voice, const struct postgres_row *row)
{
	*voice = (struct store_voice){
		.id = postgres_number_at(row, 0),
		.project_id = postgres_number_at(row, 1),
		.base_id = postgres_number_at(row, 2),
		.name = postgres_text_at(row, 3),
		.pitch = postgres_real_at(row, 4),
		.rate = postgres_real_at(row, 5),
		.variant = postgres_text_at(row, 6),
		.description = postgres_text_at(row, 7),
		.generative_description = postgres_text_at(row, 8),
		.sample_text = postgres_text_at(row, 9),
		.sex = postgres_text_at(row, 10),
		.age = postgres_text_at(row, 11),
		.category = postgres_text_at(row, 12),
		.quality = postgres_text_at(row, 13),
		.languages = postgres_text_at(row, 14),
		.is_public = postgres_is_true_at(row, 15),
		.sampled_ms = postgres_number_at(row, 16),
		.revision = postgres_number_at(row, 17),
		.created_ms = postgres_number_at(row, 18),
		.updated_ms = postgres_number_at(row, 19),
	};
	return voice->name ? 0 : postgres_damaged("voice");
}

struct postgres_voice_viewer {
	store_voice_h *each;
	void *arg;
};

static int postgres_voices_show(const struct postgres_row *row, void *arg)
{
	const struct postgres_voice_viewer *viewer = arg;
	struct store_voice voice;
	int err = postgres_voices_read_voice(&voice, row);

	if (err)
		return err;
	return viewer->each(&voice, viewer->arg) ? 0 : ECANCELED;
}

int postgres_voice_list(struct store *store, store_voice_h *each, void *arg)
{
	struct postgres_voice_viewer viewer = {each, arg};
	int err = postgres_rows(postgres_of(store), POSTGRES_VOICE_LIST, NULL,
				"cannot list the voices", postgres_voices_show, &viewer);

	return err == ENOENT ? 0 : err;
}

/* Adds the first parameters, which both statements share. */
static void postgres_voices_put_fields(struct postgres_values *values, int64_t project_id,
				       const struct store_voice *voice, int64_t at_ms)
{
	postgres_put_number(values, project_id);
	postgres_put_number(values, at_ms);
	postgres_put_text(values, voice->name);
	postgres_put_number(values, voice->base_id);
	postgres_put_real(values, voice->pitch);
	postgres_put_real(values, voice->rate);
	postgres_put_text(values, voice->variant);
	postgres_put_text(values, voice->description);
	postgres_put_text(values, voice->generative_description);
	postgres_put_text(values, voice->sample_text);
	postgres_put_text(values, voice->sex);
	postgres_put_text(values, voice->age);
	postgres_put_text(values, voice->category);
	postgres_put_text(values, voice->quality);
	postgres_put_text(values, voice->languages);
	postgres_put_number(values, voice->is_public);
	postgres_put_number(values, voice->sampled_ms);
}

static int postgres_voices_check_room(struct postgres *postgres, int64_t project_id)
{
	struct postgres_values values = {.count = 0};
	int64_t count;
	int err;

	postgres_put_number(&values, project_id);
	err = postgres_number(postgres, POSTGRES_VOICE_COUNT, &values, "cannot count voices",
			      &count);
	if (err)
		return err;
	return count < STORE_VOICES_MAX ? 0 : EDQUOT;
}

struct postgres_voice_addition {
	const struct store_voice *voice;
	int64_t id;
};

static int postgres_voices_add(struct postgres *postgres, void *arg)
{
	struct postgres_voice_addition *addition = arg;
	const struct store_voice *voice = addition->voice;
	struct postgres_values values = {.count = 0};
	int err = postgres_lock_project(postgres, voice->project_id);

	if (!err)
		err = postgres_voices_check_room(postgres, voice->project_id);
	if (err)
		return err;
	postgres_voices_put_fields(&values, voice->project_id, voice, voice->created_ms);
	return postgres_number(postgres, POSTGRES_VOICE_ADD, &values, "cannot add a voice",
			       &addition->id);
}

int postgres_voice_add(struct store *store, int64_t *id, const struct store_voice *voice)
{
	struct postgres_voice_addition addition = {.voice = voice};
	int err = postgres_transaction(postgres_of(store), postgres_voices_add, &addition);

	if (!err)
		*id = addition.id;
	return err;
}

int postgres_voice_change(struct store *store, int64_t project_id, int64_t id, unsigned fields,
			  const struct store_voice *to)
{
	struct postgres_values values = {.count = 0};
	struct postgres_answer answer;

	postgres_voices_put_fields(&values, project_id, to, to->updated_ms);
	postgres_put_number(&values, id);
	postgres_put_number(&values, fields);
	return postgres_change(postgres_of(store), POSTGRES_VOICE_CHANGE, &values,
			       "cannot change a voice", &answer);
}

int postgres_voice_remove(struct store *store, int64_t project_id, int64_t id)
{
	struct postgres_values values = {.count = 0};
	struct postgres_answer answer;

	postgres_put_number(&values, id);
	postgres_put_number(&values, project_id);
	return postgres_change(postgres_of(store), POSTGRES_VOICE_REMOVE, &values,
			       "cannot remove a voice", &answer);
}
