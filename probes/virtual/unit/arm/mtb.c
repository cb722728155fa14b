/* The state is POSITION, MASTER, FLOW and the AUTOSTOP latch. Every packet goes through packet(), every change of EN
 * through enable(), every comparison with WATERMARK through compare(): the rules are in these three. */
#include "probes/virtual/unit/arm/coresight.h"
#include "probes/virtual/unit/arm/mtb.h"
#include "base/util.h"

static const struct pt_vcoresight ids = {
	.authstatus = 0x0000000b, .devarch = 0x47700a31, .devtype = 0x31, .pidr4 = 0x04, .part = 0x932, .jep106 = 0x3b,
	.revision = 1, .class = 9,
};

/* All POINTER bits that exist. */
static uint32_t pointer_bits(const struct pt_vmtb *mtb)
{
	return (uint32_t)((UINT64_C(1) << mtb->config.awidth) - 1) & PT_VMTB_POINTER;
}

/* A MASK above the largest acts as the largest. */
static uint32_t window_bytes(const struct pt_vmtb *mtb)
{
	unsigned bits = (mtb->master & PT_VMTB_MASK) + 4;

	/* 4 GiB come out as 0, with which the masks of advance() are right */
	return bits >= mtb->config.awidth ? pointer_bits(mtb) + 8 : UINT32_C(1) << bits;
}

uint32_t pt_vmtb_address(const struct pt_vmtb *mtb, uint32_t pointer)
{
	uint32_t wrap = (uint32_t)((UINT64_C(1) << mtb->config.awidth) - 1);
	uint32_t base = mtb->config.ram_base;

	return base + (((pointer & PT_VMTB_POINTER) - (base & wrap)) & wrap);
}

static void on_jump(void *arg, enum pt_vjump how, uint32_t from, uint32_t exc_return, uint32_t to);

static void enable(struct pt_vmtb *mtb, bool on)
{
	bool was = (mtb->master & PT_VMTB_EN) != 0;

	if (on && mtb->stopped)
		on = false;
	mtb->master = on ? mtb->master | PT_VMTB_EN : mtb->master & ~PT_VMTB_EN;
	if (on && !was)
		mtb->first = true;
	if (on == was)
		return;
	mtb->observer.jump = on ? on_jump : NULL;
	pt_vwires_taps_changed(mtb->config.wires);
}

static void halt_request(struct pt_vmtb *mtb, bool level)
{
	bool was = (mtb->master & PT_VMTB_HALTREQ) != 0;

	mtb->master = level ? mtb->master | PT_VMTB_HALTREQ : mtb->master & ~PT_VMTB_HALTREQ;
	if (level != was)
		mtb->config.edbgrq(mtb->config.arg, level);
}

static void compare(struct pt_vmtb *mtb)
{
	if ((mtb->master & PT_VMTB_EN) == 0 || (mtb->position & PT_VMTB_POINTER) != (mtb->flow & PT_VMTB_POINTER))
		return;
	if ((mtb->flow & PT_VMTB_AUTOHALT) != 0)
		halt_request(mtb, true);
	if ((mtb->flow & PT_VMTB_AUTOSTOP) != 0) {
		enable(mtb, false);
		mtb->stopped = true;
	}
}

static void advance(struct pt_vmtb *mtb)
{
	uint32_t pointer = mtb->position & PT_VMTB_POINTER, inside = window_bytes(mtb) - 1;
	uint32_t next = (pointer & ~inside) | ((pointer + 8) & inside);

	if ((next & inside) == 0)
		mtb->position |= PT_VMTB_WRAP;
	mtb->position = (mtb->position & PT_VMTB_WRAP) | (next & pointer_bits(mtb));
}

static void store(struct pt_vmtb *mtb, uint32_t source, uint32_t destination)
{
	uint32_t at = pt_vmtb_address(mtb, mtb->position) - mtb->config.ram_base;

	mtb->n_packets++;
	if (at >= mtb->config.ram_bytes || mtb->config.ram_bytes - at < 8) {
		mtb->n_lost++;
		return;
	}
	pt_put_le32(mtb->config.ram + at, source);
	pt_put_le32(mtb->config.ram + at + 4, destination);
	pt_vbus_changed(mtb->config.wires->bus, mtb->config.ram_base + at, 8);
}

/* atomic: the A bit, bit 0 of the source. The destination's bit 0 is S. */
static void packet(struct pt_vmtb *mtb, uint32_t from, uint32_t to, bool atomic)
{
	if ((mtb->master & PT_VMTB_EN) == 0)
		return;
	store(mtb, (from & ~1u) | atomic, (to & ~1u) | mtb->first);
	mtb->first = false;
	advance(mtb);
	compare(mtb);
}

/* DDI 0486 2.3.1: an exception return is two packets. */
static void exception_return(struct pt_vmtb *mtb, uint32_t from, uint32_t exc_return, uint32_t to)
{
	packet(mtb, from, exc_return, false);
	packet(mtb, exc_return, to, true);
}

static void on_jump(void *arg, enum pt_vjump how, uint32_t from, uint32_t exc_return, uint32_t to)
{
	struct pt_vmtb *mtb = arg;

	switch (how) {
	case PT_VJUMP_BRANCH:
		packet(mtb, from, to, false);
		break;
	case PT_VJUMP_EXCEPTION:
	case PT_VJUMP_DEBUG:
		packet(mtb, from, to, true);
		break;
	case PT_VJUMP_EXC_RETURN:
		exception_return(mtb, from, exc_return, to);
		break;
	case PT_VJUMP_TAIL_CHAIN:
		if (mtb->config.tail == PT_VMTB_TAIL_PAIR)
			exception_return(mtb, from, exc_return, to);
		else
			packet(mtb, from, to, false);
		break;
	default:	/* what the cores beside this unit do not tell apart */
		break;
	}
}

void pt_vmtb_tstart(struct pt_vmtb *mtb)
{
	if ((mtb->master & PT_VMTB_TSTARTEN) != 0)
		enable(mtb, true);
}

void pt_vmtb_tstop(struct pt_vmtb *mtb)
{
	if ((mtb->master & PT_VMTB_TSTOPEN) != 0)
		enable(mtb, false);
}

static void write_position(struct pt_vmtb *mtb, uint32_t value)
{
	value &= pointer_bits(mtb) | PT_VMTB_WRAP;
	if (((mtb->position ^ value) & PT_VMTB_POINTER) != 0)
		mtb->stopped = false;
	mtb->position = value;
}

static void write_master(struct pt_vmtb *mtb, uint32_t value)
{
	const uint32_t plain = PT_VMTB_SFRWPRIV | PT_VMTB_TSTOPEN | PT_VMTB_TSTARTEN | PT_VMTB_MASK;

	if (((mtb->master ^ value) & PT_VMTB_RAMPRIV) != 0 && mtb->config.guard_ram != NULL)
		mtb->config.guard_ram(mtb->config.arg, (value & PT_VMTB_RAMPRIV) != 0);
	mtb->master = (mtb->master & ~(plain | PT_VMTB_RAMPRIV)) | (value & (plain | PT_VMTB_RAMPRIV));
	enable(mtb, (value & PT_VMTB_EN) != 0);
	halt_request(mtb, (value & PT_VMTB_HALTREQ) != 0);
}

static void write_flow(struct pt_vmtb *mtb, uint32_t value)
{
	value &= pointer_bits(mtb) | PT_VMTB_AUTOHALT | PT_VMTB_AUTOSTOP;
	if (((mtb->flow ^ value) & PT_VMTB_POINTER) != 0 || (value & PT_VMTB_AUTOSTOP) == 0)
		mtb->stopped = false;
	mtb->flow = value;
}

/* Words only; writes by unprivileged code end here when SFRWPRIV says so. Neither is a bus fault. */
static bool write(void *unit, uint32_t offset, const struct pt_vaccess *access, uint32_t value)
{
	struct pt_vmtb *mtb = unit;

	if (access->size_bytes != 4 || ((mtb->master & PT_VMTB_SFRWPRIV) != 0 && !access->privileged))
		return true;
	if (offset == PT_VMTB_POSITION)
		write_position(mtb, value);
	else if (offset == PT_VMTB_MASTER)
		write_master(mtb, value);
	else if (offset == PT_VMTB_FLOW)
		write_flow(mtb, value);
	if (!mtb->config.match_on_step_only)
		compare(mtb);
	return true;
}

static bool read(void *unit, uint32_t offset, const struct pt_vaccess *access, uint32_t *value)
{
	const struct pt_vmtb *mtb = unit;

	*value = 0;
	if (access->size_bytes != 4)
		return true;
	switch (offset) {
	case PT_VMTB_POSITION: *value = mtb->position; break;
	case PT_VMTB_MASTER: *value = mtb->master; break;
	case PT_VMTB_FLOW: *value = mtb->flow; break;
	case PT_VMTB_BASE: *value = mtb->config.base_reads; break;
	default: *value = pt_vcoresight_read(&ids, offset); break;
	}
	return true;
}

/* Reset clears EN and the requests; registers without a reset value keep what they held, and after power-on they hold
 * anything. */
static void reset(void *unit, bool power_on)
{
	struct pt_vmtb *mtb = unit;

	if (power_on) {
		mtb->position = mtb->config.unknown & (pointer_bits(mtb) | PT_VMTB_WRAP);
		mtb->flow = mtb->config.unknown & (pointer_bits(mtb) | PT_VMTB_AUTOHALT | PT_VMTB_AUTOSTOP);
		mtb->n_packets = mtb->n_lost = 0;
	}
	enable(mtb, false);
	halt_request(mtb, false);
	if ((mtb->master & PT_VMTB_RAMPRIV) != 0 && mtb->config.guard_ram != NULL)
		mtb->config.guard_ram(mtb->config.arg, false);
	mtb->master = PT_VMTB_SFRWPRIV | ((power_on ? mtb->config.unknown : mtb->master) & PT_VMTB_MASK);
	mtb->stopped = false;
}

void pt_vmtb_init(struct pt_vmtb *mtb, const struct pt_vmtb_config *config)
{
	*mtb = (struct pt_vmtb){ .config = *config, .observer = { .arg = mtb } };
	reset(mtb, true);
}

const struct pt_vunit_ops pt_vmtb_ops = { .name = "MTB", .read = read, .write = write, .reset = reset };
