/* The memory protection unit of ARMv7-M: eight regions, the highest that matches decides. Source: DDI 0403, B3.5. */
#include "probes/virtual/cpu/cortexm/memory.h"

enum { TYPE = 0xd90, CTRL = 0xd94, RNR = 0xd98, RBAR = 0xd9c, RASR = 0xda0, LAST_ALIAS = 0xdb8 };
enum { ENABLE = 1, HFNMIENA = 2, PRIVDEFENA = 4, CTRL_MASK = 7 };
enum { RBAR_VALID = 16, RASR_ENABLE = 1, RASR_XN = 1 << 28 };
#define RASR_BITS UINT32_C(0x173fff3f)

void pt_cpu_mpu_changed(struct pt_vcpu *cpu)
{
	bool urgent = (cpu->mpu.ctrl & HFNMIENA) == 0 && pt_cpu_priority(cpu, false) < 0;
	bool on = (cpu->mpu.ctrl & ENABLE) != 0 && !urgent;

	if (on == cpu->mpu.on)
		return;
	cpu->mpu.on = on;
	pt_cpu_choose_ram(cpu);
}

static bool matches(const struct mpu *mpu, unsigned i, uint32_t addr)
{
	uint32_t rasr = mpu->rasr[i], size_bits = (rasr >> 1 & 31) + 1;
	uint32_t offset = size_bits >= 32 ? addr : addr & ((UINT32_C(1) << size_bits) - 1);

	if ((rasr & RASR_ENABLE) == 0 || size_bits < 5 || addr - offset != (mpu->rbar[i] & ~31u))
		return false;
	return size_bits < 8 ||
	       (rasr >> (8 + (offset >> (size_bits - 3))) & 1) == 0; /* SRD: eighths that are not in it */
}

/* AP[2:0]: what privileged and other code may do. Source: DDI 0403, table B3-15 */
static bool permitted(uint32_t rasr, enum access access, bool privileged)
{
	static const uint8_t rights[8][2] = {	/* [AP][privileged]: 1 read, 2 write */
		{ 0, 0 }, { 0, 3 }, { 1, 3 }, { 3, 3 }, { 0, 0 }, { 0, 1 }, { 1, 1 }, { 1, 1 },
	};
	unsigned has = rights[rasr >> 24 & 7][privileged];

	if (access == ACCESS_FETCH)
		return (has & 1) != 0 && (rasr & RASR_XN) == 0;
	return (has & (access == ACCESS_WRITE ? 2 : 1)) != 0;
}

/* The MPU does not apply to the private peripheral bus. */
bool pt_cpu_mpu_allows(const struct pt_vcpu *cpu, uint32_t addr, enum access access, bool privileged)
{
	if (addr >> 20 == 0xe00)
		return true;
	for (unsigned i = cpu->model->mpu_regions; i-- > 0;)
		if (matches(&cpu->mpu, i, addr))
			return permitted(cpu->mpu.rasr[i], access, privileged);
	return (cpu->mpu.ctrl & PRIVDEFENA) != 0 && privileged;
}

/* RBAR and RASR have three aliases behind them. */
static uint32_t without_alias(uint32_t offset)
{
	return offset > RASR && offset <= LAST_ALIAS ? RBAR + (offset - RBAR) % 8 : offset;
}

bool pt_cpu_mpu_read(struct pt_vcpu *cpu, uint32_t offset, uint32_t *value)
{
	struct mpu *mpu = &cpu->mpu;

	if (cpu->model->mpu_regions == 0)
		return false;
	switch (without_alias(offset)) {
	case TYPE: *value = (uint32_t)cpu->model->mpu_regions << 8; return true;
	case CTRL: *value = mpu->ctrl; return true;
	case RNR: *value = mpu->rnr; return true;
	case RBAR: *value = mpu->rbar[mpu->rnr] | mpu->rnr; return true;
	case RASR: *value = mpu->rasr[mpu->rnr]; return true;
	default: return false;
	}
}

static void write_rbar(struct mpu *mpu, uint32_t value, unsigned n_regions)
{
	if ((value & RBAR_VALID) != 0 && (value & 15) < n_regions)
		mpu->rnr = value & 15;
	mpu->rbar[mpu->rnr] = value & ~31u;
}

bool pt_cpu_mpu_write(struct pt_vcpu *cpu, uint32_t offset, uint32_t value)
{
	struct mpu *mpu = &cpu->mpu;
	unsigned n = cpu->model->mpu_regions;

	if (n == 0)
		return false;
	switch (without_alias(offset)) {
	case TYPE: break;
	case CTRL: mpu->ctrl = value & CTRL_MASK; break;
	case RNR: mpu->rnr = value < n ? value : mpu->rnr; break;
	case RBAR: write_rbar(mpu, value, n); break;
	case RASR: mpu->rasr[mpu->rnr] = value & RASR_BITS; break;
	default: return false;
	}
	pt_cpu_mpu_changed(cpu);
	return true;
}
