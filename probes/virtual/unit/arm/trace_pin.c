#include "probes/virtual/unit/arm/trace_pin.h"

static void set_control(struct pt_vtrace_pin *pin, uint32_t control)
{
	pt_vitm_run(pin->itm, pt_vwires_now(pin->itm->wires));
	pin->control = control & PT_VTRACE_PIN_BITS;
	pin->itm->tpiu->unrouted = (control & 0xe0) != PT_VTRACE_PIN_ENABLED;
}

static void set_divider(struct pt_vtrace_pin *pin, uint32_t divider)
{
	pin->divider = divider & 0xff;
	pt_vitm_set_trace_clock(pin->itm, pin->undivided_hz / (pin->divider + 1));
}

static bool read(void *unit, uint32_t offset, const struct pt_vaccess *access, uint32_t *value)
{
	const struct pt_vtrace_pin *pin = unit;

	(void)access;
	*value = offset == PT_VTRACE_PIN_CR ? pin->control : offset == PT_VTRACE_PIN_CLOCK ? pin->divider : 0;
	return true;
}

static bool write(void *unit, uint32_t offset, const struct pt_vaccess *access, uint32_t value)
{
	(void)access;
	if (offset == PT_VTRACE_PIN_CR)
		set_control(unit, value);
	else if (offset == PT_VTRACE_PIN_CLOCK)
		set_divider(unit, value);
	return true;
}

static void reset(void *unit, bool power_on)
{
	struct pt_vtrace_pin *pin = unit;

	set_divider(pin, 0);
	if (power_on || pin->forgets)
		set_control(pin, 0);
}

void pt_vtrace_pin_init(struct pt_vtrace_pin *pin, struct pt_vitm *itm, bool forgets)
{
	*pin = (struct pt_vtrace_pin){ .itm = itm, .forgets = forgets, .undivided_hz = itm->tpiu->trace_hz };
}

const struct pt_vunit_ops pt_vtrace_pin_ops = { .name = "trace pin", .read = read, .write = write, .reset = reset };
