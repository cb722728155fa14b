/* Attach, detach, and the table of what the target can do. See e500.h. */
#include "targets/e500/perfmon/perfmon.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "host/log.h"
#include "targets/e500/registers.h"
#include "targets/e500/trace/sources.h"
#include "targets/e500/events_word.h"
#include "base/util.h"
#include "targets/contract/source_watch.h"

/* --- attach ------------------------------------------------------------------------------------------------------- */

static int open_remote(struct pt_e500_target *e500, struct pt_target *target, struct pt_err *err)
{
	pt_e500_choose_layout(e500);
	pt_e500_make_own(e500);
	return pt_remote_open(&e500->remote, target, &e500->kind, e500->settings, err);
}

/* Length of the g packet of a server without a description, in bytes; 0: the server has a description or did not answer
 * (the core runs). */
static unsigned ask_g_bytes(struct pt_e500_target *e500)
{
	enum { MOST = 1024 };
	char answer[2 * MOST];
	int len = e500->remote.facts.features
			  ? 0
			  : pt_remote_ask(&e500->remote, "g", answer, sizeof(answer), &(struct pt_err){ 0 });

	return len > 0 ? (unsigned)len / 2 : 0;
}

/* Makes the description again if the core has a different number of PMRs than assumed, or if the server sends another
 * core's g packet (a 32-bit kernel on an e500mc sends the same as on an e500v2). */
static int open_as_core(struct pt_e500_target *e500, struct pt_target *target, struct pt_err *err)
{
	const struct pt_register *layout;
	enum pt_e500_core taken;

	if (!pt_e500_core_by_setting(e500))
		e500->core = PT_E500_V2;
	taken = e500->core;
	e500->g_bytes = 0;
	if (open_remote(e500, target, err) < 0)
		return err->code;
	layout = e500->kind.layout;
	e500->g_bytes = ask_g_bytes(e500);
	if (pt_e500_find_core(e500, err) < 0) {
		pt_remote_close(&e500->remote);
		return err->code;
	}
	pt_e500_choose_layout(e500);
	if (pt_e500_kinds[taken].n_pmcs == pt_e500_kinds[e500->core].n_pmcs &&
	    (e500->remote.facts.features || e500->kind.layout == layout))
		return 0;
	pt_remote_close(&e500->remote);
	return open_remote(e500, target, err);
}

/* RAM is known only from the setting ram; the rest of the address space may be accessed, too. */
static void find_regions(struct pt_e500_target *e500)
{
	const uint64_t end = UINT64_C(1) << 32;
	struct pt_region all[3];
	uint64_t addr = 0, size = 0;
	size_t n = 0;

	pt_params_span(e500->settings, &pt_e500_settings[PT_E500_SET_RAM], &addr, &size);
	if (addr >= end || size > end - addr)
		size = 0;
	if (size == 0)
		addr = 0;
	all[n++] = (struct pt_region){ .kind = PT_REGION_IO, .addr = 0, .size = addr };
	all[n++] = (struct pt_region){ .kind = PT_REGION_RAM, .addr = addr, .size = size };
	all[n++] = (struct pt_region){ .kind = PT_REGION_IO, .addr = addr + size, .size = end - addr - size };
	e500->n_regions = 0;
	for (size_t i = 0; i < n; i++)
		if (all[i].size > 0)
			e500->region[e500->n_regions++] = all[i];
}

static int e500_attach(struct pt_target *target, const struct pt_params *settings, struct pt_err *err)
{
	struct pt_e500_target *e500 = target->state;
	void *wire;

	if (pt_probe_rsp(target->probe, &wire) == NULL)
		return pt_fail(err, PT_EUNSUPPORTED,
			       "an e500 is reached through the GDB server of its probe (rsp:HOST:PORT)");
	e500->settings = pt_params_copy(settings);
	e500->agent_addr = PT_UNKNOWN;
	e500->kind = (struct pt_remote_kind){
		.name = "e500", .pc = "pc",
		.first_own = (uint16_t)pt_params_number(settings, &pt_e500_settings[PT_E500_SET_REGNUM]),
		.read_own = pt_e500_read_own, .write_own = pt_e500_write_own,
	};
	if (open_as_core(e500, target, err) < 0) {
		pt_params_free(e500->settings);
		return err->code;
	}
	snprintf(e500->name, sizeof(e500->name), "%s behind %.20s at %.60s", pt_e500_kinds[e500->core].name,
		 e500->remote.facts.name[0] != '\0' ? e500->remote.facts.name : "a GDB server",
		 e500->remote.facts.where);
	find_regions(e500);
	pt_e500_settle(e500);
	return 0;
}

static int e500_detach(void *state, bool resume, struct pt_err *err)
{
	struct pt_e500_target *e500 = state;
	int rc;

	for (unsigned core = 0; core < PT_REMOTE_MAX_CORES; core++)
		if (e500->pm.hold[core].n_saved > 0 &&
		    pt_e500_give_back(e500, core, e500->pm.hold[core].owner, err) < 0)
			pt_warn("e500: %s", err->msg);
	if (!e500->pm.silent)	/* otherwise detach would wait for a second timeout */
		pt_e500_settle(e500);
	pt_e500_owe_core(e500);
	pt_e500_pm_close(e500);
	rc = pt_remote_detach(e500, resume, err);
	pt_params_free(e500->settings);
	return rc;
}

static const char *e500_chip(void *state)
{
	return ((const struct pt_e500_target *)state)->name;
}

static void e500_describe(void *state, void (*say)(void *arg, const char *line), void *arg)
{
	struct pt_e500_target *e500 = state;
	char line[600], pvr[24] = "";

	pt_remote_describe(state, say, arg);
	if (e500->pvr != 0)
		snprintf(pvr, sizeof(pvr), ", PVR 0x%08" PRIx32, e500->pvr);
	snprintf(line, sizeof(line), "core: %s (%s%s), %u counters", pt_e500_kinds[e500->core].name, e500->how_known,
		 pvr, pt_e500_kinds[e500->core].n_pmcs);
	say(arg, line);
	pt_e500_choose(e500, &(struct pt_err){ 0 });
	pt_e500_describe_way(e500, line, sizeof(line));
	say(arg, line);
	for (unsigned core = 0; core < PT_REMOTE_MAX_CORES; core++) {
		const struct pt_e500_hold *hold = &e500->pm.hold[core];
		char of_core[16] = "";

		if (hold->n_saved == 0)
			continue;
		if (e500->remote.n_cores > 1)
			snprintf(of_core, sizeof(of_core), " of core %u", core);
		snprintf(line, sizeof(line),
			 "changed: the performance monitor%s counts for %s; its %zu registers are put back at the end",
			 of_core, hold->owner, hold->n_saved);
		say(arg, line);
	}
}

/* --- run control -------------------------------------------------------------------------------------------------- */

static int e500_resume(void *state, unsigned core, struct pt_err *err)
{
	pt_e500_forget(state);
	return pt_remote_resume(state, core, err);
}

static int e500_step(void *state, unsigned core, struct pt_err *err)
{
	pt_e500_forget(state);
	return pt_remote_step(state, core, err);
}

static int e500_reset(void *state, enum pt_reset_kind how, struct pt_err *err)
{
	pt_e500_forget(state);
	pt_e500_agent_forget(state);
	return pt_remote_reset(state, how, err);
}

static const char *const symbols[] = { "proftap_agent", NULL };

static void e500_symbol(void *state, unsigned i, uint64_t addr)
{
	struct pt_e500_target *e500 = state;

	(void)i;
	if (addr == e500->agent_addr)
		return;
	e500->agent_addr = addr;
	pt_e500_agent_forget(e500);
	pt_e500_ask_again(e500, &pt_e500_by_agent);
}

static const struct pt_region *e500_regions(void *state, size_t *n)
{
	const struct pt_e500_target *e500 = state;

	*n = e500->n_regions;
	return e500->region;
}

static const struct pt_source_ops *const *e500_sources(void *state, size_t *n)
{
	static const struct pt_source_ops *const sources[] = { &pt_source_e500_samples, &pt_source_e500_counters,
							       &pt_source_watch };

	(void)state;
	*n = PT_LEN(sources);
	return sources;
}

static const struct pt_target_word words[] = {
	{ .name = "events", .usage = "CORE [TEXT] [format=json]",
	  .help = "e500: what a core's performance monitor can count", .needs_no_target = true,
	  .print = pt_e500_print_events },
	{ 0 },
};

const struct pt_target_ops pt_e500_ops = {
	.name = "e500",
	.help = "PowerPC e500v1, e500v2, e500mc, e5500, e6500 behind a GDB server, and their performance monitor",
	.state_bytes = sizeof(struct pt_e500_target),
	.params = pt_e500_settings,
	.n_params = PT_E500_N_SETTINGS,
	.architecture = "powerpc:e500",
	.clock_hint = "source=counters events=cycles count=all prints it as core.hz where e500.tb_hz= is known; else say "
		      "core-clock=HZ",
	.is_big_endian = pt_remote_is_big_endian,
	.arch = { .elf_machine = 20 },	/* EM_PPC */
	.attach = e500_attach,
	.pending_read = pt_e500_pending_read,
	.pending_write = pt_e500_pending_write,
	.pending_mend = pt_e500_pending_mend,
	.detach = e500_detach,
	.chip = e500_chip,
	.describe = e500_describe,
	PT_REMOTE_CONTROL,
	.status = pt_remote_status,
	.resume = e500_resume,
	.step = e500_step,
	.reset = e500_reset,
	.mem = pt_remote_mem,
	.regions = e500_regions,
	.sources = e500_sources,
	.words = words,
	.symbols = symbols,
	.symbol = e500_symbol,
};
