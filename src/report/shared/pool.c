#include "report/shared/pool.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

enum { BLOCK_BYTES = 64 << 10, FIRST_ITEMS = 64 };

struct pt_pool_block {
	struct pt_pool_block *next;
	size_t used, room;
	alignas(max_align_t) unsigned char bytes[];
};

static void add_block(struct pt_pool *pool, size_t size)
{
	size_t room = size > BLOCK_BYTES ? size : BLOCK_BYTES;
	struct pt_pool_block *block = pt_alloc(sizeof(*block) + room);

	block->room = room;
	block->next = pool->blocks;
	pool->blocks = block;
}

void *pt_pool_take(struct pt_pool *pool, size_t size)
{
	void *taken;

	size = (size + alignof(max_align_t) - 1) & ~(alignof(max_align_t) - 1);
	if (pool->blocks == NULL || pool->blocks->room - pool->blocks->used < size)
		add_block(pool, size);
	taken = pool->blocks->bytes + pool->blocks->used;
	pool->blocks->used += size;
	return taken;
}

void pt_pool_free(struct pt_pool *pool)
{
	while (pool->blocks != NULL) {
		struct pt_pool_block *block = pool->blocks;

		pool->blocks = block->next;
		free(block);
	}
	*pool = (struct pt_pool){ 0 };
}

void pt_pool_append(struct pt_pool *pool, struct pt_pool_list *list, void *item)
{
	if (list->n == list->room) {
		size_t room = list->room != 0 ? 2 * list->room : FIRST_ITEMS;
		void **grown = pt_pool_take(pool, room * sizeof(*grown));

		if (list->n > 0)
			memcpy(grown, list->item, list->n * sizeof(*grown));
		list->item = grown;
		list->room = room;
	}
	list->item[list->n++] = item;
}

/* --- numbers */

struct pt_pool_slot { uint64_t key[3]; size_t number_plus_1; };	/* 0: free */

static size_t slot_of(const struct pt_pool_map *map, const uint64_t key[3])
{
	uint64_t h = key[0] * UINT64_C(0x9e3779b97f4a7c15) ^ key[1] * UINT64_C(0xbf58476d1ce4e5b9) ^ key[2];
	size_t at = (size_t)(h ^ h >> 32) & (map->room - 1);

	while (map->slot[at].number_plus_1 != 0 && memcmp(map->slot[at].key, key, sizeof(map->slot[at].key)) != 0)
		at = (at + 1) & (map->room - 1);
	return at;
}

static void grow(struct pt_pool *pool, struct pt_pool_map *map)
{
	struct pt_pool_map larger = { .n = map->n, .room = map->room != 0 ? 2 * map->room : FIRST_ITEMS };

	larger.slot = pt_pool_take(pool, larger.room * sizeof(*larger.slot));
	for (size_t i = 0; i < map->room; i++)
		if (map->slot[i].number_plus_1 != 0)
			larger.slot[slot_of(&larger, map->slot[i].key)] = map->slot[i];
	*map = larger;
}

size_t pt_pool_number(struct pt_pool *pool, struct pt_pool_map *map, const uint64_t key[3], bool *is_new)
{
	struct pt_pool_slot *slot;

	*is_new = false;
	if (2 * map->n >= map->room)
		grow(pool, map);
	slot = &map->slot[slot_of(map, key)];
	if (slot->number_plus_1 == 0) {
		*is_new = true;
		memcpy(slot->key, key, sizeof(slot->key));
		slot->number_plus_1 = ++map->n;
	}
	return slot->number_plus_1 - 1;
}

size_t pt_pool_text(struct pt_pool *pool, struct pt_pool_map *map, struct pt_pool_list *list, const char *text)
{
	/* FNV-1a, length, and a number for texts that share both */
	uint64_t key[3] = { UINT64_C(0xcbf29ce484222325), strlen(text), 0 };
	bool is_new;
	size_t n;

	for (const char *c = text; *c != '\0'; c++)
		key[0] = (key[0] ^ (unsigned char)*c) * UINT64_C(0x100000001b3);
	for (;; key[2]++) {
		n = pt_pool_number(pool, map, key, &is_new);
		if (is_new)
			pt_pool_append(pool, list, (char *)(uintptr_t)text);
		if (is_new || strcmp(list->item[n], text) == 0)
			return n;
	}
}
