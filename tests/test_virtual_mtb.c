/* The MTB model against what the MTB-M0+ manual and the chip manuals say, one rule per row or test. Packets of real
 * code are in test_kl27_trace.c. */
#include <string.h>

#include "harness.h"
#include "probes/virtual/unit/arm/mtb.h"
#include "probes/virtual/unit/arm/mtb_dwt.h"

enum { RAM_BYTES = 0x8000 };
#define RAM_BASE UINT32_C(0x1fffe000)	/* MKL27Z256: 32 KiB, a quarter below 0x20000000 */

struct fixture {
	uint8_t ram[RAM_BYTES];
	struct pt_vbus bus;
	struct pt_vwires wires;
	struct pt_vmtb mtb;
	struct pt_vmtb_dwt dwt;
	bool edbgrq, guarded;
};

static struct fixture f;

static void on_edbgrq(void *arg, bool level)
{
	((struct fixture *)arg)->edbgrq = level;
}

static void on_guard(void *arg, bool on)
{
	((struct fixture *)arg)->guarded = on;
}

static void make(unsigned awidth, uint32_t base_reads)
{
	struct pt_vmtb_config config = {
		.wires = &f.wires, .ram = f.ram, .ram_base = RAM_BASE, .ram_bytes = RAM_BYTES, .base_reads = base_reads,
		.awidth = awidth, .unknown = 0xdeadbeef, .arg = &f, .edbgrq = on_edbgrq, .guard_ram = on_guard,
	};

	memset(&f, 0, sizeof(f));
	f.wires.bus = &f.bus;
	pt_vmtb_init(&f.mtb, &config);
}

static void setup(void)
{
	make(15, RAM_BASE);
}

static const struct pt_vaccess word = { .size_bytes = 4, .master = PT_VMASTER_DEBUG, .privileged = true };

static void put(uint32_t offset, uint32_t value)
{
	ck_assert(pt_vmtb_ops.write(&f.mtb, offset, &word, value));
}

static uint32_t get(uint32_t offset)
{
	uint32_t value;

	ck_assert(pt_vmtb_ops.read(&f.mtb, offset, &word, &value));
	return value;
}

static void jump(enum pt_vjump how, uint32_t from, uint32_t exc_return, uint32_t to)
{
	if (f.mtb.observer.jump != NULL)
		f.mtb.observer.jump(f.mtb.observer.arg, how, from, exc_return, to);
}

static void branch(uint32_t from, uint32_t to)
{
	jump(PT_VJUMP_BRANCH, from, 0, to);
}

static void arm(uint32_t position, uint32_t flow, uint32_t mask)
{
	put(PT_VMTB_MASTER, PT_VMTB_SFRWPRIV);
	put(PT_VMTB_POSITION, position);
	put(PT_VMTB_FLOW, flow);
	put(PT_VMTB_MASTER, PT_VMTB_EN | PT_VMTB_SFRWPRIV | mask);
}

static void ck_packet(uint32_t addr, uint32_t source, uint32_t destination)
{
	ck_assert_uint_eq(pt_le32(f.ram + addr - RAM_BASE), source);
	ck_assert_uint_eq(pt_le32(f.ram + addr - RAM_BASE + 4), destination);
}

/* Worked out from KL25 RM, chapter 19, and NXP community thread 865550: KL27Z256 with BASE 0x1fffe000 reads
 * POSITION back as 0x6000. */
static const struct { unsigned awidth; uint32_t wrote, reads, addr; } positions[] = {
	{ 15, 0x1fffe000, 0x6000, 0x1fffe000 },
	{ 15, 0x00000000, 0x0000, 0x20000000 },
	{ 15, 0x20000000, 0x0000, 0x20000000 },
	{ 15, 0x20005ff8, 0x5ff8, 0x20005ff8 },
	{ 15, 0x1ffffff8, 0x7ff8, 0x1ffffff8 },
	{ 15, 0xfffffff8, 0x7ff8, 0x1ffffff8 },
	{ 15, 0x20001007, 0x1004, 0x20001000 },	/* bit 2 is WRAP, bits 1:0 read 0 */
	{ 16, 0x1fffe000, 0xe000, 0x1fffe000 },
	{ 5, 0xfffffff8, 0x18, 0x1fffe018 },	/* MSPM0 class: 32 bytes */
	{ 32, 0xfffffff8, 0xfffffff8, 0xfffffff8 },
};
START_TEST(position_is_an_offset_into_the_sram)
{
	make(positions[_i].awidth, RAM_BASE);
	put(PT_VMTB_POSITION, positions[_i].wrote);
	ck_assert_uint_eq(get(PT_VMTB_POSITION), positions[_i].reads);
	ck_assert_uint_eq(pt_vmtb_address(&f.mtb, get(PT_VMTB_POSITION)), positions[_i].addr);
}
END_TEST

static const struct { uint32_t offset, value; } ids[] = {
	{ 0x00c, RAM_BASE }, { 0xf00, 0 }, { 0xfa0, 0 }, { 0xfb0, 0 }, { 0xfb4, 0 }, { 0xfbc, 0x47700a31 },
	{ 0xfc8, 0 }, { 0xfcc, 0x31 }, { 0xfd0, 0x04 }, { 0xfe0, 0x32 }, { 0xfe4, 0xb9 }, { 0xff0, 0x0d },
	{ 0xff4, 0x90 }, { 0xff8, 0x05 }, { 0xffc, 0xb1 },
};
START_TEST(says_what_it_is)
{
	ck_assert_uint_eq(get(ids[_i].offset), ids[_i].value);
	ck_assert_uint_eq(get(0xfe8) & 0xf, 0xb);
	ck_assert_uint_eq(get(0xfb8) & 1, 1);	/* DBGEN */
}
END_TEST

START_TEST(base_may_read_zero)
{
	make(15, 0);	/* as LPC8xx */
	ck_assert_uint_eq(get(PT_VMTB_BASE), 0);
	arm(RAM_BASE, 0, 4);
	branch(0x100, 0x200);
	ck_packet(RAM_BASE, 0x100, 0x201);
}
END_TEST

START_TEST(comes_out_of_power_on_with_junk)
{
	ck_assert_uint_eq(get(PT_VMTB_MASTER) & ~PT_VMTB_MASK, PT_VMTB_SFRWPRIV);	/* 0x80, MASK unknown */
	ck_assert_uint_eq(get(PT_VMTB_POSITION), 0xdeadbeef & 0x7ffc);
	ck_assert_uint_eq(get(PT_VMTB_FLOW), 0xdeadbeef & 0x7ffb);	/* bit 2 is 0 */
}
END_TEST

START_TEST(writes_nothing_while_off)
{
	put(PT_VMTB_POSITION, 0);
	put(PT_VMTB_FLOW, 0);
	branch(0x100, 0x200);
	ck_assert_uint_eq(f.mtb.n_packets, 0);
	ck_assert_ptr_null(f.mtb.observer.jump);
}
END_TEST

START_TEST(marks_the_first_packet_after_each_start)
{
	arm(0x20000000, 0, 8);
	branch(0x100, 0x200);
	branch(0x210, 0x300);
	ck_packet(0x20000000, 0x100, 0x201);
	ck_packet(0x20000008, 0x210, 0x300);
	put(PT_VMTB_MASTER, PT_VMTB_EN | PT_VMTB_SFRWPRIV | 8);	/* on already: no restart */
	branch(0x310, 0x400);
	ck_packet(0x20000010, 0x310, 0x400);
	put(PT_VMTB_MASTER, PT_VMTB_SFRWPRIV | 8);
	branch(0x410, 0x500);	/* not seen */
	put(PT_VMTB_MASTER, PT_VMTB_EN | PT_VMTB_SFRWPRIV | 8);
	branch(0x510, 0x600);
	ck_packet(0x20000018, 0x510, 0x601);
}
END_TEST

START_TEST(marks_what_no_instruction_did)
{
	arm(0x20000000, 0, 8);
	branch(0x100, 0x200);
	jump(PT_VJUMP_EXCEPTION, 0x206, 0, 0x1c0);
	jump(PT_VJUMP_EXC_RETURN, 0x1d0, 0xfffffff9, 0x206);
	jump(PT_VJUMP_DEBUG, 0x20a, 0, 0x400);
	ck_packet(0x20000008, 0x207, 0x1c0);
	ck_packet(0x20000010, 0x1d0, 0xfffffff8);	/* the exception return is two */
	ck_packet(0x20000018, 0xfffffff9, 0x206);
	ck_packet(0x20000020, 0x20b, 0x400);
	ck_assert_uint_eq(f.mtb.n_packets, 5);
}
END_TEST

START_TEST(tail_chain_takes_the_shape_of_the_setting)
{
	arm(0x20000000, 0, 8);
	jump(PT_VJUMP_TAIL_CHAIN, 0x1d0, 0xfffffff1, 0x300);
	ck_packet(0x20000000, 0x1d0, 0xfffffff1);	/* EXC_RETURN's bit 0 is S here */
	ck_packet(0x20000008, 0xfffffff1, 0x300);	/* and A here */
	f.mtb.config.tail = PT_VMTB_TAIL_SINGLE;
	jump(PT_VJUMP_TAIL_CHAIN, 0x1d0, 0xfffffff1, 0x300);
	ck_packet(0x20000010, 0x1d0, 0x300);
	ck_assert_uint_eq(f.mtb.n_packets, 3);
}
END_TEST

static const struct { uint32_t mask, begin, packets, position; } wraps[] = {
	{ 0, 0x0000, 2, 0x0000 | PT_VMTB_WRAP },	/* 16 bytes are two packets */
	{ 0, 0x0008, 1, 0x0000 | PT_VMTB_WRAP },
	{ 2, 0x1040, 7, 0x1078 },
	{ 2, 0x1040, 8, 0x1040 | PT_VMTB_WRAP },
	{ 2, 0x1040, 11, 0x1058 | PT_VMTB_WRAP },
	{ 8, 0x1ff8, 1, 0x1000 | PT_VMTB_WRAP },
	{ 11, 0x7ff8, 1, 0x0000 | PT_VMTB_WRAP },	/* 32 KiB, the largest here */
	{ 31, 0x7ff8, 2, 0x0008 | PT_VMTB_WRAP },	/* above it: the same */
	{ 31, 0x5ff8, 1, 0x6000 },			/* from the top of RAM to its bottom without WRAP */
};
START_TEST(wraps_inside_the_window)
{
	arm(wraps[_i].begin, 0, wraps[_i].mask);
	for (uint32_t i = 0; i < wraps[_i].packets; i++)
		branch(0x100, 0x200);
	ck_assert_uint_eq(get(PT_VMTB_POSITION), wraps[_i].position);
	put(PT_VMTB_POSITION, wraps[_i].begin);
	ck_assert_uint_eq(get(PT_VMTB_POSITION), wraps[_i].begin);	/* only software clears WRAP */
}
END_TEST

START_TEST(stops_at_the_watermark)
{
	arm(0x1000, 0x1018 | PT_VMTB_AUTOSTOP, 4);
	for (int i = 0; i < 10; i++)
		branch(0x100, 0x200);
	ck_assert_uint_eq(f.mtb.n_packets, 3);
	ck_assert_uint_eq(get(PT_VMTB_POSITION), 0x1018);
	ck_assert_uint_eq(get(PT_VMTB_MASTER), PT_VMTB_SFRWPRIV | 4);
	ck_assert(!f.edbgrq);
}
END_TEST

/* What frees the latch of AUTOSTOP, and what does not. */
static const struct { const char *name; uint32_t offset, value; bool frees; } latch[] = {
	{ "nothing", PT_VMTB_BASE, 0, false },
	{ "same position", PT_VMTB_POSITION, 0x1018, false },
	{ "same watermark", PT_VMTB_FLOW, 0x1018 | PT_VMTB_AUTOSTOP, false },
	{ "new position", PT_VMTB_POSITION, 0x1000, true },
	{ "new watermark", PT_VMTB_FLOW, 0x1038 | PT_VMTB_AUTOSTOP, true },
	{ "no autostop", PT_VMTB_FLOW, 0x1018, true },
};
START_TEST(stays_stopped_until_something_moves)
{
	arm(0x1000, 0x1018 | PT_VMTB_AUTOSTOP, 4);
	for (int i = 0; i < 3; i++)
		branch(0x100, 0x200);
	put(latch[_i].offset, latch[_i].value);
	put(PT_VMTB_MASTER, PT_VMTB_SFRWPRIV | PT_VMTB_TSTARTEN | 4);
	pt_vmtb_tstart(&f.mtb);
	ck_assert_msg(((get(PT_VMTB_MASTER) & PT_VMTB_EN) != 0) == latch[_i].frees, "%s: TSTART", latch[_i].name);
	put(PT_VMTB_MASTER, PT_VMTB_EN | PT_VMTB_SFRWPRIV | 4);
	ck_assert_msg(((get(PT_VMTB_MASTER) & PT_VMTB_EN) != 0) == latch[_i].frees, "%s: EN", latch[_i].name);
}
END_TEST

START_TEST(watermark_under_the_pointer_depends_on_the_setting)
{
	arm(0x1000, 0x1000 | PT_VMTB_AUTOSTOP, 4);
	ck_assert_uint_eq(get(PT_VMTB_MASTER) & PT_VMTB_EN, 0);
	setup();
	f.mtb.config.match_on_step_only = true;
	arm(0x1000, 0x1000 | PT_VMTB_AUTOSTOP, 4);
	ck_assert_uint_ne(get(PT_VMTB_MASTER) & PT_VMTB_EN, 0);
}
END_TEST

START_TEST(asks_for_a_halt_at_the_watermark_and_traces_on)
{
	arm(0x1000, 0x1010 | PT_VMTB_AUTOHALT, 4);
	branch(0x100, 0x200);
	ck_assert(!f.edbgrq);
	branch(0x100, 0x200);
	ck_assert(f.edbgrq);
	ck_assert_uint_eq(get(PT_VMTB_MASTER), PT_VMTB_EN | PT_VMTB_HALTREQ | PT_VMTB_SFRWPRIV | 4);
	branch(0x100, 0x200);	/* the skid is recorded */
	ck_assert_uint_eq(get(PT_VMTB_POSITION), 0x1018);
	put(PT_VMTB_MASTER, PT_VMTB_SFRWPRIV | 4);
	ck_assert(!f.edbgrq);
}
END_TEST

START_TEST(trigger_inputs_count_only_when_enabled)
{
	put(PT_VMTB_FLOW, 0);
	put(PT_VMTB_MASTER, PT_VMTB_TSTOPEN | 4);
	pt_vmtb_tstart(&f.mtb);
	ck_assert_uint_eq(get(PT_VMTB_MASTER) & PT_VMTB_EN, 0);
	put(PT_VMTB_MASTER, PT_VMTB_TSTARTEN | 4);
	pt_vmtb_tstart(&f.mtb);
	pt_vmtb_tstop(&f.mtb);
	ck_assert_uint_eq(get(PT_VMTB_MASTER), PT_VMTB_EN | PT_VMTB_TSTARTEN | 4);
	put(PT_VMTB_MASTER, PT_VMTB_EN | PT_VMTB_TSTOPEN | 4);
	pt_vmtb_tstop(&f.mtb);
	ck_assert_uint_eq(get(PT_VMTB_MASTER), PT_VMTB_TSTOPEN | 4);
}
END_TEST

static const struct { const char *name; struct pt_vaccess access; uint32_t master; bool taken; } writers[] = {
	{ "privileged", { .size_bytes = 4, .privileged = true }, PT_VMTB_SFRWPRIV, true },
	{ "user", { .size_bytes = 4 }, PT_VMTB_SFRWPRIV, false },
	{ "user, allowed", { .size_bytes = 4 }, 0, true },
	{ "halfword", { .size_bytes = 2, .privileged = true }, 0, false },
	{ "byte", { .size_bytes = 1, .privileged = true }, 0, false },
};
START_TEST(takes_words_from_those_allowed)
{
	uint32_t value;

	put(PT_VMTB_POSITION, 0x100);
	put(PT_VMTB_MASTER, writers[_i].master);
	ck_assert(pt_vmtb_ops.write(&f.mtb, PT_VMTB_POSITION, &writers[_i].access, 0x40));
	ck_assert_msg(get(PT_VMTB_POSITION) == (writers[_i].taken ? 0x40 : 0x100), "%s", writers[_i].name);
	ck_assert(pt_vmtb_ops.read(&f.mtb, PT_VMTB_POSITION, &writers[_i].access, &value));	/* reads always */
	ck_assert_uint_eq(value, writers[_i].access.size_bytes == 4 ? get(PT_VMTB_POSITION) : 0);
}
END_TEST

START_TEST(rampriv_guards_the_sram)
{
	put(PT_VMTB_MASTER, PT_VMTB_RAMPRIV);
	ck_assert(f.guarded);
	pt_vmtb_ops.reset(&f.mtb, false);
	ck_assert(!f.guarded);
}
END_TEST

START_TEST(reset_ends_tracing_and_keeps_the_pointer)
{
	arm(0x1000, 0x1010 | PT_VMTB_AUTOHALT, 4);
	branch(0x100, 0x200);
	branch(0x100, 0x200);
	pt_vmtb_ops.reset(&f.mtb, false);
	ck_assert_uint_eq(get(PT_VMTB_MASTER), PT_VMTB_SFRWPRIV | 4);
	ck_assert_uint_eq(get(PT_VMTB_POSITION), 0x1010);
	ck_assert(!f.edbgrq);
	branch(0x100, 0x200);
	ck_assert_uint_eq(f.mtb.n_packets, 2);
}
END_TEST

START_TEST(loses_what_maps_outside_the_sram)
{
	make(16, RAM_BASE);	/* 64 KiB of pointer space, 32 KiB of RAM */
	arm(0x6000, 0, 2);
	branch(0x100, 0x200);
	ck_assert_uint_eq(f.mtb.n_packets, 1);
	ck_assert_uint_eq(f.mtb.n_lost, 1);
}
END_TEST

/* --- MTB_DWT */

static unsigned starts, stops;

static void on_fire(void *arg, bool start)
{
	(void)arg;
	starts += start;
	stops += !start;
}

static void dwt_put(uint32_t offset, uint32_t value)
{
	ck_assert(pt_vmtb_dwt_ops.write(&f.dwt, offset, &word, value));
}

static uint32_t dwt_get(uint32_t offset)
{
	uint32_t value;

	ck_assert(pt_vmtb_dwt_ops.read(&f.dwt, offset, &word, &value));
	return value;
}

static void dwt_setup(void)
{
	setup();
	starts = stops = 0;
	pt_vmtb_dwt_init(&f.dwt, &f.wires, on_fire, NULL);
	pt_vmtb_dwt_ops.reset(&f.dwt, true);
}

static void dwt_sees_data(uint32_t addr, unsigned size_bytes, bool is_write, uint32_t value)
{
	if (f.dwt.observer.data != NULL)
		f.dwt.observer.data(f.dwt.observer.arg, addr, size_bytes, is_write, value, 0x100);
}

START_TEST(dwt_says_what_it_is)
{
	ck_assert_uint_eq(dwt_get(0x000), 0x2f000000);
	ck_assert_uint_eq(dwt_get(0x200), 0x20000000);
	ck_assert_uint_eq(dwt_get(0xfcc), 0x04);
	ck_assert_ptr_null(f.dwt.observer.insn);	/* costs nothing while off */
	ck_assert_ptr_null(f.dwt.observer.data);
	dwt_put(0x024, 31);
	ck_assert_uint_eq(dwt_get(0x024), 24);
}
END_TEST

START_TEST(dwt_starts_at_entry_and_stops_at_exit)
{
	dwt_put(0x020, 0x400);
	dwt_put(0x028, 4);
	dwt_put(0x030, 0x420);
	dwt_put(0x038, 4);
	dwt_put(0x200, 1);
	for (uint32_t pc = 0x3fe; pc < 0x424; pc += 2)
		f.dwt.observer.insn(f.dwt.observer.arg, pc);
	ck_assert_uint_eq(starts, 1);
	ck_assert_uint_eq(stops, 1);
	ck_assert_uint_eq(dwt_get(0x028), 0x01000004);	/* MATCHED, cleared by the read */
	ck_assert_uint_eq(dwt_get(0x028), 4);
}
END_TEST

static const struct {
	const char *name;
	uint32_t comp0, mask0, fct0, comp1;
	struct { uint32_t addr; unsigned size_bytes; bool is_write; uint32_t value; } see;
	unsigned fires;
} accesses[] = {
	{ "read", 0x20000010, 0, 5, 0, { 0x20000010, 4, false, 0 }, 1 },
	{ "not a write", 0x20000010, 0, 5, 0, { 0x20000010, 4, true, 0 }, 0 },
	{ "write", 0x20000010, 0, 6, 0, { 0x20000010, 4, true, 0 }, 1 },
	{ "either", 0x20000010, 0, 7, 0, { 0x20000010, 1, false, 0 }, 1 },
	{ "byte inside the word", 0x20000013, 0, 7, 0, { 0x20000010, 4, false, 0 }, 1 },
	{ "next to it", 0x20000010, 0, 7, 0, { 0x20000011, 1, false, 0 }, 0 },
	{ "masked", 0x20000010, 4, 7, 0, { 0x2000001f, 1, false, 0 }, 1 },
	{ "outside the mask", 0x20000010, 4, 7, 0, { 0x20000020, 1, false, 0 }, 0 },
	{ "value", 0x12345678, 0, 0x906, 0, { 0x20000000, 4, true, 0x12345678 }, 1 },
	{ "other value", 0x12345678, 0, 0x906, 0, { 0x20000000, 4, true, 0x12345679 }, 0 },
	{ "byte value, replicated", 0x5a5a5a5a, 0, 0x106, 0, { 0x20000003, 1, true, 0x5a }, 1 },
	{ "halfword value", 0xbeefbeef, 0, 0x506, 0, { 0x20000002, 2, true, 0xbeef }, 1 },
	{ "value at address", 0x5a5a5a5a, 0, 0x1106, 0x20000003, { 0x20000003, 1, true, 0x5a }, 1 },
	{ "value elsewhere", 0x5a5a5a5a, 0, 0x1106, 0x20000004, { 0x20000003, 1, true, 0x5a }, 0 },
};
START_TEST(dwt_compares_accesses)
{
	dwt_put(0x020, accesses[_i].comp0);
	dwt_put(0x024, accesses[_i].mask0);
	dwt_put(0x028, accesses[_i].fct0);
	dwt_put(0x030, accesses[_i].comp1);
	dwt_sees_data(accesses[_i].see.addr, accesses[_i].see.size_bytes, accesses[_i].see.is_write,
		      accesses[_i].see.value);
	ck_assert_msg(stops == accesses[_i].fires, "%s: %u", accesses[_i].name, stops);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("virtual mtb");
	TCase *mtb = tcase_create("mtb"), *dwt = tcase_create("mtb_dwt");

	tcase_add_checked_fixture(mtb, setup, NULL);
	tcase_add_loop_test(mtb, position_is_an_offset_into_the_sram, 0, PT_LEN(positions));
	tcase_add_loop_test(mtb, says_what_it_is, 0, PT_LEN(ids));
	tcase_add_test(mtb, base_may_read_zero);
	tcase_add_test(mtb, comes_out_of_power_on_with_junk);
	tcase_add_test(mtb, writes_nothing_while_off);
	tcase_add_test(mtb, marks_the_first_packet_after_each_start);
	tcase_add_test(mtb, marks_what_no_instruction_did);
	tcase_add_test(mtb, tail_chain_takes_the_shape_of_the_setting);
	tcase_add_loop_test(mtb, wraps_inside_the_window, 0, PT_LEN(wraps));
	tcase_add_test(mtb, stops_at_the_watermark);
	tcase_add_loop_test(mtb, stays_stopped_until_something_moves, 0, PT_LEN(latch));
	tcase_add_test(mtb, watermark_under_the_pointer_depends_on_the_setting);
	tcase_add_test(mtb, asks_for_a_halt_at_the_watermark_and_traces_on);
	tcase_add_test(mtb, trigger_inputs_count_only_when_enabled);
	tcase_add_loop_test(mtb, takes_words_from_those_allowed, 0, PT_LEN(writers));
	tcase_add_test(mtb, rampriv_guards_the_sram);
	tcase_add_test(mtb, reset_ends_tracing_and_keeps_the_pointer);
	tcase_add_test(mtb, loses_what_maps_outside_the_sram);
	suite_add_tcase(suite, mtb);
	tcase_add_checked_fixture(dwt, dwt_setup, NULL);
	tcase_add_test(dwt, dwt_says_what_it_is);
	tcase_add_test(dwt, dwt_starts_at_entry_and_stops_at_exit);
	tcase_add_loop_test(dwt, dwt_compares_accesses, 0, PT_LEN(accesses));
	suite_add_tcase(suite, dwt);
	return pt_run_suite(suite);
}
