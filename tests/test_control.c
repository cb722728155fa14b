/* Commands without a GDB: every row through a door of the test's own, on virtual boards. What rows print is proven by
 * the tests of the server and of GDB; here it is how they are found, called, helped with, completed, refused and
 * ended. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "board_rig.h"
#include "control/commands.h"

#define VIRTUAL "virtual:kl27?clock=virtual"

static struct rig {
	struct board_rig board;
	struct pt_session *session;
	struct pt_recorder *recorder;
	struct pt_os_tasks *tasks;
	struct pt_command_ctx ctx;
	struct pt_command *cmd;
	bool done, closed;
	int rc;
	char text[16384], err[1000];
} rig;

static char elf[600], saved[64];

/* --- the door ----------------------------------------------------------------------------------------------------- */

static struct { bool owned, busy, refuses; const char *unserved; } door;

static bool serves(void *arg, const struct pt_command_row *row)
{
	ck_assert_ptr_eq(arg, &door);
	return door.unserved == NULL || strcmp(row->name, door.unserved) != 0;
}

static int allows(void *arg, const struct pt_command *cmd, struct pt_err *err)
{
	(void)arg;
	if (!door.refuses || cmd->row.run == NULL || (cmd->row.flags & PT_COMMAND_LOOKS_ONLY) != 0 ||
	    ((cmd->row.flags & PT_COMMAND_ASKS) != 0 && cmd->n_words == 0))
		return 0;
	return pt_fail(err, PT_EPERM, "%s: not through this door", cmd->row.name);
}

static uint16_t get_core(void *arg)
{
	(void)arg;
	return 3;
}

static bool is_owned(void *arg)
{
	(void)arg;
	return door.owned;
}

static bool is_busy(void *arg)
{
	(void)arg;
	return door.busy;
}

static void say_status(void *arg, struct pt_text *out)
{
	(void)arg;
	pt_text_add(out, "door: a test\n");
}

static const char *hint(void *arg, enum pt_command_event event)
{
	static const char *const hints[] = {
		[PT_COMMAND_RUNNING] = "hint: running", [PT_COMMAND_RESET] = "hint: reset",
		[PT_COMMAND_HALTED_AGAIN] = "hint: halted again", [PT_COMMAND_ERASED] = "hint: erased",
		[PT_COMMAND_THREADS] = "hint: threads", [PT_COMMAND_OTHER_WORDS] = NULL,
	};

	(void)arg;
	return hints[event];
}

static void say_own(struct pt_command *cmd)
{
	pt_command_say(cmd, "own: %zu", cmd->n_words);
	pt_command_done(cmd, 0, NULL);
}

static const struct pt_command_row own_rows[] = {
	{ .name = "own", .usage = "[left|right=N]", .help = "a row of the door's", .flags = PT_COMMAND_LOOKS_ONLY,
	  .run = say_own },
	{ 0 },
};

static const struct pt_door_ops door_ops = {
	.name = "test", .rows = own_rows, .serves = serves, .allows = allows, .core = get_core, .owned = is_owned,
	.busy = is_busy, .status = say_status, .hint = hint,
};
static const struct pt_door_ops bare_ops = { .name = "bare" };

/* --- the rig ------------------------------------------------------------------------------------------------------ */

static void open_rig(const char *uri, const struct pt_door_ops *ops)
{
	const char *srcdir = getenv("srcdir");

	snprintf(elf, sizeof(elf), "%s/tests/firmware/demo.elf", srcdir != NULL ? srcdir : ".");
	snprintf(saved, sizeof(saved), "test_control.%d.capture", (int)getpid());
	memset(&door, 0, sizeof(door));
	memset(&rig, 0, sizeof(rig));
	board_rig_open(&rig.board, uri, false);
	rig.session = pt_session_new(rig.board.board, &rig.board.loop);
	rig.recorder = pt_recorder_new(rig.session);
	rig.tasks = pt_os_tasks_new(&rig.board.loop, rig.board.board, rig.session);
	rig.ctx = (struct pt_command_ctx){
		.loop = &rig.board.loop, .board = rig.board.board, .session = rig.session, .recorder = rig.recorder,
		.tasks = rig.tasks, .own = true, .ops = ops, .door = &door,
	};
}

static void on_closed(void *arg)
{
	(void)arg;
	rig.closed = true;
}

static void await_closed(const char *what)
{
	board_rig_await(&rig.board, &rig.closed, what);
	rig.closed = false;
}

static void close_rig(void)
{
	pt_os_tasks_close(rig.tasks, on_closed, NULL);
	await_closed("the end of the tasks");
	pt_recorder_close(rig.recorder, on_closed, NULL);
	await_closed("the end of the recorder");
	pt_session_close(rig.session, on_closed, NULL);
	await_closed("the end of the session");
	board_rig_close(&rig.board);
}

static void on_done(struct pt_command *cmd, int rc, const struct pt_err *err)
{
	ck_assert(!rig.done);
	ck_assert_ptr_eq(cmd->caller, &rig);
	rig.done = true;
	rig.rc = rc;
	ck_assert(cmd->out.len_bytes < sizeof(rig.text));
	snprintf(rig.text, sizeof(rig.text), "%.*s", (int)cmd->out.len_bytes,
		 cmd->out.bytes != NULL ? cmd->out.bytes : "");
	snprintf(rig.err, sizeof(rig.err), "%s", err->msg);
	pt_command_free(cmd);
}

static void begin(const char *line)
{
	rig.done = false;
	rig.cmd = pt_command_new(&rig.ctx, line, strlen(line), on_done, &rig);
	ck_assert_ptr_nonnull(rig.cmd);
	pt_command_run(rig.cmd);
}

static int call(const char *line)
{
	begin(line);
	board_rig_await(&rig.board, &rig.done, line);
	return rig.rc;
}

/* "@" is the ELF, "%" the file to save to. */
static const char *fill_names(const char *line)
{
	static char filled[1024];
	size_t n = 0;

	for (; *line != '\0'; line++)
		if (*line == '@' || *line == '%')
			n += (size_t)snprintf(filled + n, sizeof(filled) - n, "%s", *line == '@' ? elf : saved);
		else
			filled[n++] = *line;
	filled[n] = '\0';
	return filled;
}

/* A board that is attached, and the program that it runs. */
static void open_with_symbols(const char *uri, const struct pt_door_ops *ops)
{
	open_rig(uri, ops);
	board_rig_await_state(&rig.board, PT_BOARD_READY, 0);
	call(fill_names("symbols @"));
}

/* --- every row ---------------------------------------------------------------------------------------------------- */

struct step { const char *line; int rc; const char *has; };

/* In this order, on one board. has: in the answer, or in the sentence of a failure. */
static const struct step story[] = {
	{ "help", 0, "profile start [for=TIME]" },
	{ "status", 0, "MKL27Z256" }, { "status", 0, "door: a test" }, { "status", 0, "profile: none yet" },
	{ "sources", 0, "mtb" },
	{ "exits main", PT_EARG, "no symbols yet" },
	{ "symbols", 0, "no symbols yet" },
	{ "symbols @", 0, "functions" },
	{ "symbols", 0, "demo.elf" },
	{ "exits main", 0, "never ends" },
	{ "halt", 0, "core 0: halted at 0x" },
	{ "fault", 0, "no fault" }, { "swo doctor", PT_EUNSUPPORTED, "has no ITM" },
	{ "orti auto", PT_EARG, "of no operating system known here" }, { "orti off", 0, "no tasks" },
	{ "threads", 0, "core 0" },
	{ "reset halt", 0, "hint: reset" },
	{ "speed", 0, "one word, there and back" },
	{ "go", 0, "running\nhint: running" },
	{ "profile start source=mtb mode=ring mtb-ram=0x20000800:0x400", 0, "mtb" },
	{ "profile status", 0, "profile: source mtb at work" },
	{ "halt", 0, "halted at" },
	{ "log top=3", 0, "no client has changed anything in the target so far" },
	{ "history top=3", PT_ESTATE, "what core 3 executed is not traced" },
	{ "profile stop", 0, "" },
	{ "profile limits off", 0, "" }, { "profile write g_state 1", PT_ESTATE, "no profile is running" },
	{ "profile run 50ms top=2 mtb-ram=0x20000800:0x400", 0, "The core is halted again; hint: halted again" },
	{ "profile report calls top=1", 0, "caller" },
	{ "profile save %", 0, "" },
	{ "profile start mtb-ram=0x20000800:0x400 top=1", 0, "mtb" },
	{ "profile reset", 0, "" },
	{ "profile stop", 0, "" },
	{ "semihost", 0, "semihosting off" },
	{ "bdccsr", PT_EUNSUPPORTED, "target cortexm has none" },
	{ "events e500v2 branch", 0, "branch" },
	{ "own a b", 0, "own: 2" },
	{ "erase everything", 0, "all flash of the chip is erased\nhint: erased" },
};

static void check_step(const struct step *step)
{
	int rc = call(fill_names(step->line));

	ck_assert_msg(rc == step->rc, "%s: %d, not %d: %s", step->line, rc, step->rc, rig.err);
	ck_assert_msg(strstr(rc < 0 ? rig.err : rig.text, step->has) != NULL, "%s: not \"%s\" but: %s%s", step->line,
		      step->has, rig.text, rig.err);
}

static void is_in_story(void *arg, const struct pt_command_row *row)
{
	size_t len = strlen(row->name);

	(void)arg;
	for (size_t i = 0; i < PT_LEN(story); i++)
		if (strncmp(story[i].line, row->name, len) == 0 && strchr(" ", story[i].line[len]) != NULL)
			return;
	ck_abort_msg("no step calls %s", row->name);
}

START_TEST(calls_every_row)
{
	open_rig(VIRTUAL, &door_ops);
	board_rig_await_state(&rig.board, PT_BOARD_READY, 0);
	pt_commands_each(&rig.ctx, is_in_story, NULL);
	for (size_t i = 0; i < PT_LEN(story); i++)
		check_step(&story[i]);
	ck_assert_int_eq(unlink(saved), 0);
	close_rig();
}
END_TEST

/* --- what is wrong ------------------------------------------------------------------------------------------------ */

static const struct step wrong[] = {
	{ "nothing", PT_EARG, "\"nothing\" is not a test command; there are: help, profile start, " },
	{ "profile nothing", PT_EARG, "\"profile nothing\" is not a test command; there are: profile start, " },
	{ "profile strat", PT_EARG, "\"profile strat\" is not a test command; did you mean profile start? there are: " },
	{ "profiel stop", PT_EARG, "\"profiel\" is not a test command; did you mean profile stop? help lists them all" },
	{ "report details", PT_ESTATE, "nothing was profiled yet" }, { "stop", PT_EARG, "did you mean profile stop?" }, { "strat", PT_EARG, "did you mean profile start?" },
	{ "simbols @", PT_EARG, "did you mean symbols? " },
	{ "rest", PT_EARG, "\"rest\" is not a test command; did you mean reset? help lists them all" },
	{ "remote put a.elf firmware.elf", PT_EARG, "one of GDB itself" },
	{ "core-clock", PT_EARG, "\"core-clock\" is not a test command; test help core-clock says what it is: setting" },
	{ "core-clock 48M", PT_EARG, "a setting goes with the profile: test profile run 2s core-clock=48M" },
	{ "set core-clock=48M", PT_EARG, "a setting goes with the profile: test profile run 2s core-clock=48M" },
	{ "set catch-faults on", PT_EARG, "test help catch-faults says whose setting it is" },
	{ "run", PT_EARG, "type it without test" }, { "run 1s", PT_EARG, "did you mean test profile run 1s?" },
	{ "profile 1s", PT_EARG, "did you mean test profile run 1s?" },
	{ "flamegraph", PT_EARG, "proftap decode FILE --format svg -o OUT" },
	{ "set", PT_EARG, "one of GDB itself" },
	{ "Halt", PT_EARG, "did you mean halt?" },
	{ "timeline from=2s", PT_ESTATE, "nothing was profiled yet" },
	{ "exit", PT_EARG, "profile stop ends a profile" }, { "bye", PT_EARG, "quit, typed without test, ends the GDB session" },
	{ "clock 48M", PT_EARG, "test profile run 2s core-clock=48M" },
	{ "owm", PT_EARG, "did you mean own?" },
	{ "profile re", PT_EARG, "\"re\" fits several commands: profile reset, profile report; write more of it" },
	{ "ha sideways", PT_EARG, "did you mean halt?" },	/* what controls a core needs three letters */
	{ "hi sideways", PT_EARG, "history" }, { "res sideways", PT_EARG, "reset takes one of" },
	{ "profile start for=soon", PT_EARG, "profile start: for: 'soon' is not a time" },
	{ "profile start for=0", PT_EARG, "no time at all" },
	{ "profile start period=2", PT_EARG, "2 of what? a time has a unit: 2s, 2ms or 2us" },
	{ "profile start mode=brust", PT_EARG, "did you mean burst?" },
	{ "profile start core-clok=1M", PT_EARG, "did you mean core-clock? there are: source mode samples-share" },
	{ "profile start perod=2ms", PT_EARG, "there is no setting 'perod'; did you mean period? there are: " },
	{ "profile report calz", PT_EARG, "there is no view 'calz'; did you mean calls? views: functions" },
	{ "profile report det", PT_ESTATE, "nothing was profiled yet" },
	{ "profile report ta", PT_EARG, "'ta' fits several views: tasks task_functions; write more of it" },
	{ "profile report func", PT_ESTATE, "nothing was profiled yet" },
	{ "profile report t", PT_EARG, "there is no view 't'; views: " },
	{ "profile report ti sort=form", PT_EARG, "cannot sort by 'form'" },
	{ "profile report sort=gros", PT_EARG, "did you mean gross" },
	{ "profile report format=jsn", PT_EARG, "there is no format 'jsn'; did you mean json? formats: text json" },
	{ "profile stop", PT_ESTATE, "no profile is running: monitor profile start begins one" },
	{ "haaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaalt", PT_EARG, "there are: help" },
	{ "halt now", PT_EARG, "halt takes no words: \"now\"; alone it works: test halt" },
	{ "bdccsr x", PT_EARG, "bdccsr takes no words" },
	{ "reset sideways", PT_EARG, "reset takes one of: halt, run, init" },
	{ "speed 0", PT_EARG, "speed takes one frequency" }, { "speed 5000M", PT_EARG, "speed" },
	{ "speed fast", PT_EARG, "speed: " },
	{ "erase", PT_EARG, "erase everything" },
	{ "symbols /", PT_EARG, "symbols: / is not a file; name the file that the linker wrote" },
	{ "profile run 0.05 format=pprof", PT_EARG, "profile run: pprof is no text; test profile save FILE" },
	{ "threads now", PT_EARG, "threads takes no words: \"now\"; alone it works" },
	{ "history top=x", PT_EARG, "not top=x" }, { "log top=x", PT_EARG, "not top=x" },
	{ "history sideways", PT_EARG, "not sideways" },
	{ "profile run", PT_EARG, "for how long" }, { "profile run 0s", PT_EARG, "no time at all" }, { "profile run soon", PT_EARG, "profile run: " },
	{ "profile start top=x", PT_EARG, "profile start: " },
	{ "profile start source=nothing", PT_EARG, "nothing" },
	{ "profile start nokey=1", PT_EARG, "nokey" },
	{ "profile start bucket=0ns", PT_EARG, "bucket" },
	{ "profile report nothing", PT_EARG, "profile report: " },
	{ "profile report format=pprof", PT_EARG, "is no text" },
	{ "profile save", PT_EARG, "profile save FILE" },
	{ "profile limits", PT_EARG, "profile limits FILE|off" }, { "profile limits /nowhere/x", PT_EIO, "/nowhere/x" },
	{ "symbols /nowhere/x", PT_EIO, "symbols: open /nowhere/x" }, { "symbols @ nokey=1", PT_EARG, "nokey" },
	{ "orti", PT_EARG, "orti takes a FILE" }, { "semihost sideways", PT_EARG, "semihost takes" },
	{ "events", PT_EARG, "of which core" }, { "events pentium", PT_EARG, "'pentium'" },
	{ "help nothing", PT_EARG, "no help for \"nothing\"; `test help` lists all commands" },
	{ "help perod", PT_EARG, "no help for \"perod\"; did you mean period?" },
};

START_TEST(refuses_what_is_wrong)
{
	open_rig(VIRTUAL, &door_ops);
	board_rig_await_state(&rig.board, PT_BOARD_READY, 0);
	for (size_t i = 0; i < PT_LEN(wrong); i++)
		check_step(&wrong[i]);
	close_rig();
}
END_TEST

/* --- first steps, and short words --------------------------------------------------------------------------------- */

static const struct step shorts[] = {
	{ "", 0, "test profile run 2s " }, { "profile", 0, "test profile start [for=2s] " },
	{ "prof", 0, "test profile start [for=2s] " }, { "prof stat", 0, "profile: none yet" },
	{ "stat", 0, "profile: none yet" }, { "hal", 0, "halted at" }, { "sym @", 0, "functions" },
	{ "prof run 0.05 mtb-ram=0x20000800:0x400 top=1", 0, "observed " }, { "prof rep ca", 0, "caller" },
	{ "prof run 50 ms mtb-ram=0x20000800:0x400 top=1", 0, "observed " },
	{ "prof run top=1 mtb-ram=0x20000800:0x400 for=50ms", 0, "observed " },
	{ "s", PT_EARG, "\"s\" fits several commands: sources, symbols" }, { "g", PT_EARG, "\"g\" is too short for go" },
	{ "help >=", 0, ">= (in a report): a lower bound" }, { "help cut off", 0, "cut off (in a report): " },
	{ "help window", 0, "window (in a report): " }, { "help samples awake", 0, "samples awake (in a report): " },
	{ "help undecided", 0, "in a report" }, { "help built-in demo", 0, "elf=" }, { "help 95", 0, "95 (in a report): " }, { "help remote put", 0, "remote put FILE firmware.elf" },
	{ "help report details", 0, "report details (in a report): " }, { "help period=2ms", 0, "period (" },
	{ "help bursts", 0, "burst (in a report): " }, { "help batches", 0, "batch (in a report): " },
	{ "help WARNING", 0, "WARNING (in a report): " }, { "help taken on trust", 0, "core-clock= as it was given" },
	{ "help calls/s", 0, "calls/s (in a report): " }, { "help p50", 0, "p50 (in a report): the median" },
	{ "help IPC", 0, "IPC (metric): COMPLETED_INSNS/CPU_CLK" }, { "help halted", 0, "HALTED (in a report): " },
	{ "help overrun", 0, "the hardware wrote faster than it was read; what helps: " },
	{ "help core-clock", 0, "; or measure" }, { "help lower bound", 0, "(in a report): at least" },
	{ "pr rep func top=1", 0, "function " },
	{ "prof start 10 ms mtb-ram=0x20000800:0x400", 0, "it stops by itself" }, { "prof stop", 0, "" },
	{ "help mtb-ram", 0, "mtb-ram (setting of source mtb): RAM to record into" },
	{ "help burst", 0, "burst (mode): profile start source=mtb mode=burst" }, { "help mtb", 0, "mtb (source): " },
	{ "help calls", 0, "calls (view): " }, { "help gross", 0, "gross (column): " },
	{ "help sort=", 0, "sort (of a report): " }, { "help json", 0, "json (format): " },
	{ "help timeline", 0, "timeline (analysis): " }, { "help source-path", 0, "(setting of symbols)" },
	{ "help connect", 0, "connect (setting of the target, --set): " }, { "help --gdb", 0, "gdb (option): --gdb ADDR" },
	{ "help observed", 0, "observed (in a report): " }, { "help not listed", 0, "not listed (in a report): " },
	{ "help re-arm", 0, "re-arm (cause of unobserved time): " }, { "help overrun", 0, "overrun (cause of lost time): " },
	{ "help instructions", 0, "instructions (value): clock=instructions" },
	{ "help report", 0, "profile report [VIEW]" }, { "help functions", 0, "functions (setting of a profile): " },
};

static void give_one_option(void (*each)(void *arg, const char *name, const char *help), void *arg)
{
	each(arg, "gdb", "--gdb ADDR: where GDB connects");
}

static size_t count_lines(const char *text)
{
	size_t n = 0;

	for (; *text != '\0'; text++)
		n += *text == '\n';
	return n;
}

START_TEST(explains_itself)
{
	open_rig(VIRTUAL, &door_ops);
	rig.ctx.options = give_one_option;
	board_rig_await_state(&rig.board, PT_BOARD_READY, 0);
	for (size_t i = 0; i < PT_LEN(shorts); i++)
		check_step(&shorts[i]);
	ck_assert_int_eq(call(""), 0);
	ck_assert_uint_eq(count_lines(rig.text), 10);
	ck_assert_int_eq(call("profile"), 0);
	ck_assert_uint_eq(count_lines(rig.text), 10);
	close_rig();
}
END_TEST

/* The command has been answered long before; the end comes by itself, and the result stays. */
START_TEST(stops_by_itself)
{
	open_with_symbols(VIRTUAL, &door_ops);
	ck_assert_msg(call("profile start for=0.05 mtb-ram=0x20000800:0x400") == 0, "%s", rig.err);
	ck_assert_ptr_nonnull(strstr(rig.text, "it stops by itself"));
	for (int i = 0; i < 20000 && pt_session_get_state(rig.session) != PT_SESSION_IDLE; i++)
		uv_run(&rig.board.loop, UV_RUN_ONCE);
	ck_assert_int_eq(pt_session_get_state(rig.session), PT_SESSION_IDLE);
	ck_assert_int_eq(call("profile status"), 0);
	ck_assert_ptr_nonnull(strstr(rig.text, "profile: ended"));
	ck_assert_int_eq(call("profile stop"), 0);
	ck_assert_ptr_nonnull(strstr(rig.text, "profile stopped by itself, as its time was over"));
	ck_assert_ptr_nonnull(strstr(rig.text, "accuracy "));
	ck_assert_int_eq(call("profile stop"), PT_ESTATE);
	ck_assert_ptr_nonnull(strstr(rig.err, "monitor profile report shows the last one"));
	close_rig();
}
END_TEST

/* Closed while the time runs, and at each moment of the stop that ends it. */
START_TEST(is_closed_before_its_time)
{
	open_with_symbols(VIRTUAL, &door_ops);
	ck_assert_msg(call(_i == 0 ? "profile start for=300s mtb-ram=0x20000800:0x400"
				   : "profile start for=20ms mtb-ram=0x20000800:0x400") == 0,
		      "%s", rig.err);
	while (_i == 2 && pt_session_get_state(rig.session) != PT_SESSION_STOPPING)
		uv_run(&rig.board.loop, UV_RUN_ONCE);
	close_rig();
}
END_TEST

/* All is closed while somebody's stop is at work: its answer still comes, and finds what it needs. */
START_TEST(closed_in_a_stop)
{
	open_with_symbols(VIRTUAL, &door_ops);
	ck_assert_msg(call("profile start mtb-ram=0x20000800:0x400") == 0, "%s", rig.err);
	begin("profile stop");
	ck_assert_int_eq(pt_session_get_state(rig.session), PT_SESSION_STOPPING);
	close_rig();
}
END_TEST

/* Ten rows, or as many as the start said. */
START_TEST(stop_has_the_first_rows)
{
	static const struct { const char *start, *more; } starts[] = {
		{ "profile start mtb-ram=0x20000800:0x400 mode=halt for=200ms", "more: top=0" },
		{ "profile start mtb-ram=0x20000800:0x400 mode=halt for=200ms top=0", "" },
	};

	open_with_symbols(VIRTUAL, &door_ops);
	for (size_t i = 0; i < PT_LEN(starts); i++) {
		ck_assert_msg(call(starts[i].start) == 0, "%s", rig.err);
		while (pt_session_get_state(rig.session) != PT_SESSION_IDLE)
			uv_run(&rig.board.loop, UV_RUN_ONCE);
		ck_assert_int_eq(call("profile stop"), 0);
		ck_assert_msg((strstr(rig.text, " more: top=0") != NULL) == (starts[i].more[0] != '\0'), "%s",
			      rig.text);
	}
	close_rig();
}
END_TEST

/* Without symbols there are addresses; when they come, names, of the same profile: after it and while it runs. */
START_TEST(names_come_later)
{
	static const struct step after[] = {
		{ "profile run 50ms source=pcsr top=3", 0, "   address" }, { "profile report functions", 0, "(no symbol)" },
		{ "symbols @", 0, "functions" }, { "profile report top=3", 0, "fibonacci" },
		{ "profile report top=3", 0, "fibonacci" },
		{ "profile start mtb-ram=0x20000800:0x400", 0, "profiling" },
		{ "symbols @", PT_ESTATE, "symbols cannot change while a profile runs" }, { "profile stop", 0, "stopped" },
	}, meanwhile[] = {
		{ "profile start mtb-ram=0x20003800:0x400 mode=halt for=100ms", 0, "profiling" },
		{ "symbols @", 0, "functions" },
		{ "profile stop", 0, "fibonacci" }, { "profile report calls", 0, "fibonacci" },
	}, not_kept[] = {
		{ "profile run 50ms source=pcsr spool=0", 0, "   address" }, { "symbols @", 0, "functions" },
		{ "profile report", 0, "   address" },
	};
	static const struct { const struct step *step; size_t n; } stories[] = {
		{ after, PT_LEN(after) }, { meanwhile, PT_LEN(meanwhile) }, { not_kept, PT_LEN(not_kept) },
	};

	open_rig(VIRTUAL, &door_ops);
	board_rig_await_state(&rig.board, PT_BOARD_READY, 0);
	for (size_t i = 0; i < stories[_i].n; i++) {
		while (_i == 1 && i == 2 && pt_session_get_state(rig.session) != PT_SESSION_IDLE)
			uv_run(&rig.board.loop, UV_RUN_ONCE);
		check_step(&stories[_i].step[i]);
	}
	close_rig();
}
END_TEST

/* A source that is made of several does to the program what each of them does. */
START_TEST(says_what_each_does)
{
	open_with_symbols(VIRTUAL, &door_ops);
	ck_assert_msg(call("profile start") == 0, "%s", rig.err);
	ck_assert_msg(strstr(rig.text, "\nmtb: the core never halts; while it records") != NULL, "%s", rig.text);
	ck_assert_msg(strstr(rig.text, "\npcsr: the core never halts; nothing is written") != NULL, "%s", rig.text);
	close_rig();
}
END_TEST

/* A door with one command only: what is started ends with it. */
START_TEST(a_single_command_waits_for_its_profile)
{
	static const struct pt_door_ops single_ops = { .name = "proftap single", .is_single = true };
	static const struct step steps[] = {
		{ "symbols @", 0, "functions" },
		{ "profile", 0, "proftap single profile run 2s calls" },
		{ "", 0, "one command fits: prof run 2s." },
		{ "profile start", PT_EARG, "would end with this command; proftap single profile run 2s" },
		{ "profile start mtb-ram=0x20000800:0x400 for=0.05 top=1", 0, "observed " },
	};

	open_rig(VIRTUAL, &single_ops);
	board_rig_await_state(&rig.board, PT_BOARD_READY, 0);
	for (size_t i = 0; i < PT_LEN(steps); i++)
		check_step(&steps[i]);
	ck_assert_int_eq(pt_session_get_state(rig.session), PT_SESSION_IDLE);
	close_rig();
}
END_TEST

START_TEST(bounds_a_line)
{
	const char *many[PT_COMMAND_WORDS + 1] = { "own" };
	char line[PT_COMMAND_LINE_BYTES + 1];

	open_rig(VIRTUAL, &door_ops);
	memset(line, 'x', sizeof(line));
	ck_assert_ptr_null(pt_command_new(&rig.ctx, line, PT_COMMAND_LINE_BYTES, on_done, &rig));
	line[PT_COMMAND_LINE_BYTES - 1] = '\0';
	ck_assert_int_eq(call(line), PT_EARG);
	ck_assert_ptr_null(pt_command_new_words(&rig.ctx, (const char *[]){ "own", line }, 2, on_done, &rig));
	for (size_t i = 1; i < PT_LEN(many); i++)
		many[i] = "a b";
	ck_assert_ptr_null(pt_command_new_words(&rig.ctx, many, PT_LEN(many), on_done, &rig));
	rig.done = false;
	pt_command_run(pt_command_new_words(&rig.ctx, many, PT_COMMAND_WORDS, on_done, &rig));
	ck_assert(rig.done);
	ck_assert_str_eq(rig.text, "own: 31\n");
	close_rig();
}
END_TEST

/* --- help --------------------------------------------------------------------------------------------------------- */

static void expect_help(void *arg, const struct pt_command_row *row)
{
	char line[128], usage[160], want[400], *all = arg;
	const char *at;
	size_t n;

	snprintf(line, sizeof(line), "help %s", row->name);
	ck_assert_int_eq(call(line), 0);
	n = (size_t)snprintf(usage, sizeof(usage), "%s %s", row->name, row->usage);
	if (n < 34)
		snprintf(want, sizeof(want), "%-34s%s\n", usage, row->help);
	else
		snprintf(want, sizeof(want), "%s\n%34s%s\n", usage, "", row->help);
	ck_assert_msg(strncmp(rig.text, want, strlen(want)) == 0, "%s: %s", line, rig.text);
	at = strstr(all, want);
	ck_assert_msg(at != NULL, "help has not: %s", want);
	for (size_t i = 0; row->param != NULL && row->param(i) != NULL; i++)
		ck_assert_msg(strstr(rig.text, row->param(i)->key) != NULL, "%s lacks %s", line, row->param(i)->key);
}

static void count_row(void *arg, const struct pt_command_row *row)
{
	(void)row;
	(*(size_t *)arg)++;
}

START_TEST(helps_with_what_the_rows_say)
{
	static char all[sizeof(rig.text)];
	size_t n_rows = 0, n_lines = 0;

	open_rig(VIRTUAL, &door_ops);
	ck_assert_int_eq(call("help"), 0);
	memcpy(all, rig.text, sizeof(all));
	pt_commands_each(&rig.ctx, expect_help, all);
	pt_commands_each(&rig.ctx, count_row, &n_rows);
	for (const char *at = all; *at != '\0'; at += strcspn(at, "\n") + 1)
		n_lines += *at != ' ';
	ck_assert_uint_eq(n_lines, n_rows);
	door.unserved = "halt";
	ck_assert_int_eq(call("help halt"), PT_EARG);
	ck_assert_int_eq(call("help"), 0);
	ck_assert_ptr_null(strstr(rig.text, "halt the core"));
	close_rig();
}
END_TEST

/* --- completion --------------------------------------------------------------------------------------------------- */

static const struct { const char *text, *want; } completions[] = {
	{ "hal", "halt\n" }, { "halt", "halt\n" }, { "halt ", "" }, { "xyz", "" },
	{ "s", "sources\nsymbols\nstatus\nspeed\nsemihost\nswo\n" },
	{ "pro", "profile\n" },
	{ "profile re", "reset\nreport\n" }, { "profile  re", "reset\nreport\n" }, { "profil re", "" },
	{ "reset ", "halt\nrun\ninit\n" }, { "reset r", "run\n" }, { "erase e", "everything\n" },
	{ "semihost o", "on\noff\n" }, { "orti a", "auto\n" }, { "profile limits ", "off\n" },
	{ "history ", "calls\nback\ntop=\n" }, { "history calls t", "top=\n" },
	{ "profile report ca", "calls\n" }, { "profile report f", "functions\nformat=\n" },
	{ "symbols @ source-p", "source-path=\n" }, { "profile run 2s limit", "limits=\nlimits\n" },
	{ "own ", "left\nright=\n" }, { "events e500v2 form", "format=\n" },
	{ "help profile re", "reset\nreport\n" }, { "help ha", "halt\n" }, { "help reset ", "" },
};

START_TEST(completes)
{
	struct pt_text out = { 0 };

	open_rig(VIRTUAL, &door_ops);
	pt_commands_complete(&rig.ctx, completions[_i].text, &out);
	ck_assert_msg(strcmp(out.bytes != NULL ? out.bytes : "", completions[_i].want) == 0, "\"%s\": %s",
		      completions[_i].text, out.bytes);
	pt_text_free(&out);
	close_rig();
}
END_TEST

static void complete_name(void *arg, const struct pt_command_row *row)
{
	size_t first = strcspn(row->name, " "), len = strlen(row->name);
	struct pt_text out = { 0 };
	char line[64], want[64];

	(void)arg;
	snprintf(line, sizeof(line), "%.*s", (int)len - 1, row->name);	/* all but its last letter */
	snprintf(want, sizeof(want), "%s\n", row->name[first] == ' ' ? row->name + first + 1 : row->name);
	pt_commands_complete(&rig.ctx, line, &out);
	ck_assert_msg(out.bytes != NULL && strstr(out.bytes, want) != NULL, "%s", line);
	pt_text_free(&out);
}

START_TEST(completes_every_name)
{
	open_rig(VIRTUAL, &door_ops);
	pt_commands_each(&rig.ctx, complete_name, NULL);
	close_rig();
}
END_TEST

/* --- ends --------------------------------------------------------------------------------------------------------- */

/* At once, and while it waits: it stops what it started, halts the core again, and reports. */
START_TEST(ends_early)
{
	struct pt_text line = { 0 };

	open_with_symbols("virtual:kl27?clock=wall", &door_ops);
	ck_assert_int_eq(call("halt"), 0);
	begin("profile run 300s mtb-ram=0x20000800:0x400");
	for (int i = 0; _i == 1 && i < 20000 && !rig.done &&
			(pt_session_get_state(rig.session) != PT_SESSION_RUNNING || rig.cmd->cancel == NULL);
	     i++)
		uv_run(&rig.board.loop, UV_RUN_ONCE);
	ck_assert(!rig.done);
	pt_command_progress(rig.cmd, &line);
	ck_assert_ptr_nonnull(strstr(line.bytes, "0 s so far; it ends when the core has run for 300 s\n"));
	pt_text_free(&line);
	pt_command_cancel(rig.cmd);
	pt_command_cancel(rig.cmd);	/* once more is nothing */
	board_rig_await(&rig.board, &rig.done, "the end of a run");
	ck_assert_msg(rig.rc == 0, "%s", rig.err);
	ck_assert_ptr_nonnull(strstr(rig.text, "\nobserved   "));
	ck_assert_int_eq(pt_session_get_state(rig.session), PT_SESSION_IDLE);
	ck_assert_int_eq(call("status"), 0);
	ck_assert_ptr_nonnull(strstr(rig.text, "core 0: halted at"));
	close_rig();
}
END_TEST

START_TEST(says_why_there_is_no_target)
{
	static const struct step steps[] = {
		{ "halt", PT_ESTATE, "nowhere" }, { "status", 0, "no target: " }, { "help halt", 0, "halt the core" },
		{ "symbols @", 0, "functions" },
	};

	open_rig("virtual:nowhere", &door_ops);
	board_rig_await_state(&rig.board, PT_BOARD_CLOSED, 0);
	for (size_t i = 0; i < PT_LEN(steps); i++)
		check_step(&steps[i]);
	close_rig();
}
END_TEST

/* A chip that is locked has its mass erase, and nothing else. */
START_TEST(erases_a_locked_chip)
{
	static const struct step steps[] = {
		{ "halt", PT_ESTATE, "erase everything" }, { "erase everything", 0, "is erased" },
	};

	open_rig(VIRTUAL "&variant=secured", &door_ops);
	board_rig_await_state(&rig.board, PT_BOARD_LOCKED, 0);
	for (size_t i = 0; i < PT_LEN(steps); i++)
		check_step(&steps[i]);
	close_rig();
}
END_TEST

/* --- doors -------------------------------------------------------------------------------------------------------- */

START_TEST(asks_the_door)
{
	static const struct step refused[] = {
		{ "halt", PT_EPERM, "halt: not through this door" }, { "go", PT_EPERM, "" }, { "reset", PT_EPERM, "" },
		{ "erase everything", PT_EPERM, "" }, { "speed 1M", PT_EPERM, "" }, { "symbols @", PT_EPERM, "" },
		{ "profile start", PT_EPERM, "" }, { "profile stop", PT_EPERM, "" }, { "profile run 1s", PT_EPERM, "" },
		{ "profile reset", PT_EPERM, "" }, { "profile save %", PT_EPERM, "" },
		{ "profile limits off", PT_EPERM, "" }, { "orti auto", PT_EPERM, "" }, { "semihost on", PT_EPERM, "" },
		{ "status", 0, "door: a test" }, { "symbols", 0, "no symbols yet" }, { "semihost", 0, "off" },
		{ "sources", 0, "each branch writes 8 bytes to RAM" }, { "sources", 0, "DWT_PCSR; the core never halts" },
		{ "help", 0, "halt the core" },
		{ "nothing", PT_EARG, "is not a test command" },
	};

	open_rig(VIRTUAL, &door_ops);
	board_rig_await_state(&rig.board, PT_BOARD_READY, 0);
	door.refuses = true;
	for (size_t i = 0; i < PT_LEN(refused); i++)
		check_step(&refused[i]);
	door.busy = true;
	ck_assert_int_eq(call("status"), 0);
	ck_assert_str_eq(rig.text, "door: a test\nprofile: none yet\n");
	close_rig();
}
END_TEST

/* Another user than the one that runs proftap. */
START_TEST(names_no_file_for_another_user)
{
	static const struct step steps[] = {
		{ "symbols @", PT_EPERM, "symbols: a guest is not the user that runs proftap" },
		{ "profile limits @", PT_EPERM, "a guest" }, { "profile limits rules", PT_EPERM, "a guest" },
		{ "profile save %", PT_EPERM, "a guest" }, { "profile start capture=x", PT_EPERM, "a guest" },
		{ "profile run 1s capture=x", PT_EPERM, "a guest" },
		{ "profile limits off", 0, "" }, { "symbols", 0, "no symbols yet" },
	};

	open_rig(VIRTUAL, &door_ops);
	rig.ctx.own = false;
	rig.ctx.user = "a guest";
	board_rig_await_state(&rig.board, PT_BOARD_READY, 0);
	for (size_t i = 0; i < PT_LEN(steps); i++)
		check_step(&steps[i]);
	ck_assert_int_eq(pt_session_get_state(rig.session), PT_SESSION_IDLE);
	close_rig();
}
END_TEST

/* A door that has only a name. */
START_TEST(needs_no_door)
{
	static const struct step steps[] = {
		{ "halt", 0, "halted at" }, { "go", 0, "running\n" }, { "status", 0, "profile: none yet" },
		{ "threads", 0, "core 0" }, { "history", PT_ESTATE, "no branch history is kept" },
		{ "own", PT_EARG, "\"own\" is not a bare command" },
	};

	open_rig(VIRTUAL, &bare_ops);
	board_rig_await_state(&rig.board, PT_BOARD_READY, 0);
	for (size_t i = 0; i < PT_LEN(steps); i++)
		check_step(&steps[i]);
	close_rig();
}
END_TEST

START_TEST(keeps_the_top_of_the_start)
{
	static const struct { const char *line; int rc; uint32_t top; } starts[] = {
		{ "profile start mtb-ram=0x20000800:0x400 top=1", 0, 1 },
		{ "profile start mtb-ram=0x20000800:0x400", 0, 0 },
		{ "profile start mtb-ram=0x20000800:0x400 top=5", 0, 5 },
		{ "profile start top=x", PT_EARG, 0 },
	};

	open_with_symbols(VIRTUAL, &door_ops);
	for (size_t i = 0; i < PT_LEN(starts); i++) {
		struct pt_query none = { 0 }, own = { .top = 7, .top_given = true };

		ck_assert_int_eq(call(starts[i].line), starts[i].rc);
		pt_session_default_top(rig.session, &none);
		ck_assert_int_eq(none.top_given, starts[i].top != 0);
		ck_assert_uint_eq(none.top, starts[i].top);
		pt_session_default_top(rig.session, &own);
		ck_assert_uint_eq(own.top, 7);
		call("profile stop");
	}
	close_rig();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("control");
	TCase *tc = tcase_create("commands");

	tcase_set_timeout(tc, 300);
	tcase_add_test(tc, calls_every_row);
	tcase_add_test(tc, refuses_what_is_wrong);
	tcase_add_test(tc, explains_itself);
	tcase_add_test(tc, stops_by_itself);
	tcase_add_loop_test(tc, is_closed_before_its_time, 0, 3);
	tcase_add_test(tc, closed_in_a_stop);
	tcase_add_test(tc, stop_has_the_first_rows);
	tcase_add_loop_test(tc, names_come_later, 0, 3);
	tcase_add_test(tc, says_what_each_does);
	tcase_add_test(tc, a_single_command_waits_for_its_profile);
	tcase_add_test(tc, bounds_a_line);
	tcase_add_test(tc, helps_with_what_the_rows_say);
	tcase_add_loop_test(tc, completes, 0, PT_LEN(completions));
	tcase_add_test(tc, completes_every_name);
	tcase_add_loop_test(tc, ends_early, 0, 2);
	tcase_add_test(tc, says_why_there_is_no_target);
	tcase_add_test(tc, erases_a_locked_chip);
	tcase_add_test(tc, asks_the_door);
	tcase_add_test(tc, names_no_file_for_another_user);
	tcase_add_test(tc, needs_no_door);
	tcase_add_test(tc, keeps_the_top_of_the_start);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
