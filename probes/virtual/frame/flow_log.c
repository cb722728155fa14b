/* An observer on changes of flow, and a buffered file. A file that cannot be written any more has no END record. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "probes/virtual/frame/flow_log.h"
#include "base/util.h"

enum { RECORD_BYTES = 16, BUFFER_RECORDS = 4096 };

struct pt_vflow_log {
	struct pt_vflow_core core;
	struct pt_vobserver observer;
	FILE *file;
	uint64_t awake, asleep, halted;		/* at the record before */
	size_t n_records;
	uint8_t buffer[BUFFER_RECORDS * RECORD_BYTES];
};

static void write_records(struct pt_vflow_log *log)
{
	fwrite(log->buffer, RECORD_BYTES, log->n_records, log->file);
	log->n_records = 0;
}

static void put_record(struct pt_vflow_log *log, unsigned how, uint32_t detail, uint32_t from, uint32_t to,
		       uint32_t awake)
{
	uint8_t *p = log->buffer + log->n_records * RECORD_BYTES;

	pt_put_le32(p, from);
	pt_put_le32(p + 4, to);
	pt_put_le32(p + 8, awake);
	pt_put_le16(p + 12, (uint16_t)log->core.sp(log->core.cpu));
	p[14] = (uint8_t)how;
	p[15] = (uint8_t)detail;
	if (++log->n_records == BUFFER_RECORDS)
		write_records(log);
}

static void put_time(struct pt_vflow_log *log, enum pt_vflow_record what, uint64_t now, uint64_t *before)
{
	uint64_t passed = now - *before;

	*before = now;
	if (passed > 0)
		put_record(log, what, 0, (uint32_t)passed, (uint32_t)(passed >> 32), 0);
}

/* The counts begin again at power-on. */
static void put_flow(struct pt_vflow_log *log, unsigned how, uint32_t detail, uint32_t from, uint32_t to)
{
	uint64_t awake = log->core.awake_cycles(log->core.cpu), asleep = log->core.sleep_cycles(log->core.cpu);
	uint64_t halted = log->core.halt_cycles(log->core.cpu), passed;

	if (awake < log->awake)
		log->awake = log->asleep = log->halted = 0;
	if (asleep != log->asleep)
		put_time(log, PT_VFLOW_ASLEEP, asleep, &log->asleep);
	if (halted != log->halted)
		put_time(log, PT_VFLOW_HALTED, halted, &log->halted);
	passed = awake - log->awake;
	if (passed > UINT32_MAX)
		put_time(log, PT_VFLOW_AWAKE, awake, &log->awake);
	log->awake = awake;
	put_record(log, how, detail, from, to, passed > UINT32_MAX ? 0 : (uint32_t)passed);
}

static void on_jump(void *arg, enum pt_vjump how, uint32_t from, uint32_t detail, uint32_t to)
{
	put_flow(arg, how, detail, from, to);
}

static void on_reset(void *arg, uint32_t pc)
{
	put_flow(arg, PT_VFLOW_RESET, 0, 0, pc);
}

struct pt_vflow_log *pt_vflow_log_open(const char *path, const struct pt_vflow_core *core, struct pt_err *err)
{
	struct pt_vflow_log *log = pt_alloc(sizeof(*log));

	log->file = fopen(path, "wb");
	if (log->file == NULL) {
		pt_fail(err, PT_EARG, "flow-log %s: %s", path, strerror(errno));
		free(log);
		return NULL;
	}
	fwrite("PTFLOW1\n", 8, 1, log->file);
	log->core = *core;
	log->observer = (struct pt_vobserver){ .arg = log, .jump = on_jump, .reset = on_reset };
	log->awake = core->awake_cycles(core->cpu);
	log->asleep = core->sleep_cycles(core->cpu);
	log->halted = core->halt_cycles(core->cpu);
	put_record(log, PT_VFLOW_RESET, 0, 0, core->pc(core->cpu), 0);
	core->add_observer(core->cpu, &log->observer);
	return log;
}

void pt_vflow_log_close(struct pt_vflow_log *log)
{
	if (log == NULL)
		return;
	put_flow(log, PT_VFLOW_END, 0, 0, log->core.pc(log->core.cpu));
	write_records(log);
	fclose(log->file);
	log->core.remove_observer(log->core.cpu, &log->observer);
	free(log);
}
