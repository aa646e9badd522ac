/*
 * turn.c: turns whose state an engine keeps between their texts (see turn.h).
 */
#include "engine/turn.h"

#include <errno.h>

#include "base/mem.h"
#include "engine/engine_job.h"

static void turn_drop_replay(struct list *replay)
{
	struct link *link;

	while ((link = list_first(replay))) {
		list_remove(replay, link);
		mem_deref(LIST_OBJECT(link, struct engine_job, link));
	}
}

static void turn_free(struct turns *turns, struct list *list, struct turn *turn)
{
	list_remove(list, &turn->link);
	turn_drop_replay(&turn->replay);
	if (turn->state && turns->engine->end_turn)
		turns->engine->end_turn(turns->engine_state, turn->state);
	mem_deref(turn);
}

void turns_init(struct turns *turns, const struct engine *engine, void *engine_state)
{
	*turns = (struct turns){
		.engine = engine,
		.engine_state = engine_state,
		.max = engine->turns ? engine->turns(engine_state) : 0,
	};
	list_init(&turns->open);
	list_init(&turns->ended);
}

void turns_reset(struct turns *turns)
{
	struct list *const lists[] = {&turns->open, &turns->ended};

	for (size_t i = 0; i < 2; ++i) {
		struct link *link;

		while ((link = list_first(lists[i])))
			turn_free(turns, lists[i], LIST_OBJECT(link, struct turn, link));
	}
}

static struct turn *turn_find(const struct turns *turns, uint64_t id)
{
	for (struct link *l = list_first(&turns->open); l; l = list_next(&turns->open, l)) {
		struct turn *turn = LIST_OBJECT(l, struct turn, link);

		if (turn->id == id)
			return turn;
	}
	return NULL;
}

/* Finds or creates a turn.  Id 0 stands for a new turn that ends with its first job. */
static int turn_get(struct turn **turnp, struct turns *turns, uint64_t id)
{
	struct turn *turn = id ? turn_find(turns, id) : NULL;

	if (!turn) {
		if (id && turns->open.count >= turns->max)
			return EPROTO;
		turn = mem_zalloc(sizeof(*turn), NULL);
		if (!turn)
			return ENOMEM;
		turn->id = id;
		list_init(&turn->replay);
		list_append(id ? &turns->open : &turns->ended, &turn->link);
	}
	*turnp = turn;
	return 0;
}

int turn_join(struct turns *turns, struct engine_job *job)
{
	struct turn *turn;
	int err;

	if (turns->max == 0)
		return 0;
	err = turn_get(&turn, turns, job->text.turn);
	if (err)
		return err;
	++turn->jobs;
	job->turn = turn;
	job->text.turn_state = &turn->state;
	list_append_all(&job->replay, &turn->replay);
	turn->replay_len = 0;
	return 0;
}

int turn_replay(struct turns *turns, const struct message_speak *speak)
{
	struct turn *turn;
	struct engine_job *job;
	int err;

	if (turns->max == 0)
		return 0;
	if (speak->turn == 0)
		return EPROTO;
	err = turn_get(&turn, turns, speak->turn);
	if (err)
		return err;
	turn->replay_len += speak->text.len;
	if (turn->replay.count >= MESSAGE_REPLAY_MAX || turn->replay_len > MESSAGE_REPLAY_BYTES_MAX)
		return EPROTO;
	err = engine_job_alloc(&job, 0, speak, turns->engine);
	if (err)
		return err;
	job->text.turn_state = &turn->state;
	job->text.is_replay = true;
	job->text.want_words = false;
	list_append(&turn->replay, &job->link);
	return 0;
}

void turn_end(struct turns *turns, uint64_t id)
{
	struct turn *turn = turn_find(turns, id);

	if (!turn)
		return;
	list_remove(&turns->open, &turn->link);
	list_append(&turns->ended, &turn->link);
}

void turn_free_ended(struct turns *turns)
{
	struct link *next;

	for (struct link *l = list_first(&turns->ended); l; l = next) {
		struct turn *turn = LIST_OBJECT(l, struct turn, link);

		next = list_next(&turns->ended, l);
		if (turn->jobs == 0)
			turn_free(turns, &turns->ended, turn);
	}
}

struct engine_job *turn_next_replay(struct engine_job *job)
{
	struct link *link = list_first(&job->replay);

	if (!link)
		return NULL;
	list_remove(&job->replay, link);
	return LIST_OBJECT(link, struct engine_job, link);
}

static int turn_sink_wait(struct sink *sink, uint64_t *skip)
{
	(void)sink;
	*skip = UINT64_MAX;
	return 0;
}

void turn_init_sink(struct sink *sink)
{
	sink_init_null(sink);
	sink->wait = turn_sink_wait;
}
