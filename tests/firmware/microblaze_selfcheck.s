# Firmware that checks a MicroBlaze by itself, and for a comparison with QEMU: every instruction of the integer core, with
# what it must give. It ends at passed, or at failed with r20 = the number of the check, r21 what came, r22 what was due.
# What it asks of the core: barrel shifter, 64-bit multiplier, divider, pattern compare, MSR and reorder instructions.
# Exceptions are not let in (MSR[EE] stays 0): QEMU's boards have them switched off.
	.include "microblaze_common.s"

# check REGISTER, VALUE
	.macro	check reg, value
	addik	r20, r20, 1
	addk	r21, \reg, r0
	addik	r22, r0, \value
	xor	r23, r21, r22
	bnei	r23, failed
	.endm
# the carry: 1 or 0
	.macro	carry_is value
	addik	r24, r0, 0
	addkc	r24, r0, r0
	check	r24, \value
	.endm
	.macro	set_carry
	addik	r24, r0, -1
	add	r24, r24, r24
	.endm
	.macro	clear_carry
	add	r24, r0, r0
	.endm
# of CONDITIONS that hold for r5 the branches are taken, of the others not; r6 counts the slots that were done
	.macro	branches value, eq, ne, lt, le, gt, ge
	addik	r5, r0, \value
	branch	eq, \eq
	branch	ne, \ne
	branch	lt, \lt
	branch	le, \le
	branch	gt, \gt
	branch	ge, \ge
	.endm
	.macro	branch cond, taken
	addk	r7, r0, r0
	b\cond\()i r5, 1f
	addik	r7, r7, 1
1:	check	r7, 1 - \taken
	addk	r7, r0, r0
	addk	r6, r0, r0
	b\cond\()id r5, 1f
	addik	r6, r6, 1
	addik	r7, r7, 1
1:	check	r7, 1 - \taken
	check	r6, 1
	addk	r7, r0, r0
	addik	r8, r0, 8
	b\cond	r5, r8
	addik	r7, r7, 1
	check	r7, 1 - \taken
	addk	r7, r0, r0
	addk	r6, r0, r0
	addik	r8, r0, 12
	b\cond\()d r5, r8
	addik	r6, r6, 1
	addik	r7, r7, 1
	check	r7, 1 - \taken
	check	r6, 1
	.endm

	function start
	addk	r20, r0, r0
	addik	r1, r0, stack_top - 16
	mts	rmsr, r0

# --- arithmetic and carry
	addik	r3, r0, 3
	addik	r5, r0, 5
	rsub	r4, r3, r5
	carry_is 1
	check	r4, 2
	rsub	r4, r5, r3
	carry_is 0
	check	r4, -2
	addik	r6, r0, -1
	addik	r7, r0, 1
	add	r4, r6, r7
	carry_is 1
	check	r4, 0
	set_carry
	addc	r4, r3, r5
	carry_is 0
	check	r4, 9
	clear_carry
	rsubc	r4, r3, r5
	carry_is 1
	check	r4, 1
	set_carry
	rsubc	r4, r3, r5
	check	r4, 2
	set_carry
	addkc	r4, r3, r5
	carry_is 1
	check	r4, 9
	rsubkc	r4, r3, r5
	check	r4, 2
	addk	r4, r6, r6
	carry_is 1
	check	r4, -2
	rsubk	r4, r5, r3
	check	r4, -2
	addi	r4, r6, 1
	carry_is 1
	check	r4, 0
	addic	r4, r3, 10
	carry_is 0
	check	r4, 14
	rsubi	r4, r3, 10
	carry_is 1
	check	r4, 7
	clear_carry
	rsubic	r4, r3, 10
	check	r4, 6
	addikc	r4, r3, -3
	check	r4, 1
	rsubikc	r4, r3, 3
	check	r4, 0
	addik	r4, r0, 0x12345678
	check	r4, 0x12345678
	addik	r8, r0, 0x7fffffff
	addik	r9, r0, 0x80000000
	cmp	r4, r8, r9
	check	r4, 0x80000001
	cmp	r4, r9, r8
	check	r4, 0x7fffffff
	cmpu	r4, r9, r8
	check	r4, 0xffffffff
	addik	r10, r0, 1
	cmpu	r4, r10, r9
	check	r4, 0x7fffffff
	mul	r4, r6, r3
	check	r4, -3
	muli	r4, r5, -7
	check	r4, -35
	addik	r10, r0, 2
	mulh	r4, r6, r10
	check	r4, -1
	mulhsu	r4, r6, r6
	check	r4, -1
	mulhu	r4, r6, r6
	check	r4, -2
	addik	r10, r0, -2
	addik	r11, r0, 7
	idiv	r4, r10, r11
	check	r4, -3
	idivu	r4, r11, r10
	check	r4, 0x24924924
	idiv	r4, r0, r11
	check	r4, 0
	mfs	r4, rmsr
	andi	r4, r4, 0x40		# DZO
	check	r4, 0x40
	msrclr	r0, 0x40

# --- logic, shifts, fields
	addik	r10, r0, 0x0ff0a5a5
	addik	r11, r0, 0x00ffff00
	or	r4, r10, r11
	check	r4, 0x0fffffa5
	and	r4, r10, r11
	check	r4, 0x00f0a500
	xor	r4, r10, r11
	check	r4, 0x0f0f5aa5
	andn	r4, r10, r11
	check	r4, 0x0f0000a5
	ori	r4, r10, 0x5a
	check	r4, 0x0ff0a5ff
	andi	r4, r10, -256
	check	r4, 0x0ff0a500
	xori	r4, r10, -1
	check	r4, 0xf00f5a5a
	andni	r4, r10, 0xff
	check	r4, 0x0ff0a500
	sra	r4, r9
	carry_is 0
	check	r4, 0xc0000000
	addik	r12, r0, 0x80000001
	srl	r4, r12
	carry_is 1
	check	r4, 0x40000000
	set_carry
	src	r4, r3
	carry_is 1
	check	r4, 0x80000001
	sext8	r4, r10
	check	r4, 0xffffffa5
	sext16	r4, r10
	check	r4, 0xffffa5a5
	clz	r4, r10
	check	r4, 4
	clz	r4, r0
	check	r4, 32
	swapb	r4, r10
	check	r4, 0xa5a5f00f
	swaph	r4, r10
	check	r4, 0xa5a50ff0
	pcmpbf	r4, r10, r11
	check	r4, 0
	addik	r13, r0, 0x11f022a5
	pcmpbf	r4, r10, r13
	check	r4, 2
	pcmpeq	r4, r10, r10
	check	r4, 1
	pcmpne	r4, r10, r11
	check	r4, 1
	addik	r14, r0, 36
	bsll	r4, r10, r14
	check	r4, 0xff0a5a50
	bsra	r4, r12, r14
	check	r4, 0xf8000000
	bsrl	r4, r12, r14
	check	r4, 0x08000000
	bslli	r4, r10, 8
	check	r4, 0xf0a5a500
	bsrai	r4, r12, 31
	check	r4, -1
	bsrli	r4, r12, 31
	check	r4, 1
	.long	0x648a4204		# bsefi r4, r10, 8, 4
	check	r4, 0x5a
	addik	r4, r0, -1
	.long	0x648a82c4		# bsifi r4, r10, 8, 4
	check	r4, 0xfffffa5f

# --- memory
	addik	r15, r0, words
	lwi	r4, r15, 0
	check	r4, 0x11223344
	addik	r16, r0, 4
	lw	r4, r15, r16
	check	r4, 0x8899aabb
	lhu	r4, r15, r0
	swi	r4, r15, 8
	lhui	r5, r15, 2
	addk	r4, r4, r5
	check	r4, 0x4466
	lbui	r4, r15, 0
	lbu	r5, r15, r0
	rsubk	r4, r4, r5
	check	r4, 0
	lwr	r4, r15, r0
	check	r4, 0x44332211
	swr	r4, r15, r16
	lwi	r4, r15, 4
	check	r4, 0x11223344
	lbur	r4, r15, r0
	lbui	r5, r15, 3
	rsubk	r4, r4, r5
	check	r4, 0
	lhur	r4, r15, r0
	lhui	r5, r15, 2
	swapb	r5, r5
	bsrli	r5, r5, 16
	rsubk	r4, r4, r5
	check	r4, 0
	addik	r4, r0, 0x7788
	shi	r4, r15, 8
	sh	r4, r15, r16
	lhui	r5, r15, 4
	check	r5, 0x7788
	sbi	r4, r15, 9
	lbui	r5, r15, 9
	check	r5, 0x88
	sb	r4, r15, r16
	lbui	r5, r15, 4
	check	r5, 0x88
	addik	r4, r0, 0x1234
	shr	r4, r15, r16
	lhui	r5, r15, 6
	check	r5, 0x3412
	sbr	r4, r15, r16
	lbui	r5, r15, 7
	check	r5, 0x34
	lwx	r4, r15, r0
	carry_is 0
	check	r4, 0x11223344
	addik	r5, r0, 77
	lwx	r4, r15, r0
	swx	r5, r15, r0
	carry_is 0
	lwi	r4, r15, 0
	check	r4, 77
	swx	r5, r15, r16
	carry_is 1

# --- branches
	branches 0, 1, 0, 0, 1, 0, 1
	branches 5, 0, 1, 0, 0, 1, 1
	branches -5, 0, 1, 1, 1, 0, 0
	addk	r6, r0, r0
	brlid	r15, double		# with its imm
	addik	r5, r0, 21
	check	r3, 42
	addik	r8, r0, double
	brald	r15, r8
	addik	r5, r0, 4
	check	r3, 8
	bralid	r15, double
	addik	r5, r0, 5
	check	r3, 10
	addik	r8, r0, 16
	brld	r17, r8
	addik	r6, r6, 1
	addik	r6, r6, 100
	addik	r6, r6, 100
	check	r6, 1
	addik	r8, r0, over_1
	bra	r8
	bri	failed
over_1:	addik	r8, r0, over_2
	brad	r8
	addik	r6, r6, 1
	bri	failed
over_2:	brid	over_3
	addik	r6, r6, 1
	bri	failed
over_3:	braid	over_4
	addik	r6, r6, 1
	bri	failed
over_4:	brai	over_5
	bri	failed
over_5:	addik	r8, r0, 8
	br	r8
	bri	failed
	addik	r8, r0, 12
	brd	r8
	addik	r6, r6, 1
	bri	failed
	check	r6, 5

# --- special registers and breaks
	msrset	r4, 4
	carry_is 1
	msrset	r4, 4
	andi	r4, r4, 4
	check	r4, 4
	msrclr	r4, 4
	carry_is 0
	mfs	r4, rpc
	bri	4
	mfs	r5, rpc
	rsubk	r4, r4, r5
	check	r4, 8
	addik	r4, r0, 4
	mts	rmsr, r4
	carry_is 1
	mts	rmsr, r0
	brki	r16, 0x8		# to on_user, which comes back behind it
	check	r19, 0x208		# BIP was set there, and r19 says so
	mfs	r4, rmsr
	andi	r4, r4, 8
	check	r4, 0
	mbar	1
	wic	r0, r0
	wdc	r0, r0
	addk	r0, r3, r3
	check	r0, 0
	bri	passed
	ends	start

# r3 = 2 * r5
	function double
	rtsd	r15, 8
	addk	r3, r5, r5
	ends	double

	function on_user
	mfs	r19, rmsr
	andi	r19, r19, 8
	addik	r19, r19, 0x200
	rtbd	r16, 4
	nop
	ends	on_user

	function on_interrupt
on_break:
on_exception:
	addik	r20, r0, -1
	bri	failed
	ends	on_interrupt

	function passed
	bri	passed
	ends	passed

	function failed
	bri	failed
	ends	failed

	.data
	.align	2
words:	.long	0x11223344, 0x8899aabb, 0
