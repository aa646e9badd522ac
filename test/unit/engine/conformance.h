/*
 * conformance.h: what the files of the conformance suite share.
 *
 *   test_engine_conformance.c   one job, and the list of all tests
 *   conformance_listening.c     engines that listen, which have tests of their own
 *   conformance_seeds.c         readings of the same text
 *   conformance_several.c       several jobs at once
 *   conformance_turns.c         state between the texts of a turn
 *   conformance_words.c         word times in many languages, phonemes
 */
#ifndef TEST_ENGINE_CONFORMANCE_H
#define TEST_ENGINE_CONFORMANCE_H

#include "client.h"

#define SENTENCE "Good morning, this is a sentence with some words."

/* Runs the tests of an engine that listens, instead of the others.  Returns the number that failed. */
int conformance_listening_run(void);

/* The program under test, greeted; and its end, which must be a good one. */
void conformance_start(struct client *client);
void conformance_end(struct client *client);

/* The name of an English voice. */
const char *conformance_voice(const struct client *client);

/* A text from SPEAK to a good DONE. */
void conformance_speak(struct client *client, struct client_job *job, const char *text);

/* Any message from SPEAK to DONE. */
void conformance_speak_message(struct client *client, struct client_job *job,
			       const struct message *message);

/* Words lie in order inside text and audio. */
void conformance_assert_words_fit(const struct client_job *job, const char *text);

/* SPEAK alone. */
void conformance_send(struct client *client, uint32_t id, const char *text, uint32_t credit);

/* Tests.  The last two are also for engines that do not speak. */
void conformance_jobs_sent_early_are_all_answered(void **state);
void conformance_jobs_at_once_keep_each_to_its_credit(void **state);
void conformance_jobs_at_once_have_the_samples_that_they_have_alone(void **state);
void conformance_a_cancel_of_one_job_leaves_the_others_alone(void **state);
void conformance_every_seed_is_another_reading(void **state);
void conformance_a_seed_goes_on_at_the_sample_in_another_process(void **state);
void conformance_a_seed_changes_nothing_without_temperature(void **state);
void conformance_interleaved_turns_sound_as_they_do_apart(void **state);
void conformance_an_ended_turn_leaves_nothing_behind(void **state);
void conformance_a_replay_is_as_good_as_having_spoken(void **state);
void conformance_turns_that_end_do_no_harm(void **state);
void conformance_every_word_has_one_time_in_every_language(void **state);
void conformance_phonemes_are_one_word(void **state);
void conformance_phonemes_are_spoken(void **state);
void conformance_no_message_ends_the_worker_with_an_error(void **state);
void conformance_another_version_ends_the_worker_with_an_error(void **state);

#endif
