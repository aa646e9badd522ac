/*
 * account_json.h: accounts, projects, keys and top-ups as REST clients see them.
 */
#ifndef SERVER_ACCOUNT_JSON_H
#define SERVER_ACCOUNT_JSON_H

#include "store/store.h"
#include "wire/account_message.h"
#include "wire/json_write.h"

/* The members of an object that has been opened; a currency that is not known is NULL. */
void account_json_write(struct json_write *json, const struct store_account *row,
			const char *currency);
void account_json_write_project(struct json_write *json, const struct store_project *row);
void account_json_write_key(struct json_write *json, const struct store_key *row);
void account_json_write_top_up(struct json_write *json, const struct store_top_up *row);

/* null for "", and for the moment 0. */
void account_json_write_text(struct json_write *json, const char *key, const char *text);
void account_json_write_moment(struct json_write *json, const char *key, int64_t wall_ms);

/* The other way: what a message says becomes part of a row.  `fields` are those of its
 * body; a text of NULL is "". */
void account_json_take_limits(struct store_limits *limits, unsigned fields,
			      const struct limits_message *message);
void account_json_copy(char out[STORE_NAME_MAX + 1], const char *text);

#endif
