/*
 * listener_main.c: the main function of every engine in C that listens (see program.h).
 *
 * Exit status: 0 when the server closed the socket, 1 on failure, 2 for invalid arguments.
 */
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "engine/listener.h"
#include "engine/listener_runner.h"
#include "engine/program.h"

static int listener_main_serve(const struct program *program)
{
	struct listener_runner *runner = NULL;
	void *state = NULL;
	int err = program_confine(program);

	if (err)
		return err;
	err = listener_main->open(&state, &program->options);
	if (err)
		return err;
	err = listener_runner_alloc(&runner, listener_main, state, program->fd,
				    program->cpu_seconds);
	if (!err)
		err = confine_engine(); /* after it no thread can be started */
	if (!err)
		err = listener_runner_run(runner);
	mem_deref(runner);
	listener_main->close(state);
	return err;
}

int main(int argc, char **argv)
{
	/* 60 s of CPU time for one piece: ten times what the largest model here needs for half a minute
	 * of speech. 4 GB: all models, and a hundred streams. */
	struct program program = {.name = listener_main->name,
				  .fd = 3,
				  .cpu_seconds = 60,
				  .request = {.memory_mb = 4096}};
	int err = program_init(&program, argc, argv);

	if (err)
		return 2;
	err = listener_main_serve(&program);
	if (err)
		log_error(program.name, "%s", strerror(err));
	return err ? 1 : 0;
}
