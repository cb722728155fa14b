#include "profile/stats/histogram_memory.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bigmem.h"

void pt_histogram_memory_init(struct pt_histogram_memory *room, size_t bytes)
{
	*room = (struct pt_histogram_memory){ .memory = pt_big_alloc(1, bytes), .room_bytes = bytes };
}

void pt_histogram_memory_touch(const struct pt_histogram_memory *room)
{
	if (room->used_bytes > 0)
		pt_big_touch(room->memory, room->room_bytes);
}

void pt_histogram_memory_fini(struct pt_histogram_memory *room)
{
	pt_big_free(room->memory, room->room_bytes);
	*room = (struct pt_histogram_memory){ 0 };
}

static bool is_own(const struct pt_histogram_memory *room, const void *memory)
{
	return room != NULL && (uintptr_t)memory - (uintptr_t)room->memory < room->room_bytes;
}

void *pt_histogram_memory_take(struct pt_histogram_memory *room, size_t bytes)
{
	void **list, *piece;

	if (room == NULL)
		return pt_alloc(bytes);
	list = &room->given_back[bytes / PT_HISTROOM_PIECE];
	piece = *list;
	if (piece != NULL) {
		memcpy(list, piece, sizeof(*list));
		return memset(piece, 0, bytes);
	}
	if (bytes > room->room_bytes - room->used_bytes)
		return pt_alloc(bytes);
	piece = room->memory + room->used_bytes;
	room->used_bytes += bytes;
	return piece;
}

void pt_histogram_memory_give(struct pt_histogram_memory *room, void *memory, size_t bytes)
{
	void **list;

	if (!is_own(room, memory)) {
		free(memory);
		return;
	}
	list = &room->given_back[bytes / PT_HISTROOM_PIECE];
	memcpy(memory, list, sizeof(*list));
	*list = memory;
}
