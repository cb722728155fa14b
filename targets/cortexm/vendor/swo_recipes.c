/* How chips send SWO: the registers that enable the pin, and the clock that the TPIU divides. Rows with a single source
 * are unverified, and are reported as such when used. Pins that the program uses for something else are left alone.
 *
 * A pin that is TDO of JTAG needs the port in SWD. Sources: where a row names two or more, they have been read and
 * agree: OpenOCD (tcl/target, arm_tpiu_swo.c), orbuculum (gdbtrace.init), probe-rs, pyOCD, headers of the makers. None
 * was tried on a chip. */
#include "targets/cortexm/vendor/swo_recipes.h"

#include "base/util.h"

/* --- ST ----------------------------------------------------------------------------------------------------------- */

/* TRACE_IOEN, with TRACE_MODE 0: asynchronous. */
#define DBGMCU_ENABLES { .name = "DBGMCU_CR", .addr = 0xe0042004, .clear = 3 << 6, .set = 1 << 5 }
#define V6M "its cores have no ITM (ARMv6-M)"

const struct pt_swo_recipe pt_swo_stm32[] = {
	{ .chips = "STM32F10|STM32F1", .write = { DBGMCU_ENABLES }, .core_clock = true, .pin = "PB3",
	  .source = "OpenOCD, orbuculum, GD32 headers" },
	{ .chips = "STM32F2|STM32F3|STM32F4|STM32F7|STM32L1", .write = { DBGMCU_ENABLES }, .core_clock = true,
	  .pin = "PB3 (AF0, as after reset)", .source = "OpenOCD, orbuculum" },
	{ .chips = "STM32L4|STM32G4|STM32WB|STM32WL", .write = { DBGMCU_ENABLES }, .core_clock = true,
	  .pin = "PB3 (AF0, as after reset)", .source = "OpenOCD; WL: CubeWL issue 20" },
	{ .chips = "STM32H74|STM32H75",
	  .write = { { .name = "DBGMCU_CR", .addr = 0x5c001004, .set = 0x00700007 },
		     { .name = "SWTF_LAR", .addr = 0x5c004fb0, .clear = UINT32_MAX, .set = 0xc5acce55 },
		     { .name = "SWTF_CTRL", .addr = 0x5c004000, .clear = 0xf03, .set = 0x301 } },
	  .port = 0x5c003000, .is_swo_unit = true, .pin = "PB3 (AF0, as after reset)",
	  .source = "OpenOCD, orbuculum, probe-rs, emdbg; which clock it divides is not known" },
	{ .chips = "STM32L5|STM32U5|STM32H5",
	  .write = { { .name = "DBGMCU_CR", .addr = 0xe0044004, .set = 0x30 } }, .core_clock = true,
	  .pin = "PB3 (AF0, as after reset)", .source = "OpenOCD, probe-rs" },
	{ .chips = "STM32G0|STM32C0|STM32L0|STM32F0|STM32U0", .none = V6M, .source = "ST's reference manuals" },
	{ .chips = "", .write = { DBGMCU_ENABLES }, .core_clock = true, .pin = "PB3",
	  .source = "as most STM32 have it; not known to be so of this one", .unverified = true },
	{ .chips = NULL },
};

/* --- Nordic ------------------------------------------------------------------------------------------------------- */

/* TRACECONFIG: the port's speed in bits 1:0 (0: 32 MHz), what the pins are in bits 17:16 (1: SWO). A reset clears it. */
#define TRACECONFIG                                                                                                    \
	{ .name = "CLOCK_TRACECONFIG", .addr = 0x4000055c, .clear = 3 | 3 << 16, .set = 1 << 16 }

const struct pt_swo_recipe pt_swo_nrf52[] = {
	{ .chips = "nRF52805|nRF52810|nRF52811|nRF52820", .none = "the chip has no trace port",
	  .source = "Nordic's product specifications" },
	{ .chips = "nRF52832", .write = { TRACECONFIG }, .clock_hz = 32000000, .pin = "P0.18",
	  .source = "OpenOCD, orbuculum; pin: one source" },
	{ .chips = "nRF52833|nRF52840", .write = { TRACECONFIG }, .clock_hz = 32000000, .pin = "P1.00",
	  .source = "OpenOCD, orbuculum; pin: one source" },
	{ .chips = "", .write = { TRACECONFIG }, .clock_hz = 32000000, .pin = "the pin SWO of the chip",
	  .source = "as the nRF52840 has it", .unverified = true },
	{ .chips = NULL },
};

/* --- NXP ---------------------------------------------------------------------------------------------------------- */

const struct pt_swo_recipe pt_swo_kinetis_k[] = {
	{ .chips = "",
	  .write = { { .name = "MCM_ETBCC", .addr = 0xe0080014, .clear = 0x20 },
		     { .name = "SIM_SOPT2", .addr = 0x40048004, .set = 1 << 12 },
		     { .name = "PORTA_PCR2", .addr = 0x40049008, .clear = 7 << 8, .set = 7 << 8 } },
	  .core_clock = true, .pin = "PTA2",
	  .source = "OpenOCD, orbuculum" },
	{ .chips = NULL },
};

const struct pt_swo_recipe pt_swo_lpc[] = {
	{ .chips = "LPC43|LPC18", .core_clock = true, .pin = "TDO", .source = "none", .unverified = true },
	{ .chips = "", .none = V6M, .source = "NXP's user manuals" },
	{ .chips = NULL },
};

/* --- others ------------------------------------------------------------------------------------------------------- */

const struct pt_swo_recipe pt_swo_sam[] = {
	{ .chips = "SAMD", .none = V6M, .source = "Microchip's data sheets" },
	{ .chips = "SAM3|SAM4", .write = { { .name = "CCFG_SYSIO", .addr = 0x400e0314, .clear = 1 << 5 } }, .core_clock = true,
	  .pin = "PB5", .source = "OpenOCD, orbuculum; the clock is MCK" },
	{ .chips = NULL },
};

/* The program has to enable the pin (GPIO_ROUTE.SWOPEN, PF2 as an output) and its oscillator: their addresses differ by series. */
const struct pt_swo_recipe pt_swo_efm32[] = {
	{ .chips = "EFM32ZG|EFM32HG", .none = V6M, .source = "Silicon Labs' reference manuals" },
	{ .chips = "", .clock_hz = 14000000, .pin = "PF2, which the program has to enable",
	  .source = "several board packages", .unverified = true },
	{ .chips = NULL },
};

const struct pt_swo_recipe pt_swo_tiva[] = {
	{ .chips = "", .core_clock = true, .pin = "TDO (PC3)", .source = "one header", .unverified = true },
	{ .chips = NULL },
};
