#include "targets/e500/core/events.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/door.h"

#define LEN(a) (sizeof(a) / sizeof((a)[0]))

const struct pt_e500_kind pt_e500_kinds[PT_E500_CORES] = {
	[PT_E500_V1] = { "e500v1", 0x8020, 4, 7, 128 },
	[PT_E500_V2] = { "e500v2", 0x8021, 4, 7, 128 },
	[PT_E500_MC] = { "e500mc", 0x8023, 4, 8, 256 },
	[PT_E500_E5500] = { "e5500", 0x8024, 4, 8, 256 },
	[PT_E500_E6500] = { "e6500", 0x8040, 6, 9, 512 },
};

/* perf's names of generic events. Source: E3, e500-pmu.c and e6500-pmu.c; names as perf list prints them. */
enum { NEAR_NAMES = 3 };
enum { E500 = 1 << PT_E500_V1 | 1 << PT_E500_V2 | 1 << PT_E500_MC | 1 << PT_E500_E5500, E6500 = 1 << PT_E500_E6500 };

static const struct alias { const char *name; uint16_t number; uint8_t cores; } aliases[] = {
	{ "cycles", 1, E500 | E6500 },
	{ "cpu-cycles", 1, E500 | E6500 },
	{ "instructions", 2, E500 | E6500 },
	{ "cache-misses", 41, E500 },
	{ "cache-misses", 221, E6500 },
	{ "branches", 12, E500 | E6500 },
	{ "branch-instructions", 12, E500 | E6500 },
	{ "branch-misses", 15, E500 | E6500 },
	{ "stalled-cycles-frontend", 18, E500 },
	{ "idle-cycles-frontend", 18, E500 },
	{ "stalled-cycles-backend", 19, E500 },
	{ "idle-cycles-backend", 19, E500 },
	{ "L1-dcache-loads", 27, E500 | E6500 },
	{ "L1-dcache-load-misses", 222, E6500 },
	{ "L1-dcache-stores", 28, E500 | E6500 },
	{ "L1-dcache-store-misses", 223, E6500 },
	{ "L1-dcache-prefetches", 29, E500 | E6500 },
	{ "L1-icache-loads", 2, E500 | E6500 },
	{ "L1-icache-load-misses", 60, E500 },
	{ "L1-icache-load-misses", 254, E6500 },
	{ "L1-icache-prefetches", 37, E6500 },
	{ "dTLB-loads", 26, E500 | E6500 },
	{ "dTLB-load-misses", 66, E500 | E6500 },
	{ "branch-loads", 12, E500 | E6500 },
	{ "branch-load-misses", 15, E500 | E6500 },
};

bool pt_e500_has(const struct pt_e500_event *event, enum pt_e500_core core)
{
	return (event->cores >> core & 1) != 0;
}

const struct pt_e500_event *pt_e500_event_numbered(enum pt_e500_core core, unsigned number)
{
	for (size_t i = 0; i < pt_e500_n_events; i++)
		if (pt_e500_events[i].number == number && pt_e500_has(&pt_e500_events[i], core))
			return &pt_e500_events[i];
	return NULL;
}

int pt_e500_overflow_event(enum pt_e500_core core, unsigned pmc)
{
	if (pmc >= pt_e500_kinds[core].n_pmcs)
		return -1;
	return (int)(pmc < 4 ? PT_E500_EVENT_OVERFLOW0 + pmc : PT_E500_EVENT_OVERFLOW4 + pmc - 4);
}

const char *pt_e500_alias(enum pt_e500_core core, size_t i, unsigned *number)
{
	for (size_t at = 0; at < LEN(aliases); at++) {
		if ((aliases[at].cores >> core & 1) == 0 || i-- > 0)
			continue;
		*number = aliases[at].number;
		return aliases[at].name;
	}
	return NULL;
}

/* "e500v1, e500v2" */
static const char *names_of(unsigned cores, char *text, size_t room)
{
	size_t len = 0;

	text[0] = '\0';
	for (unsigned core = 0; core < PT_E500_CORES; core++)
		if ((cores >> core & 1) != 0 && len < room)
			len += (size_t)snprintf(text + len, room - len, "%s%s", len > 0 ? ", " : "",
						pt_e500_kinds[core].name);
	return text;
}

static int lacking(enum pt_e500_core core, const char *what, unsigned cores, struct pt_err *err)
{
	char names[80];

	return pt_fail(err, PT_EUNSUPPORTED, "%s has no event %.60s: it is one of %s", pt_e500_kinds[core].name, what,
		       names_of(cores, names, sizeof(names)));
}

static int by_number(enum pt_e500_core core, unsigned long number, const struct pt_e500_event **event,
		     struct pt_err *err)
{
	const struct pt_e500_kind *kind = &pt_e500_kinds[core];
	unsigned cores = 0;
	char text[24];

	if (number >= kind->n_events)
		return pt_fail(err, PT_EARG, "event %lu: %s has events 0 to %u", number, kind->name,
			       kind->n_events - 1u);
	*event = pt_e500_event_numbered(core, (unsigned)number);
	if (*event != NULL)
		return 0;
	for (size_t i = 0; i < pt_e500_n_events; i++)
		if (pt_e500_events[i].number == number)
			cores |= pt_e500_events[i].cores;
	snprintf(text, sizeof(text), "%lu", number);
	if (cores != 0)
		return lacking(core, text, cores, err);
	return pt_fail(err, PT_EARG, "event %s: it is not known what %s counts by this number", text, kind->name);
}

/* False: not a number. A number too large for the type is accepted (as ULONG_MAX): by_number rejects it. */
static bool parse_number(const char *text, unsigned long *number)
{
	bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
	char *end;

	if (!isdigit((unsigned char)text[0]) || (hex && !isxdigit((unsigned char)text[2])))
		return false;
	*number = strtoul(text, &end, hex ? 16 : 10);
	return *end == '\0';
}

static int unknown(enum pt_e500_core core, const char *name, struct pt_err *err)
{
	const char *near[NEAR_NAMES];
	size_t n = pt_e500_events_near(core, name, near, NEAR_NAMES), len = 0;
	char names[100] = "";

	for (size_t i = 0; i < n && len + strlen(near[i]) + 3 < sizeof(names); i++)
		len += (size_t)snprintf(names + len, sizeof(names) - len, "%s%s", i > 0 ? ", " : "", near[i]);
	if (len > 0)
		return pt_fail(err, PT_EARG, "there is no event \"%.40s\"; like it are %s", name, names);
	return pt_fail(
		err, PT_EARG,
		"there is no event \"%.60s\"; give a name of the core's manual or of perf, or a number; %s %s lists "
		"them",
		name, pt_by_door("proftap events", "monitor events"), pt_e500_kinds[core].name);
}

static int by_name(enum pt_e500_core core, const char *name, const struct pt_e500_event **event, struct pt_err *err)
{
	unsigned cores = 0;

	for (size_t i = 0; i < pt_e500_n_events; i++) {
		if (strcasecmp(pt_e500_events[i].name, name) != 0)
			continue;
		cores |= pt_e500_events[i].cores;
		*event = &pt_e500_events[i];
		if (pt_e500_has(*event, core))
			return 0;
	}
	for (size_t i = 0; i < LEN(aliases); i++) {
		if (strcasecmp(aliases[i].name, name) != 0)
			continue;
		cores |= aliases[i].cores;
		if ((aliases[i].cores >> core & 1) != 0)
			return by_number(core, aliases[i].number, event, err);
	}
	*event = NULL;
	if (cores != 0)
		return lacking(core, name, cores, err);
	return unknown(core, name, err);
}

/* AN3636 2.1 */
static bool is_prefix(const char *text, size_t len)
{
	static const char *const prefixes[] = { "Ref", "Com", "C0", "C1", "C2", "C3" };

	for (size_t i = 0; i < LEN(prefixes); i++)
		if (strlen(prefixes[i]) == len && strncasecmp(text, prefixes[i], len) == 0)
			return true;
	return false;
}

/* A row has one prefix, or several separated by blanks: "C0 C1". */
static bool has_prefix(const struct pt_e500_event *event, const char *text, size_t len)
{
	for (const char *at = event->prefix; *at != '\0'; at += at[strcspn(at, " ")] == ' ') {
		if (strcspn(at, " ") == len && strncasecmp(at, text, len) == 0)
			return true;
		at += strcspn(at, " ");
	}
	return false;
}

int pt_e500_event_find(enum pt_e500_core core, const char *text, const struct pt_e500_event **event, struct pt_err *err)
{
	unsigned long number;
	const char *colon;

	*event = NULL;
	if (parse_number(text, &number))
		return by_number(core, number, event, err);
	colon = strchr(text, ':');
	if (colon == NULL)
		return by_name(core, text, event, err);
	if (!is_prefix(text, (size_t)(colon - text)))
		return pt_fail(err, PT_EARG,
			       "event \"%.60s\": behind a colon stand letters of u, k, m, n and c, or, "
			       "behind Ref, Com and C0 to C3, a number",
			       text);
	if (!parse_number(colon + 1, &number))
		return pt_fail(err, PT_EARG, "event \"%.60s\": no number behind the colon", text);
	if (by_number(core, number, event, err) < 0)
		return pt_wrap(err, "%.60s", text);
	if (has_prefix(*event, text, (size_t)(colon - text)))
		return 0;
	pt_fail(err, PT_EARG, "event \"%.60s\": %u is %s:%u, %s", text, (*event)->number, (*event)->prefix,
		(*event)->number, (*event)->name);
	*event = NULL;
	return PT_EARG;
}
