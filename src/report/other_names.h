/* Names of other tools for views, columns and settings that have another name here; for "did you mean". Pure. */
#ifndef PT_REPORT_OTHER_NAMES_H
#define PT_REPORT_OTHER_NAMES_H

/* "flame": the format svg; "callgraph": the view calls. NULL: unknown. */
const char *pt_view_meant_by(const char *word);
/* "calls": the column count. NULL: likewise. */
const char *pt_column_meant_by(const char *word);

/* The setting that key=value means: core-clock for clock=48M, as clock= is instructions or cycles; else key itself. */
const char *pt_setting_meant_by(const char *key, const char *value);

#endif
