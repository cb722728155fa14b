/* Rules about each invocation are looked at as invocations come; all others when a result is asked for. Who has no rule
 * costs one look-up. The stack is followed so that a violation can say the calls that led to it. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "base/alloc.h"
#include "profile/analyses/limits/limits_judge.h"
#include "profile/analyses/limits/limits_timeline.h"
#include "profile/analyses/signals/exceptions.h"

enum { DEPTH = 48 };	/* deeper calls are not in paths */

static const struct pt_param params[] = {
	{ "limits", PT_PARAM_TEXT, NULL, NULL, 0, 0, "timing rules, one a line: gross(f) in 5us..7us" },
};

struct stack { uint16_t function[DEPTH]; uint16_t depth; };

struct core {
	/* per id: clock at the last exit, and entry; PT_UNKNOWN. NULL: no step came yet */
	uint64_t *left, *entered;
	uint32_t *open;			/* per id: invocations of it on the stacks */
	struct stack *stack;		/* PT_CALL_STACKS */
	uint16_t runs;			/* the stack that the last step was on */
	uint64_t may_sleep;		/* clock when code that can sleep ran last */
};

struct limits {
	struct pt_limits result;
	struct pt_rules rules;
	struct pt_limit *limit;
	struct pt_violation *violation, *shown;	/* shown: of rules that failed */
	size_t n_violations;
	const struct pt_function *functions;
	size_t n_functions;		/* ids are below it */
	bool *sleeps;			/* per id: its code may have put the core to sleep */
	uint16_t *first;		/* per id: its first rule, + 1; 0: none */
	uint16_t next[PT_RULES];	/* further rules of the same function, + 1 */
	struct core core[PT_RUN_CORES], *now;	/* now: whose step is looked at */
	double ns_per_tick;		/* 0: not known */
	bool by_instructions, hz_given, late;
	struct pt_marked_timeline marked;
};

/* --- violations */

static const char *name_of(const struct limits *l, uint16_t id)
{
	return id != PT_NO_FUNCTION && id < l->n_functions ? l->functions[id - 1].name : "(no symbol)";
}

static void print_path(const struct limits *l, const struct stack *stack, char *out)
{
	size_t shown = stack->depth < DEPTH ? stack->depth : DEPTH, len = 0;

	out[0] = '\0';
	for (size_t i = 0; i < shown && len < PT_VIOLATION_PATH - 1; i++)
		len += (size_t)snprintf(out + len, PT_VIOLATION_PATH - len, "%s%s", i > 0 ? " > " : "",
					name_of(l, stack->function[i]));
}

/* Otherwise it is too long, or the one value that is forbidden. */
static bool is_too_short(const struct pt_rule *rule, double value)
{
	return !rule->excludes && (rule->lo_open ? value <= rule->lo : value < rule->lo);
}

static void note(struct limits *l, size_t rule, const struct pt_call_event *step, uint64_t value, bool doubtful,
		 const struct stack *stack)
{
	struct pt_violation *v = &l->violation[l->n_violations];

	l->limit[rule].violations++;
	l->limit[rule].doubtful += doubtful;
	if (l->n_violations == PT_VIOLATIONS)
		return;
	l->n_violations++;
	*v = (struct pt_violation){ .rule = rule, .at = step->at, .clock = step->clock, .value = value,
				    .value_ns = PT_UNKNOWN, .core = step->core, .doubtful = doubtful };
	print_path(l, stack, v->path);
}

/* value: in ticks; PT_UNKNOWN: of this invocation nobody knows it. */
static void look_at(struct limits *l, size_t rule, const struct pt_call_event *step, uint64_t value,
		    const struct stack *stack)
{
	struct pt_limit *limit = &l->limit[rule];
	bool in_ns = limit->rule->unit == PT_RULE_NS, may_have_slept;
	double in_unit = in_ns ? (double)value * l->ns_per_tick : (double)value;

	if (value == PT_UNKNOWN || (in_ns && l->ns_per_tick == 0))
		return;
	limit->looked_at++;
	may_have_slept = value < step->clock && l->now->may_sleep > step->clock - value;
	limit->may_have_slept += may_have_slept;
	if (limit->least == PT_UNKNOWN || value < limit->least)
		limit->least = value;
	if (limit->most == PT_UNKNOWN || value > limit->most)
		limit->most = value;
	if (!pt_rule_allows(limit->rule, in_unit))
		note(l, rule, step, value, may_have_slept && is_too_short(limit->rule, in_unit), stack);
}

static uint64_t figure(const struct limits *l, const struct pt_rule *rule, const struct pt_call_event *step)
{
	bool leaves = step->kind == PT_CALL_LEAVE && step->partial == 0, enters = step->kind == PT_CALL_ENTER;
	uint64_t entered = l->now->entered[step->function], left = l->now->left[step->function];

	switch (rule->figure) {
	case PT_RULE_NET:
		return leaves ? step->net : PT_UNKNOWN;
	case PT_RULE_GROSS:
		return leaves ? step->gross : PT_UNKNOWN;
	case PT_RULE_CALL:
		return leaves ? step->call : PT_UNKNOWN;
	case PT_RULE_PERIOD:
		return enters && entered != PT_UNKNOWN && step->entry != PT_ENTRY_UNSEEN ? step->clock - entered
											 : PT_UNKNOWN;
	case PT_RULE_INACTIVE:
		return enters && l->now->open[step->function] == 1 && left != PT_UNKNOWN ? step->clock - left
											 : PT_UNKNOWN;
	default:
		return PT_UNKNOWN;
	}
}

static void check(struct limits *l, const struct pt_call_event *step, const struct stack *stack)
{
	for (unsigned i = l->first[step->function]; i != 0; i = l->next[i - 1])
		if (l->rules.rule[i - 1].of == PT_RULE_EACH)
			look_at(l, i - 1, step, figure(l, &l->rules.rule[i - 1], step), stack);
}

/* --- steps */

/* Up to this step what was on top ran; on a change of stacks it is not known what. */
static void note_sleepers(const struct limits *l, struct core *core, const struct pt_call_event *step)
{
	const struct stack *stack = &core->stack[step->stack % PT_CALL_STACKS];
	uint16_t top = stack->depth > 0 && stack->depth <= DEPTH ? stack->function[stack->depth - 1] : PT_NO_FUNCTION;

	if (step->kind == PT_CALL_FORGET || step->stack != core->runs || l->sleeps[top < l->n_functions ? top : 0] ||
	    (step->kind == PT_CALL_ELSEWHERE && l->sleeps[step->function]))
		core->may_sleep = step->clock;
	core->runs = step->stack;
}

static void enter(struct limits *l, const struct pt_call_event *step, struct stack *stack)
{
	if (stack->depth < DEPTH)
		stack->function[stack->depth] = step->function;
	stack->depth++;
	l->now->open[step->function]++;
	check(l, step, stack);
	if (step->entry != PT_ENTRY_UNSEEN)
		l->now->entered[step->function] = step->clock;
}

static void leave(struct limits *l, const struct pt_call_event *step, struct stack *stack)
{
	check(l, step, stack);
	stack->depth -= stack->depth > 0;
	l->now->open[step->function] -= l->now->open[step->function] > 0;
	if (l->now->open[step->function] == 0)
		l->now->left[step->function] = step->partial != 0 ? PT_UNKNOWN : step->clock;
}

static void forget(const struct limits *l, struct core *core)
{
	memset(core->open, 0, l->n_functions * sizeof(*core->open));
	memset(core->left, 0xff, l->n_functions * sizeof(*core->left));
	memset(core->entered, 0xff, l->n_functions * sizeof(*core->entered));
	for (size_t i = 0; i < PT_CALL_STACKS; i++)
		core->stack[i].depth = 0;
}

static void core_fini(struct core *core)
{
	free(core->left);
	free(core->entered);
	free(core->open);
	free(core->stack);
	*core = (struct core){ 0 };
}

/* NULL: its number is too high. */
static struct core *core_of(struct limits *l, uint16_t number)
{
	struct core *core = number < PT_RUN_CORES ? &l->core[number] : NULL;

	if (core == NULL || core->left != NULL)
		return core;
	*core = (struct core){
		.left = pt_alloc_array(l->n_functions + 1, sizeof(*core->left)),
		.entered = pt_alloc_array(l->n_functions + 1, sizeof(*core->entered)),
		.open = pt_alloc_array(l->n_functions + 1, sizeof(*core->open)),
		.stack = pt_alloc_array(PT_CALL_STACKS, sizeof(*core->stack)),
	};
	forget(l, core);
	return core;
}

static void take_steps(void *analysis, const struct pt_call_event *step, size_t n)
{
	struct limits *l = analysis;

	for (size_t i = 0; i < n; i++, step++) {
		struct stack *stack;

		l->now = core_of(l, step->core);
		if (step->function >= l->n_functions || l->now == NULL)
			continue;
		note_sleepers(l, l->now, step);
		stack = &l->now->stack[step->stack % PT_CALL_STACKS];
		if (step->kind == PT_CALL_ENTER)
			enter(l, step, stack);
		else if (step->kind == PT_CALL_LEAVE)
			leave(l, step, stack);
		else if (step->kind == PT_CALL_FORGET)
			forget(l, l->now);
	}
}

/* --- life */

static void take_hz(struct limits *l, double hz)
{
	l->ns_per_tick = hz > 0 && !l->by_instructions ? 1e9 / hz : 0;
}

/* Unless the user said otherwise. */
static void take_config(void *analysis, uint16_t source, const struct pt_config *config)
{
	struct limits *l = analysis;

	(void)source;
	if (!l->hz_given && pt_config_core_hz(config) > 0)
		take_hz(l, (double)pt_config_core_hz(config));
}

/* What only looks like a violation, as the clock stood still while the core slept, is none: its rule is undecided. */
static void show_violations(struct limits *l)
{
	uint64_t all = 0, kept;

	l->result.n_violations = 0;
	for (size_t i = 0; i < l->rules.n; i++)
		if (l->limit[i].verdict == PT_VERDICT_FAILED && l->rules.rule[i].subject == PT_RULE_FUNCTION)
			all += l->limit[i].violations - (l->limit[i].slept ? l->limit[i].doubtful : 0);
	for (size_t i = 0; i < l->n_violations; i++)
		if (l->limit[l->violation[i].rule].verdict == PT_VERDICT_FAILED &&
		    !(l->violation[i].doubtful && l->limit[l->violation[i].rule].slept))
			l->shown[l->result.n_violations++] = l->violation[i];
	kept = l->result.n_violations;
	l->result.n_unkept = all > kept ? all - kept : 0;
	for (size_t i = 0; i < l->rules.n; i++)
		for (size_t k = 0; k < l->limit[i].n_extremes && l->result.n_violations < PT_VIOLATIONS; k++) {
			if (l->limit[i].verdict != PT_VERDICT_FAILED)
				continue;
			l->shown[l->result.n_violations] = l->limit[i].extreme[k];
			l->shown[l->result.n_violations++].rule = i;
		}
}

static void give(void *analysis, struct pt_profile *profile)
{
	struct limits *l = analysis;

	l->result.n_failed = l->result.n_undecided = 0;
	for (size_t i = 0; i < l->rules.n; i++) {
		pt_limit_judge(&l->limit[i], profile, l->ns_per_tick);
		l->result.n_failed += l->limit[i].verdict == PT_VERDICT_FAILED;
		l->result.n_undecided += l->limit[i].verdict == PT_VERDICT_UNDECIDED;
	}
	show_violations(l);
	profile->limits = l->rules.n > 0 ? &l->result : NULL;
	profile->timeline = pt_marked_timeline_make(&l->marked, profile->timeline, &l->result);
}

/* Whether a rule is about each invocation. */
static bool wants_steps(const void *analysis)
{
	const struct limits *l = analysis;
	bool any = false;

	for (size_t i = 0; i < l->rules.n; i++)
		any |= l->rules.rule[i].of == PT_RULE_EACH && l->rules.rule[i].subject == PT_RULE_FUNCTION;
	return any;
}

static void limits_free(void *analysis)
{
	struct limits *l = analysis;

	pt_marked_timeline_fini(&l->marked);
	free(l->limit);
	free(l->violation);
	free(l->shown);
	free(l->first);
	free(l->sleeps);
	for (size_t i = 0; i < PT_RUN_CORES; i++)
		core_fini(&l->core[i]);
	free(l);
}

static int no_function(const struct limits *l, const struct pt_rule *rule, struct pt_err *err)
{
	char question[PT_NEAREST_QUESTION];
	struct pt_nearest near;

	pt_nearest_init(&near, rule->name, strlen(rule->name));
	for (size_t id = 1; id < l->n_functions; id++)
		pt_nearest_offer(&near, l->functions[id - 1].name);
	return pt_fail(err, PT_EARG, "line %u: the program has no function '%s'%swrite it as the report does",
		       rule->line, rule->name, pt_nearest_question(&near, question, sizeof(question)));
}

static int find_exception(const struct pt_analysis_setup *setup, struct pt_rule *rule, struct pt_err *err)
{
	char question[PT_NEAREST_QUESTION];
	struct pt_nearest near;

	pt_nearest_init(&near, rule->name, strlen(rule->name));
	rule->exception = (uint16_t)pt_exception_find(setup->program, setup->map, rule->name, &near);
	if (rule->exception < PT_EXCEPTION_NUMBERS && rule->figure <= PT_RULE_INACTIVE && rule->unit != PT_RULE_NS)
		return pt_fail(err, PT_EARG, "line %u: times of an exception have a unit, as in 20us", rule->line);
	if (rule->exception < PT_EXCEPTION_NUMBERS)
		return 0;
	return pt_fail(
		err, PT_EARG,
		"line %u: no exception, and no handler of one, is called '%s'%sthe view exceptions shows the names, "
		"and a number will do",
		rule->line, rule->name, pt_nearest_question(&near, question, sizeof(question)));
}

static int find_exceptions(struct limits *l, const struct pt_analysis_setup *setup, struct pt_err *err)
{
	for (size_t r = 0; r < l->rules.n; r++)
		if (l->rules.rule[r].subject == PT_RULE_EXCEPTION && find_exception(setup, &l->rules.rule[r], err) < 0)
			return err != NULL ? err->code : PT_EARG;
	return 0;
}

static int find_signals(struct limits *l, const struct pt_analysis_setup *setup, struct pt_err *err)
{
	for (size_t r = 0; r < l->rules.n; r++)
		if (pt_limit_check_signal(&l->rules.rule[r], setup->signals, err) < 0)
			return err != NULL ? err->code : PT_EARG;
	return 0;
}

static int find_functions(struct limits *l, struct pt_err *err)
{
	for (size_t r = 0; r < l->rules.n; r++) {
		const struct pt_rule *rule = &l->rules.rule[r];
		bool found = rule->subject != PT_RULE_FUNCTION;

		l->limit[r] = (struct pt_limit){ .rule = rule, .late = l->late, .least = PT_UNKNOWN,
						 .most = PT_UNKNOWN };
		for (size_t id = 1; id < l->n_functions && rule->subject == PT_RULE_FUNCTION; id++) {
			if (!pt_function_is(&l->functions[id - 1], rule->name, strlen(rule->name)))
				continue;
			l->next[r] = l->first[id];
			l->first[id] = (uint16_t)(r + 1);
			found = true;
			break;
		}
		if (!found)
			return no_function(l, rule, err);
	}
	return 0;
}

static void make_tables(struct limits *l, const struct pt_program *program)
{
	l->limit = pt_alloc_array(l->rules.n + 1, sizeof(*l->limit));
	l->violation = pt_alloc_array(PT_VIOLATIONS, sizeof(*l->violation));
	l->shown = pt_alloc_array(PT_VIOLATIONS, sizeof(*l->shown));
	l->first = pt_alloc_array(l->n_functions + 1, sizeof(*l->first));
	l->sleeps = pt_limits_sleepers(program, l->functions, l->n_functions);
	core_of(l, 0);
}

static void *limits_new(const struct pt_analysis_setup *setup, struct pt_err *err)
{
	static const struct pt_param core_clock = { "core-clock", PT_PARAM_HZ, NULL, NULL, 1, 10000000000, "" };
	const char *text = pt_params_text(setup->words, &params[0]);
	struct limits *l = pt_alloc(sizeof(*l));

	l->by_instructions = setup->by_instructions;
	l->late = setup->late;
	l->functions = setup->program != NULL ? pt_program_functions(setup->program, &l->n_functions) : NULL;
	l->n_functions = setup->n_functions;
	l->hz_given = pt_params_number(setup->words, &core_clock) > 0;
	take_hz(l, l->hz_given ? (double)pt_params_number(setup->words, &core_clock) : 0);
	if (pt_rules_parse(&l->rules, text != NULL ? text : "", err) < 0)
		goto free_it;
	make_tables(l, setup->program);
	l->result.limit = l->limit;
	l->result.n_limits = l->rules.n;
	l->result.violation = l->shown;
	if (find_functions(l, err) == 0 && find_exceptions(l, setup, err) == 0 && find_signals(l, setup, err) == 0)
		return l;
free_it:
	limits_free(l);
	return NULL;
}

const struct pt_analysis pt_analysis_limits = {
	.name = "limits", .help = "timing rules (limits=)", .params = params, .n_params = PT_LEN(params),
	.open = limits_new, .close = limits_free, .steps = take_steps, .wants_steps = wants_steps,
	.config = take_config, .result = give,
};
