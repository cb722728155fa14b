/* Not to be run, but to be read: every kind of symbol that an ELF reader meets. */
	.syntax unified
	.cpu cortex-m0plus
	.thumb

	.section .vectors, "a"
	.word g_stack_top, start, 0, bare
	.skip 7 * 4
	.word worker

	.text
	.global start
	.type start, %function
start:
	ldr r3, =ram_worker
	blx r3
	bl worker
	bl bare
	b start
	.ltorg				/* data in the middle of code, which reads as instructions */
	.size start, . - start

	.weak worker_weak
	.thumb_set worker_weak, worker	/* three names for one place: the global one is the function's */
	.thumb_set a_local_name, worker
	.global worker
	.type worker, %function
worker:
	adds r0, #1
	.global inside_worker		/* a place to jump to, no function */
inside_worker:
	bx lr
	.size worker, . - worker

	.global bare
	.thumb_func
bare:					/* a function without a size: up to the next one */
	movs r0, #0
	bx lr

	.global label			/* not even declared to be code */
label:
	movs r0, #1
	bx lr

	.section .data.code, "aw"	/* copied to RAM by start-up code; nothing says that it is executable */
	.global ram_worker
	.type ram_worker, %function
ram_worker:
	adds r0, #2
	bx lr
	.size ram_worker, . - ram_worker

	.bss
	.skip 16

	.section .debug_frame, "", %progbits	/* mapping symbols in what is never loaded: offsets, no addresses */
	.skip 0x46
"$d.frame":
	.word 0, 0
