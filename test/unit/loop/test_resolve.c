/* Look-ups: numbers need none, names are found, and one that was given up is
 * silent. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../net/pump.h"
#include "base/mem.h"
#include "loop/resolve.h"

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
	struct loop *loop;

	assert_int_equal(loop_alloc(&loop), 0);
	assert_int_equal(resolve_start(&heard.resolve, loop, host, "80", on_found, &heard), 0);
	assert_false(heard.is_told);
	pump_until(loop, &heard.is_told);
	assert_int_equal(heard.is_found, is_found);
	assert_int_equal(heard.has_why, !is_found);
	mem_deref(heard.resolve);
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
		struct loop *loop;

		assert_int_equal(loop_alloc(&loop), 0);
		assert_int_equal(
			resolve_start(&heard.resolve, loop, hosts[i], "80", on_found, &heard), 0);
		mem_deref(heard.resolve);
		pump(loop);
		mem_deref(loop); /* waits for libuv's thread */
		assert_false(heard.is_told);
		assert_int_equal(mem_live(), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(addresses_are_found),
		cmocka_unit_test(a_look_up_that_was_given_up_is_silent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
