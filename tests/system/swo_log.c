/* A virtual cm4 that sends trace, for a comparison of its pin with decoders of others (tests/system/test_swo_model).
 * swo_log FIRMWARE MS ACPR FFCR TCR DWT_CTRL ADDRESS FUNCTION0 [awake] [manchester]: halfway it turns trace on, and prints
 *   byte BEGIN_NS BIT_PS BYTE      of the pin, as UART; manchester: in that coding
 *   packet SOURCE CYCLE HEX...     that was sent; lost instead of packet: that was not
 * awake: WFI does nothing. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/params.h"
#include "base/util.h"
#include "probes/virtual/chip/cm4.h"

enum { MAX_PACKETS = 1 << 20, MAX_FIRMWARE = 1 << 20, PARAMETERS = 8 };

static struct pt_vboard *board;
static struct pt_cm4 *chip;

static void on_byte(void *arg, const struct pt_vswo_byte *byte)
{
	(void)arg;
	printf("byte %" PRIu64 " %" PRIu64 " %02x\n", byte->begin_ns, byte->bit_ps, byte->byte);
}

static const struct pt_vswo_listener listener = { .byte = on_byte };

static void poke(uint32_t addr, uint32_t value)
{
	const struct pt_vaccess access = { addr, 4, PT_VMASTER_DEBUG, true };

	pt_vbus_write(&chip->bus, &access, value);
}

static bool make(const char *path)
{
	static uint8_t elf[MAX_FIRMWARE];
	FILE *file = fopen(path, "rb");
	size_t len = file != NULL ? fread(elf, 1, sizeof(elf), file) : 0;
	struct pt_params *settings = pt_params_new();
	struct pt_err err = { 0 };

	if (file != NULL)
		fclose(file);
	board = pt_vboard_cm4.make(settings, elf, len, &err);
	pt_params_free(settings);
	if (board == NULL)
		fprintf(stderr, "swo_log: %s: %s\n", path, err.msg);
	else
		chip = pt_cm4_of(board);
	return board != NULL;
}

static void stay_awake(void)
{
	enum { WFI = 0xbf30, NOP = 0xbf00 };

	for (size_t i = 0; i < sizeof(chip->code); i += 2)
		if (pt_le16(chip->code + i) == WFI)
			pt_put_le16(chip->code + i, NOP);
}

static void trace(const uint32_t *p, bool manchester)
{
	poke(0xe000edfc, 1 << 24);
	poke(0xe00400f0, manchester ? 1 : 2);
	poke(0xe0040010, p[1]);
	poke(0xe0040304, p[2]);
	poke(0xe0000fb0, PT_VITM_KEY);
	poke(0xe0000e00, UINT32_MAX);
	poke(0xe0000e80, p[3]);
	poke(0xe0001020, p[5]);
	poke(0xe0001024, 2);
	poke(0xe0001028, p[6]);
	poke(0xe0001000, p[4]);
}

static void print_packets(const struct pt_vtrace_log *log)
{
	static const char *const names[] = {
		[PT_VTRACE_PORT] = "port", [PT_VTRACE_DWT] = "dwt", [PT_VTRACE_OVERFLOW] = "overflow", [PT_VTRACE_STAMP] = "stamp",
		[PT_VTRACE_GLOBAL] = "global", [PT_VTRACE_SYNC] = "sync",
	};

	for (size_t i = 0; i < log->n; i++) {
		const struct pt_vtrace_packet *packet = &log->packet[i];

		printf("%s %s %" PRIu64, packet->lost ? "lost" : "packet", names[packet->source], packet->at_cycle);
		for (unsigned k = 0; k < packet->n_bytes; k++)
			printf(" %02x", packet->bytes[k]);
		putchar('\n');
	}
}

int main(int argc, char **argv)
{
	static struct pt_vtrace_packet packet[MAX_PACKETS];
	struct pt_vtrace_log log = { .packet = packet, .room = MAX_PACKETS };
	uint32_t p[PARAMETERS] = { 0 };
	bool manchester = false;

	if (argc < 2 + PARAMETERS - 1 || !make(argv[1]))
		return 2;
	for (int i = 0; i < PARAMETERS - 1; i++)
		p[i] = (uint32_t)strtoul(argv[2 + i], NULL, 0);
	for (int i = 2 + PARAMETERS - 1; i < argc; i++) {
		if (strcmp(argv[i], "awake") == 0)
			stay_awake();
		manchester |= strcmp(argv[i], "manchester") == 0;
	}
	pt_vboard_cm4.swo(board)->listener = &listener;
	chip->itm.log = &log;
	pt_vboard_cm4.advance(board, p[0] * PT_NS_PER_MS / 2);
	trace(p, manchester);
	pt_vboard_cm4.advance(board, p[0] * PT_NS_PER_MS);
	poke(0xe0000e80, p[3] & ~1u);		/* what is in the FIFO goes out */
	pt_vboard_cm4.advance(board, (p[0] + 10) * PT_NS_PER_MS);
	print_packets(&log);
	pt_vboard_cm4.free(board);
	return 0;
}
