/* The virtual KL27 as a debugger meets it, through its access ports: what it has, one row or test each. */
#include "kl27_rig.h"
#include "probes/virtual/demo/kl27_demo.h"

static struct rig rig;

static void setup(void)
{
	rig = rig_open(NULL, NULL, 0);
}

static void teardown(void)
{
	rig_close(&rig);
}

/* --- identification */

static const struct { const char *name; uint32_t addr, value; } words[] = {
	{ "CPUID", 0xe000ed00, 0x410cc601 },
	{ "SDID", 0x40048024, 0x23161d82 },
	{ "PFSIZE", 0x4004804c, 0x09000000 },
	{ "system ROM table: MTB", 0xf0002000, 0xffffe003 },
	{ "system ROM table: MTBDWT", 0xf0002004, 0xfffff003 },
	{ "system ROM table: core", 0xf0002008, 0xf00fd003 },
	{ "system ROM table: end", 0xf000200c, 0 },
	{ "core ROM table: SCS", 0xe00ff000, 0xfff0f003 },
	{ "core ROM table: DWT", 0xe00ff004, 0xfff02003 },
	{ "core ROM table: BPU", 0xe00ff008, 0xfff03003 },
	{ "core ROM table: end", 0xe00ff00c, 0 },
	{ "MTB DEVARCH", 0xf0000fbc, 0x47700a31 },
	{ "MTB BASE", 0xf000000c, 0x1fffe000 },
	{ "MTB_DWT CTRL", 0xf0001000, 0x2f000000 },
	{ "BPU CTRL", 0xe0002000, 0x20 },
	{ "initial stack pointer", 0, 0x20006000 },
};
START_TEST(reads_what_the_chip_reads)
{
	ck_assert_msg(rig_read(&rig, words[_i].addr) == words[_i].value, "%s", words[_i].name);
}
END_TEST

/* Class and part of every page that the ROM tables lead to. */
static const struct { uint32_t base, class, part, pidr4; } pages[] = {
	{ 0xf0002000, 0x1, 0x000, 0x0 }, { 0xf0000000, 0x9, 0x932, 0x4 }, { 0xf0001000, 0x9, 0x000, 0x0 },
	{ 0xe00ff000, 0x1, 0x4c0, 0x4 }, { 0xe000e000, 0xe, 0x008, 0x4 }, { 0xe0001000, 0xe, 0x00a, 0x4 },
	{ 0xe0002000, 0xe, 0x00b, 0x4 },
};
START_TEST(every_page_names_itself)
{
	uint32_t base = pages[_i].base;

	ck_assert_uint_eq(rig_read(&rig, base + 0xff0), 0x0d);
	ck_assert_uint_eq(rig_read(&rig, base + 0xff4), pages[_i].class << 4);
	ck_assert_uint_eq(rig_read(&rig, base + 0xff8), 0x05);
	ck_assert_uint_eq(rig_read(&rig, base + 0xffc), 0xb1);
	ck_assert_uint_eq(rig_read(&rig, base + 0xfe0) | (rig_read(&rig, base + 0xfe4) & 0xf) << 8, pages[_i].part);
	ck_assert_uint_eq(rig_read(&rig, base + 0xfd0), pages[_i].pidr4);
	ck_assert_uint_ne(rig_read(&rig, base + 0xfe8) & 8, 0);
}
END_TEST

static const struct { unsigned apsel; uint8_t reg; uint32_t value; } ports[] = {
	{ 0, 0xfc, 0x04770031 }, { 0, 0xf8, 0xf0002003 }, { 1, 0xfc, 0x001c0020 }, { 1, 0x00, 0x2a },
};
START_TEST(access_ports_name_themselves)
{
	uint32_t value;

	ck_assert_int_eq(rig_ap(&rig, ports[_i].apsel, 0xfc, false, &value), PT_VACK_OK);
	rig_run(&rig, 1000000);	/* the flash is up: STATUS says ready, out of reset, mass erase enabled */
	ck_assert_int_eq(rig_ap(&rig, ports[_i].apsel, ports[_i].reg, false, &value), PT_VACK_OK);
	ck_assert_uint_eq(value & 0xffff, ports[_i].value & 0xffff);
	ck_assert_uint_eq(value & 0xff000000, ports[_i].value & 0xff000000);
	ck_assert_ptr_null(pt_vboard_kl27.ap(rig.board, 2));
	ck_assert_uint_eq(pt_vboard_kl27.dpidr(rig.board), 0x0bc11477);
}
END_TEST

/* --- running */

START_TEST(the_demo_runs_and_sleeps)
{
	rig_run(&rig, 20000000);
	ck_assert_uint_gt(pt_vcpu_instructions(rig.chip->cpu), 10000);
	ck_assert_uint_gt(pt_kl27_sleep_cycles(rig.chip), 0);
	ck_assert_uint_eq(rig.chip->n_resets, 0);
	ck_assert_int_ne(pt_vcpu_state(rig.chip->cpu), PT_VCPU_LOCKUP);
}
END_TEST

START_TEST(the_demo_reports_on_its_uart)
{
	size_t len_bytes;
	const char *text;

	rig_run(&rig, 200000000);
	text = pt_kl27_text(rig.chip, 0, &len_bytes);
	ck_assert_uint_gt(len_bytes, 4);
	ck_assert_msg(memcmp(text, "beat", 4) == 0, "%.*s", (int)len_bytes, text);
	ck_assert_uint_eq(rig.chip->lpuart[0].n_overrun, 0);
}
END_TEST

START_TEST(the_truth_adds_up)
{
	struct pt_vtruth truth;
	uint64_t insns = pt_vcpu_instructions(rig.chip->cpu), awake = pt_kl27_awake_cycles(rig.chip);
	struct pt_vtruth_at total, flash;

	ck_assert(pt_kl27_watch(rig.chip, &truth, 1000));
	rig_run(&rig, 5000000);
	total = pt_vtruth_total(&truth);
	flash = pt_vtruth_sum(&truth, 0, PT_KL27_FLASH_BYTES);
	ck_assert_uint_eq(total.instructions, pt_vcpu_instructions(rig.chip->cpu) - insns);
	ck_assert_uint_eq(total.cycles, pt_kl27_awake_cycles(rig.chip) - awake);
	ck_assert_uint_eq(flash.instructions, total.instructions);
	ck_assert_uint_eq(truth.n_logged, total.instructions);
	ck_assert_uint_eq(truth.log[0], pt_kl27_peek(rig.chip, 4) & ~1u);
	pt_vtruth_fini(&truth);
}
END_TEST

/* --- core debug */

START_TEST(halts_reads_registers_and_goes_on)
{
	uint32_t pc;

	rig_run(&rig, 1000000);
	ck_assert_uint_eq(rig_read(&rig, DHCSR) & (S_HALT | 0xf), 0);
	rig_halt(&rig);
	ck_assert_uint_eq(rig_read(&rig, DFSR), 1);
	rig_write(&rig, DFSR, 0x1f);
	ck_assert_uint_eq(rig_read(&rig, DFSR), 0);
	pc = rig_reg(&rig, 15);
	ck_assert_uint_lt(pc, PT_KL27_FLASH_BYTES);
	ck_assert_uint_eq(rig_reg(&rig, 15), pc);	/* it stands */
	rig_set_reg(&rig, 3, 0x12345678);
	ck_assert_uint_eq(rig_reg(&rig, 3), 0x12345678);
	rig_write(&rig, DHCSR, 0xa05f0001);
	ck_assert_uint_eq(rig_read(&rig, DHCSR) & S_HALT, 0);
}
END_TEST

START_TEST(takes_dhcsr_only_with_its_key)
{
	rig_write(&rig, DHCSR, 0x00000003);
	ck_assert_uint_eq(rig_read(&rig, DHCSR) & (S_HALT | 3), 0);
	rig_write(&rig, DHCSR, 0xa05f0002);	/* C_HALT without C_DEBUGEN */
	ck_assert_uint_eq(rig_read(&rig, DHCSR) & (S_HALT | 3), 0);
}
END_TEST

START_TEST(steps_one_instruction)
{
	static const uint16_t code[] = { 0x3001, 0x3001, 0xe7fc };	/* adds r0, #1; adds r0, #1; b . - 4 */

	rig_code(&rig, 0x20001000, code, PT_LEN(code));
	rig_write(&rig, DFSR, 0x1f);
	for (uint32_t i = 1; i <= 3; i++) {
		rig_write(&rig, DHCSR, 0xa05f000d);
		ck_assert_uint_ne(rig_read(&rig, DHCSR) & S_HALT, 0);
		ck_assert_uint_eq(rig_reg(&rig, 15), i < 3 ? 0x20001000 + 2 * i : 0x20001000);
	}
	ck_assert_uint_eq(rig_reg(&rig, 0), 2);
	ck_assert_uint_eq(rig_read(&rig, DFSR), 1);
}
END_TEST

START_TEST(says_that_instructions_retired_and_that_there_was_a_reset)
{
	ck_assert_uint_ne(rig_read(&rig, DHCSR) & S_RESET_ST, 0);	/* power-on */
	ck_assert_uint_eq(rig_read(&rig, DHCSR) & S_RESET_ST, 0);
	ck_assert_uint_ne(rig_read(&rig, DHCSR) & S_RETIRE_ST, 0);
	rig_halt(&rig);
	ck_assert_uint_eq(rig_read(&rig, DHCSR) & S_RETIRE_ST, 0);
}
END_TEST

START_TEST(resets_and_halts_at_the_vector)
{
	rig_run(&rig, 1000000);
	rig_write(&rig, DHCSR, 0xa05f0001);
	rig_write(&rig, DEMCR, 1);
	rig_read(&rig, DHCSR);
	rig_write(&rig, AIRCR, 0x05fa0004);
	ck_assert_uint_eq(rig_read(&rig, DHCSR) & (S_RESET_ST | S_HALT), S_RESET_ST | S_HALT);
	ck_assert_uint_eq(rig_read(&rig, DFSR) & 8, 8);
	ck_assert_uint_eq(rig_reg(&rig, 15), pt_kl27_peek(rig.chip, 4) & ~1u);
	ck_assert_uint_eq(rig_reg(&rig, 13), pt_kl27_peek(rig.chip, 0));
	ck_assert_uint_eq(rig_read(&rig, DEMCR), 1);	/* debug set-up outlives the reset */
	ck_assert_uint_eq(rig.chip->n_resets, 1);
}
END_TEST

START_TEST(resets_and_runs_without_vector_catch)
{
	rig_halt(&rig);
	rig_write(&rig, AIRCR, 0x05fa0004);
	ck_assert_uint_eq(rig_read(&rig, DHCSR) & (S_RESET_ST | S_HALT | 0xf), S_RESET_ST | 1);
}
END_TEST

START_TEST(catches_a_hardfault)
{
	static const uint16_t code[] = { 0xde00 };	/* udf */

	rig_code(&rig, 0x20001000, code, PT_LEN(code));
	rig_write(&rig, DFSR, 0x1f);
	rig_write(&rig, DEMCR, 1u << 10);
	rig_write(&rig, DHCSR, 0xa05f0001);
	ck_assert_uint_ne(rig_read(&rig, DHCSR) & S_HALT, 0);
	ck_assert_uint_eq(rig_read(&rig, DFSR), 8);
	ck_assert_uint_eq(rig_reg(&rig, 15), pt_kl27_peek(rig.chip, 12) & ~1u);
	ck_assert_uint_eq(rig_reg(&rig, 16) & 0x3f, 3);
}
END_TEST

START_TEST(lockup_shows_and_can_be_halted)
{
	static const uint16_t code[] = { 0xde00 };

	rig_code(&rig, 0x20001000, code, PT_LEN(code));
	pt_put_le32(rig.chip->flash + 12, 0x10000001);	/* HardFault's vector leads nowhere */
	rig_write(&rig, DHCSR, 0xa05f0001);
	ck_assert_uint_eq(rig_read(&rig, DHCSR) & (S_LOCKUP | S_HALT), S_LOCKUP);
	rig_write(&rig, DHCSR, 0xa05f0003);
	ck_assert_uint_eq(rig_read(&rig, DHCSR) & (S_LOCKUP | S_HALT), S_HALT);
}
END_TEST

START_TEST(sleep_is_a_state)
{
	static const uint16_t code[] = { 0xbf30, 0xe7fd };	/* wfi; b . - 2 */

	rig_code(&rig, 0x20001000, code, PT_LEN(code));
	rig_write(&rig, 0xe000e010, 0);		/* SysTick off */
	rig_write(&rig, 0xe000e180, 0xffffffff);	/* and all interrupts */
	rig_write(&rig, 0xe000e280, 0xffffffff);
	rig_write(&rig, 0xe000ed04, 0x0a000000);	/* and PendSV and SysTick, if they pend */
	rig_write(&rig, DHCSR, 0xa05f0001);
	ck_assert_uint_eq(rig_read(&rig, DHCSR) & (S_SLEEP | S_HALT), S_SLEEP);
	rig_halt(&rig);
	ck_assert_uint_eq(rig_read(&rig, DHCSR) & (S_SLEEP | S_HALT), S_HALT);
}
END_TEST

/* movs r0, #0; 1: adds r0, #1; adds r1, #1; b 1b */
static const uint16_t counting[] = { 0x2000, 0x3001, 0x3101, 0xe7fc };

static const struct { const char *name; uint32_t comp, stops_at; } breakpoints[] = {
	{ "lower halfword", 0x40000000 | 0x1fffe204 | 1, 0x1fffe204 },
	{ "upper halfword", 0x80000000 | 0x1fffe200 | 1, 0x1fffe202 },
	{ "both", 0xc0000000 | 0x1fffe204 | 1, 0x1fffe204 },
	{ "off", 0x40000000 | 0x1fffe204, 0 },
};
START_TEST(breaks_in_front_of_the_instruction)
{
	bool stops = breakpoints[_i].stops_at != 0;

	rig_code(&rig, 0x1fffe200, counting, PT_LEN(counting));
	rig_write(&rig, DFSR, 0x1f);
	rig_write(&rig, 0xe0002000, 3);
	rig_write(&rig, 0xe0002008, breakpoints[_i].comp);
	rig_write(&rig, DHCSR, 0xa05f0001);
	ck_assert_uint_eq((rig_read(&rig, DHCSR) & S_HALT) != 0, stops);
	ck_assert_uint_eq(rig_read(&rig, DFSR), stops ? 2 : 0);
	if (stops)
		ck_assert_msg(rig_reg(&rig, 15) == breakpoints[_i].stops_at, "%s", breakpoints[_i].name);
}
END_TEST

START_TEST(bkpt_halts_only_when_debugged)
{
	static const uint16_t code[] = { 0x3001, 0xbe00 };

	rig_code(&rig, 0x20001000, code, PT_LEN(code));
	rig_write(&rig, DHCSR, 0xa05f0001);
	ck_assert_uint_ne(rig_read(&rig, DHCSR) & S_HALT, 0);
	ck_assert_uint_eq(rig_reg(&rig, 15), 0x20001002);
	rig_write(&rig, DHCSR, 0xa05f0000);	/* a HardFault without */
	ck_assert_uint_eq(rig_read(&rig, DHCSR) & S_HALT, 0);
	ck_assert_uint_eq(pt_vcpu_reg(rig.chip->cpu, 16) & 0x3f, 3);
}
END_TEST

/* str r1, [r2]; ldr r3, [r2]; adds r0, #1; b . - 6 */
static const uint16_t storing[] = { 0x6011, 0x6813, 0x3001, 0xe7fb };
static const struct { const char *name; uint32_t comp, mask, function, pc; } watchpoints[] = {
	{ "write", 0x20002000, 0, 6, 0x20001002 },
	{ "read", 0x20002000, 0, 5, 0x20001004 },
	{ "access", 0x20002002, 0, 7, 0x20001002 },
	{ "mask", 0x20002040, 12, 6, 0x20001002 },
	{ "pc", 0x20001004, 0, 4, 0x20001006 },
	{ "elsewhere", 0x20002004, 0, 7, 0 },
	{ "off", 0x20002000, 0, 0, 0 },
};
START_TEST(watches)
{
	bool stops = watchpoints[_i].pc != 0;

	rig_code(&rig, 0x20001000, storing, PT_LEN(storing));
	rig_write(&rig, DFSR, 0x1f);
	rig_set_reg(&rig, 2, 0x20002000);
	rig_write(&rig, DEMCR, 1u << 24);
	rig_write(&rig, 0xe0001020, watchpoints[_i].comp);
	rig_write(&rig, 0xe0001024, watchpoints[_i].mask);
	rig_write(&rig, 0xe0001028, watchpoints[_i].function);
	rig_write(&rig, DHCSR, 0xa05f0001);
	ck_assert_uint_eq((rig_read(&rig, DHCSR) & S_HALT) != 0, stops);
	ck_assert_uint_eq(rig_read(&rig, DFSR), stops ? 4 : 0);
	ck_assert_uint_eq(rig_read(&rig, 0xe0001028), watchpoints[_i].function | (stops ? 1u << 24 : 0));
	ck_assert_uint_eq(rig_read(&rig, 0xe0001028), watchpoints[_i].function);
	if (stops)
		ck_assert_msg(rig_reg(&rig, 15) == watchpoints[_i].pc, "%s", watchpoints[_i].name);
}
END_TEST

START_TEST(dwt_needs_trcena)
{
	ck_assert_uint_eq(rig_read(&rig, 0xe0001000), 0);
	rig_write(&rig, 0xe0001020, 0x1234);
	rig_write(&rig, DEMCR, 1u << 24);
	ck_assert_uint_eq(rig_read(&rig, 0xe0001000), 0x20000000);
	ck_assert_uint_eq(rig_read(&rig, 0xe0001020), 0);
}
END_TEST

START_TEST(samples_the_pc_of_a_running_core)
{
	rig_code(&rig, 0x20001000, counting, PT_LEN(counting));
	rig_write(&rig, DEMCR, 1u << 24);
	ck_assert_uint_eq(rig_read(&rig, 0xe000101c), 0xffffffff);
	rig_write(&rig, DHCSR, 0xa05f0001);
	for (int i = 0; i < 10; i++) {
		uint32_t pc = rig_read(&rig, 0xe000101c);

		ck_assert(pc >= 0x20001002 && pc <= 0x20001006);
	}
}
END_TEST

/* --- what the chip lacks or locks */

START_TEST(a_bus_fault_is_an_error_of_the_access)
{
	uint32_t value = 0;

	ck_assert_int_eq(rig_access(&rig, CSW_WORD, 0x30000000, false, &value), PT_VACK_ERROR);
	ck_assert_int_eq(rig_access(&rig, CSW_WORD, 0, true, &value), PT_VACK_ERROR);	/* flash is not RAM */
	ck_assert_int_eq(rig_access(&rig, CSW_WORD, 0x20006000, false, &value), PT_VACK_ERROR);
	ck_assert_int_eq(rig_access(&rig, CSW_WORD, 0x20005ffc, false, &value), PT_VACK_OK);
}
END_TEST

START_TEST(variants_differ)
{
	struct rig odd = rig_open("no-mtb", NULL, 0);
	uint32_t value;

	ck_assert_uint_eq(rig_read(&odd, 0xf0002000), 0xf00fd003);
	ck_assert_uint_eq(rig_read(&odd, 0xf0002004), 0);
	ck_assert_int_eq(rig_access(&odd, CSW_WORD, 0xf0000000, false, &value), PT_VACK_ERROR);
	rig_close(&odd);
	odd = rig_open("mtb-base-0,skid-3", NULL, 0);
	ck_assert_uint_eq(rig_read(&odd, 0xf000000c), 0);
	ck_assert_uint_eq(odd.chip->scs.skid, 3);
	rig_close(&odd);
	odd = rig_open("mtb-in-use", NULL, 0);
	ck_assert_uint_eq(rig_read(&odd, 0xf0000004), 0x80000084);
	ck_assert_uint_gt(odd.chip->mtb.n_packets, 0);
	rig_close(&odd);
	odd = rig_open("mtb-32", NULL, 0);
	ck_assert_uint_eq(rig_read(&odd, 0xf000000c), 0x40403000);
	rig_write(&odd, 0xf0000000, 0xfffffff8);
	ck_assert_uint_eq(rig_read(&odd, 0xf0000000), 0x18);
	rig_write(&odd, 0x40403018, 0xabcd);
	ck_assert_uint_eq(rig_read(&odd, 0x40403018), 0xabcd);
	rig_close(&odd);
}
END_TEST

START_TEST(a_wrong_variant_lists_the_right_ones)
{
	static const struct pt_param rows[] = { { .key = "variant", .type = PT_PARAM_TEXT } };
	struct pt_params *settings = pt_params_new();
	struct pt_err err = { 0 };

	ck_assert_int_eq(pt_params_add(settings, rows, 1, "variant=secured,wrong", &err), 0);
	ck_assert_ptr_null(pt_vboard_kl27.make(settings, NULL, 0, &err));
	ck_assert_int_eq(err.code, PT_EARG);
	ck_assert_ptr_nonnull(strstr(err.msg, "\"wrong\""));
	ck_assert_ptr_nonnull(strstr(err.msg, "no-mtb"));
	pt_params_free(settings);
}
END_TEST

/* Firmware of another chip, with something else where this one keeps its security, is not taken for a secured chip. */
START_TEST(firmware_that_would_secure_the_chip_is_refused)
{
	enum { FSEC_IN_THE_FILE = 0x1000 + PT_VFTFA_CONFIG + 0xc };
	struct pt_params *settings = pt_params_new();
	uint8_t *elf = malloc(pt_kl27_demo_elf_bytes);
	struct pt_err err = { 0 };
	struct rig locked;

	memcpy(elf, pt_kl27_demo_elf, pt_kl27_demo_elf_bytes);
	ck_assert_uint_eq(elf[FSEC_IN_THE_FILE], PT_VFSEC_SAFE);
	elf[FSEC_IN_THE_FILE] = 0x89;
	ck_assert_ptr_null(pt_vboard_kl27.make(settings, elf, pt_kl27_demo_elf_bytes, &err));
	ck_assert_int_eq(err.code, PT_EARG);
	ck_assert_ptr_nonnull(strstr(err.msg, "it has 0x89 at 0x40c"));
	locked = rig_open("secured", elf, pt_kl27_demo_elf_bytes);
	ck_assert(pt_vftfa_secured(&locked.chip->ftfa));
	rig_close(&locked);
	free(elf);
	pt_params_free(settings);
}
END_TEST

static uint32_t mdm_read(struct rig *r, uint8_t reg)
{
	uint32_t value = 0;

	ck_assert_int_eq(rig_ap(r, 1, reg, false, &value), PT_VACK_OK);
	return value;
}

static void mdm_write(struct rig *r, uint32_t value)
{
	ck_assert_int_eq(rig_ap(r, 1, PT_VMDM_CONTROL, true, &value), PT_VACK_OK);
}

START_TEST(a_secured_chip_answers_only_through_the_mdm_ap)
{
	struct rig locked = rig_open("secured", NULL, 0);
	uint32_t value = 0;

	rig_run(&locked, 1000000);
	ck_assert_uint_eq(mdm_read(&locked, PT_VMDM_STATUS) & 0x2e, 0x2e);	/* ready, secured, running, erasable */
	ck_assert_int_eq(rig_access(&locked, CSW_WORD, 0x20000000, false, &value), PT_VACK_ERROR);
	ck_assert_int_eq(rig_ap(&locked, 0, 0xfc, false, &value), PT_VACK_OK);
	ck_assert_uint_eq(value, 0x04770031);
	rig_close(&locked);
}
END_TEST

START_TEST(a_mass_erase_opens_a_secured_chip)
{
	struct rig locked = rig_open("secured", NULL, 0);
	unsigned polls = 0;

	mdm_write(&locked, PT_VMDM_SYSTEM_RESET);
	rig_run(&locked, 1000000);
	ck_assert_uint_eq(mdm_read(&locked, PT_VMDM_STATUS) & 0x2a, 0x22);	/* in reset */
	mdm_write(&locked, PT_VMDM_SYSTEM_RESET | PT_VMDM_ERASE);
	ck_assert_uint_eq(mdm_read(&locked, PT_VMDM_STATUS) & 3, 1);		/* acknowledged, not ready */
	while ((mdm_read(&locked, PT_VMDM_CONTROL) & PT_VMDM_ERASE) != 0 && polls++ < 1000)
		rig_run(&locked, 1000000);
	ck_assert_uint_lt(polls, 1000);
	mdm_write(&locked, PT_VMDM_HOLD_CORE);
	rig_run(&locked, 1000000);
	ck_assert_uint_eq(mdm_read(&locked, PT_VMDM_STATUS) & 0xe, 0xa);	/* ready, open, out of reset */
	ck_assert_uint_eq(rig_read(&locked, 0), 0xffffffff);
	ck_assert_uint_eq(rig_read(&locked, 0x40c), 0xfffffffe);
	rig_close(&locked);
}
END_TEST

START_TEST(a_mass_erase_can_be_forbidden)
{
	struct rig locked = rig_open("no-mass-erase", NULL, 0);

	mdm_write(&locked, PT_VMDM_SYSTEM_RESET);
	rig_run(&locked, 1000000);
	ck_assert_uint_eq(mdm_read(&locked, PT_VMDM_STATUS) & PT_VMDM_ERASE_ENABLED, 0);
	mdm_write(&locked, PT_VMDM_SYSTEM_RESET | PT_VMDM_ERASE);
	ck_assert_uint_eq(mdm_read(&locked, PT_VMDM_CONTROL), PT_VMDM_SYSTEM_RESET);
	ck_assert_uint_ne(locked.chip->flash[0], 0xff);
	rig_close(&locked);
}
END_TEST

START_TEST(core_hold_stops_at_the_reset_vector)
{
	mdm_write(&rig, PT_VMDM_HOLD_CORE);
	rig_run(&rig, 1000000);
	ck_assert_uint_eq(mdm_read(&rig, PT_VMDM_STATUS) & 0xe, 0xa);
	rig_write(&rig, DHCSR, 0xa05f0001);
	rig_write(&rig, DEMCR, 1);
	mdm_write(&rig, 0);
	ck_assert_uint_ne(rig_read(&rig, DHCSR) & S_HALT, 0);
	ck_assert_uint_eq(rig_reg(&rig, 15), pt_kl27_peek(rig.chip, 4) & ~1u);
	ck_assert_uint_ne(mdm_read(&rig, PT_VMDM_STATUS) & PT_VMDM_CORE_HALTED, 0);
}
END_TEST

START_TEST(the_reset_pin_holds_and_lets_go)
{
	uint64_t insns;

	rig_write(&rig, DHCSR, 0xa05f0001);
	rig_write(&rig, DEMCR, 1);
	pt_vboard_kl27.set_nreset(rig.board, true);
	insns = pt_vcpu_instructions(rig.chip->cpu);
	rig_run(&rig, 1000000);
	ck_assert_uint_eq(mdm_read(&rig, PT_VMDM_STATUS) & PT_VMDM_OUT_OF_RESET, 0);
	ck_assert_uint_eq(pt_vcpu_instructions(rig.chip->cpu), insns);
	pt_vboard_kl27.set_nreset(rig.board, false);
	ck_assert_uint_eq(rig_read(&rig, DHCSR) & (S_HALT | S_RESET_ST), S_HALT | S_RESET_ST);
	ck_assert_uint_eq(pt_vcpu_instructions(rig.chip->cpu), insns);
}
END_TEST

START_TEST(power_loss_forgets_everything_but_the_flash)
{
	rig_run(&rig, 3000000);
	rig_halt(&rig);
	rig_write(&rig, 0x20000000, 0x12345678);
	pt_vboard_kl27.set_power(rig.board, false);
	ck_assert_ptr_null(pt_vboard_kl27.ap(rig.board, 0));
	rig_run(&rig, 5000000);
	pt_vboard_kl27.set_power(rig.board, true);
	ck_assert_uint_eq(rig_read(&rig, DHCSR) & (S_HALT | S_RESET_ST | 0xf), S_RESET_ST);
	ck_assert_uint_ne(rig_read(&rig, 0x20000000), 0x12345678);
	rig_run(&rig, 3000000);
	ck_assert_uint_lt(pt_vcpu_cycle(rig.chip->cpu), 48 * 3200);	/* time began again */
	ck_assert_uint_gt(pt_vcpu_instructions(rig.chip->cpu), 1000);
}
END_TEST

START_TEST(two_boards_do_the_same)
{
	struct rig other = rig_open(NULL, NULL, 0);

	rig_run(&rig, 30000000);
	rig_run(&other, 11000000);
	rig_run(&other, 19000000);	/* however the time is cut */
	ck_assert_uint_eq(pt_vcpu_instructions(rig.chip->cpu), pt_vcpu_instructions(other.chip->cpu));
	ck_assert_uint_eq(pt_vcpu_pc(rig.chip->cpu), pt_vcpu_pc(other.chip->cpu));
	ck_assert_mem_eq(rig.chip->ram, other.chip->ram, sizeof(rig.chip->ram));
	rig_close(&other);
}
END_TEST

/* --- firmware files */

static const struct { const char *name; size_t at; uint8_t byte; size_t len_bytes; const char *says; } files[] = {
	{ "empty", 0, 0x7f, 0, "not a 32-bit" },
	{ "cut header", 0, 0x7f, 51, "not a 32-bit" },
	{ "no magic", 0, 0, 0, "not a 32-bit" },
	{ "64 bits", 4, 2, 4096, "not a 32-bit" },
	{ "big-endian", 5, 2, 4096, "not a 32-bit" },
	{ "object file", 16, 1, 4096, "not an executable" },
	{ "another machine", 18, 20, 4096, "another machine" },
	{ "headers outside", 30, 0xff, 4096, "damaged" },
	{ "odd header size", 42, 31, 4096, "damaged" },
	{ "segment outside", 52 + 19, 0x70, 4096, "damaged" },
	{ "segment elsewhere", 52 + 15, 0x40, 0, "do not fit" },
};
START_TEST(refuses_bad_firmware)
{
	size_t len_bytes;
	const uint8_t *demo = pt_vboard_kl27.demo(&len_bytes);
	uint8_t *copy = malloc(len_bytes);
	struct pt_err err = { 0 };

	memcpy(copy, demo, len_bytes);
	copy[files[_i].at] = files[_i].byte;
	if (files[_i].len_bytes != 0 && files[_i].len_bytes < len_bytes)
		len_bytes = files[_i].len_bytes;
	ck_assert_ptr_null(pt_vboard_kl27.make(NULL, copy, _i == 0 ? 0 : len_bytes, &err));
	ck_assert_msg(strstr(err.msg, files[_i].says) != NULL, "%s: %s", files[_i].name, err.msg);
	free(copy);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("kl27");
	TCase *tc = tcase_create("chip");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, reads_what_the_chip_reads, 0, PT_LEN(words));
	tcase_add_loop_test(tc, every_page_names_itself, 0, PT_LEN(pages));
	tcase_add_loop_test(tc, access_ports_name_themselves, 0, PT_LEN(ports));
	tcase_add_test(tc, the_demo_runs_and_sleeps);
	tcase_add_test(tc, the_demo_reports_on_its_uart);
	tcase_add_test(tc, the_truth_adds_up);
	tcase_add_test(tc, halts_reads_registers_and_goes_on);
	tcase_add_test(tc, takes_dhcsr_only_with_its_key);
	tcase_add_test(tc, steps_one_instruction);
	tcase_add_test(tc, says_that_instructions_retired_and_that_there_was_a_reset);
	tcase_add_test(tc, resets_and_halts_at_the_vector);
	tcase_add_test(tc, resets_and_runs_without_vector_catch);
	tcase_add_test(tc, catches_a_hardfault);
	tcase_add_test(tc, lockup_shows_and_can_be_halted);
	tcase_add_test(tc, sleep_is_a_state);
	tcase_add_loop_test(tc, breaks_in_front_of_the_instruction, 0, PT_LEN(breakpoints));
	tcase_add_test(tc, bkpt_halts_only_when_debugged);
	tcase_add_loop_test(tc, watches, 0, PT_LEN(watchpoints));
	tcase_add_test(tc, dwt_needs_trcena);
	tcase_add_test(tc, samples_the_pc_of_a_running_core);
	tcase_add_test(tc, a_bus_fault_is_an_error_of_the_access);
	tcase_add_test(tc, variants_differ);
	tcase_add_test(tc, a_wrong_variant_lists_the_right_ones);
	tcase_add_test(tc, firmware_that_would_secure_the_chip_is_refused);
	tcase_add_test(tc, a_secured_chip_answers_only_through_the_mdm_ap);
	tcase_add_test(tc, a_mass_erase_opens_a_secured_chip);
	tcase_add_test(tc, a_mass_erase_can_be_forbidden);
	tcase_add_test(tc, core_hold_stops_at_the_reset_vector);
	tcase_add_test(tc, the_reset_pin_holds_and_lets_go);
	tcase_add_test(tc, power_loss_forgets_everything_but_the_flash);
	tcase_add_test(tc, two_boards_do_the_same);
	tcase_add_loop_test(tc, refuses_bad_firmware, 0, PT_LEN(files));
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
