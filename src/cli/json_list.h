/*
 * json_list.h: a list for programs: what --json prints.
 */
#ifndef CLI_JSON_LIST_H
#define CLI_JSON_LIST_H

#include "wire/json_write.h"

struct json_list {
	struct json_write json; /* to write rows with */
	struct buf out;
};

/* Begins {"KEY":[ */
void json_list_open(struct json_list *list, const char *key);

/* Ends the list and begins another one in the same object. */
void json_list_next(struct json_list *list, const char *key);

/* Ends it, prints it on one line of standard output and frees it.  0 or an errno. */
int json_list_print(struct json_list *list);

/* The same for an object that is no list. */
void json_list_open_object(struct json_list *list);
int json_list_print_object(struct json_list *list);

#endif
