/* Units, abbreviations and attributes of .debug_info. Every read goes through a cursor that cannot leave its section;
 * a cursor that would is at its end and reads zeros, and whoever used it gives up. */
#include "program/dies.h"

#include <dwarf.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "util.h"

enum { MAX_UNITS = 1 << 17, MAX_ABBREVS = 1 << 20, MAX_ABBREV_ATTRS = 1 << 22, TABLE_SLOTS = 1 << 12,
	MAX_UNPACKED_BYTES = 128 << 20 };

enum section { INFO, TYPES, ABBREV, STR, LINE_STR, STR_OFFSETS, ADDR, N_SECTIONS };
static const char *const section_names[] = {
	".debug_info", ".debug_types", ".debug_abbrev", ".debug_str", ".debug_line_str", ".debug_str_offsets",
	".debug_addr",
};

struct span { const uint8_t *bytes; size_t len_bytes; };

struct abbrev_attr { uint16_t at, form; int64_t implicit; };
struct abbrev { uint64_t code; uint32_t first_attr, n_attrs; uint16_t tag; bool children; };
/* The abbreviations of the units that name one offset in .debug_abbrev, by code. */
struct table { uint64_t offset; uint32_t first, n; struct table *next; };

struct unit {
	uint64_t key, end;		/* of the header; behind the last entry */
	uint64_t first, type_die, signature;
	uint64_t abbrev_offset, str_offsets_base, addr_base;
	const struct table *table;
	uint16_t version;
	uint8_t address_bytes, offset_bytes;
	bool ready, bad;
};

struct pt_dies {
	Elf *elf;
	struct span section[N_SECTIONS];
	bool big_endian;
	struct unit *units;
	struct abbrev *abbrevs;
	struct abbrev_attr *attrs;
	size_t n_units, n_abbrevs, n_attrs, room_units, room_abbrevs, room_attrs;
	struct table *tables[TABLE_SLOTS];
};

/* --- reading ------------------------------------------------------------------------------------------------------ */

static const uint8_t nothing[1];	/* what a missing section has */

struct cursor { const uint8_t *at, *end; bool big_endian, failed; };

static uint64_t number(struct cursor *c, size_t len_bytes)
{
	uint64_t value = 0;

	if (len_bytes > 8 || len_bytes > (size_t)(c->end - c->at)) {
		c->failed = true;
		c->at = c->end;
		return 0;
	}
	for (size_t i = 0; i < len_bytes; i++)
		value |= (uint64_t)c->at[i] << 8 * (c->big_endian ? len_bytes - 1 - i : i);
	c->at += len_bytes;
	return value;
}

static uint64_t uleb(struct cursor *c)
{
	uint64_t value = 0;

	for (unsigned shift = 0;; shift += 7) {
		uint64_t byte = number(c, 1);

		if (shift < 64)
			value |= (byte & 0x7f) << shift;
		if (c->failed || (byte & 0x80) == 0)
			return value;
	}
}

static int64_t sleb(struct cursor *c)
{
	uint64_t value = 0;
	unsigned shift = 0;
	uint64_t byte;

	do {
		byte = number(c, 1);
		if (shift < 64)
			value |= (byte & 0x7f) << shift;
		shift += 7;
	} while (!c->failed && (byte & 0x80) != 0);
	if (shift < 64 && (byte & 0x40) != 0)
		value |= UINT64_MAX << shift;
	return (int64_t)value;
}

static const uint8_t *skip(struct cursor *c, uint64_t len_bytes)
{
	const uint8_t *at = c->at;

	if (len_bytes > (size_t)(c->end - c->at)) {
		c->failed = true;
		c->at = c->end;
		return NULL;
	}
	c->at += len_bytes;
	return at;
}

static const char *text(struct cursor *c)
{
	const char *at = (const char *)c->at;
	const uint8_t *nul = memchr(c->at, 0, (size_t)(c->end - c->at));

	if (nul == NULL) {
		c->failed = true;
		c->at = c->end;
		return NULL;
	}
	c->at = nul + 1;
	return at;
}

static struct cursor cursor_at(const struct pt_dies *d, enum section section, uint64_t offset)
{
	const struct span *s = &d->section[section];
	struct cursor c = { s->bytes, s->bytes + s->len_bytes, d->big_endian, false };

	if (offset > s->len_bytes)
		c.failed = true;
	c.at = c.failed ? c.end : c.at + offset;
	return c;
}

static const char *text_at(const struct pt_dies *d, enum section section, uint64_t offset)
{
	struct cursor c = cursor_at(d, section, offset);

	return c.failed ? NULL : text(&c);
}

/* .debug_types stands behind .debug_info in one row of keys; key 0 is no entry, a header stands there. */
static struct cursor cursor_of_key(const struct pt_dies *d, uint64_t key, uint64_t end)
{
	enum section section = key >= d->section[INFO].len_bytes ? TYPES : INFO;
	uint64_t base = section == TYPES ? d->section[INFO].len_bytes : 0;
	struct cursor c = cursor_at(d, section, key - base);

	if (!c.failed && end > key && end - key <= (size_t)(c.end - c.at))
		c.end = c.at + (end - key);
	return c;
}

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

static bool read_abbrev_attrs(struct pt_dies *d, struct cursor *c, struct abbrev *abbrev)
{
	abbrev->first_attr = (uint32_t)d->n_attrs;
	for (;;) {
		uint64_t at = uleb(c), form = uleb(c);
		int64_t implicit = form == DW_FORM_implicit_const ? sleb(c) : 0;

		if (c->failed)
			return false;
		if (at == 0 && form == 0)
			return true;
		if (!grow((void **)&d->attrs, &d->room_attrs, d->n_attrs, MAX_ABBREV_ATTRS, sizeof(*d->attrs)))
			return false;
		d->attrs[d->n_attrs++] = (struct abbrev_attr){
			at <= UINT16_MAX ? (uint16_t)at : 0, form <= UINT16_MAX ? (uint16_t)form : 0, implicit,
		};
		abbrev->n_attrs++;
	}
}

static int by_code(const void *a, const void *b)
{
	const struct abbrev *x = a, *y = b;

	return x->code < y->code ? -1 : x->code > y->code;
}

static bool read_abbrevs(struct pt_dies *d, struct table *table)
{
	struct cursor c = cursor_at(d, ABBREV, table->offset);

	table->first = (uint32_t)d->n_abbrevs;
	for (;;) {
		struct abbrev abbrev = { .code = uleb(&c) };

		if (c.failed)
			return false;
		if (abbrev.code == 0)
			break;
		abbrev.tag = (uint16_t)uleb(&c);
		abbrev.children = number(&c, 1) != 0;
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
static const struct table *find_table(struct pt_dies *d, uint64_t offset)
{
	struct table **slot = &d->tables[offset * 2654435761u % TABLE_SLOTS];
	struct table *table;

	for (table = *slot; table != NULL; table = table->next)
		if (table->offset == offset)
			return table;
	table = calloc(1, sizeof(*table));
	if (table == NULL)
		return NULL;
	table->offset = offset;
	table->next = *slot;
	*slot = table;
	if (!read_abbrevs(d, table))
		table->n = 0;
	return table;
}

/* Compilers number them from 1 without holes: the guess nearly always hits. */
static const struct abbrev *find_abbrev(const struct pt_dies *d, const struct unit *unit, uint64_t code)
{
	struct abbrev key = { .code = code };
	const struct abbrev *first;

	if (unit->table->n == 0)
		return NULL;
	first = d->abbrevs + unit->table->first;
	if (code - 1 < unit->table->n && first[code - 1].code == code)
		return &first[code - 1];
	return bsearch(&key, first, unit->table->n, sizeof(key), by_code);
}

/* --- units -------------------------------------------------------------------------------------------------------- */

static bool plausible(const struct unit *u)
{
	return u->version >= 2 && u->version <= 5 && u->address_bytes >= 1 && u->address_bytes <= 8 &&
	       u->first < u->end;
}

/* What stands between length and entries. DWARF 5, 7.5.1; DWARF 4, 7.5.1. */
static void read_header(struct unit *u, struct cursor *c, uint64_t at_key, const uint8_t *start, bool types)
{
	unsigned kind = types ? DW_UT_type : DW_UT_compile;

	u->version = (uint16_t)number(c, 2);
	if (u->version >= 5) {
		kind = (unsigned)number(c, 1);
		u->address_bytes = (uint8_t)number(c, 1);
		u->abbrev_offset = number(c, u->offset_bytes);
	} else {
		u->abbrev_offset = number(c, u->offset_bytes);
		u->address_bytes = (uint8_t)number(c, 1);
	}
	if (kind == DW_UT_skeleton || kind == DW_UT_split_compile)
		number(c, 8);
	if (kind == DW_UT_type || kind == DW_UT_split_type) {
		u->signature = number(c, 8);
		u->type_die = u->key + number(c, u->offset_bytes);
	}
	u->first = at_key + (uint64_t)(c->at - start);
}

static bool add_unit(struct pt_dies *d, struct cursor *c, uint64_t key, bool types)
{
	const uint8_t *start = c->at;
	struct unit u = { .key = key, .offset_bytes = 4 };
	uint64_t length = number(c, 4);

	if (length == UINT32_MAX) {
		u.offset_bytes = 8;
		length = number(c, 8);
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

static void find_units(struct pt_dies *d, enum section section)
{
	uint64_t base = section == TYPES ? d->section[INFO].len_bytes : 0;
	struct cursor c = cursor_at(d, section, 0);

	while (c.at < c.end)
		if (!add_unit(d, &c, base + (uint64_t)(c.at - d->section[section].bytes), section == TYPES))
			break;
}

/* The unit that key lies in. */
static struct unit *unit_of(struct pt_dies *d, uint64_t key)
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

/* A type unit by its signature: there are few, where there are any. */
static uint64_t by_signature(const struct pt_dies *d, uint64_t signature)
{
	for (size_t i = 0; i < d->n_units; i++)
		if (d->units[i].signature == signature && d->units[i].type_die != 0)
			return d->units[i].type_die;
	return 0;
}

/* --- attributes --------------------------------------------------------------------------------------------------- */

struct value {
	enum { NOTHING, NUMBER, SIGNED, TEXT, BLOCK, REFERENCE, ADDRESS } kind;
	uint64_t number;		/* NUMBER, SIGNED (sign-extended), REFERENCE (key), ADDRESS */
	const char *text;
	const uint8_t *block;
	size_t block_bytes;
};

static uint64_t indexed_address(const struct pt_dies *d, const struct unit *u, uint64_t index, bool *known)
{
	struct cursor c = cursor_at(d, ADDR, u->addr_base);
	uint64_t addr;

	skip(&c, index <= SIZE_MAX / 8 ? index * u->address_bytes : UINT64_MAX);
	addr = number(&c, u->address_bytes);
	*known = !c.failed;
	return addr;
}

static const char *indexed_text(const struct pt_dies *d, const struct unit *u, uint64_t index)
{
	struct cursor c = cursor_at(d, STR_OFFSETS, u->str_offsets_base);
	uint64_t offset;

	skip(&c, index <= SIZE_MAX / 8 ? index * u->offset_bytes : UINT64_MAX);
	offset = number(&c, u->offset_bytes);
	return c.failed ? NULL : text_at(d, STR, offset);
}

static void take_block(struct cursor *c, struct value *v, uint64_t len_bytes)
{
	v->block = skip(c, len_bytes);
	v->block_bytes = v->block != NULL ? (size_t)len_bytes : 0;
	v->kind = v->block != NULL ? BLOCK : NOTHING;
}

static void take_text(struct value *v, const char *found)
{
	v->text = found;
	v->kind = found != NULL ? TEXT : NOTHING;
}

static void take_number(struct value *v, uint64_t found, int kind)
{
	v->number = found;
	v->kind = kind;
}

static void take_signed(struct value *v, int64_t found)
{
	take_number(v, (uint64_t)found, SIGNED);
}

/* References inside a unit count from its header; over units from the start of .debug_info. 0 is nowhere. */
static void take_reference(const struct unit *u, struct value *v, uint64_t offset, bool in_unit)
{
	if (!in_unit || offset < u->end - u->key)
		take_number(v, in_unit ? u->key + offset : offset, REFERENCE);
}

static void take_address(const struct pt_dies *d, const struct unit *u, struct value *v, uint64_t index)
{
	bool known;
	uint64_t addr = indexed_address(d, u, index, &known);

	take_number(v, addr, known ? ADDRESS : NOTHING);
}

/* Forms that only hold a number or a position. */
static bool read_simple_form(struct cursor *c, struct value *v, unsigned form)
{
	switch (form) {
	case DW_FORM_data1: take_number(v, number(c, 1), NUMBER); return true;
	case DW_FORM_data2: take_number(v, number(c, 2), NUMBER); return true;
	case DW_FORM_data4: take_number(v, number(c, 4), NUMBER); return true;
	case DW_FORM_data8: take_number(v, number(c, 8), NUMBER); return true;
	case DW_FORM_udata: take_number(v, uleb(c), NUMBER); return true;
	case DW_FORM_sdata: take_signed(v, sleb(c)); return true;
	case DW_FORM_flag: take_number(v, number(c, 1), NUMBER); return true;
	case DW_FORM_flag_present: take_number(v, 1, NUMBER); return true;
	case DW_FORM_loclistx: case DW_FORM_rnglistx: take_number(v, uleb(c), NOTHING); return true;
	case DW_FORM_data16: take_block(c, v, 16); return true;
	case DW_FORM_block1: take_block(c, v, number(c, 1)); return true;
	case DW_FORM_block2: take_block(c, v, number(c, 2)); return true;
	case DW_FORM_block4: take_block(c, v, number(c, 4)); return true;
	case DW_FORM_block: case DW_FORM_exprloc: take_block(c, v, uleb(c)); return true;
	case DW_FORM_string: take_text(v, text(c)); return true;
	default: return false;
	}
}

/* Forms whose width or meaning is the unit's. False: an unknown form, nothing behind it can be read. */
static bool read_form(const struct pt_dies *d, const struct unit *u, struct cursor *c, struct value *v, unsigned form,
		      int64_t implicit)
{
	if (read_simple_form(c, v, form))
		return true;
	switch (form) {
	case DW_FORM_addr: take_number(v, number(c, u->address_bytes), ADDRESS); return true;
	case DW_FORM_addrx: take_address(d, u, v, uleb(c)); return true;
	case DW_FORM_addrx1: take_address(d, u, v, number(c, 1)); return true;
	case DW_FORM_addrx2: take_address(d, u, v, number(c, 2)); return true;
	case DW_FORM_addrx3: take_address(d, u, v, number(c, 3)); return true;
	case DW_FORM_addrx4: take_address(d, u, v, number(c, 4)); return true;
	case DW_FORM_ref1: take_reference(u, v, number(c, 1), true); return true;
	case DW_FORM_ref2: take_reference(u, v, number(c, 2), true); return true;
	case DW_FORM_ref4: take_reference(u, v, number(c, 4), true); return true;
	case DW_FORM_ref8: take_reference(u, v, number(c, 8), true); return true;
	case DW_FORM_ref_udata: take_reference(u, v, uleb(c), true); return true;
	case DW_FORM_ref_addr:
		take_reference(u, v, number(c, u->version == 2 ? u->address_bytes : u->offset_bytes), false);
		return true;
	case DW_FORM_ref_sig8: take_number(v, by_signature(d, number(c, 8)), REFERENCE); return true;
	case DW_FORM_strp: take_text(v, text_at(d, STR, number(c, u->offset_bytes))); return true;
	case DW_FORM_line_strp: take_text(v, text_at(d, LINE_STR, number(c, u->offset_bytes))); return true;
	case DW_FORM_strx: take_text(v, indexed_text(d, u, uleb(c))); return true;
	case DW_FORM_strx1: take_text(v, indexed_text(d, u, number(c, 1))); return true;
	case DW_FORM_strx2: take_text(v, indexed_text(d, u, number(c, 2))); return true;
	case DW_FORM_strx3: take_text(v, indexed_text(d, u, number(c, 3))); return true;
	case DW_FORM_strx4: take_text(v, indexed_text(d, u, number(c, 4))); return true;
	case DW_FORM_sec_offset: take_number(v, number(c, u->offset_bytes), NOTHING); return true;
	case DW_FORM_implicit_const: take_signed(v, implicit); return true;
	/* in another file, which we do not have */
	case DW_FORM_strp_sup:
	case DW_FORM_GNU_strp_alt:
	case DW_FORM_GNU_ref_alt:
		number(c, u->offset_bytes);
		return true;
	case DW_FORM_ref_sup4: number(c, 4); return true;
	case DW_FORM_ref_sup8: number(c, 8); return true;
	default: return false;
	}
}

static struct cursor cursor_of_block(const struct pt_dies *d, const struct value *v)
{
	const uint8_t *block = v->kind == BLOCK ? v->block : nothing;

	return (struct cursor){ block, block + (v->kind == BLOCK ? v->block_bytes : 0), d->big_endian, false };
}

/* A location that is one fixed address: DW_OP_addr, and what compilers write behind it. */
static void read_location(const struct pt_dies *d, const struct unit *u, const struct value *v, struct pt_die_attrs *a)
{
	struct cursor c = cursor_of_block(d, v);
	uint64_t op = number(&c, 1);
	bool known = true;

	a->moves = true;
	if (op == DW_OP_addr)
		a->location = number(&c, u->address_bytes);
	else if (op == DW_OP_addrx || op == DW_OP_GNU_addr_index)
		a->location = indexed_address(d, u, uleb(&c), &known);
	else
		known = false;
	if (known && c.at < c.end && *c.at == DW_OP_plus_uconst) {
		c.at++;
		a->location += uleb(&c);
	}
	if (!known || c.failed || c.at != c.end)
		return;
	a->has_location = true;
	a->moves = false;
}

static void read_member_offset(const struct pt_dies *d, const struct value *v, struct pt_die_attrs *a)
{
	struct cursor c = cursor_of_block(d, v);

	if (v->kind == NUMBER || v->kind == SIGNED)
		a->member_offset = v->number;
	else if (number(&c, 1) == DW_OP_plus_uconst)
		a->member_offset = uleb(&c);
}

static void read_constant(const struct value *v, struct pt_die_attrs *a)
{
	a->has_const = v->kind == NUMBER || v->kind == SIGNED || v->kind == BLOCK;
	a->const_value = v->number;
	a->const_block = v->block;
	a->const_block_bytes = v->block_bytes;
}

static bool is_number(const struct value *v)
{
	return v->kind == NUMBER || v->kind == SIGNED;
}

static void set(const struct value *v, uint64_t *number_out, bool *has)
{
	*has = is_number(v);
	*number_out = v->number;
}

static void put(const struct pt_dies *d, const struct unit *u, struct pt_die_attrs *a, unsigned at,
		const struct value *v)
{
	uint64_t reference = v->kind == REFERENCE ? v->number : 0;

	switch (at) {
	case DW_AT_name: a->name = v->kind == TEXT ? v->text : NULL; break;
	case DW_AT_type: a->type = reference; break;
	case DW_AT_specification: a->specification = reference; break;
	case DW_AT_abstract_origin: a->origin = reference; break;
	case DW_AT_signature: a->signature = reference; break;
	case DW_AT_byte_size: set(v, &a->byte_size, &a->has_byte_size); break;
	case DW_AT_bit_size: set(v, &a->bit_size, &a->has_bit_size); break;
	case DW_AT_bit_offset: set(v, &a->bit_offset, &a->has_bit_offset); break;
	case DW_AT_data_bit_offset: set(v, &a->data_bit_offset, &a->has_data_bit_offset); break;
	case DW_AT_upper_bound: set(v, &a->upper_bound, &a->has_upper_bound); break;
	case DW_AT_count: set(v, &a->count, &a->has_count); break;
	case DW_AT_encoding: a->encoding = (uint16_t)v->number; break;
	case DW_AT_data_member_location: read_member_offset(d, v, a); break;
	case DW_AT_const_value: read_constant(v, a); break;
	case DW_AT_location: read_location(d, u, v, a); break;
	case DW_AT_declaration: a->declaration = v->number != 0; break;
	case DW_AT_external: a->external = v->number != 0; break;
	case DW_AT_low_pc:
		a->has_low_pc = v->kind == ADDRESS;
		a->low_pc = v->number;
		break;
	default: break;
	}
}

/* All attributes of an entry in one pass; a may be NULL. Returns what stands behind them, NULL: damaged. */
static const uint8_t *read_attrs(const struct pt_dies *d, const struct pt_die *die, struct pt_die_attrs *a)
{
	const struct unit *u = &d->units[die->unit];
	const struct abbrev *abbrev = &d->abbrevs[die->abbrev];
	struct cursor c = cursor_of_key(d, die->key, u->end);

	c.at = die->attrs;
	for (uint32_t i = 0; i < abbrev->n_attrs; i++) {
		const struct abbrev_attr *attr = &d->attrs[abbrev->first_attr + i];
		struct value v = { .kind = NOTHING };
		unsigned form = attr->form;

		if (form == DW_FORM_indirect)
			form = (unsigned)uleb(&c);
		if (!read_form(d, u, &c, &v, form, attr->implicit) || c.failed)
			return NULL;
		if (a != NULL)
			put(d, u, a, attr->at, &v);
	}
	return c.at;
}

/* The bases that strings and addresses of a unit count from are attributes of its first entry. */
static void read_bases(struct pt_dies *d, struct unit *u, const struct pt_die *die)
{
	const struct abbrev *abbrev = &d->abbrevs[die->abbrev];
	struct cursor c = cursor_of_key(d, die->key, u->end);

	u->str_offsets_base = 2u * u->offset_bytes;	/* behind the header of the first contribution */
	u->addr_base = u->version >= 5 ? 8 : 0;
	c.at = die->attrs;
	for (uint32_t i = 0; i < abbrev->n_attrs; i++) {
		const struct abbrev_attr *attr = &d->attrs[abbrev->first_attr + i];
		struct value v = { .kind = NOTHING };

		if (!read_form(d, u, &c, &v, attr->form, attr->implicit) || c.failed)
			return;
		if (attr->at == DW_AT_str_offsets_base)
			u->str_offsets_base = v.number;
		else if (attr->at == DW_AT_addr_base || attr->at == DW_AT_GNU_addr_base)
			u->addr_base = v.number;
	}
}

/* --- entries ------------------------------------------------------------------------------------------------------ */

static bool entry_at(struct pt_dies *d, struct unit *u, struct cursor *c, uint64_t key, struct pt_die *die)
{
	uint64_t code = uleb(c);
	const struct abbrev *abbrev = c->failed || code == 0 ? NULL : find_abbrev(d, u, code);

	if (abbrev == NULL)
		return false;
	*die = (struct pt_die){
		.key = key, .unit = (uint32_t)(u - d->units), .tag = abbrev->tag, .children = abbrev->children,
		.abbrev = (uint32_t)(abbrev - d->abbrevs), .attrs = c->at,
	};
	return true;
}

static bool prepare(struct pt_dies *d, struct unit *u)
{
	struct cursor c;
	struct pt_die die;

	if (u->ready || u->bad)
		return u->ready;
	u->table = find_table(d, u->abbrev_offset);
	c = cursor_of_key(d, u->first, u->end);
	if (u->table == NULL || !entry_at(d, u, &c, u->first, &die)) {
		u->bad = true;
		return false;
	}
	read_bases(d, u, &die);
	u->ready = true;
	return true;
}

bool pt_dies_at(struct pt_dies *d, uint64_t key, struct pt_die *die)
{
	struct unit *u = key != 0 ? unit_of(d, key) : NULL;
	struct cursor c;

	if (u == NULL || !prepare(d, u))
		return false;
	c = cursor_of_key(d, key, u->end);
	return entry_at(d, u, &c, key, die);
}

bool pt_dies_unit(struct pt_dies *d, size_t unit, struct pt_die *die)
{
	return unit < d->n_units && pt_dies_at(d, d->units[unit].first, die);
}

void pt_die_read(struct pt_dies *d, const struct pt_die *die, struct pt_die_attrs *attrs)
{
	*attrs = (struct pt_die_attrs){ 0 };
	read_attrs(d, die, attrs);
}

bool pt_die_next(struct pt_dies *d, struct pt_die *die, int *depth)
{
	struct unit *u = &d->units[die->unit];
	struct cursor c = cursor_of_key(d, die->key, u->end);
	const uint8_t *start = c.at, *behind = read_attrs(d, die, NULL);

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

static void take_section(struct pt_dies *d, Elf_Scn *scn, GElf_Shdr *sh, const char *name)
{
	Elf_Data *data;

	for (size_t i = 0; i < N_SECTIONS; i++) {
		if (strcmp(name, section_names[i]) != 0 || d->section[i].bytes != NULL || sh->sh_type == SHT_NOBITS)
			continue;
		/* what unpacks to more than a file may have is not for us */
		if ((sh->sh_flags & SHF_COMPRESSED) != 0) {
			GElf_Chdr packed;

			if (gelf_getchdr(scn, &packed) == NULL || packed.ch_size > MAX_UNPACKED_BYTES ||
			    elf_compress(scn, 0, 0) < 0)
				continue;
		}
		data = elf_getdata(scn, NULL);
		if (data != NULL && data->d_buf != NULL)
			d->section[i] = (struct span){ data->d_buf, data->d_size };
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
	struct pt_dies *d = calloc(1, sizeof(*d));
	GElf_Ehdr header;

	if (d == NULL)
		return NULL;
	elf_version(EV_CURRENT);
	/* libelf writes to this memory only when it is asked to update, which nobody does */
	d->elf = elf_memory((char *)(uintptr_t)elf_bytes, len_bytes);
	if (d->elf != NULL && gelf_getehdr(d->elf, &header) != NULL) {
		d->big_endian = header.e_ident[EI_DATA] == ELFDATA2MSB;
		find_sections(d);
		for (size_t i = 0; i < N_SECTIONS; i++)
			if (d->section[i].bytes == NULL)
				d->section[i].bytes = nothing;
		find_units(d, INFO);
		find_units(d, TYPES);
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
	for (size_t i = 0; i < TABLE_SLOTS; i++)
		while (d->tables[i] != NULL) {
			struct table *table = d->tables[i];

			d->tables[i] = table->next;
			free(table);
		}
	free(d->units);
	free(d->abbrevs);
	free(d->attrs);
	elf_end(d->elf);
	free(d);
}

bool pt_dies_big_endian(const struct pt_dies *d)
{
	return d->big_endian;
}

size_t pt_dies_n_units(const struct pt_dies *d)
{
	return d->n_units;
}
