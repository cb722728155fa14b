/* What the attributes of an entry say: forms to values, values to struct pt_die_attrs. */
#include <dwarf.h>

#include "program/dwarf/dies_parts.h"

static uint64_t by_signature(const struct pt_dies *d, uint64_t signature)
{
	size_t low = 0, high = d->n_signatures;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (d->signatures[middle].signature < signature)
			low = middle + 1;
		else
			high = middle;
	}
	return low < d->n_signatures && d->signatures[low].signature == signature ? d->signatures[low].type_die : 0;
}

/* --- attributes --------------------------------------------------------------------------------------------------- */

struct value {
	enum { NOTHING, NUMBER, SIGNED, TEXT, BLOCK, REFERENCE, ADDRESS } kind;
	uint64_t number;		/* NUMBER, SIGNED (sign-extended), REFERENCE (key), ADDRESS */
	const char *text;
	const uint8_t *block;
	size_t block_bytes;
};

static uint64_t indexed_address(const struct pt_dies *d, const struct pt_dies_unit_head *u, uint64_t index, bool *known)
{
	struct pt_cursor c = pt_dies_cursor(d, PT_DIES_ADDR, u->addr_base);
	uint64_t addr;

	pt_cursor_skip(&c, index <= SIZE_MAX / 8 ? index * u->address_bytes : UINT64_MAX);
	addr = pt_cursor_number(&c, u->address_bytes);
	*known = !c.failed;
	return addr;
}

static const char *indexed_text(const struct pt_dies *d, const struct pt_dies_unit_head *u, uint64_t index)
{
	struct pt_cursor c = pt_dies_cursor(d, PT_DIES_STR_OFFSETS, u->str_offsets_base);
	uint64_t offset;

	pt_cursor_skip(&c, index <= SIZE_MAX / 8 ? index * u->offset_bytes : UINT64_MAX);
	offset = pt_cursor_number(&c, u->offset_bytes);
	return c.failed ? NULL : pt_dies_text(d, PT_DIES_STR, offset);
}

static void take_block(struct pt_cursor *c, struct value *v, uint64_t len_bytes)
{
	v->block = pt_cursor_skip(c, len_bytes);
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
static void take_reference(const struct pt_dies_unit_head *u, struct value *v, uint64_t offset, bool in_unit)
{
	if (!in_unit || offset < u->end - u->key)
		take_number(v, in_unit ? u->key + offset : offset, REFERENCE);
}

static void take_address(const struct pt_dies *d, const struct pt_dies_unit_head *u, struct value *v, uint64_t index)
{
	bool known;
	uint64_t addr = indexed_address(d, u, index, &known);

	take_number(v, addr, known ? ADDRESS : NOTHING);
}

/* Forms that only hold a number or a position. */
static bool read_simple_form(struct pt_cursor *c, struct value *v, unsigned form)
{
	switch (form) {
	case DW_FORM_data1: take_number(v, pt_cursor_number(c, 1), NUMBER); return true;
	case DW_FORM_data2: take_number(v, pt_cursor_number(c, 2), NUMBER); return true;
	case DW_FORM_data4: take_number(v, pt_cursor_number(c, 4), NUMBER); return true;
	case DW_FORM_data8: take_number(v, pt_cursor_number(c, 8), NUMBER); return true;
	case DW_FORM_udata: take_number(v, pt_cursor_uleb(c), NUMBER); return true;
	case DW_FORM_sdata: take_signed(v, pt_cursor_sleb(c)); return true;
	case DW_FORM_flag: take_number(v, pt_cursor_number(c, 1), NUMBER); return true;
	case DW_FORM_flag_present: take_number(v, 1, NUMBER); return true;
	case DW_FORM_loclistx: case DW_FORM_rnglistx: take_number(v, pt_cursor_uleb(c), NOTHING); return true;
	case DW_FORM_data16: take_block(c, v, 16); return true;
	case DW_FORM_block1: take_block(c, v, pt_cursor_number(c, 1)); return true;
	case DW_FORM_block2: take_block(c, v, pt_cursor_number(c, 2)); return true;
	case DW_FORM_block4: take_block(c, v, pt_cursor_number(c, 4)); return true;
	case DW_FORM_block: case DW_FORM_exprloc: take_block(c, v, pt_cursor_uleb(c)); return true;
	case DW_FORM_string: take_text(v, pt_cursor_text(c)); return true;
	default: return false;
	}
}

/* Forms whose width or meaning is the unit's. False: an unknown form, nothing behind it can be read. */
static bool read_form(const struct pt_dies *d, const struct pt_dies_unit_head *u, struct pt_cursor *c, struct value *v,
		      unsigned form, int64_t implicit)
{
	if (read_simple_form(c, v, form))
		return true;
	switch (form) {
	case DW_FORM_addr: take_number(v, pt_cursor_number(c, u->address_bytes), ADDRESS); return true;
	case DW_FORM_addrx: take_address(d, u, v, pt_cursor_uleb(c)); return true;
	case DW_FORM_addrx1: take_address(d, u, v, pt_cursor_number(c, 1)); return true;
	case DW_FORM_addrx2: take_address(d, u, v, pt_cursor_number(c, 2)); return true;
	case DW_FORM_addrx3: take_address(d, u, v, pt_cursor_number(c, 3)); return true;
	case DW_FORM_addrx4: take_address(d, u, v, pt_cursor_number(c, 4)); return true;
	case DW_FORM_ref1: take_reference(u, v, pt_cursor_number(c, 1), true); return true;
	case DW_FORM_ref2: take_reference(u, v, pt_cursor_number(c, 2), true); return true;
	case DW_FORM_ref4: take_reference(u, v, pt_cursor_number(c, 4), true); return true;
	case DW_FORM_ref8: take_reference(u, v, pt_cursor_number(c, 8), true); return true;
	case DW_FORM_ref_udata: take_reference(u, v, pt_cursor_uleb(c), true); return true;
	case DW_FORM_ref_addr:
		take_reference(u, v, pt_cursor_number(c, u->version == 2 ? u->address_bytes : u->offset_bytes), false);
		return true;
	case DW_FORM_ref_sig8: take_number(v, by_signature(d, pt_cursor_number(c, 8)), REFERENCE); return true;
	case DW_FORM_strp:
		take_text(v, pt_dies_text(d, PT_DIES_STR, pt_cursor_number(c, u->offset_bytes)));
		return true;
	case DW_FORM_line_strp:
		take_text(v, pt_dies_text(d, PT_DIES_LINE_STR, pt_cursor_number(c, u->offset_bytes)));
		return true;
	case DW_FORM_strx: take_text(v, indexed_text(d, u, pt_cursor_uleb(c))); return true;
	case DW_FORM_strx1: take_text(v, indexed_text(d, u, pt_cursor_number(c, 1))); return true;
	case DW_FORM_strx2: take_text(v, indexed_text(d, u, pt_cursor_number(c, 2))); return true;
	case DW_FORM_strx3: take_text(v, indexed_text(d, u, pt_cursor_number(c, 3))); return true;
	case DW_FORM_strx4: take_text(v, indexed_text(d, u, pt_cursor_number(c, 4))); return true;
	case DW_FORM_sec_offset: take_number(v, pt_cursor_number(c, u->offset_bytes), NOTHING); return true;
	case DW_FORM_implicit_const: take_signed(v, implicit); return true;
	/* in another file, which we do not have */
	case DW_FORM_strp_sup:
	case DW_FORM_GNU_strp_alt:
	case DW_FORM_GNU_ref_alt:
		pt_cursor_number(c, u->offset_bytes);
		return true;
	case DW_FORM_ref_sup4: pt_cursor_number(c, 4); return true;
	case DW_FORM_ref_sup8: pt_cursor_number(c, 8); return true;
	default: return false;
	}
}

static const uint8_t nothing[1];	/* what a value has that is no block */

static struct pt_cursor cursor_of_block(const struct pt_dies *d, const struct value *v)
{
	const uint8_t *block = v->kind == BLOCK ? v->block : nothing;

	return (struct pt_cursor){ block, block + (v->kind == BLOCK ? v->block_bytes : 0), d->big_endian, false };
}

/* A location that is one fixed address: DW_OP_addr, and what compilers write behind it. */
static void read_location(const struct pt_dies *d, const struct pt_dies_unit_head *u, const struct value *v,
			  struct pt_die_attrs *a)
{
	struct pt_cursor c = cursor_of_block(d, v);
	uint64_t op = pt_cursor_number(&c, 1);
	bool known = true;

	a->moves = true;
	if (op == DW_OP_addr)
		a->location = pt_cursor_number(&c, u->address_bytes);
	else if (op == DW_OP_addrx || op == DW_OP_GNU_addr_index)
		a->location = indexed_address(d, u, pt_cursor_uleb(&c), &known);
	else
		known = false;
	if (known && c.at < c.end && *c.at == DW_OP_plus_uconst) {
		c.at++;
		a->location += pt_cursor_uleb(&c);
	}
	if (!known || c.failed || c.at != c.end)
		return;
	a->has_location = true;
	a->moves = false;
}

static void read_member_offset(const struct pt_dies *d, const struct value *v, struct pt_die_attrs *a)
{
	struct pt_cursor c = cursor_of_block(d, v);

	if (v->kind == NUMBER || v->kind == SIGNED)
		a->member_offset = v->number;
	else if (pt_cursor_number(&c, 1) == DW_OP_plus_uconst)
		a->member_offset = pt_cursor_uleb(&c);
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

static void put(const struct pt_dies *d, const struct pt_dies_unit_head *u, struct pt_die_attrs *a, unsigned at,
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
const uint8_t *pt_dies_read_attrs(const struct pt_dies *d, const struct pt_die *die, struct pt_die_attrs *a)
{
	const struct pt_dies_unit_head *u = &d->units[die->unit];
	const struct pt_abbrev *abbrev = &d->abbrevs[die->abbrev];
	struct pt_cursor c = pt_dies_cursor_of_key(d, die->key, u->end);

	c.at = die->attrs;
	for (uint32_t i = 0; i < abbrev->n_attrs; i++) {
		const struct pt_abbrev_attr *attr = &d->attrs[abbrev->first_attr + i];
		struct value v = { .kind = NOTHING };
		unsigned form = attr->form;

		if (form == DW_FORM_indirect)
			form = (unsigned)pt_cursor_uleb(&c);
		if (!read_form(d, u, &c, &v, form, attr->implicit) || c.failed)
			return NULL;
		if (a != NULL)
			put(d, u, a, attr->at, &v);
	}
	return c.at;
}

/* The bases that strings and addresses of a unit count from are attributes of its first entry. */
void pt_dies_read_bases(struct pt_dies *d, struct pt_dies_unit_head *u, const struct pt_die *die)
{
	const struct pt_abbrev *abbrev = &d->abbrevs[die->abbrev];
	struct pt_cursor c = pt_dies_cursor_of_key(d, die->key, u->end);

	u->str_offsets_base = 2u * u->offset_bytes;	/* behind the header of the first contribution */
	u->addr_base = u->version >= 5 ? 8 : 0;
	c.at = die->attrs;
	for (uint32_t i = 0; i < abbrev->n_attrs; i++) {
		const struct pt_abbrev_attr *attr = &d->attrs[abbrev->first_attr + i];
		struct value v = { .kind = NOTHING };

		if (!read_form(d, u, &c, &v, attr->form, attr->implicit) || c.failed)
			return;
		if (attr->at == DW_AT_str_offsets_base)
			u->str_offsets_base = v.number;
		else if (attr->at == DW_AT_addr_base || attr->at == DW_AT_GNU_addr_base)
			u->addr_base = v.number;
	}
}
