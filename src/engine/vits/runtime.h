/*
 * runtime.h: ONNX Runtime, loaded while the program runs.
 *
 * The library is looked for where the voices are (it came with them) and may be
 * missing, damaged or too old, which costs a message and not the process.
 *
 * A runtime and its networks are made on one thread.  After that network_run
 * can be called from any number of threads at once, also on the same network:
 * each call computes on its caller's thread alone.
 */
#ifndef ENGINE_VITS_RUNTIME_H
#define ENGINE_VITS_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Room for what went wrong, in words. */
#define RUNTIME_WHY_SIZE 256

struct runtime;
struct network;

/* ENOENT: no such file.  EINVAL: it is no ONNX Runtime, or one that is too
 * old.  `why` says it for people. */
int runtime_open(struct runtime **runtimep, const char *path, char why[RUNTIME_WHY_SIZE]);

/* A graph that is ready to run.  The bytes of the model are not needed any more
 * afterwards.  EINVAL: the runtime refuses it; ENOMEM. */
int network_open(struct network **networkp, struct runtime *runtime, const void *bytes, size_t len,
		 char why[RUNTIME_WHY_SIZE]);

/* Truth values can be given to a network; none that we use gives any. */
enum tensor_type { TENSOR_F32, TENSOR_I64, TENSOR_BOOL };

#define TENSOR_RANK_MAX 4

/* Numbers with a shape.  As an input they are lent by the caller; as an output
 * they are the runtime's until tensor_release. */
struct tensor {
	const char *name;
	enum tensor_type type;
	unsigned rank;
	int64_t dims[TENSOR_RANK_MAX];
	union {
		float *f32;
		int64_t *i64;
		bool *truth;
	};
	void *value; /* the runtime's object behind an output; NULL for an input */
	const void *owner; /* how it is released */
};

/* How many numbers it holds. */
size_t tensor_count(const struct tensor *tensor);

/* Computes the named outputs from the named inputs.  On success every output
 * has its type, shape and numbers; on failure none has anything to release.
 * EINVAL: the runtime refused; ENOMEM.  `why` as above. */
int network_run(const struct network *network, const struct tensor *inputs, size_t input_count,
		struct tensor *outputs, size_t output_count, char why[RUNTIME_WHY_SIZE]);

/* NULL-safe for one that was never filled. */
void tensor_release(struct tensor *output);

#endif
