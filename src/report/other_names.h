/* Names that users know from other tools for what has another name here: for "did you mean". Pure. */
#ifndef PT_REPORT_OTHER_NAMES_H
#define PT_REPORT_OTHER_NAMES_H

/* "flame": the format svg; "callgraph": the view calls. NULL: it is none that is known. */
const char *pt_view_meant_by(const char *word);
/* "calls": the column count. NULL: likewise. */
const char *pt_column_meant_by(const char *word);

#endif
