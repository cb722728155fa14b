/* Which serial ports are a USB device's, out of sysfs: /sys/class/tty/NAME/device leads to the interface (cdc_acm), or
 * to a port below it (usb-serial); the device is the folder above. */
#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probes/links/serial.h"

static void read_text(const char *folder, const char *file, char *out, size_t room)
{
	char path[PATH_MAX];
	FILE *f = NULL;

	out[0] = '\0';
	if (snprintf(path, sizeof(path), "%s/%s", folder, file) < (int)sizeof(path))
		f = fopen(path, "re");
	if (f == NULL)
		return;
	if (fgets(out, (int)room, f) == NULL)
		out[0] = '\0';
	out[strcspn(out, "\n")] = '\0';
	fclose(f);
}

static uint16_t read_hex(const char *folder, const char *file)
{
	char text[16];

	read_text(folder, file, text, sizeof(text));
	return (uint16_t)strtoul(text, NULL, 16);
}

/* ".../1-4/1-4:1.0[/...]": cut behind the interface. False: no USB device. */
static bool cut_to_interface(char *path)
{
	for (char *slash = path; slash != NULL; slash = strchr(slash + 1, '/')) {
		size_t len = strcspn(slash + 1, "/");
		const char *colon = memchr(slash + 1, ':', len), *dash = memchr(slash + 1, '-', len);

		if (colon == NULL || dash == NULL || dash > colon)
			continue;
		slash[1 + len] = '\0';
		return true;
	}
	return false;
}

static bool describe(const char *name, struct pt_serial_port *out)
{
	struct pt_serial_port port = { .path = "" };
	char path[PATH_MAX], folder[PATH_MAX];
	char *slash;

	snprintf(path, sizeof(path), "/sys/class/tty/%.40s/device", name);
	if (realpath(path, folder) == NULL || !cut_to_interface(folder))
		return false;
	snprintf(port.path, sizeof(port.path), "/dev/%.40s", name);
	port.iface = read_hex(folder, "bInterfaceNumber");
	read_text(folder, "interface", port.interface, sizeof(port.interface));
	slash = strrchr(folder, '/');
	*slash = '\0';
	port.usb_vid = read_hex(folder, "idVendor");
	port.usb_pid = read_hex(folder, "idProduct");
	port.usb_release = read_hex(folder, "bcdDevice");
	read_text(folder, "product", port.product, sizeof(port.product));
	read_text(folder, "serial", port.serial, sizeof(port.serial));
	slash = strrchr(folder, '/');
	snprintf(port.usb_path, sizeof(port.usb_path), "%.31s", slash != NULL ? slash + 1 : "");
	*out = port;
	return true;
}

static int in_order(const void *a, const void *b)
{
	const struct pt_serial_port *one = a, *other = b;
	int by_device = strcmp(one->usb_path, other->usb_path);

	return by_device != 0 ? by_device : (one->iface > other->iface) - (one->iface < other->iface);
}

size_t pt_serial_ports(struct pt_serial_port *out, size_t max)
{
	DIR *folder = opendir("/sys/class/tty");
	const struct dirent *entry;
	size_t n = 0;

	while (folder != NULL && n < max && (entry = readdir(folder)) != NULL)
		n += entry->d_name[0] != '.' && describe(entry->d_name, &out[n]);
	if (folder != NULL)
		closedir(folder);
	if (n > 0)
		qsort(out, n, sizeof(*out), in_order);
	return n;
}
