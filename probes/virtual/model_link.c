/* A link to a virtual board in this process. A request is carried out when it is submitted, for the time at which it
 * would reach the probe; its response waits here until the link's clock has come to the time at which it would reach
 * the host. Under the virtual clock that is only arithmetic; under the wall clock it is a wait on a condition. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

#include "base/alloc.h"
#include "host/log.h"
#include "probes/virtual/boards.h"
#include "probes/virtual/setup.h"
#include "base/util.h"

enum { RESPONSES = 2 * PT_VENGINE_MAX_RESPONSES };	/* more than depth: queued packets are answered all at once */
#define SLICE_NS (PT_NS_PER_MS)			/* virtual clock: how soon an interrupt is seen */
/* Wall clock: how often a board that nobody asks is kept going. Within the budget of a call a busy one needs it often;
 * one that sleeps or is halted does not, and an idle daemon shall not wake up for it. */
#define WALL_PERIOD_NS (8 * PT_NS_PER_MS)
#define WALL_IDLE_NS (100 * PT_NS_PER_MS)

struct response {
	uint64_t arrives_ns;
	size_t len_bytes;
	uint8_t bytes[PT_VENGINE_MAX_PACKET_BYTES];
};

struct model {
	struct pt_vsetup setup;
	size_t packet_bytes;		/* what the protocol above said */
	uint64_t virtual_ns;		/* the virtual clock */
	uint64_t origin_ns;		/* the wall clock's zero */
	uint64_t sent_ns;		/* when the last request is through */
	uint64_t arrived_ns;		/* when the last response is */
	enum pt_vfault fault;		/* of the packet being carried out */
	bool gone;
	struct response *response;	/* ring */
	size_t head, n_responses;
	uv_mutex_t lock;		/* interrupted */
	uv_cond_t woken;
	bool interrupted;
	uint64_t alarm_ns;		/* virtual clock: when to call on_alarm */
	void (*on_alarm)(void *arg);	/* NULL: never */
	void *alarm_arg;
};

static uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t now_ns(void *state)
{
	struct model *model = state;

	return model->setup.pace.wall ? uv_hrtime() - model->origin_ns : model->virtual_ns;
}

static uint64_t missed_ns(void *state)
{
	return ((const struct model *)state)->setup.pace.slip_ns;
}

static bool take_interrupt(struct model *model)
{
	bool was;

	uv_mutex_lock(&model->lock);
	was = model->interrupted;
	model->interrupted = false;
	uv_mutex_unlock(&model->lock);
	return was;
}

static void run_board(struct model *model, uint64_t to_ns)
{
	pt_vpace_begin(&model->setup.pace);
	pt_vpace_to(&model->setup.pace, to_ns);
}

static uint64_t wall_period_ns(const struct model *model)
{
	return pt_vpace_idle(&model->setup.pace) ? WALL_IDLE_NS : WALL_PERIOD_NS;
}

static void ring(struct model *model)
{
	void (*on_alarm)(void *arg) = model->on_alarm;

	if (on_alarm == NULL || model->virtual_ns < model->alarm_ns)
		return;
	model->on_alarm = NULL;
	on_alarm(model->alarm_arg);
}

/* Let at most one slice of time pass. */
static void pass_slice(struct model *model, uint64_t until_ns)
{
	uint64_t now = now_ns(model);

	if (!model->setup.pace.wall) {
		model->virtual_ns = smaller(until_ns, now + SLICE_NS);
		if (model->on_alarm != NULL)
			model->virtual_ns = smaller(model->virtual_ns, larger(model->alarm_ns, now));
		run_board(model, model->virtual_ns);
		ring(model);
		return;
	}
	run_board(model, now);
	now = now_ns(model);
	uv_mutex_lock(&model->lock);
	if (!model->interrupted && now < until_ns)
		uv_cond_timedwait(&model->woken, &model->lock, smaller(until_ns - now, wall_period_ns(model)));
	uv_mutex_unlock(&model->lock);
}

static int pass_time(struct model *model, uint64_t until_ns, struct pt_err *err)
{
	for (;;) {
		if (take_interrupt(model))
			return pt_fail(err, PT_EINTERRUPTED, "interrupted");
		if (now_ns(model) >= until_ns)
			return 0;
		pass_slice(model, until_ns);
	}
}

static int unplugged(struct pt_err *err)
{
	return pt_fail(err, PT_EIO, "the virtual probe was unplugged");
}

static int wait_until(void *state, uint64_t until_ns, struct pt_err *err)
{
	struct model *model = state;
	int rc = pass_time(model, until_ns, err);

	return rc == 0 && model->gone ? unplugged(err) : rc;
}

/* Called by the probe's firmware for each response. */
static void on_response(void *arg, const uint8_t *bytes, size_t len_bytes, uint64_t done_ns)
{
	struct model *model = arg;
	const struct pt_vlink_kind *kind = model->setup.link;
	struct response *slot = &model->response[(model->head + model->n_responses) % RESPONSES];
	uint64_t cable_ns = pt_vsetup_cable_ns(&model->setup, len_bytes);

	if (model->fault == PT_VFAULT_STALL || model->n_responses == RESPONSES)
		return;
	memcpy(slot->bytes, bytes, len_bytes);
	slot->len_bytes = kind->fixed_packets ? kind->packet_bytes : len_bytes;
	if (slot->len_bytes > len_bytes)
		memset(slot->bytes + len_bytes, 0, slot->len_bytes - len_bytes);
	if (model->fault == PT_VFAULT_SHORT)
		slot->len_bytes = len_bytes / 2;
	if (model->fault == PT_VFAULT_WRONG)
		slot->bytes[0] ^= 0x40;
	if (model->fault == PT_VFAULT_LATE)
		done_ns += PT_VFAULT_LATE_NS;
	model->arrived_ns =
		larger(done_ns + kind->turnaround_ns + cable_ns - kind->packet_ns, model->arrived_ns + cable_ns);
	slot->arrives_ns = model->arrived_ns;
	model->n_responses++;
}

/* Only receive makes room, and the caller is not in there: waiting for room would be in vain. */
static int check_request(struct model *model, size_t len_bytes, struct pt_err *err)
{
	if (model->gone)
		return unplugged(err);
	if (len_bytes == 0 || len_bytes > model->packet_bytes)
		return pt_fail(err, PT_EARG, "packet of %zu bytes on a link for 1 to %zu", len_bytes,
			       model->packet_bytes);
	if (model->n_responses >= model->setup.link->depth)
		return pt_fail(err, PT_ETIMEOUT, "no room for another packet: %zu are outstanding", model->n_responses);
	return 0;
}

static int submit(void *state, const uint8_t *packet, size_t len_bytes, uint64_t deadline_ns, struct pt_err *err)
{
	struct model *model = state;
	int rc = check_request(model, len_bytes, err);

	(void)deadline_ns;
	if (rc < 0)
		return rc;
	model->sent_ns = larger(now_ns(model), model->sent_ns) + pt_vsetup_cable_ns(&model->setup, len_bytes);
	model->fault = pt_vsetup_fault(&model->setup);
	if (model->fault == PT_VFAULT_UNPLUG || model->fault == PT_VFAULT_CUT)
		model->gone = true;	/* with the request on its way: receive will tell */
	else if (model->fault != PT_VFAULT_LOST)
		pt_vsetup_process(&model->setup, packet, len_bytes, model->sent_ns, on_response, model);
	return 0;
}

static int deliver(struct model *model, uint8_t *buf, size_t buf_bytes, struct pt_err *err)
{
	const struct response *oldest = &model->response[model->head];

	model->head = (model->head + 1) % RESPONSES;
	model->n_responses--;
	if (oldest->len_bytes > buf_bytes)
		return pt_fail(err, PT_EPROTO, "response of %zu bytes where %zu fit", oldest->len_bytes, buf_bytes);
	memcpy(buf, oldest->bytes, oldest->len_bytes);
	return (int)oldest->len_bytes;
}

static int receive(void *state, uint8_t *buf, size_t buf_bytes, uint64_t deadline_ns, struct pt_err *err)
{
	struct model *model = state;
	uint64_t arrives_ns = model->n_responses > 0 ? model->response[model->head].arrives_ns : PT_UNKNOWN;
	int rc;

	if (model->gone)
		return unplugged(err);
	rc = pass_time(model, smaller(arrives_ns, deadline_ns), err);
	if (rc < 0)
		return rc;
	if (arrives_ns > now_ns(model))
		return pt_fail(err, PT_ETIMEOUT, "the virtual probe does not answer");
	return deliver(model, buf, buf_bytes, err);
}

static void interrupt(void *state)
{
	struct model *model = state;

	uv_mutex_lock(&model->lock);
	model->interrupted = true;
	uv_cond_signal(&model->woken);
	uv_mutex_unlock(&model->lock);
}

static void set_packet_bytes(void *state, size_t packet_bytes)
{
	struct model *model = state;

	model->packet_bytes = smaller(packet_bytes, model->setup.link->packet_bytes);
}

static int control(void *state, const struct pt_link_control *request, uint8_t *data, size_t len_bytes,
		   uint64_t deadline_ns, struct pt_err *err)
{
	const struct pt_vcontrol wanted = { request->type, request->request, request->value, request->index };
	struct model *model = state;
	uint8_t reply[64];
	bool forgets;
	int n;

	(void)deadline_ns;
	if (model->gone)
		return unplugged(err);
	if (model->setup.engine->control == NULL)
		return pt_fail(err, PT_EUNSUPPORTED, "this virtual probe is no USB device");
	model->sent_ns = larger(now_ns(model), model->sent_ns) + pt_vsetup_cable_ns(&model->setup, 1);
	n = model->setup.engine->control(model->setup.engine_state, &wanted, reply, sizeof(reply), &forgets);
	if (n < 0)
		return pt_fail(err, PT_EPROTO, "the virtual probe refuses a control request");
	n = (int)smaller((uint64_t)n, len_bytes);
	if (n > 0)
		memcpy(data, reply, (size_t)n);
	return n;
}

/* As the host asks for it: once, and then each millisecond. */
static int trace(void *state, uint8_t *buf, size_t len_bytes, unsigned n_ahead, uint64_t deadline_ns,
		 struct pt_err *err)
{
	struct model *model = state;
	const struct pt_vengine_ops *engine = model->setup.engine;

	(void)n_ahead;
	if (engine->trace == NULL || model->setup.link->trace_bytes == 0)
		return pt_fail(err, PT_EUNSUPPORTED, "this virtual probe has no endpoint for trace");
	for (;;) {
		uint64_t at_ns = now_ns(model);
		size_t n = model->gone ? 0 : engine->trace(model->setup.engine_state, buf, len_bytes, at_ns);
		int rc;

		if (model->gone)
			return unplugged(err);
		if (n > 0)
			return (int)n;
		if (at_ns >= deadline_ns)
			return pt_fail(err, PT_ETIMEOUT, "the virtual probe sends no trace");
		rc = pass_time(model, smaller(at_ns + SLICE_NS, deadline_ns), err);
		if (rc < 0)
			return rc;
	}
}

static void forget(void *state)
{
	struct model *model = state;

	model->n_responses = 0;
}

static void info(void *state, struct pt_link_info *out)
{
	struct model *model = state;
	struct pt_vusb usb = { 0 };

	if (model->setup.engine->usb != NULL)
		model->setup.engine->usb(model->setup.engine_state, &usb);
	*out = (struct pt_link_info){
		.transport = "model",
		.serial = "V0001",
		.is_virtual = true,
		.virtual_clock = !model->setup.pace.wall,
		.fixed_packets = model->setup.link->fixed_packets,
		.packet_bytes = model->setup.link->packet_bytes,
		.depth = model->setup.link->depth,
		.trace_bytes = model->setup.engine->trace != NULL ? model->setup.link->trace_bytes : 0,
		.usb_vid = usb.vid,
		.usb_pid = usb.pid,
		.usb_release = usb.release,
	};
	snprintf(out->product, sizeof(out->product), "%s", model->setup.product);
	snprintf(out->where, sizeof(out->where), "%s (virtual)", model->setup.ops->name);
}

/* What a board on the wall's clock has not run is missing wherever it is looked at: figures would blame the chip. */
static void tell_slip(struct model *model)
{
	uint64_t slip_ns = model->setup.pace.slip_ns, open_ns = now_ns(model);

	if (slip_ns * 20 > open_ns && slip_ns > PT_NS_PER_S / 10)
		pt_info("virtual board: this machine was too slow for %.1f s of %.1f s of real time; clock=virtual "
			"needs none",
			(double)slip_ns / 1e9, (double)open_ns / 1e9);
}

static void close_model(void *state)
{
	struct model *model = state;

	tell_slip(model);
	pt_vsetup_close(&model->setup);
	uv_cond_destroy(&model->woken);
	uv_mutex_destroy(&model->lock);
	free(model->response);
	free(model);
}

static const struct pt_link_ops model_link = {
	.name = "model",
	.close = close_model,
	.info = info,
	.submit = submit,
	.receive = receive,
	.now_ns = now_ns,
	.missed_ns = missed_ns,
	.wait = wait_until,
	.interrupt = interrupt,
	.set_packet_bytes = set_packet_bytes,
	.control = control,
	.forget = forget,
	.trace = trace,
};

static struct model *new_model(void)
{
	struct model *model = pt_alloc(sizeof(*model));

	model->response = pt_alloc_array(RESPONSES, sizeof(*model->response));
	if (uv_mutex_init(&model->lock) != 0)
		goto free_responses;
	if (uv_cond_init(&model->woken) != 0)
		goto destroy_lock;
	return model;
destroy_lock:
	uv_mutex_destroy(&model->lock);
free_responses:
	free(model->response);
	free(model);
	return NULL;
}

struct pt_link *pt_model_link_open(const char *name_and_query, struct pt_err *err)
{
	struct model *model = new_model();

	if (model == NULL)
		goto no_memory;
	if (pt_vsetup_open(&model->setup, name_and_query, err) < 0)
		goto close_model;
	model->packet_bytes = model->setup.link->packet_bytes;
	model->origin_ns = uv_hrtime();
	return pt_link_new(&model_link, model);
no_memory:
	pt_fail(err, PT_ENOMEM, "virtual board: no memory");
	return NULL;
close_model:
	close_model(model);
	return NULL;
}

struct pt_vboard *pt_model_link_board(struct pt_link *link, const struct pt_vboard_ops **ops)
{
	struct model *model = pt_link_state(link, &model_link);

	if (model == NULL)
		return NULL;
	*ops = model->setup.ops;
	return model->setup.board;
}

void pt_model_link_at(struct pt_link *link, uint64_t at_ns, void (*fn)(void *arg), void *arg)
{
	struct model *model = pt_link_state(link, &model_link);

	model->alarm_ns = at_ns;
	model->alarm_arg = arg;
	model->on_alarm = fn;
}

uint64_t pt_model_link_slip_ns(struct pt_link *link)
{
	struct model *model = pt_link_state(link, &model_link);

	return model != NULL ? model->setup.pace.slip_ns : 0;
}
