/*
 * account_json.c: accounts, projects, keys and top-ups as REST clients see them (see
 * account_json.h).
 */
#include "server/account_json.h"

#include <string.h>

#include "account/registry.h"
#include "account/scopes.h"
#include "base/calendar.h"

void account_json_write_text(struct json_write *json, const char *key, const char *text)
{
	if (text[0])
		json_write_string(json, key, text, strlen(text));
	else
		json_write_null(json, key);
}

void account_json_write_moment(struct json_write *json, const char *key, int64_t wall_ms)
{
	char text[CALENDAR_SIZE] = "";

	if (wall_ms)
		calendar_print(text, wall_ms);
	account_json_write_text(json, key, text);
}

/* Limits below `least` are null.  For an account, -1 (STORE_LIMIT_NONE) means that there is no limit
 * whatever its plan says, and null means the limit of the plan.  A key has no plan, so null means no
 * limit. */
static void account_json_write_limits(struct json_write *json, const struct store_limits *row,
				      int64_t least)
{
	struct store_limits limits = *row;

	json_write_object(json, "limits");
	for (size_t i = 0; i < REGISTRY_LIMITS; ++i) {
		int64_t limit = *registry_limit_at(&limits, i);

		if (limit >= least)
			json_write_signed(json, registry_limit_names[i], limit);
		else
			json_write_null(json, registry_limit_names[i]);
	}
	json_write_object_end(json);
}

void account_json_write(struct json_write *json, const struct store_account *row,
			const char *currency)
{
	json_write_signed(json, "id", row->id);
	account_json_write_text(json, "name", row->name);
	account_json_write_text(json, "plan", row->plan);
	json_write_bool(json, "prepaid", row->is_prepaid);
	account_json_write_limits(json, &row->limits, STORE_LIMIT_NONE);
	json_write_signed(json, "credit_microcents", row->credit_microcents);
	json_write_signed(json, "spent_microcents", row->spent_microcents);
	json_write_signed(json, "balance_microcents",
			  row->credit_microcents - row->spent_microcents);
	account_json_write_text(json, "currency", currency ? currency : "");
	account_json_write_moment(json, "created_at", row->created_ms);
	account_json_write_moment(json, "closed_at", row->closed_ms);
}

void account_json_write_project(struct json_write *json, const struct store_project *row)
{
	json_write_signed(json, "id", row->id);
	json_write_signed(json, "account_id", row->account_id);
	account_json_write_text(json, "name", row->name);
	account_json_write_moment(json, "created_at", row->created_ms);
}

static void account_json_write_scopes(struct json_write *json, unsigned scopes)
{
	char names[SCOPES_TEXT_SIZE];
	const char *name = names;

	json_write_list(json, "scopes");
	scopes_print(names, scopes);
	while (scopes) {
		size_t len = strcspn(name, ",");

		json_write_string(json, NULL, name, len);
		if (name[len] == '\0')
			break;
		name += len + 1;
	}
	json_write_list_end(json);
}

void account_json_write_key(struct json_write *json, const struct store_key *row)
{
	json_write_string(json, "prefix", row->prefix, strlen(row->prefix));
	json_write_string(json, "name", row->name, strlen(row->name));
	json_write_signed(json, "account_id", row->account_id);
	json_write_signed(json, "project_id", row->project_id);
	account_json_write_scopes(json, row->scopes);
	account_json_write_limits(json, &row->limits, 0);
	if (row->credit_cents < 0)
		json_write_null(json, "credit_cents");
	else
		json_write_signed(json, "credit_cents", row->credit_cents);
	json_write_signed(json, "spent_microcents", row->spent_microcents);
	account_json_write_moment(json, "created_at", row->created_ms);
	account_json_write_moment(json, "last_used_at", row->used_ms);
	account_json_write_moment(json, "expires_at", row->expires_ms);
	account_json_write_moment(json, "revoked_at", row->revoked_ms);
}

void account_json_write_top_up(struct json_write *json, const struct store_top_up *row)
{
	json_write_string(json, "id", row->id, strlen(row->id));
	json_write_signed(json, "account_id", row->account_id);
	json_write_signed(json, "amount_microcents", row->amount_microcents);
	account_json_write_text(json, "note", row->note);
	account_json_write_moment(json, "at", row->at_ms);
}
