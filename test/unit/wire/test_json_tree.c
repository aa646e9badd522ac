/* JSON objects in memory. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/count.h"
#include "base/mem.h"
#include "wire/json_tree.h"

static struct json_tree *parse(const char *text)
{
	struct stream_fault fault = {0};
	struct json_tree *tree = NULL;

	if (json_tree_parse(&tree, &fault, text, strlen(text)) != 0)
		fail_msg("%s: %s", text, fault.detail);
	return tree;
}

static void assert_written(struct json_tree *tree, const char *expected)
{
	struct json_write json;
	struct buf out;

	buf_init(&out, 4096);
	json_write_open(&json, &out);
	json_tree_write_members(&json, json_tree_root(tree));
	assert_int_equal(json_write_close(&json), 0);
	buf_append(&out, "", 1);
	assert_string_equal(out.bytes, expected);
	buf_reset(&out);
}

static void what_is_read_is_written_again(void **state)
{
	static const char *const texts[] = {
		"{}",
		"{\"a\":[1,-2.50e3,true,null,\"x\\\"\\n\",{},[]],\"b\\\"\\\\\":{\"c\":{\"d\":false}}}",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(texts); ++i) {
		struct json_tree *tree = parse(texts[i]);

		assert_written(tree, texts[i]);
		mem_deref(tree);
	}
	assert_int_equal(mem_live(), 0);
}

static void the_last_of_equal_keys_counts(void **state)
{
	struct json_tree *tree = parse("{\"a\":{\"x\":1},\"b\":2,\"a\":[3]}");

	(void)state;
	assert_written(tree, "{\"a\":[3],\"b\":2}");
	mem_deref(tree);
}

static void members_are_found_unless_they_are_null(void **state)
{
	struct json_tree *tree = parse("{\"a\":null,\"ab\":\"x\"}");
	const struct json_node *root = json_tree_root(tree);

	(void)state;
	assert_null(json_tree_get(root, "a"));
	assert_null(json_tree_get(root, "b"));
	assert_string_equal(json_tree_get(root, "ab")->value.text, "x");
	json_tree_remove(json_tree_root(tree), "a");
	json_tree_remove(json_tree_root(tree), "none");
	assert_written(tree, "{\"ab\":\"x\"}");
	mem_deref(tree);
}

/* The examples of RFC 7396, among others. */
static void a_patch_is_merged(void **state)
{
	static const char *const cases[][3] = {
		{"{\"a\":\"b\"}", "{\"a\":\"c\"}", "{\"a\":\"c\"}"},
		{"{\"a\":\"b\"}", "{\"b\":\"c\"}", "{\"a\":\"b\",\"b\":\"c\"}"},
		{"{\"a\":\"b\"}", "{\"a\":null}", "{}"},
		{"{\"a\":\"b\",\"b\":\"c\"}", "{\"a\":null}", "{\"b\":\"c\"}"},
		{"{\"a\":[\"b\"]}", "{\"a\":\"c\"}", "{\"a\":\"c\"}"},
		{"{\"a\":\"c\"}", "{\"a\":[\"b\"]}", "{\"a\":[\"b\"]}"},
		{"{\"a\":{\"b\":\"c\"}}", "{\"a\":{\"b\":\"d\",\"c\":null}}",
		 "{\"a\":{\"b\":\"d\"}}"},
		{"{\"a\":[{\"b\":\"c\"}]}", "{\"a\":[1]}", "{\"a\":[1]}"},
		{"{\"e\":null}", "{\"a\":1}", "{\"e\":null,\"a\":1}"},
		{"{}", "{\"a\":{\"bb\":{\"ccc\":null}}}", "{\"a\":{\"bb\":{}}}"},
		{"{\"a\":1}", "{\"a\":{\"b\":null,\"c\":2}}", "{\"a\":{\"c\":2}}"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); ++i) {
		struct json_tree *tree = parse(cases[i][0]);
		struct json_tree *patch = parse(cases[i][1]);

		json_tree_merge(json_tree_root(tree), json_tree_root(patch));
		assert_written(tree, cases[i][2]);
		mem_deref(patch);
		mem_deref(tree);
	}
	assert_int_equal(mem_live(), 0);
}

static void what_is_broken_or_too_large_is_refused(void **state)
{
	static const char *const texts[] = {"", "[]", "3", "{\"a\":}", "{\"a\":1} x", "{\"a\":[1}"};
	struct stream_fault fault;
	struct json_tree *tree;
	struct buf many;

	(void)state;
	for (size_t i = 0; i < COUNT(texts); ++i) {
		fault = (struct stream_fault){0};
		assert_int_equal(json_tree_parse(&tree, &fault, texts[i], strlen(texts[i])),
				 EINVAL);
		assert_true(fault.detail[0]);
	}
	buf_init(&many, 1 << 20);
	buf_printf(&many, "{\"a\":[0");
	for (unsigned i = 0; i < JSON_TREE_NODES_MAX; ++i)
		buf_printf(&many, ",0");
	buf_printf(&many, "]}");
	assert_int_equal(json_tree_parse(&tree, &fault, many.bytes, many.len), EINVAL);
	assert_string_equal(fault.detail, "the object has more than 4096 values");
	buf_reset(&many);
	assert_int_equal(mem_live(), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_read_is_written_again),
		cmocka_unit_test(the_last_of_equal_keys_counts),
		cmocka_unit_test(members_are_found_unless_they_are_null),
		cmocka_unit_test(a_patch_is_merged),
		cmocka_unit_test(what_is_broken_or_too_large_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
