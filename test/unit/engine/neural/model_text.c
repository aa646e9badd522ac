/*
 * model_text.c: ONNX models written down in lines (see model_text.h).
 *
 * It has a writer of its own, not the engine's: a mistake there must not be
 * repeated here.
 */
#include "model_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define RANK 3 /* of a value of which nothing else is said */
#define LINE_MAX_LEN 512
#define MESSAGE_MAX (1 << 20)

static void model_text_put_number(struct buf *out, unsigned long long value)
{
	do {
		char byte = (char)((value & 0x7f) | (value > 0x7f ? 0x80 : 0));

		assert_int_equal(buf_append(out, &byte, 1), 0);
		value >>= 7;
	} while (value > 0);
}

void model_text_number(struct buf *out, unsigned number, unsigned long long value)
{
	model_text_put_number(out, (unsigned long long)number << 3);
	model_text_put_number(out, value);
}

void model_text_bytes(struct buf *out, unsigned number, const void *bytes, size_t len)
{
	model_text_put_number(out, (unsigned long long)number << 3 | 2);
	model_text_put_number(out, len);
	assert_int_equal(buf_append(out, bytes, len), 0);
}

static void model_text_put_string(struct buf *out, unsigned number, const char *str)
{
	model_text_bytes(out, number, str, strlen(str));
}

static void model_text_put_message(struct buf *out, unsigned number, struct buf *message)
{
	model_text_bytes(out, number, message->bytes, message->len);
	buf_reset(message);
}

static void model_text_put_attribute(struct buf *node, char *text)
{
	char *value = strchr(text, '=');
	struct buf attribute;

	assert_non_null(value);
	*value++ = '\0';
	buf_init(&attribute, MESSAGE_MAX);
	model_text_put_string(&attribute, 1, text);
	if (strchr(value, '.')) {
		float number = strtof(value, NULL);

		model_text_put_number(&attribute, 2 << 3 | 5);
		assert_int_equal(buf_append(&attribute, &number, sizeof(number)), 0);
	} else {
		model_text_number(&attribute, 3, strtoull(value, NULL, 10));
	}
	model_text_put_message(node, 5, &attribute);
}

/* A graph with one node that reads all these. */
static void model_text_put_inner_graph(struct buf *node, char **rest)
{
	struct buf inner;
	struct buf graph;
	struct buf attribute;
	const char *word;

	buf_init(&inner, MESSAGE_MAX);
	buf_init(&graph, MESSAGE_MAX);
	buf_init(&attribute, MESSAGE_MAX);
	while ((word = strtok_r(NULL, " ", rest)))
		model_text_put_string(&inner, 1, word);
	model_text_put_string(&inner, 4, "Sum");
	model_text_put_message(&graph, 1, &inner);
	model_text_put_string(&attribute, 1, "then_branch");
	model_text_put_message(&attribute, 6, &graph);
	model_text_put_message(node, 5, &attribute);
}

/* A node without its end, because branches may follow. */
static void model_text_put_node(struct buf *node, const char *op, char **rest)
{
	unsigned field = 1; /* inputs, then outputs */
	char *word;

	while ((word = strtok_r(NULL, " ", rest))) {
		if (strcmp(word, "->") == 0)
			field = 2;
		else if (word[0] == '@')
			model_text_put_attribute(node, word + 1);
		else if (word[0] == '|')
			model_text_put_inner_graph(node, rest);
		else
			model_text_put_string(node, field, strcmp(word, "_") == 0 ? "" : word);
	}
	model_text_put_string(node, 4, op);
}

static void model_text_put_branch(struct buf *node, const char *name, struct buf *graph)
{
	struct buf attribute;

	if (graph->len == 0)
		return;
	buf_init(&attribute, MESSAGE_MAX);
	model_text_put_string(&attribute, 1, name);
	model_text_put_message(&attribute, 6, graph);
	model_text_put_message(node, 5, &attribute);
}

/* Without a length it has no dimension. */
static void model_text_put_weight(struct buf *graph, const char *name, const char *len)
{
	static const float value = 1;
	struct buf tensor;

	buf_init(&tensor, MESSAGE_MAX);
	if (len)
		model_text_number(&tensor, 1, strtoull(len, NULL, 10));
	model_text_number(&tensor, 2, 1);
	model_text_put_string(&tensor, 8, name);
	model_text_bytes(&tensor, 9, &value, sizeof(value));
	model_text_put_message(graph, 5, &tensor);
}

/* Numbers of 8 bits that count up from 1, beginning again after 251. */
static void model_text_put_table(struct buf *graph, const char *name, char **rest)
{
	unsigned elem_type = (unsigned)strtoul(*rest, rest, 10);
	size_t rows = strtoul(*rest, rest, 10);
	size_t columns = strtoul(*rest, rest, 10);
	struct buf tensor;
	struct buf numbers;

	buf_init(&tensor, MESSAGE_MAX);
	buf_init(&numbers, MESSAGE_MAX);
	for (size_t i = 0; i < rows * columns; ++i) {
		char number = (char)(1 + i % 251);

		assert_int_equal(buf_append(&numbers, &number, 1), 0);
	}
	model_text_number(&tensor, 1, rows);
	model_text_number(&tensor, 1, columns);
	model_text_number(&tensor, 2, elem_type);
	model_text_put_string(&tensor, 8, name);
	model_text_put_message(&tensor, 9, &numbers);
	model_text_put_message(graph, 5, &tensor);
}

static void model_text_put_value(struct buf *graph, unsigned field, const char *name,
				 unsigned elem_type, unsigned rank)
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
	model_text_put_message(&tensor, 2, &shape);
	model_text_put_message(&type, 1, &tensor);
	model_text_put_string(&value, 1, name);
	model_text_put_message(&value, 2, &type);
	model_text_put_message(graph, field, &value);
}

/* A graph, and the node at its end, which later lines may extend. */
struct model_text_writer {
	struct buf graph;
	struct buf node;
	struct buf then_graph, else_graph;
};

static void model_text_end_node(struct model_text_writer *writer)
{
	if (writer->node.len == 0)
		return;
	model_text_put_branch(&writer->node, "then_branch", &writer->then_graph);
	model_text_put_branch(&writer->node, "else_branch", &writer->else_graph);
	model_text_put_message(&writer->graph, 1, &writer->node);
}

static void model_text_put_part(struct buf *graph, const char *kind, char **rest)
{
	const char *name = strtok_r(NULL, " ", rest);

	if (strcmp(kind, "input") == 0)
		model_text_put_value(graph, 11, name, 1, RANK);
	else if (strcmp(kind, "output") == 0)
		model_text_put_value(graph, 12, name, 1, RANK);
	else if (strcmp(kind, "weight") == 0)
		model_text_put_weight(graph, name, strtok_r(NULL, " ", rest));
	else if (strcmp(kind, "table") == 0)
		model_text_put_table(graph, name, rest);
	else {
		unsigned elem_type = (unsigned)strtoul(*rest, rest, 10);
		unsigned rank = (unsigned)strtoul(*rest, NULL, 10);

		model_text_put_value(graph, 13, name, elem_type, rank ? rank : RANK);
	}
}

static bool model_text_is_part(const char *word)
{
	return strcmp(word, "input") == 0 || strcmp(word, "output") == 0 ||
	       strcmp(word, "weight") == 0 || strcmp(word, "table") == 0 ||
	       strcmp(word, "value") == 0;
}

/* A line of a branch; the graphs of branches have no branches. */
static void model_text_put_branch_line(struct buf *graph, char **rest)
{
	const char *word = strtok_r(NULL, " ", rest);
	struct buf node;

	if (model_text_is_part(word)) {
		model_text_put_part(graph, word, rest);
		return;
	}
	buf_init(&node, MESSAGE_MAX);
	model_text_put_node(&node, word, rest);
	model_text_put_message(graph, 1, &node);
}

static void model_text_put_line(struct model_text_writer *writer, char *line)
{
	char *rest = NULL;
	const char *word = strtok_r(line, " ", &rest);

	if (!word)
		return;
	if (strcmp(word, "then") == 0) {
		model_text_put_branch_line(&writer->then_graph, &rest);
	} else if (strcmp(word, "else") == 0) {
		model_text_put_branch_line(&writer->else_graph, &rest);
	} else if (model_text_is_part(word)) {
		model_text_put_part(&writer->graph, word, &rest);
	} else {
		model_text_end_node(writer);
		model_text_put_node(&writer->node, word, &rest);
	}
}

void model_text_write(struct buf *file, const char *text)
{
	struct model_text_writer writer;

	buf_init(&writer.graph, MESSAGE_MAX);
	buf_init(&writer.node, MESSAGE_MAX);
	buf_init(&writer.then_graph, MESSAGE_MAX);
	buf_init(&writer.else_graph, MESSAGE_MAX);
	while (*text) {
		size_t len = strcspn(text, "\n");
		char line[LINE_MAX_LEN];

		assert_true(len < sizeof(line));
		memcpy(line, text, len);
		line[len] = '\0';
		model_text_put_line(&writer, line);
		text += len + (text[len] == '\n');
	}
	model_text_end_node(&writer);
	model_text_number(file, 1, 8);
	model_text_put_message(file, 7, &writer.graph);
}
