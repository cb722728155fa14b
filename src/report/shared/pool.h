/* Memory for data that a format builds before it writes: allocated piece by piece, freed all at once. */
#ifndef PT_REPORT_POOL_H
#define PT_REPORT_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pt_pool { struct pt_pool_block *blocks; };	/* all zero: empty */

/* Zeroed, aligned for any type. */
void *pt_pool_take(struct pt_pool *pool, size_t size) __attribute__((returns_nonnull));
void pt_pool_free(struct pt_pool *pool);

/* A list of pointers that grows; lives in the pool. */
struct pt_pool_list { void **item; size_t n, room; };
void pt_pool_append(struct pt_pool *pool, struct pt_pool_list *list, void *item);

/* Gives numbers to keys of three words: 0, 1, ... in the order in which they are added. Lives in the pool. */
struct pt_pool_map { struct pt_pool_slot *slot; size_t n, room; };
/* Returns the number of a key; *is_new: the key is new. */
size_t pt_pool_number(struct pt_pool *pool, struct pt_pool_map *map, const uint64_t key[3], bool *is_new);

/* Returns the number of a text, from 0; appends a new text to list. Texts are not copied. */
size_t pt_pool_text(struct pt_pool *pool, struct pt_pool_map *map, struct pt_pool_list *list, const char *text);

#endif
