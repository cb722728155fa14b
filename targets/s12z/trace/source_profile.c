/* The source dbg-profile: the DBG module's code profiling. This file has what both modes share: the lease of the
 * module, its registers, chunks, reactions to changes by others, and the restore. See profile.h. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "host/log.h"
#include "targets/s12z/trace/profile.h"
#include "trace/formats.h"
#include "base/util.h"

static const char owner[] = "profile";

enum { MOST_TAKEN = 8 };

const struct pt_param pt_profile_params[] = {
	[PT_PROFILE_MODE] = { .key = "mode",
			      .type = PT_PARAM_CHOICE,
			      .standard = "bdc",
			      .choices = "bdc|pdo",
			      .help = "bdc: pieces of the running program, read over the BDC; pdo: all of it, from the "
				      "pins PDO and PDOCLK" },
	[PT_PROFILE_PERIOD] = { .key = "period",
				.type = PT_PARAM_TIME,
				.standard = "20ms",
				.max = 10 * PT_NS_PER_S,
				.help = "bdc: longest period expected in the program: snapshots are 0 to twice that far "
					"apart, to lock onto nothing" },
	[PT_PROFILE_WINDOW] = { .key = "window",
				.type = PT_PARAM_TIME,
				.standard = "200us",
				.min = 10000,
				.max = 20 * PT_NS_PER_MS,
				.help = "bdc: how long each snapshot records; its 64 lines are the last of that" },
	[PT_PROFILE_DRAINS] = { .key = "pdoe0-drains",
				.type = PT_PARAM_CHOICE,
				.standard = "learn",
				.choices = "learn|yes|no",
				.help = "bdc: whether lines leave the buffer without PDOE (not verified: found out at "
					"the start)" },
	[PT_PROFILE_UNLOCK] = { .key = "unlock",
				.type = PT_PARAM_FLAG,
				.standard = "on",
				.help = "write DBGTB before the buffer is read (READ_DBGTB may not need it; not "
					"verified)" },
	[PT_PROFILE_CLEAR] = { .key = "profile-clear",
			       .type = PT_PARAM_FLAG,
			       .standard = "on",
			       .help = "bdc: clear DBGTCRL.PROFILE before the buffer is read (not verified to be "
				       "needed)" },
	[PT_PROFILE_PDO] = { .key = "pdo",
			     .type = PT_PARAM_TEXT,
			     .standard = "pdo",
			     .help = "pdo: the capture's channel at PDO" },
	[PT_PROFILE_PDOCLK] = { .key = "pdoclk",
				.type = PT_PARAM_TEXT,
				.standard = "pdoclk",
				.help = "pdo: the capture's channel at PDOCLK" },
	[PT_PROFILE_EDGE] = { .key = "edge",
			      .type = PT_PARAM_CHOICE,
			      .standard = "both",
			      .choices = "both|rising|falling",
			      .help = "pdo: the edges of PDOCLK at which there is a bit (not verified)" },
	[PT_PROFILE_SAMPLE_RATE] = { .key = "sample-rate",
				     .type = PT_PARAM_HZ,
				     .help = "pdo: samples a second to capture at least; else twice the bus clock, or "
					     "100 MHz" },
	[PT_PROFILE_BUS_CLOCK] = { .key = "bus-clock",
				   .type = PT_PARAM_HZ,
				   .help = "core-clock= under another name, for this source alone: bus cycles per second" },
	[PT_PROFILE_PTHF] = { .key = "pthf-bytes",
			      .type = PT_PARAM_NUMBER,
			      .standard = "6",
			      .min = 5,
			      .max = 6,
			      .help = "pdo: bytes of a PTHF line on the pins (6 is the best reading of the manual)" },
	[PT_PROFILE_SWAP24] = { .key = "swap24",
				.type = PT_PARAM_FLAG,
				.standard = "off",
				.help = "addresses and stamps in lines have their bytes the other way round (not "
					"verified)" },
	[PT_PROFILE_STAMP_FROM] = { .key = "stamp-from",
				    .type = PT_PARAM_CHOICE,
				    .standard = "cof",
				    .choices = "cof|line",
				    .help = "stamps count from the change of flow before, or from the trace line "
					    "before (not verified; they differ where direct branches came in "
					    "between)" },
};

static const struct pt_profile_mode *const modes[] = { &pt_profile_bdc, &pt_profile_pdo };

static const struct pt_profile_mode *find_mode(const char *name)
{
	size_t i = 0;

	while (i + 1 < PT_LEN(modes) && strcmp(modes[i]->name, name) != 0)
		i++;
	return modes[i];	/* the keyword was checked before */
}

/* --- the module --------------------------------------------------------------------------------------------------- */

int pt_profile_set_up(struct pt_s12z_profile *p, bool pdoe, struct pt_err *err)
{
	struct pt_dbg_writes w = { .n = 0 };

	if (pt_dbg_disarm(p->z, err) < 0)
		return err->code;
	pt_dbg_put(&w, DBG_C1, 0);	/* BRKCPU off: a full buffer must not stop the core (ZVHY p.226) */
	pt_dbg_put(&w, DBG_TCRH, TCRH_TSOURCE | p->z->dbg.codes.align_end);
	pt_dbg_put(&w, DBG_TCRL, TCRL_PROFILE | (pdoe ? TCRL_PDOE : 0));
	pt_dbg_put(&w, DBG_C2, 0);
	for (unsigned at = DBG_SCR1; at <= DBG_SCR3; at++)
		pt_dbg_put(&w, at, 0);	/* no transition to the Final State, which would end the session */
	return pt_dbg_write(p->z, &w, err);
}

unsigned pt_profile_put_open(const struct pt_s12z_profile *p, struct pt_bdc_op *op)
{
	static const uint8_t zero[2];
	void *bytes = (void *)(uintptr_t)zero;	/* not modified; an op has one pointer for both directions */
	unsigned n = 0;

	if (p->clear_profile) {
		op[n] = (struct pt_bdc_op){
			.what = PT_BDC_WRITE_MEM, .size_bytes = 1, .addr = DBG_TCRL, .n = 1, .bytes = bytes
		};
		n++;
	}
	if (p->unlock) {
		op[n] = (struct pt_bdc_op){
			.what = PT_BDC_WRITE_MEM, .size_bytes = 2, .addr = DBG_TB, .n = 1, .bytes = bytes
		};
		n++;
	}
	return n;
}

/* --- trouble ------------------------------------------------------------------------------------------------------ */

int pt_profile_failed(struct pt_s12z_profile *p, int rc, struct pt_err *err)
{
	return pt_halts_s12z_failed(&p->halt, rc, err);
}

/* A reset clears all registers; otherwise the program itself has written them. */
int pt_profile_disturbed(struct pt_s12z_profile *p, uint8_t c1, uint8_t tcrh, struct pt_err *err)
{
	bool was_reset = p->z->was_reset || p->z->wire.was_reset || (c1 == 0 && tcrh == 0);

	p->mode->was_reset(p);
	p->out.restarts = true;
	pt_emit_loss(&p->out, was_reset ? PT_LOSS_RESET : PT_LOSS_TAKEN, pt_wire_s12z_now_ns(&p->z->wire));
	if (was_reset)
		return 0;
	if (p->n_taken++ == 0)
		pt_warn("dbg-profile: the application uses the DBG itself (DBGC1 0x%02x, DBGTCRH 0x%02x are not ours); "
			"what it spoils "
			"counts as lost",
			c1, tcrh);
	if (p->n_taken < MOST_TAKEN)
		return 0;
	pt_emit_end(&p->out);
	return pt_fail(
		err, PT_EBUSY,
		"dbg-profile: the application uses the DBG itself and does not stop; what was recorded before is "
		"kept");
}

/* --- start -------------------------------------------------------------------------------------------------------- */

static int available(struct pt_target *target, struct pt_err *err)
{
	return pt_dbg_needs(target->state, PT_DBG_PROFILE, err);
}

/* Describes whether lines leave the buffer without PDOE: this decides which end of a snapshot is random, and is not
 * documented. */
static const char *drains_text(const struct pt_s12z_profile *p)
{
	if (p->mode != &pt_profile_bdc)
		return "";
	if (p->drains_by == PT_DRAINS_SET)
		return p->chosen_end ? "assumed=lines leave the trace buffer without PDOE (pdoe0-drains=yes)\n"
				     : "assumed=lines stay in the trace buffer without PDOE (pdoe0-drains=no)\n";
	if (p->drains_by == PT_DRAINS_UNKNOWN)
		return "assumed=lines leave the trace buffer without PDOE (pdoe0-drains: the core was held at the start, so "
		       "there was no trial; each snapshot says which of its ends is random)\n";
	return p->chosen_end
		       ? "assumed=lines leave the trace buffer without PDOE (pdoe0-drains: a trial at the start did not "
			 "fill it)\n"
		       : "assumed=lines stay in the trace buffer without PDOE (pdoe0-drains: a trial at the start filled "
			 "it)\n";
}

static int emit_config(struct pt_s12z_profile *p, const struct pt_source_setup *setup, struct pt_err *err)
{
	const char *chosen = p->mode != &pt_profile_bdc ? "" : p->chosen_end ? "chosen=end\n" : "chosen=begin\n";
	uint8_t ivbr[2] = { 0xff, 0xfe };
	char lines[640];

	if (pt_mem_read(&p->z->mem, S12Z_IVBR, ivbr, sizeof(ivbr), err) < 0)
		return pt_wrap(err, "read IVBR");
	snprintf(lines, sizeof(lines),
		 "source=dbg-profile\nmode=%s\nstream=%s\nbus_hz=%" PRIu64 "\nivbr=0x%04x\npthf_bytes=%" PRIu64
		 "\nswap24=%d\nstamp_from=%s\nperiod_us=%" PRIu64 "\n%s%scost=%s\n",
		 p->mode->name, p->mode->stream,
		 pt_params_number(setup->settings, &pt_profile_params[PT_PROFILE_BUS_CLOCK]), pt_be16(ivbr),
		 pt_params_number(setup->settings, &pt_profile_params[PT_PROFILE_PTHF]),
		 pt_params_flag(setup->settings, &pt_profile_params[PT_PROFILE_SWAP24]),
		 pt_params_text(setup->settings, &pt_profile_params[PT_PROFILE_STAMP_FROM]), p->period_us, chosen,
		 drains_text(p), p->mode->cost);
	return pt_emit_config(&p->out, setup, PT_FORMAT_S12Z_PROFILE, lines, err);
}

static int look_at_core(struct pt_s12z_profile *p, struct pt_err *err)
{
	struct pt_core_status status;

	if (pt_s12z_status(p->z, 0, &status, err) < 0)
		return err->code;
	p->halt.held = status.state == PT_HALTED;
	p->halt.pc = PT_UNKNOWN;
	return p->halt.held ? pt_s12z_pc(p->z, 0, &p->halt.pc, err) : 0;
}

static int flush(void *source, struct pt_err *err)
{
	struct pt_s12z_profile *p = source;

	return p->mode->flush(p, err);
}

static void init(struct pt_s12z_profile *p, struct pt_target *target, const struct pt_source_setup *setup)
{
	p->z = target->state;
	p->mode = find_mode(pt_params_text(setup->settings, &pt_profile_params[PT_PROFILE_MODE]));
	p->random = setup->seed;
	p->shares_link = setup->shares_link;
	p->period_us = pt_params_number(setup->settings, &pt_profile_params[PT_PROFILE_PERIOD]) / 1000;
	p->unlock = pt_params_flag(setup->settings, &pt_profile_params[PT_PROFILE_UNLOCK]);
	p->clear_profile = pt_params_flag(setup->settings, &pt_profile_params[PT_PROFILE_CLEAR]);
	pt_emit_init(&p->out, setup, pt_wire_s12z_now_ns(&p->z->wire));
	p->halt = (struct pt_s12z_halts){ .z = p->z, .out = &p->out, .who = "dbg-profile", .flush = flush,
					  .source = p };
}

static int release(struct pt_s12z_profile *p, struct pt_err *err)
{
	int rc = 0;

	if (p->leased) {
		p->z->n_sources--;
		rc = pt_dbg_give_back(p->z, owner, err);
	}
	p->leased = false;
	return rc;
}

static int profile_start(void *state, struct pt_target *target, const struct pt_source_setup *setup, struct pt_err *err)
{
	struct pt_s12z_profile *p = state;
	struct pt_err ignored = { 0 };

	if (available(target, err) < 0)
		return err->code;
	init(p, target, setup);
	if (pt_dbg_take(p->z, owner, err) < 0)
		return err->code;
	p->leased = true;
	p->z->n_sources++;
	if (available(target, err) < 0 || look_at_core(p, err) < 0 || p->mode->start(p, setup, err) < 0)
		goto give_back;
	if (emit_config(p, setup, err) < 0)
		goto leave;
	if (p->halt.held)
		pt_emit_state(&p->out, PT_STATE_HALT, p->out.told_ns, p->halt.pc);
	return 0;
leave:
	if (p->mode->leave != NULL)
		p->mode->leave(p, &ignored);
give_back:
	release(p, &ignored);
	return err->code;
}

/* --- work --------------------------------------------------------------------------------------------------------- */

static bool profile_behind(const void *state)
{
	return ((const struct pt_s12z_profile *)state)->halt.untold;
}

static int profile_drain(void *state, struct pt_err *err)
{
	struct pt_s12z_profile *p = state;

	if (p->halt.untold)
		return pt_halts_s12z_tell(&p->halt, err);
	return p->halt.held ? PT_PROFILE_HELD_REST_US : p->mode->drain(p, err);
}

/* The reset has cleared the module's recording. */
static void on_reset(struct pt_s12z_profile *p, uint64_t pc)
{
	uint64_t now_ns = pt_wire_s12z_now_ns(&p->z->wire);

	p->mode->was_reset(p);	/* it emits what was recorded until then */
	if (p->halt.untold)
		pt_emit_loss(&p->out, PT_LOSS_RESET, p->halt.ns);
	p->halt.untold = false;
	pt_emit_loss(&p->out, p->halt.held ? PT_LOSS_HALTED : PT_LOSS_RESET, now_ns);
	p->out.restarts = true;
	pt_emit_state(&p->out, PT_STATE_RESET, now_ns, pc);
}

static int profile_on_state(void *state, enum pt_state what, unsigned core, uint64_t pc, struct pt_err *err)
{
	struct pt_s12z_profile *p = state;
	int rc = what == PT_STATE_HALT || what == PT_STATE_RESET ? 0 : pt_halts_s12z_catch_up(&p->halt, err);

	(void)core;	/* there is only one */
	if (rc < 0)
		return rc;
	switch (what) {
	case PT_STATE_HALT:
		pt_halts_s12z_halted(&p->halt, pc, p->mode->pending(p));
		return 0;
	case PT_STATE_RUN:
		rc = p->halt.held && p->mode->run != NULL ? p->mode->run(p, err) : 0;
		return pt_halts_s12z_runs(&p->halt, pc, rc, err);
	case PT_STATE_RESET:
		on_reset(p, pc);
		return 0;
	default:
		pt_emit_state(&p->out, what, pt_wire_s12z_now_ns(&p->z->wire), pc);
		return 0;
	}
}

static int profile_stop(void *state, struct pt_err *err)
{
	struct pt_s12z_profile *p = state;
	struct pt_err first = { 0 }, own = { 0 };
	int rc = p->halt.untold ? pt_halts_s12z_catch_up(&p->halt, &first) : p->mode->flush(p, &first);

	if (p->mode->leave != NULL && p->mode->leave(p, &own) < 0 && rc == 0)
		rc = (first = own).code;
	rc = pt_halts_s12z_rest(&p->halt, rc);
	if (release(p, &own) < 0 && rc == 0)
		rc = (first = own).code;
	pt_emit_end(&p->out);
	if (rc < 0 && err != NULL)
		*err = first;
	return rc < 0 ? rc : 0;
}

const struct pt_source_ops pt_source_s12z_profile = {
	.name = "dbg-profile",
	.format = PT_FORMAT_S12Z_PROFILE,
	.flow = true,
	.modes = "bdc|pdo",
	.titles = "DBG bursts|DBG stream at the profiling pins",
	.help = "every branch, from the code profiling of the DBG module; the core never halts; no hardware breakpoints "
		"meanwhile",
	.state_bytes = sizeof(struct pt_s12z_profile),
	.params = pt_profile_params,
	.n_params = PT_PROFILE_N_PARAMS,
	.available = available,
	.start = profile_start,
	.drain = profile_drain,
	.on_state = profile_on_state,
	.behind = profile_behind,
	.stop = profile_stop,
};
