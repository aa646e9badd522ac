/*
 * model_text.c: ONNX models written down in lines (see model_text.h).
 *
 * It has a writer of its own, not the engine's: a mistake there must not be
 * repeated here.
 */
#include "model_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define RANK 3 /* of a value of which nothing else is said */
#define LINE_MAX_LEN 512
#define MESSAGE_MAX (1 << 20)

static void put_number(struct buf *out, unsigned long long value)
{
	do {
		char byte = (char)((value & 0x7f) | (value > 0x7f ? 0x80 : 0));

		assert_int_equal(buf_append(out, &byte, 1), 0);
		value >>= 7;
	} while (value > 0);
}

void model_text_number(struct buf *out, unsigned number, unsigned long long value)
{
	put_number(out, (unsigned long long)number << 3);
	put_number(out, value);
}

void model_text_bytes(struct buf *out, unsigned number, const void *bytes, size_t len)
{
	put_number(out, (unsigned long long)number << 3 | 2);
	put_number(out, len);
	assert_int_equal(buf_append(out, bytes, len), 0);
}

static void put_string(struct buf *out, unsigned number, const char *str)
{
	model_text_bytes(out, number, str, strlen(str));
}

static void put_message(struct buf *out, unsigned number, struct buf *message)
{
	model_text_bytes(out, number, message->bytes, message->len);
	buf_reset(message);
}

static void put_attribute(struct buf *node, char *text)
{
	char *value = strchr(text, '=');
	struct buf attribute;

	assert_non_null(value);
	*value++ = '\0';
	buf_init(&attribute, MESSAGE_MAX);
	put_string(&attribute, 1, text);
	if (strchr(value, '.')) {
		float number = strtof(value, NULL);

		put_number(&attribute, 2 << 3 | 5);
		assert_int_equal(buf_append(&attribute, &number, sizeof(number)), 0);
	} else {
		model_text_number(&attribute, 3, strtoull(value, NULL, 10));
	}
	put_message(node, 5, &attribute);
}

/* A graph with one node that reads all these. */
static void put_inner_graph(struct buf *node, char **rest)
{
	struct buf inner;
	struct buf graph;
	struct buf attribute;
	const char *word;

	buf_init(&inner, MESSAGE_MAX);
	buf_init(&graph, MESSAGE_MAX);
	buf_init(&attribute, MESSAGE_MAX);
	while ((word = strtok_r(NULL, " ", rest)))
		put_string(&inner, 1, word);
	put_string(&inner, 4, "Sum");
	put_message(&graph, 1, &inner);
	put_string(&attribute, 1, "then_branch");
	put_message(&attribute, 6, &graph);
	put_message(node, 5, &attribute);
}

static void put_node(struct buf *graph, const char *op, char **rest)
{
	unsigned field = 1; /* inputs, then outputs */
	struct buf node;
	char *word;

	buf_init(&node, MESSAGE_MAX);
	while ((word = strtok_r(NULL, " ", rest))) {
		if (strcmp(word, "->") == 0)
			field = 2;
		else if (word[0] == '@')
			put_attribute(&node, word + 1);
		else if (word[0] == '|')
			put_inner_graph(&node, rest);
		else
			put_string(&node, field, strcmp(word, "_") == 0 ? "" : word);
	}
	put_string(&node, 4, op);
	put_message(graph, 1, &node);
}

/* Without a length it has no dimension. */
static void put_weight(struct buf *graph, const char *name, const char *len)
{
	static const float value = 1;
	struct buf tensor;

	buf_init(&tensor, MESSAGE_MAX);
	if (len)
		model_text_number(&tensor, 1, strtoull(len, NULL, 10));
	model_text_number(&tensor, 2, 1);
	put_string(&tensor, 8, name);
	model_text_bytes(&tensor, 9, &value, sizeof(value));
	put_message(graph, 5, &tensor);
}

static void put_value(struct buf *graph, unsigned field, const char *name, unsigned elem_type,
		      unsigned rank)
{
	struct buf shape;
	struct buf tensor;
	struct buf type;
	struct buf value;

	buf_init(&shape, MESSAGE_MAX);
	buf_init(&tensor, MESSAGE_MAX);
	buf_init(&type, MESSAGE_MAX);
	buf_init(&value, MESSAGE_MAX);
	for (unsigned i = 0; i < rank; ++i)
		model_text_bytes(&shape, 1, "", 0);
	model_text_number(&tensor, 1, elem_type);
	put_message(&tensor, 2, &shape);
	put_message(&type, 1, &tensor);
	put_string(&value, 1, name);
	put_message(&value, 2, &type);
	put_message(graph, field, &value);
}

static void put_line(struct buf *graph, char *line)
{
	char *rest = NULL;
	const char *word = strtok_r(line, " ", &rest);

	if (!word)
		return;
	if (strcmp(word, "input") == 0)
		put_value(graph, 11, strtok_r(NULL, " ", &rest), 1, RANK);
	else if (strcmp(word, "output") == 0)
		put_value(graph, 12, strtok_r(NULL, " ", &rest), 1, RANK);
	else if (strcmp(word, "weight") == 0) {
		const char *name = strtok_r(NULL, " ", &rest);

		put_weight(graph, name, strtok_r(NULL, " ", &rest));
	} else if (strcmp(word, "value") == 0) {
		const char *name = strtok_r(NULL, " ", &rest);

		unsigned elem_type = (unsigned)strtoul(rest, &rest, 10);
		unsigned rank = (unsigned)strtoul(rest, NULL, 10);

		put_value(graph, 13, name, elem_type, rank ? rank : RANK);
	} else
		put_node(graph, word, &rest);
}

void model_text_write(struct buf *file, const char *text)
{
	struct buf graph;

	buf_init(&graph, MESSAGE_MAX);
	while (*text) {
		size_t len = strcspn(text, "\n");
		char line[LINE_MAX_LEN];

		assert_true(len < sizeof(line));
		memcpy(line, text, len);
		line[len] = '\0';
		put_line(&graph, line);
		text += len + (text[len] == '\n');
	}
	model_text_number(file, 1, 8);
	put_message(file, 7, &graph);
}
