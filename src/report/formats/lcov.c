/* lcov tracefile, for genhtml and other coverage viewers. lcov distinguishes only executed and not executed. If
 * something was missed, an unseen line may have run; leaving such lines out would make all files look covered. So such
 * a profile is written only on request (partial=yes): unseen code counts as not executed, which makes the coverage a
 * lower bound, as the test's name says in each record. Records in the forms that lcov 1.16 reads. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "profile/analyses/code/lines.h"
#include "profile/result/profile.h"
#include "program/model/source.h"
#include "report/table/format.h"
#include "report/table/order.h"
#include "report/text/caption.h"

extern const struct pt_format pt_format_lcov;

struct branch { uint32_t file, line; uint64_t address, count, left; };	/* a conditional one */

struct writer {
	const struct pt_profile *profile;
	const struct pt_lines *lines;
	struct pt_text *out;
	bool complete;		/* code without a count was not executed; else it was only not seen */
	struct branch *branch;
	size_t n_branches, next_branch;
};

/* --- branches, by file and line */

static int compare_branches(const void *a, const void *b)
{
	const struct branch *x = a, *y = b;

	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return (x->address > y->address) - (x->address < y->address);
}

static void add_branch(struct writer *w, uint64_t address)
{
	const struct pt_line_range *range = pt_program_line_at(w->profile->program, address);
	const struct pt_lines_insn *insn = pt_lines_insn_at(w->lines, address);

	if (range == NULL || range->line == 0)
		return;
	w->branch[w->n_branches++] = (struct branch){
		.file = range->file, .line = range->line, .address = address, .count = insn != NULL ? insn->count : 0,
		.left = insn != NULL ? insn->left : 0,
	};
}

static void list_branches(struct writer *w)
{
	const struct pt_codemap *map = w->lines->map;
	size_t n = 0;

	for (size_t id = 0; id < w->lines->n_functions; id++)
		n += w->lines->function[id].n_branches;
	w->branch = pt_alloc_array(n + 1, sizeof(*w->branch));
	for (size_t s = 0; s < map->n_spans; s++) {
		const struct pt_code_span *span = &map->span[s];

		for (uint64_t at = span->base; at < span->end && w->n_branches < n; at += map->isa->unit_bytes)
			if (span->code[(at - span->base) / map->isa->unit_bytes].flow == PT_FLOW_BRANCH_IF)
				add_branch(w, at);
	}
	qsort(w->branch, w->n_branches, sizeof(*w->branch), compare_branches);
}

/* "-": the branch was never executed; 0: it was, but never went this way. */
static void way(struct writer *w, const struct branch *b, unsigned number, unsigned direction, uint64_t count)
{
	pt_text_add(w->out, "BRDA:%u,%u,%u,", b->line, number, direction);
	if (b->count == 0)
		pt_text_add(w->out, "-\n");
	else
		pt_text_add(w->out, "%" PRIu64 "\n", count);
}

static void branches_of(struct writer *w, uint32_t file)
{
	unsigned number = 0, line = 0;

	while (w->next_branch < w->n_branches && w->branch[w->next_branch].file < file)
		w->next_branch++;
	for (; w->next_branch < w->n_branches && w->branch[w->next_branch].file == file; w->next_branch++) {
		const struct branch *b = &w->branch[w->next_branch];

		number = b->line == line ? number + 1 : 0;
		line = b->line;
		way(w, b, number, 0, b->left);
		way(w, b, number, 1, b->count - b->left);
	}
}

/* --- functions and lines */

/* The entries of a function on all cores. A function that ran without a seen entry has 1: it ran at least once. */
static uint64_t entries_of(const struct pt_profile *p, size_t id)
{
	uint64_t n = 0;
	bool ran = false;

	for (const struct pt_profile_function *row = id < p->n_ids ? p->by_id[id] : NULL; row != NULL;
	     row = row->next) {
		n += row->run != NULL ? row->run->count : 0;
		ran |= row->run != NULL && (row->run->partial > 0 || row->run->instructions > 0);
	}
	return n > 0 ? n : ran;
}

static void functions_of(struct writer *w, const char *path)
{
	size_t n = 0;
	const struct pt_function *functions = pt_program_functions(w->profile->program, &n);

	for (size_t i = 0; i < n && i + 1 < w->lines->n_functions; i++) {
		uint64_t count = entries_of(w->profile, i + 1);

		if (functions[i].file == NULL || functions[i].line == 0 || strcmp(functions[i].file, path) != 0)
			continue;
		pt_text_add(w->out, "FN:%u,%s\nFNDA:%" PRIu64 ",%s\n", functions[i].line, functions[i].name, count,
			    functions[i].name);
	}
}

static void lines_of(struct writer *w, uint32_t file, size_t first)
{
	for (size_t i = first; i < w->lines->n_lines && w->lines->line[i].file == file; i++)
		if (w->lines->line[i].n_insns > 0)
			pt_text_add(w->out, "DA:%u,%" PRIu64 "\n", w->lines->line[i].line,
				    w->lines->line[i].count > 0 ? w->lines->line[i].count
								: (uint64_t)(w->lines->line[i].instructions > 0));
}

/* The present path of the file, if it exists: viewers open it by this name. Otherwise its name by the compiler. */
static const char *path_of(struct pt_sources *sources, const char *path)
{
	const char *found = pt_source_found(sources, path);

	return found != NULL ? found : path;
}

/* lcov treats lines with '#' as comments; older versions and other readers skip unknown lines. */
static void comments(const struct pt_profile *profile, struct pt_text *out)
{
	struct pt_caption caption;

	pt_caption_make(&caption, profile);
	for (unsigned i = 0; i < PT_CAPTION_LINES; i++)
		if (caption.line[i][0] != '\0' && i != PT_CAPTION_LARGEST)	/* it has no shares */
			pt_text_add(out, "# %s: %s\n", pt_caption_key(i), caption.line[i]);
}

static int refuse(struct pt_err *err)
{
	return pt_fail(
		err, PT_EARG,
		"this profile did not see all that ran, or not from reset on: lines that it did not see may have "
		"run. partial=yes writes them as not executed, marked PARTIAL; mode=halt from reset on sees "
		"everything");
}

static int write_lcov(const struct pt_profile *profile, const struct pt_view *view, const struct pt_query *query,
		      struct pt_text *out, struct pt_err *err)
{
	struct writer w = { .profile = profile, .lines = profile->lines, .out = out,
			    .complete = pt_lines_whole(profile) };
	const struct pt_source_file *files;
	struct pt_sources *sources;
	size_t n = 0;

	(void)view;
	if (pt_report_needs_code(profile, err) < 0)
		return PT_ESTATE;
	if (profile->lines == NULL)
		return pt_report_lacks("lcov", "lines", err);
	if (!w.complete && !query->partial)
		return refuse(err);
	if (profile->program == NULL)
		return pt_fail(err, PT_ESTATE, "lcov needs an ELF with lines (compiled with -g)");
	list_branches(&w);
	sources = pt_sources_of(profile->program, err);
	if (sources == NULL) {
		free(w.branch);
		return err != NULL ? err->code : PT_EARG;
	}
	files = pt_program_files(profile->program, &n);
	comments(profile, out);
	for (size_t i = 0; i < w.lines->n_lines; i++) {
		uint32_t file = w.lines->line[i].file;

		if ((i > 0 && w.lines->line[i - 1].file == file) || file >= n)
			continue;
		pt_text_add(out, "TN:proftap%s%s\nSF:%s\n", profile->from_virtual ? "_VIRTUAL" : "",
			    w.complete ? "" : "_PARTIAL", path_of(sources, files[file].path));
		functions_of(&w, files[file].path);
		branches_of(&w, file);
		lines_of(&w, file, i);
		pt_text_add(out, "end_of_record\n");
	}
	pt_sources_free(sources);
	free(w.branch);
	return 0;
}

const struct pt_format pt_format_lcov = {
	.name = "lcov", .suffix = ".info", .help = "coverage, for genhtml", .needs = "lines", .write = write_lcov,
};
