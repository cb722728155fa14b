/* A consumer of steps that trusts nothing but call_event.h: it keeps its own stacks and counts everything itself. What
 * it comes to must be what execution says. For tests. */
#ifndef PT_TESTS_STEP_FOLLOWER_H
#define PT_TESTS_STEP_FOLLOWER_H

#include "profile/stack/execution.h"

struct step_follower;

struct step_follower *step_follower_new(size_t n_functions);	/* ids are below it */
void step_follower_free(struct step_follower *f);
struct pt_call_sink step_follower_sink(struct step_follower *f);
uint64_t step_follower_n(const struct step_follower *f, enum pt_call_event_kind kind);
/* The stream may go on behind it. want: made just now. by_instructions: the clock. Fails the test that runs, naming it,
 * where figures differ. */
void step_follower_expect(const struct step_follower *f, const struct pt_execution_result *want, bool by_instructions,
			  const char *name);

#endif
