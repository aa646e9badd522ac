/*
 * log.h: one line per event on standard error.
 *
 * A line is "time LEVEL area: words key=value …" or, for programs, a JSON object with "time",
 * "level", "area", "message" and each such key.  An event is logged once, where the decision is
 * made, with the ids that identify it.  API keys are never logged, and spoken text only if the
 * operator configures it.  Any thread may log: a line is one write.  Lines longer than about 950
 * bytes are truncated, and control characters in them are replaced or escaped, so that text from a
 * client cannot begin a new line.
 *
 * The systemd journal adds the time itself, so text lines for the journal have none.  Instead, each
 * begins with its priority ("<6>"), which the journal removes and can filter by.
 */
#ifndef BASE_LOG_H
#define BASE_LOG_H

enum log_level { LOG_ERROR, LOG_WARN, LOG_INFO, LOG_DEBUG };

/* Lines above this level are dropped.  Set once, before threads start. */
void log_set_level(enum log_level level);

enum log_form { LOG_TEXT, LOG_JSON };

/* Set once, before threads start. */
void log_set_form(enum log_form wanted);

/* Finds out whether standard error is the journal.  Called once, before threads start. */
void log_find_journal(void);

/* Knows "error", "warn", "info" and "debug"; EINVAL for other words. */
int log_level_parse(enum log_level *level, const char *word);

void log_line(enum log_level level, const char *area, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#define log_error(area, ...) log_line(LOG_ERROR, area, __VA_ARGS__)
#define log_warn(area, ...) log_line(LOG_WARN, area, __VA_ARGS__)
#define log_info(area, ...) log_line(LOG_INFO, area, __VA_ARGS__)
#define log_debug(area, ...) log_line(LOG_DEBUG, area, __VA_ARGS__)

#endif
