/* ORTI files against the variables of vars.elf: what generators write, what they get wrong, what can be traced. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "harness.h"
#include "program/orti/orti.h"

enum { RAM = 0x20000000, RAM_BYTES = 0x400 };

static struct pt_program *program;
static struct pt_types *types;
static struct pt_err err;
static struct pt_orti *orti;
static uint8_t ram[RAM_BYTES];
static uint64_t read_addr[64];
static size_t n_reads;
static char said[2000];

static const char *path_of(const char *name)
{
	const char *srcdir = getenv("srcdir");
	static char path[512];

	snprintf(path, sizeof(path), "%s/tests/%s", srcdir != NULL ? srcdir : ".", name);
	return path;
}

static int read_ram(void *arg, uint64_t addr, void *bytes, size_t n_bytes, struct pt_err *why)
{
	(void)arg;
	if (n_reads < PT_LEN(read_addr))
		read_addr[n_reads++] = addr;
	if (addr < RAM || addr - RAM > RAM_BYTES - n_bytes)
		return pt_fail(why, PT_EFAULT, "bus fault");
	memcpy(bytes, ram + (addr - RAM), n_bytes);
	return 0;
}

static const struct pt_reader reader = { read_ram, NULL };

static uint64_t address_of(const char *name)
{
	struct pt_entity found;

	ck_assert_msg(pt_types_find(types, name, &found, &err) == 0, "%s", err.msg);
	return found.addr;
}

static void put(const char *name, size_t offset, size_t size, uint32_t value)
{
	uint8_t bytes[4];

	pt_put_le32(bytes, value);
	memcpy(ram + (address_of(name) + offset - RAM), bytes, size);
}

static void setup(void)
{
	const struct pt_segment *segments;
	size_t n;

	err = (struct pt_err){ 0 };
	n_reads = 0;
	said[0] = '\0';
	program = pt_program_open(path_of("firmware/vars.elf"), 0, &err);
	ck_assert_msg(program != NULL, "%s", err.msg);
	types = pt_types_new(program);
	memset(ram, 0, sizeof(ram));
	segments = pt_program_segments(program, &n);
	for (size_t i = 0; i < n; i++)
		if (segments[i].bytes != NULL && segments[i].run >= RAM && segments[i].run < RAM + RAM_BYTES)
			memcpy(ram + (segments[i].run - RAM), segments[i].bytes, segments[i].size);
}

static void teardown(void)
{
	pt_orti_free(orti);
	orti = NULL;
	pt_types_free(types);
	pt_program_unref(program);
}

static void parse(const char *text)
{
	orti = pt_orti_parse(text, strlen(text), &err);
	ck_assert_msg(orti != NULL, "%s", err.msg);
}

static void parse_file(const char *name)
{
	static char text[8192];
	char path[100];
	FILE *file;
	size_t n;

	snprintf(path, sizeof(path), "fuzz/corpus/orti/%s", name);
	file = fopen(path_of(path), "rb");
	ck_assert_msg(file != NULL, "%s", path_of(path));
	n = fread(text, 1, sizeof(text) - 1, file);
	fclose(file);
	text[n] = '\0';
	parse(text);
}

static void note(void *arg, const char *sentence)
{
	(void)arg;
	snprintf(said + strlen(said), sizeof(said) - strlen(said), "%s\n", sentence);
}

static struct pt_orti_result evaluate(const char *object, const char *attr, int index)
{
	const struct pt_orti_object *of = pt_orti_object_of(orti, NULL, object);
	const struct pt_orti_value *value = pt_orti_value_of(of, attr, index);
	struct pt_orti_result result;

	ck_assert_msg(value != NULL, "%s has no %s", object, attr);
	pt_orti_evaluate(orti, of, value, types, &reader, &result);
	return result;
}

/* --- sample A ----------------------------------------------------------------------------------------------------- */

START_TEST(reads_sample_a)
{
	const struct pt_orti_attr *attr;

	parse_file("sample_a.orti");
	for (size_t i = 0; i < orti->n_warnings; i++)
		ck_abort_msg("line %u: %s", orti->warning[i].line, orti->warning[i].text);
	ck_assert_str_eq(orti->koil, "2.1");
	ck_assert_str_eq(orti->semantics, "ORTI");
	ck_assert_str_eq(orti->version, "2.1");
	ck_assert_str_eq(orti->name, "Demo_ORTI");
	ck_assert_uint_eq(orti->n_types, 3);
	ck_assert_uint_eq(orti->n_objects, 3);
	ck_assert_str_eq(pt_orti_type_of(orti, "TASK")->display, "Tasks");
	attr = pt_orti_attr_of(orti, "OS", "RUNNINGTASK");
	ck_assert(attr->to_trace && !attr->array && attr->kind == PT_ORTI_ENUM);
	ck_assert_str_eq(attr->c_type, "unsigned char");
	ck_assert_str_eq(attr->display, "Running task");
	ck_assert_uint_eq(attr->n_items, 3);
	ck_assert_str_eq(attr->item[1].text, "Init Task");
	attr = pt_orti_attr_of(orti, "TASK", "STACK");
	ck_assert_str_eq(attr->item[1].link, "Stk10");
	ck_assert_ptr_null(pt_orti_attr_of(orti, "OS", "RUNNINGTASKPRIORITY")->display);
	ck_assert_ptr_null(pt_orti_attr_of(orti, "OS", "vs_LoadPct")->c_type);
}
END_TEST

static const struct {
	const char *object, *attr;
	struct { const char *name; size_t offset, size; uint32_t value; } set[2];
	const char *text;
	bool available;
} sample_a[] = {
	{ "Demo", "RUNNINGTASK", { { "os_cur", 0, 1, 255 } }, "NO_TASK", true },
	{ "Demo", "RUNNINGTASK", { { "os_cur", 0, 1, 0 } }, "Init Task", true },
	{ "Demo", "RUNNINGTASK", { { "os_cur", 0, 1, 1 } }, "T_10ms", true },
	{ "Demo", "RUNNINGTASK", { { "os_cur", 0, 1, 9 } }, "9", true },
	{ "Demo", "RUNNINGTASKPRIORITY", { { "os_cur", 0, 1, 255 } }, "0", true },
	{ "Demo", "RUNNINGTASKPRIORITY", { { "os_cur", 0, 1, 1 }, { "tcb", 8, 1, 5 } }, "5", true },
	{ "Demo",
	  "RUNNINGTASKPRIORITY",
	  { { "os_cur", 0, 1, 2 } },
	  "not available: index 2 is outside of tcb, which has "
	  "2 elements",
	  false },
	{ "Demo", "RUNNINGISR2", { { "os_isr", 0, 4, 0 } }, "NO_ISR", true },
	{ "Demo", "RUNNINGISR2", { { "os_isr", 0, 4, 0x8001 } }, "IsrUart", true }, /* with Thumb bit in memory */
	{ "Demo", "RUNNINGISR2", { { "os_isr", 0, 4, 0x8000 } }, "IsrUart", true },
	{ "Demo", "SERVICETRACE", { { "os_svc", 0, 1, 4 } }, "TerminateTask", true },
	{ "Demo", "vs_LoadPct", { { NULL, 0, 0, 0 } }, "42", true },
	{ "T_10ms", "PRIORITY", { { "tcb", 8, 1, 7 } }, "7", true },
	{ "T_10ms", "STATE", { { "tcb", 9, 1, 0xfe } }, "RUNNING", true },
	{ "T_10ms", "STATE", { { "tcb", 9, 1, 0xff } }, "3", true },
	{ "T_10ms", "STACK", { { NULL, 0, 0, 0 } }, "Stk", true },
	{ "T_10ms", "CURRENTACTIVATIONS", { { "tcb", 10, 1, 3 } }, "-2", true },
	{ "T_10ms", "vs_Type", { { NULL, 0, 0, 0 } }, "BASIC", true },
	{ "Stk10", "SIZE", { { NULL, 0, 0, 0 } }, "not available: there is no variable \"sizeof_stk10\"", false },
	{ "Stk10", "BASEADDRESS", { { NULL, 0, 0, 0 } }, "&stk10", true },
	{ "Stk10", "STACKDIRECTION", { { NULL, 0, 0, 0 } }, "DOWN", true },
	{ "Stk10", "FILLPATTERN", { { NULL, 0, 0, 0 } }, "2779096485", true },
};

START_TEST(evaluates_sample_a)
{
	struct pt_orti_result result;

	parse_file("sample_a.orti");
	for (size_t i = 0; i < 2 && sample_a[_i].set[i].name != NULL; i++)
		put(sample_a[_i].set[i].name, sample_a[_i].set[i].offset, sample_a[_i].set[i].size,
		    sample_a[_i].set[i].value);
	result = evaluate(sample_a[_i].object, sample_a[_i].attr, -1);
	ck_assert_str_eq(result.text, sample_a[_i].text);
	ck_assert_int_eq(result.available, sample_a[_i].available);
}
END_TEST

START_TEST(looks_only_where_it_must)
{
	parse_file("sample_a.orti");
	put("os_cur", 0, 1, 255);
	ck_assert_str_eq(evaluate("Demo", "RUNNINGTASKPRIORITY", -1).text, "0");
	ck_assert_uint_eq(n_reads, 1);
	ck_assert_uint_eq(read_addr[0], address_of("os_cur"));
}
END_TEST

START_TEST(follows_the_link_of_the_entry_that_matches)
{
	struct pt_orti_result result;

	parse_file("sample_a.orti");
	result = evaluate("T_10ms", "STACK", -1);
	ck_assert_str_eq(result.item->link, "Stk10");
	ck_assert_ptr_nonnull(result.link);
	ck_assert_str_eq(result.link->type, "STACK");
	ck_assert_str_eq(result.link->name, "Stk10");
}
END_TEST

START_TEST(maps_tasks_isrs_and_services_of_sample_a)
{
	const struct pt_task_map *map;
	struct pt_task_maps *maps;
	bool enters;

	parse_file("sample_a.orti");
	maps = pt_orti_task_maps(orti, types, NULL, note, NULL, &err);
	ck_assert_msg(maps != NULL, "%s", err.msg);
	ck_assert_ptr_nonnull(
		strstr(said, "the state of 1 task is not followed: STATE of T_10ms = \"tcb[1].flags & 0x3U\""));
	ck_assert_str_eq(maps->os, "Demo_ORTI");
	ck_assert_uint_eq(maps->n_maps, 3);
	map = pt_task_maps_of(maps, PT_TASK_RUNNING, 0);
	ck_assert_str_eq(map->variable, "os_cur");
	ck_assert_uint_eq(map->addr, address_of("os_cur"));
	ck_assert_uint_eq(map->size_bytes, 1);
	ck_assert(pt_task_map_find(map, 255)->none);
	ck_assert(!pt_task_map_find(map, 1)->none);
	ck_assert_str_eq(pt_task_map_find(map, 1)->name, "T_10ms");
	ck_assert_ptr_null(pt_task_map_find(map, 77));
	map = pt_task_maps_of(maps, PT_TASK_ISR, 0);
	ck_assert(map->code_addresses);
	ck_assert_str_eq(pt_task_map_find(map, 0x8001)->name, "IsrUart");
	ck_assert(pt_task_map_find(map, 0)->none);
	map = pt_task_maps_of(maps, PT_TASK_SERVICE, 0);
	ck_assert(map->enter_bit);
	ck_assert_str_eq(pt_task_map_service(map, 3, &enters)->name, "ActivateTask");
	ck_assert(enters);
	ck_assert_str_eq(pt_task_map_service(map, 2, &enters)->name, "ActivateTask");
	ck_assert(!enters);
	pt_task_maps_free(maps);
	ck_assert(!pt_orti_needs_fix(orti, types));
	ck_assert_ptr_null(pt_orti_fix(orti, types, &reader, note, NULL, &err));
	ck_assert_int_eq(err.code, PT_EARG);
}
END_TEST

/* --- sample B ----------------------------------------------------------------------------------------------------- */

START_TEST(survives_sample_b)
{
	struct pt_task_maps *maps;

	parse_file("sample_b.orti");
	ck_assert_uint_eq(orti->n_warnings, 2);
	ck_assert_uint_eq(orti->warning[0].line, 9);
	ck_assert_str_eq(orti->warning[0].text, "\";\" is missing behind CURRENTAPPMODE");
	ck_assert_uint_eq(orti->warning[1].line, 10);
	ck_assert_str_eq(orti->warning[1].text, "Mc_arch: RUNNINGTASK has no value that could be read: left out");
	ck_assert_ptr_nonnull(pt_orti_value_of(&orti->object[0], "CURRENTAPPMODE", 0));
	ck_assert_ptr_nonnull(pt_orti_value_of(&orti->object[0], "VALID", 0));
	ck_assert_ptr_nonnull(pt_orti_value_of(&orti->object[0], "VALID", 1));
	ck_assert_ptr_null(pt_orti_value_of(&orti->object[0], "RUNNINGTASK", 1));
	ck_assert(pt_orti_attr_of(orti, "OS", "RUNNINGTASK")->array);
	put("mode", 0, 4, 0xffffffff);
	ck_assert_str_eq(evaluate("Mc_arch", "CURRENTAPPMODE", 0).text, "NONE");	/* -1 as signed */
	put("mode", 0, 4, 0);
	ck_assert_str_eq(evaluate("Mc_arch", "CURRENTAPPMODE", 0).text, "M0");
	put("kern", 0, 4, 0xffffffff);
	ck_assert_str_eq(evaluate("Mc_arch", "VALID", 0).text, "0");
	ck_assert_str_eq(evaluate("Mc_arch", "VALID", 1).text, "-1");
	ck_assert_str_eq(evaluate("Mc_arch", "vs_SMP_NUMCPU", -1).text, "2");
	ck_assert_str_eq(evaluate("C_A", "VALID", -1).text, "not available: p[0] is a null pointer");
	put("p", 0, 4, (uint32_t)address_of("tcb_io"));
	ck_assert_str_eq(evaluate("C_A", "VALID", -1).text, "1");
	maps = pt_orti_task_maps(orti, types, NULL, note, NULL, &err);
	ck_assert_uint_eq(maps->n_maps, 1);
	ck_assert_str_eq(maps->map[0].variable, "kern[0].running_id");
	ck_assert(pt_task_map_find(&maps->map[0], 1)->none);	/* X: of another class */
	ck_assert(!pt_task_map_find(&maps->map[0], 2)->none);
	pt_task_maps_free(maps);
}
END_TEST

/* --- deviations --------------------------------------------------------------------------------------------------- */

/* An OS with RUNNINGTASK as written; warnings: how many. */
static const struct { const char *what, *text; size_t n_warnings, n_objects, n_types;
} files[] = {
	{ "nothing wrong", "IMPLEMENTATION a { OS { CTYPE X; }; }; OS o { X = 1; };", 0, 1, 1 },
	{ "preprocessor", "#define A\n  #if 0\nIMPLEMENTATION a { OS { CTYPE X; }; }; OS o { X = 1; };", 0, 1, 1 },
	{ "no display strings, blanks", "IMPLEMENTATION a{OS{ENUM\"T\"[\"A\"=0]X;};};OS o{X=1;};", 0, 1, 1 },
	{ "bare C types",
	  "IMPLEMENTATION a { OS { ENUM UINT8 [ \"A\" = 1 ] X; CTYPE unsigned char Y; CTYPE uint8 * Z; }; };"
	  "OS o { X = 1; Y = 2; Z = 3; };",
	  0, 1, 1 },
	{ "quoted section names", "IMPLEMENTATION \"a\" { OS { CTYPE X; }; }; OS \"o\" { X = 1; };", 0, 1, 1 },
	{ "index on an array or not",
	  "IMPLEMENTATION a { OS { CTYPE X[]; CTYPE Y; }; }; OS o { X = \"1\"; Y[0] = \"2\"; };", 0, 1, 1 },
	{ "index missing", "IMPLEMENTATION a { OS { CTYPE X[]; }; }; OS o { X[] = \"1\"; };", 0, 1, 1 },
	{ "hexadecimal, signs and suffixes",
	  "IMPLEMENTATION a { OS { ENUM [ \"A\" = 0x10U, \"B\" = -1, \"C\" = \"0xF9\" ] X; };"
	  "}; OS o { X = 0x1000; };",
	  0, 1, 1 },
	{ "vendor objects",
	  "IMPLEMENTATION a { _vs_SPINLOCK { CTYPE _vs_X; }; vs_ISR { CTYPE vs_CORE_NUM; }; };"
	  "vs_ISR X{ vs_CORE_NUM = 6; };",
	  0, 1, 2 },
	{ "keyword in two", "I\nMPLEMENTATION a { OS { CT\nYPE X; }; }; OS o { X = 1; };", 2, 1, 1 },
	{ "declared nowhere", "IMPLEMENTATION a { OS { CTYPE X; }; }; OS o { Y = 1; };", 1, 1, 1 },
	{ "semicolon behind an object", "IMPLEMENTATION a { OS { CTYPE X; } } OS o { X = 1; } OS p { X = 2; };", 3, 2,
	  1 },
	{ "semicolon behind a value", "IMPLEMENTATION a { OS { CTYPE X; CTYPE Y; }; }; OS o { X = 1 Y = \"2\" };", 2, 1,
	  1 },
	{ "semicolon behind an attribute", "IMPLEMENTATION a { OS { CTYPE X CTYPE Y }; }; OS o { X = 1; };", 2, 1, 1 },
	{ "comma between entries", "IMPLEMENTATION a { OS { ENUM [ \"A\" = 1 \"B\" = 2, ] X; }; }; OS o { X = 1; };", 1,
	  1, 1 },
	{ "an entry that is none",
	  "IMPLEMENTATION a { OS { ENUM [ \"A\" = 1, oops, \"B\" = 2 ] X; }; }; OS o { X = 1; };", 1, 1, 1 },
	{ "an attribute that is none", "IMPLEMENTATION a { OS { NTYPE X; CTYPE Y; }; }; OS o { Y = 1; };", 1, 1, 1 },
	{ "a quote missing", "IMPLEMENTATION a { OS { CTYPE X; CTYPE Y; }; }; OS o { X = osX\"; Y = \"y\"; };", 1, 1,
	  1 },
	{ "a quote missing at the end",
	  "IMPLEMENTATION a { OS { CTYPE X; CTYPE Y; }; }; OS o { X = \"osX;\n Y = \"y\"; };", 2, 1, 1 },
	{ "a stray block", "12 { CTYPE X; }; IMPLEMENTATION a { OS { CTYPE X; }; }; } OS o { X = 1; };", 2, 1, 1 },
	{ "the end is missing", "IMPLEMENTATION a { OS { CTYPE X; }; }; OS o { X = 1;", 2, 1, 1 },
};

START_TEST(takes_what_generators_write)
{
	char *once, *twice;
	struct pt_orti *again;

	parse(files[_i].text);
	for (size_t i = 0; orti->n_warnings != files[_i].n_warnings && i < orti->n_warnings; i++)
		printf("%s: line %u: %s\n", files[_i].what, orti->warning[i].line, orti->warning[i].text);
	ck_assert_msg(orti->n_warnings == files[_i].n_warnings, "%s: %zu warnings", files[_i].what, orti->n_warnings);
	ck_assert_msg(orti->n_objects == files[_i].n_objects, "%s: %zu objects", files[_i].what, orti->n_objects);
	ck_assert_uint_eq(orti->n_types, files[_i].n_types);
	once = pt_orti_write(orti);
	again = pt_orti_parse(once, strlen(once), &err);
	ck_assert_msg(again != NULL, "%s", err.msg);
	twice = pt_orti_write(again);
	ck_assert_str_eq(once, twice);
	pt_orti_free(again);
	free(once);
	free(twice);
}
END_TEST

START_TEST(keeps_all_that_was_written)
{
	const struct pt_orti_attr *attr;

	parse(files[3].text);
	ck_assert_str_eq(pt_orti_attr_of(orti, "OS", "X")->c_type, "UINT8");
	ck_assert_str_eq(pt_orti_attr_of(orti, "OS", "Y")->c_type, "unsigned char");
	ck_assert_str_eq(pt_orti_attr_of(orti, "OS", "Z")->c_type, "uint8 *");
	pt_orti_free(orti);
	parse(files[13].text);
	ck_assert_ptr_nonnull(pt_orti_attr_of(orti, "OS", "Y"));
	pt_orti_free(orti);
	parse(files[15].text);
	attr = pt_orti_attr_of(orti, "OS", "X");
	ck_assert_uint_eq(attr->n_items, 2);
	ck_assert_str_eq(attr->item[1].text, "B");
	pt_orti_free(orti);
	parse("IMPLEMENTATION a { OS { STRING S; CTYPE V; }; }; OS o { S = \"one \" \"two\"; V = \"1 \"\n\"+ 2\"; };");
	ck_assert_str_eq(evaluate("o", "S", -1).text, "one two");
	ck_assert_str_eq(evaluate("o", "V", -1).text, "3");
}
END_TEST

START_TEST(compares_as_the_c_type_says)
{
	parse("IMPLEMENTATION a { OS { ENUM \"unsigned char\" [ \"U\" = 255 ] X; ENUM \"signed char\" [ \"S\" = -1 ] Y;"
	      "ENUM [ \"one\" = 1, \"uno\" = 1 ] Z; ENUM \"NoSuchType\" [ \"A\" = \"GREEN\" ] W; }; };"
	      "OS o { X = \"number\"; Y = \"number\"; Z = \"1\"; W = \"g_color\"; };");
	put("number", 0, 4, 0xffffffff);
	ck_assert_str_eq(evaluate("o", "X", -1).text, "U");
	ck_assert_str_eq(evaluate("o", "Y", -1).text, "S");
	ck_assert_str_eq(evaluate("o", "Z", -1).text, "one");
	ck_assert_str_eq(evaluate("o", "W", -1).text, "A");
	put("number", 0, 4, 0x1234ffff);
	ck_assert_str_eq(evaluate("o", "X", -1).text, "U");
}
END_TEST

static const char *const refused[] = { "", "hello", "{}", "VERSION { KOIL = \"2.1\"; };", "\"\"\"\"", "/* only this",
				      "struct motor { a = 1; }; struct x y { int b; };" };

START_TEST(refuses_what_is_no_orti)
{
	ck_assert_ptr_null(pt_orti_parse(refused[_i], strlen(refused[_i]), &err));
	ck_assert_int_eq(err.code, PT_EARG);
	ck_assert_str_eq(err.msg, "this is no ORTI file: neither IMPLEMENTATION nor an OS object in it");
}
END_TEST

START_TEST(counts_warnings_that_do_not_fit)
{
	char text[4000] = "OS o {";

	for (int i = 0; i < 200; i++)
		strcat(text, "a=b;");
	strcat(text, "};");
	parse(text);
	ck_assert_uint_eq(orti->n_warnings, PT_ORTI_MAX_WARNINGS);
	ck_assert_uint_eq(orti->n_more_warnings, 200 - PT_ORTI_MAX_WARNINGS);
}
END_TEST

/* --- what cannot be traced ---------------------------------------------------------------------------------------- */

static const struct { const char *formula, *says;
} untraceable[] = {
	{ "pActiveTCB->id",
	  "RUNNINGTASK = \"pActiveTCB->id\" cannot be traced: a data trace of pActiveTCB shows the pointer "
	  "that is written there, not what the member id is behind it: trace pActiveTCB, and tell its values apart by "
	  "address" },
	{ "tasks[task_index].id", "RUNNINGTASK = \"tasks[task_index].id\" cannot be traced: where it lies depends on "
				  "task_index: watch task_index, and look again when it changes" },
	{ "half + 1",
	  "RUNNINGTASK = \"half + 1\" cannot be traced: it is calculated from half: watch that, and calculate "
	  "again" },
	{ "nobody", "RUNNINGTASK: there is no variable \"nobody\"" },
	{ "1 +", "RUNNINGTASK: \"1 +\", position 4: it ends where a value is expected" },
	{ "motor.level", "motor.level is a bit-field, which shares its memory with others: not followed" },
};

START_TEST(says_why_nothing_is_traced)
{
	char text[300];

	snprintf(text, sizeof(text),
		 "IMPLEMENTATION a { OS { ENUM [ \"T\" = 0 ] RUNNINGTASK; }; }; OS o { RUNNINGTASK = "
		 "\"%s\"; };",
		 untraceable[_i].formula);
	parse(text);
	ck_assert_ptr_null(pt_orti_task_maps(orti, types, NULL, note, NULL, &err));
	ck_assert_str_eq(err.msg, untraceable[_i].says);
	ck_assert_uint_eq(strlen(said), strlen(err.msg) + 1);
}
END_TEST

START_TEST(puts_the_running_task_on_the_pointer)
{
	static const char *const tasks[][2] = { { "Idle", "tcb_idle" },
						{ "Control", "tcb_control" },
						{ "Io", "tcb_io" } };
	struct pt_orti *fixed;
	struct pt_task_maps *maps;
	char *text;

	parse_file("pointer.orti");
	put("tasks", 12 * 3 + 4, 1, 44);
	ck_assert(pt_orti_needs_fix(orti, types));
	fixed = pt_orti_fix(orti, types, &reader, note, NULL, &err);
	ck_assert_msg(fixed != NULL, "%s", err.msg);
	ck_assert_ptr_nonnull(strstr(said, "no variable has the id of \"Ghost\": where is its TCB?"));
	ck_assert_ptr_nonnull(strstr(said, "tasks[3] has the id 44, which the file gives to no task"));
	text = pt_orti_write(fixed);
	pt_orti_free(fixed);
	pt_orti_free(orti);
	parse(text);
	free(text);
	ck_assert_uint_eq(orti->n_warnings, 0);
	ck_assert(pt_orti_attr_of(orti, "OS", "RUNNINGTASK")->to_trace);
	ck_assert(!pt_orti_needs_fix(orti, types));
	ck_assert_str_eq(evaluate("arch", "RUNNINGTASK", -1).text, "Idle");
	said[0] = '\0';
	maps = pt_orti_task_maps(orti, types, NULL, note, NULL, &err);
	ck_assert_msg(maps != NULL, "%s", err.msg);
	ck_assert_str_eq(said, "");
	ck_assert_str_eq(maps->map[0].variable, "pActiveTCB");
	ck_assert_uint_eq(maps->map[0].size_bytes, 4);
	ck_assert(pt_task_map_find(&maps->map[0], 0)->none);
	for (size_t i = 0; i < PT_LEN(tasks); i++)
		ck_assert_str_eq(pt_task_map_find(&maps->map[0], address_of(tasks[i][1]))->name, tasks[i][0]);
	pt_task_maps_free(maps);
}
END_TEST

static int read_nothing(void *arg, uint64_t addr, void *bytes, size_t n_bytes, struct pt_err *why)
{
	(void)arg;
	(void)addr;
	(void)bytes;
	(void)n_bytes;
	return pt_fail(why, PT_EFAULT, "bus fault");
}

START_TEST(cannot_fix_what_it_cannot_read)
{
	static const struct pt_reader dead = { read_nothing, NULL };

	parse_file("pointer.orti");
	ck_assert_ptr_null(pt_orti_fix(orti, types, &dead, note, NULL, &err));
	ck_assert_str_eq(err.msg, "read the id in tasks[0]: read 0x200000f4: bus fault" + 0);
}
END_TEST

START_TEST(cannot_fix_before_the_os_has_started)
{
	parse_file("pointer.orti");
	put("tcb_idle", 4, 1, 77);
	put("tcb_control", 4, 1, 77);
	put("tcb_io", 4, 1, 77);
	for (unsigned i = 0; i < 4; i++)
		put("tasks", 12 * i + 4, 1, 77);
	ck_assert_ptr_null(pt_orti_fix(orti, types, &reader, note, NULL, &err));
	ck_assert_str_eq(err.msg, "none of the 7 TCBs holds the id of a task: has the OS been started?");
}
END_TEST

START_TEST(builds_a_file)
{
	struct pt_orti_type *type;
	struct pt_orti_attr *attr;
	struct pt_orti_object *object;
	char *text;

	orti = pt_orti_new("made", "2.2");
	type = pt_orti_add_type(orti, "OS", "OS");
	attr = pt_orti_add_attr(type, PT_ORTI_ENUM, "void *", "RUNNINGTASK", "Running \"task\"");
	attr->to_trace = true;
	pt_orti_add_item(attr, "a", NULL, "&tcb_idle");
	pt_orti_add_item(attr, "b", "B", "0x20");
	pt_orti_add_item(attr, "c", NULL, "-1");
	object = pt_orti_add_object(orti, "OS", "os");
	pt_orti_add_value(object, "RUNNINGTASK", 1, "pActiveTCB", true);
	text = pt_orti_write(orti);
	ck_assert_str_eq(text,
			 "VERSION {\n  KOIL = \"2.2\";\n  OSSEMANTICS = \"ORTI\", \"2.2\";\n};\n\n"
			 "IMPLEMENTATION made {\n  OS {\n    TOTRACE ENUM \"void *\" [\n      \"a\" = \"&tcb_idle\",\n"
			 "      \"b\" : B = \"0x20\",\n      \"c\" = \"-1\"\n    ] RUNNINGTASK, \"Running  task \";\n  "
			 "}, \"OS\";\n};\n"
			 "\nOS os {\n  RUNNINGTASK[1] = \"pActiveTCB\";\n};\n");
	free(text);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("orti");
	TCase *tc = tcase_create("orti");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, reads_sample_a);
	tcase_add_loop_test(tc, evaluates_sample_a, 0, PT_LEN(sample_a));
	tcase_add_test(tc, looks_only_where_it_must);
	tcase_add_test(tc, follows_the_link_of_the_entry_that_matches);
	tcase_add_test(tc, maps_tasks_isrs_and_services_of_sample_a);
	tcase_add_test(tc, survives_sample_b);
	tcase_add_loop_test(tc, takes_what_generators_write, 0, PT_LEN(files));
	tcase_add_test(tc, keeps_all_that_was_written);
	tcase_add_test(tc, compares_as_the_c_type_says);
	tcase_add_loop_test(tc, refuses_what_is_no_orti, 0, PT_LEN(refused));
	tcase_add_test(tc, counts_warnings_that_do_not_fit);
	tcase_add_loop_test(tc, says_why_nothing_is_traced, 0, PT_LEN(untraceable));
	tcase_add_test(tc, puts_the_running_task_on_the_pointer);
	tcase_add_test(tc, cannot_fix_what_it_cannot_read);
	tcase_add_test(tc, cannot_fix_before_the_os_has_started);
	tcase_add_test(tc, builds_a_file);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
