/*
 * dictionary_json.c: dictionaries and their entries as REST clients see them
 * (see dictionary_json.h).
 */
#include "server/dictionary_json.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

/* ISO 8601 with its offset: 2026-05-20T09:00:00+00:00. */
static void write_time(struct json_write *json, const char *key, int64_t wall_ms)
{
	time_t seconds = (time_t)(wall_ms / 1000);
	char text[40];
	struct tm tm;

	gmtime_r(&seconds, &tm);
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S+00:00", &tm);
	json_write_text(json, key, text);
}

void dictionary_json_write(struct json_write *json, const struct store_dictionary *row)
{
	json_write_signed(json, "id", row->id);
	json_write_signed(json, "project_id", row->project_id);
	json_write_text(json, "name", row->name);
	json_write_text(json, "description", row->description);
	json_write_text(json, "language", row->language);
	json_write_bool(json, "is_active", row->is_active);
	write_time(json, "created_at", row->created_ms);
	write_time(json, "updated_at", row->updated_ms);
}

void dictionary_json_write_entry(struct json_write *json, const struct store_entry *row)
{
	json_write_signed(json, "id", row->id);
	json_write_signed(json, "dictionary_id", row->dictionary_id);
	json_write_text(json, "word", row->said.word);
	json_write_text(json, "replacement", row->said.replacement);
	json_write_text(json, "ipa", row->said.ipa);
	json_write_bool(json, "case_sensitive", row->said.case_sensitive);
	write_time(json, "created_at", row->created_ms);
	write_time(json, "updated_at", row->updated_ms);
}
