/*
 * runtime_package.h: the package of ONNX Runtime, which runs neural voices and models that recognize
 * speech.
 */
#ifndef CLI_RUNTIME_PACKAGE_H
#define CLI_RUNTIME_PACKAGE_H

#include "cli/pinned_package.h"

/* The library, in the folder of voices or of models. */
#define RUNTIME_PACKAGE_FILE "libonnxruntime.so"

/* The package for this machine; NULL if none is published. */
const struct pinned_package *runtime_package_find(void);

#endif
