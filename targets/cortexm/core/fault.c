/* The fault status registers as rows, each with its meaning for the user, and the frame that the hardware stacked: its
 * pc is the address of the fault. ARMv6-M has only the frame. The bits stay set until the program clears them, so they
 * may be of an earlier fault; this is said if the core is not in a handler. Source: Arm DDI 0403 (ARMv7-M), B3.2.15
 * (CFSR), B3.2.16 (HFSR), B1.5.6 (frames), B1.5.8 (EXC_RETURN); DDI 0553 (ARMv8-M), D1.2 (UFSR.STKOF, SFSR). */
#include <stdio.h>
#include <string.h>

#include "base/door.h"
#include "targets/cortexm/core/cortexm.h"
#include "targets/cortexm/core/fault.h"
#include "base/util.h"

enum { HFSR_FORCED = 30, MMARVALID = 1 << 7, BFARVALID = 1 << 15 };

static const struct pt_field hfsr_fields[] = {
	{ "VECTTBL", 1, 1, "the vector of an exception could not be read: is VTOR right?" },
	{ "FORCED", HFSR_FORCED, 1, "another fault, whose handler is disabled or has too little priority: see CFSR" },
	{ "DEBUGEVT", 31, 1, "a breakpoint instruction while no debugger halts the core" },
	{ 0 },
};

static const struct pt_field cfsr_fields[] = {
	{ "IACCVIOL", 0, 1, "code was fetched where the memory protection forbids it" },
	{ "DACCVIOL", 1, 1, "data were accessed where the memory protection forbids it" },
	{ "MUNSTKERR", 3, 1, "memory protection, at the return from an exception" },
	{ "MSTKERR", 4, 1, "memory protection, at the entry of an exception: the frame is not there" },
	{ "MLSPERR", 5, 1, "memory protection, when FPU registers were saved late" },
	{ "MMARVALID", 7, 1, NULL },
	{ "IBUSERR", 8, 1, "code was fetched where nothing answers" },
	{ "PRECISERR", 9, 1, "data were accessed where nothing answers, by the instruction at the stacked pc" },
	{ "IMPRECISERR", 10, 1, "a write met no answer, some instructions before the stacked pc" },
	{ "UNSTKERR", 11, 1, "bus error at the return from an exception" },
	{ "STKERR", 12, 1, "bus error at the entry of an exception: the frame is not there" },
	{ "LSPERR", 13, 1, "bus error when FPU registers were saved late" },
	{ "BFARVALID", 15, 1, NULL },
	{ "UNDEFINSTR", 16, 1, "an instruction that the core does not know" },
	{ "INVSTATE", 17, 1, "a jump to an even address, or EPSR.T was 0: a pointer to a function without its bit 0?" },
	{ "INVPC", 18, 1, "EXC_RETURN makes no sense: the stack, or lr, is damaged" },
	{ "NOCP", 19, 1, "a floating-point instruction while the FPU is off (CPACR), or there is none" },
	{ "STKOF", 20, 1, "the stack went below its limit" },
	{ "UNALIGNED", 24, 1, "an access that is not aligned" },
	{ "DIVBYZERO", 25, 1, "a division by zero" },
	{ 0 },
};

struct teller { void (*say)(void *arg, const char *line); void *arg; };

/* Prints the register, then a sentence for each bit that is set. */
static void tell_register(const struct teller *to, const char *name, uint32_t value, const struct pt_field *fields)
{
	char line[240];

	to->say(to->arg, pt_fields_print(name, value, fields, line, sizeof(line)));
	for (; fields->name != NULL; fields++) {
		if (fields->meaning == NULL || pt_field_get(fields, value) == 0)
			continue;
		snprintf(line, sizeof(line), "  %s: %s", fields->name, fields->meaning);
		to->say(to->arg, line);
	}
}

static void tell_address(const struct teller *to, const char *name, uint32_t address, bool valid)
{
	char line[80];

	snprintf(line, sizeof(line), "%s 0x%08x: the address that was accessed", name, (unsigned)address);
	if (valid)
		to->say(to->arg, line);
}

struct status { uint32_t cfsr, hfsr; };

/* CFSR, HFSR, DFSR, MMFAR, BFAR are adjacent. */
static int tell_status(struct pt_cortexm *cm, const struct teller *to, struct status *status, struct pt_err *err)
{
	uint8_t bytes[20];
	uint32_t cfsr, hfsr;

	if (pt_mem_read(cm->mem, pt_cortexm_reg(cm, SCS_CFSR), bytes, sizeof(bytes), err) < 0)
		return pt_wrap(err, "read the fault status");
	cfsr = pt_le32(bytes);
	hfsr = pt_le32(bytes + 4);
	*status = (struct status){ cfsr, hfsr };
	if (cfsr == 0 && hfsr == 0)
		to->say(to->arg, "no fault is noted in CFSR and HFSR");
	if (hfsr != 0)
		tell_register(to, "HFSR", hfsr, hfsr_fields);
	if (cfsr != 0)
		tell_register(to, "CFSR", cfsr, cfsr_fields);
	tell_address(to, "MMFAR", pt_le32(bytes + 12), (cfsr & MMARVALID) != 0);
	tell_address(to, "BFAR", pt_le32(bytes + 16), (cfsr & BFARVALID) != 0);
	return 0;
}

/* --- the frame ---------------------------------------------------------------------------------------------------- */

enum { FIRST_FAULT = 3, LAST_FAULT = 7, FRAME_BYTES = 32, XPSR_EXCEPTION = 0x1ff };
enum { EXC_RETURN_PSP = 1 << 2, EXC_RETURN_STANDARD = 1 << 4 };
enum { LR, PC, XPSR, MSP, PSP, N_READ };
enum { FRAME_FAILED = 1 << 4 | 1 << 12 | 1 << 20 };	/* MSTKERR, STKERR, STKOF */
#define LOCKUP_PC 0xfffffffeu			/* Source: DDI 0403, B1.5.15 */
#define LOCKED_UP                                                                                                     \
	"halted in %s, locked up (pc 0xfffffffe): a second fault came there; CFSR has bits of both, and the frame is of "     \
	"the first"

static const char *exception_name(unsigned n)
{
	static const char *const names[] = { [2] = "NMI", [3] = "HardFault", [4] = "MemManage", [5] = "BusFault",
					     [6] = "UsageFault", [7] = "SecureFault" };

	return n < PT_LEN(names) && names[n] != NULL ? names[n] : "an exception";
}

static bool is_exc_return(uint64_t lr)
{
	return lr >> 24 == 0xff;
}

/* In a function it is the return address. In a handler it is EXC_RETURN, and after a reset all ones. */
static void tell_lr(const struct teller *to, uint32_t lr)
{
	char line[80];

	if (lr == UINT32_MAX)
		snprintf(line, sizeof(line), "stacked lr 0xffffffff: as a reset leaves it, no function was called");
	else if (is_exc_return(lr))
		snprintf(line, sizeof(line), "stacked lr 0x%08x: EXC_RETURN, it happened in a handler", (unsigned)lr);
	else
		snprintf(line, sizeof(line), "stacked lr <0x%08x>", (unsigned)lr & ~1u);
	to->say(to->arg, line);
}

/* "<0x...>" is an address of code: the caller that shows the line knows the program (struct pt_target_word). */
static int tell_frame(struct pt_cortexm *cm, const struct teller *to, uint64_t sp, bool extended, struct pt_err *err)
{
	uint8_t frame[FRAME_BYTES];
	char line[240];

	if (pt_mem_read(cm->mem, sp, frame, sizeof(frame), err) < 0)
		return pt_wrap(err, "read the frame at 0x%08x", (unsigned)sp);
	snprintf(line, sizeof(line), "stacked pc <0x%08x>", (unsigned)pt_le32(frame + 24));
	to->say(to->arg, line);
	tell_lr(to, pt_le32(frame + 20));
	snprintf(line, sizeof(line),
		 "frame at 0x%08x%s: r0 0x%08x r1 0x%08x r2 0x%08x r3 0x%08x r12 0x%08x xpsr 0x%08x", (unsigned)sp,
		 extended ? ", with those of the FPU" : "", (unsigned)pt_le32(frame), (unsigned)pt_le32(frame + 4),
		 (unsigned)pt_le32(frame + 8), (unsigned)pt_le32(frame + 12), (unsigned)pt_le32(frame + 16),
		 (unsigned)pt_le32(frame + 28));
	to->say(to->arg, line);
	return 0;
}

/* At the entry of a handler lr is EXC_RETURN and its stack is as the hardware left it. Later in the handler, MSP has
 * moved, if the frame is on it. */
static int tell_origin(struct pt_cortexm *cm, const struct teller *to, const uint64_t *value, uint32_t cfsr,
		       struct pt_err *err)
{
	unsigned exception = (unsigned)(value[XPSR] & XPSR_EXCEPTION);
	char line[200];

	snprintf(line, sizeof(line), "halted in %s, at <0x%08x>", exception_name(exception), (unsigned)value[PC]);
	if (value[PC] == LOCKUP_PC)
		snprintf(line, sizeof(line), LOCKED_UP, exception_name(exception));
	to->say(to->arg, line);
	if (!is_exc_return(value[LR])) {
		to->say(to->arg, "lr is not EXC_RETURN any more: GDB's backtrace shows where the frame lies");
		return 0;
	}
	if ((value[LR] & EXC_RETURN_PSP) == 0)
		to->say(to->arg,
			cm->catch_faults
				? "the frame is on the main stack: right at the entry of the handler, not farther in"
				: "the frame is on the main stack: right at the entry of the handler, not farther in "
				  "(with proftap --set catch-faults=on the core halts at the entry)");
	if (cfsr & FRAME_FAILED)
		to->say(to->arg,
			"if the entry of this exception failed (STKERR, MSTKERR, STKOF), what follows is no frame: it is "
			"what the stack had before");
	return tell_frame(cm, to, value[(value[LR] & EXC_RETURN_PSP) != 0 ? PSP : MSP],
			  (value[LR] & EXC_RETURN_STANDARD) == 0, err);
}

static int tell_halted(struct pt_cortexm *cm, const struct teller *to, const struct status *status, struct pt_err *err)
{
	static const uint16_t rows[] = { PT_ROW_LR, PT_ROW_PC, PT_ROW_XPSR, PT_ROW_MSP, PT_ROW_PSP };
	uint64_t value[N_READ];
	unsigned exception;

	if (pt_cortexm_read_registers(cm, 0, rows, N_READ, value, err) < 0)
		return err->code;
	exception = (unsigned)(value[XPSR] & XPSR_EXCEPTION);
	if (exception >= FIRST_FAULT && exception <= LAST_FAULT)
		return tell_origin(cm, to, value, status->cfsr, err);
	if (status->cfsr != 0 || status->hfsr != 0)
		to->say(to->arg, "the core is in no fault handler: these are of an earlier fault");
	else
		to->say(to->arg, "the core is in no fault handler");
	return 0;
}

/* A command resumes the core when it ends. */
static void tell_running(const struct teller *to, bool locked_up)
{
	to->say(to->arg,
		locked_up
			? pt_by_door(
				  "where the first fault came from shows when it is halted: in GDB, monitor halt, then "
				  "monitor fault",
				  "halt it to see where the first fault came from: monitor halt")
			: pt_by_door(
				  "the core runs: where the fault came from shows when it is halted: in GDB, monitor halt, "
				  "then monitor fault",
				  "the core runs: halt it to see where the fault came from: monitor halt"));
}

/* --- the word ----------------------------------------------------------------------------------------------------- */

int pt_cortexm_print_fault(void *state, const char *const *words, size_t n_words,
			   void (*say)(void *arg, const char *line), void *arg, struct pt_err *err)
{
	struct pt_cortexm *cm = state;
	const struct teller to = { say, arg };
	uint32_t dhcsr = 0;
	struct status status = { 0 };

	(void)words;
	(void)n_words;
	if (cm->locked)
		return pt_fail(err, PT_ESTATE, "the chip is locked: nothing of its core can be read");
	if (pt_cortexm_read_dhcsr(cm, &dhcsr, err) < 0)
		return pt_wrap(err, "read the state of the core");
	if ((dhcsr & DHCSR_S_LOCKUP) != 0)
		say(arg, "the core is locked up: a fault in HardFault or NMI, or at reset");
	if (!pt_cortexm_is_mainline(&cm->chip))
		say(arg, "this architecture does not say why: only where, by the stacked pc");
	else if (tell_status(cm, &to, &status, err) < 0)
		return err->code;
	if ((dhcsr & DHCSR_S_HALT) != 0)
		return tell_halted(cm, &to, &status, err);
	tell_running(&to, (dhcsr & DHCSR_S_LOCKUP) != 0);
	return 0;
}
