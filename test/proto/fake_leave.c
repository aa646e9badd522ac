/*
 * fake_leave.c: leave to speak that comes later (see fake_leave.h).
 */
#include "fake_leave.h"

#include <errno.h>
#include <stdlib.h>

#define WAITING_MAX 8

int __real_permit_ask(struct permit **permitp, struct member *member, struct denied *denied,
		      permit_h *handler, void *arg);
int __wrap_permit_ask(struct permit **permitp, struct member *member, struct denied *denied,
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

int __wrap_permit_ask(struct permit **permitp, struct member *member, struct denied *denied,
		      permit_h *handler, void *arg)
{
	int err = __real_permit_ask(permitp, member, denied, handler, arg);

	if (err || !must_wait)
		return err;
	if (count == WAITING_MAX)
		abort();
	waiting[count].handler = handler;
	waiting[count++].arg = arg;
	return EINPROGRESS;
}

bool __wrap_permit_advance(struct permit *permit, int64_t spent_microcents, struct denied *denied)
{
	if (!has_ended)
		return __real_permit_advance(permit, spent_microcents, denied);
	*denied = (struct denied){.why = DENIAL_CREDIT, .limit = -1};
	return false;
}

void fake_leave_end(bool ends)
{
	has_ended = ends;
}

void fake_leave_wait(bool waits)
{
	must_wait = waits;
}

void fake_leave_answer(const struct denied *denied)
{
	size_t answered = count;

	count = 0;
	for (size_t i = 0; i < answered; ++i)
		waiting[i].handler(denied ? EACCES : 0, denied, waiting[i].arg);
}

void fake_leave_forget(void)
{
	count = 0;
}
