/*
 * user_rest.c: the user, subscription, history and usage that ElevenLabs' clients request when they
 * start.
 *
 * There are no tiers and no history here.  The numbers are real: the characters that the account
 * has used this month, and its derived voices.  If the account or the key has a limit of characters
 * per minute, the monthly limit is what that allows; credit has no equivalent in ElevenLabs'
 * answers.  Runs on the store's thread (see store_request.h) except for the routes.
 */
#include "doors/elevenlabs/elevenlabs.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "server/query.h"
#include "server/store_request.h"

/* Shown if there is no limit.  Clients can add to this number without an overflow. */
#define NO_LIMIT 1000000000

struct month {
	int64_t from_s, to_s;
};

static struct month user_rest_this_month(void)
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

static bool user_rest_take_characters(const struct store_usage *usage, void *arg)
{
	*(uint64_t *)arg = usage->characters;
	return true;
}

struct voice_count {
	int64_t project_id, count;
};

static bool user_rest_count_voice(const struct store_voice *voice, void *arg)
{
	struct voice_count *count = arg;

	count->count += voice->project_id == count->project_id;
	return true;
}

/* The lower of two limits; a negative number means that there is no limit. */
static int64_t user_rest_lower_limit(int64_t a, int64_t b)
{
	return a < 0 || (b >= 0 && b < a) ? b : a;
}

/* The limit of a plan.  Without a name, it is that of the default plan; a plan that is not
 * configured has no limit. */
static int64_t user_rest_limit_of_plan(const struct config *config, const char *name)
{
	int64_t limit = 0;

	for (size_t i = 0; i < config->plans_count; ++i) {
		if (strcmp(config->plans[i].name, name[0] ? name : "default") == 0)
			limit = config->plans[i].characters_per_minute;
	}
	return limit > 0 ? limit : STORE_LIMIT_NONE;
}

/* Characters per month, by the lower limit of account and key. */
static int64_t user_rest_character_limit(const struct store_request *request,
					 const struct store_account *account,
					 const struct month *month)
{
	int64_t minutes = (month->to_s - month->from_s) / 60;
	int64_t limit = account->limits.characters_per_minute;

	if (limit == STORE_LIMIT_PLAN)
		limit = user_rest_limit_of_plan(request->call.server->config, account->plan);
	limit = user_rest_lower_limit(limit, request->key.limits.characters_per_minute);
	return limit < 0 || limit > NO_LIMIT / minutes ? NO_LIMIT : limit * minutes;
}

static void user_rest_write_fixed(struct json_write *json)
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

static int user_rest_write_subscription(struct store_request *request, struct store *store)
{
	const struct month month = user_rest_this_month();
	const struct store_turn_filter filter = {.account_id = request->key.account_id,
						 .from_ms = month.from_s * 1000};
	struct voice_count voices = {.project_id = request->key.project_id};
	struct json_write *json = &request->json;
	struct store_account account;
	uint64_t characters = 0;
	int err = store->ops->account_get(store, &account, request->key.account_id);

	if (!err)
		err = store->ops->usage_sum(store, &filter, 0, user_rest_take_characters,
					    &characters);
	if (!err)
		err = store->ops->voice_list(store, user_rest_count_voice, &voices);
	if (err)
		return err;
	json_write_string(json, "tier", "self_hosted", strlen("self_hosted"));
	json_write_string(json, "status", "active", strlen("active"));
	json_write_unsigned(json, "character_count", characters);
	json_write_signed(json, "character_limit",
			  user_rest_character_limit(request, &account, &month));
	json_write_signed(json, "next_character_count_reset_unix", month.to_s);
	json_write_signed(json, "voice_slots_used", voices.count);
	user_rest_write_fixed(json);
	return 0;
}

static int user_rest_write_user(struct store_request *request, struct store *store)
{
	struct json_write *json = &request->json;
	char id[40];
	int err;

	snprintf(id, sizeof(id), "project-%lld", (long long)request->key.project_id);
	json_write_string(json, "user_id", id, strlen(id));
	json_write_string(json, "workspace_id", "local", strlen("local"));
	json_write_bool(json, "is_new_user", false);
	json_write_string(json, "seat_type", "workspace_admin", strlen("workspace_admin"));
	json_write_null(json, "xi_api_key");
	json_write_bool(json, "can_use_delayed_payment_methods", false);
	json_write_bool(json, "is_onboarding_completed", true);
	json_write_bool(json, "is_onboarding_checklist_completed", true);
	json_write_null(json, "first_name");
	json_write_signed(json, "created_at", request->key.created_ms / 1000);
	json_write_object(json, "subscription");
	err = user_rest_write_subscription(request, store);
	json_write_object_end(json);
	return err;
}

void user_rest_subscription(const struct route_call *call)
{
	store_request_run(call, &store_subject_reports, user_rest_write_subscription, NULL);
}

void user_rest_get(const struct route_call *call)
{
	store_request_run(call, &store_subject_reports, user_rest_write_user, NULL);
}

void user_rest_history(const struct route_call *call)
{
	static const char none[] = "{\"history\":[],\"has_more\":false,"
				   "\"last_history_item_id\":null,\"scanned_until\":null}";

	answer_json(call, 200, none, strlen(none));
}

#define DAY_MS INT64_C(86400000)
#define DAYS_MAX 366

/* The characters that were used on each day of a range. */
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

/* Checks that a parameter is absent or one of the words. */
static int user_rest_check_word(struct store_request *request, const char *name,
				const char *const *words)
{
	char word[32];
	int err = query_text(word, sizeof(word), &request->fault, request->call.request, name);

	for (size_t i = 0; !err && words[i]; ++i) {
		if (!word[0] || strcmp(word, words[i]) == 0)
			return 0;
	}
	return err ? err
		   : fault_set(&request->fault, WIRE_ERROR_INVALID_REQUEST, "%s must be %s", name,
			       words[0]);
}

static int user_rest_read_days(struct days *days, struct store_turn_filter *filter,
			       struct store_request *request)
{
	static const char *const breakdowns[] = {"none", NULL};
	static const char *const intervals[] = {"day", NULL};
	static const char *const metrics[] = {"tts_characters", "credits", NULL};
	static const struct query_range range = {1, INT64_MAX / 2, 0};
	const struct http_request *http = request->call.request;
	int err = query_number(&filter->from_ms, &request->fault, http, "start_unix", &range);

	if (!err)
		err = query_number(&filter->to_ms, &request->fault, http, "end_unix", &range);
	if (!err)
		err = user_rest_check_word(request, "breakdown_type", breakdowns);
	if (!err)
		err = user_rest_check_word(request, "aggregation_interval", intervals);
	if (!err)
		err = user_rest_check_word(request, "metric", metrics);
	if (err)
		return err;
	if (!filter->from_ms || filter->to_ms < filter->from_ms ||
	    filter->to_ms / DAY_MS - filter->from_ms / DAY_MS >= DAYS_MAX)
		return fault_set(&request->fault, WIRE_ERROR_INVALID_REQUEST,
				 "start_unix and end_unix must be milliseconds, at most %d days "
				 "apart",
				 DAYS_MAX);
	days->first_ms = filter->from_ms / DAY_MS * DAY_MS;
	days->count = (size_t)(filter->to_ms / DAY_MS - filter->from_ms / DAY_MS + 1);
	return 0;
}

static int user_rest_write_usage(struct store_request *request, struct store *store)
{
	struct store_turn_filter filter = {.account_id = request->key.account_id};
	struct json_write *json = &request->json;
	struct days days = {0};
	int err = user_rest_read_days(&days, &filter, request);

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
	store_request_run(call, &store_subject_reports, user_rest_write_usage, NULL);
}
