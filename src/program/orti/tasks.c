/* Task maps: plain arrays, looked through from the front. A map has tens of entries, and a switch comes thousands of
 * times a second at most. */
#include "program/orti/tasks.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/alloc.h"
#include "base/util.h"

static uint64_t significant(const struct pt_task_map *map, uint64_t value)
{
	unsigned bytes = map->value_bytes != 0 ? map->value_bytes : map->size_bytes;

	if (bytes > 0 && bytes < 8)
		value &= (UINT64_C(1) << 8 * bytes) - 1;
	return map->code_addresses ? value & ~UINT64_C(1) : value;
}

/* Words that begin so: READY_AND_NEW is ready. */
enum pt_task_state pt_task_state_of(const char *word)
{
	static const struct { const char *begin; enum pt_task_state state; } words[] = {
		{ "SUSPENDED or WAITING", PT_TASK_STATE_AWAY }, { "SUSPENDED", PT_TASK_STATE_SUSPENDED },
		{ "WAITING", PT_TASK_STATE_WAITING }, { "READY", PT_TASK_STATE_READY },
		{ "RUNNING", PT_TASK_STATE_RUNNING }, { "(moves)", PT_TASK_STATE_MOVES },
	};

	for (size_t i = 0; word != NULL && i < PT_LEN(words); i++)
		if (strncasecmp(word, words[i].begin, strlen(words[i].begin)) == 0)
			return words[i].state;
	return PT_TASK_STATE_OTHER;
}

const struct pt_task_entry *pt_task_map_find(const struct pt_task_map *map, uint64_t value)
{
	value = significant(map, value);
	for (size_t i = 0; i < map->n_tasks; i++)
		if (significant(map, map->task[i].value) == value)
			return &map->task[i];
	return NULL;
}

const struct pt_task_entry *pt_task_map_service(const struct pt_task_map *map, uint64_t value, bool *enters)
{
	const struct pt_task_entry *entry = pt_task_map_find(map, map->enter_bit ? value & ~UINT64_C(1) : value);

	*enters = map->enter_bit ? (value & 1) != 0 : entry == NULL || !entry->none;
	return entry;
}

const struct pt_task_map *pt_task_maps_of(const struct pt_task_maps *maps, enum pt_task_what what, unsigned core)
{
	for (size_t i = 0; i < maps->n_maps; i++)
		if (maps->map[i].what == what && maps->map[i].core == core)
			return &maps->map[i];
	return NULL;
}

struct pt_task_maps *pt_task_maps_new(const char *os, const char *origin)
{
	struct pt_task_maps *maps = pt_alloc(sizeof(*maps));

	maps->os = pt_strdup(os);
	maps->origin = pt_strdup(origin);
	return maps;
}

void pt_task_map_add(struct pt_task_map *map, const struct pt_task_entry *entry)
{
	map->task = pt_realloc_array(map->task, map->n_tasks + 1, sizeof(*map->task));
	map->task[map->n_tasks] = *entry;
	map->task[map->n_tasks++].name = pt_strdup(entry->name);
}

struct pt_task_map *pt_task_maps_add(struct pt_task_maps *maps, const struct pt_task_map *map)
{
	struct pt_task_map *added;

	maps->map = pt_realloc_array(maps->map, maps->n_maps + 1, sizeof(*maps->map));
	added = &maps->map[maps->n_maps++];
	*added = *map;
	added->task = NULL;
	added->n_tasks = 0;
	added->variable = pt_strdup(map->variable != NULL ? map->variable : "");
	added->of = map->of != NULL ? pt_strdup(map->of) : NULL;
	for (size_t i = 0; i < map->n_tasks; i++)
		pt_task_map_add(added, &map->task[i]);
	return added;
}

struct pt_task_maps *pt_task_maps_copy(const struct pt_task_maps *maps)
{
	struct pt_task_maps *copy = pt_task_maps_new(maps->os, maps->origin);

	for (size_t i = 0; i < maps->n_maps; i++)
		pt_task_maps_add(copy, &maps->map[i]);
	return copy;
}

void pt_task_maps_free(struct pt_task_maps *maps)
{
	if (maps == NULL)
		return;
	for (size_t i = 0; i < maps->n_maps; i++) {
		for (size_t k = 0; k < maps->map[i].n_tasks; k++)
			free((char *)(uintptr_t)maps->map[i].task[k].name);
		free(maps->map[i].task);
		free((char *)(uintptr_t)maps->map[i].variable);
		free((char *)(uintptr_t)maps->map[i].of);
	}
	free(maps->map);
	free((char *)(uintptr_t)maps->os);
	free((char *)(uintptr_t)maps->origin);
	free(maps);
}
