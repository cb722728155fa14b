/* The kernel's HID half of the emulated probe: /dev/hidrawN, where a write is an output report behind its number and a
 * read takes the next input report. The FIFO under the node holds a byte for each report, so that poll() is right. */
#include <errno.h>
#include <linux/hidraw.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "usb_probe_parts.h"

enum { BUS_USB = 3, MARKS = 256 };

/* Marks that the reader has not taken yet are in the FIFO; make them as many as there are reports. */
void usb_hidraw_deliver(struct usb_probe *probe)
{
	guint reports = g_queue_get_length(&probe->responses[PIPE_HIDRAW]);
	guint8 marks[MARKS];

	if (probe->hid_fd < 0)
		return;
	while (read(probe->hid_fd, marks, sizeof(marks)) > 0)
		continue;
	memset(marks, 'r', sizeof(marks));
	if (!probe->plugged)			/* so that a reader comes and learns it */
		reports = 1;
	reports = MIN(reports, sizeof(marks));
	if (reports > 0 && write(probe->hid_fd, marks, reports) < 0)
		g_warning("hidraw: %s", g_strerror(errno));
}

static void report_descriptor(struct hidraw_report_descriptor *out)
{
	g_autoptr(GByteArray) bytes = g_byte_array_new();

	usb_report_descriptor(bytes);
	memcpy(out->value, bytes->data, MIN(out->size, bytes->len));
}

static int descriptor_bytes(void)
{
	g_autoptr(GByteArray) bytes = g_byte_array_new();

	usb_report_descriptor(bytes);
	return (int)bytes->len;
}

static gboolean on_ioctl(UMockdevIoctlBase *self, UMockdevIoctlClient *client)
{
	gulong request = umockdev_ioctl_client_get_request(client);
	UMockdevIoctlData *arg = umockdev_ioctl_client_get_arg(client), *data;
	const struct hidraw_devinfo who = { BUS_USB, USB_PROBE_VENDOR, USB_PROBE_PRODUCT };
	int error = 0;

	(void)self;
	data = umockdev_ioctl_data_resolve(arg, 0, _IOC_SIZE(request), NULL);
	if (request == HIDIOCGRDESCSIZE)
		*(int *)data->data = descriptor_bytes();
	else if (request == HIDIOCGRDESC)
		report_descriptor((struct hidraw_report_descriptor *)data->data);
	else if (request == HIDIOCGRAWINFO)
		*(struct hidraw_devinfo *)data->data = who;
	else
		error = EINVAL;
	umockdev_ioctl_client_complete(client, error == 0 ? 0 : -1, error);
	return TRUE;
}

static gboolean on_write(UMockdevIoctlBase *self, UMockdevIoctlClient *client)
{
	struct usb_probe *probe = g_object_get_data(G_OBJECT(self), "probe");
	UMockdevIoctlData *arg = umockdev_ioctl_client_get_arg(client);
	bool plugged;

	g_mutex_lock(&probe->lock);
	plugged = probe->plugged;
	if (plugged && arg->data_len > 1) {	/* the first byte is the report number */
		usb_count_out(probe, (size_t)arg->data_len - 1);
		usb_firmware_request(probe, PIPE_HIDRAW, arg->data + 1, (size_t)arg->data_len - 1);
	}
	g_mutex_unlock(&probe->lock);
	umockdev_ioctl_client_complete(client, plugged ? arg->data_len : -1, plugged ? 0 : ENODEV);
	return TRUE;
}

static gboolean on_read(UMockdevIoctlBase *self, UMockdevIoctlClient *client)
{
	struct usb_probe *probe = g_object_get_data(G_OBJECT(self), "probe");
	UMockdevIoctlData *arg = umockdev_ioctl_client_get_arg(client);
	glong len_bytes = -1;
	GBytes *report;
	bool plugged;

	g_mutex_lock(&probe->lock);
	plugged = probe->plugged;
	report = g_queue_pop_head(&probe->responses[PIPE_HIDRAW]);
	if (report != NULL)
		usb_count_in(probe, g_bytes_get_size(report));
	usb_hidraw_deliver(probe);
	g_mutex_unlock(&probe->lock);
	if (report != NULL) {
		len_bytes = (glong)MIN(g_bytes_get_size(report), (gsize)arg->data_len);
		memcpy(arg->data, g_bytes_get_data(report, NULL), (gsize)len_bytes);
		g_bytes_unref(report);
	}
	umockdev_ioctl_client_complete(client, len_bytes, len_bytes >= 0 ? 0 : plugged ? EAGAIN : EIO);
	return TRUE;
}

typedef struct { UMockdevIoctlBase parent; } PtHidraw;		/* GObject wants typedefs */
typedef struct { UMockdevIoctlBaseClass parent; } PtHidrawClass;
static GType pt_hidraw_get_type(void);
G_DEFINE_TYPE(PtHidraw, pt_hidraw, UMOCKDEV_TYPE_IOCTL_BASE)

static void pt_hidraw_init(PtHidraw *self)
{
	(void)self;
}

static void pt_hidraw_class_init(PtHidrawClass *class)
{
	class->parent.handle_ioctl = on_ioctl;
	class->parent.handle_read = on_read;
	class->parent.handle_write = on_write;
}

UMockdevIoctlBase *usb_hidraw_new(struct usb_probe *probe)
{
	UMockdevIoctlBase *hidraw = g_object_new(pt_hidraw_get_type(), NULL);

	g_object_set_data(G_OBJECT(hidraw), "probe", probe);
	return hidraw;
}
