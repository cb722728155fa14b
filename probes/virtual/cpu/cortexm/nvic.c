/* The interrupt controller's registers, 0x100..0x4ff and STIR, and the lines of the chip. Registers are words.
 * Source: DDI 0419, B3.4; DDI 0403, B3.4. */
#include <string.h>

#include "probes/virtual/cpu/cortexm/core.h"

enum { ISER = 0x100, ICER = 0x180, ISPR = 0x200, ICPR = 0x280, IABR = 0x300, IABR_END = 0x380, IPR = 0x400 };
enum { IPR_END = IPR + PT_VCPU_IRQS, ARRAY_MASK = 0x7f, STIR = 0xf00 };

void pt_cpu_nvic_reset(struct pt_vcpu *cpu)
{
	static const struct pt_vset fixed = { { 1 << PT_VEX_NMI | 1 << PT_VEX_HARDFAULT | 1 << PT_VEX_SVCALL |
						1 << PT_VEX_PENDSV | 1 << PT_VEX_SYSTICK } };

	cpu->pending = cpu->level;
	cpu->active = (struct pt_vset){ 0 };
	cpu->enabled = fixed;
	memset(cpu->priority, 0, sizeof(cpu->priority));
	cpu->priority[PT_VEX_NMI] = -2;
	cpu->priority[PT_VEX_HARDFAULT] = -1;
}

uint32_t pt_cpu_read_priorities(const struct pt_vcpu *cpu, unsigned first)
{
	uint32_t value = 0;

	for (unsigned i = 0; i < 4; i++)
		value |= (uint32_t)(cpu->priority[first + i] & 0xff) << (8 * i);
	return value;
}

void pt_cpu_write_priority(struct pt_vcpu *cpu, unsigned exception, uint8_t value)
{
	cpu->priority[exception] = value & (uint8_t)(0xff00 >> cpu->model->priority_bits);
}

/* Pending bits that are cleared come back while their line is high. */
static void write_pending(struct pt_vcpu *cpu, unsigned exception, bool pending)
{
	if (pending || !pt_vset_has(&cpu->level, exception))
		pt_cpu_set_pending(cpu, exception, pending);
}

/* One bit written 1 in one of the arrays. */
static void write_bit(struct pt_vcpu *cpu, uint32_t array, unsigned exception)
{
	switch (array) {
	case ISER: case ICER:
		pt_vset_put(&cpu->enabled, exception, array == ISER);
		break;
	case ISPR: case ICPR:
		write_pending(cpu, exception, array == ISPR);
		break;
	}
}

bool pt_cpu_nvic_read(struct pt_vcpu *cpu, uint32_t offset, uint32_t *value)
{
	unsigned first = PT_VEX_IRQ0 + 8 * (offset & ARRAY_MASK);

	*value = 0;
	if (offset >= IPR && offset < IPR_END) {
		if (offset - IPR < cpu->model->n_irqs)
			*value = pt_cpu_read_priorities(cpu, PT_VEX_IRQ0 + (offset - IPR));
		return true;
	}
	if (offset < ISER || offset >= IABR_END)
		return false;
	if (first >= PT_VEX_IRQ0 + (unsigned)cpu->model->n_irqs)
		return true;
	switch (offset & ~(uint32_t)ARRAY_MASK) {
	case ISER: case ICER:
		*value = pt_vset_bits(&cpu->enabled, first);
		break;
	case ISPR: case ICPR:
		*value = pt_vset_bits(&cpu->pending, first);
		break;
	case IABR:
		*value = cpu->model->mainline ? pt_vset_bits(&cpu->active, first) : 0;
		break;
	}
	return true;
}

static void write_priorities(struct pt_vcpu *cpu, unsigned first_irq, uint32_t value)
{
	for (unsigned i = 0; i < 4 && first_irq + i < cpu->model->n_irqs; i++)
		pt_cpu_write_priority(cpu, PT_VEX_IRQ0 + first_irq + i, (uint8_t)(value >> 8 * i));
}

bool pt_cpu_nvic_write(struct pt_vcpu *cpu, uint32_t offset, uint32_t value)
{
	unsigned first_irq = 8 * (offset & ARRAY_MASK);

	if (offset == STIR && cpu->model->mainline) {
		if ((value & 0x1ff) < cpu->model->n_irqs)
			write_pending(cpu, PT_VEX_IRQ0 + (value & 0x1ff), true);
		return true;
	}
	if (offset >= IPR && offset < IPR_END) {
		write_priorities(cpu, offset - IPR, value);
		return true;
	}
	if (offset < ISER || offset >= IABR_END)
		return false;
	for (uint32_t rest = first_irq < cpu->model->n_irqs ? value : 0; rest != 0; rest &= rest - 1)
		write_bit(cpu, offset & ~(uint32_t)ARRAY_MASK, PT_VEX_IRQ0 + first_irq + (unsigned)__builtin_ctz(rest));
	return true;
}

void pt_vcpu_set_irq(struct pt_vcpu *cpu, unsigned line, bool level)
{
	unsigned exception = PT_VEX_IRQ0 + line;

	if (line >= cpu->model->n_irqs)
		return;
	pt_vset_put(&cpu->level, exception, level);
	if (level && !pt_vset_has(&cpu->active, exception))
		pt_cpu_set_pending(cpu, exception, true);
}

void pt_vcpu_pend_nmi(struct pt_vcpu *cpu)
{
	pt_cpu_set_pending(cpu, PT_VEX_NMI, true);
}
