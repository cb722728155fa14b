#include "targets/e500/trace/slots.h"

#include <string.h>

#include "host/log.h"
#include "trace/formats.h"
#include "base/util.h"

enum { LOOK_MS = 5 };		/* interval between checks for the end of a window, if a check does not halt the core */
enum { CYCLES = 1, FCS = 0x40000000, FCU = 0x20000000, FCM0 = 0x08000000 }; /* Source: E500CORERM Tables 7-4, 7-10 */

uint64_t pt_e500_turns_now_ns(const struct pt_e500_turns *s)
{
	return pt_link_now_ns(pt_probe_link(s->e500->remote.target->probe));
}

/* --- into the trace ----------------------------------------------------------------------------------------------- */

static void put_record(struct pt_e500_turns *s, uint64_t at_ns, size_t number, bool resumes, uint64_t reading)
{
	uint8_t *at = s->bytes + s->len_bytes;

	if (s->len_bytes + PT_COUNTERS_BYTES > sizeof(s->bytes))
		return;		/* cannot happen: a turn's counters fit many times over */
	pt_put_le64(at + PT_COUNTERS_TICKS, at_ns);
	pt_put_le16(at + PT_COUNTERS_COUNTER, (uint16_t)(number | (resumes ? PT_COUNTERS_RESUMES : 0u)));
	pt_put_le64(at + PT_COUNTERS_READING, reading);
	s->len_bytes += PT_COUNTERS_BYTES;
}

static void emit_records(struct pt_e500_turns *s, uint64_t to_ns)
{
	if (to_ns > s->out.told_ns || s->len_bytes > 0)
		pt_emit_data(&s->out, s->out.told_ns, to_ns > s->out.told_ns ? to_ns : s->out.told_ns, s->bytes,
			     s->len_bytes);
	s->len_bytes = 0;
}

static bool has_windows(const struct pt_e500_turns *s)
{
	return s->counting.until != PT_E500_NO_WINDOWS;
}

/* Puts the values of all counters of the current turn. If the core stopped or resumed between a request and its reply,
 * the time in between is unknown: error_ns. */
static void put_values(struct pt_e500_turns *s, uint64_t at_ns, uint64_t error_ns, bool resumes)
{
	const struct pt_e500_counting *c = &s->counting;
	size_t n = 0;

	if (error_ns != 0 || s->put_error_ns != 0) /* each reading has its own; after a gap the decoder knows
							 * none */
		put_record(s, at_ns, PT_COUNTERS_ERROR, false, error_ns);
	s->put_error_ns = error_ns;
	for (size_t i = 0; i < c->n_places; i++)
		if (c->place[i].turn == s->turn)
			put_record(s, at_ns, c->place[i].want, resumes, s->value[n++]);
	if (!resumes && s->timebase != PT_UNKNOWN)
		put_record(s, at_ns, c->n, false, s->timebase);
	if (has_windows(s))
		put_record(s, at_ns, c->n + 1, false, s->n_windows);
}

/* When the core was resumed, if the pass had halted it. */
static uint64_t resumed_ns(const struct pt_e500_pass *pass)
{
	return pass->halted ? pass->at_ns - pass->error_ns + pass->halted_ns : pass->at_ns;
}

/* Reports the halt as a gap after the values read at its beginning; the counters go on from these values. The packet
 * that resumes the core has no reply. The uncertainty of the resume is the longest round trip of any stop so far: on a
 * busy host one quick stop says little about the delay after it. */
static void put_halt(struct pt_e500_turns *s, const struct pt_e500_pass *pass)
{
	uint64_t end_ns = resumed_ns(pass);

	emit_records(s, pass->at_ns);
	if (!pass->halted)
		return;
	if (s->slowest_ns < 2 * pass->error_ns)
		s->slowest_ns = 2 * pass->error_ns;
	pt_emit_loss(&s->out, PT_LOSS_HALTED, end_ns);
	put_values(s, end_ns > s->out.told_ns ? end_ns : s->out.told_ns, s->slowest_ns, false);
}

/* --- the unit ----------------------------------------------------------------------------------------------------- */

/* The time base is unknown if the access method halts (it may stop during the halt), and with windows (its value at the
 * window's end was not read). */
static void take_timebase(struct pt_e500_turns *s, const struct pt_e500_pass *pass)
{
	s->timebase = s->e500->pm.last->halts || has_windows(s) ? PT_UNKNOWN : pass->timebase;
}

static uint64_t period_of(const struct pt_e500_turns *s)
{
	return has_windows(s) && !s->period_given && !s->e500->pm.last->halts ? LOOK_MS * PT_NS_PER_MS : s->period_ns;
}

struct one_pass { struct pt_e500_turns *s; struct pt_e500_pass pass; };

static int pass_once(void *state, struct pt_e500_op *ops, size_t n_ops, struct pt_err *err)
{
	struct one_pass *one = state;

	return pt_e500_pass(one->s->e500, one->s->core, ops, n_ops, &one->pass, err);
}

/* True: it counts cycles of the program, in user and supervisor state, unmarked and perhaps marked. */
static bool counts_cycles(const struct pt_e500_counting *c, size_t want)
{
	return c->want[want].event->number == CYCLES && (c->counted[want].pmlca & (FCS | FCU | FCM0)) == 0;
}

/* The current turn's count of the event that ends windows, and of cycles. PT_UNKNOWN: not counted. */
static void find_values(const struct pt_e500_turns *s, uint64_t *events, uint64_t *cycles)
{
	const struct pt_e500_counting *c = &s->counting;
	size_t n = 0;

	*events = *cycles = PT_UNKNOWN;
	for (size_t i = 0; i < c->n_places; i++) {
		if (c->place[i].turn != s->turn)
			continue;
		if (c->until == PT_E500_UNTIL_EVENT && c->place[i].want == 0)
			*events = s->value[n];
		if (counts_cycles(c, c->place[i].want))
			*cycles = s->value[n];
		n++;
	}
}

/* --- a reset ------------------------------------------------------------------------------------------------------ */

enum { STAMPS_NS = 50000000 };	/* largest error of timestamps */

/* True: the counter fell, and a wrap cannot explain it because it cannot count so fast: it was cleared. */
static bool went_back(const struct pt_e500_turns *s, const struct pt_e500_place *p, size_t n, uint64_t at_ns)
{
	double hz = (double)pt_e500_fastest(s->counting.want[p->want].event, s->core_hz), ns;

	if (s->value[n] >= s->last[n])
		return false;
	ns = at_ns > s->last_ns ? 2 * (double)(at_ns - s->last_ns) + STAMPS_NS : STAMPS_NS;
	return p->high_pmc != PT_E500_NO_PMC || (double)(uint32_t)(s->value[n] - s->last[n]) > ns / 1e9 * hz;
}

/* Detects a reset by its effect, as it may go unreported: a reset clears all PMRs. */
static bool was_reset(const struct pt_e500_turns *s, uint64_t at_ns)
{
	bool back = s->timebase != PT_UNKNOWN && s->last_timebase != PT_UNKNOWN && s->timebase < s->last_timebase;
	uint64_t now = 0, before = 0;
	size_t n = 0;

	for (size_t i = 0; i < s->counting.n_places; i++) {
		if (s->counting.place[i].turn != s->turn)
			continue;
		back |= went_back(s, &s->counting.place[i], n, at_ns);
		now |= s->value[n];
		before |= s->last[n++];
	}
	return back || (now == 0 && before != 0);
}

static void note_values(struct pt_e500_turns *s, uint64_t at_ns)
{
	memcpy(s->last, s->value, sizeof(s->last));
	s->last_timebase = s->timebase;
	s->last_ns = at_ns;
}

/* The counts between the last reading and the reset are lost. */
static void lose_reset(struct pt_e500_turns *s, uint64_t at_ns)
{
	pt_warn("counters: core %u was reset, as its counters have gone back: what they counted since their last "
		"reading is not known, and they begin anew",
		s->core);
	emit_records(s, s->out.told_ns);
	pt_emit_loss(&s->out, PT_LOSS_RESET, at_ns);
	pt_e500_turns_forget(s);
	s->next_ns = at_ns;
}

/* --- readings ----------------------------------------------------------------------------------------------------- */

/* A window began or has not ended yet; told: its values were put into the trace. */
static void goes_on(struct pt_e500_turns *s, const struct pt_e500_pass *pass, bool told)
{
	uint64_t was = s->seen_events, at_ns = pass->at_ns, cycles;

	find_values(s, &s->seen_events, &cycles);
	if (s->seen_events != PT_UNKNOWN && was != PT_UNKNOWN && s->seen_events > was && at_ns > s->seen_ns) {
		s->lately_events += s->seen_events - was;
		s->lately_ns += at_ns - s->seen_ns;
	}
	s->seen_ns = resumed_ns(pass);
	if (!told)
		return;
	s->told_ns = s->seen_ns;
	s->told_cycles = cycles;
}

/* Estimates when the window ended that was found ended at at_ns. */
static uint64_t end_ns(const struct pt_e500_turns *s, uint64_t at_ns)
{
	double ns = (double)s->seen_ns + (double)(at_ns - s->seen_ns) / 2;
	uint64_t events, cycles;

	find_values(s, &events, &cycles);
	if (cycles != PT_UNKNOWN && s->told_cycles != PT_UNKNOWN && s->core_hz != 0)
		ns = (double)s->told_ns + (double)(cycles - s->told_cycles) * 1e9 / (double)s->core_hz;
	else if (s->lately_events > 0 && events != PT_UNKNOWN && s->seen_events != PT_UNKNOWN)
		ns = (double)s->seen_ns +
		     (double)(events - s->seen_events) * (double)s->lately_ns / (double)s->lately_events;
	return ns >= (double)at_ns ? at_ns : ns > (double)s->told_ns ? (uint64_t)ns : s->told_ns;
}

static void end_window(struct pt_e500_turns *s, const struct pt_e500_pass *pass)
{
	uint64_t from_ns = pass->at_ns - pass->error_ns;
	uint64_t ended_ns = end_ns(s, pass->halted ? pass->at_ns : pass->at_ns + pass->error_ns);

	s->n_windows++;
	s->running = false;
	put_values(s, ended_ns, pass->error_ns, false);
	emit_records(s, ended_ns);
	if (!pass->halted)
		return;
	pt_emit_loss(&s->out, PT_LOSS_REARM, from_ns);
	pt_emit_loss(&s->out, PT_LOSS_HALTED, from_ns + pass->halted_ns);
}

/* ops: the registers read of the current turn. Values of a window that has not ended are put rarely: the end time is
 * estimated best from the whole window. */
static void take_reading(struct pt_e500_turns *s, const struct pt_e500_op *ops, const struct pt_e500_pass *pass,
			 bool torn)
{
	bool told = !has_windows(s) || pass->halted || pass->at_ns - s->told_ns >= s->period_ns;

	take_timebase(s, pass);
	s->next_ns = pass->at_ns + period_of(s);
	if (!torn && !has_windows(s) && was_reset(s, pass->at_ns)) {
		lose_reset(s, resumed_ns(pass));
		return;
	}
	if (pt_e500_turn_over(&s->counting, s->turn, ops)) {
		end_window(s, pass);
		return;
	}
	if (!torn && told)
		put_values(s, pass->at_ns, pass->error_ns, false);
	if (told)
		put_halt(s, pass);
	goes_on(s, pass, told);
	if (!torn)
		note_values(s, s->seen_ns);
}

int pt_e500_turns_read(struct pt_e500_turns *s, struct pt_err *err)
{
	struct pt_e500_op ops[PT_E500_TURN_OPS_MAX];
	struct one_pass one = { .s = s };
	const struct pt_e500_passer by = { pass_once, &one };
	unsigned n_retries;
	int rc = pt_e500_turn_sample(&s->counting, s->turn, &by, ops, s->value, &n_retries, err);
	bool torn = n_retries > PT_E500_CHAIN_RETRIES;

	if (rc < 0 && !torn)
		return rc;
	if (pt_e500_turn_check(&s->counting, ops, err) < 0) {
		if (!s->freezes)
			return err->code;
		lose_reset(s, resumed_ns(&one.pass));
		return 0;
	}
	s->freezes = true;
	s->n_torn += torn;
	take_reading(s, ops, &one.pass, torn);
	return 0;
}

/* Reads whether the window had ended before it freezes the counters. */
int pt_e500_turns_end(struct pt_e500_turns *s, struct pt_err *err)
{
	struct pt_e500_op ops[2 * PT_E500_TURN_OPS_MAX] = { { .pmr = PT_E500_PMGC0 } };
	struct pt_e500_pass pass = { 0 };
	size_t n = 1;
	int rc;

	if (!has_windows(s))
		return pt_e500_turns_read(s, err);
	n += pt_e500_turn_freeze(&s->counting, ops + n);
	n += pt_e500_turn_read(&s->counting, s->turn, ops + n);
	rc = pt_e500_pass(s->e500, s->core, ops, n, &pass, err);
	if (rc == PT_ESTATE)
		return pt_e500_turns_read(s, err);	/* in user mode counters cannot be frozen */
	if (rc < 0)
		return rc;
	ops[2].value = ops[0].value;
	pt_e500_turn_values(&s->counting, s->turn, ops + 2, s->value);
	take_reading(s, ops + 2, &pass, false);
	return 0;
}

static uint64_t turn_ns(struct pt_e500_turns *s)
{
	return s->counting.n_turns > 1 ? s->period_ns / 2 + pt_random(&s->random, s->period_ns + 1) : s->period_ns;
}

/* The time base's bit must not change while the hardware waits for its rise. Source: E500CORERM Table 7-3 */
static int choose_bit(struct pt_e500_turns *s, struct pt_err *err)
{
	struct pt_e500_op ops[PT_E500_TURN_OPS_MAX];
	struct pt_e500_pass pass;
	int rc = 0;

	if (s->counting.until == PT_E500_UNTIL_TIMEBASE && !s->bit_chosen)
		rc = pt_e500_pass(s->e500, s->core, ops, pt_e500_turn_freeze(&s->counting, ops), &pass, err);
	s->bit_chosen |= rc == 0;
	return rc;
}

/* Counting begins: the time until now is not covered. A window begins at an unknown time within the pass. The earliest
 * possible time is used, so that the window is long enough for all that it counts. */
static void begin_counting(struct pt_e500_turns *s, struct pt_e500_pass *pass)
{
	uint64_t at_ns;

	if (has_windows(s) && !pass->halted) {
		pass->at_ns -= pass->error_ns;
		pass->error_ns = 0;
	}
	at_ns = pass->at_ns > s->out.told_ns ? pass->at_ns : s->out.told_ns + 1;
	if (!s->running)
		pt_emit_loss(&s->out, s->n_windows > 0 ? PT_LOSS_REARM : PT_LOSS_NOT_ARMED, at_ns);
}

/* Reads PMLCa of the turn's first counter, which is 0 only after a reset. A turn is read only once, so counters cleared
 * within it do not show as having gone back. */
static struct pt_e500_op look_at_event(const struct pt_e500_turns *s)
{
	size_t i = 0;

	while (i + 1 < s->counting.n_places && s->counting.place[i].turn != s->turn)
		i++;
	return (struct pt_e500_op){ .pmr = (uint16_t)(PT_E500_PMLCA0 + s->counting.place[i].pmc) };
}

/* ops: the n registers read of the turn, and then look_at_event's. */
static void end_turn(struct pt_e500_turns *s, const struct pt_e500_op *ops, size_t n, const struct pt_e500_pass *pass)
{
	if (!pt_e500_turn_values(&s->counting, s->turn, ops, s->value))
		s->n_torn++;
	else if (ops[n].value == 0 || was_reset(s, pass->at_ns))
		lose_reset(s, pass->at_ns);
	else
		put_values(s, pass->at_ns, pass->error_ns, false);
}

int pt_e500_turns_change(struct pt_e500_turns *s, size_t to, struct pt_err *err)
{
	struct pt_e500_op ops[2 * PT_E500_TURN_OPS_MAX];
	struct pt_e500_pass pass = { 0 };
	size_t n_read = 0, n = pt_e500_turn_freeze(&s->counting, ops);

	if (choose_bit(s, err) < 0)
		return err->code;
	if (s->running) {
		n += n_read = pt_e500_turn_read(&s->counting, s->turn, ops + n);
		ops[n++] = look_at_event(s);
	}
	n += pt_e500_turn_begin(&s->counting, to, ops + n);
	if (pt_e500_pass(s->e500, s->core, ops, n, &pass, err) < 0)
		return err->code;
	take_timebase(s, &pass);
	if (n_read > 0)
		end_turn(s, ops + 1, n_read, &pass);
	begin_counting(s, &pass);
	memset(s->value, 0, sizeof(s->value));
	s->turn = to;
	s->running = true;
	put_values(s, pass.at_ns, pass.error_ns, s->counting.n_turns > 1);
	put_halt(s, &pass);
	s->next_ns = pass.at_ns + (has_windows(s) ? period_of(s) : turn_ns(s));
	s->seen_events = PT_UNKNOWN;
	goes_on(s, &pass, true);
	note_values(s, s->seen_ns);
	return 0;
}

void pt_e500_turns_go_on(struct pt_e500_turns *s)
{
	put_values(s, pt_e500_turns_now_ns(s), 0, false);
}

void pt_e500_turns_forget(struct pt_e500_turns *s)
{
	s->running = s->bit_chosen = false;
}

void pt_e500_turns_flush(struct pt_e500_turns *s)
{
	emit_records(s, s->out.told_ns);
}
