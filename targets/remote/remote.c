/* Control through another GDB server, and the target that is nothing more. */
#include "targets/remote/remote.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probes/rsp_stops.h"
#include "rsp.h"
#include "targets/remote/remote_parts.h"
#include "targets/remote/tcl.h"
#include "util.h"

enum { TEXT_BYTES = 256, SLOW_MS = 30000 };

/* --- packets ------------------------------------------------------------------------------------------------------ */

int pt_remote_judge(const char *packet, const struct pt_rsp_answer *answer, struct pt_err *err)
{
	const char *text = (const char *)answer->bytes;
	size_t len = answer->len_bytes;

	if (len == 0)
		return pt_fail(err, PT_EUNSUPPORTED, "the server does not know the packet %.12s", packet);
	if (len > 2 && text[0] == 'E' && text[1] == '.')
		return pt_fail(err, PT_EFAULT, "the server refuses it: %.*s", (int)(len - 2 < 200 ? len - 2 : 200),
			       text + 2);
	if (len == 3 && text[0] == 'E')
		return pt_fail(err, PT_EFAULT, "the server refuses it: error %.2s", text + 1);
	return 0;
}

static int ask_bytes(struct pt_remote *r, const void *packet, size_t len_bytes, struct pt_rsp_answer *answer,
		     uint32_t timeout_ms, struct pt_err *err)
{
	int rc = r->rsp->ask(r->wire, packet, len_bytes, answer, timeout_ms, err);

	return rc == 0 ? pt_remote_judge(packet, answer, err) : rc;
}

int pt_remote_ask(struct pt_remote *r, const char *packet, char *text, size_t room_bytes, struct pt_err *err)
{
	struct pt_rsp_answer answer = { .bytes = (uint8_t *)text, .room_bytes = room_bytes - 1 };
	int rc = ask_bytes(r, packet, strlen(packet), &answer, PT_REMOTE_ASK_MS, err);

	text[rc == 0 ? answer.len_bytes : 0] = '\0';
	return rc == 0 ? (int)answer.len_bytes : rc;
}

int pt_remote_ask_ok(struct pt_remote *r, const void *packet, size_t len_bytes, uint32_t timeout_ms, struct pt_err *err)
{
	uint8_t text[TEXT_BYTES] = { 0 };
	struct pt_rsp_answer answer = { .bytes = text, .room_bytes = sizeof(text) - 1 };
	int rc = ask_bytes(r, packet, len_bytes, &answer, timeout_ms, err);

	if (rc == 0 && (answer.len_bytes != 2 || memcmp(text, "OK", 2) != 0))
		rc = pt_fail(err, PT_EPROTO, "the server answers \"%.*s\", not OK", (int)(answer.len_bytes % 60),
			     (char *)text);
	return rc;
}

int pt_remote_monitor(struct pt_remote *r, const char *line, char *text, size_t room_bytes, struct pt_err *err)
{
	struct pt_rsp_answer answer = { .bytes = (uint8_t *)text, .room_bytes = room_bytes - 1 };
	struct pt_rsp_frame packet = { 0 };
	int rc;

	pt_rsp_text(&packet, "qRcmd,");
	pt_rsp_hex(&packet, line, strlen(line));
	rc = packet.overflow ? pt_fail(err, PT_EARG, "too long a command")
			     : r->rsp->ask(r->wire, packet.bytes, packet.len_bytes, &answer, SLOW_MS, err);
	pt_rsp_free(&packet);
	text[rc == 0 ? answer.len_bytes : 0] = '\0';
	return rc == 0 ? 0 : pt_wrap(err, "monitor %s", line);
}

/* --- coming and going --------------------------------------------------------------------------------------------- */

static void tell_cores(const struct pt_remote *r)
{
	const char *threads[PT_REMOTE_MAX_CORES];

	for (unsigned i = 0; i < r->n_cores; i++)
		threads[i] = r->core[i].thread;
	r->rsp->set_cores(r->wire, threads, r->n_cores);
}

/* Linux' kgdb lists a thread of its own for each CPU, then all tasks: CPU n is -2 - n in 32 bits. Only those are cores.
 * Source: Linux, kernel/debug/gdbstub.c, gdb_cmd_query. */
static void keep_shadows(struct pt_remote *r)
{
	unsigned n = 0;

	while (n < r->n_cores && strlen(r->core[n].thread) == 8 &&
	       strtoul(r->core[n].thread, NULL, 16) == UINT32_C(0xfffffffe) - n)
		n++;
	r->has_tasks = n > 0;
	if (!r->has_tasks)
		return;
	r->n_cores = n;
	if (r->facts.name[0] == '\0')
		snprintf(r->facts.name, sizeof(r->facts.name), "kgdb");
}

/* "m1,2" or "mp1.1,p1.2", and "l" for no more. OpenOCD without an RTOS has an empty list: one core, without a name. */
static int read_threads(struct pt_remote *r, struct pt_err *err)
{
	char text[1024], *save, *id;
	int rc = pt_remote_ask(r, "qfThreadInfo", text, sizeof(text), err);

	r->n_cores = 0;
	if (rc < 0 && rc != PT_EUNSUPPORTED && rc != PT_EFAULT)
		return rc;
	if (rc > 0 && text[0] == 'm') {
		for (id = strtok_r(text + 1, ",", &save); id != NULL && r->n_cores < PT_REMOTE_MAX_CORES;
		     id = strtok_r(NULL, ",", &save))
			snprintf(r->core[r->n_cores++].thread, sizeof(r->core[0].thread), "%s", id);
		rc = pt_remote_ask(r, "qsThreadInfo", text, sizeof(text), err);
		if (rc < 0 && rc != PT_EUNSUPPORTED && rc != PT_EFAULT)
			return rc;
	}
	keep_shadows(r);
	tell_cores(r);
	r->n_cores = r->n_cores > 0 ? r->n_cores : 1;
	return 0;
}

static void name_chip(struct pt_remote *r, const char *architecture)
{
	snprintf(r->chip, sizeof(r->chip), "%.40s behind %.20s at %.30s",
		 architecture[0] != '\0' ? architecture : "a target",
		 r->facts.name[0] != '\0' ? r->facts.name : "a GDB server", r->facts.where);
}

static const struct pt_param rows[] = { PT_REMOTE_PARAMS };

static int open_mem(struct pt_remote *r, const struct pt_params *settings, struct pt_err *err)
{
	const char *memory = pt_params_text(settings, &rows[PT_REMOTE_MEMORY]);
	const char *tcl = pt_params_text(settings, &rows[PT_REMOTE_TCL]);
	uint64_t patience_ns = pt_params_number(settings, &pt_probe_params[PT_PROBE_PATIENCE]);

	pt_remote_mem_init(r, strcmp(memory, "running") == 0 || (strcmp(memory, "auto") == 0 && r->facts.asks_running));
	if (tcl == NULL)
		return 0;
	return pt_remote_mem_by_tcl(r, tcl, pt_params_text(settings, &rows[PT_REMOTE_TCL_TARGET]),
				    (uint32_t)(patience_ns / PT_NS_PER_MS), err);
}

int pt_remote_open(struct pt_remote *r, struct pt_target *target, const struct pt_remote_kind *kind,
		   const struct pt_params *settings, struct pt_err *err)
{
	const char *endian = pt_params_text(settings, &rows[PT_REMOTE_ENDIAN]);
	struct pt_rsp_run run;

	r->target = target;
	r->kind = kind;
	r->rsp = target->probe != NULL ? pt_probe_rsp(target->probe, &r->wire) : NULL;
	if (r->rsp == NULL)
		return pt_fail(err, PT_EUNSUPPORTED, "this probe is no GDB server");
	r->rsp->facts(r->wire, &r->facts);
	name_chip(r, "");
	if (r->rsp->poll(r->wire, 0, &run, err) < 0 || pt_remote_read_description(r, err) < 0 ||
	    read_threads(r, err) < 0) {
		pt_remote_close(r);
		return err->code;
	}
	r->was_running = run.running;
	r->reason = PT_HALT_EXTERNAL;
	if (strcmp(endian, "auto") != 0)
		r->big_endian = strcmp(endian, "big") == 0;
	r->region = (struct pt_region){ .kind = PT_REGION_IO, .addr = 0, .size = UINT64_C(1) << 32 };
	if (open_mem(r, settings, err) == 0)
		return 0;
	pt_remote_close(r);
	return err->code;
}

void pt_remote_close(struct pt_remote *r)
{
	free(r->rows);
	free(r->offset);
	free(r->names);
	free(r->description);
	pt_tcl_free(r->tcl);
	r->tcl = NULL;
	r->rows = NULL;
	r->offset = NULL;
	r->names = r->description = NULL;
}

/* D lets it run; without it the server does what it does when a debugger is gone. */
int pt_remote_detach(void *state, bool resume, struct pt_err *err)
{
	struct pt_remote *r = state;
	struct pt_rsp_run run;
	int rc = 0;

	if (r->rsp->poll(r->wire, 0, &run, err) == 0 && (!run.running || run.non_stop)) {
		while (r->n_breaks > 0 && rc == 0)
			rc = pt_remote_break_remove(r, &(struct pt_break){ r->breaks[0].kind, r->breaks[0].addr,
									 r->breaks[0].len }, err);
		if (resume && rc == 0)
			rc = pt_remote_ask_ok(r, "D", 1, PT_REMOTE_ASK_MS, err);
	}
	pt_remote_close(r);
	return rc;
}

bool pt_remote_is_big_endian(void *state)
{
	return ((const struct pt_remote *)state)->big_endian;
}

const char *pt_remote_chip(void *state)
{
	return ((struct pt_remote *)state)->chip;
}

void pt_remote_describe(void *state, void (*say)(void *arg, const char *line), void *arg)
{
	struct pt_remote *r = state;
	char line[256];

	snprintf(line, sizeof(line), "upstream %s (%s): packets of %zu bytes, %s, %zu registers%s", r->facts.where,
		 r->facts.name[0] != '\0' ? r->facts.name : "unknown", r->facts.packet_bytes,
		 r->facts.no_ack ? "without acknowledgements" : "with acknowledgements", r->n_server,
		 r->facts.features ? "" : " (it has no description)");
	say(arg, line);
	snprintf(line, sizeof(line), "memory while the target runs: %s%s", r->mem.ops->while_running ? "yes" : "no: ",
		 r->mem.ops->while_running ? "" : pt_remote_why_halted_only(r));
	say(arg, line);
	if (r->tcl != NULL) {
		pt_tcl_describe(r->tcl, line, sizeof(line));
		say(arg, line);
	}
	if (!r->was_running)
		say(arg,
		    "the target was halted when the connection stood: most servers do that when somebody connects");
}

/* --- the cores ---------------------------------------------------------------------------------------------------- */

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

/* What the stop reply says, or why we think that it stopped. */
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
		return;		/* that of another one, which has stopped since */
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

/* Non-stop, and several cores: each is let run and stopped by itself. A stop is told to whoever debugs, in whose turn
 * the server goes on telling: so nothing is held. */
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

/* RSP has no reset but R, which few servers know: what they do know is a command. One that lets the target run says
 * nothing of that where a stop is told: so it is halted by the reset, and let run as always. */
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

/* --- breakpoints and flash ---------------------------------------------------------------------------------------- */

static int break_packet(struct pt_remote *r, char how, const struct pt_break *at, struct pt_err *err)
{
	char packet[64];
	int len = snprintf(packet, sizeof(packet), "%c%u,%" PRIx64 ",%" PRIx32, how, (unsigned)at->kind, at->addr,
			   at->len);

	return pt_remote_ask_ok(r, packet, (size_t)len, PT_REMOTE_ASK_MS, err);
}

static size_t find_break(const struct pt_remote *r, const struct pt_break *at)
{
	size_t i = 0;

	while (i < r->n_breaks &&
	       (r->breaks[i].kind != at->kind || r->breaks[i].addr != at->addr || r->breaks[i].len != at->len))
		i++;
	return i;
}

int pt_remote_break_insert(void *state, const struct pt_break *at, struct pt_err *err)
{
	struct pt_remote *r = state;

	if (find_break(r, at) < r->n_breaks)
		return 0;
	if (r->n_breaks == PT_REMOTE_MAX_BREAKS)
		return pt_fail(err, PT_EBUSY, "all %d breakpoints are in use", PT_REMOTE_MAX_BREAKS);
	if (break_packet(r, 'Z', at, err) < 0)
		return err->code;
	r->breaks[r->n_breaks++] = *at;
	return 0;
}

int pt_remote_break_remove(void *state, const struct pt_break *at, struct pt_err *err)
{
	struct pt_remote *r = state;
	size_t i = find_break(r, at);

	if (i == r->n_breaks)
		return 0;
	if (break_packet(r, 'z', at, err) < 0)
		return err->code;
	r->breaks[i] = r->breaks[--r->n_breaks];
	return 0;
}

int pt_remote_flash_erase(void *state, uint64_t addr, uint64_t size, struct pt_err *err)
{
	char packet[64];
	int len = snprintf(packet, sizeof(packet), "vFlashErase:%08" PRIx64 ",%08" PRIx64, addr, size);

	return pt_remote_ask_ok(state, packet, (size_t)len, SLOW_MS, err);
}

int pt_remote_flash_write(void *state, uint64_t addr, const uint8_t *bytes, size_t len_bytes, struct pt_err *err)
{
	struct pt_remote *r = state;
	uint8_t *packet = malloc(len_bytes + 32);
	int rc, head;

	if (packet == NULL)
		return pt_fail(err, PT_ENOMEM, "no memory for a packet");
	head = snprintf((char *)packet, 32, "vFlashWrite:%" PRIx64 ":", addr);
	memcpy(packet + head, bytes, len_bytes);
	rc = pt_remote_ask_ok(r, packet, (size_t)head + len_bytes, SLOW_MS, err);
	free(packet);
	return rc;
}

int pt_remote_flash_done(void *state, struct pt_progress *progress, struct pt_err *err)
{
	(void)progress;		/* the other server's */
	return pt_remote_ask_ok(state, "vFlashDone", strlen("vFlashDone"), SLOW_MS, err);
}

int pt_remote_mass_erase(void *state, struct pt_err *err)
{
	const struct pt_remote *r = state;

	return pt_fail(err, PT_EUNSUPPORTED, "the remote protocol has no mass erase; %s may have a command for it",
		       r->facts.name[0] != '\0' ? r->facts.name : "the server");
}

/* --- the target that is nothing more ------------------------------------------------------------------------------ */

static int remote_attach(struct pt_target *target, const struct pt_params *settings, struct pt_err *err)
{
	static const struct pt_remote_kind kind = { .name = "remote" };

	return pt_remote_open(target->state, target, &kind, settings, err);
}

static const struct pt_source_ops *const *remote_sources(void *state, size_t *n)
{
	static const struct pt_source_ops *const sources[] = { &pt_source_remote_pc };

	(void)state;
	*n = PT_LEN(sources);
	return sources;
}

static const struct pt_param params[] = { PT_REMOTE_PARAMS };

const struct pt_target_ops pt_remote_ops = {
	.name = "remote",
	.help = "whatever another GDB server serves (rsp:HOST:PORT)",
	.state_bytes = sizeof(struct pt_remote),
	.params = params,
	.n_params = PT_REMOTE_N_PARAMS,
	.architecture = "",
	.is_big_endian = pt_remote_is_big_endian,
	.attach = remote_attach,
	.detach = pt_remote_detach,
	.chip = pt_remote_chip,
	.describe = pt_remote_describe,
	PT_REMOTE_CONTROL,
	.status = pt_remote_status,
	.resume = pt_remote_resume,
	.step = pt_remote_step,
	.reset = pt_remote_reset,
	.mem = pt_remote_mem,
	.regions = pt_remote_regions,
	.sources = remote_sources,
};
