/*
 * resolve.c: the addresses of a host (see resolve.h).
 *
 * libuv's own threads are four for all, and are waited for when a program ends:
 * four names that hang would stop everything.
 */
#include "loop/resolve.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "loop/thread.h"

struct resolver {
	struct loop *loop;
	struct list look_ups;
};

/* A name on its way.  The loop and the thread have it both, and whoever lets go
 * last frees it: it may outlive the loop, so it is no object of mem.h's. */
struct look_up {
	struct link link; /* among the resolver's, until it was found */
	struct resolver *resolver; /* while it is there */
	struct list askers;
	uv_async_t wakeup;
	char *host, *port;

	pthread_mutex_t lock; /* guards all below */
	unsigned owners;
	bool is_heard; /* the loop wants to know */
	struct addrinfo *found;
	int status; /* of getaddrinfo */
};

/* What was found, for all who have asked. */
struct addresses {
	struct addrinfo *found;
};

struct resolve {
	struct link link; /* among the askers of … */
	struct look_up *look_up; /* NULL: it is not waiting for one */
	struct loop *loop;
	struct deferred tell;
	struct addresses *addresses;
	const char *why;
	resolve_h *handler;
	void *arg;
};

static const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};

/* The look-up */

static void look_up_free(struct look_up *look_up)
{
	pthread_mutex_destroy(&look_up->lock);
	if (look_up->found)
		freeaddrinfo(look_up->found);
	free(look_up->host);
	free(look_up->port);
	free(look_up);
}

static void let_go(struct look_up *look_up)
{
	bool is_last;

	pthread_mutex_lock(&look_up->lock);
	is_last = --look_up->owners == 0;
	pthread_mutex_unlock(&look_up->lock);
	if (is_last)
		look_up_free(look_up);
}

static void *look_up_main(void *arg)
{
	struct look_up *look_up = arg;
	struct addrinfo *found = NULL;
	int status = getaddrinfo(look_up->host, look_up->port, &hints, &found);

	pthread_mutex_lock(&look_up->lock);
	look_up->found = status == 0 ? found : NULL;
	look_up->status = status;
	if (look_up->is_heard)
		uv_async_send(&look_up->wakeup);
	pthread_mutex_unlock(&look_up->lock);
	let_go(look_up);
	return NULL;
}

static void on_wakeup_closed(uv_handle_t *handle)
{
	let_go(handle->data);
}

/* The loop's part is over. */
static void stop_hearing(struct look_up *look_up)
{
	pthread_mutex_lock(&look_up->lock);
	look_up->is_heard = false;
	pthread_mutex_unlock(&look_up->lock);
	uv_close((uv_handle_t *)&look_up->wakeup, on_wakeup_closed);
}

/* Those who asked */

static void addresses_destroy(void *object)
{
	struct addresses *addresses = object;

	if (addresses->found)
		freeaddrinfo(addresses->found);
}

static void stop_waiting(struct resolve *resolve)
{
	if (!resolve->look_up)
		return;
	list_remove(&resolve->look_up->askers, &resolve->link);
	resolve->look_up = NULL;
}

static void resolve_destroy(void *object)
{
	struct resolve *resolve = object;

	stop_waiting(resolve);
	loop_undefer(resolve->loop, &resolve->tell);
	mem_deref(resolve->addresses);
}

static void tell(void *arg)
{
	struct resolve *resolve = arg;

	resolve->handler(resolve->addresses ? resolve->addresses->found : NULL, resolve->why,
			 resolve->arg);
}

/* Takes what the thread has left; NULL and why, if that is nothing. */
static struct addresses *take_addresses(struct look_up *look_up, const char **why)
{
	struct addresses *addresses = mem_zalloc(sizeof(*addresses), addresses_destroy);

	pthread_mutex_lock(&look_up->lock);
	*why = look_up->status ? gai_strerror(look_up->status) : "no address";
	if (addresses) {
		addresses->found = look_up->found;
		look_up->found = NULL;
	} else {
		*why = strerror(ENOMEM);
	}
	pthread_mutex_unlock(&look_up->lock);
	return addresses && addresses->found ? addresses : mem_deref(addresses);
}

/* A handler may end any of the others, and the resolver: the look-up itself goes
 * when its handle has closed, not before. */
static void tell_askers(struct look_up *look_up)
{
	const char *why;
	struct addresses *addresses = take_addresses(look_up, &why);
	struct link *link;

	while ((link = list_first(&look_up->askers))) {
		struct resolve *resolve = LIST_OBJECT(link, struct resolve, link);

		stop_waiting(resolve);
		resolve->addresses = mem_ref(addresses);
		resolve->why = addresses ? NULL : why;
		tell(resolve);
	}
	mem_deref(addresses);
}

/* The resolver */

static void on_wakeup(uv_async_t *wakeup)
{
	struct look_up *look_up = wakeup->data;
	struct loop *loop = look_up->resolver->loop;

	loop_enter(loop);
	list_remove(&look_up->resolver->look_ups, &look_up->link);
	stop_hearing(look_up);
	tell_askers(look_up);
	loop_leave(loop);
}

static int start_thread(struct look_up *look_up)
{
	pthread_attr_t attributes;
	pthread_t id;
	int err = pthread_attr_init(&attributes);

	if (err)
		return err;
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	err = thread_create(&id, &attributes, look_up_main, look_up);
	pthread_attr_destroy(&attributes);
	return err;
}

/* Nobody has heard of it yet, so nobody else lets go of it. */
static int look_up_alloc(struct look_up **look_upp, struct resolver *resolver, const char *host,
			 const char *port)
{
	struct look_up *look_up = calloc(1, sizeof(*look_up));

	if (!look_up)
		return ENOMEM;
	pthread_mutex_init(&look_up->lock, NULL);
	list_init(&look_up->askers);
	look_up->resolver = resolver;
	look_up->is_heard = true;
	look_up->host = strdup(host);
	look_up->port = strdup(port);
	if (!look_up->host || !look_up->port ||
	    uv_async_init(&resolver->loop->uv, &look_up->wakeup, on_wakeup) != 0) {
		look_up_free(look_up);
		return ENOMEM;
	}
	look_up->wakeup.data = look_up;
	*look_upp = look_up;
	return 0;
}

static int look_up_start(struct look_up **look_upp, struct resolver *resolver, const char *host,
			 const char *port)
{
	struct look_up *look_up;
	int err = resolver->look_ups.count < RESOLVER_NAMES_MAX
			  ? look_up_alloc(&look_up, resolver, host, port)
			  : EAGAIN;

	if (err)
		return err;
	look_up->owners = 2;
	err = start_thread(look_up);
	if (err) {
		look_up->owners = 1;
		stop_hearing(look_up);
		return err;
	}
	list_append(&resolver->look_ups, &look_up->link);
	*look_upp = look_up;
	return 0;
}

static struct look_up *look_up_find(const struct resolver *resolver, const char *host,
				    const char *port)
{
	const struct list *all = &resolver->look_ups;

	for (struct link *l = list_first(all); l; l = list_next(all, l)) {
		struct look_up *look_up = LIST_OBJECT(l, struct look_up, link);

		if (strcmp(look_up->host, host) == 0 && strcmp(look_up->port, port) == 0)
			return look_up;
	}
	return NULL;
}

static void resolver_destroy(void *object)
{
	struct resolver *resolver = object;
	struct link *link;

	while ((link = list_first(&resolver->look_ups))) {
		list_remove(&resolver->look_ups, link);
		stop_hearing(LIST_OBJECT(link, struct look_up, link));
	}
}

int resolver_alloc(struct resolver **resolverp, struct loop *loop)
{
	struct resolver *resolver = mem_zalloc(sizeof(*resolver), NULL);

	if (!resolver)
		return ENOMEM;
	resolver->loop = loop;
	list_init(&resolver->look_ups);
	mem_set_destructor(resolver, resolver_destroy);
	*resolverp = resolver;
	return 0;
}

/* The question */

/* 0 when the host is written as a number. */
static int read_number(struct resolve *resolve, const char *host, const char *port)
{
	const struct addrinfo numbers = {.ai_socktype = SOCK_STREAM,
					 .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV};
	struct addresses *addresses = mem_zalloc(sizeof(*addresses), addresses_destroy);

	if (!addresses)
		return ENOMEM;
	if (getaddrinfo(host, port, &numbers, &addresses->found) != 0) {
		addresses->found = NULL;
		mem_deref(addresses);
		return EINVAL;
	}
	resolve->addresses = addresses;
	loop_defer(resolve->loop, &resolve->tell, tell, resolve);
	return 0;
}

static int wait_for_name(struct resolve *resolve, struct resolver *resolver, const char *host,
			 const char *port)
{
	struct look_up *look_up = look_up_find(resolver, host, port);
	int err = look_up ? 0 : look_up_start(&look_up, resolver, host, port);

	if (err)
		return err;
	resolve->look_up = look_up;
	list_append(&look_up->askers, &resolve->link);
	return 0;
}

int resolve_start(struct resolve **resolvep, struct resolver *resolver, const char *host,
		  const char *port, resolve_h *handler, void *arg)
{
	struct resolve *resolve = mem_zalloc(sizeof(*resolve), NULL);
	int err;

	if (!resolve)
		return ENOMEM;
	resolve->loop = resolver->loop;
	resolve->handler = handler;
	resolve->arg = arg;
	mem_set_destructor(resolve, resolve_destroy);
	err = read_number(resolve, host, port);
	if (err == EINVAL)
		err = wait_for_name(resolve, resolver, host, port);
	if (err)
		mem_deref(resolve);
	else
		*resolvep = resolve;
	return err;
}
