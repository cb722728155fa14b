/* The contents of the registers while the pin SWO carries trace. Sources: Arm DDI 0403 (ARMv7-M), C1.7 (ITM), C1.8
 * (DWT), C1.10 (TPIU); what a chip needs besides is its recipe's. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/util.h"
#include "host/log.h"
#include "targets/cortexm/swo/swo.h"

#define ITM UINT32_C(0xe0000000)
#define TPIU UINT32_C(0xe0040000)
enum { ITM_TER = 0xe00, ITM_TPR = 0xe40, ITM_TCR = 0xe80, LAR = 0xfb0, LSR = 0xfb4 };
enum { TCR_ITMENA = 1 << 0, TCR_TSENA = 1 << 1, TCR_SYNCENA = 1 << 2, TCR_TXENA = 1 << 3, TCR_BUSY = 1 << 23, TCR_ID = 1 << 16,
       TCR_SETTINGS = 0x7f0f1f };
enum { TPIU_ACPR = 0x010, TPIU_SPPR = 0x0f0, TPIU_FFCR = 0x304, MOST_ACPR = 0x1fff, MOST_COMMON = 24 };
enum { SPPR_MANCHESTER = 1, SPPR_UART = 2, FFCR_TRIG_IN = 1 << 8, FFCR_FORMATS = 3 };	/* EnFCont, EnFTC */
enum { CTRL_CYCCNTENA = 1 << 0, CTRL_SYNCTAP = 1 << 10, CTRL_PCSAMPLENA = 1 << 12, CTRL_EXCTRCENA = 1 << 16,
       CTRL_EVENTS = 0x1f << 17, CTRL_SETTINGS = 0x7f1fff, CTRL_NOTRCPKT = 1 << 27, CTRL_NOCYCCNT = 1 << 25 };
#define LAR_KEY UINT32_C(0xc5acce55)
enum { LSR_LOCKED = 3, BUSY_US = 5000, SETTLE_US = 2000, BATCH_MS = 1000 };
#define MOST_BESIDES 0.3	/* allowed relative difference from the wanted rate */

/* --- what is to be where ------------------------------------------------------------------------------------------ */

static void plan_recipe(struct pt_swo *s)
{
	const struct pt_swo_write *w = s->recipe->write;

	for (size_t i = 0; i < PT_SWO_WRITES && w[i].addr != 0; i++) {
		bool whole = w[i].clear == UINT32_MAX;	/* a key, or a command: it does not read back as written */

		pt_swo_regs_add(&s->regs, &(struct pt_swo_reg){
						  .name = w[i].name,
						  .at = w[i].addr,
						  .clear = w[i].clear,
						  .set = w[i].set,
						  .width_bytes = w[i].width_bytes,
						  .check = whole ? 0 : w[i].clear | w[i].set,
					  });
	}
}

static void plan_port(struct pt_swo *s)
{
	uint32_t port = s->recipe->port != 0 ? s->recipe->port : TPIU;
	uint32_t protocol = s->coding == PT_STREAM_MANCHESTER ? SPPR_MANCHESTER : SPPR_UART;

	s->sppr_row = pt_swo_regs_add(&s->regs, &(struct pt_swo_reg){ .name = "TPIU_SPPR",
								      .at = port + TPIU_SPPR,
								      .clear = UINT32_MAX,
								      .set = protocol,
								      .check = 3 });
	s->acpr_row = pt_swo_regs_add(&s->regs, &(struct pt_swo_reg){ .name = "TPIU_ACPR",
								      .at = port + TPIU_ACPR,
								      .clear = UINT32_MAX,
								      .check = MOST_ACPR });
	if (!s->recipe->is_swo_unit)
		pt_swo_regs_add(&s->regs, &(struct pt_swo_reg){ .name = "TPIU_FFCR",
								.at = port + TPIU_FFCR,
								.clear = FFCR_FORMATS,
								.set = FFCR_TRIG_IN,
								.check = FFCR_FORMATS });
}

static void plan_core(struct pt_swo *s)
{
	uint32_t exceptions = (s->kinds & PT_SWO_EXCEPTIONS) != 0 ? CTRL_EXCTRCENA : 0;
	uint32_t events = (s->kinds & PT_SWO_EVENTS) != 0 ? CTRL_EVENTS : 0;

	s->ctrl = pt_swo_regs_add(&s->regs,
				  &(struct pt_swo_reg){ .name = "DWT_CTRL",
							.at = (uint32_t)pt_swo_dwt(s, DWT_CTRL),
							.clear = CTRL_SETTINGS,
							.set = CTRL_CYCCNTENA | CTRL_SYNCTAP | exceptions | events,
							.check = CTRL_CYCCNTENA | CTRL_PCSAMPLENA | CTRL_EXCTRCENA |
								 CTRL_EVENTS });
	if ((s->kinds & PT_SWO_INSTRUMENTATION) != 0) {
		pt_swo_regs_add(&s->regs,
				&(struct pt_swo_reg){ .name = "ITM_TPR", .at = ITM + ITM_TPR, .clear = UINT32_MAX });
		pt_swo_regs_add(&s->regs, &(struct pt_swo_reg){ .name = "ITM_TER",
								.at = ITM + ITM_TER,
								.clear = UINT32_MAX,
								.set = UINT32_MAX,
								.sends = true,
								.check = 1 });
	}
	if (s->fed != 0)
		pt_swo_regs_add(&s->regs, &(struct pt_swo_reg){ .name = "ITM_TER",
								.at = ITM + ITM_TER,
								.clear = UINT32_MAX,
								.set = UINT32_C(1) << (s->fed - 1) });
	s->tcr = pt_swo_regs_add(&s->regs, &(struct pt_swo_reg){ .name = "ITM_TCR",
								 .at = ITM + ITM_TCR,
								 .clear = TCR_SETTINGS,
								 .ignore = TCR_BUSY,
								 .set = TCR_ITMENA | TCR_SYNCENA | TCR_TXENA | TCR_ID |
									(s->stream.stamped ? TCR_TSENA : 0),
								 .check = TCR_ITMENA | TCR_TXENA });
}

/* The units of an M7 have locks, which a debug port may have to open, too. */
static int unlock(struct pt_swo *s, uint32_t base, struct pt_err *err)
{
	uint32_t lsr = 0;

	if (pt_mem_read32(s->mem, base + LSR, &lsr, err) < 0)
		return err->code;
	if ((lsr & LSR_LOCKED) != LSR_LOCKED)
		return 0;
	s->regs.lock[s->regs.n_locks++] = base + LAR;
	return pt_mem_write32(s->mem, base + LAR, LAR_KEY, err);
}

static int check_unit(struct pt_swo *s, struct pt_err *err)
{
	uint32_t ctrl = 0;

	if (pt_mem_read32(s->mem, pt_swo_dwt(s, DWT_CTRL), &ctrl, err) < 0)
		return pt_wrap(err, "read DWT_CTRL");
	if ((ctrl & (CTRL_NOTRCPKT | CTRL_NOCYCCNT)) == 0)
		return 0;
	return pt_fail(err, PT_EUNSUPPORTED, "this %s was built without trace packets (DWT_CTRL is 0x%08" PRIx32 ")",
		       s->cm->chip.core, ctrl);
}

int pt_swo_plan(struct pt_swo *s, struct pt_err *err)
{
	if (check_unit(s, err) < 0)
		return err->code;
	s->regs.n_locks = 0;
	if (unlock(s, ITM, err) < 0 || unlock(s, s->cm->found.unit[PT_UNIT_DWT], err) < 0)
		return pt_wrap(err, "unlock the ITM");
	s->regs.n = 0;
	plan_recipe(s);
	plan_port(s);
	pt_swo_plan_places(s);
	plan_core(s);
	return pt_swo_regs_save(&s->regs, s->cm, err);
}

void pt_swo_add_exceptions(struct pt_swo *s)
{
	s->regs.reg[s->ctrl].ours |= CTRL_EXCTRCENA;
	s->regs.reg[s->tcr].ours |= TCR_TSENA;
}

/* --- the rate ----------------------------------------------------------------------------------------------------- */

/* A Manchester bit has two halves, and the TPIU counts these. */
static double half_bits(const struct pt_swo *s)
{
	return s->coding == PT_STREAM_MANCHESTER ? 2 : 1;
}

static void stop_receiving(struct pt_swo *s)
{
	struct pt_err ignored = { 0 };

	if (s->receiving)
		s->stream.ops->stop(s->stream.wire, &ignored);
	s->receiving = false;
}

int pt_swo_receive(struct pt_swo *s, uint32_t bits_per_s, uint32_t *actual, struct pt_err *err)
{
	struct pt_stream_want want = { .coding = s->coding, .bits_per_s = bits_per_s };
	int rc;

	want.clock = s->cm->target->probe != NULL ? pt_probe_link(s->cm->target->probe) : NULL;
	rc = s->stream.ops->start(s->stream.wire, &want, actual, err);
	s->receiving = rc == 0;
	return rc;
}

/* Uses the pin's rate with this divider, if the probe has this rate, too. */
static int try_divider(struct pt_swo *s, uint32_t divider, struct pt_err *err)
{
	double line = s->trace_hz / divider / half_bits(s), off;
	uint32_t actual = 0;
	int rc = pt_swo_receive(s, (uint32_t)llround(line), &actual, err);

	if (rc < 0)
		return rc;
	off = actual > 0 ? fabs(line / actual - 1) : 0;
	if (s->coding == PT_STREAM_MANCHESTER || off <= PT_SWO_MOST_OFF) {
		s->acpr = divider - 1;
		s->stream.bits_per_s = (uint32_t)llround(line);
		return 0;
	}
	stop_receiving(s);
	return pt_fail(err, PT_EARG, "the pin can have %.0f baud and the probe %" PRIu32 ": they are %.1f %% apart",
		       line, actual, off * 100);
}

/* The pin's clock is divided by an integer, and so is the probe's own: there may be a rate near the wanted one that
 * both have. If there is none, the first error is reported. */
int pt_swo_try_rate(struct pt_swo *s, uint32_t wanted_bps, struct pt_err *err)
{
	static const int8_t besides[] = { 0, -1, 1, -2, 2 };
	double exact = s->trace_hz / wanted_bps / half_bits(s);
	struct pt_err one, first = { 0 };

	for (size_t i = 0; i < PT_LEN(besides); i++) {
		long divider = lround(exact) + besides[i];

		if (divider < 1 || divider > MOST_ACPR + 1 || fabs((double)divider / exact - 1) > MOST_BESIDES)
			continue;
		one = (struct pt_err){ 0 };
		if (try_divider(s, (uint32_t)divider, &one) == 0)
			return 0;
		if (first.code == 0 || one.code != PT_EARG)
			first = one;
		if (one.code != PT_EARG)
			break;
	}
	if (first.code == 0)
		return pt_fail(err, PT_EARG, "a clock of %.3f MHz cannot be divided to %" PRIu32 " baud",
			       s->trace_hz / 1e6, wanted_bps);
	*err = first;
	return err->code;
}

/* The nearest rate in this direction that pin and probe both have; 0: none near. */
static uint32_t common_rate(struct pt_swo *s, int step)
{
	long first = lround(s->trace_hz / s->wanted_bps / half_bits(s));

	for (long divider = first + step; divider >= 1 && labs(divider - first) <= MOST_COMMON; divider += step)
		if (divider <= MOST_ACPR + 1 && try_divider(s, (uint32_t)divider, NULL) == 0) {
			stop_receiving(s);
			return s->stream.bits_per_s;
		}
	return 0;
}

/* A rate that the user named: another one, or none, is no secret. */
static int use_wanted(struct pt_swo *s, struct pt_err *err)
{
	int rc = pt_swo_try_rate(s, s->wanted_bps, err);
	struct pt_err why;
	uint32_t below, above;

	if (rc == 0 && fabs((double)s->stream.bits_per_s / s->wanted_bps - 1) > PT_SWO_MOST_OFF)
		pt_warn("swo: pin and probe do not both have %" PRIu32 " baud: %" PRIu32 " is used", s->wanted_bps,
			s->stream.bits_per_s);
	if (rc != PT_EARG)
		return rc;
	why = *err;
	below = common_rate(s, 1);
	above = common_rate(s, -1);
	if (below == 0 && above == 0)
		return rc;
	if (below == 0 || above == 0)
		return pt_fail(err, rc, "%s; both have %" PRIu32, why.msg, below + above);
	return pt_fail(err, rc, "%s; both have %" PRIu32 " and %" PRIu32, why.msg, below, above);
}

static int start_receiving(struct pt_swo *s, struct pt_err *err)
{
	static const uint32_t rates[] = { PT_SWO_FIRST_BPS, 2250000, 2000000, 1500000, 1000000, 500000, 921600, 250000, 115200 };
	int rc = PT_EARG;

	if (s->wanted_bps != 0)
		return use_wanted(s, err);
	for (size_t i = 0; i < PT_LEN(rates) && rc == PT_EARG; i++)
		rc = pt_swo_try_rate(s, rates[i], err);
	return rc;
}

/* --- on and off --------------------------------------------------------------------------------------------------- */

int pt_swo_quiet(struct pt_swo *s, struct pt_err *err)
{
	uint8_t off[4] = { 0 };
	struct pt_mem_op op[] = {
		{ .what = PT_MEM_WRITE, .width_bytes = 4, .addr = ITM + ITM_TCR, .bytes = off, .len_bytes = 4 },
		{ .what = PT_MEM_POLL, .addr = ITM + ITM_TCR, .mask = TCR_BUSY, .time_us = BUSY_US },
	};

	pt_put_le32(off, s->regs.reg[s->tcr].ours & ~(uint32_t)(TCR_ITMENA | TCR_BUSY));
	if (pt_mem_run(s->mem, op, PT_LEN(op), BATCH_MS, NULL, err) < 0)
		return pt_wrap(err, "turn the ITM off");
	return 0;
}

/* First packets, then samples: their number is known from this CYCCNT on. */
static int turn_on(struct pt_swo *s, struct pt_err *err)
{
	bool samples = (s->kinds & PT_SWO_PC_SAMPLES) != 0;
	uint32_t ctrl = s->regs.reg[s->ctrl].ours | pt_swo_period_bits(&s->period) | (samples ? CTRL_PCSAMPLENA : 0);
	uint8_t tcr[4], value[4], cyccnt[4] = { 0 };
	struct pt_mem_op op[] = {
		{ .what = PT_MEM_WRITE, .width_bytes = 4, .addr = ITM + ITM_TCR, .bytes = tcr, .len_bytes = 4 },
		{ .what = PT_MEM_WRITE, .width_bytes = 4, .addr = pt_swo_dwt(s, DWT_CTRL), .bytes = value, .len_bytes = 4 },
		{ .what = PT_MEM_READ, .width_bytes = 4, .addr = pt_swo_dwt(s, DWT_CYCCNT), .bytes = cyccnt, .len_bytes = 4 },
	};

	s->regs.reg[s->ctrl].ours = ctrl;
	pt_put_le32(tcr, s->regs.reg[s->tcr].ours);
	pt_put_le32(value, ctrl);
	if (pt_mem_run(s->mem, op, PT_LEN(op), BATCH_MS, NULL, err) < 0)
		return pt_wrap(err, "turn the ITM on");
	s->on_ns = pt_swo_midway_ns(&op[0]);
	pt_swo_note_edge(s, &op[0]);
	pt_swo_cycles_begin(&s->cycles);
	pt_swo_cycles_read(&s->cycles, pt_le32(cyccnt), op[2].sent_ns, op[2].done_ns, pt_swo_missed_ns(s));
	pt_swo_silence_begin(&s->stream.silence, pt_le32(cyccnt));
	if (samples)
		pt_swo_cadence_begin(&s->cadence, &s->period, pt_le32(cyccnt));
	return 0;
}

/* If a register keeps the value now, and had lost it before, somebody wrote it meanwhile. */
int pt_swo_check_written(struct pt_swo *s, struct pt_err *err)
{
	const struct pt_swo_reg *which, *again;
	uint32_t holds = 0, ignored;

	if (pt_swo_regs_check(&s->regs, s->cm, &which, &holds, err) < 0)
		return err->code;
	if (which == NULL)
		return 0;
	if (pt_swo_regs_write(&s->regs, s->cm, err) < 0 ||
	    pt_swo_regs_check(&s->regs, s->cm, &again, &ignored, err) < 0)
		return err->code;
	if (again == which)
		return pt_fail(err, PT_EUNSUPPORTED,
			       "%s does not take what is written to it (0x%08" PRIx32 ", and it holds 0x%08" PRIx32
			       "): the chip has no such unit, or does not let a debugger write it",
			       which->name, which->ours, holds);
	return pt_fail(err, PT_EBUSY,
		       "%s was 0x%08" PRIx32 " and is 0x%08" PRIx32
		       " now: another tool or the program writes it; end the "
		       "other tool, or its trace, and try again",
		       which->name, which->ours, holds);
}

void pt_swo_use_manchester(struct pt_swo *s)
{
	s->coding = PT_STREAM_MANCHESTER;
	s->regs.reg[s->sppr_row].ours = SPPR_MANCHESTER;
}

int pt_swo_pause(struct pt_swo *s, struct pt_err *err)
{
	stop_receiving(s);
	pt_swo_regs_take(&s->regs, s->cm);
	return pt_swo_quiet(s, err);
}

int pt_swo_program(struct pt_swo *s, struct pt_err *err)
{
	struct pt_swo_reg *ctrl = &s->regs.reg[s->ctrl], *tcr = &s->regs.reg[s->tcr];
	int rc;

	ctrl->ours &= ~(uint32_t)CTRL_PCSAMPLENA & ~pt_swo_period_bits(&(struct pt_swo_period){ true, 15 });
	ctrl->ours |= pt_swo_period_bits(&s->period);	/* POSTCNT begins at POSTINIT when samples are turned on */
	s->regs.reg[s->acpr_row].ours = s->acpr;
	tcr->ours &= ~(uint32_t)TCR_ITMENA;
	rc = pt_swo_regs_write(&s->regs, s->cm, err);
	tcr->ours |= TCR_ITMENA;
	/* the pin may have toggled during the set-up */
	if (rc < 0 || pt_mem_wait(s->mem, pt_mem_now_ns(s->mem) + SETTLE_US * 1000, err) < 0 ||
	    pt_swo_drop(&s->stream, err) < 0 || turn_on(s, err) < 0)
		return err->code;
	return pt_swo_check_written(s, err);
}

int pt_swo_begin(struct pt_swo *s, struct pt_err *err)
{
	if (pt_swo_pause(s, err) < 0 || start_receiving(s, err) < 0 || pt_swo_measure_rest(s, err) < 0 ||
	    pt_swo_choose(s, err) < 0)
		return err->code;
	return pt_swo_program(s, err);
}

/* TRCENA is cleared with the last user. */
static int untrace(struct pt_swo *s, struct pt_err *err)
{
	char samples[PT_PENDING_UNIT];

	if (pt_cortexm_breaks_watching(s->cm) ||
	    pt_lease_held(s->cm->target, pt_cortexm_unit(s->cm, samples, "dwt.pcsr")) ||
	    (s->cm->found_demcr & DEMCR_TRCENA) != 0)
		return 0;
	return pt_cortexm_set_demcr(s->cm, 0, DEMCR_TRCENA, err);
}

int pt_swo_end(struct pt_swo *s, struct pt_err *err)
{
	struct pt_err own = { 0 };

	stop_receiving(s);
	/* without TRCENA, which a failed measurement of the clock may have turned off, the units take nothing */
	if (s->regs.taken && pt_cortexm_set_demcr(s->cm, DEMCR_TRCENA, 0, &own) == 0 && pt_swo_quiet(s, &own) == 0)
		pt_swo_regs_restore(&s->regs, s->cm, &own);
	if (own.code == 0)
		untrace(s, &own);
	if (own.code < 0 && err != NULL)
		*err = own;
	return own.code;
}
