/*
 * sqlite_speech_engines.c: speech engines in the SQLite store.
 */
#include <errno.h>
#include <stdlib.h>

#include "store/search.h"
#include "store/sqlite_private.h"

struct sqlite_speech_engine_viewer {
	store_speech_engine_h *each;
	void *arg;
};

/* The texts are valid until the statement's next step. */
static int sqlite_speech_engines_show(sqlite3_stmt *stmt, void *arg)
{
	const struct sqlite_speech_engine_viewer *viewer = arg;
	const struct store_speech_engine engine = {
		.id = (const char *)sqlite3_column_text(stmt, 0),
		.project_id = sqlite3_column_int64(stmt, 1),
		.name = (const char *)sqlite3_column_text(stmt, 2),
		.key_id = sqlite3_column_int64(stmt, 3),
		.key_prefix = (const char *)sqlite3_column_text(stmt, 4),
		.config = (const char *)sqlite3_column_text(stmt, 5),
		.revision = sqlite3_column_int64(stmt, 6),
		.created_ms = sqlite3_column_int64(stmt, 7),
		.updated_ms = sqlite3_column_int64(stmt, 8),
	};

	if (!engine.id || !engine.name || !engine.key_prefix || !engine.config)
		return sqlite_damaged("speech_engine");
	return viewer->each(&engine, viewer->arg) ? 0 : ECANCELED;
}

/* Folds a text that may be NULL.  Returns false if there is no memory. */
static bool sqlite_speech_engines_fold(char **folded, const char *text)
{
	*folded = text ? search_fold(text) : NULL;
	return !text || *folded;
}

int sqlite_speech_engine_list(struct store *store, int64_t project_id,
			      const struct store_speech_engine_page *page,
			      store_speech_engine_h *each, void *arg)
{
	static const enum statement lists[2][2] = {
		[STORE_SPEECH_ENGINE_BY_TIME] = {STATEMENT_SPEECH_ENGINE_BY_TIME,
						 STATEMENT_SPEECH_ENGINE_BY_TIME_DOWN},
		[STORE_SPEECH_ENGINE_BY_NAME] = {STATEMENT_SPEECH_ENGINE_BY_NAME,
						 STATEMENT_SPEECH_ENGINE_BY_NAME_DOWN},
	};
	struct sqlite *sqlite = sqlite_of(store);
	enum statement id = lists[page->order][page->descends];
	sqlite3_stmt *stmt = sqlite->statements[id];
	struct sqlite_speech_engine_viewer viewer = {each, arg};
	char *search = NULL;
	char *after = NULL;
	int err = ENOMEM;

	if (sqlite_speech_engines_fold(&search, page->search) &&
	    sqlite_speech_engines_fold(&after, page->after_name)) {
		sqlite3_bind_int64(stmt, 1, project_id);
		sqlite_bind_text(stmt, 2, search);
		sqlite3_bind_int64(stmt, 3, page->limit);
		if (page->order == STORE_SPEECH_ENGINE_BY_NAME)
			sqlite_bind_text(stmt, 4, after);
		else
			sqlite3_bind_int64(stmt, 4, page->after_ms);
		sqlite_bind_text(stmt, 5, page->after_id);
		err = sqlite_rows(sqlite, id, "cannot list the speech engines",
				  sqlite_speech_engines_show, &viewer);
	}
	free(search);
	free(after);
	return err == ENOENT ? 0 : err;
}

int sqlite_speech_engine_get(struct store *store, int64_t project_id, const char *id,
			     store_speech_engine_h *each, void *arg)
{
	struct sqlite *sqlite = sqlite_of(store);
	sqlite3_stmt *stmt = sqlite->statements[STATEMENT_SPEECH_ENGINE_GET];
	struct sqlite_speech_engine_viewer viewer = {each, arg};

	sqlite_bind_text(stmt, 1, id);
	sqlite3_bind_int64(stmt, 2, project_id);
	return sqlite_rows(sqlite, STATEMENT_SPEECH_ENGINE_GET, "cannot look up a speech engine",
			   sqlite_speech_engines_show, &viewer);
}

/* Runs one of the two statements that write a row, which have these parameters in common.  ENOENT
 * for a project or key that does not exist. */
static int sqlite_speech_engines_write(struct sqlite *sqlite, enum statement statement,
				       const struct store_speech_engine *row, int64_t at_ms)
{
	sqlite3_stmt *stmt = sqlite->statements[statement];
	char *folded;
	int constraint = 0;
	int err = ENOMEM;

	if (sqlite_speech_engines_fold(&folded, row->name)) {
		sqlite_bind_text(stmt, 4, row->name);
		sqlite_bind_text(stmt, 5, folded);
		sqlite3_bind_int64(stmt, 6, row->key_id);
		sqlite_bind_text(stmt, 7, row->config);
		sqlite3_bind_int64(stmt, 8, at_ms);
		err = sqlite_run(sqlite, statement, "cannot write a speech engine", &constraint);
	}
	free(folded);
	if (constraint)
		err = constraint == SQLITE_CONSTRAINT_PRIMARYKEY ? EEXIST : ENOENT;
	return err;
}

static int sqlite_speech_engines_check_room(struct sqlite *sqlite, int64_t project_id)
{
	int64_t count;
	int err;

	sqlite3_bind_int64(sqlite->statements[STATEMENT_SPEECH_ENGINE_COUNT], 1, project_id);
	err = sqlite_number(sqlite, STATEMENT_SPEECH_ENGINE_COUNT, "cannot count speech engines",
			    &count);
	if (err)
		return err;
	return count < STORE_SPEECH_ENGINES_MAX ? 0 : EDQUOT;
}

int sqlite_speech_engine_add(struct store *store, const struct store_speech_engine *engine)
{
	struct sqlite *sqlite = sqlite_of(store);
	sqlite3_stmt *stmt = sqlite->statements[STATEMENT_SPEECH_ENGINE_ADD];
	int err = sqlite_begin(store);

	if (err)
		return err;
	err = sqlite_speech_engines_check_room(sqlite, engine->project_id);
	if (!err) {
		sqlite_bind_text(stmt, 1, engine->id);
		sqlite3_bind_int64(stmt, 2, engine->project_id);
		err = sqlite_speech_engines_write(sqlite, STATEMENT_SPEECH_ENGINE_ADD, engine,
						  engine->created_ms);
	}
	return sqlite_end(store, err);
}

int sqlite_speech_engine_change(struct store *store, int64_t project_id, const char *id,
				unsigned fields, const struct store_speech_engine *to)
{
	struct sqlite *sqlite = sqlite_of(store);
	sqlite3_stmt *stmt = sqlite->statements[STATEMENT_SPEECH_ENGINE_CHANGE];
	int err;

	sqlite_bind_text(stmt, 1, id);
	sqlite3_bind_int64(stmt, 2, project_id);
	sqlite3_bind_int64(stmt, 3, fields);
	sqlite3_bind_int64(stmt, 9, to->revision);
	err = sqlite_speech_engines_write(sqlite, STATEMENT_SPEECH_ENGINE_CHANGE, to,
					  to->updated_ms);
	return err || sqlite3_changes(sqlite->db) > 0 ? err : ENOENT;
}

int sqlite_speech_engine_remove(struct store *store, int64_t project_id, const char *id)
{
	struct sqlite *sqlite = sqlite_of(store);
	sqlite3_stmt *stmt = sqlite->statements[STATEMENT_SPEECH_ENGINE_REMOVE];

	sqlite_bind_text(stmt, 1, id);
	sqlite3_bind_int64(stmt, 2, project_id);
	return sqlite_change(sqlite, STATEMENT_SPEECH_ENGINE_REMOVE,
			     "cannot remove a speech engine");
}
