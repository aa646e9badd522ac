/*
 * account_message.c: what an operator may say of accounts, projects, keys, top-ups
 * and tokens over REST (see account_message.h).
 */
#include "wire/account_message.h"

#include <string.h>

#include "base/count.h"

#define TEXT(type, text, member, of, low, high)                                                    \
	.name = (text), .kind = REST_FIELD_TEXT, .bit = ACCOUNT_MESSAGE_##of,                      \
	.offset = offsetof(struct type, member), .min = (low), .max = (high)
#define BOOL(type, text, member, of)                                                               \
	.name = (text), .kind = REST_FIELD_BOOL, .bit = ACCOUNT_MESSAGE_##of,                      \
	.offset = offsetof(struct type, member)
#define INTEGER(type, text, member, of, low, high)                                                 \
	.name = (text), .kind = REST_FIELD_INTEGER, .bit = ACCOUNT_MESSAGE_##of,                   \
	.offset = offsetof(struct type, member), .min = (low), .max = (high)

#define LIMIT(type, member, of)                                                                    \
	{                                                                                          \
		INTEGER(type, #member, limits.member, of, -1, ACCOUNT_MESSAGE_LIMIT_MAX),          \
			.is_nullable = true, .none = ACCOUNT_MESSAGE_OF_PLAN                       \
	}
#define LIMITS(type)                                                                               \
	LIMIT(type, turns, TURNS), LIMIT(type, connections, CONNECTIONS),                          \
		LIMIT(type, requests_per_minute, REQUESTS),                                        \
		LIMIT(type, characters_per_minute, CHARACTERS), LIMIT(type, text_max, TEXT)
#define LIMITS_OBJECT(table)                                                                       \
	.name = "limits", .kind = REST_FIELD_OBJECT, .bit = ACCOUNT_MESSAGE_LIMITS,                \
	.inner = (table), .inner_count = COUNT(table)

static const struct rest_field account_limits[] = {LIMITS(account_message)};
static const struct rest_field key_limits[] = {LIMITS(key_message)};

static const struct rest_field account_fields[] = {
	{TEXT(account_message, "name", name, NAME, 1, ACCOUNT_MESSAGE_NAME_MAX),
	 .is_required = true},
	{TEXT(account_message, "plan", plan, PLAN, 1, ACCOUNT_MESSAGE_NAME_MAX),
	 .is_nullable = true},
	{BOOL(account_message, "prepaid", is_prepaid, PREPAID)},
	{BOOL(account_message, "closed", is_closed, CLOSED)},
	{LIMITS_OBJECT(account_limits)},
};
const struct rest_table account_message_table = {account_fields, COUNT(account_fields)};

static const struct rest_field project_fields[] = {
	{TEXT(project_message, "name", name, NAME, 1, ACCOUNT_MESSAGE_NAME_MAX),
	 .is_required = true},
	{INTEGER(project_message, "account_id", account_id, ACCOUNT, 1, INT64_MAX)},
};
const struct rest_table account_message_project_table = {project_fields, COUNT(project_fields)};

#define KEY_CHANGES                                                                                \
	{TEXT(key_message, "name", name, NAME, 0, ACCOUNT_MESSAGE_NAME_MAX), .is_nullable = true}, \
		{.name = "scopes",                                                                 \
		 .kind = REST_FIELD_WORDS,                                                         \
		 .bit = ACCOUNT_MESSAGE_SCOPES,                                                    \
		 .offset = offsetof(struct key_message, scopes)},                                  \
		{INTEGER(key_message, "credit_cents", credit_cents, CREDIT, 0,                     \
			 ACCOUNT_MESSAGE_AMOUNT_MAX / 1000000),                                    \
		 .is_nullable = true, .none = -1},                                                 \
		{TEXT(key_message, "expires_at", expires_at, EXPIRES_AT, 1, 40),                   \
		 .is_nullable = true},                                                             \
		{INTEGER(key_message, "expires_in", expires_in, EXPIRES_IN, 1,                     \
			 ACCOUNT_MESSAGE_EXPIRES_IN_MAX)},                                         \
	{                                                                                          \
		LIMITS_OBJECT(key_limits)                                                          \
	}

static const struct rest_field key_fields[] = {
	KEY_CHANGES,
	{INTEGER(key_message, "account_id", account_id, ACCOUNT, 1, INT64_MAX)},
	{INTEGER(key_message, "project_id", project_id, PROJECT, 1, INT64_MAX)},
};
const struct rest_table account_message_key_table = {key_fields, COUNT(key_fields)};
static const struct rest_field key_changes[] = {KEY_CHANGES};
const struct rest_table account_message_key_change_table = {key_changes, COUNT(key_changes)};

static const struct rest_field top_up_fields[] = {
	{TEXT(top_up_message, "id", id, ID, 1, ACCOUNT_MESSAGE_TOP_UP_ID_MAX), .is_required = true},
	{INTEGER(top_up_message, "amount_microcents", amount_microcents, AMOUNT,
		 -ACCOUNT_MESSAGE_AMOUNT_MAX, ACCOUNT_MESSAGE_AMOUNT_MAX),
	 .is_required = true},
	{TEXT(top_up_message, "note", note, NOTE, 0, ACCOUNT_MESSAGE_NAME_MAX),
	 .is_nullable = true},
};
const struct rest_table account_message_top_up_table = {top_up_fields, COUNT(top_up_fields)};

static const struct rest_field token_fields[] = {
	{TEXT(token_message, "path", path, PATH, 1, ACCOUNT_MESSAGE_PATH_MAX), .is_required = true},
	{INTEGER(token_message, "expires_in", expires_in, EXPIRES_IN, 1,
		 ACCOUNT_MESSAGE_TOKEN_SECONDS_MAX)},
};
const struct rest_table account_message_token_table = {token_fields, COUNT(token_fields)};

static const struct limits_message of_plan = {ACCOUNT_MESSAGE_OF_PLAN, ACCOUNT_MESSAGE_OF_PLAN,
					      ACCOUNT_MESSAGE_OF_PLAN, ACCOUNT_MESSAGE_OF_PLAN,
					      ACCOUNT_MESSAGE_OF_PLAN};

/* The table counts characters, a row's room is bytes; what is shown in a line must
 * be of one. */
static int check_line(struct stream_fault *fault, const char *name, const char *text, size_t max)
{
	size_t len = text ? strlen(text) : 0;

	if (len > max)
		return fault_set(fault, WIRE_ERROR_INVALID_REQUEST,
				 "%s must have at most %zu bytes (got %zu)", name, max, len);
	for (size_t i = 0; i < len; ++i) {
		if ((unsigned char)text[i] < ' ' || text[i] == 0x7f)
			return fault_set(fault, WIRE_ERROR_INVALID_REQUEST,
					 "%s must have no control characters", name);
	}
	return 0;
}

/* Nothing at all is no limit but an end, for which there are other words. */
static int check_limits(struct stream_fault *fault, const struct limits_message *limits)
{
	const int64_t numbers[] = {limits->turns, limits->connections, limits->requests_per_minute,
				   limits->characters_per_minute, limits->text_max};

	for (size_t i = 0; i < COUNT(numbers); ++i) {
		if (numbers[i] == 0)
			return fault_set(fault, WIRE_ERROR_INVALID_REQUEST,
					 "limits: %s must be at least 1, -1 for no limit, or null",
					 account_limits[i].name);
	}
	return 0;
}

int account_message_parse(struct account_message *message, struct stream_fault *fault, char *text,
			  size_t len, bool is_new)
{
	int err;

	*message = (struct account_message){.limits = of_plan};
	err = rest_body_parse(&message->body, fault, text, len, account_fields,
			      COUNT(account_fields), is_new);
	if (!err)
		err = check_line(fault, "name", message->name, ACCOUNT_MESSAGE_NAME_MAX);
	if (!err)
		err = check_line(fault, "plan", message->plan, ACCOUNT_MESSAGE_NAME_MAX);
	return err ? err : check_limits(fault, &message->limits);
}

int account_message_parse_project(struct project_message *message, struct stream_fault *fault,
				  char *text, size_t len)
{
	int err;

	*message = (struct project_message){0};
	err = rest_body_parse(&message->body, fault, text, len, project_fields,
			      COUNT(project_fields), true);
	return err ? err : check_line(fault, "name", message->name, ACCOUNT_MESSAGE_NAME_MAX);
}

int account_message_parse_key(struct key_message *message, struct stream_fault *fault, char *text,
			      size_t len, bool is_new)
{
	const unsigned both = ACCOUNT_MESSAGE_EXPIRES_AT | ACCOUNT_MESSAGE_EXPIRES_IN;
	int err;

	*message = (struct key_message){.limits = of_plan, .credit_cents = -1};
	err = rest_body_parse(&message->body, fault, text, len, is_new ? key_fields : key_changes,
			      is_new ? COUNT(key_fields) : COUNT(key_changes), is_new);
	if (!err && (message->body.fields & both) == both)
		return fault_set(fault, WIRE_ERROR_INVALID_REQUEST,
				 "expires_at and expires_in cannot both be given");
	if (!err)
		err = check_line(fault, "name", message->name, ACCOUNT_MESSAGE_NAME_MAX);
	return err ? err : check_limits(fault, &message->limits);
}

int account_message_parse_top_up(struct top_up_message *message, struct stream_fault *fault,
				 char *text, size_t len)
{
	int err;

	*message = (struct top_up_message){0};
	err = rest_body_parse(&message->body, fault, text, len, top_up_fields, COUNT(top_up_fields),
			      true);
	if (!err)
		err = check_line(fault, "id", message->id, ACCOUNT_MESSAGE_TOP_UP_ID_MAX);
	if (!err)
		err = check_line(fault, "note", message->note, ACCOUNT_MESSAGE_NAME_MAX);
	if (!err && message->amount_microcents == 0)
		return fault_set(fault, WIRE_ERROR_INVALID_REQUEST,
				 "amount_microcents must not be 0");
	return err;
}

int account_message_parse_token(struct token_message *message, struct stream_fault *fault,
				char *text, size_t len)
{
	int err;

	*message = (struct token_message){.expires_in = ACCOUNT_MESSAGE_TOKEN_SECONDS};
	err = rest_body_parse(&message->body, fault, text, len, token_fields, COUNT(token_fields),
			      true);
	return err ? err : check_line(fault, "path", message->path, ACCOUNT_MESSAGE_PATH_MAX);
}
