/* monitor halt, go, reset, status, speed, erase: the core and its probe by hand. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "gdbstub/gdbstub.h"
#include "gdbstub/packets/monitor.h"
#include "gdbstub/proxy/proxy.h"
#include "isa/isa.h"
#include "base/util.h"

/* GDB keeps a copy of the registers and believes in it. */
static const char flush_hint[] = "GDB still shows the old registers: maintenance flush register-cache";

static bool no_words(struct pt_monitor_call *call)
{
	if (call->n_words == 0)
		return true;
	pt_monitor_fail(call, PT_EARG, "%s takes no words: \"%.40s\"", call->word->name, call->words[0]);
	return false;		/* the call is gone */
}

static bool gdb_thinks_halted(const struct pt_monitor_call *call)
{
	return pt_gdb_is_halted(call->client);
}

/* --- halt, go ----------------------------------------------------------------------------------------------------- */

/* The instruction at pc behind a colon; nothing where it cannot be read or printed. */
static void print_instruction(struct pt_target *target, unsigned core, uint64_t pc, char *text, size_t room)
{
	const struct pt_isa *isa = pt_isa_of_machine(target->ops->elf_machine);
	uint8_t bytes[16];

	text[0] = '\0';
	if (isa == NULL || room < sizeof(": ") ||
	    pt_mem_read(target->ops->mem(target->state, core), pc, bytes, isa->most_bytes, NULL) < 0)
		return;
	if (pt_isa_print(isa, pc, bytes, isa->most_bytes, text + 2, room - 2))
		memcpy(text, ": ", 2);
}

static int say_where(struct pt_monitor_call *call, struct pt_target *target, unsigned core, struct pt_err *err)
{
	char instruction[80];
	uint64_t pc;

	if (target->ops->pc(target->state, core, &pc, err) < 0)
		return err->code;
	print_instruction(target, core, pc, instruction, sizeof(instruction));
	pt_monitor_say(call, "core %u: halted at 0x%08" PRIx64 "%s", core, pc, instruction);
	return 0;
}

static int halt_on_board(struct pt_monitor_call *call, struct pt_board *board, struct pt_target *target,
			 struct pt_err *err)
{
	unsigned n = target->ops->n_cores(target->state);

	for (unsigned core = 0; core < n; core++)
		if (pt_board_halt(board, core, err) < 0 || say_where(call, target, core, err) < 0)
			return err->code;
	return 0;
}

static void halt(struct pt_monitor_call *call)
{
	if (no_words(call))
		pt_monitor_on_board(call, halt_on_board, NULL);
}

static int go_on_board(struct pt_monitor_call *call, struct pt_board *board, struct pt_target *target,
		       struct pt_err *err)
{
	unsigned n = target->ops->n_cores(target->state);

	for (unsigned core = 0; core < n; core++)
		if (pt_board_resume(board, core, err) < 0)
			return err->code;
	if (call->data != NULL && pt_board_leave(board, err) < 0)
		return err->code;
	pt_monitor_say(call, "running");
	if (gdb_thinks_halted(call))
		pt_monitor_say(call, "GDB does not know: continue makes it follow, monitor halt stops the core again");
	return 0;
}

/* Where no GDB has the program, whoever halted the core by hand leaves it so. */
static void go(struct pt_monitor_call *call)
{
	if (!no_words(call))
		return;
	if (call->client->stub->owner == NULL)
		call->data = calloc(1, 1);
	pt_monitor_on_board(call, go_on_board, NULL);
}

/* --- reset -------------------------------------------------------------------------------------------------------- */

static const struct { const char *word; enum pt_reset_kind kind; } reset_kinds[] = {
	{ "halt", PT_RESET_HALT }, { "run", PT_RESET_RUN }, { "init", PT_RESET_INIT },
};

/* Without a word the core does afterwards what it did before. */
static int reset_on_board(struct pt_monitor_call *call, struct pt_board *board, struct pt_target *target,
			  struct pt_err *err)
{
	const enum pt_reset_kind *asked = call->data;
	enum pt_reset_kind kind = PT_RESET_RUN;
	struct pt_core_status status;

	if (asked != NULL)
		kind = *asked;
	else if (target->ops->status(target->state, 0, &status, err) < 0)
		return err->code;
	else if (status.state == PT_HALTED)
		kind = PT_RESET_HALT;
	if (pt_board_reset(board, kind, err) < 0)
		return pt_wrap(err, "reset");
	if (kind != PT_RESET_RUN && say_where(call, target, 0, err) < 0)
		return err->code;
	if (kind == PT_RESET_RUN)
		pt_monitor_say(call, "reset, running");
	if (gdb_thinks_halted(call))
		pt_monitor_say(call, "%s", flush_hint);
	return 0;
}

static void reset(struct pt_monitor_call *call)
{
	size_t i = 0;

	if (call->n_words > 0) {
		while (i < PT_LEN(reset_kinds) && strcmp(call->words[0], reset_kinds[i].word) != 0)
			i++;
		if (i == PT_LEN(reset_kinds) || call->n_words > 1) {
			pt_monitor_fail(call, PT_EARG, "reset takes one of: halt, run, init");
			return;
		}
		call->data = malloc(sizeof(reset_kinds[i].kind));
		if (call->data == NULL) {
			pt_monitor_fail(call, PT_ENOMEM, "no memory");
			return;
		}
		memcpy(call->data, &reset_kinds[i].kind, sizeof(reset_kinds[i].kind));
	}
	pt_monitor_on_board(call, reset_on_board, NULL);
}

/* --- status ------------------------------------------------------------------------------------------------------- */

static const char *name_state(enum pt_run_state state)
{
	static const char *const names[] = {
		[PT_RUNNING] = "running", [PT_HALTED] = "halted", [PT_SLEEPING] = "running, asleep",
		[PT_IN_RESET] = "held in reset", [PT_LOCKED_UP] = "locked up", [PT_LOST] = "lost",
	};

	return state >= PT_RUNNING && state <= PT_LOST ? names[state] : "unknown";
}

static void say_line(void *arg, const char *line)
{
	pt_monitor_say(arg, "%s", line);
}

/* What the probe is, and what its link has done so far: two of these tell what the commands between them cost. */
static void say_probe(struct pt_monitor_call *call, struct pt_probe *probe)
{
	struct pt_link_traffic traffic;
	struct pt_probe_info info;

	pt_probe_info(probe, &info);
	pt_link_traffic(pt_probe_link(probe), &traffic);
	pt_monitor_say(call, "probe: %s at %s, %s, %u packets of %zu bytes, %" PRIu32 " Hz",
		       info.link.product[0] != '\0' ? info.link.product : info.name, info.link.where,
		       info.link.transport, info.packet_count, info.packet_bytes, info.speed_hz);
	pt_monitor_say(call,
		       "link: at %.6f s of the probe's clock busy for %.6f s, %" PRIu64 " packets, %" PRIu64
		       " round trips, %" PRIu64 " bytes out, %" PRIu64 " in",
		       (double)pt_link_now_ns(pt_probe_link(probe)) / 1e9, (double)traffic.busy_ns / 1e9,
		       traffic.packets, traffic.round_trips, traffic.bytes_out, traffic.bytes_in);
}

static int status_on_board(struct pt_monitor_call *call, struct pt_board *board, struct pt_target *target,
			   struct pt_err *err)
{
	unsigned n = target->ops->n_cores(target->state);

	(void)board;
	for (struct pt_probe *probe = target->probe; probe != NULL; probe = pt_probe_next(probe))
		say_probe(call, probe);
	target->ops->describe(target->state, say_line, call);
	for (unsigned core = 0; core < n; core++) {
		struct pt_core_status status;

		if (target->ops->status(target->state, core, &status, err) < 0)
			return err->code;
		if (status.state != PT_HALTED)
			pt_monitor_say(call, "core %u: %s", core, name_state(status.state));
		else if (say_where(call, target, core, err) < 0)
			return err->code;
	}
	return 0;
}

static void say_clients(struct pt_monitor_call *call)
{
	const struct pt_gdbstub *stub = call->client->stub;

	for (const struct pt_gdb_client *client = stub->clients; client != NULL; client = client->next)
		pt_monitor_say(call, "client: %s%s%s%s", client->rsp.peer, client == call->client ? ", this one" : "",
			       client == stub->owner ? ", has the program" : "",
			       !client->rsp.known ? ", has sent no GDB packet yet"
					      : client->auth.locked ? ", has not given the token yet" : "");
}

static void say_load(struct pt_monitor_call *call)
{
	struct pt_gdbstub *stub = call->client->stub;
	char text[80];

	if (stub->finishes_load) {
		pt_progress_text(&stub->load_progress, text, sizeof(text));
		pt_monitor_say(call, "a load is being finished: %s", text);
	}
	if (stub->load.code < 0)
		pt_monitor_say(call, "the last load failed: %s", stub->load.msg);
}

/* A board without a target is a state like others: no failure. */
static void status_and_session(struct pt_monitor_call *call, int rc, const struct pt_err *err)
{
	char waits[160];

	if (rc < 0)
		pt_monitor_say(call, "no target: %s", err->msg);
	pt_gdb_pass_waits(call->client->stub, waits, sizeof(waits));
	if (waits[0] != '\0')
		pt_monitor_say(call, "%s", waits);
	say_load(call);
	if (pt_gdbstub_warning(call->client->stub) != NULL)
		pt_monitor_say(call, "warning: %s: %s", pt_gdbstub_address(call->client->stub),
			       pt_gdbstub_warning(call->client->stub));
	say_clients(call);
	pt_monitor_profile_status(call);
}

static void status(struct pt_monitor_call *call)
{
	char ignored[160];

	if (!no_words(call))
		return;
	if (call->client->stub->finishes_load || pt_gdb_pass_waits(call->client->stub, ignored, sizeof(ignored)))
		status_and_session(call, 0, NULL);	/* the board could only wait, too */
	else
		pt_monitor_on_board(call, status_on_board, status_and_session);
}

/* --- speed -------------------------------------------------------------------------------------------------------- */

/* What this probe does on this cable, whatever it and its clock are said to do. */
static int measure(struct pt_monitor_call *call, struct pt_probe *probe, struct pt_err *err)
{
	struct pt_probe_speed speed;

	if (pt_probe_measure(probe, &speed, err) < 0)
		return err->code;
	pt_monitor_say(call, "one word, there and back: %.3f ms; long blocks: %.1f KiB/s; %s %.2f MHz",
		       (double)speed.round_trip_ns / 1e6, speed.words_per_s * 4 / 1024.0,
		       speed.at_least ? "the link is the limit, not the wire's clock of at least"
				      : "the wire's real clock:",
		       speed.swclk_hz / 1e6);
	return 0;
}

static int measure_bdc(struct pt_monitor_call *call, struct pt_probe *probe, struct pt_err *err)
{
	struct pt_probe_bdc_speed speed;

	if (pt_probe_measure_bdc(probe, &speed, err) < 0)
		return err->code;
	pt_monitor_say(call,
		       "one command, there and back: %.3f ms; in lists: %" PRIu32
		       " a second; the target's BDC clock: %.2f MHz",
		       (double)speed.round_trip_ns / 1e6, speed.commands_per_s, speed.bdcsi_hz / 1e6);
	return 0;
}

static int set_speed(struct pt_monitor_call *call, struct pt_target *target, uint32_t hz, struct pt_err *err)
{
	const struct pt_dap_ops *dap;
	uint32_t hz_used = hz;
	void *state;

	dap = pt_probe_dap(target->probe, &state);
	if (dap == NULL && pt_probe_bdc(target->probe, &state) != NULL)
		return pt_fail(err, PT_EUNSUPPORTED,
			       "BDC runs at the target's own clock, which SYNC measures: there is nothing to set");
	if (dap == NULL || dap->set_speed == NULL)
		return pt_fail(err, PT_EUNSUPPORTED, "this probe has no speed to set");
	if (dap->set_speed(state, hz, &hz_used, err) < 0)
		return err->code;
	pt_monitor_say(call, "clock of the wire, as asked: %" PRIu32 " Hz", hz_used);
	return 0;
}

static int speed_on_board(struct pt_monitor_call *call, struct pt_board *board, struct pt_target *target,
			  struct pt_err *err)
{
	const uint64_t *hz = call->data;
	void *state;
	bool bdc;

	(void)board;
	if (target->probe == NULL)
		return pt_fail(err, PT_EUNSUPPORTED, "speed: this target has no probe");
	bdc = pt_probe_dap(target->probe, &state) == NULL && pt_probe_bdc(target->probe, &state) != NULL;
	if ((hz != NULL && set_speed(call, target, (uint32_t)*hz, err) < 0) ||
	    (bdc ? measure_bdc(call, target->probe, err) : measure(call, target->probe, err)) < 0)
		return pt_wrap(err, "speed");
	return 0;
}

static void speed(struct pt_monitor_call *call)
{
	struct pt_err err;
	uint64_t hz;

	if (call->n_words > 0) {
		if (pt_params_parse(PT_PARAM_HZ, call->words[0], &hz, &err) < 0) {
			pt_monitor_fail(call, PT_EARG, "speed: %s", err.msg);
			return;
		}
		if (hz == 0 || hz > UINT32_MAX || call->n_words > 1) {
			pt_monitor_fail(call, PT_EARG, "speed takes one frequency, such as 4M");
			return;
		}
		call->data = malloc(sizeof(hz));
		if (call->data == NULL) {
			pt_monitor_fail(call, PT_ENOMEM, "no memory");
			return;
		}
		memcpy(call->data, &hz, sizeof(hz));
	}
	pt_monitor_on_board(call, speed_on_board, NULL);
}

/* --- erase -------------------------------------------------------------------------------------------------------- */

static int erase_on_board(struct pt_monitor_call *call, struct pt_board *board, struct pt_target *target,
			  struct pt_err *err)
{
	(void)board;
	if (target->ops->no_flash != NULL)
		return pt_fail(err, PT_EUNSUPPORTED, "nothing to erase: %s", target->ops->no_flash);
	if (target->ops->mass_erase(target->state, err) < 0)
		return pt_wrap(err, "mass erase");
	pt_monitor_say(call, "all flash of the chip is erased");
	if (call->client->inferior.run == PT_GDB_NONE)
		pt_monitor_say(call, "next: attach 1, load, monitor reset halt");
	return 0;
}

static void erase(struct pt_monitor_call *call)
{
	if (call->n_words != 1 || strcmp(call->words[0], "everything") != 0) {
		pt_monitor_fail(call, PT_EARG, "erase takes all programs and data out of the chip's flash, for ever, "
				"and unlocks a locked chip; if that is what you want: monitor erase everything");
		return;
	}
	call->job.even_locked = true;
	pt_monitor_on_board(call, erase_on_board, NULL);
}

/* --- what only some targets have ---------------------------------------------------------------------------------- */

static int word_on_board(struct pt_monitor_call *call, struct pt_board *board, struct pt_target *target,
			 struct pt_err *err)
{
	const struct pt_target_word *word = target->ops->words;
	char line[200];

	(void)board;
	while (word != NULL && word->name != NULL && strcmp(word->name, call->word->name) != 0)
		word++;
	if (word == NULL || word->name == NULL)
		return pt_fail(err, PT_EUNSUPPORTED, "%s: target %s has none", call->word->name, target->ops->name);
	if (word->print(target->state, line, sizeof(line), err) < 0)
		return err->code;
	pt_monitor_say(call, "%s", line);
	return 0;
}

static void target_word(struct pt_monitor_call *call)
{
	if (no_words(call))
		pt_monitor_on_board(call, word_on_board, NULL);
}

const struct pt_monitor_word pt_monitor_board_words[] = {
	{ "halt", "", "halt the core", halt, NULL, PT_MONITOR_CONTROLS },
	{ "go", "", "let the core run", go, NULL, PT_MONITOR_CONTROLS },
	{ "reset", "[halt|run|init]",
	  "reset, then halt or run (init: halt, with the watchdog stopped); without a word as before", reset, NULL,
	  PT_MONITOR_CONTROLS },
	{ "status", "", "chip, core, what proftap changed in it, and the profile", status, NULL, 0 },
	{ "speed", "[HZ]", "set the clock of the wire, and measure what the probe does with it", speed, NULL,
	  PT_MONITOR_CONTROLS | PT_MONITOR_ASKS },
	{ "erase", "everything", "erase all flash; the way to unlock a secured chip", erase, NULL,
	  PT_MONITOR_CONTROLS },
	{ "bdccsr", "", "S12Z: control and status of the BDC, as GDB's maintenance info bdccsr asks for it",
	  target_word, NULL, 0 },
	{ 0 },
};
