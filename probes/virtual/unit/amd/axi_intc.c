/* ISR & IER, enabled by MER, is the output. Source: PG099, "Register Space". */
#include "probes/virtual/unit/amd/axi_intc.h"

enum { ISR = 0x00, IPR = 0x04, IER = 0x08, IAR = 0x0c, SIE = 0x10, CIE = 0x14, IVR = 0x18, MER = 0x1c };
enum { ME = 1, HIE = 2 };

static void drive(struct pt_vaxi_intc *intc)
{
	bool out;

	if ((intc->mer & HIE) != 0)
		intc->isr |= intc->inputs & ~intc->edges;
	out = (intc->mer & ME) != 0 && (intc->isr & intc->ier) != 0;
	if (out == intc->out)
		return;
	intc->out = out;
	intc->output(intc->arg, out);
}

void pt_vaxi_intc_input(struct pt_vaxi_intc *intc, unsigned line, bool level)
{
	uint32_t bit = UINT32_C(1) << line, rises = level ? bit & ~intc->inputs : 0;

	intc->inputs = level ? intc->inputs | bit : intc->inputs & ~bit;
	if ((intc->mer & HIE) != 0)
		intc->isr |= rises;
	drive(intc);
}

static bool read(void *unit, uint32_t offset, const struct pt_vaccess *access, uint32_t *value)
{
	const struct pt_vaxi_intc *intc = unit;
	uint32_t pending = intc->isr & intc->ier;

	*value = 0;
	switch (offset & ~3u) {
	case ISR: *value = intc->isr; break;
	case IPR: *value = pending; break;
	case IER: *value = intc->ier; break;
	case IVR: *value = pending != 0 ? (uint32_t)__builtin_ctz(pending) : UINT32_MAX; break;
	case MER: *value = intc->mer; break;
	}
	return access->size_bytes == 4;
}

static bool write(void *unit, uint32_t offset, const struct pt_vaccess *access, uint32_t value)
{
	struct pt_vaxi_intc *intc = unit;

	switch (offset & ~3u) {
	case ISR: intc->isr |= (intc->mer & HIE) == 0 ? value : 0; break;	/* software's, until HIE */
	case IER: intc->ier = value; break;
	case IAR: intc->isr &= ~value; break;
	case SIE: intc->ier |= value; break;
	case CIE: intc->ier &= ~value; break;
	case MER: intc->mer = (value & (ME | HIE)) | (intc->mer & HIE); break;
	}
	drive(intc);
	return access->size_bytes == 4;
}

static void reset(void *unit, bool power_on)
{
	struct pt_vaxi_intc *intc = unit;

	(void)power_on;
	intc->isr = intc->ier = intc->mer = 0;
	drive(intc);
}

const struct pt_vunit_ops pt_vaxi_intc_ops = {
	.name = "AXI INTC", .read = read, .write = write, .reset = reset, .reads_are_quiet = true,
};
