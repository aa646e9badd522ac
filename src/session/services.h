/*
 * services.h: what a session needs of the rest of the program.
 *
 * Sessions see no socket and no database: they talk to a peer and to these
 * services, so that tests run them with a clock, a peer and a ledger of their
 * own.
 */
#ifndef SESSION_SERVICES_H
#define SESSION_SERVICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "account/dictionaries.h"
#include "account/member.h"
#include "account/price.h"
#include "account/usage_ledger.h"
#include "loop/thread.h"
#include "loop/timers.h"
#include "session/peer.h"
#include "speech/speech.h"
#include "wire/error.h"

struct session_services {
	struct timers *timers;
	struct speech *speech;
	struct encoding_threads *encode_threads; /* see encoding.h; NULL: timers do their work */
	const struct voices *voices;
	struct usage_ledger *ledger;
	const struct dictionaries *dictionaries; /* NULL: there are none */
	const struct prices *prices;
	unsigned max_lead_ms; /* audio sent ahead of playback; 0: no bound */
	bool repeatable; /* the same text is read in the same way in every turn */
	bool has_successor; /* another process serves the clients that this one sends away */
	bool log_texts; /* the operator asked for what is spoken in the log */
};

/* Why a voice that is not in the catalogue cannot be used. */
static inline enum wire_error_id services_unknown_voice(const struct session_services *services)
{
	return voices_are_complete(services->voices) ? WIRE_ERROR_VOICE_NOT_FOUND
						     : WIRE_ERROR_UNAVAILABLE;
}

#endif
