/* The functions of a demo firmware: their addresses, the calls that a tap saw, and their own counters n_NAME. */
#ifndef PT_TESTS_DEMO_CALLS_H
#define PT_TESTS_DEMO_CALLS_H

#include <gelf.h>
#include <stdio.h>
#include <string.h>

#include "harness.h"

enum { MOST_FUNCTIONS = 40 };

static struct function { char name[40]; uint32_t addr, counter; uint64_t n_calls; } functions[MOST_FUNCTIONS];
static size_t n_functions;

static inline struct function *function_of(const char *name)
{
	for (size_t i = 0; i < n_functions; i++)
		if (strcmp(functions[i].name, name) == 0)
			return &functions[i];
	return NULL;
}

static inline void see_symbol(const char *name, const GElf_Sym *symbol)
{
	struct function *f = strncmp(name, "n_", 2) == 0 ? function_of(name + 2) : NULL;

	if (f != NULL)
		f->counter = (uint32_t)symbol->st_value;
	if (GELF_ST_TYPE(symbol->st_info) != STT_FUNC || function_of(name) != NULL || n_functions == MOST_FUNCTIONS)
		return;
	f = &functions[n_functions++];
	*f = (struct function){ .addr = (uint32_t)symbol->st_value };
	snprintf(f->name, sizeof(f->name), "%s", name);
}

/* Twice: a counter may stand in front of its function. */
static inline void read_symbols(const uint8_t *elf, size_t elf_bytes)
{
	Elf *file;
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	GElf_Sym symbol;

	n_functions = 0;
	elf_version(EV_CURRENT);
	file = elf_memory((char *)(uintptr_t)elf, elf_bytes);
	ck_assert_ptr_nonnull(file);
	while ((section = elf_nextscn(file, section)) != NULL) {
		if (gelf_getshdr(section, &header) == NULL || header.sh_type != SHT_SYMTAB)
			continue;
		for (int i = 0; i < 2 * (int)(header.sh_size / header.sh_entsize); i++) {
			gelf_getsym(elf_getdata(section, NULL), i % (int)(header.sh_size / header.sh_entsize), &symbol);
			see_symbol(elf_strptr(file, header.sh_link, symbol.st_name), &symbol);
		}
	}
	elf_end(file);
}

static inline void count_call(void *arg, uint32_t pc)
{
	(void)arg;
	for (size_t i = 0; i < n_functions; i++)
		functions[i].n_calls += functions[i].addr == pc;
}

/* What the functions count is what was called; one that has begun may not have counted yet. Returns how many have a
 * counter. peek: a word of the memory. */
static inline size_t check_calls(uint32_t (*peek)(uint32_t addr))
{
	size_t n_counted = 0;

	for (size_t i = 0; i < n_functions; i++) {
		const struct function *f = &functions[i];
		uint32_t counted = f->counter != 0 ? peek(f->counter) : 0;

		if (f->counter == 0)
			continue;
		n_counted++;
		ck_assert_msg(f->n_calls >= counted && f->n_calls <= counted + 1, "%s: %u of %llu", f->name, counted,
			      (unsigned long long)f->n_calls);
		ck_assert_msg(f->n_calls > 0, "%s was not called", f->name);
	}
	return n_counted;
}

#endif
