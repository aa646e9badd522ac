/*
 * fake_model.h: a language model that says what a measurement asks it to.
 *
 * It serves POST /v1/chat/completions on loopback, streamed, many requests at a
 * time, in the measurement's own thread.  The conversation of a question is the
 * number after "who=" in the request's last message.
 */
#ifndef BENCH_FAKE_MODEL_H
#define BENCH_FAKE_MODEL_H

#include <stddef.h>
#include <stdint.h>

struct fake_model;

struct fake_model_handlers {
	void (*asked)(void *arg, size_t who); /* its answer may begin */
	void (*gone)(void *arg, size_t who); /* its connection was closed in mid-answer */
	void *arg;
};

/* Of `count` askers, numbered from 0. */
int fake_model_alloc(struct fake_model **modelp, size_t count,
		     const struct fake_model_handlers *handlers);

uint16_t fake_model_port(const struct fake_model *model);
int fake_model_fd(const struct fake_model *model); /* readable: fake_model_run */
void fake_model_run(struct fake_model *model);

/* A delta, or the end, of the answer in conversation `who`; nothing without a question. */
void fake_model_say(struct fake_model *model, size_t who, const char *text);
void fake_model_finish(struct fake_model *model, size_t who);

#endif
