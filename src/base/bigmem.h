/* Zeroed memory for tables that are looked up all over the place: in huge pages where the system has them, since with
 * small ones most look-ups would also have to look up the page. Memory is taken when it is touched. */
#ifndef PT_BIGMEM_H
#define PT_BIGMEM_H

#include <stddef.h>

/* n items of size bytes, aligned for anything; n * size is what pt_big_free() gets. NULL: out of memory. */
void *pt_big_calloc(size_t n, size_t size);
/* The same where the size is known, or follows from what is there already: as pt_alloc(). */
void *pt_big_alloc(size_t n, size_t size) __attribute__((returns_nonnull));
/* Take all of it now. For a table that will be in use all over and is read before it is written: a page that is first
 * read would be mapped twice. */
void pt_big_touch(void *memory, size_t bytes);
void pt_big_free(void *memory, size_t bytes);	/* NULL is fine */

#endif
