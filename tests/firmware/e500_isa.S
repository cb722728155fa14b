/* For e500v2, and with MC for e500mc and later. One small function per instruction form, for isa.c: r3 and r4 are the operands, r5 the flags before (XER's top bits and
 * CR); the answer is r3, and in r4 the flags after. Interrupts that instructions make themselves go to handlers which
 * note what they found and return. Sources of the forms: Power ISA 2.06 Book I, SPEPEM. */
	.macro function name
	.section .text.\name, "ax"
	.balign 4
	.global \name
	.type \name, @function
\name:
	.endm

	.macro op name, first, second=, third=
	function op_\name
	rlwinm	6, 5, 0, 0, 2
	mtxer	6
	mtcr	5
	\first
	\second
	\third
	mfcr	5
	mfxer	4
	rlwinm	4, 4, 4, 0, 31
	xor	4, 4, 5
	blr
	.size	op_\name, . - op_\name
	.section .rodata.ops, "a"
	.long	op_\name
	.endm

	/* The operands as one double, below the stack */
	.macro between_fprs
	stw	3, -16(1)
	stw	4, -12(1)
	lfd	3, -16(1)
	fneg.	4, 3
	stfd	4, -16(1)
	fabs	5, 4
	fnabs	4, 5
	stfd	4, -8(1)
	fmr.	6, 3
	li	5, -4
	stfiwx	6, 1, 5
	lwz	3, -16(1)
	lwz	4, -8(1)
	lwz	5, -4(1)
	xor	4, 4, 5
	.endm

	.macro to_fpscr
	stw	4, -12(1)
	lfd	3, -16(1)
	mtfsf	0x13, 3
	mffs.	4
	stfd	4, -16(1)
	lwz	3, -12(1)
	li	5, 0
	stw	5, -12(1)
	lfd	3, -16(1)
	mtfsf	0xff, 3
	.endm

	.section .rodata.ops, "a"
	.balign 4
	.global g_ops
g_ops:
	op addi, "addi 3, 3, -77"
	op addis, "addis 3, 4, 0x1234"
	op addic, "addic 3, 3, -1"
	op addic_dot, "addic. 3, 3, 1"
	op subfic, "subfic 3, 3, 5"
	op mulli, "mulli 3, 3, -3"
	op add, "add. 3, 3, 4"
	op addo, "addo. 3, 3, 4"
	op addc, "addc. 3, 3, 4"
	op addco, "addco 3, 3, 4"
	op adde, "adde. 3, 3, 4"
	op addeo, "addeo. 3, 3, 4"
	op addze, "addze. 3, 3"
	op addzeo, "addzeo. 3, 3"
	op addme, "addme. 3, 3"
	op addmeo, "addmeo. 3, 3"
	op subf, "subf. 3, 3, 4"
	op subfo, "subfo. 3, 3, 4"
	op subfc, "subfc. 3, 3, 4"
	op subfco, "subfco. 3, 3, 4"
	op subfe, "subfe. 3, 3, 4"
	op subfeo, "subfeo. 3, 3, 4"
	op subfze, "subfze. 3, 3"
	op subfme, "subfme. 3, 3"
	op neg, "neg. 3, 3"
	op nego, "nego. 3, 3"
	op mullw, "mullw. 3, 3, 4"
	op mullwo, "mullwo. 3, 3, 4"
	op mulhw, "mulhw. 3, 3, 4"
	op mulhwu, "mulhwu. 3, 3, 4"
	/* Division by 0 is undefined: here it does not come to it. */
	op divw, "ori 4, 4, 3", "srwi 3, 3, 1", "divw. 3, 3, 4"
	op divw_negative, "ori 4, 4, 2", "divw. 3, 3, 4"
	op divwu, "ori 4, 4, 1", "divwu. 3, 3, 4"
	op divwuo, "ori 4, 4, 1", "divwuo. 3, 3, 4"
	op and, "and. 3, 3, 4"
	op andc, "andc. 3, 3, 4"
	op or, "or. 3, 3, 4"
	op orc, "orc. 3, 3, 4"
	op xor, "xor. 3, 3, 4"
	op nand, "nand. 3, 3, 4"
	op nor, "nor. 3, 3, 4"
	op eqv, "eqv. 3, 3, 4"
	op ori, "ori 3, 3, 0x8001"
	op oris, "oris 3, 3, 0x8001"
	op xori, "xori 3, 3, 0xffff"
	op xoris, "xoris 3, 3, 0xffff"
	op andi, "andi. 3, 3, 0xf0f0"
	op andis, "andis. 3, 3, 0xf0f0"
	op extsb, "extsb. 3, 3"
	op extsh, "extsh. 3, 3"
	op cntlzw, "cntlzw. 3, 3"
	op slw, "slw. 3, 3, 4"
	op srw, "srw. 3, 3, 4"
	op sraw, "sraw. 3, 3, 4"
	op srawi_0, "srawi. 3, 3, 0"
	op srawi_1, "srawi. 3, 3, 1"
	op srawi_31, "srawi. 3, 3, 31"
	op rlwinm, "rlwinm. 3, 3, 7, 3, 20"
	op rlwinm_around, "rlwinm. 3, 3, 13, 25, 4"
	op rlwimi, "rlwimi. 3, 4, 9, 8, 23"
	op rlwimi_around, "rlwimi 3, 4, 0, 28, 3"
	op rlwnm, "rlwnm. 3, 3, 4, 1, 30"
	op cmpw, "cmpw 0, 3, 4"
	op cmpw_7, "cmpw 7, 3, 4"
	op cmplw, "cmplw 3, 3, 4"
	op cmpwi, "cmpwi 2, 3, -2"
	op cmplwi, "cmplwi 5, 3, 0x8000"
	op crand, "crand 3, 5, 30"
	op cror, "cror 1, 2, 29"
	op crxor, "crxor 31, 0, 30"
	op crnand, "crnand 16, 1, 3"
	op crnor, "crnor 17, 28, 29"
	op creqv, "creqv 6, 6, 31"
	op crandc, "crandc 9, 31, 2"
	op crorc, "crorc 12, 0, 28"
	op mcrf, "mcrf 3, 0"
	op mcrxr, "mcrxr 4"
	op mtcrf, "mtcrf 0x5a, 3"
	op mfcr, "mfcr 3"
	op isel_lt, "isel 3, 3, 4, 0"
	op isel_0, "isel 3, 0, 4, 30"
	op mtxer, "clrrwi 3, 3, 29", "mtxer 3", "mfxer 3"
	op lr_ctr, "mtctr 3", "mfctr 4", "add 3, 3, 4"
	.ifndef MC
	op spe_merge, "evmergehi 6, 3, 4", "evmergelo 7, 3, 4", "evxor 3, 6, 7"
	op spe_mergex, "evmergehilo 6, 3, 4", "evmergelohi 7, 4, 3", "evand 3, 6, 7"
	op spe_add, "evaddw 6, 3, 4", "evsubfw 7, 3, 4", "evnor 3, 6, 7"
	op spe_splat, "evsplati 6, -5", "evsplatfi 7, 9", "evor 3, 6, 7"
	.endif
	op subfzeo, "subfzeo. 3, 3"
	op subfmeo, "subfmeo. 3, 3"
	op divwo, "ori 4, 4, 3", "srwi 3, 3, 1", "divwo. 3, 3, 4"
	op cmplw_5, "cmplw 5, 3, 4"
	.ifndef MC
	op spe_andc, "evmergelo 6, 3, 4", "evmergelo 7, 4, 3", "evandc 3, 6, 7; evorc 4, 6, 7"
	op spe_eqv, "evmergelo 6, 3, 4", "evsplati 7, 11", "eveqv 3, 6, 7; evnand 4, 6, 7"
	.endif
	/* In front of the traps: QEMU returns from those with MSR[CE] set */
	op wrteei, "wrteei 1", "mfmsr 3", "wrteei 0"
	op wrtee, "wrtee 3", "mfmsr 4", "wrteei 0"
	.ifdef MC
	op fpu_off, "mfmsr 8; rlwinm 7, 8, 0, 19, 17", "mtmsr 7; isync; lfd 0, 0(1)", "mtmsr 8; isync"
	.endif
	op trap, "tweq 3, 4"
	op trap_signed, "twgti 3, 5"
	op trap_unsigned, "twllt 3, 4"
	op system_call, "sc"
	op no_such, ".long 0"
	.ifdef MC
	op fpu_moves, "between_fprs"
	op fpscr, "to_fpscr"
	.else
	op no_float, ".long 0xfc00002a"
	.endif
	.section .rodata.ops, "a"
	.long	0

	/* Branches: taken or not, by flags; r3 says which way. */
	.macro branch name, insn
	function br_\name
	mtcr	5
	rlwinm	6, 5, 0, 0, 2
	mtxer	6
	li	4, 3
	mtctr	4
	li	3, 1
	\insn	1f
	li	3, 2
1:	mfctr	4
	blr
	.size	br_\name, . - br_\name
	.section .rodata.branches, "a"
	.long	br_\name
	.endm
	.section .rodata.branches, "a"
	.balign 4
	.global g_branches
g_branches:
	branch blt, "blt"
	branch bge, "bge"
	branch beq, "beq"
	branch bne, "bne"
	branch bgt, "bgt"
	branch ble, "ble"
	branch bso, "bso"
	branch bns, "bns"
	branch b, "b"
	branch ba, "ba"
	branch bdnz, "bdnz"
	branch bdz, "bdz"
	branch bdnzt, "bdnzt 2,"
	branch bdzf, "bdzf 0,"
	branch bdnzf, "bdnzf 1,"
	.section .rodata.branches, "a"
	.long	0

	.macro memory name, first, second=, third=, fourth=
	function mem_\name
	\first
	\second
	\third
	\fourth
	blr
	.size	mem_\name, . - mem_\name
	.section .rodata.memory, "a"
	.long	mem_\name
	.endm
	.section .rodata.memory, "a"
	.balign 4
	.global g_memory
g_memory:
	/* r3 the buffer of 32 bytes, r4 an operand, r5 0 or 4 */
	memory stw, "stw 4, 8(3)", "lwz 4, 4(3)", "lhz 3, 9(3)"
	memory stwu, "mr 6, 3", "stwu 4, 12(6)", "lbz 4, 1(6)", "sub 3, 6, 3"
	memory stb, "stb 4, 3(3)", "lbz 4, 3(3)", "lha 3, 2(3)"
	memory stbu, "stbu 4, 5(3)", "lbzu 4, -1(3)", "lwz 3, -4(3)"
	memory sth, "sth 4, 6(3)", "lhau 4, 6(3)", "lhz 3, 1(3)"
	memory sthu, "sthu 4, 7(3)", "lhzu 4, -1(3)", "lwz 3, -3(3)"
	memory stwx, "stwx 4, 3, 5", "lwzx 3, 3, 5"
	memory stwux, "stwux 4, 3, 5", "lwzux 6, 3, 5", "mr 3, 6"
	memory stbx, "stbx 4, 3, 5", "lbzx 4, 3, 5", "lwz 3, 0(3)"
	memory stbux, "stbux 4, 3, 5", "lbzux 4, 3, 5", "lwz 3, 0(3)"
	memory sthx, "sthx 4, 3, 5", "lhax 4, 3, 5", "lhzx 3, 3, 5"
	memory sthux, "sthux 4, 3, 5", "lhaux 4, 3, 5", "lwz 3, 4(3)"
	memory lhzux, "lhzux 4, 3, 5", "lhz 3, 2(3)"
	memory brx, "stwbrx 4, 3, 5", "lwbrx 6, 3, 5", "lwz 3, 4(3)", "xor 4, 4, 6"
	memory hbrx, "sthbrx 4, 3, 5", "lhbrx 4, 3, 5", "lwz 3, 4(3)"
	memory lmw, "stmw 27, -32(1)", "lmw 27, 12(3)", "add 4, 27, 31", "lmw 27, -32(1)"
	memory stmw, "stmw 30, 20(3)", "lwz 3, 4(3)"
	memory reserved, "lwarx 6, 3, 5", "stwcx. 4, 3, 5", "mfcr 4", "lwz 3, 4(3)"
	memory not_reserved, "stwcx. 4, 3, 5", "stwcx. 4, 3, 5", "mfcr 4", "lwz 3, 4(3)"
	memory dcbt, "dcbt 3, 5", "dcbtst 3, 5", "dcbf 3, 5", "lwz 3, 4(3)"
	memory icbi, "dcbst 3, 5", "icbi 3, 5", "isync", "lwz 3, 8(3)"
	.ifndef MC
	memory evldd, "evldd 6, 8(3)", "evstdd 6, 16(3)", "evmergehi 3, 6, 6", "mr 4, 6"
	memory evlddx, "li 5, 24", "evlddx 6, 3, 5", "evstddx 6, 0, 3", "mr 4, 6"
	memory evldw, "evldw 6, 16(3)", "evstdw 6, 0(3)", "evmergehi 3, 6, 6", "mr 4, 6"
	/* evldh is not here: QEMU 7.2 loses what its first two halves loaded */
	memory evstdh, "evldd 6, 8(3)", "evstdh 6, 24(3)", "evmergehi 3, 6, 6", "mr 4, 6"
	memory evlwhe, "evlwhe 6, 8(3)", "evstwhe 6, 24(3)", "evmergehi 3, 6, 6", "mr 4, 6"
	memory evlwhou, "evlwhou 6, 12(3)", "evstwho 6, 20(3)", "evmergehi 3, 6, 6", "mr 4, 6"
	memory evstwwe, "evldd 6, 8(3)", "evstwwe 6, 4(3)", "evstwwo 6, 28(3)", "mr 4, 6"
	memory evldwx, "slwi 5, 5, 1", "evldwx 6, 3, 5", "evstdwx 6, 5, 3", "evmergehi 3, 6, 6; mr 4, 6"
	memory evstdhx, "slwi 5, 5, 1; evldd 6, 16(3)", "evstdhx 6, 3, 5", "evmergehi 3, 6, 6", "mr 4, 6"
	memory evlwhex, "evlwhex 6, 3, 5", "evstwhex 6, 5, 3", "evmergehi 3, 6, 6", "mr 4, 6"
	memory evlwhoux, "evlwhoux 6, 3, 5", "evstwhox 6, 5, 3", "evmergehi 3, 6, 6", "mr 4, 6"
	memory evstwwex, "evldd 6, 16(3)", "evstwwex 6, 3, 5", "addi 5, 5, 8; evstwwox 6, 3, 5", "mr 4, 6"
	.endif
	.ifdef MC
	memory lfd, "lfd 6, 8(3)", "stfd 6, 16(3)", "lfdu 7, 4(3); stfdu 7, 20(3)", "lwz 4, 0(3)"
	memory lfdx, "lfdx 6, 3, 5; li 7, 8", "stfdx 6, 3, 7", "lfdux 7, 3, 5; stfdux 7, 3, 7", "lwz 3, 4(3)"
	memory lfs, "stw 4, 0(3); lfs 6, 0(3)", "stfd 6, 16(3); stfs 6, 4(3)", "lfsu 7, 4(3); stfsu 7, 4(3)", "lwz 4, 8(3)"
	memory lfsx, "stw 4, 4(3); lfsx 6, 3, 5; li 7, 8", "stfsx 6, 3, 7", "lfsux 7, 3, 5; stfsux 7, 3, 7; stfd 7, 0(3)", "lwz 3, 4(3)"
	.endif
	/* A whole line, below the stack */
	memory dcbz, "clrrwi 6, 1, 5; addi 6, 6, -64; stw 4, 28(6)", "dcbz 0, 6", "lwz 3, 28(6); lwz 4, 0(6)", "msync; mbar"
	.section .rodata.memory, "a"
	.long	0

/* Ways to go somewhere: r3 is a bit mask of the places that were passed. */
	function flow_all
	stwu	1, -16(1)
	mflr	0
	stw	0, 20(1)
	li	3, 0
	bl	flow_near
	lis	4, flow_near@ha
	la	4, flow_near@l(4)
	mtctr	4
	bctrl
	mtlr	4
	blrl
	lis	4, flow_far@ha
	la	4, flow_far@l(4)
	mtctr	4
	bctr
	.long	0
	.global flow_back
flow_back:
	ori	3, 3, 64
	li	4, 5
	mtctr	4
1:	addi	3, 3, 256
	bdnz	1b
	bcl	20, 31, 2f
2:	mflr	4
	lwz	0, 20(1)
	mtlr	0
	addi	1, 1, 16
	cmpw	3, 3
	beqlr
	.long	0

	function flow_near
	addi	3, 3, 1
	blr

	.section .text.far, "ax"
	.space	40000
	.type flow_far, @function
flow_far:
	slwi	3, 3, 1
	b	flow_back

/* --- start, and handlers: each adds its number to g_interrupts, and goes on behind the instruction */
	.section .text.start, "ax"
	.global _start
	.type _start, @function
_start:
	lis	1, g_stack_top@ha
	la	1, g_stack_top@l(1)
	lis	3, g_vectors@h
	mtspr	63, 3			/* IVPR */
	li	3, g_vectors@l
	mtspr	406, 3			/* IVOR6: program */
	addi	3, 3, 64
	mtspr	408, 3			/* IVOR8: system call */
	addi	3, 3, 64
	mtspr	407, 3			/* IVOR7: no FPU */
	mfmsr	3
	.ifdef MC
	ori	3, 3, 0x2000		/* FP */
	mtmsr	3
	isync
	.irp	n, 0, 3, 4, 5, 6, 7
	li	\n, 0
	.endr
	.else
	oris	3, 3, 0x0200		/* SPE */
	mtmsr	3
	isync
	evsplati 0, 0
	evxor	3, 0, 0
	evor	4, 0, 0
	evor	5, 0, 0
	evor	6, 0, 0
	evor	7, 0, 0
	.endif
	bl	main
	b	.

	.section .text.vectors, "ax"
	.balign 64
	.global g_vectors
g_vectors:
	mfspr	6, 26			/* behind the instruction */
	addi	6, 6, 4
	mtspr	26, 6
	mfspr	6, 62			/* ESR */
	rlwinm	6, 6, 8, 24, 31
	xor	3, 3, 6
	rfi
	.balign 64
	xori	3, 3, 0x5555
	rfi
	.balign 64
	mfspr	6, 26			/* behind the instruction; MSR as the handler is told it */
	addi	6, 6, 4
	mtspr	26, 6
	mfspr	6, 27
	xor	3, 3, 6
	xori	3, 3, 0x2222
	rfi
	.section .note.GNU-stack, "", @progbits
