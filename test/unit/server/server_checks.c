/*
 * server_checks.c: the checks in a line of a script (see server_checks.h).
 */
#include "server_checks.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VALUE_SIZE 8192

void variables_set(struct variables *variables, const char *name, const char *value)
{
	size_t i = 0;

	while (i < variables->count && strcmp(variables->rows[i].name, name) != 0)
		++i;
	if (i == CHECKS_VARIABLES_MAX)
		abort();
	if (i == variables->count)
		++variables->count;
	else
		free(variables->rows[i].value);
	snprintf(variables->rows[i].name, sizeof(variables->rows[i].name), "%s", name);
	variables->rows[i].value = strdup(value);
}

void variables_reset(struct variables *variables)
{
	for (size_t i = 0; i < variables->count; ++i)
		free(variables->rows[i].value);
	variables->count = 0;
}

static const char *server_checks_variable(const struct variables *variables, const char *text,
					  size_t *len)
{
	const char *value = NULL;

	*len = 0;
	for (size_t i = 0; i < variables->count; ++i) {
		size_t n = strlen(variables->rows[i].name);

		if (n > *len && strncmp(text, variables->rows[i].name, n) == 0) {
			*len = n;
			value = variables->rows[i].value;
		}
	}
	return value;
}

char *variables_expand(const struct variables *variables, const char *line)
{
	char *out = NULL;
	size_t size;
	FILE *stream = open_memstream(&out, &size);

	while (*line) {
		size_t len = 0;
		const char *value =
			*line == '$' ? server_checks_variable(variables, line + 1, &len) : NULL;

		/* "$name=" is a check that sets a value (server_checks_take). */
		if (value && line[1 + len] != '=') {
			fputs(value, stream);
			line += 1 + len;
		} else {
			fputc(*line++, stream);
		}
	}
	fclose(stream);
	return out;
}

char *checks_word(char **cursor)
{
	char *start = *cursor + strspn(*cursor, " \t");
	char *end = start;
	char *out;

	if (*start == '\0' || *start == '#')
		return NULL;
	/* Quotes may be anywhere in a word, and are removed. */
	for (out = start; *end && *end != ' '; ++end) {
		if (strchr("'\"`", *end)) {
			char quote = *end;
			char *close = strchr(end + 1, quote);

			if (!close)
				close = end + strlen(end);
			memmove(out, end + 1, (size_t)(close - end - 1));
			out += close - end - 1;
			end = *close ? close : close - 1;
		} else {
			*out++ = *end;
		}
	}
	*cursor = *end ? end + 1 : end;
	*out = '\0';
	return start;
}

/* Returns the node at a path such as .a.0.b, or NULL. */
static json_t *server_checks_node(json_t *node, const char *path)
{
	while (node && *path == '.') {
		char key[128];
		size_t len = strcspn(++path, ".");

		snprintf(key, sizeof(key), "%.*s", (int)len, path);
		path += len;
		if (len > 0 && json_is_array(node))
			node = json_array_get(node, (size_t)atoi(key));
		else if (len > 0)
			node = json_object_get(node, key);
	}
	return node;
}

static void server_checks_print(char text[VALUE_SIZE], const json_t *node)
{
	char *dump;

	if (json_is_string(node)) {
		snprintf(text, VALUE_SIZE, "%s", json_string_value(node));
		return;
	}
	dump = node ? json_dumps(node, JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(10))
		    : NULL;
	snprintf(text, VALUE_SIZE, "%s", dump ? dump : "(nothing)");
	free(dump);
}

/* Writes the names of an object's members in the order in which they were sent: "a,b,c". */
static void server_checks_print_names(char text[VALUE_SIZE], json_t *node)
{
	const char *name;
	json_t *value;
	size_t len = 0;

	text[0] = '\0';
	json_object_foreach(node, name, value) len +=
		(size_t)snprintf(text + len, VALUE_SIZE - len, "%s%s", len ? "," : "", name);
}

/* .path=value .path~part .path!=value .path#count .path%names .path .path! */
static bool server_checks_json(char *check, const struct subject *subject,
			       char why[CHECKS_WHY_SIZE])
{
	size_t path_len = strcspn(check, "=~#!%");
	char sign = check[path_len];
	char *value = check + path_len + (sign != '\0') + (sign == '!' && check[path_len + 1]);
	json_t *root = json_loadb(subject->body, subject->body_len,
				  JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
	char text[VALUE_SIZE];
	json_t *node;
	bool holds;

	check[path_len] = '\0';
	node = server_checks_node(root, check);
	server_checks_print(text, node);
	if (sign == '%')
		server_checks_print_names(text, node);
	if (sign == '=' || sign == '%')
		holds = strcmp(text, value) == 0;
	else if (sign == '~')
		holds = strstr(text, value) != NULL;
	else if (sign == '#')
		holds = json_array_size(node) == (size_t)atoi(value) && json_is_array(node);
	else if (sign == '!')
		holds = value[0] ? strcmp(text, value) != 0 : !node;
	else
		holds = node && !json_is_null(node);
	if (!holds)
		snprintf(why, CHECKS_WHY_SIZE, "%s is %.800s, not %c%.200s in %.60s", check, text,
			 sign ? sign : ' ', value, subject->body ? subject->body : "");
	json_decref(root);
	return holds;
}

/* [name] [!name] [name: value] [name~part] */
static bool server_checks_header(char *check, const struct subject *subject,
				 char why[CHECKS_WHY_SIZE])
{
	bool is_absent = check[1] == '!';
	char *name = check + 1 + is_absent;
	size_t len = strcspn(name, ":~]");
	char sign = name[len];
	char *value = name + len + 1;
	const char *found;
	bool holds;

	check[strlen(check) - 1] = '\0';
	name[len] = '\0';
	if (sign != ']')
		value += strspn(value, " ");
	found = client_header(subject->client, name);
	if (sign == ':')
		holds = found && strcmp(found, value) == 0;
	else if (sign == '~')
		holds = found && strstr(found, value);
	else
		holds = is_absent ? !found : found != NULL;
	if (!holds)
		snprintf(why, CHECKS_WHY_SIZE, "the header %s is %.200s", name,
			 found ? found : "missing");
	return holds;
}

static bool server_checks_length(const char *check, const struct subject *subject,
				 char why[CHECKS_WHY_SIZE])
{
	size_t wanted = strtoul(check + 4, NULL, 10);
	size_t len = subject->body_len;

	if (check[3] == '=' ? len == wanted : check[3] == '>' ? len > wanted : len < wanted)
		return true;
	snprintf(why, CHECKS_WHY_SIZE, "the length is %zu, not %s", len, check + 3);
	return false;
}

/* $name=.path or $name=[header] */
static bool server_checks_take(char *check, const struct subject *subject,
			       struct variables *variables, char why[CHECKS_WHY_SIZE])
{
	char *source = strchr(check, '=');
	json_t *root = json_loadb(subject->body, subject->body_len,
				  JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
	char text[VALUE_SIZE] = "(nothing)";
	const char *header;

	*source++ = '\0';
	if (*source == '.') {
		server_checks_print(text, server_checks_node(root, source));
	} else {
		source[strcspn(source, "]")] = '\0';
		header = client_header(subject->client, source + 1);
		snprintf(text, sizeof(text), "%s", header ? header : "(nothing)");
	}
	json_decref(root);
	variables_set(variables, check + 1, text);
	if (strcmp(text, "(nothing)") != 0)
		return true;
	snprintf(why, CHECKS_WHY_SIZE, "there is no %s", source);
	return false;
}

static bool server_checks_contains(const char *check, const struct subject *subject,
				   char why[CHECKS_WHY_SIZE])
{
	bool is_absent = check[0] == '!';
	const char *part = check + 1 + is_absent;
	bool has = memmem(subject->body ? subject->body : "", subject->body_len, part,
			  strlen(part)) != NULL;

	if (has != is_absent)
		return true;
	snprintf(why, CHECKS_WHY_SIZE, "\"%.100s\" is %s in %.300s", part, has ? "" : "not",
		 subject->body ? subject->body : "nothing");
	return false;
}

static bool server_checks_one(char *check, const struct subject *subject,
			      struct variables *variables, char why[CHECKS_WHY_SIZE])
{
	if (check[0] == '.')
		return server_checks_json(check, subject, why);
	if (check[0] == '[')
		return server_checks_header(check, subject, why);
	if (check[0] == '$' && strchr(check, '='))
		return server_checks_take(check, subject, variables, why);
	if (check[0] == '~' || (check[0] == '!' && check[1] == '~'))
		return server_checks_contains(check, subject, why);
	if (strncmp(check, "len", 3) == 0)
		return server_checks_length(check, subject, why);
	if (strcmp(check, "cut") == 0)
		return subject->client->is_cut;
	snprintf(why, CHECKS_WHY_SIZE, "no such check: %s", check);
	return false;
}

/* Takes the next check.  That of a header, "[name: value]", may contain blanks. */
static char *server_checks_next(char **cursor)
{
	char *start = *cursor + strspn(*cursor, " \t");
	char *end;

	if (*start != '[')
		return checks_word(cursor);
	end = strchr(start, ']');
	if (!end)
		return checks_word(cursor);
	*cursor = end[1] ? end + 2 : end + 1;
	end[1] = '\0';
	return start;
}

bool checks_hold(char *cursor, const struct subject *subject, struct variables *variables,
		 char why[CHECKS_WHY_SIZE])
{
	bool wants_cut = false;
	char *check;

	while ((check = server_checks_next(&cursor))) {
		wants_cut |= strcmp(check, "cut") == 0;
		if (!server_checks_one(check, subject, variables, why)) {
			if (strcmp(check, "cut") == 0)
				snprintf(why, CHECKS_WHY_SIZE, "the answer is complete");
			return false;
		}
	}
	if (subject->client->is_cut && !wants_cut) {
		snprintf(why, CHECKS_WHY_SIZE, "the answer is cut off");
		return false;
	}
	return true;
}
