/* CMSIS-DAP batches of SWD transfers. The probe hides what the wire posts: an AP read is issued, and its value is
 * fetched by the next AP read or by RDBUFF. A batch ends at the first transfer that is not acknowledged; what follows
 * in it is skipped. Source: CMSIS-DAP 2.x reference, DAP_Transfer. */
#include "probes/virtual/probe/dap_engine.h"
#include "base/util.h"

enum { VALUE_MATCH = 1 << 4, MATCH_MASK = 1 << 5 };
enum { ACK_OK = 1, ACK_WAIT = 2 };
enum { DP_ABORT = 0 };

struct batch {
	struct pt_vdap *dap;
	struct dap_in *in;
	struct dap_out *out;
	unsigned ack;		/* of the last transfer; 0: none was made */
	bool posted;		/* an AP read was issued and its value not yet fetched */
	bool check_write;	/* the last transfer was a write: its error would only show later */
};

static unsigned retried(struct pt_vdap *dap, uint8_t request, uint32_t *value)
{
	unsigned ack, tries = dap->wait_retries;

	do {
		ack = pt_vswd_transfer(&dap->swd, request, value);
	} while (ack == ACK_WAIT && tries-- > 0);
	return ack;
}

static bool issue(struct batch *b, uint8_t request, uint32_t *value)
{
	b->ack = retried(b->dap, request, value);
	return b->ack == ACK_OK;
}

/* Make a read whose value goes to the host. */
static bool fetch(struct batch *b, uint8_t request)
{
	uint32_t value = 0;

	if (!issue(b, request, &value))
		return false;
	dap_put32(b->out, value);
	return true;
}

/* The value of a posted read by way of RDBUFF, before anything else is done. */
static bool fetch_posted(struct batch *b)
{
	if (!b->posted)
		return true;
	b->posted = false;
	return fetch(b, PT_VREQ_RDBUFF);
}

/* Room for this read's value and for one that is still posted; never promise more than a packet holds. */
static bool has_room(struct batch *b)
{
	size_t need = b->posted ? 8 : 4;

	if (b->out->room_bytes - b->out->len_bytes >= need)
		return true;
	b->ack = PT_VSWD_PROTOCOL;
	return false;
}

static bool ap_read(struct batch *b, uint8_t request)
{
	uint32_t unused = 0;

	if (b->posted)
		return fetch(b, request);
	b->posted = issue(b, request, &unused);
	return b->posted;
}

/* Read until the masked value is the wanted one; an AP needs a first read that only posts. */
static bool match(struct batch *b, uint8_t request)
{
	uint32_t wanted = dap_get32(b->in), value = 0;
	unsigned tries = b->dap->match_retries;

	if ((request & PT_VREQ_AP) != 0 && !issue(b, request, &value))
		return false;
	do {
		if (!issue(b, request, &value))
			return false;
	} while ((value & b->dap->match_mask) != wanted && tries-- > 0);
	if ((value & b->dap->match_mask) == wanted)
		return true;
	b->ack |= PT_VSWD_MISMATCH;
	return false;
}

static bool write(struct batch *b, uint8_t request)
{
	uint32_t value = dap_get32(b->in);

	if ((request & MATCH_MASK) != 0) {
		b->dap->match_mask = value;
		b->ack = ACK_OK;
		return true;
	}
	b->check_write = issue(b, request, &value);
	return b->check_write;
}

/* How many bytes of arguments follow a request byte. */
static size_t argument_bytes(uint8_t request)
{
	return (request & PT_VREQ_READ) == 0 || (request & VALUE_MATCH) != 0 ? 4 : 0;
}

static bool one_request(struct batch *b, uint8_t request)
{
	bool read = (request & PT_VREQ_READ) != 0, matches = read && (request & VALUE_MATCH) != 0;
	bool plain_ap_read = read && !matches && (request & PT_VREQ_AP) != 0;

	if (read && !matches && !has_room(b))
		return false;
	if (!plain_ap_read && !fetch_posted(b))
		return false;
	if (read)
		b->check_write = false;
	if (matches)
		return match(b, request);
	if (plain_ap_read)
		return ap_read(b, request);
	return read ? fetch(b, request) : write(b, request);
}

/* After the last transfer: the value still posted, or the error of the last write. */
static void finish(struct batch *b)
{
	uint32_t unused = 0;

	if (b->ack != ACK_OK)
		return;
	if (b->posted)
		fetch_posted(b);
	else if (b->check_write)
		issue(b, PT_VREQ_RDBUFF, &unused);
}

/* The next request byte, if it and its arguments are there. */
static bool next_request(struct batch *b, uint8_t *request)
{
	*request = dap_get8(b->in);
	if (!b->in->cut && argument_bytes(*request) <= b->in->left_bytes)
		return true;
	b->in->cut = true;
	b->ack = PT_VSWD_PROTOCOL;
	return false;
}

static void skip(struct dap_in *in, unsigned n_requests)
{
	while (n_requests-- > 0 && !in->cut)
		for (size_t i = argument_bytes(dap_get8(in)); i > 0; i--)
			dap_get8(in);
}

void dap_transfer(struct pt_vdap *dap, struct dap_in *in, struct dap_out *out)
{
	struct batch b = { .dap = dap, .in = in, .out = out };
	size_t head = out->len_bytes;
	unsigned count, done = 0;
	uint8_t request;

	dap_get8(in);		/* index of the DAP in a JTAG chain */
	count = dap_get8(in);
	dap_put16(out, 0);
	if (in->cut || out->full)
		return;
	while (dap->connected && done < count && next_request(&b, &request)) {
		if (!one_request(&b, request)) {
			skip(in, count - done - 1);
			break;
		}
		done++;
	}
	if (!dap->connected)
		skip(in, count);
	finish(&b);
	out->bytes[head] = (uint8_t)done;
	out->bytes[head + 1] = (uint8_t)b.ack;
}

/* AP reads of a block run one behind: each fetches the value of the one before, the last comes from RDBUFF. */
static unsigned read_block(struct batch *b, uint8_t request, unsigned count)
{
	bool ap = (request & PT_VREQ_AP) != 0;
	uint32_t unused = 0;
	unsigned done = 0;

	if (count > (b->out->room_bytes - b->out->len_bytes) / 4) {
		b->ack = PT_VSWD_PROTOCOL;
		return 0;
	}
	if (ap && !issue(b, request, &unused))
		return 0;
	while (done < count && fetch(b, ap && done + 1 == count ? PT_VREQ_RDBUFF : request))
		done++;
	return done;
}

static unsigned write_block(struct batch *b, uint8_t request, unsigned count)
{
	uint32_t value = 0;
	unsigned done = 0;

	while (done < count) {
		value = dap_get32(b->in);
		if (b->in->cut)
			b->ack = PT_VSWD_PROTOCOL;
		if (b->in->cut || !issue(b, request, &value))
			return done;
		done++;
	}
	issue(b, PT_VREQ_RDBUFF, &value);
	return done;
}

void dap_transfer_block(struct pt_vdap *dap, struct dap_in *in, struct dap_out *out)
{
	struct batch b = { .dap = dap, .in = in, .out = out };
	size_t head = out->len_bytes;
	unsigned count, done = 0;
	uint8_t request;

	dap_get8(in);
	count = dap_get16(in);
	request = dap_get8(in);
	dap_put16(out, 0);
	dap_put8(out, 0);
	if (in->cut || out->full)
		return;
	if (dap->connected && count > 0)
		done = (request & PT_VREQ_READ) != 0 ? read_block(&b, request, count) : write_block(&b, request, count);
	pt_put_le16(out->bytes + head, (uint16_t)done);
	out->bytes[head + 2] = (uint8_t)b.ack;
}

void dap_write_abort(struct pt_vdap *dap, struct dap_in *in, struct dap_out *out)
{
	uint32_t value;

	dap_get8(in);
	value = dap_get32(in);
	if (in->cut || !dap->connected) {
		dap_put8(out, DAP_ERROR);
		return;
	}
	pt_vswd_transfer(&dap->swd, DP_ABORT, &value);
	dap_put8(out, DAP_OK);
}

void dap_transfer_configure(struct pt_vdap *dap, struct dap_in *in, struct dap_out *out)
{
	dap->swd.idle_cycles = dap_get8(in);
	dap->wait_retries = dap_get16(in);
	dap->match_retries = dap_get16(in);
	dap_put8(out, DAP_OK);
}
