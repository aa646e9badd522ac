/*
 * json_tree.c: a JSON object in memory (see json_tree.h).
 */
#include "wire/json_tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct json_tree {
	char *text; /* the nodes point into it */
	size_t count;
	struct json_node root;
	struct json_node *nodes; /* JSON_TREE_NODES_MAX of them */
};

static void json_tree_destroy(void *object)
{
	struct json_tree *tree = object;

	free(tree->text);
	free(tree->nodes);
}

static struct json_node *json_tree_find(const struct json_node *object, const char *key, size_t len)
{
	for (struct json_node *node = object->child; node; node = node->next) {
		if (node->key_len == len && memcmp(node->key, key, len) == 0)
			return node;
	}
	return NULL;
}

/* Takes the next free node; NULL if there are too many. */
static struct json_node *json_tree_add(struct json_tree *tree)
{
	if (tree->count == JSON_TREE_NODES_MAX)
		return NULL;
	return &tree->nodes[tree->count++];
}

static int json_tree_read(struct json_tree *tree, struct json *json, struct json_node *node);

/* Reads the members or elements of a container whose bracket has been read.  E2BIG for too many. */
static int json_tree_read_children(struct json_tree *tree, struct json *json,
				   struct json_node *parent)
{
	bool is_object = parent->value.kind == JSON_KIND_OBJECT;
	struct json_node **end = &parent->child;
	struct json_value key = {0};
	int err = 0;

	while (!err && (is_object ? json_member(json, &key) : json_element(json))) {
		struct json_node *node =
			is_object ? json_tree_find(parent, key.text, key.len) : NULL;

		if (node) { /* the last of several members with the same key counts */
			node->child = NULL;
		} else {
			node = json_tree_add(tree);
			if (!node)
				return E2BIG;
			*end = node;
			end = &node->next;
		}
		if (is_object) {
			node->key = key.text;
			node->key_len = key.len;
		}
		err = json_tree_read(tree, json, node);
	}
	return err;
}

/* The depth is bounded by JSON_DEPTH_MAX. */
static int json_tree_read(struct json_tree *tree, struct json *json, struct json_node *node)
{
	int err = json_value(json, &node->value);

	if (!err && (node->value.kind == JSON_KIND_OBJECT || node->value.kind == JSON_KIND_ARRAY))
		err = json_tree_read_children(tree, json, node);
	return err;
}

/* The scanner needs the byte after a value, so texts are terminated when everything has been
 * read. */
static void json_tree_terminate(struct json_tree *tree)
{
	for (size_t i = 0; i < tree->count; ++i) {
		struct json_node *node = &tree->nodes[i];

		if (node->key)
			tree->text[node->key - tree->text + (ptrdiff_t)node->key_len] = '\0';
		if (node->value.kind == JSON_KIND_STRING || node->value.kind == JSON_KIND_NUMBER)
			node->value.text[node->value.len] = '\0';
	}
}

int json_tree_parse(struct json_tree **treep, struct stream_fault *fault, const char *text,
		    size_t len)
{
	struct json_tree *tree = mem_zalloc(sizeof(*tree), json_tree_destroy);
	struct json json;
	int err = ENOMEM;

	if (tree) {
		tree->text = malloc(len + 1);
		tree->nodes = calloc(JSON_TREE_NODES_MAX, sizeof(tree->nodes[0]));
	}
	if (!tree || !tree->text || !tree->nodes)
		goto out;
	memcpy(tree->text, text, len);
	json_open(&json, tree->text, len);
	err = json_tree_read(tree, &json, &tree->root);
	if (err == E2BIG)
		err = fault_set(fault, WIRE_ERROR_INVALID_REQUEST,
				"the object has more than %u values", JSON_TREE_NODES_MAX);
	else if (err || json_close(&json) != 0)
		err = fault_json(fault, &json);
	else if (tree->root.value.kind != JSON_KIND_OBJECT)
		err = fault_set(fault, WIRE_ERROR_INVALID_REQUEST, "the body must be an object");
	if (!err) {
		json_tree_terminate(tree);
		*treep = mem_ref(tree);
	}
out:
	mem_deref(tree);
	return err;
}

struct json_node *json_tree_root(struct json_tree *tree)
{
	return &tree->root;
}

struct json_node *json_tree_get(const struct json_node *object, const char *key)
{
	struct json_node *node = json_tree_find(object, key, strlen(key));

	return node && node->value.kind != JSON_KIND_NULL ? node : NULL;
}

void json_tree_remove(struct json_node *object, const char *key)
{
	struct json_node *node = json_tree_find(object, key, strlen(key));

	for (struct json_node **at = &object->child; node && *at; at = &(*at)->next) {
		if (*at == node) {
			*at = node->next;
			return;
		}
	}
}

/* Appends a node to an object. */
static void json_tree_append(struct json_node *object, struct json_node *node)
{
	struct json_node **end = &object->child;

	while (*end)
		end = &(*end)->next;
	node->next = NULL;
	*end = node;
}

void json_tree_merge(struct json_node *object, struct json_node *patch)
{
	struct json_node *next;

	for (struct json_node *node = patch->child; node; node = next) {
		bool is_object = node->value.kind == JSON_KIND_OBJECT;
		struct json_node *old;

		next = node->next;
		if (node->value.kind == JSON_KIND_NULL) {
			json_tree_remove(object, node->key);
			continue;
		}
		old = json_tree_find(object, node->key, node->key_len);
		if (old && (!is_object || old->value.kind != JSON_KIND_OBJECT)) {
			old->value = node->value;
			old->child = is_object ? NULL : node->child;
		} else if (!old) {
			struct json_node *members = node->child;

			old = node;
			json_tree_append(object, old);
			if (is_object) { /* also without the members of it that are null */
				old->child = NULL;
				json_tree_merge(old, &(struct json_node){.child = members});
			}
			continue;
		}
		if (is_object)
			json_tree_merge(old, node);
	}
}

static void json_tree_write(struct json_write *json, const struct json_node *node)
{
	switch (node->value.kind) {
	case JSON_KIND_NULL:
		json_write_null(json, NULL);
		break;
	case JSON_KIND_BOOL:
		json_write_bool(json, NULL, node->value.truth);
		break;
	case JSON_KIND_NUMBER:
		json_write_raw(json, NULL, node->value.text);
		break;
	case JSON_KIND_STRING:
		json_write_string(json, NULL, node->value.text, node->value.len);
		break;
	case JSON_KIND_ARRAY:
		json_write_list(json, NULL);
		for (const struct json_node *child = node->child; child; child = child->next)
			json_tree_write(json, child);
		json_write_list_end(json);
		break;
	case JSON_KIND_OBJECT:
		json_write_object(json, NULL);
		json_tree_write_members(json, node);
		json_write_object_end(json);
		break;
	}
}

void json_tree_write_members(struct json_write *json, const struct json_node *object)
{
	for (const struct json_node *node = object->child; node; node = node->next) {
		json_write_name(json, node->key, node->key_len);
		json_tree_write(json, node);
	}
}
