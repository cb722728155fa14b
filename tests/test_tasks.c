/* Values of an OS's variables to tasks, ISRs and services. */
#include <string.h>

#include "harness.h"
#include "program/orti/tasks.h"

static struct pt_task_entry tasks[] = { { 0xff, "NO_TASK", true }, { 0, "Init", false }, { 1, "T_10ms", false },
					{ 1, "second", false } };
static struct pt_task_entry handlers[] = { { 0, "none", true }, { 0x8001, "uart", false } };
static struct pt_task_entry services[] = { { 2, "ActivateTask", false }, { 4, "TerminateTask", false } };
static struct pt_task_entry odd[] = { { 0, "none", true }, { 3, "Schedule", false } };

static const struct pt_task_map byte_map = { .size_bytes = 4, .value_bytes = 1, .task = tasks, .n_tasks = 4 };
static const struct pt_task_map whole_map = { .size_bytes = 8, .task = tasks, .n_tasks = 4 };
static const struct pt_task_map isr_map = { .size_bytes = 4, .code_addresses = true, .task = handlers, .n_tasks = 2 };

static const struct { const struct pt_task_map *map; uint64_t value; const char *name; } finds[] = {
	{ &byte_map, 0, "Init" }, { &byte_map, 1, "T_10ms" }, { &byte_map, 255, "NO_TASK" },
	{ &byte_map, 0xffffff01, "T_10ms" },	/* only the low byte counts */
	{ &byte_map, 2, NULL }, { &whole_map, 0x100000001, NULL }, { &whole_map, 255, "NO_TASK" },
	{ &isr_map, 0x8000, "uart" }, { &isr_map, 0x8001, "uart" }, { &isr_map, 0, "none" },
	{ &isr_map, 0xffffffff00008001, "uart" },
};

START_TEST(finds_the_task)
{
	const struct pt_task_entry *entry = pt_task_map_find(finds[_i].map, finds[_i].value);

	ck_assert_int_eq(entry != NULL, finds[_i].name != NULL);
	if (entry != NULL)
		ck_assert_str_eq(entry->name, finds[_i].name);
}
END_TEST

static const struct { bool bit_rule; uint64_t value; const char *name; bool enters; } calls[] = {
	{ true, 3, "ActivateTask", true }, { true, 2, "ActivateTask", false },
	{ true, 5, "TerminateTask", true }, { true, 9, NULL, true }, { true, 8, NULL, false },
	{ false, 3, "Schedule", true }, { false, 0, "none", false },
};

START_TEST(tells_entry_and_exit_of_services)
{
	struct pt_task_map map = { .what = PT_TASK_SERVICE, .size_bytes = 1, .enter_bit = calls[_i].bit_rule,
				   .task = calls[_i].bit_rule ? services : odd, .n_tasks = 2 };
	bool enters = !calls[_i].enters;
	const struct pt_task_entry *entry = pt_task_map_service(&map, calls[_i].value, &enters);

	ck_assert_int_eq(enters, calls[_i].enters);
	ck_assert_int_eq(entry != NULL, calls[_i].name != NULL);
	if (entry != NULL)
		ck_assert_str_eq(entry->name, calls[_i].name);
}
END_TEST

START_TEST(copies_are_apart)
{
	struct pt_task_maps *maps = pt_task_maps_new("Demo", "ORTI file"), *copy;
	struct pt_task_map map = byte_map;
	char name[] = "late";

	map.variable = "os_cur";
	map.core = 1;
	ck_assert_ptr_nonnull(pt_task_maps_add(maps, &map));
	pt_task_map_add(&maps->map[0], &(struct pt_task_entry){ 7, name, false });
	name[0] = 'g';
	copy = pt_task_maps_copy(maps);
	pt_task_maps_free(maps);
	ck_assert_str_eq(copy->os, "Demo");
	ck_assert_str_eq(copy->map[0].variable, "os_cur");
	ck_assert_ptr_null(pt_task_maps_of(copy, PT_TASK_RUNNING, 0));
	ck_assert_ptr_null(pt_task_maps_of(copy, PT_TASK_ISR, 1));
	ck_assert_str_eq(pt_task_map_find(pt_task_maps_of(copy, PT_TASK_RUNNING, 1), 7)->name, "late");
	ck_assert(pt_task_map_find(&copy->map[0], 255)->none);
	pt_task_maps_free(copy);
	pt_task_maps_free(NULL);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("tasks");
	TCase *tc = tcase_create("tasks");

	tcase_add_loop_test(tc, finds_the_task, 0, PT_LEN(finds));
	tcase_add_loop_test(tc, tells_entry_and_exit_of_services, 0, PT_LEN(calls));
	tcase_add_test(tc, copies_are_apart);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
