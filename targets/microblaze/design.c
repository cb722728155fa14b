/* Reads the design's parameters from the settings. See microblaze.h. */
#include <stdlib.h>
#include <string.h>

#include "targets/microblaze/microblaze.h"

static bool says(const struct pt_params *settings, enum pt_mb_setting row, const char *what)
{
	return strcmp(pt_params_text(settings, &pt_mb_settings[row]), what) == 0;
}

static uint64_t number(const struct pt_params *settings, enum pt_mb_setting row)
{
	return pt_params_number(settings, &pt_mb_settings[row]);
}

int pt_mb_read_settings(struct pt_mb *mb, const struct pt_params *settings, struct pt_err *err)
{
	const char *core = pt_params_text(settings, &pt_mb_settings[PT_MDM_CORE]);
	uint64_t bits = number(settings, PT_MB_PERF_WIDTH);
	char *end;

	mb->design = (struct pt_mb_design){
		.addr_bits = (unsigned)number(settings, PT_MB_ADDR_SIZE),
		.prof_bytes = (uint32_t)number(settings, PT_MB_PROF_SIZE),
		.pbar_bits = (unsigned)number(settings, PT_MB_PROF_PBAR),
		.index = says(settings, PT_MB_PROF_INDEX, "shift_mask")	      ? PT_MB_SHIFT_MASK
			 : says(settings, PT_MB_PROF_INDEX, "shift_then_sub") ? PT_MB_SHIFT_THEN_SUB
									      : PT_MB_SUB_THEN_SHIFT,
		.n_events = (unsigned)number(settings, PT_MB_PERF_EVENTS),
		.n_latencies = (unsigned)number(settings, PT_MB_PERF_LATENCY),
		.counter_bits = (unsigned)bits,
		.lat64 = says(settings, PT_MB_PERF_LAT64, "halves"),
		.check_counters = pt_params_flag(settings, &pt_mb_settings[PT_MB_PERF_CHECK]),
		.trace_bytes = (uint32_t)number(settings, PT_MB_TRACE_SIZE),
		.trace_external = pt_params_flag(settings, &pt_mb_settings[PT_MB_TRACE_EXTERNAL]),
		.short_lower_first = says(settings, PT_MB_TRACE_ORDER, "lower_first"),
		.hz = number(settings, pt_params_given(settings, &pt_mb_settings[PT_MB_FREQ]) ? PT_MB_FREQ
											: PT_MB_CORE_CLOCK),
	};
	mb->step_through = says(settings, PT_MB_STEP, "through");
	mb->core = (unsigned)strtoul(core, &end, 10);
	if (bits != 32 && bits != 48 && bits != 64)
		return pt_fail(err, PT_EARG, "mb.perf.width=%u: C_DEBUG_COUNTER_WIDTH is 32, 48 or 64", (unsigned)bits);
	if (end == core || *end != '\0' || mb->core >= PT_MDM_MOST_CORES)
		return pt_fail(err, PT_EARG, "mdm.core=%.20s is no number of a core, 0 to 31", core);
	return 0;
}

int pt_mb_cross_trigger(struct pt_mb *mb, unsigned select, uint8_t mask, bool all_of_them, unsigned output,
			struct pt_err *err)
{
	uint32_t value = (uint32_t)select << 12 | (uint32_t)all_of_them << 3 | output;

	for (unsigned input = 0; input < 8; input++) /* bit 11 is input 0, bit 4 is input 7 */
		value |= (uint32_t)(mask >> input & 1) << (11 - input);
	mb->written.xtrig = value;
	mb->written.cross = mask != 0;
	if (pt_mdm_put(&mb->mdm, true, MDM_XTRIG_CTRL, MDM_XTRIG_CTRL_BITS, value, err) < 0)
		return pt_wrap(err, "set Cross Trigger Control");
	return 0;
}
