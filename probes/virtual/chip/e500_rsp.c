/* What a GDB server in front of the board serves: registers as GDB numbers them, memory as the core's supervisor sees
 * it, run control, eight breakpoints, two watchpoints. Of e500mc and later GDB 13 knows no architecture of that name:
 * powerpc:common, with FPRs, is what the server says; in 32-bit mode that is all of an e5500 and an e6500, too.
 * Source: GDB's features power-core.xml, power-spe.xml and power-fpu.xml; g as GDB 13 takes it. */
#include <stdio.h>

#include "probes/virtual/chip/e500.h"
#include "base/util.h"

enum { SIGNAL_INT = 2, SIGNAL_TRAP = 5 };

/* --- description */

static uint8_t with_spe(unsigned n)
{
	if (n == PT_VE500_ACC)
		return 8;
	return n <= PT_VE500_XER || n == PT_VE500_SPEFSCR || n == PT_VE500_PVR ? 4 : 0;
}

static uint8_t with_fpu(unsigned n)
{
	if (n >= PT_VE500_F0 && n < PT_VE500_PC)
		return 8;
	return n <= PT_VE500_FPSCR || n == PT_VE500_PVR ? 4 : 0;
}

static bool has_fpu(const struct pt_e500 *chip)
{
	return chip->rsp.reg_bytes == with_fpu;
}

static void name_of(const struct pt_e500 *chip, unsigned n, char *name, size_t room)
{
	static const char *const names[] = { "pc", "msr", "cr", "lr", "ctr", "xer", "fpscr", "", "", "acc", "spefscr",
					     "pvr" };

	if (n < PT_VE500_EV0H)
		snprintf(name, room, "r%u", n);
	else if (n < PT_VE500_PC)
		snprintf(name, room, has_fpu(chip) ? "f%u" : "ev%uh", n - PT_VE500_EV0H);
	else
		snprintf(name, room, "%s", names[n - PT_VE500_PC]);
}

static const char *type_of(const struct pt_e500 *chip, unsigned n)
{
	if (n == PT_VE500_PC || n == PT_VE500_LR)
		return "code_ptr";
	if (n >= PT_VE500_EV0H && n < PT_VE500_PC)
		return has_fpu(chip) ? "ieee_double" : "int";
	return n == PT_VE500_ACC ? "int64" : "uint32";
}

static size_t put(char *xml, size_t room, size_t at, const char *text)
{
	int len = snprintf(xml + at, room - at, "%s", text);

	return at + (size_t)len < room ? at + (size_t)len : room - 1;
}

static size_t put_registers(const struct pt_e500 *chip, char *xml, size_t room, size_t at, unsigned from, unsigned to)
{
	for (unsigned n = from; n <= to; n++) {
		char name[8], line[96];

		if (chip->rsp.reg_bytes(n) == 0)
			continue;
		name_of(chip, n, name, sizeof(name));
		snprintf(line, sizeof(line), "<reg name=\"%s\" bitsize=\"%u\" regnum=\"%u\" type=\"%s\"/>\n", name,
			 8u * chip->rsp.reg_bytes(n), n, type_of(chip, n));
		at = put(xml, room, at, line);
	}
	return at;
}

static size_t describe(void *arg, char *xml, size_t room)
{
	const struct pt_e500 *chip = arg;
	size_t at =
		put(xml, room, 0, "<?xml version=\"1.0\"?>\n<!DOCTYPE target SYSTEM \"gdb-target.dtd\">\n<target>\n");

	at = put(xml, room, at,
		 has_fpu(chip) ? "<architecture>powerpc:common</architecture>\n"
			       : "<architecture>powerpc:e500</architecture>\n");
	at = put(xml, room, at, "<feature name=\"org.gnu.gdb.power.core\">\n");
	at = put_registers(chip, xml, room, at, PT_VE500_R0, PT_VE500_EV0H - 1);
	at = put_registers(chip, xml, room, at, PT_VE500_PC, PT_VE500_XER);
	at = put(xml, room, at,
		 has_fpu(chip) ? "</feature>\n<feature name=\"org.gnu.gdb.power.fpu\">\n"
			       : "</feature>\n<feature name=\"org.gnu.gdb.power.spe\">\n");
	at = put_registers(chip, xml, room, at, PT_VE500_EV0H, PT_VE500_PC - 1);
	at = put_registers(chip, xml, room, at, PT_VE500_FPSCR, PT_VE500_SPEFSCR);
	at = put(xml, room, at, "</feature>\n<feature name=\"virtual.e500.spr\">\n");
	at = put_registers(chip, xml, room, at, PT_VE500_PVR, PT_VE500_PVR);
	return put(xml, room, at, "</feature>\n</target>\n");
}

/* --- registers and memory */

static struct pt_e500_node *node_of(void *arg, unsigned thread)
{
	return &((struct pt_e500 *)arg)->node[thread];
}

static uint64_t reg(void *arg, unsigned thread, unsigned n)
{
	return pt_ve500_reg(node_of(arg, thread)->cpu, n);
}

static void set_reg(void *arg, unsigned thread, unsigned n, uint64_t value)
{
	pt_ve500_set_reg(node_of(arg, thread)->cpu, n, value);
}

static bool memory_read(void *arg, unsigned thread, uint32_t addr, uint8_t *bytes, size_t n_bytes)
{
	return pt_ve500_peek(node_of(arg, thread)->cpu, addr, bytes, n_bytes);
}

static bool memory_write(void *arg, unsigned thread, uint32_t addr, const uint8_t *bytes, size_t n_bytes)
{
	return pt_ve500_poke(node_of(arg, thread)->cpu, addr, bytes, n_bytes);
}

/* --- run control */

static bool halted(void *arg, unsigned thread, struct pt_vrsp_stop *stop)
{
	static const char *const kinds[] = { "watch", "rwatch", "awatch" };
	const struct pt_e500 *chip = arg;
	const struct pt_e500_node *node = node_of(arg, thread);
	unsigned slot;

	if (pt_ve500_state(node->cpu) != PT_VE500_HALT)
		return false;
	*stop = (struct pt_vrsp_stop){ .signal = node->asked ? SIGNAL_INT : SIGNAL_TRAP };
	if (!node->asked && pt_ve500_at_watchpoint(node->cpu, &slot) && chip->watch[slot].type != 0) {
		stop->watch = kinds[chip->watch[slot].type - 2];
		stop->watch_addr = chip->watch[slot].addr;
	}
	return true;
}

static void halt(void *arg, unsigned thread)
{
	struct pt_e500_node *node = node_of(arg, thread);

	node->asked = true;
	pt_ve500_request_halt(node->cpu);
}

static void resume(void *arg, unsigned thread, bool step)
{
	struct pt_e500_node *node = node_of(arg, thread);

	node->asked = false;
	pt_ve500_resume(node->cpu, step);
}

/* --- breakpoints, alike for all cores */

static void set_break(struct pt_e500 *chip, unsigned slot, bool set, uint32_t addr)
{
	chip->breaks[slot] = addr;
	chip->breaks_set = (uint16_t)((chip->breaks_set & ~(1u << slot)) | (unsigned)set << slot);
	for (unsigned i = 0; i < chip->n_nodes; i++)
		pt_ve500_set_breakpoint(chip->node[i].cpu, slot, set, addr);
}

static void set_watch(struct pt_e500 *chip, unsigned slot, struct pt_e500_watch watch)
{
	chip->watch[slot] = watch;
	for (unsigned i = 0; i < chip->n_nodes; i++)
		pt_ve500_set_watchpoint(chip->node[i].cpu, slot, watch.type == 3 || watch.type == 4,
					watch.type == 2 || watch.type == 4, watch.addr, watch.len_bytes);
}

static bool holds(const struct pt_e500 *chip, unsigned slot, uint32_t addr)
{
	return (chip->breaks_set >> slot & 1) != 0 && chip->breaks[slot] == addr;
}

/* Z2 watches stores, Z3 loads, Z4 both. */
static int watchpoint(struct pt_e500 *chip, unsigned type, bool set, uint32_t addr, uint32_t len_bytes)
{
	unsigned free_slot = PT_VE500_WATCHPOINTS;

	for (unsigned i = 0; i < PT_VE500_WATCHPOINTS; i++) {
		const struct pt_e500_watch *w = &chip->watch[i];
		bool same = w->type == type && (len_bytes == 0 || (w->addr == addr && w->len_bytes == len_bytes));

		if (set && same)
			return 0;
		if (!set && same) {
			set_watch(chip, i, (struct pt_e500_watch){ 0 });
		}
		if (w->type == 0)
			free_slot = i;
	}
	if (!set)
		return 0;
	if (free_slot == PT_VE500_WATCHPOINTS)
		return 1;
	set_watch(chip, free_slot, (struct pt_e500_watch){ addr, len_bytes, type });
	return 0;
}

/* Z1 is the core's comparators. Z0 is left to the debugger, which writes a trap into memory: as many as it likes. A
 * length of 0 takes all of a kind out. */
static int breakpoint(void *arg, unsigned type, bool set, uint32_t addr, uint32_t len_bytes)
{
	struct pt_e500 *chip = arg;
	unsigned free_slot = PT_VE500_BREAKPOINTS;

	if (type >= 2)
		return watchpoint(chip, type, set, addr, len_bytes);
	if (type != 1)
		return -1;
	for (unsigned i = 0; i < PT_VE500_BREAKPOINTS; i++) {
		if (set && holds(chip, i, addr))
			return 0;
		if (!set && (len_bytes == 0 || holds(chip, i, addr)))
			set_break(chip, i, false, 0);
		if ((chip->breaks_set >> i & 1) == 0)
			free_slot = i;
	}
	if (!set)
		return 0;
	if (free_slot == PT_VE500_BREAKPOINTS)
		return 1;
	set_break(chip, free_slot, true, addr);
	return 0;
}

static void attached(void *arg, bool on)
{
	((struct pt_e500 *)arg)->debugger = on;
}

static void reset(void *arg, bool into_halt)
{
	pt_e500_reset(arg, into_halt);
}

void pt_e500_serve(struct pt_e500 *chip)
{
	chip->rsp = (struct pt_vrsp_target){
		.arg = chip, .n_threads = chip->n_nodes, .n_regs = PT_VE500_REGS, .n_more_regs = 1, .big_endian = true,
		.reg_bytes = pt_ve500_kinds[pt_ve500_core(chip->cpu)].qoriq ? with_fpu : with_spe,
		.describe = describe, .reg = reg, .set_reg = set_reg, .read = memory_read, .write = memory_write,
		.halted = halted, .halt = halt, .resume = resume, .breakpoint = breakpoint, .attached = attached,
		.reset = reset,
	};
}
