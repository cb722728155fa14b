/* The descriptors of the emulated probe. Source: USB 2.0, chapter 9.6; HID 1.11, chapter 6.2; CMSIS-DAP v2 interface:
 * host code of OpenOCD and pyOCD. */
#include <string.h>

#include "probes/virtual/probe/jlink.h"
#include "probes/virtual/probe/stlink.h"
#include "usb_probe_parts.h"

const char usb_manufacturer[] = "proftap";

/* The boards' probes that are known by their numbers; an FTDI chip says its own. Source: OSBDM-JM60 firmware, Usb_Descriptor.c; usbdm-firmware
 * V4.12.1.330 (JMxx); ST-Link: OpenOCD, stlink_usb.c; J-Link: libjaylink. */
static const struct usb_kind others[] = {
	{ .driver = "osbdm", .vid = 0x15a2, .pid = 0x005e, .out = EP_BULK_OUT, .in = EP_OTHER_IN },
	{ .driver = "usbdm", .vid = 0x16d0, .pid = 0x06a5, .out = EP_BULK_OUT, .in = EP_OTHER_IN },
	{ .driver = "stlink", .vid = 0x0483, .pid = 0x3748, .out = 0x02, .in = 0x81, .trace = 0x83, .sized = true },
	{ .driver = "stlink", .vid = 0x0483, .pid = 0x374b, .out = 0x01, .in = 0x81, .trace = 0x82, .sized = true },
	{ .driver = "stlink", .vid = 0x0483, .pid = 0x374f, .out = 0x01, .in = 0x81, .trace = 0x82, .sized = true },
	{ .driver = "jlink", .vid = 0x1366, .pid = 0x0101, .out = 0x02, .in = 0x81, .streams = true, .subclass = 0xff },
	{ .driver = "jlink", .vid = 0x1366, .pid = 0x0105, .out = 0x02, .in = 0x81, .streams = true, .subclass = 0xff },
	{ .driver = "jlink", .vid = 0x1366, .pid = 0x1020, .out = 0x01, .in = 0x81, .streams = true, .subclass = 0xff },
};
static const struct usb_kind cmsis_dap = {
	.vid = USB_PROBE_VENDOR, .pid = USB_PROBE_PRODUCT, .out = EP_BULK_OUT, .in = EP_BULK_IN,
};
static const struct usb_kind cmsis_dap_swo = {	/* of a board that has the pin */
	.vid = USB_PROBE_VENDOR, .pid = USB_PROBE_PRODUCT, .out = EP_BULK_OUT, .in = EP_BULK_IN, .trace = EP_OTHER_IN,
};
static const struct usb_kind scripted = {
	.vid = USB_PROBE_VENDOR, .pid = USB_PROBE_PRODUCT, .out = EP_BULK_OUT, .in = EP_OTHER_IN,
};

/* 0: there is but one of the driver's. */
static uint16_t pid_of_board(const struct usb_probe *probe)
{
	if (strcmp(probe->rig.driver, "jlink") == 0)
		return pt_vjlink_kind(pt_params_text(probe->rig.settings, pt_vboard_param("jlink")))->usb_pid;
	if (strcmp(probe->rig.driver, "stlink") != 0)
		return 0;
	return pt_vstlink_kind(pt_params_text(probe->rig.settings, pt_vboard_param("stlink")))->pid;
}

const struct usb_kind *usb_kind(const struct usb_probe *probe)
{
	if (probe->config.answer != NULL)
		return &scripted;
	if (probe->own_kind.driver != NULL)
		return &probe->own_kind;
	for (size_t i = 0; i < G_N_ELEMENTS(others); i++)
		if (strcmp(probe->rig.driver, others[i].driver) == 0 &&
		    (pid_of_board(probe) == 0 || pid_of_board(probe) == others[i].pid))
			return &others[i];
	return probe->rig.ops->swo != NULL ? &cmsis_dap_swo : &cmsis_dap;
}

bool usb_is_other(const struct usb_probe *probe)
{
	return usb_kind(probe) != &cmsis_dap && usb_kind(probe) != &cmsis_dap_swo;
}

const char *usb_product(const struct usb_probe *probe)
{
	return probe->config.answer != NULL ? probe->config.product : probe->rig.product;
}

unsigned usb_vid(const struct usb_probe *probe)
{
	return probe->config.vid != 0 ? probe->config.vid : usb_kind(probe)->vid;
}

unsigned usb_pid(const struct usb_probe *probe)
{
	return probe->config.vid != 0 ? probe->config.pid : usb_kind(probe)->pid;
}

unsigned usb_release(const struct usb_probe *probe)
{
	return usb_kind(probe)->release != 0 ? usb_kind(probe)->release : USB_PROBE_RELEASE;
}

unsigned usb_n_interfaces(const struct usb_probe *probe)
{
	if (usb_kind(probe)->n_interfaces != 0)
		return usb_kind(probe)->n_interfaces;
	return usb_is_other(probe) ? 1 : N_INTERFACES;
}

unsigned usb_bulk_bytes(const struct usb_probe *probe)
{
	bool full_speed = probe->config.answer != NULL || probe->rig.link->wire_bytes < 512 ||
			  usb_kind(probe)->packet_bytes == 64;

	return full_speed ? 64 : 512;
}

enum { STRING_MANUFACTURER = 1, STRING_PRODUCT, STRING_SERIAL, STRING_BULK, STRING_HID };
enum { VENDOR_SPECIFIC = 0xff, CLASS_HID = 3, BULK = 2, INTERRUPT = 3, HID_INTERVAL = 1 };

static const guint8 report_descriptor[] = {
	0x06, 0x00, 0xff,		/* usage page: vendor 0xff00 */
	0x09, 0x01, 0xa1, 0x01,		/* usage 1, collection: application */
	0x15, 0x00, 0x26, 0xff, 0x00,	/* logical 0..255 */
	0x75, 0x08,			/* report size: 8 bits */
	0x95, HID_REPORT_BYTES, 0x09, 0x01, 0x81, 0x02,	/* input */
	0x95, HID_REPORT_BYTES, 0x09, 0x01, 0x91, 0x02,	/* output */
	0xc0,
};

static void append(GByteArray *out, const guint8 *bytes, size_t n)
{
	g_byte_array_append(out, bytes, (guint)n);
}

static void append_endpoint(GByteArray *out, guint8 address, guint8 type, unsigned packet_bytes, guint8 interval)
{
	const guint8 bytes[] = { 7, 5, address, type, (guint8)packet_bytes, (guint8)(packet_bytes >> 8), interval };

	append(out, bytes, sizeof(bytes));
}

static void append_interface(GByteArray *out, guint8 number, guint8 n_endpoints, guint8 class, guint8 subclass,
			     guint8 string)
{
	const guint8 bytes[] = { 9, 4, number, 0, n_endpoints, class, subclass, 0, string };

	append(out, bytes, sizeof(bytes));
}

void usb_device_descriptor(const struct usb_probe *probe, GByteArray *out)
{
	const guint8 bytes[] = {
		18, 1, 0x00, 0x02, 0xef, 2, 1, 64,
		(guint8)usb_vid(probe), (guint8)(usb_vid(probe) >> 8), (guint8)usb_pid(probe),
			(guint8)(usb_pid(probe) >> 8),
		(guint8)usb_release(probe), (guint8)(usb_release(probe) >> 8),
		STRING_MANUFACTURER, STRING_PRODUCT, STRING_SERIAL, 1,
	};

	append(out, bytes, sizeof(bytes));
}

/* All alike; the endpoints of each are two higher than those of the one before it. */
static void append_more_interfaces(const struct usb_probe *probe, GByteArray *out)
{
	const struct usb_kind *kind = usb_kind(probe);

	for (guint8 i = 1; i < kind->n_interfaces; i++) {
		append_interface(out, i, 2, VENDOR_SPECIFIC, kind->subclass, STRING_BULK);
		append_endpoint(out, (guint8)(kind->out + 2 * i), BULK, usb_bulk_bytes(probe), 0);
		append_endpoint(out, (guint8)(kind->in + 2 * i), BULK, usb_bulk_bytes(probe), 0);
	}
}

void usb_config_descriptor(const struct usb_probe *probe, GByteArray *out)
{
	const guint8 head[] = { 9, 2, 0, 0, (guint8)usb_n_interfaces(probe), 1, 0, 0x80, 250 };
	const guint8 hid[] = { 9, 0x21, 0x11, 0x01, 0, 1, 0x22, sizeof(report_descriptor), 0 };
	const struct usb_kind *kind = usb_kind(probe);
	guint begin = out->len;

	append(out, head, sizeof(head));
	append_interface(out, INTERFACE_BULK, kind->trace != 0 ? 3 : 2, VENDOR_SPECIFIC, kind->subclass, STRING_BULK);
	append_endpoint(out, kind->out, BULK, usb_bulk_bytes(probe), 0);
	append_endpoint(out, kind->in, BULK, usb_bulk_bytes(probe), 0);
	if (kind->trace != 0)
		append_endpoint(out, kind->trace, BULK, usb_bulk_bytes(probe), 0);
	if (kind->n_interfaces > 1)
		append_more_interfaces(probe, out);
	if (!usb_is_other(probe)) {
		append_interface(out, INTERFACE_HID, 2, CLASS_HID, 0, STRING_HID);
		append(out, hid, sizeof(hid));
		append_endpoint(out, EP_HID_IN, INTERRUPT, HID_REPORT_BYTES, HID_INTERVAL);
		append_endpoint(out, EP_HID_OUT, INTERRUPT, HID_REPORT_BYTES, HID_INTERVAL);
	}
	out->data[begin + 2] = (guint8)(out->len - begin);
}

void usb_report_descriptor(GByteArray *out)
{
	append(out, report_descriptor, sizeof(report_descriptor));
}

static const char *string_at(const struct usb_probe *probe, unsigned index)
{
	switch (index) {
	case STRING_MANUFACTURER:
		return usb_manufacturer;
	case STRING_PRODUCT:
		return usb_product(probe);
	case STRING_SERIAL:
		return probe->config.serial;
	case STRING_BULK:
		return usb_is_other(probe) ? usb_product(probe) : "CMSIS-DAP v2";
	case STRING_HID:
		return "CMSIS-DAP v1";
	default:
		return NULL;
	}
}

/* A UTF-16 unit each. */
static void append_units(GByteArray *out, const guint8 *bytes, size_t n)
{
	append(out, (const guint8[]){ (guint8)(2 + 2 * n), 3 }, 2);
	for (size_t i = 0; i < n; i++)
		append(out, (const guint8[]){ bytes[i], 0 }, 2);
}

bool usb_string_descriptor(const struct usb_probe *probe, unsigned index, GByteArray *out)
{
	static const guint8 english[] = { 4, 3, 0x09, 0x04 };
	const char *text = string_at(probe, index);

	if (index == 0)
		append(out, english, sizeof(english));
	if (index == STRING_SERIAL && probe->config.raw_serial != NULL) {
		append_units(out, probe->config.raw_serial, PT_USB_RAW_SERIAL_BYTES);
		return true;
	}
	if (text == NULL)
		return index == 0;
	append_units(out, (const guint8 *)text, strlen(text));
	return true;
}
