/* The table of packets, and the handlers of its rows, by file. A handler gets what follows its name and must end in
 * exactly one of: a reply, pt_gdb_finish(), or a posted request that does either. */
#ifndef PT_GDBSTUB_COMMANDS_H
#define PT_GDBSTUB_COMMANDS_H

#include "gdbstub/rsp/connection.h"

typedef void pt_gdb_handler(struct pt_gdb_client *client, struct pt_rsp_args *args);

void pt_gdb_command(struct pt_gdb_client *client);	/* handles client->current */

/* E01 with a sentence: the packet is not what it should be. */
void pt_gdb_reply_malformed(struct pt_gdb_client *client);
void pt_gdb_reply_not_yours(struct pt_gdb_client *client);	/* another GDB controls the target */

/* query.c: what both ends can do, and which threads there are */
pt_gdb_handler pt_gdb_supported, pt_gdb_no_ack, pt_gdb_thread_list, pt_gdb_thread_list_end, pt_gdb_thread_extra,
	pt_gdb_current_thread, pt_gdb_select_thread, pt_gdb_thread_alive, pt_gdb_ok, pt_gdb_attached, pt_gdb_offsets;
/* run.c */
pt_gdb_handler pt_gdb_why, pt_gdb_attach, pt_gdb_run_again, pt_gdb_restart, pt_gdb_vcont, pt_gdb_vcont_what,
	pt_gdb_continue, pt_gdb_step, pt_gdb_ctrl_c, pt_gdb_detach, pt_gdb_kill, pt_gdb_vkill;
/* registers.c */
pt_gdb_handler pt_gdb_read_registers, pt_gdb_write_registers, pt_gdb_read_register, pt_gdb_write_register;
/* memory.c */
pt_gdb_handler pt_gdb_read_hex, pt_gdb_read_binary, pt_gdb_write_hex, pt_gdb_write_binary;
/* fileio.c */
pt_gdb_handler pt_gdb_fileio_reply;
/* search.c */
pt_gdb_handler pt_gdb_crc, pt_gdb_search;
/* breakpoints.c */
pt_gdb_handler pt_gdb_insert, pt_gdb_remove;
/* flash.c */
pt_gdb_handler pt_gdb_flash_erase, pt_gdb_flash_write, pt_gdb_flash_done;
/* nonstop.c */
pt_gdb_handler pt_gdb_set_nonstop, pt_gdb_stopped;
/* hostio.c */
pt_gdb_handler pt_gdb_hostio;
/* branch_trace.c */
pt_gdb_handler pt_gdb_branch_trace_on, pt_gdb_branch_trace_off;
/* xfer.c */
pt_gdb_handler pt_gdb_xfer, pt_gdb_xfer_threads;
/* monitor.c */
pt_gdb_handler pt_gdb_monitor;

#endif
