/* One row per chain of calls, depth first: its last function, indented below its caller. Row 0 is the whole. */
#include "profile/result/profile.h"
#include "profile/analyses/calls/tree.h"
#include "report/table/names.h"
#include "report/table/view.h"
#include "report/views/flow_share.h"
#include "base/util.h"

extern const struct pt_view pt_view_tree;

static const struct pt_column columns[] = {
	{ "name", "function", PT_UNIT_NONE, PT_ALWAYS },
	{ "depth", "depth", PT_UNIT_COUNT, PT_IF_WIDE },
	{ "task", "task", PT_UNIT_COUNT, PT_IF_WIDE },
	{ "core", "core", PT_UNIT_COUNT, PT_IF_CORES },
	{ "called_from", "called from", PT_UNIT_ADDRESS, PT_IF_WIDE },
	{ "count", "count", PT_UNIT_COUNT, PT_IF_MUCH_ROOM },
	{ "net", "self", PT_UNIT_TICKS, PT_ALWAYS },
	{ "net_share", "self %", PT_UNIT_SHARE, PT_ALWAYS },
	{ "gross", "total", PT_UNIT_TICKS, PT_ALWAYS },
	{ "gross_share", "total %", PT_UNIT_SHARE, PT_ALWAYS },
};

static size_t n_rows(const void *subject)
{
	const struct pt_tree *tree = ((const struct pt_profile *)subject)->tree;

	if (tree == NULL)
		return (size_t)PT_NOT_MADE;
	return tree->node[0].gross != 0 ? tree->n_nodes : 0;
}

static const char *name_of(const struct pt_profile *p, const struct pt_tree_node *node)
{
	char own[PT_OWN_TASK_BYTES];
	const char *name;

	if (node->depth == 0)
		return "(all)";
	if (node->entry == PT_TREE_NO_CALLER)
		return PT_TREE_NO_CALLER_NAME;
	if (node->function == PT_NO_FUNCTION && node->entry == 0 && node->task != PT_NO_TASK) {
		name = pt_name_of_task(p, node->task, own);
		return name != own ? name : "(task)";
	}
	return pt_name_of_function(p, node->function);
}

static void row(const void *subject, size_t i, struct pt_value *out)
{
	const struct pt_profile *p = subject;
	const struct pt_tree *tree = p->tree;
	const struct pt_tree_node *node = &tree->node[tree->order[i]];
	uint64_t all = tree->node[0].gross;
	bool counts = node->depth != 0 && node->entry != PT_TREE_NO_CALLER;

	*out++ = (struct pt_value){ .text = name_of(p, node), .indent = node->depth < 60 ? (uint8_t)node->depth : 60 };
	*out++ = (struct pt_value){ .u = node->depth, .basis = PT_BASIS_EXACT };
	*out++ = (struct pt_value){ .u = node->task != PT_NO_TASK ? node->task : PT_UNKNOWN };
	*out++ = (struct pt_value){ .u = node->core };
	*out++ = (struct pt_value){ .u = node->site, .basis = p->counts };
	*out++ = pt_flow_count(p, node->core, counts ? node->count : PT_UNKNOWN, &node->entries);
	*out++ = pt_flow_ticks_of(p, node->core, node->net, &node->net_share);
	*out++ = pt_flow_share(p, node->core, node->net, all, &node->net_share);
	*out++ = pt_flow_ticks_of(p, node->core, node->gross, &node->gross_share);
	*out++ = pt_flow_share(p, node->core, node->gross, all, &node->gross_share);
}

const struct pt_view pt_view_tree = {
	.name = "tree", .help = "chains of calls: what ran on whose behalf", .needs = "tree",
	.columns = columns, .n_columns = PT_LEN(columns), .n_rows = n_rows, .row = row,
};
