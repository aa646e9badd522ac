/*
 * sqlite_voices.c: derived voices in the SQLite store.
 */
#include <errno.h>

#include "store/sqlite_private.h"

/* Returns NULL for NULL; otherwise the text is valid until the statement's next step. */
static const char *sqlite_voices_text_at(sqlite3_stmt *stmt, int column)
{
	return (const char *)sqlite3_column_text(stmt, column);
}

static int sqlite_voices_read_voice(struct store_voice *voice, sqlite3_stmt *stmt)
{
	*voice = (struct store_voice){
		.id = sqlite3_column_int64(stmt, 0),
		.project_id = sqlite3_column_int64(stmt, 1),
		.base_id = sqlite3_column_int64(stmt, 2),
		.name = sqlite_voices_text_at(stmt, 3),
		.pitch = sqlite3_column_double(stmt, 4),
		.rate = sqlite3_column_double(stmt, 5),
		.variant = sqlite_voices_text_at(stmt, 6),
		.description = sqlite_voices_text_at(stmt, 7),
		.generative_description = sqlite_voices_text_at(stmt, 8),
		.sample_text = sqlite_voices_text_at(stmt, 9),
		.sex = sqlite_voices_text_at(stmt, 10),
		.age = sqlite_voices_text_at(stmt, 11),
		.category = sqlite_voices_text_at(stmt, 12),
		.quality = sqlite_voices_text_at(stmt, 13),
		.languages = sqlite_voices_text_at(stmt, 14),
		.is_public = sqlite3_column_int(stmt, 15) != 0,
		.sampled_ms = sqlite3_column_int64(stmt, 16),
		.revision = sqlite3_column_int64(stmt, 17),
		.created_ms = sqlite3_column_int64(stmt, 18),
		.updated_ms = sqlite3_column_int64(stmt, 19),
	};
	return voice->name ? 0 : sqlite_damaged("voice");
}

struct sqlite_voice_viewer {
	store_voice_h *each;
	void *arg;
};

static int sqlite_voices_show(sqlite3_stmt *stmt, void *arg)
{
	const struct sqlite_voice_viewer *viewer = arg;
	struct store_voice voice;
	int err = sqlite_voices_read_voice(&voice, stmt);

	if (err)
		return err;
	return viewer->each(&voice, viewer->arg) ? 0 : ECANCELED;
}

int sqlite_voice_list(struct store *store, store_voice_h *each, void *arg)
{
	struct sqlite_voice_viewer viewer = {each, arg};
	int err = sqlite_rows(sqlite_of(store), STATEMENT_VOICE_LIST, "cannot list the voices",
			      sqlite_voices_show, &viewer);

	return err == ENOENT ? 0 : err;
}

/* Both statements have the same parameters: 1 to 3 are the id, the project and the fields. */
static void sqlite_voices_bind_fields(sqlite3_stmt *stmt, const struct store_voice *voice,
				      int64_t at_ms)
{
	sqlite3_bind_int64(stmt, 4, at_ms);
	sqlite_bind_text(stmt, 5, voice->name);
	sqlite3_bind_int64(stmt, 6, voice->base_id);
	sqlite3_bind_double(stmt, 7, voice->pitch);
	sqlite3_bind_double(stmt, 8, voice->rate);
	sqlite_bind_text(stmt, 9, voice->variant);
	sqlite_bind_text(stmt, 10, voice->description);
	sqlite_bind_text(stmt, 11, voice->generative_description);
	sqlite_bind_text(stmt, 12, voice->sample_text);
	sqlite_bind_text(stmt, 13, voice->sex);
	sqlite_bind_text(stmt, 14, voice->age);
	sqlite_bind_text(stmt, 15, voice->category);
	sqlite_bind_text(stmt, 16, voice->quality);
	sqlite_bind_text(stmt, 17, voice->languages);
	sqlite3_bind_int(stmt, 18, voice->is_public);
	sqlite3_bind_int64(stmt, 19, voice->sampled_ms);
}

static int sqlite_voices_check_room(struct sqlite *sqlite, int64_t project_id)
{
	int64_t count;
	int err;

	sqlite3_bind_int64(sqlite->statements[STATEMENT_VOICE_COUNT], 1, project_id);
	err = sqlite_number(sqlite, STATEMENT_VOICE_COUNT, "cannot count voices", &count);
	if (err)
		return err;
	return count < STORE_VOICES_MAX ? 0 : EDQUOT;
}

static int sqlite_voices_insert(struct sqlite *sqlite, const struct store_voice *voice)
{
	sqlite3_stmt *stmt = sqlite->statements[STATEMENT_VOICE_ADD];
	int constraint;
	int err;

	sqlite3_bind_int64(stmt, 2, voice->project_id);
	sqlite_voices_bind_fields(stmt, voice, voice->created_ms);
	err = sqlite_run(sqlite, STATEMENT_VOICE_ADD, "cannot add a voice", &constraint);
	return constraint ? ENOENT : err;
}

int sqlite_voice_add(struct store *store, int64_t *id, const struct store_voice *voice)
{
	struct sqlite *sqlite = sqlite_of(store);
	int64_t added = 0;
	int err = sqlite_begin(store);

	if (err)
		return err;
	err = sqlite_voices_check_room(sqlite, voice->project_id);
	if (!err)
		err = sqlite_voices_insert(sqlite, voice);
	if (!err)
		added = sqlite3_last_insert_rowid(sqlite->db);
	err = sqlite_end(store, err);
	if (!err)
		*id = added;
	return err;
}

int sqlite_voice_change(struct store *store, int64_t project_id, int64_t id, unsigned fields,
			const struct store_voice *to)
{
	struct sqlite *sqlite = sqlite_of(store);
	sqlite3_stmt *stmt = sqlite->statements[STATEMENT_VOICE_CHANGE];
	int constraint;
	int err;

	sqlite3_bind_int64(stmt, 1, id);
	sqlite3_bind_int64(stmt, 2, project_id);
	sqlite3_bind_int64(stmt, 3, fields);
	sqlite_voices_bind_fields(stmt, to, to->updated_ms);
	err = sqlite_run(sqlite, STATEMENT_VOICE_CHANGE, "cannot change a voice", &constraint);
	return err || sqlite3_changes(sqlite->db) > 0 ? err : ENOENT;
}

int sqlite_voice_remove(struct store *store, int64_t project_id, int64_t id)
{
	struct sqlite *sqlite = sqlite_of(store);
	sqlite3_stmt *stmt = sqlite->statements[STATEMENT_VOICE_REMOVE];
	int constraint;
	int err;

	sqlite3_bind_int64(stmt, 1, id);
	sqlite3_bind_int64(stmt, 2, project_id);
	err = sqlite_run(sqlite, STATEMENT_VOICE_REMOVE, "cannot remove a voice", &constraint);
	return err || sqlite3_changes(sqlite->db) > 0 ? err : ENOENT;
}
