/* Opcodes, byte by byte, so that a request may be cut anywhere. The one at hand is in head[]; the data of a shift in
 * bytes is shifted as it comes. Sources: FTDI AN_108, chapters 3 and 4. */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/util.h"
#include "probes/virtual/probe/mpsse_parts.h"

enum {	/* bits of an opcode that shifts */
	SHIFT_BITS = 0x02, SHIFT_LSB = 0x08, SHIFT_WRITE = 0x10, SHIFT_READ = 0x20, SHIFT_TMS = 0x40,
};
enum {
	SET_LOW = 0x80, READ_LOW, SET_HIGH, READ_HIGH, LOOP_ON, LOOP_OFF, DIVISOR, SEND_NOW, WAIT_HIGH, WAIT_LOW,
	BASE_60M, BASE_12M, THREE_PHASE_ON, THREE_PHASE_OFF, CLOCK_BITS, CLOCK_BYTES,
	CLOCK_TO_HIGH = 0x94, CLOCK_TO_LOW, ADAPTIVE_ON, ADAPTIVE_OFF,
	CLOCK_BYTES_TO_HIGH = 0x9c, CLOCK_BYTES_TO_LOW, OPEN_DRAIN = 0x9e,
	BAD_OPCODE = 0xfa,
};
enum { BASE_FAST_HZ = 60000000, BASE_SLOW_HZ = 12000000, GPIOL1 = 0x20 };

/* --- answers ------------------------------------------------------------------------------------------------------ */

static void hand_over(struct pt_vmpsse *m)
{
	if (m->n_out > 0 && m->n_responses++ < PT_VENGINE_MAX_RESPONSES)
		m->respond(m->respond_arg, m->out, m->n_out, pt_vswd_now_ns(&m->swd));
	m->n_out = 0;
}

static void answer(struct pt_vmpsse *m, uint8_t byte)
{
	m->out[m->n_out++] = byte;
	if (m->n_out == sizeof(m->out))
		hand_over(m);
}

/* --- shifts ------------------------------------------------------------------------------------------------------- */

static void set_pin(struct pt_vmpsse *m, uint8_t pin, bool level)
{
	m->low = (uint8_t)(level ? m->low | pin : m->low & ~pin);
}

static unsigned clock_once(struct pt_vmpsse *m)
{
	unsigned tdi = (m->low & MPSSE_TDI) != 0, tdo;

	if (m->adaptive && m->config.wiring != PT_VMPSSE_RTCK)
		m->stuck = true;	/* RTCK never follows */
	tdo = m->stuck ? 1 : mpsse_clock(m);
	return m->loop ? tdi : tdo;
}

/* LSB first, what comes in enters at the top of the byte; MSB first, at the bottom. */
static uint8_t enter(uint8_t byte, unsigned bit, bool lsb)
{
	return (uint8_t)(lsb ? byte >> 1 | bit << 7 : byte << 1 | bit);
}

static void shift_byte(struct pt_vmpsse *m, uint8_t op, uint8_t byte, unsigned n_bits)
{
	bool lsb = (op & SHIFT_LSB) != 0;
	uint8_t in = 0;

	for (unsigned i = 0; i < n_bits; i++) {
		if ((op & SHIFT_WRITE) != 0)
			set_pin(m, MPSSE_TDI, (byte >> (lsb ? i : 7 - i) & 1) != 0);
		in = enter(in, clock_once(m), lsb);
	}
	if ((op & SHIFT_READ) != 0)
		answer(m, in);
}

/* Bit 7 is TDI, for all of them. */
static void shift_tms(struct pt_vmpsse *m, uint8_t op, uint8_t byte, unsigned n_bits)
{
	bool lsb = (op & SHIFT_LSB) != 0;
	uint8_t in = 0;

	set_pin(m, MPSSE_TDI, (byte & 0x80) != 0);
	for (unsigned i = 0; i < n_bits; i++) {
		set_pin(m, MPSSE_TMS, (byte >> (lsb ? i : 6 - i) & 1) != 0);
		in = enter(in, clock_once(m), lsb);
	}
	if ((op & SHIFT_READ) != 0)
		answer(m, in);
}

static void clock_many(struct pt_vmpsse *m, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		clock_once(m);
}

/* --- opcodes ------------------------------------------------------------------------------------------------------ */

bool mpsse_is_fast(const struct pt_vmpsse *m)
{
	return m->config.chip != PT_VMPSSE_FT2232C && m->config.chip != PT_VMPSSE_CLONE;
}

static bool shifts(uint8_t op)
{
	if ((op & 0x80) != 0)
		return false;
	if ((op & SHIFT_TMS) != 0)
		return (op & SHIFT_BITS) != 0 && (op & SHIFT_WRITE) == 0;
	return (op & (SHIFT_WRITE | SHIFT_READ)) != 0;
}

static bool of_the_h_series(uint8_t op)
{
	return op == BASE_60M || op == BASE_12M || op == THREE_PHASE_ON || op == THREE_PHASE_OFF || op == CLOCK_BITS ||
	       op == CLOCK_BYTES || (op >= CLOCK_TO_HIGH && op <= ADAPTIVE_OFF) || op == CLOCK_BYTES_TO_HIGH ||
	       op == CLOCK_BYTES_TO_LOW;
}

static bool exists(const struct pt_vmpsse *m, uint8_t op)
{
	if (op == OPEN_DRAIN)
		return m->config.chip == PT_VMPSSE_FT232H;
	if (of_the_h_series(op))
		return mpsse_is_fast(m);
	return shifts(op) || (op >= SET_LOW && op <= WAIT_LOW);
}

/* With its arguments, without the data of a shift in bytes. */
static unsigned head_bytes(uint8_t op)
{
	if (shifts(op))
		return (op & SHIFT_BITS) != 0 && (op & (SHIFT_WRITE | SHIFT_TMS)) == 0 ? 2 : 3;
	switch (op) {
	case SET_LOW:
	case SET_HIGH:
	case DIVISOR:
	case CLOCK_BYTES:
	case CLOCK_BYTES_TO_HIGH:
	case CLOCK_BYTES_TO_LOW:
	case OPEN_DRAIN:
		return 3;
	case CLOCK_BITS:
		return 2;
	default:
		return 1;
	}
}

static void set_clock(struct pt_vmpsse *m)
{
	uint32_t base_hz = m->slow_base ? BASE_SLOW_HZ : BASE_FAST_HZ;
	uint32_t hz = base_hz / (2 * (UINT32_C(1) + m->divisor));

	pt_vswd_set_clock(&m->swd, hz < m->config.max_hz ? hz : m->config.max_hz);
}

static void begin_shift(struct pt_vmpsse *m, const uint8_t *head)
{
	size_t n_bytes = (size_t)pt_le16(head + 1) + 1;

	if ((head[0] & SHIFT_TMS) != 0)
		shift_tms(m, head[0], head[2], (head[1] & 7u) + 1 > 7 ? 7 : (head[1] & 7u) + 1);
	else if ((head[0] & SHIFT_BITS) != 0)
		shift_byte(m, head[0], head[2], (head[1] & 7u) + 1);
	else if ((head[0] & SHIFT_WRITE) != 0)
		m->data_left = n_bytes;
	else
		for (size_t i = 0; i < n_bytes; i++)
			shift_byte(m, head[0], 0, 8);
}

/* GPIOL1 is nSRST here, so it is low only as long as the host drives it low. */
static void wait_for(struct pt_vmpsse *m, bool high)
{
	m->stuck |= ((mpsse_read_low(m) & GPIOL1) != 0) != high;
}

static void clock_until(struct pt_vmpsse *m, bool high, uint32_t most)
{
	bool there = ((mpsse_read_low(m) & GPIOL1) != 0) == high;

	if (!there && most == 0)
		m->stuck = true;
	else if (!there)
		clock_many(m, most);
}

static void set_state(struct pt_vmpsse *m, const uint8_t *head)
{
	switch (head[0]) {
	case SET_LOW:
		mpsse_set_low(m, head[1], head[2]);
		break;
	case SET_HIGH:
		m->high = head[1];
		m->high_dir = head[2];
		break;
	case LOOP_ON:
	case LOOP_OFF:
		m->loop = head[0] == LOOP_ON;
		break;
	case ADAPTIVE_ON:
	case ADAPTIVE_OFF:
		m->adaptive = head[0] == ADAPTIVE_ON;
		break;
	case DIVISOR:
		m->divisor = pt_le16(head + 1);
		set_clock(m);
		break;
	case BASE_60M:
	case BASE_12M:
		m->slow_base = head[0] == BASE_12M;
		set_clock(m);
		break;
	default:		/* three phases, open drain: what they change does not show on this cable */
		break;
	}
}

static void execute(struct pt_vmpsse *m, const uint8_t *head)
{
	uint32_t clocks = 8 * (UINT32_C(1) + pt_le16(head + 1));

	switch (head[0]) {
	case READ_LOW:
		answer(m, mpsse_read_low(m));
		break;
	case READ_HIGH:
		answer(m, mpsse_read_high(m));
		break;
	case SEND_NOW:
		break;		/* what a request makes is handed over at its end in any case */
	case WAIT_HIGH:
	case WAIT_LOW:
		wait_for(m, head[0] == WAIT_HIGH);
		break;
	case CLOCK_BITS:
		clock_many(m, head[1] + UINT32_C(1));
		break;
	case CLOCK_BYTES:
		clock_many(m, clocks);
		break;
	case CLOCK_TO_HIGH:
	case CLOCK_TO_LOW:
		clock_until(m, head[0] == CLOCK_TO_HIGH, 0);
		break;
	case CLOCK_BYTES_TO_HIGH:
	case CLOCK_BYTES_TO_LOW:
		clock_until(m, head[0] == CLOCK_BYTES_TO_HIGH, clocks);
		break;
	default:
		set_state(m, head);
		break;
	}
}

static void take_byte(struct pt_vmpsse *m, uint8_t byte)
{
	if (m->data_left > 0) {
		m->data_left--;
		shift_byte(m, m->head[0], byte, 8);
		return;
	}
	m->head[m->n_head++] = byte;
	if (m->n_head == 1 && !exists(m, byte)) {
		m->n_head = 0;
		answer(m, BAD_OPCODE);
		answer(m, byte);
	} else if (m->n_head == head_bytes(m->head[0])) {
		m->n_head = 0;
		if (shifts(m->head[0]))
			begin_shift(m, m->head);
		else
			execute(m, m->head);
	}
}

static void process(void *state, const uint8_t *request, size_t len_bytes, uint64_t at_ns, pt_vrespond *respond,
		    void *arg)
{
	struct pt_vmpsse *m = state;

	pt_vswd_idle_until(&m->swd, at_ns);
	pt_vpace_begin(m->jtag.pace);
	m->respond = respond;
	m->respond_arg = arg;
	m->n_responses = 0;
	for (size_t i = 0; i < len_bytes && !m->stuck && mpsse_answers(m); i++)
		take_byte(m, request[i]);
	hand_over(m);
}

/* --- the chip ----------------------------------------------------------------------------------------------------- */

void mpsse_reset(struct pt_vmpsse *m)
{
	m->n_head = 0;
	m->data_left = 0;
	m->stuck = m->loop = m->adaptive = false;
	m->slow_base = true;
	m->divisor = 0;
	set_clock(m);
	mpsse_set_low(m, 0, 0);
	m->high = m->high_dir = 0;
}

static void release(void *state)
{
	free(state);
}

struct pt_vmpsse *pt_vmpsse_new(const struct pt_vmpsse_config *config, struct pt_vpace *pace, struct pt_vfaults *faults)
{
	struct pt_vmpsse *m = pt_alloc(sizeof(*m));

	m->config = *config;
	m->is_jtag = config->wiring == PT_VMPSSE_JTAG || config->wiring == PT_VMPSSE_RTCK;
	m->latency_ms = 16;
	pt_vswd_init(&m->swd, pace, faults, config->max_hz);
	pt_vjtag_init(&m->jtag, pace, &m->swd.clock, &m->swd.dp);
	mpsse_reset(m);
	return m;
}

const struct pt_vengine_ops pt_vmpsse_engine = {
	.name = "MPSSE",
	.served = "MPSSE opcodes in the frames of CMSIS-DAP over TCP, without the USB requests that switch them on; no program "
		  "can use it",
	.process = process, .control = mpsse_control, .usb = mpsse_usb, .free = release,
};
