/* One list for the observers of every kind of CPU. */
#include "probes/virtual/frame/observers.h"

void pt_vobservers_changed(struct pt_vobservers *observers)
{
	observers->insn = observers->cond = observers->jump = observers->data = false;
	for (const struct pt_vobserver *observer = observers->first; observer != NULL; observer = observer->next) {
		observers->insn |= observer->insn != NULL;
		observers->cond |= observer->cond != NULL;
		observers->jump |= observer->jump != NULL;
		observers->data |= observer->data != NULL;
	}
}

void pt_vobservers_add(struct pt_vobservers *observers, struct pt_vobserver *observer)
{
	struct pt_vobserver **end = &observers->first;

	while (*end != NULL)
		end = &(*end)->next;
	observer->next = NULL;
	*end = observer;
	pt_vobservers_changed(observers);
}

void pt_vobservers_remove(struct pt_vobservers *observers, struct pt_vobserver *observer)
{
	struct pt_vobserver **at = &observers->first;

	while (*at != NULL && *at != observer)
		at = &(*at)->next;
	if (*at == NULL)
		return;
	*at = observer->next;
	pt_vobservers_changed(observers);
}

void pt_vobservers_tell_insn(const struct pt_vobservers *observers, uint32_t pc)
{
	for (const struct pt_vobserver *observer = observers->first, *next; observer != NULL; observer = next) {
		next = observer->next;
		if (observer->insn != NULL)
			observer->insn(observer->arg, pc);
	}
}

void pt_vobservers_tell_cond(const struct pt_vobservers *observers, uint32_t from, bool taken, uint32_t to)
{
	for (const struct pt_vobserver *observer = observers->first, *next; observer != NULL; observer = next) {
		next = observer->next;
		if (observer->cond != NULL)
			observer->cond(observer->arg, from, taken, to);
	}
}

void pt_vobservers_tell_jump(const struct pt_vobservers *observers, enum pt_vjump how, uint32_t from, uint32_t detail,
			     uint32_t to)
{
	for (const struct pt_vobserver *observer = observers->first, *next; observer != NULL; observer = next) {
		next = observer->next;
		if (observer->jump != NULL)
			observer->jump(observer->arg, how, from, detail, to);
	}
}

void pt_vobservers_tell_data(const struct pt_vobservers *observers, uint32_t addr, unsigned size_bytes, bool write,
			     uint32_t value, uint32_t pc)
{
	for (const struct pt_vobserver *observer = observers->first, *next; observer != NULL; observer = next) {
		next = observer->next;
		if (observer->data != NULL)
			observer->data(observer->arg, addr, size_bytes, write, value, pc);
	}
}

void pt_vobservers_tell_reset(const struct pt_vobservers *observers, uint32_t pc)
{
	for (const struct pt_vobserver *observer = observers->first, *next; observer != NULL; observer = next) {
		next = observer->next;
		if (observer->reset != NULL)
			observer->reset(observer->arg, pc);
	}
}
