/* The virtual board microblaze as a whole: committed firmware in both orders of bytes, the demo's own counters against
 * the calls that a tap saw, bins and counters through the GDB server against the core's own count per address. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "demo_calls.h"
#include "harness.h"
#include "probes/virtual/boards.h"
#include "probes/registry.h"
#include "probes/virtual/chip/microblaze.h"
#include "probes/virtual/rsp/rsp_stub.h"
#include "probes/wires/rsp.h"
#include "rsp_rig.h"

enum { MOST_BYTES = 1 << 16 };

static uint8_t elf[MOST_BYTES];
static size_t elf_bytes;
static struct pt_params *settings;
static struct pt_vboard *board;
static struct pt_microblaze *chip;

static void read_firmware(const char *name)
{
	char path[1024];
	const char *srcdir = getenv("srcdir");
	FILE *file;

	snprintf(path, sizeof(path), "%s/tests/firmware/%s.elf", srcdir != NULL ? srcdir : ".", name);
	file = fopen(path, "rb");
	ck_assert_ptr_nonnull(file);
	elf_bytes = fread(elf, 1, sizeof(elf), file);
	fclose(file);
}

static void make(const char *firmware, const char *words)
{
	char text[256], *rest = NULL;
	struct pt_err err;

	snprintf(text, sizeof(text), "%s", words);
	settings = pt_params_new();
	for (char *word = strtok_r(text, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest))
		ck_assert_int_eq(pt_vboard_add_word(&pt_vboard_microblaze, settings, word, &err), 0);
	if (firmware != NULL)
		read_firmware(firmware);
	board = pt_vboard_microblaze.make(settings, firmware != NULL ? elf : NULL, elf_bytes, &err);
	ck_assert_msg(board != NULL, "%s", board == NULL ? err.msg : "");
	chip = pt_microblaze_of(board);
}

static void done(void)
{
	pt_vboard_microblaze.free(board);
	pt_params_free(settings);
}

/* --- firmware */

static const char *const orders[] = { "", "_el" };

START_TEST(the_core_checks_itself)
{
	char name[40];

	snprintf(name, sizeof(name), "microblaze_selfcheck%s", orders[_i]);
	make(name, "");
	read_symbols(elf, elf_bytes);
	pt_vboard_microblaze.advance(board, 100000);
	ck_assert_msg(pt_vmb_reg(chip->node[0].cpu, PT_VMB_PC) == function_of("passed")->addr,
		      "check %u: 0x%x, not 0x%x", pt_vmb_reg(chip->node[0].cpu, 20), pt_vmb_reg(chip->node[0].cpu, 21),
		      pt_vmb_reg(chip->node[0].cpu, 22));
	ck_assert_uint_gt(pt_vmb_reg(chip->node[0].cpu, 20), 150);	/* checks that were made */
	done();
}
END_TEST

static uint32_t peek(uint32_t addr)
{
	return pt_microblaze_peek(&chip->node[0], addr);
}

START_TEST(the_demos_counters_are_its_calls)
{
	struct pt_vobserver observer = { .insn = count_call };
	char name[40];
	size_t n_counted;

	snprintf(name, sizeof(name), "microblaze_demo%s", orders[_i]);
	make(name, "");
	read_symbols(elf, elf_bytes);
	pt_vmb_add_observer(chip->node[0].cpu, &observer);
	pt_vboard_microblaze.advance(board, 5000000);
	n_counted = check_calls(peek);
	ck_assert_uint_eq(n_counted, 22);
	pt_vmb_remove_observer(chip->node[0].cpu, &observer);
	done();
}
END_TEST

START_TEST(the_built_in_demo_ticks)
{
	make(NULL, "cores=4 freq=50M");
	pt_vboard_microblaze.advance(board, 10000000);	/* 500000 cycles: 25 ticks of 20000 */
	for (unsigned i = 0; i < 4; i++)
		ck_assert_uint_ge(pt_vmb_instructions(chip->node[i].cpu), 100000);
	ck_assert_uint_eq(chip->mdm.n_cores, 4);
	done();
}
END_TEST

/* --- the GDB server */

static uint32_t read_word(uint32_t addr)
{
	char packet[32];
	unsigned value;

	snprintf(packet, sizeof(packet), "m%x,4", addr);
	ck_assert_int_eq(sscanf(payload(packet), "%8x", &value), 1);
	return chip->rsp.big_endian ? value : __builtin_bswap32(value);
}

static void write_word(uint32_t addr, uint32_t value)
{
	char packet[40];

	snprintf(packet, sizeof(packet), "M%x,4:%08x", addr, chip->rsp.big_endian ? value : __builtin_bswap32(value));
	ck_assert_str_eq(payload(packet), "OK");
}

/* 128 KiB of bins, a bin per word, read through the AXI window while the core runs: equal to the core's own count. */
START_TEST(bins_through_the_server_are_the_truth)
{
	const uint32_t window = PT_MICROBLAZE_MDM_BASE + 0x4000;
	struct pt_vtruth truth;
	bool cycles = _i == 1;
	uint64_t sum = 0;

	make("microblaze_demo_el", "profile=131072");
	ck_assert(pt_microblaze_watch(&chip->node[0], &truth, 0));
	begin_serving(&pt_vboard_microblaze, board, "modern");
	write_word(window + 0x72 * 64, 0);
	write_word(window + 0x73 * 64, 0x1fffc / 4);
	write_word(window + 0x71 * 64, cycles ? 0xa0 : 0x80);
	now_ns += 1000000;
	write_word(window + 0x71 * 64, cycles ? 0x60 : 0x40);
	pt_vtruth_total(&truth);
	write_word(window + 0x74 * 64, 0);
	for (uint32_t i = 0; i < 0x800 / 4; i++) {
		uint64_t low = read_word(window + 0x76 * 64), high = read_word(window + 0x76 * 64 + 4);
		uint64_t bin = high << 32 | low;
		struct pt_vtruth_at at = pt_vtruth_sum(&truth, 4 * i, 4 * i + 4);

		ck_assert_msg(bin == (cycles ? at.cycles : at.instructions), "0x%x", 4 * i);
		sum += bin;
	}
	ck_assert_uint_gt(sum, 50000);
	pt_vtruth_fini(&truth);
	end_serving();
	done();
}
END_TEST

static const struct { const char *packet, *want; } talk[] = {
	{ "qSupported:multiprocess+", "PacketSize=800;qXfer:features:read+;QStartNoAckMode+;QNonStop+;vContSupported+;"
				      "swbreak-;hwbreak-" },
	{ "vMustReplyEmpty", "" },
	{ "?", "T02thread:1;" },
	{ "qfThreadInfo", "m1,2" }, { "qsThreadInfo", "l" }, { "Hg2", "OK" }, { "Hg3", "E01" }, { "Hg1", "OK" },
	{ "T2", "OK" }, { "T3", "E01" }, { "qC", "QC1" }, { "qAttached", "1" },
	{ "vCont?", "vCont;c;C;s;S;t" },
	{ "P20=00010000", "OK" }, { "p20", "00010000" }, { "p3b", "E01" },
	{ "m41400008,4", "04000000" },	/* the UART of the MDM: sent all */
	{ "m41400008,3", "E0e" }, { "mffffffff,4", "E0e" },
	{ "M90000000,4:11223344", "OK" }, { "m90000000,4", "11223344" }, { "m90000001,2", "2233" },
	{ "X90000000,2:ab", "OK" }, { "m90000000,2", "6162" },
	{ "Z0,100,4", "OK" }, { "z0,100,4", "OK" }, { "Z5,0,0", "" }, { "M90000000,4:1122", "E16" },
};

START_TEST(the_server_answers)
{
	make("microblaze_demo_el", "cores=2");
	begin_serving(&pt_vboard_microblaze, board, "modern");
	for (size_t i = 0; i < PT_LEN(talk); i++)
		ck_assert_msg(strcmp(payload(talk[i].packet), talk[i].want) == 0, "%s: %s", talk[i].packet, answer);
	end_serving();
	done();
}
END_TEST

START_TEST(the_server_runs_to_breakpoints)
{
	char packet[40], want[40];

	make("microblaze_demo_el", "");
	read_symbols(elf, elf_bytes);
	begin_serving(&pt_vboard_microblaze, board, "modern");
	ck_assert_str_eq(payload("?"), "T02thread:1;");
	snprintf(packet, sizeof(packet), "Z1,%x,4", function_of("seldom")->addr);
	ck_assert_str_eq(payload(packet), "OK");
	ck_assert_str_eq(ask("vCont;c"), "+");
	answer[0] = '\0';
	now_ns += 100000;	/* ahead of the first tick */
	pt_vrsp_engine.unasked(stub, now_ns, on_response, NULL);
	ck_assert_str_eq(answer, "$T05thread:1;#d7");
	snprintf(want, sizeof(want), "%08x", __builtin_bswap32(function_of("seldom")->addr));
	ck_assert_str_eq(payload("p20"), want);
	ck_assert_str_eq(ask("vCont;s:1"), "+$T05thread:1;#d7");
	/* a step is imm and lwi */
	snprintf(want, sizeof(want), "%08x", __builtin_bswap32(function_of("seldom")->addr + 8));
	ck_assert_str_eq(payload("p20"), want);
	end_serving();
	done();
}
END_TEST

/* Memory while it runs, and a Ctrl-C. QEMU's habit says nothing until then. */
START_TEST(the_server_answers_while_it_runs)
{
	bool qemu = _i == 1;

	make("microblaze_demo", qemu ? "rsp=qemu" : "");
	begin_serving(&pt_vboard_microblaze, board, qemu ? "qemu" : "modern");
	ck_assert_str_eq(payload("?"), "T02thread:1;");
	ck_assert_uint_eq(strlen(payload("g")), 8 * (qemu ? 59 : 57));
	ck_assert_str_eq(payload("p20"), qemu ? "" : "00000000");
	ck_assert_str_eq(ask("c"), "+");
	ck_assert_str_eq(ask("m0,4"), qemu ? "+" : "+$b0000000#b2");
	ck_assert_str_eq(ask_raw("\x03", 1), "$T02thread:1;#d4");
	end_serving();
	done();
}
END_TEST

START_TEST(stops_are_notified_in_non_stop)
{
	make("microblaze_demo_el", "cores=2");
	begin_serving(&pt_vboard_microblaze, board, "modern");
	ck_assert_str_eq(payload("QNonStop:1"), "OK");
	ck_assert_str_eq(payload("?"), "OK");
	ck_assert_str_eq(ask("vCont;t:1"), "+$OK#9a%Stop:T00thread:1;#b2");
	ck_assert_str_eq(payload("vStopped"), "OK");
	ck_assert_str_eq(payload("?"), "T00thread:1;");
	ck_assert_str_eq(payload("vStopped"), "OK");
	ck_assert_int_eq(pt_vmb_state(chip->node[0].cpu), PT_VMB_HALT);
	ck_assert_int_eq(pt_vmb_state(chip->node[1].cpu), PT_VMB_RUN);
	ck_assert_str_eq(payload("vCont;c:1"), "OK");
	ck_assert_int_eq(pt_vmb_state(chip->node[0].cpu), PT_VMB_RUN);
	end_serving();
	done();
}
END_TEST

START_TEST(packets_that_are_none)
{
	make("microblaze_demo_el", "");
	begin_serving(&pt_vboard_microblaze, board, "modern");
	ck_assert_str_eq(ask_raw("$g#00", 5), "-");
	ck_assert_uint_eq(pt_vrsp_engine.frame(stub, (const uint8_t *)"$m0,", 4), 0);
	memset(elf, 'x', PT_VRSP_MOST_BYTES);
	elf[0] = '$';
	ck_assert_uint_eq(pt_vrsp_engine.frame(stub, elf, PT_VRSP_MOST_BYTES), PT_VENGINE_NONSENSE);
	ck_assert_str_eq(payload("m"), "E16");
	ck_assert_str_eq(payload("Zx"), "");
	end_serving();
	done();
}
END_TEST

/* Whatever comes in, in frames with a good checksum, is answered in frames, and so is the next question. */
START_TEST(anything_is_answered)
{
	static const char first[] = "?cCsSvVgGpPmMXZzqQHTDkRx";
	static const char alphabet[] = "0123456789abcdef,;:=-?ContStopped";
	uint32_t noise = 1;
	char packet[64];

	make("microblaze_demo_el", "cores=2");
	begin_serving(&pt_vboard_microblaze, board, "modern");
	for (unsigned n = 0; n < 20000; n++) {
		size_t len = 1;

		packet[0] = first[n % (sizeof(first) - 1)];
		for (noise = noise * 1664525 + 1013904223; len < 1 + (noise >> 24) % 40; len++) {
			noise = noise * 1664525 + 1013904223;
			packet[len] = alphabet[(noise >> 16) % (sizeof(alphabet) - 1)];
		}
		packet[len] = '\0';
		ask(packet);
		ck_assert(answer[0] == '\0' || strchr("+-$%", answer[0]) != NULL);
	}
	ask_raw("\x03", 1);
	ck_assert_ptr_nonnull(strstr(ask("qC"), "$QC"));
	end_serving();
	done();
}
END_TEST

/* --- in this process, on a thread of its own */

static struct pt_probe *open_probe(const char *uri, struct pt_err *err)
{
	return pt_probe_open(uri, NULL, err);
}

START_TEST(a_hosted_server_is_a_probe)
{
	struct pt_err err = { 0 };
	struct pt_probe *probe = open_probe("virtual:microblaze?cores=2", &err);
	const struct pt_rsp_ops *rsp;
	struct pt_rsp_answer reply;
	struct pt_probe_info info;
	uint8_t bytes[64];
	void *wire;

	ck_assert_msg(probe != NULL, "%s", err.msg);
	pt_probe_info(probe, &info);
	ck_assert(info.link.is_virtual);
	ck_assert_str_eq(info.link.where, "microblaze (virtual)");
	rsp = pt_probe_rsp(probe, &wire);
	ck_assert_ptr_nonnull(rsp);
	reply = (struct pt_rsp_answer){ .bytes = bytes, .room_bytes = sizeof(bytes) };
	ck_assert_int_eq(rsp->ask(wire, "qfThreadInfo", 12, &reply, 60000, &err), 0);
	ck_assert_uint_eq(reply.len_bytes, 4);
	ck_assert_int_eq(memcmp(bytes, "m1,2", 4), 0);
	pt_probe_close(probe);
}
END_TEST

START_TEST(a_hosted_server_refuses_wrong_words)
{
	struct pt_err err = { 0 };

	ck_assert_ptr_null(open_probe("virtual:microblaze?cores=9", &err));
	ck_assert_ptr_nonnull(strstr(err.msg, "cores"));
}
END_TEST

/* --- words that are wrong */

static const struct { const char *word, *sentence; } wrong[] = {
	{ "profile=5000", "profile=5000: the buffer has 0, 4096, 8192, 16384, 32768, 65536 or 131072 bytes" },
	{ "trace=4096", "trace=4096: the buffer has 0, 8192, 16384, 32768, 65536 or 131072 bytes" },
	{ "variant=x", "microblaze has no variants, but words of its own; `proftap boards` lists them" },
};

START_TEST(wrong_words_are_refused)
{
	struct pt_params *words = pt_params_new();
	struct pt_err err;

	ck_assert_int_eq(pt_vboard_add_word(&pt_vboard_microblaze, words, wrong[_i].word, &err), 0);
	ck_assert_ptr_null(pt_vboard_microblaze.make(words, NULL, 0, &err));
	ck_assert_str_eq(err.msg, wrong[_i].sentence);
	pt_params_free(words);
}
END_TEST

static void append(void *arg, const char *word)
{
	char *all = arg;

	strcat(strcat(all, word), " ");
}

static const struct {
	const char *address, *told;
} tellings[] = {
	{ "microblaze", "mdm.axi.base=0x41400000 upstream-memory=running mb.prof.size=4096 mb.perf.events=5 "
			"mb.perf.latency=1 mb.trace.size=8192 core-clock=100000000 mb.perf.width=32 " },
	{ "microblaze?probe=xvc&profile=65536&counter-width=48",
	  "mb.prof.size=65536 mb.perf.events=5 mb.perf.latency=1 mb.trace.size=8192 "
	  "core-clock=100000000 mb.perf.width=48 " },
	{ "microblaze?rsp=qemu&trace=0&event-counters=2",
	  "mdm.axi.base=0x41400000 mb.prof.size=4096 mb.perf.events=2 mb.perf.latency=1 mb.trace.size=0 "
	  "core-clock=100000000 mb.perf.width=32 " },
	{ "microblaze?dbg-reg-access=off&latency-counters=0",
	  "mb.prof.size=4096 mb.perf.events=5 mb.perf.latency=0 mb.trace.size=8192 "
	  "core-clock=100000000 mb.perf.width=32 " },
	{ "kl27", "" },
	{ "nosuch?profile=4096", "" },
	{ "microblaze?probe=nosuch", "" },
};

START_TEST(tells_its_settings)
{
	char all[400] = "";

	pt_vboard_told(tellings[_i].address, append, all);
	ck_assert_str_eq(all, tellings[_i].told);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("microblaze_board");
	TCase *tc = tcase_create("board");

	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc, the_core_checks_itself, 0, PT_LEN(orders));
	tcase_add_loop_test(tc, the_demos_counters_are_its_calls, 0, PT_LEN(orders));
	tcase_add_test(tc, the_built_in_demo_ticks);
	tcase_add_loop_test(tc, bins_through_the_server_are_the_truth, 0, 2);
	tcase_add_test(tc, the_server_answers);
	tcase_add_test(tc, the_server_runs_to_breakpoints);
	tcase_add_loop_test(tc, the_server_answers_while_it_runs, 0, 2);
	tcase_add_test(tc, stops_are_notified_in_non_stop);
	tcase_add_test(tc, packets_that_are_none);
	tcase_add_test(tc, anything_is_answered);
	tcase_add_test(tc, a_hosted_server_is_a_probe);
	tcase_add_test(tc, a_hosted_server_refuses_wrong_words);
	tcase_add_loop_test(tc, wrong_words_are_refused, 0, PT_LEN(wrong));
	tcase_add_loop_test(tc, tells_its_settings, 0, PT_LEN(tellings));
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
