/* The hot loop of flow.c; no other file includes this. */
#ifndef PT_PROFILE_FOLLOW_H
#define PT_PROFILE_FOLLOW_H

#include "profile/flow/flow.h"

/* Take as many plain branches inside the span of the held run as stand at the head of n events; each makes one run.
 * flow->at is known. Returns how many. */
size_t pt_flow_follow(struct pt_flow *flow, const struct pt_event *event, size_t n, struct pt_run *run);

#endif
