/* SEGGER J-Link over USB or TCP: EDU, BASE, PRO, on-board ones, and what is built like them. Wires dap and jtag by shifts of
 * bits.
 *
 * The device is asked what it can do, and in the order in which other hosts ask, as some firmware is sensitive to it;
 * nothing is asked that the capabilities do not promise: one that does not know a command may hang.
 * Source: OpenOCD's jlink, libjaylink. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "host/log.h"
#include "probes/jtag/jlink.h"

enum {
	SELECT_ALL = 0xff, SELECT_MS = 10,	/* until the device is ready after it. Source: Black Magic Probe */
	TEXT_HEAD = 2, CAPS_BYTES = 4, CAPS_EX_BYTES = 32, STATE_BYTES = 8, SPEEDS_BYTES = 6,
	TABLE_BYTES = 76, TABLE_HEAD = 8, TABLE_MOST = 512, ENTRY_LEAST = 12, ENTRY_HANDLE = 10,
	MEMORY_UNKNOWN = 1024,
	FASTEST_KHZ = 0xfffe,
	FIRST_NEW_MAJOR = 5,		/* whose shifts by JTAG have a status. Source: libjaylink */
};

static const struct pt_param params[] = {
	{ "jlink.register", PT_PARAM_FLAG, "on", NULL, 0, 0,
	  "register as a connection where the probe has a table of them, as SEGGER's software does; off: for clones that "
	  "stop answering then" },
	{ "jlink.jtag_bits", PT_PARAM_NUMBER, "0", NULL, 0, JLINK_MOST_BITS,
	  "longest shift by JTAG, bits; 0: what fits its memory with 1366:0101, else 504, as the firmware of some models "
	  "corrupts longer ones" },
};
enum { REGISTERS, JTAG_BITS };

/* --- what it says of itself --------------------------------------------------------------------------------------- */

static bool can(const struct jlink *j, unsigned cap)
{
	return (j->caps >> cap & 1) != 0;
}

static int ask_word(struct jlink *j, uint8_t command, uint32_t *word, struct pt_err *err)
{
	int rc = jlink_ask(j, &command, 1, 4, err);

	if (rc == 0)
		*word = pt_le32(j->in);
	return rc;
}

/* "J-Link V9 compiled May  7 2021 16:26:12": "V9 compiled May  7 2021 16:26:12", as far as it can be printed. */
static void keep_firmware(struct jlink *j, size_t n_bytes)
{
	static const char brand[] = "J-Link ";
	const uint8_t *text = j->in;
	size_t n = 0;

	if (n_bytes > strlen(brand) && memcmp(text, brand, strlen(brand)) == 0) {
		text += strlen(brand);
		n_bytes -= strlen(brand);
	}
	for (; n < n_bytes && n + 1 < sizeof(j->firmware) && text[n] != 0; n++)
		j->firmware[n] = isprint(text[n]) ? (char)text[n] : '?';
	j->firmware[n] = 0;
}

static int ask_version(struct jlink *j, struct pt_err *err)
{
	static const uint8_t command = JLINK_VERSION;
	int rc = jlink_ask(j, &command, 1, TEXT_HEAD, err);
	size_t n_bytes = pt_le16(j->in);

	if (rc == 0 && (n_bytes == 0 || n_bytes > TABLE_MOST)) {
		pt_exchange_mistrust(&j->exchange, NULL);
		return pt_fail(err, PT_EPROTO, "the probe announces a version of %zu bytes: it is no J-Link", n_bytes);
	}
	if (rc == 0)
		rc = jlink_ask_more(j, TEXT_HEAD, n_bytes, err);
	if (rc == 0)
		keep_firmware(j, n_bytes);
	return rc;
}

static int ask_caps(struct jlink *j, struct pt_err *err)
{
	static const uint8_t extended = JLINK_GET_CAPS_EX;
	int rc = ask_word(j, JLINK_GET_CAPS, &j->caps, err);

	if (rc == 0 && can(j, JLINK_CAP_CAPS_EX))
		rc = jlink_ask(j, &extended, 1, CAPS_EX_BYTES, err);
	if (rc == 0 && can(j, JLINK_CAP_CAPS_EX) && pt_le32(j->in) != j->caps)
		return pt_exchange_mistrust(&j->exchange, err);
	return rc;
}

/* A millivolt for each of the two bytes; the levels behind it are not relied on. */
static int ask_state(struct jlink *j, struct pt_err *err)
{
	static const uint8_t command = JLINK_GET_STATE;
	int rc = jlink_ask(j, &command, 1, STATE_BYTES, err);

	if (rc == 0)
		j->target_mv = pt_le16(j->in);
	return rc;
}

static unsigned hw_major(const struct jlink *j)
{
	return j->hw_version / 10000 % 100;
}

static int ask_hardware(struct jlink *j, uint32_t *memory_bytes, struct pt_err *err)
{
	int rc = can(j, JLINK_CAP_HW_VERSION) ? ask_word(j, JLINK_GET_HW_VERSION, &j->hw_version, err) : 0;

	j->old_jtag = hw_major(j) < FIRST_NEW_MAJOR;
	if (rc == 0 && can(j, JLINK_CAP_FREE_MEMORY))
		rc = ask_word(j, JLINK_GET_FREE_MEMORY, memory_bytes, err);
	return rc < 0 ? rc : ask_state(j, err);
}

/* --- the table of connections ------------------------------------------------------------------------------------- */

/* The head of a table says how long it is. PT_EPROTO: it cannot be one. */
static int read_rest_of_table(struct jlink *j, size_t *entry_bytes, struct pt_err *err)
{
	size_t n_entries = pt_le16(j->in + 2), n_bytes;

	*entry_bytes = pt_le16(j->in + 4);
	n_bytes = TABLE_HEAD + n_entries * *entry_bytes + pt_le16(j->in + 6);
	if (n_bytes > TABLE_MOST || (n_entries > 0 && *entry_bytes < ENTRY_LEAST)) {
		pt_exchange_mistrust(&j->exchange, NULL);
		return pt_fail(err, PT_EPROTO,
			       "the J-Link's table of connections makes no sense; jlink.register=off "
			       "leaves it alone");
	}
	return n_bytes > TABLE_BYTES ? jlink_ask_more(j, 0, n_bytes, err) : 0;
}

static bool is_in_table(const struct jlink *j, uint16_t handle, size_t entry_bytes)
{
	size_t n = pt_le16(j->in + 2);
	bool found = false;

	for (size_t i = 0; i < n; i++)
		found |= pt_le16(j->in + TABLE_HEAD + i * entry_bytes + ENTRY_HANDLE) == handle;
	return found;
}

static int registration(struct jlink *j, uint8_t what, struct pt_err *err)
{
	uint8_t command[14] = { JLINK_REGISTER, what };

	pt_put_le16(command + 12, j->handle);
	return jlink_ask(j, command, sizeof(command), TABLE_BYTES, err);
}

static int add_connection(struct jlink *j, struct pt_err *err)
{
	size_t entry_bytes;
	uint16_t handle;

	if (registration(j, 0x64, err) < 0)
		return err->code;
	handle = pt_le16(j->in);
	if (read_rest_of_table(j, &entry_bytes, err) < 0)
		return err->code;
	if (handle == 0 || !is_in_table(j, handle, entry_bytes))
		return pt_fail(
			err, PT_EBUSY,
			"the J-Link has no free connection: %u are registered; end the other programs, or unplug it "
			"and plug it in again",
			pt_le16(j->in + 2));
	j->handle = handle;
	return 0;
}

/* The probe may be mute or gone: then there is nothing to be done about it. */
static void remove_connection(struct jlink *j)
{
	struct pt_err ignored;

	if (j->handle != 0 && registration(j, 0x65, &ignored) < 0)
		pt_debug(PT_LOG_USB, "jlink: connection %u stays registered: %s", j->handle, ignored.msg);
	j->handle = 0;
}

/* --- open --------------------------------------------------------------------------------------------------------- */

static int tell(struct jlink *j, uint8_t command, struct pt_err *err)
{
	return jlink_tell(j, &command, 1, err);
}

static int ask_interfaces(struct jlink *j, struct pt_err *err)
{
	static const uint8_t command[2] = { JLINK_SELECT_IF, SELECT_ALL };
	int rc;

	j->interfaces = 1 << JLINK_JTAG;
	if (!can(j, JLINK_CAP_SELECT_IF))
		return 0;
	rc = jlink_ask(j, command, sizeof(command), 4, err);
	if (rc == 0)
		j->interfaces = pt_le32(j->in);
	return rc;
}

static int ask_all(struct jlink *j, const struct pt_params *settings, struct pt_err *err)
{
	uint32_t memory_bytes = MEMORY_UNKNOWN;

	j->jtag_bits_asked = (uint32_t)pt_params_number(settings, &params[JTAG_BITS]);
	if (ask_version(j, err) < 0 || ask_caps(j, err) < 0 || ask_hardware(j, &memory_bytes, err) < 0 ||
	    jlink_shift_init(j, memory_bytes, j->jtag_bits_asked, err) < 0)
		return err->code;
	if (can(j, JLINK_CAP_REGISTER) && pt_params_flag(settings, &params[REGISTERS]) && add_connection(j, err) < 0)
		return err->code;
	return ask_interfaces(j, err);
}

/* One shift at a time, unless the user says how many: no manual says whether the firmware takes more. */
static unsigned depth_of(const struct pt_link_info *info, const struct pt_params *settings)
{
	uint64_t asked = pt_params_number(settings, &pt_probe_params[PT_PROBE_LIMIT_PACKETS]);
	uint64_t depth = asked == 0 ? 1 : asked < PT_SWD_PORT_MAX_DEPTH ? asked : PT_SWD_PORT_MAX_DEPTH;

	return depth < info->depth ? (unsigned)depth : info->depth;
}

static void init_ports(struct jlink *j, struct pt_link *link, const struct pt_link_info *info,
		       const struct pt_params *settings)
{
	unsigned depth = depth_of(info, settings);

	j->port = (struct pt_jtag_port){
		.ops = &jlink_jtag_port_ops, .state = j, .link = link, .depth = depth, .lost = true,
	};
	j->swd = (struct pt_swd_port){
		.ops = &jlink_swd_port_ops, .state = j, .link = link, .depth = depth,
		.defers_abort = true,
		.idle_clocks = (uint32_t)pt_params_number(settings, &pt_probe_params[PT_PROBE_IDLE_CYCLES]),
	};
	pt_swd_port_init(&j->swd);
}

static bool is_on_network(const struct pt_link_info *info)
{
	return strcmp(info->transport, "tcp") == 0 || strcmp(info->transport, "unix") == 0;
}

static int jlink_open(void *state, struct pt_link *link, const struct pt_params *settings, struct pt_err *err)
{
	struct jlink *j = state;
	struct pt_link_info info;

	pt_link_info(link, &info);
	j->usb_pid = info.usb_pid;
	j->interface = JLINK_NO_INTERFACE;
	j->asked_hz = (uint32_t)pt_params_number(settings, &pt_probe_params[PT_PROBE_SPEED]);
	jlink_io_init(j, link);
	init_ports(j, link, &info, settings);
	pt_link_set_packet_bytes(link,
				 info.packet_bytes < JLINK_COMMAND_BYTES ? info.packet_bytes : JLINK_COMMAND_BYTES);
	if (is_on_network(&info) && jlink_await_hello(j, err) < 0)
		return err->code;
	if (pt_exchange_drain(&j->exchange, err) < 0 || ask_all(j, settings, err) < 0) {
		remove_connection(j);
		return err->code;
	}
	return 0;
}

static void jlink_close(void *state)
{
	struct jlink *j = state;

	pt_swd_port_flush(&j->swd, NULL);
	jlink_swo_close(j);
	remove_connection(j);
}

static void jlink_info(void *state, struct pt_probe_info *out)
{
	const struct jlink *j = state;

	memcpy(out->firmware, j->firmware, sizeof(j->firmware));
	if (can(j, JLINK_CAP_HW_VERSION))
		snprintf(out->protocol, sizeof(out->protocol), "hardware %u.%02u", hw_major(j),
			 j->hw_version / 100 % 100);
	out->packet_bytes = JLINK_SHIFT_HEAD + 2 * ((size_t)j->most_bits / 8);
	out->packet_count = j->swd.depth;
	out->swd = (j->interfaces >> JLINK_SWD & 1) != 0;
	out->jtag = (j->interfaces >> JLINK_JTAG & 1) != 0;
	out->swo = can(j, JLINK_CAP_SWO);
	if (out->swo)
		strcpy(out->swo_codings, "uart");
	out->target_mv = j->target_mv;
	out->speed_hz = j->hz;
}

/* --- interface and clock ------------------------------------------------------------------------------------------ */

static int ask_speeds(struct jlink *j, struct pt_err *err)
{
	static const uint8_t command = JLINK_GET_SPEEDS;
	int rc = can(j, JLINK_CAP_SPEEDS) ? jlink_ask(j, &command, 1, SPEEDS_BYTES, err) : 0;

	if (rc < 0 || !can(j, JLINK_CAP_SPEEDS))
		return rc;
	j->base_hz = pt_le32(j->in);
	j->min_divider = pt_le16(j->in + 4);
	if (j->base_hz == 0 || j->min_divider == 0)
		j->base_hz = j->min_divider = 0;
	return 0;
}

/* The device takes kHz, and its clock is a part of its base that is no faster. */
static int apply_clock(struct jlink *j, struct pt_err *err)
{
	uint32_t khz = j->asked_hz / 1000, divider;
	uint8_t command[3] = { JLINK_SET_SPEED };

	khz = khz < 1 ? 1 : khz > FASTEST_KHZ ? FASTEST_KHZ : khz;
	j->hz = khz * 1000;
	if (j->base_hz != 0) {
		divider = (j->base_hz + khz * 1000 - 1) / (khz * 1000);
		if (divider < j->min_divider) {
			divider = j->min_divider;
			khz = (j->base_hz / divider + 999) / 1000;
		}
		j->hz = j->base_hz / divider;
	}
	pt_put_le16(command + 1, (uint16_t)khz);
	jlink_shift_set_clock(j);
	return jlink_tell(j, command, sizeof(command), err);
}

/* Another host may have left lines of reset low. One that this host wants low stays so. */
static int let_go_once(struct jlink *j, enum jlink_interface interface, struct pt_err *err)
{
	int rc = j->lines_are_ours ? 0 : tell(j, JLINK_RESET_HIGH, err);

	if (rc == 0 && !j->lines_are_ours && interface == JLINK_JTAG)
		rc = tell(j, JLINK_TRST_HIGH, err);
	j->lines_are_ours |= rc == 0;
	return rc;
}

/* A clock is that of an interface: choosing one forgets it. */
static int select_interface(struct jlink *j, enum jlink_interface interface, struct pt_err *err)
{
	const uint8_t command[2] = { JLINK_SELECT_IF, (uint8_t)interface };
	int rc = 0;

	if ((j->interfaces >> interface & 1) == 0)
		return pt_fail(err, PT_EUNSUPPORTED, "this J-Link has no %s; transport=%s uses its %s",
			       interface == JLINK_SWD ? "SWD" : "JTAG", interface == JLINK_SWD ? "jtag" : "swd",
			       interface == JLINK_SWD ? "JTAG" : "SWD");
	j->interface = JLINK_NO_INTERFACE;
	j->selects = false;
	if (can(j, JLINK_CAP_SELECT_IF)) {
		rc = jlink_ask(j, command, sizeof(command), 4, err);
		if (rc == 0 && pt_le32(j->in) != interface)
			rc = pt_link_wait(j->exchange.link, pt_link_now_ns(j->exchange.link) + SELECT_MS * PT_NS_PER_MS,
					  err);
	}
	if (rc == 0)
		rc = let_go_once(j, interface, err);
	if (rc == 0)
		rc = ask_speeds(j, err);
	if (rc == 0)
		rc = apply_clock(j, err);
	if (rc == 0)
		j->interface = interface;
	return rc;
}

/* Before an interface is selected, which forgets the clock, the probe only has to be there. */
static int set_speed(void *state, uint32_t hz, uint32_t *hz_used, struct pt_err *err)
{
	struct jlink *j = state;
	uint32_t was_hz = j->asked_hz;
	int rc;

	if (hz == 0)
		return pt_fail(err, PT_EARG, "a clock of 0 Hz");
	j->asked_hz = hz;
	rc = j->interface != JLINK_NO_INTERFACE ? apply_clock(j, err) : ask_state(j, err);
	if (rc < 0)
		j->asked_hz = was_hz;
	*hz_used = j->interface != JLINK_NO_INTERFACE ? j->hz : hz;
	return rc;
}

/* --- wire dap ----------------------------------------------------------------------------------------------------- */

static int swd_connect(void *state, enum pt_dap_line line, struct pt_err *err)
{
	struct jlink *j = state;
	int rc = select_interface(j, JLINK_SWD, err);

	(void)line;
	j->swd.abort = 0;	/* after a line reset the port takes nothing before DPIDR was read */
	j->selects = rc == 0;
	return rc;
}

static int swd_run(void *state, struct pt_dap_op *ops, size_t n_ops, uint32_t timeout_ms, size_t *n_done,
		   struct pt_err *err)
{
	return pt_swd_port_run(&((struct jlink *)state)->swd, ops, n_ops, timeout_ms, n_done, err);
}

static int swd_write_abort(void *state, uint32_t value, struct pt_err *err)
{
	return pt_swd_port_abort(&((struct jlink *)state)->swd, value, err);
}

static int swd_sequence(void *state, const uint8_t *bits, size_t n_bits, struct pt_err *err)
{
	struct jlink *j = state;
	int rc = pt_swd_port_flush(&j->swd, err);

	if (rc == 0 && j->selects)
		rc = jlink_shift_levels(j, pt_swd_select, PT_SWD_SELECT_BITS, err);
	j->selects &= rc < 0;
	return rc < 0 ? rc : jlink_shift_levels(j, bits, n_bits, err);
}

/* The line has no answer; the state behind it says that the probe is still there. */
static int drive(struct jlink *j, uint8_t command, struct pt_err *err)
{
	int rc = tell(j, command, err);

	j->lines_are_ours = true;
	return rc < 0 ? rc : ask_state(j, err);
}

static int swd_set_reset(void *state, bool asserted, struct pt_err *err)
{
	return drive(state, asserted ? JLINK_RESET_LOW : JLINK_RESET_HIGH, err);
}

static const struct pt_dap_ops dap_ops = {
	.connect = swd_connect, .run = swd_run, .write_abort = swd_write_abort, .sequence = swd_sequence,
	.set_speed = set_speed, .set_reset = swd_set_reset,
};

/* --- wire jtag ---------------------------------------------------------------------------------------------------- */

/* The port may have been left in SWD. The first shift of old hardware is of whole bytes, as this one is. Source: OpenOCD,
 * jlink. */
static int jtag_connect(void *state, struct pt_err *err)
{
	struct jlink *j = state;
	int rc = select_interface(j, JLINK_JTAG, err);

	if (rc == 0)
		rc = jlink_shift_levels(j, pt_swd_leave, PT_SWD_LEAVE_BITS, err);
	return rc < 0 ? rc : pt_jtag_port_reset(&j->port, err);
}

static int jtag_run(void *state, struct pt_jtag_op *ops, size_t n_ops, uint32_t timeout_ms, size_t *n_done,
		    struct pt_err *err)
{
	return pt_jtag_port_run(&((struct jlink *)state)->port, ops, n_ops, timeout_ms, n_done, err);
}

static int jtag_set_reset(void *state, bool trst, bool srst, struct pt_err *err)
{
	struct jlink *j = state;
	int rc = tell(j, trst ? JLINK_TRST_LOW : JLINK_TRST_HIGH, err);

	j->port.lost |= trst;
	return rc < 0 ? rc : drive(j, srst ? JLINK_RESET_LOW : JLINK_RESET_HIGH, err);
}

static const struct pt_jtag_ops jtag_ops = {
	.connect = jtag_connect, .run = jtag_run, .set_speed = set_speed, .set_reset = jtag_set_reset,
};

/* The numbers of old models one by one; of newer ones each bit says what they have on USB: 12 that it is a J-Link, 4 or
 * 5 that its debug interface is there. 0106 is a serial port alone, 1008 a CMSIS-DAP probe.
 * Source: libjaylink; probe-rs, after SEGGER's rules for udev. */
static const struct pt_usb_id usb[] = {
	{ .vid = 0x1366, .pid = 0x0101 }, { .vid = 0x1366, .pid = 0x0102 }, { .vid = 0x1366, .pid = 0x0103 },
	{ .vid = 0x1366, .pid = 0x0104 }, { .vid = 0x1366, .pid = 0x0105 }, { .vid = 0x1366, .pid = 0x0107 },
	{ .vid = 0x1366, .pid = 0x0108 }, { .vid = 0x1366, .pid = 0x1010, .pid_mask = 0xf010 },
	{ .vid = 0x1366, .pid = 0x1020, .pid_mask = 0xf020 },
};

const struct pt_probe_ops pt_jlink_ops = {
	.name = "jlink",
	.help = "SEGGER J-Link: EDU, BASE, PLUS, PRO, and the on-board ones, on USB or on the network",
	.address = "jlink:[serial=S|usb=BUS-PORT|tcp=HOST[:PORT]]",
	.framing = &jlink_framing,
	.usb = usb,
	.n_usb = PT_LEN(usb),
	.discover = jlink_discover,
	.params = params,
	.n_params = PT_LEN(params),
	.state_bytes = sizeof(struct jlink),
	.open = jlink_open,
	.close = jlink_close,
	.info = jlink_info,
	.dap = &dap_ops,
	.jtag = &jtag_ops,
	.stream = &jlink_stream_ops,
};
