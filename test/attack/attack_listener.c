/*
 * attack_listener.c: an engine that listens and that an attacker controls, as the server starts it.
 *
 * Before it is open it makes the attempts that SYRINX_ENGINE_ATTACK_EARLY names (see
 * attack_attempts.h); when the server has greeted it, and it is confined as much as an engine in C ever
 * is, those that SYRINX_ENGINE_ATTACK names.
 */
#include <errno.h>

#include "attack.h"
#include "attack_attempts.h"
#include "engine/listener.h"

static int attack_listener_recognize(const struct recognizer *recognizer,
				     struct recognizer_result *result,
				     const struct recognizer_piece *piece,
				     char why[RUNTIME_WHY_SIZE])
{
	(void)recognizer;
	(void)result;
	(void)piece;
	(void)why;
	return 0;
}

static const struct recognizer_family attack_listener_family = {
	.name = "attack", .recognize = attack_listener_recognize};

static const struct recognizer attack_listener_recognizer = {
	.family = &attack_listener_family,
	.title = "Attack",
	.languages = "en",
	.licence = "of a test",
	.longest = 160000,
};

static int attack_listener_open(void **statep, const struct engine_options *options)
{
	(void)options;
	attack_prepare();
	attack_attempts_make("SYRINX_ENGINE_ATTACK_EARLY");
	*statep = NULL;
	return 0;
}

static int attack_listener_models(void *state, listener_model_h *each, void *arg)
{
	(void)state;
	return each(&(struct listener_model){"attack", &attack_listener_recognizer}, arg);
}

static int attack_listener_notes(void *state, engine_note_h *each, void *arg)
{
	(void)state;
	(void)each;
	(void)arg;
	attack_attempts_make("SYRINX_ENGINE_ATTACK");
	return 0;
}

static int attack_listener_score(void *state, struct vad_frame *frames, size_t count,
				 char why[RUNTIME_WHY_SIZE])
{
	(void)state;
	(void)why;
	for (size_t i = 0; i < count; ++i)
		frames[i].probability = 0;
	return 0;
}

static void attack_listener_close(void *state)
{
	(void)state;
}

static const struct listener attack_listener = {
	.name = "hear-attack",
	.jobs_max = 1,
	.open = attack_listener_open,
	.models = attack_listener_models,
	.notes = attack_listener_notes,
	.score = attack_listener_score,
	.close = attack_listener_close,
};

const struct listener *const listener_main = &attack_listener;
