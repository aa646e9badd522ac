/*
 * config_rows.h: how the rows of configuration tables are written (see config.c and config_agents.c).
 *
 * A table defines FIELD(member), which is the place of a value in its struct.
 */
#ifndef SERVER_CONFIG_ROWS_H
#define SERVER_CONFIG_ROWS_H

#include "base/params.h"

#define STRING(member, value) .type = PARAM_STRING, FIELD(member), .initial = (value)
#define INT(member, value, low, high)                                                              \
	.type = PARAM_INT, FIELD(member), .initial = (value), .min = (low), .max = (high)
#define BOOL(member, value) .type = PARAM_BOOL, FIELD(member), .initial = (value)
#define ENUM(member, value, list)                                                                  \
	.type = PARAM_ENUM, FIELD(member), .initial = (value), .words = (list)
#define DECIMAL(member, value, high)                                                               \
	.type = PARAM_DECIMAL, FIELD(member), .initial = (value), .max = (high)*PARAM_MILLION
#define WORD(member, value) STRING(member, value), .size = CONFIG_WORD_SIZE
#define TEXT(member) STRING(member, ""), .size = CONFIG_TEXT_SIZE
#define MILLISECONDS(member, high) INT(member, "0", 0, high), .unit = "milliseconds"

#endif
