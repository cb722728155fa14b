/* A comparator takes no time while it is off: the observer has only the calls that a FUNCTION needs. */
#include "probes/virtual/unit/arm/coresight.h"
#include "probes/virtual/unit/arm/mtb_dwt.h"

#define CTRL_RESET UINT32_C(0x2f000000)		/* two comparators, configuration 0xf000000 */
#define TBCTRL_NUMCOMP (UINT32_C(2) << 28)

/* Kinetis puts it down as a Freescale part of its own (facts of discovery, DEVTYPE 04). */
static const struct pt_vcoresight ids = { .devtype = 0x04, .pidr4 = 0x00, .part = 0x000, .jep106 = 0x0e, .class = 9 };

static const uint32_t writable[2] = {
	PT_VCMP_FUNCTION | PT_VCMP_DATAVMATCH | 3u << PT_VCMP_DATAVSIZE_SHIFT | 0xfu << PT_VCMP_DATAVADDR0_SHIFT,
	PT_VCMP_FUNCTION,
};

static void fire(struct pt_vmtb_dwt *dwt, unsigned n)
{
	dwt->comparator[n].matched = true;
	dwt->fire(dwt->arg, (dwt->tbctrl >> n & 1) != 0);
}

static void on_insn(void *arg, uint32_t pc)
{
	struct pt_vmtb_dwt *dwt = arg;

	for (unsigned n = 0; n < PT_LEN(dwt->comparator); n++)
		if (pt_vcomparator_fetch(&dwt->comparator[n], pc))
			fire(dwt, n);
}

/* Any unit of DATAVSIZE in the access whose lane of COMP0 holds the same: the reference is repeated over all lanes, as
 * in v7-M (UNVERIFIED for this unit). */
static bool value_matches(const struct pt_vcomparator *c, uint32_t addr, unsigned size_bytes, uint32_t value)
{
	unsigned unit = 1u << (c->function >> PT_VCMP_DATAVSIZE_SHIFT & 3);
	uint32_t mask = unit >= 4 ? UINT32_MAX : (UINT32_C(1) << unit * 8) - 1;

	for (unsigned i = 0; unit <= 4 && i + unit <= size_bytes; i += unit)
		if (((value >> i * 8 ^ c->comp >> ((addr + i) & 3) * 8) & mask) == 0)
			return true;
	return false;
}

/* DATAVADDR0 = 1: the access must also be where comparator 1 looks. */
static bool linked_address(const struct pt_vmtb_dwt *dwt, uint32_t addr, unsigned size_bytes)
{
	bool linked = (dwt->comparator[0].function >> PT_VCMP_DATAVADDR0_SHIFT & 0xf) == 1;

	return !linked || pt_vcomparator_covers(&dwt->comparator[1], addr, size_bytes);
}

static void on_data(void *arg, uint32_t addr, unsigned size_bytes, bool write, uint32_t value, uint32_t pc)
{
	struct pt_vmtb_dwt *dwt = arg;
	struct pt_vcomparator *first = &dwt->comparator[0];
	bool by_value = (first->function & PT_VCMP_DATAVMATCH) != 0;

	(void)pc;
	if (by_value && pt_vcomparator_wants(first, write) && value_matches(first, addr, size_bytes, value) &&
	    linked_address(dwt, addr, size_bytes))
		fire(dwt, 0);
	if (!by_value && pt_vcomparator_access(first, addr, size_bytes, write))
		fire(dwt, 0);
	if (pt_vcomparator_access(&dwt->comparator[1], addr, size_bytes, write))
		fire(dwt, 1);
}

static void listen(struct pt_vmtb_dwt *dwt)
{
	bool fetch = false, data = false;

	for (unsigned n = 0; n < PT_LEN(dwt->comparator); n++) {
		fetch = fetch || pt_vcomparator_function(&dwt->comparator[n]) == PT_VCMP_FETCH;
		data = data || pt_vcomparator_is_data(&dwt->comparator[n]);
	}
	dwt->observer.insn = fetch ? on_insn : NULL;
	dwt->observer.data = data ? on_data : NULL;
	pt_vwires_taps_changed(dwt->wires);
}

static bool read(void *unit, uint32_t offset, const struct pt_vaccess *access, uint32_t *value)
{
	struct pt_vmtb_dwt *dwt = unit;
	uint32_t n = (offset - PT_VMTB_DWT_COMP0) / 16;

	*value = 0;
	if (access->size_bytes != 4)
		return true;
	if (offset == PT_VMTB_DWT_CTRL)
		*value = CTRL_RESET;
	else if (offset == PT_VMTB_DWT_TBCTRL)
		*value = dwt->tbctrl | TBCTRL_NUMCOMP;
	else if (n < PT_LEN(dwt->comparator))
		*value = pt_vcomparator_read(&dwt->comparator[n], offset & 0xf);
	else
		*value = pt_vcoresight_read(&ids, offset);
	return true;
}

static bool write(void *unit, uint32_t offset, const struct pt_vaccess *access, uint32_t value)
{
	struct pt_vmtb_dwt *dwt = unit;
	uint32_t n = (offset - PT_VMTB_DWT_COMP0) / 16;

	if (access->size_bytes != 4)
		return true;
	if (offset == PT_VMTB_DWT_TBCTRL)
		dwt->tbctrl = value & 3;
	else if (n < PT_LEN(dwt->comparator))
		pt_vcomparator_write(&dwt->comparator[n], offset & 0xf, value, writable[n]);
	listen(dwt);
	return true;
}

static void reset(void *unit, bool power_on)
{
	struct pt_vmtb_dwt *dwt = unit;

	(void)power_on;
	for (unsigned n = 0; n < PT_LEN(dwt->comparator); n++)
		dwt->comparator[n] = (struct pt_vcomparator){ 0 };
	dwt->tbctrl = 0;
	listen(dwt);
}

void pt_vmtb_dwt_init(struct pt_vmtb_dwt *dwt, const struct pt_vwires *wires, void (*on_match)(void *arg, bool start),
		      void *arg)
{
	*dwt = (struct pt_vmtb_dwt){ .wires = wires, .fire = on_match, .arg = arg, .observer = { .arg = dwt } };
}

const struct pt_vunit_ops pt_vmtb_dwt_ops = { .name = "MTB_DWT", .read = read, .write = write, .reset = reset };
