/*
 * user_rest.c: what ElevenLabs' clients ask about their user when they start.
 *
 * There are no tiers or histories here.  What is counted is told: the characters of
 * the account's turns in this month, and the derived voices.  Where the account
 * or the key may use only so many characters a minute the month's limit is what that
 * allows; credit has no equivalent in their words.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "server/errand.h"
#include "server/query.h"

/* What their clients are told where there is no limit: a number that they can add to. */
#define NO_LIMIT 1000000000

struct month {
	int64_t from_s, to_s;
};

static struct month this_month(void)
{
	time_t now = (time_t)(clock_wall_ms() / 1000);
	struct tm tm;
	struct month month;

	gmtime_r(&now, &tm);
	tm = (struct tm){.tm_year = tm.tm_year, .tm_mon = tm.tm_mon, .tm_mday = 1};
	month.from_s = timegm(&tm);
	++tm.tm_mon;
	month.to_s = timegm(&tm);
	return month;
}

static bool take_characters(const struct store_usage *usage, void *arg)
{
	*(uint64_t *)arg = usage->characters;
	return true;
}

struct voice_count {
	int64_t project_id, count;
};

static bool count_voice(const struct store_voice *voice, void *arg)
{
	struct voice_count *count = arg;

	count->count += voice->project_id == count->project_id;
	return true;
}

static int64_t tighter(int64_t a, int64_t b)
{
	return a < 0 || (b >= 0 && b < a) ? b : a;
}

/* Of the plan; of whoever names one that is not there any more, of the default one. */
static int64_t limit_of_plan(const struct config *config, const char *name)
{
	int64_t limit = 0;

	for (size_t i = 0; i < config->plans_count; ++i) {
		if (strcmp(config->plans[i].name, name[0] ? name : "default") == 0)
			limit = config->plans[i].characters_per_minute;
	}
	return limit > 0 ? limit : STORE_LIMIT_NONE;
}

/* Characters a month, by the tighter limit of account and key. */
static int64_t character_limit(const struct errand *errand, const struct store_account *account,
			       const struct month *month)
{
	int64_t minutes = (month->to_s - month->from_s) / 60;
	int64_t limit = account->limits.characters_per_minute;

	if (limit == STORE_LIMIT_PLAN)
		limit = limit_of_plan(errand->call.server->config, account->plan);
	limit = tighter(limit, errand->key.limits.characters_per_minute);
	return limit < 0 || limit > NO_LIMIT / minutes ? NO_LIMIT : limit * minutes;
}

static void write_fixed(struct json_write *json)
{
	json_write_signed(json, "max_credit_limit_extension", 0);
	json_write_bool(json, "can_extend_character_limit", false);
	json_write_bool(json, "allowed_to_extend_character_limit", false);
	json_write_signed(json, "professional_voice_slots_used", 0);
	json_write_signed(json, "professional_voice_slots_used_in_workspace", 0);
	json_write_signed(json, "voice_limit", STORE_VOICES_MAX);
	json_write_signed(json, "voice_add_edit_counter", 0);
	json_write_signed(json, "professional_voice_limit", 0);
	json_write_bool(json, "can_extend_voice_limit", false);
	json_write_bool(json, "can_use_instant_voice_cloning", false);
	json_write_bool(json, "can_use_professional_voice_cloning", false);
	json_write_raw(json, "current_overage", "{\"amount\":\"0\",\"currency\":\"usd\"}");
	json_write_list(json, "open_invoices");
	json_write_list_end(json);
	json_write_bool(json, "has_open_invoices", false);
}

static int write_subscription(struct errand *errand, struct store *store)
{
	const struct month month = this_month();
	const struct store_turn_filter filter = {.account_id = errand->key.account_id,
						 .from_ms = month.from_s * 1000};
	struct voice_count voices = {.project_id = errand->key.project_id};
	struct json_write *json = &errand->json;
	struct store_account account;
	uint64_t characters = 0;
	int err = store->ops->account_get(store, &account, errand->key.account_id);

	if (!err)
		err = store->ops->usage_sum(store, &filter, 0, take_characters, &characters);
	if (!err)
		err = store->ops->voice_list(store, count_voice, &voices);
	if (err)
		return err;
	json_write_string(json, "tier", "self_hosted", strlen("self_hosted"));
	json_write_string(json, "status", "active", strlen("active"));
	json_write_unsigned(json, "character_count", characters);
	json_write_signed(json, "character_limit", character_limit(errand, &account, &month));
	json_write_signed(json, "next_character_count_reset_unix", month.to_s);
	json_write_signed(json, "voice_slots_used", voices.count);
	write_fixed(json);
	return 0;
}

static int write_user(struct errand *errand, struct store *store)
{
	struct json_write *json = &errand->json;
	char id[40];
	int err;

	snprintf(id, sizeof(id), "project-%lld", (long long)errand->key.project_id);
	json_write_string(json, "user_id", id, strlen(id));
	json_write_string(json, "workspace_id", "local", strlen("local"));
	json_write_bool(json, "is_new_user", false);
	json_write_string(json, "seat_type", "workspace_admin", strlen("workspace_admin"));
	json_write_null(json, "xi_api_key");
	json_write_bool(json, "can_use_delayed_payment_methods", false);
	json_write_bool(json, "is_onboarding_completed", true);
	json_write_bool(json, "is_onboarding_checklist_completed", true);
	json_write_null(json, "first_name");
	json_write_signed(json, "created_at", errand->key.created_ms / 1000);
	json_write_object(json, "subscription");
	err = write_subscription(errand, store);
	json_write_object_end(json);
	return err;
}

void user_rest_subscription(const struct route_call *call)
{
	errand_run(call, write_subscription, ERRAND_REPORT);
}

void user_rest_get(const struct route_call *call)
{
	errand_run(call, write_user, ERRAND_REPORT);
}

void user_rest_history(const struct route_call *call)
{
	static const char none[] = "{\"history\":[],\"has_more\":false,"
				   "\"last_history_item_id\":null,\"scanned_until\":null}";

	answer_json(call, 200, none, strlen(none));
}

/* The characters of each day of a range. */
#define DAY_MS INT64_C(86400000)
#define DAYS_MAX 366

struct days {
	int64_t first_ms;
	size_t count;
	uint64_t characters[DAYS_MAX];
};

static bool user_rest_take_day(const struct store_usage *usage, void *arg)
{
	struct days *days = arg;
	int64_t day = (usage->day_ms - days->first_ms) / DAY_MS;

	if (usage->day_ms >= days->first_ms && day < (int64_t)days->count)
		days->characters[day] = usage->characters;
	return true;
}

/* A parameter that may have one of the words, or be absent. */
static int user_rest_check_word(struct errand *errand, const char *name, const char *const *words)
{
	char word[32];
	int err = query_text(word, sizeof(word), &errand->fault, errand->call.request, name);

	for (size_t i = 0; !err && words[i]; ++i) {
		if (!word[0] || strcmp(word, words[i]) == 0)
			return 0;
	}
	return err ? err
		   : errand_refuse(errand, WIRE_ERROR_INVALID_REQUEST, "%s must be %s", name,
				   words[0]);
}

static int user_rest_read_days(struct days *days, struct store_turn_filter *filter,
			       struct errand *errand)
{
	static const char *const breakdowns[] = {"none", NULL};
	static const char *const intervals[] = {"day", NULL};
	static const char *const metrics[] = {"tts_characters", "credits", NULL};
	static const struct query_range range = {1, INT64_MAX / 2, 0};
	const struct http_request *request = errand->call.request;
	int err = query_number(&filter->from_ms, &errand->fault, request, "start_unix", &range);

	if (!err)
		err = query_number(&filter->to_ms, &errand->fault, request, "end_unix", &range);
	if (!err)
		err = user_rest_check_word(errand, "breakdown_type", breakdowns);
	if (!err)
		err = user_rest_check_word(errand, "aggregation_interval", intervals);
	if (!err)
		err = user_rest_check_word(errand, "metric", metrics);
	if (err)
		return err;
	if (!filter->from_ms || filter->to_ms < filter->from_ms ||
	    filter->to_ms / DAY_MS - filter->from_ms / DAY_MS >= DAYS_MAX)
		return errand_refuse(
			errand, WIRE_ERROR_INVALID_REQUEST,
			"start_unix and end_unix must be milliseconds, at most %d days "
			"apart",
			DAYS_MAX);
	days->first_ms = filter->from_ms / DAY_MS * DAY_MS;
	days->count = (size_t)(filter->to_ms / DAY_MS - filter->from_ms / DAY_MS + 1);
	return 0;
}

static int user_rest_write_usage(struct errand *errand, struct store *store)
{
	struct store_turn_filter filter = {.account_id = errand->key.account_id};
	struct json_write *json = &errand->json;
	struct days days = {0};
	int err = user_rest_read_days(&days, &filter, errand);

	if (!err)
		err = store->ops->usage_sum(store, &filter, STORE_USAGE_DAY, user_rest_take_day,
					    &days);
	if (err)
		return err;
	json_write_list(json, "time");
	for (size_t i = 0; i < days.count; ++i)
		json_write_signed(json, NULL, days.first_ms + (int64_t)i * DAY_MS);
	json_write_list_end(json);
	json_write_object(json, "usage");
	json_write_list(json, "All");
	for (size_t i = 0; i < days.count; ++i)
		json_write_unsigned(json, NULL, days.characters[i]);
	json_write_list_end(json);
	json_write_object_end(json);
	return 0;
}

void user_rest_usage(const struct route_call *call)
{
	errand_run(call, user_rest_write_usage, ERRAND_REPORT);
}
