/*
 * model_files.h: whether the models that recognize speech are installed.
 *
 * Looks only at which files there are, so that a server can say what is missing before, and even if
 * no engine has looked.  Blocks for a few system calls.
 */
#ifndef SERVER_MODEL_FILES_H
#define SERVER_MODEL_FILES_H

#include <stdbool.h>

#include "server/config.h"

/* Room for what is missing, in words. */
#define MODEL_FILES_TEXT_SIZE 128

/* The command that installs what is missing. */
#define MODEL_FILES_COMMAND "syrinx models fetch"

/* Whether anything is missing that listening needs: the library that runs models, the voice activity
 * detector, or every model that recognizes speech.  `missing` says what, such as "ONNX Runtime and
 * silero-vad", without naming a folder; "" if nothing is. */
bool model_files_find_missing(char missing[MODEL_FILES_TEXT_SIZE], const struct config *config);

#endif
