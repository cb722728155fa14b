/* Shifting happens on the rising edge in a Shift state, the one that leaves it included; capture on the edge that
 * leaves Capture; an update on the falling edge in Update, which is here the arrival. Source: IEEE 1149.1, 6.1 and
 * figure 6-3. */
#include "probes/virtual/wire/tap.h"

enum pt_vjtap_state pt_vjtap_next(enum pt_vjtap_state state, bool tms)
{
	static const uint8_t next[16][2] = {	/* TMS 0, TMS 1 */
		[PT_VJTAP_RESET] = { PT_VJTAP_IDLE, PT_VJTAP_RESET },
		[PT_VJTAP_IDLE] = { PT_VJTAP_IDLE, PT_VJTAP_SELECT_DR },
		[PT_VJTAP_SELECT_DR] = { PT_VJTAP_CAPTURE_DR, PT_VJTAP_SELECT_IR },
		[PT_VJTAP_CAPTURE_DR] = { PT_VJTAP_SHIFT_DR, PT_VJTAP_EXIT1_DR },
		[PT_VJTAP_SHIFT_DR] = { PT_VJTAP_SHIFT_DR, PT_VJTAP_EXIT1_DR },
		[PT_VJTAP_EXIT1_DR] = { PT_VJTAP_PAUSE_DR, PT_VJTAP_UPDATE_DR },
		[PT_VJTAP_PAUSE_DR] = { PT_VJTAP_PAUSE_DR, PT_VJTAP_EXIT2_DR },
		[PT_VJTAP_EXIT2_DR] = { PT_VJTAP_SHIFT_DR, PT_VJTAP_UPDATE_DR },
		[PT_VJTAP_UPDATE_DR] = { PT_VJTAP_IDLE, PT_VJTAP_SELECT_DR },
		[PT_VJTAP_SELECT_IR] = { PT_VJTAP_CAPTURE_IR, PT_VJTAP_RESET },
		[PT_VJTAP_CAPTURE_IR] = { PT_VJTAP_SHIFT_IR, PT_VJTAP_EXIT1_IR },
		[PT_VJTAP_SHIFT_IR] = { PT_VJTAP_SHIFT_IR, PT_VJTAP_EXIT1_IR },
		[PT_VJTAP_EXIT1_IR] = { PT_VJTAP_PAUSE_IR, PT_VJTAP_UPDATE_IR },
		[PT_VJTAP_PAUSE_IR] = { PT_VJTAP_PAUSE_IR, PT_VJTAP_EXIT2_IR },
		[PT_VJTAP_EXIT2_IR] = { PT_VJTAP_SHIFT_IR, PT_VJTAP_UPDATE_IR },
		[PT_VJTAP_UPDATE_IR] = { PT_VJTAP_IDLE, PT_VJTAP_SELECT_DR },
	};

	return (enum pt_vjtap_state)next[state][tms];
}

static uint32_t ones(unsigned bits)
{
	return bits >= 32 ? UINT32_MAX : (UINT32_C(1) << bits) - 1;
}

static void load(struct pt_vjtap *tap, unsigned bits, uint64_t value)
{
	tap->reg_bits = bits;
	tap->reg = value;
}

static void capture_dr(struct pt_vjtap *tap)
{
	const struct pt_vdr *row = tap->row;
	uint64_t value = row != NULL && row->capture != NULL ? row->capture(row->arg) : 0;

	if (row != NULL)
		load(tap, row->bits, row->bits > 0 ? value : 0);
	else if (tap->config.has_idcode && tap->ir == tap->config.idcode_ir)
		load(tap, 32, tap->config.idcode);
	else
		load(tap, 1, 0);
}

static void shift(struct pt_vjtap *tap, unsigned tdi)
{
	if (tap->reg_bits == 0)
		tap->row->shift(tap->row->arg, tdi);
	else
		tap->reg = tap->reg >> 1 | (uint64_t)(tdi & 1) << (tap->reg_bits - 1);
}

static void set_ir(struct pt_vjtap *tap, uint32_t ir)
{
	tap->ir = ir;
	tap->row = NULL;
	for (size_t i = 0; ir != ones(tap->config.ir_bits) && i < tap->config.n_rows; i++)
		if (tap->config.rows[i].ir == ir)
			tap->row = &tap->config.rows[i];
}

static void arrive(struct pt_vjtap *tap)
{
	switch (tap->state) {
	case PT_VJTAP_RESET:
		set_ir(tap, tap->config.has_idcode ? tap->config.idcode_ir : ones(tap->config.ir_bits));
		if (tap->config.reset != NULL)
			tap->config.reset(tap->config.arg);
		break;
	case PT_VJTAP_UPDATE_IR:
		set_ir(tap, (uint32_t)tap->reg);
		if (tap->row != NULL && tap->row->selected != NULL)
			tap->row->selected(tap->row->arg);
		break;
	case PT_VJTAP_UPDATE_DR:
		if (tap->row != NULL && tap->row->update != NULL)
			tap->row->update(tap->row->arg, tap->reg);
		break;
	default:
		break;
	}
}

unsigned pt_vjtap_tdo(const struct pt_vjtap *tap)
{
	if (tap->state != PT_VJTAP_SHIFT_DR && tap->state != PT_VJTAP_SHIFT_IR)
		return 1;
	return tap->reg_bits == 0 ? tap->row->tdo(tap->row->arg) & 1 : tap->reg & 1;
}

void pt_vjtap_clock(struct pt_vjtap *tap, bool tms, unsigned tdi)
{
	enum pt_vjtap_state was = tap->state;

	if (was == PT_VJTAP_CAPTURE_DR)
		capture_dr(tap);
	else if (was == PT_VJTAP_CAPTURE_IR)
		load(tap, tap->config.ir_bits, tap->config.ir_capture);
	else if (was == PT_VJTAP_SHIFT_DR || was == PT_VJTAP_SHIFT_IR)
		shift(tap, tdi);
	tap->state = pt_vjtap_next(was, tms);
	if (tap->state != was)
		arrive(tap);
}

void pt_vjtap_reset(struct pt_vjtap *tap)
{
	tap->state = PT_VJTAP_RESET;
	load(tap, 1, 0);
	arrive(tap);
}

void pt_vjtap_init(struct pt_vjtap *tap, const struct pt_vjtap_config *config)
{
	*tap = (struct pt_vjtap){ .config = *config };
	pt_vjtap_reset(tap);
}
