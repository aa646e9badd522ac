/*
 * runtime.h: ONNX Runtime, loaded with dlopen.
 *
 * The library is installed with the voices or models and may be missing, damaged or too old, which is
 * reported without ending the process. A runtime and a network are objects of base/mem.h; a
 * network keeps a reference to its runtime.
 *
 * A runtime and its networks are made on one thread. After that network_run can be called
 * from any number of threads at once, also for the same network: each call computes only on
 * the calling thread.
 */
#ifndef ENGINE_NEURAL_RUNTIME_H
#define ENGINE_NEURAL_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The runtime's file name in the folders of voices and models. */
#define RUNTIME_FILE "libonnxruntime.so"

/* An environment variable with the path of another runtime, such as a distribution's own. */
#define RUNTIME_VARIABLE "SYRINX_ENGINE_RUNTIME"

/* The size of a buffer for an error message. */
#define RUNTIME_WHY_SIZE 256

struct runtime;
struct network;

/* ENOENT: no such file. EINVAL: it is not ONNX Runtime, or too old. `why` is a reason for
 * people. */
int runtime_open(struct runtime **runtimep, const char *path, char why[RUNTIME_WHY_SIZE]);

/* Loads a graph. The bytes of the model are not needed afterwards. EINVAL: the runtime refuses
 * it; ENOMEM. */
int network_open(struct network **networkp, struct runtime *runtime, const void *bytes, size_t len,
		 char why[RUNTIME_WHY_SIZE]);

/* TENSOR_BOOL is supported only for inputs. */
enum tensor_type { TENSOR_F32, TENSOR_I64, TENSOR_BOOL };

#define TENSOR_RANK_MAX 4

/* Numbers with a shape. Those of an input are borrowed from the caller; those of an output
 * belong to the runtime until tensor_release. */
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
	void *value; /* the runtime's object that holds an output; NULL for an input */
	const void *owner; /* needed to release it */
};

/* The number of elements. */
size_t tensor_count(const struct tensor *tensor);

/* Computes outputs, of which the caller sets only the names, from inputs. On success every output
 * has its type, shape and numbers, and must be released with tensor_release; on failure there is
 * nothing to release. EINVAL: the runtime refused; ENOMEM. `why` is a reason for people. */
int network_run(const struct network *network, const struct tensor *inputs, size_t input_count,
		struct tensor *outputs, size_t output_count, char why[RUNTIME_WHY_SIZE]);

/* Also accepts a tensor that was never filled. */
void tensor_release(struct tensor *output);

#endif
