/* The virtual MPSSE, byte for byte, as FTDI's AN_108 and the hosts that drive such chips have it: opcodes, transfers of
 * SWD on each wiring, a scan, and the control requests around them. */
#include <string.h>

#include "busy_ap.h"
#include "harness.h"
#include "probes/virtual/probe/mpsse.h"
#include "probes/wires/swd_bits.h"

enum { DPIDR = 0x0bc11477, IDCODE = 0x0ba00477, MOST = 512 };

static struct busy_ap behind;
static struct pt_vpace pace;
static struct pt_vfaults faults;
static struct pt_vmpsse *chip;
static uint8_t in[MOST];
static size_t n_in;
static uint64_t done_ns;
static bool in_reset;

static void advance(struct pt_vboard *board, uint64_t to_ns)
{
	(void)board, (void)to_ns;
}

static struct pt_vap *ap_of(struct pt_vboard *board, unsigned apsel)
{
	(void)board;
	return apsel == 0 ? &behind.ap : NULL;
}

static uint32_t dpidr(struct pt_vboard *board)
{
	(void)board;
	return DPIDR;
}

static void set_nreset(struct pt_vboard *board, bool asserted)
{
	(void)board;
	in_reset = asserted;
}

static const struct pt_vboard_ops board_ops = {
	.name = "port", .advance = advance, .ap = ap_of, .dpidr = dpidr, .set_nreset = set_nreset,
};

static void on_response(void *arg, const uint8_t *bytes, size_t len_bytes, uint64_t ready_ns)
{
	(void)arg;
	ck_assert_uint_le(n_in + len_bytes, sizeof(in));
	memcpy(in + n_in, bytes, len_bytes);
	n_in += len_bytes;
	done_ns = ready_ns;
}

/* The answer is in in[]. */
static void send(const uint8_t *bytes, size_t n)
{
	n_in = 0;
	pt_vmpsse_engine.process(chip, bytes, n, 0, on_response, NULL);
}
#define SEND(...) send((const uint8_t[]){ __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ }))

#define EXPECT(...) \
	do { \
		static const uint8_t want[] = { __VA_ARGS__ }; \
		ck_assert_uint_eq(n_in, sizeof(want)); \
		ck_assert_mem_eq(in, want, sizeof(want)); \
	} while (0)

static int control(uint8_t type, uint8_t request, uint16_t value, uint8_t *data, bool *forgets)
{
	const struct pt_vcontrol wanted = { type, request, value, 1 };

	return pt_vmpsse_engine.control(chip, &wanted, data, 2, forgets);
}

static void set_mode(unsigned mode)
{
	bool forgets;

	ck_assert_int_eq(control(0x40, 0x0b, (uint16_t)(mode << 8), NULL, &forgets), 0);
}

static void make(enum pt_vmpsse_chip kind, enum pt_vmpsse_wiring wiring)
{
	const struct pt_vmpsse_config config = { kind, wiring, 30000000 };

	busy_ap_init(&behind);
	in_reset = false;
	pt_vpace_init(&pace, &board_ops, NULL, false);
	chip = pt_vmpsse_new(&config, &pace, &faults);
	set_mode(2);
}

static void end(void)
{
	pt_vmpsse_engine.free(chip);
}

/* Each answers so, whatever came before. */
static const struct {
	const char *name;
	enum pt_vmpsse_chip chip;
	uint8_t out[16];
	size_t n_out;
	uint8_t want[8];
	size_t n_want;
} opcodes[] = {
	{ "unknown", PT_VMPSSE_FT2232H, { 0xaa, 0x87 }, 2, { 0xfa, 0xaa }, 2 },
	{ "two unknown ones", PT_VMPSSE_FT2232H, { 0xab, 0xaa }, 2, { 0xfa, 0xab, 0xfa, 0xaa }, 4 },
	{ "goes on behind one", PT_VMPSSE_FT2232H, { 0xff, 0x80, 0x08, 0x0b, 0x81 }, 5, { 0xfa, 0xff, 0xf8 }, 3 },
	{ "low byte: outputs as driven, inputs pulled up", PT_VMPSSE_FT2232H, { 0x80, 0x08, 0x0b, 0x81 }, 4, { 0xf8 }, 1 },
	{ "high byte", PT_VMPSSE_FT2232H, { 0x82, 0x50, 0xf0, 0x83 }, 4, { 0x5f }, 1 },
	{ "loop, bytes, LSB first", PT_VMPSSE_FT2232H, { 0x84, 0x39, 1, 0, 0x35, 0xa1, 0x85 }, 7, { 0x35, 0xa1 }, 2 },
	{ "loop, bytes, MSB first", PT_VMPSSE_FT2232H, { 0x84, 0x31, 0, 0, 0x35 }, 5, { 0x35 }, 1 },
	{ "loop, 5 bits, LSB first: at the top", PT_VMPSSE_FT2232H, { 0x84, 0x3b, 4, 0x16 }, 4, { 0x16 << 3 }, 1 },
	{ "loop, 5 bits, MSB first: at the bottom", PT_VMPSSE_FT2232H, { 0x84, 0x33, 4, 0xb0 }, 4, { 0x16 }, 1 },
	{ "TMS with a read: TDI all along", PT_VMPSSE_FT2232H, { 0x84, 0x6b, 2, 0x85 }, 4, { 0xe0 }, 1 },
	{ "clocks alone", PT_VMPSSE_FT2232H, { 0x8e, 2, 0x8f, 0, 0, 0x81 }, 6, { 0xff }, 1 },
	{ "no such on the old chip: 60 MHz", PT_VMPSSE_FT2232C, { 0x8a }, 1, { 0xfa, 0x8a }, 2 },
	{ "no such on the old chip: adaptive", PT_VMPSSE_FT2232C, { 0x97, 0x84, 0x3b, 0, 1 }, 5, { 0xfa, 0x97, 0x80 }, 3 },
	{ "open drain, FT232H alone", PT_VMPSSE_FT232H, { 0x9e, 1, 2, 0xaa }, 4, { 0xfa, 0xaa }, 2 },
	{ "open drain, others", PT_VMPSSE_FT4232H, { 0x9e, 0x81 }, 2, { 0xfa, 0x9e, 0xff }, 3 },
	{ "a clone", PT_VMPSSE_CLONE, { 0xaa, 0x81 }, 2, { 0 }, 0 },
	{ "waits for a level that is there", PT_VMPSSE_FT2232H, { 0x88, 0xaa }, 2, { 0xfa, 0xaa }, 2 },
	{ "waits for a level that never comes", PT_VMPSSE_FT2232H, { 0x89, 0xaa }, 2, { 0 }, 0 },
};

START_TEST(opcode_answers)
{
	make(opcodes[_i].chip, PT_VMPSSE_TIED);
	send(opcodes[_i].out, opcodes[_i].n_out);
	ck_assert_msg(n_in == opcodes[_i].n_want && memcmp(in, opcodes[_i].want, n_in) == 0, "%s: %zu bytes, 0x%02x",
		      opcodes[_i].name, n_in, in[0]);
	end();
}
END_TEST

/* The stream has no packets: cut anywhere, it says the same. */
START_TEST(a_stream_may_be_cut_anywhere)
{
	static const uint8_t stream[] = { 0x84, 0x39, 2, 0, 1, 2, 3, 0xaa, 0x3b, 6, 0x55, 0x8e, 3, 0x81, 0x87 };
	uint8_t whole[MOST], cut[MOST];
	size_t n_whole, n_cut = 0;

	make(PT_VMPSSE_FT2232H, PT_VMPSSE_TIED);
	send(stream, sizeof(stream));
	n_whole = n_in;
	memcpy(whole, in, n_in);
	for (size_t i = 0; i < sizeof(stream); i++) {
		send(stream + i, 1);
		memcpy(cut + n_cut, in, n_in);
		n_cut += n_in;
	}
	ck_assert_uint_eq(n_cut, n_whole);
	ck_assert_mem_eq(cut, whole, n_whole);
	end();
}
END_TEST

/* --- SWD ---------------------------------------------------------------------------------------------------------- */

/* As OpenOCD 0.12 sends it; behind a line reset. */
static void begin_swd(void)
{
	uint8_t reset[3 + sizeof(pt_swd_select)] = { 0x19, sizeof(pt_swd_select) - 1, 0 };

	memcpy(reset + 3, pt_swd_select, sizeof(pt_swd_select));
	SEND(0x80, 0x08, 0x0b);
	send(reset, sizeof(reset));
	ck_assert_uint_eq(n_in, 0);
}

static uint64_t bits_38(void)
{
	ck_assert_uint_eq(n_in, 5);
	return pt_le32(in) | (uint64_t)(in[4] >> 2) << 32;
}

/* The turnaround is pulled up, the acknowledge begins at bit 1, the turnaround behind is pulled up again. */
static uint64_t read_of(uint32_t value)
{
	return 1 | UINT64_C(1) << 1 | (uint64_t)value << 4 | (uint64_t)__builtin_parity(value) << 36 |
	       UINT64_C(1) << 37;
}

START_TEST(swd_reads_a_word)
{
	make(PT_VMPSSE_FT2232H, PT_VMPSSE_TIED);
	begin_swd();
	SEND(0x19, 0, 0, 0xa5, 0x80, 0x08, 0x09, 0x29, 3, 0, 0x2b, 5, 0x80, 0x08, 0x0b, 0x87);
	ck_assert_uint_eq(bits_38(), read_of(DPIDR));
	/* SELECT = 0: turnaround, OK, turnaround, in the top five bits */
	SEND(0x19, 0, 0, 0xb1, 0x80, 0x08, 0x09, 0x2b, 4, 0x80, 0x08, 0x0b, 0x19, 3, 0, 0, 0, 0, 0, 0x1b, 0, 0, 0x87);
	EXPECT((1 | 1 << 1 | 1 << 4) << 3);
	/* RDBUFF, 0 so far */
	SEND(0x19, 0, 0, 0xbd, 0x80, 0x08, 0x09, 0x29, 3, 0, 0x2b, 5, 0x80, 0x08, 0x0b, 0x87);
	ck_assert_uint_eq(bits_38(), read_of(0));
	end();
}
END_TEST

/* With TDI an output all along: through a resistor the target is heard, tied directly the host hears itself. */
START_TEST(wiring_decides_what_is_heard)
{
	static const struct { enum pt_vmpsse_wiring wiring; bool released, heard; } rows[] = {
		{ PT_VMPSSE_TIED, true, true }, { PT_VMPSSE_TIED, false, false },
		{ PT_VMPSSE_RESISTOR, true, true }, { PT_VMPSSE_RESISTOR, false, true },
		{ PT_VMPSSE_OPEN, true, false }, { PT_VMPSSE_OPEN, false, false },
	};
	uint8_t direction = rows[_i].released ? 0x09 : 0x0b;

	make(PT_VMPSSE_FT2232H, rows[_i].wiring);
	begin_swd();
	SEND(0x19, 0, 0, 0xa5, 0x80, 0x08, direction, 0x29, 3, 0, 0x2b, 5, 0x80, 0x08, 0x0b, 0x87);
	ck_assert_int_eq((bits_38() >> 1 & 7) == 1, rows[_i].heard);
	ck_assert_int_eq((uint32_t)(bits_38() >> 4) == DPIDR, rows[_i].heard);
	end();
}
END_TEST

/* TDI driven low: ADBUS2 shows whether it is connected. */
START_TEST(pins_show_the_wiring)
{
	static const struct { enum pt_vmpsse_wiring wiring; bool follows; } rows[] = {
		{ PT_VMPSSE_TIED, true }, { PT_VMPSSE_RESISTOR, true }, { PT_VMPSSE_OPEN, false },
		{ PT_VMPSSE_JTAG, false },
	};

	make(PT_VMPSSE_FT2232H, rows[_i].wiring);
	SEND(0x80, 0x08, 0x0b, 0x81, 0x80, 0x0a, 0x0b, 0x81);
	ck_assert_uint_eq(n_in, 2);
	ck_assert_int_eq((in[0] & 4) == 0, rows[_i].follows);
	ck_assert_int_ne(in[1] & 4, 0);
	end();
}
END_TEST

/* --- JTAG --------------------------------------------------------------------------------------------------------- */

START_TEST(jtag_reads_the_idcode)
{
	make(PT_VMPSSE_FT2232H, PT_VMPSSE_JTAG);
	/* Test-Logic-Reset, Run-Test/Idle, Shift-DR: 11111 0, 1 0 0 */
	SEND(0x80, 0x08, 0x0b, 0x4b, 5, 0x1f, 0x4b, 2, 0x01, 0x28, 2, 0, 0x2a, 6, 0x6b, 2, 0x03, 0x87);
	ck_assert_uint_eq(n_in, 5);
	ck_assert_uint_eq(in[0] | in[1] << 8 | in[2] << 16 | (uint32_t)(in[3] >> 1) << 24 |
				  (uint32_t)(in[4] >> 5 & 1) << 31,
			  IDCODE);
	end();
}
END_TEST

/* RTCK: without one the chip waits for ever, until its bit mode is set anew. */
START_TEST(adaptive_clocking_needs_rtck)
{
	make(PT_VMPSSE_FT2232H, _i == 0 ? PT_VMPSSE_JTAG : PT_VMPSSE_RTCK);
	SEND(0x80, 0x08, 0x0b, 0x96, 0x2a, 0, 0xaa);
	ck_assert_uint_eq(n_in, _i == 0 ? 1 : 3);
	SEND(0xaa);
	ck_assert_uint_eq(n_in, _i == 0 ? 0 : 2);
	set_mode(2);
	SEND(0xaa);
	EXPECT(0xfa, 0xaa);
	end();
}
END_TEST

START_TEST(resets_are_on_adbus_4_and_5)
{
	make(PT_VMPSSE_FT2232H, _i == 0 ? PT_VMPSSE_TIED : PT_VMPSSE_JTAG);
	SEND(0x80, 0x08, 0x2b);
	ck_assert(in_reset);
	SEND(0x80, 0x28, 0x2b);
	ck_assert(!in_reset);
	SEND(0x80, 0x08, 0x2b);
	ck_assert(in_reset);
	SEND(0x80, 0x08, 0x0b);		/* no output: pulled up */
	ck_assert(!in_reset);
	SEND(0x80, 0x08, 0x2b);
	set_mode(0);
	ck_assert(!in_reset);
	end();
}
END_TEST

/* 60 MHz / (2 * (1 + n)), and from 12 MHz after power-on. */
START_TEST(clock_follows_the_divisor)
{
	static const struct { uint8_t base; uint16_t divisor; uint32_t hz; } rows[] = {
		{ 0x8b, 0, 6000000 }, { 0x8b, 5, 1000000 }, { 0x8a, 0, 30000000 }, { 0x8a, 29, 1000000 },
		{ 0x8a, 65535, 457 },
	};
	uint64_t before_ns;

	make(PT_VMPSSE_FT2232H, PT_VMPSSE_TIED);
	SEND(0x80, 0x08, 0x0b, rows[_i].base, 0x86, (uint8_t)rows[_i].divisor, (uint8_t)(rows[_i].divisor >> 8), 0x81);
	before_ns = done_ns;
	SEND(0x8f, 0xf3, 0x01, 0x81);	/* 4000 clocks */
	ck_assert_uint_le(done_ns - before_ns, 4000 * PT_NS_PER_S / rows[_i].hz + 1);
	ck_assert_uint_ge(done_ns - before_ns + 1, 4000 * PT_NS_PER_S / rows[_i].hz);
	end();
}
END_TEST

/* --- the device --------------------------------------------------------------------------------------------------- */

START_TEST(control_requests)
{
	uint8_t data[2] = { 0 };
	bool forgets;

	make(PT_VMPSSE_FT2232H, PT_VMPSSE_TIED);
	ck_assert_int_eq(control(0xc0, 0x0a, 0, data, &forgets), 1);
	ck_assert_uint_eq(data[0], 16);
	ck_assert_int_eq(control(0x40, 0x09, 2, NULL, &forgets), 0);
	ck_assert_int_eq(control(0xc0, 0x0a, 0, data, &forgets), 1);
	ck_assert_uint_eq(data[0], 2);
	ck_assert_int_eq(control(0x40, 0x09, 0, NULL, &forgets), -1);
	ck_assert_int_eq(control(0xc0, 0x05, 0, data, &forgets), 2);
	ck_assert_uint_eq(data[0], 0x32);
	ck_assert_int_eq(control(0xc0, 0x90, 0, data, &forgets), 2);
	ck_assert_uint_eq(data[1], 0xff);
	ck_assert_int_eq(control(0xc0, 0x0c, 0, data, &forgets), 1);
	ck_assert_uint_eq(data[0], 0xff);
	ck_assert_int_eq(control(0x40, 0x91, 0, NULL, &forgets), -1);	/* the EEPROM is not written */
	ck_assert_int_eq(control(0x40, 0x00, 2, NULL, &forgets), 0);
	ck_assert(!forgets);
	ck_assert_int_eq(control(0x40, 0x00, 1, NULL, &forgets), 0);
	ck_assert(forgets);
	SEND(0x19, 9);			/* half an opcode */
	ck_assert_int_eq(control(0x40, 0x00, 0, NULL, &forgets), 0);
	ck_assert(forgets);
	SEND(0xaa);
	EXPECT(0xfa, 0xaa);
	set_mode(0);			/* a serial port again: bytes are no opcodes */
	SEND(0xaa);
	ck_assert_uint_eq(n_in, 0);
	end();
}
END_TEST

START_TEST(chips_have_their_numbers)
{
	static const struct { uint16_t pid, release; unsigned n_interfaces, packet_bytes; } want[] = {
		{ 0x6010, 0x0700, 2, 512 }, { 0x6014, 0x0900, 1, 512 }, { 0x6011, 0x0800, 4, 512 }, { 0x6010, 0x0500, 2, 64 },
		{ 0x6010, 0x0500, 2, 64 },
	};
	struct pt_vusb usb;

	make((enum pt_vmpsse_chip)_i, PT_VMPSSE_TIED);
	pt_vmpsse_engine.usb(chip, &usb);
	ck_assert_uint_eq(usb.vid, 0x0403);
	ck_assert_uint_eq(usb.pid, want[_i].pid);
	ck_assert_uint_eq(usb.release, want[_i].release);
	ck_assert_uint_eq(usb.n_interfaces, want[_i].n_interfaces);
	ck_assert_uint_eq(usb.packet_bytes, want[_i].packet_bytes);
	ck_assert_uint_eq(usb.status_bytes, 2);
	ck_assert_uint_eq(usb.idle_ms, 16);
	end();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("virtual_mpsse");
	TCase *tc = tcase_create("mpsse");

	tcase_add_loop_test(tc, opcode_answers, 0, PT_LEN(opcodes));
	tcase_add_test(tc, a_stream_may_be_cut_anywhere);
	tcase_add_test(tc, swd_reads_a_word);
	tcase_add_loop_test(tc, wiring_decides_what_is_heard, 0, 6);
	tcase_add_loop_test(tc, pins_show_the_wiring, 0, 4);
	tcase_add_test(tc, jtag_reads_the_idcode);
	tcase_add_loop_test(tc, adaptive_clocking_needs_rtck, 0, 2);
	tcase_add_loop_test(tc, resets_are_on_adbus_4_and_5, 0, 2);
	tcase_add_loop_test(tc, clock_follows_the_divisor, 0, 5);
	tcase_add_test(tc, control_requests);
	tcase_add_loop_test(tc, chips_have_their_numbers, 0, PT_VMPSSE_N_CHIPS);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
