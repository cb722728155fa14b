/* A virtual core with code, handlers and taps, for tests of the system around the instructions. What happens is written
 * down by the jump tap, one group per event, and compared as a line:
 *   "B 200>210"           branch: from, to
 *   "EXC 202>1300"        exception entry: preferred return address, handler
 *   "RET 1302>f9>202"     return: instruction, low byte of EXC_RETURN, where it resumes
 *   "TAIL 1302>f9>2000"   return into the next handler
 *   "DBG 200>300"         the debugger wrote pc
 *   "RESET"               a reset was asked for, and done */
#ifndef PT_TESTS_CPU_RIG_H
#define PT_TESTS_CPU_RIG_H

#include "bare_core.h"
#include "base/util.h"

enum { STACK = 0x20001000, DATA = 0x20000000, CODE = 0x200 };
enum { HANDLERS = 0x1000 };		/* handler of exception n: HANDLERS + 0x100 * n */
enum { BX_LR = 0x4770, NOP = 0xbf00, WFI = 0xbf30, WFE = 0xbf20, SEV = 0xbf40, SVC = 0xdf00, UDF = 0xde00,
       LOOP = 0xe7fe, CPSID = 0xb672, CPSIE = 0xb662, BKPT = 0xbe00, INC_R7 = 0x3701 };
enum { CSR = 0xe000e010, RVR = 0xe000e014, CVR = 0xe000e018, ISER = 0xe000e100, ISPR = 0xe000e200, ICPR = 0xe000e280,
       IPR0 = 0xe000e400, CPUID = 0xe000ed00, ICSR = 0xe000ed04, VTOR = 0xe000ed08, AIRCR = 0xe000ed0c,
       SCR = 0xe000ed10, SHPR2 = 0xe000ed1c, SHPR3 = 0xe000ed20 };

struct rig {
	struct pt_bare_core *core;
	struct pt_vcpu *cpu;
	struct pt_vobserver observer;
	char seen[512];		/* "EXC 200>1300 ..." */
	uint32_t halts;		/* why, or-ed */
	bool catches, is_debugged;
};

/* Reset into code, of so many halfwords, at CODE. The handlers of exceptions up to IRQ 3 are NOP and BX LR. */
void rig_make(struct rig *rig, const uint16_t *code, size_t n_halfwords);
#define MAKE(rig, ...) rig_make(rig, (const uint16_t[]){ __VA_ARGS__ }, PT_LEN(((const uint16_t[]){ __VA_ARGS__ })))
void rig_done(struct rig *rig);

void rig_put_handler(struct rig *rig, unsigned exception, uint16_t insn);	/* one instruction, then BX LR */
void rig_note(struct rig *rig, const char *fmt, ...) __attribute__((format(printf, 2, 3)));	/* add to seen */
void rig_instructions(struct rig *rig, unsigned n);	/* run until n more were executed */
void rig_pend(struct rig *rig, uint32_t lines);		/* enable and pend interrupts */
void rig_write_reg(struct rig *rig, uint32_t addr, uint32_t value);	/* as the debugger does */
uint32_t rig_read_reg(struct rig *rig, uint32_t addr);

#endif
