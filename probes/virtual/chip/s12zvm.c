/* The chip's life: made from words and firmware, power, resets, time; and the wires between its units. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "probes/virtual/demo/s12zvm_demo.h"
#include "probes/virtual/chip/s12zvm_parts.h"
#include "probes/virtual/frame/flow_log.h"
#include "base/util.h"

static struct pt_s12zvm *chip_of(struct pt_vboard *board)
{
	return (struct pt_s12zvm *)(void *)board;	/* the board is the chip and nothing else */
}

struct pt_s12zvm *pt_s12zvm_of(struct pt_vboard *board)
{
	return chip_of(board);
}

/* --- wires between the units */

static void on_irq(void *arg, unsigned line, bool level)
{
	pt_vs12z_interrupt(((struct pt_s12zvm *)arg)->cpu, line, level);
}

static void on_taps_changed(void *arg)
{
	pt_vs12z_taps_changed(((struct pt_s12zvm *)arg)->cpu);
}

static void on_flash_busy(void *arg, bool busy)
{
	pt_s12zvm_cover_flash(arg, busy);
}

static bool is_secured(void *arg)
{
	return pt_vftmrz_secured(&((struct pt_s12zvm *)arg)->ftmrz);
}

/* --- DBG to core */

static uint32_t core_pc(void *arg)
{
	return pt_vs12z_pc(((struct pt_s12zvm *)arg)->cpu);
}

static void on_breakpoint(void *arg, bool into_bdm)
{
	struct pt_s12zvm *chip = arg;

	if (into_bdm)
		pt_vs12z_request_halt(chip->cpu, PT_VS12Z_HALT_BREAKPOINT);
	else
		pt_vs12z_request_swi(chip->cpu);
}

static bool bdc_enabled(void *arg)
{
	return (((struct pt_s12zvm *)arg)->bdc.csr & PT_VBDC_ENBDC) != 0;
}

static void on_watch(void *arg, bool on)
{
	pt_vs12z_watch(((struct pt_s12zvm *)arg)->cpu, on);
}

/* --- core to the others */

static bool on_bgnd(void *arg, uint32_t pc)
{
	(void)pc;
	return bdc_enabled(arg);
}

static enum pt_vs12z_tag on_fetch(void *arg, uint32_t pc)
{
	struct pt_s12zvm *chip = arg;

	if (!pt_vs12z_dbg_fetch(&chip->dbg, pc))
		return PT_VS12Z_GO_ON;
	return pt_vs12z_dbg_breaks_into_bdm(&chip->dbg) ? PT_VS12Z_TAG_BDM : PT_VS12Z_TAG_SWI;
}

static void on_halted(void *arg, uint32_t why)
{
	(void)why;
	pt_vs12z_dbg_stepping(&((struct pt_s12zvm *)arg)->dbg, false);
}

static void on_asleep(void *arg, enum pt_vs12z_state state)
{
	if (state == PT_VS12Z_WAIT || state == PT_VS12Z_STOP)
		pt_vbdc_asleep(&((struct pt_s12zvm *)arg)->bdc, state == PT_VS12Z_STOP);
}

/* --- BDC to the chip */

static bool bdc_read(void *arg, uint32_t addr, unsigned size_bytes, uint32_t *value)
{
	return pt_vs12z_bus_read(&((struct pt_s12zvm *)arg)->bus, PT_VMASTER_DEBUG, addr, size_bytes, value);
}

static bool bdc_write(void *arg, uint32_t addr, unsigned size_bytes, uint32_t value)
{
	return pt_vs12z_bus_write(&((struct pt_s12zvm *)arg)->bus, PT_VMASTER_DEBUG, addr, size_bytes, value);
}

static void bdc_read_dbgtb(void *arg, uint8_t line[8])
{
	pt_vs12z_dbg_read_line(&((struct pt_s12zvm *)arg)->dbg, line);
}

static enum pt_vbdc_core bdc_core(void *arg)
{
	switch (pt_vs12z_state(((struct pt_s12zvm *)arg)->cpu)) {
	case PT_VS12Z_WAIT:
		return PT_VBDC_WAITS;
	case PT_VS12Z_STOP:
		return PT_VBDC_STOPPED;
	case PT_VS12Z_BDM:
		return PT_VBDC_ACTIVE;
	default:
		return PT_VBDC_RUNS;
	}
}

static uint32_t bdc_sync_pc(void *arg)
{
	return pt_vs12z_sync_pc(((struct pt_s12zvm *)arg)->cpu);
}

static uint32_t bdc_reg(void *arg, unsigned crn)
{
	return pt_vs12z_reg(((struct pt_s12zvm *)arg)->cpu, crn);
}

static void bdc_set_reg(void *arg, unsigned crn, uint32_t value)
{
	pt_vs12z_set_reg(((struct pt_s12zvm *)arg)->cpu, crn, value);
}

static void bdc_background(void *arg)
{
	pt_vs12z_request_halt(((struct pt_s12zvm *)arg)->cpu, PT_VS12Z_HALT_BACKGROUND);
}

static void bdc_resume(void *arg, bool step)
{
	struct pt_s12zvm *chip = arg;

	pt_vs12z_dbg_stepping(&chip->dbg, step);
	pt_vs12z_resume(chip->cpu, step);
}

static void bdc_mass_erase(void *arg)
{
	pt_vftmrz_mass_erase(&((struct pt_s12zvm *)arg)->ftmrz);
}

static bool bdc_erasing(void *arg)
{
	return pt_vftmrz_mass_erasing(&((struct pt_s12zvm *)arg)->ftmrz);
}

/* A stolen cycle is one that passes without an instruction. */
static void bdc_steal(void *arg)
{
	struct pt_s12zvm *chip = arg;

	if (pt_vs12z_state(chip->cpu) != PT_VS12Z_RUN)
		return;
	chip->stolen++;
	++*chip->bus.now_cycle;
}

/* --- reset */

/* Firmware that uses the module for itself: a trace that ends when address 0 is written. */
static void use_dbg(struct pt_s12zvm *chip)
{
	static const struct { uint16_t at; uint8_t value; } writes[] = {
		{ 0x110, 0x05 }, { 0x107, 0x03 }, { 0x102, 0x40 }, { 0x100, 0x80 },
	};

	for (size_t i = 0; i < PT_LEN(writes); i++)
		pt_vs12z_bus_write(&chip->bus, PT_VMASTER_CPU, writes[i].at, 1, writes[i].value);
}

/* BKGD low while reset goes away is special single chip mode: active background before the first instruction. */
static void reset_chip(struct pt_s12zvm *chip, bool power_on)
{
	bool special = chip->bdc.bkgd_low;

	pt_vbus_reset(&chip->bus, power_on);
	pt_vbdc_reset(&chip->bdc, special);
	pt_vs12z_reset(chip->cpu, false, special);
	chip->n_resets = power_on ? 0 : chip->n_resets + 1;
	if (chip->app_dbg)
		use_dbg(chip);
}

static void power_on(struct pt_s12zvm *chip)
{
	chip->bdc.powered = true;
	chip->dbg.pdo.origin_ns = chip->power.since_ns;
	pt_vpower_scramble(chip->ram, sizeof(chip->ram));
	pt_vbus_changed(&chip->bus, PT_S12ZVM_RAM_BASE, sizeof(chip->ram));
	pt_vs12z_reset(chip->cpu, true, false);		/* the clock begins at 0, for the units */
	reset_chip(chip, true);
	if (chip->power.nreset)
		pt_vs12z_hold(chip->cpu);
}

/* --- putting it together */

static void init_units(struct pt_s12zvm *chip, const struct pt_s12zvm_words *words)
{
	const struct pt_vs12z_dbg_chip dbg = {
		.arg = chip, .pc = core_pc, .breakpoint = on_breakpoint, .bdm_allowed = bdc_enabled,
		.secured = is_secured,
		.watch = on_watch,
	};
	const struct pt_vftmrz_config flash = {
		.wires = &chip->wires, .flash = chip->flash, .eeprom = chip->eeprom,
		.flash_base = PT_S12ZVM_FLASH_BASE, .flash_bytes = PT_S12ZVM_FLASH_BYTES,
		.eeprom_base = PT_S12ZVM_EEPROM_BASE, .eeprom_bytes = PT_S12ZVM_EEPROM_BYTES,
		/* of the class that data sheets of the family give; UNVERIFIED */
		.program_ns = 100000, .erase_sector_ns = 20000000, .erase_all_ns = 100000000, .read_ns = 20000,
		.arg = chip, .busy = on_flash_busy,
	};
	const struct pt_vbdc_chip bdc = {
		.arg = chip, .read = bdc_read, .write = bdc_write, .read_dbgtb = bdc_read_dbgtb, .core = bdc_core,
		.sync_pc = bdc_sync_pc, .reg = bdc_reg, .set_reg = bdc_set_reg, .background = bdc_background,
		.resume = bdc_resume, .secured = is_secured, .mass_erase = bdc_mass_erase, .erasing = bdc_erasing,
		.steal = bdc_steal, .bdcclk_hz = words->bdcclk_hz, .bdcfclk_hz = words->bdcfclk_hz,
	};

	pt_vs12z_dbg_init(&chip->dbg, &chip->wires, &dbg, &words->dbg);
	pt_vs12z_tim_init(&chip->tim, &chip->wires, PT_S12ZVM_TIM_VECTOR);
	pt_vftmrz_init(&chip->ftmrz, &flash);
	pt_vbdc_init(&chip->bdc, &bdc);
	chip->interrupts.cpu = chip->cpu;
	chip->app_dbg = words->app_dbg;
}

static int assemble(struct pt_s12zvm *chip, const struct pt_s12zvm_words *words, struct pt_err *err)
{
	const struct pt_vs12z_hooks hooks = {
		.arg = chip, .bgnd = on_bgnd, .fetch = on_fetch, .halted = on_halted, .asleep = on_asleep,
	};

	chip->wires = (struct pt_vwires){
		.bus = &chip->bus, .core_hz = words->bus_hz, .arg = chip, .irq = on_irq,
		.taps_changed = on_taps_changed,
	};
	if (pt_s12zvm_map_memories(chip))
		chip->cpu = pt_vs12z_new(&chip->bus, NULL);
	if (chip->cpu == NULL)
		return pt_fail(err, PT_ENOMEM, "no memory for the virtual board s12zvm");
	pt_vs12z_set_hooks(chip->cpu, &hooks);
	init_units(chip, words);
	pt_vs12z_add_observer(chip->cpu, &chip->dbg.observer);
	if (!pt_s12zvm_map_units(chip))
		return pt_fail(err, PT_ENOMEM, "the memory map of the virtual board s12zvm has no room");
	return 0;
}

static void release(struct pt_vboard *board)
{
	if (board == NULL)
		return;
	pt_vs12z_free(chip_of(board)->cpu);
	free(board);
}

static struct pt_vboard *make(const struct pt_params *settings, const uint8_t *firmware, size_t len_bytes,
			      struct pt_err *err)
{
	struct pt_s12zvm *chip = pt_alloc(sizeof(*chip));
	struct pt_vboard *board = (struct pt_vboard *)(void *)chip;
	struct pt_s12zvm_words words;

	if (pt_s12zvm_read_words(&words, settings, err) < 0 ||
	    pt_s12zvm_load(chip, firmware, len_bytes, words.secured, err) < 0 || assemble(chip, &words, err) < 0) {
		release(board);
		return NULL;
	}
	chip->wires.drift_ppm = pt_vboard_drift_ppm(settings);
	pt_vpower_set(&chip->power, true);
	power_on(chip);
	return board;
}

/* --- as the wire models see it */

/* Without a clock (a fault of the BDC's side) nothing moves, and the time is lost. */
static void advance(struct pt_vboard *board, uint64_t to_ns)
{
	struct pt_s12zvm *chip = chip_of(board);

	uint64_t cycle;

	if (!chip->bdc.clocked && to_ns > chip->power.now_ns) {
		chip->power.since_ns += to_ns - chip->power.now_ns;
		chip->dbg.pdo.origin_ns = chip->power.since_ns;
	}
	cycle = pt_vpower_advance(&chip->power, &chip->wires, to_ns);
	if (chip->bdc.clocked)
		pt_vs12z_run(chip->cpu, cycle);
}

static struct pt_vbdc *bdc_of(struct pt_vboard *board)
{
	return &chip_of(board)->bdc;
}

static struct pt_vpdo *pdo_of(struct pt_vboard *board)
{
	return &chip_of(board)->dbg.pdo;
}

/* Units are reset when the line goes low, and the core begins when it is let go. */
static void set_nreset(struct pt_vboard *board, bool asserted)
{
	struct pt_s12zvm *chip = chip_of(board);

	if (!pt_vpower_set_nreset(&chip->power, asserted))
		return;
	if (asserted) {
		pt_vbus_reset(&chip->bus, false);
		pt_vs12z_hold(chip->cpu);
	} else {
		reset_chip(chip, false);
	}
}

static void set_power(struct pt_vboard *board, bool on)
{
	struct pt_s12zvm *chip = chip_of(board);

	chip->bdc.powered = on;
	if (pt_vpower_set(&chip->power, on))
		power_on(chip);
}

static const uint8_t *demo(size_t *len_bytes)
{
	*len_bytes = pt_s12zvm_demo_elf_bytes;
	return pt_s12zvm_demo_elf;
}

static void *inside(struct pt_vboard *board)
{
	return chip_of(board);
}

/* --- its core, for what observes it */

static uint64_t awake(void *cpu)
{
	return pt_vs12z_cycle(cpu) - pt_vs12z_sleep_cycles(cpu) - pt_vs12z_halt_cycles(cpu);
}

static void add_observer(void *cpu, struct pt_vobserver *observer)
{
	pt_vs12z_add_observer(cpu, observer);
}

static void remove_observer(void *cpu, struct pt_vobserver *observer)
{
	pt_vs12z_remove_observer(cpu, observer);
}

static uint64_t sleep_cycles(void *cpu)
{
	return pt_vs12z_sleep_cycles(cpu);
}

static uint64_t halt_cycles(void *cpu)
{
	return pt_vs12z_halt_cycles(cpu);
}

static uint32_t next_pc(void *cpu)
{
	return pt_vs12z_pc(cpu);
}

static uint32_t stack_pointer(void *cpu)
{
	return pt_vs12z_reg(cpu, PT_VS12Z_S);
}

static void flow_core(struct pt_vboard *board, struct pt_vflow_core *core)
{
	*core = (struct pt_vflow_core){
		.cpu = chip_of(board)->cpu, .sleep_cycles = sleep_cycles, .halt_cycles = halt_cycles,
		.awake_cycles = awake,
		.pc = next_pc, .sp = stack_pointer, .add_observer = add_observer, .remove_observer = remove_observer,
	};
}

static const char *const probes[] = { "bdc-pipe", "osbdm", "usbdm", NULL };

const struct pt_vboard_ops pt_vboard_s12zvm = {
	.name = "s12zvm",
	.help = "S12ZVM: S12Z at 50 MHz, 128 KiB flash, 8 KiB RAM, 1 KiB EEPROM, DBG with profiling",
	.probes = probes, .demo = demo, .make = make, .free = release, .advance = advance, .bdc = bdc_of, .pdo = pdo_of,
	.set_nreset = set_nreset, .set_power = set_power, .chip = inside,
	.flow_core = flow_core,
	.params = pt_vs12zvm_params, .n_params = PT_S12ZVM_WORDS,
};

/* --- as tests and bench see it */

static uint8_t *within(uint8_t *bytes, uint32_t base, uint32_t size, uint32_t addr, uint32_t n_bytes)
{
	uint32_t offset = addr - base;

	return offset < size && n_bytes <= size - offset ? bytes + offset : NULL;
}

uint8_t *pt_s12zvm_bytes(struct pt_s12zvm *chip, uint32_t addr, uint32_t n_bytes)
{
	uint8_t *at = within(chip->ram, PT_S12ZVM_RAM_BASE, PT_S12ZVM_RAM_BYTES, addr, n_bytes);

	if (at == NULL)
		at = within(chip->eeprom, PT_S12ZVM_EEPROM_BASE, PT_S12ZVM_EEPROM_BYTES, addr, n_bytes);
	return at != NULL ? at : within(chip->flash, PT_S12ZVM_FLASH_BASE, PT_S12ZVM_FLASH_BYTES, addr, n_bytes);
}

uint32_t pt_s12zvm_peek(struct pt_s12zvm *chip, uint32_t addr)
{
	const uint8_t *at = pt_s12zvm_bytes(chip, addr, 4);

	return at != NULL ? pt_be32(at) : 0;
}

bool pt_s12zvm_watch(struct pt_s12zvm *chip, struct pt_vtruth *truth, size_t log_room)
{
	const struct pt_vtruth_core core = {
		chip->cpu, 1, awake, add_observer, remove_observer,
		{ { PT_S12ZVM_FLASH_BASE, PT_S12ZVM_FLASH_BYTES }, { PT_S12ZVM_RAM_BASE, PT_S12ZVM_RAM_BYTES } },
	};

	return pt_vtruth_init(truth, &core, log_room);
}
