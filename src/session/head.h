/* The HEAD of a capture: what a report depends on besides the chunks. Written when a profile starts, read when the
 * capture is decoded. */
#ifndef PT_CAPTURE_HEAD_H
#define PT_CAPTURE_HEAD_H

#include "capture/read.h"
#include "base/params.h"
#include "program/model/program.h"

/* Makes the lines for pt_capture_new(): the ELF, each setting of the pipeline that was given, and the other settings of
 * the start, for information. program may be NULL. To be freed. */
char *pt_capture_head_make(struct pt_program *program, const struct pt_params *settings, const char *const *words,
			   size_t n_words);

/* Adds the settings in the lines of a HEAD: those of the pipeline to settings, those of the ELF to symbols (may be
 * NULL). A setting or value that this version does not know is reported by note (may be NULL) and ignored. */
void pt_capture_head_settings(const char *lines, size_t len_bytes, struct pt_params *settings,
			      struct pt_params *symbols, pt_capture_note note, void *arg);

/* Where to look for the ELF of a capture, besides the files that its HEAD names. */
struct pt_capture_elf {
	const char *path;		/* the user's choice instead of those ("": none), or NULL */
	const struct pt_params *symbols;	/* words of program/model/settings.h, or NULL */
	/* ELFs in memory: the bytes of the i-th, which stay valid; NULL: there are no more. */
	const uint8_t *(*built_in)(size_t i, size_t *len_bytes);
};

/* The ELF that the capture was made with, under its original name: from its original place, if it has not changed
 * since, or built in. If the user chose one with another digest, note reports that. Returns 0 and the program, or NULL
 * without one; PT_EARG: it was not found, or has changed (the sentence says what to do). */
int pt_capture_head_program(const char *lines, size_t len_bytes, const struct pt_capture_elf *elf,
			    struct pt_program **program, pt_capture_note note, void *arg, struct pt_err *err);

#endif
