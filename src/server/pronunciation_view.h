/*
 * pronunciation_view.h: a dictionary as ElevenLabs' clients see it.
 */
#ifndef SERVER_PRONUNCIATION_VIEW_H
#define SERVER_PRONUNCIATION_VIEW_H

#include "server/dictionary_errand.h"

/* A dictionary without its entries; ended by pronunciation_view_forget. */
struct pronunciation_view {
	int64_t id, project_id, revision, created_ms;
	const char *name, *description, *language; /* NULL: none */
	int64_t count; /* of its entries */
};

/* Ended by pronunciation_view_forget_list. */
struct pronunciation_list {
	struct pronunciation_view rows[STORE_DICTIONARIES_MAX];
	size_t count;
	int err; /* of pronunciation_view_take */
};

/* For the store's lists; `list` is a struct pronunciation_list. */
bool pronunciation_view_take(const struct store_dictionary *row, void *list);

/* One of the project's, as it is now. */
int pronunciation_view_look_up(struct pronunciation_view *view, struct dictionary_errand *errand,
			       struct store *store, int64_t id);

void pronunciation_view_forget(struct pronunciation_view *view);
void pronunciation_view_forget_list(struct pronunciation_list *list);

/* What all answers about a dictionary have; `prefix` is "latest_version" or "version". */
void pronunciation_view_write(struct json_write *json, const struct pronunciation_view *view,
			      const char *prefix);
void pronunciation_view_write_metadata(struct json_write *json,
				       const struct pronunciation_view *view);

/* A number as a string, as all of ElevenLabs' ids are. */
void pronunciation_view_write_number(struct json_write *json, const char *key, int64_t number);

#endif
