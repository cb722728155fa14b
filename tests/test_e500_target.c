/* The target e500: which core it finds, PMRs as registers, and the performance monitor by scratch code while the demo
 * runs; what was in it before is put back, whatever happens. */
#include "e500_rig.h"

static const struct { const char *habit, *end, *unknown; unsigned most_packets; } servers[] = {
	{ "modern", "e500.scratch.end=auto", NULL, 10 },
	{ "bare", "e500.scratch.end=trap", NULL, 10 },
	{ "modern", "e500.scratch.end=break", NULL, MOST_PACKETS },
	{ "bare", "e500.scratch.end=trap", "vCont", 10 },	/* kgdb and its like: c and s */
	{ "modern", "e500.scratch.end=trap", "G", 18 },		/* each register by itself */
};

/* A debugger that waits for the program's stop hears of no sample. */
START_TEST(samples_of_a_running_program_count_it_alone)
{
	const char *const words[] = { with_ram[0], servers[_i].end };
	struct pt_err err = { .msg = "" };
	struct pt_e500_pass pass;
	struct pt_e500_op ops[4];
	struct pt_rsp_run run;
	uint64_t timebase = 0;

	there.unknown = servers[_i].unknown;
	most_packets = servers[_i].most_packets;
	attach(servers[_i].habit, words, PT_LEN(words));
	ck_assert_int_eq(pt_e500_pass(e500, 0, ops, 0, &pass, &err), 0);	/* finds out that mfpmr works */
	set_up_counters();
	ck_assert_int_eq(target->ops->resume(target->state, 0, &err), 0);
	for (unsigned round = 0; round < ROUNDS; round++) {
		for (unsigned n = 0; n < 4; n++)
			ops[n] = (struct pt_e500_op){ .pmr = (uint16_t)(PT_E500_PMC0 + n) };
		pass_now(ops, PT_LEN(ops), &pass);
		ck_assert(pass.halted);
		ck_assert_uint_gt(pass.timebase, timebase);
		timebase = pass.timebase;
		pthread_mutex_lock(&there.lock);
		for (unsigned n = 0; n < 4; n++)
			ck_assert_msg(ops[n].value == there.want[n], "round %u, event %u: %u, not %llu", round,
				      events[n], ops[n].value, (unsigned long long)there.want[n]);
		pthread_mutex_unlock(&there.lock);
		ck_assert_int_eq(e500->remote.rsp->poll(e500->remote.wire, 0, &run, &err), 0);
		ck_assert(run.running);
	}
	ck_assert_uint_gt(there.want[0], 1000);
	ck_assert_int_eq(target->ops->halt(target->state, 0, &err), 0);
	ck_assert_uint_eq(there.n_runs, ROUNDS + 1);
	ck_assert_uint_eq(there.n_changed, 0);
	ck_assert_uint_eq(cost_by_scratch()->n_halts, ROUNDS);
	leave();
}
END_TEST

static int write_named(const char *name, uint64_t value, struct pt_err *err)
{
	size_t n;
	const struct pt_register *rows = target->ops->registers(target->state, &n);
	uint16_t row = 0;

	while (row < n && strcmp(rows[row].name, name) != 0)
		row++;
	ck_assert_uint_lt(row, n);
	return target->ops->write_registers(target->state, 0, &row, 1, &value, err);
}

START_TEST(pmrs_are_registers)
{
	struct pt_err err = { .msg = "" };
	unsigned passes;

	attach(servers[_i].habit, with_ram, PT_LEN(with_ram));
	ck_assert_int_eq(write_named("pmgc0", 0x80000000, &err), 0);
	ck_assert_int_eq(write_named("pmc2", 0x12345678, &err), 0);
	ck_assert_int_eq(write_named("pmlca1", 0x00520000, &err), 0);
	ck_assert_uint_eq(read_named("pmc2"), 0x12345678);
	passes = (unsigned)cost_by_scratch()->n_passes;
	ck_assert_uint_eq(read_named("upmlca1"), 0x00520000);
	ck_assert_uint_eq(read_named("pmgc0"), 0x80000000);
	ck_assert_uint_eq(read_named("ctr"), pt_ve500_reg(there.chip->cpu, PT_VE500_CTR));
	ck_assert_uint_eq(cost_by_scratch()->n_passes, passes);	/* one for all of them */
	ck_assert_int_eq(write_named("upmc2", 1, &err), PT_EUNSUPPORTED);
	ck_assert_ptr_nonnull(strstr(err.msg, "write pmc2"));
	ck_assert_ptr_nonnull(strstr(e500->remote.description, "<reg name=\"pmc3\" bitsize=\"32\" regnum=\"1003\""));
	leave();
}
END_TEST

/* Registers that the core has not, or that are kept from us: unavailable, and all others can be read all the same, this
 * time and the next. The server tells no PVR, so the core is taken for what the setting says. */
START_TEST(an_unreadable_pmr_spoils_no_other)
{
	const char *const board_words[] = { "core=mc", NULL };
	const char *const words[] = { with_ram[0], "e500.core=e6500", "e500.scratch.trust=on" };
	const struct pt_register *rows;
	struct pt_err err = { .msg = "" };
	uint16_t row[40];
	uint64_t value = 0, values[40];
	size_t n, n_read = 0;

	attach_to("bare", board_words, words, PT_LEN(words));
	rows = target->ops->registers(target->state, &n);
	for (unsigned again = 0; again < 2; again++)
		for (uint16_t i = 0; i < n; i++) {
			bool missing = strpbrk(rows[i].name, "45") != NULL && strstr(rows[i].name, "pm") != NULL;
			int rc = target->ops->read_registers(target->state, 0, &i, 1, &value, &err);

			ck_assert_msg(rc == (missing ? PT_EFAULT : 0), "%s: %d, %s", rows[i].name, rc, err.msg);
			if (!missing && n_read < PT_LEN(row))
				row[n_read++] = i;
		}
	ck_assert_int_eq(target->ops->read_registers(target->state, 0, row, n_read, values, &err), 0);
	leave();
}
END_TEST

/* The core's own PVR counts, whatever a setting says: at attach, where the core stands, else as soon as it has been
 * read. */
START_TEST(a_core_that_is_another)
{
	const char *const words[] = { with_ram[0], _i == 0 ? "e500.core=v2" : "e500.core=mc" };
	struct pt_err err = { .msg = "" };
	char uri[80];

	attach(_i == 2 ? "bare" : "modern", words, _i == 1 ? 1 : PT_LEN(words));
	if (_i == 1) {
		say(pt_e500_settings, PT_E500_N_SETTINGS, words[1]);
		disconnect();
		snprintf(uri, sizeof(uri), "rsp:unix:%s", path);
		probe = pt_probe_open(uri, settings, &err);
		ck_assert_ptr_nonnull(probe);
		target = pt_target_attach(probe, NULL, settings, &err);
		ck_assert_ptr_null(target);
		pt_probe_close(probe);
	} else {
		ck_assert_int_eq(pt_e500_take(e500, 0, "profile", &err), _i == 0 ? 0 : PT_EARG);
		pt_e500_give_back(e500, 0, "profile", &(struct pt_err){ 0 });
		disconnect();
	}
	if (_i > 0) {
		ck_assert_msg(strstr(err.msg, "e500.core=mc, but the PVR of the core is 0x8021") != NULL, "%s",
			      err.msg);
		ck_assert_msg(strstr(err.msg, "which is an e500v2's") != NULL, "%s", err.msg);
	}
	end_there();
}
END_TEST

/* What the server sends, if it says, else what the core has by GDB: kgdb of an e500mc sends 292 bytes. */
static const struct { const char *board, *core, *unknown, *architecture; uint32_t pc_at, bytes; } layouts[] = {
	{ "core=v1", "e500.core=v1", NULL, "powerpc:e500", 256, 292 },
	{ "core=mc", "e500.core=mc", NULL, "powerpc:common", 384, 412 },
	{ "core=v2", "e500.core=mc", NULL, "powerpc:e500", 256, 292 },
	{ "core=e5500", "e500.core=e5500", NULL, "powerpc:common", 384, 412 },
	{ "core=mc", "e500.core=mc", "g", "powerpc:common", 384, 412 },
	{ "core=e5500", "e500.core=e5500", "g", "powerpc:common64", 512, 556 },
	{ "core=e6500", "e500.core=e6500", "g", "powerpc:common64", 512, 556 },
};

/* Of a server without a description. Offsets: as GDB 13 prints them (maint print remote-registers). */
START_TEST(each_core_has_its_g_packet)
{
	const char *const board_words[] = { layouts[_i].board, NULL };
	const struct pt_remote *r;
	char architecture[64];
	size_t last;

	there.unknown = layouts[_i].unknown;
	attach_to("bare", board_words, &layouts[_i].core, 1);
	ck_assert_str_eq(e500->how_known, "as e500.core says");
	r = &e500->remote;
	last = r->n_server - 1;
	ck_assert_uint_eq(r->offset[r->pc_row], layouts[_i].pc_at);
	ck_assert_uint_eq(r->offset[last] + r->rows[last].bits / 8, layouts[_i].bytes);
	snprintf(architecture, sizeof(architecture), "<architecture>%s</architecture>", layouts[_i].architecture);
	ck_assert_ptr_nonnull(strstr(r->description, architecture));
	ck_assert_uint_eq(e500->kind.n_own, e500->core == PT_E500_E6500 ? 38 : 26);
	leave();
}
END_TEST

START_TEST(what_was_in_the_registers_is_put_back)
{
	struct pt_e500_op ops[PT_E500_PMRS_MAX], now[PT_E500_PMRS_MAX];
	struct pt_err err = { .msg = "" };
	size_t n = pt_e500_all_pmrs(PT_E500_V2, ops);
	struct pt_e500_pass pass;

	attach("modern", with_ram, PT_LEN(with_ram));
	for (size_t i = 0; i < n; i++) {	/* what each of them has room for */
		ops[i].write = true;
		ops[i].value = ops[i].pmr == PT_E500_PMGC0    ? 0x80000900
			       : ops[i].pmr >= PT_E500_PMLCB0 ? 0x705 + i
			       : ops[i].pmr >= PT_E500_PMLCA0 ? 0x24000000 + (i << 16)
							      : 0x70001000 + i;
	}
	pass_now(ops, n, &pass);
	ck_assert_int_eq(pt_e500_take(e500, 0, "profile", &err), 0);
	ck_assert_int_eq(pt_e500_take(e500, 0, "another", &err), PT_EBUSY);
	set_up_counters();
	ck_assert_int_eq(target->ops->resume(target->state, 0, &err), 0);
	pass_now(ops, 0, &pass);
	ck_assert_int_eq(target->ops->halt(target->state, 0, &err), 0);
	ck_assert_int_eq(pt_e500_give_back(e500, 0, "another", &err), 0);	/* has nothing to give */
	ck_assert_int_eq(pt_e500_give_back(e500, 0, "profile", &err), 0);
	pt_e500_all_pmrs(PT_E500_V2, now);
	pass_now(now, n, &pass);
	for (size_t i = 0; i < n; i++)
		ck_assert_msg(now[i].value == ops[i].value, "PMR %u: 0x%08x, not 0x%08x", now[i].pmr, now[i].value,
			      ops[i].value);
	ck_assert_int_eq(pt_e500_take(e500, 0, "another", &err), 0);
	ck_assert_int_eq(pt_e500_give_back(e500, 0, "another", &err), 0);
	leave();
}
END_TEST

/* Where the core stopped in user mode, by the numbers that user code has; it can write none. */
START_TEST(user_mode_reads_and_does_not_write)
{
	struct pt_e500_op ops[] = { { PT_E500_PMC0 + 2, true, 0x1234 }, { PT_E500_PMLCA0 + 2, true, 0x80050000 } };
	struct pt_err err = { .msg = "" };
	struct pt_e500_pass pass;

	attach("modern", with_ram, PT_LEN(with_ram));
	pass_now(ops, PT_LEN(ops), &pass);
	ck_assert_int_eq(write_named("msr", PT_E500_MSR_PR, &err), 0);
	ck_assert_uint_eq(read_named("pmc2"), 0x1234);
	ck_assert_uint_eq(read_named("upmlca2"), 0x80050000);
	ck_assert_uint_eq(read_named("msr"), PT_E500_MSR_PR);
	ck_assert_int_eq(write_named("pmc2", 1, &err), PT_ESTATE);
	ck_assert_ptr_nonnull(strstr(err.msg, "user mode"));
	ck_assert_uint_eq(read_named("pmc2"), 0x1234);
	leave();
}
END_TEST

/* What could not be written then is written by whoever comes next, before he looks what was there. */
START_TEST(what_user_mode_keeps_from_being_put_back_is_later)
{
	struct pt_e500_op before = { PT_E500_PMLCA0, true, 0x80050000 };
	struct pt_err err = { .msg = "" };
	struct pt_e500_pass pass;

	attach("modern", with_ram, PT_LEN(with_ram));
	pass_now(&before, 1, &pass);
	ck_assert_int_eq(pt_e500_take(e500, 0, "profile", &err), 0);
	set_up_counters();
	ck_assert_int_eq(write_named("msr", PT_E500_MSR_PR, &err), 0);
	ck_assert_int_eq(pt_e500_give_back(e500, 0, "profile", &err), PT_ESTATE);
	ck_assert_int_eq(write_named("msr", 0, &err), 0);
	ck_assert_int_eq(pt_e500_take(e500, 0, "another", &err), 0);
	ck_assert_int_eq(pt_e500_give_back(e500, 0, "another", &err), 0);
	ck_assert_uint_eq(read_named("pmlca0"), 0x80050000);
	ck_assert_uint_eq(read_named("pmlca1"), 0);
	leave();
}
END_TEST

/* A part whose counters do not stand with its core says so with what they cost. */
START_TEST(counters_that_go_on_while_halted_are_told)
{
	static const char *const boards[][2] = { { "pm-halted=off", NULL }, { "pm-halted=on", NULL } };
	struct pt_e500_op before[] = { { PT_E500_PMC0, true, 0x77 }, { PT_E500_PMLCA0, true, 0x80030000 } };
	struct pt_err err = { .msg = "" };
	struct pt_e500_pass pass;
	char line[200];

	attach_to("modern", boards[_i], with_ram, PT_LEN(with_ram));
	pass_now(before, PT_LEN(before), &pass);
	pt_e500_describe_way(e500, line, sizeof(line));
	ck_assert_ptr_null(strstr(line, "halted time is in"));
	ck_assert_int_eq(pt_e500_take(e500, 0, "profile", &err), 0);
	pt_e500_describe_way(e500, line, sizeof(line));
	ck_assert_msg((strstr(line, "halted time is in") != NULL) == (_i > 0), "%s", line);
	pt_e500_forget(e500);
	ck_assert_uint_eq(read_named("pmc0"), 0x77);
	ck_assert_uint_eq(read_named("pmlca0"), 0x80030000);
	ck_assert_int_eq(pt_e500_give_back(e500, 0, "profile", &err), 0);
	leave();
}
END_TEST

/* Where the chip was not reset meanwhile. */
START_TEST(what_a_lost_server_is_owed_it_gets_when_it_is_back)
{
	struct pt_e500_op before[] = { { PT_E500_PMC0 + 1, true, 0x1234 }, { PT_E500_PMLCA0 + 1, true, 0x80020000 } };
	struct pt_err err = { .msg = "" };
	struct pt_e500_pass pass;

	attach("modern", with_ram, PT_LEN(with_ram));
	pass_now(before, PT_LEN(before), &pass);
	ck_assert_int_eq(pt_e500_take(e500, 0, "profile", &err), 0);
	set_up_counters();
	pthread_mutex_lock(&there.lock);
	shutdown(there.fd, SHUT_RDWR);
	pthread_mutex_unlock(&there.lock);
	ck_assert_int_eq(pt_e500_give_back(e500, 0, "profile", &err), PT_EIO);
	ck_assert_ptr_nonnull(strstr(err.msg, "could not be put back"));
	disconnect();
	pthread_mutex_lock(&there.lock);
	if (_i > 0)
		pt_ve500_pm_reset(there.chip->pm);
	pthread_mutex_unlock(&there.lock);
	for (unsigned i = 0; i < 2; i++) {	/* once: not for ever */
		connect_there();
		ck_assert_uint_eq(read_named("pmlca1"), _i > 0 ? 0 : i == 0 ? 0x80020000 : 0x10080000);
		if (i == 0)
			ck_assert_uint_eq(read_named("pmc1"), _i > 0 ? 0 : 0x1234);
		set_up_counters();
		if (_i > 0)
			ck_assert_int_eq(write_named("pmlca1", 0, &err), 0);
		if (i == 0)
			disconnect();
	}
	leave();
}
END_TEST

enum { PASS_PACKETS = 8 };		/* of a halted core: g m M G c m M G */

/* Wherever the connection ends in a pass: once it is back, the core and its RAM are as they were. */
START_TEST(a_pass_that_was_cut_short_leaves_nothing_behind)
{
	struct pt_e500_op op = { .pmr = PT_E500_PMC0 };
	struct pt_err err = { .msg = "" };
	struct pt_e500_pass pass;

	attach("modern", with_ram, PT_LEN(with_ram));
	set_up_counters();
	pthread_mutex_lock(&there.lock);
	stopped();
	there.stays = true;
	there.cut_at = (unsigned)_i / 2 + 1;
	there.cut_behind = _i % 2 != 0;
	pthread_mutex_unlock(&there.lock);
	ck_assert_int_eq(pt_e500_pass(e500, 0, &op, 1, &pass, &err), PT_EIO);
	disconnect();
	connect_there();
	pthread_mutex_lock(&there.lock);
	for (unsigned reg = 0; reg < PT_VE500_REGS; reg++)
		ck_assert_msg(there.regs[reg] == pt_ve500_reg(there.chip->cpu, reg), "register %u: 0x%llx, not 0x%llx",
			      reg, (unsigned long long)pt_ve500_reg(there.chip->cpu, reg),
			      (unsigned long long)there.regs[reg]);
	ck_assert_int_eq(memcmp(there.ram, pt_e500_bytes(there.chip, 0, PT_E500_RAM_BYTES), PT_E500_RAM_BYTES), 0);
	there.stays = false;
	pthread_mutex_unlock(&there.lock);
	pass_now(&op, 1, &pass);
	leave();
}
END_TEST

/* --- killed ------------------------------------------------------------------------------------------------------- */

static char *kept, said[200];

static void keep(void *arg, const char *text, size_t len_bytes)
{
	(void)arg;
	free(kept);
	kept = text != NULL ? strndup(text, len_bytes) : NULL;
}

static void hear(void *arg, bool done, const char *sentence)
{
	(void)arg;
	(void)done;
	snprintf(said, sizeof(said), "%s", sentence);
}

/* What this process knows of the pass is gone with it. */
static void kill_it(void)
{
	struct pt_e500_method_at *at = &e500->pm.at[PT_E500_SLOT_SCRATCH];

	pt_pending_free(target->pending);
	target->pending = NULL;
	pt_e500_by_scratch.close(e500);
	memset(at->state, 0, pt_e500_by_scratch.state_bytes);
	at->open = false;
	disconnect();
}

static void put_back_what_is_noted(void)
{
	struct pt_pending *noted = pt_pending_new(keep, NULL);
	struct pt_err err = { .msg = "" };

	ck_assert_msg(pt_pending_parse(noted, kept, strlen(kept), &err) == 0, "%s", err.msg);
	ck_assert_msg(pt_pending_put_back(noted, target, hear, NULL, &err) == 0, "%s", err.msg);
	ck_assert_ptr_null(kept);
	pt_pending_free(noted);
}

static bool is_as_it_was(void)
{
	bool same = memcmp(there.ram, pt_e500_bytes(there.chip, 0, PT_E500_RAM_BYTES), PT_E500_RAM_BYTES) == 0;

	for (unsigned reg = 0; reg < PT_VE500_REGS; reg++)
		same &= there.regs[reg] == pt_ve500_reg(there.chip->cpu, reg);
	return same;
}

/* Wherever the process is killed in a pass, the next one puts the core and its RAM back. */
START_TEST(a_pass_of_one_that_was_killed_is_put_back)
{
	struct pt_e500_op op = { .pmr = PT_E500_PMC0 };
	struct pt_err err = { .msg = "" };
	bool was_left, was_noted;
	struct pt_e500_pass pass;

	attach("modern", with_ram, PT_LEN(with_ram));
	target->pending = pt_pending_new(keep, NULL);
	set_up_counters();
	ck_assert_ptr_null(kept);	/* put back by itself */
	pthread_mutex_lock(&there.lock);
	stopped();
	there.stays = true;
	there.cut_at = (unsigned)_i / 2 + 1;
	there.cut_behind = _i % 2 != 0;
	pthread_mutex_unlock(&there.lock);
	ck_assert_int_eq(pt_e500_pass(e500, 0, &op, 1, &pass, &err), PT_EIO);
	was_noted = kept != NULL;
	kill_it();
	pthread_mutex_lock(&there.lock);
	was_left = !is_as_it_was();
	pthread_mutex_unlock(&there.lock);
	ck_assert(was_noted || !was_left);
	ck_assert_int_eq(was_left, _i / 2 >= 2 + (_i % 2 == 0) && _i < 2 * PASS_PACKETS - 1);
	connect_there();
	if (was_noted) {
		put_back_what_is_noted();
		ck_assert_str_eq(said, "core.0 is as it was before");
	}
	pthread_mutex_lock(&there.lock);
	ck_assert(is_as_it_was());
	there.stays = false;
	pthread_mutex_unlock(&there.lock);
	pass_now(&op, 1, &pass);
	leave();
}
END_TEST

/* Somebody has let it run since, and halted it elsewhere; and the RAM has something else. */
START_TEST(a_core_that_went_on_is_left_alone)
{
	struct pt_e500_op op = { .pmr = PT_E500_PMC0 };
	struct pt_err err = { .msg = "" };
	struct pt_e500_pass pass;

	attach("modern", with_ram, PT_LEN(with_ram));
	target->pending = pt_pending_new(keep, NULL);
	pthread_mutex_lock(&there.lock);
	stopped();
	there.stays = true;
	there.cut_at = 6;		/* m of what it left */
	pthread_mutex_unlock(&there.lock);
	ck_assert_int_eq(pt_e500_pass(e500, 0, &op, 1, &pass, &err), PT_EIO);
	kill_it();
	pthread_mutex_lock(&there.lock);
	pt_ve500_set_reg(there.chip->cpu, PT_VE500_PC, 0x10100);
	memset(pt_e500_bytes(there.chip, SCRATCH, 4), 0x55, 4);
	pthread_mutex_unlock(&there.lock);
	connect_there();
	put_back_what_is_noted();
	ck_assert_msg(strncmp(said, "core.0 is left alone: it is not as it was left", 40) == 0, "%s", said);
	pthread_mutex_lock(&there.lock);
	ck_assert_uint_eq(pt_ve500_pc(there.chip->cpu), 0x10100);
	ck_assert_uint_eq(pt_be32(pt_e500_bytes(there.chip, SCRATCH, 4)), 0x55555555);
	there.stays = false;
	pthread_mutex_unlock(&there.lock);
	leave();
}
END_TEST

START_TEST(perf_is_left_alone)
{
	struct pt_e500_op ops[] = { { PT_E500_PMLCA0 + 3, true, 0x14010000 }, { PT_E500_PMGC0, true, 0x60000000 } };
	static const char *const all[] = { "e500.scratch=0x800000:0x200", "e500.respect_linux=off" };
	struct pt_err err = { .msg = "" };
	struct pt_e500_pass pass;

	attach("modern", all, (size_t)_i + 1);
	pass_now(ops, PT_LEN(ops), &pass);
	if (_i == 0) {
		ck_assert_int_eq(pt_e500_take(e500, 0, "profile", &err), PT_EBUSY);
		ck_assert_ptr_nonnull(strstr(err.msg, "PMC3"));
		ck_assert_int_eq(write_named("pmc0", 1, &err), PT_EBUSY);
		ck_assert_uint_eq(read_named("pmlca3"), 0x14010000);
	} else {
		ck_assert_int_eq(pt_e500_take(e500, 0, "profile", &err), 0);
		ck_assert_int_eq(pt_e500_give_back(e500, 0, "profile", &err), 0);
	}
	leave();
}
END_TEST

START_TEST(without_ram_it_says_what_to_do)
{
	struct pt_source_setup setup = { .free_ram = (struct pt_span[]){ { FREE + 1, 0x1000 } }, .n_free_ram = 1 };
	struct pt_err err = { .msg = "" };
	struct pt_e500_pass pass;
	struct pt_e500_op op = { .pmr = PT_E500_PMGC0 };

	attach("modern", NULL, 0);
	ck_assert_ptr_null(pt_e500_choose(e500, &err));
	ck_assert_int_eq(pt_e500_pass(e500, 0, &op, 1, &pass, &err), PT_EUNSUPPORTED);
	ck_assert_ptr_nonnull(strstr(err.msg, "e500.scratch=ADDR:SIZE"));
	pt_e500_offer_ram(e500, &setup);
	pass_now(&op, 1, &pass);
	ck_assert_uint_eq(there.n_changed, 0);
	leave();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("e500_target");
	TCase *tc = tcase_create("board");

	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, samples_of_a_running_program_count_it_alone, 0, PT_LEN(servers));
	tcase_add_loop_test(tc, pmrs_are_registers, 0, PT_LEN(servers));
	tcase_add_test(tc, an_unreadable_pmr_spoils_no_other);
	tcase_add_loop_test(tc, a_core_that_is_another, 0, 3);
	tcase_add_loop_test(tc, each_core_has_its_g_packet, 0, PT_LEN(layouts));
	tcase_add_test(tc, what_was_in_the_registers_is_put_back);
	tcase_add_test(tc, user_mode_reads_and_does_not_write);
	tcase_add_test(tc, what_user_mode_keeps_from_being_put_back_is_later);
	tcase_add_loop_test(tc, counters_that_go_on_while_halted_are_told, 0, 2);
	tcase_add_loop_test(tc, what_a_lost_server_is_owed_it_gets_when_it_is_back, 0, 2);
	tcase_add_loop_test(tc, a_pass_that_was_cut_short_leaves_nothing_behind, 0, 2 * PASS_PACKETS);
	tcase_add_loop_test(tc, a_pass_of_one_that_was_killed_is_put_back, 0, 2 * PASS_PACKETS);
	tcase_add_test(tc, a_core_that_went_on_is_left_alone);
	tcase_add_loop_test(tc, perf_is_left_alone, 0, 2);
	tcase_add_test(tc, without_ram_it_says_what_to_do);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
