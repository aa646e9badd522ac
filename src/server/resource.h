/*
 * resource.h: objects that REST clients list, get, add, change and remove; one table row for each
 * type.
 *
 * A row says how a type differs from the others: where its objects come from, how a request body
 * becomes one, what is refused and with which message.  Its functions run on the store's thread
 * (see store_request.h).  The order of steps, the errors, statuses and the format of answers are
 * the same for all types and are implemented here.
 *
 *	GET    /things       200  {"things":[{…},…],…}
 *	GET    /things/{id}  200  {…}
 *	POST   /things       201  {…}
 *	PATCH  /things/{id}  200  {…}
 *	DELETE /things/{id}  200  {"deleted":true}, or the object if it stays
 */
#ifndef SERVER_RESOURCE_H
#define SERVER_RESOURCE_H

#include "server/store_request.h"

enum resource_paging {
	RESOURCE_WHOLE, /* no paging, because there are few objects */
	/* ?after=&limit= and `next`; objects are listed in the order of their ids */
	RESOURCE_BY_ID,
	RESOURCE_BY_OFFSET, /* the page of store_request, and `total`, `limit` and `offset` */
};

/* How an error of the store is reported to the client.  Tables end with err 0. */
struct resource_refusal {
	int err;
	enum wire_error_id id;
	const char *detail;
};

/* Turns a numeric macro into a string literal, for details. */
#define RESOURCE_DIGITS(number) #number
#define RESOURCE_NUMBER(number) RESOURCE_DIGITS(number)

/* Writes objects into the answer. */
struct resource_rows {
	struct store_request *request;
	struct json_write *json;
	bool is_list; /* a list; otherwise the members of a single object */
	bool is_open; /* an object of the list has been opened and not yet closed */
	int64_t after, left, last; /* used by RESOURCE_BY_ID */
	bool has_more;
};

/* Shows the rows that the request may see: all of them, or the one that its path names (else
 * ENOENT). */
typedef int(resource_show_h)(struct store_request *request, struct store *store,
			     struct resource_rows *rows);

struct resource {
	const struct store_subject *subject;
	const char *name; /* the key of the list in an answer */
	enum resource_paging paging;
	const struct resource_refusal *refusals;

	/* Called before a list is made: finds the object that the listed ones belong to. */
	store_request_h *scope;
	resource_show_h *list;
	int (*count)(struct store_request *request, struct store *store, int64_t *total);
	/* Also writes the answer to `write`, which leaves the id of a new object in call.ids.
	 * NULL: `write` writes its own answer. */
	resource_show_h *get;
	/* Reads the body, and adds an object to the store or changes the one that the path
	 * names. */
	int (*write)(struct store_request *request, struct store *store, bool is_new);
	store_request_h *remove;
	bool is_kept; /* a removed object stays in the store and is shown in the answer */
};

/* Handlers of routes whose `resource` is set.  They run on the loop's thread. */
route_h resource_list, resource_get, resource_add, resource_change, resource_remove;

/* Answers immediately with an object from memory, whose members are written by `write`. */
typedef void(resource_write_h)(struct json_write *json, const struct route_call *call,
			       const void *arg);
void resource_answer(const struct route_call *call, int status, resource_write_h *write,
		     const void *arg);

/* The following are for a resource's functions, on the store's thread. */

/* A row's members are written between these two calls.  resource_begin_row returns whether the row
 * is to be shown, and resource_end_row whether more rows are wanted. */
bool resource_begin_row(struct resource_rows *rows, int64_t id);
bool resource_end_row(struct resource_rows *rows);

/* Looks the error up in the table: returns EINVAL with the request's fault filled in, or err itself
 * if it is not in the table. */
int resource_refuse(struct store_request *request, const struct resource_refusal *refusals,
		    int err);

/* A master key sees every account, any other key only its own. */
bool resource_sees_account(const struct store_request *request, int64_t account_id);
int resource_need_master(struct store_request *request);

#endif
