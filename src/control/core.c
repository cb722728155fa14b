/* monitor halt, go, reset, status, speed, erase: direct control of core and probe. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "base/alloc.h"
#include "control/commands.h"
#include "isa/isa.h"
#include "base/util.h"

/* Adds the door's hint to a success: for example, a debugger trusts its copy of the registers. */
static void end_with_hint(struct pt_command *cmd, int rc, const struct pt_err *err)
{
	if (rc >= 0 && cmd->hint != NULL)
		pt_command_say(cmd, "%s", cmd->hint);
	pt_command_done(cmd, rc, err);
}

/* --- halt, go ----------------------------------------------------------------------------------------------------- */

/* Adds the instruction at pc after a colon; nothing if it cannot be read or disassembled. */
static void print_instruction(struct pt_target *target, unsigned core, uint64_t pc, char *text, size_t room)
{
	struct pt_arch arch = pt_target_arch(target);
	const struct pt_isa *isa = pt_isa_find(&arch);
	uint8_t bytes[16];

	text[0] = '\0';
	if (isa == &pt_isa_none || room < sizeof(": ") ||
	    pt_mem_read(target->ops->mem(target->state, core), pc, bytes, isa->most_bytes, NULL) < 0)
		return;
	if (pt_isa_print(isa, pc, bytes, isa->most_bytes, text + 2, room - 2))
		memcpy(text, ": ", 2);
}

static bool say_away(struct pt_command *cmd, struct pt_target *target, unsigned core)
{
	struct pt_core_about about = pt_target_about_core(target, core);

	if (about.away != NULL)
		pt_command_say(cmd, "core %u: not available: %s", core, about.away);
	return about.away != NULL;
}

static int say_where(struct pt_command *cmd, struct pt_target *target, unsigned core, struct pt_err *err)
{
	char instruction[80];
	uint64_t pc;

	if (say_away(cmd, target, core))
		return 0;
	if (target->ops->pc(target->state, core, &pc, err) < 0)
		return err->code;
	print_instruction(target, core, pc, instruction, sizeof(instruction));
	pt_command_say(cmd, "core %u: halted at 0x%08" PRIx64 "%s", core, pc, instruction);
	return 0;
}

static int halt_on_board(struct pt_command *cmd, struct pt_board *board, struct pt_target *target, struct pt_err *err)
{
	unsigned n = target->ops->n_cores(target->state);

	for (unsigned core = 0; core < n; core++)
		if (pt_board_halt(board, core, err) < 0 || say_where(cmd, target, core, err) < 0)
			return err->code;
	return 0;
}

static void halt(struct pt_command *cmd)
{
	if (pt_command_no_words(cmd))
		pt_command_on_board(cmd, halt_on_board, NULL);
}

static int go_on_board(struct pt_command *cmd, struct pt_board *board, struct pt_target *target, struct pt_err *err)
{
	unsigned n = target->ops->n_cores(target->state);

	for (unsigned core = 0; core < n; core++)
		if (pt_board_resume(board, core, err) < 0)
			return err->code;
	if (cmd->data != NULL && pt_board_leave(board, err) < 0)
		return err->code;
	pt_command_say(cmd, "running");
	return 0;
}

/* If no debugger controls the program, the core is left as if it had not been halted by hand. */
static void go(struct pt_command *cmd)
{
	const struct pt_door_ops *ops = cmd->ctx->ops;

	if (!pt_command_no_words(cmd))
		return;
	if (ops->owned == NULL || !ops->owned(cmd->ctx->door))
		cmd->data = pt_alloc(1);
	cmd->hint = pt_command_hint(cmd, PT_COMMAND_RUNNING);
	pt_command_on_board(cmd, go_on_board, end_with_hint);
}

/* --- reset -------------------------------------------------------------------------------------------------------- */

static const struct { const char *word; enum pt_reset_kind kind; } reset_kinds[] = {
	{ "halt", PT_RESET_HALT }, { "run", PT_RESET_RUN }, { "init", PT_RESET_INIT },
};

/* Without an argument the core continues as before: halted or running. */
static int reset_on_board(struct pt_command *cmd, struct pt_board *board, struct pt_target *target, struct pt_err *err)
{
	const enum pt_reset_kind *asked = cmd->data;
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
	if (kind != PT_RESET_RUN && say_where(cmd, target, 0, err) < 0)
		return err->code;
	if (kind == PT_RESET_RUN)
		pt_command_say(cmd, "reset, running");
	return 0;
}

static void reset(struct pt_command *cmd)
{
	struct pt_question question;
	size_t i = 0;

	if (cmd->n_words > 0) {
		while (i < PT_LEN(reset_kinds) && strcmp(cmd->words[0], reset_kinds[i].word) != 0)
			i++;
		if (i == PT_LEN(reset_kinds) || cmd->n_words > 1) {
			pt_command_fail(cmd, PT_EARG,
					"reset takes one of: halt, run, init%salone it leaves the core as it was",
					pt_did_you_mean(cmd->words[0], "halt run init", &question));
			return;
		}
		cmd->data = pt_alloc(sizeof(reset_kinds[i].kind));
		memcpy(cmd->data, &reset_kinds[i].kind, sizeof(reset_kinds[i].kind));
	}
	cmd->hint = pt_command_hint(cmd, PT_COMMAND_RESET);
	pt_command_on_board(cmd, reset_on_board, end_with_hint);
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

/* Prints the probe and the traffic of its link so far: the difference of two calls is the traffic of the commands
 * between them. */
static void say_probe(struct pt_command *cmd, struct pt_probe *probe)
{
	struct pt_link_traffic traffic;
	struct pt_probe_info info;
	char speed[24] = "", target[32] = "";

	pt_probe_info(probe, &info);
	pt_link_traffic(pt_probe_link(probe), &traffic);
	if (info.speed_hz != 0)
		snprintf(speed, sizeof(speed), ", %" PRIu32 " Hz", info.speed_hz);
	if (info.target_mv != 0)
		snprintf(target, sizeof(target), ", target at %.2f V", info.target_mv / 1e3);
	pt_command_say(cmd, "probe: %s at %s, %s, packets of %zu bytes, %u at a time%s%s",
		       info.link.product[0] != '\0' ? info.link.product : info.name, info.link.where,
		       info.link.transport, info.packet_bytes, info.packet_count, speed, target);
	pt_command_say(cmd,
		       "link: busy for %.6f s; %" PRIu64 " packets, %" PRIu64 " round trips, %" PRIu64
		       " bytes out, %" PRIu64 " in",
		       (double)traffic.busy_ns / 1e9, traffic.packets, traffic.round_trips, traffic.bytes_out,
		       traffic.bytes_in);
}

static int status_on_board(struct pt_command *cmd, struct pt_board *board, struct pt_target *target, struct pt_err *err)
{
	unsigned n = target->ops->n_cores(target->state);

	(void)board;
	for (struct pt_probe *probe = target->probe; probe != NULL; probe = pt_probe_next(probe))
		say_probe(cmd, probe);
	target->ops->describe(target->state, pt_command_say_line, cmd);
	for (unsigned core = 0; core < n; core++) {
		struct pt_core_status status;

		if (target->ops->status(target->state, core, &status, err) < 0)
			return err->code;
		if (status.state == PT_HALTED && say_where(cmd, target, core, err) < 0)
			return err->code;
		if (status.state != PT_HALTED && !say_away(cmd, target, core))
			pt_command_say(cmd, "core %u: %s", core, name_state(status.state));
	}
	return 0;
}

/* A board without a target is no error. */
static void status_and_session(struct pt_command *cmd, int rc, const struct pt_err *err)
{
	if (rc < 0)
		pt_command_say(cmd, "no target: %s", err->msg);
	if (cmd->ctx->ops->status != NULL)
		cmd->ctx->ops->status(cmd->ctx->door, &cmd->out);
	pt_command_profile_status(cmd);
}

static void status(struct pt_command *cmd)
{
	const struct pt_door_ops *ops = cmd->ctx->ops;

	if (!pt_command_no_words(cmd))
		return;
	if (ops->busy != NULL && ops->busy(cmd->ctx->door))
		status_and_session(cmd, 0, NULL);	/* the board would only wait for the target */
	else
		pt_command_on_board(cmd, status_on_board, status_and_session);
}

/* --- speed -------------------------------------------------------------------------------------------------------- */

/* Measures the speed of this probe on this cable, whatever its specification. */
static int measure(struct pt_command *cmd, struct pt_probe *probe, struct pt_err *err)
{
	struct pt_probe_speed speed;

	if (pt_probe_measure(probe, &speed, err) < 0)
		return err->code;
	pt_command_say(cmd, "one word, there and back: %.3f ms; %s: %.1f KiB/s; %s %.2f MHz",
		       (double)speed.round_trip_ns / 1e6,
		       speed.in_turns ? "one after the other (blocks of memory are faster)" : "long blocks",
		       speed.words_per_s * 4 / 1024.0,
		       speed.at_least ? "the link is the limit, not the wire's clock of at least"
				      : "the wire's real clock:",
		       speed.swclk_hz / 1e6);
	return 0;
}

static int measure_bdc(struct pt_command *cmd, struct pt_probe *probe, struct pt_err *err)
{
	struct pt_probe_bdc_speed speed;

	if (pt_probe_measure_bdc(probe, &speed, err) < 0)
		return err->code;
	pt_command_say(cmd,
		       "one command, there and back: %.3f ms; in lists: %" PRIu32
		       " a second; the target's BDC clock: %.2f MHz",
		       (double)speed.round_trip_ns / 1e6, speed.commands_per_s, speed.bdcsi_hz / 1e6);
	return 0;
}

static int set_speed(struct pt_command *cmd, struct pt_target *target, uint32_t hz, struct pt_err *err)
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
	pt_command_say(cmd, "clock of the wire, as asked: %" PRIu32 " Hz", hz_used);
	return 0;
}

static int speed_on_board(struct pt_command *cmd, struct pt_board *board, struct pt_target *target, struct pt_err *err)
{
	const uint64_t *hz = cmd->data;
	void *state;
	bool bdc;

	(void)board;
	if (target->probe == NULL)
		return pt_fail(err, PT_EUNSUPPORTED, "speed: this target has no probe");
	bdc = pt_probe_dap(target->probe, &state) == NULL && pt_probe_bdc(target->probe, &state) != NULL;
	if ((hz != NULL && set_speed(cmd, target, (uint32_t)*hz, err) < 0) ||
	    (bdc ? measure_bdc(cmd, target->probe, err) : measure(cmd, target->probe, err)) < 0)
		return pt_wrap(err, "speed");
	return 0;
}

static void speed(struct pt_command *cmd)
{
	struct pt_err err;
	uint64_t hz;

	if (cmd->n_words > 0) {
		if (pt_params_parse(PT_PARAM_HZ, cmd->words[0], &hz, &err) < 0) {
			pt_command_fail(cmd, PT_EARG, "speed: %s", err.msg);
			return;
		}
		if (hz == 0 || hz > UINT32_MAX || cmd->n_words > 1) {
			pt_command_fail(cmd, PT_EARG, "speed takes one frequency, such as 4M");
			return;
		}
		cmd->data = pt_alloc(sizeof(hz));
		memcpy(cmd->data, &hz, sizeof(hz));
	}
	pt_command_on_board(cmd, speed_on_board, NULL);
}

/* --- erase -------------------------------------------------------------------------------------------------------- */

static int erase_on_board(struct pt_command *cmd, struct pt_board *board, struct pt_target *target, struct pt_err *err)
{
	(void)board;
	if (target->ops->no_flash != NULL)
		return pt_fail(err, PT_EUNSUPPORTED, "nothing to erase: %s", target->ops->no_flash);
	if (target->ops->mass_erase(target->state, err) < 0)
		return pt_wrap(err, "mass erase");
	pt_command_say(cmd, "all flash of the chip is erased");
	return 0;
}

static void erase(struct pt_command *cmd)
{
	if (cmd->n_words != 1 || strcmp(cmd->words[0], "everything") != 0) {
		pt_command_fail(cmd, PT_EARG,
				"erase takes all programs and data out of the chip's flash for good, "
				"and unlocks a locked chip; if that is what you want: %s erase everything",
				cmd->ctx->ops->name);
		return;
	}
	cmd->hint = pt_command_hint(cmd, PT_COMMAND_ERASED);
	pt_command_on_board(cmd, erase_on_board, end_with_hint);
}

const struct pt_command_row pt_commands_core[] = {
	{ .name = "halt", .usage = "", .help = "halt the core", .flags = PT_COMMAND_CONTROLS, .run = halt },
	{ .name = "go", .usage = "", .help = "let the core run", .flags = PT_COMMAND_CONTROLS, .run = go },
	{ .name = "reset", .usage = "[halt|run|init]",
	  .help = "reset, then halt or run (init: halt, with the watchdog stopped); without a word as before",
	  .flags = PT_COMMAND_CONTROLS, .run = reset },
	{ .name = "status", .usage = "", .help = "chip, core, what proftap changed in it, and the profile",
	  .flags = PT_COMMAND_LOOKS_ONLY, .run = status },
	{ .name = "speed", .usage = "[HZ]",
	  .help = "set the clock of the wire, and measure what the probe does with it",
	  .flags = PT_COMMAND_CONTROLS | PT_COMMAND_ASKS, .run = speed },
	{ .name = "erase", .usage = "everything", .help = "erase all flash; the way to unlock a secured chip",
	  .flags = PT_COMMAND_CONTROLS | PT_COMMAND_EVEN_LOCKED, .run = erase },
	{ 0 },
};
