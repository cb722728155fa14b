#include "base/alloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void pt_out_of_memory(size_t n, size_t item_bytes)
{
	fprintf(stderr, "proftap: out of memory: %zu x %zu bytes; nothing can go on without them\n", n, item_bytes);
	_Exit(EXIT_FAILURE);
}

static size_t product(size_t n, size_t item_bytes)
{
	size_t bytes;

	if (__builtin_mul_overflow(n, item_bytes, &bytes))
		pt_out_of_memory(n, item_bytes);
	return bytes != 0 ? bytes : 1;
}

void *pt_alloc_array(size_t n, size_t item_bytes)
{
	void *array = calloc(1, product(n, item_bytes));

	if (array == NULL)
		pt_out_of_memory(n, item_bytes);
	return array;
}

void *pt_alloc(size_t bytes)
{
	return pt_alloc_array(1, bytes);
}

void *pt_realloc_array(void *array, size_t n, size_t item_bytes)
{
	void *grown = realloc(array, product(n, item_bytes));

	if (grown == NULL)
		pt_out_of_memory(n, item_bytes);
	return grown;
}

static char *copy_text(const char *text, size_t len)
{
	char *copy = pt_alloc_array(len + 1, 1);

	memcpy(copy, text, len);
	return copy;
}

char *pt_strdup(const char *text)
{
	return copy_text(text, strlen(text));
}

char *pt_strndup(const char *text, size_t most_bytes)
{
	return copy_text(text, strnlen(text, most_bytes));
}
