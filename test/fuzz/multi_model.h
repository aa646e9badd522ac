/*
 * multi_model.h: what a client of /ws/tts/multi may rely on, as a small model.
 *
 * It is told what the client says before it says it, and sees every reply as
 * the session sends it.  A broken promise ends the program:
 *
 *   1. a context is created once until it is closed, and closed once;
 *   2. nothing is said of a context that is not there;
 *   3. at most twenty are there, and the twenty-first is refused only then;
 *   4. a context that closes in good order has said one `final` for each flush
 *      and one for its close; one that was cut short has said no more;
 *   5. behind `interrupted` only its end follows.
 */
#ifndef FUZZ_MULTI_MODEL_H
#define FUZZ_MULTI_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MULTI_MODEL_CONTEXTS 24 /* ids: more than there are places */

struct context_model {
	bool is_open;
	bool is_closing; /* it was asked to close in good order */
	bool is_cut; /* … or at once, or it has failed */
	bool is_interrupted; /* and was told so */
	unsigned flushes; /* that it has taken */
	unsigned doubtful; /* that it may have taken: it may have been closing by itself */
	unsigned finals;
	uint64_t input_us;
};

struct multi_model {
	struct context_model contexts[MULTI_MODEL_CONTEXTS];
	size_t open;
	uint64_t idle_us;
	const uint64_t *now_us;
	bool goes_away; /* flushes that wait are dropped: nothing is counted */
	bool says_flush; /* also for a context that this message makes */
};

void multi_model_init(struct multi_model *model, const uint64_t *now_us);

/* For fake_peer's tap. */
void multi_model_reply(void *arg, const char *json);

/* The client is about to say something of this context. */
void multi_model_input(struct multi_model *model, unsigned id);
void multi_model_close(struct multi_model *model, unsigned id);
void multi_model_cut(struct multi_model *model, unsigned id);

void multi_model_flush(struct multi_model *model, unsigned id);

/* What was said is done. */
void multi_model_said(struct multi_model *model);

#endif
