/* An AP read brings the value of the one before it; what is not fetched so comes by RDBUFF, whose read is put in
 * between. */
#include "probes/wires/swd_port.h"

#include "base/util.h"
#include "probes/wires/exchange.h"

enum {
	RDBUFF = 0xc, ABORT = 0, ORUNERRCLR = 1 << 4, ALL_STICKY = 0x1e,	/* clear: compare, error, data, overrun */
	REQUEST_MS = 10,	/* of clocks in one: whoever interrupts hears soon, also on a slow cable */
	ABORT_MS = 1000,
};

/* The row under way, and how far it is. */
struct row {
	struct pt_swd_port *port;
	const struct pt_dap_access *transfer;
	size_t n, sent, answered;	/* sent and answered: to which there is an answer, whatever it says */
	size_t done;			/* up to here all were OK */
	size_t flight[PT_SWD_PORT_MAX_DEPTH];	/* transfers of each */
	unsigned oldest, in_flight;
	unsigned ack;			/* of the first that was not OK; 0: all were */
};

/* --- requests and answers ----------------------------------------------------------------------------------------- */

uint32_t pt_swd_port_max_clocks(const struct pt_swd_port *port)
{
	uint64_t clocks = (uint64_t)port->swclk_hz * REQUEST_MS / 1000;

	return port->swclk_hz == 0 || clocks > UINT32_MAX ? UINT32_MAX : (uint32_t)clocks;
}

static int send_some(struct row *row, struct pt_err *err)
{
	struct pt_swd_port *port = row->port;
	size_t n = port->ops->pack(port->state, row->transfer + row->sent, row->n - row->sent,
				   pt_swd_port_max_clocks(port));
	int rc = port->ops->send(port->state, err);

	if (rc < 0)
		return rc;
	row->flight[(row->oldest + row->in_flight) % PT_SWD_PORT_MAX_DEPTH] = n;
	row->in_flight++;
	row->sent += n;
	return 0;
}

static int take_transfer(struct row *row, struct pt_err *err)
{
	struct pt_swd_port *port = row->port;
	const struct pt_dap_access *transfer = &row->transfer[row->done];
	struct pt_swd_answer answer =
		pt_swd_answer(transfer, port->ack_offset, port->ops->taken(port->state, transfer));

	if (answer.ack != PT_SWD_OK) {
		row->ack = answer.ack != 0 ? answer.ack : 7;	/* a line that rests low says as little as one high */
		return 0;
	}
	if (answer.bad_parity)
		return pt_fail(err, PT_EPROTO, "bad parity on SWD");
	if (transfer->word != NULL)
		*transfer->word = answer.data;
	row->done++;
	return 0;
}

/* Twice the time of the clocks: the probe's clock may be imprecise. */
static uint64_t deadline_ns(const struct row *row)
{
	const struct pt_swd_port *port = row->port;
	uint64_t clocks = (row->sent - row->done) * (uint64_t)(PT_SWD_TRANSFER_CLOCKS + port->idle_clocks);
	uint64_t clocks_ns = port->swclk_hz > 0 ? 2 * clocks * PT_NS_PER_S / port->swclk_hz : 0;

	return pt_link_now_ns(port->link) + clocks_ns + PT_EXCHANGE_ANSWER_MS * PT_NS_PER_MS;
}

static int take_some(struct row *row, struct pt_err *err)
{
	struct pt_swd_port *port = row->port;
	const struct pt_dap_access *transfer = row->transfer + row->answered;
	size_t n = row->flight[row->oldest];
	int rc = port->ops->receive(port->state, transfer, n, row->answered + n == row->n, deadline_ns(row), err);

	if (rc < 0)
		return rc;
	row->oldest = (row->oldest + 1) % PT_SWD_PORT_MAX_DEPTH;
	row->in_flight--;
	row->answered += n;
	for (size_t i = 0; rc == 0 && row->ack == 0 && i < n; i++)
		rc = take_transfer(row, err);
	return rc;
}

/* All from row->done on, or up to one that was not OK; nothing is in flight then. */
static int run_once(struct row *row, struct pt_err *err)
{
	int rc = 0;

	row->sent = row->answered = row->done;
	row->ack = 0;
	while (rc == 0 && (row->in_flight > 0 || (row->sent < row->n && row->ack == 0))) {
		while (rc == 0 && row->ack == 0 && row->sent < row->n && row->in_flight < row->port->depth)
			rc = send_some(row, err);
		if (rc == 0)
			rc = take_some(row, err);
	}
	return rc;
}

/* --- rows --------------------------------------------------------------------------------------------------------- */

static int judge(unsigned ack, struct pt_err *err)
{
	if (ack == PT_SWD_FAULT)
		return pt_fail(err, PT_EFAULT, "the target answers FAULT");
	if (ack == 7)
		return pt_fail(err, PT_EPROTO, "the target does not answer on SWD");
	return pt_fail(err, PT_EPROTO, "bad acknowledge on SWD (%u)", ack);
}

/* The n transfers behind the first place of port->transfer. After WAIT the flag is cleared in the place of the transfer
 * before the one that waits, which is done, and in the same request. */
static int run_transfers(struct pt_swd_port *port, size_t n, uint32_t timeout_ms, struct pt_err *err)
{
	static const struct pt_dap_access clear = { .a = ABORT, .value = ORUNERRCLR };
	uint64_t since_ns = pt_link_now_ns(port->link);
	struct row row = { .port = port, .transfer = port->transfer, .n = n + 1, .done = 1 };
	size_t waiting = 0;
	int rc = 0;

	while (rc == 0 && row.done < row.n) {
		rc = run_once(&row, err);
		if (rc < 0 || row.ack == 0)
			continue;
		if (row.ack != PT_SWD_WAIT)
			return judge(row.ack, err);
		if (row.done > waiting) {
			waiting = row.done;
			since_ns = pt_link_now_ns(port->link);
		}
		if (pt_link_now_ns(port->link) - since_ns >= timeout_ms * PT_NS_PER_MS)
			return pt_fail(err, PT_ETIMEOUT, "the target answers WAIT");
		row.done = waiting - 1;
		port->transfer[row.done] = clear;
	}
	return rc;
}

/* Where what each transfer brings goes: what an AP read brings is of the one before it. */
static size_t put_transfer(struct pt_dap_access *transfer, size_t n, const struct pt_dap_access *access,
			   uint32_t **posted)
{
	bool fetches = access->read && (access->ap || (access->a == RDBUFF && access->word == NULL));

	transfer[n] = *access;
	if (fetches)
		transfer[n].word = *posted;
	*posted = access->ap && access->read ? access->word : NULL;
	return n + 1;
}

/* ABORT's bits are commands of their own, so that several become one. */
static size_t put_abort(struct pt_swd_port *port)
{
	port->transfer[1] = (struct pt_dap_access){ .a = ABORT, .value = port->abort };
	return port->abort != 0 ? 1 : 0;
}

/* Transfers whose answers have not been seen, as the call ended early, may have met WAIT or FAULT; the flags that this
 * left must not refuse the transfers that come next. */
static int run_and_forget_abort(struct pt_swd_port *port, size_t n, uint32_t timeout_ms, struct pt_err *err)
{
	int rc = run_transfers(port, n, timeout_ms, err);

	if (rc == 0 || rc == PT_EFAULT || rc == PT_ETIMEOUT)
		port->abort = 0;
	else
		port->abort |= ALL_STICKY;
	return rc;
}

/* With the reads of RDBUFF in between, and one at the end, which also shows what became of a last write. */
static int run_row(void *state, const struct pt_dap_access *access, size_t n, uint32_t timeout_ms, struct pt_err *err)
{
	static const struct pt_dap_access rdbuff = { .read = true, .a = RDBUFF };
	struct pt_swd_port *port = state;
	uint32_t *posted = NULL;
	size_t n_transfers = put_abort(port);

	for (size_t i = 0; i < n; i++) {
		bool posts = access[i].ap && access[i].read;
		bool fetched = i + 1 < n && access[i + 1].ap && access[i + 1].read;

		n_transfers = put_transfer(port->transfer + 1, n_transfers, &access[i], &posted);
		if ((posts && !fetched) || (access[i].ap && i + 1 == n))
			n_transfers = put_transfer(port->transfer + 1, n_transfers, &rdbuff, &posted);
	}
	return run_and_forget_abort(port, n_transfers, timeout_ms, err);
}

/* --- the wire ----------------------------------------------------------------------------------------------------- */

int pt_swd_port_run(struct pt_swd_port *port, struct pt_dap_op *ops, size_t n_ops, uint32_t timeout_ms, size_t *n_done,
		    struct pt_err *err)
{
	int rc = port->ops->settle(port->state, err);

	*n_done = 0;
	return rc < 0 ? rc : pt_dap_list_run(&port->list, ops, n_ops, timeout_ms, n_done, err);
}

int pt_swd_port_flush(struct pt_swd_port *port, struct pt_err *err)
{
	int rc = port->abort != 0 ? port->ops->settle(port->state, err) : 0;

	if (rc < 0 || port->abort == 0)
		return rc;
	return run_and_forget_abort(port, put_abort(port), ABORT_MS, err);
}

int pt_swd_port_abort(struct pt_swd_port *port, uint32_t value, struct pt_err *err)
{
	port->abort |= value;
	return port->defers_abort ? 0 : pt_swd_port_flush(port, err);
}

void pt_swd_port_init(struct pt_swd_port *port)
{
	static const struct pt_dap_list_ops list_ops = { .run = run_row };	/* whose rows have ABORT, too */

	port->list = (struct pt_dap_list){ .ops = &list_ops, .state = port, .link = port->link, .aborts_in_row = true };
}
