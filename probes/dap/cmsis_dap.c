/* The CMSIS-DAP device: what it says about itself, what it is known to get wrong, and the set-up of the SWD wire.
 * Lists of operations run in cmsis_dap_batch.c. */
#include "probes/dap/cmsis_dap.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "host/log.h"
#include "base/util.h"

enum {	/* DAP Info */
	INFO_PRODUCT = 0x02,
	INFO_PROTOCOL = 0x04,
	INFO_FIRMWARE = 0x09,
	INFO_CAPABILITIES = 0xf0,
	INFO_TIMER = 0xf1,
	INFO_SWO_BYTES = 0xfd,
	INFO_PACKET_COUNT = 0xfe,
	INFO_PACKET_SIZE = 0xff,
};

enum {
	CAP_SWD = 1 << 0, CAP_JTAG = 1 << 1, CAP_SWO_UART = 1 << 2, CAP_SWO_MANCHESTER = 1 << 3, CAP_ATOMIC = 1 << 4,
	CAP_TIMER = 1 << 5, CAP_SWO_ENDPOINT = 1 << 6,
};
enum { PORT_SWD = 1 };
enum { MOST_SWO_BYTES = 1 << 20 };	/* of the ring: our buffer holds as much */

/* --- what the device says ---------------------------------------------------------------------------------------- */

/* The data of one answer: its length, 0 when the device has none. */
static int ask(struct pt_cmsis_dap *dap, uint8_t id, const uint8_t **data, struct pt_err *err)
{
	int n = pt_cmsis_dap_command(dap, (const uint8_t[]){ DAP_INFO, id }, 2, 2, err);

	if (n < 0)
		return n;
	*data = dap->in + 2;
	if (dap->in[1] > n - 2)
		return pt_fail(err, PT_EPROTO, "the probe's information 0x%02x is cut short", id);
	return dap->in[1];
}

static void copy_text(const uint8_t *data, size_t n, char *text, size_t room)
{
	size_t len = 0;

	for (size_t i = 0; i < n && data[i] != 0 && len + 1 < room; i++)
		text[len++] = isprint(data[i]) ? (char)data[i] : '?';
	text[len] = 0;
}

static int ask_text(struct pt_cmsis_dap *dap, uint8_t id, char *text, size_t room, struct pt_err *err)
{
	const uint8_t *data = NULL;
	int n = ask(dap, id, &data, err);

	copy_text(data, n > 0 ? (size_t)n : 0, text, room);
	return n < 0 ? n : 0;
}

/* A link without a descriptor (TCP) leaves it to the probe to say what it is. */
static int ask_product(struct pt_cmsis_dap *dap, struct pt_err *err)
{
	static const char ours[] = PT_LINK_VIRTUAL_PRODUCT;
	struct pt_link_info *link = &dap->link_info;

	if (link->product[0] == 0 && ask_text(dap, INFO_PRODUCT, link->product, sizeof(link->product), err) < 0)
		return err->code;
	link->is_virtual |= strncmp(link->product, ours, strlen(ours)) == 0;
	return 0;
}

static int ask_packet_bytes(struct pt_cmsis_dap *dap, struct pt_err *err)
{
	const uint8_t *data;
	int n = ask(dap, INFO_PACKET_SIZE, &data, err);
	size_t bytes = PT_CMSIS_DAP_UNKNOWN_BYTES;

	if (n < 0)
		return n;
	if (n >= 2)
		bytes = pt_le16(data);
	if (bytes > dap->link_info.packet_bytes)	/* a HID report is what it is, whatever the firmware says */
		bytes = dap->link_info.packet_bytes;
	if (bytes < PT_CMSIS_DAP_MIN_BYTES)
		return pt_fail(err, PT_EPROTO, "the probe claims packets of %zu bytes", bytes);
	dap->limits.packet_bytes = bytes < PT_CMSIS_DAP_MAX_BYTES ? bytes : PT_CMSIS_DAP_MAX_BYTES;
	pt_link_set_packet_bytes(dap->link, dap->limits.packet_bytes);
	return 0;
}

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

static int ask_packet_count(struct pt_cmsis_dap *dap, unsigned limit, struct pt_err *err)
{
	const uint8_t *data;
	int n = ask(dap, INFO_PACKET_COUNT, &data, err);
	unsigned count;

	if (n < 0)
		return n;
	count = n >= 1 && data[0] > 0 ? data[0] : 1;
	count = least(count, PT_CMSIS_DAP_MAX_DEPTH);
	count = least(count, dap->link_info.depth > 0 ? dap->link_info.depth : 1);
	if (limit > 0)
		count = least(count, limit);
	dap->depth = (dap->quirks & PT_DAP_QUIRK_ONE_PACKET) != 0 ? 1 : count;
	return 0;
}

static int take_capabilities(struct pt_cmsis_dap *dap, uint8_t said, bool atomic, struct pt_err *err)
{
	dap->has_swd = (said & CAP_SWD) != 0;
	dap->has_jtag = (said & CAP_JTAG) != 0;
	if (!dap->has_swd && !dap->has_jtag)
		return pt_fail(err, PT_EUNSUPPORTED, "the probe has neither SWD nor JTAG");
	dap->limits.atomic = atomic && (said & CAP_ATOMIC) != 0;
	dap->swo.uart = (said & CAP_SWO_UART) != 0;
	dap->swo.manchester = (said & CAP_SWO_MANCHESTER) != 0;
	dap->swo.index = (said & CAP_TIMER) != 0;
	dap->swo.endpoint = (said & CAP_SWO_ENDPOINT) != 0 && dap->link_info.trace_bytes > 0;
	return 0;
}

/* A firmware that was built without a ring has the commands all the same. */
static int ask_swo(struct pt_cmsis_dap *dap, struct pt_err *err)
{
	struct pt_cmsis_dap_swo *swo = &dap->swo;
	const uint8_t *data;
	int n;

	if (!swo->uart && !swo->manchester)
		return 0;
	n = ask(dap, INFO_SWO_BYTES, &data, err);
	if (n < 0)
		return n;
	swo->ring_bytes = n >= 4 ? pt_le32(data) : 0;
	if (n >= 4 && swo->ring_bytes == 0)
		swo->uart = swo->manchester = false;
	if (swo->ring_bytes > MOST_SWO_BYTES)
		swo->ring_bytes = MOST_SWO_BYTES;
	n = swo->index ? ask(dap, INFO_TIMER, &data, err) : 0;
	swo->index = n > 0;
	return n < 0 ? n : 0;
}

/* Several DAPLinks say the firmware's version ("0254") instead of the protocol's. Source: the host code of OpenOCD and
 * pyOCD. */
static void tidy_protocol(struct pt_cmsis_dap *dap)
{
	const char *p = dap->protocol;

	if ((p[0] == '1' || p[0] == '2') && p[1] == '.')
		return;
	strcpy(dap->protocol, dap->link_info.fixed_packets ? "1.0" : "2.0");
}

/* What is asked behind each other, as the probe says that it can be: so it shows whether it can. */
enum { N_REST = 3 };
static const uint8_t rest[N_REST] = { INFO_CAPABILITIES, INFO_PROTOCOL, INFO_FIRMWARE };

static int ask_all(struct pt_cmsis_dap *dap, unsigned count_limit, bool atomic, struct pt_err *err)
{
	struct pt_cmsis_dap_said said[N_REST];

	if (ask_packet_bytes(dap, err) < 0 || ask_packet_count(dap, count_limit, err) < 0 ||
	    pt_cmsis_dap_ask_as_claimed(dap, rest, N_REST, said, err) < 0 ||
	    take_capabilities(dap, said[0].len_bytes > 0 ? said[0].bytes[0] : 0, atomic, err) < 0 ||
	    ask_swo(dap, err) < 0)
		return err->code;
	copy_text(said[1].bytes, said[1].len_bytes, dap->protocol, sizeof(dap->protocol));
	copy_text(said[2].bytes, said[2].len_bytes, dap->firmware, sizeof(dap->firmware));
	tidy_protocol(dap);
	return 0;
}

/* --- open and close ---------------------------------------------------------------------------------------------- */

static void read_settings(struct pt_cmsis_dap *dap, const struct pt_params *settings)
{
	dap->speed_hz = (uint32_t)pt_params_number(settings, &pt_probe_params[PT_PROBE_SPEED]);
	dap->idle_cycles = (uint8_t)pt_params_number(settings, &pt_probe_params[PT_PROBE_IDLE_CYCLES]);
	dap->wait_retry_asked = (uint32_t)pt_params_number(settings, &pt_probe_params[PT_PROBE_WAIT_RETRY]);
	dap->match_retry_asked = (uint32_t)pt_params_number(settings, &pt_probe_params[PT_PROBE_MATCH_RETRY]);
}

/* A host that was killed leaves responses in the pipe of a USB probe; a connection that is new has none. */
static int find_start(struct pt_cmsis_dap *dap, struct pt_err *err)
{
	if (dap->link_info.virtual_clock || strcmp(dap->link_info.transport, "tcp") == 0)
		return 0;
	return pt_cmsis_dap_drain(dap, err);
}

static int cmsis_dap_open(void *state, struct pt_link *link, const struct pt_params *settings, struct pt_err *err)
{
	struct pt_cmsis_dap *dap = state;
	unsigned count_limit = (unsigned)pt_params_number(settings, &pt_probe_params[PT_PROBE_LIMIT_PACKETS]);
	bool atomic = pt_params_flag(settings, &pt_probe_params[PT_PROBE_ATOMIC]);

	dap->link = link;
	pt_link_info(link, &dap->link_info);
	dap->limits.packet_bytes = PT_CMSIS_DAP_UNKNOWN_BYTES;
	dap->depth = 1;
	read_settings(dap, settings);
	if (find_start(dap, err) < 0 || ask_product(dap, err) < 0)
		return err->code;
	dap->quirks = pt_cmsis_dap_quirks_of(&dap->link_info);
	if (ask_all(dap, count_limit, atomic, err) < 0)
		return err->code;
	pt_cmsis_dap_jtag_init(dap);
	if ((dap->quirks & PT_DAP_QUIRK_OLD_FIRMWARE) != 0)
		pt_warn("cmsis-dap: %s: this firmware is known to lose packets; please update it",
			dap->link_info.product);
	return 0;
}

static void cmsis_dap_close(void *state)
{
	struct pt_cmsis_dap *dap = state;

	if (!dap->silent)
		pt_link_wait(dap->link, 0, NULL);	/* takes an interrupt that came too late for what it was meant for */
	pt_cmsis_dap_swo_close(dap);
	if (dap->silent)	/* it would only be waited for once more */
		return;
	if (dap->connected)	/* without it old Debug Probes hang until they lose power. Source: debugprobe issue 88 */
		pt_cmsis_dap_orders(dap, (const struct pt_cmsis_dap_order[]){
			{ "disconnect", { DAP_DISCONNECT }, 1, DAP_OK, true },
			{ "connect light", { DAP_HOST_STATUS, 0, 0 }, 3, DAP_OK, true },
		}, 2, NULL);
}

static void cmsis_dap_info(void *state, struct pt_probe_info *out)
{
	const struct pt_cmsis_dap *dap = state;

	memcpy(out->link.product, dap->link_info.product, sizeof(out->link.product));
	out->link.is_virtual = dap->link_info.is_virtual;
	memcpy(out->firmware, dap->firmware, sizeof(out->firmware));
	memcpy(out->protocol, dap->protocol, sizeof(out->protocol));
	out->packet_bytes = dap->limits.packet_bytes;
	out->packet_count = dap->depth;
	out->swd = dap->has_swd;
	out->jtag = dap->has_jtag;
	out->swo = dap->swo.uart || dap->swo.manchester;
	snprintf(out->swo_codings, sizeof(out->swo_codings), "%s%s%s", dap->swo.uart ? "uart" : "",
		 dap->swo.uart && dap->swo.manchester ? " " : "", dap->swo.manchester ? "manchester" : "");
	out->swo_ring_bytes = out->swo ? dap->swo.ring_bytes : 0;
	out->speed_hz = dap->speed_hz;
}

/* --- the wire ---------------------------------------------------------------------------------------------------- */

struct pt_cmsis_dap_order pt_cmsis_dap_clock_order(uint32_t hz)
{
	struct pt_cmsis_dap_order order = { "set the clock", { DAP_SWJ_CLOCK }, 5, DAP_OK, false };

	pt_put_le32(order.bytes + 1, hz);
	return order;
}

/* WAIT and match retries are times, so they follow the clock. */
static struct pt_cmsis_dap_order configure_order(struct pt_cmsis_dap *dap)
{
	struct pt_cmsis_dap_order order = { .what = "configure transfers", .want = DAP_OK };

	dap->match_retry = pt_cmsis_dap_match_retry(dap, PT_CMSIS_DAP_POLL_US);
	order.len_bytes = pt_cmsis_dap_configure(dap, dap->match_retry, order.bytes);
	return order;
}

/* Line reset, the JTAG-to-SWD switch, line reset, idle: 136 bits. Source: Arm IHI 0031, SWJ-DP select sequences. */
static const struct pt_cmsis_dap_order jtag_to_swd = {
	"switch to SWD",
	{ DAP_SWJ_SEQUENCE, 136, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x9e, 0xe7,
	  0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x00 },
	2 + 17, DAP_OK, false,
};

static int cmsis_dap_connect(void *state, enum pt_dap_line line, struct pt_err *err)
{
	struct pt_cmsis_dap *dap = state;
	struct pt_cmsis_dap_order orders[8];
	size_t n = 0;

	if (line != PT_DAP_SWD || !dap->has_swd)
		return pt_fail(err, PT_EUNSUPPORTED, "the probe has no SWD; transport=jtag uses its JTAG");
	dap->on_jtag = false;
	dap->connected = true;
	if ((dap->quirks & PT_DAP_QUIRK_DISCONNECT_FIRST) != 0)
		orders[n++] = (struct pt_cmsis_dap_order){ "disconnect", { DAP_DISCONNECT }, 1, DAP_OK, true };
	orders[n++] = (struct pt_cmsis_dap_order){ "connect by SWD", { DAP_CONNECT, PORT_SWD }, 2, PORT_SWD, false };
	orders[n++] = pt_cmsis_dap_clock_order(dap->speed_hz);
	orders[n++] = configure_order(dap);
	orders[n++] = (struct pt_cmsis_dap_order){ "configure SWD", { DAP_SWD_CONFIGURE, 0 }, 2, DAP_OK, false };
	orders[n++] = jtag_to_swd;
	if ((dap->quirks & PT_DAP_QUIRK_CLOCK_AFTER_SEQUENCE) != 0)
		orders[n++] = pt_cmsis_dap_clock_order(dap->speed_hz);
	orders[n++] = (struct pt_cmsis_dap_order){ "connect light", { DAP_HOST_STATUS, 0, 1 }, 3, DAP_OK, true };
	return pt_cmsis_dap_orders(dap, orders, n, err);
}

static int cmsis_dap_write_abort(void *state, uint32_t value, struct pt_err *err)
{
	struct pt_cmsis_dap_order order = { "write ABORT", { DAP_WRITE_ABORT, 0 }, 6, DAP_OK, false };

	pt_put_le32(order.bytes + 2, value);
	return pt_cmsis_dap_orders(state, &order, 1, err);
}

/* n bits from bit `from` on, as bytes. */
static void copy_bits(uint8_t *out, const uint8_t *bits, size_t from, size_t n)
{
	memset(out, 0, (n + 7) / 8);
	for (size_t i = 0; i < n; i++)
		out[i / 8] |= (uint8_t)(((bits[(from + i) / 8] >> ((from + i) % 8)) & 1) << (i % 8));
}

static int cmsis_dap_sequence(void *state, const uint8_t *bits, size_t n_bits, struct pt_err *err)
{
	enum { CHUNK_BITS = 8 * 20, MOST_ORDERS = 4 };	/* what an order holds; so many at once */
	struct pt_cmsis_dap *dap = state;
	struct pt_cmsis_dap_order orders[MOST_ORDERS + 1];
	size_t n_orders = 0;

	for (size_t at = 0; at < n_bits; at += CHUNK_BITS) {
		size_t n = n_bits - at < CHUNK_BITS ? n_bits - at : CHUNK_BITS;

		if (n_orders == MOST_ORDERS && pt_cmsis_dap_orders(dap, orders, n_orders, err) < 0)
			return err->code;
		n_orders %= MOST_ORDERS;
		orders[n_orders] = (struct pt_cmsis_dap_order){
			"send a sequence", { DAP_SWJ_SEQUENCE, (uint8_t)n }, 2 + (n + 7) / 8, DAP_OK, false,
		};
		copy_bits(orders[n_orders++].bytes + 2, bits, at, n);
	}
	if ((dap->quirks & PT_DAP_QUIRK_CLOCK_AFTER_SEQUENCE) != 0)
		orders[n_orders++] = pt_cmsis_dap_clock_order(dap->speed_hz);
	return pt_cmsis_dap_orders(dap, orders, n_orders, err);
}

int pt_cmsis_dap_set_speed(void *state, uint32_t hz, uint32_t *hz_used, struct pt_err *err)
{
	struct pt_cmsis_dap *dap = state;
	struct pt_cmsis_dap_order orders[2];
	uint32_t was_hz = dap->speed_hz;
	int rc;

	if (hz == 0)
		return pt_fail(err, PT_EARG, "a clock of 0 Hz");
	dap->speed_hz = hz;
	orders[0] = pt_cmsis_dap_clock_order(hz);
	orders[1] = configure_order(dap);
	rc = pt_cmsis_dap_orders(dap, orders, 2, err);
	if (rc < 0)
		dap->speed_hz = was_hz;
	dap->jtag.tck_hz = dap->speed_hz;
	*hz_used = dap->speed_hz;	/* the protocol has no way to tell what was really set */
	return rc;
}

/* The answer is the level of the pins, not a status. On release the probe waits up to 10 ms for the line to rise. */
int pt_cmsis_dap_drive_resets(struct pt_cmsis_dap *dap, uint8_t select, uint8_t low, struct pt_err *err)
{
	uint8_t request[7] = { DAP_SWJ_PINS, select & (uint8_t)~low, select };
	int n;

	pt_put_le32(request + 3, low != 0 ? 0 : 10000);
	n = pt_cmsis_dap_command(dap, request, sizeof(request), 2, err);
	if (n < 0)
		pt_wrap(err, "drive nRESET");
	return n < 0 ? n : 0;
}

static int cmsis_dap_set_reset(void *state, bool asserted, struct pt_err *err)
{
	return pt_cmsis_dap_drive_resets(state, PT_CMSIS_DAP_NRESET, asserted ? PT_CMSIS_DAP_NRESET : 0, err);
}

static const struct pt_dap_ops dap_ops = {
	.connect = cmsis_dap_connect,
	.run = pt_cmsis_dap_run,
	.write_abort = cmsis_dap_write_abort,
	.sequence = cmsis_dap_sequence,
	.set_speed = pt_cmsis_dap_set_speed,
	.set_reset = cmsis_dap_set_reset,
};

/* Source: CMSIS-DAP 2.x, "USB Connectivity": the string has "CMSIS-DAP"; the others are those of OpenOCD and pyOCD */
static const struct pt_usb_id usb[] = {
	{ .name = "CMSIS-DAP" },
	{ .name = "CMSIS_DAP" },
	/* only an interface of these says so: KitProg3, and WCH-Link in its CMSIS-DAP mode, which its number tells */
	{ .vid = 0x04b4, .pid = 0xf138, .name = "CMSIS-DAP" }, { .vid = 0x04b4, .pid = 0xf148, .name = "CMSIS-DAP" },
	{ .vid = 0x04b4, .pid = 0xf151, .name = "CMSIS-DAP" }, { .vid = 0x04b4, .pid = 0xf152, .name = "CMSIS-DAP" },
	{ .vid = 0x04b4, .pid = 0xf154, .name = "CMSIS-DAP" }, { .vid = 0x04b4, .pid = 0xf155, .name = "CMSIS-DAP" },
	{ .vid = 0x04b4, .pid = 0xf166, .name = "CMSIS-DAP" },
	{ .vid = 0x1a86, .pid = 0x8011, .name = "WCH-Link" }, { .vid = 0x1a86, .pid = 0x8012, .name = "WCH-Link" },
	{ .vid = 0x2a86, .pid = 0x8011, .name = "WCH-Link" },
	/* Source: ch32fun issue 227 */
	{ .vid = 0x1a86, .pid = 0x8010, .refused = "a WCH-Link in its mode for RISC-V: hold its button ModeS while it is plugged in, and it "
						   "is a CMSIS-DAP probe from then on" },
	/* Source: raspberrypi/debugprobe pull 31, rp2040-project-template issue 40 */
	{ .vid = 0x2e8a, .pid = 0x0004, .refused = "a Picoprobe with a protocol of its own, as before 2023: write the firmware "
						   "debugprobe.uf2 to it, and it is a CMSIS-DAP probe" },
};

const struct pt_probe_ops pt_cmsis_dap_ops = {
	.name = "cmsis-dap",
	.help = "CMSIS-DAP probes, version 1 and 2: DAPLink, Debugprobe, MCU-Link, KitProg3, Atmel EDBG, WCH-Link",
	.usb = usb,
	.n_usb = PT_LEN(usb),
	.address = "cmsis-dap:[serial=S|usb=BUS-PORT|tcp=HOST:PORT]",
	.other_links = true,
	.state_bytes = sizeof(struct pt_cmsis_dap),
	.open = cmsis_dap_open,
	.close = cmsis_dap_close,
	.info = cmsis_dap_info,
	.dap = &dap_ops,
	.jtag = &pt_cmsis_dap_jtag_ops,
	.stream = &pt_cmsis_dap_stream_ops,
};
