/*
 * params.h: parameters of a program, one table row each.
 *
 * A row says where a value lives in the caller's struct, what it may be and
 * what it is for; the parser of the file, the environment and the command
 * line, the sample file and the manual page all come from the same row.
 *
 * Errors are for people: each is one line that begins with where it was found
 * ("file.conf:12", "PREFIX_SECTION_NAME", "--option"), appended to a buffer
 * so that one run shows all of them.  Used before threads start.
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

/* Looks at a value of the right type: NULL, or what is wrong with it. */
typedef const char *(param_check_h)(const char *value);

struct param {
	const char *section;
	const char *name;
	enum param_type type;
	size_t offset; /* of the value in the caller's struct */
	const char *initial; /* the default, as it would be written */
	int64_t min, max; /* of PARAM_INT, and of PARAM_DECIMAL in millionths */
	const char *unit; /* NULL where there is none */
	const char *const *words; /* of PARAM_ENUM, NULL at the end */
	param_check_h *check; /* may be NULL */
	const char *text; /* what it is for, in sentences */
	size_t size; /* of PARAM_STRING; 0: PARAM_STRING_SIZE */
	bool is_secret; /* a mistake does not show it: what is printed ends in logs */
};

/* Sections of which there may be several, each with a name: "[kettle polly]".  They
 * are objects in an array of the caller's struct, in the order of the file, and come
 * from the file alone. */
struct param_group {
	const char *section; /* "kettle" */
	const char *text; /* what one is, in sentences */
	const struct param *rows; /* offsets are those in an object */
	size_t count; /* at most PARAMS_MAX */
	size_t array; /* offset of the first object, which begins with its name:
		       * char[PARAM_NAME_SIZE] */
	size_t size; /* of an object */
	size_t max; /* objects, at most PARAM_OBJECTS_MAX */
	size_t used; /* offset of a size_t: how many there are */
};

#define PARAM_NAME_SIZE 33 /* letters, digits, '-', '_' and '.' */
#define PARAM_OBJECTS_MAX 64

struct params {
	const struct param *rows; /* those of one section stand together */
	size_t count; /* at most PARAMS_MAX */
	const char *env_prefix; /* "NAME_" */
	const struct param_group *groups;
	size_t groups_count; /* at most PARAM_GROUPS_MAX */
};

#define PARAMS_MAX 64
#define PARAM_GROUPS_MAX 4

void params_set_initial(const struct params *params, void *values);

/* Sets "section.name"; `where` begins the error's line.  EINVAL. */
int params_set(const struct params *params, void *values, const char *key, const char *value,
	       const char *where, struct buf *errors);

/* Reads a file of "[section]" and "name = value" lines, of at most PARAM_LINE_MAX
 * bytes.  Lines that begin with # or ; are comments, and so is what follows a ;
 * after a blank.  EINVAL when any line was wrong (an unknown key, a value out of
 * range, a key twice), an errno when it cannot be read; both with lines in errors. */
#define PARAM_LINE_MAX 16384
int params_read_file(const struct params *params, void *values, const char *path,
		     struct buf *errors);

/* Takes "PREFIXSECTION_NAME=value" from an environment.  A variable with the
 * prefix that is no key is an error only when it looks like a misspelt one:
 * container systems put variables of their own under a service's name. */
int params_read_env(const struct params *params, void *values, char *const *environment,
		    struct buf *errors);

/* Appends the keys whose values differ, with commas between them: "section.name",
 * "[kettle polly] name", and "[kettle polly]" where only one of both has it.  Values are
 * not shown.  Objects of the group `except` (NULL: none) are not looked at.  ENOBUFS,
 * with as many as there was room for. */
int params_differ(const struct params *params, const void *a, const void *b, const char *except,
		  struct buf *keys);

/* A file with every key at its default, commented out, and what it is for. */
int params_print_sample(const struct params *params, struct buf *out);

/* The same as sections of a manual page, in man(7) macros. */
int params_print_manual(const struct params *params, struct buf *out);

#endif
