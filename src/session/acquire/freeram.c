/* Spans are cut out one after another; a cut in the middle of one makes two. */
#include "session/acquire/freeram.h"
#include "base/door.h"

#include <stdlib.h>
#include <string.h>

static void add(struct pt_free_ram *free_ram, uint64_t from, uint64_t to)
{
	if (from < to && free_ram->n_spans < PT_FREE_RAM_SPANS)
		free_ram->span[free_ram->n_spans++] = (struct pt_span){ from, to - from };
}

static void cut(struct pt_free_ram *free_ram, uint64_t from, uint64_t to)
{
	struct pt_free_ram left = { .n_spans = 0 };

	for (size_t i = 0; i < free_ram->n_spans; i++) {
		uint64_t begin = free_ram->span[i].addr, end = begin + free_ram->span[i].size;

		add(&left, begin, from < end ? from : end);
		add(&left, to > begin ? to : begin, end);
	}
	if (from < to)
		*free_ram = left;
}

static int larger_first(const void *a, const void *b)
{
	const struct pt_span *x = a, *y = b;

	return x->size != y->size ? (x->size < y->size) - (x->size > y->size)
				  : (x->addr > y->addr) - (x->addr < y->addr);
}

void pt_free_ram(const struct pt_region *regions, size_t n_regions, const struct pt_program *program,
		 struct pt_free_ram *out)
{
	const struct pt_segment *segment;
	uint64_t from, to;
	size_t n_segments;

	memset(out, 0, sizeof(*out));
	for (size_t i = 0; i < n_regions; i++)
		if (regions[i].kind == PT_REGION_RAM)
			add(out, regions[i].addr, regions[i].addr + regions[i].size);
	if (out->n_spans == 0)
		out->why = "the RAM of this chip is not known";
	else if (program == NULL)
		out->why = pt_by_door("without the ELF (--elf FILE) proftap does not know which RAM is free",
				      "without the ELF (monitor symbols FILE) proftap does not know which RAM is free");
	else if (!pt_program_stack_span(program, &from, &to))
		out->why = "the ELF does not tell where the stack lies";
	else
		cut(out, from, to);
	if (out->why == NULL) {
		segment = pt_program_segments(program, &n_segments);
		for (size_t i = 0; i < n_segments; i++)
			cut(out, segment[i].run, segment[i].run + segment[i].size);
		if (out->n_spans == 0)
			out->why = "the program uses all RAM";
	} else {
		out->n_spans = 0;
	}
	qsort(out->span, out->n_spans, sizeof(out->span[0]), larger_first);
}
