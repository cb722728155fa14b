/* Agent expressions: GDB compiles the condition of a breakpoint into this bytecode, so that the stub can evaluate it.
 * The code is untrusted: it cannot run for ever, and reads only what env allows. Board thread; pure but for env.
 * Source: GDB manual, appendix "The GDB Agent Expression Mechanism". */
#ifndef PT_GDBSTUB_AGENT_H
#define PT_GDBSTUB_AGENT_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct pt_agent_env {
	void *arg;
	/* number: of the register in the g packet. */
	int (*reg)(void *arg, unsigned number, uint64_t *value, struct pt_err *err);
	/* n_bytes: 1, 2, 4, 8; in the target's byte order. */
	int (*mem)(void *arg, uint64_t addr, unsigned n_bytes, uint64_t *value, struct pt_err *err);
};

/* Returns the value on top of the stack at the end. PT_EARG: an operation that is not supported (the sentence says
 * which); else the error of env. */
int pt_agent_run(const uint8_t *code, size_t n_bytes, const struct pt_agent_env *env, uint64_t *result,
		 struct pt_err *err);

#endif
