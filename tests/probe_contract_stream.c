/* What drivers of the wire stream promise: the calls that the contract makes with every fault; and that the bytes are
 * those that the pin sent, less what each read says to be missing, where it says so. */
#include "probe_contract.h"
#include "swo_pin.h"

struct swo_pin contract_pin;

enum { RATE = 1000000, WANTED = 100, READ_BYTES = 4096 };

static int start_at(struct pt_probe *probe, uint32_t bits_per_s, struct pt_err *err)
{
	const struct pt_stream_want want = { .coding = PT_STREAM_UART, .bits_per_s = bits_per_s };
	void *wire;
	const struct pt_stream_ops *stream = pt_probe_stream(probe, &wire);
	uint32_t used = 0;
	int rc = stream->start(wire, &want, &used, err);

	return rc < 0 ? rc : used == bits_per_s ? 0 : pt_fail(err, PT_EARG, "%u baud", used);
}

static int read_some(struct pt_probe *probe, struct swo_got *got, uint32_t timeout_ms, struct pt_err *err)
{
	uint8_t bytes[READ_BYTES];
	struct pt_stream_read what;
	void *wire;
	const struct pt_stream_ops *stream = pt_probe_stream(probe, &wire);
	int n = stream->read(wire, bytes, sizeof(bytes), timeout_ms, &what, err);

	if (n >= 0)
		swo_got_add(got, bytes, (size_t)n, &what);
	return n;
}

static int stop(struct pt_probe *probe, struct pt_err *err)
{
	void *wire;
	const struct pt_stream_ops *stream = pt_probe_stream(probe, &wire);

	return stream->stop(wire, err);
}

static int receive(struct pt_probe *probe, struct swo_got *got, size_t n, struct pt_err *err)
{
	int rc = start_at(probe, RATE, err);

	for (unsigned tries = 0; rc >= 0 && got->n < n && tries < 100; tries++)
		rc = read_some(probe, got, 5, err);
	if (rc >= 0)
		rc = stop(probe, err);
	for (unsigned tries = 0; rc >= 0 && !got->ended && tries < 100; tries++)
		rc = read_some(probe, got, 5, err);
	if (rc >= 0)
		rc = pt_link_wait(pt_probe_link(probe), 0, err);	/* an interrupt that was kept meanwhile */
	return rc < 0 ? rc : got->n >= n && got->ended ? 0 : pt_fail(err, PT_EARG, "%zu bytes came", got->n);
}

/* What a failure left is stopped first. */
static int run_anew(struct pt_probe *probe, struct pt_err *err)
{
	struct swo_verdict verdict;
	struct swo_got got;
	uint64_t begun;
	int rc;

	rc = stop(probe, err);
	if (rc < 0 && rc != PT_EPROTO)
		return rc;
	swo_got_init(&got);
	begun = contract_pin.n_sent;
	rc = receive(probe, &got, WANTED, err);
	if (rc == 0)
		swo_got_check(&got, begun, contract_pin.n_sent, &verdict);
	swo_got_fini(&got);
	return rc;
}

static void clear(struct pt_probe *probe)
{
	stop(probe, NULL);
}

static int nothing(struct pt_probe *probe, struct pt_err *err)
{
	(void)probe, (void)err;
	return 0;
}

static const struct contract_call calls[] = { { "receive", run_anew } };

const struct contract_wire contract_stream = {
	.calls = calls, .n_calls = PT_LEN(calls), .bring_up = nothing, .list = run_anew, .clear = clear,
};

/* --- losses, rates, restarts -------------------------------------------------------------------------------------- */

static struct pt_probe *open_with_pin(const struct contract_driver *driver, uint32_t bits_per_s)
{
	struct pt_err err = { 0 };
	struct pt_probe *probe;

	contract_fresh(driver);
	contract_pin.bit_ps = UINT64_C(1000000000000) / bits_per_s;
	probe = contract_open(driver, &err);
	ck_assert_msg(probe != NULL, "%s", err.msg);
	return probe;
}

static void must(int rc, const struct pt_err *err)
{
	ck_assert_msg(rc >= 0, "%d: %s", rc, err->msg);
}

static void finish(struct pt_probe *probe, struct swo_got *got)
{
	struct pt_err err = { 0 };

	must(stop(probe, &err), &err);
	while (!got->ended)
		must(read_some(probe, got, 0, &err), &err);
}

/* With pauses that the probe's ring may or may not bear: a number that is repeatable, up to most. */
static uint64_t pause_ns(unsigned i, uint64_t most)
{
	return swo_pin_byte(i) * UINT64_C(257) % 1000 * most / 1000;
}

/* Registers of the debug port, on the same link. */
static void run_list(struct pt_probe *probe)
{
	struct pt_dap_op ops[20];
	uint32_t ids[PT_LEN(ops)] = { 0 };
	struct pt_err err = { 0 };
	size_t n_done;
	void *wire;
	const struct pt_dap_ops *dap = pt_probe_dap(probe, &wire);

	for (size_t i = 0; i < PT_LEN(ops); i++)
		ops[i] = (struct pt_dap_op){ .what = PT_DAP_READ, .words = &ids[i], .n_words = 1 };
	must(dap->run(wire, ops, PT_LEN(ops), 100, &n_done, &err), &err);
	for (size_t i = 0; i < PT_LEN(ops); i++)
		ck_assert_uint_eq(ids[i], 0x2ba01477);
}

static void connect_port(struct pt_probe *probe)
{
	struct pt_err err = { 0 };
	void *wire;
	const struct pt_dap_ops *dap = pt_probe_dap(probe, &wire);

	must(dap->connect(wire, PT_DAP_SWD, &err), &err);
}

static void run_with_pauses(const struct contract_driver *driver, uint32_t bits_per_s, uint64_t most_ns, unsigned n,
			    struct swo_verdict *verdict, struct swo_got *got)
{
	struct pt_probe *probe = open_with_pin(driver, bits_per_s);
	struct pt_err err = { 0 };

	swo_got_init(got);
	connect_port(probe);
	must(start_at(probe, bits_per_s, &err), &err);
	for (unsigned i = 0; i < n; i++) {
		if (i % 2 == 0)
			run_list(probe);
		must(read_some(probe, got, i % 3, &err), &err);
		pt_link_wait(pt_probe_link(probe), pt_link_now_ns(pt_probe_link(probe)) + pause_ns(i, most_ns), NULL);
	}
	finish(probe, got);
	swo_got_check(got, 0, contract_pin.n_sent, verdict);
	pt_probe_close(probe);
}

/* A host that reads in time loses nothing, and is told so where the probe can. */
START_TEST(loses_nothing_in_time)
{
	const struct contract_driver *driver = &contract_drivers[_i];
	static const uint32_t rates[] = { 100000, 1000000, 2000000 };

	for (size_t i = 0; i < PT_LEN(rates); i++) {
		struct swo_verdict verdict;
		struct swo_got got;

		run_with_pauses(driver, rates[i], 2 * PT_NS_PER_MS, 200, &verdict, &got);
		ck_assert_uint_eq(verdict.n_gaps, 0);
		ck_assert_uint_eq(verdict.n_missing, 0);
		ck_assert_uint_eq(got.n_holes, 0);
		ck_assert_uint_eq(got.bad_frames, 0);
		ck_assert_uint_gt(got.n, rates[i] / 100);
		ck_assert_uint_ge(contract_pin.n_sent - verdict.next, 0);
		swo_got_fini(&got);
	}
}
END_TEST

/* One that comes late: each gap is where a read said so. At the low rate a reading is over before the next byte, so that no
 * other hole covers for one that is said to be elsewhere. */
START_TEST(says_where_bytes_are_missing)
{
	const struct contract_driver *driver = &contract_drivers[_i];
	static const uint32_t rates[] = { RATE / 20, RATE };

	for (size_t i = 0; i < PT_LEN(rates); i++) {
		struct swo_verdict verdict;
		struct swo_got got;

		run_with_pauses(driver, rates[i], RATE / rates[i] * 100 * PT_NS_PER_MS, 300, &verdict, &got);
		ck_assert_uint_gt(verdict.n_gaps, 20);
		if (!driver->says_twice)
			ck_assert_uint_eq(verdict.n_false_holes, 0);
		/* the rest was lost behind the last that came */
		ck_assert_uint_le(verdict.n_missing, driver->lost_bytes());
		ck_assert_uint_le(driver->lost_bytes() - verdict.n_missing, contract_pin.n_sent - verdict.next);
		swo_got_fini(&got);
	}
}
END_TEST

/* A caller who reads registers and SWO in turns waits about once for both. */
START_TEST(a_poll_travels_with_a_list)
{
	const struct contract_driver *driver = &contract_drivers[_i];
	struct pt_probe *probe = open_with_pin(driver, 100000);
	struct pt_link_traffic traffic;
	uint64_t before, alone = 0, both = 0;
	struct pt_err err = { 0 };
	struct swo_got got;

	swo_got_init(&got);
	connect_port(probe);
	for (unsigned i = 0; i < 100; i++) {
		if (i == 50)
			must(start_at(probe, 100000, &err), &err);
		pt_link_wait(pt_probe_link(probe), contract_script.now_ns + 5 * PT_NS_PER_MS, NULL);
		pt_link_traffic(pt_probe_link(probe), &traffic);
		before = traffic.round_trips;
		run_list(probe);
		if (i >= 50)
			must(read_some(probe, &got, 0, &err), &err);
		pt_link_traffic(pt_probe_link(probe), &traffic);
		*(i < 50 ? &alone : &both) += traffic.round_trips - before;
	}
	ck_assert_uint_gt(got.n, 2000);
	if (driver->polls_ahead)
		ck_assert_uint_le(both, alone + 1);
	finish(probe, &got);
	swo_got_fini(&got);
	pt_probe_close(probe);
}
END_TEST

/* Another rate than the pin's: what comes is no byte of it, and that is said. */
START_TEST(a_wrong_rate_shows)
{
	static const uint32_t wrong[] = { 500000, 769230, 1250000, 2000000 };
	const struct contract_driver *driver = &contract_drivers[_i];

	for (size_t i = 0; i < PT_LEN(wrong); i++) {
		struct pt_probe *probe = open_with_pin(driver, RATE);
		struct pt_err err = { 0 };
		struct swo_got got;

		swo_got_init(&got);
		must(start_at(probe, wrong[i], &err), &err);
		for (unsigned k = 0; k < 20; k++)
			must(read_some(probe, &got, 2, &err), &err);
		finish(probe, &got);
		if (driver->reports_frames)
			ck_assert_uint_gt(got.bad_frames, 0);
		swo_got_fini(&got);
		pt_probe_close(probe);
	}
}
END_TEST

/* After an interrupted read nothing is missing. */
START_TEST(interrupts_lose_nothing)
{
	struct pt_probe *probe = open_with_pin(&contract_drivers[_i], RATE);
	unsigned n_interrupted = 0;
	struct pt_err err = { 0 };
	struct swo_verdict verdict;
	struct swo_got got;

	swo_got_init(&got);
	must(start_at(probe, RATE, &err), &err);
	for (unsigned i = 0; i < 200; i++) {
		int rc;

		contract_script.interrupt_at_ns = contract_script.now_ns + pause_ns(i, 2 * PT_NS_PER_MS);
		rc = read_some(probe, &got, 3, &err);
		n_interrupted += rc == PT_EINTERRUPTED;
		ck_assert(rc >= 0 || rc == PT_EINTERRUPTED);
	}
	contract_script.interrupt_at_ns = 0;
	ck_assert_uint_gt(n_interrupted, 5);
	pt_link_wait(pt_probe_link(probe), 0, NULL);
	finish(probe, &got);
	swo_got_check(&got, 0, contract_pin.n_sent, &verdict);
	ck_assert_uint_eq(verdict.n_gaps, 0);
	ck_assert_uint_eq(got.n_holes, 0);
	swo_got_fini(&got);
	pt_probe_close(probe);
}
END_TEST

/* What came before a start is thrown away; a second start while it receives is refused. */
START_TEST(starts_anew)
{
	struct pt_probe *probe = open_with_pin(&contract_drivers[_i], RATE);
	struct pt_err err = { 0 };

	for (unsigned i = 0; i < 5; i++) {
		struct swo_verdict verdict;
		uint64_t begun = contract_pin.n_sent;
		struct swo_got got;

		swo_got_init(&got);
		must(start_at(probe, RATE, &err), &err);
		ck_assert_int_eq(start_at(probe, RATE, &err), PT_EBUSY);
		for (unsigned k = 0; k < 5; k++)
			must(read_some(probe, &got, 2, &err), &err);
		finish(probe, &got);
		swo_got_check(&got, begun, contract_pin.n_sent, &verdict);
		swo_got_fini(&got);
	}
	pt_probe_close(probe);
}
END_TEST

void contract_stream_tests(TCase *tc, int i)
{
	tcase_add_loop_test(tc, loses_nothing_in_time, i, i + 1);
	tcase_add_loop_test(tc, says_where_bytes_are_missing, i, i + 1);
	tcase_add_loop_test(tc, a_poll_travels_with_a_list, i, i + 1);
	tcase_add_loop_test(tc, a_wrong_rate_shows, i, i + 1);
	tcase_add_loop_test(tc, interrupts_lose_nothing, i, i + 1);
	tcase_add_loop_test(tc, starts_anew, i, i + 1);
}
