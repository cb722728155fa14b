/* The system control block and what ARMv7-M has beside it: faults, features, FPU. Registers are words; priorities and
 * the fault status of ARMv7-M also in smaller parts. The unit ends at 0xe000ed2f; what lies behind is asked for by the
 * chip's debug unit. Source: DDI 0419, B3.2; DDI 0403, B3.2, B1.6. */
#include "probes/virtual/cpu/cortexm/core.h"

enum {
	ICTR = 0x004, ACTLR = 0x008, SYST = 0x010, SYST_END = 0x020,
	CPUID = 0xd00, ICSR = 0xd04, VTOR = 0xd08, AIRCR = 0xd0c, SCR = 0xd10, CCR = 0xd14,
	SHPR1 = 0xd18, SHPR2 = 0xd1c, SHPR3 = 0xd20, SHCSR = 0xd24, CFSR = 0xd28, HFSR = 0xd2c,
	MMFAR = 0xd34, BFAR = 0xd38, FEATURES = 0xd40, FEATURES_END = 0xd78, CPACR = 0xd88,
	FPCCR = 0xf34, FPCAR = 0xf38, FPDSCR = 0xf3c, MVFR0 = 0xf40, MVFR1 = 0xf44, MVFR2 = 0xf48,
};
enum { CCR_STKALIGN = 0x200, CCR_UNALIGN_TRP = 8, CCR_MASK_V7 = 0x31b, CCR_CACHES = 0x30000, CCR_BP = 0x40000, SCR_MASK = 0x16 };
enum { AIRCR_KEY = 0x05fa, AIRCR_KEY_READ = 0xfa05, SYSRESETREQ = 4, VECTCLRACTIVE = 2, VECTRESET = 1 };
enum { CPACR_FPU = 0xf << 20, FPDSCR_MASK = 0x07c00000, RETTOBASE = 1 << 11 };

#define NMIPENDSET (UINT32_C(1) << 31)
#define PENDSVSET (UINT32_C(1) << 28)
#define PENDSVCLR (UINT32_C(1) << 27)
#define PENDSTSET (UINT32_C(1) << 26)
#define PENDSTCLR (UINT32_C(1) << 25)
#define ISRPENDING (UINT32_C(1) << 22)
#define FPCCR_RESET UINT32_C(0xc0000000)	/* ASPEN, LSPEN */
#define FPCCR_BITS UINT32_C(0xc000017b)

/* ID_PFR0 to ID_ISAR4 of the Cortex-M4. Source: Cortex-M4 TRM, table 4-1 (UNVERIFIED one by one; the first, the third
 * and the ISARs are what QEMU's has) */
static const uint32_t features_m4[(FEATURES_END - FEATURES) / 4] = {
	0x00000030, 0x00000200, 0x00100000, 0, 0x00100030, 0, 0x01000000, 0,
	0x01141110, 0x02111000, 0x21112231, 0x01111110, 0x01310102, 0,
};
/* Of the Cortex-M7: what QEMU's has */
static const uint32_t features_m7[(FEATURES_END - FEATURES) / 4] = {
	0x00000030, 0x00000200, 0x00100000, 0, 0x00100030, 0, 0x01000000, 0,
	0x01101110, 0x02112000, 0x20232231, 0x01111131, 0x01310132, 0,
};

void pt_cpu_system_reset(struct pt_vcpu *cpu)
{
	cpu->vtor = cpu->scr = 0;
	pt_cpu_set_ccr(cpu, CCR_STKALIGN | (cpu->model->mainline ? 0 : CCR_UNALIGN_TRP) |	/* always on in ARMv6-M */
				    (cpu->model->caches ? CCR_BP : 0));
	cpu->csselr = 0;
	cpu->priority_group = 0;
	cpu->fault = (struct faults){ 0 };
	cpu->mpu = (struct mpu){ 0 };
	cpu->fpu.cpacr = cpu->fpu.fpdscr = cpu->fpu.fpscr = cpu->fpu.fpcar = 0;
	cpu->fpu.fpccr = cpu->model->fpu ? FPCCR_RESET : 0;
	pt_cpu_mpu_changed(cpu);
}

static bool irq_pending(const struct pt_vcpu *cpu)
{
	return pt_vset_next(&cpu->pending, PT_VEX_IRQ0) != PT_VSET_END;
}

static uint32_t read_icsr(const struct pt_vcpu *cpu)
{
	const struct pt_vset *pending = &cpu->pending;
	struct pt_vset ready;

	for (unsigned i = 0; i < PT_VSET_WORDS; i++)
		ready.word[i] = pending->word[i] & cpu->enabled.word[i];
	return (pt_vset_has(pending, PT_VEX_NMI) ? NMIPENDSET : 0) |
	       (pt_vset_has(pending, PT_VEX_PENDSV) ? PENDSVSET : 0) |
	       (pt_vset_has(pending, PT_VEX_SYSTICK) ? PENDSTSET : 0) | (irq_pending(cpu) ? ISRPENDING : 0) |
	       pt_cpu_pick(cpu, &ready) << 12 |
	       (cpu->model->mainline && pt_vset_count(&cpu->active) <= 1 ? RETTOBASE : 0) | cpu->ipsr;
}

static void write_icsr(struct pt_vcpu *cpu, uint32_t value)
{
	if ((value & NMIPENDSET) != 0)
		pt_cpu_set_pending(cpu, PT_VEX_NMI, true);
	if ((value & (PENDSVSET | PENDSVCLR)) != 0)
		pt_cpu_set_pending(cpu, PT_VEX_PENDSV, (value & PENDSVSET) != 0);
	if ((value & (PENDSTSET | PENDSTCLR)) != 0)
		pt_cpu_set_pending(cpu, PT_VEX_SYSTICK, (value & PENDSTSET) != 0);
}

static void write_aircr(struct pt_vcpu *cpu, uint32_t value, enum pt_vmaster master)
{
	if (value >> 16 != AIRCR_KEY)
		return;
	if ((value & SYSRESETREQ) != 0)
		cpu->reset_wanted = true;
	if (cpu->model->mainline)
		cpu->priority_group = value >> 8 & 7;
	if (master != PT_VMASTER_DEBUG)
		return;
	/* UNPREDICTABLE while the core runs, but debuggers do it, and parts do it */
	cpu->core_reset_wanted = cpu->model->mainline && (value & VECTRESET) != 0;
	if ((value & VECTCLRACTIVE) != 0 && cpu->state == PT_VCPU_HALT) {
		cpu->active = (struct pt_vset){ 0 };
		cpu->ipsr = 0;
	}
}

/* SHCSR: which exceptions are active, pending, enabled. Source: DDI 0403, B3.2.13 */
enum shcsr_part { ACTIVE, PENDED, ENABLED };
static const struct {
	uint8_t bit, exception, part;
} shcsr_bits[] = {
	{ 0, PT_VEX_MEMMANAGE, ACTIVE }, { 1, PT_VEX_BUSFAULT, ACTIVE }, { 3, PT_VEX_USAGEFAULT, ACTIVE },
	{ 7, PT_VEX_SVCALL, ACTIVE }, { 8, PT_VEX_DEBUGMON, ACTIVE }, { 10, PT_VEX_PENDSV, ACTIVE },
	{ 11, PT_VEX_SYSTICK, ACTIVE }, { 12, PT_VEX_USAGEFAULT, PENDED }, { 13, PT_VEX_MEMMANAGE, PENDED },
	{ 14, PT_VEX_BUSFAULT, PENDED }, { 15, PT_VEX_SVCALL, PENDED }, { 16, PT_VEX_MEMMANAGE, ENABLED },
	{ 17, PT_VEX_BUSFAULT, ENABLED }, { 18, PT_VEX_USAGEFAULT, ENABLED },
};
enum { SHCSR_ROWS = sizeof(shcsr_bits) / sizeof(shcsr_bits[0]), SVCALLPENDED = 1 << 15 };

static struct pt_vset *shcsr_set(struct pt_vcpu *cpu, unsigned row)
{
	struct pt_vset *set[] = { &cpu->active, &cpu->pending, &cpu->enabled };

	return set[shcsr_bits[row].part];
}

static uint32_t read_shcsr(struct pt_vcpu *cpu)
{
	uint32_t value = 0;

	for (unsigned i = 0; i < SHCSR_ROWS; i++)
		if (pt_vset_has(shcsr_set(cpu, i), shcsr_bits[i].exception))
			value |= UINT32_C(1) << shcsr_bits[i].bit;
	return cpu->model->mainline ? value : value & SVCALLPENDED;
}

static void write_shcsr(struct pt_vcpu *cpu, uint32_t value)
{
	for (unsigned i = 0; i < SHCSR_ROWS; i++)
		pt_vset_put(shcsr_set(cpu, i), shcsr_bits[i].exception, (value >> shcsr_bits[i].bit & 1) != 0);
	pt_vcore_attend(&cpu->core);
}

/* --- registers behind those of the unit */

static bool read_fpu(const struct pt_vcpu *cpu, uint32_t offset, uint32_t *value)
{
	bool is_v5 = cpu->model->fpu == PT_VFPU_V5;

	switch (offset) {
	case CPACR: *value = cpu->fpu.cpacr; return true;
	case FPCCR: *value = cpu->fpu.fpccr; return true;
	case FPCAR: *value = cpu->fpu.fpcar; return true;
	case FPDSCR: *value = cpu->fpu.fpdscr; return true;
	case MVFR0: *value = is_v5 ? 0x10110221 : 0x10110021; return true;
	case MVFR1: *value = is_v5 ? 0x12000011 : 0x11000011; return true;
	case MVFR2: *value = is_v5 ? 0x40 : 0; return true;
	default: return false;
	}
}

bool pt_vcpu_read_system(struct pt_vcpu *cpu, uint32_t offset, uint32_t *value)
{
	*value = 0;
	if (!cpu->model->mainline)
		return false;
	if (cpu->model->fpu && read_fpu(cpu, offset, value))
		return true;
	if (offset >= FEATURES && offset < FEATURES_END) {
		*value = (cpu->model->caches ? features_m7 : features_m4)[(offset - FEATURES) / 4];
		return true;
	}
	if (offset == MMFAR || offset == BFAR) {
		*value = offset == MMFAR ? cpu->fault.mmfar : cpu->fault.bfar;
		return true;
	}
	return pt_cpu_cache_read(cpu, offset, value) || pt_cpu_mpu_read(cpu, offset, value);
}

static bool write_fpu(struct pt_vcpu *cpu, uint32_t offset, uint32_t value)
{
	switch (offset) {
	case CPACR: cpu->fpu.cpacr = value & CPACR_FPU; return true;
	case FPCCR: cpu->fpu.fpccr = value & FPCCR_BITS; return true;
	case FPCAR: cpu->fpu.fpcar = value & ~7u; return true;
	case FPDSCR: cpu->fpu.fpdscr = value & FPDSCR_MASK; return true;
	default: return false;
	}
}

bool pt_vcpu_write_system(struct pt_vcpu *cpu, uint32_t offset, uint32_t value)
{
	if (!cpu->model->mainline)
		return false;
	if (cpu->model->fpu && write_fpu(cpu, offset, value))
		return true;
	if (offset == MMFAR || offset == BFAR) {
		*(offset == MMFAR ? &cpu->fault.mmfar : &cpu->fault.bfar) = value;
		return true;
	}
	return pt_cpu_cache_write(cpu, offset, value) || pt_cpu_mpu_write(cpu, offset, value) ||
	       pt_cpu_nvic_write(cpu, offset, value);
}

/* --- the unit */

static uint32_t read_mainline(const struct pt_vcpu *cpu, uint32_t offset)
{
	switch (offset) {
	case ICTR: return cpu->model->n_irqs / 32u - 1;
	case CFSR: return cpu->fault.cfsr;
	case HFSR: return cpu->fault.hfsr;
	default: return 0;
	}
}

static uint32_t read_word(struct pt_vcpu *cpu, uint32_t offset)
{
	uint32_t value;

	if (offset >= SYST && offset < SYST_END)
		return pt_cpu_systick_read(cpu, offset);
	if (pt_cpu_nvic_read(cpu, offset, &value))
		return value;
	switch (offset) {
	case CPUID: return cpu->model->cpuid;
	case ICSR: return read_icsr(cpu);
	case VTOR: return cpu->vtor;
	case AIRCR: return (uint32_t)AIRCR_KEY_READ << 16 | (uint32_t)cpu->priority_group << 8;
	case SCR: return cpu->scr;
	case CCR: return cpu->ccr;
	case SHPR1: case SHPR2: case SHPR3: return pt_cpu_read_priorities(cpu, 4 + (offset - SHPR1));
	case SHCSR: return read_shcsr(cpu);
	default: return cpu->model->mainline ? read_mainline(cpu, offset) : 0;
	}
}

/* SHPR1 to SHPR3: which exceptions have a priority that can be written */
static void write_system_priorities(struct pt_vcpu *cpu, uint32_t offset, uint32_t value)
{
	uint32_t writable = 1 << PT_VEX_SVCALL | 1 << PT_VEX_PENDSV | 1 << PT_VEX_SYSTICK;

	if (cpu->model->mainline)
		writable |=
			1 << PT_VEX_MEMMANAGE | 1 << PT_VEX_BUSFAULT | 1 << PT_VEX_USAGEFAULT | 1 << PT_VEX_DEBUGMON;
	for (unsigned i = 0; i < 4; i++) {
		unsigned exception = 4 + (offset - SHPR1) + i;

		if ((writable >> exception & 1) != 0)
			pt_cpu_write_priority(cpu, exception, (uint8_t)(value >> 8 * i));
	}
	pt_vcore_attend(&cpu->core);
}

static void write_ccr(struct pt_vcpu *cpu, uint32_t value)
{
	uint32_t of_caches = cpu->model->caches ? CCR_BP | (value & CCR_CACHES) : 0;

	pt_cpu_set_ccr(cpu, (value & CCR_MASK_V7) | of_caches);
}

static void write_mainline(struct pt_vcpu *cpu, uint32_t offset, uint32_t value)
{
	switch (offset) {
	case CCR: write_ccr(cpu, value); break;
	case SHCSR: write_shcsr(cpu, value); break;
	case CFSR: cpu->fault.cfsr &= ~value; break;
	case HFSR: cpu->fault.hfsr &= ~value; break;
	}
}

static void write_word(struct pt_vcpu *cpu, uint32_t offset, uint32_t value, enum pt_vmaster master)
{
	if (offset >= SYST && offset < SYST_END)
		pt_cpu_systick_write(cpu, offset, value);
	if (pt_cpu_nvic_write(cpu, offset, value)) {
		pt_vcore_attend(&cpu->core);
		return;
	}
	switch (offset) {
	case ICSR: write_icsr(cpu, value); break;
	case VTOR: cpu->vtor = value & (cpu->model->mainline ? 0xffffff80 : 0xffffff00); break;
	case AIRCR: write_aircr(cpu, value, master); break;
	case SCR: cpu->scr = value & SCR_MASK; break;
	case SHPR1: case SHPR2: case SHPR3: write_system_priorities(cpu, offset, value); break;
	default:
		if (cpu->model->mainline)
			write_mainline(cpu, offset, value);
		break;
	}
}

static uint32_t part(uint32_t value, uint32_t offset, unsigned size_bytes)
{
	value >>= 8 * (offset & 3);
	return size_bytes < 4 ? value & ((UINT32_C(1) << 8 * size_bytes) - 1) : value;
}

static bool scs_read(void *unit, uint32_t offset, const struct pt_vaccess *access, uint32_t *value)
{
	*value = part(read_word(unit, offset & ~3u), offset, access->size_bytes);
	return true;
}

/* The registers of which a byte or halfword can be written. In ARMv6-M there are none. */
static bool has_parts(const struct pt_vcpu *cpu, uint32_t offset)
{
	return cpu->model->mainline && ((offset >= 0x400 && offset < 0x4f0) || (offset >= SHPR1 && offset < SHCSR) ||
					(offset >= CFSR && offset < HFSR));
}

/* A byte of a register whose bits are cleared by 1 leaves the others alone; one of priorities keeps them. */
static uint32_t widened(struct pt_vcpu *cpu, uint32_t offset, unsigned size_bytes, uint32_t value)
{
	uint32_t mask = ((UINT32_C(1) << 8 * size_bytes) - 1) << 8 * (offset & 3);
	uint32_t rest = offset >= CFSR ? 0 : read_word(cpu, offset & ~3u) & ~mask;

	return (value << 8 * (offset & 3) & mask) | rest;
}

static bool scs_write(void *unit, uint32_t offset, const struct pt_vaccess *access, uint32_t value)
{
	struct pt_vcpu *cpu = unit;

	if (access->size_bytes == 4)
		write_word(cpu, offset, value, access->master);
	else if (has_parts(cpu, offset))
		write_word(cpu, offset & ~3u, widened(cpu, offset, access->size_bytes, value), access->master);
	return true;
}

static uint64_t scs_next_tick(void *unit)
{
	return pt_cpu_systick_next(unit);
}

static void scs_tick(void *unit, uint64_t now_cycle)
{
	(void)now_cycle;	/* the core's own count */
	pt_cpu_systick_sync(unit);
}

const struct pt_vunit_ops pt_cpu_scs_ops = {
	.name = "scs", .read = scs_read, .write = scs_write, .next_tick = scs_next_tick, .tick = scs_tick,
};
