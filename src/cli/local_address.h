/*
 * local_address.h: tells whether an address belongs to this machine.
 */
#ifndef CLI_LOCAL_ADDRESS_H
#define CLI_LOCAL_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>

#define LOCAL_ADDRESS_SIZE 64

/* Whether `host` is "localhost" or, without brackets, an address of the loopback or another
 * interface of this machine. Names are not looked up, because the address of a name can change
 * before a connection is made. */
bool local_address_is(const char *host);

/* Resolves a name to a numeric address, with brackets for IPv6. An address of this machine and
 * "localhost" are kept as they are. ENOENT unless all addresses of the name belong to this
 * machine. */
int local_address_find(char address[LOCAL_ADDRESS_SIZE], const char *host);

#endif
