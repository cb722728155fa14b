/* What a virtual S12ZVM is made from: the words of its address, and an ELF. */
#include <string.h>

#include "probes/virtual/demo/s12zvm_demo.h"
#include "probes/virtual/chip/s12zvm_parts.h"
#include "probes/virtual/frame/elf.h"
#include "base/util.h"

enum { FSEC_SECURED = 0xff };

/* --- words. Defaults are what the manuals say, or leave to be likely. */

enum {
	BUS, BDCCLK, BDCFCLK, SECURED, APP_DBG, USBDM, TRACE, PTHF_BYTES, PDOE_0, CNT, EXT_JUMP, PC_JUMP, SWAP24,
	SOFTWARE, STAMP, TBOVF, TBOVF_LINE, PURE_NB, N_WORDS
};
_Static_assert((int)N_WORDS == (int)PT_S12ZVM_WORDS, "the board says how many there are");

const struct pt_param pt_vs12zvm_params[N_WORDS] = {
	[BUS] = { "bus", PT_PARAM_HZ, "50000000", NULL, 1000000, 100000000,
		  "bus clock, Hz; the default is the most of an S12ZVM (UNVERIFIED)" },
	[BDCCLK] = { "bdcclk", PT_PARAM_HZ, "8000000", NULL, 10000, 50000000,
		     "BDCSI clock with CLKSW = 0, Hz; many parts have 1M" },
	[BDCFCLK] = { "bdcfclk", PT_PARAM_HZ, "25000000", NULL, 10000, 50000000,
		      "BDCSI clock with CLKSW = 1, Hz; UNVERIFIED, half of the default bus clock" },
	[SECURED] = { "secured", PT_PARAM_FLAG, "off", NULL, 0, 0, "the part is secured, whatever the firmware says" },
	[APP_DBG] = { "app-dbg", PT_PARAM_FLAG, "off", NULL, 0, 0, "the application has armed the DBG for itself" },
	[USBDM] = { "usbdm", PT_PARAM_CHOICE, "v5", "v4|v5|v5-busy", 0, 0,
		    "generation of the USBDM firmware, with probe=usbdm; v5-busy answers \"busy\" first "
		    "where it takes a while" },
	[TRACE] = { "trace", PT_PARAM_FLAG, "on", NULL, 0, 0, "off: a part with DebugLite, without trace buffer" },
	[PTHF_BYTES] = { "pthf", PT_PARAM_NUMBER, "6", NULL, 5, 6, "bytes of a PTHF line on PDO; UNVERIFIED" },
	[PDOE_0] = { "pdoe0", PT_PARAM_CHOICE, "drains", "drains|holds", 0, 0,
		     "profiling without the pins: lines are overwritten, or the buffer overflows; UNVERIFIED" },
	[CNT] = { "cnt", PT_PARAM_CHOICE, "written", "written|pending", 0, 0,
		"what DBGCNT counts in profiling; UNVERIFIED" },
	[EXT_JUMP] = { "ext-jump", PT_PARAM_CHOICE, "direct", "direct|indirect", 0, 0,
		       "JMP and JSR with a plain address as general operand; UNVERIFIED" },
	[PC_JUMP] = { "pc-jump", PT_PARAM_CHOICE, "indirect", "direct|indirect", 0, 0,
		      "JMP and JSR with a PC-relative operand; UNVERIFIED" },
	[SWAP24] = { "swap24", PT_PARAM_FLAG, "off", NULL, 0, 0,
		"addresses and stamps in lines have their bytes the other way round; UNVERIFIED" },
	[SOFTWARE] = { "swi-ptvb", PT_PARAM_FLAG, "on", NULL, 0, 0, "SWI, SYS, TRAP make a PTVB line; UNVERIFIED" },
	[STAMP] = { "stamp", PT_PARAM_CHOICE, "cof", "cof|line", 0, 0,
		    "time stamps count from the change of flow before, or from the line before; UNVERIFIED" },
	[TBOVF] = { "tbovf-term", PT_PARAM_FLAG, "on", NULL, 0, 0, "the line with TBOVF has TERM, too; UNVERIFIED" },
	[TBOVF_LINE] = { "tbovf-line", PT_PARAM_CHOICE, "cof", "cof|ptw", 0, 0,
			 "TBOVF is in the line that makes 64 wait, or in a PTW line of its own; UNVERIFIED" },
	[PURE_NB] = { "pure-nb", PT_PARAM_FLAG, "on", NULL, 0, 0, "Pure PC lines say where bases begin; UNVERIFIED" },
};

static uint32_t number(const struct pt_params *settings, unsigned word)
{
	return (uint32_t)pt_params_number(settings, &pt_vs12zvm_params[word]);
}

static bool is_on(const struct pt_params *settings, unsigned word)
{
	return pt_params_flag(settings, &pt_vs12zvm_params[word]);
}

static bool is(const struct pt_params *settings, unsigned word, const char *value)
{
	return strcmp(pt_params_text(settings, &pt_vs12zvm_params[word]), value) == 0;
}

int pt_s12zvm_read_words(struct pt_s12zvm_words *words, const struct pt_params *settings, struct pt_err *err)
{
	if (pt_params_given(settings, pt_vboard_param("variant")))
		return pt_fail(err, PT_EARG,
			       "s12zvm has no variants, but words of its own; `proftap boards` lists them");
	*words = (struct pt_s12zvm_words){
		.bus_hz = number(settings, BUS), .bdcclk_hz = number(settings, BDCCLK),
		.bdcfclk_hz = number(settings, BDCFCLK),
		.secured = is_on(settings, SECURED), .app_dbg = is_on(settings, APP_DBG),
		.dbg = {
			.no_trace = !is_on(settings, TRACE),
			.pthf_5 = number(settings, PTHF_BYTES) == 5,
			.pdoe_holds = is(settings, PDOE_0, "holds"),
			.cnt_pending = is(settings, CNT, "pending"),
			.extended_indirect = is(settings, EXT_JUMP, "indirect"),
			.pc_relative_direct = is(settings, PC_JUMP, "direct"),
			.swap24 = is_on(settings, SWAP24),
			.software_silent = !is_on(settings, SOFTWARE),
			.stamp_by_line = is(settings, STAMP, "line"),
			.tbovf_ptw = is(settings, TBOVF_LINE, "ptw"),
			.tbovf_alone = !is_on(settings, TBOVF),
			.base_bits_off = !is_on(settings, PURE_NB),
		},
	};
	return 0;
}

/* --- firmware */

static int place(void *arg, uint32_t addr, const uint8_t *bytes, size_t n_bytes, struct pt_err *err)
{
	uint8_t *to = n_bytes <= UINT32_MAX ? pt_s12zvm_bytes(arg, addr, (uint32_t)n_bytes) : NULL;

	if (to == NULL)
		return pt_fail(err, PT_EARG, "%zu bytes at 0x%06x do not fit into the flash, EEPROM or RAM of s12zvm",
			       n_bytes, addr);
	memcpy(to, bytes, n_bytes);
	return 0;
}

/* Firmware that says nothing about security is programmed as unsecured, as programmers do. */
int pt_s12zvm_load(struct pt_s12zvm *chip, const uint8_t *elf, size_t len_bytes, bool secured, struct pt_err *err)
{
	uint8_t *fsec = pt_s12zvm_bytes(chip, PT_VFTMRZ_CONFIG_FSEC, 1);

	if (elf == NULL) {
		elf = pt_s12zvm_demo_elf;
		len_bytes = pt_s12zvm_demo_elf_bytes;
	}
	memset(chip->flash, 0xff, sizeof(chip->flash));
	memset(chip->eeprom, 0xff, sizeof(chip->eeprom));
	*fsec = PT_VFTMRZ_UNSECURED;
	if (pt_velf_load(elf, len_bytes, PT_VELF_S12Z, place, chip, err) < 0)
		return pt_wrap(err, "firmware for s12zvm");
	if (secured)
		*fsec = FSEC_SECURED;
	return 0;
}
