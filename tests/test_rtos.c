/* Recipes for operating systems without an ORTI file, against the data of kernels in the middle of their work: with
 * debug information and with symbols alone, and damaged in every way that memory can be. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "harness.h"
#include "rtos_image.h"

enum { NONE = -1 };

static struct pt_rtos *rtos;
static struct pt_rtos_threads threads;

static void unload(void)
{
	pt_rtos_threads_fini(&threads);
	pt_rtos_free(rtos);
	rtos = NULL;
	unload_image();
}

static void detect_and_read(void)
{
	rtos = pt_rtos_detect(types, &err);
	ck_assert_msg(rtos != NULL, "%s", err.msg);
	ck_assert_msg(pt_rtos_read(rtos, &reader, &threads, &err) == 0, "%s", err.msg);
}

static const struct pt_rtos_thread *thread_at(uint64_t tcb)
{
	for (size_t i = 0; i < threads.n_threads; i++)
		if (threads.thread[i].tcb == tcb)
			return &threads.thread[i];
	return NULL;
}

/* --- all is well -------------------------------------------------------------------------------------------------- */

struct want { const char *symbol, *name, *state, *plain_state, *plain_name; int priority; uint32_t sp; bool idle; };

static const struct {
	const char *elf, *os, *running, *plain_running, *current;
	struct want thread[10];
} kernels[] = {
	{ "rtos_freertos", "FreeRTOS", "pxCurrentTCB", "pxCurrentTCB", "blink", {
		{ "blink", "blink 0x", "running", NULL, NULL, 2, 0x20000f00, false },
		{ "twin", "blink 0x", "ready", NULL, NULL, 2, 0x20000f40, false },
		{ "idle_tcb", "IDLE", "ready", NULL, NULL, 0, 0x20000f80, true },
		{ "delayed", "Tmr Svc", "blocked", NULL, NULL, 3, 0x20000fc0, false },
		{ "suspended", "susp", "suspended", NULL, NULL, 1, 0x20001000, false },
		{ "waiting", "wait_for_queue", "blocked", NULL, NULL, 4, 0x20001040, false },
		{ "notified", "notified", "blocked", "suspended", NULL, 1, 0x20001080, false },
		{ "dead", "dead", "deleted", NULL, NULL, 1, 0x200010c0, false },
		{ "pending", "pending", "ready", NULL, NULL, 3, 0x20001100, false },
	} },
	{ "rtos_zephyr", "Zephyr", "_kernel.cpus[0].current", "*(unsigned int *)0x20000008", "z_main_thread", {
		{ "z_main_thread", "main", "running", NULL, NULL, 0, 0x20000900, false },
		{ "z_idle_threads", "idle", "ready", NULL, NULL, 15, 0x20000a00, true },
		{ "logging", "logging", "pending", NULL, NULL, -2, 0x20000b00, false },
		{ "unnamed", "worker", "suspended", NULL, NULL, 7, 0x20000c00, false },
	} },
	{ "rtos_threadx", "ThreadX", "_tx_thread_current_ptr", "_tx_thread_current_ptr", "producer", {
		{ "timer", "System Timer Thread", "suspended", NULL, NULL, 0, 0x20000900, false },
		{ "producer", "producer", "running", NULL, NULL, 5, 0x20000a00, false },
		{ "consumer", "consumer", "waits for a queue", NULL, NULL, 4, 0x20000b00, false },
	} },
	{ "rtos_rtx5", "RTX5", "osRtxInfo.thread.run.curr", NULL, "app_main", {
		{ "app_main", "app_main", "running", NULL, NULL, 24, 0x20000900, false },
		{ "blinky", "blinky", "ready", NULL, NULL, 16, 0x20000a00, false },
		{ "idle", "osRtxIdleThread", "ready", NULL, NULL, 1, 0x20000b00, true },
		{ "sleepy", "task 0x", "delayed", NULL, NULL, 24, 0x20000c00, false },
		{ "waiter", "waiter", "waits for a message", NULL, NULL, -3, 0x20000d00, false },
	} },
	{ "rtos_ucos3", "uC/OS-III", "OSTCBCurPtr", "OSTCBCurPtr", "AppTCB", {
		{ "AppTCB", "App Task", "running", NULL, "task 0x", 5, 0x20000900, false },
		{ "OSTickTaskTCB", "uC/OS-III Tick Task", "pending", NULL, NULL, 1, 0x20000a00, false },
		{ "OSIdleTaskTCB", "uC/OS-III Idle Task", "ready", NULL, NULL, 31, 0x20000b00, true },
	} },
};

static void load_kernel(int i)
{
	char name[64];

	snprintf(name, sizeof(name), "%s%s", kernels[i / 2].elf, i % 2 != 0 ? "_plain" : "");
	load(name);
}

static void check_thread(const struct want *want, bool plain)
{
	const struct pt_rtos_thread *thread = thread_at(address_of(want->symbol));
	const char *name = plain && want->plain_name != NULL ? want->plain_name : want->name;

	ck_assert_msg(thread != NULL, "%s", want->symbol);
	ck_assert_msg(strncmp(thread->name, name, strlen(name)) == 0, "%s: %s", want->symbol, thread->name);
	ck_assert_str_eq(thread->state, plain && want->plain_state != NULL ? want->plain_state : want->state);
	ck_assert_uint_eq(thread->sp, want->sp);
	ck_assert_msg(thread->idle == want->idle, "%s", want->symbol);
	if (want->plain_name == NULL || !plain) {
		ck_assert_int_eq(thread->priority, want->priority);
		ck_assert_uint_ne(thread->priority_addr, PT_UNKNOWN);
	}
}

/* uC/OS-III needs its debug information for more than the running task. */
static bool runs_alone(int i)
{
	return strcmp(kernels[i / 2].elf, "rtos_ucos3") == 0 && i % 2 != 0;
}

START_TEST(lists_the_tasks)
{
	const struct want *want = kernels[_i / 2].thread;
	const struct pt_rtos_running *running;
	bool plain = _i % 2 != 0;
	unsigned n_cores;
	size_t n = 0;

	load_kernel(_i);
	ck_assert_int_eq(pt_types_has_dwarf(types), !plain);
	detect_and_read();
	ck_assert_str_eq(pt_rtos_name(rtos), kernels[_i / 2].os);
	running = pt_rtos_running(rtos, &n_cores);
	ck_assert_uint_eq(n_cores, 1);
	if (!plain || kernels[_i / 2].plain_running != NULL)
		ck_assert_str_eq(running->name, plain ? kernels[_i / 2].plain_running : kernels[_i / 2].running);
	ck_assert_uint_eq(running->size_bytes, 4);
	ck_assert_uint_eq(threads.current[0], address_of(kernels[_i / 2].current));
	ck_assert_uint_eq(pt_le32(ram + (running->addr - RAM)), threads.current[0]);
	ck_assert(threads.started);
	ck_assert(!threads.stale);
	for (; n < PT_LEN(kernels[0].thread) && want[n].symbol != NULL && (n == 0 || !runs_alone(_i)); n++)
		check_thread(&want[n], plain);
	ck_assert_uint_eq(threads.n_threads, n);
	ck_assert_int_eq(threads.note[0] != '\0', runs_alone(_i));
	unload();
}
END_TEST

START_TEST(maps_the_running_task)
{
	struct pt_task_maps *maps;
	const struct pt_task_map *map;

	load_kernel(_i);
	detect_and_read();
	maps = pt_rtos_task_maps(rtos, &threads);
	ck_assert_str_eq(maps->os, kernels[_i / 2].os);
	map = pt_task_maps_of(maps, PT_TASK_RUNNING, 0);
	for (size_t i = 0; i < threads.n_threads; i++)
		ck_assert_str_eq(pt_task_map_find(map, threads.thread[i].tcb)->name, threads.thread[i].name);
	ck_assert(pt_task_map_find(map, 0)->none);
	ck_assert_ptr_null(pt_task_map_find(map, 0x2000ff00));
	ck_assert_int_eq(map->rewritten, strcmp(kernels[_i / 2].os, "RTX5") != 0);
	pt_task_maps_free(maps);
	maps = pt_rtos_task_maps(rtos, NULL);
	ck_assert_uint_eq(maps->map[0].n_tasks, 1);
	pt_task_maps_free(maps);
	unload();
}
END_TEST

static void fail_on(void *arg, const char *sentence)
{
	(void)arg;
	ck_abort_msg("%s", sentence);
}

/* Of a task in xPendingReadyList the list that it comes from says what it was. */
static bool is_pending(const struct pt_rtos_thread *thread)
{
	return strcmp(thread->name, "pending") == 0;
}

/* Ready, or not, as the recipe found it; without offsets that the program itself has, no state at all. */
static void check_state(const struct pt_orti *orti, const struct pt_orti_object *task,
			const struct pt_rtos_thread *thread)
{
	const struct pt_orti_value *value = pt_orti_value_of(task, "STATE", -1);
	bool active = strcmp(thread->state, "ready") == 0 || strcmp(thread->state, "running") == 0;
	struct pt_orti_result result;
	enum pt_task_state is;

	ck_assert_msg((value == NULL) == (pt_rtos_without_states(rtos) != NULL), "%s", thread->name);
	if (value == NULL)
		return;
	pt_orti_evaluate(orti, task, value, types, &reader, &result);
	is = pt_task_state_of(result.item != NULL ? result.item->text : NULL);
	ck_assert_msg(is != PT_TASK_STATE_OTHER && is != PT_TASK_STATE_MOVES, "%s: %s", thread->name, result.text);
	if (!is_pending(thread))
		ck_assert_msg((is >= PT_TASK_STATE_READY) == active, "%s: %s is %s", thread->name, thread->state,
			      result.text);
}

/* The file that the user may keep says the same as the recipe. */
START_TEST(writes_an_orti_file)
{
	struct pt_orti *orti;
	struct pt_task_maps *maps;
	const struct pt_orti_object *os;
	struct pt_orti_result result;
	char *text;

	load_kernel(_i);
	detect_and_read();
	ck_assert_int_eq(pt_rtos_without_states(rtos) != NULL,
			 _i % 2 != 0 && strcmp(kernels[_i / 2].os, "Zephyr") != 0);
	orti = pt_rtos_orti(rtos, &threads);
	text = pt_orti_write(orti);
	pt_orti_free(orti);
	orti = pt_orti_parse(text, strlen(text), &err);
	ck_assert_msg(orti != NULL && orti->n_warnings == 0, "%s", text);
	maps = pt_orti_task_maps(orti, types, NULL, fail_on, NULL, &err);
	ck_assert_msg(maps != NULL, "%s\n%s", err.msg, text);
	ck_assert_uint_eq(maps->map[0].addr, pt_rtos_running(rtos, &(unsigned){ 0 })->addr);
	for (size_t i = 0; i < threads.n_threads; i++) {
		ck_assert_str_eq(pt_task_map_find(&maps->map[0], threads.thread[i].tcb)->name, threads.thread[i].name);
		ck_assert(!pt_task_map_find(&maps->map[0], threads.thread[i].tcb)->none);
	}
	ck_assert(pt_task_map_find(&maps->map[0], 0)->none);
	os = &orti->object[0];
	pt_orti_evaluate(orti, os, pt_orti_value_of(os, "RUNNINGTASK", -1), types, &reader, &result);
	ck_assert_str_eq(result.text, thread_at(threads.current[0])->name);
	for (size_t i = 1; i < orti->n_objects; i++) {
		const struct pt_rtos_thread *thread = &threads.thread[i - 1];
		const struct pt_orti_value *priority = pt_orti_value_of(&orti->object[i], "PRIORITY", -1);

		check_state(orti, &orti->object[i], thread);
		if (thread->priority_addr == PT_UNKNOWN)
			continue;
		pt_orti_evaluate(orti, &orti->object[i], priority, types, &reader, &result);
		ck_assert_int_eq((int64_t)result.value.bits, thread->priority);
	}
	pt_task_maps_free(maps);
	pt_orti_free(orti);
	free(text);
	unload();
}
END_TEST

/* --- memory that is not as it should be --------------------------------------------------------------------------- */

static void tiny_list(void)	/* an item that leads to itself */
{
	put_word(address_of("twin") + 8, (uint32_t)address_of("twin") + 4);
}
static void item_astray(void) { put_word(address_of("suspended") + 8, 0x60000000); }
static void item_odd(void) { put_word(address_of("suspended") + 8, RAM + 0x101); }
static void owner_gone(void) { put_word(address_of("delayed") + 16, 0); }
static void count_wrong(void) { put_word(address_of("xSuspendedTaskList"), 1); }
static void tasks_wrong(void) { put_word(address_of("uxCurrentNumberOfTasks"), 20); }
static void not_running(void) { put_word(address_of("xSchedulerRunning"), 0); }
static void before_init(void) { memset(ram, 0, sizeof(ram)); }
static void garbage(void)
{
	uint64_t state = 0x9e3779b97f4a7c15;

	for (size_t i = 0; i < sizeof(ram); i++) {
		state = state * 6364136223846793005 + 1442695040888963407;
		ram[i] = (uint8_t)(state >> 56);
	}
}
static void all_ones(void) { memset(ram, 0xff, sizeof(ram)); }
static void long_name(void) { memset(ram + (address_of("blink") + 52 - RAM), 'n', 16); }
static void bad_name(void) { memcpy(ram + (address_of("blink") + 52 - RAM), "a\"\n\xff", 5); }

static void zephyr_circle(void) { put_word(address_of("unnamed") + 72, (uint32_t)address_of("logging")); }
static void zephyr_dummy(void) { ram[address_of("z_main_thread") + 13 - RAM] = 1; }
static void zephyr_astray(void) { put_word(address_of("logging") + 72, 0x60000001); }

static void tx_signature(void) { put_word(address_of("producer"), 0); }
static void tx_shortcut(void) { put_word(address_of("consumer") + 136, (uint32_t)address_of("producer")); }
static void tx_open(void) { put_word(address_of("consumer") + 136, 0); }
static void tx_early(void) { put_word(address_of("_tx_thread_system_state"), 0xf0f0f0f0); }
static void tx_idle(void) { put_word(address_of("_tx_thread_current_ptr"), 0); }
static void tx_wild_name(void) { put_word(address_of("consumer") + 40, 0x60000000); }

static void rtx_circle(void) { put_word(address_of("idle") + 8, (uint32_t)address_of("blinky")); }
static void rtx_not_a_thread(void) { ram[address_of("blinky") - RAM] = 0; }
static void rtx_stopped(void) { ram[address_of("osRtxInfo") + 8 - RAM] = 1; }

static void ucos_circle(void) { put_word(address_of("OSIdleTaskTCB") + 24, (uint32_t)address_of("OSTickTaskTCB")); }

static const struct {
	const char *elf;
	void (*damage)(void);
	const char *note;	/* begins so; "": there is none */
	int n_threads;		/* NONE: whatever */
	bool started, stale;
} damaged[] = {
	{ "rtos_freertos", tiny_list, "the list at 0x", 9, true, true },
	{ "rtos_freertos", item_astray, "the list at 0x", 7, true, true },
	{ "rtos_freertos", item_odd, "the list at 0x", 7, true, true },
	{ "rtos_freertos", owner_gone, "an item of the list at 0x", 8, true, true },
	{ "rtos_freertos", count_wrong, "the list at 0x", 7, true, true },
	{ "rtos_freertos", tasks_wrong, "the kernel counts 20 tasks, its lists have 9", 9, true, true },
	{ "rtos_freertos", not_running, "", 9, false, false },
	{ "rtos_freertos", before_init, "", 0, false, false },
	{ "rtos_freertos", garbage, NULL, NONE, true, true },
	{ "rtos_freertos", all_ones, NULL, NONE, true, true },
	{ "rtos_freertos_plain", garbage, NULL, NONE, true, true },
	{ "rtos_freertos", long_name, "", 9, true, false },
	{ "rtos_freertos", bad_name, "", 9, true, false },
	{ "rtos_zephyr", zephyr_circle, "the list of threads goes in a circle", 4, true, true },
	{ "rtos_zephyr", zephyr_astray, "the list of threads is damaged", 3, true, true },
	{ "rtos_zephyr", zephyr_dummy, "", 4, false, false },
	{ "rtos_zephyr", before_init, "", 0, false, false },
	{ "rtos_zephyr", garbage, NULL, NONE, false, true },
	{ "rtos_zephyr", all_ones, NULL, NONE, false, true },
	{ "rtos_threadx", tx_signature,
	  "the list of threads is damaged, or changed while it was read: 3 are counted, 1 were", 1, true, true },
	{ "rtos_threadx", tx_shortcut, "the list of threads is damaged", 3, true, true },
	{ "rtos_threadx", tx_open, "the list of threads is damaged", 3, true, true },
	{ "rtos_threadx", tx_early, "", 3, false, false },
	{ "rtos_threadx", tx_idle, "", 3, true, false },
	{ "rtos_threadx", tx_wild_name, "", 3, true, false },
	{ "rtos_threadx", before_init, "", 0, true, false },
	{ "rtos_threadx", garbage, NULL, NONE, true, true },
	{ "rtos_threadx", all_ones, NULL, NONE, false, true },
	{ "rtos_rtx5", rtx_circle, "a list of threads is damaged", 5, true, true },
	{ "rtos_rtx5", rtx_not_a_thread, "a list of threads is damaged", 3, true, true },
	{ "rtos_rtx5", rtx_stopped, "", 5, false, false },
	{ "rtos_rtx5", before_init, "", 0, false, false },
	{ "rtos_rtx5", garbage, NULL, NONE, false, true },
	{ "rtos_rtx5", all_ones, NULL, NONE, false, true },
	{ "rtos_ucos3", ucos_circle, "the list of tasks is damaged", 3, true, true },
	{ "rtos_ucos3", garbage, NULL, NONE, false, true },
};

START_TEST(ends_whatever_memory_says)
{
	load(damaged[_i].elf);
	damaged[_i].damage();
	detect_and_read();
	ck_assert_uint_lt(n_reads, 100000);
	if (damaged[_i].n_threads != NONE)
		ck_assert_uint_eq(threads.n_threads, (size_t)damaged[_i].n_threads);
	if (damaged[_i].note != NULL)
		ck_assert_msg(damaged[_i].note[0] == '\0'
				      ? threads.note[0] == '\0'
				      : strncmp(threads.note, damaged[_i].note, strlen(damaged[_i].note)) == 0,
			      "%s", threads.note);
	if (damaged[_i].n_threads != NONE) {
		ck_assert_int_eq(threads.started, damaged[_i].started);
		ck_assert_int_eq(threads.stale, damaged[_i].stale);
	}
	unload();
}
END_TEST

START_TEST(cleans_names)
{
	load("rtos_freertos");
	bad_name();
	detect_and_read();
	ck_assert_str_eq(thread_at(address_of("blink"))->name, "a???");
	unload();
	load("rtos_freertos");
	long_name();
	detect_and_read();
	ck_assert_str_eq(thread_at(address_of("blink"))->name, "nnnnnnnnnnnnnnnn");
	ck_assert_str_eq(thread_at(address_of("twin"))->name, "blink");	/* no twin any more */
	unload();
}
END_TEST

static unsigned switches_left;

/* The kernel switches tasks while its lists are read. */
static int read_while_it_runs(void *arg, uint64_t addr, void *bytes, size_t n_bytes, struct pt_err *why)
{
	uint64_t current = address_of("pxCurrentTCB");

	if (addr == current && switches_left > 0 && n_reads > 5) {
		switches_left--;
		put_word(current, (uint32_t)address_of(switches_left % 2 != 0 ? "twin" : "blink"));
	}
	return read_ram(arg, addr, bytes, n_bytes, why);
}

START_TEST(reads_again_when_a_task_was_switched)
{
	static const struct pt_reader running = { read_while_it_runs, NULL };

	load("rtos_freertos");
	rtos = pt_rtos_detect(types, &err);
	switches_left = 1;
	ck_assert_int_eq(pt_rtos_read(rtos, &running, &threads, &err), 0);
	ck_assert(!threads.stale);
	pt_rtos_threads_fini(&threads);
	switches_left = 1000;
	ck_assert_int_eq(pt_rtos_read(rtos, &running, &threads, &err), 0);
	ck_assert(threads.stale);
	ck_assert_uint_eq(threads.n_threads, 9);
	unload();
}
END_TEST

static void empty_list(const char *list)
{
	uint64_t at = address_of(list);

	put_word(at, 0);
	put_word(at + 12, (uint32_t)at + 8);
}

/* Tasks go from list to list while they are read: each attempt misses those of another one. */
static int read_while_tasks_move(void *arg, uint64_t addr, void *bytes, size_t n_bytes, struct pt_err *why)
{
	static unsigned n_attempts;
	static uint8_t whole[RAM_BYTES];

	if (addr == address_of("xSchedulerRunning")) {
		if (n_attempts++ == 0)
			memcpy(whole, ram, sizeof(ram));
		memcpy(ram, whole, sizeof(ram));
		empty_list(n_attempts % 2 != 0 ? "xSuspendedTaskList" : "xDelayedTaskList2");
	}
	return read_ram(arg, addr, bytes, n_bytes, why);
}

START_TEST(misses_no_task_that_moves)
{
	static const struct pt_reader moving = { read_while_tasks_move, NULL };

	load("rtos_freertos");
	rtos = pt_rtos_detect(types, &err);
	ck_assert_int_eq(pt_rtos_read(rtos, &moving, &threads, &err), 0);
	ck_assert(threads.stale);
	ck_assert_uint_eq(threads.n_threads, 9);
	ck_assert_str_eq(thread_at(address_of("suspended"))->state, "suspended");
	ck_assert_str_eq(thread_at(address_of("delayed"))->state, "unknown");
	ck_assert_str_eq(thread_at(address_of("blink"))->state, "running");
	ck_assert_str_eq(threads.note, "the lists changed faster than they could be read: 1 of 9 states are unknown");
	unload();
}
END_TEST

static int read_nothing(void *arg, uint64_t addr, void *bytes, size_t n_bytes, struct pt_err *why)
{
	(void)arg;
	(void)addr;
	(void)bytes;
	(void)n_bytes;
	return pt_fail(why, PT_EIO, "the probe is gone");
}

START_TEST(says_what_could_not_be_read)
{
	static const struct pt_reader gone = { read_nothing, NULL };

	load_kernel(_i);
	rtos = pt_rtos_detect(types, &err);
	ck_assert_int_eq(pt_rtos_read(rtos, &gone, &threads, &err), PT_EIO);
	ck_assert_ptr_nonnull(strstr(err.msg, "the probe is gone"));
	ck_assert_ptr_eq(strstr(err.msg, "tasks of "), err.msg);
	unload();
}
END_TEST

START_TEST(knows_none_where_there_is_none)
{
	load("vars");
	ck_assert_ptr_null(pt_rtos_detect(types, &err));
	ck_assert_ptr_eq(strstr(err.msg, "the symbols of the ELF are of no operating system known here (FreeRTOS, "),
			 err.msg);
	ck_assert_ptr_nonnull(strstr(err.msg, "); an ORTI file describes any"));
	unload();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("rtos");
	TCase *tc = tcase_create("rtos");

	tcase_add_loop_test(tc, lists_the_tasks, 0, 2 * PT_LEN(kernels));
	tcase_add_loop_test(tc, maps_the_running_task, 0, 2 * PT_LEN(kernels));
	tcase_add_loop_test(tc, writes_an_orti_file, 0, 2 * PT_LEN(kernels));
	tcase_add_loop_test(tc, ends_whatever_memory_says, 0, PT_LEN(damaged));
	tcase_add_test(tc, cleans_names);
	tcase_add_test(tc, reads_again_when_a_task_was_switched);
	tcase_add_test(tc, misses_no_task_that_moves);
	tcase_add_loop_test(tc, says_what_could_not_be_read, 0, 2 * PT_LEN(kernels));
	tcase_add_test(tc, knows_none_where_there_is_none);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
