# The demo firmware of the virtual board microblaze: functions of very different cost, nested, recursive, called through a
# table, a jump table, branches with and without delay slots, and a timer interrupt. Function f counts its calls in the
# word at n_f. It runs on QEMU's petalogix-s3adsp1800, too.
	.include "microblaze_common.s"

	.equ	INTC, 0x81800000
	.equ	IER, 0x08
	.equ	IAR, 0x0c
	.equ	MER, 0x1c
	.equ	TIMER, 0x83c00000	# its interrupt is line 0
	.equ	TCSR0, 0x00
	.equ	TLR0, 0x04
	.equ	LOAD, 0x20
	.equ	RUN, 0x0d2		# ENT, ENIT, ARHT, UDT
	.equ	TINT, 0x100
	.equ	PERIOD, 20000		# cycles between two interrupts
	.equ	UART, 0x84000000
	.equ	TX_FIFO, 4

	.macro	enter			# a frame for the return address
	addik	r1, r1, -8
	swi	r15, r1, 0
	.endm
	.macro	leave
	lwi	r15, r1, 0
	rtsd	r15, 8
	addik	r1, r1, 8
	.endm
	.macro	call name
	brlid	r15, \name
	nop
	.endm

# --- reset: clear the variables, start the timer, let interrupts in
	function start
	addik	r1, r0, stack_top - 16
	addik	r5, r0, counters
	addik	r6, r0, end_of_variables
.Lclear:
	swi	r0, r5, 0
	addik	r5, r5, 4
	cmpu	r7, r6, r5
	blti	r7, .Lclear
	addik	r5, r0, TIMER
	addik	r6, r0, PERIOD - 2
	swi	r6, r5, TLR0
	addik	r6, r0, LOAD
	swi	r6, r5, TCSR0
	addik	r6, r0, RUN
	swi	r6, r5, TCSR0
	addik	r5, r0, INTC
	addik	r6, r0, 1
	swi	r6, r5, IER
	addik	r6, r0, 3
	swi	r6, r5, MER
	msrset	r0, 2			# IE
	bri	main
	ends	start

	counted	main
.Lround:
	lwi	r5, r0, rounds
	addik	r5, r5, 1
	swi	r5, r0, rounds
	call	blink
	call	spin_short
	call	spin_long
	call	checksum
	call	outer
	brlid	r15, countdown
	addik	r5, r0, 5		# in the slot: how deep
	call	operate
	call	choose
	call	scale
	call	often
	call	arithmetic
	lwi	r5, r0, rounds
	andi	r5, r5, 15
	bneid	r5, .Lround
	nop
	call	nap
	bri	.Lround
	ends	main

# the cheapest of all
	counted	blink
	lwi	r3, r0, lamp
	xori	r3, r3, 1
	swi	r3, r0, lamp
	rtsd	r15, 8
	nop
	ends	blink

# depth in r5: as many frames as that, and one
	counted	countdown
	beqi	r5, .Lbottom
	enter
	brlid	r15, countdown
	addik	r5, r5, -1
	leave
.Lbottom:
	rtsd	r15, 8
	nop
	ends	countdown

# one of four operations on two values, by a table of addresses
	counted	operate
	enter
	lwi	r5, r0, turn
	addik	r5, r5, 1
	andi	r5, r5, 3
	swi	r5, r0, turn
	bslli	r5, r5, 2
	lwi	r6, r5, operations
	lwi	r5, r0, left
	brald	r15, r6
	nop
	swi	r3, r0, left
	leave
	ends	operate

	counted	op_add
	rtsd	r15, 8
	addik	r3, r5, 12345
	ends	op_add

	counted	op_sub
	rtsd	r15, 8
	rsubik	r3, r5, 99
	ends	op_sub

	counted	op_mul
	rtsd	r15, 8
	muli	r3, r5, 17
	ends	op_mul

	counted	op_div
	addik	r6, r0, 7
	rtsd	r15, 8
	idivu	r3, r6, r5
	ends	op_div

# a jump table of four entries
	counted	choose
	lwi	r5, r0, turn
	bslli	r5, r5, 2
	lwi	r5, r5, cases
	bra	r5
.Lcase_0:
	brid	.Lchosen
	addik	r3, r0, 10
.Lcase_1:
	brid	.Lchosen
	addik	r3, r0, 20
.Lcase_2:
	enter
	brlid	r15, op_add
	addik	r5, r0, 1
	lwi	r15, r1, 0
	brid	.Lchosen
	addik	r1, r1, 8
.Lcase_3:
	addik	r3, r0, 40
.Lchosen:
	swi	r3, r0, choice
	rtsd	r15, 8
	nop
	ends	choose

# a value that runs up and down
	counted	scale
	lwi	r3, r0, level
	lwi	r4, r0, direction
	bneid	r4, .Ldown
	addik	r5, r0, 1000
	addik	r3, r3, 100
	cmp	r6, r5, r3
	blti	r6, .Lkeep
	addik	r4, r0, 1
	bri	.Lkeep
.Ldown:
	addik	r3, r3, -100
	bgti	r3, .Lkeep
	addik	r4, r0, 0
.Lkeep:
	swi	r4, r0, direction
	swi	r3, r0, level
	rtsd	r15, 8
	nop
	ends	scale

# calls one small function in a loop
	counted	often
	enter
	swi	r19, r1, 4
	addik	r19, r0, 6
.Lagain:
	call	seldom
	addik	r19, r19, -1
	bneid	r19, .Lagain
	nop
	lwi	r19, r1, 4
	leave
	ends	often

# every third call does more
	counted	seldom
	lwi	r3, r0, third
	addik	r3, r3, 1
	xori	r4, r3, 3
	bneid	r4, .Lnot_yet
	addik	r5, r0, 8
	addk	r3, r0, r0
.Lmore:
	bneid	r5, .Lmore
	addik	r5, r5, -1
.Lnot_yet:
	swi	r3, r0, third
	rtsd	r15, 8
	nop
	ends	seldom

	counted	spin_short
	enter
	brlid	r15, spin
	addik	r5, r0, 4
	leave
	ends	spin_short

# goes on in spin: a jump out of the function instead of a call
	counted	spin_long
	brid	spin
	addik	r5, r0, 60
	ends	spin_long

# r5 times
	counted	spin
.Lspin:
	addik	r5, r5, -1
	nop
	nop
	nop
	nop
	bneid	r5, .Lspin
	nop
	rtsd	r15, 8
	nop
	ends	spin

# 16 bits over 32 bytes, with carries
	counted	checksum
	addk	r3, r0, r0
	addik	r5, r0, 31
.Lsum:
	lbui	r4, r5, pattern
	add	r3, r3, r3
	addc	r3, r3, r4
	bgtid	r5, .Lsum
	addik	r5, r5, -1
	swi	r3, r0, sum_of_pattern
	rtsd	r15, 8
	nop
	ends	checksum

# nested: one call makes two of middle, four of inner
	counted	outer
	enter
	call	middle
	call	middle
	leave
	ends	outer

	counted	middle
	enter
	call	inner
	brlid	r15, inner
	nop
	leave
	ends	middle

	counted	inner
	lwi	r3, r0, left
	addik	r4, r0, 1000
	idivu	r5, r4, r3
	mul	r5, r5, r4
	rsubk	r3, r5, r3
	swi	r3, r0, remainder
	rtsd	r15, 8
	nop
	ends	inner

# one of everything that is not elsewhere
	counted	arithmetic
	lwi	r3, r0, left
	sra	r4, r3
	srl	r5, r4
	src	r6, r5
	sext8	r7, r6
	sext16	r8, r3
	clz	r9, r8
	pcmpbf	r10, r9, r3
	pcmpeq	r11, r10, r0
	pcmpne	r12, r11, r3
	cmp	r4, r5, r6
	cmpu	r5, r6, r7
	bsra	r6, r3, r9
	bsrl	r7, r3, r9
	mulh	r8, r3, r4
	mulhu	r9, r3, r4
	addk	r3, r4, r5
	xor	r3, r3, r6
	or	r3, r3, r7
	andn	r3, r3, r8
	addk	r3, r3, r9
	swi	r3, r0, result
	rtsd	r15, 8
	nop
	ends	arithmetic

# sleeps until the next interrupt
	counted	nap
	mbar	16
	rtsd	r15, 8
	nop
	ends	nap

# --- interrupt: every register that it needs is kept
	function on_interrupt
	addik	r1, r1, -24
	swi	r18, r1, 4
	swi	r5, r1, 8
	swi	r6, r1, 12
	swi	r15, r1, 16
	mfs	r6, rmsr
	swi	r6, r1, 20
	brlid	r15, tick
	nop
	lwi	r6, r1, 20
	mts	rmsr, r6
	lwi	r18, r1, 4
	lwi	r5, r1, 8
	lwi	r6, r1, 12
	lwi	r15, r1, 16
	rtid	r14, 0
	addik	r1, r1, 24
	ends	on_interrupt

	counted	tick
	addik	r5, r0, TIMER
	addik	r6, r0, RUN + TINT
	swi	r6, r5, TCSR0
	addik	r5, r0, INTC
	addik	r6, r0, 1
	swi	r6, r5, IAR
	lwi	r5, r0, ticks
	addik	r5, r5, 1
	swi	r5, r0, ticks
	rtsd	r15, 8
	nop
	ends	tick

# nobody should come here
	function on_user
on_break:
on_exception:
	bri	0
	ends	on_user

	.section .rodata, "a"
	.align	2
	.globl	operations
	.type	operations, @object
operations:
	.long	op_add, op_sub, op_mul, op_div
	.size	operations, . - operations
	.type	cases, @object
cases:
	.long	.Lcase_0, .Lcase_1, .Lcase_2, .Lcase_3
	.size	cases, . - cases
	.globl	pattern
	.type	pattern, @object
pattern:
	.byte	0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef, 0xfe, 0xdc, 0xba, 0x98, 0x76, 0x54, 0x32, 0x10
	.byte	0x10, 0x32, 0x54, 0x76, 0x98, 0xba, 0xdc, 0xfe, 0xef, 0xcd, 0xab, 0x89, 0x67, 0x45, 0x23, 0x01
	.size	pattern, . - pattern

	.bss
	.align	2
	.globl	counters
counters:
	counter	main
	counter	blink
	counter	countdown
	counter	operate
	counter	op_add
	counter	op_sub
	counter	op_mul
	counter	op_div
	counter	choose
	counter	scale
	counter	often
	counter	seldom
	counter	spin_short
	counter	spin_long
	counter	spin
	counter	checksum
	counter	outer
	counter	middle
	counter	inner
	counter	arithmetic
	counter	nap
	counter	tick
	variable rounds
	variable ticks
	variable left
	variable remainder
	variable sum_of_pattern
	variable turn
	variable level
	variable third
	variable choice
	variable lamp
	variable direction
	variable result
end_of_variables:
