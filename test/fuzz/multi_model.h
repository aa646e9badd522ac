/*
 * multi_model.h: what a client of /ws/tts/multi may rely on, as a small model.
 *
 * It receives each message of the client before that is sent, and each reply when the session sends
 * it.  The program aborts if one of these rules is violated:
 *
 *   1. a context is created only once before it is closed, and closed only once;
 *   2. no reply is about a context that does not exist;
 *   3. at most twenty contexts exist, and another one is refused only then;
 *   4. a context that is closed normally has sent one `final` for each flush and one for its close;
 *      a context that was cut short has sent at most as many;
 *   5. after `interrupted` only the end of the context follows.
 */
#ifndef FUZZ_MULTI_MODEL_H
#define FUZZ_MULTI_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MULTI_MODEL_CONTEXTS 24 /* ids: more than there are places */

struct context_model {
	bool is_open;
	bool is_closing; /* the client has asked it to close normally */
	bool is_cut; /* the client has asked it to close at once, or it has failed */
	bool is_interrupted; /* `interrupted` was received */
	unsigned flushes; /* flushes that it has accepted */
	unsigned doubtful; /* flushes that it may not have accepted, if it was closing already */
	unsigned finals;
	uint64_t input_us;
};

struct multi_model {
	struct context_model contexts[MULTI_MODEL_CONTEXTS];
	size_t open;
	uint64_t idle_us;
	const uint64_t *now_us;
	bool goes_away; /* waiting flushes are dropped, so they are not counted */
	bool says_flush; /* also for a context that this message creates */
};

void multi_model_init(struct multi_model *model, const uint64_t *now_us);

/* For fake_peer's tap. */
void multi_model_reply(void *arg, const char *json);

/* The client is about to send a message about this context. */
void multi_model_input(struct multi_model *model, unsigned id);
void multi_model_close(struct multi_model *model, unsigned id);
void multi_model_cut(struct multi_model *model, unsigned id);

void multi_model_flush(struct multi_model *model, unsigned id);

/* The session has processed the message. */
void multi_model_said(struct multi_model *model);

#endif
