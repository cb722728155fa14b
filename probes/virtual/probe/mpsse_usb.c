/* The device around the MPSSE: its numbers, and the control requests of its channel. Sources: ftdi.h of libftdi1; the
 * bcdDevice of a chip: ftdi_sio of Linux. */
#include "base/util.h"
#include "probes/virtual/probe/mpsse_parts.h"

enum { TO_DEVICE = 0x40, TO_HOST = 0xc0, CHANNEL_A = 1 };
enum {
	RESET = 0x00, MODEM_CONTROL, FLOW_CONTROL, BAUD_RATE, DATA_FORMAT, MODEM_STATUS, EVENT_CHAR, ERROR_CHAR,
	SET_LATENCY = 0x09, GET_LATENCY, SET_BIT_MODE, READ_PINS, READ_EEPROM = 0x90,
};
enum { RESET_SIO, PURGE_TO_HOST, PURGE_TO_CHIP };	/* values of RESET: what is left for the host, and for the chip */
enum { MODE_OFF = 0, MODE_MPSSE = 2 };

static const struct chip {
	uint16_t pid, release;
	uint8_t n_channels;
	uint16_t packet_bytes;
} chips[PT_VMPSSE_N_CHIPS] = {
	[PT_VMPSSE_FT2232H] = { 0x6010, 0x0700, 2, 512 }, [PT_VMPSSE_FT232H] = { 0x6014, 0x0900, 1, 512 },
	[PT_VMPSSE_FT4232H] = { 0x6011, 0x0800, 4, 512 }, [PT_VMPSSE_FT2232C] = { 0x6010, 0x0500, 2, 64 },
	[PT_VMPSSE_CLONE] = { 0x6010, 0x0500, 2, 64 },
};

bool mpsse_answers(const struct pt_vmpsse *m)
{
	return m->bit_mode == MODE_MPSSE && m->config.chip != PT_VMPSSE_CLONE;
}

static int reset(struct pt_vmpsse *m, uint16_t what, bool *forgets)
{
	if (what == RESET_SIO || what == PURGE_TO_CHIP) {
		m->n_head = 0;
		m->data_left = 0;
	}
	*forgets = what == RESET_SIO || what == PURGE_TO_HOST;
	return what <= PURGE_TO_CHIP ? 0 : -1;
}

static int set(struct pt_vmpsse *m, const struct pt_vcontrol *request, bool *forgets)
{
	switch (request->request) {
	case RESET:
		return reset(m, request->value, forgets);
	case SET_LATENCY:
		m->latency_ms = (uint8_t)request->value;
		return request->value >= 1 && request->value <= 255 ? 0 : -1;
	case SET_BIT_MODE:
		m->bit_mode = (uint8_t)(request->value >> 8);
		mpsse_reset(m);
		return 0;
	case MODEM_CONTROL:
	case FLOW_CONTROL:
	case BAUD_RATE:
	case DATA_FORMAT:
	case EVENT_CHAR:
	case ERROR_CHAR:
		return 0;
	default:
		return -1;	/* the EEPROM, above all, is never written */
	}
}

/* A blank EEPROM reads as ones. */
static int get(const struct pt_vmpsse *m, uint8_t request, uint8_t *data)
{
	switch (request) {
	case MODEM_STATUS:
		data[0] = 0x32;
		data[1] = 0x60;
		return 2;
	case GET_LATENCY:
		data[0] = m->latency_ms;
		return 1;
	case READ_PINS:
		data[0] = mpsse_read_low(m);
		return 1;
	case READ_EEPROM:
		data[0] = data[1] = 0xff;
		return 2;
	default:
		return -1;
	}
}

int mpsse_control(void *state, const struct pt_vcontrol *request, uint8_t *data, size_t room, bool *forgets)
{
	struct pt_vmpsse *m = state;
	bool of_channel = (request->index & 0xff) <= CHANNEL_A;	/* 0 is the device, which is channel A, too */

	*forgets = false;
	if (request->type == TO_HOST && room >= 2 && (of_channel || request->request == READ_EEPROM))
		return get(m, request->request, data);
	if (request->type != TO_DEVICE)
		return -1;
	return of_channel ? set(m, request, forgets) : 0;	/* the other channels are serial ports */
}

void mpsse_usb(void *state, struct pt_vusb *out)
{
	static const uint8_t status[2] = { 0x32, 0x60 };	/* CTS, DSR; the transmitter is empty */
	const struct pt_vmpsse *m = state;
	const struct chip *chip = &chips[m->config.chip];

	*out = (struct pt_vusb){
		.vid = 0x0403, .pid = chip->pid, .release = chip->release, .n_interfaces = chip->n_channels,
		.out = 0x02, .in = 0x81, .packet_bytes = chip->packet_bytes,
		.status = status, .status_bytes = sizeof(status), .idle_ms = m->latency_ms,
	};
}
