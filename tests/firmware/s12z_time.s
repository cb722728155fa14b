; Programs whose time the trace does not tell by its branches (tests/test_s12z_time): one of them runs, by the word
; scenario, which whoever starts the core has written: an endless loop under a light and under a heavy interrupt, and
; without any; interrupts inside one another; WAI; long straight code and jumps by a table.
;
; Timer: TIM0 at 0x000400; channels 0 and 1 are vectors 12 and 13. Interrupt controller: 0x000010, CFADDR at 0x17,
; CFDATA0 to 7 from 0x18 on.
CFADDR	= 0x17
CFDATA4	= 0x1c		; vector 12 of the eight from 8 on
CFDATA5	= 0x1d
TIOS	= 0x400
TCNT	= 0x404
TSCR1	= 0x406
TIE	= 0x40c
TFLG1	= 0x40e
TC0	= 0x410
TC1	= 0x412
PERIOD	= 20000		; bus cycles between two interrupts of channel 0
NESTED	= 3100		; where they nest
FAST	= 1170		; channel 1

	.macro	function name
	.type	\name, @function
	.globl	\name
\name:
	.endm
	.macro	ends name
	.size	\name, . - \name
	.endm
	.macro	straight_on number
	.rept	\number
	nop
	.endr
	.endm

	.text
	function start
	lea	s, stack_top
	clr.b	works
	mov.w	#PERIOD, period
	mov.w	#PERIOD, TC0
	mov.b	#1, TIOS
	mov.b	#1, TIE
	mov.b	#0x80, TSCR1
	ld	d2, scenario
	lsl	d2, d2, #1
	lsl	d2, d2, #1
	lea	x, .Lscenarios
	jmp	(d2,x)
.Lscenarios:
	jmp	far_light
	jmp	far_heavy
	jmp	far_alone
	jmp	far_nested
	jmp	far_sleepy
	jmp	far_straight
	ends	start

; 0: for (;;), a handler that does nearly nothing
	function light
	andcc	#-17
	bra	endless
	ends	light

; 1: the same, and the handler works
	function heavy
	mov.b	#1, works
	andcc	#-17
	jmp	far_endless
	ends	heavy

; 2: no interrupt
	function alone
	bra	endless
	ends	alone

	function endless
	nop
	inc	d3
	bra	endless
	ends	endless

; 3: channel 1 interrupts the handler of channel 0
	function nested
	mov.w	#NESTED, period
	mov.w	#NESTED, TC0
	mov.w	#FAST, TC1
	mov.b	#8, CFADDR
	mov.b	#3, CFDATA5
	mov.b	#3, TIOS
	mov.b	#3, TIE
	mov.b	#1, works
	andcc	#-17
.Lnested:
	bsr	stretch
	bsr	crunch
	bra	.Lnested
	ends	nested

; 4: asleep nearly always
	function sleepy
	andcc	#-17
.Lsleepy:
	wai
	bsr	stretch
	bsr	crunch
	straight_on	30
	bra	.Lsleepy
	ends	sleepy

; 5: long straight code, and jumps by a table
	function straight
	andcc	#-17
	clr	d4
.Lstraight:
	bsr	stretch
	inc	d4
	and	d4, #3
	tfr	d4, d2
	lsl	d2, d2, #1
	lsl	d2, d2, #1
	lea	x, .Lcases
	jmp	(d2,x)
.Lcases:
	jmp	far_case_0
	jmp	far_case_1
	jmp	far_case_2
	jmp	far_case_3
	ends	straight
	function case_0
	straight_on	100
	bra	.Lstraight
	ends	case_0
	function case_1
	straight_on	400
	jmp	far_case_3
	ends	case_1
	function case_2
	bsr	crunch
	bra	.Lstraight
	ends	case_2
	function case_3
	straight_on	25
	inc.l	count
	bra	.Lstraight
	ends	case_3

	function stretch
	straight_on	700
	inc.l	count
	straight_on	300
	rts
	ends	stretch

	function crunch
	ld	d2, #40
.Lcrunch:
	inc.l	count
	dbne	d2, .Lcrunch
	rts
	ends	crunch

; --- interrupts
	function tick
	mov.b	#1, TFLG1
	ld	d2, TC0
	add	d2, period
	st	d2, TC0
	ld	d0, works
	tbeq	d0, .Ldone
	andcc	#-17	; where a higher level may come
	bsr	crunch
	bsr	stretch
.Ldone:
	rti
	ends	tick

	function fast
	mov.b	#2, TFLG1
	ld	d2, TC1
	add	d2, #FAST
	st	d2, TC1
	straight_on	20
	rti
	ends	fast

	function unexpected
	bra	unexpected
	ends	unexpected

; vectors 123 down to 0
	.section .vectors, "a"
	.rept	123 - 13
	.long	unexpected
	.endr
	.long	fast		; 13: TIM0 channel 1
	.long	tick		; 12: TIM0 channel 0
	.rept	11
	.long	unexpected
	.endr
	.long	start		; 0: reset

	.bss
	.globl	scenario
scenario:	.space	2
period:	.space	2
works:	.space	1
count:	.space	4
