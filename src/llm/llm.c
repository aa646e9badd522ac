/*
 * llm.c: the life of an answer (see llm.h).
 *
 *   WAITING ── a word ──> STREAMING ── end, break, cut ──> ENDED
 *     │  └─ a try fails: again, the other model, the sentence ──^
 *     └─ begin_ms without a word: the sentence ─────────────────^
 *
 * Whatever calls a handler may find the answer gone when it returns: is_gone is
 * a flag on the caller's stack that the destructor sets.
 */
#include "llm/llm.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "base/clock.h"
#include "base/count.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "llm/llm_private.h"
#include "net/tls.h"
#include "wire/llm_event.h"

/* An event of OpenAI's Responses repeats the whole answer at its end. */
#define EVENT_MAX (1024u * 1024u)

/* What is said at most: five hours of speech. */
#define SAID_MAX (256u * 1024u)

/* On the wire an event is a hundred times as long as its word. */
#define ANSWER_MAX (64u * 1024u * 1024u)

#define BODY_MAX (4u * 1024u * 1024u)
#define REFUSAL_MAX 4096u /* of an error's body, for the log */
#define PAUSE_MS 100u /* before a server that is busy is asked again */
#define PAUSE_ROOM_MS 250u /* for the answer behind a pause; with less it is not worth waiting */
#define MARK_MS 500u /* for what follows the last word: figures, and a mark of the end */
#define ON_TIME_MS 50u /* before begin_ms: by then the sentence is to be there, not to leave */
#define WHY_SIZE 512
#define KEY_PART_MIN 6u /* a shorter beginning is that of many keys: "sk-an" */

static void begin_try(struct llm_answer *answer);

const char *llm_end_name(enum llm_end end)
{
	static const char *const names[] = {
#define X(id, name) [id] = (name),
		LLM_ENDS(X)
#undef X
	};

	return names[end];
}

static struct timers *timers_of(const struct llm_answer *answer)
{
	return &answer->client->loop->timers;
}

static uint32_t elapsed_ms(const struct llm_answer *answer)
{
	return (uint32_t)((timers_of(answer)->now_us - answer->began_us) / 1000);
}

static void stop_try(struct llm_answer *answer)
{
	timer_clear(timers_of(answer), &answer->try_timer);
	answer->call = mem_deref(answer->call);
	sse_reset(&answer->sse);
	buf_reset(&answer->refusal);
}

static void answer_destroy(void *object)
{
	struct llm_answer *answer = object;

	if (answer->is_gone)
		*answer->is_gone = true;
	stop_try(answer);
	timer_clear(timers_of(answer), &answer->answer_timer);
	for (size_t i = 0; i < COUNT(answer->bodies); ++i)
		buf_reset(&answer->bodies[i]);
	mem_deref(answer->agent);
	mem_deref(answer->client);
}

/* Tokens that the model has not counted are estimated. */
static void llm_answer_figures(struct llm_figures *figures, const struct llm_answer *answer)
{
	*figures = answer->figures;
	figures->whole_ms = elapsed_ms(answer);
	figures->is_other_model = answer->target > 0;
	figures->is_in_estimated = figures->tokens_in == 0;
	if (figures->is_in_estimated)
		figures->tokens_in = answer->asked_tokens;
	figures->is_out_estimated = figures->tokens_out == 0 && answer->said_characters > 0;
	if (figures->is_out_estimated)
		figures->tokens_out = llm_estimate(answer->said_characters);
}

void llm_answer_end(struct llm_answer *answer, enum llm_end end)
{
	answer->state = LLM_ENDED;
	stop_try(answer);
	timer_clear(timers_of(answer), &answer->answer_timer);
	llm_answer_figures(&answer->figures, answer);
	if (end == LLM_FALLBACK || end == LLM_SILENT)
		answer->figures.is_other_model = false;
	answer->handlers->done(end, &answer->figures, answer->arg);
}

static bool has_word(const char *text, size_t len)
{
	for (size_t i = 0; i < len; ++i)
		if (!strchr(" \t\r\n", text[i]))
			return true;
	return false;
}

static void on_too_long(void *arg)
{
	struct llm_answer *answer = arg;

	log_warn("llm", "agent=%s the answer was cut after %u ms", answer->agent->name,
		 answer->agent->whole_ms);
	llm_answer_end(answer, LLM_CUT);
}

/* From now on nothing is tried again. */
static void start_streaming(struct llm_answer *answer)
{
	uint32_t elapsed = elapsed_ms(answer);
	uint32_t left = answer->agent->whole_ms > elapsed ? answer->agent->whole_ms - elapsed : 0;

	answer->state = LLM_STREAMING;
	answer->figures.first_delta_ms = elapsed;
	timer_set(timers_of(answer), &answer->answer_timer, left * UINT64_C(1000), on_too_long,
		  answer);
}

/* False when the handler has given the answer up. */
static bool tell_delta(struct llm_answer *answer, const char *text, size_t len)
{
	bool is_gone = false;

	answer->is_gone = &is_gone; // cppcheck-suppress autoVariables
	answer->handlers->delta(text, len, answer->arg);
	if (is_gone)
		return false;
	answer->is_gone = NULL;
	return true;
}

bool llm_answer_say(struct llm_answer *answer, const char *text, size_t len)
{
	if (answer->state == LLM_WAITING && has_word(text, len))
		start_streaming(answer);
	answer->said += len;
	answer->said_characters += utf8_count(text, len);
	++answer->deltas;
	if (!tell_delta(answer, text, len))
		return false;
	if (answer->said < SAID_MAX)
		return true;
	log_warn("llm", "agent=%s the answer was cut after %zu bytes", answer->agent->name,
		 answer->said);
	llm_answer_end(answer, LLM_CUT);
	return false;
}

static void say_sentence(struct llm_answer *answer)
{
	const char *sentence = answer->agent->sentence;

	stop_try(answer);
	if (sentence[0] == '\0') {
		llm_answer_end(answer, LLM_SILENT);
		return;
	}
	answer->figures.first_delta_ms = elapsed_ms(answer);
	if (tell_delta(answer, sentence, strlen(sentence)))
		llm_answer_end(answer, LLM_FALLBACK);
}

/* Where the key begins in these words, which may have been cut inside it. */
static char *find_key(char *words, const char *key)
{
	size_t len = strlen(words);
	char *found = strstr(words, key);

	for (size_t n = strlen(key) - 1; !found && n >= KEY_PART_MIN; --n)
		if (len >= n && memcmp(words + len - n, key, n) == 0)
			found = words + len - n;
	return found;
}

/* Words of a stranger's on one line, without the key if they have it. */
static void clean_words(char *words, const char *key)
{
	char *found = key && key[0] ? find_key(words, key) : NULL;

	if (found)
		snprintf(found, WHY_SIZE - (size_t)(found - words), "(the key)");
	for (char *c = words; *c; ++c)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = ' ';
}

static void note_failure(struct llm_answer *answer)
{
	++answer->figures.errors;
	answer->handlers->failed(answer->arg);
}

static void on_pause_over(void *arg)
{
	begin_try(arg);
}

static void try_again(struct llm_answer *answer, uint32_t pause_ms)
{
	if (pause_ms == 0)
		begin_try(answer);
	else
		timer_set(timers_of(answer), &answer->try_timer, pause_ms * UINT64_C(1000),
			  on_pause_over, answer);
}

/* What went wrong, and whether to ask the same server again makes sense. */
enum { LLM_FINAL, LLM_AGAIN, LLM_AGAIN_LATER, LLM_LATE };

static bool has_other(const struct llm_answer *answer)
{
	return answer->target + 1 < answer->agent->target_count;
}

static uint32_t pause_before(const struct llm_answer *answer, int what)
{
	if (what != LLM_AGAIN_LATER)
		return 0;
	return answer->busy_ms > PAUSE_MS ? answer->busy_ms : PAUSE_MS;
}

/* A model that is late has used up the time for one more try: another one gets it. */
static bool is_worth_a_retry(const struct llm_answer *answer, int what)
{
	uint64_t then_ms = (uint64_t)elapsed_ms(answer) + pause_before(answer, what);

	if (what == LLM_FINAL || answer->retries_left == 0)
		return false;
	if (what == LLM_LATE)
		return !has_other(answer);
	return answer->busy_ms <= PAUSE_MS || then_ms + PAUSE_ROOM_MS <= answer->agent->begin_ms;
}

static void fail_try(struct llm_answer *answer, int what, const char *words)
{
	const struct llm_target *target = &answer->agent->targets[answer->target];
	char why[WHY_SIZE];

	snprintf(why, sizeof(why), "%s", words);
	clean_words(why, target->key);
	note_failure(answer);
	log_warn("llm", "agent=%s model=%s try=%u after %u ms: %s", answer->agent->name,
		 target->model, answer->figures.tries, elapsed_ms(answer), why);
	stop_try(answer);
	if (answer->state == LLM_STREAMING) {
		llm_answer_end(answer, LLM_BROKEN);
	} else if (is_worth_a_retry(answer, what)) {
		--answer->retries_left;
		try_again(answer, pause_before(answer, what));
	} else if (has_other(answer)) {
		++answer->target;
		answer->retries_left = 0;
		try_again(answer, 0);
	} else {
		say_sentence(answer);
	}
}

static void on_begin_late(void *arg)
{
	struct llm_answer *answer = arg;

	note_failure(answer);
	log_warn("llm", "agent=%s nothing to say after %u ms and %u tries", answer->agent->name,
		 answer->agent->begin_ms, answer->figures.tries);
	say_sentence(answer);
}

/* The model has said all. */
static void finish(struct llm_answer *answer)
{
	if (answer->state == LLM_WAITING) {
		fail_try(answer, LLM_AGAIN, "the answer is empty");
		return;
	}
	http_client_leave(answer->call);
	answer->call = NULL;
	llm_answer_end(answer, answer->is_cut ? LLM_CUT : LLM_WHOLE);
}

static void on_try_late(void *arg)
{
	struct llm_answer *answer = arg;
	char why[WHY_SIZE];

	if (answer->is_finished && answer->state == LLM_STREAMING) {
		finish(answer);
		return;
	}
	if (answer->state == LLM_STREAMING)
		snprintf(why, sizeof(why), "no word came for %u ms", answer->agent->between_ms);
	else
		snprintf(why, sizeof(why), "no word came in %u ms", answer->agent->first_token_ms);
	fail_try(answer, LLM_LATE, why);
}

static void fail_event(struct llm_answer *answer, const struct llm_event *event)
{
	char why[WHY_SIZE];

	snprintf(why, sizeof(why), "the model says: %.*s",
		 event->error_len < WHY_SIZE ? (int)event->error_len : WHY_SIZE, event->error);
	fail_try(answer, LLM_AGAIN_LATER, why);
}

static void note_figures(struct llm_answer *answer, const struct llm_event *event)
{
	if (event->tokens_in)
		answer->figures.tokens_in = event->tokens_in;
	if (event->tokens_out)
		answer->figures.tokens_out = event->tokens_out;
	answer->is_finished |= event->is_finished;
	answer->is_cut |= event->is_cut;
}

/* False when no more events are to be read. */
static bool take_event(struct llm_answer *answer, const struct sse_event *sse_event)
{
	struct llm_event event;

	if (llm_event_read(&event, answer->agent->dialect, sse_event->data, sse_event->len) != 0) {
		fail_try(answer, LLM_AGAIN, "an event is no JSON");
		return false;
	}
	note_figures(answer, &event);
	if (event.text && !llm_answer_say(answer, event.text, event.len))
		return false;
	if (event.error) {
		fail_event(answer, &event);
		return false;
	}
	if (event.is_end) {
		finish(answer);
		return false;
	}
	return true;
}

/* Only words count: a server that sends pings says nothing to the caller. */
static void wait_for_words(struct llm_answer *answer)
{
	uint32_t ms = answer->agent->between_ms;

	if (answer->is_finished && ms > MARK_MS)
		ms = MARK_MS;
	timer_set(timers_of(answer), &answer->try_timer, ms * UINT64_C(1000), on_try_late, answer);
}

static void read_events(struct llm_answer *answer, const char *bytes, size_t n)
{
	uint32_t deltas = answer->deltas;
	bool was_finished = answer->is_finished;
	struct sse_event event;
	int err;

	while ((err = sse_next(&answer->sse, &bytes, &n, &event)) == 0)
		if (!take_event(answer, &event))
			return;
	if (err != EAGAIN)
		fail_try(answer, LLM_AGAIN, "an event is too long");
	else if (answer->state == LLM_STREAMING &&
		 (answer->deltas != deltas || answer->is_finished != was_finished))
		wait_for_words(answer);
}

/* How long a server that is busy wants to be left alone: in milliseconds as some
 * vendors say it, in seconds, or until a date. */
static uint32_t read_busy_ms(const struct http_client_parse *head)
{
	const char *ms = http_client_parse_header(head, "Retry-After-Ms");
	const char *value = ms ? ms : http_client_parse_header(head, "Retry-After");
	struct tm date = {0};
	double wait_ms;
	char *end;

	if (!value)
		return 0;
	wait_ms = strtod(value, &end) * (ms ? 1 : 1000);
	if (end == value && strptime(value, "%a, %d %b %Y %H:%M:%S GMT", &date))
		wait_ms = (double)timegm(&date) * 1000 - (double)clock_wall_ms();
	if (!(wait_ms > 0))
		return 0;
	return wait_ms < UINT32_MAX ? (uint32_t)wait_ms : UINT32_MAX;
}

static void on_head(const struct http_client_parse *head, void *arg)
{
	struct llm_answer *answer = arg;
	const char *type = http_client_parse_header(head, "Content-Type");
	const char *location = http_client_parse_header(head, "Location");
	char why[WHY_SIZE];

	answer->status = head->status;
	answer->busy_ms = head->status >= 400 ? read_busy_ms(head) : 0;
	if (head->status >= 300 && head->status < 400) {
		snprintf(why, sizeof(why), "HTTP %u: redirected to %s, which is not followed",
			 head->status, location ? location : "nowhere");
		fail_try(answer, LLM_FINAL, why);
	} else if (head->status == 200 &&
		   (!type || strncasecmp(type, "text/event-stream", 17) != 0)) {
		snprintf(why, sizeof(why), "the answer is %s, not text/event-stream",
			 type ? type : "of no type");
		fail_try(answer, LLM_FINAL, why);
	}
}

static void on_body(const char *bytes, size_t n, void *arg)
{
	struct llm_answer *answer = arg;
	size_t room = REFUSAL_MAX - answer->refusal.len;

	if (answer->status == 200)
		read_events(answer, bytes, n);
	else
		(void)buf_append(&answer->refusal, bytes, n < room ? n : room);
}

/* A server that is busy or broken may not be so the next time. */
static int judge_status(unsigned status)
{
	return status == 408 || status == 409 || status == 429 || status >= 500 ? LLM_AGAIN_LATER
										: LLM_FINAL;
}

static void fail_status(struct llm_answer *answer)
{
	struct buf *refusal = &answer->refusal;
	struct llm_event event;
	char why[WHY_SIZE];

	if (refusal->len > 0 &&
	    llm_event_read(&event, answer->agent->dialect, refusal->bytes, refusal->len) == 0 &&
	    event.error)
		snprintf(why, sizeof(why), "HTTP %u: %.*s", answer->status, (int)event.error_len,
			 event.error);
	else
		snprintf(why, sizeof(why), "HTTP %u", answer->status);
	fail_try(answer, judge_status(answer->status), why);
}

/* A stream that ends where it may is whole, also without its last mark, and also
 * if its connection breaks then: nothing that matters can be missing. */
static void on_done(int err, const char *why, void *arg)
{
	struct llm_answer *answer = arg;

	if (answer->is_finished && (!err || answer->state == LLM_STREAMING))
		finish(answer);
	else if (err)
		fail_try(answer, tls_is_untrusted(err) ? LLM_FINAL : LLM_AGAIN, why);
	else if (answer->status != 200)
		fail_status(answer);
	else
		fail_try(answer, LLM_AGAIN, "the stream ended early");
}

static const struct http_call_handlers call_handlers = {
	.head = on_head, .body = on_body, .done = on_done};

static int start_try(struct llm_answer *answer)
{
	const struct llm_agent *agent = answer->agent;
	const struct llm_target *target = &agent->targets[answer->target];
	const struct buf *body = &answer->bodies[answer->target];
	const struct http_call_options options = {.url = &target->url,
						  .method = "POST",
						  .path = target->path,
						  .headers = target->headers,
						  .body = body->bytes,
						  .body_len = body->len,
						  .connect_ms = agent->connect_ms,
						  .answer_max = ANSWER_MAX};
	int err;

	answer->status = 0;
	answer->busy_ms = 0;
	answer->is_finished = answer->is_cut = false;
	answer->figures.tokens_in = answer->figures.tokens_out = 0;
	answer->said_characters = 0;
	sse_init(&answer->sse, EVENT_MAX);
	buf_init(&answer->refusal, REFUSAL_MAX);
	++answer->figures.tries;
	err = http_client_call(&answer->call, answer->client->http, &options, &call_handlers,
			       answer);
	if (!err)
		timer_set(timers_of(answer), &answer->try_timer,
			  agent->first_token_ms * UINT64_C(1000), on_try_late, answer);
	return err;
}

static void begin_try(struct llm_answer *answer)
{
	int err = start_try(answer);

	if (err) {
		log_error("llm", "agent=%s %s", answer->agent->name, strerror(err));
		say_sentence(answer);
	}
}

static int write_bodies(struct llm_answer *answer, const struct llm_turn *history, size_t count)
{
	const struct llm_agent *agent = answer->agent;
	size_t first = llm_body_first(history, count, agent->history_max);
	int err = 0;

	for (size_t i = 0; i < agent->target_count && !err; ++i) {
		const struct llm_request request = {.model = agent->targets[i].model,
						    .prompt = agent->prompt,
						    .extra = agent->extra,
						    .temperature = agent->temperature,
						    .max_tokens = agent->max_tokens,
						    .turns = history + first,
						    .count = count - first};

		err = llm_body_write(&answer->bodies[i], agent->dialect, &request);
	}
	return err;
}

/* The last turn that has words, which must be the user's. */
static int check_history(const struct llm_turn **last, const struct llm_turn *history, size_t count)
{
	while (count > 0 && !has_word(history[count - 1].text, history[count - 1].len))
		--count;
	if (count == 0 || history[count - 1].role != LLM_USER)
		return EINVAL;
	*last = &history[count - 1];
	return (*last)->len > LLM_TURN_MAX ? EMSGSIZE : 0;
}

/* Rather a little early than too late for the engine. */
static uint64_t begin_us(const struct llm_agent *agent)
{
	uint32_t early = agent->begin_ms / 10;

	return (agent->begin_ms - (early < ON_TIME_MS ? early : ON_TIME_MS)) * UINT64_C(1000);
}

static int start(struct llm_answer *answer, const struct llm_turn *history, size_t count)
{
	const struct llm_turn *last;
	int err = check_history(&last, history, count);

	if (err)
		return err;
	answer->asked_tokens = llm_agent_estimate(answer->agent, history, count);
	if (answer->agent->dialect == LLM_ECHO)
		return llm_echo_start(answer, last);
	err = write_bodies(answer, history, count);
	if (err)
		return err;
	timer_set(timers_of(answer), &answer->answer_timer, begin_us(answer->agent), on_begin_late,
		  answer);
	return start_try(answer);
}

static int ask(struct llm_answer **answerp, struct llm *llm, struct llm_agent *agent,
	       const struct llm_turn *history, size_t count, const struct llm_handlers *handlers,
	       void *arg)
{
	struct llm_answer *answer = mem_zalloc(sizeof(*answer), NULL);
	int err;

	if (!answer)
		return ENOMEM;
	answer->client = mem_ref(llm);
	answer->agent = mem_ref(agent);
	answer->handlers = handlers;
	answer->arg = arg;
	answer->retries_left = agent->retries;
	answer->began_us = timers_of(answer)->now_us;
	answer->figures.first_delta_ms = UINT32_MAX;
	for (size_t i = 0; i < COUNT(answer->bodies); ++i)
		buf_init(&answer->bodies[i], BODY_MAX);
	mem_set_destructor(answer, answer_destroy);
	err = start(answer, history, count);
	if (err)
		mem_deref(answer);
	else
		*answerp = answer;
	return err;
}

static void client_destroy(void *object)
{
	struct llm_client *client = object;

	mem_deref(client->http);
}

int llm_alloc(struct llm **llmp, struct loop *loop, const char *ca_file, char *why, size_t why_size)
{
	struct llm_client *client = mem_zalloc(sizeof(*client), client_destroy);
	struct tls *tls = NULL;
	int err = ENOMEM;

	snprintf(why, why_size, "out of memory");
	if (client) {
		client->loop = loop;
		client->llm.ask = ask;
		client->llm.figures = llm_answer_figures;
		err = tls_client_alloc(&tls, ca_file, why, why_size);
	}
	if (!err)
		err = http_client_alloc(&client->http, loop, tls);
	mem_deref(tls);
	if (err)
		mem_deref(client);
	else
		*llmp = &client->llm;
	return err;
}
