/* Followed variables: a comparator of the DWT each, which sends the value of each write, and the pc of the write if
 * requested. Watchpoints use the same comparators: the first user keeps one until it is done. ARMv8-M has no MASK: a
 * comparator covers a byte, a halfword or a word. Source: Arm DDI 0403, C1.8.17 (FUNCTION, data trace); DDI 0553,
 * DWT_FUNCTION<n>. */
#include <inttypes.h>
#include <stdio.h>

#include "targets/cortexm/swo/swo.h"

enum { VALUE_ON_WRITE = 0xd, PC_AND_VALUE_ON_WRITE = 0xf, EMITRANGE = 1 << 5, WORD = 4, MOST_MASK = 15 };
enum { FUNCTION_SETTINGS = 0xff1fff & ~(1 << 9), FUNCTION_CHECKED = 0x2f };
/* ARMv8-M: MATCH, an address with its value; ACTION, which of the two goes out; DATAVSIZE. */
enum { WRITE_WITH_VALUE = 0xd, ACTION = 4, SEND_VALUE = 2, SEND_PC_AND_VALUE = 3, DATAVSIZE = 10, FUNCTION_SETTINGS_V8 = 0xc3f };

static const char owner[] = "profile";

static bool is_wanted(const struct pt_swo *s, const struct pt_source_place *place)
{
	return !place->spare && (s->kinds & (place->task ? PT_SWO_TASK : PT_SWO_DATA)) != 0;
}

/* A comparator ignores the lowest address bits: returns the smallest range that contains the variable. */
static uint32_t mask_of(const struct pt_source_place *place)
{
	uint32_t mask = 0;

	while (mask < MOST_MASK && (place->addr >> mask) != ((place->addr + place->size_bytes - 1) >> mask))
		mask++;
	return mask;
}

/* For more than a word the packet must contain the offset that was written; then it cannot contain the pc. */
static uint32_t function_of(const struct pt_swo *s, const struct pt_source_place *place)
{
	if (place->size_bytes > WORD)
		return PC_AND_VALUE_ON_WRITE | EMITRANGE;
	return s->data_pc ? PC_AND_VALUE_ON_WRITE : VALUE_ON_WRITE;
}

/* Naturally aligned, so that one comparator covers it. */
static bool fits_v8(const struct pt_source_place *place)
{
	return place->size_bytes <= WORD && (place->size_bytes & (place->size_bytes - 1)) == 0 &&
	       place->addr % place->size_bytes == 0;
}

static uint32_t function_v8(const struct pt_swo *s, const struct pt_source_place *place)
{
	return WRITE_WITH_VALUE | (s->data_pc ? SEND_PC_AND_VALUE : SEND_VALUE) << ACTION |
	       place->size_bytes >> 1 << DATAVSIZE;
}

static void plan_comparator(struct pt_swo *s, unsigned i, const struct pt_source_place *place)
{
	static const char *const names[][3] = {
		{ "DWT_COMP0", "DWT_MASK0", "DWT_FUNCTION0" }, { "DWT_COMP1", "DWT_MASK1", "DWT_FUNCTION1" },
		{ "DWT_COMP2", "DWT_MASK2", "DWT_FUNCTION2" }, { "DWT_COMP3", "DWT_MASK3", "DWT_FUNCTION3" },
	};
	uint32_t at = s->cm->found.unit[PT_UNIT_DWT] + DWT_STRIDE * i;
	bool v8 = pt_cortexm_is_v8(&s->cm->chip);

	pt_swo_regs_add(&s->regs, &(struct pt_swo_reg){ .name = names[i][0],
							.at = at + DWT_COMP,
							.clear = UINT32_MAX,
							.set = (uint32_t)place->addr,
							.check = UINT32_MAX });
	if (!v8)
		pt_swo_regs_add(&s->regs, &(struct pt_swo_reg){ .name = names[i][1],
								.at = at + DWT_MASK,
								.clear = UINT32_MAX,
								.set = mask_of(place),
								.check = UINT32_MAX });
	pt_swo_regs_add(&s->regs, &(struct pt_swo_reg){ .name = names[i][2],
							.at = at + DWT_FUNCTION,
							.clear = v8 ? FUNCTION_SETTINGS_V8 : FUNCTION_SETTINGS,
							.set = v8 ? function_v8(s, place) : function_of(s, place),
							.check = v8 ? FUNCTION_SETTINGS_V8 : FUNCTION_CHECKED,
							.sends = true,
							.ignore = DWT_MATCHED });
}

/* The next comparator that neither a watchpoint nor this source uses; -1: none. */
static int take_comparator(struct pt_swo *s)
{
	char unit[PT_PENDING_UNIT];
	struct pt_err ignored = { 0 };

	for (unsigned i = 0; i < s->cm->breaks.n_dwt; i++) {
		if (s->follows[i].size_bytes != 0 || s->cm->breaks.dwt[i].used ||
		    pt_lease_take(s->cm->target, pt_cortexm_unit(s->cm, unit, "dwt.%u", i), owner, &ignored) < 0)
			continue;
		return (int)i;
	}
	return -1;
}

static int count_wanted(const struct pt_swo *s)
{
	int n = 0;

	for (size_t k = 0; k < s->setup.n_places; k++)
		n += is_wanted(s, &s->setup.places[k]);
	return n;
}

int pt_swo_take_places(struct pt_swo *s, struct pt_err *err)
{
	int wanted = count_wanted(s), taken = 0;

	if (wanted == 0 && (s->kinds & (PT_SWO_DATA | PT_SWO_TASK)) != 0 && s->named)
		return pt_fail(err, PT_EARG,
			       (s->kinds & PT_SWO_DATA) != 0 ? "trace=data: variables=NAME,... says which to follow"
							     : "trace=task: no variable says which task runs (orti=)");
	for (size_t k = 0; k < s->setup.n_places; k++) {
		const struct pt_source_place *place = &s->setup.places[k];
		int i;

		if (!is_wanted(s, place))
			continue;
		if (pt_cortexm_is_v8(&s->cm->chip) && !fits_v8(place))
			return pt_fail(
				err, PT_EUNSUPPORTED,
				"the %" PRIu32 " bytes at 0x%" PRIx64
				" cannot be followed: a comparator of %s covers 1, 2 or 4 bytes at a multiple of that",
				place->size_bytes, place->addr, s->cm->chip.core);
		i = take_comparator(s);
		if (i < 0)
			return pt_fail(
				err, PT_EBUSY,
				"%d variables are to be followed, and %d of the core's %u comparators are free: name fewer "
				"(variables=), or delete watchpoints",
				wanted, taken, s->cm->breaks.n_dwt);
		s->follows[i] = *place;
		taken++;
	}
	return 0;
}

void pt_swo_plan_places(struct pt_swo *s)
{
	for (unsigned i = 0; i < PT_MAX_DWT; i++)
		if (s->follows[i].size_bytes != 0)
			plan_comparator(s, i, &s->follows[i]);
}

void pt_swo_drop_places(struct pt_swo *s)
{
	char unit[PT_PENDING_UNIT];

	for (unsigned i = 0; i < PT_MAX_DWT; i++) {
		if (s->follows[i].size_bytes != 0)
			pt_lease_drop(s->cm->target, pt_cortexm_unit(s->cm, unit, "dwt.%u", i), owner);
		s->follows[i].size_bytes = 0;
	}
}

size_t pt_swo_print_places(const struct pt_swo *s, char *lines, size_t room)
{
	size_t at = 0;

	lines[0] = '\0';
	for (unsigned i = 0; i < PT_MAX_DWT && at < room; i++)
		if (s->follows[i].size_bytes != 0)
			at += (size_t)snprintf(lines + at, room - at, "address.%u=0x%" PRIx64 "\n", i,
					       s->follows[i].addr);
	return at;
}
