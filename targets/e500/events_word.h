/* The print() of the word events: see struct pt_target_word. */
#ifndef PT_E500_EVENTS_WORD_H
#define PT_E500_EVENTS_WORD_H

#include "targets/contract/target.h"

int pt_e500_print_events(void *state, const char *const *words, size_t n_words,
			 void (*say)(void *arg, const char *line), void *arg, struct pt_err *err);

#endif
