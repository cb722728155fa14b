/* Attach, detach, and the table of what the target can do. See cortexm.h. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "host/log.h"
#include "targets/arm/semihost.h"
#include "targets/cortexm/core/architecture.h"
#include "targets/cortexm/core/cortexm.h"
#include "targets/cortexm/cores.h"
#include "targets/cortexm/trace/mtb.h"
#include "targets/cortexm/vendor/flash.h"
#include "targets/cortexm/vendor/families.h"
#include "targets/cortexm/trace/sources.h"
#include "targets/cortexm/swo/source_swo.h"
#include "targets/cortexm/swo/swo_doctor.h"
#include "base/util.h"
#include "targets/contract/source_watch.h"

/* --- settings ----------------------------------------------------------------------------------------------------- */

enum { CONNECT, RESET_BY, STEP_INTERRUPTS, CATCH_FAULTS, ALLOW_LOCK, CHIP, EXPECTED_CHIP, CORE_CLOCK, SWD_TARGET, SEMIHOST, SEMIHOST_DIR,
       N_PARAMS };
static const struct pt_param params[] = {
	[CONNECT] = { .key = "connect", .type = PT_PARAM_CHOICE, .standard = "running",
		      .choices = "running|under-reset",
		      .help = "leave the core alone, or hold the reset pin and stop at the reset vector" },
	[RESET_BY] = { .key = "reset-by", .type = PT_PARAM_CHOICE, .standard = "request", .choices = "request|pin",
		       .help = "how monitor reset works: AIRCR.SYSRESETREQ or the reset pin" },
	[STEP_INTERRUPTS] = { .key = "step-interrupts", .type = PT_PARAM_CHOICE, .standard = "mask",
			      .choices = "mask|run",
			      .help = "whether a single step holds back pending interrupts (C_MASKINTS; they come with "
				      "the next continue) or enters them" },
	[CATCH_FAULTS] = { .key = "catch-faults", .type = PT_PARAM_FLAG, .standard = "off",
			   .help = "halt at the entry of HardFault (ARMv7-M and later: of all faults) while a debugger is "
				   "attached; monitor fault says why" },
	[ALLOW_LOCK] = { .key = "allow-lock", .type = PT_PARAM_FLAG, .standard = "off",
			 .help = "program a flash configuration that secures the chip or disables its mass erase" },
	[CHIP] = { .key = "chip", .type = PT_PARAM_TEXT,
		   .help = "name of the chip, where its registers do not say, or say it wrong (MKL27Z256, ...)" },
	[EXPECTED_CHIP] = { .key = "expected-chip", .type = PT_PARAM_TEXT,
			    .help = "how the name of the right chip begins, as --board knows it; a chip that says it is "
				    "another is not attached to" },
	[CORE_CLOCK] = { .key = "core-clock", .type = PT_PARAM_HZ, .choices = "measure",
			 .help = "core clock, to show cycles as seconds" },
	[SWD_TARGET] = { .key = "swd-target", .type = PT_PARAM_NUMBER, .max = UINT32_MAX,
			 .help = "which of several debug ports on an SWD wire (multi-drop), as TARGETSEL selects it; an RP2040's "
				 "cores are found without, and 0x11002927 takes its second one alone" },
	[SEMIHOST] = { .key = "semihost", .type = PT_PARAM_CHOICE, .standard = "off", .choices = "off|console|gdb",
		       .help = "who serves BKPT 0xAB from the start; as monitor semihost" },
	[SEMIHOST_DIR] = { .key = "semihost-dir", .type = PT_PARAM_TEXT,
			   .help = "folder on this host for a program's files, not to be named by monitor; none: it has none" },
};

static void take_settings(struct pt_cortexm *cm, const struct pt_params *settings)
{
	cm->under_reset = strcmp(pt_params_text(settings, &params[CONNECT]), "under-reset") == 0;
	cm->reset_pin = strcmp(pt_params_text(settings, &params[RESET_BY]), "pin") == 0;
	cm->mask_step = strcmp(pt_params_text(settings, &params[STEP_INTERRUPTS]), "mask") == 0;
	cm->catch_faults = pt_params_flag(settings, &params[CATCH_FAULTS]);
	cm->swd_target = (uint32_t)pt_params_number(settings, &params[SWD_TARGET]);
	cm->allow_lock = pt_params_flag(settings, &params[ALLOW_LOCK]);
}

/* --- attach ------------------------------------------------------------------------------------------------------- */

static int connect_wire(struct pt_cortexm *cm, struct pt_probe *probe, struct pt_err *err)
{
	void *wire;
	const struct pt_dap_ops *dap = pt_probe_dap(probe, &wire);

	if (dap == NULL)
		return pt_fail(err, PT_EUNSUPPORTED, "the probe offers no SWD");
	pt_adi_init(&cm->adi, dap, wire, pt_probe_link(probe));
	cm->adi.targetsel = cm->swd_target;
	pt_cortexm_shared_ports(cm->adi.shared, PT_LEN(cm->adi.shared));
	if (cm->under_reset && pt_cortexm_hold_reset(cm, err) < 0)
		return err->code;
	if (pt_adi_connect(&cm->adi, err) < 0 || pt_discover_aps(&cm->found, &cm->adi, err) < 0)
		return err->code;
	pt_cortexm_cores_reach(cm, &cm->adi, cm->found.mem_ap);
	cm->family = pt_cortexm_family_of(&cm->found);
	return 0;
}

/* If the core's bus cannot be reached in reset, the chip's own port holds the core. */
static int hold_core(struct pt_cortexm *cm, bool hold, struct pt_err *err)
{
	return cm->family != NULL && cm->family->hold_core != NULL ? cm->family->hold_core(cm, hold, err) : 0;
}

static int check_lock(struct pt_cortexm *cm, struct pt_err *err)
{
	return cm->family != NULL && cm->family->check_lock != NULL ? cm->family->check_lock(cm, err) : 0;
}

static int stop_at_reset_vector(struct pt_cortexm *cm, struct pt_err *err)
{
	if (hold_core(cm, true, err) < 0 || pt_cortexm_catch_reset_vector(cm, err) < 0)
		return err->code;
	if (hold_core(cm, false, err) < 0)
		return pt_wrap(err, "let go of reset");
	return pt_cortexm_release_reset(cm, err);
}

/* Refuses a wrong board before anything in it is changed. A chip without a row cannot be compared. */
static int check_expected(const struct pt_cortexm *cm, const char *expected, struct pt_err *err)
{
	bool unchecked = false;

	if (expected != NULL && pt_cortexm_check_expected(&cm->chip, expected, &unchecked, err) < 0)
		return err->code;
	if (unchecked)
		pt_warn("cortexm: expected is %s, but the chip cannot be identified: check that it is the right board",
			expected);
	return 0;
}

/* A chip that the user names is searched for units only if its registers disagree with the name. */
static int identify(struct pt_cortexm *cm, const char *wanted, const char *expected, struct pt_err *err)
{
	const char *name = wanted != NULL ? wanted : expected;

	if (pt_cortexm_chip_by_name(&cm->chip, &cm->family, &cm->found, cm->mem, name, wanted == NULL))
		return 0;
	if (pt_discover_units(&cm->found, &cm->adi, cm->mem, err) < 0)
		return err->code;
	return pt_cortexm_chip_identify(&cm->chip, &cm->family, &cm->found, cm->mem, wanted, err);
}

static int look_around(struct pt_cortexm *cm, const char *wanted, const char *expected, struct pt_err *err)
{
	if (cm->under_reset && stop_at_reset_vector(cm, err) < 0)
		return err->code;
	if (identify(cm, wanted, expected, err) < 0 || check_expected(cm, expected, err) < 0)
		return err->code;
	if (!cm->under_reset && pt_cortexm_save(cm, err) < 0)
		return err->code;
	return pt_cortexm_breaks_init(cm, err);
}

/* A core that is off or locked must not prevent the use of another core of the part: then the other one is the first.
 * If no core can be used, the error is that of the first port. */
static int find_first(struct pt_cortexm *cm, const char *wanted, const char *expected, struct pt_err *err)
{
	struct pt_discovery first = cm->found;
	struct pt_err why = { 0 };
	int rc = look_around(cm, wanted, expected, err);

	for (uint8_t ap = (uint8_t)(first.mem_ap + 1); rc == PT_EFAULT && !cm->under_reset && ap < PT_MAX_AP; ap++) {
		if (!pt_discover_has_memory(&first, ap))
			continue;
		cm->found = first;
		pt_cortexm_cores_reach(cm, &cm->adi, ap);
		if (pt_discover_units(&cm->found, &cm->adi, cm->mem, &why) < 0 || !pt_discover_is_core(&cm->found))
			continue;
		cm->found = first;
		cm->found.mem_ap = ap;
		if (look_around(cm, wanted, expected, &why) == 0)
			return 0;
	}
	if (rc < 0) {
		cm->found = first;
		pt_cortexm_cores_reach(cm, &cm->adi, first.mem_ap);
	}
	return rc;
}

static void name_chip(struct pt_cortexm *cm)
{
	pt_cortexm_full_name(&cm->chip, cm->name, sizeof(cm->name));
	cm->power_losses = cm->adi.power_losses;	/* the power-up at connection is not a loss */
	cm->was_reset = false;
}

static void name_part(struct pt_cortexm *cm)
{
	size_t len = strlen(cm->name);

	if (cm->n_others > 0)		/* in brackets at the end of the name */
		snprintf(cm->name + len - 1, sizeof(cm->name) - len + 1, ", %u cores)", pt_cortexm_n_cores(cm));
}

/* A chip that is locked, of an unknown family, shows this only by its access port. */
static void say_that_it_is_closed(struct pt_cortexm *cm, struct pt_err *err)
{
	if (err->code == PT_EFAULT && pt_cortexm_port_is_closed(cm))
		pt_fail(err, PT_EFAULT,
			"access port %u is closed (CSW.DeviceEn is 0): the chip is protected against debugging (its maker's "
			"tool opens it, and erases its flash), or the core is off",
			cm->found.mem_ap);
}

/* A chip that does not answer, or answers with an error, may be asleep. The reset pin would wake it. */
static void advise_wake(const struct pt_cortexm *cm, struct pt_err *err)
{
	if (!cm->under_reset && !cm->locked &&
	    (err->code == PT_EPROTO || err->code == PT_EFAULT || err->code == PT_ETIMEOUT))
		pt_advise(
			err,
			"a chip that is in deep sleep, or whose program has closed its debug port, may answer with --connect "
			"under-reset");
}

static int cortexm_attach(struct pt_target *target, const struct pt_params *settings, struct pt_err *err)
{
	struct pt_cortexm *cm = target->state;
	struct pt_err ignored = { 0 };

	cm->target = target;
	take_settings(cm, settings);
	if (connect_wire(cm, target->probe, err) < 0)
		goto let_go;
	if (check_lock(cm, err) < 0) {
		cm->locked = err->code == PT_ESTATE;
		pt_cortexm_chip_locked(&cm->chip, cm->family);
		name_chip(cm);
		goto let_go;
	}
	if (find_first(cm, pt_params_text(settings, &params[CHIP]), pt_params_text(settings, &params[EXPECTED_CHIP]),
		       err) < 0)
		goto put_back;
	name_chip(cm);
	if (cm->chip.protection != NULL)
		pt_warn("%s: %s", cm->chip.name, cm->chip.protection);
	if (pt_cortexm_cores_find(cm, err) < 0)
		goto put_back;
	name_part(cm);
	return 0;
put_back:
	say_that_it_is_closed(cm, err);
	pt_cortexm_cores_restore(cm, true, &ignored);
	pt_cortexm_cores_free(cm);
let_go:
	if (cm->under_reset && cm->adi.dap != NULL)
		cm->adi.dap->set_reset(cm->adi.wire, false, &ignored);
	advise_wake(cm, err);
	return err->code;
}

static int cortexm_detach(void *state, bool resume, struct pt_err *err)
{
	struct pt_cortexm *cm = state;
	int rc;

	pt_cortexm_flash_forget(cm);
	if (cm->locked)
		return 0;
	rc = pt_cortexm_cores_restore(cm, resume, err);
	pt_cortexm_cores_free(cm);
	return rc < 0 ? pt_wrap(err, "detach") : 0;
}

/* --- what was found, what was changed ----------------------------------------------------------------------------- */

struct teller { void (*say)(void *arg, const char *line); void *arg; };

static void tell_ports(const struct pt_cortexm *cm, const struct teller *to)
{
	char line[160];

	snprintf(line, sizeof(line), "debug port: DPIDR 0x%08x, memory through access port %u (IDR 0x%08x)",
		 (unsigned)cm->adi.dpidr, cm->found.mem_ap, (unsigned)cm->found.idr[cm->found.mem_ap]);
	to->say(to->arg, line);
	if (cm->adi.targetsel == 0)
		return;
	snprintf(line, sizeof(line), "that port is one of several on its wire: swd-target=0x%08x selects it",
		 (unsigned)cm->adi.targetsel);
	to->say(to->arg, line);
}

static void tell_units(const struct pt_cortexm *cm, const struct teller *to)
{
	char line[160];

	pt_discovery_print(&cm->found, line, sizeof(line));
	to->say(to->arg, line);
	if (cm->found.by_name)
		to->say(to->arg,
			"these are where the chip that was named has them (its ID registers agree); its ROM tables "
			"were not read");
	if (!cm->found.from_table)
		to->say(to->arg, "the ROM table names no core: addresses of the architecture are used");
	snprintf(line, sizeof(line), "%u hardware breakpoints, %u watchpoints", cm->breaks.n_bpu, cm->breaks.n_dwt);
	to->say(to->arg, line);
}

/* Lists what a debugger cannot see, so that nobody believes the list to be complete. */
static void tell_core(const struct pt_cortexm *cm, const struct teller *to)
{
	if (cm->chip.caches)
		to->say(to->arg,
			"caches: memory is read and written past them; the instruction cache is emptied when a debugger has "
			"written what can be code; data that only the data cache has are not seen");
	if ((cm->demcr & DEMCR_MON_EN) != 0)
		to->say(to->arg,
			"the program has enabled DebugMonitor (DEMCR.MON_EN), which gets its debug events while no debugger halts the "
			"core; from the first halt or breakpoint of a debugger on, until it leaves, they halt the core instead");
	if (!cm->chip.secure)
		return;
	to->say(to->arg, (cm->found_dhcsr & DHCSR_S_SDE) != 0
				 ? "Security Extension (TrustZone): this debugger reaches the Secure side, too"
				 : "Security Extension (TrustZone): the Secure side is closed to this debugger; what "
				   "runs there is not sampled and does not halt");
	to->say(to->arg, "not shown: the stack pointers and limits of each security state, and which of them it is in");
}

static void tell_memory(const struct pt_cortexm *cm, const struct teller *to)
{
	char line[160];

	if (cm->chip.ram_bytes == 0 && cm->chip.flash_bytes == 0)
		snprintf(line, sizeof(line),
			 "memory map not known: no flash programming, no RAM for a trace buffer by itself");
	else
		snprintf(line, sizeof(line), "flash %u KiB at %s%x, RAM %u KiB at 0x%08x",
			 (unsigned)(cm->chip.flash_bytes / 1024), cm->chip.flash_addr != 0 ? "0x" : "",
			 (unsigned)cm->chip.flash_addr, (unsigned)(cm->chip.ram_bytes / 1024),
			 (unsigned)cm->chip.ram_addr);
	to->say(to->arg, line);
	if (cm->chip.protection != NULL)
		to->say(to->arg, cm->chip.protection);
}

/* Lists registers that differ from how they were found. */
static void tell_changes(const struct pt_cortexm *cm, const struct teller *to)
{
	char line[200], whose[32] = "changed: ";
	unsigned n = 0;

	if (cm->number != 0)
		snprintf(whose, sizeof(whose), "changed in core %u: ", cm->number);
	if (cm->debug_on && (cm->found_dhcsr & DHCSR_C_DEBUGEN) == 0) {
		snprintf(line, sizeof(line), "%sDHCSR.C_DEBUGEN = 1 (put back on detach)", whose);
		to->say(to->arg, line);
	}
	if (((cm->demcr ^ cm->found_demcr) & ~DEMCR_MON) != 0) {
		size_t len = (size_t)snprintf(line, sizeof(line), "%s", whose);

		pt_fields_print("DEMCR", cm->demcr, pt_demcr_fields, line + len, sizeof(line) - len);
		to->say(to->arg, line);
	}
	for (unsigned i = 0; i < PT_MAX_BPU; i++)
		n += cm->breaks.bpu[i].used;
	for (unsigned i = 0; i < PT_MAX_DWT; i++)
		n += cm->breaks.dwt[i].used;
	for (unsigned i = 0; i < PT_MAX_SOFT; i++)
		n += cm->breaks.soft[i].used;
	if (n == 0)
		return;
	snprintf(line, sizeof(line), "%s%u break- and watchpoints are set", whose, n);
	to->say(to->arg, line);
}

static void cortexm_describe(void *state, void (*say)(void *arg, const char *line), void *arg)
{
	struct pt_cortexm *cm = state;
	const struct teller to = { say, arg };

	say(arg, cm->name);
	if (cm->locked)
		return;
	tell_ports(cm, &to);
	tell_units(cm, &to);
	tell_core(cm, &to);
	pt_cortexm_cores_describe(cm, say, arg);
	tell_memory(cm, &to);
	for (unsigned i = 0; i < pt_cortexm_n_cores(cm); i++)
		tell_changes(pt_cortexm_core(cm, i), &to);
	if (cm->mtb != NULL)
		pt_mtb_describe(cm->mtb, say, arg);
}

/* --- small answers ------------------------------------------------------------------------------------------------ */

static const char *cortexm_chip(void *state)
{
	return ((const struct pt_cortexm *)state)->name;
}

static uint8_t cortexm_cpu_arch(void *state)
{
	return ((const struct pt_cortexm *)state)->chip.cpu_arch;
}

static const struct pt_region *cortexm_regions(void *state, size_t *n)
{
	const struct pt_cortexm *cm = state;

	*n = cm->chip.n_regions;
	return cm->chip.region;
}

static const struct pt_source_ops *const *cortexm_sources(void *state, size_t *n)
{
	static const struct pt_source_ops *const sources[] = { &pt_source_mtb_pcsr, &pt_source_mtb, &pt_source_pcsr,
							       &pt_source_cyccnt, &pt_source_swo, &pt_source_watch };

	(void)state;
	*n = PT_LEN(sources);
	return sources;
}

static int cortexm_mass_erase(void *state, struct pt_err *err)
{
	struct pt_cortexm *cm = state;

	if (cm->family == NULL || cm->family->mass_erase == NULL)
		return pt_fail(err, PT_EUNSUPPORTED, "%s: no way to erase this chip is known", cm->chip.name);
	return cm->family->mass_erase(cm, err);
}

static int cortexm_host_call(void *state, unsigned core, struct pt_host_call *call, struct pt_err *err)
{
	return pt_arm_host_call(((struct pt_cortexm *)state)->target, core, call, err);
}

static int cortexm_host_answer(void *state, unsigned core, int32_t result, uint64_t *pc, struct pt_err *err)
{
	return pt_arm_host_answer(((struct pt_cortexm *)state)->target, core, result, pc, err);
}

/* What a client noted before it died in the middle of `load` must not become part of the next load. */
static int cortexm_leave(void *state, struct pt_err *err)
{
	pt_cortexm_flash_forget(state);
	return pt_cortexm_cores_leave(state, err);
}

static const struct pt_target_word words[] = {
	{ .name = "fault", .usage = "", .help = "why the core is in a fault handler or locked up, and where it came from",
	  .names_code = true, .print = pt_cortexm_cores_fault },
	{ .name = "swo", .usage = "doctor [port=N]", .help = "what pin SWO needs here: finds its clock and rates by measurement, says what is wrong; port=N: also by words that the debugger writes to that stimulus port",
	  .changes = true, .print = pt_swo_doctor },
	{ 0 },
};

const struct pt_target_ops pt_cortexm_ops = {
	.name = "cortexm",
	.help = "Arm Cortex-M over SWD or JTAG",
	.state_bytes = sizeof(struct pt_cortexm),
	.params = params,
	.n_params = N_PARAMS,
	.architecture = "arm",
	.arch = { .elf_machine = PT_MACHINE_ARM, .profile = 'M' },
	.cpu_arch = cortexm_cpu_arch,
	.clock_rate = pt_cortexm_clock_rate,
	.attach = cortexm_attach,
	.detach = cortexm_detach,
	.leave = cortexm_leave,
	.chip = cortexm_chip,
	.describe = cortexm_describe,
	.n_cores = pt_cortexm_cores_count,
	.about_core = pt_cortexm_cores_about,
	.status = pt_cortexm_cores_status,
	.halt = pt_cortexm_cores_halt,
	.resume = pt_cortexm_cores_resume,
	.step = pt_cortexm_cores_step,
	.reset = pt_cortexm_cores_reset,
	.registers = pt_cortexm_cores_registers,
	.read_registers = pt_cortexm_cores_read,
	.write_registers = pt_cortexm_cores_write,
	.pc = pt_cortexm_cores_pc,
	.mem = pt_cortexm_cores_mem,
	.regions = cortexm_regions,
	.host_call = cortexm_host_call,
	.host_answer = cortexm_host_answer,
	.break_insert = pt_cortexm_cores_insert,
	.break_remove = pt_cortexm_cores_remove,
	.flash_erase = pt_cortexm_flash_erase,
	.flash_write = pt_cortexm_flash_write,
	.flash_done = pt_cortexm_flash_done,
	.flash_forget = pt_cortexm_flash_forget,
	.mass_erase = cortexm_mass_erase,
	.sources = cortexm_sources,
	.words = words,
	.chips = pt_cortexm_families_print,
	.look_again = pt_cortexm_cores_look_again,
};
