/* What the virtual cm4's DWT reports, against what the core did: samples, exceptions, event counters, data. */
#include "harness.h"
#include "swo_rig.h"

#include "bare_core.h"
#include "base/util.h"

static void setup(void)
{
	rig_open(&pt_vboard_cm4, NULL);
}

/* --- pc samples */

static struct { uint32_t pc; uint64_t cycle; } executed[1 << 20];
static size_t n_executed;

static void on_insn(void *arg, uint32_t pc)
{
	(void)arg;
	if (n_executed == PT_LEN(executed))
		return;
	executed[n_executed].pc = pc;
	executed[n_executed++].cycle = pt_vcpu_cycle(rig.chip->cpu);
}

static struct pt_vobserver instructions = { .insn = on_insn };

/* The last instruction that began before the cycle. */
static uint32_t executed_at(uint64_t cycle)
{
	size_t low = 0, high = n_executed;

	while (high - low > 1) {
		size_t middle = (low + high) / 2;

		if (executed[middle].cycle < cycle)
			low = middle;
		else
			high = middle;
	}
	return executed[low].pc;
}

static const struct { const char *name; uint32_t ctrl; unsigned period; } rates[] = {
	{ "every 64 cycles", 0x1001, 64 },
	{ "every 5 * 64", 0x1001 | 4 << 1, 320 },
	{ "every 1024", 0x1201, 1024 },
	{ "every 16 * 1024", 0x1201 | 15 << 1, 16384 },
};
START_TEST(samples_have_their_cadence)
{
	uint64_t cycles;
	size_t n = 0;

	rig_run_us(3000);
	n_executed = 0;
	pt_vcpu_add_observer(rig.chip->cpu, &instructions);
	rig_trace(0, RIG_TCR_NO_STAMPS);
	rig_poke(RIG_CYCCNT, 0);
	rig_poke(RIG_DWT_CTRL, rates[_i].ctrl);
	rig_run_us(10000);
	cycles = rig_peek(RIG_CYCCNT);
	ck_assert_uint_eq(rig_compare(), 0);
	for (size_t i = 0; i < rig.log.n; i++) {
		const struct pt_vtrace_packet *packet = &rig.packet[i];
		bool asleep = packet->n_bytes == 2;

		ck_assert_uint_eq(packet->bytes[0], asleep ? 0x15 : 0x17);
		ck_assert_msg(asleep ? packet->bytes[1] == 0
				     : pt_le32(packet->bytes + 1) == executed_at(packet->at_cycle),
			      "%s: %zu", rates[_i].name, i);
		ck_assert_uint_eq(packet->at_cycle - rig.packet[0].at_cycle, i * rates[_i].period);
		n += !asleep;
	}
	ck_assert_msg(rig.log.n - cycles / rates[_i].period <= 1, "%s: %zu", rates[_i].name, rig.log.n);
	ck_assert_uint_gt(n, 0);
	ck_assert_uint_lt(n, rig.log.n);		/* it sleeps sometimes */
	pt_vcpu_remove_observer(rig.chip->cpu, &instructions);
}
END_TEST

/* --- exceptions */

static uint8_t told[1 << 16][3];
static size_t n_told;
static unsigned in_exception;

static void tell(unsigned what, unsigned exception)
{
	if (n_told == PT_LEN(told))
		return;
	told[n_told][0] = 0x0e;
	told[n_told][1] = (uint8_t)exception;
	told[n_told++][2] = (uint8_t)(what << 4);
}

static void on_jump(void *arg, enum pt_vjump how, uint32_t from, uint32_t detail, uint32_t to)
{
	unsigned now = pt_vcpu_reg(rig.chip->cpu, 16) & 0x1ff;

	(void)arg, (void)from, (void)detail, (void)to;
	if (how == PT_VJUMP_EXC_RETURN || how == PT_VJUMP_TAIL_CHAIN)
		tell(2, in_exception);
	if (how == PT_VJUMP_EXCEPTION || how == PT_VJUMP_TAIL_CHAIN)
		tell(1, now);
	if (how == PT_VJUMP_EXC_RETURN)
		tell(3, now);
	in_exception = now;
}

static struct pt_vobserver jumps = { .jump = on_jump };

/* The demo has a timer and SysTick, and PendSV behind the one or the other; in the other program more things nest. */
static const struct { const char *firmware; bool nests; } programs[] = { { NULL, false }, { "cm4_trace.elf", true } };
START_TEST(exceptions_come_in_order)
{
	const char *words[] = { "itm-fifo=64", NULL };
	size_t n_chained = 0, n_nested = 0;

	if (programs[_i].firmware != NULL) {
		rig_close();
		rig_open_firmware(&pt_vboard_cm4, words, programs[_i].firmware);
	}
	rig_run_us(3000);
	rig_trace(0, RIG_TCR_NO_STAMPS);
	rig_poke(RIG_ITM + PT_VITM_TER, 0);
	rig_poke(RIG_DWT_CTRL, 0x10001);
	n_told = 0;
	in_exception = pt_vcpu_reg(rig.chip->cpu, 16) & 0x1ff;
	pt_vcpu_add_observer(rig.chip->cpu, &jumps);
	rig_run_us(50000);
	pt_vcpu_remove_observer(rig.chip->cpu, &jumps);
	ck_assert_uint_eq(rig_compare(), 0);
	ck_assert_uint_eq(rig.log.n, n_told);
	for (size_t i = 0; i < n_told; i++) {
		ck_assert_msg(memcmp(rig.packet[i].bytes, told[i], 3) == 0, "packet %zu", i);
		n_chained += i > 0 && told[i][2] == 0x10 && told[i - 1][2] == 0x20;
		n_nested += told[i][2] == 0x30 && told[i][1] != 0;
		if (told[i][2] == 0x30)
			ck_assert_uint_eq(rig.packet[i].at_cycle - rig.packet[i - 1].at_cycle, 10);
	}
	ck_assert_uint_gt(n_chained, 0);
	ck_assert_int_eq(n_nested > 0, programs[_i].nests);
}
END_TEST

START_TEST(exits_can_be_missing)
{
	const char *words[] = { "variant=no-exits", NULL };
	size_t n[4] = { 0 };

	rig_close();
	rig_open(&pt_vboard_cm4, words);
	rig_run_us(3000);
	rig_trace(0, RIG_TCR_NO_STAMPS);
	rig_poke(RIG_DWT_CTRL, 0x10001);
	rig_run_us(10000);
	for (size_t i = 0; i < rig.log.n; i++)
		n[rig.packet[i].bytes[2] >> 4]++;
	ck_assert_uint_gt(n[1], 100);
	ck_assert_uint_eq(n[2], 0);
	ck_assert_uint_gt(n[3], 50);
}
END_TEST

enum { HANDLERS = 0x20009000, TABLE = 0x2000a000, TIMER = 0x40000000, IRQ1 = 17, TIMER0 = 24 };

static uint64_t code_began;

/* The timer, which is more urgent, ends so many clocks behind the store that pends IRQ1. */
static void race(uint32_t clocks)
{
	static const uint16_t code[] = { 0x6041, 0x6013, 0xe7fe };	/* str r1,[r0,#4]; str r3,[r2]; b . */
	const uint32_t r[4] = { TIMER, clocks, 0xe000e200, 2 };

	rig_halt();
	for (unsigned n = 0; n < 48; n++)
		rig_poke(TABLE + 4 * n, HANDLERS | 1);
	rig_poke(HANDLERS, 0x60c12101);				/* movs r1,#1; str r1,[r0,#12]; nop; bx lr */
	rig_poke(HANDLERS + 4, 0x4770bf00);
	rig_poke(0xe000ed08, TABLE);
	rig_poke(0xe000e010, 0);
	for (unsigned n = 0; n < 3; n++) {
		rig_poke(0xe000e180 + 4 * n, UINT32_MAX);
		rig_poke(0xe000e280 + 4 * n, UINT32_MAX);
	}
	rig_poke(0xe000e400, 0x8000);
	rig_poke(0xe000e408, 0x40);
	rig_poke(0xe000e100, 1u << 8 | 2);
	rig_poke(TIMER + 8, 1000000);
	rig_poke(TIMER, 9);
	rig_poke(TIMER + 12, 1);
	rig_run_code(code, PT_LEN(code), r);
	pt_vcpu_set_reg(rig.chip->cpu, 20, 0);
	code_began = pt_vcpu_cycle(rig.chip->cpu);
	rig_run_us(20);
}

/* Behind the entry it nests; during it, and just before, it has the entry, at the same time, and the other follows. */
START_TEST(a_late_arrival_takes_the_entry)
{
	unsigned n_late = 0, n_nested = 0;
	uint64_t alone = 0;

	rig_trace(0, RIG_TCR_NO_STAMPS);
	rig.chip->itm.fifo_room = 64;
	rig_poke(RIG_DWT_CTRL, 0x10001);
	for (uint32_t clocks = 60; clocks > 0; clocks--) {
		const struct pt_vtrace_packet *p = rig.packet;
		uint64_t begin, entered;

		rig.log.n = 0;
		race(clocks);
		begin = code_began;
		entered = p->at_cycle - begin;
		if (p[0].bytes[1] == IRQ1) {
			alone = entered;
			n_nested++;
		} else {
			ck_assert_uint_eq(entered, alone);
			ck_assert_uint_eq(p[0].bytes[1], TIMER0);
			ck_assert_uint_eq(p[1].bytes[2] << 8 | p[1].bytes[1], 0x2000 | TIMER0);
			ck_assert_uint_eq(p[2].bytes[2] << 8 | p[2].bytes[1], 0x1000 | IRQ1);
			n_late++;
		}
	}
	ck_assert_uint_gt(n_nested, 0);
	ck_assert_uint_eq(n_late, 12 + 2);	/* cycles of the entry, and of the store before it */
}
END_TEST

/* --- event counters and data */

/* Every wrap is reported, so packets and what is left in the registers are all that was counted. */
START_TEST(wraps_add_up)
{
	uint64_t before[5], counted[5] = { 0 };

	rig_run_us(3000);
	rig_trace(0, RIG_TCR_NO_STAMPS);
	rig_poke(RIG_DWT_CTRL, 0x003e0001);
	for (unsigned n = 0; n < 5; n++)
		before[n] = pt_vcpu_events(rig.chip->cpu, PT_VEVENT_CPI + n);
	rig_run_us(20000);
	ck_assert_uint_eq(rig_compare(), 0);
	for (size_t i = 0; i < rig.log.n; i++) {
		ck_assert_uint_eq(rig.packet[i].bytes[0], 0x05);
		for (unsigned n = 0; n < 5; n++)
			counted[n] += (rig.packet[i].bytes[1] >> n & 1) * 256;
	}
	for (unsigned n = 0; n < 5; n++) {
		counted[n] += rig_peek(RIG_DWT_CTRL + 8 + 4 * n);
		ck_assert_msg(counted[n] == pt_vcpu_events(rig.chip->cpu, PT_VEVENT_CPI + n) - before[n], "counter %u",
			      n);
	}
}
END_TEST

START_TEST(cycles_are_an_event)
{
	rig_run_us(3000);
	rig_trace(0, RIG_TCR_NO_STAMPS);
	rig_poke(RIG_DWT_CTRL, 0x00400001 | 3 << 1 | 1 << 5);		/* POSTPRESET 3, POSTINIT 1 */
	rig_run_us(1000);
	ck_assert_uint_eq(rig_compare(), 0);
	ck_assert_uint_ge(rig.log.n, 25000 / 256 - 1);
	for (size_t i = 0; i < rig.log.n; i++) {
		ck_assert_uint_eq(rig.packet[i].bytes[1], 0x20);
		ck_assert_uint_eq(rig.packet[i].at_cycle - rig.packet[0].at_cycle, 256 * i);
	}
}
END_TEST

/* r0 is an address, r1 a value: str r1,[r0]; ldr r2,[r0]; strb r1,[r0,#1]; ldrh r2,[r0,#2] */
static const struct { const char *name; uint32_t function, mask, offset; uint8_t want[32]; size_t n; } matches[] = {
	{ "off", 0, 2, 0, { 0 }, 0 },
	{ "pc", 1, 2, 0, { 0x47, 0x00, 0x80, 0x00, 0x20, 0x47, 0x02, 0x80, 0x00, 0x20, 0x47, 0x04, 0x80, 0x00, 0x20, 0x47, 0x06, 0x80, 0x00, 0x20 },
	  20 },
	{ "address", 0x21, 2, 0, { 0x4e, 0x00, 0x81, 0x4e, 0x00, 0x81, 0x4e, 0x01, 0x81, 0x4e, 0x02, 0x81 }, 12 },
	{ "value", 2, 2, 0, { 0x8f, 0x78, 0x56, 0x34, 0x12, 0x87, 0x78, 0x56, 0x34, 0x12, 0x8d, 0x78, 0x86, 0x34, 0x12 }, 15 },
	{ "address and value on writes", 0x2d, 2, 0, { 0x4e, 0x00, 0x81, 0x4e, 0x01, 0x81 }, 6 },
	{ "value on writes", 13, 2, 0, { 0x8f, 0x78, 0x56, 0x34, 0x12, 0x8d, 0x78 }, 7 },
	{ "value on reads", 12, 2, 0, { 0x87, 0x78, 0x56, 0x34, 0x12, 0x86, 0x34, 0x12 }, 8 },
	{ "pc and value on writes", 15, 2, 0, { 0x47, 0x00, 0x80, 0x00, 0x20, 0x8f, 0x78, 0x56, 0x34, 0x12, 0x47, 0x04, 0x80, 0x00, 0x20, 0x8d, 0x78 },
	  17 },
	{ "address and value on reads", 0x2e, 2, 0, { 0x4e, 0x00, 0x81, 0x87, 0x78, 0x56, 0x34, 0x12, 0x4e, 0x02, 0x81, 0x86, 0x34, 0x12 }, 14 },
	{ "a byte of it", 13, 0, 1, { 0x8f, 0x78, 0x56, 0x34, 0x12, 0x8d, 0x78 }, 7 },
	{ "beside it", 2, 2, 4, { 0 }, 0 },
};
START_TEST(data_is_reported)
{
	static const uint16_t code[] = { 0x6001, 0x6802, 0x7041, 0x8842, 0xe7fe };
	const uint32_t at = RIG_FREE_RAM + 0x100, r[4] = { at, 0x12345678, 0, 0 };

	rig_trace(0, RIG_TCR_NO_STAMPS);
	rig.chip->itm.fifo_room = 16;
	rig_halt();
	rig_poke(RIG_COMP0, at + matches[_i].offset);
	rig_poke(RIG_COMP0 + 4, matches[_i].mask);
	rig_poke(RIG_COMP0 + 8, matches[_i].function);
	rig_run_code(code, PT_LEN(code), r);
	rig_run_us(100);
	rig_expect(matches[_i].name, matches[_i].want, matches[_i].n);
	ck_assert_uint_eq(rig_peek(RIG_COMP0 + 8) >> 24, matches[_i].n > 0);
}
END_TEST

/* Beside exceptions and data a sample still has its time, and stands before what came later. */
START_TEST(samples_keep_their_place)
{
	uint64_t last = 0, first = 0;

	rig_close();
	rig_open_firmware(&pt_vboard_cm4, NULL, "cm4_trace.elf");
	rig_run_us(3000);
	rig_trace(0, 0x00010009);
	rig_poke(RIG_TPIU + PT_VTPIU_SPPR, 0);
	rig_poke(RIG_ITM + PT_VITM_TER, 0);
	rig_poke(RIG_COMP0, pt_elf_symbol(pt_firmware("cm4_trace.elf"), "g_watched"));
	rig_poke(RIG_COMP0 + 4, 2);
	rig_poke(RIG_COMP0 + 8, 3);
	rig_poke(RIG_DWT_CTRL, 0x11001);
	rig_run_us(20000);
	for (size_t i = 0; i < rig.log.n; i++) {
		const struct pt_vtrace_packet *packet = &rig.packet[i];

		ck_assert(!packet->lost);
		ck_assert_uint_ge(packet->at_cycle, last);
		last = packet->at_cycle;
		if (packet->bytes[0] >> 3 != 2)
			continue;
		first = first != 0 ? first : last;
		ck_assert_uint_eq((last - first) % 64, 0);
	}
	ck_assert_uint_gt(rig.log.n, 10000);
}
END_TEST

static struct { uint32_t addr, value, pc; unsigned size_bytes; bool write; } accesses[1 << 14];
static size_t n_accesses;
static uint32_t watched;

static void on_data(void *arg, uint32_t addr, unsigned size_bytes, bool write, uint32_t value, uint32_t pc)
{
	(void)arg;
	if (addr / 8 != watched / 8 || n_accesses == PT_LEN(accesses))
		return;
	accesses[n_accesses].addr = addr;
	accesses[n_accesses].size_bytes = size_bytes;
	accesses[n_accesses].write = write;
	accesses[n_accesses].pc = pc;
	accesses[n_accesses++].value = value;
}

static struct pt_vobserver data_accesses = { .data = on_data };

/* Two comparators over eight bytes: address and value, pc. The parallel port takes all, so that nothing is lost. */
START_TEST(every_access_is_reported)
{
	rig_close();
	rig_open_firmware(&pt_vboard_cm4, NULL, "cm4_trace.elf");
	watched = pt_elf_symbol(pt_firmware("cm4_trace.elf"), "g_watched");
	rig_run_us(3000);
	rig_trace(0, 0x00010009);
	rig_poke(RIG_TPIU + PT_VTPIU_SPPR, 0);
	rig_poke(RIG_ITM + PT_VITM_TER, 0);
	rig_poke(RIG_COMP0, watched);
	rig_poke(RIG_COMP0 + 4, 3);
	rig_poke(RIG_COMP0 + 8, 0x22);
	rig_poke(RIG_COMP0 + 0x10, watched);
	rig_poke(RIG_COMP0 + 0x14, 3);
	rig_poke(RIG_COMP0 + 0x18, 1);
	n_accesses = 0;
	pt_vcpu_add_observer(rig.chip->cpu, &data_accesses);
	rig_run_us(5000);
	pt_vcpu_remove_observer(rig.chip->cpu, &data_accesses);
	ck_assert_uint_gt(n_accesses, 1000);
	ck_assert_uint_eq(rig.log.n, 3 * n_accesses);
	for (size_t i = 0; i < n_accesses; i++) {
		const struct pt_vtrace_packet *address = &rig.packet[3 * i], *value = address + 1, *pc = address + 2;
		uint32_t got = 0;

		for (unsigned k = 1; k < value->n_bytes; k++)
			got |= (uint32_t)value->bytes[k] << 8 * (k - 1);
		ck_assert(!address->lost && !value->lost && !pc->lost);
		ck_assert_uint_eq(address->bytes[0], 0x4e);
		ck_assert_uint_eq(pt_le16(address->bytes + 1), accesses[i].addr & 0xffff);
		ck_assert_uint_eq(value->bytes[0] >> 2, 0x21 | (accesses[i].write ? 2 : 0));
		ck_assert_uint_eq(value->n_bytes - 1u, accesses[i].size_bytes);
		ck_assert_uint_eq(got, accesses[i].value);
		ck_assert_uint_eq(pc->bytes[0], 0x57);
		ck_assert_uint_eq(pt_le32(pc->bytes + 1), accesses[i].pc);
	}
}
END_TEST

/* In Debug state CYCCNT stands, and so do samples: what CYCCNT says is how many there are. */
START_TEST(samples_stand_while_halted)
{
	rig_run_us(3000);
	rig_trace(0, RIG_TCR_NO_STAMPS);
	rig_poke(RIG_CYCCNT, 0);
	rig_poke(RIG_DWT_CTRL, 0x1001 | 1 << 1);
	for (unsigned i = 0; i < 20; i++) {
		rig_run_us(30 + i);
		rig_poke(RIG_DHCSR, 0xa05f0003);
		rig_run_us(50 + 7 * i);
		rig_poke(RIG_DHCSR, 0xa05f0001 | (i % 3 == 0 ? 4 : 0));	/* sometimes one instruction */
	}
	rig_run_us(10);
	ck_assert_uint_eq(rig_compare(), 0);
	ck_assert_uint_eq(rig.log.n, rig_peek(RIG_CYCCNT) / 128);
}
END_TEST

/* Bit 24, 26 or 28 of CYCCNT changes. */
START_TEST(synchronisation_comes_by_cyccnt)
{
	static const uint8_t want[] = { 0, 0, 0, 0, 0, 0x80 };

	rig_trace(0, RIG_TCR_NO_STAMPS);
	rig_poke(RIG_CYCCNT, (UINT32_C(1) << (22 + 2 * _i)) - 1000);
	rig_poke(RIG_DWT_CTRL, 1 | (uint32_t)_i << 10);
	rig_run_us(39);
	ck_assert_uint_eq(rig.n_bytes, 0);
	rig_run_us(10);
	rig_expect("sync", want, sizeof(want));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("virtual dwt");
	TCase *all = tcase_create("all");

	tcase_add_checked_fixture(all, setup, rig_close);
	tcase_add_loop_test(all, samples_have_their_cadence, 0, PT_LEN(rates));
	tcase_add_loop_test(all, exceptions_come_in_order, 0, PT_LEN(programs));
	tcase_add_test(all, exits_can_be_missing);
	tcase_add_test(all, a_late_arrival_takes_the_entry);
	tcase_add_test(all, wraps_add_up);
	tcase_add_test(all, cycles_are_an_event);
	tcase_add_loop_test(all, data_is_reported, 0, PT_LEN(matches));
	tcase_add_test(all, every_access_is_reported);
	tcase_add_test(all, samples_keep_their_place);
	tcase_add_test(all, samples_stand_while_halted);
	tcase_add_loop_test(all, synchronisation_comes_by_cyccnt, 1, 4);
	suite_add_tcase(suite, all);
	return pt_run_suite(suite);
}
