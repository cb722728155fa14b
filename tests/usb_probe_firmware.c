/* The firmware of the emulated probe: takes packets in order, lets the model answer them, and hands the responses over
 * when the SWD cable and the link would have brought them. Board and model belong to this thread. */
#include <string.h>
#include <uv.h>

#include "base/util.h"
#include "scripted_link.h"
#include "usb_probe_parts.h"

struct request {
	enum pipe pipe;
	unsigned plug_count;
	uint64_t control;		/* the number of a control request, whose setup is in bytes[]; 0: a packet */
	size_t len_bytes;
	uint8_t bytes[PT_VENGINE_MAX_PACKET_BYTES];
};

struct answer {			/* while one request is carried out */
	struct usb_probe *probe;
	const struct request *request;
	enum pt_vfault fault;
};

static void wait_until(struct usb_probe *probe, uint64_t at_ns)
{
	uint64_t now_ns = uv_hrtime() - probe->origin_ns;
	gint64 end_us;

	if (probe->config.instant || at_ns <= now_ns)
		return;
	end_us = g_get_monotonic_time() + (gint64)((at_ns - now_ns) / 1000);
	g_mutex_lock(&probe->lock);
	while (!probe->stopping && g_cond_wait_until(&probe->work, &probe->lock, end_us))
		continue;
	g_mutex_unlock(&probe->lock);
}

static GBytes *spoilt(const struct answer *answer, const uint8_t *bytes, size_t len_bytes)
{
	uint8_t report[PT_VENGINE_MAX_PACKET_BYTES] = { 0 };
	size_t report_bytes = answer->request->pipe == PIPE_BULK ? len_bytes : HID_REPORT_BYTES;

	memcpy(report, bytes, len_bytes);
	if (answer->fault == PT_VFAULT_WRONG)
		report[0] ^= 0x40;
	return g_bytes_new(report, answer->fault == PT_VFAULT_SHORT ? len_bytes / 2 : report_bytes);
}

/* As packets, each of which begins with the status. */
static GBytes *with_status(const struct usb_probe *probe, GBytes *data)
{
	const struct usb_kind *kind = usb_kind(probe);
	size_t room = usb_bulk_bytes(probe) - kind->status_bytes;
	GByteArray *out = g_byte_array_new();
	gsize n;
	const guint8 *bytes = g_bytes_get_data(data, &n);

	for (size_t at = 0; at < n; at += room) {
		g_byte_array_append(out, kind->status, (guint)kind->status_bytes);
		g_byte_array_append(out, bytes + at, (guint)MIN(room, n - at));
	}
	g_bytes_unref(data);
	return g_byte_array_free_to_bytes(out);
}

static GBytes *response_of(const struct answer *answer, const uint8_t *bytes, size_t len_bytes)
{
	GBytes *response = spoilt(answer, bytes, len_bytes);
	bool plain = answer->request->pipe != PIPE_BULK || usb_kind(answer->probe)->status_bytes == 0;

	return plain ? response : with_status(answer->probe, response);
}

static void on_response(void *arg, const uint8_t *bytes, size_t len_bytes, uint64_t done_ns)
{
	struct answer *answer = arg;
	struct usb_probe *probe = answer->probe;

	wait_until(probe, done_ns + (answer->fault == PT_VFAULT_LATE ? PT_VFAULT_LATE_NS : 0));
	g_mutex_lock(&probe->lock);
	if (probe->plugged && answer->request->plug_count == probe->plug_count && answer->fault != PT_VFAULT_STALL) {
		g_queue_push_tail(&probe->responses[answer->request->pipe], response_of(answer, bytes, len_bytes));
		usb_usbfs_deliver(probe);
		usb_hidraw_deliver(probe);
	}
	g_mutex_unlock(&probe->lock);
}

/* A device that is no virtual board. */
static void answer_other(struct usb_probe *probe, const struct request *request)
{
	struct answer answer = { .probe = probe, .request = request };
	uint8_t response[PT_SCRIPT_BYTES];
	uint64_t took_ns = 0;
	size_t n = probe->config.answer(probe->config.arg, request->bytes, request->len_bytes, response, &took_ns);

	if (n != PT_SCRIPT_NO_ANSWER)
		on_response(&answer, response, n, 0);
}

static void carry_out(struct usb_probe *probe, const struct request *request)
{
	struct answer answer = { .probe = probe, .request = request };
	bool bulk = request->pipe == PIPE_BULK;

	if (probe->config.answer != NULL) {
		answer_other(probe, request);
		return;
	}
	answer.fault = pt_vsetup_fault(&probe->rig);
	if (answer.fault == PT_VFAULT_LOST)
		return;
	if (answer.fault == PT_VFAULT_UNPLUG || answer.fault == PT_VFAULT_CUT) {
		usb_probe_unplug(probe);
		return;
	}
	if (probe->rig.engine->set_packet_bytes != NULL)
		probe->rig.engine->set_packet_bytes(probe->rig.engine_state,
						    bulk ? probe->rig.link->packet_bytes : HID_REPORT_BYTES);
	pt_vsetup_process(&probe->rig, request->bytes, request->len_bytes, uv_hrtime() - probe->origin_ns, on_response,
			  &answer);
}

static void carry_out_control(struct usb_probe *probe, const struct request *request)
{
	const uint8_t *s = request->bytes;
	const struct pt_vcontrol control = { s[0], s[1], pt_le16(s + 2), pt_le16(s + 4) };
	uint8_t data[64];
	bool forgets = false;
	int n = probe->rig.engine->control(probe->rig.engine_state, &control, data, sizeof(data), &forgets);

	g_mutex_lock(&probe->lock);
	if (forgets)
		g_queue_clear_full(&probe->responses[PIPE_BULK], (GDestroyNotify)g_bytes_unref);
	if (probe->plugged && request->plug_count == probe->plug_count)
		usb_usbfs_control_done(probe, request->control, data, n);
	g_mutex_unlock(&probe->lock);
}

/* Lock held. Nothing has come while the latency timer ran: the status alone goes to a host that waits. */
static void send_status(struct usb_probe *probe)
{
	const struct usb_kind *kind = usb_kind(probe);

	if (!probe->plugged || !g_queue_is_empty(&probe->responses[PIPE_BULK]) || !usb_usbfs_wants_data(probe))
		return;
	g_queue_push_tail(&probe->responses[PIPE_BULK], g_bytes_new(kind->status, kind->status_bytes));
	usb_usbfs_deliver(probe);
}

/* Lock held, but not meanwhile: the model is this thread's. What the endpoint for trace has, if a host waits there; false:
 * nothing. */
static bool serve_trace(struct usb_probe *probe)
{
	uint8_t bytes[4096];
	size_t room = usb_kind(probe)->sized ? sizeof(bytes) : usb_bulk_bytes(probe), n;

	if (!usb_usbfs_wants_trace(probe))
		return false;
	g_mutex_unlock(&probe->lock);
	n = probe->rig.engine->trace(probe->rig.engine_state, bytes, room, uv_hrtime() - probe->origin_ns);
	g_mutex_lock(&probe->lock);
	if (n == 0 || !probe->plugged)
		return false;
	g_queue_push_tail(&probe->responses[PIPE_TRACE], g_bytes_new(bytes, n));
	usb_usbfs_deliver(probe);
	return true;
}

/* Lock held. */
static void wait_for_work(struct usb_probe *probe)
{
	enum { TRACE_EACH_US = 1000 };
	struct pt_vusb usb;

	if (serve_trace(probe))
		return;
	if (usb_usbfs_wants_trace(probe)) {
		g_cond_wait_until(&probe->work, &probe->lock, g_get_monotonic_time() + TRACE_EACH_US);
		return;
	}
	if (usb_kind(probe)->status_bytes == 0) {
		g_cond_wait(&probe->work, &probe->lock);
		return;
	}
	probe->rig.engine->usb(probe->rig.engine_state, &usb);
	if (!g_cond_wait_until(&probe->work, &probe->lock,
			       g_get_monotonic_time() + usb.idle_ms * G_TIME_SPAN_MILLISECOND))
		send_status(probe);
}

static gpointer work(gpointer arg)
{
	struct usb_probe *probe = arg;
	struct request *request;

	for (;;) {
		g_mutex_lock(&probe->lock);
		serve_trace(probe);
		while (!probe->stopping && g_queue_is_empty(&probe->requests))
			wait_for_work(probe);
		request = g_queue_pop_head(&probe->requests);
		probe->packets += request != NULL && request->control == 0;
		g_mutex_unlock(&probe->lock);
		if (request == NULL)
			return NULL;
		if (request->control != 0)
			carry_out_control(probe, request);
		else
			carry_out(probe, request);
		g_free(request);
	}
}

void usb_firmware_request(struct usb_probe *probe, enum pipe pipe, const uint8_t *bytes, size_t len_bytes)
{
	struct request *request;

	if (len_bytes == 0)		/* the zero-length packet that ends a transfer of full packets */
		return;
	request = g_new0(struct request, 1);
	request->pipe = pipe;
	request->plug_count = probe->plug_count;
	request->len_bytes = MIN(len_bytes, sizeof(request->bytes));
	memcpy(request->bytes, bytes, request->len_bytes);
	g_queue_push_tail(&probe->requests, request);
	g_cond_signal(&probe->work);
}

void usb_firmware_control(struct usb_probe *probe, const uint8_t *setup, uint64_t number)
{
	struct request *request = g_new0(struct request, 1);

	request->control = number;
	request->plug_count = probe->plug_count;
	memcpy(request->bytes, setup, 8);
	g_queue_push_tail(&probe->requests, request);
	g_cond_signal(&probe->work);
}

static void ask_kind(struct usb_probe *probe)
{
	struct pt_vusb usb;

	if (probe->config.answer != NULL || probe->rig.engine->control == NULL)
		return;
	probe->rig.engine->usb(probe->rig.engine_state, &usb);
	probe->own_kind = (struct usb_kind){
		.driver = probe->rig.driver, .vid = usb.vid, .pid = usb.pid, .out = usb.out, .in = usb.in, .sized = true,
		.streams = true, .subclass = usb.subclass, .release = usb.release, .packet_bytes = usb.packet_bytes,
		.n_interfaces = usb.n_interfaces, .status = usb.status, .status_bytes = usb.status_bytes,
	};
}

int usb_firmware_start(struct usb_probe *probe, struct pt_err *err)
{
	if (probe->config.answer == NULL && pt_vsetup_open(&probe->rig, probe->config.board, err) < 0)
		return err->code;
	ask_kind(probe);
	probe->origin_ns = uv_hrtime();
	g_cond_init(&probe->work);
	g_queue_init(&probe->requests);
	probe->worker = g_thread_new("probe", work, probe);
	return 0;
}

void usb_firmware_stop(struct usb_probe *probe)
{
	g_mutex_lock(&probe->lock);
	probe->stopping = true;
	g_queue_clear_full(&probe->requests, g_free);
	g_cond_signal(&probe->work);
	g_mutex_unlock(&probe->lock);
	g_thread_join(probe->worker);
	g_cond_clear(&probe->work);
	if (probe->config.answer == NULL)
		pt_vsetup_close(&probe->rig);
}

uint64_t usb_probe_packets(struct usb_probe *probe)
{
	uint64_t packets;

	g_mutex_lock(&probe->lock);
	packets = probe->packets;
	g_mutex_unlock(&probe->lock);
	return packets;
}

void usb_count_out(struct usb_probe *probe, size_t len_bytes)
{
	probe->traffic.out++;
	probe->traffic.out_bytes += len_bytes;
	probe->traffic.answered = false;
}

void usb_count_in(struct usb_probe *probe, size_t len_bytes)
{
	probe->traffic.in++;
	probe->traffic.in_bytes += len_bytes;
	probe->traffic.turns += !probe->traffic.answered;
	probe->traffic.answered = true;
}

void usb_probe_traffic(struct usb_probe *probe, struct usb_probe_traffic *out)
{
	g_mutex_lock(&probe->lock);
	*out = probe->traffic;
	g_mutex_unlock(&probe->lock);
}
