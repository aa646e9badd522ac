/*
 * echo.c: a model without a network, which sends back the user's last turn.
 *
 * It sends one word at a time, about as fast as a quick model, so that everything else works
 * as with a real model.
 */
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "llm/llm_private.h"

#define WORD_MS 20u

static void echo_on_word(void *arg)
{
	struct llm_answer *answer = arg;
	struct buf *text = &answer->bodies[0];
	const char *from = text->bytes + answer->said;
	size_t left = text->len - answer->said;
	const char *blank = left > 1 ? memchr(from + 1, ' ', left - 1) : NULL;

	timer_set(&answer->client->loop->timers, &answer->try_timer, WORD_MS * 1000u, echo_on_word,
		  answer);
	if (left == 0)
		llm_answer_end(answer, LLM_WHOLE);
	else
		llm_answer_say(answer, from, blank ? (size_t)(blank - from) : left);
}

static int echo_write_sentence(struct buf *out, const struct llm_turn *turn)
{
	size_t len = turn->len;
	bool is_ended;
	int err;

	while (len > 0 && isspace((unsigned char)turn->text[len - 1]))
		--len;
	is_ended = len > 0 && strchr(".!?", turn->text[len - 1]);
	err = buf_append_str(out, "You said: ");
	if (!err)
		err = buf_append(out, turn->text, len);
	return err || is_ended ? err : buf_append(out, ".", 1);
}

int llm_echo_start(struct llm_answer *answer, const struct llm_turn *turn)
{
	int err = echo_write_sentence(&answer->bodies[0], turn);

	if (!err)
		timer_set(&answer->client->loop->timers, &answer->try_timer, WORD_MS * 1000u,
			  echo_on_word, answer);
	return err;
}
