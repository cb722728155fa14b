/* The log of what a virtual core executed, in a file: an observer for tests (tests/truth), switched on by flow-log=FILE
 * in a board's address. It has every change of flow with the cycles before it; between two of them the core executed
 * what lies in a straight line, so that the file says every executed pc and costs no speed per instruction.
 *
 * The file: the 8 bytes "PTFLOW1\n", then records of 16 bytes, little-endian:
 *   u32 from, u32 to, u32 awake, u16 sp, u8 how, u8 detail
 * how below 64 is enum pt_vjump: the core left the straight line at from and went on at to. awake: the cycles, neither
 * asleep nor halted, since the record before. sp: the low half of the stack pointer, behind the jump; detail: the low
 * byte of the jump's. The others:
 *   64 RESET    the core begins at to, and whatever it did is over
 *   65 ASLEEP   it slept since the record before; from and to are the low and high word of how many cycles
 *   66 HALTED   the same, in Debug state
 *   67 AWAKE    more awake cycles than a record can say; from and to as above
 *   68 END      the file is closed; to is the next instruction
 * ASLEEP, HALTED and AWAKE stand before the record whose time they are part of. */
#ifndef PT_VIRTUAL_FLOW_LOG_H
#define PT_VIRTUAL_FLOW_LOG_H

#include "base/error.h"
#include "probes/virtual/frame/cpu.h"

enum pt_vflow_record {
	PT_VFLOW_RESET = 64,
	PT_VFLOW_ASLEEP,
	PT_VFLOW_HALTED,
	PT_VFLOW_AWAKE,
	PT_VFLOW_END,
};

/* What it asks of a CPU of any kind. */
struct pt_vflow_core {
	void *cpu;
	uint64_t (*sleep_cycles)(void *cpu);
	uint64_t (*halt_cycles)(void *cpu);
	uint64_t (*awake_cycles)(void *cpu);	/* neither, since power-on */
	uint32_t (*pc)(void *cpu), (*sp)(void *cpu);
	void (*add_observer)(void *cpu, struct pt_vobserver *observer);
	void (*remove_observer)(void *cpu, struct pt_vobserver *observer);
};

struct pt_vflow_log;

/* NULL with the sentence: the file cannot be made, or no memory. The core outlives the log. */
struct pt_vflow_log *pt_vflow_log_open(const char *path, const struct pt_vflow_core *core, struct pt_err *err);
void pt_vflow_log_close(struct pt_vflow_log *log);	/* NULL is fine */

#endif
