/* The part of shapes.cpp that only an assembler makes. */
	.syntax unified
	.thumb

	.section .vectors, "a"
	.word g_stack_top, start
	.skip 10 * 4

	.text
	.global by_hand
	.type by_hand, %function
by_hand:			/* two exits with names of their own, in the form that profilers know */
	cmp r0, #1
	beq 1f
	mov r1, lr
	.global by_hand_EXIT_
by_hand_EXIT_:
	mov pc, r1		/* which no analysis could tell from a jump */
1:	adds r0, #1
	.global by_hand_EXIT_2
by_hand_EXIT_2:
	bx lr
	.size by_hand, . - by_hand

	.global jump_by_table
	.type jump_by_table, %function
jump_by_table:			/* addresses in a table, as compilers for small cores make them */
	lsls r0, r0, #2
	ldr r1, =table
	ldr r0, [r1, r0]
	mov pc, r0
2:	movs r0, #1
	bx lr
3:	movs r0, #2
	b shared_tail
	.ltorg
	.size jump_by_table, . - jump_by_table

	.global far_jump
	.type far_jump, %function
far_jump:			/* a veneer: the address comes from the literal pool */
	ldr r3, =shared
	bx r3
	.ltorg
	.size far_jump, . - far_jump

	.global shared
	.type shared, %function
shared:
	movs r1, #0
shared_tail:
	adds r0, r1
	bx lr
	.size shared, . - shared

	.global falls
	.type falls, %function
falls:				/* runs on into the next */
	movs r0, #3
	.size falls, . - falls
	.global landing
	.type landing, %function
landing:
	cmp r0, #3
	bne shared
	bl stop
	.size landing, . - landing

	.global outer
	.type outer, %function
outer:				/* a function with another one inside */
	movs r0, #1
	bl nested
	b 4f
	.type nested, %function
nested:
	adds r0, #1
	bx lr
	.size nested, . - nested
4:	adds r0, #2
	bx lr
	.size outer, . - outer

	.global warm
	.type warm, %function
warm:				/* with a part that a compiler would have moved out of the way */
	cmp r0, #0
	beq warm.cold
5:	bx lr
	.size warm, . - warm
	.type warm.cold, %function
warm.cold:
	adds r0, #1
	bne 5b
	b shared
	.size warm.cold, . - warm.cold

	.section .rodata
	.align 2
table:	.word 2b, 3b
