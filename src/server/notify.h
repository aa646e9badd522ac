/*
 * notify.h: reports the server's state to the service manager (sd_notify(3)).
 *
 * It sends a datagram to the socket that NOTIFY_SOCKET names.  We implement this ourselves because
 * the protocol is a single sendto, and libsystemd would be the largest library that we link.
 */
#ifndef SERVER_NOTIFY_H
#define SERVER_NOTIFY_H

/* Sends lines such as "READY=1".  Does nothing without a service manager. */
void notify_manager(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
