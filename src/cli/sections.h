/* The boards of a configuration file: a section is a set of options of its own, made from those before the first one. */
#ifndef PT_SECTIONS_H
#define PT_SECTIONS_H

#include "cli/options.h"

/* The section that begins at this line; it has what options has by now, but the probes, unless the command line named them.
 * The options' memory. err->code PT_EARG: the name is none, or taken; then the section is there, for the lines that follow.
 * NULL: there are too many. */
struct pt_options *pt_section_begin(struct pt_options *options, const char *name, unsigned line, struct pt_err *err);
/* Behind the last line: aliases are replaced, and a section without a probe gets those from before the first section. */
void pt_sections_complete(struct pt_options *options);
/* What is wrong with section i beside those before it: it claims a probe or an address of one of them, or leaves open which
 * probe it means. PT_EARG, and the line in *line. */
int pt_section_check(const struct pt_options *options, size_t i, unsigned *line, struct pt_err *err);
/* One section is all there is: its options become the options. */
void pt_sections_adopt(struct pt_options *options);

#endif
