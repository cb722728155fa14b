/* The words of a rule, from left to right. Every mistake is reported with its line and with what is possible there. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "profile/analyses/limits/limits.h"
#include "base/util.h"

struct parser { const char *at, *begin; unsigned line; struct pt_err *err; };

static const struct {
	const char *word;
	enum pt_rule_figure figure;
	enum pt_rule_unit unit;
	bool of_profile;
} figures[] = {
	{ "net", PT_RULE_NET, PT_RULE_NS, false }, { "gross", PT_RULE_GROSS, PT_RULE_NS, false },
	{ "call", PT_RULE_CALL, PT_RULE_NS, false }, { "period", PT_RULE_PERIOD, PT_RULE_NS, false },
	{ "inactive", PT_RULE_INACTIVE, PT_RULE_NS, false }, { "count", PT_RULE_COUNT, PT_RULE_PLAIN, false },
	{ "stay", PT_RULE_STAY, PT_RULE_NS, false }, { "high", PT_RULE_HIGH, PT_RULE_NS, false },
	{ "low", PT_RULE_LOW, PT_RULE_NS, false }, { "slice", PT_RULE_SLICE, PT_RULE_NS, false },
	{ "latency", PT_RULE_TIME_TO, PT_RULE_NS, false }, { "changes", PT_RULE_CHANGES, PT_RULE_PLAIN, false },
	{ "response", PT_RULE_RESPONSE, PT_RULE_NS, false }, { "activations", PT_RULE_ACTIVATIONS, PT_RULE_PLAIN, false },
	{ "preemptions", PT_RULE_PREEMPTIONS, PT_RULE_PLAIN, false }, { "rate", PT_RULE_RATE, PT_RULE_PLAIN, false },
	{ "share", PT_RULE_SHARE, PT_RULE_PERCENT, false }, { "load", PT_RULE_LOAD, PT_RULE_PERCENT, false },
	{ "lost", PT_RULE_LOST, PT_RULE_PERCENT, true }, { "observed", PT_RULE_OBSERVED, PT_RULE_PERCENT, true },
};
static const struct { const char *word; enum pt_rule_of of; } ofs[] = {
	{ "min", PT_RULE_MIN }, { "avg", PT_RULE_AVG }, { "max", PT_RULE_MAX }, { "p50", PT_RULE_P50 },
	{ "p90", PT_RULE_P90 }, { "p99", PT_RULE_P99 }, { "total", PT_RULE_TOTAL },
};

/* The text is not quoted: a client may have named a file that it may not read. */
static int wrong(const struct parser *p, const char *what)
{
	if (strcspn(p->at, ";\r\n") == 0)	/* what follows is another rule */
		return pt_fail(p->err, PT_EARG, "line %u: %s at the end", p->line, what);
	return pt_fail(p->err, PT_EARG, "line %u: %s at column %zu", p->line, what, (size_t)(p->at - p->begin) + 1);
}

static void blanks(struct parser *p)
{
	while (*p->at == ' ' || *p->at == '\t')
		p->at++;
}

static bool take(struct parser *p, const char *token)
{
	size_t len = strlen(token);

	blanks(p);
	if (strncmp(p->at, token, len) != 0 || (isalpha((unsigned char)token[0]) && isalnum((unsigned char)p->at[len])))
		return false;
	p->at += len;
	return true;
}

/* --- figure and subject */

static int take_figure(struct parser *p, struct pt_rule *rule, bool *of_profile)
{
	for (size_t i = 0; i < PT_LEN(figures); i++) {
		if (!take(p, figures[i].word))
			continue;
		rule->figure = figures[i].figure;
		rule->unit = figures[i].unit;
		*of_profile = figures[i].of_profile;
		return 0;
	}
	return wrong(p,
		     "a rule begins with net, gross, call, period, inactive, count, share, load, stay, changes, high, "
		     "low, latency, slice, response, activations, preemptions, rate, lost or observed, not as");
}

static int take_of(struct parser *p, struct pt_rule *rule)
{
	if (*p->at != '.')
		return 0;
	p->at++;
	if (rule->figure > PT_RULE_INACTIVE)
		return wrong(p, "only times have .min, .avg, .max, .p50, .p90, .p99 and .total, not this");
	for (size_t i = 0; i < PT_LEN(ofs); i++)
		if (take(p, ofs[i].word)) {
			rule->of = ofs[i].of;
			return 0;
		}
	return wrong(p, ".min, .avg, .max, .p50, .p90, .p99 or .total is expected");
}

#define FIGURE(figure) (1u << (figure))
enum {
	OF_CALLS = FIGURE(PT_RULE_NET) | FIGURE(PT_RULE_GROSS) | FIGURE(PT_RULE_CALL) | FIGURE(PT_RULE_PERIOD) |
		   FIGURE(PT_RULE_INACTIVE) | FIGURE(PT_RULE_COUNT) | FIGURE(PT_RULE_SHARE),
	OF_STATES = FIGURE(PT_RULE_RESPONSE) | FIGURE(PT_RULE_ACTIVATIONS) | FIGURE(PT_RULE_PREEMPTIONS),
};

static const struct { const char *word, *is, *example; enum pt_rule_subject subject; unsigned figures; } subjects[] = {
	{ "task", "a task", "load(task %.60s)", PT_RULE_TASK,
	  FIGURE(PT_RULE_LOAD) | FIGURE(PT_RULE_SLICE) | FIGURE(PT_RULE_PERIOD) | FIGURE(PT_RULE_COUNT) | OF_STATES },
	{ "span", "a span", "gross(span %.60s)", PT_RULE_SPAN, OF_CALLS },
	{ "exception", "an exception", "gross(exception %.60s)", PT_RULE_EXCEPTION, OF_CALLS },
	{ "isr", "an ISR2", "gross(isr %.60s)", PT_RULE_ISR, OF_CALLS },
	{ "service", "a service", "gross(service %.60s)", PT_RULE_SERVICE, OF_CALLS },
	{ "state", "a state", "share(state %.60s)", PT_RULE_STATE,
	  FIGURE(PT_RULE_STAY) | FIGURE(PT_RULE_PERIOD) | FIGURE(PT_RULE_COUNT) | FIGURE(PT_RULE_SHARE) },
	{ "variable", "a variable", "changes(variable %.60s)", PT_RULE_VARIABLE, FIGURE(PT_RULE_CHANGES) },
	{ "line", "a line", "high(line %.60s)", PT_RULE_LINE,
	  FIGURE(PT_RULE_HIGH) | FIGURE(PT_RULE_LOW) | FIGURE(PT_RULE_PERIOD) | FIGURE(PT_RULE_COUNT) |
		  FIGURE(PT_RULE_SHARE) },
	{ "counter", "a counter", "count(counter %.60s)", PT_RULE_COUNTER, FIGURE(PT_RULE_COUNT) | FIGURE(PT_RULE_RATE) },
};

static const char *figure_word(enum pt_rule_figure figure)
{
	size_t i = 0;

	while (figures[i].figure != figure)
		i++;
	return figures[i].word;
}

/* Which figures a subject has, or whose the figure is. */
static int check_figure(const struct parser *p, const struct pt_rule *rule, const char *is, unsigned allowed,
			const char *example)
{
	char list[100] = "", rest[100];
	size_t at = 0;

	if ((allowed & FIGURE(rule->figure)) != 0)
		return 0;
	snprintf(rest, sizeof(rest), example, rule->name);
	for (size_t i = 0; i < PT_LEN(figures); i++)
		if ((allowed & FIGURE(figures[i].figure)) != 0)
			at += (size_t)snprintf(list + at, sizeof(list) - at, "%s%s", at > 0 ? ", " : "",
					       figures[i].word);
	for (size_t i = 0; rule->subject == PT_RULE_FUNCTION && i < PT_LEN(subjects); i++)
		if ((subjects[i].figures & FIGURE(rule->figure)) != 0)
			return pt_fail(p->err, PT_EARG, "line %u: %s is of %s: %s(%s %.60s)", p->line,
				       figure_word(rule->figure), subjects[i].is, figure_word(rule->figure),
				       subjects[i].word, rule->name);
	return pt_fail(p->err, PT_EARG, "line %u: %s has the figures %s, as in %s", p->line, is, list, rest);
}

/* The kind of the subject, where its word and a blank stand there; else the figure says it, or it is a function. */
static size_t take_kind(struct parser *p, struct pt_rule *rule)
{
	size_t i = 0, len;

	blanks(p);
	for (; i < PT_LEN(subjects); i++) {
		len = strlen(subjects[i].word);
		if (strncmp(p->at, subjects[i].word, len) == 0 && (p->at[len] == ' ' || p->at[len] == '\t')) {
			p->at += len;
			break;
		}
	}
	rule->subject = i < PT_LEN(subjects)			  ? subjects[i].subject
			: rule->figure == PT_RULE_TIME_TO	  ? PT_RULE_LATENCY
			: (FIGURE(rule->figure) & OF_STATES) != 0 ? PT_RULE_TASK
								  : PT_RULE_FUNCTION;
	return i;
}

/* Names of C++ functions have parentheses of their own. */
static int take_subject(struct parser *p, struct pt_rule *rule)
{
	unsigned depth = 1;
	size_t n = 0, kind;

	if (!take(p, "("))
		return wrong(p, "the name of what is measured is expected, in parentheses,");
	kind = take_kind(p, rule);
	for (blanks(p); strchr("\n\r;", *p->at) == NULL; p->at++) {
		depth += (*p->at == '(') - (*p->at == ')');
		if (depth == 0)
			break;
		if (n + 1 == sizeof(rule->name))
			return wrong(p, "the name is too long");
		rule->name[n++] = *p->at;
	}
	while (n > 0 && rule->name[n - 1] == ' ')
		n--;
	rule->name[n] = '\0';
	if (n == 0 || !take(p, ")"))
		return wrong(p, "a name and ')' are expected");
	if (kind == PT_LEN(subjects) && rule->subject != PT_RULE_FUNCTION)
		return 0;
	return kind < PT_LEN(subjects)
		       ? check_figure(p, rule, subjects[kind].is, subjects[kind].figures, subjects[kind].example)
		       : check_figure(p, rule, "a function", OF_CALLS, "gross(%.60s)");
}

/* --- comparison */

static int take_value(struct parser *p, struct pt_rule *rule, double *value)
{
	static const struct { const char *word; double ns; } units[] = {
		{ "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 },
	};
	char *end = NULL;
	size_t i;

	blanks(p);
	*value = isdigit((unsigned char)*p->at) ? strtod(p->at, &end) : -1;
	if (*value < 0 || end == p->at || !isfinite(*value))
		return wrong(p, "a number is expected");
	/* "1..2" is 1, two points and 2, not 1. and a point */
	if (end[-1] == '.' && *end == '.')
		end--;
	p->at = end;
	if (rule->unit == PT_RULE_PERCENT) {
		*value /= 100;
		return take(p, "%") ? 0 : wrong(p, "% is expected behind a share");
	}
	for (i = 0; i < PT_LEN(units) && !take(p, units[i].word); i++)
		;
	if (rule->unit == PT_RULE_PLAIN && i < PT_LEN(units))
		return wrong(p, "a count has no unit");
	if (rule->unit == PT_RULE_NS && i < PT_LEN(units))
		*value *= units[i].ns;
	return i < PT_LEN(units) ? 1 : 0;
}

static const struct { const char *word; bool from, to, open, excludes; } comparisons[] = {	/* the longer first */
	{ "!=", true, true, false, true }, { "<=", false, true, false, false }, { ">=", true, false, false, false },
	{ "==", true, true, false, false }, { "<", false, true, true, false }, { ">", true, false, true, false },
	{ "=", true, true, false, false },
};

static int take_bound(struct parser *p, struct pt_rule *rule)
{
	double value = 0;
	size_t i;
	int rc;

	for (i = 0; i < PT_LEN(comparisons) && !take(p, comparisons[i].word); i++)
		;
	if (i == PT_LEN(comparisons))
		return wrong(p, "<, <=, >, >=, =, != or in A..B is expected");
	rc = take_value(p, rule, &value);
	rule->lo = comparisons[i].from ? value : -INFINITY;
	rule->hi = comparisons[i].to ? value : INFINITY;
	rule->lo_open = rule->hi_open = comparisons[i].open;
	rule->excludes = comparisons[i].excludes;
	return rc;
}

static int take_range(struct parser *p, struct pt_rule *rule)
{
	int from = take_value(p, rule, &rule->lo), to;

	if (from < 0)
		return from;
	if (!take(p, ".."))
		return wrong(p, "'..' is expected in a range");
	to = take_value(p, rule, &rule->hi);
	if (to < 0)
		return to;
	if (from != to || rule->lo > rule->hi)
		return wrong(p, "the range has two units, or its end is before its begin,");
	return from;
}

static int take_rest(struct parser *p, struct pt_rule *rule)
{
	for (;;) {
		if (take(p, "seen"))
			rule->seen = true;
		else if (rule->unit == PT_RULE_PERCENT && take(p, "within") && take(p, "ci"))
			continue;
		else
			break;
	}
	blanks(p);
	return strchr("\n\r#;", *p->at) != NULL ? 0 : wrong(p, "nothing more is expected");
}

/* Its times are on no clock of the core. */
static bool is_in_time(const struct pt_rule *rule)
{
	return rule->subject == PT_RULE_TASK || rule->subject > PT_RULE_EXCEPTION;
}

static int take_rule(struct parser *p, struct pt_rule *rule)
{
	bool of_profile = false;
	int with_unit;

	if (take_figure(p, rule, &of_profile) < 0 || take_of(p, rule) < 0 || (!of_profile && take_subject(p, rule) < 0))
		return PT_EARG;
	with_unit = take(p, "in") ? take_range(p, rule) : take_bound(p, rule);
	if (with_unit < 0)
		return PT_EARG;
	if (rule->unit == PT_RULE_NS && with_unit == 0 && is_in_time(rule))
		return pt_fail(p->err, PT_EARG, "line %u: these times have a unit, as in 20us", p->line);
	if (rule->unit == PT_RULE_NS && with_unit == 0)
		rule->unit = PT_RULE_PLAIN;	/* ticks */
	return take_rest(p, rule);
}

/* --- lines */

/* Up to what ends a rule: the end of its line, ';', or a comment; but names have '#' as well ("{lambda()#1}"). */
static size_t rule_len(const char *text)
{
	size_t n = 0;
	int depth = 0;

	for (; strchr("\n\r;", text[n]) == NULL && (text[n] != '#' || depth > 0); n++)
		depth += (text[n] == '(') - (text[n] == ')');
	return n;
}

/* What is behind a rule: a comment, and the end of the line or ';'. */
static size_t end_len(const char *text)
{
	size_t n = text[0] == '#' ? strcspn(text, "\n\r") : 0;

	if (text[n] == '\r' && text[n + 1] == '\n')
		return n + 2;
	return n + (text[n] != '\0');
}

static void keep_text(struct pt_rule *rule, const char *line, size_t len)
{
	size_t n = 0;

	for (size_t i = 0; i < len && n + 1 < sizeof(rule->text); i++)
		if (!isspace((unsigned char)line[i]) || (n > 0 && rule->text[n - 1] != ' '))
			rule->text[n++] = isspace((unsigned char)line[i]) ? ' ' : line[i];
	while (n > 0 && rule->text[n - 1] == ' ')
		n--;
	rule->text[n] = '\0';
}

int pt_rules_parse(struct pt_rules *rules, const char *text, struct pt_err *err)
{
	struct parser p = { .line = 1, .err = err };

	rules->n = 0;
	for (size_t len; *text != '\0'; text += len + end_len(text + len), p.line++) {
		struct pt_rule *rule = &rules->rule[rules->n];

		len = rule_len(text);
		p.at = p.begin = text;
		blanks(&p);
		if (p.at == text + len)
			continue;
		if (rules->n == PT_RULES)
			return pt_fail(err, PT_EARG, "line %u: more than %d rules", p.line, PT_RULES);
		memset(rule, 0, sizeof(*rule));
		rule->line = p.line;
		keep_text(rule, text, len);
		if (take_rule(&p, rule) < 0)
			return PT_EARG;
		rules->n++;
	}
	return 0;
}

char *pt_rules_one_line(const char *text)
{
	char *line = pt_alloc(strlen(text) + 1), *out = line;

	for (size_t len; *text != '\0'; text += len + end_len(text + len)) {
		len = rule_len(text);
		memcpy(out, text, len);
		out += len;
		if (end_len(text + len) > 0)
			*out++ = ';';
	}
	*out = '\0';
	return line;
}

bool pt_rule_allows(const struct pt_rule *rule, double value)
{
	bool inside = (rule->lo_open ? value > rule->lo : value >= rule->lo) &&
		      (rule->hi_open ? value < rule->hi : value <= rule->hi);

	return inside != rule->excludes;
}
