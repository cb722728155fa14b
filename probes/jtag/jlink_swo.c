/* Wire stream of a J-Link: SWO by commands, into a ring that it takes from the memory of its shifts.
 *
 * Bit 0 of a read's status says that the ring was full, and the bytes of that read are good all the same (libjaylink calls
 * it an error, and OpenOCD drops them). Whether the missing ones were in front of them or behind is not known.
 * Source: libjaylink, probe-rs; OpenOCD's jlink for the size of the ring. */
#include "base/util.h"
#include "host/log.h"
#include "probes/jtag/jlink.h"

enum { SWO_START = 0x64, SWO_STOP = 0x65, SWO_READ = 0x66, SWO_SPEEDS = 0x6e };
enum { PARAM_MODE = 1, PARAM_RATE = 2, PARAM_BYTES = 3, PARAM_RING = 4, MODE_UART = 0 };
enum { OVERRUN = 1 << 0, SPEEDS_BYTES = 28, READ_HEAD = 8 };
#define FAILED (UINT32_C(1) << 31)
enum { RING_MOST = 8192, RING_STEP = 256, BUFFER_BYTES = 1 << 16, NEAR_PERCENT = 3 };
#define REST_NS PT_NS_PER_MS		/* between reads that bring nothing */

/* A command in the making: parameters are {length, number, value}, and a 0 ends them. */
struct command { uint8_t bytes[32]; size_t n; };

static struct command command_of(uint8_t what)
{
	return (struct command){ { JLINK_SWO, what }, 2 };
}

static void add_word(struct command *command, uint8_t number, uint32_t value)
{
	command->bytes[command->n] = 4;
	command->bytes[command->n + 1] = number;
	pt_put_le32(command->bytes + command->n + 2, value);
	command->n += 6;
}

static int ask_command(struct jlink *j, const struct command *command, size_t n_want, struct pt_err *err)
{
	return jlink_ask(j, command->bytes, command->n + 1, n_want, err);
}

static int ask_status(struct jlink *j, const struct command *command, const char *what, struct pt_err *err)
{
	int rc = ask_command(j, command, 4, err);

	if (rc == 0 && pt_le32(j->in) != 0)
		return pt_fail(err, PT_EARG, "the J-Link refuses to %s SWO (status 0x%08x)", what, pt_le32(j->in));
	return rc;
}

/* --- start -------------------------------------------------------------------------------------------------------- */

/* The nearest rate that its divider has. */
static int choose_rate(struct jlink *j, uint32_t wanted, uint32_t *used, struct pt_err *err)
{
	struct command command = command_of(SWO_SPEEDS);
	uint32_t base, least, most, n;
	int rc;

	add_word(&command, PARAM_MODE, MODE_UART);
	rc = ask_command(j, &command, 4, err);
	if (rc == 0 && pt_le32(j->in) != SPEEDS_BYTES)
		return pt_fail(err, PT_EARG, "the J-Link has no SWO in UART coding (status 0x%08x)", pt_le32(j->in));
	if (rc == 0)
		rc = jlink_ask_more(j, 0, SPEEDS_BYTES, err);
	if (rc < 0)
		return rc;
	base = pt_le32(j->in + 8);
	least = pt_le32(j->in + 12);
	most = pt_le32(j->in + 16);
	if (base == 0 || least == 0 || most < least)
		return pt_exchange_mistrust(&j->exchange, err);
	n = base / wanted + (base % wanted > wanted / 2);
	n = n < least ? least : n > most ? most : n;
	*used = base / n;
	if (wanted > *used && (uint64_t)wanted * 100 > (uint64_t)*used * (100 + NEAR_PERCENT) && n == least)
		return pt_fail(err, PT_EARG, "the J-Link receives SWO at up to %u baud", *used);
	return 0;
}

static int ask_memory(struct jlink *j, uint32_t *memory_bytes, struct pt_err *err)
{
	static const uint8_t command = JLINK_GET_FREE_MEMORY;
	int rc = jlink_ask(j, &command, 1, 4, err);

	*memory_bytes = rc == 0 ? pt_le32(j->in) : 0;
	return rc;
}

/* The ring takes memory of the shifts, and gives it back. */
static int fit_shifts(struct jlink *j, struct pt_err *err)
{
	uint32_t memory_bytes;
	int rc = (j->caps >> JLINK_CAP_FREE_MEMORY & 1) != 0 ? ask_memory(j, &memory_bytes, err) : 1;

	if (rc != 0)
		return rc < 0 ? rc : 0;
	rc = jlink_shift_init(j, memory_bytes, j->jtag_bits_asked, err);
	if (rc == 0 && j->hz != 0)
		jlink_shift_set_clock(j);
	return rc;
}

static int choose_ring(struct jlink *j, struct pt_err *err)
{
	uint32_t memory_bytes = 2 * RING_STEP;
	int rc = (j->caps >> JLINK_CAP_FREE_MEMORY & 1) != 0 ? ask_memory(j, &memory_bytes, err) : 0;
	uint32_t half = memory_bytes / 2 / RING_STEP * RING_STEP;

	j->swo.ring_bytes = half < RING_STEP ? RING_STEP : half > RING_MOST ? RING_MOST : half;
	return rc;
}

static int send_start(struct jlink *j, uint32_t bits_per_s, struct pt_err *err)
{
	struct command command = command_of(SWO_START);

	add_word(&command, PARAM_MODE, MODE_UART);
	add_word(&command, PARAM_RATE, bits_per_s);
	add_word(&command, PARAM_RING, j->swo.ring_bytes);
	return ask_status(j, &command, "start", err);
}

static int send_stop(struct jlink *j, struct pt_err *err)
{
	struct command command = command_of(SWO_STOP);

	return ask_command(j, &command, 4, err);	/* one that does not receive may say so */
}

static int check_want(const struct jlink *j, const struct pt_stream_want *want, struct pt_err *err)
{
	if ((j->caps >> JLINK_CAP_SWO & 1) == 0)
		return pt_fail(err, PT_EARG, "this J-Link has no SWO");
	if (want->coding != PT_STREAM_UART)
		return pt_fail(err, PT_EARG, "a J-Link receives SWO in UART coding alone");
	if (j->interface == JLINK_JTAG)
		return pt_fail(err, PT_EARG, "the pin of SWO is TDO while the port is on JTAG; use transport=swd");
	if (want->bits_per_s == 0)
		return pt_fail(err, PT_EARG, "SWO at 0 baud");
	return j->swo.active ? pt_fail(err, PT_EBUSY, "the probe receives SWO already") : 0;
}

static int swo_start(void *state, const struct pt_stream_want *want, uint32_t *bits_per_s, struct pt_err *err)
{
	struct jlink *j = state;
	int rc = check_want(j, want, err);

	if (rc == 0)
		rc = send_stop(j, err);		/* one that another host left */
	if (rc == 0)
		rc = choose_rate(j, want->bits_per_s, bits_per_s, err);
	if (rc == 0)
		rc = choose_ring(j, err);
	if (rc == 0)
		rc = send_start(j, *bits_per_s, err);
	if (rc < 0)
		return rc;
	pt_stream_buffer_fini(&j->swo.buffer);
	j->swo.clock = want->clock != NULL ? want->clock : j->exchange.link;
	pt_stream_buffer_init(&j->swo.buffer, BUFFER_BYTES, PT_STREAM_NOTHING, pt_link_now_ns(j->swo.clock));
	j->swo.active = true;
	return fit_shifts(j, err);
}

/* --- reading ------------------------------------------------------------------------------------------------------ */

static int send_read(struct jlink *j, size_t *n, uint32_t *status, struct pt_err *err)
{
	struct command command = command_of(SWO_READ);
	int rc;

	add_word(&command, PARAM_BYTES, j->swo.ring_bytes);	/* whole: short reads made one firmware leave the bus */
	rc = ask_command(j, &command, READ_HEAD, err);
	if (rc < 0)
		return rc;
	*status = pt_le32(j->in);
	*n = pt_le32(j->in + 4);
	if ((*status & FAILED) != 0) {
		pt_exchange_mistrust(&j->exchange, NULL);
		return pt_fail(err, PT_EPROTO, "the J-Link cannot read SWO (status 0x%08x)", *status);
	}
	if (*n > j->swo.ring_bytes)
		return pt_exchange_mistrust(&j->exchange, err);
	return jlink_ask_more(j, READ_HEAD, *n, err);
}

static int poll_once(struct jlink *j, struct pt_err *err)
{
	struct pt_stream_buffer *buffer = &j->swo.buffer;
	uint64_t asked_ns = pt_link_now_ns(j->swo.clock), half_ns, before = buffer->came;
	uint32_t status = 0;
	size_t n = 0;
	int rc = send_read(j, &n, &status, err);

	if (rc < 0) {
		pt_stream_buffer_lose(buffer, (struct pt_stream_hole){ before, before, PT_STREAM_PERHAPS,
								       j->swo.ring_bytes });
		return rc;
	}
	pt_stream_buffer_add(buffer, j->in, n);
	if ((status & OVERRUN) != 0)
		pt_stream_buffer_lose(buffer, (struct pt_stream_hole){ before, before + n, PT_STREAM_SOME, PT_UNKNOWN });
	half_ns = (pt_link_now_ns(j->swo.clock) - asked_ns) / 2;
	pt_stream_buffer_timed(buffer, asked_ns + half_ns, half_ns + 1, true);
	return 0;
}

/* An answer that is not taken is lost: so an interrupt waits for it, and what came stays in the buffer. */
static int poll_whole(struct jlink *j, struct pt_err *err)
{
	int rc;

	pt_link_shield(j->exchange.link);
	rc = poll_once(j, err);
	pt_link_unshield(j->exchange.link);
	return rc == 0 ? pt_link_wait(j->exchange.link, 0, err) : rc;
}

static int swo_read(void *state, uint8_t *bytes, size_t room, uint32_t timeout_ms, struct pt_stream_read *what,
		    struct pt_err *err)
{
	struct jlink *j = state;
	struct pt_stream_buffer *buffer = &j->swo.buffer;
	struct pt_link *link = j->exchange.link;
	uint64_t deadline_ns = pt_link_now_ns(link) + timeout_ms * PT_NS_PER_MS, now_ns;
	int rc = 0;

	while (rc == 0 && j->swo.active && pt_stream_buffer_room(buffer) >= j->swo.ring_bytes) {
		rc = poll_whole(j, err);
		now_ns = pt_link_now_ns(link);
		if (rc < 0 || buffer->came > buffer->given || buffer->n_holes > 0 || now_ns >= deadline_ns)
			break;
		rc = pt_link_wait(link, deadline_ns - now_ns < REST_NS ? deadline_ns : now_ns + REST_NS, err);
	}
	return rc < 0 ? rc : (int)pt_stream_buffer_give(buffer, bytes, room, what);
}

static int stop_now(struct jlink *j, struct pt_err *err)
{
	struct pt_err later = { 0 };
	int first = pt_stream_buffer_room(&j->swo.buffer) >= j->swo.ring_bytes ? poll_once(j, err) : 0;
	int rc = first == PT_EIO || first == PT_ETIMEOUT ? first : send_stop(j, &later);

	j->swo.active = rc < 0 && rc != PT_EIO;
	if (rc == 0)
		rc = fit_shifts(j, &later);
	return first < 0 || rc == 0 ? first : pt_fail(err, rc, "%s", later.msg);
}

static int swo_stop(void *state, struct pt_err *err)
{
	struct jlink *j = state;
	int rc;

	if (!j->swo.active)
		return 0;
	pt_link_shield(j->exchange.link);
	rc = stop_now(j, err);
	pt_link_unshield(j->exchange.link);
	j->swo.buffer.ended = !j->swo.active;
	return rc;
}

static uint32_t swo_patience(void *state, uint32_t bits_per_s)
{
	const struct jlink *j = state;
	uint64_t bytes = j->swo.ring_bytes > 0 ? j->swo.ring_bytes : 0;

	return bits_per_s > 0 ? (uint32_t)(bytes * 10 * 1000000 / bits_per_s) : 0;
}

void jlink_swo_close(struct jlink *j)
{
	if (j->swo.active && !j->exchange.silent)
		send_stop(j, NULL);
	j->swo.active = false;
	pt_stream_buffer_fini(&j->swo.buffer);
}

const struct pt_stream_ops jlink_stream_ops = {
	.start = swo_start, .read = swo_read, .stop = swo_stop, .patience_us = swo_patience,
};
