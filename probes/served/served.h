/* A real probe on the network, as CMSIS-DAP over TCP (probes/virtual/serve.h): what a host asks is carried out on a thread
 * that has the probe, and the loop goes on meanwhile. Loop thread. */
#ifndef PT_PROBES_SERVED_SERVED_H
#define PT_PROBES_SERVED_SERVED_H

#include "probes/virtual/serve.h"
#include "probes/wires/probe.h"

struct pt_served;

/* The probe is the thread's until served is freed, and the caller's to close after that. on_gone is called once, when the plug
 * was pulled. NULL: PT_EUNSUPPORTED (it reaches no debug port), PT_ENOMEM. */
struct pt_served *pt_served_new(uv_loop_t *loop, struct pt_probe *probe,
				void (*on_gone)(void *arg, const struct pt_err *why), void *arg, struct pt_err *err);
/* As pt_vserve_new(). The server is closed before the probe's thread is ended. */
struct pt_vserve *pt_served_listen(struct pt_served *served, uv_loop_t *loop, const char *address, unsigned allow,
				   struct pt_err *err);
/* The thread ends once it has carried out what it is at; the loop, which runs on until then, frees served. */
void pt_served_end(struct pt_served *served);

#endif
