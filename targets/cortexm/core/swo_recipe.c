#include "targets/cortexm/core/swo_recipe.h"

#include <string.h>

#include "targets/cortexm/core/cortexm.h"

static const struct pt_swo_recipe generic = {
	.chips = "", .core_clock = true, .pin = "the chip's default pin SWO",
	.source = "Arm DDI 0403, C1.10 (TPIU); nothing is known of this chip's own registers", .unverified = true,
};

static bool begins_with_one(const char *name, const char *list)
{
	for (size_t len; *list != '\0'; list += len + (list[len] == '|')) {
		len = strcspn(list, "|");
		if (strncmp(name, list, len) == 0)
			return true;
	}
	return false;
}

const struct pt_swo_recipe *pt_swo_recipe_of(const struct pt_cortexm *cm)
{
	const struct pt_swo_recipe *row = cm->family != NULL ? cm->family->swo : NULL;

	for (; row != NULL && row->chips != NULL; row++)
		if (row->chips[0] == '\0' || begins_with_one(cm->chip.name, row->chips))
			return row;
	return &generic;
}
