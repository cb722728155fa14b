/* The link to a virtual board: its times are the link table's arithmetic, the same again in every run; faults strike
 * the stated packet; an interrupt cuts short what blocks, once. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <uv.h>

#include "fake_board.h"
#include "harness.h"
#include "probes/virtual/boards.h"
#include "probes/virtual/frame/faults.h"
#include "probes/wires/link.h"
#include "probes/virtual/frame/pace.h"

#define SOON UINT64_C(1000000000)	/* a deadline far enough */

static struct pt_link *link_;
static struct pt_err err;

static void open_link(const char *query)
{
	char text[256];

	snprintf(text, sizeof(text), "kl27?%s", query);
	link_ = pt_model_link_open(text, &err);
	ck_assert_msg(link_ != NULL, "%s", err.msg);
}

static void close_link(void)
{
	pt_link_close(link_);
	link_ = NULL;
}

static int exchange(const uint8_t *request, size_t len_bytes, uint8_t *response)
{
	uint64_t deadline = pt_link_now_ns(link_) + SOON;
	int rc = pt_link_submit(link_, request, len_bytes, deadline, &err);

	return rc < 0 ? rc : pt_link_receive(link_, response, 1024, deadline, &err);
}

static void must(const uint8_t *request, size_t len_bytes)
{
	uint8_t response[1024];

	ck_assert_msg(exchange(request, len_bytes, response) > 1, "%s", err.msg);
	ck_assert_uint_eq(response[0], request[0]);
}

static const uint8_t info_count[] = { 0x00, 0xfe };

/* Connect, no idle cycles, line reset, power, word accesses from the start of RAM. */
static void attach(void)
{
	static const uint8_t connect[] = { 0x02, 1 }, configure[] = { 0x04, 0, 64, 0, 0, 0 };
	static const uint8_t wake[] = { 0x12, 136, 255, 255, 255, 255, 255, 255, 255, 0x9e, 0xe7,
					255, 255, 255, 255, 255, 255, 255, 0 };
	static const uint8_t power[] = { 0x05, 0, 2, 0x02, 0x04, 0, 0, 0, 0x50 }, ctrl[] = { 0x05, 0, 1, 0x06 };
	static const uint8_t ready[] = { 0x05, 0, 3, 0x08, 0, 0, 0, 0, 0x01, 0x12, 0, 0, 0x22, 0x05, 0, 0, 0, 0x20 };

	must(connect, sizeof(connect));
	must(configure, sizeof(configure));
	must(wake, sizeof(wake));
	must(power, sizeof(power));
	must(ctrl, sizeof(ctrl));
	must(ready, sizeof(ready));
}

/* Read n_words from RAM with as many packets in flight as the link has room for; the time it took. */
static uint64_t read_words(unsigned n_words, unsigned per_packet, unsigned depth)
{
	uint64_t began = pt_link_now_ns(link_);
	uint8_t request[5] = { 0x06, 0, 0, 0, 0x0f }, response[1024];
	unsigned sent = 0, got = 0, in_flight = 0;

	while (got < n_words) {
		while (sent < n_words && in_flight < depth) {
			unsigned n = n_words - sent < per_packet ? n_words - sent : per_packet;

			pt_put_le16(request + 2, (uint16_t)n);
			ck_assert_int_eq(pt_link_submit(link_, request, 5, UINT64_MAX, &err), 0);
			sent += n;
			in_flight++;
		}
		ck_assert_int_gt(pt_link_receive(link_, response, sizeof(response), UINT64_MAX, &err), 4);
		ck_assert_uint_eq(response[3], 1);
		got += pt_le16(response + 1);
		in_flight--;
	}
	return pt_link_now_ns(link_) - began;
}

/* 64 KiB over each link of the table: bound by the wire, by the packets, or by round trips. */
static const struct {
	const char *query;
	unsigned per_packet, depth, period_ns;
	uint64_t packet_ns, turnaround_ns;
	enum { WIRE, PACKETS, ROUNDS } bound;
} reads[] = {
	{ "clock=virtual&link=bulk-hs", 127, 4, 250, 10000, 125000, WIRE },
	{ "clock=virtual&link=bulk-hs&swclk=10M", 127, 4, 100, 10000, 125000, WIRE },
	{ "clock=virtual&link=bulk-fs", 15, 8, 250, 52000, 250000, WIRE },
	{ "clock=virtual&link=bulk-fs&swclk=20M", 15, 8, 50, 52000, 250000, PACKETS },
	{ "clock=virtual&link=hid-fs", 15, 8, 250, 1000000, 1000000, PACKETS },
	{ "clock=virtual&link=tcp", 255, 1, 250, 10000, 200000, ROUNDS },
};

START_TEST(reading_64_kib_takes_what_the_table_says)
{
	unsigned n_words = 16384, packets = (n_words + reads[_i].per_packet - 1) / reads[_i].per_packet;
	uint64_t clock_ns = 46 * reads[_i].period_ns, wire_ns = (n_words + packets) * clock_ns;
	uint64_t full_ns = (reads[_i].per_packet + 1) * clock_ns;
	uint64_t last_ns = (n_words % reads[_i].per_packet + 1) * clock_ns;
	uint64_t once_ns, want = 0, got;

	open_link(reads[_i].query);
	attach();
	got = read_words(n_words, reads[_i].per_packet, reads[_i].depth);
	once_ns = reads[_i].packet_ns + reads[_i].turnaround_ns;
	switch (reads[_i].bound) {
	case WIRE:	/* the last packet is short on the wire, but not on the link */
		want = once_ns + wire_ns + (last_ns < reads[_i].packet_ns ? reads[_i].packet_ns - last_ns : 0);
		break;
	case PACKETS:
		want = packets * reads[_i].packet_ns + full_ns + reads[_i].turnaround_ns;
		break;
	case ROUNDS:
		want = packets * once_ns + wire_ns;
		break;
	}
	ck_assert_msg(got == want, "%s: %" PRIu64 " ns, not %" PRIu64, reads[_i].query, got, want);
	close_link();
}
END_TEST

START_TEST(link_says_what_it_is)
{
	struct pt_link_info info;
	const struct pt_vboard_ops *ops;
	uint8_t response[64];

	open_link("link=hid-fs&clock=virtual");
	pt_link_info(link_, &info);
	ck_assert_str_eq(info.where, "kl27 (virtual)");
	ck_assert(info.is_virtual && info.fixed_packets && info.virtual_clock);
	ck_assert_uint_eq(info.packet_bytes, 64);
	ck_assert_uint_eq(info.depth, 8);
	ck_assert_int_eq(exchange(info_count, 2, response), 64);	/* padded, as HID has it */
	ck_assert_ptr_nonnull(pt_model_link_board(link_, &ops));
	ck_assert_str_eq(ops->name, "kl27");
	close_link();
}
END_TEST

static const char *const bad_addresses[] = {
	"kl99", "kl27?clock=sundial", "kl27?colour=red", "kl27?fault=wait", "kl27?swclk=1", "kl27?elf=/nowhere/fw.elf",
	"kl27?elf=/dev/null", "kl27?faults-from=/dev/null", "kl27?faults-from=/nowhere/fifo",
};

START_TEST(bad_address_is_refused)
{
	ck_assert_ptr_null(pt_model_link_open(bad_addresses[_i], &err));
	ck_assert_int_eq(err.code, PT_EARG);
	ck_assert_uint_gt(strlen(err.msg), 10);
}
END_TEST

START_TEST(firmware_reaches_the_board)
{
	char path[] = "/tmp/proftap-fw-XXXXXX", query[64];
	int fd = mkstemp(path);
	const struct pt_vboard_ops *ops;

	ck_assert_int_eq(write(fd, "\177ELF and more", 13), 13);
	close(fd);
	snprintf(query, sizeof(query), "elf=%s", path);
	open_link(query);
	ck_assert_uint_eq(pt_model_link_board(link_, &ops)->firmware_bytes, 13);
	close_link();
	unlink(path);
}
END_TEST

/* Everything a host can see of a run: responses and the times they came. */
static uint64_t digest(const char *query)
{
	uint8_t clock_at[] = { 0x05, 0, 2, 0x05, 0, 0, 0, 0x40, 0x0f }, response[1024];
	uint64_t sum = 0;

	open_link(query);
	attach();
	for (int i = 0; i < 50; i++) {
		int n = exchange(clock_at, sizeof(clock_at), response);

		for (int j = 0; j < n; j++)
			sum = sum * 31 + response[j];
		sum = sum * 31 + pt_link_now_ns(link_);
		ck_assert_int_eq(pt_link_wait(link_, pt_link_now_ns(link_) + 12345, &err), 0);
	}
	close_link();
	return sum;
}

START_TEST(the_virtual_clock_repeats_itself)
{
	ck_assert_uint_eq(digest("clock=virtual&seed=1"), digest("clock=virtual&seed=1"));
	ck_assert_uint_ne(digest("clock=virtual&seed=1"), digest("clock=virtual&seed=2"));
	ck_assert_uint_eq(digest("clock=virtual"), digest("clock=virtual&seed=0"));
}
END_TEST

START_TEST(the_board_keeps_up_with_the_clock)
{
	const struct pt_vboard_ops *ops;
	struct pt_vboard *board;

	open_link("clock=virtual");
	board = pt_model_link_board(link_, &ops);
	ck_assert_int_eq(pt_link_wait(link_, 5000000, &err), 0);
	ck_assert_uint_eq(pt_link_now_ns(link_), 5000000);
	ck_assert_uint_eq(board->now_ns, 5000000);
	must(info_count, 2);
	ck_assert_uint_eq(pt_link_now_ns(link_), 5000000 + 135000);
	close_link();
}
END_TEST

/* --- faults: what each of five packets answers */

static const struct { const char *query; int got[5]; } faults[] = {
	{ "fault=stall@2", { 3, PT_ETIMEOUT, 3, 3, 3 } },
	{ "fault=stall@2+3", { 3, PT_ETIMEOUT, PT_ETIMEOUT, PT_ETIMEOUT, 3 } },
	{ "fault=short@3", { 3, 3, 1, 3, 3 } },
	{ "fault=unplug@4", { 3, 3, 3, PT_EIO, PT_EIO } },
	{ "fault=short@1,stall@5", { 1, 3, 3, 3, PT_ETIMEOUT } },
	{ "fault=lost@2", { 3, PT_ETIMEOUT, 3, 3, 3 } },
	{ "fault=late@2", { 3, 3, 3, 3, 3 } },
	{ "fault=cut@4", { 3, 3, 3, PT_EIO, PT_EIO } },
};

START_TEST(fault_strikes_its_packet)
{
	uint8_t response[64];
	char query[64];

	snprintf(query, sizeof(query), "clock=virtual&%s", faults[_i].query);
	open_link(query);
	for (size_t i = 0; i < 5; i++) {
		uint64_t before = pt_link_now_ns(link_);
		int got = exchange(info_count, 2, response);

		ck_assert_msg(got == faults[_i].got[i], "%s: packet %zu: %d", faults[_i].query, i + 1, got);
		if (got == PT_ETIMEOUT)		/* the clock jumped to the deadline, and nobody waited */
			ck_assert_uint_eq(pt_link_now_ns(link_), before + SOON);
	}
	close_link();
}
END_TEST

START_TEST(a_late_response_comes_later)
{
	uint8_t response[64];
	uint64_t usual, late;

	open_link("clock=virtual&fault=late@2");
	ck_assert_int_eq(exchange(info_count, 2, response), 3);
	usual = pt_link_now_ns(link_);
	ck_assert_int_eq(exchange(info_count, 2, response), 3);
	late = pt_link_now_ns(link_) - usual;
	ck_assert_uint_eq(late, usual + PT_VFAULT_LATE_NS);
	close_link();
}
END_TEST

/* Packets 1 and 2, a line, and what becomes of 3 to 5. */
static const struct { const char *line; int got[3]; } later[] = {
	{ "stall@1", { PT_ETIMEOUT, 3, 3 } },
	{ "short@2+2", { 3, 1, 1 } },
	{ "stall@1,short@3", { PT_ETIMEOUT, 3, 1 } },
	{ "short@1\nstall@2", { 3, PT_ETIMEOUT, 3 } },	/* the last line counts */
	{ "", { 3, 3, 3 } },
	{ "nonsense", { 3, 3, 1 } },			/* refused: what there was stays */
};

START_TEST(faults_come_while_the_board_runs)
{
	char path[] = "/tmp/proftap-faults-XXXXXX", query[128];
	uint8_t response[64];
	int fd;

	ck_assert_ptr_nonnull(mkdtemp(path));
	snprintf(query, sizeof(query), "%s/fifo", path);
	ck_assert_int_eq(mkfifo(query, 0600), 0);
	snprintf(query, sizeof(query), "clock=virtual&fault=short@5&faults-from=%s/fifo", path);
	open_link(query);
	for (size_t i = 0; i < 2; i++)
		ck_assert_int_eq(exchange(info_count, 2, response), 3);
	fd = open(strchr(query, '/'), O_WRONLY);
	ck_assert_int_gt(dprintf(fd, "%s\n", later[_i].line), 0);
	for (size_t i = 0; i < 3; i++)
		ck_assert_msg(exchange(info_count, 2, response) == later[_i].got[i], "%s: %zu", later[_i].line, i);
	close(fd);
	close_link();
	unlink(strchr(query, '/'));
	rmdir(path);
}
END_TEST

START_TEST(a_wrong_response_is_to_another_command)
{
	uint8_t response[64];

	open_link("clock=virtual&fault=wrong@1");
	ck_assert_int_eq(exchange(info_count, 2, response), 3);
	ck_assert_uint_ne(response[0], 0x00);
	close_link();
}
END_TEST

START_TEST(an_unplugged_probe_stays_gone)
{
	open_link("clock=virtual&fault=unplug@1");
	ck_assert_int_eq(pt_link_wait(link_, 1000, &err), 0);
	ck_assert_int_eq(pt_link_submit(link_, info_count, 2, SOON, &err), 0);	/* in flight */
	ck_assert_int_eq(pt_link_submit(link_, info_count, 2, SOON, &err), PT_EIO);
	ck_assert_int_eq(pt_link_wait(link_, 2000, &err), PT_EIO);
	close_link();
}
END_TEST

START_TEST(limits_are_kept)
{
	uint8_t packet[600] = { 0 }, response[64];

	open_link("clock=virtual");
	ck_assert_int_eq(pt_link_submit(link_, packet, 513, SOON, &err), PT_EARG);
	ck_assert_int_eq(pt_link_submit(link_, packet, 0, SOON, &err), PT_EARG);
	pt_link_set_packet_bytes(link_, 64);
	ck_assert_int_eq(pt_link_submit(link_, packet, 65, SOON, &err), PT_EARG);
	for (int i = 0; i < 4; i++)
		ck_assert_int_eq(pt_link_submit(link_, info_count, 2, SOON, &err), 0);
	ck_assert_int_eq(pt_link_submit(link_, info_count, 2, SOON, &err), PT_ETIMEOUT);
	ck_assert_int_eq(pt_link_receive(link_, response, 2, SOON, &err), PT_EPROTO);	/* 3 bytes, consumed */
	for (int i = 0; i < 3; i++)
		ck_assert_int_eq(pt_link_receive(link_, response, 64, SOON, &err), 3);
	ck_assert_int_eq(pt_link_receive(link_, response, 64, SOON, &err), PT_ETIMEOUT);
	close_link();
}
END_TEST

/* --- interrupt, real time */

static void from_another_thread(void *arg)
{
	struct pt_link *link = arg;

	usleep(20000);
	pt_link_interrupt(link);
}

START_TEST(an_interrupt_waits_for_a_call_that_blocks)
{
	uint8_t response[64];

	open_link("clock=virtual");
	pt_link_interrupt(link_);
	pt_link_interrupt(link_);
	ck_assert_int_eq(pt_link_submit(link_, info_count, 2, SOON, &err), 0);
	ck_assert_int_eq(pt_link_receive(link_, response, 64, SOON, &err), PT_EINTERRUPTED);
	ck_assert_uint_eq(pt_link_now_ns(link_), 0);
	ck_assert_int_eq(pt_link_receive(link_, response, 64, SOON, &err), 3);	/* once, and nothing was lost */
	pt_link_interrupt(link_);
	ck_assert_int_eq(pt_link_wait(link_, 0, &err), PT_EINTERRUPTED);
	close_link();
}
END_TEST

START_TEST(an_interrupt_waits_for_the_last_shield)
{
	uint8_t response[64];

	open_link("clock=virtual");
	pt_link_interrupt(link_);
	pt_link_shield(link_);
	pt_link_shield(link_);
	for (int i = 0; i < 3; i++) {
		ck_assert_int_eq(pt_link_submit(link_, info_count, 2, SOON, &err), 0);
		ck_assert_int_eq(pt_link_receive(link_, response, 64, SOON, &err), 3);
		pt_link_interrupt(link_);
	}
	ck_assert_int_eq(pt_link_wait(link_, SOON, &err), 0);
	pt_link_unshield(link_);
	ck_assert_int_eq(pt_link_wait(link_, SOON, &err), 0);
	pt_link_unshield(link_);
	ck_assert_int_eq(pt_link_wait(link_, 0, &err), PT_EINTERRUPTED);
	ck_assert_int_eq(pt_link_wait(link_, 0, &err), 0);	/* one for all of them */
	pt_link_shield(link_);
	pt_link_unshield(link_);
	ck_assert_int_eq(pt_link_wait(link_, 0, &err), 0);
	close_link();
}
END_TEST

START_TEST(an_interrupt_ends_a_real_wait)
{
	uv_thread_t thread;

	open_link("clock=wall");
	ck_assert_int_eq(uv_thread_create(&thread, from_another_thread, link_), 0);
	ck_assert_int_eq(pt_link_wait(link_, pt_link_now_ns(link_) + 3600 * SOON, &err), PT_EINTERRUPTED);
	uv_thread_join(&thread);
	close_link();
}
END_TEST

START_TEST(the_wall_clock_is_the_host_s)
{
	uint64_t began = uv_hrtime(), link_began;
	uint8_t response[64];

	open_link("clock=wall&link=hid-fs");
	link_began = pt_link_now_ns(link_);
	ck_assert_int_eq(exchange(info_count, 2, response), 64);
	ck_assert_uint_ge(uv_hrtime() - began, 2000000);	/* there and back: 1 ms + 1 ms */
	ck_assert_int_eq(pt_link_wait(link_, link_began + 30000000, &err), 0);
	ck_assert_uint_ge(uv_hrtime() - began, 30000000);
	close_link();
}
END_TEST

START_TEST(a_slow_board_slips)
{
	const struct pt_vboard_ops *ops;
	struct pt_vboard *board;
	uint64_t slip_ns = 0;

	open_link("clock=wall");
	board = pt_model_link_board(link_, &ops);
	board->real_per_model = 4;
	for (int i = 0; i < 100 && slip_ns < 50 * PT_NS_PER_MS; i++) {
		ck_assert_int_eq(pt_link_wait(link_, pt_link_now_ns(link_) + 20 * PT_NS_PER_MS, &err), 0);
		slip_ns = pt_model_link_slip_ns(link_);
	}
	ck_assert_uint_ge(slip_ns, 50 * PT_NS_PER_MS);
	ck_assert_uint_gt(board->now_ns, 0);	/* it ran, but could not keep up */
	ck_assert_uint_lt(board->now_ns, slip_ns);
	ck_assert_uint_le(board->now_ns + slip_ns, pt_link_now_ns(link_));
	close_link();
}
END_TEST

START_TEST(a_fast_board_keeps_real_time)
{
	const struct pt_vboard_ops *ops;
	struct pt_vboard *board;

	open_link("clock=wall");
	board = pt_model_link_board(link_, &ops);
	for (int i = 0; i < 100 && board->now_ns < 20 * PT_NS_PER_MS; i++)
		ck_assert_int_eq(pt_link_wait(link_, pt_link_now_ns(link_) + 10 * PT_NS_PER_MS, &err), 0);
	ck_assert_uint_ge(board->now_ns, 20 * PT_NS_PER_MS);
	ck_assert_uint_lt(pt_model_link_slip_ns(link_), board->now_ns);
	close_link();
}
END_TEST

/* Told by what a board costs, not by what it says. */
START_TEST(a_board_that_costs_nothing_is_idle)
{
	const struct pt_vboard_ops *ops;
	struct pt_vboard *board;
	struct pt_vpace pace;
	uint64_t ns = 0;

	open_link("clock=virtual");
	board = pt_model_link_board(link_, &ops);
	pt_vpace_init(&pace, ops, board, true);
	for (int i = 0; i < 100000 && !pt_vpace_idle(&pace); i++) {	/* 50 will do where nothing else runs */
		pt_vpace_begin(&pace);
		pt_vpace_to(&pace, ns += 20 * PT_NS_PER_MS);
	}
	ck_assert(pt_vpace_idle(&pace));
	ck_assert_uint_gt(ns, PT_NS_PER_S);
	board->real_per_model = 1;
	pt_vpace_begin(&pace);
	pt_vpace_to(&pace, ns + PT_NS_PER_S);
	ck_assert(!pt_vpace_idle(&pace));
	close_link();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("model_link");
	TCase *tc = tcase_create("link");

	tcase_add_loop_test(tc, reading_64_kib_takes_what_the_table_says, 0, PT_LEN(reads));
	tcase_add_test(tc, link_says_what_it_is);
	tcase_add_loop_test(tc, bad_address_is_refused, 0, PT_LEN(bad_addresses));
	tcase_add_test(tc, firmware_reaches_the_board);
	tcase_add_test(tc, the_virtual_clock_repeats_itself);
	tcase_add_test(tc, the_board_keeps_up_with_the_clock);
	tcase_add_loop_test(tc, fault_strikes_its_packet, 0, PT_LEN(faults));
	tcase_add_test(tc, a_late_response_comes_later);
	tcase_add_loop_test(tc, faults_come_while_the_board_runs, 0, PT_LEN(later));
	tcase_add_test(tc, a_wrong_response_is_to_another_command);
	tcase_add_test(tc, an_unplugged_probe_stays_gone);
	tcase_add_test(tc, limits_are_kept);
	tcase_add_test(tc, an_interrupt_waits_for_a_call_that_blocks);
	tcase_add_test(tc, an_interrupt_waits_for_the_last_shield);
	tcase_add_test(tc, an_interrupt_ends_a_real_wait);
	tcase_add_test(tc, the_wall_clock_is_the_host_s);
	tcase_add_test(tc, a_board_that_costs_nothing_is_idle);
	tcase_add_test(tc, a_slow_board_slips);
	tcase_add_test(tc, a_fast_board_keeps_real_time);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
