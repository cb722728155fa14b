/* Variables, types and expressions against a firmware whose variables are known: in DWARF 5, in DWARF 4 with type
 * units, and in DWARF 3 on a big-endian core. Memory is what the ELF has loaded, with a few places changed. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "harness.h"
#include "program/expr/expr.h"
#include "program/expr/variable.h"

static const char *const elves[] = { "vars", "vars_units", "vars_be" };

static struct pt_program *program;
static struct pt_types *types;
static struct pt_err err;

static void open_elf(const char *name)
{
	const char *srcdir = getenv("srcdir");
	char path[512];

	snprintf(path, sizeof(path), "%s/tests/firmware/%s.elf", srcdir != NULL ? srcdir : ".", name);
	err = (struct pt_err){ 0 };
	program = pt_program_open(path, 0, &err);
	ck_assert_msg(program != NULL, "%s", err.msg);
	types = pt_types_new(program);
	ck_assert_ptr_nonnull(types);
}

static void close_elf(void)
{
	pt_types_free(types);
	pt_program_unref(program);
}

/* The bytes of the ELF; what start-up code would clear is 0. */
static int read_elf(void *arg, uint64_t addr, void *bytes, size_t n_bytes, struct pt_err *why)
{
	const struct pt_segment *segments;
	size_t n;

	(void)arg;
	segments = pt_program_segments(program, &n);
	for (size_t i = 0; i < n; i++) {
		uint64_t at = addr - segments[i].run;

		if (at >= segments[i].size || n_bytes > segments[i].size - at)
			continue;
		if (segments[i].bytes != NULL)
			memcpy(bytes, segments[i].bytes + at, n_bytes);
		else
			memset(bytes, 0, n_bytes);
		return 0;
	}
	return pt_fail(why, PT_EFAULT, "bus fault");
}

static const struct pt_reader reader = { read_elf, NULL };

/* Evaluates to print; the error instead where there is one. */
static const char *evaluated(const char *text, bool hex)
{
	struct pt_expr *expr = pt_expr_parse(types, text, &err);
	struct pt_c_value value;
	static char out[sizeof(err.msg)];

	snprintf(out, sizeof(out), "%s", err.msg);
	if (expr == NULL)
		return out;
	if (pt_expr_evaluate(expr, &reader, NULL, &value, &err) < 0)
		snprintf(out, sizeof(out), "%s", err.msg);
	else
		pt_c_value_print(types, &value, hex, out, sizeof(out));
	pt_expr_free(expr);
	return out;
}

static const struct { const char *text, *value;
} values[] = {
	/* C itself */
	{ "1 + 2 * 3", "7" },
	{ "(1 + 2) * 3", "9" },
	{ "10 - 4 - 3", "3" },
	{ "100 / 7 % 4", "2" },
	{ "1 << 4 | 1", "17" },
	{ "6 & 3 ^ 1 | 8", "11" },
	{ "1 < 2 == 1", "1" },
	{ "-3 / 2", "-1" },
	{ "-3 % 2", "-1" },
	{ "-1 >> 1", "-1" },
	{ "-1u >> 1", "2147483647" },
	{ "~0", "-1" },
	{ "!5", "0" },
	{ "- - 3", "3" },
	{ "0xAAAAAAAAU", "2863311530" },
	{ "0xffffffff", "4294967295" },
	{ "4294967296", "4294967296" },
	{ "-1 < 0u", "0" },
	{ "0x7fffffff + 1", "-2147483648" },
	{ "017", "15" },
	{ "0b101", "5" },
	{ "'A'", "65" },
	{ "'\\n'", "10" },
	{ "'\\x41' + '\\101'", "130" },
	{ "1.5 * 2", "3" },
	{ "1 / 4.0", "0.25" },
	{ ".5f", "0.5" },
	{ "1 ? 2 : 3", "2" },
	{ "0 ? 2 : 0 ? 3 : 4", "4" },
	{ "1 || 1 / 0", "1" },
	{ "0 && 1 / 0", "0" },
	{ "1 ? 7 : 1 / 0", "7" },
	{ "18446744073709551615u", "18446744073709551615" },
	{ "(-2147483647 - 1) / -1", "-2147483648" },
	{ "(long long)1 << 40", "1099511627776" },
	{ "sizeof(int)", "4" },
	{ "sizeof 1", "4" },
	{ "sizeof(unsigned long long)", "8" },
	{ "(unsigned char)-1", "255" },
	{ "(signed char)200", "-56" },
	{ "(int)2.9", "2" },
	{ "(unsigned)-2.5", "4294967294" },
	{ "(uint8)257 + (uint16)65537", "2" },
	{ "(_Bool)12", "true" },
	/* variables */
	{ "motor.rpm", "1200" },
	{ "motor.mode", "RUNNING" },
	{ "motor.direction", "-3" },
	{ "motor.on", "1" },
	{ "motor.level", "17" },
	{ "motor.trim", "-5" },
	{ "motor.raw == 0x12345678", "1" },
	{ "motor.temperature", "36.5" },
	{ "motor.next->rpm", "1200" },
	{ "(*motor.next).next->mode", "RUNNING" },
	{ "motor.next == &motor", "1" },
	{ "motor.next", "&motor" },
	{ "motor.name[1]", "'e' (101)" },
	{ "motor.ok", "true" },
	{ "sizeof motor", "32" },
	{ "sizeof(struct motor)", "32" },
	{ "sizeof(motor_v)", "32" },
	{ "sizeof tab", "24" },
	{ "packed.odd == 0xa0b0c0d0", "1" },
	{ "packed.across", "2748" },
	{ "packed.rest", "9" },
	{ "tab[1][0]", "-4" },
	{ "tab[1][2]", "6" },
	{ "*tab[1]", "-4" },
	{ "*(*(tab + 1) + 1)", "5" },
	{ "1[tab][1]", "5" },
	{ "&tab[1][1] - &tab[0][0]", "4" },
	{ "(&tab[1])[-1][2]", "3" },
	{ "sizeof tab[0]", "12" },
	{ "g_state", "RUNNING" },
	{ "g_state == RUNNING", "1" },
	{ "(int)g_state", "5" },
	{ "FAULT", "FAULT" },
	{ "FAULT + 0", "-1" },
	{ "(enum state)0", "IDLE" },
	{ "(enum state)7", "7" },
	{ "g_color", "GREEN" },
	{ "g_color + 0", "200" },
	{ "f", "1.5" },
	{ "d", "-0.25" },
	{ "f * d", "-0.375" },
	{ "big == 0x123456789abcdef0", "1" },
	{ "negative", "-2" },
	{ "negative * big < 0", "0" },
	{ "flag", "true" },
	{ "letter", "'q' (113)" },
	{ "limit", "42" },
	{ "number", "-7" },
	{ "half", "65535" },
	{ "half + 1", "65536" },
	{ "half == -1", "0" },
	{ "text[1]", "'e' (101)" },
	{ "*text", "'h' (104)" },
	{ "vars.c:state", "11" },
	{ "vars_more.c:state", "'\026'" },
	{ "'vars.c'::state + 1", "12" },
	{ "1 ? 'vars.c'::state : 0", "11" },
	{ "tick::count", "3" },
	{ "vars_more.c:tock::count", "4" },
	{ "only_here", "9" },
	{ "drive::axle::count", "6" },
	{ "axle::count", "6" },
	{ "inner::depth", "2" },
	{ "drive::front.serial", "0" },
	{ "hidden_away", "8" },
	{ "hidden_first.b", "8" },
	{ "hidden_one == 0", "1" },
	{ "asm_word", "0" },
	{ "from_assembler", "0" },
	{ "sizeof from_assembler", "2" },
	{ "pActiveTCB", "&tcb_idle" },
	{ "pActiveTCB->id", "0" },
	{ "pActiveTCB == &tcb_io", "0" },
	{ "(&tcb_io)->id", "7" },
	{ "&motor.temperature", NULL },
	{ "&tab[1]", NULL },
	{ "UART0_Isr", "UART0_Isr" },
	{ "&UART0_Isr", "UART0_Isr" },
	{ "(int)UART0_Isr", "32768" },
	{ "&UART0_Isr == UART0_Isr", "1" },
	{ "handler", "0" },
	{ "*(uint16_t *)&motor", "1200" },
	{ "((struct motor *)&motor)->rpm", "1200" },
	{ "*(&number)", "-7" },
	{ "(motor.rpm)", "1200" },
	{ "(number) - 1", "-8" },
	{ "(half)+1", "65536" },
	{ "((unsigned char)number)", "249" },
	{ "*(int *)((uint8 *)(&number + 0))", "-7" },
	{ "tasks[1].id", "0" },
	{ "sizeof(tasks) / sizeof(tasks[0])", "4" },
	/* guards: what is behind them is not looked at */
	{ "(os_cur == 0) ? 5 : tcb[os_cur + 9].prio", "5" },
	{ "n ? last[n - 1 ]: -1", "-1" },
	{ "p[0] != 0 && p[0]->state != 2", "0" },
	{ "((n & (1 << 3))!=0) ? 1 : 0", "0" },
	/* what cannot be */
	{ "1 / 0", "division by 0" },
	{ "1 % (2 - 2)", "division by 0" },
	{ "1 << 32", "a shift by 32 bits is none" },
	{ "tcb[2].prio", "index 2 is outside of tcb, which has 2 elements" },
	{ "last[n - 1]", "index -1 is outside of last, which has 4 elements" },
	{ "p[0]->state", "p[0] is a null pointer" },
	{ "*handler", "handler is a null pointer" },
	{ "chain[0]", "chain is a null pointer" },
	{ "moter.rpm", "there is no variable \"moter\"; is \"motor\" meant?" },
	{ "motor.speed", "struct motor has no member \"speed\"" },
	{ "motor->rpm", "motor is no pointer" },
	{ "pActiveTCB.id", "struct task * has no members: write -> for ." },
	{ "tab.x", "int[2][3] has no members" },
	{ "*number", "number is no pointer" },
	{ "number[0]", "number is no pointer" },
	{ "&5", "5 has no address" },
	{ "&motor.on", "motor.on has no address" },
	{ "state", "\"state\" can mean 2 things: vars.c:state, vars_more.c:state" },
	{ "went_away", "the linker left went_away out: nothing uses it" },
	{ "gone", "the linker left gone out: nothing calls it" },
	{ "unused", "unused is optimised out: the compiler gave it no memory" },
	{ "sizeof_stk10", "there is no variable \"sizeof_stk10\"" },
	{ "motor + 1", "struct motor is no single value" },
	{ "asm_text[3]", "the elements of asm_text are not known: no debug information" },
	{ "asm_word.x", "the members of asm_word are not known: no debug information" },
	{ "(nosuch)5", "there is no type \"nosuch\"" },
	{ "*(int *)0x100", "read 0x100: bus fault" },
	{ "~1.5", NULL },
	{ "motor.temperature % 2", "this operator takes integers only" },
	{ "&motor * 2", "this operator takes no pointer" },
	/* what is no expression */
	{ "1 +", "\"1 +\", position 4: it ends where a value is expected" },
	{ "number = 1", "\"number = 1\", position 8: an expression must not change anything; == compares" },
	{ "number += 1", "\"number += 1\", position 8: an expression must not change anything; == compares" },
	{ "number++", "\"number++\", position 7: an expression must not change anything" },
	{ "--number", "\"--number\", position 1: an expression must not change anything" },
	{ "tick()", "\"tick()\", position 5: functions cannot be called" },
	{ "(1", "\"(1\", position 3: \")\" expected" },
	{ "tab[1", "\"tab[1\", position 6: \"]\" expected" },
	{ "1 ? 2", "\"1 ? 2\", position 6: \":\" expected" },
	{ "1 2", "\"1 2\", position 3: not expected here" },
	{ "1, 2", "\"1, 2\", position 2: one expression at a time" },
	{ "", "\"\", position 1: it ends where a value is expected" },
	{ "12ab", "\"12ab\", position 3: not a number" },
	{ "0x", "\"0x\", position 3: not a number" },
	{ "'ab'", "\"'ab'\", position 1: not a character" },
	{ "99999999999999999999", "\"99999999999999999999\", position 20: the number has more than 64 bits" },
	{ "motor.", "\"motor.\", position 7: the name of a member is expected" },
};

START_TEST(evaluates)
{
	int which = _i / (int)PT_LEN(values), row = _i % (int)PT_LEN(values);
	const char *got;

	open_elf(elves[which]);
	got = evaluated(values[row].text, false);
	if (values[row].value != NULL && values[row].value[0] == '\'' && values[row].value[1] < ' ')
		ck_assert_str_eq(got, "22");	/* a char that cannot be printed */
	else if (values[row].value != NULL)
		ck_assert_msg(strcmp(got, values[row].value) == 0, "%s: %s gives %s, not %s", elves[which],
			      values[row].text, got, values[row].value);
	else
		ck_assert_msg(got[0] != '\0', "%s", values[row].text);
	close_elf();
}
END_TEST

START_TEST(prints_in_hex_and_addresses_by_name)
{
	open_elf("vars");
	ck_assert_str_eq(evaluated("number", true), "0xfffffff9");
	ck_assert_str_eq(evaluated("motor.direction", true), "0xfd");
	ck_assert_str_eq(evaluated("big", true), "0x123456789abcdef0");
	ck_assert_str_eq(evaluated("(char *)pActiveTCB + 2", false), "0x20000022 <tcb_idle+2>");
	ck_assert_str_eq(evaluated("(char *)4096", false), "0x1000");
	close_elf();
}
END_TEST

START_TEST(is_bounded)
{
	enum { MOST = 6000 };
	char text[MOST + 1];

	open_elf("vars");
	memset(text, '(', 1000);
	text[1000] = '\0';
	ck_assert_ptr_nonnull(strstr(evaluated(text, false), "nested too deep"));
	memset(text, '!', 1000);
	ck_assert_ptr_nonnull(strstr(evaluated(text, false), "nested too deep"));
	for (size_t i = 0; i < 4000; i++)
		text[i] = i % 2 != 0 ? '+' : '1';
	text[3999] = '\0';
	ck_assert_ptr_nonnull(strstr(evaluated(text, false), "too long"));
	text[499] = '\0';	/* 250 numbers, 249 sums */
	ck_assert_str_eq(evaluated(text, false), "250");
	memset(text, '1', MOST);
	text[MOST] = '\0';
	ck_assert_str_eq(evaluated(text, false), "an expression of more than 4096 characters");
	for (size_t i = 0; i < 600; i++)
		memcpy(text + 4 * i, "1?1:", 4);
	memcpy(text + 2400, "2", 2);
	ck_assert_ptr_nonnull(strstr(evaluated(text, false), "nested too deep"));
	close_elf();
}
END_TEST

/* --- trace plans -------------------------------------------------------------------------------------------------- */

static const struct {
	const char *text;
	enum pt_plan_kind kind;
	const char *watch;	/* the leaf to watch */
	uint32_t size_bytes, value_bytes;
	size_t n_leaves;
	bool pure;
} plans[] = {
	{ "os_cur", PT_PLAN_ONE, "os_cur", 1, 0, 1, true },
	{ "(unsigned char)os_cur", PT_PLAN_ONE, "os_cur", 1, 0, 1, true },
	{ "(uint8)(number)", PT_PLAN_ONE, "number", 4, 1, 1, true },
	{ "motor.mode", PT_PLAN_ONE, "motor.mode", 1, 0, 1, true },
	{ "motor.level", PT_PLAN_ONE, "motor.level", 4, 0, 1, true },
	{ "tab[1][2]", PT_PLAN_ONE, "tab[1][2]", 4, 0, 1, true },
	{ "*&g_state", PT_PLAN_ONE, "*&g_state", 1, 0, 1, true },
	{ "*(volatile unsigned *)0x20000100", PT_PLAN_ONE, "*(volatile unsigned *)0x20000100", 4, 0, 1, true },
	{ "kern[0].running_id", PT_PLAN_ONE, "kern[0].running_id", 4, 0, 1, true },
	{ "kern[1].running_id != -1", PT_PLAN_LEAVES, "kern[1].running_id", 4, 0, 1, true },
	{ "number + half", PT_PLAN_LEAVES, "number", 4, 0, 2, true },
	{ "(os_cur == 255) ? 0 : tcb[os_cur].prio", PT_PLAN_LEAVES, "os_cur", 1, 0, 1, false },
	{ "tab[n][os_cur]", PT_PLAN_LEAVES, "n", 4, 0, 2, false },
	{ "last[last[n] + number]", PT_PLAN_LEAVES, "n", 4, 0, 2, false },
	{ "pActiveTCB->id", PT_PLAN_POINTER, "pActiveTCB", 4, 0, 1, false },
	{ "(*pActiveTCB).id", PT_PLAN_POINTER, "pActiveTCB", 4, 0, 1, false },
	{ "(unsigned char)((struct task *)pActiveTCB)->id", PT_PLAN_POINTER, "pActiveTCB", 4, 0, 1, false },
	{ "p[n]->state", PT_PLAN_POINTER, "n", 4, 0, 1, false },
	{ "motor.next->rpm + 1", PT_PLAN_POINTER, "motor.next", 4, 0, 1, false },
	{ "1 + 2", PT_PLAN_CONSTANT, NULL, 0, 0, 0, true },
	{ "&motor", PT_PLAN_CONSTANT, NULL, 0, 0, 0, true },
	{ "sizeof motor", PT_PLAN_CONSTANT, NULL, 0, 0, 0, true },
	{ "UART0_Isr", PT_PLAN_CONSTANT, NULL, 0, 0, 0, true },
};

START_TEST(plans_the_trace)
{
	struct pt_expr *expr;
	struct pt_plan plan;

	open_elf("vars");
	expr = pt_expr_parse(types, plans[_i].text, &err);
	ck_assert_msg(expr != NULL, "%s", err.msg);
	pt_expr_plan(expr, &plan);
	ck_assert_msg(plan.kind == plans[_i].kind, "%s: %d, %s", plans[_i].text, plan.kind, plan.reason);
	ck_assert_msg(plan.n_leaves == plans[_i].n_leaves, "%s: %zu leaves", plans[_i].text, plan.n_leaves);
	ck_assert_int_eq(plan.pure, plans[_i].pure);
	ck_assert_uint_eq(plan.value_bytes, plans[_i].value_bytes);
	if (plans[_i].watch != NULL) {
		struct pt_variable var;

		ck_assert_str_eq(plan.leaf[plan.watch].name, plans[_i].watch);
		ck_assert_uint_eq(plan.leaf[plan.watch].size_bytes, plans[_i].size_bytes);
		ck_assert_int_eq(pt_variable_of(types, plans[_i].watch, &var, &err), 0);
		ck_assert_uint_eq(plan.leaf[plan.watch].addr, var.addr);
		pt_variable_fini(&var);
	}
	ck_assert_int_eq(plan.reason[0] != '\0', plan.kind != PT_PLAN_ONE);
	pt_expr_free(expr);
	close_elf();
}
END_TEST

START_TEST(tells_why_an_id_behind_a_pointer_is_not_traced)
{
	struct pt_expr *expr;
	struct pt_plan plan;

	open_elf("vars");
	expr = pt_expr_parse(types, "pActiveTCB->id", &err);
	pt_expr_plan(expr, &plan);
	ck_assert(plan.simple);
	ck_assert_uint_eq(plan.offset, 4);
	ck_assert_str_eq(plan.member, "id");
	ck_assert_str_eq(plan.reason,
			 "a data trace of pActiveTCB shows the pointer that is written there, not what the "
			 "member id is behind it: trace pActiveTCB, and tell its values apart by address");
	pt_expr_free(expr);
	expr = pt_expr_parse(types, "p[n]->state", &err);
	pt_expr_plan(expr, &plan);
	ck_assert(!plan.simple);
	pt_expr_free(expr);
	close_elf();
}
END_TEST

/* --- variables ---------------------------------------------------------------------------------------------------- */

static const struct {
	const char *name;
	uint64_t raw;
	enum pt_variable_kind kind;
	uint32_t size_bytes;
	const char *shown;
} variables[] = {
	{ "g_state", 5, PT_VARIABLE_ENUM, 1, "RUNNING" },
	{ "g_state", 255, PT_VARIABLE_ENUM, 1, "FAULT" },
	{ "g_state", 9, PT_VARIABLE_ENUM, 1, "9" },
	{ "g_color", 200, PT_VARIABLE_ENUM, 1, "GREEN" },
	{ "number", 0xfffffff9, PT_VARIABLE_SIGNED, 4, "-7" },
	{ "half", 65535, PT_VARIABLE_UNSIGNED, 2, "65535" },
	{ "(uint8)number", 0x1234, PT_VARIABLE_SIGNED, 4, "52" },
	{ "flag", 1, PT_VARIABLE_BOOL, 1, "true" },
	{ "letter", 'q', PT_VARIABLE_CHAR, 1, "'q' (113)" },
	{ "f", 0x3fc00000, PT_VARIABLE_FLOAT, 4, "1.5" },
	{ "d", 0xbfd0000000000000, PT_VARIABLE_FLOAT, 8, "-0.25" },
	{ "big", 0xffffffffffffffff, PT_VARIABLE_UNSIGNED, 8, "18446744073709551615" },
	{ "pActiveTCB", 0x20000008, PT_VARIABLE_POINTER, 4, "0x20000008" },
	{ "motor.mode", 0, PT_VARIABLE_ENUM, 1, "IDLE" },
	{ "tab[1][2]", 6, PT_VARIABLE_SIGNED, 4, "6" },
	{ "vars.c:state", 11, PT_VARIABLE_SIGNED, 4, "11" },
	{ "asm_word", 77, PT_VARIABLE_UNSIGNED, 4, "77" },
	{ "motor.level", 0x22, PT_VARIABLE_UNSIGNED, 4, "17" },
};

START_TEST(resolves_variables)
{
	struct pt_variable var;
	char text[64];

	open_elf("vars");
	ck_assert_msg(pt_variable_resolve(program, variables[_i].name, &var, &err) == 0, "%s", err.msg);
	close_elf();	/* it needs neither */
	ck_assert_str_eq(var.name, variables[_i].name);
	ck_assert_int_eq(var.kind, variables[_i].kind);
	ck_assert_uint_eq(var.size_bytes, variables[_i].size_bytes);
	pt_variable_print(&var, variables[_i].raw, text, sizeof(text));
	ck_assert_str_eq(text, variables[_i].shown);
	pt_variable_fini(&var);
}
END_TEST

static const struct { const char *name, *says;
} no_variables[] = {
	{ "motor", "motor is a struct motor: name a member of it" },
	{ "tab", "tab is an array (int[2][3]): name an element of it" },
	{ "asm_text", "asm_text (40 bytes) is no variable that has a value" },
	{ "tick", "tick is not one place in memory: nothing of it is a variable that is written" },
	{ "moter", "there is no variable \"moter\"; is \"motor\" meant?" },
	{ "state", "\"state\" can mean 2 things: vars.c:state, vars_more.c:state" },
	{ "pActiveTCB->id", "pActiveTCB->id is not one place in memory: a data trace of pActiveTCB shows" },
	{ "tcb[os_cur].prio",
	  "tcb[os_cur].prio is not one place in memory: where it lies depends on os_cur: watch os_cur" },
	{ "1 + 1", "1 + 1 is not one place in memory: nothing of it is a variable that is written" },
	{ "motor..x", "\"motor..x\", position 7: the name of a member is expected" },
};

START_TEST(refuses_what_is_no_variable)
{
	struct pt_variable var;

	open_elf("vars");
	ck_assert_int_eq(pt_variable_resolve(program, no_variables[_i].name, &var, &err), PT_EARG);
	ck_assert_msg(strncmp(err.msg, no_variables[_i].says, strlen(no_variables[_i].says)) == 0, "%s", err.msg);
	close_elf();
}
END_TEST

START_TEST(reads_bytes_in_the_targets_order)
{
	static const uint8_t bytes[] = { 1, 2, 3, 4 };
	struct pt_variable var;

	open_elf("vars_be");
	ck_assert_int_eq(pt_variable_of(types, "number", &var, &err), 0);
	ck_assert_uint_eq(pt_variable_raw(&var, bytes), 0x01020304);
	pt_variable_fini(&var);
	close_elf();
	open_elf("vars");
	ck_assert_int_eq(pt_variable_of(types, "number", &var, &err), 0);
	ck_assert_uint_eq(pt_variable_raw(&var, bytes), 0x04030201);
	pt_variable_fini(&var);
	close_elf();
}
END_TEST

/* Without DWARF a symbol is a number of its size. */
START_TEST(works_with_symbols_alone)
{
	struct pt_expr *expr;
	struct pt_c_value value;
	struct pt_entity found;

	open_elf("symbols");
	ck_assert(!pt_types_has_dwarf(types));
	ck_assert_int_eq(pt_types_find(types, "worker", &found, &err), 0);
	ck_assert_int_eq(found.kind, PT_ENTITY_FUNCTION);
	ck_assert_uint_eq(found.addr, 0x44);
	ck_assert_int_lt(pt_types_find(types, "nothing", &found, &err), 0);
	ck_assert_str_eq(err.msg,
			 "there is no variable \"nothing\"; the ELF has no debug information, only its symbols "
			 "are known");
	expr = pt_expr_parse(types, "*(uint16 *)0x30", &err);
	ck_assert_int_eq(pt_expr_evaluate(expr, &reader, NULL, &value, &err), 0);
	ck_assert_uint_eq(pt_types_integer(types, 2, false)->size_bytes, 2);
	pt_expr_free(expr);
	close_elf();
	types = pt_types_new(NULL);
	ck_assert_str_eq(evaluated("(uint8)0x1ff + sizeof(long)", false), "259");
	ck_assert_str_eq(evaluated("os_cur", false), "there is no variable \"os_cur\": no ELF is loaded");
	pt_types_free(types);
}
END_TEST

/* Built with -g1: places, but no types. */
START_TEST(takes_the_size_of_the_symbol_where_there_is_no_type)
{
	struct pt_variable var;

	open_elf("demo");
	ck_assert_msg(pt_variable_of(types, "g_beats", &var, &err) == 0, "%s", err.msg);
	ck_assert_uint_eq(var.size_bytes, 4);
	ck_assert_int_eq(var.kind, PT_VARIABLE_UNSIGNED);
	pt_variable_fini(&var);
	close_elf();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("expr");
	TCase *tc = tcase_create("expr");

	tcase_add_loop_test(tc, evaluates, 0, PT_LEN(values) * PT_LEN(elves));
	tcase_add_test(tc, prints_in_hex_and_addresses_by_name);
	tcase_add_test(tc, is_bounded);
	tcase_add_loop_test(tc, plans_the_trace, 0, PT_LEN(plans));
	tcase_add_test(tc, tells_why_an_id_behind_a_pointer_is_not_traced);
	tcase_add_loop_test(tc, resolves_variables, 0, PT_LEN(variables));
	tcase_add_loop_test(tc, refuses_what_is_no_variable, 0, PT_LEN(no_variables));
	tcase_add_test(tc, reads_bytes_in_the_targets_order);
	tcase_add_test(tc, works_with_symbols_alone);
	tcase_add_test(tc, takes_the_size_of_the_symbol_where_there_is_no_type);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
