/* Requests, answers, and the way back into step. An answer is as long as its request says, and nothing in it says to
 * which one it belongs; so after silence or nonsense the chip is made to forget what it has, and must then answer an
 * opcode that there is not. What is still outstanding after an interrupt is collected, as it is sure to come. */
#include <string.h>

#include "base/util.h"
#include "host/log.h"
#include "probes/jtag/mpsse.h"

enum { TO_DEVICE = 0x40 };
enum { RESET = 0x00, SET_LATENCY = 0x09, SET_BIT_MODE = 0x0b };
enum { LONGEST_LATENCY_MS = 255, USUAL_LATENCY_MS = 16 };
enum { PURGE_TO_HOST = 1, PURGE_TO_CHIP };	/* values of RESET */
enum { MODE_OFF = 0, MODE_MPSSE = 2 };
enum { FAST_BASE_HZ = 60000000, SLOW_BASE_HZ = 12000000, MOST_DIVISOR = 65535 };
enum { CONTROL_MS = 300, SYNC_MS = 100 };

static uint64_t in_ms(const struct pt_mpsse *m, uint32_t ms)
{
	return pt_link_now_ns(m->link) + ms * PT_NS_PER_MS;
}

/* --- building ----------------------------------------------------------------------------------------------------- */

void mpsse_begin(struct pt_mpsse *m)
{
	m->n_out = m->n_answer = 0;
}

void mpsse_put(struct pt_mpsse *m, uint8_t byte)
{
	m->out[m->n_out++] = byte;
}

void mpsse_put_all(struct pt_mpsse *m, const uint8_t *bytes, size_t n)
{
	memcpy(m->out + m->n_out, bytes, n);
	m->n_out += n;
}

void mpsse_put_read(struct pt_mpsse *m)
{
	mpsse_put(m, MPSSE_READ_LOW);
	m->n_answer++;
}

static void put_set(struct pt_mpsse *m, uint8_t op, uint16_t pins, uint16_t outputs)
{
	mpsse_put(m, op);
	mpsse_put(m, (uint8_t)pins);
	mpsse_put(m, (uint8_t)outputs);
}

void mpsse_put_pins(struct pt_mpsse *m)
{
	put_set(m, MPSSE_SET_HIGH, m->pins >> 8, m->outputs >> 8);
	put_set(m, MPSSE_SET_LOW, m->pins & 0xff, m->outputs & 0xff);
}

void mpsse_put_divisor(struct pt_mpsse *m)
{
	uint32_t base_hz = m->chip->fast ? FAST_BASE_HZ : SLOW_BASE_HZ;
	uint32_t divisor = (base_hz + 2 * m->hz - 1) / (2 * m->hz);

	divisor = divisor > MOST_DIVISOR + 1 ? MOST_DIVISOR + 1 : divisor;
	m->hz = base_hz / (2 * divisor);
	mpsse_put(m, MPSSE_DIVISOR);
	mpsse_put(m, (uint8_t)(divisor - 1));
	mpsse_put(m, (uint8_t)((divisor - 1) >> 8));
}

/* Eight bits alone are one byte less as bits than as a byte. */
void mpsse_put_out(struct pt_mpsse *m, const uint8_t *bits, uint32_t n_bits)
{
	uint32_t n_bytes = n_bits == 8 ? 0 : n_bits / 8, rest = n_bits - 8 * n_bytes;

	if (n_bytes > 0) {
		mpsse_put(m, MPSSE_OUT_BYTES);
		mpsse_put(m, (uint8_t)(n_bytes - 1));
		mpsse_put(m, (uint8_t)((n_bytes - 1) >> 8));
		memcpy(m->out + m->n_out, bits, n_bytes);
		m->n_out += n_bytes;
	}
	if (rest == 0)
		return;
	mpsse_put(m, MPSSE_OUT_BITS);
	mpsse_put(m, (uint8_t)(rest - 1));
	mpsse_put(m, bits[n_bytes]);
}

/* --- one after the other ------------------------------------------------------------------------------------------ */

/* An answer that fills its last packet would end when the latency timer does, as "send what you have" has nothing left
 * to send: it is made a byte longer. */
static void fill_no_packet(struct pt_mpsse *m)
{
	if (m->n_answer > 0 && m->n_answer % m->packet_data == 0)
		mpsse_put_read(m);
}

int mpsse_send(struct pt_mpsse *m, struct pt_err *err)
{
	int rc;

	fill_no_packet(m);
	mpsse_put(m, MPSSE_SEND_NOW);
	rc = pt_link_submit(m->link, m->out, m->n_out, in_ms(m, MPSSE_ANSWER_MS), err);
	m->out_of_step |= rc == PT_ETIMEOUT;
	if (rc == 0)
		m->wanted[(m->oldest + m->debt++) % MPSSE_MOST_OUTSTANDING] = m->n_answer;
	return rc;
}

int mpsse_receive(struct pt_mpsse *m, uint64_t deadline_ns, struct pt_err *err)
{
	int n = pt_link_receive(m->link, m->in, sizeof(m->in), deadline_ns, err);
	size_t wanted = m->wanted[m->oldest];

	pt_debug(PT_LOG_USB, "ftdi: answer of %d bytes, %zu wanted", n, wanted);
	m->out_of_step |= n == PT_ETIMEOUT || n == PT_EPROTO || (n >= 0 && (size_t)n != wanted);
	if (n < 0 && n != PT_EPROTO)
		return n;
	m->oldest = (m->oldest + 1) % MPSSE_MOST_OUTSTANDING;
	m->debt--;
	if (n == PT_EPROTO || (size_t)n == wanted)
		return n;
	return pt_fail(err, PT_EPROTO, "the FTDI chip answered with %d bytes instead of %zu", n, wanted);
}

int mpsse_ask(struct pt_mpsse *m, struct pt_err *err)
{
	int rc = mpsse_send(m, err);

	return rc < 0 ? rc : mpsse_receive(m, in_ms(m, MPSSE_ANSWER_MS), err);
}

/* --- in step ------------------------------------------------------------------------------------------------------ */

static int control(struct pt_mpsse *m, uint8_t request, uint16_t value, struct pt_err *err)
{
	const struct pt_link_control what = { TO_DEVICE, request, value, m->index };

	return pt_link_control(m->link, &what, NULL, 0, in_ms(m, CONTROL_MS), err);
}

static int purge(struct pt_mpsse *m, struct pt_err *err)
{
	int rc = control(m, RESET, PURGE_TO_HOST, err);

	if (rc >= 0)
		rc = control(m, RESET, PURGE_TO_CHIP, err);
	if (rc < 0)
		return rc;
	pt_link_forget(m->link);
	m->debt = m->oldest = 0;
	m->out_of_step = false;
	return 0;
}

static int set_mode(struct pt_mpsse *m, unsigned mode, struct pt_err *err)
{
	return control(m, SET_BIT_MODE, (uint16_t)(mode << 8), err);
}

/* Two opcodes that there are not, one after the other: what is stale does not look like both. */
static int ask_for_step(struct pt_mpsse *m, uint32_t patience_ms, struct pt_err *err)
{
	static const uint8_t want[] = { MPSSE_BAD_OPCODE, 0xaa, MPSSE_BAD_OPCODE, 0xab };
	int rc;

	mpsse_begin(m);
	mpsse_put(m, want[1]);
	mpsse_put(m, want[3]);
	m->n_answer = sizeof(want);
	rc = mpsse_send(m, err);
	if (rc == 0)
		rc = mpsse_receive(m, in_ms(m, patience_ms), err);
	if (rc >= 0 && memcmp(m->in, want, sizeof(want)) != 0) {
		m->out_of_step = true;
		rc = pt_fail(err, PT_EPROTO, "the FTDI chip answers, but not what it is asked");
	}
	return rc;
}

/* The opcodes start anew; so do the pins, which are inputs for a moment. */
static int switch_on(struct pt_mpsse *m, struct pt_err *err)
{
	int rc = set_mode(m, MODE_OFF, err);

	if (rc >= 0)
		rc = set_mode(m, MODE_MPSSE, err);
	return rc < 0 ? rc : purge(m, err);
}

/* A chip of the H series divides 12 MHz until the host selects 60 MHz. */
static void put_setup(struct pt_mpsse *m)
{
	static const uint8_t fast[] = { MPSSE_BASE_60M, MPSSE_ADAPTIVE_OFF, MPSSE_THREE_PHASE_OFF };

	if (m->chip->fast)
		mpsse_put_all(m, fast, sizeof(fast));
	if (m->chip->fast && m->adaptive)
		mpsse_put(m, MPSSE_ADAPTIVE_ON);
	mpsse_put(m, MPSSE_LOOP_OFF);
	mpsse_put_divisor(m);
	mpsse_put_pins(m);
	mpsse_put_read(m);
	mpsse_put(m, MPSSE_READ_HIGH);
	m->n_answer++;
}

static int set_up(struct pt_mpsse *m, struct pt_err *err)
{
	mpsse_begin(m);
	put_setup(m);
	m->jtag.lost = true;
	return mpsse_ask(m, err);
}

static int find_step(struct pt_mpsse *m, struct pt_err *err)
{
	int rc = purge(m, err);

	if (rc >= 0)
		rc = ask_for_step(m, SYNC_MS, err);
	if (rc == PT_ETIMEOUT || rc == PT_EPROTO) {	/* it may be in the middle of a shift */
		rc = switch_on(m, err);
		if (rc >= 0)
			rc = ask_for_step(m, SYNC_MS, err);
	}
	if (rc >= 0)
		rc = set_up(m, err);
	return rc < 0 ? rc : 0;
}

int mpsse_settle(struct pt_mpsse *m, struct pt_err *err)
{
	uint64_t deadline_ns = in_ms(m, MPSSE_ANSWER_MS);

	while (m->debt > 0 && !m->out_of_step) {
		int n = mpsse_receive(m, deadline_ns, err);

		if (n < 0 && n != PT_ETIMEOUT && n != PT_EPROTO)
			return n;
	}
	return m->out_of_step ? find_step(m, err) : 0;
}

/* --- the clock and the pins --------------------------------------------------------------------------------------- */

int mpsse_set_speed(void *state, uint32_t hz, uint32_t *hz_used, struct pt_err *err)
{
	struct pt_mpsse *m = state;
	int rc = hz > 0 ? mpsse_settle(m, err) : pt_fail(err, PT_EARG, "a clock of 0 Hz");

	if (rc < 0)
		return rc;
	m->hz = hz;
	mpsse_begin(m);
	mpsse_put_divisor(m);
	mpsse_put_read(m);
	rc = mpsse_ask(m, err);
	*hz_used = m->swd.swclk_hz = m->jtag.tck_hz = m->hz;
	return rc < 0 ? rc : 0;
}

int mpsse_set_pins(struct pt_mpsse *m, struct pt_err *err)
{
	int rc = mpsse_settle(m, err);

	if (rc < 0)
		return rc;
	mpsse_begin(m);
	mpsse_put_pins(m);
	mpsse_put_read(m);
	rc = mpsse_ask(m, err);
	return rc < 0 ? rc : 0;
}

int mpsse_no_reset(struct pt_mpsse *m, const char *line, struct pt_err *err)
{
	return pt_fail(err, PT_EUNSUPPORTED,
		       "layout %s of this FTDI adapter has no such line; where it is connected, %s=data:MASK names its "
		       "pin",
		       m->layout.name, line);
}

/* --- the chip ----------------------------------------------------------------------------------------------------- */

/* Two opcodes that there are not; then loop-back, no pin driven: are shifts carried out, and are their bits where they
 * should be? Then the setup. All in one request, as the host has nothing to decide in between. */
static int first_step(struct pt_mpsse *m, struct pt_err *err)
{
	static const uint8_t ask[] = { 0xaa, 0xab, MPSSE_SET_LOW, 0, 0, MPSSE_LOOP_ON, MPSSE_BOTH_BYTES, 1, 0, 0x35, 0xa1,
				       MPSSE_BOTH_BITS, 4, 0x16 };
	static const uint8_t want[] = { MPSSE_BAD_OPCODE, 0xaa, MPSSE_BAD_OPCODE, 0xab, 0x35, 0xa1, 0x16 << 3 };
	int rc;

	mpsse_begin(m);
	mpsse_put_all(m, ask, sizeof(ask));
	m->n_answer = sizeof(want);
	put_setup(m);
	rc = mpsse_ask(m, err);
	if (rc == PT_ETIMEOUT && !m->chip->fast)
		return pt_fail(
			err, PT_ETIMEOUT,
			"it says that it is an %s but answers no MPSSE opcode: a copy of the chip without one, or "
			"a channel that has none",
			m->chip->name);
	if (rc >= 0 && memcmp(m->in, want, sizeof(want)) != 0)
		return pt_fail(err, PT_EPROTO,
			       "it does not shift as an FTDI chip does: a copy without a working MPSSE");
	m->jtag.lost = true;
	return rc;
}

/* No answer waits for the latency timer, and one that runs out in the middle of an answer makes two packets of it. */
int mpsse_start(struct pt_mpsse *m, struct pt_err *err)
{
	int rc = control(m, SET_LATENCY, LONGEST_LATENCY_MS, err);

	if (rc >= 0)
		rc = switch_on(m, err);
	if (rc >= 0)
		rc = first_step(m, err);
	if (rc < 0 && rc != PT_EIO)
		mpsse_stop(m);
	return rc < 0 ? rc : 0;
}

void mpsse_stop(struct pt_mpsse *m)
{
	control(m, SET_LATENCY, USUAL_LATENCY_MS, NULL);
	set_mode(m, MODE_OFF, NULL);
}
