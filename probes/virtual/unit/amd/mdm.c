/* Registers by their commands. Shifting is modelled as it is on the wire: a register takes what was shifted in last,
 * and what was captured before is pushed out. Source: PG115 v3.2, MDM Core User-Accessible Debug Registers, AXI Slave
 * Register Space. */
#include <stdlib.h>

#include "probes/virtual/unit/amd/mdm_parts.h"

const struct pt_vmdm_options pt_vmdm_standard = {
	.version = 0x67, .use_uart = true, .dbg_reg_access = true, .parallel = true, .profile_bytes = 4096,
	.event_counters = 5, .latency_counters = 1, .counter_width = 32, .trace_bytes = 8192,
};

enum { UART_BPS = 115200 };
#define CONFIG_MAGIC UINT64_C(0x42)

void pt_vmdm_init(struct pt_vmdm *mdm, const struct pt_vmdm_options *options, const struct pt_vwires *wires,
		  unsigned irq)
{
	*mdm = (struct pt_vmdm){ .options = *options, .which = 1, .n_locked_polls = options->locked_polls };
	pt_vuartlite_init(&mdm->uart, wires, irq, UART_BPS);
}

struct pt_vmdm_core *pt_vmdm_add_core(struct pt_vmdm *mdm, struct pt_vmb *cpu, struct pt_vbus *bus)
{
	struct pt_vmdm_core *core = &mdm->core[mdm->n_cores];

	if (mdm->n_cores == PT_VMDM_CORES)
		return NULL;
	*core = (struct pt_vmdm_core){ .mdm = mdm, .cpu = cpu, .bus = bus, .interrupt_cycle = PT_VNEVER };
	mdm->n_cores++;
	return pt_mdm_profile_init(core) && pt_mdm_trace_init(core) ? core : NULL;
}

void pt_vmdm_fini(struct pt_vmdm *mdm)
{
	for (unsigned i = 0; i < mdm->n_cores; i++) {
		free(mdm->core[i].profile.bin);
		free(mdm->core[i].trace.item);
	}
	mdm->n_cores = 0;
}

void pt_mdm_listen(struct pt_vmdm_core *core)
{
	pt_vmb_observe(core->cpu, core->profile.on || core->counters.on || core->trace.on);
}

void pt_vmdm_retired(void *arg, const struct pt_vmb_retired *what)
{
	struct pt_vmdm_core *core = arg;

	if (core->profile.on)
		pt_mdm_profile_retired(core, what);
	if (core->counters.on)
		pt_mdm_counters_retired(core, what);
	if (core->trace.on)
		pt_mdm_trace_retired(core, what);
	if (what->exception && what->kind == PT_VMB_KIND_INTERRUPT)
		core->interrupt_cycle = PT_VNEVER;
}

void pt_vmdm_interrupt(struct pt_vmdm_core *core, bool level)
{
	if (!level)
		core->interrupt_cycle = PT_VNEVER;
	else if (core->interrupt_cycle == PT_VNEVER)
		core->interrupt_cycle = pt_vmb_cycle(core->cpu);
}

/* --- the MDM's own registers */

static uint64_t config(const struct pt_vmdm *mdm)
{
	return CONFIG_MAGIC << 24 | 1u << 23 | (uint64_t)mdm->options.use_uart << 21 | 7u << 16 |
	       (uint64_t)mdm->n_cores << 8 | mdm->options.version;
}

/* Not used with one port; 8 bits for up to 8, one for each above. */
static unsigned which_bits(const struct pt_vmdm *mdm)
{
	return mdm->n_cores <= 8 ? 8 : mdm->n_cores;
}

static uint32_t selected(const struct pt_vmdm *mdm)
{
	uint32_t all = UINT32_MAX >> (32 - mdm->n_cores);

	return mdm->n_cores == 1 ? 1 : mdm->which & all;
}

/* The only core that is selected; NULL: none, or several. */
static struct pt_vmdm_core *one(struct pt_vmdm *mdm)
{
	uint32_t mask = selected(mdm);

	return mask != 0 && (mask & (mask - 1)) == 0 ? &mdm->core[__builtin_ctz(mask)] : NULL;
}

static uint64_t own_read(struct pt_vmdm *mdm, uint8_t command)
{
	struct pt_vmdm_core *core = one(mdm);

	switch (command) {
	case PT_VMDM_CONFIG: return config(mdm);	/* 35 bits: what lies above is not documented, and 0 */
	case PT_VMDM_XCT_STATUS: return core != NULL ? pt_mdm_trigger_status(core) : 0;
	default: return 0;
	}
}

static void own_write(struct pt_vmdm *mdm, uint8_t command, uint64_t value)
{
	if (command == PT_VMDM_WHICH)
		mdm->which = (uint32_t)value;
	else if (command == PT_VMDM_XCT_EXTERNAL)
		mdm->external_triggers = (uint16_t)value;
	else if (command == PT_VMDM_XCT_CONTROL)
		for (unsigned i = 0; i < mdm->n_cores; i++)
			if ((selected(mdm) >> i & 1) != 0)
				pt_mdm_route(&mdm->core[i], (uint16_t)value);
}

/* --- widths */

static unsigned own_bits(const struct pt_vmdm *mdm, uint8_t command, unsigned asked)
{
	switch (command) {
	case PT_VMDM_CONFIG: return asked == 35 ? 35 : 32;
	case PT_VMDM_BREAK_RESET: return 8;
	case PT_VMDM_WHICH: return which_bits(mdm);
	case PT_VMDM_XCT_EXTERNAL: return 10;
	case PT_VMDM_XCT_STATUS: return 24;
	case PT_VMDM_XCT_CONTROL: return 16;
	default: return 0;
	}
}

static unsigned core_bits(const struct pt_vmdm_core *core, uint8_t command)
{
	static const struct { uint8_t command, bits; } rows[] = {
		{ PT_VMDM_PCCTRLR, 8 }, { PT_VMDM_PCCMDR, 5 }, { PT_VMDM_PCSR, 2 }, { PT_VMDM_PCDRR, 32 },
		{ PT_VMDM_PCDWR, 32 }, { PT_VMDM_TCTRLR, 22 }, { PT_VMDM_TCMDR, 4 }, { PT_VMDM_TSR, 18 },
		{ PT_VMDM_TDRR, 18 }, { PT_VMDM_PCTRLR, 8 }, { PT_VMDM_PLAR, 30 }, { PT_VMDM_PHAR, 30 },
		{ PT_VMDM_PDRR, 36 }, { PT_VMDM_PDWR, 32 },
	};

	if (command == PT_VMDM_PBAR)
		return pt_mdm_pbar_bits(core);
	for (size_t i = 0; i < PT_LEN(rows); i++)
		if (rows[i].command == command)
			return rows[i].bits;
	return 0;
}

unsigned pt_vmdm_own_bits(const struct pt_vmdm *mdm, uint8_t command)
{
	return own_bits(mdm, command, 32);
}

unsigned pt_vmdm_bits(const struct pt_vmdm *mdm, uint8_t command)
{
	return mdm->n_cores > 0 ? core_bits(&mdm->core[0], command) : 0;
}

static uint64_t low_bits(uint64_t value, unsigned n)
{
	return n < 64 ? value & ((UINT64_C(1) << n) - 1) : value;
}

/* What a register of `bits` holds after n_bits of value were shifted in, bit 0 first. */
static uint64_t shifted_in(unsigned bits, unsigned n_bits, uint64_t value)
{
	if (n_bits >= bits)
		return low_bits(value >> (n_bits - bits), bits);
	return low_bits(value, n_bits) << (bits - n_bits);	/* write-only registers capture 0 */
}

/* --- access */

/* A core in reset has no debug registers. */
static bool answers(const struct pt_vmdm_core *core)
{
	return core != NULL && pt_vmb_state(core->cpu) != PT_VMB_HELD;
}

static uint64_t core_read(struct pt_vmdm_core *core, uint8_t command)
{
	switch (command >> 4) {
	case 5: return pt_mdm_counters_read(core, command);
	case 6: return pt_mdm_trace_read(core, command);
	case 7: return command == PT_VMDM_PDRR ? pt_mdm_profile_read(core) : 0;
	default: return 0;
	}
}

static void core_write(struct pt_vmdm_core *core, uint8_t command, uint64_t value)
{
	switch (command >> 4) {
	case 5: pt_mdm_counters_write(core, command, value); break;
	case 6: pt_mdm_trace_write(core, command, value); break;
	case 7: pt_mdm_profile_write(core, command, value); break;
	}
	pt_mdm_listen(core);
}

uint64_t pt_vmdm_read(struct pt_vmdm *mdm, bool of_mdm, uint8_t command, unsigned n_bits)
{
	if (of_mdm)
		return low_bits(own_read(mdm, command), n_bits);
	return answers(one(mdm)) ? low_bits(core_read(one(mdm), command), n_bits) : 0;
}

void pt_vmdm_write(struct pt_vmdm *mdm, bool of_mdm, uint8_t command, unsigned n_bits, uint64_t value)
{
	if (of_mdm && own_bits(mdm, command, n_bits) > 0)
		own_write(mdm, command, shifted_in(own_bits(mdm, command, n_bits), n_bits, value));
	for (unsigned i = 0; !of_mdm && i < mdm->n_cores; i++) {
		struct pt_vmdm_core *core = &mdm->core[i];

		if ((selected(mdm) >> i & 1) != 0 && answers(core) && core_bits(core, command) > 0)
			core_write(core, command, shifted_in(core_bits(core, command), n_bits, value));
	}
}
