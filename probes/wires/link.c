/* The common part of links: passes calls to the driver and counts the traffic, in the same way for every kind of
 * link. */
#include "probes/wires/link.h"

#include <stdlib.h>
#include <uv.h>

#include "base/alloc.h"

struct pt_link {
	const struct pt_link_ops *ops;
	void *state;
	uv_mutex_t lock;		/* shields, kept */
	unsigned shields;
	bool kept;			/* an interrupt is kept until the last shield ends */
	struct pt_link_traffic traffic;	/* busy_ns without the current busy time */
	uint64_t outstanding, busy_since_ns;
};

struct pt_link *pt_link_new(const struct pt_link_ops *ops, void *state)
{
	struct pt_link *link = pt_alloc(sizeof(*link));

	if (uv_mutex_init(&link->lock) != 0)
		pt_out_of_memory(1, sizeof(link->lock));
	link->ops = ops;
	link->state = state;
	return link;
}

void *pt_link_state(struct pt_link *link, const struct pt_link_ops *ops)
{
	return link->ops == ops ? link->state : NULL;
}

void pt_link_close(struct pt_link *link)
{
	if (link == NULL)
		return;
	link->ops->close(link->state);
	uv_mutex_destroy(&link->lock);
	free(link);
}

void pt_link_info(struct pt_link *link, struct pt_link_info *out)
{
	*out = (struct pt_link_info){ 0 };
	link->ops->info(link->state, out);
}

static void count_request(struct pt_link *link, size_t len_bytes, uint64_t began_ns)
{
	if (link->outstanding++ == 0)
		link->busy_since_ns = began_ns;
	link->traffic.packets++;
	link->traffic.bytes_out += len_bytes;
}

int pt_link_submit(struct pt_link *link, const uint8_t *packet, size_t len_bytes, uint64_t deadline_ns,
		   struct pt_err *err)
{
	uint64_t began_ns = link->ops->now_ns(link->state);
	int rc = link->ops->submit(link->state, packet, len_bytes, deadline_ns, err);

	if (rc == 0)
		count_request(link, len_bytes, began_ns);
	return rc;
}

int pt_link_submit_part(struct pt_link *link, const uint8_t *packet, size_t len_bytes, uint64_t deadline_ns,
			struct pt_err *err)
{
	int rc = link->ops->submit(link->state, packet, len_bytes, deadline_ns, err);

	if (rc == 0) {
		link->traffic.packets++;
		link->traffic.bytes_out += len_bytes;
	}
	return rc;
}

int pt_link_control(struct pt_link *link, const struct pt_link_control *request, uint8_t *data, size_t len_bytes,
		    uint64_t deadline_ns, struct pt_err *err)
{
	if (link->ops->control == NULL)
		return pt_fail(err, PT_EUNSUPPORTED, "this is no link to a USB device");
	return link->ops->control(link->state, request, data, len_bytes, deadline_ns, err);
}

static void forget_outstanding(struct pt_link *link)
{
	if (link->outstanding > 0)
		link->traffic.busy_ns += link->ops->now_ns(link->state) - link->busy_since_ns;
	link->outstanding = 0;
}

void pt_link_forget(struct pt_link *link)
{
	link->ops->forget(link->state);
	forget_outstanding(link);
}

int pt_link_reset(struct pt_link *link, struct pt_err *err)
{
	int rc;

	if (link->ops->reset == NULL)
		return pt_fail(err, PT_EUNSUPPORTED, "this is no link to a USB device");
	rc = link->ops->reset(link->state, err);
	forget_outstanding(link);
	return rc;
}

/* A response without a request (left from before the link was opened) is not a round trip. */
static void count_response(struct pt_link *link, size_t len_bytes)
{
	link->traffic.bytes_in += len_bytes;
	if (link->outstanding == 0 || --link->outstanding > 0)
		return;
	link->traffic.round_trips++;
	link->traffic.busy_ns += link->ops->now_ns(link->state) - link->busy_since_ns;
}

/* Keeps an interrupt from before the shield: at most one, so that no call is repeated twice. */
static bool keep_interrupt(struct pt_link *link)
{
	bool keep;

	uv_mutex_lock(&link->lock);
	keep = link->shields > 0;
	link->kept |= keep;
	uv_mutex_unlock(&link->lock);
	return keep;
}

int pt_link_receive(struct pt_link *link, uint8_t *buf, size_t buf_bytes, uint64_t deadline_ns, struct pt_err *err)
{
	int n;

	do
		n = link->ops->receive(link->state, buf, buf_bytes, deadline_ns, err);
	while (n == PT_EINTERRUPTED && keep_interrupt(link));
	if (n >= 0 || n == PT_EPROTO)	/* an oversize response is consumed too */
		count_response(link, n >= 0 ? (size_t)n : 0);
	return n;
}

int pt_link_trace(struct pt_link *link, uint8_t *buf, size_t len_bytes, unsigned n_ahead, uint64_t deadline_ns,
		  struct pt_err *err)
{
	int n;

	if (link->ops->trace == NULL)
		return pt_fail(err, PT_EUNSUPPORTED, "this link has no endpoint for trace");
	do
		n = link->ops->trace(link->state, buf, len_bytes, n_ahead, deadline_ns, err);
	while (n == PT_EINTERRUPTED && keep_interrupt(link));
	link->traffic.bytes_in += n > 0 ? (uint64_t)n : 0;
	return n;
}

void pt_link_end_trace(struct pt_link *link)
{
	if (link->ops->end_trace != NULL)
		link->ops->end_trace(link->state);
}

uint64_t pt_link_now_ns(struct pt_link *link)
{
	return link->ops->now_ns(link->state);
}

uint64_t pt_link_missed_ns(struct pt_link *link)
{
	return link->ops->missed_ns != NULL ? link->ops->missed_ns(link->state) : 0;
}

int pt_link_wait(struct pt_link *link, uint64_t until_ns, struct pt_err *err)
{
	int rc;

	do
		rc = link->ops->wait(link->state, until_ns, err);
	while (rc == PT_EINTERRUPTED && keep_interrupt(link));
	return rc;
}

void pt_link_interrupt(struct pt_link *link)
{
	uv_mutex_lock(&link->lock);
	if (link->shields > 0)
		link->kept = true;
	else
		link->ops->interrupt(link->state);
	uv_mutex_unlock(&link->lock);
}

void pt_link_shield(struct pt_link *link)
{
	uv_mutex_lock(&link->lock);
	link->shields++;
	uv_mutex_unlock(&link->lock);
}

void pt_link_unshield(struct pt_link *link)
{
	uv_mutex_lock(&link->lock);
	if (--link->shields == 0 && link->kept) {
		link->kept = false;
		link->ops->interrupt(link->state);
	}
	uv_mutex_unlock(&link->lock);
}

void pt_link_set_packet_bytes(struct pt_link *link, size_t packet_bytes)
{
	link->ops->set_packet_bytes(link->state, packet_bytes);
}

void pt_link_traffic(struct pt_link *link, struct pt_link_traffic *out)
{
	*out = link->traffic;
	if (link->outstanding > 0)
		out->busy_ns += link->ops->now_ns(link->state) - link->busy_since_ns;
}
