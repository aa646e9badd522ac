/*
 * row_values.c: rows as the values of their columns (see row_values.h).
 */
#include "store/row_values.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/utf8.h"
#include "store/search.h"

static const char *const row_values_status_words[] = {
	[STORE_TURN_FINISHED] = "finished",
	[STORE_TURN_CANCELLED] = "cancelled",
	[STORE_TURN_FAILED] = "failed",
	[STORE_TURN_LOST] = "lost",
};

const char *row_status_word(enum store_turn_status status)
{
	assert((size_t)status < COUNT(row_values_status_words));
	return row_values_status_words[status];
}

int row_status_parse(enum store_turn_status *status, const char *word)
{
	for (size_t i = 0; word && i < COUNT(row_values_status_words); ++i) {
		if (strcmp(word, row_values_status_words[i]) == 0) {
			*status = (enum store_turn_status)i;
			return 0;
		}
	}
	return EBADMSG;
}

static const char *const row_values_kind_words[] = {
	[STORE_KIND_SPEECH] = "speech",
	[STORE_KIND_HEARING] = "hearing",
	[STORE_KIND_MODEL_INPUT] = "model_input",
	[STORE_KIND_MODEL_OUTPUT] = "model_output",
};
_Static_assert(COUNT(row_values_kind_words) == STORE_KIND_COUNT, "a word for each kind");

static const char *const row_values_unit_words[] = {
	[STORE_UNIT_SAMPLES] = "samples",
	[STORE_UNIT_CHARACTERS] = "characters",
	[STORE_UNIT_TOKENS] = "tokens",
};
_Static_assert(COUNT(row_values_unit_words) == STORE_UNIT_COUNT, "a word for each unit");

const char *row_kind_word(enum store_kind kind)
{
	assert((size_t)kind < COUNT(row_values_kind_words));
	return row_values_kind_words[kind];
}

const char *row_unit_word(enum store_unit unit)
{
	assert((size_t)unit < COUNT(row_values_unit_words));
	return row_values_unit_words[unit];
}

int row_kind_parse(enum store_kind *kind, const char *word)
{
	for (size_t i = 0; word && i < COUNT(row_values_kind_words); ++i) {
		if (strcmp(word, row_values_kind_words[i]) == 0) {
			*kind = (enum store_kind)i;
			return 0;
		}
	}
	return EBADMSG;
}

int row_unit_parse(enum store_unit *unit, const char *word)
{
	for (size_t i = 0; word && i < COUNT(row_values_unit_words); ++i) {
		if (strcmp(word, row_values_unit_words[i]) == 0) {
			*unit = (enum store_unit)i;
			return 0;
		}
	}
	return EBADMSG;
}

void row_old_model(char old[STORE_MODEL_OLD_SIZE], const char *model)
{
	/* A database refuses half a character, so the name is truncated between characters. */
	size_t len = utf8_cut(model, strlen(model), STORE_MODEL_OLD_SIZE - 1);

	memcpy(old, model, len);
	old[len] = '\0';
}

#define LIMITS                                                                                     \
	"turns, connections, requests_per_minute, characters_per_minute, text_max,"                \
	" heard_seconds_per_minute"

static const struct {
	const char *name;
	const char *columns;
} row_values_tables[STORE_ROW_KINDS] = {
	[STORE_ROW_ACCOUNT] = {"account",
			       "id, name, plan, is_prepaid, " LIMITS ", created_ms, closed_ms,"
			       " credit_microcents, spent_microcents"},
	[STORE_ROW_PROJECT] = {"project", "id, account_id, name, created_ms"},
	[STORE_ROW_KEY] = {"key", "id, prefix, hash, name, credit_cents, " LIMITS ", created_ms,"
				  " revoked_ms, expires_ms, used_ms, spent_microcents, project_id,"
				  " scopes"},
	[STORE_ROW_TOP_UP] = {"top_up", "id, account_id, at_ms, amount_microcents, note"},
	[STORE_ROW_TURN] = {"turn",
			    "seq, id, key_id, account_id, server, at_ms, status, samples,"
			    " sample_rate, characters, voice_id, model_id, amount_microcents, kind,"
			    " quantity, unit, is_estimated, model"},
	[STORE_ROW_DICTIONARY] = {"dictionary",
				  "id, project_id, name, description, language, is_active,"
				  " revision, created_ms, updated_ms"},
	[STORE_ROW_ENTRY] = {"entry",
			     "id, dictionary_id, word, folded, replacement, ipa, case_sensitive,"
			     " created_ms, updated_ms"},
	[STORE_ROW_VOICE] = {"voice",
			     "id, project_id, base_id, name, pitch, rate, variant, description,"
			     " generative_description, sample_text, sex, age, category, quality,"
			     " languages, is_public, sampled_ms, revision, created_ms,"
			     " updated_ms"},
	[STORE_ROW_SPEECH_ENGINE] = {"speech_engine",
				     "id, project_id, name, folded, key_id, config, revision,"
				     " created_ms, updated_ms"},
};

const char *row_table(enum store_row_kind kind)
{
	return row_values_tables[kind].name;
}

const char *row_columns(enum store_row_kind kind)
{
	return row_values_tables[kind].columns;
}

static struct row_value *row_values_number(struct row_value *value, int64_t is)
{
	*value = (struct row_value){.type = ROW_NUMBER, .number = is};
	return value + 1;
}

static struct row_value *row_values_id_or_null(struct row_value *value, int64_t id)
{
	*value = (struct row_value){.type = id ? ROW_NUMBER : ROW_NULL, .number = id};
	return value + 1;
}

static struct row_value *row_values_real(struct row_value *value, double is)
{
	*value = (struct row_value){.type = ROW_REAL, .real = is};
	return value + 1;
}

static struct row_value *row_values_text(struct row_value *value, const char *is)
{
	*value = (struct row_value){.type = is ? ROW_TEXT : ROW_NULL, .text = is};
	return value + 1;
}

static struct row_value *row_values_hash(struct row_value *value, const uint8_t *is)
{
	*value = (struct row_value){.type = ROW_HASH, .hash = is};
	return value + 1;
}

static struct row_value *row_values_of_limits(struct row_value *value,
					      const struct store_limits *limits)
{
	value = row_values_number(value, limits->turns);
	value = row_values_number(value, limits->connections);
	value = row_values_number(value, limits->requests_per_minute);
	value = row_values_number(value, limits->characters_per_minute);
	value = row_values_number(value, limits->text_max);
	return row_values_number(value, limits->heard_seconds_per_minute);
}

/* The sums are 0 here; they are computed from the rows that are imported later. */
static struct row_value *row_values_of_account(struct row_value *value,
					       const struct store_account *account)
{
	value = row_values_number(value, account->id);
	value = row_values_text(value, account->name);
	value = row_values_text(value, account->plan);
	value = row_values_number(value, account->is_prepaid);
	value = row_values_of_limits(value, &account->limits);
	value = row_values_number(value, account->created_ms);
	value = row_values_number(value, account->closed_ms);
	value = row_values_number(value, 0);
	return row_values_number(value, 0);
}

static struct row_value *row_values_of_project(struct row_value *value,
					       const struct store_project *project)
{
	value = row_values_number(value, project->id);
	value = row_values_number(value, project->account_id);
	value = row_values_text(value, project->name);
	return row_values_number(value, project->created_ms);
}

static struct row_value *row_values_of_key(struct row_value *value, const struct store_key *key)
{
	value = row_values_number(value, key->id);
	value = row_values_text(value, key->prefix);
	value = row_values_hash(value, key->hash);
	value = row_values_text(value, key->name);
	value = row_values_number(value, key->credit_cents);
	value = row_values_of_limits(value, &key->limits);
	value = row_values_number(value, key->created_ms);
	value = row_values_number(value, key->revoked_ms);
	value = row_values_number(value, key->expires_ms);
	value = row_values_number(value, key->used_ms);
	value = row_values_number(value, 0);
	value = row_values_number(value, key->project_id);
	return row_values_number(value, key->scopes);
}

static struct row_value *row_values_of_top_up(struct row_value *value,
					      const struct store_top_up *top_up)
{
	value = row_values_text(value, top_up->id);
	value = row_values_number(value, top_up->account_id);
	value = row_values_number(value, top_up->at_ms);
	value = row_values_number(value, top_up->amount_microcents);
	return row_values_text(value, top_up->note);
}

static struct row_value *row_values_of_turn(struct row_value *value, int64_t seq,
					    const struct store_turn *turn, const char *old_model)
{
	value = row_values_number(value, seq);
	value = row_values_text(value, turn->id);
	value = row_values_id_or_null(value, turn->key_id);
	value = row_values_id_or_null(value, turn->account_id);
	value = row_values_text(value, turn->server);
	value = row_values_number(value, turn->at_ms);
	value = row_values_text(value, row_status_word(turn->status));
	value = row_values_number(value, (int64_t)turn->samples);
	value = row_values_number(value, turn->sample_rate);
	value = row_values_number(value, (int64_t)turn->characters);
	value = row_values_number(value, turn->voice_id);
	value = row_values_text(value, old_model);
	value = row_values_number(value, turn->amount_microcents);
	value = row_values_text(value, row_kind_word(turn->kind));
	value = row_values_number(value, (int64_t)store_turn_quantity(turn));
	value = row_values_text(value, row_unit_word(turn->unit));
	value = row_values_number(value, turn->is_estimated);
	return row_values_text(value,
			       strcmp(old_model, turn->model_id) == 0 ? NULL : turn->model_id);
}

static struct row_value *row_values_of_dictionary(struct row_value *value,
						  const struct store_dictionary *dictionary)
{
	value = row_values_number(value, dictionary->id);
	value = row_values_number(value, dictionary->project_id);
	value = row_values_text(value, dictionary->name);
	value = row_values_text(value, dictionary->description);
	value = row_values_text(value, dictionary->language);
	value = row_values_number(value, dictionary->is_active);
	value = row_values_number(value, dictionary->revision);
	value = row_values_number(value, dictionary->created_ms);
	return row_values_number(value, dictionary->updated_ms);
}

static struct row_value *row_values_of_entry(struct row_value *value,
					     const struct store_entry *entry, const char *folded)
{
	value = row_values_number(value, entry->id);
	value = row_values_number(value, entry->dictionary_id);
	value = row_values_text(value, entry->said.word);
	value = row_values_text(value, folded);
	value = row_values_text(value, entry->said.replacement);
	value = row_values_text(value, entry->said.ipa);
	value = row_values_number(value, entry->said.case_sensitive);
	value = row_values_number(value, entry->created_ms);
	return row_values_number(value, entry->updated_ms);
}

static struct row_value *row_values_of_voice(struct row_value *value,
					     const struct store_voice *voice)
{
	value = row_values_number(value, voice->id);
	value = row_values_number(value, voice->project_id);
	value = row_values_number(value, voice->base_id);
	value = row_values_text(value, voice->name);
	value = row_values_real(value, voice->pitch);
	value = row_values_real(value, voice->rate);
	value = row_values_text(value, voice->variant);
	value = row_values_text(value, voice->description);
	value = row_values_text(value, voice->generative_description);
	value = row_values_text(value, voice->sample_text);
	value = row_values_text(value, voice->sex);
	value = row_values_text(value, voice->age);
	value = row_values_text(value, voice->category);
	value = row_values_text(value, voice->quality);
	value = row_values_text(value, voice->languages);
	value = row_values_number(value, voice->is_public);
	value = row_values_number(value, voice->sampled_ms);
	value = row_values_number(value, voice->revision);
	value = row_values_number(value, voice->created_ms);
	return row_values_number(value, voice->updated_ms);
}

static struct row_value *row_values_of_speech_engine(struct row_value *value,
						     const struct store_speech_engine *engine,
						     const char *folded)
{
	value = row_values_text(value, engine->id);
	value = row_values_number(value, engine->project_id);
	value = row_values_text(value, engine->name);
	value = row_values_text(value, folded);
	value = row_values_number(value, engine->key_id);
	value = row_values_text(value, engine->config);
	value = row_values_number(value, engine->revision);
	value = row_values_number(value, engine->created_ms);
	return row_values_number(value, engine->updated_ms);
}

static struct row_value *row_values_of(struct row_value *values, const struct store_row *row,
				       const char *made)
{
	switch (row->kind) {
	case STORE_ROW_ACCOUNT:
		return row_values_of_account(values, row->account);
	case STORE_ROW_PROJECT:
		return row_values_of_project(values, row->project);
	case STORE_ROW_KEY:
		return row_values_of_key(values, row->key);
	case STORE_ROW_TOP_UP:
		return row_values_of_top_up(values, row->top_up);
	case STORE_ROW_TURN:
		return row_values_of_turn(values, row->seq, row->turn, made);
	case STORE_ROW_DICTIONARY:
		return row_values_of_dictionary(values, row->dictionary);
	case STORE_ROW_ENTRY:
		return row_values_of_entry(values, row->entry, made);
	case STORE_ROW_VOICE:
		return row_values_of_voice(values, row->voice);
	case STORE_ROW_SPEECH_ENGINE:
		return row_values_of_speech_engine(values, row->speech_engine, made);
	case STORE_ROW_KINDS:
	default:
		return values;
	}
}

size_t row_values(struct row_value values[ROW_VALUES_MAX], const struct store_row *row, char **made)
{
	bool needs_made = true;

	*made = NULL;
	if (row->kind == STORE_ROW_ENTRY)
		*made = search_fold(row->entry->said.word);
	else if (row->kind == STORE_ROW_SPEECH_ENGINE)
		*made = search_fold(row->speech_engine->name);
	else if (row->kind == STORE_ROW_TURN && (*made = malloc(STORE_MODEL_OLD_SIZE)))
		row_old_model(*made, row->turn->model_id);
	else
		needs_made = row->kind == STORE_ROW_TURN;
	if (needs_made && !*made)
		return 0;
	return (size_t)(row_values_of(values, row, *made) - values);
}
