/* Non-intrusive profiling. Source: UG984 2018.2, Non-Intrusive Profiling. */
#include <stdlib.h>

#include "probes/virtual/unit/amd/mdm_parts.h"

enum { ENABLE = 0x80, DISABLE = 0x40, CYCLES = 0x20, BIN_CONTROL = 0x1f };
#define BIN_MAX ((UINT64_C(1) << 36) - 1)

bool pt_mdm_profile_init(struct pt_vmdm_core *core)
{
	core->profile.n_bins = core->mdm->options.profile_bytes / 4;
	if (core->profile.n_bins == 0)
		return true;
	core->profile.bin = calloc(core->profile.n_bins, sizeof(*core->profile.bin));
	return core->profile.bin != NULL;
}

/* 0: there is no buffer. */
unsigned pt_mdm_pbar_bits(const struct pt_vmdm_core *core)
{
	if (core->profile.n_bins == 0)
		return 0;
	if (core->mdm->options.pbar_bits != 0)
		return core->mdm->options.pbar_bits;
	return (unsigned)__builtin_ctz(core->profile.n_bins);
}

static uint64_t *next_bin(struct pt_vmdm_profile *p)
{
	return &p->bin[p->at++ & (p->n_bins - 1)];	/* behind the last comes the first: UNVERIFIED */
}

uint64_t pt_mdm_profile_read(struct pt_vmdm_core *core)
{
	return core->profile.n_bins > 0 ? *next_bin(&core->profile) : 0;
}

void pt_mdm_profile_write(struct pt_vmdm_core *core, unsigned command, uint64_t value)
{
	struct pt_vmdm_profile *p = &core->profile;

	if (p->n_bins == 0)
		return;
	switch (command) {
	case PT_VMDM_PCTRLR:
		p->control = (uint8_t)value;
		p->on = (value & DISABLE) == 0 && (p->on || (value & ENABLE) != 0);
		break;
	case PT_VMDM_PLAR: p->low = (uint32_t)value; break;
	case PT_VMDM_PHAR: p->high = (uint32_t)value; break;
	case PT_VMDM_PBAR: p->at = (uint32_t)value; break;
	case PT_VMDM_PDWR: *next_bin(p) = (uint32_t)value; break;
	}
}

static uint32_t bin_of(const struct pt_vmdm_core *core, uint32_t word)
{
	const struct pt_vmdm_profile *p = &core->profile;
	unsigned b = p->control & BIN_CONTROL;
	uint32_t bin;

	switch (core->mdm->options.index) {
	case PT_VMDM_SHIFT_THEN_SUB: bin = (word >> b) - (p->low >> b); break;
	case PT_VMDM_SHIFT_AND_MASK: bin = word >> b; break;
	default: bin = (word - p->low) >> b;
	}
	return bin & (p->n_bins - 1);
}

/* An entry to a vector takes cycles, which are those of the instruction before. */
void pt_mdm_profile_retired(struct pt_vmdm_core *core, const struct pt_vmb_retired *what)
{
	struct pt_vmdm_profile *p = &core->profile;
	uint64_t more = (p->control & CYCLES) != 0 ? what->cycles : !what->exception, *bin;

	if (what->pc >> 2 < p->low || what->pc >> 2 > p->high)
		return;
	bin = &p->bin[bin_of(core, what->pc >> 2)];
	*bin += more;
	if (*bin > BIN_MAX)
		*bin = core->mdm->options.bins_wrap ? *bin & BIN_MAX : BIN_MAX;
}
