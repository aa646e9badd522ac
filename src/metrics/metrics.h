/*
 * metrics.h: counters, histograms and gauges for the operator, one table row each.
 *
 * Counters and histograms are updated where things happen, from any thread, at the cost of one
 * atomic addition or two.  Most gauges are set when the metrics are read; CONTEXTS is counted up
 * and down.  The values are global to the process, like its log.  GET /metrics, `syrinx top` and
 * the Grafana dashboard show exactly what is in the table; printed names begin with "syrinx_".
 */
#ifndef METRICS_METRICS_H
#define METRICS_METRICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/* `values` lists the values of a row's label as "a|b|c", in the order of the enum that indexes
 * them. It is NULL if the row has no label, and "" if only the caller of metrics_print knows the
 * values. */

/* id kind unit name label values help */
#define METRICS(X)                                                                                 \
	X(CONNECTIONS, GAUGE, ONE, "connections", NULL, NULL, "WebSockets that are open")          \
	X(CONTEXTS, GAUGE, ONE, "contexts", NULL, NULL, "Contexts that are open on /ws/tts/multi") \
	X(CONNECTIONS_OPENED, COUNTER, ONE, "connections_opened_total", NULL, NULL,                \
	  "WebSockets that were opened")                                                           \
	X(REQUESTS, COUNTER, ONE, "http_requests_total", "class", "1xx|2xx|3xx|4xx|5xx",           \
	  "HTTP requests that were answered, by the class of their status")                        \
	X(TURNS, COUNTER, ONE, "turns_total", "status", "finished|cancelled|failed|lost",          \
	  "Turns that were booked, by how they ended")                                             \
	X(CHUNKS, COUNTER, ONE, "chunks_total", NULL, NULL, "Chunks that were given to an engine") \
	X(FRAMES, COUNTER, ONE, "frames_total", NULL, NULL, "Frames of audio that were sent")      \
	X(BYTES, COUNTER, ONE, "sent_bytes_total", NULL, NULL,                                     \
	  "Bytes of messages and answers that were sent")                                          \
	X(AUDIO, COUNTER, MICROSECONDS, "audio_seconds_total", NULL, NULL,                         \
	  "Seconds of audio that were booked")                                                     \
	X(CHARACTERS, COUNTER, ONE, "characters_total", NULL, NULL, "Characters of booked turns")  \
	X(TRANSCRIPTIONS, COUNTER, ONE, "transcriptions_total", "status",                          \
	  "finished|cancelled|failed|lost",                                                        \
	  "Files and streams that were transcribed and booked, by how they ended")                 \
	X(HEARD, COUNTER, MICROSECONDS, "heard_seconds_total", NULL, NULL,                         \
	  "Seconds of audio that were transcribed and booked")                                     \
	X(FIRST_AUDIO, HISTOGRAM, MICROSECONDS, "first_audio_seconds", NULL, NULL,                 \
	  "From the first text of a turn to its first frame")                                      \
	X(ADDED, HISTOGRAM, MICROSECONDS, "added_seconds", NULL, NULL,                             \
	  "Of it, how long the text of a turn's first chunk waited until an engine began on it")   \
	X(CANCELS, COUNTER, ONE, "cancels_total", NULL, NULL, "Barge-ins")                         \
	X(CANCEL_TIME, HISTOGRAM, MICROSECONDS, "cancel_seconds", NULL, NULL,                      \
	  "From a cancel to its acknowledgement on its way")                                       \
	X(JOBS_QUEUED, GAUGE, ONE, "jobs_queued", NULL, NULL, "Chunks that wait for a worker")     \
	X(JOBS_RUNNING, GAUGE, ONE, "jobs_running", NULL, NULL,                                    \
	  "Chunks that a worker has: running, parked or held")                                     \
	X(DEADLINE_MISSES, COUNTER, ONE, "deadline_misses_total", NULL, NULL,                      \
	  "Times a listener had heard all that was sent and more was to come")                     \
	X(WORKERS, GAUGE, ONE, "workers", NULL, NULL, "Worker processes")                          \
	X(WORKER_DEATHS, COUNTER, ONE, "worker_deaths_total", NULL, NULL,                          \
	  "Worker processes that ended unasked, and were replaced")                                \
	X(VOICES, GAUGE, ONE, "voices", NULL, NULL, "Voices that can be spoken")                   \
	X(LEDGER_WAITING, GAUGE, ONE, "ledger_waiting", NULL, NULL,                                \
	  "Turns that are not durable yet, neither in the store nor in the spool")                 \
	X(LEDGER_SPOOLED, GAUGE, ONE, "ledger_spooled", NULL, NULL,                                \
	  "Turns in the spool, which wait for the store")                                          \
	X(LEDGER_TIME, HISTOGRAM, MICROSECONDS, "ledger_seconds", NULL, NULL,                      \
	  "From a turn's end to its durable row")                                                  \
	X(DENIALS, COUNTER, ONE, "denials_total", "why",                                           \
	  "none|key|credit|turns|connections|requests|characters|text|heard|"                      \
	  "ledger|leased|pending",                                                                 \
	  "Turns and connections that were refused by a limit, or for want of credit")             \
	X(ERRORS, COUNTER, ONE, "errors_total", "code",                                            \
	  "VALIDATION_ERROR|MISSING_VOICE_ID|UNAUTHORIZED|FORBIDDEN|NOT_FOUND|RATE_LIMITED|"       \
	  "TOO_MANY_CONTEXTS|INSUFFICIENT_CREDITS|INTERNAL_ERROR|MODEL_UNAVAILABLE",               \
	  "Errors that clients were told, by their error_code")                                    \
	X(CONVERSATIONS, GAUGE, ONE, "conversations", NULL, NULL,                                  \
	  "Conversations with speech engines that are open")                                       \
	X(LLM_ANSWERS, COUNTER, ONE, "llm_answers_total", "end",                                   \
	  "whole|cut|broken|fallback|silent|cancelled",                                            \
	  "Answers of language models, by how they ended")                                         \
	X(LLM_TOKENS, COUNTER, ONE, "llm_tokens_total", NULL, NULL,                                \
	  "Tokens that language models wrote")                                                     \
	X(LLM_TOKENS_IN, COUNTER, ONE, "llm_input_tokens_total", NULL, NULL,                       \
	  "Tokens that were sent to language models")                                              \
	X(LLM_ERRORS, COUNTER, ONE, "llm_errors_total", NULL, NULL,                                \
	  "Requests to language models that failed")                                               \
	X(LLM_FIRST, HISTOGRAM, MICROSECONDS, "llm_first_delta_seconds", NULL, NULL,               \
	  "From a transcript to the model's first words")                                          \
	X(AGENT_CONVERSATIONS, COUNTER, ONE, "agent_conversations_total", "agent", "",             \
	  "Conversations that were begun with an agent")                                           \
	X(AGENT_TURNS, COUNTER, ONE, "agent_turns_total", "agent", "",                             \
	  "Transcripts that an agent was asked to answer")                                         \
	X(AGENT_CANCELS, COUNTER, ONE, "agent_cancels_total", "agent", "",                         \
	  "Answers of an agent that were interrupted")                                             \
	X(AGENT_TOKENS, COUNTER, ONE, "agent_tokens_total", "agent", "",                           \
	  "Tokens that an agent's model wrote")                                                    \
	X(AGENT_ERRORS, COUNTER, ONE, "agent_llm_errors_total", "agent", "",                       \
	  "Requests to an agent's model that failed")                                              \
	X(AGENT_FALLBACKS, COUNTER, ONE, "agent_fallbacks_total", "agent", "",                     \
	  "Answers of an agent that no model gave")                                                \
	X(AGENT_FIRSTS, COUNTER, ONE, "agent_first_deltas_total", "agent", "",                     \
	  "Answers of an agent that had a word")                                                   \
	X(AGENT_FIRST_TIME, COUNTER, MICROSECONDS, "agent_first_delta_seconds_total", "agent", "", \
	  "From transcripts to the first words of those, summed up")                               \
	X(CALLS, GAUGE, ONE, "calls", NULL, NULL, "Calls that are open")                           \
	X(CALLS_STARTED, COUNTER, ONE, "calls_started_total", NULL, NULL,                          \
	  "Calls that were begun: the client was told that it may speak")                          \
	X(CALLS_REFUSED, COUNTER, ONE, "calls_refused_total", NULL, NULL,                          \
	  "Calls that were refused, because all lines were busy or by a limit")                    \
	X(CALL_TURNS, COUNTER, ONE, "call_turns_total", NULL, NULL,                                \
	  "Answers and greetings that callers heard, at least in part")                            \
	X(CALL_INTERRUPTIONS, COUNTER, ONE, "call_interruptions_total", NULL, NULL,                \
	  "Answers that callers interrupted")                                                      \
	X(CALL_RESUMED, COUNTER, ONE, "call_resumed_total", NULL, NULL,                            \
	  "Times a caller was heard during an answer and did not interrupt it")                    \
	X(CALL_SPECULATIONS, COUNTER, ONE, "call_speculations_total", NULL, NULL,                  \
	  "Questions to agents before it was certain that the caller had finished")                \
	X(CALL_REOPENED, COUNTER, ONE, "call_reopened_total", NULL, NULL,                          \
	  "Questions after which the caller went on before an answer was heard")                   \
	X(CALL_FAILED, COUNTER, ONE, "call_no_answers_total", NULL, NULL,                          \
	  "Questions that no agent answered")                                                      \
	X(CALL_WORDS, HISTOGRAM, MICROSECONDS, "call_words_seconds", NULL, NULL,                   \
	  "From the end of a caller's speech until the words are known")                           \
	X(CALL_ASKED, HISTOGRAM, MICROSECONDS, "call_asked_seconds", NULL, NULL,                   \
	  "The same until the agent is asked")                                                     \
	X(CALL_DECIDED, HISTOGRAM, MICROSECONDS, "call_decided_seconds", NULL, NULL,               \
	  "The same until it is decided that the caller has finished")                             \
	X(CALL_ANSWER, HISTOGRAM, MICROSECONDS, "call_answer_seconds", NULL, NULL,                 \
	  "The same until the first words of the answer")                                          \
	X(CALL_READY, HISTOGRAM, MICROSECONDS, "call_ready_seconds", NULL, NULL,                   \
	  "The same until the first sound of the answer is made")                                  \
	X(CALL_SOUND, HISTOGRAM, MICROSECONDS, "call_sound_seconds", NULL, NULL,                   \
	  "The same until it is sent to the caller")                                               \
	X(CALL_ADDED, HISTOGRAM, MICROSECONDS, "call_added_seconds", NULL, NULL,                   \
	  "Of it, what neither the silence, the recognizer, the agent nor the voice needed")       \
	X(CALL_ROUND_TRIP, HISTOGRAM, MICROSECONDS, "call_round_trip_seconds", NULL, NULL,         \
	  "From a ping to the pong of a caller's client")                                          \
	X(HEARING_STREAMS, GAUGE, ONE, "hearing_streams", NULL, NULL,                              \
	  "Streams of audio that are listened to")                                                 \
	X(HEARING_WAITING, GAUGE, ONE, "hearing_waiting", NULL, NULL,                              \
	  "Pieces of speech that wait for a worker")                                               \
	X(HEARING_PIECES, COUNTER, ONE, "hearing_pieces_total", "kind", "final|partial|left_out",  \
	  "Pieces of speech that were recognized, or left out because a later one followed")       \
	X(HEARING_FINAL, HISTOGRAM, MICROSECONDS, "hearing_final_seconds", NULL, NULL,             \
	  "From the end of an utterance to its words")                                             \
	X(HEARING_RETRIES, COUNTER, ONE, "hearing_retries_total", NULL, NULL,                      \
	  "Streams that continued on another worker")                                              \
	X(DECODING_JOBS, GAUGE, ONE, "decoding_jobs", NULL, NULL,                                  \
	  "Recordings that are being decoded, or wait for that")                                   \
	X(DECODING_WAITING, GAUGE, ONE, "decoding_waiting", NULL, NULL,                            \
	  "Recordings that wait for a worker")                                                     \
	X(MEMORY, GAUGE, ONE, "resident_memory_bytes", NULL, NULL, "Memory of the server itself")  \
	X(OBJECTS, GAUGE, ONE, "objects", NULL, NULL, "Objects of the server that are alive")      \
	X(STARTED, GAUGE, ONE, "start_time_seconds", NULL, NULL, "When the process was started")

enum metric {
#define X(id, kind, unit, name, label, values, help) METRIC_##id,
	METRICS(X)
#undef X
		METRIC_COUNT
};

/* Amounts are in the unit of the row: a count, or microseconds, which are printed as seconds. */

/* Adds to a counter or a gauge without a label. */
void metrics_add(enum metric metric, uint64_t amount);
/* Add to the label value with this index, or with this name; an unknown name is ignored. */
void metrics_add_at(enum metric metric, size_t value, uint64_t amount);
void metrics_add_named(enum metric metric, const char *value, uint64_t amount);
void metrics_observe(enum metric metric, uint64_t microseconds); /* for a histogram */
void metrics_set(enum metric metric, uint64_t value); /* for a gauge */
void metrics_take(enum metric metric, uint64_t amount); /* subtracts from a gauge */

/* Supplies the label values that are not in the table: the i-th value and its number.  Returns
 * false after the last. */
typedef bool(metrics_value_h)(enum metric metric, size_t i, const char **value, uint64_t *number,
			      void *arg);

/* Prints everything in the text format of Prometheus, version 0.0.4.  If the handler is NULL, rows
 * whose label values are not in the table have no samples.  Returns an error of buf.h. */
int metrics_print(struct buf *out, metrics_value_h *value_of, void *arg);

#endif
