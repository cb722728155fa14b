/* Memory that lives as long as the types of a program, up to a bound. */
#include <stdlib.h>

#include "program/dwarf/types_parts.h"

enum { BLOCK_BYTES = 64 << 10 };

struct pt_types_block {
	struct pt_types_block *next;
	size_t used_bytes, room_bytes;
	_Alignas(16) uint8_t bytes[];
};

void *pt_types_take(struct pt_types *types, size_t bytes)
{
	struct pt_types_block *block = types->blocks;
	void *taken;

	bytes = (bytes + 15) & ~(size_t)15;
	if (bytes > PT_TYPES_MAX_MEMORY_BYTES - types->used_bytes)
		return NULL;
	if (block == NULL || bytes > block->room_bytes - block->used_bytes) {
		size_t room = bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES;

		block = calloc(1, sizeof(*block) + room);
		if (block == NULL)
			return NULL;
		block->room_bytes = room;
		block->next = types->blocks;
		types->blocks = block;
	}
	taken = block->bytes + block->used_bytes;
	block->used_bytes += bytes;
	types->used_bytes += bytes;
	return taken;
}

void pt_types_free_taken(struct pt_types *types)
{
	while (types->blocks != NULL) {
		struct pt_types_block *block = types->blocks;

		types->blocks = block->next;
		free(block);
	}
}
