/* The system control space up to 0xe000ed2f: NVIC, SysTick and the system control block. Registers are words; writes
 * of other sizes are ignored, reads give the lane. Source: DDI 0419, B3.2 (SCB), B3.4 (NVIC). */
#include <string.h>

#include "probes/virtual/cpu/armv6m/core.h"

enum {
	SYST = 0x010, SYST_END = 0x020,
	ISER = 0x100, ICER = 0x180, ISPR = 0x200, ICPR = 0x280, IPR = 0x400, IPR_END = 0x420,
	CPUID = 0xd00, ICSR = 0xd04, VTOR = 0xd08, AIRCR = 0xd0c, SCR = 0xd10, CCR = 0xd14,
	SHPR2 = 0xd1c, SHPR3 = 0xd20, SHCSR = 0xd24,
};
enum { CPUID_M0PLUS_R0P1 = 0x410cc601, CCR_FIXED = 0x208 };	/* STKALIGN and UNALIGN_TRP are always on */
enum { VTOR_MASK = 0xffffff00, SCR_MASK = 0x16 };
enum { AIRCR_KEY = 0x05fa, AIRCR_KEY_READ = 0xfa05, SYSRESETREQ = 4, VECTCLRACTIVE = 2 };
enum { SVCALLPENDED = 1 << 15 };

#define NMIPENDSET (UINT32_C(1) << 31)
#define PENDSVSET (UINT32_C(1) << 28)
#define PENDSVCLR (UINT32_C(1) << 27)
#define PENDSTSET (UINT32_C(1) << 26)
#define PENDSTCLR (UINT32_C(1) << 25)
#define ISRPENDING (UINT32_C(1) << 22)

#define FIXED_ENABLED (BIT(PT_VEX_NMI) | BIT(PT_VEX_HARDFAULT) | BIT(PT_VEX_SVCALL) | BIT(PT_VEX_PENDSV) | \
		       BIT(PT_VEX_SYSTICK))

void pt_cpu_nvic_reset(struct pt_vcpu *cpu)
{
	cpu->pending = cpu->active = 0;
	cpu->enabled = FIXED_ENABLED;
	memset(cpu->priority, 0, sizeof(cpu->priority));
	cpu->priority[PT_VEX_NMI] = -2;
	cpu->priority[PT_VEX_HARDFAULT] = -1;
	cpu->vtor = cpu->scr = 0;
	cpu->pending = (uint64_t)cpu->level << PT_VEX_IRQ0;
}

static uint32_t irq_bits(uint64_t exceptions)
{
	return (uint32_t)(exceptions >> PT_VEX_IRQ0);
}

/* Four priorities of two bits, at the top of each byte. */
static uint32_t read_priorities(const struct pt_vcpu *cpu, unsigned first)
{
	uint32_t value = 0;

	for (unsigned i = 0; i < 4; i++)
		value |= (uint32_t)(cpu->priority[first + i] & 3) << (8 * i + 6);
	return value;
}

static void write_priorities(struct pt_vcpu *cpu, unsigned first, unsigned n_from, uint32_t value)
{
	for (unsigned i = n_from; i < 4; i++)
		cpu->priority[first + i] = value >> (8 * i + 6) & 3;
}

static uint32_t read_icsr(const struct pt_vcpu *cpu)
{
	uint64_t ready = cpu->pending & cpu->enabled;

	return ((ready & BIT(PT_VEX_NMI)) != 0 ? NMIPENDSET : 0) | ((ready & BIT(PT_VEX_PENDSV)) != 0 ? PENDSVSET : 0) |
	       ((ready & BIT(PT_VEX_SYSTICK)) != 0 ? PENDSTSET : 0) | (irq_bits(cpu->pending) != 0 ? ISRPENDING : 0) |
	       pt_cpu_pick(cpu, ready) << 12 | cpu->ipsr;
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
	if ((value & VECTCLRACTIVE) != 0 && master == PT_VMASTER_DEBUG && cpu->state == PT_VCPU_HALT) {
		cpu->active = 0;
		cpu->ipsr = 0;
	}
}

/* Pending bits that are cleared come back while their line is high. */
static void write_pending(struct pt_vcpu *cpu, uint32_t lines, bool pending)
{
	if (!pending)
		lines &= ~cpu->level;
	for (uint32_t rest = lines; rest != 0; rest &= rest - 1)
		pt_cpu_set_pending(cpu, PT_VEX_IRQ0 + (unsigned)__builtin_ctz(rest), pending);
}

static uint32_t read_word(struct pt_vcpu *cpu, uint32_t offset)
{
	if (offset >= SYST && offset < SYST_END)
		return pt_cpu_systick_read(cpu, offset);
	if (offset >= IPR && offset < IPR_END)
		return read_priorities(cpu, PT_VEX_IRQ0 + (offset - IPR));
	switch (offset) {
	case ISER: case ICER:
		return irq_bits(cpu->enabled);
	case ISPR: case ICPR:
		return irq_bits(cpu->pending);
	case CPUID:
		return CPUID_M0PLUS_R0P1;
	case ICSR:
		return read_icsr(cpu);
	case VTOR:
		return cpu->vtor;
	case AIRCR:
		return (uint32_t)AIRCR_KEY_READ << 16;
	case SCR:
		return cpu->scr;
	case CCR:
		return CCR_FIXED;
	case SHPR2:
		return read_priorities(cpu, 8) & 0xff000000;
	case SHPR3:
		return read_priorities(cpu, 12) & 0xffff0000;
	case SHCSR:
		return (cpu->pending & BIT(PT_VEX_SVCALL)) != 0 ? SVCALLPENDED : 0;
	default:
		return 0;
	}
}

static void write_word(struct pt_vcpu *cpu, uint32_t offset, uint32_t value, enum pt_vmaster master)
{
	if (offset >= SYST && offset < SYST_END)
		pt_cpu_systick_write(cpu, offset, value);
	else if (offset >= IPR && offset < IPR_END)
		write_priorities(cpu, PT_VEX_IRQ0 + (offset - IPR), 0, value);
	switch (offset) {
	case ISER:
		cpu->enabled |= (uint64_t)value << PT_VEX_IRQ0;
		break;
	case ICER:
		cpu->enabled &= ~((uint64_t)value << PT_VEX_IRQ0);
		break;
	case ISPR: case ICPR:
		write_pending(cpu, value, offset == ISPR);
		break;
	case ICSR:
		write_icsr(cpu, value);
		break;
	case VTOR:
		cpu->vtor = value & VTOR_MASK;
		break;
	case AIRCR:
		write_aircr(cpu, value, master);
		break;
	case SCR:
		cpu->scr = value & SCR_MASK;
		break;
	case SHPR2:
		write_priorities(cpu, 8, 3, value);
		break;
	case SHPR3:
		write_priorities(cpu, 12, 2, value);
		break;
	}
}

static bool scs_read(void *unit, uint32_t offset, const struct pt_vaccess *access, uint32_t *value)
{
	unsigned lane = 8 * (offset & 3);

	*value = read_word(unit, offset & ~3u) >> lane;
	if (access->size_bytes < 4)
		*value &= (UINT32_C(1) << (8 * access->size_bytes)) - 1;
	return true;
}

static bool scs_write(void *unit, uint32_t offset, const struct pt_vaccess *access, uint32_t value)
{
	if (access->size_bytes == 4)
		write_word(unit, offset, value, access->master);
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

void pt_vcpu_set_irq(struct pt_vcpu *cpu, unsigned line, bool level)
{
	unsigned exception = PT_VEX_IRQ0 + line;

	if (line >= PT_VCPU_IRQS)
		return;
	cpu->level &= ~(UINT32_C(1) << line);
	if (!level)
		return;
	cpu->level |= UINT32_C(1) << line;
	if ((cpu->active & BIT(exception)) == 0)
		pt_cpu_set_pending(cpu, exception, true);
}

void pt_vcpu_pend_nmi(struct pt_vcpu *cpu)
{
	pt_cpu_set_pending(cpu, PT_VEX_NMI, true);
}
