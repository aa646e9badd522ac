/*
 * voice_list.c: the voices of a server or of local engines (see voice_list.h).
 */
#include "cli/voice_list.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/similar.h"
#include "doors/doors_local.h"
#include "loop/loop.h"

#define VOICE_LIST_PAGE 100 /* the most that the server returns at once */
#define VOICE_LIST_CANDIDATES 5 /* more would not help to choose */

/* The largest integer that every JSON reader represents exactly. */
#define VOICE_LIST_ID_MAX (INT64_C(1) << 53)

void voice_list_reset(struct voice_list *list)
{
	free(list->entries);
	free(list->notes);
	*list = (struct voice_list){0};
}

/* Adds an entry that is all zero. */
static struct voice_entry *voice_list_add(struct voice_list *list)
{
	if (list->count == list->size) {
		size_t size = list->size ? 2 * list->size : 64;
		struct voice_entry *entries =
			reallocarray(list->entries, size, sizeof(*list->entries));

		if (!entries)
			return NULL;
		list->entries = entries;
		list->size = size;
	}
	list->entries[list->count] = (struct voice_entry){.sex = "-", .quality = "-"};
	return &list->entries[list->count++];
}

int voice_list_copy(struct voice_list *list, const struct voices *voices)
{
	static const char *const sexes[] = {"-", "female", "male"};
	static const char *const qualities[] = {"low", "mid", "high"};

	for (size_t i = 0; i < voices_count(voices); ++i) {
		const struct voice *voice = voices_at(voices, i);
		struct voice_entry *entry = voice_list_add(list);

		if (!entry)
			return ENOMEM;
		entry->id = voice->id;
		snprintf(entry->name, sizeof(entry->name), "%s", voice->name);
		snprintf(entry->handle, sizeof(entry->handle), "%s", voice->handle);
		snprintf(entry->languages, sizeof(entry->languages), "%s", voice->language);
		snprintf(entry->sex, sizeof(entry->sex), "%s", sexes[voice->sex]);
		snprintf(entry->quality, sizeof(entry->quality), "%s", qualities[voice->quality]);
		snprintf(entry->engine, sizeof(entry->engine), "%s", voice->engine);
		snprintf(entry->licence, sizeof(entry->licence), "%s", voice->licence);
	}
	return 0;
}

/* The answer of a server */

static void voice_list_take(char *out, size_t size, const struct json_value *value)
{
	if (value->kind == JSON_KIND_STRING)
		snprintf(out, size, "%.*s", (int)value->len, value->text);
}

static int voice_list_read_languages(struct voice_entry *entry, struct json *scan)
{
	struct json_value value;
	size_t len = 0;

	while (json_element(scan) && json_value(scan, &value) == 0) {
		if (value.kind == JSON_KIND_STRING &&
		    len + value.len + 2 < sizeof(entry->languages))
			len += (size_t)snprintf(entry->languages + len,
						sizeof(entry->languages) - len, "%s%.*s",
						len ? "," : "", (int)value.len, value.text);
		if (json_skip(scan, &value) != 0)
			return EBADMSG;
	}
	return 0;
}

static int voice_list_read_voice(struct voice_list *list, struct json *scan)
{
	struct voice_entry *entry = voice_list_add(list);
	struct json_value key;
	struct json_value value;

	if (!entry)
		return ENOMEM;
	while (json_member(scan, &key)) {
		const struct {
			const char *name;
			char *text;
			size_t size;
		} texts[] = {
			{"name", entry->name, sizeof(entry->name)},
			{"handle", entry->handle, sizeof(entry->handle)},
			{"sex", entry->sex, sizeof(entry->sex)},
			{"quality", entry->quality, sizeof(entry->quality)},
			{"engine", entry->engine, sizeof(entry->engine)},
			{"licence", entry->licence, sizeof(entry->licence)},
		};

		if (json_value(scan, &value) != 0)
			return EBADMSG;
		for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); ++i) {
			if (json_is(&key, texts[i].name))
				voice_list_take(texts[i].text, texts[i].size, &value);
		}
		if (json_is(&key, "id"))
			json_to_integer(&entry->id, &value);
		if (json_is(&key, "supported_languages") && value.kind == JSON_KIND_ARRAY) {
			if (voice_list_read_languages(entry, scan) != 0)
				return EBADMSG;
		} else if (json_skip(scan, &value) != 0) {
			return EBADMSG;
		}
	}
	return 0;
}

/* Reads the notes, which are the same on every page. */
static int voice_list_read_notes(struct voice_list *list, struct json *scan)
{
	bool takes = !list->notes;
	struct json_value value;

	while (json_element(scan)) {
		char *more;

		if (json_value(scan, &value) != 0 || value.kind != JSON_KIND_STRING)
			return EBADMSG;
		if (!takes)
			continue;
		if (asprintf(&more, "%s%.*s\n", list->notes ? list->notes : "", (int)value.len,
			     value.text) < 0)
			return ENOMEM;
		free(list->notes);
		list->notes = more;
	}
	return 0;
}

int voice_list_read(struct voice_list *list, int64_t *total, char *json, size_t len)
{
	struct json scan;
	struct json_value key;
	struct json_value value;
	int err = 0;

	*total = -1;
	json_open(&scan, json, len);
	if (json_value(&scan, &value) != 0 || value.kind != JSON_KIND_OBJECT)
		return EBADMSG;
	while (!err && json_member(&scan, &key)) {
		if (json_value(&scan, &value) != 0)
			return EBADMSG;
		if (json_is(&key, "total"))
			json_to_integer(total, &value);
		if (json_is(&key, "notes") && value.kind == JSON_KIND_ARRAY) {
			err = voice_list_read_notes(list, &scan);
			continue;
		}
		if (!json_is(&key, "voices") || value.kind != JSON_KIND_ARRAY) {
			err = json_skip(&scan, &value) ? EBADMSG : 0;
			continue;
		}
		while (!err && json_element(&scan)) {
			if (json_value(&scan, &value) != 0 || value.kind != JSON_KIND_OBJECT)
				return EBADMSG;
			err = voice_list_read_voice(list, &scan);
		}
	}
	if (!err && (json_close(&scan) != 0 || *total < 0))
		err = EBADMSG;
	return err;
}

struct voice_list_question {
	struct voice_list *list;
	struct loop *loop;
	struct api_client *client;
	char *why;
	size_t why_size;
	int err;
};

static int voice_list_next(struct voice_list_question *question);

static void voice_list_fail(struct voice_list_question *question, int err, const char *why)
{
	question->err = err;
	snprintf(question->why, question->why_size, "%s", why);
	loop_stop(question->loop);
}

static void voice_list_on_answer(const struct api_client_answer *answer, void *arg)
{
	struct voice_list_question *question = arg;
	size_t before = question->list->count;
	char why[64];
	int64_t total;
	int err;

	if (answer->why) {
		voice_list_fail(question, EIO, answer->why);
		return;
	}
	if (answer->status != 200) {
		snprintf(why, sizeof(why),
			 answer->status == 401 || answer->status == 403
				 ? "it refuses the key (HTTP %u)"
				 : "it answered %u to a request for its voices",
			 answer->status);
		voice_list_fail(question, EACCES, why);
		return;
	}
	err = voice_list_read(question->list, &total, answer->body, answer->len);
	if (err)
		voice_list_fail(question, err, "its list of voices cannot be read");
	else if ((int64_t)question->list->count >= total || question->list->count == before)
		loop_stop(question->loop);
	else if (voice_list_next(question) != 0)
		voice_list_fail(question, ENOMEM, "out of memory");
}

static int voice_list_next(struct voice_list_question *question)
{
	char path[96];

	snprintf(path, sizeof(path), "/v1/voices?include_engine=true&limit=%d&offset=%zu",
		 VOICE_LIST_PAGE, question->list->count);
	return api_client_get(question->client, path, voice_list_on_answer, question);
}

int voice_list_ask(struct voice_list *list, const struct api_client_options *server, char *why,
		   size_t why_size)
{
	struct voice_list_question question = {.list = list, .why = why, .why_size = why_size};
	int err = loop_alloc(&question.loop);

	snprintf(why, why_size, "out of memory");
	if (!err)
		err = api_client_alloc(&question.client, question.loop, server, why, why_size);
	if (!err)
		err = voice_list_next(&question);
	if (!err) {
		loop_run(question.loop);
		err = question.err;
	}
	mem_deref(question.client);
	mem_deref(question.loop);
	return err;
}

/* Choosing */

bool voice_list_is_id(int64_t *id, const char *text)
{
	char *end;
	long long n;

	if (text[0] == '\0' || text[strspn(text, "0123456789")] != '\0')
		return false;
	errno = 0;
	n = strtoll(text, &end, 10);
	if (errno || n > VOICE_LIST_ID_MAX)
		return false;
	*id = n;
	return true;
}

static bool voice_list_has(const struct voice_list *list, int64_t id)
{
	for (size_t i = 0; i < list->count; ++i) {
		if (list->entries[i].id == id)
			return true;
	}
	return false;
}

/* Whether a name contains `part`, ignoring case. */
static bool voice_list_contains(const char *name, const char *part)
{
	size_t len = strlen(part);

	for (; strlen(name) >= len; ++name) {
		if (strncasecmp(name, part, len) == 0)
			return true;
	}
	return false;
}

/* Writes " Sally (1071)", separated by commas: the voices with this name, or with a similar one. */
static size_t voice_list_name_candidates(char *out, size_t size, const struct voice_list *list,
					 const char *text, bool is_exact)
{
	size_t count = 0;
	size_t len = 0;

	out[0] = '\0';
	for (size_t i = 0; i < list->count; ++i) {
		const struct voice_entry *entry = &list->entries[i];
		bool fits =
			is_exact
				? strcasecmp(entry->name, text) == 0
				: voice_list_contains(entry->name, text) ||
					  similar_is_near(text, similar_edits(text, entry->name)) ||
					  similar_is_near(text, similar_edits(text, entry->handle));

		if (!fits)
			continue;
		if (++count > VOICE_LIST_CANDIDATES)
			break;
		if (len < size)
			len += (size_t)snprintf(out + len, size - len, "%s %s (%lld)",
						count > 1 ? "," : "", entry->name,
						(long long)entry->id);
	}
	if (count > VOICE_LIST_CANDIDATES && len < size)
		snprintf(out + len, size - len, " and more");
	return count;
}

static int voice_list_refuse(const struct voice_list *list, const char *text, size_t matches,
			     char *why, size_t why_size)
{
	char names[400];

	if (matches > 1) {
		voice_list_name_candidates(names, sizeof(names), list, text, true);
		snprintf(why, why_size, "several voices are named \"%.80s\":%s; give the id", text,
			 names);
		return EEXIST;
	}
	if (voice_list_name_candidates(names, sizeof(names), list, text, false) > 0)
		snprintf(why, why_size, "there is no voice \"%.80s\"; did you mean%s?", text,
			 names);
	else
		snprintf(why, why_size,
			 "there is no voice \"%.80s\"; to list the voices: syrinx voices", text);
	return ENOENT;
}

int voice_list_find(int64_t *id, const struct voice_list *list, const char *text, char *why,
		    size_t why_size)
{
	const struct voice_entry *found = NULL;
	size_t matches = 0;

	if (voice_list_is_id(id, text))
		return 0; /* the server decides whether the voice exists */
	for (size_t i = 0; i < list->count; ++i) {
		if (strcasecmp(list->entries[i].handle, text) == 0) {
			*id = list->entries[i].id;
			return 0;
		}
		if (strcasecmp(list->entries[i].name, text) == 0) {
			found = &list->entries[i];
			++matches;
		}
	}
	if (matches == 1) {
		*id = found->id;
		return 0;
	}
	for (const int64_t *choice = doors_local_voice(text, strlen(text));
	     matches == 0 && choice && *choice; ++choice) {
		if (voice_list_has(list, *choice)) {
			*id = *choice;
			return 0;
		}
	}
	return voice_list_refuse(list, text, matches, why, why_size);
}
