/* Memory for what a format builds before it writes it: taken piece by piece, given back all at once. */
#ifndef PT_REPORT_POOL_H
#define PT_REPORT_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pt_pool { struct pt_pool_block *blocks; };	/* all zero: empty */

/* Zeroed, aligned for anything. */
void *pt_pool_take(struct pt_pool *pool, size_t size) __attribute__((returns_nonnull));
void pt_pool_free(struct pt_pool *pool);

/* A list of pointers that grows; lives in the pool. */
struct pt_pool_list { void **item; size_t n, room; };
void pt_pool_append(struct pt_pool *pool, struct pt_pool_list *list, void *item);

/* Numbers for keys of three words, from 0 in order of coming. Lives in the pool. */
struct pt_pool_map { struct pt_pool_slot *slot; size_t n, room; };
/* The number of a key; *is_new: it had none. */
size_t pt_pool_number(struct pt_pool *pool, struct pt_pool_map *map, const uint64_t key[3], bool *is_new);

/* The number of a text, from 0; texts that are new are appended to list. They are not copied. */
size_t pt_pool_text(struct pt_pool *pool, struct pt_pool_map *map, struct pt_pool_list *list, const char *text);

#endif
