/* A program made from a description instead of an ELF: for tests, benches and code that is only in a capture. */
#include <stdlib.h>
#include <string.h>

#include "program/model/program_parts.h"
#include "base/util.h"

static int by_function_address(const void *a, const void *b)
{
	const struct pt_function *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

static int by_mark_address(const void *a, const void *b)
{
	const struct pt_code_mark *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

/* Copies an array of n elements; *copied: their number. False: no memory. */
static bool copy(void **to, size_t *n_to, const void *from, size_t n, size_t size)
{
	*to = calloc(n + 1, size);
	if (*to == NULL)
		return false;
	if (n > 0)
		memcpy(*to, from, n * size);
	*n_to = n;
	return true;
}

static bool copy_segments(struct pt_program *p)
{
	for (size_t i = 0; i < p->n_segments; i++)
		if (p->segments[i].bytes != NULL) {
			p->segments[i].bytes = pt_arena_copy(&p->arena, p->segments[i].bytes, p->segments[i].size);
			if (p->segments[i].bytes == NULL)
				return false;
		}
	return true;
}

static bool copy_names(struct pt_program *p)
{
	for (size_t i = 0; i < p->n_functions; i++) {
		struct pt_function *f = &p->functions[i];

		f->linkage = f->linkage != NULL ? pt_arena_name(&p->arena, f->linkage) : NULL;
		f->name = pt_arena_name(&p->arena, f->name);
		f->file = f->file != NULL ? pt_arena_name(&p->arena, f->file) : NULL;
		if (f->name == NULL)
			return false;
		if (f->linkage == NULL)
			f->linkage = f->name;
		p->symbols[p->n_symbols++] = (struct pt_symbol){ f->linkage, f->address, f->size };
	}
	return true;
}

struct pt_program *pt_program_from_desc(const struct pt_program_desc *desc)
{
	struct pt_program *p = pt_program_new(desc->name, 2 * (size_t)PT_PROGRAM_MAX_BYTES);

	if (p == NULL)
		return NULL;
	p->symbols = calloc(desc->n_functions + 1, sizeof(*p->symbols));
	if (p->symbols == NULL ||
	    !copy((void **)&p->segments, &p->n_segments, desc->segments, desc->n_segments, sizeof(*p->segments)) ||
	    !copy((void **)&p->functions, &p->n_functions, desc->functions, desc->n_functions, sizeof(*p->functions)) ||
	    !copy((void **)&p->marks, &p->n_marks, desc->marks, desc->n_marks, sizeof(*p->marks)) ||
	    !copy_segments(p) || !copy_names(p)) {
		pt_program_unref(p);
		return NULL;
	}
	qsort(p->functions, p->n_functions, sizeof(*p->functions), by_function_address);
	qsort(p->marks, p->n_marks, sizeof(*p->marks), by_mark_address);
	p->arch.elf_machine = desc->elf_machine;
	p->isa = pt_isa_find(&p->arch);
	pt_program_seal(p, (struct pt_vectors){ desc->vectors, UINT64_MAX, true });
	return p;
}
