/* Plugging: the device in umockdev's test bed, its nodes, and what happens to both when the cable is pulled.
 *
 * libusb polls the usbfs node for "writable", which means that a URB can be reaped. A plain file is always writable,
 * so the node is a FIFO of one page: full while there is nothing to reap, empty when there is. */
#define _GNU_SOURCE	/* F_SETPIPE_SZ */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "usb_probe_parts.h"

enum { FIFO_BYTES = 4096 };
#define USB_BUS "/devices/pci0000:00/0000:00:14.0/usb1"

/* The preload library comes before libasan in programs that are built with it. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "verify_asan_link_order=0";
}

/* One test bed for all probes of the process: umockdev knows no more. */
static UMockdevTestbed *shared_bed;
static unsigned bed_users;

static UMockdevTestbed *take_bed(void)
{
	if (bed_users++ == 0)
		shared_bed = umockdev_testbed_new();
	return shared_bed;
}

static void give_bed_back(void)
{
	if (--bed_users == 0)
		g_clear_object(&shared_bed);
}

static char *real_path(struct usb_probe *probe, const char *path)
{
	g_autofree char *root = umockdev_testbed_get_root_dir(probe->bed);

	return g_strconcat(root, path, NULL);
}

/* --- nodes */

void usb_node_set_ready(struct usb_probe *probe, bool ready)
{
	static const char page[FIFO_BYTES];
	char taken[FIFO_BYTES];

	if (probe->node_fd < 0 || ready == probe->node_ready)
		return;
	probe->node_ready = ready;
	if (ready)
		while (read(probe->node_fd, taken, sizeof(taken)) > 0)
			continue;
	else
		while (write(probe->node_fd, page, sizeof(page)) > 0)
			continue;
}

static int make_fifo(struct usb_probe *probe, const char *node)
{
	g_autofree char *path = real_path(probe, node);
	int fd;

	unlink(path);
	if (mkfifo(path, 0600) < 0)
		g_error("%s: %s", path, g_strerror(errno));
	fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0 || fcntl(fd, F_SETPIPE_SZ, FIFO_BYTES) < 0)
		g_error("%s: %s", path, g_strerror(errno));
	return fd;
}

void usb_probe_set_mode(struct usb_probe *probe, unsigned mode)
{
	g_autofree char *path = real_path(probe, probe->node), *hid_path = real_path(probe, probe->hid_node);

	if (chmod(path, mode) < 0 || (probe->config.hidraw && chmod(hid_path, mode) < 0))
		g_error("%s: %s", path, g_strerror(errno));
}

/* --- the device as sysfs shows it */

static void append_hex(GString *out, GByteArray *bytes)
{
	for (guint i = 0; i < bytes->len; i++)
		g_string_append_printf(out, "%02X", bytes->data[i]);
}

/* The kernel shows each UTF-16 unit as UTF-8. */
static void describe_serial(struct usb_probe *probe, GString *out)
{
	if (probe->config.raw_serial == NULL) {
		g_string_append_printf(out, "A: serial=%s\\n\n", probe->config.serial);
		return;
	}
	g_string_append(out, "H: serial=");
	for (int i = 0; i < PT_USB_RAW_SERIAL_BYTES; i++) {
		guint8 unit = probe->config.raw_serial[i];

		g_string_append_printf(out, unit < 0x80 ? "%02X" : "%04X",
				       unit < 0x80 ? unit : (0xc080u | (unsigned)(unit >> 6) << 8 | (unit & 0x3fu)));
	}
	g_string_append(out, "0A\n");
}

static void describe_usb(struct usb_probe *probe, GString *out)
{
	g_autoptr(GByteArray) descriptors = g_byte_array_new();
	unsigned device = probe->config.port + 1;

	usb_device_descriptor(probe, descriptors);
	usb_config_descriptor(probe, descriptors);
	g_string_append_printf(out, "P: %s\nN: %s\n", probe->sys, probe->node + strlen("/dev/"));
	g_string_append_printf(
		out,
		"E: BUSNUM=001\nE: DEVNUM=%03u\nE: DEVNAME=%s\nE: DEVTYPE=usb_device\n"
		"E: DRIVER=usb\nE: MAJOR=189\nE: MINOR=%u\nE: SUBSYSTEM=usb\nE: TYPE=239/2/1\nE: PRODUCT=%x/%x/%x\n",
		device, probe->node, device - 1, usb_vid(probe), usb_pid(probe), usb_release(probe));
	g_string_append_printf(out,
			       "A: busnum=1\\n\nA: devnum=%u\\n\nA: dev=189:%u\\n\nA: speed=%s\\n\n"
			       "A: bConfigurationValue=1\\n\nA: bNumConfigurations=1\\n\nA: bDeviceClass=ef\\n\n",
			       device, device - 1, usb_bulk_bytes(probe) < 512 ? "12" : "480");
	g_string_append_printf(out,
			       "A: idVendor=%04x\\n\nA: idProduct=%04x\\n\nA: bcdDevice=%04x\\n\n"
			       "A: manufacturer=%s\\n\nA: product=%s\\n\n",
			       usb_vid(probe), usb_pid(probe), usb_release(probe), usb_manufacturer,
			       usb_product(probe));
	describe_serial(probe, out);
	g_string_append(out, "H: descriptors=");
	append_hex(out, descriptors);
	g_string_append(out, "\n\n");
}

static void describe_hid(struct usb_probe *probe, GString *out)
{
	g_autoptr(GByteArray) report = g_byte_array_new();
	unsigned port = probe->config.port;

	usb_report_descriptor(report);
	g_string_append_printf(out,
			       "P: %s/1-%u:1.1\nE: DEVTYPE=usb_interface\nE: SUBSYSTEM=usb\nE: DRIVER=usbhid\n"
			       "A: bInterfaceNumber=01\\n\n\n",
			       probe->sys, port);
	g_string_append_printf(out,
			       "P: %s\nE: SUBSYSTEM=hid\nE: DRIVER=hid-generic\nE: HID_ID=0003:%08X:%08X\n"
			       "E: HID_NAME=%s %s\nE: HID_UNIQ=%s\nE: HID_PHYS=usb-0000:00:14.0-%u/input1\n"
			       "H: report_descriptor=",
			       probe->hid_sys, usb_vid(probe), usb_pid(probe), usb_manufacturer, usb_product(probe),
			       probe->config.serial, port);
	append_hex(out, report);
	g_string_append_printf(out,
			       "\n\nP: %s/hidraw/hidraw%u\nN: hidraw%u=00\nE: DEVNAME=%s\nE: MAJOR=243\nE: MINOR=%u\n"
			       "E: SUBSYSTEM=hidraw\nA: dev=243:%u\\n\n\n",
			       probe->hid_sys, port, port, probe->hid_node, port, port);
}

static void link_hidraw_to_its_device(struct usb_probe *probe)
{
	g_autofree char *sys = g_strdup_printf("/sys%s/hidraw/hidraw%u/device", probe->hid_sys, probe->config.port);
	g_autofree char *path = real_path(probe, sys), *base = g_path_get_basename(probe->hid_sys);
	g_autofree char *to = g_strconcat("../../../", base, NULL);

	if (symlink(to, path) < 0 && errno != EEXIST)
		g_error("%s: %s", path, g_strerror(errno));
}

/* --- plug and unplug */

static void attach(struct usb_probe *probe, const char *node, UMockdevIoctlBase *handler)
{
	g_autoptr(GError) error = NULL;

	if (!umockdev_testbed_attach_ioctl(probe->bed, node, handler, &error))
		g_error("%s: %s", node, error->message);
}

/* For good: a program may be about to say its first word to a node when that is unplugged, and umockdev ends a program
 * whose word nobody takes. */
static void attach_all(struct usb_probe *probe)
{
	if (probe->attached)
		return;
	attach(probe, probe->node, probe->usbfs);
	if (probe->config.hidraw)
		attach(probe, probe->hid_node, probe->hidraw);
	probe->attached = true;
}

static void detach_all(struct usb_probe *probe)
{
	umockdev_testbed_detach_ioctl(probe->bed, probe->node, NULL);
	if (probe->config.hidraw)
		umockdev_testbed_detach_ioctl(probe->bed, probe->hid_node, NULL);
}

static void add_to_bed(struct usb_probe *probe)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(GString) text = g_string_new(NULL);

	describe_usb(probe, text);
	if (probe->config.hidraw)
		describe_hid(probe, text);
	if (!umockdev_testbed_add_from_string(probe->bed, text->str, &error))
		g_error("describe the probe: %s", error->message);
	if (probe->config.hidraw)
		link_hidraw_to_its_device(probe);
}

static void send_uevent(struct usb_probe *probe, const char *action)
{
	g_autofree char *sys = g_strconcat("/sys", probe->sys, NULL);

	umockdev_testbed_uevent(probe->bed, sys, action);
}

static void plug(struct usb_probe *probe)
{
	add_to_bed(probe);
	g_mutex_lock(&probe->lock);
	probe->node_fd = make_fifo(probe, probe->node);
	probe->hid_fd = probe->config.hidraw ? make_fifo(probe, probe->hid_node) : -1;
	probe->plugged = true;
	probe->plug_count++;
	probe->node_ready = true;
	usb_node_set_ready(probe, false);
	g_mutex_unlock(&probe->lock);
	attach_all(probe);
	send_uevent(probe, "add");
}

void usb_probe_plug(struct usb_probe *probe)
{
	g_mutex_lock(&probe->hand);
	if (!probe->plugged)		/* two signals may come in the other order */
		plug(probe);
	g_mutex_unlock(&probe->hand);
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void remove_from_bed(struct usb_probe *probe, const char *sys)
{
	g_autofree char *path = g_strconcat("/sys", sys, NULL);

	umockdev_testbed_remove_device(probe->bed, path);
}

/* Children first: umockdev forgets only what it is told to. */
static void remove_all_from_bed(struct usb_probe *probe)
{
	unsigned port = probe->config.port;
	g_autofree char *node = g_strdup_printf("%s/hidraw/hidraw%u", probe->hid_sys, port);
	g_autofree char *interface = g_strdup_printf("%s/1-%u:1.1", probe->sys, port);

	if (probe->config.hidraw) {
		remove_from_bed(probe, node);
		remove_from_bed(probe, probe->hid_sys);
		remove_from_bed(probe, interface);
	}
	remove_from_bed(probe, probe->sys);
}

/* Files that are open stay open, as with a real device: their ioctls fail, their polls return. */
void usb_probe_unplug(struct usb_probe *probe)
{
	bool was;

	g_mutex_lock(&probe->hand);
	g_mutex_lock(&probe->lock);
	was = probe->plugged;
	probe->plugged = false;
	usb_usbfs_drop_all(probe);
	for (int i = 0; i < N_PIPES; i++)
		g_queue_clear_full(&probe->responses[i], (GDestroyNotify)g_bytes_unref);
	usb_hidraw_deliver(probe);
	close_fd(&probe->node_fd);
	close_fd(&probe->hid_fd);
	g_mutex_unlock(&probe->lock);
	if (was) {
		send_uevent(probe, "remove");
		remove_all_from_bed(probe);
	}
	g_mutex_unlock(&probe->hand);
}

static void name(struct usb_probe *probe)
{
	unsigned port = probe->config.port;

	probe->node = g_strdup_printf("/dev/bus/usb/001/%03u", port + 1);
	probe->sys = g_strdup_printf(USB_BUS "/1-%u", port);
	probe->hid_node = g_strdup_printf("/dev/hidraw%u", port);
	probe->hid_sys = g_strdup_printf("%s/1-%u:1.1/0003:%04X:%04X.%04u", probe->sys, port, USB_PROBE_VENDOR,
					 USB_PROBE_PRODUCT, port);
}

static void free_names(struct usb_probe *probe)
{
	g_free(probe->node);
	g_free(probe->sys);
	g_free(probe->hid_node);
	g_free(probe->hid_sys);
}

struct usb_probe *usb_probe_new(const struct usb_probe_config *config, struct pt_err *err)
{
	struct usb_probe *probe = g_new0(struct usb_probe, 1);

	probe->config = *config;
	if (probe->config.serial == NULL)
		probe->config.serial = "V0001";
	if (probe->config.port == 0)
		probe->config.port = 1;
	probe->node_fd = probe->hid_fd = -1;
	g_mutex_init(&probe->hand);
	g_mutex_init(&probe->lock);
	if (usb_firmware_start(probe, err) < 0) {
		g_mutex_clear(&probe->lock);
		g_mutex_clear(&probe->hand);
		g_free(probe);
		return NULL;
	}
	name(probe);
	probe->bed = take_bed();
	probe->usbfs = usb_usbfs_new(probe);
	probe->hidraw = usb_hidraw_new(probe);
	usb_probe_plug(probe);
	return probe;
}

void usb_probe_free(struct usb_probe *probe)
{
	if (probe == NULL)
		return;
	usb_firmware_stop(probe);
	usb_probe_unplug(probe);
	detach_all(probe);
	usb_usbfs_forget_all(probe);
	g_object_unref(probe->usbfs);
	g_object_unref(probe->hidraw);
	give_bed_back();
	free_names(probe);
	g_mutex_clear(&probe->lock);
	g_mutex_clear(&probe->hand);
	g_free(probe);
}
