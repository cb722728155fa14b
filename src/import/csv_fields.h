/* Fields of a row of a CSV, and the numbers in them. Pure. */
#ifndef PT_INPUTS_CSV_FIELDS_H
#define PT_INPUTS_CSV_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PT_CSV_FIELDS = 257, PT_CSV_ROW_BYTES = 4096 };	/* the time and 256 lines */

struct pt_csv_row { char text[PT_CSV_ROW_BYTES]; char *field[PT_CSV_FIELDS]; size_t n_fields; };

/* Split row->text where it is, without blanks and quotes around the fields; what is behind the last field of the array is
 * not looked at. A separator at the end of the row begins no field. */
void pt_csv_split(struct pt_csv_row *row, char separator);
/* ',', ';' or a tab: that of which a row has most. */
char pt_csv_separator(const char *text);

enum pt_csv_level { PT_CSV_KNOWN, PT_CSV_UNKNOWN, PT_CSV_NO_LEVEL };	/* UNKNOWN: x, z, or nothing */
/* 1, 0x1f, 0b101. */
enum pt_csv_level pt_csv_level(const char *text, uint64_t *value);

/* Seconds, or what there are digits for of them, in ps: "1.5", "-2e-6". exponent: of ten, of the unit in s (0, -3, ...).
 * False: no time, or one that is too long. */
bool pt_csv_time(const char *text, int exponent, int64_t *ps);
/* The unit in brackets of a heading: "Time [us]", "time(ns)"; 1: it has none. */
int pt_csv_unit(const char *heading);

#endif
