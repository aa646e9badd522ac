/*
 * ears.h: models that tests of an engine that listens run on.
 */
#ifndef TEST_ENGINE_HEAR_EARS_H
#define TEST_ENGINE_HEAR_EARS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/neural/runtime.h"

/* ONNX Runtime: $SYRINX_ENGINE_RUNTIME, or where models and voices are installed. NULL: there is none,
 * and the reason was printed. */
struct runtime *ears_open_runtime(void);

/* The path of a file of the tiny models, which the build made (tools/tiny-ears). */
void ears_tiny(char path[PATH_MAX], const char *name);

/* The path of an installed model; false: it is not there, and the reason was printed. */
bool ears_installed(char path[PATH_MAX], const char *model);

/* A file's bytes, malloc'ed; the test fails when it cannot be read. */
char *ears_read(const char *path, size_t *len);

/* Audio that the tiny recognizer reads as these tokens, 384 samples each; see tools/tiny-ears. The
 * samples are malloc'ed. */
#define EARS_FRAME 384u
float *ears_speak(const unsigned *tokens, size_t count);

#endif
