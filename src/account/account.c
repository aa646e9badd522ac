/*
 * account.c: keys and the ledger, as the event loop sees them (see account.h).
 *
 *   loop:   account_check, account_book --submit--> thread
 *   thread: every check of the batch, then all its turns in one transaction, then
 *           a question, of which there is one at a time
 *   loop:   handlers; turns that failed wait in `unsaved` for the next try
 *
 * A request belongs to the loop, except between thread_submit and its done.
 */
#include "account/account.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <string.h>
#include <sys/random.h>

#include "base/clock.h"
#include "base/count.h"
#include "base/log.h"
#include "base/mem.h"
#include "loop/thread.h"

/* Between tries to reach a store that failed. */
#define RETRY_MIN_US UINT64_C(100000)
#define RETRY_MAX_US UINT64_C(10000000)

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
#define LETTERS (sizeof(letters) - 1)

static const char key_start[] = "ka_";
#define KEY_START_LEN (sizeof(key_start) - 1)

struct account {
	struct loop *loop;
	struct store *store; /* the thread's while it runs */
	struct thread *thread;
	struct list unsaved; /* bookings that the store did not take, oldest first */
	size_t waiting; /* bookings that are not durable */
	struct timer retry;
	uint64_t retry_us;
	struct list questions; /* that wait; the first may be with the thread */
	bool is_asking; /* it is */
	bool closing;
};

enum request_kind { REQUEST_CHECK, REQUEST_BOOKING, REQUEST_QUESTION };

struct request {
	struct task task;
	struct account *account;
	enum request_kind kind;
	int err; /* the thread's answer */
};

struct account_check {
	struct request request;
	bool malformed; /* no key can have this text */
	char prefix[STORE_KEY_PREFIX_LEN + 1];
	uint8_t hash[STORE_KEY_HASH_LEN];
	struct store_key key;
	account_check_h *handler; /* NULL: forgotten */
	void *arg;
};

struct account_booking {
	struct request request;
	struct store_turn turn;
	account_booked_h *handler; /* NULL: told, or nobody waits */
	void *arg;
};

struct question {
	struct request request;
	struct link link; /* among the account's */
	account_work_h *work;
	account_done_h *done;
	void *arg;
};

static struct request *request_of(struct link *link)
{
	return LIST_OBJECT(link, struct request, task.link);
}

static struct account_check *check_of(struct request *request)
{
	return LIST_OBJECT(request, struct account_check, request);
}

static struct account_booking *booking_of(struct request *request)
{
	return LIST_OBJECT(request, struct account_booking, request);
}

/* On the thread. */
static int answer_check(struct store *store, struct account_check *check)
{
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

/* On the thread, inside a transaction.  A turn that can never be booked keeps
 * its EINVAL and does not take the others with it. */
static int add_turns(struct store *store, struct list *batch)
{
	for (struct link *l = list_first(batch); l; l = list_next(batch, l)) {
		struct request *request = request_of(l);

		if (request->kind != REQUEST_BOOKING)
			continue;
		request->err = store->ops->turn_add(store, &booking_of(request)->turn);
		if (request->err && request->err != EINVAL)
			return request->err;
	}
	return store->ops->commit(store);
}

/* On the thread: all turns of the batch, or none. */
static void book_turns(struct store *store, struct list *batch)
{
	int err = store->ops->begin(store);

	if (!err) {
		err = add_turns(store, batch);
		if (err)
			store->ops->rollback(store);
	}
	if (!err)
		return;
	for (struct link *l = list_first(batch); l; l = list_next(batch, l)) {
		if (request_of(l)->kind == REQUEST_BOOKING)
			request_of(l)->err = EIO;
	}
}

static int answer_question(struct store *store, struct request *request)
{
	struct question *question = LIST_OBJECT(request, struct question, request);

	return question->work(store, question->arg);
}

static void run(struct list *batch, void *arg)
{
	struct account *account = arg;
	struct request *question = NULL;
	bool has_turns = false;

	/* Checks first: somebody waits for a connection. */
	for (struct link *l = list_first(batch); l; l = list_next(batch, l)) {
		struct request *request = request_of(l);

		if (request->kind == REQUEST_CHECK)
			request->err = answer_check(account->store, check_of(request));
		else if (request->kind == REQUEST_BOOKING)
			has_turns = true;
		else
			question = request;
	}
	if (has_turns)
		book_turns(account->store, batch);
	if (question)
		question->err = answer_question(account->store, question);
}

static void on_checked(struct task *task)
{
	struct account_check *check = check_of(request_of(&task->link));

	if (check->handler)
		check->handler(check->request.err, check->request.err ? NULL : &check->key,
			       check->arg);
	mem_deref(check);
}

/* "ka_" and 40 letters, behind a region or not; NULL for another text. */
static const char *key_text(const char *key, size_t len)
{
	static const char *const regions[] = {"eu-", "us-", "global-"};

	for (size_t i = 0; i < COUNT(regions); ++i) {
		size_t n = strlen(regions[i]);

		if (len > n && memcmp(key, regions[i], n) == 0) {
			key += n;
			len -= n;
			break;
		}
	}
	if (len != ACCOUNT_KEY_LEN || memcmp(key, key_start, KEY_START_LEN) != 0)
		return NULL;
	for (size_t i = KEY_START_LEN; i < len; ++i) {
		if (!memchr(letters, key[i], LETTERS))
			return NULL;
	}
	return key;
}

static int hash_of(uint8_t hash[STORE_KEY_HASH_LEN], const char *text)
{
	return EVP_Digest(text, ACCOUNT_KEY_LEN, hash, NULL, EVP_sha256(), NULL) == 1 ? 0 : ENOMEM;
}

int account_check(struct account_check **checkp, struct account *account, const char *key,
		  size_t len, account_check_h *handler, void *arg)
{
	struct account_check *check = mem_zalloc(sizeof(*check), NULL);
	const char *text = key_text(key, len);

	if (!check)
		return ENOMEM;
	check->request.account = account;
	check->handler = handler;
	check->arg = arg;
	check->malformed = text == NULL;
	/* Only the hash waits for the thread: the text is not kept. */
	if (text) {
		memcpy(check->prefix, text, STORE_KEY_PREFIX_LEN);
		if (hash_of(check->hash, text)) {
			mem_deref(check);
			return ENOMEM;
		}
	}
	*checkp = check;
	thread_submit(account->thread, &check->request.task, on_checked);
	return 0;
}

void account_forget(struct account_check *check)
{
	check->handler = NULL;
}

/* All that an operator needs to book the row by hand. */
static void log_turn(const char *what, const struct store_turn *turn)
{
	log_error("account",
		  "%s turn=%s key=%" PRId64 " at_ms=%" PRId64 " status=%d samples=%" PRIu64
		  " rate=%" PRIu32 " characters=%" PRIu64 " voice=%" PRId64
		  " model=%s microcents=%" PRId64,
		  what, turn->id, turn->key_id, turn->at_ms, (int)turn->status, turn->samples,
		  turn->sample_rate, turn->characters, turn->voice_id, turn->model_id,
		  turn->amount_microcents);
}

static void tell(struct account_booking *booking, int err)
{
	account_booked_h *handler = booking->handler;

	booking->handler = NULL;
	if (handler)
		handler(err, booking->arg);
}

static void end_booking(struct account_booking *booking, int err)
{
	--booking->request.account->waiting;
	tell(booking, err);
	mem_deref(booking);
}

static void on_booked(struct task *task);

static void retry(void *arg)
{
	struct account *account = arg;
	struct link *link;

	timer_clear(&account->loop->timers, &account->retry);
	while ((link = list_first(&account->unsaved))) {
		list_remove(&account->unsaved, link);
		thread_submit(account->thread, &request_of(link)->task, on_booked);
	}
}

static void on_retry_due(void *arg)
{
	struct account *account = arg;

	log_warn("account", "the store does not take turns: %zu wait", account->unsaved.count);
	account->retry_us *= 2;
	if (account->retry_us > RETRY_MAX_US)
		account->retry_us = RETRY_MAX_US;
	retry(account);
}

static void keep_unsaved(struct account *account, struct account_booking *booking)
{
	list_append(&account->unsaved, &booking->request.task.link);
	if (account->closing || timer_is_set(&account->retry))
		return;
	/* Without memory for a timer the next turn's booking is the next try. */
	timer_set(&account->loop->timers, &account->retry, account->retry_us, on_retry_due,
		  account);
}

static void on_booked(struct task *task)
{
	struct account_booking *booking = booking_of(request_of(&task->link));
	struct account *account = booking->request.account;

	if (booking->request.err == EIO) {
		keep_unsaved(account, booking);
		tell(booking, EIO);
		return;
	}
	if (booking->request.err) { /* the key does not exist: a bug of ours */
		log_turn("a turn cannot be booked:", &booking->turn);
		end_booking(booking, EIO);
		return;
	}
	account->retry_us = RETRY_MIN_US;
	if (account->unsaved.count > 0 && !account->closing)
		retry(account); /* the store is back */
	end_booking(booking, 0);
}

int account_book(struct account_booking **bookingp, struct account *account,
		 const struct store_turn *turn, account_booked_h *handler, void *arg)
{
	struct account_booking *booking;

	if (account->waiting >= ACCOUNT_WAITING_MAX) {
		log_turn("too many turns wait for the store, this one is not booked:", turn);
		return ENOBUFS;
	}
	booking = mem_zalloc(sizeof(*booking), NULL);
	if (!booking) {
		log_turn("out of memory, a turn is not booked:", turn);
		return ENOMEM;
	}
	booking->request.account = account;
	booking->request.kind = REQUEST_BOOKING;
	booking->turn = *turn;
	booking->handler = handler;
	booking->arg = arg;
	++account->waiting;
	if (bookingp)
		*bookingp = booking;
	thread_submit(account->thread, &booking->request.task, on_booked);
	return 0;
}

void account_unlisten(struct account_booking *booking)
{
	booking->handler = NULL;
}

static void end_question(struct question *question, int err)
{
	list_remove(&question->request.account->questions, &question->link);
	question->done(err, question->arg);
	mem_deref(question);
}

static void ask_next(struct account *account);

static void on_answered(struct task *task)
{
	struct request *request = request_of(&task->link);
	struct account *account = request->account;

	end_question(LIST_OBJECT(request, struct question, request), request->err);
	account->is_asking = false;
	ask_next(account);
}

static void ask_next(struct account *account)
{
	struct link *first = list_first(&account->questions);

	if (!first || account->is_asking || account->closing)
		return;
	account->is_asking = true;
	thread_submit(account->thread, &LIST_OBJECT(first, struct question, link)->request.task,
		      on_answered);
}

int account_ask(struct account *account, account_work_h *work, account_done_h *done, void *arg)
{
	struct question *question;

	if (account->closing)
		return ESHUTDOWN;
	question = mem_zalloc(sizeof(*question), NULL);
	if (!question)
		return ENOMEM;
	question->request.account = account;
	question->request.kind = REQUEST_QUESTION;
	question->work = work;
	question->done = done;
	question->arg = arg;
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

size_t account_waiting(const struct account *account)
{
	return account->waiting;
}

/* The thread has ended: what it could not book is tried once more, here. */
static void save_the_rest(struct account *account)
{
	struct link *link;

	if (account->unsaved.count > 0)
		book_turns(account->store, &account->unsaved);
	while ((link = list_first(&account->unsaved))) {
		struct account_booking *booking = booking_of(request_of(link));

		list_remove(&account->unsaved, link);
		if (booking->request.err)
			log_turn("the store is gone, a turn is not booked:", &booking->turn);
		end_booking(booking, booking->request.err);
	}
}

static void account_destroy(void *object)
{
	struct account *account = object;

	account->closing = true;
	if (account->thread) {
		timer_clear(&account->loop->timers, &account->retry);
		thread_finish(account->thread);
		save_the_rest(account);
		cancel_questions(account);
		mem_deref(account->thread);
	}
	mem_deref(account->store);
}

int account_alloc(struct account **accountp, struct loop *loop, struct store *store)
{
	struct account *account = mem_zalloc(sizeof(*account), account_destroy);
	int err;

	if (!account)
		return ENOMEM;
	account->loop = loop;
	account->retry_us = RETRY_MIN_US;
	list_init(&account->unsaved);
	list_init(&account->questions);
	err = thread_alloc(&account->thread, loop, "account", run, account);
	if (err) {
		mem_deref(account);
		return err;
	}
	account->store = store;
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

/* Letters of equal chance: bytes past the last multiple of 62 are thrown away. */
static int random_letters(char *out, size_t count)
{
	uint8_t bytes[64];
	size_t made = 0;

	while (made < count) {
		ssize_t n = getrandom(bytes, sizeof(bytes), 0);

		if (n < 0 && errno != EINTR)
			return errno;
		for (ssize_t i = 0; i < n && made < count; ++i) {
			if (bytes[i] < 256 / LETTERS * LETTERS)
				out[made++] = letters[bytes[i] % LETTERS];
		}
	}
	OPENSSL_cleanse(bytes, sizeof(bytes));
	return 0;
}

int account_key_make(char text[ACCOUNT_KEY_LEN + 1], struct store_key *key, const char *name)
{
	int err;

	if (strlen(name) > STORE_NAME_MAX)
		return EINVAL;
	memcpy(text, key_start, KEY_START_LEN);
	err = random_letters(text + KEY_START_LEN, ACCOUNT_KEY_LEN - KEY_START_LEN);
	if (err)
		return err;
	text[ACCOUNT_KEY_LEN] = '\0';
	*key = (struct store_key){
		.project_id = STORE_PROJECT_DEFAULT,
		.scopes = STORE_SCOPES_USUAL,
		.credit_cents = -1,
		.streams_max = -1,
		.created_ms = clock_wall_ms(),
	};
	memcpy(key->prefix, text, STORE_KEY_PREFIX_LEN);
	memcpy(key->name, name, strlen(name) + 1);
	return hash_of(key->hash, text);
}
