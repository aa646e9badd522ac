/*
 * voice_files.h: models that tests run on.
 */
#ifndef TEST_ENGINE_NEURAL_VOICE_FILES_H
#define TEST_ENGINE_NEURAL_VOICE_FILES_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/* Where a tiny voice is ("tiny.onnx"), which the build made. */
void voice_files_tiny(char path[PATH_MAX], const char *name);

/* The folder of real voices: $SYRINX_VOICES, or where they are installed. */
void voice_files_folder(char path[PATH_MAX]);

/* The n-th real model there (from 0); false: there are no more. */
bool voice_files_installed(char path[PATH_MAX], size_t n);

/* A file's bytes, malloc'ed; the test fails when it cannot be read. */
char *voice_files_read(const char *path, size_t *len);

#endif
