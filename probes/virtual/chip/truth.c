/* An observer on instructions only: the cycles between two of them are the first one's. */
#include <stdlib.h>

#include "probes/virtual/chip/truth.h"

/* Give the instruction under way its cycles. After power-on the count begins again. */
static void settle(struct pt_vtruth *truth)
{
	uint64_t now = truth->core.awake_cycles(truth->core.cpu);

	if (now > truth->awake_cycles)
		truth->last->cycles += now - truth->awake_cycles;
	truth->awake_cycles = now;
}

static struct pt_vtruth_at *place_of(struct pt_vtruth *truth, uint32_t pc)
{
	for (size_t i = 0; i < truth->n_spans; i++)
		if (pc - truth->span[i].base < truth->span[i].size)
			return &truth->span[i].at[(pc - truth->span[i].base) >> truth->granule_shift];
	return &truth->elsewhere;
}

static void on_insn(void *arg, uint32_t pc)
{
	struct pt_vtruth *truth = arg;

	settle(truth);
	truth->last = place_of(truth, pc);
	truth->last->instructions++;
	if (truth->n_logged < truth->log_room)
		truth->log[truth->n_logged] = pc;
	truth->n_logged++;
}

static void on_cond(void *arg, uint32_t from, bool taken, uint32_t to)
{
	(void)from, (void)taken, (void)to;
	((struct pt_vtruth *)arg)->n_cond++;
}

static void on_jump(void *arg, enum pt_vjump how, uint32_t from, uint32_t detail, uint32_t to)
{
	(void)from, (void)detail, (void)to;
	((struct pt_vtruth *)arg)->n_jump[how]++;
}

static bool add_span(struct pt_vtruth *truth, uint32_t base, uint32_t size)
{
	struct pt_vtruth_at *at = calloc(size / truth->core.granule_bytes + 1, sizeof(*at));

	if (at == NULL)
		return false;
	truth->span[truth->n_spans].base = base;
	truth->span[truth->n_spans].size = size;
	truth->span[truth->n_spans++].at = at;
	return true;
}

static void free_all(struct pt_vtruth *truth)
{
	for (size_t i = 0; i < truth->n_spans; i++)
		free(truth->span[i].at);
	free(truth->log);
}

bool pt_vtruth_init(struct pt_vtruth *truth, const struct pt_vtruth_core *core, size_t log_room)
{
	bool room = true;

	*truth = (struct pt_vtruth){
		.core = *core, .log_room = log_room, .granule_shift = (unsigned)__builtin_ctz(core->granule_bytes),
		.observer = { .arg = truth, .insn = on_insn, .cond = on_cond, .jump = on_jump },
	};
	truth->last = &truth->elsewhere;
	truth->awake_cycles = core->awake_cycles(core->cpu);
	for (size_t i = 0; room && i < PT_VTRUTH_SPANS && core->span[i].size > 0; i++)
		room = add_span(truth, core->span[i].base, core->span[i].size);
	if (room && log_room > 0)
		room = (truth->log = calloc(log_room, sizeof(*truth->log))) != NULL;
	if (room)
		core->add_observer(core->cpu, &truth->observer);
	else
		free_all(truth);
	return room;
}

void pt_vtruth_fini(struct pt_vtruth *truth)
{
	truth->core.remove_observer(truth->core.cpu, &truth->observer);
	free_all(truth);
}

static void add(struct pt_vtruth_at *sum, const struct pt_vtruth_at *at)
{
	sum->instructions += at->instructions;
	sum->cycles += at->cycles;
}

struct pt_vtruth_at pt_vtruth_sum(struct pt_vtruth *truth, uint32_t begin, uint32_t end)
{
	struct pt_vtruth_at sum = { 0, 0 };

	settle(truth);
	for (uint32_t pc = begin; pc < end; pc += truth->core.granule_bytes)
		if (place_of(truth, pc) != &truth->elsewhere)
			add(&sum, place_of(truth, pc));
	return sum;
}

struct pt_vtruth_at pt_vtruth_total(struct pt_vtruth *truth)
{
	struct pt_vtruth_at sum;

	settle(truth);
	sum = truth->elsewhere;
	for (size_t i = 0; i < truth->n_spans; i++)
		for (uint32_t n = 0; n < truth->span[i].size / truth->core.granule_bytes; n++)
			add(&sum, &truth->span[i].at[n]);
	return sum;
}
