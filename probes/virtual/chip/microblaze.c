/* The board's life: made from words and firmware, power, resets, time; and the wires between its units. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "probes/virtual/chip/microblaze.h"
#include "probes/virtual/demo/microblaze_demo.h"
#include "probes/virtual/frame/elf.h"
#include "probes/virtual/frame/flow_log.h"
#include "base/util.h"

enum { SLICE_CYCLES = 1024 };	/* how far cores run ahead of one another */

static struct pt_microblaze *chip_of(struct pt_vboard *board)
{
	return (struct pt_microblaze *)(void *)board;	/* the board is the chip and nothing else */
}

struct pt_microblaze *pt_microblaze_of(struct pt_vboard *board)
{
	return chip_of(board);
}

/* --- wires */

static void on_irq(void *arg, unsigned line, bool level)
{
	pt_vaxi_intc_input(&((struct pt_microblaze_node *)arg)->intc, line, level);
}

static void on_interrupt(void *arg, bool level)
{
	struct pt_microblaze_node *node = arg;

	if (node->debug != NULL)
		pt_vmdm_interrupt(node->debug, level);
	if (node->cpu != NULL)
		pt_vmb_interrupt(node->cpu, level);
}

static bool on_brki(void *arg, uint32_t pc)
{
	(void)pc;
	return ((struct pt_microblaze_node *)arg)->chip->debugger;
}

static void on_halted(void *arg, uint32_t why)
{
	struct pt_microblaze_node *node = arg;

	node->halted = why;
	pt_vmdm_halted(node->debug, why);
}

static void on_retired(void *arg, const struct pt_vmb_retired *what)
{
	pt_vmdm_retired(((struct pt_microblaze_node *)arg)->debug, what);
}

/* --- putting it together */

static bool map(struct pt_microblaze_node *node)
{
	const struct pt_vregion memories[] = {
		{ .base = 0, .size = PT_MICROBLAZE_LMB_BYTES, .bytes = node->lmb },
		{ .base = PT_MICROBLAZE_RAM_BASE, .size = PT_MICROBLAZE_RAM_BYTES, .bytes = node->ram },
	};
	const struct pt_vregion units[] = {
		{ .base = PT_MICROBLAZE_MDM_BASE, .size = PT_VMDM_AXI_BYTES, .ops = &pt_vmdm_ops,
		  .unit = &node->chip->mdm },
		{ .base = PT_MICROBLAZE_INTC_BASE, .size = 0x1000, .ops = &pt_vaxi_intc_ops, .unit = &node->intc },
		{ .base = PT_MICROBLAZE_TIMER_BASE, .size = 0x1000, .ops = &pt_vaxi_timer_ops, .unit = &node->timer },
		{ .base = PT_MICROBLAZE_UART_BASE, .size = 0x1000, .ops = &pt_vuartlite_ops, .unit = &node->uart },
	};
	bool done = true;

	for (size_t i = 0; i < PT_LEN(memories); i++)
		done = done && pt_vbus_add(&node->bus, &memories[i]);
	for (size_t i = 0; i < PT_LEN(units); i++)
		done = done && pt_vbus_add(&node->bus, &units[i]);
	return done;
}

static bool make_node(struct pt_microblaze *chip, const struct pt_microblaze_words *words, bool big_endian)
{
	struct pt_microblaze_node *node = &chip->node[chip->n_nodes++];
	const struct pt_vmb_hooks hooks = {
		.arg = node, .brki = on_brki, .halted = on_halted, .retired = on_retired,
	};

	node->chip = chip;
	node->bus.big_endian = big_endian;
	node->wires = (struct pt_vwires){ .bus = &node->bus, .core_hz = chip->hz, .arg = node, .irq = on_irq };
	node->lmb = calloc(1, PT_MICROBLAZE_LMB_BYTES);
	node->ram = calloc(1, PT_MICROBLAZE_RAM_BYTES);
	node->intc = (struct pt_vaxi_intc){ .arg = node, .output = on_interrupt };
	pt_vaxi_timer_init(&node->timer, &node->wires, PT_MICROBLAZE_TIMER_IRQ);
	pt_vuartlite_init(&node->uart, &node->wires, PT_MICROBLAZE_UART_IRQ, 115200);
	if (node->lmb == NULL || node->ram == NULL || !map(node))
		return false;
	node->cpu = pt_vmb_new(&node->bus, &words->cpu);
	if (node->cpu == NULL)
		return false;
	pt_vmb_set_hooks(node->cpu, &hooks);
	if (chip->n_nodes == 1)
		pt_vmdm_init(&chip->mdm, &words->mdm, &node->wires, PT_MICROBLAZE_MDM_IRQ);
	node->debug = pt_vmdm_add_core(&chip->mdm, node->cpu, &node->bus);
	return node->debug != NULL;
}

/* The FPGA's TAP: a 7-series part, XC7A35T. Source: OpenOCD's TAP configuration of the 7 series; its IDCODE is that of
 * the part's BSDL file. */
static void make_tap(struct pt_microblaze *chip, const struct pt_microblaze_words *words)
{
	static const uint32_t user_ir[4] = { 0x02, 0x03, 0x22, 0x23 };
	const struct pt_vjtap_config config = {
		.ir_bits = 6, .ir_capture = 0x11, .has_idcode = true, .idcode = 0x0362d093, .idcode_ir = 0x09,
		.rows = &chip->row, .n_rows = 1, .arg = &chip->dr, .reset = pt_vmdm_dr_reset,
	};

	chip->dr = (struct pt_vmdm_dr){ .mdm = &chip->mdm, .framing = words->framing };
	chip->row = pt_vmdm_dr_row(&chip->dr, user_ir[words->user - 1]);
	pt_vjtap_init(&chip->tap, &config);
	chip->taps[0] = &chip->tap;
}

static void release(struct pt_vboard *board)
{
	struct pt_microblaze *chip = chip_of(board);

	if (chip == NULL)
		return;
	pt_vmdm_fini(&chip->mdm);
	for (unsigned i = 0; i < chip->n_nodes; i++) {
		pt_vmb_free(chip->node[i].cpu);
		free(chip->node[i].lmb);
		free(chip->node[i].ram);
	}
	free(chip);
}

/* --- reset and power */

static void reset(struct pt_microblaze *chip, bool power_on, bool into_halt)
{
	for (unsigned i = 0; i < chip->n_nodes; i++) {
		pt_vbus_reset(&chip->node[i].bus, power_on);
		pt_vmb_reset(chip->node[i].cpu, power_on, into_halt);
		chip->node[i].halted = 0;
		if (chip->held || chip->power.nreset)
			pt_vmb_hold(chip->node[i].cpu);
	}
	chip->n_resets = power_on ? 0 : chip->n_resets + 1;
}

void pt_microblaze_reset(struct pt_microblaze *chip, bool into_halt)
{
	reset(chip, false, into_halt);
}

static struct pt_vboard *make(const struct pt_params *settings, const uint8_t *firmware, size_t len_bytes,
			      struct pt_err *err)
{
	struct pt_microblaze *chip = pt_alloc(sizeof(*chip));
	struct pt_vboard *board = (struct pt_vboard *)(void *)chip;
	struct pt_microblaze_words words;
	size_t demo_bytes = pt_microblaze_demo_elf_bytes;
	bool big_endian = firmware != NULL ? pt_velf_big_endian(firmware, len_bytes)
					   : pt_velf_big_endian(pt_microblaze_demo_elf, demo_bytes);

	if (pt_microblaze_read_words(&words, settings, err) < 0)
		goto undo;
	chip->hz = words.hz;
	chip->held = words.held;
	while (chip->n_nodes < words.n_cores)
		if (!make_node(chip, &words, big_endian)) {
			pt_fail(err, PT_ENOMEM, "no memory for the virtual board microblaze");
			goto undo;
		}
	if (pt_microblaze_load(chip, firmware, len_bytes, err) < 0)
		goto undo;
	for (unsigned i = 0; i < chip->n_nodes; i++)
		chip->node[i].wires.drift_ppm = pt_vboard_drift_ppm(settings);
	make_tap(chip, &words);
	pt_microblaze_serve(chip, words.as_qemu, words.cpu.use_stack_protection);
	pt_vpower_set(&chip->power, true);
	reset(chip, true, false);
	return board;
undo:
	release(board);
	return NULL;
}

/* --- as the wire models see it */

static void advance(struct pt_vboard *board, uint64_t to_ns)
{
	struct pt_microblaze *chip = chip_of(board);
	uint64_t to = pt_vpower_advance(&chip->power, &chip->node[0].wires, to_ns);

	for (uint64_t at = pt_vmb_cycle(chip->node[0].cpu); at < to;) {
		at = chip->n_nodes > 1 && to - at > SLICE_CYCLES ? at + SLICE_CYCLES : to;
		for (unsigned i = 0; i < chip->n_nodes; i++)
			pt_vmb_run(chip->node[i].cpu, at);
	}
}

static void set_nreset(struct pt_vboard *board, bool asserted)
{
	struct pt_microblaze *chip = chip_of(board);

	if (pt_vpower_set_nreset(&chip->power, asserted))
		reset(chip, false, false);
}

static void set_power(struct pt_vboard *board, bool on)
{
	struct pt_microblaze *chip = chip_of(board);

	if (pt_vpower_set(&chip->power, on))
		reset(chip, true, false);
}

static struct pt_vjtap *const *taps(struct pt_vboard *board, size_t *n_taps)
{
	*n_taps = 1;
	return chip_of(board)->taps;
}

static const struct pt_vrsp_target *rsp(struct pt_vboard *board)
{
	return &chip_of(board)->rsp;
}

static const uint8_t *demo(size_t *len_bytes)
{
	*len_bytes = pt_microblaze_demo_elf_bytes;
	return pt_microblaze_demo_elf;
}

static void *inside(struct pt_vboard *board)
{
	return chip_of(board);
}

/* --- its core, for what observes it */

static uint64_t awake(void *cpu)
{
	return pt_vmb_cycle(cpu) - pt_vmb_sleep_cycles(cpu) - pt_vmb_halt_cycles(cpu);
}

static void add_observer(void *cpu, struct pt_vobserver *tap)
{
	pt_vmb_add_observer(cpu, tap);
}

static void remove_observer(void *cpu, struct pt_vobserver *tap)
{
	pt_vmb_remove_observer(cpu, tap);
}

static uint64_t sleep_cycles(void *cpu)
{
	return pt_vmb_sleep_cycles(cpu);
}

static uint64_t halt_cycles(void *cpu)
{
	return pt_vmb_halt_cycles(cpu);
}

static uint32_t next_pc(void *cpu)
{
	return pt_vmb_reg(cpu, PT_VMB_PC);
}

static uint32_t stack_pointer(void *cpu)
{
	return pt_vmb_reg(cpu, 1);
}

static void flow_core(struct pt_vboard *board, struct pt_vflow_core *core)
{
	*core = (struct pt_vflow_core){
		.cpu = chip_of(board)->node[0].cpu, .sleep_cycles = sleep_cycles, .halt_cycles = halt_cycles,
		.awake_cycles = awake,
		.pc = next_pc, .sp = stack_pointer, .add_observer = add_observer, .remove_observer = remove_observer,
	};
}

static const char *const probes[] = { "rsp", "xvc", "bitbang", "cmsis-dap", "jlink", "ftdi", NULL };

const struct pt_vboard_ops pt_vboard_microblaze = {
	.name = "microblaze",
	.help = "MicroBlaze: 1 to 4 cores at 100 MHz, 64 KiB local memory, 16 MiB RAM, timer, UART, MDM with "
		"profiling, counters and trace",
	.probes = probes, .demo = demo, .make = make, .free = release, .advance = advance,
	.rsp = rsp, .taps = taps, .set_nreset = set_nreset, .set_power = set_power, .chip = inside,
	.flow_core = flow_core,
	.told = pt_microblaze_told, .params = pt_vmicroblaze_params, .n_params = PT_MICROBLAZE_WORDS,
};

/* --- as tests and bench see it */

uint8_t *pt_microblaze_bytes(struct pt_microblaze_node *node, uint32_t addr, uint32_t n_bytes)
{
	const struct pt_vregion *region = pt_vbus_find(&node->bus, addr);

	if (region == NULL || region->bytes == NULL || n_bytes > region->size - (addr - region->base))
		return NULL;
	return region->bytes + (addr - region->base);
}

uint32_t pt_microblaze_peek(struct pt_microblaze_node *node, uint32_t addr)
{
	const uint8_t *at = pt_microblaze_bytes(node, addr, 4);

	if (at == NULL)
		return 0;
	return node->bus.big_endian ? pt_be32(at) : pt_le32(at);
}

bool pt_microblaze_watch(struct pt_microblaze_node *node, struct pt_vtruth *truth, size_t log_room)
{
	const struct pt_vtruth_core core = {
		node->cpu, 4, awake, add_observer, remove_observer,
		{ { 0, PT_MICROBLAZE_LMB_BYTES } },
	};

	return pt_vtruth_init(truth, &core, log_room);
}
