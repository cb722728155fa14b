/* The driver for FTDI's MPSSE on the model of such a chip: what it sends, byte for byte; what it says when a wire is
 * missing; what it takes of the pins that it does not know. */
#include <stdio.h>
#include <string.h>

#include "fake_words.h"
#include "harness.h"
#include "probes/jtag/mpsse_layouts.h"
#include "probes/wires/swd_bits.h"
#include "probes/registry.h"
#include "probes/virtual/probe/mpsse.h"
#include "scripted_link.h"
#include "targets/registry.h"

static struct fake_words words;
static struct pt_vfaults faults;
static struct pt_vmpsse *chip;
static struct pt_script script;
static struct pt_probe *probe;
static struct pt_err err;
static uint8_t sent[4096], *response;	/* the last request */
static size_t n_sent, response_bytes;
static uint8_t sent_before[sizeof(sent)];	/* the one before it */
static size_t n_sent_before;
static uint16_t requests[32], values[32];	/* control requests and their values */
static unsigned n_controls;
static bool mute;

static void on_response(void *arg, const uint8_t *bytes, size_t len_bytes, uint64_t done_ns)
{
	(void)arg, (void)done_ns;
	memcpy(response, bytes, len_bytes);
	response_bytes = len_bytes;
}

static size_t serve(void *arg, const uint8_t *request, size_t len_bytes, uint8_t *out, uint64_t *took_ns)
{
	(void)arg, (void)took_ns;
	memcpy(sent_before, sent, n_sent);
	n_sent_before = n_sent;
	memcpy(sent, request, len_bytes);
	n_sent = len_bytes;
	response = out;
	response_bytes = 0;
	if (!mute)
		pt_vmpsse_engine.process(chip, request, len_bytes, 0, on_response, NULL);
	return response_bytes > 0 ? response_bytes : PT_SCRIPT_NO_ANSWER;
}

static int control(void *arg, const struct pt_link_control *request, uint8_t *data, size_t len_bytes)
{
	const struct pt_vcontrol wanted = { request->type, request->request, request->value, request->index };
	uint8_t reply[2];
	bool forgets;

	(void)arg, (void)data, (void)len_bytes;
	ck_assert_uint_eq(request->type, 0x40);
	requests[n_controls % PT_LEN(requests)] = request->request;
	values[n_controls++ % PT_LEN(values)] = request->value;
	return pt_vmpsse_engine.control(chip, &wanted, reply, sizeof(reply), &forgets);
}

/* words: settings, "key=value key=value". */
static void open_with(enum pt_vmpsse_chip kind, enum pt_vmpsse_wiring wiring, uint16_t release, const char *list)
{
	const struct pt_vmpsse_config config = { kind, wiring, 30000000 };
	struct pt_params *settings = pt_params_new();
	char text[200], *rest = NULL;

	memset(&script, 0, sizeof(script));
	memset(&err, 0, sizeof(err));
	n_controls = 0;
	fake_words_init(&words);
	chip = pt_vmpsse_new(&config, &words.pace, &faults);
	script.info = (struct pt_link_info){ .transport = "bulk", .packet_bytes = 2048, .depth = 8 };
	script.info.usb_release = release;
	strcpy(script.info.product, "Dual RS232-HS");
	script.answer = serve;
	script.control = control;
	snprintf(text, sizeof(text), "%s", list);
	for (char *word = strtok_r(text, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest)) {
		struct pt_err ignored;

		if (pt_params_add(settings, pt_ftdi_ops.params, pt_ftdi_ops.n_params, word, &ignored) < 0)
			ck_assert_int_eq(pt_params_add(settings, pt_probe_params, pt_n_probe_params, word, &err), 0);
	}
	probe = pt_probe_open_link(&pt_ftdi_ops, pt_script_link(&script), settings, &err);
	pt_params_free(settings);
}

static void open_fine(enum pt_vmpsse_wiring wiring, const char *list)
{
	open_with(PT_VMPSSE_FT2232H, wiring, 0x0700, list);
	ck_assert_msg(probe != NULL, "%s", err.msg);
}

static void end(void)
{
	pt_probe_close(probe);
	pt_vmpsse_engine.free(chip);
	mute = false;
}

#define EXPECT(...) \
	do { \
		static const uint8_t want_[] = { __VA_ARGS__ }; \
		for (size_t i_ = 0; i_ < n_sent && i_ < sizeof(want_); i_++) \
			ck_assert_msg(sent[i_] == want_[i_], "byte %zu is 0x%02x, not 0x%02x", i_, sent[i_], want_[i_]); \
		ck_assert_uint_eq(n_sent, sizeof(want_)); \
	} while (0)

/* --- opening ------------------------------------------------------------------------------------------------------ */

/* Bit mode off and on, purges, one request; at the end a serial port again. */
START_TEST(opens_and_gives_the_chip_back)
{
	static const uint16_t want[][2] = {
		{ 9, 255 }, { 0x0b, 0x0000 }, { 0x0b, 0x0200 }, { 0, 1 }, { 0, 2 }, { 9, 16 }, { 0x0b, 0x0000 },
	};

	open_fine(PT_VMPSSE_TIED, "speed=1M");
	ck_assert_uint_eq(script.n_requests, 1);
	/* Two opcodes that there are not; loop-back of two bytes and five bits, no pin driven; 60 MHz, neither adaptive nor in three phases, no loop, divisor, pins, and what they are */
	EXPECT(0xaa, 0xab, 0x80, 0, 0, 0x84, 0x39, 1, 0, 0x35, 0xa1, 0x3b, 4, 0x16, 0x8a, 0x97, 0x8d, 0x85, 0x86, 29, 0,
	       0x82, 0, 0, 0x80, 0x08, 0x00, 0x81, 0x83, 0x87);
	pt_probe_close(probe);
	ck_assert_uint_eq(n_controls, PT_LEN(want));
	for (size_t i = 0; i < PT_LEN(want); i++) {
		ck_assert_uint_eq(requests[i], want[i][0]);
		ck_assert_uint_eq(values[i], want[i][1]);
	}
	pt_vmpsse_engine.free(chip);
}
END_TEST

START_TEST(chip_is_told_by_its_release)
{
	static const struct { uint16_t release; enum pt_vmpsse_chip chip; const char *name; uint32_t hz; } rows[] = {
		{ 0x0700, PT_VMPSSE_FT2232H, "FT2232H", 30000000 }, { 0x0800, PT_VMPSSE_FT4232H, "FT4232H", 30000000 },
		{ 0x0900, PT_VMPSSE_FT232H, "FT232H", 30000000 }, { 0x0500, PT_VMPSSE_FT2232C, "FT2232C", 6000000 },
		{ 0x3300, PT_VMPSSE_FT232H, "FT232HP", 30000000 }, { 0x3600, PT_VMPSSE_FT4232H, "FT4232HA", 30000000 },
	};
	struct pt_probe_info info;

	open_with(rows[_i].chip, PT_VMPSSE_TIED, rows[_i].release, "speed=50M");
	ck_assert_msg(probe != NULL, "%s", err.msg);
	pt_probe_info(probe, &info);
	ck_assert_str_eq(info.chip, rows[_i].name);
	ck_assert_str_eq(info.firmware, "");
	ck_assert_uint_eq(info.speed_hz, rows[_i].hz);
	end();
}
END_TEST

START_TEST(refuses_to_open)
{
	static const struct {
		uint16_t release;
		enum pt_vmpsse_chip chip;
		bool mute;
		const char *settings;
		int code;
		const char *says;
	} rows[] = {
		{ 0x1000, PT_VMPSSE_FT2232H, false, "", PT_EUNSUPPORTED, "bcdDevice 1000 has no MPSSE" },
		{ 0x0500, PT_VMPSSE_CLONE, false, "", PT_ETIMEOUT, "says that it is an FT2232C but answers no MPSSE opcode" },
		{ 0x0700, PT_VMPSSE_FT2232H, true, "", PT_ETIMEOUT, "no response" },
		{ 0x0500, PT_VMPSSE_FT2232C, false, "adaptive=on", PT_EUNSUPPORTED, "adaptive=off" },
		{ 0x0700, PT_VMPSSE_FT2232H, false, "layout=tigrad", PT_EARG, "did you mean tigard?" },
		{ 0x0700, PT_VMPSSE_FT2232H, false, "layout=0008", PT_EARG, "VALUE:DIRECTION" },
		{ 0x0700, PT_VMPSSE_FT2232H, false, "nsrst=0020", PT_EARG, "data:MASK" },
		{ 0x0700, PT_VMPSSE_FT2232H, false, "ntrst=data:10000", PT_EARG, "data:MASK" },
		{ 0x0700, PT_VMPSSE_FT2232H, false, "ntrst=data:10,", PT_EARG, "data:MASK" },
	};

	mute = rows[_i].mute;
	open_with(rows[_i].chip, PT_VMPSSE_TIED, rows[_i].release, rows[_i].settings);
	ck_assert_ptr_null(probe);
	ck_assert_int_eq(err.code, rows[_i].code);
	ck_assert_msg(strstr(err.msg, rows[_i].says) != NULL, "%s", err.msg);
	ck_assert_uint_le(script.now_ns, PT_NS_PER_S);	/* a mute one, too */
	if (n_controls > 0)
		ck_assert_uint_eq(values[n_controls - 1], 0);	/* no pin stays driven */
	pt_vmpsse_engine.free(chip);
	mute = false;
}
END_TEST

/* --- SWD ---------------------------------------------------------------------------------------------------------- */

static const struct pt_dap_ops *dap;
static void *wire;

static void run(struct pt_dap_op *ops, size_t n)
{
	size_t n_done;
	int rc = dap->run(wire, ops, n, 100, &n_done, &err);

	ck_assert_msg(rc == 0, "%s", err.msg);
	ck_assert_uint_eq(n_done, n);
}

static uint32_t read_id(void)
{
	uint32_t id = 0;

	run(&(struct pt_dap_op){ .what = PT_DAP_READ, .a = 0, .words = &id }, 1);
	return id;
}

static void connect_swd(void)
{
	dap = pt_probe_dap(probe, &wire);
	ck_assert_msg(dap->connect(wire, PT_DAP_SWD, &err) == 0, "%s", err.msg);
}

START_TEST(swd_as_bytes)
{
	open_fine(PT_VMPSSE_TIED, "");
	connect_swd();
	/* SWDIO low and high as ADBUS2 has it, then 136 bits */
	EXPECT(0x82, 0x00, 0x00, 0x80, 0x08, 0x03, 0x81, 0x80, 0x0a, 0x03, 0x81, 0x19, 16, 0, 0xff, 0xff, 0xff, 0xff,
	       0xff, 0xff, 0xff, 0x9e, 0xe7, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x00, 0x87);
	ck_assert_uint_eq(read_id(), 0x0bc11477);
	EXPECT(0x1b, 7, 0xa5, 0x80, 0x08, 0x01, 0x28, 3, 0, 0x2a, 5, 0x80, 0x08, 0x03, 0x1b, 7, 0x00, 0x87);
	/* data, its parity and what is driven behind go as one */
	run((struct pt_dap_op[]){ { .what = PT_DAP_WRITE, .a = 8, .value = 0 }, { .what = PT_DAP_WRITE, .a = 8, .value = 0x1e } }, 2);
	EXPECT(0x1b, 7, 0xb1, 0x80, 0x08, 0x01, 0x2a, 4, 0x80, 0x08, 0x03, 0x19, 4, 0, 0, 0, 0, 0, 0x62, 0x1b, 0, 0x01, 0x80, 0x08, 0x01,
	       0x2a, 4, 0x80, 0x08, 0x03, 0x19, 4, 0, 0x1e, 0, 0, 0, 0, 0x1b, 0, 0, 0x87);
	end();
}
END_TEST

/* 102 reads of five bytes fill a packet of 510: without a byte more their answer would wait for the latency timer. */
START_TEST(no_answer_fills_its_last_packet)
{
	static const uint32_t n_words[] = { 101, 102, 103 };
	uint32_t block[256];

	open_fine(PT_VMPSSE_TIED, "");
	connect_swd();
	read_id();
	run(&(struct pt_dap_op){ .what = PT_DAP_READ_BLOCK, .a = 0, .words = block, .n_words = n_words[_i] }, 1);
	ck_assert_uint_eq(response_bytes, n_words[_i] == 102 ? 511 : 5 * n_words[_i]);
	ck_assert_uint_eq(sent[n_sent - 1], 0x87);
	ck_assert_uint_eq(sent[n_sent - 2] == 0x81, n_words[_i] == 102);
	end();
}
END_TEST

START_TEST(swd_by_a_resistor_takes_no_turns)
{
	open_fine(PT_VMPSSE_RESISTOR, "swdio=resistor idle-cycles=3");
	connect_swd();
	ck_assert_uint_eq(read_id(), 0x0bc11477);
	EXPECT(0x1b, 7, 0xa5, 0x28, 3, 0, 0x2a, 5, 0x19, 0, 0, 0x00, 0x1b, 2, 0x00, 0x87);
	end();
}
END_TEST

/* A buffer is turned by another byte of pins. */
START_TEST(swd_through_buffers)
{
	open_fine(PT_VMPSSE_RESISTOR, "layout=kt-link");
	connect_swd();
	ck_assert_uint_eq(read_id(), 0x0bc11477);
	EXPECT(0x1b, 7, 0xa5, 0x82, 0xbc, 0xff, 0x28, 3, 0, 0x2a, 5, 0x82, 0xac, 0xff, 0x1b, 7, 0x00, 0x87);
	end();
}
END_TEST

/* A line that is not there is named, with what to do. */
START_TEST(missing_wires_are_named)
{
	static const struct { enum pt_vmpsse_wiring wiring; const char *settings, *says; } rows[] = {
		{ PT_VMPSSE_OPEN, "", "ADBUS2 (TDO) directly and ADBUS1 (TDI) directly or by 220 to 470 ohm" },
		{ PT_VMPSSE_JTAG, "", "transport=jtag" },
		{ PT_VMPSSE_TIED, "layout=esp-prog", "layout esp-prog has no SWD" },
	};

	open_fine(rows[_i].wiring, rows[_i].settings);
	dap = pt_probe_dap(probe, &wire);
	ck_assert_int_eq(dap->connect(wire, PT_DAP_SWD, &err), PT_EUNSUPPORTED);
	ck_assert_msg(strstr(err.msg, rows[_i].says) != NULL, "%s", err.msg);
	end();
}
END_TEST

/* Opcodes that turn SWDIO around keep the reset that was set. */
START_TEST(swd_keeps_reset)
{
	static const struct { const char *settings; bool there; uint8_t held, released; } rows[] = {
		{ "", false, 0, 0 },
		{ "nsrst=data:0020", true, 0x21, 0x21 },
		{ "nsrst=data:0020,oe:0020", true, 0x21, 0x01 },
		{ "layout=0038:003b nsrst=data:20", true, 0x31, 0x31 },
	};
	int rc;

	open_fine(PT_VMPSSE_TIED, rows[_i].settings);
	connect_swd();
	rc = dap->set_reset(wire, true, &err);
	ck_assert_int_eq(rc, rows[_i].there ? 0 : PT_EUNSUPPORTED);
	ck_assert_int_eq(words.in_reset, rows[_i].there);
	if (rows[_i].there) {
		ck_assert_uint_eq(read_id(), 0x0bc11477);
		ck_assert(words.in_reset);
		ck_assert_uint_eq(sent[5], rows[_i].held);
		ck_assert_int_eq(dap->set_reset(wire, false, &err), 0);
		ck_assert(!words.in_reset);
		ck_assert_uint_eq(read_id(), 0x0bc11477);
		ck_assert_uint_eq(sent[5], rows[_i].released);
	} else {
		ck_assert_msg(strstr(err.msg, "nsrst=data:MASK") != NULL, "%s", err.msg);
	}
	end();
}
END_TEST

/* --- JTAG --------------------------------------------------------------------------------------------------------- */

static const struct pt_jtag_ops *jtag;

static void scan(struct pt_jtag_op *ops, size_t n)
{
	size_t n_done;
	int rc = jtag->run(wire, ops, n, 100, &n_done, &err);

	ck_assert_msg(rc == 0, "%s", err.msg);
	ck_assert_uint_eq(n_done, n);
}

/* A port that was left in SWD: the bits of all opcodes of TMS, one behind the other, and TDI high. */
START_TEST(jtag_begins_with_the_switch)
{
	uint8_t bits[PT_SWD_LEAVE_BITS / 8] = { 0 };
	size_t at = 0, n = 0;

	open_fine(PT_VMPSSE_JTAG, "");
	jtag = pt_probe_jtag(probe, &wire);
	ck_assert_msg(jtag->connect(wire, &err) == 0, "%s", err.msg);
	while (at < n_sent_before && sent_before[at] != 0x4b)
		at++;
	for (; at + 2 < n_sent_before && sent_before[at] == 0x4b; at += 3) {
		ck_assert_uint_eq(sent_before[at + 2] & 0x80, 0x80);
		for (unsigned i = 0; i <= sent_before[at + 1] && n < PT_SWD_LEAVE_BITS; i++, n++)
			bits[n / 8] |= (uint8_t)((sent_before[at + 2] >> i & 1) << n % 8);
	}
	ck_assert_uint_eq(n, PT_SWD_LEAVE_BITS);
	ck_assert_mem_eq(bits, pt_swd_leave, sizeof(bits));
	end();
}
END_TEST

START_TEST(jtag_as_bytes)
{
	static const uint8_t ir[] = { 0x0a }, out[] = { 0x35, 0x01 };
	uint8_t id[4] = { 0 };

	open_fine(PT_VMPSSE_JTAG, "");
	jtag = pt_probe_jtag(probe, &wire);
	ck_assert_msg(jtag->connect(wire, &err) == 0, "%s", err.msg);
	EXPECT(0x4b, 5, 0x1f, 0x81, 0x87);
	scan(&(struct pt_jtag_op){ .what = PT_JTAG_DR, .n_bits = 32, .in = id }, 1);
	EXPECT(0x4b, 2, 0x01, 0x39, 2, 0, 0xff, 0xff, 0xff, 0x3b, 6, 0x7f, 0x6b, 2, 0x83, 0x87);
	ck_assert_uint_eq(pt_le32(id), 0x0ba00477);
	/* the walk from one scan to the next goes with the last bit; nothing is read that is not wanted */
	scan((struct pt_jtag_op[]){ { .what = PT_JTAG_IR, .n_bits = 4, .out = ir, .end = PT_JTAG_TO_NEXT },
				    { .what = PT_JTAG_DR, .n_bits = 9, .out = out },
				    { .what = PT_JTAG_IDLE, .n_bits = 5 }, { .what = PT_JTAG_IDLE, .n_bits = 21 } }, 4);
	EXPECT(0x4b, 3, 0x03, 0x1b, 2, 0x02, 0x4b, 4, 0x87, 0x19, 0, 0, 0x35, 0x4b, 5, 0x83, 0x4b, 1, 0x00, 0x8f, 1, 0, 0x8e, 4, 0x81,
	       0x87);
	end();
}
END_TEST

/* Without clocks that have no data. */
START_TEST(old_chip_idles_by_data)
{
	open_with(PT_VMPSSE_FT2232C, PT_VMPSSE_JTAG, 0x0500, "");
	jtag = pt_probe_jtag(probe, &wire);
	ck_assert_int_eq(jtag->connect(wire, &err), 0);
	scan(&(struct pt_jtag_op){ .what = PT_JTAG_IDLE, .n_bits = 21 }, 1);
	EXPECT(0x19, 1, 0, 0xff, 0xff, 0x1b, 4, 0x1f, 0x81, 0x87);
	end();
}
END_TEST

/* Long scans are cut by the size of requests, and come back whole. */
START_TEST(jtag_of_any_length)
{
	static const uint32_t lengths[] = { 1, 2, 7, 8, 9, 31, 32, 33, 4095, 16000, 65537 };
	static uint8_t out[8193], in[8193];
	struct pt_jtag_op ops[] = {
		{ .what = PT_JTAG_IR, .n_bits = 4 },	/* BYPASS */
		{ .what = PT_JTAG_DR, .n_bits = lengths[_i], .out = out, .in = in, .tail_bits = 1 },
	};

	for (size_t i = 0; i < sizeof(out); i++)
		out[i] = (uint8_t)(i * 37 + i / 256);
	memset(in, 0xee, sizeof(in));
	open_fine(PT_VMPSSE_JTAG, "");
	jtag = pt_probe_jtag(probe, &wire);
	ck_assert_int_eq(jtag->connect(wire, &err), 0);
	scan(ops, 2);
	for (uint32_t i = 1; i < lengths[_i]; i++)
		ck_assert_uint_eq(in[i / 8] >> i % 8 & 1, out[(i - 1) / 8] >> (i - 1) % 8 & 1);
	ck_assert_uint_eq(in[0] & 1, 0);
	if (lengths[_i] % 8 != 0)
		ck_assert_uint_eq(in[lengths[_i] / 8] >> lengths[_i] % 8, 0);
	end();
}
END_TEST

START_TEST(adaptive_without_rtck_is_named)
{
	open_fine(PT_VMPSSE_JTAG, "adaptive=on");
	jtag = pt_probe_jtag(probe, &wire);
	ck_assert_int_eq(jtag->connect(wire, &err), PT_EUNSUPPORTED);
	ck_assert_msg(strstr(err.msg, "waits for RTCK at ADBUS7") != NULL, "%s", err.msg);
	end();
	open_fine(PT_VMPSSE_RTCK, "adaptive=on");
	jtag = pt_probe_jtag(probe, &wire);
	ck_assert_msg(jtag->connect(wire, &err) == 0, "%s", err.msg);
	end();
}
END_TEST

/* --- layouts ------------------------------------------------------------------------------------------------------ */

START_TEST(layout_by_product)
{
	static const struct { const char *product; uint16_t pid; const char *name; } rows[] = {
		{ "Dual RS232-HS", 0x6010, "plain" }, { "Tigard V1.1", 0x6010, "tigard" },
		{ "Digilent Adept USB Device", 0x6010, "digilent-hs1" }, { "Digilent Adept USB Device", 0x6014, "digilent-hs2" },
		{ "Digilent USB Device", 0x6014, "digilent-hs3" }, { "FT2232H MiniModule", 0x6010, "minimodule" },
		{ "Olimex OpenOCD JTAG ARM-USB-OCD-H", 0x002b, "olimex-arm-usb-ocd-h" }, { "", 0x6014, "plain" },
		{ "proftap virtual MPSSE", 0x6010, "virtual" },
	};
	struct pt_mpsse_layout layout;

	pt_mpsse_layout_of(rows[_i].product, rows[_i].pid, &layout);
	ck_assert_str_eq(layout.name, rows[_i].name);
	if (strcmp(layout.name, "plain") == 0)
		ck_assert_uint_eq(layout.direction, 0x000b);	/* what is not known is an input */
}
END_TEST

START_TEST(signals_as_openocd_has_them)
{
	static const struct {
		const char *text;
		struct { uint16_t pins, outputs; } low, high, released;	/* from 0 and 0 */
	} rows[] = {
		{ "data:0020", { 0, 0x20 }, { 0x20, 0x20 }, { 0x20, 0x20 } },
		{ "ndata:0020", { 0x20, 0x20 }, { 0, 0x20 }, { 0, 0x20 } },
		{ "oe:0200", { 0x200, 0x200 }, { 0, 0x200 }, { 0, 0x200 } },
		{ "data:2000,noe:1000", { 0, 0x3000 }, { 0x2000, 0x3000 }, { 0x3000, 0x3000 } },
		{ "data:20,oe:20", { 0, 0x20 }, { 0x20, 0x20 }, { 0x20, 0 } },
	};
	struct pt_mpsse_signal signal;

	ck_assert_int_eq(pt_mpsse_signal_parse(rows[_i].text, &signal, &err), 0);
	for (unsigned level = PT_MPSSE_LOW; level <= PT_MPSSE_RELEASED; level++) {
		uint16_t pins = 0, outputs = 0;

		pt_mpsse_signal_set(&signal, (enum pt_mpsse_level)level, &pins, &outputs);
		ck_assert_uint_eq(pins, (&rows[_i].low)[level].pins);
		ck_assert_uint_eq(outputs, (&rows[_i].low)[level].outputs);
	}
}
END_TEST

/* --- blocks ------------------------------------------------------------------------------------------------------- */

enum { READ_BYTES = 65536, CALL_BYTES = 16384, RUN_MS = 10000, WORD_CLOCKS = 46 };

static const struct { const char *uri, *settings[3]; double mhz; } links[] = {
	{ "virtual:kl27?clock=virtual&probe=ftdi", { "speed=3750000" }, 3.75 },
	{ "virtual:kl27?clock=virtual&probe=ftdi&swclk=15M", { "speed=15M" }, 15 },
};

/* 64 KiB of flash, as a client asks for it: 95 % at least of what the wire's clock allows. */
START_TEST(blocks_come_as_fast_as_the_wire_allows)
{
	static uint8_t bytes[CALL_BYTES];
	struct pt_mem_op op[READ_BYTES / CALL_BYTES];
	struct pt_params *settings = pt_params_new();
	struct pt_target *target;
	struct pt_mem *mem;
	uint64_t began_ns;
	double us, least_us = WORD_CLOCKS / links[_i].mhz;
	size_t n_done;

	for (size_t i = 0; i < PT_LEN(links[_i].settings) && links[_i].settings[i] != NULL; i++)
		pt_params_add(settings, pt_probe_params, pt_n_probe_params, links[_i].settings[i], &err);
	probe = pt_probe_open(links[_i].uri, settings, &err);
	pt_params_free(settings);
	ck_assert_msg(probe != NULL, "%s", err.msg);
	target = pt_target_attach(probe, NULL, NULL, &err);
	ck_assert_msg(target != NULL, "%s", err.msg);
	mem = target->ops->mem(target->state, 0);
	for (size_t i = 0; i < PT_LEN(op); i++)
		op[i] = (struct pt_mem_op){ .what = PT_MEM_READ, .addr = CALL_BYTES * i, .bytes = bytes, .len_bytes = CALL_BYTES };
	began_ns = pt_mem_now_ns(mem);
	ck_assert_msg(pt_mem_run(mem, op, PT_LEN(op), RUN_MS, &n_done, &err) == 0, "%s", err.msg);
	us = (double)(pt_mem_now_ns(mem) - began_ns) / 1000 / (READ_BYTES / 4);
	ck_assert_msg(us * 0.95 <= least_us, "%s: %.2f us a word, %.1f %% of the limit", links[_i].uri, us,
		      100 * least_us / us);
	pt_target_detach(target, true, NULL);
	pt_probe_close(probe);
}
END_TEST

/* --- faults of the target, as probes that shift bits meet them -------------------------------------------------------- */

#define MPSSE	"virtual:kl27?clock=virtual&probe=ftdi"
#define JLINK	"virtual:kl27?clock=virtual&probe=jlink"

static const struct { const char *uri, *transport, *says; } hurt[] = {
	{ MPSSE "&fault=wait@30+3", "auto", NULL }, { MPSSE "&fault=wait@300+300", "auto", NULL },
	/* Where an access port is read; where a memory is, that is read again. */
	{ MPSSE "&fault=fault@20", "auto", "FAULT" }, { MPSSE "&fault=fault@60", "auto", NULL },
	{ MPSSE "&fault=power@70+5", "auto", "does not answer" },
	{ MPSSE "&fault=reset@40+20", "auto", NULL },
	{ MPSSE "&wiring=jtag&fault=wait@30+3", "jtag", NULL }, { MPSSE "&wiring=jtag&fault=wait@300+300", "jtag", NULL },
	{ MPSSE "&wiring=jtag&fault=fault@20", "jtag", "FAULT" },
	{ JLINK "&fault=wait@30+3", "auto", NULL }, { JLINK "&fault=fault@20", "auto", "FAULT" },
	{ JLINK "&fault=wait@30+3", "jtag", NULL },
	{ "virtual:kl27?clock=virtual&fault=wait@30+3", "jtag", NULL },
};

START_TEST(faults_of_the_target_are_met)
{
	struct pt_params *settings = pt_params_new();
	struct pt_target *target;
	char transport[40];

	snprintf(transport, sizeof(transport), "transport=%s", hurt[_i].transport);
	ck_assert_int_eq(pt_params_add(settings, pt_probe_params, pt_n_probe_params, transport, &err), 0);
	probe = pt_probe_open(hurt[_i].uri, settings, &err);
	ck_assert_msg(probe != NULL, "%s", err.msg);
	target = pt_target_attach(probe, NULL, settings, &err);
	ck_assert_msg((target != NULL) == (hurt[_i].says == NULL), "%s: %s", hurt[_i].uri, err.msg);
	if (target == NULL)
		ck_assert_msg(strstr(err.msg, hurt[_i].says) != NULL, "%s: %s", hurt[_i].uri, err.msg);
	else
		pt_target_detach(target, true, NULL);
	pt_probe_close(probe);
	pt_params_free(settings);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("mpsse");
	TCase *tc = tcase_create("driver");

	tcase_add_test(tc, opens_and_gives_the_chip_back);
	tcase_add_loop_test(tc, chip_is_told_by_its_release, 0, 6);
	tcase_add_loop_test(tc, refuses_to_open, 0, 9);
	tcase_add_test(tc, swd_as_bytes);
	tcase_add_loop_test(tc, no_answer_fills_its_last_packet, 0, 3);
	tcase_add_test(tc, swd_by_a_resistor_takes_no_turns);
	tcase_add_test(tc, swd_through_buffers);
	tcase_add_loop_test(tc, missing_wires_are_named, 0, 3);
	tcase_add_loop_test(tc, swd_keeps_reset, 0, 4);
	tcase_add_test(tc, jtag_begins_with_the_switch);
	tcase_add_test(tc, jtag_as_bytes);
	tcase_add_test(tc, old_chip_idles_by_data);
	tcase_add_loop_test(tc, jtag_of_any_length, 0, 11);
	tcase_add_test(tc, adaptive_without_rtck_is_named);
	tcase_add_loop_test(tc, layout_by_product, 0, 9);
	tcase_add_loop_test(tc, signals_as_openocd_has_them, 0, 5);
	tcase_add_loop_test(tc, blocks_come_as_fast_as_the_wire_allows, 0, PT_LEN(links));
	tcase_add_loop_test(tc, faults_of_the_target_are_met, 0, PT_LEN(hurt));
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
