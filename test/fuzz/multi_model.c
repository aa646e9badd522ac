/*
 * multi_model.c: what a client of /ws/tts/multi may rely on (see multi_model.h).
 */
#include "multi_model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "session/tts_multi.h"

#define MUST(promise)                                                                              \
	do {                                                                                       \
		if (!(promise)) {                                                                  \
			fprintf(stderr, "not so: %s\n%.400s\n", #promise, json);                   \
			abort();                                                                   \
		}                                                                                  \
	} while (0)

void multi_model_init(struct multi_model *model, const uint64_t *now_us)
{
	*model = (struct multi_model){.now_us = now_us,
				      .idle_us = TTS_MULTI_IDLE_MS * UINT64_C(1000)};
}

/* The context of a reply: ids are "c0" to "c23"; NULL when it names none. */
static struct context_model *multi_model_find(struct multi_model *model, const char *json)
{
	const char *at = strstr(json, "\"context_id\":\"c");
	unsigned long n;

	if (!at)
		return NULL;
	n = strtoul(at + strlen("\"context_id\":\"c"), NULL, 10);
	MUST(n < MULTI_MODEL_CONTEXTS);
	return &model->contexts[n];
}

static bool multi_model_begins(const char *json, const char *prefix)
{
	return strncmp(json, prefix, strlen(prefix)) == 0;
}

static void multi_model_see_created(struct multi_model *model, struct context_model *context,
				    const char *json)
{
	MUST(!context->is_open);
	MUST(model->open < TTS_MULTI_CONTEXTS_MAX);
	*context = (struct context_model){
		.is_open = true, .flushes = model->says_flush, .input_us = *model->now_us};
	++model->open;
}

static void multi_model_see_closed(struct multi_model *model, struct context_model *context,
				   const char *json)
{
	if (!context->is_open)
		return; /* it did not exist, and the client asked to close it */
	context->is_open = false;
	--model->open;
	if (model->goes_away)
		return;
	if (context->is_cut) {
		MUST(context->finals <= context->flushes + context->doubtful + 1);
		return;
	}
	MUST(context->finals >= context->flushes + 1);
	MUST(context->finals <= context->flushes + context->doubtful + 1);
}

static void multi_model_see_error(struct multi_model *model, struct context_model *context,
				  const char *json)
{
	if (strstr(json, "TOO_MANY_CONTEXTS")) {
		MUST(context && !context->is_open);
		MUST(model->open == TTS_MULTI_CONTEXTS_MAX);
	}
	if (context && !strstr(json, "\"Invalid request"))
		context->is_cut = true;
}

void multi_model_reply(void *arg, const char *json)
{
	struct multi_model *model = arg;
	struct context_model *context = multi_model_find(model, json);

	if (multi_model_begins(json, "{\"context_created\""))
		multi_model_see_created(model, context, json);
	else if (multi_model_begins(json, "{\"context_closed\""))
		multi_model_see_closed(model, context, json);
	else if (multi_model_begins(json, "{\"error\""))
		multi_model_see_error(model, context, json);
	else if (multi_model_begins(json, "{\"session_closed\""))
		MUST(model->open == 0);
	else if (context && multi_model_begins(json, "{\"interrupted\""))
		context->is_interrupted = true;
	else if (context)
		MUST(context->is_open && !context->is_interrupted);
	if (multi_model_begins(json, "{\"final\""))
		++context->finals;
}

static bool multi_model_may_be_closing_by_itself(const struct multi_model *model,
						 const struct context_model *context)
{
	return *model->now_us >= context->input_us + model->idle_us;
}

void multi_model_input(struct multi_model *model, unsigned id)
{
	struct context_model *context = &model->contexts[id];

	if (!multi_model_may_be_closing_by_itself(model, context))
		context->input_us = *model->now_us;
}

void multi_model_close(struct multi_model *model, unsigned id)
{
	model->contexts[id].is_closing = true;
}

void multi_model_cut(struct multi_model *model, unsigned id)
{
	model->contexts[id].is_cut = true;
}

void multi_model_flush(struct multi_model *model, unsigned id)
{
	struct context_model *context = &model->contexts[id];

	model->says_flush = true;
	if (!context->is_open || context->is_closing)
		return;
	if (multi_model_may_be_closing_by_itself(model, context))
		++context->doubtful;
	else
		++context->flushes;
}

void multi_model_said(struct multi_model *model)
{
	model->says_flush = false;
}
