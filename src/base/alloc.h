/* Memory for small things. If none is left, the process ends with one sentence: no caller could continue correctly,
 * and a check that never runs is never tested. The memory is zeroed, never NULL, and freed by free().
 *
 * Not for a buffer whose size comes from outside (a file, a client, the target): its size is compared with a bound
 * first, and malloc() may fail, which is PT_ENOMEM. */
#ifndef PT_ALLOC_H
#define PT_ALLOC_H

#include <stddef.h>

void pt_out_of_memory(size_t n, size_t item_bytes) __attribute__((noreturn));	/* says so, and ends the process */
void *pt_alloc(size_t bytes) __attribute__((returns_nonnull));
/* n items of item_bytes each; n 0: a pointer that free() accepts. */
void *pt_alloc_array(size_t n, size_t item_bytes) __attribute__((returns_nonnull));
/* The array (NULL: a new one) with room for n items; the added items are not zeroed. */
void *pt_realloc_array(void *array, size_t n, size_t item_bytes) __attribute__((returns_nonnull));
char *pt_strdup(const char *text) __attribute__((returns_nonnull));
char *pt_strndup(const char *text, size_t most_bytes) __attribute__((returns_nonnull));	/* copies at most most_bytes */

#endif
