/*
 * account_form.h: reads the request bodies that create or change accounts, projects, keys, top-ups
 * and tokens into rows of the store.
 *
 * Before a form is read, its row holds the values that apply where the body has none: the stored
 * row for a change, or the defaults of a new object.  The rest of the form is zero.  A form's
 * strings point into the body, which is overwritten, and end with a NUL; the strings of its row are
 * copies.
 */
#ifndef SERVER_ACCOUNT_FORM_H
#define SERVER_ACCOUNT_FORM_H

#include "store/store.h"
#include "wire/rest_body.h"

/* Ten years.  A key that should be valid for longer can be made without an expiry date. */
#define ACCOUNT_FORM_EXPIRES_IN_MAX (10 * 366 * 86400)

/* Bits in rest_body.fields.  Those below ACCOUNT_FORM_OTHER are fields of a store row; the others
 * exist only in the body. */
enum {
	ACCOUNT_FORM_OTHER = 1 << 15, /* any field without a bit of its own */
	/* The first of the limits in REGISTRY_LIMITS; the others follow it. */
	ACCOUNT_FORM_LIMIT = 1 << 16,
	ACCOUNT_FORM_EXPIRES_IN = 1 << 24,
	ACCOUNT_FORM_ROW = ACCOUNT_FORM_OTHER - 1, /* mask of the bits that are fields of a row */
};

struct account_form {
	struct rest_body body;
	struct store_account row;
	const char *name, *plan;
	bool is_closed;
};

struct project_form {
	struct rest_body body;
	struct store_project row; /* account_id 0 means the account of the request's key */
	const char *name;
};

struct key_form {
	struct rest_body body;
	/* In a new key, account_id 0 means the account of the request's key, and project_id 0 means
	 * the account's first project. */
	struct store_key row;
	const char *name, *expires_at;
	int64_t expires_in; /* seconds */
	struct rest_words scopes;
};

struct top_up_form {
	struct rest_body body;
	struct store_top_up row;
	const char *id, *note;
};

struct token_form {
	struct rest_body body;
	struct store_token row;
	const char *path;
	int64_t expires_in; /* in seconds; the caller sets the default before reading */
};

/* The keys of the bodies, which the descriptions of the API also use. */
extern const struct rest_form account_form_table, account_form_project_table,
	account_form_key_table, account_form_key_change_table, account_form_top_up_table,
	account_form_token_table;

/* Read a body.  With is_new, the required keys must be present; otherwise it is a change.  Return
 * EINVAL with the fault filled in. */
int account_form_read(struct account_form *form, struct stream_fault *fault, char *text, size_t len,
		      bool is_new);
int account_form_read_project(struct project_form *form, struct stream_fault *fault, char *text,
			      size_t len);
int account_form_read_key(struct key_form *form, struct stream_fault *fault, char *text, size_t len,
			  bool is_new);
int account_form_read_top_up(struct top_up_form *form, struct stream_fault *fault, char *text,
			     size_t len);
int account_form_read_token(struct token_form *form, struct stream_fault *fault, char *text,
			    size_t len);

#endif
