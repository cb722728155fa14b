/* Runs as a little story: a world of seven functions of 0x100 bytes each, in which an instruction is 2 bytes and one
 * cycle. A script is lines, separated by commas:
 *   110 4 call 200     from 0x110 on, 4 instructions ran, then a call of 0x200
 *                      (br call ret exc excret chain dbg gap; the last needs no address)
 *   task 3             a signal in the stream: task 3 runs from here on; "task -": none does
 *   told 3 500 20      a signal of another source: task 3 since 500 ns, give or take 20 */
#ifndef PT_TESTS_RUN_SCRIPT_H
#define PT_TESTS_RUN_SCRIPT_H

#include "profile/stack/execution.h"

/* main 0x100, f 0x200, g 0x300, h 0x400, isr 0x500, isr2 0x600, task 0x700. Ids are 1 to 7. */
extern const struct pt_function script_functions[7];
/* The only code that is looked at: what stands before the address a jump goes to. 0x120 in main and 0x220 in f lie
 * behind a call. */
extern const struct pt_codemap script_map;

uint16_t script_owner(uint64_t address);	/* id */
struct pt_run script_run(const char *line);
struct pt_execution *
script_execution(uint32_t entry_cycles); /* of exceptions, in the run before; half of it to chain */
void script_feed(struct pt_execution *x, const char *script);
/* Its runs alone, to whoever takes runs. */
void script_runs(const char *script, void (*take)(void *arg, const struct pt_run *run), void *arg);

/* "f 2-1 7/9 [1: 3 4 4]": 2 entries seen and 1 partial invocation; net 7, gross 9 in all; 1 whole invocation with
 * net 3, gross 4, call 4. Returns out, which has room for 1000. */
const char *script_print(const struct pt_execution_result *result, char *out);

#endif
