/* Offsets are from 0x40047000. */
#include "probes/virtual/unit/kinetis/sim.h"

enum {
	SOPT1, SOPT1CFG, SOPT2, SOPT4, SOPT5, SOPT7, SDID, SCGC4, SCGC5, SCGC6, SCGC7, CLKDIV1, FCFG1, FCFG2, UIDMH,
	UIDML, UIDL, COPC, SRVCOP,
};
enum { SDID_OFFSET = 0x1024, COPC_OFFSET = 0x1100, SRVCOP_OFFSET = 0x1104 };
enum { COPT_SHIFT = 2, LPO_HZ = 1000 };

static const struct pt_vreg rows[] = {
	[SOPT1] = { "SOPT1", 0x0000, 4, 0, 0x000f0000, 0 },
	[SOPT1CFG] = { "SOPT1CFG", 0x0004, 4, 0, 0x07000000, 0 },
	[SOPT2] = { "SOPT2", 0x1004, 4, 0, 0x0fff00f0, 0 },
	[SOPT4] = { "SOPT4", 0x100c, 4, 0, 0xffffffff, 0 },
	[SOPT5] = { "SOPT5", 0x1010, 4, 0, 0xffffffff, 0 },
	[SOPT7] = { "SOPT7", 0x1018, 4, 0, 0x0000009f, 0 },
	[SDID] = { "SDID", SDID_OFFSET, 4, 0, 0, 0 },
	[SCGC4] = { "SCGC4", 0x1034, 4, 0xf0000030, 0xffffffff, 0 },
	[SCGC5] = { "SCGC5", 0x1038, 4, 0x00000182, 0xffffffff, 0 },
	[SCGC6] = { "SCGC6", 0x103c, 4, 0x00000001, 0xffffffff, 0 },
	[SCGC7] = { "SCGC7", 0x1040, 4, 0x00000100, 0xffffffff, 0 },
	[CLKDIV1] = { "CLKDIV1", 0x1044, 4, 0x00010000, 0xf0070000, 0 },
	[FCFG1] = { "FCFG1", 0x104c, 4, 0, 0x00000003, 0 },
	[FCFG2] = { "FCFG2", 0x1050, 4, 0, 0, 0 },
	[UIDMH] = { "UIDMH", 0x1058, 4, 0x00000011, 0, 0 },
	[UIDML] = { "UIDML", 0x105c, 4, 0x22334455, 0, 0 },
	[UIDL] = { "UIDL", 0x1060, 4, 0x66778899, 0, 0 },
	[COPC] = { "COPC", COPC_OFFSET, 4, 0x0000000c, 0, 0 },	/* written by its own code */
	[SRVCOP] = { "SRVCOP", SRVCOP_OFFSET, 4, 0, 0, 0 },
};

/* COPT 1, 2, 3: 2^5, 2^8, 2^10 cycles of the 1 kHz LPO. 0: off. */
static uint64_t timeout_cycles(const struct pt_vsim *sim)
{
	static const unsigned lpo_cycles[4] = { 0, 32, 256, 1024 };

	return (uint64_t)lpo_cycles[sim->value[COPC] >> COPT_SHIFT & 3] * (sim->config.wires->core_hz / LPO_HZ);
}

static void restart_watchdog(struct pt_vsim *sim)
{
	uint64_t timeout = sim->config.watchdog ? timeout_cycles(sim) : 0;

	sim->bite_cycle = timeout != 0 ? pt_vwires_now(sim->config.wires) + timeout : PT_VNEVER;
}

/* Once after reset, whatever the width of the access. */
static void write_copc(struct pt_vsim *sim, uint32_t value)
{
	if (sim->copc_written)
		return;
	sim->copc_written = true;
	sim->value[COPC] = value & 0xff;
	restart_watchdog(sim);
}

/* 0x55, then 0xaa. Anything else is taken for a program that has gone astray. */
static void service(struct pt_vsim *sim, uint8_t byte)
{
	bool good = byte == 0x55 || (byte == 0xaa && sim->service == 0x55);

	if (good && byte == 0xaa)
		restart_watchdog(sim);
	else if (!good && sim->bite_cycle != PT_VNEVER)
		sim->bite_cycle = pt_vwires_now(sim->config.wires);
	sim->service = byte;
}

static bool read(void *unit, uint32_t offset, const struct pt_vaccess *access, uint32_t *value)
{
	pt_vregs_read(&((struct pt_vsim *)unit)->regs, offset, access, value);
	return true;
}

static bool write(void *unit, uint32_t offset, const struct pt_vaccess *access, uint32_t value)
{
	struct pt_vsim *sim = unit;

	if (offset == COPC_OFFSET)
		write_copc(sim, value);
	else if (offset == SRVCOP_OFFSET)
		service(sim, (uint8_t)value);
	else
		pt_vregs_write(&sim->regs, offset, access, value);
	return true;
}

static uint64_t next_tick(void *unit)
{
	return ((const struct pt_vsim *)unit)->bite_cycle;
}

static void tick(void *unit, uint64_t now_cycle)
{
	struct pt_vsim *sim = unit;

	(void)now_cycle;
	sim->bite_cycle = PT_VNEVER;
	sim->config.bite(sim->config.arg);
}

static void reset(void *unit, bool power_on)
{
	struct pt_vsim *sim = unit;

	(void)power_on;
	pt_vregs_reset(&sim->regs);
	sim->value[SDID] = sim->config.sdid;
	sim->value[FCFG1] = sim->config.fcfg1;
	sim->value[FCFG2] = sim->config.fcfg2;
	sim->copc_written = false;
	sim->service = 0;
	restart_watchdog(sim);
}

void pt_vsim_init(struct pt_vsim *sim, const struct pt_vsim_config *config)
{
	*sim = (struct pt_vsim){
		.config = *config, .regs = { .row = rows, .n_rows = PT_LEN(rows), .value = sim->value },
	};
	reset(sim, true);
}

const struct pt_vunit_ops pt_vsim_ops = {
	.name = "SIM", .read = read, .write = write, .reset = reset, .next_tick = next_tick, .tick = tick,
};
