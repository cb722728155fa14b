/* See fake_gdb_board.h. Symbols are those of src/board/board.c and src/session/session.c. */
#include "fake_gdb_board.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"

struct fake fake;

/* --- the target --------------------------------------------------------------------------------------------------- */

#define CORE "org.gnu.gdb.arm.m-profile"
#define SYSTEM "org.gnu.gdb.arm.m-system"
static const struct pt_register rows[FAKE_N_ROWS] = {
	{ "r0", CORE, NULL, NULL, 0, 32, 0 },	{ "r1", CORE, NULL, NULL, 1, 32, 1 },
	{ "r2", CORE, NULL, NULL, 2, 32, 2 },	{ "r3", CORE, NULL, NULL, 3, 32, 3 },
	{ "r4", CORE, NULL, NULL, 4, 32, 4 },	{ "r5", CORE, NULL, NULL, 5, 32, 5 },
	{ "r6", CORE, NULL, NULL, 6, 32, 6 },	{ "r7", CORE, NULL, NULL, 7, 32, 7 },
	{ "r8", CORE, NULL, NULL, 8, 32, 8 },	{ "r9", CORE, NULL, NULL, 9, 32, 9 },
	{ "r10", CORE, NULL, NULL, 10, 32, 10 }, { "r11", CORE, NULL, NULL, 11, 32, 11 },
	{ "r12", CORE, NULL, NULL, 12, 32, 12 }, { "sp", CORE, "data_ptr", NULL, 13, 32, 13 },
	{ "lr", CORE, "code_ptr", NULL, 14, 32, 14 }, { "pc", CORE, "code_ptr", NULL, 15, 32, 15 },
	{ "xpsr", CORE, NULL, NULL, 25, 32, 16 }, { "msp", SYSTEM, "data_ptr", NULL, 26, 32, 17 },
	{ "psp", SYSTEM, "data_ptr", NULL, 27, 32, 18 },
};

static const struct pt_region regions[] = {
	{ PT_REGION_FLASH, 0, FAKE_FLASH_BYTES, FAKE_FLASH_BLOCK },
	{ PT_REGION_RAM, FAKE_RAM, FAKE_RAM_BYTES, 0 },
	{ PT_REGION_IO, 0x40000000, 0x20000000, 0 },
	{ PT_REGION_IO, 0xe0000000, 0x10000000, 0 },
};

static uint8_t *at(uint64_t addr, uint64_t *left)
{
	if (addr < FAKE_FLASH_BYTES) {
		*left = FAKE_FLASH_BYTES - addr;
		return fake.flash + addr;
	}
	if (addr >= FAKE_RAM && addr < FAKE_RAM + FAKE_RAM_BYTES) {
		*left = FAKE_RAM + FAKE_RAM_BYTES - addr;
		return fake.ram + (addr - FAKE_RAM);
	}
	return NULL;
}

static int run_ops(void *state, struct pt_mem_op *ops, size_t n_ops, uint32_t timeout_ms, size_t *n_done,
		   uint64_t *fault_addr, struct pt_err *err)
{
	(void)state;
	(void)timeout_ms;
	for (*n_done = 0; *n_done < n_ops; (*n_done)++) {
		struct pt_mem_op *op = &ops[*n_done];
		uint64_t left = 0;
		uint8_t *bytes = at(op->addr, &left);

		fake.n_reads += op->what == PT_MEM_READ;
		if (bytes == NULL || op->len_bytes > left) {
			*fault_addr = op->addr + left;
			return pt_fail(err, PT_EFAULT, "bus fault at 0x%08" PRIx64, *fault_addr);
		}
		if (op->what == PT_MEM_READ)
			memcpy(op->bytes, bytes, op->len_bytes);
		else
			memcpy(bytes, op->bytes, op->len_bytes);
	}
	return 0;
}

static uint64_t now_ns(void *state)
{
	(void)state;
	return uv_hrtime();
}

static const struct pt_mem_ops mem_ops = { .run = run_ops, .now_ns = now_ns, .while_running = true };
static struct pt_mem mem = { .ops = &mem_ops };

static struct pt_mem *get_mem(void *state, unsigned core)
{
	(void)state;
	(void)core;
	return &mem;
}

static const char *chip(void *state)
{
	(void)state;
	return "FAKE1 <Cortex-M0+>";
}

static void describe(void *state, void (*say)(void *arg, const char *line), void *arg)
{
	(void)state;
	say(arg, "changed: nothing");
}

static unsigned n_cores(void *state)
{
	(void)state;
	return 1;
}

static int status(void *state, unsigned core, struct pt_core_status *out, struct pt_err *err)
{
	(void)state;
	(void)core;
	(void)err;
	*out = fake.core;
	return 0;
}

static const struct pt_register *get_registers(void *state, size_t *n)
{
	(void)state;
	*n = FAKE_N_ROWS;
	return rows;
}

static int halted(struct pt_err *err)
{
	if (fake.fail_registers != 0)
		return pt_fail(err, fake.fail_registers, "no registers today");
	return fake.core.state == PT_HALTED ? 0 : pt_fail(err, PT_ESTATE, "the core runs");
}

static int read_registers(void *state, unsigned core, const uint16_t *which, size_t n, uint64_t *values,
			  struct pt_err *err)
{
	(void)state;
	(void)core;
	for (size_t i = 0; i < n; i++)
		values[i] = fake.registers[which[i]];
	return halted(err);
}

static int write_registers(void *state, unsigned core, const uint16_t *which, size_t n, const uint64_t *values,
			   struct pt_err *err)
{
	(void)state;
	(void)core;
	if (halted(err) < 0)
		return err->code;
	for (size_t i = 0; i < n; i++)
		fake.registers[which[i]] = values[i];
	return 0;
}

static int get_pc(void *state, unsigned core, uint64_t *pc, struct pt_err *err)
{
	(void)state;
	(void)core;
	*pc = fake.registers[FAKE_PC];
	return halted(err);
}

static const struct pt_region *get_regions(void *state, size_t *n)
{
	(void)state;
	*n = PT_LEN(regions);
	return regions;
}

static size_t find(const struct pt_break *what)
{
	size_t i = 0;

	while (i < fake.n_breaks && (fake.breaks[i].kind != what->kind || fake.breaks[i].addr != what->addr))
		i++;
	return i;
}

static int break_insert(void *state, const struct pt_break *what, struct pt_err *err)
{
	size_t n_hw = 0;

	(void)state;
	if (what->kind == PT_WATCH_ACCESS)
		return pt_fail(err, PT_EUNSUPPORTED, "no access watchpoints");
	if (what->kind == PT_BREAK_SW && what->addr < FAKE_FLASH_BYTES)
		return pt_fail(err, PT_EUNSUPPORTED, "flash");
	for (size_t i = 0; i < fake.n_breaks; i++)
		n_hw += fake.breaks[i].kind == PT_BREAK_HW;
	if (find(what) < fake.n_breaks)
		return 0;
	if (what->kind == PT_BREAK_HW && n_hw == FAKE_HW_BREAKS)
		return pt_fail(err, PT_EBUSY, "both comparators are taken");
	fake.breaks[fake.n_breaks++] = *what;
	return 0;
}

static int break_remove(void *state, const struct pt_break *what, struct pt_err *err)
{
	size_t i = find(what);

	(void)state;
	(void)err;
	if (i < fake.n_breaks)
		fake.breaks[i] = fake.breaks[--fake.n_breaks];
	return 0;
}

static int flash_erase(void *state, uint64_t addr, uint64_t size, struct pt_err *err)
{
	(void)state;
	if (addr % FAKE_FLASH_BLOCK != 0 || size % FAKE_FLASH_BLOCK != 0 || size > FAKE_FLASH_BYTES ||
	    addr > FAKE_FLASH_BYTES - size)
		return pt_fail(err, PT_EARG, "not flash of this chip");
	memset(fake.flash + addr, 0xff, size);
	fake.n_erases++;
	return 0;
}

static int flash_write(void *state, uint64_t addr, const uint8_t *bytes, size_t len_bytes, struct pt_err *err)
{
	(void)state;
	if (addr > FAKE_FLASH_BYTES || len_bytes > FAKE_FLASH_BYTES - addr)
		return pt_fail(err, PT_EARG, "not flash of this chip");
	memcpy(fake.flash + addr, bytes, len_bytes);
	fake.n_flash_writes++;
	return 0;
}

static int flash_done(void *state, struct pt_progress *progress, struct pt_err *err)
{
	(void)state;
	(void)err;
	pt_progress_set(progress, PT_PROGRESS_ERASES, 1, 2);
	fake.n_flash_dones++;
	return 0;
}

static int mass_erase(void *state, struct pt_err *err)
{
	(void)state;
	(void)err;
	fake.n_mass_erases++;
	return 0;
}

static int leave(void *state, struct pt_err *err)
{
	(void)state;
	(void)err;
	fake.n_leaves++;
	return 0;
}

static const struct pt_target_ops ops = {
	.name = "fake", .help = "for tests", .architecture = "arm", .arch = { .elf_machine = 40 },
	.leave = leave, .chip = chip, .describe = describe, .n_cores = n_cores, .status = status,
	.registers = get_registers, .read_registers = read_registers, .write_registers = write_registers, .pc = get_pc,
	.mem = get_mem, .regions = get_regions, .break_insert = break_insert, .break_remove = break_remove,
	.flash_erase = flash_erase, .flash_write = flash_write, .flash_done = flash_done, .mass_erase = mass_erase,
};
static struct pt_target target = { .ops = &ops };

/* --- the board ---------------------------------------------------------------------------------------------------- */

static struct pt_board {
	uv_async_t async;
	struct pt_board_listener *listeners;
	struct pt_job *urgent, *normal;
} board;

static void put(struct pt_job **list, struct pt_job *job)
{
	while (*list != NULL)
		list = &(*list)->next;
	job->next = NULL;
	*list = job;
}

static struct pt_job *take(void)
{
	struct pt_job **list = board.urgent != NULL ? &board.urgent : &board.normal;
	struct pt_job *job = *list;

	if (job != NULL)
		*list = job->next;
	return job;
}

static bool has_target(const struct pt_job *job)
{
	return fake.state == PT_BOARD_READY || (fake.state == PT_BOARD_LOCKED && job->even_locked);
}

static void on_jobs(uv_async_t *async)
{
	struct pt_job *job;

	(void)async;
	while (!fake.hold_jobs && (job = take()) != NULL) {
		memset(&job->err, 0, sizeof(job->err));
		job->rc = job->run(job, &board, has_target(job) ? &target : NULL, &job->err);
		job->done(job, job->rc, &job->err);
	}
}

struct pt_board *fake_board_new(uv_loop_t *loop)
{
	memset(&fake, 0, sizeof(fake));
	memset(&board, 0, sizeof(board));
	fake.state = PT_BOARD_READY;
	fake.core = (struct pt_core_status){ .state = PT_RUNNING, .addr = PT_UNKNOWN };
	fake.registers[FAKE_PC] = 0x100;
	for (size_t i = 0; i < FAKE_RAM_BYTES; i++)
		fake.ram[i] = (uint8_t)i;
	uv_async_init(loop, &board.async, on_jobs);
	return &board;
}

void fake_board_free(void)
{
	uv_close((uv_handle_t *)&board.async, NULL);
}

void fake_go_on(void)
{
	uv_async_send(&board.async);
}

void pt_board_post(struct pt_board *b, struct pt_job *job)
{
	put(job->urgent ? &b->urgent : &b->normal, job);
	uv_async_send(&b->async);
}

void pt_board_listen(struct pt_board *b, struct pt_board_listener *listener)
{
	listener->next = b->listeners;
	b->listeners = listener;
}

void pt_board_tell(struct pt_board *b, const char *text)
{
	for (struct pt_board_listener *l = b->listeners; l != NULL; l = l->next)
		if (l->on_console != NULL)
			l->on_console(l->arg, text, strlen(text));
}

void pt_board_unlisten(struct pt_board *b, struct pt_board_listener *listener)
{
	struct pt_board_listener **l = &b->listeners;

	while (*l != NULL && *l != listener)
		l = &(*l)->next;
	if (*l != NULL)
		*l = listener->next;
}

int pt_board_hear(struct pt_board *b, struct pt_err *err)
{
	(void)b;
	(void)err;
	return 0;
}

const struct pt_target_word *pt_board_target_word(size_t i)
{
	(void)i;
	return NULL;
}

bool pt_board_is_upstream(const struct pt_board *b)
{
	(void)b;
	return false;
}

enum pt_board_state pt_board_get_state(const struct pt_board *b, const char **why)
{
	(void)b;
	if (why != NULL)
		*why = fake.why;
	return fake.state;
}

struct pt_core_status pt_board_last_status(const struct pt_board *b, unsigned core)
{
	(void)b;
	(void)core;
	return fake.core;
}

static void tell_stop(void)
{
	for (struct pt_board_listener *l = board.listeners, *next; l != NULL; l = next) {
		next = l->next;
		if (l->on_stop != NULL)
			l->on_stop(l->arg, 0, &fake.core);
	}
}

static void tell_run(void)
{
	for (struct pt_board_listener *l = board.listeners; l != NULL; l = l->next)
		if (l->on_run != NULL)
			l->on_run(l->arg, 0);
}

void fake_core_stops(enum pt_halt_reason reason, uint64_t addr, uint64_t pc)
{
	fake.core = (struct pt_core_status){ .state = PT_HALTED, .reason = reason, .addr = addr };
	fake.registers[FAKE_PC] = pc;
	tell_stop();
}

void fake_board_says(enum pt_board_state state, const char *why)
{
	fake.state = state;
	snprintf(fake.why, sizeof(fake.why), "%s", why);
	for (struct pt_board_listener *l = board.listeners; l != NULL; l = l->next)
		if (l->on_state != NULL)
			l->on_state(l->arg, state, why);
}

int pt_board_halt(struct pt_board *b, unsigned core, struct pt_err *err)
{
	(void)b;
	(void)core;
	if (fake.fail_halt != 0)
		return pt_fail(err, fake.fail_halt, "it does not halt");
	fake.n_halts++;
	if (fake.core.state != PT_HALTED)
		fake_core_stops(PT_HALT_REQUEST, PT_UNKNOWN, fake.registers[FAKE_PC]);
	return 0;
}

int pt_board_resume(struct pt_board *b, unsigned core, struct pt_err *err)
{
	(void)b;
	(void)core;
	if (fake.fail_resume != 0)
		return pt_fail(err, fake.fail_resume, "it does not run");
	fake.n_resumes++;
	fake.core = (struct pt_core_status){ .state = PT_RUNNING, .addr = PT_UNKNOWN };
	tell_run();
	if (fake.stop_in_resume != 0)
		fake_core_stops(PT_HALT_BREAK_HW, fake.stop_in_resume, fake.stop_in_resume);
	fake.stop_in_resume = 0;
	return 0;
}

int pt_board_leave(struct pt_board *b, struct pt_err *err)
{
	(void)b;
	return leave(NULL, err);
}

int pt_board_step(struct pt_board *b, unsigned core, struct pt_err *err)
{
	(void)b;
	(void)core;
	(void)err;
	fake.n_steps++;
	fake_core_stops(PT_HALT_STEP, PT_UNKNOWN, fake.registers[FAKE_PC] + 2);
	return 0;
}

int pt_board_reset(struct pt_board *b, enum pt_reset_kind kind, struct pt_err *err)
{
	(void)b;
	(void)err;
	fake.n_resets++;
	if (kind == PT_RESET_RUN)
		fake.core = (struct pt_core_status){ .state = PT_RUNNING, .addr = PT_UNKNOWN };
	else
		fake_core_stops(PT_HALT_VECTOR_CATCH, PT_UNKNOWN, 0x40);
	return 0;
}

void pt_board_tell_program(struct pt_board *b)
{
	(void)b;	/* no profile is at work on it */
}

int pt_board_wrote_pc(struct pt_board *b, unsigned core, uint64_t pc, struct pt_err *err)
{
	(void)b;
	(void)core;
	(void)pc;
	(void)err;
	fake.n_pc_writes++;
	return 0;
}

/* --- the session -------------------------------------------------------------------------------------------------- */

static struct pt_session {
	pt_session_reply wait;
	void *wait_arg;
	struct pt_program *program;
	uint32_t top;
	bool top_given;
} session;

struct pt_session *fake_session_new(void)
{
	memset(&session, 0, sizeof(session));
	return &session;
}

static void answer(pt_session_reply reply, void *arg, int rc, const char *text)
{
	reply(arg, rc, text, strlen(text));
}

void pt_session_cancel_start(struct pt_session *s)
{
	(void)s;
}

void pt_session_start(struct pt_session *s, const char *const *words, size_t n_words, pt_session_reply reply, void *arg)
{
	(void)s;
	fake.words[0] = '\0';
	for (size_t i = 0; i < n_words; i++)
		snprintf(fake.words + strlen(fake.words), sizeof(fake.words) - strlen(fake.words), "%s%s",
			 i > 0 ? " " : "", words[i]);
	if (strstr(fake.words, "source=none") != NULL) {
		answer(reply, arg, PT_EUNSUPPORTED, "no source \"none\"; there are: mtb");
		return;
	}
	fake.session = PT_SESSION_RUNNING;
	answer(reply, arg, 0, "profiling");
}

void pt_session_stop(struct pt_session *s, pt_session_reply reply, void *arg)
{
	(void)s;
	fake.session = PT_SESSION_IDLE;
	fake.n_stops_of_profile++;
	answer(reply, arg, 0, "");
}

void pt_session_reset(struct pt_session *s, pt_session_reply reply, void *arg)
{
	(void)s;
	answer(reply, arg, 0, "");
}

void pt_session_save(struct pt_session *s, const char *path, bool replace, pt_session_reply reply, void *arg)
{
	char text[200];

	(void)s;
	(void)replace;
	snprintf(text, sizeof(text), "saved %s\n", path);
	answer(reply, arg, 0, text);
}

struct pt_board *pt_session_board(const struct pt_session *s)
{
	(void)s;
	return &board;
}

void pt_session_status(struct pt_session *s, pt_session_reply reply, void *arg)
{
	(void)s;
	answer(reply, arg, 0, fake.session == PT_SESSION_RUNNING ? "profile: running" : "profile: none");
}

void pt_session_report(struct pt_session *s, const struct pt_query *query, pt_session_reply reply, void *arg)
{
	(void)s;
	fake.query = *query;
	answer(reply, arg, 0, "TABLE\n");
}

/* No branch history here: tests/system/test_branch_trace has the real one. */
struct pt_session *pt_session_beside(const struct pt_session *s)
{
	(void)s;
	return NULL;
}

void pt_session_record(struct pt_session *s, pt_session_reply reply, void *arg)
{
	(void)s;
	answer(reply, arg, PT_ESTATE, "no branch history");
}

bool pt_session_records(const struct pt_session *s)
{
	(void)s;
	return false;
}

void pt_session_history(struct pt_session *s, uint16_t core, uint64_t since, uint64_t pc, pt_session_reply reply,
			void *arg)
{
	(void)core;
	(void)since;
	(void)pc;
	pt_session_record(s, reply, arg);
}

void pt_session_branches(struct pt_session *s, enum pt_branches how, uint16_t core, size_t top, pt_session_reply reply,
			 void *arg)
{
	(void)core;
	(void)how;
	(void)top;
	pt_session_record(s, reply, arg);
}

void pt_session_close(struct pt_session *s, void (*on_closed)(void *arg), void *arg)
{
	(void)s;
	on_closed(arg);
}

void pt_session_sources(struct pt_session *s, pt_session_reply reply, void *arg)
{
	(void)s;
	answer(reply, arg, 0, "mtb");
}

void pt_session_wait(struct pt_session *s, uint64_t for_ns, pt_session_reply reply, void *arg)
{
	(void)for_ns;
	s->wait = reply;
	s->wait_arg = arg;
}

static void end_wait(int rc)
{
	pt_session_reply reply = session.wait;

	session.wait = NULL;
	if (reply != NULL)
		answer(reply, session.wait_arg, rc, rc < 0 ? "cancelled" : "");
}

void pt_session_cancel_wait(struct pt_session *s)
{
	(void)s;
	end_wait(PT_EINTERRUPTED);
}

bool fake_waits(void)
{
	return session.wait != NULL;
}

void fake_time_up(void)
{
	end_wait(0);
}

enum pt_session_state pt_session_get_state(const struct pt_session *s)
{
	(void)s;
	return fake.session;
}

int pt_session_set_program(struct pt_session *s, struct pt_program *program, struct pt_err *err)
{
	(void)err;
	pt_program_unref(s->program);
	s->program = program != NULL ? pt_program_ref(program) : NULL;
	return 0;
}

struct pt_program *pt_session_program(struct pt_session *s)
{
	return s->program;
}

void pt_session_set_limits(struct pt_session *s, const char *word, pt_session_reply reply, void *arg)
{
	(void)s;
	reply(arg, 0, word != NULL ? "rules\n" : "no rules\n", 0);
}

void pt_session_write(struct pt_session *s, const char *name, const char *value, pt_session_reply reply, void *arg)
{
	(void)s;
	(void)name;
	(void)value;
	reply(arg, 0, "written\n", 0);
}

void pt_session_set_orti(struct pt_session *s, const char *word)
{
	(void)s;
	snprintf(fake.orti, sizeof(fake.orti), "%s", word != NULL ? word : "");
}

void pt_session_set_top(struct pt_session *s, const struct pt_query *query)
{
	s->top = query->top;
	s->top_given = query->top_given;
}

void pt_session_default_top(const struct pt_session *s, struct pt_query *query)
{
	if (query->top_given || !s->top_given)
		return;
	query->top = s->top;
	query->top_given = true;
}

const char *pt_session_why_ended(const struct pt_session *s)
{
	(void)s;
	return "";
}

/* --- semihosting: what it is to a GDB server, test_semihost in system says ---------------------------------------- */

struct pt_host *pt_board_host(struct pt_board *b)
{
	static struct pt_host off;

	(void)b;
	return &off;
}

int pt_board_host_set(struct pt_board *b, enum pt_host_mode mode, struct pt_err *err)
{
	(void)b;
	(void)mode;
	return pt_fail(err, PT_EUNSUPPORTED, "no semihosting here");
}

int pt_board_host_ask(struct pt_board *b, unsigned core, enum pt_host_how how, struct pt_host_call *call,
		      struct pt_err *err)
{
	(void)b;
	(void)how;
	(void)core;
	(void)call;
	(void)err;
	return 0;
}

int pt_board_host_serve(struct pt_board *b, unsigned core, enum pt_host_how how, const struct pt_host_call *call,
			struct pt_err *err)
{
	(void)b;
	(void)how;
	(void)core;
	(void)call;
	return pt_fail(err, PT_EUNSUPPORTED, "no semihosting here");
}

int pt_board_host_answer(struct pt_board *b, unsigned core, enum pt_host_how how, int32_t result, struct pt_err *err)
{
	(void)b;
	(void)how;
	(void)core;
	(void)result;
	return pt_fail(err, PT_EUNSUPPORTED, "no semihosting here");
}
