/* Memory for small things. Where there is none left, the process ends with one sentence: no caller could do anything
 * right then, and a check that never runs is never right. What is given is zeroed, never NULL, and free()d.
 *
 * Not for a buffer whose size comes from outside (a file, a client, the target): its size is compared with a bound
 * first, and malloc() may fail, which is PT_ENOMEM. */
#ifndef PT_ALLOC_H
#define PT_ALLOC_H

#include <stddef.h>

void pt_out_of_memory(size_t n, size_t item_bytes) __attribute__((noreturn));	/* says so, and ends the process */
void *pt_alloc(size_t bytes) __attribute__((returns_nonnull));
/* n things of item_bytes each; 0 of them: something to free(). */
void *pt_alloc_array(size_t n, size_t item_bytes) __attribute__((returns_nonnull));
/* The array, or a new one for NULL, with room for n; what is added is not zeroed. */
void *pt_realloc_array(void *array, size_t n, size_t item_bytes) __attribute__((returns_nonnull));
char *pt_strdup(const char *text) __attribute__((returns_nonnull));
char *pt_strndup(const char *text, size_t most_bytes) __attribute__((returns_nonnull));	/* that many at most */

#endif
