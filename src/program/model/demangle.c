/* See demangle.h. libiberty delivers its text in pieces and cannot be stopped, so the callback leaves it by longjmp()
 * at the first piece beyond the bound. libiberty's state is on the abandoned stack. */
#include "config.h"

#include "program/model/demangle.h"

#ifdef HAVE_LIBIBERTY

#include <libiberty/demangle.h>
#include <setjmp.h>
#include <string.h>

struct writer {
	jmp_buf enough;
	char *text;
	size_t len_bytes, n_pieces;
};

/* Empty pieces count, too, because they take time. */
static void on_piece(const char *piece, size_t len_bytes, void *arg)
{
	struct writer *w = arg;

	if (len_bytes >= PT_DEMANGLE_TEXT_BYTES - w->len_bytes || w->n_pieces++ == PT_DEMANGLE_TEXT_BYTES)
		longjmp(w->enough, 1);
	if (len_bytes > 0)	/* an empty piece may be NULL */
		memcpy(w->text + w->len_bytes, piece, len_bytes);
	w->len_bytes += len_bytes;
}

/* Source: Itanium C++ ABI, 5.1.2 (_Z); Rust RFC 2603 (_R). */
static bool demangle(const char *linkage, struct writer *w)
{
	bool rust = linkage[0] == '_' && linkage[1] == 'R';

	if (setjmp(w->enough) != 0)
		return false;
	if (rust)
		return rust_demangle_callback(linkage, DMGL_NO_OPTS, on_piece, w) != 0;
	/* the older mangling of Rust looks like C++ and ends in a hash, which only its own demangler knows to drop */
	if (rust_demangle_callback(linkage, DMGL_NO_OPTS, on_piece, w) != 0)
		return true;
	w->len_bytes = w->n_pieces = 0;
	return cplus_demangle_v3_callback(linkage, DMGL_PARAMS | DMGL_ANSI, on_piece, w) != 0;
}

bool pt_demangle(const char *linkage, char text[PT_DEMANGLE_TEXT_BYTES], size_t *spent_bytes)
{
	struct writer w = { .text = text };
	bool done;

	if (linkage[0] != '_' || (linkage[1] != 'Z' && linkage[1] != 'R') ||
	    strnlen(linkage, PT_DEMANGLE_MAX_BYTES + 1) > PT_DEMANGLE_MAX_BYTES)
		return false;
	done = demangle(linkage, &w);
	text[w.len_bytes] = '\0';
	if (spent_bytes != NULL)
		*spent_bytes += strlen(linkage) + w.len_bytes + w.n_pieces;
	return done && w.len_bytes > 0;
}

#else

bool pt_demangle(const char *linkage, char text[PT_DEMANGLE_TEXT_BYTES], size_t *spent_bytes)
{
	(void)linkage, (void)text, (void)spent_bytes;
	return false;
}

#endif
