/* The questions in the order in which an answer makes the next one worth asking: has the core the units, does the chip take
 * what its recipe writes, does its clock run, does the probe receive, and what comes. Then what is to be written into the
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
enum { TRY_MS = 60 };
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

static int find_core_clock(const struct doctor *d, struct pt_err *err)
{
	struct pt_swo *s = d->s;

	if (pt_swo_find_clocks(s, 0, 1, err) < 0)
		return err->code;
	tell(d, "core clock: %.3f MHz, give or take %.2f %% (CYCCNT)", s->core_hz / 1e6, s->core_wrong * 100);
	return 0;
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

/* The clock is the core's, or a simple part of it: then it is known as well as that is. */
static bool snap_to_core(const struct pt_swo *s, struct pt_swo_pin *pin, unsigned *part)
{
	for (*part = 1; *part <= 8; ++*part)
		if (fabs(pin->clock_hz * *part / s->core_hz - 1) <= s->core_wrong + pin->wrong &&
		    s->core_wrong < pin->wrong) {
			pin->clock_hz = s->core_hz / *part;
			pin->wrong = s->core_wrong;
			return true;
		}
	return false;
}

static void tell_silence(const struct doctor *d, const struct pt_swo_pin *pin)
{
	if (pin->framed)
		tell(d,
		     "pin: frames of a TPIU come: its formatter is on, and FFCR.EnFCont does not stay 0: the program or a tool writes "
		     "it");
	else if (pin->any_bytes)
		tell(d,
		     "pin: something comes, and none of %u rates makes trace of it: another signal is on the pin, or its coding is "
		     "Manchester (swo-coding=manchester), or the line is disturbed",
		     pin->tries);
	else
		tell(d,
		     "pin: nothing comes, at none of %u rates. In this order: the pin is not routed (%s: the program uses it for "
		     "something else, or has not enabled it); SWO of the board is not wired to the probe (a jumper, or TDO alone); the "
		     "trace clock is off",
		     pin->tries, d->s->recipe->pin);
}

static void tell_clock(const struct doctor *d, struct pt_swo_pin *pin)
{
	unsigned part;
	bool core = snap_to_core(d->s, pin, &part);

	tell(d, "trace clock: %.4f MHz, give or take %.2f %%%s%s", pin->clock_hz / 1e6, pin->wrong * 100,
	     core ? ": the core's" : ", by the bytes that came in a second", core && part > 1 ? ", divided" : "");
	if (pin->wrong > GOOD)
		tell(d,
		     "warning: that is not exact: the probe dropped bytes, or its times are coarse; rates that rest on it may be wrong");
}

/* --- rates -------------------------------------------------------------------------------------------------------- */

static int try_rates(const struct doctor *d, double clock_hz, double *best_bps, struct pt_err *err)
{
	static const double rates[] = { 12e6, 8e6, 6e6, 4e6, 2.25e6, 2e6, 1.5e6, 1e6, 500e3, 250e3, 115200 };
	struct pt_swo_heard heard;

	*best_bps = 0;
	for (size_t i = 0; i < PT_LEN(rates) && *best_bps == 0; i++) {
		uint32_t divider = (uint32_t)fmax(1, round(clock_hz / rates[i]));
		struct pt_err own = { 0 };
		int rc = pt_swo_listen(d->s, divider, clock_hz / divider, TRY_MS * PT_NS_PER_MS, &heard, &own);

		if (rc < 0 && rc != PT_EARG) {
			*err = own;
			return rc;
		}
		if (rc == PT_EARG)
			continue;
		if (pt_swo_is_heard(&heard) && !heard.lost)
			*best_bps = clock_hz / divider;
		else
			tell(d, "  at %.0f baud the probe %s", clock_hz / divider,
			     heard.lost ? "drops bytes" : "does not read the pin");
	}
	return 0;
}

static void tell_lines(const struct doctor *d, double clock_hz, double bps)
{
	tell(d, "fastest rate that works: %.0f baud, %.0f bytes a second", bps, bps / PT_SWO_BITS);
	tell(d, "for the configuration: set = trace-clock=%.0f", clock_hz);
	tell(d, "                       set = swo-baud=%.0f", bps);
}

/* --- all of it ---------------------------------------------------------------------------------------------------- */

static int examine(const struct doctor *d, struct pt_err *err)
{
	struct pt_swo_pin pin;
	double bps = 0;

	if (find_core_clock(d, err) < 0 || pt_cortexm_set_demcr(d->s->cm, DEMCR_TRCENA, 0, err) < 0 ||
	    pt_swo_plan(d->s, err) < 0)
		return err->code;
	tell_recipe(d);
	if (find_pin(d, &pin, err) < 0)
		return err->code;
	if (!pin.found) {
		tell_silence(d, &pin);
		return 0;
	}
	tell_clock(d, &pin);
	if (try_rates(d, pin.clock_hz, &bps, err) < 0)
		return err->code;
	if (bps == 0)
		tell(d, "rates: none of those that a profile takes works with this probe");
	else
		tell_lines(d, pin.clock_hz, bps);
	return 0;
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

	pt_link_shield(pt_probe_link(s->cm->target->probe));	/* half of it tells nothing */
	rc = examine(d, err);
	if (pt_swo_end(s, rc < 0 ? NULL : err) < 0 && rc == 0)
		rc = err->code;
	pt_link_unshield(pt_probe_link(s->cm->target->probe));
	return rc;
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
	s->chosen = true;		/* as fast as there is */
	s->stream.ops = pt_probe_stream(s->cm->target->probe, &s->stream.wire);
	pt_cortexm_unit(s->cm, s->unit, "dwt.cyccnt");
	if (n_words != 1 || strcmp(words[0], "doctor") != 0)
		rc = pt_fail(err, PT_EARG, "swo doctor examines the pin SWO; there is nothing else");
	else if ((rc = check_core(s, err)) == 0 && (rc = pt_lease_take(s->cm->target, s->unit, owner, err)) == 0) {
		rc = attend(&d, err);
		pt_lease_drop(s->cm->target, s->unit, owner);
	}
	free(s);
	return rc;
}
