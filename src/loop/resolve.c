/*
 * resolve.c: the addresses of a host (see resolve.h).
 *
 * libuv keeps its request until it has called back, also when it was cancelled:
 * so it is an object of its own that may outlive the look-up.
 */
#include "loop/resolve.h"

#include <errno.h>

#include "base/mem.h"

struct request {
	uv_getaddrinfo_t uv;
	struct resolve *resolve; /* NULL: given up */
	struct loop *loop;
};

struct resolve {
	struct loop *loop;
	struct request *request;
	struct deferred tell;
	struct addrinfo *found;
	const char *why;
	resolve_h *handler;
	void *arg;
};

static void resolve_destroy(void *object)
{
	struct resolve *resolve = object;

	if (resolve->request) {
		resolve->request->resolve = NULL;
		uv_cancel((uv_req_t *)&resolve->request->uv); /* it calls back all the same */
	}
	loop_undefer(resolve->loop, &resolve->tell);
	if (resolve->found)
		freeaddrinfo(resolve->found);
}

static void tell(void *arg)
{
	struct resolve *resolve = arg;

	resolve->handler(resolve->found, resolve->why, resolve->arg);
}

static void on_found(uv_getaddrinfo_t *uv, int status, struct addrinfo *found)
{
	struct request *request = uv->data;
	struct resolve *resolve = request->resolve;
	struct loop *loop = request->loop;

	mem_deref(request);
	if (!resolve) {
		uv_freeaddrinfo(found);
		return;
	}
	loop_enter(loop);
	resolve->request = NULL;
	resolve->found = found;
	resolve->why = found ? NULL : status ? uv_strerror(status) : "no address";
	tell(resolve);
	loop_leave(loop);
}

static const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};

static int look_up(struct resolve *resolve, const char *host, const char *port)
{
	struct request *request = mem_zalloc(sizeof(*request), NULL);
	int err;

	if (!request)
		return ENOMEM;
	request->uv.data = request;
	request->resolve = resolve;
	request->loop = resolve->loop;
	err = uv_getaddrinfo(&resolve->loop->uv, &request->uv, on_found, host, port, &hints);
	if (err) {
		mem_deref(request);
		return -err;
	}
	resolve->request = request;
	return 0;
}

int resolve_start(struct resolve **resolvep, struct loop *loop, const char *host, const char *port,
		  resolve_h *handler, void *arg)
{
	struct addrinfo numbers = {.ai_socktype = SOCK_STREAM,
				   .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV};
	struct resolve *resolve = mem_zalloc(sizeof(*resolve), NULL);
	int err = 0;

	if (!resolve)
		return ENOMEM;
	resolve->loop = loop;
	resolve->handler = handler;
	resolve->arg = arg;
	mem_set_destructor(resolve, resolve_destroy);
	if (getaddrinfo(host, port, &numbers, &resolve->found) == 0)
		loop_defer(loop, &resolve->tell, tell, resolve);
	else
		err = look_up(resolve, host, port);
	if (err)
		mem_deref(resolve);
	else
		*resolvep = resolve;
	return err;
}
