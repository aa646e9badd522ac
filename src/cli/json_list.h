/*
 * json_list.h: the JSON that --json prints.
 */
#ifndef CLI_JSON_LIST_H
#define CLI_JSON_LIST_H

#include "wire/json_write.h"

struct json_list {
	struct json_write json; /* for writing rows */
	struct buf out;
};

/* Begins {"KEY":[. */
void json_list_open(struct json_list *list, const char *key);

/* Ends the list and begins another one in the same object. */
void json_list_next(struct json_list *list, const char *key);

/* Ends the list, prints it on one line to standard output and frees it. Returns 0 or an errno. */
int json_list_print(struct json_list *list);

/* The same for an object without a list. */
void json_list_open_object(struct json_list *list);
int json_list_print_object(struct json_list *list);

#endif
