/*
 * environment_file.c: reads the environment variables of the installed service (see
 * environment_file.h).
 */
#include "cli/environment_file.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ENVIRONMENT_FILE_MAX (256u * 1024u)
#define ENVIRONMENT_FILE_BLANKS " \t\r"

static bool environment_file_is_name(const char *name)
{
	if (!isalpha((unsigned char)name[0]) && name[0] != '_')
		return false;
	while (isalnum((unsigned char)*name) || *name == '_')
		++name;
	return *name == '\0';
}

/* The position after the next newline, or the end of the text. */
static char *environment_file_next_line(char *at)
{
	at += strcspn(at, "\n");
	return *at ? at + 1 : at;
}

/* Appends the text between quotes to *out and returns what follows them. If there is no closing
 * quote, the rest of the text is used, as systemd does. */
static char *environment_file_unquote(char **out, char *at)
{
	char quote = *at++;

	for (; *at && *at != quote; ++at) {
		if (quote == '"' && *at == '\\' && at[1]) {
			++at;
			if (*at == '\n')
				continue;
			if (!strchr("\"\\`$", *at))
				*(*out)++ = '\\';
		}
		*(*out)++ = *at;
	}
	return *at ? at + 1 : at;
}

/* Appends unquoted text up to the end of the line, without trailing spaces. */
static char *environment_file_take_plain(char **out, char *at)
{
	char *end = *out;

	for (; *at && *at != '\n'; ++at) {
		bool is_escaped = *at == '\\' && at[1];

		if (is_escaped && *++at == '\n')
			continue;
		*(*out)++ = *at;
		if (is_escaped || !strchr(ENVIRONMENT_FILE_BLANKS, *at))
			end = *out;
	}
	*out = end;
	return at;
}

/* Writes the value over the text that it is read from, which is never shorter, and returns the
 * start of the next line. */
static char *environment_file_take_value(char *value)
{
	char *out = value;
	char *at = value;
	char *next;

	at += strspn(at, ENVIRONMENT_FILE_BLANKS);
	while (*at == '"' || *at == '\'') {
		at = environment_file_unquote(&out, at);
		at += strspn(at, ENVIRONMENT_FILE_BLANKS);
	}
	at = environment_file_take_plain(&out, at);
	next = environment_file_next_line(at);
	*out = '\0';
	return next;
}

void environment_file_parse(char *text, environment_file_variable_h *each, void *arg)
{
	while (*text) {
		char *name = text + strspn(text, ENVIRONMENT_FILE_BLANKS "\n");
		char *equals = name + strcspn(name, "=\n");
		size_t len = (size_t)(equals - name);

		if (*name == '#' || *name == ';' || *equals != '=') {
			text = environment_file_next_line(name);
			continue;
		}
		text = environment_file_take_value(equals + 1);
		while (len > 0 && strchr(ENVIRONMENT_FILE_BLANKS, name[len - 1]))
			--len;
		name[len] = '\0';
		if (environment_file_is_name(name))
			each(name, equals + 1, arg);
	}
}

/* SYRINX_CONFIG is ignored, because it would name another configuration than the one that this
 * file belongs to. */
static void environment_file_set(const char *name, const char *value, void *arg)
{
	(void)arg;
	if (strcmp(name, "SYRINX_CONFIG") != 0)
		(void)setenv(name, value, 0);
}

void environment_file_load(const char *path)
{
	FILE *file = fopen(path, "re");
	char *text = file ? malloc(ENVIRONMENT_FILE_MAX) : NULL;

	if (text) {
		text[fread(text, 1, ENVIRONMENT_FILE_MAX - 1, file)] = '\0';
		environment_file_parse(text, environment_file_set, NULL);
		explicit_bzero(text, ENVIRONMENT_FILE_MAX);
	}
	free(text);
	if (file)
		fclose(file);
}
