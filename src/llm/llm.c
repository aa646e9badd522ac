/*
 * llm.c: the states of an answer (see llm.h).
 *
 *     WAITING ── a word ──> STREAMING ── end, failure, limit ──> ENDED
 *       │  └─ an attempt fails: retry, fallback model, fallback sentence ──^
 *       └─ begin_ms without a word: the fallback sentence ────────────────^
 *
 * A handler may free the answer: is_gone points to a flag on the caller's stack that the
 * destructor sets.
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

/* An event of OpenAI's Responses API repeats the whole answer at its end. */
#define EVENT_MAX (1024u * 1024u)

/* The maximum length of an answer: five hours of speech. */
#define SAID_MAX (256u * 1024u)

/* The maximum length of a response.  An event is about a hundred times as long as the word it
 * carries. */
#define ANSWER_MAX (64u * 1024u * 1024u)

#define BODY_MAX (4u * 1024u * 1024u)
#define REFUSAL_MAX 4096u /* bytes of an error's body that are kept for the log */
#define PAUSE_MS 100u /* before a busy server is asked again */
/* the minimum time for an answer after a pause; with less, no retry is made */
#define PAUSE_ROOM_MS 250u
#define MARK_MS 500u /* for what follows the last word: token counts and an end marker */
/* how long before begin_ms the fallback sentence is sent, so that it arrives in time */
#define ON_TIME_MS 50u
#define WHY_SIZE 512
#define KEY_PART_MIN 6u /* a shorter prefix is common to many keys: "sk-an" */

static void llm_begin_try(struct llm_answer *answer);

const char *llm_end_name(enum llm_end end)
{
	static const char *const names[] = {
#define X(id, name) [id] = (name),
		LLM_ENDS(X)
#undef X
	};

	return names[end];
}

static struct timers *llm_timers_of(const struct llm_answer *answer)
{
	return &answer->client->loop->timers;
}

static uint32_t llm_elapsed_ms(const struct llm_answer *answer)
{
	return (uint32_t)((llm_timers_of(answer)->now_us - answer->began_us) / 1000);
}

static void llm_stop_try(struct llm_answer *answer)
{
	timer_clear(llm_timers_of(answer), &answer->try_timer);
	answer->call = mem_deref(answer->call);
	sse_reset(&answer->sse);
	buf_reset(&answer->refusal);
}

static void llm_answer_destroy(void *object)
{
	struct llm_answer *answer = object;

	if (answer->is_gone)
		*answer->is_gone = true;
	llm_stop_try(answer);
	timer_clear(llm_timers_of(answer), &answer->answer_timer);
	for (size_t i = 0; i < COUNT(answer->bodies); ++i)
		buf_reset(&answer->bodies[i]);
	mem_deref(answer->agent);
	mem_deref(answer->client);
}

/* Token counts that the model did not report are estimated. */
static void llm_answer_figures(struct llm_figures *figures, const struct llm_answer *answer)
{
	*figures = answer->figures;
	figures->whole_ms = llm_elapsed_ms(answer);
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
	llm_stop_try(answer);
	timer_clear(llm_timers_of(answer), &answer->answer_timer);
	llm_answer_figures(&answer->figures, answer);
	if (end == LLM_FALLBACK || end == LLM_SILENT)
		answer->figures.is_other_model = false;
	answer->handlers->done(end, &answer->figures, answer->arg);
}

static bool llm_has_word(const char *text, size_t len)
{
	for (size_t i = 0; i < len; ++i)
		if (!strchr(" \t\r\n", text[i]))
			return true;
	return false;
}

static void llm_on_too_long(void *arg)
{
	struct llm_answer *answer = arg;

	log_warn("llm", "agent=%s the answer was cut after %u ms", answer->agent->name,
		 answer->agent->whole_ms);
	llm_answer_end(answer, LLM_CUT);
}

/* No retry is made from here on. */
static void llm_start_streaming(struct llm_answer *answer)
{
	uint32_t elapsed = llm_elapsed_ms(answer);
	uint32_t left = answer->agent->whole_ms > elapsed ? answer->agent->whole_ms - elapsed : 0;

	answer->state = LLM_STREAMING;
	answer->figures.first_delta_ms = elapsed;
	timer_set(llm_timers_of(answer), &answer->answer_timer, left * UINT64_C(1000),
		  llm_on_too_long, answer);
}

/* Returns false if the handler has freed the answer. */
static bool llm_send_delta(struct llm_answer *answer, const char *text, size_t len)
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
	if (answer->state == LLM_WAITING && llm_has_word(text, len))
		llm_start_streaming(answer);
	answer->said += len;
	answer->said_characters += utf8_count(text, len);
	++answer->deltas;
	if (!llm_send_delta(answer, text, len))
		return false;
	if (answer->said < SAID_MAX)
		return true;
	log_warn("llm", "agent=%s the answer was cut after %zu bytes", answer->agent->name,
		 answer->said);
	llm_answer_end(answer, LLM_CUT);
	return false;
}

static void llm_send_fallback(struct llm_answer *answer)
{
	const char *sentence = answer->agent->sentence;

	llm_stop_try(answer);
	if (sentence[0] == '\0') {
		llm_answer_end(answer, LLM_SILENT);
		return;
	}
	answer->figures.first_delta_ms = llm_elapsed_ms(answer);
	if (llm_send_delta(answer, sentence, strlen(sentence)))
		llm_answer_end(answer, LLM_FALLBACK);
}

/* Returns where the key begins in text that may have been truncated inside the key. */
static char *llm_find_key(char *words, const char *key)
{
	size_t len = strlen(words);
	char *found = strstr(words, key);

	for (size_t n = strlen(key) - 1; !found && n >= KEY_PART_MIN; --n)
		if (len >= n && memcmp(words + len - n, key, n) == 0)
			found = words + len - n;
	return found;
}

/* Makes a single line of a server's message and removes the key from it. */
static void llm_clean_words(char *words, const char *key)
{
	char *found = key && key[0] ? llm_find_key(words, key) : NULL;

	if (found)
		snprintf(found, WHY_SIZE - (size_t)(found - words), "(the key)");
	for (char *c = words; *c; ++c)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = ' ';
}

static void llm_note_failure(struct llm_answer *answer)
{
	++answer->figures.errors;
	answer->handlers->failed(answer->arg);
}

static void llm_on_pause_over(void *arg)
{
	llm_begin_try(arg);
}

static void llm_try_again(struct llm_answer *answer, uint32_t pause_ms)
{
	if (pause_ms == 0)
		llm_begin_try(answer);
	else
		timer_set(llm_timers_of(answer), &answer->try_timer, pause_ms * UINT64_C(1000),
			  llm_on_pause_over, answer);
}

/* What went wrong, and whether asking the same server again makes sense. */
enum { LLM_FINAL, LLM_AGAIN, LLM_AGAIN_LATER, LLM_LATE };

static bool llm_has_other(const struct llm_answer *answer)
{
	return answer->target + 1 < answer->agent->target_count;
}

static uint32_t llm_pause_before(const struct llm_answer *answer, int what)
{
	if (what != LLM_AGAIN_LATER)
		return 0;
	return answer->busy_ms > PAUSE_MS ? answer->busy_ms : PAUSE_MS;
}

/* A late model has used up the time for a retry, which the fallback model gets instead. */
static bool llm_is_worth_a_retry(const struct llm_answer *answer, int what)
{
	uint64_t then_ms = (uint64_t)llm_elapsed_ms(answer) + llm_pause_before(answer, what);

	if (what == LLM_FINAL || answer->retries_left == 0)
		return false;
	if (what == LLM_LATE)
		return !llm_has_other(answer);
	return answer->busy_ms <= PAUSE_MS || then_ms + PAUSE_ROOM_MS <= answer->agent->begin_ms;
}

static void llm_fail_try(struct llm_answer *answer, int what, const char *words)
{
	const struct llm_target *target = &answer->agent->targets[answer->target];
	char why[WHY_SIZE];

	snprintf(why, sizeof(why), "%s", words);
	llm_clean_words(why, target->key);
	llm_note_failure(answer);
	log_warn("llm", "agent=%s model=%s try=%u after %u ms: %s", answer->agent->name,
		 target->model, answer->figures.tries, llm_elapsed_ms(answer), why);
	llm_stop_try(answer);
	if (answer->state == LLM_STREAMING) {
		llm_answer_end(answer, LLM_BROKEN);
	} else if (llm_is_worth_a_retry(answer, what)) {
		--answer->retries_left;
		llm_try_again(answer, llm_pause_before(answer, what));
	} else if (llm_has_other(answer)) {
		++answer->target;
		answer->retries_left = 0;
		llm_try_again(answer, 0);
	} else {
		llm_send_fallback(answer);
	}
}

static void llm_on_begin_late(void *arg)
{
	struct llm_answer *answer = arg;

	llm_note_failure(answer);
	log_warn("llm", "agent=%s no answer after %u ms and %u tries", answer->agent->name,
		 answer->agent->begin_ms, answer->figures.tries);
	llm_send_fallback(answer);
}

/* Ends the answer of a model that has finished. */
static void llm_finish(struct llm_answer *answer)
{
	if (answer->state == LLM_WAITING) {
		llm_fail_try(answer, LLM_AGAIN, "the answer is empty");
		return;
	}
	http_client_detach(answer->call);
	answer->call = NULL;
	llm_answer_end(answer, answer->is_cut ? LLM_CUT : LLM_WHOLE);
}

static void llm_on_try_late(void *arg)
{
	struct llm_answer *answer = arg;
	char why[WHY_SIZE];

	if (answer->is_finished && answer->state == LLM_STREAMING) {
		llm_finish(answer);
		return;
	}
	if (answer->state == LLM_STREAMING)
		snprintf(why, sizeof(why), "no word came for %u ms", answer->agent->between_ms);
	else
		snprintf(why, sizeof(why), "no word came in %u ms", answer->agent->first_token_ms);
	llm_fail_try(answer, LLM_LATE, why);
}

static void llm_fail_event(struct llm_answer *answer, const struct llm_event *event)
{
	char why[WHY_SIZE];

	snprintf(why, sizeof(why), "the model says: %.*s",
		 event->error_len < WHY_SIZE ? (int)event->error_len : WHY_SIZE, event->error);
	llm_fail_try(answer, LLM_AGAIN_LATER, why);
}

static void llm_note_figures(struct llm_answer *answer, const struct llm_event *event)
{
	if (event->tokens_in)
		answer->figures.tokens_in = event->tokens_in;
	if (event->tokens_out)
		answer->figures.tokens_out = event->tokens_out;
	answer->is_finished |= event->is_finished;
	answer->is_cut |= event->is_cut;
}

/* Returns false if no more events are to be read. */
static bool llm_take_event(struct llm_answer *answer, const struct sse_event *sse_event)
{
	struct llm_event event;

	if (llm_event_read(&event, answer->agent->dialect, sse_event->data, sse_event->len) != 0) {
		llm_fail_try(answer, LLM_AGAIN, "an event is not JSON");
		return false;
	}
	llm_note_figures(answer, &event);
	if (event.text && !llm_answer_say(answer, event.text, event.len))
		return false;
	if (event.error) {
		llm_fail_event(answer, &event);
		return false;
	}
	if (event.is_end) {
		llm_finish(answer);
		return false;
	}
	return true;
}

/* Only words restart the timer, because pings are of no use to the listener. */
static void llm_wait_for_words(struct llm_answer *answer)
{
	uint32_t ms = answer->agent->between_ms;

	if (answer->is_finished && ms > MARK_MS)
		ms = MARK_MS;
	timer_set(llm_timers_of(answer), &answer->try_timer, ms * UINT64_C(1000), llm_on_try_late,
		  answer);
}

static void llm_read_events(struct llm_answer *answer, const char *bytes, size_t n)
{
	uint32_t deltas = answer->deltas;
	bool was_finished = answer->is_finished;
	struct sse_event event;
	int err;

	while ((err = sse_next(&answer->sse, &bytes, &n, &event)) == 0)
		if (!llm_take_event(answer, &event))
			return;
	if (err != EAGAIN)
		llm_fail_try(answer, LLM_AGAIN, "an event is too long");
	else if (answer->state == LLM_STREAMING &&
		 (answer->deltas != deltas || answer->is_finished != was_finished))
		llm_wait_for_words(answer);
}

/* Reads how long a busy server asks to wait: in milliseconds (some vendors), in seconds, or until a
 * date. */
static uint32_t llm_read_busy_ms(const struct http_client_parse *head)
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

static void llm_on_head(const struct http_client_parse *head, void *arg)
{
	struct llm_answer *answer = arg;
	const char *type = http_client_parse_header(head, "Content-Type");
	const char *location = http_client_parse_header(head, "Location");
	char why[WHY_SIZE];

	answer->status = head->status;
	answer->busy_ms = head->status >= 400 ? llm_read_busy_ms(head) : 0;
	if (head->status >= 300 && head->status < 400) {
		snprintf(why, sizeof(why), "HTTP %u: redirected to %s, which is not followed",
			 head->status, location ? location : "nowhere");
		llm_fail_try(answer, LLM_FINAL, why);
	} else if (head->status == 200 &&
		   (!type || strncasecmp(type, "text/event-stream", 17) != 0)) {
		snprintf(why, sizeof(why), "the answer is %s, not text/event-stream",
			 type ? type : "of no type");
		llm_fail_try(answer, LLM_FINAL, why);
	}
}

static void llm_on_body(const char *bytes, size_t n, void *arg)
{
	struct llm_answer *answer = arg;
	size_t room = REFUSAL_MAX - answer->refusal.len;

	if (answer->status == 200)
		llm_read_events(answer, bytes, n);
	else
		(void)buf_append(&answer->refusal, bytes, n < room ? n : room);
}

static void llm_fail_status(struct llm_answer *answer)
{
	struct buf *refusal = &answer->refusal;
	unsigned status = answer->status;
	/* A server that is busy or failing may recover. */
	int what = status == 408 || status == 409 || status == 429 || status >= 500
			   ? LLM_AGAIN_LATER
			   : LLM_FINAL;
	struct llm_event event;
	char why[WHY_SIZE];

	if (refusal->len > 0 &&
	    llm_event_read(&event, answer->agent->dialect, refusal->bytes, refusal->len) == 0 &&
	    event.error)
		snprintf(why, sizeof(why), "HTTP %u: %.*s", status, (int)event.error_len,
			 event.error);
	else
		snprintf(why, sizeof(why), "HTTP %u", status);
	llm_fail_try(answer, what, why);
}

/* After the model has reported the end of its answer, the answer is complete even if the end
 * marker is missing or the connection breaks. */
static void llm_on_done(int err, const char *why, void *arg)
{
	struct llm_answer *answer = arg;

	if (answer->is_finished && (!err || answer->state == LLM_STREAMING))
		llm_finish(answer);
	else if (err)
		llm_fail_try(answer, tls_is_untrusted(err) ? LLM_FINAL : LLM_AGAIN, why);
	else if (answer->status != 200)
		llm_fail_status(answer);
	else
		llm_fail_try(answer, LLM_AGAIN, "the stream ended early");
}

static const struct http_call_handlers llm_call_handlers = {
	.head = llm_on_head, .body = llm_on_body, .done = llm_on_done};

static int llm_start_try(struct llm_answer *answer)
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
	err = http_client_call(&answer->call, answer->client->http, &options, &llm_call_handlers,
			       answer);
	if (!err)
		timer_set(llm_timers_of(answer), &answer->try_timer,
			  agent->first_token_ms * UINT64_C(1000), llm_on_try_late, answer);
	return err;
}

static void llm_begin_try(struct llm_answer *answer)
{
	int err = llm_start_try(answer);

	if (err) {
		log_error("llm", "agent=%s %s", answer->agent->name, strerror(err));
		llm_send_fallback(answer);
	}
}

static int llm_write_bodies(struct llm_answer *answer, const struct llm_turn *history, size_t count)
{
	const struct llm_agent *agent = answer->agent;
	size_t first = llm_body_first_turn(history, count, agent->history_max);
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

/* Finds the last turn that is not blank, which must be the user's. */
static int llm_check_history(const struct llm_turn **last, const struct llm_turn *history,
			     size_t count)
{
	while (count > 0 && !llm_has_word(history[count - 1].text, history[count - 1].len))
		--count;
	if (count == 0 || history[count - 1].role != LLM_USER)
		return EINVAL;
	*last = &history[count - 1];
	return (*last)->len > LLM_TURN_MAX ? EMSGSIZE : 0;
}

static int llm_start(struct llm_answer *answer, const struct llm_turn *history, size_t count)
{
	uint32_t begin_ms = answer->agent->begin_ms;
	uint32_t early_ms = begin_ms / 10 < ON_TIME_MS ? begin_ms / 10 : ON_TIME_MS;
	const struct llm_turn *last;
	int err = llm_check_history(&last, history, count);

	if (err)
		return err;
	answer->asked_tokens = llm_agent_estimate(answer->agent, history, count);
	if (answer->agent->dialect == LLM_ECHO)
		return llm_echo_start(answer, last);
	err = llm_write_bodies(answer, history, count);
	if (err)
		return err;
	/* The fallback sentence is sent slightly early rather than too late for the engine. */
	timer_set(llm_timers_of(answer), &answer->answer_timer,
		  (begin_ms - early_ms) * UINT64_C(1000), llm_on_begin_late, answer);
	return llm_start_try(answer);
}

static int llm_start_answer(struct llm_answer **answerp, struct llm *llm, struct llm_agent *agent,
			    const struct llm_turn *history, size_t count,
			    const struct llm_handlers *handlers, void *arg)
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
	answer->began_us = llm_timers_of(answer)->now_us;
	answer->figures.first_delta_ms = UINT32_MAX;
	for (size_t i = 0; i < COUNT(answer->bodies); ++i)
		buf_init(&answer->bodies[i], BODY_MAX);
	mem_set_destructor(answer, llm_answer_destroy);
	err = llm_start(answer, history, count);
	if (err)
		mem_deref(answer);
	else
		*answerp = answer;
	return err;
}

static void llm_client_destroy(void *object)
{
	struct llm_client *client = object;

	mem_deref(client->http);
}

int llm_alloc(struct llm **llmp, struct loop *loop, const char *ca_file, char *why, size_t why_size)
{
	struct llm_client *client = mem_zalloc(sizeof(*client), llm_client_destroy);
	struct tls *tls = NULL;
	int err = ENOMEM;

	snprintf(why, why_size, "out of memory");
	if (client) {
		client->loop = loop;
		client->llm.ask = llm_start_answer;
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
