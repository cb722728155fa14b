/* Makes a text from outside safe to print: names of functions, tasks and files, titles in a capture, strings of a probe
 * or server. Pure; any thread. */
#ifndef PT_BASE_HARMLESS_H
#define PT_BASE_HARMLESS_H

/* Replaces in place, byte by byte, with '?': control characters (of ASCII, except those in keep, and of ISO 6429, which
 * move a terminal's cursor), marks that change the writing direction (they can make one text look like another), line
 * separators, and invalid UTF-8. The length stays. Returns text. Source: Unicode 15, 23.2 and 23.3; UAX 9, 2. */
char *pt_harmless(char *text, const char *keep);

#endif
