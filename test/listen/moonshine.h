/*
 * moonshine.h: speech to text with Moonshine's tiny English model.
 *
 * Runs on the caller's thread.  The folder holds encoder_model.onnx,
 * decoder_model_merged.onnx and vocabulary.txt (one token a line), which
 * test/listen/fetch puts there.
 */
#ifndef LISTEN_MOONSHINE_H
#define LISTEN_MOONSHINE_H

#include <stddef.h>

#include "base/buf.h"
#include "engine/vits/runtime.h"

/* What it was trained to hear. */
#define MOONSHINE_RATE 16000

struct moonshine;

/* An object of base/mem.h.  An errno of the file system, ENOMEM, or EINVAL when
 * the runtime refuses the model; `why` says more. */
int moonshine_open(struct moonshine **moonshinep, struct runtime *runtime, const char *folder,
		   char why[RUNTIME_WHY_SIZE]);

/* Appends what it understood, without a blank before or after.  Samples are
 * −1 to 1. */
int moonshine_listen(struct moonshine *moonshine, struct buf *text, float *samples, size_t count,
		     char why[RUNTIME_WHY_SIZE]);

#endif
