/* The steps, each of which needs the previous one: does the core have the units, does the chip keep what its recipe
 * writes, does its clock run, does the probe receive, and what arrives. At last it prints what to write into the
 * configuration. */
#include "targets/cortexm/swo/swo_doctor.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/util.h"
#include "targets/cortexm/swo/source_swo.h"
#include "targets/cortexm/swo/swo_listen.h"

static const char owner[] = "swo doctor";
enum { PORTS = 32, TRY_MS = 60, LEAST_PATIENCE_US = 8000 };
#define GOOD 0.001

struct doctor {
	struct pt_swo *s;
	void (*say)(void *arg, const char *line);
	void *arg;
};

static void tell(const struct doctor *d, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void tell(const struct doctor *d, const char *format, ...)
{
	char line[400];
	va_list words;

	va_start(words, format);
	vsnprintf(line, sizeof(line), format, words);
	va_end(words);
	d->say(d->arg, line);
}

/* --- chip and core ------------------------------------------------------------------------------------------------ */

static void tell_recipe(const struct doctor *d)
{
	const struct pt_swo *s = d->s;
	const struct pt_swo_recipe *r = s->recipe;

	tell(d, "chip: %s, pin %s%s (%s)", s->cm->chip.name, r->pin, r->unverified ? ", UNVERIFIED" : "", r->source);
	for (size_t i = 0; i < PT_SWO_WRITES && r->write[i].addr != 0; i++)
		tell(d, "  %s at 0x%08" PRIx32 ": sets 0x%" PRIx32, r->write[i].name, r->write[i].addr,
		     r->write[i].set);
	if (s->cm->family == NULL)
		tell(d,
		     "  what the chip itself needs is not known: its program, or a debug script, has to enable the pin");
}

/* Settings that another tool, or the program, has made: they are restored at the end. */
static void tell_found(const struct doctor *d)
{
	static const struct { const char *reg; uint32_t mask, usual; const char *has; } rows[] = {
		{ "TPIU_ACPR", UINT32_MAX, 0, "set a prescaler" }, { "ITM_TCR", 1, 0, "turned the ITM on" },
		{ "TPIU_FFCR", 3, 2, "turned the formatter off, or half on" },
	};
	const struct pt_swo_regs *regs = &d->s->regs;

	if ((d->s->cm->found_demcr & DEMCR_TRCENA) != 0)
		tell(d, "found: DEMCR.TRCENA was set already: another tool or the program uses trace; it stays so");
	for (size_t i = 0; i < regs->n; i++)
		for (size_t k = 0; k < PT_LEN(rows); k++)
			if (strcmp(regs->reg[i].name, rows[k].reg) == 0 &&
			    (regs->reg[i].was & rows[k].mask) != rows[k].usual)
				tell(d,
				     "found: %s is 0x%" PRIx32
				     ": another tool or the program has %s; it is put back at the end",
				     rows[k].reg, regs->reg[i].was, rows[k].has);
}

/* Printed after the results of the pin: samples in sleep arrive only if CYCCNT goes on. */
static void tell_core_clock(const struct doctor *d, bool by_pin)
{
	const struct pt_swo *s = d->s;
	const struct pt_swo_sleep *sleep = &s->sleep;

	if (sleep->stands) {
		tell(d,
		     "core clock: %.3f MHz or more: that is what CYCCNT counts, and it stands while the core sleeps (asleep in %u of "
		     "%u reads)",
		     s->core_hz / 1e6, sleep->n_asleep, sleep->n_reads);
		tell(d, "warning: so the core's clock is not known; core-clock=HZ has to say it");
		return;
	}
	tell(d, "core clock: %.4f MHz, give or take %.3f %% (CYCCNT)", s->core_hz / 1e6, s->core_wrong * 100);
	if (s->core_wrong > GOOD)
		tell(d, "warning: that is not exact: the probe's times are coarse");
	if (!by_pin && sleep->n_asleep > 0)
		tell(d,
		     "warning: it is faster where CYCCNT stands while the core sleeps (asleep in %u of %u reads), which nothing showed",
		     sleep->n_asleep, sleep->n_reads);
}

/* --- the pin ------------------------------------------------------------------------------------------------------ */

static int find_pin(const struct doctor *d, struct pt_swo_pin *pin, struct pt_err *err)
{
	static const double clocks[] = { 16e6, 8e6,   12e6,  24e6,  25e6,  32e6,  48e6,  64e6,  72e6,  80e6,  84e6,  96e6,
					 100e6, 120e6, 150e6, 168e6, 170e6, 180e6, 200e6, 216e6, 240e6, 250e6, 400e6, 480e6 };
	static const double parts[] = { 1, 0.5, 1.0 / 3, 0.25, 1.0 / 6, 0.125, 2 };
	double likely[1 + PT_LEN(parts) + 2 * PT_LEN(clocks)];
	size_t n = 0;

	if (d->s->recipe->clock_hz != 0)
		likely[n++] = d->s->recipe->clock_hz;
	for (size_t i = 0; i < PT_LEN(parts); i++)
		likely[n++] = d->s->core_hz * parts[i];
	for (size_t i = 0; i < PT_LEN(clocks); i++)
		likely[n++] = clocks[i];
	for (size_t i = 0; i < PT_LEN(clocks); i++)
		likely[n++] = clocks[i] / 2;
	return pt_swo_find_pin(d->s, likely, n, pin, err);
}

/* If the clock is the core's, or a simple fraction of it, it is known as precisely as that. */
static bool snap_to_core(const struct pt_swo *s, struct pt_swo_pin *pin, unsigned *part)
{
	for (*part = 1; *part <= 8; ++*part)
		if (fabs(pin->clock_hz * *part / s->core_hz - 1) <= s->core_wrong + pin->wrong &&
		    s->core_wrong < pin->wrong) {
			pin->clock_hz = s->core_hz / *part;
			pin->wrong = pin->in_pieces ? pin->wrong : s->core_wrong;
			return true;
		}
	return false;
}

static void tell_silence(const struct doctor *d, const struct pt_swo_pin *pin)
{
	const struct pt_swo_sleep *sleep = &d->s->sleep;

	if (pin->framed)
		tell(d,
		     "pin: frames of a TPIU come: its formatter is on, and FFCR does not stay 0x100: the program or a tool writes it");
	else if (pin->any_bytes && sleep->n_asleep > 0)
		tell(d,
		     "pin: something comes, and none of %u rates makes trace of it. The core was asleep in %u of %u reads: the trace "
		     "clock may stop while the core sleeps, so that hardly a byte is whole. Keep the clock on in sleep "
		     "(STM32: DBG_SLEEP and DBG_STOP in DBGMCU_CR), or the core awake, and try again",
		     pin->tries, sleep->n_asleep, sleep->n_reads);
	else if (pin->any_bytes)
		tell(d,
		     "pin: something comes, and none of %u rates makes trace of it: another signal is on the pin, or the line is "
		     "disturbed",
		     pin->tries);
	else
		tell(d,
		     "pin: nothing comes, at none of %u rates. In this order: the pin is not routed (%s: the program uses it for "
		     "something else, or has not enabled it); SWO of the board is not wired to the probe (a jumper, or TDO alone); the "
		     "trace clock is off",
		     pin->tries, d->s->recipe->pin);
}

/* No UART was received: the probe, or the port, may support only Manchester code. This contains the clock, so few rates
 * suffice. */
static int try_manchester(const struct doctor *d, struct pt_err *err)
{
	static const uint32_t rates[] = { 2000000, 500000, 100000 };
	struct pt_swo *s = d->s;
	const double clocks[] = { s->recipe->clock_hz != 0 ? s->recipe->clock_hz : s->core_hz, s->core_hz / 2, s->core_hz / 4 };
	struct pt_err refused = { 0 };
	struct pt_swo_heard heard;
	unsigned n_heard = 0;

	pt_swo_use_manchester(s);
	for (size_t i = 0; i < PT_LEN(clocks) * PT_LEN(rates); i++) {
		int rc = pt_swo_pause(s, err);

		if (rc < 0)
			return rc;
		s->trace_hz = clocks[i / PT_LEN(rates)];
		rc = pt_swo_try_rate(s, rates[i % PT_LEN(rates)], &refused);
		if (rc == PT_EARG)
			continue;
		if (rc < 0 || pt_swo_hear(s, TRY_MS * PT_NS_PER_MS, 1, &heard, &refused) < 0)
			return pt_fail(err, refused.code, "%s", refused.msg);
		n_heard++;
		if (pt_swo_is_heard(&heard)) {
			tell(d, "pin: UART is not read, and Manchester code is");
			tell(d,
			     "warning: it shows no trace clock: that below is the first that was tried, and a profile's figures of "
			     "what fits through the pin rest on it");
			tell(d, "for the configuration: swo-coding = manchester");
			tell(d, "                       trace-clock = %.0f", s->trace_hz);
			tell(d, "                       swo-baud = %" PRIu32, s->stream.bits_per_s);
			return 0;
		}
	}
	if (n_heard > 0)
		tell(d, "Manchester code is not read either, at none of %u rates", n_heard);
	else
		tell(d, "UART coding alone was tried, as the probe refuses Manchester code: %s", refused.msg);
	return 0;
}

static void tell_pieces(const struct doctor *d)
{
	tell(d,
	     "warning: that is not exact, and bytes are cut: the trace clock stops while the core sleeps (asleep in %u of %u reads). Each sleep damages what "
	     "is on the pin then, so profiles have losses. Keep the clock on in sleep (STM32: DBG_SLEEP and DBG_STOP in "
	     "DBGMCU_CR), or the core awake",
	     d->s->sleep.n_asleep, d->s->sleep.n_reads);
}

static void tell_clock(const struct doctor *d, struct pt_swo_pin *pin)
{
	const struct pt_swo_sleep *sleep = &d->s->sleep;
	unsigned part = 1;
	bool exact = !pin->in_pieces && (!sleep->stands || pin->by_port),
	     core = !sleep->stands && snap_to_core(d->s, pin, &part);

	tell(d, "trace clock: %.4f MHz, give or take %.2f %%%s%s%s", pin->clock_hz / 1e6, pin->wrong * 100,
	     core	    ? ": the core's"
	     : pin->by_port ? ", by the words that were written to the port"
	     : exact	    ? ", by the bytes that came in a second"
			    : ", by the rates that can be read",
	     core && part > 1 ? ", divided" : "", core && pin->in_pieces ? ", as the likeliest" : "");
	if (pin->in_pieces)
		tell_pieces(d);
	else if (sleep->stands && !pin->by_port)
		tell(d,
		     "warning: that is not exact: the pin pauses while the core sleeps (asleep in %u of %u reads), so that the bytes "
		     "in a second do not show its clock; %s",
		     sleep->n_asleep, sleep->n_reads,
		     d->s->fed != 0
			     ? "and words that a debugger writes to the port do not come. trace-clock=HZ has to say it"
			     : "trace-clock=HZ has to say it, or swo doctor port=31 measures it: the debugger writes words to that "
			       "stimulus port of the ITM, which the program must not use");
	else if (pin->wrong > GOOD)
		tell(d, "warning: that is not exact: %s; rates that rest on it may be wrong",
		     pin->lost ? "the probe dropped bytes" : "the pin pauses, or the probe's times are coarse");
}

/* --- rates -------------------------------------------------------------------------------------------------------- */

struct rates {
	double best_bps;
	struct pt_err limit;		/* why the fastest rate is not received; code 0: it is */
};

/* A profile reads registers between reads of the pin. */
static bool is_too_short(const struct pt_swo *s)
{
	uint32_t us = s->stream.ops->patience_us != NULL
			      ? s->stream.ops->patience_us(s->stream.wire, s->stream.bits_per_s)
			      : 0;

	return us != 0 && us < LEAST_PATIENCE_US;
}

/* Sets the rate as a profile does, so that the result can be written into the configuration. */
static int try_rate(const struct doctor *d, uint32_t wanted_bps, bool pieces, struct rates *rates, struct pt_err *err)
{
	struct pt_swo *s = d->s;
	struct pt_err own = { 0 };
	struct pt_swo_heard heard;
	int rc = pt_swo_pause(s, err);

	if (rc < 0)
		return rc;
	rc = pt_swo_try_rate(s, wanted_bps, &own);
	if (rc == 0 && is_too_short(s)) {
		tell(d, "  at %" PRIu32 " baud the probe's buffer is full too soon for what else a profile does",
		     s->stream.bits_per_s);
		return 0;
	}
	if (rc == PT_EARG && rates->limit.code == 0)
		rates->limit = own;
	if (rc == PT_EARG)
		return 0;
	if (rc == 0)
		rc = pt_swo_hear(s, TRY_MS * PT_NS_PER_MS, 1, &heard, &own);
	if (rc < 0) {
		*err = own;
		return rc;
	}
	if ((pieces ? pt_swo_is_in_pieces(&heard) : pt_swo_is_heard(&heard)) && !heard.lost)
		rates->best_bps = s->stream.bits_per_s;
	else
		tell(d, "  at %" PRIu32 " baud the probe %s", s->stream.bits_per_s,
		     heard.lost ? "drops bytes" : "does not read the pin");
	return 0;
}

static int try_rates(const struct doctor *d, const struct pt_swo_pin *pin, struct rates *rates, struct pt_err *err)
{
	static const uint32_t wanted[] = { 24000000, 12000000, 8000000, 6000000, 4000000, 2250000, 2000000, 1500000,
					   1000000,  500000,   250000,	115200,	 57600 };

	*rates = (struct rates){ 0 };
	d->s->trace_hz = pin->clock_hz;
	for (size_t i = 0; i < PT_LEN(wanted) && rates->best_bps == 0; i++)
		if (try_rate(d, wanted[i], pin->in_pieces, rates, err) < 0)
			return err->code;
	return 0;
}

static void tell_lines(const struct doctor *d, double clock_hz, const struct rates *rates)
{
	if (rates->limit.code != 0)
		tell(d, "faster rates: %s", rates->limit.msg);
	if (rates->best_bps == 0) {
		tell(d, "rates: none of those that a profile takes works with this probe");
		return;
	}
	tell(d, "fastest rate that works: %.0f baud, %.0f bytes a second", rates->best_bps,
	     rates->best_bps / PT_SWO_BITS);
	tell(d, "for the configuration: trace-clock = %.0f", clock_hz);
	tell(d, "                       swo-baud = %.0f", rates->best_bps);
}

/* Predicts a profile with the default trace and the present rate of exceptions. */
static int tell_load(const struct doctor *d, const struct rates *rates, struct pt_err *err)
{
	struct pt_swo *s = d->s;
	struct pt_err why = { 0 };
	char predicted[320];

	s->kinds |= PT_SWO_EXCEPTIONS;
	s->stream.stamped = true;
	s->chosen = false;
	s->pc_load = PT_SWO_PC_LOAD;
	pt_swo_add_exceptions(s);
	if (pt_swo_pause(s, err) < 0 || pt_swo_try_rate(s, (uint32_t)rates->best_bps, err) < 0 ||
	    pt_swo_measure_rest(s, err) < 0)
		return err->code;
	if (pt_swo_choose(s, &why) == 0)
		pt_swo_predict(s, predicted, sizeof(predicted));
	tell(d, "exceptions and samples at that rate: %s", why.code == 0 ? predicted : why.msg);
	return 0;
}

/* --- all of it ---------------------------------------------------------------------------------------------------- */

static int examine(const struct doctor *d, struct pt_err *err)
{
	struct pt_swo_pin pin;
	struct rates rates;
	int rc;

	if (pt_swo_find_core_clock(d->s, GOOD / 2, err) < 0 ||
	    pt_cortexm_set_demcr(d->s->cm, DEMCR_TRCENA, 0, err) < 0 || pt_swo_plan(d->s, err) < 0)
		return err->code;
	tell_recipe(d);
	tell_found(d);
	rc = find_pin(d, &pin, err);
	tell_core_clock(d, rc == 0 && pin.found && !pin.in_pieces);
	if (rc < 0)
		return rc;
	if (!pin.found) {
		tell_silence(d, &pin);
		return pin.framed ? 0 : try_manchester(d, err);
	}
	tell_clock(d, &pin);
	if (try_rates(d, &pin, &rates, err) < 0)
		return err->code;
	tell_lines(d, pin.clock_hz, &rates);
	return rates.best_bps == 0 || pin.in_pieces || d->s->sleep.stands ? 0 : tell_load(d, &rates, err);
}

static int check_core(struct pt_swo *s, struct pt_err *err)
{
	uint32_t dhcsr = 0;

	if (pt_source_swo.available(s->cm->target, err) < 0 || pt_cortexm_read_dhcsr(s->cm, &dhcsr, err) < 0)
		return err->code;
	if ((dhcsr & DHCSR_S_HALT) != 0)
		return pt_fail(err, PT_ESTATE, "the core is halted: let it run first (continue &, or monitor go)");
	return 0;
}

static int attend(const struct doctor *d, struct pt_err *err)
{
	struct pt_swo *s = d->s;
	int rc;

	pt_link_shield(pt_probe_link(s->cm->target->probe));	/* an interrupted check is useless */
	rc = examine(d, err);
	if (pt_swo_end(s, rc < 0 ? NULL : err) < 0 && rc == 0)
		rc = err->code;
	pt_link_unshield(pt_probe_link(s->cm->target->probe));
	return rc;
}

static int take_words(struct pt_swo *s, const char *const *words, size_t n_words, struct pt_err *err)
{
	static const char key[] = "port=";
	char *end;
	unsigned long port;

	if (n_words < 1 || n_words > 2 || strcmp(words[0], "doctor") != 0)
		return pt_fail(err, PT_EARG, "swo doctor [port=N] examines the pin SWO; there is nothing else");
	if (n_words == 1)
		return 0;
	port = strncmp(words[1], key, strlen(key)) == 0 ? strtoul(words[1] + strlen(key), &end, 10) : PORTS;
	if (port >= PORTS || end == words[1] + strlen(key) || *end != '\0')
		return pt_fail(err, PT_EARG, "swo doctor: %s: port=0 to port=31 is there", words[1]);
	s->fed = (unsigned)port + 1;
	return 0;
}

int pt_swo_doctor(void *state, const char *const *words, size_t n_words, void (*say)(void *arg, const char *line),
		  void *arg, struct pt_err *err)
{
	struct pt_swo *s = pt_alloc(sizeof(*s));
	const struct doctor d = { s, say, arg };
	int rc;

	s->cm = pt_cortexm_of(((struct pt_cortexm *)state)->target);
	s->mem = s->cm->mem;
	s->recipe = pt_swo_recipe_of(s->cm);
	s->kinds = PT_SWO_PC_SAMPLES;
	s->coding = PT_STREAM_UART;
	s->chosen = true;		/* the fastest rate */
	s->random = pt_mem_now_ns(s->mem);
	s->stream.ops = pt_probe_stream(s->cm->target->probe, &s->stream.wire);
	pt_cortexm_unit(s->cm, s->unit, "dwt.cyccnt");
	rc = take_words(s, words, n_words, err);
	if (rc == 0 && (rc = check_core(s, err)) == 0 &&
	    (rc = pt_lease_take(s->cm->target, s->unit, owner, err)) == 0) {
		rc = attend(&d, err);
		pt_lease_drop(s->cm->target, s->unit, owner);
	}
	free(s);
	return rc;
}
