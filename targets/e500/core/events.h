/* The events of an e500 core's performance monitor: one row per event and meaning, with its source. Events are found by
 * name, by perf's name, or by number. Pure: no I/O, no state; any thread.
 *
 * Sources: E1 = E500CORERM Rev. 1, Tables 7-8 to 7-10; E2 = AN3636 Rev. 2; E3 = Linux reg_fsl_emb.h, e500-pmu.c,
 * e6500-pmu.c; E4 = OProfile's event files ppc/e500, e500v2, e500mc, e6500;
 * E5 = NXP's qoriq-debug, pmr_cpu_v1.h.
 *
 * UNVERIFIED: the whole column work (Spec, Nonspec) is recalled, not read from Table 7-10; where unsure_work is set
 * even the recollection is uncertain. A core in unsure_cores should have the event, but no list of its events has it.
 * The names of 0 and 76 to 81 are ours, as no list has one; so is that of 264 on e6500, whose list uses one name
 * twice. */
#ifndef PT_E500_EVENTS_H
#define PT_E500_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum pt_e500_core { PT_E500_V1, PT_E500_V2, PT_E500_MC, PT_E500_E5500, PT_E500_E6500, PT_E500_CORES };
enum { PT_E500_PMCS_MAX = 6, PT_E500_EVENT_OVERFLOW0 = 82, PT_E500_EVENT_OVERFLOW4 = 91 };

/* Per core. Source: E3 (numbers of events and counters), E5 (widths). UNVERIFIED: pvr of e5500 and e6500. */
struct pt_e500_kind {
	const char *name;
	uint16_t pvr;			/* upper half of the register */
	uint8_t n_pmcs;
	uint8_t event_bits;		/* of PMLCa[EVENT], from bit 16 up */
	uint16_t n_events;		/* numbers below are valid, but some are undefined */
};
extern const struct pt_e500_kind pt_e500_kinds[PT_E500_CORES];

/* OUTSIDE: caused by others, such as snoops */
enum pt_e500_work { PT_E500_UNKNOWN, PT_E500_SPEC, PT_E500_NONSPEC, PT_E500_OUTSIDE };

struct pt_e500_event {
	uint16_t number;
	uint8_t cores, unsure_cores;	/* bit n: enum pt_e500_core n; the unsure ones are in cores, too */
	uint8_t pmcs;			/* bit n: PMCn can count it, if the core has that counter */
	const char *prefix;		/* "Ref": most Power cores have it; "Com"; "C0 C1": only those. E2 2.1 */
	enum pt_e500_work work;		/* SPEC: discarded work counts, too */
	bool unsure_work;
	bool threshold;			/* counts occurrences longer than the threshold in PMLCb */
	const char *name, *meaning;
	const char *source;
};
extern const struct pt_e500_event pt_e500_events[];
extern const size_t pt_e500_n_events;

bool pt_e500_has(const struct pt_e500_event *event, enum pt_e500_core core);
/* NULL: no such event of this core is known. */
const struct pt_e500_event *pt_e500_event_numbered(enum pt_e500_core core, unsigned number);
/* The event that counts how often PMCn's top bit fell, for a chain. -1: the core has no PMCn. Source: E1 Table 7-10 */
int pt_e500_overflow_event(enum pt_e500_core core, unsigned pmc);

/* Finds an event by name (OProfile's), by perf's name ("branch-misses"), by number ("15", "0xf") or as AN3636 writes it
 * ("Com:15", "Ref:2", "C0:76"), ignoring case. *event: a row of the table. 0, or PT_EARG: no core has it, and the
 * message suggests similar names of this core, or the number is too large for the core; PT_EUNSUPPORTED: this core
 * lacks it, and the message says which cores have it. */
int pt_e500_event_find(enum pt_e500_core core, const char *text, const struct pt_e500_event **event,
		       struct pt_err *err);
/* Finds up to n names of the core's events, perf's included, most similar to the text; the best first. Returns their
 * number. A similar name begins with the text, contains it, or differs in at most a third of its letters. */
size_t pt_e500_events_near(enum pt_e500_core core, const char *text, const char **names, size_t n);
/* The i-th of perf's names that this core has, and the event's number; NULL: no more. */
const char *pt_e500_alias(enum pt_e500_core core, size_t i, unsigned *number);

#endif
