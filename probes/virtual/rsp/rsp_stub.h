/* A GDB server in front of a virtual board, as the servers have one that own a cable already (hw_server, QEMU,
 * OpenOCD): registers, memory, run control, breakpoints, threads, all-stop and non-stop. The board says what is
 * behind it (struct pt_vrsp_target). Habits that tell servers apart are words of the board's address. Source: GDB
 * manual, appendix "Remote Serial Protocol"; what QEMU 7.2 does was measured. */
#ifndef PT_VIRTUAL_WIRE_RSP_STUB_H
#define PT_VIRTUAL_WIRE_RSP_STUB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probes/virtual/probe/engine.h"
#include "probes/virtual/frame/pace.h"

enum { PT_VRSP_PACKET_BYTES = 0x800, PT_VRSP_MOST_BYTES = PT_VRSP_PACKET_BYTES + 4, PT_VRSP_THREADS = 8 };

struct pt_vrsp_stop {
	uint8_t signal;			/* GDB's numbers: 2 SIGINT, 5 SIGTRAP */
	const char *watch;		/* "watch", "rwatch", "awatch"; NULL: no watchpoint */
	uint32_t watch_addr;
};

struct pt_vrsp_target {
	void *arg;
	unsigned n_threads;		/* 1..PT_VRSP_THREADS; thread n of the protocol is n - 1 here */
	unsigned n_regs;		/* numbers from 0; of 4 bytes each where reg_bytes is NULL */
	unsigned n_more_regs;		/* the numbers behind them, which p and P alone reach: g is without them */
	uint8_t (*reg_bytes)(unsigned n);	/* 4, 8, or 0: there is none of that number */
	bool big_endian;
	/* The target description; returns its length, NUL-terminated. */
	size_t (*describe)(void *arg, char *xml, size_t room);
	uint64_t (*reg)(void *arg, unsigned thread, unsigned n);
	void (*set_reg)(void *arg, unsigned thread, unsigned n, uint64_t value);
	/* While the thread runs, too. False: refused by the bus. */
	bool (*read)(void *arg, unsigned thread, uint32_t addr, uint8_t *bytes, size_t n_bytes);
	bool (*write)(void *arg, unsigned thread, uint32_t addr, const uint8_t *bytes, size_t n_bytes);
	/* It matters when exactly a write there takes place: the board is brought to that moment first, also while it rests
	 * (rsp_stub.c). NULL: nowhere. */
	bool (*is_timely)(void *arg, uint32_t addr);
	bool (*halted)(void *arg, unsigned thread, struct pt_vrsp_stop *stop);	/* stop is filled where it has */
	void (*halt)(void *arg, unsigned thread);
	void (*resume)(void *arg, unsigned thread, bool step);
	/* type: 0 to 4 of Z packets. Returns 0, 1: no room, -1: not supported. */
	int (*breakpoint)(void *arg, unsigned type, bool set, uint32_t addr, uint32_t len_bytes);
	void (*attached)(void *arg, bool on);		/* a debugger is there, or has left */
	void (*reset)(void *arg, bool halt);
};

enum pt_vrsp_habit {
	PT_VRSP_MODERN,		/* describes itself, knows p, answers m while the target runs, non-stop */
	PT_VRSP_BARE,		/* the same, but without a description: GDB has to know the layout of g */
	PT_VRSP_QEMU,		/* QEMU 7.2: no description, no p, silent while the target runs */
};

extern const struct pt_vengine_ops pt_vrsp_engine;
void *pt_vrsp_new(const struct pt_vrsp_target *target, enum pt_vrsp_habit habit, struct pt_vpace *pace);

#endif
