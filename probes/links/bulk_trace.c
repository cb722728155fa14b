#include "probes/links/bulk_trace.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

struct transfer {
	struct libusb_transfer *usb;
	uint8_t *bytes;
	bool in_flight;
};

struct pt_bulk_trace {
	libusb_device_handle *device;
	uint8_t endpoint;
	uint16_t packet_bytes;
	struct transfer ring[PT_BULK_TRACE_MOST];
	size_t oldest, n;		/* n: submitted, and not taken */
};

static void on_done(struct libusb_transfer *usb)
{
	((struct transfer *)usb->user_data)->in_flight = false;
}

struct pt_bulk_trace *pt_bulk_trace_new(libusb_device_handle *device, uint8_t endpoint, uint16_t packet_bytes)
{
	struct pt_bulk_trace *trace = pt_alloc(sizeof(*trace));

	trace->device = device;
	trace->endpoint = endpoint;
	trace->packet_bytes = packet_bytes;
	return trace;
}

void pt_bulk_trace_free(struct pt_bulk_trace *trace)
{
	for (size_t i = 0; trace != NULL && i < PT_BULK_TRACE_MOST; i++) {
		libusb_free_transfer(trace->ring[i].usb);
		free(trace->ring[i].bytes);
	}
	free(trace);
}

static int submit_one(struct pt_bulk_trace *trace, size_t len_bytes)
{
	struct transfer *at = &trace->ring[(trace->oldest + trace->n) % PT_BULK_TRACE_MOST];
	int rc;

	if (at->usb == NULL)
		at->usb = libusb_alloc_transfer(0);
	if (at->usb == NULL)
		return LIBUSB_ERROR_NO_MEM;
	if (at->bytes == NULL)
		at->bytes = pt_alloc(PT_BULK_TRACE_BYTES);
	libusb_fill_bulk_transfer(at->usb, trace->device, trace->endpoint, at->bytes, (int)len_bytes, on_done, at, 0);
	rc = libusb_submit_transfer(at->usb);
	at->in_flight = rc == 0;
	trace->n += rc == 0;
	return rc;
}

int pt_bulk_trace_queue(struct pt_bulk_trace *trace, size_t len_bytes, unsigned n)
{
	size_t packet = trace->packet_bytes, most = PT_BULK_TRACE_BYTES / packet * packet;
	size_t len = (len_bytes + packet - 1) / packet * packet;
	int rc = 0;

	while (rc == 0 && trace->n < n && trace->n < PT_BULK_TRACE_MOST)
		rc = submit_one(trace, len < most ? len : most);
	return rc;
}

bool pt_bulk_trace_done(const struct pt_bulk_trace *trace)
{
	return trace->n > 0 && !trace->ring[trace->oldest].in_flight;
}

int pt_bulk_trace_take(struct pt_bulk_trace *trace, uint8_t *buf, size_t room)
{
	const struct transfer *at = &trace->ring[trace->oldest];
	size_t len = (size_t)at->usb->actual_length;

	trace->oldest = (trace->oldest + 1) % PT_BULK_TRACE_MOST;
	trace->n--;
	switch (at->usb->status) {
	case LIBUSB_TRANSFER_COMPLETED:
		break;
	case LIBUSB_TRANSFER_STALL:
		return LIBUSB_ERROR_PIPE;
	case LIBUSB_TRANSFER_OVERFLOW:
		return LIBUSB_ERROR_OVERFLOW;
	default:
		return LIBUSB_ERROR_NO_DEVICE;
	}
	if (len > room)
		return LIBUSB_ERROR_OVERFLOW;
	memcpy(buf, at->bytes, len);
	return (int)len;
}

void pt_bulk_trace_cancel(struct pt_bulk_trace *trace)
{
	for (size_t i = 0; i < PT_BULK_TRACE_MOST; i++)
		if (trace->ring[i].in_flight)
			libusb_cancel_transfer(trace->ring[i].usb);
}

bool pt_bulk_trace_under_way(const struct pt_bulk_trace *trace)
{
	for (size_t i = 0; i < PT_BULK_TRACE_MOST; i++)
		if (trace->ring[i].in_flight)
			return true;
	return false;
}

void pt_bulk_trace_forget(struct pt_bulk_trace *trace)
{
	while (pt_bulk_trace_done(trace)) {
		trace->oldest = (trace->oldest + 1) % PT_BULK_TRACE_MOST;
		trace->n--;
	}
}
