/*
 * downloads.h: downloads the neural voices, and the models that recognize speech, while the server is
 * already serving.
 *
 * Child processes, `syrinx voices fetch` and then `syrinx models fetch`, do the work; what they
 * install becomes available when it is in its folder, which is watched (see engines.h).  Each is
 * tried only once: a machine without a network continues with what it has.
 */
#ifndef SERVER_DOWNLOADS_H
#define SERVER_DOWNLOADS_H

#include <stdbool.h>

#include "loop/loop.h"
#include "server/config.h"

enum downloads_kind { DOWNLOADS_VOICES, DOWNLOADS_MODELS, DOWNLOADS_KINDS };

struct downloads;

/* Starts the downloads that the configuration asks for (speech.fetch_voices, hearing.fetch_models),
 * one after the other, if a folder lacks something and there is an engine that can use it; otherwise
 * *downloadsp stays NULL.  Models that are missing and not asked for are reported in the log.
 * Everything that happens is logged, and no failure keeps the server from serving. */
void downloads_start(struct downloads **downloadsp, struct loop *loop, const struct config *config);

/* Whether this download is changing its folder; false for NULL. */
bool downloads_is_running(const struct downloads *downloads, enum downloads_kind kind);

/* mem_deref ends the child, which removes what it has only partly downloaded. */

#endif
