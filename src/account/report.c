/*
 * report.c: what was spoken and what it cost, summed up (see report.h).
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
#define TURN_DECIMALS 9 /* as the client was told */

static const struct {
	const char *name;
	unsigned by;
	const char *column;
} bys[] = {
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

		while (i < COUNT(bys) &&
		       (strlen(bys[i].name) != len || memcmp(bys[i].name, list, len) != 0))
			++i;
		if (i == COUNT(bys)) {
			*bad = list;
			return EINVAL;
		}
		found |= bys[i].by;
		if (list[len] == '\0')
			break;
		list += len + 1;
	}
	*by = found;
	return 0;
}

/* Prefixes of all keys by their ids, which ascend. */
struct key_names {
	struct key_name {
		int64_t id;
		char prefix[STORE_KEY_PREFIX_LEN + 1];
	} * names;
	size_t count, size;
	int err;
};

static bool note_key(const struct store_key *key, void *arg)
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

static int by_id(const void *a, const void *b)
{
	const struct key_name *left = a;
	const struct key_name *right = b;

	return (left->id > right->id) - (left->id < right->id);
}

static const char *find_name(const struct key_names *names, int64_t id)
{
	const struct key_name wanted = {.id = id};
	const struct key_name *found =
		names->count ? bsearch(&wanted, names->names, names->count, sizeof(wanted), by_id)
			     : NULL;

	return found ? found->prefix : NULL;
}

struct run {
	struct key_names names;
	report_row_h *each;
	void *arg;
	struct store_usage total;
};

static bool on_usage(const struct store_usage *usage, void *arg)
{
	struct run *run = arg;
	const struct report_row row = {.usage = usage,
				       .key = find_name(&run->names, usage->key_id)};

	store_usage_add(&run->total, usage);
	return run->each(&row, run->arg);
}

static int read_names(struct key_names *names, struct store *store)
{
	int err = store->ops->key_list(store, note_key, names);

	if (err || names->err)
		return err ? err : names->err;
	if (names->count)
		qsort(names->names, names->count, sizeof(*names->names), by_id);
	return 0;
}

int report_each(struct store *store, const struct store_turn_filter *filter, unsigned by,
		report_row_h *each, void *arg, struct store_usage *total)
{
	struct run run = {.each = each, .arg = arg};
	int err = by & STORE_USAGE_KEY ? read_names(&run.names, store) : 0;

	if (!err)
		err = store->ops->usage_sum(store, filter, by, on_usage, &run);
	free(run.names.names);
	if (!err && total)
		*total = run.total;
	return err;
}

static void write_text(struct json_write *json, const char *key, const char *text)
{
	if (text)
		json_write_string(json, key, text, strlen(text));
	else
		json_write_null(json, key);
}

static void write_moment(struct json_write *json, const char *key, int64_t wall_ms)
{
	char text[CALENDAR_SIZE];

	calendar_print_exact(text, wall_ms);
	write_text(json, key, wall_ms ? text : NULL);
}

/* The first three cover speech only, the cost covers all kinds. */
static void write_figures(struct json_write *json, const struct store_usage *usage)
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

struct writing {
	struct json_write json;
	struct buf *out;
	unsigned by;
	int err;
};

static bool write_row(const struct report_row *row, void *arg)
{
	struct writing *writing = arg;
	struct json_write *json = &writing->json;
	char day[CALENDAR_SIZE];

	calendar_print_day(day, row->usage->day_ms);
	json_write_object(json, NULL);
	if (writing->by & STORE_USAGE_DAY)
		write_text(json, "day", day);
	if (writing->by & STORE_USAGE_KEY)
		write_text(json, "key", row->key);
	if (writing->by & STORE_USAGE_VOICE)
		json_write_signed(json, "voice_id", row->usage->voice_id);
	if (writing->by & STORE_USAGE_MODEL)
		write_text(json, "model_id", row->usage->model_id);
	if (writing->by & STORE_USAGE_KIND)
		write_text(json, "kind", row_kind_word(row->usage->kind));
	write_figures(json, row->usage);
	json_write_object_end(json);
	return json->err == 0;
}

int report_write_json(struct buf *out, struct store *store, const struct store_turn_filter *filter,
		      unsigned by, const char *currency)
{
	struct writing writing = {.by = by};
	struct json_write *json = &writing.json;
	struct store_usage total = {0};
	int err;

	json_write_open(json, out);
	write_moment(json, "from", filter->from_ms);
	write_moment(json, "to", filter->to_ms);
	json_write_list(json, "by");
	for (size_t i = 0; i < COUNT(bys); ++i) {
		if (by & bys[i].by)
			write_text(json, NULL, bys[i].name);
	}
	json_write_list_end(json);
	write_text(json, "currency", currency);
	json_write_list(json, "rows");
	err = report_each(store, filter, by, write_row, &writing, &total);
	json_write_list_end(json);
	json_write_object(json, "total");
	write_figures(json, &total);
	json_write_object_end(json);
	return err ? err : json_write_close(json);
}

/* Columns hold no text of a user's but the id of a model: quotes are for that. */
static void write_csv_text(struct writing *writing, const char *text)
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

static void write_csv(struct writing *writing, const char *text)
{
	if (!writing->err)
		writing->err = buf_append_str(writing->out, text);
}

static bool write_csv_row(const struct report_row *row, void *arg)
{
	struct writing *writing = arg;
	const struct store_usage *usage = row->usage;
	char text[CALENDAR_SIZE + 200];

	if (writing->by & STORE_USAGE_DAY) {
		calendar_print_day(text, usage->day_ms);
		write_csv(writing, text);
		write_csv(writing, ",");
	}
	if (writing->by & STORE_USAGE_KEY) {
		write_csv(writing, row->key ? row->key : "");
		write_csv(writing, ",");
	}
	if (writing->by & STORE_USAGE_VOICE) {
		snprintf(text, sizeof(text), "%" PRId64 ",", usage->voice_id);
		write_csv(writing, text);
	}
	if (writing->by & STORE_USAGE_MODEL) {
		write_csv_text(writing, usage->model_id);
		write_csv(writing, ",");
	}
	if (writing->by & STORE_USAGE_KIND) {
		write_csv(writing, row_kind_word(usage->kind));
		write_csv(writing, ",");
	}
	snprintf(text, sizeof(text),
		 "%" PRId64 ",%" PRIu64 ".%06" PRIu64 ",%" PRIu64 ",%" PRId64 ",%" PRIu64
		 ".%06" PRIu64 ",%" PRId64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\r\n",
		 usage->turns, usage->audio_us / 1000000, usage->audio_us % 1000000,
		 usage->characters, usage->amount_microcents, usage->heard_us / 1000000,
		 usage->heard_us % 1000000, usage->answers, usage->tokens_in, usage->tokens_out,
		 usage->tokens_estimated);
	write_csv(writing, text);
	return writing->err == 0;
}

int report_write_csv(struct buf *out, struct store *store, const struct store_turn_filter *filter,
		     unsigned by)
{
	struct writing writing = {.by = by, .out = out};
	int err;

	for (size_t i = 0; i < COUNT(bys); ++i) {
		if (by & bys[i].by) {
			write_csv(&writing, bys[i].column);
			write_csv(&writing, ",");
		}
	}
	/* New columns are added at the end, because some clients read columns by position. */
	write_csv(&writing, "turns,audio_seconds,characters,cost_microcents,heard_seconds,"
			    "model_answers,input_tokens,output_tokens,estimated_tokens\r\n");
	err = report_each(store, filter, by, write_csv_row, &writing, NULL);
	return err ? err : writing.err;
}

/* A cursor is the seq of the last row shown, as nobody should rely on. */
static void print_cursor(char text[REPORT_CURSOR_SIZE], int64_t seq)
{
	snprintf(text, REPORT_CURSOR_SIZE, "t%" PRIx64, (uint64_t)seq);
}

static int parse_cursor(int64_t *seq, const char *text)
{
	size_t len = text[0] == 't' ? strspn(text + 1, "0123456789abcdef") : 0;

	if (len == 0 || len > 15 || text[1 + len] != '\0')
		return EINVAL;
	*seq = (int64_t)strtoull(text + 1, NULL, 16);
	return 0;
}

static const char *const statuses[] = {
	[STORE_TURN_FINISHED] = "finished",
	[STORE_TURN_CANCELLED] = "cancelled",
	[STORE_TURN_FAILED] = "failed",
	[STORE_TURN_LOST] = "lost",
};

struct paging {
	struct json_write json;
	int64_t left; /* rows that may still be shown */
	int64_t last; /* seq of the last that was */
	bool has_more;
};

static void write_turn(struct json_write *json, const struct store_turn *turn)
{
	json_write_object(json, NULL);
	write_text(json, "turn_id", turn->id);
	write_moment(json, "at", turn->at_ms);
	write_text(json, "status", statuses[turn->status]);
	json_write_double(json, "audio_seconds",
			  turn->sample_rate ? (double)turn->samples / turn->sample_rate : 0,
			  TURN_DECIMALS);
	json_write_unsigned(json, "characters", turn->characters);
	json_write_signed(json, "cost_microcents", turn->amount_microcents);
	json_write_signed(json, "voice_id", turn->voice_id);
	write_text(json, "model_id", turn->model_id);
	write_text(json, "kind", row_kind_word(turn->kind));
	json_write_unsigned(json, "quantity", turn->quantity);
	write_text(json, "unit", row_unit_word(turn->unit));
	json_write_bool(json, "estimated", turn->is_estimated);
	json_write_object_end(json);
}

static bool on_turn(int64_t seq, const struct store_turn *turn, void *arg)
{
	struct paging *paging = arg;

	paging->has_more = paging->left == 0;
	if (paging->has_more)
		return false;
	write_turn(&paging->json, turn);
	paging->last = seq;
	--paging->left;
	return true;
}

int report_write_turns(struct buf *out, struct store *store, const struct store_turn_filter *filter,
		       const char *after, int64_t limit)
{
	struct paging paging = {.left = limit};
	char next[REPORT_CURSOR_SIZE];
	int64_t seq = 0;
	int err = after ? parse_cursor(&seq, after) : 0;

	if (err)
		return err;
	json_write_open(&paging.json, out);
	json_write_list(&paging.json, "turns");
	/* One more than is shown tells whether there is a next page. */
	err = store->ops->turn_page(store, filter, seq, limit + 1, on_turn, &paging);
	json_write_list_end(&paging.json);
	print_cursor(next, paging.last);
	write_text(&paging.json, "next", paging.has_more ? next : NULL);
	return err ? err : json_write_close(&paging.json);
}
