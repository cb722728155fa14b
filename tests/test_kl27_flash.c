/* The flash controller of the virtual KL27, driven as a debugger does while `load` runs: the sequence of the KL27 RM,
 * what it refuses, what it costs, and what happens to those who read meanwhile. */
#include "kl27_rig.h"

enum { FSTAT = 0x40020000, FCNFG, FSEC, FOPT, FCCOB, FPROT = 0x40020010 };
enum { FREE = 0x8000 };		/* a sector that the demo leaves erased */

static struct rig rig;

static void setup(void)
{
	rig = rig_open(NULL, NULL, 0);
	rig_halt(&rig);
}

static void teardown(void)
{
	rig_close(&rig);
}

/* Three words fill FCCOB: {addr, cmd}, data, more. Returns FSTAT when CCIF is back, or after 300 ms. */
static uint8_t command(uint8_t cmd, uint32_t addr, uint32_t data, uint32_t more)
{
	uint8_t status;

	rig_write_byte(&rig, FSTAT, 0x70);
	rig_write(&rig, FCCOB, (uint32_t)cmd << 24 | addr);
	rig_write(&rig, FCCOB + 4, data);
	rig_write(&rig, FCCOB + 8, more);
	rig_write_byte(&rig, FSTAT, 0x80);
	for (unsigned ms = 0; ms < 300; ms++) {
		status = rig_read_byte(&rig, FSTAT);
		if ((status & 0x80) != 0)
			return status;
		rig_run(&rig, 1000000);
	}
	return status;
}

START_TEST(programs_a_longword)
{
	ck_assert_uint_eq(command(0x06, FREE, 0x11223344, 0), 0x80);
	ck_assert_uint_eq(rig_read(&rig, FREE), 0x11223344);
	ck_assert_uint_eq(rig_read_byte(&rig, FREE), 0x44);	/* FCCOB7 is the lowest byte */
	ck_assert_uint_eq(rig_read_byte(&rig, FCCOB), 0x00);	/* FCCOB3: address [7:0] */
	ck_assert_uint_eq(rig_read_byte(&rig, FCCOB + 3), 0x06);	/* FCCOB0: the command */
}
END_TEST

START_TEST(programming_only_clears_bits)
{
	command(0x06, FREE, 0xffff00ff, 0);
	ck_assert_uint_eq(command(0x06, FREE, 0xff00ff0f, 0), 0x81);	/* MGSTAT0 */
	ck_assert_uint_eq(rig_read(&rig, FREE), 0xff00000f);
}
END_TEST

START_TEST(erases_one_sector)
{
	command(0x06, FREE - 4, 1, 0);
	command(0x06, FREE, 2, 0);
	command(0x06, FREE + 1020, 3, 0);
	command(0x06, FREE + 1024, 4, 0);
	ck_assert_uint_eq(command(0x09, FREE + 512, 0, 0), 0x80);
	ck_assert_uint_eq(rig_read(&rig, FREE - 4), 1);
	ck_assert_uint_eq(rig_read(&rig, FREE), 0xffffffff);
	ck_assert_uint_eq(rig_read(&rig, FREE + 1020), 0xffffffff);
	ck_assert_uint_eq(rig_read(&rig, FREE + 1024), 4);
}
END_TEST

static const struct { const char *name; uint8_t cmd; uint32_t addr, data, more; uint8_t status; } commands[] = {
	{ "verify an erased section", 0x01, FREE, 0x01000000, 0, 0x80 },	/* FCCOB4,5: 256 longwords */
	{ "verify a programmed section", 0x01, 0, 0x00010000, 0, 0x81 },
	{ "section past the end", 0x01, 0x3fffc, 0x00020000, 0, 0xa0 },
	{ "check what is there", 0x02, FREE, 0x01000000, 0xffffffff, 0x80 },
	{ "check what is not there", 0x02, FREE, 0x01000000, 0xfffffffe, 0x81 },
	{ "program past the end", 0x06, 0x40000, 0, 0, 0xa0 },
	{ "program off a longword", 0x06, FREE + 2, 0, 0, 0xa0 },
	{ "erase off a longword", 0x09, FREE + 1, 0, 0, 0xa0 },
	{ "erase past the end", 0x09, 0xfffc00, 0, 0, 0xa0 },
	{ "read resource", 0x03, 0, 0, 0, 0x80 },
	{ "read resource elsewhere", 0x03, 0x1000, 0, 0, 0xa0 },
	{ "all erased? no", 0x40, 0, 0, 0, 0x81 },
	{ "read once outside", 0x41, 0xff0000, 0, 0, 0xa0 },
	{ "backdoor key, not enabled", 0x45, 0, 0xffffffff, 0xffffffff, 0xa0 },
	{ "no such command", 0x7f, 0, 0, 0, 0xa0 },
};
START_TEST(answers_each_command)
{
	uint8_t status = command(commands[_i].cmd, commands[_i].addr, commands[_i].data, commands[_i].more);

	ck_assert_msg(status == commands[_i].status, "%s: 0x%02x", commands[_i].name, status);
}
END_TEST

START_TEST(keeps_the_program_once_field)
{
	ck_assert_uint_eq(command(0x43, 0x050000, 0xcafef00d, 0), 0x80);
	ck_assert_uint_eq(command(0x41, 0x050000, 0, 0), 0x80);
	ck_assert_uint_eq(rig_read(&rig, FCCOB + 4), 0xcafef00d);
}
END_TEST

START_TEST(does_nothing_until_the_error_is_cleared)
{
	command(0x06, FREE + 2, 0, 0);
	rig_write(&rig, FCCOB, 0x06000000 | FREE);
	rig_write(&rig, FCCOB + 4, 0);
	rig_write_byte(&rig, FSTAT, 0x80);
	ck_assert_uint_eq(rig_read_byte(&rig, FSTAT), 0xa0);
	ck_assert_uint_eq(rig_read(&rig, FREE), 0xffffffff);
	rig_write_byte(&rig, FSTAT, 0x20);
	ck_assert_uint_eq(rig_read_byte(&rig, FSTAT), 0x80);
}
END_TEST

/* CCIF comes back when the data sheet says, and the flash has changed then and not before. */
static const struct { uint8_t cmd; uint64_t ns; } durations[] = {
	{ 0x06, 65000 }, { 0x09, 14000000 }, { 0x44, 100000000 },
};
START_TEST(takes_its_time)
{
	rig_write(&rig, FCCOB, (uint32_t)durations[_i].cmd << 24 | FREE);
	rig_write(&rig, FCCOB + 4, 0);
	rig_write_byte(&rig, FSTAT, 0x80);
	rig_run(&rig, durations[_i].ns - 50000);
	ck_assert_uint_eq(rig_read_byte(&rig, FSTAT), 0);
	rig_run(&rig, 50000);
	ck_assert_uint_eq(rig_read_byte(&rig, FSTAT), 0x80);
}
END_TEST

START_TEST(reading_during_a_command_collides)
{
	uint32_t value = 0;

	rig_write(&rig, FCCOB, 0x09000000 | FREE);
	rig_write_byte(&rig, FSTAT, 0x80);
	ck_assert_int_eq(rig_access(&rig, CSW_WORD, 0, false, &value), PT_VACK_ERROR);
	rig_run(&rig, 20000000);
	ck_assert_uint_eq(rig_read_byte(&rig, FSTAT), 0xc0);	/* RDCOLERR */
	ck_assert_uint_eq(rig_read(&rig, 0) & 0xfff00000, 0x20000000);
}
END_TEST

/* str r1, [r2] to launch; wait: ldrb r3, [r2]; lsls r3, #24; bpl wait; bkpt. r1 = 0x80, r2 = FSTAT */
static const uint16_t launching[] = { 0x7011, 0x7813, 0x061b, 0xd5fc, 0xbe00 };
static const struct { const char *name; uint32_t at; bool survives; } places[] = {
	{ "from RAM", 0x20001000, true },
	{ "from flash", 0x3000, false },
};
START_TEST(code_must_run_from_ram)
{
	memcpy(rig.chip->flash + 0x3000, launching, sizeof(launching));
	pt_vbus_changed(&rig.chip->bus, 0x3000, sizeof(launching));
	rig_code(&rig, 0x20001000, launching, PT_LEN(launching));
	rig_set_reg(&rig, 1, 0x80);
	rig_set_reg(&rig, 2, FSTAT);
	rig_set_reg(&rig, 15, places[_i].at);
	rig_write(&rig, FCCOB, 0x09000000 | FREE);
	rig_write(&rig, DFSR, 0x1f);
	rig_write(&rig, DHCSR, 0xa05f0001);
	rig_run(&rig, 20000000);
	if (places[_i].survives) {
		ck_assert_uint_eq(rig_read(&rig, DFSR), 2);
		ck_assert_uint_eq(rig_reg(&rig, 15), 0x20001008);
	} else {	/* the vector of HardFault is in the flash as well */
		ck_assert_uint_eq(rig_read(&rig, DHCSR) & (S_LOCKUP | S_HALT), S_LOCKUP);
	}
}
END_TEST

START_TEST(protection_comes_from_the_flash_and_can_only_grow)
{
	ck_assert_uint_eq(rig_read(&rig, FPROT), 0xffffffff);
	rig_write(&rig, FPROT, 0xfffffffd);	/* the second 8 KiB */
	rig_write(&rig, FPROT, 0xffffffff);
	ck_assert_uint_eq(rig_read(&rig, FPROT), 0xfffffffd);
	ck_assert_uint_eq(command(0x09, 0x2000, 0, 0), 0x90);	/* FPVIOL */
	ck_assert_uint_eq(command(0x06, 0x3ffc, 0, 0), 0x90);
	ck_assert_uint_eq(command(0x09, FREE, 0, 0), 0x80);
	ck_assert_uint_eq(command(0x44, 0, 0, 0), 0x90);	/* erase all needs all */
	ck_assert_uint_eq(command(0x49, 0, 0, 0), 0x80);	/* this one does not ask */
}
END_TEST

/* The configuration field counts from the next reset on. */
START_TEST(an_erased_configuration_field_locks_at_reset)
{
	uint32_t value = 0;

	ck_assert_uint_eq(rig_read_byte(&rig, FSEC), 0xfe);
	ck_assert_uint_eq(command(0x09, 0x400, 0, 0), 0x80);
	ck_assert_uint_eq(rig_read(&rig, 0x40c), 0xffffffff);
	rig_write(&rig, AIRCR, 0x05fa0004);
	rig_run(&rig, 1000000);
	ck_assert_int_eq(rig_access(&rig, CSW_WORD, 0x40c, false, &value), PT_VACK_ERROR);
	ck_assert_int_eq(rig_ap(&rig, 1, PT_VMDM_STATUS, false, &value), PT_VACK_OK);
	ck_assert_uint_ne(value & PT_VMDM_SECURED, 0);
}
END_TEST

START_TEST(erase_all_unsecure_leaves_the_chip_open)
{
	ck_assert_uint_eq(command(0x49, 0, 0, 0), 0x80);
	ck_assert_uint_eq(rig_read(&rig, 0x40c), 0xfffffffe);
	ck_assert_uint_eq(command(0x40, 0, 0, 0), 0x81);	/* all but that byte */
	rig_write(&rig, AIRCR, 0x05fa0004);
	rig_run(&rig, 1000000);
	ck_assert_uint_eq(rig_read(&rig, 0), 0xffffffff);
}
END_TEST

/* A key in the flash and KEYEN = 10: the right one opens until reset, a wrong one ends all tries. */
static const struct { const char *name; uint32_t key[2]; bool opens; } keys[] = {
	{ "right", { 0x04030201, 0x08070605 }, true },
	{ "wrong", { 0x04030201, 0x09070605 }, false },
};
static uint8_t firmware_tries(const uint32_t key[2])
{
	const struct pt_vaccess word = { .addr = FCCOB, .size_bytes = 4, .privileged = true };
	const struct pt_vaccess byte = { .addr = FSTAT, .size_bytes = 1, .privileged = true };
	uint32_t status;

	pt_vftfa_ops.write(&rig.chip->ftfa, 0, &byte, 0x70);
	pt_vftfa_ops.write(&rig.chip->ftfa, 4, &word, 0x45000000);
	pt_vftfa_ops.write(&rig.chip->ftfa, 8, &word, key[0]);
	pt_vftfa_ops.write(&rig.chip->ftfa, 12, &word, key[1]);
	pt_vftfa_ops.write(&rig.chip->ftfa, 0, &byte, 0x80);
	rig_run(&rig, 1000000);
	pt_vftfa_ops.read(&rig.chip->ftfa, 0, &byte, &status);
	return (uint8_t)status;
}

START_TEST(the_backdoor_key_opens)
{
	static const uint8_t field[16] = { 1, 2, 3, 4, 5, 6, 7, 8, 0xff, 0xff, 0xff, 0xff, 0x80, 0xff, 0xff, 0xff };

	memcpy(rig.chip->flash + 0x400, field, sizeof(field));
	pt_vftfa_ops.reset(&rig.chip->ftfa, false);	/* FSEC 0x80: backdoor, SEC = 00 */
	ck_assert(pt_vftfa_secured(&rig.chip->ftfa));
	ck_assert_uint_eq(firmware_tries(keys[_i].key), 0x80);
	ck_assert_msg(pt_vftfa_secured(&rig.chip->ftfa) != keys[_i].opens, "%s", keys[_i].name);
	if (!keys[_i].opens)
		ck_assert_uint_eq(firmware_tries(keys[0].key), 0xa0);
}
END_TEST

START_TEST(a_reset_ends_a_command)
{
	rig_write(&rig, FCCOB, 0x09000000 | FREE);
	rig_write_byte(&rig, FSTAT, 0x80);
	rig_write(&rig, AIRCR, 0x05fa0004);
	rig_run(&rig, 1000000);
	ck_assert_uint_eq(rig_read_byte(&rig, FSTAT), 0x80);
	ck_assert_uint_gt(pt_vcpu_instructions(rig.chip->cpu), 100);
	ck_assert_int_ne(pt_vcpu_state(rig.chip->cpu), PT_VCPU_LOCKUP);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("kl27 flash");
	TCase *tc = tcase_create("ftfa");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, programs_a_longword);
	tcase_add_test(tc, programming_only_clears_bits);
	tcase_add_test(tc, erases_one_sector);
	tcase_add_loop_test(tc, answers_each_command, 0, PT_LEN(commands));
	tcase_add_test(tc, keeps_the_program_once_field);
	tcase_add_test(tc, does_nothing_until_the_error_is_cleared);
	tcase_add_loop_test(tc, takes_its_time, 0, PT_LEN(durations));
	tcase_add_test(tc, reading_during_a_command_collides);
	tcase_add_loop_test(tc, code_must_run_from_ram, 0, PT_LEN(places));
	tcase_add_test(tc, protection_comes_from_the_flash_and_can_only_grow);
	tcase_add_test(tc, an_erased_configuration_field_locks_at_reset);
	tcase_add_test(tc, erase_all_unsecure_leaves_the_chip_open);
	tcase_add_loop_test(tc, the_backdoor_key_opens, 0, PT_LEN(keys));
	tcase_add_test(tc, a_reset_ends_a_command);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
