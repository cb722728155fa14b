/* Timing rules and what became of them.
 *
 *   gross(adc_convert) in 5us..7us       every whole invocation
 *   period(check_motion) in 800ms..1s
 *   gross.max(adc_convert) < 7us         also .min .avg .p50 .p90 .p99 .total
 *   count(error_handler) = 0
 *   share(isr) < 5% within ci
 *   load(task Idle) > 20%
 *   gross(exception SysTick) < 20us      as the chip reported it; by its name, its handler's or its number
 *   gross(isr Timer) < 50us, period(service ActivateTask) > 1ms, slice(task Main) < 2ms
 *   response(Main) < 5ms, activations(Main) < 1000, preemptions(Main) = 0   of a task, by its states
 *   share(state g_state=RUN) < 5%        also stay (each time), count, period; changes(variable g_state) < 100
 *   high(line PTA1) < 10us               also low, count (rising edges), period, share (of the time, high)
 *   latency(PTA1:rise->handler) < 20us   as latency= measures it
 *   count(counter irqs) < 1000, rate(counter irqs) < 500      rate: per second
 *   lost < 1%, observed > 50%            of the profile's time
 *
 * One rule a line, or several with ; between them; what follows # is a comment up to the end of the line. Figures: net,
 * gross, call, period, inactive, count, share, load, lost, observed. Comparisons: < <= > >= = != in
 * A..B. More figures are those of one kind: stay, changes, high, low, latency, slice, response, activations,
 * preemptions, rate. Times: ns, us, ms, s; a bare number is in ticks of the profile's clock. "seen" behind a rule
 * restricts it to what was observed.
 *
 * A rule is passed only if the data can decide it. One violation decides, also of an invocation without an end, which may
 * be beyond the rule already; that there was none decides only where nothing was missed, or for a rule "seen". An
 * estimated share decides if all of its 95 % interval lies on one side ("within ci" may be said, and is always so).
 * Everything else is undecided, too, with the reason.
 *
 * A trace without time of its own does not show how long the core slept. A call, period or stretch of inactivity in which code
 * that can sleep ran is a lower bound: it can violate a rule by being too long, and keep none.
 *
 * If something that a rule depends on is known to be wrong, the rule is undecided: times if a counter contradicts the clock,
 * functions if the chip holds another program, periods if the core is halted to be read. If it was not checked, the verdict's
 * sentence says so: the cycle model, a core clock that was given. */
#ifndef PT_PROFILE_LIMITS_H
#define PT_PROFILE_LIMITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "profile/flow/timestamp.h"

enum { PT_RULES = 256, PT_RULE_TEXT = 160, PT_RULE_NAME = 80, PT_VIOLATIONS = 1024, PT_VIOLATION_PATH = 200 };

enum pt_rule_figure {
	PT_RULE_NET = 1, PT_RULE_GROSS, PT_RULE_CALL, PT_RULE_PERIOD, PT_RULE_STAY, PT_RULE_HIGH, PT_RULE_LOW,
	PT_RULE_SLICE, PT_RULE_TIME_TO, PT_RULE_RESPONSE,
	PT_RULE_INACTIVE,	/* up to here they are times, of each */
	PT_RULE_COUNT, PT_RULE_ACTIVATIONS, PT_RULE_PREEMPTIONS, PT_RULE_CHANGES, PT_RULE_RATE, PT_RULE_SHARE,
	PT_RULE_LOAD, PT_RULE_LOST, PT_RULE_OBSERVED,
};
enum pt_rule_of { PT_RULE_EACH, PT_RULE_MIN, PT_RULE_AVG, PT_RULE_MAX, PT_RULE_P50, PT_RULE_P90, PT_RULE_P99,
		  PT_RULE_TOTAL };
enum pt_rule_subject {
	PT_RULE_PROFILE, PT_RULE_FUNCTION, PT_RULE_TASK, PT_RULE_SPAN, PT_RULE_EXCEPTION, PT_RULE_ISR, PT_RULE_SERVICE,
	PT_RULE_STATE, PT_RULE_VARIABLE, PT_RULE_LINE, PT_RULE_LATENCY, PT_RULE_COUNTER, PT_N_RULE_SUBJECTS,
};
enum pt_rule_unit { PT_RULE_PLAIN, PT_RULE_NS, PT_RULE_PERCENT };

struct pt_rule {
	char text[PT_RULE_TEXT];	/* as it was written, without comment and surplus blanks */
	unsigned line;
	enum pt_rule_figure figure;
	enum pt_rule_of of;
	enum pt_rule_subject subject;
	char name[PT_RULE_NAME];
	uint16_t exception;	/* its number, which the program says, not the rule */
	enum pt_rule_unit unit;
	double lo, hi;		/* what is allowed, in ns, 0..1 or plain; without a bound: minus or plus infinity */
	bool lo_open, hi_open;	/* the bound itself is not allowed */
	bool excludes;		/* "!=": all but lo */
	bool seen;
};

struct pt_rules { struct pt_rule rule[PT_RULES]; size_t n; };

/* PT_EARG: the sentence names the line and what is wrong in it. */
int pt_rules_parse(struct pt_rules *rules, const char *text, struct pt_err *err);
/* The same rules in one line, without comments, for settings, which have no more: to be freed. Lines
 * keep their numbers. */
char *pt_rules_one_line(const char *text);
bool pt_rule_allows(const struct pt_rule *rule, double value);	/* in the rule's unit */

enum pt_verdict { PT_VERDICT_UNDECIDED, PT_VERDICT_PASSED, PT_VERDICT_FAILED };

struct pt_violation {
	size_t rule;		/* index */
	struct pt_timestamp at;
	uint64_t clock, value;	/* ticks of the profile's clock; PT_UNKNOWN: it is no time on it */
	uint64_t value_ns;	/* PT_UNKNOWN: it is on the profile's clock, or no time */
	uint16_t core;
	bool doubtful;		/* too short, where the core may have slept meanwhile */
	char path[PT_VIOLATION_PATH];	/* "main > adc_convert"; of what signals say, the figure */
};

struct pt_limit {		/* what became of a rule */
	const struct pt_rule *rule;
	enum pt_verdict verdict;
	char why[360];		/* a sentence, with the figures that it rests on, and what these rest on */
	uint64_t looked_at;	/* invocations, of a rule about each */
	bool late;		/* the rule came while the profile ran: those before were not looked at */
	uint64_t violations;
	uint64_t doubtful;	/* of these */
	bool slept;		/* those that are doubtful are no violations */
	uint64_t may_have_slept;	/* of looked_at: on a clock that stands still while the core sleeps they are lower bounds */
	uint64_t least, most;	/* in ticks, of those looked at; PT_UNKNOWN: none */
	/* Of a rule that is judged by the least and the most, or by one moment: those that violate it */
	struct pt_violation extreme[2];
	size_t n_extremes;
};

struct pt_limits {
	const struct pt_limit *limit;
	size_t n_limits;
	const struct pt_violation *violation;	/* the first PT_VIOLATIONS, in order of time */
	size_t n_violations;
	uint64_t n_unkept;	/* more of them, for which there was no room */
	size_t n_failed, n_undecided;
};

const char *pt_verdict_name(enum pt_verdict verdict);

#endif
