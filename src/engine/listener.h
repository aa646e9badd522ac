/*
 * listener.h: the interface that an engine in C implements that listens.
 *
 * An engine is a few functions and a name, like one that speaks (engine/engine.h). It scores frames
 * of audio on one thread and recognizes pieces of it on others; listener_main.c communicates with the
 * server. Functions that return int return 0 or an errno. Linking an object that defines
 * `listener_main` with listener_main.c makes the program.
 *
 * After open the process is confined (workers/confine.h): files can still be read, but no thread can
 * be started, no library loaded and no file written.
 */
#ifndef ENGINE_LISTENER_H
#define ENGINE_LISTENER_H

#include "engine/engine.h"
#include "engine/hear/recognizer.h"
#include "engine/hear/vad.h"

struct listener_model {
	const char *name; /* unique within the engine */
	const struct recognizer *recognizer;
};

/* A nonzero return value of this handler ends the listing, which returns it. */
typedef int(listener_model_h)(const struct listener_model *model, void *arg);

struct listener {
	const char *name;
	uint16_t jobs_max; /* streams at once */

	/* Prepares the engine to listen without delay. *statep is passed to the other functions;
	 * `close` is called only after success. */
	int (*open)(void **statep, const struct engine_options *options);

	/* Calls each for every model, the default one first. They exist until `close`. */
	int (*models)(void *state, listener_model_h *each, void *arg);

	/* Calls each for every note; may be NULL. Called after models; the strings need to be valid
	 * only during the call. */
	int (*notes)(void *state, engine_note_h *each, void *arg);

	/* Scores frames of different streams: see vad_score. Only called if there are models. */
	int (*score)(void *state, struct vad_frame *frames, size_t count,
		     char why[RUNTIME_WHY_SIZE]);

	void (*close)(void *state);
};

/* The engine of this program, defined by one file and used by listener_main.c. */
extern const struct listener *const listener_main;

#endif
