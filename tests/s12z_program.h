/* A program of a few dozen S12Z instructions, laid out by hand, for tests that walk code by what the code profiling of
 * the S12Z tells. */
#ifndef PT_TESTS_S12Z_PROGRAM_H
#define PT_TESTS_S12Z_PROGRAM_H

#include <string.h>

#include "program/model/program.h"
#include "base/util.h"

enum { EM_S12Z_CODE = 249, S12Z_BASE = 0xff8000, S12Z_END = 0xff8200, S12Z_VECTORS = 0xfffe00 };

/* Addresses of what a test may name. */
enum {
	Z_MAIN = 0xff8000, Z_LOOP = 0xff8005, Z_LEAF = 0xff8040, Z_IF = 0xff8050, Z_ISR = 0xff8060, Z_ISR2 = 0xff8070,
	Z_IDLE = 0xff8080, Z_SWI = 0xff8090, Z_SWI_ISR = 0xff80a0, Z_JUMPS = 0xff80b0, Z_TASK = 0xff80e0, Z_CASE = 0xff8100,
	Z_CHAIN = 0xff8120, Z_ENTER = 0xff8140, Z_ENDLESS = 0xff8144,
};

static const struct { uint32_t at; uint8_t n, byte[8]; } s12z_code[] = {
	/* main */
	{ 0xff8000, 2, { 0x94, 0x03 } },		/* ld d0, #3 */
	{ 0xff8002, 2, { 0x20, 0x03 } },		/* bra loop */
	{ 0xff8004, 1, { 0x01 } },			/* nop */
	/* loop: */
	{ 0xff8005, 4, { 0xbb, 0xff, 0x80, 0x40 } },	/* jsr leaf */
	{ 0xff8009, 3, { 0x21, 0x80, 0x47 } },		/* bsr if */
	{ 0xff800c, 1, { 0x01 } },			/* nop */
	{ 0xff800d, 1, { 0x40 } },			/* dec d2 */
	{ 0xff800e, 2, { 0x26, 0x77 } },		/* bne loop */
	{ 0xff8010, 2, { 0xab, 0xe3 } },		/* jsr (+x) */
	{ 0xff8012, 4, { 0xba, 0xff, 0x80, 0x05 } },	/* jmp loop */
	/* leaf */
	{ 0xff8040, 1, { 0x01 } },			/* nop */
	{ 0xff8041, 1, { 0x05 } },			/* rts */
	/* if: three conditional branches */
	{ 0xff8050, 2, { 0x27, 0x06 } },		/* beq +6: 8056 */
	{ 0xff8052, 1, { 0x01 } },			/* nop */
	{ 0xff8053, 3, { 0x03, 0x65, 0x03 } },		/* brset d1, #4, +3: 8056 */
	{ 0xff8056, 3, { 0x0b, 0x80, 0x7d } },		/* dbne d2, -3: 8053 */
	{ 0xff8059, 1, { 0x05 } },			/* rts */
	/* isr */
	{ 0xff8060, 1, { 0x01 } },			/* nop */
	{ 0xff8061, 2, { 0x27, 0x03 } },		/* beq +3: 8064 */
	{ 0xff8063, 1, { 0x01 } },			/* nop */
	{ 0xff8064, 2, { 0x1b, 0x90 } },		/* rti */
	/* isr2 */
	{ 0xff8070, 2, { 0x1b, 0x90 } },		/* rti */
	/* idle: wai; bra idle */
	{ 0xff8080, 2, { 0x1b, 0x06 } },
	{ 0xff8082, 2, { 0x20, 0x7e } },
	/* swi */
	{ 0xff8090, 1, { 0x01 } },			/* nop */
	{ 0xff8091, 1, { 0xff } },			/* swi */
	{ 0xff8092, 1, { 0x01 } },			/* nop */
	{ 0xff8093, 1, { 0x05 } },			/* rts */
	/* swi_isr */
	{ 0xff80a0, 2, { 0x1b, 0x90 } },		/* rti */
	/* jumps: all kinds of operands */
	{ 0xff80b0, 5, { 0xab, 0xfa, 0xff, 0x80, 0x40 } },	/* jsr leaf through ext24: doubtful */
	{ 0xff80b5, 3, { 0xaa, 0xf0, 0x0b } },		/* jmp (11,p): 80c0, doubtful */
	{ 0xff80c0, 2, { 0x27, 0x04 } },		/* beq +4: 80c4 */
	{ 0xff80c2, 1, { 0x01 } },
	{ 0xff80c3, 1, { 0x01 } },
	{ 0xff80c4, 1, { 0x05 } },			/* rts */
	/* task: nop; beq task; bra task */
	{ 0xff80e0, 1, { 0x01 } },
	{ 0xff80e1, 2, { 0x27, 0x7f } },		/* beq -1: 80e0 */
	{ 0xff80e3, 2, { 0x20, 0x7d } },		/* bra -3: 80e0 */
	/* case: jmp (d3,x) */
	{ 0xff8100, 2, { 0xaa, 0x89 } },
	/* chain: bra, bsr, bra without any branch that is told of */
	{ 0xff8120, 2, { 0x20, 0x04 } },		/* bra +4: 8124 */
	{ 0xff8124, 2, { 0x21, 0x04 } },		/* bsr +4: 8128 */
	{ 0xff8128, 1, { 0x01 } },
	{ 0xff8129, 2, { 0x20, 0x03 } },		/* bra +3: 812c */
	{ 0xff812c, 2, { 0x26, 0x74 } },		/* bne -12: 8120 */
	{ 0xff812e, 1, { 0x05 } },
	/* enter: bra endless; endless: nop, bra endless */
	{ 0xff8140, 2, { 0x20, 0x04 } },
	{ 0xff8144, 1, { 0x01 } },
	{ 0xff8145, 2, { 0x20, 0x7f } },		/* bra -1: 8144 */
};
static const struct { unsigned n; uint32_t to; } s12z_vectors[] = {
	{ 0, Z_MAIN }, { 3, Z_SWI_ISR }, { 10, Z_ISR }, { 12, Z_ISR2 },
};
static const struct pt_function s12z_functions[] = {
	{ "main", Z_MAIN, 0x16, "main.s", 3, NULL }, { "leaf", Z_LEAF, 2, NULL, 0, NULL }, { "if", Z_IF, 10, NULL, 0, NULL },
	{ "isr", Z_ISR, 6, NULL, 0, NULL }, { "isr2", Z_ISR2, 2, NULL, 0, NULL }, { "idle", Z_IDLE, 4, NULL, 0, NULL },
	{ "swi", Z_SWI, 4, NULL, 0, NULL }, { "swi_isr", Z_SWI_ISR, 2, NULL, 0, NULL },
	{ "jumps", Z_JUMPS, 0x15, NULL, 0, NULL }, { "task", Z_TASK, 5, NULL, 0, NULL }, { "case", Z_CASE, 2, NULL, 0, NULL },
	{ "chain", Z_CHAIN, 15, NULL, 0, NULL }, { "enter", Z_ENTER, 2, NULL, 0, NULL },
	{ "endless", Z_ENDLESS, 3, NULL, 0, NULL },
};

static inline struct pt_program *s12z_program(void)
{
	uint8_t flash[S12Z_END - S12Z_BASE], table[512] = { 0 };
	struct pt_segment segments[] = {
		{ .addr = S12Z_BASE, .run = S12Z_BASE, .size = sizeof(flash), .bytes = flash, .code = true },
		{ .addr = S12Z_VECTORS, .run = S12Z_VECTORS, .size = sizeof(table), .bytes = table },
	};
	struct pt_program_desc desc = {
		.name = "s12z", .segments = segments, .n_segments = PT_LEN(segments), .functions = s12z_functions,
		.n_functions = PT_LEN(s12z_functions), .vectors = S12Z_VECTORS, .elf_machine = EM_S12Z_CODE,
	};

	memset(flash, 0xff, sizeof(flash));
	for (size_t i = 0; i < PT_LEN(s12z_code); i++)
		memcpy(flash + (s12z_code[i].at - S12Z_BASE), s12z_code[i].byte, s12z_code[i].n);
	for (size_t i = 0; i < PT_LEN(s12z_vectors); i++) {
		uint8_t *entry = table + 0x1fc - 4 * s12z_vectors[i].n;

		entry[1] = (uint8_t)(s12z_vectors[i].to >> 16);
		entry[2] = (uint8_t)(s12z_vectors[i].to >> 8);
		entry[3] = (uint8_t)s12z_vectors[i].to;
	}
	return pt_program_from_desc(&desc);
}

#endif
