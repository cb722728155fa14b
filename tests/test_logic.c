/* Pins by libsigrok: a recorded session, and libsigrok's demo device in place of an analyser. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <zip.h>

#include "board_rig.h"
#include "harness.h"
#include "probes/logic/logic.h"
#include "probes/registry.h"

enum { SAMPLES = 300000, MOST_RUNS = 400000 };

static char path[] = "/tmp/proftap-logic-XXXXXX";
static uint8_t samples[SAMPLES];
static pt_pins_run runs[MOST_RUNS];
static struct pt_err err;
static struct pt_probe *probe;
static const struct pt_pins_ops *pins;
static void *wire;

static void add_entry(zip_t *zip, const char *name, const void *bytes, size_t n)
{
	ck_assert_int_ge(zip_file_add(zip, name, zip_source_buffer(zip, bytes, n, 0), ZIP_FL_OVERWRITE), 0);
}

/* Bit 0 is PDO, bit 1 PDOCLK, bit 2 something else. */
static void make_session(void)
{
	static const char metadata[] =
		"[global]\nsigrok version=0.5.2\n\n[device 1]\ncapturefile=logic-1\ntotal probes=3\n"
		"samplerate=25 MHz\ntotal analog=0\nprobe1=PDO\nprobe2=PDOCLK\nprobe3=LED\nunitsize=1\n";
	int fd = mkstemp(path);
	zip_t *zip;

	ck_assert_int_ge(fd, 0);
	close(fd);
	for (size_t i = 0; i < SAMPLES; i++)
		samples[i] = (uint8_t)((i / 7 % 2) << 1 | (i * 2654435761u >> 13 & 1) | (i & 1) << 2);
	zip = zip_open(path, ZIP_CREATE | ZIP_TRUNCATE, NULL);
	ck_assert_ptr_nonnull(zip);
	add_entry(zip, "version", "2", 1);
	add_entry(zip, "metadata", metadata, sizeof(metadata) - 1);
	add_entry(zip, "logic-1-1", samples, SAMPLES / 2);
	add_entry(zip, "logic-1-2", samples + SAMPLES / 2, SAMPLES - SAMPLES / 2);
	ck_assert_int_eq(zip_close(zip), 0);
}

static void remove_session(void)
{
	unlink(path);
}

/* A machine that is busy is slow to open an instrument: try again, as the sentence says. */
static struct pt_probe *open_uri(const char *uri)
{
	struct pt_probe *opened = pt_probe_open(uri, NULL, &err);

	while (opened == NULL && err.code == PT_ETIMEOUT) {
		usleep(1000);
		opened = pt_probe_open(uri, NULL, &err);
	}
	return opened;
}

static void open_logic(const char *rest)
{
	char uri[128];

	snprintf(uri, sizeof(uri), "logic:%s", rest);
	probe = open_uri(uri);
	ck_assert_msg(probe != NULL, "%s: %s", uri, err.msg);
	pins = pt_probe_pins(probe, &wire);
	ck_assert_ptr_nonnull(pins);
}

static int start(const char *first, const char *second, uint32_t least_hz, uint32_t *hz)
{
	struct pt_pins_want want = { .line = { first, second }, .n_lines = 2, .least_hz = least_hz };

	return pins->start(wire, &want, hz, &err);
}

static uint64_t count(const pt_pins_run *from, size_t n)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += from[i] & PT_PINS_SAMPLES;
	return sum;
}

/* Every level of every sample is there, in order, whatever the room of a read. */
START_TEST(gives_what_was_recorded)
{
	static const size_t rooms[] = { 1, 97, 65536 };
	struct pt_pins_read what = { 0 };
	struct pt_probe_info info;
	size_t n = 0, at = 0;
	uint64_t first_ns = 0;
	uint32_t hz = 0;

	open_logic(path);
	pt_probe_info(probe, &info);
	ck_assert_str_eq(info.name, "logic");
	ck_assert_str_eq(info.link.where, path + 5);
	ck_assert_msg(start("PDOCLK", "0", 20000000, &hz) == 0, "%s", err.msg);
	ck_assert_uint_eq(hz, 25000000);
	while (!what.ended) {
		int rc = pins->read(wire, runs + n, rooms[_i], 1000, &what, &err);

		ck_assert_msg(rc >= 0, "%s", err.msg);
		ck_assert_uint_eq(what.lost_samples, 0);
		ck_assert_uint_eq(what.error_ns, PT_UNKNOWN);
		if (n == 0)
			first_ns = what.from_ns;
		if (rc > 0)
			ck_assert_uint_eq(what.from_ns - first_ns, count(runs, n) * 40);
		n += (size_t)rc;
		if (_i == 0 && n > 2000)
			break;
	}
	for (size_t i = 0; i < n; i++)
		for (uint32_t k = runs[i] & PT_PINS_SAMPLES; k > 0; k--, at++) {
			ck_assert_uint_lt(at, SAMPLES);
			ck_assert_uint_eq(runs[i] >> PT_PINS_LEVELS, (samples[at] >> 1 & 1) | (samples[at] & 1) << 1);
		}
	if (_i > 0)
		ck_assert_uint_eq(at, SAMPLES);
	pt_probe_close(probe);
}
END_TEST

START_TEST(starts_anew)
{
	struct pt_pins_read what;
	uint32_t hz;

	open_logic(path);
	for (int i = 0; i < 3; i++) {
		ck_assert_msg(start("PDO", "PDOCLK", 1, &hz) == 0, "%s", err.msg);
		ck_assert_int_eq(start("PDO", "PDOCLK", 1, &hz), PT_EBUSY);
		ck_assert_int_gt(pins->read(wire, runs, 10, 1000, &what, &err), 0);
		ck_assert_int_eq(pins->stop(wire, &err), 0);
	}
	pt_probe_close(probe);
}
END_TEST

static const struct { const char *rest; int code; const char *says; } bad[] = {
	{ "/nowhere/at.sr", PT_EARG, "No such file" },
	{ "/etc/passwd", PT_EARG, "no sigrok session" },
	{ "driver=nonsense", PT_EARG, "nonsense" },
	{ "driver=fx2lafw&conn=1.99", PT_EIO, "plugged in" },
	{ "driver=demo&colour=red", PT_EARG, "driver conn" },
};

START_TEST(answers_a_wrong_uri)
{
	char uri[64];

	snprintf(uri, sizeof(uri), "logic:%s", bad[_i].rest);
	ck_assert_ptr_null(open_uri(uri));
	ck_assert_msg(err.code == bad[_i].code, "%s: %d, %s", uri, err.code, err.msg);
	ck_assert_msg(strstr(err.msg, bad[_i].says) != NULL, "%s: %s", uri, err.msg);
}
END_TEST

START_TEST(refuses_what_it_does_not_have)
{
	uint32_t hz;

	open_logic(path);
	ck_assert_int_eq(start("PDO", "XYZ", 1, &hz), PT_EARG);
	ck_assert_msg(strstr(err.msg, "PDO PDOCLK LED") != NULL, "%s", err.msg);
	ck_assert_int_eq(start("PDO", "PDOCLK", 50000000, &hz), PT_EARG);
	ck_assert_msg(strstr(err.msg, "25000000") != NULL, "%s", err.msg);
	ck_assert_str_eq(pins->line(wire, 2), "LED");
	ck_assert_ptr_null(pins->line(wire, 3));
	pt_probe_close(probe);
}
END_TEST

/* libsigrok's, but that an analyser takes its time as long as it is told to: that of one without firmware. */
void *sr_driver_scan(void *driver, void *options);
static pthread_mutex_t scanning = PTHREAD_MUTEX_INITIALIZER;

void *sr_driver_scan(void *driver, void *options)
{
	void *(*real)(void *driver, void *options);

	*(void **)&real = dlsym(RTLD_NEXT, "sr_driver_scan");
	pthread_mutex_lock(&scanning);
	pthread_mutex_unlock(&scanning);
	return real(driver, options);
}

/* libsigrok's demo device in the place of one on USB; a driver that there is not finds nothing. */
START_TEST(lists_instruments)
{
	static const char *const drivers[] = { "no-such-driver", "demo", NULL };
	struct pt_logic_found found[2];

	ck_assert_uint_eq(pt_logic_list(drivers, found, PT_LEN(found)), 1);
	ck_assert_str_eq(found[0].uri, "logic:driver=demo");
	ck_assert_str_eq(found[0].product, "Demo device");
	ck_assert_uint_eq(found[0].n_lines, 8);
	ck_assert_uint_eq(pt_logic_list(drivers, found, 0), 0);
	for (size_t i = 0; pt_logic_usb_drivers[i] != NULL; i++)
		ck_assert_str_ne(pt_logic_usb_drivers[i], "ftdi-la");	/* takes the chip of many a JTAG adapter */
	probe = pt_probe_open(found[0].uri, NULL, &err);
	ck_assert_msg(probe != NULL, "%s", err.msg);
	pt_probe_close(probe);
}
END_TEST

START_TEST(leaves_a_slow_instrument_behind)
{
	pthread_mutex_lock(&scanning);
	ck_assert_ptr_null(pt_probe_open("logic:driver=demo", NULL, &err));
	ck_assert_int_eq(err.code, PT_ETIMEOUT);
	ck_assert_msg(strstr(err.msg, "not ready within 1 s") != NULL, "%s", err.msg);
	ck_assert_ptr_null(pt_probe_open("logic:driver=demo", NULL, &err));
	ck_assert_int_eq(err.code, PT_ETIMEOUT);
	ck_assert_msg(strstr(err.msg, "being opened still") != NULL, "%s", err.msg);
	pthread_mutex_unlock(&scanning);
	open_logic("driver=demo");
	pt_probe_close(probe);
}
END_TEST

/* libsigrok's demo device: goes on until it is stopped, and what it took by then is given. */
START_TEST(captures_from_an_instrument)
{
	struct pt_pins_read what;
	uint64_t got = 0, before_ns, reads = 0;
	uint32_t hz;
	int rc;

	open_logic("driver=demo");
	before_ns = pt_link_now_ns(pt_probe_link(probe));
	ck_assert_msg(start("D0", "D1", 150000, &hz) == 0, "%s", err.msg);
	ck_assert_uint_ge(hz, 150000);
	do {
		rc = pins->read(wire, runs, MOST_RUNS, 1000, &what, &err);
		ck_assert_msg(rc >= 0, "%s", err.msg);
		got += count(runs, (size_t)rc) + what.lost_samples;
		reads++;
		if (rc > 0) {
			ck_assert_uint_ge(what.from_ns + what.error_ns, before_ns);
			ck_assert_uint_lt(what.error_ns, 5 * PT_NS_PER_S);
		}
	} while (got < hz / 4);
	ck_assert_uint_gt(reads, 1);
	ck_assert_int_eq(pins->stop(wire, &err), 0);
	do
		rc = pins->read(wire, runs, MOST_RUNS, 1000, &what, &err);
	while (rc > 0);
	ck_assert_msg(rc == 0 && what.ended, "%s", err.msg);
	ck_assert_msg(start("D2", "D3", 1000, &hz) == 0, "%s", err.msg);
	pt_probe_close(probe);		/* in the middle */
}
END_TEST

static void *interrupt_soon(void *arg)
{
	(void)arg;
	usleep(50000);
	pt_probe_interrupt(probe);
	return NULL;
}

START_TEST(is_interrupted_soon)
{
	pthread_t thread;

	open_logic(path);
	pthread_create(&thread, NULL, interrupt_soon, NULL);
	ck_assert_int_eq(pt_link_wait(pt_probe_link(probe), pt_link_now_ns(pt_probe_link(probe)) + 100 * PT_NS_PER_S,
				      &err),
			 PT_EINTERRUPTED);
	pthread_join(thread, NULL);
	pt_probe_close(probe);
}
END_TEST

/* What finds no room is counted, in its place. */
START_TEST(counts_what_an_instrument_loses)
{
	static uint8_t many[1 << 20];
	static struct pt_logic_runs ring;
	const unsigned bits[] = { 0 };
	uint64_t given = 0, lost = 0, total = 0, missed;
	bool ended = false;

	for (size_t i = 0; i < sizeof(many); i++)
		many[i] = (uint8_t)(i & 1);
	ck_assert_int_eq(pt_logic_runs_init(&ring, &err), 0);
	pt_logic_runs_begin(&ring, bits, 1, false);
	for (int round = 0; round < 3; round++) {
		pt_logic_runs_put(&ring, many, 1, sizeof(many));
		total += sizeof(many);
		if (round == 1) {	/* room for a while */
			int n = pt_logic_runs_take(&ring, runs, MOST_RUNS, &missed, &ended, 0, &err);

			ck_assert_int_eq(n, MOST_RUNS);
			ck_assert_uint_eq(missed, 0);
			given += count(runs, (size_t)n);
		}
	}
	pt_logic_runs_end(&ring);
	while (!ended) {
		int n = pt_logic_runs_take(&ring, runs, MOST_RUNS, &missed, &ended, 0, &err);

		given += count(runs, (size_t)n);
		lost += missed;
	}
	ck_assert_uint_gt(lost, 0);
	ck_assert_uint_eq(given + lost, total);
	pt_logic_runs_fini(&ring);
}
END_TEST

/* The chip by one probe, pins from a file. */
static int pins_of_board(struct pt_board *board, struct pt_target *target, void *arg, struct pt_err *e)
{
	void *state;
	const struct pt_pins_ops *ops = pt_probe_pins(target->probe, &state);

	(void)board;
	(void)arg;
	(void)e;
	return ops != NULL && strcmp(ops->line(state, 1), "PDOCLK") == 0;
}

START_TEST(joins_a_board)
{
	char uri[64];
	const char *uris[] = { "virtual:kl27", uri, NULL };
	struct board_rig rig;

	snprintf(uri, sizeof(uri), "logic:%s", path);
	board_rig_open_all(&rig, uris, false);
	board_rig_await_state(&rig, PT_BOARD_READY, 0);
	ck_assert_int_eq(board_rig_do(&rig, pins_of_board, NULL, false, NULL), 1);
	board_rig_close(&rig);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("logic");
	TCase *tc = tcase_create("sigrok");

	tcase_set_timeout(tc, 60);
	tcase_add_unchecked_fixture(tc, make_session, remove_session);
	tcase_add_loop_test(tc, gives_what_was_recorded, 0, 3);
	tcase_add_test(tc, starts_anew);
	tcase_add_loop_test(tc, answers_a_wrong_uri, 0, (int)PT_LEN(bad));
	tcase_add_test(tc, refuses_what_it_does_not_have);
	tcase_add_test(tc, leaves_a_slow_instrument_behind);
	tcase_add_test(tc, lists_instruments);
	tcase_add_test(tc, captures_from_an_instrument);
	tcase_add_test(tc, is_interrupted_soon);
	tcase_add_test(tc, counts_what_an_instrument_loses);
	tcase_add_test(tc, joins_a_board);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
