/*
 * pronunciation_view.c: a dictionary as ElevenLabs' clients see it (see pronunciation_view.h).
 */
#include "server/pronunciation_view.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void pronunciation_view_forget(struct pronunciation_view *view)
{
	free((char *)(uintptr_t)view->name);
	free((char *)(uintptr_t)view->description);
	free((char *)(uintptr_t)view->language);
	*view = (struct pronunciation_view){0};
}

/* NULL stays NULL.  ENOMEM. */
static int pronunciation_view_copy(const char **copy, const char *text)
{
	*copy = text ? strdup(text) : NULL;
	return text && !*copy ? ENOMEM : 0;
}

bool pronunciation_view_take(const struct store_dictionary *row, void *arg)
{
	struct pronunciation_list *list = arg;
	struct pronunciation_view *view = &list->rows[list->count];

	if (list->count == STORE_DICTIONARIES_MAX)
		return false;
	*view = (struct pronunciation_view){.id = row->id,
					    .project_id = row->project_id,
					    .revision = row->revision,
					    .created_ms = row->created_ms};
	++list->count;
	list->err = pronunciation_view_copy(&view->name, row->name);
	if (!list->err)
		list->err = pronunciation_view_copy(&view->description, row->description);
	if (!list->err)
		list->err = pronunciation_view_copy(&view->language, row->language);
	return list->err == 0;
}

void pronunciation_view_forget_list(struct pronunciation_list *list)
{
	for (size_t i = 0; i < list->count; ++i)
		pronunciation_view_forget(&list->rows[i]);
	free(list);
}

int pronunciation_view_look_up(struct pronunciation_view *view, struct dictionary_errand *errand,
			       struct store *store, int64_t id)
{
	struct pronunciation_list *list = calloc(1, sizeof(*list));
	int err;

	if (!list)
		return ENOMEM;
	err = store->ops->dictionary_get(store, errand->project_id, id, pronunciation_view_take,
					 list);
	if (!err)
		err = list->err;
	if (!err)
		err = store->ops->entry_count(store, &list->rows[0].count, id, NULL);
	if (!err) {
		*view = list->rows[0];
		list->count = 0;
	}
	pronunciation_view_forget_list(list);
	return dictionary_errand_refuse_dictionary(errand, err);
}

void pronunciation_view_write_number(struct json_write *json, const char *key, int64_t number)
{
	char text[24];
	int len = snprintf(text, sizeof(text), "%lld", (long long)number);

	json_write_string(json, key, text, (size_t)len);
}

void pronunciation_view_write(struct json_write *json, const struct pronunciation_view *view,
			      const char *prefix)
{
	char key[48];
	char owner[32];

	pronunciation_view_write_number(json, "id", view->id);
	snprintf(key, sizeof(key), "%s_id", prefix);
	pronunciation_view_write_number(json, key, view->revision);
	snprintf(key, sizeof(key), "%s_rules_num", prefix);
	json_write_signed(json, key, view->count);
	json_write_text(json, "name", view->name);
	json_write_text(json, "permission_on_resource", "admin");
	snprintf(owner, sizeof(owner), "project-%lld", (long long)view->project_id);
	json_write_text(json, "created_by", owner);
	json_write_signed(json, "creation_time_unix", view->created_ms / 1000);
	json_write_text(json, "description", view->description);
}

void pronunciation_view_write_metadata(struct json_write *json,
				       const struct pronunciation_view *view)
{
	pronunciation_view_write(json, view, "latest_version");
	json_write_null(json, "archived_time_unix");
}
