/* The tasks of an OS as a debugger's threads. Frames are laid out here as the table of the ports says (each kernel's
 * sources for Cortex-M); what is read back must be what was put there, and the stack pointer what
 * the task will have. */
#include "rtos_image.h"

#include "program/os/threads.h"

static struct pt_threads *threads;
static struct pt_thread_list list;
static struct pt_saved saved;

static void open_threads(const char *elf)
{
	load(elf);
	threads = pt_threads_of_rtos(program, &err);
	ck_assert_msg(threads != NULL, "%s", err.msg);
}

static void close_threads(void)
{
	pt_thread_list_fini(&list);
	pt_threads_free(threads);
	unload_image();
}

static const struct pt_thread *thread_at(uint64_t id)
{
	for (size_t i = 0; i < list.n_threads; i++)
		if (list.thread[i].id == id)
			return &list.thread[i];
	return NULL;
}

/* --- frames ------------------------------------------------------------------------------------------------------- */

#define HW " r0 r1 r2 r3 r12 lr pc xpsr"
#define HW_FP HW " s0 s1 s2 s3 s4 s5 s6 s7 s8 s9 s10 s11 s12 s13 s14 s15 fpscr reserved"
#define R4_R11 " r4 r5 r6 r7 r8 r9 r10 r11"
#define S16_S31 " s16 s17 s18 s19 s20 s21 s22 s23 s24 s25 s26 s27 s28 s29 s30 s31"

static uint32_t cpuid; /* ARMv6-M or ARMv7-M */

static int read_core(void *arg, uint64_t addr, void *bytes, size_t n_bytes, struct pt_err *why)
{
	if (addr != 0xe000ed00)
		return read_ram(arg, addr, bytes, n_bytes, why);
	pt_put_le32(bytes, cpuid);
	return 0;
}

static const struct pt_reader core = { read_core, NULL };
enum { M0 = 0x410cc200, M4 = 0x410fc241 };

static const struct {
	const char *what, *elf, *task, *words;
	uint32_t sp, cpuid, exc, xpsr;
	int in_tcb; /* where the control block has EXC_RETURN's low byte; 0: nowhere */
} frames[] = {
	{ "FreeRTOS CM3", "rtos_freertos", "twin", R4_R11 HW, 0x20000f40, M4, 0, 0x61000000, 0 },
	{ "FreeRTOS CM0", "rtos_freertos", "twin", R4_R11 HW, 0x20000f40, M0, 0, 0x01000000, 0 },
	{ "FreeRTOS CM0 V11.1", "rtos_freertos_plain", "twin", "exc" R4_R11 HW, 0x20000f40, M0, 0xfffffffd, 0x01000000,
	  0 },
	{ "FreeRTOS CM4F", "rtos_freertos", "twin", R4_R11 " exc" HW, 0x20000f40, M4, 0xfffffffd, 0x01000000, 0 },
	{ "FreeRTOS CM4F, aligned", "rtos_freertos", "twin", R4_R11 " exc" HW, 0x20000f40, M4, 0xfffffffd, 0x01000200,
	  0 },
	{ "FreeRTOS CM4F with FP", "rtos_freertos", "twin", R4_R11 " exc" S16_S31 HW_FP, 0x20000f40, M4, 0xffffffed,
	  0x01000000, 0 },
	{ "FreeRTOS CM33_NTZ", "rtos_freertos", "twin", "psplim exc" R4_R11 HW, 0x20000f40, M4, 0xffffffbc, 0x01000000,
	  0 },
	{ "FreeRTOS CM33_NTZ with FP", "rtos_freertos_plain", "twin", "psplim exc" R4_R11 S16_S31 HW_FP, 0x20000f40, M4,
	  0xffffffac, 0x01000000, 0 },
	{ "FreeRTOS CM33", "rtos_freertos", "twin", "secure psplim exc" R4_R11 HW, 0x20000f40, M4, 0xffffffbc,
	  0x01000000, 0 },
	{ "ThreadX M4", "rtos_threadx", "consumer", "exc" R4_R11 HW, 0x20000b00, M4, 0xfffffffd, 0x01000000, 0 },
	{ "ThreadX M4 with FP", "rtos_threadx", "consumer", "exc" S16_S31 R4_R11 HW_FP, 0x20000b00, M4, 0xffffffed,
	  0x01000200, 0 },
	{ "ThreadX M0", "rtos_threadx_plain", "consumer", "exc r8 r9 r10 r11 r4 r5 r6 r7" HW, 0x20000b00, M0,
	  0xfffffffd, 0x01000000, 0 },
	{ "RTX5 M3", "rtos_rtx5", "blinky", R4_R11 HW, 0x20000a00, M4, 0xfffffffd, 0x01000000, 34 },
	{ "RTX5 M4F", "rtos_rtx5_plain", "blinky", S16_S31 R4_R11 HW_FP, 0x20000a00, M4, 0xffffffed, 0x01000000, 34 },
	{ "uC/OS-III", "rtos_ucos3", "OSTickTaskTCB", R4_R11 " exc" HW, 0x20000a00, M4, 0xfffffffd, 0x01000000, 0 },
	{ "uC/OS-III with FP", "rtos_ucos3", "OSTickTaskTCB", R4_R11 " exc" S16_S31 HW_FP, 0x20000a00, M4, 0xffffffed,
	  0x01000000, 0 },
	{ "uC/OS-III, older port", "rtos_ucos3", "OSTickTaskTCB", R4_R11 HW, 0x20000a00, M4, 0, 0x01000000, 0 },
};

/* The nth word of a frame; no two are equal, and none looks like another kind. */
static uint32_t value_of(int i, const char *name, size_t n)
{
	if (strcmp(name, "exc") == 0)
		return frames[i].exc;
	if (strcmp(name, "xpsr") == 0)
		return frames[i].xpsr;
	return strcmp(name, "pc") == 0 ? 0x1234 : 0x11000000 + 0x10101 * (uint32_t)n;
}

/* The next name of the words, "" at their end. */
static const char *next_name(const char *words, char name[12])
{
	size_t len;

	words += strspn(words, " ");
	len = strcspn(words, " ");
	memcpy(name, words, len);
	name[len] = '\0';
	return words + len;
}

static uint32_t put_frame(int i)
{
	uint32_t at = frames[i].sp;
	char name[12];
	size_t n = 0;

	for (const char *words = next_name(frames[i].words, name); name[0] != '\0';
	     words = next_name(words, name), at += 4)
		put_word(at, value_of(i, name, n++));
	return at;
}

static void check_register(const char *name, uint64_t addr, uint64_t value, unsigned bytes)
{
	const struct pt_saved_register *reg = pt_saved_find(&saved, name);

	ck_assert_msg(reg != NULL, "%s", name);
	ck_assert_msg(reg->addr == addr && reg->value == value && reg->bytes == bytes,
		      "%s: 0x%" PRIx64 " at 0x%" PRIx64, name, reg->value, reg->addr);
}

static void check_frame(int i)
{
	uint32_t at = frames[i].sp, before = 0;
	char name[12];
	size_t n = 0;

	for (const char *words = next_name(frames[i].words, name); name[0] != '\0';
	     words = next_name(words, name), at += 4) {
		uint32_t value = value_of(i, name, n++);
		char pair[12];

		check_register(name, at, value, 4);
		snprintf(pair, sizeof(pair), "d%u", (unsigned)atoi(name + 1) / 2);
		if (name[0] == 's' && name[1] >= '0' && name[1] <= '9' && atoi(name + 1) % 2 != 0)
			check_register(pair, at - 4, (uint64_t)value << 32 | before, 8);
		before = value;
	}
}

START_TEST(finds_the_registers)
{
	uint32_t end;

	open_threads(frames[_i].elf);
	cpuid = frames[_i].cpuid;
	end = put_frame(_i) + ((frames[_i].xpsr & 0x200) != 0 ? 4 : 0);
	if (frames[_i].in_tcb != 0)
		ram[address_of(frames[_i].task) + (uint64_t)frames[_i].in_tcb - RAM] = (uint8_t)frames[_i].exc;
	ck_assert_msg(pt_threads_saved(threads, &core, address_of(frames[_i].task), &saved, &err) == 0, "%s: %s",
		      frames[_i].what, err.msg);
	check_frame(_i);
	check_register("sp", PT_UNKNOWN, end, 4);
	check_register("psp", PT_UNKNOWN, end, 4);
	check_register("control", PT_UNKNOWN, 0, 0); /* the core's would be that of another task */
	close_threads();
}
END_TEST

/* Where a word of this value lies, from an address on. */
static uint64_t look_for(uint64_t from, uint32_t word)
{
	while (pt_le32(ram + (from - RAM)) != word)
		from += 4;
	return from;
}

/* r4-r11 in the control block, the hardware's frame alone on the stack; s16-s31 in the control block, too. */
START_TEST(finds_what_zephyr_keeps)
{
	static const char *const callee[] = { "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11" };
	static const char *const stacked[] = { "r0", "r1", "r2", "r3", "r12", "lr", "pc", "xpsr" };
	enum { EXC_IN_ARCH = 8, FLOAT_IN_ARCH = 20, FP_BYTES = 72 };
	bool fp = _i >= 2;
	uint64_t psp, arch;
	char name[12];

	open_threads(_i % 2 == 0 ? "rtos_zephyr" : "rtos_zephyr_plain");
	psp = look_for(address_of("logging"), 0x20000b00); /* the only word of it that is */
	arch = look_for(psp, 0xfd) - EXC_IN_ARCH;
	ram[arch + EXC_IN_ARCH - RAM] = fp ? 0xed : 0xfd;
	for (uint32_t i = 0; i < 8; i++) {
		put_word(psp - 32 + 4 * i, 0x44000000 + i);
		put_word(0x20000b00 + 4 * i, i == 7 ? 0x21000200 : 0x1000 + 2 * i);
	}
	for (uint32_t i = 0; i < 16; i++) {
		put_word(0x20000b20 + 4 * i, 0x3f000000 + i);
		put_word(arch + FLOAT_IN_ARCH + 4 * i, 0x3f000010 + i);
	}
	ck_assert_msg(pt_threads_saved(threads, &core, address_of("logging"), &saved, &err) == 0, "%s", err.msg);
	for (uint32_t i = 0; i < 8; i++) {
		check_register(callee[i], psp - 32 + 4 * i, 0x44000000 + i, 4);
		check_register(stacked[i], 0x20000b00 + 4 * i, i == 7 ? 0x21000200 : 0x1000 + 2 * i, 4);
	}
	for (uint32_t i = 0; fp && i < 32; i++) {
		snprintf(name, sizeof(name), "s%u", (unsigned)i);
		check_register(name, i < 16 ? 0x20000b20 + 4 * i : arch + FLOAT_IN_ARCH + 4 * (i - 16), 0x3f000000 + i,
			       4);
	}
	ck_assert(fp == (pt_saved_find(&saved, "d8") != NULL));
	check_register("sp", PT_UNKNOWN, 0x20000b24 + (fp ? FP_BYTES : 0), 4);
	close_threads();
}
END_TEST

/* All of it on the stack, by what the kernel says that its frames take; and the frame covers what the hardware put
 * there so that its own was aligned. */
#define R0_R12 "r0 r1 r2 r3 r4 r5 r6 r7 r8 r9 r10 r11 r12"
#define S0_S31 "s0 s1 s2 s3 s4 s5 s6 s7 s8 s9 s10 s11 s12 s13 s14 s15" S16_S31
static const struct { const char *words; uint32_t bytes, apsr, have_fpu; } switched[] = {
	{ "apsr " R0_R12 " lr pc", 8 * 4, 0, 0 },
	{ "psplim apsr " R0_R12 " lr pc", 9 * 4, 0x61000200, 0 },
	{ "have_fpu apsr " R0_R12 " lr pc", 42 * 4, 0x01000000, 0 },
	{ "have_fpu " S0_S31 " fpscr apsr " R0_R12 " lr pc", 42 * 4, 0x01000200, 1 },
	{ "have_fpu psplim apsr " R0_R12 " lr pc", 43 * 4, 0, 0 },
	{ "have_fpu " S0_S31 " fpscr psplim apsr " R0_R12 " lr pc", 43 * 4, 0x80000000, 7 },
};
enum { SWITCHED_AT = 0x20000b00, SWITCHED_PC = 0x1234 };

static uint32_t switched_value(int i, const char *name, uint32_t n)
{
	if (strcmp(name, "apsr") == 0)
		return switched[i].apsr;
	if (strcmp(name, "have_fpu") == 0)
		return switched[i].have_fpu;
	return strcmp(name, "pc") == 0 ? SWITCHED_PC | 1 : 0x11000001 + 0x10100 * n; /* odd, as lr is */
}

static uint32_t put_switched(int i)
{
	uint32_t at = SWITCHED_AT;
	char name[12];

	put_word(address_of("arm_m_switch_stack_buffer"), switched[i].bytes);
	for (const char *words = next_name(switched[i].words, name); name[0] != '\0';
	     words = next_name(words, name), at += 4)
		put_word(at, switched_value(i, name, (at - SWITCHED_AT) / 4));
	return at;
}

START_TEST(finds_what_zephyr_switches)
{
	uint32_t end, at = SWITCHED_AT;
	char name[12];

	open_threads("rtos_zephyr_switch");
	end = put_switched(_i);
	ck_assert_msg(pt_threads_saved(threads, &core, address_of("logging"), &saved, &err) == 0, "%s", err.msg);
	for (const char *words = next_name(switched[_i].words, name); name[0] != '\0';
	     words = next_name(words, name), at += 4)
		check_register(name, at,
			       strcmp(name, "pc") == 0 ? SWITCHED_PC : switched_value(_i, name, (at - SWITCHED_AT) / 4),
			       4);
	check_register("sp", PT_UNKNOWN, end, 4);
	ck_assert_uint_eq(pt_saved_find(&saved, "xpsr")->value, (switched[_i].apsr & ~0x200u) | 1u << 24);
	close_threads();
}
END_TEST

/* An interrupted LDM goes on by way of a trap: where it really is stands in the control block. */
START_TEST(looks_behind_zephyrs_stub)
{
	uint64_t stub, at;

	open_threads("rtos_zephyr_switch");
	stub = address_of("arm_m_iciit_stub") & ~UINT64_C(1);
	put_word(put_switched(0) - 4, (uint32_t)stub | 1);
	at = look_for(address_of("logging"), 0xfd) + 4;
	put_word(at, 0x4568);
	ck_assert_int_eq(pt_threads_saved(threads, &core, address_of("logging"), &saved, &err), 0);
	check_register("pc", at, 0x4568, 4);
	put_word(address_of("arm_m_switch_stack_buffer"), 7);
	ck_assert_int_eq(pt_threads_saved(threads, &core, address_of("logging"), &saved, &err), PT_EUNSUPPORTED);
	ck_assert_ptr_nonnull(strstr(err.msg, "CONFIG_USE_SWITCH"));
	close_threads();
	open_threads("rtos_zephyr_switch_plain");	/* where switch_handle is only DWARF tells */
	ck_assert_int_eq(pt_threads_saved(threads, &core, address_of("logging"), &saved, &err), PT_EUNSUPPORTED);
	close_threads();
}
END_TEST

static const struct {
	const char *what;
	uint32_t at, word;
} wrong[] = {
	{ "all zero", 0, 0 },
	{ "a stack that is not in RAM", 1, 0x60000000 },
	{ "a stack at an odd place", 1, 0x20000f41 },
	{ "a frame beyond the end of RAM", 1, 0x200011f8 },
	{ "an exception in xPSR", 0x20000f40 + 0x3c, 0x0100000e },
	{ "no Thumb", 0x20000f40 + 0x3c, 0x20000000 },
	{ "a pc where there is no code", 0x20000f40 + 0x38, 0xfffffffd },
};

START_TEST(refuses_what_is_no_frame)
{
	open_threads("rtos_freertos");
	if (wrong[_i].at != 0)
		put_frame(0);
	if (wrong[_i].at == 1)
		put_word(address_of("twin"), wrong[_i].word);
	else if (wrong[_i].at != 0)
		put_word(wrong[_i].at, wrong[_i].word);
	ck_assert_msg(pt_threads_saved(threads, &core, address_of("twin"), &saved, &err) == PT_EARG, "%s",
		      wrong[_i].what);
	ck_assert_ptr_nonnull(strstr(err.msg, "is no frame of registers of FreeRTOS"));
	ck_assert_uint_eq(saved.n_regs, 0);
	ck_assert_int_eq(pt_threads_saved(threads, &core, 0x70000000, &saved, &err), PT_EARG);
	close_threads();
}
END_TEST

/* --- lists -------------------------------------------------------------------------------------------------------- */

START_TEST(lists_who_runs_and_who_does_not)
{
	struct pt_threads_running running;

	open_threads("rtos_freertos");
	ck_assert_str_eq(pt_threads_os(threads), "FreeRTOS");
	n_reads = 0;
	ck_assert_int_eq(pt_threads_running(threads, &reader, &running, &err), 0);
	ck_assert_uint_le(n_reads, 2); /* it is asked at every stop */
	ck_assert_uint_eq(running.n_cores, 1);
	ck_assert_uint_eq(running.id[0], address_of("blink"));
	ck_assert_int_eq(pt_threads_read(threads, &reader, &list, &err), 0);
	ck_assert(list.started && !list.stale);
	ck_assert_uint_eq(list.n_threads, 9);
	ck_assert_int_eq(thread_at(address_of("blink"))->core, 0);
	ck_assert_int_eq(thread_at(address_of("idle_tcb"))->core, -1);
	ck_assert(thread_at(address_of("idle_tcb"))->idle);
	ck_assert_str_eq(thread_at(address_of("waiting"))->state, "blocked");
	ck_assert_int_eq(thread_at(address_of("waiting"))->priority, 4);
	pt_thread_list_fini(&list);
	put_word(address_of("xSchedulerRunning"), 0);
	ck_assert_int_eq(pt_threads_running(threads, &reader, &running, &err), 0);
	ck_assert_uint_eq(running.id[0], 0);
	ck_assert_int_eq(pt_threads_read(threads, &reader, &list, &err), 0);
	ck_assert(!list.started);
	ck_assert_int_eq(thread_at(address_of("blink"))->core, -1);
	close_threads();
}
END_TEST

/* --- ORTI --------------------------------------------------------------------------------------------------------- */

static const char orti_text[] =
	"VERSION { KOIL = \"2.2\"; OSSEMANTICS = \"ORTI\", \"2.2\"; };\n"
	"IMPLEMENTATION Small { OS { ENUM \"void *\" [\"NO_TASK\" = \"0\", \"the blinker\" = \"&blink\", \"twin\" = "
	"\"&twin\", \"dead\" = \"&dead\"]\n"
	"  RUNNINGTASK; };\n"
	"  TASK { CTYPE PRIORITY; ENUM \"int\" [\"READY\" = 12, \"WAITING\" = 13] STATE; ENUM [\"c\" : ContextOfTwin = "
	"1] CONTEXT; };\n"
	"  CONTEXT { CTYPE _CPU_R4; CTYPE _CPU_PC; CTYPE _CPU_SP; CTYPE VALID; }; };\n"
	"OS Small { RUNNINGTASK = \"pxCurrentTCB\"; };\n"
	"TASK the_blinker { PRIORITY = \"blink.uxPriority\"; STATE = \"blink.uxTCBNumber\"; };\n"
	"TASK twin { PRIORITY = \"twin.uxPriority\"; STATE = \"twin.uxTCBNumber\"; CONTEXT = \"1\"; };\n"
	"TASK dead { PRIORITY = \"nobody.uxPriority\"; STATE = \"dead.uxTCBNumber\"; };\n"
	"CONTEXT ContextOfTwin { _CPU_R4 = \"((unsigned int *)(twin.pxTopOfStack))[0]\";\n"
	"  _CPU_PC = \"((unsigned int *)(twin.pxTopOfStack))[14]\"; _CPU_SP = \"(unsigned int)twin.pxTopOfStack + "
	"64\";\n"
	"  VALID = \"pxCurrentTCB != &twin\"; };\n"
	"CONTEXT dead { VALID = \"1\"; };\n";
enum { BLINKER = PT_THREADS_ORTI_ID, TWIN, DEAD, NOBODY };

static void open_orti(const char *text)
{
	struct pt_orti *orti;

	load("rtos_freertos");
	orti = pt_orti_parse(text, strlen(text), &err);
	ck_assert_msg(orti != NULL && orti->n_warnings == 0, "%s", err.msg);
	threads = pt_threads_of_orti(program, orti, &err);
}

START_TEST(asks_an_orti_file)
{
	struct pt_threads_running running;

	open_orti(orti_text);
	ck_assert_msg(threads != NULL, "%s", err.msg);
	ck_assert_str_eq(pt_threads_os(threads), "Small");
	ck_assert_int_eq(pt_threads_read(threads, &reader, &list, &err), 0);
	ck_assert_uint_eq(list.n_threads, 3);
	ck_assert_str_eq(thread_at(BLINKER)->name, "the_blinker");
	ck_assert_int_eq(thread_at(BLINKER)->core, 0);
	ck_assert_str_eq(thread_at(BLINKER)->state, "ready"); /* 2 + 10 */
	ck_assert_int_eq(thread_at(TWIN)->core, -1);
	ck_assert_int_eq(thread_at(TWIN)->priority, 2);
	ck_assert(!thread_at(DEAD)->has_priority);
	put_word(address_of("pxCurrentTCB"), (uint32_t)address_of("dead"));
	ck_assert_int_eq(pt_threads_running(threads, &reader, &running, &err), 0);
	ck_assert_uint_eq(running.id[0], DEAD);
	put_word(address_of("pxCurrentTCB"), 0);
	ck_assert_int_eq(pt_threads_running(threads, &reader, &running, &err), 0);
	ck_assert_uint_eq(running.id[0], 0);
	close_threads();
}
END_TEST

START_TEST(takes_registers_from_a_context)
{
	open_orti(orti_text);
	put_frame(0);
	ck_assert_msg(pt_threads_saved(threads, &reader, TWIN, &saved, &err) == 0, "%s", err.msg);
	check_register("r4", 0x20000f40, 0x11000000, 4);
	check_register("pc", 0x20000f40 + 56, 0x1234, 4);
	check_register("sp", PT_UNKNOWN, 0x20000f80, 4);
	ck_assert_int_eq(pt_threads_saved(threads, &reader, BLINKER, &saved, &err), PT_EUNSUPPORTED); /* has none */
	ck_assert_int_eq(pt_threads_saved(threads, &reader, DEAD, &saved, &err), PT_EUNSUPPORTED); /* of no registers */
	ck_assert_int_eq(pt_threads_saved(threads, &reader, NOBODY, &saved, &err), PT_EARG);
	put_word(address_of("pxCurrentTCB"), (uint32_t)address_of("twin"));
	ck_assert_int_eq(pt_threads_saved(threads, &reader, TWIN, &saved, &err), PT_EARG);
	ck_assert_ptr_nonnull(strstr(err.msg, "is not valid now"));
	close_threads();
}
END_TEST

START_TEST(knows_no_tasks_without_any)
{
	open_orti("VERSION { KOIL = \"2.2\"; OSSEMANTICS = \"ORTI\", \"2.2\"; };\nIMPLEMENTATION X { OS { CTYPE V; }; "
		  "};\nOS o { V = \"1\"; };\n");
	ck_assert_ptr_null(threads);
	ck_assert_str_eq(err.msg, "the ORTI file has no TASK");
	close_threads();
	load("vars");
	ck_assert_ptr_null(pt_threads_of_rtos(program, &err));
	ck_assert_int_eq(err.code, PT_EARG);
	close_threads();
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

START_TEST(hands_on_what_the_reader_says)
{
	static const struct pt_reader gone = { read_nothing, NULL };
	struct pt_threads_running running;

	if (_i == 0)
		open_threads("rtos_freertos");
	else
		open_orti(orti_text);
	ck_assert_int_eq(pt_threads_read(threads, &gone, &list, &err), PT_EIO);
	ck_assert_int_eq(pt_threads_running(threads, &gone, &running, &err), PT_EIO);
	ck_assert_int_eq(pt_threads_saved(threads, &gone, _i == 0 ? address_of("twin") : TWIN, &saved, &err),
			 _i == 0 ? PT_EIO : PT_EARG);
	ck_assert_int_eq(pt_threads_read(threads, &gone, &list, NULL), PT_EIO);
	close_threads();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("threads");
	TCase *tc = tcase_create("threads");

	tcase_add_loop_test(tc, finds_the_registers, 0, PT_LEN(frames));
	tcase_add_loop_test(tc, finds_what_zephyr_keeps, 0, 4);
	tcase_add_loop_test(tc, finds_what_zephyr_switches, 0, PT_LEN(switched));
	tcase_add_test(tc, looks_behind_zephyrs_stub);
	tcase_add_loop_test(tc, refuses_what_is_no_frame, 0, PT_LEN(wrong));
	tcase_add_test(tc, lists_who_runs_and_who_does_not);
	tcase_add_test(tc, asks_an_orti_file);
	tcase_add_test(tc, takes_registers_from_a_context);
	tcase_add_test(tc, knows_no_tasks_without_any);
	tcase_add_loop_test(tc, hands_on_what_the_reader_says, 0, 2);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
