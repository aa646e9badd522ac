/*
 * account_form.c: reads the request bodies that create or change accounts, projects, keys, top-ups
 * and tokens (see account_form.h).  Pure, for any thread.
 */
#include "server/account_form.h"

#include <stdio.h>
#include <string.h>

#include "account/registry.h"
#include "account/scopes.h"
#include "account/single_use_token.h"
#include "base/calendar.h"
#include "base/clock.h"

#define FIELD(type, text, of, to, member)                                                          \
	.name = (text), .kind = REST_FIELD_##of, .bit = (to),                                      \
	.offset = offsetof(struct type##_form, member)
#define RANGE(low, high) .min = (low), .max = (high)

#define LIMIT(type, index, member)                                                                 \
	{                                                                                          \
		FIELD(type, #member, INTEGER, ACCOUNT_FORM_LIMIT << (index), row.limits.member),   \
			RANGE(STORE_LIMIT_NONE, REGISTRY_LIMIT_MAX), .is_nullable = true,          \
								     .none = STORE_LIMIT_PLAN      \
	}
#define LIMITS(type)                                                                               \
	LIMIT(type, 0, turns), LIMIT(type, 1, connections), LIMIT(type, 2, requests_per_minute),   \
		LIMIT(type, 3, characters_per_minute), LIMIT(type, 4, text_max),                   \
		LIMIT(type, 5, heard_seconds_per_minute)

static const struct rest_field account_limits[] = {LIMITS(account)};
static const struct rest_form account_limits_form = {REST_FORM(account_limits)};
static const struct rest_field account_fields[] = {
	{FIELD(account, "name", TEXT, STORE_ACCOUNT_NAME, name), RANGE(1, STORE_NAME_MAX),
	 .is_required = true},
	{FIELD(account, "plan", TEXT, STORE_ACCOUNT_PLAN, plan), RANGE(1, STORE_NAME_MAX),
	 .is_nullable = true},
	{FIELD(account, "prepaid", BOOL, STORE_ACCOUNT_PREPAID, row.is_prepaid)},
	{FIELD(account, "closed", BOOL, STORE_ACCOUNT_CLOSED, is_closed)},
	{FIELD(account, "limits", OBJECT, STORE_ACCOUNT_LIMITS, row.limits),
	 .inner = &account_limits_form},
};
const struct rest_form account_form_table = {REST_FORM(account_fields)};

static const struct rest_field project_fields[] = {
	{FIELD(project, "name", TEXT, ACCOUNT_FORM_OTHER, name), RANGE(1, STORE_NAME_MAX),
	 .is_required = true},
	{FIELD(project, "account_id", INTEGER, 0, row.account_id), RANGE(1, INT64_MAX)},
};
const struct rest_form account_form_project_table = {REST_FORM(project_fields)};

static const struct rest_field key_limits[] = {LIMITS(key)};
static const struct rest_form key_limits_form = {REST_FORM(key_limits)};
static const struct rest_field key_fields[] = {
	{FIELD(key, "name", TEXT, STORE_KEY_NAME, name), RANGE(0, STORE_NAME_MAX),
	 .is_nullable = true},
	{FIELD(key, "scopes", WORDS, STORE_KEY_SCOPES, scopes)},
	{FIELD(key, "credit_cents", INTEGER, STORE_KEY_CREDIT, row.credit_cents),
	 RANGE(0, REGISTRY_AMOUNT_MAX / 1000000), .is_nullable = true, .none = -1},
	{FIELD(key, "expires_at", TEXT, STORE_KEY_EXPIRES, expires_at), RANGE(1, 40),
	 .is_nullable = true},
	{FIELD(key, "expires_in", INTEGER, ACCOUNT_FORM_EXPIRES_IN, expires_in),
	 RANGE(1, ACCOUNT_FORM_EXPIRES_IN_MAX)},
	{FIELD(key, "limits", OBJECT, STORE_KEY_LIMITS, row.limits), .inner = &key_limits_form},
	/* The last two are only allowed in a new key: account_form_key_change_table omits them. */
	{FIELD(key, "account_id", INTEGER, 0, row.account_id), RANGE(1, INT64_MAX)},
	{FIELD(key, "project_id", INTEGER, 0, row.project_id), RANGE(1, INT64_MAX)},
};
const struct rest_form account_form_key_table = {REST_FORM(key_fields)};
const struct rest_form account_form_key_change_table = {key_fields, COUNT(key_fields) - 2, false,
							WIRE_ERROR_NONE};

static const struct rest_field top_up_fields[] = {
	{FIELD(top_up, "id", TEXT, 1, id), RANGE(1, STORE_TURN_ID_MAX), .is_required = true},
	{FIELD(top_up, "amount_microcents", INTEGER, 2, row.amount_microcents),
	 RANGE(-REGISTRY_AMOUNT_MAX, REGISTRY_AMOUNT_MAX), .is_required = true},
	{FIELD(top_up, "note", TEXT, 4, note), RANGE(0, STORE_NAME_MAX), .is_nullable = true},
};
const struct rest_form account_form_top_up_table = {REST_FORM(top_up_fields)};

static const struct rest_field token_fields[] = {
	{FIELD(token, "path", TEXT, 1, path), RANGE(1, STORE_PATH_MAX), .is_required = true},
	{FIELD(token, "expires_in", INTEGER, 2, expires_in),
	 RANGE(1, SINGLE_USE_TOKEN_SECONDS_MAX)},
};
const struct rest_form account_form_token_table = {REST_FORM(token_fields)};

/* Copies text that is displayed on one line, so it must have no control characters.  The tables of
 * fields limit the number of characters, while a row has space for a number of bytes.  NULL becomes
 * "". */
static int account_form_line(char *line, size_t size, struct stream_fault *fault, const char *name,
			     const char *text)
{
	size_t len = text ? strlen(text) : 0;

	if (len >= size)
		return fault_set(fault, WIRE_ERROR_INVALID_REQUEST,
				 "%s must have at most %zu bytes (got %zu)", name, size - 1, len);
	for (size_t i = 0; i < len; ++i) {
		if ((unsigned char)text[i] < ' ' || text[i] == 0x7f)
			return fault_set(fault, WIRE_ERROR_INVALID_REQUEST,
					 "%s must have no control characters", name);
	}
	snprintf(line, size, "%s", text ? text : "");
	return 0;
}

/* A limit of 0 would disable the account or key.  There are other ways to do that: `closed`, and
 * DELETE of a key. */
static int account_form_check_limits(struct stream_fault *fault, unsigned fields,
				     struct store_limits *limits)
{
	for (size_t i = 0; i < REGISTRY_LIMITS; ++i) {
		if (fields & (unsigned)ACCOUNT_FORM_LIMIT << i &&
		    *registry_limit_at(limits, i) == 0)
			return fault_set(fault, WIRE_ERROR_INVALID_REQUEST,
					 "limits: %s must be at least 1, -1 for no limit, or null",
					 account_limits[i].name);
	}
	return 0;
}

int account_form_read(struct account_form *form, struct stream_fault *fault, char *text, size_t len,
		      bool is_new)
{
	struct store_account *row = &form->row;
	int err = rest_body_parse(&form->body, fault, text, len, &account_form_table, is_new);
	unsigned given = form->body.fields;

	if (!err && given & STORE_ACCOUNT_NAME)
		err = account_form_line(row->name, sizeof(row->name), fault, "name", form->name);
	if (!err && given & STORE_ACCOUNT_PLAN)
		err = account_form_line(row->plan, sizeof(row->plan), fault, "plan", form->plan);
	if (!err && given & STORE_ACCOUNT_CLOSED && !form->is_closed)
		row->closed_ms = 0;
	else if (!err && given & STORE_ACCOUNT_CLOSED && !row->closed_ms)
		row->closed_ms = clock_wall_ms();
	return err ? err : account_form_check_limits(fault, given, &row->limits);
}

int account_form_read_project(struct project_form *form, struct stream_fault *fault, char *text,
			      size_t len)
{
	struct store_project *row = &form->row;
	int err = rest_body_parse(&form->body, fault, text, len, &account_form_project_table, true);

	return err ? err
		   : account_form_line(row->name, sizeof(row->name), fault, "name", form->name);
}

static int account_form_take_scopes(struct key_form *form, struct stream_fault *fault)
{
	const char *bad;

	if (scopes_parse(&form->row.scopes, form->scopes.text, &bad) == 0)
		return 0;
	return fault_set(fault, WIRE_ERROR_INVALID_REQUEST,
			 "scopes must be some of speak, read, dictionaries, voices, admin "
			 "(got \"%.*s\")",
			 (int)strcspn(bad, ","), bad);
}

static int account_form_take_expiry(struct key_form *form, struct stream_fault *fault)
{
	int64_t *expires_ms = &form->row.expires_ms;

	*expires_ms = 0;
	if (form->expires_at &&
	    (calendar_parse(expires_ms, form->expires_at) != 0 || *expires_ms <= clock_wall_ms()))
		return fault_set(fault, WIRE_ERROR_INVALID_REQUEST,
				 "expires_at must be a moment to come, like "
				 "2027-01-01T00:00:00Z, or null");
	return 0;
}

int account_form_read_key(struct key_form *form, struct stream_fault *fault, char *text, size_t len,
			  bool is_new)
{
	const unsigned both = STORE_KEY_EXPIRES | ACCOUNT_FORM_EXPIRES_IN;
	struct store_key *row = &form->row;
	int err = rest_body_parse(&form->body, fault, text, len,
				  is_new ? &account_form_key_table : &account_form_key_change_table,
				  is_new);
	unsigned given = form->body.fields;

	if (!err && (given & both) == both)
		return fault_set(fault, WIRE_ERROR_INVALID_REQUEST,
				 "expires_at and expires_in cannot both be given");
	if (!err && given & STORE_KEY_NAME)
		err = account_form_line(row->name, sizeof(row->name), fault, "name", form->name);
	if (!err)
		err = account_form_check_limits(fault, given, &row->limits);
	if (!err && given & STORE_KEY_SCOPES)
		err = account_form_take_scopes(form, fault);
	if (!err && given & STORE_KEY_EXPIRES)
		err = account_form_take_expiry(form, fault);
	if (!err && given & ACCOUNT_FORM_EXPIRES_IN) {
		row->expires_ms = clock_wall_ms() + form->expires_in * 1000;
		form->body.fields |= STORE_KEY_EXPIRES;
	}
	return err;
}

int account_form_read_top_up(struct top_up_form *form, struct stream_fault *fault, char *text,
			     size_t len)
{
	struct store_top_up *row = &form->row;
	int err = rest_body_parse(&form->body, fault, text, len, &account_form_top_up_table, true);

	if (!err)
		err = account_form_line(row->id, sizeof(row->id), fault, "id", form->id);
	if (!err)
		err = account_form_line(row->note, sizeof(row->note), fault, "note", form->note);
	if (!err && row->amount_microcents == 0)
		return fault_set(fault, WIRE_ERROR_INVALID_REQUEST,
				 "amount_microcents must not be 0");
	return err;
}

int account_form_read_token(struct token_form *form, struct stream_fault *fault, char *text,
			    size_t len)
{
	struct store_token *row = &form->row;
	int err = rest_body_parse(&form->body, fault, text, len, &account_form_token_table, true);

	return err ? err
		   : account_form_line(row->path, sizeof(row->path), fault, "path", form->path);
}
