/* A program for stories: functions of 16 Thumb instructions, most of which do nothing, and runs through it in words.
 * For tests of analyses that need real code; run_script.h is for those that do not. */
#ifndef PT_TESTS_STORY_PROGRAM_H
#define PT_TESTS_STORY_PROGRAM_H

#include <stdio.h>
#include <string.h>

#include "profile/flow/run.h"
#include "profile/analyses/calls/spans.h"
#include "program/code/codemap.h"
#include "tests/harness.h"

static const struct pt_function story_functions[] = {
	{ .name = "main", .address = 0x100, .size = 32 }, { .name = "f", .address = 0x120, .size = 32 },
	{ .name = "g", .address = 0x140, .size = 32 }, { .name = "h", .address = 0x160, .size = 32 },
	{ .name = "isr", .address = 0x180, .size = 32 }, { .name = "isr2", .address = 0x1a0, .size = 32 },
	{ .name = "task", .address = 0x1c0, .size = 32 },
};
enum { STORY_END = 0x1e0, NOP = 0x46c0, BX_LR = 0x4770 };
static const struct { unsigned at, code; } story_instructions[] = {	/* the others do nothing */
	{ 0x108, 0xf000 }, { 0x10a, 0xf80a },	/* bl f */
	{ 0x11e, 0xe7ef },	/* b main: it has no exit */
	{ 0x12e, BX_LR },
	{ 0x136, 0xe00d },	/* b 154: into the tail of g */
	{ 0x13a, 0xe001 },	/* b g */
	{ 0x13e, BX_LR }, { 0x15e, BX_LR },
	{ 0x16e, 0xe7e7 },	/* b g: a tail call */
	{ 0x176, 0xd0f3 },	/* beq 160: it stays inside */
	{ 0x17e, BX_LR }, { 0x19e, BX_LR }, { 0x1be, BX_LR },
	{ 0x1de, 0xe7ef },	/* b task */
};

static const struct { const char *word; uint8_t left; } story_verbs[] = {
	{ "br", PT_LEFT_BRANCH }, { "call", PT_LEFT_CALL }, { "ret", PT_LEFT_RETURN }, { "exc", PT_LEFT_EXCEPTION },
	{ "excret", PT_LEFT_EXCEPTION_RETURN }, { "chain", PT_LEFT_TAIL_CHAIN }, { "dbg", PT_LEFT_DEBUG },
	{ "gap", PT_LEFT_GAP },
};

static inline uint16_t story_owner(unsigned address)
{
	return address >= 0x100 && address < STORY_END ? (uint16_t)((address - 0x100) / 32 + 1) : PT_NO_FUNCTION;
}

/* "100 4 call 120": from 0x100 on, 4 instructions of a cycle each ran, then a call of 0x120. */
static inline struct pt_run story_run(const char *line)
{
	struct pt_run run = { 0 };
	unsigned begin, n, next = 0;
	char verb[16];

	ck_assert_int_ge(sscanf(line, "%x %u %15s %x", &begin, &n, verb, &next), 3);
	run.begin = begin;
	run.end = begin + 2 * n;
	run.instructions = (uint16_t)n;
	run.cycles = n;
	run.function = story_owner(begin);
	run.next = strcmp(verb, "gap") == 0 ? PT_UNKNOWN : next;
	run.next_function = story_owner(next);
	for (size_t i = 0; i < PT_LEN(story_verbs); i++)
		if (strcmp(story_verbs[i].word, verb) == 0)
			run.left = story_verbs[i].left;
	ck_assert_uint_ne(run.left, 0);
	return run;
}

static inline struct pt_program *story_program(void)
{
	uint8_t bytes[STORY_END - 0x100];
	const struct pt_segment segment = { .addr = 0x100, .size = sizeof(bytes), .bytes = bytes, .code = true, .run = 0x100 };
	const struct pt_program_desc desc = {
		.elf_machine = PT_MACHINE_ARM,
		.name = "stories", .segments = &segment, .n_segments = 1, .functions = story_functions,
		.n_functions = PT_LEN(story_functions), .vectors = PT_UNKNOWN,
	};

	for (size_t i = 0; i < sizeof(bytes); i += 2)
		pt_put_le16(bytes + i, NOP);
	for (size_t i = 0; i < PT_LEN(story_instructions); i++)
		pt_put_le16(bytes + story_instructions[i].at - 0x100, (uint16_t)story_instructions[i].code);
	return pt_program_from_desc(&desc);
}

/* "f 2-1 7/9 [1: 3 4 4]": 2 entries and 1 partial; net 7, gross 9 in all; 1 whole with net 3, gross 4, call 4. */
static inline void story_print_span(const struct pt_span_figures *span, char *out)
{
	const struct pt_stat *stat = span->run.stat;

	out += sprintf(out, "%s %d-%d %d/%d", span->name, (int)span->run.count, (int)span->run.partial,
		       (int)span->run.cycles, (int)span->run.gross_total);
	if (stat[PT_TALLY_NET].n > 0)
		out += sprintf(out, " [%d: %d %d %d]", (int)stat[PT_TALLY_NET].n, (int)stat[PT_TALLY_NET].total,
			       (int)stat[PT_TALLY_GROSS].total, (int)stat[PT_TALLY_CALL].total);
	if (stat[PT_TALLY_PERIOD].n > 0)
		out += sprintf(out, " per %d", (int)stat[PT_TALLY_PERIOD].total);
	if (stat[PT_TALLY_INACTIVE].n > 0)
		out += sprintf(out, " idle %d", (int)stat[PT_TALLY_INACTIVE].total);
	if (span->refetched > 0)
		out += sprintf(out, " again %d", (int)span->refetched);
	for (int e = 0; e < PT_N_SPAN_ERRORS; e++)
		if (span->errors[e] > 0)
			out += sprintf(out, " %s %d at %d:%x", pt_span_error_name((enum pt_span_error)e),
				       (int)span->errors[e], (int)span->last_ns, (unsigned)span->last_address);
}

static inline char *story_print_spans(const struct pt_spans *spans, char *out)
{
	out[0] = '\0';
	for (size_t i = 0; i < spans->n_spans; i++) {
		strcat(out, i > 0 ? "; " : "");
		story_print_span(&spans->span[i], out + strlen(out));
	}
	return out;
}

#endif
