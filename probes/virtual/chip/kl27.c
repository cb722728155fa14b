/* The chip's life: made from settings and firmware, power, resets, time; and the wires between its units. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "probes/virtual/chip/arm_core.h"
#include "probes/virtual/demo/kl27_demo.h"
#include "probes/virtual/chip/kl27_parts.h"
#include "base/util.h"

enum { SDID_Z256 = 0x23161d82, FCFG1_Z256 = 0x09000000, FCFG2_Z256 = 0x20800000, AWIDTH = 15, TRACE_RAM_AWIDTH = 5 };
enum { FLASH_UP_NS = 30000, ROM_PART = 0x4c0 };
#define DPIDR UINT32_C(0x0bc11477)
#define MULTI_DROP_DPIDR UINT32_C(0x0bc12477)		/* as an RP2040's first core */
#define MULTI_DROP_TARGETSEL UINT32_C(0x01002927)
#define SECOND_TARGETSEL UINT32_C(0x11002927)

static struct pt_kl27 *chip_of(struct pt_vboard *board)
{
	return (struct pt_kl27 *)(void *)board;	/* the board is the chip and nothing else */
}

struct pt_kl27 *pt_kl27_of(struct pt_vboard *board)
{
	return chip_of(board);
}

/* --- wires between the units */

static void on_edbgrq(void *arg, bool level)
{
	pt_vscs_debug_edbgrq(&((struct pt_kl27 *)arg)->scs, level);
}

static void on_trigger(void *arg, bool start)
{
	if (start)
		pt_vmtb_tstart(&((struct pt_kl27 *)arg)->mtb);
	else
		pt_vmtb_tstop(&((struct pt_kl27 *)arg)->mtb);
}

/* MASTER.RAMPRIV: unprivileged accesses to the RAM read 0 and write nothing. */
static bool guarded_read(void *unit, uint32_t offset, const struct pt_vaccess *access, uint32_t *value)
{
	const uint8_t *from = ((const struct pt_kl27 *)unit)->ram + offset;

	*value = 0;
	for (unsigned i = 0; access->privileged && i < access->size_bytes; i++)
		*value |= (uint32_t)from[i] << i * 8;
	return true;
}

static bool guarded_write(void *unit, uint32_t offset, const struct pt_vaccess *access, uint32_t value)
{
	struct pt_kl27 *chip = unit;

	for (unsigned i = 0; access->privileged && i < access->size_bytes; i++)
		chip->ram[offset + i] = (uint8_t)(value >> i * 8);
	pt_vbus_changed(&chip->bus, PT_KL27_RAM_BASE + offset, access->size_bytes);
	return true;
}

static const struct pt_vunit_ops guarded_ram = { .name = "guarded RAM", .read = guarded_read, .write = guarded_write };

static void on_guard_ram(void *arg, bool on)
{
	if (on)
		pt_kl27_cover(arg, PT_KL27_RAM_BASE, &guarded_ram, false);
	else
		pt_kl27_uncover(arg, PT_KL27_RAM_BASE);
}

/* There is no read-while-write and, with PLACR.ESFC = 0, no stall: whoever reads the flash during a command gets a bus
 * fault, the core's fetches included. */
static bool busy_read(void *unit, uint32_t offset, const struct pt_vaccess *access, uint32_t *value)
{
	(void)offset;
	(void)access;
	*value = 0;
	pt_vftfa_collide(&((struct pt_kl27 *)unit)->ftfa);
	return false;
}

static const struct pt_vunit_ops busy_flash = { .name = "busy flash", .read = busy_read };

static void check_security(struct pt_kl27 *chip)
{
	chip->ahb.locked = pt_vftfa_secured(&chip->ftfa);
}

static void on_flash_busy(void *arg, bool busy)
{
	if (busy) {
		pt_kl27_cover(arg, 0, &busy_flash, true);
	} else {
		pt_kl27_uncover(arg, 0);
		check_security(arg);
	}
}

/* --- reset */

/* Firmware that uses the MTB for itself switches it on first of all: a ring of 256 bytes at the bottom of the RAM. */
static void use_mtb(struct pt_kl27 *chip)
{
	const struct pt_vaccess word = { .size_bytes = 4, .master = PT_VMASTER_CPU, .privileged = true };

	pt_vmtb_ops.write(&chip->mtb, PT_VMTB_POSITION, &word, PT_KL27_RAM_BASE);
	pt_vmtb_ops.write(&chip->mtb, PT_VMTB_FLOW, &word, 0);
	pt_vmtb_ops.write(&chip->mtb, PT_VMTB_MASTER, &word, PT_VMTB_EN | PT_VMTB_SFRWPRIV | 4);
}

static void reset_units(struct pt_kl27 *chip, bool power_on)
{
	pt_vbus_reset(&chip->bus, power_on);
	chip->flash_up_cycle = pt_vcpu_cycle(chip->cpu) + pt_vwires_cycles(&chip->wires, FLASH_UP_NS);
	pt_varm_second_reset(&chip->second, power_on);
	chip->n_resets = power_on ? 0 : chip->n_resets + 1;
	check_security(chip);
	if (chip->variant.mtb_in_use)
		use_mtb(chip);
}

/* A reset from inside: the core's SYSRESETREQ, the watchdog. */
static void reset_chip(void *arg)
{
	struct pt_kl27 *chip = arg;

	reset_units(chip, false);
	pt_varm_reset_core(&chip->debug);
}

/* The reset pin and the MDM-AP: reset lasts as long as one of them wants it; core hold keeps the core alone back. */
static void apply_reset_lines(struct pt_kl27 *chip)
{
	bool in_reset = chip->power.nreset || (chip->mdm.value & PT_VMDM_SYSTEM_RESET) != 0;
	bool held = in_reset || (chip->mdm.value & PT_VMDM_HOLD_CORE) != 0;
	bool let_go = chip->held && !held;

	if (in_reset != chip->in_reset)
		reset_units(chip, false);
	chip->in_reset = chip->scs.in_reset = in_reset;
	chip->held = held;
	pt_vcpu_hold(chip->cpu, held);
	if (let_go)
		pt_vscs_debug_after_reset(&chip->scs);
}

static void power_on(struct pt_kl27 *chip)
{
	chip->in_reset = chip->scs.in_reset = chip->held = false;
	pt_vcpu_hold(chip->cpu, false);
	pt_vpower_scramble(chip->ram, sizeof(chip->ram));
	pt_vbus_changed(&chip->bus, PT_KL27_RAM_BASE, sizeof(chip->ram));
	pt_vcpu_reset(chip->cpu, true);		/* the clock begins at 0, for the units */
	reset_units(chip, true);
	pt_vmdm_ap_reset(&chip->mdm);
	pt_vmem_ap_reset(&chip->ahb);
	pt_vcpu_reset(chip->cpu, false);	/* vectors are there only when the units are */
	apply_reset_lines(chip);
}

/* --- MDM-AP */

static uint32_t mdm_status(void *arg)
{
	struct pt_kl27 *chip = arg;
	enum pt_vcpu_state state = pt_vcpu_state(chip->cpu);
	bool up = pt_vcpu_cycle(chip->cpu) >= chip->flash_up_cycle;
	uint32_t value = 0;

	if (up && pt_vftfa_ready(&chip->ftfa))
		value |= PT_VMDM_FLASH_READY;
	if (!up || pt_vftfa_secured(&chip->ftfa))
		value |= PT_VMDM_SECURED;
	if (!chip->in_reset)
		value |= PT_VMDM_OUT_OF_RESET;
	if (pt_vftfa_mass_erase_allowed(&chip->ftfa))
		value |= PT_VMDM_ERASE_ENABLED;
	if (pt_vftfa_backdoor_allowed(&chip->ftfa))
		value |= PT_VMDM_BACKDOOR_ENABLED;
	if (state == PT_VCPU_HALT)
		value |= PT_VMDM_CORE_HALTED;
	if (state == PT_VCPU_SLEEP)
		value |= PT_VMDM_SLEEPING | (pt_vcpu_deep_sleep(chip->cpu) ? PT_VMDM_SLEEPDEEP : 0);
	return value;
}

static void mdm_control(void *arg, uint32_t was, uint32_t is)
{
	struct pt_kl27 *chip = arg;

	apply_reset_lines(chip);
	if ((is & ~was & PT_VMDM_DEBUG_REQUEST) != 0)
		pt_vscs_debug_force_halt(&chip->scs);
}

static bool mdm_erase(void *arg)
{
	return pt_vftfa_mass_erase(&((struct pt_kl27 *)arg)->ftfa);
}

/* --- putting it together */

static void init_mtb(struct pt_kl27 *chip)
{
	bool own = chip->variant.own_trace_ram;
	struct pt_vmtb_config config = {
		.wires = &chip->wires,
		.ram = own ? chip->trace_ram : chip->ram,
		.ram_base = own ? PT_KL27_TRACE_RAM_BASE : PT_KL27_RAM_BASE,
		.ram_bytes = own ? PT_KL27_TRACE_RAM_BYTES : PT_KL27_RAM_BYTES,
		.awidth = own ? TRACE_RAM_AWIDTH : AWIDTH,
		.tail = chip->variant.tail_single ? PT_VMTB_TAIL_SINGLE : PT_VMTB_TAIL_PAIR,
		.match_on_step_only = chip->variant.match_on_step_only,
		.unknown = 0x5a5a5a5a,
		.arg = chip, .edbgrq = on_edbgrq, .guard_ram = own ? NULL : on_guard_ram,
	};

	config.base_reads = chip->variant.base_reads_0 ? 0 : config.ram_base;
	pt_vmtb_init(&chip->mtb, &config);
	pt_vmtb_dwt_init(&chip->mtb_dwt, &chip->wires, on_trigger, chip);
}

/* KL27 RM: the system table leads to the MTB, its DWT and the core's own table. PIDR of the system table:
 * Freescale, part number UNVERIFIED. */
static void init_rom_tables(struct pt_kl27 *chip)
{
	static const uint32_t system_entries[] = { 0xffffe003, 0xfffff003, 0xf00fd003 };
	static const uint32_t core_entries[] = { 0xfff0f003, 0xfff02003, 0xfff03003 };	/* SCS, DWT, BPU */
	size_t hidden = chip->variant.no_mtb ? 2 : 0;

	chip->system_rom = (struct pt_vrom_table){
		{ .jep106 = 0x0e, .class = 1 }, system_entries + hidden, PT_LEN(system_entries) - hidden,
	};
	chip->core_rom = pt_varm_rom_table(ROM_PART, core_entries, PT_LEN(core_entries));
}

static void init_peripherals(struct pt_kl27 *chip)
{
	const struct pt_vftfa_config flash = {
		.wires = &chip->wires, .flash = chip->flash, .flash_bytes = PT_KL27_FLASH_BYTES,
		.program_ns = 65000, .erase_sector_ns = 14000000, .erase_all_ns = 100000000, .read_ns = 40000,
		.irq = PT_KL27_IRQ_FTFA, .arg = chip, .busy = on_flash_busy,
	};
	const struct pt_vsim_config sim = {
		.wires = &chip->wires, .sdid = SDID_Z256, .fcfg1 = FCFG1_Z256, .fcfg2 = FCFG2_Z256,
		.watchdog = chip->variant.watchdog, .arg = chip, .bite = reset_chip,
	};

	pt_vftfa_init(&chip->ftfa, &flash);
	pt_vsim_init(&chip->sim, &sim);
	pt_vmcg_init(&chip->mcg);
	pt_vpit_init(&chip->pit, &chip->wires, PT_KL27_IRQ_PIT, 2);	/* bus clock: half the core's */
	pt_vlptmr_init(&chip->lptmr, &chip->wires, PT_KL27_IRQ_LPTMR);
	for (unsigned n = 0; n < PT_KL27_TPMS; n++)
		pt_vtpm_init(&chip->tpm[n], &chip->wires, PT_KL27_IRQ_TPM0 + n);
	for (unsigned n = 0; n < PT_KL27_LPUARTS; n++)
		pt_vlpuart_init(&chip->lpuart[n], &chip->wires, PT_KL27_IRQ_LPUART0 + n);
}

static void init_core_debug(struct pt_kl27 *chip)
{
	chip->debug = (struct pt_varm_debug){
		.cpu = chip->cpu, .dwt = &chip->dwt, .bpu = &chip->bpu, .scs = &chip->scs, .skid = chip->variant.skid,
		.arg = chip, .reset = reset_chip,
	};
	pt_varm_debug_init(&chip->debug, &chip->wires);
	pt_vcpu_add_observer(chip->cpu, &chip->mtb_dwt.observer);
	pt_vcpu_add_observer(chip->cpu, &chip->mtb.observer);
}

static bool add_second(struct pt_kl27 *chip)
{
	const struct pt_varm_second_config second = {
		.kind = chip->variant.second, .model = &pt_vcpu_m0plus, .first = &chip->bus, .core_hz = PT_KL27_CORE_HZ,
		.drift_ppm = chip->wires.drift_ppm, .ap_idr = PT_VMEM_AP_IDR, .rom_table = PT_KL27_CORE_ROM_TABLE,
		.rom_part = ROM_PART, .arg = chip, .reset = reset_chip,
	};

	return pt_varm_second_init(&chip->second, &second);
}

static int assemble(struct pt_kl27 *chip, uint32_t drift_ppm, struct pt_err *err)
{
	chip->wires = (struct pt_vwires){
		.bus = &chip->bus, .core_hz = PT_KL27_CORE_HZ, .arg = &chip->debug, .irq = pt_varm_irq,
		.taps_changed = pt_varm_taps_changed, .drift_ppm = drift_ppm,
	};
	if (pt_kl27_map_memories(chip) && add_second(chip))
		chip->cpu = pt_vcpu_new(&chip->bus, &pt_vcpu_m0plus);
	if (chip->cpu == NULL)
		return pt_fail(err, PT_ENOMEM, "no memory for the virtual board kl27");
	init_mtb(chip);
	init_rom_tables(chip);
	init_peripherals(chip);
	init_core_debug(chip);
	pt_vmem_ap_init(&chip->ahb, &chip->bus, PT_KL27_SYSTEM_ROM_TABLE | 3);
	pt_vmdm_ap_init(&chip->mdm, chip, mdm_status, mdm_control, mdm_erase);
	if (!pt_kl27_map_units(chip))
		return pt_fail(err, PT_ENOMEM, "the memory map of the virtual board kl27 has no room");
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

static struct pt_vboard *make(const struct pt_params *settings, const uint8_t *firmware, size_t len_bytes,
			      struct pt_err *err)
{
	struct pt_kl27 *chip = pt_alloc(sizeof(*chip));
	struct pt_vboard *board = (struct pt_vboard *)(void *)chip;

	if (pt_kl27_read_variant(&chip->variant, settings, err) < 0 ||
	    pt_kl27_load(chip, firmware, len_bytes, err) < 0 ||
	    assemble(chip, pt_vboard_drift_ppm(settings), err) < 0) {
		release(board);
		return NULL;
	}
	pt_vpower_set(&chip->power, true);
	power_on(chip);
	return board;
}

/* --- as the wire models see it */

static void advance(struct pt_vboard *board, uint64_t to_ns)
{
	struct pt_kl27 *chip = chip_of(board);

	pt_varm_second_run(&chip->second, chip->cpu, pt_vpower_advance(&chip->power, &chip->wires, to_ns));
}

static struct pt_vap *ap(struct pt_vboard *board, unsigned apsel)
{
	struct pt_kl27 *chip = chip_of(board);

	if (!chip->power.on || apsel > 1)
		return NULL;
	return apsel == 0 ? &chip->ahb.port : &chip->mdm.port;
}

static uint32_t dpidr(struct pt_vboard *board)
{
	return chip_of(board)->variant.multi_drop ? MULTI_DROP_DPIDR : DPIDR;
}

static uint32_t targetsel(struct pt_vboard *board)
{
	return chip_of(board)->variant.multi_drop ? MULTI_DROP_TARGETSEL : 0;
}

static bool has_second_port(struct pt_vboard *board)
{
	const struct pt_kl27_variant *variant = &chip_of(board)->variant;

	return variant->multi_drop && variant->second != PT_VSECOND_NONE && variant->second != PT_VSECOND_OFF;
}

static uint32_t second_targetsel(struct pt_vboard *board)
{
	return has_second_port(board) ? SECOND_TARGETSEL : 0;
}

static struct pt_vap *second_ap(struct pt_vboard *board, unsigned apsel)
{
	return chip_of(board)->power.on && apsel == 0 ? pt_varm_second_ap(&chip_of(board)->second) : NULL;
}

static void set_nreset(struct pt_vboard *board, bool asserted)
{
	struct pt_kl27 *chip = chip_of(board);

	if (pt_vpower_set_nreset(&chip->power, asserted))
		apply_reset_lines(chip);
}

static void set_power(struct pt_vboard *board, bool on)
{
	struct pt_kl27 *chip = chip_of(board);

	if (pt_vpower_set(&chip->power, on))
		power_on(chip);
}

static const uint8_t *demo(size_t *len_bytes)
{
	*len_bytes = pt_kl27_demo_elf_bytes;
	return pt_kl27_demo_elf;
}

static void *inside(struct pt_vboard *board)
{
	return chip_of(board);
}

static void flow_core(struct pt_vboard *board, struct pt_vflow_core *core)
{
	*core = pt_varm_flow_core(chip_of(board)->cpu);
}

static struct pt_vbus *bus(struct pt_vboard *board)
{
	return &chip_of(board)->bus;
}

/* The real part has SWD alone on its pins; this one has the port of other Cortex-M parts, SWD and JTAG. */
static const char *const probes[] = { "cmsis-dap", "xvc", "bitbang", "jlink", "stlink", "ftdi", NULL };

const struct pt_vboard_ops pt_vboard_kl27 = {
	.name = "kl27",
	.probes = probes,
	.help = "MKL27Z256: Cortex-M0+ at 48 MHz, 256 KiB flash, 32 KiB RAM, MTB; variant=" PT_KL27_VARIANT_WORDS,
	.demo = demo, .make = make, .free = release, .advance = advance, .ap = ap, .dpidr = dpidr,
	.targetsel = targetsel, .second_targetsel = second_targetsel, .second_ap = second_ap,
	.set_nreset = set_nreset, .set_power = set_power, .chip = inside,
	.flow_core = flow_core, .bus = bus,
};

/* --- as tests and bench see it */

uint8_t *pt_kl27_bytes(struct pt_kl27 *chip, uint32_t addr, uint32_t n_bytes)
{
	if (addr < PT_KL27_FLASH_BYTES && n_bytes <= PT_KL27_FLASH_BYTES - addr)
		return chip->flash + addr;
	addr -= PT_KL27_RAM_BASE;
	return addr < PT_KL27_RAM_BYTES && n_bytes <= PT_KL27_RAM_BYTES - addr ? chip->ram + addr : NULL;
}

uint32_t pt_kl27_peek(struct pt_kl27 *chip, uint32_t addr)
{
	const uint8_t *at = pt_kl27_bytes(chip, addr, 4);

	return at != NULL ? pt_le32(at) : 0;
}

const char *pt_kl27_text(const struct pt_kl27 *chip, unsigned n, size_t *len_bytes)
{
	*len_bytes = pt_vlpuart_log_bytes(&chip->lpuart[n]);
	return chip->lpuart[n].log;
}

uint64_t pt_kl27_sleep_cycles(const struct pt_kl27 *chip)
{
	return pt_vcpu_sleep_cycles(chip->cpu);
}

uint64_t pt_kl27_awake_cycles(const struct pt_kl27 *chip)
{
	return pt_vcpu_awake_cycles(chip->cpu);
}

bool pt_kl27_watch_core(struct pt_kl27 *chip, unsigned core, struct pt_vtruth *truth, size_t log_room)
{
	struct pt_vtruth_core of = pt_varm_truth_core(core == 0 ? chip->cpu : chip->second.cpu, 0, PT_KL27_FLASH_BYTES,
						      PT_KL27_RAM_BASE, PT_KL27_RAM_BYTES);

	return pt_vtruth_init(truth, &of, log_room);
}

bool pt_kl27_watch(struct pt_kl27 *chip, struct pt_vtruth *truth, size_t log_room)
{
	return pt_kl27_watch_core(chip, 0, truth, log_room);
}
