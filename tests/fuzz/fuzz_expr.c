/* Any text as an expression: refused with a sentence, or evaluated, planned and resolved without a fault; the plan's
 * leaf must be an expression again, for the same place. */
#include <string.h>

#include "vars_elf.h"
#include "program/expr/variable.h"

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t in_bytes);

static struct pt_program *program;
static struct pt_types *types;

static void check_leaf(const struct pt_plan *plan)
{
	const struct pt_plan_leaf *leaf = &plan->leaf[plan->watch];
	struct pt_plan again;
	struct pt_expr *expr;

	if (plan->n_leaves == 0 || strlen(leaf->name) >= PT_PLAN_NAME_BYTES - 1)
		return;
	expr = pt_expr_parse(types, leaf->name, NULL);
	if (expr == NULL)
		return;		/* inside ?: a colon means something else than at the beginning */
	pt_expr_plan(expr, &again);
	if (again.kind == PT_PLAN_ONE && again.leaf[0].addr != leaf->addr)
		abort();
	pt_expr_free(expr);
}

static void read_variable(const struct pt_variable *var, uint64_t seed)
{
	uint8_t bytes[8];
	char shown[100];
	uint64_t raw;

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(seed >> 8 * i);
	raw = pt_variable_raw(var, bytes);
	for (unsigned value = 0; value < 2; value++) {		/* and one that may have a name */
		pt_variable_print(var, value == 0 ? raw : 1, shown, sizeof(shown));
		if (shown[0] == '\0')
			abort();
	}
	if (var->kind != PT_VARIABLE_FLOAT && var->size_bytes < 8 &&
	    pt_variable_real(var, raw) != (double)pt_variable_number(var, raw))
		abort();
	pt_variable_real(var, raw);
}

static void one(const char *text, uint64_t seed)
{
	struct pt_reader reader = { read_made_up, &seed };
	struct pt_err err = { 0 };
	struct pt_expr *expr = pt_expr_parse(types, text, &err);
	struct pt_variable var;
	struct pt_c_value value;
	struct pt_plan plan;
	char shown[100];

	if (expr == NULL) {
		if (err.code >= 0 || err.msg[0] == '\0')
			abort();
		return;
	}
	if (pt_expr_evaluate(expr, &reader, pt_types_integer(types, 4, true), &value, &err) == 0) {
		pt_c_value_print(types, &value, seed % 2 != 0, shown, sizeof(shown));
		if (shown[0] == '\0')
			abort();
	} else if (err.code >= 0 || err.msg[0] == '\0') {
		abort();
	}
	pt_expr_plan(expr, &plan);
	if ((plan.kind != PT_PLAN_ONE) != (plan.reason[0] != '\0'))
		abort();
	check_leaf(&plan);
	if (pt_variable_of(types, text, &var, &err) == 0)
		read_variable(&var, seed);
	pt_variable_fini(&var);
	pt_expr_free(expr);
}

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t in_bytes)
{
	uint64_t seed = 0x123456789abcdef;
	char *text;

	/* types that expressions make (pointers to pointers) are kept as long as types: a new one every now and then */
	static unsigned rounds;

	if (types == NULL || rounds++ % 1000 == 0) {
		if (program == NULL)
			program = vars_elf();
		pt_types_free(types);
		types = pt_types_new(program);
	}
	text = malloc(in_bytes + 1);
	if (text == NULL)
		return 0;
	if (in_bytes > 0)
		memcpy(text, in, in_bytes);
	text[in_bytes] = '\0';
	for (size_t i = 0; i < in_bytes; i++)
		seed = seed * 31 + in[i];
	one(text, seed);
	free(text);
	return 0;
}
