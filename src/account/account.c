/*
 * account.c: lanes to the store, questions and keys (see account.h).
 *
 *   loop:   account_ask, account_book --submit--> thread of a lane
 *   thread: every short question of the batch, then all its turns in one transaction,
 *           then a long question, of which there is one at a time
 *   loop:   handlers
 *
 * Long questions come by rounds: one of each asker is in a round.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>

#include "account/account_private.h"
#include "account/adopt.h"
#include "base/log.h"
#include "base/mem.h"

struct question {
	struct request request;
	struct link link; /* in its queue */
	int lane;
	int64_t asker;
	uint64_t round;
	account_work_h *work;
	account_done_h *done;
	void *arg;
};

static struct question *question_of(struct request *request)
{
	return LIST_OBJECT(request, struct question, request);
}

/* On the thread. */
static void answer(struct store *store, struct request *request)
{
	struct question *question = question_of(request);

	request->err = question->work(store, question->arg);
}

static void answer_all(struct store *store, struct list *batch, enum request_kind kind)
{
	for (struct link *l = list_first(batch); l; l = list_next(batch, l)) {
		if (request_of(l)->kind == kind)
			answer(store, request_of(l));
	}
}

static void run(struct list *batch, void *arg)
{
	struct lane *lane = arg;

	answer_all(lane->store, batch, REQUEST_ACCESS);
	if (lane == &lane->account->lanes[LANE_LEDGER])
		ledger_run(lane, batch);
	answer_all(lane->store, batch, REQUEST_QUESTION);
}

void account_submit(struct account *account, int lane, struct request *request, task_done_h *done)
{
	struct thread *thread = account->lanes[lane].thread;

	thread_submit(thread ? thread : account->lanes[0].thread, &request->task, done);
}

static void on_access_answered(struct task *task)
{
	struct question *question = question_of(request_of(&task->link));

	question->done(question->request.err, question->arg);
	mem_deref(question);
}

static struct question *question_linked(struct link *link)
{
	return LIST_OBJECT(link, struct question, link);
}

static void end_question(struct question *question, int err)
{
	list_remove(&question->request.account->queues[question->lane].questions, &question->link);
	question->done(err, question->arg);
	mem_deref(question);
}

static void ask_next(struct account *account, int lane);

static void on_question_answered(struct task *task)
{
	struct request *request = request_of(&task->link);
	struct account *account = request->account;
	int lane = question_of(request)->lane;

	end_question(question_of(request), request->err);
	account->queues[lane].is_asking = false;
	ask_next(account, lane);
}

static void ask_next(struct account *account, int lane)
{
	struct queue *queue = &account->queues[lane];
	struct link *first = list_first(&queue->questions);

	if (!first || queue->is_asking || account->closing)
		return;
	queue->is_asking = true;
	queue->round = question_linked(first)->round;
	account_submit(account, lane, &question_linked(first)->request, on_question_answered);
}

/* The asker's last question, or NULL. */
static struct question *last_of(const struct list *questions, int64_t asker)
{
	struct link *link = list_last(questions);

	while (link && question_linked(link)->asker != asker)
		link = list_prev(questions, link);
	return link ? question_linked(link) : NULL;
}

/* In the round behind its asker's last question, at that round's end. */
static void line_up(struct queue *queue, struct question *question)
{
	const struct question *last = last_of(&queue->questions, question->asker);
	struct link *behind = list_last(&queue->questions);
	struct link *before = NULL;

	question->round = last ? last->round + 1 : queue->round;
	for (; behind && question_linked(behind)->round > question->round;
	     behind = list_prev(&queue->questions, behind))
		before = behind;
	if (before)
		list_insert_before(&queue->questions, before, &question->link);
	else
		list_append(&queue->questions, &question->link);
}

static struct question *question_alloc(struct account *account, account_work_h *work,
				       account_done_h *done, void *arg)
{
	struct question *question = mem_zalloc(sizeof(*question), NULL);

	if (!question)
		return NULL;
	question->request.account = account;
	question->work = work;
	question->done = done;
	question->arg = arg;
	return question;
}

int account_ask_at_once(struct account *account, int lane, account_work_h *work,
			account_done_h *done, void *arg)
{
	struct question *question = question_alloc(account, work, done, arg);

	if (!question)
		return ENOMEM;
	question->request.kind = REQUEST_ACCESS;
	account_submit(account, lane, &question->request, on_access_answered);
	return 0;
}

int account_ask_for(struct account *account, enum account_lane lane, int64_t asker,
		    account_work_h *work, account_done_h *done, void *arg)
{
	struct question *question;

	if (account->closing)
		return ESHUTDOWN;
	if (lane == ACCOUNT_ACCESS)
		return account_ask_at_once(account, LANE_ACCESS, work, done, arg);
	question = question_alloc(account, work, done, arg);
	if (!question)
		return ENOMEM;
	question->request.kind = REQUEST_QUESTION;
	question->lane = lane == ACCOUNT_REPORTS ? LANE_REPORTS : LANE_QUESTIONS;
	question->asker = asker;
	line_up(&account->queues[question->lane], question);
	ask_next(account, question->lane);
	return 0;
}

int account_ask(struct account *account, enum account_lane lane, account_work_h *work,
		account_done_h *done, void *arg)
{
	return account_ask_for(account, lane, 0, work, done, arg);
}

static void cancel_questions(struct account *account)
{
	struct link *first;

	for (int i = 0; i < LANES; ++i) {
		while ((first = list_first(&account->queues[i].questions)))
			end_question(question_linked(first), ECANCELED);
	}
}

const char *account_server_id(const struct account *account)
{
	return account->server_id;
}

static void finish_threads(struct account *account)
{
	for (int i = 0; i < LANES; ++i) {
		if (account->lanes[i].thread)
			thread_finish(account->lanes[i].thread);
	}
}

static void account_destroy(void *object)
{
	struct account *account = object;

	account->closing = true;
	timer_clear(&account->loop->timers, &account->adopt_again);
	finish_threads(account);
	disk_finish(account); /* after the store's, whose failures it takes */
	ledger_finish(account);
	disk_close(account);
	cancel_questions(account);
	mem_deref(account->spool_dir);
	for (int i = LANES - 1; i >= 0; --i) {
		mem_deref(account->lanes[i].thread);
		mem_deref(account->lanes[i].store);
	}
}

static int open_lane(struct account *account, int number, const char *address)
{
	static const char *const names[LANES] = {"ledger", "access", "questions", "reports"};
	struct lane *lane = &account->lanes[number];
	bool is_away;
	int err = 0;

	lane->account = account;
	if (number != LANE_LEDGER)
		err = store_open_patiently(&lane->store, &is_away, address);
	return err ? err : thread_alloc(&lane->thread, account->loop, names[number], run, lane);
}

static int open_lanes(struct account *account, const char *address)
{
	int err = 0;

	for (int i = 0; i < LANES && !err; ++i) {
		if (i == LANE_LEDGER || address)
			err = open_lane(account, i, address);
	}
	return err;
}

static int make_server_id(char id[STORE_SERVER_ID_LEN + 1])
{
	uint64_t number;

	if (getrandom(&number, sizeof(number), 0) != sizeof(number))
		return EIO;
	snprintf(id, STORE_SERVER_ID_LEN + 1, "%016llx", (unsigned long long)number);
	return 0;
}

static int adopt_work(struct store *store, void *arg)
{
	const struct account *account = arg;

	return adopt_left(store, account->spool_dir);
}

static void on_adopt_due(void *arg);

static void on_adopted(int err, void *arg)
{
	struct account *account = arg;

	(void)err; /* was logged, and is tried again like everything else */
	if (!account->closing)
		timer_set(&account->loop->timers, &account->adopt_again, ADOPT_AGAIN_US,
			  on_adopt_due, account);
}

static void on_adopt_due(void *arg)
{
	struct account *account = arg;

	timer_clear(&account->loop->timers, &account->adopt_again);
	account_ask_at_once(account, LANE_LEDGER, adopt_work, on_adopted, account);
}

void account_store_came(struct account *account)
{
	if (account->spool_dir && !account->closing && timer_is_set(&account->adopt_again))
		on_adopt_due(account);
}

static int make_spool_dir(char **dirp, const char *data_dir)
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
		return 0; /* no reason not to speak */
	}
	*dirp = dir;
	return 0;
}

static int open_disk(struct account *account, struct store *store,
		     const struct account_options *options)
{
	size_t rows = options->spool_rows > 0 ? options->spool_rows : ACCOUNT_SPOOL_ROWS;
	int err;

	/* Rows that outlived their keys would be nobody's. */
	if (!options->data_dir || options->data_dir[0] == '\0' || store->is_volatile)
		return 0;
	err = make_spool_dir(&account->spool_dir, options->data_dir);
	if (err || !account->spool_dir)
		return err;
	adopt_left(store, account->spool_dir);
	return disk_open(account, account->spool_dir, rows);
}

int account_alloc(struct account **accountp, struct loop *loop, struct store *store,
		  const struct account_options *options)
{
	struct account *account = mem_zalloc(sizeof(*account), account_destroy);
	int err;

	if (!account)
		return ENOMEM;
	account->usage.ops = &usage_ledger_ops;
	account->loop = loop;
	for (int i = 0; i < LANES; ++i)
		list_init(&account->queues[i].questions);
	err = ledger_open(account);
	if (!err)
		err = make_server_id(account->server_id);
	if (!err)
		err = open_disk(account, store, options);
	if (!err)
		err = open_lanes(account, options->address);
	if (err) {
		mem_deref(account);
		return err;
	}
	account->lanes[LANE_LEDGER].store = store;
	if (account->spool_dir)
		on_adopted(0, account);
	*accountp = account;
	return 0;
}
