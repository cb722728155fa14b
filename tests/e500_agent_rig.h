/* e500_rig.h with the demo that has an agent in it, and what the core counts of one event that is not the agent's. */
#ifndef PT_TESTS_E500_AGENT_RIG_H
#define PT_TESTS_E500_AGENT_RIG_H

#include "e500_rig.h"
#include "program/model/program.h"
#include "targets/contract/lease.h"

#define FAC UINT32_C(0x80000000)
enum { TEXT = 0x10000, TEXT_BYTES = 0x4000, MOST = 64, STEP_OF_SAMPLING_NS = 100000 };

static uint8_t firmware[1 << 16];
static size_t firmware_bytes;
static struct pt_program *program;

/* --- what the core counts of one event, by function; not what is marked as the agent's, nor while all is frozen */

static struct {
	const struct pt_function *function;	/* of the program, n of them */
	size_t n;
	uint8_t at[TEXT_BYTES / 4];		/* 1 + which */
	uint64_t count[MOST], total, before;
	unsigned event;
	uint8_t last;
	bool counts;				/* the instruction under way */
} truth;

static inline void on_insn(void *arg, uint32_t pc)
{
	uint64_t now = pt_ve500_events(there.chip->cpu)[truth.event];

	(void)arg;
	if (truth.counts && (there.chip->pm->pmgc0 & FAC) == 0) {
		truth.count[truth.last] += now - truth.before;
		truth.total += now - truth.before;
	}
	truth.before = now;
	truth.last = pc - TEXT < TEXT_BYTES ? truth.at[(pc - TEXT) / 4] : 0;
	truth.counts = (pt_ve500_reg(there.chip->cpu, PT_VE500_MSR) & PT_VE500_MSR_PMM) == 0;
}

static struct pt_vobserver observer = { .insn = on_insn };

static inline void know_functions(void)
{
	memset(&truth, 0, sizeof(truth));
	truth.function = pt_program_functions(program, &truth.n);
	ck_assert_uint_lt(truth.n, MOST - 1);
	for (size_t i = 0; i < truth.n; i++)
		for (uint64_t at = truth.function[i].address; at < truth.function[i].address + truth.function[i].size;
		     at += 4)
			if (at >= TEXT && at < TEXT + TEXT_BYTES)
				truth.at[(at - TEXT) / 4] = (uint8_t)(i + 1);
}

static inline double truth_of(const struct pt_function *function)
{
	return (double)truth.count[function - truth.function + 1] / (double)truth.total;
}

static inline void watch(unsigned event)
{
	pthread_mutex_lock(&there.lock);
	know_functions();
	truth.event = event;
	truth.before = pt_ve500_events(there.chip->cpu)[event];
	pt_ve500_add_observer(there.chip->cpu, &observer);
	pthread_mutex_unlock(&there.lock);
}

static inline uint64_t board_ns(void)
{
	uint64_t ns;

	pthread_mutex_lock(&there.lock);
	ns = there.chip->power.now_ns;
	pthread_mutex_unlock(&there.lock);
	return ns;
}

/* --- the rig */

/* As the session does it. */
static inline void tell_symbol(void)
{
	uint64_t addr, size;

	ck_assert_str_eq(target->ops->symbols[0], "proftap_agent");
	ck_assert(pt_program_symbol(program, target->ops->symbols[0], &addr, &size));
	target->ops->symbol(target->state, 0, addr);
}

/* A firmware of tests/firmware, on a board with those words. */
static inline void begin_on(const char *elf, const char *const *board_words, const char *word)
{
	const char *const words[] = { "upstream-memory=running", "e500.agent.deadline=10s", word };
	const char *srcdir = getenv("srcdir");
	struct pt_err err = { .msg = "" };
	char file[512];
	FILE *f;

	snprintf(file, sizeof(file), "%s/tests/firmware/%s.elf", srcdir != NULL ? srcdir : ".", elf);
	f = fopen(file, "rb");
	ck_assert_msg(f != NULL, "%s", file);
	firmware_bytes = fread(firmware, 1, sizeof(firmware), f);
	fclose(f);
	program = pt_program_from_bytes(elf, firmware, firmware_bytes, 20, &err);
	ck_assert_msg(program != NULL, "%s", err.msg);
	there.n_runs = there.n_changed = 0;
	there.elf = firmware;
	there.elf_bytes = firmware_bytes;
	there.step_ns = STEP_OF_SAMPLING_NS;
	attach_to("modern", board_words, words, PT_LEN(words));
	tell_symbol();
}

static inline void begin_with(const char *word)
{
	begin_on("e500_agent", no_words, word);
}

static inline void begin(void)
{
	begin_with("e500.core=v2");
}

static inline void run_it(void)
{
	struct pt_err err = { .msg = "" };

	ck_assert_msg(target->ops->resume(target->state, 0, &err) == 0, "%s", err.msg);
}

static inline void end(void)
{
	ck_assert_ptr_null(target->leases);
	leave();
	pt_program_unref(program);
}

#endif
