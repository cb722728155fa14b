#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "targets/cortexm/core/architecture.h"
#include "targets/cortexm/core/scs.h"
#include "base/util.h"

static const struct {		/* CPUID[15:4]. Source: the cores' TRMs */
	uint16_t part;
	uint8_t cpu_arch;
	bool caches;		/* the core has instruction and data caches */
	bool pairs;		/* it may issue two instructions in one cycle, UNVERIFIED */
	const char *name;
} cores[] = {
	{ 0xc20, PT_ARM_V6_M, false, false, "Cortex-M0" },
	{ 0xc60, PT_ARM_V6_M, false, false, "Cortex-M0+" },
	{ 0xc21, PT_ARM_V6_M, false, false, "Cortex-M1" },
	{ 0xc23, PT_ARM_V7, false, false, "Cortex-M3" },
	{ 0xc24, PT_ARM_V7E_M, false, false, "Cortex-M4" },
	{ 0xc27, PT_ARM_V7E_M, true, true, "Cortex-M7" },
	{ 0xd20, PT_ARM_V8_M_BASE, false, false, "Cortex-M23" },
	{ 0xd21, PT_ARM_V8_M_MAIN, false, true, "Cortex-M33" },
	{ 0xd31, PT_ARM_V8_M_MAIN, false, true, "Cortex-M35P" },
	{ 0x132, PT_ARM_V8_M_MAIN, true, true, "Star-MC1" },
	{ 0xd22, PT_ARM_V8_1_M_MAIN, true, true, "Cortex-M55" },
	{ 0xd23, PT_ARM_V8_1_M_MAIN, true, true, "Cortex-M85" },
	{ 0xd24, PT_ARM_V8_1_M_MAIN, true, true, "Cortex-M52" },
};
enum { CPUID_V6_M = 0xc };	/* CPUID[19:16]; 0xf: a later one. Source: Arm DDI 0419, B3.2.3 */

static void name_core(struct pt_cortexm_chip *chip, uint32_t cpuid)
{
	const char *name = NULL;

	chip->cpu_arch = (cpuid >> 16 & 0xf) == CPUID_V6_M ? PT_ARM_V6_M : PT_ARM_V7;
	for (size_t i = 0; i < PT_LEN(cores); i++)
		if (cores[i].part == (cpuid >> 4 & 0xfff)) {
			name = cores[i].name;
			chip->cpu_arch = cores[i].cpu_arch;
			chip->caches = cores[i].caches;
			chip->pairs = cores[i].pairs;
		}
	if (name != NULL)
		snprintf(chip->core, sizeof(chip->core), "%s r%up%u", name, (unsigned)(cpuid >> 20 & 0xf),
			 (unsigned)(cpuid & 0xf));
	else
		snprintf(chip->core, sizeof(chip->core), "core with CPUID 0x%08x", (unsigned)cpuid);
}

void pt_cortexm_name_by_core(struct pt_cortexm_chip *chip)
{
	const char *revision = strstr(chip->core, " r");

	chip->unknown = true;
	snprintf(chip->name, sizeof(chip->name), "%.*s", revision != NULL ? (int)(revision - chip->core) : 8,
		 revision != NULL ? chip->core : "Cortex-M");
}

void pt_cortexm_full_name(const struct pt_cortexm_chip *chip, char *out, size_t room)
{
	size_t len = strlen(chip->name);
	bool is_named_twice = strncmp(chip->core, chip->name, len) == 0 && chip->core[len] == ' ';

	snprintf(out, room, "%s (%s%s)", chip->name, chip->core + (is_named_twice ? len + 1 : 0),
		 chip->unknown ? ", unknown chip" : "");
}

int pt_cortexm_check_expected(const struct pt_cortexm_chip *chip, const char *expected, bool *unchecked,
			      struct pt_err *err)
{
	*unchecked = false;
	if (strncasecmp(chip->name, expected, strlen(expected)) == 0)
		return 0;
	*unchecked = chip->unknown;
	if (chip->unknown)
		return 0;
	return pt_fail(
		err, PT_EARG,
		"the chip is %s, and the board that was named has %s: name the board that is connected, or leave out "
		"--board (expected-chip)",
		chip->name, expected);
}

/* MVFR0 says single precision at least: a core without an FPU reads 0. ARMv6-M has neither register. Source: Arm DDI
 * 0403, B4.7 (MVFR0); DDI 0553, D1.2 (ID_PFR1). */
int pt_cortexm_identify_core(struct pt_cortexm_chip *chip, struct pt_mem *mem, uint64_t scs, struct pt_err *err)
{
	static const struct pt_field single = { "FPSP", 4, 4, "single precision" };
	static const struct pt_field security = { "Security", 4, 4, "Security Extension" };
	uint32_t cpuid = 0, mvfr0 = 0, pfr1 = 0;
	struct pt_err ignored = { 0 };

	if (pt_mem_read32(mem, scs + SCS_CPUID, &cpuid, err) < 0)
		return pt_wrap(err, "read CPUID");
	name_core(chip, cpuid);
	chip->fpu = pt_cortexm_is_mainline(chip) && pt_mem_read32(mem, scs + SCS_MVFR0, &mvfr0, &ignored) == 0 &&
		    pt_field_get(&single, mvfr0) != 0;
	chip->secure = pt_cortexm_is_v8(chip) && pt_mem_read32(mem, scs + SCS_ID_PFR1, &pfr1, &ignored) == 0 &&
		       pt_field_get(&security, pfr1) != 0;
	return 0;
}
