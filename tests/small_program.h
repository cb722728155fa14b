/* A program of a few dozen Thumb instructions, laid out by hand, for tests that walk code. */
#ifndef PT_TESTS_SMALL_PROGRAM_H
#define PT_TESTS_SMALL_PROGRAM_H

#include <string.h>

#include "program/model/program.h"
#include "base/util.h"

/* Addresses of what a test may name. Cycles stand in the comments. */
enum {
	MAIN = 0x100, LEAF = 0x120, ISR = 0x124, SVC_HANDLER = 0x12a, TAIL = 0x12c, RECURSIVE = 0x12e, JUMP = 0x134,
	SMALL_END = 0x13a, RAM_CODE = 0x20000000, RAM_LEAF = RAM_CODE, STACK_TOP = 0x20001000,
};

static const uint16_t small_code[] = {
	/* main */
	0xb510,			/* 100 push {r4, lr}	3 */
	0x2000,			/* 102 movs r0, #0	1 */
	0xf000, 0xf80c,		/* 104 bl leaf		3 */
	0x2801,			/* 108 cmp r0, #1	1 */
	0xd0fa,			/* 10a beq 102		1, 2 taken */
	0x4798,			/* 10c blx r3		2 */
	0xe7f8,			/* 10e b 102		2 */
	0xbd10,			/* 110 pop {r4, pc}	4 */
	/* 112 literal pool, which reads as instructions */
	0x2000, 0x2000, 0x2000, 0xe7fe, 0x4770, 0x2000, 0x2000,
	/* leaf */
	0x3001,			/* 120 adds r0, #1	1 */
	0x4770,			/* 122 bx lr		2 */
	/* isr */
	0xb510,			/* 124 push {r4, lr}	3 */
	0xdf00,			/* 126 svc 0		0 */
	0xbd10,			/* 128 pop {r4, pc}	4 */
	/* svc_handler */
	0x4770,			/* 12a bx lr		2 */
	/* tail */
	0xe7f8,			/* 12c b leaf		2 */
	/* recursive */
	0xf7ff, 0xfffe,		/* 12e bl recursive	3 */
	0x4770,			/* 132 bx lr		2 */
	/* jump */
	0x4718,			/* 134 bx r3		2 */
	0xf3bf, 0x8f5f,		/* 136 dmb		3 */
};
static const uint16_t small_ram_code[] = {
	0x3001,			/* 20000000 adds r0, #1	1 */
	0x4770,			/* 20000002 bx lr	2 */
};
static const struct { unsigned n; uint32_t word; } small_vectors[] = {
	{ 0, STACK_TOP }, { 1, MAIN + 1 }, { 11, SVC_HANDLER + 1 }, { 15, ISR + 1 }, { 16, 0x90001 },
};
static const struct pt_function small_functions[] = {
	{ "leaf", LEAF, 4, "leaf.c", 7, NULL }, { "main", MAIN, 0x12, "main.c", 3, NULL }, { "isr", ISR, 6, NULL, 0, NULL },
	{ "svc_handler", SVC_HANDLER, 2, NULL, 0, NULL }, { "tail", TAIL, 2, NULL, 0, NULL },
	{ "recursive", RECURSIVE, 6, NULL, 0, NULL }, { "jump", JUMP, 2, NULL, 0, NULL },
	{ "ram_leaf", RAM_LEAF, 4, NULL, 0, NULL },
};
static const struct pt_code_mark small_marks[] = {
	{ 0, false }, { MAIN, true }, { 0x112, false }, { LEAF, true }, { SMALL_END, false },
	{ RAM_CODE, true }, { RAM_CODE + 4, false },
};

/* Whatever machine it is for, its bytes are Thumb. */
static inline struct pt_program *small_program_for(unsigned elf_machine)
{
	uint8_t flash[SMALL_END] = { 0 }, ram[4];
	struct pt_segment segments[] = {
		{ .addr = SMALL_END, .size = sizeof(ram), .bytes = ram, .code = true, .writable = true,
		  .run = RAM_CODE },
		{ .addr = 0, .size = sizeof(flash), .bytes = flash, .code = true },
		{ .addr = RAM_CODE + 4, .size = 0x100, .writable = true, .run = RAM_CODE + 4 },
	};
	struct pt_program_desc desc = {
		.elf_machine = elf_machine,
		.name = "small", .segments = segments, .n_segments = PT_LEN(segments), .functions = small_functions,
		.n_functions = PT_LEN(small_functions), .marks = small_marks, .n_marks = PT_LEN(small_marks),
	};

	for (size_t i = 0; i < PT_LEN(small_vectors); i++)
		pt_put_le32(flash + 4 * small_vectors[i].n, small_vectors[i].word);
	for (size_t i = 0; i < PT_LEN(small_code); i++)
		pt_put_le16(flash + MAIN + 2 * i, small_code[i]);
	for (size_t i = 0; i < PT_LEN(small_ram_code); i++)
		pt_put_le16(ram + 2 * i, small_ram_code[i]);
	return pt_program_from_desc(&desc);
}

static inline struct pt_program *small_program(void)
{
	return small_program_for(PT_MACHINE_ARM);
}

#endif
