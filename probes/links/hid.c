/* CMSIS-DAP v1: one packet per HID report, by hidapi's hidraw back end. Requests are padded to the report's size, and
 * so are responses. hidapi has neither a file descriptor nor a way to be woken, so waits are cut into slices, and
 * writes, which nothing can cut, are made on a thread of their own.
 * The kernel keeps 64 unread reports (hidapi's libusb back end 30) and drops the oldest without a word, hence DEPTH.
 * Source: CMSIS-DAP "USB HID"; host code of OpenOCD and pyOCD, hidapi. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>
#include <wchar.h>

#include <hidapi.h>

#include "base/alloc.h"
#include "probes/links/helper_thread.h"
#include "probes/links/hid_report.h"
#include "probes/links/links.h"
#include "host/clock.h"
#include "probes/links/wake.h"
#include "base/util.h"

enum { DEPTH = 30, SLICE_MS = 10, USUAL_BYTES = 64, EDBG_BYTES = 512, MAX_BYTES = 4096 };
enum { VID_ATMEL = 0x03eb, VID_NXP = 0x1fc9, PID_LPC_LINK2 = 0x0090, USAGE_PAGE_VENDOR = 0xff00 };

/* What a write works with, and so goes with the last write. The kernel gives one five seconds, and nobody can change
 * that. */
struct hid_out {
	hid_device *device;
	int lock_fd;		/* the node once more: hidraw lets everybody in, so ours lock each other out */
	size_t report_bytes;
	bool failed;
	uint8_t report[1 + MAX_BYTES];	/* first its number: none */
};

struct hid_link {
	struct hid_out *out;
	struct pt_aside *writer;	/* has out */
	struct pt_link_info info;
	struct pt_wake wake;
	char node[128];
	size_t in_bytes, out_bytes;	/* of a report */
	bool gone;
	uint8_t in[MAX_BYTES];
};

/* --- finding ----------------------------------------------------------------------------------------------------- */

static void init(void)
{
	hid_init();
}

/* hid_init is not safe to call from two threads, and there may be a thread per board. */
static void init_once(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, init);
}

/* Strings of devices are shown to people and compared as ASCII. */
static void narrow(const wchar_t *from, char *to, size_t room)
{
	size_t n = 0;

	for (; from != NULL && from[n] != 0 && n + 1 < room; n++)
		to[n] = from[n] >= 0x20 && from[n] < 0x7f ? (char)from[n] : '?';
	to[n] = 0;
}

static const char *name_of(const char *node)
{
	const char *slash = strrchr(node, '/');

	return slash != NULL ? slash + 1 : node;
}

/* "1-4.2" out of ".../usb1/1-4/1-4.2/1-4.2:1.3/...": the part ahead of the interface. */
static void usb_path(const char *node, char *out, size_t room)
{
	char path[PATH_MAX], real[PATH_MAX], *colon, *slash;

	out[0] = 0;
	snprintf(path, sizeof(path), "/sys/class/hidraw/%s/device", name_of(node));
	if (realpath(path, real) == NULL)
		return;
	for (colon = strrchr(real, ':'); colon != NULL; colon = strrchr(real, ':')) {
		*colon = 0;
		slash = strrchr(real, '/');
		if (slash != NULL && strchr(slash, '-') != NULL && strchr(slash, ':') == NULL &&
		    strlen(slash + 1) < room) {
			memcpy(out, slash + 1, strlen(slash + 1) + 1);
			return;
		}
	}
}

/* Probes with several HID interfaces name the right one by a vendor usage page; LPC-Link2 by its number. */
static bool is_probe(const struct hid_device_info *d, const struct pt_probe_ops *driver, const char *product)
{
	if (!pt_usb_id_says(driver->usb, driver->n_usb, d->vendor_id, d->product_id, product))
		return false;
	if (d->vendor_id == VID_NXP && d->product_id == PID_LPC_LINK2 && d->interface_number > 0)
		return false;
	return d->usage_page == 0 || d->usage_page >= USAGE_PAGE_VENDOR;
}

static bool describe(const struct hid_device_info *d, const struct pt_probe_ops *driver, struct pt_link_found *out)
{
	struct pt_link_found row = {
		.driver = driver, .usb_vid = d->vendor_id, .usb_pid = d->product_id, .usb_release = d->release_number,
	};

	narrow(d->product_string, row.product, sizeof(row.product));
	narrow(d->serial_number, row.serial, sizeof(row.serial));
	if (!is_probe(d, driver, row.product) || strlen(d->path) >= sizeof(row.path))
		return false;
	strcpy(row.path, d->path);
	usb_path(d->path, row.usb_path, sizeof(row.usb_path));
	snprintf(row.node, sizeof(row.node), "%.63s", d->path);
	row.usb_mbps = pt_link_usb_mbps(row.usb_path);
	row.permitted = access(d->path, R_OK | W_OK) == 0;
	*out = row;
	return true;
}

static bool describe_any(const struct hid_device_info *d, const struct pt_probe_ops *const *drivers, size_t n_drivers,
			 struct pt_link_found *out)
{
	for (size_t i = 0; i < n_drivers; i++)
		if (describe(d, drivers[i], out))
			return true;
	return false;
}

static int hid_list(const struct pt_probe_ops *const *drivers, size_t n_drivers, struct pt_link_found *out, size_t max,
		    struct pt_err *err)
{
	struct hid_device_info *all;
	size_t n = 0;

	(void)err;
	init_once();
	all = hid_enumerate(0, 0);
	for (struct hid_device_info *d = all; d != NULL && n < max; d = d->next)
		if (describe_any(d, drivers, n_drivers, &out[n]))
			n++;
	hid_free_enumeration(all);
	return (int)n;
}

/* --- packets ----------------------------------------------------------------------------------------------------- */

static int lost(struct hid_link *hid, struct pt_err *err)
{
	hid->gone = true;
	return pt_fail(err, PT_EIO, "the probe at %s is gone", hid->info.where);
}

static void write_report(void *arg)
{
	struct hid_out *out = arg;

	out->failed = hid_write(out->device, out->report, 1 + out->report_bytes) < 0;
}

static int hid_submit(void *state, const uint8_t *packet, size_t len_bytes, uint64_t deadline_ns, struct pt_err *err)
{
	struct hid_link *hid = state;

	if (len_bytes > hid->out_bytes)
		return pt_fail(err, PT_EARG, "a packet of %zu bytes for reports of %zu", len_bytes, hid->out_bytes);
	if (hid->gone)
		return lost(hid, err);
	memset(hid->out->report, 0, 1 + hid->out_bytes);
	memcpy(hid->out->report + 1, packet, len_bytes);
	if (!pt_aside_call(hid->writer, write_report, deadline_ns)) {	/* it may yet go out: no way back */
		hid->gone = true;
		return pt_fail(err, PT_EIO, "the probe at %s takes nothing", hid->info.where);
	}
	return hid->out->failed ? lost(hid, err) : 0;
}

static int slice_ms(uint64_t deadline_ns)
{
	int left_ms = pt_host_ms_until(deadline_ns);

	return left_ms < SLICE_MS ? left_ms : SLICE_MS;
}

static int deliver(struct hid_link *hid, size_t len_bytes, uint8_t *buf, size_t buf_bytes, struct pt_err *err)
{
	if (len_bytes > buf_bytes)
		return pt_fail(err, PT_EPROTO, "a response of %zu bytes", len_bytes);
	memcpy(buf, hid->in, len_bytes);
	return (int)len_bytes;
}

static int hid_receive(void *state, uint8_t *buf, size_t buf_bytes, uint64_t deadline_ns, struct pt_err *err)
{
	struct hid_link *hid = state;

	for (;;) {
		int n;

		if (pt_wake_take(&hid->wake))
			return pt_fail(err, PT_EINTERRUPTED, "interrupted");
		if (hid->gone)
			return lost(hid, err);
		n = hid_read_timeout(hid->out->device, hid->in, hid->in_bytes, slice_ms(deadline_ns));
		if (n < 0)
			return lost(hid, err);
		if (n > 0)
			return deliver(hid, (size_t)n, buf, buf_bytes, err);
		if (pt_host_now_ns() >= deadline_ns)
			return pt_fail(err, PT_ETIMEOUT, "the probe at %s does not answer", hid->info.where);
	}
}

/* --- the rest of a link ------------------------------------------------------------------------------------------ */

static void hid_close_link(void *state)
{
	struct hid_link *hid = state;

	pt_aside_free(hid->writer);
	pt_wake_fini(&hid->wake);
	free(hid);
}

static void hid_info(void *state, struct pt_link_info *out)
{
	*out = ((struct hid_link *)state)->info;
}

static uint64_t hid_now(void *state)
{
	(void)state;
	return pt_host_now_ns();
}

static int hid_wait(void *state, uint64_t until_ns, struct pt_err *err)
{
	struct hid_link *hid = state;
	int rc = pt_wake_sleep(&hid->wake, until_ns, err);

	return rc == 0 && (hid->gone || access(hid->node, F_OK) < 0) ? lost(hid, err) : rc;
}

static void hid_interrupt(void *state)
{
	pt_wake_set(&((struct hid_link *)state)->wake);
}

static void hid_set_packet_bytes(void *state, size_t packet_bytes)
{
	(void)state;	/* reports have the size they have */
	(void)packet_bytes;
}

static const struct pt_link_ops hid_ops = {
	.name = "hid",
	.close = hid_close_link,
	.info = hid_info,
	.submit = hid_submit,
	.receive = hid_receive,
	.now_ns = hid_now,
	.wait = hid_wait,
	.interrupt = hid_interrupt,
	.set_packet_bytes = hid_set_packet_bytes,
};

/* --- opening ----------------------------------------------------------------------------------------------------- */

/* hidapi 0.13 cannot tell; the kernel can. Where nobody can, the usual sizes. */
static void find_report_bytes(struct hid_link *hid)
{
	size_t usual = hid->info.usb_vid == VID_ATMEL ? EDBG_BYTES : USUAL_BYTES;
	struct pt_hid_report report = { 0 };
	uint8_t descriptor[4096];
	char path[PATH_MAX];
	FILE *f;

	snprintf(path, sizeof(path), "/sys/class/hidraw/%s/device/report_descriptor", name_of(hid->node));
	f = fopen(path, "re");
	if (f != NULL) {
		pt_hid_report_parse(descriptor, fread(descriptor, 1, sizeof(descriptor), f), &report);
		fclose(f);
	}
	hid->in_bytes = report.in_bytes > 0 ? report.in_bytes : usual;
	hid->out_bytes = report.out_bytes > 0 ? report.out_bytes : usual;
}

static void fill_info(struct hid_link *hid, const struct pt_link_found *found)
{
	struct pt_link_info *info = &hid->info;

	strcpy(info->transport, "hid");
	memcpy(info->product, found->product, sizeof(info->product));
	memcpy(info->serial, found->serial, sizeof(info->serial));
	snprintf(info->where, sizeof(info->where), "usb %s", found->usb_path[0] != 0 ? found->usb_path : "?");
	info->fixed_packets = true;
	info->usb_vid = found->usb_vid;
	info->usb_pid = found->usb_pid;
	info->usb_release = found->usb_release;
	info->usb_mbps = found->usb_mbps;
	info->packet_bytes = hid->out_bytes < hid->in_bytes ? hid->out_bytes : hid->in_bytes;
	info->depth = DEPTH;
}

/* A descriptor that holds the node's lock, or a negative code. */
static int lock_node(const struct hid_link *hid, const struct pt_link_found *found, struct pt_err *err)
{
	int fd = open(hid->node, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0)
		return fd;
	if (fd < 0 && errno == EACCES)
		return pt_fail(err, PT_EPERM, "no permission for the probe at %s", hid->node);
	if (fd < 0)
		return pt_fail(err, PT_EIO, "the probe at %s is gone", hid->node);
	close(fd);
	return pt_link_busy(hid->info.where, (const char *const[]){ found->node }, 1, err);
}

static void drop_out(void *arg)
{
	struct hid_out *out = arg;

	hid_close(out->device);
	close(out->lock_fd);
	free(out);
}

static int open_device(struct hid_link *hid, struct hid_out *out, const struct pt_link_found *found, struct pt_err *err)
{
	init_once();
	out->report_bytes = hid->out_bytes;
	out->lock_fd = lock_node(hid, found, err);
	if (out->lock_fd < 0)
		return out->lock_fd;
	out->device = hid_open_path(hid->node);
	if (out->device != NULL)
		return 0;
	close(out->lock_fd);
	return pt_fail(err, PT_EIO, "the probe at %s cannot be opened", hid->node);
}

static int open_out(struct hid_link *hid, const struct pt_link_found *found, struct pt_err *err)
{
	struct hid_out *out = pt_alloc(sizeof(*out));

	if (open_device(hid, out, found, err) < 0) {
		free(out);
		return err->code;
	}
	hid->out = out;
	hid->writer = pt_aside_new(drop_out, out, err);
	if (hid->writer != NULL)
		return 0;
	drop_out(out);
	return PT_ENOMEM;
}

static struct pt_link *hid_open_found(const struct pt_link_found *found, struct pt_err *err)
{
	struct hid_link *hid = pt_alloc(sizeof(*hid));

	if (pt_wake_init(&hid->wake, err) < 0)
		goto free_hid;
	memcpy(hid->node, found->path, sizeof(hid->node));
	hid->info.usb_vid = found->usb_vid;
	find_report_bytes(hid);
	fill_info(hid, found);
	if (open_out(hid, found, err) < 0)
		goto fini_wake;
	return pt_link_new(&hid_ops, hid);
fini_wake:
	pt_wake_fini(&hid->wake);
free_hid:
	free(hid);
	return NULL;
}

const struct pt_link_kind pt_hid_kind = { "hid", hid_list, hid_open_found };
