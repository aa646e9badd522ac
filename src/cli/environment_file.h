/*
 * environment_file.h: the variables of the installed service, for commands that are run by hand.
 *
 * systemd gives the service the variables of /etc/default/syrinx.  A command that works on the
 * service's store or with its agents must have the same ones.
 */
#ifndef CLI_ENVIRONMENT_FILE_H
#define CLI_ENVIRONMENT_FILE_H

typedef void(environment_file_variable_h)(const char *name, const char *value, void *arg);

/* Calls the handler for each variable of a text in the syntax of systemd's EnvironmentFile=, which
 * is overwritten: NAME=VALUE on each line, a value or a part of one in quotes where it has blanks,
 * lines that start with # or ; are comments.  A line that is none of these is skipped. */
void environment_file_parse(char *text, environment_file_variable_h *each, void *arg);

/* Sets the variables of a file, except those that are set already.  A file that this user cannot
 * read is left out. */
void environment_file_load(const char *path);

#endif
