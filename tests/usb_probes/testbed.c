/* The device in umockdev's test bed, and its cable. libusb polls the node for "writable", which means that a URB can be
 * reaped; a plain file is always writable, so the node is a FIFO of one page: full while there is nothing to reap. */
#define _GNU_SOURCE	/* F_SETPIPE_SZ */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "device.h"
#include "testbed.h"
#include "usbfs.h"

enum { FIFO_BYTES = 4096, REPLUG_MS = 300, INTERFACE = 4 };
#define NODE "/dev/bus/usb/001/002"
#define SYSFS "/devices/pci0000:00/0000:00:14.0/usb1/1-1"

static UMockdevTestbed *bed;
static UMockdevIoctlBase *handler;
static int node_fd = -1;
static bool node_ready, attached;

/* The preload library comes before libasan in programs that are built with it. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "verify_asan_link_order=0";
}

void testbed_set_ready(bool ready)
{
	static const char page[FIFO_BYTES];
	char taken[FIFO_BYTES];

	if (node_fd < 0 || ready == node_ready)
		return;
	node_ready = ready;
	if (ready)
		while (read(node_fd, taken, sizeof(taken)) > 0)
			continue;
	else
		while (write(node_fd, page, sizeof(page)) > 0)
			continue;
}

static void append_hex(GString *out, const uint8_t *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		g_string_append_printf(out, "%02X", bytes[i]);
}

/* Strings as the kernel shows them in sysfs; it cuts each unit of UTF-16 that is no ASCII down to '?'. */
static void append_string(GString *out, const char *attribute, unsigned index)
{
	const uint8_t *string = index < DEVICE_STRINGS ? device->strings[index] : NULL;

	if (string == NULL || index == 0)
		return;
	g_string_append_printf(out, "A: %s=", attribute);
	for (unsigned i = 2; i + 1 < string[0]; i += 2) {
		bool printable = string[i + 1] == 0 && string[i] >= ' ' && string[i] < 0x7f && string[i] != '\\';

		g_string_append_c(out, printable ? (char)string[i] : '?');
	}
	g_string_append(out, "\\n\n");
}

static void describe(GString *out)
{
	const uint8_t *d = device->descriptor;
	unsigned vid = get_le16(d + 8), pid = get_le16(d + 10), release = get_le16(d + 12);

	g_string_printf(out,
			"P: " SYSFS "\nN: bus/usb/001/002\nE: BUSNUM=001\nE: DEVNUM=002\nE: DEVNAME=" NODE "\n"
			"E: DEVTYPE=usb_device\nE: DRIVER=usb\nE: MAJOR=189\nE: MINOR=1\nE: SUBSYSTEM=usb\n"
			"E: PRODUCT=%x/%x/%x\nA: busnum=1\\n\nA: devnum=2\\n\nA: dev=189:1\\n\nA: speed=%u\\n\n"
			"A: bConfigurationValue=1\\n\nA: bNumConfigurations=1\\n\nA: bDeviceClass=%02x\\n\n"
			"A: idVendor=%04x\\n\nA: idProduct=%04x\\n\nA: bcdDevice=%04x\\n\n",
			vid, pid, release, device->speed_mbps, d[4], vid, pid, release);
	append_string(out, "manufacturer", d[14]);
	append_string(out, "product", d[15]);
	append_string(out, "serial", d[16]);
	g_string_append(out, "H: descriptors=");
	append_hex(out, d, d[0]);
	append_hex(out, device->config, device->config_bytes);
	g_string_append(out, "\n\n");
}

/* The kernel has read the names of interfaces when a device was plugged in; a host need not ask for them. */
static void describe_interfaces(GString *out)
{
	const uint8_t *p = device->config, *end = p + device->config_bytes;

	for (; p < end; p += p[0]) {
		if (p[1] != INTERFACE)
			continue;
		g_string_append_printf(out,
				       "P: " SYSFS "/1-1:1.%u\nE: DEVTYPE=usb_interface\nE: SUBSYSTEM=usb\n"
				       "A: bInterfaceNumber=%02x\\n\n",
				       p[2], p[2]);
		append_string(out, "interface", p[8]);
		g_string_append_c(out, '\n');
	}
}

static int make_node(void)
{
	g_autofree char *root = umockdev_testbed_get_root_dir(bed);
	g_autofree char *path = g_strconcat(root, NODE, NULL);
	int fd;

	unlink(path);
	if (mkfifo(path, 0600) < 0)
		g_error("%s: %s", path, g_strerror(errno));
	fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0 || fcntl(fd, F_SETPIPE_SZ, FIFO_BYTES) < 0)
		g_error("%s: %s", path, g_strerror(errno));
	return fd;
}

/* Attached for good: a program may be about to speak to a node when that is unplugged, and umockdev ends a program that
 * speaks to none. */
static void attach(void)
{
	g_autoptr(GError) error = NULL;

	if (attached)
		return;
	handler = usbfs_new();
	if (!umockdev_testbed_attach_ioctl(bed, NODE, handler, &error))
		g_error("%s: %s", NODE, error->message);
	attached = true;
}

void testbed_plug(void)
{
	g_autoptr(GString) text = g_string_new(NULL);
	g_autoptr(GError) error = NULL;

	if (bed == NULL)
		bed = umockdev_testbed_new();
	describe(text);
	describe_interfaces(text);
	if (!umockdev_testbed_add_from_string(bed, text->str, &error))
		g_error("describe the probe: %s", error->message);
	usbfs_lock();
	node_fd = make_node();
	node_ready = true;
	usbfs_set_plugged(true);
	usbfs_unlock();
	attach();
	umockdev_testbed_uevent(bed, "/sys" SYSFS, "add");
}

static void unplug(void)
{
	usbfs_lock();
	usbfs_set_plugged(false);
	if (node_fd >= 0)
		close(node_fd);		/* files of the host stay open; their polls return */
	node_fd = -1;
	usbfs_unlock();
	umockdev_testbed_uevent(bed, "/sys" SYSFS, "remove");
	for (unsigned i = 0; i < device->config[4]; i++) {
		g_autofree char *interface = g_strdup_printf("/sys" SYSFS "/1-1:1.%u", i);

		umockdev_testbed_remove_device(bed, interface);
	}
	umockdev_testbed_remove_device(bed, "/sys" SYSFS);
}

static gboolean on_replug(gpointer unused)
{
	(void)unused;
	testbed_plug();
	return G_SOURCE_REMOVE;
}

static gboolean on_unplug(gpointer unused)
{
	(void)unused;
	unplug();
	g_timeout_add(REPLUG_MS, on_replug, NULL);
	return G_SOURCE_REMOVE;
}

void testbed_replug(void)
{
	g_idle_add(on_unplug, NULL);
}

void testbed_free(void)
{
	unplug();
	umockdev_testbed_detach_ioctl(bed, NODE, NULL);
	g_clear_object(&handler);
	g_clear_object(&bed);
}
