/* Attach, detach, and the table of what the target can do. See s12z.h. */
#include <stdio.h>
#include <string.h>

#include "host/log.h"
#include "targets/s12z/flash.h"
#include "base/util.h"
#include "targets/contract/source_watch.h"

/* --- settings ----------------------------------------------------------------------------------------------------- */

enum { CONNECT, ALLOW_LOCK, CHIP, CORE_CLOCK, DBG_TAKE, BGND_PC, RUN_IN_STOP, STEAL, FLASH_CLOCK,
       BDCCSR, DBG_TRCMOD, DBG_TALIGN, DBG_FINAL, DBG_INSIDE, DBG_RW_READ, N_PARAMS };
static const struct pt_param params[] = {
	[CONNECT] = { .key = "connect",
		      .type = PT_PARAM_CHOICE,
		      .standard = "running",
		      .choices = "running|under-reset",
		      .help = "leave the core alone, or reset it and stop at the reset vector" },
	[ALLOW_LOCK] = { .key = "allow-lock",
			 .type = PT_PARAM_FLAG,
			 .standard = "off",
			 .help = "program a flash configuration that secures the chip" },
	[CHIP] = { .key = "chip",
		   .type = PT_PARAM_TEXT,
		   .help = "name of the part, where its memories are not found (S12ZVML128, ...)" },
	[CORE_CLOCK] = { .key = "core-clock", .type = PT_PARAM_HZ, .choices = "measure",
			 .help = "core clock, to show cycles as seconds" },
	[DBG_TAKE] = { .key = "dbg-take",
		       .type = PT_PARAM_FLAG,
		       .standard = "off",
		       .help = "use the DBG module although the application itself has armed it" },
	[BGND_PC] = { .key = "bgnd-pc",
		      .type = PT_PARAM_CHOICE,
		      .standard = "learn",
		      .choices = "learn|at|behind",
		      .help = "where the pc is when a BGND has stopped the core (not verified: learned from what "
			      "is seen)" },
	[RUN_IN_STOP] = { .key = "run-in-stop",
			  .type = PT_PARAM_FLAG,
			  .standard = "off",
			  .help = "set BDCCSR.BDCCIS: the BDC works in STOP mode, which then takes more current" },
	[STEAL] = { .key = "steal",
		    .type = PT_PARAM_FLAG,
		    .standard = "off",
		    .help = "set BDCCSR.STEAL: the BDC takes a bus cycle from the core when none is free" },
	[FLASH_CLOCK] = { .key = "flash-clock",
			  .type = PT_PARAM_HZ,
			  .standard = "6250000",
			  .min = 1000000,
			  .max = 100000000,
			  .help = "bus clock behind a reset, for the divider of the flash controller (not verified)" },
	[BDCCSR] = { .key = "bdccsr",
		     .type = PT_PARAM_TEXT,
		     .standard = PT_BDCCSR_STANDARD,
		     .help = "names of BDCCSR's bits from bit 15 down (places of BDCCIS, STEAL and of the low byte but "
			     "OVRUN and NORESP are not verified)" },
	[DBG_TRCMOD] = { .key = "dbg-trcmod",
			 .type = PT_PARAM_TEXT,
			 .standard = "0123",
			 .help = "DBGTCRH.TRCMOD for Normal, Loop1, Detail, Pure PC, a digit each (not verified)" },
	[DBG_TALIGN] = { .key = "dbg-talign",
			 .type = PT_PARAM_TEXT,
			 .standard = "01",
			 .help = "DBGTCRH.TALIGN for End and Begin, a digit each (not verified)" },
	[DBG_FINAL] = { .key = "dbg-final",
			.type = PT_PARAM_NUMBER,
			.standard = "3",
			.max = 3,
			.help = "DBGSCR1.CxSC for a match that leads to the Final State (not verified)" },
	[DBG_INSIDE] = { .key = "dbg-inside",
			 .type = PT_PARAM_NUMBER,
			 .standard = "1",
			 .max = 3,
			 .help = "DBGC2.ABCM and CDCM for a match inside the range of the pair (not verified)" },
	[DBG_RW_READ] = { .key = "dbg-rw-read",
			  .type = PT_PARAM_NUMBER,
			  .standard = "1",
			  .max = 1,
			  .help = "DBGxCTL.RW of a comparator that matches reads; the other value matches writes (not "
				  "verified)" },
};

/* Reads n different digits of 0 to 3. */
static int read_digits(const struct pt_params *settings, unsigned row, uint8_t *to, unsigned n, struct pt_err *err)
{
	const char *text = pt_params_text(settings, &params[row]);
	unsigned seen = 0, i;

	for (i = 0; i < n && text[i] >= '0' && text[i] <= '3'; i++) {
		to[i] = (uint8_t)(text[i] - '0');
		seen |= 1u << to[i];
	}
	if (i < n || text[n] != '\0' || (unsigned)__builtin_popcount(seen) != n)
		return pt_fail(err, PT_EARG, "%s=%s: not %u different digits of 0 to 3", params[row].key, text, n);
	return 0;
}

static int take_codes(struct pt_dbg_codes *codes, const struct pt_params *settings, struct pt_err *err)
{
	uint8_t align[2] = { 0 };

	if (read_digits(settings, DBG_TRCMOD, codes->trcmod, PT_DBG_MODES, err) < 0 ||
	    read_digits(settings, DBG_TALIGN, align, 2, err) < 0)
		return err->code;
	codes->align_end = align[0];
	codes->align_begin = align[1];
	codes->to_final = (uint8_t)pt_params_number(settings, &params[DBG_FINAL]);
	codes->inside = (uint8_t)pt_params_number(settings, &params[DBG_INSIDE]);
	codes->rw_read = (uint8_t)pt_params_number(settings, &params[DBG_RW_READ]);
	codes->rw_write = codes->rw_read ^ 1;
	return 0;
}

static void take_settings(struct pt_s12z *z, const struct pt_params *settings)
{
	const char *bgnd = pt_params_text(settings, &params[BGND_PC]);

	z->under_reset = strcmp(pt_params_text(settings, &params[CONNECT]), "under-reset") == 0;
	z->allow_lock = pt_params_flag(settings, &params[ALLOW_LOCK]);
	z->dbg_take = pt_params_flag(settings, &params[DBG_TAKE]);
	z->bgnd_pc = strcmp(bgnd, "at") == 0	   ? PT_BGND_AT
		     : strcmp(bgnd, "behind") == 0 ? PT_BGND_BEHIND
						   : PT_BGND_UNKNOWN;
	z->flash_bus_hz = (uint32_t)pt_params_number(settings, &params[FLASH_CLOCK]);
}

static void add_to_csr(struct pt_s12z *z, const struct pt_params *settings)
{
	if (pt_params_flag(settings, &params[RUN_IN_STOP]))
		z->wire.wanted |= PT_BDC_BDCCIS;
	if (pt_params_flag(settings, &params[STEAL]))
		z->wire.wanted |= PT_BDC_STEAL;
	z->wire.keep |= z->wire.wanted;
	if (z->wire.keep != (z->wire.csr & PT_BDC_SETTINGS))
		z->wire.enabled = false;	/* must be written */
}

/* --- attach ------------------------------------------------------------------------------------------------------- */

static void name_chip(struct pt_s12z *z)
{
	snprintf(z->name, sizeof(z->name), "%s", z->chip.name);
}

static int connect_wire(struct pt_s12z *z, struct pt_probe *probe, struct pt_err *err)
{
	void *state;
	const struct pt_bdc_ops *ops = pt_probe_bdc(probe, &state);

	if (ops == NULL)
		return pt_fail(err, PT_EUNSUPPORTED, "the probe offers no BDC");
	pt_wire_s12z_init(&z->wire, ops, state, pt_probe_link(probe));
	z->wire.bits = z->bits;
	z->wire.target = z->target;
	if (ops->set_errors != NULL)
		ops->set_errors(state, pt_bdccsr_sent(&z->bits, PT_BDC_ERRORS));
	if (z->under_reset && ops->reset(state, PT_BDC_SPECIAL, err) < 0)
		return pt_wrap(err, "connect under reset");
	if (pt_wire_s12z_connect(&z->wire, err) < 0)
		return err->code;
	z->found_csr = z->wire.csr;
	if (z->under_reset)
		z->wire.found &= (uint16_t)~PT_BDC_ENBDC;	/* the reset has set it */
	pt_s12z_mem_init(z);
	return 0;
}

static int look_around(struct pt_s12z *z, const char *wanted, struct pt_err *err)
{
	z->found_saved = true;
	if (pt_chip_s12z_identify(z, wanted, err) < 0)
		return err->code;
	return pt_dbg_discover(z, err);
}

static int s12z_attach(struct pt_target *target, const struct pt_params *settings, struct pt_err *err)
{
	struct pt_s12z *z = target->state;
	struct pt_err ignored = { 0 };

	z->target = target;
	take_settings(z, settings);
	if (take_codes(&z->dbg.codes, settings, err) < 0 ||
	    pt_bdccsr_parse(&z->bits, pt_params_text(settings, &params[BDCCSR]), err) < 0)
		return err->code;
	if (connect_wire(z, target->probe, err) < 0)
		return err->code;
	if (pt_s12z_check_security(z, err) < 0) {
		z->locked = true;
		z->wire.enable = false;
		pt_chip_s12z_locked(&z->chip);
		name_chip(z);
		return err->code;
	}
	add_to_csr(z, settings);
	if (look_around(z, pt_params_text(settings, &params[CHIP]), err) < 0) {
		pt_s12z_restore(z, true, &ignored);
		return err->code;
	}
	name_chip(z);
	z->was_reset = z->wire.was_reset = false;
	return 0;
}

static int s12z_detach(void *state, bool resume, struct pt_err *err)
{
	struct pt_s12z *z = state;
	struct pt_err first = { 0 };

	pt_flash_s12z_forget(z);
	if (z->locked)
		return 0;
	if (pt_breaks_s12z_remove_all(z, err) < 0)
		first = *err;
	if (pt_dbg_pay(z, err) < 0)
		pt_warn("s12z: the registers of the DBG are left as the profile set them: %s", err->msg);
	if (pt_s12z_restore(z, resume, err) < 0 && first.code == 0)
		first = *err;
	if (first.code == 0)
		return 0;
	*err = first;
	return pt_wrap(err, "detach");
}

/* --- what was found and changed ----------------------------------------------------------------------------- */

struct teller { void (*say)(void *arg, const char *line); void *arg; };

static void tell_found(const struct pt_s12z *z, const struct teller *to)
{
	char line[200];

	snprintf(line, sizeof(line), "BDC: clock %u Hz, BDCCSR 0x%04x (found 0x%04x), PARTID 0x%08x",
		 (unsigned)z->wire.bdcsi_hz, z->wire.csr, z->found_csr, (unsigned)z->chip.partid);
	to->say(to->arg, line);
	snprintf(line, sizeof(line), "DBG: %s", pt_dbg_kind_name(z->dbg.kind));
	to->say(to->arg, line);
	if (z->chip.flash_bytes == 0 || z->chip.ram_bytes == 0)
		snprintf(line, sizeof(line), "memory map not known: no flash programming (setting chip=)");
	else
		snprintf(line, sizeof(line),
			 "flash %u KiB at 0x%06x, RAM %u bytes at 0x%06x, EEPROM %u bytes at 0x%06x",
			 (unsigned)(z->chip.flash_bytes / 1024), (unsigned)(S12Z_FLASH_END - z->chip.flash_bytes),
			 (unsigned)z->chip.ram_bytes, S12Z_RAM, (unsigned)z->chip.eeprom_bytes, S12Z_EEPROM);
	to->say(to->arg, line);
}

static void tell_changes(const struct pt_s12z *z, const struct teller *to)
{
	uint16_t high = z->wire.keep & ~z->wire.found & (PT_BDC_BDCCIS | PT_BDC_STEAL);
	unsigned n = 0;
	char line[160];

	if (z->wire.enabled && (z->wire.found & PT_BDC_ENBDC) == 0)
		to->say(to->arg, "changed: BDCCSR.ENBDC = 1 (a BGND instruction of the program stops it now; put back "
				 "on detach)");
	if (high != 0) {
		snprintf(line, sizeof(line), "changed: BDCCSR:%s%s (put back on detach)",
			 (high & PT_BDC_BDCCIS) != 0 ? " BDCCIS=1" : "", (high & PT_BDC_STEAL) != 0 ? " STEAL=1" : "");
		to->say(to->arg, line);
	}
	for (unsigned i = 0; i < PT_S12Z_MAX_SOFT; i++)
		n += z->breaks.soft[i].used;
	if (n > 0) {
		snprintf(line, sizeof(line), "changed: %u BGND instructions stand in RAM", n);
		to->say(to->arg, line);
	}
}

static void s12z_describe(void *state, void (*say)(void *arg, const char *line), void *arg)
{
	const struct pt_s12z *z = state;
	const struct teller to = { say, arg };

	say(arg, z->name);
	if (z->locked)
		return;
	tell_found(z, &to);
	tell_changes(z, &to);
	pt_dbg_describe(z, say, arg);
}

/* --- small answers ------------------------------------------------------------------------------------------------ */

static const char *s12z_chip(void *state)
{
	return ((const struct pt_s12z *)state)->name;
}

static unsigned s12z_n_cores(void *state)
{
	(void)state;
	return 1;
}

static struct pt_mem *s12z_mem(void *state, unsigned core)
{
	(void)core;
	return &((struct pt_s12z *)state)->mem;
}

static const struct pt_region *s12z_regions(void *state, size_t *n)
{
	const struct pt_s12z *z = state;

	*n = z->chip.n_regions;
	return z->chip.region;
}

static const struct pt_source_ops *const *s12z_sources(void *state, size_t *n)
{
	static const struct pt_source_ops *const sources[] = {
		&pt_source_s12z_both, &pt_source_s12z_profile, &pt_source_s12z_pc, &pt_source_s12z_trace, &pt_source_watch,
	};

	(void)state;
	*n = PT_LEN(sources);
	return sources;
}

/* Prints BDCCSR for `maintenance info bdccsr`. */
static int print_bdccsr(void *state, const char *const *words, size_t n_words, void (*say)(void *arg, const char *line),
			void *arg, struct pt_err *err)
{
	struct pt_s12z *z = state;
	char line[200];

	(void)words;
	(void)n_words;
	if (pt_wire_s12z_look(&z->wire, err) < 0)
		return err->code;
	pt_bdccsr_print(z->wire.csr, line, sizeof(line));
	say(arg, line);
	return 0;
}

static void s12z_note_changes(void *state)
{
	const struct pt_s12z *z = state;

	if (!z->locked)
		pt_wire_s12z_note(&z->wire);
}

static const struct pt_target_word words[] = {
	{ .name = "bdccsr", .usage = "",
	  .help = "S12Z: control and status of the BDC, as GDB's maintenance info bdccsr asks for it",
	  .print = print_bdccsr },
	{ 0 },
};

const struct pt_target_ops pt_s12z_ops = {
	.name = "s12z",
	.help = "Freescale/NXP S12Z (MagniV) over BDC",
	.state_bytes = sizeof(struct pt_s12z),
	.params = params,
	.n_params = N_PARAMS,
	.architecture = "s12z",
	.arch = { .elf_machine = 249, .big_endian = true },	/* EM_S12Z */
	.fixed_registers = true,	/* GDB's s12z accepts no target description: only the architecture's name is
					 * used */
	.attach = s12z_attach,
	.detach = s12z_detach,
	.leave = pt_s12z_leave,
	.chip = s12z_chip,
	.describe = s12z_describe,
	.n_cores = s12z_n_cores,
	.status = pt_s12z_status,
	.halt = pt_s12z_halt,
	.resume = pt_s12z_resume,
	.step = pt_s12z_step,
	.reset = pt_s12z_reset,
	.registers = pt_s12z_registers,
	.read_registers = pt_s12z_read_registers,
	.write_registers = pt_s12z_write_registers,
	.pc = pt_s12z_pc,
	.mem = s12z_mem,
	.regions = s12z_regions,
	.break_insert = pt_breaks_s12z_insert,
	.break_remove = pt_breaks_s12z_remove,
	.flash_erase = pt_flash_s12z_erase,
	.flash_write = pt_flash_s12z_write,
	.flash_done = pt_flash_s12z_done,
	.flash_forget = pt_flash_s12z_forget,
	.mass_erase = pt_s12z_mass_erase,
	.sources = s12z_sources,
	.words = words,
	.pending_read = pt_s12z_pending_read,
	.pending_write = pt_s12z_pending_write,
	.note_changes = s12z_note_changes,
};
