/* The model of the MDM against figures worked out by hand from PG115 v3.2 and UG984 2018.2: what it counted is compared
 * with what the core's own taps saw. */
#include <string.h>

#include "harness.h"
#include "probes/virtual/unit/amd/mdm.h"

enum { RAM_BYTES = 0x8000, LOOP = 0x100, ROUNDS = 1000, PER_ROUND = 4 };
enum { DBG_CTRL = 0x10, DBG_DATA = 0x14, DBG_LOCK = 0x18, WINDOW_PDRR = 0x5d80 };
enum { START = 0x80, STOP = 0x40, CYCLES = 0x20 };

#define NOP 0x80000000u
#define B(op, d, a, imm) ((uint32_t)(op) << 26 | (d) << 21 | (a) << 16 | ((imm) & 0xffff))

static uint8_t ram[2][RAM_BYTES];
static struct pt_vbus bus[2];
static struct pt_vmb *cpu[2];
static struct pt_vmdm mdm;
static struct pt_vwires wires;
static struct pt_vmdm_options options;
static uint32_t seen[2][RAM_BYTES / 4];	/* instructions by address, from a tap */
static struct pt_vobserver tap[2];

static void on_insn(void *arg, uint32_t pc)
{
	((uint32_t *)arg)[pc / 4]++;
}

static void put(unsigned core, uint32_t at, uint32_t word)
{
	const struct pt_vaccess access = { at, 4, PT_VMASTER_DEBUG, true };

	ck_assert(pt_vbus_write(&bus[core], &access, word));
}

static void on_halted(void *core, uint32_t why)
{
	pt_vmdm_halted(core, why);
}

/* r3 = rounds; the loop: addik r3,r3,-1; nop; nop; bnei r3: back. Then it stays where it is. */
static void program(unsigned core)
{
	static const uint32_t words[PER_ROUND + 1] = {
		B(0x0c, 3, 3, -1), NOP, NOP, B(0x2f, 1, 3, -12), B(0x2e, 0, 0, 0),
	};

	for (uint32_t i = 0; i < PT_LEN(words); i++)
		put(core, LOOP + 4 * i, words[i]);
	pt_vmb_set_reg(cpu[core], 3, ROUNDS);
	pt_vmb_set_reg(cpu[core], PT_VMB_PC, LOOP);
}

static void make(unsigned n_cores)
{
	wires = (struct pt_vwires){ .bus = &bus[0], .core_hz = 100000000 };
	pt_vmdm_init(&mdm, &options, &wires, 0);
	for (unsigned i = 0; i < n_cores; i++) {
		const struct pt_vregion region = { .base = 0, .size = RAM_BYTES, .bytes = ram[i] };
		struct pt_vmb_hooks hooks = { .retired = pt_vmdm_retired, .halted = on_halted };

		memset(ram[i], 0, RAM_BYTES);
		memset(seen[i], 0, sizeof(seen[i]));
		bus[i] = (struct pt_vbus){ .big_endian = true };
		ck_assert(pt_vbus_add(&bus[i], &region));
		cpu[i] = pt_vmb_new(&bus[i], &pt_vmb_full_options);
		hooks.arg = pt_vmdm_add_core(&mdm, cpu[i], &bus[i]);
		ck_assert_ptr_nonnull(hooks.arg);
		pt_vmb_set_hooks(cpu[i], &hooks);
		pt_vmb_reset(cpu[i], true, false);
		tap[i] = (struct pt_vobserver){ .arg = seen[i], .insn = on_insn };
		pt_vmb_add_observer(cpu[i], &tap[i]);
		program(i);
	}
}

static void done(void)
{
	unsigned n = mdm.n_cores;

	pt_vmdm_fini(&mdm);
	for (unsigned i = 0; i < n; i++)
		pt_vmb_free(cpu[i]);
}

static void setup(void)
{
	options = pt_vmdm_standard;
}

static void run_loop(unsigned core)
{
	while (pt_vmb_reg(cpu[core], PT_VMB_PC) != LOOP + 4 * PER_ROUND)
		pt_vmb_run(cpu[core], pt_vmb_cycle(cpu[core]) + 1);
}

/* --- access */

static void wr(uint8_t command, unsigned bits, uint64_t value)
{
	pt_vmdm_write(&mdm, false, command, bits, value);
}

static uint64_t rd(uint8_t command, unsigned bits)
{
	return pt_vmdm_read(&mdm, false, command, bits);
}

static uint32_t axi_read(uint32_t offset)
{
	const struct pt_vaccess access = { offset, 4, PT_VMASTER_DEBUG, true };
	uint32_t value = 0;

	ck_assert(pt_vmdm_ops.read(&mdm, offset, &access, &value));
	return value;
}

static void axi_write(uint32_t offset, uint32_t value)
{
	const struct pt_vaccess access = { offset, 4, PT_VMASTER_DEBUG, true };

	ck_assert(pt_vmdm_ops.write(&mdm, offset, &access, value));
}

static void range(uint32_t low, uint32_t high, unsigned b, bool cycles)
{
	wr(PT_VMDM_PLAR, 30, low >> 2);
	wr(PT_VMDM_PHAR, 30, high >> 2);
	wr(PT_VMDM_PCTRLR, 8, START | (cycles ? CYCLES : 0) | b);
}

/* Every bin that is not in want is 0. */
static void expect_bins(uint32_t n_bins, uint32_t from, const uint64_t *want, uint32_t n_want)
{
	wr(PT_VMDM_PBAR, (unsigned)__builtin_ctz(n_bins), 0);
	for (uint32_t i = 0; i < n_bins; i++)
		ck_assert_uint_eq(rd(PT_VMDM_PDRR, 36), i - from < n_want ? want[i - from] : 0);
}

/* --- vectors of section 11 */

START_TEST(vector_i_configuration)
{
	make(1);
	ck_assert_uint_eq(pt_vmdm_read(&mdm, true, PT_VMDM_CONFIG, 32), 0x42a70167);
	axi_write(DBG_CTRL, 0x6181f);
	ck_assert_uint_eq(axi_read(DBG_DATA), 0x42a70167);
	done();
}
END_TEST

START_TEST(vector_ii_instructions)
{
	const uint64_t want[] = { ROUNDS * PER_ROUND };

	make(1);
	range(0, 0x3fff, 2, false);
	run_loop(0);
	wr(PT_VMDM_PCTRLR, 8, STOP | 2);
	expect_bins(1024, 16, want, 1);
	done();
}
END_TEST

/* The last round falls through, which takes one cycle instead of three. */
START_TEST(vector_iii_cycles)
{
	const uint64_t want[] = { ROUNDS * 6 - 2 };

	make(1);
	range(0, 0x3fff, 2, true);
	run_loop(0);
	wr(PT_VMDM_PCTRLR, 8, STOP | CYCLES | 2);
	expect_bins(1024, 16, want, 1);
	done();
}
END_TEST

START_TEST(vector_iv_36_bits)
{
	make(1);
	wr(PT_VMDM_PBAR, 10, 5);
	wr(PT_VMDM_PDWR, 32, 0xffffffff);
	range(LOOP - 5 * 4, 0x3fff, 0, false);
	pt_vmb_run(cpu[0], 1);
	wr(PT_VMDM_PCTRLR, 8, STOP);
	wr(PT_VMDM_PBAR, 10, 5);
	ck_assert_uint_eq(rd(PT_VMDM_PDRR, 36), UINT64_C(0x100000000));
	done();
}
END_TEST

/* Marker test of 4.2: which half of a 36-bit register comes first; a write clears the top four bits. */
START_TEST(vector_v_halves)
{
	options.high_first = _i == 1;
	make(1);
	mdm.core[0].profile.bin[0] = UINT64_C(0xf00000000);
	axi_write(DBG_CTRL, 0x4e809);
	axi_write(DBG_DATA, 0);
	axi_write(DBG_CTRL, 0x4ee1f);
	axi_write(DBG_DATA, 0xa5a5a5a5);
	axi_write(DBG_CTRL, 0x4e809);
	axi_write(DBG_DATA, 0);
	axi_write(DBG_CTRL, 0x4ec23);
	ck_assert_uint_eq(axi_read(DBG_DATA), _i == 0 ? 0xa5a5a5a5 : 0);
	ck_assert_uint_eq(axi_read(DBG_DATA), _i == 0 ? 0 : 0xa5a5a5a5);
	ck_assert_uint_eq(axi_read(DBG_DATA), 0);	/* DBG_CTRL is used up */
	done();
}
END_TEST

START_TEST(vector_vi_buffer_address_wraps)
{
	make(1);
	wr(PT_VMDM_PBAR, 10, 1023);
	wr(PT_VMDM_PDWR, 32, 7);
	wr(PT_VMDM_PDWR, 32, 8);
	wr(PT_VMDM_PBAR, 10, 0);
	ck_assert_uint_eq(rd(PT_VMDM_PDRR, 36), 8);
	wr(PT_VMDM_PBAR, 10, 1023);
	ck_assert_uint_eq(rd(PT_VMDM_PDRR, 36), 7);
	ck_assert_uint_eq(rd(PT_VMDM_PDRR, 36), 8);
	done();
}
END_TEST

/* --- bins */

/* The largest buffer, a bin per word: it is the core's own count per address. */
START_TEST(bins_are_the_cores_own_count)
{
	options.profile_bytes = 128 << 10;
	make(1);
	range(0, RAM_BYTES - 1, 0, false);
	run_loop(0);
	wr(PT_VMDM_PCTRLR, 8, STOP);
	wr(PT_VMDM_PBAR, 15, 0);
	for (uint32_t i = 0; i < 32768; i++)
		ck_assert_uint_eq(rd(PT_VMDM_PDRR, 36), i < RAM_BYTES / 4 ? seen[0][i] : 0);
	done();
}
END_TEST

/* L is not aligned: the three readings of the rule differ. */
static const struct { enum pt_vmdm_index rule; uint32_t bin; } rules[] = {
	{ PT_VMDM_SUB_THEN_SHIFT, 0 }, { PT_VMDM_SHIFT_THEN_SUB, 1 }, { PT_VMDM_SHIFT_AND_MASK, LOOP >> 4 },
};

START_TEST(a_bin_is_found_by_rule)
{
	options.index = (uint8_t)rules[_i].rule;
	make(1);
	range(LOOP - 4, 0x3fff, 2, false);
	pt_vmb_run(cpu[0], 1);
	wr(PT_VMDM_PCTRLR, 8, STOP);
	wr(PT_VMDM_PBAR, 10, rules[_i].bin);
	ck_assert_uint_eq(rd(PT_VMDM_PDRR, 36), 1);
	done();
}
END_TEST

START_TEST(a_full_bin)
{
	options.bins_wrap = _i == 1;
	make(1);
	mdm.core[0].profile.bin[0] = (UINT64_C(1) << 36) - 1;
	range(LOOP, 0x3fff, 0, false);
	pt_vmb_run(cpu[0], 1);
	wr(PT_VMDM_PBAR, 10, 0);
	ck_assert_uint_eq(rd(PT_VMDM_PDRR, 36), _i == 1 ? 0 : (UINT64_C(1) << 36) - 1);
	done();
}
END_TEST

/* 15: marker writes with a width that is one bit short see B where A was written. */
START_TEST(a_short_buffer_address_is_seen)
{
	make(1);
	wr(PT_VMDM_PBAR, (unsigned)_i, 0);
	wr(PT_VMDM_PDWR, 32, 0xaaaa);
	wr(PT_VMDM_PBAR, (unsigned)_i, 512);
	wr(PT_VMDM_PDWR, 32, 0xbbbb);
	wr(PT_VMDM_PBAR, (unsigned)_i, 0);
	ck_assert_uint_eq(rd(PT_VMDM_PDRR, 36), _i == 9 ? 0xbbbb : 0xaaaa);
	done();
}
END_TEST

START_TEST(the_parallel_window_is_the_same)
{
	make(1);
	axi_write(0x5d00, 3);
	axi_write(0x5dc0, 0x12345678);
	mdm.core[0].profile.bin[3] |= UINT64_C(0x900000000);
	axi_write(0x5d00, 3);
	ck_assert_uint_eq(axi_read(WINDOW_PDRR), 0x12345678);
	ck_assert_uint_eq(axi_read(WINDOW_PDRR + 4), 9);
	wr(PT_VMDM_PBAR, 10, 3);
	ck_assert_uint_eq(rd(PT_VMDM_PDRR, 36), UINT64_C(0x912345678));
	done();
}
END_TEST

/* --- what may be wrong */

START_TEST(without_a_buffer_nothing_is_read)
{
	options.profile_bytes = 0;
	make(1);
	range(0, 0x3fff, 2, false);
	run_loop(0);
	wr(PT_VMDM_PBAR, 10, 0);
	wr(PT_VMDM_PDWR, 32, 0xa5a5a5a5);
	wr(PT_VMDM_PBAR, 10, 0);
	ck_assert_uint_eq(rd(PT_VMDM_PDRR, 36), 0);
	done();
}
END_TEST

/* Nothing is taken before the code is in DBG_LOCK; another one closes it. */
START_TEST(a_code_opens_it)
{
	options.lock_code = 0xb0b0;
	make(1);
	axi_write(DBG_CTRL, 0x6181f);
	ck_assert_uint_eq(axi_read(DBG_DATA), 0);
	axi_write(DBG_LOCK, 0xb0b1);
	axi_write(DBG_CTRL, 0x6181f);
	ck_assert_uint_eq(axi_read(DBG_DATA), 0);
	for (unsigned i = 0; i < 2; i++) {
		if (i == 0)
			axi_write(DBG_LOCK, 0xb0b0);
		axi_write(DBG_CTRL, 0x6181f);
		ck_assert_uint_eq(axi_read(DBG_DATA), 0x42a70167);
	}
	axi_write(DBG_LOCK, 0);
	axi_write(DBG_CTRL, 0x6181f);
	ck_assert_uint_eq(axi_read(DBG_DATA), 0);
	done();
}
END_TEST

START_TEST(while_jtag_has_the_lock_nothing_is_read)
{
	options.locked_polls = 2;
	make(1);
	axi_write(DBG_CTRL, 0x6181f);
	ck_assert_uint_eq(axi_read(DBG_DATA), 0);
	ck_assert_uint_eq(axi_read(DBG_CTRL), 1);
	ck_assert_uint_eq(axi_read(DBG_CTRL), 1);
	ck_assert_uint_eq(axi_read(DBG_CTRL), 0);
	axi_write(DBG_CTRL, 0x6181f);
	ck_assert_uint_eq(axi_read(DBG_DATA), 0x42a70167);
	done();
}
END_TEST

START_TEST(a_core_in_reset_is_silent)
{
	make(1);
	wr(PT_VMDM_PBAR, 10, 0);
	wr(PT_VMDM_PDWR, 32, 5);
	pt_vmb_hold(cpu[0]);
	wr(PT_VMDM_PBAR, 10, 0);
	ck_assert_uint_eq(rd(PT_VMDM_PDRR, 36), 0);
	ck_assert_uint_eq(pt_vmdm_read(&mdm, true, PT_VMDM_CONFIG, 32), 0x42a70167);	/* the MDM is not */
	done();
}
END_TEST

START_TEST(another_version_says_so)
{
	options.version = 0x66;
	make(1);
	ck_assert_uint_eq(pt_vmdm_read(&mdm, true, PT_VMDM_CONFIG, 32) & 0xff, 0x66);
	done();
}
END_TEST

START_TEST(cores_are_told_apart)
{
	make(2);
	ck_assert_uint_eq(pt_vmdm_read(&mdm, true, PT_VMDM_CONFIG, 32), 0x42a70267);
	pt_vmdm_write(&mdm, true, PT_VMDM_WHICH, 8, 3);	/* both */
	range(LOOP, 0x3fff, 0, false);
	pt_vmb_run(cpu[1], 1);
	wr(PT_VMDM_PBAR, 10, 0);
	ck_assert_uint_eq(rd(PT_VMDM_PDRR, 36), 0);	/* undefined */
	pt_vmdm_write(&mdm, true, PT_VMDM_WHICH, 8, 2);
	wr(PT_VMDM_PBAR, 10, 0);
	ck_assert_uint_eq(rd(PT_VMDM_PDRR, 36), 1);
	pt_vmdm_write(&mdm, true, PT_VMDM_WHICH, 8, 1);
	ck_assert_uint_eq(rd(PT_VMDM_PDRR, 36), 0);
	done();
}
END_TEST

/* --- counters: section 5 */

static void configure(const uint8_t *events, size_t n)
{
	wr(PT_VMDM_PCCMDR, 5, 0x15);
	for (size_t i = 0; i < n; i++)
		wr(PT_VMDM_PCCTRLR, 8, events[i]);
	wr(PT_VMDM_PCCMDR, 5, 0x08);
}

START_TEST(events_are_counted)
{
	const uint8_t events[6] = { 0, 30, 8, 9, 19, 57 };	/* valid, cycles, taken, not taken, arithmetic */
	const uint64_t want[5] = { ROUNDS * PER_ROUND, ROUNDS * 6 - 2, ROUNDS - 1, 1, ROUNDS };

	make(1);
	configure(events, PT_LEN(events));
	run_loop(0);
	wr(PT_VMDM_PCCMDR, 5, 0x03);
	for (unsigned i = 0; i < 6; i++)
		ck_assert_uint_eq(rd(PT_VMDM_PCSR, 2), 0);
	wr(PT_VMDM_PCCMDR, 5, 0x01);
	for (unsigned i = 0; i < 5; i++)
		ck_assert_uint_eq(rd(PT_VMDM_PCDRR, 32), want[i]);
	ck_assert_uint_eq(rd(PT_VMDM_PCDRR, 32), 0);		/* no interrupt, no latency */
	done();
}
END_TEST

/* A sample is of one instant, and counting goes on. */
START_TEST(samples_stand_still)
{
	const uint8_t events[] = { 0 };

	make(1);
	configure(events, 1);
	pt_vmb_run(cpu[0], 1);
	wr(PT_VMDM_PCCMDR, 5, 0x03);
	run_loop(0);
	ck_assert_uint_eq(rd(PT_VMDM_PCDRR, 32), 1);
	wr(PT_VMDM_PCCMDR, 5, 0x03);
	ck_assert_uint_eq(rd(PT_VMDM_PCDRR, 32), ROUNDS * PER_ROUND);
	done();
}
END_TEST

START_TEST(counters_overflow)
{
	const uint8_t events[] = { 0 };

	make(1);
	configure(events, 1);
	wr(PT_VMDM_PCCMDR, 5, 0x01);
	wr(PT_VMDM_PCDWR, 32, 0xffffffff);
	pt_vmb_run(cpu[0], 1);
	wr(PT_VMDM_PCCMDR, 5, 0x03);
	ck_assert_uint_eq(rd(PT_VMDM_PCSR, 2), 2);
	wr(PT_VMDM_PCCMDR, 5, 0x01);
	ck_assert_uint_eq(rd(PT_VMDM_PCDRR, 32), 0);
	done();
}
END_TEST

/* Items by width: the latency counter after two interrupts of known latency. */
static const struct { uint8_t width; unsigned n_items; uint32_t want[8]; } widths[] = {
	{ 32, 4, { 2, 5 + 9, 25 + 81, 5 << 16 | 9 } },
	{ 48, 7, { 2, 0, 5 + 9, 0, 25 + 81, 5, 9 } },
	{ 64, 7, { 2, 0, 5 + 9, 0, 25 + 81, 5, 9 } },
};

static void interrupt_after(uint64_t waits)
{
	pt_vmdm_interrupt(&mdm.core[0], true);
	pt_vmb_run(cpu[0], pt_vmb_cycle(cpu[0]) + waits);
	pt_vmb_interrupt(cpu[0], true);
	pt_vmb_run(cpu[0], pt_vmb_cycle(cpu[0]) + 1);	/* 4 cycles to the vector */
	pt_vmb_interrupt(cpu[0], false);
	pt_vmdm_interrupt(&mdm.core[0], false);
}

START_TEST(latencies_have_items)
{
	const uint8_t events[] = { 0, 57 };

	options.event_counters = 1;
	options.counter_width = widths[_i].width;
	make(1);
	for (uint32_t i = 0; i < 32; i++)
		put(0, PT_VMB_INTERRUPT + 4 * i, NOP);
	configure(events, PT_LEN(events));
	for (unsigned i = 0; i < 2; i++) {
		pt_vmb_set_reg(cpu[0], PT_VMB_PC, PT_VMB_INTERRUPT);
		pt_vmb_set_reg(cpu[0], PT_VMB_MSR, PT_VMB_IE);
		interrupt_after(i == 0 ? 1 : 5);
	}
	wr(PT_VMDM_PCCMDR, 5, 0x03);
	rd(PT_VMDM_PCSR, 2);
	rd(PT_VMDM_PCSR, 2);
	wr(PT_VMDM_PCCMDR, 5, 0x01);
	for (unsigned i = 0; i < (widths[_i].width > 32 ? 2 : 1); i++)
		rd(PT_VMDM_PCDRR, 32);
	for (unsigned i = 0; i < widths[_i].n_items; i++)
		ck_assert_msg(rd(PT_VMDM_PCDRR, 32) == widths[_i].want[i], "%u bits: item %u", widths[_i].width, i);
	done();
}
END_TEST

/* --- trace: section 6 */

static void trace(uint32_t control)
{
	wr(PT_VMDM_TCTRLR, 22, control);
	wr(PT_VMDM_TCMDR, 4, 8);
	wr(PT_VMDM_TCMDR, 4, 4);
}

static uint32_t n_traced(void)
{
	wr(PT_VMDM_TCMDR, 4, 2);
	wr(PT_VMDM_TCMDR, 4, 1);
	return (uint32_t)rd(PT_VMDM_TSR, 18) & 0xffff;
}

START_TEST(flow_is_outcomes)
{
	make(1);
	pt_vmb_set_reg(cpu[0], 3, 14);
	trace(1 << 4);
	run_loop(0);
	ck_assert_uint_eq(n_traced(), 2);
	ck_assert_uint_eq(rd(PT_VMDM_TDRR, 18), 0x0cfff);		/* 12 taken */
	ck_assert_uint_eq(rd(PT_VMDM_TDRR, 18), 2 << 12 | 2 << 10);	/* taken, not taken */
	done();
}
END_TEST

START_TEST(flow_has_pcs_behind_slots)
{
	make(1);
	put(0, LOOP, B(0x2d, 0x10, 4, 8));	/* rtsd r4,8 */
	pt_vmb_set_reg(cpu[0], 4, 0x12344 & 0x7ff8);
	trace(1 << 4 | 1);
	pt_vmb_run(cpu[0], 3);
	ck_assert_uint_eq(n_traced(), 2);
	ck_assert_uint_eq(rd(PT_VMDM_TDRR, 18), 1 << 16);
	ck_assert_uint_eq(rd(PT_VMDM_TDRR, 18), 1 << 16 | ((0x12344 & 0x7ff8) + 8));
	done();
}
END_TEST

/* Six cycles each but the first, which is one short of the branch's own extra cycles. */
START_TEST(flow_with_cycles_pairs_short_ones)
{
	make(1);
	pt_vmb_set_reg(cpu[0], 3, 3);
	trace(3 << 4);
	run_loop(0);
	ck_assert_uint_eq(n_traced(), 2);
	ck_assert_uint_eq(rd(PT_VMDM_TDRR, 18), 2 << 14 | 6 << 8 | 1 << 7 | 6 << 1 | 1);
	ck_assert_uint_eq(rd(PT_VMDM_TDRR, 18), 1 << 14 | 4 << 8);
	done();
}
END_TEST

START_TEST(software_events_are_told)
{
	make(1);
	put(0, LOOP, B(0x2a, 0, 4, 0x5));	/* xori r0,r4,5 */
	pt_vmb_set_reg(cpu[0], 4, 0x1230);
	trace(2 << 4);
	pt_vmb_run(cpu[0], 1);
	ck_assert_uint_eq(n_traced(), 2);
	ck_assert_uint_eq(rd(PT_VMDM_TDRR, 18), 3 << 16 | 1 << 14 | 1);
	ck_assert_uint_eq(rd(PT_VMDM_TDRR, 18), 3 << 16 | 0x1235);
	done();
}
END_TEST

START_TEST(a_complete_record_has_eight_items)
{
	static const uint32_t want[8] = {
		1 << 3, PT_VMB_PVR << 6 | 3 << 1 | 1, (ROUNDS - 1) >> 26, (ROUNDS - 1) >> 8 & 0x3ffff,
		((ROUNDS - 1) & 0xff) << 10 | B(0x0c, 3, 3, -1) >> 22, B(0x0c, 3, 3, -1) >> 4 & 0x3ffff,
		(B(0x0c, 3, 3, -1) & 15) << 14 | LOOP >> 18, LOOP,
	};

	make(1);
	trace(0);
	pt_vmb_run(cpu[0], 1);
	ck_assert_uint_eq(n_traced(), 8);
	for (unsigned i = 0; i < 8; i++)
		ck_assert_msg(rd(PT_VMDM_TDRR, 18) == want[i], "item %u", i + 1);
	done();
}
END_TEST

START_TEST(a_full_buffer)
{
	static const struct { uint32_t control; bool stops, halts, on; } rows[] = {
		{ 0, false, false, true }, { 0, true, false, false }, { 8, false, true, false },
	};

	options.trace_stops = rows[_i].stops;
	make(1);
	trace(rows[_i].control);
	pt_vmb_run(cpu[0], 4096);
	ck_assert_int_eq(pt_vmb_state(cpu[0]) == PT_VMB_HALT, rows[_i].halts);
	ck_assert_int_eq(rd(PT_VMDM_TSR, 18) >> 17, rows[_i].on);
	ck_assert_uint_eq(n_traced(), 4096);
	done();
}
END_TEST

/* --- cross triggers */

/* Core 0 halts, so core 1 does: output 0 of core 1 is trigger 0 of anybody. */
START_TEST(a_halt_crosses)
{
	make(2);
	pt_vmdm_write(&mdm, true, PT_VMDM_WHICH, 8, 2);
	pt_vmdm_write(&mdm, true, PT_VMDM_XCT_CONTROL, 16, 1 << 11 | PT_VMDM_STOP);
	pt_vmb_request_halt(cpu[0], PT_VMB_HALT_STOP);
	pt_vmb_run(cpu[0], 10);
	pt_vmb_run(cpu[1], 10);
	ck_assert_int_eq(pt_vmb_state(cpu[1]), PT_VMB_HALT);
	ck_assert_uint_eq(pt_vmdm_read(&mdm, true, PT_VMDM_XCT_STATUS, 24), 1 << 23 | 1 << 15);
	done();
}
END_TEST

START_TEST(triggers_start_and_stop_profiling)
{
	make(1);
	wr(PT_VMDM_PHAR, 30, 0xfff);
	pt_vmdm_act(&mdm.core[0], PT_VMDM_PROFILE_ON);
	pt_vmb_run(cpu[0], 1);
	pt_vmdm_act(&mdm.core[0], PT_VMDM_PROFILE_OFF);
	run_loop(0);
	wr(PT_VMDM_PBAR, 10, LOOP / 4);
	ck_assert_uint_eq(rd(PT_VMDM_PDRR, 36), 1);
	done();
}
END_TEST

/* --- UART */

START_TEST(the_uart_is_a_uart_lite)
{
	make(1);
	axi_write(0x4, 'h');
	axi_write(0x4, 'i');
	ck_assert_int_eq(memcmp(mdm.uart.log, "hi", 2), 0);
	ck_assert_uint_eq(axi_read(0x8) & 4, 0);
	ck_assert(pt_vuartlite_receive(&mdm.uart, 'x'));
	ck_assert_uint_eq(axi_read(0x8) & 1, 1);
	ck_assert_uint_eq(axi_read(0x0), 'x');
	done();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("mdm");
	TCase *tc = tcase_create("registers");

	tcase_add_checked_fixture(tc, setup, NULL);
	tcase_add_test(tc, vector_i_configuration);
	tcase_add_test(tc, vector_ii_instructions);
	tcase_add_test(tc, vector_iii_cycles);
	tcase_add_test(tc, vector_iv_36_bits);
	tcase_add_loop_test(tc, vector_v_halves, 0, 2);
	tcase_add_test(tc, vector_vi_buffer_address_wraps);
	tcase_add_test(tc, bins_are_the_cores_own_count);
	tcase_add_loop_test(tc, a_bin_is_found_by_rule, 0, PT_LEN(rules));
	tcase_add_loop_test(tc, a_full_bin, 0, 2);
	tcase_add_loop_test(tc, a_short_buffer_address_is_seen, 9, 11);
	tcase_add_test(tc, the_parallel_window_is_the_same);
	tcase_add_test(tc, without_a_buffer_nothing_is_read);
	tcase_add_test(tc, a_code_opens_it);
	tcase_add_test(tc, while_jtag_has_the_lock_nothing_is_read);
	tcase_add_test(tc, a_core_in_reset_is_silent);
	tcase_add_test(tc, another_version_says_so);
	tcase_add_test(tc, cores_are_told_apart);
	tcase_add_test(tc, events_are_counted);
	tcase_add_test(tc, samples_stand_still);
	tcase_add_test(tc, counters_overflow);
	tcase_add_loop_test(tc, latencies_have_items, 0, PT_LEN(widths));
	tcase_add_test(tc, flow_is_outcomes);
	tcase_add_test(tc, flow_has_pcs_behind_slots);
	tcase_add_test(tc, flow_with_cycles_pairs_short_ones);
	tcase_add_test(tc, software_events_are_told);
	tcase_add_test(tc, a_complete_record_has_eight_items);
	tcase_add_loop_test(tc, a_full_buffer, 0, 3);
	tcase_add_test(tc, a_halt_crosses);
	tcase_add_test(tc, triggers_start_and_stop_profiling);
	tcase_add_test(tc, the_uart_is_a_uart_lite);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
