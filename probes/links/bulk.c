/* A probe with bulk endpoints: one packet per transfer, by libusb's asynchronous calls, all on the board thread.
 *
 * IN transfers stay queued without a time-out of their own, because one that times out may have taken half a response
 * with it; the deadline is watched here. They form a ring in the order they were queued, which is the order responses
 * come in. libusb runs its callbacks only inside our calls, so nothing here needs a lock but the interrupt.
 *
 * A device that does not end a full packet (pt_probe_ops.sized) is asked for each response by its length. There is one IN
 * transfer then, from receive() on; at the deadline it is taken back, and what it had is a response.
 * Source: libusb-1.0 API, "Asynchronous device I/O"; framing: CMSIS-DAP 2.x reference. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#include "base/alloc.h"
#include "host/log.h"
#include "probes/links/bulk.h"
#include "probes/links/bulk_trace.h"
#include "probes/links/ftdi.h"
#include "host/clock.h"
#include "probes/links/wake.h"
#include "base/util.h"

enum { N_SLOTS = 8, CLOSE_MS = 1000 };

struct bulk_link;

struct slot {
	struct bulk_link *bulk;
	struct libusb_transfer *transfer;
	uint8_t *bytes;
	bool in_flight;		/* libusb's */
	bool done;		/* IN: came back and was not looked at yet */
};

struct bulk_link {
	libusb_context *usb;
	libusb_device_handle *device;
	struct pt_bulk_place place;
	struct pt_link_info info;
	struct pt_wake wake;
	size_t packet_bytes, in_bytes;	/* in_bytes: room of an IN transfer, a multiple of the endpoint's packets */
	struct slot in[N_SLOTS], out[N_SLOTS];
	size_t oldest;		/* of in */
	bool gone, out_stalled, sized;
	bool stream;		/* of bytes: requests have no end */
	struct pt_bulk_trace *trace;	/* NULL: it has no endpoint for it, or it was not used yet */
};

/* --- events ------------------------------------------------------------------------------------------------------ */

static void on_in(struct libusb_transfer *transfer)
{
	struct slot *slot = transfer->user_data;

	slot->in_flight = false;
	slot->done = true;
	if (transfer->status == LIBUSB_TRANSFER_NO_DEVICE || transfer->status == LIBUSB_TRANSFER_ERROR)
		slot->bulk->gone = true;	/* the controller has tried three times: the cable is out */
}

static void on_out(struct libusb_transfer *transfer)
{
	struct slot *slot = transfer->user_data;

	slot->in_flight = false;
	if (transfer->status == LIBUSB_TRANSFER_NO_DEVICE || transfer->status == LIBUSB_TRANSFER_ERROR)
		slot->bulk->gone = true;
	if (transfer->status == LIBUSB_TRANSFER_STALL)
		slot->bulk->out_stalled = true;
}

static void handle_events(struct bulk_link *bulk, uint64_t deadline_ns)
{
	uint64_t now_ns = pt_host_now_ns(), left_ns = deadline_ns > now_ns ? deadline_ns - now_ns : 0;
	struct timeval t = { (time_t)(left_ns / PT_NS_PER_S), (suseconds_t)(left_ns % PT_NS_PER_S / 1000) };

	libusb_handle_events_timeout_completed(bulk->usb, &t, NULL);
}

static int lost(struct bulk_link *bulk, struct pt_err *err)
{
	bulk->gone = true;
	return pt_fail(err, PT_EIO, "the probe at %s is gone", bulk->info.where);
}

static int start(struct bulk_link *bulk, struct slot *slot, struct pt_err *err)
{
	int rc = libusb_submit_transfer(slot->transfer);

	slot->done = false;
	slot->in_flight = rc == 0;
	if (rc == LIBUSB_ERROR_NO_DEVICE || rc == LIBUSB_ERROR_IO)
		return lost(bulk, err);
	return rc == 0 ? 0 : pt_fail(err, PT_EIO, "the probe at %s: %s", bulk->info.where, libusb_strerror(rc));
}

/* --- out --------------------------------------------------------------------------------------------------------- */

static struct slot *idle_out(struct bulk_link *bulk, uint64_t deadline_ns)
{
	for (;;) {
		for (size_t i = 0; i < N_SLOTS; i++)
			if (!bulk->out[i].in_flight)
				return &bulk->out[i];
		if (bulk->gone || pt_host_now_ns() >= deadline_ns)
			return NULL;
		handle_events(bulk, deadline_ns);
	}
}

/* A request that fills its last USB packet needs an empty one behind it, unless it is as long as a request can be. */
static bool needs_end(const struct bulk_link *bulk, size_t len_bytes)
{
	return !bulk->sized && !bulk->stream && len_bytes > 0 && len_bytes % bulk->place.out_bytes == 0 &&
	       len_bytes < bulk->packet_bytes;
}

static int bulk_submit(void *state, const uint8_t *packet, size_t len_bytes, uint64_t deadline_ns, struct pt_err *err)
{
	struct bulk_link *bulk = state;
	struct slot *slot;

	if (len_bytes > PT_LINK_MAX_PACKET_BYTES)
		return pt_fail(err, PT_EARG, "a packet of %zu bytes", len_bytes);
	slot = idle_out(bulk, deadline_ns);
	if (bulk->gone)
		return lost(bulk, err);
	if (slot == NULL)
		return pt_fail(err, PT_ETIMEOUT, "the probe at %s takes nothing", bulk->info.where);
	memcpy(slot->bytes, packet, len_bytes);
	libusb_fill_bulk_transfer(slot->transfer, bulk->device, bulk->place.out, slot->bytes, (int)len_bytes, on_out,
				  slot, 0);
	slot->transfer->flags = needs_end(bulk, len_bytes) ? LIBUSB_TRANSFER_ADD_ZERO_PACKET : 0;
	return start(bulk, slot, err);
}

/* --- in ---------------------------------------------------------------------------------------------------------- */

static int queue_in(struct bulk_link *bulk, struct slot *slot, struct pt_err *err)
{
	libusb_fill_bulk_transfer(slot->transfer, bulk->device, bulk->place.in, slot->bytes, (int)bulk->in_bytes, on_in,
				  slot, 0);
	return start(bulk, slot, err);
}

static int clear_stall(struct bulk_link *bulk, uint8_t endpoint, struct pt_err *err)
{
	int rc = libusb_clear_halt(bulk->device, endpoint);

	if (rc == LIBUSB_ERROR_NO_DEVICE)
		return lost(bulk, err);
	return pt_fail(err, PT_EPROTO, "the probe at %s refused a packet (stall)", bulk->info.where);
}

/* In whole packets, so that one that is longer than it should be does no harm. */
static int queue_sized(struct bulk_link *bulk, size_t len_bytes, struct pt_err *err)
{
	size_t packet = bulk->place.in_bytes, room = (len_bytes + packet - 1) / packet * packet;

	if (bulk->in[0].in_flight || bulk->in[0].done)
		return 0;
	bulk->in_bytes = room < PT_LINK_MAX_PACKET_BYTES ? room : PT_LINK_MAX_PACKET_BYTES / packet * packet;
	return queue_in(bulk, &bulk->in[0], err);
}

static int take_sized(struct bulk_link *bulk, uint8_t *buf, size_t buf_bytes, struct pt_err *err)
{
	struct slot *slot = &bulk->in[0];
	size_t len = (size_t)slot->transfer->actual_length;

	slot->done = false;
	if (slot->transfer->status == LIBUSB_TRANSFER_STALL)
		return clear_stall(bulk, bulk->place.in, err);
	if (slot->transfer->status == LIBUSB_TRANSFER_OVERFLOW || len > buf_bytes)
		return pt_fail(err, PT_EPROTO, "a response of more than %zu bytes", buf_bytes);
	memcpy(buf, slot->bytes, len);
	return (int)len;
}

/* What has come of it by then is all that will. */
static int take_back(struct bulk_link *bulk, uint8_t *buf, size_t buf_bytes, struct pt_err *err)
{
	struct slot *slot = &bulk->in[0];
	uint64_t until_ns = pt_host_now_ns() + CLOSE_MS * PT_NS_PER_MS;

	if (bulk->sized && slot->in_flight)
		libusb_cancel_transfer(slot->transfer);
	while (bulk->sized && slot->in_flight && pt_host_now_ns() < until_ns)
		handle_events(bulk, until_ns);
	if (bulk->sized && slot->done && slot->transfer->actual_length > 0)
		return take_sized(bulk, buf, buf_bytes, err);
	slot->done = bulk->sized ? false : slot->done;
	return pt_fail(err, PT_ETIMEOUT, "the probe at %s does not answer", bulk->info.where);
}

/* The oldest IN transfer came back: give its bytes out and put it at the end of the queue. */
static int take_oldest(struct bulk_link *bulk, uint8_t *buf, size_t buf_bytes, struct pt_err *err)
{
	struct slot *slot = &bulk->in[bulk->oldest];
	enum libusb_transfer_status status = slot->transfer->status;
	size_t len = (size_t)slot->transfer->actual_length;

	if (bulk->sized)
		return take_sized(bulk, buf, buf_bytes, err);
	if (status == LIBUSB_TRANSFER_COMPLETED && len <= buf_bytes)
		memcpy(buf, slot->bytes, len);
	bulk->oldest = (bulk->oldest + 1) % N_SLOTS;
	if (status == LIBUSB_TRANSFER_STALL) {
		int rc = clear_stall(bulk, bulk->place.in, err);

		return queue_in(bulk, slot, err) < 0 ? PT_EIO : rc;
	}
	queue_in(bulk, slot, NULL);	/* if the device went now, the next call says so */
	if (status == LIBUSB_TRANSFER_OVERFLOW || len > buf_bytes)
		return pt_fail(err, PT_EPROTO, "a response of more than %zu bytes", buf_bytes);
	if (status != LIBUSB_TRANSFER_COMPLETED)
		return pt_fail(err, PT_EPROTO, "the probe's response was cut off");
	return (int)len;
}

static int bulk_receive(void *state, uint8_t *buf, size_t buf_bytes, uint64_t deadline_ns, struct pt_err *err)
{
	struct bulk_link *bulk = state;

	if (bulk->sized && !bulk->gone && queue_sized(bulk, buf_bytes, err) < 0)
		return err != NULL ? err->code : PT_EIO;
	for (;;) {
		struct slot *slot = &bulk->in[bulk->oldest];

		if (pt_wake_take(&bulk->wake))
			return pt_fail(err, PT_EINTERRUPTED, "interrupted");
		if (slot->done && slot->transfer->status == LIBUSB_TRANSFER_COMPLETED)
			return take_oldest(bulk, buf, buf_bytes, err);
		if (bulk->gone || (!slot->done && !slot->in_flight))
			return lost(bulk, err);
		if (slot->done)
			return take_oldest(bulk, buf, buf_bytes, err);
		if (bulk->out_stalled) {
			bulk->out_stalled = false;
			return clear_stall(bulk, bulk->place.out, err);
		}
		if (pt_host_now_ns() >= deadline_ns)
			return take_back(bulk, buf, buf_bytes, err);
		handle_events(bulk, deadline_ns);
	}
}

/* --- trace ------------------------------------------------------------------------------------------------------- */

static int trace_failed(struct bulk_link *bulk, int rc, struct pt_err *err)
{
	if (rc == LIBUSB_ERROR_NO_DEVICE || rc == LIBUSB_ERROR_IO)
		return lost(bulk, err);
	if (rc == LIBUSB_ERROR_PIPE)
		return clear_stall(bulk, bulk->place.trace, err);
	return pt_fail(err, PT_EPROTO, "trace of the probe at %s: %s", bulk->info.where, libusb_strerror(rc));
}

static int bulk_trace(void *state, uint8_t *buf, size_t len_bytes, unsigned n_ahead, uint64_t deadline_ns,
		      struct pt_err *err)
{
	struct bulk_link *bulk = state;
	int rc;

	if (bulk->place.trace == 0)
		return pt_fail(err, PT_EUNSUPPORTED, "the probe at %s has no endpoint for trace", bulk->info.where);
	if (bulk->trace == NULL)
		bulk->trace = pt_bulk_trace_new(bulk->device, bulk->place.trace, bulk->place.trace_bytes);
	for (bool over = false;; over = pt_host_now_ns() >= deadline_ns) {
		if (pt_wake_take(&bulk->wake))
			return pt_fail(err, PT_EINTERRUPTED, "interrupted");
		if (bulk->gone)
			return lost(bulk, err);
		rc = pt_bulk_trace_queue(bulk->trace, len_bytes, n_ahead + 1);
		if (rc < 0)
			return trace_failed(bulk, rc, err);
		handle_events(bulk, over ? 0 : pt_bulk_trace_done(bulk->trace) ? 0 : deadline_ns);
		if (pt_bulk_trace_done(bulk->trace))
			break;
		if (over)
			return pt_fail(err, PT_ETIMEOUT, "the probe at %s sends no trace", bulk->info.where);
	}
	rc = pt_bulk_trace_take(bulk->trace, buf, len_bytes + bulk->place.trace_bytes);
	pt_bulk_trace_queue(bulk->trace, len_bytes, n_ahead);
	return rc >= 0 ? rc : trace_failed(bulk, rc, err);
}

static void bulk_end_trace(void *state)
{
	struct bulk_link *bulk = state;
	uint64_t until_ns = pt_host_now_ns() + CLOSE_MS * PT_NS_PER_MS;

	if (bulk->trace == NULL)
		return;
	pt_bulk_trace_cancel(bulk->trace);
	while (pt_bulk_trace_under_way(bulk->trace) && pt_host_now_ns() < until_ns)
		handle_events(bulk, until_ns);
	pt_bulk_trace_forget(bulk->trace);
}

/* --- the rest of a link ------------------------------------------------------------------------------------------ */

static void bulk_info(void *state, struct pt_link_info *out)
{
	*out = ((struct bulk_link *)state)->info;
}

static uint64_t bulk_now(void *state)
{
	(void)state;
	return pt_host_now_ns();
}

/* Events are looked at once, also when until_ns is past: who only looks shall see that the probe is gone. */
static int bulk_wait(void *state, uint64_t until_ns, struct pt_err *err)
{
	struct bulk_link *bulk = state;
	bool over = false;

	for (;;) {
		if (pt_wake_take(&bulk->wake))
			return pt_fail(err, PT_EINTERRUPTED, "interrupted");
		if (bulk->gone)
			return lost(bulk, err);
		if (over)
			return 0;
		over = pt_host_now_ns() >= until_ns;
		handle_events(bulk, until_ns);
	}
}

static void bulk_interrupt(void *state)
{
	struct bulk_link *bulk = state;

	pt_wake_set(&bulk->wake);
	libusb_interrupt_event_handler(bulk->usb);
}

static bool any_in_flight(const struct bulk_link *bulk)
{
	bool any = false;

	for (size_t i = 0; i < N_SLOTS; i++)
		any |= bulk->in[i].in_flight || bulk->out[i].in_flight;
	return any;
}

/* False: the system never gave them back, so their memory must stay. */
static bool cancel_all(struct bulk_link *bulk)
{
	uint64_t deadline_ns = pt_host_now_ns() + CLOSE_MS * PT_NS_PER_MS;

	for (size_t i = 0; i < N_SLOTS; i++) {
		if (bulk->in[i].in_flight)
			libusb_cancel_transfer(bulk->in[i].transfer);
		if (bulk->out[i].in_flight)
			libusb_cancel_transfer(bulk->out[i].transfer);
	}
	while (any_in_flight(bulk) && pt_host_now_ns() < deadline_ns)
		handle_events(bulk, deadline_ns);
	return !any_in_flight(bulk);
}

static void queue_all(struct bulk_link *bulk)
{
	bulk->oldest = 0;
	for (size_t i = 0; i < N_SLOTS && !bulk->gone && !bulk->sized; i++)
		queue_in(bulk, &bulk->in[i], NULL);
}

/* A device whose descriptors are others afterwards has another handle: then this one is of no use. */
static int bulk_reset(void *state, struct pt_err *err)
{
	struct bulk_link *bulk = state;

	bulk_end_trace(bulk);
	if (bulk->gone || !cancel_all(bulk) || libusb_reset_device(bulk->device) != 0)
		return lost(bulk, err);
	for (size_t i = 0; i < N_SLOTS; i++)
		bulk->in[i].done = false;
	bulk->out_stalled = false;
	queue_all(bulk);
	return 0;
}

/* Responses that were under way stay with the device: whoever opens it next drains them. */
static void bulk_set_packet_bytes(void *state, size_t packet_bytes)
{
	struct bulk_link *bulk = state;
	size_t in_bytes = (packet_bytes + bulk->place.in_bytes - 1) / bulk->place.in_bytes * bulk->place.in_bytes;

	bulk->packet_bytes = packet_bytes;
	if (bulk->sized || in_bytes == bulk->in_bytes || in_bytes > PT_LINK_MAX_PACKET_BYTES || !cancel_all(bulk))
		return;
	bulk->in_bytes = in_bytes;
	queue_all(bulk);
}

static void free_slots(struct bulk_link *bulk)
{
	for (size_t i = 0; i < N_SLOTS; i++) {
		libusb_free_transfer(bulk->in[i].transfer);
		libusb_free_transfer(bulk->out[i].transfer);
		free(bulk->in[i].bytes);
		free(bulk->out[i].bytes);
	}
}

static void bulk_close(void *state)
{
	struct bulk_link *bulk = state;

	bulk_end_trace(bulk);
	if (!cancel_all(bulk) || (bulk->trace != NULL && pt_bulk_trace_under_way(bulk->trace))) {
		pt_warn("usb: the probe at %s does not give its transfers back; their memory stays in use",
			bulk->info.where);
		return;
	}
	free_slots(bulk);
	pt_bulk_trace_free(bulk->trace);
	libusb_release_interface(bulk->device, bulk->place.iface);
	libusb_close(bulk->device);
	libusb_exit(bulk->usb);
	pt_wake_fini(&bulk->wake);
	free(bulk);
}

static int bulk_control(void *state, const struct pt_link_control *request, uint8_t *data, size_t len_bytes,
			uint64_t deadline_ns, struct pt_err *err)
{
	struct bulk_link *bulk = state;
	uint64_t now_ns = pt_host_now_ns();
	uint64_t left_ms = deadline_ns > now_ns ? (deadline_ns - now_ns) / PT_NS_PER_MS + 1 : 1;
	int rc;

	if (bulk->gone)
		return lost(bulk, err);
	rc = libusb_control_transfer(bulk->device, request->type, request->request, request->value, request->index,
				     data, (uint16_t)len_bytes, (unsigned)left_ms);
	if (rc == LIBUSB_ERROR_NO_DEVICE || rc == LIBUSB_ERROR_IO)
		return lost(bulk, err);
	if (rc == LIBUSB_ERROR_TIMEOUT)
		return pt_fail(err, PT_ETIMEOUT, "the probe at %s does not answer", bulk->info.where);
	return rc >= 0 ? rc : pt_fail(err, PT_EPROTO, "the probe at %s refuses a control request", bulk->info.where);
}

/* What has come is thrown away; what has not is the protocol's affair. */
static void bulk_forget(void *state)
{
	struct bulk_link *bulk = state;

	handle_events(bulk, 0);
	for (size_t i = 0; i < N_SLOTS && !bulk->gone && bulk->in[bulk->oldest].done; i++) {
		queue_in(bulk, &bulk->in[bulk->oldest], NULL);
		bulk->oldest = (bulk->oldest + 1) % N_SLOTS;
	}
}

static const struct pt_link_ops bulk_ops = {
	.name = "bulk",
	.close = bulk_close,
	.info = bulk_info,
	.submit = bulk_submit,
	.receive = bulk_receive,
	.now_ns = bulk_now,
	.wait = bulk_wait,
	.interrupt = bulk_interrupt,
	.set_packet_bytes = bulk_set_packet_bytes,
	.control = bulk_control,
	.forget = bulk_forget,
	.reset = bulk_reset,
	.trace = bulk_trace,
	.end_trace = bulk_end_trace,
};

/* --- opening ----------------------------------------------------------------------------------------------------- */

static int refused(int rc, const char *where, const struct pt_link_found *found, struct pt_err *err)
{
	if (rc == LIBUSB_ERROR_ACCESS)
		return pt_fail(err, PT_EPERM, "no permission for the probe at usb %s", found->usb_path);
	if (rc == LIBUSB_ERROR_BUSY)
		return pt_link_busy(where, (const char *const[]){ found->node }, 1, err);
	return pt_fail(err, PT_EIO, "the probe at usb %s: %s", found->usb_path, libusb_strerror(rc));
}

static int open_device(struct bulk_link *bulk, const struct pt_link_found *found, struct pt_err *err)
{
	libusb_device **devices;
	ssize_t n = libusb_get_device_list(bulk->usb, &devices);
	int rc = LIBUSB_ERROR_NO_DEVICE;

	for (ssize_t i = 0; i < n && bulk->device == NULL; i++) {
		struct pt_link_found row;

		if (!pt_bulk_look_at(devices[i], &found->driver, 1, &bulk->place, &row) ||
		    strcmp(row.path, found->path) != 0)
			continue;
		if (found->channel > 0 && !pt_bulk_channel(devices[i], found, &bulk->place))
			break;
		rc = libusb_open(devices[i], &bulk->device);
		if (rc < 0)
			break;
	}
	if (n >= 0)
		libusb_free_device_list(devices, 1);
	return bulk->device != NULL ? 0 : refused(rc, bulk->info.where, found, err);
}

static void describe(struct bulk_link *bulk, const struct pt_link_found *found)
{
	struct pt_link_info *info = &bulk->info;

	strcpy(info->transport, "bulk");
	memcpy(info->product, found->product, sizeof(info->product));
	memcpy(info->serial, found->serial, sizeof(info->serial));
	snprintf(info->where, sizeof(info->where), "usb %s", found->usb_path);
	info->usb_vid = found->usb_vid;
	info->usb_pid = found->usb_pid;
	info->usb_release = found->usb_release;
	info->usb_mbps = found->usb_mbps;
	info->packet_bytes = PT_LINK_MAX_PACKET_BYTES;
	info->depth = 4 * N_SLOTS;	/* the rest waits in the device, which says how many it can hold */
}

static int make_slots(struct bulk_link *bulk, struct pt_err *err)
{
	int rc = 0;

	for (size_t i = 0; i < N_SLOTS; i++) {
		struct slot *both[2] = { &bulk->in[i], &bulk->out[i] };

		for (size_t j = 0; j < 2; j++) {
			both[j]->bulk = bulk;
			both[j]->transfer = libusb_alloc_transfer(0);
			both[j]->bytes = malloc(PT_LINK_MAX_PACKET_BYTES);
			if (both[j]->transfer == NULL || both[j]->bytes == NULL)
				return pt_fail(err, PT_ENOMEM, "no memory for USB transfers");
		}
	}
	for (size_t i = 0; rc == 0 && !bulk->sized && i < N_SLOTS; i++)
		rc = queue_in(bulk, &bulk->in[i], err);
	return rc;
}

static int claim(struct bulk_link *bulk, const struct pt_link_found *found, struct pt_err *err)
{
	int rc;

	libusb_set_auto_detach_kernel_driver(bulk->device, 1);
	rc = libusb_claim_interface(bulk->device, bulk->place.iface);
	return rc < 0 ? refused(rc, bulk->info.where, found, err) : 0;
}

static struct pt_link *bulk_open(const struct pt_link_found *found, struct pt_err *err)
{
	struct bulk_link *bulk = pt_alloc(sizeof(*bulk));

	if (pt_wake_init(&bulk->wake, err) < 0)
		goto free_bulk;
	if (libusb_init(&bulk->usb) < 0) {
		pt_fail(err, PT_EIO, "USB is not available");
		goto fini_wake;
	}
	describe(bulk, found);
	bulk->sized = found->driver->sized;
	if (open_device(bulk, found, err) < 0)
		goto exit_usb;
	bulk->info.usb_interface = bulk->place.iface;
	bulk->info.trace_bytes = bulk->place.trace_bytes;
	if (claim(bulk, found, err) < 0)
		goto close_device;
	bulk->packet_bytes = bulk->in_bytes = bulk->place.in_bytes;
	if (make_slots(bulk, err) < 0)
		goto cancel;
	bulk->stream = found->driver->usb_stream != NULL;
	return bulk->stream
		       ? pt_ftdi_link_new(pt_link_new(&bulk_ops, bulk), found->driver->usb_stream, bulk->place.in_bytes)
		       : pt_link_new(&bulk_ops, bulk);
cancel:
	bulk_close(bulk);
	return NULL;
close_device:
	libusb_close(bulk->device);
exit_usb:
	libusb_exit(bulk->usb);
fini_wake:
	pt_wake_fini(&bulk->wake);
free_bulk:
	free(bulk);
	return NULL;
}

const struct pt_link_kind pt_bulk_kind = { "bulk", pt_bulk_list, bulk_open };
