/*
 * engines.h: opens the pools of engines that a configuration asks for: those that speak, and those
 * that listen.
 *
 * Runs on the loop's thread.
 */
#ifndef SERVER_ENGINES_H
#define SERVER_ENGINES_H

#include "hearing/decoding_pool.h"
#include "hearing/hearing_pool.h"
#include "server/config.h"
#include "speech/pool.h"
#include "workers/fleet.h"

/* The engine whose voices are files in the voices folder, and the one whose models are folders in the
 * models folder. */
#define ENGINES_WITH_VOICES_DIR "vits"
#define ENGINES_WITH_MODELS_DIR "hear"

/* Checks whether engines_open would accept the configuration, with a line in `errors` if not.
 * Returns EPERM if an engine could read the data directory, and ENOENT or another errno if there
 * are no engines. */
int engines_check(const struct config *config, struct buf *errors);

/* What the engines of this machine share.  It belongs to the server, because engines that speak and
 * engines that listen are in different pools, and must outlive both. */
struct engines_budget {
	struct fleet_memory memory; /* of all workers */
	unsigned cores_busy; /* sentences that are being computed now */
};

/* Opens the pool.  Engines are run through `syrinx confine`, which restricts them before they
 * start.  From this call on, other processes of the same user cannot read this process's memory.  A
 * server passes `records_dir`, which must outlive the pool, as the place to store what engines
 * report about themselves, and has the mechanisms that enforce the restrictions on this machine
 * logged; a command passes NULL.  The findings of engines_check are logged. */
int engines_open(struct pool **poolp, struct loop *loop, const struct config *config,
		 struct engines_budget *budget, const char *records_dir);

/* Opens the pool of engines that listen.  It is not an error if there are none, or if they have no
 * models. */
int engines_open_hearing(struct hearing_pool **poolp, struct loop *loop,
			 const struct config *config, struct engines_budget *budget,
			 const char *records_dir);

/* Like engines_open with only some of the engines, for a command that needs only one voice.  Returns ENOENT
 * if none of them exists. */
struct engines_choice {
	const char *only; /* the only engine to open; NULL: all */
	const char *but; /* the engine to leave out; NULL: none */
};
int engines_open_some(struct pool **poolp, struct loop *loop, const struct config *config,
		      const struct engines_choice *choice);

/* The same for the program that decodes recordings, which need not be installed. */
int engines_open_decoding(struct decoding_pool **poolp, struct loop *loop,
			  const struct config *config, struct engines_budget *budget);

#endif
