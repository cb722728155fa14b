/* The entries of .debug_info (and .debug_types), read in the order of the file. Our own reader instead of libdw's,
 * since files come from strangers: it never follows DW_AT_sibling and never walks back, so that a pass over all
 * entries takes time in proportion to the file, whatever the file says. For the files of this folder.
 *
 * Source: DWARF 4, 7.5 (units, abbreviations, forms); DWARF 5, 7.5 and 7.26 (str_offsets), 7.27 (addr). */
#ifndef PT_PROGRAM_DIES_H
#define PT_PROGRAM_DIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct Elf;
struct pt_dies;		/* opaque; one thread at a time; what it hands out lives as long as it does */

/* Reads the ELF file in memory, which must stay; NULL: no debug information that could be read, or no memory. */
struct pt_dies *pt_dies_new(const uint8_t *elf_bytes, size_t len_bytes);
void pt_dies_free(struct pt_dies *dies);	/* NULL is fine */
size_t pt_dies_n_units(const struct pt_dies *dies);

/* An entry. Its key is a number that never changes and is larger for what stands later; 0 is none. */
struct pt_die {
	uint64_t key;
	uint32_t unit;
	uint16_t tag;			/* DW_TAG_* */
	bool children;
	uint32_t abbrev;		/* inside */
	const uint8_t *attrs;
};

/* What an entry says, as far as anybody here asks. References are keys. */
struct pt_die_attrs {
	const char *name;		/* NULL: none */
	uint64_t type, specification, origin, signature;
	uint64_t byte_size, bit_size, bit_offset, data_bit_offset, upper_bound, count, low_pc, location;
	uint64_t member_offset;		/* DW_AT_data_member_location; 0 without one */
	uint64_t const_value;		/* sign-extended where the form has a sign */
	const uint8_t *const_block;	/* a constant given as bytes of the target */
	size_t const_block_bytes;
	uint16_t encoding;		/* DW_ATE_*; 0: none */
	bool has_byte_size, has_bit_size, has_bit_offset, has_data_bit_offset, has_upper_bound, has_count, has_low_pc;
	bool has_location;		/* location is a fixed address */
	bool moves;			/* there is a location, but no fixed address (register, stack, thread) */
	bool has_const, declaration, external;
};

/* The first entry of a unit: the unit itself. False: it makes no sense. */
bool pt_dies_unit(struct pt_dies *dies, size_t unit, struct pt_die *die);
bool pt_dies_at(struct pt_dies *dies, uint64_t key, struct pt_die *die);
void pt_die_read(struct pt_dies *dies, const struct pt_die *die, struct pt_die_attrs *attrs);
/* The entry that stands behind die in its unit, at any depth; *depth counts along: a child is one deeper. False: that
 * was the last one, or the rest makes no sense. */
bool pt_die_next(struct pt_dies *dies, struct pt_die *die, int *depth);

#endif
