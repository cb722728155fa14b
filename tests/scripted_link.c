#include "scripted_link.h"

#include <string.h>

#include "base/util.h"

static void script_close(void *state)
{
	struct pt_script *script = state;

	script->n_closed++;
}

static void script_info(void *state, struct pt_link_info *out)
{
	*out = ((struct pt_script *)state)->info;
}

static struct pt_script_response *add_response(struct pt_script *script)
{
	return &script->queue[(script->head + script->n_queued++) % PT_SCRIPT_DEPTH];
}

void pt_script_leave(struct pt_script *script, const uint8_t *bytes, size_t len_bytes)
{
	struct pt_script_response *r = add_response(script);

	*r = (struct pt_script_response){ .len_bytes = len_bytes, .index = SIZE_MAX };
	memcpy(r->bytes, bytes, len_bytes);
}

static bool fault_here(const struct pt_script *script, size_t index, enum pt_script_fault fault)
{
	return script->fault == fault && script->fault_at == index;
}

static void spoil(struct pt_script *script, struct pt_script_response *r)
{
	if (fault_here(script, r->index, PT_SCRIPT_SILENT))
		script->n_queued--;
	if (fault_here(script, r->index, PT_SCRIPT_LATE))
		r->ready_ns += script->late_ns;
	if (fault_here(script, r->index, PT_SCRIPT_SHORT) && r->len_bytes <= 1)
		script->fault_done = true;
	if (fault_here(script, r->index, PT_SCRIPT_SHORT))
		r->len_bytes = 1;
	if (fault_here(script, r->index, PT_SCRIPT_EMPTY))
		r->len_bytes = 0;
	if (fault_here(script, r->index, PT_SCRIPT_WRONG))
		r->bytes[0] ^= 0x40;
	if (fault_here(script, r->index, PT_SCRIPT_GARBAGE))
		memset(r->bytes + 1, 0xa5, r->len_bytes > 1 ? r->len_bytes - 1 : 0);
	if (fault_here(script, r->index, PT_SCRIPT_OVERSIZE))
		r->len_bytes = SIZE_MAX;
}

static int script_submit(void *state, const uint8_t *packet, size_t len_bytes, uint64_t deadline_ns, struct pt_err *err)
{
	struct pt_script *script = state;
	struct pt_script_response *r;
	uint64_t took_ns = script->turn_ns;

	(void)deadline_ns;
	if (fault_here(script, script->n_requests, PT_SCRIPT_UNPLUG))
		script->gone = true;
	if (script->gone)
		return pt_fail(err, PT_EIO, "the probe is gone");
	if (script->n_queued == PT_SCRIPT_DEPTH)
		return pt_fail(err, PT_ETIMEOUT, "no room for another request");
	r = add_response(script);
	r->index = script->n_requests++;
	if (script->n_queued > script->most_outstanding)
		script->most_outstanding = script->n_queued;
	if (len_bytes > script->largest_request)
		script->largest_request = len_bytes;
	memset(r->bytes, 0, sizeof(r->bytes));
	r->len_bytes = script->answer(script->arg, packet, len_bytes, r->bytes, &took_ns);
	if (r->len_bytes == PT_SCRIPT_NO_ANSWER) {
		script->n_queued--;
		script->gone |= fault_here(script, r->index, PT_SCRIPT_UNPLUG_IN_FLIGHT);
		script->unanswered |= script->fault_at == r->index;
		return 0;
	}
	script->host_free_ns =
		(script->now_ns > script->host_free_ns ? script->now_ns : script->host_free_ns) + script->packet_ns;
	script->free_ns = (script->host_free_ns > script->free_ns ? script->host_free_ns : script->free_ns) + took_ns;
	r->ready_ns = script->free_ns + script->packet_ns;
	spoil(script, r);
	if (fault_here(script, r->index, PT_SCRIPT_UNPLUG_IN_FLIGHT))
		script->gone = true;
	return 0;
}

static int let_pass(struct pt_script *script, uint64_t until_ns, struct pt_err *err)
{
	if (script->interrupt_at_ns != 0 && script->now_ns < script->interrupt_at_ns &&
	    until_ns >= script->interrupt_at_ns) {
		script->now_ns = script->interrupt_at_ns;
		return pt_fail(err, PT_EINTERRUPTED, "interrupted");
	}
	if (script->now_ns < until_ns)
		script->now_ns = until_ns;
	return 0;
}

static int script_receive(void *state, uint8_t *buf, size_t buf_bytes, uint64_t deadline_ns, struct pt_err *err)
{
	struct pt_script *script = state;
	struct pt_script_response *r = &script->queue[script->head];

	if (script->n_queued > 0 && !script->fault_done && fault_here(script, r->index, PT_SCRIPT_INTERRUPT)) {
		script->fault_done = true;
		script->interrupted = true;
	}
	if (script->interrupted) {
		script->interrupted = false;
		return pt_fail(err, PT_EINTERRUPTED, "interrupted");
	}
	if (script->gone)
		return pt_fail(err, PT_EIO, "the probe is gone");
	if (script->n_queued == 0 || r->ready_ns > deadline_ns)
		return let_pass(script, deadline_ns, err) < 0 ? PT_EINTERRUPTED
							      : pt_fail(err, PT_ETIMEOUT, "no response");
	if (let_pass(script, r->ready_ns, err) < 0)
		return PT_EINTERRUPTED;
	script->head = (script->head + 1) % PT_SCRIPT_DEPTH;
	script->n_queued--;
	if (r->len_bytes > buf_bytes)
		return pt_fail(err, PT_EPROTO, "a response of more than %zu bytes", buf_bytes);
	memcpy(buf, r->bytes, r->len_bytes);
	return (int)r->len_bytes;
}

static uint64_t script_now(void *state)
{
	return ((struct pt_script *)state)->now_ns;
}

static int script_wait(void *state, uint64_t until_ns, struct pt_err *err)
{
	struct pt_script *script = state;

	if (script->interrupted) {
		script->interrupted = false;
		return pt_fail(err, PT_EINTERRUPTED, "interrupted");
	}
	if (script->gone)
		return pt_fail(err, PT_EIO, "the probe is gone");
	return let_pass(script, until_ns, err);
}

static void script_interrupt(void *state)
{
	((struct pt_script *)state)->interrupted = true;
}

static void script_set_packet_bytes(void *state, size_t packet_bytes)
{
	(void)state;
	(void)packet_bytes;
}

static int script_control(void *state, const struct pt_link_control *request, uint8_t *data, size_t len_bytes,
			  uint64_t deadline_ns, struct pt_err *err)
{
	struct pt_script *script = state;
	int n;

	(void)deadline_ns;
	if (script->gone)
		return pt_fail(err, PT_EIO, "the probe is gone");
	n = script->control != NULL ? script->control(script->arg, request, data, len_bytes) : 0;
	return n >= 0 ? n : pt_fail(err, PT_EPROTO, "the probe refuses a control request");
}

static void script_forget(void *state)
{
	((struct pt_script *)state)->n_queued = 0;
}

static int script_reset(void *state, struct pt_err *err)
{
	struct pt_script *script = state;

	if (!script->usb)
		return pt_fail(err, PT_EUNSUPPORTED, "this is no link to a USB device");
	script->n_resets++;
	script->n_queued = 0;
	return 0;
}

static int script_trace(void *state, uint8_t *buf, size_t len_bytes, unsigned n_ahead, uint64_t deadline_ns,
			struct pt_err *err)
{
	struct pt_script *script = state;

	(void)n_ahead;
	for (;;) {
		size_t n = script->trace != NULL && !script->gone
				   ? script->trace(script->arg, buf, len_bytes, script->now_ns)
				   : 0;

		if (script->gone)
			return pt_fail(err, PT_EIO, "the probe is gone");
		if (n > 0 && let_pass(script, script->now_ns + script->packet_ns, err) == 0)
			return (int)n;
		if (n > 0)
			return (int)n;
		if (script->now_ns >= deadline_ns)
			return pt_fail(err, PT_ETIMEOUT, "no trace");
		if (let_pass(script,
			     script->now_ns + script->turn_ns < deadline_ns ? script->now_ns + script->turn_ns
									    : deadline_ns,
			     err) < 0)
			return PT_EINTERRUPTED;
	}
}

static const struct pt_link_ops script_ops = {
	.name = "script",
	.close = script_close,
	.info = script_info,
	.submit = script_submit,
	.receive = script_receive,
	.now_ns = script_now,
	.wait = script_wait,
	.interrupt = script_interrupt,
	.set_packet_bytes = script_set_packet_bytes,
	.control = script_control,
	.forget = script_forget,
	.reset = script_reset,
	.trace = script_trace,
};

struct pt_link *pt_script_link(struct pt_script *script)
{
	return pt_link_new(&script_ops, script);
}
