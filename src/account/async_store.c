/*
 * async_store.c: the store's threads and the work that they run (see async_store.h).
 *
 *   loop:   async_store_run, async_store_book --submit--> thread of a lane
 *   thread: all short work of the batch, then all its turns in one transaction,
 *           then long work, of which there is one piece at a time
 *   loop:   handlers
 *
 * Long work is served in rounds: a round has at most one query of each asker.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>

#include "account/async_store_private.h"
#include "account/recovery.h"
#include "base/log.h"
#include "base/mem.h"

struct store_query {
	struct store_request request;
	struct link link; /* in lane_queue.queries */
	int lane;
	int64_t asker;
	uint64_t round; /* see async_store_enqueue */
	async_store_work_h *work;
	async_store_done_h *done;
	void *arg;
};

static struct store_query *async_store_query_of(struct store_request *request)
{
	return LIST_OBJECT(request, struct store_query, request);
}

/* Runs the work of all requests of a kind, on the thread. */
static void async_store_answer_all(struct store *store, struct list *batch,
				   enum store_request_kind kind)
{
	for (struct link *l = list_first(batch); l; l = list_next(batch, l)) {
		struct store_request *request = request_of(l);

		if (request->kind == kind)
			request->err = async_store_query_of(request)->work(
				store, async_store_query_of(request)->arg);
	}
}

static void async_store_on_batch(struct list *batch, void *arg)
{
	struct lane *lane = arg;

	async_store_answer_all(lane->store, batch, REQUEST_ACCESS);
	if (lane == &lane->async->lanes[LANE_LEDGER])
		ledger_run(lane, batch);
	async_store_answer_all(lane->store, batch, REQUEST_QUERY);
}

void async_store_submit(struct async_store *async, int lane, struct store_request *request,
			task_done_h *done)
{
	struct thread *thread = async->lanes[lane].thread;

	thread_submit(thread ? thread : async->lanes[0].thread, &request->task, done);
}

static void async_store_on_access_done(struct task *task)
{
	struct store_query *query = async_store_query_of(request_of(&task->link));

	query->done(query->request.err, query->arg);
	mem_deref(query);
}

static struct store_query *async_store_query_at(struct link *link)
{
	return LIST_OBJECT(link, struct store_query, link);
}

static void async_store_end_query(struct store_query *query, int err)
{
	list_remove(&query->request.async->queues[query->lane].queries, &query->link);
	query->done(err, query->arg);
	mem_deref(query);
}

static void async_store_next_query(struct async_store *async, int lane);

static void async_store_on_query_done(struct task *task)
{
	struct store_request *request = request_of(&task->link);
	struct async_store *async = request->async;
	int lane = async_store_query_of(request)->lane;

	async_store_end_query(async_store_query_of(request), request->err);
	async->queues[lane].is_asking = false;
	async_store_next_query(async, lane);
}

static void async_store_next_query(struct async_store *async, int lane)
{
	struct lane_queue *queue = &async->queues[lane];
	struct link *first = list_first(&queue->queries);

	if (!first || queue->is_asking || async->closing)
		return;
	queue->is_asking = true;
	queue->round = async_store_query_at(first)->round;
	async_store_submit(async, lane, &async_store_query_at(first)->request,
			   async_store_on_query_done);
}

/* Queues a query at the end of the round after that of its asker's last query, so that each asker
 * has one query per round. */
static void async_store_enqueue(struct lane_queue *queue, struct store_query *query)
{
	struct list *queries = &queue->queries;
	struct link *own = list_last(queries); /* the asker's last query */
	struct link *next = NULL; /* the first query of a later round */

	while (own && async_store_query_at(own)->asker != query->asker)
		own = list_prev(queries, own);
	query->round = own ? async_store_query_at(own)->round + 1 : queue->round;
	for (struct link *l = list_last(queries);
	     l && async_store_query_at(l)->round > query->round; l = list_prev(queries, l))
		next = l;
	if (next)
		list_insert_before(queries, next, &query->link);
	else
		list_append(queries, &query->link);
}

static struct store_query *async_store_query_alloc(struct async_store *async,
						   async_store_work_h *work,
						   async_store_done_h *done, void *arg)
{
	struct store_query *query = mem_zalloc(sizeof(*query), NULL);

	if (!query)
		return NULL;
	query->request.async = async;
	query->work = work;
	query->done = done;
	query->arg = arg;
	return query;
}

int async_store_run_at_once(struct async_store *async, int lane, async_store_work_h *work,
			    async_store_done_h *done, void *arg)
{
	struct store_query *query = async_store_query_alloc(async, work, done, arg);

	if (!query)
		return ENOMEM;
	query->request.kind = REQUEST_ACCESS;
	async_store_submit(async, lane, &query->request, async_store_on_access_done);
	return 0;
}

int async_store_run_for(struct async_store *async, enum async_store_lane lane, int64_t asker,
			async_store_work_h *work, async_store_done_h *done, void *arg)
{
	struct store_query *query;

	if (async->closing)
		return ESHUTDOWN;
	if (lane == ASYNC_STORE_ACCESS)
		return async_store_run_at_once(async, LANE_ACCESS, work, done, arg);
	query = async_store_query_alloc(async, work, done, arg);
	if (!query)
		return ENOMEM;
	query->request.kind = REQUEST_QUERY;
	query->lane = lane == ASYNC_STORE_REPORTS ? LANE_REPORTS : LANE_QUERIES;
	query->asker = asker;
	async_store_enqueue(&async->queues[query->lane], query);
	async_store_next_query(async, query->lane);
	return 0;
}

int async_store_run(struct async_store *async, enum async_store_lane lane, async_store_work_h *work,
		    async_store_done_h *done, void *arg)
{
	return async_store_run_for(async, lane, 0, work, done, arg);
}

static void async_store_cancel_queries(struct async_store *async)
{
	struct link *first;

	for (int i = 0; i < LANES; ++i) {
		while ((first = list_first(&async->queues[i].queries)))
			async_store_end_query(async_store_query_at(first), ECANCELED);
	}
}

const char *async_store_server_id(const struct async_store *async)
{
	return async->server_id;
}

static void async_store_destroy(void *object)
{
	struct async_store *async = object;

	async->closing = true;
	timer_clear(&async->loop->timers, &async->recovery_timer);
	for (int i = 0; i < LANES; ++i) {
		if (async->lanes[i].thread)
			thread_finish(async->lanes[i].thread);
	}
	/* After the store's threads, because rows that they could not book are written to disk. */
	disk_finish(async);
	ledger_finish(async);
	disk_close(async);
	async_store_cancel_queries(async);
	mem_deref(async->spool_dir);
	for (int i = LANES - 1; i >= 0; --i) {
		mem_deref(async->lanes[i].thread);
		mem_deref(async->lanes[i].store);
	}
}

static int async_store_open_lane(struct async_store *async, int number, const char *address)
{
	static const char *const names[LANES] = {"ledger", "access", "queries", "reports"};
	struct lane *lane = &async->lanes[number];
	bool is_away;
	int err = 0;

	lane->async = async;
	if (number != LANE_LEDGER)
		err = store_open_patiently(&lane->store, &is_away, address);
	return err ? err
		   : thread_alloc(&lane->thread, async->loop, names[number], async_store_on_batch,
				  lane);
}

static int async_store_open_lanes(struct async_store *async, const char *address)
{
	int err = 0;

	for (int i = 0; i < LANES && !err; ++i) {
		if (i == LANE_LEDGER || address)
			err = async_store_open_lane(async, i, address);
	}
	return err;
}

static int async_store_make_server_id(char id[STORE_SERVER_ID_LEN + 1])
{
	uint64_t number;

	if (getrandom(&number, sizeof(number), 0) != sizeof(number))
		return EIO;
	snprintf(id, STORE_SERVER_ID_LEN + 1, "%016llx", (unsigned long long)number);
	return 0;
}

static int async_store_recover_work(struct store *store, void *arg)
{
	const struct async_store *async = arg;

	return recovery_run(store, async->spool_dir);
}

static void async_store_on_recovery_due(void *arg);

static void async_store_on_recovered(int err, void *arg)
{
	struct async_store *async = arg;

	(void)err; /* recovery.c has logged it; it is retried at the next interval */
	if (!async->closing)
		timer_set(&async->loop->timers, &async->recovery_timer, RECOVERY_INTERVAL_US,
			  async_store_on_recovery_due, async);
}

static void async_store_on_recovery_due(void *arg)
{
	struct async_store *async = arg;

	timer_clear(&async->loop->timers, &async->recovery_timer);
	async_store_run_at_once(async, LANE_LEDGER, async_store_recover_work,
				async_store_on_recovered, async);
}

void async_store_reconnected(struct async_store *async)
{
	if (async->spool_dir && !async->closing && timer_is_set(&async->recovery_timer))
		async_store_on_recovery_due(async);
}

static int async_store_make_spool_dir(char **dirp, const char *data_dir)
{
	size_t size = strlen(data_dir) + sizeof("/spool");
	char *dir = mem_zalloc(size, NULL);

	if (!dir)
		return ENOMEM;
	snprintf(dir, size, "%s/spool", data_dir);
	if (mkdir(dir, 0700) != 0 && errno != EEXIST) {
		log_error("account", "%s: %s: while the store is away, rows wait in memory", dir,
			  strerror(errno));
		mem_deref(dir);
		return 0; /* the server can work without a spool */
	}
	*dirp = dir;
	return 0;
}

static int async_store_open_disk(struct async_store *async, struct store *store,
				 const struct async_store_options *options)
{
	size_t rows = options->spool_rows > 0 ? options->spool_rows : ASYNC_STORE_SPOOL_ROWS;
	int err;

	/* A store in memory loses its keys, so spooled rows would not belong to any account. */
	if (!options->data_dir || options->data_dir[0] == '\0' || store->is_volatile)
		return 0;
	err = async_store_make_spool_dir(&async->spool_dir, options->data_dir);
	if (err || !async->spool_dir)
		return err;
	recovery_run(store, async->spool_dir);
	return disk_open(async, async->spool_dir, rows);
}

int async_store_alloc(struct async_store **asyncp, struct loop *loop, struct store *store,
		      const struct async_store_options *options)
{
	struct async_store *async = mem_zalloc(sizeof(*async), async_store_destroy);
	int err;

	if (!async)
		return ENOMEM;
	async->usage.ops = &usage_ledger_ops;
	async->loop = loop;
	for (int i = 0; i < LANES; ++i)
		list_init(&async->queues[i].queries);
	err = ledger_open(async);
	if (!err)
		err = async_store_make_server_id(async->server_id);
	if (!err)
		err = async_store_open_disk(async, store, options);
	if (!err)
		err = async_store_open_lanes(async, options->address);
	if (err) {
		mem_deref(async);
		return err;
	}
	async->lanes[LANE_LEDGER].store = store;
	if (async->spool_dir)
		async_store_on_recovered(0, async);
	*asyncp = async;
	return 0;
}
