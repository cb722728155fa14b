/* A guest for QEMU's e500, which has no performance monitor: its handler of the illegal-instruction interrupt does what
 * mfpmr and mtpmr would, with registers in RAM and the time base as the only thing that is counted (event 1). So a real
 * GDB server can be shown to run code of proftap's. Rebuild: build_e500. Source: E500CORERM Rev. 1, Table 7-2. */
#include <stdint.h>

enum { PMC0 = 16, PMLCA0 = 144, PMGC0 = 400, N_PMRS = 512, MFPMR = 0x7c00029c, MTPMR = 0x7c00039c };

volatile uint32_t n_rounds, n_emulated;
static uint32_t pmr[N_PMRS], since;

uint32_t emulate(uint32_t insn, uint32_t *gpr);
int main(void);

/* IVOR6 keeps all registers in a frame, and goes on behind what it has done. */
__asm__(
	".section .text.vectors, \"ax\"\n"
	"	.balign 16\n"
	"on_program:\n"
	"	stwu	1, -160(1)\n"
	"	stmw	2, 8(1)\n	stw	0, 128(1)\n"		/* r2 to r31; r0, r1 behind */
	"	mflr	0\n	stw	0, 132(1)\n	mfcr	0\n	stw	0, 136(1)\n"
	"	mfctr	0\n	stw	0, 140(1)\n	mfxer	0\n	stw	0, 144(1)\n"
	"	mfspr	4, 26\n	lwz	3, 0(4)\n	addi	4, 4, 4\n	mtspr	26, 4\n"
	"	addi	4, 1, 0\n"				/* r[n] at 4n behind it */
	"	bl	emulate\n"
	"	lwz	0, 132(1)\n	mtlr	0\n	lwz	0, 136(1)\n	mtcr	0\n"
	"	lwz	0, 140(1)\n	mtctr	0\n	lwz	0, 144(1)\n	mtxer	0\n"
	"	lwz	0, 128(1)\n	lmw	2, 8(1)\n	addi	1, 1, 160\n"
	"	rfi\n"
	".section .text.start, \"ax\"\n"
	"	.global _start\n"
	"_start:\n"
	"	lis	1, g_stack_top@ha\n	la	1, g_stack_top@l(1)\n"
	"	li	0, 0\n	stwu	0, -16(1)\n	mtlr	0\n"
	"	lis	3, on_program@h\n	mtspr	63, 3\n"	/* IVPR */
	"	lis	3, on_program@ha\n	la	3, on_program@l(3)\n	mtspr	406, 3\n"
	"	lis	3, g_bss_begin@ha\n	la	3, g_bss_begin@l(3)\n"
	"	lis	4, g_bss_end@ha\n	la	4, g_bss_end@l(4)\n"
	"1:	cmplw	3, 4\n	bge	2f\n	stw	0, 0(3)\n	addi	3, 3, 4\n	b	1b\n"
	"2:	bl	main\n"
	"	b	.\n"
	".text\n");

static uint32_t timebase(void)
{
	uint32_t value;

	__asm__ volatile("mfspr %0, 268" : "=r"(value));
	return value;
}

static void count(void)
{
	uint32_t now = timebase();

	for (unsigned n = 0; n < 4 && (pmr[PMGC0] >> 31) == 0; n++)
		if ((pmr[PMLCA0 + n] >> 31) == 0 && (pmr[PMLCA0 + n] >> 16 & 127) == 1)
			pmr[PMC0 + n] += now - since;
	since = now;
}

/* gpr: r2 to r31, each at four times its number. */
uint32_t emulate(uint32_t insn, uint32_t *gpr)
{
	unsigned number = (insn >> 16 & 31) | (insn >> 6 & 0x3e0), r = insn >> 21 & 31;

	count();
	if ((insn & 0xfc0007ff) == MFPMR)
		gpr[r] = pmr[(number | 16) % N_PMRS];
	else if ((insn & 0xfc0007ff) == MTPMR)
		pmr[number % N_PMRS] = gpr[r];
	else
		for (;;)
			;
	n_emulated++;
	return 0;
}

int main(void)
{
	for (;;)
		n_rounds++;
}
