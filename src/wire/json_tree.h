/*
 * json_tree.h: a JSON object in memory, for documents that are merged and written again with keys
 * that nobody here knows.
 *
 * Messages are read with json.h, which needs no memory; this is for the configuration of resources.
 * A tree is refcounted and bounded: by the length of its text, JSON_TREE_NODES_MAX values, and the
 * depth that json.h allows.  Of several members with the same key, the last one counts.  Pure, for
 * any thread.
 */
#ifndef WIRE_JSON_TREE_H
#define WIRE_JSON_TREE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/json.h"
#include "wire/fault.h"
#include "wire/json_write.h"

/* Finding a member is linear, and merging quadratic: this many take milliseconds. */
#define JSON_TREE_NODES_MAX 4096u

struct json_node {
	/* The key in its object; NULL in a list.  Its text and that of the value end with a NUL. */
	const char *key;
	size_t key_len;
	struct json_value value; /* strings, numbers and booleans; of the others only the kind */
	struct json_node *child; /* the first member or element */
	struct json_node *next; /* in the same container */
};

struct json_tree;

/* Reads an object; the text is copied.  EINVAL with the fault filled in, ENOMEM. */
int json_tree_parse(struct json_tree **treep, struct stream_fault *fault, const char *text,
		    size_t len);
struct json_node *json_tree_root(struct json_tree *tree);

/* Returns the member of an object, or NULL.  A member whose value is null counts as absent. */
struct json_node *json_tree_get(const struct json_node *object, const char *key);

/* Removes a member of an object, if it is there. */
void json_tree_remove(struct json_node *object, const char *key);

/* Changes `object` by a patch (RFC 7396): objects are merged, null removes a member, any other value
 * replaces the old one.  Nodes of the patch become part of the object, so its tree must not be used
 * otherwise and must live as long. */
void json_tree_merge(struct json_node *object, struct json_node *patch);

/* Writes the members of an object into one that is open. */
void json_tree_write_members(struct json_write *json, const struct json_node *object);

#endif
