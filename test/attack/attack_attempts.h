/*
 * attack_attempts.h: attempts that an engine of a server makes.
 */
#ifndef TEST_ATTACK_ATTEMPTS_H
#define TEST_ATTACK_ATTEMPTS_H

/* Makes the attempts that the environment variable names, and writes "attack: NAME done" or "attack:
 * NAME refused ERRNO" to standard error, which the server logs.  SYRINX_ENGINE_TARGET is "data:" and
 * the server's data directory. */
void attack_attempts_make(const char *variable);

#endif
