/* Any bytes as an ORTI file: refused with a sentence, or what was kept must hold together: written and read again it
 * is the same, every attribute can be evaluated, maps can be made, and a corrected file needs no correction. */
#include <string.h>

#include "vars_elf.h"
#include "program/orti/orti.h"

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t in_bytes);

enum { MOST_EVALUATED = 100, MOST_BYTES = 1 << 16 };

static struct pt_program *program;
static struct pt_types *types;

static void check_round_trip(const struct pt_orti *orti)
{
	char *once = pt_orti_write(orti), *twice;
	struct pt_orti *again = pt_orti_parse(once, strlen(once), NULL);

	if (again == NULL || again->n_objects != orti->n_objects || again->n_types != orti->n_types)
		abort();
	twice = pt_orti_write(again);
	if (strcmp(once, twice) != 0)
		abort();
	free(once);
	free(twice);
	pt_orti_free(again);
}

static void evaluate_all(const struct pt_orti *orti, const struct pt_reader *reader)
{
	unsigned left = MOST_EVALUATED;

	for (size_t i = 0; i < orti->n_objects; i++)
		for (size_t k = 0; k < orti->object[i].n_values && left > 0; k++, left--) {
			struct pt_orti_result result;

			pt_orti_evaluate(orti, &orti->object[i], &orti->object[i].value[k], types, reader, &result);
			if (result.available && result.item != NULL &&
			    strlen(result.item->text) < sizeof(result.text) &&
			    strcmp(result.text, result.item->text) != 0)
				abort();
		}
}

static void look(const struct pt_orti *orti, uint64_t seed)
{
	struct pt_reader reader = { read_made_up, &seed };
	struct pt_task_maps *maps;
	struct pt_orti *fixed;
	struct pt_err err = { 0 };

	check_round_trip(orti);
	evaluate_all(orti, &reader);
	maps = pt_orti_task_maps(orti, types, &reader, NULL, NULL, &err);
	if (maps == NULL && (err.code >= 0 || err.msg[0] == '\0'))
		abort();
	for (size_t i = 0; maps != NULL && i < maps->n_maps; i++)
		pt_task_map_find(&maps->map[i], seed);
	pt_task_maps_free(maps);
	fixed = pt_orti_fix(orti, types, &reader, NULL, NULL, &err);
	if (fixed != NULL)
		check_round_trip(fixed);
	pt_orti_free(fixed);
}

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t in_bytes)
{
	static unsigned rounds;
	uint64_t seed = 0x123456789abcdef;
	struct pt_err err = { 0 };
	struct pt_orti *orti;

	if (in_bytes > MOST_BYTES)
		return 0;
	if (types == NULL || rounds++ % 1000 == 0) {
		if (program == NULL)
			program = vars_elf();
		pt_types_free(types);
		types = pt_types_new(program);
	}
	for (size_t i = 0; i < in_bytes; i++)
		seed = seed * 31 + in[i];
	orti = pt_orti_parse((const char *)in, in_bytes, &err);
	if (orti != NULL)
		look(orti, seed);
	else if (err.code >= 0 || err.msg[0] == '\0')
		abort();
	pt_orti_free(orti);
	return 0;
}
