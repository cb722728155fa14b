/* Run control. All-stop: every thread runs or none does, and the first that halts stops the others. Non-stop: each by
 * itself, and stops are notified. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probes/virtual/rsp/rsp_parts.h"

#define STEP_NS UINT64_C(2000)		/* a core halts, or has made its step, within that */
enum { SIGNAL_INT = 2, HALT_PASSES = 512 };		/* if it is not a slow one; one that is in reset does not */

static bool halted(struct stub *stub, unsigned thread, struct pt_vrsp_stop *stop)
{
	return stub->target.halted(stub->target.arg, thread, stop);
}

bool pt_stub_any_runs(struct stub *stub)
{
	struct pt_vrsp_stop stop;

	for (unsigned i = 0; i < stub->target.n_threads; i++)
		if (!halted(stub, i, &stop))
			return true;
	return false;
}

static void pass(struct stub *stub)
{
	stub->done_ns += STEP_NS;
	pt_vpace_to(stub->pace, stub->done_ns);
}

static void ask_to_halt(struct stub *stub, unsigned thread)
{
	struct pt_vrsp_stop stop;

	if (halted(stub, thread, &stop))
		return;
	stub->target.halt(stub->target.arg, thread);
	stub->asked |= (uint8_t)(1u << thread);
}

void pt_stub_halt_all(struct stub *stub)
{
	for (unsigned i = 0; i < stub->target.n_threads; i++)
		ask_to_halt(stub, i);
	for (unsigned n = 0; n < HALT_PASSES && pt_stub_any_runs(stub); n++)
		pass(stub);
}

static size_t stop_text(struct stub *stub, unsigned thread, char *text, size_t room)
{
	struct pt_vrsp_stop stop = { .signal = 0 };
	int n;

	halted(stub, thread, &stop);
	if (stub->non_stop && (stub->asked >> thread & 1) != 0 && stop.signal == SIGNAL_INT)
		stop.signal = 0;	/* nothing happened to it. Source: GDB manual, "Packets", vCont, action t */
	n = snprintf(text, room, "T%02xthread:%x;", stop.signal, thread + 1);
	if (stop.watch != NULL)
		n += snprintf(text + n, room - (size_t)n, "%s:%x;", stop.watch, stop.watch_addr);
	return (size_t)n;
}

void pt_stub_stop_reply(struct stub *stub, unsigned thread)
{
	char text[80];

	stop_text(stub, thread, text, sizeof(text));
	pt_stub_say(stub, "%s", text);
	stub->g_thread = stub->c_thread = thread;
}

/* All-stop servers stop the target for whoever asks. */
void pt_stub_why(struct stub *stub)
{
	if (!stub->non_stop) {
		pt_stub_halt_all(stub);
		stub->owes_stop = false;
		stub->runs = 0;
		pt_stub_stop_reply(stub, stub->g_thread);
		return;
	}
	stub->queued = (uint8_t)(((1u << stub->target.n_threads) - 1) & ~stub->runs);
	if (stub->queued == 0)
		pt_stub_say(stub, "OK");
	else
		pt_stub_stop_reply(stub, (unsigned)__builtin_ctz(stub->queued));
}

static void resume(struct stub *stub, unsigned thread, bool step)
{
	struct pt_vrsp_stop stop;

	if (!halted(stub, thread, &stop))
		return;
	stub->target.resume(stub->target.arg, thread, step);
	stub->runs |= (uint8_t)(1u << thread);
	stub->asked &= (uint8_t)~(1u << thread);
	stub->queued &= (uint8_t)~(1u << thread);
}

/* --- vCont */

struct action { char kind; uint32_t thread; };		/* thread 0: every other one */

static const char *next_action(const char *at, struct action *out)
{
	*out = (struct action){ .kind = at[0] };
	at++;
	if (out->kind == 'C' || out->kind == 'S') {
		at = pt_stub_number(at, NULL);
		out->kind = (char)(out->kind | 32);
	}
	if (*at == ':' && at[1] == '-')
		at += 3;
	else if (*at == ':')
		at = pt_stub_number(at + 1, &out->thread);
	return *at == ';' ? at + 1 : at;
}

static void act(struct stub *stub, unsigned thread, char kind)
{
	if (kind == 't')
		ask_to_halt(stub, thread);
	else
		resume(stub, thread, kind == 's');
}

/* The leftmost action that fits a thread is the thread's. */
static void each_action(struct stub *stub, const char *actions)
{
	for (unsigned i = 0; i < stub->target.n_threads; i++) {
		struct action action;

		for (const char *at = actions; *at != '\0';) {
			at = next_action(at, &action);
			if (action.thread != 0 && action.thread != i + 1)
				continue;
			act(stub, i, action.kind);
			break;
		}
	}
}

void pt_stub_resume(struct stub *stub, const char *packet)
{
	if (packet[0] == 'v') {
		each_action(stub, packet + strlen("vCont;"));
	} else {
		bool step = (packet[0] | 32) == 's';

		for (unsigned i = 0; i < stub->target.n_threads; i++)
			if (!step || i == stub->c_thread)
				resume(stub, i, step);
	}
	pass(stub);
	if (stub->non_stop) {
		pt_stub_say(stub, "OK");
	} else {
		stub->owes_stop = true;
		stub->no_reply = true;
	}
}

void pt_stub_interrupt(struct stub *stub)
{
	if (stub->non_stop || stub->owes_stop)
		pt_stub_halt_all(stub);
}

/* --- stops */

void pt_stub_stopped(struct stub *stub)
{
	if (stub->queued != 0)
		stub->queued &= (uint8_t)(stub->queued - 1);	/* the one that was told */
	if (stub->queued == 0)
		pt_stub_say(stub, "OK");
	else
		pt_stub_stop_reply(stub, (unsigned)__builtin_ctz(stub->queued));
}

static void look_non_stop(struct stub *stub)
{
	struct pt_vrsp_stop stop;
	bool was_empty = stub->queued == 0;
	char text[96] = "Stop:";

	for (unsigned i = 0; i < stub->target.n_threads; i++) {
		if ((stub->runs >> i & 1) == 0 || !halted(stub, i, &stop))
			continue;
		stub->runs &= (uint8_t)~(1u << i);
		stub->queued |= (uint8_t)(1u << i);
	}
	if (!was_empty || stub->queued == 0)
		return;
	stop_text(stub, (unsigned)__builtin_ctz(stub->queued), text + 5, sizeof(text) - 5);
	pt_stub_notify(stub, text);
}

void pt_stub_look(struct stub *stub)
{
	struct pt_vrsp_stop stop;
	char reply[PT_VRSP_PACKET_BYTES];

	if (stub->non_stop) {
		look_non_stop(stub);
		return;
	}
	for (unsigned i = 0; stub->owes_stop && i < stub->target.n_threads; i++) {
		if (!halted(stub, i, &stop) || (stub->runs >> i & 1) == 0)
			continue;
		pt_stub_halt_all(stub);
		stub->owes_stop = false;
		stub->runs = 0;
		stop_text(stub, i, reply, sizeof(reply));
		pt_stub_send(stub, reply);
		stub->g_thread = stub->c_thread = i;
	}
}

void pt_stub_detach(struct stub *stub)
{
	for (unsigned type = 0; type <= 4; type++)
		stub->target.breakpoint(stub->target.arg, type, false, 0, 0);
	for (unsigned i = 0; i < stub->target.n_threads; i++)
		resume(stub, i, false);
	stub->target.attached(stub->target.arg, false);
	stub->attached = stub->owes_stop = false;
	stub->queued = 0;
}
