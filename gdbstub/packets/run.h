/* Inside gdbstub: the inferior's life, as the other files see it. Loop thread, except where it says so. */
#ifndef PT_GDBSTUB_RUN_H
#define PT_GDBSTUB_RUN_H

#include "gdbstub/packets/client.h"

/* run.c */
void pt_gdb_listen_to_board(struct pt_gdb_client *client);
/* 0x03: a running core is halted, T02 follows; while it is halted, it ends the next resume. */
void pt_gdb_interrupt(struct pt_gdb_client *client);
void pt_gdb_remember_interrupt(struct pt_gdb_client *client);	/* to end the next resume */
bool pt_gdb_take_interrupt(struct pt_gdb_client *client);	/* at a resume: is it to end at once? Forgets it. */
void pt_gdb_hear_packet(struct pt_gdb_client *client);		/* any packet came: old interrupts are forgotten */

/* query.c. Is it 0, a core's number, or what may be a task's (which only the board thread can tell)? */
bool pt_gdb_can_be_thread(const struct pt_gdb_client *client, uint64_t id);

/* attach.c. Breakpoints out, cores running if they ran before; the client holds until then. */
void pt_gdb_end_session(struct pt_gdb_client *client);
/* May an all-stop GDB connect? Not where another has the program, and none may watch: err says so, or the packet is
 * parked until the other one has left. */
bool pt_gdb_may_come(struct pt_gdb_client *client, struct pt_err *err);
void pt_gdb_forget_inferior(struct pt_gdb_client *client);	/* it is gone, or given back */

/* stop.c */
/* Board thread, core halted: rq->stop and rq->pc of rq->core. */
int pt_gdb_stop_registers(struct pt_gdb_request *rq, struct pt_target *target, struct pt_err *err);
/* The same for a core that runs: a pc, for GDB wants one, and nothing else. */
int pt_gdb_no_registers(struct pt_gdb_request *rq, struct pt_target *target);
/* Builds "T.." in client->rsp.frame from these registers; status NULL: a plain stop. */
enum { PT_GDB_SIGINT = 2, PT_GDB_SIGTRAP = 5 };
/* The same as a reply ('$') or as the notification of non-stop ('%'). */
void pt_gdb_stop_packet(struct pt_gdb_client *client, const struct pt_gdb_request *rq, char mark, unsigned signal,
			const struct pt_core_status *status);
void pt_gdb_stop_frame(struct pt_gdb_client *client, const struct pt_gdb_request *rq, unsigned signal,
		       const struct pt_core_status *status);

/* breakpoints.c. Any thread while the client has a request pending, else the loop's. NULL: GDB has none there. */
const struct pt_gdb_break *pt_gdb_break_at(const struct pt_gdb_client *client, uint64_t pc);
const struct pt_gdb_break *pt_gdb_watch_at(const struct pt_gdb_client *client, uint64_t addr);

/* Board thread, core halted. Is it at a breakpoint of this client's, and no condition of it is true? Then it runs
 * again. */
bool pt_gdb_pass(struct pt_gdb_client *client, struct pt_board *board, struct pt_target *target, unsigned core);
void pt_gdb_breaks_forget(struct pt_gdb_client *client);	/* they are out of the target */

/* registers.c. Board thread. */
const struct pt_register *pt_gdb_pc_row(const struct pt_register *rows, size_t n_rows);	/* NULL: it has none */
size_t pt_gdb_register_text(char *out, size_t out_bytes, const struct pt_register *row, bool big_endian,
			    uint64_t value);	/* hex digits and a NUL; 0: no room */
int pt_gdb_set_pc(struct pt_board *board, struct pt_target *target, unsigned core, uint64_t pc, struct pt_err *err);

#endif
