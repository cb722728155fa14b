/* A scan is sync bits, the command, pad bits, and the data; with two scans the first ends behind the command, and the
 * second begins with the pad bits. The register is captured when its data begin. */
#include "probes/virtual/wire/mdm_dr.h"

static unsigned data_from(const struct pt_vmdm_dr *dr)
{
	const struct pt_vmdm_framing *f = &dr->framing;

	return f->pad_bits + (f->one_scan ? f->sync_bits + f->cmd_bits : 0u);
}

static bool takes_command(const struct pt_vmdm_dr *dr)
{
	return dr->framing.one_scan || !dr->data;
}

static bool takes_data(const struct pt_vmdm_dr *dr)
{
	return dr->framing.one_scan || dr->data;
}

/* A register is the MDM's own or a core's by its command: the numbers differ. */
static void load(struct pt_vmdm_dr *dr)
{
	bool own = pt_vmdm_own_bits(dr->mdm, dr->command) > 0;

	dr->reg_bits = own ? pt_vmdm_own_bits(dr->mdm, dr->command) : pt_vmdm_bits(dr->mdm, dr->command);
	dr->reg = dr->reg_bits > 0 ? pt_vmdm_read(dr->mdm, own, dr->command, dr->reg_bits) : 0;
	dr->n_reg = 0;
}

static uint64_t capture(void *arg)
{
	struct pt_vmdm_dr *dr = arg;

	dr->n = 0;
	dr->value = 0;
	dr->reg_bits = 0;
	if (takes_data(dr) && !takes_command(dr) && data_from(dr) == 0)
		load(dr);
	return 0;
}

static void take_command_bit(struct pt_vmdm_dr *dr, unsigned tdi)
{
	unsigned at = dr->n - dr->framing.sync_bits;

	if (dr->framing.cmd_msb)
		dr->value = dr->value << 1 | tdi;
	else
		dr->value |= (uint64_t)tdi << at;
	if (at + 1 == dr->framing.cmd_bits)
		dr->command = (uint8_t)dr->value;
}

static void take_data_bit(struct pt_vmdm_dr *dr, unsigned tdi)
{
	uint64_t top = UINT64_C(1) << (dr->reg_bits - 1);

	if (dr->framing.data_msb)
		dr->reg = ((dr->reg << 1) & (top | (top - 1))) | tdi;
	else
		dr->reg = dr->reg >> 1 | (tdi != 0 ? top : 0);
	dr->n_reg++;
}

static void shift(void *arg, unsigned tdi)
{
	struct pt_vmdm_dr *dr = arg;
	unsigned sync = dr->framing.sync_bits;

	if (takes_command(dr) && dr->n >= sync && dr->n < sync + dr->framing.cmd_bits)
		take_command_bit(dr, tdi);
	else if (takes_data(dr) && dr->n >= data_from(dr) && dr->reg_bits > 0)
		take_data_bit(dr, tdi);
	dr->n++;
	if (takes_data(dr) && dr->n == data_from(dr))
		load(dr);
}

static unsigned tdo(void *arg)
{
	const struct pt_vmdm_dr *dr = arg;

	if (dr->framing.ones)
		return 1;
	if (!takes_data(dr) || dr->reg_bits == 0 || dr->n < data_from(dr))
		return 0;
	return (unsigned)(dr->framing.data_msb ? dr->reg >> (dr->reg_bits - 1) & 1 : dr->reg & 1);
}

static void update(void *arg, uint64_t value)
{
	struct pt_vmdm_dr *dr = arg;
	bool own = pt_vmdm_own_bits(dr->mdm, dr->command) > 0;

	(void)value;
	if (takes_data(dr) && dr->reg_bits > 0 && dr->n_reg > 0)
		pt_vmdm_write(dr->mdm, own, dr->command, dr->reg_bits, dr->reg);
	dr->data = !dr->data && dr->n >= (unsigned)dr->framing.sync_bits + dr->framing.cmd_bits;
}

void pt_vmdm_dr_reset(void *arg)
{
	((struct pt_vmdm_dr *)arg)->data = false;
}

struct pt_vdr pt_vmdm_dr_row(struct pt_vmdm_dr *dr, uint32_t ir)
{
	return (struct pt_vdr){ .ir = ir, .arg = dr, .capture = capture, .update = update, .tdo = tdo, .shift = shift,
				.selected = pt_vmdm_dr_reset };
}
