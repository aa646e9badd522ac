/*
 * fake_llm.c: a language model whose answers a test controls (see fake_llm.h).
 */
#include "fake_llm.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"

struct llm_answer {
	struct link link;
	struct fake_llm *fake;
	const struct llm_handlers *handlers;
	void *arg;
	unsigned deltas;
	bool is_done;
	struct llm_figures figures; /* freed with the answer, like those of the real one */
};

static void fake_llm_answer_destroy(void *object)
{
	struct llm_answer *answer = object;
	struct fake_llm *fake = answer->fake;

	if (answer->is_done)
		return;
	list_remove(&fake->answers, &answer->link);
	++fake->cancelled;
	if (fake->on_cancel)
		fake->on_cancel(fake->arg);
}

static void fake_llm_keep_history(struct fake_llm *fake, const struct llm_turn *history,
				  size_t count)
{
	size_t len = 0;

	fake->history_len = count;
	fake->history[0] = '\0';
	for (size_t i = 0; i < count && len < sizeof(fake->history); ++i)
		len += (size_t)snprintf(fake->history + len, sizeof(fake->history) - len,
					"%s%s: %.*s", i ? "|" : "",
					history[i].role == LLM_USER ? "user" : "agent",
					(int)history[i].len, history[i].text);
}

static int fake_llm_ask(struct llm_answer **answerp, struct llm *llm, struct llm_agent *agent,
			const struct llm_turn *history, size_t count,
			const struct llm_handlers *handlers, void *arg)
{
	struct fake_llm *fake = LIST_OBJECT(llm, struct fake_llm, llm);
	struct llm_answer *answer;
	int err = fake->fails;

	(void)agent;
	assert(count > 0 && history[count - 1].role == LLM_USER);
	++fake->asked;
	fake->fails = 0;
	if (err)
		return err;
	answer = mem_zalloc(sizeof(*answer), fake_llm_answer_destroy);
	if (!answer)
		return ENOMEM;
	fake_llm_keep_history(fake, history, count);
	answer->fake = fake;
	answer->handlers = handlers;
	answer->arg = arg;
	list_append(&fake->answers, &answer->link);
	*answerp = answer;
	return 0;
}

static void fake_llm_figures_of(struct llm_figures *figures, const struct llm_answer *answer)
{
	*figures = (struct llm_figures){.tokens_in = FAKE_LLM_TOKENS_IN,
					.tokens_out = answer->deltas,
					.is_in_estimated = true,
					.is_out_estimated = true,
					.tries = 1,
					.errors = answer->figures.errors};
}

void fake_llm_init(struct fake_llm *fake)
{
	*fake = (struct fake_llm){.llm = {.ask = fake_llm_ask, .figures = fake_llm_figures_of}};
	list_init(&fake->answers);
}

static struct llm_answer *fake_llm_newest(struct fake_llm *fake)
{
	struct link *last = list_last(&fake->answers);

	assert(last);
	return LIST_OBJECT(last, struct llm_answer, link);
}

void fake_llm_say(struct fake_llm *fake, const char *text)
{
	struct llm_answer *answer = fake_llm_newest(fake);

	++answer->deltas;
	answer->handlers->delta(text, strlen(text), answer->arg);
}

void fake_llm_fail(struct fake_llm *fake)
{
	struct llm_answer *answer = fake_llm_newest(fake);

	++answer->figures.errors;
	answer->handlers->failed(answer->arg);
}

void fake_llm_finish(struct fake_llm *fake, enum llm_end end)
{
	struct llm_answer *answer = fake_llm_newest(fake);

	if (end != LLM_WHOLE)
		fake_llm_fail(fake);
	answer->figures = (struct llm_figures){.first_delta_ms = 10,
					       .whole_ms = 20,
					       .tokens_in = FAKE_LLM_TOKENS_IN,
					       .tokens_out = answer->deltas,
					       .tries = 1,
					       .errors = answer->figures.errors};
	list_remove(&fake->answers, &answer->link);
	answer->is_done = true;
	answer->handlers->done(end, &answer->figures, answer->arg);
}
