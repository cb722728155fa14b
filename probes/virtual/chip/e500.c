/* The board's life: made from words and firmware, power, resets, time; and the wires between its units. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "probes/virtual/chip/e500.h"
#include "probes/virtual/demo/e500_demo.h"
#include "probes/virtual/frame/flow_log.h"
#include "base/util.h"

enum { SLICE_CYCLES = 256 };	/* how far cores run ahead of one another */

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

static bool map(struct pt_e500 *chip, struct pt_vbus *bus, bool dcsr)
{
	const struct pt_vregion regions[] = {
		{ .base = 0, .size = PT_E500_RAM_BYTES, .bytes = chip->ram },
		{ .base = PT_E500_UART_BASE, .size = 0x100, .ops = &pt_vuartlite_ops, .unit = &chip->uart },
		{ .base = PT_E500_DCSR_BASE, .size = PT_VDCSR_BYTES, .ops = &pt_vdcsr_ops, .unit = &chip->dcsr },
	};
	bool done = true;

	bus->big_endian = true;
	for (size_t i = 0; i < (dcsr ? 3u : 2u); i++)
		done = done && pt_vbus_add(bus, &regions[i]);
	return done;
}

static bool make_node(struct pt_e500 *chip, const struct pt_e500_words *words)
{
	struct pt_e500_node *node = &chip->node[chip->n_nodes];
	const struct pt_ve500_hooks hooks = { .arg = chip, .trap = on_trap };

	if (!map(chip, &node->bus, words->dcsr))
		return false;
	node->cpu = pt_ve500_new(&node->bus, words->core, &words->timing);
	if (node->cpu == NULL)
		return false;
	pt_ve500_set_number(node->cpu, chip->n_nodes);
	pt_ve500_set_hooks(node->cpu, &hooks);
	pt_ve500_count_halted(node->cpu, words->counts_halted);
	pt_ve500_mask_steps(node->cpu, words->masks_steps);
	pt_ve500_pm_init(&node->pm, node->cpu);
	chip->dcsr.proxy[chip->n_nodes].cpu = node->cpu;
	chip->dcsr.proxy[chip->n_nodes].pm = &node->pm;
	chip->n_nodes++;
	return true;
}

static bool assemble(struct pt_e500 *chip, const struct pt_e500_words *words)
{
	chip->wires = (struct pt_vwires){ .bus = &chip->node[0].bus, .core_hz = words->hz, .arg = chip, .irq = on_irq };
	chip->ram = calloc(1, PT_E500_RAM_BYTES);
	chip->dcsr.capture = words->capture;
	pt_vuartlite_init(&chip->uart, &chip->wires, 0, 115200);
	while (chip->ram != NULL && chip->n_nodes < words->n_cores)
		if (!make_node(chip, words))
			return false;
	chip->cpu = chip->node[0].cpu;
	chip->pm = &chip->node[0].pm;
	return chip->ram != NULL;
}

static void release(struct pt_vboard *board)
{
	struct pt_e500 *chip = chip_of(board);

	if (chip == NULL)
		return;
	for (unsigned i = 0; i < chip->n_nodes; i++)
		pt_ve500_free(chip->node[i].cpu);
	free(chip->ram);
	free(chip);
}

/* --- reset and power */

static void reset(struct pt_e500 *chip, bool power_on, bool into_halt)
{
	for (unsigned i = 0; i < chip->n_nodes; i++) {
		struct pt_e500_node *node = &chip->node[i];

		pt_vbus_reset(&node->bus, power_on);
		pt_ve500_reset(node->cpu, power_on, chip->entry);
		pt_ve500_pm_reset(&node->pm);
		node->asked = into_halt;
		if (chip->held || chip->power.nreset)
			pt_ve500_hold(node->cpu);
		else if (into_halt)
			pt_ve500_request_halt(node->cpu);
	}
	chip->n_resets = power_on ? 0 : chip->n_resets + 1;
}

void pt_e500_reset(struct pt_e500 *chip, bool into_halt)
{
	reset(chip, false, into_halt);
}

static struct pt_vboard *make(const struct pt_params *settings, const uint8_t *firmware, size_t len_bytes,
			      struct pt_err *err)
{
	struct pt_e500 *chip = pt_alloc(sizeof(*chip));
	struct pt_vboard *board = (struct pt_vboard *)(void *)chip;
	struct pt_e500_words words;

	if (pt_e500_read_words(&words, settings, err) < 0)
		goto undo;
	chip->held = words.held;
	if (!assemble(chip, &words)) {
		pt_fail(err, PT_ENOMEM, "no memory for the virtual board e500");
		goto undo;
	}
	if (pt_e500_load(chip, firmware, len_bytes, err) < 0)
		goto undo;
	chip->wires.drift_ppm = pt_vboard_drift_ppm(settings);
	pt_e500_serve(chip);
	pt_vpower_set(&chip->power, true);
	reset(chip, true, false);
	return board;
undo:
	release(board);
	return NULL;
}

/* --- as the wire models see it */

/* A core that has not been at work for a while may have lost its reservation to another one. */
static void run(struct pt_e500 *chip, uint64_t to)
{
	for (uint64_t at = pt_ve500_cycle(chip->cpu); at < to;) {
		at = chip->n_nodes > 1 && to - at > SLICE_CYCLES ? at + SLICE_CYCLES : to;
		for (unsigned i = 0; i < chip->n_nodes; i++) {
			if (chip->n_nodes > 1)
				pt_ve500_lose_reservation(chip->node[i].cpu);
			pt_ve500_run(chip->node[i].cpu, at);
		}
	}
}

static void advance(struct pt_vboard *board, uint64_t to_ns)
{
	struct pt_e500 *chip = chip_of(board);

	run(chip, pt_vpower_advance(&chip->power, &chip->wires, to_ns));
}

static void set_nreset(struct pt_vboard *board, bool asserted)
{
	struct pt_e500 *chip = chip_of(board);

	if (pt_vpower_set_nreset(&chip->power, asserted))
		reset(chip, false, false);
}

static void set_power(struct pt_vboard *board, bool on)
{
	struct pt_e500 *chip = chip_of(board);

	if (pt_vpower_set(&chip->power, on))
		reset(chip, true, false);
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

/* --- its core, for what observes it */

static uint64_t awake(void *cpu)
{
	return pt_ve500_cycle(cpu) - pt_ve500_idle_cycles(cpu) - pt_ve500_halt_cycles(cpu);
}

static void add_observer(void *cpu, struct pt_vobserver *observer)
{
	pt_ve500_add_observer(cpu, observer);
}

static void remove_observer(void *cpu, struct pt_vobserver *observer)
{
	pt_ve500_remove_observer(cpu, observer);
}

static uint64_t sleep_cycles(void *cpu)
{
	return pt_ve500_idle_cycles(cpu);
}

static uint64_t halt_cycles(void *cpu)
{
	return pt_ve500_halt_cycles(cpu);
}

static uint32_t next_pc(void *cpu)
{
	return pt_ve500_pc(cpu);
}

static uint32_t stack_pointer(void *cpu)
{
	return (uint32_t)pt_ve500_reg(cpu, 1);
}

static void flow_core(struct pt_vboard *board, struct pt_vflow_core *core)
{
	*core = (struct pt_vflow_core){
		.cpu = chip_of(board)->cpu, .sleep_cycles = sleep_cycles, .halt_cycles = halt_cycles,
		.awake_cycles = awake,
		.pc = next_pc, .sp = stack_pointer, .add_observer = add_observer, .remove_observer = remove_observer,
	};
}

static const char *const probes[] = { "rsp", NULL };

const struct pt_vboard_ops pt_vboard_e500 = {
	.name = "e500",
	.help = "PowerPC e500v2 (core=v1, v2, mc, e5500 or e6500), 1 to 4 cores at 100 MHz, 16 MiB RAM at 0, UART, "
		"decrementers, performance monitors; behind a GDB server",
	.probes = probes, .demo = demo, .make = make, .free = release, .advance = advance, .rsp = rsp,
	.set_nreset = set_nreset, .set_power = set_power, .chip = inside,
	.flow_core = flow_core,
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

bool pt_e500_watch(struct pt_e500 *chip, struct pt_vtruth *truth, size_t log_room)
{
	const struct pt_vtruth_core core = {
		chip->cpu, 4, awake, add_observer, remove_observer,
		{ { 0, 1 << 20 } },
	};

	return pt_vtruth_init(truth, &core, log_room);
}
