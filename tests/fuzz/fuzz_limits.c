/* Any text as timing rules, in lines and in one, and as a formula: taken or refused with a sentence, within their
 * bounds; rules in one line are the same rules. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "profile/analyses/counters/formula.h"
#include "profile/analyses/limits/limits.h"

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t in_bytes);

static struct pt_rules rules, again;

static void must(bool so)
{
	if (!so)
		abort();
}

static void try_rules(const char *text)
{
	struct pt_err err = { 0 };
	char *line = pt_rules_one_line(text);
	int rc = pt_rules_parse(&rules, text, &err);

	must(rc == 0 || (rc == PT_EARG && err.msg[0] != '\0'));
	must(rules.n <= PT_RULES);
	for (size_t i = 0; rc == 0 && i < rules.n; i++) {
		const struct pt_rule *rule = &rules.rule[i];

		must(memchr(rule->text, 0, sizeof(rule->text)) != NULL &&
		     memchr(rule->name, 0, sizeof(rule->name)) != NULL);
		must(!isnan(rule->lo) && !isnan(rule->hi));
		pt_rule_allows(rule, rule->lo);
	}
	must(line == NULL || strchr(line, '\n') == NULL);
	must(line == NULL || (pt_rules_parse(&again, line, &err) == 0) == (rc == 0));
	must(line == NULL || rc < 0 || again.n == rules.n);
	free(line);
}

static double value(void *arg, const char *name)
{
	(void)arg;
	must(strlen(name) < PT_FORMULA_NAME);
	return (double)name[0];
}

static void try_formula(const char *text)
{
	struct pt_formula formula;
	struct pt_err err = { 0 };
	int rc = pt_formula_parse(&formula, text, &err);

	must(rc == 0 || (rc == PT_EARG && err.msg[0] != '\0'));
	if (rc == 0)
		pt_formula_value(&formula, value, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t in_bytes)
{
	char *text = calloc(in_bytes + 1, 1);

	if (text == NULL)
		return 0;
	memcpy(text, in, in_bytes);
	try_rules(text);
	try_formula(text);
	free(text);
	return 0;
}
