/* See mtb_trigger.h. Comparator 0 starts, comparator 1 stops; a value takes both, the second for its address. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "targets/cortexm/trace/mtb_trigger.h"

/* Source: KL25 RM, 19.32.2. FUNCTION is written first to switch a comparator off, last to switch it on. */
static const uint16_t at[PT_MTB_TRIGGER_REGS] = { 0x20, 0x24, 0x30, 0x34, 0x200, 0x38, 0x28 };
enum { COMP0, MASK0, COMP1, MASK1, TBCTRL, FCT1, FCT0 };
enum { FETCH = 4, READ = 5, WRITE = 6, DATAVMATCH = 1 << 8, DATAVSIZE = 10, DATAVADDR0 = 12, ACOMP0 = 1 };

struct point { uint32_t function, addr, value; unsigned size; bool has_value; };

static int parse_point(const char *key, const char *text, struct point *out, struct pt_err *err)
{
	const char *given = text;
	char *end;

	*out = (struct point){ .function = FETCH, .size = 4 };
	if (strncmp(text, "write:", 6) == 0)
		out->function = WRITE;
	else if (strncmp(text, "read:", 5) == 0)
		out->function = READ;
	text = out->function == FETCH ? text : strchr(text, ':') + 1;
	out->addr = (uint32_t)strtoul(text, &end, 0);
	if (end == text)
		goto wrong;
	if (*end == '/')
		out->size = (unsigned)strtoul(end + 1, &end, 0);
	if (*end == '=') {
		out->has_value = true;
		out->value = (uint32_t)strtoul(end + 1, &end, 0);
	}
	if (*end != '\0' ||
	    (out->has_value && (out->function == FETCH || (out->size != 1 && out->size != 2 && out->size != 4))))
		goto wrong;
	return 0;
wrong:
	return pt_fail(
		err, PT_EARG,
		"%s=%.60s: it is a place in code (a function, FILE:LINE, ADDR), or write:VARIABLE or read:VARIABLE, with "
		"=VALUE for a variable of 1, 2 or 4 bytes",
		key, given);
}

/* The value repeated in all lanes, as the comparator needs it. */
static uint32_t in_all_lanes(const struct point *p)
{
	return p->size == 1   ? (p->value & 0xff) * 0x01010101u
	       : p->size == 2 ? (p->value & 0xffff) * 0x00010001u
			      : p->value;
}

int pt_mtb_trigger_parse(struct pt_mtb_trigger *t, const char *from, const char *to, struct pt_err *err)
{
	struct point start, stop = { .function = 0 };

	*t = (struct pt_mtb_trigger){ .on = from != NULL, .start = PT_UNKNOWN, .stop = PT_UNKNOWN };
	if (from == NULL)
		return to == NULL ? 0
				  : pt_fail(err, PT_EARG, "to=%.60s: where recording begins is missing (from=)", to);
	if (parse_point("from", from, &start, err) < 0 || (to != NULL && parse_point("to", to, &stop, err) < 0))
		return err->code;
	if (stop.has_value || (start.has_value && to != NULL))
		return pt_fail(
			err, PT_EARG,
			"from=, to=: the MTB_DWT has two comparators, and a value takes both: =VALUE works in from= "
			"alone, without to=");
	t->start = start.function == FETCH ? start.addr : PT_UNKNOWN;
	t->stop = stop.function == FETCH ? stop.addr : PT_UNKNOWN;
	t->ours[TBCTRL] = ACOMP0;
	t->ours[COMP0] = start.addr;
	t->ours[FCT0] = start.function;
	t->ours[COMP1] = stop.addr;
	t->ours[FCT1] = stop.function;
	if (!start.has_value)
		return 0;
	t->ours[COMP0] = in_all_lanes(&start);
	t->ours[FCT0] |= DATAVMATCH | (start.size >> 1) << DATAVSIZE | 1u << DATAVADDR0;
	t->ours[COMP1] = start.addr;
	return 0;
}

int pt_mtb_trigger_look(struct pt_mtb_trigger *t, const struct pt_cortexm *cm, bool take, struct pt_err *err)
{
	if (!t->on)
		return 0;
	t->regs = cm->found.unit[PT_UNIT_MTB_DWT];
	if (t->regs == 0)
		return pt_fail(
			err, PT_EUNSUPPORTED,
			"from=, to=: %s has no MTB_DWT, whose comparators start and stop the MTB; without these settings it "
			"records all",
			cm->chip.name);
	for (size_t i = 0; i < PT_MTB_TRIGGER_REGS; i++)
		if (pt_mem_read32(cm->mem, t->regs + at[i], &t->found[i], err) < 0)
			return pt_wrap(err, "read the MTB_DWT");
	if (((t->found[FCT0] | t->found[FCT1]) & 0xf) != 0 && !take)
		return pt_fail(
			err, PT_EBUSY,
			"the MTB_DWT is in use already, by the firmware or another tool; mtb-take=on takes it all the same");
	return 0;
}

/* Off first, on last: a half-written comparator would match anything. */
int pt_mtb_trigger_set(const struct pt_mtb_trigger *t, struct pt_mem *mem, bool ours, struct pt_err *err)
{
	if (!t->on)
		return 0;
	for (size_t i = FCT1; i <= FCT0; i++)
		if (pt_mem_write32(mem, t->regs + at[i], 0, err) < 0)
			return err->code;
	for (size_t i = 0; i < PT_MTB_TRIGGER_REGS; i++)
		if (pt_mem_write32(mem, t->regs + at[i], ours ? t->ours[i] : t->found[i], err) < 0)
			return err->code;
	return 0;
}

size_t pt_mtb_trigger_note(const struct pt_mtb_trigger *t, struct pt_pending_row *row)
{
	for (size_t i = 0; t->on && i < PT_MTB_TRIGGER_REGS; i++)
		row[i] = (struct pt_pending_row){ .at = t->regs + at[i], .was = t->found[i] };
	return t->on ? PT_MTB_TRIGGER_REGS : 0;
}
