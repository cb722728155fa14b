/* The emulated USB probe through unmodified libusb and hidapi: both interfaces, the kernel's errors, the plug. */
#include <hidapi.h>
#include <libusb.h>
#include <string.h>
#include <unistd.h>

#include "harness.h"
#include "usb_probe.h"

enum { OUT = 0x01, IN = 0x81, LONG_MS = 5000, SHORT_MS = 50 };

static struct usb_probe *probe;
static libusb_context *usb;
static libusb_device_handle *handle;

static void plug_in(const char *board, bool hidraw)
{
	struct usb_probe_config config = { .board = board, .hidraw = hidraw, .instant = true };
	struct pt_err err = { 0 };

	probe = usb_probe_new(&config, &err);
	ck_assert_msg(probe != NULL, "%s", err.msg);
}

static void open_bulk(void)
{
	ck_assert_int_eq(libusb_init(&usb), 0);
	handle = libusb_open_device_with_vid_pid(usb, USB_PROBE_VENDOR, USB_PROBE_PRODUCT);
	ck_assert_ptr_nonnull(handle);
	ck_assert_int_eq(libusb_claim_interface(handle, 0), 0);
}

static void setup(void)
{
	plug_in("kl27", false);
	open_bulk();
}

static void teardown(void)
{
	libusb_close(handle);
	libusb_exit(usb);
	usb_probe_free(probe);
}

static int bulk(unsigned char endpoint, void *bytes, int room, unsigned timeout_ms)
{
	int moved = 0, rc = libusb_bulk_transfer(handle, endpoint, bytes, room, &moved, timeout_ms);

	return rc == 0 ? moved : rc;
}

static void expect_packet_bytes(unsigned want)
{
	unsigned char request[] = { 0x00, 0xff }, response[1024] = { 0 };

	ck_assert_int_eq(bulk(OUT, request, 2, LONG_MS), 2);
	ck_assert_int_eq(bulk(IN, response, sizeof(response), LONG_MS), 4);
	ck_assert_uint_eq(pt_le16(response + 2), want);
}

START_TEST(bulk_answers)
{
	expect_packet_bytes(512);
	ck_assert_uint_eq(usb_probe_packets(probe), 1);
}
END_TEST

START_TEST(strings_are_there)
{
	unsigned char text[64];

	ck_assert_int_gt(libusb_get_string_descriptor_ascii(handle, 2, text, sizeof(text)), 0);
	ck_assert_ptr_nonnull(strstr((char *)text, "CMSIS-DAP"));
	ck_assert_int_gt(libusb_get_string_descriptor_ascii(handle, 4, text, sizeof(text)), 0);
	ck_assert_str_eq((char *)text, "CMSIS-DAP v2");
	ck_assert_int_eq(libusb_get_string_descriptor_ascii(handle, 9, text, sizeof(text)), LIBUSB_ERROR_PIPE);
}
END_TEST

START_TEST(errors_are_the_kernel_s)
{
	libusb_device_handle *other = libusb_open_device_with_vid_pid(usb, USB_PROBE_VENDOR, USB_PROBE_PRODUCT);
	unsigned char request[] = { 0x00, 0xff }, response[2];

	ck_assert_int_eq(libusb_claim_interface(other, 0), LIBUSB_ERROR_BUSY);
	ck_assert_int_eq(libusb_claim_interface(other, 7), LIBUSB_ERROR_NOT_FOUND);
	ck_assert_int_eq(bulk(IN, response, 2, SHORT_MS), LIBUSB_ERROR_TIMEOUT);
	ck_assert_int_eq(bulk(OUT, request, 2, LONG_MS), 2);
	ck_assert_int_eq(bulk(IN, response, 2, LONG_MS), LIBUSB_ERROR_OVERFLOW);
	ck_assert_int_eq(libusb_release_interface(handle, 0), 0);
	ck_assert_int_eq(libusb_claim_interface(other, 0), 0);
	libusb_close(other);		/* and its claim goes with it, as soon as umockdev has seen the close */
	for (int i = 0; i < 500 && libusb_claim_interface(handle, 0) == LIBUSB_ERROR_BUSY; i++)
		usleep(10000);
	ck_assert_int_eq(libusb_claim_interface(handle, 0), 0);
}
END_TEST

START_TEST(a_killed_host_leaves_its_response)
{
	unsigned char request[] = { 0x00, 0xfe }, response[64];

	ck_assert_int_eq(bulk(OUT, request, 2, LONG_MS), 2);
	usleep(20000);
	libusb_close(handle);
	libusb_exit(usb);
	open_bulk();
	ck_assert_int_eq(bulk(IN, response, 64, LONG_MS), 3);
	ck_assert_int_eq(bulk(IN, response, 64, SHORT_MS), LIBUSB_ERROR_TIMEOUT);
}
END_TEST

static bool seen_in_bus(void)
{
	libusb_device_handle *h = libusb_open_device_with_vid_pid(usb, USB_PROBE_VENDOR, USB_PROBE_PRODUCT);

	if (h != NULL)
		libusb_close(h);
	return h != NULL;
}

START_TEST(the_plug_is_pulled)
{
	unsigned char request[] = { 0x00, 0xff }, response[64];

	usb_probe_unplug(probe);
	ck_assert_int_lt(bulk(IN, response, 64, LONG_MS), 0);
	ck_assert_int_eq(bulk(OUT, request, 2, LONG_MS), LIBUSB_ERROR_NO_DEVICE);
	libusb_close(handle);
	libusb_exit(usb);
	ck_assert_int_eq(libusb_init(&usb), 0);
	ck_assert(!seen_in_bus());
	libusb_exit(usb);
	usb_probe_plug(probe);
	open_bulk();
	expect_packet_bytes(512);
}
END_TEST

static enum libusb_transfer_status ended;

static void LIBUSB_CALL on_ended(struct libusb_transfer *transfer)
{
	ended = transfer->status;
	*(int *)transfer->user_data = 1;
}

START_TEST(the_plug_is_pulled_in_flight)
{
	struct libusb_transfer *transfer = libusb_alloc_transfer(0);
	unsigned char response[64];
	int completed = 0;

	libusb_fill_bulk_transfer(transfer, handle, IN, response, 64, on_ended, &completed, 0);
	ck_assert_int_eq(libusb_submit_transfer(transfer), 0);
	usb_probe_unplug(probe);
	while (completed == 0)
		ck_assert_int_eq(libusb_handle_events_completed(usb, &completed), 0);
	ck_assert_int_eq(ended, LIBUSB_TRANSFER_NO_DEVICE);
	libusb_free_transfer(transfer);
}
END_TEST

static const struct { const char *board; int first, second; } faults[] = {
	{ "kl27?fault=stall@1", LIBUSB_ERROR_TIMEOUT, 4 },
	{ "kl27?fault=short@1", 2, 4 },
};

START_TEST(faults_strike_packets)
{
	unsigned char request[] = { 0x00, 0xff }, response[64];

	plug_in(faults[_i].board, false);
	open_bulk();
	for (int i = 0; i < 2; i++) {
		ck_assert_int_eq(bulk(OUT, request, 2, LONG_MS), 2);
		ck_assert_int_eq(bulk(IN, response, 64, 500), i == 0 ? faults[_i].first : faults[_i].second);
	}
	teardown();
}
END_TEST

START_TEST(a_fault_may_be_the_plug)
{
	unsigned char request[] = { 0x00, 0xff }, response[64];

	plug_in("kl27?fault=unplug@2", false);
	open_bulk();
	expect_packet_bytes(512);
	ck_assert_int_eq(bulk(OUT, request, 2, LONG_MS), 2);
	ck_assert_int_lt(bulk(IN, response, 64, LONG_MS), 0);
	ck_assert_int_eq(bulk(OUT, request, 2, LONG_MS), LIBUSB_ERROR_NO_DEVICE);
	teardown();
}
END_TEST

START_TEST(full_speed_has_small_packets)
{
	plug_in("kl27?link=bulk-fs", false);
	open_bulk();
	ck_assert_int_eq(libusb_get_device_speed(libusb_get_device(handle)), LIBUSB_SPEED_FULL);
	ck_assert_int_eq(libusb_get_max_packet_size(libusb_get_device(handle), IN), 64);
	expect_packet_bytes(64);
	teardown();
}
END_TEST

START_TEST(two_probes_at_a_time)
{
	struct usb_probe_config second = { .board = "kl27", .serial = "V0002", .port = 2, .instant = true };
	struct usb_probe *other;
	struct pt_err err;
	libusb_device **list;

	plug_in("kl27", false);
	other = usb_probe_new(&second, &err);
	ck_assert_int_eq(libusb_init(&usb), 0);
	ck_assert_int_eq(libusb_get_device_list(usb, &list), 2);
	libusb_free_device_list(list, 1);
	libusb_exit(usb);
	usb_probe_free(other);
	usb_probe_free(probe);
}
END_TEST

/* --- HID */

START_TEST(hidraw_answers)
{
	unsigned char request[65] = { 0, 0x00, 0xff }, report[65];
	struct hid_device_info *list;
	hid_device *hid;

	plug_in("kl27", true);
	list = hid_enumerate(USB_PROBE_VENDOR, USB_PROBE_PRODUCT);
	ck_assert_ptr_nonnull(list);
	ck_assert_ptr_nonnull(wcsstr(list->product_string, L"CMSIS-DAP"));
	hid = hid_open_path(list->path);
	ck_assert_ptr_nonnull(hid);
	hid_free_enumeration(list);
	for (int i = 0; i < 3; i++)
		ck_assert_int_eq(hid_write(hid, request, sizeof(request)), sizeof(request));
	for (int i = 0; i < 3; i++) {
		ck_assert_int_eq(hid_read_timeout(hid, report, sizeof(report), LONG_MS), 64);
		ck_assert_uint_eq(pt_le16(report + 2), 64);
	}
	ck_assert_int_eq(hid_read_timeout(hid, report, sizeof(report), SHORT_MS), 0);
	usb_probe_unplug(probe);
	ck_assert_int_eq(hid_write(hid, request, sizeof(request)), -1);
	hid_close(hid);
	hid_exit();
	usb_probe_free(probe);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("usb_probe");
	TCase *open_case = tcase_create("open"), *own = tcase_create("own");

	tcase_add_checked_fixture(open_case, setup, teardown);
	tcase_add_test(open_case, bulk_answers);
	tcase_add_test(open_case, strings_are_there);
	tcase_add_test(open_case, errors_are_the_kernel_s);
	tcase_add_test(open_case, a_killed_host_leaves_its_response);
	tcase_add_test(open_case, the_plug_is_pulled);
	tcase_add_test(open_case, the_plug_is_pulled_in_flight);
	tcase_add_loop_test(own, faults_strike_packets, 0, PT_LEN(faults));
	tcase_add_test(own, a_fault_may_be_the_plug);
	tcase_add_test(own, full_speed_has_small_packets);
	tcase_add_test(own, two_probes_at_a_time);
	tcase_add_test(own, hidraw_answers);
	suite_add_tcase(suite, open_case);
	suite_add_tcase(suite, own);
	return pt_run_suite(suite);
}
