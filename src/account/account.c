/*
 * account.c: lanes to the store, questions and keys (see account.h).
 *
 *   loop:   account_check, account_ask, account_book --submit--> thread of a lane
 *   thread: every short question of the batch, then all its turns in one transaction,
 *           then a long question, of which there is one at a time
 *   loop:   handlers
 */
#include <assert.h>
#include <errno.h>
#include <openssl/crypto.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "account/account_private.h"
#include "base/log.h"
#include "base/mem.h"

struct question {
	struct request request;
	struct link link; /* among the account's, of ACCOUNT_QUESTIONS */
	account_work_h *work;
	account_done_h *done;
	void *arg;
};

struct account_check {
	bool malformed; /* no key can have this text */
	char prefix[STORE_KEY_PREFIX_LEN + 1];
	uint8_t hash[STORE_KEY_HASH_LEN];
	struct store_key key;
	account_check_h *handler; /* NULL: forgotten */
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

static void run(struct list *batch, void *arg)
{
	struct lane *lane = arg;
	struct request *long_one = NULL;

	for (struct link *l = list_first(batch); l; l = list_next(batch, l)) {
		struct request *request = request_of(l);

		if (request->kind == REQUEST_ACCESS)
			answer(lane->store, request);
		else if (request->kind == REQUEST_QUESTION)
			long_one = request;
	}
	ledger_run(lane->store, batch);
	if (long_one)
		answer(lane->store, long_one);
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

static void end_question(struct question *question, int err)
{
	list_remove(&question->request.account->questions, &question->link);
	question->done(err, question->arg);
	mem_deref(question);
}

static void ask_next(struct account *account);

static void on_question_answered(struct task *task)
{
	struct request *request = request_of(&task->link);
	struct account *account = request->account;

	end_question(question_of(request), request->err);
	account->is_asking = false;
	ask_next(account);
}

static void ask_next(struct account *account)
{
	struct link *first = list_first(&account->questions);

	if (!first || account->is_asking || account->closing)
		return;
	account->is_asking = true;
	account_submit(account, LANE_QUESTIONS, &LIST_OBJECT(first, struct question, link)->request,
		       on_question_answered);
}

int account_ask(struct account *account, enum account_lane lane, account_work_h *work,
		account_done_h *done, void *arg)
{
	struct question *question;

	if (account->closing)
		return ESHUTDOWN;
	question = mem_zalloc(sizeof(*question), NULL);
	if (!question)
		return ENOMEM;
	question->request.account = account;
	question->work = work;
	question->done = done;
	question->arg = arg;
	if (lane == ACCOUNT_ACCESS) {
		question->request.kind = REQUEST_ACCESS;
		account_submit(account, LANE_ACCESS, &question->request, on_access_answered);
		return 0;
	}
	question->request.kind = REQUEST_QUESTION;
	list_append(&account->questions, &question->link);
	ask_next(account);
	return 0;
}

static void cancel_questions(struct account *account)
{
	struct link *first;

	while ((first = list_first(&account->questions)))
		end_question(LIST_OBJECT(first, struct question, link), ECANCELED);
}

/* On the thread. */
static int look_up(struct store *store, void *arg)
{
	struct account_check *check = arg;
	int err;

	if (check->malformed)
		return EACCES;
	err = store->ops->key_find(store, &check->key, check->prefix);
	if (err)
		return err == ENOENT ? EACCES : EIO;
	if (CRYPTO_memcmp(check->hash, check->key.hash, sizeof(check->hash)) != 0)
		return EACCES;
	return check->key.revoked_ms ? EACCES : 0;
}

static void on_looked_up(int err, void *arg)
{
	struct account_check *check = arg;

	if (check->handler)
		check->handler(err, err ? NULL : &check->key, check->arg);
	mem_deref(check);
}

int account_check(struct account_check **checkp, struct account *account, const char *key,
		  size_t len, account_check_h *handler, void *arg)
{
	struct account_check *check = mem_zalloc(sizeof(*check), NULL);
	int err;

	if (!check)
		return ENOMEM;
	check->handler = handler;
	check->arg = arg;
	/* Only the hash waits for the thread: the text is not kept. */
	err = account_key_read(check->prefix, check->hash, key, len);
	check->malformed = err == EINVAL;
	if (err != ENOMEM)
		err = account_ask(account, ACCOUNT_ACCESS, look_up, on_looked_up, check);
	if (err) {
		mem_deref(check);
		return err;
	}
	*checkp = check;
	return 0;
}

void account_forget(struct account_check *check)
{
	check->handler = NULL;
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
	finish_threads(account);
	ledger_finish(account);
	cancel_questions(account);
	for (int i = LANES - 1; i >= 0; --i) {
		mem_deref(account->lanes[i].thread);
		mem_deref(account->lanes[i].store);
	}
}

static int open_lane(struct account *account, int number, const char *address)
{
	static const char *const names[LANES] = {"ledger", "access", "questions"};
	struct lane *lane = &account->lanes[number];
	int err = 0;

	lane->account = account;
	if (number != LANE_LEDGER)
		err = store_open(&lane->store, address);
	return err ? err : thread_alloc(&lane->thread, account->loop, names[number], run, lane);
}

static int open_lanes(struct account *account, const char *address)
{
	bool is_alone = !address || strcmp(address, "memory:") == 0;
	int err = 0;

	for (int i = 0; i < LANES && !err; ++i) {
		if (i == LANE_LEDGER || !is_alone)
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

int account_alloc(struct account **accountp, struct loop *loop, struct store *store,
		  const struct account_options *options)
{
	struct account *account = mem_zalloc(sizeof(*account), account_destroy);
	int err;

	if (!account)
		return ENOMEM;
	account->loop = loop;
	list_init(&account->questions);
	ledger_init(account);
	err = make_server_id(account->server_id);
	if (!err)
		err = open_lanes(account, options->address);
	if (err) {
		mem_deref(account);
		return err;
	}
	account->lanes[LANE_LEDGER].store = store;
	*accountp = account;
	return 0;
}

int64_t account_price_microcents(uint64_t samples, uint32_t sample_rate,
				 int64_t microcents_per_minute)
{
	__extension__ typedef unsigned __int128 wide;
	wide per_minute = (wide)sample_rate * 60;
	wide product;
	wide price;

	assert(sample_rate > 0 && microcents_per_minute >= 0);
	product = (wide)samples * (uint64_t)microcents_per_minute;
	price = product / per_minute + (product % per_minute * 2 >= per_minute);
	return price > INT64_MAX ? INT64_MAX : (int64_t)price;
}
