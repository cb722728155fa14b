/* Performance monitor registers by code that the virtual core executes: values are the model's own, everything else of
 * the core and of its memory is as it was, counts of the program hold nothing of the code that read them. */
#include <string.h>

#include "harness.h"
#include "probes/virtual/unit/e500/e500_pm.h"
#include "targets/e500/perfmon/scratch.h"

enum { RAM_BYTES = 0x20000, CODE = 0x1000, SCRATCH = 0x12340, VECTORS = 0x8000, NOP = 0x60000000 };

static struct rig {
	struct pt_vbus bus;
	struct pt_ve500 *cpu;
	struct pt_ve500_pm pm;
	struct pt_mem mem;
	struct pt_e500_port port;
	struct pt_e500_scratch scratch;
	unsigned n_packets;
	unsigned n_runs;
	bool flash;			/* what is written is not there */
	bool deaf, spoilt;		/* the server does not stop at traps; fetch sees other than was written */
	uint8_t ram[RAM_BYTES];
} rig;

/* --- the core as a server shows it: each call is one packet */

static int get(void *state, struct pt_e500_frame *f, struct pt_err *err)
{
	(void)state;
	(void)err;
	rig.n_packets++;
	*f = (struct pt_e500_frame){
		(uint32_t)pt_ve500_reg(rig.cpu, 3), (uint32_t)pt_ve500_reg(rig.cpu, 4),
		(uint32_t)pt_ve500_reg(rig.cpu, 5),
		(uint32_t)pt_ve500_reg(rig.cpu, PT_VE500_PC), (uint32_t)pt_ve500_reg(rig.cpu, PT_VE500_MSR),
	};
	return 0;
}

static int set(void *state, const struct pt_e500_frame *f, struct pt_err *err)
{
	(void)state;
	(void)err;
	rig.n_packets++;
	pt_ve500_set_reg(rig.cpu, 3, f->r3);
	pt_ve500_set_reg(rig.cpu, 4, f->r4);
	pt_ve500_set_reg(rig.cpu, 5, f->r5);
	pt_ve500_set_reg(rig.cpu, PT_VE500_PC, f->pc);
	pt_ve500_set_reg(rig.cpu, PT_VE500_MSR, f->msr);
	return 0;
}

static int run(void *state, bool step, uint64_t end, struct pt_err *err)
{
	(void)state;
	(void)end;
	rig.n_packets++;
	rig.n_runs++;
	if (rig.spoilt)
		pt_put_be32(rig.ram + SCRATCH + 4, PT_E500_TRAP);
	pt_ve500_resume(rig.cpu, step);
	for (unsigned i = 0; i < 2000 && pt_ve500_state(rig.cpu) != PT_VE500_HALT; i++)
		pt_ve500_run(rig.cpu, pt_ve500_cycle(rig.cpu) + 1);
	if (pt_ve500_state(rig.cpu) == PT_VE500_HALT)
		return 0;
	pt_ve500_request_halt(rig.cpu);
	pt_ve500_run(rig.cpu, pt_ve500_cycle(rig.cpu) + 100);
	return pt_fail(err, PT_ETIMEOUT, "it does not stop");
}

static int mem_run(void *state, struct pt_mem_op *ops, size_t n_ops, uint32_t timeout_ms, size_t *n_done,
		   uint64_t *fault_addr, struct pt_err *err)
{
	(void)state;
	(void)timeout_ms;
	for (*n_done = 0; *n_done < n_ops; ++*n_done) {
		struct pt_mem_op *op = &ops[*n_done];
		uint32_t addr = (uint32_t)op->addr;
		bool ok = rig.flash && op->what == PT_MEM_WRITE ? true
			  : op->what == PT_MEM_READ		? pt_ve500_peek(rig.cpu, addr, op->bytes, op->len_bytes)
						    : pt_ve500_poke(rig.cpu, addr, op->bytes, op->len_bytes);

		rig.n_packets++;
		*fault_addr = op->addr;
		if (!ok)
			return pt_fail(err, PT_EFAULT, "no memory at 0x%x", (unsigned)op->addr);
	}
	return 0;
}

static bool trap(void *arg, uint32_t pc)
{
	(void)arg;
	(void)pc;
	return !rig.deaf;
}

static void make(void)
{
	static const struct pt_mem_ops mem_ops = { .run = mem_run };
	static const struct pt_ve500_hooks hooks = { .trap = trap };
	const struct pt_vregion ram = { .base = 0, .size = RAM_BYTES, .bytes = rig.ram };

	memset(&rig, 0, sizeof(rig));
	for (uint32_t at = 0; at < RAM_BYTES; at += 4)
		pt_put_be32(rig.ram + at, at - SCRATCH < PT_E500_SCRATCH_BYTES ? 0x5a000000 + at : NOP);
	rig.bus.big_endian = true;
	ck_assert(pt_vbus_add(&rig.bus, &ram));
	rig.cpu = pt_ve500_new(&rig.bus, PT_VE500_CORE_V2, NULL);
	ck_assert_ptr_nonnull(rig.cpu);
	pt_ve500_set_hooks(rig.cpu, &hooks);
	pt_ve500_pm_init(&rig.pm, rig.cpu);
	pt_ve500_reset(rig.cpu, true, CODE);
	rig.mem = (struct pt_mem){ &mem_ops, NULL };
	rig.port = (struct pt_e500_port){ .mem = &rig.mem, .get = get, .set = set, .run = run };
	rig.scratch = (struct pt_e500_scratch){ .port = &rig.port, .addr = SCRATCH };
	rig.scratch.size_bytes = PT_E500_SCRATCH_BYTES;
}

static void done(void)
{
	pt_ve500_free(rig.cpu);
}

static void instructions(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		run(NULL, true, 0, NULL);
	rig.n_packets = 0;
}

/* Halted in the middle of something, with a value of its own in each register. */
static void halt_in(uint32_t msr)
{
	pt_ve500_request_halt(rig.cpu);
	pt_ve500_run(rig.cpu, pt_ve500_cycle(rig.cpu) + 10);
	ck_assert_int_eq(pt_ve500_state(rig.cpu), PT_VE500_HALT);
	for (unsigned reg = 0; reg < PT_VE500_REGS; reg++)
		if (reg < 64 || (reg > PT_VE500_MSR && reg < PT_VE500_XER))
			pt_ve500_set_reg(rig.cpu, reg, 0xa5000000 + reg * 0x10101);
	pt_ve500_set_reg(rig.cpu, PT_VE500_MSR, msr);
	rig.n_packets = 0;
}

struct image { uint64_t reg[PT_VE500_REGS]; uint8_t ram[RAM_BYTES]; };
static struct image before, after;

static void look(struct image *image)
{
	for (unsigned reg = 0; reg < PT_VE500_REGS; reg++)
		image->reg[reg] = pt_ve500_reg(rig.cpu, reg);
	memcpy(image->ram, rig.ram, RAM_BYTES);
}

static void expect_same(void)
{
	look(&after);
	for (unsigned reg = 0; reg < PT_VE500_REGS; reg++)
		ck_assert_msg(after.reg[reg] == before.reg[reg], "register %u is 0x%llx, was 0x%llx", reg,
			      (unsigned long long)after.reg[reg], (unsigned long long)before.reg[reg]);
	ck_assert_int_eq(memcmp(after.ram, before.ram, RAM_BYTES), 0);
}

static size_t all_of_them(struct pt_e500_op *ops)
{
	size_t n = 0;

	ops[n++] = (struct pt_e500_op){ .pmr = PT_E500_PMGC0 };
	for (unsigned i = 0; i < 4; i++) {
		ops[n++] = (struct pt_e500_op){ .pmr = (uint16_t)(PT_E500_PMC0 + i) };
		ops[n++] = (struct pt_e500_op){ .pmr = (uint16_t)(PT_E500_PMLCA0 + i) };
		ops[n++] = (struct pt_e500_op){ .pmr = (uint16_t)(PT_E500_PMLCB0 + i) };
	}
	return n;
}

static void set_pmrs(void)
{
	ck_assert(pt_ve500_pm_write(&rig.pm, PT_E500_PMGC0, 0x1800));
	for (unsigned i = 0; i < 4; i++) {
		ck_assert(pt_ve500_pm_write(&rig.pm, PT_E500_PMC0 + i, 0x12345670 + i));
		ck_assert(pt_ve500_pm_write(&rig.pm, PT_E500_PMLCB0 + i, 0x0700 + i));
		ck_assert(pt_ve500_pm_write(&rig.pm, PT_E500_PMLCA0 + i, 0x10000000 | (1 + i) << 16));
	}
}

static void expect_values(const struct pt_e500_op *ops, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint32_t value = 0;

		ck_assert(pt_ve500_pm_read(&rig.pm, ops[i].pmr, &value));
		ck_assert_msg(ops[i].value == value, "PMR %u: 0x%x, not 0x%x", ops[i].pmr, ops[i].value, value);
	}
}

/* All thirteen in one go, and again: the second time needs no proof that mfpmr works. In supervisor and user mode. */
static const uint32_t modes[] = { 0, PT_VE500_MSR_EE | PT_VE500_MSR_CE | PT_VE500_MSR_SPE, PT_VE500_MSR_PR };

START_TEST(reads_all_and_leaves_all)
{
	struct pt_e500_op ops[PT_E500_OPS_MAX];
	size_t n = all_of_them(ops);
	struct pt_err err;

	make();
	set_pmrs();
	halt_in(modes[_i]);
	look(&before);
	for (unsigned round = 0; round < 2; round++) {
		rig.n_packets = 0;
		ck_assert_msg(pt_e500_scratch_run(&rig.scratch, ops, n, &err) == 0, "%s", err.msg);
		ck_assert_uint_le(rig.n_packets, 11);	/* the first; others have 8, and interrupt and resume */
		expect_values(ops, n);
		expect_same();
	}
	ck_assert_uint_eq(rig.n_packets, 8);
	done();
}
END_TEST

START_TEST(writes_in_order_and_pmgc0_last)
{
	struct pt_e500_op ops[] = {
		{ .pmr = PT_E500_PMGC0, .write = true, .value = 0x00000100 },
		{ .pmr = PT_E500_PMC0 + 1 }, { .pmr = PT_E500_PMC0 + 1, .write = true, .value = 0xfffffff0 },
		{ .pmr = PT_E500_PMLCB0 + 1, .write = true, .value = 0x123 },
		{ .pmr = PT_E500_PMLCA0 + 1, .write = true, .value = 0x10020000 }, { .pmr = PT_E500_PMC0 + 1 },
	};
	struct pt_err err;
	uint32_t value;

	make();
	ck_assert(pt_ve500_pm_write(&rig.pm, PT_E500_PMC0 + 1, 77));
	halt_in(0);
	look(&before);
	ck_assert_msg(pt_e500_scratch_run(&rig.scratch, ops, PT_LEN(ops), &err) == 0, "%s", err.msg);
	expect_same();
	ck_assert_uint_eq(ops[1].value, 77);
	ck_assert_uint_eq(ops[5].value, 0xfffffff0);
	ops[0].write = false;
	ck_assert_int_eq(pt_e500_scratch_run(&rig.scratch, ops, 1, &err), 0);
	ck_assert_uint_eq(ops[0].value, 0x100);
	ck_assert(pt_ve500_pm_read(&rig.pm, PT_E500_PMLCB0 + 1, &value));
	ck_assert_uint_eq(value, 0x123);
	done();
}
END_TEST

/* What is counted is the program's, whatever is read in between. */
START_TEST(counts_nothing_of_its_own)
{
	struct pt_e500_op count = { .pmr = PT_E500_PMC0 };
	struct pt_err err;

	make();
	ck_assert(pt_ve500_pm_write(&rig.pm, PT_E500_PMLCA0, 0x10020000));	/* FCM1, instructions */
	halt_in(0);
	for (unsigned i = 0; i < 50; i++) {
		uint32_t was = count.value;

		ck_assert_int_eq(pt_e500_scratch_run(&rig.scratch, &count, 1, &err), 0);
		ck_assert_uint_eq(count.value, i == 0 ? count.value : was + i);
		instructions(i + 1);
	}
	done();
}
END_TEST

/* --- what cannot be done */

static void expect_refusal(int code, const char *words, struct pt_e500_op *ops, size_t n)
{
	struct pt_err err = { 0 };

	look(&before);
	ck_assert_int_eq(pt_e500_scratch_run(&rig.scratch, ops, n, &err), code);
	ck_assert_msg(strstr(err.msg, words) != NULL, "%s", err.msg);
	expect_same();
}

START_TEST(refuses_to_write_in_user_mode)
{
	struct pt_e500_op op = { .pmr = PT_E500_PMC0, .write = true, .value = 1 };

	make();
	halt_in(PT_VE500_MSR_PR);
	expect_refusal(PT_ESTATE, "user mode", &op, 1);
	ck_assert_uint_eq(rig.n_packets, 1);
	done();
}
END_TEST

static bool no_pmr(void *arg, unsigned pmr, uint32_t *value)
{
	(void)arg;
	(void)pmr;
	(void)value;
	return false;
}

static bool nothing_done(void *arg, uint32_t msr)
{
	(void)arg;
	(void)msr;
	return false;
}

static bool none(void *arg)
{
	(void)arg;
	return false;
}

static uint64_t never(void *arg, uint64_t now)
{
	(void)arg;
	(void)now;
	return PT_VNEVER;
}

START_TEST(says_that_mfpmr_traps)
{
	static const struct pt_ve500_watcher without = {
		.step = nothing_done, .read = no_pmr, .interrupt = none, .next = never,
	};
	struct pt_e500_op op = { .pmr = PT_E500_PMC0 };

	make();
	pt_ve500_set_watcher(rig.cpu, &without);
	halt_in(0);
	expect_refusal(PT_EUNSUPPORTED, "agent", &op, 1);
	done();
}
END_TEST

START_TEST(says_that_nothing_stops_it)
{
	struct pt_e500_op op = { .pmr = PT_E500_PMC0 };

	make();
	rig.deaf = true;
	halt_in(0);
	expect_refusal(PT_ETIMEOUT, "does not come to its trap", &op, 1);
	done();
}
END_TEST

/* A PMR that the core has not is waited for once; what is tried afterwards goes by steps, which always end. What has
 * been read stays at the pace it had. */
START_TEST(waits_once_for_a_pmr_that_is_not_there)
{
	struct pt_e500_op ops[PT_E500_OPS_MAX], missing = { .pmr = PT_E500_PMC0 + 4 };
	size_t n = all_of_them(ops);
	struct pt_err err;

	make();
	set_pmrs();
	halt_in(0);
	ops[n] = missing;
	ck_assert_int_eq(pt_e500_scratch_run(&rig.scratch, ops, n + 1, &err), PT_ETIMEOUT);
	for (size_t i = 0; i < n; i++) {
		ck_assert_msg(pt_e500_scratch_run(&rig.scratch, &ops[i], 1, &err) == 0, "%s", err.msg);
		ck_assert_int_eq(pt_e500_scratch_run(&rig.scratch, &missing, 1, &err), PT_EFAULT);
	}
	expect_values(ops, n);
	rig.n_packets = 0;
	ck_assert_int_eq(pt_e500_scratch_run(&rig.scratch, ops, n, &err), 0);
	ck_assert_uint_eq(rig.n_packets, 8);
	expect_values(ops, n);
	done();
}
END_TEST

START_TEST(says_that_it_stopped_early)
{
	struct pt_e500_op op = { .pmr = PT_E500_PMC0 };
	struct pt_err err = { 0 };

	make();
	rig.spoilt = true;
	halt_in(0);
	ck_assert_int_eq(pt_e500_scratch_run(&rig.scratch, &op, 1, &err), PT_EPROTO);
	done();
}
END_TEST

START_TEST(executes_nothing_that_it_has_not_written)
{
	struct pt_e500_op op = { .pmr = PT_E500_PMC0 };
	struct pt_err err = { 0 };

	make();
	halt_in(0);
	rig.flash = true;
	rig.n_runs = 0;
	ck_assert_int_eq(pt_e500_scratch_run(&rig.scratch, &op, 1, &err), PT_EPROTO);
	ck_assert_ptr_nonnull(strstr(err.msg, "is it RAM?"));
	ck_assert_uint_eq(rig.n_runs, 0);
	done();
}
END_TEST

START_TEST(refuses_what_does_not_fit)
{
	struct pt_e500_op ops[PT_E500_OPS_MAX + 1] = { { .pmr = PT_E500_PMC0 } };

	make();
	halt_in(0);
	expect_refusal(PT_EARG, "no more than", ops, PT_LEN(ops));
	rig.scratch.size_bytes = pt_e500_scratch_needs(1) - 4;
	expect_refusal(PT_EARG, "bytes of RAM", ops, 1);
	rig.scratch.size_bytes = PT_E500_SCRATCH_BYTES;
	rig.scratch.addr = 0x08000000;	/* mapped, and nothing there */
	expect_refusal(PT_EFAULT, "no memory", ops, 1);
	done();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("e500_scratch");
	TCase *tc = tcase_create("scratch");

	tcase_add_loop_test(tc, reads_all_and_leaves_all, 0, PT_LEN(modes));
	tcase_add_test(tc, writes_in_order_and_pmgc0_last);
	tcase_add_test(tc, counts_nothing_of_its_own);
	tcase_add_test(tc, refuses_to_write_in_user_mode);
	tcase_add_test(tc, says_that_mfpmr_traps);
	tcase_add_test(tc, says_that_nothing_stops_it);
	tcase_add_test(tc, waits_once_for_a_pmr_that_is_not_there);
	tcase_add_test(tc, says_that_it_stopped_early);
	tcase_add_test(tc, executes_nothing_that_it_has_not_written);
	tcase_add_test(tc, refuses_what_does_not_fit);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
