/* Units, abbreviations and the order of entries. */
#include "program/dwarf/dies.h"

#include <dwarf.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "program/dwarf/dies_parts.h"
#include "program/dwarf/dwarf.h"

enum {
	MAX_UNITS = 1 << 17, MAX_ABBREVS = 1 << 20, MAX_ABBREV_ATTRS = 1 << 22, MAX_UNPACKED_BYTES = 128 << 20,
};

static const char *const section_names[] = {
	".debug_info", ".debug_types", ".debug_abbrev", ".debug_str", ".debug_line_str", ".debug_str_offsets",
	".debug_addr",
};

static const uint8_t nothing[1];	/* what a missing section has */

/* --- abbreviations ------------------------------------------------------------------------------------------------ */

static bool grow(void **array, size_t *room, size_t n, size_t most, size_t size)
{
	size_t more = *room > 0 ? 2 * *room : 256;
	void *bigger;

	if (n < *room)
		return true;
	if (n >= most)
		return false;
	bigger = realloc(*array, more * size);
	if (bigger == NULL)
		return false;
	*array = bigger;
	*room = more;
	return true;
}

static bool read_abbrev_attrs(struct pt_dies *d, struct pt_cursor *c, struct pt_abbrev *abbrev)
{
	abbrev->first_attr = (uint32_t)d->n_attrs;
	for (;;) {
		uint64_t at = pt_cursor_uleb(c), form = pt_cursor_uleb(c);
		int64_t implicit = form == DW_FORM_implicit_const ? pt_cursor_sleb(c) : 0;

		if (c->failed)
			return false;
		if (at == 0 && form == 0)
			return true;
		if (!grow((void **)&d->attrs, &d->room_attrs, d->n_attrs, MAX_ABBREV_ATTRS, sizeof(*d->attrs)))
			return false;
		d->attrs[d->n_attrs++] = (struct pt_abbrev_attr){
			at <= UINT16_MAX ? (uint16_t)at : 0, form <= UINT16_MAX ? (uint16_t)form : 0, implicit,
		};
		abbrev->n_attrs++;
	}
}

static int by_code(const void *a, const void *b)
{
	const struct pt_abbrev *x = a, *y = b;

	return x->code < y->code ? -1 : x->code > y->code;
}

static bool read_abbrevs(struct pt_dies *d, struct pt_abbrev_table *table)
{
	struct pt_cursor c = pt_dies_cursor(d, PT_DIES_ABBREV, table->offset);

	table->first = (uint32_t)d->n_abbrevs;
	for (;;) {
		struct pt_abbrev abbrev = { .code = pt_cursor_uleb(&c) };

		if (c.failed)
			return false;
		if (abbrev.code == 0)
			break;
		abbrev.tag = (uint16_t)pt_cursor_uleb(&c);
		abbrev.children = pt_cursor_number(&c, 1) != 0;
		if (!grow((void **)&d->abbrevs, &d->room_abbrevs, d->n_abbrevs, MAX_ABBREVS, sizeof(*d->abbrevs)) ||
		    !read_abbrev_attrs(d, &c, &abbrev))
			return false;
		d->abbrevs[d->n_abbrevs++] = abbrev;
		table->n++;
	}
	if (table->n > 0)
		qsort(d->abbrevs + table->first, table->n, sizeof(*d->abbrevs), by_code);
	return true;
}

/* One that cannot be read stays in the list, with what could be read. */
static const struct pt_abbrev_table *find_table(struct pt_dies *d, uint64_t offset)
{
	struct pt_abbrev_table **slot = &d->tables[offset * 2654435761u % PT_DIES_TABLE_SLOTS];
	struct pt_abbrev_table *table;

	for (table = *slot; table != NULL; table = table->next)
		if (table->offset == offset)
			return table;
	table = pt_alloc(sizeof(*table));
	table->offset = offset;
	table->next = *slot;
	*slot = table;
	if (!read_abbrevs(d, table))
		table->n = 0;
	return table;
}

/* Compilers number them from 1 without holes: the guess nearly always hits. */
static const struct pt_abbrev *find_abbrev(const struct pt_dies *d, const struct pt_dies_unit_head *unit, uint64_t code)
{
	struct pt_abbrev key = { .code = code };
	const struct pt_abbrev *first;

	if (unit->table->n == 0)
		return NULL;
	first = d->abbrevs + unit->table->first;
	if (code - 1 < unit->table->n && first[code - 1].code == code)
		return &first[code - 1];
	return bsearch(&key, first, unit->table->n, sizeof(key), by_code);
}

/* --- units -------------------------------------------------------------------------------------------------------- */

static bool plausible(const struct pt_dies_unit_head *u)
{
	return u->version >= 2 && u->version <= 5 && u->address_bytes >= 1 && u->address_bytes <= 8 &&
	       u->first < u->end;
}

/* What stands between length and entries. DWARF 5, 7.5.1; DWARF 4, 7.5.1. */
static void read_header(struct pt_dies_unit_head *u, struct pt_cursor *c, uint64_t at_key, const uint8_t *start,
			bool types)
{
	unsigned kind = types ? DW_UT_type : DW_UT_compile;

	u->version = (uint16_t)pt_cursor_number(c, 2);
	if (u->version >= 5) {
		kind = (unsigned)pt_cursor_number(c, 1);
		u->address_bytes = (uint8_t)pt_cursor_number(c, 1);
		u->abbrev_offset = pt_cursor_number(c, u->offset_bytes);
	} else {
		u->abbrev_offset = pt_cursor_number(c, u->offset_bytes);
		u->address_bytes = (uint8_t)pt_cursor_number(c, 1);
	}
	if (kind == DW_UT_skeleton || kind == DW_UT_split_compile)
		pt_cursor_number(c, 8);
	if (kind == DW_UT_type || kind == DW_UT_split_type) {
		u->signature = pt_cursor_number(c, 8);
		u->type_die = u->key + pt_cursor_number(c, u->offset_bytes);
	}
	u->first = at_key + (uint64_t)(c->at - start);
}

static bool add_unit(struct pt_dies *d, struct pt_cursor *c, uint64_t key, bool types)
{
	const uint8_t *start = c->at;
	struct pt_dies_unit_head u = { .key = key, .offset_bytes = 4 };
	uint64_t length = pt_cursor_number(c, 4);

	if (length == UINT32_MAX) {
		u.offset_bytes = 8;
		length = pt_cursor_number(c, 8);
	}
	if (c->failed || length > (size_t)(c->end - c->at))
		return false;
	u.end = key + (uint64_t)(c->at - start) + length;
	read_header(&u, c, key, start, types);
	c->at = start + (u.end - key);
	if (c->failed || !grow((void **)&d->units, &d->room_units, d->n_units, MAX_UNITS, sizeof(u)))
		return false;
	u.bad = !plausible(&u);
	d->units[d->n_units++] = u;
	return true;
}

static void find_units(struct pt_dies *d, enum pt_dies_section section)
{
	uint64_t base = section == PT_DIES_TYPES ? d->section[PT_DIES_INFO].len_bytes : 0;
	struct pt_cursor c = pt_dies_cursor(d, section, 0);

	while (c.at < c.end)
		if (!add_unit(d, &c, base + (uint64_t)(c.at - d->section[section].bytes), section == PT_DIES_TYPES))
			break;
}

static int by_signature_then_key(const void *a, const void *b)
{
	const struct pt_dies_signature *x = a, *y = b;

	if (x->signature != y->signature)
		return x->signature < y->signature ? -1 : 1;
	return x->type_die < y->type_die ? -1 : x->type_die > y->type_die;
}

static void find_signatures(struct pt_dies *d)
{
	d->signatures = calloc(d->n_units + 1, sizeof(*d->signatures));
	for (size_t i = 0; d->signatures != NULL && i < d->n_units; i++)
		if (d->units[i].type_die != 0)
			d->signatures[d->n_signatures++] =
				(struct pt_dies_signature){ d->units[i].signature, d->units[i].type_die };
	if (d->n_signatures > 0)
		qsort(d->signatures, d->n_signatures, sizeof(*d->signatures), by_signature_then_key);
}

/* The unit that key lies in. */
static struct pt_dies_unit_head *unit_of(struct pt_dies *d, uint64_t key)
{
	size_t low = 0, high = d->n_units;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (d->units[middle].key <= key)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 && key >= d->units[low - 1].first && key < d->units[low - 1].end ? &d->units[low - 1] : NULL;
}

/* --- entries ------------------------------------------------------------------------------------------------------ */

static bool entry_at(struct pt_dies *d, struct pt_dies_unit_head *u, struct pt_cursor *c, uint64_t key,
		     struct pt_die *die)
{
	uint64_t code = pt_cursor_uleb(c);
	const struct pt_abbrev *abbrev = c->failed || code == 0 ? NULL : find_abbrev(d, u, code);

	if (abbrev == NULL)
		return false;
	*die = (struct pt_die){
		.key = key, .unit = (uint32_t)(u - d->units), .tag = abbrev->tag, .children = abbrev->children,
		.abbrev = (uint32_t)(abbrev - d->abbrevs), .attrs = c->at,
	};
	return true;
}

static bool prepare(struct pt_dies *d, struct pt_dies_unit_head *u)
{
	struct pt_cursor c;
	struct pt_die die;

	if (u->ready || u->bad)
		return u->ready;
	u->table = find_table(d, u->abbrev_offset);
	c = pt_dies_cursor_of_key(d, u->first, u->end);
	if (u->table == NULL || !entry_at(d, u, &c, u->first, &die)) {
		u->bad = true;
		return false;
	}
	pt_dies_read_bases(d, u, &die);
	u->ready = true;
	return true;
}

bool pt_dies_at(struct pt_dies *d, uint64_t key, struct pt_die *die)
{
	struct pt_dies_unit_head *u = key != 0 ? unit_of(d, key) : NULL;
	struct pt_cursor c;

	if (u == NULL || !prepare(d, u))
		return false;
	c = pt_dies_cursor_of_key(d, key, u->end);
	return entry_at(d, u, &c, key, die);
}

bool pt_dies_unit(struct pt_dies *d, size_t unit, struct pt_die *die)
{
	return unit < d->n_units && pt_dies_at(d, d->units[unit].first, die);
}

void pt_die_read(struct pt_dies *d, const struct pt_die *die, struct pt_die_attrs *attrs)
{
	*attrs = (struct pt_die_attrs){ 0 };
	pt_dies_read_attrs(d, die, attrs);
}

bool pt_die_next(struct pt_dies *d, struct pt_die *die, int *depth)
{
	struct pt_dies_unit_head *u = &d->units[die->unit];
	struct pt_cursor c = pt_dies_cursor_of_key(d, die->key, u->end);
	const uint8_t *start = c.at, *behind = pt_dies_read_attrs(d, die, NULL);

	if (behind == NULL)
		return false;
	c.at = behind;
	*depth += die->children ? 1 : 0;
	while (c.at < c.end && *c.at == 0 && *depth > 0) {
		c.at++;
		--*depth;
	}
	return *depth > 0 && c.at < c.end && entry_at(d, u, &c, die->key + (uint64_t)(c.at - start), die);
}

/* --- the file ----------------------------------------------------------------------------------------------------- */

/* ".zdebug_info" is what old GNU tools called a compressed ".debug_info". */
static bool is_called(const char *name, const char *wanted)
{
	return strcmp(name, wanted) == 0 || (strncmp(name, ".z", 2) == 0 && strcmp(name + 2, wanted + 1) == 0);
}

static void take_section(struct pt_dies *d, Elf_Scn *scn, GElf_Shdr *sh, const char *name)
{
	uint64_t unpacked = pt_dwarf_unpacked_bytes(scn, sh, name);
	Elf_Data *data;

	for (size_t i = 0; i < PT_DIES_N_SECTIONS; i++) {
		if (!is_called(name, section_names[i]) || d->section[i].bytes != NULL || sh->sh_type == SHT_NOBITS)
			continue;
		/* what unpacks to more than a file may have is not for us */
		if (unpacked > MAX_UNPACKED_BYTES)
			continue;
		if (unpacked > 0 &&
		    ((sh->sh_flags & SHF_COMPRESSED) != 0 ? elf_compress(scn, 0, 0) : elf_compress_gnu(scn, 0, 0)) < 0)
			continue;
		data = elf_rawdata(scn, NULL);
		if (data != NULL && data->d_buf != NULL)
			d->section[i] = (struct pt_dies_span){ data->d_buf, data->d_size };
	}
}

static void find_sections(struct pt_dies *d)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	size_t names;

	if (elf_getshdrstrndx(d->elf, &names) != 0)
		return;
	while ((scn = elf_nextscn(d->elf, scn)) != NULL) {
		const char *name = gelf_getshdr(scn, &sh) != NULL ? elf_strptr(d->elf, names, sh.sh_name) : NULL;

		if (name != NULL)
			take_section(d, scn, &sh, name);
	}
}

struct pt_dies *pt_dies_new(const uint8_t *elf_bytes, size_t len_bytes)
{
	struct pt_dies *d = pt_alloc(sizeof(*d));
	GElf_Ehdr header;

	d->elf = pt_elf_memory(elf_bytes, len_bytes, &d->copy);
	if (d->elf != NULL && gelf_getehdr(d->elf, &header) != NULL) {
		d->big_endian = header.e_ident[EI_DATA] == ELFDATA2MSB;
		find_sections(d);
		for (size_t i = 0; i < PT_DIES_N_SECTIONS; i++)
			if (d->section[i].bytes == NULL)
				d->section[i].bytes = nothing;
		find_units(d, PT_DIES_INFO);
		find_units(d, PT_DIES_TYPES);
		find_signatures(d);
	}
	if (d->n_units == 0) {
		pt_dies_free(d);
		return NULL;
	}
	return d;
}

void pt_dies_free(struct pt_dies *d)
{
	if (d == NULL)
		return;
	for (size_t i = 0; i < PT_DIES_TABLE_SLOTS; i++)
		while (d->tables[i] != NULL) {
			struct pt_abbrev_table *table = d->tables[i];

			d->tables[i] = table->next;
			free(table);
		}
	free(d->units);
	free(d->abbrevs);
	free(d->attrs);
	free(d->signatures);
	elf_end(d->elf);
	free(d->copy);
	free(d);
}

size_t pt_dies_n_units(const struct pt_dies *d)
{
	return d->n_units;
}
