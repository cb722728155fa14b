/* OpenOCD's TCL port as a second channel to the memory of a target whose GDB port is the first. Accesses are commands
 * (tcl_text.h), as many in one as fit: one round trip for a batch, and each with the width that was asked for.
 *
 * What the port reads is believed when a word that is known otherwise has been read by it: at each connection, before
 * anything else. One that is gone, or talks nonsense, is connected to again at the next access, and until that works
 * each access fails with the reason. An answer that does not come in time is waited for at the next access, ahead of
 * it: there is never more than one command under way. Board thread only.
 * Source: OpenOCD User's Guide 0.12, 21.3 (Tcl RPC server): a command and its answer end with a byte 0x1a each. */
#ifndef PT_TARGETS_REMOTE_TCL_H
#define PT_TARGETS_REMOTE_TCL_H

#include "targets/contract/mem.h"

struct pt_tcl;

struct pt_tcl_setup {
	const char *address;		/* "HOST:PORT", "HOST" (port 6666); used during the call only */
	const char *target;		/* as OpenOCD names it; NULL: the one that it has chosen */
	uint32_t patience_ms;		/* for an answer */
	bool big_endian;
	/* A word whose content is known by another way, n = 0, 1, ...: 1 and the word as memory holds it; 0: there are
	 * no more; PT_ESTATE: it cannot be read now; or another error. */
	int (*known)(void *arg, unsigned n, uint64_t *addr, uint8_t word[4], struct pt_err *err);
	void *arg;
};

/* Does not connect yet. PT_EARG: the target's name is none; PT_ENOMEM. */
struct pt_tcl *pt_tcl_new(const struct pt_tcl_setup *setup, struct pt_err *err);
void pt_tcl_free(struct pt_tcl *tcl);	/* NULL is fine */
/* For monitor status: who it is, or why it does not work. */
void pt_tcl_describe(const struct pt_tcl *tcl, char *line, size_t room_bytes);
/* As of struct pt_mem_ops, without PT_MEM_DELAY and without PT_EIO: who is gone may come back, PT_ETIMEOUT. */
int pt_tcl_run(struct pt_tcl *tcl, struct pt_mem_op *ops, size_t n_ops, uint32_t timeout_ms, size_t *n_done,
	       uint64_t *fault_addr, struct pt_err *err);

#endif
