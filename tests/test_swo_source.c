/* The source swo on an ARMv7-M core (fake_m4.h) whose trace a model of DWT, ITM and pin sends: what is written and put
 * back, that every byte is in a chunk or in the count of a loss, where stamps lie in time, and what is noticed. */
#include <math.h>
#include <string.h>

#include "base/util.h"
#include "harness.h"
#include "targets/contract/source.h"
#include "targets/cortexm/core/cortexm.h"
#include "targets/cortexm/swo/source_swo.h"
#include "targets/cortexm/swo/swo.h"
#include "targets/cortexm/swo/swo_doctor.h"
#include "targets/registry.h"
#include "tests/array_sink.h"
#include "tests/fake_m4.h"
#include "trace/config.h"
#include "trace/formats.h"
#include "trace/loss.h"

/* --- the pin ------------------------------------------------------------------------------------------------------ */

enum { MOST_SENT = 1 << 20, CORE_MHZ = 16, TCR = 0xe80 / 4, TER = 0xe00 / 4, ACPR = 0x010 / 4, SPPR = 0x0f0 / 4, FFCR = 0x304 / 4 };

static struct fake_m4 m4;
static struct {
	uint8_t byte[MOST_SENT];
	uint64_t at_ns[MOST_SENT];	/* when it is through */
	uint64_t moment_ns[MOST_SENT];	/* of a stamp's last byte: what it says; else 0 */
	size_t n, read, begun;		/* begun: of these came before the profile did */
	uint64_t free_ns;		/* the pin is, from then on */
	uint64_t cyc, stamp_cyc;	/* up to here the model is; the last stamp */
	unsigned left;			/* POSTCNT */
	uint64_t exception_every;	/* cycles; 0: none */
	uint32_t bps;			/* of the receiver; 0: it does not receive */
	uint64_t from_ns, samples;
	size_t lose_at, lose_n;		/* so many bytes, from that one on, are not received */
	size_t lost;
	enum pt_stream_missing says;	/* of that, or always */
	bool inside;
	bool garbled;			/* what is received is none of it */
	bool manchester;		/* the probe has that coding alone; else UART alone */
	uint64_t n_reported;		/* exceptions, while the ITM was on */
	uint64_t dead_from_ns, dead_to_ns;	/* the pin is cut */
	uint64_t port_every, n_ports, last_port_ns;	/* cycles, 0: the program writes to no port; that were sent */
	unsigned drops_every, n_exceptions;	/* of so many exceptions one finds no room; 0: none */
} pin;

static bool on(uint32_t reg, unsigned bit)
{
	return (reg >> bit & 1) != 0;
}

static void send(const uint8_t *bytes, size_t n, uint64_t now_ns, uint64_t moment_ns)
{
	double bps = CORE_MHZ * 1e6 / (m4.tpiu[ACPR] + 1);

	if (!on(m4.itm[TCR], 0) || !on(m4.itm[TCR], 3) || pin.n + n > MOST_SENT)
		return;
	if (now_ns >= pin.dead_from_ns && now_ns < pin.dead_to_ns)
		return;
	for (size_t i = 0; i < n; i++) {
		pin.free_ns = (pin.free_ns > now_ns ? pin.free_ns : now_ns) + (uint64_t)(10e9 / bps);
		pin.byte[pin.n] = bytes[i];
		pin.at_ns[pin.n] = pin.free_ns;
		pin.moment_ns[pin.n++] = i + 1 == n ? moment_ns : 0;
	}
}

static void send_stamp(uint64_t cyc, uint64_t now_ns)
{
	uint64_t ticks = cyc - pin.stamp_cyc;
	uint8_t bytes[5] = { 0xc0 };
	size_t n = 1;

	if (!on(m4.itm[TCR], 1) || ticks == 0)
		return;
	do {
		bytes[n++] = (uint8_t)((ticks & 0x7f) | (ticks > 0x7f ? 0x80 : 0));
		ticks >>= 7;
	} while (ticks > 0);
	send(bytes, n, now_ns, now_ns);
	pin.stamp_cyc = cyc;
}

static void tap(uint64_t cyc, uint64_t now_ns)
{
	static const uint8_t sample[] = { 0x17, 0x34, 0x12, 0x00, 0x08 };

	if (!on(m4.dwt_ctrl, 12)) {
		pin.left = m4.dwt_ctrl >> 5 & 0xf;
		return;
	}
	if (pin.left-- > 0)
		return;
	pin.left = m4.dwt_ctrl >> 1 & 0xf;
	pin.samples++;
	send(sample, sizeof(sample), now_ns, 0);
	send_stamp(cyc, now_ns);
}

static void exception(uint64_t cyc, uint64_t now_ns)
{
	static const uint8_t enter[] = { 0x0e, 0x0f, 0x10 }, back[] = { 0x0e, 0x00, 0x30 }, overflow[] = { 0x70 };

	if (!on(m4.dwt_ctrl, 16))
		return;
	pin.n_reported += on(m4.itm[TCR], 0) && pin.bps != 0;
	if (pin.drops_every != 0 && ++pin.n_exceptions % pin.drops_every == 0) {
		send(overflow, 1, now_ns, 0);
		return;
	}
	send(cyc / pin.exception_every % 2 == 0 ? enter : back, 3, now_ns, 0);
	send_stamp(cyc, now_ns);
}

static void synchronise(uint64_t now_ns)
{
	static const uint8_t sync[] = { 0, 0, 0, 0, 0, 0x80 };

	if (on(m4.itm[TCR], 2))
		send(sync, sizeof(sync), now_ns, 0);
}

static void store(uint64_t cyc, uint64_t now_ns)
{
	static const uint8_t port[] = { 0x01, 0x41 };

	if (!on(m4.itm[TER], 0) || !on(m4.itm[TCR], 0))
		return;
	pin.n_ports++;
	pin.last_port_ns = now_ns;
	send(port, sizeof(port), now_ns, 0);
	send_stamp(cyc, now_ns);
}

/* Whatever is due up to now. */
static void run_chip(void *arg, uint64_t now_ns)
{
	uint64_t cyc = now_ns * m4.cyccnt_per_us / 1000, every = on(m4.dwt_ctrl, 9) ? 1024 : 64;

	(void)arg;
	while (pin.cyc < cyc) {
		uint64_t to = (pin.cyc / 64 + 1) * 64, at_ns;

		if (pin.exception_every != 0 && (pin.cyc / pin.exception_every + 1) * pin.exception_every < to)
			to = (pin.cyc / pin.exception_every + 1) * pin.exception_every;
		if (to > cyc)
			to = cyc;
		at_ns = to * 1000 / m4.cyccnt_per_us;
		if (to % every == 0)
			tap(to, at_ns);
		if (to % (1 << 24) == 0)
			synchronise(at_ns);
		if (pin.port_every != 0 && to % pin.port_every == 0)
			store(to, at_ns);
		if (pin.exception_every != 0 && to % pin.exception_every == 0)
			exception(to, at_ns);
		pin.cyc = to;
	}
}

/* --- the probe ---------------------------------------------------------------------------------------------------- */

static int pin_start(void *state, const struct pt_stream_want *want, uint32_t *bits_per_s, struct pt_err *why)
{
	(void)state;
	if ((want->coding == PT_STREAM_MANCHESTER) != pin.manchester)
		return pt_fail(why, PT_EARG, "this probe has %s alone", pin.manchester ? "Manchester code" : "UART");
	if (want->bits_per_s > 1500000)
		return pt_fail(why, PT_EARG, "this probe has up to 1500000 baud");
	*bits_per_s = pin.bps = want->bits_per_s;
	pin.read = pin.n;
	pin.from_ns = m4.dap.memory.now_ns;
	return 0;
}

static int pin_read(void *state, uint8_t *bytes, size_t room, uint32_t timeout_ms, struct pt_stream_read *what,
		    struct pt_err *why)
{
	size_t n = 0, sure = PT_UNKNOWN;

	(void)state, (void)why;
	array_mem_pass(&m4.dap.memory, timeout_ms * PT_NS_PER_MS + 20000);
	for (; pin.read < pin.n && n < room && pin.at_ns[pin.read] <= m4.dap.memory.now_ns; pin.read++) {
		if (pin.lose_n > 0 && pin.read >= pin.lose_at) {
			sure = sure < n ? sure : n;
			pin.lose_n--;
			pin.lost++;
		} else {
			bytes[n++] = pin.garbled ? 0xfc : pin.byte[pin.read];
		}
	}
	*what = (struct pt_stream_read){ .from_ns = pin.from_ns, .to_ns = m4.dap.memory.now_ns, .sure_bytes = n };
	what->missing = pin.says == PT_STREAM_UNSAID ? PT_STREAM_UNSAID : PT_STREAM_NOTHING;
	if (sure <= n) {
		what->sure_bytes = sure;
		what->missing = PT_STREAM_SOME;
		what->lost_bytes = pin.lost;
		pin.lost = 0;
	}
	pin.from_ns = m4.dap.memory.now_ns;
	what->ended = pin.bps == 0 && n == 0;
	return (int)n;
}

static int pin_stop(void *state, struct pt_err *why)
{
	(void)state, (void)why;
	pin.bps = 0;
	return 0;
}

static uint32_t pin_patience(void *state, uint32_t bits_per_s)
{
	(void)state, (void)bits_per_s;
	return 40000;
}

static const struct pt_stream_ops stream_ops = { pin_start, pin_read, pin_stop, pin_patience };

/* --- the rig ------------------------------------------------------------------------------------------------------ */

static struct pt_probe_ops probe_ops;
static struct array_sink sink;
static struct pt_target *target;
static struct pt_probe *probe;
static struct pt_params *settings;
static struct pt_err err;
static void *state;

static void setup(void)
{
	memset(&pin, 0, sizeof(pin));
	memset(&err, 0, sizeof(err));
	fake_m4_init(&m4);
	m4.cyccnt_per_us = CORE_MHZ;
	m4.dap.memory.access_ns = 2000;
	m4.dwt_ctrl |= 1 << 11;		/* found so */
	m4.itm[TCR] = 1 << 16;
	m4.tpiu[ACPR] = 7;
	m4.tpiu[FFCR] = 2;
	m4.dap.memory.tick = run_chip;
	array_sink_init(&sink);
	settings = pt_params_new();
	probe_ops = fake_dap_probe_ops;
	probe_ops.stream = &stream_ops;
	probe = pt_probe_open_link(&probe_ops, m4.dap.link, NULL, &err);
	m4.dap.link = NULL;
	target = pt_target_attach(probe, "cortexm", NULL, &err);
	ck_assert_msg(target != NULL, "%s", err.msg);
	state = calloc(1, pt_source_swo.state_bytes);
}

/* All is as it was found. */
static void teardown(void)
{
	ck_assert_ptr_null(target->leases);
	ck_assert_uint_eq(pin.bps, 0);
	ck_assert_uint_eq(m4.itm[TCR], 1 << 16);
	ck_assert_uint_eq(m4.tpiu[ACPR], 7);
	ck_assert_uint_eq(m4.tpiu[SPPR], 0);
	ck_assert_uint_eq(m4.tpiu[FFCR], 2);
	ck_assert_uint_eq(m4.dwt_ctrl, UINT32_C(4) << 28 | 1 << 11);
	for (size_t i = 0; i < PT_LEN(m4.dwt); i++)
		ck_assert_uint_eq(m4.dwt[i], 0);
	ck_assert_int_eq(pt_target_detach(target, true, &err), 0);
	ck_assert_uint_eq(m4.demcr, 0);
	pt_probe_close(probe);
	array_sink_fini(&sink);
	pt_params_free(settings);
	free(state);
	fake_m4_fini(&m4);
}

static int start(const char *word)
{
	struct pt_source_setup with = { .settings = settings, .sink = &sink.sink, .seed = 3, .config = "" };
	int rc;

	if (word != NULL)
		ck_assert_int_eq(pt_params_add(settings, pt_source_swo.params, pt_source_swo.n_params, word, &err), 0);
	rc = pt_source_swo.start(state, target, &with, &err);
	pin.begun = pin.read;
	return rc;
}

static void drain(unsigned ms)
{
	uint64_t until_ns = m4.dap.memory.now_ns + ms * PT_NS_PER_MS;

	while (m4.dap.memory.now_ns < until_ns) {
		int rc = pt_source_swo.drain(state, &err);

		ck_assert_msg(rc >= 0, "%s", err.msg);
		array_mem_pass(&m4.dap.memory, (uint64_t)rc * 1000);
	}
}

static void stop(void)
{
	ck_assert_msg(pt_source_swo.stop(state, &err) == 0, "%s", err.msg);
	array_sink_check(&sink);
	ck_assert_uint_eq(array_sink_count(&sink, PT_CHUNK_END, -1), 1);
}

static uint64_t lost_bytes(void)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < sink.n_chunks; i++)
		if (sink.chunk[i]->kind == PT_CHUNK_LOSS && pt_loss_is_fault((enum pt_loss)sink.chunk[i]->cause)) {
			ck_assert_uint_ne(sink.chunk[i]->lost_bytes, PT_UNKNOWN);
			sum += sink.chunk[i]->lost_bytes;
		}
	return sum;
}

static uint64_t time_ns(enum pt_chunk_kind kind, int cause)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < sink.n_chunks; i++)
		if (sink.chunk[i]->kind == kind && (cause < 0 || sink.chunk[i]->cause == cause))
			sum += sink.chunk[i]->to_ns - sink.chunk[i]->from_ns;
	return sum;
}

static uint64_t data_bytes(void)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < sink.n_chunks; i++)
		sum += sink.chunk[i]->kind == PT_CHUNK_DATA ? sink.chunk[i]->len_bytes : 0;
	return sum;
}

/* Each chunk's bytes are the next ones that were sent, but for what a LOSS counts. Anchors say when its last stamp was, give
 * or take what they say themselves. */
static void check_bytes(void)
{
	size_t at = pin.begun;
	const struct pt_chunk *anchor = NULL;

	for (size_t i = 0; i < sink.n_chunks; i++) {
		const struct pt_chunk *c = sink.chunk[i];

		if (c->kind == PT_CHUNK_CLOCK)
			anchor = c;
		if (c->kind == PT_CHUNK_LOSS && pt_loss_is_fault((enum pt_loss)c->cause))
			at += c->lost_bytes;
		if (c->kind != PT_CHUNK_DATA || c->len_bytes == 0)
			continue;
		ck_assert_uint_le(at + c->len_bytes, pin.n);
		ck_assert_mem_eq(c->bytes, pin.byte + at, c->len_bytes);
		at += c->len_bytes;
		if (anchor != NULL) {
			size_t last = at - 1;
			uint64_t said = pt_le64(anchor->bytes + PT_CLOCK_NS),
				 error = pt_le64(anchor->bytes + PT_CLOCK_ERROR_NS);

			while (pin.moment_ns[last] == 0)
				last--;
			ck_assert_msg(said + error + 100 >= pin.moment_ns[last] &&
					      said <= pin.moment_ns[last] + error + 100,
				      "%llu +- %llu, and it was %llu", (unsigned long long)said,
				      (unsigned long long)error, (unsigned long long)pin.moment_ns[last]);
			anchor = NULL;
		}
	}
	ck_assert_uint_eq(at, pin.n);
}

/* --- what it does ------------------------------------------------------------------------------------------------- */

START_TEST(sends_samples_and_exceptions)
{
	const struct pt_swo *swo = state;

	pin.exception_every = 20000;
	ck_assert_msg(start("swo-baud=1000000") == 0, "%s", err.msg);
	ck_assert_uint_eq(m4.itm[TCR] & 0x7f000f, 0x1000f);
	ck_assert_uint_eq(m4.tpiu[ACPR], 15);
	ck_assert_uint_eq(m4.tpiu[SPPR], 2);
	ck_assert_uint_eq(m4.tpiu[FFCR], 0x100);
	ck_assert_uint_eq(m4.dwt_ctrl & 0x11c01, 0x11401);
	ck_assert_uint_eq(m4.demcr, 1 << 24);
	ck_assert_str_eq(array_sink_config(&sink, "aligned"), "1");
	ck_assert_str_eq(array_sink_config(&sink, "silent_loss"), "");
	ck_assert_double_eq_tol(atof(array_sink_config(&sink, "tick_hz")), CORE_MHZ * 1e6, CORE_MHZ * 1e4);
	ck_assert_ptr_nonnull(strstr(array_sink_config(&sink, "cost"), "baud"));
	drain(1000);
	stop();
	ck_assert_uint_eq(lost_bytes(), 0);
	ck_assert_uint_gt(pin.samples, 900);
	ck_assert_uint_eq(swo->stream.n_samples, pin.samples);
	ck_assert_double_le(fabs((double)swo->cadence.samples - (double)pin.samples), 1 + swo->cadence.doubt);
	ck_assert_double_lt(swo->cadence.doubt, 10);
	ck_assert_uint_eq(swo->stream.n_disagree, 0);
	check_bytes();
	ck_assert_uint_eq(array_sink_count(&sink, PT_CHUNK_LOSS, -1), 0);
}
END_TEST

/* 800 exceptions a second of 3 bytes, and as many stamps of 4, at 145454 bytes a second: samples get what is left of the tenth
 * of the pin at which one in a hundred is lost. */
START_TEST(leaves_room_for_what_else_is_traced)
{
	const struct pt_swo *swo = state;
	double load;

	pin.exception_every = 20000;
	ck_assert_msg(start(NULL) == 0, "%s", err.msg);
	ck_assert(swo->rest_known);
	ck_assert_double_eq_tol(swo->rest_load, 0.0385, 0.002);
	load = pt_swo_load(&swo->period, 16e6, swo->stream.bits_per_s, 7);
	ck_assert_double_le(pt_swo_lost_part(swo->rest_load + load, 2), 0.01);
	ck_assert_double_ge(load, 0.055);
	ck_assert_ptr_nonnull(strstr(array_sink_config(&sink, "cost"), "in all"));
	drain(50);
	stop();
}
END_TEST

/* One in a hundred is what is aimed at; more shows that the program does more than when the period was chosen. */
static const struct { unsigned drops_every; bool warns; } crowds[] = { { 0, false }, { 150, false }, { 10, true } };

START_TEST(says_that_the_pin_is_crowded)
{
	const struct pt_swo *swo = state;

	pin.exception_every = 8000;
	ck_assert_msg(start("trace=exceptions") == 0, "%s", err.msg);
	pin.drops_every = crowds[_i].drops_every;
	drain(2500);
	ck_assert_int_eq(swo->crowd.warned, crowds[_i].warns);
	stop();
}
END_TEST

static const struct { double rest, load; } loads[] = { { 0, 0.105 }, { 0.05, 0.055 }, { 0.1, 0.005 }, { 0.3, 0 } };

START_TEST(finds_the_load_that_is_left)
{
	ck_assert_double_eq_tol(pt_swo_load_beside(loads[_i].rest, 0.01), loads[_i].load, 0.002);
}
END_TEST

/* A rate that the probe has not: the next that it has. */
START_TEST(takes_a_rate_that_the_probe_has)
{
	ck_assert_msg(start(NULL) == 0, "%s", err.msg);
	ck_assert_uint_eq(pin.bps, 1454545);	/* 16 MHz / 11 */
	ck_assert_uint_eq(m4.tpiu[ACPR], 10);
	drain(50);
	stop();
}
END_TEST

/* What the probe says it dropped, and what came behind it up to packets that can be believed, is counted. */
START_TEST(counts_what_is_lost)
{
	pin.exception_every = 20000;
	ck_assert_msg(start("swo-baud=1000000") == 0, "%s", err.msg);
	for (int i = 0; i < 20; i++) {
		drain(50);
		pin.lose_at = pin.read + 13;
		pin.lose_n = 3 + (size_t)i;
	}
	drain(50);
	stop();
	ck_assert_uint_gt(array_sink_count(&sink, PT_CHUNK_LOSS, PT_LOSS_PIN), 15);
	ck_assert_uint_eq(data_bytes() + lost_bytes(), pin.n - pin.begun);
	check_bytes();
}
END_TEST

START_TEST(claims_nothing_of_a_probe_that_does_not_say)
{
	pin.says = PT_STREAM_UNSAID;
	ck_assert_msg(start(NULL) == 0, "%s", err.msg);
	ck_assert_str_eq(array_sink_config(&sink, "silent_loss"), "1");
	drain(50);
	stop();
}
END_TEST

static void clear_tcr(void) { m4.itm[TCR] = 0; }
static void clear_ctrl(void) { m4.dwt_ctrl &= ~UINT32_C(0x10000); }
static void set_acpr(void) { m4.tpiu[ACPR] = 3; }
static void reset(void)
{
	m4.dhcsr |= 1 << 25;
	m4.itm[TCR] = m4.tpiu[ACPR] = m4.demcr = 0;
	m4.dwt_ctrl &= 0xf0000000;
}
static const struct { void (*spoil)(void); enum pt_loss cause; } spoilers[] = {
	{ clear_tcr, PT_LOSS_TAKEN }, { clear_ctrl, PT_LOSS_TAKEN }, { set_acpr, PT_LOSS_TAKEN }, { reset, PT_LOSS_RESET },
};

START_TEST(notices_who_writes_the_unit)
{
	uint64_t n;

	pin.exception_every = 20000;
	ck_assert_msg(start("swo-baud=1000000") == 0, "%s", err.msg);
	drain(300);
	spoilers[_i].spoil();
	array_mem_pass(&m4.dap.memory, 1000);
	drain(10);
	m4.dhcsr &= ~(UINT32_C(1) << 25);
	drain(200);
	ck_assert_uint_gt(array_sink_count(&sink, PT_CHUNK_LOSS, spoilers[_i].cause), 0);
	ck_assert_uint_eq(m4.itm[TCR] & 0xf, 0xf);
	ck_assert_uint_eq(m4.tpiu[ACPR], 15);
	ck_assert_uint_eq(m4.dwt_ctrl >> 16 & 1, 1);
	n = pin.n;
	drain(50);
	ck_assert_uint_gt(pin.n, n);
	stop();
}
END_TEST

/* Another tool that writes it again and again ends the profile: what is lost was lost to that, and to no reset. */
START_TEST(does_not_share_the_unit)
{
	int rc = 0;

	pin.exception_every = 20000;
	ck_assert_msg(start("swo-baud=1000000") == 0, "%s", err.msg);
	drain(100);
	for (int i = 0; i < 100 && rc >= 0; i++) {
		set_acpr();
		array_mem_pass(&m4.dap.memory, 120 * PT_NS_PER_MS);
		rc = pt_source_swo.drain(state, &err);
	}
	ck_assert_int_eq(rc, PT_EBUSY);
	stop();
	ck_assert_uint_gt(array_sink_count(&sink, PT_CHUNK_LOSS, PT_LOSS_TAKEN), 0);
	ck_assert_uint_eq(array_sink_count(&sink, PT_CHUNK_LOSS, PT_LOSS_RESET), 0);
}
END_TEST

static double last_tick_hz(const char *key)
{
	struct pt_config config;
	double hz = 0;

	for (size_t i = 0; i < sink.n_chunks; i++)
		if (sink.chunk[i]->kind == PT_CHUNK_CONFIG &&
		    pt_config_init(&config, (const char *)sink.chunk[i]->bytes, sink.chunk[i]->len_bytes)) {
			hz = (double)pt_config_number(&config, key, 0);
			pt_config_fini(&config);
		}
	return hz;
}

/* The trace clock alone is another: no register shows it, and no byte is a packet any more. */
START_TEST(says_that_the_pin_has_changed)
{
	pin.exception_every = 20000;
	ck_assert_msg(start("swo-baud=1000000") == 0, "%s", err.msg);
	drain(300);
	ck_assert(!((struct pt_swo *)state)->stream.warned);
	pin.garbled = true;
	drain(300);
	ck_assert(((struct pt_swo *)state)->stream.warned);
	stop();
	ck_assert_uint_ge(time_ns(PT_CHUNK_LOSS, PT_LOSS_PIN), 280 * PT_NS_PER_MS);
	ck_assert_uint_le(time_ns(PT_CHUNK_DATA, -1), 320 * PT_NS_PER_MS);
}
END_TEST

static void note_line(void *lines, const char *line)
{
	strncat(lines, line, 4000 - strlen(lines));
	strcat(lines, "\n");
}

/* A probe with Manchester code alone; and one with UART alone, to which nothing comes. */
START_TEST(the_doctor_tries_manchester)
{
	static const char *const words[] = { "doctor" };
	char lines[4096] = "";

	pin.manchester = _i == 0;
	pin.garbled = _i == 1;
	ck_assert_msg(pt_swo_doctor(target->state, words, 1, note_line, lines, &err) == 0, "%s", err.msg);
	ck_assert_msg(strstr(lines, _i == 0 ? "swo-coding = manchester" : "UART coding alone was tried") != NULL, "%s",
		      lines);
}
END_TEST

/* The user's clock is 1 % off: each time lies between what it says and what the cycle counter does. */
START_TEST(doubts_a_clock_that_is_nearly_right)
{
	struct pt_source_setup with = { .settings = settings, .sink = &sink.sink, .seed = 3, .config = "core_hz=16160000\n" };

	pin.exception_every = 20000;
	ck_assert_int_eq(pt_params_add(settings, pt_source_swo.params, pt_source_swo.n_params, "trace=exceptions",
				       &err),
			 0);
	ck_assert_msg(pt_source_swo.start(state, target, &with, &err) == 0, "%s", err.msg);
	ck_assert_double_eq(last_tick_hz("tick_hz"), 16160000);
	ck_assert_double_le(last_tick_hz("tick_least_hz"), 16e6);
	ck_assert_double_ge(last_tick_hz("tick_most_hz"), 16160000);
	drain(100);
	stop();
}
END_TEST

/* A PLL that is switched on: the pin's rate changes with it. */
START_TEST(notices_another_clock)
{
	pin.exception_every = 20000;
	ck_assert_msg(start("swo-baud=1000000") == 0, "%s", err.msg);
	drain(300);
	m4.cyccnt_per_us = 32;
	drain(600);
	ck_assert_uint_ge(array_sink_count(&sink, PT_CHUNK_LOSS, PT_LOSS_CLOCK), 1);
	ck_assert_uint_eq(m4.tpiu[ACPR], 31);
	ck_assert_double_eq_tol(((struct pt_swo *)state)->core_hz, 32e6, 32e4);
	ck_assert_double_eq_tol(last_tick_hz("tick_hz"), 32e6, 32e4);	/* stamps behind the loss are of this clock */
	ck_assert_double_le(last_tick_hz("tick_least_hz"), 32e6);
	ck_assert_double_ge(last_tick_hz("tick_most_hz"), 32e6);
	stop();
}
END_TEST

/* A core whose clock stood for a moment, and is as before when it is looked at again, is as fast as it was. */
START_TEST(a_clock_that_stood_is_no_other)
{
	const struct pt_swo *swo = state;

	pin.exception_every = 20000;
	ck_assert_msg(start("swo-baud=1000000") == 0, "%s", err.msg);
	drain(300);
	array_mem_pass(&m4.dap.memory, 50 * PT_NS_PER_MS);
	m4.cyccnt_stood = 50000 * CORE_MHZ;
	drain(600);
	stop();
	ck_assert_uint_eq(array_sink_count(&sink, PT_CHUNK_LOSS, PT_LOSS_CLOCK), 0);
	ck_assert_double_eq_tol(swo->core_hz, CORE_MHZ * 1e6, CORE_MHZ * 1e2);
}
END_TEST

/* The core sleeps, as often as it is looked at, and no sample says so: CYCCNT stands then, and is no measure of the clock. */
START_TEST(a_clock_that_stands_in_sleep_is_not_known)
{
	uint64_t until_ns;
	int rc = 0;

	ck_assert_msg(start("trace=pc-samples") == 0, "%s", err.msg);
	m4.dhcsr |= 1 << 18;
	until_ns = m4.dap.memory.now_ns + PT_NS_PER_S;
	while (rc >= 0 && m4.dap.memory.now_ns < until_ns) {
		rc = pt_source_swo.drain(state, &err);
		array_mem_pass(&m4.dap.memory, rc > 0 ? (uint64_t)rc * 1000 : 0);
	}
	ck_assert_int_eq(rc, PT_ESTATE);
	ck_assert_msg(strstr(err.msg, "core-clock=HZ") != NULL, "%s", err.msg);
	m4.dhcsr &= ~(UINT32_C(1) << 18);
	memset(&err, 0, sizeof(err));
	pt_source_swo.stop(state, &err);
}
END_TEST

/* The host is late: answers lie where nothing fetches them. */
START_TEST(a_late_host_is_no_other_clock)
{
	pin.exception_every = 20000;
	ck_assert_msg(start("swo-baud=1000000") == 0, "%s", err.msg);
	for (unsigned i = 0; i < 60; i++) {
		m4.dap.memory.access_ns = i % 3 == 0 ? 20 * PT_NS_PER_MS : 2000;
		ck_assert_int_ge(pt_source_swo.drain(state, &err), 0);
	}
	m4.dap.memory.access_ns = 2000;
	stop();
	ck_assert_uint_eq(array_sink_count(&sink, PT_CHUNK_LOSS, PT_LOSS_CLOCK), 0);
}
END_TEST

/* A pin that is cut looks like one that has nothing to carry. What is lost lasts from the last bytes to the next ones, or to
 * the end; a program that sends nothing loses nothing. Times from the start, in ms: of the cut, of the last exception, of
 * the profile. */
static const struct {
	const char *name, *trace;
	unsigned cut, mended, exceptions_end, ends;
	unsigned lost;
} silences[] = {
	{ "nothing to send", "trace=exceptions", 0, 0, 0, 100, 0 },
	{ "never a byte", "trace=exceptions", 0, 10000, 0, 100, 100 },
	{ "cut behind two syncs", "trace=exceptions", 3500, 10000, 10000, 6000, 2500 },
	{ "cut, and mended", "trace=exceptions", 3500, 5500, 10000, 6000, 2000 },
	{ "nothing but syncs", "trace=exceptions", 0, 0, 100, 6000, 0 },
	{ "cut among syncs", "trace=exceptions", 3500, 10000, 100, 6000, 2970 },	/* from the last sync on */
	{ "cut just before the end", "trace=exceptions", 3500, 10000, 10000, 3900, 400 },
	{ "nothing to send at the end", "trace=exceptions", 0, 0, 3500, 3900, 0 },
	{ "cut before a sync came", "trace=exceptions", 200, 10000, 10000, 4500, 4300 },
	{ "samples, cut and mended", "pc-load=5", 300, 500, 10000, 800, 200 },
	{ "samples, cut to the end", "pc-load=5", 300, 10000, 10000, 800, 500 },
	{ "samples, cut just before the end", "pc-load=5", 770, 10000, 10000, 800, 30 },
};

START_TEST(silence_of_a_pin_that_is_cut_is_a_loss)
{
	uint64_t begin_ns;
	unsigned quiet_at;

	pin.exception_every = silences[_i].exceptions_end > 0 ? 20000 : 0;
	if (silences[_i].cut == 0)
		pin.dead_to_ns = silences[_i].mended > 0 ? UINT64_MAX : 0;
	ck_assert_msg(start(silences[_i].trace) == 0, "%s", err.msg);
	begin_ns = ((struct pt_swo *)state)->stream.began_ns;
	if (silences[_i].cut > 0) {
		pin.dead_from_ns = begin_ns + silences[_i].cut * PT_NS_PER_MS;
		pin.dead_to_ns = begin_ns + silences[_i].mended * PT_NS_PER_MS;
	}
	quiet_at = silences[_i].exceptions_end < silences[_i].ends ? silences[_i].exceptions_end : silences[_i].ends;
	drain(quiet_at);
	if (quiet_at < silences[_i].ends)
		pin.exception_every = 0;
	drain(silences[_i].ends - quiet_at);
	stop();
	ck_assert_msg(fabs((double)time_ns(PT_CHUNK_LOSS, PT_LOSS_PIN) / 1e6 - silences[_i].lost) <= 25, "%s: %.1f ms",
		      silences[_i].name, (double)time_ns(PT_CHUNK_LOSS, PT_LOSS_PIN) / 1e6);
	ck_assert_msg(fabs((double)(time_ns(PT_CHUNK_LOSS, PT_LOSS_PIN) + time_ns(PT_CHUNK_DATA, -1)) / 1e6 -
			   silences[_i].ends) <= 25,
		      "%s", silences[_i].name);
}
END_TEST

/* A silence that a halt ends was observed: it is no halt, and no loss. */
START_TEST(silence_before_a_halt_was_observed)
{
	ck_assert_msg(start("trace=exceptions") == 0, "%s", err.msg);
	drain(500);
	ck_assert_int_eq(pt_source_swo.on_state(state, PT_STATE_HALT, 0, 0x1000, &err), 0);
	drain(400);
	ck_assert_int_eq(pt_source_swo.on_state(state, PT_STATE_RUN, 0, 0x1000, &err), 0);
	drain(100);
	stop();
	ck_assert_double_eq_tol((double)time_ns(PT_CHUNK_DATA, -1) / 1e6, 600, 25);
	ck_assert_double_eq_tol((double)time_ns(PT_CHUNK_LOSS, PT_LOSS_HALTED) / 1e6, 400, 25);
	ck_assert_uint_eq(array_sink_count(&sink, PT_CHUNK_LOSS, PT_LOSS_PIN), 0);
}
END_TEST

/* What the program writes to its ports when the time is over is not in the trace. */
START_TEST(ports_end_with_the_time)
{
	pin.port_every = 64 * 25;	/* 100 us */
	ck_assert_msg(start("trace=instrumentation") == 0, "%s", err.msg);
	drain(100);
	stop();
	check_bytes();
	ck_assert_uint_ge(pin.n_ports, 900);
	ck_assert_uint_le(pin.last_port_ns, ((struct pt_swo *)state)->stream.until_ns + 20000);
	ck_assert_uint_eq(m4.itm[TER], 0);	/* as it was */
}
END_TEST

START_TEST(halts_are_no_loss)
{
	pin.exception_every = 20000;
	ck_assert_msg(start("swo-baud=1000000") == 0, "%s", err.msg);
	drain(100);
	ck_assert_int_eq(pt_source_swo.on_state(state, PT_STATE_HALT, 0, 0x1000, &err), 0);
	drain(1000);
	ck_assert_int_eq(pt_source_swo.on_state(state, PT_STATE_RUN, 0, 0x1000, &err), 0);
	drain(100);
	stop();
	check_bytes();
	ck_assert_uint_ge(time_ns(PT_CHUNK_LOSS, PT_LOSS_HALTED), 1000 * PT_NS_PER_MS);
	ck_assert_uint_le(time_ns(PT_CHUNK_DATA, -1), 230 * PT_NS_PER_MS);
	ck_assert_uint_eq(lost_bytes(), 0);
}
END_TEST

/* A core that was halted at the beginning, ran, and was halted again before its clock was known: it was not halted all the time. */
START_TEST(a_core_that_runs_before_it_is_traced)
{
	m4.dhcsr |= 1 << 17;
	ck_assert_msg(start(NULL) == 0, "%s", err.msg);
	ck_assert(((struct pt_swo *)state)->put_off);
	array_mem_pass(&m4.dap.memory, 10 * PT_NS_PER_MS);
	ck_assert_int_eq(pt_source_swo.on_state(state, PT_STATE_RUN, 0, 0x1000, &err), 0);
	array_mem_pass(&m4.dap.memory, 300 * PT_NS_PER_MS);
	ck_assert_int_eq(pt_source_swo.on_state(state, PT_STATE_HALT, 0, 0x1000, &err), 0);
	array_mem_pass(&m4.dap.memory, 10 * PT_NS_PER_MS);
	stop();
	m4.dhcsr &= ~(UINT32_C(1) << 17);
	ck_assert_double_eq_tol((double)time_ns(PT_CHUNK_LOSS, PT_LOSS_HALTED), 20e6, 2e6);
	ck_assert_uint_eq(time_ns(PT_CHUNK_LOSS, PT_LOSS_NOT_ARMED), 300 * PT_NS_PER_MS);
}
END_TEST

/* The time that is called observed is that in which the trace was on: not that in which the rest is fetched at the end, nor what
 * it takes to begin. So what was counted, divided by it, is the rate. */
static const char *const traces[] = { "trace=exceptions", "pc-load=5" };

START_TEST(observes_while_the_trace_is_on)
{
	const uint64_t every_ns = 20000 * 1000 / CORE_MHZ;

	pin.exception_every = 20000;
	ck_assert_msg(start(traces[_i]) == 0, "%s", err.msg);
	drain(60);
	stop();
	check_bytes();
	ck_assert_double_eq_tol((double)time_ns(PT_CHUNK_DATA, -1), (double)(pin.n_reported * every_ns),
				(double)every_ns);
}
END_TEST

static const struct pt_source_place places[] = {
	{ .addr = 0x20000010, .size_bytes = 4 }, { .addr = 0x20000021, .size_bytes = 1 }, { .addr = 0x20000030, .size_bytes = 8 },
	{ .addr = 0x20000040, .size_bytes = 4, .task = true }, { .addr = 0x20000050, .size_bytes = 2 },
};

static int start_following(size_t n, const char *word)
{
	struct pt_source_setup with = { .settings = settings, .sink = &sink.sink, .seed = 3, .config = "core_hz=16000000\n",
					.places = places, .n_places = n };

	if (word != NULL)
		ck_assert_int_eq(pt_params_add(settings, pt_source_swo.params, pt_source_swo.n_params, word, &err), 0);
	return pt_source_swo.start(state, target, &with, &err);
}

/* A comparator each: COMP, MASK, FUNCTION; that of a watchpoint stays its own. */
START_TEST(follows_variables)
{
	ck_assert_int_eq(pt_lease_take(target, "dwt.0", "breakpoints", &err), 0);
	ck_assert_msg(start_following(3, NULL) == 0, "%s", err.msg);
	ck_assert_uint_eq(m4.dwt[0] | m4.dwt[2], 0);
	ck_assert_uint_eq(m4.dwt[4], 0x20000010);
	ck_assert_uint_eq(m4.dwt[5], 2);
	ck_assert_uint_eq(m4.dwt[6], 0xd);
	ck_assert_uint_eq(m4.dwt[8], 0x20000021);
	ck_assert_uint_eq(m4.dwt[9], 0);
	ck_assert_uint_eq(m4.dwt[13], 3);
	ck_assert_uint_eq(m4.dwt[14], 0x2f);
	ck_assert_str_eq(array_sink_config(&sink, "address.1"), "0x20000010");
	ck_assert_str_eq(array_sink_config(&sink, "address.0"), "");
	ck_assert_double_eq(atof(array_sink_config(&sink, "tick_hz")), 16e6);
	drain(30);
	stop();
	pt_lease_drop(target, "dwt.0", "breakpoints");
}
END_TEST

static void be_m33(void)
{
	struct pt_cortexm_chip *chip = &pt_cortexm_of(target)->chip;

	chip->cpu_arch = PT_ARM_V8_M_MAIN;
}

/* ARMv8-M: no MASK; MATCH of an address with its value, what goes out of the two, and the size. */
START_TEST(follows_variables_of_armv8)
{
	be_m33();
	m4.dwt[1] = m4.dwt[5] = 0xa5;
	ck_assert_msg(start_following(2, "data-pc=on") == 0, "%s", err.msg);
	ck_assert_uint_eq(m4.dwt[0], 0x20000010);
	ck_assert_uint_eq(m4.dwt[2], 0x83d);
	ck_assert_uint_eq(m4.dwt[4], 0x20000021);
	ck_assert_uint_eq(m4.dwt[6], 0x03d);
	ck_assert_uint_eq(m4.dwt[1], 0xa5);
	ck_assert_uint_eq(m4.dwt[5], 0xa5);
	m4.dwt[1] = m4.dwt[5] = 0;
	stop();
}
END_TEST

START_TEST(says_what_armv8_cannot_follow)
{
	be_m33();
	ck_assert_int_eq(start_following(3, NULL), PT_EUNSUPPORTED);
	ck_assert_msg(strstr(err.msg, "the 8 bytes at 0x20000030") != NULL, "%s", err.msg);
}
END_TEST

START_TEST(says_that_there_are_too_many)
{
	ck_assert_int_eq(start_following(5, NULL), PT_EBUSY);
	ck_assert_msg(strstr(err.msg, "5 variables") != NULL, "%s", err.msg);
	memset(&err, 0, sizeof(err));
	ck_assert_int_eq(start_following(0, "trace=data"), PT_EARG);
	ck_assert_msg(strstr(err.msg, "variables=NAME") != NULL, "%s", err.msg);
}
END_TEST

static const struct { const char *word, *says; int code; } refused[] = {
	{ "trace=exeptions", "there are exceptions", PT_EARG },
	{ "swo-baud=5000000", "up to 1500000 baud", PT_EARG },
	{ "swo-baud=1200", "cannot be divided", PT_EARG },
	{ "swo-baud=26000000", "cannot be divided", PT_EARG },
	{ "swo-baud=50000", "source=pcsr", PT_EUNSUPPORTED },
};

START_TEST(says_why_not)
{
	m4.dwt_ctrl |= 1 << 11;
	ck_assert_int_eq(start(refused[_i].word), refused[_i].code);
	ck_assert_msg(strstr(err.msg, refused[_i].says) != NULL, "%s", err.msg);
}
END_TEST

/* --- arithmetic --------------------------------------------------------------------------------------------------- */

/* Each answer comes as late as it likes, and the board misses time now and then, as its link says: the limits hold the true
 * clock, and no pace is another. */
START_TEST(late_answers_leave_the_limits_true)
{
	const double hz = 16e6;
	struct pt_swo_cycles c;
	uint64_t now_ns = 1000, random = (uint64_t)_i, missed_ns = 0;

	pt_swo_cycles_begin(&c);
	for (int i = 0; i < 2000; i++) {
		uint64_t slip_ns = pt_random(&random, 9) == 0 ? pt_random(&random, 100 * PT_NS_PER_MS) : 0;
		uint64_t sent_ns = now_ns + slip_ns + pt_random(&random, 5 * PT_NS_PER_MS);
		uint64_t read_ns = sent_ns + pt_random(&random, PT_NS_PER_MS);
		uint64_t late_ns = pt_random(&random, 4) == 0 ? pt_random(&random, 300 * PT_NS_PER_MS) : 2000;

		missed_ns += slip_ns;
		pt_swo_cycles_read(&c, (uint32_t)(uint64_t)((double)(read_ns - missed_ns) * hz / 1e9), sent_ns,
				   read_ns + late_ns, missed_ns);
		ck_assert_int_eq(pt_swo_cycles_pace(&c, hz, 1e-6), PT_SWO_SAME);
		ck_assert(c.wrong == 1 || fabs(c.hz - hz) <= c.hz * c.wrong + 1);
		now_ns = read_ns + late_ns;
	}
}
END_TEST

/* As facts of queues have it. */
static const struct { double rho; unsigned k; double lost; } queues[] = {
	{ 0.05, 1, 0.048 }, { 0.10, 2, 0.0090 }, { 0.20, 3, 0.0064 }, { 0.30, 4, 0.0057 }, { 0.70, 8, 0.018 }, { 1, 4, 0.2 },
};

START_TEST(predicts_loss)
{
	double lost = pt_swo_lost_part(queues[_i].rho, queues[_i].k);

	ck_assert_double_eq_tol(lost, queues[_i].lost, queues[_i].lost / 20);
}
END_TEST

START_TEST(chooses_periods)
{
	struct pt_swo_period period;

	ck_assert(!pt_swo_choose_period(&period, 72e6, 2e6, 5, 0.1));
	ck_assert(pt_swo_choose_period(&period, 72e6, 4e6, 5, 0.1));
	ck_assert_uint_eq(pt_swo_cycles(&period), 9216);
	ck_assert(pt_swo_choose_period(&period, 1e6, 2e6, 5, 0.1));
	ck_assert_uint_eq(pt_swo_cycles(&period), 256);
}
END_TEST

START_TEST(jitter_keeps_the_mean)
{
	for (unsigned preset = 0; preset < 16; preset++) {
		const struct pt_swo_period period = { true, (uint8_t)preset };
		unsigned sum = 0;

		for (unsigned a = 0; a < PT_SWO_JITTER; a++)
			for (unsigned b = 0; b < PT_SWO_JITTER; b++) {
				struct pt_swo_period near = pt_swo_jitter(&period, a, b);

				ck_assert_uint_lt(near.preset, 16);
				sum += near.preset;
			}
		ck_assert_double_eq_tol(sum / (double)(PT_SWO_JITTER * PT_SWO_JITTER), preset, 0.05);
	}
}
END_TEST

static void add_tests(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, sends_samples_and_exceptions);
	tcase_add_test(tc, leaves_room_for_what_else_is_traced);
	tcase_add_loop_test(tc, the_doctor_tries_manchester, 0, 2);
	tcase_add_loop_test(tc, says_that_the_pin_is_crowded, 0, PT_LEN(crowds));
	tcase_add_test(tc, takes_a_rate_that_the_probe_has);
	tcase_add_test(tc, counts_what_is_lost);
	tcase_add_test(tc, claims_nothing_of_a_probe_that_does_not_say);
	tcase_add_loop_test(tc, notices_who_writes_the_unit, 0, PT_LEN(spoilers));
	tcase_add_test(tc, notices_another_clock);
	tcase_add_test(tc, says_that_the_pin_has_changed);
	tcase_add_test(tc, doubts_a_clock_that_is_nearly_right);
	tcase_add_test(tc, a_clock_that_stood_is_no_other);
	tcase_add_test(tc, a_clock_that_stands_in_sleep_is_not_known);
	tcase_add_test(tc, a_late_host_is_no_other_clock);
	tcase_add_test(tc, a_core_that_runs_before_it_is_traced);
	tcase_add_test(tc, does_not_share_the_unit);
	tcase_add_test(tc, halts_are_no_loss);
	tcase_add_loop_test(tc, observes_while_the_trace_is_on, 0, PT_LEN(traces));
	tcase_add_loop_test(tc, silence_of_a_pin_that_is_cut_is_a_loss, 0, (int)PT_LEN(silences));
	tcase_add_test(tc, silence_before_a_halt_was_observed);
	tcase_add_test(tc, ports_end_with_the_time);
	tcase_add_test(tc, follows_variables);
	tcase_add_test(tc, follows_variables_of_armv8);
	tcase_add_test(tc, says_what_armv8_cannot_follow);
	tcase_add_test(tc, says_that_there_are_too_many);
	tcase_add_loop_test(tc, says_why_not, 0, PT_LEN(refused));
}

int main(void)
{
	Suite *suite = suite_create("swo_source");
	TCase *source = tcase_create("source"), *sums = tcase_create("sums");

	add_tests(source);
	suite_add_tcase(suite, source);
	tcase_add_loop_test(sums, late_answers_leave_the_limits_true, 0, 10);
	tcase_add_loop_test(sums, predicts_loss, 0, PT_LEN(queues));
	tcase_add_loop_test(sums, finds_the_load_that_is_left, 0, PT_LEN(loads));
	tcase_add_test(sums, chooses_periods);
	tcase_add_test(sums, jitter_keeps_the_mean);
	suite_add_tcase(suite, sums);
	return pt_run_suite(suite);
}
