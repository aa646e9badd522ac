/*
 * resolve.c: finds the addresses of a host (see resolve.h).
 *
 * libuv has four threads for all look-ups, and waits for them when the program ends, so four names
 * that hang would block all others and the exit.  Therefore each look-up has its own thread.
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

/* A name that is being looked up.  The loop and the thread share it, and the one that finishes last
 * frees it.  It may outlive the loop, so it is not allocated with mem.h, which counts its
 * objects. */
struct resolve_lookup {
	struct link link; /* in the resolver's list, until the result has arrived */
	struct resolver *resolver; /* valid as long as is_awaited is set */
	struct list askers; /* struct resolve */
	uv_async_t wakeup;
	char *host, *port;

	pthread_mutex_t lock; /* guards the fields below */
	unsigned owners;
	bool is_awaited; /* the thread must wake the loop when it has the result */
	struct addrinfo *found;
	int status; /* of getaddrinfo */
};

/* The result of a look-up, which all its requests share. */
struct resolve_addresses {
	struct addrinfo *found;
};

struct resolve {
	struct link link; /* in the look-up's list of askers */
	struct resolve_lookup *look_up; /* NULL if it does not wait for one */
	struct loop *loop;
	struct deferred answer;
	struct resolve_addresses *addresses;
	const char *why; /* the reason if there are no addresses */
	resolve_h *handler;
	void *arg;
};

static void resolve_free_look_up(struct resolve_lookup *look_up)
{
	pthread_mutex_destroy(&look_up->lock);
	if (look_up->found)
		freeaddrinfo(look_up->found);
	free(look_up->host);
	free(look_up->port);
	free(look_up);
}

static void resolve_release(struct resolve_lookup *look_up)
{
	bool is_last;

	pthread_mutex_lock(&look_up->lock);
	is_last = --look_up->owners == 0;
	pthread_mutex_unlock(&look_up->lock);
	if (is_last)
		resolve_free_look_up(look_up);
}

/* Runs on its own detached thread. */
static void *resolve_main(void *arg)
{
	static const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
	struct resolve_lookup *look_up = arg;
	struct addrinfo *found = NULL;
	int status = getaddrinfo(look_up->host, look_up->port, &hints, &found);

	pthread_mutex_lock(&look_up->lock);
	look_up->found = status == 0 ? found : NULL;
	look_up->status = status;
	if (look_up->is_awaited)
		uv_async_send(&look_up->wakeup);
	pthread_mutex_unlock(&look_up->lock);
	resolve_release(look_up);
	return NULL;
}

static void resolve_on_wakeup_closed(uv_handle_t *handle)
{
	resolve_release(handle->data);
}

/* Ends the loop's interest in the look-up, and releases it when libuv has closed the handle. */
static void resolve_leave(struct resolve_lookup *look_up)
{
	pthread_mutex_lock(&look_up->lock);
	look_up->is_awaited = false;
	pthread_mutex_unlock(&look_up->lock);
	uv_close((uv_handle_t *)&look_up->wakeup, resolve_on_wakeup_closed);
}

static void resolve_destroy_addresses(void *object)
{
	struct resolve_addresses *addresses = object;

	if (addresses->found)
		freeaddrinfo(addresses->found);
}

static void resolve_answer(void *arg)
{
	struct resolve *resolve = arg;

	resolve->handler(resolve->addresses ? resolve->addresses->found : NULL, resolve->why,
			 resolve->arg);
}

/* Called on the loop when the thread has the result.  A handler may free any of the other requests
 * and the resolver, but the look-up exists until its handle is closed. */
static void resolve_on_wakeup(uv_async_t *wakeup)
{
	struct resolve_lookup *look_up = wakeup->data;
	struct loop *loop = look_up->resolver->loop;
	struct resolve_addresses *addresses =
		mem_zalloc(sizeof(*addresses), resolve_destroy_addresses);
	const char *why = strerror(ENOMEM);
	struct link *link;

	loop_enter(loop);
	list_remove(&look_up->resolver->look_ups, &look_up->link);
	resolve_leave(look_up);
	if (addresses) {
		pthread_mutex_lock(&look_up->lock);
		addresses->found = look_up->found;
		look_up->found = NULL;
		why = look_up->status ? gai_strerror(look_up->status) : "no address";
		pthread_mutex_unlock(&look_up->lock);
		if (!addresses->found)
			addresses = mem_deref(addresses);
	}
	while ((link = list_first(&look_up->askers))) {
		struct resolve *resolve = LIST_OBJECT(link, struct resolve, link);

		list_remove(&look_up->askers, link);
		resolve->look_up = NULL;
		resolve->addresses = mem_ref(addresses);
		resolve->why = addresses ? NULL : why;
		resolve_answer(resolve);
	}
	mem_deref(addresses);
	loop_leave(loop);
}

static int resolve_start_thread(struct resolve_lookup *look_up)
{
	pthread_attr_t attributes;
	pthread_t id;
	int err = pthread_attr_init(&attributes);

	if (err)
		return err;
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	err = thread_create(&id, &attributes, resolve_main, look_up);
	pthread_attr_destroy(&attributes);
	return err;
}

static int resolve_look_up(struct resolve_lookup **look_upp, struct resolver *resolver,
			   const char *host, const char *port)
{
	struct resolve_lookup *look_up;
	int err;

	if (resolver->look_ups.count >= RESOLVER_NAMES_MAX)
		return EAGAIN;
	look_up = calloc(1, sizeof(*look_up));
	if (!look_up)
		return ENOMEM;
	pthread_mutex_init(&look_up->lock, NULL);
	list_init(&look_up->askers);
	look_up->resolver = resolver;
	look_up->is_awaited = true;
	look_up->host = strdup(host);
	look_up->port = strdup(port);
	if (!look_up->host || !look_up->port ||
	    uv_async_init(&resolver->loop->uv, &look_up->wakeup, resolve_on_wakeup) != 0) {
		resolve_free_look_up(look_up);
		return ENOMEM;
	}
	look_up->wakeup.data = look_up;
	look_up->owners = 2;
	err = resolve_start_thread(look_up);
	if (err) {
		look_up->owners = 1;
		resolve_leave(look_up);
		return err;
	}
	list_append(&resolver->look_ups, &look_up->link);
	*look_upp = look_up;
	return 0;
}

static struct resolve_lookup *resolve_find(const struct resolver *resolver, const char *host,
					   const char *port)
{
	const struct list *all = &resolver->look_ups;

	for (struct link *l = list_first(all); l; l = list_next(all, l)) {
		struct resolve_lookup *look_up = LIST_OBJECT(l, struct resolve_lookup, link);

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
		resolve_leave(LIST_OBJECT(link, struct resolve_lookup, link));
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

static void resolve_destroy(void *object)
{
	struct resolve *resolve = object;

	if (resolve->look_up)
		list_remove(&resolve->look_up->askers, &resolve->link);
	loop_undefer(resolve->loop, &resolve->answer);
	mem_deref(resolve->addresses);
}

/* EINVAL if the host is a name and not a numeric address. */
static int resolve_number(struct resolve *resolve, const char *host, const char *port)
{
	const struct addrinfo hints = {.ai_socktype = SOCK_STREAM,
				       .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV};
	struct resolve_addresses *addresses =
		mem_zalloc(sizeof(*addresses), resolve_destroy_addresses);

	if (!addresses)
		return ENOMEM;
	if (getaddrinfo(host, port, &hints, &addresses->found) != 0) {
		addresses->found = NULL;
		mem_deref(addresses);
		return EINVAL;
	}
	resolve->addresses = addresses;
	loop_defer(resolve->loop, &resolve->answer, resolve_answer, resolve);
	return 0;
}

int resolve_start(struct resolve **resolvep, struct resolver *resolver, const char *host,
		  const char *port, resolve_h *handler, void *arg)
{
	struct resolve *resolve = mem_zalloc(sizeof(*resolve), NULL);
	struct resolve_lookup *look_up;
	int err;

	if (!resolve)
		return ENOMEM;
	resolve->loop = resolver->loop;
	resolve->handler = handler;
	resolve->arg = arg;
	mem_set_destructor(resolve, resolve_destroy);
	err = resolve_number(resolve, host, port);
	if (err == EINVAL) {
		look_up = resolve_find(resolver, host, port);
		err = look_up ? 0 : resolve_look_up(&look_up, resolver, host, port);
		if (!err) {
			resolve->look_up = look_up;
			list_append(&look_up->askers, &resolve->link);
		}
	}
	if (err)
		mem_deref(resolve);
	else
		*resolvep = resolve;
	return err;
}
