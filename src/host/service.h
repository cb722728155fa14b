/* The service manager that has started the daemon: systemd, where configure found libsystemd. It passes sockets by
 * name, is notified when the daemon is ready, and kills a daemon that stops sending watchdog beats. Without it the
 * calls do nothing and find nothing. Loop thread; nothing waits for the manager. Source: sd_listen_fds_with_names(3),
 * sd_notify(3), sd_watchdog_enabled(3). */
#ifndef PT_SERVICE_H
#define PT_SERVICE_H

#include <stdbool.h>
#include <stdint.h>

/* Reads the manager's environment variables, once, and removes them, so that no child of the daemon uses them. */
void pt_service_begin(void);
bool pt_service_has_socket(const char *name);
/* Returns the listening socket that the manager passed with this name (FileDescriptorName=); -1: none. If several have
 * the name, each call returns the next. The caller owns the descriptor; the manager keeps the socket's file. */
int pt_service_take_socket(const char *name);
/* The service manager may pass sockets that the daemon does not use: the name of socket i of these. NULL: there are no more. */
const char *pt_service_untaken(unsigned i);

/* The daemon serves; status is a sentence that `systemctl status` shows. To be called again when it changes. */
void pt_service_ready(const char *status);
void pt_service_stopping(void);
/* The longest interval between beats that the manager allows; 0: it expects none. */
uint64_t pt_service_watchdog_us(void);
void pt_service_beat(void);

#endif
