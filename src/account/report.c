/*
 * report.c: sums up what was spoken and what it cost (see report.h).
 */
#include "account/report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/calendar.h"
#include "base/count.h"
#include "store/row_values.h"
#include "wire/json_write.h"

#define MICROS 6 /* decimals */
#define TURN_DECIMALS 9 /* the same precision as in the messages that clients receive */

static const struct {
	const char *name;
	unsigned by;
	const char *column;
} report_groupings[] = {
	{"day", STORE_USAGE_DAY, "day"},          {"key", STORE_USAGE_KEY, "key"},
	{"voice", STORE_USAGE_VOICE, "voice_id"}, {"model", STORE_USAGE_MODEL, "model_id"},
	{"kind", STORE_USAGE_KIND, "kind"},
};

int report_parse_by(unsigned *by, const char *list, const char **bad)
{
	unsigned found = 0;

	for (;;) {
		size_t len = strcspn(list, ",");
		size_t i = 0;

		while (i < COUNT(report_groupings) &&
		       (strlen(report_groupings[i].name) != len ||
			memcmp(report_groupings[i].name, list, len) != 0))
			++i;
		if (i == COUNT(report_groupings)) {
			*bad = list;
			return EINVAL;
		}
		found |= report_groupings[i].by;
		if (list[len] == '\0')
			break;
		list += len + 1;
	}
	*by = found;
	return 0;
}

/* The prefixes of all keys, sorted by id. */
struct key_names {
	struct key_name {
		int64_t id;
		char prefix[STORE_KEY_PREFIX_LEN + 1];
	} * names;
	size_t count, size;
	int err;
};

static bool report_note_key(const struct store_key *key, void *arg)
{
	struct key_names *names = arg;

	if (names->count == names->size) {
		size_t more = names->size ? 2 * names->size : 64;
		struct key_name *grown = reallocarray(names->names, more, sizeof(*grown));

		if (!grown) {
			names->err = ENOMEM;
			return false;
		}
		names->names = grown;
		names->size = more;
	}
	names->names[names->count].id = key->id;
	memcpy(names->names[names->count++].prefix, key->prefix, sizeof(key->prefix));
	return true;
}

static int report_compare_ids(const void *a, const void *b)
{
	const struct key_name *left = a;
	const struct key_name *right = b;

	return (left->id > right->id) - (left->id < right->id);
}

static const char *report_find_name(const struct key_names *names, int64_t id)
{
	const struct key_name wanted = {.id = id};
	const struct key_name *found = names->count ? bsearch(&wanted, names->names, names->count,
							      sizeof(wanted), report_compare_ids)
						    : NULL;

	return found ? found->prefix : NULL;
}

struct report_run {
	struct key_names names;
	report_row_h *each;
	void *arg;
	struct store_usage total;
};

static bool report_on_usage(const struct store_usage *usage, void *arg)
{
	struct report_run *run = arg;
	const struct report_row row = {.usage = usage,
				       .key = report_find_name(&run->names, usage->key_id)};

	store_usage_add(&run->total, usage);
	return run->each(&row, run->arg);
}

static int report_read_names(struct key_names *names, struct store *store)
{
	int err = store->ops->key_list(store, report_note_key, names);

	if (err || names->err)
		return err ? err : names->err;
	if (names->count)
		qsort(names->names, names->count, sizeof(*names->names), report_compare_ids);
	return 0;
}

int report_each(struct store *store, const struct store_turn_filter *filter, unsigned by,
		report_row_h *each, void *arg, struct store_usage *total)
{
	struct report_run run = {.each = each, .arg = arg};
	int err = by & STORE_USAGE_KEY ? report_read_names(&run.names, store) : 0;

	if (!err)
		err = store->ops->usage_sum(store, filter, by, report_on_usage, &run);
	free(run.names.names);
	if (!err && total)
		*total = run.total;
	return err;
}

static void report_write_text(struct json_write *json, const char *key, const char *text)
{
	if (text)
		json_write_string(json, key, text, strlen(text));
	else
		json_write_null(json, key);
}

static void report_write_moment(struct json_write *json, const char *key, int64_t wall_ms)
{
	char text[CALENDAR_SIZE];

	calendar_print_exact(text, wall_ms);
	report_write_text(json, key, wall_ms ? text : NULL);
}

/* The first three figures cover speech only; the cost covers all kinds of usage. */
static void report_write_figures(struct json_write *json, const struct store_usage *usage)
{
	json_write_signed(json, "turns", usage->turns);
	json_write_decimal(json, "audio_seconds", (int64_t)usage->audio_us, MICROS);
	json_write_unsigned(json, "characters", usage->characters);
	json_write_signed(json, "cost_microcents", usage->amount_microcents);
	json_write_decimal(json, "heard_seconds", (int64_t)usage->heard_us, MICROS);
	json_write_signed(json, "model_answers", usage->answers);
	json_write_unsigned(json, "input_tokens", usage->tokens_in);
	json_write_unsigned(json, "output_tokens", usage->tokens_out);
	json_write_unsigned(json, "estimated_tokens", usage->tokens_estimated);
}

struct report_writing {
	struct json_write json;
	struct buf *out;
	unsigned by;
	int err;
};

static bool report_write_row(const struct report_row *row, void *arg)
{
	struct report_writing *writing = arg;
	struct json_write *json = &writing->json;
	char day[CALENDAR_SIZE];

	calendar_print_day(day, row->usage->day_ms);
	json_write_object(json, NULL);
	if (writing->by & STORE_USAGE_DAY)
		report_write_text(json, "day", day);
	if (writing->by & STORE_USAGE_KEY)
		report_write_text(json, "key", row->key);
	if (writing->by & STORE_USAGE_VOICE)
		json_write_signed(json, "voice_id", row->usage->voice_id);
	if (writing->by & STORE_USAGE_MODEL)
		report_write_text(json, "model_id", row->usage->model_id);
	if (writing->by & STORE_USAGE_KIND)
		report_write_text(json, "kind", row_kind_word(row->usage->kind));
	report_write_figures(json, row->usage);
	json_write_object_end(json);
	return json->err == 0;
}

int report_write_json(struct buf *out, struct store *store, const struct store_turn_filter *filter,
		      unsigned by, const char *currency)
{
	struct report_writing writing = {.by = by};
	struct json_write *json = &writing.json;
	struct store_usage total = {0};
	int err;

	json_write_open(json, out);
	report_write_moment(json, "from", filter->from_ms);
	report_write_moment(json, "to", filter->to_ms);
	json_write_list(json, "by");
	for (size_t i = 0; i < COUNT(report_groupings); ++i) {
		if (by & report_groupings[i].by)
			report_write_text(json, NULL, report_groupings[i].name);
	}
	json_write_list_end(json);
	report_write_text(json, "currency", currency);
	json_write_list(json, "rows");
	err = report_each(store, filter, by, report_write_row, &writing, &total);
	json_write_list_end(json);
	json_write_object(json, "total");
	report_write_figures(json, &total);
	json_write_object_end(json);
	return err ? err : json_write_close(json);
}

/* The id of a model is the only text that a user can choose, so only that is quoted. */
static void report_write_csv_text(struct report_writing *writing, const char *text)
{
	int err = buf_append_str(writing->out, "\"");

	for (; !err && *text; ++text) {
		if (*text == '"')
			err = buf_append(writing->out, "\"", 1);
		if (!err)
			err = buf_append(writing->out, text, 1);
	}
	if (!err)
		err = buf_append_str(writing->out, "\"");
	if (!writing->err)
		writing->err = err;
}

static void report_append_csv(struct report_writing *writing, const char *text)
{
	if (!writing->err)
		writing->err = buf_append_str(writing->out, text);
}

static bool report_write_csv_row(const struct report_row *row, void *arg)
{
	struct report_writing *writing = arg;
	const struct store_usage *usage = row->usage;
	char text[CALENDAR_SIZE + 200];

	if (writing->by & STORE_USAGE_DAY) {
		calendar_print_day(text, usage->day_ms);
		report_append_csv(writing, text);
		report_append_csv(writing, ",");
	}
	if (writing->by & STORE_USAGE_KEY) {
		report_append_csv(writing, row->key ? row->key : "");
		report_append_csv(writing, ",");
	}
	if (writing->by & STORE_USAGE_VOICE) {
		snprintf(text, sizeof(text), "%" PRId64 ",", usage->voice_id);
		report_append_csv(writing, text);
	}
	if (writing->by & STORE_USAGE_MODEL) {
		report_write_csv_text(writing, usage->model_id);
		report_append_csv(writing, ",");
	}
	if (writing->by & STORE_USAGE_KIND) {
		report_append_csv(writing, row_kind_word(usage->kind));
		report_append_csv(writing, ",");
	}
	snprintf(text, sizeof(text),
		 "%" PRId64 ",%" PRIu64 ".%06" PRIu64 ",%" PRIu64 ",%" PRId64 ",%" PRIu64
		 ".%06" PRIu64 ",%" PRId64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\r\n",
		 usage->turns, usage->audio_us / 1000000, usage->audio_us % 1000000,
		 usage->characters, usage->amount_microcents, usage->heard_us / 1000000,
		 usage->heard_us % 1000000, usage->answers, usage->tokens_in, usage->tokens_out,
		 usage->tokens_estimated);
	report_append_csv(writing, text);
	return writing->err == 0;
}

int report_write_csv(struct buf *out, struct store *store, const struct store_turn_filter *filter,
		     unsigned by)
{
	struct report_writing writing = {.by = by, .out = out};
	int err;

	for (size_t i = 0; i < COUNT(report_groupings); ++i) {
		if (by & report_groupings[i].by) {
			report_append_csv(&writing, report_groupings[i].column);
			report_append_csv(&writing, ",");
		}
	}
	/* New columns are added at the end, because some clients read columns by position. */
	report_append_csv(&writing,
			  "turns,audio_seconds,characters,cost_microcents,heard_seconds,"
			  "model_answers,input_tokens,output_tokens,estimated_tokens\r\n");
	err = report_each(store, filter, by, report_write_csv_row, &writing, NULL);
	return err ? err : writing.err;
}

/* A cursor contains the seq of the last row shown; clients must treat it as opaque. */
static void report_print_cursor(char text[REPORT_CURSOR_SIZE], int64_t seq)
{
	snprintf(text, REPORT_CURSOR_SIZE, "t%" PRIx64, (uint64_t)seq);
}

static int report_parse_cursor(int64_t *seq, const char *text)
{
	size_t len = text[0] == 't' ? strspn(text + 1, "0123456789abcdef") : 0;

	if (len == 0 || len > 15 || text[1 + len] != '\0')
		return EINVAL;
	*seq = (int64_t)strtoull(text + 1, NULL, 16);
	return 0;
}

static const char *const report_statuses[] = {
	[STORE_TURN_FINISHED] = "finished",
	[STORE_TURN_CANCELLED] = "cancelled",
	[STORE_TURN_FAILED] = "failed",
	[STORE_TURN_LOST] = "lost",
};

struct report_paging {
	struct json_write json;
	int64_t left; /* rows that may still be shown */
	int64_t last; /* the seq of the last row shown */
	bool has_more;
};

static void report_write_turn(struct json_write *json, const struct store_turn *turn)
{
	json_write_object(json, NULL);
	report_write_text(json, "turn_id", turn->id);
	report_write_moment(json, "at", turn->at_ms);
	report_write_text(json, "status", report_statuses[turn->status]);
	json_write_double(json, "audio_seconds",
			  turn->sample_rate ? (double)turn->samples / turn->sample_rate : 0,
			  TURN_DECIMALS);
	json_write_unsigned(json, "characters", turn->characters);
	json_write_signed(json, "cost_microcents", turn->amount_microcents);
	json_write_signed(json, "voice_id", turn->voice_id);
	report_write_text(json, "model_id", turn->model_id);
	report_write_text(json, "kind", row_kind_word(turn->kind));
	json_write_unsigned(json, "quantity", turn->quantity);
	report_write_text(json, "unit", row_unit_word(turn->unit));
	json_write_bool(json, "estimated", turn->is_estimated);
	json_write_double(json, "heard_seconds",
			  turn->kind == STORE_KIND_HEARING && turn->sample_rate
				  ? (double)turn->quantity / turn->sample_rate
				  : 0,
			  TURN_DECIMALS);
	json_write_object_end(json);
}

static bool report_on_turn(int64_t seq, const struct store_turn *turn, void *arg)
{
	struct report_paging *paging = arg;

	paging->has_more = paging->left == 0;
	if (paging->has_more)
		return false;
	report_write_turn(&paging->json, turn);
	paging->last = seq;
	--paging->left;
	return true;
}

int report_write_turns(struct buf *out, struct store *store, const struct store_turn_filter *filter,
		       const char *after, int64_t limit)
{
	struct report_paging paging = {.left = limit};
	char next[REPORT_CURSOR_SIZE];
	int64_t seq = 0;
	int err = after ? report_parse_cursor(&seq, after) : 0;

	if (err)
		return err;
	json_write_open(&paging.json, out);
	json_write_list(&paging.json, "turns");
	/* One more row than is shown, to learn whether there is a next page. */
	err = store->ops->turn_page(store, filter, seq, limit + 1, report_on_turn, &paging);
	json_write_list_end(&paging.json);
	report_print_cursor(next, paging.last);
	report_write_text(&paging.json, "next", paging.has_more ? next : NULL);
	return err ? err : json_write_close(&paging.json);
}
