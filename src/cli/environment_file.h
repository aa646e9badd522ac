/*
 * environment_file.h: reads the environment variables of the installed service, for commands
 * that are run by hand.
 *
 * systemd gives the service the variables in /etc/default/syrinx. A command that works on the
 * service's store or with its agents needs the same ones.
 */
#ifndef CLI_ENVIRONMENT_FILE_H
#define CLI_ENVIRONMENT_FILE_H

typedef void(environment_file_variable_h)(const char *name, const char *value, void *arg);

/* Calls the handler for each variable in text with the syntax of systemd's EnvironmentFile=:
 * NAME=VALUE on each line; a value or part of it that contains spaces is in quotes; lines that
 * start with # or ; are comments. Other lines are skipped. The text is overwritten. */
void environment_file_parse(char *text, environment_file_variable_h *each, void *arg);

/* Sets the variables in a file, except those that are already set. A file that this user cannot
 * read is ignored. */
void environment_file_load(const char *path);

#endif
