/* Look-ups: numbers need none, names are found, one that was given up is silent,
 * and one that hangs holds up nobody. */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../net/pump.h"
#include "base/mem.h"
#include "loop/resolve.h"

/* Names that begin with "hang" are not found before the gate is opened. */
static struct {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool is_open;
	unsigned came, went;
} gate = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static void wait_at_gate(void)
{
	pthread_mutex_lock(&gate.lock);
	++gate.came;
	while (!gate.is_open)
		pthread_cond_wait(&gate.changed, &gate.lock);
	++gate.went;
	pthread_cond_broadcast(&gate.changed);
	pthread_mutex_unlock(&gate.lock);
}

static void close_gate(void)
{
	gate.is_open = false;
	gate.came = gate.went = 0;
}

/* Until `count` threads have gone through. */
static void open_gate(unsigned count)
{
	pthread_mutex_lock(&gate.lock);
	gate.is_open = true;
	pthread_cond_broadcast(&gate.changed);
	while (gate.went < count)
		pthread_cond_wait(&gate.changed, &gate.lock);
	assert_int_equal(gate.came, count);
	pthread_mutex_unlock(&gate.lock);
}

/* Stands before the C library's, whose parameters have names that only it may use. */
int getaddrinfo( // NOLINT(readability-inconsistent-declaration-parameter-name)
	const char *host, const char *port, const struct addrinfo *wanted, struct addrinfo **found)
{
	int (*real)(const char *, const char *, const struct addrinfo *, struct addrinfo **);
	void *symbol = dlsym(RTLD_NEXT, "getaddrinfo");
	bool hangs = strncmp(host, "hang", 4) == 0 && !(wanted->ai_flags & AI_NUMERICHOST);

	memcpy(&real, &symbol, sizeof(real));
	if (hangs)
		wait_at_gate();
	return real(hangs ? "127.0.0.1" : host, port, wanted, found);
}

struct heard {
	struct resolve *resolve;
	bool is_told;
	bool is_found;
	bool has_why;
	bool gives_up;
};

static void on_found(const struct addrinfo *found, const char *why, void *arg)
{
	struct heard *heard = arg;

	assert_false(heard->is_told);
	heard->is_told = true;
	heard->is_found = found && found->ai_addr;
	heard->has_why = why != NULL;
	if (heard->gives_up)
		heard->resolve = mem_deref(heard->resolve);
}

static void look_up(const char *host, bool is_found, bool gives_up)
{
	struct heard heard = {.gives_up = gives_up};
	struct resolver *resolver;
	struct loop *loop;

	assert_int_equal(loop_alloc(&loop), 0);
	assert_int_equal(resolver_alloc(&resolver, loop), 0);
	assert_int_equal(resolve_start(&heard.resolve, resolver, host, "80", on_found, &heard), 0);
	assert_false(heard.is_told);
	pump_until(loop, &heard.is_told);
	assert_int_equal(heard.is_found, is_found);
	assert_int_equal(heard.has_why, !is_found);
	mem_deref(heard.resolve);
	mem_deref(resolver);
	mem_deref(loop);
	assert_int_equal(mem_live(), 0);
}

static void addresses_are_found(void **state)
{
	(void)state;
	look_up("127.0.0.1", true, false);
	look_up("::1", true, true);
	look_up("localhost", true, false);
	look_up("localhost", true, true);
	look_up("a..b", false, false);
	look_up("a..b", false, true);
}

static void a_look_up_that_was_given_up_is_silent(void **state)
{
	static const char *const hosts[] = {"127.0.0.1", "localhost"};

	(void)state;
	for (size_t i = 0; i < 2; ++i) {
		struct heard heard = {0};
		struct resolver *resolver;
		struct loop *loop;

		assert_int_equal(loop_alloc(&loop), 0);
		assert_int_equal(resolver_alloc(&resolver, loop), 0);
		assert_int_equal(
			resolve_start(&heard.resolve, resolver, hosts[i], "80", on_found, &heard),
			0);
		mem_deref(heard.resolve);
		pump(loop);
		mem_deref(resolver);
		mem_deref(loop);
		assert_false(heard.is_told);
		assert_int_equal(mem_live(), 0);
	}
}

/* The loop ends while its thread still hangs, which finds nobody later. */
static void one_that_hangs_is_not_waited_for(void **state)
{
	struct heard hanging = {0};
	struct heard other = {0};
	struct resolver *resolver;
	struct loop *loop;

	(void)state;
	close_gate();
	assert_int_equal(loop_alloc(&loop), 0);
	assert_int_equal(resolver_alloc(&resolver, loop), 0);
	assert_int_equal(
		resolve_start(&hanging.resolve, resolver, "hang", "80", on_found, &hanging), 0);
	assert_int_equal(
		resolve_start(&other.resolve, resolver, "localhost", "80", on_found, &other), 0);
	pump_until(loop, &other.is_told);
	mem_deref(other.resolve);
	mem_deref(hanging.resolve);
	mem_deref(resolver);
	mem_deref(loop);
	assert_false(hanging.is_told);
	assert_int_equal(mem_live(), 0);
	open_gate(1);
}

/* Who asks for the same name waits for the same thread, also after others gave up. */
static void a_name_is_looked_up_once_for_all(void **state)
{
	struct heard heard[4] = {0};
	struct resolver *resolver;
	struct loop *loop;

	(void)state;
	close_gate();
	assert_int_equal(loop_alloc(&loop), 0);
	assert_int_equal(resolver_alloc(&resolver, loop), 0);
	for (size_t i = 0; i < 4; ++i) {
		if (i == 1)
			heard[0].resolve = mem_deref(heard[0].resolve);
		assert_int_equal(resolve_start(&heard[i].resolve, resolver, "hang", "80", on_found,
					       &heard[i]),
				 0);
	}
	heard[2].gives_up = true;
	open_gate(1);
	pump_until(loop, &heard[3].is_told);
	assert_false(heard[0].is_told);
	for (size_t i = 1; i < 4; ++i) {
		assert_true(heard[i].is_found);
		mem_deref(heard[i].resolve);
	}
	mem_deref(resolver);
	mem_deref(loop);
	assert_int_equal(mem_live(), 0);
}

static void names_on_their_way_have_a_bound(void **state)
{
	struct heard heard[RESOLVER_NAMES_MAX] = {0};
	struct resolve *refused;
	struct resolver *resolver;
	struct loop *loop;
	char host[16];

	(void)state;
	close_gate();
	assert_int_equal(loop_alloc(&loop), 0);
	assert_int_equal(resolver_alloc(&resolver, loop), 0);
	for (unsigned i = 0; i < RESOLVER_NAMES_MAX; ++i) {
		snprintf(host, sizeof(host), "hang%u", i);
		assert_int_equal(
			resolve_start(&heard[i].resolve, resolver, host, "80", on_found, &heard[i]),
			0);
	}
	assert_int_equal(resolve_start(&refused, resolver, "hang", "80", on_found, NULL), EAGAIN);
	open_gate(RESOLVER_NAMES_MAX);
	for (unsigned i = 0; i < RESOLVER_NAMES_MAX; ++i) {
		pump_until(loop, &heard[i].is_told);
		mem_deref(heard[i].resolve);
	}
	mem_deref(resolver);
	mem_deref(loop);
	assert_int_equal(mem_live(), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(addresses_are_found),
		cmocka_unit_test(a_look_up_that_was_given_up_is_silent),
		cmocka_unit_test(one_that_hangs_is_not_waited_for),
		cmocka_unit_test(a_name_is_looked_up_once_for_all),
		cmocka_unit_test(names_on_their_way_have_a_bound),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
