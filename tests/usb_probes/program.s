/* What the foreign target runs: work() for three quarters of the time, rest() for one. */
	.syntax unified
	.cpu cortex-m0plus
	.thumb
	.section .vectors, "a"
	.word 0x2000c000, main + 1
	.text
	.global main, work, rest
	.type main, %function
	.type work, %function
	.type rest, %function
main:
	ldr	r0, =0x20000000		/* how often the loop ran */
	ldr	r1, [r0]
	adds	r1, #1
	str	r1, [r0]
	bl	work
	bl	rest
	b	main
	.size main, . - main
work:
	movs	r2, #90
1:	subs	r2, #1
	bne	1b
	bx	lr
	.size work, . - work
rest:
	movs	r2, #30
1:	subs	r2, #1
	bne	1b
	bx	lr
	.size rest, . - rest
	.ltorg
