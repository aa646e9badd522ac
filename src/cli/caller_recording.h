/*
 * caller_recording.h: writes what was heard in a call to a WAV file.
 */
#ifndef CLI_CALLER_RECORDING_H
#define CLI_CALLER_RECORDING_H

#include "cli/caller_timeline.h"

/* Writes the agent's time line and, if `caller` is not NULL, the caller's on the left channel and the
 * agent's on the right, at the agent's rate. Closes the descriptor. */
int caller_recording_write(int fd, const struct caller_timeline *agent,
			   const struct caller_timeline *caller);

#endif
