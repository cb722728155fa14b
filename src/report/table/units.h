/* Prints values for people: four digits and a unit. For text-like formats. Pure. */
#ifndef PT_REPORT_UNITS_H
#define PT_REPORT_UNITS_H

#include <stddef.h>

#include "profile/result/profile.h"
#include "report/table/view.h"

enum { PT_CELL_BYTES = 256 };

/* "1.235 ms", "48 MHz", "12.35 k": value is scaled by thousands to fit four digits; gap stands before the prefix. */
void pt_print_scaled(char *out, size_t size, double value, const char *gap, const char *unit);
void pt_print_ns(char *out, size_t size, uint64_t ns, const char *gap);

/* Only the figure of a cell; only its interval, "34.1-61.3", "" if it has none or pt_print_figure() prints it. */
void pt_print_figure(char *out, size_t size, const struct pt_profile *profile, const struct pt_column *column,
		     const struct pt_value *value);
void pt_print_interval(char *out, size_t size, const struct pt_column *column, const struct pt_value *value);
/* One value as a table's cell, with its interval. "" if it is not known. Ticks are printed as times if the core clock
 * is known. */
void pt_print_cell(char *out, size_t size, const struct pt_profile *profile, const struct pt_column *column,
		   const struct pt_value *value);

#endif
