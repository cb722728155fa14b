/* The service manager that has started the daemon: systemd, where configure found libsystemd. It passes sockets by name, hears
 * that the daemon is ready, and kills a daemon whose beats stay out. Without it the calls do nothing and find nothing.
 * Loop thread; nothing waits for the manager. Source: sd_listen_fds_with_names(3), sd_notify(3), sd_watchdog_enabled(3). */
#ifndef PT_SERVICE_H
#define PT_SERVICE_H

#include <stdbool.h>
#include <stdint.h>

/* Takes what the environment says, once, and removes it from there: no child of the daemon is to take it for its own. */
void pt_service_begin(void);
bool pt_service_has_socket(const char *name);
/* The listening socket that the manager passed under this name (FileDescriptorName=), -1: there is none. Of several with one
 * name each call gives the next. The descriptor is the caller's; the file of the socket stays the manager's. */
int pt_service_take_socket(const char *name);
/* The service manager may pass sockets that the daemon does not use: the name of socket i of these. NULL: there are no more. */
const char *pt_service_untaken(unsigned i);

/* The daemon serves; status is a sentence that `systemctl status` shows. To be called again when it changes. */
void pt_service_ready(const char *status);
void pt_service_stopping(void);
/* How often the manager wants to hear a beat at least; 0: it does not listen. */
uint64_t pt_service_watchdog_us(void);
void pt_service_beat(void);

#endif
