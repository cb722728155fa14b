/* The virtual cm4's ITM as debugger, core and pin see it: ports, privilege, resets, stamps, and any registers at any time. */
#include "harness.h"
#include "swo_rig.h"

#include "bare_core.h"
#include "base/util.h"

static void setup(void)
{
	rig_open(&pt_vboard_cm4, NULL);
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
	rig_expect(writes[_i].name, writes[_i].want, writes[_i].n);
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
	rig_expect("core", want, sizeof(want));
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

/* The trace clock is divided while bytes come: from the next byte on they are slower, and a reset undoes it. */
START_TEST(the_trace_clock_changes)
{
	const char *words[] = { "swo=unrouted", "core-drift=0", NULL };

	rig_close();
	rig_open(&pt_vboard_cm4, words);
	rig_halt();
	rig_trace(24, RIG_TCR_PORTS);
	rig_poke(0xe0042004, 0x20);
	rig_write(RIG_ITM, 'A', 1);
	rig_run_us(5);
	rig_poke(0xe0042008, 3);
	rig_run_us(100);
	ck_assert_uint_eq(rig.n_bytes, 2);
	ck_assert_uint_eq(rig.byte[0].bit_ps, 1000000);
	ck_assert_uint_eq(rig.byte[1].bit_ps, 4000000);
	ck_assert_uint_eq(rig.byte[1].begin_ns - rig.byte[0].begin_ns, 10000);
	rig_poke(0xe000ed0c, 0x05fa0004);
	rig_run_us(100);
	ck_assert_uint_eq(rig_peek(0xe0042008), 0);
	rig_write(RIG_ITM, 'B', 1);
	rig_run_us(100);
	ck_assert_uint_eq(rig.byte[2].bit_ps, 1000000);
}
END_TEST

START_TEST(ports_can_be_the_cores_alone)
{
	static const uint16_t code[] = { 0x7001, 0xe7fe };
	const uint32_t r[4] = { RIG_ITM, 'A', 0, 0 };
	const char *words[] = { "variant=ports-by-core", NULL };

	rig_close();
	rig_open(&pt_vboard_cm4, words);
	rig_trace(0, RIG_TCR_PORTS);
	rig_write(RIG_ITM, 'B', 1);
	rig_run_code(code, PT_LEN(code), r);
	rig_run_us(100);
	ck_assert_uint_eq(rig.n_bytes, 2);
	ck_assert_uint_eq(rig.byte[1].byte, 'A');
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
	tcase_add_test(all, a_program_that_asks_loses_nothing);
	tcase_add_loop_test(all, any_setting_is_survived, 0, 40);
	tcase_add_loop_test(all, code_without_privilege_writes_a_port, 0, PT_LEN(privileges));
	tcase_add_loop_test(all, the_pin_is_given_to_trace, 0, PT_LEN(pins));
	tcase_add_test(all, the_trace_clock_changes);
	tcase_add_test(all, ports_can_be_the_cores_alone);
	tcase_add_test(all, a_trace_clock_sleeps_with_the_core);
	tcase_add_loop_test(all, stamps_add_up, 0, 4);
	suite_add_tcase(suite, all);
	return pt_run_suite(suite);
}
