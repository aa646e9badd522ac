/*
 * account_message.h: what an operator may say of accounts, projects, keys, top-ups
 * and tokens over REST.
 *
 * Strings point into the body, which is overwritten, and end with a NUL.
 */
#ifndef WIRE_ACCOUNT_MESSAGE_H
#define WIRE_ACCOUNT_MESSAGE_H

#include "wire/rest_body.h"

#define ACCOUNT_MESSAGE_NAME_MAX 64 /* bytes, as all that follow */
#define ACCOUNT_MESSAGE_TOP_UP_ID_MAX 40
#define ACCOUNT_MESSAGE_PATH_MAX 127

/* More than anyone counts, and a minute's worth in thousandths of a millisecond
 * still fits 64 bits. */
#define ACCOUNT_MESSAGE_LIMIT_MAX 1000000000

/* Larger numbers are not exact in programs whose numbers are doubles. */
#define ACCOUNT_MESSAGE_AMOUNT_MAX INT64_C(9007199254740991)

/* A token that lives longer is a key. */
#define ACCOUNT_MESSAGE_TOKEN_SECONDS 60
#define ACCOUNT_MESSAGE_TOKEN_SECONDS_MAX 3600

/* Ten years: who wants more wants no end. */
#define ACCOUNT_MESSAGE_EXPIRES_IN_MAX (10 * 366 * 86400)

/* -1: none, whatever the plan says. */
#define ACCOUNT_MESSAGE_NO_LIMIT (-1)
/* null: the plan's, of an account; of a key none. */
#define ACCOUNT_MESSAGE_OF_PLAN (-2)

enum {
	ACCOUNT_MESSAGE_TURNS = 1 << 0,
	ACCOUNT_MESSAGE_CONNECTIONS = 1 << 1,
	ACCOUNT_MESSAGE_REQUESTS = 1 << 2,
	ACCOUNT_MESSAGE_CHARACTERS = 1 << 3,
	ACCOUNT_MESSAGE_TEXT = 1 << 4,
	ACCOUNT_MESSAGE_LIMITS = 1 << 5,
	ACCOUNT_MESSAGE_NAME = 1 << 6,
	ACCOUNT_MESSAGE_PLAN = 1 << 7,
	ACCOUNT_MESSAGE_PREPAID = 1 << 8,
	ACCOUNT_MESSAGE_CLOSED = 1 << 9,
	ACCOUNT_MESSAGE_ACCOUNT = 1 << 10,
	ACCOUNT_MESSAGE_PROJECT = 1 << 11,
	ACCOUNT_MESSAGE_SCOPES = 1 << 12,
	ACCOUNT_MESSAGE_CREDIT = 1 << 13,
	ACCOUNT_MESSAGE_EXPIRES_AT = 1 << 14,
	ACCOUNT_MESSAGE_EXPIRES_IN = 1 << 15,
	ACCOUNT_MESSAGE_ID = 1 << 16,
	ACCOUNT_MESSAGE_AMOUNT = 1 << 17,
	ACCOUNT_MESSAGE_NOTE = 1 << 18,
	ACCOUNT_MESSAGE_PATH = 1 << 19,
};

/* Those that were not given are ACCOUNT_MESSAGE_OF_PLAN. */
struct limits_message {
	int64_t turns, connections, requests_per_minute, characters_per_minute, text_max;
};

struct account_message {
	struct rest_body body;
	struct limits_message limits;
	const char *name;
	const char *plan; /* NULL: the default one */
	bool is_prepaid;
	bool is_closed;
};

struct project_message {
	struct rest_body body;
	const char *name;
	int64_t account_id; /* 0: whose key it is */
};

struct key_message {
	struct rest_body body;
	struct limits_message limits;
	const char *name; /* NULL: none */
	int64_t account_id; /* 0: whose key it is */
	int64_t project_id; /* 0: the account's first */
	struct rest_words scopes;
	int64_t credit_cents; /* -1: no limit */
	const char *expires_at; /* NULL: never; not looked at yet */
	int64_t expires_in; /* seconds */
};

struct top_up_message {
	struct rest_body body;
	const char *id;
	int64_t amount_microcents; /* not 0 */
	const char *note; /* NULL: none */
};

struct token_message {
	struct rest_body body;
	const char *path;
	int64_t expires_in; /* seconds */
};

extern const struct rest_table account_message_table, account_message_project_table,
	account_message_key_table, account_message_key_change_table, account_message_top_up_table,
	account_message_token_table;

/* A new one, with all that is required, or a change.  EINVAL with the fault
 * filled in. */
int account_message_parse(struct account_message *message, struct stream_fault *fault, char *text,
			  size_t len, bool is_new);
int account_message_parse_project(struct project_message *message, struct stream_fault *fault,
				  char *text, size_t len);
int account_message_parse_key(struct key_message *message, struct stream_fault *fault, char *text,
			      size_t len, bool is_new);
int account_message_parse_top_up(struct top_up_message *message, struct stream_fault *fault,
				 char *text, size_t len);
int account_message_parse_token(struct token_message *message, struct stream_fault *fault,
				char *text, size_t len);

#endif
