/*
 * attack_engine.c: an engine that an attacker controls, as the server starts it.
 *
 * For every text it makes the attempts that SYRINX_ENGINE_ATTACK names (see
 * attack_attempts.h), and speaks a tenth of a second.  Before it is ready it makes
 * those that SYRINX_ENGINE_ATTACK_EARLY names, which is where an engine in another
 * language always is.
 */
#include <errno.h>
#include <stdint.h>

#include "attack.h"
#include "attack_attempts.h"
#include "base/mem.h"
#include "engine/engine.h"

#define RATE 24000
static int attack_open(void **statep, const struct engine_options *options)
{
	(void)options;
	attack_prepare();
	attack_attempts_make("SYRINX_ENGINE_ATTACK_EARLY");
	*statep = mem_zalloc(1, NULL);
	return *statep ? 0 : ENOMEM;
}

static void attack_close(void *state)
{
	mem_deref(state);
}

static int attack_voices(void *state, engine_voice_h *each, void *arg)
{
	static const struct engine_voice voice = {.name = "attack",
						  .language = "en",
						  .title = "Attack",
						  .sample_rate = RATE,
						  .licence = "of a test"};

	(void)state;
	return each(&voice, arg);
}

static int attack_speak(void *state, const struct engine_text *text, struct sink *sink)
{
	int16_t samples[RATE / 10];

	(void)state;
	(void)text;
	attack_attempts_make("SYRINX_ENGINE_ATTACK");
	for (size_t i = 0; i < RATE / 10; ++i)
		samples[i] = i / 40 % 2 ? 8000 : -8000;
	(void)sink_audio(sink, samples, RATE / 10);
	return 0;
}

static const struct engine attack_engine = {
	.name = "attack",
	.open = attack_open,
	.voices = attack_voices,
	.speak = attack_speak,
	.close = attack_close,
};

const struct engine *const engine_main = &attack_engine;
