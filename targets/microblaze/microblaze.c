/* Attach, detach, and the table of what the target can do. See microblaze.h. */
#include "targets/microblaze/microblaze.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "targets/microblaze/registers.h"
#include "base/util.h"
#include "targets/contract/source_watch.h"

#define BREAK_BIG "\xba\x0c\x00\x18" /* brki r16, 0x18 */

static const struct pt_remote_kind kind = {
	.name = "microblaze",
	.layout = pt_mb_layout,
	.n_layout = PT_MB_LAYOUT,
	.architecture = "MicroBlaze",
	.pc = "rpc",
	.own = pt_mb_own,
	.n_own = PT_MB_N_OWN,
	.first_own = PT_MB_FIRST_OWN,
	.read_own = pt_mb_read_own,
};

/* --- attach */

/* If the debug module cannot be reached, debugging still works, and `monitor sources` gives the reason. */
static void open_mdm(struct pt_mb *mb, const struct pt_params *settings)
{
	struct pt_err err = { 0 };

	mb->mdm.link = pt_probe_link(mb->target->probe);
	mb->mdm.mem = mb->behind_server ? pt_remote_mem(mb, 0) : NULL;
	mb->mdm.jtag_ops = pt_probe_jtag(mb->target->probe, &mb->mdm.jtag_wire);
	mb->mdm.big_endian = mb->big_endian;
	mb->mdm.endian_open = strcmp(pt_params_text(settings, &pt_mb_settings[PT_MB_ENDIAN]), "auto") == 0;
	if (pt_mdm_open(&mb->mdm, settings, &err) == 0 && mb->core >= mb->mdm.n_cores) {
		snprintf(mb->mdm.why_none, sizeof(mb->mdm.why_none), "mdm.core=%u: the MDM has %u cores, from 0",
			 mb->core, mb->mdm.n_cores);
		pt_mdm_close(&mb->mdm);
	}
}

static bool is_big_endian(const struct pt_mb *mb, const struct pt_params *settings)
{
	const char *endian = pt_params_text(settings, &pt_mb_settings[PT_MB_ENDIAN]);

	return strcmp(endian, "auto") == 0 ? mb->behind_server && mb->remote.big_endian : strcmp(endian, "big") == 0;
}

static bool is_endian_open(const struct pt_mb *mb, const struct pt_params *settings)
{
	return strcmp(pt_params_text(settings, &pt_mb_settings[PT_MB_ENDIAN]), "auto") == 0 &&
	       strcmp(pt_params_text(settings, &pt_mb_settings[PT_REMOTE_ENDIAN]), "auto") == 0 &&
	       mb->mdm.access != &pt_mdm_axi;
}

/* Without a GDB server there must be an MDM: nothing else identifies a MicroBlaze. */
static int only_mdm(struct pt_mb *mb, const struct pt_params *settings, struct pt_err *err)
{
	if (!pt_params_flag(settings, &pt_mb_settings[PT_MDM_JTAG_EXPERIMENTAL]))
		return pt_fail(err, PT_EUNSUPPORTED,
			       "a MicroBlaze is reached through the GDB server of its cable "
			       "(rsp:HOST:3002 of hw_server), or over JTAG with mdm.jtag.experimental=on");
	open_mdm(mb, settings);
	if (mb->mdm.access == NULL)
		return pt_fail(err, PT_EPROTO, "%s", mb->mdm.why_none);
	snprintf(mb->name, sizeof(mb->name), "MicroBlaze %u of %u behind an MDM", mb->core, mb->mdm.n_cores);
	return 0;
}

/* Checks the server's description; without one, a g packet of 57 or 59 registers. */
static bool is_microblaze(struct pt_mb *mb)
{
	struct pt_err ignored = { 0 };
	char answer[8 * PT_MB_LAYOUT + 64];
	int len;

	if (mb->remote.facts.features)
		return strncasecmp(mb->remote.chip, "microblaze", strlen("microblaze")) == 0;
	len = pt_remote_ask(&mb->remote, "g", answer, sizeof(answer), &ignored);
	return len == 8 * PT_MB_LAYOUT || len == 8 * PT_MB_CORE_LAYOUT;
}

static int mb_attach(struct pt_target *target, const struct pt_params *settings, struct pt_err *err)
{
	struct pt_mb *mb = target->state;
	void *wire;

	mb->target = target;
	if (pt_mb_read_settings(mb, settings, err) < 0)
		return err->code;
	mb->behind_server = pt_probe_rsp(target->probe, &wire) != NULL;
	if (!mb->behind_server)
		return only_mdm(mb, settings, err);
	if (pt_remote_open(&mb->remote, target, &kind, settings, err) < 0)
		return err->code;
	if (!is_microblaze(mb)) {
		pt_remote_close(&mb->remote);
		return pt_fail(err, PT_EUNSUPPORTED, "the GDB server does not serve a MicroBlaze");
	}
	mb->big_endian = is_big_endian(mb, settings);
	mb->remote.big_endian = mb->big_endian;
	snprintf(mb->name, sizeof(mb->name), "%s", pt_remote_chip(mb));
	open_mdm(mb, settings);
	mb->big_endian = mb->remote.big_endian = mb->mdm.big_endian;
	mb->endian_open = is_endian_open(mb, settings);
	return 0;
}

/* Sets the byte order from the program: no packet or description gives it, and registers and memory use the target's
 * order. */
static void mb_program_order(void *state, bool big_endian)
{
	struct pt_mb *mb = state;

	if (mb->endian_open)
		mb->big_endian = mb->remote.big_endian = mb->mdm.big_endian = big_endian;
}

static int mb_detach(void *state, bool resume, struct pt_err *err)
{
	struct pt_mb *mb = state;

	pt_mdm_close(&mb->mdm);
	return mb->behind_server ? pt_remote_detach(mb, resume, err) : 0;
}

static const char *mb_chip(void *state)
{
	return ((const struct pt_mb *)state)->name;
}

static void mb_describe(void *state, void (*say)(void *arg, const char *line), void *arg)
{
	struct pt_mb *mb = state;
	char line[600];

	if (mb->behind_server)
		pt_remote_describe(mb, say, arg);
	else
		say(arg, mb->name);
	pt_mdm_describe(&mb->mdm, line, sizeof(line));
	say(arg, line);
	if (mb->mdm.access == NULL)
		return;
	snprintf(line, sizeof(line),
		 "core %u of the MDM; profiling buffer %" PRIu32 " bytes, %u event and %u latency counters of %u "
		 "bits, trace buffer %" PRIu32 " bytes (as the settings say)",
		 mb->core, mb->design.prof_bytes, mb->design.n_events, mb->design.n_latencies, mb->design.counter_bits,
		 mb->design.trace_bytes);
	say(arg, line);
	if (mb->written.prof || mb->written.trace || mb->written.counters || mb->written.cross) {
		snprintf(line, sizeof(line),
			 "changed:%s%s%s%s (stopped at the end; registers that cannot be read are not put back)",
			 mb->written.prof ? " profiling counts" : "", mb->written.trace ? " trace runs" : "",
			 mb->written.counters ? " counters count" : "",
			 mb->written.cross ? " cross triggers are set" : "");
		say(arg, line);
	}
}

static uint64_t mb_core_hz(void *state)
{
	return ((const struct pt_mb *)state)->design.hz;
}

/* --- run control */

static int not_documented(const char *what, struct pt_err *err)
{
	return pt_fail(err, PT_EUNSUPPORTED,
		       "how an MDM %s is not documented: go through the GDB server of the cable (rsp:HOST:3002)", what);
}

static unsigned mb_n_cores(void *state)
{
	return ((struct pt_mb *)state)->behind_server ? pt_remote_n_cores(state) : 1;
}

static int mb_status(void *state, unsigned core, struct pt_core_status *out, struct pt_err *err)
{
	const struct pt_mb *mb = state;

	if (mb->behind_server)
		return pt_remote_status(state, core, out, err);
	*out = (struct pt_core_status){ .state = PT_RUNNING, .addr = PT_UNKNOWN }; /* as far as is known */
	return 0;
}

static int mb_halt(void *state, unsigned core, struct pt_err *err)
{
	return ((struct pt_mb *)state)->behind_server ? pt_remote_halt(state, core, err)
						      : not_documented("halts a core", err);
}

static int mb_resume(void *state, unsigned core, struct pt_err *err)
{
	return ((struct pt_mb *)state)->behind_server ? pt_remote_resume(state, core, err)
						      : not_documented("resumes a core", err);
}

/* True: a branch with a delay slot (UG984, "Branches"), by its encoding. */
static bool has_slot(uint32_t insn)
{
	unsigned op = insn >> 26, rd = insn >> 21 & 0x1f, ra = insn >> 16 & 0x1f;

	switch (op) {
	case 0x26:
	case 0x2e: /* br: D is bit 4 of the field of ra */
		return (ra & 0x10) != 0;
	case 0x27:
	case 0x2f: /* beq...: D is bit 4 of the field of rd */
		return (rd & 0x10) != 0;
	default:
		return op == 0x2d; /* returns */
	}
}

static bool before_slot(struct pt_mb *mb, unsigned core, uint64_t *pc)
{
	struct pt_err ignored = { 0 };
	uint8_t bytes[4];

	if (!mb->step_through || pt_remote_pc(mb, core, pc, &ignored) < 0 ||
	    pt_mem_read(pt_remote_mem(mb, core), *pc, bytes, 4, &ignored) < 0)
		return false;
	return has_slot(mb->big_endian ? pt_be32(bytes) : pt_le32(bytes));
}

static int mb_step(void *state, unsigned core, struct pt_err *err)
{
	struct pt_mb *mb = state;
	uint64_t from = 0, to = 0;
	bool slot;

	if (!mb->behind_server)
		return not_documented("steps a core", err);
	slot = before_slot(mb, core, &from);
	if (pt_remote_step(mb, core, err) < 0)
		return err->code;
	if (!slot || pt_remote_pc(mb, core, &to, err) < 0 || to != from + 4)
		return slot && to == 0 ? err->code : 0;
	return pt_remote_step(mb, core, err); /* the server stopped in the delay slot */
}

static int mb_reset(void *state, enum pt_reset_kind how, struct pt_err *err)
{
	return ((struct pt_mb *)state)->behind_server ? pt_remote_reset(state, how, err)
						      : not_documented("resets a core and stops it", err);
}

/* --- registers and memory */

static const struct pt_register *mb_registers(void *state, size_t *n)
{
	if (((struct pt_mb *)state)->behind_server)
		return pt_remote_registers(state, n);
	*n = PT_MB_LAYOUT;
	return pt_mb_layout;
}

static int mb_read_registers(void *state, unsigned core, const uint16_t *rows, size_t n, uint64_t *values,
			     struct pt_err *err)
{
	return ((struct pt_mb *)state)->behind_server ? pt_remote_read_registers(state, core, rows, n, values, err)
						      : not_documented("reads a core's registers", err);
}

static int mb_write_registers(void *state, unsigned core, const uint16_t *rows, size_t n, const uint64_t *values,
			      struct pt_err *err)
{
	return ((struct pt_mb *)state)->behind_server ? pt_remote_write_registers(state, core, rows, n, values, err)
						      : not_documented("writes a core's registers", err);
}

static int mb_pc(void *state, unsigned core, uint64_t *pc, struct pt_err *err)
{
	return ((struct pt_mb *)state)->behind_server ? pt_remote_pc(state, core, pc, err)
						      : not_documented("tells where a core is", err);
}

/* --- memory without a server: an error --- */

static int no_mem_run(void *state, struct pt_mem_op *ops, size_t n_ops, uint32_t timeout_ms, size_t *n_done,
		      uint64_t *fault_addr, struct pt_err *err)
{
	(void)state;
	(void)ops;
	(void)n_ops;
	(void)timeout_ms;
	(void)fault_addr;
	if (n_done != NULL)
		*n_done = 0;
	return not_documented("reads memory", err);
}

static uint64_t no_mem_now_ns(void *state)
{
	return pt_mdm_now_ns(&((const struct pt_mb *)state)->mdm);
}

static int no_mem_wait(void *state, uint64_t until_ns, struct pt_err *err)
{
	return pt_link_wait(((const struct pt_mb *)state)->mdm.link, until_ns, err);
}

static struct pt_mem *mb_mem(void *state, unsigned core)
{
	static const struct pt_mem_ops none = { .run = no_mem_run, .now_ns = no_mem_now_ns, .wait = no_mem_wait };
	struct pt_mb *mb = state;

	if (mb->behind_server)
		return pt_remote_mem(state, core);
	mb->no_mem = (struct pt_mem){ &none, mb };
	return &mb->no_mem;
}

static const struct pt_region *mb_regions(void *state, size_t *n)
{
	if (((struct pt_mb *)state)->behind_server)
		return pt_remote_regions(state, n);
	*n = 0;
	return NULL;
}

/* GDB has the software break instruction for big endian only, so breakpoints are inserted here: the server uses the
 * core's byte order. */
static int mb_break_insert(void *state, const struct pt_break *at, struct pt_err *err)
{
	return ((struct pt_mb *)state)->behind_server ? pt_remote_break_insert(state, at, err)
						      : not_documented("sets a breakpoint", err);
}

static int mb_break_remove(void *state, const struct pt_break *at, struct pt_err *err)
{
	return ((struct pt_mb *)state)->behind_server ? pt_remote_break_remove(state, at, err)
						      : not_documented("removes a breakpoint", err);
}

static const struct pt_source_ops *const *mb_sources(void *state, size_t *n)
{
	static const struct pt_source_ops *const sources[] = {
		&pt_source_mb_bins,
		&pt_source_mb_counters,
		&pt_source_mb_trace,
		&pt_source_watch,
		&pt_source_remote_pc,
	};

	*n = state == NULL || ((struct pt_mb *)state)->behind_server ? PT_LEN(sources) : PT_LEN(sources) - 1;
	return sources;
}

static const struct pt_target_upstream *mb_upstream(void *state)
{
	return ((struct pt_mb *)state)->behind_server ? pt_remote_upstream(state) : NULL;
}

const struct pt_target_ops pt_microblaze_ops = {
	.name = "microblaze",
	.help = "AMD MicroBlaze behind a GDB server, and its debug module (MDM)",
	.state_bytes = sizeof(struct pt_mb),
	.params = pt_mb_settings,
	.n_params = PT_MB_N_SETTINGS,
	.architecture = "MicroBlaze",
	.is_big_endian = pt_remote_is_big_endian,
	.program_order = mb_program_order,
	.core_hz = mb_core_hz,
	.arch = { .elf_machine = 189 }, /* EM_MICROBLAZE */
	.attach = mb_attach,
	.detach = mb_detach,
	.chip = mb_chip,
	.describe = mb_describe,
	.n_cores = mb_n_cores,
	.status = mb_status,
	.halt = mb_halt,
	.resume = mb_resume,
	.step = mb_step,
	.reset = mb_reset,
	.registers = mb_registers,
	.read_registers = mb_read_registers,
	.write_registers = mb_write_registers,
	.pc = mb_pc,
	.mem = mb_mem,
	.regions = mb_regions,
	.break_insert = mb_break_insert,
	.break_remove = mb_break_remove,
	.no_flash = "a MicroBlaze has no flash of its own: its memories are loaded with the FPGA, or as RAM (load)",
	.sources = mb_sources,
	.upstream = mb_upstream,
	.pending_write = pt_mb_pending_write,
};
