/* A thread for calls that may block longer than the caller may wait, and that cannot be interrupted: a write to a HID
 * device that is silent (5 s in the kernel), a name that no server resolves. Who has waited long enough leaves the
 * call behind, and what it works with goes when it comes back. */
#ifndef PT_PROBES_LINKS_ASIDE_H
#define PT_PROBES_LINKS_ASIDE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct pt_aside;

/* arg is what the calls work with; drop(arg) is called once, when that is over. PT_ENOMEM: drop was not called. */
struct pt_aside *pt_aside_new(void (*drop)(void *arg), void *arg, struct pt_err *err);
/* run(arg) over there. True: it has ended by until_ns of the host's clock, and arg is the caller's until the next call.
 * False: it has not; arg must not be touched any more, and there is nothing left to do but free. */
bool pt_aside_call(struct pt_aside *aside, void (*run)(void *arg), uint64_t until_ns);
/* Returns at once. arg is dropped before that, unless a call was left behind: then when it ends. */
void pt_aside_free(struct pt_aside *aside);

#endif
