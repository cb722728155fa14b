/* What a GDB server in front of the board serves: a thread for each core, the registers of GDB's microblaze-core.xml,
 * and the bus, the MDM's AXI window among it, while cores run, too. */
#include <stdio.h>
#include <string.h>

#include "probes/virtual/chip/microblaze.h"
#include "base/util.h"

enum { CORE_REGS = 57, WATCHPOINTS = PT_MICROBLAZE_WATCHPOINTS };

static struct pt_microblaze_node *node_of(void *arg, unsigned thread)
{
	return &((struct pt_microblaze *)arg)->node[thread];
}

/* --- description */

static size_t say(char *xml, size_t room, size_t at, const char *name, unsigned n)
{
	const char *type = n == 1 ? "data_ptr" : n == PT_VMB_PC ? "code_ptr" : "int";
	int len = snprintf(xml + at, room - at, "<reg name=\"%s\" bitsize=\"32\" regnum=\"%u\" type=\"%s\"/>\n", name,
			   n, type);

	return at + (size_t)len < room ? at + (size_t)len : room - 1;
}

static const char *register_name(unsigned n, char *buf, size_t room)
{
	static const char *const names[] = {
		"rpc", "rmsr", "rear", "resr", "rfsr", "rbtr", NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
		NULL, NULL, NULL, "redr", "rpid", "rzpr", "rtlbx", "rtlbsx", "rtlblo", "rtlbhi", "rslr", "rshr",
	};

	if (n >= 32 && names[n - 32] != NULL)
		return names[n - 32];
	snprintf(buf, room, n < 32 ? "r%u" : "rpvr%u", n < 32 ? n : n - PT_VMB_PVR0);
	return buf;
}

static size_t put_text(char *xml, size_t room, size_t at, const char *text)
{
	int len = snprintf(xml + at, room - at, "%s", text);

	return at + (size_t)len < room ? at + (size_t)len : room - 1;
}

static size_t describe(void *arg, char *xml, size_t room)
{
	const struct pt_microblaze *chip = arg;
	size_t at = put_text(xml, room, 0,
			     "<?xml version=\"1.0\"?>\n<!DOCTYPE target SYSTEM \"gdb-target.dtd\">\n"
			     "<target>\n<architecture>MicroBlaze</architecture>\n"
			     "<feature name=\"org.gnu.gdb.microblaze.core\">\n");
	char buf[16];

	for (unsigned n = 0; n < chip->rsp.n_regs; n++) {
		if (n == CORE_REGS)
			at = put_text(xml, room, at,
				      "</feature>\n<feature name=\"org.gnu.gdb.microblaze.stack-protect\">\n");
		at = say(xml, room, at, register_name(n, buf, sizeof(buf)), n);
	}
	return put_text(xml, room, at, "</feature>\n</target>\n");
}

/* --- registers and memory */

static uint64_t reg(void *arg, unsigned thread, unsigned n)
{
	return pt_vmb_reg(node_of(arg, thread)->cpu, n);
}

static void set_reg(void *arg, unsigned thread, unsigned n, uint64_t value)
{
	pt_vmb_set_reg(node_of(arg, thread)->cpu, n, (uint32_t)value);
}

/* Words where they are aligned, as units want them, else bytes. */
static unsigned piece(uint32_t addr, size_t n_bytes)
{
	return (addr & 3) == 0 && n_bytes >= 4 ? 4 : (addr & 1) == 0 && n_bytes >= 2 ? 2 : 1;
}

static bool memory_read(void *arg, unsigned thread, uint32_t addr, uint8_t *bytes, size_t n_bytes)
{
	struct pt_vbus *bus = &node_of(arg, thread)->bus;

	while (n_bytes > 0) {
		unsigned size = piece(addr, n_bytes);
		const struct pt_vaccess access = { addr, (uint8_t)size, PT_VMASTER_DEBUG, true };
		uint32_t value;

		if (!pt_vbus_read(bus, &access, &value))
			return false;
		for (unsigned i = 0; i < size; i++)
			bytes[i] = (uint8_t)(value >> 8 * (bus->big_endian ? size - 1 - i : i));
		addr += size;
		bytes += size;
		n_bytes -= size;
	}
	return true;
}

static bool memory_write(void *arg, unsigned thread, uint32_t addr, const uint8_t *bytes, size_t n_bytes)
{
	struct pt_vbus *bus = &node_of(arg, thread)->bus;

	while (n_bytes > 0) {
		unsigned size = piece(addr, n_bytes);
		const struct pt_vaccess access = { addr, (uint8_t)size, PT_VMASTER_DEBUG, true };
		uint32_t value = 0;

		for (unsigned i = 0; i < size; i++)
			value |= (uint32_t)bytes[i] << 8 * (bus->big_endian ? size - 1 - i : i);
		if (!pt_vbus_write(bus, &access, value))
			return false;
		addr += size;
		bytes += size;
		n_bytes -= size;
	}
	return true;
}

static bool is_timely(void *arg, uint32_t addr)
{
	const struct pt_microblaze *chip = arg;

	return addr - PT_MICROBLAZE_MDM_BASE < PT_VMDM_AXI_BYTES &&
	       pt_vmdm_starts_or_stops(&chip->mdm, addr - PT_MICROBLAZE_MDM_BASE);
}

/* --- run control */

static bool halted(void *arg, unsigned thread, struct pt_vrsp_stop *stop)
{
	struct pt_microblaze_node *node = node_of(arg, thread);
	static const char *const kinds[] = { "watch", "rwatch", "awatch" };

	if (pt_vmb_state(node->cpu) != PT_VMB_HALT)
		return false;
	*stop = (struct pt_vrsp_stop){ .signal = node->halted == PT_VMB_HALT_STOP ? 2 : 5 };
	if ((node->halted & PT_VMB_HALT_WATCH) != 0) {
		stop->watch = kinds[node->watched_kind];
		stop->watch_addr = node->watched;
	}
	return true;
}

static void halt(void *arg, unsigned thread)
{
	pt_vmb_request_halt(node_of(arg, thread)->cpu, PT_VMB_HALT_STOP);
}

static void resume(void *arg, unsigned thread, bool step)
{
	struct pt_microblaze_node *node = node_of(arg, thread);

	node->halted = 0;
	pt_vmdm_resumed(node->debug);
	pt_vmb_resume(node->cpu, step);
}

/* --- breakpoints, alike for all cores */

static void set_break(struct pt_microblaze *chip, unsigned slot, bool set, uint32_t addr)
{
	chip->breaks[slot] = addr;
	chip->breaks_set = (uint16_t)((chip->breaks_set & ~(1u << slot)) | (unsigned)set << slot);
	for (unsigned i = 0; i < chip->n_nodes; i++)
		pt_vmb_set_breakpoint(chip->node[i].cpu, slot, set, addr);
}

static int code_breakpoint(struct pt_microblaze *chip, bool set, uint32_t addr, bool all)
{
	for (unsigned i = 0; i < PT_VMB_BREAKPOINTS; i++) {
		bool used = (chip->breaks_set >> i & 1) != 0;

		if (used && (all || chip->breaks[i] == addr)) {
			if (!set)
				set_break(chip, i, false, 0);
			else
				return 0;
		}
	}
	for (unsigned i = 0; set && i < PT_VMB_BREAKPOINTS; i++) {
		if ((chip->breaks_set >> i & 1) != 0)
			continue;
		set_break(chip, i, true, addr);
		return 0;
	}
	return set ? 1 : 0;
}

static void on_data(void *arg, uint32_t addr, unsigned size_bytes, bool write, uint32_t value, uint32_t pc)
{
	struct pt_microblaze_node *node = arg;

	(void)value, (void)pc;
	for (unsigned i = 0; i < WATCHPOINTS; i++) {
		const struct pt_microblaze_watch *w = &node->chip->watch[i];

		if (w->len_bytes == 0 || addr >= w->addr + w->len_bytes || addr + size_bytes <= w->addr ||
		    w->kind == (write ? 1 : 0))
			continue;
		node->watched = w->addr;
		node->watched_kind = w->kind;
		pt_vmb_request_halt(node->cpu, PT_VMB_HALT_WATCH);
	}
}

/* The observers listen only while there is something to see. */
static void tap_data(struct pt_microblaze *chip)
{
	bool any = false;

	for (unsigned i = 0; i < WATCHPOINTS; i++)
		any |= chip->watch[i].len_bytes > 0;
	for (unsigned i = 0; i < chip->n_nodes; i++) {
		struct pt_microblaze_node *node = &chip->node[i];

		pt_vmb_remove_observer(node->cpu, &node->observer);
		node->observer = (struct pt_vobserver){ .arg = node, .data = on_data };
		if (any)
			pt_vmb_add_observer(node->cpu, &node->observer);
	}
}

static int watchpoint(struct pt_microblaze *chip, uint8_t kind, bool set, uint32_t addr, uint32_t len_bytes)
{
	struct pt_microblaze_watch *at = NULL;

	for (unsigned i = 0; i < WATCHPOINTS; i++) {
		struct pt_microblaze_watch *w = &chip->watch[i];

		if (!set && w->kind == kind && (len_bytes == 0 || (w->addr == addr && w->len_bytes == len_bytes)))
			*w = (struct pt_microblaze_watch){ 0 };
		if (w->len_bytes == 0)
			at = w;
	}
	if (set && at == NULL)
		return 1;
	if (set)
		*at = (struct pt_microblaze_watch){ addr, len_bytes, kind };
	tap_data(chip);
	return 0;
}

static int breakpoint(void *arg, unsigned type, bool set, uint32_t addr, uint32_t len_bytes)
{
	if (type < 2)
		return code_breakpoint(arg, set, addr, len_bytes == 0);
	return watchpoint(arg, (uint8_t)(type - 2), set, addr, len_bytes);
}

static void attached(void *arg, bool on)
{
	((struct pt_microblaze *)arg)->debugger = on;
}

static void reset(void *arg, bool into_halt)
{
	pt_microblaze_reset(arg, into_halt);
}

void pt_microblaze_serve(struct pt_microblaze *chip, bool as_qemu, bool stack_protection)
{
	chip->rsp = (struct pt_vrsp_target){
		.arg = chip, .n_threads = chip->n_nodes,
		.n_regs = as_qemu || stack_protection ? PT_VMB_REGS : CORE_REGS,
		.big_endian = chip->node[0].bus.big_endian, .describe = describe, .reg = reg, .set_reg = set_reg,
		.read = memory_read, .write = memory_write, .is_timely = is_timely, .halted = halted, .halt = halt, .resume = resume,
		.breakpoint = breakpoint, .attached = attached, .reset = reset,
	};
}
