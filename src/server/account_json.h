/*
 * account_json.h: accounts, projects, keys and top-ups as REST clients see them.
 */
#ifndef SERVER_ACCOUNT_JSON_H
#define SERVER_ACCOUNT_JSON_H

#include "store/store.h"
#include "wire/json_write.h"

/* Write the members of a JSON object that is already open.  `currency` is NULL if it is not
 * known. */
void account_json_write(struct json_write *json, const struct store_account *row,
			const char *currency);
void account_json_write_project(struct json_write *json, const struct store_project *row);
void account_json_write_key(struct json_write *json, const struct store_key *row);
void account_json_write_top_up(struct json_write *json, const struct store_top_up *row);

/* Write null for an empty string and for time 0, respectively. */
void account_json_write_text(struct json_write *json, const char *key, const char *text);
void account_json_write_moment(struct json_write *json, const char *key, int64_t wall_ms);

#endif
