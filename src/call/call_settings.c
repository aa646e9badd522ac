/*
 * call_settings.c: the defaults of calls (see call_settings.h).
 */
#include "call/call_settings.h"

const struct call_settings call_settings_default = {
	.cascade_timeout_ms = 4000,
	.speed = 1,
	.input = {.encoding = LISTEN_PCM16, .sample_rate = 16000},
	.output = {.encoding = AUDIO_PCM16, .sample_rate = 16000},
	.turn_end = {.eagerness = TURN_END_NORMAL, .is_patient_with_spelling = true},
	.is_speculative = true,
	.adds_default_terms = true,
	.is_interruptible = true,
	.wants = CALL_WANTS_AUDIO | CALL_WANTS_TRANSCRIPT | CALL_WANTS_RESPONSE |
		 CALL_WANTS_CORRECTION | CALL_WANTS_INTERRUPTION | CALL_WANTS_PING,
	.duration_max_s = 600,
	.silence_end_s = -1,
};
