/* What a shadow stack has to follow and no call says: code that goes straight on into the next function, and an
 * exception of C++, whose unwinder leaves functions at once and goes on at a landing pad. */
	.syntax unified
	.cpu cortex-m0plus
	.thumb
	.text

	.macro function name
	.global \name
	.type \name, %function
	.thumb_func
\name:
	.endm

	function falls
	adds r0, #3
	.size falls, . - falls
	function into
	adds r0, #4
	bx lr
	.size into, . - into

/* catcher(n) calls itself down to 0, which calls thrower; the exception lands in catcher(1): in catcher(0) no call
 * that is open has a landing pad. */
	function catcher
	.fnstart
	push {r4, lr}
	.save {r4, lr}
	subs r0, #1
	bmi 1f
	ldr r1, =g_landing		/* the innermost try is the last one */
	mov r2, sp
	ldr r3, =.Lpad + 1
	stmia r1!, {r2, r3}
.Ltry:
	bl catcher
.Ltry_end:
2:	pop {r4, pc}
.Lpad:
	adds r4, #1
	bl landed
	b 2b
1:
.Lcall:
	bl thrower
.Lcall_end:
	b 2b
	.ltorg
	.size catcher, . - catcher
	.personality __gxx_personality_v0
	.handlerdata			/* as GCC writes them: offsets and lengths from the function on */
	.byte 0xff, 0xff, 1
	.uleb128 .Lsites_end - .Lsites
.Lsites:
	.uleb128 .Ltry - catcher, .Ltry_end - .Ltry, .Lpad - catcher, 1
	.uleb128 .Lcall - catcher, .Lcall_end - .Lcall, 0, 0
.Lsites_end:
	.balign 4
	.fnend

	function landed
	bx lr
	.size landed, . - landed

	function thrower
	.fnstart
	push {r4, lr}
	.save {r4, lr}
	bl unwind
	pop {r4, pc}
	.size thrower, . - thrower
	.fnend

/* Ends as the unwinder of libgcc does: by a return instruction. */
	function unwind
	ldr r0, =g_landing
	ldmia r0!, {r1, r2}
	mov sp, r1
	push {r2}
	pop {pc}
	.ltorg
	.size unwind, . - unwind

	function __gxx_personality_v0	/* what the tables name, and nothing calls */
	.global __aeabi_unwind_cpp_pr0
	.thumb_set __aeabi_unwind_cpp_pr0, __gxx_personality_v0
	bx lr
	.size __gxx_personality_v0, . - __gxx_personality_v0

/* Every task waits at the same address, behind the isb. */
	function yield
	ldr r0, =0xe000ed04		/* ICSR */
	ldr r1, =1 << 28		/* PENDSVSET */
	str r1, [r0]
	dsb
	isb
	bx lr
	.ltorg
	.size yield, . - yield

	function PendSV_Handler
	mrs r0, psp
	subs r0, #16
	ldr r3, =g_current
	ldr r1, [r3]
	lsls r2, r1, #2
	ldr r3, =g_stack
	str r0, [r3, r2]
	stmia r0!, {r4 - r7}
	adds r1, #1
	cmp r1, #3
	bne 1f
	movs r1, #0
1:	ldr r3, =g_current
	str r1, [r3]
	lsls r2, r1, #2
	ldr r3, =g_stack
	ldr r0, [r3, r2]
	ldmia r0!, {r4 - r7}
	msr psp, r0
	bx lr
	.ltorg
	.size PendSV_Handler, . - PendSV_Handler

	function start_tasks		/* (process stack pointer): the caller is task 0 from here on */
	msr psp, r0
	movs r1, #2			/* CONTROL.SPSEL */
	msr control, r1
	isb
	bx lr
	.size start_tasks, . - start_tasks

	.bss
	.balign 4
g_landing:
	.skip 8
