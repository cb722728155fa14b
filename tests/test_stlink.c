/* The ST-Link driver: which commands it makes of a list of dap operations, byte by byte; the firmware's limits; what goes
 * wrong, and how long it takes. Source of commands and limits: OpenOCD 0.12, pyOCD, probe-rs. */
#include <stdio.h>
#include <string.h>

#include "fake_cmsis_dap.h"
#include "fake_stlink.h"
#include "harness.h"
#include "probes/registry.h"
#include "scripted_link.h"
#include "base/params.h"
#include "base/util.h"

enum { CSW_WORD = 0x22000012, CSW_FIXED = 0x22000002, CSW_HALF = 0x22000011, CSW_BYTE = 0x22000010, BASE = FAKE_DAP_BASE,
       READY = BASE + 4 * FAKE_STLINK_WORDS, MOST_OPS = 200, TIMEOUT_MS = 300 };

static struct fake_stlink fake;
static struct pt_script script;
static struct pt_probe *probe;
static const struct pt_dap_ops *dap;
static void *wire;
static struct pt_err err;
static struct pt_dap_op ops[MOST_OPS];
static size_t n_ops, n_done;
static uint32_t words[FAKE_STLINK_WORDS];

static int open_with(const char *kind, const char *setting)
{
	struct pt_params *settings = pt_params_new();

	fake_stlink_init(&fake, kind);
	memset(&script, 0, sizeof(script));
	script.info = (struct pt_link_info){ .transport = "bulk", .packet_bytes = PT_VSTLINK_MOST_BYTES, .depth = 1 };
	script.packet_ns = 52000;
	script.turn_ns = 250000;
	script.answer = fake_stlink_answer;
	script.arg = &fake;
	if (setting != NULL)
		ck_assert_int_eq(pt_params_add(settings, pt_probe_params, pt_n_probe_params, setting, &err), 0);
	err = (struct pt_err){ 0 };
	probe = pt_probe_open_link(&pt_stlink_ops, pt_script_link(&script), settings, &err);
	pt_params_free(settings);
	dap = probe != NULL ? pt_probe_dap(probe, &wire) : NULL;
	return probe != NULL ? 0 : err.code;
}

static void connect_to(const char *kind, const char *setting)
{
	ck_assert_msg(open_with(kind, setting) == 0, "%s", err.msg);
	ck_assert_msg(dap->connect(wire, PT_DAP_SWD, &err) == 0, "%s", err.msg);
}

static void close_all(void)
{
	pt_probe_close(probe);
	fake_stlink_fini(&fake);
}

static void add(struct pt_dap_op op)
{
	ops[n_ops++] = op;
}

static void set(uint8_t a, uint32_t value)
{
	add((struct pt_dap_op){ .what = PT_DAP_WRITE, .ap = true, .a = a, .value = value });
}

/* SELECT, CSW, TAR: none of it is sent. */
static void aim(uint32_t csw, uint32_t addr)
{
	n_ops = 0;
	add((struct pt_dap_op){ .what = PT_DAP_WRITE, .a = 8, .value = 0 });
	set(0, csw);
	set(4, addr);
}

static void read_words(uint32_t at, uint32_t n)
{
	add((struct pt_dap_op){ .what = n > 1 ? PT_DAP_READ_BLOCK : PT_DAP_READ, .ap = true, .a = 0xc, .words = words + at,
				.n_words = n });
}

static void write_words(uint32_t at, uint32_t n)
{
	if (n == 1)
		set(0xc, words[at]);
	else
		add((struct pt_dap_op){ .what = PT_DAP_WRITE_BLOCK, .ap = true, .a = 0xc, .words = words + at, .n_words = n });
}

static int run(void)
{
	return dap->run(wire, ops, n_ops, TIMEOUT_MS, &n_done, &err);
}

static void must_run(void)
{
	ck_assert_msg(run() == 0, "%s", err.msg);
	ck_assert_uint_eq(n_done, n_ops);
}

/* The commands since the last call, as hexadecimal digits with the zeros behind cut off, a comma between them. */
static unsigned looked;

static const char *seen(void)
{
	static char text[4096];
	size_t len = 0;

	text[0] = 0;
	for (; looked < fake.n_commands; looked++) {
		const uint8_t *c = fake.command[looked % FAKE_STLINK_COMMANDS];
		int n = 16;

		while (n > 1 && c[n - 1] == 0)
			n--;
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s", len > 0 ? ", " : "");
		for (int i = 0; i < n && len + 4 < sizeof(text); i++)
			len += (size_t)snprintf(text + len, sizeof(text) - len, "%02x", c[i]);
	}
	return text;
}

static void forget(void)
{
	looked = fake.n_commands;
}

static void expect(const char *commands)
{
	ck_assert_str_eq(seen(), commands);
}

/* The port is known, and its access port open. */
static void ready(const char *kind)
{
	connect_to(kind, NULL);
	aim(CSW_WORD, BASE);
	read_words(0, 1);
	must_run();
	forget();
}

/* --- opening and connecting ---------------------------------------------------------------------------------------- */

static const struct { const char *kind, *setting, *open, *connect; uint32_t hz; } begins[] = {
	{ "v2j37", NULL, "f1, f5, f7", "f243, f230a3", 4000000 },
	{ "v21", "speed=1M", "f1, f5, f7", "f24303, f230a3", 950000 },
	{ "v2j37", "speed=1k", "f1, f5, f7", "f2431e03, f230a3", 5000 },
	{ "v3j7", NULL, "f1, fb, f5, f7", "f262, f2610000e40c, f230a3", 3300000 },
	{ "v3j7", "speed=24M", "f1, fb, f5, f7", "f262, f2610000c05d, f230a3", 24000000 },
	{ "v3j7", "speed=1k", "f1, fb, f5, f7", "f262, f261000005, f230a3", 5000 },
};

START_TEST(begins_with_few_commands)
{
	struct pt_probe_info info;

	looked = 0;
	ck_assert_int_eq(open_with(begins[_i].kind, begins[_i].setting), 0);
	expect(begins[_i].open);
	ck_assert_int_eq(dap->connect(wire, PT_DAP_SWD, &err), 0);
	expect(begins[_i].connect);
	pt_probe_info(probe, &info);
	ck_assert_uint_eq(info.speed_hz, begins[_i].hz);
	ck_assert_uint_eq(info.target_mv, 3300);
	close_all();
}
END_TEST

START_TEST(enters_jtag_by_the_firmware)
{
	uint32_t idcode = 0;

	looked = 0;
	ck_assert_int_eq(open_with("v2j37", "transport=jtag"), 0);
	seen();
	ck_assert_int_eq(dap->connect(wire, PT_DAP_SWD, &err), 0);
	expect("f24410, f230a4");	/* 4.5 MHz is more than 4: 2.25 */
	n_ops = 0;
	add((struct pt_dap_op){ .what = PT_DAP_READ, .words = &idcode });
	must_run();
	expect("f231");
	ck_assert_uint_eq(idcode, 0x0ba00477);
	close_all();
}
END_TEST

START_TEST(leaves_what_another_left)
{
	looked = 0;
	connect_to("v2j37", NULL);
	forget();
	ck_assert_int_eq(dap->connect(wire, PT_DAP_SWD, &err), 0);
	expect("f221, f243, f230a3");
	ck_assert_int_eq(dap->set_reset(wire, true, &err), 0);
	ck_assert(fake.nreset_low);
	ck_assert_int_eq(dap->connect(wire, PT_DAP_SWD, &err), 0);	/* and asserts it again */
	expect("f23c, f221, f243, f230a3, f23c");
	pt_probe_close(probe);
	expect("f23c01, f221");
	ck_assert(!fake.nreset_low);
	fake_stlink_fini(&fake);
}
END_TEST

static size_t mute(void *arg, const uint8_t *request, size_t len_bytes, uint8_t *response, uint64_t *took_ns)
{
	(void)arg, (void)request, (void)len_bytes, (void)response, (void)took_ns;
	return PT_SCRIPT_NO_ANSWER;
}

/* With a link that can be reset, and with one that cannot. */
START_TEST(a_mute_one_is_given_up_within_a_second)
{
	memset(&script, 0, sizeof(script));
	script.info = (struct pt_link_info){ .transport = "bulk", .where = "usb 1-2", .packet_bytes = 9856, .depth = 1 };
	script.answer = mute;
	script.usb = _i == 1;
	ck_assert_ptr_null(pt_probe_open_link(&pt_stlink_ops, pt_script_link(&script), NULL, &err));
	ck_assert_int_eq(err.code, PT_ETIMEOUT);
	ck_assert_uint_eq(script.n_resets, _i);
	if (script.usb)
		ck_assert_ptr_nonnull(strstr(err.msg, "the ST-Link at usb 1-2 does not answer, nor after a USB reset"));
	ck_assert_uint_lt(script.now_ns, 7 * PT_NS_PER_S / 10);	/* the reset itself takes up to 0.3 s */
}
END_TEST

/* One of the questions at the beginning is not answered: after a reset all of them are asked anew. */
START_TEST(one_that_hangs_is_reset)
{
	fake_stlink_init(&fake, "v2j37");
	memset(&script, 0, sizeof(script));
	script.info = (struct pt_link_info){ .transport = "bulk", .packet_bytes = 9856, .depth = 1 };
	script.answer = fake_stlink_answer;
	script.arg = &fake;
	script.usb = true;
	script.fault = PT_SCRIPT_SILENT;
	script.fault_at = (size_t)_i;
	probe = pt_probe_open_link(&pt_stlink_ops, pt_script_link(&script), NULL, &err);
	ck_assert_msg(probe != NULL, "%s", err.msg);
	ck_assert_uint_eq(script.n_resets, 1);
	looked = (unsigned)_i + 1;
	expect("f1, f5, f7");
	close_all();
}
END_TEST

START_TEST(says_that_its_firmware_is_too_old)
{
	fake_stlink_init(&fake, "v2j20");
	memset(&script, 0, sizeof(script));
	script.info = (struct pt_link_info){ .transport = "bulk", .packet_bytes = 9856, .depth = 1,
					     .usb_vid = 0x0483, .usb_pid = 0x3748 };
	script.answer = fake_stlink_answer;
	script.arg = &fake;
	ck_assert_ptr_null(pt_probe_open_link(&pt_stlink_ops, pt_script_link(&script), NULL, &err));
	ck_assert_int_eq(err.code, PT_EUNSUPPORTED);
	ck_assert_msg(strstr(err.msg, "V2J20S4 is too old for registers of the debug port: V2J24 is needed") != NULL,
		      "%s", err.msg);
	fake_stlink_fini(&fake);
}
END_TEST

/* --- memory -------------------------------------------------------------------------------------------------------- */

/* One block at BASE + offset. */
static const struct {
	const char *name, *kind;
	uint32_t csw, offset, n;
	bool write;
	const char *commands;
} blocks[] = {
	{ "a word", "v2j37", CSW_WORD, 0, 1, false, "f23600000020" },
	{ "a word to write", "v2j37", CSW_WORD, 4, 1, true, "f2350400002001" },
	{ "a few words", "v2j37", CSW_WORD, 0, 3, false, "f25103, f252" },
	{ "a few words of old firmware", "v2j31", CSW_WORD, 0, 3, false, "f207000000200c, f23e" },
	{ "1 KiB", "v2j37", CSW_WORD, 0, 256, false, "f207000000200004000000" "22, f23e" },
	{ "1 KiB to write", "v2j37", CSW_WORD, 0, 256, true, "f208000000200004000000" "22, f23e" },
	{ "1 KiB across a border", "v2j37", CSW_WORD, 0x200, 256, false,
	  "f207000200200004000000" "22, f23e" },
	{ "1 KiB across a border of old firmware", "v2j31", CSW_WORD, 0x200, 256, false,
	  "f236" "00ed00e0" ", f2070002002000" "02, f23e, f2070004002000" "02, f23e" },
	{ "one place often", "v2j37", CSW_FIXED, 8, 100, false, "f254080000209001000000" "22, f23e" },
	{ "one place a few times", "v2j37", CSW_FIXED, 8, 5, false, "f25105, f252" },
	{ "one place often, to write", "v2j37", CSW_FIXED, 8, 100, true, "f250080000209001000000" "22, f23e" },
	{ "one place in old firmware", "v2j31", CSW_FIXED, 8, 2, false, "f23608000020, f23608000020" },
	{ "halves", "v2j37", CSW_HALF, 2, 5, false, "f247020000200a00000000" "22, f23e" },
	{ "halves to write", "v2j37", CSW_HALF, 2, 5, true, "f248020000200a00000000" "22, f23e" },
	{ "a byte", "v2j37", CSW_BYTE, 5, 1, false, "f20c050000200100000000" "22, f23e" },
	{ "bytes, even and odd", "v2j37", CSW_BYTE, 1, 7, false,
	  "f20c010000200600000000" "22, f23e, f20c070000200100000000" "22, f23e" },
	{ "bytes to write", "v2j37", CSW_BYTE, 1, 3, true,
	  "f20d010000200200000000" "22, f23e, f20d030000200100000000" "22, f23e" },
	{ "many bytes", "v2j37", CSW_BYTE, 0, 100, false,
	  "f20c000000204000000000" "22, f23e, f20c400000202400000000" "22, f23e" },
	{ "many bytes of a V3", "v3j7", CSW_BYTE, 0, 600, false,
	  "f20c000000200002000000" "22, f23e, f20c000200205800000000" "22, f23e" },
	{ "many bytes of an old V3", "v3j2", CSW_BYTE, 0, 300, false,
	  "f20c00000020fe00000000" "22, f23e, f20cfe0000202e00000000" "22, f23e" },
};

static uint32_t element_mask(uint32_t csw)
{
	return (csw & 7) == 2 ? UINT32_MAX : (csw & 7) == 1 ? 0xffff : 0xff;
}

START_TEST(makes_commands_of_a_block)
{
	uint32_t size = 1u << (blocks[_i].csw & 7), step = (blocks[_i].csw & 0x10) != 0 ? size : 0;

	ready(blocks[_i].kind);
	aim(blocks[_i].csw, BASE + blocks[_i].offset);
	for (uint32_t k = 0; k < blocks[_i].n; k++)
		words[k] = blocks[_i].write ? (k + 1) << 8 * ((blocks[_i].offset + k * step) & (4 - size)) : 0;
	if (blocks[_i].write)
		write_words(0, blocks[_i].n);
	else
		read_words(0, blocks[_i].n);
	must_run();
	ck_assert_msg(strcmp(seen(), blocks[_i].commands) == 0, "%s", blocks[_i].name);
	for (uint32_t k = 0; k < blocks[_i].n; k++) {
		uint32_t at = blocks[_i].offset + k * step, mask = element_mask(blocks[_i].csw),
			 shift = 8 * (at & (4 - size));
		uint32_t want = blocks[_i].write ? k + 1 : (0x5a000000 + at / 4) >> shift & mask;
		uint32_t got = (blocks[_i].write ? fake.words[at / 4] : words[k]) >> shift & mask;

		if (step == 0 && blocks[_i].write && k + 1 < blocks[_i].n)
			continue;	/* the last stays */
		ck_assert_msg(got == (want & mask), "%s, element %u: %x, not %x", blocks[_i].name, k, got, want);
	}
	close_all();
}
END_TEST

/* As mem_ap.c cuts it: a TAR write every KiB. */
static const struct { const char *kind; uint32_t cpuid; unsigned commands; } dumps[] = {
	{ "v2j37", 0x410cc601, 11 * 2 }, { "v2j31", 0x410fc241, 1 + 16 * 2 }, { "v2j31", 0x411fc271, 1 + 64 * 2 },
};

START_TEST(reads_64_kib_in_the_blocks_of_the_core)
{
	ready(dumps[_i].kind);
	fake.cpuid = dumps[_i].cpuid;
	if (_i == 1)
		fake.mem_ap.idr = PT_VMEM_AP_IDR_M4;
	aim(CSW_WORD, BASE);
	for (uint32_t k = 0; k < 64; k++) {
		if (k > 0)
			set(4, BASE + 1024 * k);
		read_words(256 * k, 256);
	}
	must_run();
	ck_assert_uint_eq(fake.n_commands - looked, dumps[_i].commands);
	for (uint32_t k = 0; k < FAKE_STLINK_WORDS; k++)
		ck_assert_uint_eq(words[k], 0x5a000000 + k);
	close_all();
}
END_TEST

/* A register of the core: a write, a poll and a read; and samples between two looks. Each is one round trip. */
START_TEST(scattered_words_are_one_list)
{
	uint32_t ready_word = 0, value = 0;
	unsigned before;

	ready("v2j37");
	fake.ready_after = 2;
	aim(CSW_WORD, BASE);
	set(0xc, 77);
	set(4, READY);
	add((struct pt_dap_op){ .what = PT_DAP_POLL, .ap = true, .a = 0xc, .mask = 1, .value = 1, .time_us = 100000,
				.words = &ready_word });
	add((struct pt_dap_op){ .what = PT_DAP_WRITE, .a = 8, .value = 0 });
	n_ops--;
	must_run();
	ck_assert_uint_eq(ready_word, 1);
	ck_assert_uint_eq(fake.words[0], 77);
	expect("f25103, f252, f23600000120, f23600000120");
	before = fake.n_in;
	aim(CSW_FIXED, BASE + 16);
	read_words(0, 1);
	set(4, BASE + 32);
	read_words(1, 16);
	set(4, BASE + 16);
	add((struct pt_dap_op){ .what = PT_DAP_READ, .ap = true, .a = 0xc, .words = &value });
	must_run();
	expect("f25112, f252");
	ck_assert_uint_eq(fake.n_in - before, 1);
	ck_assert_uint_eq(value, 0x5a000004);
	ck_assert_uint_eq(words[16], 0x5a000008);
	close_all();
}
END_TEST

START_TEST(a_poll_expires)
{
	uint32_t seen_word = 5, behind = 9;

	ready("v2j37");
	fake.ready_after = 100000;
	aim(CSW_WORD, READY);
	add((struct pt_dap_op){ .what = PT_DAP_POLL, .ap = true, .a = 0xc, .mask = 1, .value = 1, .time_us = 3000,
				.words = &seen_word });
	add((struct pt_dap_op){ .what = PT_DAP_READ, .a = 0, .words = &behind });
	ck_assert_int_eq(run(), 0);
	ck_assert_uint_eq(n_done, 3);
	ck_assert_uint_eq(seen_word, 0);
	ck_assert_uint_eq(behind, 9);
	close_all();
}
END_TEST

/* --- what goes wrong ----------------------------------------------------------------------------------------------- */

static const struct { const char *kind; uint32_t csw, n, at; size_t done; } faults[] = {
	{ "v2j37", CSW_WORD, 1, 0, 3 }, { "v2j37", CSW_WORD, 6, 3, 3 }, { "v2j37", CSW_WORD, 200, 150, 3 },
	{ "v2j31", CSW_WORD, 6, 3, 3 }, { "v2j37", CSW_BYTE, 40, 20, 3 },
};

/* TAR says where, as the driver has it from the probe; the words before it are there. */
START_TEST(a_fault_names_its_address)
{
	uint32_t size = 1u << (faults[_i].csw & 7), tar = 0;

	ready(faults[_i].kind);
	fake.fault_addr = BASE + faults[_i].at * size;
	aim(faults[_i].csw, BASE);
	memset(words, 0xff, sizeof(words));
	read_words(0, faults[_i].n);
	ck_assert_int_eq(run(), PT_EFAULT);
	ck_assert_uint_eq(n_done, faults[_i].done);
	for (uint32_t k = 0; k < faults[_i].at; k++)
		ck_assert_uint_eq(words[k] >> 8 * (k * size & (4 - size)) & element_mask(faults[_i].csw),
				  (0x5a000000 + k * size / 4) >> 8 * (k * size & (4 - size)) &
					  element_mask(faults[_i].csw));
	ck_assert_int_eq(dap->write_abort(wire, 0x1e, &err), 0);
	n_ops = 0;
	add((struct pt_dap_op){ .what = PT_DAP_READ, .ap = true, .a = 4, .words = &tar });
	must_run();
	ck_assert_uint_eq(tar, fake.fault_addr);
	fake.fault_addr = 0;
	aim(CSW_WORD, BASE);
	read_words(0, 1);
	must_run();
	close_all();
}
END_TEST

static const struct { const char *kind; uint32_t n; bool write; } waits[] = {
	{ "v2j37", 1, false }, { "v2j37", 1, true }, { "v2j37", 100, false }, { "v2j37", 100, true }, { "v2j31", 1, false },
};

/* The whole command again, later and later. */
START_TEST(waits_are_waited_for)
{
	ready(waits[_i].kind);
	fake.wait_acks = 4;
	fake.wait_from = fake.n_accesses + 2;
	aim(CSW_WORD, BASE);
	for (uint32_t k = 0; k < waits[_i].n; k++)
		words[k] = 7 + k;
	if (waits[_i].write)
		write_words(0, waits[_i].n);
	else
		read_words(0, waits[_i].n);
	must_run();
	for (uint32_t k = 0; k < waits[_i].n; k++)
		ck_assert_uint_eq(waits[_i].write ? fake.words[k] : words[k], waits[_i].write ? 7 + k : 0x5a000000 + k);
	close_all();
}
END_TEST

START_TEST(waits_without_end_are_given_up)
{
	uint64_t began_ns;

	ready("v2j37");
	fake.wait_acks = UINT32_MAX;
	aim(CSW_WORD, BASE);
	read_words(0, _i == 0 ? 1 : 100);
	began_ns = script.now_ns;
	ck_assert_int_eq(run(), PT_ETIMEOUT);
	ck_assert_uint_eq(n_done, 3);
	ck_assert_uint_ge(script.now_ns - began_ns, TIMEOUT_MS * PT_NS_PER_MS);
	ck_assert_uint_lt(script.now_ns - began_ns, (TIMEOUT_MS + 100) * PT_NS_PER_MS);
	close_all();
}
END_TEST

/* What is there may count its reads: nothing is read twice. */
START_TEST(one_place_is_not_read_again_after_a_wait)
{
	ready("v2j37");
	fake.wait_acks = 2;
	fake.wait_from = fake.n_accesses + 30;
	aim(CSW_FIXED, BASE);
	read_words(0, 100);
	ck_assert_int_eq(run(), PT_ETIMEOUT);
	expect("f254000000209001000000"
	       "22, f23e");
	close_all();
}
END_TEST

static const struct { const char *kind; uint32_t select, csw; uint8_t a; bool ap; const char *says; } gates[] = {
	{ "v2j24", 0, CSW_HALF, 0xc, true, "V2J24S4 is too old for accesses of 16 bits: V2J26 is needed" },
	{ "v2j27", 0x01000000, CSW_WORD, 0x0, true, "access ports other than the first: V2J28" },
	{ "v2j31", 2, CSW_WORD, 0x4, false, "banked registers of the debug port: V2J32" },
	{ "v2j31", 0, 0x62000012, 0xc, true, "attributes of their own: V2J32" },
};

START_TEST(old_firmware_is_named_with_the_version_that_is_needed)
{
	uint32_t value;

	ready(gates[_i].kind);
	aim(gates[_i].csw, BASE);
	add((struct pt_dap_op){ .what = PT_DAP_WRITE, .a = 8, .value = gates[_i].select });
	add((struct pt_dap_op){ .what = PT_DAP_READ, .ap = gates[_i].ap, .a = gates[_i].a, .words = &value });
	ck_assert_int_eq(run(), PT_EUNSUPPORTED);
	ck_assert_uint_eq(n_done, 4);
	ck_assert_msg(strstr(err.msg, gates[_i].says) != NULL, "%s", err.msg);
	close_all();
}
END_TEST

START_TEST(sends_no_bits_of_its_own)
{
	connect_to("v2j37", NULL);
	ck_assert_int_eq(dap->sequence(wire, (const uint8_t[]){ 0xff }, 8, &err), PT_EUNSUPPORTED);
	ck_assert_ptr_nonnull(strstr(err.msg, "multi-drop"));
	close_all();
}
END_TEST

/* Registers that are no memory, and what SELECT says of a bank. */
START_TEST(registers_go_one_by_one)
{
	uint32_t ctrl = 0, id = 0, bank = 0, csw = 0;

	ready("v2j37");
	n_ops = 0;
	add((struct pt_dap_op){ .what = PT_DAP_WRITE, .a = 4, .value = 0x50000001 });	/* without overrun detection */
	add((struct pt_dap_op){ .what = PT_DAP_READ, .a = 4, .words = &ctrl });
	add((struct pt_dap_op){ .what = PT_DAP_WRITE, .a = 8, .value = 0xf1 });
	add((struct pt_dap_op){ .what = PT_DAP_READ, .ap = true, .a = 0xc, .words = &id });
	add((struct pt_dap_op){ .what = PT_DAP_READ, .a = 4, .words = &bank });
	add((struct pt_dap_op){ .what = PT_DAP_WRITE, .a = 8, .value = 0 });
	set(0, 0x22000001);
	add((struct pt_dap_op){ .what = PT_DAP_READ, .ap = true, .a = 0, .words = &csw });
	must_run();
	expect("f246ffff0400000000"
	       "50, f245ffff04, f2450000fc, f245ffff14, f245");
	ck_assert_uint_eq(ctrl, 0xf0000040);
	ck_assert_uint_eq(id, 0x04770031);
	ck_assert_uint_eq(csw, 0x22000041);	/* what was written, and what the port adds */
	close_all();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("stlink");
	TCase *tc = tcase_create("driver");

	tcase_add_loop_test(tc, begins_with_few_commands, 0, PT_LEN(begins));
	tcase_add_test(tc, enters_jtag_by_the_firmware);
	tcase_add_test(tc, leaves_what_another_left);
	tcase_add_loop_test(tc, a_mute_one_is_given_up_within_a_second, 0, 2);
	tcase_add_loop_test(tc, one_that_hangs_is_reset, 0, 3);
	tcase_add_test(tc, says_that_its_firmware_is_too_old);
	tcase_add_loop_test(tc, makes_commands_of_a_block, 0, PT_LEN(blocks));
	tcase_add_loop_test(tc, reads_64_kib_in_the_blocks_of_the_core, 0, PT_LEN(dumps));
	tcase_add_test(tc, scattered_words_are_one_list);
	tcase_add_test(tc, a_poll_expires);
	tcase_add_loop_test(tc, a_fault_names_its_address, 0, PT_LEN(faults));
	tcase_add_loop_test(tc, waits_are_waited_for, 0, PT_LEN(waits));
	tcase_add_loop_test(tc, waits_without_end_are_given_up, 0, 2);
	tcase_add_test(tc, one_place_is_not_read_again_after_a_wait);
	tcase_add_loop_test(tc, old_firmware_is_named_with_the_version_that_is_needed, 0, PT_LEN(gates));
	tcase_add_test(tc, sends_no_bits_of_its_own);
	tcase_add_test(tc, registers_go_one_by_one);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
