#include <stdlib.h>
#include <string.h>
#include <uv.h>

#include "fake_board.h"
#include "probes/virtual/wire/mem_ap.h"
#include "base/util.h"

struct parts {
	struct pt_vbus bus;
	struct pt_vmem_ap ap;
};

static bool mtb_read(void *unit, uint32_t offset, const struct pt_vaccess *access, uint32_t *value)
{
	const struct pt_vboard *board = unit;

	(void)access;
	*value = offset == 4 && board->now_ns < FAKE_MTB_STOPS_NS ? 0x80000000 : offset;
	return true;
}

static bool pcsr_read(void *unit, uint32_t offset, const struct pt_vaccess *access, uint32_t *value)
{
	struct pt_vboard *board = unit;

	(void)offset, (void)access;
	*value = (uint32_t)board->pcsr_reads++;
	return true;
}

static bool clock_read(void *unit, uint32_t offset, const struct pt_vaccess *access, uint32_t *value)
{
	const struct pt_vboard *board = unit;

	(void)offset, (void)access;
	*value = (uint32_t)(board->now_ns / 1000);
	return true;
}

static const struct pt_vunit_ops mtb = { .name = "mtb", .read = mtb_read };
static const struct pt_vunit_ops pcsr = { .name = "pcsr", .read = pcsr_read };
static const struct pt_vunit_ops board_clock = { .name = "clock", .read = clock_read };

static void add_regions(struct pt_vboard *board, struct pt_vbus *bus)
{
	const struct pt_vregion regions[] = {
		{ .base = FAKE_RAM, .size = FAKE_RAM_BYTES, .bytes = board->ram },
		{ .base = FAKE_MTB, .size = 16, .ops = &mtb, .unit = board },
		{ .base = FAKE_PCSR, .size = 4, .ops = &pcsr, .unit = board },
		{ .base = FAKE_CLOCK, .size = 4, .ops = &board_clock, .unit = board },
	};

	for (size_t i = 0; i < PT_LEN(regions); i++)
		pt_vbus_add(bus, &regions[i]);
}

static struct pt_vboard *make(const struct pt_params *settings, const uint8_t *firmware, size_t len_bytes,
			      struct pt_err *err)
{
	struct pt_vboard *board = calloc(1, sizeof(*board));
	struct parts *parts = calloc(1, sizeof(*parts));

	(void)settings;
	if (firmware != NULL && (len_bytes < 4 || memcmp(firmware, "\177ELF", 4) != 0)) {
		free(board);
		free(parts);
		pt_fail(err, PT_EARG, "not an ELF");
		return NULL;
	}
	for (size_t i = 0; i < sizeof(board->ram); i++)
		board->ram[i] = (uint8_t)(i * 13 + (i >> 8) * 7);
	board->firmware_bytes = len_bytes;
	board->parts = parts;
	add_regions(board, &parts->bus);
	pt_vmem_ap_init(&parts->ap, &parts->bus, 0xf0002003);
	return board;
}

static void free_board(struct pt_vboard *board)
{
	free(board->parts);
	free(board);
}

static void advance(struct pt_vboard *board, uint64_t to_ns)
{
	uint64_t until_ns = uv_hrtime() + (to_ns - board->now_ns) * board->real_per_model;

	while (board->real_per_model != 0 && uv_hrtime() < until_ns)
		continue;
	board->now_ns = to_ns;
	board->advances++;
}

static struct pt_vap *ap(struct pt_vboard *board, unsigned apsel)
{
	struct parts *parts = board->parts;

	return apsel == 0 ? &parts->ap.port : NULL;
}

static uint32_t dpidr(struct pt_vboard *board)
{
	(void)board;
	return 0x0bc11477;
}

static void set_nreset(struct pt_vboard *board, bool asserted)
{
	board->nreset_low = asserted;
	board->resets += asserted;
}

static void set_power(struct pt_vboard *board, bool on)
{
	board->off = !on;
	board->power_losses += !on;
}

static const char *const probes[] = { "cmsis-dap", NULL };

const struct pt_vboard_ops pt_vboard_kl27 = {
	.name = "kl27",
	.probes = probes,
	.make = make,
	.free = free_board,
	.advance = advance,
	.ap = ap,
	.dpidr = dpidr,
	.set_nreset = set_nreset,
	.set_power = set_power,
};
