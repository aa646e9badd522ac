/*
 * services.h: what a session needs from the rest of the program.
 *
 * Sessions have no socket and no database: they use a peer and these services, so that tests can
 * run them with their own clock, peer and ledger.  The struct and everything in it belong to the
 * server and must outlive the sessions and their turns.  Used on the loop's thread.
 */
#ifndef SESSION_SERVICES_H
#define SESSION_SERVICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "account/caller.h"
#include "account/dictionary_cache.h"
#include "account/price.h"
#include "account/usage_ledger.h"
#include "hearing/hearing.h"
#include "loop/thread.h"
#include "loop/timers.h"
#include "session/peer.h"
#include "speech/speech.h"
#include "wire/error.h"

struct session_services {
	struct timers *timers;
	struct speech *speech;
	struct hearing *hearing; /* NULL: nothing listens here */
	struct encoding_threads *encode_threads; /* see encoding.h; NULL: timers do the work */
	const struct voices *voices;
	struct usage_ledger *ledger;
	const struct dictionary_cache *dictionaries; /* NULL: there are none */
	const struct prices *prices;
	unsigned max_lead_ms; /* how far audio may be ahead of playback; 0: unlimited */
	bool repeatable; /* the same text is read in the same way in every turn */
	bool has_successor; /* another process serves the clients that this one sends away */
	bool log_texts; /* what is spoken is logged, because the operator has configured it */
};

/* Why a voice that is not in the catalogue cannot be used. */
static inline enum wire_error_id services_unknown_voice(const struct session_services *services)
{
	return voices_are_complete(services->voices) ? WIRE_ERROR_VOICE_NOT_FOUND
						     : WIRE_ERROR_UNAVAILABLE;
}

#endif
