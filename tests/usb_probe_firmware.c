/* The firmware of the emulated probe: takes packets in order, lets the model answer them, and hands the responses over
 * when the SWD cable and the link would have brought them. Board and model belong to this thread. */
#include <string.h>
#include <uv.h>

#include "scripted_link.h"
#include "usb_probe_parts.h"

struct request {
	enum pipe pipe;
	unsigned plug_count;
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

static void on_response(void *arg, const uint8_t *bytes, size_t len_bytes, uint64_t done_ns)
{
	struct answer *answer = arg;
	struct usb_probe *probe = answer->probe;

	wait_until(probe, done_ns + (answer->fault == PT_VFAULT_LATE ? PT_VFAULT_LATE_NS : 0));
	g_mutex_lock(&probe->lock);
	if (probe->plugged && answer->request->plug_count == probe->plug_count && answer->fault != PT_VFAULT_STALL) {
		g_queue_push_tail(&probe->responses[answer->request->pipe], spoilt(answer, bytes, len_bytes));
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

static gpointer work(gpointer arg)
{
	struct usb_probe *probe = arg;
	struct request *request;

	for (;;) {
		g_mutex_lock(&probe->lock);
		while (!probe->stopping && g_queue_is_empty(&probe->requests))
			g_cond_wait(&probe->work, &probe->lock);
		request = g_queue_pop_head(&probe->requests);
		probe->packets++;
		g_mutex_unlock(&probe->lock);
		if (request == NULL)
			return NULL;
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

int usb_firmware_start(struct usb_probe *probe, struct pt_err *err)
{
	if (probe->config.answer == NULL && pt_vsetup_open(&probe->rig, probe->config.board, err) < 0)
		return err->code;
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

void usb_probe_traffic(struct usb_probe *probe, struct usb_probe_traffic *out)
{
	g_mutex_lock(&probe->lock);
	*out = probe->traffic;
	g_mutex_unlock(&probe->lock);
}
