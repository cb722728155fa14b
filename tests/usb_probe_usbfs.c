/* The kernel's half of the emulated probe: the usbfs ioctls that libusb and hidapi-libusb make, with the kernel's
 * errors. URBs and claims belong to an open file. Called on umockdev's thread; each request is completed once. */
#include <errno.h>
#include <linux/usbdevice_fs.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "usb_probe_parts.h"

struct urb {
	UMockdevIoctlClient *client;
	UMockdevIoctlData *kernel, *buffer;	/* struct usbdevfs_urb in the client, and what it points at */
	size_t filled;		/* of one that more packets will fill */
	uint64_t number;	/* of one that the firmware has; 0: it has not */
	bool done;
};

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

/* Files that were closed: their URBs and claims went with them. umockdev tells only those who ask. */
static void forget_closed_files(struct usb_probe *probe)
{
	for (GList *l = probe->urbs.head, *next; l != NULL; l = next) {
		next = l->next;
		if (umockdev_ioctl_client_get_connected(((struct urb *)l->data)->client))
			continue;
		free_urb(l->data);
		g_queue_delete_link(&probe->urbs, l);
	}
	for (guint i = 0; i < MOST_INTERFACES; i++)
		if (probe->claimed[i] != NULL && !umockdev_ioctl_client_get_connected(probe->claimed[i]))
			g_clear_object(&probe->claimed[i]);
}

static void tell_readiness(struct usb_probe *probe)
{
	bool ready = !probe->plugged;		/* then libusb shall see ENODEV */

	for (GList *l = probe->urbs.head; l != NULL; l = l->next)
		ready = ready || ((struct urb *)l->data)->done;
	usb_node_set_ready(probe, ready);
}

/* --- data from the device to the host */

static GQueue *responses_for(struct usb_probe *probe, unsigned endpoint)
{
	if (endpoint == probe->halted)
		return NULL;
	if (endpoint == usb_kind(probe)->in)
		return &probe->responses[PIPE_BULK];
	if (usb_kind(probe)->trace != 0 && endpoint == usb_kind(probe)->trace)
		return &probe->responses[PIPE_TRACE];
	return endpoint == EP_HID_IN && !usb_is_other(probe) ? &probe->responses[PIPE_HID] : NULL;
}

static void count_in(struct usb_probe *probe, const struct urb *urb, size_t len_bytes)
{
	if (fields((struct urb *)urb)->endpoint == usb_kind(probe)->in)
		usb_count_in(probe, len_bytes);
}

/* As the host's controller takes packets: a short one, or the end of the buffer, completes the URB; what is behind that
 * end goes to the next one, if the end is one of a packet. */
static void fill(struct usb_probe *probe, struct urb *urb, GBytes *response, GQueue *waiting)
{
	size_t room = (size_t)fields(urb)->buffer_length - urb->filled, packet = usb_bulk_bytes(probe);
	gsize len_bytes;
	const guint8 *bytes = g_bytes_get_data(response, &len_bytes);
	size_t n = MIN(room, len_bytes);

	memcpy((guint8 *)urb->buffer->data + urb->filled, bytes, n);
	urb->filled += n;
	if (len_bytes > room && (size_t)fields(urb)->buffer_length % packet != 0) {
		finish(urb, -EOVERFLOW, 0);
	} else if (len_bytes >= room || len_bytes % packet != 0 || !usb_kind(probe)->sized) {
		count_in(probe, urb, urb->filled);
		finish(urb, 0, urb->filled);
		if (len_bytes > room)
			g_queue_push_head(waiting, g_bytes_new(bytes + n, len_bytes - n));
	}
	g_bytes_unref(response);
}

static void give(struct usb_probe *probe, struct urb *urb, GQueue *waiting)
{
	GBytes *response = g_queue_pop_head(waiting);
	gsize len_bytes;
	gconstpointer bytes = g_bytes_get_data(response, &len_bytes);

	if ((usb_kind(probe)->sized || usb_kind(probe)->streams) && urb->buffer != NULL) {
		fill(probe, urb, response, waiting);
		return;
	}
	count_in(probe, urb, len_bytes);
	if (urb->buffer == NULL || len_bytes > (gsize)fields(urb)->buffer_length) {
		finish(urb, -EOVERFLOW, 0);
	} else {
		memcpy(urb->buffer->data, bytes, len_bytes);
		finish(urb, 0, len_bytes);
	}
	g_bytes_unref(response);
}

bool usb_usbfs_wants_trace(struct usb_probe *probe)
{
	if (usb_kind(probe)->trace == 0 || !g_queue_is_empty(&probe->responses[PIPE_TRACE]))
		return false;
	for (GList *l = probe->urbs.head; l != NULL; l = l->next)
		if (!((struct urb *)l->data)->done && fields(l->data)->endpoint == usb_kind(probe)->trace)
			return true;
	return false;
}

void usb_usbfs_deliver(struct usb_probe *probe)
{
	forget_closed_files(probe);
	for (GList *l = probe->urbs.head; l != NULL; l = l->next) {
		struct urb *urb = l->data;
		GQueue *waiting = urb->done ? NULL : responses_for(probe, fields(urb)->endpoint);

		while (waiting != NULL && !urb->done && !g_queue_is_empty(waiting))
			give(probe, urb, waiting);
	}
	tell_readiness(probe);
}

bool usb_usbfs_wants_data(struct usb_probe *probe)
{
	forget_closed_files(probe);
	for (GList *l = probe->urbs.head; l != NULL; l = l->next) {
		struct urb *urb = l->data;

		if (!urb->done && fields(urb)->endpoint == usb_kind(probe)->in &&
		    fields(urb)->endpoint != probe->halted)
			return true;
	}
	return false;
}

void usb_usbfs_forget_all(struct usb_probe *probe)
{
	g_queue_clear_full(&probe->urbs, (GDestroyNotify)free_urb);
	for (guint i = 0; i < MOST_INTERFACES; i++)
		g_clear_object(&probe->claimed[i]);
}

void usb_usbfs_drop_all(struct usb_probe *probe)
{
	for (GList *l = probe->urbs.head; l != NULL; l = l->next)
		if (!((struct urb *)l->data)->done)
			finish(l->data, -ESHUTDOWN, 0);
	tell_readiness(probe);
}

/* --- control transfers */

static bool find_descriptor(struct usb_probe *probe, unsigned type, unsigned index, GByteArray *out)
{
	switch (type) {
	case 1:
		usb_device_descriptor(probe, out);
		return true;
	case 2:
		usb_config_descriptor(probe, out);
		return true;
	case 3:
		return usb_string_descriptor(probe, index, out);
	case 0x22:
		usb_report_descriptor(out);
		return true;
	default:
		return false;
	}
}

enum { GET_DESCRIPTOR = 6, SET_REPORT = 0x09, SET_IDLE = 0x0a, SETUP_BYTES = 8, TYPE_MASK = 0x60, TYPE_VENDOR = 0x40 };

void usb_usbfs_control_done(struct usb_probe *probe, uint64_t number, const uint8_t *data, int n)
{
	for (GList *l = probe->urbs.head; l != NULL; l = l->next) {
		struct urb *urb = l->data;
		size_t room;

		if (urb->done || urb->number != number)
			continue;
		room = (size_t)fields(urb)->buffer_length - SETUP_BYTES;
		if (n > 0)
			memcpy((guint8 *)urb->buffer->data + SETUP_BYTES, data, MIN((size_t)n, room));
		finish(urb, n < 0 ? -EPIPE : 0, n < 0 ? 0 : MIN((size_t)n, room));
	}
	tell_readiness(probe);
}

static void control(struct usb_probe *probe, struct urb *urb)
{
	guint8 *setup = urb->buffer->data;
	size_t room = (size_t)fields(urb)->buffer_length - SETUP_BYTES;
	size_t asked = MIN(room, setup[6] | (size_t)setup[7] << 8);
	g_autoptr(GByteArray) out = g_byte_array_new();

	if ((setup[0] == 0x80 || setup[0] == 0x81) && setup[1] == GET_DESCRIPTOR &&
	    find_descriptor(probe, setup[3], setup[2], out)) {
		asked = MIN(asked, out->len);
		memcpy(setup + SETUP_BYTES, out->data, asked);
		finish(urb, 0, asked);
	} else if (setup[0] == 0x21 && setup[1] == SET_REPORT) {
		usb_firmware_request(probe, PIPE_HID, setup + SETUP_BYTES, asked);
		finish(urb, 0, asked);
	} else if (setup[0] == 0x21 && setup[1] == SET_IDLE) {
		finish(urb, 0, 0);
	} else if ((setup[0] & TYPE_MASK) == TYPE_VENDOR && probe->config.answer == NULL &&
		   probe->rig.engine->control != NULL) {
		urb->number = ++probe->controls;
		usb_firmware_control(probe, setup, urb->number);
	} else {
		finish(urb, -EPIPE, 0);		/* stall: the device does not know it */
	}
}

/* --- ioctls: 0, or an errno */

static bool endpoint_exists(const struct usb_probe *probe, unsigned endpoint)
{
	const struct usb_kind *kind = usb_kind(probe);

	for (unsigned i = 1; i < kind->n_interfaces; i++)
		if (endpoint == kind->out + 2 * i || endpoint == kind->in + 2 * i)
			return true;
	return endpoint == kind->out || endpoint == kind->in || (kind->trace != 0 && endpoint == kind->trace) ||
	       (!usb_is_other(probe) && (endpoint == EP_HID_OUT || endpoint == EP_HID_IN));
}

static void start(struct usb_probe *probe, struct urb *urb)
{
	struct usbdevfs_urb *kernel = fields(urb);

	if (kernel->type == USBDEVFS_URB_TYPE_CONTROL)
		control(probe, urb);
	else if (kernel->endpoint == probe->halted)
		finish(urb, -EPIPE, 0);
	else if (kernel->endpoint == usb_kind(probe)->out || kernel->endpoint == EP_HID_OUT) {
		bool bulk = kernel->endpoint == usb_kind(probe)->out;

		if (bulk)
			usb_count_out(probe, (size_t)kernel->buffer_length);
		usb_firmware_request(probe, bulk ? PIPE_BULK : PIPE_HID, urb->buffer != NULL ? urb->buffer->data : NULL,
				     (size_t)kernel->buffer_length);
		finish(urb, 0, (size_t)kernel->buffer_length);
	} else if ((kernel->endpoint & 0x80) == 0) {	/* the serial port beside the probe */
		finish(urb, 0, (size_t)kernel->buffer_length);
	}
}

static int submit(struct usb_probe *probe, UMockdevIoctlClient *client, UMockdevIoctlData *data)
{
	struct usbdevfs_urb *kernel = (struct usbdevfs_urb *)data->data;
	struct urb *urb;

	if (!probe->plugged)
		return ENODEV;
	if (kernel->type == USBDEVFS_URB_TYPE_CONTROL && kernel->buffer_length < SETUP_BYTES)
		return EINVAL;
	if (kernel->type != USBDEVFS_URB_TYPE_CONTROL && !endpoint_exists(probe, kernel->endpoint))
		return ENOENT;
	urb = g_new0(struct urb, 1);
	urb->client = g_object_ref(client);
	urb->kernel = g_object_ref(data);
	if (kernel->buffer_length > 0)
		urb->buffer = umockdev_ioctl_data_resolve(data, G_STRUCT_OFFSET(struct usbdevfs_urb, buffer),
							  (gsize)kernel->buffer_length, NULL);
	g_queue_push_tail(&probe->urbs, urb);
	start(probe, urb);
	if (usb_usbfs_wants_trace(probe))
		g_cond_signal(&probe->work);
	usb_usbfs_deliver(probe);
	return 0;
}

static int discard(struct usb_probe *probe, UMockdevIoctlClient *client, gulong address)
{
	for (GList *l = probe->urbs.head; l != NULL; l = l->next) {
		struct urb *urb = l->data;

		if (urb->client == client && urb->kernel->client_addr == address && !urb->done) {
			finish(urb, -ENOENT, urb->filled);
			tell_readiness(probe);
			return 0;
		}
	}
	return EINVAL;
}

static int reap(struct usb_probe *probe, UMockdevIoctlClient *client, UMockdevIoctlData *data)
{
	for (GList *l = probe->urbs.head; l != NULL; l = l->next) {
		struct urb *urb = l->data;

		if (urb->client != client || !urb->done)
			continue;
		umockdev_ioctl_data_set_ptr(data, 0, urb->kernel);
		g_queue_delete_link(&probe->urbs, l);
		free_urb(urb);
		tell_readiness(probe);
		return 0;
	}
	return probe->plugged ? EAGAIN : ENODEV;
}

/* Files of this device that are open: connections to us whose other end is there. */
static unsigned n_open_files(void)
{
	enum { MOST_FDS = 1024 };
	unsigned n = 0;

	for (int fd = 0; fd < MOST_FDS; fd++) {
		struct sockaddr_un at = { .sun_family = AF_UNSPEC }, peer;
		socklen_t len = sizeof(at), peer_len = sizeof(peer);
		struct pollfd of = { fd, 0, 0 };

		n += getsockname(fd, (struct sockaddr *)&at, &len) == 0 && at.sun_family == AF_UNIX &&
		     strstr(at.sun_path, "/ioctl/dev/bus/usb/") != NULL &&
		     getpeername(fd, (struct sockaddr *)&peer, &peer_len) == 0 &&	/* it does not listen */
		     poll(&of, 1, 0) == 0;
	}
	return n;
}

static void forget_urbs(struct usb_probe *probe, const UMockdevIoctlClient *but_of)
{
	for (GList *l = probe->urbs.head, *next; l != NULL; l = next) {
		next = l->next;
		if (((struct urb *)l->data)->client == but_of)
			continue;
		free_urb(l->data);
		g_queue_delete_link(&probe->urbs, l);
	}
}

/* A kernel takes a claim back when its file is closed. umockdev never hears of the end of a process that is killed while a request
 * of its is answered: so where there is but one open file, which asks, another's claim is of a file that is closed. */
static int claim(struct usb_probe *probe, UMockdevIoctlClient *client, guint interface)
{
	if (!probe->plugged)
		return ENODEV;
	if (interface >= usb_n_interfaces(probe))
		return ENOENT;
	if (probe->claimed[interface] != NULL && probe->claimed[interface] != client) {
		if (n_open_files() > 1)
			return EBUSY;
		forget_urbs(probe, client);
	}
	g_set_object(&probe->claimed[interface], client);
	return 0;
}

static int release(struct usb_probe *probe, UMockdevIoctlClient *client, guint interface)
{
	if (interface >= MOST_INTERFACES || probe->claimed[interface] != client)
		return EINVAL;
	g_clear_object(&probe->claimed[interface]);
	return 0;
}

static int clear_halt(struct usb_probe *probe, guint endpoint)
{
	if (!probe->plugged)
		return ENODEV;
	if (endpoint == probe->halted)
		probe->halted = 0;
	usb_usbfs_deliver(probe);
	return 0;
}

/* The URB that waits for the endpoint sees the stall; those behind it wait for the halt to be cleared. */
void usb_probe_halt(struct usb_probe *probe, unsigned endpoint)
{
	g_mutex_lock(&probe->lock);
	probe->halted = endpoint;
	for (GList *l = probe->urbs.head; l != NULL; l = l->next) {
		struct urb *urb = l->data;

		if (urb->done || fields(urb)->endpoint != endpoint)
			continue;
		finish(urb, -EPIPE, 0);
		break;
	}
	tell_readiness(probe);
	g_mutex_unlock(&probe->lock);
}

static int perform(struct usb_probe *probe, UMockdevIoctlClient *client, gulong request, UMockdevIoctlData *arg)
{
	gsize size = _IOC_SIZE(request);
	UMockdevIoctlData *data = size > 0 ? umockdev_ioctl_data_resolve(arg, 0, size, NULL) : NULL;

	if (size > 0 && data == NULL)	/* the process has ended meanwhile */
		return EFAULT;
	switch (request) {
	case USBDEVFS_GET_CAPABILITIES:
		*(guint32 *)data->data =
			USBDEVFS_CAP_ZERO_PACKET | USBDEVFS_CAP_NO_PACKET_SIZE_LIM | USBDEVFS_CAP_REAP_AFTER_DISCONNECT;
		return 0;
	case USBDEVFS_CLAIMINTERFACE:
		return claim(probe, client, *(guint *)data->data);
	case USBDEVFS_RELEASEINTERFACE:
		return release(probe, client, *(guint *)data->data);
	case USBDEVFS_DISCONNECT_CLAIM:
		return claim(probe, client, ((struct usbdevfs_disconnect_claim *)data->data)->interface);
	case USBDEVFS_GETDRIVER:
	case USBDEVFS_IOCTL:		/* detach or attach a kernel driver: there is none */
		return ENODATA;
	case USBDEVFS_SETCONFIGURATION:
	case USBDEVFS_SETINTERFACE:
	case USBDEVFS_RESET:
		return probe->plugged ? 0 : ENODEV;
	case USBDEVFS_CLEAR_HALT:
		return clear_halt(probe, *(guint *)data->data);
	case USBDEVFS_SUBMITURB:
		return submit(probe, client, data);
	case USBDEVFS_DISCARDURB:
		return discard(probe, client, *(gulong *)arg->data);
	case USBDEVFS_REAPURB:
	case USBDEVFS_REAPURBNDELAY:
		return reap(probe, client, data);
	default:
		return ENOTTY;
	}
}

static gboolean on_ioctl(UMockdevIoctlBase *self, UMockdevIoctlClient *client)
{
	struct usb_probe *probe = g_object_get_data(G_OBJECT(self), "probe");
	int error;

	g_mutex_lock(&probe->lock);
	forget_closed_files(probe);
	error = perform(probe, client, umockdev_ioctl_client_get_request(client),
			umockdev_ioctl_client_get_arg(client));
	g_mutex_unlock(&probe->lock);
	umockdev_ioctl_client_complete(client, error == 0 ? 0 : -1, error);
	return TRUE;
}

typedef struct { UMockdevIoctlBase parent; } PtUsbfs;		/* GObject wants typedefs */
typedef struct { UMockdevIoctlBaseClass parent; } PtUsbfsClass;
static GType pt_usbfs_get_type(void);
G_DEFINE_TYPE(PtUsbfs, pt_usbfs, UMOCKDEV_TYPE_IOCTL_BASE)

static void pt_usbfs_init(PtUsbfs *self)
{
	(void)self;
}

static void pt_usbfs_class_init(PtUsbfsClass *class)
{
	class->parent.handle_ioctl = on_ioctl;
}

UMockdevIoctlBase *usb_usbfs_new(struct usb_probe *probe)
{
	UMockdevIoctlBase *usbfs = g_object_new(pt_usbfs_get_type(), NULL);

	g_object_set_data(G_OBJECT(usbfs), "probe", probe);
	return usbfs;
}
