/* The image first: functions get a level, and call only functions of higher levels, so that no stack overflows. Then
 * the execution: from branch to branch, with the dice deciding. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/isa.h"
#include "synthetic.h"
#include "base/util.h"

enum { LEVELS = SYNTH_LEVELS, DEPTH = 64, VECTORS = 16 + SYNTH_HANDLERS };
#define EXC_RETURN 0xfffffff8u	/* without bit 0 */

static uint32_t dice(struct synth *s, uint32_t n)	/* 0..n-1 */
{
	s->random ^= s->random << 13;
	s->random ^= s->random >> 7;
	s->random ^= s->random << 17;
	return (uint32_t)((s->random >> 16 & UINT32_MAX) * n >> 32);
}

static double chance(struct synth *s)
{
	return (dice(s, 1u << 30) + 1.0) / (1u << 30);
}

static bool is_handler(unsigned f)
{
	return f >= 1 && f <= SYNTH_HANDLERS;
}

/* ---- image */

static void lay_out(struct synth *s)
{
	uint32_t at = 0;

	while (s->n_functions < SYNTH_FUNCTIONS && at < SYNTH_UNITS - 40) {
		uint32_t len = 12 + (uint32_t)(210.0 * chance(s) * chance(s));
		unsigned f = s->n_functions++;

		if (f == SYNTH_FUNCTIONS - 1 || at + len > SYNTH_UNITS)
			len = SYNTH_UNITS - at;
		s->start[f] = at;
		s->level[f] = f == 0 ? 0 : is_handler(f) ? LEVELS - 1 : 1 + dice(s, LEVELS - 1);
		if (!is_handler(f))
			s->member[s->level[f]][s->n_members[s->level[f]]++] = (uint16_t)f;
		at += len > 400 ? 400 : len;
	}
	s->start[s->n_functions] = at;
}

/* A function of that level, some far more popular than others. */
static unsigned pick(struct synth *s, unsigned level, unsigned power)
{
	double u = chance(s), v = u;
	unsigned n = s->n_members[level];

	for (; power > 1; power--)
		u *= v;
	return s->member[level][(unsigned)(u * n) % n];
}

static void put(struct synth *s, uint32_t at, enum synth_kind kind, unsigned len, uint16_t op, uint16_t op2)
{
	s->unit[at].kind = (uint8_t)kind;
	s->unit[at].len = (uint8_t)len;
	s->op[at] = op;
	if (len == 2)
		s->op[at + 1] = op2;
}

static void put_call(struct synth *s, uint32_t at, unsigned f)
{
	unsigned level = s->level[f] + 1 + dice(s, 3);
	uint32_t to = s->start[pick(s, level < LEVELS ? level : LEVELS - 1, 3)];
	uint32_t offset = 2 * (to - at) - 4, sign = offset >> 24 & 1;
	uint32_t j1 = !(offset >> 23 & 1) ^ sign, j2 = !(offset >> 22 & 1) ^ sign;

	if (dice(s, 100) < 20) {
		put(s, at, SYNTH_CALL, 1, 0x4798, 0);	/* blx r3 */
		s->unit[at].target = UINT32_MAX;
		return;
	}
	put(s, at, SYNTH_CALL, 2, (uint16_t)(0xf000 | sign << 10 | (offset >> 12 & 0x3ff)),
	    (uint16_t)(0xd000 | j1 << 13 | j2 << 11 | (offset >> 1 & 0x7ff)));
	s->unit[at].target = to;
}

static void put_plain(struct synth *s, uint32_t at, uint32_t end)
{
	if (dice(s, 20) == 0 && at + 2 < end)
		put(s, at, SYNTH_PLAIN, 2, 0xf3bf, 0x8f5f);	/* dmb */
	else
		put(s, at, SYNTH_PLAIN, 1, dice(s, 4) == 0 ? 0x6808 : 0x2000, 0);	/* ldr r0, [r1]; movs r0, #0 */
}

static void put_last(struct synth *s, uint32_t at, unsigned f)
{
	if (f == 0) {
		s->unit[at].target = s->start[0];
		put(s, at, SYNTH_JUMP, 1, (uint16_t)(0xe000 | ((s->start[0] - at - 2) & 0x7ff)), 0);
	} else {
		put(s, at, is_handler(f) ? SYNTH_HANDLER_RETURN : SYNTH_RETURN, 1, 0x4770, 0);
	}
}

static void fill(struct synth *s, unsigned f)
{
	uint32_t end = s->start[f + 1];
	unsigned plain = 3 + dice(s, 6);

	for (uint32_t at = s->start[f]; at < end; at += s->unit[at].len) {
		unsigned what = dice(s, 100);

		if (at + 1 == end) {
			put_last(s, at, f);
		} else if (plain-- > 0) {
			put_plain(s, at, end);
		} else {
			plain = 2 + dice(s, 7);
			if (what < 27 && s->level[f] < LEVELS - 1 && at + 2 < end - 1)
				put_call(s, at, f);
			else if (what < 31 && f > SYNTH_HANDLERS)
				put(s, at, SYNTH_RETURN, 1, 0x4770, 0);
			else
				put(s, at, SYNTH_JUMP_IF, 1, (uint16_t)(0xd000 | dice(s, 14) << 8), 0);
		}
	}
	for (uint32_t at = s->start[f]; at < end; at++)
		s->unit[at].function = (uint16_t)f;
}

/* Conditional branches stay in their function: back for loops, ahead for decisions. */
static void aim(struct synth *s, uint32_t at)
{
	uint32_t from = s->start[s->unit[at].function], end = s->start[s->unit[at].function + 1], to;

	if (dice(s, 100) < 45) {
		uint32_t back = 2 + dice(s, 24);

		to = at > from + back ? at - back : from;
	} else {
		to = at + 3 + dice(s, 16);
		to = to < end ? to : end - 1;
	}
	while (s->unit[to].len == 0)
		to--;
	s->unit[at].target = to;
	s->op[at] |= (uint16_t)((to - at - 2) & 0xff);
}

/* Costs come from the instruction set under test: that it is right is its own test's business. */
static void add_up(struct synth *s)
{
	uint32_t instructions = 0, cycles = 0;
	struct pt_insn insn;
	uint8_t bytes[4];

	for (uint32_t at = 0; at <= SYNTH_UNITS; at++) {
		s->unit[at].instructions = instructions;
		s->unit[at].cycles = cycles;
		if (at == SYNTH_UNITS || s->unit[at].len == 0)
			continue;
		pt_put_le16(bytes, s->op[at]);
		pt_put_le16(bytes + 2, at + 1 < SYNTH_UNITS ? s->op[at + 1] : 0);
		pt_isa_thumb_v6m.decode(SYNTH_BASE + 2 * at, bytes, sizeof(bytes), &insn);
		instructions++;
		cycles += insn.cycles;
	}
}

struct synth *synth_new(uint64_t seed)
{
	struct synth *s = calloc(1, sizeof(*s));
	uint32_t site = 0;

	if (s == NULL)
		return NULL;
	s->random = seed * 0x9e3779b97f4a7c15 + 1;
	lay_out(s);
	for (unsigned f = 0; f < s->n_functions; f++)
		fill(s, f);
	for (uint32_t at = 0; at < s->start[s->n_functions]; at++)
		if (s->unit[at].kind == SYNTH_JUMP_IF)
			aim(s, at);
	for (uint32_t at = s->start[s->n_functions]; at-- > 0;) {
		if (s->unit[at].len > 0 && s->unit[at].kind != SYNTH_PLAIN)
			site = at;
		s->next_site[at] = site;
	}
	add_up(s);
	return s;
}

struct pt_program *synth_program(const struct synth *s)
{
	uint8_t vectors[4 * VECTORS] = { 0 }, *code = malloc(SYNTH_BYTES);
	struct pt_function functions[SYNTH_FUNCTIONS] = { 0 };
	char names[SYNTH_FUNCTIONS][8];
	struct pt_segment segments[] = {
		{ .addr = 0, .size = sizeof(vectors), .bytes = vectors, .run = 0 },
		{ .addr = SYNTH_BASE, .size = 2 * (uint64_t)s->start[s->n_functions], .bytes = code, .code = true,
		  .run = SYNTH_BASE },
	};
	struct pt_program_desc desc = {
		.elf_machine = PT_MACHINE_ARM,
		.name = "synthetic", .segments = segments, .n_segments = 2, .functions = functions,
		.n_functions = s->n_functions,
	};
	struct pt_program *program;

	for (unsigned f = 0; f < s->n_functions; f++) {
		snprintf(names[f], sizeof(names[f]), "f%u", f % SYNTH_FUNCTIONS);
		functions[f].name = names[f];
		functions[f].address = SYNTH_BASE + 2 * s->start[f];
		functions[f].size = 2 * (uint64_t)(s->start[f + 1] - s->start[f]);
		if (is_handler(f))
			pt_put_le32(vectors + 4 * (15 + f), (uint32_t)functions[f].address | 1);
	}
	for (uint32_t at = 0; at < SYNTH_UNITS; at++)
		pt_put_le16(code + 2 * at, s->op[at]);
	program = pt_program_from_desc(&desc);
	free(code);
	return program;
}

/* ---- execution */

struct clocks { uint64_t at[SYNTH_CLOCKS]; };

struct frame {
	uint32_t resume;
	unsigned function;
	struct clocks from, child, preempted;
};

struct synth_run {			/* the execution in progress */
	struct synth *s;
	uint8_t *out;
	size_t n_packets, room;		/* of the piece */
	bool begun;
	uint32_t pc;
	struct clocks now, entered[SYNTH_FUNCTIONS];
	struct frame frame[DEPTH];
	unsigned depth;
	bool interrupted;
	unsigned entry_cycles, return_cycles;
};

static void note(struct synth_stat *stat, uint64_t value)
{
	stat->min = stat->n == 0 || value < stat->min ? value : stat->min;
	stat->max = value > stat->max ? value : stat->max;
	stat->n++;
	stat->total += value;
}

static void packet(struct synth_run *r, uint32_t from, uint32_t to)
{
	if (r->n_packets < r->room) {
		pt_put_le32(r->out + 8 * r->n_packets, from);
		pt_put_le32(r->out + 8 * r->n_packets + 4, to | !r->begun);	/* S */
		r->begun = true;
		r->n_packets++;
	}
}

static uint32_t address(uint32_t unit)
{
	return SYNTH_BASE + 2 * unit;
}

static void pass(struct synth_run *r, uint32_t from, uint32_t to)
{
	r->now.at[SYNTH_INSTRUCTIONS] += r->s->unit[to].instructions - r->s->unit[from].instructions;
	r->now.at[SYNTH_CYCLES] += r->s->unit[to].cycles - r->s->unit[from].cycles;
}

static void enter(struct synth_run *r, unsigned f, uint32_t resume)
{
	struct synth_truth *truth = &r->s->truth[f];

	for (unsigned c = 0; c < SYNTH_CLOCKS && truth->entries > 0; c++)
		note(&truth->period[c], r->now.at[c] - r->entered[f].at[c]);
	truth->entries++;
	r->entered[f] = r->now;
	if (++r->depth == DEPTH)
		abort();
	r->frame[r->depth] = (struct frame){ .resume = resume, .function = f, .from = r->now };
}

static uint32_t leave(struct synth_run *r, bool handler)
{
	struct frame *frame = &r->frame[r->depth], *below = frame - 1;
	struct synth_truth *truth = &r->s->truth[frame->function];

	for (unsigned c = 0; c < SYNTH_CLOCKS; c++) {
		uint64_t call = r->now.at[c] - frame->from.at[c], gross = call - frame->preempted.at[c];

		note(&truth->call[c], call);
		note(&truth->gross[c], gross);
		note(&truth->net[c], gross - frame->child.at[c]);
		below->child.at[c] += handler ? 0 : gross;
		below->preempted.at[c] += handler ? call : frame->preempted.at[c];
	}
	r->depth--;
	return frame->resume;
}

static uint32_t interrupt(struct synth_run *r, uint32_t pc, uint32_t site)
{
	unsigned f = 1 + dice(r->s, SYNTH_HANDLERS);
	uint32_t at = pc;

	while (at < site && dice(r->s, 3) != 0)
		at += r->s->unit[at].len;
	pass(r, pc, at);
	packet(r, address(at) | 1, address(r->s->start[f]));
	enter(r, f, at);
	r->now.at[SYNTH_CYCLES] += r->entry_cycles;
	r->interrupted = true;
	return r->s->start[f];
}

static uint32_t call(struct synth_run *r, uint32_t site)
{
	const struct synth_unit *u = &r->s->unit[site];
	uint32_t to = u->target;
	unsigned level = r->s->level[u->function];

	if (to == UINT32_MAX)
		to = r->s->start[pick(r->s, level + 1 + dice(r->s, LEVELS - 1 - level), 2)];
	packet(r, address(site), address(to));
	enter(r, r->s->unit[to].function, site + u->len);
	return to;
}

static uint32_t handler_return(struct synth_run *r, uint32_t site)
{
	uint32_t to;

	r->now.at[SYNTH_CYCLES] += r->return_cycles;
	to = leave(r, true);
	packet(r, address(site), EXC_RETURN);
	packet(r, EXC_RETURN | 1, address(to));
	r->interrupted = false;
	return to;
}

/* One branch. Returns where execution goes on. */
static uint32_t step(struct synth_run *r, uint32_t pc)
{
	uint32_t site = r->s->next_site[pc], to;
	const struct synth_unit *u = &r->s->unit[site];

	if (!r->interrupted && site > pc && dice(r->s, 2500) == 0)
		return interrupt(r, pc, site);
	pass(r, pc, site + u->len);
	switch ((enum synth_kind)u->kind) {
	case SYNTH_JUMP_IF:
		if (dice(r->s, 100) >= 55)
			return site + u->len;
		r->now.at[SYNTH_CYCLES]++;
		/* fall through */
	case SYNTH_JUMP:
		packet(r, address(site), address(u->target));
		return u->target;
	case SYNTH_CALL:
		return call(r, site);
	case SYNTH_HANDLER_RETURN:
		return handler_return(r, site);
	default:
		to = leave(r, false);
		packet(r, address(site), address(to));
		return to;
	}
}

struct synth_run *synth_begin(struct synth *s, unsigned entry_cycles, unsigned return_cycles)
{
	struct synth_run *r = calloc(1, sizeof(*r));

	if (r == NULL)
		return NULL;
	*r = (struct synth_run){ .s = s, .entry_cycles = entry_cycles, .return_cycles = return_cycles,
				 .pc = s->start[0] };
	memset(s->truth, 0, sizeof(s->truth));
	return r;
}

/* Whole invocations count; a pair must not be cut by the end, or the truth would know more than the trace. */
size_t synth_more(struct synth_run *r, uint8_t *out, size_t n_packets)
{
	r->out = out;
	r->n_packets = 0;
	r->room = n_packets;
	while (r->n_packets + 2 <= n_packets)
		r->pc = step(r, r->pc);
	return 8 * r->n_packets;
}

size_t synth_trace(struct synth *s, uint8_t *out, size_t n_packets, unsigned entry_cycles, unsigned return_cycles)
{
	struct synth_run *r = synth_begin(s, entry_cycles, return_cycles);
	size_t len_bytes = r != NULL ? synth_more(r, out, n_packets) : 0;

	free(r);
	return len_bytes;
}
