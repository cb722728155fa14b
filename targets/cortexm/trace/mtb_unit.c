/* The MTB's registers as rows, and batches of accesses to them. See mtb.h. */
#include <stdio.h>
#include <string.h>

#include "targets/cortexm/trace/mtb.h"
#include "base/util.h"

enum { BATCH_MS = 2000, POLL_US = 5000 };

const struct pt_field pt_mtb_position_fields[] = {	/* 000. Source: DDI 0486, table 3-2 */
	{ "WRAP", 2, 1, "the pointer has wrapped" },
	{ "POINTER", 3, 29, "slot of the next packet, in units of 8 bytes" },
	{ 0 },
};

const struct pt_field pt_mtb_master_fields[] = {	/* 004. Source: DDI 0486, table 3-3 */
	{ "MASK", 0, 5, "ring of 2^(MASK + 4) bytes" },
	{ "TSTARTEN", 5, 1, "TSTART sets EN" },
	{ "TSTOPEN", 6, 1, "TSTOP clears EN" },
	{ "SFRWPRIV", 7, 1, "registers writable by privileged accesses only" },
	{ "RAMPRIV", 8, 1, "RAM for privileged accesses only" },
	{ "HALTREQ", 9, 1, "asks the core to halt" },
	{ "EN", 31, 1, "recording" },
	{ 0 },
};

const struct pt_field pt_mtb_flow_fields[] = {		/* 008. Source: DDI 0486, table 3-4 */
	{ "AUTOSTOP", 0, 1, "stop at the watermark" },
	{ "AUTOHALT", 1, 1, "halt the core at the watermark" },
	{ "WATERMARK", 3, 29, "pointer, in units of 8 bytes" },
	{ 0 },
};

static struct pt_mem_op *add(struct pt_mtb_batch *batch, enum pt_mem_do what, uint64_t addr)
{
	struct pt_mem_op *op = &batch->op[batch->n];

	*op = (struct pt_mem_op){ .what = (uint8_t)what, .width_bytes = 4, .addr = addr,
				  .bytes = batch->bytes[batch->n], .len_bytes = 4 };
	batch->n++;
	return op;
}

size_t pt_mtb_put_write(struct pt_mtb_batch *batch, uint64_t addr, uint32_t value)
{
	struct pt_mem_op *op = add(batch, PT_MEM_WRITE, addr);

	pt_put_le32(op->bytes, value);
	return batch->n - 1;
}

size_t pt_mtb_put_read(struct pt_mtb_batch *batch, uint64_t addr)
{
	add(batch, PT_MEM_READ, addr);
	return batch->n - 1;
}

size_t pt_mtb_put_data(struct pt_mtb_batch *batch, uint64_t addr, uint8_t *bytes, size_t len_bytes)
{
	struct pt_mem_op *op = add(batch, PT_MEM_READ, addr);

	op->bytes = bytes;
	op->len_bytes = len_bytes;
	return batch->n - 1;
}

size_t pt_mtb_put_poll(struct pt_mtb_batch *batch, uint64_t addr, uint32_t mask, uint32_t match)
{
	struct pt_mem_op *op = add(batch, PT_MEM_POLL, addr);

	op->mask = mask;
	op->match = match;
	op->time_us = POLL_US;
	return batch->n - 1;
}

size_t pt_mtb_put_delay(struct pt_mtb_batch *batch, uint32_t time_us)
{
	add(batch, PT_MEM_DELAY, 0)->time_us = time_us;
	return batch->n - 1;
}

uint32_t pt_mtb_value(const struct pt_mtb_batch *batch, size_t i)
{
	return pt_le32(batch->op[i].bytes);
}

int pt_mtb_run(struct pt_mtb *m, struct pt_mtb_batch *batch, struct pt_err *err)
{
	batch->n_done = 0;
	return pt_mem_run(m->mem, batch->op, batch->n, BATCH_MS, &batch->n_done, err);
}

uint32_t pt_mtb_master(const struct pt_mtb *m)
{
	return m->keep | m->win.mask;
}

uint32_t pt_mtb_offset(const struct pt_mtb *m, uint32_t position)
{
	return (position & (uint32_t)POSITION_POINTER) - m->win.pointer;
}

uint32_t pt_mtb_armed(const struct pt_mtb *m)
{
	return m->trigger.on ? MASTER_TSTARTEN | MASTER_TSTOPEN : MASTER_EN;
}

/* POSITION is written first: this is allowed only while EN is 0, and it opens the latch of an AUTOSTOP. Source: DDI
 * 0486, 3.2.1 and 3.2.3 */
size_t pt_mtb_put_arm(struct pt_mtb *m, struct pt_mtb_batch *batch, uint32_t flow)
{
	m->watermark = flow;
	pt_mtb_put_write(batch, m->regs + MTB_POSITION, m->win.pointer);
	pt_mtb_put_write(batch, m->regs + MTB_FLOW, flow);
	return pt_mtb_put_write(batch, m->regs + MTB_MASTER, pt_mtb_armed(m) | pt_mtb_master(m));
}

int pt_mtb_stop_unit(struct pt_mtb *m, struct pt_mtb_end *out, struct pt_err *err)
{
	struct pt_mtb_batch batch = { .n = 0 };
	size_t position;
	int rc;

	pt_mtb_put_write(&batch, m->regs + MTB_MASTER, pt_mtb_master(m));
	pt_mtb_put_read(&batch, m->regs + MTB_MASTER);	/* orders the accesses */
	position = pt_mtb_put_read(&batch, m->regs + MTB_POSITION);
	rc = pt_mtb_run(m, &batch, err);
	*out = (struct pt_mtb_end){
		pt_mtb_value(&batch, position), batch.op[position].sent_ns, batch.op[position].done_ns,
	};
	return rc;
}

static void tell(const char *name, uint32_t found, uint32_t now, const struct pt_field *fields,
		 void (*say)(void *arg, const char *line), void *arg)
{
	char line[200], fields_now[160];

	snprintf(line, sizeof(line), "changed: MTB %s (found 0x%08x)",
		 pt_fields_print(name, now, fields, fields_now, sizeof(fields_now)), (unsigned)found);
	say(arg, line);
}

void pt_mtb_describe(const struct pt_mtb *m, void (*say)(void *arg, const char *line), void *arg)
{
	char line[160];

	snprintf(line, sizeof(line), "profile: the MTB records into 0x%08x, %u bytes; put back when it ends",
		 (unsigned)m->win.addr, (unsigned)m->win.len_bytes);
	say(arg, line);
	tell("POSITION", m->found.position, m->win.pointer, pt_mtb_position_fields, say, arg);
	tell("MASTER", m->found.master, pt_mtb_armed(m) | pt_mtb_master(m), pt_mtb_master_fields, say, arg);
	tell("FLOW", m->found.flow, m->watermark, pt_mtb_flow_fields, say, arg);
}
