/*
 * call_history.c: what was said in a call (see call_history.h).
 */
#include "call/call_history.h"

#include <errno.h>
#include <stdlib.h>

struct call_history_entry {
	bool by_agent;
	size_t from, len; /* in `text` */
};

void call_history_init(struct call_history *history)
{
	/* There is room for one more entry, the question, which is not added yet. */
	buf_init(&history->text, ANSWERER_SAID_MAX - CALL_HISTORY_QUESTION_MAX);
	buf_init(&history->entries, (ANSWERER_ENTRIES_MAX - 1) * sizeof(struct call_history_entry));
}

void call_history_reset(struct call_history *history)
{
	buf_reset(&history->text);
	buf_reset(&history->entries);
}

/* Forgets the oldest entries: an eighth of all, so that this is rare, and as many as this text needs. */
static void call_history_forget(struct call_history *history, size_t len)
{
	struct call_history_entry *entries =
		(struct call_history_entry *)(void *)history->entries.bytes;
	size_t count = history->entries.len / sizeof(*entries);
	size_t gone = 0, from = 0;

	while (gone < count && (gone < count / 8 + 1 || from < history->text.max / 8 ||
				history->text.len - from + len > history->text.max)) {
		from += entries[gone].len;
		++gone;
	}
	for (size_t i = gone; i < count; ++i)
		entries[i].from -= from;
	buf_consume(&history->entries, gone * sizeof(*entries));
	buf_consume(&history->text, from);
}

int call_history_add(struct call_history *history, bool by_agent, const char *text, size_t len)
{
	struct call_history_entry entry = {.by_agent = by_agent, .len = len};
	int err;

	if (len == 0)
		return 0;
	if (len > history->text.max)
		return EMSGSIZE;
	if (history->text.len + len > history->text.max ||
	    history->entries.len + sizeof(entry) > history->entries.max)
		call_history_forget(history, len);
	err = buf_reserve(&history->text, len);
	entry.from = history->text.len;
	if (!err)
		err = buf_append(&history->entries, &entry, sizeof(entry));
	return err ? err : buf_append(&history->text, text, len);
}

size_t call_history_count(const struct call_history *history)
{
	return history->entries.len / sizeof(struct call_history_entry);
}

const char *call_history_agent_last(const struct call_history *history, size_t *len)
{
	const struct call_history_entry *entries =
		(const struct call_history_entry *)(const void *)history->entries.bytes;
	size_t count = call_history_count(history);

	*len = 0;
	if (count == 0 || !entries[count - 1].by_agent)
		return "";
	*len = entries[count - 1].len;
	return history->text.bytes + entries[count - 1].from;
}

struct answerer_said *call_history_with(const struct call_history *history, const char *text,
					size_t len, size_t *count)
{
	const struct call_history_entry *entries =
		(const struct call_history_entry *)(const void *)history->entries.bytes;
	size_t n = call_history_count(history);
	struct answerer_said *said = malloc((n + 1) * sizeof(*said));

	if (!said)
		return NULL;
	for (size_t i = 0; i < n; ++i)
		said[i] = (struct answerer_said){
			entries[i].by_agent, history->text.bytes + entries[i].from, entries[i].len};
	said[n] = (struct answerer_said){false, text, len};
	*count = n + 1;
	return said;
}
