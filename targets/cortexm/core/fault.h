/* monitor fault: why the core is in a fault handler, or locked up, and where it came from. Board thread; reads only. */
#ifndef PT_CORTEXM_FAULT_H
#define PT_CORTEXM_FAULT_H

#include "base/error.h"

/* struct pt_target_word's print. */
int pt_cortexm_print_fault(void *state, const char *const *words, size_t n_words,
			   void (*say)(void *arg, const char *line), void *arg, struct pt_err *err);

#endif
