/* The table of parts by their IDCODE. An IDCODE is revision (31:28), part (27:12), maker (11:1) and a 1; AMD's parts
 * have a family in 27:21. Sources: UG570, tables "Instruction Register", and OpenOCD's TAP configurations for lengths
 * and codes; UG470, UG570 "JTAG device identification register" for families; Arm IHI 0031, JTAG-DP. */
#include "probes/wires/jtag_chain.h"

#include "base/util.h"

enum { AMD = 0x093, ARM = 0x477, MAKER = 0xfff };
#define FAMILY(code)	((uint32_t)(code) << 21 | AMD)
#define FAMILY_MASK	((uint32_t)0x7f << 21 | MAKER)

#define PART_MASK	0x0fffffffu	/* all but the revision */

/* The first match is used: of parts with the same name the shorter ones come first. */
static const struct pt_jtag_part parts[] = {
	/* XC7V2000T, XC7VX1140T, XC7VH580T: the only ones of their family with a longer instruction register */
	{ "Virtex-7 with 4 SLRs", 0x036b3093, PART_MASK, 24, { 0x0a4924, 0x0e4924, 0x8a4924, 0x8e4924 } },
	{ "Virtex-7 with 4 SLRs", 0x036d5093, PART_MASK, 24, { 0x0a4924, 0x0e4924, 0x8a4924, 0x8e4924 } },
	{ "Virtex-7 HT with 2 SLRs", 0x036d9093, PART_MASK, 22, { 0 } },
	{ "7 series or Zynq-7000 PL", FAMILY(0x1b), FAMILY_MASK, 6, { 0x02, 0x03, 0x22, 0x23 } },
	{ "Spartan-6", FAMILY(0x20), FAMILY_MASK, 6, { 0x02, 0x03, 0x1a, 0x1b } },
	{ "Virtex-6", FAMILY(0x21), FAMILY_MASK, 10, { 0x3c2, 0x3c3, 0x3e2, 0x3e3 } },
	/* the PS slice holds 0x24, the PL's code is in the low 6 bits; the PL answers once its TAP is enabled in
	 * JTAG_CTRL */
	{ "Zynq UltraScale+ MPSoC", FAMILY(0x23), FAMILY_MASK, 12, { 0x902, 0x903, 0x922, 0x923 } },
	{ "Versal", FAMILY(0x26), FAMILY_MASK, 6, { 0 } },	/* its fabric is accessed differently (AM011) */
	/* UltraScale and UltraScale+, one SLR or several; codes of USER3 and USER4 with 3 SLRs follow from those of
	 * the others */
	{ "UltraScale or UltraScale+", AMD, MAKER, 6, { 0x02, 0x03, 0x22, 0x23 } },
	{ "UltraScale with 2 SLRs", AMD, MAKER, 12, { 0x0a4, 0x0e4, 0x8a4, 0x8e4 } },
	{ "UltraScale with 3 SLRs", AMD, MAKER, 18, { 0x02924, 0x03924, 0x22924, 0x23924 } },
	{ "UltraScale with 4 SLRs", AMD, MAKER, 24, { 0x0a4924, 0x0e4924, 0x8a4924, 0x8e4924 } },
	{ "Arm JTAG-DP", 0x0ba00000 | ARM, 0x0fffffff, 4, { 0 } },
};

const struct pt_jtag_part *pt_jtag_part_of(uint32_t idcode, unsigned ir_bits)
{
	bool several = (idcode & MAKER) == AMD;

	for (size_t i = 0; i < PT_LEN(parts); i++) {
		if ((idcode & parts[i].mask) != parts[i].idcode)
			continue;
		if (ir_bits == 0 && several && parts[i].mask == MAKER)	/* the length decides which */
			return NULL;
		if (ir_bits == 0 || ir_bits == parts[i].ir_bits)
			return &parts[i];
	}
	return NULL;
}
