/* The virtual cm4's trace: what its ITM and DWT send, against the log of what happened and against what the core did. */
#include "harness.h"
#include "swo_rig.h"

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

/* The demo has a timer and SysTick, and PendSV behind the one or the other. */
START_TEST(exceptions_come_in_order)
{
	size_t n_chained = 0;

	rig_run_us(3000);
	rig_trace(0, RIG_TCR_NO_STAMPS);
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
		if (told[i][2] == 0x30)
			ck_assert_uint_eq(rig.packet[i].at_cycle - rig.packet[i - 1].at_cycle, 10);
	}
	ck_assert_uint_gt(n_chained, 0);
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
	tcase_add_test(all, exceptions_come_in_order);
	suite_add_tcase(suite, all);
	return pt_run_suite(suite);
}
