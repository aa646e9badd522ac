/*
 * local_address.h: whether an address is one of this machine.
 */
#ifndef CLI_LOCAL_ADDRESS_H
#define CLI_LOCAL_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>

#define LOCAL_ADDRESS_SIZE 64

/* Whether this is "localhost", an address of the loopback interface or of another interface of this
 * machine, without brackets.  Names are not looked up: the address of a name can change before
 * somebody connects. */
bool local_address_is(const char *host);

/* The address that a name resolves to, in the form of numbers, with brackets if it is of IPv6.  An
 * address of this machine and "localhost" stay as they are.  ENOENT unless all addresses of the name
 * are of this machine. */
int local_address_find(char address[LOCAL_ADDRESS_SIZE], const char *host);

#endif
