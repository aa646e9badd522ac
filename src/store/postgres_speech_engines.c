/*
 * postgres_speech_engines.c: speech engines in the PostgreSQL store.
 */
#include <errno.h>
#include <stdlib.h>

#include "store/postgres_private.h"
#include "store/search.h"

struct postgres_speech_engine_viewer {
	store_speech_engine_h *each;
	void *arg;
};

static int postgres_speech_engines_show(const struct postgres_row *row, void *arg)
{
	const struct postgres_speech_engine_viewer *viewer = arg;
	const struct store_speech_engine engine = {
		.id = postgres_text_at(row, 0),
		.project_id = postgres_number_at(row, 1),
		.name = postgres_text_at(row, 2),
		.key_id = postgres_number_at(row, 3),
		.key_prefix = postgres_text_at(row, 4),
		.config = postgres_text_at(row, 5),
		.revision = postgres_number_at(row, 6),
		.created_ms = postgres_number_at(row, 7),
		.updated_ms = postgres_number_at(row, 8),
	};

	if (!engine.id || !engine.name || !engine.key_prefix || !engine.config)
		return postgres_damaged("speech_engine");
	return viewer->each(&engine, viewer->arg) ? 0 : ECANCELED;
}

/* Folds a text that may be NULL.  Returns false if there is no memory. */
static bool postgres_speech_engines_fold(char **folded, const char *text)
{
	*folded = text ? search_fold(text) : NULL;
	return !text || *folded;
}

int postgres_speech_engine_list(struct store *store, int64_t project_id,
				const struct store_speech_engine_page *page,
				store_speech_engine_h *each, void *arg)
{
	static const enum postgres_statement lists[2][2] = {
		[STORE_SPEECH_ENGINE_BY_TIME] = {POSTGRES_SPEECH_ENGINE_BY_TIME,
						 POSTGRES_SPEECH_ENGINE_BY_TIME_DOWN},
		[STORE_SPEECH_ENGINE_BY_NAME] = {POSTGRES_SPEECH_ENGINE_BY_NAME,
						 POSTGRES_SPEECH_ENGINE_BY_NAME_DOWN},
	};
	struct postgres_speech_engine_viewer viewer = {each, arg};
	struct postgres_values values = {.count = 0};
	char *search = NULL;
	char *after = NULL;
	int err = ENOMEM;

	if (postgres_speech_engines_fold(&search, page->search) &&
	    postgres_speech_engines_fold(&after, page->after_name)) {
		postgres_put_number(&values, project_id);
		postgres_put_text(&values, search);
		postgres_put_number(&values, page->limit);
		if (page->order == STORE_SPEECH_ENGINE_BY_NAME)
			postgres_put_text(&values, after);
		else
			postgres_put_number(&values, page->after_ms);
		postgres_put_text(&values, page->after_id);
		err = postgres_rows(postgres_of(store), lists[page->order][page->descends], &values,
				    "cannot list the speech engines", postgres_speech_engines_show,
				    &viewer);
	}
	free(search);
	free(after);
	return err == ENOENT ? 0 : err;
}

int postgres_speech_engine_get(struct store *store, int64_t project_id, const char *id,
			       store_speech_engine_h *each, void *arg)
{
	struct postgres_speech_engine_viewer viewer = {each, arg};
	struct postgres_values values = {.count = 0};

	postgres_put_text(&values, id);
	postgres_put_number(&values, project_id);
	return postgres_rows(postgres_of(store), POSTGRES_SPEECH_ENGINE_GET, &values,
			     "cannot look up a speech engine", postgres_speech_engines_show,
			     &viewer);
}

/* Adds the first parameters, which both statements share. */
static void postgres_speech_engines_put_fields(struct postgres_values *values, int64_t project_id,
					       const char *id,
					       const struct store_speech_engine *row,
					       const char *folded, int64_t at_ms)
{
	postgres_put_text(values, id);
	postgres_put_number(values, project_id);
	postgres_put_text(values, row->name);
	postgres_put_text(values, folded);
	postgres_put_number(values, row->key_id);
	postgres_put_text(values, row->config);
	postgres_put_number(values, at_ms);
}

struct postgres_speech_engine_addition {
	const struct store_speech_engine *engine;
	const char *folded;
};

static int postgres_speech_engines_add(struct postgres *postgres, void *arg)
{
	const struct postgres_speech_engine_addition *addition = arg;
	const struct store_speech_engine *engine = addition->engine;
	struct postgres_values project = {.count = 0};
	struct postgres_values values = {.count = 0};
	struct postgres_answer answer;
	int64_t count = 0;
	int err = postgres_lock_project(postgres, engine->project_id);

	postgres_put_number(&project, engine->project_id);
	if (!err)
		err = postgres_number(postgres, POSTGRES_SPEECH_ENGINE_COUNT, &project,
				      "cannot count speech engines", &count);
	if (!err && count >= STORE_SPEECH_ENGINES_MAX)
		err = EDQUOT;
	if (err)
		return err;
	postgres_speech_engines_put_fields(&values, engine->project_id, engine->id, engine,
					   addition->folded, engine->created_ms);
	return postgres_run(postgres, POSTGRES_SPEECH_ENGINE_ADD, &values,
			    "cannot add a speech engine", &answer);
}

int postgres_speech_engine_add(struct store *store, const struct store_speech_engine *engine)
{
	char *folded;
	int err = ENOMEM;

	if (postgres_speech_engines_fold(&folded, engine->name))
		err = postgres_transaction(
			postgres_of(store), postgres_speech_engines_add,
			&(struct postgres_speech_engine_addition){engine, folded});
	free(folded);
	return err == EINVAL ? ENOENT : err; /* there is no such key */
}

int postgres_speech_engine_change(struct store *store, int64_t project_id, const char *id,
				  unsigned fields, const struct store_speech_engine *to)
{
	struct postgres_values values = {.count = 0};
	struct postgres_answer answer;
	char *folded;
	int err = ENOMEM;

	if (postgres_speech_engines_fold(&folded, to->name)) {
		postgres_speech_engines_put_fields(&values, project_id, id, to, folded,
						   to->updated_ms);
		postgres_put_number(&values, fields);
		postgres_put_number(&values, to->revision);
		err = postgres_change(postgres_of(store), POSTGRES_SPEECH_ENGINE_CHANGE, &values,
				      "cannot change a speech engine", &answer);
	}
	free(folded);
	return err == EINVAL ? ENOENT : err; /* there is no such key */
}

int postgres_speech_engine_remove(struct store *store, int64_t project_id, const char *id)
{
	struct postgres_values values = {.count = 0};
	struct postgres_answer answer;

	postgres_put_text(&values, id);
	postgres_put_number(&values, project_id);
	return postgres_change(postgres_of(store), POSTGRES_SPEECH_ENGINE_REMOVE, &values,
			       "cannot remove a speech engine", &answer);
}
