/* The virtual cm4's trace: what its ITM and DWT send, against the log of what happened and against what the core did. */
#include "harness.h"
#include "swo_rig.h"

#include "bare_core.h"
#include "base/util.h"

static void setup(void)
{
	rig_open(&pt_vboard_cm4, NULL);
}

static void expect_bytes(const char *name, const uint8_t *want, size_t n)
{
	ck_assert_msg(rig.n_bytes == n, "%s: %zu bytes, not %zu", name, rig.n_bytes, n);
	for (size_t i = 0; i < n; i++)
		ck_assert_msg(rig.byte[i].byte == want[i], "%s: byte %zu is %02x, not %02x", name, i, rig.byte[i].byte,
			      want[i]);
}

/* --- stimulus ports. Source of the bytes: facts on SWO, 7.1 */

static const struct { const char *name; uint32_t at, value; unsigned size_bytes; uint8_t want[6]; size_t n; } writes[] = {
	{ "port 0, a byte", 0x00, 'A', 1, { 0x01, 0x41 }, 2 },
	{ "port 1, a word", 0x04, 0x12345678, 4, { 0x0b, 0x78, 0x56, 0x34, 0x12 }, 5 },
	{ "port 31, a halfword", 0x7c, 0xbeef, 2, { 0xfa, 0xef, 0xbe }, 3 },
	{ "no port", 0x80, 1, 4, { 0 }, 0 },
};
START_TEST(the_debugger_writes_a_port)
{
	rig_halt();
	rig_trace(11, RIG_TCR_PORTS);
	rig_write(RIG_ITM + writes[_i].at, writes[_i].value, writes[_i].size_bytes);
	rig_run_us(100);
	expect_bytes(writes[_i].name, writes[_i].want, writes[_i].n);
	rig_compare();
}
END_TEST

START_TEST(the_core_writes_a_port)
{
	static const uint16_t code[] = { 0x7001, 0x8042, 0x6083, 0xe7fe };	/* strb r1,[r0]; strh r2,[r0,#2]; str r3,[r0,#8] */
	static const uint8_t want[] = { 0x01, 0x41, 0x02, 0x34, 0x12, 0x13, 0xef, 0xbe, 0xad, 0xde };
	const uint32_t r[4] = { RIG_ITM, 'A', 0x1234, 0xdeadbeef };

	rig_trace(11, RIG_TCR_PORTS);
	rig_run_code(code, PT_LEN(code), r);
	rig_run_us(200);
	expect_bytes("core", want, sizeof(want));
}
END_TEST

/* What keeps a write from being sent. */
static const struct { const char *name; uint32_t demcr, lock, ter, tcr; size_t n; } gates[] = {
	{ "all is on", RIG_TRCENA, PT_VITM_KEY, 1, RIG_TCR_PORTS, 2 },
	{ "TRCENA is off", 0, PT_VITM_KEY, 1, RIG_TCR_PORTS, 0 },
	{ "locked", RIG_TRCENA, 0, 1, RIG_TCR_PORTS, 0 },
	{ "the port is off", RIG_TRCENA, PT_VITM_KEY, 2, RIG_TCR_PORTS, 0 },
	{ "the ITM is off", RIG_TRCENA, PT_VITM_KEY, 1, 0x0001000e, 0 },
};
START_TEST(a_write_passes_all_gates)
{
	rig_halt();
	rig_poke(RIG_DEMCR, gates[_i].demcr);
	rig_poke(RIG_TPIU + PT_VTPIU_SPPR, 2);
	rig_poke(RIG_TPIU + PT_VTPIU_FFCR, 0x100);
	rig_poke(RIG_ITM + PT_VITM_LAR, gates[_i].lock);
	rig_poke(RIG_ITM + PT_VITM_TER, gates[_i].ter);
	rig_poke(RIG_ITM + PT_VITM_TCR, gates[_i].tcr);
	rig_write(RIG_ITM, 'A', 1);
	rig_run_us(100);
	ck_assert_msg(rig.n_bytes == gates[_i].n, "%s: %zu", gates[_i].name, rig.n_bytes);
}
END_TEST

/* The FIFO and its buffer take five bytes; the port is not ready then, and what comes is lost and reported. */
START_TEST(a_full_port_says_so)
{
	rig_halt();
	rig_trace(1000, RIG_TCR_PORTS);
	for (unsigned i = 0; i < 5; i++) {
		ck_assert_uint_eq(rig_peek(RIG_ITM) & 1, 1);
		rig_write(RIG_ITM, i, 1);
	}
	ck_assert_uint_eq(rig_peek(RIG_ITM) & 1, 0);
	ck_assert_uint_eq(rig_peek(RIG_ITM + PT_VITM_TCR) >> 23 & 1, 1);
	rig_write(RIG_ITM, 5, 1);
	rig_write(RIG_ITM, 6, 1);
	rig_run_us(100000);
	ck_assert_uint_eq(rig_compare(), 2);
	ck_assert_uint_eq(rig.n_bytes, 11);
	ck_assert_uint_eq(rig.byte[10].byte, 0x70);
	ck_assert_uint_eq(rig_peek(RIG_ITM) & 1, 1);
	ck_assert_uint_eq(rig_peek(RIG_ITM + PT_VITM_TCR) >> 23 & 1, 0);
}
END_TEST

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
	expect_bytes(matches[_i].name, matches[_i].want, matches[_i].n);
	ck_assert_uint_eq(rig_peek(RIG_COMP0 + 8) >> 24, matches[_i].n > 0);
}
END_TEST

/* --- privilege, reset, pin */

/* Unprivileged: mov r3,#1; msr control,r3; strb r1,[r0]; then a store to TCR, which is ignored. */
static const struct { const char *name; uint32_t tpr; size_t n; } privileges[] = {
	{ "ports for all", 0, 2 }, { "ports 0 to 7 are privileged", 1, 0 }, { "ports 8 to 15 are", 2, 2 },
};
START_TEST(code_without_privilege_writes_a_port)
{
	static const uint16_t code[] = { 0x2301, 0xf383, 0x8814, 0x7001, 0x6013, 0xe7fe };
	const uint32_t r[4] = { RIG_ITM, 'A', RIG_ITM + PT_VITM_TCR, 0 };

	rig_trace(0, RIG_TCR_PORTS);
	rig_poke(RIG_ITM + PT_VITM_TPR, privileges[_i].tpr);
	rig_run_code(code, PT_LEN(code), r);
	rig_run_us(100);
	ck_assert_msg(rig.n_bytes == privileges[_i].n, "%s: %zu", privileges[_i].name, rig.n_bytes);
	ck_assert_uint_eq(rig_peek(RIG_ITM + PT_VITM_TCR), RIG_TCR_PORTS);
	ck_assert_uint_eq(pt_vcpu_pc(rig.chip->cpu), RIG_FREE_RAM + 10);	/* it has not faulted */
}
END_TEST

static const struct { const char *word; bool needs_pin, after_reset; } pins[] = {
	{ "swo=routed", false, true }, { "swo=unrouted", true, true }, { "swo=forgets", true, false },
};
START_TEST(the_pin_is_given_to_trace)
{
	const char *words[] = { pins[_i].word, NULL };

	rig_close();
	rig_open(&pt_vboard_cm7, words);
	rig_halt();
	rig_trace(0, RIG_TCR_PORTS);
	rig_write(RIG_ITM, 'A', 1);
	rig_run_us(100);
	ck_assert_uint_eq(rig.n_bytes, pins[_i].needs_pin ? 0 : 2);
	if (pins[_i].needs_pin) {
		rig_poke(0xe0042004, 0x27);
		ck_assert_uint_eq(rig_peek(0xe0042004), 0x27);
	}
	rig_write(RIG_ITM, 'B', 1);
	rig_run_us(100);
	ck_assert_uint_eq(rig.byte[rig.n_bytes - 1].byte, 'B');
	rig_poke(0xe000ed0c, 0x05fa0004);	/* a system reset leaves trace as it was, but for a pin that forgets */
	rig_run_us(100);
	rig_write(RIG_ITM, 'C', 1);
	rig_run_us(100);
	ck_assert_int_eq(rig.byte[rig.n_bytes - 1].byte == 'C', pins[_i].after_reset);
	rig.ops->set_power(rig.board, false);
	rig_run_us(100);
	rig.ops->set_power(rig.board, true);
	ck_assert_uint_eq(rig_peek(RIG_ITM + PT_VITM_TCR), 0);
	rig_trace(0, RIG_TCR_PORTS);
	rig_write(RIG_ITM, 'D', 1);
	rig_run_us(100);
	ck_assert_int_eq(rig.byte[rig.n_bytes - 1].byte == 'D', !pins[_i].needs_pin);
	if (!pins[_i].needs_pin)	/* the board's time goes on */
		ck_assert_uint_ge(rig.byte[rig.n_bytes - 1].begin_ns, rig.now_ns - 100000);
}
END_TEST

/* The demo sleeps more than it works: then the pin stands, and what is sent is all there is. */
START_TEST(a_trace_clock_sleeps_with_the_core)
{
	const char *words[] = { "variant=trace-sleeps", "itm-fifo=64", NULL };
	uint64_t asleep = 0, before, begin;

	rig_close();
	rig_open(&pt_vboard_cm4, words);
	rig_run_us(3000);
	rig_trace(99, RIG_TCR_NO_STAMPS);
	rig_poke(RIG_DWT_CTRL, 0x10001);
	begin = rig.now_ns;
	before = pt_vcpu_sleep_cycles(rig.chip->cpu);
	rig_run_us(20000);
	asleep = pt_vcpu_sleep_cycles(rig.chip->cpu) - before;
	rig_compare();
	ck_assert_uint_gt(asleep, 0);
	ck_assert_uint_le(rig.n_bytes, (500000 - asleep) / 1000 + 1);	/* 1000 cycles for each */
	for (size_t i = 1; i < rig.n_bytes; i++)
		ck_assert_uint_ge(rig.byte[i].begin_ns, rig.byte[i - 1].begin_ns + 39990);
	ck_assert_uint_ge(rig.byte[0].begin_ns, begin);
}
END_TEST

/* --- stamps and overflow */

/* Stamps that say "exact" are the times of what is in front of them; with those that say more they add up. */
START_TEST(stamps_add_up)
{
	static const uint32_t acprs[] = { 0, 5, 11, 49 };
	uint64_t sum, n_exact = 0, last = 0;

	rig_run_us(3000);
	rig_trace(acprs[_i], RIG_TCR_ALL);
	sum = rig.chip->itm.stamps.last;
	rig_poke(RIG_DWT_CTRL, 0x11201 | 1 << 1);
	rig_run_us(20000);
	ck_assert(rig_compare() > 0 || acprs[_i] != 49);
	for (size_t i = 0; i < rig.log.n; i++) {
		const struct pt_vtrace_packet *packet = &rig.packet[i];
		uint64_t delta = 0;

		if (packet->source == PT_VTRACE_DWT && !packet->lost)
			last = packet->at_cycle;
		if (packet->source != PT_VTRACE_STAMP)
			continue;
		for (unsigned k = 1; k < packet->n_bytes; k++)
			delta |= (uint64_t)(packet->bytes[k] & 0x7f) << 7 * (k - 1);
		sum += packet->n_bytes == 1 ? packet->bytes[0] >> 4 : delta;
		ck_assert_uint_eq(sum, packet->at_cycle);
		if (packet->n_bytes > 1 && packet->bytes[0] != 0xc0) {
			ck_assert_uint_ge(sum, last);
			continue;
		}
		ck_assert_uint_eq(sum, last);
		n_exact++;
	}
	ck_assert_uint_gt(n_exact, 0);
}
END_TEST

/* The program writes a port when that is ready: of its ports nothing is lost, whatever is of the rest. */
START_TEST(a_program_that_asks_loses_nothing)
{
	uint32_t told_before, n_ports = 0, n_lost = 0, round;
	const char *path;

	rig_close();
	rig_open_firmware(&pt_vboard_cm4, NULL, "cm4_trace.elf");
	path = pt_firmware("cm4_trace.elf");
	rig_run_us(3000);
	told_before = pt_cm4_peek(rig.chip, pt_elf_symbol(path, "g_told"));
	round = pt_cm4_peek(rig.chip, pt_elf_symbol(path, "g_round"));
	rig_trace(24, RIG_TCR_ALL);
	rig_poke(RIG_COMP0, pt_elf_symbol(path, "g_watched"));
	rig_poke(RIG_COMP0 + 4, 2);
	rig_poke(RIG_COMP0 + 8, 15);
	rig_poke(RIG_DWT_CTRL, 0x10001);
	rig_run_us(50000);
	ck_assert_uint_gt(rig_compare(), 0);
	for (size_t i = 0; i < rig.log.n; i++) {
		const struct pt_vtrace_packet *packet = &rig.packet[i];
		bool is_round = packet->source == PT_VTRACE_PORT && packet->bytes[0] == 0x0b;

		n_ports += packet->source == PT_VTRACE_PORT && !packet->lost;
		n_lost += packet->source == PT_VTRACE_PORT && packet->lost;
		ck_assert(!is_round || pt_le32(packet->bytes + 1) == ++round);
	}
	ck_assert_uint_eq(n_lost, 0);
	ck_assert_uint_le(pt_cm4_peek(rig.chip, pt_elf_symbol(path, "g_told")) - told_before - n_ports + 1, 2);
	ck_assert_uint_gt(n_ports, 100);
}
END_TEST

/* --- any registers at any time */

static uint32_t dice(uint32_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	*state ^= *state << 5;
	return *state;
}

static const uint32_t targets[] = {
	RIG_ITM, RIG_ITM + 4, RIG_ITM + 0x7c, RIG_ITM + PT_VITM_TER, RIG_ITM + PT_VITM_TPR, RIG_ITM + PT_VITM_TCR, RIG_ITM + PT_VITM_TCR,
	RIG_DWT_CTRL, RIG_DWT_CTRL, RIG_CYCCNT, RIG_DWT_CTRL + 0x08, RIG_DWT_CTRL + 0x10, RIG_COMP0 + 8, RIG_COMP0 + 0x18,
	RIG_COMP0 + 4, RIG_COMP0 + 0x10, RIG_COMP0, RIG_TPIU + PT_VTPIU_ACPR, RIG_TPIU + PT_VTPIU_SPPR, RIG_TPIU + PT_VTPIU_FFCR,
	RIG_DEMCR, RIG_DHCSR, 0xe000ed0c,
};

static void write_anything(uint32_t *state)
{
	uint32_t addr = targets[dice(state) % PT_LEN(targets)], value = dice(state);

	if (addr == RIG_DEMCR)
		value = value % 4 != 0 ? RIG_TRCENA : 0;
	else if (addr == RIG_DHCSR)
		value = 0xa05f0001 | (value % 4 == 0 ? 2 : 0);
	else if (addr == 0xe000ed0c)
		value = value % 4 == 0 ? 0x05fa0004 : 0;
	else if (addr == RIG_COMP0 || addr == RIG_COMP0 + 0x10)
		value = PT_CM4_RAM_BASE + value % 64;
	else if (addr == RIG_TPIU + PT_VTPIU_ACPR)
		value >>= value % 30;
	else if (addr == RIG_TPIU + PT_VTPIU_SPPR && value % 4 != 0)
		value = 1 + value % 2;
	rig_poke(addr, value);
	rig_peek(targets[dice(state) % PT_LEN(targets)]);
}

/* No setting stops time or the line; without frames the pin has what the log has; with them, bytes in order of time. */
START_TEST(any_setting_is_survived)
{
	uint32_t state = 88172645u + (uint32_t)_i * 2654435761u;
	bool framed = _i % 2 != 0;
	const char *words[] = { _i % 4 < 2 ? "trace-clock=14000000" : "itm-fifo=1", _i % 8 < 4 ? "variant=trace-sleeps" : "itm-fifo=7", NULL };

	rig_close();
	rig_open_firmware(_i % 3 == 0 ? &pt_vboard_cm7 : &pt_vboard_cm4, words, "cm4_trace.elf");
	rig_trace(dice(&state) % 20, RIG_TCR_ALL);
	for (unsigned i = 0; i < pt_random_runs(400); i++) {
		write_anything(&state);
		if (!framed)
			rig_poke(RIG_TPIU + PT_VTPIU_FFCR, 0x100);
		if (rig_peek(RIG_TPIU + PT_VTPIU_SPPR) % 3 == 0 && !framed)
			rig_poke(RIG_TPIU + PT_VTPIU_SPPR, 2);
		rig_run_us(dice(&state) % 200);
		if (rig.n_bytes > RIG_MAX_BYTES / 2 || rig.log.n > RIG_MAX_PACKETS / 2)
			break;
	}
	for (size_t i = 1; i < rig.n_bytes; i++)
		ck_assert_uint_ge(rig.byte[i].begin_ns, rig.byte[i - 1].begin_ns);
	if (!framed)
		rig_compare();
	ck_assert_uint_eq(rig.chip->tpiu.n_bytes, rig.n_bytes);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("virtual itm");
	TCase *all = tcase_create("all");

	tcase_add_checked_fixture(all, setup, rig_close);
	tcase_add_loop_test(all, the_debugger_writes_a_port, 0, PT_LEN(writes));
	tcase_add_test(all, the_core_writes_a_port);
	tcase_add_loop_test(all, a_write_passes_all_gates, 0, PT_LEN(gates));
	tcase_add_test(all, a_full_port_says_so);
	tcase_add_loop_test(all, samples_have_their_cadence, 0, PT_LEN(rates));
	tcase_add_loop_test(all, exceptions_come_in_order, 0, PT_LEN(programs));
	tcase_add_test(all, a_program_that_asks_loses_nothing);
	tcase_add_loop_test(all, any_setting_is_survived, 0, 40);
	tcase_add_test(all, a_late_arrival_takes_the_entry);
	tcase_add_test(all, wraps_add_up);
	tcase_add_test(all, cycles_are_an_event);
	tcase_add_loop_test(all, data_is_reported, 0, PT_LEN(matches));
	tcase_add_loop_test(all, code_without_privilege_writes_a_port, 0, PT_LEN(privileges));
	tcase_add_loop_test(all, the_pin_is_given_to_trace, 0, PT_LEN(pins));
	tcase_add_test(all, a_trace_clock_sleeps_with_the_core);
	tcase_add_loop_test(all, stamps_add_up, 0, 4);
	suite_add_tcase(suite, all);
	return pt_run_suite(suite);
}
