/* OpenOCD's TCL port as a second channel to a target's memory, besides the GDB port. Accesses are commands (tcl_text.h)
 * with as many accesses as fit: one round trip for a batch, and each access with the requested width.
 *
 * Each new connection is first verified: it must read a word whose content is known from the GDB port. After a lost
 * connection or an invalid answer the next access connects again; until that works each access fails with the reason.
 * After a timeout the next access first waits for the pending answer: there is never more than one command under way.
 * Board thread only. Source: OpenOCD User's Guide 0.12, 21.3 (Tcl RPC server): a command and its answer end with a byte
 * 0x1a each. */
#ifndef PT_TARGETS_REMOTE_TCL_H
#define PT_TARGETS_REMOTE_TCL_H

#include "targets/contract/mem.h"

struct pt_tcl;

struct pt_tcl_setup {
	const char *address;		/* "HOST:PORT", "HOST" (port 6666); used during the call only */
	const char *target;		/* OpenOCD's name; NULL: its current target */
	uint32_t patience_ms;		/* timeout for an answer */
	bool big_endian;
	/* Gets the n-th word whose content is known otherwise, n = 0, 1, ...: 1 and the word in memory order; 0: no
	 * more; PT_ESTATE: not readable now; or another error. */
	int (*known)(void *arg, unsigned n, uint64_t *addr, uint8_t word[4], struct pt_err *err);
	void *arg;
};

/* Does not connect yet. PT_EARG: invalid target name; PT_ENOMEM. */
struct pt_tcl *pt_tcl_new(const struct pt_tcl_setup *setup, struct pt_err *err);
void pt_tcl_free(struct pt_tcl *tcl);	/* NULL is allowed */
/* For monitor status: port and target, or why it does not work. */
void pt_tcl_describe(const struct pt_tcl *tcl, char *line, size_t room_bytes);
/* As of struct pt_mem_ops, without PT_MEM_DELAY and without PT_EIO: a lost connection may come back, so it gives
 * PT_ETIMEOUT. */
int pt_tcl_run(struct pt_tcl *tcl, struct pt_mem_op *ops, size_t n_ops, uint32_t timeout_ms, size_t *n_done,
	       uint64_t *fault_addr, struct pt_err *err);

#endif
