/* Answers are put together from what is left of packets, as long as their requests say. A driver that is out of step has
 * the chip and this link forget what there is. Source: ftdi.h of libftdi1; the status bytes: ftdi_sio of Linux. */
#include "probes/links/ftdi.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/util.h"

enum { STATUS_BYTES = 2, MOST_OUTSTANDING = 64 };

struct ftdi_link {
	struct pt_link *usb;
	const struct pt_framing *framing;
	size_t packet_bytes;
	size_t wanted[MOST_OUTSTANDING];	/* bytes of each answer, a ring */
	size_t oldest, n_wanted;
	uint8_t raw[PT_LINK_MAX_PACKET_BYTES], held[2 * PT_LINK_MAX_PACKET_BYTES];
	size_t n_held;
};

static void ftdi_close(void *state)
{
	struct ftdi_link *ftdi = state;

	pt_link_close(ftdi->usb);
	free(ftdi);
}

static void ftdi_info(void *state, struct pt_link_info *out)
{
	pt_link_info(((struct ftdi_link *)state)->usb, out);
}

/* A part of a request has no answer. */
static int ftdi_submit(void *state, const uint8_t *packet, size_t len_bytes, uint64_t deadline_ns, struct pt_err *err)
{
	struct ftdi_link *ftdi = state;
	size_t wanted = ftdi->framing->answer_bytes(packet, len_bytes);
	int rc;

	if (ftdi->n_wanted == MOST_OUTSTANDING)
		return pt_fail(err, PT_ETIMEOUT, "%d answers are outstanding", MOST_OUTSTANDING);
	rc = pt_link_submit(ftdi->usb, packet, len_bytes, deadline_ns, err);
	if (rc == 0 && wanted > 0)
		ftdi->wanted[(ftdi->oldest + ftdi->n_wanted++) % MOST_OUTSTANDING] = wanted;
	return rc;
}

/* What is behind the status bytes of each packet. False: more came than there is room for. */
static bool keep_data(struct ftdi_link *ftdi, size_t n_raw)
{
	for (size_t at = 0; at < n_raw; at += ftdi->packet_bytes) {
		size_t n = n_raw - at < ftdi->packet_bytes ? n_raw - at : ftdi->packet_bytes;

		if (n <= STATUS_BYTES)
			continue;
		n -= STATUS_BYTES;
		if (n > sizeof(ftdi->held) - ftdi->n_held)
			return false;
		memcpy(ftdi->held + ftdi->n_held, ftdi->raw + at + STATUS_BYTES, n);
		ftdi->n_held += n;
	}
	return true;
}

static int give_answer(struct ftdi_link *ftdi, uint8_t *buf, size_t buf_bytes, struct pt_err *err)
{
	size_t n = ftdi->wanted[ftdi->oldest];

	ftdi->oldest = (ftdi->oldest + 1) % MOST_OUTSTANDING;
	ftdi->n_wanted--;
	if (n <= buf_bytes)
		memcpy(buf, ftdi->held, n);
	ftdi->n_held -= n;
	memmove(ftdi->held, ftdi->held + n, ftdi->n_held);
	if (n > buf_bytes)
		return pt_fail(err, PT_EPROTO, "an answer of %zu bytes where %zu fit", n, buf_bytes);
	if (ftdi->n_wanted == 0 && ftdi->n_held > 0)
		return pt_fail(err, PT_EPROTO, "the FTDI chip sends %zu bytes more than it was asked for",
			       ftdi->n_held);
	return (int)n;
}

static int ftdi_receive(void *state, uint8_t *buf, size_t buf_bytes, uint64_t deadline_ns, struct pt_err *err)
{
	struct ftdi_link *ftdi = state;

	while (ftdi->n_wanted == 0 || ftdi->n_held < ftdi->wanted[ftdi->oldest]) {
		int n = pt_link_receive(ftdi->usb, ftdi->raw, sizeof(ftdi->raw), deadline_ns, err);

		if (n < 0)
			return n;
		if (!keep_data(ftdi, (size_t)n))
			return pt_fail(err, PT_EPROTO, "the FTDI chip sends without being asked");
	}
	return give_answer(ftdi, buf, buf_bytes, err);
}

static uint64_t ftdi_now(void *state)
{
	return pt_link_now_ns(((struct ftdi_link *)state)->usb);
}

static int ftdi_wait(void *state, uint64_t until_ns, struct pt_err *err)
{
	return pt_link_wait(((struct ftdi_link *)state)->usb, until_ns, err);
}

static void ftdi_interrupt(void *state)
{
	pt_link_interrupt(((struct ftdi_link *)state)->usb);
}

static void ftdi_set_packet_bytes(void *state, size_t packet_bytes)
{
	pt_link_set_packet_bytes(((struct ftdi_link *)state)->usb, packet_bytes);
}

static int ftdi_control(void *state, const struct pt_link_control *request, uint8_t *data, size_t len_bytes,
			uint64_t deadline_ns, struct pt_err *err)
{
	return pt_link_control(((struct ftdi_link *)state)->usb, request, data, len_bytes, deadline_ns, err);
}

static void ftdi_forget(void *state)
{
	struct ftdi_link *ftdi = state;

	pt_link_forget(ftdi->usb);
	ftdi->n_wanted = ftdi->oldest = ftdi->n_held = 0;
}

static const struct pt_link_ops ftdi_ops = {
	.name = "ftdi",
	.close = ftdi_close,
	.info = ftdi_info,
	.submit = ftdi_submit,
	.receive = ftdi_receive,
	.now_ns = ftdi_now,
	.wait = ftdi_wait,
	.interrupt = ftdi_interrupt,
	.set_packet_bytes = ftdi_set_packet_bytes,
	.control = ftdi_control,
	.forget = ftdi_forget,
};

struct pt_link *pt_ftdi_link_new(struct pt_link *usb, const struct pt_framing *framing, size_t packet_bytes)
{
	struct ftdi_link *ftdi = pt_alloc(sizeof(*ftdi));

	ftdi->usb = usb;
	ftdi->framing = framing;
	ftdi->packet_bytes = packet_bytes;
	return pt_link_new(&ftdi_ops, ftdi);
}
