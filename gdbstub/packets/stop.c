/* Stop replies. The core registers travel in them, which saves GDB a question and the probe a round trip.
 *
 * swbreak and hwbreak are said only where GDB itself has a breakpoint: at any other address GDB takes the stop for
 * one of a breakpoint just removed, and resumes without a word, for ever. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "gdbstub/packets/run.h"
#include "session/os_threads.h"
#include "base/util.h"

enum { MAX_EXPEDITED = 40 };

/* The feature that has the pc: the registers every frame needs. */
static size_t core_rows(const struct pt_register *rows, size_t n_rows, uint16_t *out)
{
	const struct pt_register *pc = pt_gdb_pc_row(rows, n_rows);
	size_t n = 0;

	for (size_t i = 0; pc != NULL && i < n_rows && n < MAX_EXPEDITED; i++)
		if (strcmp(rows[i].feature, pc->feature) == 0)
			out[n++] = (uint16_t)i;
	return n;
}

int pt_gdb_stop_registers(struct pt_gdb_request *rq, struct pt_target *target, struct pt_err *err)
{
	size_t n_rows, n, used = 0;
	const struct pt_register *rows = target->ops->registers(target->state, &n_rows);
	const struct pt_register *pc = pt_gdb_pc_row(rows, n_rows);
	uint64_t values[MAX_EXPEDITED];
	uint16_t which[MAX_EXPEDITED];

	rq->stop[0] = '\0';
	rq->pc = PT_UNKNOWN;
	rq->task = 0;
	n = core_rows(rows, n_rows, which);
	if (target->ops->read_registers(target->state, rq->core, which, n, values, err) < 0)
		return pt_wrap(err, "read the registers");
	rq->task = pt_gdb_running_task(pt_gdb_threads_of(rq->client), target, rq->core);
	for (size_t i = 0; i < n; i++) {
		const struct pt_register *row = &rows[which[i]];
		char text[2 * sizeof(uint64_t) + 1];

		if (row == pc)
			rq->pc = values[i];
		if (pt_gdb_register_text(text, sizeof(text), row, pt_target_is_big_endian(target), values[i]) == 0 ||
		    used + strlen(text) + 8 > sizeof(rq->stop))
			continue;
		used += (size_t)sprintf(rq->stop + used, "%02x:%s;", row->gdb_number, text);
	}
	return 0;
}

int pt_gdb_no_registers(struct pt_gdb_request *rq, struct pt_target *target)
{
	size_t n_rows;
	const struct pt_register *rows = target->ops->registers(target->state, &n_rows);
	const struct pt_register *pc = pt_gdb_pc_row(rows, n_rows);
	char text[2 * sizeof(uint64_t) + 1];

	rq->stop[0] = '\0';
	rq->pc = PT_UNKNOWN;
	rq->task = 0;
	if (pc != NULL && pt_gdb_register_text(text, sizeof(text), pc, pt_target_is_big_endian(target), 0) > 0)
		snprintf(rq->stop, sizeof(rq->stop), "%02x:%s;", pc->gdb_number, text);
	return 0;
}

static void put_break(struct pt_gdb_client *client, uint64_t pc)
{
	const struct pt_gdb_break *at = pt_gdb_break_at(client, pc);

	if (at == NULL)
		return;
	if (at->asked.kind == PT_BREAK_SW && client->features.swbreak)
		pt_rsp_text(&client->rsp.frame, "swbreak:;");
	else if (at->asked.kind == PT_BREAK_HW && client->features.hwbreak)
		pt_rsp_text(&client->rsp.frame, "hwbreak:;");
}

static void put_watch(struct pt_gdb_client *client, uint64_t addr)
{
	static const char *const words[] = { [PT_WATCH_WRITE] = "watch", [PT_WATCH_READ] = "rwatch",
					     [PT_WATCH_ACCESS] = "awatch" };
	const struct pt_gdb_break *at = pt_gdb_watch_at(client, addr);

	if (at != NULL)
		pt_rsp_text(&client->rsp.frame, "%s:%" PRIx64 ";", words[at->asked.kind],
			    addr != PT_UNKNOWN ? addr : at->asked.addr);
}

static void put_reason(struct pt_gdb_client *client, const struct pt_core_status *status, uint64_t pc)
{
	switch (status->reason) {
	case PT_HALT_BREAK_SW:
	case PT_HALT_BREAK_HW:
		put_break(client, pc);
		break;
	case PT_HALT_WATCH_READ:
	case PT_HALT_WATCH_WRITE:
	case PT_HALT_WATCH_ACCESS:
		put_watch(client, status->addr);
		break;
	default:
		break;	/* a plain stop: GDB looks for itself where it is */
	}
}

void pt_gdb_stop_packet(struct pt_gdb_client *client, const struct pt_gdb_request *rq, char mark, unsigned signal,
			const struct pt_core_status *status)
{
	struct pt_rsp_frame *frame = &client->rsp.frame;

	client->inferior.named = rq->task != 0 ? rq->task : rq->core + 1;
	pt_rsp_begin(frame, mark);
	pt_rsp_text(frame, "%sT%02xthread:%" PRIx64 ";", mark == '%' ? "Stop:" : "", signal, client->inferior.named);
	if (rq->task != 0)
		pt_rsp_text(frame, "core:%x;", rq->core);
	if (status != NULL)
		put_reason(client, status, rq->pc);
	pt_rsp_binary(frame, rq->stop, strlen(rq->stop));
}

void pt_gdb_stop_frame(struct pt_gdb_client *client, const struct pt_gdb_request *rq, unsigned signal,
		       const struct pt_core_status *status)
{
	pt_gdb_stop_packet(client, rq, '$', signal, status);
}
