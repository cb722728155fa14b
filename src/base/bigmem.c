#include "base/bigmem.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/alloc.h"

enum { HUGE_BYTES = 2 << 20, SMALL_BYTES = 256 << 10 };	/* below SMALL_BYTES a huge page would be mostly waste */

/* The size to map: a remainder of half a huge page or more is rounded up to a huge page, a smaller one is mapped in
 * small pages. */
static size_t mapped_bytes(size_t bytes)
{
	size_t whole = bytes / HUGE_BYTES * HUGE_BYTES, rest = bytes - whole, page = (size_t)sysconf(_SC_PAGESIZE);

	if (rest >= HUGE_BYTES / 2)
		return whole + HUGE_BYTES;
	return whole + (rest + page - 1) / page * page;
}

/* A huge page begins at a multiple of its size: maps one more, and unmaps the excess. */
static void *map_aligned(size_t bytes)
{
	char *map = mmap(NULL, bytes + HUGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	size_t before;

	if (map == MAP_FAILED)
		return NULL;
	before = (HUGE_BYTES - (uintptr_t)map % HUGE_BYTES) % HUGE_BYTES;
	if (before > 0)
		munmap(map, before);
	munmap(map + before + bytes, HUGE_BYTES - before);
	return map + before;
}

void *pt_big_calloc(size_t n, size_t size)
{
	size_t bytes;
	void *memory;

	if (__builtin_mul_overflow(n, size, &bytes) || bytes > SIZE_MAX / 2)
		return NULL;
	if (bytes < SMALL_BYTES) {
		memory = aligned_alloc(64, (bytes + 63) / 64 * 64 + 64);
		if (memory != NULL)
			__builtin_memset(memory, 0, bytes);
		return memory;
	}
	memory = map_aligned(mapped_bytes(bytes));
	if (memory != NULL)
		madvise(memory, mapped_bytes(bytes), MADV_HUGEPAGE);	/* a hint: an error does not matter */
	return memory;
}

void *pt_big_alloc(size_t n, size_t size)
{
	void *memory = pt_big_calloc(n, size);

	if (memory == NULL)
		pt_out_of_memory(n, size);
	return memory;
}

void pt_big_touch(void *memory, size_t bytes)
{
#ifdef MADV_POPULATE_WRITE	/* otherwise, and on kernels before 5.14, the system provides a page at its first use */
	if (memory != NULL && bytes >= SMALL_BYTES)
		madvise(memory, mapped_bytes(bytes), MADV_POPULATE_WRITE);
#else
	(void)memory, (void)bytes;
#endif
}

void pt_big_free(void *memory, size_t bytes)
{
	if (memory == NULL)
		return;
	if (bytes < SMALL_BYTES)
		free(memory);
	else
		munmap(memory, mapped_bytes(bytes));
}
