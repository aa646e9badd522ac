/*
 * json_list.c: the JSON that --json prints (see json_list.h).
 */
#include "cli/json_list.h"

#include <stdio.h>

#define JSON_LIST_MAX (256u * 1024u * 1024u) /* far more rows than any store has */

void json_list_open_object(struct json_list *list)
{
	buf_init(&list->out, JSON_LIST_MAX);
	json_write_open(&list->json, &list->out);
}

int json_list_print_object(struct json_list *list)
{
	int err = json_write_close(&list->json);

	if (!err) {
		fwrite(list->out.bytes, 1, list->out.len, stdout);
		putchar('\n');
	}
	buf_reset(&list->out);
	return err;
}

void json_list_open(struct json_list *list, const char *key)
{
	json_list_open_object(list);
	json_write_list(&list->json, key);
}

void json_list_next(struct json_list *list, const char *key)
{
	json_write_list_end(&list->json);
	json_write_list(&list->json, key);
}

int json_list_print(struct json_list *list)
{
	json_write_list_end(&list->json);
	return json_list_print_object(list);
}
