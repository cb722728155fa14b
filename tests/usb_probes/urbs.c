/* URBs and packets. Data to the host are packets: a URB takes one after the other and ends when its buffer is full or a
 * packet is short, and a packet that does not fit is an overflow. */
#include <errno.h>
#include <linux/usbdevice_fs.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "device.h"
#include "faults.h"
#include "usbfs.h"

enum { N_ENDPOINTS = 16, TO_HOST = 0x80, SETUP_BYTES = 8, PACKET_MAX = 512 };

struct urb {
	UMockdevIoctlClient *client;
	UMockdevIoctlData *kernel, *buffer;	/* struct usbdevfs_urb in the client, and what it points at */
	size_t filled_bytes;
	bool held;				/* its data are complete, and come late */
	bool done;
};

static GQueue urbs = G_QUEUE_INIT;		/* struct urb, as they were submitted */
static GQueue packets[N_ENDPOINTS];		/* GBytes on their way to the host */
static bool plugged, mute, hung;
static unsigned halted;				/* the endpoint that stalls, or 0 */
static int64_t silent_until_us, last_packet_us;

/* --- what the device says */

static void queue_packet(unsigned endpoint, const uint8_t *bytes, size_t len_bytes)
{
	g_queue_push_tail(&packets[endpoint % N_ENDPOINTS], g_bytes_new(bytes, len_bytes));
}

void device_reply(unsigned endpoint, const void *bytes, size_t len_bytes, bool closed)
{
	const uint8_t *from = bytes;
	size_t packet_bytes = device_packet_bytes(), left = len_bytes;

	for (; left > packet_bytes; from += packet_bytes, left -= packet_bytes)
		queue_packet(endpoint, from, packet_bytes);
	queue_packet(endpoint, from, left);
	if (left == packet_bytes && closed)
		queue_packet(endpoint, from, 0);
}

void device_hang(void)
{
	mute = true;
}

void device_violation(const char *format, ...)
{
	va_list arguments;

	count_violation();
	fprintf(stderr, "%s: ", device->name);
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
}

static void drop_packets(void)
{
	for (unsigned i = 0; i < N_ENDPOINTS; i++)
		g_queue_clear_full(&packets[i], (GDestroyNotify)g_bytes_unref);
}

/* --- URBs */

static struct usbdevfs_urb *fields(struct urb *urb)
{
	return (struct usbdevfs_urb *)urb->kernel->data;
}

static void finish(struct urb *urb, int status, size_t len_bytes)
{
	fields(urb)->status = status;
	fields(urb)->actual_length = (int)len_bytes;
	urb->done = true;
}

static void free_urb(struct urb *urb)
{
	g_clear_object(&urb->buffer);
	g_object_unref(urb->kernel);
	g_object_unref(urb->client);
	g_free(urb);
}

static void show_readiness(void)
{
	bool ready = !plugged;		/* then libusb shall see ENODEV */

	for (GList *l = urbs.head; l != NULL; l = l->next)
		ready = ready || ((struct urb *)l->data)->done;
	testbed_set_ready(ready);
}

/* The next packet for an endpoint into packet[]; -1: none yet. */
static int take_packet(unsigned endpoint, uint8_t *packet)
{
	GBytes *first;
	gsize len_bytes;
	gconstpointer bytes;

	first = g_queue_pop_head(&packets[endpoint % N_ENDPOINTS]);
	if (first == NULL && device->stream != NULL)
		return device->stream(endpoint, packet, (uint64_t)(g_get_monotonic_time() - last_packet_us) / 1000);
	if (first == NULL)
		return -1;
	bytes = g_bytes_get_data(first, &len_bytes);
	memcpy(packet, bytes, len_bytes);
	g_bytes_unref(first);
	return (int)len_bytes;
}

static bool is_idle_packet(size_t len_bytes)
{
	return device->stream != NULL && len_bytes <= 2;
}

static void unplug(void)
{
	usbfs_set_plugged(false);
	testbed_replug();
}

static void be_late(void)
{
	silent_until_us = g_get_monotonic_time() + 1000 * (int64_t)faults_value();
}

static void spoil_byte(struct urb *urb, size_t len_bytes)
{
	if (len_bytes > 0)
		urb->buffer->data[len_bytes - 1 - faults_value() % len_bytes] ^= 0x5a;
}

/* In front of what is on its way already. */
static void repeat(struct urb *urb, size_t len_bytes)
{
	size_t packet_bytes = device_packet_bytes(), rest = len_bytes % packet_bytes;

	for (size_t end = len_bytes; end > 0; end -= rest, rest = packet_bytes) {
		rest = rest == 0 ? packet_bytes : rest;
		g_queue_push_head(&packets[fields(urb)->endpoint % N_ENDPOINTS],
				  g_bytes_new(urb->buffer->data + end - rest, rest));
	}
}

static void pass_to_host(struct urb *urb, size_t len_bytes)
{
	count_transfer(fields(urb)->endpoint, len_bytes);
	finish(urb, 0, len_bytes);
}

/* The data of a URB are complete, unless something goes wrong with them. */
static void finish_in(struct urb *urb)
{
	size_t len_bytes = urb->filled_bytes;

	if (is_idle_packet(len_bytes)) {
		count_idle();
		finish(urb, 0, len_bytes);
		return;
	}
	switch (faults_at_transfer(true)) {
	case FAULT_UNPLUG:
		unplug();
		return;
	case FAULT_STALL:
		halted = fields(urb)->endpoint;
		finish(urb, -EPIPE, 0);
		return;
	case FAULT_MUTE:
		mute = true;
		urb->filled_bytes = 0;
		return;
	case FAULT_HUNG:
		hung = true;
		urb->filled_bytes = 0;
		return;
	case FAULT_SHORT:
		len_bytes /= 2;
		break;
	case FAULT_WRONG:
		spoil_byte(urb, len_bytes);
		break;
	case FAULT_TWICE:
		repeat(urb, len_bytes);
		break;
	case FAULT_LATE:
		be_late();
		urb->held = true;
		return;
	default:
		break;
	}
	pass_to_host(urb, len_bytes);
}

/* Packets into a URB until it ends or none is there. */
static void fill(struct urb *urb)
{
	size_t capacity = (size_t)fields(urb)->buffer_length;
	uint8_t packet[PACKET_MAX];
	int len_bytes;

	while (!urb->done && (len_bytes = take_packet(fields(urb)->endpoint, packet)) >= 0) {
		last_packet_us = g_get_monotonic_time();
		if ((size_t)len_bytes > capacity - urb->filled_bytes) {
			device_violation("a packet of %d bytes on %02x, and %zu of %zu are left: overflow", len_bytes,
					 fields(urb)->endpoint, capacity - urb->filled_bytes, capacity);
			finish(urb, -EOVERFLOW, 0);
			return;
		}
		memcpy(urb->buffer->data + urb->filled_bytes, packet, (size_t)len_bytes);
		urb->filled_bytes += (size_t)len_bytes;
		if ((size_t)len_bytes < device_packet_bytes() || urb->filled_bytes == capacity) {
			finish_in(urb);
			if (!urb->done)
				return;		/* held back */
		}
	}
}

static void send_out(struct urb *urb)
{
	unsigned endpoint = fields(urb)->endpoint;
	size_t len_bytes = (size_t)fields(urb)->buffer_length;

	if (endpoint == halted) {
		finish(urb, -EPIPE, 0);
		return;
	}
	switch (faults_at_transfer(false)) {
	case FAULT_UNPLUG:
		unplug();
		return;
	case FAULT_STALL:
		halted = endpoint;
		finish(urb, -EPIPE, 0);
		return;
	case FAULT_MUTE:
		mute = true;
		break;
	case FAULT_HUNG:
		hung = true;
		break;
	case FAULT_LATE:
		be_late();
		break;
	default:
		break;
	}
	count_transfer(endpoint, len_bytes);
	if (!mute && !hung && urb->buffer != NULL)
		device->out(endpoint, urb->buffer->data, len_bytes);
	finish(urb, 0, len_bytes);
}

static void serve_in(struct urb *urb)
{
	if (mute || hung || g_get_monotonic_time() < silent_until_us || fields(urb)->endpoint == halted)
		return;
	if (urb->held)
		pass_to_host(urb, urb->filled_bytes);
	else
		fill(urb);
}

/* Until nothing moves any more: what the host takes may make room for what it sends, and the other way round. */
static void deliver(void)
{
	for (bool moved = true; moved && plugged;) {
		moved = false;
		for (GList *l = urbs.head; l != NULL && plugged; l = l->next) {
			struct urb *urb = l->data;

			if (urb->done || fields(urb)->type == USBDEVFS_URB_TYPE_CONTROL)
				continue;
			if ((fields(urb)->endpoint & TO_HOST) != 0)
				serve_in(urb);
			else if (mute || hung || device->accepts == NULL || device->accepts(fields(urb)->endpoint))
				send_out(urb);
			moved = moved || urb->done;
		}
	}
	show_readiness();
}

void usbfs_on_time(void)
{
	if (device->latency_ms > 0 || silent_until_us > 0)
		deliver();
}

void usbfs_set_plugged(bool now)
{
	plugged = now;
	drop_packets();
	mute = hung = false;
	halted = 0;
	silent_until_us = 0;
	for (GList *l = urbs.head; l != NULL; l = l->next)
		if (!((struct urb *)l->data)->done)
			finish(l->data, -ESHUTDOWN, 0);
	if (now)
		device->power_on();
	show_readiness();
}

/* Files that were closed: their URBs went with them. umockdev tells only those who ask. */
void urbs_forget_closed(void)
{
	for (GList *l = urbs.head, *next; l != NULL; l = next) {
		next = l->next;
		if (umockdev_ioctl_client_get_connected(((struct urb *)l->data)->client))
			continue;
		free_urb(l->data);
		g_queue_delete_link(&urbs, l);
	}
}

void urbs_begin_session(void)
{
	mute = false;
	halted = 0;
	silent_until_us = 0;
	drop_packets();
	faults_forget();
}

void urbs_reset(void)
{
	hung = false;
	drop_packets();
}

bool urbs_plugged(void)
{
	return plugged;
}

void urbs_clear_halt(unsigned endpoint)
{
	if (endpoint == halted)
		halted = 0;
	deliver();
}

/* --- what the host does with them: 0, or an errno */

static void control(struct urb *urb)
{
	size_t capacity = (size_t)fields(urb)->buffer_length - SETUP_BYTES;
	int n = control_transfer(urb->buffer->data, capacity);

	if (n >= 0)
		count_transfer(urb->buffer->data[0] & TO_HOST, (size_t)n);
	finish(urb, n < 0 ? -EPIPE : 0, n < 0 ? 0 : (size_t)n);
}

int urbs_submit(UMockdevIoctlClient *client, UMockdevIoctlData *data)
{
	struct usbdevfs_urb *kernel = (struct usbdevfs_urb *)data->data;
	struct urb *urb;

	if (!plugged)
		return ENODEV;
	if (kernel->type == USBDEVFS_URB_TYPE_CONTROL && kernel->buffer_length < SETUP_BYTES)
		return EINVAL;
	urb = g_new0(struct urb, 1);
	urb->client = g_object_ref(client);
	urb->kernel = g_object_ref(data);
	if (kernel->buffer_length > 0)
		urb->buffer = umockdev_ioctl_data_resolve(data, G_STRUCT_OFFSET(struct usbdevfs_urb, buffer),
							  (gsize)kernel->buffer_length, NULL);
	g_queue_push_tail(&urbs, urb);
	last_packet_us = MAX(last_packet_us, g_get_monotonic_time());
	if (kernel->type == USBDEVFS_URB_TYPE_CONTROL)
		control(urb);
	deliver();
	return 0;
}

int urbs_discard(UMockdevIoctlClient *client, gulong address)
{
	for (GList *l = urbs.head; l != NULL; l = l->next) {
		struct urb *urb = l->data;

		if (urb->client != client || urb->kernel->client_addr != address || urb->done)
			continue;
		finish(urb, -ENOENT, urb->filled_bytes);
		show_readiness();
		return 0;
	}
	return EINVAL;
}

int urbs_reap(UMockdevIoctlClient *client, UMockdevIoctlData *data)
{
	for (GList *l = urbs.head; l != NULL; l = l->next) {
		struct urb *urb = l->data;

		if (urb->client != client || !urb->done)
			continue;
		umockdev_ioctl_data_set_ptr(data, 0, urb->kernel);
		g_queue_delete_link(&urbs, l);
		free_urb(urb);
		show_readiness();
		return 0;
	}
	return plugged ? EAGAIN : ENODEV;
}
