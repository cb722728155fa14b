#include "probes/virtual/unit/arm/trace_pin.h"

static void set(struct pt_vtrace_pin *pin, uint32_t control)
{
	struct pt_vtpiu *tpiu = pin->tpiu;

	tpiu->input.advance(tpiu->input.arg, pt_vwires_now(tpiu->wires));
	pin->control = control & PT_VTRACE_PIN_BITS;
	tpiu->unrouted = (control & 0xe0) != PT_VTRACE_PIN_ENABLED;
}

static bool read(void *unit, uint32_t offset, const struct pt_vaccess *access, uint32_t *value)
{
	(void)access;
	*value = offset == PT_VTRACE_PIN_CR ? ((const struct pt_vtrace_pin *)unit)->control : 0;
	return true;
}

static bool write(void *unit, uint32_t offset, const struct pt_vaccess *access, uint32_t value)
{
	(void)access;
	if (offset == PT_VTRACE_PIN_CR)
		set(unit, value);
	return true;
}

static void reset(void *unit, bool power_on)
{
	if (power_on || ((const struct pt_vtrace_pin *)unit)->forgets)
		set(unit, 0);
}

void pt_vtrace_pin_init(struct pt_vtrace_pin *pin, struct pt_vtpiu *tpiu, bool forgets)
{
	*pin = (struct pt_vtrace_pin){ .tpiu = tpiu, .forgets = forgets };
}

const struct pt_vunit_ops pt_vtrace_pin_ops = { .name = "trace pin", .read = read, .write = write, .reset = reset };
