/* The function at the bottom of a task's stack, from its pc, its lr and the words on its stack. It needs no unwind
 * tables and makes no guesses: a word counts as a return address only if the instruction before that address calls the
 * function that would return there. So the search ends at a call through a pointer, and where a called function ended
 * in a jump (tail call). */
#ifndef PT_PROGRAM_BOTTOM_H
#define PT_PROGRAM_BOTTOM_H

#include "program/model/program.h"

/* words: candidates for return addresses, nearest first: lr, then the stack from the stack pointer on. Others are
 *           passed over, also those of other stacks behind it
 * The outermost function that is certain; NULL: pc is in none, or the program's instruction set does not tell return
 * addresses by their lowest bit (it is no Thumb code). Any thread. */
const struct pt_function *pt_program_bottom(const struct pt_program *program, uint64_t pc, const uint32_t *words,
					    size_t n_words);

#endif
