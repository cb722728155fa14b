/* Op-code 4: the SPE's loads and stores of 64 bits, and what moves and combines words. Its arithmetic is not there and
 * is an illegal instruction. Source: SPE Programming Environments Manual (SPEPEM), chapter 5; E500CORERM 3.8 */
#include "probes/virtual/cpu/e500/core.h"

struct pair { uint32_t high, low; };

static struct pair reg(const struct pt_ve500 *cpu, unsigned r)
{
	return (struct pair){ cpu->high[r], cpu->r[r] };
}

static bool give(struct pt_ve500 *cpu, uint32_t op, uint32_t high, uint32_t low)
{
	cpu->high[rd(op)] = high;
	cpu->r[rd(op)] = low;
	return true;
}

static bool combine(struct pt_ve500 *cpu, uint32_t op)
{
	struct pair a = reg(cpu, ra(op)), b = reg(cpu, rb(op));

	switch (op & 0x7ff) {
	case 0x200: return give(cpu, op, a.high + b.high, a.low + b.low);		/* evaddw */
	case 0x204: return give(cpu, op, b.high - a.high, b.low - a.low);		/* evsubfw */
	case 0x211: return give(cpu, op, a.high & b.high, a.low & b.low);
	case 0x212: return give(cpu, op, a.high & ~b.high, a.low & ~b.low);
	case 0x216: return give(cpu, op, a.high ^ b.high, a.low ^ b.low);
	case 0x217: return give(cpu, op, a.high | b.high, a.low | b.low);
	case 0x218: return give(cpu, op, ~(a.high | b.high), ~(a.low | b.low));
	case 0x219: return give(cpu, op, ~(a.high ^ b.high), ~(a.low ^ b.low));
	case 0x21b: return give(cpu, op, a.high | ~b.high, a.low | ~b.low);
	case 0x21e: return give(cpu, op, ~(a.high & b.high), ~(a.low & b.low));
	case 0x22c: return give(cpu, op, a.high, b.high);	/* evmergehi */
	case 0x22d: return give(cpu, op, a.low, b.low);		/* evmergelo */
	case 0x22e: return give(cpu, op, a.high, b.low);	/* evmergehilo */
	case 0x22f: return give(cpu, op, a.low, b.high);	/* evmergelohi */
	default: return false;
	}
}

/* The immediate of 5 bits stands in rA. */
static bool splat(struct pt_ve500 *cpu, uint32_t op)
{
	uint32_t value = ra(op);

	if ((op & 0x7ff) == 0x229)			/* evsplati: signed */
		value = (value ^ 16) - 16;
	else if ((op & 0x7ff) == 0x22b)			/* evsplatfi: at the top */
		value <<= 27;
	else
		return false;
	return give(cpu, op, value, value);
}

/* How a form lies in memory: pieces of size bytes, the first at shift bits of the 64. */
struct form {
	uint8_t code;		/* of op & 0x7ff, without the bit that says offset instead of index */
	uint8_t scale;		/* of the offset */
	uint8_t size, n_pieces;
	uint8_t lsb[4];		/* of each piece in the register, in the order of memory */
	bool stores;
};

static const struct form forms[] = {
	{ 0x00, 8, 4, 2, { 32, 0 }, false },			/* evldd */
	{ 0x02, 8, 4, 2, { 32, 0 }, false },			/* evldw: differs in little-endian only */
	{ 0x04, 8, 2, 4, { 48, 32, 16, 0 }, false },		/* evldh */
	{ 0x10, 4, 2, 2, { 48, 16 }, false },			/* evlwhe */
	{ 0x14, 4, 2, 2, { 32, 0 }, false },			/* evlwhou */
	{ 0x20, 8, 4, 2, { 32, 0 }, true },			/* evstdd */
	{ 0x22, 8, 4, 2, { 32, 0 }, true },			/* evstdw */
	{ 0x24, 8, 2, 4, { 48, 32, 16, 0 }, true },		/* evstdh */
	{ 0x30, 4, 2, 2, { 48, 16 }, true },			/* evstwhe */
	{ 0x34, 4, 2, 2, { 32, 0 }, true },			/* evstwho */
	{ 0x38, 4, 4, 1, { 32 }, true },			/* evstwwe */
	{ 0x3c, 4, 4, 1, { 0 }, true },				/* evstwwo */
};

static bool transfer(struct pt_ve500 *cpu, uint32_t op, const struct form *form, uint32_t ea)
{
	uint64_t value = form->stores ? (uint64_t)cpu->high[rd(op)] << 32 | cpu->r[rd(op)] : 0;

	if ((ea & (form->size * form->n_pieces - 1u)) != 0) {
		cpu->spr[SPR_DEAR] = ea;
		pt_e5_fault(cpu, PT_VE500_ALIGNMENT, form->stores ? ESR_SPV | ESR_ST : ESR_SPV);
		return true;
	}
	for (unsigned i = 0; i < form->n_pieces; i++, ea += form->size) {
		uint32_t piece = (uint32_t)(value >> form->lsb[i]);

		if (form->stores ? !pt_e5_store(cpu, ea, form->size, piece) : !pt_e5_load(cpu, ea, form->size, &piece))
			return true;
		if (!form->stores)
			value |= (uint64_t)piece << form->lsb[i];
	}
	cpu->events[form->stores ? EV_STORES : EV_LOADS]++;
	return form->stores || give(cpu, op, (uint32_t)(value >> 32), (uint32_t)value);
}

static bool memory(struct pt_ve500 *cpu, uint32_t op)
{
	unsigned code = op & 0x7ff;

	for (size_t i = 0; code >= 0x300 && code < 0x340 && i < sizeof(forms) / sizeof(*forms); i++) {
		if ((code & 0x3e) != forms[i].code)
			continue;
		return transfer(cpu, op, &forms[i],
				(code & 1) != 0 ? ra_or_0(cpu, op) + rb(op) * forms[i].scale
						: ra_or_0(cpu, op) + cpu->r[rb(op)]);
	}
	return false;
}

bool pt_e5_spe(struct pt_ve500 *cpu, uint32_t op)
{
	if ((cpu->msr & PT_VE500_MSR_SPE) == 0) {
		pt_e5_fault(cpu, PT_VE500_NO_SPE, ESR_SPV);
		return true;
	}
	return combine(cpu, op) || splat(cpu, op) || memory(cpu, op);
}
