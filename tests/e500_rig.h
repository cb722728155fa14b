/* The target e500 behind the GDB server of the virtual board e500, over a socket, for tests. The server stands on a
 * thread of its own and looks at the board between packets: what the program counts, and whether each of its registers
 * and bytes is as it was when it goes on. Time passes with packets alone. */
#ifndef PT_TESTS_E500_RIG_H
#define PT_TESTS_E500_RIG_H

#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "probes/registry.h"
#include "probes/virtual/chip/e500.h"
#include "rsp_rig.h"
#include "targets/registry.h"
#include "targets/e500/perfmon/perfmon.h"
#include "base/util.h"

enum { SCRATCH = 0x800000, FREE = 0x900000, FCM1 = 0x10000000, ROUNDS = 30, MOST_PACKETS = 12 };
enum { STARTED_NS = 10000000, STEP_NS = 30000, PACKET_NS = 1000 };

static const uint8_t events[] = { 2, 8, 9, 41 };	/* instructions, branches, loads, L1 D reloads */

/* What the server's thread has. Others look with the lock, which it has while it works. */
static struct {
	pthread_mutex_t lock;
	pthread_t thread;
	int listener, fd;
	const uint8_t *elf;			/* NULL: the board's demo */
	size_t elf_bytes;
	uint64_t step_ns;			/* of the program's time that a packet takes; 0: STEP_NS */
	struct pt_params *settings;
	struct pt_vboard *board;
	struct pt_e500 *chip;
	bool deaf;				/* while the program runs: hears only what stops it */
	unsigned n_unheard;			/* packets then */
	const char *unknown;			/* packets that begin so are answered by nothing; NULL: none are */
	const struct pt_vboard_ops *ops;	/* of a test's own, with more than this chip: time passes all the time */
	uint8_t in[PT_VRSP_MOST_BYTES];
	size_t in_bytes;
	bool runs, ours;			/* ours: what runs is code of the target's */
	uint64_t base[PT_LEN(events)], want[PT_LEN(events)];	/* of the program alone */
	uint64_t base_all[PT_VE500_EVENTS], all[PT_VE500_EVENTS]; /* the same for each event, since the beginning */
	uint8_t ram[PT_E500_RAM_BYTES];
	uint64_t regs[PT_VE500_REGS];
	unsigned n_changed, n_runs;
	unsigned cut_at;			/* of the packets to come: with it the connection ends; 0: with none */
	bool stays;				/* the core stands when a connection has ended */
	bool cut_behind;			/* it is carried out, but not answered */
} there = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void (*at_stop)(void);		/* of the program; NULL: nobody wants to know */

static inline void stopped(void)
{
	there.runs = false;
	for (size_t i = 0; !there.ours && i < PT_LEN(events); i++)
		there.want[i] += pt_ve500_events(there.chip->cpu)[events[i]] - there.base[i];
	if (there.ours)
		return;
	if (at_stop != NULL)
		at_stop();
	for (size_t i = 0; i < PT_VE500_EVENTS; i++)
		there.all[i] += pt_ve500_events(there.chip->cpu)[i] - there.base_all[i];
	memcpy(there.ram, pt_e500_bytes(there.chip, 0, PT_E500_RAM_BYTES), PT_E500_RAM_BYTES);
	for (unsigned reg = 0; reg < PT_VE500_REGS; reg++)
		there.regs[reg] = pt_ve500_reg(there.chip->cpu, reg);
}

/* Before it goes on: is it as it was? */
static inline void goes(void)
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
	memcpy(there.base_all, pt_ve500_events(there.chip->cpu), sizeof(there.base_all));
}

static inline void look(void)
{
	if (there.runs && pt_ve500_state(there.chip->cpu) == PT_VE500_HALT)
		stopped();
}

static inline void send_answer(void)
{
	size_t len = strlen(answer);

	if (len > 0)
		(void)!write(there.fd, answer, len);
	answer[0] = '\0';
}

static inline bool makes_run(const uint8_t *packet)
{
	return packet[0] == '$' && (memcmp(packet + 1, "vCont;", 6) == 0 || strchr("cs", packet[1]) != NULL);
}

/* The core stays as it is, whatever it is at. */
static inline bool is_cut(bool carried_out)
{
	if (there.cut_at == 0 || carried_out != there.cut_behind || --there.cut_at > 0)
		return false;
	shutdown(there.fd, SHUT_RDWR);
	answer[0] = '\0';
	there.in_bytes = 0;
	return true;
}

static inline void take_packets(void)
{
	size_t len;

	while ((len = pt_vrsp_engine.frame(stub, there.in, there.in_bytes)) > 0 && len <= there.in_bytes) {
		if (there.runs && !there.ours) {
			now_ns += there.step_ns != 0 ? there.step_ns : STEP_NS;	/* wherever the demo is then */
			pt_vrsp_engine.unasked(stub, now_ns, on_response, NULL);
		}
		now_ns += PACKET_NS;
		if (is_cut(false))
			return;
		if (there.deaf && there.runs && there.in[0] == '$') {
			there.n_unheard++;
			memmove(there.in, there.in + len, there.in_bytes - len);
			there.in_bytes -= len;
			continue;
		}
		if (makes_run(there.in))
			goes();
		if (there.unknown != NULL && len > strlen(there.unknown) + 1 &&
		    memcmp(there.in + 1, there.unknown, strlen(there.unknown)) == 0)
			strcpy(answer, "$#00");
		else
			pt_vrsp_engine.process(stub, there.in, len, now_ns, on_response, NULL);
		if (is_cut(true))
			return;
		send_answer();
		look();
		memmove(there.in, there.in + len, there.in_bytes - len);
		there.in_bytes -= len;
	}
}

/* A program that runs gets on only when asked to stop; code of ours at once. */
static inline void serve_one(void)
{
	struct pollfd wait = { .fd = there.fd, .events = POLLIN };
	ssize_t n;

	for (;;) {
		poll(&wait, 1, there.ops != NULL ? 1 : there.runs && there.ours ? 0 : -1);
		n = (wait.revents & (POLLIN | POLLHUP)) != 0
			    ? recv(there.fd, there.in + there.in_bytes, sizeof(there.in) - there.in_bytes, 0)
			    : 1;
		if (n <= 0)
			return;
		pthread_mutex_lock(&there.lock);
		if ((wait.revents & POLLIN) != 0)
			there.in_bytes += (size_t)n;
		take_packets();
		if ((there.runs && there.ours) || there.ops != NULL) {
			now_ns += STEP_NS;
			pt_vrsp_engine.unasked(stub, now_ns, on_response, NULL);
			look();
			send_answer();
		}
		pthread_mutex_unlock(&there.lock);
	}
}

static inline void *serve(void *arg)
{
	int fd;

	while ((fd = accept(there.listener, NULL, NULL)) >= 0) {
		pthread_mutex_lock(&there.lock);
		there.fd = fd;
		pthread_mutex_unlock(&there.lock);
		serve_one();
		pthread_mutex_lock(&there.lock);
		pt_vrsp_engine.left(stub);	/* and lets it run */
		there.runs = !there.stays;
		if (there.stays)
			pt_ve500_request_halt(there.chip->cpu);
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

static const char *const no_words[] = { NULL };

static inline void listen_there(const char *habit, const char *const *board_words)
{
	struct sockaddr_un name = { .sun_family = AF_UNIX };
	struct pt_err err = { .msg = "" };

	there.settings = pt_params_new();
	for (size_t i = 0; board_words[i] != NULL; i++)
		ck_assert_int_eq(pt_vboard_add_word(&pt_vboard_e500, there.settings, board_words[i], &err), 0);
	there.board = pt_vboard_e500.make(there.settings, there.elf, there.elf_bytes, &err);
	ck_assert_msg(there.board != NULL, "%s", err.msg);
	there.chip = pt_e500_of(there.board);
	pt_vboard_e500.advance(there.board, STARTED_NS);
	begin_serving(there.ops != NULL ? there.ops : &pt_vboard_e500, there.board, habit);
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

static inline void say(const struct pt_param *rows, size_t n_rows, const char *word)
{
	struct pt_err err = { .msg = "" };

	ck_assert_msg(pt_params_add(settings, rows, n_rows, word, &err) == 0, "%s", err.msg);
}

static inline void connect_there(void)
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

static inline void disconnect(void)
{
	struct pt_err err = { .msg = "" };

	pt_target_detach(target, true, &err);
	pt_probe_close(probe);
}

static const char *patience = "upstream-patience=60s";	/* a busy machine is no silent server */

static inline void attach_to(const char *habit, const char *const *board_words, const char *const *words,
			     size_t n_words)
{
	listen_there(habit, board_words);
	settings = pt_params_new();
	say(pt_probe_params, pt_n_probe_params, patience);
	for (size_t i = 0; i < n_words; i++)
		say(pt_e500_settings, PT_E500_N_SETTINGS, words[i]);
	connect_there();
}

static inline void attach(const char *habit, const char *const *words, size_t n_words)
{
	attach_to(habit, no_words, words, n_words);
}

static inline void end_there(void)
{
	shutdown(there.listener, SHUT_RDWR);
	pthread_join(there.thread, NULL);
	close(there.listener);
	unlink(path);
	end_serving();
	pt_vboard_e500.free(there.board);
	pt_params_free(there.settings);
	pt_params_free(settings);
}

static inline void leave(void)
{
	disconnect();
	end_there();
}

static const char *const with_ram[] = { "e500.scratch=0x800000:0x200" };

static unsigned most_packets = MOST_PACKETS;

static inline void pass_now(struct pt_e500_op *ops, size_t n, struct pt_e500_pass *pass)
{
	struct pt_err err = { .msg = "" };

	ck_assert_msg(pt_e500_pass(e500, 0, ops, n, pass, &err) == 0, "%s", err.msg);
	ck_assert_uint_le(pass->n_packets, most_packets);
}

static inline void set_up_counters(void)
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

static inline const struct pt_e500_cost *cost_by_scratch(void)
{
	for (size_t i = 0; i < PT_E500_WAYS; i++)
		if (e500->pm.at[i].cost.n_passes > 0)
			return &e500->pm.at[i].cost;
	ck_abort_msg("there was no pass");
}

static inline uint64_t read_named(const char *name)
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

static inline void check_counts(const struct pt_e500_op *ops)
{
	pthread_mutex_lock(&there.lock);
	for (unsigned n = 0; n < 4; n++)
		ck_assert_msg(ops[n].value == there.want[n], "event %u: %u, not %llu", events[n], ops[n].value,
			      (unsigned long long)there.want[n]);
	pthread_mutex_unlock(&there.lock);
}

static inline void for_counters(struct pt_e500_op *ops)
{
	for (unsigned n = 0; n < 4; n++)
		ops[n] = (struct pt_e500_op){ .pmr = (uint16_t)(PT_E500_PMC0 + n) };
}

#endif
