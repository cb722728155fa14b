/* What a virtual MicroBlaze board is made from: the words of its address, and an ELF, whose order of bytes it has. */
#include <stdio.h>
#include <string.h>

#include "probes/virtual/chip/microblaze.h"
#include "probes/virtual/demo/microblaze_demo.h"
#include "probes/virtual/frame/elf.h"
#include "base/util.h"

/* --- words. Defaults are what the manuals say, or leave to be likely. */

enum {
	FREQ, CORES, HELD, BARREL, MUL, DIV, PCMP, MSR_INSTR, REORDER, EXCEPTIONS, STACK, USER_MODE, OPCODE_0, PVR,
	VECTORS, STEP_SLOT, TAKEN, TAKEN_SLOT, LOAD, STORE, MULTIPLY, DIVIDE, SHIFT, VECTOR,
	PROFILE, PBAR_BITS, INDEX, BINS, EVENTS, LATENCY, WIDTH, SETTABLE, TRACE, TRACE_FULL,
	UART, REG_ACCESS, PARALLEL, WIDE, KEEP_CTRL, LOCK_CODE, LOCKED, VERSION, RSP, USER, JTAG, CMD_BITS,
	CMD_ORDER, DATA_ORDER, PHASES, SYNC, PAD, N_WORDS
};
_Static_assert((int)N_WORDS == (int)PT_MICROBLAZE_WORDS, "the board says how many there are");

#define FLAG(key, standard, help) { key, PT_PARAM_FLAG, standard, NULL, 0, 0, help }
#define NUMBER(key, standard, min, max, help) { key, PT_PARAM_NUMBER, standard, NULL, min, max, help }
#define CYCLES(key, standard, of) NUMBER(key, standard, 1, 255, "cycles of " of "; UNVERIFIED")

const struct pt_param pt_vmicroblaze_params[N_WORDS] = {
	[FREQ] = { "freq", PT_PARAM_HZ, "100000000", NULL, 1000000, 500000000, "clock of the cores, Hz" },
	[CORES] = NUMBER("cores", "1", 1, PT_MICROBLAZE_CORES, "how many cores the MDM has (C_MB_DBG_PORTS)"),
	[HELD] = FLAG("held", "off", "the cores stay in reset"),
	[BARREL] = FLAG("barrel", "on", "C_USE_BARREL"),
	[MUL] = NUMBER("mul", "2", 0, 2, "C_USE_HW_MUL: 0 none, 1 32 bits, 2 64 bits"),
	[DIV] = FLAG("div", "on", "C_USE_DIV"),
	[PCMP] = FLAG("pcmp", "on", "C_USE_PCMP_INSTR"),
	[MSR_INSTR] = FLAG("msr-instr", "on", "C_USE_MSR_INSTR"),
	[REORDER] = FLAG("reorder", "on", "C_USE_REORDER_INSTR"),
	[EXCEPTIONS] = FLAG("exceptions", "on", "unaligned, illegal, divide and bus exceptions"),
	[STACK] = FLAG("stack-protection", "off", "C_USE_STACK_PROTECTION"),
	[USER_MODE] = FLAG("user-mode", "off", "C_USE_MMU = 1: privileges without translation"),
	[OPCODE_0] = FLAG("opcode0-illegal", "on", "C_OPCODE_0x0_ILLEGAL"),
	[PVR] = NUMBER("pvr", "2", 0, 2, "C_PVR: 0 none, 1 basic, 2 full"),
	[VECTORS] = NUMBER("base-vectors", "0", 0, 0xffffff80, "C_BASE_VECTORS"),
	[STEP_SLOT] = { "step", PT_PARAM_CHOICE, "branch", "branch|slot", 0, 0,
			"a step ends behind a branch's delay slot, or in it as QEMU's does; UNVERIFIED" },
	[TAKEN] = CYCLES("cycles-taken", "3", "a taken branch"),
	[TAKEN_SLOT] = CYCLES("cycles-taken-slot", "2", "a taken branch with a delay slot"),
	[LOAD] = CYCLES("cycles-load", "1", "a load"),
	[STORE] = CYCLES("cycles-store", "1", "a store"),
	[MULTIPLY] = CYCLES("cycles-mul", "1", "a multiplication"),
	[DIVIDE] = CYCLES("cycles-div", "32", "a division"),
	[SHIFT] = CYCLES("cycles-barrel", "1", "a barrel shift"),
	[VECTOR] = CYCLES("cycles-vector", "4", "the entry to a vector"),
	[PROFILE] = NUMBER("profile", "4096", 0, 131072, "C_DEBUG_PROFILE_SIZE, bytes: 0, 4096, 8192 ... 131072"),
	[PBAR_BITS] = NUMBER("pbar-bits", "0", 0, 16, "width of PBAR in bits; 0: log2 of the bins; UNVERIFIED"),
	[INDEX] = { "bin-index", PT_PARAM_CHOICE, "sub_then_shift", "sub_then_shift|shift_then_sub|shift_mask", 0, 0,
		    "which bin an address is counted in; UNVERIFIED" },
	[BINS] = { "bins-full", PT_PARAM_CHOICE, "saturate", "saturate|wrap", 0, 0, "bins at 2^36; UNVERIFIED" },
	[EVENTS] = NUMBER("event-counters", "5", 0, 48, "C_DEBUG_EVENT_COUNTERS"),
	[LATENCY] = NUMBER("latency-counters", "1", 0, 7, "C_DEBUG_LATENCY_COUNTERS"),
	[WIDTH] = { "counter-width", PT_PARAM_CHOICE, "32", "32|48|64", 0, 0, "C_DEBUG_COUNTER_WIDTH" },
	[SETTABLE] = FLAG("counter-write", "on", "PCDWR sets the counters; UNVERIFIED"),
	[TRACE] = NUMBER("trace", "8192", 0, 131072, "C_DEBUG_TRACE_SIZE, bytes: 0, 8192 ... 131072"),
	[TRACE_FULL] = { "trace-full", PT_PARAM_CHOICE, "wrap", "wrap|stop", 0, 0,
			 "a full trace buffer loses its oldest item, or ends the trace; UNVERIFIED" },
	[UART] = FLAG("mdm-uart", "on", "C_USE_UART"),
	[REG_ACCESS] = FLAG("dbg-reg-access", "on", "C_DBG_REG_ACCESS"),
	[PARALLEL] = FLAG("parallel", "on", "C_DEBUG_INTERFACE > 0: the parallel window of the AXI slave"),
	[WIDE] = { "wide-order", PT_PARAM_CHOICE, "low", "low|high", 0, 0,
		   "which half of a 36-bit register comes first; UNVERIFIED" },
	[KEEP_CTRL] = FLAG("keep-ctrl", "off", "DBG_CTRL need not be written for every access; UNVERIFIED"),
	[LOCK_CODE] = NUMBER("dbg-lock", "0", 0, 0xffff,
			     "DBG_CTRL takes nothing before this was written to DBG_LOCK (0: always); UNVERIFIED"),
	[LOCKED] = NUMBER("mdm-locked", "0", 0, UINT32_MAX,
			  "so many reads of DBG_STATUS find that JTAG has the lock; 4294967295: for ever"),
	[VERSION] = NUMBER("mdm-version", "0x67", 0, 255, "protocol version in the MDM's configuration register"),
	[RSP] = { "rsp", PT_PARAM_CHOICE, "modern", "modern|qemu", 0, 0,
		  "habit of the GDB server: modern describes itself and answers for memory while cores run; "
		  "as QEMU 7.2" },
	[USER] = NUMBER("user", "2", 1, 4, "which USER chain the MDM is on (C_JTAG_CHAIN)"),
	[JTAG] = { "mdm-jtag", PT_PARAM_CHOICE, "on", "on|ones", 0, 0, "ones: as a chain that is not connected, TDO stays 1" },
	[CMD_BITS] = { "mdm-cmd-bits", PT_PARAM_CHOICE, "8", "8|4", 0, 0, "bits of a command over JTAG; UNVERIFIED" },
	[CMD_ORDER] = { "mdm-cmd-order", PT_PARAM_CHOICE, "lsb_first", "lsb_first|msb_first", 0, 0,
			"of commands; UNVERIFIED" },
	[DATA_ORDER] = { "mdm-data-order", PT_PARAM_CHOICE, "lsb_first", "lsb_first|msb_first", 0, 0,
			 "of data; UNVERIFIED" },
	[PHASES] = { "mdm-phases", PT_PARAM_CHOICE, "two_scans", "two_scans|one_scan", 0, 0,
		     "command and data in two DR scans, or in one; UNVERIFIED" },
	[SYNC] = NUMBER("mdm-sync", "0", 0, 32, "bits in front of a command; UNVERIFIED"),
	[PAD] = NUMBER("mdm-pad", "0", 0, 32, "bits in front of data; UNVERIFIED"),
};

static uint32_t number(const struct pt_params *settings, unsigned word)
{
	return (uint32_t)pt_params_number(settings, &pt_vmicroblaze_params[word]);
}

static bool is_on(const struct pt_params *settings, unsigned word)
{
	return pt_params_flag(settings, &pt_vmicroblaze_params[word]);
}

static bool is(const struct pt_params *settings, unsigned word, const char *value)
{
	return strcmp(pt_params_text(settings, &pt_vmicroblaze_params[word]), value) == 0;
}

static void read_core(struct pt_vmb_options *o, const struct pt_params *s)
{
	bool exceptions = is_on(s, EXCEPTIONS);

	*o = (struct pt_vmb_options){
		.use_barrel = is_on(s, BARREL), .use_hw_mul = (uint8_t)number(s, MUL), .use_div = is_on(s, DIV),
		.use_pcmp = is_on(s, PCMP), .use_msr_instr = is_on(s, MSR_INSTR), .use_reorder = is_on(s, REORDER),
		.unaligned_exceptions = exceptions, .ill_opcode_exception = exceptions,
		.div_zero_exception = exceptions,
		.i_bus_exception = exceptions, .d_bus_exception = exceptions, .opcode_0x0_illegal = is_on(s, OPCODE_0),
		.use_stack_protection = is_on(s, STACK), .use_mmu_privileges = is_on(s, USER_MODE), .debug_enabled = 2,
		.pvr = (uint8_t)number(s, PVR), .base_vectors = number(s, VECTORS) & ~0x7fu,
		.step_into_slot = is(s, STEP_SLOT, "slot"),
		.timing = {
			.taken = (uint8_t)number(s, TAKEN), .taken_with_slot = (uint8_t)number(s, TAKEN_SLOT),
			.load = (uint8_t)number(s, LOAD), .store = (uint8_t)number(s, STORE),
			.multiply = (uint8_t)number(s, MULTIPLY), .divide = (uint8_t)number(s, DIVIDE),
			.barrel = (uint8_t)number(s, SHIFT), .vector = (uint8_t)number(s, VECTOR),
		},
	};
}

static void read_mdm(struct pt_vmdm_options *o, const struct pt_params *s)
{
	*o = (struct pt_vmdm_options){
		.version = (uint8_t)number(s, VERSION), .use_uart = is_on(s, UART),
		.dbg_reg_access = is_on(s, REG_ACCESS), .parallel = is_on(s, PARALLEL),
		.profile_bytes = number(s, PROFILE),
		.pbar_bits = (uint8_t)number(s, PBAR_BITS),
		.index = is(s, INDEX, "shift_then_sub") ? PT_VMDM_SHIFT_THEN_SUB :
			 is(s, INDEX, "shift_mask") ? PT_VMDM_SHIFT_AND_MASK : PT_VMDM_SUB_THEN_SHIFT,
		.bins_wrap = is(s, BINS, "wrap"), .event_counters = (uint8_t)number(s, EVENTS),
		.latency_counters = (uint8_t)number(s, LATENCY),
		.counter_width = is(s, WIDTH, "64") ? 64 : is(s, WIDTH, "48") ? 48 : 32,
		.counters_fixed = !is_on(s, SETTABLE),
		.trace_bytes = number(s, TRACE), .trace_stops = is(s, TRACE_FULL, "stop"),
		.high_first = is(s, WIDE, "high"), .keep_ctrl = is_on(s, KEEP_CTRL),
		.lock_code = number(s, LOCK_CODE), .locked_polls = number(s, LOCKED),
	};
}

static void read_framing(struct pt_vmdm_framing *f, const struct pt_params *s)
{
	*f = (struct pt_vmdm_framing){
		.cmd_bits = is(s, CMD_BITS, "4") ? 4 : 8, .cmd_msb = is(s, CMD_ORDER, "msb_first"),
		.data_msb = is(s, DATA_ORDER, "msb_first"), .one_scan = is(s, PHASES, "one_scan"),
		.sync_bits = (uint8_t)number(s, SYNC), .pad_bits = (uint8_t)number(s, PAD), .ones = is(s, JTAG, "ones"),
	};
}

static bool is_power_of_2(uint32_t bytes, uint32_t least)
{
	return bytes == 0 || (bytes >= least && (bytes & (bytes - 1)) == 0);
}

int pt_microblaze_read_words(struct pt_microblaze_words *words, const struct pt_params *settings, struct pt_err *err)
{
	if (pt_params_given(settings, pt_vboard_param("variant")))
		return pt_fail(err, PT_EARG,
			       "microblaze has no variants, but words of its own; `proftap boards` lists them");
	*words = (struct pt_microblaze_words){
		.hz = number(settings, FREQ), .n_cores = number(settings, CORES), .held = is_on(settings, HELD),
		.as_qemu = is(settings, RSP, "qemu"), .user = number(settings, USER),
	};
	read_core(&words->cpu, settings);
	read_mdm(&words->mdm, settings);
	read_framing(&words->framing, settings);
	if (!is_power_of_2(words->mdm.profile_bytes, 4096))
		return pt_fail(err, PT_EARG,
			       "profile=%u: the buffer has 0, 4096, 8192, 16384, 32768, 65536 or 131072 "
			       "bytes",
			       words->mdm.profile_bytes);
	if (!is_power_of_2(words->mdm.trace_bytes, 8192))
		return pt_fail(err, PT_EARG, "trace=%u: the buffer has 0, 8192, 16384, 32768, 65536 or 131072 bytes",
			       words->mdm.trace_bytes);
	return 0;
}

/* As somebody with the design in Vivado knows it. The server of rsp=qemu has no memory while cores run. */
void pt_microblaze_told(const struct pt_params *settings, const char *driver, void (*say)(void *arg, const char *word),
			void *arg)
{
	static const struct { const char *key; unsigned word; } sizes[] = {
		{ "mb.prof.size", PROFILE }, { "mb.perf.events", EVENTS }, { "mb.perf.latency", LATENCY },
		{ "mb.trace.size", TRACE }, { "core-clock", FREQ },
	};
	char text[64];

	if (strcmp(driver, "rsp") == 0 && is_on(settings, REG_ACCESS)) {
		snprintf(text, sizeof(text), "mdm.axi.base=0x%x", PT_MICROBLAZE_MDM_BASE);
		say(arg, text);
		if (!is(settings, RSP, "qemu"))
			say(arg, "upstream-memory=running");
	}
	for (size_t i = 0; i < PT_LEN(sizes); i++) {
		snprintf(text, sizeof(text), "%s=%u", sizes[i].key, (unsigned)number(settings, sizes[i].word));
		say(arg, text);
	}
	snprintf(text, sizeof(text), "mb.perf.width=%s", pt_params_text(settings, &pt_vmicroblaze_params[WIDTH]));
	say(arg, text);
}

/* --- firmware */

static int place(void *arg, uint32_t addr, const uint8_t *bytes, size_t n_bytes, struct pt_err *err)
{
	struct pt_microblaze *chip = arg;

	for (unsigned i = 0; i < chip->n_nodes; i++) {
		uint8_t *to =
			n_bytes <= UINT32_MAX ? pt_microblaze_bytes(&chip->node[i], addr, (uint32_t)n_bytes) : NULL;

		if (to == NULL)
			return pt_fail(err, PT_EARG,
				       "%zu bytes at 0x%08x fit neither into the local memory (64 KiB at "
				       "0) nor into the RAM (16 MiB at 0x%08x) of microblaze",
				       n_bytes, addr, PT_MICROBLAZE_RAM_BASE);
		memcpy(to, bytes, n_bytes);
	}
	return 0;
}

int pt_microblaze_load(struct pt_microblaze *chip, const uint8_t *elf, size_t len_bytes, struct pt_err *err)
{
	if (elf == NULL) {
		elf = pt_microblaze_demo_elf;
		len_bytes = pt_microblaze_demo_elf_bytes;
	}
	if (pt_velf_load(elf, len_bytes, PT_VELF_MICROBLAZE, place, chip, err) < 0)
		return pt_wrap(err, "firmware for microblaze");
	return 0;
}
