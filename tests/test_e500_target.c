/* The target e500 behind the GDB server of the virtual board e500, over a socket: which core it finds, and the performance
 * monitor by scratch code while the demo runs. The server stands on a thread of this test and looks at the board between
 * packets: what the program counts, and whether each of its registers and bytes is as it was when it goes on. */
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "probes/virtual/chip/e500.h"
#include "rsp_rig.h"
#include "targets/e500/e500.h"
#include "util.h"

enum { SCRATCH = 0x800000, FREE = 0x900000, FCM1 = 0x10000000, STARTED_NS = 10000000, STEP_NS = 30000, ROUNDS = 30, MOST_PACKETS = 12 };

static const uint8_t events[] = { 2, 8, 9, 41 };	/* instructions, branches, loads, L1 D reloads */

/* What the server's thread has. Others look with the lock, which it has while it works. */
static struct {
	pthread_mutex_t lock;
	pthread_t thread;
	int listener, fd;
	struct pt_params *settings;
	struct pt_vboard *board;
	struct pt_e500 *chip;
	uint8_t in[PT_VRSP_MOST_BYTES];
	size_t in_bytes;
	bool runs, ours;			/* ours: what runs is code of the target's */
	uint64_t base[PT_LEN(events)], want[PT_LEN(events)];	/* of the program alone */
	uint8_t ram[PT_E500_RAM_BYTES];
	uint64_t regs[PT_VE500_REGS];
	unsigned n_changed, n_runs;
} there = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void stopped(void)
{
	there.runs = false;
	for (size_t i = 0; !there.ours && i < PT_LEN(events); i++)
		there.want[i] += pt_ve500_events(there.chip->cpu)[events[i]] - there.base[i];
	if (there.ours)
		return;
	memcpy(there.ram, pt_e500_bytes(there.chip, 0, PT_E500_RAM_BYTES), PT_E500_RAM_BYTES);
	for (unsigned reg = 0; reg < PT_VE500_REGS; reg++)
		there.regs[reg] = pt_ve500_reg(there.chip->cpu, reg);
}

/* Before it goes on: is it as it was? */
static void goes(void)
{
	uint32_t pc = pt_ve500_pc(there.chip->cpu);

	there.ours = pc - SCRATCH < PT_E500_SCRATCH_BYTES || pc - FREE < PT_E500_SCRATCH_BYTES;
	there.runs = true;
	if (there.ours)
		return;
	there.n_runs++;
	there.n_changed += memcmp(there.ram, pt_e500_bytes(there.chip, 0, PT_E500_RAM_BYTES), PT_E500_RAM_BYTES) != 0;
	for (unsigned reg = 0; reg < PT_VE500_REGS; reg++)
		there.n_changed += there.regs[reg] != pt_ve500_reg(there.chip->cpu, reg);
	for (size_t i = 0; i < PT_LEN(events); i++)
		there.base[i] = pt_ve500_events(there.chip->cpu)[events[i]];
}

static void look(void)
{
	if (there.runs && pt_ve500_state(there.chip->cpu) == PT_VE500_HALT)
		stopped();
}

static void send_answer(void)
{
	size_t len = strlen(answer);

	if (len > 0)
		(void)!write(there.fd, answer, len);
	answer[0] = '\0';
}

static bool makes_run(const uint8_t *packet)
{
	return packet[0] == '$' && (memcmp(packet + 1, "vCont;", 6) == 0 || strchr("cs", packet[1]) != NULL);
}

static void take_packets(void)
{
	size_t len;

	while ((len = pt_vrsp_engine.frame(stub, there.in, there.in_bytes)) > 0 && len <= there.in_bytes) {
		if (there.in[0] == 3) {
			now_ns += STEP_NS;	/* wherever the demo is then */
			pt_vrsp_engine.unasked(stub, now_ns, on_response, NULL);
		}
		if (makes_run(there.in))
			goes();
		pt_vrsp_engine.process(stub, there.in, len, now_ns, on_response, NULL);
		send_answer();
		look();
		memmove(there.in, there.in + len, there.in_bytes - len);
		there.in_bytes -= len;
	}
}

/* A program that runs gets on only when asked to stop; code of ours at once. */
static void serve_one(void)
{
	struct pollfd wait = { .fd = there.fd, .events = POLLIN };
	ssize_t n;

	for (;;) {
		poll(&wait, 1, there.runs && there.ours ? 0 : -1);
		n = (wait.revents & (POLLIN | POLLHUP)) != 0
			? recv(there.fd, there.in + there.in_bytes, sizeof(there.in) - there.in_bytes, 0) : 1;
		if (n <= 0)
			return;
		pthread_mutex_lock(&there.lock);
		if ((wait.revents & POLLIN) != 0)
			there.in_bytes += (size_t)n;
		take_packets();
		if (there.runs && there.ours) {
			now_ns += STEP_NS;
			pt_vrsp_engine.unasked(stub, now_ns, on_response, NULL);
			look();
			send_answer();
		}
		pthread_mutex_unlock(&there.lock);
	}
}

static void *serve(void *arg)
{
	int fd;

	while ((fd = accept(there.listener, NULL, NULL)) >= 0) {
		pthread_mutex_lock(&there.lock);
		there.fd = fd;
		pthread_mutex_unlock(&there.lock);
		serve_one();
		pthread_mutex_lock(&there.lock);
		pt_vrsp_engine.left(stub);	/* and lets it run */
		there.runs = true;
		there.ours = false;
		there.in_bytes = 0;
		close(there.fd);
		there.fd = -1;
		pthread_mutex_unlock(&there.lock);
	}
	return arg;
}

/* --- this side */

static struct pt_params *settings;
static struct pt_probe *probe;
static struct pt_target *target;
static struct pt_e500_target *e500;
static char path[64];

static void listen_there(const char *habit)
{
	struct sockaddr_un name = { .sun_family = AF_UNIX };
	struct pt_err err = { .msg = "" };

	there.settings = pt_params_new();
	there.board = pt_vboard_e500.make(there.settings, NULL, 0, &err);
	ck_assert_msg(there.board != NULL, "%s", err.msg);
	there.chip = pt_e500_of(there.board);
	pt_vboard_e500.advance(there.board, STARTED_NS);
	begin_serving(&pt_vboard_e500, there.board, habit);
	now_ns = STARTED_NS;
	there.runs = true;
	snprintf(path, sizeof(path), "/tmp/pt-e500-%d", (int)getpid());
	snprintf(name.sun_path, sizeof(name.sun_path), "%s", path);
	unlink(path);
	there.listener = socket(AF_UNIX, SOCK_STREAM, 0);
	ck_assert_int_eq(bind(there.listener, (struct sockaddr *)&name, sizeof(name)), 0);
	ck_assert_int_eq(listen(there.listener, 1), 0);
	ck_assert_int_eq(pthread_create(&there.thread, NULL, serve, NULL), 0);
}

static void say(const struct pt_param *rows, size_t n_rows, const char *word)
{
	struct pt_err err = { .msg = "" };

	ck_assert_msg(pt_params_add(settings, rows, n_rows, word, &err) == 0, "%s", err.msg);
}

static void connect_there(void)
{
	struct pt_err err = { .msg = "" };
	char uri[80];

	snprintf(uri, sizeof(uri), "rsp:unix:%s", path);
	probe = pt_probe_open(uri, settings, &err);
	ck_assert_msg(probe != NULL, "%s", err.msg);
	target = pt_target_attach(probe, NULL, settings, &err);
	ck_assert_msg(target != NULL, "%s", err.msg);
	ck_assert_str_eq(target->ops->name, "e500");
	e500 = target->state;
}

static void disconnect(void)
{
	struct pt_err err = { .msg = "" };

	pt_target_detach(target, true, &err);
	pt_probe_close(probe);
}

static void attach(const char *habit, const char *const *words, size_t n_words)
{

	listen_there(habit);
	settings = pt_params_new();
	say(pt_probe_params, pt_n_probe_params, "upstream-patience=60s");	/* a busy machine is no silent server */
	for (size_t i = 0; i < n_words; i++)
		say(pt_e500_settings, PT_E500_N_SETTINGS, words[i]);
	connect_there();
}

static void leave(void)
{
	disconnect();
	shutdown(there.listener, SHUT_RDWR);
	pthread_join(there.thread, NULL);
	close(there.listener);
	unlink(path);
	end_serving();
	pt_vboard_e500.free(there.board);
	pt_params_free(there.settings);
	pt_params_free(settings);
}

static const char *const with_ram[] = { "e500.scratch=0x800000:0x200" };

static void pass_now(struct pt_e500_op *ops, size_t n, struct pt_e500_pass *pass)
{
	struct pt_err err = { .msg = "" };

	ck_assert_msg(pt_e500_pass(e500, 0, ops, n, pass, &err) == 0, "%s", err.msg);
	ck_assert_uint_le(pass->n_packets, MOST_PACKETS);
}

static void set_up_counters(void)
{
	struct pt_e500_op ops[9] = { { .pmr = PT_E500_PMGC0, .write = true } };
	struct pt_e500_pass pass;

	for (unsigned n = 0; n < 4; n++) {
		ops[1 + n] = (struct pt_e500_op){ .pmr = (uint16_t)(PT_E500_PMC0 + n), .write = true };
		ops[5 + n] = (struct pt_e500_op){ .pmr = (uint16_t)(PT_E500_PMLCA0 + n), .write = true,
						  .value = FCM1 | (uint32_t)events[n] << 16 };
	}
	pass_now(ops, PT_LEN(ops), &pass);
	memset(there.want, 0, sizeof(there.want));
}

static const char *const habits[] = { "modern", "bare" };

/* A debugger that waits for the program's stop hears of no sample. */
START_TEST(samples_of_a_running_program_count_it_alone)
{
	struct pt_err err = { .msg = "" };
	struct pt_e500_pass pass;
	struct pt_e500_op ops[4];
	struct pt_rsp_run run;
	uint64_t timebase = 0;

	attach(habits[_i], with_ram, PT_LEN(with_ram));
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
			ck_assert_msg(ops[n].value == there.want[n], "round %u, event %u: %u, not %llu", round, events[n],
				      ops[n].value, (unsigned long long)there.want[n]);
		pthread_mutex_unlock(&there.lock);
		ck_assert_int_eq(e500->remote.rsp->poll(e500->remote.wire, 0, &run, &err), 0);
		ck_assert(run.running);
	}
	ck_assert_uint_gt(there.want[0], 1000);
	ck_assert_int_eq(target->ops->halt(target->state, 0, &err), 0);
	ck_assert_uint_eq(there.n_runs, ROUNDS + 1);
	ck_assert_uint_eq(there.n_changed, 0);
	ck_assert_uint_eq(e500->pm.at[0].cost.n_halts, ROUNDS);
	leave();
}
END_TEST

static uint64_t read_named(const char *name)
{
	struct pt_err err = { .msg = "" };
	size_t n;
	const struct pt_register *rows = target->ops->registers(target->state, &n);
	uint64_t value;
	uint16_t row = 0;

	while (row < n && strcmp(rows[row].name, name) != 0)
		row++;
	ck_assert_uint_lt(row, n);
	ck_assert_msg(target->ops->read_registers(target->state, 0, &row, 1, &value, &err) == 0, "%s", err.msg);
	return value;
}

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

	attach(habits[_i], with_ram, PT_LEN(with_ram));
	ck_assert_int_eq(write_named("pmgc0", 0x80000000, &err), 0);
	ck_assert_int_eq(write_named("pmc2", 0x12345678, &err), 0);
	ck_assert_int_eq(write_named("pmlca1", 0x00520000, &err), 0);
	ck_assert_uint_eq(read_named("pmc2"), 0x12345678);
	passes = (unsigned)e500->pm.at[0].cost.n_passes;
	ck_assert_uint_eq(read_named("upmlca1"), 0x00520000);
	ck_assert_uint_eq(read_named("pmgc0"), 0x80000000);
	ck_assert_uint_eq(read_named("ctr"), pt_ve500_reg(there.chip->cpu, PT_VE500_CTR));
	ck_assert_uint_eq(e500->pm.at[0].cost.n_passes, passes);	/* one for all of them */
	ck_assert_int_eq(write_named("upmc2", 1, &err), PT_EUNSUPPORTED);
	ck_assert_ptr_nonnull(strstr(err.msg, "write pmc2"));
	ck_assert_ptr_nonnull(strstr(e500->remote.description, "<reg name=\"pmc3\" bitsize=\"32\" regnum=\"1003\""));
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
		ops[i].value = ops[i].pmr == PT_E500_PMGC0 ? 0x80000900 : ops[i].pmr >= PT_E500_PMLCB0 ? 0x705 + i :
			       ops[i].pmr >= PT_E500_PMLCA0 ? 0x24000000 + (i << 16) : 0x70001000 + i;
	}
	pass_now(ops, n, &pass);
	ck_assert_int_eq(pt_e500_take(e500, 0, "profile", &err), 0);
	ck_assert_int_eq(pt_e500_take(e500, 0, "another", &err), PT_EBUSY);
	set_up_counters();
	ck_assert_int_eq(target->ops->resume(target->state, 0, &err), 0);
	pass_now(ops, 0, &pass);
	ck_assert_int_eq(target->ops->halt(target->state, 0, &err), 0);
	ck_assert_int_eq(pt_e500_give_back(e500, "another", &err), 0);	/* has nothing to give */
	ck_assert_int_eq(pt_e500_give_back(e500, "profile", &err), 0);
	pt_e500_all_pmrs(PT_E500_V2, now);
	pass_now(now, n, &pass);
	for (size_t i = 0; i < n; i++)
		ck_assert_msg(now[i].value == ops[i].value, "PMR %u: 0x%08x, not 0x%08x", now[i].pmr, now[i].value, ops[i].value);
	ck_assert_int_eq(pt_e500_take(e500, 0, "another", &err), 0);
	ck_assert_int_eq(pt_e500_give_back(e500, "another", &err), 0);
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
	ck_assert_int_eq(pt_e500_give_back(e500, "profile", &err), PT_EIO);
	ck_assert_ptr_nonnull(strstr(err.msg, "could not be put back"));
	disconnect();
	pthread_mutex_lock(&there.lock);
	if (_i > 0)
		pt_ve500_pm_reset(&there.chip->pm);
	pthread_mutex_unlock(&there.lock);
	for (unsigned i = 0; i < 2; i++) {	/* once: not for ever */
		connect_there();
		ck_assert_uint_eq(read_named("pmlca1"), _i > 0 ? 0 : i == 0 ? 0x80020000 : 0x10080000);
		ck_assert_uint_eq(read_named("pmc1"), _i > 0 ? 0 : i == 0 ? 0x1234 : 0);
		set_up_counters();
		if (_i > 0)
			ck_assert_int_eq(write_named("pmlca1", 0, &err), 0);
		if (i == 0)
			disconnect();
	}
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
		ck_assert_int_eq(pt_e500_give_back(e500, "profile", &err), 0);
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
	tcase_add_loop_test(tc, samples_of_a_running_program_count_it_alone, 0, PT_LEN(habits));
	tcase_add_loop_test(tc, pmrs_are_registers, 0, PT_LEN(habits));
	tcase_add_test(tc, what_was_in_the_registers_is_put_back);
	tcase_add_loop_test(tc, what_a_lost_server_is_owed_it_gets_when_it_is_back, 0, 2);
	tcase_add_loop_test(tc, perf_is_left_alone, 0, 2);
	tcase_add_test(tc, without_ram_it_says_what_to_do);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
