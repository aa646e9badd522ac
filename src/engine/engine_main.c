/*
 * engine_main.c: the main function of every engine in C that speaks (see program.h).
 *
 * Exit status: 0 when the server closed the socket, 1 on failure, 2 for invalid arguments.
 */
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "engine/engine.h"
#include "engine/program.h"
#include "engine/runner.h"

static int engine_main_serve(const struct program *program)
{
	struct runner *runner = NULL;
	void *state = NULL;
	int err = program_confine(program);

	if (err)
		return err;
	err = engine_main->open(&state, &program->options);
	if (err)
		return err;
	err = runner_alloc(&runner, engine_main, state, program->fd, program->cpu_seconds);
	if (!err)
		err = confine_engine(); /* after it no thread can be started */
	if (!err)
		err = runner_run(runner);
	mem_deref(runner);
	engine_main->close(state);
	return err;
}

int main(int argc, char **argv)
{
	/* 20 s of CPU time: a hundred times what the slowest engine here needs for the longest
	 * chunk. 3 GB: models and thirty streams of them; the server sets lower limits for
	 * engines that need less. */
	struct program program = {.name = engine_main->name,
				  .fd = 3,
				  .cpu_seconds = 20,
				  .request = {.memory_mb = 3072}};
	int err = program_init(&program, argc, argv);

	if (err)
		return 2;
	err = engine_main_serve(&program);
	if (err)
		log_error(program.name, "%s", strerror(err));
	return err ? 1 : 0;
}
