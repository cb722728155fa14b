/* Zeroed memory for large tables with random access. It uses huge pages if the system has them: with small pages most
 * accesses would also miss the TLB. The system provides a page when it is first touched. */
#ifndef PT_BIGMEM_H
#define PT_BIGMEM_H

#include <stddef.h>

/* n items of size bytes, aligned for any type; pass n * size to pt_big_free(). NULL: out of memory. */
void *pt_big_calloc(size_t n, size_t size);
/* The same for sizes that do not come from outside: ends the process if there is no memory, as pt_alloc() does. */
void *pt_big_alloc(size_t n, size_t size) __attribute__((returns_nonnull));
/* Touches every page now. For a table that is read before it is written: the system would map a page twice if its first
 * access was a read. */
void pt_big_touch(void *memory, size_t bytes);
void pt_big_free(void *memory, size_t bytes);	/* NULL is fine */

#endif
