/* From words to definitions, over a firmware whose variables are known (tests/firmware/vars.c). */
#include <stdio.h>
#include <string.h>

#include "pipeline/definitions.h"
#include "harness.h"
#include "program/orti/orti.h"

static struct pt_program *open_elf(const char *name)
{
	const char *srcdir = getenv("srcdir");
	struct pt_err err = { 0 };
	struct pt_program *program;
	char path[512];

	snprintf(path, sizeof(path), "%s/tests/firmware/%s.elf", srcdir != NULL ? srcdir : ".", name);
	program = pt_program_open(path, 0, &err);
	ck_assert_msg(program != NULL, "%s", err.msg);
	return program;
}

static struct pt_definitions *made(struct pt_program *program, const char *words, struct pt_err *err)
{
	struct pt_params *params = pt_params_new();
	struct pt_definitions *d;
	char copy[400], *word, *rest = copy;

	strcpy(copy, words);
	while ((word = strtok_r(rest, " ", &rest)) != NULL)
		ck_assert_int_eq(pt_params_add(params, pt_definition_params, pt_n_definition_params, word, err), 0);
	d = pt_definitions_new(program, params, err);
	pt_params_free(params);
	return d;
}

static const struct {
	const char *words;
	size_t n;
	struct pt_signal_definition want;	/* the first; at 0: any */
} cases[] = {
	{ "variables=g_state", 1, { .name = "g_state", .form = PT_FORM_STATE, .size_bytes = 1, .is_signed = true, .n_values = 3 } },
	{ "variables=g_color,number", 2, { .name = "g_color", .form = PT_FORM_STATE, .size_bytes = 1, .n_values = 2 } },
	{ "variables=number", 1, { .name = "number", .form = PT_FORM_EITHER, .size_bytes = 4, .is_signed = true } },
	{ "variables=f", 1, { .name = "f", .form = PT_FORM_REGULAR, .size_bytes = 4, .is_float = true } },
	{ "variables=half:regular", 1, { .name = "half", .form = PT_FORM_REGULAR, .size_bytes = 2 } },
	{ "variables=tab[1][2]:state", 1, { .name = "tab[1][2]", .form = PT_FORM_STATE, .size_bytes = 4, .is_signed = true } },
	{ "variables=vars.c:state", 1, { .name = "vars.c:state", .form = PT_FORM_EITHER, .size_bytes = 4, .is_signed = true } },
	{ "variables=vars.c:state:state", 1, { .name = "vars.c:state", .form = PT_FORM_STATE, .size_bytes = 4, .is_signed = true } },
	{ "variables=motor.level", 1, { .name = "motor.level", .form = PT_FORM_EITHER, .size_bytes = 0, .n_bits = 5 } },
	{ "variables=packed", 4, { .name = "packed.first", .form = PT_FORM_EITHER, .size_bytes = 1 } },
	{ "variables=tab", 6, { .name = "tab[0][0]", .form = PT_FORM_EITHER, .size_bytes = 4, .is_signed = true } },
	{ "variables=tab[1]:state", 3, { .name = "tab[1][0]", .form = PT_FORM_STATE, .size_bytes = 4, .is_signed = true } },
	{ "variables=motor.name,motor.part", 10, { .name = "motor.name[0]", .form = PT_FORM_EITHER, .size_bytes = 1 } },
	{ "signal=os_svc:service", 1, { .name = "os_svc", .form = PT_FORM_SERVICE, .size_bytes = 1 } },
	{ "signal=port.3:nested", 1, { .name = "port.3", .form = PT_FORM_NESTED, .space = PT_SPACE_PORT, .size_bytes = 8,
					   .own_size = true } },
	{ "signal=port.0x10.2:task", 1, { .name = "port.0x10.2", .form = PT_FORM_TASK, .space = PT_SPACE_PORT, .size_bytes = 2 } },
	{ "two-point=g_state:RUNNING..IDLE", 1, { .name = "g_state", .form = PT_FORM_TWO_POINT, .size_bytes = 1, .is_signed = true,
						    .n_values = 3, .enter = 5, .leave = 0 } },
	{ "two-point=number:-3..0x10", 1, { .name = "number", .form = PT_FORM_TWO_POINT, .size_bytes = 4, .is_signed = true,
					    .enter = (uint64_t)-3, .leave = 16 } },
	{ "lines=a,b", 0, { .name = NULL } },
};

START_TEST(words_become_definitions)
{
	struct pt_program *program = open_elf("vars");
	struct pt_err err = { 0 };
	struct pt_definitions *d = made(program, cases[_i].words, &err);
	const struct pt_signal_definition *got, *want = &cases[_i].want;

	ck_assert_msg(d != NULL, "%s: %s", cases[_i].words, err.msg);
	ck_assert_uint_eq(pt_definitions_set(d)->n_definitions, cases[_i].n);
	got = pt_definitions_set(d)->definition;
	if (cases[_i].n > 0) {
		ck_assert_str_eq(got->name, want->name);
		ck_assert_int_eq(got->form, want->form);
		ck_assert_int_eq(got->space, want->space);
		ck_assert(want->size_bytes == 0 || got->size_bytes == want->size_bytes);
		ck_assert(got->own_size == want->own_size);
		ck_assert_uint_eq(got->n_bits, want->n_bits);
		ck_assert(got->is_signed == want->is_signed && got->is_float == want->is_float);
		ck_assert_uint_eq(got->n_values, want->n_values);
		ck_assert(got->enter == want->enter && got->leave == want->leave);
		ck_assert(got->source == PT_ANY_SOURCE && got->core == PT_ANY_CORE);
		ck_assert(got->space == PT_SPACE_PORT || got->at != 0);
	}
	pt_definitions_free(d);
	pt_program_unref(program);
}
END_TEST

static const struct { const char *words, *want; } wrong[] = {
	{ "variables=nobody", "nobody" },
	{ "variables=state", "vars_more.c:state" },
	{ "variables=motors,motors,motors,motors,motors", "is beyond the first 256" },
	{ "variables=number:nested", "signal= is for 'nested'" },
	{ "signal=number", "is not NAME:nested" },
	{ "signal=number:colour", "number:colour is not NAME:nested" },
	{ "signal=port.3.9:nested", "port" },
	{ "two-point=number", "is not NAME:ENTER..LEAVE" },
	{ "two-point=number:3", "is not NAME:ENTER..LEAVE" },
	{ "two-point=g_state:RUNNING..STOPPED", "are not two values of g_state" },
	{ "two-point=number:3..3", "entered and left at the same value" },
};

START_TEST(wrong_words_are_told)
{
	struct pt_program *program = open_elf("vars");
	struct pt_err err = { 0 };

	ck_assert_ptr_null(made(program, wrong[_i].words, &err));
	ck_assert_int_eq(err.code, PT_EARG);
	ck_assert_msg(strstr(err.msg, wrong[_i].want) != NULL, "%s: %s", wrong[_i].words, err.msg);
	pt_program_unref(program);
}
END_TEST

START_TEST(enumerators_come_along)
{
	struct pt_program *program = open_elf("vars");
	struct pt_err err = { 0 };
	struct pt_definitions *d = made(program, "variables=g_state", &err);
	const struct pt_signal_definition *def = pt_definitions_set(d)->definition;

	ck_assert_str_eq(pt_signal_value_name(def, 5), "RUNNING");
	ck_assert_str_eq(pt_signal_value_name(def, (uint64_t)-1), "FAULT");
	ck_assert_ptr_null(pt_signal_value_name(def, 7));
	pt_definitions_free(d);
	pt_program_unref(program);
}
END_TEST

START_TEST(a_big_endian_program)
{
	struct pt_program *program = open_elf("vars_be");
	struct pt_err err = { 0 };
	struct pt_definitions *d = made(program, "variables=half", &err);

	ck_assert_msg(d != NULL, "%s", err.msg);
	ck_assert(pt_definitions_set(d)->definition->big_endian);
	pt_definitions_free(d);
	pt_program_unref(program);
}
END_TEST

START_TEST(without_a_program)
{
	struct pt_err err = { 0 };
	struct pt_definitions *d;

	ck_assert_ptr_null(made(NULL, "variables=x", &err));
	ck_assert_ptr_nonnull(strstr(err.msg, "without the program"));
	d = made(NULL, "variables=port.1", &err);
	ck_assert_ptr_nonnull(d);
	pt_definitions_free(d);
}
END_TEST

static bool sees(struct pt_definitions *d, uint64_t at, uint16_t n)
{
	return pt_definitions_access(d, &(struct pt_event){ .kind = PT_EV_VALUE,
							    .cause = PT_SPACE_MEMORY * 2 + 1,
							    .n = n,
							    .value = { at, 1 } });
}

START_TEST(accessed_places)	/* where no word names any */
{
	struct pt_program *program = open_elf("vars_be");
	struct pt_err err = { 0 };
	struct pt_definitions *d = made(program, "variables=half", &err);
	uint64_t half = pt_definitions_set(d)->definition->at;
	const struct pt_signal_definition *def;

	ck_assert(sees(d, half + 2, 2));
	ck_assert_uint_eq(pt_definitions_set(d)->n_definitions, 1);	/* it was asked for that one */
	pt_definitions_free(d);
	d = made(program, "lines=a", &err);
	def = pt_definitions_set(d)->definition;
	ck_assert(sees(d, half, 2) && sees(d, half + 1, 1) && sees(d, half, 2));
	ck_assert_uint_eq(pt_definitions_set(d)->n_definitions, 1);
	ck_assert_str_eq(def->name, "half");
	ck_assert(def->at == half && def->size_bytes == 2 && def->big_endian && def->space == PT_SPACE_MEMORY);
	for (uint64_t i = 1; i < PT_DEFINITIONS_PLACES; i++)
		ck_assert(sees(d, 0x40000000 + i * 4, 4));
	ck_assert_str_eq(def[1].name, "0x40000004");
	ck_assert(!sees(d, 0x50000000, 4) && sees(d, half, 2));
	pt_definitions_free(d);
	pt_program_unref(program);
}
END_TEST

#define CONFIG "format=lines\nlines=3\nline.0=clk\nline.2=bus\nline.2.bits=12\n"

static void tell_config(struct pt_definitions *d, uint16_t source, const char *text)
{
	struct pt_config config;

	ck_assert(pt_config_init(&config, text, strlen(text)));
	pt_definitions_config(d, source, &config);
	pt_config_fini(&config);
}

START_TEST(lines_have_names)
{
	struct pt_err err = { 0 };
	struct pt_definitions *d = made(NULL, "", &err);
	const struct pt_signal_set *set = pt_definitions_set(d);

	tell_config(d, 4, CONFIG);
	tell_config(d, 4, CONFIG);	/* opened anew */
	ck_assert_uint_eq(set->n_definitions, 3);
	ck_assert_str_eq(set->definition[0].name, "clk");
	ck_assert_int_eq(set->definition[0].form, PT_FORM_LINE);
	ck_assert_uint_eq(set->definition[0].source, 4);
	ck_assert_str_eq(set->definition[1].name, "line 1");
	ck_assert_int_eq(set->definition[2].form, PT_FORM_EITHER);
	ck_assert_uint_eq(set->definition[2].size_bytes, 2);
	pt_definitions_free(d);
	d = made(NULL, "lines=bus", &err);
	tell_config(d, 0, CONFIG);
	ck_assert_uint_eq(pt_definitions_set(d)->n_definitions, 1);
	tell_config(d, 1, "lines=4000000000");
	ck_assert_uint_le(pt_definitions_set(d)->n_definitions, PT_SIGNALS_MAX);
	pt_definitions_free(d);
}
END_TEST

START_TEST(an_operating_system)
{
	static struct pt_task_entry task[] = { { 0, "idle", true }, { 1, "work", false } };
	struct pt_task_map map = { .variable = "os_cur", .addr = 0x20000000, .size_bytes = 1 }, *added;
	struct pt_task_maps *maps = pt_task_maps_new("OS", "test");
	struct pt_err err = { 0 };
	struct pt_definitions *d = made(NULL, "", &err);
	const struct pt_signal_definition *def = pt_definitions_set(d)->definition;

	added = pt_task_maps_add(maps, &map);
	pt_task_map_add(added, &task[0]);
	pt_task_map_add(added, &task[1]);
	ck_assert_int_eq(pt_definitions_add_system(d, maps, &err), 0);
	pt_task_maps_free(maps);
	ck_assert_int_eq(def->form, PT_FORM_TASK);
	ck_assert_str_eq(pt_signal_value_name(def, 1), "work");
	ck_assert_uint_eq(def->core, 0);
	pt_definitions_free(d);
}
END_TEST

/* One word, as --orti and monitor orti make it, spaces and all. */
static struct pt_definitions *with_orti(struct pt_program *program, const char *text, struct pt_err *err)
{
	struct pt_orti *orti = pt_orti_parse(text, strlen(text), err);
	bool without_states;
	char *word = pt_orti_word(orti, &without_states, err);
	struct pt_params *params = pt_params_new();
	struct pt_definitions *d;

	ck_assert_ptr_null(strchr(word, '\n'));
	ck_assert_int_eq(pt_params_add(params, pt_definition_params, pt_n_definition_params, word, err), 0);
	d = pt_definitions_new(program, params, err);
	pt_params_free(params);
	pt_orti_free(orti);
	free(word);
	return d;
}

START_TEST(tasks_from_an_orti_word)
{
	static const char text[] =
		"IMPLEMENTATION a { OS { ENUM \"int\" [ \"NO_TASK\" = -1, \"Main Task\" = 0 ] RUNNINGTASK[];\n"
		"ENUM [ \"Start\" = 2 ] SERVICETRACE, \"s\"; CTYPE VALID; }; TASK { CTYPE PRIORITY; }; };\n"
		"OS o { RUNNINGTASK[0] = \"kern[0].running_id\"; RUNNINGTASK[1] = \"kern[1].running_id\";\n"
		"SERVICETRACE = \"os_svc\"; VALID = \"1\"; }; TASK Main { PRIORITY = \"1\"; };";
	struct pt_program *program = open_elf("vars");
	const struct pt_signal_definition *def;
	struct pt_err err = { 0 };
	struct pt_definitions *d = with_orti(program, text, &err);

	ck_assert_msg(d != NULL, "%s", err.msg);
	ck_assert_uint_eq(pt_definitions_set(d)->n_definitions, 3);
	def = pt_definitions_set(d)->definition;
	ck_assert_int_eq(def[0].form, PT_FORM_TASK);
	ck_assert_str_eq(def[0].name, "kern[0].running_id");
	ck_assert_str_eq(def[0].tasks->task[1].name, "Main Task");
	ck_assert(def[0].tasks->task[0].none);
	ck_assert_uint_eq(def[1].core, 1);
	ck_assert_uint_eq(def[1].at, def[0].at + 4);
	ck_assert_int_eq(def[2].form, PT_FORM_SERVICE);
	ck_assert_ptr_null(pt_definitions_note(d, 0));
	pt_definitions_free(d);
	ck_assert_ptr_null(with_orti(NULL, text, &err));
	ck_assert_str_eq(err.msg, "orti: without the program its names mean nothing");
	ck_assert_ptr_null(with_orti(program,
				     "IMPLEMENTATION a { OS { ENUM [ \"T\" = 0 ] RUNNINGTASK; }; };"
				     "OS o { RUNNINGTASK = \"pActiveTCB->id\"; };",
				     &err));
	ck_assert_ptr_nonnull(strstr(err.msg, "orti: RUNNINGTASK = \"pActiveTCB->id\" cannot be traced"));
	/* where something else can be, the reason stays at hand */
	d = with_orti(program,
		      "IMPLEMENTATION a { OS { ENUM [ \"T\" = 0 ] RUNNINGTASK; ENUM [ \"S\" = 2 ] "
		      "SERVICETRACE; }; };OS o { RUNNINGTASK = \"pActiveTCB->id\"; SERVICETRACE = \"os_svc\"; };",
		      &err);
	ck_assert_msg(d != NULL, "%s", err.msg);
	ck_assert_ptr_nonnull(pt_definitions_note(d, 0));
	ck_assert_ptr_nonnull(strstr(pt_definitions_note(d, 0), "RUNNINGTASK = \"pActiveTCB->id\" cannot be traced"));
	ck_assert_ptr_null(pt_definitions_note(d, 1));
	pt_definitions_free(d);
	pt_program_unref(program);
}
END_TEST

/* A variable for each task, behind what the OS itself writes; one name for several values; a state that never changes is none. */
START_TEST(states_of_tasks)
{
	static const char text[] =
		"IMPLEMENTATION a { OS { ENUM \"int\" [ \"NO\" = -1 ] RUNNINGTASK; }; TASK { "
		"ENUM \"unsigned char\" [ \"READY\" = 1, \"READY\" = 4 ] STATE; }; };"
		"OS o { RUNNINGTASK = \"kern[0].running_id\"; }; TASK A { STATE = \"tcb[1].flags\"; };"
		"TASK B { STATE = \"(unsigned char)n\"; }; TASK C { STATE = \"0\"; };";
	struct pt_program *program = open_elf("vars");
	struct pt_err err = { 0 };
	struct pt_definitions *d = with_orti(program, text, &err);
	const struct pt_signal_definition *def = d != NULL ? pt_definitions_set(d)->definition : NULL;

	ck_assert_msg(d != NULL, "%s", err.msg);
	ck_assert_uint_eq(pt_definitions_set(d)->n_definitions, 3);
	ck_assert_str_eq(def[1].name, "A.STATE");
	ck_assert_int_eq(def[1].form, PT_FORM_STATE);
	ck_assert_uint_eq(def[1].size_bytes, 1);
	ck_assert_str_eq(def[1].task, "A");
	ck_assert(def[1].synonyms && def[1].n_bits == 0);
	ck_assert_uint_eq(def[1].core, PT_ANY_CORE);
	ck_assert_str_eq(pt_signal_value_name(&def[1], 4), "READY");
	ck_assert_str_eq(def[2].name, "B.STATE");
	ck_assert_uint_eq(def[2].size_bytes, 4);
	ck_assert_uint_eq(def[2].n_bits, 8);
	ck_assert_ptr_null(pt_definitions_note(d, 0));
	pt_definitions_free(d);
	pt_program_unref(program);
}
END_TEST

START_TEST(tasks_of_a_big_endian_program)
{
	struct pt_program *program = open_elf("vars_be");
	struct pt_err err = { 0 };
	struct pt_definitions *d = with_orti(program,
					     "IMPLEMENTATION a { OS { ENUM [ \"T\" = 0 ] RUNNINGTASK; }; };"
					     "OS o { RUNNINGTASK = \"half\"; };",
					     &err);

	ck_assert_msg(d != NULL, "%s", err.msg);
	ck_assert(pt_definitions_set(d)->definition->big_endian);
	pt_definitions_free(d);
	pt_program_unref(program);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("definitions");
	TCase *tc = tcase_create("definitions");

	tcase_add_loop_test(tc, words_become_definitions, 0, PT_LEN(cases));
	tcase_add_loop_test(tc, wrong_words_are_told, 0, PT_LEN(wrong));
	tcase_add_test(tc, enumerators_come_along);
	tcase_add_test(tc, a_big_endian_program);
	tcase_add_test(tc, without_a_program);
	tcase_add_test(tc, accessed_places);
	tcase_add_test(tc, lines_have_names);
	tcase_add_test(tc, an_operating_system);
	tcase_add_test(tc, tasks_from_an_orti_word);
	tcase_add_test(tc, states_of_tasks);
	tcase_add_test(tc, tasks_of_a_big_endian_program);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
