/* A tap on instructions only: the cycles between two of them are the first one's. */
#include <stdlib.h>

#include "probes/virtual/chip/truth.h"

static uint64_t awake_cycles(const struct pt_vcpu *cpu)
{
	return pt_vcpu_cycle(cpu) - pt_vcpu_sleep_cycles(cpu) - pt_vcpu_halt_cycles(cpu);
}

/* Give the instruction under way its cycles. After power-on the count begins again. */
static void settle(struct pt_vtruth *truth)
{
	uint64_t now = awake_cycles(truth->cpu);

	if (now > truth->awake_cycles)
		truth->last->cycles += now - truth->awake_cycles;
	truth->awake_cycles = now;
}

static struct pt_vtruth_at *place_of(struct pt_vtruth *truth, uint32_t pc)
{
	for (size_t i = 0; i < truth->n_spans; i++)
		if (pc - truth->span[i].base < truth->span[i].size)
			return &truth->span[i].at[(pc - truth->span[i].base) / 2];
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

bool pt_vtruth_init(struct pt_vtruth *truth, struct pt_vcpu *cpu, size_t log_room)
{
	*truth = (struct pt_vtruth){ .cpu = cpu, .tap = { .arg = truth, .insn = on_insn }, .log_room = log_room };
	truth->last = &truth->elsewhere;
	truth->awake_cycles = awake_cycles(cpu);
	if (log_room > 0) {
		truth->log = calloc(log_room, sizeof(*truth->log));
		if (truth->log == NULL)
			return false;
	}
	pt_vcpu_add_tap(cpu, &truth->tap);
	return true;
}

void pt_vtruth_fini(struct pt_vtruth *truth)
{
	pt_vcpu_remove_tap(truth->cpu, &truth->tap);
	for (size_t i = 0; i < truth->n_spans; i++)
		free(truth->span[i].at);
	free(truth->log);
}

bool pt_vtruth_add_span(struct pt_vtruth *truth, uint32_t base, uint32_t size)
{
	struct pt_vtruth_at *at;

	if (truth->n_spans == PT_VTRUTH_SPANS)
		return false;
	at = calloc(size / 2 + 1, sizeof(*at));
	if (at == NULL)
		return false;
	truth->span[truth->n_spans].base = base;
	truth->span[truth->n_spans].size = size;
	truth->span[truth->n_spans++].at = at;
	return true;
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
	for (uint32_t pc = begin; pc < end; pc += 2)
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
		for (uint32_t n = 0; n < truth->span[i].size / 2; n++)
			add(&sum, &truth->span[i].at[n]);
	return sum;
}
