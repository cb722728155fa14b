/* Attach, detach, breakpoints and flash through another GDB server, and the target `remote`. */
#include "targets/remote/remote.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probes/rsp/rsp_stops.h"
#include "base/rsp_frame.h"
#include "targets/remote/remote_parts.h"
#include "targets/remote/tcl.h"
#include "base/util.h"
#include "targets/contract/source_watch.h"

enum { SLOW_MS = 30000 };

/* --- coming and going --------------------------------------------------------------------------------------------- */

static void tell_cores(const struct pt_remote *r)
{
	const char *threads[PT_REMOTE_MAX_CORES];

	for (unsigned i = 0; i < r->n_cores; i++)
		threads[i] = r->core[i].thread;
	r->rsp->set_cores(r->wire, threads, r->n_cores);
}

/* Linux' kgdb lists one shadow thread for each CPU, then all tasks: CPU n is -2 - n in 32 bits. Only the shadow threads
 * are cores. Source: Linux, kernel/debug/gdbstub.c, gdb_cmd_query. */
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

/* "m1,2" or "mp1.1,p1.2", and "l" for no more. OpenOCD without an RTOS has an empty list: one core without a name. */
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

/* D resumes the target; without D the server does what it does when a client disconnects. */
int pt_remote_detach(void *state, bool resume, struct pt_err *err)
{
	struct pt_remote *r = state;
	struct pt_rsp_run run;
	int rc = 0;

	if (r->rsp->poll(r->wire, 0, &run, err) == 0 && (!run.running || run.non_stop)) {
		while (r->n_breaks > 0 && rc == 0)
			rc = pt_remote_break_remove(r,
						    &(struct pt_break){ r->breaks[0].kind, r->breaks[0].addr,
									r->breaks[0].len },
						    err);
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
		say(arg, "the target was halted when the connection was made: most servers do that to each new client");
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
		return pt_fail(err, PT_EBUSY, "all %d breakpoints are in use: delete one first", PT_REMOTE_MAX_BREAKS);
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
	(void)progress;		/* the other server reports none */
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
	static const struct pt_source_ops *const sources[] = { &pt_source_remote_pc, &pt_source_watch };

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
