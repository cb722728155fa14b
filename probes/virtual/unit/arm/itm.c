#include "probes/virtual/unit/arm/itm_parts.h"

enum { STIMULUS_END = 0x80, IDS = 0xfb8, FIFO_READY = 1, PORTS_PER_PRIVILEGE = 8 };
enum { LSR_THERE = 1, LSR_LOCKED = 2 };
#define TCR_BITS UINT32_C(0x007f0f1f)

static struct pt_vtrace_packet sized(unsigned header, uint32_t value, unsigned n_bytes, uint64_t at_cycle)
{
	struct pt_vtrace_packet packet = { .at_cycle = at_cycle, .n_bytes = (uint8_t)(1 + n_bytes) };

	packet.bytes[0] = (uint8_t)(header | (n_bytes == 4 ? 3 : n_bytes));
	for (unsigned i = 0; i < n_bytes; i++)
		packet.bytes[1 + i] = (uint8_t)(value >> 8 * i);
	return packet;
}

void pt_vitm_report(struct pt_vitm *itm, unsigned id, uint32_t value, unsigned n_bytes, uint64_t at_cycle)
{
	struct pt_vtrace_packet packet = sized(id << 3 | 4, value, n_bytes, at_cycle);

	packet.source = PT_VTRACE_DWT;
	if (pt_vitm_works(itm) && (itm->tcr & PT_VITM_TXENA) != 0)
		pt_vitm_send(itm, PT_VITM_DWT, &packet);
}

void pt_vitm_synchronise(struct pt_vitm *itm, uint64_t at_cycle)
{
	if (!pt_vitm_works(itm) || (itm->tcr & PT_VITM_SYNCENA) == 0)
		return;
	pt_vitm_advance(itm, at_cycle);
	itm->sync_wanted = true;
	pt_vtpiu_synchronise(itm->tpiu);
	pt_vitm_refill(itm, itm->now);
}

void pt_vitm_enable(struct pt_vitm *itm, bool traced)
{
	if (itm->traced == traced)
		return;
	pt_vitm_advance(itm, pt_vwires_now(itm->wires));
	itm->traced = traced;
	pt_vitm_stamps_restart(itm);
}

/* --- registers */

static bool may_write_port(const struct pt_vitm *itm, unsigned port, bool privileged)
{
	return privileged || (itm->tpr >> port / PORTS_PER_PRIVILEGE & 1) == 0;
}

static void write_port(struct pt_vitm *itm, unsigned port, const struct pt_vaccess *access, uint32_t value)
{
	struct pt_vtrace_packet packet = sized(port << 3, value, access->size_bytes, itm->now);

	packet.source = PT_VTRACE_PORT;
	if (itm->core_only && access->master != PT_VMASTER_CPU)
		return;
	if (pt_vitm_works(itm) && (itm->ter >> port & 1) != 0 && may_write_port(itm, port, access->privileged))
		pt_vitm_send(itm, PT_VITM_PORTS, &packet);
}

static void write_enables(struct pt_vitm *itm, bool privileged, uint32_t value)
{
	for (unsigned port = 0; port < 32; port++)
		if (may_write_port(itm, port, privileged))
			itm->ter = (itm->ter & ~(UINT32_C(1) << port)) | (value & UINT32_C(1) << port);
}

static void write_tcr(struct pt_vitm *itm, uint32_t value)
{
	itm->tcr = value & TCR_BITS;
	pt_vitm_stamps_restart(itm);
}

static bool is_busy(const struct pt_vitm *itm)
{
	return itm->n > 0 || itm->holds[PT_VITM_PORTS] || itm->holds[PT_VITM_DWT] || itm->overflow;
}

static bool is_ready(const struct pt_vitm *itm)
{
	return !itm->holds[PT_VITM_PORTS] && !itm->loses[PT_VITM_PORTS];
}

static uint32_t register_at(const struct pt_vitm *itm, uint32_t offset)
{
	switch (offset) {
	case PT_VITM_TER: return itm->ter;
	case PT_VITM_TPR: return itm->tpr;
	case PT_VITM_TCR: return itm->tcr | (is_busy(itm) ? PT_VITM_BUSY : 0);
	case PT_VITM_LSR: return LSR_THERE | (itm->locked ? LSR_LOCKED : 0);
	default: return offset < STIMULUS_END && is_ready(itm) ? FIFO_READY : 0;
	}
}

static bool read(void *unit, uint32_t offset, const struct pt_vaccess *access, uint32_t *value)
{
	struct pt_vitm *itm = unit;

	*value = 0;
	if (offset >= IDS) {
		*value = access->size_bytes == 4 ? pt_vcoresight_read(&itm->ids, offset) : 0;
	} else if (itm->traced && (offset < STIMULUS_END || access->size_bytes == 4)) {
		pt_vitm_run(itm, pt_vwires_now(itm->wires));
		*value = register_at(itm, offset < STIMULUS_END ? offset & ~3u : offset);
	}
	return true;
}

static void write_register(struct pt_vitm *itm, uint32_t offset, bool privileged, uint32_t value)
{
	if (offset == PT_VITM_LAR && privileged)
		itm->locked = value != PT_VITM_KEY;
	if (itm->locked)
		return;
	if (offset == PT_VITM_TER)
		write_enables(itm, privileged, value);
	else if (offset == PT_VITM_TPR && privileged)
		itm->tpr = value & 0xf;
	else if (offset == PT_VITM_TCR && privileged)
		write_tcr(itm, value);
}

static bool write(void *unit, uint32_t offset, const struct pt_vaccess *access, uint32_t value)
{
	struct pt_vitm *itm = unit;

	if (!itm->traced)
		return true;
	pt_vitm_run(itm, pt_vwires_now(itm->wires));
	if (offset < STIMULUS_END)
		write_port(itm, offset / 4, access, value);
	else if (access->size_bytes == 4)
		write_register(itm, offset, access->privileged, value);
	return true;
}

/* Its registers outlive a system reset. */
static void reset(void *unit, bool power_on)
{
	struct pt_vitm *itm = unit;

	if (!power_on)
		return;
	itm->ter = itm->tpr = itm->tcr = 0;
	itm->locked = true;
	itm->now = 0;
	pt_vitm_clear(itm);
}

void pt_vitm_init(struct pt_vitm *itm, const struct pt_vwires *wires, struct pt_vtpiu *tpiu)
{
	*itm = (struct pt_vitm){
		.wires = wires, .tpiu = tpiu, .locked = true, .fifo_room = PT_VITM_FIFO, .stamp_bits = PT_VITM_STAMP_BITS,
		.ids = { .pidr4 = 0x04, .part = 0x001, .jep106 = 0x3b, .class = 0xe },
	};
	tpiu->input = pt_vitm_input(itm);
}

const struct pt_vunit_ops pt_vitm_ops = {
	.name = "ITM", .read = read, .write = write, .reset = reset, .reads_are_quiet = true,
};
