/* The tables are not trusted: an unreadable entry ends its table. */
#include <stdlib.h>

#include "program/code/landings.h"
#include "program/model/program_parts.h"
#include "base/util.h"

enum { MOST_LANDINGS = 65536, MOST_SITES = 1 << 20 };	/* landings kept; sites read in all tables together */

struct reader {
	const struct pt_program *program;
	uint64_t at;
	bool failed;
};

struct landings {
	struct pt_codemap *map;
	size_t n_sites;		/* looked at */
};

static uint32_t take_word(struct reader *r)
{
	const uint8_t *bytes = pt_program_bytes_at(r->program, r->at, 4);

	r->at += 4;
	r->failed |= bytes == NULL;
	if (bytes == NULL)
		return 0;
	return pt_program_is_big_endian(r->program) ? pt_be32(bytes) : pt_le32(bytes);
}

static uint8_t take_byte(struct reader *r)
{
	const uint8_t *bytes = pt_program_bytes_at(r->program, r->at, 1);

	r->at++;
	r->failed |= bytes == NULL;
	return bytes != NULL ? *bytes : 0;
}

static uint64_t take_uleb(struct reader *r)
{
	uint64_t value = 0;
	uint8_t byte;

	for (unsigned shift = 0; shift < 63; shift += 7) {
		byte = take_byte(r);
		value |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80 || r->failed)
			return value;
	}
	r->failed = true;
	return 0;
}

/* A 31-bit offset relative to its own address. */
static uint64_t take_relative(struct reader *r)
{
	uint64_t from = r->at;
	uint32_t word = take_word(r);
	int32_t offset = (int32_t)(word << 1) / 2;

	return (uint32_t)(from + (uint64_t)(int64_t)offset);
}

/* Encodings of a call-site table's numbers: DW_EH_PE_uleb128 or udata4. */
enum { ULEB128 = 0x01, UDATA4 = 0x03, OMITTED = 0xff };

static uint64_t take_number(struct reader *r, uint8_t encoding)
{
	if (encoding == ULEB128)
		return take_uleb(r);
	r->failed |= encoding != UDATA4;
	return take_word(r);
}

static void keep(struct landings *l, struct pt_landing landing)
{
	if (l->map->n_landings < MOST_LANDINGS)
		l->map->landing[l->map->n_landings++] = landing;
}

/* Reads the data of the C++ personality at r, for the function at `function`. */
static void read_call_sites(struct landings *l, struct reader *r, uint64_t function)
{
	uint8_t encoding;
	uint64_t end;

	if (take_byte(r) != OMITTED)
		return;			/* landing pads are not relative to the function: no compiler does that */
	if (take_byte(r) != OMITTED)
		take_uleb(r);		/* position of the types */
	encoding = take_byte(r);
	end = take_uleb(r);
	end += r->at;
	while (!r->failed && r->at < end && l->n_sites++ < MOST_SITES) {
		uint64_t from = function + take_number(r, encoding), to = from + take_number(r, encoding);
		uint64_t pad = take_number(r, encoding);

		take_uleb(r);		/* action */
		if (!r->failed && pad != 0)
			keep(l, (struct pt_landing){ function + pad, from, to });
	}
}

/* Reads an entry of .ARM.extab with its own personality: the personality, the unwinder's instructions, then its data.
 * The ABI's three predefined personalities have no C++ landing pads. */
static void read_entry(struct landings *l, struct reader r, uint64_t function)
{
	uint32_t first = take_word(&r);

	if (r.failed || first >> 31 != 0)
		return;
	first = take_word(&r);
	r.at += 4 * (uint64_t)(first >> 24);
	read_call_sites(l, &r, function);
}

static int by_pad(const void *a, const void *b)
{
	const struct pt_landing *x = a, *y = b;

	if (x->pad != y->pad)
		return x->pad < y->pad ? -1 : 1;
	return (x->from > y->from) - (x->from < y->from);
}

void pt_codemap_find_landings(struct pt_codemap *map)
{
	struct landings l = { .map = map };
	struct reader r = { .program = map->program };
	uint64_t n = r.program != NULL ? r.program->unwind_bytes / 8 : 0;

	if (n == 0)
		return;
	map->landing = calloc(MOST_LANDINGS, sizeof(*map->landing));
	r.at = r.program->unwind;
	while (map->landing != NULL && n-- > 0 && !r.failed && l.n_sites < MOST_SITES) {
		uint64_t function = take_relative(&r) & ~UINT64_C(1);
		struct reader entry = r;
		uint32_t word = take_word(&r);	/* 1: cannot be unwound; bit 31: the entry is in the word itself */

		if (!r.failed && word != 1 && word >> 31 == 0) {
			entry.at = take_relative(&entry);
			read_entry(&l, entry, function);
		}
	}
	if (map->n_landings > 0)
		qsort(map->landing, map->n_landings, sizeof(*map->landing), by_pad);
}

static size_t first_at(const struct pt_codemap *map, uint64_t pad)
{
	size_t low = 0, high = map->n_landings;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (map->landing[middle].pad < pad)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool pt_codemap_lands(const struct pt_codemap *map, uint64_t pad, uint64_t resume)
{
	for (size_t i = first_at(map, pad); i < map->n_landings && map->landing[i].pad == pad; i++)
		if (resume > map->landing[i].from && resume <= map->landing[i].to)
			return true;
	return false;
}

bool pt_codemap_is_landing(const struct pt_codemap *map, uint64_t pad)
{
	size_t i = first_at(map, pad);

	return i < map->n_landings && map->landing[i].pad == pad;
}
