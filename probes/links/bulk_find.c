/* Find probes with bulk endpoints. A driver's rows say by which name (then: vendor class, a bulk OUT and a bulk IN
 * endpoint, and the name in the string of the interface, or of the product where only one interface can be meant), or
 * by which numbers.
 * Names come from sysfs, which every user may read: so a probe is seen without permission, and one that is in use is
 * not disturbed. Source: CMSIS-DAP 2.x; the tolerances are those of OpenOCD and pyOCD. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "probes/links/bulk.h"

/* --- what the kernel knows --------------------------------------------------------------------------------------- */

static void usb_path(libusb_device *dev, char *out, size_t room)
{
	uint8_t ports[8];
	int n = libusb_get_port_numbers(dev, ports, sizeof(ports));
	size_t len = (size_t)snprintf(out, room, "%u", libusb_get_bus_number(dev));

	for (int i = 0; i < n && len < room; i++)
		len += (size_t)snprintf(out + len, room - len, "%c%u", i == 0 ? '-' : '.', ports[i]);
}

/* First line of a file of the device or one of its interfaces ("1-4.2:1.0"); empty if there is none. */
static void sysfs_text(const char *device, const char *file, char *out, size_t room)
{
	char path[PATH_MAX];
	FILE *f;

	out[0] = 0;
	snprintf(path, sizeof(path), "/sys/bus/usb/devices/%s/%s", device, file);
	f = fopen(path, "re");
	if (f == NULL)
		return;
	if (fgets(out, (int)room, f) == NULL)
		out[0] = 0;
	out[strcspn(out, "\n")] = 0;
	fclose(f);
}

unsigned pt_link_usb_mbps(const char *usb_path)
{
	char text[16];

	sysfs_text(usb_path, "speed", text, sizeof(text));
	return (unsigned)strtoul(text, NULL, 10);
}

static void name_node(libusb_device *dev, char *path, size_t room)
{
	snprintf(path, room, "/dev/bus/usb/%03u/%03u", libusb_get_bus_number(dev), libusb_get_device_address(dev));
}

static bool node_permitted(libusb_device *dev)
{
	char path[64];

	name_node(dev, path, sizeof(path));
	return access(path, R_OK | W_OK) == 0;
}

/* The interface's name, from sysfs or else from the device itself. */
static void interface_name(libusb_device *dev, const char *where, const struct libusb_interface_descriptor *alt,
			   uint8_t config, char *out, size_t room)
{
	libusb_device_handle *usb;
	char name[48];

	snprintf(name, sizeof(name), "%.31s:%u.%u", where, config, alt->bInterfaceNumber);
	sysfs_text(name, "interface", out, room);
	if (out[0] != 0 || alt->iInterface == 0 || !node_permitted(dev) || libusb_open(dev, &usb) < 0)
		return;
	if (libusb_get_string_descriptor_ascii(usb, alt->iInterface, (unsigned char *)out, (int)room) < 0)
		out[0] = 0;
	libusb_close(usb);
}

/* --- which interface --------------------------------------------------------------------------------------------- */

/* Endpoints stand in the order OUT, IN, and optionally an IN for SWO. */
static bool endpoints(const struct libusb_interface_descriptor *alt, struct pt_bulk_place *place)
{
	for (int i = 0; i < alt->bNumEndpoints; i++) {
		const struct libusb_endpoint_descriptor *ep = &alt->endpoint[i];
		bool in = (ep->bEndpointAddress & LIBUSB_ENDPOINT_IN) != 0;

		if ((ep->bmAttributes & LIBUSB_TRANSFER_TYPE_MASK) != LIBUSB_TRANSFER_TYPE_BULK ||
		    ep->wMaxPacketSize == 0)
			continue;
		if (!in && place->out == 0) {
			place->out = ep->bEndpointAddress;
			place->out_bytes = ep->wMaxPacketSize;
		} else if (in && place->in == 0) {
			place->in = ep->bEndpointAddress;
			place->in_bytes = ep->wMaxPacketSize;
		} else if (in && place->trace == 0) {
			place->trace = ep->bEndpointAddress;
			place->trace_bytes = ep->wMaxPacketSize;
		}
	}
	place->iface = alt->bInterfaceNumber;
	return place->out != 0 && place->in != 0;
}

/* A serial port, a disk and a HID interface never are it; a class that is merely wrong may be. */
static bool class_possible(uint8_t class)
{
	return class != LIBUSB_CLASS_COMM && class != LIBUSB_CLASS_DATA && class != LIBUSB_CLASS_MASS_STORAGE &&
	       class != LIBUSB_CLASS_HID;
}

struct search {
	libusb_device *dev;
	const struct pt_probe_ops *driver;
	const char *where, *product;
	uint16_t usb_vid, usb_pid;
	unsigned n_vendor;		/* interfaces of the vendor class with the right endpoints */
	bool named;
	struct pt_bulk_place vendor, by_name;
};

static bool says(const struct search *s, const char *text)
{
	return pt_usb_id_says(s->driver->usb, s->driver->n_usb, s->usb_vid, s->usb_pid, text);
}

static void look_at_interface(struct search *s, const struct libusb_config_descriptor *config,
			      const struct libusb_interface_descriptor *alt)
{
	struct pt_bulk_place place = { 0 };
	char name[128];

	if (s->named || !class_possible(alt->bInterfaceClass) || !endpoints(alt, &place))
		return;
	if (alt->bInterfaceClass == LIBUSB_CLASS_VENDOR_SPEC) {
		s->n_vendor++;
		s->vendor = place;
	}
	interface_name(s->dev, s->where, alt, config->bConfigurationValue, name, sizeof(name));
	if (says(s, name)) {
		s->named = true;
		s->by_name = place;
	}
}

/* The product's name is enough where only one interface can be meant. */
static bool find_interface(struct search *s, struct pt_bulk_place *place)
{
	struct libusb_config_descriptor *config;

	if (libusb_get_active_config_descriptor(s->dev, &config) < 0)
		return false;
	for (int i = 0; i < config->bNumInterfaces; i++)
		if (config->interface[i].num_altsetting > 0)
			look_at_interface(s, config, &config->interface[i].altsetting[0]);
	libusb_free_config_descriptor(config);
	*place = s->named ? s->by_name : s->vendor;
	return s->named || (s->n_vendor == 1 && says(s, s->product));
}

/* --- probes that are known by their numbers ----------------------------------------------------------------------- */

static bool is_vendors(const struct libusb_interface_descriptor *alt)
{
	return alt->bInterfaceClass == LIBUSB_CLASS_VENDOR_SPEC && alt->bInterfaceSubClass == LIBUSB_CLASS_VENDOR_SPEC;
}

/* Where the row does not say which interface it is. */
static bool has_vendors_place(const struct libusb_config_descriptor *config, struct pt_bulk_place *place)
{
	for (int i = 0; i < config->bNumInterfaces; i++) {
		struct pt_bulk_place here = { 0 };

		if (config->interface[i].num_altsetting < 1 || !is_vendors(&config->interface[i].altsetting[0]) ||
		    !endpoints(&config->interface[i].altsetting[0], &here))
			continue;
		*place = here;
		return true;
	}
	return false;
}

/* The packets of that endpoint; 0: there is none. */
static uint16_t packet_bytes(const struct libusb_interface_descriptor *alt, uint8_t address)
{
	for (int i = 0; i < alt->bNumEndpoints; i++)
		if (alt->endpoint[i].bEndpointAddress == address &&
		    (alt->endpoint[i].bmAttributes & LIBUSB_TRANSFER_TYPE_MASK) == LIBUSB_TRANSFER_TYPE_BULK)
			return alt->endpoint[i].wMaxPacketSize;
	return 0;
}

/* A bulk IN endpoint besides the one of replies. */
static void find_trace(const struct libusb_interface_descriptor *alt, struct pt_bulk_place *place)
{
	for (int i = 0; i < alt->bNumEndpoints; i++) {
		const struct libusb_endpoint_descriptor *ep = &alt->endpoint[i];

		if ((ep->bmAttributes & LIBUSB_TRANSFER_TYPE_MASK) != LIBUSB_TRANSFER_TYPE_BULK ||
		    (ep->bEndpointAddress & LIBUSB_ENDPOINT_IN) == 0 || ep->bEndpointAddress == place->in)
			continue;
		place->trace = ep->bEndpointAddress;
		place->trace_bytes = ep->wMaxPacketSize;
	}
}

static bool has_place(const struct libusb_config_descriptor *config, const struct pt_usb_id *id,
		      struct pt_bulk_place *place)
{
	for (int i = 0; i < config->bNumInterfaces; i++) {
		const struct libusb_interface_descriptor *alt = config->interface[i].altsetting;

		if (config->interface[i].num_altsetting < 1 || alt->bInterfaceNumber != id->iface ||
		    (id->pid_mask != 0 && alt->bInterfaceClass != LIBUSB_CLASS_VENDOR_SPEC))
			continue;
		*place = (struct pt_bulk_place){ id->iface, id->out, id->in, packet_bytes(alt, id->in),
						 packet_bytes(alt, id->out), 0, 0 };
		find_trace(alt, place);
		return place->in_bytes != 0 && place->out_bytes != 0;
	}
	return false;
}

/* False: no row of the driver has its numbers, or its interfaces are not those of the row. */
static bool find_numbered(const struct search *s, struct pt_bulk_place *place)
{
	const struct pt_usb_id *ids = s->driver->usb, *end = ids + s->driver->n_usb,
			       *id = pt_usb_id_numbered(ids, s->driver->n_usb, s->usb_vid, s->usb_pid);
	struct libusb_config_descriptor *config;
	bool there = false;

	if (id == NULL || id->refused != NULL || id->iface == PT_USB_TTY ||
	    libusb_get_active_config_descriptor(s->dev, &config) < 0)
		return false;
	for (; id != NULL && !there; id = pt_usb_id_numbered(id + 1, (size_t)(end - id - 1), s->usb_vid, s->usb_pid))
		there = id->out == 0 && id->in == 0 ? has_vendors_place(config, place) : has_place(config, id, place);
	libusb_free_config_descriptor(config);
	return there;
}

/* --- serial numbers that are bytes --------------------------------------------------------------------------------- */

/* Each UTF-16 unit's low byte as two digits; false where the device cannot be asked. */
static bool raw_serial(libusb_device *dev, uint8_t index, size_t n_units, char *out, size_t room)
{
	enum { ENGLISH = 0x0409, HEAD = 2 };
	unsigned char bytes[255];
	libusb_device_handle *usb;
	int n;

	if (!node_permitted(dev) || libusb_open(dev, &usb) < 0)
		return false;
	n = libusb_get_string_descriptor(usb, index, ENGLISH, bytes, sizeof(bytes));
	libusb_close(usb);
	if (n < HEAD || (size_t)(n - HEAD) != 2 * n_units || room < 2 * n_units + 1)
		return false;
	for (size_t i = 0; i < n_units; i++)
		snprintf(out + 2 * i, room - 2 * i, "%02X", bytes[HEAD + 2 * i]);
	return true;
}

/* As the kernel shows it to those who may not ask: UTF-8, up to a line's end. */
static void hex_of_utf8(char *text, size_t room)
{
	char hex[2 * 64 + 1] = "";
	size_t len = 0;

	for (const unsigned char *at = (const unsigned char *)text; *at != 0 && len + 3 < sizeof(hex); at++) {
		bool two = (*at & 0xfc) == 0xc0 && at[1] != 0;
		unsigned unit = two ? (*at & 3u) << 6 | (at[1] & 0x3fu) : *at;

		at += two;
		len += (size_t)snprintf(hex + len, sizeof(hex) - len, "%02X", unit);
	}
	snprintf(text, room, "%.*s", (int)room - 1, hex);
}

static size_t characters(const char *utf8)
{
	size_t n = 0;

	for (; *utf8 != 0; utf8++)
		n += (*utf8 & 0xc0) != 0x80;
	return n;
}

/* One of the usual length is text. */
static void tidy_serial(libusb_device *dev, uint8_t index, size_t n_units, char *serial, size_t room)
{
	size_t n = characters(serial);

	if (n_units == 0 || n == 0 || n > n_units || raw_serial(dev, index, n_units, serial, room))
		return;
	if (n == n_units)
		hex_of_utf8(serial, room);
}

bool pt_bulk_channel(libusb_device *dev, const struct pt_link_found *found, struct pt_bulk_place *place)
{
	const struct pt_usb_id *row =
		pt_usb_id_numbered(found->driver->usb, found->driver->n_usb, found->usb_vid, found->usb_pid);
	struct libusb_config_descriptor *config;
	struct pt_usb_id id;
	bool there;

	if (row == NULL || libusb_get_active_config_descriptor(dev, &config) < 0)
		return false;
	id = *row;
	id.iface += (uint8_t)found->channel;
	id.out += (uint8_t)(2 * found->channel);
	id.in += (uint8_t)(2 * found->channel);
	there = has_place(config, &id, place);
	libusb_free_config_descriptor(config);
	return there;
}

static const char *refusal(const struct search *s)
{
	const struct pt_usb_id *id = pt_usb_id_numbered(s->driver->usb, s->driver->n_usb, s->usb_vid, s->usb_pid);

	return id != NULL ? id->refused : NULL;
}

/* --- both --------------------------------------------------------------------------------------------------------- */

static const struct pt_probe_ops *find_driver(struct search *s, const struct pt_probe_ops *const *drivers, size_t n,
					      struct pt_bulk_place *place, const char **refused)
{
	const struct search fresh = *s;

	*refused = NULL;
	for (size_t i = 0; i < n; i++) {	/* whose interfaces have no names that would say it */
		s->driver = drivers[i];
		if (drivers[i]->usb_stream != NULL && find_numbered(s, place))
			return drivers[i];
	}
	for (size_t i = 0; i < n; i++) {
		*s = fresh;
		s->driver = drivers[i];
		if (drivers[i]->n_usb > 0 && (find_numbered(s, place) || find_interface(s, place)))
			return drivers[i];
		*refused = drivers[i]->n_usb > 0 ? refusal(s) : NULL;
		if (*refused != NULL)
			return drivers[i];
	}
	return NULL;
}

bool pt_bulk_look_at(libusb_device *dev, const struct pt_probe_ops *const *drivers, size_t n_drivers,
		     struct pt_bulk_place *place, struct pt_link_found *found)
{
	struct libusb_device_descriptor desc;
	struct pt_link_found row = { 0 };
	struct search search = { .dev = dev, .where = row.usb_path, .product = row.product };

	if (libusb_get_device_descriptor(dev, &desc) < 0 || desc.bDeviceClass == LIBUSB_CLASS_HUB)
		return false;
	search.usb_vid = row.usb_vid = desc.idVendor;
	search.usb_pid = row.usb_pid = desc.idProduct;
	row.usb_release = desc.bcdDevice;
	usb_path(dev, row.usb_path, sizeof(row.usb_path));
	sysfs_text(row.usb_path, "product", row.product, sizeof(row.product));
	row.driver = find_driver(&search, drivers, n_drivers, place, &row.refused);
	if (row.driver == NULL)
		return false;
	memcpy(row.path, row.usb_path, sizeof(row.usb_path));
	sysfs_text(row.usb_path, "serial", row.serial, sizeof(row.serial));
	name_node(dev, row.node, sizeof(row.node));
	row.usb_mbps = pt_link_usb_mbps(row.usb_path);
	tidy_serial(dev, desc.iSerialNumber, row.driver->raw_serial, row.serial, sizeof(row.serial));
	row.permitted = node_permitted(dev);
	row.common = row.driver->is_probe != NULL && !row.driver->is_probe(row.product, row.usb_pid);
	*found = row;
	return true;
}

int pt_bulk_list(const struct pt_probe_ops *const *drivers, size_t n_drivers, struct pt_link_found *out, size_t max,
		 struct pt_err *err)
{
	libusb_device **devices;
	libusb_context *usb;
	ssize_t n_devices;
	size_t n = 0;

	if (libusb_init(&usb) < 0)
		return pt_fail(err, PT_ENOMEM, "USB is not available");
	n_devices = libusb_get_device_list(usb, &devices);
	for (ssize_t i = 0; i < n_devices && n < max; i++) {
		struct pt_bulk_place place;

		if (pt_bulk_look_at(devices[i], drivers, n_drivers, &place, &out[n]))
			n++;
	}
	if (n_devices >= 0)
		libusb_free_device_list(devices, 1);
	libusb_exit(usb);
	return (int)n;
}
