/*
 * usage.c: `syrinx usage`: reports usage and its cost, from the ledger.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "account/registry.h"
#include "account/report.h"
#include "base/calendar.h"
#include "base/clock.h"
#include "base/count.h"
#include "cli/key_source.h"
#include "cli/money.h"
#include "cli/project_choice.h"
#include "cli/settings.h"
#include "cli/store_verb.h"
#include "cli/table.h"
#include "store/row_values.h"

#define REPORT_MAX (256u * 1024 * 1024) /* a million rows, far more than people read */

/* Parses a date, a time, or a time ago. */
static int usage_read_moment(int64_t *wall_ms, const struct command_call *call, const char *option)
{
	const char *text = command_value(call, option);
	int64_t span;

	*wall_ms = 0;
	if (!text || calendar_parse(wall_ms, text) == 0)
		return COMMAND_OK;
	if (calendar_parse_span(&span, text) != 0)
		return command_usage_error(call->command,
					   "--%s must be a date (2026-05-20), a date and time "
					   "(2026-05-20T09:00) or a time ago (7d), not \"%s\"",
					   option, text);
	*wall_ms = span < clock_wall_ms() ? clock_wall_ms() - span : 1;
	return COMMAND_OK;
}

static int usage_find_project(struct store_turn_filter *filter, struct store *store,
			      const struct command_call *call)
{
	const char *which = command_value(call, "project");
	struct store_project project;
	int status;

	if (!which)
		return COMMAND_OK;
	status = project_choice_find(&project, store, call, filter->account_id, which);
	if (status == COMMAND_OK)
		filter->project_id = project.id;
	return status;
}

static int usage_read_filter(struct store_turn_filter *filter, struct store *store,
			     const struct command_call *call)
{
	char prefix[KEY_SOURCE_SIZE];
	bool has_key;
	struct store_key key = {0};
	int status = key_source_read(prefix, &has_key, call);

	if (status == COMMAND_OK)
		status = store_verb_find_account(&filter->account_id, store, call, 0);
	if (status == COMMAND_OK)
		status = usage_find_project(filter, store, call);
	if (status == COMMAND_OK && has_key)
		status = store_verb_find_key(&key, store, call, prefix);
	if (status == COMMAND_OK)
		status = usage_read_moment(&filter->from_ms, call, "from");
	if (status == COMMAND_OK)
		status = usage_read_moment(&filter->to_ms, call, "to");
	filter->key_id = key.id;
	return status;
}

static int usage_read_by(unsigned *by, const struct command_call *call)
{
	const char *list = command_value(call, "by");
	const char *bad;

	*by = STORE_USAGE_DAY;
	if (!list || report_parse_by(by, list, &bad) == 0)
		return COMMAND_OK;
	return command_usage_error(call->command,
				   "--by takes " REPORT_BYS " and commas, not \"%.*s\"",
				   (int)strcspn(bad, ","), bad);
}

struct printing {
	struct table table;
	unsigned by;
	bool has_cost;
};

static void usage_add_figures(struct printing *printing, const struct store_usage *usage)
{
	struct table *table = &printing->table;
	char cents[STORE_VERB_CENTS_SIZE];

	store_verb_print_cents(cents, usage->amount_microcents);
	table_cell(table, "%" PRId64, usage->turns);
	table_cell(table, "%" PRIu64 ".%03" PRIu64, usage->audio_us / 1000000,
		   usage->audio_us / 1000 % 1000);
	table_cell(table, "%" PRIu64, usage->characters);
	if (printing->has_cost)
		table_cell(table, "%s", cents);
	table_cell(table, "%" PRIu64 ".%03" PRIu64, usage->heard_us / 1000000,
		   usage->heard_us / 1000 % 1000);
	table_cell(table, "%" PRId64, usage->answers);
	table_cell(table, "%" PRIu64, usage->tokens_in);
	table_cell(table, "%" PRIu64, usage->tokens_out);
}

static bool usage_add_row(const struct report_row *row, void *arg)
{
	struct printing *printing = arg;
	char day[CALENDAR_SIZE];

	calendar_print_day(day, row->usage->day_ms);
	if (printing->by & STORE_USAGE_DAY)
		table_cell(&printing->table, "%s", day);
	if (printing->by & STORE_USAGE_KEY)
		table_cell(&printing->table, "%s", row->key ? row->key : "-");
	if (printing->by & STORE_USAGE_VOICE)
		table_cell(&printing->table, "%" PRId64, row->usage->voice_id);
	if (printing->by & STORE_USAGE_MODEL)
		table_cell(&printing->table, "%s", row->usage->model_id);
	if (printing->by & STORE_USAGE_KIND)
		table_cell(&printing->table, "%s", row_kind_word(row->usage->kind));
	usage_add_figures(printing, row->usage);
	return true;
}

static int usage_print_table(struct store *store, const struct store_turn_filter *filter,
			     unsigned by, const struct config *config)
{
	static const struct {
		unsigned by;
		struct table_column column;
	} named[] = {{STORE_USAGE_DAY, {"DAY", false}},
		     {STORE_USAGE_KEY, {"KEY", false}},
		     {STORE_USAGE_VOICE, {"VOICE", true}},
		     {STORE_USAGE_MODEL, {"MODEL", false}},
		     {STORE_USAGE_KIND, {"KIND", false}}};
	char cost[MONEY_SIZE];
	const struct table_column figures[] = {
		{"TURNS", true},   {"AUDIO S", true}, {"CHARACTERS", true}, {cost, true},
		{"HEARD S", true}, {"ANSWERS", true}, {"TOKENS IN", true},  {"TOKENS OUT", true}};
	struct table_column columns[COUNT(named) + COUNT(figures)];
	struct printing printing = {.by = by};
	struct store_usage total = {0};
	size_t named_count, count = 0;
	int printed;
	int err = money_is_shown(&printing.has_cost, store, config);

	if (err)
		return err;
	money_title(cost, money_currency(config));
	for (size_t i = 0; i < COUNT(named); ++i) {
		if (by & named[i].by)
			columns[count++] = named[i].column;
	}
	named_count = count;
	for (size_t i = 0; i < COUNT(figures); ++i) {
		if (figures[i].name != cost || printing.has_cost)
			columns[count++] = figures[i];
	}
	table_open(&printing.table, columns, count);
	err = report_each(store, filter, by, usage_add_row, &printing, &total);
	for (size_t i = 0; i < named_count; ++i)
		table_cell(&printing.table, "%s", i == 0 ? "total" : "");
	usage_add_figures(&printing, &total);
	printed = table_print(&printing.table);
	return err ? err : printed;
}

static int usage_print_whole(struct store *store, const struct store_turn_filter *filter,
			     unsigned by, bool is_csv, const struct config *config)
{
	struct buf out;
	int err;

	buf_init(&out, REPORT_MAX);
	err = is_csv ? report_write_csv(&out, store, filter, by)
		     : report_write_json(&out, store, filter, by, money_currency(config));
	if (!err)
		fwrite(out.bytes, 1, out.len, stdout);
	if (!err && !is_csv)
		putchar('\n');
	buf_reset(&out);
	return err;
}

static int usage_report(struct store *store, const struct command_call *call)
{
	bool is_csv = command_value(call, "csv") != NULL;
	bool is_json = command_value(call, "json") != NULL;
	struct store_turn_filter filter = {0};
	struct config config;
	unsigned by;
	int status = usage_read_by(&by, call);
	int err;

	if (status == COMMAND_OK && is_csv && is_json)
		return command_usage_error(call->command, "give --csv or --json, not both");
	if (status == COMMAND_OK)
		status = usage_read_filter(&filter, store, call);
	if (status == COMMAND_OK)
		status = settings_load(&config, call);
	if (status != COMMAND_OK)
		return status;
	err = is_csv || is_json ? usage_print_whole(store, &filter, by, is_csv, &config)
				: usage_print_table(store, &filter, by, &config);
	return err ? store_verb_failed(call, err, "cannot read the ledger") : COMMAND_OK;
}

static int usage_run(const struct command_call *call)
{
	return store_verb_with_store(call, false, usage_report);
}

static const struct command_option options[] = {
	STORE_VERB_OPTIONS,
	{"account", 0, "ACCOUNT", "only this account, by number or name (all)"},
	{"project", 0, "PROJECT", "only this project, by number or name (all)"},
	KEY_SOURCE_FILE_OPTION,
	{"key", 0, "KEY", "only this key, by its first characters (all)"},
	{"from", 0, "WHEN", "the start: 2026-05-20, 2026-05-20T09:00, or 7d for seven days ago"},
	{"to", 0, "WHEN", "the end, exclusive, in the same form"},
	{"by", 0, "LIST", "one row per day, key, voice, model or kind (day, in UTC)"},
	{"csv", 0, NULL, "print CSV, costs in micro-cents"},
	{"json", 0, NULL, "print JSON, costs in micro-cents"},
	{0},
};

const struct command command_usage = {
	.name = "usage",
	.summary = "Report usage and its cost.",
	.options = options,
	.run = usage_run,
	.examples =
		"  syrinx usage --from 7d\n"
		"  syrinx usage --account acme --from 2026-05-01 --to 2026-06-01 --by day,voice --csv\n",
};
