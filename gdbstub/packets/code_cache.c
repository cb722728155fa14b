/* A cache of a few lines, filled in turn. */
#include "gdbstub/packets/code_cache.h"

static uint64_t line_of(uint64_t addr)
{
	return addr - addr % PT_GDB_LINE_BYTES;
}

void pt_gdb_code_spans(struct pt_gdb_code *code, struct pt_target *target)
{
	size_t n;
	const struct pt_region *regions = target->ops->regions(target->state, &n);

	code->n_spans = 0;
	for (size_t i = 0; i < n && code->n_spans < PT_GDB_MAX_CODE_SPANS; i++) {
		if (regions[i].kind != PT_REGION_FLASH && regions[i].kind != PT_REGION_ROM)
			continue;
		code->span[code->n_spans].addr = regions[i].addr;
		code->span[code->n_spans++].size = regions[i].size;
	}
}

void pt_gdb_code_forget(struct pt_gdb_code *code)
{
	for (size_t i = 0; i < PT_GDB_N_LINES; i++)
		code->line[i].valid = false;
	code->stale = true;
}

static bool in_one_line(uint64_t addr, uint64_t len)
{
	return len > 0 && len <= PT_GDB_LINE_BYTES - addr % PT_GDB_LINE_BYTES;
}

const uint8_t *pt_gdb_code_find(const struct pt_gdb_code *code, uint64_t addr, uint64_t len)
{
	for (size_t i = 0; in_one_line(addr, len) && i < PT_GDB_N_LINES; i++)
		if (code->line[i].valid && code->line[i].addr == line_of(addr))
			return code->line[i].bytes + addr % PT_GDB_LINE_BYTES;
	return NULL;
}

uint8_t *pt_gdb_code_room(struct pt_gdb_code *code, uint64_t addr, uint64_t len, uint64_t *line_addr)
{
	uint64_t at = line_of(addr);

	for (size_t i = 0; in_one_line(addr, len) && i < code->n_spans; i++) {
		if (at < code->span[i].addr || code->span[i].size < PT_GDB_LINE_BYTES ||
		    at - code->span[i].addr > code->span[i].size - PT_GDB_LINE_BYTES)
			continue;
		code->line[code->next].valid = false;
		code->line[code->next].addr = *line_addr = at;
		code->stale = false;
		return code->line[code->next].bytes;
	}
	return NULL;
}

void pt_gdb_code_filled(struct pt_gdb_code *code)
{
	code->line[code->next].valid = !code->stale;
	code->next = (code->next + 1) % PT_GDB_N_LINES;
}
