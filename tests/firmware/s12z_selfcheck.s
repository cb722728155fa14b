; Firmware that checks the core it runs on: instructions against numbers, against each other, and small programs with
; known results. It ends in the loop at done; n_checks, n_failed and first_failed (a number of n_checks, from 1) say
; how.
; D1 belongs to the checks: expect_flags needs it.

	.macro	function name
	.type	\name, @function
	.globl	\name
\name:
	.endm
	.macro	ends name
	.size	\name, . - \name
	.endm
	.macro	variable name, bytes
	.type	\name, @object
	.size	\name, \bytes
	.globl	\name
\name:	.space	\bytes
	.endm
; the register, or X, Y, S, has the value
	.macro	expect reg, value
	cmp	\reg, #\value
	jsr	verdict_of_z
	.endm
; N Z V C are 8, 4, 2, 1
	.macro	expect_flags value
	tfr	ccl, d1
	and	d1, #15
	cmp	d1, #\value
	jsr	verdict_of_z
	.endm
	.macro	expect_memory size, name, reg, value
	ld	\reg, \name
	expect	\reg, \value
	.endm
; N Z V C become that, nothing else changes
	.macro	flags value
	orcc	#\value
	andcc	#\value - 16
	.endm
; one branch that must be taken with the flags, and its opposite, which must not
	.macro	branches value, taken, not_taken
	flags	\value
	\taken	.Ltaken\@
	bra	.Lwrong\@
.Ltaken\@:
	\not_taken .Lwrong\@
	clr	d0
	bra	.Lseen\@
.Lwrong\@:
	ld	d0, #1
.Lseen\@:
	expect	d0, 0
	.endm

	.text
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
	st	s, saved_s
	jsr	operands
	jsr	transfers
	jsr	sums
	jsr	logic
	jsr	shifts
	jsr	conditions
	jsr	loops
	jsr	fields
	jsr	stack
	jsr	products
	jsr	quotients
	jsr	exceptions
	jsr	programs
	.globl	done
done:
	bra	done
	ends	start

; counts a check; Z says whether it was right
	function verdict_of_z
	beq	.Lright
	inc.w	n_checks
	inc.w	n_failed
	psh	d2
	ld	d2, first_failed
	bne	.Lnot_first
	mov.w	n_checks, first_failed
.Lnot_first:
	pul	d2
	rts
.Lright:
	inc.w	n_checks
	rts
	ends	verdict_of_z

; --- addressing
	function operands
	mov.l	#0x11223344, scratch
	mov.l	#0x55667788, scratch + 4
	ld	d6, scratch
	expect	d6, 0x11223344
	lea	x, scratch
	ld	d2, (2,x)
	expect	d2, 0x3344
	lea	y, scratch + 4
	ld	d2, (-2,y)
	expect	d2, 0x3344
	ld	d0, (-1,y)
	expect	d0, 0x44
	ld	d6, (x+)
	expect	d6, 0x11223344
	ld	d6, (x+)
	expect	d6, 0x55667788
	ld	d2, (-x)
	expect	d2, 0x7788
	ld	d0, (x-)
	expect	d0, 0x77
	ld	d0, (+x)
	expect	d0, 0x77
	lea	x, scratch
	ld	d3, #3
	ld	d0, (d3,x)
	expect	d0, 0x44
	ld	d7, #4
	ld	d0, (d7,x)
	expect	d0, 0x55
	ld	d7, #-4
	ld	d0, (d7,y)
	expect	d0, 0x11
	lea	d6, scratch
	ld	d0, (5,d6)
	expect	d0, 0x66
	lea	x, scratch
	st	x, pointer
	ld	d2, [pointer]
	expect	d2, 0x1122
	lea	y, pointer - 8
	ld	d2, [8,y]
	expect	d2, 0x1122
	ld	d2, #8
	ld	d6, [d2,y]
	expect	d6, 0x11223344
	lea	x, pointer - 300
	ld	d6, [300,x]
	expect	d6, 0x11223344
	lea	x, scratch - 300
	ld	d6, (304,x)
	expect	d6, 0x55667788
	ld	d2, #7
	psh	d2
	ld	d2, (0,s)
	expect	d2, 7
	ld	d2, (s+)
	expect	d2, 7
	st	d2, (-s)
	ld	d3, (s+)
	expect	d3, 7
	expect	s, 0x2ffd	; but for the return address
	ld	d6, #-1
	expect	d6, 0xffffffff
	add	d6, #15
	expect	d6, 14
	ld	d6, constant
	expect	d6, 0xcafef00d
	lea	x, constant
	ld	x, (1,x)
	expect	x, 0xfef00d
	mov.b	#0x12, scratch + 1
	expect_memory l, scratch, d6, 0x11123344
	mov.p	#0xaabbcc, scratch + 1
	expect_memory l, scratch, d6, 0x11aabbcc
	mov.w	scratch + 1, scratch + 5
	expect_memory l, scratch + 4, d6, 0x55aabb88
	lea	x, scratch
	lea	y, scratch + 4
	mov.l	(y+), (x+)
	expect_memory l, scratch, d6, 0x55aabb88
	cmp	x, #0
	beq	.Lnever
	lea	y, scratch + 4
	cmp	x, y
	jsr	verdict_of_z
.Lnever:
	rts
	ends	operands

; --- TFR, SEX, EXG, LEA, flags of LD
	function transfers
	ld	d0, #-2
	sex	d0, d2
	expect	d2, 0xfffe
	tfr	d0, d2
	expect	d2, 0x00fe
	sex	d0, x
	expect	x, 0xfffffe
	tfr	x, d6
	expect	d6, 0x00fffffe
	sex	x, d6
	expect	d6, 0xfffffffe
	ld	d3, #0x1234
	ld	d4, #0x5678
	exg	d3, d4
	expect	d3, 0x5678
	expect	d4, 0x1234
	tfr	d3, d0
	expect	d0, 0x78
	ld	x, #0x123456
	ld	y, #0x654321
	exg	x, y
	expect	x, 0x654321
	expect	y, 0x123456
	lea	x, (16,x)
	expect	x, 0x654331
	lea	x, (-64,x)
	expect	x, 0x6542f1
	lea	d7, (1,y)
	expect	d7, 0x123457
	flags	15
	ld	d2, #0
	expect_flags 5
	flags	2
	ld	d2, #0x8000
	expect_flags 8
	flags	0
	st	d2, scratch
	expect_flags 8
	flags	11
	clr	d2
	expect_flags 4
	expect	d2, 0
	ld	x, #0x812345
	expect_flags 8
	rts
	ends	transfers

; --- ADD to NEG
	.macro	sum operation, reg, a, b, in, result, out
	ld	\reg, #\a
	flags	\in
	\operation \reg, #\b
	expect_flags \out
	expect	\reg, \result
	.endm
	.macro	one operation, size, a, in, result, out
	mov.\size #\a, scratch
	flags	\in
	\operation\().\size scratch
	expect_flags \out
	.endm
	function sums
	sum	add, d2, 0x7fff, 1, 0, 0x8000, 10
	sum	add, d2, 0xffff, 1, 0, 0, 5
	sum	add, d2, 0x1234, 0x1111, 15, 0x2345, 0
	sum	add, d0, 0x80, 0x80, 0, 0, 7
	sum	add, d6, 0x7fffffff, 1, 0, 0x80000000, 10
	sum	add, d6, 0xffffffff, 0xffffffff, 0, 0xfffffffe, 9
	sum	adc, d2, 0x00ff, 0x0100, 1, 0x0200, 0
	sum	adc, d2, 0xffff, 0, 1, 0, 5
	sum	adc, d0, 0x7f, 0, 1, 0x80, 10
	sum	sub, d2, 0, 1, 0, 0xffff, 9
	sum	sub, d2, 0x8000, 1, 0, 0x7fff, 2
	sum	sub, d6, 5, 5, 15, 0, 4
	sum	sbc, d2, 5, 2, 1, 2, 0
	sum	sbc, d2, 0, 0, 1, 0xffff, 9
	sum	sbc, d0, 0x80, 0x7f, 1, 0, 6
	sum	cmp, d2, 1, 2, 0, 1, 9
	sum	cmp, d2, 0x8000, 0x7fff, 0, 0x8000, 2
	sum	cmp, d6, 0x12345678, 0x12345678, 15, 0x12345678, 4
	one	inc, b, 0x7f, 1, 0x80, 11
	one	inc, w, 0xffff, 0, 0, 4
	one	inc, l, 0x0000ffff, 15, 0x10000, 1
	one	dec, b, 0x80, 0, 0x7f, 2
	one	dec, w, 0, 1, 0xffff, 9
	one	dec, l, 1, 0, 0, 4
	one	neg, b, 0x80, 0, 0x80, 11
	one	neg, w, 1, 0, 0xffff, 9
	one	neg, l, 0, 15, 0, 4
	expect_memory l, scratch, d6, 0
	ld	x, #5
	ld	y, #3
	sub	d6, x, y
	expect	d6, 2
	sub	d6, y, x
	expect_flags 9
	expect	d6, 0xfffffffe
	cmp	x, y
	expect_flags 0
	ld	d2, #0xfff0
	abs	d2
	expect	d2, 16
	ld	d2, #0x8000
	flags	0
	abs	d2
	expect_flags 10
	ld	d2, #0x7000
	add	d2, #0x7000
	sat	d2
	expect	d2, 0x7fff
	ld	d2, #0x9000
	add	d2, #0x9000
	sat	d2
	expect	d2, 0x8000
	ld	d2, #0x1000
	add	d2, #0x1000
	sat	d2
	expect	d2, 0x2000
	mov.w	#0x8000, scratch
	ld	d2, #1
	minu	d2, scratch
	expect	d2, 1
	maxu	d2, scratch
	expect	d2, 0x8000
	ld	d2, #1
	mins	d2, scratch
	expect	d2, 0x8000
	ld	d2, #1
	maxs	d2, scratch
	expect	d2, 1
; 64 bits by halves: 0x1fffffffe + 3 = 0x200000001, and back
	ld	d6, #0xfffffffe
	ld	d7, #1
	add	d6, #3
	adc	d7, #0
	expect	d6, 1
	expect	d7, 2
	ld	d6, #1
	ld	d7, #2
	sub	d6, #3
	sbc	d7, #0
	expect	d6, 0xfffffffe
	expect	d7, 1
	rts
	ends	sums

; --- AND to COM, bits
	function logic
	sum	and, d2, 0xff0f, 0x0ff0, 3, 0x0f00, 1
	sum	or, d2, 0x8001, 0x0110, 2, 0x8111, 8
	sum	eor, d6, 0xffff0000, 0xffff0000, 2, 0, 4
	sum	bit, d0, 0x80, 0x80, 0, 0x80, 8
	sum	bit, d0, 0x7f, 0x80, 1, 0x7f, 5
	one	com, b, 0x55, 2, 0xaa, 8
	one	com, w, 0xffff, 0, 0, 4
	expect_memory w, scratch, d2, 0
	ld	d0, #0
	bset	d0, #3
	expect	d0, 8
	bclr	d0, #3
	expect	d0, 0
	btgl	d0, #7
	expect	d0, 0x80
	mov.l	#0, scratch
	bset.b	scratch, #7
	bset.w	scratch + 2, #9
	expect_memory l, scratch, d6, 0x80000200
	bset.l	scratch, #30
	bclr.l	scratch, #9
	expect_memory l, scratch, d6, 0xc0000000
	ld	d4, #17
	btgl.l	scratch, d4
	expect_memory l, scratch, d6, 0xc0020000
	clr	d0
	brset.l	scratch, d4, .Lbit_set
	inc	d0
.Lbit_set:
	brclr.b	scratch, #6, .Lbit_wrong
	brset.w	scratch + 2, #0, .Lbit_wrong
	brclr	d0, #0, .Lbit_done
.Lbit_wrong:
	inc	d0
.Lbit_done:
	expect	d0, 0
	rts
	ends	logic

; --- shifts, against multiplication and against each other
	function shifts
	ld	d2, #0x8001
	flags	0
	lsl	d2, d2, #1
	expect_flags 1
	expect	d2, 2
	ld	d2, #0x8003
	lsr	d2, d2, #1
	expect_flags 1
	expect	d2, 0x4001
	ld	d2, #0x8003
	asr	d2, d2, #1
	expect_flags 9
	expect	d2, 0xc001
	ld	d2, #0x4000
	asl	d2, d2, #1
	expect_flags 10
	ld	d6, #0x12345678
	lsl	d6, d6, #4
	expect	d6, 0x23456780
	lsr	d6, d6, #8
	expect	d6, 0x00234567
	ld	d6, #0x80000000
	asr	d6, d6, #31
	expect	d6, 0xffffffff
	ld	d0, #12
	ld	d6, #1
	lsl	d7, d6, d0
	expect	d7, 4096
	mov.w	#0x8001, scratch
	flags	1
	rol.w	scratch
	expect_flags 1
	expect_memory w, scratch, d2, 3
	flags	0
	ror.w	scratch
	expect_flags 1
	ror.w	scratch
	expect_memory w, scratch, d2, 0x0000
	lsl.w	scratch, #2
	expect_memory w, scratch, d2, 0
	mov.b	#0x81, scratch
	asr.b	scratch, #2
	ld	d0, scratch
	expect	d0, 0xe0
; by every count: x << n is x * 2^n, and >> n undoes it
	ld	d7, #1
	clr	d0
.Lcounts:
	ld	d6, #0x0000a5c3
	lsl	d6, d6, d0
	ld	d2, #0xa5c3
	st	d7, scratch
	tfr	d2, d6
	psh	d6
	mulu.l	d6, d6, scratch
	st	d6, scratch + 4
	pul	d6
	lsl	d6, d6, d0
	cmp	d6, scratch + 4
	jsr	verdict_of_z
	ld	d6, #0x0000a5c3
	lsl	d6, d6, d0
	lsr	d6, d6, d0
	expect	d6, 0xa5c3
	lsl	d7, d7, #1
	inc	d0
	cmp	d0, #17
	bne	.Lcounts
	rts
	ends	shifts

; --- conditional branches
	function conditions
	branches 0, bhi, bls
	branches 1, bls, bhi
	branches 4, bls, bhi
	branches 5, bls, bhi
	branches 0, bcc, bcs
	branches 1, bcs, bcc
	branches 0, bne, beq
	branches 4, beq, bne
	branches 0, bvc, bvs
	branches 2, bvs, bvc
	branches 0, bpl, bmi
	branches 8, bmi, bpl
	branches 0, bge, blt
	branches 10, bge, blt
	branches 8, blt, bge
	branches 2, blt, bge
	branches 0, bgt, ble
	branches 10, bgt, ble
	branches 4, ble, bgt
	branches 8, ble, bgt
	branches 2, ble, bgt
	branches 14, ble, bgt
	rts
	ends	conditions

; --- TBcc, DBcc: how often each goes round
	.macro	rounds operation, from, times
	ld	d2, #\from
	clr	d3
.Lround\@:
	inc	d3
	\operation d2, .Lround\@
	expect	d3, \times
	.endm
	function loops
	rounds	dbne, 5, 5
	rounds	dbpl, 5, 6
	rounds	dbgt, 5, 5
	rounds	dbeq, 1, 2
	rounds	dbmi, 0xffff, 32768
	rounds	dble, 1, 32770
	ld	x, #3
	clr	d3
.Lx:
	inc	d3
	dbne	x, .Lx
	expect	d3, 3
	expect	x, 0
	mov.l	#260, scratch
	clr	d3
.Lmemory:
	inc	d3
	dbne.l	scratch, .Lmemory
	expect	d3, 260
	mov.b	#0, scratch
	clr	d3
.Lbyte:
	inc	d3
	dbne.b	scratch, .Lbyte
	expect	d3, 256
	clr	d0
	tbeq	d0, .Ltbeq
	inc	d0
.Ltbeq:
	tbne	d0, .Ltbne
	tbpl	d0, .Ltbpl
.Ltbne:
	inc	d0
.Ltbpl:
	expect	d0, 0
	ld	d6, #0x80000000
	tbmi	d6, .Ltbmi
	inc	d0
.Ltbmi:
	tbgt	d6, .Ltbgt
	tble	d6, .Ltble
.Ltbgt:
	inc	d0
.Ltble:
	expect	d0, 0
	rts
	ends	loops

; --- BFEXT, BFINS: what is put in comes out, at every place; CLB
	function fields
	ld	d6, #0x12345678
	bfext	d2, d6, #8:12
	expect	d2, 0x45
	ld	d7, #0
	ld	d2, #0x1ff
	bfins	d7, d2, #7:20
	expect	d7, 0x07f00000
	mov.w	#0xffff, scratch
	ld	d2, #0
	bfins.w	scratch, d2, #4:4
	expect_memory w, scratch, d3, 0xff0f
	bfext.w	d2, scratch, #12:4
	expect	d2, 0xff0
	ld	d3, #0x00a0	; width 5, offset 0
.Loffset:
	ld	d7, #0xffffffff
	ld	d2, #0x15
	bfins	d7, d2, d3
	bfext	d6, d7, d3
	expect	d6, 0x15
	inc	d3
	cmp	d3, #0x00bc
	bne	.Loffset
	ld	d2, #0x0010
	clb	d2, d0
	expect	d0, 10
	ld	d2, #0xff00
	clb	d2, d0
	expect	d0, 7
	rts
	ends	fields

; --- PSH, PUL, frames
	function stack
	ld	d0, #0x10
	ld	d2, #0x2021
	ld	d3, #0x3031
	ld	x, #0x808182
	psh	d0, d2, d3
	psh	x
	ld	d6, (0,s)
	expect	d6, 0x80818210
	ld	d6, (4,s)
	expect	d6, 0x20213031
	clr	d0
	clr	d2
	clr	d3
	pul	x
	pul	d0, d2, d3
	expect	d0, 0x10
	expect	d2, 0x2021
	expect	d3, 0x3031
	expect	s, 0x2ffd
	ld	d6, #0x60616263
	ld	d7, #0x70717273
	ld	y, #0x909192
	psh	all
	ld	d6, (22,s)
	expect	d6, 0x82909192
	clr	d6
	clr	d7
	ld	y, #0
	pul	all
	expect	d6, 0x60616263
	expect	d7, 0x70717273
	expect	y, 0x909192
	psh	all16b
	ld	d2, #0
	pul	all16b
	expect	d2, 0x2021
	expect	s, 0x2ffd
	ld	d3, #6
	clr	d2
	bsr	.Ldeeper
	expect	d2, 21
	expect	s, 0x2ffd
	rts
.Ldeeper:			; D2 += 6 + 5 + ... + 1, a frame for each
	tbeq	d3, .Ldeep
	add	d2, d3
	psh	d3
	dec	d3
	bsr	.Ldeeper
	pul	d3
.Ldeep:
	rts
	ends	stack

; the next of a row of numbers, in D6; keeps everything else but flags
	function random
	ld	d6, seed
	mulu.l	d6, d6, multiplier
	add	d6, #12345
	st	d6, seed
	rts
	ends	random

; --- products, against addition and shifts
	function products
	ld	d2, #300
	ld	d3, #200
	mulu	d6, d2, d3
	expect	d6, 60000
	muls	d6, d2, d3
	expect	d6, 60000
	ld	d2, #-300
	muls	d6, d2, d3
	expect	d6, -60000
	mulu	d6, d2, d3
	expect	d6, 13047200
	ld	d0, #-1
	muls	d2, d0, d0
	expect	d2, 1
	mulu	d2, d0, d0
	expect	d2, 0xfe01
	muls.b	d2, d0, #-128
	expect	d2, 128
	mov.w	#-3, scratch
	mov.b	#7, scratch + 2
	muls.wb	d6, scratch, scratch + 2
	expect	d6, -21
	ld	d6, #100
	ld	d2, #5
	ld	d3, #6
	macu	d6, d2, d3
	expect	d6, 130
	ld	d2, #-5
	macs	d6, d2, d3
	expect	d6, 100
	ld	d2, #0x4000
	qmuls	d3, d2, d2
	expect	d3, 0x2000
	mov.w	#40, loop
.Lproduct:
	jsr	random
	lsr	d6, d6, #8
	tfr	d6, d2		; two factors of 16 bits
	jsr	random
	lsr	d6, d6, #8
	tfr	d6, d3
	mulu	d7, d2, d3
	tfr	d2, d6		; the same by adding
	st	d6, scratch
	clr	d6
	ld	d4, #16
.Ladd:
	lsl	d6, d6, #1
	lsl	d3, d3, #1
	bcc	.Lno_add
	add	d6, scratch
.Lno_add:
	dbne	d4, .Ladd
	st	d7, scratch
	cmp	d6, scratch
	jsr	verdict_of_z
	dbne.w	loop, .Lproduct
	rts
	ends	products

; --- quotients: q * b + r is a, and r below b
	function quotients
	ld	d6, #100
	ld	d7, #7
	divu	d2, d6, d7
	expect	d2, 14
	modu	d2, d6, d7
	expect	d2, 2
	ld	d6, #-100
	divs	d2, d6, d7
	expect	d2, -14
	mods	d2, d6, d7
	expect	d2, -2
	ld	d2, #1234
	ld	d7, #0
	flags	0
	divu	d2, d2, d7
	tfr	ccl, d1
	and	d1, #1
	cmp	d1, #1		; C: by zero
	jsr	verdict_of_z
	mov.w	#40, loop
.Lquotient:
	jsr	random
	st	d6, scratch		; a
	jsr	random
	lsr	d6, d6, #13
	or	d6, #1
	st	d6, scratch + 4		; b
	divu.ll	d7, scratch, scratch + 4
	modu.ll	d6, scratch, scratch + 4
	cmp	d6, scratch + 4
	bcc	.Lr_wrong
	mulu.l	d7, d7, scratch + 4
	st	d6, scratch + 8
	add	d7, scratch + 8
	cmp	d7, scratch
.Lr_wrong:
	jsr	verdict_of_z
	divs.ll	d7, scratch, scratch + 4
	mods.ll	d6, scratch, scratch + 4
	muls.l	d7, d7, scratch + 4
	st	d6, scratch + 8
	add	d7, scratch + 8
	cmp	d7, scratch
	jsr	verdict_of_z
	dbne.w	loop, .Lquotient
	rts
	ends	quotients

; --- exceptions: each handler notes its number and changes every register, which RTI brings back
	function exceptions
	.irp	number, 3, 4, 2, 1
	clr.b	noted
	ld	d2, #0x2222
	ld	d6, #0x66666666
	ld	x, #0x888888
	flags	10
	.if	\number == 3
	swi
	.elseif	\number == 4
	sys
	.elseif	\number == 2
	trap	#146
	.else
	.byte	0xef
	.endif
	expect_flags 10
	expect	d2, 0x2222
	expect	d6, 0x66666666
	expect	x, 0x888888
	expect	s, 0x2ffd
	ld	d0, noted
	expect	d0, \number
	.endr
; I was set in the handler, and is as before here
	andcc	#-17
	swi
	tfr	ccl, d0
	and	d0, #16
	expect	d0, 0
	orcc	#16
	ld	d0, masked
	and	d0, #16
	expect	d0, 16
; an access to nothing: the handler has no frame to return with
	clr.b	noted
	st	s, saved_s
	lea	x, .Lresumed
	st	x, resume
	ld	d2, 0x500000
.Lresumed:
	ld	d0, noted
	expect	d0, 5
	expect	s, 0x2ffd
	rts
	ends	exceptions

	.macro	handler name, number
	function \name
	mov.b	#\number, noted
	tfr	ccl, d0
	st	d0, masked
	clr	d2
	clr	d6
	ld	x, #0
	ld	y, #-1
	flags	5
	rti
	ends	\name
	.endm
	handler	on_spare, 1
	handler	on_trap, 2
	handler	on_swi, 3
	handler	on_sys, 4
	function on_machine
	mov.b	#5, noted
	ld	s, saved_s
	ld	x, resume
	jmp	(0,x)
	ends	on_machine
	function unexpected
	inc.w	n_failed
	rti
	ends	unexpected

; --- programs with known results
	function programs
; CRC-16/CCITT-FALSE of "123456789" is 0x29b1
	lea	x, digits
	ld	d2, #0xffff
	ld	d3, #9
.Lcrc_byte:
	ld	d0, (x+)
	tfr	d0, d4
	lsl	d4, d4, #8
	st	d4, scratch
	eor	d2, scratch
	ld	d5, #8
.Lcrc_bit:
	lsl	d2, d2, #1
	bcc	.Lcrc_next
	eor	d2, #0x1021
.Lcrc_next:
	dbne	d5, .Lcrc_bit
	dbne	d3, .Lcrc_byte
	expect	d2, 0x29b1
; the 24th number of Fibonacci
	clr	d6
	ld	d7, #1
	ld	d2, #24
.Lfibonacci:
	st	d7, scratch
	add	d7, d6
	ld	d6, scratch
	dbne	d2, .Lfibonacci
	expect	d6, 46368
; 54 primes below 256, by the sieve
	lea	x, sieve
	ld	d2, #256
.Lsieve_clear:
	clr.b	(x+)
	dbne	d2, .Lsieve_clear
	clr	d4
	ld	d2, #2
.Lsieve:
	lea	x, sieve
	ld	d0, (d2,x)
	bne	.Lcomposite
	inc	d4
	tfr	d2, d3
.Lstrike:
	add	d3, d2
	cmp	d3, #256
	bcc	.Lcomposite
	mov.b	#1, (d3,x)
	bra	.Lstrike
.Lcomposite:
	inc	d2
	cmp	d2, #256
	bne	.Lsieve
	expect	d4, 54
; 32 bytes sorted, and their sum kept
	lea	x, sieve
	ld	d2, #32
	clr	d3
.Lfill:
	jsr	random
	lsr	d6, d6, #16
	tfr	d6, d0
	st	d0, (x+)
	tfr	d0, d4
	add	d3, d4
	dbne	d2, .Lfill
	st	d3, scratch + 8
	ld	d5, #31
.Lpass:
	lea	x, sieve
	ld	d4, #31
.Lpair:
	ld	d0, (x+)
	cmp	d0, (0,x)
	bls	.Lin_order
	mov.b	(0,x), (-1,x)
	st	d0, (0,x)
.Lin_order:
	dbne	d4, .Lpair
	dbne	d5, .Lpass
	lea	x, sieve
	clr	d3
	clr	d5
	ld	d2, #32
.Lsorted:
	ld	d0, (x+)
	tfr	d0, d4
	cmp	d4, d5
	bcs	.Lunsorted
	tfr	d4, d5
	add	d3, d4
	dbne	d2, .Lsorted
.Lunsorted:
	expect	d2, 0
	cmp	d3, scratch + 8
	jsr	verdict_of_z
; the greatest common divisor of 1071 and 462 is 21, through a table of routines
	mov.w	#1071, scratch
	mov.w	#462, scratch + 2
	lea	x, routines + 1
	ld	d3, #4
	jsr	[d3,x]
	expect	d2, 21
	clr	d3
	jsr	[d3,x]
	expect	d2, 1533
	rts
	ends	programs

	function sum_of_two
	ld	d2, scratch
	add	d2, scratch + 2
	rts
	ends	sum_of_two

	function divisor_of_two
	ld	d2, scratch
	ld	d3, scratch + 2
	mov.w	scratch, keep
	mov.w	scratch + 2, keep + 2
.Lgcd:
	tbeq	d3, .Lgcd_done
	modu	d4, d2, d3
	tfr	d3, d2
	tfr	d4, d3
	bra	.Lgcd
.Lgcd_done:
	mov.w	keep, scratch
	mov.w	keep + 2, scratch + 2
	rts
	ends	divisor_of_two

; in a section of its own: the assembler loses the addends of data that points into its own section
	.section .rodata, "a"
constant:	.long	0xcafef00d
multiplier:	.long	1103515245
routines:	.long	sum_of_two, divisor_of_two
digits:		.ascii	"123456789"

; vectors 123 down to 0
	.section .vectors, "a"
	.rept	123 - 5
	.long	unexpected
	.endr
	.long	on_machine, on_sys, on_swi, on_trap, on_spare, start

	.bss
ram_begin:
	variable n_checks, 2
	variable n_failed, 2
	variable first_failed, 2
	variable scratch, 16
	variable pointer, 3
	variable seed, 4
	variable loop, 2
	variable noted, 1
	variable masked, 1
	variable saved_s, 3
	variable resume, 3
	variable keep, 4
	variable sieve, 256
ram_end:
