/* The source mtb: the Micro Trace Buffer of a Cortex-M0+. Shared by all modes: checking the unit before it is changed,
 * the window in RAM, chunks, what to do if somebody else changes the unit, and restoring everything. Source: Arm DDI
 * 0486 (CoreSight MTB-M0+). */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/door.h"
#include "host/log.h"
#include "targets/cortexm/trace/mtb.h"
#include "targets/cortexm/trace/sources.h"
#include "trace/formats.h"
#include "base/util.h"

static const char owner[] = "profile", unit[] = "mtb";

/* --- settings ----------------------------------------------------------------------------------------------------- */

enum { MODE, MTB_RAM, MTB_SIZE, PERIOD, MTB_TAKE, FROM, TO, N_PARAMS };
static const struct pt_param params[] = {
	[MODE] = { .key = "mode", .type = PT_PARAM_CHOICE, .standard = "burst", .choices = "burst|stream|halt|ring",
		   .help = "burst: pieces of the running program, at random times; stream: all of it, as far as the "
			   "probe keeps up; halt: all of it, INTRUSIVE: halts the core to read; ring: the last branches "
			   "before a halt" },
	[MTB_RAM] = { .key = "mtb-ram", .type = PT_PARAM_SPAN,
		      .help = "RAM to record into, ADDR:SIZE; else RAM that the program does not use" },
	[MTB_SIZE] = { .key = "mtb-size", .type = PT_PARAM_NUMBER, .standard = "4096", .min = 64,
		       .max = PT_MTB_MAX_BYTES,
		       .help = "bytes to record into at most, when the place is not given" },
	[PERIOD] = { .key = "period", .type = PT_PARAM_TIME, .standard = "20ms", .max = 10 * PT_NS_PER_S,
		     .help = "longest period expected in the program: bursts are 0 to twice that far apart, to lock "
			     "onto nothing" },
	[MTB_TAKE] = { .key = "mtb-take", .type = PT_PARAM_FLAG, .standard = "off",
		       .help = "use the MTB although another user has it, maybe the firmware" },
	[FROM] = { .key = "from", .type = PT_PARAM_PLACE,
		   .help = "burst: record only behind this place in code, or an access write:VARIABLE[=VALUE], "
			   "read:VARIABLE (needs an MTB_DWT)" },
	[TO] = { .key = "to", .type = PT_PARAM_PLACE, .help = "burst: and until this place, or access" },
};

static const struct pt_mtb_mode *const modes[] = { &pt_mtb_burst, &pt_mtb_stream, &pt_mtb_halt, &pt_mtb_ring };

static const struct pt_mtb_mode *find_mode(const char *name)
{
	size_t i = 0;

	while (i + 1 < PT_LEN(modes) && strcmp(modes[i]->name, name) != 0)
		i++;
	return modes[i];	/* the word is one of the choices */
}

/* Only a window that the user gave can be outside free RAM. */
static bool in_use(const struct pt_mtb_window *win, const struct pt_source_setup *setup)
{
	for (size_t i = 0; i < setup->n_free_ram; i++)
		if (win->addr >= setup->free_ram[i].addr &&
		    win->addr + win->len_bytes <= setup->free_ram[i].addr + setup->free_ram[i].size)
			return false;
	return true;
}

static int emit_config(struct pt_mtb *m, const struct pt_source_setup *setup, struct pt_err *err)
{
	bool used = in_use(&m->win, setup);
	char cost[384], lines[800], points[100] = "";
	int len = snprintf(cost, sizeof(cost), m->mode->cost, (unsigned)(m->win.len_bytes / PACKET_BYTES));

	if (used)
		snprintf(cost + len, sizeof(cost) - (size_t)len,
			 "; mtb-ram is where the program may have data of its own: it may crash");
	if (m->trigger.on && m->trigger.start != PT_UNKNOWN)
		snprintf(points, sizeof(points), "start=0x%08x\n", (unsigned)m->trigger.start);
	if (m->trigger.on && m->trigger.stop != PT_UNKNOWN)
		snprintf(points + strlen(points), sizeof(points) - strlen(points), "stop=0x%08x\n",
			 (unsigned)m->trigger.stop);
	snprintf(
		lines, sizeof(lines),
		"source=mtb\nmode=%s\nbuffer=0x%08x\nsize=%u\nbuffer_in_use=%d\nring=%d\nperiod_us=%" PRIu64
		"\n%s%scost=%s\n",
		m->mode->name, (unsigned)m->win.addr, (unsigned)m->win.len_bytes, used, m->win.ring, m->period_us,
		points,
		m->trigger.on
			? "assumed=the MTB records no time: what ran behind from= counts as outside the trigger, too, so that "
			  "there are no shares of the whole\n"
			: "",
		cost);
	return pt_emit_config(&m->out, setup, PT_FORMAT_MTB, lines, err);
}

/* --- start -------------------------------------------------------------------------------------------------------- */

static int read_regs(struct pt_mtb *m, struct pt_mtb_regs *regs, struct pt_err *err)
{
	struct pt_mtb_batch batch = { .n = 0 };
	size_t first = pt_mtb_put_read(&batch, m->regs + MTB_POSITION);

	pt_mtb_put_read(&batch, m->regs + MTB_MASTER);
	pt_mtb_put_read(&batch, m->regs + MTB_FLOW);
	pt_mtb_put_read(&batch, m->regs + MTB_BASE);
	if (pt_mtb_run(m, &batch, err) < 0)
		return pt_wrap(err, "read the registers of the MTB");
	*regs = (struct pt_mtb_regs){ pt_mtb_value(&batch, first), pt_mtb_value(&batch, first + 1),
				      pt_mtb_value(&batch, first + 2), pt_mtb_value(&batch, first + 3) };
	return 0;
}

static int look_first(struct pt_mtb *m, bool take, struct pt_err *err)
{
	char line[160];

	if (read_regs(m, &m->found, err) < 0)
		return err->code;
	if ((m->found.master & MASTER_EN) != 0 && !take)
		return pt_fail(err, PT_EBUSY,
			       "the MTB is recording already, for the firmware or another tool (%s); "
			       "mtb-take=on takes it all the same",
			       pt_fields_print("MASTER", m->found.master, pt_mtb_master_fields, line, sizeof(line)));
	m->keep = m->found.master & (MASTER_RAMPRIV | MASTER_SFRWPRIV);
	return 0;
}

/* Stops the unit, then finds which bits of POINTER can be written. Source: DDI 0486, appendix B.1 */
static int find_awidth(struct pt_mtb *m, uint32_t *awidth, struct pt_err *err)
{
	struct pt_mtb_batch batch = { .n = 0 };
	uint32_t bits;
	size_t read;

	pt_mtb_put_write(&batch, m->regs + MTB_MASTER, m->found.master & ~MASTER_EN);
	pt_mtb_put_write(&batch, m->regs + MTB_POSITION, (uint32_t)POSITION_POINTER);
	read = pt_mtb_put_read(&batch, m->regs + MTB_POSITION);
	pt_mtb_put_write(&batch, m->regs + MTB_POSITION, m->found.position);
	if (pt_mtb_run(m, &batch, err) < 0)
		return pt_wrap(err, "find the size of the MTB's RAM");
	bits = pt_mtb_value(&batch, read) & (uint32_t)POSITION_POINTER;
	for (*awidth = 0; bits != 0; bits >>= 1)
		++*awidth;
	return 0;
}

/* Whether there is any memory that it can record into. */
static int check_reach(const struct pt_mtb *m, uint32_t awidth, struct pt_err *err)
{
	const struct pt_cortexm_chip *chip = &m->cm->chip;
	uint64_t span = UINT64_C(1) << awidth, base = m->found.base;

	if (span < PT_MTB_LEAST_BYTES)
		return pt_fail(err, PT_EUNSUPPORTED,
			       "its MTB is too small: POSITION counts %llu bytes, and %d are the least",
			       awidth == 0 ? 0ULL : (unsigned long long)span, PT_MTB_LEAST_BYTES);
	if (base != 0 && chip->ram_bytes != 0 &&	/* LPC8xx: BASE reads as 0 */
	    (base >= (uint64_t)chip->ram_addr + chip->ram_bytes || base + span <= chip->ram_addr))
		return pt_fail(err, PT_EUNSUPPORTED, "its MTB reaches 0x%08llx to 0x%08llx only, which is no RAM",
			       (unsigned long long)base, (unsigned long long)(base + span - 1));
	return 0;
}

/* Whether the registers may be written as a test. Not if the unit records, is about to, or belongs to another user. */
static bool rests(const struct pt_mtb *m)
{
	return (m->found.master & (MASTER_EN | MASTER_TSTARTEN)) == 0 && m->cm->mtb == NULL &&
	       !pt_lease_held(m->cm->target, unit);
}

static int check_unit(const struct pt_cortexm *cm, struct pt_err *err)
{
	if (cm->found.unit[PT_UNIT_MTB] != 0)
		return 0;
	return pt_fail(err, PT_EUNSUPPORTED, "%s has no MTB in its ROM table", cm->chip.name);
}

/* A unit that cannot be read now is assumed to work: start looks again, and can say more. */
static int available(struct pt_target *target, struct pt_err *err)
{
	struct pt_cortexm *cm = pt_cortexm_of(target);
	struct pt_err ignored = { 0 };
	uint32_t awidth;
	struct pt_mtb *m;
	int rc = 0;

	if (pt_cortexm_reaches(target, err) < 0 || check_unit(cm, err) < 0)
		return err->code;
	m = pt_alloc(sizeof(*m));
	m->cm = cm;
	m->mem = cm->mem;
	m->regs = cm->found.unit[PT_UNIT_MTB];
	if (read_regs(m, &m->found, &ignored) == 0 && rests(m) && find_awidth(m, &awidth, &ignored) == 0)
		rc = check_reach(m, awidth, err);
	free(m);
	return rc;
}

static int choose_window(struct pt_mtb *m, const struct pt_source_setup *setup, struct pt_err *err)
{
	struct pt_mtb_need need = { .sram_base = m->found.base, .ring = m->mode->ring };
	const char *how = pt_by_door("--mtb-ram ADDR:SIZE", "mtb-ram=ADDR:SIZE");
	uint64_t addr, size;

	need.want_bytes = (uint32_t)pt_params_number(setup->settings, &params[MTB_SIZE]);
	if (find_awidth(m, &need.awidth, err) < 0 || check_reach(m, need.awidth, err) < 0)
		return err->code;
	if (pt_params_span(setup->settings, &params[MTB_RAM], &addr, &size))
		return pt_mtb_window_at(&m->win, &need, addr, size, err) < 0 ? pt_wrap(err, "mtb-ram") : 0;
	if (setup->n_free_ram == 0)
		return pt_fail(err, PT_ESTATE, "no RAM for the trace buffer: %s; or name some with %s",
			       setup->why_no_ram != NULL ? setup->why_no_ram : "nothing is known to be free", how);
	if (!pt_mtb_window_find(&m->win, &need, setup->free_ram, setup->n_free_ram))
		return pt_fail(err, PT_ESTATE,
			       "none of the free RAM is where the MTB can record: it reaches %llu bytes from "
			       "0x%08x, and %d are the least%s; %s gives it RAM that is in use",
			       1ULL << need.awidth, (unsigned)need.sram_base, PT_MTB_LEAST_BYTES,
			       need.ring ? ", at a multiple of their number" : "", how);
	return 0;
}

static int read_pc(struct pt_mtb *m, uint64_t *pc, struct pt_err *err)
{
	return m->cm->target->ops->pc(m->cm->target->state, 0, pc, err);
}

/* The program of a halted core may still need the contents of the window; a running one uses free RAM only if it was
 * asked to. */
static int look_at_core(struct pt_mtb *m, struct pt_err *err)
{
	uint32_t dhcsr = 0;
	uint64_t pc = PT_UNKNOWN;

	if (pt_cortexm_read_dhcsr(m->cm, &dhcsr, err) < 0)
		return pt_wrap(err, "read the state of the core");
	m->held = (dhcsr & DHCSR_S_HALT) != 0;
	if (!m->held)
		return 0;
	m->found_ram = malloc(m->win.len_bytes);
	if (m->found_ram == NULL)
		return pt_fail(err, PT_ENOMEM, "out of memory");
	if (pt_mem_read(m->mem, m->win.addr, m->found_ram, m->win.len_bytes, err) < 0 || read_pc(m, &pc, err) < 0)
		return pt_wrap(err, "save the buffer");
	pt_emit_state(&m->out, PT_STATE_HALT, m->out.told_ns, pc);
	return 0;
}

/* MASTER shows whether the unit is still as the source set it, except for EN, which clears itself; the buffer belongs
 * to the program again only if it has been stopped since then. A unit that recorded for the firmware stays off: the
 * firmware may have put other data there by now. */
static void note(struct pt_mtb *m, uint32_t master)
{
	enum { STAYS = MASTER_MASK | MASTER_RAMPRIV | MASTER_SFRWPRIV };
	uint32_t at_rest = m->found.master & ~MASTER_EN & ~(uint32_t)MASTER_HALTREQ;
	struct pt_pending_row row[4 + PT_MTB_TRIGGER_REGS] = {
		{ .at = MTB_MASTER, .was = at_rest, .ours = master, .check = STAYS },
		{ .at = MTB_POSITION, .was = m->found.position },
		{ .at = MTB_FLOW, .was = m->found.flow },
	};
	size_t n = 3;

	for (size_t i = 0; i < n; i++)
		row[i].at += m->regs;
	n += pt_mtb_trigger_note(&m->trigger, row + n);
	if (m->found_ram != NULL)
		row[n++] = (struct pt_pending_row){ .at = m->win.addr, .bytes = m->found_ram, .len_bytes = m->win.len_bytes,
						    .when = PT_PENDING_HALTED };
	for (size_t i = 0; i < n; i++) {
		snprintf(row[i].unit, sizeof(row[i].unit), "mtb");
		row[i].width_bytes = 4;
		row[i].mask = UINT32_MAX;
	}
	pt_pending_note(m->cm->target, row, n);
}

static int put_back(struct pt_mtb *m, struct pt_err *err)
{
	struct pt_mtb_batch batch = { .n = 0 };
	uint32_t dhcsr = 0;

	pt_mtb_put_write(&batch, m->regs + MTB_MASTER, m->found.master & ~MASTER_EN & ~(uint32_t)MASTER_HALTREQ);
	pt_mtb_put_write(&batch, m->regs + MTB_POSITION, m->found.position);
	pt_mtb_put_write(&batch, m->regs + MTB_FLOW, m->found.flow);
	if ((m->found.master & MASTER_EN) != 0)
		pt_mtb_put_write(&batch, m->regs + MTB_MASTER, m->found.master);
	if (pt_mtb_run(m, &batch, err) < 0)
		return pt_wrap(err, "put the MTB back as it was");
	if (pt_mtb_trigger_set(&m->trigger, m->mem, false, err) < 0)
		return pt_wrap(err, "put the MTB_DWT back as it was");
	if (m->found_ram != NULL && pt_cortexm_read_dhcsr(m->cm, &dhcsr, err) == 0 && (dhcsr & DHCSR_S_HALT) != 0 &&
	    pt_mem_write(m->mem, m->win.addr, m->found_ram, m->win.len_bytes, err) < 0)
		return pt_wrap(err, "put the buffer back as it was");
	pt_pending_settle(m->cm->target, "mtb");
	return 0;
}

static void tell_cost(void *state, struct pt_cost *cost)
{
	const struct pt_mtb *m = state;

	cost->part[cost->n_parts] = m->cost;
	snprintf(cost->part[cost->n_parts++].way, PT_COST_METHOD_BYTES,
		 "a full buffer halts the core until it is read");
}

static void init(struct pt_mtb *m, struct pt_target *target, const struct pt_source_setup *setup)
{
	m->cm = pt_cortexm_of(target);
	m->mem = m->cm->mem;
	m->regs = m->cm->found.unit[PT_UNIT_MTB];
	m->mode = find_mode(pt_params_text(setup->settings, &params[MODE]));
	m->random = setup->seed;
	m->shares_link = setup->shares_link;
	m->period_us = pt_params_number(setup->settings, &params[PERIOD]) / 1000;
	m->delay_us = m->stopped_ns = PT_UNKNOWN;
	pt_emit_init(&m->out, setup, pt_mem_now_ns(m->mem));
	if (m->mode == &pt_mtb_halt)
		pt_emit_costs(&m->out, tell_cost, m);
}

static void release(struct pt_mtb *m)
{
	free(m->found_ram);
	m->found_ram = NULL;
	if (m->leased)
		pt_lease_drop(m->cm->target, unit, owner);
	m->leased = false;
	m->cm->source_halts = false;
	m->cm->mtb = NULL;
}

static int read_trigger(struct pt_mtb *m, const struct pt_params *s, struct pt_err *err)
{
	if (pt_mtb_trigger_parse(&m->trigger, pt_params_text(s, &params[FROM]), pt_params_text(s, &params[TO]), err) <
	    0)
		return err->code;
	if (m->trigger.on && m->mode != &pt_mtb_burst)
		return pt_fail(err, PT_EARG, "from=, to= work in mode burst; this is mode %s", m->mode->name);
	return 0;
}

static int mtb_start(void *state, struct pt_target *target, const struct pt_source_setup *setup, struct pt_err *err)
{
	struct pt_mtb *m = state;
	struct pt_err ignored = { 0 };

	if (pt_cortexm_reaches(target, err) < 0 || check_unit(pt_cortexm_of(target), err) < 0)
		return err->code;
	init(m, target, setup);
	if (m->mode->holds && target->ops->upstream != NULL)
		return pt_fail(err, PT_EUNSUPPORTED,
			       "mode %s halts the core, and the GDB server would tell the debugger that it "
			       "has stopped: the other modes do not",
			       m->mode->name);
	if (read_trigger(m, setup->settings, err) < 0 || pt_lease_take(target, unit, owner, err) < 0)
		return err->code;
	m->leased = true;
	if (look_first(m, pt_params_flag(setup->settings, &params[MTB_TAKE]), err) < 0 ||
	    pt_mtb_trigger_look(&m->trigger, m->cm, pt_params_flag(setup->settings, &params[MTB_TAKE]), err) < 0)
		goto give_up;
	note(m, m->found.master);	/* finding its size has written the unit, and restored it */
	if (choose_window(m, setup, err) < 0 || emit_config(m, setup, err) < 0 || look_at_core(m, err) < 0)
		goto restore;
	note(m, pt_mtb_master(m));
	if (pt_mtb_trigger_set(&m->trigger, m->mem, true, err) < 0 || m->mode->start(m, err) < 0)
		goto restore;
	m->cm->mtb = m;
	return 0;
restore:
	put_back(m, &ignored);
give_up:
	release(m);
	return err->code;
}

/* --- work --------------------------------------------------------------------------------------------------------- */

/* Reports the data recorded before somebody halted the core, then the halt. If it is interrupted, the next call
 * continues. */
static int tell_halt(struct pt_mtb *m, struct pt_err *err)
{
	int rc = m->mode->flush(m, err);

	if (rc == PT_EINTERRUPTED)
		return rc;
	m->untold = false;
	pt_emit_state(&m->out, PT_STATE_HALT, m->out.told_ns, m->halt_pc);
	return rc < 0 ? pt_mtb_failed(m, rc, err) : 0;
}

static bool mtb_behind(const void *state)
{
	return ((const struct pt_mtb *)state)->untold;
}

static int mtb_drain(void *state, struct pt_err *err)
{
	struct pt_mtb *m = state;

	return m->untold ? tell_halt(m, err) : m->mode->drain(m, err);
}

/* Reading the buffer takes up to 70 ms on a slow link, and whoever halted the core waits: it is left to the next drain,
 * or the next change of state. A burst continues with the core. */
static void on_halt(struct pt_mtb *m, uint64_t pc)
{
	uint64_t since_ns;

	if (m->held)
		return;		/* told already */
	m->held = true;
	m->halt_pc = pc;
	m->halt_ns = pt_mem_now_ns(m->mem);
	m->untold = !m->mode->apart;
	if (m->untold)
		return;
	since_ns = pt_cortexm_halted_since(m->cm, m->halt_ns);
	if (m->mode->was_halted != NULL)
		m->mode->was_halted(m, since_ns);
	if (m->trigger.on && (m->state == MTB_ARMED || m->state == MTB_FULL))
		pt_emit_loss(&m->out, PT_LOSS_OUTSIDE, m->state == MTB_FULL ? m->stopped_ns : m->halt_ns);
	pt_emit_loss(&m->out, PT_LOSS_REARM, m->halt_ns);
	pt_emit_found_halted(&m->out, since_ns, m->halt_ns, pc);
}

static int catch_up(struct pt_mtb *m, struct pt_err *err)
{
	int rc = 0;

	while (m->untold && (rc == 0 || rc == PT_EINTERRUPTED))
		rc = tell_halt(m, err);
	return rc < 0 ? rc : 0;
}

static void on_run(struct pt_mtb *m, uint64_t pc)
{
	uint64_t now_ns = pt_mem_now_ns(m->mem);

	if (m->held)
		pt_emit_loss(&m->out, PT_LOSS_HALTED, now_ns);
	m->held = false;
	m->resumed_ns = m->cm->ran_ns = now_ns;
	pt_emit_state(&m->out, PT_STATE_RUN, now_ns, pc);
}

/* A reset has cleared the unit's registers, so its data are lost. */
static void on_reset(struct pt_mtb *m, uint64_t pc)
{
	uint64_t now_ns = pt_mem_now_ns(m->mem);

	if (m->untold)
		pt_emit_loss(&m->out, PT_LOSS_RESET, m->halt_ns);
	m->untold = false;
	if (m->out.failing_since_ns != PT_UNKNOWN &&
	    m->out.fault == PT_LOSS_SILENT) /* another source may have found that the probe is back */
		pt_emit_loss(&m->out, m->out.fault, now_ns);
	pt_emit_loss(&m->out, m->held ? PT_LOSS_HALTED : PT_LOSS_RESET, now_ns);
	m->mode->was_reset(m);
	m->out.restarts = true;
	pt_emit_state(&m->out, PT_STATE_RESET, now_ns, pc);
}

static int mtb_on_state(void *state, enum pt_state what, unsigned core, uint64_t pc, struct pt_err *err)
{
	struct pt_mtb *m = state;
	int rc = 0;

	if (core != m->cm->number)
		return 0;
	if (what != PT_STATE_HALT && what != PT_STATE_RESET)
		rc = catch_up(m, err);
	if (rc < 0)
		return rc;
	switch (what) {
	case PT_STATE_HALT:
		on_halt(m, pc);
		return 0;
	case PT_STATE_RUN:
		on_run(m, pc);
		return 0;
	case PT_STATE_RESET:
		on_reset(m, pc);
		return 0;
	default:
		pt_emit_state(&m->out, what, pt_mem_now_ns(m->mem), pc);
		return 0;
	}
}

/* Everything that needs the probe; stops at the first error that means that the probe is lost. */
static int wind_up(struct pt_mtb *m, struct pt_err *err)
{
	struct pt_err first = { 0 };
	int rc = m->untold ? catch_up(m, &first) : m->mode->flush(m, &first);

	if (!m->all_told)	/* else the profile ended there: the time for restoring is no part of it */
		pt_emit_rest(&m->out, pt_mem_now_ns(m->mem), rc, m->held ? PT_LOSS_HALTED : PT_LOSS_REARM);
	if (rc != PT_EIO && put_back(m, err) < 0 && rc == 0)
		rc = err->code;
	else if (rc < 0)
		*err = first;
	if (rc == 0 && m->mode->leave != NULL)
		rc = m->mode->leave(m, err);
	return rc;
}

static int mtb_stop(void *state, struct pt_err *err)
{
	struct pt_mtb *m = state;
	struct pt_err own = { 0 };
	int rc;

	rc = wind_up(m, &own);
	if (m->trigger.on && !m->triggered && rc == 0)
		pt_warn("mtb: nothing was recorded, as the program did not come by the place of from=");
	pt_emit_end(&m->out);
	release(m);
	if (rc < 0 && err != NULL)
		*err = own;
	return rc;
}

const struct pt_source_ops pt_source_mtb = {
	.name = "mtb",
	.format = PT_FORMAT_MTB,
	.flow = true,
	.modes = "burst|stream|halt|ring",
	.titles = "MTB bursts|MTB stream|MTB, halting|MTB, last branches",
	.holds = "halt",
	.recorder = "ring",
	.help = "every taken branch, from the Micro Trace Buffer; the core never halts but in mode halt; each branch writes "
		"8 bytes to RAM",
	.state_bytes = sizeof(struct pt_mtb),
	.params = params,
	.n_params = N_PARAMS,
	.available = available,
	.start = mtb_start,
	.drain = mtb_drain,
	.on_state = mtb_on_state,
	.behind = mtb_behind,
	.stop = mtb_stop,
};
