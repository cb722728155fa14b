/* Makes a text from outside safe to print: the names of functions, tasks and files, the titles in a capture, what a probe
 * or a server says of itself. Pure; any thread. */
#ifndef PT_BASE_HARMLESS_H
#define PT_BASE_HARMLESS_H

/* In place, of the same length: '?' for each byte of a control character (those of ASCII but for those in keep, and
 * of ISO 6429, which move a terminal's cursor), of a mark that turns the direction of writing (which makes a text look like
 * another one), of a line separator, and of what is no UTF-8. Returns text. Source: Unicode 15, 23.2 and 23.3; UAX 9, 2. */
char *pt_harmless(char *text, const char *keep);

#endif
