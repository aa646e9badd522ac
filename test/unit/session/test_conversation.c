/*
 * A speech engine's conversation: which replies it gets with which id, and when the model is asked,
 * continues or is cancelled.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/count.h"
#include "base/log.h"
#include "base/mem.h"
#include "fake_llm.h"
#include "fake_peer.h"
#include "mem_fail.h"
#include "session/conversation.h"

#define HELLO "[{\"role\":\"user\",\"content\":\"hello\"}]"
#define HELLO_AGAIN                                                                                \
	"[{\"content\":\"hello\",\"role\":\"user\"}]" /* the same content, written differently */
#define MORE                                                                                       \
	"[{\"role\":\"user\",\"content\":\"hello\"},{\"role\":\"agent\",\"content\":\"Hi.\"},"     \
	"{\"role\":\"user\",\"content\":\"more\"}]"

struct talk {
	struct timers timers;
	struct fake_llm llm;
	struct fake_peer peer;
	struct conversation *conversation;
};

static int set_up(void **state)
{
	static const struct llm_options how = {.dialect = LLM_ECHO, .sentence = "Tut mir leid."};
	struct talk *talk = calloc(1, sizeof(*talk));
	struct conversation_options options;
	struct llm_agent *agent;
	char why[64];

	assert_non_null(talk);
	assert_int_equal(llm_agent_alloc(&agent, &how, why, sizeof(why)), 0);
	log_set_level(LOG_ERROR);
	timers_init(&talk->timers, 1000);
	fake_llm_init(&talk->llm);
	fake_peer_init(&talk->peer);
	options = (struct conversation_options){.timers = &talk->timers,
						.llm = &talk->llm.llm,
						.agent = agent,
						.agent_name = "test",
						.peer = &talk->peer.peer};
	assert_int_equal(conversation_alloc(&talk->conversation, &options), 0);
	mem_deref(agent); /* the conversation has its own reference */
	*state = talk;
	return 0;
}

static int tear_down(void **state)
{
	struct talk *talk = *state;

	mem_deref(talk->conversation);
	assert_int_equal(talk->llm.answers.count, 0);
	fake_peer_reset(&talk->peer);
	timers_reset(&talk->timers);
	free(talk);
	assert_int_equal(mem_live(), 0);
	return 0;
}

static void say(struct talk *talk, const char *json)
{
	char *copy = strdup(json);

	assert_non_null(copy);
	conversation_message(talk->conversation, copy, strlen(copy));
	free(copy);
}

/* `id` is JSON; NULL: none. */
static void transcript(struct talk *talk, const char *history, const char *id)
{
	char json[1024];

	snprintf(json, sizeof(json), "{\"type\":\"user_transcript\",\"user_transcript\":%s%s%s}",
		 history, id ? ",\"event_id\":" : "", id ? id : "");
	say(talk, json);
}

static void expect(struct talk *talk, const char *json)
{
	struct fake_message *message = fake_peer_read(&talk->peer, NULL);

	if (!message) {
		fail_msg("nothing came instead of %s", json);
		return;
	}
	assert_string_equal(message->json, json);
	fake_message_free(message);
}

static void expect_words(struct talk *talk, const char *text, const char *id)
{
	char json[1024];

	snprintf(json, sizeof(json),
		 "{\"type\":\"agent_response\",\"content\":\"%s\"%s%s,\"is_final\":false}", text,
		 id ? ",\"event_id\":" : "", id ? id : "");
	expect(talk, json);
}

static void expect_final(struct talk *talk, const char *id)
{
	char json[256];

	snprintf(json, sizeof(json),
		 "{\"type\":\"agent_response\",\"content\":\"\"%s%s,\"is_final\":true}",
		 id ? ",\"event_id\":" : "", id ? id : "");
	expect(talk, json);
}

static void expect_nothing(struct talk *talk)
{
	const struct fake_message *message = fake_peer_peek(&talk->peer, NULL);

	if (message)
		fail_msg("came: %s", message->json);
}

static struct conversation_figures figures_of(const struct talk *talk)
{
	struct conversation_figures figures;

	conversation_figures(talk->conversation, &figures);
	return figures;
}

static void hand_over(struct talk *talk)
{
	talk->peer.is_blocked = false;
	fake_peer_hand_over(&talk->peer, talk->peer.waiting.count);
	(void)fake_peer_drains(&talk->peer);
	conversation_drained(talk->conversation);
}

static void test_a_turn_is_deltas_and_one_empty_final(void **state)
{
	struct talk *talk = *state;

	say(talk, "{\"type\":\"init\",\"conversation_id\":\"conv_abc123\"}");
	assert_string_equal(conversation_id(talk->conversation), "conv_abc123");
	transcript(talk, HELLO, "1");
	assert_string_equal(talk->llm.history, "user: hello");
	expect_nothing(talk);
	fake_llm_say(&talk->llm, "Hi");
	expect_words(talk, "Hi", "1");
	fake_llm_say(&talk->llm, " you.");
	expect_words(talk, " you.", "1");
	fake_llm_finish(&talk->llm, LLM_WHOLE);
	expect_final(talk, "1");
	transcript(talk, MORE, "2");
	assert_string_equal(talk->llm.history, "user: hello|agent: Hi.|user: more");
	fake_llm_say(&talk->llm, "Yes.");
	fake_llm_finish(&talk->llm, LLM_WHOLE);
	expect_words(talk, "Yes.", "2");
	expect_final(talk, "2");
	expect_nothing(talk);
	assert_int_equal(talk->llm.cancelled, 0);
}

static void test_a_higher_id_cancels_the_answer(void **state)
{
	struct talk *talk = *state;

	transcript(talk, HELLO, "20");
	fake_llm_say(&talk->llm, "old");
	expect_words(talk, "old", "20");
	transcript(talk, MORE, "21");
	assert_int_equal(talk->llm.cancelled, 1);
	assert_int_equal(talk->llm.answers.count, 1);
	expect_nothing(talk); /* in particular, no final of the old turn */
	fake_llm_say(&talk->llm, "new");
	fake_llm_finish(&talk->llm, LLM_WHOLE);
	expect_words(talk, "new", "21");
	expect_final(talk, "21");
	expect_nothing(talk);
	assert_int_equal(figures_of(talk).cancels, 1);
}

/* Before the first word, after it, and when there is nothing to drop. */
static void test_a_dropped_answer_is_cancelled_and_has_no_final(void **state)
{
	struct talk *talk = *state;

	conversation_drop(talk->conversation);
	transcript(talk, HELLO, "1");
	conversation_drop(talk->conversation);
	assert_int_equal(talk->llm.cancelled, 1);
	transcript(talk, HELLO, "2");
	fake_llm_say(&talk->llm, "heard");
	talk->peer.is_blocked = true;
	fake_llm_say(&talk->llm, " late");
	conversation_drop(talk->conversation);
	conversation_drop(talk->conversation);
	assert_int_equal(talk->llm.cancelled, 2);
	hand_over(talk);
	expect_words(talk, "heard", "2");
	expect_nothing(talk);
	assert_int_equal(figures_of(talk).cancels, 2);
	/* Only a part of the answer is known, so it cannot be repeated. */
	transcript(talk, HELLO, "3");
	assert_int_equal(talk->llm.asked, 3);
	fake_llm_say(&talk->llm, "whole");
	fake_llm_finish(&talk->llm, LLM_WHOLE);
	expect_words(talk, "whole", "3");
	expect_final(talk, "3");
	conversation_drop(talk->conversation);
	transcript(talk, HELLO, "4");
	assert_int_equal(talk->llm.asked, 3); /* nothing was dropped, so it is repeated */
	expect_words(talk, "whole", "4");
	expect_final(talk, "4");
	expect_nothing(talk);
}

static void note_what_has_left(void *arg)
{
	struct talk *talk = arg;

	assert_null(fake_peer_peek(&talk->peer, "\"event_id\":2"));
	assert_int_equal(talk->peer.waiting.count, 0);
}

/* The cancel happens before the last delta, which is then ignored. */
static void test_the_model_is_cancelled_before_anything_new_is_sent(void **state)
{
	struct talk *talk = *state;

	transcript(talk, HELLO, "1");
	fake_llm_say(&talk->llm, "old");
	talk->llm.on_cancel = note_what_has_left;
	talk->llm.arg = talk;
	transcript(talk, MORE, "2");
	assert_int_equal(talk->llm.cancelled, 1);
	talk->llm.on_cancel = NULL;
	expect_words(talk, "old", "1");
	fake_llm_finish(&talk->llm, LLM_WHOLE);
	expect_final(talk, "2");
	expect_nothing(talk);
}

/* The last delta and the final happen before the cancel, and wait to be sent. */
static void test_waiting_messages_with_an_outdated_id_are_never_sent(void **state)
{
	struct talk *talk = *state;

	transcript(talk, HELLO, "1");
	fake_llm_say(&talk->llm, "heard");
	talk->peer.is_blocked = true;
	fake_llm_say(&talk->llm, " late");
	fake_llm_finish(&talk->llm, LLM_WHOLE);
	transcript(talk, MORE, "2");
	fake_llm_say(&talk->llm, "new");
	hand_over(talk);
	expect_words(talk, "heard", "1");
	expect_words(talk, "new", "2");
	expect_nothing(talk);
}

static void test_the_same_id_with_the_same_content_is_ignored(void **state)
{
	struct talk *talk = *state;

	transcript(talk, HELLO, "5");
	fake_llm_say(&talk->llm, "a");
	transcript(talk, HELLO_AGAIN, "5");
	fake_llm_say(&talk->llm, "b");
	fake_llm_finish(&talk->llm, LLM_WHOLE);
	transcript(talk, HELLO, "5");
	transcript(talk, HELLO, "5.0");
	assert_int_equal(talk->llm.asked, 1);
	expect_words(talk, "a", "5");
	expect_words(talk, "b", "5");
	expect_final(talk, "5");
	expect_nothing(talk);
	assert_int_equal(figures_of(talk).ignored, 3);
}

static void test_the_same_id_with_other_content_is_a_correction(void **state)
{
	struct talk *talk = *state;

	transcript(talk, HELLO, "5");
	transcript(talk, MORE, "5");
	assert_int_equal(talk->llm.asked, 2);
	assert_int_equal(talk->llm.cancelled, 1);
	fake_llm_say(&talk->llm, "b");
	expect_words(talk, "b", "5");
}

static void test_a_lower_id_is_ignored(void **state)
{
	struct talk *talk = *state;

	transcript(talk, HELLO, "5");
	transcript(talk, MORE, "4");
	transcript(talk, MORE, "-5");
	assert_int_equal(talk->llm.asked, 1);
	assert_int_equal(talk->llm.cancelled, 0);
	fake_llm_say(&talk->llm, "a");
	expect_words(talk, "a", "5");
	fake_llm_finish(&talk->llm, LLM_WHOLE);
	expect_final(talk, "5");
	transcript(talk, MORE, "4");
	assert_int_equal(talk->llm.asked, 1);
}

static void test_a_retry_before_the_first_word_only_changes_the_id(void **state)
{
	struct talk *talk = *state;

	transcript(talk, HELLO, "1");
	transcript(talk, HELLO_AGAIN, "2");
	assert_int_equal(talk->llm.asked, 1);
	assert_int_equal(talk->llm.cancelled, 0);
	fake_llm_say(&talk->llm, "a");
	fake_llm_finish(&talk->llm, LLM_WHOLE);
	expect_words(talk, "a", "2");
	expect_final(talk, "2");
	expect_nothing(talk);
	assert_int_equal(figures_of(talk).retries, 1);
}

static void test_a_retry_during_an_answer_sends_it_again_from_the_start(void **state)
{
	struct talk *talk = *state;

	transcript(talk, HELLO, "1");
	fake_llm_say(&talk->llm, "one ");
	fake_llm_say(&talk->llm, "two ");
	transcript(talk, HELLO, "2");
	fake_llm_say(&talk->llm, "three");
	fake_llm_finish(&talk->llm, LLM_WHOLE);
	assert_int_equal(talk->llm.asked, 1);
	expect_words(talk, "one ", "1");
	expect_words(talk, "two ", "1");
	expect_words(talk, "one two ", "2");
	expect_words(talk, "three", "2");
	expect_final(talk, "2");
	expect_nothing(talk);
}

static void test_a_retry_after_the_answer_sends_it_again(void **state)
{
	struct talk *talk = *state;

	transcript(talk, HELLO, "1");
	fake_llm_say(&talk->llm, "one");
	fake_llm_finish(&talk->llm, LLM_WHOLE);
	expect_words(talk, "one", "1");
	expect_final(talk, "1");
	transcript(talk, HELLO, "2");
	expect_words(talk, "one", "2");
	expect_final(talk, "2");
	transcript(talk, HELLO, "2"); /* this is then the newest event */
	transcript(talk, HELLO, "1");
	expect_nothing(talk);
	assert_int_equal(talk->llm.asked, 1);
	transcript(talk, MORE, "3");
	assert_int_equal(talk->llm.asked, 2);
}

static void test_a_retry_drops_messages_that_wait(void **state)
{
	struct talk *talk = *state;

	transcript(talk, HELLO, "1");
	talk->peer.is_blocked = true;
	fake_llm_say(&talk->llm, "one ");
	transcript(talk, HELLO, "2");
	fake_llm_say(&talk->llm, "two");
	fake_llm_finish(&talk->llm, LLM_WHOLE);
	hand_over(talk);
	expect_words(talk, "one ", "2");
	expect_words(talk, "two", "2");
	expect_final(talk, "2");
	expect_nothing(talk);
}

static void test_an_answer_that_was_too_long_to_keep_is_requested_again(void **state)
{
	struct talk *talk = *state;
	char *words = calloc(1, CONVERSATION_KEPT_MAX + 1);

	assert_non_null(words);
	memset(words, 'x', CONVERSATION_KEPT_MAX);
	transcript(talk, HELLO, "1");
	fake_llm_say(&talk->llm, words);
	transcript(talk, HELLO, "2"); /* the longest answer that may be kept */
	assert_int_equal(talk->llm.asked, 1);
	fake_llm_say(&talk->llm, "x");
	transcript(talk, HELLO, "3");
	assert_int_equal(talk->llm.asked, 2);
	assert_int_equal(talk->llm.cancelled, 1);
	free(words);
}

static void test_a_message_without_an_id_is_a_new_turn_answered_without_one(void **state)
{
	struct talk *talk = *state;

	transcript(talk, HELLO, NULL);
	fake_llm_say(&talk->llm, "a");
	expect_words(talk, "a", NULL);
	transcript(talk, HELLO, NULL);
	assert_int_equal(talk->llm.asked, 2);
	assert_int_equal(talk->llm.cancelled, 1);
	fake_llm_say(&talk->llm, "b");
	fake_llm_finish(&talk->llm, LLM_WHOLE);
	expect_words(talk, "b", NULL);
	expect_final(talk, NULL);
	transcript(talk, HELLO, "null");
	assert_int_equal(talk->llm.asked, 3);
}

static void test_a_string_id_is_a_new_turn_and_echoed(void **state)
{
	struct talk *talk = *state;

	transcript(talk, HELLO, "3");
	transcript(talk, HELLO, "\"x\"");
	assert_int_equal(talk->llm.asked, 2);
	fake_llm_say(&talk->llm, "a");
	expect_words(talk, "a", "\"x\"");
	transcript(talk, HELLO, "\"x\""); /* the same id, the same content */
	assert_int_equal(talk->llm.asked, 2);
	transcript(talk, HELLO, "\"y\"");
	assert_int_equal(talk->llm.asked, 3);
	transcript(talk, MORE, "3"); /* numbers continue to increase */
	assert_int_equal(talk->llm.asked, 3);
	transcript(talk, MORE, "4");
	assert_int_equal(talk->llm.asked, 4);
	transcript(talk, MORE, "1.5"); /* an id that is not an integer has no order */
	assert_int_equal(talk->llm.asked, 5);
}

static void test_zero_is_an_id(void **state)
{
	struct talk *talk = *state;

	transcript(talk, HELLO, "0");
	fake_llm_say(&talk->llm, "a");
	expect_words(talk, "a", "0");
	transcript(talk, HELLO, "0");
	assert_int_equal(talk->llm.asked, 1);
}

static void test_a_ping_is_answered_at_once(void **state)
{
	struct talk *talk = *state;

	say(talk, "{\"type\":\"ping\"}");
	expect(talk, "{\"type\":\"pong\"}");
	transcript(talk, HELLO, "1");
	fake_llm_say(&talk->llm, "a");
	say(talk, "{\"type\":\"ping\"}");
	expect_words(talk, "a", "1");
	expect(talk, "{\"type\":\"pong\"}");
	expect_nothing(talk);
}

static void test_a_peer_that_does_not_read_gets_no_more_pongs(void **state)
{
	struct talk *talk = *state;

	talk->peer.is_blocked = true;
	for (unsigned i = 0; i < 100000; ++i)
		say(talk, "{\"type\":\"ping\"}");
	assert_true(talk->peer.waiting_bytes <= FAKE_PEER_FULL + 64);
}

static void test_words_are_collected_while_the_peer_does_not_read(void **state)
{
	struct talk *talk = *state;
	size_t words = 0;
	struct fake_message *message;

	transcript(talk, HELLO, "1");
	talk->peer.is_blocked = true;
	for (unsigned i = 0; i < 20000; ++i)
		fake_llm_say(&talk->llm, "w");
	assert_true(talk->peer.waiting_bytes <= FAKE_PEER_FULL + 2 * CONVERSATION_KEPT_MAX);
	fake_llm_finish(&talk->llm, LLM_WHOLE);
	hand_over(talk);
	while ((message = fake_peer_read(&talk->peer, "\"is_final\":false"))) {
		words += strspn(strstr(message->json, "content\":\"") + 10, "w");
		fake_message_free(message);
	}
	assert_int_equal(words, 20000);
	expect_final(talk, "1");
	expect_nothing(talk);
}

static void test_collected_words_are_sent_when_there_is_room(void **state)
{
	struct talk *talk = *state;

	transcript(talk, HELLO, "1");
	talk->peer.is_blocked = true;
	while (talk->peer.waiting_bytes < FAKE_PEER_FULL)
		fake_llm_say(&talk->llm, "w");
	fake_llm_say(&talk->llm, "held ");
	fake_llm_say(&talk->llm, "back");
	hand_over(talk);
	while (fake_peer_peek(&talk->peer, "\"w\""))
		fake_message_free(fake_peer_read(&talk->peer, "\"w\""));
	expect_words(talk, "held back", "1");
	fake_llm_say(&talk->llm, " now");
	expect_words(talk, " now", "1");
}

static void test_a_close_cancels_the_answer_and_closes_the_connection(void **state)
{
	struct talk *talk = *state;

	transcript(talk, HELLO, "1");
	talk->peer.is_blocked = true;
	fake_llm_say(&talk->llm, "a");
	say(talk, "{\"type\":\"close\"}");
	assert_int_equal(talk->llm.cancelled, 1);
	assert_int_equal(talk->peer.close_code, 1000);
	transcript(talk, MORE, "2"); /* too late */
	say(talk, "{\"type\":\"ping\"}");
	assert_int_equal(talk->llm.asked, 1);
	assert_false(talk->peer.sent_after_close);
}

static void test_an_error_of_the_engine_ends_the_conversation(void **state)
{
	struct talk *talk = *state;

	transcript(talk, HELLO, "1");
	say(talk, "{\"type\":\"error\",\"message\":\"cascade\"}");
	assert_int_equal(talk->llm.cancelled, 1);
	assert_int_equal(talk->peer.close_code, 1000);
}

static void test_messages_that_are_not_understood_change_nothing(void **state)
{
	static const char *const messages[] = {
		"",
		"x",
		"[]",
		"{}",
		"{\"type\":\"later\",\"event_id\":99}",
		"{\"type\":\"user_transcript\"}",
		"{\"type\":\"user_transcript\",\"user_transcript\":7,\"event_id\":9}",
		"{\"type\":\"user_transcript\",\"user_transcript\":[{\"role\":\"user\"",
	};
	struct talk *talk = *state;

	transcript(talk, HELLO, "1");
	for (size_t i = 0; i < COUNT(messages); ++i)
		say(talk, messages[i]);
	fake_llm_say(&talk->llm, "a");
	expect_words(talk, "a", "1");
	expect_nothing(talk);
	assert_int_equal(talk->peer.close_code, 0);
	assert_int_equal(figures_of(talk).ignored, COUNT(messages));
}

static void test_a_history_that_does_not_end_with_the_user_is_a_silence(void **state)
{
	struct talk *talk = *state;

	transcript(talk, "[]", "1");
	assert_string_equal(talk->llm.history, "user: ...");
	transcript(talk, "[{\"role\":\"agent\",\"content\":\"Still there?\"}]", "2");
	assert_string_equal(talk->llm.history, "agent: Still there?|user: ...");
	transcript(talk, "[{\"role\":\"user\",\"content\":\"\"}]", "3");
	assert_string_equal(talk->llm.history, "user: ...");
	transcript(talk,
		   "[{\"role\":\"agent\",\"content\":\"Hi.\"},{\"role\":\"user\",\"content\":"
		   "\" \\n\"}]",
		   "4");
	assert_string_equal(talk->llm.history, "agent: Hi.|user: ...");
	transcript(talk,
		   "[{\"role\":\"user\",\"content\":\"Yes\"},{\"role\":\"agent\",\"content\":"
		   "\"\"}]",
		   "5");
	assert_string_equal(talk->llm.history, "user: Yes");
}

static void test_a_history_of_a_megabyte_is_answered(void **state)
{
	struct talk *talk = *state;
	struct buf json;

	buf_init(&json, 4 * 1024 * 1024);
	buf_append_str(&json, "{\"type\":\"user_transcript\",\"user_transcript\":["
			      "{\"role\":\"user\",\"content\":\"");
	assert_int_equal(buf_reserve(&json, 1024 * 1024), 0);
	memset(json.bytes + json.len, 'm', 1024 * 1024);
	json.len += 1024 * 1024;
	assert_int_equal(buf_append_str(&json, "\"}],\"event_id\":1}"), 0);
	conversation_message(talk->conversation, json.bytes, json.len);
	buf_reset(&json);
	fake_llm_say(&talk->llm, "long");
	expect_words(talk, "long", "1");
}

static void test_an_answer_that_breaks_off_ends_with_a_final(void **state)
{
	struct talk *talk = *state;

	transcript(talk, HELLO, "1");
	fake_llm_say(&talk->llm, "half an ans");
	fake_llm_finish(&talk->llm, LLM_BROKEN);
	expect_words(talk, "half an ans", "1");
	expect_final(talk, "1");
	assert_int_equal(figures_of(talk).broken, 1);
	assert_int_equal(figures_of(talk).llm_errors, 1);
}

static void test_failures_of_a_cancelled_answer_are_counted(void **state)
{
	struct talk *talk = *state;

	transcript(talk, HELLO, "1");
	fake_llm_fail(&talk->llm);
	transcript(talk, MORE, "2");
	assert_int_equal(figures_of(talk).cancels, 1);
	assert_int_equal(figures_of(talk).llm_errors, 1);
	fake_llm_fail(&talk->llm);
	fake_llm_say(&talk->llm, "yes");
	fake_llm_finish(&talk->llm, LLM_WHOLE);
	assert_int_equal(figures_of(talk).llm_errors, 2);
}

static void test_an_empty_answer_has_a_final(void **state)
{
	struct talk *talk = *state;

	transcript(talk, HELLO, "1");
	fake_llm_finish(&talk->llm, LLM_SILENT);
	expect_final(talk, "1");
	expect_nothing(talk);
	assert_int_equal(figures_of(talk).fallbacks, 1);
}

static void test_the_fallback_sentence_is_sent_if_the_model_cannot_be_asked(void **state)
{
	struct talk *talk = *state;

	log_set_level(LOG_ERROR);
	talk->llm.fails = ENOMEM;
	transcript(talk, HELLO, "1");
	expect_words(talk, "Tut mir leid.", "1");
	expect_final(talk, "1");
	transcript(talk, MORE, "2");
	fake_llm_say(&talk->llm, "better");
	expect_words(talk, "better", "2");
}

static void test_unusual_characters_of_ids_are_replaced_in_the_log(void **state)
{
	struct talk *talk = *state;

	say(talk, "{\"type\":\"init\",\"conversation_id\":\"a\\nb c%s\"}");
	assert_string_equal(conversation_id(talk->conversation), "a?b?c?s");
	say(talk,
	    "{\"type\":\"init\",\"conversation_id\":\"0123456789012345678901234567890123456789"
	    "0123456789012345678901234567890123456789\"}");
	assert_int_equal(strlen(conversation_id(talk->conversation)), CONVERSATION_ID_SIZE - 1);
}

static void test_figures_count_what_happened(void **state)
{
	struct talk *talk = *state;
	struct conversation_figures sum = {.first_ms_max = 7, .turns = 10};
	struct conversation_figures figures;

	transcript(talk, HELLO, "1");
	timers_advance(&talk->timers, talk->timers.now_us + 120000);
	fake_llm_say(&talk->llm, "a");
	timers_advance(&talk->timers, talk->timers.now_us + 120000);
	fake_llm_say(&talk->llm, "b");
	transcript(talk, MORE, "2");
	timers_advance(&talk->timers, talk->timers.now_us + 60000);
	fake_llm_say(&talk->llm, "c");
	fake_llm_finish(&talk->llm, LLM_WHOLE);
	figures = figures_of(talk);
	assert_int_equal(figures.turns, 2);
	assert_int_equal(figures.cancels, 1);
	assert_int_equal(figures.firsts, 2);
	assert_int_equal(figures.first_ms_sum, 180);
	assert_int_equal(figures.first_ms_max, 120);
	assert_int_equal(figures.tokens_out, 3);
	assert_int_equal(figures.tokens_in,
			 2 * FAKE_LLM_TOKENS_IN); /* including those of the cancelled answer */
	conversation_figures_add(&sum, &figures);
	assert_int_equal(sum.turns, 12);
	assert_int_equal(sum.first_ms_max, 120);
}

/* The fallback sentence does not count as the first word, because a dead model would look fast. */
static void test_the_fallback_does_not_count_as_the_first_word_of_a_model(void **state)
{
	struct talk *talk = *state;

	transcript(talk, HELLO, "1");
	fake_llm_say(&talk->llm, "I am sorry.");
	fake_llm_finish(&talk->llm, LLM_FALLBACK);
	assert_int_equal(figures_of(talk).firsts, 0);
	assert_int_equal(figures_of(talk).fallbacks, 1);
}

/* Every allocation fails once: nothing leaks, and nothing is sent with a wrong id. */
static void test_nothing_leaks_and_no_wrong_id_is_sent_when_memory_runs_out(void **state)
{
	struct talk *talk = *state;

	for (size_t n = 1; n < 12; ++n) {
		char id[24];

		snprintf(id, sizeof(id), "%zu", n);
		mem_fail_after(n);
		transcript(talk, n % 2 ? HELLO : MORE, id);
		mem_fail_after(0);
		if (talk->llm.answers.count > 0) {
			fake_llm_say(&talk->llm, "a");
			fake_llm_finish(&talk->llm, LLM_WHOLE);
		}
		fake_message_free(fake_peer_read(&talk->peer, "\"is_final\":false"));
		expect_final(talk, id);
		expect_nothing(talk);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_turn_is_deltas_and_one_empty_final),
		TEST(test_a_higher_id_cancels_the_answer),
		TEST(test_a_dropped_answer_is_cancelled_and_has_no_final),
		TEST(test_the_model_is_cancelled_before_anything_new_is_sent),
		TEST(test_waiting_messages_with_an_outdated_id_are_never_sent),
		TEST(test_the_same_id_with_the_same_content_is_ignored),
		TEST(test_the_same_id_with_other_content_is_a_correction),
		TEST(test_a_lower_id_is_ignored),
		TEST(test_a_retry_before_the_first_word_only_changes_the_id),
		TEST(test_a_retry_during_an_answer_sends_it_again_from_the_start),
		TEST(test_a_retry_after_the_answer_sends_it_again),
		TEST(test_a_retry_drops_messages_that_wait),
		TEST(test_an_answer_that_was_too_long_to_keep_is_requested_again),
		TEST(test_a_message_without_an_id_is_a_new_turn_answered_without_one),
		TEST(test_a_string_id_is_a_new_turn_and_echoed),
		TEST(test_zero_is_an_id),
		TEST(test_a_ping_is_answered_at_once),
		TEST(test_a_peer_that_does_not_read_gets_no_more_pongs),
		TEST(test_words_are_collected_while_the_peer_does_not_read),
		TEST(test_collected_words_are_sent_when_there_is_room),
		TEST(test_a_close_cancels_the_answer_and_closes_the_connection),
		TEST(test_an_error_of_the_engine_ends_the_conversation),
		TEST(test_messages_that_are_not_understood_change_nothing),
		TEST(test_a_history_that_does_not_end_with_the_user_is_a_silence),
		TEST(test_a_history_of_a_megabyte_is_answered),
		TEST(test_an_answer_that_breaks_off_ends_with_a_final),
		TEST(test_failures_of_a_cancelled_answer_are_counted),
		TEST(test_an_empty_answer_has_a_final),
		TEST(test_the_fallback_sentence_is_sent_if_the_model_cannot_be_asked),
		TEST(test_unusual_characters_of_ids_are_replaced_in_the_log),
		TEST(test_figures_count_what_happened),
		TEST(test_the_fallback_does_not_count_as_the_first_word_of_a_model),
		TEST(test_nothing_leaks_and_no_wrong_id_is_sent_when_memory_runs_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
