#include "probes/wires/jtag_port.h"

#include <stdio.h>

#include "host/log.h"
#include "probes/wires/probe.h"
#include "base/util.h"

enum {
	PACKET_MS = 10,		/* of clocks in a packet: interrupts take effect soon, also on a slow cable */
	LEAST_AHEAD = 2,	/* packets at a server: one is executed, one waits */
	AHEAD_MS = 1,		/* of clocks at a fast server: longer than request and answer travel */
};

struct flight {
	uint32_t n_bits;
	struct pt_jtag_cursor to;
};

struct pump {
	struct pt_jtag_port *port;
	struct pt_jtag_op *ops;
	size_t n_ops;
	struct pt_jtag_cursor next, done;	/* first clock not sent; first clock without an answer */
	struct flight flight[PT_JTAG_PORT_MAX_DEPTH];
	unsigned oldest, in_flight;
	uint64_t bits_in_flight, timeout_ns;
	uint64_t first_answer_ns, bits_since;	/* 0: none yet; bits of the answers after it */
};

static uint32_t packet_bits(const struct pt_jtag_port *port)
{
	uint64_t bits = (uint64_t)port->tck_hz * PACKET_MS / 1000;

	if (port->tck_hz == 0 || bits > PT_JTAG_MAX_BITS)
		return PT_JTAG_MAX_BITS;
	return bits < 8 ? 8 : (uint32_t)bits;
}

/* No more than needed waits behind the packet in execution: an interrupt must wait for all packets in flight. */
static bool has_enough(const struct pump *pump)
{
	const struct pt_jtag_port *port = pump->port;
	uint64_t ahead_bits = (port->tck_hz != 0 ? port->tck_hz : port->seen_hz) * AHEAD_MS / 1000;
	uint64_t waiting_bits = pump->bits_in_flight - pump->flight[pump->oldest].n_bits;

	return port->as_clock_needs && pump->in_flight >= LEAST_AHEAD && waiting_bits >= ahead_bits;
}

static bool may_send(const struct pump *pump)
{
	return pump->next.op < pump->n_ops && pump->ops[pump->next.op].what != PT_JTAG_DELAY &&
	       pump->in_flight < pump->port->depth && !has_enough(pump);
}

static void stamp_sent(struct pump *pump, struct pt_jtag_cursor from, uint64_t now_ns)
{
	bool begun = from.part > 0 || from.done_bits > 0;
	size_t end = pump->next.op + (pump->next.part > 0 || pump->next.done_bits > 0);

	for (size_t i = from.op + begun; i < end; i++)
		pump->ops[i].sent_ns = now_ns;
}

static int send_next(struct pump *pump, struct pt_err *err)
{
	struct pt_jtag_port *port = pump->port;
	struct flight *flight = &pump->flight[(pump->oldest + pump->in_flight) % PT_JTAG_PORT_MAX_DEPTH];
	struct pt_jtag_cursor from = pump->next;
	size_t len =
		port->ops->pack(port->state, pump->ops, pump->n_ops, &pump->next, packet_bits(port), &flight->n_bits);
	int rc;

	stamp_sent(pump, from, pt_link_now_ns(port->link));
	rc = port->ops->send(port->state, len, err);
	if (rc < 0)
		return rc;
	flight->to = pump->next;
	pump->in_flight++;
	pump->bits_in_flight += flight->n_bits;
	return 0;
}

/* Twice the time of the clocks: the probe's clock may be imprecise. */
static uint64_t deadline_ns(const struct pump *pump)
{
	const struct pt_jtag_port *port = pump->port;
	uint64_t silence_ns = PT_JTAG_ANSWER_MS * PT_NS_PER_MS;
	uint64_t clocks_ns = port->tck_hz > 0 ? 2 * pump->bits_in_flight * PT_NS_PER_S / port->tck_hz : 0;

	return pt_link_now_ns(port->link) + clocks_ns + (pump->timeout_ns < silence_ns ? pump->timeout_ns : silence_ns);
}

/* Estimates the clock of a server that does not tell it. A server that waits for packets looks slower than it is; then
 * it gets more packets, and looks faster. */
static void see_clock(struct pump *pump, uint32_t n_bits)
{
	uint64_t now_ns = pt_link_now_ns(pump->port->link);

	if (pump->first_answer_ns == 0) {
		pump->first_answer_ns = now_ns;
		return;
	}
	pump->bits_since += n_bits;
	if (now_ns > pump->first_answer_ns)
		pump->port->seen_hz = pump->bits_since * PT_NS_PER_S / (now_ns - pump->first_answer_ns);
}

static void advance_done(struct pump *pump, struct pt_jtag_cursor to)
{
	uint64_t now_ns = pt_link_now_ns(pump->port->link);

	for (size_t i = pump->done.op; i < to.op; i++)
		pump->ops[i].done_ns = now_ns;
	pump->done = to;
}

/* err has the link's error. */
static int not_answered(struct pt_err *err)
{
	char said[160];

	snprintf(said, sizeof(said), "%.159s", err->msg);
	return pt_fail(err, PT_ETIMEOUT, "%s (if it takes one packet at a time: limit-packets=1)", said);
}

static int take_oldest(struct pump *pump, struct pt_err *err)
{
	struct pt_jtag_port *port = pump->port;
	const struct flight *flight = &pump->flight[pump->oldest];
	struct pt_jtag_cursor at = pump->done;
	int n = port->ops->receive(port->state, deadline_ns(pump), err);

	if (n == PT_ETIMEOUT && pump->in_flight > 1)
		return not_answered(err);
	if (n < 0)
		return n;
	pump->oldest = (pump->oldest + 1) % PT_JTAG_PORT_MAX_DEPTH;
	pump->in_flight--;
	pump->bits_in_flight -= flight->n_bits;
	see_clock(pump, flight->n_bits);
	if (port->ops->unpack(port->state, pump->ops, pump->n_ops, &at, flight->n_bits, (size_t)n, err) < 0)
		return err != NULL ? err->code : PT_EPROTO;
	advance_done(pump, flight->to);
	return 0;
}

/* Everything before the delay has been answered. */
static int pass_delay(struct pump *pump, struct pt_err *err)
{
	struct pt_link *link = pump->port->link;
	struct pt_jtag_op *op = &pump->ops[pump->next.op];
	int rc;

	op->sent_ns = pt_link_now_ns(link);
	rc = pt_link_wait(link, op->sent_ns + op->time_us * UINT64_C(1000), err);
	if (rc < 0)
		return rc;
	pump->next = (struct pt_jtag_cursor){ .op = pump->next.op + 1 };
	advance_done(pump, pump->next);
	return 0;
}

static int run_list(struct pt_jtag_port *port, struct pt_jtag_op *ops, size_t n_ops, uint32_t timeout_ms,
		    size_t *n_done, struct pt_err *err)
{
	struct pump pump = { .port = port, .ops = ops, .n_ops = n_ops, .timeout_ns = timeout_ms * PT_NS_PER_MS };
	int rc = 0;

	while (rc == 0 && pump.done.op < n_ops) {
		while (rc == 0 && may_send(&pump))
			rc = send_next(&pump, err);
		if (rc == 0)
			rc = pump.in_flight > 0 ? take_oldest(&pump, err) : pass_delay(&pump, err);
	}
	*n_done = pump.done.op;
	port->lost |= rc < 0;
	return rc;
}

void pt_jtag_port_set_depth(struct pt_jtag_port *port, const struct pt_link_info *info,
			    const struct pt_params *settings)
{
	uint64_t asked = pt_params_number(settings, &pt_probe_params[PT_PROBE_LIMIT_PACKETS]);
	uint64_t depth = asked > 0 && asked < PT_JTAG_PORT_MAX_DEPTH ? asked : PT_JTAG_PORT_MAX_DEPTH;

	port->as_clock_needs = asked == 0;
	port->depth = info->depth > 0 && info->depth < depth ? info->depth : (unsigned)depth;
}

int pt_jtag_port_reset(struct pt_jtag_port *port, struct pt_err *err)
{
	struct pt_jtag_op reset = { .what = PT_JTAG_RESET };
	size_t ignored;
	int rc = port->ops->settle(port->state, err);

	if (rc == 0)
		rc = run_list(port, &reset, 1, PT_JTAG_ANSWER_MS, &ignored, err);
	if (rc == 0)
		port->lost = false;
	return rc;
}

int pt_jtag_port_run(struct pt_jtag_port *port, struct pt_jtag_op *ops, size_t n_ops, uint32_t timeout_ms,
		     size_t *n_done, struct pt_err *err)
{
	struct pt_err local = { 0 };
	int rc;

	err = err != NULL ? err : &local;
	*n_done = 0;
	rc = pt_jtag_check(ops, n_ops, err);
	if (rc == 0)
		rc = port->lost ? pt_jtag_port_reset(port, err) : port->ops->settle(port->state, err);
	if (rc == 0)
		rc = run_list(port, ops, n_ops, timeout_ms, n_done, err);
	pt_debug(PT_LOG_DAP, "jtag: %zu of %zu operations, %d", *n_done, n_ops, rc);
	return rc;
}
