/* Agent expressions: what GDB compiles the condition of a breakpoint into, so that it can be tried where the program
 * is. The code is untrusted: it cannot run for ever, and touches nothing but what env lets it read. Board thread; pure
 * but for env.
 * Source: GDB manual, appendix "The GDB Agent Expression Mechanism". */
#ifndef PT_GDBSTUB_AGENT_H
#define PT_GDBSTUB_AGENT_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct pt_agent_env {
	void *arg;
	/* number: as the g packet numbers registers. */
	int (*reg)(void *arg, unsigned number, uint64_t *value, struct pt_err *err);
	/* n_bytes: 1, 2, 4, 8; in the target's byte order. */
	int (*mem)(void *arg, uint64_t addr, unsigned n_bytes, uint64_t *value, struct pt_err *err);
};

/* The value on top of the stack at its end. PT_EARG: it is not code that this can run (the sentence says what); else
 * what env returned. */
int pt_agent_run(const uint8_t *code, size_t n_bytes, const struct pt_agent_env *env, uint64_t *result,
		 struct pt_err *err);

#endif
