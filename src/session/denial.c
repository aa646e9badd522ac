/*
 * denial.c: why an account is refused, as an error for its client (see denial.h).
 */
#include "session/denial.h"

#include "metrics/metrics.h"

static const struct {
	enum wire_error_id id;
	unsigned retry_s; /* used if it is unknown when the limit allows a retry */
	const char *what; /* what is limited; NULL: the error says everything */
} denial_reasons[] = {
	[DENIAL_NONE] = {WIRE_ERROR_INTERNAL, 0, NULL},
	[DENIAL_KEY] = {WIRE_ERROR_KEY_ENDED, 0, NULL},
	[DENIAL_CREDIT] = {WIRE_ERROR_NO_CREDIT, 0, NULL},
	[DENIAL_TURNS] = {WIRE_ERROR_RATE_LIMITED, DENIAL_SLOT_RETRY_S, "turns at once"},
	[DENIAL_CONNECTIONS] = {WIRE_ERROR_RATE_LIMITED, DENIAL_SLOT_RETRY_S,
				"connections at once"},
	[DENIAL_REQUESTS] = {WIRE_ERROR_RATE_LIMITED, 0, "requests per minute"},
	[DENIAL_CHARACTERS] = {WIRE_ERROR_RATE_LIMITED, 0, "characters per minute"},
	[DENIAL_TEXT] = {WIRE_ERROR_TEXT_TOO_LONG, 0, "characters"},
	[DENIAL_HEARD] = {WIRE_ERROR_RATE_LIMITED, 0, "seconds of audio per minute"},
	[DENIAL_LEDGER] = {WIRE_ERROR_NO_LEDGER, 0, NULL},
	[DENIAL_LEASED] = {WIRE_ERROR_CREDIT_LEASED, DENIAL_SLOT_RETRY_S, NULL},
	[DENIAL_PENDING] = {WIRE_ERROR_CREDIT_LEASED, DENIAL_SLOT_RETRY_S, NULL},
};

const char *denial_code(enum denial why)
{
	return wire_error_get(denial_reasons[why].id)->code;
}

void denial_describe(struct stream_fault *fault, const struct denied *denied)
{
	const char *what = denial_reasons[denied->why].what;

	metrics_add_at(METRIC_DENIALS, denied->why, 1);
	if (what && denied->limit >= 0)
		fault_set(fault, denial_reasons[denied->why].id, "at most %lld %s",
			  (long long)denied->limit, what);
	else
		fault_set(fault, denial_reasons[denied->why].id, "%s", "");
	fault->retry_s = denied->retry_s ? denied->retry_s : denial_reasons[denied->why].retry_s;
	if (!fault->retry_s)
		fault->retry_s = wire_error_retry_s(denial_reasons[denied->why].id);
}
