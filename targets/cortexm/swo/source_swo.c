/* The source swo: what DWT and ITM send over the pin SWO while the core runs, undisturbed. One configuration combines
 * exceptions, samples of the pc, data, instrumentation and counters.
 *
 * Each step reads CYCCNT: a change of the clock shows there before it shows in the bytes, and the number of samples
 * that must have been sent follows from it. If registers do not hold what was written, the program or another tool has
 * changed them: this is a loss with its time, and they are written again, a few times. The sampling period changes at
 * random from step to step, so that no loop can run in step with it. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/util.h"
#include "host/log.h"
#include "targets/cortexm/swo/source_swo.h"
#include "targets/cortexm/swo/swo.h"
#include "trace/config.h"
#include "trace/formats.h"
#include "trace/itm_counters.h"
#include "trace/loss.h"

static const char owner[] = "profile";

enum { TRACE, BAUD, CODING, TRACE_CLOCK, PC_LOAD, STAMPS, DATA_PC, N_PARAMS };
static const struct pt_param params[] = {
	[TRACE] = { .key = "trace", .type = PT_PARAM_LIST, .standard = "exceptions,pc-samples",
		    .help = "what goes over the pin: exceptions, pc-samples, data (variables=), task, instrumentation, "
			    "event-counters; without it the first two, and data and task where variables are named" },
	[BAUD] = { .key = "swo-baud", .type = PT_PARAM_NUMBER, .min = 1000, .max = 100000000,
		   .help = "rate of the pin; without it 4000000, or what pin and probe both have near that or below" },
	[CODING] = { .key = "swo-coding", .type = PT_PARAM_CHOICE, .standard = "uart", .choices = "uart|manchester",
		     .help = "how bits are sent" },
	[TRACE_CLOCK] = { .key = "trace-clock", .type = PT_PARAM_HZ,
			  .help = "clock that the pin's rate is divided from; without it the chip's own, else the core's" },
	[PC_LOAD] = { .key = "pc-load", .type = PT_PARAM_NUMBER, .standard = "10", .min = 1, .max = 50,
		      .help = "percent of the pin that samples of the pc may take; without it up to 10, as much as leaves room for what "
			      "else is traced" },
	[STAMPS] = { .key = "stamps", .type = PT_PARAM_FLAG, .standard = "on",
		     .help = "time stamps behind each packet; without them twice as many packets fit, which have no time of their own" },
	[DATA_PC] = { .key = "data-pc", .type = PT_PARAM_FLAG, .standard = "off",
		      .help = "variables: which instruction wrote each value, for five bytes more" },
};

static const struct { const char *name; enum pt_swo_kind kind; } kinds[] = {
	{ "exceptions", PT_SWO_EXCEPTIONS }, { "pc-samples", PT_SWO_PC_SAMPLES },
	{ "data", PT_SWO_DATA }, { "task", PT_SWO_TASK }, { "instrumentation", PT_SWO_INSTRUMENTATION }, { "event-counters", PT_SWO_EVENTS },
};

enum { HELD_REST_US = 200000, MOST_REST_US = 10000, LEAST_REST_US = 1000, ICTR = 0x004 };

/* --- settings ----------------------------------------------------------------------------------------------------- */

static unsigned kind_of(const char *word, size_t len)
{
	for (size_t i = 0; i < PT_LEN(kinds); i++)
		if (strlen(kinds[i].name) == len && strncmp(kinds[i].name, word, len) == 0)
			return kinds[i].kind;
	return 0;
}

static int take_kinds(struct pt_swo *s, const char *list, struct pt_err *err)
{
	for (size_t len; *list != '\0'; list += len + (list[len] == ',')) {
		unsigned kind;

		len = strcspn(list, ",");
		kind = kind_of(list, len);
		if (kind == 0)
			return pt_fail(
				err, PT_EARG,
				"trace=%.*s: there are exceptions, pc-samples, data, task, instrumentation and event-counters",
				(int)(len < 40 ? len : 40), list);
		s->kinds |= kind;
	}
	return 0;
}

static int take_settings(struct pt_swo *s, const struct pt_source_setup *setup, struct pt_err *err)
{
	s->random = setup->seed;
	s->wanted_bps = (uint32_t)pt_params_number(setup->settings, &params[BAUD]);
	s->pc_load = (double)pt_params_number(setup->settings, &params[PC_LOAD]) / 100;
	s->load_given = pt_params_given(setup->settings, &params[PC_LOAD]);
	s->coding = strcmp(pt_params_text(setup->settings, &params[CODING]), "manchester") == 0 ? PT_STREAM_MANCHESTER
												: PT_STREAM_UART;
	if (take_kinds(s, pt_params_text(setup->settings, &params[TRACE]), err) < 0)
		return err->code;
	s->named = pt_params_given(setup->settings, &params[TRACE]);
	s->data_pc = pt_params_flag(setup->settings, &params[DATA_PC]);
	if (!s->named && setup->n_places > 0)
		s->kinds |= PT_SWO_DATA | PT_SWO_TASK;
	s->stream.expects = (s->kinds & PT_SWO_PC_SAMPLES) != 0;
	s->stream.stamped =
		(s->kinds & ~(unsigned)PT_SWO_PC_SAMPLES) != 0 && pt_params_flag(setup->settings, &params[STAMPS]);
	return 0;
}

static uint64_t given_clock(const struct pt_source_setup *setup)
{
	const char *value;
	uint64_t hz = 0;
	char text[24];
	struct pt_err ignored = { 0 };
	int len =
		setup->config != NULL ? pt_config_look_up(setup->config, strlen(setup->config), "core_hz", &value) : -1;

	if (len <= 0 || len >= (int)sizeof(text))
		return 0;
	snprintf(text, sizeof(text), "%.*s", len, value);
	return pt_params_parse(PT_PARAM_NUMBER, text, &hz, &ignored) == 0 ? hz : 0;
}

/* --- what there is ------------------------------------------------------------------------------------------------ */

static int available(struct pt_target *target, struct pt_err *err)
{
	struct pt_cortexm *cm = pt_cortexm_of(target);
	const struct pt_swo_recipe *recipe = pt_swo_recipe_of(cm);
	void *wire;

	if (cm->found.unit[PT_UNIT_DWT] == 0 || !pt_cortexm_is_mainline(&cm->chip))
		return pt_fail(err, PT_EUNSUPPORTED, "%s has no ITM, which sends on SWO", cm->chip.core);
	if (recipe->none != NULL)
		return pt_fail(err, PT_EUNSUPPORTED, "%s has no SWO: %s", cm->chip.name, recipe->none);
	if (target->probe == NULL || pt_probe_stream(target->probe, &wire) == NULL)
		return pt_fail(err, PT_EUNSUPPORTED, "the probe does not receive SWO");
	return 0;
}

/* Prints the rate that a profile starts with by default. */
static void print_cost(struct pt_target *target, char *line, size_t room)
{
	struct pt_probe_info info = { 0 };
	uint32_t bits_per_s = PT_SWO_FIRST_BPS;
	char limit[80] = "without swo-baud=; the probe does not say how fast it receives";

	pt_probe_info(target->probe, &info);
	if (info.swo_most_bps != 0 && info.swo_most_bps < bits_per_s)
		bits_per_s = info.swo_most_bps;
	if (info.swo_most_bps != 0)
		snprintf(limit, sizeof(limit), "without swo-baud=; the probe receives up to %" PRIu32,
			 info.swo_most_bps);
	pt_swo_print_room(bits_per_s, limit, line, room);
}

/* --- start -------------------------------------------------------------------------------------------------------- */

static int look_at_core(struct pt_swo *s, struct pt_err *err)
{
	uint32_t dhcsr = 0, ictr = 0;

	if (pt_cortexm_read_dhcsr(s->cm, &dhcsr, err) < 0 ||
	    pt_mem_read32(s->mem, pt_cortexm_reg(s->cm, ICTR), &ictr, err) < 0)
		return pt_wrap(err, "read the state of the core");
	s->held = (dhcsr & DHCSR_S_HALT) != 0;
	s->stream.limits.last_exception = (uint16_t)(16 + 32 * ((ictr & 0xf) + 1) - 1);
	return 0;
}

static int tell_halted(struct pt_swo *s, struct pt_err *err)
{
	return s->held ? pt_emit_halted(&s->out, s->cm->target, s->cm->number, err) : 0;
}

/* Packets of a source that is off are damage. Stimulus ports can be switched on by the program, and comparators by
 * another debugger. */
static void limit_packets(struct pt_swo *s)
{
	static const struct { unsigned kinds; uint8_t none; } rows[] = {
		{ PT_SWO_EXCEPTIONS, PT_ITM_NO_EXCEPTIONS }, { PT_SWO_PC_SAMPLES, PT_ITM_NO_SAMPLES },
		{ PT_SWO_EVENTS, PT_ITM_NO_COUNTERS },
	};
	for (size_t i = 0; i < PT_LEN(rows); i++)
		if ((s->kinds & rows[i].kinds) == 0)
			s->stream.limits.no_hardware |= rows[i].none;
}

static void list_kinds(const struct pt_swo *s, char *list, size_t room)
{
	size_t at = 0;

	for (size_t i = 0; i < PT_LEN(kinds) && at < room; i++)
		if ((s->kinds & kinds[i].kind) != 0)
			at += (size_t)snprintf(list + at, room - at, "%s%s", at > 0 ? "," : "", kinds[i].name);
}

/* Prints the clock of the stamps. The user's value is taken as it is; a measured one has its error. */
static void print_ticks(const struct pt_swo *s, char *lines, size_t room)
{
	int n = snprintf(lines, room, "tick_hz=%.0f\ntick_ppm=%.0f\n", s->core_hz, ceil(s->core_wrong * 1e6));

	if (s->least_hz > 0)
		snprintf(lines + n, room - (size_t)n, "tick_least_hz=%.0f\ntick_most_hz=%.0f\n", floor(s->least_hz),
			 ceil(s->most_hz));
}

/* Emitted again when a postponed set-up is done: then the clock is known; and when the clock has changed. */
static int emit_config(struct pt_swo *s, struct pt_err *err)
{
	char lines[2400], predicted[240], list[120], addresses[160], hz[160] = "", counters[PT_ITM_COUNTERS_TEXT] = "";

	if (s->put_off)
		snprintf(
			predicted, sizeof(predicted),
			"what fits through the pin is reckoned when the core runs, as its clock is measured then (core-clock=HZ: "
			"now)");
	else
		pt_swo_predict(s, predicted, sizeof(predicted));
	if (!s->put_off)
		print_ticks(s, hz, sizeof(hz));
	if ((s->kinds & PT_SWO_EVENTS) != 0)
		pt_itm_counters_print(counters, sizeof(counters));
	list_kinds(s, list, sizeof(list));
	pt_swo_print_places(s, addresses, sizeof(addresses));
	snprintf(lines, sizeof(lines),
		 "source=swo\nmode=stream\nkinds=%s\n%s%s%s%saligned=1\nlast_exception=%u\nno_hardware=%u\n%s"
		 "swo_baud=%" PRIu32 "\nwait_ns=%" PRIu64 "\n%s%s%s"
		 "cost=the core never halts; DEMCR, DWT, ITM and TPIU are written, and put back; %s\n",
		 list, hz, addresses, counters, s->cm->chip.pairs ? "issues=2\n" : "", s->stream.limits.last_exception,
		 s->stream.limits.no_hardware, s->put_off || s->stream.unsaid ? "silent_loss=1\n" : "",
		 s->stream.bits_per_s, pt_swo_wait_ns(&s->stream),
		 s->recipe->unverified ? "assumed=how this chip sends SWO is UNVERIFIED: " : "",
		 s->recipe->unverified ? s->recipe->source : "", s->recipe->unverified ? "\n" : "", predicted);
	return pt_emit_config(&s->out, &s->setup, PT_FORMAT_ITM, lines, err);
}

static int set_up(struct pt_swo *s, struct pt_err *err)
{
	if (pt_swo_find_clocks(s, given_clock(&s->setup), pt_params_number(s->setup.settings, &params[TRACE_CLOCK]),
			       err) < 0 ||
	    pt_cortexm_set_demcr(s->cm, DEMCR_TRCENA, 0, err) < 0 || pt_swo_plan(s, err) < 0)
		return err->code;
	pt_swo_follow(s);
	return pt_swo_begin(s, err);
}

/* The clock of a halted core cannot be measured: then the set-up waits until the core runs. */
static int set_up_or_wait(struct pt_swo *s, struct pt_err *err)
{
	if (look_at_core(s, err) < 0)
		return err->code;
	s->put_off = s->held && given_clock(&s->setup) == 0;
	return s->put_off ? 0 : set_up(s, err);
}

static void begin_stream(struct pt_swo *s)
{
	s->stream.began_ns = s->out.told_ns;
	s->stream.until_ns = s->held ? s->out.told_ns : 0;
	limit_packets(s);
	pt_swo_anew(&s->stream, s->out.told_ns);
}

static void keep_setup(struct pt_swo *s, const struct pt_source_setup *setup)
{
	s->setup = *setup;
	s->config = pt_strdup(setup->config != NULL ? setup->config : "");
	s->setup.config = s->config;
}

static void let_go(struct pt_swo *s)
{
	pt_swo_drop_places(s);
	pt_lease_drop(s->cm->target, s->unit, owner);
	free(s->config);
	s->config = NULL;
}

static int swo_start(void *state, struct pt_target *target, const struct pt_source_setup *setup, struct pt_err *err)
{
	struct pt_swo *s = state;

	if (pt_cortexm_reaches(target, err) < 0 || available(target, err) < 0)
		return err->code;
	s->cm = pt_cortexm_of(target);
	s->mem = s->cm->mem;
	s->recipe = pt_swo_recipe_of(s->cm);
	s->stream.ops = pt_probe_stream(target->probe, &s->stream.wire);
	s->stream.out = &s->out;
	if (take_settings(s, setup, err) < 0)
		return err->code;
	pt_cortexm_unit(s->cm, s->unit, "dwt.cyccnt");
	if (pt_lease_take(target, s->unit, owner, err) < 0)
		return err->code;
	keep_setup(s, setup);
	if (pt_swo_take_places(s, err) < 0 || set_up_or_wait(s, err) < 0)
		goto undo;
	pt_emit_init(&s->out, setup, s->put_off ? pt_mem_now_ns(s->mem) : s->on_ns);
	begin_stream(s);
	if (emit_config(s, err) < 0 || tell_halted(s, err) < 0)
		goto undo;
	pt_emit_costs(&s->out, pt_swo_tell_cost, s);
	s->leased = true;
	return 0;
undo:
	pt_swo_end(s, NULL);
	let_go(s);
	return err->code;
}

/* The core runs: the postponed set-up is done now. */
static int catch_up(struct pt_swo *s, struct pt_err *err)
{
	if (!s->put_off)
		return 0;
	if (set_up(s, err) < 0)
		return err->code;
	s->put_off = false;
	pt_emit_loss(&s->out, PT_LOSS_NOT_ARMED, s->on_ns);
	begin_stream(s);
	s->out.restarts = true;
	return emit_config(s, err);
}

/* --- drain -------------------------------------------------------------------------------------------------------- */

static int failed(struct pt_swo *s, int rc, struct pt_err *err)
{
	if (rc != PT_EINTERRUPTED && s->stream.silent_to_ns != 0)
		pt_swo_observe_silence(&s->stream, s->stream.silent_to_ns);
	rc = pt_emit_failed(&s->out, pt_mem_now_ns(s->mem), rc);
	return rc < 0 && rc != PT_EINTERRUPTED ? pt_wrap(err, "swo") : rc;
}

static int rest_us(const struct pt_swo *s, int n_bytes)
{
	uint32_t patience = s->stream.ops->patience_us != NULL
				    ? s->stream.ops->patience_us(s->stream.wire, s->stream.bits_per_s)
				    : 0;
	uint32_t rest = patience / 4;

	if (n_bytes >= PT_SWO_READ_BYTES / 2)
		return 0;
	return (int)(rest > MOST_REST_US || rest == 0 ? MOST_REST_US : rest < LEAST_REST_US ? LEAST_REST_US : rest);
}

static int swo_drain(void *state, struct pt_err *err)
{
	struct pt_swo *s = state;
	bool clock_changes;
	int rc;

	if (s->held && s->put_off)
		return HELD_REST_US;
	if (s->held) {
		rc = pt_swo_take(&s->stream, 0, 0, err);
		if (rc < 0)
			return failed(s, rc, err);
		pt_emit_loss(&s->out, PT_LOSS_HALTED, pt_mem_now_ns(s->mem));
		return rc > 0 ? 0 : HELD_REST_US;
	}
	rc = catch_up(s, err);
	clock_changes = s->renew == PT_LOSS_CLOCK;
	if (rc == 0)
		rc = pt_swo_watch(s, err);
	if (rc == 0 && clock_changes)
		rc = emit_config(s, err);
	if (rc == 0 && s->renew == 0)
		rc = pt_swo_take(&s->stream, 0, 0, err);
	if (rc < 0)
		return failed(s, rc, err);
	pt_emit_works(&s->out, s->out.told_ns, false);
	return s->renew != 0 ? 0 : rest_us(s, rc);
}

/* --- the rest ----------------------------------------------------------------------------------------------------- */

static int swo_on_state(void *state, enum pt_state what, unsigned core, uint64_t pc, struct pt_err *err)
{
	struct pt_swo *s = state;
	struct pt_err ignored = { 0 };
	uint64_t now_ns;

	(void)err;
	if (core != s->cm->number)
		return 0;
	if (what == PT_STATE_HALT && !s->put_off)
		pt_swo_take(&s->stream, 0, 0, &ignored);
	now_ns = pt_mem_now_ns(s->mem);
	if (what == PT_STATE_HALT && !s->held && !s->put_off)
		pt_swo_observe_silence(&s->stream, now_ns);
	if (s->held || s->put_off)
		pt_emit_loss(&s->out, s->held ? PT_LOSS_HALTED : PT_LOSS_NOT_ARMED, now_ns);
	if (what == PT_STATE_RESET && !s->put_off)
		s->renew = PT_LOSS_RESET;
	if (what == PT_STATE_HALT || what == PT_STATE_RUN) {
		s->held = what == PT_STATE_HALT;
		s->edges_ns +=
			s->access_ns;	/* the halt or resume was within an access, and is reported at one end of it */
	}
	s->stream.until_ns = s->held ? now_ns : 0;
	pt_emit_state(&s->out, what, now_ns, pc);
	pt_swo_cycles_begin(&s->cycles);	/* CYCCNT stands in Debug state */
	return 0;
}

/* Nothing arrived from beginning to end: nothing shows that the pin works, so all of the time is unknown. */
static void say_silent(struct pt_swo *s, uint64_t to_ns)
{
	pt_warn("swo: nothing came over the pin: either nothing that is traced has happened, or the pin does not work; monitor swo "
		"doctor, without a profile, finds out");
	pt_emit_loss(&s->out, PT_LOSS_PIN, to_ns > s->out.told_ns ? to_ns : s->out.told_ns + 1);
}

/* The time until the trace was turned off, which is the end: events while the rest was fetched are not included. */
static void tell_observed(struct pt_swo *s)
{
	if (s->stream.n_bytes == 0 && s->pin != PT_SWO_PIN_WORKS)
		say_silent(s, s->stream.until_ns);
	else if (s->stream.lost || s->pin == PT_SWO_PIN_SILENT)
		pt_emit_loss(&s->out, PT_LOSS_PIN, s->stream.until_ns);
	else
		pt_swo_observe_silence(&s->stream, s->stream.until_ns);
}

static int swo_stop(void *state, struct pt_err *err)
{
	struct pt_swo *s = state;
	struct pt_err own = { 0 };
	uint64_t now_ns;
	int rc = s->out.ended || s->put_off ? 0 : pt_swo_fetch_rest(s, &own);

	now_ns = pt_mem_now_ns(s->mem);
	if (rc == 0)
		pt_swo_tell_count(s, now_ns);
	if (rc == 0 && !s->out.ended && !s->held && !s->put_off)
		tell_observed(s);
	if (pt_swo_end(s, &own) < 0 && rc == 0)
		rc = own.code;
	if (rc < 0 || s->held || s->put_off)
		pt_emit_rest(&s->out, now_ns, rc, s->held ? PT_LOSS_HALTED : PT_LOSS_NOT_ARMED);
	pt_emit_end(&s->out);
	if (s->leased)
		let_go(s);
	s->leased = false;
	if (rc < 0 && err != NULL)
		*err = own;
	return rc;
}

const struct pt_source_ops pt_source_swo = {
	.name = "swo",
	.format = PT_FORMAT_ITM,
	.modes = "stream",
	.titles = "SWO",
	.help = "exceptions, samples of the pc, and what the program writes to the ITM, over the pin SWO; the core never halts",
	.of_writes = true,
	.state_bytes = sizeof(struct pt_swo),
	.params = params,
	.n_params = N_PARAMS,
	.available = available,
	.cost = print_cost,
	.start = swo_start,
	.drain = swo_drain,
	.on_state = swo_on_state,
	.stop = swo_stop,
};
