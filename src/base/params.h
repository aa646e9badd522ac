/*
 * params.h: parameters of a program, one table row each.
 *
 * A row says where a value is stored in the caller's struct, what it may be and what it is for.
 * The parsers of the file, the environment and the command line, the sample file and the manual
 * page all use the same row.
 *
 * Errors are for people: each is one line that begins with where it was found ("file.conf:12",
 * "PREFIX_SECTION_NAME", "--option"), appended to a buffer so that one run shows all of them.  Used
 * before threads start.
 */
#ifndef BASE_PARAMS_H
#define BASE_PARAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

enum param_type {
	PARAM_STRING, /* char[PARAM_STRING_SIZE], or of the row's size */
	PARAM_INT, /* int64_t */
	PARAM_BOOL, /* bool; on, off, true, false, yes, no */
	PARAM_ENUM, /* int, an index into words */
	PARAM_DECIMAL, /* int64_t in millionths, exact; PARAM_NONE for an empty value */
};

#define PARAM_STRING_SIZE 1024
#define PARAM_NONE (-1)
#define PARAM_MILLION INT64_C(1000000)

/* Checks a value of the right type: returns NULL, or what is wrong with it. */
typedef const char *(param_check_h)(const char *value);

struct param {
	const char *section;
	const char *name;
	enum param_type type;
	size_t offset; /* of the value in the caller's struct */
	const char *initial; /* the default, as it would be written */
	int64_t min, max; /* of PARAM_INT, and of PARAM_DECIMAL in millionths */
	const char *unit; /* NULL if there is none */
	const char *const *words; /* for PARAM_ENUM; ends with NULL */
	param_check_h *check; /* may be NULL */
	const char *text; /* what it is for, in sentences */
	size_t size; /* of PARAM_STRING; 0: PARAM_STRING_SIZE */
	bool is_secret; /* errors do not quote the value, because they end up in logs */
};

/* Sections that may occur several times, each with a name: "[kettle polly]".  They are objects in
 * an array of the caller's struct, in the order of the file, and can be set only in the file. */
struct param_group {
	const char *section; /* "kettle" */
	const char *text; /* what one is, in sentences */
	const struct param *rows; /* offsets are relative to an object */
	size_t count; /* at most PARAMS_MAX */
	size_t array; /* offset of the first object, which begins with its name:
		       * char[PARAM_NAME_SIZE] */
	size_t size; /* of an object */
	size_t max; /* objects, at most PARAM_OBJECTS_MAX */
	size_t used; /* offset of a size_t: the number of objects */
};

#define PARAM_NAME_SIZE 33 /* letters, digits, '-', '_' and '.' */
#define PARAM_OBJECTS_MAX 64

struct params {
	const struct param *rows; /* the rows of one section are adjacent */
	size_t count; /* at most PARAMS_MAX */
	const char *env_prefix; /* "NAME_" */
	const struct param_group *groups;
	size_t groups_count; /* at most PARAM_GROUPS_MAX */
};

#define PARAMS_MAX 64
#define PARAM_GROUPS_MAX 4

/* Sets every value to its default.  There are no objects of groups at first, so the caller must
 * have zeroed the struct. */
void params_set_initial(const struct params *params, void *values);

/* Sets "section.name"; an error line begins with `where`.  EINVAL. */
int params_set(const struct params *params, void *values, const char *key, const char *value,
	       const char *where, struct buf *errors);

/* Reads a file of "[section]" and "name = value" lines of at most PARAM_LINE_MAX bytes.  Lines that
 * begin with # or ; are comments, and so is everything after a blank and a ;.  EINVAL if any line
 * is wrong (an unknown key, a value out of range, a key twice), or an errno if the file cannot be
 * read; both add lines to errors. */
#define PARAM_LINE_MAX 16384
int params_read_file(const struct params *params, void *values, const char *path,
		     struct buf *errors);

/* Reads "PREFIXSECTION_NAME=value" from an environment.  An unknown variable with the prefix is an
 * error only if it looks like a misspelt key, because container systems set variables that begin
 * with the name of a service. */
int params_read_env(const struct params *params, void *values, char *const *environment,
		    struct buf *errors);

/* Appends the keys whose values differ, separated by commas: "section.name", "[kettle polly] name",
 * and "[kettle polly]" if only one of the two has it.  Values are not shown.  Objects of the group
 * `except`, which may be NULL, are ignored.  ENOBUFS if not all of them fit. */
int params_differ(const struct params *params, const void *a, const void *b, const char *except,
		  struct buf *keys);

/* Prints a file with every key at its default, commented out, and what it is for. */
int params_print_sample(const struct params *params, struct buf *out);

/* Prints the same as sections of a manual page, in man(7) macros. */
int params_print_manual(const struct params *params, struct buf *out);

#endif
