/* Run control through another GDB server: of the whole target, or of single cores if the server is in non-stop mode. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probes/rsp/rsp_stops.h"
#include "targets/remote/remote_parts.h"
#include "base/util.h"

enum { TEXT_BYTES = 256 };	/* capacity for the server's reply to a command */

unsigned pt_remote_n_cores(void *state)
{
	return ((struct pt_remote *)state)->n_cores;
}

int pt_remote_choose(struct pt_remote *r, unsigned core, struct pt_err *err)
{
	char packet[PT_RSP_THREAD_BYTES + 4];
	int len;

	if ((r->n_cores < 2 && !r->has_tasks) || core >= r->n_cores)
		return 0;
	len = snprintf(packet, sizeof(packet), "Hg%s", r->core[core].thread);
	return pt_remote_ask_ok(r, packet, (size_t)len, PT_REMOTE_ASK_MS, err);
}

static bool has_word(const char *stop, const char *word, uint64_t *addr)
{
	const char *at = strstr(stop, word);

	if (at == NULL)
		return false;
	*addr = strtoull(at + strlen(word), NULL, 16);
	return true;
}

/* The reason in the stop reply, or else our own reason for the halt. */
static void read_reason(const struct pt_remote *r, const struct pt_rsp_run *run, unsigned core,
			struct pt_core_status *out)
{
	static const struct { const char *word; enum pt_halt_reason reason;
	} words[] = {
		{ "rwatch:", PT_HALT_WATCH_READ },
		{ "awatch:", PT_HALT_WATCH_ACCESS },
		{ "watch:", PT_HALT_WATCH_WRITE },
	};
	uint64_t ignored;

	out->reason = r->reason;
	if (r->n_cores > 1 && run->non_stop && pt_rsp_core_of_stop(run) != (int)core)
		return;		/* the stop of another core, which stopped later */
	out->reason = run->signal == 2 ? PT_HALT_REQUEST : r->reason;
	if (has_word(run->stop, "swbreak:", &ignored))
		out->reason = PT_HALT_BREAK_SW;
	else if (has_word(run->stop, "hwbreak:", &ignored))
		out->reason = PT_HALT_BREAK_HW;
	for (size_t i = 0; i < PT_LEN(words); i++)
		if (has_word(run->stop, words[i].word, &out->addr)) {
			out->reason = words[i].reason;
			break;
		}
}

bool pt_remote_stands(const struct pt_remote *r, const struct pt_rsp_run *run, unsigned core)
{
	return r->n_cores > 1 ? (run->halted >> core & 1) != 0 : !run->running;
}

int pt_remote_status(void *state, unsigned core, struct pt_core_status *out, struct pt_err *err)
{
	struct pt_remote *r = state;
	struct pt_rsp_run run;

	*out = (struct pt_core_status){ .state = PT_RUNNING, .addr = PT_UNKNOWN };
	if (r->rsp->poll(r->wire, 0, &run, err) < 0)
		return err->code == PT_EFAULT || err->code == PT_EBUSY ? 0 : err->code;
	out->resumes = r->n_cores > 1 ? run.core_resumes[core] : run.client_resumes;
	if (!pt_remote_stands(r, &run, core))
		return 0;
	out->state = PT_HALTED;
	read_reason(r, &run, core, out);
	return 0;
}

/* In non-stop mode with several cores each is resumed and stopped by itself. The server notifies the debugger of a stop
 * and continues in its exchange, so the connection is not held. */
static bool is_single(struct pt_remote *r, struct pt_err *err, struct pt_rsp_run *run)
{
	run->running = false;
	return r->n_cores > 1 && r->rsp->poll(r->wire, 0, run, err) == 0 && run->non_stop;
}

static int single(struct pt_remote *r, unsigned core, char what, bool halts, struct pt_err *err)
{
	struct pt_link *link = pt_probe_link(r->target->probe);
	uint32_t patience_ms = r->facts.patience_ms > PT_REMOTE_ASK_MS ? r->facts.patience_ms : PT_REMOTE_ASK_MS;
	uint64_t until_ns = pt_link_now_ns(link) + patience_ms * PT_NS_PER_MS;
	char packet[PT_RSP_THREAD_BYTES + 10];
	struct pt_rsp_run run;
	int rc;

	snprintf(packet, sizeof(packet), "vCont;%c:%s", what, r->core[core].thread);
	rc = what == 't' ? pt_remote_ask_ok(r, packet, strlen(packet), PT_REMOTE_ASK_MS, err)
			 : r->rsp->resume(r->wire, packet, err);
	while (rc == 0 && halts) {
		rc = r->rsp->poll(r->wire, 0, &run, err);
		if (rc == 0 && pt_remote_stands(r, &run, core))
			return 0;
		if (rc == 0 && pt_link_now_ns(link) > until_ns)
			return pt_fail(err, PT_ETIMEOUT, "the server does not stop core %u", core);
		rc = rc == 0 ? pt_link_wait(link, pt_link_now_ns(link) + PT_NS_PER_MS, err) : rc;
	}
	return rc;
}

int pt_remote_halt(void *state, unsigned core, struct pt_err *err)
{
	struct pt_remote *r = state;
	struct pt_rsp_run run;
	int rc;

	if (is_single(r, err, &run))
		return pt_remote_stands(r, &run, core) ? 0 : single(r, core, 't', true, err);
	if (r->rsp->hold(r->wire, err) < 0)
		return err->code;
	rc = r->rsp->poll(r->wire, 0, &run, err);
	if (rc == 0 && run.running) {
		rc = r->rsp->interrupt(r->wire, err);
		rc = rc == 0 ? r->rsp->poll(r->wire, PT_REMOTE_ASK_MS, &run, err) : rc;
		if (rc == 0 && run.running)
			rc = pt_fail(err, PT_ETIMEOUT, "the server does not stop the target");
		r->reason = PT_HALT_REQUEST;
	}
	r->rsp->release(r->wire);
	return rc;
}

int pt_remote_resume(void *state, unsigned core, struct pt_err *err)
{
	struct pt_remote *r = state;
	struct pt_rsp_run run;

	r->reason = PT_HALT_EXTERNAL;
	if (is_single(r, err, &run))
		return pt_remote_stands(r, &run, core) ? single(r, core, 'c', false, err) : 0;
	return r->rsp->resume(r->wire, r->facts.vcont ? "vCont;c" : "c", err);
}

int pt_remote_step(void *state, unsigned core, struct pt_err *err)
{
	struct pt_remote *r = state;
	char packet[PT_RSP_THREAD_BYTES + 10] = "s";
	struct pt_rsp_run run;
	int rc;

	if (is_single(r, err, &run))
		return single(r, core, 's', true, err);
	if (r->facts.vcont && r->n_cores > 1 && core < r->n_cores)
		snprintf(packet, sizeof(packet), "vCont;s:%s", r->core[core].thread);
	else if (r->facts.vcont)
		snprintf(packet, sizeof(packet), "vCont;s");
	if (r->rsp->hold(r->wire, err) < 0)
		return err->code;
	r->reason = PT_HALT_STEP;
	rc = r->rsp->resume(r->wire, packet, err);
	rc = rc == 0 ? r->rsp->poll(r->wire, PT_REMOTE_ASK_MS, &run, err) : rc;
	if (rc == 0 && run.running)
		rc = pt_fail(err, PT_ETIMEOUT, "the step does not end");
	r->rsp->release(r->wire);
	return rc;
}

/* RSP has only the reset R, which few servers support; most have a monitor command. A reset command that lets the
 * target run does not report the resume, so the reset halts the target, and we resume it as usual. */
int pt_remote_reset(void *state, enum pt_reset_kind kind, struct pt_err *err)
{
	const char *line = kind == PT_RESET_INIT ? "reset init" : "reset halt";
	struct pt_remote *r = state;
	char text[TEXT_BYTES];

	if (strcmp(r->facts.name, "QEMU") == 0)
		line = "system_reset";
	if (pt_remote_halt(state, 0, err) < 0 || pt_remote_monitor(r, line, text, sizeof(text), err) < 0)
		return err->code;
	return kind == PT_RESET_RUN ? pt_remote_resume(state, 0, err) : 0;
}
