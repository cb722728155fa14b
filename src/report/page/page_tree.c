#include <string.h>

#include "profile/result/profile.h"
#include "report/page/page_data.h"
#include "report/shared/stacks.h"

enum { NO_CALLER = -1 };

/* Names of groups ("core 1") are in memory of the stacks, so they are copied. */
static size_t name_of(const struct pt_stack_node *node, struct pt_page_names *names)
{
	size_t bytes = strlen(node->name) + 1;

	return pt_page_name(names,
			    node->function != NULL ? node->name
						   : memcpy(pt_pool_take(&names->pool, bytes), node->name, bytes),
			    node->exception);
}

json_t *pt_page_tree(const struct pt_profile *p, struct pt_page_names *names)
{
	json_t *name = json_array(), *parent = json_array(), *self = json_array(), *count = json_array();
	struct pt_stacks stacks = { .unit = "" };
	json_t *tree;

	pt_stacks_make(&stacks, p, PT_STACKS_BY_NAME, NULL);	/* without stacks: an empty tree */
	for (size_t i = 0; i < stacks.n_nodes; i++) {
		const struct pt_stack_node *node = &stacks.node[i];

		json_array_append_new(name,
				      json_integer(node->no_caller ? NO_CALLER : (json_int_t)name_of(node, names)));
		json_array_append_new(parent, json_integer(i == 0 ? -1 : (json_int_t)node->parent));
		json_array_append_new(self, json_integer((json_int_t)node->self));
		json_array_append_new(count, json_integer((json_int_t)node->count));
	}
	tree = json_pack("{s:s, s:o, s:o, s:o, s:o}", "unit", stacks.unit != NULL ? stacks.unit : "", "name", name,
			 "parent", parent, "self", self, "count", count);
	pt_stacks_free(&stacks);
	return tree;
}
