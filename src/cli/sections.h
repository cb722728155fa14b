/* The boards of a configuration file: each section is a set of options of its own, which begins with those before the
 * first section. */
#ifndef PT_SECTIONS_H
#define PT_SECTIONS_H

#include "cli/options.h"

/* Begins a section at this line; it gets all options so far, but no probes, unless they are from the command line. Its
 * memory belongs to options. err->code PT_EARG: the name is invalid or used already; the section is still created, for
 * its lines. NULL: too many sections. */
struct pt_options *pt_section_begin(struct pt_options *options, const char *name, unsigned line, struct pt_err *err);
/* Call it after the last line: aliases are replaced, and a section without a probe gets those from before the first
 * section. */
void pt_sections_complete(struct pt_options *options);
/* Checks section i against those before it: whether it uses the same probe or address, or does not say which probe it
 * means. PT_EARG, and the line in *line. */
int pt_section_check(const struct pt_options *options, size_t i, unsigned *line, struct pt_err *err);
/* If there is only one section, its options become the options. */
void pt_sections_adopt(struct pt_options *options);

#endif
