/* Registers of the e500's performance monitor: words of the assembler, numbers, masks.
 * Source: E500CORERM Rev. 1, Tables 7-2 to 7-6. */
#include <stdio.h>

#include "harness.h"
#include "targets/e500/core/pmr.h"

static const struct { const char *name; uint32_t mfpmr, mtpmr; } words[] = {	/* of r3 */
	{ "PMC0", 0x7c70029c, 0x7c70039c }, { "PMC1", 0x7c71029c, 0x7c71039c }, { "PMC2", 0x7c72029c, 0x7c72039c },
	{ "PMC3", 0x7c73029c, 0x7c73039c }, { "PMLCa0", 0x7c70229c, 0x7c70239c }, { "PMLCa1", 0x7c71229c, 0x7c71239c },
	{ "pmlca3", 0x7c73229c, 0x7c73239c }, { "PMLCb0", 0x7c70429c, 0x7c70439c }, { "PMGC0", 0x7c70629c, 0x7c70639c },
	{ "UPMC0", 0x7c60029c, 0 }, { "UPMGC0", 0x7c60629c, 0 },
};

START_TEST(words_are_the_assemblers)
{
	int pmr = pt_e500_pmr_find(PT_E500_V2, words[_i].name);

	ck_assert_int_ge(pmr, 0);
	ck_assert_uint_eq(pt_e500_mfpmr(3, (unsigned)pmr), words[_i].mfpmr);
	if (words[_i].mtpmr != 0)
		ck_assert_uint_eq(pt_e500_mtpmr((unsigned)pmr, 3), words[_i].mtpmr);
	ck_assert_uint_eq(pt_e500_mfpmr(31, (unsigned)pmr) ^ pt_e500_mfpmr(0, (unsigned)pmr), 31u << 21);
}
END_TEST

/* Facts 2, and the rule that a supervisor's number is the user's and 16. */
static const struct { enum pt_e500_core core; const char *name; int pmr; } numbers[] = {
	{ PT_E500_V1, "PMC3", 19 },
	{ PT_E500_V1, "PMC4", -1 },
	{ PT_E500_E6500, "PMC5", 21 },
	{ PT_E500_E6500, "UPMC5", 5 },
	{ PT_E500_E6500, "PMLCa4", 148 },
	{ PT_E500_E6500, "UPMLCa5", 133 },
	{ PT_E500_MC, "PMLCa4", -1 },
	{ PT_E500_E5500, "PMLCb3", 275 },
	{ PT_E500_E6500, "PMLCb5", 277 },
	{ PT_E500_V2, "UPMLCb0", 256 },
	{ PT_E500_V2, "PMGC0", 400 },
	{ PT_E500_V2, "UPMGC0", 384 },
	{ PT_E500_V2, "PMGC1", -1 },
	{ PT_E500_V2, "", -1 },
};

START_TEST(numbers_and_names)
{
	struct pt_e500_register reg;
	int pmr = pt_e500_pmr_find(numbers[_i].core, numbers[_i].name);

	ck_assert_int_eq(pmr, numbers[_i].pmr);
	if (pmr < 0)
		return;
	ck_assert(pt_e500_pmr(numbers[_i].core, (unsigned)pmr, &reg));
	ck_assert_str_eq(reg.name, numbers[_i].name);
	ck_assert_int_eq(reg.user, numbers[_i].name[0] == 'U');
}
END_TEST

/* 3 registers for each counter and one for all, each by two numbers. */
START_TEST(each_core_has_its_registers)
{
	enum pt_e500_core core = (enum pt_e500_core)_i;
	struct pt_e500_register reg, user;
	unsigned n = 0;

	for (unsigned pmr = 0; pmr < 1024; pmr++) {
		if (!pt_e500_pmr(core, pmr, &reg))
			continue;
		n++;
		ck_assert(reg.user || pt_e500_pmr(core, pmr - PT_E500_USER_LESS, &user));
		ck_assert(reg.user || (user.user && user.field == reg.field));
	}
	ck_assert_uint_eq(n, 2 * (3u * pt_e500_kinds[core].n_pmcs + 1));
}
END_TEST

enum { PMLCA = PT_E500_PMLCA0, PMLCB = PT_E500_PMLCB0, PMGC0 = PT_E500_PMGC0 };
static const struct { enum pt_e500_core core; uint16_t pmr; int field; const char *name; uint32_t mask; } masks[] = {
	{ PT_E500_V2, PMGC0, PT_E500_FAC, "FAC", 0x80000000 },
	{ PT_E500_V2, PMGC0, PT_E500_PMIE, "PMIE", 0x40000000 },
	{ PT_E500_V2, PMGC0, PT_E500_FCECE, "FCECE", 0x20000000 },
	{ PT_E500_V2, PMGC0, PT_E500_TBSEL, "TBSEL", 0x00001800 },
	{ PT_E500_V2, PMGC0, PT_E500_TBEE, "TBEE", 0x00000100 },
	{ PT_E500_V1, PMGC0, PT_E500_TBSEL, NULL, 0 },
	{ PT_E500_V1, PMLCA, PT_E500_FC, "FC", 0x80000000 },
	{ PT_E500_V1, PMLCA, PT_E500_FCS, "FCS", 0x40000000 },
	{ PT_E500_V1, PMLCA, PT_E500_FCU, "FCU", 0x20000000 },
	{ PT_E500_V1, PMLCA, PT_E500_FCM1, "FCM1", 0x10000000 },
	{ PT_E500_V1, PMLCA, PT_E500_FCM0, "FCM0", 0x08000000 },
	{ PT_E500_V1, PMLCA, PT_E500_CE, "CE", 0x04000000 },
	{ PT_E500_V2, PMLCA + 3, PT_E500_EVENT, "EVENT", 0x007f0000 },
	{ PT_E500_MC, PMLCA, PT_E500_EVENT, "EVENT", 0x00ff0000 },
	{ PT_E500_E6500, PMLCA, PT_E500_EVENT, "EVENT", 0x01ff0000 },
	{ PT_E500_V2, PMLCA, PT_E500_FGCS1, NULL, 0 },
	{ PT_E500_MC, PMLCA, PT_E500_FGCS1, "FGCS1", 2 },
	{ PT_E500_E6500, PMLCA, PT_E500_FGCS0, "FGCS0", 1 },
	{ PT_E500_V2, PMLCB, PT_E500_THRESHMUL, "THRESHMUL", 0x700 },
	{ PT_E500_V2, PMLCB, PT_E500_THRESHOLD, "THRESHOLD", 0x3f },
	{ PT_E500_V2, PMLCB, PT_E500_TRIGONCTL, NULL, 0 },
	{ PT_E500_MC, PMLCB, PT_E500_TRIGONCTL, "TRIGONCTL", 0xf0000000 },
	{ PT_E500_MC, PMLCB, PT_E500_TRIGOFFCTL, "TRIGOFFCTL", 0x0f000000 },
	{ PT_E500_MC, PMLCB, PT_E500_PMCC, "PMCC", 0x00800000 },
	{ PT_E500_E6500, PMLCB + 5, PT_E500_PMP, "PMP", 0x0000e000 },
};

START_TEST(fields_are_where_the_manual_has_them)
{
	const struct pt_field *field;
	struct pt_e500_register reg;

	ck_assert(pt_e500_pmr(masks[_i].core, masks[_i].pmr, &reg));
	if (masks[_i].name == NULL) {
		ck_assert_uint_le(reg.n_fields, (unsigned)masks[_i].field);
		return;
	}
	ck_assert_uint_gt(reg.n_fields, (unsigned)masks[_i].field);
	field = &reg.field[masks[_i].field];
	ck_assert_str_eq(field->name, masks[_i].name);
	ck_assert_uint_eq((((UINT32_C(1) << field->bits) - 1) << field->lsb), masks[_i].mask);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("e500_pmr");
	TCase *tc = tcase_create("pmr");

	tcase_add_loop_test(tc, words_are_the_assemblers, 0, PT_LEN(words));
	tcase_add_loop_test(tc, numbers_and_names, 0, PT_LEN(numbers));
	tcase_add_loop_test(tc, each_core_has_its_registers, 0, PT_E500_CORES);
	tcase_add_loop_test(tc, fields_are_where_the_manual_has_them, 0, PT_LEN(masks));
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
