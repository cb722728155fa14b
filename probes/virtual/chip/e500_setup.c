/* What a virtual e500 board is made from: the words of its address, and an ELF. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "probes/virtual/chip/e500.h"
#include "probes/virtual/demo/e500_demo.h"
#include "probes/virtual/frame/elf.h"
#include "base/util.h"

/* --- words. The defaults of cycles are pt_ve500_default_timing. */

enum {
	CORE, CORES, FREQ, HELD, RSP, STEP, LOAD_HIT, MULTIPLY, DIVIDE, MISPREDICT, INTERRUPT, L1_MISS, FETCH_MISS, L2_HIT,
	TB_CYCLES, DCSR, CAPTURE, PM_HALTED, N_WORDS
};
_Static_assert((int)N_WORDS == (int)PT_E500_WORDS, "the board says how many there are");

#define CYCLES(key, standard, of) \
	{ key, PT_PARAM_NUMBER, standard, NULL, 0, 255, "cycles that " of " adds; UNVERIFIED" }

const struct pt_param pt_ve500_params[N_WORDS] = {
	[CORE] = { "core", PT_PARAM_CHOICE, "v2", "v1|v2|mc|e5500|e6500", 0, 0,
		   "which core it is: e500v1, e500v2, e500mc, e5500 or one thread of an e6500, these two in 32-bit mode" },
	[CORES] = { "cores", PT_PARAM_NUMBER, "1", NULL, 1, PT_E500_NODES,
		    "how many of them there are: they share the RAM, and PIR tells a program which one it runs on" },
	[FREQ] = { "freq", PT_PARAM_HZ, "100000000", NULL, 1000000, 1500000000, "clock of the core, Hz" },
	[HELD] = { "held", PT_PARAM_FLAG, "off", NULL, 0, 0, "the core stays in reset" },
	[RSP] = { "rsp", PT_PARAM_CHOICE, "modern", "modern|bare", 0, 0,
		  "habit of the GDB server: modern describes its registers; bare does not, and g has GDB's own 292 "
		  "bytes (412 with FPRs)" },
	[STEP] = { "step", PT_PARAM_CHOICE, "masked", "masked|interrupts", 0, 0,
		   "habit of the GDB server: interrupts wait while it steps, as QEMU's has it, or entering one is a "
		   "step" },
	[LOAD_HIT] = CYCLES("cycles-load", "0", "a load which hits the L1 cache"),
	[MULTIPLY] = CYCLES("cycles-mul", "3", "a multiplication"),
	[DIVIDE] = CYCLES("cycles-div", "18", "a division"),
	[MISPREDICT] = CYCLES("cycles-mispredict", "5", "a mispredicted branch"),
	[INTERRUPT] = CYCLES("cycles-interrupt", "8", "the entry of an interrupt"),
	[L1_MISS] = CYCLES("cycles-l1-miss", "20", "a data access which misses the L1 cache"),
	[FETCH_MISS] = CYCLES("cycles-fetch-miss", "12", "a fetch which misses the L1 cache"),
	[L2_HIT] = CYCLES("cycles-l2-hit", "6", "instead of those two, a line that the core's L2 has, of mc and later,"),
	[TB_CYCLES] = { "tb-cycles", PT_PARAM_NUMBER, "8", NULL, 1, 255, "core cycles per tick of the time base" },
	[PM_HALTED] = { "pm-halted", PT_PARAM_FLAG, "off", NULL, 0, 0,
			"the performance monitor counts cycles while a debugger halts the core; UNVERIFIED" },
	[DCSR] = { "dcsr", PT_PARAM_FLAG, "off", NULL, 0, 0,
		   "the debug space of a QorIQ at 0xf1000000, with the core proxy of mc, e5500 or e6500" },
	[CAPTURE] = { "dcsr-capture", PT_PARAM_CHOICE, "always", "always|pccl|write|never", 0, 0,
		      "what captures the copies that the core proxy shows; UNVERIFIED" },
};

static uint8_t number(const struct pt_params *settings, unsigned word)
{
	return (uint8_t)pt_params_number(settings, &pt_ve500_params[word]);
}

static bool is(const struct pt_params *settings, unsigned word, const char *what)
{
	return strcmp(pt_params_text(settings, &pt_ve500_params[word]), what) == 0;
}

static enum pt_ve500_core core_of(const struct pt_params *settings)
{
	unsigned core = 0;

	while (core < PT_VE500_CORES && !is(settings, CORE, pt_ve500_kinds[core].word))
		core++;
	return core < PT_VE500_CORES ? (enum pt_ve500_core)core : PT_VE500_CORE_V2;
}

int pt_e500_read_words(struct pt_e500_words *words, const struct pt_params *settings, struct pt_err *err)
{
	static const char *const captures[] = {
		[PT_VDCSR_ALWAYS] = "always", [PT_VDCSR_BY_PCCL] = "pccl", [PT_VDCSR_BY_WRITE] = "write",
		[PT_VDCSR_NEVER] = "never",
	};
	enum pt_vdcsr_capture capture = PT_VDCSR_ALWAYS;

	if (pt_params_given(settings, pt_vboard_param("variant")))
		return pt_fail(err, PT_EARG, "e500 has no variants, but words of its own; `proftap boards` lists them");
	for (size_t i = 0; i < PT_LEN(captures); i++)
		if (strcmp(pt_params_text(settings, &pt_ve500_params[CAPTURE]), captures[i]) == 0)
			capture = (enum pt_vdcsr_capture)i;
	*words = (struct pt_e500_words){
		.core = core_of(settings), .n_cores = number(settings, CORES),
		.dcsr = pt_params_flag(settings, &pt_ve500_params[DCSR]), .capture = capture,
		.masks_steps = is(settings, STEP, "masked"),
		.counts_halted = pt_params_flag(settings, &pt_ve500_params[PM_HALTED]),
		.hz = (uint32_t)pt_params_number(settings, &pt_ve500_params[FREQ]),
		.held = pt_params_flag(settings, &pt_ve500_params[HELD]),
		.timing = {
			.load_hit = number(settings, LOAD_HIT), .multiply = number(settings, MULTIPLY),
			.divide = number(settings, DIVIDE), .mispredict = number(settings, MISPREDICT),
			.interrupt = number(settings, INTERRUPT), .l1_miss = number(settings, L1_MISS),
			.fetch_miss = number(settings, FETCH_MISS), .l2_hit = number(settings, L2_HIT),
			.tb_cycles = number(settings, TB_CYCLES),
		},
	};
	if (words->dcsr && !pt_ve500_kinds[words->core].qoriq)
		return pt_fail(err, PT_EARG, "%s has no debug space: dcsr=on goes with core=mc, e5500 or e6500",
			       pt_ve500_kinds[words->core].name);
	return 0;
}

static void tell_dcsr(const struct pt_params *settings, void (*say)(void *arg, const char *word), void *arg)
{
	char text[64];

	if (!pt_params_flag(settings, &pt_ve500_params[DCSR]))
		return;
	snprintf(text, sizeof(text), "e500.dcsr.base=0x%x", PT_E500_DCSR_BASE);
	say(arg, text);
	if (is(settings, CAPTURE, "pccl"))
		say(arg, "e500.dcsr.capture=pcc");
	if (is(settings, CAPTURE, "write"))
		say(arg, "e500.dcsr.capture=0x4c8=1");
	say(arg, "upstream-memory=running");
}

/* As somebody with the board's manual knows it. */
void pt_e500_told(const struct pt_params *settings, const char *driver, void (*say)(void *arg, const char *word),
		  void *arg)
{
	uint64_t hz = pt_params_number(settings, &pt_ve500_params[FREQ]);
	char text[64];

	(void)driver;
	snprintf(text, sizeof(text), "e500.scratch=0x%x:0x200", PT_E500_RAM_BYTES / 2);
	say(arg, text);
	tell_dcsr(settings, say, arg);
	snprintf(text, sizeof(text), "core-clock=%" PRIu64, hz);
	say(arg, text);
	snprintf(text, sizeof(text), "e500.tb_hz=%" PRIu64, hz / number(settings, TB_CYCLES));
	say(arg, text);
}

/* --- firmware */

static int place(void *arg, uint32_t addr, const uint8_t *bytes, size_t n_bytes, struct pt_err *err)
{
	uint8_t *to = n_bytes <= UINT32_MAX ? pt_e500_bytes(arg, addr, (uint32_t)n_bytes) : NULL;

	if (to == NULL)
		return pt_fail(err, PT_EARG, "%zu bytes at 0x%08x do not fit into the RAM (16 MiB at 0) of e500",
			       n_bytes, addr);
	memcpy(to, bytes, n_bytes);
	return 0;
}

int pt_e500_load(struct pt_e500 *chip, const uint8_t *elf, size_t len_bytes, struct pt_err *err)
{
	enum { E_ENTRY = 24 };

	if (elf == NULL) {
		elf = pt_e500_demo_elf;
		len_bytes = pt_e500_demo_elf_bytes;
	}
	if (pt_velf_load(elf, len_bytes, PT_VELF_PPC, place, chip, err) < 0)
		return pt_wrap(err, "firmware for e500");
	chip->entry = pt_be32(elf + E_ENTRY);
	return 0;
}
