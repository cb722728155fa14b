/* Requests to endpoint 0: descriptors, and what the model makes of a vendor's. */
#include <glib.h>
#include <string.h>

#include "device.h"
#include "usbfs.h"

enum { GET_DESCRIPTOR = 6, STANDARD_IN = 0x80, TO_HOST = 0x80, VENDOR = 0x40, TYPE_MASK = 0x60, SETUP_BYTES = 8 };

unsigned device_packet_bytes(void)
{
	return device->speed_mbps == HIGH_SPEED_MBPS ? 512 : 64;
}

unsigned get_le16(const uint8_t *p)
{
	return p[0] | (unsigned)p[1] << 8;
}

uint32_t get_le32(const uint8_t *p)
{
	return get_le16(p) | (uint32_t)get_le16(p + 2) << 16;
}

void put_le32(uint8_t *p, uint32_t value)
{
	for (unsigned i = 0; i < 4; i++)
		p[i] = (uint8_t)(value >> 8 * i);
}
static int standard_request(const uint8_t *setup, uint8_t *data, size_t capacity)
{
	const uint8_t *from = NULL;
	size_t len_bytes = 0;

	if (setup[0] != STANDARD_IN || setup[1] != GET_DESCRIPTOR)
		return (setup[0] & TO_HOST) != 0 ? -1 : 0;
	if (setup[3] == 1) {
		from = device->descriptor;
		len_bytes = from[0];
	} else if (setup[3] == 2) {
		from = device->config;
		len_bytes = device->config_bytes;
	} else if (setup[3] == 3 && setup[2] < DEVICE_STRINGS && device->strings[setup[2]] != NULL) {
		from = device->strings[setup[2]];
		len_bytes = from[0];
	}
	if (from == NULL)
		return -1;
	len_bytes = MIN(len_bytes, capacity);
	memcpy(data, from, len_bytes);
	return (int)len_bytes;
}
int control_transfer(uint8_t *setup, size_t capacity)
{
	size_t wanted = MIN(capacity, get_le16(setup + 6));

	if ((setup[0] & TYPE_MASK) == VENDOR)
		return device->control != NULL ? device->control(setup, setup + SETUP_BYTES, wanted) : -1;
	return standard_request(setup, setup + SETUP_BYTES, wanted);
}
