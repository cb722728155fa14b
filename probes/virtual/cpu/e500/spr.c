/* Special registers as rows, MSR, and the instructions that move them. Source: E500CORERM chapter 2, table 2-2 */
#include <string.h>

#include "probes/virtual/cpu/e500/core.h"

/* --- which there are */

enum { USER_READS = 1, USER_WRITES = 2, READ_ONLY = 4, SPE_CORES = 8, QORIQ = 16 };	/* the last two: on those alone */
static const struct {
	uint16_t first, last;
	uint8_t flags;
} rows[] = {
	{ SPR_DEC, SPR_DEC, 0 }, { SPR_SRR0, SPR_SRR1, 0 }, { SPR_PID0, SPR_PID0, 0 }, { SPR_DECAR, SPR_DECAR, 0 },
	{ SPR_CSRR0, SPR_CSRR1, 0 }, { SPR_DEAR, SPR_IVPR, 0 },
	{ SPR_USPRG0, SPR_USPRG0, USER_READS | USER_WRITES }, { 259, 263, USER_READS | READ_ONLY },
	{ SPR_TBL, SPR_TBU, USER_READS | READ_ONLY }, { SPR_SPRG0, SPR_SPRG0 + 7, 0 }, { SPR_TBL_W, SPR_TBU_W, 0 },
	{ SPR_PIR, SPR_PIR, 0 }, { SPR_PVR, SPR_PVR, READ_ONLY }, { SPR_DBSR, SPR_DBSR, 0 },
	{ SPR_DBCR0, SPR_DBCR0 + 2, 0 }, { SPR_IAC1, SPR_IAC2, 0 }, { SPR_DAC1, SPR_DAC2, 0 }, { SPR_TSR, SPR_TSR, 0 },
	{ SPR_TCR, SPR_TCR, 0 }, { SPR_IVOR0, SPR_IVOR0 + 15, 0 },
	{ SPR_SPEFSCR, SPR_SPEFSCR, USER_READS | USER_WRITES | SPE_CORES },
	{ SPR_BBEAR, SPR_BBTAR, SPE_CORES }, { SPR_L1CFG0, SPR_L1CFG1, USER_READS | READ_ONLY },
	{ SPR_IVOR32, SPR_IVOR32 + 2, SPE_CORES }, { SPR_IVOR32 + 3, SPR_IVOR32 + 3, 0 },
	{ SPR_MCSRR0, SPR_MCAR, 0 }, { SPR_MAS0, SPR_MAS4, 0 }, { SPR_MAS6, SPR_MAS6, 0 }, { SPR_PID1, SPR_PID2, SPE_CORES },
	{ SPR_TLB0CFG, SPR_TLB1CFG, READ_ONLY }, { SPR_MAS7, SPR_MAS7, 0 }, { SPR_HID0, SPR_L1CSR1, 0 },
	{ SPR_MMUCSR0, SPR_BUCSR, 0 }, { SPR_MMUCFG, SPR_MMUCFG, READ_ONLY }, { SPR_SVR, SPR_SVR, READ_ONLY },
	/* Source: Linux, reg_booke.h; DEVENT: NXP's qoriq-debug */
	{ SPR_EPCR, SPR_EPCR, QORIQ }, { SPR_DSRR0, SPR_DSRR0 + 1, QORIQ }, { SPR_SPRG8, SPR_SPRG8 + 1, QORIQ },
	{ SPR_DEVENT, SPR_DEVENT, QORIQ | USER_READS | USER_WRITES },
};

static bool row_of(const struct pt_ve500 *cpu, unsigned n, uint8_t *flags)
{
	const uint8_t others = cpu->kind->qoriq ? SPE_CORES : QORIQ;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (n < rows[i].first || n > rows[i].last || (rows[i].flags & others) != 0)
			continue;
		*flags = rows[i].flags;
		return true;
	}
	return false;
}

void pt_e5_reset_sprs(struct pt_ve500 *cpu)
{
	memset(cpu->spr, 0, sizeof(cpu->spr));
	cpu->spr[SPR_PVR] = cpu->kind->pvr;
	cpu->spr[SPR_PIR] = cpu->number;
	cpu->spr[SPR_HID0] = 0x4000;		/* TBEN, as boot loaders set it */
	cpu->spr[SPR_L1CFG0] = 0x003c0020;	/* 32 KiB, 8 ways, 32 bytes. Source: E500CORERM table 2-23 */
	cpu->spr[SPR_L1CFG0] |= cpu->kind->line_shift == 6 ? 0x00800000 : 0;	/* 64 bytes */
	cpu->spr[SPR_L1CFG1] = cpu->spr[SPR_L1CFG0];
	cpu->spr[SPR_TLB1CFG] = 0x101bc000 | cpu->kind->tlb1_entries;	/* table 2-32 */
	cpu->spr[SPR_BUCSR] = 1;		/* BPEN: the model always predicts */
}

/* --- by number; those of fields of their own first */

static uint32_t *field(struct pt_ve500 *cpu, unsigned n)
{
	switch (n) {
	case SPR_XER: return &cpu->xer;
	case SPR_LR: return &cpu->lr;
	case SPR_CTR: return &cpu->ctr;
	default: return NULL;
	}
}

bool pt_e5_read_spr(struct pt_ve500 *cpu, unsigned n, uint32_t *value)
{
	const uint32_t *own = field(cpu, n);
	uint8_t flags;

	if (own != NULL)
		*value = *own;
	else if (!row_of(cpu, n, &flags))
		return false;
	else if (pt_e5_time_spr(n))
		*value = pt_e5_time_read(cpu, n);
	else if (n >= 259 && n <= 263)
		*value = cpu->spr[SPR_SPRG0 + n - 256];	/* SPRG3..7 for user code */
	else
		*value = cpu->spr[n];
	return true;
}

/* Bits 56 to 63 are the events 0 to 7. UNVERIFIED: the order; the field is that of the e200's. */
static void count_devent(struct pt_ve500 *cpu, uint32_t value)
{
	for (unsigned i = 0; i < 8; i++)
		cpu->events[EV_DVT0 + i] += value >> (7 - i) & 1;
}

bool pt_e5_write_spr(struct pt_ve500 *cpu, unsigned n, uint32_t value)
{
	uint32_t *own = field(cpu, n);
	uint8_t flags;

	if (own != NULL) {
		*own = n == SPR_XER ? value & 0xe000007f : value;
		return true;
	}
	if (!row_of(cpu, n, &flags) || (flags & READ_ONLY) != 0)
		return false;
	if (n == SPR_DEVENT)
		count_devent(cpu, value);
	if (pt_e5_time_spr(n))
		pt_e5_time_write(cpu, n, value);
	else if (n == SPR_MCSR || n == SPR_DBSR)
		cpu->spr[n] &= ~value;			/* write 1 to clear */
	else
		cpu->spr[n] = value;
	if (n == SPR_PID0 || n == SPR_PID1 || n == SPR_PID2)
		pt_e5_forget_pages(cpu);
	return true;
}

/* --- instructions */

static bool privileged(struct pt_ve500 *cpu)
{
	if (!pt_e5_user(cpu))
		return true;
	pt_e5_fault(cpu, PT_VE500_PROGRAM, ESR_PPR);
	return false;
}

/* The halves of the number stand the other way round. */
static unsigned number(uint32_t op)
{
	return ra(op) | rb(op) << 5;
}

static bool may(const struct pt_ve500 *cpu, unsigned n, uint8_t needed)
{
	uint8_t flags = 0;

	return !pt_e5_user(cpu) || n == SPR_XER || n == SPR_LR || n == SPR_CTR ||
	       (row_of(cpu, n, &flags) && (flags & needed) != 0);
}

/* User code that names a register of the supervisor (bit 4 of the number) is told that, whether or not it exists. */
static bool move_spr(struct pt_ve500 *cpu, uint32_t op, bool writes)
{
	unsigned n = number(op);
	uint32_t value = cpu->r[rd(op)];

	if (pt_e5_user(cpu) && !may(cpu, n, writes ? USER_WRITES : USER_READS) && (n & 16) != 0)
		return privileged(cpu) || true;
	if (!may(cpu, n, writes ? USER_WRITES : USER_READS))
		return false;
	if (writes)
		return pt_e5_write_spr(cpu, n, value);
	if (!pt_e5_read_spr(cpu, n, &value))
		return false;
	cpu->r[rd(op)] = value;
	return true;
}

/* Supervisor's numbers have bit 4; user code may read the others. Source: E500CORERM Rev. 1, Table 7-2 */
static bool move_pmr(struct pt_ve500 *cpu, uint32_t op, bool writes)
{
	unsigned n = number(op);
	uint32_t value = cpu->r[rd(op)];

	if (pt_e5_user(cpu) && ((n & 16) != 0 || writes))
		return privileged(cpu) || true;
	if (writes)
		return (n & 16) != 0 && cpu->watcher.write != NULL && cpu->watcher.write(cpu->watcher.arg, n, value);
	if (cpu->watcher.read == NULL || !cpu->watcher.read(cpu->watcher.arg, n, &value))
		return false;
	cpu->r[rd(op)] = value;
	return true;
}

static bool move_tb(struct pt_ve500 *cpu, uint32_t op)
{
	unsigned n = number(op);

	if (n != SPR_TBL && n != SPR_TBU)
		return false;
	cpu->r[rd(op)] = pt_e5_time_read(cpu, n);
	return true;
}

static bool write_ee(struct pt_ve500 *cpu, bool on)
{
	pt_e5_write_msr(cpu, on ? cpu->msr | PT_VE500_MSR_EE : cpu->msr & ~(uint32_t)PT_VE500_MSR_EE);
	return true;
}

/* WC is in the lowest bits of rD: 0 waits for an interrupt; the others may go on at once. */
static bool wait(struct pt_ve500 *cpu, uint32_t op)
{
	if (!cpu->kind->qoriq)
		return false;
	if ((rd(op) & 3) == 0) {
		cpu->state = PT_VE500_DOZE;
		pt_vcore_attend(&cpu->core);
	}
	return true;
}

bool pt_e5_system31(struct pt_ve500 *cpu, uint32_t op)
{
	switch (xo(op)) {
	case 62: return wait(cpu, op);
	case 339: return move_spr(cpu, op, false);
	case 467: return move_spr(cpu, op, true);
	case 371: return move_tb(cpu, op);
	case 334: return move_pmr(cpu, op, false);
	case 462: return move_pmr(cpu, op, true);
	case 83: case 146: case 131: case 163: case 946: case 978: case 914: case 786: case 566: break;
	default: return false;
	}
	if (!privileged(cpu))
		return true;
	switch (xo(op)) {
	case 83: cpu->r[rd(op)] = cpu->msr; return true;
	case 146: pt_e5_write_msr(cpu, cpu->r[rd(op)] | (cpu->msr & PT_VE500_MSR_GS)); return true;
	case 131: return write_ee(cpu, (cpu->r[rd(op)] & PT_VE500_MSR_EE) != 0);
	case 163: return write_ee(cpu, (op & 0x8000) != 0);
	default: return pt_e5_tlb(cpu, op);
	}
}
