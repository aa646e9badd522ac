/*
 * model_text.h: ONNX models written down in lines, for tests of graphs.
 *
 *   input NAME            float, of rank 3
 *   output NAME
 *   weight NAME           a float
 *   weight NAME LEN       one that says it is a list of so many
 *   table NAME TYPE R C   a weight of R × C numbers of 8 bits: 1, 2, … 251, 1, …
 *   value NAME TYPE       what is said about a value; TYPE is ONNX's number
 *   value NAME TYPE RANK  the same of one that is not of rank 3
 *   Mul a b -> c          a node; values in order, "_" for one left out
 *   If a -> c | d e       one with a graph inside, in which a node reads d, e
 *   then LINE             a line of the graph of the If before it, if the condition is true,
 *   else LINE             or false
 *   Cast a -> b @to=1     with an attribute: a whole number,
 *   Random a -> b @scale=0.5    or one with a point in it
 *
 * An empty line is skipped.
 */
#ifndef TEST_ENGINE_NEURAL_MODEL_TEXT_H
#define TEST_ENGINE_NEURAL_MODEL_TEXT_H

#include "base/buf.h"

/* Fills the buffer, which must have been made, with the model's file. */
void model_text_write(struct buf *file, const char *text);

/* One message inside another, for tests of odd files: fields into `out`. */
void model_text_bytes(struct buf *out, unsigned number, const void *bytes, size_t len);
void model_text_number(struct buf *out, unsigned number, unsigned long long value);

#endif
