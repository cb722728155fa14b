/* The exceptions of a profile: the functions that they entered, found by their vectors, with the entry counts of the
 * target's timestamps. Vectors are those of the first core. */
#include <stdio.h>
#include <string.h>

#include "pipeline/pipeline_parts.h"

static uint64_t handler_of(const struct pt_pipeline *p, unsigned exception)
{
	const struct pt_source_ctx *ctx = p->core_profile[0].flow;
	uint64_t vectors = ctx != NULL ? ctx->flow.vectors : PT_UNKNOWN;

	if (p->program == NULL || exception >= p->map->isa->n_vectors)
		return PT_UNKNOWN;
	return vectors != PT_UNKNOWN ? pt_program_vector_in(p->program, vectors, exception)
				     : pt_program_vector(p->program, exception);
}

/* Names the exceptions whose vector points to address. */
static void name_vectors(const struct pt_pipeline *p, uint64_t address, char *out, size_t size)
{
	const struct pt_isa *isa = p->map->isa;
	char name[24];
	size_t len = 0;

	out[0] = '\0';
	for (unsigned n = isa->reset; n < isa->n_vectors && p->program != NULL; n++) {
		if (handler_of(p, n) != address)
			continue;
		isa->vector_name(n, name, sizeof(name));
		if (len + strlen(name) + 6 > size) {
			snprintf(out + len, size - len, " ...");
			break;
		}
		len += (size_t)snprintf(out + len, size - len, "%s%s", len > 0 ? " " : "", name);
	}
}

static struct pt_stat since_of(const struct pt_pipeline *p, uint64_t handler)
{
	struct pt_stat all = pt_stat_empty();

	for (unsigned n = 0; n < PT_SINCE_EXCEPTIONS; n++)
		if (p->since.exception[n].n > 0 && handler_of(p, n) == handler)
			pt_since_join(&all, &p->since.exception[n]);
	return all;
}

static const struct pt_function *function_at(const struct pt_pipeline *p, uint64_t address)
{
	for (size_t i = 0; i < p->n_functions && address != PT_UNKNOWN; i++)
		if (p->functions[i].address == address)
			return &p->functions[i];
	return NULL;
}

static void make_since(struct pt_pipeline *p)
{
	struct pt_profile *f = &p->profile;

	f->n_since = 0;
	for (unsigned n = 0; n <= PT_SINCE_EXCEPTIONS; n++) {
		struct pt_profile_since *row = &p->since_rows[f->n_since];

		if (p->since.exception[n].n == 0)
			continue;
		*row = (struct pt_profile_since){ .exception = "(none)", .cycles = p->since.exception[n] };
		if (n < PT_SINCE_EXCEPTIONS) {
			p->map->isa->vector_name(n, row->exception, sizeof(row->exception));
			row->handler = function_at(p, handler_of(p, n));
		}
		f->n_since++;
	}
	f->since = p->since_rows;
}

static void make_irqs(struct pt_pipeline *p)
{
	struct pt_profile *f = &p->profile;

	f->n_irqs = 0;
	for (size_t i = 0; i < f->n_functions; i++) {
		const struct pt_profile_function *row = &f->function[i];
		struct pt_profile_irq *irq = &p->irqs[f->n_irqs];

		if (row->run == NULL || row->run->exceptions == 0)
			continue;
		irq->function = row;
		irq->vectors[0] = '\0';
		irq->since = since_of(p, row->function != NULL ? row->function->address : PT_UNKNOWN);
		if (row->function != NULL)
			name_vectors(p, row->function->address, irq->vectors, sizeof(irq->vectors));
		f->n_irqs++;
	}
	f->irq = p->irqs;
}

void pt_snapshot_irqs(struct pt_pipeline *p)
{
	make_since(p);
	make_irqs(p);
}
