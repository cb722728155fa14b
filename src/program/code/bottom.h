/* The function at the bottom of a task's stack, from its pc, its lr and the words on its stack. Without tables for
 * unwinding, and without guesses: a word is a return address only where the instruction in front of it calls the very
 * function that returns there. So a call through a pointer, or out of a function that left by a jump, ends the search
 * there. */
#ifndef PT_PROGRAM_BOTTOM_H
#define PT_PROGRAM_BOTTOM_H

#include "program/model/program.h"

/*   words   what may be return addresses, nearest first: lr, then the stack's from the stack pointer on. Others are
 *           passed over, also those of other stacks behind it
 * The outermost function that is certain; NULL: pc is in none, or the program's instruction set does not tell return
 * addresses by their lowest bit (it is no Thumb code). Any thread. */
const struct pt_function *pt_program_bottom(const struct pt_program *program, uint64_t pc, const uint32_t *words,
					    size_t n_words);

#endif
