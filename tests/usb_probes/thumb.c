/* One function for each group of encodings; those that would take an exception (SVC) or do not exist are faults. */
#include "thumb.h"
#include "core.h"

struct decoded {
	uint32_t op;
	unsigned d, n, m;	/* the usual fields: bits 2:0, 5:3, 8:6 */
	uint32_t imm8;
	unsigned at8;		/* the register in bits 10:8 */
};

static void set_nz(struct thumb *cpu, uint32_t value)
{
	cpu->n = value >> 31;
	cpu->z = value == 0;
}

static uint32_t add_with_carry(struct thumb *cpu, uint32_t a, uint32_t b, bool carry)
{
	uint64_t sum = (uint64_t)a + b + carry;
	uint32_t value = (uint32_t)sum;

	set_nz(cpu, value);
	cpu->c = sum >> 32;
	cpu->v = (~(a ^ b) & (a ^ value)) >> 31;
	return value;
}

enum shift { LSL, LSR, ASR, ROR };

static uint32_t shifted(struct thumb *cpu, enum shift how, uint32_t value, unsigned by)
{
	if (by == 0)
		return value;
	if (how == ROR) {
		by &= 31;
		value = by == 0 ? value : value >> by | value << (32 - by);
		cpu->c = value >> 31;
		return value;
	}
	if (how == ASR) {
		by = by > 32 ? 32 : by;
		cpu->c = (int64_t)(int32_t)value >> (by - 1) & 1;
		return (uint32_t)((int64_t)(int32_t)value >> by);
	}
	if (by > 32)
		by = 33;
	if (how == LSL) {
		uint64_t wide = (uint64_t)value << by;

		cpu->c = wide >> 32 & 1;
		return (uint32_t)wide;
	}
	cpu->c = (uint64_t)value >> (by - 1) & 1;
	return (uint32_t)((uint64_t)value >> by);
}

static bool condition(const struct thumb *cpu, unsigned which)
{
	bool met;

	switch (which >> 1) {
	case 0:
		met = cpu->z;
		break;
	case 1:
		met = cpu->c;
		break;
	case 2:
		met = cpu->n;
		break;
	case 3:
		met = cpu->v;
		break;
	case 4:
		met = cpu->c && !cpu->z;
		break;
	case 5:
		met = cpu->n == cpu->v;
		break;
	default:
		met = cpu->n == cpu->v && !cpu->z;
		break;
	}
	return met != (which & 1);
}

static bool load(struct thumb *cpu, unsigned reg, uint32_t addr, unsigned size_bytes, bool is_signed)
{
	uint32_t value;

	if (addr % size_bytes != 0 || !bus_read(addr, size_bytes, &value))
		return false;
	if (is_signed)
		value = size_bytes == 1 ? (uint32_t)(int8_t)value : (uint32_t)(int16_t)value;
	cpu->r[reg] = value;
	return true;
}

static bool store(const struct thumb *cpu, unsigned reg, uint32_t addr, unsigned size_bytes)
{
	return addr % size_bytes == 0 && bus_write(addr, size_bytes, cpu->r[reg]);
}

/* Registers in the order of their numbers; the end address. */
static bool transfer_list(struct thumb *cpu, uint32_t addr, unsigned list, bool loads)
{
	for (unsigned i = 0; i < 16; i++) {
		if ((list >> i & 1) == 0)
			continue;
		if (!(loads ? load(cpu, i, addr, 4, false) : store(cpu, i, addr, 4)))
			return false;
		addr += 4;
	}
	return true;
}

static bool shift_add_subtract(struct thumb *cpu, const struct decoded *i)
{
	uint32_t *r = cpu->r;
	uint32_t operand = (i->op & 0x400) != 0 ? i->m : r[i->m];
	unsigned by = i->op >> 6 & 31;
	enum shift how = i->op >> 11 & 3;

	if (how == 3) {
		r[i->d] = add_with_carry(cpu, r[i->n], (i->op & 0x200) != 0 ? ~operand : operand, i->op >> 9 & 1);
		return true;
	}
	r[i->d] = shifted(cpu, how, r[i->n], by == 0 && how != LSL ? 32 : by);
	set_nz(cpu, r[i->d]);
	return true;
}

static bool immediate8(struct thumb *cpu, const struct decoded *i)
{
	uint32_t *to = &cpu->r[i->at8];

	switch (i->op >> 11 & 3) {
	case 0:
		*to = i->imm8;
		set_nz(cpu, *to);
		break;
	case 1:
		add_with_carry(cpu, *to, ~i->imm8, true);
		break;
	case 2:
		*to = add_with_carry(cpu, *to, i->imm8, false);
		break;
	default:
		*to = add_with_carry(cpu, *to, ~i->imm8, true);
		break;
	}
	return true;
}

enum { AND, EOR, LSLR, LSRR, ASRR, ADC, SBC, RORR, TST, RSB, CMP, CMN, ORR, MUL, BIC, MVN };

static bool data_processing(struct thumb *cpu, const struct decoded *i)
{
	uint32_t a = cpu->r[i->d], b = cpu->r[i->n], *to = &cpu->r[i->d];
	unsigned what = i->op >> 6 & 15;

	switch (what) {
	case LSLR:
	case LSRR:
	case ASRR:
		*to = shifted(cpu, what == LSLR ? LSL : what == LSRR ? LSR : ASR, a, b & 0xff);
		break;
	case RORR:
		*to = shifted(cpu, ROR, a, b & 0xff);
		break;
	case ADC:
		*to = add_with_carry(cpu, a, b, cpu->c);
		return true;
	case SBC:
		*to = add_with_carry(cpu, a, ~b, cpu->c);
		return true;
	case RSB:
		*to = add_with_carry(cpu, ~b, 0, true);
		return true;
	case CMP:
		add_with_carry(cpu, a, ~b, true);
		return true;
	case CMN:
		add_with_carry(cpu, a, b, false);
		return true;
	case TST:
		set_nz(cpu, a & b);
		return true;
	default:
		*to = what == AND   ? (a & b)
		      : what == EOR ? (a ^ b)
		      : what == ORR ? (a | b)
		      : what == MUL ? a * b
		      : what == BIC ? (a & ~b)
				    : ~b;
		break;
	}
	set_nz(cpu, *to);
	return true;
}

static bool high_registers(struct thumb *cpu, const struct decoded *i)
{
	unsigned d = (i->op >> 4 & 8) | i->d, m = i->op >> 3 & 15;
	uint32_t value = cpu->r[m] + (m == THUMB_PC ? 2 : 0);	/* pc reads as its address + 4, and 2 are added already */

	switch (i->op >> 8 & 3) {
	case 0:
		value += cpu->r[d] + (d == THUMB_PC ? 2 : 0);
		break;
	case 1:
		add_with_carry(cpu, cpu->r[d], ~value, true);
		return true;
	case 2:
		break;
	default:
		if ((value & 1) == 0)
			return false;		/* to a state without Thumb */
		if ((i->op & 0x80) != 0)
			cpu->r[THUMB_LR] = cpu->r[THUMB_PC] | 1;
		d = THUMB_PC;
		break;
	}
	cpu->r[d] = d == THUMB_PC ? value & ~1u : value;
	return true;
}

static bool load_store(struct thumb *cpu, const struct decoded *i)
{
	static const struct { uint8_t size_bytes, loads, is_signed; } by_register[] = {
		{ 4, 0, 0 }, { 2, 0, 0 }, { 1, 0, 0 }, { 1, 1, 1 }, { 4, 1, 0 }, { 2, 1, 0 }, { 1, 1, 0 }, { 2, 1, 1 },
	};
	unsigned group = i->op >> 12, offset = i->op >> 6 & 31, size_bytes;
	bool loads = (i->op & 0x800) != 0;
	uint32_t addr;

	if (group == 5) {
		unsigned k = i->op >> 9 & 7;

		addr = cpu->r[i->n] + cpu->r[i->m];
		return by_register[k].loads ? load(cpu, i->d, addr, by_register[k].size_bytes, by_register[k].is_signed)
					    : store(cpu, i->d, addr, by_register[k].size_bytes);
	}
	if (group == 9) {
		addr = cpu->r[THUMB_SP] + 4 * i->imm8;
		return loads ? load(cpu, i->at8, addr, 4, false) : store(cpu, i->at8, addr, 4);
	}
	size_bytes = group == 6 ? 4 : group == 7 ? 1 : 2;
	addr = cpu->r[i->n] + size_bytes * offset;
	return loads ? load(cpu, i->d, addr, size_bytes, false) : store(cpu, i->d, addr, size_bytes);
}

static uint32_t reversed(uint32_t v, unsigned how)
{
	if (how == 0)
		return __builtin_bswap32(v);
	if (how == 1)
		return (v >> 8 & 0x00ff00ff) | (v << 8 & 0xff00ff00);
	return (uint32_t)(int16_t)__builtin_bswap16((uint16_t)v);
}

static bool push_or_pop(struct thumb *cpu, const struct decoded *i)
{
	bool pops = (i->op & 0x800) != 0, extra = (i->op & 0x100) != 0;
	unsigned list = i->imm8 | (unsigned)extra << (pops ? THUMB_PC : THUMB_LR);
	uint32_t bytes = 4u * (unsigned)__builtin_popcount(list), sp = cpu->r[THUMB_SP];

	if (!transfer_list(cpu, pops ? sp : sp - bytes, list, pops))
		return false;
	cpu->r[THUMB_SP] = pops ? sp + bytes : sp - bytes;
	if (pops && extra)
		cpu->r[THUMB_PC] &= ~1u;
	return true;
}

static bool miscellaneous(struct thumb *cpu, const struct decoded *i)
{
	uint32_t v = cpu->r[i->n];

	switch (i->op >> 8 & 15) {
	case 0:
		cpu->r[THUMB_SP] += (i->op & 0x80) != 0 ? -(4 * (i->op & 0x7f)) : 4 * (i->op & 0x7f);
		return true;
	case 2:
		cpu->r[i->d] = (i->op & 0x80) != 0 ? ((i->op & 0x40) != 0 ? (uint8_t)v : (uint16_t)v)
						   : ((i->op & 0x40) != 0 ? (uint32_t)(int8_t)v : (uint32_t)(int16_t)v);
		return true;
	case 4:
	case 5:
	case 12:
	case 13:
		return push_or_pop(cpu, i);
	case 6:
		return true;		/* CPS: there are no exceptions to mask */
	case 10:
		if ((i->op >> 6 & 3) == 2)
			return false;
		cpu->r[i->d] = reversed(v, i->op >> 6 & 3);
		return true;
	case 15:
		return true;		/* NOP, WFI and the other hints */
	default:
		return false;
	}
}

static bool multiple(struct thumb *cpu, const struct decoded *i)
{
	bool loads = (i->op & 0x800) != 0;
	uint32_t addr = cpu->r[i->at8], bytes = 4u * (unsigned)__builtin_popcount(i->imm8);

	if (!transfer_list(cpu, addr, i->imm8, loads))
		return false;
	if (!loads || (i->imm8 >> i->at8 & 1) == 0)
		cpu->r[i->at8] = addr + bytes;
	return true;
}

static bool branch(struct thumb *cpu, const struct decoded *i)
{
	if (i->op >> 12 == 0xd) {
		if ((i->op >> 8 & 15) >= 14)
			return false;		/* UDF, SVC */
		if (condition(cpu, i->op >> 8 & 15))
			cpu->r[THUMB_PC] += 2 + 2 * (uint32_t)(int8_t)i->imm8;
		return true;
	}
	cpu->r[THUMB_PC] += 2 + (uint32_t)((int32_t)(i->op << 21) >> 20);
	return true;
}

/* BL; MRS, MSR and barriers do nothing here. */
static bool wide(struct thumb *cpu, uint32_t first)
{
	uint32_t second, sign = first >> 10 & 1, offset;

	if (!bus_read(cpu->r[THUMB_PC], 2, &second))
		return false;
	cpu->r[THUMB_PC] += 2;
	if ((first & 0xf800) != 0xf000 || (second & 0x8000) == 0)
		return false;
	if ((second & 0x5000) != 0x5000)
		return (first & 0xff00) == 0xf300;
	offset = (first & 0x3ff) << 12 | (second & 0x7ff) << 1 | (~((second >> 13) ^ sign) & 1) << 23 |
		 (~((second >> 11) ^ sign) & 1) << 22;
	cpu->r[THUMB_LR] = cpu->r[THUMB_PC] | 1;
	cpu->r[THUMB_PC] += offset - (sign << 24);
	return true;
}

static bool execute(struct thumb *cpu, const struct decoded *i)
{
	switch (i->op >> 12) {
	case 0:
	case 1:
		return shift_add_subtract(cpu, i);
	case 2:
	case 3:
		return immediate8(cpu, i);
	case 4:
		if ((i->op & 0x800) != 0)	/* LDR literal */
			return load(cpu, i->at8, ((cpu->r[THUMB_PC] + 2) & ~3u) + 4 * i->imm8, 4, false);
		return (i->op & 0x400) != 0 ? high_registers(cpu, i) : data_processing(cpu, i);
	case 10:		/* ADR, ADD from SP */
		cpu->r[i->at8] = ((i->op & 0x800) != 0 ? cpu->r[THUMB_SP] : (cpu->r[THUMB_PC] + 2) & ~3u) + 4 * i->imm8;
		return true;
	case 11:
		return miscellaneous(cpu, i);
	case 12:
		return multiple(cpu, i);
	case 13:
		return branch(cpu, i);
	case 14:
		return (i->op & 0x800) == 0 && branch(cpu, i);
	case 15:
		return wide(cpu, i->op);
	default:
		return load_store(cpu, i);
	}
}

enum thumb_end thumb_step(struct thumb *cpu)
{
	uint32_t at = cpu->r[THUMB_PC];
	struct decoded i;

	if (!bus_read(at, 2, &i.op))
		return THUMB_FAULT;
	if (i.op >> 8 == 0xbe)
		return THUMB_BREAK;
	i.d = i.op & 7;
	i.n = i.op >> 3 & 7;
	i.m = i.op >> 6 & 7;
	i.imm8 = i.op & 0xff;
	i.at8 = i.op >> 8 & 7;
	cpu->r[THUMB_PC] = at + 2;
	if (execute(cpu, &i))
		return THUMB_DONE;
	cpu->r[THUMB_PC] = at;
	return THUMB_FAULT;
}
