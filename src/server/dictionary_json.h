/*
 * dictionary_json.h: dictionaries and their entries as REST clients see them.
 */
#ifndef SERVER_DICTIONARY_JSON_H
#define SERVER_DICTIONARY_JSON_H

#include "store/store.h"
#include "wire/json_write.h"

/* The members of an object that was opened. */
void dictionary_json_write(struct json_write *json, const struct store_dictionary *row);
void dictionary_json_write_entry(struct json_write *json, const struct store_entry *row);

#endif
