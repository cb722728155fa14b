#include "probes/virtual/chip/cm4.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/util.h"
#include "probes/virtual/chip/arm_core.h"
#include "probes/virtual/demo/cm4_demo.h"
#include "probes/virtual/frame/elf.h"

enum { TIMER_IRQ = 8, ROM_TABLE = 0xe00ff000, ROM_PART = 0x4c4, PORT_ROM_TABLE = 0xe00fe000, PORT_ROM_PART = 0x4c8,
       SECOND_AP = 3, RIVAL_TURNS_PER_S = 100 };
#define DPIDR UINT32_C(0x2ba01477)

struct pt_cm4_kind {
	const char *name;
	const struct pt_vcpu_model *model;
	bool bit_bands, port_rom;	/* port_rom: the access port has a table in front of the core's */
	uint32_t ap_idr;
	uint16_t rom_part;
};
static const struct pt_cm4_kind kind_m4 = { "cm4", &pt_vcpu_m4f, true, false, PT_VMEM_AP_IDR_M4, ROM_PART };
static const struct pt_cm4_kind kind_m7 = { "cm7", &pt_vcpu_m7f, false, true, PT_VMEM_AP_IDR_M7, 0x4c7 };

static struct pt_cm4 *chip_of(struct pt_vboard *board)
{
	return (struct pt_cm4 *)(void *)board;	/* the board is the chip and nothing else */
}

struct pt_cm4 *pt_cm4_of(struct pt_vboard *board)
{
	return chip_of(board);
}

static uint8_t *bytes_at(struct pt_cm4 *chip, uint32_t addr, uint32_t n_bytes)
{
	if (addr < PT_CM4_CODE_BYTES && n_bytes <= PT_CM4_CODE_BYTES - addr)
		return chip->code + addr;
	addr -= PT_CM4_RAM_BASE;
	return addr < PT_CM4_RAM_BYTES && n_bytes <= PT_CM4_RAM_BYTES - addr ? chip->ram + addr : NULL;
}

uint32_t pt_cm4_peek(struct pt_cm4 *chip, uint32_t addr)
{
	const uint8_t *at = bytes_at(chip, addr, 4);

	return at != NULL ? pt_le32(at) : 0;
}

bool pt_cm4_watch_core(struct pt_cm4 *chip, unsigned core, struct pt_vtruth *truth, size_t log_room)
{
	struct pt_vtruth_core of = pt_varm_truth_core(core == 0 ? chip->cpu : chip->second.cpu, 0, PT_CM4_CODE_BYTES,
						      PT_CM4_RAM_BASE, PT_CM4_RAM_BYTES);

	return pt_vtruth_init(truth, &of, log_room);
}

/* --- wires between the units */

static void reset_chip(void *arg)
{
	struct pt_cm4 *chip = arg;

	pt_vbus_reset(&chip->bus, false);
	pt_varm_reset_core(&chip->debug);
	pt_varm_second_reset(&chip->second, false);
}

static void stop_trace_clock(void *arg, uint64_t n_cycles)
{
	struct pt_cm4 *chip = arg;

	pt_vitm_run(&chip->itm, pt_vcpu_cycle(chip->cpu));
	pt_vtpiu_stop_clock(&chip->tpiu, n_cycles);
}

/* The reset pin: reset lasts as long as it is asserted. */
static void apply_nreset(struct pt_cm4 *chip)
{
	bool in_reset = chip->power.nreset, let_go = chip->scs.in_reset && !in_reset;

	if (in_reset != chip->scs.in_reset) {
		pt_vbus_reset(&chip->bus, false);
		pt_varm_second_reset(&chip->second, false);
	}
	chip->scs.in_reset = in_reset;
	pt_vcpu_hold(chip->cpu, in_reset);
	if (let_go)
		pt_vscs_debug_after_reset(&chip->scs);
}

/* Trace as another debugger has it: Manchester through the formatter, a prescaler, and everything that the DWT can send. */
static void set_up_as_rival(struct pt_cm4 *chip)
{
	static const struct { uint32_t addr, value; } wants[] = {
		{ 0xe000edfc, 0x01000400 }, { 0xe00400f0, 1 }, { 0xe0040010, 99 }, { 0xe0040304, 0x103 }, { 0xe0000fb0, PT_VITM_KEY },
		{ 0xe0000e40, 3 }, { 0xe0000e00, 0x80000001 }, { 0xe0000e80, 0x0005000d }, { 0xe0001000, 0x00410bff },
		{ 0xe0001020, 0x20001000 }, { 0xe0001024, 2 }, { 0xe0001028, 0xd },
	};

	for (size_t i = 0; i < PT_LEN(wants); i++) {
		const struct pt_vaccess access = { wants[i].addr, 4, PT_VMASTER_DEBUG, true };

		pt_vbus_write(&chip->bus, &access, wants[i].value);
	}
}

static void power_on(struct pt_cm4 *chip)
{
	chip->scs.in_reset = false;
	pt_vcpu_hold(chip->cpu, false);
	pt_vpower_scramble(chip->ram, sizeof(chip->ram));
	pt_vbus_changed(&chip->bus, PT_CM4_RAM_BASE, sizeof(chip->ram));
	pt_vcpu_reset(chip->cpu, true);		/* the clock begins at 0, for the units */
	pt_vbus_reset(&chip->bus, true);
	chip->tpiu.origin_ns = chip->power.since_ns;
	pt_varm_second_reset(&chip->second, true);
	pt_vmem_ap_reset(&chip->ahb);
	chip->ahb.locked = chip->words.locked;
	if (chip->words.left || chip->words.rival)
		set_up_as_rival(chip);
	apply_nreset(chip);
}

/* --- putting it together */

static int place(void *arg, uint32_t addr, const uint8_t *bytes, size_t n_bytes, struct pt_err *err)
{
	uint8_t *to = n_bytes <= UINT32_MAX ? bytes_at(arg, addr, (uint32_t)n_bytes) : NULL;

	if (to == NULL)
		return pt_fail(err, PT_EARG, "%zu bytes at 0x%x do not fit into the code memory or RAM of %s", n_bytes,
			       addr, ((const struct pt_cm4 *)arg)->kind->name);
	memcpy(to, bytes, n_bytes);
	return 0;
}

static int load(struct pt_cm4 *chip, const uint8_t *elf, size_t len_bytes, struct pt_err *err)
{
	if (elf == NULL) {
		elf = pt_cm4_demo_elf;
		len_bytes = pt_cm4_demo_elf_bytes;
	}
	memset(chip->code, 0xff, sizeof(chip->code));
	if (pt_velf_load(elf, len_bytes, PT_VELF_ARM, place, chip, err) < 0)
		return pt_wrap(err, "firmware for %s", chip->kind->name);
	return 0;
}

static bool map_memories(struct pt_cm4 *chip)
{
	const struct pt_vregion code = {
		.base = 0, .size = PT_CM4_CODE_BYTES, .bytes = chip->code, .read_only = true,
	};
	const struct pt_vregion ram = { .base = PT_CM4_RAM_BASE, .size = PT_CM4_RAM_BYTES, .bytes = chip->ram };

	return pt_vbus_add(&chip->bus, &code) && pt_vbus_add(&chip->bus, &ram);
}

#define MEMBER(unit) offsetof(struct pt_cm4, unit)
static const struct {
	uint32_t base, size;
	const struct pt_vunit_ops *ops;
	size_t member;
} units[] = {
	{ 0x22000000, PT_VBIT_BAND_BYTES, &pt_vbit_band_ops, MEMBER(ram_bits) },
	{ 0x40000000, 0x1000, &pt_vcmsdk_timer_ops, MEMBER(timer) },
	{ 0x40004000, 0x1000, &pt_vcmsdk_uart_ops, MEMBER(uart) },
	{ 0x42000000, PT_VBIT_BAND_BYTES, &pt_vbit_band_ops, MEMBER(peripheral_bits) },
	{ 0xe0000000, 0x1000, &pt_vitm_ops, MEMBER(itm) },
	{ 0xe0001000, 0x1000, &pt_vdwt_ops, MEMBER(dwt) },
	{ 0xe0002000, 0x1000, &pt_vbpu_ops, MEMBER(fpb) },
	{ 0xe0000000 + PT_VSCS_BASE, PT_VSCS_BYTES, &pt_vscs_debug_ops, MEMBER(scs) },
	{ 0xe0040000, 0x1000, &pt_vtpiu_ops, MEMBER(tpiu) },
	{ 0xe0042000, 0x1000, &pt_vtrace_pin_ops, MEMBER(pin) },
	{ ROM_TABLE, 0x1000, &pt_vrom_table_ops, MEMBER(rom) },
	{ PORT_ROM_TABLE, 0x1000, &pt_vrom_table_ops, MEMBER(port_rom) },
};

static bool has_unit(const struct pt_cm4 *chip, size_t i)
{
	if (units[i].ops == &pt_vbit_band_ops)
		return chip->kind->bit_bands;
	if (units[i].ops == &pt_vtrace_pin_ops)
		return chip->words.pin_is_off;
	return units[i].member != MEMBER(port_rom) || chip->kind->port_rom;
}

static bool map_units(struct pt_cm4 *chip)
{
	for (size_t i = 0; i < PT_LEN(units); i++) {
		struct pt_vregion region = {
			.base = units[i].base, .size = units[i].size, .ops = units[i].ops,
			.unit = (char *)chip + units[i].member,
		};

		if (has_unit(chip, i) && !pt_vbus_add(&chip->bus, &region))
			return false;
	}
	return true;
}

static void catch_up(void *dwt, uint64_t now_cycle)
{
	pt_vdwt_trace_tick(dwt, now_cycle);
}

static void init_trace(struct pt_cm4 *chip)
{
	const struct pt_cm4_words *words = &chip->words;

	pt_vtpiu_init(&chip->tpiu, &chip->wires, words->trace_hz);
	pt_vitm_init(&chip->itm, &chip->wires, &chip->tpiu);
	chip->tpiu.has_enftc = words->half_frames;
	chip->itm.fifo_room = words->fifo_room;
	chip->itm.stamp_bits = words->stamp_bits;
	chip->itm.core_only = words->ports_by_core;
	chip->itm.catch_up = catch_up;
	chip->itm.source = &chip->dwt;
	chip->dwt.itm = &chip->itm;
	chip->dwt.omits_exits = words->no_exits;
	chip->dwt.v2 = words->dwt_v8;
	chip->dwt.stands_asleep = words->cyccnt_sleeps;
	pt_vtrace_pin_init(&chip->pin, &chip->itm, words->pin_forgets);
}

static void init_debug(struct pt_cm4 *chip)
{
	/* SCS, DWT, FPB, ITM, TPIU; the ETM's entry says that it is not there */
	static const uint32_t entries[] = { 0xfff0f003, 0xfff02003, 0xfff03003, 0xfff01003, 0xfff41003, 0xfff42002 };
	static const uint32_t port_entries[] = { 0x00001003 };	/* the core's table */

	chip->debug = (struct pt_varm_debug){
		.cpu = chip->cpu, .dwt = &chip->dwt, .bpu = &chip->fpb, .scs = &chip->scs, .skid = 1, .arg = chip, .reset = reset_chip,
		.sleeps = chip->words.trace_sleeps ? stop_trace_clock : NULL,
	};
	pt_varm_debug_init(&chip->debug, &chip->wires);
	init_trace(chip);
	chip->rom = pt_varm_rom_table(chip->kind->rom_part, entries, PT_LEN(entries));
	chip->port_rom = pt_varm_rom_table(PORT_ROM_PART, port_entries, PT_LEN(port_entries));
	pt_vmem_ap_init(&chip->ahb, &chip->bus, (chip->kind->port_rom ? PORT_ROM_TABLE : ROM_TABLE) | 3);
	chip->ahb.idr = chip->kind->ap_idr;
}

static bool add_second(struct pt_cm4 *chip)
{
	const struct pt_varm_second_config second = {
		.kind = chip->words.second, .model = &pt_vcpu_m4f, .first = &chip->bus, .core_hz = chip->words.core_hz,
		.drift_ppm = chip->wires.drift_ppm, .ap_idr = PT_VMEM_AP_IDR_M4, .rom_table = ROM_TABLE, .rom_part = ROM_PART,
		.arg = chip, .reset = reset_chip,
	};

	return pt_varm_second_init(&chip->second, &second);
}

static int assemble(struct pt_cm4 *chip, uint32_t drift_ppm, struct pt_err *err)
{
	chip->wires = (struct pt_vwires){
		.bus = &chip->bus, .core_hz = chip->words.core_hz, .arg = &chip->debug, .irq = pt_varm_irq,
		.taps_changed = pt_varm_taps_changed,
		.drift_ppm = drift_ppm,
	};
	if (map_memories(chip) && add_second(chip))
		chip->cpu = pt_vcpu_new(&chip->bus, chip->words.dwt_v8 ? &pt_vcpu_m4f_as_m33 : chip->kind->model);
	if (chip->cpu == NULL)
		return pt_fail(err, PT_ENOMEM, "no memory for the virtual board %s", chip->kind->name);
	init_debug(chip);
	chip->ram_bits = (struct pt_vbit_band){ &chip->bus, 0x20000000 };
	chip->peripheral_bits = (struct pt_vbit_band){ &chip->bus, 0x40000000 };
	pt_vcmsdk_timer_init(&chip->timer, &chip->wires, TIMER_IRQ);
	pt_vcmsdk_uart_init(&chip->uart, &chip->wires);
	if (!map_units(chip))
		return pt_fail(err, PT_ENOMEM, "the memory map of the virtual board %s has no room", chip->kind->name);
	return 0;
}

static void release(struct pt_vboard *board)
{
	if (board == NULL)
		return;
	pt_varm_second_fini(&chip_of(board)->second);
	pt_vcpu_free(chip_of(board)->cpu);
	free(board);
}

static struct pt_vboard *make_kind(const struct pt_cm4_kind *kind, const struct pt_params *settings,
				   const uint8_t *firmware, size_t len_bytes, struct pt_err *err)
{
	struct pt_cm4 *chip = pt_alloc(sizeof(*chip));
	struct pt_vboard *board = (struct pt_vboard *)(void *)chip;

	chip->kind = kind;
	if (pt_cm4_read_words(&chip->words, kind->name, settings, err) < 0 ||
	    load(chip, firmware, len_bytes, err) < 0 || assemble(chip, pt_vboard_drift_ppm(settings), err) < 0) {
		release(board);
		return NULL;
	}
	pt_vpower_set(&chip->power, true);
	power_on(chip);
	return board;
}

static struct pt_vboard *make_cm4(const struct pt_params *settings, const uint8_t *firmware, size_t len_bytes,
				  struct pt_err *err)
{
	return make_kind(&kind_m4, settings, firmware, len_bytes, err);
}

static struct pt_vboard *make_cm7(const struct pt_params *settings, const uint8_t *firmware, size_t len_bytes,
				  struct pt_err *err)
{
	return make_kind(&kind_m7, settings, firmware, len_bytes, err);
}

/* --- as the wire models see it */

/* Like a tool that checks its registers a hundred times a second. */
static void act_as_rival(struct pt_cm4 *chip)
{
	uint64_t turn = pt_vcpu_cycle(chip->cpu) / (chip->wires.core_hz / RIVAL_TURNS_PER_S);

	if (turn != chip->rival_turn)
		set_up_as_rival(chip);
	chip->rival_turn = turn;
}

static void advance(struct pt_vboard *board, uint64_t to_ns)
{
	struct pt_cm4 *chip = chip_of(board);
	uint64_t to = pt_vpower_advance(&chip->power, &chip->wires, to_ns);

	if (chip->words.rival)
		act_as_rival(chip);
	pt_varm_second_run(&chip->second, chip->cpu, to);
	pt_vitm_run(&chip->itm, to);
}

static struct pt_vap *ap(struct pt_vboard *board, unsigned apsel)
{
	struct pt_cm4 *chip = chip_of(board);

	if (!chip->power.on || (apsel != 0 && apsel != SECOND_AP))
		return NULL;
	return apsel == 0 ? &chip->ahb.port : pt_varm_second_ap(&chip->second);
}

static uint32_t dpidr(struct pt_vboard *board)
{
	(void)board;
	return DPIDR;
}

static void set_nreset(struct pt_vboard *board, bool asserted)
{
	struct pt_cm4 *chip = chip_of(board);

	if (pt_vpower_set_nreset(&chip->power, asserted))
		apply_nreset(chip);
}

static void set_power(struct pt_vboard *board, bool on)
{
	struct pt_cm4 *chip = chip_of(board);

	if (pt_vpower_set(&chip->power, on))
		power_on(chip);
}

static const uint8_t *demo(size_t *len_bytes)
{
	*len_bytes = pt_cm4_demo_elf_bytes;
	return pt_cm4_demo_elf;
}

static void *inside(struct pt_vboard *board)
{
	return chip_of(board);
}

static void flow_core(struct pt_vboard *board, struct pt_vflow_core *core)
{
	*core = pt_varm_flow_core(chip_of(board)->cpu);
}

static struct pt_vswo *swo(struct pt_vboard *board)
{
	return &chip_of(board)->tpiu.pin;
}

static const char *const probes[] = { "cmsis-dap", "xvc", "bitbang", "jlink", "stlink", "ftdi", NULL };

const struct pt_vboard_ops pt_vboard_cm4 = {
	.name = "cm4",
	.probes = probes,
	.help = "Cortex-M4F at 25 MHz as on Arm's MPS2 (AN386), 512 KiB code, 128 KiB RAM, no MTB; variant=" PT_CM4_VARIANTS,
	.demo = demo, .make = make_cm4, .free = release, .advance = advance, .ap = ap, .dpidr = dpidr,
	.set_nreset = set_nreset, .set_power = set_power, .chip = inside, .flow_core = flow_core, .swo = swo,
	.params = pt_vcm4_params, .n_params = PT_CM4_WORDS,
};

const struct pt_vboard_ops pt_vboard_cm7 = {
	.name = "cm7",
	.probes = probes,
	.help = "Cortex-M7 at 25 MHz as on Arm's MPS2 (AN500), else as cm4; with second-core an M7 and an M4, as an STM32H745; "
		"variant=" PT_CM4_VARIANTS,
	.demo = demo, .make = make_cm7, .free = release, .advance = advance, .ap = ap, .dpidr = dpidr,
	.set_nreset = set_nreset, .set_power = set_power, .chip = inside, .flow_core = flow_core, .swo = swo,
	.params = pt_vcm4_params, .n_params = PT_CM4_WORDS,
};
