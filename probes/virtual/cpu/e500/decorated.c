/* Decorated accesses of e500mc and later: rA has what the device is to do with the access, rB the address. No device
 * here understands decorations, and RAM ignores them. Op-codes: binutils, ppc-opc.c; events: OProfile's files, e500mc
 * and e6500 */
#include "probes/virtual/cpu/e500/core.h"

enum { BYTE, HALF, WORD };	/* in steps of 32 from 515 (loads) and 643 (stores); those of 64 bits are not here */

/* The e6500 counts those of memory that is not cached. */
static void count(struct pt_ve500 *cpu, uint32_t ea, bool stores)
{
	uint32_t pa;
	uint8_t wimge;

	cpu->events[stores ? EV_STORES : EV_LOADS]++;
	if (cpu->variant == PT_VE500_CORE_E6500 &&
	    (!pt_e5_translate(cpu, ea, stores ? STORE : LOAD, &pa, &wimge) || (wimge & I_NHIBITED) == 0))
		return;
	cpu->events[stores ? EV_DECORATED_STORES : EV_DECORATED_LOADS]++;
}

static bool access_decorated(struct pt_ve500 *cpu, uint32_t op, unsigned size, bool stores)
{
	uint32_t ea = cpu->r[rb(op)], value;

	if (stores ? !pt_e5_store(cpu, ea, size, cpu->r[rd(op)]) : !pt_e5_load(cpu, ea, size, &value))
		return true;
	if (!stores)
		cpu->r[rd(op)] = value;
	cpu->events[stores ? EV_GPR_STORES : EV_GPR_LOADS]++;
	count(cpu, ea, stores);
	return true;
}

bool pt_e5_decorated31(struct pt_ve500 *cpu, uint32_t op)
{
	bool stores = xo(op) >= 643;
	unsigned at = xo(op) - (stores ? 643 : 515), form = at / 32;

	if (!cpu->kind->qoriq || xo(op) < 515 || at % 32 != 0 || form > WORD)
		return false;
	return access_decorated(cpu, op, 1u << form, stores);
}
