#include "probes/virtual/unit/arm/trace_port.h"

#include "base/util.h"

enum { STIMULUS_END = 0x400, IDS = 0xfb8, FIFO_READY = 1 };

static const struct pt_vreg itm_rows[] = {
	{ "TER", 0xe00, 4, 0, 0xffffffff, 0 },
	{ "TPR", 0xe40, 4, 0, 0x0000000f, 0 },
	{ "TCR", 0xe80, 4, 0, 0x007f0f1f, 0 },
};
/* FFSR: the formatter has stopped and is not there to be flushed. TYPE: no parallel port, SWO as UART and Manchester. */
static const struct pt_vreg tpiu_rows[] = {
	{ "SSPSR", 0x000, 4, 0x00000001, 0, 0 },
	{ "CSPSR", 0x004, 4, 0x00000001, 0xffffffff, 0 },
	{ "ACPR", 0x010, 4, 0, 0x0000ffff, 0 },
	{ "SPPR", 0x0f0, 4, 0x00000001, 0x00000003, 0 },
	{ "FFSR", 0x300, 4, 0x00000008, 0, 0 },
	{ "FFCR", 0x304, 4, 0x00000102, 0x00000102, 0 },
	{ "TYPE", 0xfc8, 4, 0x00000ca1, 0, 0 },
};
_Static_assert(PT_LEN(tpiu_rows) <= PT_VTRACE_PORT_REGISTERS, "there is room for them");

static bool read(void *unit, uint32_t offset, const struct pt_vaccess *access, uint32_t *value)
{
	const struct pt_vtrace_port *port = unit;

	*value = 0;
	if (port->has_ports && offset < STIMULUS_END)
		*value = FIFO_READY;
	else if (!pt_vregs_read(&port->regs, offset, access, value) && offset >= IDS)
		*value = pt_vcoresight_read(&port->ids, offset);
	return true;
}

static bool write(void *unit, uint32_t offset, const struct pt_vaccess *access, uint32_t value)
{
	struct pt_vtrace_port *port = unit;

	pt_vregs_write(&port->regs, offset, access, value);
	return true;
}

/* They outlive a system reset. */
static void reset(void *unit, bool power_on)
{
	if (power_on)
		pt_vregs_reset(&((struct pt_vtrace_port *)unit)->regs);
}

static void init(struct pt_vtrace_port *port, const struct pt_vreg *rows, size_t n_rows, uint16_t part, uint8_t class)
{
	*port = (struct pt_vtrace_port){
		.regs = { .row = rows, .n_rows = n_rows, .value = port->value },
		.ids = { .pidr4 = 0x04, .part = part, .jep106 = 0x3b, .class = class },
	};
	pt_vregs_reset(&port->regs);
}

void pt_vitm_init(struct pt_vtrace_port *itm)
{
	init(itm, itm_rows, PT_LEN(itm_rows), 0x001, 0xe);
	itm->has_ports = true;
}

void pt_vtpiu_init(struct pt_vtrace_port *tpiu)
{
	init(tpiu, tpiu_rows, PT_LEN(tpiu_rows), 0x9a1, 0x9);
	tpiu->ids.devtype = 0x11;
}

const struct pt_vunit_ops pt_vtrace_port_ops = { .name = "trace port", .read = read, .write = write, .reset = reset };
