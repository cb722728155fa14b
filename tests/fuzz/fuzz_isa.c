/* Any bytes as code of every instruction set: what is decoded keeps the contract of isa.h, and nothing reads beyond the bytes.
 * From the first byte on each unit is decoded, so that instructions overlap as they do where a jump goes into the middle of one. */
#include <stdlib.h>
#include <string.h>

#include "isa/isa.h"
#include "base/util.h"

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t in_bytes);

enum { MOST_BYTES = 1024, BASE = 0x1000, MOST_TARGETS = 32 };

#define X(isa) &pt_isa_##isa,
static const struct pt_isa *const isas[] = { PT_ISAS(X) &pt_isa_thumb_m4, &pt_isa_none };
#undef X

struct code { const uint8_t *bytes; size_t n_bytes; };

static void must(bool so)
{
	if (!so)
		abort();
}

static void check_insn(const struct pt_isa *isa, const struct pt_insn *insn, size_t left)
{
	bool leaves = (insn->flow & PT_FLOW_LEAVES) != 0;
	bool direct = insn->flow == PT_FLOW_BRANCH || insn->flow == PT_FLOW_BRANCH_IF || insn->flow == PT_FLOW_CALL;

	must(insn->len_bytes > 0 && insn->len_bytes % isa->unit_bytes == 0);
	must(insn->len_bytes <= isa->most_bytes || insn->flow == PT_FLOW_INVALID);
	must(insn->len_bytes <= left || (insn->flow == PT_FLOW_INVALID && insn->len_bytes == isa->unit_bytes));
	must(insn->len_bytes <= PT_ISA_MOST_UNITS * isa->unit_bytes);
	must(direct ? insn->target != PT_UNKNOWN : insn->target == PT_UNKNOWN || insn->doubtful);
	must(!leaves || insn->taken_cycles <= PT_ISA_MOST_TAKEN_CYCLES);
	must(insn->flow == PT_FLOW_BRANCH_IF || insn->flow == PT_FLOW_INVALID || insn->taken_cycles == insn->cycles);
}

static const uint8_t *bytes_at(const void *arg, uint64_t addr, size_t len_bytes)
{
	const struct code *code = arg;

	if (addr < BASE || addr - BASE > code->n_bytes || len_bytes > code->n_bytes - (addr - BASE))
		return NULL;
	return code->bytes + (addr - BASE);
}

/* A jump with all units in front of it as the instructions before. */
static void find_targets(const struct pt_isa *isa, const struct code *code, size_t at)
{
	uint64_t before[PT_ISA_MOST_BEFORE], targets[MOST_TARGETS];
	struct pt_isa_jump jump = {
		.addr = BASE + at, .before = before, .from = BASE, .to = BASE + code->n_bytes, .bytes = bytes_at, .arg = code,
	};

	for (size_t back = at; back >= isa->unit_bytes && jump.n_before < PT_LEN(before); back -= isa->unit_bytes)
		before[jump.n_before++] = BASE + back - isa->unit_bytes;
	must(isa->jump_targets(&jump, targets, PT_LEN(targets)) <= PT_LEN(targets));
}

static void ask_vectors(const struct pt_isa *isa, const struct code *code)
{
	uint64_t table;
	char name[40];

	if (isa->vector_table == NULL || code->n_bytes < 4)
		return;
	table = isa->vector_table(pt_le32(code->bytes), code->n_bytes % 2 != 0);
	for (unsigned n = 0; n <= isa->n_vectors + 2; n++) {
		memset(name, 'x', sizeof(name));
		isa->vector_name(n, name, sizeof(name));
		must(memchr(name, '\0', sizeof(name)) != NULL);
		isa->vector_entry(table, n);
		isa->vector_target(code->bytes, n % 4);
	}
}

static void read_code(const struct pt_isa *isa, const struct code *code)
{
	unsigned under = 0;
	char text[80];

	for (size_t at = 0; at < code->n_bytes; at += isa->unit_bytes) {
		const uint8_t *bytes = code->bytes + at;
		size_t left = code->n_bytes - at;
		struct pt_insn insn;

		isa->decode(BASE + at, bytes, left, &insn);
		check_insn(isa, &insn, left);
		if (isa->waits != NULL)
			isa->waits(bytes, left);
		if (isa->begins != NULL)
			isa->begins(code->bytes, at, bytes, left);
		if (insn.flow == PT_FLOW_INDIRECT && isa->jump_targets != NULL)
			find_targets(isa, code, at);
		pt_isa_decode_next(isa, BASE + at, bytes, left, &under, &insn);
		if (pt_isa_print(isa, BASE + at, bytes, left, text, sizeof(text)))
			must(memchr(text, '\0', sizeof(text)) != NULL);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t in_bytes)
{
	struct code code = { .n_bytes = in_bytes };
	uint8_t *copy;

	if (in_bytes == 0 || in_bytes > MOST_BYTES)
		return 0;
	copy = malloc(in_bytes);	/* of its own size, so that ASan sees a read beyond it */
	must(copy != NULL);
	code.bytes = memcpy(copy, in, in_bytes);
	for (size_t i = 0; i < PT_LEN(isas); i++) {
		read_code(isas[i], &code);
		ask_vectors(isas[i], &code);
	}
	free(copy);
	return 0;
}
