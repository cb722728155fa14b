#include "probes/virtual/wire/jtag_pins.h"

/* Whoever looks into the chip, or does something to it, finds it at the present time. */
static bool reaches_board(enum pt_vjtap_state state)
{
	return state == PT_VJTAP_CAPTURE_DR || state == PT_VJTAP_EXIT1_DR || state == PT_VJTAP_EXIT2_DR;
}

static bool any_reaches_board(const struct pt_vjtag *jtag)
{
	bool any = false;

	for (size_t i = 0; i < jtag->n_taps; i++)
		any |= reaches_board(jtag->tap[i]->state);
	return any;
}

static bool on_jtag(const struct pt_vjtag *jtag)
{
	return jtag->n_taps > 0 && (jtag->port == NULL || (jtag->port->powered && !jtag->port->swd));
}

unsigned pt_vjtag_tdo(const struct pt_vjtag *jtag)
{
	return on_jtag(jtag) ? pt_vjtap_tdo(jtag->tap[0]) : 1;
}

unsigned pt_vjtag_clock(struct pt_vjtag *jtag, bool tms, unsigned tdi)
{
	unsigned level = tdi;

	jtag->clock->clocks++;
	if (jtag->port != NULL)
		pt_vdp_clock(jtag->port, true, tms);
	if (!on_jtag(jtag))
		return 1;
	if (any_reaches_board(jtag))
		pt_vpace_to(jtag->pace, pt_vclock_now_ns(jtag->clock));
	for (size_t i = jtag->n_taps; i-- > 0;) { /* from TDI to TDO */
		unsigned tdo = pt_vjtap_tdo(jtag->tap[i]);

		if (!jtag->trst)
			pt_vjtap_clock(jtag->tap[i], tms, level);
		level = tdo;
	}
	return level;
}

void pt_vjtag_set_reset(struct pt_vjtag *jtag, bool trst, bool srst)
{
	for (size_t i = 0; trst && !jtag->trst && i < jtag->n_taps; i++)
		pt_vjtap_reset(jtag->tap[i]);
	jtag->trst = trst;
	if (srst == jtag->srst)
		return;
	jtag->srst = srst;
	pt_vpace_to(jtag->pace, pt_vclock_now_ns(jtag->clock));
	jtag->pace->ops->set_nreset(jtag->pace->board, srst);
}

void pt_vjtag_init(struct pt_vjtag *jtag, struct pt_vpace *pace, struct pt_vclock *clock, struct pt_vdp *port)
{
	struct pt_vjtap *const *taps = NULL;
	size_t n = 0;

	*jtag = (struct pt_vjtag){ .pace = pace, .clock = clock };
	if (pace->ops->taps != NULL)
		taps = pace->ops->taps(pace->board, &n);
	for (size_t i = 0; i < n && i < PT_VJTAG_MAX_TAPS; i++)
		jtag->tap[jtag->n_taps++] = taps[i];
	if (jtag->n_taps > 0 || port == NULL || pace->ops->dpidr == NULL)
		return;
	jtag->port = port;
	pt_vjtag_dp_init(&jtag->dp, port);
	jtag->tap[jtag->n_taps++] = &jtag->dp.tap;
}
