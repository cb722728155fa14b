/* The inferior's life, for the other files of this folder. Loop thread, unless a comment says otherwise. */
#ifndef PT_GDBSTUB_RUN_H
#define PT_GDBSTUB_RUN_H

#include "gdbstub/packets/client.h"

/* run.c */
void pt_gdb_listen_to_board(struct pt_gdb_client *client);
/* 0x03: halts a running core, T02 follows; if it is halted, ends the next resume. */
void pt_gdb_interrupt(struct pt_gdb_client *client);
void pt_gdb_remember_interrupt(struct pt_gdb_client *client);	/* ends the next resume */
bool pt_gdb_take_interrupt(struct pt_gdb_client *client); /* at a resume: must it end at once? Clears the
								 * request. */
void pt_gdb_hear_packet(struct pt_gdb_client *client);		/* a packet came: earlier interrupts are forgotten */

/* In query.c. Is it 0, a core's number, or possibly a task (which only the board thread can check)? */
bool pt_gdb_can_be_thread(const struct pt_gdb_client *client, uint64_t id);

/* In attach.c. Removes breakpoints and resumes cores that ran before; the client is kept until then. */
void pt_gdb_end_session(struct pt_gdb_client *client);
/* May an all-stop GDB connect? No if another client has the inferior and no second one may watch: err has the reason,
 * or the packet waits until the other client has left. */
bool pt_gdb_may_come(struct pt_gdb_client *client, struct pt_err *err);
void pt_gdb_forget_inferior(struct pt_gdb_client *client);	/* the inferior is lost, or given back */

/* stop.c */
/* Board thread, core halted: reads rq->stop and rq->pc of rq->core. */
int pt_gdb_stop_registers(struct pt_gdb_request *rq, struct pt_target *target, struct pt_err *err);
/* The same for a running core: only a pc, which GDB requires. */
int pt_gdb_no_registers(struct pt_gdb_request *rq, struct pt_target *target);
/* Builds "T.." in client->rsp.frame from these registers; status NULL: a plain stop. */
enum { PT_GDB_SIGINT = 2, PT_GDB_SIGTRAP = 5 };
/* The same as a reply ('$') or as a notification of non-stop ('%'). */
void pt_gdb_stop_packet(struct pt_gdb_client *client, const struct pt_gdb_request *rq, char mark, unsigned signal,
			const struct pt_core_status *status);
void pt_gdb_stop_frame(struct pt_gdb_client *client, const struct pt_gdb_request *rq, unsigned signal,
		       const struct pt_core_status *status);

/* In breakpoints.c. Any thread while the client has a request pending, else the loop's. NULL: GDB has no breakpoint
 * there. */
const struct pt_gdb_break *pt_gdb_break_at(const struct pt_gdb_client *client, uint64_t pc);
const struct pt_gdb_break *pt_gdb_watch_at(const struct pt_gdb_client *client, uint64_t addr);

/* Board thread, core halted. Is it at a breakpoint of this client whose conditions are all false? Then it is
 * resumed. */
bool pt_gdb_pass(struct pt_gdb_client *client, struct pt_board *board, struct pt_target *target, unsigned core);
void pt_gdb_breaks_forget(struct pt_gdb_client *client);	/* they were removed from the target */

/* registers.c. Board thread. */
const struct pt_register *pt_gdb_pc_row(const struct pt_register *rows, size_t n_rows);	/* NULL: there is none */
size_t pt_gdb_register_text(char *out, size_t out_bytes, const struct pt_register *row, bool big_endian,
			    uint64_t value);	/* hex digits and a NUL; 0: no space */
int pt_gdb_set_pc(struct pt_board *board, struct pt_target *target, unsigned core, uint64_t pc, struct pt_err *err);

#endif
