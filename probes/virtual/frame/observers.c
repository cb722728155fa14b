/* One list for the taps of every kind of CPU. */
#include "probes/virtual/frame/observers.h"

void pt_vtaps_changed(struct pt_vtaps *taps)
{
	taps->insn = taps->cond = taps->jump = taps->data = false;
	for (const struct pt_vtap *tap = taps->first; tap != NULL; tap = tap->next) {
		taps->insn |= tap->insn != NULL;
		taps->cond |= tap->cond != NULL;
		taps->jump |= tap->jump != NULL;
		taps->data |= tap->data != NULL;
	}
}

void pt_vtaps_add(struct pt_vtaps *taps, struct pt_vtap *tap)
{
	struct pt_vtap **end = &taps->first;

	while (*end != NULL)
		end = &(*end)->next;
	tap->next = NULL;
	*end = tap;
	pt_vtaps_changed(taps);
}

void pt_vtaps_remove(struct pt_vtaps *taps, struct pt_vtap *tap)
{
	struct pt_vtap **at = &taps->first;

	while (*at != NULL && *at != tap)
		at = &(*at)->next;
	if (*at == NULL)
		return;
	*at = tap->next;
	pt_vtaps_changed(taps);
}

void pt_vtaps_tell_insn(const struct pt_vtaps *taps, uint32_t pc)
{
	for (const struct pt_vtap *tap = taps->first, *next; tap != NULL; tap = next) {
		next = tap->next;
		if (tap->insn != NULL)
			tap->insn(tap->arg, pc);
	}
}

void pt_vtaps_tell_cond(const struct pt_vtaps *taps, uint32_t from, bool taken, uint32_t to)
{
	for (const struct pt_vtap *tap = taps->first, *next; tap != NULL; tap = next) {
		next = tap->next;
		if (tap->cond != NULL)
			tap->cond(tap->arg, from, taken, to);
	}
}

void pt_vtaps_tell_jump(const struct pt_vtaps *taps, enum pt_vjump how, uint32_t from, uint32_t detail, uint32_t to)
{
	for (const struct pt_vtap *tap = taps->first, *next; tap != NULL; tap = next) {
		next = tap->next;
		if (tap->jump != NULL)
			tap->jump(tap->arg, how, from, detail, to);
	}
}

void pt_vtaps_tell_data(const struct pt_vtaps *taps, uint32_t addr, unsigned size_bytes, bool write, uint32_t value,
			uint32_t pc)
{
	for (const struct pt_vtap *tap = taps->first, *next; tap != NULL; tap = next) {
		next = tap->next;
		if (tap->data != NULL)
			tap->data(tap->arg, addr, size_bytes, write, value, pc);
	}
}

void pt_vtaps_tell_reset(const struct pt_vtaps *taps, uint32_t pc)
{
	for (const struct pt_vtap *tap = taps->first, *next; tap != NULL; tap = next) {
		next = tap->next;
		if (tap->reset != NULL)
			tap->reset(tap->arg, pc);
	}
}
