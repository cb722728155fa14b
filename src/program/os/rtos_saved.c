/* Where a suspended task's registers lie: the words of its port's frame (struct pt_rtos_frame), then what the
 * hardware stacked. A way is taken only when what lies there can be the frame of a thread: EXC_RETURN leads to thread
 * mode and PSP, the frame's xPSR has the Thumb bit and no exception.
 *
 * Sources: ARMv7-M ARM (DDI 0403), B1.5.6 and B1.5.7 (stacking), B1.5.8 (EXC_RETURN); the ports for Cortex-M of each
 * kernel, see rtos_NAME.c. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program/os/rtos_parts.h"
#include "program/os/saved.h"

#define CPUID UINT32_C(0xe000ed00)
#define XPSR_THUMB (UINT32_C(1) << 24)
#define XPSR_PADDED (UINT32_C(1) << 9)
enum { BASELINE_ARCHITECTURE = 0xc, XPSR_EXCEPTION = 0x1ff, EXC_RETURN_STANDARD = 1 << 4, EXC_RETURN_THREAD_PSP = 0xc };

static const char hardware_words[] = "r0 r1 r2 r3 r12 lr pc xpsr", fp_words[] = "s0-s15 fpscr reserved";

bool pt_saved_add(struct pt_saved *saved, const char *name, uint64_t addr, unsigned bytes, uint64_t value)
{
	struct pt_saved_register *reg = (struct pt_saved_register *)(uintptr_t)pt_saved_find(saved, name); /* ours */

	if (reg == NULL) {
		if (saved->n_regs == PT_SAVED_REGISTERS)
			return false;
		reg = &saved->reg[saved->n_regs++];
	}
	*reg = (struct pt_saved_register){ .addr = addr, .bytes = (uint8_t)bytes, .value = value };
	snprintf(reg->name, sizeof(reg->name), "%s", name);
	return true;
}

const struct pt_saved_register *pt_saved_find(const struct pt_saved *saved, const char *name)
{
	for (size_t i = 0; i < saved->n_regs; i++)
		if (strcmp(saved->reg[i].name, name) == 0)
			return &saved->reg[i];
	return NULL;
}

/* --- words -------------------------------------------------------------------------------------------------------- */

/* Singles in order make doubles: the two halves of d4 are s8 and s9, and they lie side by side. */
static void add_word(struct pt_saved *saved, const char *prefix, unsigned number, bool numbered, uint64_t addr,
		     uint64_t value, bool big_endian)
{
	const struct pt_saved_register *low;
	char name[16];

	if (numbered)
		snprintf(name, sizeof(name), "%s%u", prefix, number);
	else
		snprintf(name, sizeof(name), "%s", prefix);
	pt_saved_add(saved, name, addr, 4, value);
	if (prefix[0] != 's' || !numbered || number % 2 == 0)
		return;
	snprintf(name, sizeof(name), "s%u", number - 1);
	low = pt_saved_find(saved, name);
	snprintf(name, sizeof(name), "d%u", number / 2);
	if (low != NULL && low->addr + 4 == addr && !big_endian)
		pt_saved_add(saved, name, low->addr, 8, low->value | value << 32);
}

/* "r4-r11": the prefix, and from what number to what. A name without one is itself. */
static unsigned parse_word(const char *word, size_t len, char prefix[12], unsigned *first, bool *numbered)
{
	size_t letters = 0;
	unsigned last;
	char *end;

	while (letters < len && letters < 11 && (word[letters] < '0' || word[letters] > '9') && word[letters] != '-')
		letters++;
	memcpy(prefix, word, letters);
	prefix[letters] = '\0';
	*numbered = letters < len;
	*first = last = *numbered ? (unsigned)strtoul(word + letters, &end, 10) : 0;
	if (*numbered && end < word + len && *end == '-')
		last = (unsigned)strtoul(end + 1 + letters, NULL, 10);
	return last >= *first ? last - *first + 1 : 1;
}

/* Adds the registers of these words and moves *at behind them. */
static int read_words(struct pt_rtos_walk *w, const char *words, uint64_t *at, struct pt_saved *saved)
{
	for (words += strspn(words, " "); *words != '\0'; words += strspn(words, " ")) {
		size_t len = strcspn(words, " ");
		char prefix[12];
		unsigned first, n;
		bool numbered;

		n = parse_word(words, len, prefix, &first, &numbered);
		for (unsigned i = 0; i < n; i++, *at += 4) {
			uint64_t value;

			if (pt_rtos_number(w, *at, 4, &value) < 0)
				return w->err->code;
			add_word(saved, prefix, first + i, numbered, *at, value, pt_types_big_endian(w->rtos->types));
		}
		words += len;
	}
	return 0;
}

/* --- one way ------------------------------------------------------------------------------------------------------ */

static uint64_t value_of(const struct pt_saved *saved, const char *name)
{
	const struct pt_saved_register *reg = pt_saved_find(saved, name);

	return reg != NULL ? reg->value : PT_UNKNOWN;
}

static bool can_be_exc_return(uint64_t word)
{
	return (word & 0xffffff00) == 0xffffff00 && (word & EXC_RETURN_THREAD_PSP) == EXC_RETURN_THREAD_PSP;
}

/* FP context tells itself by EXC_RETURN, or, without one, by a word ahead that is not 0. */
static bool has_fp(const struct pt_saved *saved, const struct pt_rtos_place *at)
{
	uint64_t exc = at->exc_return != PT_UNKNOWN ? at->exc_return : value_of(saved, "exc");

	if (exc != PT_UNKNOWN)
		return (exc & EXC_RETURN_STANDARD) == 0;
	return pt_saved_find(saved, "have_fpu") != NULL && value_of(saved, "have_fpu") != 0;
}

static bool makes_sense(const struct pt_saved *saved, const struct pt_rtos_frame *frame)
{
	uint64_t pc = value_of(saved, "pc"), exc = value_of(saved, "exc"), apsr = value_of(saved, "apsr");
	uint64_t xpsr = value_of(saved, "xpsr");

	if (exc != PT_UNKNOWN && !can_be_exc_return(exc))
		return false;
	if (pc < 2 || pc >= 0xe0000000)
		return false;
	if ((frame->flags & PT_RTOS_WHOLE) != 0)
		return (pc & 1) != 0 && (apsr & XPSR_EXCEPTION) == 0;
	return (xpsr & XPSR_THUMB) != 0 && (xpsr & XPSR_EXCEPTION) == 0;
}

/* What follows from the frame: the stack pointer of the task, which is behind it; and behind what the hardware put
 * there so that its frame is aligned, which a frame of the software's alone covers. */
static int finish(struct pt_rtos_walk *w, struct pt_saved *saved, const struct pt_rtos_frame *frame,
		  const struct pt_rtos_place *place, uint64_t end)
{
	struct pt_saved_register pc = *pt_saved_find(saved, "pc");
	const struct pt_saved_register *apsr = pt_saved_find(saved, "apsr");
	bool whole = (frame->flags & PT_RTOS_WHOLE) != 0;

	if (!whole && (value_of(saved, "xpsr") & XPSR_PADDED) != 0)
		end += 4;
	if (place->stub != PT_UNKNOWN && (pc.value & ~UINT64_C(1)) == place->stub) {
		pc.addr = place->stub_pc;
		if (pt_rtos_number(w, pc.addr, 4, &pc.value) < 0)
			return w->err->code;
	}
	if (whole && apsr != NULL)
		pt_saved_add(saved, "xpsr", apsr->addr, 4, (apsr->value & ~(uint64_t)XPSR_PADDED) | XPSR_THUMB);
	pt_saved_add(saved, "pc", pc.addr, 4, pc.value & ~UINT64_C(1));
	pt_saved_add(saved, "sp", PT_UNKNOWN, 4, end);
	pt_saved_add(saved, "psp", PT_UNKNOWN, 4, end);
	/* FPCA and SPSEL follow from the frame, nPRIV does not: that of the core is of the task that runs */
	pt_saved_add(saved, "control", PT_UNKNOWN, 0, 0);
	return 0;
}

/* The software's part, wherever it lies; *at ends where the hardware's begins. */
static int read_software(struct pt_rtos_walk *w, const struct pt_rtos_frame *frame, const struct pt_rtos_place *place,
			 uint64_t *at, bool *fp, struct pt_saved *saved)
{
	uint64_t callee = place->callee, callee_fp = place->callee_fp;

	if (callee != PT_UNKNOWN) {
		if (read_words(w, frame->words, &callee, saved) < 0)
			return w->err->code;
		*fp = has_fp(saved, place);
		return *fp && callee_fp != PT_UNKNOWN ? read_words(w, "s16-s31", &callee_fp, saved) : 0;
	}
	if (read_words(w, frame->words, at, saved) < 0)
		return w->err->code;
	*fp = has_fp(saved, place);
	if (!*fp || frame->words_fp == NULL)
		return 0;
	*at = place->sp;
	saved->n_regs = 0;
	return read_words(w, frame->words_fp, at, saved);
}

/* 1: that is it; 0: it makes no sense that way; else the code of w->err. */
static int try_frame(struct pt_rtos_walk *w, const struct pt_rtos_frame *frame, const struct pt_rtos_place *place,
		     struct pt_saved *saved)
{
	uint64_t at = place->sp;
	bool fp = false;

	saved->n_regs = 0;
	if (read_software(w, frame, place, &at, &fp, saved) < 0)
		return w->err->code;
	if (fp && frame->words_fp == NULL)
		return 0;
	if ((frame->flags & PT_RTOS_WHOLE) == 0) {
		if (read_words(w, hardware_words, &at, saved) < 0)
			return w->err->code;
		if (makes_sense(saved, frame) && fp && read_words(w, fp_words, &at, saved) < 0)
			return w->err->code;
	}
	if (!makes_sense(saved, frame))
		return 0;
	return finish(w, saved, frame, place, at) < 0 ? w->err->code : 1;
}

/* --- the task ----------------------------------------------------------------------------------------------------- */

static bool suits(const struct pt_rtos_frame *frame, bool baseline)
{
	return (frame->flags & PT_RTOS_BASELINE) != 0 ? baseline : (frame->flags & PT_RTOS_MAINLINE) == 0 || !baseline;
}

/* ARMv6-M and v8-M Baseline. Source: DDI 0403, B3.2.3 (CPUID, Architecture). */
static bool is_baseline(struct pt_rtos_walk *w)
{
	struct pt_err ignored = { 0 };
	struct pt_rtos_walk asking = *w;
	uint64_t cpuid;

	asking.err = &ignored;
	return pt_rtos_number(&asking, CPUID, 4, &cpuid) == 0 && (cpuid >> 16 & 0xf) == BASELINE_ARCHITECTURE;
}

int pt_rtos_saved(const struct pt_rtos *rtos, const struct pt_reader *reader, uint64_t tcb, struct pt_saved *saved,
		  struct pt_err *err)
{
	struct pt_err ignored = { 0 };
	struct pt_rtos_threads none = { 0 };
	struct pt_rtos_walk w = {
		.rtos = rtos, .reader = reader, .threads = &none, .err = err != NULL ? err : &ignored
	};
	struct pt_rtos_place place = { PT_UNKNOWN, PT_UNKNOWN, PT_UNKNOWN, PT_UNKNOWN, rtos->ops->frames, PT_UNKNOWN,
				       PT_UNKNOWN };
	bool baseline = is_baseline(&w);

	*saved = (struct pt_saved){ 0 };
	if (!pt_rtos_can_be(&w, tcb))
		return pt_fail(w.err, PT_EARG, "there is no task of %s at 0x%" PRIx64, rtos->ops->name, tcb);
	if (rtos->ops->place(&w, tcb, &place) < 0)
		return w.err->code;
	if (place.sp == PT_UNKNOWN)
		return pt_fail(w.err, PT_EUNSUPPORTED, "this %s does not tell where a task's stack is",
			       rtos->ops->name);
	for (const struct pt_rtos_frame *f = place.frames; pt_rtos_can_be(&w, place.sp) && f->words != NULL; f++) {
		int rc = suits(f, baseline) ? try_frame(&w, f, &place, saved) : 0;

		if (rc == 1)
			return 0;
		if (rc < 0 && rc != PT_EFAULT) /* beyond the end of RAM there is no frame either */
			return rc;
	}
	saved->n_regs = 0;
	return pt_fail(w.err, PT_EARG,
		       "what lies at 0x%" PRIx64 ", where the task at 0x%" PRIx64 " has its stack, is no frame of "
		       "registers of %s",
		       place.sp, tcb, rtos->ops->name);
}
