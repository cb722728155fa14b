/* The listing of exits (exits.h), for people. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "program/model/program_parts.h"
#include "program/code/exits.h"
#include "base/util.h"

enum { LINE_BYTES = 512, WHERE_BYTES = 160, INSTRUCTION_BYTES = 64, MOST_COLUMNS = 48 };

/* "careful(int)", "shared+0x2". */
static const char *where(const struct pt_program *program, uint64_t addr, char room[WHERE_BYTES])
{
	const struct pt_function *f = pt_program_function_at(program, addr);

	if (f == NULL)
		snprintf(room, WHERE_BYTES, "0x%08" PRIx64, addr);
	else if (f->address == addr)
		snprintf(room, WHERE_BYTES, "%.120s", f->name);
	else
		snprintf(room, WHERE_BYTES, "%.120s+0x%" PRIx64, f->name, addr - f->address);
	return room;
}

static const char *instruction(const struct pt_codemap *map, uint64_t addr, char room[INSTRUCTION_BYTES])
{
	const struct pt_code_unit *unit = pt_codemap_at(map, addr);
	size_t len = unit != NULL ? unit->len_units * map->isa->unit_bytes : 0;
	const uint8_t *bytes = len > 0 ? pt_program_bytes_at(map->program, addr, len) : NULL;

	room[0] = '\0';
	if (bytes != NULL)
		pt_isa_print(map->isa, addr, bytes, len, room, INSTRUCTION_BYTES);
	return room;
}

static void say_exit(const struct pt_codemap *map, const struct pt_function_exit *e, int name_columns,
		     void (*say)(void *arg, const char *line), void *arg)
{
	static const char *const by[] = {
		[PT_EXIT_BY_RETURN] = "returns", [PT_EXIT_BY_TAIL_CALL] = "tail call to ",
		[PT_EXIT_BY_JUMP_INTO] = "jumps into ", [PT_EXIT_BY_COMPUTED] = "jumps to an address that is computed",
		[PT_EXIT_BY_FALLING] = "goes on in ", [PT_EXIT_BY_SYMBOL] = "a symbol of the ELF",
		[PT_EXIT_BY_HAND] = "given by hand", [PT_EXIT_NEVER] = "does not come back; no exit",
	};
	char line[LINE_BYTES], target[WHERE_BYTES] = "", code[INSTRUCTION_BYTES];

	if (e->target != PT_UNKNOWN)
		where(map->program, e->target, target);
	snprintf(line, sizeof(line), "%-*s  0x%08" PRIx64 "  %-28s %s%s%s", name_columns,
		 e->name != NULL ? e->name : "-", e->addr, instruction(map, e->addr, code), by[e->by], target,
		 e->conditional ? ", or goes on" : "");
	say(arg, line);
}

void pt_exits_list(const struct pt_exits *exits, size_t id, void (*say)(void *arg, const char *line), void *arg)
{
	const struct pt_codemap *map = pt_exits_map(exits);
	const struct pt_function *functions;
	const struct pt_function_exit *list;
	size_t n, n_functions, n_exits = 0;
	int columns = 1;
	char line[LINE_BYTES];

	if (map->program == NULL || id == PT_NO_FUNCTION)
		return;
	functions = pt_program_functions(map->program, &n_functions);
	if (id > n_functions)
		return;
	list = pt_exits_of(exits, id, &n);
	for (size_t i = 0; i < n; i++) {
		n_exits += list[i].by != PT_EXIT_NEVER;
		if (list[i].name != NULL && (int)strlen(list[i].name) > columns)
			columns = (int)strlen(list[i].name);
	}
	if (n_exits == 0)
		snprintf(line, sizeof(line), "%.200s never ends", functions[id - 1].name);
	else
		snprintf(line, sizeof(line), "%.200s, 0x%08" PRIx64 ": %zu exit%s", functions[id - 1].name,
			 functions[id - 1].address, n_exits, n_exits == 1 ? "" : "s");
	say(arg, line);
	for (size_t i = 0; i < n; i++)
		say_exit(map, &list[i], columns < MOST_COLUMNS ? columns : MOST_COLUMNS, say, arg);
}
