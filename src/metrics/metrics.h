/*
 * metrics.h: what an operator can watch, one row of a table each.
 *
 * Counters and histograms are added to where things happen, from any thread; gauges are set when
 * somebody reads them.  They belong to the process, like its log, and cost one addition each.  GET
 * /metrics, `syrinx top` and the Grafana dashboard show what is in the table, and nothing else.
 */
#ifndef METRICS_METRICS_H
#define METRICS_METRICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/* The values of the label of a row are "a|b|c" in the order of the enum that counts them; NULL if
 * it has no label; "" if the values are known only to the caller of metrics_print. */

/*      id                  kind       unit          name                               label     values  help */
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
	  "none|key|credit|turns|connections|requests|characters|text|ledger|leased|pending",      \
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
	X(MEMORY, GAUGE, ONE, "resident_memory_bytes", NULL, NULL, "Memory of the server itself")  \
	X(OBJECTS, GAUGE, ONE, "objects", NULL, NULL, "Objects of the server that are alive")      \
	X(STARTED, GAUGE, ONE, "start_time_seconds", NULL, NULL, "When the process was started")

enum metric {
#define X(id, kind, unit, name, label, values, help) METRIC_##id,
	METRICS(X)
#undef X
		METRIC_COUNT
};

void metrics_add(enum metric metric, uint64_t amount);
/* Adds to the value of the label with this index, or with this name; an unknown name is ignored. */
void metrics_add_at(enum metric metric, size_t value, uint64_t amount);
void metrics_add_named(enum metric metric, const char *value, uint64_t amount);
void metrics_observe(enum metric metric, uint64_t microseconds);
void metrics_set(enum metric metric, uint64_t value);
void metrics_take(enum metric metric, uint64_t amount); /* subtracts from a gauge */

/* Supplies the values of a label that are not in the table: the i-th with its number; returns false
 * after the last. */
typedef bool(metrics_value_h)(enum metric metric, size_t i, const char **value, uint64_t *number,
			      void *arg);

/* Prints everything in the text format of Prometheus, version 0.0.4.  Without a handler such labels
 * have no values. */
int metrics_print(struct buf *out, metrics_value_h *value_of, void *arg);

#endif
