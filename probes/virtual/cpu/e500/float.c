/* The FPRs of e500mc and later: loads, stores, moves, FPSCR as bits. Arithmetic is not there and is an illegal
 * instruction. A double is one access of the core, and two of the bus. Source: Power ISA 2.06 Book I, 4.6 */
#include "probes/virtual/cpu/e500/core.h"

/* --- between memory and register. Source: Power ISA 2.06 Book I, 4.6.2, 4.6.3: DOUBLE and SINGLE */

static uint64_t doubled(uint32_t word)
{
	uint64_t sign = (uint64_t)(word >> 31) << 63, fraction = word & 0x7fffff, exponent = word >> 23 & 255;

	if (exponent == 255)
		return sign | UINT64_C(0x7ff) << 52 | fraction << 29;
	if (exponent == 0 && fraction == 0)
		return sign;
	if (exponent != 0)
		return sign | (exponent + 896) << 52 | fraction << 29;
	for (exponent = 897; (fraction & 0x800000) == 0; exponent--)	/* denormalised */
		fraction <<= 1;
	return sign | exponent << 52 | (fraction & 0x7fffff) << 29;
}

static uint32_t halved(uint64_t value)
{
	unsigned exponent = value >> 52 & 0x7ff;
	uint32_t sign = (uint32_t)(value >> 32) & 0x80000000, fraction;

	if (exponent > 896 || value << 1 == 0)
		return (uint32_t)(value >> 32 & 0xc0000000) | (uint32_t)(value >> 29 & 0x3fffffff);
	if (exponent < 874)
		return sign;		/* undefined */
	fraction = (uint32_t)(value >> 29 & 0x7fffff) | 0x800000;
	return sign | fraction >> (897 - exponent);
}

static bool second(struct pt_ve500 *cpu, uint32_t ea, bool stores, uint32_t *word)
{
	bool done;

	cpu->further_part = (ea & ((UINT32_C(1) << cpu->kind->line_shift) - 1)) != 0;
	done = stores ? pt_e5_store(cpu, ea, 4, *word) : pt_e5_load(cpu, ea, 4, word);
	cpu->further_part = false;
	return done;
}

static bool load(struct pt_ve500 *cpu, uint32_t ea, bool is_double, uint64_t *value)
{
	uint32_t first, rest = 0;

	if (!pt_e5_load(cpu, ea, 4, &first) || (is_double && !second(cpu, ea + 4, false, &rest)))
		return false;
	*value = is_double ? (uint64_t)first << 32 | rest : doubled(first);
	return true;
}

static bool store(struct pt_ve500 *cpu, uint32_t ea, bool is_double, uint64_t value)
{
	uint32_t rest = (uint32_t)value;

	if (!is_double)
		return pt_e5_store(cpu, ea, 4, halved(value));
	return pt_e5_store(cpu, ea, 4, (uint32_t)(value >> 32)) && second(cpu, ea + 4, true, &rest);
}

enum { UPDATES = 1, DOUBLE = 2, STORES = 4 };

static void count(struct pt_ve500 *cpu, unsigned how)
{
	cpu->events[(how & STORES) != 0 ? EV_STORES : EV_LOADS]++;
	if (cpu->variant != PT_VE500_CORE_E6500)
		return;
	cpu->events[(how & STORES) != 0 ? EV_FPR_STORES : EV_FPR_LOADS]++;
	cpu->events[EV_FPR_MOVED]++;
	cpu->events[(how & DOUBLE) != 0 ? EV_FPR_DOUBLES : EV_FPR_SINGLES]++;
}

/* how is the order of the op-codes 48 to 55, and of the indexed forms. */
static bool move_memory(struct pt_ve500 *cpu, uint32_t op, uint32_t ea, unsigned how)
{
	uint64_t *fpr = &cpu->fpr[rd(op)];

	if ((how & UPDATES) != 0 && ra(op) == 0)
		return false;
	if ((how & STORES) != 0 ? !store(cpu, ea, (how & DOUBLE) != 0, *fpr) : !load(cpu, ea, (how & DOUBLE) != 0, fpr))
		return true;
	count(cpu, how);
	if ((how & UPDATES) != 0)
		pt_e5_update(cpu, op, ea);
	return true;
}

/* --- between registers */

static bool give(struct pt_ve500 *cpu, uint32_t op, uint64_t value)
{
	cpu->fpr[rd(op)] = value;
	if (rc(op))
		cpu->cr = (cpu->cr & ~UINT32_C(0x0f000000)) | (cpu->fpscr >> 28) << 24;
	return true;
}

/* FEX and VX follow from the others. Source: Power ISA 2.06 Book I, 4.2.2 */
static uint32_t summed_up(uint32_t fpscr)
{
	enum { FEX = 0x40000000, VX = 0x20000000, VX_ANY = 0x01f80700, VE = 0x80, OTHERS = 0x78 };

	fpscr &= ~(uint32_t)(FEX | VX);
	fpscr |= (fpscr & VX_ANY) != 0 ? VX : 0;
	if (((fpscr & VX) != 0 && (fpscr & VE) != 0) || (fpscr >> 22 & fpscr & OTHERS) != 0)	/* OX to XX, OE to XE */
		fpscr |= FEX;
	return fpscr;
}

/* A bit of FM for each field of FPSCR. */
static bool write_fpscr(struct pt_ve500 *cpu, uint32_t op)
{
	uint32_t mask = 0;

	for (unsigned f = 0; f < 8; f++)
		mask |= (op >> (17 + f) & 1) != 0 ? UINT32_C(15) << 4 * f : 0;
	cpu->fpscr = summed_up((cpu->fpscr & ~mask) | ((uint32_t)cpu->fpr[rb(op)] & mask));
	if (rc(op))
		cpu->cr = (cpu->cr & ~UINT32_C(0x0f000000)) | (cpu->fpscr >> 28) << 24;
	return true;
}

static bool op63(struct pt_ve500 *cpu, uint32_t op)
{
	const uint64_t sign = UINT64_C(1) << 63, b = cpu->fpr[rb(op)];

	switch (xo(op)) {
	case 40: return give(cpu, op, b ^ sign);		/* fneg */
	case 72: return give(cpu, op, b);			/* fmr */
	case 136: return give(cpu, op, b | sign);		/* fnabs */
	case 264: return give(cpu, op, b & ~sign);		/* fabs */
	case 583: return give(cpu, op, cpu->fpscr);		/* mffs */
	case 711: return write_fpscr(cpu, op);			/* mtfsf */
	default: return false;
	}
}

static bool available(struct pt_ve500 *cpu)
{
	if ((cpu->msr & PT_VE500_MSR_FP) != 0)
		return true;
	cpu->failed = true;		/* ESR stays as it is */
	pt_e5_enter(cpu, PT_VE500_NO_FP, cpu->at);
	return false;
}

bool pt_e5_float(struct pt_ve500 *cpu, uint32_t op)
{
	unsigned primary = op >> 26;

	if (!cpu->kind->qoriq)
		return false;
	if (!available(cpu))
		return true;
	if (primary < 56)
		return move_memory(cpu, op, ra_or_0(cpu, op) + simm(op), primary - 48);
	return primary == 63 && op63(cpu, op);
}

bool pt_e5_float31(struct pt_ve500 *cpu, uint32_t op)
{
	uint32_t ea = ra_or_0(cpu, op) + cpu->r[rb(op)];
	unsigned form = (xo(op) - 535) / 32;		/* 535, 567 ... 759: as 48 to 55 */
	bool word = xo(op) == 983;			/* stfiwx */

	if (!cpu->kind->qoriq || (!word && (xo(op) < 535 || form > 7 || (xo(op) - 535) % 32 != 0)))
		return false;
	if (!available(cpu))
		return true;
	if (!word)
		return move_memory(cpu, op, ea, form);
	if (pt_e5_store(cpu, ea, 4, (uint32_t)cpu->fpr[rd(op)]))
		count(cpu, STORES);
	return true;
}
