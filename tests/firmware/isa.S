/* One small function per instruction form, for isa.c: r0 and r1 are the operands, r2 the flags before (in APSR's place);
 * the answer is r0 and the flags after in r1. Sources of the forms: DDI 0419, A6.7. */
	.syntax unified
	.cpu cortex-m0plus
	.thumb

	.macro function name
	.section .text.\name, "ax"
	.balign 4
	.global \name
	.thumb_func
	.type \name, %function
\name:
	.endm

/* op NAME, INSTRUCTION...: joined into a table that isa.c walks. */
	.macro op name, first, second=, third=
	function op_\name
	msr	apsr_nzcvq, r2
	\first
	\second
	\third
	mrs	r1, apsr
	bx	lr
	.size	op_\name, . - op_\name
	.section .rodata.ops, "a"
	.word	op_\name
	.endm

	.section .rodata.ops, "a"
	.balign 4
	.global g_ops
g_ops:

	op lsls_0, "lsls r0, r1, #0"
	op lsls_1, "lsls r0, r1, #1"
	op lsls_31, "lsls r0, r1, #31"
	op lsrs_1, "lsrs r0, r1, #1"
	op lsrs_32, "lsrs r0, r1, #32"
	op asrs_1, "asrs r0, r1, #1"
	op asrs_31, "asrs r0, r1, #31"
	op asrs_32, "asrs r0, r1, #32"
	op adds, "adds r0, r0, r1"
	op subs, "subs r0, r0, r1"
	op adds_3, "adds r0, r1, #7"
	op subs_3, "subs r0, r1, #5"
	op adds_8, "adds r0, #255"
	op subs_8, "subs r0, #129"
	op movs_8, "movs r0, #128"
	op cmp_8, "cmp r0, #255"
	op ands, "ands r0, r1"
	op eors, "eors r0, r1"
	op lsls, "lsls r0, r1"
	op lsrs, "lsrs r0, r1"
	op asrs, "asrs r0, r1"
	op adcs, "adcs r0, r1"
	op sbcs, "sbcs r0, r1"
	op rors, "rors r0, r1"
	op tst, "tst r0, r1"
	op rsbs, "rsbs r0, r1, #0"
	op cmp, "cmp r0, r1"
	op cmn, "cmn r0, r1"
	op orrs, "orrs r0, r1"
	op muls, "muls r0, r1, r0"
	op bics, "bics r0, r1"
	op mvns, "mvns r0, r1"
	op add_high, "mov r12, r1", "add r0, r12"
	op add_to_high, "mov r12, r0", "add r12, r1", "mov r0, r12"
	op cmp_high, "mov r12, r1", "cmp r0, r12"
	op cmp_both_high, "mov r3, lr; mov lr, r1", "mov r12, r0; cmp r12, lr", "mov lr, r3"
	op mov_high, "mov r12, r1", "mov r0, r12"
	op mov_from_pc, "mov r0, pc"
	op add_pc, "add r0, pc"
	op adr, "adr r0, op_lsls_0_near"
	op sxth, "sxth r0, r1"
	op sxtb, "sxtb r0, r1"
	op uxth, "uxth r0, r1"
	op uxtb, "uxtb r0, r1"
	op rev, "rev r0, r1"
	op rev16, "rev16 r0, r1"
	op revsh, "revsh r0, r1"
	op add_sp, "add r0, sp, #8", "mov r1, sp", "subs r0, r0, r1"
	op sub_sp, "sub sp, #508", "mov r0, sp", "add sp, #508"
	op mov_sp, "mov r12, sp", "mov sp, r12", "mov r0, sp"
	op nop, "nop", "yield", "nop"
	op barriers, "dsb", "dmb", "isb"
	op events, "sev", "wfe", "nop"
	op msr, "lsrs r1, r1, #28", "lsls r1, r1, #28", "msr apsr_nzcvq, r1"	/* QEMU keeps bit 27 too */
	op xpsr, "mrs r0, xpsr"
	op ipsr, "mrs r0, iepsr"
	op control, "mrs r0, control"
	op primask, "cpsid i", "mrs r0, primask", "cpsie i"
	op set_primask, "movs r0, #1", "msr primask, r0", "mrs r0, primask"
	op clear_primask, "movs r0, #0", "msr primask, r0", "mrs r0, primask"
	op psp, "msr psp, r1", "mrs r0, psp"
	op msp, "mrs r0, msp"

	.section .rodata.ops, "a"
	.word	0

	.section .text.op_adr, "ax"
	.balign 4
op_lsls_0_near:
	.word	0

/* branch NAME: 1 in r0 if the branch was taken with the flags in r2. */
	.macro branch condition
	function branch_\condition
	msr	apsr_nzcvq, r2
	b\condition	1f
	movs	r0, #0
	bx	lr
1:	movs	r0, #1
	bx	lr
	.section .rodata.branches, "a"
	.word	branch_\condition
	.endm

	.section .rodata.branches, "a"
	.balign 4
	.global g_branches
g_branches:
	.irp condition, eq, ne, cs, cc, mi, pl, vs, vc, hi, ls, ge, lt, gt, le
	branch \condition
	.endr
	.section .rodata.branches, "a"
	.word	0

/* memory NAME, ...: r0 is a buffer of 32 bytes, r1 a value, r2 an offset of 0 or 4. Any two registers of the answer. */
	.macro memory name, first, second=, third=, fourth=
	function memory_\name
	\first
	\second
	\third
	\fourth
	bx	lr
	.section .rodata.memory, "a"
	.word	memory_\name
	.endm

	.section .rodata.memory, "a"
	.balign 4
	.global g_memory
g_memory:
	memory str_imm, "str r1, [r0, #4]", "ldr r0, [r0, #4]"
	memory strh_imm, "strh r1, [r0, #6]", "ldr r0, [r0, #4]"
	memory strb_imm, "strb r1, [r0, #7]", "ldr r0, [r0, #4]"
	memory str_reg, "str r1, [r0, r2]", "ldr r0, [r0, r2]"
	memory strh_reg, "adds r2, #2", "strh r1, [r0, r2]", "ldrh r1, [r0, r2]", "ldrsh r0, [r0, r2]"
	memory strb_reg, "adds r2, #3", "strb r1, [r0, r2]", "ldrb r1, [r0, r2]", "ldrsb r0, [r0, r2]"
	memory ldrh_imm, "ldrh r1, [r0, #10]", "ldrh r0, [r0, #8]"
	memory ldrb_imm, "ldrb r1, [r0, #9]", "ldrb r0, [r0, #31]"
	memory sp_relative, "sub sp, #8", "str r1, [sp, #4]", "ldr r0, [sp, #4]", "add sp, #8"
	memory push_pop, "push {r0, r1, r2, lr}", "pop {r1, r2}", "pop {r0, r3}", "mov lr, r3"
	memory literal, "ldr r0, =0x89abcdef", "bx lr", ".balign 4", ".ltorg"
	memory stm, "mov r3, r0", "stm r0!, {r1, r2, r3}", "subs r0, r0, r3", "ldr r1, [r3, #4]"
	memory stm_base_first, "stm r0!, {r0, r1}", "subs r0, #8", "ldr r1, [r0]", "subs r0, r1, r0"
	memory ldm, "mov r3, r0", "ldm r0!, {r1, r2}", "subs r0, r0, r3", "adds r1, r1, r2"
	memory ldm_base_in_list, "movs r3, r0", "ldm r3, {r0, r2, r3}", "eors r0, r3", "mov r1, r2"
	.section .rodata.memory, "a"
	.word	0

/* Ways to go somewhere: r0 is a bit mask of the places that were passed. */
	function flow_all
	push	{r4, lr}
	movs	r0, #0
	bl	flow_near
	ldr	r1, =flow_near
	blx	r1
	bl	flow_pop
	adr	r1, 1f
	mov	pc, r1
	.balign 4
	udf	#0
	udf	#0
	.balign 4
1:	adds	r0, #16
	movs	r1, #2
	add	pc, r1
	udf	#0
	udf	#0
	adds	r0, #32
	b	3f
2:	adds	r0, #128
	pop	{r4, pc}
3:	adds	r0, #64
	ldr	r1, =flow_far
	bx	r1
	.thumb_func
4:	b	2b
	.ltorg

	function flow_near
	adds	r0, #1
	bx	lr

	function flow_pop
	push	{r4, lr}
	adds	r0, #8
	pop	{r4, pc}

	.section .text.far, "ax"
	.space	4096
	.thumb_func
	.type flow_far, %function
flow_far:
	lsls	r0, r0, #1
	ldr	r1, =flow_back
	bx	r1
	.ltorg

	function flow_back
	adds	r0, #3
	pop	{r4, pc}
