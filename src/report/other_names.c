#include "report/other_names.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

#include "base/util.h"

struct name { const char *word, *means; };

static const struct name views[] = {
	{ "flame", "svg" },	      { "flamegraph", "svg" },	     { "flame-graph", "svg" },	 { "graph", "svg" },
	{ "callgraph", "calls" },     { "call-graph", "calls" },     { "callers", "calls" },	 { "callees", "calls" },
	{ "calltree", "tree" },	      { "call-tree", "tree" },	     { "stack", "tree" },	 { "stacks", "tree" },
	{ "hotspots", "functions" },  { "hot", "functions" },	     { "flat", "functions" },	 { "symbols", "functions" },
	{ "isr", "irqs" },	      { "isrs", "irqs" },	     { "interrupts", "irqs" },	 { "exceptions", "irqs" },
	{ "threads", "tasks" },	      { "variables", "data" },	     { "vars", "data" },	 { "memory", "data" },
	{ "disassembly", "annotate" }, { "asm", "annotate" },	     { "sources", "lines" },	 { "source", "lines" },
	{ "trace", "timeline" },      { "loss", "gaps" },	     { "lost", "gaps" },	 { "web", "html" },
	{ "browser", "html" },	      { "pmu", "counters" },	     { "latency", "durations" },
};

static const struct name columns[] = {
	{ "calls", "count" },	{ "ncalls", "count" },	  { "number", "count" },   { "n", "count" },
	{ "time", "self" },	{ "cpu", "self" },	  { "percent", "self" },   { "share", "self" },
	{ "exclusive", "self" }, { "inclusive", "total" }, { "cumulative", "total" }, { "cumtime", "total" },
	{ "tottime", "self" },	{ "mean", "avg" },	  { "average", "avg" },	   { "median", "p50" },
	{ "worst", "max" },	{ "longest", "max" },	  { "hits", "samples" },   { "rate", "calls/s" },
};

static const char *find(const struct name *names, size_t n, const char *word)
{
	for (size_t i = 0; i < n; i++)
		if (strcasecmp(names[i].word, word) == 0)
			return names[i].means;
	return NULL;
}

const char *pt_view_meant_by(const char *word)
{
	return find(views, PT_LEN(views), word);
}

const char *pt_column_meant_by(const char *word)
{
	return find(columns, PT_LEN(columns), word);
}

const char *pt_setting_meant_by(const char *key, const char *value)
{
	return strcmp(key, "clock") == 0 && value[0] >= '0' && value[0] <= '9' ? "core-clock" : key;
}
