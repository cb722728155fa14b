/* Loads, stores, cache instructions and reservations. What goes wrong leaves the registers as they were, but for lmw,
 * which may have loaded some. Source: Power ISA 2.06 Book I, 3.3.2-3.3.7; Book II, 4.3, 4.4; E500CORERM 3.3 */
#include "probes/virtual/cpu/e500/core.h"

static uint32_t swapped(uint32_t value, unsigned size)
{
	return size == 4 ? __builtin_bswap32(value) : __builtin_bswap16((uint16_t)value);
}

enum { UPDATES = 1, ALGEBRAIC = 2, REVERSED = 4 };

static bool load(struct pt_ve500 *cpu, uint32_t op, uint32_t ea, unsigned size, unsigned how)
{
	uint32_t value;

	if ((how & UPDATES) != 0 && (ra(op) == 0 || ra(op) == rd(op)))
		return false;
	if (!pt_e5_load(cpu, ea, size, &value))
		return true;
	if ((how & ALGEBRAIC) != 0)
		value = (uint32_t)(int32_t)(int16_t)value;
	cpu->r[rd(op)] = (how & REVERSED) != 0 ? swapped(value, size) : value;
	cpu->events[EV_LOADS]++;
	cpu->events[EV_GPR_LOADS]++;
	if ((how & UPDATES) != 0)
		pt_e5_update(cpu, op, ea);
	return true;
}

static bool store(struct pt_ve500 *cpu, uint32_t op, uint32_t ea, unsigned size, unsigned how)
{
	uint32_t value = cpu->r[rd(op)];

	if ((how & UPDATES) != 0 && ra(op) == 0)
		return false;
	if (!pt_e5_store(cpu, ea, size, (how & REVERSED) != 0 ? swapped(value, size) : value))
		return true;
	cpu->events[EV_STORES]++;
	cpu->events[EV_GPR_STORES]++;
	if ((how & UPDATES) != 0)
		pt_e5_update(cpu, op, ea);
	return true;
}

static bool aligned(struct pt_ve500 *cpu, uint32_t ea, uint32_t esr)
{
	if ((ea & 3) == 0)
		return true;
	cpu->spr[SPR_DEAR] = ea;
	pt_e5_fault(cpu, PT_VE500_ALIGNMENT, esr);
	return false;
}

static bool multiple(struct pt_ve500 *cpu, uint32_t op, bool stores)
{
	uint32_t ea = ra_or_0(cpu, op) + simm(op);

	if (!aligned(cpu, ea, stores ? ESR_ST : 0))
		return true;
	for (unsigned r = rd(op); r < 32; r++, ea += 4) {
		bool done = stores ? pt_e5_store(cpu, ea, 4, cpu->r[r]) : pt_e5_load(cpu, ea, 4, &cpu->r[r]);

		if (!done)
			return true;
		cpu->events[stores ? EV_STORES : EV_LOADS]++;
		cpu->events[stores ? EV_GPR_STORES : EV_GPR_LOADS]++;
		cpu->events[EV_OPS] += r != 31;
		cpu->core.cycle += r != 31;
	}
	return true;
}

bool pt_e5_storage(struct pt_ve500 *cpu, uint32_t op)
{
	static const uint8_t sizes[] = { 4, 1, 4, 1, 2, 2, 2, 0 };	/* lwz lbz stw stb lhz lha sth */
	unsigned kind = (op >> 26) - 32, form = kind >> 1;
	bool stores = form == 2 || form == 3 || form == 6;
	unsigned how = ((kind & 1) != 0 ? UPDATES : 0) | (form == 5 ? ALGEBRAIC : 0);
	uint32_t ea = ra_or_0(cpu, op) + simm(op);

	if (form == 7)
		return multiple(cpu, op, (kind & 1) != 0);
	return stores ? store(cpu, op, ea, sizes[form], how) : load(cpu, op, ea, sizes[form], how);
}

/* --- reservations */

static bool load_reserved(struct pt_ve500 *cpu, uint32_t op, uint32_t ea)
{
	uint32_t pa;
	uint8_t wimge;

	if (!aligned(cpu, ea, 0) || !pt_e5_translate(cpu, ea, LOAD, &pa, &wimge))
		return true;
	cpu->reserved = true;
	cpu->reservation = pa >> cpu->kind->line_shift;
	return load(cpu, op, ea, 4, 0);
}

static bool store_conditional(struct pt_ve500 *cpu, uint32_t op, uint32_t ea)
{
	uint32_t pa;
	uint8_t wimge;
	bool holds;

	if (!rc(op))
		return false;
	if (!aligned(cpu, ea, ESR_ST) || !pt_e5_translate(cpu, ea, STORE, &pa, &wimge))
		return true;
	holds = cpu->reserved && cpu->reservation == pa >> cpu->kind->line_shift;
	cpu->reserved = false;
	if (holds && !store(cpu, op, ea, 4, 0))
		return false;
	if (cpu->failed)
		return true;
	pt_e5_set_cr(cpu, 0, holds ? CR_EQ : 0);
	cpu->events[holds ? EV_STWCX_DONE : EV_STWCX_FAILED]++;
	return true;
}

/* --- caches */

static bool zero_line(struct pt_ve500 *cpu, uint32_t ea)
{
	const uint32_t line_bytes = UINT32_C(1) << cpu->kind->line_shift;

	ea &= ~(line_bytes - 1);
	for (unsigned i = 0; i < line_bytes; i += 4)
		if (!pt_e5_store(cpu, ea + i, 4, 0))
			return true;
	cpu->events[EV_CACHEOPS]++;
	return true;
}

static bool flush(struct pt_ve500 *cpu, uint32_t ea, void (*out)(struct pt_ve500 *cpu, uint32_t pa))
{
	uint32_t pa;
	uint8_t wimge;

	if (!pt_e5_translate(cpu, ea, LOAD, &pa, &wimge))
		return true;
	out(cpu, pa);
	return true;
}

static void write_back(struct pt_ve500 *cpu, uint32_t pa)
{
	pt_e5_data_flush(cpu, pa);
	cpu->events[EV_CACHEOPS]++;
}

/* A hint: what cannot be reached is left alone. */
static bool touch(struct pt_ve500 *cpu)
{
	cpu->events[EV_TOUCHES]++;
	return true;
}

/* What completes of these, on an e6500; data is not moved by any but dcbz. */
static void count_done(struct pt_ve500 *cpu, bool barrier)
{
	if (!cpu->failed)
		cpu->events[barrier ? EV_BARRIERS : EV_CACHEOPS_DONE]++;
}

static bool cache31(struct pt_ve500 *cpu, uint32_t op, uint32_t ea)
{
	switch (xo(op)) {
	case 54: case 86: return flush(cpu, ea, write_back);		/* dcbst, dcbf */
	case 470:							/* dcbi */
		if (pt_e5_user(cpu)) {
			pt_e5_fault(cpu, PT_VE500_PROGRAM, ESR_PPR);
			return true;
		}
		return flush(cpu, ea, pt_e5_data_flush);
	case 982: return flush(cpu, ea, pt_e5_fetch_flush);		/* icbi */
	case 278: case 246: case 22: return touch(cpu);			/* dcbt, dcbtst, icbt */
	case 134: case 166: case 390: case 230: case 486: return true;	/* locks: no lines are lost here anyway */
	case 1014: return zero_line(cpu, ea);				/* dcbz */
	case 758: return true;						/* dcba: may do nothing */
	case 598: case 854: return true;				/* msync, mbar: nothing is out of order */
	default: return false;
	}
}

/* --- indexed forms */

static const struct {
	uint16_t xo;
	uint8_t size, how;
	bool stores;
} indexed[] = {
	{ 23, 4, 0, false }, { 55, 4, UPDATES, false }, { 87, 1, 0, false }, { 119, 1, UPDATES, false },
	{ 279, 2, 0, false }, { 311, 2, UPDATES, false }, { 343, 2, ALGEBRAIC, false },
	{ 375, 2, ALGEBRAIC | UPDATES, false }, { 534, 4, REVERSED, false }, { 790, 2, REVERSED, false },
	{ 151, 4, 0, true }, { 183, 4, UPDATES, true }, { 215, 1, 0, true }, { 247, 1, UPDATES, true },
	{ 407, 2, 0, true }, { 439, 2, UPDATES, true }, { 662, 4, REVERSED, true }, { 918, 2, REVERSED, true },
};

bool pt_e5_storage31(struct pt_ve500 *cpu, uint32_t op)
{
	uint32_t ea = ra_or_0(cpu, op) + cpu->r[rb(op)];

	for (size_t i = 0; i < sizeof(indexed) / sizeof(*indexed); i++) {
		if (indexed[i].xo != xo(op))
			continue;
		return indexed[i].stores ? store(cpu, op, ea, indexed[i].size, indexed[i].how)
					 : load(cpu, op, ea, indexed[i].size, indexed[i].how);
	}
	if (xo(op) == 20)
		return load_reserved(cpu, op, ea);
	if (xo(op) == 150)
		return store_conditional(cpu, op, ea);
	if (!cache31(cpu, op, ea))
		return false;
	count_done(cpu, xo(op) == 598 || xo(op) == 854);
	return true;
}
