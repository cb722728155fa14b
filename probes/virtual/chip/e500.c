/* The board's life: made from words and firmware, power, resets, time; and the wires between its units. */
#include <stdlib.h>
#include <string.h>

#include "probes/virtual/chip/e500.h"
#include "probes/virtual/chip/e500_demo.h"
#include "util.h"

static struct pt_e500 *chip_of(struct pt_vboard *board)
{
	return (struct pt_e500 *)(void *)board;		/* the board is the chip and nothing else */
}

struct pt_e500 *pt_e500_of(struct pt_vboard *board)
{
	return chip_of(board);
}

/* --- wires */

static void on_irq(void *arg, unsigned line, bool level)
{
	(void)line;
	pt_ve500_set_external(((struct pt_e500 *)arg)->cpu, level);
}

static bool on_trap(void *arg, uint32_t pc)
{
	(void)pc;
	return ((struct pt_e500 *)arg)->debugger;
}

/* --- putting it together */

static bool assemble(struct pt_e500 *chip, const struct pt_e500_words *words)
{
	const struct pt_ve500_hooks hooks = { .arg = chip, .trap = on_trap };
	struct pt_vregion ram = { .base = 0, .size = PT_E500_RAM_BYTES };
	const struct pt_vregion uart = { .base = PT_E500_UART_BASE, .size = 0x100, .ops = &pt_vuartlite_ops,
					 .unit = &chip->uart };
	const struct pt_vregion dcsr = { .base = PT_E500_DCSR_BASE, .size = PT_VDCSR_BYTES, .ops = &pt_vdcsr_ops,
					 .unit = &chip->dcsr };

	chip->bus.big_endian = true;
	chip->wires = (struct pt_vwires){ .bus = &chip->bus, .core_hz = words->hz, .arg = chip, .irq = on_irq };
	chip->ram = ram.bytes = calloc(1, PT_E500_RAM_BYTES);
	pt_vuartlite_init(&chip->uart, &chip->wires, 0, 115200);
	if (chip->ram == NULL || !pt_vbus_add(&chip->bus, &ram) || !pt_vbus_add(&chip->bus, &uart) ||
	    (words->dcsr && !pt_vbus_add(&chip->bus, &dcsr)))
		return false;
	chip->cpu = pt_ve500_new(&chip->bus, words->core, &words->timing);
	if (chip->cpu == NULL)
		return false;
	pt_ve500_set_hooks(chip->cpu, &hooks);
	pt_ve500_count_halted(chip->cpu, words->counts_halted);
	pt_ve500_mask_steps(chip->cpu, words->masks_steps);
	pt_ve500_pm_init(&chip->pm, chip->cpu);
	chip->dcsr = (struct pt_vdcsr){ .cpu = chip->cpu, .pm = &chip->pm, .capture = words->capture };
	return true;
}

static void release(struct pt_vboard *board)
{
	struct pt_e500 *chip = chip_of(board);

	if (chip == NULL)
		return;
	pt_ve500_free(chip->cpu);
	free(chip->ram);
	free(chip);
}

/* --- reset and power */

static void reset(struct pt_e500 *chip, bool power_on, bool into_halt)
{
	pt_vbus_reset(&chip->bus, power_on);
	pt_ve500_reset(chip->cpu, power_on, chip->entry);
	pt_ve500_pm_reset(&chip->pm);
	chip->asked = into_halt;
	if (chip->held || chip->nreset)
		pt_ve500_hold(chip->cpu);
	else if (into_halt)
		pt_ve500_request_halt(chip->cpu);
	chip->n_resets = power_on ? 0 : chip->n_resets + 1;
}

void pt_e500_reset(struct pt_e500 *chip, bool into_halt)
{
	reset(chip, false, into_halt);
}

static struct pt_vboard *make(const struct pt_params *settings, const uint8_t *firmware, size_t len_bytes,
			      struct pt_err *err)
{
	struct pt_e500 *chip = calloc(1, sizeof(*chip));
	struct pt_vboard *board = (struct pt_vboard *)(void *)chip;
	struct pt_e500_words words;

	if (chip == NULL) {
		pt_fail(err, PT_ENOMEM, "no memory for the virtual board e500");
		return NULL;
	}
	if (pt_e500_read_words(&words, settings, err) < 0)
		goto undo;
	chip->held = words.held;
	if (!assemble(chip, &words)) {
		pt_fail(err, PT_ENOMEM, "no memory for the virtual board e500");
		goto undo;
	}
	if (pt_e500_load(chip, firmware, len_bytes, err) < 0)
		goto undo;
	pt_e500_serve(chip);
	chip->powered = true;
	reset(chip, true, false);
	return board;
undo:
	release(board);
	return NULL;
}

/* --- as the wire models see it */

static void advance(struct pt_vboard *board, uint64_t to_ns)
{
	struct pt_e500 *chip = chip_of(board);

	if (to_ns <= chip->now_ns)
		return;
	chip->now_ns = to_ns;
	if (chip->powered)
		pt_ve500_run(chip->cpu, pt_vwires_cycles(&chip->wires, to_ns - chip->power_ns));
}

static void set_nreset(struct pt_vboard *board, bool asserted)
{
	struct pt_e500 *chip = chip_of(board);

	if (chip->nreset == asserted)
		return;
	chip->nreset = asserted;
	if (chip->powered)
		reset(chip, false, false);
}

static void set_power(struct pt_vboard *board, bool on)
{
	struct pt_e500 *chip = chip_of(board);

	if (on && !chip->powered) {
		chip->power_ns = chip->now_ns;
		reset(chip, true, false);
	}
	chip->powered = on;
}

static const struct pt_vrsp_target *rsp(struct pt_vboard *board)
{
	return &chip_of(board)->rsp;
}

static const uint8_t *demo(size_t *len_bytes)
{
	*len_bytes = pt_e500_demo_elf_bytes;
	return pt_e500_demo_elf;
}

static void *inside(struct pt_vboard *board)
{
	return chip_of(board);
}

static const char *const probes[] = { "rsp", NULL };

const struct pt_vboard_ops pt_vboard_e500 = {
	.name = "e500",
	.help = "PowerPC e500v2 (core=v1, v2, mc, e5500 or e6500) at 100 MHz, 16 MiB RAM at 0, UART, decrementer, "
		"performance monitor; behind a GDB server",
	.probes = probes, .demo = demo, .make = make, .free = release, .advance = advance, .rsp = rsp,
	.set_nreset = set_nreset, .set_power = set_power, .chip = inside,
	.told = pt_e500_told, .params = pt_ve500_params, .n_params = PT_E500_WORDS,
};

/* --- as tests and bench see it */

uint8_t *pt_e500_bytes(struct pt_e500 *chip, uint32_t addr, uint32_t n_bytes)
{
	return addr <= PT_E500_RAM_BYTES && n_bytes <= PT_E500_RAM_BYTES - addr ? chip->ram + addr : NULL;
}

uint32_t pt_e500_peek(struct pt_e500 *chip, uint32_t addr)
{
	const uint8_t *at = pt_e500_bytes(chip, addr, 4);

	return at != NULL ? pt_be32(at) : 0;
}

static uint64_t awake(void *cpu)
{
	return pt_ve500_cycle(cpu) - pt_ve500_idle_cycles(cpu) - pt_ve500_halt_cycles(cpu);
}

static void add_tap(void *cpu, struct pt_vtap *tap)
{
	pt_ve500_add_tap(cpu, tap);
}

static void remove_tap(void *cpu, struct pt_vtap *tap)
{
	pt_ve500_remove_tap(cpu, tap);
}

bool pt_e500_watch(struct pt_e500 *chip, struct pt_vtruth *truth, size_t log_room)
{
	const struct pt_vtruth_core core = {
		chip->cpu, 4, awake, add_tap, remove_tap,
		{ { 0, 1 << 20 } },
	};

	return pt_vtruth_init(truth, &core, log_room);
}
