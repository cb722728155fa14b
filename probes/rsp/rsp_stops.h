/* What the packets of run control say of the target and of its cores. Bytes in, state out: no I/O, any thread.
 * Source: GDB manual, appendix "Remote Serial Protocol": stop replies, vCont, notifications, thread ids. */
#ifndef PT_PROBES_RSP_STOPS_H
#define PT_PROBES_RSP_STOPS_H

#include "probes/wires/rsp.h"

/* "2" and "p1.2" are the same: one of them was written before a debugger asked for multiprocess ids. */
bool pt_rsp_same_thread(const char *a, const char *b);
void pt_rsp_set_cores(struct pt_rsp_run *run, const char *const *threads, unsigned n);	/* see struct pt_rsp_ops */
/* A stop reply, into run. False: this payload is none. */
bool pt_rsp_stop_read(struct pt_rsp_run *run, const uint8_t *payload, size_t len_bytes);
bool pt_rsp_is_stop(const uint8_t *payload, size_t len_bytes);	/* it is one with a signal: "T05...", "S05" */
int pt_rsp_core_of_stop(const struct pt_rsp_run *run);	/* whose the last stop was; -1: it names none of the cores */
/* All-stop: a client that is told of the stop takes its thread for chosen, as if it had sent Hg. */
void pt_rsp_stop_chooses(const struct pt_rsp_run *run, char thread[PT_RSP_THREAD_BYTES + 2]);
/* Non-stop: the server has told of all stops since run.told was 0: other cores run. */
void pt_rsp_all_told(struct pt_rsp_run *run);
/* A packet that lets the target run ("c", "vCont;c:2"), into run; client: a debugger's. */
void pt_rsp_resume_read(struct pt_rsp_run *run, const char *packet, bool client);

#endif
