/* A virtual CPU: executes real code over a bus, one struct per instruction set. Trace units and the truth log hang on
 * it as observers. The debug view (halt, step, registers) is what the debug unit of the chip (SCS, BDC, MDM) drives. */
#ifndef PT_VIRTUAL_CPU_H
#define PT_VIRTUAL_CPU_H

#include <stdbool.h>
#include <stdint.h>

#include "probes/virtual/frame/bus.h"

enum pt_vjump {			/* how the flow left a straight line; detail is 0 where nothing else is said */
	PT_VJUMP_BRANCH,	/* by the instruction at from */
	PT_VJUMP_EXCEPTION,	/* from is the preferred return address; detail: what the CPU's header says */
	PT_VJUMP_EXC_RETURN,	/* from is the returning instruction, detail Arm's EXC_RETURN, to where it resumes */
	PT_VJUMP_TAIL_CHAIN,	/* like EXC_RETURN, but to is the next handler's entry */
	PT_VJUMP_DEBUG,		/* the debugger wrote the pc: from is the old one */
	/* Told apart by CPUs whose trace does so; BRANCH is then a conditional branch that was taken. */
	PT_VJUMP_GOTO,		/* unconditional, its target is in the instruction */
	PT_VJUMP_CALL,		/* the same, as a call */
	PT_VJUMP_GOTO_OPERAND,	/* the target comes from an operand; detail: of which kind, as the CPU's header says */
	PT_VJUMP_CALL_OPERAND,
	PT_VJUMP_RETURN,	/* from a call */
};

/* An observer sees what the core does, in order. NULL members cost nothing. Observers may ask the CPU to halt after this
 * instruction (pt_vcpu_request_halt, pt_vs12z_request_halt). */
struct pt_vobserver {
	void *arg;
	void (*insn)(void *arg, uint32_t pc);				/* about to execute, once per instruction */
	/* A conditional branch at from, decided; if it is taken, jump() follows. The Cortex-M0+ does not tell. */
	void (*cond)(void *arg, uint32_t from, bool taken, uint32_t to);
	void (*jump)(void *arg, enum pt_vjump how, uint32_t from, uint32_t detail, uint32_t to);
	/* once per access of an instruction that succeeded, not for exception frames; 1 to 4 bytes */
	void (*data)(void *arg, uint32_t addr, unsigned size_bytes, bool write, uint32_t value, uint32_t pc);
	void (*reset)(void *arg, uint32_t pc);	/* the core was reset, and will begin at pc */
	struct pt_vobserver *next;
};

struct pt_vcpu;			/* cpu/cortexm/cortexm.h says the rest */
struct pt_vs12z;		/* cpu/s12z/s12z.h */

#endif
