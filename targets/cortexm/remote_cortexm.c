/* The target cortexm-rsp: a Cortex-M behind another GDB server. The server controls the core; cortexm adds the sources
 * that need only memory, if the server can read memory while the core runs (OpenOCD; upstream-memory=running). If it
 * cannot, nothing is read to find units, and sources say why they are not offered.
 *
 * A debugger's protocol does not reach the access port, which names the ROM table. Tables are looked for in two places:
 * the architecture's (Arm DDI 0419, table C1-1), and the system's of Kinetis L, which the designer's mark distinguishes
 * from other contents at that address. */
#include <stdio.h>
#include <string.h>

#include "targets/cortexm/core/architecture.h"
#include "targets/cortexm/core/cortexm.h"
#include "targets/cortexm/trace/mtb.h"
#include "targets/remote/remote.h"
#include "targets/cortexm/vendor/families.h"
#include "targets/cortexm/trace/sources.h"
#include "base/util.h"
#include "host/log.h"
#include "targets/contract/source_watch.h"

/* the longest time that the server may be busy with a debugger's request, as in gdbstub/proxy/proxy.h */
enum { BUSY_S = 60 };
#define CPUID_ADDR 0xe000ed00	/* never changes. Source: Arm DDI 0419, B3.2.3 */

struct behind {
	struct pt_remote remote;	/* first: see remote.h */
	struct pt_cortexm cm;		/* only memory is used */
	struct pt_mem mem;
	char wanted[64];		/* the chip that the user names; "" none */
	char unchecked[64];		/* the chip that is expected, and could not be compared; "" none */
	/* why only the server's own functions are offered; "": all are */
	char why_not[sizeof(((struct pt_err *)NULL)->msg)];
};

enum { CHIP = PT_REMOTE_N_PARAMS, EXPECTED_CHIP, CORE_CLOCK, N_PARAMS };
static const struct pt_param params[] = {
	PT_REMOTE_PARAMS,
	[CHIP] = { .key = "chip", .type = PT_PARAM_TEXT,
		   .help = "name of the chip, where its registers do not say, or say it wrong (MKL27Z256, ...)" },
	[EXPECTED_CHIP] = { .key = "expected-chip", .type = PT_PARAM_TEXT,
			    .help = "how the name of the right chip begins, as --board knows it; a chip that says it is "
				    "another is not attached to" },
	[CORE_CLOCK] = { .key = "core-clock", .type = PT_PARAM_HZ, .choices = "measure",
			 .help = "core clock, to show cycles as seconds" },
};

/* --- memory ------------------------------------------------------------------------------------------------------- */

/* Waits for a server that is busy with a long request of a debugger (flash, a reset): this is not an error. */
static int run(void *state, struct pt_mem_op *ops, size_t n_ops, uint32_t timeout_ms, size_t *n_done,
	       uint64_t *fault_addr, struct pt_err *err)
{
	struct pt_mem *server = pt_remote_mem(state, 0);
	struct pt_link *link = pt_probe_link(((struct behind *)state)->cm.target->probe);
	uint64_t until_ns = pt_link_now_ns(link) + BUSY_S * PT_NS_PER_S;
	size_t n = 0;
	int rc;

	*n_done = 0;
	do {
		rc = server->ops->run(server->state, ops + *n_done, n_ops - *n_done, timeout_ms, &n, fault_addr, err);
		*n_done += n;
		if (rc == PT_EBUSY && pt_link_wait(link, pt_link_now_ns(link), err) == PT_EINTERRUPTED)
			return PT_EINTERRUPTED;
	} while (rc == PT_EBUSY && pt_link_now_ns(link) < until_ns);
	return rc == PT_EBUSY ? PT_ETIMEOUT : rc;
}

static uint64_t now_ns(void *state)
{
	return pt_mem_now_ns(pt_remote_mem(state, 0));
}

static int wait_until(void *state, uint64_t until_ns, struct pt_err *err)
{
	return pt_mem_wait(pt_remote_mem(state, 0), until_ns, err);
}

static const struct pt_mem_ops mem_ops = { .run = run, .now_ns = now_ns, .wait = wait_until, .while_running = true };

/* --- attach ------------------------------------------------------------------------------------------------------- */

static bool is_m_profile(const struct pt_remote *r)
{
	for (size_t i = 0; i < r->n_server; i++)
		if (r->rows[i].feature != NULL && strcmp(r->rows[i].feature, "org.gnu.gdb.arm.m-profile") == 0)
			return true;
	return false;
}

static int look_around(struct behind *b, const char *wanted, struct pt_err *err)
{
	struct pt_cortexm *cm = &b->cm;

	if (!b->remote.mem.ops->while_running)
		return pt_fail(err, PT_EUNSUPPORTED, "%s", pt_remote_why_halted_only(&b->remote));
	if (b->remote.n_cores > 1)
		return pt_fail(err, PT_EUNSUPPORTED, "which of the server's %u threads is the core is not known",
			       b->remote.n_cores);
	if (pt_cortexm_discover_tables(&cm->found, cm->mem, err) < 0 ||
	    pt_cortexm_chip_identify(&cm->chip, &cm->family, &cm->found, cm->mem, wanted, err) < 0 ||
	    pt_cortexm_save(cm, err) < 0)
		return err->code;
	pt_cortexm_full_name(&cm->chip, cm->name, sizeof(cm->name));
	snprintf(b->remote.chip, sizeof(b->remote.chip), "%.60s behind %.20s", cm->name,
		 b->remote.facts.name[0] != '\0' ? b->remote.facts.name : "a GDB server");
	return 0;
}

static void look_for_units(struct behind *b)
{
	struct pt_err why = { 0 };

	memset(&b->cm.found, 0, sizeof(b->cm.found));
	b->why_not[0] = '\0';
	if (look_around(b, b->wanted[0] != '\0' ? b->wanted : NULL, &why) < 0)
		snprintf(b->why_not, sizeof(b->why_not), "%s", why.msg);
}

/* A TCL port that did not work at first may work now. */
static int reach_units(struct pt_cortexm *cm, struct pt_err *err)
{
	struct behind *b = cm->target->state;

	if (b->why_not[0] != '\0' && b->remote.tcl != NULL)
		look_for_units(b);
	return b->why_not[0] == '\0' ? 0 : pt_fail(err, PT_EUNSUPPORTED, "%s", b->why_not);
}

static int behind_look_again(void *state, struct pt_err *err)
{
	struct behind *b = state;

	return b->why_not[0] == '\0' ? pt_cortexm_save(&b->cm, err) : 0;
}

/* If memory can be read now, and units were not looked for, the chip is identified only for this. */
static int identify(struct behind *b, struct pt_err *err)
{
	struct pt_cortexm *cm = &b->cm;
	int rc;

	if (b->why_not[0] == '\0')
		return 0;
	rc = pt_cortexm_discover_tables(&cm->found, cm->mem, err);
	if (rc == 0)
		rc = pt_cortexm_chip_identify(&cm->chip, &cm->family, &cm->found, cm->mem,
					      b->wanted[0] != '\0' ? b->wanted : NULL, err);
	return rc;
}

static int check_expected(struct behind *b, const char *expected, struct pt_err *err)
{
	struct pt_err why = { 0 };
	bool unchecked = true;
	int rc;

	if (expected == NULL)
		return 0;
	rc = identify(b, &why);
	if (rc == 0 && pt_cortexm_check_expected(&b->cm.chip, expected, &unchecked, err) < 0)
		return err->code;
	if (!unchecked)
		return 0;
	snprintf(b->unchecked, sizeof(b->unchecked), "%s", expected);
	pt_warn("cortexm-rsp: that the chip is %s is not checked: %s", expected,
		rc < 0 ? why.msg : "no register that is known says what chip it is");
	return 0;
}

/* If a board was named, a server of another chip is refused. */
static int refuse(struct behind *b, const char *expected, struct pt_err *err)
{
	pt_remote_close(&b->remote);
	if (expected == NULL)
		return pt_fail(err, PT_EUNSUPPORTED, "the GDB server does not serve an Arm core of the M profile");
	return pt_fail(
		err, PT_EARG,
		"the board that was named has %s, and the GDB server does not serve an Arm core of the M profile: leave "
		"out --board (expected-chip), or connect to the server of that board",
		expected);
}

static int behind_attach(struct pt_target *target, const struct pt_params *settings, struct pt_err *err)
{
	static const struct pt_remote_kind kind = { .name = "cortexm-rsp", .steady_addr = CPUID_ADDR };
	struct behind *b = target->state;
	const char *chip = pt_params_text(settings, &params[CHIP]),
		   *expected = pt_params_text(settings, &params[EXPECTED_CHIP]);

	if (pt_remote_open(&b->remote, target, &kind, settings, err) < 0)
		return err->code;
	if (!is_m_profile(&b->remote))
		return refuse(b, expected, err);
	b->mem = (struct pt_mem){ &mem_ops, b };
	b->cm.target = target;
	b->cm.mem = &b->mem;
	b->cm.behind_reach = reach_units;
	target->family = &b->cm;
	snprintf(b->wanted, sizeof(b->wanted), "%s", chip != NULL ? chip : "");
	look_for_units(b);
	if (check_expected(b, expected, err) == 0)
		return 0;
	pt_remote_close(&b->remote);
	return err->code;
}

static void behind_describe(void *state, void (*say)(void *arg, const char *line), void *arg)
{
	struct behind *b = state;
	char line[1100];

	say(arg, b->remote.chip);
	pt_remote_describe(state, say, arg);
	if (b->why_not[0] != '\0')
		snprintf(line, sizeof(line), "trace units were not looked for: %s", b->why_not);
	else
		pt_discovery_print(&b->cm.found, line, sizeof(line));
	say(arg, line);
	if (b->unchecked[0] != '\0') {
		snprintf(line, sizeof(line), "that the chip is %s is not checked", b->unchecked);
		say(arg, line);
	}
	if (b->cm.mtb != NULL)
		pt_mtb_describe(b->cm.mtb, say, arg);
}

/* --- what differs ------------------------------------------------------------------------------------------------- */

/* The source that read DHCSR has cleared the mark of a reset, and reports it here. */
static int behind_status(void *state, unsigned core, struct pt_core_status *out, struct pt_err *err)
{
	struct behind *b = state;
	int rc = pt_remote_status(state, core, out, err);

	out->was_reset |= rc == 0 && b->cm.was_reset;
	b->cm.was_reset &= rc != 0;
	return rc;
}

static struct pt_mem *behind_mem(void *state, unsigned core)
{
	struct behind *b = state;

	return b->why_not[0] != '\0' ? pt_remote_mem(state, core) : &b->mem;
}

static const struct pt_region *behind_regions(void *state, size_t *n)
{
	const struct behind *b = state;

	if (b->why_not[0] != '\0')
		return pt_remote_regions(state, n);
	*n = b->cm.chip.n_regions;
	return b->cm.chip.region;
}

/* 0, unknown, if memory was not read. */
static uint8_t behind_cpu_arch(void *state)
{
	return ((const struct behind *)state)->cm.chip.cpu_arch;
}

static const struct pt_source_ops *const *behind_sources(void *state, size_t *n)
{
	static const struct pt_source_ops *const sources[] = { &pt_source_mtb, &pt_source_pcsr, &pt_source_remote_pc,
							       &pt_source_watch };

	(void)state;
	*n = PT_LEN(sources);
	return sources;
}

const struct pt_target_ops pt_cortexm_rsp_ops = {
	.name = "cortexm-rsp",
	.help = "Arm Cortex-M behind another GDB server (rsp:HOST:PORT)",
	.state_bytes = sizeof(struct behind),
	.params = params,
	.n_params = N_PARAMS,
	.architecture = "arm",
	.arch = { .elf_machine = PT_MACHINE_ARM, .profile = 'M' },
	.cpu_arch = behind_cpu_arch,
	.look_again = behind_look_again,
	.attach = behind_attach,
	.detach = pt_remote_detach,
	.chip = pt_remote_chip,
	.describe = behind_describe,
	PT_REMOTE_CONTROL,
	.status = behind_status,
	.resume = pt_remote_resume,
	.step = pt_remote_step,
	.reset = pt_remote_reset,
	.mem = behind_mem,
	.regions = behind_regions,
	.sources = behind_sources,
};
