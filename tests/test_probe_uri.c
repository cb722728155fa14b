/* URIs: what opens, and what a wrong one is answered with. Devices on USB: test_link_usb.c. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "probes/wires/jtag_chain.h"
#include "probes/registry.h"
#include "targets/registry.h"

static const struct {
	const char *uri;
	int code;
	const char *says;
} bad[] = {
	{ "icdi:123", PT_EARG, "not built in this version" },
	{ "nonsense", PT_EARG, "virtual:NAME" },
	{ "virtual", PT_EARG, "virtual:NAME" },
	{ ":", PT_EARG, "cmsis-dap:" },
	{ "virtual:nonsense", PT_EARG, "kl27" },
	{ "virtual:kl27?nonsense=1", PT_EARG, "nonsense" },
	{ "virtual:kl27?seed=1&probe=osbdm", PT_EARG, "cmsis-dap" },
	{ "cmsis-dap:nonsense=1", PT_EARG, "serial usb id tcp" },
	{ "cmsis-dap:link=carrier-pigeon", PT_EARG, "bulk" },
	{ "cmsis-dap:tcp=127.0.0.1:1", PT_EIO, "127.0.0.1:1" },
	{ "cmsis-dap:tcp=[::1", PT_EARG, "HOST:PORT" },
	{ "cmsis-dap:serial=no-probe-has-this", PT_EIO, "probe" },
	{ "usb:nonsense=1", PT_EARG, "serial usb id" },
	{ "usb:id=0d28:0204&serial=9903*|9904*", PT_EIO,
	  "no probe with serial=9903*|9904*, id=0d28:0204 is plugged in; `proftap probes` lists what is" },
	{ "osbdm:", PT_EIO, "osbdm" },
	{ "usbdm:serial=1", PT_EIO, "usbdm" },
	{ "usbdm:tcp=127.0.0.1:1", PT_EARG, "serial usb id" },
	{ "jlink:tcp=127.0.0.1:1", PT_EIO, "127.0.0.1:1" },
	{ "jlink:link=bulk", PT_EARG, "serial usb id tcp" },
	{ "xvc:", PT_EARG, "xvc:HOST[:PORT]" },
	{ "xvc:127.0.0.1:1", PT_EIO, "127.0.0.1:1" },
	{ "xvc:unix:/nowhere/socket", PT_EIO, "/nowhere/socket" },
	{ "rsp:/dev/null", PT_EIO, "/dev/null is not a serial port" },
	{ "rsp:/dev/null?bode=9600", PT_EARG, "baud" },
	{ "bitbang:", PT_EARG, "bitbang:HOST:PORT" },
	{ "bitbang:127.0.0.1", PT_EARG, "HOST:PORT" },
	{ "bitbang:unix:", PT_EARG, "path" },
};

START_TEST(answers_a_wrong_uri)
{
	struct pt_err err = { 0 };

	ck_assert_ptr_null(pt_probe_open(bad[_i].uri, NULL, &err));
	ck_assert_msg(err.code == bad[_i].code, "%s: %d, %s", bad[_i].uri, err.code, err.msg);
	ck_assert_msg(strstr(err.msg, bad[_i].says) != NULL, "%s: %s", bad[_i].uri, err.msg);
}
END_TEST

static const char *const links[] = { "hid-fs", "bulk-fs", "bulk-hs", "tcp" };

/* The driver on the model of each link, down to a register of the chip. */
START_TEST(opens_a_virtual_board)
{
	struct pt_err err = { 0 };
	char uri[64] = "virtual:kl27?clock=virtual&link=";
	struct pt_probe *probe = pt_probe_open(strcat(uri, links[_i]), NULL, &err);
	uint32_t id = 0;
	struct pt_dap_op op = { .what = PT_DAP_READ, .a = 0, .words = &id };
	const struct pt_dap_ops *dap;
	struct pt_probe_info info;
	struct pt_probe_speed speed;
	size_t n_done;
	void *wire;

	ck_assert_msg(probe != NULL, "%s", err.msg);
	dap = pt_probe_dap(probe, &wire);
	pt_probe_info(probe, &info);
	ck_assert(info.link.is_virtual && info.link.virtual_clock);
	ck_assert_str_eq(info.name, "cmsis-dap");
	ck_assert_int_eq(dap->connect(wire, PT_DAP_SWD, &err), 0);
	ck_assert_int_eq(dap->run(wire, &op, 1, 1000, &n_done, &err), 0);
	ck_assert_uint_eq(id, 0x0bc11477);
	ck_assert_int_eq(pt_probe_measure(probe, &speed, &err), 0);
	ck_assert_uint_gt(speed.words_per_s, 10000);
	pt_probe_close(probe);
}
END_TEST

static const char *const jtag_probes[] = { "xvc", "bitbang", "cmsis-dap", "ftdi" };

/* A chain without a debug port is found and measured through each probe that has JTAG; nothing goes over it by SWD. */
START_TEST(finds_and_measures_a_chain)
{
	struct pt_params *settings = pt_params_new();
	struct pt_err err = { 0 };
	char uri[96] = "virtual:microblaze?clock=virtual&swclk=10M&probe=";
	struct pt_jtag_chain chain;
	struct pt_probe_speed speed;
	struct pt_probe *probe;
	const struct pt_jtag_ops *jtag;
	uint32_t hz;
	void *wire;

	ck_assert_int_eq(pt_params_add(settings, pt_probe_params, pt_n_probe_params, "speed=10M", &err), 0);
	ck_assert_int_eq(pt_params_add(settings, pt_probe_params, pt_n_probe_params, "transport=jtag", &err), 0);
	probe = pt_probe_open(strcat(uri, jtag_probes[_i]), settings, &err);
	ck_assert_msg(probe != NULL, "%s", err.msg);
	jtag = pt_probe_jtag(probe, &wire);
	ck_assert_int_eq(jtag->connect(wire, &err), 0);
	ck_assert_msg(pt_jtag_chain_find(&chain, jtag, wire, settings, &err) == 0, "%s", err.msg);
	ck_assert_int_eq(pt_jtag_chain_tap(&chain, settings, &err), 0);
	ck_assert_int_eq(pt_jtag_chain_user(&chain, 0, 2, settings, &hz, &err), 0);
	ck_assert_int_eq(jtag->set_speed(wire, 5000000, &hz, &err), 0);
	ck_assert_msg(pt_probe_measure(probe, &speed, &err) == 0, "%s: %s", jtag_probes[_i], err.msg);
	ck_assert(speed.at_least);
	ck_assert_uint_gt(speed.round_trip_ns, 0);
	if (_i != 1) {	/* remote_bitbang has no clock to set */
		ck_assert_uint_ge(speed.swclk_hz, 4500000);
		ck_assert_uint_le(speed.swclk_hz, 5000000);
	}
	pt_probe_close(probe);
	pt_params_free(settings);
}
END_TEST

/* --- drivers describe themselves ---------------------------------------------------------------------------------- */

static const struct pt_probe_ops *const drivers[] = {
#define X(drv) &pt_##drv##_ops,
	PT_PROBE_DRIVERS(X)
#undef X
};

/* The registry knows a driver by the word of its list alone. */
static char *registry(void)
{
	static char text[40000];
	const char *srcdir = getenv("srcdir");
	char path[1024];
	FILE *file;

	snprintf(path, sizeof(path), "%s/probes/registry.c", srcdir != NULL ? srcdir : ".");
	file = fopen(path, "r");
	ck_assert_msg(file != NULL, "%s", path);
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	fclose(file);
	return text;
}

START_TEST(a_driver_has_what_is_mandatory)
{
	const struct pt_probe_ops *ops = drivers[_i];
	size_t len = strlen(ops->name);

	ck_assert_uint_gt(ops->state_bytes, 0);
	ck_assert(ops->open != NULL && ops->close != NULL && ops->info != NULL);
	ck_assert(ops->dap != NULL || ops->jtag != NULL || ops->bdc != NULL || ops->pins != NULL || ops->rsp != NULL ||
		  ops->stream != NULL);
	for (int i = 0; i < _i; i++)
		ck_assert_str_ne(drivers[i]->name, ops->name);
	if (ops->address != NULL)
		ck_assert(strncmp(ops->address, ops->name, len) == 0 && ops->address[len] == ':');
	if (ops->framing != NULL)
		ck_assert_ptr_nonnull(ops->address);
}
END_TEST

START_TEST(a_driver_is_listed_by_what_it_says)
{
	const struct pt_probe_ops *ops = drivers[_i];
	struct pt_err err = { 0 };
	char word[64];

	if (ops->address == NULL)
		return;
	ck_assert_ptr_null(pt_probe_open("nonsense", NULL, &err));
	ck_assert_msg(strstr(err.msg, ops->address) != NULL, "%s", err.msg);
	snprintf(word, sizeof(word), "\"%s\"", ops->name);
	ck_assert_msg(strstr(registry(), word) == NULL, "probes/registry.c names %s", word);
	snprintf(word, sizeof(word), "\"%s:", ops->name);
	ck_assert_msg(strstr(registry(), word) == NULL, "probes/registry.c names %s", word);
}
END_TEST

/* --- drivers and targets describe themselves ---------------------------------------------------------------------- */

START_TEST(a_driver_has_what_all_need)
{
	const struct pt_probe_ops *d = pt_probe_drivers[_i];
	bool virtual_only = d->address == NULL;
	bool opened_by_usb =
		d->n_usb > 0 && d->usb[0].iface != PT_USB_TTY; /* a serial port has an address of its own */

	ck_assert_msg(d->name != NULL && d->help != NULL && d->open != NULL && d->close != NULL && d->info != NULL,
		      "driver %zu", (size_t)_i);
	ck_assert_msg(virtual_only || strncmp(d->address, d->name, strlen(d->name)) == 0, "%s", d->name);
	ck_assert_msg(d->dap != NULL || d->jtag != NULL || d->bdc != NULL || d->pins != NULL || d->rsp != NULL ||
			      d->stream != NULL,
		      "%s", d->name);
	ck_assert_msg(virtual_only || (opened_by_usb || d->framing != NULL) + (d->connect != NULL) == 1, "%s", d->name);
	ck_assert(pt_probe_is_gdb_server("rsp::3333") && !pt_probe_is_gdb_server("virtual:e500") &&
		  !pt_probe_is_gdb_server("rsp") && !pt_probe_is_gdb_server("xvc:localhost"));
	for (size_t i = 0; i < d->n_usb; i++)
		ck_assert_msg(d->usb[i].name != NULL || d->usb[i].vid != 0, "%s: USB row %zu", d->name, i);
}
END_TEST

START_TEST(a_target_has_what_all_need)
{
	const struct pt_target_ops *t = pt_targets[_i];

	ck_assert_msg(t->name != NULL && t->help != NULL && t->attach != NULL && t->detach != NULL && t->chip != NULL &&
			      t->describe != NULL && t->n_cores != NULL && t->status != NULL && t->halt != NULL &&
			      t->resume != NULL && t->step != NULL && t->reset != NULL && t->registers != NULL &&
			      t->read_registers != NULL && t->write_registers != NULL && t->pc != NULL &&
			      t->mem != NULL && t->regions != NULL && t->break_insert != NULL &&
			      t->break_remove != NULL && t->sources != NULL,
		      "target %zu", (size_t)_i);
	ck_assert_msg((t->no_flash != NULL) == (t->flash_done == NULL), "%s: flash", t->name);
	ck_assert_msg((t->host_call == NULL) == (t->host_answer == NULL), "%s: host calls", t->name);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("probe_uri");
	TCase *tc = tcase_create("uris");

	tcase_add_loop_test(tc, answers_a_wrong_uri, 0, (int)PT_LEN(bad));
	tcase_add_loop_test(tc, opens_a_virtual_board, 0, (int)PT_LEN(links));
	tcase_add_loop_test(tc, finds_and_measures_a_chain, 0, PT_LEN(jtag_probes));
	tcase_add_loop_test(tc, a_driver_has_what_is_mandatory, 0, PT_LEN(drivers));
	tcase_add_loop_test(tc, a_driver_is_listed_by_what_it_says, 0, PT_LEN(drivers));
	tcase_add_loop_test(tc, a_driver_has_what_all_need, 0, (int)pt_n_probe_drivers);
	tcase_add_loop_test(tc, a_target_has_what_all_need, 0, (int)pt_n_targets);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
