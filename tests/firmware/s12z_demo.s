; The demo firmware of the virtual board s12zvm: functions of very different cost, nested, recursive, called through
; tables, a jump table, and a timer interrupt. Function f counts its calls in the 32 bits at n_f.
;
; Every loop but pause's is finished by DBNE or a Bcc, every call by RTS; between two rounds pause lets the trace pins
; send what the round made. Its length is the word at pace: 0 makes more than they can carry.
;
; far_NAME is NAME as a number (tests/firmware/build_s12z): so the assembler makes JSR and JMP with an address of 24
; bits, where a symbol would become a general operand; "jsr inner" is one of those.
;
; Timer: TIM0 at 0x000400, the registers of the classic S12 TIM; channel 0 is vector 12.
TIOS	= 0x400		; bit 0: channel 0 compares
TCNT	= 0x404		; 16 bits, counts bus cycles
TSCR1	= 0x406		; bit 7: TEN
TIE	= 0x40c		; bit 0: C0I
TSCR2	= 0x40d		; bits 2:0: prescaler
TFLG1	= 0x40e		; bit 0: C0F, cleared by writing 1
TC0	= 0x410		; 16 bits
PERIOD	= 20000		; bus cycles between two interrupts
PACE	= 250		; of pause, 34 instructions each

	.macro	function name
	.type	\name, @function
	.globl	\name
\name:
	inc.l	n_\name
	.endm
	.macro	ends name
	.size	\name, . - \name
	.endm
	.macro	counter name
	.type	n_\name, @object
	.size	n_\name, 4
	.globl	n_\name
n_\name:	.space	4
	.endm
	.macro	variable name, bytes
	.type	\name, @object
	.size	\name, \bytes
	.globl	\name
\name:	.space	\bytes
	.endm

	.text
; --- reset: clear RAM, start the timer, let interrupts in
	.type	start, @function
	.globl	start
start:
	lea	s, stack_top
	lea	x, ram_begin
	lea	y, ram_end
.Lclear:
	clr.b	(x+)
	cmp	x, y
	bne	.Lclear
	mov.w	#PACE, pace
	mov.w	#PERIOD, TC0
	mov.b	#1, TIOS
	mov.b	#1, TIE
	mov.b	#0x80, TSCR1
	andcc	#-17	; I
	jmp	far_main
	ends	start

	function main
.Lround:
	inc.l	rounds
	bsr	blink
	jsr	far_spin_short
	jsr	far_spin_long
	jsr	far_checksum
	jsr	far_outer
	ld	d2, #5
	bsr	countdown
	bsr	operate
	bsr	choose
	bsr	scale
	bsr	often
	ld	d6, rounds
	and	d6, #15
	bne	.Lawake
	bsr	nap
.Lawake:
	jsr	far_pause
	bra	.Lround
	ends	main

; one bit, the cheapest of all
	function blink
	btgl.b	lamp, #0
	rts
	ends	blink

; depth in D2: as many frames as that, and one
	function countdown
	tbeq	d2, .Lbottom
	psh	d2
	dec	d2
	bsr	countdown
	pul	d2
.Lbottom:
	rts
	ends	countdown

; one of four operations on the two values, by a table of addresses; the fourth through Y
	function operate
	ld	d2, turn
	inc	d2
	and	d2, #3
	st	d2, turn
	cmp	d2, #3
	beq	.Lfourth
	lsl	d3, d2, #1
	lsl	d3, d3, #1
	lea	x, operations + 1
	jsr	[d3,x]
	rts
.Lfourth:
	lea	y, op_div
	jsr	(0,y)
	rts
	ends	operate

	function op_add
	ld	d6, left
	add	d6, right
	st	d6, left
	rts
	ends	op_add

	function op_sub
	ld	d6, left
	sub	d6, right
	st	d6, left
	rts
	ends	op_sub

	function op_mul
	mulu	d6, d6, d7
	add	d6, #12345
	st	d6, left
	rts
	ends	op_mul

	function op_div
	ld	d6, left
	ld	d7, #7
	divu	d6, d6, d7
	inc	d6
	st	d6, right
	rts
	ends	op_div

; a jump table: four entries of four bytes each
	function choose
	ld	d2, turn
	lsl	d2, d2, #1
	lsl	d2, d2, #1
	lea	x, .Lcases
	jmp	(d2,x)
.Lcases:
	jmp	far_case_0
	jmp	far_case_1
	jmp	far_case_2
	jmp	far_case_3
case_0:
	ld	d0, #10
	bra	.Lchosen
case_1:
	ld	d0, #20
	bra	.Lchosen
case_2:
	bsr	op_add
	ld	d0, #30
	bra	.Lchosen
case_3:
	ld	d0, #40
.Lchosen:
	st	d0, choice
	rts
	ends	choose

; a bit-conditional branch, and a value that runs up and down
	function scale
	ld	d3, level
	brset.b	direction, #0, .Ldown
	add	d3, #100
	bpl	.Lkeep
	bset.b	direction, #0
	ld	d3, #32767
	bra	.Lkeep
.Ldown:
	sub	d3, #100
	bpl	.Lkeep
	bclr.b	direction, #0
	clr	d3
.Lkeep:
	st	d3, level
	rts
	ends	scale

; calls one small function in a loop
	function often
	ld	d4, #6
.Lagain:
	psh	d4
	bsr	seldom
	pul	d4
	dbne	d4, .Lagain
	rts
	ends	often

; conditional: every third call does more
	function seldom
	ld	d3, third
	inc	d3
	cmp	d3, #3
	bne	.Lnot_yet
	clr	d3
	ld	d2, #8
.Lmore:
	nop
	nop
	nop
	dbne	d2, .Lmore
.Lnot_yet:
	st	d3, third
	rts
	ends	seldom

	function spin_short
	ld	d2, #4
	bsr	spin
	rts
	ends	spin_short

; goes on in spin: a jump out of the function instead of a call and RTS
	function spin_long
	ld	d2, #60
	bra	spin
	ends	spin_long

; D2 times
	function spin
	add	d6, #3
	eor	d6, #0x5a
	nop
	nop
	nop
	nop
.Lspin_more:
	nop
	nop
	nop
	nop
	nop
	nop
	nop
	dbne	d2, .Lspin_more
	rts
	ends	spin

; 16 bits over 32 bytes
	function checksum
	lea	x, pattern
	clr	d3
	ld	d2, #32
.Lsum:
	clr	d4
	ld	d0, (x+)
	tfr	d0, d4
	add	d3, d4
	lsl	d3, d3, #1
	bcc	.Lno_carry
	inc	d3
.Lno_carry:
	dbne	d2, .Lsum
	st	d3, sum_of_pattern
	rts
	ends	checksum

; nested: one call makes two of middle, four of inner
	function outer
	bsr	middle
	bsr	middle
	rts
	ends	outer

	function middle
	bsr	inner
	jsr	inner
	rts
	ends	middle

	function inner
	ld	d6, left
	ld	d7, right
	tbeq	d7, .Ldivided
	modu	d6, d6, d7
	st	d6, remainder
.Ldivided:
	rts
	ends	inner

; sleeps until the next interrupt
	function nap
	wai
	rts
	ends	nap

; waits, so that the trace pins can follow; 34 instructions for each unit of pace
	function pause
	ld	d2, pace
	beq	.Lno_pause
.Lwait:
	.rept	33
	nop
	.endr
	dbne	d2, .Lwait
.Lno_pause:
	rts
	ends	pause

; --- interrupt
	function tick
	mov.b	#1, TFLG1
	ld	d2, TC0
	add	d2, #PERIOD
	st	d2, TC0
	bsr	on_tick
	rti
	ends	tick

	function on_tick
	inc.l	ticks
	rts
	ends	on_tick

; nobody should come here
	.type	unexpected, @function
	.globl	unexpected
unexpected:
	bra	unexpected
	ends	unexpected

; in a section of its own: the assembler loses the addends of data that points into its own section
	.section .rodata, "a"
	.type	operations, @object
	.globl	operations
operations:
	.long	op_add, op_sub, op_mul	; the addresses are the lower three bytes
	ends	operations
	.type	pattern, @object
	.globl	pattern
pattern:
	.byte	0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef, 0xfe, 0xdc, 0xba, 0x98, 0x76, 0x54, 0x32, 0x10
	.byte	0x10, 0x32, 0x54, 0x76, 0x98, 0xba, 0xdc, 0xfe, 0xef, 0xcd, 0xab, 0x89, 0x67, 0x45, 0x23, 0x01
	ends	pattern

; vectors 123 down to 0
	.section .vectors, "a"
	.rept	123 - 12
	.long	unexpected
	.endr
	.long	tick		; 12: TIM0 channel 0
	.rept	11
	.long	unexpected
	.endr
	.long	start		; 0: reset

	.bss
ram_begin:
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
	counter	nap
	counter	pause
	counter	tick
	counter	on_tick
	.type	counters, @object
	.size	counters, . - counters
	variable rounds, 4
	variable ticks, 4
	variable left, 4
	variable right, 4
	variable remainder, 4
	variable sum_of_pattern, 2
	variable turn, 2
	variable level, 2
	variable third, 2
	variable choice, 1
	variable lamp, 1
	variable direction, 1
	variable pace, 2
ram_end:
