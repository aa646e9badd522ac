/*
 * state_page.c: the page of docs/ that shows a table of states (see state_page.h).
 */
#include "state_page.h"

#include <stdio.h>
#include <stdlib.h>

static void state_page_write_diagram(FILE *out, const struct state_page *page)
{
	fprintf(out, "```mermaid\nstateDiagram-v2\n    [*] --> %s\n", page->state_name(0));
	for (unsigned from = 0; from < page->state_count; ++from) {
		for (unsigned event = 0; event < page->event_count; ++event) {
			unsigned to;

			if (page->edge(&to, from, event))
				fprintf(out, "    %s --> %s: %s\n", page->state_name(from),
					page->state_name(to), page->event_name(event));
		}
	}
	fprintf(out, "    %s --> [*]\n```\n", page->state_name(page->state_count - 1));
}

static void state_page_write_row(FILE *out, const struct state_page *page, unsigned from)
{
	fprintf(out, "| **%s** |", page->state_name(from));
	for (unsigned event = 0; event < page->event_count; ++event) {
		unsigned to;
		bool is_edge = page->edge(&to, from, event);

		fprintf(out, " %s |", is_edge ? page->state_name(to) : "·");
	}
	fprintf(out, "\n");
}

static void state_page_write_table(FILE *out, const struct state_page *page)
{
	fprintf(out, "| |");
	for (unsigned event = 0; event < page->event_count; ++event)
		fprintf(out, " %s |", page->event_name(event));
	fprintf(out, "\n|---|");
	for (unsigned event = 0; event < page->event_count; ++event)
		fprintf(out, "---|");
	fprintf(out, "\n");
	for (unsigned from = 0; from < page->state_count; ++from)
		state_page_write_row(out, page, from);
}

static void state_page_write_page(FILE *out, const struct state_page *page)
{
	fprintf(out,
		"# %s\n\nGenerated from the table in `%s` by\n"
		"`%s --write docs/%s`; a test fails if it is out of date.\n\n",
		page->title, page->source, page->program, page->name);
	state_page_write_diagram(out, page);
	fprintf(out, "\n## Transitions\n\nA dot means that the event has no effect in that "
		     "state.\n\n");
	state_page_write_table(out, page);
	fprintf(out, "\n## States\n\n");
	for (unsigned i = 0; i < page->state_count; ++i)
		fprintf(out, "- **%s** %s\n", page->state_name(i), page->state_texts[i]);
	fprintf(out, "\n## Events\n\n");
	for (unsigned i = 0; i < page->event_count; ++i)
		fprintf(out, "- **%s** %s\n", page->event_name(i), page->event_texts[i]);
}

char *state_page_text(const struct state_page *page)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		abort();
	state_page_write_page(out, page);
	fclose(out);
	return text;
}

char *state_page_read(const struct state_page *page)
{
	FILE *file = fopen(page->path, "r");
	char *text = NULL;
	size_t size = 0;

	if (!file)
		return NULL;
	if (getdelim(&text, &size, '\0', file) <= 0) {
		free(text);
		text = NULL;
	}
	fclose(file);
	return text;
}

int state_page_write(const struct state_page *page, const char *path)
{
	FILE *out = fopen(path, "w");

	if (!out) {
		perror(path);
		return 1;
	}
	state_page_write_page(out, page);
	return fclose(out) != 0;
}
