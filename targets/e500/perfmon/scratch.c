#include "targets/e500/perfmon/scratch.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"

enum { R3 = 3, R4 = 4, R5 = 5, MOST_WORDS = PT_E500_SCRATCH_BYTES / 4 };
enum { HEAD_WORDS = 4, TAIL_WORDS = 3 };	/* maximum */

struct routine {
	uint32_t word[MOST_WORDS];
	unsigned n_code, n_words;	/* after the code: a word per operation, and an end mark */
};

/* Source: Power ISA 2.06 Book I, 3.3 */
static uint32_t load(unsigned rd, unsigned ra, unsigned offset)
{
	return UINT32_C(0x80000000) | rd << 21 | ra << 16 | offset;	/* lwz */
}

static uint32_t store(unsigned rs, unsigned ra, unsigned offset)
{
	return UINT32_C(0x90000000) | rs << 21 | ra << 16 | offset;	/* stw */
}

static void put(struct routine *r, uint32_t word)
{
	r->word[r->n_code++] = word;
}

/* mfpmr comes first, because it may trap. r4: buffer; r5: old PMGC0, or the new one. Until the freeze a counter without
 * FCM1 counts these instructions, so there are as few as possible. */
static void put_head(struct routine *r, bool user)
{
	put(r, pt_e500_mfpmr(R5, PT_E500_PMGC0 - (user ? PT_E500_USER_LESS : 0)));
	if (user)
		return;
	put(r, UINT32_C(0x64a38000));					/* oris r3,r5,FAC */
	put(r, pt_e500_mtpmr(PT_E500_PMGC0, R3));
	put(r, UINT32_C(0x4c00012c));					/* isync */
}

static uint32_t move_from(unsigned rd, unsigned reg, bool user)
{
	unsigned spr = reg - PT_E500_SPR;

	if (reg < PT_E500_SPR)
		return pt_e500_mfpmr(rd, reg - (user ? PT_E500_USER_LESS : 0u));
	if (user && spr == PT_E500_SPR_PVR)
		return UINT32_C(0x38000000) | rd << 21;			/* li rd,0 */
	return UINT32_C(0x7c0002a6) | rd << 21 | (spr & 31) << 16 | (spr >> 5 & 31) << 11;	/* mfspr */
}

static void put_op(struct routine *r, const struct pt_e500_op *op, unsigned offset, bool user)
{
	bool whole = op->pmr == PT_E500_PMGC0;
	unsigned gpr = whole ? R5 : R3;

	if (!op->write && !whole)
		put(r, move_from(gpr, op->pmr, user));
	put(r, op->write ? load(gpr, R4, offset) : store(gpr, R4, offset));
	if (op->write && !whole)
		put(r, pt_e500_mtpmr(op->pmr, gpr));
}

static void build(struct routine *r, const struct pt_e500_op *ops, size_t n_ops, bool user)
{
	memset(r, 0, sizeof(*r));
	put_head(r, user);
	for (size_t i = 0; i < n_ops; i++)
		put_op(r, &ops[i], 4 * (unsigned)i, user);
	put(r, store(R4, R4, 4 * (unsigned)n_ops));			/* end mark */
	if (!user)
		put(r, pt_e500_mtpmr(PT_E500_PMGC0, R5));		/* the trap synchronizes */
	put(r, PT_E500_TRAP);
	for (size_t i = 0; i < n_ops; i++)
		r->word[r->n_code + i] = ops[i].write ? ops[i].value : 0;
	r->n_words = r->n_code + (unsigned)n_ops + 1;
}

uint32_t pt_e500_scratch_needs(size_t n_ops)
{
	return (uint32_t)(4 * (HEAD_WORDS + TAIL_WORDS + 3 * n_ops + 1));
}

static int check(const struct pt_e500_scratch *s, const struct pt_e500_op *ops, size_t n_ops, bool user,
		 struct pt_err *err)
{
	if (n_ops > PT_E500_OPS_MAX)
		return pt_fail(err, PT_EARG, "%zu accesses to PMRs at once: no more than %d", n_ops, PT_E500_OPS_MAX);
	if (pt_e500_scratch_needs(n_ops) > s->size_bytes || s->addr % 4 != 0)
		return pt_fail(err, PT_EARG,
			       "%zu PMRs take %" PRIu32 " bytes of RAM, from a multiple of 4; there are %" PRIu32
			       " at 0x%" PRIx64,
			       n_ops, pt_e500_scratch_needs(n_ops), s->size_bytes, s->addr);
	for (size_t i = 0; i < n_ops; i++)
		if (ops[i].write && ops[i].pmr >= PT_E500_SPR)
			return pt_fail(err, PT_EARG, "SPR %u is only read", ops[i].pmr - PT_E500_SPR);
	for (size_t i = 0; user && i < n_ops; i++)
		if (ops[i].write && s->process)
			return pt_fail(err, PT_EUNSUPPORTED,
				       "a process may only read PMRs: its kernel sets them up (perf, or "
				       "an agent in it)");
		else if (ops[i].write)
			return pt_fail(err, PT_ESTATE,
				       "the core stopped in user mode, where PMRs can only be read: "
				       "halt it in supervisor code to write them");
	return 0;
}

/* Tests mfpmr by a single-step: if it traps, the step ends in the handler and not after the instruction. */
static int prove(struct pt_e500_scratch *s, struct pt_err *err)
{
	struct pt_e500_frame at;
	int rc = s->port->run(s->port->state, true, s->addr + 4, err);

	if (rc == 0)
		rc = s->port->get(s->port->state, &at, err);
	if (rc < 0)
		return rc;
	if (at.pc != s->addr + 4)
		return pt_fail(err, PT_EUNSUPPORTED,
			       "mfpmr traps, to 0x%" PRIx64 ": the OS or the core keeps the "
			       "performance monitor to itself, or nothing can be executed at 0x%" PRIx64
			       "; an agent in the "
			       "program can publish the counters",
			       at.pc, s->addr);
	s->proven = true;
	return 0;
}

static bool is_seen(const struct pt_e500_scratch *s, const struct pt_e500_op *op)
{
	return op->pmr >= PT_E500_PMRS || (s->seen[op->pmr / 8] >> op->pmr % 8 & 1) != 0;
}

static void note_seen(struct pt_e500_scratch *s, const struct pt_e500_op *ops, size_t n_ops)
{
	for (size_t i = 0; i < n_ops; i++)
		if (ops[i].pmr < PT_E500_PMRS)
			s->seen[ops[i].pmr / 8] |= (uint8_t)(1u << ops[i].pmr % 8);
}

static bool goes_by_steps(const struct pt_e500_scratch *s, const struct pt_e500_op *ops, size_t n_ops)
{
	size_t i = 0;

	while (i < n_ops && is_seen(s, &ops[i]))
		i++;
	return s->doubt && i < n_ops;
}

/* Single-steps the routine. No timeout is needed: an access that the core refuses ends its step in the handler. */
static int walk(struct pt_e500_scratch *s, uint64_t end, struct pt_err *err)
{
	struct pt_e500_frame at;
	int rc = s->port->get(s->port->state, &at, err);

	while (rc == 0 && at.pc != end) {
		uint64_t next = at.pc + 4;

		rc = s->port->run(s->port->state, true, next, err);
		rc = rc == 0 ? s->port->get(s->port->state, &at, err) : rc;
		if (rc == 0 && at.pc != next)
			return pt_fail(err, PT_EFAULT, "access to a PMR traps, to 0x%" PRIx64, at.pc);
	}
	return rc;
}

static int execute(struct pt_e500_scratch *s, const struct pt_e500_frame *was, const struct routine *r, bool by_steps,
		   uint8_t *results, struct pt_err *err)
{
	const struct pt_e500_port *port = s->port;
	struct pt_e500_frame frame = *was;
	uint64_t buffer = s->addr + 4 * r->n_code;
	size_t len_bytes = 4 * (size_t)(r->n_words - r->n_code);
	int rc;

	frame.pc = s->addr;
	frame.r4 = buffer;
	frame.msr &= ~(uint64_t)(PT_E500_MSR_EE | PT_E500_MSR_CE | PT_E500_MSR_DE | PT_E500_MSR_WE);
	frame.msr |= PT_E500_MSR_PMM;
	rc = port->set(port->state, &frame, err);
	if (rc == 0 && !s->proven)
		rc = prove(s, err);
	if (rc == 0)
		rc = by_steps ? walk(s, buffer - 4, err) : port->run(port->state, false, buffer - 4, err);
	if (rc == PT_ETIMEOUT)
		return pt_wrap(err,
			       "code at 0x%" PRIx64
			       " does not come to its trap (a core of another kind than it is taken for, "
			       "e500.core, has other PMRs)",
			       s->addr);
	if (rc == 0)
		rc = pt_mem_read(port->mem, buffer, results, len_bytes, err);
	if (rc == 0 && pt_be32(results + len_bytes - 4) != (uint32_t)buffer)
		rc = pt_fail(err, PT_EPROTO,
			     "code at 0x%" PRIx64 " stopped before its end: is it RAM that the "
			     "core may execute, and made visible to instruction fetch?",
			     s->addr);
	return rc;
}

/* True: memory is unchanged, because the server refused every write. */
static bool is_as_it_was(const struct pt_e500_scratch *s)
{
	uint8_t now[PT_E500_SCRATCH_BYTES];

	return pt_mem_read(s->port->mem, s->away.addr, now, s->away.len_bytes, &(struct pt_err){ 0 }) == 0 &&
	       memcmp(now, s->away.saved, s->away.len_bytes) == 0;
}

/* Restores memory first; restoring the registers puts the core back where it was. */
static int put_back(struct pt_e500_scratch *s, struct pt_err *err)
{
	const struct pt_e500_away *away = &s->away;
	const struct pt_e500_frame *was = &away->was;
	struct pt_err why = { 0 };
	int mem_rc = pt_mem_write(s->port->mem, away->addr, away->saved, away->len_bytes, &why), rc;

	if (mem_rc < 0 && is_as_it_was(s))
		mem_rc = 0;
	rc = s->port->set(s->port->state, was, &why);
	s->astray = rc < 0 || mem_rc < 0;
	if (rc < 0)
		return pt_fail(err, rc,
			       "registers could not be put back: r3=0x%" PRIx64 " r4=0x%" PRIx64 " r5=0x%" PRIx64
			       " pc=0x%" PRIx64 " msr=0x%" PRIx64 ": %.60s",
			       was->r3, was->r4, was->r5, was->pc, was->msr, why.msg);
	return mem_rc < 0 ? pt_fail(err, mem_rc, "%" PRIu32 " bytes at 0x%" PRIx64 " could not be put back: %.80s",
				    away->len_bytes, away->addr, why.msg)
			  : 0;
}

int pt_e500_scratch_mend(const struct pt_e500_port *port, const struct pt_e500_away *away, bool *as_before,
			 struct pt_err *err)
{
	uint8_t now[PT_E500_SCRATCH_BYTES];
	struct pt_e500_frame at;
	bool ours, strays;
	int rc = pt_mem_read(port->mem, away->addr, now, away->len_bytes, err);

	*as_before = false;
	if (rc == 0)
		rc = port->get(port->state, &at, err);
	if (rc < 0)
		return rc;
	ours = memcmp(now, away->code, away->n_code_bytes) == 0;
	strays = at.pc - away->addr < away->n_code_bytes;
	*as_before = (ours || memcmp(now, away->saved, away->len_bytes) == 0) && (strays || at.pc == away->was.pc);
	if (ours)
		rc = pt_mem_write(port->mem, away->addr, away->saved, away->len_bytes, err);
	if (rc == 0 && strays)
		rc = port->set(port->state, &away->was, err);
	return rc;
}

/* Verifies the write: some servers ignore writes to flash without an error, and the old content must not be
 * executed. */
static int look_whether_written(struct pt_e500_scratch *s, struct pt_err *err)
{
	uint8_t now[PT_E500_SCRATCH_BYTES];

	if (pt_mem_read(s->port->mem, s->addr, now, s->away.len_bytes, err) < 0)
		return err->code;
	s->written = memcmp(now, s->away.code, s->away.len_bytes) == 0;
	return s->written ? 0
			  : pt_fail(err, PT_EPROTO, "0x%" PRIx64 " does not hold what is written to it: is it RAM?",
				    s->addr);
}

/* Saves the memory, and writes the routine there. */
static int place(struct pt_e500_scratch *s, const struct routine *r, struct pt_err *err)
{
	struct pt_e500_away *away = &s->away;

	s->astray = false;
	away->addr = s->addr;
	away->n_code_bytes = 4 * r->n_code;
	away->len_bytes = 4 * r->n_words;
	for (unsigned i = 0; i < r->n_words; i++)
		pt_put_be32(away->code + 4 * (size_t)i, r->word[i]);
	if (pt_mem_read(s->port->mem, s->addr, away->saved, away->len_bytes, err) < 0)
		return pt_wrap(err, "RAM for code that reads PMRs");
	if (s->port->note != NULL)
		s->port->note(s->port->state, away);
	s->astray = true;	/* until it is restored */
	if (pt_mem_write(s->port->mem, s->addr, away->code, away->len_bytes, err) < 0)
		return pt_wrap(err, "RAM for code that reads PMRs");
	return s->proven || s->written ? 0 : look_whether_written(s, err);
}

int pt_e500_scratch_run(struct pt_e500_scratch *s, struct pt_e500_op *ops, size_t n_ops, struct pt_err *err)
{
	uint8_t results[4 * (PT_E500_OPS_MAX + 1)];
	struct pt_err left = { 0 };
	struct routine r;
	bool user;
	int rc = s->port->get(s->port->state, &s->away.was, err), back;

	if (rc < 0)
		return rc;
	user = (s->away.was.msr & PT_E500_MSR_PR) != 0;
	rc = check(s, ops, n_ops, user, err);
	if (rc < 0)
		return rc;
	build(&r, ops, n_ops, user);
	rc = place(s, &r, err);
	if (!s->astray)
		return rc;
	if (rc == 0)
		rc = execute(s, &s->away.was, &r, goes_by_steps(s, ops, n_ops), results, err);
	if (rc == 0)
		note_seen(s, ops, n_ops);
	else
		s->doubt |= rc == PT_ETIMEOUT || rc == PT_EPROTO;
	back = put_back(s, &left);
	if (back < 0 && rc < 0)
		return pt_wrap(err, "%.110s; before that", left.msg);
	if (back < 0)
		return pt_fail(err, back, "%s", left.msg);
	for (size_t i = 0; rc == 0 && i < n_ops; i++)
		if (!ops[i].write)
			ops[i].value = pt_be32(results + 4 * i);
	return rc;
}
