/*
 * installed.h: the engine programs in a directory.
 *
 * What an engine does is known from the name of its program, before it is started:
 *
 *   syrinx-NAME       speaks
 *   syrinx-hear       listens, as does syrinx-hear-NAME
 *   syrinx-decode     decodes files
 */
#ifndef WORKERS_INSTALLED_H
#define WORKERS_INSTALLED_H

enum installed_kind { INSTALLED_SPEAKS, INSTALLED_LISTENS, INSTALLED_DECODES };

/* Calls the handler for each program of this kind, with its name ("hear-NAME", without "syrinx-") and
 * its path.  Stops at an error of the handler and returns it; also returns an error of opendir. */
typedef int(installed_h)(const char *name, const char *path, void *arg);
int installed_each(const char *dir, enum installed_kind kind, installed_h *handler, void *arg);

#endif
