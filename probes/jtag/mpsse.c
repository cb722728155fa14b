/* FTDI's chips with an MPSSE: FT2232H, FT4232H, FT232H, their successors, and FT2232C. What is connected to the pins is
 * a layout: a setting, or known by the product's name. Of an adapter that is not known every pin but TCK, TDI and TMS
 * stays an input.
 * Sources: FTDI AN_108, AN_135; numbers of the chips: ftdi_sio of Linux. */
#include <string.h>

#include "base/util.h"
#include "probes/jtag/mpsse.h"

enum { LEAST_BYTES = 1024 };		/* of a request */
enum { FULL_SPEED_MBPS = 12, STATUS_BYTES = 2 };

static const struct pt_mpsse_chip chips[] = {
	{ 0x0500, "FT2232C", false }, { 0x0700, "FT2232H", true }, { 0x0800, "FT4232H", true }, { 0x0900, "FT232H", true },
	{ 0x2800, "FT2233HP", true }, { 0x2900, "FT4233HP", true }, { 0x3000, "FT2232HP", true },
	{ 0x3100, "FT4232HP", true }, { 0x3200, "FT233HP", true }, { 0x3300, "FT232HP", true }, { 0x3600, "FT4232HA", true },
};

/* Chips alone, and those of Olimex, which have numbers of their own. The first channel is interface 0. */
#define CHIP(number, product) { .vid = (number), .pid = (product), .iface = 0, .out = 0x02, .in = 0x81 }
static const struct pt_usb_id usb[] = {
	CHIP(0x0403, 0x6010), CHIP(0x0403, 0x6011), CHIP(0x0403, 0x6014), CHIP(0x0403, 0x6040), CHIP(0x0403, 0x6041),
	CHIP(0x0403, 0x6042), CHIP(0x0403, 0x6043), CHIP(0x0403, 0x6044), CHIP(0x0403, 0x6045), CHIP(0x0403, 0x6048),
	CHIP(0x15ba, 0x0003), CHIP(0x15ba, 0x0004), CHIP(0x15ba, 0x002a), CHIP(0x15ba, 0x002b),
};

enum { SET_LAYOUT, SET_CHANNEL, SET_NSRST, SET_NTRST, SET_SWDIO, SET_ADAPTIVE };

static const struct pt_param params[] = {
	[SET_LAYOUT] = { "layout", PT_PARAM_TEXT, NULL, NULL, 0, 0,
			 "what is connected to the chip's pins: the adapter's name (a wrong one lists them), or VALUE:DIRECTION, 16 "
			 "bits each in hexadecimal with ACBUS in the high byte; without it: as the product's name says, else plain" },
	[SET_CHANNEL] = { "channel", PT_PARAM_CHOICE, "auto", "auto|A|B", 0, 0,
			  "which of the chip's channels; auto: the layout's. The others stay serial ports" },
	[SET_NSRST] = { "nsrst", PT_PARAM_TEXT, NULL, NULL, 0, 0,
			"the pin of nSRST, beside the layout's: data:MASK, oe:MASK or both with a comma; ndata, noe: inverted" },
	[SET_NTRST] = { "ntrst", PT_PARAM_TEXT, NULL, NULL, 0, 0, "the pin of nTRST, in the same way" },
	[SET_SWDIO] = { "swdio", PT_PARAM_CHOICE, "tied", "tied|resistor", 0, 0,
			"how ADBUS1 is connected to SWDIO; resistor: 220 to 470 ohm are in between, and less has to be sent" },
	[SET_ADAPTIVE] = { "adaptive", PT_PARAM_FLAG, "off", NULL, 0, 0,
			   "JTAG: TCK waits for RTCK at ADBUS7, for cores that need it" },
};

static const struct pt_mpsse_chip *chip_of(uint16_t release)
{
	for (size_t i = 0; i < PT_LEN(chips); i++)
		if (chips[i].release == release)
			return &chips[i];
	return NULL;
}

/* --- opening ------------------------------------------------------------------------------------------------------ */

static int choose_signal(const struct pt_params *settings, unsigned which, struct pt_mpsse_signal *signal,
			 struct pt_err *err)
{
	const char *text = pt_params_text(settings, &params[which]);

	return text == NULL ? 0 : pt_mpsse_signal_parse(text, signal, err);
}

static int find_layout(const struct pt_params *settings, const char *product, uint16_t pid, struct pt_mpsse_layout *out,
		       struct pt_err *err)
{
	const char *name = pt_params_text(settings, &params[SET_LAYOUT]);

	if (name != NULL)
		return pt_mpsse_layout_named(name, out, err);
	pt_mpsse_layout_of(product, pid, out);
	return 0;
}

static int mpsse_channel(const struct pt_params *settings, const char *product, uint16_t pid, struct pt_err *err)
{
	const char *channel = pt_params_text(settings, &params[SET_CHANNEL]);
	struct pt_mpsse_layout layout;
	int rc = find_layout(settings, product, pid, &layout, err);

	if (rc < 0)
		return rc;
	return (strcmp(channel, "auto") == 0 ? layout.channel : channel[0]) - 'A';
}

static bool mpsse_is_probe(const char *product, uint16_t pid)
{
	struct pt_mpsse_layout layout;

	pt_mpsse_layout_of(product, pid, &layout);
	return layout.product != NULL;
}

static int choose_layout(struct pt_mpsse *m, const struct pt_link_info *info, const struct pt_params *settings,
			 struct pt_err *err)
{
	int rc = find_layout(settings, info->product, info->usb_pid, &m->layout, err);

	m->index = info->usb_interface + 1;
	if (rc == 0)
		rc = choose_signal(settings, SET_NSRST, &m->layout.nsrst, err);
	if (rc == 0)
		rc = choose_signal(settings, SET_NTRST, &m->layout.ntrst, err);
	m->resistor = strcmp(pt_params_text(settings, &params[SET_SWDIO]), "resistor") == 0;
	m->adaptive = pt_params_flag(settings, &params[SET_ADAPTIVE]);
	return rc;
}

static int choose_chip(struct pt_mpsse *m, const struct pt_link_info *info, struct pt_err *err)
{
	m->chip = chip_of(info->usb_release);
	if (m->chip == NULL)
		return pt_fail(
			err, PT_EUNSUPPORTED,
			"an FTDI chip with bcdDevice %04x has no MPSSE, or is newer than this version of proftap",
			info->usb_release);
	if (m->adaptive && !m->chip->fast)
		return pt_fail(err, PT_EUNSUPPORTED, "an %s has no adaptive clocking: adaptive=off", m->chip->name);
	return 0;
}

static void choose_depth(struct pt_mpsse *m, const struct pt_link_info *info, const struct pt_params *settings)
{
	uint64_t asked = pt_params_number(settings, &pt_probe_params[PT_PROBE_LIMIT_PACKETS]);
	unsigned depth = asked > 0 && asked < MPSSE_MOST_OUTSTANDING ? (unsigned)asked : MPSSE_MOST_OUTSTANDING;

	depth = info->depth > 0 && info->depth < depth ? info->depth : depth;
	m->swd.depth = m->jtag.depth = depth;
	m->swd.idle_clocks = (uint32_t)pt_params_number(settings, &pt_probe_params[PT_PROBE_IDLE_CYCLES]);
}

static int mpsse_open(void *state, struct pt_link *link, const struct pt_params *settings, struct pt_err *err)
{
	struct pt_mpsse *m = state;
	struct pt_link_info info;
	int rc;

	pt_link_info(link, &info);
	m->link = link;
	m->hz = (uint32_t)pt_params_number(settings, &pt_probe_params[PT_PROBE_SPEED]);
	m->request_bytes = info.packet_bytes < PT_MPSSE_MOST_BYTES ? info.packet_bytes : PT_MPSSE_MOST_BYTES;
	m->packet_data = (info.usb_mbps == FULL_SPEED_MBPS ? 64 : 512) - STATUS_BYTES;
	if (m->request_bytes < LEAST_BYTES)
		return pt_fail(err, PT_EARG, "packets of %zu bytes are too short for an FTDI chip", info.packet_bytes);
	rc = choose_layout(m, &info, settings, err);
	if (rc == 0)
		rc = choose_chip(m, &info, err);
	if (rc < 0)
		return rc;
	choose_depth(m, &info, settings);
	m->pins = m->layout.value & (uint16_t)~MPSSE_TCK;
	pt_link_set_packet_bytes(link, m->request_bytes);
	mpsse_swd_init(m);
	mpsse_jtag_init(m);
	return mpsse_start(m, err);
}

static void mpsse_close(void *state)
{
	pt_swd_port_flush(&((struct pt_mpsse *)state)->swd, NULL);
	mpsse_stop(state);
}

static void mpsse_info(void *state, struct pt_probe_info *out)
{
	const struct pt_mpsse *m = state;

	strcpy(out->chip, m->chip->name);
	strcpy(out->protocol, "MPSSE");
	out->packet_bytes = m->request_bytes;
	out->packet_count = m->swd.depth;
	out->speed_hz = m->hz;
	out->swd = m->layout.swd != PT_MPSSE_NO_SWD;
}

const struct pt_probe_ops pt_ftdi_ops = {
	.name = "ftdi",
	.help = "FTDI chips with an MPSSE: FT2232H, FT232H, FT4232H and adapters with them",
	.address = "ftdi:[serial=S|usb=BUS-PORT]",
	.usb_stream = &mpsse_framing,
	.channel = mpsse_channel,
	.is_probe = mpsse_is_probe,
	.usb = usb,
	.n_usb = PT_LEN(usb),
	.params = params,
	.n_params = PT_LEN(params),
	.state_bytes = sizeof(struct pt_mpsse),
	.open = mpsse_open,
	.close = mpsse_close,
	.info = mpsse_info,
	.dap = &mpsse_dap_ops,
	.jtag = &mpsse_jtag_ops,
};
