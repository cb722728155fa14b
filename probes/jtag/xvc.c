/* XVC 1.0, Xilinx Virtual Cable: wire jtag over a server that shifts a vector of TMS and one of TDI, and answers with
 * one of TDO. Vectors are as long as the server takes (and no longer than xvc.max_bytes), and some are sent while the
 * one before them is shifted, so that the cable never waits for the network; limit-packets=1 keeps to one at a time.
 *
 * Source: the XVC repository's README, and what known servers do. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probes/wires/jtag_port.h"
#include "probes/jtag/jtag_stream.h"
#include "probes/wires/probe.h"
#include "probes/wires/exchange.h"
#include "base/util.h"

enum {
	HEAD_BYTES = 6 + 4,		/* "shift:", bits */
	MAX_VECTOR_BYTES = 1024,
	LEAST_VECTOR_BYTES = 4,
};

struct xvc {
	struct pt_exchange exchange;
	struct pt_jtag_port port;
	char where[64];			/* "127.0.0.1:2542", for sentences */
	uint32_t vector_bytes;		/* of TMS, and of TDI */
	char protocol[16];		/* "1.0" */
	uint8_t out[HEAD_BYTES + 2 * MAX_VECTOR_BYTES];
};

/* --- framing ------------------------------------------------------------------------------------------------------ */

static size_t answer_bytes(const uint8_t *request, size_t len_bytes)
{
	if (len_bytes >= HEAD_BYTES && memcmp(request, "shift:", 6) == 0)
		return ((size_t)pt_le32(request + 6) + 7) / 8;
	return memcmp(request, "settck:", 7) == 0 ? 4 : PT_FRAMING_LINE;
}

const struct pt_framing pt_xvc_framing = { .protocol = "XVC", .port = PT_XVC_PORT, .answer_bytes = answer_bytes };

static size_t question(uint8_t *out)
{
	memcpy(out, "getinfo:", 8);
	return 8;
}

static bool answers(const uint8_t *in, size_t n_in)
{
	static const char head[] = "xvcServer_v";

	return n_in > strlen(head) && memcmp(in, head, strlen(head)) == 0;
}

/* --- lists -------------------------------------------------------------------------------------------------------- */

static int settle(void *state, struct pt_err *err)
{
	return pt_exchange_settle(&((struct xvc *)state)->exchange, err);
}

static size_t pack(void *state, const struct pt_jtag_op *ops, size_t n_ops, struct pt_jtag_cursor *at,
		   uint32_t max_bits, uint32_t *n_bits)
{
	struct xvc *xvc = state;
	uint32_t most = max_bits < 8 * xvc->vector_bytes ? max_bits : 8 * xvc->vector_bytes;
	uint8_t *tms = xvc->out + HEAD_BYTES, *tdi = tms + xvc->vector_bytes;
	size_t n_bytes;

	*n_bits = pt_jtag_vectors(ops, n_ops, at, most, tms, tdi);
	n_bytes = (*n_bits + 7) / 8;
	memmove(tms + n_bytes, tdi, n_bytes);
	memcpy(xvc->out, "shift:", 6);
	pt_put_le32(xvc->out + 6, *n_bits);
	return HEAD_BYTES + 2 * n_bytes;
}

static int send_request(void *state, size_t len_bytes, struct pt_err *err)
{
	struct xvc *xvc = state;

	return pt_exchange_send(&xvc->exchange, xvc->out, len_bytes, err);
}

static int receive(void *state, uint64_t deadline_ns, struct pt_err *err)
{
	return pt_exchange_receive(&((struct xvc *)state)->exchange, deadline_ns, err);
}

static int wrong_length(struct xvc *xvc, const char *what, size_t n_bytes, size_t wanted_bytes, struct pt_err *err)
{
	pt_exchange_mistrust(&xvc->exchange, NULL);
	return pt_fail(err, PT_EPROTO, "the XVC server at %s answers %s with %zu of %zu bytes", xvc->where, what,
		       n_bytes, wanted_bytes);
}

static int unpack(void *state, const struct pt_jtag_op *ops, size_t n_ops, struct pt_jtag_cursor *at, uint32_t n_bits,
		  size_t len_bytes, struct pt_err *err)
{
	struct xvc *xvc = state;

	if (len_bytes != (n_bits + 7) / 8)
		return wrong_length(xvc, "a shift", len_bytes, (n_bits + 7) / 8, err);
	pt_jtag_take(ops, n_ops, at, xvc->exchange.in, n_bits);
	return 0;
}

static const struct pt_jtag_port_ops port_ops = {
	.settle = settle, .pack = pack, .send = send_request, .receive = receive, .unpack = unpack,
};

/* --- what the server says ----------------------------------------------------------------------------------------- */

/* As far as it can be printed: it comes from outside. */
static void first_line(char *out, size_t room, const uint8_t *in, size_t n)
{
	size_t i = 0;

	for (; i < n && i + 1 < room && in[i] != '\n' && in[i] != '\r'; i++)
		out[i] = in[i] >= ' ' && in[i] <= '~' ? (char)in[i] : '?';
	out[i] = '\0';
}

/* "xvcServer_v1.0:2048\n"; some put a space behind the colon. N is that of both vectors together. */
static int read_info(struct xvc *xvc, size_t n, uint32_t most_bytes, struct pt_err *err)
{
	char line[80], *colon, *number, *end = line;
	unsigned long long bytes = 0;

	first_line(line, sizeof(line), xvc->exchange.in, n);
	colon = strchr(line, ':');
	number = colon != NULL ? colon + 1 + strspn(colon + 1, " ") : line;
	if (colon != NULL && *number >= '0' && *number <= '9')
		bytes = strtoull(number, &end, 10);
	if (!answers(xvc->exchange.in, n) || end == line)
		return pt_fail(err, PT_EPROTO, "at %s is no XVC server: it says \"%s\"", xvc->where, line);
	if (bytes / 2 < LEAST_VECTOR_BYTES)
		return pt_fail(err, PT_EPROTO, "the XVC server at %s claims to take %llu bytes of TMS and TDI: too few",
			       xvc->where, bytes);
	*colon = '\0';
	snprintf(xvc->protocol, sizeof(xvc->protocol), "%.15s", line + strlen("xvcServer_v"));
	xvc->vector_bytes = bytes / 2 < most_bytes ? (uint32_t)(bytes / 2) : most_bytes;
	return 0;
}

static int ask_info(struct xvc *xvc, uint32_t most_bytes, struct pt_err *err)
{
	int n = pt_exchange_ask(&xvc->exchange, (const uint8_t *)"getinfo:", 8, 0, err);

	return n < 0 ? n : read_info(xvc, (size_t)n, most_bytes, err);
}

static int set_tck(struct xvc *xvc, uint32_t hz, struct pt_err *err)
{
	uint8_t request[11] = "settck:";
	uint32_t period_ns;
	int n;

	pt_put_le32(request + 7, (uint32_t)((PT_NS_PER_S + hz - 1) / hz));
	n = pt_exchange_ask(&xvc->exchange, request, sizeof(request), 0, err);
	if (n < 0)
		return n;
	if (n != 4)
		return wrong_length(xvc, "settck", (size_t)n, 4, err);
	period_ns = pt_le32(xvc->exchange.in);
	xvc->port.tck_hz = period_ns > 0 && period_ns <= PT_NS_PER_S ? (uint32_t)(PT_NS_PER_S / period_ns) : hz;
	return 0;
}

/* --- the probe ---------------------------------------------------------------------------------------------------- */

static const struct pt_param params[] = {
	{ "xvc.max_bytes", PT_PARAM_NUMBER, "1024", NULL, 4, MAX_VECTOR_BYTES,
	  "longest vector of TMS and of TDI, bytes, where the server claims to take more" },
};

static uint32_t longest_vector(const struct pt_link_info *info, const struct pt_params *settings)
{
	uint64_t most = pt_params_number(settings, &params[0]);
	size_t fits = info->packet_bytes > HEAD_BYTES ? (info->packet_bytes - HEAD_BYTES) / 2 : 0;

	return (uint32_t)(most < fits ? most : fits);
}

static int xvc_open(void *state, struct pt_link *link, const struct pt_params *settings, struct pt_err *err)
{
	struct xvc *xvc = state;
	struct pt_link_info info;

	pt_link_info(link, &info);
	memcpy(xvc->where, info.where, sizeof(xvc->where));
	xvc->exchange = (struct pt_exchange){ .link = link, .name = "xvc", .question = question, .answers = answers };
	xvc->port = (struct pt_jtag_port){
		.ops = &port_ops, .state = xvc, .link = link, .lost = true,
	};
	pt_jtag_port_set_depth(&xvc->port, &info, settings);
	if (longest_vector(&info, settings) < LEAST_VECTOR_BYTES)
		return pt_fail(err, PT_EARG, "packets of %zu bytes are too short for XVC", info.packet_bytes);
	if (ask_info(xvc, longest_vector(&info, settings), err) < 0)
		return err->code;
	return set_tck(xvc, (uint32_t)pt_params_number(settings, &pt_probe_params[PT_PROBE_SPEED]), err);
}

static void xvc_close(void *state)
{
	(void)state;	/* the server frees the cable when the connection ends */
}

static void xvc_info(void *state, struct pt_probe_info *out)
{
	const struct xvc *xvc = state;

	snprintf(out->protocol, sizeof(out->protocol), "%s", xvc->protocol);
	out->packet_bytes = HEAD_BYTES + 2 * (size_t)xvc->vector_bytes;
	out->packet_count = xvc->port.depth;
	out->speed_hz = xvc->port.tck_hz;
}

static int xvc_connect(void *state, struct pt_err *err)
{
	return pt_jtag_port_reset(&((struct xvc *)state)->port, err);
}

static int xvc_run(void *state, struct pt_jtag_op *ops, size_t n_ops, uint32_t timeout_ms, size_t *n_done,
		   struct pt_err *err)
{
	return pt_jtag_port_run(&((struct xvc *)state)->port, ops, n_ops, timeout_ms, n_done, err);
}

static int xvc_set_speed(void *state, uint32_t hz, uint32_t *hz_used, struct pt_err *err)
{
	struct xvc *xvc = state;
	int rc = hz == 0 ? pt_fail(err, PT_EARG, "a clock of 0 Hz") : set_tck(xvc, hz, err);

	*hz_used = xvc->port.tck_hz;
	return rc;
}

static int xvc_set_reset(void *state, bool trst, bool srst, struct pt_err *err)
{
	(void)state, (void)trst, (void)srst;
	return pt_fail(err, PT_EUNSUPPORTED, "XVC has no reset pins");
}

static const struct pt_jtag_ops jtag_ops = {
	.connect = xvc_connect, .run = xvc_run, .set_speed = xvc_set_speed, .set_reset = xvc_set_reset,
};

const struct pt_probe_ops pt_xvc_ops = {
	.name = "xvc",
	.params = params,
	.n_params = PT_LEN(params),
	.help = "a server of the Xilinx Virtual Cable: hw_server, boards with XVC in their logic",
	.address = "xvc:HOST[:PORT]",
	.framing = &pt_xvc_framing,
	.state_bytes = sizeof(struct xvc),
	.open = xvc_open,
	.close = xvc_close,
	.info = xvc_info,
	.jtag = &jtag_ops,
};
