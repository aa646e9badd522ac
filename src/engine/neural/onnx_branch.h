/*
 * onnx_branch.h: replaces an If by one of its branches.
 *
 * Some models hold two in one: a decoder for its first step and for the others, a detector for two
 * sample rates. Whoever knows which one is needed runs only that one: the runtime can optimize it as
 * a whole, and its inner values can become outputs.
 */
#ifndef ENGINE_NEURAL_ONNX_BRANCH_H
#define ENGINE_NEURAL_ONNX_BRANCH_H

#include "engine/neural/onnx.h"

/* Writes the model with the nodes and weights of that branch ("then_branch" or "else_branch") of an
 * If instead of the If. The bytes are malloc'ed. Nothing is removed that nobody needs any more: see
 * onnx_extract. EINVAL: the node is no If, or it has no such branch with as many outputs. ENOMEM. */
int onnx_branch(const struct onnx *onnx, const struct onnx_node *node, const char *branch,
		char **bytesp, size_t *lenp);

#endif
