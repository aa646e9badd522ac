/*
 * fake_permit.c: permission to speak that is given later (see fake_permit.h).
 */
#include "fake_permit.h"

#include <errno.h>
#include <stdlib.h>

#define WAITING_MAX 8

int __real_permit_ask(struct permit **permitp, struct caller *caller, struct denied *denied,
		      permit_h *handler, void *arg);
int __wrap_permit_ask(struct permit **permitp, struct caller *caller, struct denied *denied,
		      permit_h *handler, void *arg);

int __real_permit_ask_to_hear(struct permit **permitp, struct caller *caller, struct denied *denied,
			      permit_h *handler, void *arg);
int __wrap_permit_ask_to_hear(struct permit **permitp, struct caller *caller, struct denied *denied,
			      permit_h *handler, void *arg);

bool __real_permit_advance(struct permit *permit, int64_t spent_microcents, struct denied *denied);
bool __wrap_permit_advance(struct permit *permit, int64_t spent_microcents, struct denied *denied);

static bool must_wait;
static bool has_ended;
static size_t count;
static struct {
	permit_h *handler;
	void *arg;
} waiting[WAITING_MAX];

static int fake_permit_hold(int err, permit_h *handler, void *arg)
{
	if (err || !must_wait)
		return err;
	if (count == WAITING_MAX)
		abort();
	waiting[count].handler = handler;
	waiting[count++].arg = arg;
	return EINPROGRESS;
}

int __wrap_permit_ask(struct permit **permitp, struct caller *caller, struct denied *denied,
		      permit_h *handler, void *arg)
{
	return fake_permit_hold(__real_permit_ask(permitp, caller, denied, handler, arg), handler,
				arg);
}

int __wrap_permit_ask_to_hear(struct permit **permitp, struct caller *caller, struct denied *denied,
			      permit_h *handler, void *arg)
{
	return fake_permit_hold(__real_permit_ask_to_hear(permitp, caller, denied, handler, arg),
				handler, arg);
}

bool __wrap_permit_advance(struct permit *permit, int64_t spent_microcents, struct denied *denied)
{
	if (!has_ended)
		return __real_permit_advance(permit, spent_microcents, denied);
	*denied = (struct denied){.why = DENIAL_CREDIT, .limit = -1};
	return false;
}

void fake_permit_end(bool ends)
{
	has_ended = ends;
}

void fake_permit_wait(bool waits)
{
	must_wait = waits;
}

void fake_permit_answer(const struct denied *denied)
{
	size_t answered = count;

	count = 0;
	for (size_t i = 0; i < answered; ++i)
		waiting[i].handler(denied ? EACCES : 0, denied, waiting[i].arg);
}

void fake_permit_forget(void)
{
	count = 0;
}
