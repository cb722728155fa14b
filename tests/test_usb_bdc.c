/* OSBDM and USBDM as emulated USB devices, through unmodified libusb: found by their numbers, opened by their URIs,
 * driven, unplugged, interrupted. Behind the device is a fake S12Z. */
#define _GNU_SOURCE	/* setresuid */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "board_rig.h"
#include "fake_osbdm.h"
#include "fake_usbdm.h"
#include "harness.h"
#include "probes/registry.h"
#include "usb_probe.h"

enum { SECOND_MS = 1000, NOBODY = 65534 };

static struct fake_osbdm osbdm;
static struct fake_usbdm usbdm;
static struct usb_probe *usb;
static struct pt_err err;

static void make_osbdm(struct usb_probe_config *config)
{
	fake_osbdm_init(&osbdm);
	config->answer = fake_osbdm_answer;
	config->arg = &osbdm;
	config->product = "OSBDM - Debug Port";
}

static void make_usbdm(struct usb_probe_config *config, uint8_t version)
{
	fake_usbdm_init(&usbdm, version);
	usbdm.last_sequence = 0xff;
	config->answer = fake_usbdm_answer;
	config->arg = &usbdm;
	config->product = "USBDM BDM Interface";
}

static void make_usbdm_4(struct usb_probe_config *config)
{
	make_usbdm(config, 4);
}

static void make_usbdm_5(struct usb_probe_config *config)
{
	make_usbdm(config, 5);
}

static const struct {
	const char *scheme;
	uint16_t vid, pid;
	void (*make)(struct usb_probe_config *config);
} devices[] = {
	{ "osbdm", 0x15a2, 0x005e, make_osbdm }, { "osbdm", 0x15a2, 0x0042, make_osbdm },
	{ "osbdm", 0x15a2, 0x0058, make_osbdm }, { "osbdm", 0x15a2, 0x0021, make_osbdm },
	{ "usbdm", 0x16d0, 0x0567, make_usbdm_4 }, { "usbdm", 0x16d0, 0x06a5, make_usbdm_5 },
};

static void plug_in(int i)
{
	struct usb_probe_config config = { .serial = "S1", .port = 3, .instant = true, .vid = devices[i].vid,
					   .pid = devices[i].pid };

	devices[i].make(&config);
	usb = usb_probe_new(&config, &err);
	ck_assert_msg(usb != NULL, "%s", err.msg);
}

static struct pt_probe *open_uri(int i, const char *rest)
{
	char uri[64];
	struct pt_probe *probe;

	snprintf(uri, sizeof(uri), "%s:%s", devices[i].scheme, rest);
	probe = pt_probe_open(uri, NULL, &err);
	ck_assert_msg(probe != NULL, "%s: %s", uri, err.msg);
	return probe;
}

static uint8_t bytes[300];

static int connect_and_read(struct pt_probe *probe)
{
	void *wire;
	const struct pt_bdc_ops *bdc = pt_probe_bdc(probe, &wire);
	struct pt_bdc_op ops[] = {
		{ .what = PT_BDC_WRITE_BDCCSR, .value = 0x80ff },
		{ .what = PT_BDC_READ_MEM, .size_bytes = 1, .addr = 0x1000, .n = sizeof(bytes), .bytes = bytes },
	};
	uint32_t hz;
	size_t n_done;
	int rc = bdc->connect(wire, &hz, &err);

	if (rc == 0)
		rc = bdc->run(wire, ops, 2, SECOND_MS, &n_done, &err);
	for (size_t i = 0; rc == 0 && i < sizeof(bytes); i++)
		ck_assert_uint_eq(bytes[i], (uint8_t)((0x1000 + i) * 7));
	return rc;
}

START_TEST(lists_and_opens)
{
	struct pt_probe_found found[2];
	struct pt_probe_info info;
	struct pt_probe *probe;
	char uri[64];

	plug_in(_i);
	ck_assert_int_eq(pt_probe_list(found, 2, &err), 1);
	snprintf(uri, sizeof(uri), "%s:serial=S1", devices[_i].scheme);
	ck_assert_str_eq(found[0].uri, uri);
	ck_assert_str_eq(found[0].transports, "bulk");
	ck_assert_str_eq(found[0].where, "usb 1-3");
	for (int way = 0; way < 4; way++) {
		static const char *const rests[] = { "", "serial=S1", "usb=1-3" };

		probe = way < 3 ? open_uri(_i, rests[way]) : pt_probe_open("", NULL, &err);
		ck_assert_msg(probe != NULL, "%s", err.msg);
		pt_probe_info(probe, &info);
		ck_assert_str_eq(info.name, devices[_i].scheme);
		ck_assert_str_eq(info.link.where, "usb 1-3");
		ck_assert_msg(connect_and_read(probe) == 0, "%s", err.msg);
		pt_probe_close(probe);
	}
	ck_assert_uint_eq(osbdm.n_bad, 0);
	ck_assert_uint_eq(usbdm.n_bad, 0);
	usb_probe_free(usb);
}
END_TEST

START_TEST(is_no_other_probe)
{
	plug_in(_i);
	ck_assert_ptr_null(pt_probe_open("cmsis-dap:", NULL, &err));
	ck_assert_int_eq(err.code, PT_EIO);
	ck_assert_msg(strstr(err.msg, devices[_i].scheme) != NULL, "%s", err.msg);
	usb_probe_free(usb);
}
END_TEST

/* As libusb ends them: a transfer that is a multiple of the packet gets an empty one behind it, or the device waits. */
START_TEST(writes_rows_of_any_length)
{
	struct pt_probe *probe;
	const struct pt_bdc_ops *bdc;
	void *wire;
	size_t n_done;

	plug_in(_i);
	probe = open_uri(_i, "");
	bdc = pt_probe_bdc(probe, &wire);
	ck_assert_int_eq(connect_and_read(probe), 0);
	for (uint32_t n = 1; n < 260; n += n < 50 || n % 64 > 50 ? 1 : 7) {
		struct pt_bdc_op ops[] = {
			{ .what = PT_BDC_WRITE_MEM, .size_bytes = 1, .addr = 0x5000, .n = n, .bytes = bytes },
			{ .what = PT_BDC_READ_MEM, .size_bytes = 1, .addr = 0x5000, .n = n, .bytes = bytes },
		};

		ck_assert_msg(bdc->run(wire, ops, 2, SECOND_MS, &n_done, &err) == 0, "%u bytes: %s", n, err.msg);
		ck_assert_uint_eq(bytes[n - 1], (uint8_t)((0x1000 + n - 1) * 7));
	}
	pt_probe_close(probe);
	usb_probe_free(usb);
}
END_TEST

START_TEST(is_lost_with_the_plug_and_back_with_it)
{
	struct pt_probe *probe;

	plug_in(_i);
	probe = open_uri(_i, "");
	ck_assert_int_eq(connect_and_read(probe), 0);
	usb_probe_unplug(usb);
	ck_assert_int_eq(connect_and_read(probe), PT_EIO);
	ck_assert_int_eq(connect_and_read(probe), PT_EIO);
	pt_probe_close(probe);
	usb_probe_plug(usb);
	probe = open_uri(_i, "");
	ck_assert_int_eq(connect_and_read(probe), 0);
	pt_probe_close(probe);
	usb_probe_free(usb);
}
END_TEST

static struct pt_probe *to_interrupt;

static void *unplug_soon(void *arg)
{
	(void)arg;
	usleep(50000);
	usb_probe_unplug(usb);
	return NULL;
}

static void *interrupt_soon(void *arg)
{
	(void)arg;
	usleep(50000);
	pt_probe_interrupt(to_interrupt);
	return NULL;
}

static int poll_in_vain(struct pt_probe *probe)
{
	void *wire;
	const struct pt_bdc_ops *bdc = pt_probe_bdc(probe, &wire);
	struct pt_bdc_op op = { .what = PT_BDC_POLL, .addr = 0x1000, .mask = 1, .value = 1, .time_us = 1000000000 };
	size_t n_done;

	return bdc->run(wire, &op, 1, SECOND_MS, &n_done, &err);
}

START_TEST(long_waits_end_at_once)
{
	pthread_t thread;

	plug_in(_i);
	to_interrupt = open_uri(_i, "");
	ck_assert_int_eq(connect_and_read(to_interrupt), 0);
	pthread_create(&thread, NULL, interrupt_soon, NULL);
	ck_assert_int_eq(poll_in_vain(to_interrupt), PT_EINTERRUPTED);
	pthread_join(thread, NULL);
	ck_assert_int_eq(connect_and_read(to_interrupt), 0);
	pthread_create(&thread, NULL, unplug_soon, NULL);
	ck_assert_int_eq(poll_in_vain(to_interrupt), PT_EIO);
	pthread_join(thread, NULL);
	pt_probe_close(to_interrupt);
	usb_probe_free(usb);
}
END_TEST

START_TEST(clears_a_stall)
{
	struct pt_probe *probe;

	plug_in(_i);
	probe = open_uri(_i, "");
	ck_assert_int_eq(connect_and_read(probe), 0);
	usb_probe_halt(usb, 0x82);
	ck_assert_int_lt(connect_and_read(probe), 0);
	if (connect_and_read(probe) < 0)	/* what came meanwhile is thrown away by then */
		ck_assert_msg(connect_and_read(probe) == 0, "%s", err.msg);
	pt_probe_close(probe);
	usb_probe_free(usb);
}
END_TEST

START_TEST(names_the_cure_for_no_permission)
{
	char ids[80], rules[4096] = "";
	FILE *f = fopen(PT_RULES, "r");

	ck_assert_ptr_nonnull(f);
	ck_assert_uint_gt(fread(rules, 1, sizeof(rules) - 1, f), 0);
	fclose(f);
	snprintf(ids, sizeof(ids), "ATTRS{idVendor}==\"%04x\"", devices[_i].vid);
	ck_assert_ptr_nonnull(strstr(rules, ids));
	snprintf(ids, sizeof(ids), "%04x", devices[_i].pid);
	ck_assert_ptr_nonnull(strstr(rules, ids));
	plug_in(_i);
	usb_probe_set_mode(usb, 0);
	ck_assert_int_eq(chmod(getenv("UMOCKDEV_DIR"), 0777), 0);	/* libudev makes sockets there */
	if (geteuid() == 0)
		ck_assert_int_eq(setresuid(NOBODY, NOBODY, NOBODY), 0);
	ck_assert_ptr_null(pt_probe_open("", NULL, &err));
	ck_assert_int_eq(err.code, PT_EPERM);
	ck_assert_msg(strstr(err.msg, ids) != NULL, "%s", err.msg);
	_exit(0);	/* as nobody, the test bed cannot be cleared away: the parent's is */
}
END_TEST

/* --- the virtual board's ends ------------------------------------------------------------------------------------- */

static const struct { const char *board, *uri;
} vboards[] = {
	{ "s12zvm?probe=osbdm&link=bulk-fs", "osbdm:" },
	{ "s12zvm?probe=usbdm&link=bulk-fs&usbdm=v4", "usbdm:" },
	{ "s12zvm?probe=usbdm&link=bulk-fs&usbdm=v5", "usbdm:" },
	{ "s12zvm?probe=usbdm&link=bulk-fs&usbdm=v5-busy", "usbdm:" },
};

/* The demo naps at times: BACKGROUND stays pending then, with NORESP, until it wakes. */
static void halts_and_goes(const struct pt_bdc_ops *bdc, void *wire)
{
	struct pt_bdc_op background = { .what = PT_BDC_BACKGROUND }, go = { .what = PT_BDC_GO };
	struct pt_bdc_op look[] = { { .what = PT_BDC_WRITE_BDCCSR, .value = 0x80ff }, { .what = PT_BDC_READ_BDCCSR } };
	size_t n_done;

	if (bdc->run(wire, &background, 1, SECOND_MS, &n_done, &err) != 0)
		ck_assert_msg(strstr(err.msg, "NORESP") != NULL, "%s", err.msg);
	do	/* check ends a test that hangs */
		ck_assert_msg(bdc->run(wire, look, PT_LEN(look), SECOND_MS, &n_done, &err) == 0, "%s", err.msg);
	while ((look[1].value & PT_BDC_BDMACT) == 0);
	ck_assert_msg(bdc->run(wire, &go, 1, SECOND_MS, &n_done, &err) == 0, "%s", err.msg);
}

START_TEST(drives_a_virtual_board_over_usb)
{
	struct usb_probe_config config = { .board = vboards[_i].board, .port = 3, .instant = true };
	uint8_t out[200], in[200], lines[8 * 64];
	struct pt_bdc_op ops[] = {
		{ .what = PT_BDC_WRITE_BDCCSR, .value = 0x80ff },
		{ .what = PT_BDC_WRITE_MEM, .size_bytes = 1, .addr = 0x2c00, .n = sizeof(out), .bytes = out },
		{ .what = PT_BDC_READ_MEM, .size_bytes = 4, .addr = 0x2c00, .n = sizeof(in) / 4, .bytes = in },
		{ .what = PT_BDC_WRITE_MEM, .size_bytes = 2, .addr = 0x104, .n = 1, .bytes = out },
		{ .what = PT_BDC_READ_DBGTB, .n = 64, .bytes = lines },
	};
	struct pt_probe *probe;
	const struct pt_bdc_ops *bdc;
	struct pt_probe_info about;
	uint32_t hz;
	size_t n_done;
	void *wire;

	for (unsigned i = 0; i < sizeof(out); i++)
		out[i] = (uint8_t)(i * 3);
	usb = usb_probe_new(&config, &err);
	ck_assert_msg(usb != NULL, "%s", err.msg);
	probe = pt_probe_open(vboards[_i].uri, NULL, &err);
	ck_assert_msg(probe != NULL, "%s", err.msg);
	pt_probe_info(probe, &about);
	ck_assert(about.link.is_virtual);
	bdc = pt_probe_bdc(probe, &wire);
	ck_assert_msg(bdc->connect(wire, &hz, &err) == 0, "%s", err.msg);
	ck_assert_msg(hz > 7900000 && hz < 8100000, "%u Hz", hz);
	ck_assert_msg(bdc->run(wire, ops, PT_LEN(ops), SECOND_MS, &n_done, &err) == 0, "at %zu: %s", n_done, err.msg);
	ck_assert_mem_eq(in, out, sizeof(in));
	halts_and_goes(bdc, wire);
	pt_probe_close(probe);
	usb_probe_free(usb);
}
END_TEST

/* --- a board with several probes ---------------------------------------------------------------------------------- */

static int count_probes(struct pt_board *board, struct pt_target *target, void *arg, struct pt_err *e)
{
	void *state;
	int n = 0;

	(void)board;
	(void)e;
	for (struct pt_probe *probe = target->probe; probe != NULL; probe = pt_probe_next(probe))
		n++;
	*(bool *)arg = pt_probe_dap(target->probe, &state) != NULL && pt_probe_bdc(target->probe, &state) != NULL &&
		       pt_probe_pins(target->probe, &state) == NULL;
	return n;
}

START_TEST(board_takes_several_and_loses_any)
{
	static const char *const uris[] = { "virtual:kl27", "osbdm:", NULL };
	struct board_rig rig;
	bool wires = false;
	size_t at;

	plug_in(0);
	board_rig_open_all(&rig, uris, true);
	at = board_rig_await_state(&rig, PT_BOARD_READY, 0);
	ck_assert_int_eq(board_rig_do(&rig, count_probes, &wires, false, NULL), 2);
	ck_assert(wires);
	usb_probe_unplug(usb);
	at = board_rig_await_state(&rig, PT_BOARD_CLOSED, at);
	ck_assert_msg(strstr(rig.event[at].why, "usb 1-3") != NULL, "%s", rig.event[at].why);
	at = board_rig_await_state(&rig, PT_BOARD_CLOSED, at + 1); /* looked for in vain, and which one is missing */
	ck_assert_msg(strstr(rig.event[at].why, "probe osbdm:") != NULL, "%s", rig.event[at].why);
	usb_probe_plug(usb);
	board_rig_await_state(&rig, PT_BOARD_READY, at);
	board_rig_close(&rig);
	usb_probe_free(usb);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("usb_bdc");
	TCase *tc = tcase_create("devices");
	int n = (int)PT_LEN(devices);

	tcase_set_timeout(tc, 30);
	tcase_add_loop_test(tc, lists_and_opens, 0, n);
	tcase_add_loop_test(tc, is_no_other_probe, 0, n);
	tcase_add_loop_test(tc, writes_rows_of_any_length, 3, n);	/* one of each kind */
	tcase_add_loop_test(tc, is_lost_with_the_plug_and_back_with_it, 0, n);
	tcase_add_loop_test(tc, long_waits_end_at_once, 0, n);
	tcase_add_loop_test(tc, clears_a_stall, 0, n);
	tcase_add_loop_test(tc, names_the_cure_for_no_permission, 0, n);
	tcase_add_loop_test(tc, drives_a_virtual_board_over_usb, 0, (int)PT_LEN(vboards));
	tcase_add_test(tc, board_takes_several_and_loses_any);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
