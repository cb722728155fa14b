/* Which USB devices are taken for CMSIS-DAP probes, and by which of their interfaces: devices that are only described,
 * by umockdev, as the kernel describes them. What opens and answers is in test_link_usb.c.
 * Source: host code of OpenOCD and pyOCD. */
#include <string.h>
#include <umockdev.h>
#include <unistd.h>

#include "harness.h"
#include "probes/registry.h"
#include "probes/rsp/rsp_stream.h"

enum { MAX_INTERFACES = 3, MAX_BYTES = 256 };
enum { VENDOR = 0xff, CDC_DATA = 0x0a, STORAGE = 8, HID = 3, UNSET = 0 };
enum ends { NONE, PAIR, IN_ONLY, PAIR_AND_SWO };	/* bulk endpoints */

struct interface {
	unsigned class;
	enum ends ends;
	const char *name;		/* NULL: it has none */
	unsigned usage_page;		/* HID */
};

static const struct device {
	const char *what, *transports;	/* NULL: not a probe */
	unsigned vid, pid, class;
	const char *product;
	struct interface interface[MAX_INTERFACES];	/* up to one without a name, endpoints and page */
} devices[] = {
	{ "v2", "bulk", 0x0d28, 0x0204, 0xef, "DAPLink", { { VENDOR, PAIR, "CMSIS-DAP v2", 0 } } },
	{ "v1", "hid", 0x0d28, 0x0204, 0xef, "DAPLink CMSIS-DAP", { { HID, NONE, "CMSIS-DAP v1", 0xff00 } } },
	{ "both", "bulk hid", 0x0d28, 0x0204, 0xef, "DAPLink CMSIS-DAP",
	  { { HID, NONE, "CMSIS-DAP v1", 0xff00 }, { VENDOR, PAIR, "CMSIS-DAP v2", 0 } } },
	{ "an endpoint for SWO", "bulk", 0x0d28, 0x0204, 0xef, "Probe",
	  { { VENDOR, PAIR_AND_SWO, "CMSIS-DAP v2", 0 } } },
	{ "wrong class, right name (KitProg3)", "bulk", 0x04b4, 0xf155, 0xef, "KitProg3",
	  { { UNSET, PAIR, "KitProg3 CMSIS-DAP v2", 0 } } },
	{ "device class 2 (old Mbed)", "bulk", 0x0d28, 0x0204, 2, "MBED", { { VENDOR, PAIR, "MBED CMSIS-DAP", 0 } } },
	{ "the product says it, one interface can be meant", "bulk", 0xc251, 0xf002, 0, "My CMSIS-DAP",
	  { { VENDOR, PAIR, NULL, 0 } } },
	{ "the product says it, two could be meant", NULL, 0xc251, 0xf002, 0, "My CMSIS-DAP",
	  { { VENDOR, PAIR, NULL, 0 }, { VENDOR, PAIR, "other", 0 } } },
	{ "one of two is named", "bulk", 0xc251, 0xf002, 0, "Probe",
	  { { VENDOR, PAIR, "trace", 0 }, { VENDOR, PAIR, "CMSIS-DAP v2", 0 } } },
	{ "misspelled", "bulk", 0xc251, 0xf002, 0, "My CMSIS_DAP", { { VENDOR, PAIR, NULL, 0 } } },
	{ "WCH-Link as CMSIS-DAP", "bulk", 0x1a86, 0x8011, 0, "WCH-Link", { { VENDOR, PAIR, NULL, 0 } } },
	{ "WCH-LinkE as CMSIS-DAP", "bulk", 0x1a86, 0x8012, 0, "WCH-Link", { { VENDOR, PAIR, NULL, 0 } } },
	{ "Picoprobe of 2023", "bulk", 0x2e8a, 0x0004, 0xef, "Picoprobe", { { VENDOR, PAIR, "Picoprobe CMSIS-DAP", 0 } } },
	{ "a serial port", NULL, 0x0d28, 0x0204, 0xef, "CMSIS-DAP", { { CDC_DATA, PAIR, "CMSIS-DAP UART", 0 } } },
	{ "a disk", NULL, 0x0d28, 0x0204, 0xef, "CMSIS-DAP", { { STORAGE, PAIR, "CMSIS-DAP disk", 0 } } },
	{ "no way to it", NULL, 0x0d28, 0x0204, 0xef, "CMSIS-DAP", { { VENDOR, IN_ONLY, "CMSIS-DAP v2", 0 } } },
	{ "something else", NULL, 0x046d, 0xc077, 0, "Mouse",
	  { { VENDOR, PAIR, "mouse", 0 }, { HID, NONE, "mouse", 1 } } },
	{ "a keyboard page", NULL, 0x04b4, 0xf154, 0, "KitProg3 CMSIS-DAP", { { HID, NONE, "bridge", 1 } } },
	{ "LPC-Link2's first HID interface", "hid", 0x1fc9, 0x0090, 0, "LPC-Link2 CMSIS-DAP",
	  { { HID, NONE, "CMSIS-DAP", 0xff00 } } },
	{ "LPC-Link2's second", NULL, 0x1fc9, 0x0090, 0, "LPC-Link2 CMSIS-DAP",
	  { { STORAGE, PAIR, "disk", 0 }, { HID, NONE, "VCOM", 0xff00 } } },
};

static const struct { struct device device; const char *says; } refused[] = {
	{ { "WCH-Link in its other mode", "bulk", 0x1a86, 0x8010, 0, "WCH-Link", { { VENDOR, PAIR, NULL, 0 } } },
	  "is a WCH-Link in its mode for RISC-V: hold its button ModeS" },
	{ { "Picoprobe of before 2023", "bulk", 0x2e8a, 0x0004, 0xef, "Picoprobe",
	    { { CDC_DATA, PAIR, NULL, 0 }, { VENDOR, PAIR, NULL, 0 } } }, "write the firmware debugprobe.uf2" },
	{ { "ST-Link V1", "bulk", 0x0483, 0x3744, 0, "STM32 STLink", { { STORAGE, PAIR, NULL, 0 } } }, "is an ST-Link V1: a V2" },
	{ { "ST-Link V3", "bulk", 0x0483, 0x374d, 0, "ST-Link V3", { { VENDOR, PAIR, NULL, 0 } } }, "in its boot loader" },
};

struct bytes { size_t n; uint8_t at[MAX_BYTES]; };

static void put(struct bytes *out, const uint8_t *bytes, size_t n)
{
	memcpy(out->at + out->n, bytes, n);
	out->n += n;
}

static unsigned n_interfaces(const struct device *d)
{
	unsigned n = 0;

	while (n < MAX_INTERFACES && (d->interface[n].ends != NONE || d->interface[n].usage_page != 0))
		n++;
	return n;
}

/* One interface descriptor and its endpoints. Source: USB 2.0, 9.6 */
static void put_interface(struct bytes *out, unsigned number, const struct interface *i)
{
	static const uint8_t end[][7] = {
		{ 7, 5, 0x01, 2, 0x40, 0, 0 }, { 7, 5, 0x81, 2, 0x40, 0, 0 }, { 7, 5, 0x82, 2, 0x40, 0, 0 },
	};
	static const struct { unsigned first, n; } ends[] = {
		[NONE] = { 0, 0 }, [PAIR] = { 0, 2 }, [IN_ONLY] = { 1, 1 }, [PAIR_AND_SWO] = { 0, 3 },
	};
	const uint8_t head[] = { 9, 4, (uint8_t)number, 0, (uint8_t)ends[i->ends].n, (uint8_t)i->class, 0, 0, 0 };

	put(out, head, sizeof(head));
	for (unsigned n = 0; n < ends[i->ends].n; n++)
		put(out, end[ends[i->ends].first + n], sizeof(end[0]));
}

static void descriptors(const struct device *d, struct bytes *out)
{
	const uint8_t device[] = {
		18, 1, 0x00, 0x02, (uint8_t)d->class, 0, 0, 64, (uint8_t)d->vid, (uint8_t)(d->vid >> 8),
		(uint8_t)d->pid, (uint8_t)(d->pid >> 8), 0x00, 0x01, 0, 0, 0, 1,
	};
	const uint8_t config[] = { 9, 2, 0, 0, (uint8_t)n_interfaces(d), 1, 0, 0x80, 250 };
	size_t begin = sizeof(device);

	put(out, device, sizeof(device));
	put(out, config, sizeof(config));
	for (unsigned i = 0; i < n_interfaces(d); i++)
		put_interface(out, i, &d->interface[i]);
	out->at[begin + 2] = (uint8_t)(out->n - begin);
}

static void say_hex(GString *text, const uint8_t *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		g_string_append_printf(text, "%02X", bytes[i]);
	g_string_append(text, "\n\n");
}

#define SYS "/devices/pci0000:00/0000:00:14.0/usb1/1-3"

static void say_hid(GString *text, const struct device *d, unsigned number, const struct interface *i)
{
	const uint8_t report[] = {
		0x06, (uint8_t)i->usage_page, (uint8_t)(i->usage_page >> 8), 0x09, 1, 0xa1, 1, 0x75, 8, 0x95, 64,
		0x09, 1, 0x81, 2, 0x09, 1, 0x91, 2, 0xc0,
	};

	g_string_append_printf(text,
			       "P: " SYS "/1-3:1.%u/0003:%04X:%04X.0001\nE: SUBSYSTEM=hid\n"
			       "E: DRIVER=hid-generic\nE: HID_ID=0003:%08X:%08X\nE: HID_NAME=%s\nE: HID_UNIQ=S1\n"
			       "H: report_descriptor=",
			       number, d->vid, d->pid, d->vid, d->pid, d->product);
	say_hex(text, report, sizeof(report));
	g_string_append_printf(text,
			       "P: " SYS "/1-3:1.%u/0003:%04X:%04X.0001/hidraw/hidraw0\nN: hidraw0=00\n"
			       "E: DEVNAME=/dev/hidraw0\nE: SUBSYSTEM=hidraw\nA: dev=243:0\\n\n\n",
			       number, d->vid, d->pid);
}

/* umockdev leaves out the link from a hidraw node to its device, by which hosts find the report descriptor. */
static void link_hidraw(UMockdevTestbed *bed, const struct device *d, unsigned number)
{
	g_autofree char *root = umockdev_testbed_get_root_dir(bed);
	g_autofree char *hid = g_strdup_printf("0003:%04X:%04X.0001", d->vid, d->pid);
	g_autofree char *path = g_strdup_printf("%s/sys" SYS "/1-3:1.%u/%s/hidraw/hidraw0/device", root, number, hid);
	g_autofree char *to = g_strconcat("../../../", hid, NULL);

	ck_assert_int_eq(symlink(to, path), 0);
}

static void say_interface(GString *text, const struct device *d, unsigned number)
{
	const struct interface *i = &d->interface[number];

	g_string_append_printf(text,
			       "P: " SYS "/1-3:1.%u\nE: DEVTYPE=usb_interface\nE: SUBSYSTEM=usb\n"
			       "A: bInterfaceNumber=%02u\\n\n",
			       number, number);
	if (i->name != NULL)
		g_string_append_printf(text, "A: interface=%s\\n\n", i->name);
	g_string_append(text, "\n");
	if (i->usage_page != 0)
		say_hid(text, d, number, i);
}

static UMockdevTestbed *plug_in(const struct device *d)
{
	UMockdevTestbed *bed = umockdev_testbed_new();
	g_autoptr(GString) text = g_string_new(NULL);
	g_autoptr(GError) error = NULL;
	struct bytes bytes = { 0 };

	descriptors(d, &bytes);
	g_string_append_printf(text,
			       "P: " SYS "\nN: bus/usb/001/004\nE: BUSNUM=001\nE: DEVNUM=004\n"
			       "E: DEVNAME=/dev/bus/usb/001/004\nE: DEVTYPE=usb_device\nE: SUBSYSTEM=usb\n"
			       "E: PRODUCT=%x/%x/100\nA: busnum=1\\n\nA: devnum=4\\n\nA: dev=189:3\\n\nA: speed=12\\n\n"
			       "A: bConfigurationValue=1\\n\nA: idVendor=%04x\\n\nA: idProduct=%04x\\n\n"
			       "A: bcdDevice=0100\\n\nA: product=%s\\n\nA: serial=S1\\n\nH: descriptors=",
			       d->vid, d->pid, d->vid, d->pid, d->product);
	say_hex(text, bytes.at, bytes.n);
	for (unsigned i = 0; i < n_interfaces(d); i++)
		say_interface(text, d, i);
	umockdev_testbed_add_from_string(bed, text->str, &error);
	ck_assert_msg(error == NULL, "%s", error != NULL ? error->message : "");
	for (unsigned i = 0; i < n_interfaces(d); i++)
		if (d->interface[i].usage_page != 0)
			link_hidraw(bed, d, i);
	return bed;
}

START_TEST(takes_for_a_probe)
{
	const struct device *d = &devices[_i];
	UMockdevTestbed *bed = plug_in(d);
	struct pt_probe_found found[4];
	struct pt_err err = { 0 };
	int n = pt_probe_list(found, 4, &err);

	ck_assert_msg(n == (d->transports != NULL), "%s: %d found", d->what, n);
	if (n > 0) {
		ck_assert_msg(strcmp(found[0].transports, d->transports) == 0, "%s: %s", d->what, found[0].transports);
		ck_assert_str_eq(found[0].uri, "cmsis-dap:serial=S1");
		ck_assert_str_eq(found[0].where, "usb 1-3");
		ck_assert_uint_eq(found[0].usb_pid, d->pid);
	}
	g_object_unref(bed);
}
END_TEST

/* It is in the list, and opening it says what to do. */
START_TEST(refuses_in_words)
{
	UMockdevTestbed *bed = plug_in(&refused[_i].device);
	struct pt_probe_found found[4];
	struct pt_err err = { 0 };

	ck_assert_int_eq(pt_probe_list(found, 4, &err), 1);
	ck_assert_str_eq(found[0].product, refused[_i].device.product);
	ck_assert_ptr_null(pt_probe_open("", NULL, &err));
	ck_assert_int_eq(err.code, PT_EUNSUPPORTED);
	ck_assert_msg(strstr(err.msg, refused[_i].says) != NULL, "%s", err.msg);
	g_object_unref(bed);
}
END_TEST

/* --- serial ports ------------------------------------------------------------------------------------------------- */

/* Two ports of one device, the target's UART ahead of the GDB port in the folder of all ports. */
static const struct { unsigned iface; const char *text; } ports[] = {
	{ 2, "Black Magic UART Port" }, { 0, "Black Magic GDB Server" },
};

#define BUS "/devices/pci0000:00/0000:00:14.0/usb1"

/* usb_port: 3 or 4. Its ports are ttyACM0 and 1, or 2 and 3. */
static void add_ports(UMockdevTestbed *bed, unsigned vid, unsigned pid, unsigned usb_port)
{
	g_autofree char *root = umockdev_testbed_get_root_dir(bed);
	g_autoptr(GString) text = g_string_new(NULL);
	g_autoptr(GError) error = NULL;

	g_string_append_printf(text,
			       "P: " BUS "/1-%u\nE: DEVTYPE=usb_device\nE: SUBSYSTEM=usb\nA: idVendor=%04x\\n\nA: "
			       "idProduct=%04x\\n\nA: product=Black Magic Probe v1.9.2\\n\nA: serial=S1\\n\n\n",
			       usb_port, vid, pid);
	for (size_t i = 0; i < PT_LEN(ports); i++) {
		unsigned minor = (usb_port - 3) * 2 + (unsigned)i, iface = ports[i].iface;

		g_string_append_printf(text,
				       "P: " BUS "/1-%u/1-%u:1.%u\nE: DEVTYPE=usb_interface\nE: SUBSYSTEM=usb\nA: "
				       "bInterfaceNumber=%02u\\n\nA: interface=%s\\n\n\nP: " BUS
				       "/1-%u/1-%u:1.%u/tty/ttyACM%u\nN: ttyACM%u\nE: DEVNAME=/dev/ttyACM%u\n"
				       "E: SUBSYSTEM=tty\nA: dev=166:%u\\n\n\n",
				       usb_port, usb_port, iface, iface, ports[i].text, usb_port, usb_port, iface,
				       minor, minor, minor, minor);
	}
	umockdev_testbed_add_from_string(bed, text->str, &error);
	ck_assert_msg(error == NULL, "%s", error != NULL ? error->message : "");
	for (size_t i = 0; i < PT_LEN(ports); i++) {
		g_autofree char *path = g_strdup_printf("%s/sys" BUS "/1-%u/1-%u:1.%u/tty/ttyACM%zu/device", root,
							usb_port, usb_port, ports[i].iface, (usb_port - 3) * 2 + i);

		ck_assert_int_eq(symlink("../..", path), 0);
	}
}

static UMockdevTestbed *plug_in_ports(unsigned vid, unsigned pid)
{
	UMockdevTestbed *bed = umockdev_testbed_new();

	add_ports(bed, vid, pid, 3);
	return bed;
}

/* A Black Magic Probe is listed by its GDB port, and not opened for that. Of any other device on a serial port nobody
 * knows what it is, but its serial number leads to it. */
START_TEST(finds_the_gdb_port)
{
	UMockdevTestbed *bed = plug_in_ports(0x1d50, 0x6018);
	struct pt_probe_found found[2];
	struct pt_err err = { 0 };

	ck_assert_int_eq(pt_probe_list(found, 2, &err), 1);
	ck_assert_str_eq(found[0].uri, "rsp:serial=S1");
	ck_assert_str_eq(found[0].where, "usb 1-3");
	ck_assert_str_eq(found[0].product, "Black Magic Probe v1.9.2");
	ck_assert_str_eq(found[0].transports, "serial");
	ck_assert_str_eq(found[0].node[0], "/dev/ttyACM1");
	ck_assert_str_eq(found[0].left_alone, "a GDB server");
	g_object_unref(bed);
	bed = plug_in_ports(0x1209, 0x0001);
	ck_assert_int_eq(pt_probe_list(found, 2, &err), 0);
	ck_assert_ptr_null(pt_probe_open("rsp:serial=S2", NULL, &err));
	ck_assert_msg(strstr(err.msg, "with serial=S2") != NULL, "%s", err.msg);
	ck_assert_ptr_null(pt_probe_open("rsp:usb=1-3", NULL, &err));
	ck_assert_msg(strstr(err.msg, "/dev/ttyACM1") != NULL, "%s", err.msg);
	g_object_unref(bed);
}
END_TEST

/* Two with one serial number are told apart by their ports. */
START_TEST(refuses_a_serial_number_of_two)
{
	UMockdevTestbed *bed = plug_in_ports(0x1d50, 0x6018);
	struct pt_probe_found found[2];
	struct pt_err err = { 0 };

	add_ports(bed, 0x1d50, 0x6018, 4);
	ck_assert_int_eq(pt_probe_list(found, 2, &err), 2);
	ck_assert_str_eq(found[0].uri, "rsp:usb=1-3");
	ck_assert_str_eq(found[1].uri, "rsp:usb=1-4");
	ck_assert_ptr_null(pt_probe_open("rsp:serial=S1", NULL, &err));
	ck_assert_msg(strstr(err.msg,
			     "have the same serial number, S1: name one by its port, rsp:usb=1-3 or rsp:usb=1-4") !=
			      NULL,
		      "%s", err.msg);
	ck_assert_ptr_null(pt_probe_open("rsp:usb=1-4", NULL, &err));
	ck_assert_msg(strstr(err.msg, "/dev/ttyACM3") != NULL, "%s", err.msg);
	g_object_unref(bed);
}
END_TEST

/* The UART of a Black Magic Probe has no GDB server behind it. */
START_TEST(names_the_gdb_port_of_a_uart)
{
	UMockdevTestbed *bed = plug_in_ports(0x1d50, 0x6018);
	char advice[160];

	pt_rsp_serial_advice("/dev/ttyACM0", advice, sizeof(advice));
	ck_assert_str_eq(advice,
			 "it is the second port of its device: the GDB server is at the first, rsp:/dev/ttyACM1");
	pt_rsp_serial_advice("/dev/ttyACM1", advice, sizeof(advice));
	ck_assert_str_eq(advice, "a GDB server may be on another port, or at another rate (rsp:/dev/ttyACM1?baud=N)");
	g_object_unref(bed);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("usb_finding");
	TCase *tc = tcase_create("devices");

	tcase_add_loop_test(tc, takes_for_a_probe, 0, (int)PT_LEN(devices));
	tcase_add_loop_test(tc, refuses_in_words, 0, (int)PT_LEN(refused));
	tcase_add_test(tc, finds_the_gdb_port);
	tcase_add_test(tc, refuses_a_serial_number_of_two);
	tcase_add_test(tc, names_the_gdb_port_of_a_uart);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
