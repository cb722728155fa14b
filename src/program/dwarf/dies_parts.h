/* The inside of dies.h, for dies*.c: sections, units and abbreviations, and a cursor that cannot leave its section:
 * one that would is at its end and reads zeros, and its user gives up. */
#ifndef PT_PROGRAM_DIES_PARTS_H
#define PT_PROGRAM_DIES_PARTS_H

#include <gelf.h>
#include <string.h>

#include "program/dwarf/dies.h"

enum {
	PT_DIES_TABLE_SLOTS = 1 << 12,
	PT_DIES_MAX_TEXT_BYTES =
		4096, /* of a string elsewhere: many entries may name one, and each looks for its end */
	PT_CURSOR_MAX_SHIFT = 7 * 15, /* LEB128 numbers have no more bytes than 16, padding included */
};

enum pt_dies_section {
	PT_DIES_INFO,
	PT_DIES_TYPES,
	PT_DIES_ABBREV,
	PT_DIES_STR,
	PT_DIES_LINE_STR,
	PT_DIES_STR_OFFSETS,
	PT_DIES_ADDR,
	PT_DIES_N_SECTIONS
};

struct pt_dies_span { const uint8_t *bytes; size_t len_bytes; };

struct pt_abbrev_attr { uint16_t at, form; int64_t implicit; };
struct pt_abbrev { uint64_t code; uint32_t first_attr, n_attrs; uint16_t tag; bool children; };
/* The abbreviations of the units that name one offset in .debug_abbrev, by code. */
struct pt_abbrev_table { uint64_t offset; uint32_t first, n; struct pt_abbrev_table *next; };

struct pt_dies_unit_head {
	uint64_t key, end;		/* of the header; behind the last entry */
	uint64_t first, type_die, signature;
	uint64_t abbrev_offset, str_offsets_base, addr_base;
	const struct pt_abbrev_table *table;
	uint16_t version;
	uint8_t address_bytes, offset_bytes;
	bool ready, bad;
};

struct pt_dies_signature { uint64_t signature, type_die; };

struct pt_dies {
	Elf *elf;
	uint8_t *copy;			/* of a compressed ELF, that elf is open over (dwarf.h) */
	struct pt_dies_span section[PT_DIES_N_SECTIONS];
	bool big_endian;
	struct pt_dies_unit_head *units;
	struct pt_abbrev *abbrevs;
	struct pt_abbrev_attr *attrs;
	size_t n_units, n_abbrevs, n_attrs, room_units, room_abbrevs, room_attrs;
	struct pt_abbrev_table *tables[PT_DIES_TABLE_SLOTS];
	struct pt_dies_signature *signatures;	/* of type units, in order */
	size_t n_signatures;
};


struct pt_cursor { const uint8_t *at, *end; bool big_endian, failed; };

static inline uint64_t pt_cursor_number(struct pt_cursor *c, size_t len_bytes)
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

static inline uint64_t pt_cursor_uleb(struct pt_cursor *c)
{
	uint64_t value = 0;

	for (unsigned shift = 0;; shift += 7) {
		uint64_t byte = pt_cursor_number(c, 1);

		if (shift < 64)
			value |= (byte & 0x7f) << shift;
		if (shift > PT_CURSOR_MAX_SHIFT)
			c->failed = true;
		if (c->failed || (byte & 0x80) == 0)
			return value;
	}
}

static inline int64_t pt_cursor_sleb(struct pt_cursor *c)
{
	uint64_t value = 0;
	unsigned shift = 0;
	uint64_t byte;

	do {
		byte = pt_cursor_number(c, 1);
		if (shift < 64)
			value |= (byte & 0x7f) << shift;
		shift += 7;
	} while (!c->failed && (byte & 0x80) != 0 && shift <= PT_CURSOR_MAX_SHIFT + 7);
	if (shift > PT_CURSOR_MAX_SHIFT + 7)
		c->failed = true;
	if (shift < 64 && (byte & 0x40) != 0)
		value |= UINT64_MAX << shift;
	return (int64_t)value;
}

static inline const uint8_t *pt_cursor_skip(struct pt_cursor *c, uint64_t len_bytes)
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

static inline const char *pt_cursor_text(struct pt_cursor *c)
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

static inline struct pt_cursor pt_dies_cursor(const struct pt_dies *d, enum pt_dies_section section, uint64_t offset)
{
	const struct pt_dies_span *s = &d->section[section];
	struct pt_cursor c = { s->bytes, s->bytes + s->len_bytes, d->big_endian, false };

	if (offset > s->len_bytes)
		c.failed = true;
	c.at = c.failed ? c.end : c.at + offset;
	return c;
}

static inline const char *pt_dies_text(const struct pt_dies *d, enum pt_dies_section section, uint64_t offset)
{
	struct pt_cursor c = pt_dies_cursor(d, section, offset);

	if (c.end - c.at > PT_DIES_MAX_TEXT_BYTES)
		c.end = c.at + PT_DIES_MAX_TEXT_BYTES;
	return c.failed ? NULL : pt_cursor_text(&c);
}

/* .debug_types stands behind .debug_info in one row of keys; key 0 is no entry, a header stands there. */
static inline struct pt_cursor pt_dies_cursor_of_key(const struct pt_dies *d, uint64_t key, uint64_t end)
{
	enum pt_dies_section section = key >= d->section[PT_DIES_INFO].len_bytes ? PT_DIES_TYPES : PT_DIES_INFO;
	uint64_t base = section == PT_DIES_TYPES ? d->section[PT_DIES_INFO].len_bytes : 0;
	struct pt_cursor c = pt_dies_cursor(d, section, key - base);

	if (!c.failed && end > key && end - key <= (size_t)(c.end - c.at))
		c.end = c.at + (end - key);
	return c;
}

/* dies_forms.c. All attributes of an entry in one pass; a may be NULL. Returns what stands behind; NULL: damaged. */
const uint8_t *pt_dies_read_attrs(const struct pt_dies *d, const struct pt_die *die, struct pt_die_attrs *a);
/* The bases that strings and addresses of a unit count from are attributes of its first entry. */
void pt_dies_read_bases(struct pt_dies *d, struct pt_dies_unit_head *u, const struct pt_die *die);

#endif
