/* The USB links on an emulated probe, through unmodified libusb and hidapi: finding, opening, the plug, other programs,
 * interrupt. What runs over them is the CMSIS-DAP driver with the virtual board behind the device. */
#define _GNU_SOURCE	/* setresuid */
#include <dlfcn.h>
#include <hidapi.h>
#include <libusb.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness.h"
#include "host/clock.h"
#include "probes/registry.h"
#include "usb_probe.h"

enum { SECOND_MS = 1000, NOBODY = 65534 };

/* A HID device that takes no report, as the kernel sees it. */
static _Atomic bool takes_nothing;
static sem_t silence, written;

int hid_write(hid_device *device, const unsigned char *report, size_t len_bytes)
{
	int (*real)(hid_device *, const unsigned char *, size_t), rc;

	if (takes_nothing)
		while (sem_wait(&silence) != 0)
			;
	*(void **)&real = dlsym(RTLD_NEXT, "hid_write");
	rc = real(device, report, len_bytes);
	if (takes_nothing)
		sem_post(&written);
	return rc;
}

static struct usb_probe *usb;
static struct pt_err err;

static void plug_in(const char *board)
{
	struct usb_probe_config config = { .board = board, .hidraw = true, .instant = true };

	usb = usb_probe_new(&config, &err);
	ck_assert_msg(usb != NULL, "%s", err.msg);
}

static void setup(void)
{
	plug_in("kl27");
}

static void teardown(void)
{
	usb_probe_free(usb);
}

static struct pt_probe *open_uri(const char *uri)
{
	struct pt_probe *probe = pt_probe_open(uri, NULL, &err);

	ck_assert_msg(probe != NULL, "%s: %s", uri, err.msg);
	return probe;
}

static int connect_and_read(struct pt_probe *probe)
{
	void *wire;
	const struct pt_dap_ops *dap = pt_probe_dap(probe, &wire);
	uint32_t id = 0;
	struct pt_dap_op op = { .what = PT_DAP_READ, .a = 0, .words = &id };
	size_t n_done;
	int rc = dap->connect(wire, PT_DAP_SWD, &err);

	if (rc == 0)
		rc = dap->run(wire, &op, 1, SECOND_MS, &n_done, &err);
	if (rc == 0)
		ck_assert_uint_eq(id, 0x0bc11477);
	return rc;
}

/* CTRL/STAT never has this bit: the poll lasts until it is given up; longer than any test may. */
enum { FOR_EVER_US = 1000000000 };

static int poll_in_vain(struct pt_probe *probe, uint32_t time_us)
{
	void *wire;
	const struct pt_dap_ops *dap = pt_probe_dap(probe, &wire);
	struct pt_dap_op op = { .what = PT_DAP_POLL, .a = 4, .mask = 2, .value = 2, .time_us = time_us };
	size_t n_done;

	return dap->run(wire, &op, 1, SECOND_MS, &n_done, &err);
}

/* --- finding */

START_TEST(lists_a_device_once)
{
	struct pt_probe_found found[4];

	ck_assert_int_eq(pt_probe_list(found, 4, &err), 1);
	ck_assert_str_eq(found[0].uri, "cmsis-dap:serial=V0001");
	ck_assert_str_eq(found[0].transports, "bulk hid");
	ck_assert_str_eq(found[0].where, "usb 1-1");
	ck_assert_str_eq(found[0].product, "proftap virtual CMSIS-DAP");
	ck_assert_uint_eq(found[0].usb_vid, USB_PROBE_VENDOR);
	ck_assert(found[0].permitted);
	ck_assert_int_eq(pt_probe_list(found, 0, &err), 1);
}
END_TEST

/* NULL: each is named by its serial number. */
static void expect_refusal(const char *says)
{
	struct pt_probe *probe = pt_probe_open("cmsis-dap:serial=V0001", NULL, &err);

	ck_assert((probe == NULL) == (says != NULL));
	ck_assert_msg(says == NULL || strstr(err.msg, says) != NULL, "%s", err.msg);
	pt_probe_close(probe);
	probe = open_uri("cmsis-dap:serial=V0001&usb=1-1");
	pt_probe_close(probe);
}

static void expect_uri(const char *serial, const char *first, const char *second, const char *refusal)
{
	struct usb_probe_config config = { .board = "kl27", .serial = serial, .port = 2, .instant = true };
	struct usb_probe *other = usb_probe_new(&config, &err);
	struct pt_probe_found found[4];

	ck_assert_int_eq(pt_probe_list(found, 4, &err), 2);
	if (strcmp(found[0].where, "usb 1-1") != 0) {	/* in whichever order the bus is walked */
		struct pt_probe_found swapped = found[0];

		found[0] = found[1];
		found[1] = swapped;
	}
	ck_assert_str_eq(found[0].uri, first);
	ck_assert_str_eq(found[1].uri, second);
	ck_assert(found[0].shares_serial == (refusal != NULL) && found[1].shares_serial == (refusal != NULL));
	expect_refusal(refusal);
	for (int i = 0; i < 2; i++) {
		struct pt_probe_info info;
		struct pt_probe *probe = open_uri(found[i].uri);

		pt_probe_info(probe, &info);
		ck_assert_str_eq(info.link.where, found[i].where);
		pt_probe_close(probe);
	}
	usb_probe_free(other);
}

START_TEST(tells_probes_apart)
{
	expect_uri("V0002", "cmsis-dap:serial=V0001", "cmsis-dap:serial=V0002", NULL);
	expect_uri("V0001", "cmsis-dap:usb=1-1", "cmsis-dap:usb=1-2",
		   "have the same serial number, V0001: name one by its port");
}
END_TEST

static const struct {
	const char *uri, *transport;	/* NULL: not found */
} uris[] = {
	{ "", "bulk" }, { "cmsis-dap:", "bulk" }, { "cmsis-dap:serial=V0001", "bulk" }, { "cmsis-dap:usb=1-1", "bulk" },
	{ "cmsis-dap:link=hid", "hid" }, { "cmsis-dap:usb=1-1&link=bulk", "bulk" },
	{ "cmsis-dap:serial=V00*", "bulk" }, { "cmsis-dap:id=1209:0001", "bulk" }, { "usb:", "bulk" },
	{ "usb:serial=V0002|V0001", "bulk" }, { "usb:serial=A*|V*&id=0d28:0204|1209:0001", "bulk" },
	{ "usb:usb=1-1&link=hid", "hid" },
	{ "cmsis-dap:serial=V0002", NULL }, { "cmsis-dap:usb=1-2", NULL }, { "usb:serial=V000", NULL },
	{ "usb:serial=W*|V0002*", NULL }, { "usb:id=0d28:0204", NULL }, { "usb:id=1209:000", NULL },
};

START_TEST(opens_what_the_uri_names)
{
	struct pt_probe *probe = pt_probe_open(uris[_i].uri, NULL, &err);
	struct pt_probe_info info;

	if (uris[_i].transport == NULL) {
		ck_assert_ptr_null(probe);
		ck_assert_int_eq(err.code, PT_EIO);
		ck_assert_ptr_nonnull(strstr(err.msg, "V0001"));	/* says what there is */
		return;
	}
	ck_assert_msg(probe != NULL, "%s: %s", uris[_i].uri, err.msg);
	pt_probe_info(probe, &info);
	ck_assert_str_eq(info.link.transport, uris[_i].transport);
	ck_assert_str_eq(info.link.serial, "V0001");
	ck_assert_uint_eq(info.packet_bytes, strcmp(uris[_i].transport, "hid") == 0 ? 64 : 512);
	ck_assert_int_eq(connect_and_read(probe), 0);
	pt_probe_close(probe);
}
END_TEST

START_TEST(says_that_none_is_plugged_in)
{
	usb_probe_unplug(usb);
	ck_assert_int_eq(pt_probe_list(NULL, 0, &err), 0);
	ck_assert_ptr_null(pt_probe_open("", NULL, &err));
	ck_assert_int_eq(err.code, PT_EIO);
}
END_TEST

static void count_change(void *arg)
{
	sem_post(arg);
}

/* Whoever waits for a probe need not look again and again; an address on the network has nothing to wait for. */
START_TEST(tells_when_a_probe_comes_and_goes)
{
	struct pt_probe_watch *watch;
	sem_t changes;

	sem_init(&changes, 0, 0);
	ck_assert_ptr_null(pt_probe_watch_new("cmsis-dap:tcp=127.0.0.1:1", count_change, &changes));
	ck_assert_ptr_null(pt_probe_watch_new("xvc:127.0.0.1:1", count_change, &changes));
	ck_assert(!pt_probe_watch_is_certain(NULL));
	watch = pt_probe_watch_new("cmsis-dap:", count_change, &changes);
	ck_assert_ptr_nonnull(watch);
	usb_probe_unplug(usb);
	while (sem_wait(&changes) != 0)
		;
	ck_assert(pt_probe_watch_is_certain(watch));
	usb_probe_plug(usb);
	while (sem_wait(&changes) != 0)
		;
	pt_probe_watch_free(watch);
	pt_probe_watch_free(NULL);
	sem_destroy(&changes);
}
END_TEST

START_TEST(names_the_cure_for_no_permission)
{
	struct pt_probe_found found[1];
	struct stat st;
	static const char line[] = "SUBSYSTEM==\"usb|hidraw\", ATTRS{product}==\"*CMSIS-DAP*\", GROUP=\"plugdev\", "
				   "MODE=\"0660\", TAG+=\"uaccess\"";
	char rules[4096] = "";
	FILE *f = fopen(PT_RULES, "r");

	ck_assert_ptr_nonnull(f);
	ck_assert_uint_gt(fread(rules, 1, sizeof(rules) - 1, f), 0);
	fclose(f);
	ck_assert_ptr_nonnull(strstr(rules, line));
	usb_probe_set_mode(usb, 0);
	ck_assert_int_eq(stat(getenv("UMOCKDEV_DIR"), &st), 0);
	ck_assert_int_eq(chmod(getenv("UMOCKDEV_DIR"), 0777), 0);	/* libudev makes sockets there */
	if (geteuid() == 0)
		ck_assert_int_eq(setresuid(NOBODY, NOBODY, NOBODY), 0);
	ck_assert_int_eq(pt_probe_list(found, 1, &err), 1);
	ck_assert(!found[0].permitted);
	ck_assert_ptr_null(pt_probe_open("", NULL, &err));
	ck_assert_int_eq(err.code, PT_EPERM);
	ck_assert_msg(strstr(err.msg, line) != NULL, "%s", err.msg);
	_exit(0);	/* as nobody, the test bed cannot be cleared away: the parent's is */
}
END_TEST

/* --- both links */

static const char *const links[] = { "cmsis-dap:link=bulk", "cmsis-dap:link=hid" };

START_TEST(is_lost_with_the_plug_and_back_with_it)
{
	struct pt_probe *probe = open_uri(links[_i]);

	ck_assert_int_eq(connect_and_read(probe), 0);
	usb_probe_unplug(usb);
	ck_assert_int_eq(connect_and_read(probe), PT_EIO);
	ck_assert_int_eq(connect_and_read(probe), PT_EIO);
	ck_assert_int_eq(pt_link_wait(pt_probe_link(probe), 0, &err), PT_EIO);
	pt_probe_close(probe);
	usb_probe_plug(usb);
	probe = open_uri(links[_i]);
	ck_assert_int_eq(connect_and_read(probe), 0);
	pt_probe_close(probe);
}
END_TEST

static void *unplug_soon(void *arg)
{
	(void)arg;
	usleep(50000);
	usb_probe_unplug(usb);
	return NULL;
}

START_TEST(is_lost_at_once_in_flight)
{
	struct pt_probe *probe = open_uri(links[_i]);
	pthread_t thread;

	ck_assert_int_eq(connect_and_read(probe), 0);
	pthread_create(&thread, NULL, unplug_soon, NULL);
	ck_assert_int_eq(poll_in_vain(probe, FOR_EVER_US), PT_EIO);
	pthread_join(thread, NULL);
	pt_probe_close(probe);
}
END_TEST

START_TEST(does_not_wait_for_a_hid_device_that_takes_nothing)
{
	struct pt_probe *probe = open_uri("cmsis-dap:link=hid");

	ck_assert_int_eq(connect_and_read(probe), 0);
	sem_init(&silence, 0, 0);
	sem_init(&written, 0, 0);
	takes_nothing = true;
	ck_assert_int_eq(connect_and_read(probe), PT_EIO);
	ck_assert_msg(strstr(err.msg, "takes nothing") != NULL, "%s", err.msg);
	ck_assert_int_eq(connect_and_read(probe), PT_EIO);
	pt_probe_close(probe);			/* and the write is still under way */
	ck_assert_ptr_null(pt_probe_open("cmsis-dap:link=hid", NULL, &err));
	ck_assert_int_eq(err.code, PT_EBUSY);
	sem_post(&silence);
	ck_assert_int_eq(sem_wait(&written), 0);
	takes_nothing = false;
	while ((probe = pt_probe_open("cmsis-dap:link=hid", NULL, &err)) == NULL)
		ck_assert_int_eq(err.code, PT_EBUSY);	/* the thread is about to leave */
	ck_assert_int_eq(connect_and_read(probe), 0);
	pt_probe_close(probe);
}
END_TEST

static struct pt_probe *to_interrupt;

static void *interrupt_soon(void *arg)
{
	(void)arg;
	usleep(50000);
	pt_probe_interrupt(to_interrupt);
	return NULL;
}

START_TEST(is_interrupted_soon)
{
	struct pt_probe *probe = open_uri(links[_i]);
	pthread_t thread;

	to_interrupt = probe;
	ck_assert_int_eq(connect_and_read(probe), 0);
	pthread_create(&thread, NULL, interrupt_soon, NULL);
	ck_assert_int_eq(poll_in_vain(probe, FOR_EVER_US), PT_EINTERRUPTED);
	pthread_join(thread, NULL);
	ck_assert_int_eq(connect_and_read(probe), 0);
	pthread_create(&thread, NULL, interrupt_soon, NULL);
	ck_assert_int_eq(pt_link_wait(pt_probe_link(probe), pt_host_now_ns() + FOR_EVER_US * UINT64_C(1000), &err),
			 PT_EINTERRUPTED);
	pthread_join(thread, NULL);
	pt_probe_close(probe);
}
END_TEST

static uint32_t dumped[4096];

START_TEST(is_claimed_by_one)
{
	struct pt_probe *probe = open_uri(links[_i]);

	ck_assert_int_eq(connect_and_read(probe), 0);
	ck_assert_ptr_null(pt_probe_open(links[_i], NULL, &err));
	ck_assert_int_eq(err.code, PT_EBUSY);
	ck_assert_int_eq(pt_probe_list(NULL, 0, &err), 1);
	ck_assert_int_eq(connect_and_read(probe), 0);	/* undisturbed */
	pt_probe_close(probe);
	probe = open_uri(links[_i]);
	pt_probe_close(probe);
}
END_TEST

/* A packet may be longer than what the endpoint moves at once. */
static const struct {
	const char *board, *uri;
	uint64_t packets;
} packets[] = {
	{ "kl27", "cmsis-dap:link=bulk", 33 }, { "kl27", "cmsis-dap:link=hid", 274 },
	{ "kl27?link=bulk-fs", "cmsis-dap:link=bulk", 274 }, { "kl27?link=tcp", "cmsis-dap:link=bulk", 17 },
};

START_TEST(moves_memory_in_full_packets)
{
	struct pt_dap_op op = { .what = PT_DAP_READ_BLOCK, .a = 0, .words = dumped, .n_words = PT_LEN(dumped) };
	const struct pt_dap_ops *dap;
	struct pt_probe *probe;
	uint64_t before;
	size_t n_done;
	void *wire;

	plug_in(packets[_i].board);
	probe = open_uri(packets[_i].uri);
	dap = pt_probe_dap(probe, &wire);
	ck_assert_int_eq(connect_and_read(probe), 0);
	before = usb_probe_packets(usb);
	ck_assert_int_eq(dap->run(wire, &op, 1, SECOND_MS, &n_done, &err), 0);
	ck_assert_uint_eq(usb_probe_packets(usb) - before, packets[_i].packets);
	for (size_t i = 0; i < PT_LEN(dumped); i++)
		ck_assert_uint_eq(dumped[i], 0x0bc11477);
	pt_probe_close(probe);
	usb_probe_free(usb);
}
END_TEST

/* What the device does at its 20th packet, after opening; then it is well again. */
static const struct {
	const char *board;
	int rc;
} faults[] = {
	{ "kl27?fault=stall@20", PT_ETIMEOUT },
	{ "kl27?fault=short@20", PT_EPROTO },
	{ "kl27?fault=wrong@20", PT_EPROTO },
};

START_TEST(recovers_from_faults)
{
	struct pt_probe *probe;
	int rc = 0;

	plug_in(faults[_i / 2].board);
	probe = open_uri(links[_i % 2]);
	for (int i = 0; rc == 0 && i < 30; i++)
		rc = connect_and_read(probe);
	ck_assert_msg(rc == faults[_i / 2].rc || rc == PT_EPROTO, "%d: %s", rc, err.msg);
	ck_assert_msg(connect_and_read(probe) == 0, "%s", err.msg);
	pt_probe_close(probe);
	usb_probe_free(usb);
}
END_TEST

/* --- bulk only */

static const unsigned endpoints[] = { 0x01, 0x81 };

START_TEST(clears_a_stall)
{
	struct pt_probe *probe = open_uri("cmsis-dap:link=bulk");

	ck_assert_int_eq(connect_and_read(probe), 0);
	usb_probe_halt(usb, endpoints[_i]);
	ck_assert_int_eq(connect_and_read(probe), PT_EPROTO);
	ck_assert_msg(connect_and_read(probe) == 0, "%s", err.msg);
	pt_probe_close(probe);
}
END_TEST

/* A host that was killed between request and response. */
START_TEST(drains_what_a_killed_host_left)
{
	unsigned char request[] = { 0x00, 0xfe };
	libusb_device_handle *handle;
	libusb_context *context;
	struct pt_probe *probe;
	int moved;

	ck_assert_int_eq(libusb_init(&context), 0);
	handle = libusb_open_device_with_vid_pid(context, USB_PROBE_VENDOR, USB_PROBE_PRODUCT);
	ck_assert_ptr_nonnull(handle);
	ck_assert_int_eq(libusb_claim_interface(handle, 0), 0);
	for (int i = 0; i < 3; i++)
		ck_assert_int_eq(libusb_bulk_transfer(handle, 0x01, request, 2, &moved, SECOND_MS), 0);
	libusb_release_interface(handle, 0);
	libusb_close(handle);
	libusb_exit(context);
	usleep(20000);
	probe = open_uri("cmsis-dap:link=bulk");
	ck_assert_int_eq(connect_and_read(probe), 0);
	pt_probe_close(probe);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("link_usb");
	TCase *tc = tcase_create("plugged"), *own = tcase_create("own");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 30);
	tcase_set_timeout(own, 30);
	tcase_add_test(tc, lists_a_device_once);
	tcase_add_test(tc, tells_probes_apart);
	tcase_add_loop_test(tc, opens_what_the_uri_names, 0, (int)PT_LEN(uris));
	tcase_add_test(tc, says_that_none_is_plugged_in);
	tcase_add_test(tc, tells_when_a_probe_comes_and_goes);
	tcase_add_test(tc, names_the_cure_for_no_permission);
	tcase_add_loop_test(tc, is_lost_with_the_plug_and_back_with_it, 0, (int)PT_LEN(links));
	tcase_add_loop_test(tc, is_lost_at_once_in_flight, 0, (int)PT_LEN(links));
	tcase_add_test(tc, does_not_wait_for_a_hid_device_that_takes_nothing);
	tcase_add_loop_test(tc, is_interrupted_soon, 0, (int)PT_LEN(links));
	tcase_add_loop_test(tc, is_claimed_by_one, 0, (int)PT_LEN(links));
	tcase_add_loop_test(tc, clears_a_stall, 0, (int)PT_LEN(endpoints));
	tcase_add_test(tc, drains_what_a_killed_host_left);
	tcase_add_loop_test(own, moves_memory_in_full_packets, 0, (int)PT_LEN(packets));
	tcase_add_loop_test(own, recovers_from_faults, 0, (int)(PT_LEN(faults) * PT_LEN(links)));
	suite_add_tcase(suite, tc);
	suite_add_tcase(suite, own);
	return pt_run_suite(suite);
}
