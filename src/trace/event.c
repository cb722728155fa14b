/* Events compared and printed: for tests, golden files and dumps, never on the hot path. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "trace/event.h"
#include "base/util.h"

static const char *const by_names[] = {
	[PT_BY_INSTRUCTION] = "instruction", [PT_BY_EXCEPTION] = "exception",
	[PT_BY_EXCEPTION_RETURN] = "exception-return", [PT_BY_DEBUG] = "debug", [PT_BY_HALT] = "halt",
	[PT_BY_TAIL_CHAIN] = "tail-chain",
};
static const char *const gap_names[] = {
	[PT_GAP_RESTART] = "restart", [PT_GAP_DAMAGED] = "damaged", [PT_GAP_LOSS] = "loss",
	[PT_GAP_OVERFLOW] = "overflow",
};
static const char *const step_names[] = {
	[PT_EXC_ENTER] = "enter", [PT_EXC_EXIT] = "exit", [PT_EXC_RETURN] = "return",
};
static const char *const space_names[] = {
	[PT_SPACE_MEMORY] = "memory", [PT_SPACE_PORT] = "port", [PT_SPACE_LINE] = "line",
};

static const char *name_of(const char *const *names, size_t n, unsigned i)
{
	return i < n && names[i] != NULL ? names[i] : "?";
}
#define NAME(names, i) name_of(names, PT_LEN(names), i)

/* The fields of the union that a kind uses: the first, the second, or both. */
static unsigned fields_of(const struct pt_event *event)
{
	enum { NONE, FIRST, SECOND, BOTH };
	static const uint8_t used[] = {
		[PT_EV_START] = SECOND, [PT_EV_BRANCH] = BOTH, [PT_EV_ATOMS] = FIRST, [PT_EV_INDIRECT] = SECOND,
		[PT_EV_VECTOR] = BOTH, [PT_EV_STOP] = SECOND, [PT_EV_VALUE] = BOTH, [PT_EV_SAMPLE] = SECOND,
		[PT_EV_EXCEPTION] = FIRST, [PT_EV_BIN] = BOTH, [PT_EV_COUNTER] = BOTH, [PT_EV_GAP] = BOTH,
		[PT_EV_VALUE_PC] = SECOND, [PT_EV_EXECUTED] = SECOND,
		[PT_EV_SINCE] = BOTH, [PT_EV_LOOK] = BOTH,
	};

	return event->kind < PT_LEN(used) ? used[event->kind] : NONE;
}

bool pt_event_eq(const struct pt_event *a, const struct pt_event *b)
{
	unsigned used = fields_of(a);

	/* each member of the union is one or two 64-bit numbers, so any pair of them compares all */
	return a->kind == b->kind && a->cause == b->cause && a->n == b->n && a->ticks == b->ticks &&
	       a->source == b->source && a->core == b->core && ((used & 1) == 0 || a->branch.from == b->branch.from) &&
	       ((used & 2) == 0 || a->branch.to == b->branch.to);
}

static const char *address(uint64_t addr, char text[24])
{
	if (addr == PT_UNKNOWN)
		return "unknown";
	snprintf(text, 24, "0x%08" PRIx64, addr);
	return text;
}

/* Of kinds whose events say where, and no more. */
static const char *const place_words[] = {
	[PT_EV_START] = "start", [PT_EV_INDIRECT] = "indirect ->", [PT_EV_STOP] = "stop", [PT_EV_VALUE_PC] = "pc",
	[PT_EV_EXECUTED] = "executed",
};

static void print_fields(const struct pt_event *e, char *line, size_t size)
{
	char a[24], b[24];

	switch ((enum pt_event_kind)e->kind) {
	case PT_EV_START:
	case PT_EV_INDIRECT:
	case PT_EV_STOP:
	case PT_EV_VALUE_PC:
	case PT_EV_EXECUTED:
		snprintf(line, size, "%s %s", place_words[e->kind],
			 e->kind == PT_EV_STOP && e->n == PT_STOP_ASLEEP ? "asleep" : address(e->branch.to, a));
		break;
	case PT_EV_BRANCH:
		snprintf(line, size, "branch %s -> %s %s", address(e->branch.from, a), address(e->branch.to, b),
			 NAME(by_names, e->cause));
		break;
	case PT_EV_ATOMS:
		snprintf(line, size, "atoms %u 0x%" PRIx64, e->n, e->atoms.bits);
		break;
	case PT_EV_VECTOR:
		snprintf(line, size, "vector %" PRIu64 " from %s", e->value.at, address(e->value.value, a));
		break;
	case PT_EV_VALUE:
		snprintf(line, size, "%s %s 0x%" PRIx64 " = 0x%" PRIx64 " (%u bytes)",
			 NAME(space_names, pt_value_space(e)), (e->cause & 1) != 0 ? "write" : "read", e->value.at,
			 e->value.value, e->n);
		break;
	case PT_EV_SAMPLE:
		snprintf(line, size, "sample %s", e->branch.to == PT_UNKNOWN ? "asleep" : address(e->branch.to, a));
		break;
	case PT_EV_EXCEPTION:
		snprintf(line, size, "exception %" PRIu64 " %s", e->value.at, NAME(step_names, e->cause));
		break;
	case PT_EV_BIN:
		snprintf(line, size, "bin 0x%" PRIx64 " %" PRIu64, e->bin.begin, e->bin.count);
		break;
	case PT_EV_COUNTER:
		snprintf(line, size, "counter %" PRIu32 " %" PRIu64, e->counter.id, e->counter.count);
		break;
	case PT_EV_GAP:
		snprintf(line, size, "gap %s", NAME(gap_names, e->cause));
		break;
	case PT_EV_SINCE:
		snprintf(line, size, "since %s%" PRIu64, e->cause != PT_SINCE_EXACTLY ? ">= " : "", e->value.value);
		if (e->cause == PT_SINCE_GOES_ON)
			snprintf(line + strlen(line), size - strlen(line), " so far");
		if (e->value.at != PT_UNKNOWN)
			snprintf(line + strlen(line), size - strlen(line), " exception %" PRIu64, e->value.at);
		break;
	case PT_EV_LOOK:
		if (e->cause == PT_LOOK_TORN)
			snprintf(line, size, "look at 0x%" PRIx64 ": torn (%u bytes)", e->value.at, e->n);
		else
			snprintf(line, size, "look at 0x%" PRIx64 ": 0x%" PRIx64 " (%u bytes)%s", e->value.at,
				 e->value.value, e->n, e->cause == PT_LOOK_WRITTEN ? " written by the user" : "");
		break;
	default:
		snprintf(line, size, "? kind %u", e->kind);
	}
}

char *pt_event_print(const struct pt_event *event, char *line, size_t size)
{
	char fields[128];

	print_fields(event, fields, sizeof(fields));
	if (event->ticks == PT_UNKNOWN)
		snprintf(line, size, "%s", fields);
	else
		snprintf(line, size, "%" PRIu64 " %s", event->ticks, fields);
	return line;
}
