/* What of the segments a loader writes. A segment is a stretch of the file, and between two sections of it lie bytes
 * that belong to no section (from the vectors to the flash configuration, say): GDB's load leaves them out, so the
 * chip has there whatever an erase left. */
#include <stdlib.h>

#include "base/alloc.h"
#include "program/elf/elf_parts.h"
#include "base/util.h"

enum { MAX_LOADS = 4096 };	/* an ELF with more sections is not worth the trouble */

struct stretch { uint64_t begin, end; };	/* of the file */

static int by_begin(const void *a, const void *b)
{
	const struct stretch *x = a, *y = b;

	return x->begin < y->begin ? -1 : x->begin > y->begin;
}

/* The sections that put bytes into memory; *n counts them. NULL: too many. */
static struct stretch *find_sections(struct pt_elf_reader *r, size_t *n)
{
	struct stretch *found = pt_alloc_array(MAX_LOADS, sizeof(*found));
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;

	*n = 0;
	while ((scn = elf_nextscn(r->elf, scn)) != NULL) {
		if (gelf_getshdr(scn, &sh) == NULL || !pt_elf_in_memory(&sh) || sh.sh_offset > r->len_bytes ||
		    sh.sh_size > r->len_bytes - sh.sh_offset)
			continue;
		if (*n == MAX_LOADS) {
			free(found);
			return NULL;
		}
		found[(*n)++] = (struct stretch){ sh.sh_offset, sh.sh_offset + sh.sh_size };
	}
	qsort(found, *n, sizeof(*found), by_begin);
	return found;
}

/* Behind what is there, or one with it. False: no room. */
static bool add(struct pt_program *p, const struct pt_segment *segment, uint64_t offset, uint64_t size, bool may_join)
{
	struct pt_segment *last = p->n_loads > 0 ? &p->loads[p->n_loads - 1] : NULL;

	if (may_join && last->bytes + last->size >= segment->bytes + offset) {
		if (last->bytes + last->size < segment->bytes + offset + size)
			last->size = (uint64_t)(segment->bytes + offset + size - last->bytes);
		return true;
	}
	if (p->n_loads == MAX_LOADS)
		return false;
	p->loads[p->n_loads] = *segment;
	p->loads[p->n_loads].addr += offset;
	p->loads[p->n_loads].run += offset;
	p->loads[p->n_loads].bytes += offset;
	p->loads[p->n_loads++].size = size;
	return true;
}

/* A segment that no section lies in is loaded whole. */
static bool add_segment(struct pt_elf_reader *r, const struct pt_segment *segment, const struct stretch *sections,
			size_t n)
{
	uint64_t begin = (uint64_t)(segment->bytes - r->bytes), end = begin + segment->size;
	bool any = false;

	for (size_t i = 0; i < n && sections[i].begin < end; i++) {
		uint64_t from = sections[i].begin > begin ? sections[i].begin : begin;
		uint64_t to = sections[i].end < end ? sections[i].end : end;

		if (from >= to)
			continue;
		if (!add(r->program, segment, from - begin, to - from, any))
			return false;
		any = true;
	}
	return any || add(r->program, segment, 0, segment->size, false);
}

void pt_elf_find_loads(struct pt_elf_reader *r)
{
	struct pt_program *p = r->program;
	struct stretch *sections;
	bool fits = true;
	size_t n;

	sections = find_sections(r, &n);
	p->loads = pt_alloc_array(MAX_LOADS, sizeof(*p->loads));
	for (size_t i = 0; sections != NULL && i < p->n_segments && fits; i++)
		fits = p->segments[i].bytes == NULL || add_segment(r, &p->segments[i], sections, n);
	if (sections == NULL || !fits) {
		free(p->loads);
		p->loads = NULL;
	}
	free(sections);
}
