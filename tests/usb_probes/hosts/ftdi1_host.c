/* A host on libftdi1, for the emulated FT2232H: opens it, asks what it does not know, reads the debug port's identity and
 * more than one packet holds, and gives the chip back. Prints a line of each. */
#include <ftdi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LOOP_BYTES = 3000 };

static void check(struct ftdi_context *chip, const char *what, int result)
{
	if (result >= 0)
		return;
	printf("%s: %d %s\n", what, result, ftdi_get_error_string(chip));
	exit(1);
}

static void exchange(struct ftdi_context *chip, const uint8_t *sent, size_t len_sent, uint8_t *got, size_t len_got)
{
	size_t n = 0;

	check(chip, "write", ftdi_write_data(chip, sent, (int)len_sent));
	for (int i = 0; i < 100 && n < len_got; i++) {
		int more = ftdi_read_data(chip, got + n, (int)(len_got - n));

		check(chip, "read", more);
		n += (size_t)more;
	}
	if (n == len_got)
		return;
	printf("read %zu of %zu bytes\n", n, len_got);
	exit(1);
}

/* Reset, switch, reset, idle, request; 38 bits in, of which the first is the turn-around. */
static uint32_t read_identity(struct ftdi_context *chip)
{
	static const uint8_t sent[] = {
		0x19, 6, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x19, 1, 0, 0x9e, 0xe7, 0x19, 7, 0, 0xff, 0xff, 0xff, 0xff, 0xff,
		0xff, 0xff, 0x00, 0x19, 0, 0, 0xa5, 0x80, 0x08, 0x09, 0x29, 3, 0, 0x2b, 5, 0x80, 0x08, 0x0b, 0x19, 0, 0, 0x00, 0x87,
	};
	uint8_t got[5];
	uint64_t bits = 0;

	exchange(chip, sent, sizeof(sent), got, sizeof(got));
	for (unsigned i = 0; i < 4; i++)
		bits |= (uint64_t)got[i] << 8 * i;
	bits |= (uint64_t)(got[4] >> 2) << 32;
	return (uint32_t)(bits >> 4);
}

/* Out of TDI into TDO inside the chip: over several packets, each with its status bytes. */
static bool loops_back(struct ftdi_context *chip)
{
	static uint8_t sent[1 + 3 + LOOP_BYTES + 2], got[LOOP_BYTES];

	sent[0] = 0x84;
	sent[1] = 0x39;
	sent[2] = (LOOP_BYTES - 1) & 0xff;
	sent[3] = (LOOP_BYTES - 1) >> 8;
	for (unsigned i = 0; i < LOOP_BYTES; i++)
		sent[4 + i] = (uint8_t)(i * 7 + i / 256);
	sent[4 + LOOP_BYTES] = 0x85;
	sent[5 + LOOP_BYTES] = 0x87;
	exchange(chip, sent, sizeof(sent), got, sizeof(got));
	return memcmp(sent + 4, got, sizeof(got)) == 0;
}

int main(void)
{
	struct ftdi_context *chip = ftdi_new();
	static const uint8_t set_up[] = { 0x8a, 0x97, 0x8d, 0x86, 6, 0, 0x80, 0x08, 0x0b };
	uint8_t got[2], latency = 0;

	check(chip, "interface", ftdi_set_interface(chip, INTERFACE_A));
	check(chip, "open", ftdi_usb_open(chip, 0x0403, 0x6010));
	printf("type %d, packets of %u\n", (int)chip->type, chip->max_packet_size);
	check(chip, "reset", ftdi_usb_reset(chip));
	check(chip, "latency", ftdi_set_latency_timer(chip, 2));
	check(chip, "latency", ftdi_get_latency_timer(chip, &latency));
	check(chip, "bit mode", ftdi_set_bitmode(chip, 0x0b, BITMODE_MPSSE));
	check(chip, "flush", ftdi_tcioflush(chip));
	exchange(chip, (const uint8_t[]){ 0xaa, 0x87 }, 2, got, 2);
	printf("latency %u ms, unknown opcode %02x %02x\n", latency, got[0], got[1]);
	check(chip, "set up", ftdi_write_data(chip, set_up, sizeof(set_up)));
	printf("DPIDR %08x\n", read_identity(chip));
	printf("loop %s\n", loops_back(chip) ? "right" : "wrong");
	check(chip, "bit mode", ftdi_set_bitmode(chip, 0, BITMODE_RESET));
	ftdi_usb_close(chip);
	ftdi_free(chip);
	return 0;
}
