/*
 * notify.h: tells the service manager how the server is (sd_notify(3)).
 *
 * A datagram to the socket that NOTIFY_SOCKET names.  Of its own because the
 * protocol is one sendto, and its library would be the largest that we link.
 */
#ifndef SERVER_NOTIFY_H
#define SERVER_NOTIFY_H

/* "READY=1" and the like, lines.  Without a manager nothing happens. */
void notify_manager(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
