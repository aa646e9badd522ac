/*
 * fake_model.h: a language model that says what a measurement requests.
 *
 * It serves POST /v1/chat/completions with streaming on loopback, many requests at a time, in
 * the measurement's own thread. The conversation of a request is the number after "who=" in its
 * last message.
 */
#ifndef BENCH_FAKE_MODEL_H
#define BENCH_FAKE_MODEL_H

#include <stddef.h>
#include <stdint.h>

struct fake_model;

struct fake_model_handlers {
	void (*asked)(void *arg, size_t who); /* a request arrived: its answer may begin */
	/* The connection was closed in the middle of an answer. */
	void (*gone)(void *arg, size_t who);
	void *arg;
};

/* Serves `count` conversations, numbered from 0. */
int fake_model_alloc(struct fake_model **modelp, size_t count,
		     const struct fake_model_handlers *handlers);

uint16_t fake_model_port(const struct fake_model *model);
int fake_model_fd(const struct fake_model *model); /* when it is readable, call fake_model_run */
void fake_model_run(struct fake_model *model);

/* Sends a delta, or the end, of the answer in conversation `who`; does nothing if there is no
 * request. */
void fake_model_say(struct fake_model *model, size_t who, const char *text);
void fake_model_finish(struct fake_model *model, size_t who);

#endif
