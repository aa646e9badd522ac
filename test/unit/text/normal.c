/* The normalizer's golden cases (see normal.h). */
#include "normal.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void normal_fail(const char *where, const char *why)
{
	fprintf(stderr, "%s: %s\n", where, why);
	exit(1);
}

static char *normal_unescape(const char *text, size_t len)
{
	char *out = malloc(len + 1);
	size_t n = 0;

	for (size_t i = 0; i < len; ++i) {
		char c = text[i];

		if (c == '\\' && i + 1 < len) {
			c = text[++i];
			c = c == 'n' ? '\n' : c == 't' ? '\t' : c;
		}
		out[n++] = c;
	}
	out[n] = '\0';
	return out;
}

static void normal_read_line(char *line, struct normal_case *normal, normal_h *handler, void *arg)
{
	static const char *const kinds[] = {"rule", "style", "usage", "spec"};
	char *written = strchr(line, '\t');
	char *said = written ? strchr(written + 1, '\t') : NULL;
	size_t kind = 0;

	if (!said || strchr(said + 1, '\t'))
		normal_fail(normal->where, "a line is kind, tab, written, tab, said");
	*written++ = '\0';
	*said++ = '\0';
	while (kind < 4 && strcmp(kinds[kind], line) != 0)
		++kind;
	if (kind == 4)
		normal_fail(normal->where, "no such kind");
	snprintf(normal->kind, sizeof(normal->kind), "%s", line);
	normal->written = normal_unescape(written, strlen(written));
	normal->said = normal_unescape(said, strlen(said));
	handler(normal, arg);
	free(normal->written);
	free(normal->said);
}

static size_t normal_read_file(const char *directory, const char *name, normal_h *handler,
			       void *arg)
{
	struct normal_case normal = {{0}, {0}, {0}, NULL, NULL};
	char path[512];
	char *line = NULL;
	size_t size = 0;
	size_t number = 0;
	size_t count = 0;
	ssize_t len;
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	file = fopen(path, "r");
	if (!file)
		normal_fail(path, "cannot be read");
	snprintf(normal.language, sizeof(normal.language), "%.*s", (int)strcspn(name, "."), name);
	while ((len = getline(&line, &size, file)) >= 0) {
		++number;
		if (len > 0 && line[len - 1] == '\n')
			line[--len] = '\0';
		if (len == 0 || strncmp(line, "# ", 2) == 0 || strcmp(line, "#") == 0)
			continue;
		snprintf(normal.where, sizeof(normal.where), "%s:%zu", name, number);
		normal_read_line(line, &normal, handler, arg);
		++count;
	}
	free(line);
	fclose(file);
	return count;
}

static int normal_is_case_file(const struct dirent *entry)
{
	size_t len = strlen(entry->d_name);

	return len > 4 && strcmp(entry->d_name + len - 4, ".txt") == 0;
}

size_t normal_each(const char *directory, const char *language, normal_h *handler, void *arg)
{
	struct dirent **entries;
	int n = scandir(directory, &entries, normal_is_case_file, alphasort);
	size_t count = 0;

	if (n < 0)
		normal_fail(directory, "cannot be read");
	for (int i = 0; i < n; ++i) {
		const char *name = entries[i]->d_name;

		if (!language || (strncmp(name, language, strlen(language)) == 0 &&
				  name[strlen(language)] == '.'))
			count += normal_read_file(directory, name, handler, arg);
		free(entries[i]);
	}
	free(entries);
	return count;
}
